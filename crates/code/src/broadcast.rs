//! Subscripts that only place a vector along a dimension: `offs_m[:, None]`, `tl.arange(0, 8)[None, :]`.
//!
//! Law: such a subscript leaves each element as it is. A vector that is placed along two dimensions of one value is two indices:
//! an `arange` is a different index along each, `arange_0_8` and `arange_0_8_1`; any other name that is used along both is an
//! error. Dimensions are counted from the last, as in broadcasting.
//! Out of scope: subscripts that select elements.

use super::kinds::name_of;
use super::names::{in_maps, index_name, is_range_along};
use super::parse::Parser;
use super::program::Program;
use super::token::Class;
use super::variables::{Variables, Vector};
use affinor_maps::text::ast::{NodeId, NodeKind};
use affinor_maps::text::token::excerpt;
use affinor_maps::text::{Error, ErrorKind, Span};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// The calls that represent subscripts, by the number of dimensions after that of the vector.
const CALLS: [&str; 6] = ["[:]", "[:,1]", "[:,2]", "[:,3]", "[:,4]", "[:,5]"];

/// Returns whether the call represents a subscript.
pub fn is_subscript(name: &str) -> bool {
    CALLS.contains(&name)
}

impl Parser<'_> {
    /// Returns whether a subscript that selects no element begins here.
    pub fn is_broadcast(&self) -> bool {
        let inside = (1..self.tokens.len()).map(|at| self.tokens.ahead(at));
        let mut inside = inside.take_while(|token| token.text != "]").peekable();
        self.tokens.is("[")
            && inside.peek().is_some()
            && inside.all(|token| matches!(token.text, ":" | "," | "...") || is_new(token.text))
    }

    /// Applies the subscripts that follow the value.
    pub fn subscripted(&mut self, mut value: NodeId) -> Result<NodeId, Error> {
        while self.is_broadcast() {
            self.is_python = true;
            let start = self.terms.span(value).start;
            let (mut own, mut behind) = (0, 0);
            while !self.tokens.eat("]") {
                let token = self.tokens.current().clone();
                match token.text {
                    ":" | "..." => (own, behind) = (own + 1, 0),
                    "," => {}
                    _ => behind += 1,
                }
                if token.class == Class::End {
                    return Err(self.tokens.unexpected("`]`"));
                }
                self.tokens.advance();
            }
            let span = start..self.tokens.previous_end();
            let call = CALLS.get(behind).filter(|_| own == 1).ok_or_else(|| {
                let message = "this subscript is not supported";
                let error = Error::new(ErrorKind::Unsupported, span.clone(), message);
                error.hint("a vector is given its dimension by one `:` and at most five `None`")
            })?;
            let along = self.along(value, behind)?;
            value = self.push(NodeKind::Call(call, vec![along]), span)?;
        }
        Ok(value)
    }

    /// Returns the value in which each `arange` that was already placed along another dimension is replaced by a new index with
    /// the same bounds.
    fn along(&mut self, value: NodeId, behind: usize) -> Result<NodeId, Error> {
        let end = self.tokens.previous_end();
        let mut new = BTreeMap::new();
        for id in self.terms.below(value) {
            let Some(name) = self.terms.name(id) else {
                continue;
            };
            let range = self.ranges.iter().position(|(index, _)| *index == id);
            let indices = match (range, self.known.get(name)) {
                (Some(_), _) => vec![in_maps(&index_name(name))],
                (None, Some(indices)) => indices.clone(),
                (None, None) => continue,
            };
            let mut is_other = !indices.is_empty();
            for index in indices {
                is_other &= *self.axes.entry(index).or_insert(behind) != behind;
            }
            let span = self.terms.span(id);
            let longer = self.tokens.source.get(span.start..end).filter(|x| {
                is_other && (range.is_none() || is_range_along(x)) && x.starts_with(name)
            });
            let Some(longer) = longer else {
                continue;
            };
            let index = self.push(NodeKind::Name(longer), span)?;
            new.insert(id, index);
            let Some(range) = range else {
                continue;
            };
            self.bound.push(index_name(longer));
            let conditions = self.ranges[range].1.clone().into_iter();
            let conditions = conditions.map(|condition| self.with_parts(condition, &new));
            let conditions = conditions.collect::<Result<Vec<_>, Error>>()?;
            self.ranges.push((index, conditions));
        }
        self.with_parts(value, &new)
    }
}

/// Returns whether the word adds a dimension.
fn is_new(word: &str) -> bool {
    word == "None" || word.rsplit('.').next() == Some("newaxis")
}

/// The dimension of each vector, by the vector's name in maps: the number of dimensions after it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Axes {
    found: BTreeMap<String, usize>,
}

impl Axes {
    /// Returns the vectors, which are kept with the value when it gets a name.
    pub fn into_list(self) -> Vec<(String, usize)> {
        self.found.into_iter().collect()
    }

    /// Adds the vectors of some values of a program.
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`] at a vector that is also placed along another dimension, or has two subscripts.
    pub fn add(
        &mut self,
        program: &Program,
        values: &[NodeId],
        variables: &Variables,
    ) -> Result<(), Error> {
        let uses = uses(program, values)?;
        let parts: Vec<(&Use, Vector)> = uses
            .iter()
            .flat_map(|place| variables.parts_of(&place.name).into_iter().map(move |x| (place, x)))
            .collect();
        let is_plain =
            |(place, part): &(&Use, Vector)| place.behind.is_none() && part.kept.is_none();
        if self.found.is_empty() && parts.iter().all(is_plain) {
            return Ok(());
        }
        let is_vector = |(place, part): &&(&Use, Vector)| {
            part.kept.is_some() || part.is_range || (place.is_own && part.is_alone)
        };
        let vectors: FxHashSet<String> =
            parts.iter().filter(is_vector).map(|(_, part)| part.name.clone()).collect();
        for (place, part) in parts.into_iter().filter(|(_, part)| vectors.contains(&part.name)) {
            let behind = match (part.kept, place.behind) {
                (Some(1..), Some(_)) => return Err(place.error("has two subscripts")),
                (kept, own) => own.or(kept).unwrap_or(0),
            };
            if *self.found.entry(part.name).or_insert(behind) != behind {
                return Err(place.error("is along two dimensions, and would be two indices"));
            }
        }
        Ok(())
    }
}

/// An occurrence of a name in a value.
struct Use {
    name: String,
    span: Span,
    /// The number of dimensions after it, if it is in a value with a subscript.
    behind: Option<usize>,
    /// Whether the subscript applies to the name alone.
    is_own: bool,
}

impl Use {
    fn error(&self, reason: &str) -> Error {
        let message = format!("`{}` {reason}", excerpt(&self.name));
        let error = Error::new(ErrorKind::Unsupported, self.span.clone(), message);
        error.hint("give each dimension an index: `i * 8 + j for i in range(8) for j in range(8)`")
    }
}

/// Returns the names in some values, once for each subscript that applies to them.
fn uses(program: &Program, values: &[NodeId]) -> Result<Vec<Use>, Error> {
    let term = &program.term;
    let (mut seen, mut found) = (FxHashSet::default(), Vec::new());
    let mut waiting: Vec<_> = values.iter().map(|id| (*id, None, false)).collect();
    while let Some(place @ (id, behind, is_own)) = waiting.pop() {
        if !seen.insert(place) {
            continue;
        }
        let node = term.node(id);
        if let Some(name) = name_of(term, node) {
            found.push(Use { name, span: node.span.clone(), behind, is_own });
            continue;
        }
        let own = match &node.kind {
            NodeKind::Call(name, _) => CALLS.iter().position(|call| call == name),
            _ => None,
        };
        if own.is_some() && behind.is_some() {
            let message = "this value with a subscript has a second one";
            return Err(Error::new(ErrorKind::Unsupported, node.span.clone(), message));
        }
        node.kind.operands(|x| waiting.push((x, own.or(behind), own.is_some())));
    }
    Ok(found)
}
