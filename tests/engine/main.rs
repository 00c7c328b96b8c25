//! Simplification: its results, their certificates, and their narration.

#[path = "../support/mod.rs"]
mod support;

mod certificate;
mod certificate_bits;
mod certificate_sizes;
mod certificate_written;
mod certificate_written_sizes;
mod claims;
mod facts;
mod left;
mod measured_cases;
mod min_max;
mod museum;
mod named;
mod round_trips;
mod simplify;
mod spellings;
mod textbook;
mod why;

use affinor::rule::RuleSet;
use affinor::simplify::Simplifier;
use std::sync::LazyLock;

/// The shipped rules, compiled from their text.
static SIMPLIFIER: LazyLock<Simplifier> = LazyLock::new(|| {
    let rules = RuleSet::shipped().unwrap_or_else(|error| panic!("{error:?}"));
    Simplifier::new(rules).unwrap_or_else(|error| panic!("{error:?}"))
});
