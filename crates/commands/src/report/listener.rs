//! Commands inside a command: their answers and failures are collected.

use crate::arguments::{Argument, Arguments};
use crate::failure::Failure;
use crate::host::{Host, Opener};
use crate::output::{Output, Status};
use crate::table::{Call, Command};
use affinor::num::Interrupt;
use std::io::{self, BufRead, Cursor, ErrorKind};
use std::time::Duration;

/// The output of a command.
#[derive(Default)]
pub struct Heard {
    /// The answers.
    pub outputs: Vec<Output>,
    /// The failures that did not end it.
    pub failures: Vec<Failure>,
}

/// The path and the text of the module, which is read only once.
pub type Given<'a> = (&'a str, &'a [u8]);

/// Runs `work` as a call of `command` on the module, with these options.
///
/// # Errors
/// The errors of `work`.
pub fn heard(
    call: &mut Call<'_>,
    module: Given<'_>,
    (command, arguments): (&'static Command, &Arguments),
    work: impl FnOnce(&mut Call<'_>) -> Result<(), Failure>,
) -> Result<Heard, Failure> {
    let mut listener = Listener { host: &mut *call.host, module, heard: Heard::default() };
    let mut inner = Call {
        notices: Default::default(),
        commands: call.commands,
        command,
        arguments,
        session: &mut *call.session,
        host: &mut listener,
        about: None,
        status: Status::Done,
        place: call.place.clone(),
    };
    work(&mut inner)?;
    Ok(listener.heard)
}

/// Builds the arguments of a call.
pub fn arguments(
    positional: Vec<Argument>,
    options: impl IntoIterator<Item = (&'static str, Option<Argument>)>,
) -> Arguments {
    Arguments { positional, options: options.into_iter().collect() }
}

/// A host that collects answers, provides the module, and writes nothing.
struct Listener<'a> {
    host: &'a mut dyn Host,
    module: Given<'a>,
    heard: Heard,
}

fn writes_nothing() -> io::Error {
    io::Error::new(ErrorKind::Unsupported, "a report writes one file")
}

impl Host for Listener<'_> {
    fn emit(&mut self, output: Output) {
        self.heard.outputs.push(output);
    }

    fn report(&mut self, failure: &Failure) {
        self.heard.failures.push(failure.clone());
    }

    fn open(&mut self, path: &str) -> io::Result<Box<dyn BufRead>> {
        match path == self.module.0 {
            true => Ok(Box::new(Cursor::new(self.module.1.to_vec()))),
            false => self.host.open(path),
        }
    }

    fn opener(&self) -> Opener {
        self.host.opener()
    }

    fn files_in(&mut self, path: &str) -> io::Result<Option<Vec<String>>> {
        match path == self.module.0 {
            true => Ok(None),
            false => self.host.files_in(path),
        }
    }

    fn write(&mut self, _: &str, _: &[u8]) -> io::Result<()> {
        Err(writes_nothing())
    }

    fn append(&mut self, _: &str, _: &str) -> io::Result<()> {
        Err(writes_nothing())
    }

    fn write_directory(&mut self, _: &str, _: &[(&str, &str)]) -> io::Result<()> {
        Err(writes_nothing())
    }

    fn cpu_clock(&self) -> fn() -> Duration {
        self.host.cpu_clock()
    }

    fn cores(&self) -> usize {
        self.host.cores()
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
