//! The parser of expressions in kernel code: one grammar for Python, C, CUDA and Triton.
//!
//! ```text
//! value      := choice | 'lambda' ..                               lambdas are read where a text begins
//! choice     := or ['?' choice ':' choice] | or 'if' or 'else' choice
//! or         := and {('or' | '||') and}
//! and        := not {('and' | '&&') not}
//! not        := 'not' not | comparison
//! comparison := bits {relation bits}                  relation := '==' | '!=' | '<' | '<=' | '>' | '>='
//! bits       := '|' over '^' over '&' over shifts over sums over products
//! product    := unary {('*' | '/' | '//' | '%' | 'floordiv' | 'ceildiv' | 'mod') unary}
//! unary      := ('-' | '+' | '~' | '!' | '(' type ')') unary | power
//! power      := primary ['**' unary]
//! primary    := integer [name] | name | name '(' values ')' | '(' choice ')'
//! ```
//!
//! Where C and Python disagree (`a & 1 == 0`), brackets are asked for. The tree is that of index maps; operators that
//! maps do not have are calls of that name (`<<`, `&`, `?:`), which [`lower`](super::lower) gives their meaning.

use super::number::integer;
use super::token::{Class, Token, Tokens, is_reserved};
use crate::text::ast::{NodeId, NodeKind, Relation, Sign, TermBuilder};
use crate::text::{Error, ErrorKind, Span};
use rustc_hash::{FxHashMap, FxHashSet};

/// Most open brackets, signs and choices.
const MAX_NESTING: usize = 100;

/// Most operations, names and numbers of one text.
const MAX_NODES: usize = 10_000;

/// The operators between two values, the weakest first.
const LEVELS: [&[&str]; 6] = [
    &["|"],
    &["^"],
    &["&"],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "//", "%", "floordiv", "ceildiv", "mod"],
];

/// Types of C, in casts and declarations.
const TYPES: [&str; 27] = [
    "int",
    "unsigned",
    "signed",
    "long",
    "short",
    "char",
    "size_t",
    "ptrdiff_t",
    "int8_t",
    "int16_t",
    "int32_t",
    "int64_t",
    "uint8_t",
    "uint16_t",
    "uint32_t",
    "uint64_t",
    "index_t",
    "auto",
    "const",
    "constexpr",
    "static",
    "inline",
    "__device__",
    "__host__",
    "__global__",
    "__forceinline__",
    "bool",
];

/// The parser: the tokens, and the tree so far.
pub struct Parser<'t> {
    pub tokens: Tokens<'t>,
    pub terms: TermBuilder<'t>,
    /// Values that names stand for.
    pub locals: FxHashMap<&'t str, NodeId>,
    /// What the code itself says of its variables.
    pub conditions: Vec<NodeId>,
    /// The first chain `a < b < c`.
    pub chain: Option<Span>,
    /// Bit operations without brackets around them.
    bare_bits: FxHashSet<NodeId>,
    nesting: usize,
}

/// Is it a word of a type of C?
#[must_use]
pub fn is_type(word: &str) -> bool {
    let word = word.strip_prefix("std::").unwrap_or(word);
    TYPES.contains(&word)
}

impl<'t> Parser<'t> {
    pub fn new(tokens: Tokens<'t>) -> Parser<'t> {
        Parser {
            tokens,
            terms: TermBuilder::default(),
            locals: FxHashMap::default(),
            conditions: Vec::new(),
            chain: None,
            bare_bits: FxHashSet::default(),
            nesting: 0,
        }
    }

    pub fn push(&mut self, kind: NodeKind<'t>, span: Span) -> Result<NodeId, Error> {
        if self.terms.len() >= MAX_NODES {
            let message = format!("the code has more than {MAX_NODES} operations and operands");
            return Err(Error::new(ErrorKind::TooLarge, span, message));
        }
        Ok(self.terms.push(kind, span))
    }

    fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Result<T, Error>) -> Result<T, Error> {
        if self.nesting == MAX_NESTING {
            let message = format!("brackets and signs are nested more than {MAX_NESTING} deep");
            let span = self.tokens.current().span.clone();
            return Err(Error::new(ErrorKind::TooLarge, span, message));
        }
        self.nesting += 1;
        let result = inner(self);
        self.nesting -= 1;
        result
    }

    fn span(&self, from: NodeId, to: NodeId) -> Span {
        self.terms.span(from).start..self.terms.span(to).end
    }

    /// A value: a choice, or anything that binds tighter.
    pub fn choice(&mut self) -> Result<NodeId, Error> {
        self.nested(|parser| {
            let first = parser.or()?;
            if parser.tokens.eat("?") {
                let chosen = parser.choice()?;
                parser.tokens.take(":")?;
                let other = parser.choice()?;
                let span = parser.span(first, other);
                return parser.push(NodeKind::Call("?:", vec![first, chosen, other]), span);
            }
            if parser.tokens.is("if") {
                parser.tokens.advance();
                let condition = parser.or()?;
                parser.tokens.take("else")?;
                let other = parser.choice()?;
                let span = parser.span(first, other);
                return parser.push(NodeKind::Call("?:", vec![condition, first, other]), span);
            }
            Ok(first)
        })
    }

    fn or(&mut self) -> Result<NodeId, Error> {
        let mut list = vec![self.and()?];
        while self.tokens.eat("or") || self.tokens.eat("||") {
            list.push(self.and()?);
        }
        self.joined(list, NodeKind::Or)
    }

    fn and(&mut self) -> Result<NodeId, Error> {
        let mut list = vec![self.not()?];
        while self.tokens.eat("and") || self.tokens.eat("&&") {
            list.push(self.not()?);
        }
        self.joined(list, NodeKind::And)
    }

    fn joined(
        &mut self,
        list: Vec<NodeId>,
        kind: fn(Vec<NodeId>) -> NodeKind<'t>,
    ) -> Result<NodeId, Error> {
        let [first, .., last] = list[..] else {
            return Ok(list[0]);
        };
        let span = self.span(first, last);
        self.push(kind(list), span)
    }

    fn not(&mut self) -> Result<NodeId, Error> {
        let start = self.tokens.current().span.start;
        if self.tokens.eat("not") {
            let inner = self.nested(Parser::not)?;
            let span = start..self.terms.span(inner).end;
            return self.push(NodeKind::Not(inner), span);
        }
        self.comparison()
    }

    fn comparison(&mut self) -> Result<NodeId, Error> {
        let mut left = self.binary(0)?;
        let mut list = Vec::new();
        while let Some(relation) = self.relation() {
            self.tokens.advance();
            let right = self.binary(0)?;
            for side in [left, right] {
                if self.bare_bits.contains(&side) {
                    let message = "C and Python read this comparison differently";
                    let error = Error::new(ErrorKind::Syntax, self.terms.span(side), message);
                    return Err(error.hint("put brackets around what is compared: `(a & 1) == 0`"));
                }
            }
            let span = self.span(left, right);
            if !list.is_empty() {
                self.chain.get_or_insert(span.clone());
            }
            list.push(match relation {
                Some(relation) => {
                    self.push(NodeKind::Compare(vec![left, right], vec![relation]), span)?
                }
                None => self.push(NodeKind::Call("!=", vec![left, right]), span)?,
            });
            left = right;
        }
        match list.is_empty() {
            true => Ok(left),
            false => self.joined(list, NodeKind::And),
        }
    }

    /// The relation at the current token; `Some(None)` for `!=`.
    fn relation(&self) -> Option<Option<Relation>> {
        if self.tokens.is_end() {
            return None;
        }
        Some(Some(match self.tokens.current().text {
            "==" => Relation::Equal,
            "<" => Relation::Less,
            "<=" => Relation::LessEqual,
            ">" => Relation::Greater,
            ">=" => Relation::GreaterEqual,
            "!=" => return Some(None),
            _ => return None,
        }))
    }

    /// Values joined by the operators of this level and those that bind tighter.
    fn binary(&mut self, level: usize) -> Result<NodeId, Error> {
        let Some(operators) = LEVELS.get(level) else {
            return self.unary();
        };
        let mut left = self.binary(level + 1)?;
        while let Some(operator) = operators.iter().find(|o| self.tokens.is(o)) {
            self.tokens.advance();
            let right = self.binary(level + 1)?;
            left = self.operation(operator, left, right)?;
        }
        Ok(left)
    }

    /// `left operator right`
    pub fn operation(
        &mut self,
        operator: &'t str,
        left: NodeId,
        right: NodeId,
    ) -> Result<NodeId, Error> {
        let kind = match operator {
            "+" => NodeKind::Sum(vec![(Sign::Plus, left), (Sign::Plus, right)]),
            "-" => NodeKind::Sum(vec![(Sign::Plus, left), (Sign::Minus, right)]),
            "*" => NodeKind::Multiply(left, right),
            "//" | "floordiv" => NodeKind::FloorDiv(left, right),
            "ceildiv" => NodeKind::CeilDiv(left, right),
            "mod" => NodeKind::Mod(left, right),
            other => NodeKind::Call(other, vec![left, right]),
        };
        let span = self.span(left, right);
        let node = self.push(kind, span)?;
        if matches!(operator, "&" | "|" | "^") {
            self.bare_bits.insert(node);
        }
        Ok(node)
    }

    fn unary(&mut self) -> Result<NodeId, Error> {
        self.tokens.forget_line(); // a value must follow, so the statement goes on in this line
        let token = self.tokens.current().clone();
        let start = token.span.start;
        if !matches!(token.text, "-" | "+" | "~" | "!") {
            if let Some(length) = self.cast() {
                (0..length).for_each(|_| self.tokens.advance());
                return self.nested(Parser::unary);
            }
            return self.power();
        }
        self.tokens.advance();
        let inner = self.nested(Parser::unary)?;
        let span = start..self.terms.span(inner).end;
        match token.text {
            "-" => self.push(NodeKind::Negate(inner), span),
            "~" => self.push(NodeKind::Call("~", vec![inner]), span),
            "!" => self.push(NodeKind::Not(inner), span),
            _ => Ok(inner),
        }
    }

    /// The number of tokens of a cast `(unsigned int)`.
    fn cast(&self) -> Option<usize> {
        if self.tokens.current().text != "(" {
            return None;
        }
        let words = (1..).take_while(|at| is_type(self.tokens.ahead(*at).text));
        let words = words.count();
        (words > 0 && self.tokens.ahead(words + 1).text == ")").then_some(words + 2)
    }

    fn power(&mut self) -> Result<NodeId, Error> {
        let base = self.primary()?;
        if !self.tokens.eat("**") {
            return Ok(base);
        }
        let exponent = self.nested(Parser::unary)?;
        let span = self.span(base, exponent);
        self.push(NodeKind::Call("**", vec![base, exponent]), span)
    }

    fn primary(&mut self) -> Result<NodeId, Error> {
        let token = self.tokens.current().clone();
        match token.class {
            Class::Integer => self.number(&token),
            Class::Name if !is_reserved(token.text) => self.name(&token),
            // `ceildiv(a, b)`, where no operator can stand
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
            _ => Err(self.no_operand()),
        }
    }

    pub fn close_bracket(&mut self, open: &Token, left: &str, right: &str) -> Result<(), Error> {
        if !self.tokens.is(right) {
            let error = self.tokens.unexpected(&format!("an operator or `{right}`"));
            return Err(match (open.text, self.tokens.current().text) {
                (_, "=") => error.hint("two values are compared with `==`"),
                (_, ",") if left == "(" => error.hint("one value is expected here"),
                _ => error.hint(format!("a `{left}` before this is not closed")),
            });
        }
        self.tokens.depth -= 1;
        self.tokens.advance();
        Ok(())
    }

    fn no_operand(&self) -> Error {
        let token = self.tokens.current();
        let error = self.tokens.unexpected("a value");
        match (token.class, token.text) {
            (Class::Fraction, _) => Error::new(
                ErrorKind::Unsupported,
                token.span.clone(),
                format!(
                    "`{}` is no integer",
                    crate::text::token::excerpt(token.text)
                ),
            )
            .hint("index maps are about integers"),
            (_, "=") => error.hint("two values are compared with `==`"),
            (_, "*") => error.hint("pointers cannot be read; write the index alone"),
            (_, "lambda") => {
                error.hint("a lambda stands at the beginning: `lambda i, j: i * 8 + j`")
            }
            _ => error,
        }
    }

    /// An integer, and a name that follows without a space: `16d0` is one factor.
    fn number(&mut self, token: &Token<'t>) -> Result<NodeId, Error> {
        let value = integer(token)?;
        self.tokens.advance();
        let number = self.push(NodeKind::Integer(value), token.span.clone())?;
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

    /// A variable, the value that a name stands for, or a call.
    fn name(&mut self, token: &Token<'t>) -> Result<NodeId, Error> {
        self.tokens.advance();
        if token.text == "static_cast" && self.tokens.is("<") {
            while !self.tokens.eat(">") {
                if !is_type(self.tokens.current().text) && !self.tokens.is("<") {
                    return Err(self.tokens.unexpected("the name of an integer type"));
                }
                self.tokens.advance();
            }
        }
        if self.tokens.is("(") {
            return self.call(token);
        }
        if self.tokens.is("[") {
            let message = format!(
                "`{}[..]` is an element of an array",
                crate::text::token::excerpt(token.text)
            );
            let span = token.span.clone();
            let error = Error::new(ErrorKind::Unsupported, span, message);
            return Err(error.hint(
                "an index that is read from memory is no expression; write the index alone",
            ));
        }
        match (self.locals.get(token.text), token.text) {
            (Some(value), _) => Ok(*value),
            (None, "True" | "true") => self.push(NodeKind::And(Vec::new()), token.span.clone()),
            (None, "False" | "false") => self.push(NodeKind::Or(Vec::new()), token.span.clone()),
            (None, _) => self.push(NodeKind::Name(token.text), token.span.clone()),
        }
    }

    fn call(&mut self, token: &Token<'t>) -> Result<NodeId, Error> {
        let open = self.tokens.current().clone();
        self.tokens.advance();
        self.tokens.depth += 1;
        let mut operands = Vec::new();
        while !self.tokens.is(")") {
            // `axis=0`: the name of an argument says nothing that its place does not.
            if self.tokens.ahead(1).text == "=" && self.tokens.current().class == Class::Name {
                self.tokens.advance();
                self.tokens.advance();
            }
            operands.push(self.choice()?);
            if !self.tokens.eat(",") {
                break;
            }
        }
        if !self.tokens.is(")") {
            let error = self.tokens.unexpected("an operator, `,` or `)`");
            return Err(error.hint(format!("`{}(` is not closed", token.text)));
        }
        self.close_bracket(&open, "(", ")")?;
        let span = token.span.start..self.tokens.previous_end();
        let is_range = matches!(
            token.text,
            "tl.arange" | "arange" | "jnp.arange" | "np.arange"
        );
        if is_range && matches!(operands.len(), 1 | 2) {
            return self.index_of(&operands, span);
        }
        self.push(NodeKind::Call(token.text, operands), span)
    }

    /// `tl.arange(0, n)`: a variable of its own, which has these values.
    fn index_of(&mut self, ends: &[NodeId], span: Span) -> Result<NodeId, Error> {
        let name = self.tokens.source.get(span.clone()).unwrap_or("");
        let index = self.push(NodeKind::Name(name), span.clone())?;
        let (first, end) = match *ends {
            [first, end] => (first, end),
            _ => (self.push(NodeKind::Integer(0), span.clone())?, ends[0]),
        };
        for (left, relation, right) in [
            (first, Relation::LessEqual, index),
            (index, Relation::Less, end),
        ] {
            let kind = NodeKind::Compare(vec![left, right], vec![relation]);
            let condition = self.push(kind, span.clone())?;
            self.conditions.push(condition);
        }
        Ok(index)
    }
}

/// Is it an operator of maps that is a function, too?
fn divides(word: &str) -> bool {
    matches!(word, "floordiv" | "ceildiv" | "mod")
}
