//! Fuel, the step budget of an answer, and the interrupt flag.
//!
//! Every loop and recursion whose length depends on the input spends [`Fuel`], about one step per term visited. Steps
//! are counted, never timed, so answers are reproducible. Spending fuel also polls the [`Interrupt`]. An answer that
//! runs out reports it ([`Stopped`]) and is the best one so far: a coarser interval, a form that is not smaller,
//! *unknown*.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// A flag that another thread, or a signal handler, sets to end long work; also reports progress.
#[derive(Clone, Default, Debug)]
pub struct Interrupt(Arc<Flag>);

#[derive(Default, Debug)]
struct Flag {
    is_triggered: AtomicBool,
    /// Rounds done in the lower half, the total in the upper half; 0 if there are none.
    rounds: AtomicU64,
}

impl Interrupt {
    /// Creates a flag that is not set.
    #[must_use]
    pub fn new() -> Interrupt {
        Interrupt::default()
    }

    /// Requests the end of the work. Only sets an atomic flag, so it is safe in a signal handler.
    pub fn trigger(&self) {
        self.0.is_triggered.store(true, Ordering::Relaxed);
    }

    /// Resets the flag for the next piece of work.
    pub fn reset(&self) {
        self.0.is_triggered.store(false, Ordering::Relaxed);
        self.0.rounds.store(0, Ordering::Relaxed);
    }

    /// Returns `(done, total)` rounds of the longest loop of the work, if it has rounds. For display only.
    #[must_use]
    pub fn rounds(&self) -> Option<(u32, u32)> {
        let rounds = self.0.rounds.load(Ordering::Relaxed);
        (rounds != 0).then_some((rounds as u32, (rounds >> 32) as u32))
    }

    /// Returns whether the end of the work was requested.
    #[must_use]
    pub fn is_triggered(&self) -> bool {
        self.0.is_triggered.load(Ordering::Relaxed)
    }
}

/// The reason why work was stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Stopped {
    /// All steps were spent.
    #[error("the budget of steps")]
    Steps,
    /// Ended by an [`Interrupt`].
    #[error("interrupted")]
    Interrupted,
}

/// The remaining steps of one answer. Clones share the same fuel.
///
/// Law: once a call of [`Fuel::spend`] has failed, all later ones fail, for the same reason.
#[derive(Clone, Debug)]
pub struct Fuel(Arc<Tank>);

#[derive(Debug)]
struct Tank {
    /// Only one thread spends at a time: a load and a store, no atomic subtraction.
    left: AtomicU64,
    was_interrupted: AtomicBool,
    interrupt: Interrupt,
}

impl Fuel {
    /// Creates fuel for `steps` steps, which `interrupt` ends early.
    #[must_use]
    pub fn new(steps: u64, interrupt: &Interrupt) -> Fuel {
        Fuel(Arc::new(Tank {
            left: AtomicU64::new(steps),
            was_interrupted: AtomicBool::new(false),
            interrupt: interrupt.clone(),
        }))
    }

    /// Spends `steps` steps.
    ///
    /// # Errors
    /// [`Stopped`] if fewer are left, which are then lost, or if the work was interrupted.
    #[inline]
    pub fn spend(&self, steps: u64) -> Result<(), Stopped> {
        let left = self.0.left.load(Ordering::Relaxed);
        if left >= steps && left > 0 && !self.0.interrupt.is_triggered() {
            self.0.left.store(left - steps, Ordering::Relaxed);
            return Ok(());
        }
        Err(self.stop())
    }

    /// Returns separate fuel for one of several concurrent tasks: at most `steps`, with the same interrupt. Steps that the task
    /// spends are not deducted here.
    #[must_use]
    pub fn share(&self, steps: u64) -> Fuel {
        Fuel::new(steps.min(self.left()), &self.0.interrupt)
    }

    /// Checks that steps are left.
    ///
    /// # Errors
    /// [`Stopped`] if none are left or the work was interrupted.
    pub fn check(&self) -> Result<(), Stopped> {
        self.spend(0)
    }

    /// Reports progress in rounds; `0, 0` at the end of the loop.
    pub fn note_rounds(&self, done: usize, all: usize) {
        let half = |count: usize| u64::from(u32::try_from(count).unwrap_or(u32::MAX));
        let rounds = half(all) << 32 | half(done);
        self.0.interrupt.0.rounds.store(rounds, Ordering::Relaxed);
    }

    /// Returns the number of steps left.
    #[must_use]
    pub fn left(&self) -> u64 {
        self.0.left.load(Ordering::Relaxed)
    }

    #[cold]
    fn stop(&self) -> Stopped {
        // Steps left when the flag is set distinguish an interrupt from spent fuel.
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

    #[test]
    fn whoever_waits_sees_the_rounds() {
        let interrupt = Interrupt::new();
        let fuel = Fuel::new(3, &interrupt);
        assert_eq!(interrupt.rounds(), None);
        fuel.note_rounds(2, 10);
        assert_eq!(interrupt.rounds(), Some((2, 10)));
        interrupt.reset();
        assert_eq!(interrupt.rounds(), None);
    }
}
