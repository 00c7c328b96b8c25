//! The progress display: a line on the terminal, erased before anything else is written.
//!
//! It is shown only if standard error is a terminal; it never reaches a file or a pipe.

use affinor::num::Interrupt;
use std::io::{IsTerminal, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The minimum duration of a command with a progress display.
const PATIENCE: Duration = Duration::from_millis(800);

/// The interval between updates.
const TICK: Duration = Duration::from_millis(500);

/// The escape sequence that returns to the start of the line and erases it.
const ERASE: &[u8] = b"\r\x1b[K";

/// The timer of a running command.
#[derive(Clone, Default)]
pub struct Ticker {
    shared: Arc<(Mutex<State>, Condvar)>,
}

/// Suppresses the display while alive.
pub struct Quiet<'t> {
    state: MutexGuard<'t, State>,
}

#[derive(Default)]
struct State {
    since: Option<Instant>,
    /// The number of answers so far, and the total number.
    share: Option<(usize, usize)>,
    is_shown: bool,
}

impl Ticker {
    /// Starts a ticker for commands that `interrupt` stops, if standard error is a terminal.
    pub fn start(interrupt: &Interrupt) -> Ticker {
        let ticker = Ticker::default();
        if std::io::stderr().is_terminal() {
            let (other, interrupt) = (ticker.clone(), interrupt.clone());
            // Without the thread there is no display, which is not an error.
            let _ = std::thread::Builder::new()
                .name("ticker".to_owned())
                .spawn(move || other.tick(&interrupt));
        }
        ticker
    }

    /// Starts the timer of a command.
    pub fn begin(&self) {
        {
            let mut state = self.state();
            state.since = Some(Instant::now());
            state.share = None;
        }
        self.shared.1.notify_one();
    }

    /// Updates the number of answers.
    pub fn progress(&self, done: usize, all: usize) {
        self.state().share = Some((done, all));
    }

    /// Ends the timer of the command.
    pub fn end(&self) {
        self.quiet().state.since = None;
    }

    /// Erases the line, and suppresses the display until the result is dropped.
    pub fn quiet(&self) -> Quiet<'_> {
        let mut state = self.state();
        if std::mem::take(&mut state.is_shown) {
            let _ = std::io::stderr().lock().write_all(ERASE);
        }
        Quiet { state }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        let state = self.shared.0.lock();
        state.unwrap_or_else(PoisonError::into_inner)
    }

    fn tick(&self, interrupt: &Interrupt) {
        let mut state = self.state();
        loop {
            let condition = &self.shared.1;
            state = match state.since {
                None => condition.wait(state).unwrap_or_else(PoisonError::into_inner),
                Some(since) => {
                    let elapsed = since.elapsed();
                    if elapsed >= PATIENCE {
                        state.is_shown = true;
                        let share = match (state.share, interrupt.rounds()) {
                            (Some((done, all)), _) => {
                                let percent = 100 * done as u64 / all.max(1) as u64;
                                format!(", {percent} % ({done} of {all})")
                            }
                            (None, Some((done, all))) => {
                                format!(", round {} of at most {all}", done.saturating_add(1))
                            }
                            (None, None) => String::new(),
                        };
                        let seconds = elapsed.as_secs().max(1);
                        let line = format!("working, {seconds} s{share}; Ctrl-C stops");
                        let mut terminal = std::io::stderr().lock();
                        let _ = terminal
                            .write_all(ERASE)
                            .and_then(|()| terminal.write_all(line.as_bytes()))
                            .and_then(|()| terminal.flush());
                    }
                    let wait = TICK.min(PATIENCE);
                    let waited = condition.wait_timeout(state, wait);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }
}
