//! Answers can be serialized; maps, intervals, counterexamples and certificates can also be deserialized.

use affinor::certificate::{Certificate, replay};
use affinor::expr::IndexingMap;
use affinor::num::{Interval, MINUS_INFINITY, PLUS_INFINITY};
use affinor::prove::{Budget, Verdict, equal_functions};
use affinor::rule::RuleSet;
use affinor::simplify::Simplifier;
use affinor_hlo as hlo;
use affinor_ops::footprint::image::{points, region, reuse};
use affinor_ops::indexing::Analysis;
use serde_json::{from_str, json, to_string, to_value};

fn map(text: &str) -> IndexingMap {
    text.parse().unwrap_or_else(|error| panic!("{error:?}"))
}

#[test]
fn maps_and_intervals_read_back() {
    let given = map(
        "(d0)[s0] -> (d0 * 4 + s0), domain: d0 in [0, 9], s0 in [0, inf], d0 + s0 in [-inf, 7]",
    );
    let written = to_string(&given).expect("JSON");
    assert_eq!(from_str::<IndexingMap>(&written).expect("a map"), given);
    for (interval, text) in [
        (Interval::new(-3, 4), "[-3,4]"),
        (Interval::new(MINUS_INFINITY, 4), "[null,4]"),
        (Interval::new(1, PLUS_INFINITY), "[1,null]"),
        (Interval::EMPTY, "[0,-1]"),
    ] {
        assert_eq!(to_string(&interval).expect("JSON"), text);
        assert_eq!(from_str::<Interval>(text).expect("an interval"), interval);
    }
    for wrong in ["\"(d0) -> (d1)\"", "7", "\"\""] {
        assert!(from_str::<IndexingMap>(wrong).is_err(), "{wrong}");
    }
    for wrong in ["[1]", "[1, 2, 3]", "[1.5, 2]", "\"[1, 2]\""] {
        assert!(from_str::<Interval>(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn a_verdict_says_what_it_rests_on() {
    let (one, other) = (
        map("(d0) -> (d0 mod 4), domain: d0 in [0, 3]"),
        map("(d0) -> (d0), domain: d0 in [0, 3]"),
    );
    let verdict = |other: &IndexingMap| {
        let verdict = equal_functions(&one, other, &Budget::default());
        verdict.unwrap_or_else(|error| panic!("{error:?}"))
    };
    assert_eq!(to_value(verdict(&other)).expect("JSON"), json!({"verdict": "proved"}));
    let different = map("(d0) -> (d0 mod 3), domain: d0 in [0, 3]");
    let expected =
        json!({"verdict": "refuted", "counterexample": {"point": [3], "left": [3], "right": [0]}});
    assert_eq!(to_value(verdict(&different)).expect("JSON"), expected);
    let open: Verdict<(), &str> = Verdict::Unknown("too many points");
    let expected = json!({"verdict": "unknown", "reason": "too many points"});
    assert_eq!(to_value(open).expect("JSON"), expected);
}

#[test]
fn certificates_read_back_and_replay() {
    let rules = RuleSet::shipped().unwrap_or_else(|error| panic!("{error:?}"));
    let simplifier = Simplifier::new(rules.clone()).unwrap_or_else(|error| panic!("{error:?}"));
    let given = map(
        "(d0, d1) -> ((d0 * 16 + d1) floordiv 8, min(d1, 9)), domain: d0 in [0, 9], d1 in [0, 7]",
    );
    let certified = simplifier.certify(&given, &Default::default());
    let written = to_string(&certified.certificate.with_rules(&rules)).expect("JSON");
    let read = Certificate::from_json(&written, &rules).unwrap_or_else(|error| panic!("{error:?}"));
    assert_eq!(read, certified.certificate);
    assert!(read.steps().count() > 1 && replay(&read, &rules).is_ok());
    let outcome = to_value(&certified.outcome).expect("JSON");
    assert_eq!((&outcome["complete"], &outcome["ops"]), (&json!(true), &json!(1)));
    let wrong = written.replace("\"after\":\"(d0, d1) -> (", "\"after\":\"(d0, d1) -> (1 + ");
    let wrong = Certificate::from_json(&wrong, &rules).unwrap_or_else(|error| panic!("{error:?}"));
    let rejection = replay(&wrong, &rules).expect_err("another map");
    assert_eq!(to_value(&rejection).expect("JSON")["kind"], "result");
    for text in ["", "{}", "[]", "{\"before\": 1}"] {
        assert!(Certificate::from_json(text, &rules).is_err(), "{text}");
    }
}

#[test]
fn footprints_and_reads_are_written_as_the_program_does() {
    let given = map("(d0)[s0] -> (d0 * 4 + s0), domain: d0 in [0, 2], s0 in [0, 1]");
    let budget = Budget::default();
    let found = region(&given, &budget).expect("a region");
    let expected = json!({"box": [[0, 9]], "steps": [1], "size": 10, "exact": false});
    assert_eq!(to_value(found).expect("JSON"), expected);
    let all = points(given.domain(), &budget).expect("a number");
    assert_eq!(to_value(all).expect("JSON"), json!({"number": 6, "basis": "proved"}));
    let found = to_value(reuse(&given, &budget).expect("numbers")).expect("JSON");
    assert_eq!(found["elements"]["number"], 6);
    let module = hlo::read(
        b"HloModule m\nENTRY e {\n  p = f32[4,8] parameter(0)\n  i = s32[] parameter(1)\n  z = s32[] constant(0)\n  \
          ROOT r = f32[2,8] dynamic-slice(p, i, z), dynamic_slice_sizes={2,8}\n}\n",
    );
    let module = module.unwrap_or_else(|error| panic!("{error:?}"));
    let computation = &module[module.entry()];
    let keep = |map: &IndexingMap| map.clone();
    let reads = Analysis::new(&module, &keep).instruction(module.entry(), computation.root());
    let reads = to_value(&reads.unwrap_or_else(|error| panic!("{error:?}"))[0]).expect("JSON");
    let (maps, runtime) = (&reads["maps"][0], &reads["maps"][0]["runtime"][0]);
    assert_eq!((&reads["operand"], &maps["exact"]), (&json!(0), &json!(true)));
    assert_eq!((&runtime["operand"], &runtime["clamp"]), (&json!(1), &json!([0, 2])));
}
