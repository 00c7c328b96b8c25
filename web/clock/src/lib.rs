//! A stopped clock, in place of the crate `quanta`, whose clock needs imports of wasm-bindgen.
//!
//! egg times its rounds with `quanta`; affinor keeps it from reading a clock on every target, so that no answer depends on
//! time. So nothing is lost.

use std::ops::Sub;
use std::time::Duration;

/// A moment. All are the same.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Instant;

impl Instant {
    /// Returns the only moment.
    #[must_use]
    pub fn now() -> Instant {
        Instant
    }

    /// No time has passed.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        Duration::ZERO
    }

    /// No time lies between two moments.
    #[must_use]
    pub fn duration_since(&self, _: Instant) -> Duration {
        Duration::ZERO
    }
}

impl Sub for Instant {
    type Output = Duration;

    fn sub(self, _: Instant) -> Duration {
        Duration::ZERO
    }
}

/// A clock that stands still.
#[derive(Clone, Debug, Default)]
pub struct Clock;

/// The hand of a clock that stands still.
#[derive(Clone, Debug, Default)]
pub struct Mock;

impl Clock {
    /// Returns a clock and its hand.
    #[must_use]
    pub fn mock() -> (Clock, Mock) {
        (Clock, Mock)
    }
}

/// Runs `within`, as it would with any clock.
pub fn with_clock<T>(_: &Clock, within: impl FnOnce() -> T) -> T {
    within()
}
