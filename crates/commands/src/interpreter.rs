//! Runs a command: looks up its word, splits its line, and keeps or reverts its changes.

use super::advice::{advised, example, is_in_other_words, unknown_word};
use super::arguments::{Argument, Arguments};
use super::bare;
use super::contain::contained;
use super::cut::is_option;
use super::failure::{Failure, Place};
use super::foreign::{
    comment_alone, is_asking, is_foreign, is_in_comment, is_of_seen, is_question_alone, known,
    note_of_last, notes, remark, run_as, said, unanswered, with_options,
};
use super::host::Host;
use super::look::Look;
use super::meant;
use super::output::{Object, Output, Role, Status, Text, clipped};
use super::relay::Relay;
use super::results::number_of;
use super::rounding::refuse_without_code;
use super::session::Session;
use super::table::{Call, Command, Commands};
use super::words::nanoseconds;
use affinor::text::{Error, ErrorKind};
use std::cell::RefCell;
use std::time::Duration;

/// The hint for a question that nothing else is known about.
const OF_QUESTIONS: &str = "a question begins with a command: `x / 4 / 8 == x / 32` alone is proved or refuted, `range ..`, `count ..`, `injective ..`, `fits ..`; `help` lists all";

impl Commands {
    /// Runs one command line. Answers go to `host` as soon as they are available, or to the file at the end of the line.
    ///
    /// # Errors
    /// Any error in the command or its inputs.
    pub fn run(
        self,
        session: &mut Session,
        text: &str,
        host: &mut dyn Host,
    ) -> Result<Status, Failure> {
        let mut settled = Status::Done;
        if session.is_idle() {
            settled = self.settle_before(session, text, host)?;
            if self.hold(session, text, host) {
                return Ok(settled);
            }
        }
        if let Some(file) = self.redirection(text) {
            return self.run_into(&file, session, text, host);
        }
        let result = self.run_line(session, text, host).map(|status| settled.and(status));
        result.map_err(|failure| {
            // Code after a question without an answer is other code too.
            if text.trim_end().ends_with('?') {
                session.asked();
            }
            // A translation that has English words in place of a map.
            let is_name = failure.error.message.starts_with("unknown map or command");
            if is_name && failure.place == Place::Command && is_of_seen(session, text) {
                return failure.hint(known());
            }
            let failure = advised(failure, text);
            let is_other =
                failure.place == Place::Command && is_in_other_words(&failure.error, text);
            if is_other
                && !is_of_seen(session, text)
                && let Some(line) = meant::line(self, session, text, host)
            {
                return failure.hint(format!("is it the line `{line}`?"));
            }
            match Commands::redirection_hint(text) {
                Some(hint) if failure.error.hint.is_none() => failure.hint(hint),
                _ => failure,
            }
        })
    }

    pub(super) fn run_line(
        self,
        session: &mut Session,
        text: &str,
        host: &mut dyn Host,
    ) -> Result<Status, Failure> {
        if let Some(asked) = comment_alone(text) {
            if self.answers(session, asked) {
                return self.run_line(session, asked, host);
            }
            host.emit(said(unanswered(asked)));
            return Ok(Status::Done);
        }
        if let Some(written) = session.with_attributes(text) {
            let result = self.run_plain(session, &written.text, host);
            return result.map_err(|failure| match failure.place {
                Place::Command => Failure { error: written.about_name(failure.error), ..failure },
                _ => failure,
            });
        }
        match session.with_aliases(text) {
            Some(line) => self.run_plain(session, &line, host),
            None => self.run_plain(session, text, host),
        }
    }

    fn run_plain(
        self,
        session: &mut Session,
        text: &str,
        host: &mut dyn Host,
    ) -> Result<Status, Failure> {
        let (command, start, word_end) = self.find_or_paste(session, text)?;
        if let Some(note) = note_of_last(session, text) {
            host.emit(said(note));
        }
        if command.name == "paste"
            && let Some(line) = with_options(command, session, text)
        {
            notes(text, &[&line]).into_iter().for_each(|note| host.emit(said(note)));
            let result = run_as(self, &line, session, host);
            let error = |failure: Failure| Error { span: None, ..failure.error };
            return result.map_err(|failure| Failure::new(error(failure), Place::Command));
        }
        let arguments = match command.name == "paste" && is_in_comment(session, text) {
            true => Arguments { positional: vec![Argument::at(text, 0)], ..Arguments::default() },
            false => Arguments::from_line(self, command, text, word_end)?,
        };
        let place = Argument::at(&text[start..word_end], start);
        let is_own = session.is_idle();
        let status = self.start(session, command, &arguments, place, text, host)?;
        if command.name == "paste" {
            remark(session, text, is_own, host);
        }
        Ok(status)
    }

    /// Runs a command with separate arguments.
    ///
    /// # Errors
    /// Any error in the arguments or the command's inputs.
    pub fn call(
        self,
        session: &mut Session,
        command: &'static Command,
        arguments: &Arguments,
        host: &mut dyn Host,
    ) -> Result<Status, Failure> {
        arguments.check_count(command)?;
        let place = Argument::word(command.name, 0);
        let result = self.start(session, command, arguments, place, command.name, host);
        result.map_err(|failure| match failure.place {
            Place::Argument(number) => {
                let index = number.saturating_sub(1);
                let given = arguments.positional.get(index);
                let text = given.map_or("", |argument| argument.text.as_str());
                advised(failure, text)
            }
            _ => failure,
        })
    }

    fn start(
        self,
        session: &mut Session,
        command: &'static Command,
        arguments: &Arguments,
        place: Argument,
        text: &str,
        host: &mut dyn Host,
    ) -> Result<Status, Failure> {
        let look = Look::of(command, arguments)?;
        refuse_without_code(command, arguments)?;
        // Each command of a script can be undone separately.
        let is_outermost = command.name != "run" && session.begin(text);
        if is_outermost && command.makes_map && command.name != "paste" {
            session.forget_code(); // its answer is what a question is about now
        }
        if is_outermost {
            match place.offset() {
                Some(_) => session.record(command.name, arguments.positional.len(), text),
                None => session.recent.forget(), // its arguments have no place in a line
            }
        } else if command.name != "run" {
            session.recent.begin_inner();
        }
        let clock = (is_outermost && session.time).then(|| host.cpu_clock());
        let start = clock.map(|clock| clock());
        let usual = look.begin(session);
        let mut relay = Relay {
            host: &mut *host,
            answer: |host: &mut dyn Host, output: Output| host.emit(look.shown(output)),
        };
        let host_of_call: &mut dyn Host = match look.changes_answers() {
            true => &mut relay,
            false => &mut *relay.host,
        };
        let mut call = Call {
            commands: self,
            command,
            arguments,
            session: &mut *session,
            host: host_of_call,
            about: None,
            notices: RefCell::default(),
            status: Status::Done,
            place,
        };
        let run = |call: &mut Call<'_>| {
            call.check_options()?;
            (command.run)(call)
        };
        let result = match contained(|| run(&mut call)) {
            Ok(result) => result.map(|()| call.status),
            Err(defect) => Err(call.failed(defect)), // partial changes are reverted below
        };
        if result.is_ok() {
            session.note_attributes(text);
        }
        look.end(session, &usual);
        if is_outermost {
            session.finish(result.is_ok());
        }
        let says_time = session.time && !matches!(command.name, "set" | "time");
        if let (Some(clock), Some(start), true) = (clock, start, says_time) {
            host.emit(time_output(command.name, clock().saturating_sub(start)));
        }
        result
    }

    /// Returns the command that a line begins with, and its word; for an object itself, the command that reads it, without a
    /// word.
    pub(super) fn find_or_paste(
        self,
        session: &Session,
        text: &str,
    ) -> Result<(&'static Command, usize, usize), Failure> {
        let start = text.len() - text.trim_start().len();
        if let (Some(paste), true) = (self.named("paste"), is_foreign(session, text)) {
            return Ok((paste, start, start));
        }
        let found = self.find(text);
        if let Ok((command, end)) = found
            && !bare::is_no_argument(&text[end..])
        {
            let start = start + usize::from(text[start..].starts_with(':'));
            return Ok((command, start, end));
        }
        // A name, possibly followed by options.
        let mut words = text.split_whitespace();
        let word = words.next().unwrap_or("");
        let word = if words.next().is_none_or(is_option) { word } else { "" };
        let is_known = session.maps.contains_key(word) || word == "_" || number_of(word).is_some();
        let is_member =
            word.split_once('.').is_some_and(|(name, _)| session.maps.contains_key(name));
        let reader = match is_known {
            true => self.named("show"),
            false => self.named("paste").filter(|_| is_member || bare::is_paste(text)),
        };
        match (reader, found) {
            (Some(reader), _) => Ok((reader, start, start)),
            (None, Ok((command, end))) => Ok((command, start, end)),
            // A name of a file, as on the command line.
            (None, Err(failure)) => match file_reader(text).and_then(|name| self.named(name)) {
                Some(reader) => Ok((reader, start, start)),
                None if !session.code.lines.is_empty() && is_question_alone(text) => Err(failure
                    .hint("the lines before access no element that this can be about: name the array and its sizes")),
                None if is_of_seen(session, text) => Err(failure.hint(known())),
                None => Err(failure),
            },
        }
    }

    /// Returns the command that `text` begins with, and the offset of the end of its word.
    pub(super) fn find(self, text: &str) -> Result<(&'static Command, usize), Failure> {
        let start = text.len() - text.trim_start().len();
        // Other prompts write `:time`, `:quit`.
        let colon = text[start..].starts_with(':');
        let start = start + usize::from(colon);
        // `bitcast.5` is an instruction.
        let is_word = |c: char| c.is_alphanumeric() || "_-.".contains(c);
        let length = text[start..].find(|c| !is_word(c)).unwrap_or(text.len() - start);
        // An alias may end with a question mark.
        let length = match text[start + length..].starts_with('?') {
            true if self.named(&text[start..=start + length]).is_some() => length + 1,
            _ => length,
        };
        let word = &text[start..start + length];
        if let Some(command) = self.named(word).or_else(|| self.named(alias(word)?)) {
            // The spelling of Python, `exit()`.
            let is_called = matches!(command.name, "quit" | "help")
                && text[start + length..].split_whitespace().eq(["()"]);
            let end = if is_called { text.len() } else { start + length };
            return Ok((command, end));
        }
        if text[start..].starts_with('?')
            && text[start + 1..].starts_with([' ', '\n']) | text[start + 1..].is_empty()
            && let Some(command) = self.named("help")
        {
            return Ok((command, start + 1));
        }
        Err(Failure::new(self.unknown(text, start, word), Place::Command))
    }

    /// Returns the command that a line of several words names after its first one.
    fn called(self, text: &str) -> Option<&'static str> {
        let words = text.split(|c: char| !c.is_alphanumeric()).skip(1);
        let mut found = words.filter(|word| word.len() > 2).filter_map(|word| {
            let name = alias(word).unwrap_or(word);
            self.iter().find(|command| command.name == name)
        });
        found.next().map(|command| command.name)
    }

    /// Creates the error for a line that begins with no command, with a hint at the command that may be meant.
    fn unknown(self, text: &str, start: usize, word: &str) -> Error {
        let other = unknown_word(
            text,
            if word.is_empty() { text.trim().get(..1).unwrap_or("") } else { word },
        );
        if word.is_empty() {
            let end = text[start..].chars().next().map_or(start, |c| start + c.len_utf8());
            return Error::new(
                ErrorKind::Syntax,
                start..end.max(start + word.len()),
                "expected a command",
            )
            .hint(other.unwrap_or_else(|| "type `help` for the commands".to_owned()));
        }
        let shown = clipped(word);
        let error = Error::new(
            ErrorKind::Name,
            start..start + word.len(),
            format!("unknown command `{shown}`"),
        );
        let mut with_option = self.iter().filter(|command| {
            word.len() > 2 && command.options.iter().any(|option| option.name == word)
        });
        let is_question = is_asking(text);
        let nearest = || self.nearest(word).filter(|_| !is_question);
        let by_option = || {
            let name = with_option.next()?.name;
            Some(format!("`--{word}` is an option, as of `{name}`: `help {name}`"))
        };
        let by_word = || {
            let name = self.called(text)?;
            Some(format!("the command for it is `{name}`: `help {name}`"))
        };
        let general = if is_question { OF_QUESTIONS } else { "type `help` for the commands" };
        let hint = other
            .or_else(|| nearest().map(|name| format!("did you mean `{name}`?")))
            .or_else(|| example(text))
            .or_else(by_option)
            .or_else(by_word);
        error.hint(hint.unwrap_or_else(|| general.to_owned()))
    }
}

/// Returns the command that reads the file, if the line is the name of one.
fn file_reader(text: &str) -> Option<&'static str> {
    let name = text.trim();
    let is_path = |c: char| c.is_alphanumeric() || "_-./~".contains(c);
    let (_, ending) = name.rsplit_once('.').filter(|_| name.chars().all(is_path))?;
    match ending {
        "hlo" | "mlir" => Some("hlo"),
        "py" | "cu" | "cuh" | "c" | "cpp" | "h" | "aff" | "smt2" => Some("run"),
        _ => None,
    }
}

/// Returns the command with this name in other prompts.
fn alias(word: &str) -> Option<&'static str> {
    match word {
        "exit" | "q" | "bye" => Some("quit"),
        "h" => Some("help"),
        _ => None,
    }
}

/// Returns the answer of `time` about a command.
pub fn time_output(command: &str, elapsed: Duration) -> Output {
    let text = Text::of(Role::Faint, format!("({} CPU)", duration_text(elapsed)));
    let json = Object::new().with("command", command).with("cpu_ns", nanoseconds(elapsed));
    Output::new(text, json)
}

/// Formats a duration: `840 us`, `12.3 ms`, `4.56 s`.
fn duration_text(duration: Duration) -> String {
    let microseconds = duration.as_micros();
    match microseconds {
        0..1_000 => format!("{microseconds} us"),
        1_000..1_000_000 => format!("{}.{} ms", microseconds / 1_000, microseconds / 100 % 10),
        _ => {
            let hundredths = microseconds / 10_000;
            format!("{}.{:02} s", hundredths / 100, hundredths % 100)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_three_figures() {
        for (microseconds, expected) in [
            (0, "0 us"),
            (999, "999 us"),
            (1_000, "1.0 ms"),
            (12_399, "12.3 ms"),
            (4_569_999, "4.56 s"),
            (100_000_000, "100.00 s"),
        ] {
            let found = duration_text(Duration::from_micros(microseconds));
            assert_eq!(found, expected);
        }
    }
}
