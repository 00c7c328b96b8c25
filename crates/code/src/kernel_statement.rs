//! The plain statements of a kernel: assignments of indices, loads and stores, and what is passed over.

use super::extent::loop_length;
use super::kernel::Kernel;
use super::program::Reader;
use super::token::{Class, is_assignment};
use super::tokens::Tokens;
use super::types::is_type;
use affinor::text::{Error, ErrorKind};

impl<'t> Reader<'t> {
    pub fn plain_statement(&mut self, kernel: &mut Kernel<'t>) -> Result<(), Error> {
        let start = self.tokens().clone();
        self.statement(kernel)?;
        let read = start.len() - self.tokens().len();
        self.parser.bound_by_choice(&start, read, 0);
        self.take_found(kernel, 0);
        self.parser.memory().is_used = false;
        if let Some(at) = (0..read).find(|at| self.is_dereferenced(&start, *at)) {
            let name = start.ahead(at + 1);
            let message = format!("`*{}` is an element of an array", name.text);
            let error = Error::new(ErrorKind::Unsupported, name.span.clone(), message);
            return Err(error.hint(format!("write `{}[0]`", name.text)));
        }
        let passed: Vec<&str> = (0..read).filter_map(|at| passed(&start, at)).collect();
        self.check_loops(&passed)?;
        self.assigned(kernel, &passed);
        for name in passed {
            self.parser.locals.remove(name);
            self.parser.memory().unknown.insert(name);
        }
        match read > 0 {
            true => Ok(()),
            false => Err(self.tokens().unexpected("a statement")),
        }
    }

    fn statement(&mut self, kernel: &mut Kernel<'t>) -> Result<(), Error> {
        let first = self.tokens().current().clone();
        match first.text {
            "," => {
                self.tokens().advance();
                return self.items();
            }
            "T.reads" | "T.writes" | "T.block_attr" => {
                self.rest()?;
                self.parser.memory().found.clear();
                return Ok(());
            }
            "T.where" => {
                self.tokens().advance();
                let condition = self.parser.choice()?;
                return self.add_condition(kernel, condition);
            }
            "return" | "break" | "continue" => {
                kernel.leaves(first.text);
                self.tokens().advance();
                return self.rest();
            }
            _ => {}
        }
        if let Some((names, length, of)) = self.declaration() {
            self.types.extend(names.into_iter().map(|name| (name, of)));
            (0..length - 1).for_each(|_| self.tokens().advance());
            return Ok(());
        }
        if self.declares_array() {
            self.rest()?;
            self.parser.memory().found.clear();
            return Ok(());
        }
        if let Some(target) = self.target() {
            return self.index_assignment(kernel, target);
        }
        if let Some(name) = self.reference() {
            let message = format!("`{name}` is another name of a variable, which it may change");
            let error = Error::new(ErrorKind::Unsupported, first.span, message);
            return Err(error.hint("write the variable itself"));
        }
        if self.parser.is_element() {
            self.tokens().advance();
            return self.stored(&first);
        }
        if let Some(name) = self.declared_value() {
            self.assigned(kernel, &[name]);
            self.parser.locals.remove(name);
            self.parser.memory().unknown.insert(name);
            while !self.tokens().eat("=") {
                self.tokens().advance();
            }
            return self.rest();
        }
        let (next, third) = (self.tokens().ahead(1).text, self.tokens().ahead(2).text);
        if first.class == Class::Name && matches!(next, "+" | "-") && next == third {
            self.check_loops(&[first.text])?;
            self.assigned(kernel, &[first.text]);
            self.parser.locals.remove(first.text);
            self.parser.memory().unknown.insert(first.text);
            return self.rest();
        }
        self.rest()?;
        let is_passed_over = first.class == Class::Name && next == "(" || first.text == "*";
        let found = &self.parser.memory().found;
        match found.first().filter(|_| !is_passed_over && first.class != Class::Text) {
            Some(access) => Err(in_expression(access.array, access.span.clone())),
            None => Ok(()),
        }
    }

    /// `A[i] = ..`, `A[i] += ..`, or an element alone.
    fn stored(&mut self, token: &super::token::Token<'t>) -> Result<(), Error> {
        self.parser.element(token)?;
        let operator = self.tokens().current().clone();
        let is_step =
            matches!(operator.text, "+" | "-") && self.tokens().ahead(1).text == operator.text;
        if is_step || !self.tokens().is_end() && is_assignment(operator.text) {
            if let Some(access) = self.parser.memory().found.last_mut() {
                access.is_read = operator.text != "=";
                access.is_written = true;
            }
            self.tokens().advance();
            return self.rest();
        }
        let is_end = self.tokens().is_end()
            || matches!(operator.text, ";" | "}" | "," | ")" | "for" | "domain")
            || super::token::is_condition_word(operator.text);
        match is_end {
            true => Ok(()),
            false => {
                let span = token.span.start..self.tokens().previous_end();
                Err(in_expression(token.text, span))
            }
        }
    }

    /// An assignment to names. Their values are known unless they depend on memory.
    fn index_assignment(
        &mut self,
        kernel: &mut Kernel<'t>,
        target: (Vec<&'t str>, usize, super::types::Type),
    ) -> Result<(), Error> {
        let (start, length) = (self.tokens().clone(), target.1);
        let mut names = target.0.clone();
        self.check_loops(&names)?;
        let result = self.assignment(target, false);
        let is_used = std::mem::take(&mut self.parser.memory().is_used);
        if result.is_err() {
            self.parser.memory().found.clear();
            *self.tokens() = start;
            (0..=length).for_each(|_| self.tokens().advance());
            self.rest()?;
        } else {
            // `int r = i / 8, c = i % 8`
            let is_declared = is_type(start.current().text);
            let read = start.len() - self.tokens().len();
            let more = (0..read).filter(|at| is_declared && start.ahead(at + 1).text == "=");
            names.extend(more.map(|at| start.ahead(at).text));
        }
        for name in &names {
            match result.is_err() || is_used {
                true => {
                    self.parser.locals.remove(name);
                    self.parser.memory().unknown.insert(name);
                }
                false => {
                    self.parser.memory().unknown.remove(name);
                }
            }
        }
        self.assigned(kernel, &names);
        Ok(())
    }

    /// The variable of a loop that is assigned inside takes other values than its head says.
    fn check_loops(&mut self, names: &[&str]) -> Result<(), Error> {
        let Some(name) = names.iter().find(|name| self.loops.contains(name)) else {
            return Ok(());
        };
        let message = format!("`{name}` is the variable of the loop, and is assigned in it");
        let span = self.tokens().current().span.clone();
        Err(Error::new(ErrorKind::Unsupported, span, message)
            .hint("write the loop so that its head has all steps"))
    }

    /// Everything up to the end of the statement, with its accesses.
    fn rest(&mut self) -> Result<(), Error> {
        self.parser.scan(&[",", "for", "domain", "where", "given", "when"])?;
        // Arguments and further values of the statement.
        while self.tokens().is(",") && !self.begins_bounds() {
            let next = self.tokens().ahead(1).clone();
            if next.class == Class::Integer && self.tokens().ahead(2).text.starts_with('<') {
                break;
            }
            self.tokens().advance();
            self.parser.scan(&[",", "for", "domain", "where", "given", "when"])?;
        }
        Ok(())
    }

    /// The names that are assigned in the loop have no value that one iteration knows.
    pub fn change_in_loop(&mut self, column: Option<usize>) {
        let tokens = self.tokens().clone();
        for at in 0..loop_length(&tokens, column) {
            let (name, next) = (tokens.ahead(at), tokens.ahead(at + 1));
            let is_step = matches!(next.text, "+" | "-") && tokens.ahead(at + 2).text == next.text;
            let is_declared = at > 0 && is_type(tokens.ahead(at - 1).text);
            let is_changed = name.class == Class::Name
                && (is_step || is_assignment(next.text) || next.text == ",")
                && !is_declared;
            let is_named = next.text == "," && !is_tuple_target(&tokens, at);
            let changed = (is_changed && !is_named).then_some(name.text);
            for name in changed.into_iter().chain(passed(&tokens, at)) {
                self.parser.locals.remove(name);
                self.parser.memory().unknown.insert(name);
            }
        }
    }

    /// Does `*p` stand here in a text of C?
    fn is_dereferenced(&mut self, tokens: &Tokens, at: usize) -> bool {
        let before = at.checked_sub(1).map_or(";", |before| tokens.ahead(before).text);
        let is_operand = is_assignment(before)
            || matches!(before, ";" | "{" | "(" | "," | "+" | "-" | "*" | "/" | "[" | "return");
        let follows = tokens.ahead(at + 1).class == Class::Name;
        !self.tokens().by_lines && tokens.ahead(at).text == "*" && is_operand && follows
    }

    /// Is an array declared: `__shared__ float tile[32][33]`?
    fn declares_array(&mut self) -> bool {
        let tokens = self.tokens();
        let names = (0..).take_while(|at| tokens.ahead(*at).class == Class::Name).count();
        names > 1 && tokens.ahead(names).text == "[" && tokens.current().text != "return"
    }

    /// The name that `int &r = i` declares; one to `const` changes nothing.
    fn reference(&mut self) -> Option<&'t str> {
        let tokens = self.tokens();
        let words = (0..).take_while(|at| tokens.ahead(*at).class == Class::Name).count();
        let is_constant = (0..words).any(|at| tokens.ahead(at).text == "const");
        let is_reference = words > 0
            && !is_constant
            && matches!(tokens.ahead(words).text, "&" | "&&")
            && tokens.ahead(words + 1).class == Class::Name
            && matches!(tokens.ahead(words + 2).text, "=" | "(" | "{" | ":");
        is_reference.then(|| tokens.ahead(words + 1).text)
    }

    /// The name of a value that is no integer: `float v = ..`. Of a pointer it is an array.
    fn declared_value(&mut self) -> Option<&'t str> {
        let tokens = self.tokens();
        let mut at = 0;
        while tokens.ahead(at).class == Class::Name || matches!(tokens.ahead(at).text, "*" | "&") {
            at += 1;
        }
        let is_declared = at > 1 && tokens.ahead(at).text == "=";
        is_declared.then(|| tokens.ahead(at - 1).text)
    }
}

/// The variable whose address is passed here, `f(&k)`: it may have another value then.
fn passed<'t>(tokens: &Tokens<'t>, at: usize) -> Option<&'t str> {
    let before = tokens.ahead(at.checked_sub(1)?).text;
    let (name, next) = (tokens.ahead(at + 1), tokens.ahead(at + 2).text);
    let is_passed =
        tokens.ahead(at).text == "&" && (is_assignment(before) || matches!(before, "(" | ","));
    (is_passed && name.class == Class::Name && next != "[").then_some(name.text)
}

/// The error for an expression of elements.
fn in_expression(array: &str, span: affinor::text::Span) -> Error {
    let message = format!("`{array}[..]` is an element of an array");
    Error::new(ErrorKind::Unsupported, span, message).hint(
        "an index that is read from memory is no expression; an element alone, `A[i * 8 + j]`, and an assignment are read as their indices",
    )
}

/// Is the name the first of several that are assigned: `a, b = ..`?
fn is_tuple_target(tokens: &Tokens, at: usize) -> bool {
    let mut at = at;
    while tokens.ahead(at).class == Class::Name && tokens.ahead(at + 1).text == "," {
        at += 2;
    }
    tokens.ahead(at).class == Class::Name && tokens.ahead(at + 1).text == "="
}
