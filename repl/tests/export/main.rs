//! Exported rules, as somebody finds them who has the directory and not this program.

#[path = "../support/mod.rs"]
mod support;

mod egg;
mod egglog;
mod formats;
mod page;
mod text;
