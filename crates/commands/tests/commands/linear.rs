//! Triton's layouts at the prompt: answers as JSON, bits of code, and refusals.

use crate::support::talk::Talk;
use affinor::text::ErrorKind;
use serde_json::json;

const BLOCKED: &str = "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}> : 16x32";
const TURNED: &str = "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [1, 0]}> : 16x32";
const SHARED: &str =
    "#ttg.swizzled_shared<{vec = 4, perPhase = 2, maxPhase = 4, order = [1, 0]}> : 16x32";
const PADDED: &str = "#ttg.padded_shared<[32:+4] {order = [1, 0], shape = [16, 32]}>";

#[test]
fn answers_have_fields() {
    let table = [
        (format!("layout {BLOCKED} --index 5,7"), "holders", json!([[3, 9, 1, 0]])),
        (format!("layout {BLOCKED} --lane 9"), "elements_held", json!([[1, 4], [1, 5], [1, 6], [1, 7]])),
        (format!("layout {BLOCKED}"), "inputs", json!({"register": 4, "lane": 32, "warp": 4, "block": 1})),
        (format!("layout {BLOCKED}"), "contiguous", json!(4)),
        (BLOCKED.to_owned(), "contiguous", json!(4)),
        (format!("#b = {} tensor<16x32xf16, #b>", &BLOCKED[..BLOCKED.len() - 8]), "contiguous", json!(4)),
        (format!("layout {}", BLOCKED.replace("16x32", "8x32")), "free", json!({"register": [], "lane": [], "warp": [2], "block": []})),
        ("layout #ttng.tensor_memory_encoding<blockM = 64, blockN = 32, colStride = 1> : 64x32 --index 17,7".to_owned(), "position", json!([33, 7, 0])),
        ("layout #ttng.tensor_memory_encoding<blockM = 64, blockN = 32, colStride = 1> : 64x32".to_owned(), "unused", json!({"row": [16], "col": []})),
        ("layout #ttg.amd_mfma<{version = 3, warpsPerCTA = [1, 1], instrShape = [16, 16, 16], isTransposed = false}> --index 5,7".to_owned(), "holders", json!([[1, 23, 0, 0]])),
        (format!("layout {SHARED} --index 5,7"), "position", json!(5 * 32 + (7 ^ 8))),
        (format!("layout {PADDED} --index 3,5"), "position", json!(3 * 36 + 5)),
        (format!("layout inverse {BLOCKED}"), "kind", json!("inverse")),
        (format!("layout inverse {}", BLOCKED.replace("16x32", "8x32")), "kind", json!("pseudo-inverse")),
        (format!("layout convert {BLOCKED} ; {TURNED}"), "answer", json!("shared")),
        (format!("layout convert {BLOCKED} ; {TURNED}"), "load", json!(8)),
        (format!("layout convert {BLOCKED} ; {}", BLOCKED.replace("threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]", "threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [0, 1]")), "shuffles", json!(4)),
        (format!("layout equal {BLOCKED} ; {BLOCKED}"), "verdict", json!("proved")),
        (format!("layout equal {BLOCKED} ; {}", BLOCKED.replace("[1, 0]", "[0, 1]")), "verdict", json!("refuted")),
        (format!("equal {PADDED} ; (i, j) -> (i * 36 + j), domain: i in [0, 15], j in [0, 31]"), "verdict", json!("proved")),
        ("layout inverse (i, j) -> ((i + j) mod 2 + i floordiv 2 * 2, j), domain: i in [0, 3], j in [0, 1]".to_owned(), "kind", json!("inverse")),
    ];
    for (line, key, expected) in table {
        assert_eq!(Talk::default().object(&line)[key], expected, "{line}");
    }
}

#[test]
fn an_inverse_leads_back() {
    let mut talk = Talk::default();
    talk.say(&format!("layout {BLOCKED}"));
    talk.say("let there = _");
    talk.say(&format!("layout inverse {BLOCKED}"));
    talk.say("let back = _");
    assert_eq!(talk.object("inverse there ; back")["verdict"], "proved");
    talk.say(&format!("layout compose {SHARED} ; {BLOCKED}"));
    talk.say("let both = _");
    talk.say(&format!("compose {BLOCKED} ; {SHARED}"));
    assert_eq!(talk.object("equal both ; _")["verdict"], "proved");
}

#[test]
fn what_is_wrong_is_refused() {
    let table = [
        (format!("layout {BLOCKED} --index 16,0"), ErrorKind::Shape),
        (format!("layout {BLOCKED} --index 1"), ErrorKind::Shape),
        (format!("layout {BLOCKED} --lane 32"), ErrorKind::Shape),
        (format!("layout {BLOCKED} --warp -1"), ErrorKind::Shape),
        (format!("layout {BLOCKED} --tile 2,2"), ErrorKind::Usage),
        (format!("layout {BLOCKED} --banks 32"), ErrorKind::Usage),
        (format!("layout {SHARED} --lane 3"), ErrorKind::Usage),
        (format!("layout {SHARED} --banks 32"), ErrorKind::Usage),
        ("layout f32[8,8] --lane 3".to_owned(), ErrorKind::Usage),
        (format!("layout {BLOCKED} ; {BLOCKED}"), ErrorKind::Syntax),
        (format!("layout inverse {BLOCKED} --left"), ErrorKind::Usage),
        (format!("layout inverse {PADDED}"), ErrorKind::Unsupported),
        (format!("layout divide {BLOCKED} ; 4:1"), ErrorKind::Unsupported),
        (format!("layout compose {BLOCKED} ; {SHARED}"), ErrorKind::Shape),
        (
            format!(
                "layout compose {SHARED} ; (i, j) -> (i, j mod 3), domain: i in [0, 15], j in [0, 31]"
            ),
            ErrorKind::Shape,
        ),
        (format!("layout convert {BLOCKED} ; {SHARED}"), ErrorKind::Unsupported),
        (
            format!("layout convert {BLOCKED} ; {}", BLOCKED.replace("[4, 1]", "[2, 1]")),
            ErrorKind::Shape,
        ),
        (format!("layout convert {BLOCKED}"), ErrorKind::Usage),
        ("layout convert (4,8):(8,1) ; (4,8):(1,4)".to_owned(), ErrorKind::Shape),
    ];
    for (line, kind) in table {
        assert_eq!(Talk::default().fails(&line), kind, "{line}");
    }
}

#[test]
fn nested_operations_on_bits_stay_small() {
    let bounds = "for a in range(64) for b in range(64) for c in range(64) for d in range(64) for e in range(64) for f in range(64)";
    let table = [
        (format!("a ^ b ^ c ^ d ^ e ^ f {bounds}"), 76),
        ("a ^ (a >> 1) ^ (a >> 2) ^ (a >> 3) for a in range(64)".to_owned(), 49),
        ("(a ^ 5) ^ (b ^ 5) ^ (a & 7) for a in range(8) for b in range(8)".to_owned(), 0),
        ("((a << 3) | (b & 7)) ^ (b & 7), domain: b in [0, 7]".to_owned(), 1),
        ("(a ^ b) ^ b for a in range(4096) for b in range(4096)".to_owned(), 0),
    ];
    for (code, most) in table {
        let mut talk = Talk::default();
        talk.say(&code);
        let operations = talk.object("simplify _")["ops"].as_u64();
        assert!(
            operations.is_some_and(|found| found <= most),
            "{code}: {operations:?}, not {most}"
        );
    }
}
