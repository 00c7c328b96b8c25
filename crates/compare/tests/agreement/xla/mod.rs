//! XLA's page *Indexing analysis* and XLA's own maps, compared with ours.
//!
//! `page_*` hold every example of the page, in both directions, with our maps; if the page prints another map, it is proved
//! to be equal, or is an erratum (`errata`). `mistakes` are the maps of XLA's code that are wrong, or wider than the reads.
//! Every claim that the page or XLA is wrong comes with a point at which both maps are evaluated. `docs/errata.md` is
//! generated from the same tables.

mod errata;
mod mistakes;
mod page;
mod page_fusions;
mod page_ops;
mod page_shapes;
mod page_simplifier;

use affinor::expr::{IndexingMap, VariableKind};
use affinor::simplify::{Options, Simplifier};
use affinor::text::{Style, parse_map, print_map};

/// Parses a map.
pub fn map(text: &str) -> IndexingMap {
    parse_map(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// Prints a map.
pub fn text(map: &IndexingMap) -> String {
    print_map(map, Style::Plain)
}

/// Returns the simplifier as the commands use it.
pub fn simplifier() -> impl Fn(&IndexingMap) -> IndexingMap {
    let simplifier = Simplifier::shipped().expect("the shipped rules");
    move |map| simplifier.simplify(map, &Options::default()).map
}

/// A point at which two sides differ.
pub struct Difference {
    /// A map of XLA or of its page.
    pub theirs: &'static str,
    /// The right maps; if none is defined, nothing is read.
    pub right: &'static [&'static str],
    /// Values of all variables of all these maps, by name.
    pub at: &'static [(&'static str, i64)],
    /// The element that their map reads there; `None` if it is not defined.
    pub they_read: Option<&'static [i64]>,
    /// The element that the right maps read there; `None` if none is defined.
    pub is_read: Option<&'static [i64]>,
}

impl Difference {
    /// Evaluates both sides, and checks the elements.
    #[track_caller]
    pub fn check(&self) {
        assert_ne!(self.they_read, self.is_read, "{}", self.theirs);
        let theirs = value_at(&map(self.theirs), self.at);
        assert_eq!(theirs.as_deref(), self.they_read, "{}", self.theirs);
        let right = self.right.iter();
        let mut read: Vec<Vec<i64>> =
            right.filter_map(|text| value_at(&map(text), self.at)).collect();
        read.dedup();
        let expected: Vec<&[i64]> = self.is_read.into_iter().collect();
        assert_eq!(read, expected, "{:?}", self.right);
    }

    /// Writes a row such as `d0 = 1, rt0 = 2: reads (3); right: nothing`.
    pub fn row(&self) -> String {
        let at: Vec<String> =
            self.at.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        let read = |read: Option<&[i64]>| match read {
            None => "nothing".to_owned(),
            Some(index) => {
                let index: Vec<String> = index.iter().map(i64::to_string).collect();
                format!("({})", index.join(", "))
            }
        };
        let (theirs, right) = (read(self.they_read), read(self.is_read));
        format!("{}: {theirs}, right {right}", at.join(", "))
    }
}

/// Returns the results of a map; `None` if it is not defined.
fn value_at(map: &IndexingMap, at: &[(&str, i64)]) -> Option<Vec<i64>> {
    let value = |name: &str| {
        let named = at.iter().find(|(known, _)| *known == name);
        named.unwrap_or_else(|| panic!("{name} has no value")).1
    };
    let variables = map.domain().variables().iter();
    let point: Vec<i64> = variables.map(|variable| value(&variable.name)).collect();
    let defined = map.domain().contains(&point).expect("small numbers");
    defined.then(|| map.eval(&point).expect("small numbers"))
}

/// Removes range and runtime variables that do not matter.
pub fn compressed(map: &IndexingMap) -> IndexingMap {
    map.without_unused(&[VariableKind::Range, VariableKind::Runtime])
}

/// Checks that the part of a file between `<!-- NAME -->` and `<!-- end -->` is `expected`.
#[track_caller]
pub fn check_document(name: &str, expected: &str) {
    let document = include_str!("../../../../../docs/errata.md");
    let begin = format!("<!-- {name} -->\n");
    let part = document.split_once(&begin).and_then(|(_, rest)| rest.split_once("<!-- end -->"));
    let found = part.map_or("", |(part, _)| part);
    assert_eq!(found.trim(), expected.trim(), "docs/errata.md, `{name}`, should say\n{expected}");
}
