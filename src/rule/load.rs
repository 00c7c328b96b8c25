//! Reads rule files.
//!
//! ```text
//! file      := {sorts | rule}
//! sorts     := ('constant' | 'expression') name {name}           one line; for the rules below it
//! rule      := name ':' statement                                at the start of a line
//!              ['where' condition {',' condition}]               then indented lines, in this order
//!              ['split' split {',' split}]
//!              ['let' name '=' term {',' name '=' term}]
//!              '"' purpose '"'
//! statement := term '=>' term | formula '<=>' formula
//! condition := term relation term {relation term}
//! split     := 'multiples' | 'nearest' | 'nearest-quotients' | 'one-variable' | 'negative'
//! ```
//!
//! Terms are those of index maps, with products and divisors of any terms, and `lo(x)`, `hi(x)` in
//! `let`. `#` starts a comment. Errors: [`ErrorKind::Rule`] and the kinds of the term parser.

use super::terms::{Sort, Sorts, TermReader, Variables};
use super::{Condition, Rule, Slot, Split, Statement, Term};
use crate::error::{Error, ErrorKind, Span};
use crate::syntax::parse;
use crate::syntax::token::{Token, Tokens};

/// Reads the rules of one file. `file` is its name, for reports.
///
/// # Errors
/// One [`Error`] at its position in `text`.
pub fn load(file: &str, text: &str) -> Result<Vec<Rule>, Error> {
    let mut sorts = Sorts::default();
    let mut rules: Vec<Rule> = Vec::new();
    for block in blocks(text) {
        let (keyword, rest) = block.head.split_once(' ').unwrap_or((block.head, ""));
        match keyword {
            "constant" => sorts.declare(rest, block.start + keyword.len() + 1, Sort::Constant)?,
            "expression" => {
                sorts.declare(rest, block.start + keyword.len() + 1, Sort::Expression)?
            }
            _ => {
                let line = text[..block.start].matches('\n').count() + 1;
                let rule = RuleParser {
                    reader: TermReader { sorts: &sorts },
                    file,
                    line,
                }
                .rule(&block)?;
                if let Some(first) = rules.iter().find(|other| other.name == rule.name) {
                    let message = format!(
                        "the rule '{}' is already defined in line {}",
                        rule.name, first.line
                    );
                    return Err(Error::new(
                        ErrorKind::Rule,
                        block.start..block.start + rule.name.len(),
                        message,
                    )
                    .hint("give each rule a name of its own"));
                }
                rules.push(rule);
            }
        }
    }
    Ok(rules)
}

/// A line at the margin and the indented lines below it.
struct Block<'t> {
    start: usize,
    head: &'t str,
    text: &'t str,
}

fn blocks(text: &str) -> Vec<Block<'_>> {
    let mut blocks: Vec<Block<'_>> = Vec::new();
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        let content = line.split('#').next().unwrap_or("").trim_end();
        if content.starts_with([' ', '\t']) && !content.trim().is_empty() {
            if let Some(block) = blocks.last_mut() {
                block.text = &text[block.start..offset + content.len()];
            }
        } else if !content.is_empty() {
            blocks.push(Block {
                start: offset,
                head: content,
                text: &text[offset..offset + content.len()],
            });
        }
        offset += line.len();
    }
    blocks
}

struct RuleParser<'s> {
    reader: TermReader<'s>,
    file: &'s str,
    line: usize,
}

impl RuleParser<'_> {
    fn rule(&self, block: &Block<'_>) -> Result<Rule, Error> {
        let Some((name, _)) = block.head.split_once(':') else {
            return Err(Error::new(
                ErrorKind::Rule,
                block.start..block.start + block.head.len(),
                "expected 'name: equation'",
            )
            .hint("a rule starts at the margin: div-one: x floordiv 1 => x"));
        };
        let well_named = name.split('-').all(|word| {
            !word.is_empty()
                && word
                    .chars()
                    .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
        });
        if !well_named {
            return Err(Error::new(
                ErrorKind::Rule,
                block.start..block.start + name.len(),
                format!("'{name}' is no name of a rule"),
            )
            .hint("use lower-case words joined by '-'"));
        }
        let shift = |error: Error| error.shifted(block.start);
        let body = block.text;
        let mut sections = Sections::new(body, name.len() + 1);
        let mut variables = Variables::default();
        let statement_text = sections.take_until(&["where", "split", "let", "\""]);
        let statement = self
            .statement(body, statement_text.clone(), &mut variables)
            .map_err(shift)?;
        let mut text = flat(&body[statement_text]);
        let mut conditions = Vec::new();
        if sections.eat("where") {
            let span = sections.take_until(&["split", "let", "\""]);
            text = format!("{text} where {}", flat(&body[span.clone()]));
            conditions = self.conditions(body, span, &mut variables).map_err(shift)?;
        }
        let mut splits = Vec::new();
        if sections.eat("split") {
            let span = sections.take_until(&["let", "\""]);
            splits = split_hints(body, span).map_err(shift)?;
        }
        let mut witnesses = Vec::new();
        if sections.eat("let") {
            let span = sections.take_until(&["\""]);
            witnesses = self.witnesses(body, span, &mut variables).map_err(shift)?;
        }
        let purpose = flat(&body[sections.rest()]);
        let quoted = purpose
            .strip_prefix('"')
            .and_then(|rest| rest.strip_suffix('"'));
        let Some(purpose) = quoted.filter(|sentence| !sentence.is_empty()) else {
            return Err(Error::new(
                ErrorKind::Rule,
                block.start..block.start + name.len(),
                format!("the rule '{name}' does not say its purpose"),
            )
            .hint("end the rule with a line: \"one sentence.\""));
        };
        Ok(Rule {
            name: name.to_owned(),
            statement,
            conditions,
            constants: variables.constants,
            expressions: variables.expressions,
            splits,
            witnesses,
            purpose: purpose.to_owned(),
            file: self.file.to_owned(),
            line: self.line,
            text,
        })
    }

    fn statement(
        &self,
        body: &str,
        span: Span,
        variables: &mut Variables,
    ) -> Result<Statement, Error> {
        let piece = &body[span.clone()];
        let shift = |error: Error| error.shifted(span.start);
        let mut tokens = Tokens::new(piece);
        let lhs = parse::formula(&mut tokens).map_err(shift)?;
        if tokens.eat(Token::Implies) {
            let rhs = parse::term(&mut tokens).map_err(shift)?;
            expect_end(&tokens).map_err(shift)?;
            let lhs = self
                .reader
                .term(&lhs, lhs.root(), variables, 0)
                .map_err(shift)?;
            let rhs = self
                .reader
                .term(&rhs, rhs.root(), variables, 0)
                .map_err(shift)?;
            return Ok(Statement::Rewrite(lhs, rhs));
        }
        if tokens.eat(Token::Equivalent) {
            let rhs = parse::formula(&mut tokens).map_err(shift)?;
            expect_end(&tokens).map_err(shift)?;
            let lhs = self
                .reader
                .formula(&lhs, lhs.root(), variables)
                .map_err(shift)?;
            let rhs = self
                .reader
                .formula(&rhs, rhs.root(), variables)
                .map_err(shift)?;
            return Ok(Statement::Equivalence(lhs, rhs));
        }
        Err(shift(tokens.unexpected("'=>' or '<=>'")))
    }

    fn conditions(
        &self,
        body: &str,
        span: Span,
        variables: &mut Variables,
    ) -> Result<Vec<Condition>, Error> {
        let shift = |error: Error| error.shifted(span.start);
        let mut tokens = Tokens::new(&body[span.clone()]);
        let mut conditions = Vec::new();
        loop {
            let formula = parse::formula(&mut tokens).map_err(shift)?;
            conditions.extend(
                self.reader
                    .formula(&formula, formula.root(), variables)
                    .map_err(shift)?,
            );
            if !tokens.eat(Token::Comma) {
                expect_end(&tokens).map_err(shift)?;
                return Ok(conditions);
            }
        }
    }

    fn witnesses(
        &self,
        body: &str,
        span: Span,
        variables: &mut Variables,
    ) -> Result<Vec<(Slot, Term)>, Error> {
        let shift = |error: Error| error.shifted(span.start);
        let mut tokens = Tokens::new(&body[span.clone()]);
        let mut witnesses = Vec::new();
        loop {
            let name = tokens.word();
            let at = tokens.span();
            tokens
                .expect(Token::Name, "the name of a constant")
                .map_err(shift)?;
            tokens.expect(Token::Equal, "'='").map_err(shift)?;
            let term = parse::term(&mut tokens).map_err(shift)?;
            let term = self
                .reader
                .term(&term, term.root(), variables, 0)
                .map_err(shift)?;
            match self.reader.variable(name, &at, variables).map_err(shift)? {
                Term::Constant(slot) => witnesses.push((slot, term)),
                _ => {
                    let message = format!("'{name}' is no constant of this rule");
                    return Err(shift(Error::new(ErrorKind::Rule, at, message)));
                }
            }
            if !tokens.eat(Token::Comma) {
                expect_end(&tokens).map_err(shift)?;
                return Ok(witnesses);
            }
        }
    }
}

fn split_hints(body: &str, span: Span) -> Result<Vec<Split>, Error> {
    let mut offset = span.start;
    let mut splits = Vec::new();
    for piece in body[span].split(',') {
        let word = piece.trim();
        splits.push(match word {
            "multiples" => Split::Multiples,
            "nearest" => Split::Nearest,
            "nearest-quotients" => Split::NearestQuotients,
            "one-variable" => Split::OneVariable,
            "negative" => Split::Negative,
            _ => {
                let start = offset + (piece.len() - piece.trim_start().len());
                return Err(Error::new(
                    ErrorKind::Rule,
                    start..start + word.len(),
                    format!("'{word}' is no split"),
                )
                .hint("splits are multiples, nearest, nearest-quotients, one-variable, negative"));
            }
        });
        offset += piece.len() + 1;
    }
    Ok(splits)
}

fn expect_end(tokens: &Tokens<'_>) -> Result<(), Error> {
    if tokens.token() == Token::End {
        Ok(())
    } else {
        Err(tokens.unexpected("the end of the line"))
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

/// Walks over the sections of a rule's text.
struct Sections<'t> {
    text: &'t str,
    position: usize,
}

impl<'t> Sections<'t> {
    fn new(text: &'t str, position: usize) -> Sections<'t> {
        Sections { text, position }
    }

    /// The text up to the next line that starts with one of `keywords`, or to the end.
    fn take_until(&mut self, keywords: &[&str]) -> Span {
        let start = self.position;
        let mut end = start;
        for line in self.text[start..].split_inclusive('\n') {
            let trimmed = line.trim_start();
            let starts = |keyword: &&str| {
                trimmed
                    .strip_prefix(*keyword)
                    .is_some_and(|rest| *keyword == "\"" || rest.starts_with([' ', '\t', '\n']))
            };
            if keywords.iter().any(starts) {
                break;
            }
            end += line.len();
        }
        self.position = end;
        start..end
    }

    fn eat(&mut self, keyword: &str) -> bool {
        let rest = &self.text[self.position..];
        let trimmed = rest.trim_start();
        let found = trimmed.starts_with(keyword);
        if found {
            self.position += rest.len() - trimmed.len() + keyword.len();
        }
        found
    }

    fn rest(&self) -> Span {
        self.position..self.text.len()
    }
}
