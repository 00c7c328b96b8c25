//! Work without the interpreter's lock, which Ctrl-C interrupts.

use crate::errors::{about, wrong};
use affinor::expr::IndexingMap;
use affinor::num::Interrupt;
use affinor::text::ErrorKind;
use affinor_commands::{STACK_BYTES, contained};
use pyo3::prelude::*;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread::{Builder, scope};
use std::time::Duration;

/// The interval at which Python is asked for signals.
const ASK_EVERY: Duration = Duration::from_millis(50);

/// Maximum number of operations of a map that is handled in the calling thread: the work takes less time than starting a thread,
/// and little stack.
const SMALL: u64 = 64;
/// Maximum number of constraints of such a map.
const FEW: usize = 4;

/// Whether work on this map is so short that Ctrl-C may wait for it.
pub fn is_small(map: &IndexingMap) -> bool {
    map.cost().ops <= SMALL && map.domain().constraints().len() <= FEW
}

/// Runs `work`, on small maps, in the calling thread.
pub fn run_here<T: Send>(py: Python<'_>, work: impl FnOnce(&Interrupt) -> T + Send) -> PyResult<T> {
    py.detach(|| contained(|| work(&Interrupt::new()))).map_err(|error| about("", error))
}

/// Runs `work` in a thread of its own. The calling thread waits, because Python handles signals in its main thread only; if a
/// handler raises, as the one of Ctrl-C does, the work is interrupted and its result dropped.
pub fn run<T: Send>(py: Python<'_>, work: impl FnOnce(&Interrupt) -> T + Send) -> PyResult<T> {
    let interrupt = Interrupt::new();
    let flag = &interrupt;
    let work = move || contained(|| work(flag));
    py.detach(|| {
        scope(|scope| {
            let (done, ready) = channel();
            let worker = Builder::new().stack_size(STACK_BYTES);
            worker.spawn_scoped(scope, move || done.send(work()))?;
            loop {
                match ready.recv_timeout(ASK_EVERY) {
                    Ok(result) => return result.map_err(|error| about("", error)),
                    Err(RecvTimeoutError::Timeout) => {
                        if let Err(raised) = Python::attach(|py| py.check_signals()) {
                            interrupt.trigger();
                            return Err(raised);
                        }
                    }
                    Err(RecvTimeoutError::Disconnected) => {
                        let message = "the work ended without a result";
                        return Err(wrong(ErrorKind::Internal, message));
                    }
                }
            }
        })
    })
}
