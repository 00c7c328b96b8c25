//! The parser of pasted code: one or several expressions, a lambda, a function of Python or C, statements, and the bounds of the
//! variables.
//!
//! ```text
//! program    := blocks | 'forall' names 'in' range ':' body | 'lambda' names ':' values | '(' names ')' '->' values | 'def' name '(' names ')' ':' body | type name '(' parameters ')' '{' body '}' | body
//! body       := {statement} [['return'] values] bounds
//! statement  := [type] name {',' name} '=' values | [type] name ('+=' | ..) choice
//!             | 'if' choice ':' 'return' values | 'for' name 'in' range ':'
//!             | 'for' '(' [type] name '=' choice ';' choice ';' .. ')'                      each with `;` or a new line
//! values     := choice {',' choice} | '(' values ')' | [condition '=>'] choice ('=' | relation) choice
//! bounds     := {[','] 'domain' ':' items | ['where' | 'with' | ','] items | 'for' name 'in' range}
//! range      := 'range' '(' choice [',' choice [',' choice]] ')'
//! items      := item {(',' | newline) item}        item := choice | choice 'in' '[' end ',' end ']' | choice 'in' range
//! ```
//!
//! A name that is assigned represents its value from there on, so that statements leave no trace in the tree. The statements are
//! parsed by `statements`, the bounds by `bounds`, the blocks of Pallas and axes of TVM by `blocks`.

use super::calls::{OPS, is_of_arrays};
use super::memory::{Access, Head};
use super::names::ranges_of;
use super::parse::{Parser, is_truth};
use super::token::{Class, is_condition_word};
use super::tokens::Tokens;
use super::types::{Type, is_type};
use super::value::Known;
use affinor_maps::text::ast::{NodeId, NodeKind, Relation, Term};
use affinor_maps::text::{Error, ErrorKind, Span};
use rustc_hash::FxHashMap;

/// Pasted code as a tree.
pub struct Program<'t> {
    /// All nodes.
    pub term: Term<'t>,
    /// The values at the end; empty if the text only assigns names.
    pub results: Vec<NodeId>,
    /// The names that are assigned outside of functions, with their last values, in the order of the text.
    pub named: Vec<(&'t str, NodeId)>,
    /// The parameters of a lambda or function, in order.
    pub arguments: Vec<&'t str>,
    /// The names that the code binds.
    pub bound: Vec<String>,
    /// The variables of the loops, the outermost first.
    pub loops: Vec<&'t str>,
    /// The declared types of names.
    pub types: FxHashMap<&'t str, Type>,
    /// The conditions that bound the names.
    pub conditions: Vec<NodeId>,
    /// The index of each `arange`, with the conditions that bound it.
    pub ranges: Vec<(NodeId, Vec<NodeId>)>,
    /// The first chain `a < b < c` among the values.
    pub chain: Option<Span>,
    /// The first part that only C has, unless another part is only in Python.
    pub c: Option<Span>,
    /// Whether the text has a part that only Python has.
    pub is_python: bool,
    /// Whether the text calls functions of Triton.
    pub is_triton: bool,
    /// The first chain of an equation and an inequality.
    pub mixed: Option<Span>,
    /// The accesses of a kernel; the indices of a single access are the results.
    pub accesses: Vec<Access<'t>>,
    /// The name of the function, if the text is a function.
    pub function: Option<&'t str>,
}

/// Parses code. It is C if it `truncates`. Names may be `known` to have a value elsewhere.
///
/// # Errors
/// [`ErrorKind::Syntax`], [`ErrorKind::Overflow`], [`ErrorKind::TooLarge`], [`ErrorKind::Unsupported`] at its position.
pub fn program<'t>(text: &'t str, truncates: bool, known: Known) -> Result<Program<'t>, Error> {
    let mut tokens = Tokens::new(text)?;
    tokens.truncates = truncates;
    of_tokens(tokens, known)
}

/// Parses code from its tokens.
///
/// # Errors
/// As for [`program`].
pub fn of_tokens<'t>(tokens: Tokens<'t>, known: Known) -> Result<Program<'t>, Error> {
    let names = (0..tokens.len()).map(|at| tokens.ahead(at));
    let names = names.filter(|token| token.class == Class::Name).map(|token| token.text);
    let known = names.filter_map(|name| Some((name, ranges_of(&known(name)?)))).collect();
    let mut parser = Parser::new(tokens);
    parser.known = known;
    let mut reader = Reader {
        parser,
        arguments: Vec::new(),
        loops: Vec::new(),
        counted: Vec::new(),
        head: None,
        types: FxHashMap::default(),
        conditions: Vec::new(),
        assigned: Vec::new(),
        before_loop: None,
        guards: Vec::new(),
        returns: None,
        accesses: Vec::new(),
        function: None,
    };
    let results = reader.whole()?;
    let Reader {
        parser, arguments, loops, conditions, assigned, types, accesses, function, ..
    } = reader;
    let named: Vec<(&str, NodeId)> =
        assigned.into_iter().filter_map(|name| Some((name, *parser.locals.get(name)?))).collect();
    let root = results.last().copied();
    let root = root.or(named.last().map(|(_, value)| *value));
    let root = root.or(accesses.iter().find_map(|access| access.indices.first().copied()));
    let root = root.ok_or_else(|| Error::new(ErrorKind::Syntax, 0..0, "expected a value"))?;
    Ok(Program {
        chain: parser.chain.clone(),
        c: parser.c.filter(|_| !parser.is_python),
        is_python: parser.is_python,
        is_triton: parser.is_triton,
        mixed: parser.mixed,
        accesses,
        function,
        bound: parser.bound,
        loops,
        ranges: parser.ranges,
        term: parser.terms.finish(root),
        results,
        named,
        arguments,
        types,
        conditions,
    })
}

/// The parser of a program, and the statements parsed so far.
pub struct Reader<'t> {
    pub parser: Parser<'t>,
    pub arguments: Vec<&'t str>,
    /// The variables of loops.
    pub loops: Vec<&'t str>,
    /// The loop variables that a statement of the body steps.
    pub counted: Vec<&'t str>,
    /// The header of the last parsed loop, if it has steps.
    pub head: Option<Head>,
    pub types: FxHashMap<&'t str, Type>,
    pub conditions: Vec<NodeId>,
    /// The names that are assigned outside of a function, in the order of the text.
    pub assigned: Vec<&'t str>,
    /// The names that had values when the first loop began.
    pub before_loop: Option<Vec<&'t str>>,
    /// The conditions of early returns, each with the returned values.
    pub guards: Vec<(NodeId, Vec<NodeId>)>,
    /// The accesses of a kernel.
    pub accesses: Vec<Access<'t>>,
    /// The name of the function, if the text is a function.
    pub function: Option<&'t str>,
    /// The type that a `return` converts to, once a `return` was parsed.
    pub returns: Option<Type>,
}

impl<'t> Reader<'t> {
    pub fn tokens(&mut self) -> &mut Tokens<'t> {
        &mut self.parser.tokens
    }

    fn whole(&mut self) -> Result<Vec<NodeId>, Error> {
        while self.tokens().is("@") {
            self.tokens().advance(); // skip the rest of a decorator's line
            while self.tokens().current().indent.is_none() {
                self.tokens().advance();
            }
        }
        let results = if self.is_block_spec() {
            self.block_spec()?
        } else if self.is_kernel() {
            self.kernel()?
        } else if self.tokens().eat("lambda") {
            self.parser.is_python = true;
            self.names(":")?;
            self.values()?
        } else if self.is_arrow() {
            match self.tokens().eat("(") {
                true => {
                    self.names(")")?;
                    self.tokens().advance();
                }
                false => {
                    let arrow = if self.tokens().has("=>") { "=>" } else { "->" };
                    self.names(arrow)?;
                }
            }
            self.values_under_conditions()?
        } else if self.is_quantified() {
            self.quantified()?;
            self.body(None)?
        } else if self.tokens().eat("def") {
            self.parser.is_python = true;
            self.function = Some(self.tokens().name()?.0);
            self.tokens().take("(")?;
            self.names(")")?;
            if self.tokens().eat("->") {
                self.tokens().advance();
            }
            self.tokens().take(":")?;
            self.body(Some(Type::Plain))?
        } else if self.is_function() {
            self.parser.is_c();
            let of = self.declared_type();
            self.function = Some(self.tokens().current().text);
            self.tokens().advance();
            self.tokens().take("(")?;
            self.names(")")?;
            self.tokens().take("{")?;
            let results = self.body(Some(of))?;
            self.tokens().eat("}");
            results
        } else {
            self.body(None)?
        };
        self.parser.tokens.by_lines = false;
        // Bounds are not code: a chain means the same in any language.
        let chain = self.parser.chain.clone();
        self.bounds()?;
        self.parser.chain = chain;
        if !self.tokens().is_end() {
            return Err(self.not_done());
        }
        Ok(results)
    }

    fn not_done(&mut self) -> Error {
        let error = self.tokens().unexpected("an operator or the end of the code");
        let token = self.tokens().current().clone();
        let is_word = token.class == Class::Name;
        match token.text {
            "=" => error.hint("two values are compared with `==`"),
            "from" | "between" => error
                .hint("bounds are written `i in [0, 7]`, with both ends, or `for i in range(8)`"),
            "in" => error.hint("bounds come after a value: `i * 4, domain: i in [0, 3]`"),
            "." if is_of_arrays(self.tokens().ahead(1).text) => error.hint(OPS),
            "(" if self.parser.tokens.is_behind(Class::Integer) => {
                error.hint("a product by a bracket is written with `*`")
            }
            "." | "[" => {
                error.hint("an element of an array is not an expression; write its index alone")
            }
            ";" => error.hint("statements are separated by `;` inside of a function"),
            _ if is_word && self.parser.tokens.previous_operator() == "//" => error
                .hint("`//` divides here, as in Python; a comment is written `# ..` or `/* .. */`"),
            _ if is_word => error.hint("an operator is missing before this name"),
            _ => error,
        }
    }

    /// Consumes `forall`, `for all` or `∀`.
    fn is_quantified(&mut self) -> bool {
        let tokens = self.tokens();
        match tokens.is("for") && tokens.ahead(1).text == "all" {
            true => tokens.eat("for") && tokens.eat("all"),
            false => tokens.eat("forall") || tokens.eat("∀"),
        }
    }

    /// Returns whether the text begins with variables and an arrow, like a map or a JavaScript function.
    fn is_arrow(&mut self) -> bool {
        let tokens = self.tokens();
        let open = usize::from(tokens.is("("));
        let is_variable = |at: &usize| {
            let token = tokens.ahead(*at);
            token.class == Class::Name || token.text == ","
        };
        let variables = (open..).take_while(is_variable).count();
        let behind = |at: usize| tokens.ahead(open + variables + at).text;
        // `p->n` is a member of a C struct.
        let is_apart = |at: usize| tokens.ahead(at).span.start > tokens.ahead(at - 1).span.end;
        let is_closed = match open {
            0 => variables > 0 && is_apart(variables),
            _ => behind(0) == ")",
        };
        is_closed && is_arrow(behind(open))
    }

    /// Returns whether the text begins like a function of C.
    fn is_function(&mut self) -> bool {
        let tokens = self.tokens();
        let types = (0..).take_while(|at| is_type(tokens.ahead(*at).text)).count();
        let word = |at: usize| tokens.ahead(types + at);
        types > 0 && word(0).class == Class::Name && word(1).text == "("
    }

    /// Parses the words of a type, if there are any.
    pub fn declared_type(&mut self) -> Type {
        let mut words = Vec::new();
        while is_type(self.tokens().current().text) {
            words.push(self.tokens().current().text);
            self.tokens().advance();
        }
        Type::of_words(words.into_iter())
    }

    /// Parses the parameters up to `close`, of Python or C. Each is an index, except `n: tl.constexpr`.
    pub fn names(&mut self, close: &str) -> Result<(), Error> {
        while !self.tokens().eat(close) {
            let of = self.declared_type();
            let (name, span) = self.tokens().name()?;
            let mut is_fixed = false;
            if close == ")" && self.tokens().eat(":") {
                let annotation = self.tokens().current().text;
                is_fixed = annotation.rsplit('.').next() == Some("constexpr");
                self.tokens().advance();
            }
            if self.arguments.contains(&name) {
                let message = format!("`{name}` is a parameter twice");
                return Err(Error::new(ErrorKind::Name, span, message));
            }
            if !is_fixed {
                self.arguments.push(name);
                self.parser.bound.push(name.to_owned());
            }
            self.types.insert(name, of);
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

    /// Parses values between commas, or a comparison.
    pub fn values(&mut self) -> Result<Vec<NodeId>, Error> {
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

    /// Parses values, and the conditions that follow them without a keyword: `i * 4 + j, 0 <= j < 4` has one value. In brackets,
    /// or if all are comparisons, each is a value.
    pub fn values_under_conditions(&mut self) -> Result<Vec<NodeId>, Error> {
        let is_in_brackets = self.bracket().is_some();
        let mut values = self.values()?;
        while let ([premise], true) = (&values[..], self.is_implication()) {
            self.conditions.push(*premise);
            self.tokens().advance();
            values = self.values()?;
        }
        let terms = &self.parser.terms;
        let is_condition = |value: &NodeId| is_truth(terms.kind(*value));
        let first = values.iter().position(is_condition).unwrap_or(values.len());
        if !is_in_brackets && values[first..].iter().all(is_condition) {
            let conditions = values.split_off(first);
            match (&values[..], &conditions[..]) {
                ([], [_, second, ..]) => {
                    let span = terms.span(*second);
                    let error = Error::new(
                        ErrorKind::Syntax,
                        span,
                        "this may be a condition, or a second statement",
                    );
                    return Err(error.hint("a condition follows `where`: `x // 8 == i where 0 <= x < 8`; two statements are joined by `and`"));
                }
                ([], _) => values = conditions,
                (_, [first, ..]) => {
                    // As in `bounds`, a chain in a condition is not code.
                    let start = terms.span(*first).start;
                    self.parser.chain.take_if(|chain| chain.start >= start);
                    self.conditions.extend(conditions);
                }
                (_, []) => {}
            }
        }
        if is_in_brackets && !self.begins_bounds() && self.tokens().eat(",") {
            let (given, start) = (self.conditions.len(), self.tokens().current().clone());
            self.items()?;
            let terms = &self.parser.terms;
            if !self.conditions[given..].iter().all(|value| is_truth(terms.kind(*value))) {
                let message = "expected conditions after the values, such as `i < 4`";
                return Err(Error::new(ErrorKind::Syntax, start.span, message));
            }
        }
        Ok(values)
    }

    /// Returns whether the sign between a premise and its conclusion is here.
    fn is_implication(&mut self) -> bool {
        ["=>", "==>", "implies"].iter().any(|word| self.tokens().is(word))
    }

    /// Returns the bracket that closes the list that begins here.
    fn bracket(&mut self) -> Option<&'static str> {
        let close = match self.tokens().current().text {
            "(" => ")",
            "[" => "]",
            _ => return None,
        };
        self.is_tuple(close).then_some(close)
    }

    pub fn list(&mut self) -> Result<Vec<NodeId>, Error> {
        if let Some(close) = self.bracket() {
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
            let (word, next) = (self.tokens().current().text, self.tokens().ahead(1).text);
            match word {
                "divmod" if next == "(" => values.extend(self.divmod()?),
                "tl.swizzle2d" if next == "(" => values.extend(self.swizzle2d()?),
                "T.axis.remap" | "tir.axis.remap" if next == "(" => values.extend(self.remap()?),
                _ => values.push(self.parser.choice()?),
            }
            if self.begins_bounds() {
                if close.is_empty() {
                    self.check_not_shared(values.last().copied())?;
                }
                return Ok(values);
            }
            if !self.tokens().eat(",") || (!close.is_empty() && self.tokens().is(close)) {
                return Ok(values);
            }
        }
    }

    /// Returns whether the bracket here holds several values, and nothing follows it.
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
                            || matches!(next.text, "," | ";" | "}" | "for" | "domain")
                            || is_condition_word(next.text);
                        return is_last && (commas > 0 || close == "]");
                    }
                }
                _ => {}
            }
        }
        false
    }
}

fn is_arrow(text: &str) -> bool {
    matches!(text, "->" | "=>")
}
