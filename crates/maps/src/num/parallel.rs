//! Runs a list of tasks on several threads.
//!
//! Law: the answers are the same as with one thread. They are taken either in the order of the tasks, each as soon as it and all
//! earlier ones are available, or in any order, each as soon as it is available.

use std::any::Any;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// Stack of a thread that runs commands. Only touched pages cost memory; the deepest expression that the library accepts
/// needs a small part of it.
pub const STACK_BYTES: usize = 256 << 20;

/// Number of answers per thread that may wait for an earlier one.
const AHEAD: usize = 64;

/// When an answer is taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// After the answers of all earlier tasks.
    OfTasks,
    /// As soon as it is available.
    WhenDone,
}

/// Maps `answer` over the tasks on this many threads, each with its own `state`, and passes the answers to `take` on the calling
/// thread. After an error of `take` no further task is started.
///
/// # Errors
/// The first error of `take`.
pub fn in_parallel<T: Send, S, R: Send, E>(
    (threads, order): (usize, Order),
    tasks: Vec<T>,
    state: &(impl Fn() -> S + Sync),
    answer: &(impl Fn(&mut S, T) -> R + Sync),
    take: &mut impl FnMut(R) -> Result<(), E>,
) -> Result<(), E> {
    let workers = threads.min(tasks.len());
    let one_by_one = |tasks: Vec<T>, take: &mut dyn FnMut(R) -> Result<(), E>| {
        let mut own = state();
        tasks.into_iter().try_for_each(|task| take(answer(&mut own, task)))
    };
    if workers < 2 {
        return one_by_one(tasks, take);
    }
    let count = tasks.len();
    let desk = Desk {
        waiting: Mutex::new(Waiting {
            tasks: tasks.into_iter(),
            begun: 0,
            taken: 0,
            answers: BTreeMap::new(),
        }),
        changed: Condvar::new(),
        order,
        ahead: workers.saturating_mul(AHEAD),
    };
    let work = || {
        let mut own = state();
        while let Some((number, task)) = desk.task() {
            let answer = catch_unwind(AssertUnwindSafe(|| answer(&mut own, task)));
            let is_panic = answer.is_err();
            desk.hand_in(number, answer);
            if is_panic {
                break; // the state may be inconsistent
            }
        }
    };
    thread::scope(|scope| {
        let spawn = || {
            let thread = thread::Builder::new().stack_size(STACK_BYTES);
            thread.spawn_scoped(scope, work)
        };
        let spawned: Vec<_> = (0..workers).filter_map(|_| spawn().ok()).collect();
        if spawned.is_empty() {
            return one_by_one(desk.rest(), take);
        }
        let outcome = (0..count).try_for_each(|_| match desk.next() {
            Ok(answer) => take(answer),
            Err(panic) => {
                desk.rest();
                resume_unwind(panic)
            }
        });
        if outcome.is_err() {
            desk.rest();
        }
        // A thread that ends while it is detached may crash in older versions of glibc (bug 19951), so all threads are joined.
        for thread in spawned {
            let _ = thread.join();
        }
        outcome
    })
}

/// Returns the answers to all tasks, in order.
pub fn all_in_parallel<T: Send, R: Send>(
    threads: usize,
    tasks: Vec<T>,
    answer: &(impl Fn(T) -> R + Sync),
) -> Vec<R> {
    let mut answers = Vec::with_capacity(tasks.len());
    let mut take = |answer| {
        answers.push(answer);
        Ok::<(), std::convert::Infallible>(())
    };
    let answer = |(): &mut (), task| answer(task);
    let Ok(()) = in_parallel((threads, Order::OfTasks), tasks, &|| (), &answer, &mut take);
    answers
}

/// An answer, or the panic of its task.
type Answered<R> = Result<R, Box<dyn Any + Send>>;

/// The queue from which threads fetch tasks and to which they return answers.
struct Desk<T, R> {
    waiting: Mutex<Waiting<T, R>>,
    changed: Condvar,
    order: Order,
    /// Number of tasks that may be started before an earlier answer is taken.
    ahead: usize,
}

struct Waiting<T, R> {
    tasks: std::vec::IntoIter<T>,
    begun: usize,
    taken: usize,
    answers: BTreeMap<usize, Answered<R>>,
}

impl<T, R> Desk<T, R> {
    /// Fetches the next task, with its number.
    fn task(&self) -> Option<(usize, T)> {
        let is_early = |waiting: &mut Waiting<T, R>| {
            waiting.begun - waiting.taken >= self.ahead && !waiting.tasks.as_slice().is_empty()
        };
        let waiting = self.changed.wait_while(self.lock(), is_early);
        let mut waiting = waiting.unwrap_or_else(PoisonError::into_inner);
        let task = waiting.tasks.next()?;
        waiting.begun += 1;
        Some((waiting.begun - 1, task))
    }

    fn hand_in(&self, number: usize, answer: Answered<R>) {
        let mut waiting = self.lock();
        waiting.answers.insert(number, answer);
        let is_next = number == waiting.taken || self.order == Order::WhenDone;
        drop(waiting);
        if is_next {
            self.changed.notify_all();
        }
    }

    /// Waits for the next answer.
    fn next(&self) -> Answered<R> {
        let mut waiting = self.lock();
        loop {
            let number = waiting.taken;
            let next = match self.order {
                Order::OfTasks => waiting.answers.remove(&number),
                Order::WhenDone => waiting.answers.pop_first().map(|(_, answer)| answer),
            };
            if let Some(answer) = next {
                waiting.taken += 1;
                drop(waiting);
                self.changed.notify_all();
                return answer;
            }
            waiting = self.changed.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Removes and returns the tasks that were not started.
    fn rest(&self) -> Vec<T> {
        let rest = std::mem::take(&mut self.lock().tasks);
        self.changed.notify_all();
        rest.collect()
    }

    /// Locks the state, even if it is poisoned: a panic cannot leave it half updated.
    fn lock(&self) -> MutexGuard<'_, Waiting<T, R>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Answers the tasks `0..count`, the first of which take longest, until `stop`.
    fn answers(order: Order, threads: usize, count: u64, stop: u64) -> Result<Vec<u64>, Vec<u64>> {
        let slow = |calls: &mut u64, x: u64| {
            *calls += 1;
            (0..(count - x) * 100).fold(x, |sum, y| sum + y % 2) * 2
        };
        let mut taken = Vec::new();
        let mut take = |answer| {
            taken.push(answer);
            match taken.len() as u64 == stop {
                true => Err(()),
                false => Ok(()),
            }
        };
        let tasks = (0..count).collect();
        match in_parallel((threads, order), tasks, &|| 0, &slow, &mut take) {
            Ok(()) => Ok(taken),
            Err(()) => Err(taken),
        }
    }

    #[test]
    fn answers_come_in_the_order_of_the_tasks() {
        for threads in [0, 1, 2, 3, 8] {
            for count in [0, 1, 2, 100, 1_000] {
                let expected: Vec<u64> = (0..count).map(|x| (x + (count - x) * 50) * 2).collect();
                let found = answers(Order::OfTasks, threads, count, u64::MAX);
                assert_eq!(found, Ok(expected.clone()), "{threads} threads");
                let any = answers(Order::WhenDone, threads, count, u64::MAX);
                let sorted = |mut list: Vec<u64>| {
                    list.sort_unstable();
                    list
                };
                assert_eq!(any.map(sorted), Ok(sorted(expected.clone())));
                let stop = count / 2;
                if stop > 0 {
                    let found = answers(Order::OfTasks, threads, count, stop);
                    assert_eq!(found, Err(expected[..stop as usize].to_vec()));
                }
            }
        }
    }

    #[test]
    fn a_panic_comes_in_the_place_of_its_answer() {
        for threads in [2, 3] {
            let mut taken = Vec::new();
            let panic = catch_unwind(AssertUnwindSafe(|| {
                let answer = |(): &mut (), x: u32| {
                    assert!(x != 500, "no {x}");
                    x
                };
                let mut take = |x| -> Result<(), ()> {
                    taken.push(x);
                    Ok(())
                };
                in_parallel(
                    (threads, Order::OfTasks),
                    (0..1_000).collect(),
                    &|| (),
                    &answer,
                    &mut take,
                )
            }));
            let panic = panic.expect_err("it panics");
            assert_eq!(panic.downcast_ref::<String>().map(String::as_str), Some("no 500"));
            assert_eq!(taken, (0..500).collect::<Vec<u32>>());
        }
    }
}
