//! Indices and sizes of random pieces of code.

use crate::draw::Draw;
use crate::pieces::{Dialect, Form};

/// `scale * name + offset`
#[derive(Clone, Debug)]
pub struct End {
    pub scale: i64,
    pub name: Option<String>,
    pub offset: i64,
}

impl End {
    pub fn number(offset: i64) -> End {
        End { scale: 0, name: None, offset }
    }

    pub fn less_one(&self) -> End {
        End { offset: self.offset - 1, ..self.clone() }
    }

    pub fn text(&self) -> String {
        let Some(name) = &self.name else {
            return self.offset.to_string();
        };
        let product = match self.scale {
            1 => name.clone(),
            scale => format!("{scale} * {name}"),
        };
        match self.offset {
            0 => product,
            offset if offset < 0 => format!("{product} - {}", -offset),
            offset => format!("{product} + {offset}"),
        }
    }
}

#[derive(Clone, Debug)]
pub struct Index {
    /// The name in the code: `i`, `threadIdx.x`, `tl.arange(0, 16)`.
    pub name: String,
    pub lo: i64,
    /// The exclusive upper bound.
    pub end: End,
    pub step: i64,
    /// Whether the code states the bounds; otherwise they only limit the points that are tried.
    pub is_bounded: bool,
}

/// Draws names of sizes.
pub fn sizes(draw: &mut Draw, dialect: Dialect) -> Vec<String> {
    let names: &[&str] = match dialect {
        Dialect::Python => draw.one_of(&[&["n", "m"], &["s0", "s1"], &["H", "W"]]),
        Dialect::C => &["n", "ld"],
        Dialect::Cuda => &["blockDim.x", "n"],
        Dialect::Triton => &["BLOCK", "stride"],
    };
    let count = [0, 0, 1, 1, 2][draw.below(5)];
    names[..count].iter().map(|&name| name.to_owned()).collect()
}

/// Draws indices with bounds that can be stated in the form.
pub fn indices(draw: &mut Draw, dialect: Dialect, form: Form, sizes: &[String]) -> Vec<Index> {
    let names: &[&str] = match dialect {
        Dialect::Python => draw.one_of(&[
            &["i", "j", "k"],
            &["i", "j", "k"],
            &["x", "y", "z"],
            &["i0", "i1", "i2"],
        ]),
        Dialect::C => &["i", "j", "k"],
        Dialect::Cuda => draw.one_of(&[
            &["blockIdx.x", "threadIdx.x", "k"],
            &["threadIdx.x", "threadIdx.y", "i"],
            &["threadIdx.x", "i", "j"],
        ]),
        Dialect::Triton => draw.one_of(&[
            &["tl.program_id(0)", "tl.arange(0, 16)", "k"],
            &["tl.program_id(0)", "tl.program_id(1)", "tl.arange(0, 8)"],
            &["pid", "tl.arange(0, 8)", "k"],
        ]),
    };
    let count = 1 + draw.below(8).div_ceil(3).min(2);
    let has_bounds = form != Form::Function;
    let mut indices: Vec<Index> = Vec::new();
    for (place, name) in names[..count].iter().enumerate() {
        let is_unsigned = name.contains(['.', '(']);
        let width = [16, 9, 5][count - 1];
        let mut index = Index {
            name: (*name).to_owned(),
            lo: 0,
            end: End::number(draw.within(2, width)),
            step: 1,
            is_bounded: true,
        };
        if let Some(end) = name.strip_prefix("tl.arange(0, ") {
            let end = end.trim_end_matches(')').parse().expect("a number");
            index.end = End::number(end);
            indices.push(index);
            continue;
        }
        if !has_bounds || is_unsigned && draw.one_in(8) {
            index.is_bounded = false;
            index.lo = if is_unsigned { 0 } else { -6 };
            index.end = End::number([12, 8, 4][count - 1]);
            indices.push(index);
            continue;
        }
        match draw.below(8) {
            0..=2 if !sizes.is_empty() => {
                let is_plain = !draw.one_in(4);
                index.end = End {
                    scale: if is_plain { 1 } else { draw.within(1, 2) },
                    name: Some(sizes[place % sizes.len()].clone()),
                    offset: if is_plain { 0 } else { draw.within(0, 2) },
                };
            }
            3 if place > 0 && !is_unsigned => {
                index.end =
                    End { scale: 1, name: Some(indices[place - 1].name.clone()), offset: 1 };
                if indices[place - 1].lo < 0
                    || index.end.name.as_ref().is_some_and(|name| name.contains('('))
                {
                    index.end = End::number(4);
                }
            }
            4 if !is_unsigned => {
                index.lo = draw.within(-5, 3);
                index.end.offset += index.lo;
            }
            5 if matches!(form, Form::Loops | Form::Block) => {
                index.step = draw.within(2, 4);
                index.end.offset += 4;
            }
            _ => {}
        }
        indices.push(index);
    }
    indices
}
