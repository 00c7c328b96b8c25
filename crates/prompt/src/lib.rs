//! The prompt without its terminal: completion, hints, colours, the split of pasted text into commands, numbers of answers,
//! and positions of errors.
//!
//! The terminal and the page in a browser are both built on this crate, so that they parse and show a line alike. Nothing
//! here waits: pressing a key never reads a file, simplifies or proves.

mod complete;
mod given;
mod highlight;
mod input;
mod names;
mod numbered;

pub use complete::{Completion, Hint, OPERATIONS, Vocabulary, complete, hint};
pub use given::Given;
pub use highlight::{Ink, LONGEST, Painted, paint};
pub use input::Conversation;
pub use names::{Wanted, names, wanted};
pub use numbered::numbered;
