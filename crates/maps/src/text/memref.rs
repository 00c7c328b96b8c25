//! MLIR's buffers and sets as maps.
//!
//! ```text
//! memref := 'memref' '<' {size 'x'} type [',' layout] [',' space] '>'       size := integer | '?'
//! layout := 'strided' '<' '[' strides ']' [',' 'offset' ':' number] '>' | 'affine_map' '<' .. '>'
//! ```
//!
//! Law: the map of a buffer maps an index to the position of the element relative to the start of the buffer's memory, in
//! elements: `offset + i1 * stride1 + ..`, row-major if there is no layout. A `?` is a parameter. The map of a set is the
//! identity on its points.

use super::{Error, ErrorKind, parse_map};
use crate::expr::{Domain, Expr, ExprError, IndexingMap, Variable, VariableId, VariableKind};
use crate::num::{Interval, PLUS_INFINITY};

/// A number, or `None` for a `?`, which is known only at run time.
type Number = Option<i64>;

/// Returns the map of `affine_set<..>`: the identity on its points.
///
/// # Errors
/// An [`ErrorKind`] for the fault, at its position in the text.
pub fn set_as_map(text: &str) -> Result<IndexingMap, Error> {
    let start = text.len() - text.trim_start().len();
    let head = "affine_set<";
    let rest = text.trim_start().strip_prefix(head);
    let lists = rest.and_then(|rest| rest.split_once(':')).map(|(lists, _)| lists);
    let dimensions = lists.and_then(|lists| lists.split_inclusive(')').next());
    let (Some(lists), Some(dimensions)) = (lists, dimensions) else {
        let error =
            Error::new(ErrorKind::Syntax, start..text.len(), "expected `affine_set<(d0) : (..)>`");
        return Err(error.hint("write `affine_set<(d0, d1) : (d0 - d1 >= 0)>`"));
    };
    let before = format!("affine_map<{lists} -> {dimensions}>, ");
    parse_map(&format!("{before}{}", text.trim())).map_err(|mut error| {
        let moved = |at: usize| (at.saturating_sub(before.len()) + start).min(text.len());
        error.span = error.span.map(|span| moved(span.start)..moved(span.end));
        error
    })
}

/// Returns the map of `memref<..>`.
///
/// # Errors
/// [`ErrorKind::Syntax`], [`ErrorKind::Arity`] if the number of strides differs from the rank, [`ErrorKind::Overflow`].
pub fn memref(text: &str) -> Result<IndexingMap, Error> {
    let mut reader = Reader { text, at: 0 };
    reader.take("memref")?;
    reader.take("<")?;
    let mut sizes = Vec::new();
    while let Some(size) = reader.number()? {
        reader.take("x")?;
        sizes.push(size);
    }
    reader.element_type()?;
    let mut layout = None;
    let mut composed = None;
    while reader.eat(",") {
        if reader.eat("strided") {
            layout = Some(reader.strided(sizes.len())?);
        } else if reader.rest().starts_with("affine_map") {
            let end = reader.balanced();
            let map = parse_map(&text[reader.at..end]).map_err(|error| error.shifted(reader.at))?;
            composed = Some((map, reader.at..end));
            reader.at = end;
        } else {
            reader.at = reader.balanced().max(reader.at + 1); // the memory space
        }
    }
    reader.take(">")?;
    if !reader.rest().is_empty() {
        return Err(reader.wrong("the end of the type"));
    }
    let (strides, offset) = match layout {
        Some(layout) => layout,
        None => (Vec::new(), Some(0)),
    };
    let has_layout = !strides.is_empty() || sizes.is_empty();
    let map = Buffer { sizes, strides, offset }
        .map(has_layout)
        .map_err(|error| Error::new(ErrorKind::Overflow, 0..text.len(), error.to_string()))?;
    match composed {
        None => Ok(map),
        Some((layout, span)) => {
            let identity: Vec<Expr> =
                map.domain().ids(VariableKind::Dimension).map(Expr::variable).collect();
            let index = IndexingMap::new(map.domain().clone(), identity);
            let wrong = |error: &dyn std::fmt::Display| {
                Error::new(ErrorKind::Arity, span.clone(), error.to_string())
            };
            index.then(&layout).map_err(|error| wrong(&error))
        }
    }
}

struct Buffer {
    sizes: Vec<Number>,
    strides: Vec<Number>,
    offset: Number,
}

impl Buffer {
    fn map(&self, has_layout: bool) -> Result<IndexingMap, ExprError> {
        let rank = self.sizes.len();
        let mut variables: Vec<Variable> = (0..rank)
            .map(|i| {
                let bounds = match self.sizes[i] {
                    Some(size) => Interval::of_size(size),
                    None => Interval::new(0, PLUS_INFINITY),
                };
                Variable::new(format!("d{i}"), VariableKind::Dimension, bounds)
            })
            .collect();
        let mut parameter = |name: String, least: Interval| {
            variables.push(Variable::new(name, VariableKind::Parameter, least));
            Expr::variable(VariableId(variables.len() as u32 - 1))
        };
        let sizes: Vec<Expr> = (0..rank)
            .map(|i| match self.sizes[i] {
                Some(size) => Expr::constant(size),
                None => parameter(format!("size{i}"), Interval::new(0, PLUS_INFINITY)),
            })
            .collect();
        let strides: Vec<Expr> = match has_layout {
            true => (0..rank)
                .map(|i| match self.strides[i] {
                    Some(stride) => Expr::constant(stride),
                    None => parameter(format!("stride{i}"), Interval::ALL),
                })
                .collect(),
            false => {
                let mut strides = vec![Expr::constant(1); rank];
                for i in (1..rank).rev() {
                    strides[i - 1] = strides[i].times(&sizes[i])?;
                }
                strides
            }
        };
        let mut position = match self.offset {
            Some(offset) => Expr::constant(offset),
            None => parameter("offset".to_owned(), Interval::ALL),
        };
        for (i, stride) in strides.iter().enumerate() {
            let index = Expr::variable(VariableId(i as u32));
            position = position.add(&index.times(stride)?)?;
        }
        let mut domain = Domain::new(variables);
        for (i, size) in sizes.iter().enumerate().filter(|(i, _)| self.sizes[*i].is_none()) {
            let index = Expr::variable(VariableId(i as u32));
            domain.constrain(&index.sub(size)?, Interval::new(i64::MIN, -1));
        }
        Ok(IndexingMap::new(domain, vec![position]))
    }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Reader<'t> {
    fn rest(&mut self) -> &'t str {
        let rest = self.text.get(self.at..).unwrap_or("");
        self.at += rest.len() - rest.trim_start().len();
        rest.trim_start()
    }

    fn eat(&mut self, word: &str) -> bool {
        let found = self.rest().starts_with(word);
        if found {
            self.at += word.len();
        }
        found
    }

    fn take(&mut self, word: &str) -> Result<(), Error> {
        match self.eat(word) {
            true => Ok(()),
            false => Err(self.wrong(&format!("`{word}`"))),
        }
    }

    fn wrong(&mut self, expected: &str) -> Error {
        let rest = self.rest();
        let found = match rest.chars().next() {
            Some(letter) => format!("`{letter}`"),
            None => "the end of the text".to_owned(),
        };
        let end = self.at + rest.chars().next().map_or(0, char::len_utf8);
        let error = Error::new(
            ErrorKind::Syntax,
            self.at..end,
            format!("expected {expected}, found {found}"),
        );
        error.hint("write `memref<4x8xf32>` or `memref<4x8xf32, strided<[8, 1], offset: 0>>`")
    }

    /// Parses an integer or `?`, if present.
    fn number(&mut self) -> Result<Option<Number>, Error> {
        if self.eat("?") {
            return Ok(Some(None));
        }
        let rest = self.rest();
        let sign = usize::from(rest.starts_with('-'));
        let digits = rest[sign..].bytes().take_while(u8::is_ascii_digit).count();
        if digits == 0 {
            return Ok(None);
        }
        let span = self.at..self.at + sign + digits;
        let number = self.text[span.clone()].parse::<i64>();
        let number = number
            .ok()
            .filter(|number| number.checked_neg().is_some() && *number < PLUS_INFINITY - 1);
        let message = "this integer does not fit in 64 bits";
        let number =
            number.ok_or_else(|| Error::new(ErrorKind::Overflow, span.clone(), message))?;
        self.at = span.end;
        Ok(Some(Some(number)))
    }

    /// Parses an element type, such as `f32`, `vector<4xf32>` or `complex<f32>`.
    fn element_type(&mut self) -> Result<(), Error> {
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '!' | '.');
        let rest = self.rest();
        let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        if length == 0 {
            return Err(self.wrong("a size or the type of the elements"));
        }
        self.at += length;
        if self.rest().starts_with('<') {
            self.at = self.balanced();
        }
        Ok(())
    }

    /// Parses the strides and the offset, such as `<[8, 1], offset: 3>`.
    fn strided(&mut self, rank: usize) -> Result<(Vec<Number>, Number), Error> {
        let start = self.at;
        self.take("<")?;
        self.take("[")?;
        let mut strides = Vec::new();
        while let Some(stride) = self.number()? {
            strides.push(stride);
            if !self.eat(",") {
                break;
            }
        }
        self.take("]")?;
        let mut offset = Some(0);
        if self.eat(",") {
            self.take("offset")?;
            self.take(":")?;
            offset = self.number()?.ok_or_else(|| self.wrong("an integer or `?`"))?;
        }
        self.take(">")?;
        if strides.len() != rank {
            let message = format!("{} strides for {rank} sizes", strides.len());
            return Err(Error::new(ErrorKind::Arity, start..self.at, message));
        }
        Ok((strides, offset))
    }

    /// Returns the end of the text up to the next `,` or `>` outside of brackets.
    fn balanced(&mut self) -> usize {
        let mut depth = 0usize;
        let mut previous = ' ';
        for (at, letter) in self.rest().char_indices() {
            match letter {
                '<' | '(' | '[' => depth += 1,
                '>' if previous == '-' => {}
                ',' | '>' if depth == 0 => return self.at + at,
                '>' | ')' | ']' => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 && letter == '>' {
                        return self.at + at + 1;
                    }
                }
                _ => {}
            }
            previous = letter;
        }
        self.text.len()
    }
}
