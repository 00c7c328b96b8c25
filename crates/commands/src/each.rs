//! Commands with a sequence of answers: the instructions of a module, the rules of a file.

use super::contain::contained;
use super::failure::Failure;
use super::table::Call;
use affinor::num::parallel::{Order, in_parallel};
use affinor::text::Error;

/// The number of items that a thread answers before it fetches more.
const ITEMS: usize = 16;

impl Call<'_> {
    /// Runs `work` for each item in order, with progress; checks for interruption between items, and contains a panic to its
    /// item.
    ///
    /// State that `work` keeps between items, such as a cache of finished results, must be consistent whenever it returns or
    /// panics.
    ///
    /// # Errors
    /// An interruption, and the errors of `work`.
    pub fn each<T>(
        &mut self,
        items: Vec<T>,
        mut work: impl FnMut(&mut Self, T) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let all = items.len();
        for (done, item) in items.into_iter().enumerate() {
            self.go_on()?;
            self.host.progress(done, all);
            match contained(|| work(self, item)) {
                Ok(result) => result?,
                Err(defect) => {
                    let failure = self.failed(defect);
                    self.report(&failure);
                }
            }
        }
        Ok(())
    }

    /// Runs `answer` for each item on several threads, each with its own `state`, and passes the answers to `take` in order.
    /// Like [`Call::each`], it shows progress, checks for interruption, and contains a panic to its item; such an item is
    /// reported, and not passed to `take`.
    ///
    /// # Errors
    /// An interruption.
    pub fn each_in_order<T: Sync, S, R: Send>(
        &mut self,
        threads: usize,
        items: &[T],
        state: &(impl Fn() -> S + Sync),
        answer: &(impl Fn(&mut S, &T) -> R + Sync),
        mut take: impl FnMut(&mut Self, R),
    ) -> Result<(), Failure> {
        let together = match threads {
            0 | 1 => 1,
            _ => ITEMS,
        };
        let interrupt = self.host.interrupt();
        let answers = |state: &mut S, items: &[T]| -> Vec<Result<R, Error>> {
            let items = items.iter().take_while(|_| !interrupt.is_triggered());
            items.map(|item| contained(|| answer(state, item))).collect()
        };
        let mut done = 0;
        let tasks = items.chunks(together).collect();
        in_parallel((threads, Order::OfTasks), tasks, state, &answers, &mut |answers| {
            for answer in answers {
                self.go_on()?;
                self.host.progress(done, items.len());
                done += 1;
                match answer {
                    Ok(answer) => take(self, answer),
                    Err(defect) => {
                        let failure = self.failed(defect);
                        self.report(&failure);
                    }
                }
            }
            self.go_on()
        })
    }

    /// Runs `answer` for each item on several threads, and passes each answer to `take` once it is ready, in any order.
    /// `answer` must contain its own panics.
    ///
    /// # Errors
    /// An interruption, and the errors of `take`.
    pub fn each_when_done<T: Send, R: Send>(
        &mut self,
        threads: usize,
        items: Vec<T>,
        answer: &(impl Fn(&T) -> R + Sync),
        mut take: impl FnMut(&mut Self, R) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let (mut done, all) = (0, items.len());
        let answer = |(): &mut (), item: T| answer(&item);
        let order = Order::WhenDone;
        in_parallel((threads, order), items, &|| (), &answer, &mut |answer| {
            take(self, answer)?;
            done += 1;
            self.host.progress(done, all);
            self.go_on()
        })
    }
}
