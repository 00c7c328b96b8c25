//! `layout OPERATION --certificate`: the answer meets the definition of its operation, with and without names.

use crate::support::talk::Talk;
use affinor::text::ErrorKind;
use affinor_commands::Status;
use serde_json::{Value, json};

/// Operations whose certificates are valid.
const CERTIFIED: &[&str] = &[
    "compose (20,2):(16,4) ; (4,5):(1,4)",
    "compose (6,2):(8,2) ; (4,3):(3,1)",
    "compose (4,6,8):(2,3,5) ; 6:3",
    "compose Swizzle<2,0,3> o (8,8):(8,1) ; (4,8):(1,8)",
    "compose (4,8):(8,1) ; <_>",
    "compose (n,8):(8,1) ; n:1",
    "compose (4*n,n):(n,1) ; (4,8):(1,n)",
    "complement (4,6):(1,24) 288",
    "complement (4,8):(8,1) 64*m",
    "divide (9,(4,8)):(59,(13,1)) ; <3:3,(2,4):(1,8)> --zipped",
    "divide (n,8):(8,1) ; 4:1 --tiled",
    "product (2,5):(5,1) ; (3,4):(1,3) --raked",
    "product (2,n):(n,1) ; (3,4):(1,3) --blocked",
    "inverse (4,8):(8,1)",
    "inverse (2,8):(3,16) --left",
    "inverse (12,4,5):(26,25,10)",
    "inverse Swizzle<2,0,3> o (8,8):(8,1)",
    "inverse (n,m):(m,1)",
    "inverse (n,m):(2,3)",
    "coalesce (160,n):(1,160)",
    "coalesce (2,(1,6)):(1,(6,2))",
    "flatten ((n,2),3):((1,n),2*n)",
    "group (2,3,5):(1,2,6) 0..2",
    "group (2,n,5):(1,2,2*n) 0..2",
    "common (n,8):(1,n) ; (n,8):(1,n)",
    "common (4,8):(1,4) ; (4,8):(1,4)",
    "recast (4,3):(3,1) 4 16",
    "recast (4,8):(8,1) 32 16",
    "recast (n,m):(1,n) 8 16",
    "recast (n,m):(m,1) 32 8",
    "equal (2,2):(1,2) ; 4:1",
    "equal (4,8):(8,1) (4,(2,4)):(8,(1,2))",
    "equal (4,n):(1,4) ; 4*n:1",
    "of (d0) -> (d0 mod 4 * 8 + d0 floordiv 4), domain: d0 in [0, 31]",
    "of <k>(i, j) -> (i + j * k * 2), domain: k in [1, inf], i in [0, 2 * k - 1], j in [0, 3]",
];

/// Returns the JSON of an answer with a certificate.
fn certified(talk: &mut Talk, line: &str) -> Value {
    talk.say(&format!("layout {line} --certificate"));
    let json = talk.host.outputs.last().and_then(|output| output.json.clone());
    json.map_or(Value::Null, Value::from)
}

/// Returns the status and the verdict of `replay`.
fn replayed(talk: &mut Talk, line: &Value) -> (Status, String) {
    talk.host.files.insert("c.jsonl", format!("{line}\n").into_bytes());
    let (status, text) = talk.ask("replay c.jsonl");
    (status, text.lines().next().unwrap_or_default().to_owned())
}

#[test]
fn answers_are_certified() {
    let mut talk = Talk::default();
    for line in CERTIFIED {
        let json = certified(&mut talk, line);
        assert!(json["certificate"].is_object(), "{line}: {json}");
        let (status, text) = replayed(&mut talk, &json);
        assert_eq!(status, Status::Done, "{line}: {text}");
        assert!(text.starts_with("valid"), "{line}: {text}");
    }
}

#[test]
fn the_equation_is_the_definition() {
    let mut talk = Talk::default();
    let table = [
        (
            // A(B(x)), and R(x)
            "compose (20,2):(16,4) ; (4,5):(1,4)",
            "(d0, d1) -> ((d0 + d1 * 4) floordiv 20 * 4 + (d0 + d1 * 4) mod 20 * 16), domain: d0 in [0, 3], d1 in [0, 4]",
            "(d0, d1) -> (d0 * 16 + d1 * 64), domain: d0 in [0, 3], d1 in [0, 4]",
            Value::Null,
        ),
        (
            // x, and L(A(x))
            "inverse (n,8):(8,1)",
            "<n>(d0) -> (d0), domain: n in [1, inf], d0 in [0, n * 8 - 1]",
            "<n>(d0) -> (n * ((d0 floordiv n + d0 mod n * 8) mod 8) + (d0 floordiv n + d0 mod n * 8) floordiv 8), \
             domain: n in [1, inf], d0 in [0, n * 8 - 1]",
            Value::Null,
        ),
        (
            // A(x) floordiv 2, and R(y), where n is even
            "recast (n,8):(1,n) 8 16",
            "<n>(d0, d1) -> ((d0 + d1 * n * 2) floordiv 2), domain: n in [1, inf], d0 in [0, n * 2 - 1], d1 in [0, 7]",
            "<n>(d0, d1) -> (d1 * n + d0 floordiv 2), domain: n in [1, inf], d0 in [0, n * 2 - 1], d1 in [0, 7]",
            json!(["2*n stands for n"]),
        ),
    ];
    for (line, before, after, names) in table {
        let json = certified(&mut talk, line);
        assert_eq!(json["certificate"]["before"], before, "{line}");
        assert_eq!(json["certificate"]["after"], after, "{line}");
        assert_eq!(json["certificate_names"], names, "{line}");
    }
}

#[test]
fn an_altered_certificate_is_rejected() {
    let mut talk = Talk::default();
    for (line, part, other) in [
        ("compose (20,2):(16,4) ; (4,5):(1,4)", "d1 * 64", "d1 * 63"),
        ("recast (n,8):(1,n) 8 16", "d1 * n + d0 floordiv 2", "d1 * n + d0 floordiv 3"),
    ] {
        let json = certified(&mut talk, line);
        let altered = json.to_string().replace(part, other);
        assert_ne!(altered, json.to_string(), "{line}");
        let altered = serde_json::from_str(&altered).unwrap_or_else(|why| panic!("{line}: {why}"));
        let (status, text) = replayed(&mut talk, &altered);
        assert_eq!(status, Status::Wrong, "{line}: {text}");
    }
}

#[test]
fn where_there_is_none_the_reason_is_said() {
    let mut talk = Talk::default();
    for (line, missing) in [
        // A stride as large as the target or larger: distinctness of sums is not an equation.
        ("complement (6,4):(8,49) 24", "its check is not an equation of maps"),
        ("complement (4,n):(1,4*n) 64*n", "that it is right rests on the check above"),
    ] {
        let json = certified(&mut talk, line);
        assert_eq!(
            (&json["certificate"], &json["missing"]),
            (&Value::Null, &json!(missing)),
            "{line}"
        );
        assert_eq!(json["check"], "proved", "{line}");
    }
    for (line, kind) in [
        ("layout (4,8):(8,1) --certificate", ErrorKind::Usage),
        ("layout (n,8):(8,1) --certificate", ErrorKind::Usage),
        ("layout compose (n,8):(8,1) ; n:1 --format rocq", ErrorKind::Usage),
        ("layout compose (n,8):(8,1) ; n:1 --certificate --format latex", ErrorKind::Name),
    ] {
        assert_eq!(talk.fails(line), kind, "{line}");
    }
}

#[test]
fn a_certificate_is_a_theorem() {
    let mut talk = Talk::default();
    let line = "layout divide (n,8):(8,1) ; 4:1 --certificate --format rocq";
    let (status, text) = talk.ask(line);
    assert_eq!(status, Status::Done, "{text}");
    assert!(text.starts_with("(* Check: coqc") && text.trim_end().ends_with("Qed."), "{text}");
}
