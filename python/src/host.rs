//! The host of commands that Python runs: texts under names, the file system, and no terminal.
//!
//! Answers and failures are kept in order, each as text and as JSON. The operations on files are those of the program.

use affinor::num::Interrupt;
use affinor::text::render::{self, Source};
use affinor_commands::{Failure, Host, Opener, Output, Place};
use affinor_repl::{files, whole_file};
use cpu_time::ThreadTime;
use serde_json::Value;
use std::io::{self, BufRead, Cursor};
use std::sync::Arc;
use std::time::Duration;

/// A text that is passed to a command as a file: its name and its bytes.
pub type Given = (String, Arc<[u8]>);

/// An output of a command.
pub enum Heard {
    Answer(Output),
    /// A failure that did not end the command, as text and as JSON.
    Failure(String, Value),
}

/// The host of a command.
pub struct Listener<'a> {
    /// The texts that replace files of the same name.
    pub given: &'a [Given],
    /// The script, the command in it, and the number of its first line.
    pub source: Source<'a>,
    /// The words of a command with separate arguments.
    pub words: &'a [String],
    pub interrupt: &'a Interrupt,
    pub heard: Vec<Heard>,
}

impl Listener<'_> {
    /// Returns the text that a failure is about.
    pub fn source<'f>(&'f self, failure: &'f Failure) -> Source<'f> {
        match &failure.place {
            Place::Command => self.source,
            Place::Argument(number) => {
                let word = number.checked_sub(1).and_then(|index| self.words.get(index));
                let text = word.map_or(self.source.text, String::as_str);
                Source { text, ..self.source }
            }
            Place::Source(source) => {
                Source { name: &source.name, text: &source.text, first_line: source.first_line }
            }
        }
    }

    /// Renders a failure as the program does.
    pub fn rendered(&self, failure: &Failure) -> String {
        // Typed text is already shown above; the text of a file is not.
        let render = match failure.place {
            Place::Command | Place::Argument(_) => render::render_line,
            Place::Source(_) => render::render_text,
        };
        let text = render(&failure.error, &self.source(failure), render::Look::default());
        text.trim_end().to_owned()
    }

    fn given(&self, path: &str) -> Option<&Given> {
        self.given.iter().find(|(name, _)| name == path)
    }
}

impl Host for Listener<'_> {
    fn emit(&mut self, output: Output) {
        self.heard.push(Heard::Answer(output));
    }

    fn report(&mut self, failure: &Failure) {
        let json = render::render_json(&failure.error, &self.source(failure));
        let text = self.rendered(failure);
        self.heard.push(Heard::Failure(text, json));
    }

    fn open(&mut self, path: &str) -> io::Result<Box<dyn BufRead>> {
        match self.given(path) {
            Some((_, text)) => Ok(Box::new(Cursor::new(text.clone()))),
            None if path == "-" => {
                let message = "there is no standard input here; name a file";
                Err(io::Error::new(io::ErrorKind::Unsupported, message))
            }
            None => files::open(path),
        }
    }

    fn opener(&self) -> Opener {
        Box::new(files::open)
    }

    fn files_in(&mut self, path: &str) -> io::Result<Option<Vec<String>>> {
        match path == "-" || self.given(path).is_some() {
            true => Ok(None),
            false => files::names_in(path),
        }
    }

    fn write(&mut self, path: &str, content: &[u8]) -> io::Result<()> {
        whole_file::write(path.as_ref(), content)
    }

    fn append(&mut self, path: &str, text: &str) -> io::Result<()> {
        whole_file::append(path.as_ref(), text.as_bytes())
    }

    fn write_directory(&mut self, path: &str, files: &[(&str, &str)]) -> io::Result<()> {
        whole_file::directory(path.as_ref(), files)
    }

    fn cpu_clock(&self) -> fn() -> Duration {
        || ThreadTime::now().as_duration()
    }

    fn cores(&self) -> usize {
        std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
    }

    fn progress(&mut self, _: usize, _: usize) {}

    fn interrupt(&self) -> Interrupt {
        self.interrupt.clone()
    }

    fn completions(&self, _: &str) -> Option<String> {
        None
    }
}
