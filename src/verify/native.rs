//! A rule as its author wrote it, in SMT-LIB's own `div` and `mod`: for finding counterexamples, and for
//! readers who want to see what is claimed before any encoding.
//!
//! The divisors are asked to be positive, where SMT-LIB's division and floor division are the same.

use super::smtlib::integer;
use crate::rule::{Condition, Relation, Rule, Statement, Term};
use std::fmt::Write;

/// A script that is satisfiable exactly if the rule has a counterexample: a point inside the conditions
/// where a divisor is below 1 or the statement fails. `lo` and `hi`, which have no value, must not occur.
pub fn script(rule: &Rule) -> String {
    let mut text = String::from("(set-logic ALL)\n");
    for name in rule.constants.iter().chain(&rule.expressions) {
        let _ = writeln!(text, "(declare-const |{name}| Int)"); // writing to a string cannot fail
    }
    for written in &rule.conditions {
        let _ = writeln!(text, "(assert {})", condition(rule, written));
    }
    let mut parts: Vec<String> = divisors(rule)
        .iter()
        .map(|divisor| format!("(>= {} 1)", term(rule, divisor)))
        .collect();
    parts.push(statement(rule));
    let _ = writeln!(text, "(assert (not (and true {})))", parts.join(" "));
    text.push_str("(check-sat)\n");
    text
}

/// A script that is satisfiable exactly if the conditions of the rule are.
pub fn conditions_script(rule: &Rule) -> String {
    let mut text = String::from("(set-logic ALL)\n");
    for name in rule.constants.iter().chain(&rule.expressions) {
        let _ = writeln!(text, "(declare-const |{name}| Int)");
    }
    for written in &rule.conditions {
        let _ = writeln!(text, "(assert {})", condition(rule, written));
    }
    text.push_str("(check-sat)\n");
    text
}

fn divisors(rule: &Rule) -> Vec<Term> {
    let mut divisors: Vec<Term> = Vec::new();
    for term in rule.stated_terms() {
        term.visit(&mut |part| {
            if let Term::FloorDiv(_, divisor) | Term::Mod(_, divisor) = part
                && !divisors.contains(divisor)
            {
                divisors.push((**divisor).clone());
            }
        });
    }
    divisors
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
    let conditions: Vec<String> = conditions
        .iter()
        .map(|written| condition(rule, written))
        .collect();
    format!("(and true {})", conditions.join(" "))
}

fn condition(rule: &Rule, condition: &Condition) -> String {
    let relation = match condition.relation {
        Relation::Equal => "=",
        Relation::LessEqual => "<=",
        Relation::Less => "<",
    };
    format!(
        "({relation} {} {})",
        term(rule, &condition.lhs),
        term(rule, &condition.rhs)
    )
}

fn term(rule: &Rule, written: &Term) -> String {
    let pair = |operator: &str, x: &Term, y: &Term| {
        format!("({operator} {} {})", term(rule, x), term(rule, y))
    };
    match written {
        Term::Integer(value) => integer(i128::from(*value)),
        Term::Constant(slot) => format!("|{}|", rule.constants[*slot as usize]),
        Term::Expression(slot) => format!("|{}|", rule.expressions[*slot as usize]),
        Term::Sum(terms) => {
            let terms: Vec<String> = terms.iter().map(|part| term(rule, part)).collect();
            format!("(+ {})", terms.join(" "))
        }
        Term::Product(x, y) => pair("*", x, y),
        Term::FloorDiv(x, y) => pair("div", x, y),
        Term::Mod(x, y) => pair("mod", x, y),
        Term::Min(x, y) => format!("(ite (<= {0} {1}) {0} {1})", term(rule, x), term(rule, y)),
        Term::Max(x, y) => format!("(ite (>= {0} {1}) {0} {1})", term(rule, x), term(rule, y)),
        // No value: a free constant, so that nothing can be proved of it.
        Term::Lo(slot) | Term::Hi(slot) => {
            format!("|lo or hi of {}|", rule.expressions[*slot as usize])
        }
    }
}
