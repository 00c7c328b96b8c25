//! The JSON of `op`, of the questions about maps, and of `diff`.

use crate::support;
use crate::support::{affinor, check_json};
use serde_json::{Value, json};

#[track_caller]
fn check(arguments: &[&str], status: i32, expected: &[Value]) {
    check_json(arguments, "", status, expected);
}

const ROWS: &str = "(d0)[s0] -> (d0 * 2 + s0), domain: d0 in [0, 3], s0 in [0, 2]";

#[test]
fn op() {
    let map = "(d0) -> (d0 floordiv 8, d0 mod 8), domain: d0 in [0, 31]";
    check(
        &["op", "reshape f32[4,8] -> f32[32]"],
        0,
        &[
            json!({"schema": 1, "computation": "entry", "instruction": "reshape", "opcode": "reshape",
                 "shape": "f32[32]{0}", "direction": "output-to-input",
                 "results": [{"output": [], "operand": 0, "operand_path": [], "name": "p0",
                              "maps": [{"map": map, "exact": true, "runtime": []}]}]}),
        ],
    );
    let chain = affinor(&["op", "reshape f32[4,8] -> f32[8,4] | transpose {1,0}", "--json"], b"");
    let chain = &chain.objects()[0];
    let together =
        "(d0, d1) -> (d1 floordiv 2, d0 + d1 mod 2 * 4), domain: d0 in [0, 3], d1 in [0, 7]";
    assert_eq!(chain["result"], together);
    assert_eq!(chain["results"][0]["parameter"], 0);
    assert_eq!(chain["stages"][1]["opcode"], "transpose");
    assert_eq!(chain["stages"][1].get("schema"), None);
}

#[test]
fn questions_about_one_map() {
    check(
        &["count", ROWS],
        0,
        &[json!({"schema": 1, "points": {"number": 12, "basis": "proved"},
                 "elements": {"number": 9, "basis": "proved"}, "reads_per_element": 12.0 / 9.0})],
    );
    let endless = "affine_map<(d0) -> (d0)>";
    let reason = json!({"reason": "more than 1000000 points to enumerate"});
    check(&["count", endless], 3, &[json!({"schema": 1, "points": reason, "elements": reason})]);
    check(
        &["image", "(d0) -> (d0 * 4, 1), domain: d0 in [0, 2]"],
        0,
        &[json!({"schema": 1, "box": [[0, 8], [1, 1]], "steps": [4, 1], "size": 3,
                 "exact": true, "basis": "proved"})],
    );
    check(
        &["points", ROWS, "--first", "1"],
        0,
        &[json!({"schema": 1, "points": [{"point": [0, 0], "result": [0]}], "complete": false,
                 "stopped_at": "there are more than 1 point"})],
    );
    check(
        &["injective", ROWS],
        1,
        &[json!({"schema": 1, "verdict": "refuted",
                 "counterexample": {"first": {"d0": 0, "s0": 2}, "second": {"d0": 1, "s0": 0}, "element": [2]}})],
    );
    check(
        &["inverse", "(d0, d1) -> (d0 * 8 + d1), domain: d0 in [0, 3], d1 in [0, 7]"],
        0,
        &[
            json!({"schema": 1, "result": "(d0) -> (d0 floordiv 8, d0 mod 8), domain: d0 in [0, 31]",
                 "function": true, "check": "proved", "complete": true}),
        ],
    );
    let bound = affinor(&["bind", &format!("s0 = 1 in {ROWS}"), "--json"], b"");
    assert_eq!(bound.objects()[0]["result"], "(d0) -> (d0 * 2 + 1), domain: d0 in [0, 3]");
}

#[test]
fn questions_about_two_maps() {
    let (evens, thirds) =
        ("(d0) -> (d0 * 2), domain: d0 in [0, 9]", "(d0) -> (d0 * 3), domain: d0 in [0, 9]");
    check(
        &["reads", evens, thirds],
        0,
        &[json!({"schema": 1,
                 "first": {"box": [[0, 18]], "steps": [2], "size": 10, "exact": true},
                 "second": {"box": [[0, 27]], "steps": [3], "size": 10, "exact": true},
                 "union": {"number": 16},
                 "intersection": {"number": 4, "element": [0]},
                 "only_first": {"number": 6, "element": [2]},
                 "only_second": {"number": 6, "element": [3]},
                 "basis": "counted"})],
    );
    check(
        &["contains", evens, thirds],
        1,
        &[json!({"schema": 1, "verdict": "refuted", "element": [3]})],
    );
    check(
        &["contains", evens, evens],
        0,
        &[json!({"schema": 1, "verdict": "proved", "basis": "counted"})],
    );
}

#[test]
fn diff() {
    let page = |name: &str| {
        let path = support::repository().join("docs/cookbook").join(name);
        path.to_string_lossy().into_owned()
    };
    let (before, after) = (page("before.hlo"), page("after.hlo"));
    let nothing = json!({
        "schema": 1, "compared": 1, "same": 1, "rounded": 0, "same_reads": 0, "changed": 0, "computed_otherwise": 0,
        "other_index": 0, "other_operands": 0, "other_shape": 0, "added": 0, "removed": 0, "unknown": 0
    });
    check(&["diff", &before, &after, "--entry"], 0, &[nothing]);
    let run = affinor(&["diff", &after, &page("wrong.hlo"), "--json"], b"");
    let objects = run.objects();
    assert_eq!((run.status, objects.len()), (Some(1), 2));
    assert_eq!(objects[0]["instruction"], "main/slice.3");
    assert_eq!(objects[0]["change"], "changed");
    assert!(objects[0]["counterexample"]["element"].is_array(), "{objects:?}");
    assert_eq!(objects[1]["changed"], 1);
}

#[test]
fn accesses_of_warps() {
    let map = "(thread, block) -> (thread, block), domain: thread in [0, 63], block in [0, 9]";
    let position = "(block, warp, lane) -> (block + (warp * 32 + lane) * 10), domain: block in [0, 9], warp in [0, 1], lane in [0, 31]";
    check(
        &["coalesce", map, "f32[64,10]"],
        0,
        &[
            json!({"schema": 1, "transactions": 640, "ideal": 80, "ratio": 8.0, "accesses": 20, "elements": 640,
                 "per_access": [{"transactions": 32, "accesses": 20}],
                 "worst": {"at": {"block": 0, "warp": 0}, "transactions": 32, "ideal": 4},
                 "basis": "exact", "looked_at": 8, "all": 20, "threads": ["thread"], "block": [64], "vector": [],
                 "warp": 32, "element_bits": 32, "transaction_bytes": 32, "position": position}),
        ],
    );
    let nothing = "(thread) -> (thread), domain: thread in [1, 0]";
    let none = affinor(&["coalesce", nothing, "--json"], b"").objects();
    assert_eq!(
        (&none[0]["transactions"], &none[0]["ratio"], none[0].get("worst")),
        (&json!(0), &json!(1.0), None)
    );
    let sampled = "(thread, block) -> (min(thread * 3, block)), domain: thread in [0, 1023], block in [0, 99999]";
    let run = affinor(&["coalesce", sampled, "--json"], b"");
    assert_eq!((run.status, &run.objects()[0]["basis"]), (Some(3), &json!("sampled")));
}

#[test]
fn conflicts_of_warps() {
    let run = affinor(
        &["banks", "(32,32):(32,1)", "--preset", "transpose-read", "--explain", "--json"],
        b"",
    );
    let answer = &run.objects()[0];
    for (key, expected) in [
        ("passes", json!(1024)),
        ("ideal", json!(32)),
        ("conflicts", json!(992)),
        ("threads", json!(["thread_x", "thread_y"])),
        ("block", json!([32, 4])),
        ("per_access", json!([{"passes": 32, "accesses": 32}])),
        ("banks", json!(32)),
        ("word_bytes", json!(4)),
    ] {
        assert_eq!(answer[key], expected, "{key}");
    }
    let whats = answer["maps"].as_array().expect("maps").iter();
    let whats: Vec<&Value> = whats.map(|step| &step["what"]).collect();
    assert_eq!(whats, ["threads", "layout"]);
    assert_eq!(run.status, Some(0));
}

#[test]
fn tiles() {
    let interior = "(d0) -> ((d0 - 1) floordiv 2), domain: d0 in [1, 15], d0 mod 2 in [1, 1]";
    check(
        &["tile", interior, "3"],
        0,
        &[
            json!({"schema": 1, "grid": {"t0": [0, 5]}, "constraints": [], "elements": 2, "exact": true,
                 "basis": "counted",
                 "sides": [{"offset": "t0 + t0 floordiv 2", "size": 2, "stride": 1, "last": "t0 * 2 - t0 floordiv 2",
                            "within": [0, 7]}]}),
        ],
    );
    let rows = "(d0, d1) -> (d0 * 4 + d1), domain: d0 in [0, 3], d1 in [0, 3]";
    check(
        &["tile", rows, "--suggest", "--most", "8"],
        0,
        &[json!({"schema": 1, "complete": true, "suggestions": [
                {"sizes": [1, 4], "elements": 8}, {"sizes": [4, 1], "elements": 8}, {"sizes": [1, 2], "elements": 4},
                {"sizes": [2, 1], "elements": 4}, {"sizes": [1, 1], "elements": 2}]})],
    );
}

#[test]
fn utilisation() {
    let path = concat!(env!("CARGO_TARGET_TMPDIR"), "/utilisation.hlo");
    let text =
        "p = f32[8,4]{1,0} parameter(0)\ns = f32[2,4]{1,0} slice(p), slice={[0:8:4],[0:4]}\n";
    std::fs::write(path, text).expect("a file");
    let counted = |number: u64| json!({"number": number, "basis": "counted"});
    check(
        &["hlo", path, "--instruction", "s", "--utilisation"],
        0,
        &[
            json!({"schema": 1, "computation": "entry", "instruction": "s", "opcode": "slice", "shape": "f32[2,4]{1,0}",
                 "utilisation": [{"operand": 0, "operand_path": [], "name": "p", "elements": 32, "read": counted(8),
                                  "share": 0.25, "reads": counted(8), "average": 1.0, "greatest": counted(1),
                                  "unread": [[[5, 7], [0, 3]]], "steered": false}]}),
        ],
    );
    let tile = affinor(&["hlo", path, "--instruction", "s", "--tile", "1,2", "--json"], b"");
    let tile = &tile.objects()[0];
    assert_eq!(tile["direction"], "output-to-input");
    let sides = &tile["operands"][0]["tiles"][0]["sides"];
    assert_eq!(sides[0]["offset"], "t0 * 4");
    assert_eq!(sides[1]["size"], 2);
}

#[test]
fn proved_statements_that_fail_in_code() {
    check(
        &["prove", "(8*i + j) // 8 = i where 0 <= j < 8"],
        0,
        &[json!({"schema": 1, "verdict": "proved",
                 "toward_zero": {"verdict": "refuted", "counterexample": {
                     "point": {"i": -1, "j": 1}, "left": 0, "right": -1}},
                 "overflow": {"fails": true, "bits": 64, "term": "8*i", "value": "9223372036854775808", "at": {
                     "point": {"i": 1_152_921_504_606_846_976_i64, "j": 0},
                     "left": -1_152_921_504_606_846_976_i64, "right": 1_152_921_504_606_846_976_i64}}})],
    );
    check(
        &["prove", "(x + y) - y = x"],
        0,
        &[json!({"schema": 1, "verdict": "proved",
                 "overflow": {"fails": false, "bits": 64, "term": "x + y", "value": "9223372036854775808", "at": {
                     "point": {"x": 1, "y": i64::MAX}}}})],
    );
    check(
        &["-e", "show () -> (7) > /dev/null"],
        0,
        &[json!({"schema": 1, "wrote": "/dev/null", "lines": 1})],
    );
}
