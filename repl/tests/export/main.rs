//! Exported rules, used by someone who has the exported directory and not this program.

#[path = "../support/mod.rs"]
mod support;

mod egg;
mod egglog;
mod formats;
mod page;
mod text;
