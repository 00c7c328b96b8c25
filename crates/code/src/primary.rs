//! Parses operands: numbers, names, casts to a type between `<` and `>`, and brackets.

use super::kinds::is_builtin;
use super::number::{integer, type_of};
use super::parse::Parser;
use super::token::{Class, Token, is_reserved};
use super::types::{Type, is_type};
use affinor_maps::text::ast::{NodeId, NodeKind};
use affinor_maps::text::token::excerpt;
use affinor_maps::text::{Error, ErrorKind};

impl<'t> Parser<'t> {
    pub fn primary(&mut self) -> Result<NodeId, Error> {
        let token = self.tokens.current().clone();
        match token.class {
            Class::Integer => self.number(&token),
            Class::Name if !is_reserved(token.text) => self.name(&token),
            // `ceildiv(a, b)`, where an operator is not possible
            Class::Name if divides(token.text) && self.tokens.ahead(1).text == "(" => {
                self.name(&token)
            }
            Class::Operator if token.text == "(" => {
                self.tokens.advance();
                self.tokens.depth += 1;
                let inner = self.choice()?;
                self.close_bracket(&token, "(", ")")?;
                self.bare_bits.remove(&inner);
                if !self.locals.values().any(|local| *local == inner) {
                    let span = token.span.start..self.tokens.previous_end();
                    self.terms.widen(inner, span);
                }
                Ok(inner)
            }
            Class::Operator if matches!(token.text, "⌊" | "⌈") => self.rounded(&token),
            _ => Err(self.no_operand()),
        }
    }

    /// Parses `⌊x / y⌋` or `⌈x / y⌉`.
    fn rounded(&mut self, open: &Token<'t>) -> Result<NodeId, Error> {
        let (close, call) = match open.text {
            "⌊" => ("⌋", "floor"),
            _ => ("⌉", "ceil"),
        };
        self.tokens.advance();
        self.tokens.depth += 1;
        let inner = self.choice()?;
        self.close_bracket(open, open.text, close)?;
        let span = open.span.start..self.tokens.previous_end();
        self.push(NodeKind::Call(call, vec![inner]), span)
    }

    fn no_operand(&self) -> Error {
        let token = self.tokens.current();
        let error = self.tokens.unexpected("a value");
        match (token.class, token.text) {
            (Class::Fraction, _) => Error::new(
                ErrorKind::Unsupported,
                token.span.clone(),
                format!("`{}` is not an integer", excerpt(token.text)),
            )
            .hint("index maps are about integers"),
            (_, "=") => error.hint("two values are compared with `==`"),
            (_, "{") => {
                error.hint("a set is written as isl does: `{ [i, j] : 0 <= i < 8 and i + j < 10 }`")
            }
            (_, "*") => error.hint("pointers cannot be read; write the index alone"),
            (_, "lambda") => error.hint("a lambda comes first: `lambda i, j: i * 8 + j`"),
            _ => error,
        }
    }

    /// Parses an integer, and a name that follows without a space: `16d0` is one factor.
    fn number(&mut self, token: &Token<'t>) -> Result<NodeId, Error> {
        let value = integer(token)?;
        let of = type_of(token);
        if of != Type::Plain {
            self.is_c();
        }
        self.tokens.advance();
        let mut number = self.push(NodeKind::Integer(value), token.span.clone())?;
        if of != Type::Plain {
            let kind = NodeKind::Call(of.conversion(), vec![number]);
            number = self.push(kind, token.span.clone())?;
        }
        let next = self.tokens.current().clone();
        let is_factor = next.class == Class::Name
            && next.span.start == token.span.end
            && !is_reserved(next.text);
        if !is_factor {
            return Ok(number);
        }
        let name = self.name(&next)?;
        let span = token.span.start..self.tokens.previous_end();
        self.push(NodeKind::Multiply(number, name), span)
    }

    /// Parses a variable, the name of a value, or a call.
    fn name(&mut self, token: &Token<'t>) -> Result<NodeId, Error> {
        self.tokens.advance();
        if token.text.starts_with("std::") || (is_builtin(token.text) && !self.is_python) {
            self.c.get_or_insert(token.span.clone());
        }
        self.is_triton |= token.text.starts_with("tl.");
        if token.text == "static_cast" && self.tokens.is("<") {
            return self.static_cast(token);
        }
        if self.memory.is_some() && matches!(token.text, "tl.load" | "tl.store") {
            self.tokens.back();
            self.pointer_access()?;
            return self.unknown(token.span.clone());
        }
        if token.text == "sizeof" && self.tokens.is("(") {
            return self.size_of(token);
        }
        if self.tokens.is("(") {
            return self.call(token);
        }
        if self.memory.is_some() && self.tokens.is("[") && !self.is_broadcast() {
            self.element(token)?;
            return self.unknown(token.span.clone());
        }
        if self.tokens.is("[") && !self.is_broadcast() {
            let message = format!("`{}[..]` is an element of an array", excerpt(token.text));
            let span = token.span.clone();
            let error = Error::new(ErrorKind::Unsupported, span, message);
            return Err(error
                .hint("write a name in its place, which is then any integer, or the index alone"));
        }
        if let Some(reason) = no_variable(token.text) {
            let error = Error::new(ErrorKind::Unsupported, token.span.clone(), reason);
            return Err(error.hint("write an integer expression"));
        }
        let memory = self.memory.as_ref();
        if let Some(memory) = memory.filter(|memory| memory.pointers.contains_key(token.text)) {
            // Outside of an address, a pointer is not an integer.
            if !memory.is_address || self.is_unknown(token.text) {
                return self.unknown(token.span.clone());
            }
            if !self.locals.contains_key(token.text) {
                return self.first_element(token.span.clone());
            }
        }
        if self.is_unknown(token.text) {
            return self.unknown(token.span.clone());
        }
        match (self.locals.get(token.text), token.text) {
            (Some(value), _) => Ok(*value),
            (None, "True" | "true") => self.push(NodeKind::And(Vec::new()), token.span.clone()),
            (None, "False" | "false") => self.push(NodeKind::Or(Vec::new()), token.span.clone()),
            (None, _) => self.push(NodeKind::Name(token.text), token.span.clone()),
        }
    }

    /// Parses `sizeof(float)`, a `size_t`.
    fn size_of(&mut self, token: &Token<'t>) -> Result<NodeId, Error> {
        self.c.get_or_insert(token.span.clone());
        self.tokens.take("(")?;
        let mut words = Vec::new();
        while self.tokens.current().class == Class::Name {
            words.push(self.tokens.current().text);
            self.tokens.advance();
        }
        let bytes = match (&words[..], Type::of_words(words.iter().copied())) {
            (["half" | "__half" | "__nv_bfloat16"], _) => Some(2),
            (["float" | "half2" | "__half2"], _) => Some(4),
            (["double" | "float2"], _) => Some(8),
            (["float4" | "int4" | "double2"], _) => Some(16),
            (_, Type::Bool) => Some(1),
            (_, Type::Signed(bits) | Type::Unsigned(bits)) => Some(bits / 8),
            _ => None,
        };
        let Some(bytes) = bytes.filter(|_| self.tokens.is(")")) else {
            return Err(self.tokens.unexpected("the name of a type"));
        };
        self.tokens.advance();
        let span = token.span.start..self.tokens.previous_end();
        let value = self.push(NodeKind::Integer(bytes.into()), span.clone())?;
        self.push(NodeKind::Call(Type::Unsigned(64).conversion(), vec![value]), span)
    }

    /// Parses `static_cast<unsigned char>(x)`.
    fn static_cast(&mut self, token: &Token<'t>) -> Result<NodeId, Error> {
        self.c.get_or_insert(token.span.clone());
        self.tokens.take("<")?;
        let mut words = Vec::new();
        while !self.tokens.eat(">") {
            let word = self.tokens.current().text;
            if !is_type(word) {
                return Err(self.tokens.unexpected("the name of an integer type"));
            }
            words.push(word);
            self.tokens.advance();
        }
        let open = self.tokens.current().clone();
        self.tokens.take("(")?;
        self.tokens.depth += 1;
        let inner = self.choice()?;
        self.close_bracket(&open, "(", ")")?;
        let span = token.span.start..self.tokens.previous_end();
        let of = Type::of_words(words.into_iter());
        self.push(NodeKind::Call(of.conversion(), vec![inner]), span)
    }
}

/// Returns the reason why a word is not a variable.
fn no_variable(word: &str) -> Option<String> {
    match word {
        "None" | "NULL" | "nullptr" | "null" => Some(format!("`{word}` is not an integer")),
        "int_oo" | "oo" | "inf" | "nan" | "math.inf" | "sympy.oo" => {
            Some(format!("`{word}` is not an integer: it may only occur in bounds"))
        }
        "float" | "double" | "half" => {
            Some(format!("`{word}` is a type of floating-point numbers"))
        }
        "is" | "while" | "import" | "from" | "class" | "yield" | "await" | "async" | "pass"
        | "del" | "with" | "try" | "except" | "raise" | "assert" | "global" | "sizeof"
        | "switch" | "case" | "goto" | "do" | "struct" | "break" | "continue" | "elif" => {
            Some(format!("`{word}` is a word of the language, not a variable"))
        }
        _ => None,
    }
}

/// Returns whether this operator of maps is also a function.
fn divides(word: &str) -> bool {
    matches!(word, "floordiv" | "ceildiv" | "mod")
}
