//! The payload of `constant(...)`.
//!
//! Kept as text; integers are parsed on demand. Floats are not parsed: index maps do not depend on them.

use std::sync::Arc;

/// The text between the parentheses of `constant(...)`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Literal {
    pub(super) text: Arc<str>,
}

impl Literal {
    /// Returns the text, as written: `1`, `-inf`, `{ {1, 2}, {3, 4} }`, `{...}`.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the values in row-major order, when all of them are integers of 64 bits or truth values (`true` is 1); `None` for
    /// floats, complex numbers, tuples and elided values.
    #[must_use]
    pub fn integers(&self) -> Option<Vec<i64>> {
        let number = |word: String| match &*word {
            "true" => Some(1),
            "false" => Some(0),
            number => number.parse().ok(),
        };
        self.words()?.into_iter().map(number).collect()
    }

    /// Returns the words of the values in row-major order; `None` for an unclosed comment. Words of tuples, of complex numbers
    /// and of elided values are not numbers.
    #[must_use]
    pub fn words(&self) -> Option<Vec<String>> {
        let text = without_comments(&self.text)?;
        let is_separator = |c: char| c.is_whitespace() || matches!(c, ',' | '{' | '}');
        let words = text.split(is_separator).filter(|word| !word.is_empty());
        Some(words.map(str::to_owned).collect())
    }
}

/// Replaces each `/*..*/` by a space; `None` if a comment is unclosed.
fn without_comments(text: &str) -> Option<String> {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("/*") {
        kept.push_str(rest.get(..start)?);
        kept.push(' ');
        let comment = rest.get(start + 2..)?;
        let end = comment.find("*/")?;
        rest = comment.get(end + 2..)?;
    }
    kept.push_str(rest);
    Some(kept)
}

#[cfg(test)]
mod tests {
    use super::Literal;

    #[track_caller]
    fn check(text: &str, integers: Option<&[i64]>) {
        let literal = Literal { text: text.into() };
        assert_eq!(literal.integers().as_deref(), integers, "{text}");
    }

    #[test]
    fn integers() {
        check("7", Some(&[7]));
        check("-1", Some(&[-1]));
        check("true", Some(&[1]));
        check("{1, 0, 1}", Some(&[1, 0, 1]));
        check("{ { 1, 2 }, /*i0=1*/ { 3, -4 } }", Some(&[1, 2, 3, -4]));
        check("{}", Some(&[]));
        check("{false,true}", Some(&[0, 1]));
    }

    #[test]
    fn what_is_not_integers() {
        for text in
            ["1.5", "inf", "nan", "{...}", "(1, 2)", "{1, 2e3}", "1 /* x", "99999999999999999999"]
        {
            check(text, None);
        }
    }
}
