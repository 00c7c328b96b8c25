//! Parses maps and sets as isl writes them: `[n] -> { S[i, j] -> A[i + j, floor(i/4)] : 0 <= i < n and 0 <= j <= 9 }`.
//!
//! ```text
//! isl     := [tuple '->'] '{' [NAME] tuple ['->' [NAME] '[' [term {',' term}] ']'] [':' formula] '}'
//! tuple   := '[' [NAME {',' NAME}] ']'
//! formula := ... | 'exists' NAME {',' NAME} ':' formula
//! ```
//!
//! The first tuple has the parameters. Names of spaces (`S`, `A`) mean nothing for the map. In a term, `floor(x/c)`, `ceil(x/c)`,
//! `floord(x, c)` and `ceild(x, c)` are quotients; a bare `x/c` is rational in isl, and is rejected. Several pieces (`;`)
//! and nested tuples are rejected: such a relation is no index map. A set is the identity on its points. A name behind `exists` is
//! a range variable: a pair is in the relation if there is a value for it.
//! Source: isl's manual, *Input and Output*.

use super::ast::{Node, NodeId, NodeKind, Term, TermBuilder, VariableText};
use super::parse::{formula, term};
use super::token::{Token, Tokens, excerpt};
use crate::expr::VariableKind;
use crate::text::{Error, ErrorKind, Span};

/// A parsed map of isl.
pub(super) struct IslText<'t> {
    /// Whether there is a list of parameters.
    pub is_symbolic: bool,
    /// The dimensions, the range variables, then the parameters.
    pub variables: Vec<VariableText<'t>>,
    /// The output tuple.
    pub results: Vec<Term<'t>>,
    /// The condition after `:`, comparisons joined by `and`, `or` and `not`.
    pub condition: Option<Term<'t>>,
}

/// Whether a map that begins with this token is one of isl.
pub(super) fn begins(token: Token) -> bool {
    matches!(token, Token::LeftBracket | Token::LeftBrace)
}

/// Parses a map in isl's syntax.
///
/// # Errors
/// [`ErrorKind::Syntax`]; [`ErrorKind::Unsupported`] for a map that is no index map.
pub(super) fn map<'t>(
    tokens: &mut Tokens<'t>,
    mut hidden: Vec<VariableText<'t>>,
) -> Result<IslText<'t>, Error> {
    let mut parameters = Vec::new();
    let is_symbolic = tokens.token() == Token::LeftBracket;
    if is_symbolic {
        names(tokens, VariableKind::Parameter, &mut parameters)?;
        tokens.expect(Token::Arrow, "`->` after the parameters")?;
    }
    tokens.expect(Token::LeftBrace, "`{` before the map")?;
    let mut variables = Vec::new();
    tokens.eat(Token::Name);
    names(tokens, VariableKind::Dimension, &mut variables)?;
    let results = match tokens.token() {
        Token::Colon | Token::RightBrace => variables.iter().map(itself).collect(),
        _ => {
            tokens.expect(Token::Arrow, "`->` after the inputs")?;
            results(tokens)?
        }
    };
    let mut condition = None;
    if tokens.eat(Token::Colon) && tokens.token() != Token::RightBrace {
        condition = Some(rounded(&formula(tokens)?, true)?);
    }
    match tokens.token() {
        Token::RightBrace => tokens.advance(),
        Token::Semicolon => {
            let message = "a union of several pieces is no index map";
            let error = Error::new(ErrorKind::Unsupported, tokens.span(), message);
            return Err(error.hint("give each piece as a map of its own"));
        }
        _ => return Err(tokens.unexpected("an operator, `and` or `}`")),
    }
    variables.append(&mut hidden);
    variables.append(&mut parameters);
    Ok(IslText { is_symbolic, variables, results, condition })
}

/// The term that is a variable.
fn itself<'t>(variable: &VariableText<'t>) -> Term<'t> {
    let mut builder = TermBuilder::default();
    let root = builder.push(NodeKind::Name(variable.name), variable.span.clone());
    builder.finish(root)
}

/// The text with blanks in the place of each `exists` and the names behind it, and these names.
///
/// # Errors
/// [`ErrorKind::Unsupported`] for one behind `not`, where it says something of all integers; [`ErrorKind::Syntax`].
pub(super) fn without_exists(text: &str) -> Result<(String, Vec<VariableText<'_>>), Error> {
    let (mut plain, mut hidden) = (text.to_owned(), Vec::new());
    let (mut tokens, mut is_denied) = (Tokens::new(text), false);
    while !matches!(tokens.token(), Token::End | Token::RightBrace) {
        is_denied |= tokens.word() == "not";
        if tokens.word() != "exists" {
            tokens.advance();
            continue;
        }
        if is_denied {
            let message = "`exists` behind `not` is not supported in an index map";
            let error = Error::new(ErrorKind::Unsupported, tokens.span(), message);
            return Err(error.hint("write `i mod 4 != 0` for `not exists k : i = 4k`"));
        }
        blank(&mut plain, tokens.span());
        tokens.advance();
        tokens.eat(Token::LeftParen);
        let start = tokens.span().start;
        loop {
            let (name, span) = (tokens.word(), tokens.expect(Token::Name, "a name")?);
            hidden.push(VariableText { name, span, kind: VariableKind::Range });
            if !tokens.eat(Token::Comma) {
                break;
            }
        }
        if tokens.token() != Token::Colon {
            let error = tokens.unexpected("`,` or `:`");
            return Err(error.hint("`exists k : i = 4k`; an equation is written after `:`"));
        }
        tokens.advance();
        blank(&mut plain, start..tokens.previous_end());
    }
    Ok((plain, hidden))
}

fn blank(text: &mut String, span: Span) {
    text.replace_range(span.clone(), &" ".repeat(span.len()));
}

/// Parses `[i, j]`.
fn names<'t>(
    tokens: &mut Tokens<'t>,
    kind: VariableKind,
    list: &mut Vec<VariableText<'t>>,
) -> Result<(), Error> {
    tokens.expect(Token::LeftBracket, "`[` and names")?;
    while tokens.token() != Token::RightBracket {
        if !list.is_empty() {
            tokens.expect(Token::Comma, "`,` or `]`")?;
        }
        let (name, span) = (tokens.word(), tokens.span());
        if tokens.token() != Token::Name {
            let error = tokens.unexpected("a name");
            return Err(
                error.hint("inputs and parameters are names; an equation is written after `:`")
            );
        }
        tokens.advance();
        if !matches!(tokens.token(), Token::Comma | Token::RightBracket) {
            let error = tokens.unexpected("`,` or `]`");
            return Err(
                error.hint("inputs and parameters are names; an equation is written after `:`")
            );
        }
        list.push(VariableText { name, span, kind });
    }
    tokens.advance();
    Ok(())
}

/// Parses `A[term, ..]`.
fn results<'t>(tokens: &mut Tokens<'t>) -> Result<Vec<Term<'t>>, Error> {
    tokens.eat(Token::Name);
    tokens.expect(Token::LeftBracket, "`[` and the outputs")?;
    let mut list = Vec::new();
    while !tokens.eat(Token::RightBracket) {
        if !list.is_empty() {
            tokens.expect(Token::Comma, "an operator, `,` or `]`")?;
        }
        list.push(rounded(&term(tokens)?, false)?);
    }
    Ok(list)
}

/// The term with isl's functions as quotients.
///
/// # Errors
/// [`ErrorKind::Unsupported`] for a quotient that is not rounded; [`ErrorKind::Arity`].
fn rounded<'t>(term: &Term<'t>, is_condition: bool) -> Result<Term<'t>, Error> {
    let mut is_rounded = vec![false; term.nodes().len()];
    for (_, node) in term.nodes() {
        if let NodeKind::Call("floor" | "ceil", operands) = &node.kind {
            operands.iter().for_each(|x| is_rounded[x.index()] = true);
        }
    }
    let (mut builder, mut ids) = (TermBuilder::default(), Vec::new());
    for (id, node) in term.nodes() {
        let new = |x: &NodeId| ids.get(x.index()).copied().unwrap_or(*x);
        let kind = match &node.kind {
            NodeKind::FloorDiv(..) if !is_rounded[id.index()] => {
                let message = "a quotient in isl is rational";
                let error = Error::new(ErrorKind::Unsupported, node.span.clone(), message);
                return Err(error.hint("round it, as in `floor(i/4)`"));
            }
            NodeKind::Call(name @ ("floor" | "ceil"), operands) => {
                let [x] = arguments(node, name, operands)?;
                match &term.node(x).kind {
                    NodeKind::FloorDiv(a, b) if *name == "ceil" => {
                        NodeKind::CeilDiv(new(a), new(b))
                    }
                    _ => {
                        ids.push(new(&x));
                        continue;
                    }
                }
            }
            NodeKind::Call(name @ ("floord" | "ceild"), operands) => {
                let [a, b] = arguments(node, name, operands)?;
                match *name {
                    "floord" => NodeKind::FloorDiv(new(&a), new(&b)),
                    _ => NodeKind::CeilDiv(new(&a), new(&b)),
                }
            }
            other => other.with_operands(new),
        };
        ids.push(builder.push(kind, node.span.clone()));
    }
    let root = ids.get(term.root().index()).copied();
    let term = builder.finish(root.unwrap_or(term.root()));
    match is_condition && !term.is_formula() {
        true => {
            let message = "expected a comparison such as `0 <= i < n`";
            Err(Error::new(ErrorKind::Syntax, term.span(), message))
        }
        false => Ok(term),
    }
}

fn arguments<const COUNT: usize>(
    node: &Node<'_>,
    name: &str,
    operands: &[NodeId],
) -> Result<[NodeId; COUNT], Error> {
    <[NodeId; COUNT]>::try_from(operands).map_err(|_| {
        let message = format!("`{}` needs {}", excerpt(name), super::count(COUNT, "operand"));
        let span: Span = node.span.clone();
        Error::new(ErrorKind::Arity, span, message)
            .hint("write `floor(x/c)`, `ceil(x/c)`, `floord(x, c)` or `ceild(x, c)`")
    })
}
