//! Parses the pieces of a map or set in isl's syntax.

use super::super::ast::{Node, NodeId, NodeKind, Term, TermBuilder};
use super::super::parse::{isl_formula, term};
use super::super::token::{Token, Tokens, excerpt};
use super::super::words::count;
use crate::text::{Error, ErrorKind, Span};

/// A name with its span.
pub type Named<'t> = (&'t str, Span);

/// A parsed isl map.
pub struct IslText<'t> {
    /// Whether there is a list of parameters.
    pub is_symbolic: bool,
    pub parameters: Vec<Named<'t>>,
    /// The pieces; at least one.
    pub pieces: Vec<PieceText<'t>>,
}

/// A piece of a union.
pub struct PieceText<'t> {
    /// The names of the spaces of the inputs and the outputs.
    pub spaces: [Option<&'t str>; 2],
    pub inputs: Vec<Entry<'t>>,
    /// The output tuple; absent for a set.
    pub outputs: Option<Vec<Entry<'t>>>,
    /// The condition after `:`.
    pub condition: Option<Term<'t>>,
    pub span: Span,
}

/// An entry of a tuple.
pub struct Entry<'t> {
    /// The term itself, or the name before `=`.
    pub term: Term<'t>,
    /// The term after `=`.
    pub value: Option<Term<'t>>,
}

impl<'t> Entry<'t> {
    /// Returns the name, if the entry is a name.
    pub fn name(&self) -> Option<Named<'t>> {
        let node = self.term.node(self.term.root());
        match node.kind {
            NodeKind::Name(name) => Some((name, node.span.clone())),
            _ => None,
        }
    }
}

/// Parses a map or set in isl's syntax.
///
/// # Errors
/// [`ErrorKind::Syntax`]; [`ErrorKind::Unsupported`] for a quotient that is not rounded.
pub fn map<'t>(tokens: &mut Tokens<'t>) -> Result<IslText<'t>, Error> {
    let mut parameters = Vec::new();
    let is_symbolic = tokens.token() == Token::LeftBracket;
    if is_symbolic {
        parameters = names(tokens)?;
        tokens.expect(Token::Arrow, "`->` after the parameters")?;
    }
    tokens.expect(Token::LeftBrace, "`{` before the map")?;
    let mut pieces = vec![piece(tokens)?];
    while tokens.eat(Token::Semicolon) {
        pieces.push(piece(tokens)?);
    }
    match tokens.token() {
        Token::RightBrace => tokens.advance(),
        _ => return Err(tokens.unexpected("an operator, `and` or `}`")),
    }
    Ok(IslText { is_symbolic, parameters, pieces })
}

fn piece<'t>(tokens: &mut Tokens<'t>) -> Result<PieceText<'t>, Error> {
    let start = tokens.span().start;
    let (space, inputs) = tuple(tokens, "`[` and the inputs")?;
    let (mut spaces, mut outputs) = ([space, None], None);
    if !matches!(tokens.token(), Token::Colon | Token::RightBrace | Token::Semicolon) {
        tokens.expect(Token::Arrow, "`->` after the inputs")?;
        let (space, entries) = tuple(tokens, "`[` and the outputs")?;
        (spaces[1], outputs) = (space, Some(entries));
    }
    let mut condition = None;
    if tokens.eat(Token::Colon) && !matches!(tokens.token(), Token::RightBrace | Token::Semicolon) {
        condition = Some(rounded(&isl_formula(tokens)?, true)?);
    }
    Ok(PieceText { spaces, inputs, outputs, condition, span: start..tokens.previous_end() })
}

/// Parses `[n, m]`.
fn names<'t>(tokens: &mut Tokens<'t>) -> Result<Vec<Named<'t>>, Error> {
    tokens.expect(Token::LeftBracket, "`[` and names")?;
    let mut list = Vec::new();
    while !tokens.eat(Token::RightBracket) {
        if !list.is_empty() {
            tokens.expect(Token::Comma, "`,` or `]`")?;
        }
        let name = tokens.word();
        list.push((name, tokens.expect(Token::Name, "a name")?));
    }
    Ok(list)
}

/// Parses `A[entry, ..]`.
fn tuple<'t>(
    tokens: &mut Tokens<'t>,
    expected: &str,
) -> Result<(Option<&'t str>, Vec<Entry<'t>>), Error> {
    let word = tokens.word();
    let space = tokens.eat(Token::Name).then_some(word);
    tokens.expect(Token::LeftBracket, expected)?;
    let mut list = Vec::new();
    while !tokens.eat(Token::RightBracket) {
        if !list.is_empty() {
            tokens.expect(Token::Comma, "an operator, `,` or `]`")?;
        }
        if tokens.token() == Token::LeftBracket {
            let message = "an index cannot be a tuple in a tuple";
            let error = Error::new(ErrorKind::Unsupported, tokens.span(), message);
            return Err(error.hint("flatten it: `[i, j]` for `[[i] -> [j]]`"));
        }
        let first = rounded(&term(tokens)?, false)?;
        let value = match tokens.eat(Token::Equal) {
            true => Some(rounded(&term(tokens)?, false)?),
            false => None,
        };
        list.push(Entry { term: first, value });
    }
    Ok((space, list))
}

/// Rewrites isl's rounding functions as quotients.
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
        let message = format!("`{}` needs {}", excerpt(name), count(COUNT, "operand"));
        let span: Span = node.span.clone();
        Error::new(ErrorKind::Arity, span, message)
            .hint("write `floor(x/c)`, `ceil(x/c)`, `floord(x, c)` or `ceild(x, c)`")
    })
}
