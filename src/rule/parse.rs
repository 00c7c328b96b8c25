//! Parses one rule: its statement, conditions, hints and sorts.
//!
//! ```text
//! body      := statement {part}                           each part at most once, in any order
//! part      := 'where' condition {',' condition}
//!            | 'constant' name {name} | 'expression' name {name}
//!            | 'split' split {',' split} | 'let' name '=' term {',' name '=' term}
//!            | 'larger' integer | 'saturate'
//!            | 'multiply' term {',' term} | 'cases' condition {',' condition}
//! statement := term '=>' term | formula '<=>' formula | formula
//! formula   := condition {'and' condition}
//! condition := term relation term {relation term}
//! split     := 'multiples' | 'nearest' | 'nearest-quotients' | 'one-variable' | 'congruent' | 'constrained' | 'negative'
//! ```
//!
//! Terms are those of index maps, with products and divisors that are any terms, and `lo(x)`, `hi(x)` in `let`.

use super::terms::{Sort, Sorts, TermReader, Variables};
use super::{Condition, Rule, Slot, Split, Statement, Term};
use crate::text::token::{Token, Tokens};
use crate::text::{Error, ErrorKind, Span, parse};

/// The keywords that begin a part of a rule after its statement.
pub const PARTS: [&str; 9] =
    ["where", "constant", "expression", "split", "let", "larger", "saturate", "multiply", "cases"];

/// Parses the text between the name of a rule and its purpose, up to the first token that does not belong to it. Name,
/// file, line and purpose of the result are empty.
pub(super) fn body(tokens: &mut Tokens<'_>, sorts: &Sorts) -> Result<Rule, Error> {
    let start = tokens.span().start;
    let mut parser =
        RuleParser { tokens, reader: &TermReader { sorts }, variables: Variables::default() };
    let statement = parser.statement()?;
    let mut rule = Rule { text: flat(parser.tokens.text_since(start)), ..Rule::stating(statement) };
    let mut read: Vec<&str> = Vec::new();
    while let Some(word) = part_at(parser.tokens) {
        let span = parser.tokens.span();
        if read.contains(&word) {
            let message = format!("duplicate `{word}`");
            return Err(Error::new(ErrorKind::Rule, span, message)
                .hint("write each part of a rule once, as one list"));
        }
        read.push(word);
        parser.tokens.advance();
        match word {
            "where" => {
                rule.conditions = parser.conditions()?;
                let conditions = flat(parser.tokens.text_since(span.start));
                rule.text = format!("{} {conditions}", rule.text);
            }
            "split" => rule.splits = parser.list(RuleParser::split)?,
            "let" => rule.witnesses = parser.list(RuleParser::witness)?,
            "larger" => rule.larger = parser.count()?,
            "saturate" => rule.saturates = true,
            "multiply" => rule.multipliers = parser.list(RuleParser::term)?,
            "cases" => rule.cases = parser.conditions()?,
            // The names were already read by `declarations`.
            _ => {
                names(parser.tokens)?;
            }
        }
    }
    (rule.constants, rule.expressions) = (parser.variables.constants, parser.variables.expressions);
    Ok(rule)
}

/// Returns the keyword at the current token, if it begins a part of a rule.
fn part_at(tokens: &Tokens<'_>) -> Option<&'static str> {
    let word = (tokens.token() == Token::Name).then(|| tokens.word())?;
    PARTS.into_iter().find(|part| *part == word)
}

/// Describes the tokens that may follow, for an error.
pub(super) fn expected_parts() -> String {
    let parts: Vec<String> = PARTS.iter().map(|part| format!("`{part}`")).collect();
    parts.join(", ")
}

/// Parses the sorts declared in the text of a rule.
pub(super) fn declarations(text: &str) -> Result<Sorts, Error> {
    let mut sorts = Sorts::default();
    let mut tokens = Tokens::new(text);
    while tokens.token() != Token::End {
        let sort = match part_at(&tokens) {
            Some("constant") => Some(Sort::Constant),
            Some("expression") => Some(Sort::Expression),
            _ => None,
        };
        tokens.advance();
        if let Some(sort) = sort {
            for (name, span) in names(&mut tokens)? {
                sorts.declare(name, span, sort)?;
            }
        }
    }
    Ok(sorts)
}

/// Parses the names after `constant` or `expression`, with their spans.
pub(super) fn names<'t>(tokens: &mut Tokens<'t>) -> Result<Vec<(&'t str, Span)>, Error> {
    let mut names = Vec::new();
    while names.is_empty() || (tokens.token() == Token::Name && part_at(tokens).is_none()) {
        let word = tokens.word();
        names.push((word, tokens.expect(Token::Name, "the name of a variable")?));
    }
    Ok(names)
}

/// Returns the names bound by `let`.
pub(super) fn named_by_let(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut tokens = Tokens::new(text);
    let (mut in_let, mut at_start) = (false, false);
    while tokens.token() != Token::End {
        match (tokens.token(), part_at(&tokens)) {
            (_, Some(part)) => (in_let, at_start) = (part == "let", true),
            (Token::Name, None) if in_let && at_start => {
                names.push(tokens.word().to_owned());
                at_start = false;
            }
            (token, None) => at_start = token == Token::Comma,
        }
        tokens.advance();
    }
    names
}

/// Parses a term over the variables of a rule.
pub(super) fn term_of(text: &str, rule: &Rule) -> Result<Term, Error> {
    let sorts = Sorts::default().with_constants(&rule.constants);
    let mut tokens = Tokens::new(text);
    let mut parser = RuleParser {
        tokens: &mut tokens,
        reader: &TermReader { sorts: &sorts },
        variables: Variables {
            constants: rule.constants.clone(),
            expressions: rule.expressions.clone(),
        },
    };
    let term = parser.term()?;
    let is_known = parser.variables.expressions.len() == rule.expressions.len();
    match tokens.token() {
        Token::End if is_known => Ok(term),
        _ => Err(tokens.unexpected("a term over the variables of the rule")),
    }
}

struct RuleParser<'p, 't, 's> {
    tokens: &'p mut Tokens<'t>,
    reader: &'p TermReader<'s>,
    variables: Variables,
}

impl RuleParser<'_, '_, '_> {
    fn statement(&mut self) -> Result<Statement, Error> {
        let lhs = parse::formula(self.tokens)?;
        if self.tokens.eat(Token::Implies) {
            let rhs = parse::term(self.tokens)?;
            let lhs = self.reader.term(&lhs, lhs.root(), &mut self.variables, 0)?;
            let rhs = self.reader.term(&rhs, rhs.root(), &mut self.variables, 0)?;
            return Ok(Statement::Rewrite(lhs, rhs));
        }
        if self.tokens.eat(Token::Equivalent) {
            let rhs = parse::formula(self.tokens)?;
            let lhs = self.reader.formula(&lhs, lhs.root(), &mut self.variables)?;
            let rhs = self.reader.formula(&rhs, rhs.root(), &mut self.variables)?;
            return Ok(Statement::Equivalence(lhs, rhs));
        }
        if !lhs.is_formula() {
            return Err(self.tokens.unexpected("`=>`, `<=>` or a comparison"));
        }
        let facts = self.reader.formula(&lhs, lhs.root(), &mut self.variables)?;
        Ok(Statement::Fact(facts))
    }

    fn list<T>(&mut self, item: fn(&mut Self) -> Result<T, Error>) -> Result<Vec<T>, Error> {
        let mut items = vec![item(self)?];
        while self.tokens.eat(Token::Comma) {
            items.push(item(self)?);
        }
        Ok(items)
    }

    fn count(&mut self) -> Result<u32, Error> {
        let (word, at) = (self.tokens.word(), self.tokens.span());
        self.tokens.expect(Token::Integer, "a number of operations")?;
        word.parse().map_err(|_| Error::new(ErrorKind::Rule, at, "too many operations".to_owned()))
    }

    fn conditions(&mut self) -> Result<Vec<Condition>, Error> {
        Ok(self.list(RuleParser::condition)?.concat())
    }

    fn condition(&mut self) -> Result<Vec<Condition>, Error> {
        let formula = parse::formula(self.tokens)?;
        self.reader.formula(&formula, formula.root(), &mut self.variables)
    }

    fn term(&mut self) -> Result<Term, Error> {
        let term = parse::term(self.tokens)?;
        self.reader.term(&term, term.root(), &mut self.variables, 0)
    }

    fn witness(&mut self) -> Result<(Slot, Term), Error> {
        let (name, at) = (self.tokens.word(), self.tokens.span());
        self.tokens.expect(Token::Name, "the name of a constant")?;
        self.tokens.expect(Token::Equal, "`=`")?;
        let term = self.term()?;
        match self.reader.variable(name, &at, &mut self.variables)? {
            Term::Constant(slot) => Ok((slot, term)),
            _ => {
                let message = format!("'{name}' is declared as an expression");
                Err(Error::new(ErrorKind::Rule, at, message).hint("`let` defines constants"))
            }
        }
    }

    fn split(&mut self) -> Result<Split, Error> {
        let start = self.tokens.span().start;
        self.tokens.expect(Token::Name, "a split")?;
        while self.tokens.token() == Token::Minus && self.tokens.is_adjacent() {
            self.tokens.advance();
            self.tokens.expect(Token::Name, "a split")?;
        }
        let word = self.tokens.text_since(start);
        let span = start..start + word.len();
        let known = Split::ALL.iter().find(|(name, _)| *name == word);
        known.map(|(_, split)| *split).ok_or_else(|| {
            let names: Vec<&str> = Split::ALL.iter().map(|(name, _)| *name).collect();
            Error::new(ErrorKind::Rule, span, format!("unknown split '{word}'"))
                .hint(format!("splits are {}", names.join(", ")))
        })
    }
}

/// Joins lines and strips comments.
fn flat(text: &str) -> String {
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or(""));
    lines.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ")
}
