//! Runs a list of tasks on several threads.
//!
//! Law: the answers are those of one thread, in the order of the tasks.

use std::sync::Mutex;
use std::thread;

/// Maps `answer` over the tasks on this many threads.
pub fn in_order<T: Send, R: Send>(
    threads: usize,
    tasks: Vec<T>,
    answer: &(impl Fn(T) -> R + Sync),
) -> Vec<R> {
    if threads < 2 || tasks.len() < 2 {
        return tasks.into_iter().map(answer).collect();
    }
    let workers = threads.min(tasks.len());
    let waiting = Mutex::new(tasks.into_iter().enumerate());
    // A lock that a panic left behind has nothing in it that could be half done.
    let next = || match waiting.lock() {
        Ok(mut tasks) => tasks.next(),
        Err(poisoned) => poisoned.into_inner().next(),
    };
    let work = || {
        let mut answers = Vec::new();
        while let Some((position, task)) = next() {
            answers.push((position, answer(task)));
        }
        answers
    };
    let mut answers: Vec<(usize, R)> = thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        let joined = workers.into_iter().map(|worker| match worker.join() {
            Ok(answers) => answers,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        joined.flatten().collect()
    });
    answers.sort_unstable_by_key(|(position, _)| *position);
    answers.into_iter().map(|(_, answer)| answer).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_come_in_the_order_of_the_tasks() {
        for threads in [0, 1, 2, 3, 8] {
            for count in [0u64, 1, 2, 100] {
                let tasks: Vec<u64> = (0..count).collect();
                // The first tasks take longest.
                let slow = |x: u64| (0..(count - x) * 100).fold(x, |sum, y| sum + y % 2) * 2;
                let expected: Vec<u64> = tasks.iter().copied().map(slow).collect();
                assert_eq!(
                    in_order(threads, tasks, &slow),
                    expected,
                    "{threads} threads"
                );
            }
        }
    }
}
