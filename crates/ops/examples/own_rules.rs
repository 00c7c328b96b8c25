//! Proves user-defined rules, and simplifies with those that are true: `cargo run -p affinor-ops --example own_rules`

#![allow(clippy::print_stdout, reason = "an example prints")]

use affinor::expr::IndexingMap;
use affinor::rule::verify::{BUDGET, Verdict, judge};
use affinor::rule::{RuleSet, SESSION, read_rule};
use affinor::simplify::{Options, Simplifier};
use affinor::text::Error;

const RULES: [&str; 2] = [
    "fifths: x floordiv 5 + (x + 1) floordiv 5 + (x + 2) floordiv 5 + (x + 3) floordiv 5 + (x + 4) floordiv 5 => x",
    "thirds: x floordiv 3 + (x + 1) floordiv 3 => x",
];

pub(crate) fn main() -> Result<(), Error> {
    let mut rules = RuleSet::shipped()?;
    for text in RULES {
        let rule = read_rule(text)?;
        match judge(&rule, &BUDGET) {
            Verdict::Proved => {
                println!("{}: proved for all integers", rule.name);
                rules.extend(vec![rule.in_file(SESSION, 1)])?;
            }
            Verdict::Refuted(point) => {
                println!("{}: false where x is {}", rule.name, point.expressions[0]);
            }
            Verdict::Unknown(reason) => println!("{}: unknown, {reason}", rule.name),
        }
    }
    let map: IndexingMap =
        "(d0) -> (d0 floordiv 5 + (d0 + 1) floordiv 5 + (d0 + 2) floordiv 5 + (d0 + 3) floordiv 5 + (d0 + 4) floordiv 5), domain: d0 in [0, 99]".parse()?;
    for simplifier in [Simplifier::shipped()?, Simplifier::new(rules)?] {
        println!("{}", simplifier.simplify(&map, &Options::default()).map);
    }
    Ok(())
}
