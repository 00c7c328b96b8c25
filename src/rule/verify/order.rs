//! Termination of repeated firing.
//!
//! Rules that are fired to a fixpoint must decrease a measure. The measure of a quotient `n floordiv d`, compared
//! lexicographically, is
//!
//! 1. the number of quotients and remainders inside `n`, at any depth,
//! 2. `d`,
//! 3. the number of terms of `n`,
//! 4. the absolute values of the coefficients of `n`,
//! 5. whether the first coefficient of `n` is negative,
//! 6. the number of negative coefficients, and whether the constant is outside `[0, d)`.
//!
//! All are natural numbers, so the order is well-founded. A constraint `l <= n <= u` has the same measure, without `d`,
//! followed by its constant and its bounds. [`descent`] determines from the text of a rule which component it
//! decreases; it does not cover rules that fire only where the search finds a smaller result, nor laws that are never
//! fired.
//!
//! Not covered: the simplifier may replace a sum by its digit view before matching, which may increase the measure.
//! There `simplify` terminates because it never normalizes a quotient inside itself and bounds the depth.

use crate::rule::{Condition, Relation, Rule, Split, Statement, Term};
use std::fmt;

/// The first component of the measure that a rule decreases.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Descent {
    /// The rewritten quotient or remainder, or one inside it, disappears.
    FewerQuotients,
    /// The divisor is a proper factor of the original one.
    SmallerDivisor,
    /// There are fewer constraints.
    FewerConstraints,
    /// Part of the sum disappears.
    FewerTerms,
    /// Coefficients shrink.
    SmallerCoefficients,
    /// A quotient that no rule rewrites.
    Known,
    /// The first coefficient becomes positive.
    Sign,
    /// The constant disappears.
    Constant,
    /// The same terms have tighter bounds.
    Bounds,
}

impl fmt::Display for Descent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Descent::FewerQuotients => "fewer quotients inside quotients",
            Descent::SmallerDivisor => "a smaller divisor",
            Descent::FewerConstraints => "fewer constraints",
            Descent::FewerTerms => "fewer terms",
            Descent::SmallerCoefficients => "smaller coefficients",
            Descent::Known => "a quotient that is in normal form already",
            Descent::Sign => "a first coefficient that is positive",
            Descent::Constant => "no constant",
            Descent::Bounds => "a smaller interval",
        })
    }
}

/// Determines the component of the measure that a rule decreases.
///
/// # Errors
/// A term of the right side that does not decrease the measure: termination is not established.
pub fn descent(rule: &Rule) -> Result<Descent, Term> {
    match &rule.statement {
        Statement::Rewrite(lhs, rhs) => {
            quotients_of(rhs).into_iter().try_fold(Descent::FewerQuotients, |so_far, quotient| {
                Ok(so_far.max(of_quotient(rule, lhs, quotient).ok_or_else(|| quotient.clone())?))
            })
        }
        Statement::Equivalence(lhs, rhs) => of_constraints(lhs, rhs),
        Statement::Fact(facts) => match facts.first() {
            Some(fact) => Err(fact.lhs.clone()),
            None => Ok(Descent::FewerConstraints),
        },
    }
}

/// Returns the outermost quotients and remainders of a term.
fn quotients_of(term: &Term) -> Vec<&Term> {
    match term {
        Term::FloorDiv(..) | Term::Mod(..) => vec![term],
        Term::Sum(terms) => terms.iter().flat_map(quotients_of).collect(),
        Term::Product(x, y) | Term::Min(x, y) | Term::Max(x, y) => {
            [x, y].into_iter().flat_map(|part| quotients_of(part)).collect()
        }
        _ => Vec::new(),
    }
}

/// Counts quotients and remainders at any depth.
fn count(term: &Term) -> usize {
    let mut count = 0;
    term.visit(&mut |part| {
        count += usize::from(matches!(part, Term::FloorDiv(..) | Term::Mod(..)))
    });
    count
}

fn parts(term: &Term) -> Vec<&Term> {
    match term {
        Term::Sum(terms) => terms.iter().flat_map(parts).collect(),
        Term::Integer(0) => Vec::new(),
        _ => vec![term],
    }
}

/// Removes a part from a sum; `None` if it does not contain the part.
fn without<'t>(sum: &'t Term, part: &Term) -> Option<Vec<&'t Term>> {
    let mut rest = parts(sum);
    for term in parts(part) {
        let position = rest.iter().position(|other| *other == term)?;
        rest.remove(position);
    }
    Some(rest)
}

fn of_quotient(rule: &Rule, lhs: &Term, rhs: &Term) -> Option<Descent> {
    let (Term::FloorDiv(n, d) | Term::Mod(n, d), Term::FloorDiv(m, e) | Term::Mod(m, e)) =
        (lhs, rhs)
    else {
        return None;
    };
    match count(m).cmp(&count(n)) {
        std::cmp::Ordering::Less => return Some(Descent::FewerQuotients),
        std::cmp::Ordering::Greater => return None,
        std::cmp::Ordering::Equal => {}
    }
    if d != e {
        let is_part = |whole: &Term| matches!(whole, Term::Product(x, y) if x == e || y == e);
        let is_factor = is_part(d)
            || rule.conditions.iter().any(|condition| {
                condition.relation == Relation::Equal
                    && condition.lhs == **d
                    && is_part(&condition.rhs)
            });
        return is_factor.then_some(Descent::SmallerDivisor);
    }
    if rule.splits == [Split::Congruent] {
        return Some(Descent::Known);
    }
    if let Some(rest) = without(n, m) {
        // Only the coefficients of quotients are rounded: their terms remain, with smaller coefficients.
        let rounded = rule.splits.contains(&Split::NearestQuotients);
        return match rest.is_empty() {
            true => None,
            false if rounded => Some(Descent::SmallerCoefficients),
            false => Some(Descent::FewerTerms),
        };
    }
    // `constant - n`, for sums whose first coefficient is negative
    let mut mirrored = parts(m);
    mirrored.retain(|part| part.has_expression());
    let sign = rule.splits.contains(&Split::Negative)
        && matches!(mirrored.as_slice(), [part] if is_negated(part, n));
    sign.then_some(Descent::Sign)
}

fn is_negated(term: &Term, of: &Term) -> bool {
    matches!(term, Term::Product(minus, x) if **minus == Term::Integer(-1) && **x == *of)
}

fn of_constraints(lhs: &[Condition], rhs: &[Condition]) -> Result<Descent, Term> {
    let (before, after) = (constrained(lhs), constrained(rhs));
    if after.len() < before.len()
        && after.iter().map(|term| count(term)).max() <= before.iter().map(|term| count(term)).max()
    {
        return Ok(Descent::FewerConstraints);
    }
    let mut descent = None;
    for term in after {
        let lower = before.iter().filter_map(|given| of_constraint(given, term)).min();
        descent = descent.max(Some(lower.ok_or_else(|| term.clone())?));
    }
    Ok(descent.unwrap_or(Descent::FewerConstraints))
}

/// Returns the distinct terms that conditions bound.
fn constrained(conditions: &[Condition]) -> Vec<&Term> {
    let mut terms: Vec<&Term> = Vec::new();
    for condition in conditions {
        for side in condition.sides() {
            if side.has_expression() && !terms.contains(&side) {
                terms.push(side);
            }
        }
    }
    terms
}

fn of_constraint(before: &Term, after: &Term) -> Option<Descent> {
    match (before, after) {
        _ if before == after => return Some(Descent::Bounds),
        _ if count(after) < count(before) => return Some(Descent::FewerQuotients),
        _ if count(after) > count(before) => return None,
        (Term::FloorDiv(n, d), Term::FloorDiv(m, e)) | (Term::Mod(n, d), Term::Mod(m, e))
            if d == e =>
        {
            return of_constraint(n, m);
        }
        (Term::Product(..), _) if is_negated(before, after) => return Some(Descent::Sign),
        (Term::Product(x, y), _) if **y == *after && !x.has_expression() => {
            return Some(Descent::SmallerCoefficients);
        }
        _ => {}
    }
    if let Some(rest) = without(before, after) {
        let constant = rest.iter().all(|part| !part.has_expression());
        return Some(if constant { Descent::Constant } else { Descent::FewerTerms });
    }
    // `g*x + y` becomes `x`
    let factor_of =
        |part: &&Term| matches!(part, Term::Product(x, y) if **y == *after && !x.has_expression());
    let terms = parts(before);
    (terms.len() > 1 && terms.iter().any(factor_of)).then_some(Descent::FewerTerms)
}
