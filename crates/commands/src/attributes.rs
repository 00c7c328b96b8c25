//! Triton layouts that one line names, `#blocked = #ttg.blocked<{..}>`, and later lines use.
//!
//! Law: in a line about layouts, a name that the line does not define is replaced by its latest definition. Errors in such a
//! line are reported at the name.

use super::bare::is_triton;
use super::session::Session;
use affinor::text::{Error, Span};

/// Words at the beginning of a line about layouts.
const BEGINNINGS: [&str; 4] = ["layout ", "tensor<", "!ttg.", "#"];

/// A line in which each name is replaced by its definition.
pub struct Written {
    /// The line, with its names replaced.
    pub text: String,
    /// The span of the first of these names in the original line.
    name: Span,
}

impl Written {
    /// Returns the error with its span at the name in the line as it was typed.
    pub fn about_name(&self, mut error: Error) -> Error {
        error.span = Some(self.name.clone());
        error
    }
}

impl Session {
    /// Returns the line with its names replaced by their layouts; `None` if it has no such names.
    pub(super) fn with_attributes(&self, line: &str) -> Option<Written> {
        let start = line.trim_start();
        if self.attributes.is_empty() || !BEGINNINGS.iter().any(|word| start.starts_with(word)) {
            return None;
        }
        let own: Vec<&str> = definitions(line).map(|(name, _)| name).collect();
        let (mut text, mut done, mut first) = (String::new(), 0, None);
        for (at, _) in line.match_indices('#') {
            let name = word(&line[at + 1..]);
            let is_apart =
                !line[..at].ends_with(|c: char| c.is_alphanumeric() || "_%#".contains(c));
            let end = at + 1 + name.len();
            let is_dialect = line[end..].starts_with('.');
            let known = self
                .attributes
                .get(name)
                .filter(|_| is_apart && !is_dialect && !own.contains(&name));
            if let Some(known) = known {
                text.push_str(&line[done..at]);
                text.push_str(known);
                done = end;
                first.get_or_insert(at..end);
            }
        }
        text.push_str(&line[done..]);
        first.map(|name| Written { text, name })
    }

    /// Returns a line with spaces for the signs of aliases of maps, `is #map injective`, where an alias follows the first
    /// word; elsewhere `#` begins a comment.
    pub(super) fn with_aliases(&self, line: &str) -> Option<String> {
        let (first, _) = line.split_once('#')?;
        let is_operand = first.ends_with(' ') && first.trim().chars().all(char::is_alphabetic);
        let is_alias = |at: usize| {
            let name = word(&line[at + 1..]);
            line[..at].ends_with(' ') && self.names().any(|other| other == name)
        };
        let places: Vec<usize> = line.match_indices('#').map(|(at, _)| at).collect();
        let is_line =
            is_operand && !first.trim().is_empty() && places.iter().all(|at| is_alias(*at));
        is_line.then(|| line.replace('#', " "))
    }

    /// Records the layouts that a line defines.
    pub(super) fn note_attributes(&mut self, line: &str) {
        if is_triton(line) {
            let found = definitions(line).map(|(name, value)| (name.to_owned(), value.to_owned()));
            self.attributes.extend(found);
        }
    }
}

/// Returns the names that a text defines as Triton attributes, with their values; at most one in each line.
fn definitions(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.lines().filter_map(|line| {
        let (name, value) = line.trim().strip_prefix('#')?.split_once('=')?;
        let (name, value) = (name.trim(), value.trim());
        let is_attribute = value.starts_with("#ttg.") || value.starts_with("#triton_gpu.");
        (is_attribute && word(name) == name).then_some((name, value))
    })
}

/// Returns the prefix of a text that consists of letters, digits and `_`.
fn word(text: &str) -> &str {
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    &text[..end.unwrap_or(text.len())]
}
