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
//! power      := primary {'[' ':' {',' 'None'} ']'} ['**' unary]
//! primary    := integer [name] | name | name '(' values ')' | '(' choice ')'
//! ```
//!
//! Where C and Python disagree (`a & 1 == 0`), brackets are required. The tree is that of index maps; operators that maps do not
//! have become calls of that name (`<<`, `&`, `?:`), to which [`lower`](super::lower) gives their meaning.

use super::memory::Memory;
use super::token::Token;
use super::tokens::Tokens;
use super::types::{Type, is_type};
use affinor_maps::text::ast::{NodeId, NodeKind, Relation, Sign, TermBuilder};
use affinor_maps::text::{Error, ErrorKind, Span};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// The maximal nesting of brackets, signs and choices.
const MAX_NESTING: usize = 100;

/// The maximal number of operations, names and numbers of one text.
const MAX_NODES: usize = 10_000;

/// The binary operators, the weakest first.
const LEVELS: [&[&str]; 6] = [
    &["|"],
    &["^"],
    &["&"],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "//", "%", "floordiv", "ceildiv", "mod"],
];

/// The parser: the tokens, and the tree so far.
pub struct Parser<'t> {
    pub tokens: Tokens<'t>,
    pub terms: TermBuilder<'t>,
    /// The values of names.
    pub locals: FxHashMap<&'t str, NodeId>,
    /// The index of each `arange`, with the conditions that bound it.
    pub ranges: Vec<(NodeId, Vec<NodeId>)>,
    /// The dimension of the index of each `arange`, by its name in maps: the number of dimensions after it.
    pub axes: FxHashMap<String, usize>,
    /// The first chain `a < b < c`.
    pub chain: Option<Span>,
    /// The first part that only C has.
    pub c: Option<Span>,
    /// Whether the text has a part that only Python has.
    pub is_python: bool,
    /// Whether the text calls functions of Triton.
    pub is_triton: bool,
    /// The first chain of an equation and an inequality, `a < b == c`.
    pub mixed: Option<Span>,
    /// The facts about memory, while a kernel is parsed.
    pub memory: Option<Memory<'t>>,
    /// The names that the code binds.
    pub bound: Vec<String>,
    /// The names that have a value in the session, each with the names in maps of its `arange`s.
    pub known: FxHashMap<&'t str, Vec<String>>,
    /// Bit operations without brackets around them.
    pub bare_bits: FxHashSet<NodeId>,
    nesting: usize,
}

impl<'t> Parser<'t> {
    pub fn new(tokens: Tokens<'t>) -> Parser<'t> {
        Parser {
            tokens,
            terms: TermBuilder::default(),
            locals: FxHashMap::default(),
            ranges: Vec::new(),
            axes: FxHashMap::default(),
            chain: None,
            c: None,
            is_python: false,
            is_triton: false,
            mixed: None,
            memory: None,
            bound: Vec::new(),
            known: FxHashMap::default(),
            bare_bits: FxHashSet::default(),
            nesting: 0,
        }
    }

    pub fn push(&mut self, kind: NodeKind<'t>, span: Span) -> Result<NodeId, Error> {
        if self.terms.node_count() >= MAX_NODES {
            let message = format!("the code has more than {MAX_NODES} operations and operands");
            return Err(Error::new(ErrorKind::TooLarge, span, message));
        }
        Ok(self.terms.push(kind, span))
    }

    /// Returns the value with some of its parts replaced by other nodes.
    pub fn with_parts(
        &mut self,
        value: NodeId,
        parts: &BTreeMap<NodeId, NodeId>,
    ) -> Result<NodeId, Error> {
        let mut new = parts.clone();
        for id in if parts.is_empty() { Vec::new() } else { self.terms.below(value) } {
            let mut is_new = false;
            self.terms.kind(id).operands(|operand| is_new |= new.contains_key(&operand));
            if is_new && !new.contains_key(&id) {
                let of = |operand: &NodeId| *new.get(operand).unwrap_or(operand);
                let kind = self.terms.kind(id).with_operands(of);
                let copy = self.push(kind, self.terms.span(id))?;
                new.insert(id, copy);
            }
        }
        Ok(new.get(&value).copied().unwrap_or(value))
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

    /// Returns the span from `start` to the end of the previous token. A name for a value has the span of the name.
    fn span_from(&self, start: usize) -> Span {
        start..self.tokens.previous_end().max(start)
    }

    /// Returns the position of the current token.
    fn start(&self) -> usize {
        self.tokens.current().span.start
    }

    /// Parses a value: a choice, or anything that binds tighter.
    pub fn choice(&mut self) -> Result<NodeId, Error> {
        self.nested(|parser| {
            let start = parser.start();
            let first = parser.or()?;
            if parser.tokens.is("?") {
                parser.is_c();
                parser.tokens.advance();
                let chosen = parser.choice()?;
                parser.tokens.take(":")?;
                let other = parser.choice()?;
                let span = parser.span_from(start);
                return parser.push(NodeKind::Call("?:", vec![first, chosen, other]), span);
            }
            if parser.tokens.is("if") {
                parser.is_python = true;
                parser.tokens.advance();
                let condition = parser.or()?;
                parser.tokens.take("else")?;
                let other = parser.choice()?;
                let span = parser.span_from(start);
                return parser.push(NodeKind::Call("?:", vec![condition, first, other]), span);
            }
            Ok(first)
        })
    }

    fn or(&mut self) -> Result<NodeId, Error> {
        let start = self.start();
        let mut list = vec![self.and()?];
        while self.joins("or", "||") {
            list.push(self.and()?);
        }
        self.joined(list, start, NodeKind::Or)
    }

    fn and(&mut self) -> Result<NodeId, Error> {
        let start = self.start();
        let mut list = vec![self.not()?];
        while self.joins("and", "&&") {
            list.push(self.not()?);
        }
        self.joined(list, start, NodeKind::And)
    }

    /// Marks the text as C because of the current token.
    pub fn is_c(&mut self) {
        let span = self.tokens.current().span.clone();
        self.c.get_or_insert(span);
    }

    /// Consumes Python's or C's spelling of an operator, and records the language.
    fn joins(&mut self, python: &str, c: &str) -> bool {
        if self.tokens.is(c) {
            self.is_c();
        }
        if self.tokens.is(python) {
            self.is_python = true;
        }
        self.tokens.eat(python) || self.tokens.eat(c)
    }

    fn joined(
        &mut self,
        list: Vec<NodeId>,
        start: usize,
        kind: fn(Vec<NodeId>) -> NodeKind<'t>,
    ) -> Result<NodeId, Error> {
        if let [only] = list[..] {
            return Ok(only);
        }
        let span = self.span_from(start);
        self.push(kind(list), span)
    }

    fn not(&mut self) -> Result<NodeId, Error> {
        let start = self.tokens.current().span.start;
        if self.tokens.is("not") && !self.tokens.truncates {
            self.is_python = true;
            self.tokens.advance();
            let inner = self.nested(Parser::not)?;
            let span = self.span_from(start);
            return self.push(NodeKind::Not(inner), span);
        }
        self.comparison()
    }

    /// Parses a comparison, or a value that binds tighter.
    pub fn comparison(&mut self) -> Result<NodeId, Error> {
        let start = self.start();
        let mut left = self.binary(0)?;
        let (mut list, mut from) = (Vec::new(), start);
        let mut relations = [false; 2]; // an inequality, an equation
        while let Some(relation) = self.relation() {
            self.tokens.advance();
            let next = self.start();
            let right = self.binary(0)?;
            // `//` divides in Python alone.
            let is_python = self.tokens.has_floor_division() && self.c.is_none();
            for side in [left, right].into_iter().filter(|_| !is_python) {
                if self.bare_bits.contains(&side) {
                    let message = "C and Python read this comparison differently";
                    let error = Error::new(ErrorKind::Syntax, self.terms.span(side), message);
                    return Err(error
                        .hint("put brackets around each side of the comparison: `(a & 1) == 0`"));
                }
            }
            let span = self.span_from(std::mem::replace(&mut from, next));
            if !list.is_empty() {
                self.chain.get_or_insert(span.clone());
            }
            relations[usize::from(matches!(relation, None | Some(Relation::Equal)))] = true;
            list.push(match relation {
                Some(relation) => {
                    self.push(NodeKind::Compare(vec![left, right], vec![relation]), span)?
                }
                None => self.push(NodeKind::Call("!=", vec![left, right]), span)?,
            });
            left = right;
        }
        if relations == [true; 2] {
            let span = self.span_from(start);
            self.mixed.get_or_insert(span);
        }
        match list.is_empty() {
            true => Ok(left),
            false => self.joined(list, start, NodeKind::And),
        }
    }

    /// Returns the relation at the current token; `Some(None)` for `!=`.
    fn relation(&self) -> Option<Option<Relation>> {
        if self.tokens.is_end() {
            return None;
        }
        match self.tokens.current().text {
            "!=" => Some(None),
            sign => relation(sign).map(Some),
        }
    }

    /// Parses values joined by the operators of this level and those that bind tighter.
    fn binary(&mut self, level: usize) -> Result<NodeId, Error> {
        let Some(operators) = LEVELS.get(level) else {
            return self.unary();
        };
        let start = self.start();
        let mut left = self.binary(level + 1)?;
        while let Some(operator) = operators.iter().find(|o| self.tokens.is(o)) {
            self.is_python |= matches!(*operator, "//");
            self.tokens.advance();
            let right = self.binary(level + 1)?;
            left = self.operation(operator, left, right, self.span_from(start))?;
        }
        Ok(left)
    }

    /// Builds `left operator right`.
    pub fn operation(
        &mut self,
        operator: &'t str,
        left: NodeId,
        right: NodeId,
        span: Span,
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
        let node = self.push(kind, span)?;
        if matches!(operator, "&" | "|" | "^") {
            self.bare_bits.insert(node);
        }
        Ok(node)
    }

    fn unary(&mut self) -> Result<NodeId, Error> {
        self.tokens.forget_line(); // a value must follow, so the statement continues on this line
        let token = self.tokens.current().clone();
        let start = token.span.start;
        // The prompt's own `not` is Python's; in C it is another spelling of `!`.
        let is_not = token.text == "not" && self.tokens.truncates;
        if !matches!(token.text, "-" | "+" | "~" | "!") && !is_not {
            if let Some((length, of)) = self.cast() {
                self.is_c();
                (0..length).for_each(|_| self.tokens.advance());
                let inner = self.nested(Parser::unary)?;
                let span = self.span_from(start);
                return self.push(NodeKind::Call(of.conversion(), vec![inner]), span);
            }
            return self.power();
        }
        self.check_increment()?;
        if token.text == "!" {
            self.is_c();
        }
        self.tokens.advance();
        let inner = self.nested(Parser::unary)?;
        let span = self.span_from(start);
        match token.text {
            "-" => self.push(NodeKind::Negate(inner), span),
            "~" => self.push(NodeKind::Call("~", vec![inner]), span),
            "!" | "not" => self.push(NodeKind::Not(inner), span),
            _ => self.push(NodeKind::Call("+", vec![inner]), span),
        }
    }

    /// Rejects `++i` and `--i`, which change a variable in C.
    fn check_increment(&self) -> Result<(), Error> {
        let (first, second) = (self.tokens.current(), self.tokens.ahead(1));
        let is_one = first.text == second.text && first.span.end == second.span.start;
        if !is_one || !matches!(first.text, "+" | "-") {
            return Ok(());
        }
        let message = format!("`{0}{0}` changes a variable in C", first.text);
        let span = first.span.start..second.span.end;
        let error = Error::new(ErrorKind::Unsupported, span, message);
        Err(error.hint(format!("write `i {0} 1`, or `{0}({0}i)` for two signs", first.text)))
    }

    /// Returns the number of tokens of a cast such as `(unsigned int)`, and its type.
    fn cast(&self) -> Option<(usize, Type)> {
        if self.tokens.current().text != "(" {
            return None;
        }
        let word = |at: usize| self.tokens.ahead(at).text;
        let words = (1..).take_while(|at| is_type(word(*at))).count();
        let of = Type::of_words((1..=words).map(word));
        (words > 0 && word(words + 1) == ")").then_some((words + 2, of))
    }

    fn power(&mut self) -> Result<NodeId, Error> {
        let start = self.start();
        let base = self.primary()?;
        let base = self.subscripted(base)?;
        let (sign, next) = (self.tokens.current(), self.tokens.ahead(1));
        let is_step = matches!(sign.text, "+" | "-")
            && sign.text == next.text
            && sign.span.end == next.span.start
            && !self.tokens.is_end();
        // `i++`, unless a value follows: `i - -j`
        if is_step && matches!(self.tokens.ahead(2).text, "" | ")" | ";" | "," | "]") {
            self.check_increment()?;
        }
        if !self.tokens.eat("**") {
            return Ok(base);
        }
        self.is_python = true;
        let exponent = self.nested(Parser::unary)?;
        let span = self.span_from(start);
        self.push(NodeKind::Call("**", vec![base, exponent]), span)
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
}

/// Returns whether the node is a condition, which is true or false.
pub fn is_truth(kind: &NodeKind<'_>) -> bool {
    matches!(
        kind,
        NodeKind::Compare(..)
            | NodeKind::Not(_)
            | NodeKind::And(_)
            | NodeKind::Or(_)
            | NodeKind::Call("!=" | "(bool)", _)
    )
}

/// Returns the relation that an operator denotes.
pub fn relation(sign: &str) -> Option<Relation> {
    Some(match sign {
        "==" => Relation::Equal,
        "<" => Relation::Less,
        "<=" => Relation::LessEqual,
        ">" => Relation::Greater,
        ">=" => Relation::GreaterEqual,
        _ => return None,
    })
}
