//! The interface to the surrounding program: output, files, the clock, interruption.

use super::failure::Failure;
use super::output::Output;
use affinor::num::Interrupt;
use std::io::{self, BufRead};
use std::time::Duration;

/// Opens the file at a path for reading.
pub type Opener = Box<dyn Fn(&str) -> io::Result<Box<dyn BufRead>> + Sync>;

/// The forms of an answer that are used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Forms {
    /// The text for people.
    pub text: bool,
    /// The JSON object.
    pub json: bool,
}

/// The terminal on which answers are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Screen {
    /// The number of rows.
    pub rows: usize,
    /// The number of columns.
    pub columns: usize,
    /// Whether a long answer stops after each screenful.
    pub is_paged: bool,
}

/// The services that a session needs.
pub trait Host {
    /// Receives an answer, as soon as it is available.
    fn emit(&mut self, output: Output);

    /// Returns the forms of an answer that are used: a long answer may omit the other.
    fn forms(&self) -> Forms {
        Forms { text: true, json: true }
    }

    /// Returns the terminal that shows the answers, as text; `None` if they go elsewhere.
    fn screen(&self) -> Option<Screen> {
        None
    }

    /// Returns the lines of an answer in a file.
    fn written(&self, output: Output) -> String {
        match output.json {
            Some(json) if !self.forms().text || output.text.is_empty() => {
                format!("{}\n", serde_json::Value::Object(json))
            }
            _ if output.text.is_empty() => String::new(),
            _ => format!("{}\n", output.text.without_numbers()),
        }
    }

    /// Receives a failure that does not end the command, such as one bad line of many.
    fn report(&mut self, failure: &Failure);

    /// Opens a file for reading; `-` is standard input.
    ///
    /// # Errors
    /// The errors of the file system.
    fn open(&mut self, path: &str) -> io::Result<Box<dyn BufRead>>;

    /// Returns a function that opens files on any thread; `-` is not available there.
    fn opener(&self) -> Opener;

    /// Returns the names of the files in a directory, in any order; `None` if `path` is not a directory.
    ///
    /// # Errors
    /// The errors of the file system.
    fn files_in(&mut self, path: &str) -> io::Result<Option<Vec<String>>>;

    /// Writes a file as a whole, replacing an existing one: a reader finds either the old content or the new one, even if the
    /// disk is full or the process is killed.
    ///
    /// # Errors
    /// The errors of the file system; the old file is then unchanged.
    fn write(&mut self, path: &str, content: &[u8]) -> io::Result<()>;

    /// Appends text to a file, which is created if it does not exist.
    ///
    /// # Errors
    /// The errors of the file system; the file is then unchanged.
    fn append(&mut self, path: &str, text: &str) -> io::Result<()>;

    /// Creates a directory and its parents with the given files, as a whole. The paths of the files are relative to it. The
    /// directory may exist if it is empty.
    ///
    /// # Errors
    /// The errors of the file system, and a directory that is not empty; nothing is created then.
    fn write_directory(&mut self, path: &str, files: &[(&str, &str)]) -> io::Result<()>;

    /// Returns a clock of the calling thread's CPU time.
    fn cpu_clock(&self) -> fn() -> Duration;

    /// Returns the number of threads that can run in parallel.
    fn cores(&self) -> usize;

    /// Receives the progress of the running command: `done` of `all` answers.
    fn progress(&mut self, done: usize, all: usize);

    /// Returns the handle that interrupts the running command.
    fn interrupt(&self) -> Interrupt;

    /// Returns the completion script for `shell`; `None` if the shell is not supported.
    fn completions(&self, shell: &str) -> Option<String>;
}
