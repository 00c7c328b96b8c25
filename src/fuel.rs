//! How much work an answer may take, and how somebody ends it early.
//!
//! Every loop and recursion whose length depends on the input spends [`Fuel`], one step for about as
//! much as it takes to look at one term. Steps are counted, never timed, so answers repeat. Where fuel
//! is spent, the [`Interrupt`] is looked at as well. What runs out says so ([`Stopped`]) and gives the
//! best answer that it has: a coarser interval, a form that is not smaller, *unknown*.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// A flag by which another thread, or a signal handler, ends long work.
#[derive(Clone, Default, Debug)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// A flag that nobody has raised.
    #[must_use]
    pub fn new() -> Interrupt {
        Interrupt::default()
    }

    /// Asks the work to end. Only sets an atomic flag, so a signal handler may call it.
    pub fn trigger(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Makes the flag fit for the next piece of work.
    pub fn reset(&self) {
        self.0.store(false, Ordering::Relaxed);
    }

    /// Was the work asked to end?
    #[must_use]
    pub fn is_triggered(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Why work ended before its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Stopped {
    /// All steps were spent.
    #[error("the budget of steps")]
    Steps,
    /// Ended by an [`Interrupt`].
    #[error("interrupted")]
    Interrupted,
}

/// The steps that one answer may still take. Clones draw from the same store.
///
/// Law: once a call of [`Fuel::spend`] has failed, all later ones fail, for the same reason.
#[derive(Clone, Debug)]
pub struct Fuel(Arc<Tank>);

#[derive(Debug)]
struct Tank {
    /// One thread spends at a time: a load and a store, no atomic subtraction.
    left: AtomicU64,
    was_interrupted: AtomicBool,
    interrupt: Interrupt,
}

impl Fuel {
    /// Fuel for `steps` steps, which `interrupt` ends early.
    #[must_use]
    pub fn new(steps: u64, interrupt: &Interrupt) -> Fuel {
        Fuel(Arc::new(Tank {
            left: AtomicU64::new(steps),
            was_interrupted: AtomicBool::new(false),
            interrupt: interrupt.clone(),
        }))
    }

    /// Takes `steps` steps off.
    ///
    /// # Errors
    /// [`Stopped`] if fewer are left, which then are lost, or if the work was interrupted.
    #[inline]
    pub fn spend(&self, steps: u64) -> Result<(), Stopped> {
        let left = self.0.left.load(Ordering::Relaxed);
        if left >= steps && left > 0 && !self.0.interrupt.is_triggered() {
            self.0.left.store(left - steps, Ordering::Relaxed);
            return Ok(());
        }
        Err(self.stop())
    }

    /// Are steps left?
    ///
    /// # Errors
    /// [`Stopped`] if not, or if the work was interrupted.
    pub fn check(&self) -> Result<(), Stopped> {
        self.spend(0)
    }

    /// The steps that are left.
    #[must_use]
    pub fn left(&self) -> u64 {
        self.0.left.load(Ordering::Relaxed)
    }

    #[cold]
    fn stop(&self) -> Stopped {
        // Steps that are left when the flag is up are what tells an interrupt from an empty store.
        let is_first = self.0.left.swap(0, Ordering::Relaxed) > 0;
        if is_first && self.0.interrupt.is_triggered() {
            self.0.was_interrupted.store(true, Ordering::Relaxed);
        }
        match self.0.was_interrupted.load(Ordering::Relaxed) {
            true => Stopped::Interrupted,
            false => Stopped::Steps,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_when_spent_and_stays_so() {
        let fuel = Fuel::new(3, &Interrupt::new());
        assert_eq!(fuel.spend(2), Ok(()));
        assert_eq!(fuel.clone().spend(1), Ok(()));
        assert_eq!(fuel.check(), Err(Stopped::Steps));
        let fuel = Fuel::new(3, &Interrupt::new());
        assert_eq!(fuel.spend(4), Err(Stopped::Steps));
        assert_eq!(fuel.spend(1), Err(Stopped::Steps));
    }

    #[test]
    fn an_interrupt_ends_it_and_is_told_apart() {
        let interrupt = Interrupt::new();
        let fuel = Fuel::new(3, &interrupt);
        assert_eq!(fuel.spend(1), Ok(()));
        interrupt.trigger();
        assert_eq!(fuel.spend(1), Err(Stopped::Interrupted));
        interrupt.reset();
        assert_eq!(fuel.spend(1), Err(Stopped::Interrupted));
    }
}
