//! Loops of MLIR around lines that compute an index.
//!
//! Law: a line's values have the bounds of the loops around it, and no others.

use affinor::text::Span;

/// A part of a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Part {
    /// An operation other than a loop.
    Op(Span),
    Head(Head),
    /// The end of a loop.
    End,
}

/// The head of a loop, `affine.for %i = 0 to 8 step 2 {`: the positions of its name, its bounds and its step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Head {
    pub name: Span,
    pub lower: Span,
    pub upper: Span,
    pub step: Option<Span>,
}

/// Splits a text into operations, and the heads and ends of loops; `None` if loops are not closed, or have another form.
pub fn parts(text: &str) -> Option<Vec<Part>> {
    let (mut parts, mut open) = (Vec::new(), 0usize);
    let mut start = 0;
    for line in text.split('\n') {
        let line_start = start;
        start += line.len() + 1;
        let end = line_start + line.split("//").next().unwrap_or_default().trim_end().len();
        let mut at = line_start;
        while let Some(rest) = text.get(at..end).filter(|rest| !rest.trim().is_empty()) {
            at += rest.len() - rest.trim_start().len();
            let rest = &text[at..end];
            if rest.starts_with('}') {
                open = open.checked_sub(1)?;
                parts.push(Part::End);
                at += 1;
            } else if rest.starts_with("affine.for ") || rest.starts_with("scf.for ") {
                let length = rest.find('{')?;
                parts.push(Part::Head(head(text, at..at + length)?));
                open += 1;
                at += length + 1;
            } else {
                let length = end_of_op(rest);
                parts.push(Part::Op(at..at + rest[..length].trim_end().len()));
                at += length;
            }
        }
    }
    (open == 0).then_some(parts)
}

/// Returns the length of an operation: up to a brace that it does not open, the next operation, or the head of a loop.
fn end_of_op(text: &str) -> usize {
    let mut depth = 0usize;
    for (at, letter) in text.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' if depth == 0 => return at,
            '}' => depth -= 1,
            ' ' if depth == 0 && !text[..at].ends_with(',') && begins_op(&text[at + 1..]) => {
                return at;
            }
            _ => {}
        }
    }
    text.len()
}

/// Returns whether an operation with results begins here, `%name =` or `%a, %b =`, or a loop.
fn begins_op(text: &str) -> bool {
    let mut rest = text;
    while let Some(name) = rest.strip_prefix('%') {
        let is_part = |c: char| c.is_alphanumeric() || "._$-:".contains(c);
        let behind = &name[name.find(|c| !is_part(c)).unwrap_or(name.len())..];
        match behind.strip_prefix(", ") {
            Some(next) => rest = next,
            None => return behind.starts_with(" = "),
        }
    }
    text.starts_with("affine.for ") || text.starts_with("scf.for ")
}

fn head(text: &str, span: Span) -> Option<Head> {
    let all = &text[span.clone()];
    let equals = all.find(" = ")?;
    let to = equals + all[equals..].find(" to ")?;
    let step = all[to..].find(" step ").map(|at| to + at);
    let within = |range: Span| {
        let part = &all[range.clone()];
        let start = span.start + range.start + (part.len() - part.trim_start().len());
        let one = start..start + part.trim().len();
        // A bound by a map, or a loop-carried value, is more than one word.
        (!text[one.clone()].is_empty() && !text[one.clone()].contains([' ', '('])).then_some(one)
    };
    let first = all.find('%')?;
    Some(Head {
        name: within(first + 1..equals)?,
        lower: within(equals + 3..to)?,
        upper: within(to + 4..step.unwrap_or(all.len()))?,
        step: match step {
            Some(step) => Some(within(step + 6..all.len())?),
            None => None,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loops_and_operations() {
        for (text, expected) in [
            ("affine.for %i = 0 to 8 {\n}", Some(&["i 0 8", "}"][..])),
            (
                "affine.for %i = 0 to 100 step 32 { %s = affine.min #m(%i) }",
                Some(&["i 0 100 32", "%s = affine.min #m(%i)", "}"]),
            ),
            (
                "scf.for %i = %a to %b step %c {\n  %x = arith.addi %i, %i {o = 1} : index // }\n}\n",
                Some(&["i %a %b %c", "%x = arith.addi %i, %i {o = 1} : index", "}"]),
            ),
            (
                "affine.for %i = 0 to 8 { %a, %b = affine.delinearize_index %i into (4, 2) : index, index %c:2 = index.add %a, %b affine.for %j = 0 to 2 { } }",
                Some(&[
                    "i 0 8",
                    "%a, %b = affine.delinearize_index %i into (4, 2) : index, index",
                    "%c:2 = index.add %a, %b",
                    "j 0 2",
                    "}",
                    "}",
                ]),
            ),
            ("%x = index.add %a, %b", Some(&["%x = index.add %a, %b"])),
            ("affine.for %i = 0 to 8 {", None),
            ("}", None),
            ("affine.for %i = 0 to min #m(%n) {\n}", None),
            ("affine.for %i = 0 to 8 iter_args(%s = %t) -> (f32) {\n}", None),
        ] {
            let said = |part: &Part| match part {
                Part::Op(span) => text[span.clone()].to_owned(),
                Part::End => "}".to_owned(),
                Part::Head(Head { name, lower, upper, step }) => {
                    let spans = [Some(name), Some(lower), Some(upper), step.as_ref()];
                    let words = spans.into_iter().flatten().map(|span| &text[span.clone()]);
                    words.collect::<Vec<_>>().join(" ")
                }
            };
            let found = parts(text).map(|parts| parts.iter().map(said).collect::<Vec<_>>());
            let expected = expected.map(|list| list.iter().map(|x| (*x).to_owned()).collect());
            assert_eq!(found, expected, "{text}");
        }
    }
}
