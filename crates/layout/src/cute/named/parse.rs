//! Parses layouts whose sizes have names: `(160,2*n):(1,160)`, or `(4,n)`, column-major, or `(128,ceil_div(m,128)):(1,128)`.

use super::layout::{NamedLayout, Part};
use super::size::Size;
use affinor::text::{Error, ErrorKind, is_name};

/// The quotient rounded up, as CuTe calls it.
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
    /// Parses a layout with names in it.
    ///
    /// # Errors
    /// Kind `syntax`, with a span, for any other text.
    pub fn read(text: &str) -> Result<NamedLayout, Error> {
        let mut parser = Parser { text, at: 0 };
        let shape = parser.tree(0)?;
        let part = if parser.take(':') {
            let strides = parser.tree(0)?;
            part(&shape, &strides).ok_or_else(|| {
                let message = "the strides do not match the structure of the shape";
                Error::new(ErrorKind::Syntax, 0..text.len(), message)
            })?
        } else {
            let mut stride = Size::number(1);
            compact(&shape, &mut stride).ok_or_else(|| {
                let message = "the shape has more elements than 64 bits can count";
                Error::new(ErrorKind::Overflow, 0..text.len(), message)
            })?
        };
        if parser.peek().is_some() {
            return Err(parser.expected("the end of the layout"));
        }
        if part.leaves().len() > MOST_SIZES {
            let message = format!("a layout with names has at most {MOST_SIZES} sizes");
            return Err(Error::new(ErrorKind::TooLarge, 0..text.len(), message));
        }
        Ok(NamedLayout { part })
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

    fn tree(&mut self, depth: usize) -> Result<Tree, Error> {
        if !self.take('(') {
            return self.product(depth).map(Tree::Size);
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
        let _ = self.peek();
        let rest = &self.text[self.at..];
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let word = &rest[..length];
        let is_index = word.strip_prefix('d').is_some_and(|n| n.parse::<u32>().is_ok());
        let size = match word.parse::<i64>() {
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

    /// `m,128)`, behind the name of the function.
    fn quotient(&mut self, depth: usize) -> Result<Size, Error> {
        let start = self.at;
        if depth > DEEPEST {
            let message = format!("quotients are nested more than {DEEPEST} deep");
            return Err(Error::new(ErrorKind::TooLarge, start..start, message));
        }
        let size = self.product(depth)?;
        if !self.take(',') {
            return Err(self.expected("`,` and a divisor"));
        }
        let divisor = self.product(depth)?;
        if !self.take(')') {
            return Err(self.expected("`)`"));
        }
        size.ceil_div(&divisor).ok_or_else(|| {
            let message = "a quotient is of two sizes that are at least 1";
            Error::new(ErrorKind::Syntax, start..self.at, message)
        })
    }
}
