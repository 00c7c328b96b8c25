//! Parses CuTe layouts: `[Swizzle<B,M,S> o] [offset o] shape[:stride]`, where a shape is an integer or a list of shapes
//! in parentheses; as CUTLASS prints it, with `_` before integers, and as Python's packages do, `Layout((4,8),(8,1))`.
//! A shape without strides has those of column-major order.

use super::layout::Layout;
use super::mode::{Mode, Swizzle};
use super::token::Token;
use crate::cursor::Cursor;
use affinor::text::{Error, ErrorKind, Span};

/// Maximum nesting of parentheses.
const DEEPEST: usize = 32;

/// An integer, or a list.
enum Tree {
    Number(i64, Span),
    List(Vec<Tree>, Span),
}

impl Tree {
    fn span(&self) -> Span {
        match self {
            Tree::Number(_, span) | Tree::List(_, span) => span.clone(),
        }
    }
}

/// The second operand of a division, product or composition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Tiler {
    /// One layout, over all elements.
    Whole(Layout),
    /// A layout for each of the first modes, `<4:1,8:2>`; `None` leaves a mode unchanged. A shape without strides, `(4,8)`, means
    /// `<4:1,8:1>`, as in CuTe.
    Modes(Vec<Option<Layout>>),
}

impl Layout {
    /// Parses a layout.
    ///
    /// # Errors
    /// Kind `syntax` for invalid text, or strides of another structure than the shape; `overflow` for numbers beyond 64
    /// bits; `too-large` for parentheses nested too deeply. Each has a span.
    pub fn read(text: &str) -> Result<Layout, Error> {
        let mut parser = Parser::new(text);
        let layout = parser.layout(0)?;
        parser.end()?;
        Ok(layout)
    }
}

impl Tiler {
    /// Parses a tiler.
    ///
    /// # Errors
    /// The errors of [`Layout::read`].
    pub fn read(text: &str) -> Result<Tiler, Error> {
        let mut parser = Parser::new(text);
        if parser.cursor.take(Token::Less).is_some() {
            let mut modes = Vec::new();
            loop {
                modes.push(match parser.cursor.take(Token::Any) {
                    Some(_) => None,
                    None => Some(parser.layout(0)?),
                });
                if parser.cursor.take(Token::Greater).is_some() {
                    break;
                }
                parser.expect(Token::Comma, "`,` or `>`")?;
            }
            parser.end()?;
            return Ok(Tiler::Modes(modes));
        }
        let is_shape = !text.contains([':', 'o', '∘', 'L']);
        if is_shape && parser.cursor.peek(0) == Some(Token::Open) {
            let tree = parser.tree(0)?;
            parser.end()?;
            if let Tree::List(parts, _) = tree {
                let modes = parts.iter().map(|part| match part {
                    Tree::Number(..) => Ok(Some(compact(part, text)?)),
                    Tree::List(_, span) => {
                        let message = "the mode of a tiler needs strides here";
                        let error = wrong(span.clone(), message);
                        Err(error.hint("write `<4:1,(2,2):(1,4)>`"))
                    }
                });
                return Ok(Tiler::Modes(modes.collect::<Result<_, _>>()?));
            }
        }
        Layout::read(text).map(Tiler::Whole)
    }
}

impl Swizzle {
    /// Parses a swizzle: `Swizzle<3,4,3>`, `Sw<3,4,3>` or `S<3,4,3>`.
    ///
    /// # Errors
    /// The errors of [`Layout::read`].
    pub(super) fn read(text: &str) -> Result<Swizzle, Error> {
        let mut parser = Parser::new(text);
        let swizzle = parser.swizzle()?;
        parser.end()?;
        Ok(swizzle)
    }
}

/// Builds a mode from a shape and its strides, which must have the same structure.
fn mode(shape: &Tree, strides: &Tree) -> Result<Mode, Error> {
    match (shape, strides) {
        (Tree::Number(size, span), Tree::Number(stride, _)) => {
            Ok(Mode::Leaf { size: positive(*size, span)?, stride: *stride })
        }
        (Tree::List(shapes, _), Tree::List(strides, _)) if shapes.len() == strides.len() => {
            let modes = shapes.iter().zip(strides).map(|(x, y)| mode(x, y));
            Ok(Mode::Nested(modes.collect::<Result<_, _>>()?))
        }
        _ => Err(wrong(strides.span(), "the strides do not match the structure of the shape")
            .hint("write a stride for each size, in the same brackets: `((2,2),4):((1,8),2)`")),
    }
}

fn positive(size: i64, span: &Span) -> Result<i64, Error> {
    match size {
        1.. => Ok(size),
        _ => Err(wrong(span.clone(), format!("a size is at least 1, not {size}"))),
    }
}

/// Builds the column-major layout of a shape without strides.
fn compact(shape: &Tree, text: &str) -> Result<Layout, Error> {
    let mut stride = 1;
    let mode = compact_mode(shape, &mut stride)?;
    layout(mode, matches!(shape, Tree::Number(..)), 0, None, text)
}

fn compact_mode(shape: &Tree, stride: &mut i64) -> Result<Mode, Error> {
    match shape {
        Tree::Number(size, span) => {
            let leaf = Mode::Leaf { size: positive(*size, span)?, stride: *stride };
            *stride = stride.checked_mul(*size).ok_or_else(|| {
                let message = "the shape has more elements than 64 bits can count";
                Error::new(ErrorKind::Overflow, span.clone(), message)
            })?;
            Ok(leaf)
        }
        Tree::List(shapes, _) => {
            let modes = shapes.iter().map(|shape| compact_mode(shape, stride));
            Ok(Mode::Nested(modes.collect::<Result<_, _>>()?))
        }
    }
}

fn layout(
    mode: Mode,
    is_single: bool,
    base: i64,
    swizzle: Option<Swizzle>,
    text: &str,
) -> Result<Layout, Error> {
    Layout::with_base(mode.into_modes(), is_single, base, swizzle)
        .map_err(|error| Error { span: Some(0..text.len()), ..error })
}

fn hinted(error: Error) -> Error {
    error.hint("write a CuTe layout as `(4,8):(8,1)`")
}

fn wrong(span: Span, message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Syntax, span, message)
}

struct Parser<'t> {
    cursor: Cursor<'t, Token>,
}

impl<'t> Parser<'t> {
    fn new(text: &'t str) -> Parser<'t> {
        Parser { cursor: Cursor::new(text) }
    }

    fn expect(&mut self, token: Token, what: &str) -> Result<Span, Error> {
        self.cursor.expect(token, what).map_err(hinted)
    }

    fn expected(&self, what: &str) -> Error {
        hinted(self.cursor.expected(what))
    }

    fn end(&self) -> Result<(), Error> {
        match self.cursor.is_at_end() {
            true => Ok(()),
            false => Err(self.expected("the end of the layout")),
        }
    }

    fn integer(&mut self, what: &str) -> Result<(i64, Span), Error> {
        let span = self.expect(Token::Integer, what)?;
        let digits = self.cursor.text()[span.clone()].trim_start_matches('_');
        let value = digits.parse().map_err(|_| {
            let message = format!("`{digits}` does not fit in 64 bits");
            Error::new(ErrorKind::Overflow, span.clone(), message)
        })?;
        Ok((value, span))
    }

    /// Parses a layout with an optional swizzle and offset.
    fn layout(&mut self, depth: usize) -> Result<Layout, Error> {
        self.check_depth(depth)?;
        if self.cursor.take(Token::Composed).is_some() {
            return self.composed();
        }
        let is_wrapped = self.cursor.peek(0) == Some(Token::Open);
        let swizzle = if is_wrapped && self.cursor.peek(1) == Some(Token::Swizzle) {
            self.expect(Token::Open, "`(`")?;
            let swizzle = self.swizzle()?;
            self.expect(Token::Close, "`)`")?;
            Some(swizzle)
        } else if self.cursor.peek(0) == Some(Token::Swizzle) {
            Some(self.swizzle()?)
        } else {
            None
        };
        if swizzle.is_some() {
            self.expect(Token::After, "`o` and a layout")?;
        }
        let mut base = 0;
        if self.cursor.peek(1) == Some(Token::After) {
            base = self.integer("an offset")?.0;
            self.expect(Token::After, "`o` and a layout")?;
        }
        let (mode, is_single) = self.body(depth)?;
        layout(mode, is_single, base, swizzle, self.cursor.text())
    }

    /// Parses `ComposedLayout(Swizzle(3, 0, 3), Layout((8, 8), (8, 1)), offset=0)`, after the word.
    fn composed(&mut self) -> Result<Layout, Error> {
        self.expect(Token::Open, "`(`")?;
        let swizzle = self.swizzle()?;
        self.expect(Token::Comma, "`,`")?;
        let (mode, is_single) = self.body(0)?;
        let mut base = 0;
        if self.cursor.take(Token::Comma).is_some() {
            self.expect(Token::Offset, "`offset=`")?;
            self.expect(Token::Equals, "`=`")?;
            base = self.integer("an offset")?.0;
        }
        self.expect(Token::Close, "`)`")?;
        layout(mode, is_single, base, Some(swizzle), self.cursor.text())
    }

    /// Parses a shape with strides, optionally in parentheses or in Python's notation.
    fn body(&mut self, depth: usize) -> Result<(Mode, bool), Error> {
        self.check_depth(depth)?;
        let is_python = self.cursor.take(Token::Layout).is_some();
        if is_python || self.has_colon_inside() {
            self.expect(Token::Open, "`(`")?;
            let found = match is_python {
                false => self.body(depth + 1)?,
                true => self.shape(0, Token::Comma)?,
            };
            self.expect(Token::Close, "`)`")?;
            return Ok(found);
        }
        self.shape(depth, Token::Colon)
    }

    /// Parses a shape, and after a separator its strides.
    fn shape(&mut self, depth: usize, separator: Token) -> Result<(Mode, bool), Error> {
        let shape = self.tree(depth)?;
        let is_single = matches!(shape, Tree::Number(..));
        if self.cursor.take(separator).is_none() {
            return Ok((compact_mode(&shape, &mut 1)?, is_single));
        }
        let strides = self.tree(depth)?;
        Ok((mode(&shape, &strides)?, is_single))
    }

    /// Checks whether a parenthesis opens here that encloses a layout, not a list.
    fn has_colon_inside(&self) -> bool {
        if self.cursor.peek(0) != Some(Token::Open) {
            return false;
        }
        let mut open = 0_usize;
        for token in self.cursor.rest() {
            match token {
                Some(Token::Open) => open += 1,
                Some(Token::Close) if open == 1 => return false,
                Some(Token::Close) => open -= 1,
                // With a comma before the colon it is a list, and the colon is an error.
                Some(Token::Comma) if open == 1 => return false,
                Some(Token::Colon) if open == 1 => return true,
                _ => {}
            }
        }
        false
    }

    fn check_depth(&self, depth: usize) -> Result<(), Error> {
        if depth < DEEPEST {
            return Ok(());
        }
        let span = self.cursor.place();
        let message = format!("brackets are nested more than {DEEPEST} deep");
        Err(Error::new(ErrorKind::TooLarge, span, message))
    }

    fn tree(&mut self, depth: usize) -> Result<Tree, Error> {
        let Some(open) = self.cursor.take(Token::Open) else {
            let (value, span) = self.integer("an integer or `(`")?;
            return Ok(Tree::Number(value, span));
        };
        if depth == DEEPEST {
            let message = format!("brackets are nested more than {DEEPEST} deep");
            return Err(Error::new(ErrorKind::TooLarge, open, message));
        }
        let mut list = Vec::new();
        let close = loop {
            if let Some(close) = self.cursor.take(Token::Close) {
                break close;
            }
            if !list.is_empty() {
                self.expect(Token::Comma, "`,` or `)`")?;
                if let Some(close) = self.cursor.take(Token::Close) {
                    break close; // Python's `(4,)`
                }
            }
            list.push(self.tree(depth + 1)?);
        };
        Ok(Tree::List(list, open.start..close.end))
    }

    /// Parses `Swizzle<3,4,3>`, or Python's `Swizzle(3, 4, 3)`.
    fn swizzle(&mut self) -> Result<Swizzle, Error> {
        self.expect(Token::Swizzle, "`Swizzle`")?;
        let close = match self.cursor.take(Token::Open) {
            Some(_) => (Token::Close, "`)`"),
            None => {
                self.expect(Token::Less, "`<`")?;
                (Token::Greater, "`>`")
            }
        };
        let (bits, bits_span) = self.integer("the number of bits")?;
        self.expect(Token::Comma, "`,`")?;
        let (base, base_span) = self.integer("the lowest bit")?;
        self.expect(Token::Comma, "`,`")?;
        let (shift, shift_span) = self.integer("the shift")?;
        self.expect(close.0, close.1)?;
        let small = |value: i64, span: Span| match value {
            0..=30 => Ok(value as u32),
            _ => Err(wrong(span, "expected a number of bits from 0 to 30")),
        };
        let (bits, base) = (small(bits, bits_span)?, small(base, base_span)?);
        if !(-30..=30).contains(&shift) || shift.unsigned_abs() < u64::from(bits) {
            return Err(wrong(shift_span, "a shift is at least the number of bits and at most 30"));
        }
        Ok(Swizzle { bits, base, shift: shift as i32 })
    }
}
