//! The last command with an answer, so that it can be run again elsewhere: its line, the maps behind the names in it, and the
//! settings under which it ran.

use super::arguments::Argument;
use super::token::{Class, without};
use affinor::expr::IndexingMap;
use affinor::text::{Span, Style, print_map};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// The last command with an answer.
#[derive(Debug, Default)]
pub struct Recent {
    line: String,
    /// The commands that restore the settings of the session.
    before: Vec<String>,
    parts: Mutex<Vec<Part>>,
    /// The offset of the inner command, in a command that runs another one.
    inner: Option<usize>,
    /// The offset of the command that is running.
    base: usize,
    is_recording: bool,
    is_lost: bool,
}

/// A change to the line that makes it independent of the session.
#[derive(Debug)]
enum Part {
    /// The map that replaces its name in the line.
    Map(Span, IndexingMap),
    /// A text appended to the line.
    More(String),
}

impl Recent {
    /// Begins a command with an answer of its own, which needs `before` in a new session.
    pub(super) fn begin(&mut self, line: &str, before: Vec<String>) {
        let line = without(line, |class| class == Class::Comment);
        *self = Recent {
            line: line.trim_end().to_owned(),
            before,
            is_recording: true,
            ..Recent::default()
        };
    }

    /// Begins a command that is not run again; the previous one is kept.
    pub(super) fn skip(&mut self) {
        self.is_recording = false;
    }

    /// Forgets the command, so that none can be run again.
    pub(super) fn forget(&mut self) {
        *self = Recent::default();
    }

    /// Announces that the running command will run another one, which is this argument.
    pub(super) fn expect_inner(&mut self, argument: &Argument) {
        self.inner = argument.offset();
    }

    /// Begins an inner command.
    pub(super) fn begin_inner(&mut self) {
        match self.inner.take() {
            Some(offset) => self.base += offset,
            None if self.is_recording => self.is_lost = true,
            None => {}
        }
    }

    /// Records that `argument` is a name of `map`.
    pub(super) fn name_of(&self, argument: &Argument, map: &IndexingMap) {
        if let Some(offset) = argument.offset() {
            let text = argument.text.trim_start();
            let start = self.base + offset + argument.text.len() - text.len();
            self.push(Part::Map(start..start + text.trim_end().len(), map.clone()));
        }
    }

    /// Records that the line omits `text`, which the session supplies.
    pub(super) fn implied(&self, text: impl Into<String>) {
        self.push(Part::More(text.into()));
    }

    fn push(&self, part: Part) {
        if self.is_recording {
            let mut parts = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
            parts.push(part);
        }
    }

    /// Returns the commands that give the same answer in a new session, the last of which is the command itself; `None` if
    /// there is no such command.
    pub(super) fn commands(&self) -> Option<Vec<String>> {
        if self.line.is_empty() || self.is_lost {
            return None;
        }
        let parts = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut line, mut more) = (self.line.clone(), String::new());
        let mut names = BTreeMap::new();
        for part in parts.iter() {
            match part {
                Part::Map(at, map) => {
                    names.insert(at.start, (at.clone(), map)); // it may have been requested twice
                }
                Part::More(text) => more += &format!(" {text}"),
            }
        }
        for (at, map) in names.into_values().rev() {
            line.get(at.clone())?;
            line.replace_range(at, &print_map(map, Style::Plain));
        }
        line += &more;
        let mut commands = self.before.clone();
        commands.push(line.trim_start().to_owned());
        Some(commands)
    }
}
