//! A rule as stated, in SMT-LIB's own `div` and `mod`: to find counterexamples, and to show readers the claim before
//! any encoding.
//!
//! Divisors are required to be positive, where SMT-LIB's division and floor division agree.

use crate::prove::products::integer;
use crate::rule::{Condition, Rule, Statement, Term};
use std::fmt::Write;

/// Prints a script that is satisfiable iff the rule has a counterexample: a point where each condition holds or has no
/// value, and where a divisor is below 1 or the statement fails. `lo` and `hi`, which have no value, must not occur.
pub fn script(rule: &Rule) -> String {
    let mut text = declarations(rule);
    for written in &rule.conditions {
        let holds = condition(rule, written);
        let _ = match positive(rule, &written.divisors()).as_slice() {
            [] => writeln!(text, "(assert {holds})"), // writing to a string cannot fail
            positive => writeln!(text, "(assert (=> (and {}) {holds}))", positive.join(" ")),
        };
    }
    let mut divisors: Vec<Term> = Vec::new();
    for divisor in rule.stated_terms().flat_map(Term::divisors) {
        if !divisors.contains(&divisor) {
            divisors.push(divisor);
        }
    }
    let mut parts = positive(rule, &divisors);
    parts.push(statement(rule));
    let _ = writeln!(text, "(assert (not (and true {})))", parts.join(" "));
    text.push_str("(check-sat)\n");
    text
}

/// Prints a script that is satisfiable iff all conditions of the rule have values and hold at some point.
pub fn conditions_script(rule: &Rule) -> String {
    let mut text = declarations(rule);
    for written in &rule.conditions {
        let mut parts = positive(rule, &written.divisors());
        parts.push(condition(rule, written));
        let _ = writeln!(text, "(assert (and true {}))", parts.join(" "));
    }
    text.push_str("(check-sat)\n");
    text
}

fn declarations(rule: &Rule) -> String {
    let mut text = String::from("(set-logic ALL)\n");
    for name in rule.variables() {
        let _ = writeln!(text, "(declare-const |{name}| Int)");
    }
    text
}

/// States that each of these terms is at least 1.
fn positive(rule: &Rule, divisors: &[Term]) -> Vec<String> {
    let least = |divisor| format!("(>= {} 1)", term(rule, divisor));
    divisors.iter().map(least).collect()
}

fn statement(rule: &Rule) -> String {
    match &rule.statement {
        Statement::Rewrite(lhs, rhs) => format!("(= {} {})", term(rule, lhs), term(rule, rhs)),
        Statement::Equivalence(lhs, rhs) => {
            format!("(= {} {})", conjunction(rule, lhs), conjunction(rule, rhs))
        }
        Statement::Fact(facts) => conjunction(rule, facts),
    }
}

fn conjunction(rule: &Rule, conditions: &[Condition]) -> String {
    let conditions = conditions.iter().map(|written| condition(rule, written));
    format!("(and true {})", conditions.collect::<Vec<_>>().join(" "))
}

fn condition(rule: &Rule, condition: &Condition) -> String {
    let symbol = condition.relation.symbol();
    let [lhs, rhs] = condition.sides().map(|side| term(rule, side));
    format!("({symbol} {lhs} {rhs})")
}

fn term(rule: &Rule, written: &Term) -> String {
    let pair = |operator: &str, x: &Term, y: &Term| {
        format!("({operator} {} {})", term(rule, x), term(rule, y))
    };
    match written {
        Term::Integer(value) => integer(i128::from(*value)),
        Term::Constant(_) | Term::Expression(_) => format!("|{}|", rule.name_of(written)),
        Term::Sum(terms) => {
            let terms: Vec<String> = terms.iter().map(|part| term(rule, part)).collect();
            format!("(+ {})", terms.join(" "))
        }
        Term::Product(x, y) => pair("*", x, y),
        Term::FloorDiv(x, y) => pair("div", x, y),
        Term::Mod(x, y) => pair("mod", x, y),
        Term::Min(x, y) => format!("(ite (<= {0} {1}) {0} {1})", term(rule, x), term(rule, y)),
        Term::Max(x, y) => format!("(ite (>= {0} {1}) {0} {1})", term(rule, x), term(rule, y)),
        // No value: a free constant, about which nothing can be proved.
        Term::Lo(_) | Term::Hi(_) => format!("|lo or hi of {}|", rule.name_of(written)),
    }
}
