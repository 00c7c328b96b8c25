//! `hlo --certificate` and `replay --of`: certificates of a module's maps, and certificates that do not belong to the module.

use crate::support::talk::Talk;
use affinor::text::ErrorKind;
use affinor_commands::Status;
use serde_json::Value;
use std::collections::BTreeSet;

const MODULE: &str = "HloModule m

add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b)
}

inner {
  p = f32[8,16] parameter(0)
  t = f32[16,8] transpose(p), dimensions={1,0}
  ROOT r = f32[128] reshape(t)
}

outer {
  p = f32[8,16] parameter(0)
  q = f32[1,16] parameter(1)
  v = f32[] constant(0)
  f = f32[128] fusion(p), kind=kLoop, calls=inner
  s = f32[32] slice(f), slice={[3:128:4]}
  g = f32[16] reshape(q)
  h = f32[32] pad(g, v), padding=5_11
  ROOT o = f32[32] subtract(s, h)
}

ENTRY e {
  x = f32[8,16] parameter(0)
  k = s32[] parameter(1)
  i = f32[] parameter(2)
  row = f32[1,16] dynamic-slice(x, k, k), dynamic_slice_sizes={1,16}
  made = f32[32] fusion(x, row), kind=kLoop, calls=outer
  folded = f32[4,8] reshape(made)
  all = f32[8,16] all-reduce(x), replica_groups={{0,1}}, to_apply=add
  ROOT sums = f32[4] reduce(folded, i), dimensions={1}, to_apply=add
}
";

/// Returns the JSON lines of `hlo --certificate` about a module, and the summary at the end of its text.
fn lines(talk: &mut Talk, text: &str, options: &str) -> (Vec<Value>, String) {
    talk.host.files.insert("m.hlo", text.as_bytes().to_vec());
    talk.say(&format!("hlo m.hlo --certificate {options}"));
    let lines = talk.host.outputs.iter().filter_map(|output| output.json.clone());
    let lines = lines.map(Value::from).collect();
    let last = talk.host.outputs.last().map(|output| output.text.to_string());
    (lines, last.unwrap_or_default())
}

fn file(lines: &[Value]) -> Vec<u8> {
    lines.iter().map(|line| format!("{line}\n")).collect::<String>().into_bytes()
}

/// Replays certificates, against the module `of` if it is given; returns the status and the number of each verdict.
fn replayed(talk: &mut Talk, lines: &[Value], of: Option<&str>) -> (Status, [usize; 3], String) {
    talk.host.files.insert("c.jsonl", file(lines));
    let of = match of {
        None => "",
        Some(text) => {
            talk.host.files.insert("of.hlo", text.as_bytes().to_vec());
            "--of of.hlo"
        }
    };
    let (status, text) = talk.ask(&format!("replay c.jsonl {of}"));
    let count = |word: &str| text.lines().filter(|line| line.starts_with(word)).count();
    (status, ["valid", "rejected", "missing"].map(count), text)
}

#[test]
fn each_map_has_a_certificate_that_is_of_the_module() {
    let mut talk = Talk::default();
    let (found, last) = lines(&mut talk, MODULE, "");
    let inside = found.iter().filter(|line| line.get("read").is_some()).count();
    assert!(inside >= 9 && found.len() - inside >= 14, "{last}");
    assert!(last.contains(" 0 missing; "), "{last}");
    for line in &found {
        assert!(line["certificate"].is_object(), "{line}");
        assert_eq!(line["theorem"].is_string(), line["opcode"] != "all-reduce", "{line}");
        assert_eq!(line["exact"] == true, line["map"].is_string(), "{line}");
    }
    for of in [None, Some(MODULE)] {
        let (status, counts, said) = replayed(&mut talk, &found, of);
        assert_eq!((status, counts), (Status::Done, [found.len(), 0, 0]), "{said}");
    }
    // If a line is missing, some claim about the module is missing.
    for left_out in 0..found.len() {
        let mut fewer = found.clone();
        let gone = fewer.remove(left_out);
        let (status, _, said) = replayed(&mut talk, &fewer, Some(MODULE));
        assert_ne!(status, Status::Done, "{gone} {said}");
    }
}

/// Checks whether certificates of [`MODULE`] are accepted for another text; `None` if it is not a module.
fn passes(talk: &mut Talk, found: &[Value], text: &str) -> Option<bool> {
    talk.host.files.insert("of.hlo", text.as_bytes().to_vec());
    talk.host.files.insert("c.jsonl", file(found));
    let run = talk.session.run("replay c.jsonl --of of.hlo", &mut talk.host);
    run.ok().map(|status| status == Status::Done)
}

/// A module with one number altered is no longer valid, or no longer matches some certificate.
#[test]
fn a_module_altered_in_one_number_is_another() {
    let mut talk = Talk::default();
    let (found, _) = lines(&mut talk, MODULE, "");
    let in_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut count = 0;
    for (at, _) in MODULE.match_indices(|c: char| c.is_ascii_digit()) {
        let (before, rest) = MODULE.split_at(at);
        // Skip digits in names and types, and digits that are not the first of a number. The value of a constant is not an
        // index here.
        if before.ends_with(in_word) && !before.ends_with("5_") || before.ends_with("constant(") {
            continue;
        }
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let value: i64 = rest[..end].parse().expect("a number");
        for value in [value + 1, value - 1, value * 2].into_iter().filter(|value| *value >= 0) {
            let altered = format!("{before}{value}{}", &rest[end..]);
            if altered == MODULE {
                continue;
            }
            let passes = passes(&mut talk, &found, &altered);
            assert_ne!(passes, Some(true), "{value} at ..{}", &before[at.saturating_sub(50)..]);
            count += usize::from(passes.is_some());
        }
    }
    assert!(count >= 20, "{count}");
}

/// Certificates state even attributes that no map depends on; metadata and values of constants do not matter.
#[test]
fn attributes_that_no_map_depends_on_are_stated_too() {
    let mut talk = Talk::default();
    let (found, _) = lines(&mut talk, MODULE, "");
    for (old, new, is_same) in [
        ("replica_groups={{0,1}}", "replica_groups={{1,0}}", false),
        ("kind=kLoop, calls=outer", "kind=kInput, calls=outer", false),
        ("subtract(s, h)", "add(s, h)", false),
        ("f32[128] fusion(p)", "f64[128] fusion(p)", false),
        ("subtract(s, h)", "subtract(s, h), metadata={op_name=\"x\"}", true),
        ("v = f32[] constant(0)", "v = f32[] constant(1)", true),
    ] {
        let altered = MODULE.replacen(old, new, 1);
        assert_ne!(altered, MODULE, "{old}");
        assert_eq!(passes(&mut talk, &found, &altered), Some(is_same), "{new}");
    }
    // A line that does not state its instruction is rejected.
    for line in &found {
        let mut silent = line.clone();
        silent.as_object_mut().and_then(|line| line.remove("text")).expect("a text");
        let (status, _, said) = replayed(&mut talk, &[silent], Some(MODULE));
        assert_eq!(status, Status::Wrong, "{said}");
    }
}

const LOOP: &str = "HloModule m
body {
  s = (s32[], f32[8]) parameter(0)
  n = s32[] get-tuple-element(s), index=0
  v = f32[8] get-tuple-element(s), index=1
  one = s32[] constant(1)
  m = s32[] add(n, one)
  w = f32[8] reverse(v), dimensions={0}
  ROOT t = (s32[], f32[8]) tuple(m, w)
}
condition {
  s = (s32[], f32[8]) parameter(0)
  n = s32[] get-tuple-element(s), index=0
  ROOT c = pred[] compare(n, n), direction=LT
}
ENTRY e {
  x = (s32[], f32[8]) parameter(0)
  y = f32[8] parameter(1)
  u = f32[8] unknown-op(y)
  ROOT r = (s32[], f32[8]) while(x), condition=condition, body=body
}
";

#[test]
fn what_has_no_certificate_is_listed() {
    let mut talk = Talk::default();
    let (found, last) = lines(&mut talk, LOOP, "");
    let missing: Vec<&Value> = found.iter().filter(|line| line["certificate"].is_null()).collect();
    assert!(!missing.is_empty(), "{last}");
    for line in &missing {
        assert!(line["missing"].is_string(), "{line}");
        assert!(["while", "unknown-op"].contains(&line["opcode"].as_str().unwrap_or("")), "{line}");
    }
    let (status, [valid, rejected, listed], said) = replayed(&mut talk, &found, None);
    assert_eq!((status, rejected), (Status::Undecided, 0), "{said}");
    assert_eq!((valid + listed, listed), (found.len(), missing.len()), "{said}");
}

#[test]
fn the_entry_alone_and_options_that_do_not_go_with_it() {
    let mut talk = Talk::default();
    let (all, _) = lines(&mut talk, MODULE, "--entry");
    assert!(all.iter().all(|line| line.get("read").is_some()));
    assert!(all.iter().any(|line| line["computation"] == "e"));
    let (one, _) = lines(&mut talk, MODULE, "--instruction sums");
    assert_eq!(one.len(), 2);
    assert!(one[0]["map"].as_str().is_some_and(|map| map.contains("[s0]")), "{}", one[0]);
    for other in [
        "--check",
        "--explain",
        "--memory",
        "--no-simplify",
        "--direction input-to-output",
        "--tile 4",
        "--free",
    ] {
        let line = format!("hlo m.hlo --certificate {other}");
        assert_eq!(talk.fails(&line), ErrorKind::Usage, "{other}");
    }
}

/// The answer reports bounds that no step states but several constraints imply; certificates with underivable bounds are
/// rejected.
#[test]
fn bounds_that_no_step_says_are_told() {
    let one_value = |low: i64, after: &str| {
        format!(
            r#"{{"before":"(d0){{rt0}} -> (min(d0, 8)), domain: d0 in [0, 1], rt0 in [-5, 58], d0 - rt0 in [{low}, 24]","after":"(d0){{rt0}} -> (1), domain: d0 in [0, 1], rt0 in [-5, 58], d0 - rt0 in {after}","domain_steps":[],"result_steps":[]}}"#
        )
    };
    let greatest = |before: &str| {
        format!(
            r#"{{"before":"(d0, d1) -> (max(max(d1, 15) * -7, 0)), domain: d0 in [0, 1], {before}","after":"(d0, d1) -> (0), domain: d0 in [0, 1], d1 in [0, 6], d0 + d1 in [0, 6]","domain_steps":[],"result_steps":[{{"rule":"max-ge","bindings":{{"x":"15","y":"d1"}}}}]}}"#
        )
    };
    let derived = Some("valid: 1 step, and bounds that they do not say");
    for (certificate, said, is_derived) in [
        (greatest("d1 in [0, 6], d0 + d1 in [0, 6]"), Some("valid: 1 step, in 5 bits"), false),
        (greatest("d1 in [0, inf], d0 + d1 in [-3, 6]"), derived, true),
        (greatest("d1 in [0, inf], d0 + d1 in [-3, 7]"), None, false),
        (one_value(6, "[6, 6]"), Some("valid: 0 steps, and bounds that they do not say"), true),
        (one_value(5, "[6, 6]"), None, false),
    ] {
        let mut talk = Talk::default();
        talk.host.files.insert("c.jsonl", certificate.clone().into_bytes());
        talk.say("replay c.jsonl");
        let answer = talk.host.outputs.first().expect("an answer");
        let text = answer.text.to_string();
        let json = Value::from(answer.json.clone().expect("JSON"));
        let first = text.lines().next();
        assert_eq!(first.filter(|line| line.starts_with("valid")), said, "{certificate}\n{text}");
        assert_eq!(json.get("derived") == Some(&Value::Bool(true)), is_derived, "{json}");
        assert_eq!(json["verdict"], if said.is_some() { "valid" } else { "rejected" }, "{json}");
    }
}

/// Each certificate has a theorem in a Rocq module of its own, or refers to one with the same statement; the rest is
/// comments.
#[test]
fn the_claims_of_a_module_as_theorems() {
    let mut talk = Talk::default();
    let (found, _) = lines(&mut talk, MODULE, "");
    let certified = found.iter().filter(|line| !line["certificate"].is_null()).count();
    let (theorems, last) = lines(&mut talk, MODULE, "--format rocq");
    let texts: Vec<&str> = theorems.iter().filter_map(|line| line["rocq"].as_str()).collect();
    assert_eq!(texts.len(), certified + 1, "the first is the head");
    assert!(texts[0].contains("From Affinor Require Import Maps Claims Accepted."), "{}", texts[0]);
    // A repeated statement refers to the first theorem of that statement.
    let mut answers: Vec<&str> = Vec::new();
    for text in &texts[1..] {
        let first = text.strip_suffix(" *)\n").and_then(|rest| rest.rsplit_once(": Answer"));
        let first = first.and_then(|(_, number)| number.parse::<usize>().ok());
        answers.push(first.map_or(*text, |number| answers[number - 1]));
    }
    let written = |text: &&&str| text.contains("\nModule Answer");
    let statements = texts[1..].iter().filter(written).filter_map(|text| text.split_once(".\n"));
    let statements: Vec<&str> = statements.map(|(_, statement)| statement).collect();
    let ends = |text: &&str| text.rfind("End Answer").map(|end| text[..end].to_owned());
    let distinct: BTreeSet<String> = statements.iter().filter_map(ends).collect();
    assert_eq!(distinct.len(), statements.len(), "none is stated twice");
    assert!(statements.len() < certified, "{} of {certified}", statements.len());
    for (number, text) in (1..).zip(&texts[1..]).filter(|(_, text)| written(text)) {
        for part in [format!("Module Answer{number}."), format!("End Answer{number}.")] {
            assert_eq!(text.matches(&part).count(), 1, "{part} in {text}");
        }
        assert_eq!(text.matches("Theorem holds : same_function before after").count(), 1, "{text}");
        assert!(!text.contains("Admitted") && !text.contains("Axiom"), "{text}");
    }
    // The map and the composition of each line are those in its theorem.
    let of = |line: &Value, key: &str| line["certificate"][key].as_str().map(str::to_owned);
    for (line, text) in found.iter().zip(&answers) {
        for key in ["before", "after", "reads"] {
            let shown = of(line, key).is_none_or(|map| text.contains(&format!("(* {map} *)")));
            assert!(shown, "{key} of {line} in {text}");
        }
        let composed = line["certificate"].get("composition").is_some();
        assert_eq!(text.contains("composition_of first second before"), composed, "{text}");
    }
    assert!(last.starts_with("(* ") && last.ends_with(" *)"), "{last}");
    assert_eq!(talk.fails("hlo m.hlo --format rocq"), ErrorKind::Usage);
    assert_eq!(talk.fails("hlo m.hlo --certificate --format lean"), ErrorKind::Name);
}

/// Equal maps have a certificate even if their domains are written differently; maps whose domains differ as sets have none.
#[test]
fn equal_maps_whose_domains_are_written_otherwise() {
    let mut talk = Talk::default();
    let mut kinds = BTreeSet::new();
    let sized = "<n>(i) -> (i), domain: n in [1, inf], i in [0, inf], i floordiv n in [2, 2]";
    for (left, right, is_equal) in [
        ("(i) -> (i), domain: i in [0, 9]", "(j) -> (j), domain: j in [0, 9]", true),
        (
            "(i) -> (i), domain: i in [0, 9], i * 2 in [0, 10]",
            "(j) -> (j * 3 floordiv 3), domain: j in [0, 5]",
            true,
        ),
        (
            "(i) -> (i), domain: i in [0, 9], i * 2 in [0, 10]",
            "(j) -> (j * 3 floordiv 3), domain: j in [0, 6]",
            false,
        ),
        (sized, "<n>(j) -> (j), domain: n in [1, inf], j in [n * 2, n * 3 - 1]", true),
        (sized, "<n>(j) -> (j), domain: n in [1, inf], j in [n * 2, n * 3]", false),
        (
            "<n>(i)[s] -> (i + s - n), domain: n in [1, inf], i in [0, n + 3], s in [0, 4], i + s - n in [0, inf]",
            "<n>(j)[t] -> (j + t - n), domain: n in [1, inf], j in [0, inf], t in [0, 4], j - n in [-inf, 3], n - j - t in [-inf, 0]",
            true,
        ),
    ] {
        let (_, text) = talk.ask(&format!("equal --certificate {left} ; {right}"));
        let certificate = text.lines().nth(1).filter(|line| line.starts_with('{'));
        assert_eq!(certificate.is_some(), is_equal, "{left} ; {right}: {text}");
        let Some(certificate) = certificate else {
            assert!(text.starts_with("refuted"), "{text}");
            continue;
        };
        let line: Value = serde_json::from_str(certificate).expect("a certificate");
        let (status, verdicts, text) = replayed(&mut talk, std::slice::from_ref(&line), None);
        assert_eq!((status, verdicts), (Status::Done, [1, 0, 0]), "{text}");
        assert!(!text.contains("do not say"), "{text}");
        let theorem = talk.say(&format!("equal --certificate --format rocq {left} ; {right}"));
        let of_checker = line["equal"].get("there").is_some();
        assert_eq!(
            theorem.contains("Require Import Maps Claims Accepted."),
            of_checker,
            "{theorem}"
        );
        assert_eq!(theorem.contains("same_function before equal"), of_checker, "{theorem}");
        kinds.insert(of_checker);
        // With one domain altered, the certificate is rejected.
        let altered =
            certificate.replace("[1, inf]", "[2, inf]").replacen("[2, inf]", "[1, inf]", 1);
        if altered != certificate {
            let line: Value = serde_json::from_str(&altered).expect("a certificate");
            let (_, verdicts, text) = replayed(&mut talk, &[line], None);
            assert_eq!(verdicts, [0, 1, 0], "{text}");
        }
    }
    assert_eq!(kinds.len(), 2, "theorems of both kinds");
}
