//! A host that intercepts the answers of commands run by a command.

use super::failure::Failure;
use super::host::{Host, Opener};
use super::output::Output;
use affinor::num::Interrupt;
use std::io::{self, BufRead};
use std::time::Duration;

/// Passes each answer, with the inner host, to `answer`, and everything else to the inner host.
pub struct Relay<'a, F> {
    /// The inner host.
    pub host: &'a mut dyn Host,
    /// Handles an answer.
    pub answer: F,
}

impl<F: FnMut(&mut dyn Host, Output)> Host for Relay<'_, F> {
    fn emit(&mut self, output: Output) {
        (self.answer)(&mut *self.host, output);
    }

    fn written(&self, output: Output) -> String {
        self.host.written(output)
    }

    fn report(&mut self, failure: &Failure) {
        self.host.report(failure);
    }

    fn open(&mut self, path: &str) -> io::Result<Box<dyn BufRead>> {
        self.host.open(path)
    }

    fn opener(&self) -> Opener {
        self.host.opener()
    }

    fn files_in(&mut self, path: &str) -> io::Result<Option<Vec<String>>> {
        self.host.files_in(path)
    }

    fn write(&mut self, path: &str, content: &[u8]) -> io::Result<()> {
        self.host.write(path, content)
    }

    fn append(&mut self, path: &str, text: &str) -> io::Result<()> {
        self.host.append(path, text)
    }

    fn write_directory(&mut self, path: &str, files: &[(&str, &str)]) -> io::Result<()> {
        self.host.write_directory(path, files)
    }

    fn cores(&self) -> usize {
        self.host.cores()
    }

    fn cpu_clock(&self) -> fn() -> Duration {
        self.host.cpu_clock()
    }

    fn progress(&mut self, done: usize, all: usize) {
        self.host.progress(done, all);
    }

    fn interrupt(&self) -> Interrupt {
        self.host.interrupt()
    }

    fn completions(&self, shell: &str) -> Option<String> {
        self.host.completions(shell)
    }
}
