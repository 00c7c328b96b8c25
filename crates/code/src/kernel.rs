//! The statements of a kernel, read for their accesses to memory: loops, conditions, and assignments of indices.
//!
//! Law: an access happens where the loops and conditions around it hold, and nowhere else; where one of these depends on
//! memory or on earlier iterations, it happens at most there. An index that does is not known. What computes no index is
//! passed over.

use super::memory::Access;
use super::program::Reader;
use super::token::{Class, is_condition_word};
use super::types::{Type, is_type};
use affinor::text::ast::{NodeId, NodeKind, Relation};
use affinor::text::{Error, ErrorKind};

/// Where a loop or condition ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum End {
    /// At the bracket `}`.
    Bracket,
    /// Behind the next statement.
    Statement,
    /// At a line that begins at this column or before.
    Indent(usize),
}

/// A loop or condition around statements.
struct Scope<'t> {
    end: End,
    conditions: Vec<NodeId>,
    /// Whether it runs at fewer points than the conditions say.
    is_bound: bool,
    /// The variables of the loop.
    loops: Vec<&'t str>,
    is_loop: bool,
    /// The condition of an `if`, unless it depends on memory.
    test: Option<Option<NodeId>>,
    /// The names that are assigned inside.
    assigned: Vec<&'t str>,
}

/// The statements so far.
pub struct Kernel<'t> {
    scopes: Vec<Scope<'t>>,
    loops: Vec<&'t str>,
    accesses: Vec<Access<'t>>,
    /// Of each access, the conditions around it.
    conditions: Vec<Vec<NodeId>>,
    /// The `if` that ended just now.
    ended: Option<Option<NodeId>>,
}

impl<'t> Reader<'t> {
    /// Is the text read for its accesses?
    pub fn is_kernel(&mut self) -> bool {
        let mut tokens = self.tokens().clone();
        let mut before = (Class::Newline, "");
        while tokens.current().class != Class::End {
            let parser = super::parse::Parser::new(tokens.clone());
            let follows_name = before.0 == Class::Name
                && !matches!(before.1, "return" | "else" | "in" | "not" | "and" | "or" | "if");
            if parser.is_pointer_access() || parser.is_element() && !follows_name {
                return true;
            }
            before = (tokens.current().class, tokens.current().text);
            tokens.advance();
        }
        false
    }

    /// The accesses of the text; `results` are the indices of one alone.
    pub fn kernel(&mut self) -> Result<Vec<NodeId>, Error> {
        self.parser.memory();
        self.name_pointers()?;
        self.tokens().by_lines = !self.tokens().has(";");
        let root = Scope::new(End::Indent(0), false);
        let mut kernel = Kernel {
            scopes: vec![Scope { end: End::Bracket, ..root }],
            loops: Vec::new(),
            accesses: Vec::new(),
            conditions: Vec::new(),
            ended: None,
        };
        self.head(&mut kernel)?;
        while !self.is_done() {
            self.kernel_statement(&mut kernel)?;
        }
        while kernel.scopes.len() > 1 {
            self.leave(&mut kernel);
        }
        self.loops = std::mem::take(&mut kernel.loops);
        self.parser.memory = None;
        self.place(kernel)
    }

    /// Gives each access the conditions around it, and finds those that are the same.
    fn place(&mut self, kernel: Kernel<'t>) -> Result<Vec<NodeId>, Error> {
        let mut texts: Vec<String> = Vec::new();
        for (mut access, conditions) in kernel.accesses.into_iter().zip(kernel.conditions) {
            let source = self.tokens().source;
            let shown = source.get(access.span.clone()).unwrap_or("");
            let text = format!("{} {shown} {conditions:?} {}", access.array, access.is_bound);
            if let Some(same) = texts.iter().position(|other| *other == text)
                && let Some(earlier) = self.accesses.get_mut(same)
            {
                earlier.is_read |= access.is_read;
                earlier.is_written |= access.is_written;
                continue;
            }
            texts.push(text);
            if let Some(first) = access.indices.first_mut() {
                // A node of its own, on which the conditions depend.
                let kind = NodeKind::Call("+", vec![*first]);
                *first = self.parser.push(kind, self.parser.terms.span(*first))?;
                self.parser.ranges.push((*first, conditions));
            }
            self.accesses.push(access);
        }
        if let Some(first) = self.accesses.first()
            && self.accesses.iter().all(|access| access.indices.is_empty())
        {
            let message = "its index depends on memory or on earlier iterations";
            let error = Error::new(ErrorKind::Unsupported, first.span.clone(), message);
            return Err(error.hint("write the index by the variables of the loops"));
        }
        let known: Vec<&Access> =
            self.accesses.iter().filter(|access| !access.indices.is_empty()).collect();
        Ok(match known[..] {
            [only] if self.accesses.len() == 1 => only.indices.clone(),
            _ => Vec::new(),
        })
    }

    /// Pointers count from 0: `x_ptr + offs` is the element `offs`.
    fn name_pointers(&mut self) -> Result<(), Error> {
        let tokens = self.tokens().clone();
        let names = (0..tokens.len()).map(|at| tokens.ahead(at));
        let is_pointer = |name: &str| {
            let bare = name.trim_end_matches(|c: char| c.is_ascii_digit());
            bare.ends_with("ptr") || bare.ends_with("Ptr") || bare.ends_with("_PTR")
        };
        for token in names.filter(|token| token.class == Class::Name && is_pointer(token.text)) {
            let zero = self.parser.push(NodeKind::Integer(0), token.span.clone())?;
            self.parser.locals.insert(token.text, zero);
        }
        Ok(())
    }

    /// Passes over the head of a function, or reads that of a lambda.
    fn head(&mut self, kernel: &mut Kernel<'t>) -> Result<(), Error> {
        let tokens = self.tokens();
        while tokens.is("@") {
            tokens.advance();
            while tokens.current().indent.is_none() && tokens.current().class != Class::End {
                tokens.advance();
            }
        }
        let word = tokens.current().text;
        if word == "def" {
            tokens.depth += 1; // its parameters may be in lines
            let mut parameters = Vec::new();
            while tokens.current().text != ")" && tokens.current().class != Class::End {
                if matches!(tokens.current().text, "(" | ",") {
                    parameters.push(tokens.ahead(1).text);
                }
                tokens.advance();
            }
            while tokens.current().text != ":" && tokens.current().class != Class::End {
                tokens.advance();
            }
            tokens.depth -= 1;
            tokens.eat(":");
            self.parser.memory().parameters.extend(parameters);
            return Ok(());
        }
        let is_compute = word.rsplit('.').next() == Some("compute") && tokens.ahead(1).text == "(";
        let mut ends = Vec::new();
        if is_compute {
            (0..2).for_each(|_| tokens.advance());
            tokens.depth += 1;
            ends = self.listed()?.into_iter().flatten().collect();
            self.tokens().take(",")?;
        }
        if self.tokens().eat("lambda") {
            self.parser.is_python = true;
            self.names(":")?;
            for (name, end) in self.arguments.clone().into_iter().zip(ends) {
                let span = self.parser.terms.span(end);
                let name = self.parser.push(NodeKind::Name(name), span.clone())?;
                let zero = self.parser.push(NodeKind::Integer(0), span)?;
                self.compared(zero, Relation::LessEqual, name)?;
                self.compared(name, Relation::Less, end)?;
            }
            return self.plain_statement(kernel);
        }
        self.function_of_c(kernel);
        Ok(())
    }

    /// `__global__ void f(float* x, int n) {`: the types of its parameters.
    fn function_of_c(&mut self, kernel: &mut Kernel<'t>) {
        let tokens = self.tokens().clone();
        let mut open = 0;
        while !matches!(tokens.ahead(open).text, "{" | ";" | "=") && open < tokens.len() {
            open += 1;
        }
        let is_head = tokens.ahead(open).text == "{" && open > 2;
        let word = tokens.current();
        let is_statement = matches!(word.text, "for" | "if" | "while" | "else" | "with");
        if !is_head || is_statement || tokens.ahead(open - 1).text != ")" {
            return;
        }
        let mut first = open - 1;
        while first > 0 && tokens.ahead(first).text != "(" {
            first -= 1;
        }
        let texts = (first + 1..open - 1).map(|at| tokens.ahead(at));
        let list: Vec<_> = texts.collect();
        for parameter in list.split(|token| token.text == ",") {
            let Some(name) = parameter.iter().rfind(|token| token.class == Class::Name) else {
                continue;
            };
            let words = parameter.iter().map(|token| token.text);
            let words: Vec<&str> = words.filter(|word| *word != name.text).collect();
            let is_pointer = words.iter().any(|word| matches!(*word, "*" | "["));
            let is_integer =
                words.iter().any(|word| is_type(word) && !matches!(*word, "const" | "auto"));
            match (is_pointer, is_integer) {
                (true, _) => {}
                (false, true) => {
                    let of = Type::of_words(words.iter().copied().filter(|word| is_type(word)));
                    self.types.insert(name.text, of);
                }
                (false, false) => {
                    self.parser.memory().unknown.insert(name.text);
                }
            }
        }
        self.parser.is_c();
        (0..=open).for_each(|_| self.tokens().advance());
        kernel.ended = None;
    }

    /// Do bounds behind the statements begin, or is the text done?
    fn is_done(&mut self) -> bool {
        let is_bounds = self.begins_bounds();
        let tokens = &self.parser.tokens;
        let (token, next) = (tokens.current(), tokens.ahead(1).text);
        let is_after = tokens.previous_end() > 0;
        let is_inline = token.text == "for" && token.indent.is_none() && next != "(";
        let is_word = is_condition_word(token.text) && next != "T.block";
        token.class == Class::End
            || is_bounds
            || token.text == "domain"
            || is_after && (is_word || is_inline)
    }

    fn kernel_statement(&mut self, kernel: &mut Kernel<'t>) -> Result<(), Error> {
        let token = self.tokens().current().clone();
        if let Some(column) = token.indent {
            let is_over = |end: End| matches!(end, End::Indent(own) if column <= own);
            while kernel.scopes.len() > 1 && kernel.scopes.last().is_some_and(|s| is_over(s.end)) {
                self.leave(kernel);
            }
        }
        self.tokens().forget_line();
        match token.text {
            ";" => {
                self.tokens().advance();
                self.end_statement(kernel);
            }
            "{" => {
                self.tokens().advance();
                kernel.scopes.push(Scope::new(End::Bracket, false));
            }
            "}" => {
                self.tokens().advance();
                while kernel.scopes.len() > 1 {
                    let is_bracket = kernel.scopes.last().is_some_and(|s| s.end == End::Bracket);
                    self.leave(kernel);
                    if is_bracket {
                        break;
                    }
                }
                self.end_statement(kernel);
            }
            "for" => {
                self.tokens().advance();
                self.loop_scope(kernel, token.indent)?;
            }
            "if" | "elif" => {
                if token.text == "elif" {
                    self.other_branch(kernel, End::Statement)?;
                }
                self.tokens().advance();
                self.if_scope(kernel, token.indent)?;
            }
            "else" => {
                self.tokens().advance();
                let end = self.scope_end(token.indent);
                self.other_branch(kernel, end)?;
            }
            "with" => {
                while !self.tokens().is(":") && self.tokens().current().class != Class::End {
                    self.tokens().advance();
                }
                let end = self.scope_end(token.indent);
                kernel.scopes.push(Scope::new(end, false));
            }
            "while" | "do" | "switch" | "goto" => {
                let message =
                    format!("`{}` is not read: how often it runs is not known", token.text);
                let error = Error::new(ErrorKind::Unsupported, token.span, message);
                return Err(error.hint("write the loop as `for (int i = 0; i < n; i += step)`"));
            }
            _ => {
                self.plain_statement(kernel)?;
                if !self.tokens().is(";") {
                    self.end_statement(kernel);
                }
            }
        }
        Ok(())
    }

    /// Where the scope ends whose head was just read.
    fn scope_end(&mut self, indent: Option<usize>) -> End {
        let tokens = self.tokens();
        match tokens.eat(":") {
            true if tokens.current().indent.is_some() => End::Indent(indent.unwrap_or(0)),
            true => End::Statement,
            false if tokens.eat_anywhere("{") => End::Bracket,
            false => End::Statement,
        }
    }

    fn loop_scope(&mut self, kernel: &mut Kernel<'t>, indent: Option<usize>) -> Result<(), Error> {
        self.change_in_loop();
        let (conditions, loops) = (self.conditions.len(), self.loops.len());
        self.loop_over(true)?;
        let is_used = std::mem::take(&mut self.parser.memory().is_used);
        let end = self.scope_end(indent);
        let mut scope = Scope::new(end, true);
        scope.conditions = self.conditions.split_off(conditions);
        scope.loops = self.loops[loops..].to_vec();
        scope.is_bound = is_used;
        if is_used {
            let span = self.tokens().current().span.clone();
            let message = "the ends of this loop are read from memory";
            let error = Error::new(ErrorKind::Unsupported, span, message);
            return Err(error.hint("name the end, and bound it: `for i in range(n)`"));
        }
        for name in &scope.loops {
            self.parser.memory().unknown.remove(name);
        }
        kernel.loops.extend(&scope.loops);
        kernel.scopes.push(scope);
        Ok(())
    }

    fn if_scope(&mut self, kernel: &mut Kernel<'t>, indent: Option<usize>) -> Result<(), Error> {
        let found = self.parser.memory().found.len();
        let condition = self.parser.choice()?;
        let is_used = std::mem::take(&mut self.parser.memory().is_used);
        self.parser.memory().masks.clear();
        self.take_found(kernel, found);
        let end = self.scope_end(indent);
        let leaves = self.tokens().current().text;
        if matches!(leaves, "return" | "continue" | "break") {
            let in_loop = kernel.scopes.iter().any(|scope| scope.is_loop);
            let is_known = !is_used && (leaves == "continue" || leaves == "return" && !in_loop);
            self.tokens().advance();
            self.parser.scan(&[])?;
            self.tokens().eat_anywhere(";");
            if end == End::Bracket {
                self.tokens().eat_anywhere("}");
            }
            let Some(scope) = kernel.scopes.last_mut() else {
                return Ok(());
            };
            match is_known {
                true => {
                    let span = self.parser.terms.span(condition);
                    let rest = self.parser.push(NodeKind::Not(condition), span)?;
                    scope.conditions.push(rest);
                }
                false => kernel.scopes.iter_mut().for_each(|scope| scope.is_bound = true),
            }
            self.end_statement(kernel);
            return Ok(());
        }
        let mut scope = Scope::new(end, false);
        scope.is_bound = is_used;
        scope.test = Some((!is_used).then_some(condition));
        if !is_used {
            scope.conditions.push(condition);
        }
        kernel.scopes.push(scope);
        Ok(())
    }

    /// The scope of `else`.
    fn other_branch(&mut self, kernel: &mut Kernel<'t>, end: End) -> Result<(), Error> {
        let mut scope = Scope::new(end, false);
        match kernel.ended.take() {
            Some(Some(test)) => {
                let span = self.parser.terms.span(test);
                scope.conditions.push(self.parser.push(NodeKind::Not(test), span)?);
            }
            _ => scope.is_bound = true,
        }
        kernel.scopes.push(scope);
        Ok(())
    }

    /// Ends the innermost scope: what was assigned in it is known no longer.
    fn leave(&mut self, kernel: &mut Kernel<'t>) {
        let Some(scope) = kernel.scopes.pop() else {
            return;
        };
        for name in &scope.assigned {
            self.parser.locals.remove(name);
            self.parser.memory().unknown.insert(name);
        }
        for name in &scope.loops {
            self.loops.retain(|other| other != name);
            self.parser.memory().unknown.insert(name);
        }
        if let Some(outer) = kernel.scopes.last_mut() {
            outer.assigned.extend(scope.assigned);
        }
        kernel.ended = scope.test;
    }

    /// A condition of all that follows in the scope.
    pub fn add_condition(
        &mut self,
        kernel: &mut Kernel<'t>,
        condition: NodeId,
    ) -> Result<(), Error> {
        let is_used = std::mem::take(&mut self.parser.memory().is_used);
        if let Some(scope) = kernel.scopes.last_mut() {
            scope.is_bound |= is_used;
            scope.conditions.extend((!is_used).then_some(condition));
        }
        Ok(())
    }

    /// Names are assigned in the innermost scope.
    pub fn assigned(&mut self, kernel: &mut Kernel<'t>, names: &[&'t str]) {
        if let Some(scope) = kernel.scopes.last_mut() {
            scope.assigned.extend(names);
        }
    }

    /// Ends the scopes that consist of the statement before.
    fn end_statement(&mut self, kernel: &mut Kernel<'t>) {
        while kernel.scopes.len() > 1
            && kernel.scopes.last().is_some_and(|scope| scope.end == End::Statement)
        {
            let is_test = kernel.scopes.last().is_some_and(|scope| scope.test.is_some());
            self.leave(kernel);
            if is_test && matches!(self.tokens().current().text, "else" | "elif") {
                return;
            }
        }
    }

    /// Adds the accesses that were found since then, under the conditions around them.
    pub fn take_found(&mut self, kernel: &mut Kernel<'t>, since: usize) {
        let found = self.parser.memory().found.split_off(since);
        let masks = std::mem::take(&mut self.parser.memory().masks);
        let around: Vec<NodeId> =
            kernel.scopes.iter().flat_map(|scope| scope.conditions.iter().copied()).collect();
        let is_bound = kernel.scopes.iter().any(|scope| scope.is_bound);
        for (number, mut access) in (since..).zip(found) {
            let own = masks.iter().filter(|(of, _)| *of == number).map(|(_, mask)| *mask);
            access.is_bound |= is_bound;
            kernel.conditions.push(around.iter().copied().chain(own).collect());
            kernel.accesses.push(access);
        }
    }
}

impl<'t> Scope<'t> {
    fn new(end: End, is_loop: bool) -> Scope<'t> {
        Scope {
            end,
            conditions: Vec::new(),
            is_bound: false,
            loops: Vec::new(),
            is_loop,
            test: None,
            assigned: Vec::new(),
        }
    }
}
