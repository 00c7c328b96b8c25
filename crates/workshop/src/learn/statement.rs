//! Builds rules without parsing text.

use super::tree::Sum;
use affinor::rule::{Condition, Rule, SESSION, Statement, Term};

/// Names of constants, in order.
pub const CONSTANTS: [&str; 8] = ["c", "d", "a", "b", "k", "m", "g", "h"];

/// Names of expressions, in order.
pub const EXPRESSIONS: [&str; 8] = ["x", "y", "z", "w", "v", "u", "p", "q"];

/// Builds a rule with an empty statement.
pub fn statement(constants: &[i64], expressions: usize, conditions: Vec<Condition>) -> Rule {
    let names = |names: &[&str], count: usize| -> Vec<String> {
        names.iter().take(count).map(|name| (*name).to_owned()).collect()
    };
    Rule {
        name: "learnt".to_owned(),
        conditions,
        constants: names(&CONSTANTS, constants.len()),
        expressions: names(&EXPRESSIONS, expressions),
        ..Rule::stating(Statement::Fact(Vec::new())).in_file(SESSION, 1)
    }
}

/// Converts a tree to a term, with these terms in place of its numbers.
pub fn term(sum: &Sum, terms: &[Term]) -> Term {
    let mut terms = terms.iter().cloned();
    sum.term(&mut |number| terms.next().unwrap_or(Term::Integer(number.value)))
}

/// Builds the equation of two trees, with these terms in place of their numbers.
pub fn rewrite([left, right]: [&Sum; 2], of_left: &[Term], of_right: &[Term]) -> Statement {
    Statement::Rewrite(term(left, of_left), term(right, of_right))
}
