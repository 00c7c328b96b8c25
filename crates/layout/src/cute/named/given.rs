//! Conditions under which an answer holds: one size divides another, or is at most another.
//!
//! Law: where `a` divides the name `x`, x is `a * x'` with x' at least 1, and conversely. So during the search for an answer a
//! name denotes its quotient, and a proof for all quotients holds for all names that satisfy the conditions.

use super::size::Size;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Maximum number of names whose values are tried.
const MOST_TRIED: usize = 4;

/// Maximum number of bounds in a chain from one size to another.
const MOST_BOUNDS: usize = 3;

/// A condition on the names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Condition {
    kind: Kind,
    left: Size,
    right: Size,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Divides,
    AtMost,
}

impl Condition {
    pub(super) fn divides(divisor: &Size, size: &Size) -> Condition {
        Condition { kind: Kind::Divides, left: divisor.clone(), right: size.clone() }
    }

    pub(super) fn at_most(small: &Size, large: &Size) -> Condition {
        Condition { kind: Kind::AtMost, left: small.clone(), right: large.clone() }
    }

    /// Returns the names in it, possibly repeated.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        [self.left.names(), self.right.names()].concat()
    }

    /// Substitutes values for names. `None` on overflow.
    #[must_use]
    pub fn with_values(&self, values: &BTreeMap<String, i64>) -> Option<Condition> {
        let (left, right) = (self.left.with_values(values)?, self.right.with_values(values)?);
        let (left, right) = left.reduced(&right);
        Some(Condition { kind: self.kind, left, right })
    }

    /// Returns whether it holds syntactically for all values of its names, each at least 1; exact if it contains only numbers.
    #[must_use]
    pub fn is_trivial(&self) -> bool {
        match self.kind {
            Kind::Divides => self.right.over(&self.left).is_some(),
            Kind::AtMost => self.left.is_at_most(&self.right),
        }
    }

    /// Returns whether it holds for given values of all its names.
    #[must_use]
    pub fn holds(&self, values: &BTreeMap<String, i64>) -> bool {
        match (self.left.with_values(values), self.right.with_values(values)) {
            (Some(left), Some(right)) => match self.kind {
                Kind::Divides => right.over(&left).is_some(),
                Kind::AtMost => left.is_number() && left.is_at_most(&right),
            },
            _ => false,
        }
    }

    /// Returns the condition as a constraint of a map, unless it is a bound of one name.
    pub(super) fn constraint(&self) -> Option<String> {
        if self.right.as_name().is_some_and(|name| self.least(name).is_some()) {
            return None;
        }
        let (left, right) = (self.left.expression(), self.right.expression());
        Some(match self.kind {
            Kind::Divides => format!("({right}) mod ({left}) in [0, 0]"),
            Kind::AtMost => format!("({right}) - ({left}) in [0, inf]"),
        })
    }

    /// Returns the lower bound of the name, if the condition is one.
    pub(super) fn least(&self, name: &str) -> Option<i64> {
        match self.kind {
            Kind::AtMost if self.right.as_name() == Some(name) => self.left.as_number(),
            _ => None,
        }
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Condition { kind, left, right } = self;
        match kind {
            Kind::Divides => write!(f, "{left} divides {right}"),
            Kind::AtMost if right.is_number() => write!(f, "{left} <= {right}"),
            Kind::AtMost => write!(f, "{right} >= {left}"),
        }
    }
}

/// Assumed conditions. Sizes are over quotients of the names, except in answers.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Given {
    /// The product of quotients that each name is replaced by.
    products: BTreeMap<String, Size>,
    /// The definition of each quotient: one product of names over another.
    quotients: BTreeMap<String, (Size, Size)>,
    /// The first of each pair is at most the second.
    bounds: Vec<(Size, Size)>,
}

impl Given {
    /// Returns the number of conditions.
    pub(super) fn count(&self) -> usize {
        self.quotients.len() + self.bounds.len()
    }

    /// Returns the names that denote a quotient, with the product that the name is replaced by.
    pub(super) fn products(&self) -> Vec<(String, String)> {
        let texts = self.products.iter().map(|(name, size)| (name.clone(), size.to_string()));
        texts.collect()
    }

    /// Rewrites a size over names as a size over quotients.
    pub(super) fn size(&self, size: &Size) -> Option<Size> {
        size.replaced(&self.products)
    }

    /// Returns whether the conditions imply that one size is at most the other. Both are at least 1.
    pub(super) fn is_at_most(&self, small: &Size, large: &Size) -> bool {
        self.is_at_most_by(small, large, MOST_BOUNDS)
    }

    fn is_at_most_by(&self, small: &Size, large: &Size, bounds: usize) -> bool {
        let (small, large) = small.reduced(large);
        small.is_at_most(&large)
            || bounds > 0
                && self.bounds.iter().any(|(low, high)| {
                    // `small` is at most `rest * low`, which is at most `rest * high`.
                    let (rest, low) = small.reduced(low);
                    let bound = rest.divided_by_number_of(&low).times(high);
                    bound.is_some_and(|bound| {
                        bound != small && self.is_at_most_by(&bound, &large, bounds - 1)
                    })
                })
    }

    /// Assumes these conditions on names, as far as they can be expressed: some may be left out.
    pub(super) fn all(conditions: &[Condition]) -> Given {
        conditions.iter().fold(Given::default(), |given, condition| match given.over(condition) {
            Some(condition) if !given.shows(&condition) => {
                given.with(&condition).into_iter().next().unwrap_or(given)
            }
            _ => given,
        })
    }

    /// Rewrites a condition on names as a condition on quotients.
    fn over(&self, condition: &Condition) -> Option<Condition> {
        let (left, right) = (self.size(&condition.left)?, self.size(&condition.right)?);
        Some(Condition { kind: condition.kind, left, right })
    }

    /// Returns whether a condition on quotients follows.
    fn shows(&self, condition: &Condition) -> bool {
        match condition.kind {
            Kind::Divides => condition.right.over(&condition.left).is_some(),
            Kind::AtMost => self.is_at_most(&condition.left, &condition.right),
        }
    }

    /// Returns the conditions on names that do not follow.
    pub(super) fn without(&self, conditions: &[Condition]) -> Vec<Condition> {
        let follows = |one: &Condition| self.over(one).is_some_and(|over| self.shows(&over));
        conditions.iter().filter(|one| !follows(one)).cloned().collect()
    }

    /// Returns all ways to additionally assume the condition, each through one name. Empty if the condition never holds.
    pub(super) fn with(&self, condition: &Condition) -> Vec<Given> {
        let Condition { kind, left, right } = condition;
        let (left, right) = left.reduced(right);
        match kind {
            Kind::AtMost => {
                let mut given = self.clone();
                given.bounds.push((left, right));
                if given.is_possible() { vec![given] } else { Vec::new() }
            }
            Kind::Divides => {
                let names: BTreeSet<&str> = right.plain_names().collect();
                let with = names.into_iter().filter_map(|name| self.with_multiple(name, &left));
                with.filter(Given::is_possible).collect()
            }
        }
    }

    /// Assumes that the name is a multiple of `factor`, which does not contain it.
    fn with_multiple(&self, name: &str, factor: &Size) -> Option<Given> {
        if !factor.is_product_of_names() || factor.names().iter().any(|other| other == name) {
            return None;
        }
        let product = factor.times(&Size::name(name))?;
        let by = BTreeMap::from([(name.to_owned(), product.clone())]);
        let mut given = Given::default();
        for (known, size) in &self.products {
            given.products.insert(known.clone(), size.replaced(&by)?);
        }
        given.products.entry(name.to_owned()).or_insert(product);
        given.quotients = self.quotients.clone();
        let (over, under) = self.over_names(&Size::name(name))?;
        let (factor_over, factor_under) = self.over_names(factor)?;
        let (over, under) = (over.times(&factor_under)?, under.times(&factor_over)?);
        let (under, over) = under.reduced(&over);
        given.quotients.insert(name.to_owned(), (over, under));
        for (low, high) in &self.bounds {
            let (low, high) = (low.replaced(&by)?, high.replaced(&by)?);
            given.bounds.push(low.reduced(&high));
        }
        Some(given)
    }

    /// Drops redundant bounds.
    pub(super) fn tidied(mut self) -> Given {
        let mut at = 0;
        while at < self.bounds.len() {
            let (low, high) = self.bounds.remove(at);
            if !self.is_at_most(&low, &high) {
                self.bounds.insert(at, (low, high));
                at += 1;
            }
        }
        self
    }

    /// Returns whether some values satisfy the bounds: tries powers of 64 for each name.
    fn is_possible(&self) -> bool {
        const LADDER: [i64; 4] = [1, 64, 1 << 12, 1 << 18];
        let sizes = self.bounds.iter().flat_map(|(low, high)| [low, high]);
        let names: BTreeSet<String> = sizes.flat_map(Size::names).collect();
        let names: Vec<&String> = names.iter().take(MOST_TRIED).collect();
        let all = LADDER.len().pow(u32::try_from(names.len()).unwrap_or(0));
        (0..all).any(|number| {
            let mut rest = number;
            let values = names.iter().map(|name| {
                let value = LADDER[rest % LADDER.len()];
                rest /= LADDER.len();
                ((*name).clone(), value)
            });
            let values: BTreeMap<String, i64> = values.collect();
            self.bounds.iter().all(|(low, high)| {
                match (low.with_values(&values), high.with_values(&values)) {
                    (Some(low), Some(high)) => low.is_number() && low.is_at_most(&high),
                    _ => false,
                }
            })
        })
    }

    /// Rewrites a size over quotients as one product of names over another.
    fn over_names(&self, size: &Size) -> Option<(Size, Size)> {
        size.fraction(&self.quotients)
    }

    /// Rewrites a size over quotients as a size over names.
    pub(super) fn restored(&self, size: &Size) -> Option<Size> {
        let (over, under) = self.over_names(size)?;
        over.quotient(&under)
    }

    /// Returns the conditions on names.
    pub(super) fn conditions(&self) -> Option<Vec<Condition>> {
        let divisible = self.quotients.values().filter(|(_, under)| !under.is_one());
        let mut all: Vec<Condition> =
            divisible.map(|(over, under)| Condition::divides(under, over)).collect();
        all.extend(self.bounds_on_names()?);
        Some(all)
    }

    fn bounds_on_names(&self) -> Option<Vec<Condition>> {
        let bound = |(low, high): &(Size, Size)| {
            let ((low, low_under), (high, high_under)) =
                (self.over_names(low)?, self.over_names(high)?);
            let (low, high) = low.times(&high_under)?.reduced(&high.times(&low_under)?);
            Some(match low.is_number() {
                true => Condition::at_most(&low.divided_by_number_of(&high), &high.names_alone()),
                false => Condition::at_most(&low, &high),
            })
        };
        self.bounds.iter().map(bound).collect()
    }

    /// Returns the bounds as constraints on quotients.
    pub(super) fn constraints(&self) -> Vec<Condition> {
        self.bounds.iter().map(|(low, high)| Condition::at_most(low, high)).collect()
    }
}
