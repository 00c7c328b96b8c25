//! Sums the costs of accesses.

use affinor::text::{Error, ErrorKind};
use serde::Serialize;
use std::collections::BTreeMap;

/// The basis of an answer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Coverage {
    /// One access of each class was evaluated; by the law of classes, the others of its class cost the same.
    #[default]
    Exact,
    /// Every access that may have an active lane was evaluated.
    Counted,
    /// Some accesses were evaluated; nothing is claimed about the others.
    Sampled,
}

/// The sums so far.
#[derive(Default)]
pub(super) struct Sums {
    pub(super) basis: Coverage,
    pub(super) looked_at: u128,
    pub(super) all: u128,
    /// Whether some class had more than one access.
    pub(super) stands_for_others: bool,
    pub(super) elements: u128,
    pub(super) total: u128,
    pub(super) ideal: u128,
    pub(super) spread: BTreeMap<u64, u128>,
    pub(super) worst: Option<(Vec<i64>, u64, u64)>,
}

impl Sums {
    /// Adds `times` accesses like the one at `at`, the first of them.
    pub(super) fn add(
        &mut self,
        at: &[i64],
        elements: u64,
        cost: (u64, u64),
        times: u128,
    ) -> Option<()> {
        self.looked_at += 1;
        self.stands_for_others |= times > 1;
        if elements == 0 {
            return Some(());
        }
        let product = |number: u64| times.checked_mul(number.into());
        self.elements = self.elements.checked_add(product(elements)?)?;
        self.total = self.total.checked_add(product(cost.0)?)?;
        self.ideal = self.ideal.checked_add(product(cost.1)?)?;
        let count = self.spread.entry(cost.0).or_default();
        *count = count.checked_add(times)?;
        let above = cost.0 - cost.1.min(cost.0);
        let is_worse = self.worst.as_ref().is_none_or(|(place, cost, ideal)| {
            let most = cost - ideal.min(cost);
            above > most || (above == most && at < place.as_slice())
        });
        if is_worse {
            self.worst = Some((at.to_vec(), cost.0, cost.1));
        }
        Some(())
    }
}

pub(super) fn overflow() -> Error {
    Error::without_span(ErrorKind::Overflow, "overflow in a number of the answer")
}
