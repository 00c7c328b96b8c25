//! Attributes as written: a name and parameters, each with its span.

use super::token::Token;
use crate::cursor::Cursor;
use affinor::text::{Error, ErrorKind, Span};
use std::collections::BTreeMap;

/// The supported dialects of attributes.
pub(super) const DIALECTS: [&str; 3] = ["#ttg.", "#triton_gpu.", "#ttng."];

/// Maximum nesting.
const DEEPEST: usize = 16;

/// `#ttg.name<[..] {parameter = value, ..}>`
#[derive(Clone, Debug)]
pub(super) struct Attribute {
    /// The name without the dialect.
    pub(super) name: String,
    pub(super) span: Span,
    /// The intervals with paddings before the parameters.
    pub(super) paddings: Vec<(Number, Number)>,
    pub(super) parameters: Vec<Parameter>,
}

#[derive(Clone, Debug)]
pub(super) struct Parameter {
    pub(super) name: String,
    pub(super) span: Span,
    pub(super) value: Value,
}

#[derive(Clone, Debug)]
pub(super) struct Number {
    pub(super) value: i64,
    pub(super) span: Span,
}

#[derive(Clone, Debug)]
pub(super) enum Value {
    Number(Number),
    Flag(bool, Span),
    List(Vec<Value>, Span),
    Attribute(Attribute),
    /// Nested parameters `{register = [..], warp = [..]}`, named after the parameter that contains them.
    Group(Attribute),
}

impl Value {
    pub(super) fn span(&self) -> Span {
        match self {
            Value::Number(number) => number.span.clone(),
            Value::Flag(_, span) | Value::List(_, span) => span.clone(),
            Value::Attribute(attribute) | Value::Group(attribute) => attribute.span.clone(),
        }
    }
}

/// An attribute, and the sizes of the tensor if given.
pub(super) struct Given {
    pub(super) attribute: Attribute,
    pub(super) sizes: Option<Vec<Number>>,
}

pub(super) fn wrong(span: Span, message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Syntax, span, message)
}

/// Parses definitions of aliases, followed by an attribute or a type that has one; without these, returns the last definition.
pub(super) fn read(text: &str) -> Result<Given, Error> {
    let mut parser = Parser { cursor: Cursor::new(text), aliases: BTreeMap::new() };
    let mut last = None;
    while parser.cursor.peek(0) == Some(Token::Hash) && parser.cursor.peek(1) == Some(Token::Equals)
    {
        let name = parser.word(Token::Hash, "an alias")?;
        parser.cursor.skip();
        let attribute = parser.attribute(0)?;
        last = Some(attribute.clone());
        parser.aliases.insert(name.0, attribute);
    }
    let given = match (parser.cursor.peek(0), last) {
        (None, Some(attribute)) if parser.cursor.is_at_end() => Given { attribute, sizes: None },
        (Some(Token::Hash), _) => {
            let attribute = parser.attribute(0)?;
            parser.cursor.take(Token::Colon);
            let sizes = match parser.cursor.is_at_end() {
                true => None,
                false => Some(parser.shape()?.0),
            };
            Given { attribute, sizes }
        }
        _ => match parser.shape()? {
            (sizes, Some(attribute)) => Given { attribute, sizes: Some(sizes) },
            (_, None) => {
                return Err(parser
                    .cursor
                    .expected("a type with a layout, `tensor<64x32xf16, #blocked>`"));
            }
        },
    };
    match parser.cursor.is_at_end() {
        true => Ok(given),
        false => Err(parser.cursor.expected("the end of the layout")),
    }
}

struct Parser<'t> {
    cursor: Cursor<'t, Token>,
    aliases: BTreeMap<String, Attribute>,
}

impl Parser<'_> {
    fn word(&mut self, token: Token, what: &str) -> Result<(String, Span), Error> {
        let span = self.cursor.expect(token, what)?;
        Ok((self.cursor.text()[span.clone()].to_owned(), span))
    }

    fn number(&mut self) -> Result<Number, Error> {
        let (digits, span) = self.word(Token::Integer, "an integer")?;
        let value = digits.parse().map_err(|_| {
            Error::new(ErrorKind::Overflow, span.clone(), "this number does not fit in 64 bits")
        })?;
        Ok(Number { value, span })
    }

    fn attribute(&mut self, depth: usize) -> Result<Attribute, Error> {
        let (name, span) = self.word(Token::Hash, "a layout, such as `#ttg.blocked<{..}>`")?;
        if depth == DEEPEST {
            let message = format!("layouts are nested more than {DEEPEST} deep");
            return Err(Error::new(ErrorKind::TooLarge, span, message));
        }
        if let Some(known) = self.aliases.get(&name) {
            return Ok(Attribute { span, ..known.clone() });
        }
        let bare = DIALECTS.iter().find_map(|dialect| name.strip_prefix(dialect));
        let Some(bare) = bare else {
            let error = Error::new(ErrorKind::Name, span, format!("unknown alias `{name}`"));
            return Err(error.hint(format!(
                "write `{name} = #ttg.blocked<{{..}}>` before it, or the layout in its place"
            )));
        };
        self.cursor.expect(Token::Less, "`<`")?;
        let mut paddings = Vec::new();
        if self.cursor.take(Token::Bracket).is_some() {
            while self.cursor.take(Token::BracketEnd).is_none() {
                if !paddings.is_empty() {
                    self.cursor.expect(Token::Comma, "`,` or `]`")?;
                }
                let interval = self.number()?;
                self.cursor.expect(Token::Padding, "`:+` and a padding, as in `[256:+8]`")?;
                paddings.push((interval, self.number()?));
            }
        }
        // Attributes of tensor memory have no braces.
        let (parameters, end) = match self.cursor.peek(0) {
            Some(Token::Word) => self.parameters_up_to(Token::Greater, "`,` or `>`", depth)?,
            _ => {
                self.cursor.expect(Token::Brace, "`{`")?;
                let (mut found, _) = self.parameters_up_to(Token::BraceEnd, "`,` or `}`", depth)?;
                // `shared_linear` has one parameter after the braces.
                let end = match self.cursor.take(Token::Comma) {
                    Some(_) => {
                        let (behind, end) =
                            self.parameters_up_to(Token::Greater, "`,` or `>`", depth)?;
                        found.extend(behind);
                        end
                    }
                    None => self.cursor.expect(Token::Greater, "`,` or `>`")?,
                };
                (found, end)
            }
        };
        let span = span.start..end.end;
        Ok(Attribute { name: bare.to_owned(), span, paddings, parameters })
    }

    /// Parses `name = value, ..}`; also returns the position of the end.
    fn parameters_up_to(
        &mut self,
        end: Token,
        next: &str,
        depth: usize,
    ) -> Result<(Vec<Parameter>, Span), Error> {
        let mut parameters: Vec<Parameter> = Vec::new();
        loop {
            if let Some(close) = self.cursor.take(end) {
                return Ok((parameters, close));
            }
            if !parameters.is_empty() {
                self.cursor.expect(Token::Comma, next)?;
            }
            let (name, span) = self.word(Token::Word, "the name of a parameter")?;
            if parameters.iter().any(|known| known.name == name) {
                return Err(Error::new(ErrorKind::Name, span, format!("`{name}` is given twice")));
            }
            self.cursor.expect(Token::Equals, "`=`")?;
            let value = self.value(&name, depth + 1)?;
            parameters.push(Parameter { name, span, value });
        }
    }

    fn value(&mut self, parameter: &str, depth: usize) -> Result<Value, Error> {
        match self.cursor.peek(0) {
            Some(Token::Hash) => Ok(Value::Attribute(self.attribute(depth)?)),
            Some(Token::Brace) if depth < DEEPEST => {
                let open = self.cursor.expect(Token::Brace, "`{`")?;
                let (parameters, close) =
                    self.parameters_up_to(Token::BraceEnd, "`,` or `}`", depth)?;
                let span = open.start..close.end;
                let (name, paddings) = (parameter.to_owned(), Vec::new());
                Ok(Value::Group(Attribute { name, span, paddings, parameters }))
            }
            Some(Token::Bracket) if depth < DEEPEST => {
                let open = self.cursor.expect(Token::Bracket, "`[`")?;
                let mut list = Vec::new();
                loop {
                    if let Some(close) = self.cursor.take(Token::BracketEnd) {
                        return Ok(Value::List(list, open.start..close.end));
                    }
                    if !list.is_empty() {
                        self.cursor.expect(Token::Comma, "`,` or `]`")?;
                    }
                    list.push(self.value(parameter, depth + 1)?);
                }
            }
            Some(Token::Word) => {
                let (word, span) = self.word(Token::Word, "a value")?;
                match &*word {
                    "true" => Ok(Value::Flag(true, span)),
                    "false" => Ok(Value::Flag(false, span)),
                    _ => Err(wrong(span, format!("expected a value, found `{word}`"))),
                }
            }
            Some(Token::Integer) => Ok(Value::Number(self.number()?)),
            _ => Err(self.cursor.expected("an integer, a list or a layout")),
        }
    }

    /// Parses `64x32`, `tensor<64x32xf16, #layout>` or `!ttg.memdesc<64x32xf16, #layout, ..>`.
    fn shape(&mut self) -> Result<(Vec<Number>, Option<Attribute>), Error> {
        let is_type = self.cursor.peek(0) == Some(Token::Type)
            || (self.cursor.peek(0) == Some(Token::Word)
                && self.cursor.peek(1) == Some(Token::Less));
        if !is_type {
            return Ok((self.sizes()?, None));
        }
        self.cursor.skip();
        self.cursor.expect(Token::Less, "`<`")?;
        let sizes = self.sizes()?;
        // The element type may contain brackets.
        let mut open = 0_usize;
        while !(open == 0 && matches!(self.cursor.peek(0), Some(Token::Comma | Token::Greater))) {
            match self.cursor.peek(0) {
                _ if self.cursor.is_at_end() => return Err(self.cursor.expected("`>`")),
                Some(Token::Less) => open += 1,
                Some(Token::Greater) => open = open.saturating_sub(1),
                _ => {}
            }
            self.cursor.skip();
        }
        let attribute = match self.cursor.take(Token::Comma) {
            Some(_) => Some(self.attribute(0)?),
            None => None,
        };
        // `#smem`, `mutable` and the like, which do not affect the layout
        while attribute.is_some() && self.cursor.take(Token::Comma).is_some() {
            if let Some(Token::Hash | Token::Word | Token::Sizes | Token::Integer) =
                self.cursor.peek(0)
            {
                self.cursor.skip();
            }
        }
        self.cursor.expect(Token::Greater, "`>`")?;
        Ok((sizes, attribute))
    }

    fn sizes(&mut self) -> Result<Vec<Number>, Error> {
        let hint = "write the shape of the tensor as `64x32`, or a type, `tensor<64x32xf16>`";
        if self.cursor.peek(0) == Some(Token::Integer) {
            return Ok(vec![self.number()?]);
        }
        let (text, span) =
            self.word(Token::Sizes, "the shape of a tensor").map_err(|e| e.hint(hint))?;
        let mut sizes = Vec::new();
        let mut from = span.start;
        for part in text.split('x') {
            let place = from..from + part.len();
            from += part.len() + 1;
            if !part.starts_with(|c: char| c.is_ascii_digit()) {
                break; // the type of the elements
            }
            let value = part.parse().map_err(|_| {
                wrong(place.clone(), format!("expected a size, found `{part}`")).hint(hint)
            })?;
            sizes.push(Number { value, span: place });
        }
        Ok(sizes)
    }
}
