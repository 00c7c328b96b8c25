//! Hints for the proof of a line, which comes without any. They assume nothing: a wrong hint can lose a proof, never make one.

use super::division::negated;
use affinor::rule::{Condition, Relation, Rule, Slot, Term};

/// Maximum number of subterms that hints are built from.
const MAX_PARTS: usize = 6;

/// Remainders by numbers up to this are split into cases.
const SMALL: i64 = 4;

/// Returns the rule with hints: first products with each variable; then also case splits on the operand that a min or max equals,
/// and on whether a remainder by a small number is 0.
pub(super) fn hinted(rule: &Rule) -> [Rule; 2] {
    let slots = |names: &[String]| (0..=Slot::MAX).take(names.len());
    let constants = slots(&rule.constants).map(Term::Constant);
    let variables = constants.chain(slots(&rule.expressions).map(Term::Expression));
    let variables = variables.flat_map(|name| [name.clone(), negated(name)]);
    let first = Rule { multipliers: variables.collect(), ..rule.clone() };
    let mut parts: Vec<&Term> = Vec::new();
    for term in rule.stated_terms() {
        term.visit(&mut |part| {
            let is_asked = match part {
                Term::Min(..) | Term::Max(..) => true,
                Term::Mod(_, divisor) => matches!(**divisor, Term::Integer(2..=SMALL)),
                _ => false,
            };
            if is_asked && parts.len() < MAX_PARTS && !parts.contains(&part) {
                parts.push(part);
            }
        });
    }
    let mut second = first.clone();
    for part in parts {
        let (lhs, rhs) = match part {
            Term::Min(x, y) | Term::Max(x, y) => ((**x).clone(), (**y).clone()),
            _ => (part.clone(), Term::Integer(0)),
        };
        let relation = Relation::LessEqual;
        second.cases.push(Condition { lhs, relation, rhs });
        second.multipliers.push(part.clone());
        if let Term::Mod(_, divisor) = part
            && let Term::Integer(divisor) = **divisor
        {
            let largest = Term::Integer(divisor - 1);
            let rest = Term::Sum(vec![largest, negated(part.clone())]);
            second.multipliers.push(rest);
        }
    }
    [first, second]
}
