//! Comments of code outside of questions: their sizes are kept with the code, and a question in one is answered or named.

use super::about::comments::comments;
use super::about::{around, facts, known, unread, unused};
use super::asked_as::said;
use super::clauses::asks;
use super::closing;
use crate::host::Host;
use crate::seen::Held;
use crate::session::Session;

/// Returns the text of a line that is only a comment.
pub fn comment_alone(text: &str) -> Option<&str> {
    let text = text.trim();
    match comments(text)[..] {
        [comment] if comment.at == 0 && !text.contains('\n') => {
            let end = text.find("*/").map_or(text.len(), |end| end + 2);
            (end == text.len()).then_some(comment.text)
        }
        _ => None,
    }
}

/// Returns whether a line is worded as a question.
pub fn is_asking(text: &str) -> bool {
    let text = text.trim();
    text.ends_with('?') || asks(text) || text.split(' ').next() == Some("where")
}

/// Returns the note that the question in a comment is not answered.
pub fn unanswered(asked: &str) -> String {
    format!(
        "the question in the comment, `{asked}`, is not understood, and not answered: {}",
        known()
    )
}

/// Returns notes on comments that state sizes in words that are not understood.
pub fn unread_facts(text: &str) -> Vec<String> {
    unread(text).into_iter().map(unused).collect()
}

/// Keeps the sizes that comments of code state. Questions in comments of the line as typed, unless answered, wait for the end of the code.
pub fn remark(session: &mut Session, text: &str, is_typed: bool, host: &mut dyn Host) {
    if session.code.lines.is_empty() {
        return;
    }
    // A question in the text was about its own sizes.
    if !session.code.is_asked {
        session.state(facts(text));
    }
    if !is_typed {
        return;
    }
    unread_facts(text).into_iter().for_each(|note| host.emit(said(note)));
    let asked = around(text).map(|(_, asked)| asked);
    let is_answered = |comment: &str| {
        let of_line = closing::lines(session, text).is_some();
        of_line || asked.as_ref().is_some_and(|asked| asked.contains(comment))
    };
    let mut open = comments(text);
    open.retain(|comment| comment.text.ends_with('?') && !is_answered(comment.text));
    // `is it coalesced? does it overlap?`
    for asked in open.iter().flat_map(|comment| comment.text.split_inclusive('?')) {
        session.hold(Held { text: asked.trim().to_owned(), is_comment: true });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_alone_are_lines() {
        for (text, expected) in [
            ("// is it coalesced?", Some("is it coalesced?")),
            ("  # block of 64", Some("block of 64")),
            ("/* 4 blocks */", Some("4 blocks")),
            ("/* 4 blocks */ a[i] = 0;", None),
            ("a[i] = 0; // is it coalesced?", None),
            ("#map = affine_map<(i) -> (i)>", None),
        ] {
            assert_eq!(comment_alone(text), expected, "{text}");
        }
    }

    #[test]
    fn questions_begin_or_end_as_such() {
        for (text, expected) in [
            ("is it so", true),
            ("a[i] in bounds?", true),
            ("where does it go", true),
            ("a[i] = 0", false),
        ] {
            assert_eq!(is_asking(text), expected, "{text}");
        }
    }
}
