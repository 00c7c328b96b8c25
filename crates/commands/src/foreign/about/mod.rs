//! Questions about code: about that of the lines before, in the same line, or around it. What is asked is found by the words
//! ([`words`]), about whom by the values in it ([`values`], [`bounded`]); each access of the code is answered ([`lines`]).
//!
//! Law: each line is shown before its answer; a question with a word or a value that has no use in it is not answered.

mod bounded;
pub mod comments;
mod elements;
mod facts;
mod line;
mod lines;
mod meanings;
mod memory;
mod sets;
mod split;
mod stated;
mod subjects;
mod tokens;
mod values;
mod words;

pub use facts::{facts, unread, unused};
pub use split::{around, before, is_unread};

use super::array::closing;
use super::asked_as::{run_as, said};
use crate::arguments::Argument;
use crate::failure::Failure;
use crate::output::Status;
use crate::seen::{Access, Value};
use crate::session::Session;
use crate::table::Call;
use crate::token::identifiers;
use affinor::expr::IndexingMap;
use affinor::text::{Error, is_name};
use comments::uncommented;
use elements::LAST;
use meanings::{is_free, is_of_code};
use tokens::plain;
use words::{Asked, Kind};

/// The length of the longest question, in bytes.
const LONGEST: usize = 240;

/// Words that a question without its sign begins with.
const FIRST: [&str; 30] = [
    "is", "are", "does", "do", "did", "can", "could", "may", "might", "will", "would", "should",
    "has", "have", "how", "what", "which", "where", "what's", "any", "largest", "smallest",
    "maximum", "minimum", "number", "when", "for", "with", "along", "under",
];

/// Questions about code that show the forms of all of them.
const KNOWN: [&str; 6] = [
    "is it coalesced?",
    "are there bank conflicts?",
    "which elements of A are read?",
    "does it stay in bounds for 1000 elements?",
    "do two threads write the same element?",
    "which loops are parallel?",
];

/// Returns the sentence that lists questions about code.
pub fn known() -> String {
    let shown: Vec<String> = KNOWN.iter().map(|asked| format!("`{asked}`")).collect();
    format!("questions about code are {}", shown.join(", "))
}

/// Returns whether a text is a question about code that is not in it.
pub fn is_about_code(text: &str) -> bool {
    let text = uncommented(text);
    let is_name = |name: &str| is_free(plain(name));
    let is_whole = !text.contains(['\n', '{', ';']) && text.contains(' ') && text.len() <= LONGEST;
    let asked = is_asking(text) && is_whole;
    asked.then(|| words::asked(text, &is_name, &|_| false)).flatten().is_some_and(|asked| {
        // `x[i * 2]` is code, a name alone a value: `what is the range of i`, and `what is an index` asks for a definition.
        let is_bare = asked.elements.is_empty() && asked.values.is_empty();
        let is_access = asked.is_read || asked.is_written;
        let is_open =
            matches!(asked.kind, Kind::Image | Kind::Range | Kind::Elements) && !is_access;
        let is_value = !asked.arrays.is_empty() && !is_access;
        !asked.is_of_own_code() && !(is_bare && (is_open || is_value))
    })
}

/// Returns whether a text asks, after code, about something that it does not write itself.
pub fn is_of_seen(session: &Session, text: &str) -> bool {
    let is_asked = is_asking(text.trim()) && !session.code.lines.is_empty();
    let has_material = text.contains(['[', '*', '+', '%', '^', '&', '/']);
    let is_own = has_material || text.matches('(').count() > 1;
    let is_array = |word: &str| session.code.accesses.iter().any(|access| access.array == word);
    let mut words = identifiers(text);
    is_asked && !is_own && words.any(|word| is_of_code(word) || is_array(word))
}

/// Returns whether a text begins or ends as a question.
fn is_asking(text: &str) -> bool {
    let first = text.split(' ').next().unwrap_or("").to_ascii_lowercase();
    text.ends_with('?') || FIRST.contains(&first.as_str())
}

/// Returns what a text asks about code, and the accesses that it is about.
pub fn question(session: &Session, text: &str) -> Option<(Asked, Vec<Access>)> {
    let text = uncommented(text);
    let joined = with_comment(text);
    let text = joined.as_deref().unwrap_or(text);
    // A line that begins with a command is its own.
    if !is_asking(text) {
        return None;
    }
    let code = &session.code.accesses;
    // `race?` after code is one, too.
    let is_short = !text.contains(' ') && (code.is_empty() || !text.ends_with('?'));
    if text.len() > LONGEST || text.contains(['\n', '{', ';']) || is_short {
        return None;
    }
    let is_value = code.is_empty();
    let is_known = |name: &str| {
        let of_code =
            code.iter().any(|access| access.array == name || access.of.as_deref() == Some(name));
        of_code || is_name(name) && session.map(name).is_some()
    };
    let is_variable = |name: &str| {
        let name = name.replace('.', "_");
        let mut variables = code.iter().flat_map(|access| access.map.domain().variables());
        variables.any(|one| *one.name == *name)
    };
    let mut asked = words::asked(text, &is_known, &is_variable)?;
    // `how many blocks of 256 threads for 1000 elements`, `is size (4, 8) stride (8, 1) contiguous`: the numbers are the subject.
    let is_whole =
        asked.values.iter().any(|value| matches!(value, Value::Sizes(_) | Value::Programs(_)));
    if is_whole && matches!(asked.kind, Kind::Programs | Kind::Strides) {
        return None;
    }
    let inline = inline(session, &asked, &is_known)?;
    // Whether two arrays or two elements meet is another question than whether the points of one do.
    let is_pair = inline.len() > 1 || asked.arrays.len() > 1 || asked.elements.len() > 1;
    if matches!(asked.kind, Kind::Injective | Kind::Bijective) && is_pair {
        return None;
    }
    // A named value, `x[1, 2]`, may be no part of the code.
    let of_value = |name: &String| {
        let of_code =
            code.iter().any(|access| access.array == *name || access.of.as_ref() == Some(name));
        !of_code && session.map(name).is_some()
    };
    let named = asked.elements.iter().map(|(name, _)| name).chain(&asked.arrays);
    let mut named = named.filter(|name| name.as_str() != LAST).peekable();
    let is_value = is_value || named.peek().is_some() && named.all(of_value);
    let accesses = match (inline.is_empty(), is_value) {
        (false, _) => inline,
        (true, false) => code.clone(),
        (true, true) => {
            let found = values(session, &asked)?;
            // The value is not one of several arrays.
            asked.arrays.retain(|name| session.map(name).is_none());
            found
        }
    };
    Some((asked, accesses))
}

/// Returns whether threads of a block have no bound in a map.
pub fn is_of_block(map: &IndexingMap) -> bool {
    bounded::launchable(map).1.is_some()
}

/// Returns a question with the text of the comment beside it: `is it in bounds? # 8 programs`.
fn with_comment(text: &str) -> Option<String> {
    let comments = comments::comments(text);
    let [comment] = comments[..] else { return None };
    let asks = text[..comment.at].trim().trim_end_matches('?');
    (!asks.is_empty()).then(|| format!("{asks}, {}?", comment.text.trim_end_matches('?')))
}

/// Returns the value that a question is about if there are no accesses: that of a name in it, or the last answer.
fn values(session: &Session, asked: &Asked) -> Option<Vec<Access>> {
    let mut names = asked.elements.iter().map(|(name, _)| name).chain(&asked.arrays);
    let named = names.find(|name| session.map(name).is_some());
    let name = named.map_or("_", String::as_str);
    // Without its code, the loops of a value are not known.
    if matches!(asked.kind, Kind::Parallel | Kind::Vectorized | Kind::Interchange) {
        return None;
    }
    let map = session.map(name)?.clone();
    let of = named.cloned().or(Some("_".to_owned()));
    Some(vec![Access { of, ..Access::of_map("", map) }])
}

/// Returns the elements in a question that are code themselves, `out[i * 2]` of an array that the code before it does not have.
fn inline(
    session: &Session,
    asked: &Asked,
    is_known: &dyn Fn(&str) -> bool,
) -> Option<Vec<Access>> {
    let mut found = Vec::new();
    for (name, index) in &asked.elements {
        let is_code = index.iter().any(|part| part.parse::<i64>().is_err());
        if !is_code
            || is_known(name) && !index.iter().any(|part| part.contains(['+', '*', '/', '%']))
        {
            continue;
        }
        let text = match name.is_empty() {
            true => format!("({})", index.join(", ")),
            false => format!("{name}[{}]", index.join("][")),
        };
        let code = affinor_code::read(&text, false, &|name| session.value(name)).ok()?;
        for value in code.values {
            let array = match &value.access {
                Some(access) => access.array.clone(),
                None if name.is_empty() => String::new(),
                None => return None,
            };
            found.extend(value.maps.into_iter().map(|map| Access::of_map(&array, map)));
        }
    }
    Some(found)
}

/// Answers a question about code.
///
/// # Errors
/// If the code has nothing that the question is about, and the errors of the lines.
pub fn answer(
    call: &mut Call<'_>,
    argument: &Argument,
    (mut asked, mut accesses): (Asked, Vec<Access>),
) -> Result<(), Failure> {
    call.session.asked();
    for note in stated::state(call.session, &mut asked, &mut accesses) {
        call.host.emit(said(note));
    }
    let found = lines::lines(call.session, &asked, &accesses);
    let found = found.map_err(|error| argument.blame(error))?;
    for line in found {
        if let Some(about) = &line.about {
            call.host.emit(said(format!("of {about}:")));
        }
        let status = run_as(call.commands, &line.line, call.session, call.host)
            .map_err(|failure| argument.blame(Error { span: None, ..failure.error }))?;
        call.status = call.status.and(status);
        if let Some(taken) = line.taken {
            call.host.emit(said(taken));
        }
        if let Some([proved, refuted]) = line.verdicts {
            match status {
                Status::Done => call.host.emit(said(proved)),
                Status::Wrong => call.host.emit(said(refuted)),
                _ => {}
            }
        }
        // A remark on pairs of points matters only if there is one.
        let is_about_pairs = asked.kind == Kind::Injective && status == Status::Done;
        if let Some(after) = line.after.filter(|_| !is_about_pairs) {
            call.host.emit(said(after));
        }
        let budget = call.proof_budget();
        if let Some(list) = line.listed.and_then(|listed| sets::listed(&listed, &budget)) {
            call.host.emit(said(list));
        }
    }
    Ok(())
}
