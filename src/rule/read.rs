//! Parses rules: a whole file, or a single one, with the same grammar and the same inference of sorts.
//!
//! ```text
//! file  := {sorts | rule}
//! sorts := ('constant' | 'expression') name {name}       one line unindented; for the rules below it
//! rule  := name ':' body ['"' purpose '"']               the name unindented, the rest indented
//! ```
//!
//! The grammar of bodies is in the sibling `parse`; a body may declare sorts of its own. `#` starts a comment. A single
//! rule may be indented, and needs no name. Errors: [`ErrorKind::Rule`] and the kinds of the term parser.

use super::terms::{Sort, Sorts};
use super::{Rule, SESSION, Term, check, infer, parse};
use crate::text::token::{Token, Tokens};
use crate::text::{Error, ErrorKind};

/// Parses the rules of one file. `file` is its name, for reports. Purposes are optional. The declarations of a file are
/// its vocabulary, and need not all be used, so that any rule can be removed.
///
/// # Errors
/// An [`Error`] at its position in `text`, including for a rule that cannot be fired ([`check_firing`](super::check_firing)).
pub fn read_rules(file: &str, text: &str) -> Result<Vec<Rule>, Error> {
    let mut sorts = Sorts::default();
    let mut rules: Vec<Rule> = Vec::new();
    for block in blocks(text) {
        let (keyword, rest) = block.head.split_once(' ').unwrap_or((block.head, ""));
        let names = block.start + keyword.len() + 1;
        let sort = match keyword {
            "constant" => Some(Sort::Constant),
            "expression" => Some(Sort::Expression),
            _ => None,
        };
        if let Some(sort) = sort {
            declare(&mut sorts, rest, names, sort)?;
            continue;
        }
        let Some(name) = block.head.split_once(':').map(|(name, _)| name) else {
            let span = block.start..block.start + block.head.len();
            return Err(Error::new(ErrorKind::Rule, span, "expected 'name: equation'")
                .hint("a rule starts at the margin: div-one: x floordiv 1 => x"));
        };
        let span = block.start..block.start + name.len();
        check_name(name).map_err(|error| error.shifted(block.start))?;
        let after_name = name.len() + 1;
        let mut rule = body(&block.text[after_name..], &sorts)
            .map_err(|error| error.shifted(block.start + after_name))?;
        rule.name = name.to_owned();
        rule = rule.in_file(file, text[..block.start].matches('\n').count() + 1);
        if let Some(first) = rules.iter().find(|other| other.name == rule.name) {
            let message = format!("the rule '{name}' is already defined in line {}", first.line);
            return Err(
                Error::new(ErrorKind::Rule, span, message).hint("give each rule a name of its own")
            );
        }
        check::rule(&rule).map_err(|error| Error { span: Some(span), ..error })?;
        rules.push(rule);
    }
    Ok(rules)
}

/// Parses one rule, or an unnamed statement, `lhs = rhs where c >= 1`. Checks only the grammar: the caller judges the rule.
///
/// # Errors
/// An [`Error`] at its position in `text`.
pub fn read_rule(text: &str) -> Result<Rule, Error> {
    let head = text.split(['"', '#']).next().unwrap_or("");
    // If the text before `:` is not a word, the parser of terms reports a better error.
    let is_word = |c: char| c.is_alphanumeric() || c.is_whitespace() || "-_".contains(c);
    let name = head.split_once(':').map(|(name, _)| name);
    let (name, start) = match name.filter(|name| name.chars().all(is_word)) {
        Some(name) => (name, name.len() + 1),
        None => ("", 0),
    };
    let trimmed = name.trim();
    if start > 0 {
        let offset = name.len() - name.trim_start().len();
        check_name(trimmed).map_err(|error| error.shifted(offset))?;
    }
    let mut rule = body(&text[start..], &Sorts::default()).map_err(|error| error.shifted(start))?;
    check::values(&rule)?;
    rule.name = trimmed.to_owned();
    Ok(rule.in_file(SESSION, 1))
}

/// Parses a term over the variables of a rule.
///
/// # Errors
/// An [`Error`] at its position in `text`, including for a name that is not a variable of the rule.
pub fn read_term(text: &str, rule: &Rule) -> Result<Term, Error> {
    parse::term_of(text, rule)
}

/// Parses the text after the name of a rule. `declared` are the sorts that the file declares.
fn body(text: &str, declared: &Sorts) -> Result<Rule, Error> {
    // The purpose is prose: remove it before tokenizing.
    let quote = quote_of(text);
    let statement = &text[..quote.unwrap_or(text.len())];
    let own = parse::declarations(statement)?;
    let sorts = own.over(declared);
    let constants = parse::named_by_let(statement);
    let provisional = sorts.with_constants(&constants);
    let rule = whole(statement, &provisional)?;
    let inferred = infer::constants(&rule, &sorts, constants);
    let mut rule = match inferred.is_empty() {
        true => rule,
        false => whole(statement, &sorts.with_constants(&inferred))?,
    };
    check::sorts(&own, &rule)?;
    if let Some(quote) = quote {
        let Some(purpose) = purpose_of(&text[quote + 1..]) else {
            let message = "expected the purpose, one quoted sentence, at the end of the rule";
            return Err(Error::new(ErrorKind::Rule, quote..quote + 1, message)
                .hint("end the rule with a line: \"one sentence.\""));
        };
        rule.purpose = purpose;
    }
    Ok(rule)
}

/// Parses a text that is one rule without name and purpose.
fn whole(statement: &str, sorts: &Sorts) -> Result<Rule, Error> {
    let mut tokens = Tokens::new(statement);
    let rule = parse::body(&mut tokens, sorts)?;
    match tokens.token() {
        Token::End => Ok(rule),
        _ => {
            let parts = parse::expected_parts();
            Err(tokens.unexpected(&format!("{parts} or the end of the rule")))
        }
    }
}

/// Declares the names of an unindented line, which begin at `offset`.
fn declare(sorts: &mut Sorts, names: &str, offset: usize, sort: Sort) -> Result<(), Error> {
    let shift = |error: Error| error.shifted(offset);
    let mut tokens = Tokens::new(names);
    for (name, span) in parse::names(&mut tokens).map_err(shift)? {
        sorts.declare(name, span.start + offset..span.end + offset, sort)?;
    }
    match tokens.token() {
        Token::End => Ok(()),
        _ => Err(shift(tokens.unexpected("a name or the end of the line"))),
    }
}

/// An unindented line and the indented lines below it.
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

/// Returns the start of the purpose of a rule: the first quote outside comments.
fn quote_of(text: &str) -> Option<usize> {
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        let content = line.split('#').next().unwrap_or("");
        if let Some(position) = content.find('"') {
            return Some(offset + position);
        }
        offset += line.len();
    }
    None
}

/// Returns the sentence before the closing `"`, on one line.
fn purpose_of(text: &str) -> Option<String> {
    let sentence = text.trim_end().strip_suffix('"')?.trim();
    let words: Vec<&str> = sentence.split_whitespace().collect();
    (!words.is_empty() && !sentence.contains('"')).then(|| words.join(" "))
}

/// Checks that a name consists of lower-case words joined by `-`.
fn check_name(name: &str) -> Result<(), Error> {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    match name.split('-').all(|word| !word.is_empty() && word.chars().all(plain)) {
        true => Ok(()),
        false => {
            let message = format!("invalid rule name '{name}'");
            Err(Error::new(ErrorKind::Rule, 0..name.len(), message)
                .hint("use lower-case words joined by '-'"))
        }
    }
}
