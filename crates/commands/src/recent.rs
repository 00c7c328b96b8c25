//! The last command that answered, so that it can be run again elsewhere: its line, the maps behind the names in it, and the
//! settings that it ran under.

use super::arguments::Argument;
use super::token::{Class, without};
use affinor::expr::IndexingMap;
use affinor::text::{Span, Style, print_map};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// The last command that answered.
#[derive(Debug, Default)]
pub struct Recent {
    line: String,
    /// The commands that set the session up as it was.
    before: Vec<String>,
    parts: Mutex<Vec<Part>>,
    /// Where the line of a command inside begins, in a command that runs another one.
    inner: Option<usize>,
    /// The offset of the command that runs now.
    base: usize,
    is_recording: bool,
    is_lost: bool,
}

/// What stands for a part of the line.
#[derive(Debug)]
enum Part {
    /// A map in place of its name.
    Map(Span, IndexingMap),
    /// A text behind the line.
    More(String),
}

impl Recent {
    /// A command begins that answers for itself, after `before` in a new session.
    pub(super) fn begin(&mut self, line: &str, before: Vec<String>) {
        let line = without(line, |class| class == Class::Comment);
        *self = Recent {
            line: line.trim_end().to_owned(),
            before,
            is_recording: true,
            ..Recent::default()
        };
    }

    /// A command begins that is not to be run again; the one before stays.
    pub(super) fn skip(&mut self) {
        self.is_recording = false;
    }

    /// No command is known that could be run again.
    pub(super) fn forget(&mut self) {
        *self = Recent::default();
    }

    /// The command that runs will run another, which is this argument of it.
    pub(super) fn expect_inner(&mut self, argument: &Argument) {
        self.inner = argument.offset();
    }

    /// A command inside of another begins.
    pub(super) fn begin_inner(&mut self) {
        match self.inner.take() {
            Some(offset) => self.base += offset,
            None if self.is_recording => self.is_lost = true,
            None => {}
        }
    }

    /// `argument` is a name of `map`.
    pub(super) fn name_of(&self, argument: &Argument, map: &IndexingMap) {
        if let Some(offset) = argument.offset() {
            let text = argument.text.trim_start();
            let start = self.base + offset + argument.text.len() - text.len();
            self.push(Part::Map(start..start + text.trim_end().len(), map.clone()));
        }
    }

    /// The line leaves out `text`, which the session makes up for.
    pub(super) fn implied(&self, text: impl Into<String>) {
        self.push(Part::More(text.into()));
    }

    fn push(&self, part: Part) {
        if self.is_recording {
            let mut parts = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
            parts.push(part);
        }
    }

    /// The commands that answer the same in a new session, the last of them the command itself; `None` if none is known.
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
                    names.insert(at.start, (at.clone(), map)); // it may have been asked for twice
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
