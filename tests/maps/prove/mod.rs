//! Verdicts about concrete maps: what is proved, refuted and left open, and by which means.

#![allow(clippy::unwrap_used, reason = "a test that cannot build its input has failed")]

mod equal;
mod laws;
mod questions;
mod reads;
mod round_trips;

use affinor::expr::IndexingMap;
use affinor::prove::{Budget, Counterexample, Verdict};
use affinor::text::parse_map;

/// Parses a map; the text must be valid.
#[track_caller]
fn map(text: &str) -> IndexingMap {
    match parse_map(text) {
        Ok(map) => map,
        Err(error) => panic!("{text}: {error:?}"),
    }
}

/// Budgets with a single means each, none of which may contradict another.
fn single_means() -> [(&'static str, Budget); 4] {
    let nothing = Budget {
        points: 0,
        samples: 0,
        forms: false,
        solver_steps: 0,
        interrupt: None,
        ..Budget::default()
    };
    [
        ("points", Budget { points: 20_000, ..nothing.clone() }),
        ("forms", Budget { forms: true, ..nothing.clone() }),
        ("samples", Budget { samples: 500, ..nothing.clone() }),
        ("solver", Budget { solver_steps: 20_000, ..nothing }),
    ]
}

/// Returns the verdict as a machine-readable word.
fn word<W>(verdict: &Verdict<W>) -> &'static str {
    match verdict {
        Verdict::Proved => "proved",
        Verdict::Refuted(_) => "refuted",
        Verdict::Unknown(_) => "unknown",
    }
}

/// The name of the default budget, next to those of [`single_means`].
const ALL_MEANS: &str = "all means";

/// Checks that the default budget decides as `expected`, and that no single means contradicts it. Verdicts expected `by solver`
/// stay unknown in a build without a solver.
#[track_caller]
fn check_verdict<W: std::fmt::Debug>(means: &str, verdict: &Verdict<W>, expected: &str) {
    let (expected, by_solver) = match expected.strip_suffix(" by solver") {
        Some(expected) => (expected, true),
        None => (expected, false),
    };
    let missing = by_solver && !cfg!(feature = "z3");
    if means == ALL_MEANS && missing {
        assert_eq!(word(verdict), "unknown", "{verdict:?}");
    } else if means == ALL_MEANS || word(verdict) != "unknown" {
        assert_eq!(word(verdict), expected, "{means}: {verdict:?}");
    }
}

/// Checks that a counterexample agrees with the evaluator, and that its sides differ.
#[track_caller]
fn check_counterexample(left: &IndexingMap, right: &IndexingMap, found: &Counterexample) {
    let value = |map: &IndexingMap| -> Option<Vec<i64>> {
        let inside = map.domain().contains(&found.point).unwrap();
        inside.then(|| map.eval(&found.point).unwrap())
    };
    assert_eq!(found.left, value(left), "left at {:?}", found.point);
    assert_eq!(found.right, value(right), "right at {:?}", found.point);
    assert_ne!(found.left, found.right);
}
