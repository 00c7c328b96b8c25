//! Lines as typed at the prompt, and their answers.

use crate::support::memory::Memory;
use affinor_commands::{Failure, Line, Lines, Output, Pause, Session, Splitter, Status};
use std::io::Cursor;

/// The answers to one command.
pub struct Reply {
    pub outputs: Vec<Output>,
    pub failure: Option<Failure>,
    pub status: Option<Status>,
}

/// A session that records its answers.
#[derive(Default)]
pub struct Prompt {
    session: Session,
    host: Memory,
}

impl Prompt {
    /// Runs one command, which may have several lines.
    pub fn ask(&mut self, command: &str) -> Reply {
        let result = self.session.run(command, &mut self.host);
        self.reply(result)
    }

    /// Ends the text: questions that wait for code are answered.
    pub fn end(&mut self) -> Reply {
        let result = self.session.settle(Pause::End, &mut self.host);
        self.reply(result)
    }

    fn reply(&mut self, result: Result<Status, Failure>) -> Reply {
        let outputs = std::mem::take(&mut self.host.outputs);
        let mut reported = std::mem::take(&mut self.host.reports);
        let status = result.as_ref().ok().copied();
        Reply { outputs, failure: result.err().or_else(|| reported.pop()), status }
    }
}

/// Returns all answers to the lines: texts, and errors as `error[kind]: message` with their hints.
pub fn typed(lines: &[&str]) -> String {
    let mut prompt = Prompt::default();
    let mut splitter = Splitter::new();
    let text = lines.join("\n");
    let mut lines = Lines::new(Box::new(Cursor::new(text)));
    let (mut found, mut is_last) = (String::new(), false);
    while !is_last {
        let script = match lines.next_of_script() {
            Ok(Some(Line::Text(line))) => splitter.push(&line).expect("a short text"),
            _ => {
                is_last = true;
                splitter.finish()
            }
        };
        let reply = match (script, is_last) {
            (Some(script), _) => prompt.ask(&script.text),
            (None, true) => prompt.end(),
            (None, false) => continue,
        };
        for output in reply.outputs {
            found += &format!("{}\n", output.text);
        }
        if let Some(failure) = reply.failure {
            let error = &failure.error;
            found += &format!("error[{}]: {}\n", error.kind.code(), error.message);
            if let Some(hint) = &error.hint {
                found += &format!("  hint: {hint}\n");
            }
        }
    }
    found
}
