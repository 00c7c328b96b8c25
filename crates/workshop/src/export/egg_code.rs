//! Prints terms and conditions of rules as Rust code for the exported crate.

use affinor::rule::{Condition, Relation, Rule, Statement, Term};

/// Prints a term; variables are Rust constants of the same names.
pub(super) fn code(rule: &Rule, term: &Term) -> String {
    let call =
        |method: &str, x: &Term, y: &Term| format!("{}.{method}({})", code(rule, x), code(rule, y));
    match term {
        Term::Integer(value) => format!("Integer({value})"),
        Term::Constant(_) | Term::Expression(_) => rule.name_of(term).to_owned(),
        Term::Sum(terms) => {
            let parts = terms.iter().map(|term| code(rule, term));
            let sum = parts.reduce(|sum, part| format!("{sum}.plus({part})"));
            sum.unwrap_or_default()
        }
        Term::Product(x, y) => call("times", x, y),
        Term::FloorDiv(x, y) => call("floordiv", x, y),
        Term::Mod(x, y) => call("modulo", x, y),
        Term::Min(x, y) => call("min", x, y),
        Term::Max(x, y) => call("max", x, y),
        Term::Lo(slot) => format!("Lo({slot})"),
        Term::Hi(slot) => format!("Hi({slot})"),
    }
}

pub(super) fn conditions(rule: &Rule, conditions: &[Condition]) -> String {
    let one = |condition: &Condition| {
        let relation = match condition.relation {
            Relation::Equal => "equals",
            Relation::LessEqual => "at_most",
            Relation::Less => "below",
        };
        let (lhs, rhs) = (code(rule, &condition.lhs), code(rule, &condition.rhs));
        format!("{lhs}.{relation}({rhs})")
    };
    format!("vec![{}]", list(conditions, one))
}

pub(super) fn statement(rule: &Rule) -> String {
    match &rule.statement {
        Statement::Rewrite(left, right) => {
            format!("Rewrite({}, {})", code(rule, left), code(rule, right))
        }
        Statement::Equivalence(left, right) => {
            format!("Equivalence({}, {})", conditions(rule, left), conditions(rule, right))
        }
        Statement::Fact(facts) => format!("Fact({})", conditions(rule, facts)),
    }
}

/// Prints the elements of a list, without brackets.
pub(super) fn list<T>(all: &[T], one: impl FnMut(&T) -> String) -> String {
    let all: Vec<String> = all.iter().map(one).collect();
    all.join(", ")
}
