//! Commands, the same for people at the prompt and for programs.
//!
//! [`COMMANDS`] is the only list of commands. [`Session::run`] takes a line, [`Session::call`] takes arguments that are
//! already separate; both pass [`Output`]s to a [`Host`], each readable as text and as JSON. To add a command, add a file
//! with a [`Command`], and here its `mod` line and its place in the list.
//!
//! The modules in order, each of which uses only modules before it:
//!
//! 1. arguments and answers: `failure`, `arguments`, `results`. Below them is the crate `affinor-lines`: typed lines, and
//!    outputs as text and JSON. Its modules have their names here, too;
//! 2. the environment of a command: `host`, `recent`, `session`, and `table` with [`Command`] and [`Call`];
//! 3. the translation of a line to a call: `option`, `cut`, `meant`, `advice`, `redirect`, `look`, `rounding`, `interpreter`. The list
//!    of commands is part of the call, so a command can run, look up and explain others without depending on all of them;
//! 4. code shared by several commands: `certificate_form`, `code`, `answered`, `foreign`, `inner`, `given`, `ends`,
//!    `simplifier`, `certified`, `verdict`, `region`, `picture`, `text_file`, `each`, `instruction`, `page`;
//! 5. the commands, a file or a folder each.
//!
//! Nothing here prints, reads files or looks at the clock except through the [`Host`].

mod advice;
mod answered;
mod arguments;
mod attributes;
mod bind;
mod bindings;
mod bitcast;
mod certificate_form;
mod certified;
mod coalesce;
mod code;
mod compared;
mod compose;
mod contain;
mod custom;
mod cut;
mod diff;
mod draw;
mod each;
mod egraph;
mod emit;
mod ends;
mod equal;
mod failure;
mod fits;
mod forall;
mod foreign;
mod given;
mod glossary;
mod held;
mod help;
mod history;
mod hlo;
mod host;
mod image;
mod inner;
mod inside;
mod instruction;
mod interpreter;
mod inverse;
mod layout;
mod learn;
mod link;
mod look;
mod maps;
mod meant;
mod op;
mod option;
mod page;
mod parallel;
mod paste;
mod picture;
mod prove;
mod reads;
mod recent;
mod redirect;
mod region;
mod relay;
mod report;
mod results;
mod rounding;
mod rules;
mod run;
mod save;
mod seen;
mod session;
mod settings;
mod simplifier;
mod simplify;
mod smtlib;
mod solve;
mod strides;
mod table;
mod text_file;
mod tile;
mod topics;
mod tour;
mod undo;
mod upstream;
mod values;
mod verdict;
mod width;

#[cfg(test)]
extern crate self as affinor_commands; // so that the tests of files can use the host of the others
#[cfg(test)]
#[allow(dead_code, reason = "the other tests use the rest")]
#[path = "../tests/support/memory.rs"]
mod memory;
#[cfg(test)]
#[allow(dead_code, reason = "the other tests use the rest")]
#[path = "../tests/support/lines.rs"]
mod testing;

use affinor_lines::{
    bare, brackets, cute_word, formula, implication, lines, output, script, token, trace, trees,
    words,
};

pub use affinor::num::parallel::STACK_BYTES;
pub use affinor_lines::bare::{belongs_below, is_no_argument, is_open, is_statement};
pub use affinor_lines::lines::{Line, Lines, file_error, not_utf8, read_all};
pub use affinor_lines::output::{Object, Output, Role, Status, Text, in_ascii};
pub use affinor_lines::script::{
    MAX_COMMAND_BYTES, Script, Splitter, is_indented, may_go_on, too_large,
};
pub use affinor_lines::token::{Brackets, Class, Piece, Pieces, is_complete, runs, split, without};
pub use affinor_lines::trees::with_trees;
pub use arguments::{Argument, Arguments};
pub use contain::{contained, quiet_contained_panics};
pub use failure::{Failure, Place, Source};
pub use held::Pause;
pub use host::{Forms, Host, Opener, Screen};
pub use op::words::words_of_op;
pub use option::{Flag, OF_ANY, OF_PROGRAM, Setting};
pub use results::number_of;
pub use session::Session;
pub use settings::setting_values;
pub use table::{Call, Command, Commands, Kind, Parameter, Switch};
pub use topics::{TOPICS, Topic};

/// All commands, by purpose and in the order of the help. The prompt, scripts, the command line of the process, the help and the
/// completion are all built from this list: a command exists in all of them or in none.
pub const COMMANDS: Commands = Commands(&[
    (
        "name",
        &[&maps::LET, &maps::SHOW, &undo::UNDO, &undo::RESET, &save::SAVE, &link::LINK, &run::RUN],
    ),
    (
        "simplify",
        &[
            &simplify::SIMPLIFY,
            &simplify::why::WHY,
            &simplify::replay::REPLAY,
            &egraph::EGRAPH,
            &paste::PASTE,
        ],
    ),
    ("prove", &[&equal::EQUAL, &prove::PROVE, &solve::SOLVE]),
    (
        "evaluate",
        &[
            &values::EVAL,
            &values::RANGE,
            &fits::FITS,
            &inside::INSIDE,
            &strides::STRIDES,
            &image::POINTS,
            &image::COUNT,
            &draw::DRAW,
        ],
    ),
    (
        "read",
        &[
            &image::IMAGE,
            &reads::READS,
            &reads::CONTAINS,
            &inverse::INJECTIVE,
            &inverse::INVERSE,
            &parallel::PARALLEL,
        ],
    ),
    ("change", &[&compose::COMPOSE, &bind::BIND, &tile::TILE, &emit::EMIT]),
    ("modules", &[&hlo::HLO, &op::OP, &diff::DIFF, &report::REPORT]),
    (
        "memory",
        &[
            &layout::LAYOUT,
            &bitcast::BITCAST,
            &coalesce::COALESCE,
            &coalesce::BANKS,
            &coalesce::vector::VECTOR,
        ],
    ),
    ("rules", &[&rules::RULES, &rules::rule::RULE, &learn::LEARN, &upstream::UPSTREAM]),
    (
        "session",
        &[
            &help::HELP,
            &tour::TOUR,
            &settings::SET,
            &settings::TIME,
            &history::HISTORY,
            &history::CLEAR,
            &help::COMPLETIONS,
            &help::QUIT,
        ],
    ),
]);

/// Returns the command called `name`.
#[must_use]
pub fn command(name: &str) -> Option<&'static Command> {
    COMMANDS.named(name)
}

/// Returns the command name nearest to `word`; `None` if no name is near.
#[must_use]
pub fn nearest_command(word: &str) -> Option<&'static str> {
    COMMANDS.nearest(word)
}

impl Session {
    /// Runs one command line. Answers go to `host` as soon as they are available.
    ///
    /// # Errors
    /// Any error in the command or its inputs.
    pub fn run(&mut self, text: &str, host: &mut dyn Host) -> Result<Status, Failure> {
        COMMANDS.run(self, text, host)
    }

    /// Answers the questions that wait for their code, where the text is interrupted.
    ///
    /// # Errors
    /// The errors of the questions, and a question without code at the end.
    pub fn settle(&mut self, pause: Pause, host: &mut dyn Host) -> Result<Status, Failure> {
        COMMANDS.settle(self, pause, host)
    }

    /// Runs a command with separate arguments.
    ///
    /// # Errors
    /// Any error in the arguments or the command's inputs.
    pub fn call(
        &mut self,
        command: &'static Command,
        arguments: &Arguments,
        host: &mut dyn Host,
    ) -> Result<Status, Failure> {
        COMMANDS.call(self, command, arguments, host)
    }
}
