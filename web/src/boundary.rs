//! The memory that a page shares with the engine: the only code of the project that is not checked to be safe.
//!
//! The page asks for a buffer, fills it, and hands it back with a message in it; the page reads each event during the call of
//! `show`, and the reply before its next call.
#![cfg(target_arch = "wasm32")]
#![allow(unsafe_code, reason = "a page knows the engine's memory by addresses")]

use crate::engine::Engine;
use crate::host::Page;
use serde_json::Value;
use std::cell::RefCell;
use std::time::Duration;

#[link(wasm_import_module = "page")]
unsafe extern "C" {
    /// An event, as JSON.
    fn show(start: *const u8, length: usize);
    /// The message of a panic, which ends the engine.
    fn panicked(start: *const u8, length: usize);
    /// Milliseconds since some moment.
    fn now() -> f64;
}

/// A line as people enter it.
const WARMING: &[u8] = br#"{"do": "enter", "text": "simplify (i, j) -> ((i * 8 + j) floordiv 8, j mod 8), domain: i in [0, 3], j in [0, 7]"}"#;

struct Browser {
    /// Shows nothing.
    is_silent: bool,
}

impl Page for Browser {
    fn show(&mut self, event: Value) {
        if self.is_silent {
            return;
        }
        let text = event.to_string();
        // SAFETY: the page reads the text during the call, and only there.
        unsafe { show(text.as_ptr(), text.len()) };
    }

    fn clock(&self) -> fn() -> Duration {
        || {
            // SAFETY: it takes and returns numbers.
            let milliseconds = unsafe { now() };
            Duration::try_from_secs_f64(milliseconds / 1000.0).unwrap_or_default()
        }
    }
}

thread_local! {
    static ENGINE: RefCell<Option<Engine<Browser>>> = const { RefCell::new(None) };
    static MESSAGE: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static REPLY: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Returns the address of a buffer for a message of this length.
#[unsafe(no_mangle)]
pub extern "C" fn buffer(length: usize) -> *mut u8 {
    MESSAGE.with_borrow_mut(|message| {
        message.clear();
        message.resize(length, 0);
        message.as_mut_ptr()
    })
}

/// Answers the message in the buffer; returns the length of the reply.
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> usize {
    let message = MESSAGE.take();
    let reply = ENGINE.with_borrow_mut(|engine| {
        let engine = engine.get_or_insert_with(|| engine_of(Browser { is_silent: false }));
        engine.answer(&message).to_string().into_bytes()
    });
    REPLY.with_borrow_mut(|kept| {
        *kept = reply;
        kept.len()
    })
}

fn engine_of(browser: Browser) -> Engine<Browser> {
    std::panic::set_hook(Box::new(|panic| {
        let text = panic.to_string();
        // SAFETY: the page reads the text during the call, and only there.
        unsafe { panicked(text.as_ptr(), text.len()) };
    }));
    Engine::new(browser)
}

/// Answers a line of a session of its own, which nobody sees: it reads the rules, and has the browser compile what the first
/// answer needs, before somebody waits for one.
#[unsafe(no_mangle)]
pub extern "C" fn warm() {
    engine_of(Browser { is_silent: true }).answer(WARMING);
}

/// Returns the address of the last reply.
#[unsafe(no_mangle)]
pub extern "C" fn reply() -> *const u8 {
    REPLY.with_borrow(Vec::as_ptr)
}
