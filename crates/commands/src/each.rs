//! Commands with a sequence of answers: the instructions of a module, the rules of a file.

use super::contain::contained;
use super::failure::Failure;
use super::table::Call;
use affinor::num::parallel::{Order, in_parallel};
use affinor::text::Error;

/// Items that a thread answers before it fetches others.
const ITEMS: usize = 16;

impl Call<'_> {
    /// Runs `work` for each item in order: checks for interruption in between, reports progress, and contains panics to
    /// one item.
    ///
    /// State that `work` keeps between items must be consistent whenever it returns or panics, as a cache of finished
    /// results is.
    ///
    /// # Errors
    /// Interruption, and the errors of `work`.
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

    /// Runs `answer` for each item on several threads, each with its own `state`, and passes the answers to `take` in
    /// order: like [`Call::each`], interrupted in between, with progress, and with panics contained to one item. Such an
    /// item is reported, and not taken.
    ///
    /// # Errors
    /// Interruption.
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

    /// Runs `answer` for each item on several threads, and passes the answers to `take` in any order, as soon as they are
    /// there. `answer` contains panics itself.
    ///
    /// # Errors
    /// Interruption, and the errors of `take`.
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
