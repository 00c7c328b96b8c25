//! Accesses to memory in kernels: `A[i * 16 + j]`, `A[i][j]`, `tl.load(ptr + offs, mask)`.
//!
//! Law: the value of an access is the index of its element as written: one index per dimension, or for a pointer the offset in
//! elements. Loaded values are not tracked: an index that depends on one is unknown.

use super::broadcast::is_subscript;
use super::memory::{Access, Memory};
use super::parse::Parser;
use super::token::{Class, Token, is_assignment, is_condition_word, is_reserved};
use super::tokens::Tokens;
use super::types::Type;
use affinor_maps::text::ast::{NodeId, NodeKind, Sign};
use affinor_maps::text::{Error, ErrorKind, Span};
use std::collections::BTreeMap;

/// Returns whether `++` or `--` begins at this place.
fn is_step(tokens: &Tokens<'_>, at: usize) -> bool {
    let (first, second) = (tokens.ahead(at), tokens.ahead(at + 1));
    matches!(first.text, "+" | "-")
        && first.text == second.text
        && first.span.end == second.span.start
}

impl<'t> Parser<'t> {
    /// Returns whether an element of an array begins here: a name followed by a subscript that selects elements.
    pub fn is_element(&self) -> bool {
        let (name, next) = (self.tokens.current(), self.tokens.ahead(1));
        name.class == Class::Name && !is_reserved(name.text) && next.text == "[" && {
            let mut behind = self.tokens.clone();
            behind.advance();
            !Parser::new(behind).is_broadcast()
        }
    }

    /// Returns whether a load, a store or an atomic operation of Triton is called here.
    pub fn is_pointer_access(&self) -> bool {
        let name = self.tokens.current().text;
        let is_access = name == "tl.load" || name == "tl.store" || name.starts_with("tl.atomic_");
        is_access && self.tokens.ahead(1).text == "("
    }

    /// Parses the subscripts after the name of an array, and records a read of the element.
    pub fn element(&mut self, token: &Token<'t>) -> Result<(), Error> {
        let outer = std::mem::take(&mut self.memory().is_used);
        let mut indices = Vec::new();
        while self.tokens.is("[") && !self.is_broadcast() {
            let open = self.tokens.current().clone();
            self.tokens.advance();
            self.tokens.depth += 1;
            loop {
                if self.tokens.is(":") || self.tokens.is("...") {
                    return Err(self.slice(token));
                }
                if self.tokens.is("None") {
                    let message = format!("`{}[..]` is an element of an array", token.text);
                    let error = Error::new(ErrorKind::Unsupported, token.span.clone(), message);
                    return Err(error.hint("a subscript with `None` has one `:` beside it"));
                }
                indices.push(self.choice()?);
                if self.tokens.is(":") {
                    return Err(self.slice(token));
                }
                if !self.tokens.eat(",") || self.tokens.is("]") {
                    break;
                }
            }
            self.close_bracket(&open, "[", "]")?;
        }
        let span = token.span.start..self.tokens.previous_end();
        let base = self.memory().pointers.get(token.text).copied();
        let offset = self.locals.get(token.text).copied();
        let is_zero = offset.is_some_and(|x| *self.terms.kind(x) == NodeKind::Integer(0));
        let is_known = !self.is_unknown(token.text)
            && match (base, offset, &mut indices[..]) {
                (_, None, _) => true,
                (Some(_), Some(_), [_]) if is_zero => true,
                (Some(_), Some(offset), [index]) => {
                    let kind = NodeKind::Sum(vec![(Sign::Plus, offset), (Sign::Plus, *index)]);
                    *index = self.push(kind, span.clone())?;
                    true
                }
                // The element that a computed pointer refers to is unknown.
                _ => is_zero,
            };
        if std::mem::replace(&mut self.memory().is_used, outer) || !is_known {
            indices.clear();
        }
        self.add_access(base.unwrap_or(token.text), indices, [true, false], span);
        Ok(())
    }

    /// Marks the accesses recorded since `found`, in the `read` tokens from `start`, as upper bounds if a choice is among the
    /// tokens: `c ? a[i] : b[i]` and `c && a[i]` read at most these elements. A choice inside a subscript only affects the index.
    /// The element that the statement begins with is always written.
    pub fn bound_by_choice(&mut self, start: &Tokens<'t>, read: usize, found: usize) {
        let (mut depth, mut is_choice) = (0usize, false);
        for token in (0..read).map(|at| start.ahead(at)) {
            match token.text {
                "[" => depth += 1,
                "]" => depth = depth.saturating_sub(1),
                "?" | "&&" | "||" | "and" | "or" | "if" => is_choice |= depth == 0,
                _ => {}
            }
        }
        let first = start.current().span.start;
        for access in self.memory().found.iter_mut().skip(found).filter(|_| is_choice) {
            access.is_bound |= !(access.is_written && access.span.start == first);
        }
    }

    fn slice(&self, token: &Token) -> Error {
        let message = format!("`{}[..]` is a slice of an array", token.text);
        let span = token.span.start..self.tokens.current().span.end;
        let error = Error::new(ErrorKind::Unsupported, span, message);
        error.hint("of a shape: `op slice f32[8,10] [0:8:2],[1:9]`; bits 7 to 4 of a number are `(x >> 4) & 15`")
    }

    /// Parses `tl.load(ptr + offs, mask)` or `tl.store(ptr + offs, value, mask)`; offsets count from the pointer.
    pub fn pointer_access(&mut self) -> Result<(), Error> {
        let token = self.tokens.current().clone();
        self.is_triton = true;
        self.tokens.advance();
        let open = self.tokens.current().clone();
        self.tokens.advance();
        self.tokens.depth += 1;
        let is_read = token.text != "tl.store";
        let outer = std::mem::take(&mut self.memory().is_used);
        let mut array = self.pointer_name();
        if self.memory().parameters.contains(array) && !self.locals.contains_key(array) {
            let zero = self.push(NodeKind::Integer(0), token.span.clone())?;
            self.locals.insert(array, zero);
            self.memory().bases.insert(zero);
        }
        let mut index = self.choice()?;
        if let Some((base, name)) = self.base(index) {
            let zero = self.push(NodeKind::Integer(0), token.span.clone())?;
            self.memory().bases.insert(zero);
            index = self.with_parts(index, &BTreeMap::from([(base, zero)]))?;
            array = name;
        }
        let indices = match std::mem::replace(&mut self.memory().is_used, outer) {
            true => Vec::new(),
            false => vec![index],
        };
        let number = self.memory().found.len();
        let span = token.span.start..self.tokens.previous_end();
        self.add_access(array, indices, [is_read, token.text != "tl.load"], span);
        let mut place = 1;
        while self.tokens.eat(",") {
            let is_named = self.tokens.ahead(1).text == "=";
            let is_mask = match is_named {
                true => self.tokens.current().text == "mask",
                false => place == if token.text == "tl.load" { 1 } else { 2 },
            };
            if is_named {
                self.tokens.advance();
                self.tokens.advance();
            }
            match is_mask && !self.tokens.is("None") {
                true => {
                    let outer = std::mem::take(&mut self.memory().is_used);
                    let mask = self.choice()?;
                    match std::mem::replace(&mut self.memory().is_used, outer) {
                        true => self.memory().found[number].is_bound = true,
                        false => self.memory().masks.push((number, mask)),
                    }
                }
                false => self.scan(&[",", ")"])?,
            }
            place += 1;
        }
        self.close_bracket(&open, "(", ")")
    }

    /// Returns the pointer in a sum without a known pointer: the first bare name that the code does not bind, as in `Q + offs`.
    fn base(&mut self, sum: NodeId) -> Option<(NodeId, &'t str)> {
        let (mut waiting, mut names) = (vec![sum], Vec::new());
        while let Some(id) = waiting.pop() {
            match self.terms.kind(id) {
                NodeKind::Sum(list) => {
                    let added = list.iter().filter(|(sign, _)| *sign == Sign::Plus);
                    waiting.extend(added.map(|(_, x)| *x).rev());
                }
                NodeKind::Name(name) => names.push((id, *name)),
                NodeKind::Call(name, operands) if is_subscript(name) => waiting.extend(operands),
                _ => {}
            }
            if self.memory().bases.contains(&id) {
                return None;
            }
        }
        let memory = self.memory.get_or_insert_default();
        let is_free = |name: &&str| {
            let is_bound = self.bound.iter().any(|bound| bound == *name);
            memory.parameters.contains(*name) || !is_bound && !self.known.contains_key(*name)
        };
        names.into_iter().find(|(_, name)| is_free(name) && !name.contains('('))
    }

    /// Returns the first name of the argument, which is taken as its pointer; `ptr` if it has no name.
    fn pointer_name(&self) -> &'t str {
        let names = (0..self.tokens.len()).map(|at| self.tokens.ahead(at));
        let mut names = names.take_while(|token| !matches!(token.text, "," | ")"));
        names.find(|token| token.class == Class::Name).map_or("ptr", |token| token.text)
    }

    /// Records the accesses up to one of the tokens `ends` outside of brackets, or up to the end of the statement.
    pub fn scan(&mut self, ends: &[&str]) -> Result<(), Error> {
        let outer = self.tokens.depth;
        while !self.tokens.is_end() {
            let token = self.tokens.current().clone();
            let is_outside = self.tokens.depth == outer;
            if is_outside && (ends.contains(&token.text) || matches!(token.text, ";" | "}")) {
                break;
            }
            if self.is_element() {
                let mut before = self.tokens.clone();
                (0..2).for_each(|_| before.back());
                let is_stepped = is_step(&before, 0);
                self.tokens.advance();
                self.element(&token)?;
                self.written(is_stepped);
                continue;
            }
            if self.is_pointer_access() {
                self.pointer_access()?;
                continue;
            }
            self.check_scanned(is_outside)?;
            match token.text {
                "(" | "[" | "{" => self.tokens.depth += 1,
                ")" | "]" | "}" => self.tokens.depth = self.tokens.depth.saturating_sub(1),
                _ => {}
            }
            self.tokens.advance();
        }
        self.tokens.depth = outer;
        Ok(())
    }

    /// Marks the last access as written if an assignment or a step follows it, `a[i] = b[i] = 0`, or a step is before it.
    fn written(&mut self, is_stepped: bool) {
        let next = self.tokens.current().text;
        let is_stepped = is_stepped || is_step(&self.tokens, 0);
        let is_assigned = is_assignment(next) && !self.tokens.is_end();
        if let Some(access) = self.memory().found.last_mut()
            && (is_assigned || is_stepped)
        {
            access.is_read = is_stepped || next != "=";
            access.is_written = true;
        }
    }

    /// Rejects a part of a statement whose accesses would be lost: an element of an expression, the elements under a loop in
    /// brackets, an `if` without `else`, and words that do not belong to an expression.
    fn check_scanned(&self, is_outside: bool) -> Result<(), Error> {
        let token = self.tokens.current();
        let wrong = |message: &str, hint: &str| {
            let error = Error::new(ErrorKind::Unsupported, token.span.clone(), message);
            Err(error.hint(hint))
        };
        if token.text == ")" && self.tokens.ahead(1).text == "[" {
            let mut behind = self.tokens.clone();
            behind.advance();
            if !Parser::new(behind).is_broadcast() {
                return wrong("an element of an expression is not supported", "name the array");
            }
        }
        if !self.tokens.by_lines || token.class != Class::Name {
            return Ok(());
        }
        match token.text {
            "for" if !is_outside => {
                let hint = "write it as a loop: `for j in range(4): s += A[j]`";
                return wrong("a loop inside of an expression is not supported", hint);
            }
            "if" if is_outside => {
                let rest = (1..self.tokens.len()).map(|at| self.tokens.ahead(at));
                let mut rest = rest.take_while(|one| one.indent.is_none());
                if !rest.any(|one| one.text == "else") {
                    let hint = "write `if i > 0: A[i] = 0`";
                    return wrong("an `if` after a statement needs an `else`", hint);
                }
            }
            _ => {}
        }
        let is_word = |text: &str| {
            !is_reserved(text) && !is_condition_word(text) && !matches!(text, "is" | "as")
        };
        let mut before = self.tokens.clone();
        before.back();
        let before = before.current();
        let follows_value = before.text == "]"
            || before.class == Class::Integer
            || before.class == Class::Name && is_word(before.text);
        if is_outside && follows_value && token.indent.is_none() && is_word(token.text) {
            let error = Error::new(ErrorKind::Syntax, token.span.clone(), "expected an operator");
            return Err(error.hint("a statement ends with its line"));
        }
        Ok(())
    }

    fn add_access(&mut self, array: &'t str, indices: Vec<NodeId>, of: [bool; 2], span: Span) {
        let [is_read, is_written] = of;
        let access = Access { array, indices, is_read, is_written, is_bound: false, span };
        self.memory().found.push(access);
    }

    /// Returns whether the value of the name depends on memory or on earlier iterations.
    pub fn is_unknown(&self, name: &str) -> bool {
        self.memory.as_ref().is_some_and(|memory| memory.unknown.contains(name))
    }

    /// Returns a placeholder for an unknown value, and records that one was used.
    pub fn unknown(&mut self, span: Span) -> Result<NodeId, Error> {
        self.memory().is_used = true;
        self.push(NodeKind::Integer(0), span)
    }

    /// Returns the offset of an array's first element: a zero of 64 bits, so that sums of addresses have 64 bits, too.
    pub fn first_element(&mut self, span: Span) -> Result<NodeId, Error> {
        let zero = self.push(NodeKind::Integer(0), span.clone())?;
        self.push(NodeKind::Call(Type::Signed(64).conversion(), vec![zero]), span)
    }

    pub fn memory(&mut self) -> &mut Memory<'t> {
        self.memory.get_or_insert_default()
    }
}
