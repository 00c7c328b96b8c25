//! Reads rule files.
//!
//! ```text
//! file  := {sorts | rule}
//! sorts := ('constant' | 'expression') name {name}       one line; for the rules below it
//! rule  := name ':' body '"' purpose '"'                 the name at the margin, the rest indented
//! ```
//!
//! The body is that of the sibling `parse`. Terms are those of index maps, with products and divisors
//! of any terms, and `lo(x)`, `hi(x)` in `let`. `#` starts a comment.
//! Errors: [`ErrorKind::Rule`] and the kinds of the term parser.

use super::Rule;
use super::check;
use super::parse;
use super::terms::{Sort, Sorts, TermReader};
use crate::error::{Error, ErrorKind};
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
        let names = block.start + keyword.len() + 1;
        match keyword {
            "constant" => sorts.declare(rest, names, Sort::Constant)?,
            "expression" => sorts.declare(rest, names, Sort::Expression)?,
            _ => {
                let mut rule = named_rule(&block, &TermReader { sorts: &sorts })?;
                rule.file = file.to_owned();
                rule.line = text[..block.start].matches('\n').count() + 1;
                let name = block.start..block.start + rule.name.len();
                if let Some(first) = rules.iter().find(|other| other.name == rule.name) {
                    let message = format!(
                        "the rule '{}' is already defined in line {}",
                        rule.name, first.line
                    );
                    return Err(Error::new(ErrorKind::Rule, name, message)
                        .hint("give each rule a name of its own"));
                }
                check::rule(&rule, &name)?;
                rules.push(rule);
            }
        }
    }
    check::sorts(&sorts, &rules)?;
    Ok(rules)
}

/// Reads a single statement with its conditions and hints, `lhs = rhs where c >= 1`, in which every
/// name is an expression. Nothing is checked but its grammar: it is to be judged, not to be fired.
///
/// # Errors
/// One [`Error`] at its position in `text`.
pub fn read_statement(text: &str) -> Result<Rule, Error> {
    let sorts = Sorts::expressions();
    let mut tokens = Tokens::new(text);
    let rule = parse::body(&mut tokens, &TermReader { sorts: &sorts })?;
    if tokens.token() != Token::End {
        let parts = parse::expected_parts();
        return Err(tokens.unexpected(&format!("{parts} or the end of the statement")));
    }
    check::values(&rule)?;
    Ok(rule)
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

fn named_rule(block: &Block<'_>, reader: &TermReader<'_>) -> Result<Rule, Error> {
    let Some((name, _)) = block.head.split_once(':') else {
        return Err(Error::new(
            ErrorKind::Rule,
            block.start..block.start + block.head.len(),
            "expected 'name: equation'",
        )
        .hint("a rule starts at the margin: div-one: x floordiv 1 => x"));
    };
    let name_span = block.start..block.start + name.len();
    if !is_rule_name(name) {
        let message = format!("'{name}' is no name of a rule");
        return Err(Error::new(ErrorKind::Rule, name_span, message)
            .hint("use lower-case words joined by '-'"));
    }
    let after_name = block.start + name.len() + 1;
    let shift = |error: Error| error.shifted(after_name);
    let body = &block.text[name.len() + 1..];
    // The purpose is prose, so it is cut off before words are made of the rest.
    let (statement, purpose) = body.split_once('"').unwrap_or((body, ""));
    let mut tokens = Tokens::new(statement);
    let mut rule = parse::body(&mut tokens, reader).map_err(shift)?;
    if tokens.token() != Token::End {
        let parts = parse::expected_parts();
        return Err(shift(
            tokens.unexpected(&format!("{parts} or the quoted purpose")),
        ));
    }
    let Some(purpose) = purpose_of(purpose) else {
        let message = format!("the rule '{name}' does not say its purpose");
        return Err(Error::new(ErrorKind::Rule, name_span, message)
            .hint("end the rule with a line: \"one sentence.\""));
    };
    rule.name = name.to_owned();
    rule.purpose = purpose;
    Ok(rule)
}

/// The sentence before the closing `"`, on one line.
pub(super) fn purpose_of(text: &str) -> Option<String> {
    let sentence = text.trim_end().strip_suffix('"')?.trim();
    let words: Vec<&str> = sentence.split_whitespace().collect();
    (!words.is_empty()).then(|| words.join(" "))
}

/// Lower-case words joined by `-`.
pub(super) fn is_rule_name(name: &str) -> bool {
    name.split('-').all(|word| {
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
        !word.is_empty() && word.chars().all(plain)
    })
}
