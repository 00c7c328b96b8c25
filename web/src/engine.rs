//! Messages of a page, and the replies.

use crate::host::{Desk, Page};
use crate::shown;
use affinor_commands::{Failure, Host, Pause, Place, Session, Status, is_open};
use affinor_prompt::{Conversation, Given, Vocabulary, complete, hint, paint};
use serde_json::{Value, json};

/// A session that a page talks to.
pub struct Engine<P> {
    session: Session,
    conversation: Conversation,
    vocabulary: Vocabulary,
    desk: Desk<P>,
}

impl<P: Page> Engine<P> {
    /// Creates the engine of a page, with an empty session.
    pub fn new(page: P) -> Engine<P> {
        let session = Session::new();
        let vocabulary = Vocabulary::from(&session);
        Engine { session, conversation: Conversation::default(), vocabulary, desk: Desk::new(page) }
    }

    /// Replies to a message: a line of JSON, and below it the content of a file, if it brings one.
    ///
    /// - `{"do": "enter", "text": ..}` runs the commands of an entry: `{"status": 0, "quit": false}`.
    /// - `{"do": "type", "line": .., "cursor": ..}`, in bytes: colours, hint, completions, and whether a bracket is open.
    /// - `{"do": "keep", "name": ..}` keeps the file below.
    /// - `{"do": "rules"}` lists the rules, and whether each is switched on.
    pub fn answer(&mut self, message: &[u8]) -> Value {
        let newline = message.iter().position(|byte| *byte == b'\n').unwrap_or(message.len());
        let (line, content) = message.split_at(newline);
        let content = content.get(1..).unwrap_or_default();
        let asked: Value = match serde_json::from_slice(line) {
            Ok(asked) => asked,
            Err(error) => return json!({"error": error.to_string()}),
        };
        let text = |key: &str| asked[key].as_str().unwrap_or_default();
        match text("do") {
            "enter" => self.enter(text("text")),
            "type" => {
                let cursor = asked["cursor"].as_u64().and_then(|at| usize::try_from(at).ok());
                self.typed(text("line"), cursor.unwrap_or(usize::MAX))
            }
            "keep" => {
                self.desk.keep(text("name"), content);
                json!({})
            }
            "rules" => self.rules(),
            other => json!({"error": format!("`{other}` is not a message")}),
        }
    }

    fn enter(&mut self, text: &str) -> Value {
        let mut status = Status::Done;
        for command in self.conversation.enter(text) {
            if self.session.has_quit() {
                break;
            }
            let result = command.map_err(|error| Failure::new(error, Place::Command));
            let result = result.and_then(|command| {
                self.desk.given = Given::entered(&command);
                self.session.run(&command, &mut self.desk)
            });
            status = status.and(match result {
                Ok(status) => status,
                Err(failure) => {
                    self.desk.report(&failure);
                    failure.status()
                }
            });
            self.desk.ascii = self.session.ascii;
        }
        status = status.and(match self.session.settle(Pause::Entry, &mut self.desk) {
            Ok(status) => status,
            Err(failure) => {
                self.desk.report(&failure);
                failure.status()
            }
        });
        self.vocabulary = Vocabulary::from(&self.session);
        json!({"status": status.code(), "quit": self.session.has_quit()})
    }

    fn typed(&self, line: &str, cursor: usize) -> Value {
        let parts = paint(line, cursor, &self.vocabulary);
        let before = line.get(..cursor).unwrap_or(line);
        let completion = complete(before, &self.vocabulary);
        let hint = match cursor >= line.len() {
            true => hint(line).unwrap_or_default(),
            false => Default::default(),
        };
        json!({
            "pieces": shown::painted(line, &parts),
            "rest": hint.rest,
            "usage": hint.usage,
            "start": completion.start,
            "candidates": completion.candidates,
            "takes_file": completion.takes_file,
            "open": is_open(line),
        })
    }

    fn rules(&self) -> Value {
        let off = &self.vocabulary.off;
        let rules = self.vocabulary.rules.iter();
        let rules: Vec<Value> =
            rules.map(|name| json!({"name": name, "on": !off.contains(name)})).collect();
        json!({"rules": rules})
    }
}
