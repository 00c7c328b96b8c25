//! Non-interactive runs: script files, `-e`, a single command, a script on standard input.

use crate::cli::Task;
use crate::shell;
use crate::terminal::Terminal;
use crate::ticker::Ticker;
use affinor::text::Error;
use affinor_commands::{
    Arguments, Command, Failure, Host, Line, Lines, Pause, Place, Session, Source, Splitter, Status,
};
use affinor_prompt::Given;
use std::io::{ErrorKind, IsTerminal};

/// Runs the task; returns the combined status.
pub fn run(mut terminal: Terminal, task: Task, keep_going: bool) -> Status {
    let mut session = Session::new();
    session.style = terminal.look().style;
    session.ascii = terminal.look().ascii;
    terminal.ticker = Ticker::start(&terminal.interrupt());
    terminal.size = size();
    let mut runner = Runner { terminal, session, keep_going };
    match task {
        Task::Session => {
            runner.script("-");
        }
        Task::Run { files, commands } => {
            let _ = files.iter().all(|path| runner.script(path))
                && commands.iter().all(|text| runner.command("-", text, 1))
                && runner.settle("-", Pause::End);
        }
        Task::Call(command, arguments) => runner.call(command, &arguments),
        Task::Line(line, words) => {
            let _ = runner.line("-", &line, 1, &words) && runner.settle("-", Pause::End);
        }
    }
    runner.terminal.status
}

/// Returns the rows and columns of the terminal; `None` if standard output is not a terminal.
fn size() -> Option<(usize, usize)> {
    if !std::io::stdout().is_terminal() {
        return None;
    }
    let (columns, rows) = rustyline::DefaultEditor::new().ok()?.dimensions()?;
    Some((usize::from(rows), usize::from(columns)))
}

struct Runner {
    terminal: Terminal,
    session: Session,
    keep_going: bool,
}

impl Runner {
    /// Runs the script at `path`; returns whether to continue.
    fn script(&mut self, path: &str) -> bool {
        let reader = match self.terminal.open(path) {
            Ok(reader) => reader,
            // A path with brackets or operators that does not exist is a map or code.
            Err(error) if error.kind() == ErrorKind::NotFound && is_text(path) => {
                return self.command("-", path, 1);
            }
            Err(error) => return self.fail(file_error(path, &error)),
        };
        let mut splitter = Splitter::new();
        let mut lines = Lines::new(reader);
        loop {
            let number = splitter.next_line();
            let next = match lines.next_of_script() {
                Ok(Some(Line::Text(line))) if splitter.is_pause(&line) => {
                    if !self.settle(path, Pause::Blank) {
                        return false;
                    }
                    splitter.push(&line)
                }
                Ok(Some(Line::Text(line))) => splitter.push(&line),
                Ok(Some(Line::Wrong(error, shown))) => {
                    splitter.skip_line();
                    let source =
                        Source { name: path.to_owned(), text: shown.into(), first_line: number };
                    if !self.fail(Failure::new(error, Place::Source(Box::new(source)))) {
                        return false;
                    }
                    continue;
                }
                Ok(None) => break,
                Err(error) => return self.fail(file_error(path, &error)),
            };
            match next {
                Ok(None) => {}
                Ok(Some(script)) => {
                    if !self.command(path, &script.text, script.first_line) {
                        return false;
                    }
                }
                Err(error) => {
                    self.terminal.given =
                        Given { name: path.to_owned(), first_line: number, ..Given::default() };
                    if !self.fail(Failure::new(error, Place::Command)) {
                        return false;
                    }
                }
            }
        }
        let is_done = match splitter.finish() {
            Some(script) => self.command(path, &script.text, script.first_line),
            None => true,
        };
        is_done && self.settle(path, Pause::End)
    }

    /// Answers the questions that wait for their code; returns whether to continue.
    fn settle(&mut self, name: &str, pause: Pause) -> bool {
        self.terminal.given = Given { name: name.to_owned(), first_line: 1, ..Given::default() };
        self.terminal.ticker.begin();
        let result = self.session.settle(pause, &mut self.terminal);
        self.terminal.ticker.end();
        self.terminal.end(result) || self.keep_going
    }

    /// Runs one command of a script; returns whether to continue.
    fn command(&mut self, name: &str, text: &str, first_line: usize) -> bool {
        self.line(name, text, first_line, &[])
    }

    /// Runs a command given by these words of the process's command line.
    fn line(&mut self, name: &str, text: &str, first_line: usize, words: &[String]) -> bool {
        self.terminal.given =
            Given { name: name.to_owned(), text: text.to_owned(), first_line, words: Vec::new() };
        self.terminal.ticker.begin();
        let result = self.session.run(text, &mut self.terminal);
        let result = result.map_err(|failure| shell::advised(failure, words));
        self.terminal.ticker.end();
        let succeeded = self.terminal.end(result);
        self.terminal.follow(&self.session);
        !self.session.has_quit() && (succeeded || self.keep_going)
    }

    fn call(&mut self, command: &'static Command, arguments: &Arguments) {
        let options = arguments.options.iter().filter_map(|(_, value)| value.as_ref());
        let words = arguments.positional.iter().chain(options);
        self.terminal.given = Given {
            name: "-".to_owned(),
            text: command.name.to_owned(),
            first_line: 1,
            words: words.map(|word| word.text.clone()).collect(),
        };
        self.terminal.ticker.begin();
        let result = self.session.call(command, arguments, &mut self.terminal);
        let result = match shell::takes_text(command) {
            true => result.map_err(|failure| shell::advised(failure, &self.terminal.given.words)),
            false => result,
        };
        self.terminal.ticker.end();
        self.terminal.end(result);
    }

    /// Reports a failure outside of any command; returns whether to continue.
    fn fail(&mut self, failure: Failure) -> bool {
        self.terminal.end(Err(failure));
        self.keep_going
    }
}

/// Checks whether this is more than a path: it has spaces, brackets or operators.
fn is_text(path: &str) -> bool {
    path.contains([' ', '(', '[', '<', '*', '%', '&', '=', '>', '^'])
}

/// Creates the failure for a script that cannot be read. A word that does not look like a path is probably a command.
fn file_error(path: &str, error: &std::io::Error) -> Failure {
    let source = Source { name: path.to_owned(), text: "".into(), first_line: 1 };
    let place = Place::Source(Box::new(source));
    if error.kind() != ErrorKind::NotFound || path.contains(['.', '/', '\\']) {
        return Failure::new(affinor_commands::file_error(path, error), place);
    }
    let error = Error::without_span(
        affinor::text::ErrorKind::Usage,
        format!("there is neither a command nor a script `{path}`"),
    );
    let hint = match affinor_commands::nearest_command(path) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "`affinor --help` lists the commands".to_owned(),
    };
    Failure::new(error.hint(hint), place)
}
