//! Terms and conditions of rules as patterns of egg and as Rust.

use crate::rule::{Condition, Relation, Rule, Slot, Term};
use std::collections::BTreeSet;

/// A term as a pattern: `(floordiv (+ ?x 1) ?c)`. Hints have none.
pub(super) fn pattern(rule: &Rule, term: &Term) -> Option<String> {
    let call = |operator: &str, x: &Term, y: &Term| {
        let (x, y) = (pattern(rule, x)?, pattern(rule, y)?);
        Some(format!("({operator} {x} {y})"))
    };
    match term {
        Term::Integer(value) => Some(value.to_string()),
        Term::Constant(slot) => name(&rule.constants, *slot).map(|name| format!("?{name}")),
        Term::Expression(slot) => name(&rule.expressions, *slot).map(|name| format!("?{name}")),
        Term::Sum(terms) => {
            let mut parts = terms.iter().map(|term| pattern(rule, term));
            let first = parts.next()??;
            parts.try_fold(first, |sum, part| Some(format!("(+ {sum} {})", part?)))
        }
        Term::Product(x, y) => call("*", x, y),
        Term::FloorDiv(x, y) => call("floordiv", x, y),
        Term::Mod(x, y) => call("mod", x, y),
        Term::Min(x, y) => call("min", x, y),
        Term::Max(x, y) => call("max", x, y),
        Term::Lo(_) | Term::Hi(_) => None,
    }
}

/// A function that computes this from `at`, with the variables that it uses.
pub(super) fn closure(rule: &Rule, terms: &[&Term], body: &str) -> String {
    let mut used = BTreeSet::new();
    for term in terms {
        term.visit(&mut |part| {
            used.extend(match part {
                Term::Constant(slot) => name(&rule.constants, *slot),
                Term::Expression(slot) | Term::Lo(slot) | Term::Hi(slot) => {
                    name(&rule.expressions, *slot)
                }
                _ => None,
            });
        });
    }
    let values = used.iter();
    let values: String = values
        .map(|name| format!("let {name} = at.value(\"{name}\"); "))
        .collect();
    format!("|at| {{ {values}{body} }}")
}

/// A term as Rust, of the values that [`closure`] names.
pub(super) fn code(rule: &Rule, term: &Term) -> String {
    let call = |method: &str, x: &Term, y: &Term| {
        format!("{}.{method}(&{})", code(rule, x), code(rule, y))
    };
    let variable = |names: &[String], slot: Slot| name(names, slot).unwrap_or("_").to_owned();
    match term {
        Term::Integer(value) => format!("at.integer({value})"),
        Term::Constant(slot) => variable(&rule.constants, *slot),
        Term::Expression(slot) => variable(&rule.expressions, *slot),
        Term::Sum(terms) => {
            let mut parts = terms.iter().map(|term| code(rule, term));
            let first = parts.next().unwrap_or_default();
            parts.fold(first, |sum, part| format!("{sum}.plus(&{part})"))
        }
        Term::Product(x, y) => call("times", x, y),
        Term::FloorDiv(x, y) => call("floordiv", x, y),
        Term::Mod(x, y) => call("modulo", x, y),
        Term::Min(x, y) => call("min", x, y),
        Term::Max(x, y) => call("max", x, y),
        Term::Lo(slot) => format!("{}.lo()", variable(&rule.expressions, *slot)),
        Term::Hi(slot) => format!("{}.hi()", variable(&rule.expressions, *slot)),
    }
}

/// A function that says which of these hold.
pub(super) fn truths(rule: &Rule, conditions: &[Condition]) -> String {
    let one = |condition: &Condition| {
        let relation = match condition.relation {
            Relation::Equal => "equals",
            Relation::LessEqual => "at_most",
            Relation::Less => "below",
        };
        format!(
            "{}.{relation}(&{})",
            code(rule, &condition.lhs),
            code(rule, &condition.rhs)
        )
    };
    if conditions.is_empty() {
        return "|_| Vec::new()".to_owned();
    }
    let sides = conditions.iter();
    let terms: Vec<&Term> = sides.flat_map(|one| [&one.lhs, &one.rhs]).collect();
    let all: Vec<String> = conditions.iter().map(one).collect();
    closure(rule, &terms, &format!("vec![{}]", all.join(", ")))
}

pub(super) fn name(names: &[String], slot: Slot) -> Option<&str> {
    names.get(usize::from(slot)).map(String::as_str)
}
