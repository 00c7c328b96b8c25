//! Rules of other systems: the list in `lines.txt`, its statements and verdicts, and the page that shows them.

mod evaluator;
mod reading;

use affinor::prove::Budget;
use affinor::rule::verify::{BUDGET, Verdict, truncating};
use affinor::rule::{Rule, Truth};
use affinor_workshop::upstream::{Division, Line, Stated, read};
use evaluator::{Equation, equation};
use std::collections::BTreeMap;

const LIST: &str = include_str!("lines.txt");

/// Number of points at which each line is compared with its statements, and maximum number of draws to find as many inside its
/// conditions.
const POINTS: usize = 400;
const DRAWS: usize = 400_000;

/// Minimum number of points inside its conditions for each line.
const LEAST: usize = 40;

/// Numbers from a fixed sequence.
struct Draws(u64);

impl Draws {
    fn below(&mut self, count: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) % count
    }

    fn point(&mut self, names: &[String]) -> BTreeMap<String, i128> {
        let reach = [3, 7, 13][self.below(3) as usize];
        let mut value = |_| i128::from(self.below(2 * reach + 1)) - i128::from(reach);
        names.iter().map(|name| (name.clone(), value(name))).collect()
    }
}

/// Returns the lines of the list, without headings.
fn lines() -> impl Iterator<Item = &'static str> {
    LIST.lines().filter(|line| !line.is_empty() && !line.starts_with('#'))
}

fn stated(text: &str, budget: &Budget) -> Vec<Line> {
    let lines = read(text, budget);
    assert!(!lines.is_empty(), "{text}");
    lines
}

/// Evaluates a rule at a point with its line's division.
fn truth(stated: &Stated, rule: &Rule, values: &BTreeMap<String, i128>) -> Truth {
    let value = |name: &str| values.get(name).and_then(|value| i64::try_from(*value).ok());
    let point = rule.point(value).expect("a value for each variable");
    match stated.division {
        Some(Division::TowardZero) => truncating(rule).truth(&point),
        _ => rule.truth(&point),
    }
}

/// Compares a line, evaluated according to its system, with all its statements: for divisors of any sign, if its system defines
/// division by them. Returns how many points were inside the conditions, and a point at which the line is false.
#[track_caller]
fn compare(
    equation: &Equation,
    says: &[Stated],
    text: &str,
) -> (usize, Option<BTreeMap<String, i128>>) {
    let names = equation.names();
    let mut draws = Draws(text.len() as u64);
    let (mut inside, mut wrong) = (0, None);
    for _ in 0..DRAWS {
        let values = draws.point(&names);
        let (line, holds, is_below) = equation.truth(&values);
        let Some(line) = line else { continue };
        let mut stated = says.iter();
        let has_all = stated.all(|one| one.assumed.is_empty() || !one.below.is_empty());
        if is_below && (equation.system == evaluator::System::Plain || !has_all) {
            continue;
        }
        let mut here = true;
        for one in says {
            for rule in std::iter::once(&one.rule).chain(&one.below) {
                let truth = truth(one, rule, &values);
                assert_ne!(truth, Truth::Undefined, "{text}: {} at {values:?}", rule.text);
                here &= truth != Truth::Fails;
            }
        }
        assert_eq!(here, line, "{text} at {values:?}");
        inside += usize::from(holds);
        if !line && !is_below {
            wrong.get_or_insert(values);
        }
        if inside >= POINTS {
            break;
        }
    }
    (inside, wrong)
}

#[test]
fn what_is_stated_of_a_line_is_what_its_system_says_at_each_point() {
    let mut compared = 0;
    for text in lines() {
        for line in stated(text, &BUDGET) {
            let Ok(says) = &line.says else { continue };
            let (inside, _) = compare(&equation(text), says, text);
            assert!(inside >= LEAST, "{text}: {inside} points");
            compared += 1;
        }
    }
    assert!(compared >= 100, "{compared}");
}

/// Returns the line with each of its numbers increased by one, one at a time; a line without numbers with a `+` turned into a
/// `-`, or a min into a max.
fn changed(text: &str) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    let is_part =
        |at: usize| letters.get(at).is_some_and(|c| c.is_ascii_alphanumeric() || *c == '_');
    let numbers = (0..letters.len()).filter(|at| {
        letters[*at].is_ascii_digit() && !(*at > 0 && is_part(at - 1)) && !is_part(at + 1)
    });
    let with = |at: usize| {
        let mut changed = letters.clone();
        changed[at] =
            char::from_digit(letters[at].to_digit(10).expect("a digit") + 1, 11).expect("a digit");
        changed.into_iter().collect::<String>()
    };
    let mutants: Vec<String> = numbers.filter(|at| letters[*at] != '9').map(with).collect();
    match mutants.is_empty() {
        false => mutants,
        true => [("+", "-"), (" - ", " + "), ("max(", "min("), ("min(", "max(")]
            .into_iter()
            .filter(|(from, _)| text.contains(from))
            .map(|(from, to)| text.replacen(from, to, 1))
            .take(1)
            .collect(),
    }
}

/// A line with one change is stated as changed; if it has become false, it is refuted, and never proved.
#[test]
fn changed_lines_are_refuted_or_shown_to_say_something_else() {
    let quick = Budget { solver_steps: 2_000_000, ..BUDGET };
    let (mut mutants, mut false_ones, mut refuted) = (0, 0, 0);
    for text in lines() {
        for mutant in changed(text) {
            for line in stated(&mutant, &quick) {
                let Ok(says) = &line.says else { continue };
                mutants += 1;
                let (_, wrong) = compare(&equation(&mutant), says, &mutant);
                let Some(point) = wrong else { continue };
                false_ones += 1;
                let judged = says.iter().map(|one| (one, one.judge(&quick)));
                let own: Vec<Verdict> = judged.map(|(one, found)| found.own(one).clone()).collect();
                let is_proved = own.iter().all(|verdict| *verdict == Verdict::Proved);
                assert!(!is_proved, "{mutant} is false at {point:?}");
                let is_refuted = own.iter().any(|verdict| matches!(verdict, Verdict::Refuted(_)));
                refuted += usize::from(is_refuted);
            }
        }
    }
    assert!(mutants >= 150 && false_ones >= 80, "{mutants} {false_ones}");
    assert_eq!(refuted, false_ones);
}
