//! Parses the bounds of variables, after values and in loop headers. The grammar is at the top of [`program`](super::program).
//! Each bound becomes a condition.

use super::intervals::is_grid;
use super::kinds::is_builtin;
use super::memory::Head;
use super::program::Reader;
use super::token::{Class, is_condition_word};
use super::tokens::Tokens;
use super::types::{Type, is_type};
use affinor_maps::text::ast::{NodeId, NodeKind, Relation, Sign};
use affinor_maps::text::{Error, ErrorKind, Span};

impl<'t> Reader<'t> {
    /// Parses the bounds after the values.
    pub fn bounds(&mut self) -> Result<(), Error> {
        let mut is_behind_loop = false;
        loop {
            while self.tokens().eat_anywhere(";") {}
            let is_begun = self.begins_bounds() && self.tokens().eat(",");
            if self.tokens().eat("domain") {
                self.tokens().take(":")?;
                self.items()?;
            } else if self.begins_conditions() || is_behind_loop && self.tokens().is("if") {
                self.tokens().advance();
                self.items()?;
            } else if is_begun {
                self.items()?;
            } else if self.tokens().eat("for") {
                match self.quantifies(0) {
                    true => self.for_all()?,
                    false => self.loop_over(false)?,
                }
                is_behind_loop = true;
            } else {
                return Ok(());
            }
        }
    }

    /// Returns whether bounds begin here: `, domain:`, or `, i in ..` without the word.
    pub fn begins_bounds(&mut self) -> bool {
        let tokens = self.tokens();
        let is_named = tokens.ahead(1).class == Class::Name && tokens.ahead(2).text == "in";
        // `tl.program_id(0) in [0, 7]`
        let is_called = is_builtin(tokens.ahead(1).text) || tokens.ahead(1).text == "tl.program_id";
        let is_index = is_called && tokens.ahead(2).text == "(" && tokens.ahead(5).text == "in";
        tokens.is(",") && (tokens.ahead(1).text == "domain" || is_named || is_index)
    }

    /// Returns whether the current word introduces conditions. That includes the `for` of `for i < 8`, which cannot begin a loop.
    fn begins_conditions(&mut self) -> bool {
        let is_quantifier = self.quantifies(1);
        let tokens = self.tokens();
        match tokens.current().text {
            _ if tokens.is_end() => false,
            "for" if tokens.ahead(1).text == "tl.program_id" => true, // a call, which a loop cannot bind
            "for" if is_quantifier => false,
            "for" if tokens.ahead(1).text != "(" => {
                let words = (1..tokens.len()).map(|at| tokens.ahead(at).text);
                let mut words = words.take_while(|word| !matches!(*word, "," | ";" | "for"));
                words.find(|word| *word == "in" || is_relation(word)).is_some_and(is_relation)
            }
            word => is_condition_word(word) && !is_call_of_several(tokens),
        }
    }

    /// Parses `forall i in [0, 9], j in range(4):`, which puts the bounds of names before the statement.
    pub fn quantified(&mut self) -> Result<(), Error> {
        loop {
            let mut names = vec![self.variable(false)?];
            while self.tokens().eat(",") {
                names.push(self.variable(false)?);
            }
            self.tokens().take("in")?;
            self.within_each(&names)?;
            let tokens = self.tokens();
            let has_more = tokens.is(",") && tokens.ahead(2).text == "in";
            if !tokens.eat(",") && !tokens.eat(":") && !tokens.eat(".") {
                return Err(tokens.unexpected("`:` and the statement"));
            }
            if !has_more {
                return Ok(());
            }
        }
    }

    /// Returns whether `all x`, `every integer x` is that many tokens ahead.
    fn quantifies(&mut self, count: usize) -> bool {
        let tokens = self.tokens();
        matches!(tokens.ahead(count).text, "all" | "any" | "each" | "every")
            && tokens.ahead(count + 1).class == Class::Name
            && tokens.ahead(count + 1).text != "in"
    }

    /// Parses `all x, y`, `every integer x in [0, 9]`, `any x >= 0` after a statement: the names have any value within these bounds.
    fn for_all(&mut self) -> Result<(), Error> {
        self.tokens().advance();
        let is_noun = |word: &str| matches!(word, "int" | "integer" | "integers" | "ints");
        if is_noun(self.tokens().current().text) && self.tokens().ahead(1).class == Class::Name {
            self.tokens().advance();
        }
        let before = self.parser.tokens.clone();
        let mut names = vec![self.variable(false)?];
        while self.tokens().eat(",") || self.tokens().eat("and") {
            names.push(self.variable(false)?);
        }
        if self.tokens().is_end() {
            return Ok(());
        }
        if names.len() == 1 {
            self.parser.tokens = before;
            return self.items();
        }
        self.tokens().take("in")?;
        self.within_each(&names)
    }

    /// Checks that the value before `, y in [0, 9]` is not a name which these bounds may be meant for, too.
    pub fn check_not_shared(&mut self, value: Option<NodeId>) -> Result<(), Error> {
        let bound = self.tokens().ahead(1).text;
        let Some(name) = value.and_then(|value| self.parser.terms.name(value)) else {
            return Ok(());
        };
        let is_known = self.parser.locals.contains_key(name)
            || self.parser.bound.iter().any(|other| other == name);
        if is_known || bound == "domain" {
            return Ok(());
        }
        let name = name.to_owned();
        let tokens = self.tokens();
        // A name with bounds of its own is a value.
        if (1..tokens.len()).any(|at| tokens.ahead(at).text == name) {
            return Ok(());
        }
        let message =
            format!("`{name}, {bound} in ..`: is `{name}` a value, or has it these bounds?");
        let span = tokens.ahead(1).span.clone();
        Err(Error::new(ErrorKind::Syntax, span, message).hint(format!(
            "put values in brackets, `(.., {name})`, or write `domain: {name}, {bound} in ..`"
        )))
    }

    /// Returns whether other names follow the one that was read, and then `in [` or `in range(`.
    fn is_shared(&mut self) -> bool {
        let tokens = self.tokens();
        let mut at = 0;
        while tokens.ahead(at).text == "," && tokens.ahead(at + 1).class == Class::Name {
            at += 2;
        }
        at > 0
            && tokens.is_behind(Class::Name)
            && tokens.ahead(at).text == "in"
            && matches!(tokens.ahead(at + 1).text, "[" | "range")
    }

    pub fn items(&mut self) -> Result<(), Error> {
        // In `x = 3 and y < 4`, `=` compares, so `and` separates conditions.
        let are_joined = self.is_equation_of_several();
        loop {
            let mut items = vec![self.item(are_joined)?];
            // `x, y in [0, 9]`
            if self.is_shared() {
                while self.tokens().eat(",") {
                    items.push(self.parser.choice()?);
                }
            }
            let item = items[0];
            let is_interval = self.tokens().is("in");
            match self.tokens().eat("in") {
                true => {
                    let names = items.iter().filter_map(|item| self.parser.terms.name(*item));
                    self.parser.bound.extend(names.map(str::to_owned));
                    self.within_each(&items)?;
                }
                // In a condition, `=` is an equation, never an assignment.
                false if self.tokens().eat("=") => {
                    let value = self.item(are_joined)?;
                    self.compared(item, Relation::Equal, value)?;
                }
                false => self.conditions.push(item),
            }
            // Behind an interval, `and` can only begin another condition.
            let may_join = are_joined || is_interval;
            let is_joined = may_join && (self.tokens().eat("and") || self.tokens().eat("&&"));
            let has_comma = is_joined || self.tokens().eat(",");
            let next = self.tokens().current().clone();
            let is_done = next.class == Class::End || next.text == "for";
            if is_done || !(has_comma || next.indent.is_some()) {
                return Ok(());
            }
        }
    }

    fn item(&mut self, are_joined: bool) -> Result<NodeId, Error> {
        match are_joined {
            true => self.parser.comparison(),
            false => self.parser.choice(),
        }
    }

    /// Returns whether the conditions here contain `=` and `and`, and nothing that binds less than `and`.
    fn is_equation_of_several(&mut self) -> bool {
        let tokens = self.tokens();
        let mut depth = 0i32;
        let words = (0..tokens.len()).map(|at| tokens.ahead(at).text);
        let outside = words.filter(|word| {
            depth += i32::from(matches!(*word, "(" | "[")) - i32::from(matches!(*word, ")" | "]"));
            depth == 0
        });
        let outside: Vec<&str> = outside.take_while(|word| *word != ";").collect();
        let has = |list: &[&str]| outside.iter().any(|word| list.contains(word));
        has(&["="]) && has(&["and", "&&"]) && !has(&["or", "||", "if", "?", "not", "!"])
    }

    /// Parses `i in range(n)` or the header of a C loop, before a body or after a value.
    pub fn loop_over(&mut self, is_head: bool) -> Result<(), Error> {
        self.head = None;
        if self.tokens().is("(") {
            return self.loop_of_c(is_head);
        }
        let mut is_first = true;
        loop {
            let mut variables = vec![self.variable(is_head)?];
            while self.tokens().eat(",") {
                variables.push(self.variable(is_head)?);
            }
            self.tokens().take("in")?;
            match is_grid(self.tokens().current().text) {
                true => self.grid(&variables)?,
                false => match variables[..] {
                    [variable] => self.within(variable)?,
                    _ if self.tokens().is("[") => self.within_each(&variables)?,
                    _ => {
                        return Err(self
                            .tokens()
                            .unexpected("the sizes of all variables, as in `T.grid(8, 4)`"));
                    }
                },
            }
            self.head = self.head.take().filter(|_| is_first && variables.len() == 1);
            is_first = false;
            // `for i in range(8), j in range(4)`
            let tokens = self.tokens();
            let has_more = tokens.is(",") && tokens.ahead(2).text == "in";
            if !has_more {
                return Ok(());
            }
            tokens.advance();
        }
    }

    /// Parses `(int i = 0; i < n; i++)`: the variable counts up or down from its first value, as long as the condition holds.
    pub fn loop_of_c(&mut self, is_head: bool) -> Result<(), Error> {
        self.parser.is_c();
        self.tokens().take("(")?;
        let is_declared = is_type(self.tokens().current().text);
        let of = self.declared_type();
        let variable = self.variable(is_head)?;
        let name = self.parser.terms.name(variable).unwrap_or("");
        if is_declared {
            self.types.insert(name, of);
        }
        self.tokens().take("=")?;
        let first = self.parser.choice()?;
        if self.tokens().is(",") {
            let error = self.tokens().unexpected("`;`");
            return Err(
                error.hint("a loop has one variable: give the others their values in front of it")
            );
        }
        self.tokens().take(";")?;
        // `for (int i = n; i-- > 0;)`: the body already sees the decremented `i`.
        let counted = [name, "-", "-", ">", "0", ";", ")"];
        if (0..counted.len()).all(|at| self.tokens().ahead(at).text == counted[at]) {
            (0..counted.len()).for_each(|_| self.tokens().advance());
            let zero = self.parser.push(NodeKind::Integer(0), self.parser.terms.span(variable))?;
            self.compared(first, Relation::Greater, variable)?;
            return self.compared(variable, Relation::GreaterEqual, zero);
        }
        let condition = self.parser.choice()?;
        self.tokens().take(";")?;
        let (is_up, step) = self.step(name)?;
        let relation = match is_up {
            true => Relation::LessEqual,
            false => Relation::GreaterEqual,
        };
        // The left-hand side is `first`, the right-hand side the variable.
        self.compared(first, relation, variable)?;
        self.checked_end(condition, name, is_up, step.is_none())?;
        self.check_type(condition, name, of)?;
        self.head = Some(Head { variable, first, step, is_up });
        if let Some(step) = step {
            match is_up {
                true => self.stepped(variable, first, step)?,
                false => self.stepped(first, variable, step)?,
            }
        }
        self.tokens().take(")")
    }

    /// Adds the condition of a loop. It must compare the bare variable with an end, so that once false it stays false.
    pub fn checked_end(
        &mut self,
        condition: NodeId,
        name: &str,
        is_up: bool,
        by_one: bool,
    ) -> Result<(), Error> {
        let span = self.parser.terms.span(condition);
        let terms = &self.parser.terms;
        let is_it = |id: NodeId| terms.name(id) == Some(name);
        let ends = match terms.kind(condition) {
            NodeKind::Compare(sides, relations) => match (&sides[..], &relations[..]) {
                ([x, y], [relation]) if is_it(*x) => Some((*x, *relation, *y)),
                ([x, y], [relation]) if is_it(*y) => Some((*y, relation.mirrored(), *x)),
                _ => None,
            },
            NodeKind::Call("!=", sides) if by_one => match (&sides[..], is_up) {
                ([x, y], true) if is_it(*x) => Some((*x, Relation::Less, *y)),
                ([x, y], false) if is_it(*x) => Some((*x, Relation::Greater, *y)),
                _ => None,
            },
            _ => None,
        };
        let fits = |relation: Relation| match is_up {
            true => matches!(relation, Relation::Less | Relation::LessEqual),
            false => matches!(relation, Relation::Greater | Relation::GreaterEqual),
        };
        match ends.filter(|(_, relation, end)| fits(*relation) && !terms.uses(*end, name)) {
            Some((variable, relation, end)) => self.compared(variable, relation, end),
            None => {
                let message = format!("the condition of the loop is not an end of `{name}`");
                let error = Error::new(ErrorKind::Unsupported, span, message);
                Err(error.hint("write it as `i < n`, or `i >= 0` of a loop that counts down"))
            }
        }
    }

    /// Rejects a loop condition that holds for all values of the type, such as `i >= 0` for an unsigned `i`: the loop never ends.
    pub fn check_type(&self, condition: NodeId, name: &str, of: Type) -> Result<(), Error> {
        let terms = &self.parser.terms;
        let NodeKind::Compare(sides, relations) = terms.kind(condition) else {
            return Ok(());
        };
        let ([x, y], [relation]) = (&sides[..], &relations[..]) else {
            return Ok(());
        };
        let (end, relation) = match terms.name(*x) == Some(name) {
            true => (*y, *relation),
            false => (*x, relation.mirrored()),
        };
        let end = match terms.kind(end) {
            NodeKind::Integer(end) => i64::try_from(*end).ok(),
            _ => None,
        };
        let (Some(end), values) = (end, of.values()) else {
            return Ok(());
        };
        let is_always = match relation {
            Relation::GreaterEqual => end <= values.lo(),
            Relation::Greater => end < values.lo(),
            Relation::LessEqual => end >= values.hi() && values.is_bounded(),
            Relation::Less => end > values.hi(),
            Relation::Equal => false,
        };
        if !is_always || of == Type::Plain {
            return Ok(());
        }
        let message =
            format!("the loop does not end: `{name}` is {}, where this always holds", of.name());
        let error = Error::new(ErrorKind::Unsupported, terms.span(condition), message);
        Err(error.hint("the variable of the loop wraps around: declare it with another type"))
    }

    /// Parses `i++`, `++i`, `i += 2`, `i--`, ..; returns whether the variable grows, and the amount, or `None` if that is 1.
    fn step(&mut self, name: &str) -> Result<(bool, Option<NodeId>), Error> {
        let counts = |tokens: &mut Tokens, sign: &str| {
            let found = tokens.is(sign) && tokens.ahead(1).text == sign;
            found.then(|| (0..2).for_each(|_| tokens.advance())).is_some()
        };
        let before = ["+", "-"].map(|sign| counts(self.tokens(), sign));
        let (stepped, span) = self.tokens().name()?;
        if stepped != name {
            let message = format!("the loop over `{name}` steps `{stepped}`");
            return Err(Error::new(ErrorKind::Unsupported, span, message));
        }
        if before[0] || before[1] {
            return Ok((before[0], None));
        }
        for (sign, by) in [("+", "+="), ("-", "-=")] {
            if self.tokens().eat(by) {
                return Ok((sign == "+", Some(self.parser.choice()?)));
            }
            if counts(self.tokens(), sign) {
                return Ok((sign == "+", None));
            }
        }
        Err(self.tokens().unexpected("`++`, `--`, `+=` or `-=`"))
    }

    /// Parses the variable of a loop. In a loop header it shadows an earlier variable of the same name.
    fn variable(&mut self, is_head: bool) -> Result<NodeId, Error> {
        let token = self.tokens().current().clone();
        let (name, span) = match is_builtin(token.text) {
            true => {
                self.tokens().advance();
                (token.text, token.span)
            }
            false => self.tokens().name()?,
        };
        if is_head {
            self.parser.locals.remove(name);
            if let Some(memory) = &mut self.parser.memory {
                memory.unknown.remove(name);
            }
        }
        let has_value = self.parser.locals.contains_key(name);
        if has_value || self.loops.contains(&name) {
            let message = match has_value {
                true => format!("`{name}` has a value above, and is bound here"),
                false => format!("`{name}` is bound twice"),
            };
            let error = Error::new(ErrorKind::Name, span, message);
            return Err(error.hint("give one of them another name"));
        }
        self.loops.push(name);
        self.parser.bound.push(name.to_owned());
        self.parser.push(NodeKind::Name(name), span)
    }

    pub fn compared(
        &mut self,
        left: NodeId,
        relation: Relation,
        right: NodeId,
    ) -> Result<(), Error> {
        let span = self.spanned(left, right);
        let kind = NodeKind::Compare(vec![left, right], vec![relation]);
        let condition = self.parser.push(kind, span)?;
        self.conditions.push(condition);
        Ok(())
    }

    /// Adds the condition `(item - first) mod step == 0`.
    pub fn stepped(&mut self, item: NodeId, first: NodeId, step: NodeId) -> Result<(), Error> {
        let span = self.parser.terms.span(step);
        let difference = NodeKind::Sum(vec![(Sign::Plus, item), (Sign::Minus, first)]);
        let difference = self.parser.push(difference, span.clone())?;
        let rest = self.parser.push(NodeKind::Mod(difference, step), span.clone())?;
        let zero = self.parser.push(NodeKind::Integer(0), span)?;
        self.compared(rest, Relation::Equal, zero)
    }

    fn spanned(&self, left: NodeId, right: NodeId) -> Span {
        let (left, right) = (self.parser.terms.span(left), self.parser.terms.span(right));
        left.start.min(right.start)..left.end.max(right.end)
    }
}

/// Returns whether the word is called with several arguments, as in `where(a, b, c)`. A single value in brackets is a condition,
/// or the beginning of a condition.
fn is_call_of_several(tokens: &Tokens<'_>) -> bool {
    let mut depth = 0usize;
    for at in 1..tokens.len() {
        match tokens.ahead(at).text {
            "(" | "[" => depth += 1,
            ")" | "]" if depth <= 1 => return false,
            ")" | "]" => depth -= 1,
            "," if depth == 1 => return true,
            _ if depth == 0 => return false,
            _ => {}
        }
    }
    false
}

fn is_relation(word: &str) -> bool {
    matches!(word, "<" | "<=" | ">" | ">=" | "==" | "!=")
}
