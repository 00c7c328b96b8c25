//! Parses a CuTe layout: `[Swizzle<B,M,S> o] shape:stride`, where a shape is an integer or a list of shapes in
//! parentheses.

use super::layout::Layout;
use super::mode::{Mode, Swizzle};
use super::token::{Token, Tokens, tokens};
use affinor::text::{Error, ErrorKind, Span};
use std::iter::Peekable;

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

impl Layout {
    /// Parses a layout.
    ///
    /// # Errors
    /// Kind `syntax` for invalid text, or strides of another structure than the shape; `overflow` for numbers beyond 64
    /// bits; `too-large` for parentheses nested too deeply. Each has a span.
    pub fn read(text: &str) -> Result<Layout, Error> {
        let mut parser = Parser { text, tokens: tokens(text).peekable() };
        let swizzle = match parser.peek() {
            Some(Token::Swizzle) => Some(parser.swizzle()?),
            _ => None,
        };
        let shape = parser.tree(0)?;
        parser.expect(Token::Colon, "`:` and the strides")?;
        let strides = parser.tree(0)?;
        parser.end()?;
        let is_single = matches!(shape, Tree::Number(..));
        let modes = match mode(&shape, &strides)? {
            Mode::Nested(modes) => modes,
            leaf => vec![leaf],
        };
        Layout::new(modes, is_single, swizzle)
            .map_err(|error| Error { span: Some(0..text.len()), ..error })
    }
}

/// A shape and its strides, which must have the same structure.
fn mode(shape: &Tree, strides: &Tree) -> Result<Mode, Error> {
    match (shape, strides) {
        (Tree::Number(size, span), Tree::Number(stride, _)) => match size {
            1.. => Ok(Mode::Leaf { size: *size, stride: *stride }),
            _ => Err(wrong(span.clone(), format!("a size is at least 1, not {size}"))),
        },
        (Tree::List(shapes, _), Tree::List(strides, _)) if shapes.len() == strides.len() => {
            let modes = shapes.iter().zip(strides).map(|(x, y)| mode(x, y));
            Ok(Mode::Nested(modes.collect::<Result<_, _>>()?))
        }
        _ => Err(wrong(strides.span(), "the strides do not match the structure of the shape")
            .hint("write a stride for each size, in the same brackets: `((2,2),4):((1,8),2)`")),
    }
}

fn wrong(span: Span, message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Syntax, span, message)
}

struct Parser<'t> {
    text: &'t str,
    tokens: Peekable<Tokens<'t>>,
}

impl Parser<'_> {
    fn peek(&mut self) -> Option<Token> {
        self.tokens.peek().and_then(|(token, _)| token.ok())
    }

    fn take(&mut self, token: Token) -> Option<Span> {
        let next = self.tokens.next_if(|(found, _)| *found == Ok(token));
        next.map(|(_, span)| span)
    }

    fn expect(&mut self, token: Token, what: &str) -> Result<Span, Error> {
        match self.take(token) {
            Some(span) => Ok(span),
            None => Err(self.expected(what)),
        }
    }

    fn expected(&mut self, what: &str) -> Error {
        let end = self.text.len();
        let (span, found) = match self.tokens.peek() {
            Some((_, span)) => (span.clone(), format!("`{}`", &self.text[span.clone()])),
            None => (end..end, "the end of the layout".to_owned()),
        };
        wrong(span, format!("expected {what}, found {found}"))
            .hint("write a CuTe layout as `(4,8):(8,1)`")
    }

    fn end(&mut self) -> Result<(), Error> {
        match self.tokens.peek() {
            None => Ok(()),
            Some(_) => Err(self.expected("the end of the layout")),
        }
    }

    fn integer(&mut self, what: &str) -> Result<(i64, Span), Error> {
        let span = self.expect(Token::Integer, what)?;
        let digits = &self.text[span.clone()];
        let value = digits.parse().map_err(|_| {
            let message = format!("`{digits}` does not fit in 64 bits");
            Error::new(ErrorKind::Overflow, span.clone(), message)
        })?;
        Ok((value, span))
    }

    fn tree(&mut self, depth: usize) -> Result<Tree, Error> {
        let Some(open) = self.take(Token::Open) else {
            let (value, span) = self.integer("an integer or `(`")?;
            return Ok(Tree::Number(value, span));
        };
        if depth == DEEPEST {
            let message = format!("brackets are nested more than {DEEPEST} deep");
            return Err(Error::new(ErrorKind::TooLarge, open, message));
        }
        let mut list = Vec::new();
        let close = loop {
            if let Some(close) = self.take(Token::Close) {
                break close;
            }
            if !list.is_empty() {
                self.expect(Token::Comma, "`,` or `)`")?;
            }
            list.push(self.tree(depth + 1)?);
        };
        Ok(Tree::List(list, open.start..close.end))
    }

    fn swizzle(&mut self) -> Result<Swizzle, Error> {
        self.expect(Token::Swizzle, "`Swizzle`")?;
        self.expect(Token::Less, "`<`")?;
        let (bits, bits_span) = self.integer("the number of bits")?;
        self.expect(Token::Comma, "`,`")?;
        let (base, base_span) = self.integer("the lowest bit")?;
        self.expect(Token::Comma, "`,`")?;
        let (shift, shift_span) = self.integer("the shift")?;
        self.expect(Token::Greater, "`>`")?;
        self.expect(Token::After, "`o` and a layout")?;
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
