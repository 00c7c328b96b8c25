//! The program around a session: where answers go, files, the clock, the request to stop.

use super::failure::Failure;
use super::output::Output;
use crate::num::Interrupt;
use std::io::{self, BufRead};
use std::time::Duration;

/// What a session needs from the program around it.
pub trait Host {
    /// Takes an answer, as soon as there is one.
    fn emit(&mut self, output: Output);

    /// Takes a failure that does not end the command: one bad line of many.
    fn report(&mut self, failure: &Failure);

    /// Opens a file for reading; `-` is standard input.
    ///
    /// # Errors
    /// As the file system has them.
    fn open(&mut self, path: &str) -> io::Result<Box<dyn BufRead>>;

    /// Writes a file, in the place of one that is there.
    ///
    /// # Errors
    /// As the file system has them.
    fn write(&mut self, path: &str, text: &str) -> io::Result<()>;

    /// Makes a directory, and those above it; an empty one may be there already.
    ///
    /// # Errors
    /// As the file system has them, and if something is in it.
    fn new_directory(&mut self, path: &str) -> io::Result<()>;

    /// A clock that tells the CPU time used by the thread that reads it.
    fn cpu_clock(&self) -> fn() -> Duration;

    /// Takes note of how far the running command is: `done` of `all` answers.
    fn progress(&mut self, done: usize, all: usize);

    /// The handle by which the running command is asked to stop.
    fn interrupt(&self) -> Interrupt;

    /// The script that teaches `shell` to complete the program's command line, if there is one.
    fn completions(&self, shell: &str) -> Option<String>;
}
