//! A session: named maps, the last answer, and the undo history.
//!
//! Each command that changes the session leaves a [`Before`] with its changes only, so that the cost of long scripts is
//! proportional to the changes. A command inside another (`let a = ..`, `time ..`) belongs to the outer one. A command that
//! fails is reverted at once.

use super::brackets::Form;
use super::recent::Recent;
use super::results::{Results, number_of};
use super::seen::Code;
use super::words::style_word;
use affinor::expr::IndexingMap;
use affinor::rule::verify::Lock;
use affinor::rule::{Role, Rule};
use affinor::simplify::{Simplifier, Tally};
use affinor::text::Style;
use affinor_code::Named;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

/// How an array of Python is stored.
#[derive(Clone, Debug, Default)]
pub struct View {
    /// Whether it is an array of PyTorch, two of whose methods differ from NumPy's.
    pub is_torch: bool,
    /// The bytes of an element, if they are known.
    pub item: Option<i64>,
    /// The distances in memory between neighbours along each dimension, in elements, as far as they are known.
    pub strides: Option<Vec<Option<i64>>>,
}

/// Maximum number of commands that can be undone.
const MOST_LEVELS: usize = 100;

/// Maximum number of lines that `history` shows.
const MOST_LINES: usize = 1000;

/// Maximum length of a line that `history` shows.
const LONGEST_LINE: usize = 1 << 14;

/// Named maps, the last answer, and settings.
#[derive(Debug, Default)]
pub struct Session {
    pub(super) maps: BTreeMap<String, IndexingMap>,
    /// The values of names for code; `maps` has all cases of each as one map.
    values: BTreeMap<String, Named>,
    /// The named Triton layouts, as written: `#blocked` without its `#`.
    pub(super) attributes: BTreeMap<String, String>,
    /// The declarations of arrays of C, as written.
    pub(super) arrays: BTreeMap<String, String>,
    /// How arrays of Python with a name are stored; a name has none once it has another map.
    pub(super) views: BTreeMap<String, View>,
    /// The SMT-LIB commands so far.
    pub(super) smt: Arc<[Form]>,
    /// The code since the last question.
    pub(super) code: Arc<Code>,
    /// The last answer, `_`.
    pub(super) last: Option<IndexingMap>,
    /// The numbered answers, `_1`, `_2`, ..
    pub(super) results: Results,
    /// The input of the last simplification.
    pub(super) last_simplified: Option<IndexingMap>,
    /// The maps that were compared since then, and whether they were compared by their reads.
    pub(super) last_compared: Option<(IndexingMap, IndexingMap, bool)>,
    /// The rules in force, if they are not the built-in ones.
    pub(super) locked: Option<Locked>,
    /// Added rules and laws, each proved.
    pub(super) rules: Vec<Added>,
    /// Names of disabled rules.
    pub(super) off: BTreeSet<String>,
    /// The simplifier for the session's rules, if they differ from the default.
    pub(super) simplifier: Option<Simplifier>,
    /// Usage count of each rule.
    pub(super) tally: Arc<Tally>,
    /// The style of maps.
    pub style: Style,
    /// Whether pictures use ASCII characters only.
    pub ascii: bool,
    /// Whether the CPU time of each command is reported.
    pub time: bool,
    journal: Journal,
    /// The last command with an answer.
    pub(super) recent: Recent,
    /// Number of steps of the tour shown so far.
    pub(super) tour: usize,
    /// The lines that were run, without those within scripts.
    pub(super) history: VecDeque<String>,
    /// The number of scripts that `run` has started.
    pub(super) scripts: usize,
    /// The nesting depth of this session: the number of commands around it, each with the next in place of a map.
    pub(super) nested: usize,
    has_quit: bool,
}

/// The rules of a checkout, all of which `rules lock` proved in this session.
#[derive(Clone, Debug)]
pub struct Locked {
    /// The simplifier with these rules.
    pub simplifier: Simplifier,
    /// The lock that was built from the proofs.
    pub lock: Arc<Lock>,
}

/// A rule added to a session.
#[derive(Clone, Debug)]
pub struct Added {
    /// The rule.
    pub rule: Rule,
    /// The text as given, hints included.
    pub text: String,
}

/// The undo history, and the running command.
#[derive(Debug, Default)]
pub struct Journal {
    levels: VecDeque<Before>,
    open: Option<Before>,
}

/// The state before a command.
#[derive(Debug)]
struct Before {
    command: String,
    attributes: BTreeMap<String, String>,
    arrays: BTreeMap<String, String>,
    smt: Arc<[Form]>,
    code: Arc<Code>,
    last: Option<IndexingMap>,
    last_simplified: Option<IndexingMap>,
    last_compared: Option<(IndexingMap, IndexingMap, bool)>,
    simplifier: Option<Simplifier>,
    locked: Option<Locked>,
    rules: usize,
    off: BTreeSet<String>,
    results: usize,
    settings: (Style, bool, bool),
    /// The names that changed, with their previous values.
    names: Vec<(String, Entry)>,
    forgotten: Option<Box<Forgotten>>,
}

/// The map of a name, and its value in code.
type Entry = (Option<IndexingMap>, Option<Named>);

/// The state that `reset` forgot.
#[derive(Debug)]
struct Forgotten {
    maps: BTreeMap<String, IndexingMap>,
    values: BTreeMap<String, Named>,
    rules: Vec<Added>,
    results: Results,
}

impl Session {
    /// Creates an empty session.
    #[must_use]
    pub fn new() -> Session {
        Session::default()
    }

    /// Creates a session with the names, rules and settings of this one, for a command in place of a map.
    pub(super) fn inner(&self) -> Session {
        Session {
            maps: self.maps.clone(),
            values: self.values.clone(),
            attributes: self.attributes.clone(),
            arrays: self.arrays.clone(),
            views: self.views.clone(),
            code: self.code.clone(),
            last: self.last.clone(),
            locked: self.locked.clone(),
            rules: self.rules.clone(),
            off: self.off.clone(),
            simplifier: self.simplifier.clone(),
            style: self.style,
            ascii: self.ascii,
            nested: self.nested + 1,
            ..Session::default()
        }
    }

    /// Returns the commands that add the rules, and disable the disabled ones.
    pub(super) fn commands_for_rules(&self) -> Vec<String> {
        let rules = self.rules.iter().map(|rule| {
            let option = match rule.rule.role == Role::SessionLaw {
                true => "--law ",
                false => "",
            };
            format!("rule {option}{}", rule.text.replace('\n', " "))
        });
        let off: Vec<&str> = self.off.iter().map(String::as_str).collect();
        let off = (!off.is_empty()).then(|| format!("rules off {}", off.join(" ")));
        rules.chain(off).collect()
    }

    /// Returns the commands that set the current settings.
    pub(super) fn commands_for_settings(&self) -> Vec<String> {
        let mut lines: Vec<String> = self.command_for_style().into_iter().collect();
        if self.ascii {
            lines.push("set ascii on".to_owned());
        }
        if self.time {
            lines.push("set time on".to_owned());
        }
        lines
    }

    fn command_for_style(&self) -> Option<String> {
        (self.style != Style::default()).then(|| format!("set style {}", style_word(self.style)))
    }

    /// Records a command that begins at `line`, so that `link` can reproduce its answer. Commands whose answers are about
    /// this session are not recorded.
    pub(super) fn record(&mut self, command: &str, arguments: usize, line: &str) {
        let is_of_session = matches!(
            command,
            "completions"
                | "help"
                | "link"
                | "quit"
                | "reset"
                | "rules"
                | "save"
                | "set"
                | "tour"
                | "undo"
        );
        // A command with a word of its own ends the code, unless it only shows something.
        if !is_of_session && !matches!(command, "paste" | "let" | "show") {
            self.asked();
        }
        if is_of_session || command == "show" && arguments == 0 {
            self.recent.skip();
            return;
        }
        // The characters of pictures, and whether times are reported, are left to whoever runs the command.
        let mut before = self.commands_for_rules();
        before.extend(self.command_for_style());
        self.recent.begin(line, before);
    }

    /// Checks whether `quit` was given.
    #[must_use]
    pub fn has_quit(&self) -> bool {
        self.has_quit
    }

    pub(super) fn quit(&mut self) {
        self.has_quit = true;
    }

    /// Iterates over the names of the maps, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.maps.keys().map(String::as_str)
    }

    /// Returns the map of this name; `_` is the last answer, `_3` the answer with this number.
    #[must_use]
    pub fn map(&self, name: &str) -> Option<&IndexingMap> {
        match (name, number_of(name)) {
            ("_", _) => self.last.as_ref(),
            (_, Some(number)) => self.results.get(number),
            (_, None) => self.maps.get(name),
        }
    }

    /// Iterates over the names of the disabled rules, in order.
    pub fn rules_off(&self) -> impl Iterator<Item = &str> {
        self.off.iter().map(String::as_str)
    }

    /// Returns the number of the last answer that was a map; 0 if there is no such answer.
    #[must_use]
    pub fn last_number(&self) -> usize {
        self.results.last_number()
    }

    /// Returns the reason why there is no last answer.
    pub(super) fn why_no_last(&self) -> &'static str {
        match self.results.last_number() {
            0 => "no command has returned a map yet",
            _ => "the last answer is not one map",
        }
    }

    /// Records that `map` was simplified: `why` without a map is about it.
    pub(super) fn note_simplified(&mut self, map: IndexingMap) {
        self.last_simplified = Some(map);
        self.last_compared = None;
    }

    /// Returns whether no command runs.
    pub(super) fn is_idle(&self) -> bool {
        self.journal.open.is_none()
    }

    /// Sets the last answer to `map`, under the next number.
    pub(super) fn answer(&mut self, map: IndexingMap) -> usize {
        self.last = Some(map.clone());
        self.results.push(map)
    }

    /// Begins a command; returns whether it is not part of another.
    pub(super) fn begin(&mut self, command: &str) -> bool {
        if self.journal.open.is_some() {
            return false;
        }
        if self.scripts == 0 && command.len() <= LONGEST_LINE {
            self.history.push_back(command.trim().to_owned());
            if self.history.len() > MOST_LINES {
                self.history.pop_front();
            }
        }
        self.journal.open = Some(Before {
            command: command.to_owned(),
            attributes: self.attributes.clone(),
            arrays: self.arrays.clone(),
            smt: self.smt.clone(),
            code: self.code.clone(),
            last: self.last.clone(),
            last_simplified: self.last_simplified.clone(),
            last_compared: self.last_compared.clone(),
            simplifier: self.simplifier.clone(),
            locked: self.locked.clone(),
            rules: self.rules.len(),
            off: self.off.clone(),
            results: self.results.last_number(),
            settings: self.settings(),
            names: Vec::new(),
            forgotten: None,
        });
        true
    }

    /// Ends the command. The changes of a failed command are reverted.
    pub(super) fn finish(&mut self, succeeded: bool) {
        let Some(before) = self.journal.open.take() else {
            return; // the command was `undo`
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
        self.rename(name, (Some(map), None));
    }

    /// Gives a name to a value of code; `whole` combines all of its cases.
    pub(super) fn name_value(&mut self, name: String, whole: IndexingMap, value: Named) {
        self.rename(name, (Some(whole), Some(value)));
    }

    /// Removes a name; returns whether it had a map.
    pub(super) fn forget_name(&mut self, name: &str) -> bool {
        let is_named = self.maps.contains_key(name);
        if is_named {
            self.rename(name.to_owned(), (None, None));
        }
        is_named
    }

    fn rename(&mut self, name: String, entry: Entry) {
        let before = self.set_name(&name, entry);
        if let Some(open) = &mut self.journal.open {
            open.names.push((name, before));
        }
    }

    fn set_name(&mut self, name: &str, (map, value): Entry) -> Entry {
        self.views.remove(name);
        let map = match map {
            Some(map) => self.maps.insert(name.to_owned(), map),
            None => self.maps.remove(name),
        };
        let value = match value {
            Some(value) => self.values.insert(name.to_owned(), value),
            None => self.values.remove(name),
        };
        (map, value)
    }

    /// Checks whether a name has a value of code, not a map. A list of values is not code.
    pub(super) fn is_code(&self, name: &str) -> bool {
        let value = self.values.get(name);
        value.is_some_and(|value| value.maps.iter().all(|map| map.results().len() == 1))
    }

    /// Returns the value of a name in code.
    pub(super) fn value(&self, name: &str) -> Option<Named> {
        let value = self.values.get(name).cloned();
        value.or_else(|| Some(Named::of(self.maps.get(name)?.clone())))
    }

    /// Forgets all names, numbered answers and added rules.
    pub(super) fn forget(&mut self) {
        let forgotten = Forgotten {
            maps: std::mem::take(&mut self.maps),
            values: std::mem::take(&mut self.values),
            rules: std::mem::take(&mut self.rules),
            results: std::mem::take(&mut self.results),
        };
        (self.last, self.last_simplified, self.simplifier) = (None, None, None);
        (self.last_compared, self.locked) = (None, None);
        self.off.clear();
        self.attributes.clear();
        self.arrays.clear();
        self.views.clear();
        self.smt = Arc::default();
        self.code = Arc::default();
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
            || before.locked.as_ref().map(|locked| &locked.lock)
                != self.locked.as_ref().map(|locked| &locked.lock)
            || before.rules != self.rules.len()
            || before.off != self.off
            || before.attributes != self.attributes
            || before.arrays != self.arrays
            || before.smt != self.smt
            || before.settings != self.settings()
            || before.last != self.last
            || before.last_simplified != self.last_simplified
    }

    fn restore(&mut self, before: Before) {
        if let Some(forgotten) = before.forgotten {
            self.maps = forgotten.maps;
            self.values = forgotten.values;
            self.rules = forgotten.rules;
            self.results = forgotten.results;
        }
        for (name, entry) in before.names.into_iter().rev() {
            self.set_name(&name, entry);
        }
        self.attributes = before.attributes;
        self.arrays = before.arrays;
        self.smt = before.smt;
        self.code = before.code;
        self.last = before.last;
        self.last_simplified = before.last_simplified;
        self.last_compared = before.last_compared;
        (self.simplifier, self.locked) = (before.simplifier, before.locked);
        self.rules.truncate(before.rules);
        self.off = before.off;
        self.results.truncate(before.results);
        (self.style, self.ascii, self.time) = before.settings;
    }

    /// Reverts the last command that changed the session, and returns its text.
    pub(super) fn undo(&mut self) -> Option<String> {
        let before = self.journal.levels.pop_back()?;
        self.journal.open = None;
        let command = before.command.trim().to_owned();
        self.restore(before);
        Some(command)
    }
}
