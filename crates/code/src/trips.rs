//! Names that an inner loop steps: in `for (i..) for (j..) { a[k] = ..; k++; }`, `k` grows by a whole inner loop per iteration.
//!
//! Law: if the inner loop runs `n` times in each iteration of the outer one, and changes `x` by `e` each time, the outer loop
//! changes `x` by `n * e` per iteration. Neither may depend on anything that the outer loop changes, except that the inner loop
//! may run once more or once less in each further iteration. Nothing leaves a loop early.

use super::changes::increment;
use super::extent::{closed, loop_length, statements};
use super::program::Reader;
use super::token::Class;
use super::tokens::Tokens;
use super::types::is_type;
use affinor_maps::text::ast::{NodeId, NodeKind, Sign};
use std::ops::Range;

/// The indices of tokens.
type Span = Range<usize>;

/// The maximum nesting depth of loops that are examined.
const MAX_DEPTH: usize = 8;

/// A name that changes in an inner loop.
pub struct Nested<'t> {
    pub name: &'t str,
    /// The index of the statement that steps it.
    pub at: usize,
    /// The index of the amount; `None` if it is 1.
    pub from: Option<usize>,
    pub is_up: bool,
    /// The indices of the headers of the loops around it, from the outside.
    pub heads: Vec<usize>,
}

/// Returns the names that the loops directly in the body step, where `tokens` begins after the outer loop's `for`.
pub fn nested<'t>(tokens: &Tokens<'t>, length: usize) -> Vec<Nested<'t>> {
    let leaves = |at: usize| matches!(tokens.ahead(at).text, "break" | "return" | "continue");
    let mut found = Vec::new();
    if !(0..length).any(leaves) {
        inside(tokens, 0, length, &mut Vec::new(), &mut found);
    }
    found
}

fn inside<'t>(
    tokens: &Tokens<'t>,
    base: usize,
    length: usize,
    heads: &mut Vec<usize>,
    found: &mut Vec<Nested<'t>>,
) {
    let mut own = tokens.clone();
    (0..base).for_each(|_| own.advance());
    for at in statements(&own, length) {
        if own.ahead(at).text == "for" && heads.len() < MAX_DEPTH {
            let mut inner = own.clone();
            (0..=at).for_each(|_| inner.advance());
            let length = loop_length(&inner, own.ahead(at).indent);
            heads.push(base + at + 1);
            inside(tokens, base + at + 1, length, heads, found);
            heads.pop();
        } else if !heads.is_empty()
            && let Some((name, from, is_up)) = increment(&own, at)
        {
            let (at, from) = (base + at, from.map(|from| base + from));
            found.push(Nested { name, at, from, is_up, heads: heads.clone() });
        }
    }
}

/// The header of a loop that counts up by 1: its variable, and the tokens of its ends.
struct Header<'t> {
    name: &'t str,
    /// The first value; `None` if it is 0.
    first: Option<Span>,
    end: Span,
    /// Whether the end is included.
    is_closed: bool,
}

/// The change of a name by a loop: in the first iteration, and the growth of the change in each further one.
pub struct Change {
    pub first: NodeId,
    pub more: Option<NodeId>,
}

impl<'t> Header<'t> {
    /// Reads the header at `at`, after the `for`.
    fn at(tokens: &Tokens<'t>, at: usize) -> Option<Header<'t>> {
        let text = |at: usize| tokens.ahead(at).text;
        let close = closed(tokens, at);
        if text(at) == "(" {
            let types = (at + 1..close).take_while(|at| is_type(text(*at))).count();
            let name = at + 1 + types;
            let ends: Vec<usize> = (at..close).filter(|at| text(*at) == ";").collect();
            let [test, step] = ends[..] else { return None };
            let relation = text(test + 2);
            let is_stepped = match tokens.ahead(step + 1).class {
                Class::Name => text(step + 1) == text(name) && is_by_one(tokens, step + 2),
                _ => is_by_one(tokens, step + 1) && text(step + 3) == text(name),
            };
            let is_known = text(name + 1) == "=" && text(test + 1) == text(name);
            let is_up = is_known && is_stepped && close == step + 5;
            return (is_up && matches!(relation, "<" | "<=")).then(|| Header {
                name: text(name),
                first: Some(name + 2..test),
                end: test + 3..step,
                is_closed: relation == "<=",
            });
        }
        let open = at + 3;
        let close = closed(tokens, open);
        let is_range = text(at + 1) == "in" && text(at + 2) == "range" && text(open) == "(";
        let commas: Vec<usize> = (open..close).filter(|at| text(*at) == ",").collect();
        let (first, end) = match (is_range && text(close) == ":", &commas[..]) {
            (true, []) => (None, open + 1..close - 1),
            (true, [comma]) => (Some(open + 1..*comma), comma + 1..close - 1),
            _ => return None,
        };
        Some(Header { name: text(at), first, end, is_closed: false })
    }

    /// Returns the number by which an end of the loop exceeds `name`: 1 for `i + 1`.
    fn beyond(tokens: &Tokens<'t>, end: &Span, name: &str) -> Option<i64> {
        let texts: Vec<&str> = end.clone().map(|at| tokens.ahead(at).text).collect();
        match texts[..] {
            [own] if own == name => Some(0),
            [own, "+", number] if own == name => number.parse().ok(),
            [own, "-", number] if own == name => number.parse::<u32>().ok().map(|n| -i64::from(n)),
            _ => None,
        }
    }

    /// Returns the numbers of both ends, if they are numbers.
    fn numbers(&self, tokens: &Tokens<'t>) -> (Option<i64>, Option<i64>) {
        let number = |span: &Span| match span.len() {
            1 => tokens.ahead(span.start).text.parse::<i64>().ok().filter(|n| *n < 1 << 31),
            _ => None,
        };
        (self.first.as_ref().map_or(Some(0), number), number(&self.end))
    }
}

impl<'t> Reader<'t> {
    /// Returns the change of a name in an iteration of the outer loop, which begins at the current token; `None` if the numbers
    /// of iterations are not known.
    pub fn change_of(
        &mut self,
        tokens: &Tokens<'t>,
        nested: &Nested<'t>,
        length: usize,
        changed: &[&str],
    ) -> Option<Change> {
        let span = tokens.ahead(nested.at).span.clone();
        let mut by = match nested.from {
            Some(from) => self.amount(tokens, from, length, changed)?,
            None => self.pushed(NodeKind::Integer(1), &span)?,
        };
        let mut more = None;
        for (place, head) in nested.heads.iter().enumerate().rev() {
            let inner = Header::at(tokens, *head)?;
            let outer = Header::at(tokens, 0);
            let triangle = outer.filter(|_| place == 0).and_then(|outer| {
                let (count, grows) = triangle(tokens, &outer, &inner)?;
                let first =
                    self.difference(tokens, (&outer, &inner), grows, count, (length, changed))?;
                Some((first, grows))
            });
            let count = match triangle {
                Some((first, grows)) => {
                    let kind = if grows { by } else { self.pushed(NodeKind::Negate(by), &span)? };
                    more = Some(kind);
                    first
                }
                None => self.trips(tokens, &inner, length, changed)?,
            };
            by = self.pushed(NodeKind::Multiply(count, by), &span)?;
        }
        Some(Change { first: by, more })
    }

    /// Returns the number of iterations of the loop; `None` if that may differ between iterations of the outer loop.
    fn trips(
        &mut self,
        tokens: &Tokens<'t>,
        inner: &Header<'t>,
        length: usize,
        changed: &[&str],
    ) -> Option<NodeId> {
        let span = tokens.ahead(inner.end.start).span.clone();
        let mut terms = vec![(Sign::Plus, self.amount(tokens, inner.end.start, length, changed)?)];
        if let Some(first) = &inner.first {
            terms.push((Sign::Minus, self.amount(tokens, first.start, length, changed)?));
        }
        if inner.is_closed {
            terms.push((Sign::Plus, self.pushed(NodeKind::Integer(1), &span)?));
        }
        let (count, zero) =
            (self.pushed(NodeKind::Sum(terms), &span)?, self.pushed(NodeKind::Integer(0), &span)?);
        self.pushed(NodeKind::Call("max", vec![count, zero]), &span)
    }

    /// Returns the number of iterations of the inner loop in the first iteration of the outer one, which differs by `count` from
    /// the distance between the ends.
    fn difference(
        &mut self,
        tokens: &Tokens<'t>,
        (outer, inner): (&Header<'t>, &Header<'t>),
        grows: bool,
        count: i64,
        (length, changed): (usize, &[&str]),
    ) -> Option<NodeId> {
        let span = tokens.ahead(inner.end.start).span.clone();
        let number = NodeKind::Integer(count.unsigned_abs());
        let sign = if count < 0 { Sign::Minus } else { Sign::Plus };
        let mut terms = vec![(sign, self.pushed(number, &span)?)];
        let (more, less) = match grows {
            true => (outer.first.as_ref(), inner.first.as_ref()),
            false => (Some(&inner.end), outer.first.as_ref()),
        };
        for (sign, end) in [(Sign::Plus, more), (Sign::Minus, less)] {
            if let Some(end) = end {
                terms.push((sign, self.amount(tokens, end.start, length, changed)?));
            }
        }
        self.pushed(NodeKind::Sum(terms), &span)
    }

    fn pushed(&mut self, kind: NodeKind<'t>, span: &affinor_maps::text::Span) -> Option<NodeId> {
        self.parser.push(kind, span.clone()).ok()
    }
}

/// Returns whether the inner loop runs once more, or once less, in each further iteration of the outer one, with a correction of
/// its first number of iterations. That number must never be negative.
fn triangle<'t>(
    tokens: &Tokens<'t>,
    outer: &Header<'t>,
    inner: &Header<'t>,
) -> Option<(i64, bool)> {
    let closed = i64::from(inner.is_closed);
    if let Some(beyond) = Header::beyond(tokens, &inner.end, outer.name) {
        let count = beyond.checked_add(closed)?;
        let ((Some(first), _), (Some(from), _)) = (outer.numbers(tokens), inner.numbers(tokens))
        else {
            return None;
        };
        return (first - from + count >= 0).then_some((count, true));
    }
    let beyond = Header::beyond(tokens, inner.first.as_ref()?, outer.name)?;
    let count = closed.checked_sub(beyond)?;
    // In the last iteration of the outer loop, its variable is one less than its end.
    let last = 1 - i64::from(outer.is_closed);
    let texts = |end: &Span| end.clone().map(|at| tokens.ahead(at).text).collect::<Vec<_>>();
    let gap = match (inner.numbers(tokens).1, outer.numbers(tokens).1) {
        (Some(inner), Some(outer)) => inner - outer,
        _ if texts(&inner.end) == texts(&outer.end) => 0,
        _ => return None,
    };
    (gap.checked_add(last)?.checked_add(count)? >= 0).then_some((count, false))
}

/// Returns whether `++` begins here.
fn is_by_one(tokens: &Tokens<'_>, at: usize) -> bool {
    tokens.ahead(at).text == "+" && tokens.ahead(at + 1).text == "+"
}
