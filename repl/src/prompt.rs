//! The interactive session: prompt, history, completion, Ctrl-C and Ctrl-D.

use crate::assistant::{Assistant, escape};
use crate::pager::Pager;
use crate::terminal::Terminal;
use crate::ticker::Ticker;
use crate::whole_file;
use affinor::num::Interrupt;
use affinor_commands::{Failure, Pause, Place, Role, Session, Status, Text};
use affinor_prompt::{Conversation, Given, Vocabulary};
use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;
use rustyline::{CompletionType, Config, Editor};
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// Runs until `quit` or Ctrl-D. Errors are part of an interactive session, so its status is success.
pub fn converse(mut terminal: Terminal, interrupt: &Interrupt) -> Status {
    let mut session = Session::new();
    session.style = terminal.look().style;
    session.ascii = terminal.look().ascii;
    let on_signal = interrupt.clone();
    // Without a handler, Ctrl-C ends the process as usual, so a failure is not reported.
    let _ = ctrlc::set_handler(move || stop(&on_signal));
    let mut editor = match editor(terminal.has_color()) {
        Ok(editor) => editor,
        Err(error) => return broken(&error),
    };
    // The signal that the terminal's width has changed interrupts the first thread, not this one. While such a printer
    // exists, the editor waits for signals of all threads; without it, the editor would keep the old width.
    let _printer = editor.create_external_printer();
    let history = history_file();
    if let Some(path) = &history {
        let _ = editor.load_history(path); // the file does not exist the first time
    }
    if !terminal.look().quiet {
        terminal.say(&greeting());
    }
    terminal.ticker = Ticker::start(interrupt);
    terminal.is_conversation = true;
    let mut conversation = Conversation::default();
    while !session.has_quit() {
        if let Some(helper) = editor.helper_mut() {
            helper.vocabulary = Vocabulary::from(&session);
        }
        let prompt = if terminal.has_color() { "\x1b[1;36maffinor>\x1b[0m " } else { "affinor> " };
        let text = match editor.readline(&(PROMPT, prompt)) {
            Ok(text) => text,
            Err(ReadlineError::Interrupted) => continue,
            Err(ReadlineError::Eof) => break,
            Err(error) => return broken(&error),
        };
        if !text.trim().is_empty() {
            let _ = editor.add_history_entry(text.trim_end());
            if let Some(path) = &history {
                let _ = keep(&mut editor, path); // a session works without a history, too
            }
        }
        if text.trim() == "clear" {
            let _ = editor.clear_screen(); // a terminal without this ability keeps its contents
        }
        let size = editor.dimensions();
        terminal.width = size.map(|(columns, _)| usize::from(columns));
        terminal.size = size.map(|(columns, rows)| (usize::from(rows), usize::from(columns)));
        let pager = terminal.size.filter(|_| !terminal.look().json);
        let pager = pager.and_then(|(rows, columns)| Pager::new(rows, columns, interrupt));
        terminal.pager = RefCell::new(pager);
        for command in conversation.enter(&text) {
            match command {
                Ok(text) => run(&mut session, &mut terminal, interrupt, &text),
                Err(error) => {
                    terminal.end(Err(Failure::new(error, Place::Command)));
                }
            }
        }
        let settled = session.settle(Pause::Entry, &mut terminal);
        terminal.end(settled);
    }
    Status::Done
}

/// The prompt without colour; rustyline measures this text and shows the coloured one.
const PROMPT: &str = "affinor> ";

fn run(session: &mut Session, terminal: &mut Terminal, interrupt: &Interrupt, text: &str) {
    if session.has_quit() {
        return;
    }
    interrupt.reset();
    terminal.given = Given::entered(text);
    terminal.ticker.begin();
    let result = session.run(text, terminal);
    terminal.ticker.end();
    terminal.end(result);
    terminal.follow(session);
}

/// Handles Ctrl-C while a command runs. The second Ctrl-C announces that a third one ends the program, in case the command
/// does not poll the interrupt.
fn stop(interrupt: &Interrupt) {
    use std::io::Write;
    static IGNORED: AtomicU32 = AtomicU32::new(0);
    if !interrupt.is_triggered() {
        IGNORED.store(0, Ordering::Relaxed);
        interrupt.trigger();
        return;
    }
    match IGNORED.fetch_add(1, Ordering::Relaxed) {
        0 => {
            let _ = writeln!(std::io::stderr(), "stopping; Ctrl-C again to leave affinor");
        }
        _ => std::process::exit(130), // 128 + SIGINT, the convention of shells
    }
}

fn greeting() -> Text {
    Text::of(
        Role::Faint,
        concat!(
            "affinor ",
            env!("CARGO_PKG_VERSION"),
            ". Type `help` for the commands, `tour` to look around, Ctrl-D to leave."
        ),
    )
}

fn broken(error: &ReadlineError) -> Status {
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "error: the terminal cannot be read: {error}");
    Status::Wrong
}

/// The maximum time between the Esc byte and the rest of a key's sequence: slow connections send it in parts.
const ESCAPE_MILLISECONDS: u16 = 200;

fn editor(color: bool) -> rustyline::Result<Editor<Assistant, FileHistory>> {
    let config = Config::builder()
        .max_history_size(10_000)?
        .history_ignore_dups(true)?
        .completion_type(CompletionType::List)
        .keyseq_timeout(Some(ESCAPE_MILLISECONDS))
        .build();
    let mut editor = Editor::with_config(config)?;
    editor.set_helper(Some(Assistant::new(color)));
    let (key, handler) = escape();
    editor.bind_sequence(key, handler);
    Ok(editor)
}

/// Appends the typed lines to the history file, which is unchanged if that fails.
fn keep(editor: &mut Editor<Assistant, FileHistory>, path: &Path) -> std::io::Result<()> {
    let editor = RefCell::new(editor);
    let path = &std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    whole_file::beside(path, |part| {
        if path.exists() {
            std::fs::copy(path, part)?;
        }
        let added = editor.borrow_mut().append_history(part);
        added.map_err(std::io::Error::other)
    })
}

/// Returns the history file, in the state directory of the XDG base directory specification.
fn history_file() -> Option<PathBuf> {
    let absolute = |path: PathBuf| path.is_absolute().then_some(path);
    let state = std::env::var_os("XDG_STATE_HOME")
        .map(PathBuf::from)
        .and_then(absolute)
        .or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".local/state")))?;
    let directory = state.join("affinor");
    std::fs::create_dir_all(&directory).ok()?;
    Some(directory.join("history"))
}
