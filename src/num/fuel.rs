//! How much work an answer may take, and how somebody ends it early.
//!
//! Every loop and recursion whose length depends on the input spends [`Fuel`], one step for about as
//! much as it takes to look at one term. Steps are counted, never timed, so answers repeat. Where fuel
//! is spent, the [`Interrupt`] is looked at as well. What runs out says so ([`Stopped`]) and gives the
//! best answer that it has: a coarser interval, a form that is not smaller, *unknown*.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// A flag by which another thread, or a signal handler, ends long work, and by which it sees how far that is.
#[derive(Clone, Default, Debug)]
pub struct Interrupt(Arc<Flag>);

#[derive(Default, Debug)]
struct Flag {
    is_triggered: AtomicBool,
    /// Rounds that are done, and above them, in the upper half, all that there may be; 0 if there are none.
    rounds: AtomicU64,
}

impl Interrupt {
    /// A flag that nobody has raised.
    #[must_use]
    pub fn new() -> Interrupt {
        Interrupt::default()
    }

    /// Asks the work to end. Only sets an atomic flag, so a signal handler may call it.
    pub fn trigger(&self) {
        self.0.is_triggered.store(true, Ordering::Relaxed);
    }

    /// Makes the flag fit for the next piece of work.
    pub fn reset(&self) {
        self.0.is_triggered.store(false, Ordering::Relaxed);
        self.0.rounds.store(0, Ordering::Relaxed);
    }

    /// How many rounds of how many the longest loop of the work has done, if it goes in rounds. Only to be shown.
    #[must_use]
    pub fn rounds(&self) -> Option<(u32, u32)> {
        let rounds = self.0.rounds.load(Ordering::Relaxed);
        (rounds != 0).then_some((rounds as u32, (rounds >> 32) as u32))
    }

    /// Was the work asked to end?
    #[must_use]
    pub fn is_triggered(&self) -> bool {
        self.0.is_triggered.load(Ordering::Relaxed)
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

    /// Says how many rounds of how many are done; of none, where the loop is over.
    pub fn note_rounds(&self, done: usize, all: usize) {
        let half = |count: usize| u64::from(u32::try_from(count).unwrap_or(u32::MAX));
        let rounds = half(all) << 32 | half(done);
        self.0.interrupt.0.rounds.store(rounds, Ordering::Relaxed);
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
