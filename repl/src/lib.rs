//! The `affinor` command line and REPL: a thin shell around [`affinor_commands`].
//!
//! This is a library, so that the Python package runs the same program; `main.rs` is the native program.

mod assistant;
mod cli;
pub mod files;
mod pager;
mod prompt;
mod run;
mod shell;
mod shells;
mod terminal;
mod ticker;
pub mod whole_file;
mod wrap;

use affinor::num::Interrupt;
use affinor_commands::{Failure, Host, Place, Status};
use affinor_prompt::Given;
use cli::{Color, Look, Refusal};
use std::ffi::OsString;
use std::io::{IsTerminal, Write};
use terminal::Terminal;

/// Runs the program with these words, the first of which is its own name; returns the exit status.
///
/// The work runs in a thread of its own, whose stack is large enough for the deepest input that is accepted.
#[must_use]
pub fn run_program(words: Vec<OsString>) -> u8 {
    affinor_commands::quiet_contained_panics();
    let worker = std::thread::Builder::new()
        .name("session".to_owned())
        .stack_size(affinor_commands::STACK_BYTES)
        .spawn(move || work(words));
    match worker.map(std::thread::JoinHandle::join) {
        Ok(Ok(status)) => status.code(),
        _ => 101, // the panic message is already on standard error
    }
}

fn work(words: Vec<OsString>) -> Status {
    let wants_json = words.iter().any(|word| word == "--json" || word == "--trees");
    let interrupt = Interrupt::new();
    match cli::parse(words) {
        Ok(invocation) => {
            let terminal = Terminal::new(invocation.look, interrupt.clone());
            let is_conversation =
                matches!(invocation.task, cli::Task::Session) && std::io::stdin().is_terminal();
            if is_conversation {
                prompt::converse(terminal, &interrupt)
            } else {
                run::run(terminal, invocation.task, invocation.keep_going)
            }
        }
        Err(refusal) => refuse(refusal, wants_json, interrupt),
    }
}

/// Reports the reason why no task is run, including `--help` and `--version`.
fn refuse(refusal: Refusal, json: bool, interrupt: Interrupt) -> Status {
    use affinor::text::{Error, ErrorKind};
    let look = Look {
        json,
        trees: false,
        ascii: false,
        quiet: false,
        color: Color::Auto,
        style: affinor::text::Style::Plain,
    };
    let mut terminal = Terminal::new(look, interrupt);
    let (error, word) = match refusal {
        Refusal::Clap(error) if !error.use_stderr() => {
            let printed = error.print().and_then(|()| std::io::stdout().flush());
            return printed.map_or_else(|error| terminal.unwritten(&error), |()| Status::Done);
        }
        Refusal::Clap(error) if !json => {
            let _ = error.print(); // if standard error fails, no channel is left for a report
            return Status::Usage;
        }
        Refusal::Clap(error) => {
            let text = error.to_string();
            let sentence = text.split("\n\n").next().unwrap_or_default();
            let words: Vec<&str> = sentence.split_whitespace().collect();
            let message = words.join(" ");
            let message = message.strip_prefix("error: ").unwrap_or(&message);
            (Error::without_span(ErrorKind::Usage, message), None)
        }
        Refusal::Error(error, word) => (error, word),
    };
    terminal.given = Given {
        name: "-".to_owned(),
        text: word.map_or(String::new(), |(_, text)| text),
        first_line: 1,
        words: Vec::new(),
    };
    let failure = Failure::new(error, Place::Command);
    terminal.report(&failure);
    failure.status()
}
