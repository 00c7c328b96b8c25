//! The engine for a page in a browser: a session, with completion, hints and colours of the line that is typed.
//!
//! [`Engine::answer`] takes a message of the page, a line of JSON with bytes below it for a file, and replies with JSON;
//! answers of commands come before the reply, through [`Page::show`]. Only `boundary.rs` accesses the page's memory.

mod boundary;
mod engine;
mod host;
mod shown;

pub use engine::Engine;
pub use host::Page;
