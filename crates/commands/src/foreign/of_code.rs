//! Where a question about code is answered: by [`super::about`], or by another form of a question that is about all of the code.
//!
//! Law: a question around code is about that code alone. Words around code that are not understood are an error.

use super::asked_as::{run_all, run_as};
use super::{about, blocks, clauses};
use crate::arguments::Argument;
use crate::failure::Failure;
use crate::lines::{Line, Lines};
use crate::script::Splitter;
use crate::session::Session;
use crate::table::Call;
use affinor::text::{Error, ErrorKind};
use std::io::Cursor;

/// Commands without a map, each with the question that it is about the accesses of code.
const ALONE: [(&str, &str); 7] = [
    ("injective", "is it injective?"),
    ("image", "which elements are accessed?"),
    ("range", "what is the largest index?"),
    ("count", "how many elements are accessed?"),
    ("banks", "are there bank conflicts?"),
    ("coalesce", "is it coalesced?"),
    ("parallel", "is it parallel?"),
];

/// Returns the question that a command alone asks about code with several accesses, the last of which is `_`.
fn alone(session: &Session, text: &str) -> Option<&'static str> {
    let word = text.trim().trim_end_matches('?').trim_end();
    let is_several = session.code.accesses.len() > 1 && !session.code.is_asked;
    let found = ALONE.iter().find(|(command, _)| *command == word && is_several);
    found.map(|(_, asks)| *asks)
}

/// Returns a note for a line about `_` after code with several accesses: it is the last of them.
pub fn note_of_last(session: &Session, text: &str) -> Option<String> {
    let code = &session.code;
    let access = code.accesses.last().filter(|_| code.accesses.len() > 1 && !code.is_asked)?;
    let is_of_last = text.split([' ', ',', ';', '(', ')']).any(|word| word == "_");
    let count = code.accesses.len();
    is_of_last.then(|| format!("`_` is the last of {count} accesses, of `{}`", access.array))
}

/// Returns whether a text is a question about code that no other form of a question is about, or one about several accesses.
pub fn is_question(session: &Session, text: &str) -> bool {
    alone(session, text).is_some()
        || about::question(session, text).is_some()
        || about::around(text).is_some()
}

/// Returns the questions of a line that are about the code so far, if it has several: `is it coalesced? is it in bounds?`
pub fn each(session: &Session, text: &str) -> Option<Vec<String>> {
    let asked: Vec<&str> = text.split_inclusive('?').map(str::trim).collect();
    let is_one = |asked: &&str| about::question(session, asked).is_some();
    (asked.len() > 1 && asked.iter().all(is_one))
        .then(|| asked.into_iter().map(str::to_owned).collect())
}

/// Returns whether a text is a question about the code so far, or the last answer.
pub fn is_answered(session: &Session, text: &str) -> bool {
    about::question(session, text).is_some()
}

/// The lines of other forms of questions for a text: several ones together, or a single one.
pub struct Known {
    pub of_all: Option<Vec<String>>,
    pub of_one: Option<Vec<String>>,
}

/// Returns the question that a text is: that of a command alone, or the text itself.
pub fn subject(session: &Session, text: &str) -> String {
    alone(session, text).unwrap_or(text.trim_end_matches(';')).to_owned()
}

/// Answers a question about the accesses of code, if no other form of a question is about it, or only about the last of them.
pub fn answer(
    call: &mut Call<'_>,
    argument: &Argument,
    text: &str,
    known: Known,
) -> Option<Result<(), Failure>> {
    let whole = argument.text.as_str();
    let around = about::around(whole);
    let is_nest = |code: &str| code.contains('{') || code.contains("for ") || code.contains("for(");
    // Loops that are asked about as a whole have a command of their own.
    let of_loops = |lines: &Vec<String>| {
        lines.iter().all(|line| line.starts_with("parallel ") || line.starts_with("count "))
    };
    if let Some((code, asks)) = around.clone().filter(|(code, _)| is_nest(code)) {
        return match known.of_all.filter(of_loops) {
            Some(lines) => Some(run_all(call, argument, lines)),
            None => Some(answer_around(call, argument, (&code, &asks))),
        };
    }
    // A question before code is about nothing else.
    if let Some((code, asks)) = about::before(whole) {
        return Some(answer_around(call, argument, (&code, &asks)));
    }
    let question = about::question(call.session, text);
    let known = known.of_all.or(known.of_one);
    let is_line = |line: &String| call.commands.find(line).is_ok();
    if about::is_unread(whole) && !known.iter().flatten().any(is_line) {
        return Some(Err(argument.blame(unread(whole)?)));
    }
    // The text itself, without its sign, is no translation.
    let plain = text.trim().trim_end_matches('?').trim_end();
    // Nor is the question with its ranges respelled.
    let first = |line: &str| line.split(' ').next().unwrap_or("").to_ascii_lowercase();
    let is_same = |line: &str| line == plain || clauses::asks(plain) && first(line) == first(plain);
    let known = known.filter(|lines| lines.iter().any(|line| !is_same(line)));
    let Some((asked, accesses)) = question else {
        let (code, asks) = around.filter(|_| known.is_none())?;
        return Some(answer_around(call, argument, (&code, &asks)));
    };
    let code = &call.session.code;
    // Lines about the last answer, or about words: `coalesce the writes`.
    let is_of_last = |line: &String| {
        !line.contains('[') || line.contains(" the ") || line.split(' ').any(|word| word == "_")
    };
    // The threads of a block are bounded there.
    let is_of_block = code.accesses.iter().any(|access| about::is_of_block(&access.map));
    let has_several = is_of_block || code.lines.len() > 1 || known.iter().flatten().any(is_of_last);
    let has_more = has_several || !asked.arrays.is_empty();
    // Values in comments have no place in the other lines.
    let is_better = (!code.facts.is_empty() || !code.accesses.is_empty() && has_more)
        && !asked.is_of_own_code();
    (known.is_none() || is_better || asked.is_of_threads())
        .then(|| about::answer(call, argument, (asked, accesses)))
}

/// Answers code, and the question around it about this code alone.
fn answer_around(
    call: &mut Call<'_>,
    argument: &Argument,
    (code, asks): (&str, &str),
) -> Result<(), Failure> {
    let blame = || {
        let message = "this question is not understood";
        argument.blame(Error::without_span(ErrorKind::Syntax, message).hint(about::known()))
    };
    // Values before it without accesses may be a part of the code, with the sizes stated beside them.
    if !call.session.code.accesses.is_empty() {
        call.session.asked();
    }
    for line in lines(code) {
        // The words around it may belong to the code.
        let other = |failure: Failure| {
            argument.blame(Error { span: None, kind: ErrorKind::Syntax, ..failure.error })
        };
        let status = run_as(call.commands, &line, call.session, call.host).map_err(other)?;
        call.status = call.status.and(status);
    }
    let asks = asks.trim_end_matches('?').replace(';', ",");
    let asked = about::question(call.session, &format!("{asks}?"));
    about::answer(call, argument, asked.ok_or_else(blame)?)
}

/// Splits code into the commands that it would be in a script.
fn lines(code: &str) -> Vec<String> {
    let mut lines = Lines::new(Box::new(Cursor::new(code.to_owned())));
    let mut splitter = Splitter::new();
    let mut found = Vec::new();
    while let Ok(Some(Line::Text(line))) = lines.next_of_script() {
        found.extend(splitter.push(&line).ok().flatten());
    }
    found.extend(splitter.finish());
    found.into_iter().map(|script| script.text).collect()
}

/// Returns the error for a question around code that is not understood: its words would be lost.
pub fn unread(text: &str) -> Option<Error> {
    let (first, rest) = text.trim().split_once(' ')?;
    let is_asking = clauses::asks(first);
    let is_code = text.contains([';', '\n']) && !rest.trim_start().starts_with('{');
    let error = || {
        let message = format!("the question that begins with `{first}` is not understood");
        Error::without_span(ErrorKind::Syntax, message).hint(about::known())
    };
    (is_asking && is_code || about::is_unread(text)).then(error)
}

/// Adds the indices of the blocks that a line of code accesses to its accesses.
pub fn see_blocks(call: &mut Call<'_>, text: &str) {
    for of in blocks::within(call.session, text) {
        let value = |name: &str| call.session.value(name);
        let code = affinor_code::read(&of.index, false, &value).ok();
        // A size may be a name with a number.
        let size = |size: &String| {
            let number =
                call.session.map(size).and_then(|map| map.results().first()?.as_constant());
            number.map_or(size.clone(), |number| number.to_string())
        };
        let sizes = of.sizes.iter().map(size).collect();
        if let Some(map) = code.and_then(|code| code.values.into_iter().next()?.whole) {
            call.session.see_within(&of.base, map, sizes);
        }
    }
}
