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

/// Reads a map; the text must be right.
#[track_caller]
fn map(text: &str) -> IndexingMap {
    match parse_map(text) {
        Ok(map) => map,
        Err(error) => panic!("{text}: {error:?}"),
    }
}

/// Each means alone, none of which may contradict another.
fn single_means() -> [(&'static str, Budget); 4] {
    let nothing = Budget {
        points: 0,
        samples: 0,
        forms: false,
        solver_steps: 0,
        interrupt: None,
        fuel: None,
    };
    [
        ("points", Budget { points: 20_000, ..nothing.clone() }),
        ("forms", Budget { forms: true, ..nothing.clone() }),
        ("samples", Budget { samples: 500, ..nothing.clone() }),
        ("solver", Budget { solver_steps: 20_000, ..nothing }),
    ]
}

/// The word that programs read.
fn word<W>(verdict: &Verdict<W>) -> &'static str {
    match verdict {
        Verdict::Proved => "proved",
        Verdict::Refuted(_) => "refuted",
        Verdict::Unknown(_) => "unknown",
    }
}

/// The name of the default budget, beside those of [`single_means`].
const ALL_MEANS: &str = "all means";

/// The default budget finds out what is `expected`, and no single means contradicts it. What is
/// expected `by solver` stays unknown in a build without one.
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

/// A counterexample must say what the evaluator says, and the sides must differ.
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
