//! The plain statements of a kernel: assignments of indices, loads and stores; any other is skipped.

use super::changes::{aside, changes, counted};
use super::extent::loop_length;
use super::kernel::Kernel;
use super::program::Reader;
use super::token::{Class, is_assignment, is_condition_word};
use super::tokens::Tokens;
use super::types::{Type, is_type};
use affinor_maps::text::ast::NodeKind;
use affinor_maps::text::{Error, ErrorKind};

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
        let is_count = self.is_count(&start);
        let aside = (0..read).filter_map(|at| aside(&start, at).filter(|_| !is_count));
        let aside: Vec<&str> = aside.collect();
        self.check_loops(&aside)?;
        self.assigned(kernel, &aside);
        for name in aside {
            self.parser.locals.remove(name);
            self.parser.memory().unknown.insert(name);
        }
        match read > 0 {
            true => Ok(()),
            false => Err(self.tokens().unexpected("a statement")),
        }
    }

    /// Returns whether the text ends in words that are no statement: passed over, what they say would be lost.
    fn is_prose(&mut self) -> bool {
        const WORDS: [&str; 14] = [
            "assert", "await", "case", "del", "delete", "extern", "global", "goto", "import",
            "nonlocal", "print", "raise", "throw", "yield",
        ];
        let tokens = self.tokens();
        let is_word = |at: &usize| tokens.ahead(*at).class == Class::Name;
        let words = (0..tokens.len()).take_while(is_word).count();
        let is_last = tokens.ahead(words).class == Class::End;
        words > 1 && is_last && !WORDS.contains(&tokens.current().text)
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
            self.name_array();
            self.rest()?;
            self.parser.memory().found.clear();
            return Ok(());
        }
        if self.pointer_assignment(kernel)? {
            return Ok(());
        }
        if let Some(target) = self.target() {
            return self.index_assignment(kernel, target);
        }
        if self.is_count(&self.parser.tokens.clone()) {
            return self.count(kernel);
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
        if self.parser.is_pointer_access() {
            self.parser.pointer_access()?;
            let token = self.tokens().current().clone();
            let is_word = token.class == Class::Name && !is_condition_word(token.text);
            if is_word && !self.tokens().is_end() && token.text != "for" && token.text != "domain" {
                return Err(self.tokens().unexpected("the end of the statement"));
            }
            return self.rest();
        }
        if self.is_prose() {
            return Err(self.tokens().unexpected("a statement"));
        }
        let next = self.tokens().ahead(1).text;
        self.rest()?;
        let is_passed_over = first.class == Class::Name && next == "(" || first.text == "*";
        let found = &self.parser.memory().found;
        match found.first().filter(|_| !is_passed_over && first.class != Class::Text) {
            Some(access) => Err(in_expression(access.array, access.span.clone())),
            None => Ok(()),
        }
    }

    /// Parses `A[i] = ..`, `A[i] += ..`, or an element alone.
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

    /// Parses an assignment to names, whose values are known unless they depend on memory.
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

    /// Returns whether the statement is `k++` or `--k`.
    pub fn is_count(&self, tokens: &Tokens<'t>) -> bool {
        let counts = [0, 1].into_iter().any(|at| counted(tokens, at).is_some());
        counts && matches!(tokens.ahead(3).text, ";" | "}")
    }

    fn count(&mut self, kernel: &mut Kernel<'t>) -> Result<(), Error> {
        let tokens = self.tokens().clone();
        let at = usize::from(counted(&tokens, 0).is_none());
        let Some(name) = counted(&tokens, at) else {
            return self.rest();
        };
        self.check_loops(&[name])?;
        let span = tokens.ahead(at).span.clone();
        let before = match self.parser.locals.get(name) {
            Some(before) => Some(*before),
            None if self.parser.is_unknown(name) => None,
            None => Some(self.parser.push(NodeKind::Name(name), span.clone())?),
        };
        (0..3).for_each(|_| self.tokens().advance());
        match before {
            Some(before) => {
                let one = self.parser.push(NodeKind::Integer(1), span.clone())?;
                let value = self.parser.operation(tokens.ahead(at).text, before, one, span)?;
                let of = self.types.get(name).copied().unwrap_or(Type::Plain);
                self.assign(name, of, value, false)?;
            }
            None => {
                self.parser.locals.remove(name);
            }
        }
        self.assigned(kernel, &[name]);
        Ok(())
    }

    /// Rejects an assignment to the variable of a loop in its body, after which the header would not give all values of the
    /// variable.
    pub fn check_loops(&mut self, names: &[&str]) -> Result<(), Error> {
        let is_fixed = |name: &&&str| self.loops.contains(*name) && !self.counted.contains(*name);
        let Some(name) = names.iter().find(is_fixed) else {
            return Ok(());
        };
        let message = format!("`{name}` is the variable of the loop, and is assigned in it");
        let span = self.tokens().current().span.clone();
        Err(Error::new(ErrorKind::Unsupported, span, message)
            .hint("write the loop so that its head has all steps"))
    }

    /// Skips to the end of the statement, and records its accesses.
    pub fn rest(&mut self) -> Result<(), Error> {
        const ENDS: [&str; 7] = [",", "for", "domain", "where", "given", "when", "with"];
        self.parser.scan(&ENDS)?;
        // Arguments and further values of the statement.
        while self.tokens().is(",") && !self.begins_bounds() {
            let next = self.tokens().ahead(1).clone();
            if next.class == Class::Integer && self.tokens().ahead(2).text.starts_with('<') {
                break;
            }
            self.tokens().advance();
            self.parser.scan(&ENDS)?;
        }
        Ok(())
    }

    /// Makes the names that the loop changes unknown, since their values differ between iterations.
    pub fn change_in_loop(&mut self, column: Option<usize>) {
        let tokens = self.tokens().clone();
        for name in changes(&tokens, loop_length(&tokens, column)) {
            self.parser.locals.remove(name);
            self.parser.memory().unknown.insert(name);
        }
    }

    /// Returns whether `*p` begins here in a C text.
    fn is_dereferenced(&mut self, tokens: &Tokens, at: usize) -> bool {
        let before = at.checked_sub(1).map_or(";", |before| tokens.ahead(before).text);
        let is_operand = is_assignment(before)
            || matches!(before, ";" | "{" | "(" | "," | "+" | "-" | "*" | "/" | "[" | "return");
        let follows = tokens.ahead(at + 1).class == Class::Name;
        !self.tokens().by_lines && tokens.ahead(at).text == "*" && is_operand && follows
    }

    /// Returns whether an array is declared here: `__shared__ float tile[32][33]`.
    fn declares_array(&mut self) -> bool {
        let tokens = self.tokens();
        let names = (0..).take_while(|at| tokens.ahead(*at).class == Class::Name).count();
        names > 1 && tokens.ahead(names).text == "[" && tokens.current().text != "return"
    }

    /// Returns the name that `int &r = i` declares; `None` for a reference to `const`, which changes nothing.
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

    /// Returns the name of a declared value that is not an integer, `float v = ..`; for a pointer, the name is an array.
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

/// Returns the error for an element inside an expression.
fn in_expression(array: &str, span: affinor_maps::text::Span) -> Error {
    let message = format!("`{array}[..]` is an element of an array");
    Error::new(ErrorKind::Unsupported, span, message).hint(
        "write a name in its place, which is then any integer; an element alone, `A[i * 8 + j]`, and an assignment are read as their indices",
    )
}
