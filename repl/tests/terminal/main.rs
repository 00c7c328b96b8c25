//! The prompt on a terminal.
#![cfg(unix)]

#[path = "../support/mod.rs"]
mod support;

mod conversation;
mod interrupts;
mod pages;
mod pastes;
mod picture;
mod resize;
mod widths;
