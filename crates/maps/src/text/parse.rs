//! The parser: from tokens to the syntax tree.
//!
//! ```text
//! map      := lists '->' '(' [term {',' term}] ')' [[','] 'domain' ':' domain]
//!           | 'affine_map' '<' lists '->' '(' [term {',' term}] ')' '>' [',' set]
//!           | '#xla.indexing_map' '<' (map | '"' map '"') '>'        also '#xla_gpu.indexing_map'
//! set      := 'affine_set' '<' lists ':' '(' [bounded {',' bounded}] ')' '>'
//! bounded  := term ('>=' | '<=' | '==') term
//! lists    := ['<' names '>'] '(' names ')' ['[' names ']'] ['{' names '}']        names := [name {',' name}]
//! domain   := 'empty' | [item {separator item} [',']]              separator := ',' | newline
//! item     := term 'in' interval
//! interval := '[' bound ',' bound ']'                              bound := ['-'] (integer | 'inf') | term (after '<')
//!
//! term     := product {('+' | '-') product}
//! product  := unary {('*' | '/' | '//' | 'floordiv' | 'ceildiv' | '%' | 'mod') unary}
//! unary    := '-' unary | integer | integer name | name | call | '(' term ')'
//! call     := ('min' | 'max' | name) '(' term {',' term} ')'
//!
//! formula  := conjunction {'or' conjunction}                       (rule files, isl)
//! conjunction := negation {'and' negation}
//! negation := 'not' negation | term {relation term} | term '!=' term
//! relation := '=' | '==' | '<' | '<=' | '>' | '>='
//!
//! negation := 'true' | 'false' | 'exists' exists | 'exists' '(' exists ')' | list {relation list} | ...       (isl)
//! exists   := name ['=' term] {',' name ['=' term]} ':' formula
//! list     := term {',' term}
//! ```
//!
//! The operators of a product have equal precedence and associate to the left; so do those of a term. `integer name` allows no
//! space between the two. In a formula, parentheses may contain a formula.
//!
//! Terms are parsed with a stack of open constructs instead of recursion, so nesting costs memory only, and
//! [`MAX_NESTING`] and [`MAX_NODES`] bound that. The text of any [`Expr`](crate::expr::Expr) within [`MAX_NODES`] is
//! within [`MAX_NESTING`].

mod exists;

use super::ast::{NodeId, NodeKind, Relation, Sign, Term, TermBuilder};
use super::token::{Token, Tokens};
use crate::text::{Error, ErrorKind, Span};

/// Maximum nesting of parentheses and signs.
pub const MAX_NESTING: usize = 20_000;

/// Maximum number of operations, names and numbers in one term.
pub const MAX_NODES: usize = 1 << 20;

/// Parses a term: arithmetic without conditions. Stops at the first token that cannot continue it.
///
/// # Errors
/// [`ErrorKind::Syntax`], [`ErrorKind::Overflow`] for an integer beyond 64 bits, [`ErrorKind::TooLarge`].
pub fn term<'t>(tokens: &mut Tokens<'t>) -> Result<Term<'t>, Error> {
    TermParser::new(tokens, Grammar::Term).run()
}

/// Parses a formula: comparisons joined by `and`, `or` and `not`, or a bare term.
///
/// # Errors
/// The errors of [`term`].
pub fn formula<'t>(tokens: &mut Tokens<'t>) -> Result<Term<'t>, Error> {
    TermParser::new(tokens, Grammar::Formula).run()
}

/// Parses an isl formula: one with `exists`, `true`, `false` and lists as sides of comparisons.
///
/// # Errors
/// The errors of [`term`].
pub(super) fn isl_formula<'t>(tokens: &mut Tokens<'t>) -> Result<Term<'t>, Error> {
    TermParser::new(tokens, Grammar::Isl).run()
}

/// The conditions that are allowed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Grammar {
    /// No conditions.
    Term,
    Formula,
    Isl,
}

/// A construct whose last operand is not parsed yet.
enum Open<'t> {
    Bracket(Span),
    Call(&'t str, Span, Vec<NodeId>),
    Negate(Span),
    Product(Product, NodeId),
    Sum(Vec<(Sign, NodeId)>, Sign),
    Compare(Vec<NodeId>, Vec<Relation>),
    /// `lhs !=`, which cannot be part of a chain of comparisons.
    Differ(NodeId),
    Not(Span),
    And(Vec<NodeId>),
    Or(Vec<NodeId>),
    /// `exists` with its start in the text, its names, and the equations that define some of them.
    Exists(usize, Vec<(&'t str, Span)>, Vec<NodeId>),
    List(Vec<NodeId>),
}

#[derive(Clone, Copy)]
enum Product {
    Multiply,
    FloorDiv,
    CeilDiv,
    Mod,
}

/// Precedence of a construct; parentheses are closed only by their own end.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Strength {
    Bracket,
    Exists,
    Or,
    And,
    Not,
    Compare,
    List,
    Sum,
    Product,
    Negate,
}

impl Open<'_> {
    fn strength(&self) -> Strength {
        match self {
            Open::Bracket(_) | Open::Call(..) => Strength::Bracket,
            Open::Or(_) => Strength::Or,
            Open::And(_) => Strength::And,
            Open::Not(_) => Strength::Not,
            Open::Compare(..) | Open::Differ(_) => Strength::Compare,
            Open::Exists(..) => Strength::Exists,
            Open::List(_) => Strength::List,
            Open::Sum(..) => Strength::Sum,
            Open::Product(..) => Strength::Product,
            Open::Negate(_) => Strength::Negate,
        }
    }
}

struct TermParser<'p, 't> {
    tokens: &'p mut Tokens<'t>,
    grammar: Grammar,
    terms: TermBuilder<'t>,
    open: Vec<Open<'t>>,
    nesting: usize,
}

impl<'p, 't> TermParser<'p, 't> {
    fn new(tokens: &'p mut Tokens<'t>, grammar: Grammar) -> TermParser<'p, 't> {
        TermParser { tokens, grammar, terms: TermBuilder::default(), open: Vec::new(), nesting: 0 }
    }

    fn run(mut self) -> Result<Term<'t>, Error> {
        loop {
            let Some(operand) = self.operand()? else {
                continue;
            };
            if let Some(root) = self.after_operand(operand)? {
                return Ok(self.terms.finish(root));
            }
        }
    }

    /// Parses a name, a number, or a prefix of an operand (and then returns `None`).
    fn operand(&mut self) -> Result<Option<NodeId>, Error> {
        let (span, word) = (self.tokens.span(), self.tokens.word());
        match self.tokens.token() {
            Token::Minus => self.nest(Open::Negate(span)).map(|()| None),
            Token::LeftParen => self.nest(Open::Bracket(span)).map(|()| None),
            Token::Name if self.grammar != Grammar::Term && word == "not" => {
                self.nest(Open::Not(span)).map(|()| None)
            }
            Token::Name if self.grammar == Grammar::Isl && word == "exists" => {
                self.exists().map(|()| None)
            }
            Token::Name if self.grammar == Grammar::Isl && (word == "true" || word == "false") => {
                self.tokens.advance();
                let none = Vec::new();
                let kind = if word == "true" { NodeKind::And(none) } else { NodeKind::Or(none) };
                self.push(kind, span).map(Some)
            }
            Token::Integer => self.number().map(Some),
            Token::Name if self.grammar != Grammar::Term && (word == "and" || word == "or") => {
                Err(self.no_operand())
            }
            Token::Name => {
                self.tokens.advance();
                if self.tokens.token() == Token::LeftParen {
                    self.nest(Open::Call(word, span, Vec::new()))?;
                    return Ok(None);
                }
                self.push(NodeKind::Name(word), span).map(Some)
            }
            Token::Min | Token::Max => {
                self.tokens.advance();
                if self.tokens.token() != Token::LeftParen {
                    let error = self.tokens.unexpected(&format!("`(` after `{word}`"));
                    return Err(error.hint(format!("write `{word}(a, b)`")));
                }
                self.nest(Open::Call(word, span, Vec::new()))?;
                Ok(None)
            }
            _ => Err(self.no_operand()),
        }
    }

    fn no_operand(&self) -> Error {
        let error = self.tokens.unexpected("a name, a number, `-` or `(`");
        match self.tokens.token() {
            Token::Plus => error.hint("remove the `+`"),
            Token::Domain => error.hint("`domain` is a keyword; is a `)` missing before it?"),
            token if token.is_keyword() => error.hint("a keyword cannot be a variable name"),
            _ => error,
        }
    }

    /// Opens a construct at the current token that ends with its own closing token.
    fn nest(&mut self, open: Open<'t>) -> Result<(), Error> {
        self.nesting += 1;
        if self.nesting > MAX_NESTING {
            let message = format!("brackets and signs are nested more than {MAX_NESTING} deep");
            return Err(Error::new(ErrorKind::TooLarge, self.tokens.span(), message));
        }
        self.open.push(open);
        self.tokens.advance();
        Ok(())
    }

    /// Parses an integer, and a name that follows without a space: `16d0` is one factor.
    fn number(&mut self) -> Result<NodeId, Error> {
        let span = self.tokens.span();
        let value = integer(self.tokens)?;
        let number = self.push(NodeKind::Integer(value), span.clone())?;
        if self.tokens.token() != Token::Name || !self.tokens.is_adjacent() {
            return Ok(number);
        }
        let (name_span, name) = (self.tokens.span(), self.tokens.word());
        self.tokens.advance();
        let name = self.push(NodeKind::Name(name), name_span.clone())?;
        self.push(NodeKind::Multiply(number, name), span.start..name_span.end)
    }

    /// Parses an operator or a closing bracket, which may follow an operand. Returns the complete term if it ends here, and
    /// `None` if another operand must follow.
    fn after_operand(&mut self, operand: NodeId) -> Result<Option<NodeId>, Error> {
        let mut operand = operand;
        loop {
            let token = self.tokens.token();
            if let Some(operator) = product(token) {
                let lhs = self.close(operand, Strength::Product)?;
                self.open.push(Open::Product(operator, lhs));
            } else if let Some(sign) = sign(token) {
                let summand = self.close(operand, Strength::Product)?;
                match self.open.last_mut() {
                    Some(Open::Sum(summands, last)) => {
                        summands.push((std::mem::replace(last, sign), summand));
                    }
                    _ => {
                        let first = vec![(Sign::Plus, summand)];
                        self.open.push(Open::Sum(first, sign));
                    }
                }
            } else if let Some(relation) = relation(token).filter(|_| self.grammar != Grammar::Term)
            {
                let compared = self.close(operand, Strength::List)?;
                match self.open.last_mut() {
                    Some(Open::Differ(_)) => return Err(self.tokens.unexpected("`and` or `or`")),
                    Some(Open::Compare(operands, relations)) => {
                        operands.push(compared);
                        relations.push(relation);
                    }
                    _ => self.open.push(Open::Compare(vec![compared], vec![relation])),
                }
            } else if token == Token::Unequal && self.grammar != Grammar::Term {
                let lhs = self.close(operand, Strength::List)?;
                if let Some(Open::Compare(..) | Open::Differ(_)) = self.open.last() {
                    return Err(self.tokens.unexpected("`and` or `or`"));
                }
                self.open.push(Open::Differ(lhs));
            } else if self.is_connective("and") {
                let joined = self.close(operand, Strength::Not)?;
                match self.open.last_mut() {
                    Some(Open::And(operands)) => operands.push(joined),
                    _ => self.open.push(Open::And(vec![joined])),
                }
            } else if self.is_connective("or") {
                let joined = self.close(operand, Strength::And)?;
                match self.open.last_mut() {
                    Some(Open::Or(operands)) => operands.push(joined),
                    _ => self.open.push(Open::Or(vec![joined])),
                }
            } else {
                operand = self.close(operand, Strength::Sum)?;
                if token == Token::Comma && self.begins_list() {
                    match self.open.last_mut() {
                        Some(Open::List(operands)) => operands.push(operand),
                        _ => self.open.push(Open::List(vec![operand])),
                    }
                    self.tokens.advance();
                    return Ok(None);
                }
                operand = self.close(operand, Strength::Or)?;
                match (token, self.open.pop()) {
                    (_, None) => return Ok(Some(operand)),
                    (_, Some(Open::Exists(start, names, mut equations))) => {
                        self.nesting -= 1;
                        let span = start..self.terms.span(operand).end;
                        if !equations.is_empty() {
                            equations.push(operand);
                            operand = self.push(NodeKind::And(equations), span.clone())?;
                        }
                        operand = self.push(NodeKind::Exists(names, operand), span)?;
                        continue;
                    }
                    (Token::RightParen, Some(Open::Bracket(start))) => {
                        self.nesting -= 1;
                        let span = start.start..self.tokens.span().end;
                        self.terms.widen(operand, span);
                        self.tokens.advance();
                        continue;
                    }
                    (Token::RightParen, Some(Open::Call(name, start, mut operands))) => {
                        self.nesting -= 1;
                        operands.push(operand);
                        let span = start.start..self.tokens.span().end;
                        self.tokens.advance();
                        operand = self.push(NodeKind::Call(name, operands), span)?;
                        continue;
                    }
                    (Token::Comma, Some(Open::Call(name, start, mut operands))) => {
                        operands.push(operand);
                        self.open.push(Open::Call(name, start, operands));
                    }
                    (_, Some(open)) => return Err(self.not_closed(&open)),
                }
            }
            self.tokens.advance();
            return Ok(None);
        }
    }

    fn is_connective(&self, word: &str) -> bool {
        self.grammar != Grammar::Term
            && self.tokens.token() == Token::Name
            && self.tokens.word() == word
    }

    fn not_closed(&self, open: &Open) -> Error {
        match open {
            Open::Call(name, ..) => self
                .tokens
                .unexpected("an operator, `,` or `)`")
                .hint(format!("unclosed `{name}(`")),
            _ if self.grammar == Grammar::Isl => self
                .tokens
                .unexpected("an operator, `and` or `)`")
                .hint("a `(` before this is unclosed"),
            _ => self.tokens.unexpected("an operator or `)`").hint("a `(` before this is unclosed"),
        }
    }

    /// Completes every open construct that binds at least as tightly as `strength`.
    fn close(&mut self, operand: NodeId, strength: Strength) -> Result<NodeId, Error> {
        let mut operand = operand;
        while let Some(open) = self.open.pop_if(|open| open.strength() >= strength) {
            let end = self.terms.span(operand).end;
            let start_of = |terms: &TermBuilder, id: NodeId| terms.span(id).start;
            let (start, kind) = match open {
                Open::Bracket(start) | Open::Call(_, start, _) => {
                    // Parentheses bind more weakly than any operator, so they are never closed here.
                    return Err(Error::new(ErrorKind::Syntax, start, "expected `)`"));
                }
                Open::Exists(start, ..) => {
                    // `exists` is never closed here either.
                    return Err(Error::new(ErrorKind::Syntax, start..end, "expected `)`"));
                }
                Open::List(mut operands) => {
                    operands.push(operand);
                    (start_of(&self.terms, operands[0]), NodeKind::List(operands))
                }
                Open::Negate(start) => {
                    self.nesting -= 1;
                    (start.start, NodeKind::Negate(operand))
                }
                Open::Not(start) => {
                    self.nesting -= 1;
                    (start.start, NodeKind::Not(operand))
                }
                Open::Product(operator, lhs) => {
                    let kind = match operator {
                        Product::Multiply => NodeKind::Multiply(lhs, operand),
                        Product::FloorDiv => NodeKind::FloorDiv(lhs, operand),
                        Product::CeilDiv => NodeKind::CeilDiv(lhs, operand),
                        Product::Mod => NodeKind::Mod(lhs, operand),
                    };
                    (start_of(&self.terms, lhs), kind)
                }
                Open::Sum(mut summands, sign) => {
                    summands.push((sign, operand));
                    let start = start_of(&self.terms, summands[0].1);
                    (start, NodeKind::Sum(summands))
                }
                Open::Compare(mut operands, relations) => {
                    operands.push(operand);
                    let start = start_of(&self.terms, operands[0]);
                    (start, NodeKind::Compare(operands, relations))
                }
                Open::Differ(lhs) => {
                    let (start, relations) = (start_of(&self.terms, lhs), vec![Relation::Equal]);
                    let kind = NodeKind::Compare(vec![lhs, operand], relations);
                    let equation = self.push(kind, start..end)?;
                    (start, NodeKind::Not(equation))
                }
                Open::And(mut operands) => {
                    operands.push(operand);
                    (start_of(&self.terms, operands[0]), NodeKind::And(operands))
                }
                Open::Or(mut operands) => {
                    operands.push(operand);
                    (start_of(&self.terms, operands[0]), NodeKind::Or(operands))
                }
            };
            operand = self.push(kind, start..end)?;
        }
        Ok(operand)
    }

    fn push(&mut self, kind: NodeKind<'t>, span: Span) -> Result<NodeId, Error> {
        if self.terms.node_count() >= MAX_NODES {
            let message =
                format!("an expression has more than {MAX_NODES} operations and operands");
            return Err(Error::new(ErrorKind::TooLarge, span, message));
        }
        Ok(self.terms.push(kind, span))
    }
}

/// Parses an integer of at most 2^63 at the current token.
pub(super) fn integer(tokens: &mut Tokens) -> Result<u64, Error> {
    let value = tokens.word().parse::<u64>().ok();
    let Some(value) = value.filter(|value| *value <= i64::MIN.unsigned_abs()) else {
        let message = "this integer does not fit in 64 bits";
        let error = Error::new(ErrorKind::Overflow, tokens.span(), message);
        return Err(error.hint("integers lie between -2^63 and 2^63 - 1"));
    };
    tokens.advance();
    Ok(value)
}

fn product(token: Token) -> Option<Product> {
    match token {
        Token::Star => Some(Product::Multiply),
        Token::Slash | Token::FloorDiv => Some(Product::FloorDiv),
        Token::CeilDiv => Some(Product::CeilDiv),
        Token::Percent | Token::Mod => Some(Product::Mod),
        _ => None,
    }
}

fn sign(token: Token) -> Option<Sign> {
    match token {
        Token::Plus => Some(Sign::Plus),
        Token::Minus => Some(Sign::Minus),
        _ => None,
    }
}

fn relation(token: Token) -> Option<Relation> {
    match token {
        Token::Equal => Some(Relation::Equal),
        Token::Less => Some(Relation::Less),
        Token::LessEqual => Some(Relation::LessEqual),
        Token::Greater => Some(Relation::Greater),
        Token::GreaterEqual => Some(Relation::GreaterEqual),
        _ => None,
    }
}
