//! The statements of a kernel, parsed for their memory accesses: loops, conditions, and assignments of indices.
//!
//! Law: an access happens exactly where the loops and conditions around it hold; if one of these depends on memory or on earlier
//! iterations, the access happens at most there. An index with such a dependence is unknown. Statements without an index are
//! skipped.

use super::induction::Step;
use super::memory::Access;
use super::program::Reader;
use super::token::{Class, is_condition_word};
use affinor_maps::text::ast::{NodeId, NodeKind};
use affinor_maps::text::{Error, ErrorKind};

/// The end of the body of a loop or condition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum End {
    /// At the bracket `}`.
    Bracket,
    /// After the next statement.
    Statement,
    /// At a line that begins at this column or further left.
    Indent(usize),
    /// Like `Indent`, but not at a further `elif` or `else` at this column.
    Branches(usize),
}

/// A loop or condition around statements.
struct Scope<'t> {
    end: End,
    conditions: Vec<NodeId>,
    /// Whether it may run at fewer points than its conditions admit.
    is_bound: bool,
    /// The variables of the loop.
    loops: Vec<&'t str>,
    is_loop: bool,
    /// For an `if`, its condition; the inner option is `None` if that depends on memory.
    test: Option<Option<NodeId>>,
    /// The names that are assigned inside.
    assigned: Vec<&'t str>,
}

/// The statements parsed so far.
pub struct Kernel<'t> {
    scopes: Vec<Scope<'t>>,
    loops: Vec<&'t str>,
    pub accesses: Vec<Access<'t>>,
    /// For each access, the conditions around it.
    pub conditions: Vec<Vec<NodeId>>,
    /// The condition of the `if` that ended with the previous statement.
    ended: Option<Option<NodeId>>,
    /// The number of times that bodies of loops with a halved or doubled variable were parsed.
    pub rounds: usize,
    /// Whether a loop may end earlier than its header says; then each access is an upper bound.
    pub is_cut: bool,
}

impl<'t> Reader<'t> {
    /// Returns whether the text is parsed for its accesses.
    pub fn is_kernel(&mut self) -> bool {
        let mut tokens = self.tokens().clone();
        let mut before = (Class::Newline, "");
        while tokens.current().class != Class::End {
            let parser = super::parse::Parser::new(tokens.clone());
            let follows_name = before.0 == Class::Name
                && tokens.current().indent.is_none()
                && !matches!(before.1, "return" | "else" | "in" | "not" | "and" | "or" | "if");
            if parser.is_pointer_access() || parser.is_element() && !follows_name {
                return true;
            }
            before = (tokens.current().class, tokens.current().text);
            tokens.advance();
        }
        false
    }

    /// Parses the accesses of the text; returns the indices if there is a single access.
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
            rounds: 0,
            is_cut: false,
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

    /// Returns whether the text ends here, or bounds after the statements begin.
    fn is_done(&mut self) -> bool {
        let is_bounds = self.begins_bounds();
        let tokens = &self.parser.tokens;
        let (token, next) = (tokens.current(), tokens.ahead(1).text);
        let is_after = tokens.previous_end() > 0;
        let is_body = tokens.previous() == ":";
        let is_inline = token.text == "for" && token.indent.is_none() && next != "(" && !is_body;
        let is_word = is_condition_word(token.text) && next != "T.block";
        token.class == Class::End
            || is_bounds
            || token.text == "domain"
            || is_after && (is_word || is_inline)
    }

    /// Opens a scope that does not end with a statement around it; returns the number of open scopes.
    pub fn open(&mut self, kernel: &mut Kernel<'t>) -> usize {
        kernel.scopes.push(Scope::new(End::Bracket, false));
        kernel.scopes.len()
    }

    /// Closes the scope that `open` opened, after a loop over `name`.
    pub fn close(&mut self, kernel: &mut Kernel<'t>, name: &'t str) {
        self.parser.locals.remove(name);
        self.parser.memory().unknown.insert(name);
        self.leave(kernel);
        self.end_statement(kernel);
    }

    /// Parses the body of a C loop, inside `outer` scopes.
    pub fn round(
        &mut self,
        kernel: &mut Kernel<'t>,
        indent: Option<usize>,
        outer: usize,
    ) -> Result<(), Error> {
        let end = self.scope_end(indent);
        kernel.scopes.push(Scope::new(end, true));
        while kernel.scopes.len() > outer && !self.is_done() {
            self.kernel_statement(kernel)?;
        }
        if kernel.scopes.len() < outer {
            return Err(self.tokens().unexpected("the end of the loop"));
        }
        while kernel.scopes.len() > outer {
            self.leave(kernel);
        }
        Ok(())
    }

    fn kernel_statement(&mut self, kernel: &mut Kernel<'t>) -> Result<(), Error> {
        let token = self.tokens().current().clone();
        if let Some(column) = token.indent {
            let is_branch = self.begins_other_branch();
            let is_over = |end: End| match end {
                End::Indent(own) => column <= own,
                End::Branches(own) => column < own || column == own && !is_branch,
                End::Bracket | End::Statement => false,
            };
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
                // The branch of `else` is a part of the same statement.
                if kernel.ended.is_none() || !self.begins_other_branch() {
                    self.end_statement(kernel);
                }
            }
            "for" => {
                self.tokens().advance();
                self.loop_scope(kernel, token.indent)?;
            }
            "if" | "elif" => {
                if token.text == "elif" {
                    let end = token.indent.map_or(End::Statement, End::Branches);
                    self.other_branch(kernel, end)?;
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
            "while" => self.while_loop(kernel, token.indent)?,
            "do" | "switch" | "goto" => {
                let message = format!(
                    "`{}` is not supported: its number of iterations is not known",
                    token.text
                );
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

    /// Returns the end of the scope whose header was just parsed.
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
        if let Some(rounds) = self.rounds()? {
            return self.unroll(kernel, indent, rounds);
        }
        let steps = self.steps(indent);
        self.change_in_loop(indent);
        let from = [self.conditions.len(), self.loops.len()];
        self.loop_over(true)?;
        self.enter_loop(kernel, indent, from, steps)
    }

    /// Enters the body of a loop, whose conditions and variables begin at the given indices.
    pub fn enter_loop(
        &mut self,
        kernel: &mut Kernel<'t>,
        indent: Option<usize>,
        [conditions, loops]: [usize; 2],
        steps: Vec<Step<'t>>,
    ) -> Result<(), Error> {
        let is_used = std::mem::take(&mut self.parser.memory().is_used);
        let end = self.scope_end(indent);
        let mut scope = Scope::new(end, true);
        scope.conditions = self.conditions.split_off(conditions);
        scope.loops = self.loops[loops..].to_vec();
        scope.is_bound = is_used;
        if is_used {
            let span = self.tokens().current().span.clone();
            let message = "the ends of this loop depend on memory or on earlier iterations";
            let error = Error::new(ErrorKind::Unsupported, span, message);
            return Err(error.hint("name the end, and bound it: `for i in range(n)`"));
        }
        for name in &scope.loops {
            self.parser.memory().unknown.remove(name);
        }
        if let Some(head) = self.head.take() {
            self.begin_steps(steps, head)?;
        }
        kernel.loops.extend(&scope.loops);
        kernel.scopes.push(scope);
        Ok(())
    }

    fn if_scope(&mut self, kernel: &mut Kernel<'t>, indent: Option<usize>) -> Result<(), Error> {
        let found = self.parser.memory().found.len();
        let start = self.tokens().clone();
        let condition = self.condition()?;
        let read = start.len() - self.tokens().len();
        self.parser.bound_by_choice(&start, read, found);
        let is_used = std::mem::take(&mut self.parser.memory().is_used);
        self.parser.memory().masks.clear();
        self.take_found(kernel, found);
        let end = self.scope_end(indent);
        let leaves = self.tokens().current().text;
        if matches!(leaves, "return" | "continue" | "break") {
            self.tokens().advance();
            self.parser.scan(&[])?;
            self.tokens().eat_anywhere(";");
            if end == End::Bracket {
                self.tokens().eat_anywhere("}");
            }
            let in_loop = kernel.scopes.iter().any(|scope| scope.is_loop);
            kernel.is_cut |= in_loop && leaves != "continue";
            if is_used || leaves == "break" || in_loop && leaves == "return" {
                kernel.may_skip();
            } else if let Some((scope, around)) = kernel.scopes.split_last_mut() {
                let span = self.parser.terms.span(condition);
                let rest = self.parser.push(NodeKind::Not(condition), span)?;
                scope.conditions.push(rest);
                // It is unknown which of the statements after this scope are skipped.
                if leaves == "return" || !scope.is_loop {
                    around.iter_mut().for_each(|scope| scope.is_bound = true);
                }
            }
            kernel.ended = Some((!is_used).then_some(condition));
            if !self.begins_other_branch() {
                self.end_statement(kernel);
            }
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

    /// Parses the condition after `if`. In C the brackets end it, since `if (a) if (b) ..` continues after them.
    pub fn condition(&mut self) -> Result<NodeId, Error> {
        if self.tokens().by_lines || !self.tokens().eat("(") {
            return self.parser.choice();
        }
        let condition = self.parser.choice()?;
        self.tokens().take(")")?;
        Ok(condition)
    }

    /// Enters the scope of an `else`.
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

    /// Leaves the innermost scope: the names that were assigned in it become unknown.
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
            self.counted.retain(|other| other != name);
            self.parser.memory().unknown.insert(name);
        }
        if let Some(outer) = kernel.scopes.last_mut() {
            outer.assigned.extend(scope.assigned);
        }
        kernel.ended = scope.test;
    }

    /// Adds a condition for the rest of the scope.
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

    /// Records names that are assigned in the innermost scope.
    pub fn assigned(&mut self, kernel: &mut Kernel<'t>, names: &[&'t str]) {
        if let Some(scope) = kernel.scopes.last_mut() {
            scope.assigned.extend(names);
        }
    }

    fn begins_other_branch(&mut self) -> bool {
        matches!(self.tokens().current().text, "else" | "elif")
    }

    /// Leaves the scopes that consist of the previous statement.
    fn end_statement(&mut self, kernel: &mut Kernel<'t>) {
        while kernel.scopes.len() > 1
            && kernel.scopes.last().is_some_and(|scope| scope.end == End::Statement)
        {
            let is_test = kernel.scopes.last().is_some_and(|scope| scope.test.is_some());
            self.leave(kernel);
            if is_test && self.begins_other_branch() {
                return;
            }
        }
    }

    /// Adds the accesses numbered from `since`, under the conditions around them.
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

impl Kernel<'_> {
    /// Handles a statement that leaves a loop or the function: unless it is always reached, later accesses become upper bounds.
    pub fn leaves(&mut self, word: &str) {
        let in_loop = self.scopes.iter().any(|scope| scope.is_loop);
        let is_certain = !in_loop && self.scopes.iter().all(|scope| scope.is_certain());
        self.is_cut |= in_loop && word != "continue";
        if !is_certain {
            self.may_skip();
        }
    }

    /// Marks all open scopes: their later accesses may happen at fewer points than their loops and conditions admit.
    fn may_skip(&mut self) {
        self.scopes.iter_mut().for_each(|scope| scope.is_bound = true);
    }
}

impl<'t> Scope<'t> {
    /// Returns whether its statements are always reached.
    fn is_certain(&self) -> bool {
        !self.is_loop && self.test.is_none() && self.conditions.is_empty() && !self.is_bound
    }

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
