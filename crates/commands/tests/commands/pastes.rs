//! Texts as people paste them: `pastes.txt` has each text after `> ` (further lines after `. `), followed by its answer. Each
//! block is a separate session. To regenerate the answers after an intended change:
//! `REGENERATE=1 cargo test -p affinor-commands --test commands pastes`.

use crate::support::golden;
use crate::support::memory::Memory;
use affinor_commands::{Line, Lines, Pause, Session, Splitter};
use std::fmt::Write;
use std::io::Cursor;
use std::path::Path;

/// Returns the texts of a file with their headings.
fn blocks(file: &str) -> Vec<(Vec<String>, String)> {
    let mut blocks: Vec<(Vec<String>, String)> = Vec::new();
    let mut headings = Vec::new();
    let mut is_text = false;
    for line in file.lines() {
        if let Some(text) = line.strip_prefix("> ") {
            blocks.push((std::mem::take(&mut headings), text.to_owned()));
            is_text = true;
        } else if let (Some(text), true) =
            (line.strip_prefix(". ").or((line == ".").then_some("")), is_text)
        {
            if let Some((_, last)) = blocks.last_mut() {
                last.push('\n');
                last.push_str(text);
            }
        } else {
            is_text = false;
            if line.starts_with("## ") {
                headings.push(line.to_owned());
            }
        }
    }
    blocks
}

/// Returns the answer to a text that is entered line by line like a script, and whether it has an error.
fn answer(text: &str) -> (String, bool) {
    let (mut session, mut host) = (Session::new(), Memory::default());
    let (mut splitter, mut lines) =
        (Splitter::new(), Lines::new(Box::new(Cursor::new(text.to_owned()))));
    let (mut found, mut fails) = (String::new(), false);
    let mut is_last = false;
    while !is_last && !session.has_quit() {
        let script = match lines.next_of_script() {
            Ok(Some(Line::Text(line))) => splitter.push(&line).expect("a short text"),
            _ => {
                is_last = true;
                splitter.finish()
            }
        };
        let text = script.map(|script| script.text).unwrap_or_default();
        let result = match (text.is_empty(), is_last) {
            (false, _) => session.run(&text, &mut host),
            (true, true) => session.settle(Pause::End, &mut host),
            (true, false) => continue,
        };
        for output in host.outputs.drain(..) {
            writeln!(found, "{}", output.text).expect("a text");
        }
        for failure in host.reports.drain(..).chain(result.err()) {
            fails = true;
            let error = &failure.error;
            writeln!(found, "error[{}]: {}", error.kind.code(), error.message).expect("a text");
            let marked = error.span.clone().and_then(|span| text.get(span));
            if let Some(marked) = marked.filter(|marked| !marked.is_empty()) {
                writeln!(found, "  at: {}", marked.replace('\n', " ")).expect("a text");
            }
            if let Some(hint) = &error.hint {
                writeln!(found, "  hint: {hint}").expect("a text");
            }
        }
    }
    if session.has_quit() {
        found.push_str("(the session ends)\n");
    }
    (found, fails)
}

#[test]
fn pastes_answer_as_written() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/commands/pastes.txt");
    let file = std::fs::read_to_string(&path).expect("the table");
    let (mut found, mut mistakes) = (String::new(), 0);
    let blocks = blocks(&file);
    for (headings, text) in &blocks {
        for heading in headings {
            writeln!(found, "{heading}\n").expect("a text");
        }
        let (answer, fails) = answer(text);
        mistakes += usize::from(fails);
        let text = text.replace('\n', "\n. ").replace("\n. \n", "\n.\n");
        writeln!(found, "> {text}\n{answer}").expect("a text");
    }
    assert!(blocks.len() >= 120 && mistakes >= 30, "{} {mistakes}", blocks.len());
    golden::check_file(&path, &found);
}
