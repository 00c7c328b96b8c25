//! The `affinor` command line and REPL: a thin shell around [`affinor_commands`].

mod assistant;
mod cli;
mod complete;
mod highlight;
mod pager;
mod prompt;
mod run;
mod shell;
mod shells;
mod terminal;
mod ticker;
mod whole_file;
mod wrap;

use affinor::num::Interrupt;
use affinor_commands::{Failure, Host, Place, Status};
use cli::{Color, Look, Refusal};
use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use terminal::{Given, Terminal};

/// Simplification allocates many small sums; the C library's allocator takes a fifth of that time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    affinor_commands::quiet_contained_panics();
    let worker = std::thread::Builder::new()
        .name("session".to_owned())
        .stack_size(affinor_commands::STACK_BYTES)
        .spawn(work);
    let status = worker.map(std::thread::JoinHandle::join);
    match status {
        Ok(Ok(status)) => ExitCode::from(status.code()),
        _ => ExitCode::from(101), // the panic message is already on standard error
    }
}

fn work() -> Status {
    let words: Vec<_> = std::env::args_os().collect();
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

/// Reports why no task is run, including `--help` and `--version`.
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
            let _ = error.print(); // where standard error cannot be written there is nobody left to tell
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
