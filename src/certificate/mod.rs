//! Certificates: the rule instances that prove a map equal to its simplified form, and the replayer that checks them.
//!
//! The trusted base is the rules and this directory, not the simplifier: [`replay`] shares no code with it, and needs
//! no e-graph and no solver. It reads each rule's own text, substitutes the bindings, and checks
//! - each side condition: an equation by linear algebra, an inequality by the interval of a sum,
//!   at each point of a small box, or, with parameters, by the sign of a polynomial;
//! - that each divisor is positive;
//! - for a rewrite, nothing else: both sides are equal where the conditions hold, so their difference
//!   becomes an equation that later steps, and the end, may use;
//! - for a fact, likewise nothing else;
//! - for an equivalence, that the bounds on its left are bounds of the domain, which those on its right then replace;
//! - at the end, that both domains have the same bounds, and that before and after differ by zero under
//!   the equations.
//!
//! Reading order: `sum` (arithmetic), `values` (expressions and terms of rules as sums over atoms), `product` (products of sums),
//! `known` (equations), `range`, `point` and `points` (intervals), `sign` (polynomials), `conditions`, `replay` (the steps),
//! `domain` with `reach` (bounds), `included` (two domains, each in the other), `claim` (compositions, removed variables, a third
//! map). The other files need not be trusted: `witness` and `refuted` skip hopeless searches, `slice` finds the needed steps,
//! `width` computes the bit widths of their integers, `chain` orders them into a chain of equal maps.
//!
//! Law: a certificate that replays shows an equality of functions, if the rules are true. Not every equality has a
//! certificate, and a certificate that does not replay proves nothing either way.

mod chain;
mod claim;
mod conditions;
mod domain;
mod included;
mod json;
mod known;
mod narrated;
mod path;
mod point;
mod points;
mod product;
mod range;
mod reach;
mod refuted;
mod replay;
mod rewrite;
mod shown;
mod sign;
mod slice;
mod sum;
#[cfg(test)]
mod tests;
mod values;
mod width;
pub mod witness;

pub use chain::{chain, unchecked};
pub use claim::{Claim, Equal, Reads, composed};
pub use included::BothWays;
pub use json::read_line;
pub use narrated::{ARITHMETIC, Step};
pub use replay::{Grounds, replay, replay_plainly, replay_within};
pub(crate) use shown::written;
pub use slice::{MAX_IRREDUNDANT, sliced};

use crate::expr::{Expr, IndexingMap};
use crate::num::{Fuel, Interrupt};
use crate::rule::Rule;
use rustc_hash::FxHashSet;
use serde::Serialize;
use std::fmt;

/// Base number of steps for the check of a certificate.
const FUEL_OF_ANY: u64 = 4_000_000;

/// Additional steps per node of its expressions.
const FUEL_OF_NODE: u64 = 200;

/// A claim that two maps are the same function, with the steps that prove it.
///
/// ```
/// use affinor::certificate::{Certificate, replay};
/// use affinor::rule::RuleSet;
/// use affinor::simplify::{Options, Simplifier};
///
/// let map = "(d0) -> (d0 floordiv 4 * 4 + d0 mod 4), domain: d0 in [0, 99]".parse()?;
/// let certificate = Simplifier::shipped()?.certify(&map, &Options::default()).certificate;
/// assert_eq!(certificate.after.to_string(), "(d0) -> (d0), domain: d0 in [0, 99]");
/// let rules = RuleSet::shipped()?;
/// assert_eq!(replay(&certificate, &rules), Ok(()));
/// let after = "(d0) -> (d0 + 1), domain: d0 in [0, 99]".parse()?;
/// assert!(replay(&Certificate { after, ..certificate }, &rules).is_err());
/// # Ok::<(), affinor::text::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Certificate {
    /// The input map.
    pub before: IndexingMap,
    /// The result: the same variables, the same domain, the same values.
    pub after: IndexingMap,
    /// Steps that use only the bounds of the variables; they transform the constraints of one domain into those of the
    /// other.
    pub domain_steps: Vec<Instance>,
    /// Steps that may also use the constraints of `after`; they relate the results.
    pub result_steps: Vec<Instance>,
}

impl Certificate {
    /// Iterates over all steps in order.
    pub fn steps(&self) -> impl Iterator<Item = &Instance> {
        self.domain_steps.iter().chain(&self.result_steps)
    }

    /// Returns whether both maps have the same variables, by number and kind.
    pub fn has_same_variables(&self) -> bool {
        let [before, after] = [&self.before, &self.after].map(|map| map.domain().variables());
        let kinds = before.iter().map(|variable| variable.kind);
        kinds.eq(after.iter().map(|variable| variable.kind))
    }

    /// Returns the fuel for its check: proportional to its size, and many times the fuel that simplifications need.
    #[must_use]
    pub fn fuel(&self, interrupt: &Interrupt) -> Fuel {
        fuel_of(self.size(), interrupt)
    }

    /// Counts the nodes of its expressions, shared ones once, and the constants of its steps.
    fn size(&self) -> u64 {
        size_of([&self.before, &self.after], self.steps())
    }
}

/// Counts the nodes of the expressions of maps, shared ones once, and the constants of steps.
fn size_of<'a>(
    maps: impl IntoIterator<Item = &'a IndexingMap>,
    steps: impl Iterator<Item = &'a Instance>,
) -> u64 {
    let mut open: Vec<&Expr> = Vec::new();
    for map in maps {
        open.extend(map.domain().constraints().iter().map(|x| &x.expr));
        open.extend(map.results());
    }
    let mut size = 0u64;
    for step in steps {
        open.extend(step.constants.iter().chain(&step.expressions));
        size += 1;
    }
    let mut seen = FxHashSet::default();
    while let Some(expr) = open.pop() {
        if seen.insert(expr.address()) {
            open.extend(expr.operands());
        }
    }
    size + seen.len() as u64
}

/// Returns the fuel for a check of this size.
fn fuel_of(size: u64, interrupt: &Interrupt) -> Fuel {
    Fuel::new(FUEL_OF_ANY.saturating_add(FUEL_OF_NODE.saturating_mul(size)), interrupt)
}

/// A rule with its bindings.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Instance {
    /// Name of the rule.
    pub rule: String,
    /// Values of its integer variables, in the order of [`Rule::constants`](crate::rule::Rule): integers, or
    /// expressions, as rules hold for all integers.
    pub constants: Vec<Expr>,
    /// Values of its expression variables, in the order of [`Rule::expressions`](crate::rule::Rule).
    pub expressions: Vec<Expr>,
}

impl Instance {
    /// Returns whether it binds each variable of its rule exactly once.
    pub fn binds(&self, rule: &Rule) -> bool {
        self.constants.len() == rule.constants.len()
            && self.expressions.len() == rule.expressions.len()
    }
}

/// The reason why a certificate is rejected.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Rejection {
    /// The failed step, 1-based through both lists; `None` if all steps hold but do not imply the claim.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<usize>,
    /// The rule of that step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The class of the reason.
    pub kind: RejectionKind,
    /// The reason in one sentence, without a full stop.
    pub message: String,
}

/// Classes of rejections.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RejectionKind {
    /// No rule has this name.
    Rule,
    /// The bindings do not fit the rule, or one of its terms is not affine under them.
    Bindings,
    /// A side condition does not follow.
    Condition,
    /// A step replaces a bound that the domain does not have, or replaces bounds too late.
    Bound,
    /// The domains are not proved equal.
    Domain,
    /// A result is not proved equal.
    Result,
    /// The first map is not the claimed composition.
    Composition,
    /// The last map is not the one before without some variables.
    Variables,
    /// The certificate is not about the claimed module.
    Module,
    /// A number exceeds 128 bits.
    Overflow,
    /// Undecided: the fuel was spent, or the work interrupted.
    Stopped,
}

impl std::error::Error for Rejection {}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.step, &self.rule) {
            (Some(step), Some(rule)) => write!(f, "step {step}, {rule}: {}", self.message),
            _ => f.write_str(&self.message),
        }
    }
}
