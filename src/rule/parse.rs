//! Reads one rule: its statement, conditions, hints and purpose.
//!
//! ```text
//! body      := statement ['where' condition {',' condition}]
//!              ['split' split {',' split}] ['let' name '=' term {',' name '=' term}]
//!              ['multiply' term {',' term}] ['cases' condition {',' condition}]
//! statement := term '=>' term | formula '<=>' formula | formula
//! formula   := condition {'and' condition}
//! condition := term relation term {relation term}
//! split     := 'multiples' | 'nearest' | 'nearest-quotients' | 'one-variable' | 'negative'
//! ```

use super::terms::{TermReader, Variables};
use super::{Condition, Rule, Slot, Split, Statement, Term};
use crate::error::{Error, ErrorKind};
use crate::syntax::parse;
use crate::syntax::token::{Token, Tokens};

/// The words that begin a part of a rule after its statement.
const PARTS: [&str; 5] = ["where", "split", "let", "multiply", "cases"];

/// Reads what stands between the name of a rule and its purpose. Name, file, line and purpose of the
/// answer are empty.
pub(super) fn body(tokens: &mut Tokens<'_>, reader: &TermReader<'_>) -> Result<Rule, Error> {
    let start = tokens.span().start;
    let mut parser = RuleParser {
        tokens,
        reader,
        variables: Variables::default(),
    };
    let statement = parser.statement()?;
    let conditions = match parser.part("where") {
        true => parser.conditions()?,
        false => Vec::new(),
    };
    let text = flat(parser.tokens.text_since(start));
    let splits = match parser.part("split") {
        true => parser.list(RuleParser::split)?,
        false => Vec::new(),
    };
    let witnesses = match parser.part("let") {
        true => parser.list(RuleParser::witness)?,
        false => Vec::new(),
    };
    let multipliers = match parser.part("multiply") {
        true => parser.list(RuleParser::term)?,
        false => Vec::new(),
    };
    let cases = match parser.part("cases") {
        true => parser.conditions()?,
        false => Vec::new(),
    };
    Ok(Rule {
        name: String::new(),
        statement,
        conditions,
        constants: parser.variables.constants,
        expressions: parser.variables.expressions,
        splits,
        witnesses,
        multipliers,
        cases,
        purpose: String::new(),
        file: String::new(),
        line: 0,
        text,
    })
}

/// Is this the word that begins a part of a rule?
pub(super) fn begins_part(word: &str) -> bool {
    PARTS.contains(&word)
}

/// What may follow, in words for an error.
pub(super) fn expected_parts() -> String {
    let parts: Vec<String> = PARTS.iter().map(|part| format!("`{part}`")).collect();
    parts.join(", ")
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

    fn part(&mut self, keyword: &str) -> bool {
        let found = self.tokens.token() == Token::Name && self.tokens.word() == keyword;
        if found {
            self.tokens.advance();
        }
        found
    }

    fn list<T>(&mut self, item: fn(&mut Self) -> Result<T, Error>) -> Result<Vec<T>, Error> {
        let mut items = vec![item(self)?];
        while self.tokens.eat(Token::Comma) {
            items.push(item(self)?);
        }
        Ok(items)
    }

    fn conditions(&mut self) -> Result<Vec<Condition>, Error> {
        Ok(self.list(RuleParser::condition)?.concat())
    }

    fn condition(&mut self) -> Result<Vec<Condition>, Error> {
        let formula = parse::formula(self.tokens)?;
        self.reader
            .formula(&formula, formula.root(), &mut self.variables)
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
                let message = format!("'{name}' is no constant of this rule");
                Err(Error::new(ErrorKind::Rule, at, message))
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
        match word {
            "multiples" => Ok(Split::Multiples),
            "nearest" => Ok(Split::Nearest),
            "nearest-quotients" => Ok(Split::NearestQuotients),
            "one-variable" => Ok(Split::OneVariable),
            "negative" => Ok(Split::Negative),
            _ => Err(
                Error::new(ErrorKind::Rule, span, format!("'{word}' is no split")).hint(
                    "splits are multiples, nearest, nearest-quotients, one-variable, negative",
                ),
            ),
        }
    }
}

/// On one line, without comments.
fn flat(text: &str) -> String {
    let lines = text
        .lines()
        .map(|line| line.split('#').next().unwrap_or(""));
    lines
        .flat_map(str::split_whitespace)
        .collect::<Vec<_>>()
        .join(" ")
}
