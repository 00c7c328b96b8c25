//! The prompt without its terminal: completion, hints, colours, and how pasted text splits into commands.
//!
//! The terminal and the page in a browser stand on this, so that both read and show a line alike. Nothing here waits: no key
//! that is pressed reads a file, simplifies or proves.

mod complete;
mod highlight;
mod input;
mod numbered;

pub use complete::{Completion, Hint, OPERATIONS, Vocabulary, complete, hint};
pub use highlight::{Ink, LONGEST, Painted, paint};
pub use input::Conversation;
pub use numbered::numbered;
