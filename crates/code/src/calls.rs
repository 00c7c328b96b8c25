//! Parses calls: arguments are matched to the function's parameters by position or by name.

use super::functions::{Function, Meaning, function, nearest};
use super::parse::{Parser, relation};
use super::token::{Class, Token};
use super::types::{Type, is_type};
use affinor_maps::text::ast::{NodeId, NodeKind, Relation};
use affinor_maps::text::token::excerpt;
use affinor_maps::text::{Error, ErrorKind, Span};

/// An argument, with the name of its parameter if it is passed by name.
type Argument<'t> = (Option<(&'t str, Span)>, NodeId);

impl<'t> Parser<'t> {
    /// Parses a call of `token`, whose opening bracket comes next.
    pub fn call(&mut self, token: &Token<'t>) -> Result<NodeId, Error> {
        let open = self.tokens.current().clone();
        if token.text.rsplit_once('.').is_some_and(|(_, name)| is_of_arrays(name))
            && function(token.text).is_none()
        {
            let message = format!("`{}` is a function of arrays", excerpt(token.text));
            let error = Error::new(ErrorKind::Unsupported, token.span.clone(), message);
            return Err(error.hint(OPS));
        }
        if matches!(token.text, "Piecewise" | "sympy.Piecewise" | "sp.Piecewise") {
            return self.piecewise(token, &open);
        }
        let arguments = self.arguments(token)?;
        self.close_bracket(&open, "(", ")")?;
        let span = token.span.start..self.tokens.previous_end();
        // `uint8_t(x)`; `int` and `bool` are functions of Python, too.
        if is_type(token.text) && !matches!(token.text, "int" | "bool") {
            self.c.get_or_insert(token.span.clone());
            if let [(None, value)] = arguments[..] {
                let of = Type::of_words(std::iter::once(token.text));
                return self.push(NodeKind::Call(of.conversion(), vec![value]), span);
            }
        }
        let Some(found) = function(token.text) else {
            if let Some((Some((_, span)), _)) = arguments.iter().find(|(name, _)| name.is_some()) {
                return Err(unknown(token.text, token.span.start..span.end));
            }
            let operands = arguments.into_iter().map(|(_, value)| value);
            return self.push(NodeKind::Call(token.text, operands.collect()), span);
        };
        let operands = placed(found, token.text, arguments, &span)?;
        match found.meaning {
            Meaning::Range => self.index_of(&operands, span),
            Meaning::Compare("!=") => self.push(NodeKind::Call("!=", operands), span),
            Meaning::Compare(sign) => {
                let relation = relation(sign).into_iter().collect();
                self.push(NodeKind::Compare(operands, relation), span)
            }
            _ => self.push(NodeKind::Call(token.text, operands), span),
        }
    }

    /// Parses `Piecewise((value, condition), .., (value, True))` of SymPy: the first condition that holds chooses.
    fn piecewise(&mut self, token: &Token<'t>, open: &Token<'t>) -> Result<NodeId, Error> {
        self.tokens.advance();
        self.tokens.depth += 1;
        let mut pieces = Vec::new();
        let mut value = loop {
            self.tokens.take("(").map_err(|error| error.hint(PIECES))?;
            let value = self.choice()?;
            self.tokens.take(",")?;
            if self.tokens.eat("True") {
                self.tokens.take(")")?;
                break value;
            }
            pieces.push((self.choice()?, value));
            self.tokens.take(")")?;
            self.tokens.take(",").map_err(|error| error.hint(PIECES))?;
            if pieces.len() > MAX_PIECES {
                let message = format!("more than {MAX_PIECES} pieces");
                return Err(Error::new(ErrorKind::Unsupported, token.span.clone(), message));
            }
        };
        self.tokens.eat(",");
        self.close_bracket(open, "(", ")")?;
        let span = token.span.start..self.tokens.previous_end();
        for (condition, chosen) in pieces.into_iter().rev() {
            let kind = NodeKind::Call("where", vec![condition, chosen, value]);
            value = self.push(kind, span.clone())?;
        }
        Ok(value)
    }

    fn arguments(&mut self, token: &Token<'t>) -> Result<Vec<Argument<'t>>, Error> {
        self.tokens.advance();
        self.tokens.depth += 1;
        let mut arguments = Vec::new();
        while !self.tokens.is(")") {
            let first = self.tokens.current().clone();
            let is_named = self.tokens.ahead(1).text == "=" && first.class == Class::Name;
            if is_named {
                self.tokens.advance();
                self.tokens.advance();
            }
            let value = match is_named
                && function(token.text).is_some_and(|f| f.place(first.text).is_none())
            {
                // The value of an unknown parameter can be anything, as in `key=abs`: the parameter itself is rejected later.
                true => self.push(NodeKind::Integer(0), first.span.clone()).inspect(|_| {
                    while !self.tokens.is(",") && !self.tokens.is(")") && self.tokens.len() > 1 {
                        self.tokens.advance();
                    }
                })?,
                false => self.choice()?,
            };
            arguments.push((is_named.then(|| (first.text, first.span.clone())), value));
            if !self.tokens.eat(",") {
                break;
            }
        }
        if !self.tokens.is(")") {
            let error = self.tokens.unexpected("an operator, `,` or `)`");
            return Err(error.hint(format!("`{}(` is not closed", token.text)));
        }
        Ok(arguments)
    }

    /// Returns the variable that `tl.arange(0, n)` introduces, and records its bounds.
    fn index_of(&mut self, ends: &[NodeId], span: Span) -> Result<NodeId, Error> {
        let name = self.tokens.source.get(span.clone()).unwrap_or("");
        let index = self.push(NodeKind::Name(name), span.clone())?;
        self.bound.push(name.split_whitespace().collect());
        let (first, end) = match *ends {
            [first, end] => (first, end),
            _ => (self.push(NodeKind::Integer(0), span.clone())?, ends[0]),
        };
        let ends = [(first, Relation::LessEqual, index), (index, Relation::Less, end)];
        let conditions = ends.map(|(left, relation, right)| {
            let kind = NodeKind::Compare(vec![left, right], vec![relation]);
            self.push(kind, span.clone())
        });
        let conditions = conditions.into_iter().collect::<Result<Vec<_>, Error>>()?;
        self.ranges.push((index, conditions));
        Ok(index)
    }
}

/// The maximum number of conditions of a `Piecewise`; each is nested in those before it.
const MAX_PIECES: usize = 32;

/// The hint for a `Piecewise` of another form.
const PIECES: &str =
    "`Piecewise((value, condition), .., (value, True))`: the last piece is for all other values";

/// The hint for operations that change the shape of an array.
pub const OPS: &str =
    "arrays change shape by ops: `op reshape f32[32] -> f32[4,8] | transpose {1,0}`";

/// Returns whether this is a function or method that produces another view of an array.
pub fn is_of_arrays(name: &str) -> bool {
    const METHODS: [&str; 15] = [
        "T",
        "einsum",
        "expand",
        "flatten",
        "movedim",
        "permute",
        "ravel",
        "rearrange",
        "repeat",
        "reshape",
        "squeeze",
        "swapaxes",
        "transpose",
        "unsqueeze",
        "view",
    ];
    METHODS.contains(&name)
}

/// Returns the error for a function that is not in the table.
pub fn unknown(name: &str, span: Span) -> Error {
    let message = format!("unknown function `{}`", excerpt(name));
    let error = Error::new(ErrorKind::Name, span, message);
    error.hint(match nearest(name) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "known are min, max, cdiv, floordiv, mod, where, clamp, abs, divmod, arange, program_id, those of tl, T, np, \
                 torch and sympy that mean the same, and casts to integers"
            .to_owned(),
    })
}

/// Returns the arguments in the order of the parameters.
fn placed(
    function: &Function,
    name: &str,
    arguments: Vec<Argument<'_>>,
    span: &Span,
) -> Result<Vec<NodeId>, Error> {
    let signature = function.signature(name);
    let wrong = |span: &Span, message: String| {
        let error = Error::new(ErrorKind::Arity, span.clone(), message);
        error.hint(format!("the function is `{signature}`"))
    };
    let given = arguments.len();
    let mut places: Vec<Option<NodeId>> = Vec::new();
    for (keyword, value) in arguments {
        let at = match &keyword {
            None => places.len(),
            Some((word, span)) => function.place(word).ok_or_else(|| {
                wrong(span, format!("`{}` has no parameter `{}`", excerpt(name), excerpt(word)))
            })?,
        };
        places.resize(places.len().max(at + 1), None);
        if places[at].replace(value).is_some() {
            let span = keyword.map_or(span.clone(), |(_, span)| span);
            return Err(wrong(&span, format!("a parameter of `{}` is given twice", excerpt(name))));
        }
    }
    let is_complete = places.iter().all(Option::is_some);
    if !is_complete || given < function.least || function.most().is_some_and(|most| given > most) {
        let expected = match function.most() {
            Some(most) if most == function.least => format!("{most}"),
            Some(most) => format!("{} to {most}", function.least),
            None => format!("{} or more", function.least),
        };
        let message = format!("`{}` takes {expected} values, not {given}", excerpt(name));
        return Err(wrong(span, message));
    }
    Ok(places.into_iter().flatten().collect())
}
