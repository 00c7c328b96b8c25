//! Finds the steps of a certificate that are needed. Need not be trusted: the result is replayed.

use super::replay::{Mode, replay_within, trace};
use super::{Certificate, Rejection};
use crate::num::Fuel;
use crate::rule::RuleSet;
use std::collections::BTreeSet;

/// Maximum number of steps of a certificate that is made irredundant; the work is quadratic.
pub const MAX_IRREDUNDANT: usize = 64;

/// Removes unneeded steps: according to [`super::replay_plainly`] if the certificate replays in that way, so that other checkers
/// can follow, otherwise according to [`replay_within`]. If at most [`MAX_IRREDUNDANT`] steps are left, and the fuel suffices, no
/// further step can be removed. Steps that the replayer cannot follow are dropped if the others suffice.
///
/// # Errors
/// The errors of [`replay_within`]: the certificate does not hold.
pub fn sliced(
    certificate: &Certificate,
    rules: &RuleSet,
    fuel: &Fuel,
) -> Result<Certificate, Rejection> {
    let half = fuel.share(fuel.left() / 2);
    match sliced_by(certificate, rules, &half, Mode::Plain) {
        Ok(slice) if replay_within(&slice, rules, fuel).is_ok() => Ok(slice),
        _ => sliced_by(certificate, rules, fuel, Mode::Full),
    }
}

fn sliced_by(
    certificate: &Certificate,
    rules: &RuleSet,
    fuel: &Fuel,
    mode: Mode,
) -> Result<Certificate, Rejection> {
    let holds = |slice: &Certificate| trace(slice, rules, fuel, mode).is_ok();
    let (traced, rejection) = match trace(certificate, rules, fuel, mode) {
        Ok(trace) => (trace, None),
        Err(rejection) if mode == Mode::Plain => return Err(rejection),
        Err(rejection) => match trace(certificate, rules, fuel, Mode::Lenient) {
            Ok(trace) => (trace, Some(rejection)),
            Err(_) => return Err(rejection),
        },
    };
    let mut needed: BTreeSet<usize> = traced.claim;
    let mut open: Vec<usize> = needed.iter().copied().collect();
    while let Some(step) = open.pop() {
        for below in traced.steps.get(step).into_iter().flatten() {
            if needed.insert(*below) {
                open.push(*below);
            }
        }
    }
    // Without the other steps a fact may be shown differently, or not at all: then the whole certificate is kept, if it holds.
    let mut slice = certificate.keeping(|step| needed.contains(&step));
    if !holds(&slice) {
        match rejection {
            None => slice = certificate.clone(),
            Some(rejection) => return Err(rejection),
        }
    }
    let count = slice.steps().count();
    if count <= MAX_IRREDUNDANT {
        for left_out in (0..count).rev() {
            if fuel.check().is_err() {
                break;
            }
            let shorter = slice.keeping(|step| step != left_out);
            if holds(&shorter) {
                slice = shorter;
            }
        }
    }
    Ok(slice)
}

impl Certificate {
    /// Keeps the steps that `keep` accepts by 0-based index.
    fn keeping(&self, keep: impl Fn(usize) -> bool) -> Certificate {
        let split = self.domain_steps.len();
        let chosen = |first: usize, steps: &[super::Instance]| {
            let numbered = (first..).zip(steps);
            let kept = numbered.filter(|(number, _)| keep(*number));
            kept.map(|(_, step)| step.clone()).collect()
        };
        Certificate {
            before: self.before.clone(),
            after: self.after.clone(),
            domain_steps: chosen(0, &self.domain_steps),
            result_steps: chosen(split, &self.result_steps),
        }
    }
}
