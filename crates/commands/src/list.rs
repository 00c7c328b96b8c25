//! The only list of commands. The prompt, scripts, the command line of the process, the help and the completion are all built
//! from it: a command exists in all of them or in none.

use super::arguments::Arguments;
use super::failure::Failure;
use super::host::Host;
use super::output::Status;
use super::session::Session;
use super::table::{Command, Commands};

/// All commands, in the order of the help.
pub const COMMANDS: &[&Command] = &[
    &super::maps::LET,
    &super::maps::SHOW,
    &super::simplify::SIMPLIFY,
    &super::simplify::why::WHY,
    &super::simplify::replay::REPLAY,
    &super::compose::COMPOSE,
    &super::equal::EQUAL,
    &super::prove::PROVE,
    &super::solve::SOLVE,
    &super::values::RANGE,
    &super::fits::FITS,
    &super::inside::INSIDE,
    &super::strides::STRIDES,
    &super::values::EVAL,
    &super::image::POINTS,
    &super::image::COUNT,
    &super::image::IMAGE,
    &super::inverse::INVERSE,
    &super::inverse::INJECTIVE,
    &super::parallel::PARALLEL,
    &super::reads::READS,
    &super::reads::CONTAINS,
    &super::bind::BIND,
    &super::tile::TILE,
    &super::emit::EMIT,
    &super::hlo::HLO,
    &super::op::OP,
    &super::diff::DIFF,
    &super::report::REPORT,
    &super::paste::PASTE,
    &super::layout::LAYOUT,
    &super::bitcast::BITCAST,
    &super::coalesce::COALESCE,
    &super::coalesce::BANKS,
    &super::coalesce::vector::VECTOR,
    &super::draw::DRAW,
    &super::egraph::EGRAPH,
    &super::rules::RULES,
    &super::rules::rule::RULE,
    &super::learn::LEARN,
    &super::upstream::UPSTREAM,
    &super::settings::SET,
    &super::settings::TIME,
    &super::undo::UNDO,
    &super::undo::RESET,
    &super::save::SAVE,
    &super::link::LINK,
    &super::run::RUN,
    &super::history::HISTORY,
    &super::history::CLEAR,
    &super::help::HELP,
    &super::tour::TOUR,
    &super::help::COMPLETIONS,
    &super::help::QUIT,
];

/// [`COMMANDS`] for lookups.
pub(super) const ALL: Commands = Commands(COMMANDS);

/// Returns the command called `name`.
#[must_use]
pub fn command(name: &str) -> Option<&'static Command> {
    ALL.named(name)
}

/// Returns the command name nearest to `word`; `None` if no name is near.
#[must_use]
pub fn nearest_command(word: &str) -> Option<&'static str> {
    ALL.nearest(word)
}

impl Session {
    /// Runs one command line. Answers go to `host` as soon as they are available.
    ///
    /// # Errors
    /// Any error in the command or its inputs.
    pub fn run(&mut self, text: &str, host: &mut dyn Host) -> Result<Status, Failure> {
        ALL.run(self, text, host)
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
        ALL.call(self, command, arguments, host)
    }
}
