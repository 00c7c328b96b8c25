//! Output: answers to standard output as text or JSON, diagnostics to standard error.

use crate::cli::{Color, Look};
use crate::files;
use crate::pager::Pager;
use crate::ticker::Ticker;
use crate::whole_file;
use crate::wrap;
use affinor::num::Interrupt;
use affinor::text::render;
use affinor_commands::{
    Failure, Forms, Host, Opener, Output, Role, Screen, Session, Status, Text, in_ascii, with_trees,
};
use affinor_prompt::Given;
use cpu_time::ThreadTime;
use std::cell::RefCell;
use std::io::{self, BufRead, IsTerminal, Read, Write};
use std::time::Duration;

/// Prints the answers of a session.
pub struct Terminal {
    look: Look,
    colors: [bool; 2],
    interrupt: Interrupt,
    /// The source of the running command, for errors.
    pub given: Given,
    /// The most severe status so far.
    pub status: Status,
    /// Whether the session is interactive: answers are numbered, and standard input is used by the prompt.
    pub is_conversation: bool,
    /// The width of the terminal in columns, if text is wrapped between words.
    pub width: Option<usize>,
    /// The rows and columns of the terminal at standard output, if they are known.
    pub size: Option<(usize, usize)>,
    /// The pager for long answers.
    pub pager: RefCell<Option<Pager>>,
    /// The progress display.
    pub ticker: Ticker,
}

impl Terminal {
    /// Creates a terminal on this process's standard output and error.
    pub fn new(look: Look, interrupt: Interrupt) -> Terminal {
        let wanted = |is_terminal: bool| match look.color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => {
                let asked_not_to = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
                let is_dumb = std::env::var_os("TERM").is_some_and(|v| v == "dumb");
                is_terminal && !asked_not_to && !is_dumb
            }
        };
        Terminal {
            look,
            colors: [wanted(io::stdout().is_terminal()), wanted(io::stderr().is_terminal())],
            interrupt,
            given: Given::default(),
            status: Status::Done,
            is_conversation: false,
            width: None,
            size: None,
            pager: RefCell::new(None),
            ticker: Ticker::default(),
        }
    }

    /// Returns the output format.
    pub fn look(&self) -> Look {
        self.look
    }

    /// Adopts the output settings of the session.
    pub fn follow(&mut self, session: &Session) {
        self.look.ascii = session.ascii;
    }

    /// Checks whether standard output takes colours.
    pub fn has_color(&self) -> bool {
        self.colors[0]
    }

    /// Records the result of a command, and prints its failure; returns whether it succeeded.
    pub fn end(&mut self, result: Result<Status, Failure>) -> bool {
        match result {
            Ok(status) => {
                self.status = self.status.and(status);
                true
            }
            Err(failure) => {
                self.status = self.status.and(failure.status());
                self.report(&failure);
                false
            }
        }
    }

    /// Prints a line of text to standard output, except in JSON mode.
    pub fn say(&self, text: &Text) {
        if !self.look.json && !text.is_empty() {
            self.write_line(&self.painted(text));
        }
    }

    fn painted(&self, text: &Text) -> String {
        let mut painted = String::new();
        let broken = self.width.and_then(|width| wrap::wrapped(text, width));
        let text = broken.as_ref().unwrap_or(text);
        for (role, piece) in text.pieces() {
            let piece = if self.look.ascii { in_ascii(piece) } else { piece.to_owned() };
            match ansi(role) {
                Some(code) if self.has_color() => {
                    painted.push_str(&format!("\x1b[{code}m{piece}\x1b[0m"));
                }
                _ => painted.push_str(&piece),
            }
        }
        painted
    }

    fn write_line(&self, line: &str) {
        let quiet = self.ticker.quiet();
        let mut out = io::stdout().lock();
        let written = match &mut *self.pager.borrow_mut() {
            Some(pager) => pager.write(line, &mut out),
            None => out
                .write_all(line.as_bytes())
                .and_then(|()| out.write_all(b"\n"))
                .and_then(|()| out.flush()),
        };
        drop(quiet);
        if let Err(error) = written {
            std::process::exit(i32::from(self.unwritten(&error).code()));
        }
    }

    /// Reports that writing to standard output failed; returns the exit status. A closed pipe (`| head`) is not an error, but
    /// also ends the run.
    pub fn unwritten(&self, error: &io::Error) -> Status {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return self.status;
        }
        self.complain(&format!("error: standard output: {error}\n"));
        Status::Wrong
    }

    fn json_line(&self, json: serde_json::Map<String, serde_json::Value>) -> String {
        let json = match self.look.trees {
            true => with_trees(json),
            false => json,
        };
        serde_json::Value::Object(json).to_string()
    }

    fn complain(&self, text: &str) {
        let _quiet = self.ticker.quiet();
        // If standard error cannot be written, the failure cannot be reported.
        let _ = io::stderr().lock().write_all(text.as_bytes());
    }
}

impl Host for Terminal {
    fn emit(&mut self, output: Output) {
        self.status = self.status.and(output.status);
        if self.look.json || output.text.is_empty() {
            if let Some(json) = output.json {
                self.write_line(&self.json_line(json));
            }
        } else if !self.look.quiet || !output.is_echo {
            let is_numbered = self.is_conversation && !self.look.quiet;
            match is_numbered {
                true => self.say(&affinor_prompt::numbered(output)),
                false => self.say(&output.text.without_numbers()),
            }
        }
    }

    fn forms(&self) -> Forms {
        Forms { text: !self.look.json, json: self.look.json }
    }

    fn screen(&self) -> Option<Screen> {
        let size = self.size.filter(|(rows, _)| *rows > 3 && !self.look.json);
        size.map(|(rows, columns)| Screen {
            rows,
            columns,
            is_paged: self.pager.borrow().is_some(),
        })
    }

    fn written(&self, output: Output) -> String {
        let line = match output.json {
            Some(json) if self.look.json || output.text.is_empty() => self.json_line(json),
            _ if output.text.is_empty() || (self.look.quiet && output.is_echo) => {
                return String::new();
            }
            _ if self.look.ascii => in_ascii(&output.text.without_numbers().to_string()),
            _ => output.text.without_numbers().to_string(),
        };
        line + "\n"
    }

    fn report(&mut self, failure: &Failure) {
        if self.look.json {
            let source = self.given.source(failure);
            self.write_line(&render::render_json(&failure.error, &source).to_string());
        } else {
            let (ascii, color, width) = (self.look.ascii, self.colors[1], self.width);
            let look = render::Look { ascii, color, width };
            let rendered = self.given.rendered(failure, look);
            self.complain(&match width {
                Some(width) => wrap::wrapped_lines(&rendered, width),
                None => rendered,
            });
        }
    }

    fn open(&mut self, path: &str) -> io::Result<Box<dyn BufRead>> {
        if path == "-" && self.is_conversation {
            let message = "commands come from standard input; name a file";
            return Err(io::Error::new(io::ErrorKind::Unsupported, message));
        }
        if path == "-" {
            return Ok(Box::new(StandardInput::default()));
        }
        files::open(path)
    }

    fn opener(&self) -> Opener {
        Box::new(files::open)
    }

    fn files_in(&mut self, path: &str) -> io::Result<Option<Vec<String>>> {
        if path == "-" { Ok(None) } else { files::names_in(path) }
    }

    fn write(&mut self, path: &str, content: &[u8]) -> io::Result<()> {
        whole_file::write(path.as_ref(), content)
    }

    fn append(&mut self, path: &str, text: &str) -> io::Result<()> {
        whole_file::append(path.as_ref(), text.as_bytes())
    }

    fn write_directory(&mut self, path: &str, files: &[(&str, &str)]) -> io::Result<()> {
        whole_file::directory(path.as_ref(), files)
    }

    fn cpu_clock(&self) -> fn() -> Duration {
        || ThreadTime::now().as_duration()
    }

    fn cores(&self) -> usize {
        std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
    }

    fn progress(&mut self, done: usize, all: usize) {
        self.ticker.progress(done, all);
    }

    fn interrupt(&self) -> Interrupt {
        self.interrupt.clone()
    }

    fn completions(&self, shell: &str) -> Option<String> {
        crate::shells::completions(shell)
    }
}

/// Standard input, line by line. It is locked only while reading a line, so that a script on it and a command that reads its
/// rest take turns.
#[derive(Default)]
struct StandardInput {
    line: Vec<u8>,
    used: usize,
}

impl BufRead for StandardInput {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.used == self.line.len() {
            let mut input = io::stdin().lock();
            let available = input.fill_buf()?;
            let newline = available.iter().position(|byte| *byte == b'\n');
            let length = newline.map_or(available.len(), |position| position + 1);
            self.line.clear();
            self.line.extend_from_slice(&available[..length]);
            self.used = 0;
            input.consume(length);
        }
        Ok(&self.line[self.used..])
    }

    fn consume(&mut self, count: usize) {
        self.used = (self.used + count).min(self.line.len());
    }
}

impl Read for StandardInput {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let available = self.fill_buf()?;
        let length = available.len().min(buffer.len());
        buffer[..length].copy_from_slice(&available[..length]);
        self.consume(length);
        Ok(length)
    }
}

fn ansi(role: Role) -> Option<&'static str> {
    match role {
        Role::Plain | Role::Prose | Role::Formula => None,
        Role::Name => Some("1"),
        Role::Good => Some("32"),
        Role::Bad => Some("31"),
        Role::Doubtful => Some("33"),
        Role::Faint | Role::Number => Some("2"),
        // Black on a light background, one for each colour of a picture (after Okabe and Ito).
        Role::Tile(color) => Some(TILES[color % TILES.len()]),
        Role::Read => Some("1;37;44"),
    }
}

const TILES: [&str; 8] = [
    "30;48;5;153",
    "30;48;5;214",
    "30;48;5;43",
    "30;48;5;176",
    "30;48;5;229",
    "30;48;5;69",
    "30;48;5;173",
    "30;48;5;250",
];
