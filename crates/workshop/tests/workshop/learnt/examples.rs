//! Examples that no shipped rule is needed for, or covers: the rule learnt from each holds for other numbers.

use super::{FUEL, with_definition};
use affinor::expr::{Domain, Expr, IndexingMap};
use affinor::num::{Fuel, Interrupt};
use affinor::rule::RuleSet;
use affinor::rule::verify::{BUDGET, Verdict, judge};
use affinor::simplify::{Options, Simplifier, Tally};
use affinor_workshop::learn::{dressed, learn};
use std::sync::Arc;

const EXAMPLES: &str = include_str!("examples.txt");

/// Examples from which a less general rule is learnt than they show, each with the reason.
const LESS: &[(&str, &str)] = &[
    ("strided-mod", "a residue of 1 stays a number"),
    ("two-valued", "7 is read as made of 3 and 1"),
    ("pad-mod", "a residue of 1 stays a number"),
    ("min-mod", "9 is read as at least a multiple of 8"),
    ("wrap-once", "the rule is true of the other, and not seen to fire"),
    ("gather-step", "2 is read as 3 - 1, and the proof without that is not found"),
];

/// Parses a map and its smaller form, on the domain of the map.
fn pair(line: &str) -> [IndexingMap; 2] {
    let (map, smaller) = line.split_once(';').unwrap_or_else(|| panic!("{line}"));
    let map: IndexingMap = map.trim().parse().unwrap_or_else(|error| panic!("{line}: {error}"));
    let names: Vec<&str> = map.domain().variables().iter().map(|one| &*one.name).collect();
    let domain = map.domain().clone();
    let smaller = format!("affine_map<({}) -> ({})>", names.join(", "), smaller.trim());
    let smaller: IndexingMap = smaller.parse().unwrap_or_else(|error| panic!("{line}: {error}"));
    let result = smaller.results()[0].clone();
    [map, over(domain, result)]
}

fn over(domain: Domain, result: Expr) -> IndexingMap {
    IndexingMap::new(domain, vec![result])
}

#[test]
fn what_one_example_shows_holds_for_other_numbers() {
    let lines: Vec<&str> = EXAMPLES.lines().filter(|line| !line.starts_with('#')).collect();
    let bare = with_definition(None);
    let shipped = RuleSet::shipped().unwrap_or_else(|error| panic!("{error:?}"));
    let (mut count, mut fired) = (0, 0);
    let mut failed = Vec::new();
    for entry in lines.chunks(3) {
        let [name, first, second] = entry else { panic!("{entry:?}") };
        let [left, right] = pair(first);
        let fuel = Fuel::new(FUEL, &Interrupt::new());
        let sides = [&left.results()[0], &right.results()[0]];
        let learnt = learn(left.domain(), sides, &BUDGET, &fuel)
            .and_then(|learned| dressed(&learned, "learnt", &shipped, &BUDGET));
        let learnt = match learnt {
            Ok(learnt) => learnt,
            Err(error) => {
                failed.push(format!("{name}: {error}"));
                continue;
            }
        };
        assert_eq!(judge(&learnt.rule, &BUDGET), Verdict::Proved, "{name}: {}", learnt.text);
        let [left, right] = pair(second);
        let cost =
            |simplifier: &Simplifier| simplifier.simplify(&left, &Options::default()).map.cost();
        let tally = Arc::new(Tally::default());
        let with = with_definition(Some(&learnt.rule)).counting(&tally);
        let small = cost(&with) <= right.cost() || left.cost() <= right.cost();
        if !small && !LESS.iter().any(|(known, _)| known == name) {
            failed.push(format!("{name}: {left}: {}", learnt.text));
        }
        count += usize::from(small);
        let is_needed = cost(&bare) > right.cost() && left.cost() > right.cost();
        fired += usize::from(small && is_needed);
    }
    assert!(failed.is_empty(), "{count}, {fired}\n{}", failed.join("\n"));
    assert!(count >= 79 && fired >= 57, "{count} {fired}");
}
