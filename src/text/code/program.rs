//! The parser of pasted code: an expression or several, a lambda, a function of Python or C, statements, and the
//! bounds of the variables.
//!
//! ```text
//! program    := 'lambda' names ':' values | 'def' name '(' names ')' ':' body | type name '(' parameters ')' '{' body '}' | body
//! body       := {statement} [['return'] values] bounds
//! statement  := [type] name {',' name} '=' values | [type] name ('+=' | ..) choice
//!             | 'if' choice ':' 'return' values | 'for' name 'in' range ':'
//!             | 'for' '(' [type] name '=' choice ';' choice ';' .. ')'                      each with `;` or a new line
//! values     := choice {',' choice} | '(' values ')' | choice ('=' | relation) choice
//! bounds     := {[','] 'domain' ':' items | 'where' items | 'for' name 'in' range}
//! range      := 'range' '(' choice [',' choice [',' choice]] ')'
//! items      := item {(',' | newline) item}        item := choice | choice 'in' '[' end ',' end ']' | choice 'in' range
//! ```
//!
//! A name that is assigned stands for its value from there on, so that statements leave no trace in the tree.

use super::parse::{Parser, is_type};
use super::token::{Class, Tokens, is_reserved};
use crate::text::ast::{NodeId, NodeKind, Relation, Term};
use crate::text::{Error, ErrorKind, Span};

/// Pasted code as a tree.
pub struct Program<'t> {
    /// All nodes.
    pub term: Term<'t>,
    /// The values.
    pub results: Vec<NodeId>,
    /// The parameters of a lambda or function, in order.
    pub arguments: Vec<&'t str>,
    /// The variables of loops, and the parameters.
    pub bound: Vec<&'t str>,
    /// What the bounds say.
    pub conditions: Vec<NodeId>,
    /// The name that the value was last assigned to.
    pub name: Option<&'t str>,
    /// The first chain `a < b < c`.
    pub chain: Option<Span>,
}

/// Parses code.
///
/// # Errors
/// [`ErrorKind::Syntax`], [`ErrorKind::Overflow`], [`ErrorKind::TooLarge`], [`ErrorKind::Unsupported`] at its position.
pub fn program(text: &str) -> Result<Program<'_>, Error> {
    let mut reader = Reader {
        parser: Parser::new(Tokens::new(text)?),
        arguments: Vec::new(),
        bound: Vec::new(),
        conditions: Vec::new(),
        name: None,
        several: None,
        guards: Vec::new(),
        returns: false,
    };
    let results = reader.whole()?;
    let Reader {
        parser,
        arguments,
        bound,
        mut conditions,
        name,
        ..
    } = reader;
    conditions.extend(&parser.conditions);
    let root = results.last().copied();
    let root = root.ok_or_else(|| Error::new(ErrorKind::Syntax, 0..0, "expected a value"))?;
    Ok(Program {
        chain: parser.chain.clone(),
        term: parser.terms.finish(root),
        results,
        arguments,
        bound,
        conditions,
        name,
    })
}

/// The parser of a program, and what it has read.
pub struct Reader<'t> {
    pub parser: Parser<'t>,
    arguments: Vec<&'t str>,
    pub bound: Vec<&'t str>,
    pub conditions: Vec<NodeId>,
    name: Option<&'t str>,
    /// Several names that were assigned at once, last.
    several: Option<Span>,
    /// What is returned early, and when.
    guards: Vec<(NodeId, Vec<NodeId>)>,
    /// Whether the values are those of a `return`.
    returns: bool,
}

impl<'t> Reader<'t> {
    pub fn tokens(&mut self) -> &mut Tokens<'t> {
        &mut self.parser.tokens
    }

    fn whole(&mut self) -> Result<Vec<NodeId>, Error> {
        while self.tokens().is("@") {
            self.tokens().advance(); // a decorator: the rest of its line
            while self.tokens().current().indent.is_none() {
                self.tokens().advance();
            }
        }
        let results = if self.tokens().eat("lambda") {
            self.names(":")?;
            self.values()?
        } else if self.tokens().eat("def") {
            self.tokens().name()?;
            self.tokens().take("(")?;
            self.names(")")?;
            if self.tokens().eat("->") {
                self.tokens().advance();
            }
            self.tokens().take(":")?;
            self.body(true)?
        } else if self.is_function() {
            while self.tokens().current().text != "(" {
                self.tokens().advance();
            }
            self.tokens().advance();
            self.names(")")?;
            self.tokens().take("{")?;
            let results = self.body(true)?;
            self.tokens().eat("}");
            results
        } else {
            self.body(false)?
        };
        self.parser.tokens.by_lines = false;
        self.bounds()?;
        if !self.tokens().is_end() {
            return Err(self.not_done());
        }
        Ok(results)
    }

    fn not_done(&mut self) -> Error {
        let error = self
            .tokens()
            .unexpected("an operator or the end of the code");
        let token = self.tokens().current().clone();
        let is_word = token.class == Class::Name;
        match token.text {
            "=" => error.hint("two values are compared with `==`"),
            "in" => error.hint("bounds come behind a value: `i * 4, domain: i in [0, 3]`"),
            "." | "[" => {
                error.hint("an element of an array is no expression; write its index alone")
            }
            ";" => error.hint("statements are separated by `;` inside of a function"),
            _ if is_word && self.parser.tokens.previous_operator() == "//" => error
                .hint("`//` divides here, as in Python; a comment is written `# ..` or `/* .. */`"),
            _ if is_word => error.hint("an operator is missing before this name"),
            _ => error,
        }
    }

    /// Does the text begin as a function of C?
    fn is_function(&mut self) -> bool {
        let tokens = self.tokens();
        let types = (0..)
            .take_while(|at| is_type(tokens.ahead(*at).text))
            .count();
        let word = |at: usize| tokens.ahead(types + at);
        types > 0 && word(0).class == Class::Name && word(1).text == "("
    }

    /// The parameters up to `close`, of Python or C.
    fn names(&mut self, close: &str) -> Result<(), Error> {
        while !self.tokens().eat(close) {
            while is_type(self.tokens().current().text) {
                self.tokens().advance();
            }
            let (name, _) = self.tokens().name()?;
            self.arguments.push(name);
            self.bound.push(name);
            if close == ")" && self.tokens().eat(":") {
                self.tokens().advance(); // the type: `tl.constexpr`
            }
            if self.tokens().is("=") {
                let error = self.tokens().unexpected("`,` or the end of the parameters");
                return Err(
                    error.hint("a parameter with a default value can be any value: leave it out")
                );
            }
            if !self.tokens().eat(",") && !self.tokens().is(close) {
                return Err(self.tokens().unexpected(&format!("`,` or `{close}`")));
            }
        }
        Ok(())
    }

    /// Statements, and the values at their end.
    fn body(&mut self, is_function: bool) -> Result<Vec<NodeId>, Error> {
        // Statements of C end with `;`.
        let has_semicolons = self.tokens().has(";");
        self.parser.tokens.by_lines = !has_semicolons && (is_function || self.has_statements());
        let mut assigned = None;
        loop {
            while self.tokens().eat_anywhere(";") {}
            let token = self.tokens().current().clone();
            let is_bounds = matches!(token.text, "domain" | "where" | ",");
            if token.class == Class::End || token.text == "}" || (assigned.is_some() && is_bounds) {
                break;
            }
            self.tokens().forget_line(); // the token begins a statement, and does not end one
            let values = if self.tokens().eat("return") {
                self.returns = true;
                Some(self.values()?)
            } else if self.tokens().eat("if") {
                self.guard()?;
                None
            } else if assigned.is_none() && self.tokens().eat("for") {
                self.loop_over()?;
                self.tokens().eat(":");
                self.tokens().eat_anywhere("{");
                None
            } else if let Some(names) = self.assigned_names() {
                assigned = Some(self.assignment(names)?);
                None
            } else {
                self.name = None;
                Some(self.values()?)
            };
            if let Some(values) = values {
                self.name = None;
                while self.tokens().eat_anywhere(";") || self.tokens().eat_anywhere("}") {}
                return self.guarded(values);
            }
        }
        while self.tokens().eat_anywhere("}") {}
        if let (Some(span), false) = (self.several.take(), is_function) {
            let message = "several names are assigned at once";
            let error = Error::new(ErrorKind::Arity, span, message);
            return Err(error.hint("write `a = ..` and `b = ..` in lines of their own"));
        }
        match assigned.filter(|_| !is_function) {
            Some(value) => self.guarded(vec![value]),
            None if is_function => {
                let error = self.tokens().unexpected("`return` and a value");
                Err(error.hint("a function is read as the map to what it returns"))
            }
            None => Err(self.tokens().unexpected("a value")),
        }
    }

    /// Is there a line that is a statement, so that the ends of lines matter?
    fn has_statements(&mut self) -> bool {
        let tokens = self.tokens();
        let is_line = |at: &usize| tokens.ahead(*at).indent.is_some();
        let count = tokens.len();
        (0..count).filter(is_line).any(|at| {
            let (word, next) = (tokens.ahead(at), tokens.ahead(at + 1));
            let assigns = is_assignment(next.text)
                || (next.text == "," && at > 0 && tokens.ahead(at + 3).text == "=");
            word.text == "return" || (word.class == Class::Name && assigns)
        })
    }

    /// The names that the statement here assigns to, with the number of tokens up to its operator.
    fn assigned_names(&mut self) -> Option<(Vec<&'t str>, usize)> {
        let tokens = self.tokens();
        let mut at = (0..)
            .take_while(|at| is_type(tokens.ahead(*at).text))
            .count();
        let mut names = Vec::new();
        loop {
            let token = tokens.ahead(at);
            let is_name = token.class == Class::Name && !token.text.contains(['.', ':']);
            if !is_name || is_reserved(token.text) {
                return None;
            }
            names.push(token.text);
            match tokens.ahead(at + 1).text {
                "," => at += 2,
                ":" if tokens.ahead(at + 3).text == "=" => return Some((names, at + 3)),
                operator if is_assignment(operator) => return Some((names, at + 1)),
                _ => return None,
            }
        }
    }

    /// `row, col = i // 8, i % 8`, `i += 1`
    fn assignment(&mut self, (names, length): (Vec<&'t str>, usize)) -> Result<NodeId, Error> {
        (0..length).for_each(|_| self.tokens().advance());
        let operator = self.tokens().current().clone();
        self.tokens().advance();
        let values = self.list()?;
        if values.len() != names.len() {
            let message = format!("{} values for {} names", values.len(), names.len());
            return Err(Error::new(ErrorKind::Arity, operator.span, message));
        }
        self.several = (names.len() > 1).then(|| operator.span.clone());
        for (name, value) in names.iter().zip(&values) {
            let value = match operator.text.strip_suffix('=') {
                Some("") | None => *value,
                Some(operation) => {
                    let before = match self.parser.locals.get(name) {
                        Some(before) => *before,
                        None => self
                            .parser
                            .push(NodeKind::Name(name), operator.span.clone())?,
                    };
                    self.parser.operation(operation, before, *value)?
                }
            };
            self.parser.locals.insert(name, value);
            self.name = Some(name);
        }
        let name = self.name.unwrap_or("");
        self.parser
            .locals
            .get(name)
            .copied()
            .ok_or_else(|| self.parser.tokens.unexpected("a value"))
    }

    /// `if c: return v`, as what comes before the rest.
    fn guard(&mut self) -> Result<(), Error> {
        let condition = self.parser.choice()?;
        self.tokens().eat(":");
        self.tokens().eat_anywhere("{");
        if !self.tokens().eat_anywhere("return") {
            let error = self.tokens().unexpected("`return` after the condition");
            return Err(error.hint("write a choice as one value: `a if c else b`, or `c ? a : b`"));
        }
        let values = self.list()?;
        while self.tokens().eat_anywhere(";") {}
        self.tokens().eat_anywhere("}");
        if self.tokens().eat_anywhere("else") {
            self.tokens().eat_anywhere(":");
            self.tokens().eat_anywhere("{");
        }
        self.guards.push((condition, values));
        Ok(())
    }

    /// The values, unless a guard before them returned others.
    fn guarded(&mut self, mut values: Vec<NodeId>) -> Result<Vec<NodeId>, Error> {
        while let Some((condition, early)) = self.guards.pop() {
            let span = self.parser.terms.span(condition);
            if early.len() != values.len() || !self.returns {
                let message = "one branch has no value, or another number of values";
                return Err(Error::new(ErrorKind::Arity, span, message));
            }
            for (value, early) in values.iter_mut().zip(early) {
                let kind = NodeKind::Call("?:", vec![condition, early, *value]);
                *value = self.parser.push(kind, span.clone())?;
            }
        }
        Ok(values)
    }

    /// Values between commas, or a comparison.
    fn values(&mut self) -> Result<Vec<NodeId>, Error> {
        let values = self.list()?;
        if let ([left], true) = (&values[..], self.tokens().is("=")) {
            let left = *left;
            self.tokens().advance();
            let right = self.parser.choice()?;
            let span = self.parser.terms.span(left).start..self.parser.terms.span(right).end;
            let kind = NodeKind::Compare(vec![left, right], vec![Relation::Equal]);
            return Ok(vec![self.parser.push(kind, span)?]);
        }
        Ok(values)
    }

    fn list(&mut self) -> Result<Vec<NodeId>, Error> {
        let close = match self.tokens().current().text {
            "(" => ")",
            "[" => "]",
            _ => "",
        };
        if !close.is_empty() && self.is_tuple(close) {
            let open = self.tokens().current().clone();
            self.tokens().advance();
            self.parser.tokens.depth += 1;
            let values = self.list_between(close)?;
            self.parser.close_bracket(&open, open.text, close)?;
            return Ok(values);
        }
        self.list_between("")
    }

    fn list_between(&mut self, close: &str) -> Result<Vec<NodeId>, Error> {
        let mut values = Vec::new();
        loop {
            match self.is_divmod() {
                true => values.extend(self.divmod()?),
                false => values.push(self.parser.choice()?),
            }
            let next = self.tokens().ahead(1).text;
            if self.tokens().is(",") && next == "domain" {
                return Ok(values);
            }
            if !self.tokens().eat(",") || (!close.is_empty() && self.tokens().is(close)) {
                return Ok(values);
            }
        }
    }

    /// Does the bracket here hold several values, and nothing more follow?
    fn is_tuple(&mut self, close: &str) -> bool {
        let tokens = self.tokens();
        let (mut depth, mut commas) = (0usize, 0);
        for at in 0..tokens.len() {
            match tokens.ahead(at).text {
                "(" | "[" => depth += 1,
                "," if depth == 1 => commas += 1,
                ")" | "]" => {
                    depth -= 1;
                    if depth == 0 {
                        let next = tokens.ahead(at + 1);
                        let is_last = next.class == Class::End
                            || next.indent.is_some()
                            || matches!(next.text, "," | ";" | "}" | "for" | "where" | "domain");
                        return is_last && (commas > 0 || close == "]");
                    }
                }
                _ => {}
            }
        }
        false
    }

    fn is_divmod(&mut self) -> bool {
        self.tokens().is("divmod") && self.tokens().ahead(1).text == "("
    }

    fn divmod(&mut self) -> Result<[NodeId; 2], Error> {
        let start = self.tokens().current().span.start;
        self.tokens().advance();
        self.tokens().take("(")?;
        self.parser.tokens.depth += 1;
        let dividend = self.parser.choice()?;
        self.tokens().take(",")?;
        let divisor = self.parser.choice()?;
        self.parser.tokens.depth -= 1;
        self.tokens().take(")")?;
        let span = start..self.tokens().previous_end();
        let quotient = NodeKind::FloorDiv(dividend, divisor);
        let quotient = self.parser.push(quotient, span.clone())?;
        Ok([
            quotient,
            self.parser.push(NodeKind::Mod(dividend, divisor), span)?,
        ])
    }
}

/// Is it `=`, `+=`, ..?
fn is_assignment(operator: &str) -> bool {
    let is_comparison = matches!(operator, "==" | "<=" | ">=" | "!=");
    operator.ends_with('=') && !is_comparison
}
