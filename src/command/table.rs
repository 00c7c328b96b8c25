//! The one table of commands. The REPL, scripts, the process's command line, the help and the
//! completion are all made from it: a command exists in all of them or in none.

use super::failure::Failure;
use super::session::Call;

/// A command: what it is called, what it takes, what it does.
#[derive(Debug)]
pub struct Command {
    /// The word it is called by.
    pub name: &'static str,
    /// Positional arguments in order.
    pub parameters: &'static [Parameter],
    /// `--options`.
    pub options: &'static [Switch],
    /// One line: what it does.
    pub summary: &'static str,
    /// More about it: what the answer means, and what it does not do. May be empty.
    pub details: &'static str,
    /// Lines that may be typed as they are; the last shows this command.
    pub example: &'static [&'static str],
    /// Does it leave a map behind, so that `let NAME = ` may stand before it?
    pub makes_map: bool,
    /// Does it.
    pub run: fn(&mut Call<'_>) -> Result<(), Failure>,
}

/// A positional argument of a command.
#[derive(Debug)]
pub struct Parameter {
    /// What help calls it.
    pub name: &'static str,
    /// What it is.
    pub kind: Kind,
    /// Must it be given?
    pub required: bool,
}

/// What an argument is: how a line is cut, and what completion offers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A map: a name or a text.
    Map,
    /// Coordinates, `3,4`.
    Point,
    /// A path; `-` may be standard input.
    File,
    /// One of these words.
    Word(&'static [&'static str]),
    /// The name of a command.
    Command,
    /// The shape of an array, `f32[3,5]{1,0:T(2,2)}`, or one of these words.
    Shape(&'static [&'static str]),
    /// An op, or several after each other; takes the rest of the line but for options.
    Op,
    /// Names of rules; takes all the words that are left.
    Rules,
    /// The rest of the line as it stands.
    Rest,
}

/// An option of a command.
#[derive(Debug)]
pub struct Switch {
    /// Without its `--`.
    pub name: &'static str,
    /// What its value is called, if it takes one.
    pub value: Option<&'static str>,
    /// One line: what it changes.
    pub summary: &'static str,
}

impl Switch {
    /// `--name VALUE`
    #[must_use]
    pub fn sketch(&self) -> String {
        match self.value {
            Some(value) => format!("--{} {value}", self.name),
            None => format!("--{}", self.name),
        }
    }
}

impl Command {
    /// Does it take the rest of the line as it stands?
    #[must_use]
    pub fn takes_rest(&self) -> bool {
        self.parameters
            .iter()
            .any(|parameter| parameter.kind == Kind::Rest)
    }

    /// How to call it: `compose MAP ; MAP [--simplify]`.
    #[must_use]
    pub fn usage(&self) -> String {
        let mut usage = self.name.to_owned();
        for (index, parameter) in self.parameters.iter().enumerate() {
            let separator = match parameter.kind {
                Kind::Map if index > 0 => " ; ",
                _ => " ",
            };
            let (open, close) = if parameter.required {
                ("", "")
            } else {
                ("[", "]")
            };
            usage += &format!("{separator}{open}{}{close}", parameter.name);
        }
        for option in self.options {
            usage += &format!(" [{}]", option.sketch());
        }
        usage
    }

    /// The most positional arguments that it takes; `None` for any number.
    #[must_use]
    pub fn most_arguments(&self) -> Option<usize> {
        let any = self
            .parameters
            .iter()
            .any(|parameter| parameter.kind == Kind::Rules);
        (!any).then_some(self.parameters.len())
    }

    /// How many positional arguments it takes, in words.
    #[must_use]
    pub fn parameter_count(&self) -> String {
        match self.parameters.len() {
            0 => "no arguments".to_owned(),
            1 => "one argument".to_owned(),
            2 => "two arguments".to_owned(),
            count => format!("{count} arguments"),
        }
    }
}

/// All commands, in the order of the help.
pub const COMMANDS: &[&Command] = &[
    &super::maps::LET,
    &super::maps::SHOW,
    &super::simplify::SIMPLIFY,
    &super::why::WHY,
    &super::replay::REPLAY,
    &super::compose::COMPOSE,
    &super::equal::EQUAL,
    &super::prove::PROVE,
    &super::values::RANGE,
    &super::values::EVAL,
    &super::image::POINTS,
    &super::image::COUNT,
    &super::image::IMAGE,
    &super::inverse::INVERSE,
    &super::inverse::INJECTIVE,
    &super::reads::READS,
    &super::reads::CONTAINS,
    &super::bind::BIND,
    &super::tile::TILE,
    &super::hlo::HLO,
    &super::op::OP,
    &super::diff::DIFF,
    &super::layout::LAYOUT,
    &super::bitcast::BITCAST,
    &super::coalesce::COALESCE,
    &super::coalesce::BANKS,
    &super::draw::DRAW,
    &super::egraph::EGRAPH,
    &super::rules::RULES,
    &super::rule::RULE,
    &super::settings::SET,
    &super::settings::TIME,
    &super::undo::UNDO,
    &super::undo::RESET,
    &super::save::SAVE,
    &super::run::RUN,
    &super::help::HELP,
    &super::tour::TOUR,
    &super::help::COMPLETIONS,
    &super::help::QUIT,
];

/// The command called `name`.
#[must_use]
pub fn command(name: &str) -> Option<&'static Command> {
    COMMANDS
        .iter()
        .copied()
        .find(|command| command.name == name)
}

/// The name of the command that is nearest to `word`, if one is near.
#[must_use]
pub fn nearest_command(word: &str) -> Option<&'static str> {
    nearest(word, COMMANDS.iter().map(|command| command.name))
}

/// The known word nearest to `word`, if one is near: at most a third of its letters differ.
#[must_use]
pub fn nearest<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    if word.len() > 40 {
        return None;
    }
    known
        .map(|candidate| (distance(word, candidate), candidate))
        .filter(|(distance, candidate)| {
            let length = candidate.chars().count();
            *distance < length && *distance * 3 <= length.max(3)
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Letters to insert, delete or replace to get from one word to the other (Levenshtein).
fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (index, letter) in from.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], index + 1);
        for (column, other) in to.iter().enumerate() {
            let replaced = diagonal + usize::from(letter != *other);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[to.len()]
}
