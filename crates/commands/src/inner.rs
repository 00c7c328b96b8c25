//! A command in place of a map: `compose op reshape .. ; op transpose ..`, `draw layout (4,8):(8,1)`.
//!
//! Law: it runs in a session of its own, with the names, rules and settings of the outer one; only its map is returned.

use super::arguments::Argument;
use super::failure::{Failure, Place};
use super::foreign::op_line;
use super::host::{Host, Opener};
use super::output::Output;
use super::table::Call;
use affinor::expr::IndexingMap;
use affinor::num::Interrupt;
use affinor::text::ErrorKind;
use std::io::{self, BufRead};
use std::time::Duration;

/// The commands that may replace the map that they answer.
const MAKERS: [&str; 6] = ["bind", "compose", "inverse", "layout", "op", "simplify"];

/// The maximum nesting depth of commands in place of maps.
const MOST_NESTED: usize = 8;

impl Call<'_> {
    /// Returns the answer of a command in place of a map; `None` if the text does not begin with such a command.
    ///
    /// # Errors
    /// The errors of the command, at their position, and an answer without a map or with several.
    pub(super) fn map_of_command(
        &self,
        argument: &Argument,
    ) -> Result<Option<IndexingMap>, Failure> {
        let text = argument.text.as_str();
        let word = text.split_whitespace().next().unwrap_or("");
        let is_maker = MAKERS.contains(&word) && text.trim() != word;
        // An op of HLO needs no `op`.
        let op = if is_maker { None } else { op_line(text) };
        if !is_maker && op.is_none() || self.session.maps.contains_key(word) {
            return Ok(None);
        }
        let text = op.as_deref().unwrap_or(text);
        if self.session.nested == MOST_NESTED {
            let message = format!("more than {MOST_NESTED} commands are one inside the other");
            return Err(argument.wrong(ErrorKind::TooLarge, message));
        }
        let mut session = self.session.inner();
        let mut host = Silent {
            opener: self.host.opener(),
            clock: self.host.cpu_clock(),
            cores: self.host.cores(),
            interrupt: self.host.interrupt(),
        };
        let before = session.last.clone();
        let run = self.commands.run(&mut session, text, &mut host);
        run.map_err(|failure| match failure.place {
            Place::Command => argument.blame(failure.error),
            _ => failure,
        })?;
        let answered = session.results.last_number();
        let wrong = |what: &str| {
            let failure = argument.wrong(ErrorKind::Usage, format!("`{word}` answers {what}"));
            failure.hint(format!("`let a = {word} ..` shows its answer"))
        };
        match session.last {
            _ if answered > 1 => Err(wrong("several maps here, and one is needed")),
            Some(map) if answered == 1 || before.as_ref() != Some(&map) => Ok(Some(map)),
            _ => Err(wrong("no map here")),
        }
    }
}

/// A host that discards answers and writes no files.
struct Silent {
    opener: Opener,
    clock: fn() -> Duration,
    cores: usize,
    interrupt: Interrupt,
}

fn writes_nothing() -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, "a command in the place of a map writes nothing")
}

impl Host for Silent {
    fn emit(&mut self, _output: Output) {}

    fn report(&mut self, _failure: &Failure) {}

    fn open(&mut self, path: &str) -> io::Result<Box<dyn BufRead>> {
        (self.opener)(path)
    }

    fn opener(&self) -> Opener {
        Box::new(|_| Err(writes_nothing()))
    }

    fn files_in(&mut self, _path: &str) -> io::Result<Option<Vec<String>>> {
        Ok(None)
    }

    fn write(&mut self, _path: &str, _content: &[u8]) -> io::Result<()> {
        Err(writes_nothing())
    }

    fn append(&mut self, _path: &str, _text: &str) -> io::Result<()> {
        Err(writes_nothing())
    }

    fn write_directory(&mut self, _path: &str, _files: &[(&str, &str)]) -> io::Result<()> {
        Err(writes_nothing())
    }

    fn cpu_clock(&self) -> fn() -> Duration {
        self.clock
    }

    fn cores(&self) -> usize {
        self.cores
    }

    fn progress(&mut self, _done: usize, _all: usize) {}

    fn interrupt(&self) -> Interrupt {
        self.interrupt.clone()
    }

    fn completions(&self, _shell: &str) -> Option<String> {
        None
    }
}
