//! Resolves names to variables, with suggestions for misspelt ones.

use super::token::excerpt;
use crate::expr::VariableId;
use crate::text::{Error, ErrorKind, Span};
use rustc_hash::FxHashMap;

/// The variables in scope, by name.
#[derive(Clone, Debug)]
pub struct Scope<'t> {
    ids: FxHashMap<&'t str, VariableId>,
    names: Vec<&'t str>,
}

impl<'t> Scope<'t> {
    /// Creates a scope of variables numbered from 0. The first of equal names wins.
    pub fn new(names: impl IntoIterator<Item = &'t str>) -> Scope<'t> {
        let mut scope = Scope { ids: FxHashMap::default(), names: Vec::new() };
        for name in names {
            let id = VariableId(scope.names.len() as u32);
            scope.ids.entry(name).or_insert(id);
            scope.names.push(name);
        }
        scope
    }

    /// Binds a name to a variable; an outer variable of this name is shadowed.
    pub fn bind(&mut self, name: &'t str, id: VariableId) {
        self.ids.insert(name, id);
        self.names.push(name);
    }

    /// Returns whether there is a variable with this name.
    #[must_use]
    pub fn knows(&self, name: &str) -> bool {
        self.ids.contains_key(name)
    }

    /// Looks up the variable `name`, which is at `span`.
    ///
    /// # Errors
    /// [`ErrorKind::Name`] if there is no such variable.
    pub fn find(&self, name: &str, span: &Span) -> Result<VariableId, Error> {
        self.ids.get(name).copied().ok_or_else(|| self.unknown(name, span))
    }

    fn unknown(&self, name: &str, span: &Span) -> Error {
        let message = format!("unknown variable `{}`", excerpt(name));
        let error = Error::new(ErrorKind::Name, span.clone(), message);
        if let Some(similar) = most_similar(name, &self.names) {
            error.hint(format!("did you mean `{}`?", excerpt(similar)))
        } else if self.names.is_empty() {
            error.hint("declare it in the list before `->`; no variables are declared")
        } else {
            let shown: Vec<String> = self.names.iter().take(8).map(|name| excerpt(name)).collect();
            let more = if self.names.len() > shown.len() { ", ..." } else { "" };
            error.hint(format!("known variables: {}{more}", shown.join(", ")))
        }
    }
}

/// Returns the candidate with the fewest edits from `name`, at most one for every three of its letters.
fn most_similar<'t>(name: &str, candidates: &[&'t str]) -> Option<&'t str> {
    const LONGEST: usize = 64;
    let letters: Vec<char> = name.chars().take(LONGEST + 1).collect();
    if letters.len() > LONGEST {
        return None;
    }
    let allowed = (letters.len() / 3).max(1);
    candidates
        .iter()
        .map(|candidate| (edits(&letters, candidate, LONGEST), *candidate))
        .filter(|(edits, candidate)| *edits <= allowed && *edits < candidate.chars().count())
        .min_by_key(|(edits, _)| *edits)
        .map(|(_, candidate)| candidate)
}

/// Returns the Levenshtein distance of two words; `usize::MAX` if the second is longer than `longest`.
fn edits(lhs: &[char], rhs: &str, longest: usize) -> usize {
    if rhs.len() > 4 * longest {
        return usize::MAX;
    }
    let mut row: Vec<usize> = (0..=lhs.len()).collect();
    for (line, r) in rhs.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = line + 1;
        for (column, l) in lhs.iter().enumerate() {
            let replaced = diagonal + usize::from(*l != r);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[lhs.len()]
}
