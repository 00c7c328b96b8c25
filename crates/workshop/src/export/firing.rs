//! How an e-graph can fire a rule, as planned by the matcher that is copied into the egg crate.

use affinor::rule::matching::{Choice, Matcher, definitions};
use affinor::rule::{Rule, Slot, Statement, Term};

/// How a rule is fired.
pub(super) struct Firing {
    pub left: Term,
    pub right: Term,
    /// Expressions that a condition defines as the result of an operation.
    pub defined: Vec<(Slot, Term)>,
    /// Values for constants, in order of computation.
    pub choices: Vec<(Slot, Choice)>,
}

/// How the target represents sums.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sums {
    /// As linear forms: laws of sums are not rewrites.
    Forms,
    /// As terms, which laws of sums rewrite.
    Terms,
}

/// Plans how to fire a rule.
///
/// # Errors
/// The reason why the rule cannot be fired.
pub(super) fn firing(rule: &Rule, sums: Sums) -> Result<Firing, String> {
    let directed = rule.directed();
    let matcher = Matcher::new(&directed);
    let Statement::Rewrite(left, right) = &directed.statement else {
        return Err(matcher.err().unwrap_or_default());
    };
    let is_law = matches!(rule.statement, Statement::Fact(_));
    let is_law_of_sums = is_law && matches!(left, Term::Sum(_) | Term::Product(..));
    let choices = match matcher {
        _ if is_law_of_sums && sums == Sums::Forms => {
            let reason = "its left side is a sum, and sums are the same linear form in any case";
            return Err(reason.to_owned());
        }
        Ok(matcher) => matcher.choices().to_vec(),
        // Matching a term binds its operands; matching a linear form binds only the coefficients.
        Err(_) if is_law_of_sums => Vec::new(),
        Err(reason) => return Err(reason),
    };
    let defined = definitions(&directed).into_iter();
    Ok(Firing {
        left: left.clone(),
        right: right.clone(),
        defined: defined.map(|(slot, term)| (slot, term.clone())).collect(),
        choices,
    })
}
