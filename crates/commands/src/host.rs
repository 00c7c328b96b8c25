//! The interface to the surrounding program: output, files, the clock, interruption.

use super::failure::Failure;
use super::output::Output;
use affinor::num::Interrupt;
use std::io::{self, BufRead};
use std::time::Duration;

/// Opens the file at a path for reading.
pub type Opener = Box<dyn Fn(&str) -> io::Result<Box<dyn BufRead>> + Sync>;

/// The forms of an answer that are looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Forms {
    /// The text for people.
    pub text: bool,
    /// The JSON object.
    pub json: bool,
}

/// A terminal that answers are read on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Screen {
    /// Its rows.
    pub rows: usize,
    /// Its columns.
    pub columns: usize,
    /// Whether a long answer stops after each screenful.
    pub is_paged: bool,
}

/// The services that a session needs.
pub trait Host {
    /// Receives an answer, as soon as it is available.
    fn emit(&mut self, output: Output);

    /// Returns which forms of an answer are looked at: a long one need not have the other.
    fn forms(&self) -> Forms {
        Forms { text: true, json: true }
    }

    /// Returns the terminal that the answers appear on, as text; `None` if they go elsewhere.
    fn screen(&self) -> Option<Screen> {
        None
    }

    /// Returns the lines that an answer is in a file.
    fn written(&self, output: Output) -> String {
        match output.json {
            Some(json) if !self.forms().text || output.text.is_empty() => {
                format!("{}\n", serde_json::Value::Object(json))
            }
            _ if output.text.is_empty() => String::new(),
            _ => format!("{}\n", output.text.without_numbers()),
        }
    }

    /// Receives a failure that does not end the command: one bad line of many.
    fn report(&mut self, failure: &Failure);

    /// Opens a file for reading; `-` is standard input.
    ///
    /// # Errors
    /// Those of the file system.
    fn open(&mut self, path: &str) -> io::Result<Box<dyn BufRead>>;

    /// Returns what opens files on any thread. There, `-` is no file.
    fn opener(&self) -> Opener;

    /// Returns the names of the files in a directory, in any order; `None` if `path` is not a directory.
    ///
    /// # Errors
    /// Those of the file system.
    fn files_in(&mut self, path: &str) -> io::Result<Option<Vec<String>>>;

    /// Writes a file as a whole, replacing an existing one: whoever reads it finds the old content or the new one, also
    /// where the disk is full or the process is killed.
    ///
    /// # Errors
    /// Those of the file system; the old file is then as it was.
    fn write(&mut self, path: &str, content: &[u8]) -> io::Result<()>;

    /// Adds text to the end of a file, creating it.
    ///
    /// # Errors
    /// Those of the file system; the file is then as it was.
    fn append(&mut self, path: &str, text: &str) -> io::Result<()>;

    /// Creates a directory and its parents, with these files by their paths in it, as a whole. The directory may exist if it
    /// is empty.
    ///
    /// # Errors
    /// Those of the file system, and if the directory is not empty; nothing is made then.
    fn write_directory(&mut self, path: &str, files: &[(&str, &str)]) -> io::Result<()>;

    /// Returns a clock of the calling thread's CPU time.
    fn cpu_clock(&self) -> fn() -> Duration;

    /// Returns the number of threads that run at once.
    fn cores(&self) -> usize;

    /// Receives the progress of the running command: `done` of `all` answers.
    fn progress(&mut self, done: usize, all: usize);

    /// Returns the handle that interrupts the running command.
    fn interrupt(&self) -> Interrupt;

    /// Returns the completion script for `shell`, if there is one.
    fn completions(&self, shell: &str) -> Option<String>;
}
