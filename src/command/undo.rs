//! `undo` and `reset`, and what a session keeps of how it was before.
//!
//! Each command that changes the session leaves a [`Before`]: only what it changed, so that a script of many
//! lines costs no more for it. A command inside another (`let a = ..`, `time ..`) belongs to the outer one.
//! A command that fails is taken back at once.

use super::failure::Failure;
use super::output::{Object, Output, Role, Text, clipped};
use super::results::Results;
use super::session::{Added, Call, Session};
use super::table::Command;
use crate::map::IndexingMap;
use crate::simplify::Simplifier;
use crate::syntax::Style;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Most commands that can be taken back.
const MOST_LEVELS: usize = 100;

/// `undo`
pub const UNDO: Command = Command {
    name: "undo",
    parameters: &[],
    options: &[],
    summary: "takes back the last command that changed the session",
    details: "Names, numbered answers, rules and settings are again as they were; files that were written stay.\n\
              Again for the command before, up to 100. `reset` can be taken back too.",
    example: &["let a = (d0) -> (d0 * 2), domain: d0 in [0, 3]", "undo"],
    makes_map: false,
    run: run_undo,
};

/// `reset`
pub const RESET: Command = Command {
    name: "reset",
    parameters: &[],
    options: &[],
    summary: "forgets all names, numbered answers and added rules",
    details: "Rules that are off are on again. Settings stay as they are.",
    example: &["reset"],
    makes_map: false,
    run: run_reset,
};

/// The commands that can be taken back, and the one at work.
#[derive(Debug, Default)]
pub struct Journal {
    levels: VecDeque<Before>,
    open: Option<Before>,
}

/// How the session was before a command.
#[derive(Debug)]
struct Before {
    command: String,
    last: Option<IndexingMap>,
    last_simplified: Option<IndexingMap>,
    simplifier: Option<Simplifier>,
    rules: usize,
    off: BTreeSet<String>,
    results: usize,
    settings: (Style, bool, bool),
    /// Names that were given, and what had them before.
    names: Vec<(String, Option<IndexingMap>)>,
    forgotten: Option<Box<Forgotten>>,
}

/// What `reset` forgot.
#[derive(Debug)]
struct Forgotten {
    maps: BTreeMap<String, IndexingMap>,
    rules: Vec<Added>,
    results: Results,
}

impl Session {
    /// A command begins. Is it one of its own, not part of another?
    pub(super) fn begin(&mut self, command: &str) -> bool {
        if self.journal.open.is_some() {
            return false;
        }
        self.journal.open = Some(Before {
            command: command.to_owned(),
            last: self.last.clone(),
            last_simplified: self.last_simplified.clone(),
            simplifier: self.simplifier.clone(),
            rules: self.rules.len(),
            off: self.off.clone(),
            results: self.results.last_number(),
            settings: self.settings(),
            names: Vec::new(),
            forgotten: None,
        });
        true
    }

    /// The command has ended. What a failed one changed is taken back.
    pub(super) fn finish(&mut self, succeeded: bool) {
        let Some(before) = self.journal.open.take() else {
            return; // it was `undo`
        };
        if !succeeded {
            self.restore(before);
        } else if self.differs(&before) {
            if self.journal.levels.len() == MOST_LEVELS {
                self.journal.levels.pop_front();
            }
            self.journal.levels.push_back(before);
        }
    }

    /// Gives `map` a name.
    pub(super) fn name(&mut self, name: String, map: IndexingMap) {
        let before = self.maps.insert(name.clone(), map);
        if let Some(open) = &mut self.journal.open {
            open.names.push((name, before));
        }
    }

    fn forget(&mut self) {
        let forgotten = Forgotten {
            maps: std::mem::take(&mut self.maps),
            rules: std::mem::take(&mut self.rules),
            results: std::mem::take(&mut self.results),
        };
        (self.last, self.last_simplified, self.simplifier) = (None, None, None);
        self.off.clear();
        if let Some(open) = &mut self.journal.open {
            open.forgotten = Some(Box::new(forgotten));
        }
    }

    fn settings(&self) -> (Style, bool, bool) {
        (self.style, self.ascii, self.time)
    }

    fn differs(&self, before: &Before) -> bool {
        !before.names.is_empty()
            || before.forgotten.is_some()
            || before.results != self.results.last_number()
            || before.rules != self.rules.len()
            || before.off != self.off
            || before.settings != self.settings()
            || before.last != self.last
            || before.last_simplified != self.last_simplified
    }

    fn restore(&mut self, before: Before) {
        if let Some(forgotten) = before.forgotten {
            self.maps = forgotten.maps;
            self.rules = forgotten.rules;
            self.results = forgotten.results;
        }
        for (name, map) in before.names.into_iter().rev() {
            match map {
                Some(map) => self.maps.insert(name, map),
                None => self.maps.remove(&name),
            };
        }
        self.last = before.last;
        self.last_simplified = before.last_simplified;
        self.simplifier = before.simplifier;
        self.rules.truncate(before.rules);
        self.off = before.off;
        self.results.truncate(before.results);
        (self.style, self.ascii, self.time) = before.settings;
    }
}

fn run_undo(call: &mut Call<'_>) -> Result<(), Failure> {
    let session = &mut *call.session;
    let Some(before) = session.journal.levels.pop_back() else {
        return Err(call.wrong_usage("no command has changed this session").hint(
            "only commands that name, answer with a map, add a rule or set something can be taken back",
        ));
    };
    session.journal.open = None;
    let command = before.command.trim().to_owned();
    session.restore(before);
    let text = Text::of(Role::Faint, format!("taken back: {}", clipped(&command)));
    let mut output = Output::new(text, Object::new().with("undone", command));
    output.is_echo = true;
    call.emit(output);
    Ok(())
}

fn run_reset(call: &mut Call<'_>) -> Result<(), Failure> {
    let session = &mut *call.session;
    let (names, rules) = (session.maps.len(), session.rules.len());
    session.forget();
    let text = Text::of(
        Role::Faint,
        format!(
            "forgotten: {}, {}; `undo` brings them back",
            super::compose::count(names, "name"),
            super::compose::count(rules, "rule")
        ),
    );
    let json = Object::new().with("names", names).with("rules", rules);
    let mut output = Output::new(text, json);
    output.is_echo = true;
    call.emit(output);
    Ok(())
}
