//! The prompt without its terminal: completion, hints, colours, how pasted text splits into commands, numbers of answers, and the
//! place of errors.
//!
//! The terminal and the page in a browser stand on this, so that both read and show a line alike. Nothing here waits: no key
//! that is pressed reads a file, simplifies or proves.

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
