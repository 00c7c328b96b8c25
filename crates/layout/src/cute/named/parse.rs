//! Parses layouts whose sizes have names: `(160,2*n):(1,160)`, or `(4,n)`, column-major, or `(128,ceil_div(m,128)):(1,128)`; with
//! a swizzle, `Swizzle<3,3,3> o (n,64):(64,1)`; tilers of these, `<4:1,_,n:2>`; and conditions, `8 divides n` or `n >= 8`.

use super::given::Condition;
use super::layout::{NamedLayout, Part};
use super::size::Size;
use super::tiler::NamedTiler;
use crate::cute::mode::Swizzle;
use affinor::text::{Error, ErrorKind, is_name};

/// CuTe's name of the quotient rounded up.
const CEIL_DIV: &str = "ceil_div";

/// Maximum nesting of parentheses.
const DEEPEST: usize = 32;

/// Maximum number of factors of a size.
const MOST_FACTORS: usize = 16;

/// Maximum number of sizes of a layout.
const MOST_SIZES: usize = 128;

enum Tree {
    Size(Size),
    List(Vec<Tree>),
}

impl NamedLayout {
    /// Parses a layout with named sizes.
    ///
    /// # Errors
    /// Kind `syntax`, with a span, for any other text.
    pub fn read(text: &str) -> Result<NamedLayout, Error> {
        let mut parser = Parser { text, at: 0 };
        let layout = parser.layout()?;
        parser.end()?;
        Ok(layout)
    }
}

impl NamedTiler {
    /// Parses a tiler with named sizes: a layout, `<4:1,_,n:2>`, or a shape without strides, `(4,n)`.
    ///
    /// # Errors
    /// The errors of [`NamedLayout::read`].
    pub fn read(text: &str) -> Result<NamedTiler, Error> {
        let mut parser = Parser { text, at: 0 };
        if parser.take('<') {
            let mut modes = Vec::new();
            loop {
                modes.push(match parser.takes_any() {
                    true => None,
                    false => Some(parser.layout()?),
                });
                if modes.len() > MOST_SIZES {
                    return Err(parser.too_many());
                }
                if parser.take('>') {
                    break;
                }
                if !parser.take(',') {
                    return Err(parser.expected("`,` or `>`"));
                }
            }
            parser.end()?;
            return Ok(NamedTiler::Modes(modes));
        }
        let is_shape = !text.contains([':', '<']);
        if is_shape && parser.peek() == Some('(') {
            let start = parser.at;
            let Tree::List(sizes) = parser.tree(0)? else {
                return Err(parser.expected("a shape"));
            };
            let span = start..parser.at;
            parser.end()?;
            let mode = |size: &Tree| match size {
                Tree::Size(size) => {
                    let leaf = Part::Leaf(size.clone(), Size::number(1));
                    Ok(Some(NamedLayout::plain(leaf)))
                }
                Tree::List(_) => {
                    let message = "the mode of a tiler needs strides here";
                    let error = Error::new(ErrorKind::Syntax, span.clone(), message);
                    Err(error.hint("write `<4:1,(2,n):(1,4)>`"))
                }
            };
            return Ok(NamedTiler::Modes(sizes.iter().map(mode).collect::<Result<_, _>>()?));
        }
        NamedLayout::read(text).map(NamedTiler::Whole)
    }
}

impl Condition {
    /// Parses a condition: `8 divides n`, `n >= 2*m` or `2*n <= 3`.
    ///
    /// # Errors
    /// Kind `syntax`, with a span, for any other text, and for a side that may be below 1.
    pub fn read(text: &str) -> Result<Condition, Error> {
        let mut parser = Parser { text, at: 0 };
        let left = parser.positive()?;
        let _ = parser.peek();
        let rest = &text[parser.at..];
        let known = ["divides ", ">=", "<="].into_iter().find(|word| rest.starts_with(word));
        let Some(word) = known else {
            return Err(parser.expected("`divides`, `>=` or `<=`"));
        };
        parser.at += word.len();
        let right = parser.positive()?;
        parser.end()?;
        Ok(match word {
            ">=" => Condition::at_most(&right, &left),
            "<=" => Condition::at_most(&left, &right),
            _ => Condition::divides(&left, &right),
        })
    }
}

fn part(shape: &Tree, strides: &Tree) -> Option<Part> {
    match (shape, strides) {
        (Tree::Size(size), Tree::Size(stride)) => Some(Part::Leaf(size.clone(), stride.clone())),
        (Tree::List(shapes), Tree::List(strides)) if shapes.len() == strides.len() => {
            let parts = shapes.iter().zip(strides).map(|(x, y)| part(x, y));
            Some(Part::Nested(parts.collect::<Option<_>>()?))
        }
        _ => None,
    }
}

fn compact(shape: &Tree, stride: &mut Size) -> Option<Part> {
    match shape {
        Tree::Size(size) => {
            let leaf = Part::Leaf(size.clone(), stride.clone());
            *stride = stride.times(size)?;
            Some(leaf)
        }
        Tree::List(shapes) => {
            let parts = shapes.iter().map(|shape| compact(shape, stride));
            Some(Part::Nested(parts.collect::<Option<_>>()?))
        }
    }
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
}

impl Parser<'_> {
    fn peek(&mut self) -> Option<char> {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        self.text[self.at..].chars().next()
    }

    fn take(&mut self, expected: char) -> bool {
        let is_next = self.peek() == Some(expected);
        if is_next {
            self.at += expected.len_utf8();
        }
        is_next
    }

    fn expected(&mut self, what: &str) -> Error {
        let next = self.peek().map_or(0, char::len_utf8);
        let message = format!("expected {what}");
        Error::new(ErrorKind::Syntax, self.at..self.at + next, message)
            .hint("write a layout with names as `(160,2*n):(1,160)`")
    }

    fn end(&mut self) -> Result<(), Error> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.expected("the end of the text")),
        }
    }

    fn too_many(&self) -> Error {
        let message = format!("a layout with names has at most {MOST_SIZES} sizes");
        Error::new(ErrorKind::TooLarge, 0..self.text.len(), message)
    }

    /// Parses `_`, which leaves a mode unchanged, but not `_8`.
    fn takes_any(&mut self) -> bool {
        let is_any = self.peek() == Some('_') && {
            let behind = self.text[self.at + 1..].trim_start();
            behind.starts_with([',', '>'])
        };
        is_any && self.take('_')
    }

    /// Parses an optional `Swizzle<3,3,3> o`, and a layout.
    fn layout(&mut self) -> Result<NamedLayout, Error> {
        let _ = self.peek();
        let start = self.at;
        let swizzle = self.swizzle()?;
        let shape = self.tree(0)?;
        let part = if self.take(':') {
            let strides = self.tree(0)?;
            part(&shape, &strides).ok_or_else(|| {
                let message = "the strides do not match the structure of the shape";
                Error::new(ErrorKind::Syntax, start..self.at, message)
            })?
        } else {
            let mut stride = Size::number(1);
            compact(&shape, &mut stride).ok_or_else(|| {
                let message = "the shape has more elements than 64 bits can count";
                Error::new(ErrorKind::Overflow, start..self.at, message)
            })?
        };
        if part.leaves().len() > MOST_SIZES {
            return Err(self.too_many());
        }
        Ok(NamedLayout::plain(part).under(swizzle))
    }

    /// Parses a swizzle as in layouts of numbers, with the `o` and an offset of 0 after it.
    fn swizzle(&mut self) -> Result<Option<Swizzle>, Error> {
        let rest = &self.text[self.at..];
        if !["Swizzle<", "Swizzle(", "Sw<", "Sw(", "S<", "S("]
            .iter()
            .any(|start| rest.starts_with(start))
        {
            return Ok(None);
        }
        let end = rest.find(['>', ')']).map_or(rest.len(), |end| end + 1);
        let swizzle = Swizzle::read(&rest[..end]).map_err(|error| {
            let span = error.span.map(|span| self.at + span.start..self.at + span.end);
            Error { span, ..error }
        })?;
        self.at += end;
        let _ = self.peek();
        let mut rest = self.text[self.at..].chars();
        if !matches!(rest.next(), Some('o' | '∘')) {
            return Err(self.expected("`o` and a layout"));
        }
        self.at = self.text.len() - rest.as_str().len();
        let _ = self.peek();
        let mut words = self.text[self.at..].split_whitespace();
        if (words.next(), words.next()) == (Some("0"), Some("o")) {
            let rest = self.text[self.at..].split_once('o').map_or("", |(_, rest)| rest);
            self.at = self.text.len() - rest.len();
        }
        Ok(Some(swizzle))
    }

    fn positive(&mut self) -> Result<Size, Error> {
        let _ = self.peek();
        let start = self.at;
        let size = self.sum(0)?;
        match size.is_zero() || size.is_negative() {
            false => Ok(size),
            true => {
                let message = "a size in a condition is at least 1";
                Err(Error::new(ErrorKind::Syntax, start..self.at, message))
            }
        }
    }

    fn tree(&mut self, depth: usize) -> Result<Tree, Error> {
        if !self.take('(') {
            return self.sum(depth).map(Tree::Size);
        }
        if depth == DEEPEST {
            let message = format!("brackets are nested more than {DEEPEST} deep");
            return Err(Error::new(ErrorKind::TooLarge, self.at - 1..self.at, message));
        }
        let mut list = Vec::new();
        while !self.take(')') {
            if !list.is_empty() && !self.take(',') {
                return Err(self.expected("`,` or `)`"));
            }
            list.push(self.tree(depth + 1)?);
        }
        Ok(Tree::List(list))
    }

    fn sum(&mut self, depth: usize) -> Result<Size, Error> {
        let mut all = self.product(depth)?;
        while self.take('+') {
            let start = self.at;
            let next = self.product(depth)?;
            all = all.plus(&next).ok_or_else(|| {
                let message = "a sum has a few terms, each at least 1";
                Error::new(ErrorKind::Unsupported, start..self.at, message)
            })?;
        }
        Ok(all)
    }

    fn product(&mut self, depth: usize) -> Result<Size, Error> {
        let mut all = self.factor(depth)?;
        let mut count = 1;
        while self.take('*') {
            let start = self.at;
            let next = self.factor(depth)?;
            count += 1;
            let product = if count > MOST_FACTORS { None } else { all.times(&next) };
            all = product.ok_or_else(|| {
                let message = "this product is too large";
                Error::new(ErrorKind::TooLarge, start..self.at, message)
            })?;
        }
        Ok(all)
    }

    fn factor(&mut self, depth: usize) -> Result<Size, Error> {
        if self.take('(') {
            if depth > DEEPEST {
                let message = format!("brackets are nested more than {DEEPEST} deep");
                return Err(Error::new(ErrorKind::TooLarge, self.at - 1..self.at, message));
            }
            let sum = self.sum(depth + 1)?;
            return match self.take(')') {
                true => Ok(sum),
                false => Err(self.expected("`)`")),
            };
        }
        let _ = self.peek();
        let rest = &self.text[self.at..];
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let word = &rest[..length];
        let is_index = word.strip_prefix('d').is_some_and(|n| n.parse::<u32>().is_ok());
        let number = word.strip_prefix('_').filter(|number| number.parse::<i64>().is_ok());
        let size = match number.unwrap_or(word).parse::<i64>() {
            Ok(number) => Size::number(number),
            Err(_) if is_name(word) && !is_index => Size::name(word),
            Err(_) => return Err(self.expected("an integer or a name")),
        };
        self.at += length;
        if word == CEIL_DIV && self.take('(') {
            return self.quotient(depth + 1);
        }
        Ok(size)
    }

    /// Parses `m,128)`, after the name of the function.
    fn quotient(&mut self, depth: usize) -> Result<Size, Error> {
        let start = self.at;
        if depth > DEEPEST {
            let message = format!("quotients are nested more than {DEEPEST} deep");
            return Err(Error::new(ErrorKind::TooLarge, start..start, message));
        }
        let size = self.sum(depth)?;
        if !self.take(',') {
            return Err(self.expected("`,` and a divisor"));
        }
        let divisor = self.sum(depth)?;
        if !self.take(')') {
            return Err(self.expected("`)`"));
        }
        size.ceil_div(&divisor).ok_or_else(|| {
            let message = "a quotient is of two sizes that are at least 1";
            Error::new(ErrorKind::Syntax, start..self.at, message)
        })
    }
}
