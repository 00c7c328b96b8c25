//! Expressions with named sizes, as input of `simplify --jsonl`: the sizes of the answers, their proofs by steps, and
//! agreement with evaluation.

use crate::support::talk::Talk;
use affinor::text::parse_map;
use serde_json::Value;

/// Delinearised and linearised indices, tiles, pads, strides, swizzles, tails and halos: the smallest form of each is known,
/// since each was constructed from it.
const CONSTRUCTED: &str = include_str!("../../../../benches/data/sizes.jsonl");

/// Expressions that PyTorch 2.15's Inductor simplified when it compiled 22 small programs, with the sizes of its answers.
const INDUCTOR: &str = include_str!("../../../../benches/data/inductor.jsonl");

/// Returns each case with its answer.
fn answers(cases: &'static str, options: &str) -> Vec<(Value, Value)> {
    let mut talk = Talk::default();
    talk.host.files.insert("cases.jsonl", cases.as_bytes().to_vec());
    talk.say(&format!("simplify --jsonl cases.jsonl --threads 2 {options}"));
    let outputs = talk.host.outputs.iter();
    let answers: Vec<Value> =
        outputs.map(|output| output.json.clone().expect("an object").into()).collect();
    let cases: Vec<Value> =
        cases.lines().map(|line| serde_json::from_str(line).expect("a case is JSON")).collect();
    assert_eq!(answers.len(), cases.len());
    let pairs: Vec<(Value, Value)> = cases.into_iter().zip(answers).collect();
    for (case, answer) in &pairs {
        assert_eq!(case["id"], answer["id"]);
    }
    pairs
}

#[track_caller]
fn number(of: &Value, key: &str) -> u64 {
    of[key].as_u64().unwrap_or_else(|| panic!("no {key} in {of}"))
}

#[test]
fn nearly_all_reach_the_form_that_they_were_made_from() {
    let answers = answers(CONSTRUCTED, "--check --certificate");
    let reached =
        answers.iter().filter(|(case, answer)| number(answer, "ops") <= number(case, "best"));
    let reached = reached.count();
    assert!(reached >= 296, "{reached} reach it, not 296");
    let mut random = 0x5eed_u64;
    let mut evaluated = 0;
    for (_, answer) in &answers {
        assert_eq!(answer["check"], "proved", "{answer}");
        let [before, after] = ["before", "after"].map(|side| {
            let text = answer["certificate"][side].as_str().expect("a map");
            parse_map(text).unwrap_or_else(|error| panic!("{text}: {error:?}"))
        });
        let mut inside = 0;
        for _ in 0..3_000 {
            let point: Vec<i64> = before
                .domain()
                .variables()
                .iter()
                .map(|variable| {
                    random = random
                        .wrapping_mul(0x5851_f42d_4c95_7f2d)
                        .wrapping_add(0x1405_7b7e_f767_814f);
                    let least = variable.bounds.lo().max(-3);
                    least
                        + i64::try_from((random >> 33) % [3, 6, 17][(random >> 60) as usize % 3])
                            .expect("a small number")
                })
                .collect();
            if before.domain().contains(&point) == Ok(true) {
                inside += 1;
                assert_eq!(before.eval(&point), after.eval(&point), "{answer} at {point:?}");
            }
        }
        evaluated += usize::from(inside >= 5);
    }
    assert!(evaluated >= 250, "{evaluated} are evaluated at points");
}

#[test]
fn none_is_larger_than_inductors_answer() {
    let (mut smaller, mut named, mut replayed) = (0, 0, 0);
    for (case, answer) in answers(INDUCTOR, "--certificate") {
        match &answer["certificate_rejected"] {
            Value::Null => replayed += 1,
            rejection => assert_eq!(rejection["kind"], "stopped", "{answer}"),
        }
        let ours = number(&answer, "ops");
        let best = number(&case, "best").min(number(&case, "given"));
        assert!(ours <= best, "{ours} > {best}: {case} {answer}");
        if case["params"].as_object().is_some_and(|params| !params.is_empty()) {
            named += 1;
            smaller += usize::from(ours < number(&case, "best"));
        }
    }
    assert_eq!(named, 486);
    assert!(smaller >= 441, "{smaller} are smaller, not 441");
    assert!(replayed >= 834, "{replayed} replay, not 834");
}

/// Many irrelevant facts, and a domain that has a smaller form: a check is about the result alone.
#[test]
fn checks_among_many_facts() {
    let ids = ["ind-0023", "ind-0024", "ind-0037"].map(|id| format!("\"{id}\""));
    let is_chosen = |line: &&str| ids.iter().any(|id| line.contains(id.as_str()));
    let chosen: Vec<&str> = INDUCTOR.lines().filter(is_chosen).collect();
    for (_, answer) in answers(chosen.join("\n").leak(), "--check") {
        assert_eq!(answer["check"], "proved", "{answer}");
        assert_eq!(answer["check_by"], "certificate", "{answer}");
    }
    assert_eq!(chosen.len(), ids.len());
}
