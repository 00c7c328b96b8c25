//! Discovery yields the same rules on any number of threads and after an interruption, and enough rules to start with.

use crate::support::cases::chains;
use affinor::expr::IndexingMap;
use affinor::num::{Fuel, Interrupt};
use affinor::prove::Budget;
use affinor::rule::verify::{BUDGET, Verdict, judge};
use affinor::rule::{RuleSet, SESSION, read_rule, read_rules};
use affinor::simplify::{Options, Simplifier};
use affinor_workshop::learn::{Discovery, Settings, State, discover};

/// The rules that `rules discover --from-nothing` kept for the chains after some minutes; the first lines of the file give the
/// command.
const DISCOVERED: &str = include_str!("../../../../benches/data/discovered.rules");

/// Runs a discovery with left sides of one operation, from no rules; returns its result and its last state.
fn run(threads: usize, steps: u64, start: State) -> (Discovery, State) {
    let budget = Budget { solver_steps: 2_000_000, ..BUDGET };
    let fuel = Fuel::new(steps, &Interrupt::new());
    let settings = Settings { size: 1, rounds: 1, threads, seed: 7, budget: &budget, fuel: &fuel };
    let maps = [
        "(d0, d1) -> ((d0 * 4 + d1) floordiv 4), domain: d0 in [0, 9], d1 in [0, 3]",
        "(d0) -> (d0 floordiv 12 * 12 + d0 mod 12), domain: d0 in [0, 99]",
        "(d0, d1) -> (min(d0, d1 + 9)), domain: d0 in [0, 9], d1 in [0, 3]",
    ];
    let cases = maps.map(|map| map.parse::<IndexingMap>().expect("a map"));
    let mut last = start.clone();
    let mut save = |state: &State| last = state.clone();
    let found = discover(&cases, RuleSet::default(), &settings, start, &mut save);
    (found.expect("rules that fire"), last)
}

fn texts(found: &Discovery) -> Vec<(&str, &[usize])> {
    let kept = found.kept.iter();
    kept.map(|kept| (kept.text.as_str(), kept.cases.as_slice())).collect()
}

#[test]
fn threads_and_interruptions_change_nothing() {
    const ALL: u64 = 1_000_000;
    let (whole, state) = run(1, ALL, State::default());
    assert!(!whole.stopped && whole.kept.len() >= 3, "{whole:?}");
    assert_eq!(whole.sizes.iter().map(|[_, after]| after.operations).sum::<u64>(), 0);
    let (others, of_others) = run(2, ALL, State::default());
    assert_eq!((texts(&whole), &state), (texts(&others), &of_others));
    // Stopped at any step, it resumes to the same result.
    for steps in [1, state.spent / 3, state.spent / 2, state.spent - 1] {
        let (part, halfway) = run(2, steps, State::default());
        assert!(part.stopped && halfway.spent <= steps);
        let (rest, end) = run(1, ALL, halfway);
        assert_eq!((texts(&whole), &state), (texts(&rest), &end), "after {steps}");
    }
}

#[test]
fn a_state_is_not_believed() {
    let (_, mut state) = run(1, 1_000_000, State::default());
    state.kept[1].rule = "found-2: x mod c => 0\n  where c >= 1".to_owned();
    let fuel = Fuel::new(1_000, &Interrupt::new());
    let settings =
        Settings { size: 1, rounds: 1, threads: 1, seed: 0, budget: &BUDGET, fuel: &fuel };
    let found = discover(&[], RuleSet::default(), &settings, state, &mut |_| {});
    assert!(found.is_err_and(|error| error.message.contains("is not proved")));
}

/// The rules that enumeration finds make most of the chains as small as their best known form.
#[test]
fn discovered_rules_solve_most_chains() {
    let mut rules = RuleSet::default();
    let read = read_rules(SESSION, DISCOVERED).expect("rules");
    rules.extend(read).expect("names of their own");
    let simplifier = Simplifier::new(rules).expect("rules that fire");
    let chains = chains();
    let solved = chains.iter().filter(|case| {
        let reached = simplifier.simplify(&case.map, &Options::default()).map;
        reached.cost().ops <= case.best
    });
    assert_eq!((solved.count(), chains.len()), (303, 309));
}

#[test]
fn discovered_rules_are_proved() {
    let rules = read_rules(SESSION, DISCOVERED).expect("rules");
    for rule in &rules {
        assert_eq!(judge(rule, &BUDGET), Verdict::Proved, "{rule}");
    }
    // A false variant of one of the rules is refuted.
    let wrong =
        read_rule("near: (c*x + y) floordiv c => x where c >= 1, y >= 0, y <= c").expect("a rule");
    assert!(matches!(judge(&wrong, &BUDGET), Verdict::Refuted(_)));
}
