//! The code that a session keeps for questions, and the questions that wait for their code: those before it, and in its comments.
//!
//! Law: a question that waits for its code is answered after it, or there is an error or a note that it is not. The code ends
//! at a question, at another command, at an empty line of a script, and at the end of the text.

use super::bare::is_paste;
use super::failure::{Failure, Place};
use super::foreign::{self, said};
use super::host::Host;
use super::output::Status;
use super::seen::{Access, Code, Fact, Held};
use super::session::Session;
use super::table::Commands;
use affinor::expr::IndexingMap;
use affinor::text::{Error, ErrorKind};
use std::sync::Arc;

/// Where a text is interrupted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pause {
    /// An empty line of a script.
    Blank,
    /// The end of the lines entered at a prompt.
    Entry,
    /// The end of a text.
    End,
}

impl Session {
    /// Adds a line to the code that questions are about.
    pub(super) fn see(&mut self, text: &str) {
        Arc::make_mut(&mut self.code).add(text);
    }

    /// Adds an access of the last line of code.
    pub(super) fn see_access(&mut self, access: Access) {
        Arc::make_mut(&mut self.code).access(access);
    }

    /// Adds the indices of the elements of an array that the last line of code accesses by their positions.
    pub(super) fn see_within(&mut self, array: &str, map: IndexingMap, sizes: Vec<String>) {
        Arc::make_mut(&mut self.code).within(array, map, sizes);
    }

    /// Forgets the code that questions are about.
    pub(super) fn forget_code(&mut self) {
        let held = self.release();
        self.code = Arc::new(Code { held, ..Code::default() });
    }

    /// Adds the facts of comments.
    pub(super) fn state(&mut self, facts: Vec<Fact>) {
        if !facts.is_empty() {
            Arc::make_mut(&mut self.code).state(facts);
        }
    }

    /// Keeps a question for the code after it.
    pub(super) fn hold(&mut self, question: Held) {
        Arc::make_mut(&mut self.code).held.push(question);
    }

    /// Returns the questions that waited for code.
    pub(super) fn release(&mut self) -> Vec<Held> {
        match self.code.held.is_empty() {
            true => Vec::new(),
            false => std::mem::take(&mut Arc::make_mut(&mut self.code).held),
        }
    }

    /// Forgets the comments that wait for code.
    pub(super) fn forget_headings(&mut self) {
        let held = self.release().into_iter().filter(|question| !question.is_comment);
        held.for_each(|question| self.hold(question));
    }

    /// Notes an empty line after code; `is_past` if questions before the code were answered.
    fn before_blank(&mut self, is_past: bool) {
        if !self.code.lines.is_empty() {
            let code = Arc::make_mut(&mut self.code);
            (code.is_before_blank, code.is_past) = (true, code.is_past || is_past);
        }
    }

    /// Ends the code that questions are about: the next line begins other code.
    pub(super) fn asked(&mut self) {
        if !self.code.is_asked || self.code.is_before_blank {
            let code = Arc::make_mut(&mut self.code);
            (code.is_asked, code.is_before_blank) = (true, false);
        }
    }
}

impl Commands {
    /// Takes a line that is only a comment, or a question about code that is not there yet; returns whether it did.
    pub(super) fn hold(self, session: &mut Session, text: &str, host: &mut dyn Host) -> bool {
        let Some(comment) = foreign::comment_alone(text) else {
            let text = text.trim();
            let waits = self.waits(session, text);
            if waits {
                host.emit(said(format!("`{text}` is answered after the code that it is about")));
                session.hold(Held { text: text.to_owned(), is_comment: false });
            }
            return waits;
        };
        session.state(foreign::facts(text));
        let code = &session.code;
        let is_ahead = code.accesses.is_empty() || code.is_before_blank;
        let asks = comment.ends_with('?');
        // Without code, a comment may ask about a map.
        if asks && (!is_ahead || code.lines.is_empty() && self.answers(session, comment)) {
            return false;
        }
        if asks || !foreign::unread_facts(text).is_empty() {
            session.hold(Held { text: comment.to_owned(), is_comment: true });
        }
        true
    }

    /// Returns whether a line is a question about code that is not there yet, and nothing else.
    fn waits(self, session: &Session, text: &str) -> bool {
        let code = &session.code;
        let is_other = code.lines.is_empty() || code.is_apart();
        let is_early = code.is_past || is_other && !self.answers(session, text);
        is_early && foreign::is_about_code(text)
    }

    /// Returns whether a text in other words has an answer: it is about code, or stands for a line with a command.
    pub(super) fn answers(self, session: &Session, text: &str) -> bool {
        // `coalesce _` is about the last answer, if there is one.
        let is_of_last = |line: &str| line.split(' ').any(|word| word == "_");
        let is_line = |line: String| {
            self.find(&line).is_ok() && (session.last.is_some() || !is_of_last(&line))
        };
        foreign::is_answered(session, text)
            || foreign::translated(session, text).is_some_and(is_line)
    }

    /// Answers the questions that wait, if this line is no more of their code.
    pub(super) fn settle_before(
        self,
        session: &mut Session,
        text: &str,
        host: &mut dyn Host,
    ) -> Result<Status, Failure> {
        let asks = || foreign::is_asking(text);
        let is_code = foreign::comment_alone(text).is_some()
            || !asks()
                && (is_paste(text) || self.find(text).is_ok_and(|(found, _)| found.name == "let"));
        if session.code.held.is_empty() || is_code {
            return Ok(Status::Done);
        }
        // A comment over a command is its heading.
        if !asks() && session.code.is_before_blank {
            session.forget_headings();
        }
        let status = self.settle(session, Pause::Entry, host)?;
        if !asks() {
            session.forget_headings();
        }
        Ok(status)
    }

    /// Answers the questions that wait for their code, if it is there.
    pub(super) fn settle(
        self,
        session: &mut Session,
        pause: Pause,
        host: &mut dyn Host,
    ) -> Result<Status, Failure> {
        let code = &session.code;
        let has_code = !code.lines.is_empty() && !code.is_asked;
        let is_whole = has_code && (pause != Pause::Entry || !code.accesses.is_empty());
        if code.held.is_empty() || !is_whole && pause != Pause::End {
            if pause == Pause::Blank {
                session.before_blank(false);
            }
            return Ok(Status::Done);
        }
        let mut held = session.release().into_iter();
        let mut status = Status::Done;
        while let Some(question) = held.next() {
            match self.answer_held(session, &question, host) {
                Ok(found) => status = status.and(found),
                Err(failure) => {
                    held.for_each(|question| session.hold(question));
                    return Err(failure);
                }
            }
        }
        if pause == Pause::Blank {
            session.before_blank(true);
        }
        Ok(status)
    }

    fn answer_held(
        self,
        session: &mut Session,
        question: &Held,
        host: &mut dyn Host,
    ) -> Result<Status, Failure> {
        let text = &question.text;
        let has_code = !session.code.lines.is_empty();
        match question.is_comment {
            true if !has_code => return Ok(Status::Done),
            true if !text.ends_with('?') => {
                host.emit(said(foreign::unused(text)));
                return Ok(Status::Done);
            }
            true if !self.answers(session, text) => {
                host.emit(said(foreign::unanswered(text)));
                return Ok(Status::Done);
            }
            false if !has_code => {
                let message = format!("no code follows the question `{text}`");
                let error = Error::without_span(ErrorKind::Syntax, message);
                return Err(Failure::new(error, Place::Command).hint(foreign::known()));
            }
            _ => {}
        }
        host.emit(said(format!("`{text}`")));
        let failed = |failure: Failure| {
            let error = Error { span: None, ..failure.error };
            Failure::new(error, Place::Command)
        };
        match self.run_line(session, text, host) {
            Err(failure) if question.is_comment => {
                host.emit(said(format!(
                    "{}: {}",
                    foreign::unanswered(text),
                    failure.error.message
                )));
                Ok(Status::Done)
            }
            result => result.map_err(failed),
        }
    }
}
