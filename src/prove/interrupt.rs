//! A flag by which another thread ends long work.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A handle shared between the thread that works and the thread that may end the work.
///
/// Loops look at it as they go; while a solver runs, a watching thread passes it on. Work that
/// was ended this way answers `unknown`, because it was interrupted: never `proved`.
#[derive(Clone, Default, Debug)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// A handle that nobody has triggered.
    #[must_use]
    pub fn new() -> Interrupt {
        Interrupt::default()
    }

    /// Asks the work to end. Only sets an atomic flag, so a signal handler may call it.
    pub fn trigger(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Makes the handle fit for the next piece of work.
    pub fn reset(&self) {
        self.0.store(false, Ordering::Relaxed);
    }

    /// Was the work asked to end?
    #[must_use]
    pub fn is_triggered(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
