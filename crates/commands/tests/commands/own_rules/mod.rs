//! A user's rules, typed at the prompt: true ones fire, and make answers smaller; false ones are refuted with a point; true
//! ones that cannot fire are reported as such.

mod table;

use crate::support::random;
use crate::support::talk::Talk;
use affinor::expr::{Cost, Expr, IndexingMap};
use affinor::rule::{Point, Truth, read_rule};
use affinor::text::parse_map;
use table::{Own, RULES};

/// The minimum number of rules in the table.
const MANY: usize = 24;

/// Starts a session with these rules switched off.
fn without(off: &str) -> Talk {
    let mut talk = Talk::default();
    if !off.is_empty() {
        talk.say(&format!("rules off {off}"));
    }
    talk
}

impl Own {
    fn typed(&self, statement: &str) -> String {
        format!("rule {}: {statement}", self.name)
    }
}

/// Returns the cost of a simplified map, including one operation for each of its constraints, and the map.
#[track_caller]
fn simplified(talk: &mut Talk, map: &str) -> (Cost, IndexingMap) {
    let answer = talk.object(&format!("simplify {map}"));
    let map = parsed(answer["result"].as_str().expect("a map"));
    let results = map.results().iter().map(Expr::cost);
    let constraints = map.domain().constraints().iter();
    let all = results.chain(constraints.map(|one| one.expr.cost().more(1)));
    (all.fold(Cost::default(), Cost::plus), map)
}

#[track_caller]
fn parsed(map: &str) -> IndexingMap {
    parse_map(map).unwrap_or_else(|error| panic!("{error:?} in {map}"))
}

#[track_caller]
fn assert_same_values(name: &str, given: &IndexingMap, found: &IndexingMap) {
    for point in random::box_points(given.domain()) {
        assert_eq!(given.eval(&point), found.eval(&point), "{name}: {point:?}");
    }
}

#[test]
fn a_rule_of_any_shape_makes_a_map_smaller() {
    assert!(RULES.len() >= MANY);
    for own in RULES {
        let name = own.name;
        let (larger, given) = simplified(&mut without(own.off), own.map);
        assert_same_values(name, &parsed(own.map), &given);

        let mut talk = without(own.off);
        let answer = talk.object(&own.typed(own.statement));
        assert_eq!(answer["verdict"], "proved", "{name}");
        assert_eq!(answer["fires"], true, "{name}");
        assert_eq!(answer["added"], true, "{name}");
        assert_eq!(talk.used(name), 0, "{name}");
        let (smaller, found) = simplified(&mut talk, own.map);
        assert!(smaller < larger, "{name}: {smaller:?}, not less than {larger:?}");
        assert!(talk.used(name) > 0, "{name}");
        let certificate = talk.say(&format!("simplify --certificate {}", own.map));
        assert!(!certificate.contains("rejected"), "{name}: {certificate}");
        assert_same_values(name, &parsed(own.map), &found);

        // The rule causes the difference: `why` names it, and without it the answer is the larger one.
        assert!(talk.say(&format!("why {}", own.map)).contains(name), "{name}");
        talk.say(&format!("rules off {name}"));
        assert_eq!(simplified(&mut talk, own.map).0, larger, "{name}");
    }
}

#[test]
fn what_is_false_is_refuted_with_a_point() {
    for own in RULES {
        let mut talk = Talk::default();
        let answer = talk.object(&own.typed(own.wrong));
        assert_eq!(answer["verdict"], "refuted", "{}", own.wrong);
        assert_eq!(answer["added"], false, "{}", own.wrong);
        let rule = read_rule(&format!("wrong: {}", own.wrong)).expect("a rule");
        let values = |names: &[String]| -> Vec<i64> {
            let value = |name: &String| answer["counterexample"]["point"][name].as_i64();
            names.iter().map(value).collect::<Option<_>>().expect("a point")
        };
        let point =
            Point { constants: values(&rule.constants), expressions: values(&rule.expressions) };
        assert_eq!(rule.truth(&point), Truth::Fails, "{}", own.wrong);
    }
}

#[test]
fn what_cannot_fire_is_true_all_the_same() {
    for own in RULES {
        let (statement, reason) = own.idle;
        let mut talk = Talk::default();
        let answer = talk.object(&own.typed(statement));
        assert_eq!(answer["verdict"], "proved", "{statement}");
        assert_eq!(answer["fires"], false, "{statement}");
        assert_eq!(answer["added"], false, "{statement}");
        let why = answer["not_added"].as_str().expect("a reason");
        assert!(why.contains(reason), "{statement}: {why}");
        let kept = talk.object(&own.typed(statement).replace("rule ", "rule --law "));
        assert_eq!(kept["added"], true, "{statement}");
    }
}
