//! Parses statements: assignments, early returns, loop headers. The grammar is at the top of [`program`](super::program).

use super::program::Reader;
use super::token::{Class, is_assignment, is_condition_word, is_reserved};
use super::types::{Type, is_type};
use affinor_maps::text::ast::{NodeId, NodeKind};
use affinor_maps::text::{Error, ErrorKind, Span};

/// The targets of an assignment: the names, the number of tokens up to its operator, and the type.
pub type Target<'t> = (Vec<&'t str>, usize, Type);

impl<'t> Reader<'t> {
    /// Parses statements, and the values at their end. In a function, these are converted to its return type.
    pub fn body(&mut self, function: Option<Type>) -> Result<Vec<NodeId>, Error> {
        let is_function = function.is_some();
        // Statements of C end with `;`.
        let has_semicolons = self.tokens().has(";");
        self.parser.tokens.by_lines = !has_semicolons && (is_function || self.has_statements());
        let mut is_assigned = false;
        loop {
            while self.tokens().eat_anywhere(";") {}
            let token = self.tokens().current().clone();
            let is_loop = token.text == "for"
                && (token.indent.is_some() || self.tokens().ahead(1).text == "(");
            let is_bounds = matches!(token.text, "domain" | ",")
                || is_condition_word(token.text)
                || token.text == "for" && !is_loop;
            if token.class == Class::End || token.text == "}" || (is_assigned && is_bounds) {
                break;
            }
            self.tokens().forget_line(); // the token begins a statement rather than ending one
            if self.tokens().eat("return") {
                if let (Some(name), true) = (self.loops.last(), is_function) {
                    let message = format!("`return` ends the loop over `{name}` at its first step");
                    let error = Error::new(ErrorKind::Unsupported, token.span, message);
                    return Err(error.hint("make the variable of the loop a parameter, and bound it at the end: `, domain: i in [0, 9]`"));
                }
                self.returns = Some(function.unwrap_or(Type::Plain));
            } else if self.tokens().eat("if") {
                self.guard()?;
                continue;
            } else if self.tokens().eat("for") {
                self.head_of_loop()?;
                continue;
            } else if let Some((names, length, of)) = self.declaration() {
                self.parser.is_c();
                self.types.extend(names.into_iter().map(|name| (name, of)));
                (0..length).for_each(|_| self.tokens().advance());
                continue;
            } else if let Some(target) = self.target() {
                self.assignment(target, is_function)?;
                is_assigned = true;
                continue;
            }
            let values = match is_function || self.returns.is_some() {
                true => self.values()?,
                false => self.values_under_conditions()?,
            };
            while self.tokens().eat_anywhere(";") || self.tokens().eat_anywhere("}") {}
            return self.guarded(values);
        }
        while self.tokens().eat_anywhere("}") {}
        match is_assigned && !is_function {
            true => self.guarded(Vec::new()),
            false if is_function => {
                let error = self.tokens().unexpected("`return` and a value");
                Err(error.hint("a function is read as the map to its return value"))
            }
            // Loops with an empty body have the values of their variables.
            false if !self.loops.is_empty() => {
                let at = self.tokens().previous_end();
                let names = self.loops.clone().into_iter();
                let values = names.map(|name| self.parser.push(NodeKind::Name(name), at..at));
                values.collect()
            }
            false => Err(self.tokens().unexpected("a value")),
        }
    }

    fn head_of_loop(&mut self) -> Result<(), Error> {
        let names = self.parser.locals.keys().copied();
        self.before_loop.get_or_insert(names.collect());
        self.loop_over(true)?;
        self.tokens().eat(":");
        self.tokens().eat_anywhere("{");
        Ok(())
    }

    /// Returns whether a line is a statement, so that the ends of lines matter.
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

    /// Returns the targets of the statement here, if it is an assignment.
    pub fn target(&mut self) -> Option<Target<'t>> {
        let tokens = self.tokens();
        let types = (0..).take_while(|at| is_type(tokens.ahead(*at).text));
        let mut at = types.count();
        let of = Type::of_words((0..at).map(|at| tokens.ahead(at).text));
        // `(row, col) = ..` and `auto [row, col] = ..`
        let close = match tokens.ahead(at).text {
            "(" if at == 0 => Some(")"),
            "[" => Some("]"),
            _ => None,
        };
        at += usize::from(close.is_some());
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
                end if close == Some(end) && tokens.ahead(at + 2).text == "=" => {
                    return Some((names, at + 2, of));
                }
                _ if close.is_some() => return None,
                ":" if tokens.ahead(at + 3).text == "=" => return Some((names, at + 3, of)),
                operator if is_assignment(operator) => return Some((names, at + 1, of)),
                _ => return None,
            }
        }
    }

    /// Returns the names of a declaration without values, `int i, j;`, the number of its tokens, and the type.
    pub fn declaration(&mut self) -> Option<Target<'t>> {
        let tokens = self.tokens();
        let mut at = (0..).take_while(|at| is_type(tokens.ahead(*at).text)).count();
        let of = Type::of_words((0..at).map(|at| tokens.ahead(at).text));
        if at == 0 {
            return None;
        }
        let mut names = Vec::new();
        loop {
            let token = tokens.ahead(at);
            if token.class != Class::Name || is_reserved(token.text) {
                return None;
            }
            names.push(token.text);
            match tokens.ahead(at + 1).text {
                "," => at += 2,
                ";" => return Some((names, at + 2, of)),
                _ => return None,
            }
        }
    }

    /// Parses `row, col = i // 8, i % 8`, `i += 1` or `int r = i / 8, c = i % 8`.
    pub fn assignment(
        &mut self,
        (names, length, of): Target<'t>,
        is_function: bool,
    ) -> Result<(), Error> {
        let is_declared = is_type(self.tokens().current().text);
        if is_declared {
            self.parser.is_c();
        }
        (0..length).for_each(|_| self.tokens().advance());
        let operator = self.tokens().current().clone();
        self.tokens().advance();
        if is_declared && names.len() == 1 {
            let mut name = names[0];
            loop {
                let value = self.parser.choice()?;
                self.assign(name, of, value, is_function)?;
                if !self.tokens().is(",") || self.tokens().ahead(2).text != "=" {
                    return Ok(());
                }
                self.tokens().advance();
                (name, _) = self.tokens().name()?;
                self.tokens().take("=")?;
            }
        }
        let before = self.tokens().clone();
        let values = self.list()?;
        if let ([name], "+=") = (&names[..], operator.text)
            && self.before_loop.as_ref().is_some_and(|before| {
                before.contains(name) || !self.parser.locals.contains_key(name)
            })
            && !self.counted.contains(name)
            && !self.loops.contains(name)
        {
            let read = before.len() - self.tokens().len();
            let amount: Vec<&str> = (0..read).map(|at| before.ahead(at).text).collect();
            let step = ["n", "t", "step"].into_iter().find(|word| !amount.contains(word));
            let amount = match &amount[..] {
                [amount] => (*amount).to_owned(),
                _ => format!("({})", amount.join(" ")),
            };
            let step = step.unwrap_or("steps");
            let error = changes_in_loop(name, operator.span);
            return Err(error.hint(format!(
                "before step `{step}`, counted from 0, it is `{name} + {step} * {amount}`"
            )));
        }
        if values.len() != names.len() {
            let message = format!("{} values for {} names", values.len(), names.len());
            return Err(Error::new(ErrorKind::Arity, operator.span, message));
        }
        for (name, value) in names.iter().zip(&values) {
            let value = match operator.text.strip_suffix('=') {
                Some("") | None => *value,
                Some(operation) => {
                    let before = match self.parser.locals.get(name) {
                        Some(before) => *before,
                        None if self.parser.is_unknown(name) => {
                            self.parser.unknown(operator.span.clone())?
                        }
                        None => self.parser.push(NodeKind::Name(name), operator.span.clone())?,
                    };
                    let span = self.parser.terms.span(*value);
                    self.parser.operation(operation, before, *value, span)?
                }
            };
            let of = self.types.get(name).copied().unwrap_or(of);
            self.assign(name, of, value, is_function)?;
        }
        Ok(())
    }

    pub fn assign(
        &mut self,
        name: &'t str,
        of: Type,
        value: NodeId,
        is_function: bool,
    ) -> Result<(), Error> {
        let span = self.parser.terms.span(value);
        if self.depends_on_steps(name, &[value]) {
            let error = changes_in_loop(name, span);
            return Err(error.hint("write the value of one step by the variable of the loop"));
        }
        let value = match of {
            Type::Plain => value,
            _ => {
                let kind = NodeKind::Call(of.conversion(), vec![value]);
                self.parser.push(kind, span)?
            }
        };
        self.types.insert(name, of);
        self.parser.locals.insert(name, value);
        if !is_function && !self.assigned.contains(&name) {
            self.assigned.push(name);
        }
        Ok(())
    }

    /// Returns whether the value of a name that is assigned here depends on earlier steps of a loop.
    fn depends_on_steps(&self, name: &str, values: &[NodeId]) -> bool {
        let Some(before) = self.before_loop.as_ref() else { return false };
        if self.counted.contains(&name) {
            return false;
        }
        let terms = &self.parser.terms;
        let is_new = !self.parser.locals.contains_key(name);
        let inside = self.parser.locals.iter().filter(|(other, _)| !before.contains(other));
        // A name that the loop reads before it assigns it.
        let mut read = inside.map(|(_, value)| value).chain(values);
        before.contains(&name)
            || self.loops.contains(&name)
            || is_new && read.any(|value| terms.uses(*value, name))
    }

    /// Parses an early return, `if c: return v`.
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

    /// Returns the values, as choices between them and the values of earlier returns.
    fn guarded(&mut self, mut values: Vec<NodeId>) -> Result<Vec<NodeId>, Error> {
        while let Some((condition, early)) = self.guards.pop() {
            let span = self.parser.terms.span(condition);
            if early.len() != values.len() || self.returns.is_none() {
                let message = "one branch has no value, or a different number of values";
                return Err(Error::new(ErrorKind::Arity, span, message));
            }
            for (value, early) in values.iter_mut().zip(early) {
                let kind = NodeKind::Call("?:", vec![condition, early, *value]);
                *value = self.parser.push(kind, span.clone())?;
            }
        }
        if let Some(of) = self.returns.filter(|of| *of != Type::Plain) {
            for value in &mut values {
                let span = self.parser.terms.span(*value);
                let kind = NodeKind::Call(of.conversion(), vec![*value]);
                *value = self.parser.push(kind, span)?;
            }
        }
        Ok(values)
    }
}

fn changes_in_loop(name: &str, span: Span) -> Error {
    let message = format!("`{name}` changes in a loop, so its value depends on the steps before");
    Error::new(ErrorKind::Unsupported, span, message)
}
