//! Hints on the right input, for mistakes that come from other languages and other prompts.
//!
//! A hint depends on the input and on the error that it caused, and is true whatever was meant. If no better hint is known,
//! the error keeps the hint that it has.

use super::bare::is_hlo;
use super::failure::{Failure, Place};
use super::foreign::{element_type, is_question_alone};
use super::glossary::is_term;
use affinor::text::token::{Token, Tokens, excerpt};
use affinor::text::{Error, ErrorKind, is_name};
use affinor_hlo::opcode::Opcode;
use std::collections::BTreeSet;

/// Words of other programs, each with the command that does the same here.
const SYNONYMS: &[(&str, &str)] = &[
    ("?", "help"),
    ("apply", "eval"),
    ("bits", "fits"),
    ("bounds", "range"),
    ("bye", "quit"),
    ("canonicalize", "simplify"),
    ("check", "equal"),
    ("compare", "equal"),
    ("def", "let"),
    ("define", "let"),
    ("evaluate", "eval"),
    ("exit", "quit"),
    ("explain", "why"),
    ("h", "help"),
    ("import", "hlo"),
    ("load", "hlo"),
    ("man", "help"),
    ("normalize", "simplify"),
    ("open", "hlo"),
    ("plot", "draw"),
    ("print", "show"),
    ("q", "quit"),
    ("source", "run"),
    ("verify", "prove"),
];

/// Mathematical symbols, each with its spelling in ASCII.
const SIGNS: [(char, &str); 8] = [
    ('≤', "<="),
    ('≥', ">="),
    ('≠', "!="),
    ('×', "*"),
    ('·', "*"),
    ('÷', "floordiv"),
    ('≡', "x mod c = y"),
    ('⌊', "floor(x / c)"),
];

/// First words of a question in English.
const QUESTIONS: [&str; 25] = [
    "are", "can", "compute", "could", "did", "do", "does", "find", "for", "give", "has", "have",
    "how", "is", "should", "show", "where", "who", "why", "would", "tell", "what", "when", "which",
    "will",
];

/// Beginnings of words in a question, each with a line that asks such a question.
const EXAMPLES: &[(&str, &str)] = &[
    ("bank", "banks threadIdx.x * 33 --bytes 4"),
    ("coalesc", "coalesce threadIdx.x * 2"),
    ("sector", "coalesce threadIdx.x * 3"),
    ("conv", "output size of a conv with kernel 3 stride 2 padding 1 on 224"),
    ("pool", "output size of a pool with window 2 stride 2 on 28"),
    ("bitcast", "bitcast f32[8,16]{1,0} f32[16,8]{0,1}"),
    ("transpos", "op transpose f32[3,4] {1,0}"),
    ("reshap", "op reshape f32[4,8] -> f32[32]"),
    ("broadcast", "op broadcast f32[3] -> f32[4,3] dimensions={1}"),
    ("injectiv", "injective i * 8 + j for i in range(4) for j in range(8)"),
    ("collid", "injective i * 8 + j for i in range(4) for j in range(8)"),
    ("alias", "solve 2*i = 2*j + 1, i in [0, 9], j in [0, 9]"),
    ("unique", "injective i * 8 + j for i in range(4) for j in range(8)"),
    ("overflow", "fits pid * 1024 for pid in range(4096)"),
    ("fits", "fits pid * 1024 for pid in range(4096)"),
    ("inver", "inverse i * 8 + j for i in range(4) for j in range(8)"),
    ("stride", "strides i * 8 + j"),
    ("contiguous", "strides i * 8 + j"),
    ("offset", "layout f32[4,8]{0,1} --index 1,2"),
    ("address", "layout f32[4,8]{0,1} --index 1,2"),
    ("bytes", "layout f32[4,8]{0,1:T(8,128)}"),
    ("padding", "layout f32[4,8]{0,1:T(8,128)}"),
    ("layout", "layout f32[4,8]{0,1} --index 1,2"),
    ("solve", "points x where x * 3 % 10 == 7, 0 <= x < 10"),
    ("solution", "points x where x * 3 % 10 == 7, 0 <= x < 10"),
    ("maxim", "range i // 4 for i in range(9)"),
    ("minim", "range i // 4 for i in range(9)"),
    ("largest", "range i // 4 for i in range(9)"),
    ("smallest", "range i // 4 for i in range(9)"),
    ("distinct", "count i // 4 for i in range(9)"),
    (
        "compose",
        "compose (i) -> (i * 8), domain: i in [0, 7] ; (j) -> (j + 1), domain: j in [0, 63]",
    ),
    ("equivalent", "equal i // 2 // 3 ; i // 6"),
    ("simplif", "simplify (i * 4 + 3) // 4 for i in range(9)"),
];

/// Returns the hint with a line that asks a question like that of a line in other words.
pub fn example(line: &str) -> Option<String> {
    let (_, example) = EXAMPLES.iter().find(|(stem, _)| asks_about(line, stem))?;
    Some(format!("such a question is a line like `{example}`"))
}

/// Returns whether a failure says nothing about a line that is more than that it is not one: then a line in other words may be meant.
pub fn is_in_other_words(error: &Error, line: &str) -> bool {
    let line = line.trim();
    let first = line.split_whitespace().next().unwrap_or("").to_ascii_lowercase();
    let is_unknown = error.kind == ErrorKind::Name && error.message.starts_with("unknown command");
    let is_english =
        || line.split_whitespace().nth(1).is_some_and(|word| ["the", "me", "a"].contains(&word));
    let is_question = QUESTIONS.contains(&&*first) && (first != "show" || is_english());
    let is_question = is_question || line.ends_with('?');
    let is_other = matches!(error.kind, ErrorKind::Syntax | ErrorKind::Usage | ErrorKind::Name);
    let is_bare = error.kind == ErrorKind::Syntax && error.hint.is_none();
    // Without a place it is about the line that the text was translated to.
    let is_translated = error.span.as_ref().is_none_or(|span| span.len() >= line.len());
    is_unknown || is_bare || is_other && (is_question || is_translated)
}

/// Returns whether a line of several words has a word that begins so.
fn asks_about(line: &str, stem: &str) -> bool {
    let mut words = line.split(|c: char| !c.is_alphabetic());
    line.split_whitespace().nth(2).is_some()
        && words.any(|word| word.to_ascii_lowercase().starts_with(stem))
}

/// Returns the command that another program calls `word`.
pub fn synonym(word: &str) -> Option<&'static str> {
    let found = SYNONYMS.iter().find(|(other, _)| *other == word);
    found.map(|(_, name)| *name)
}

/// Returns the failure with a hint that fits the input; its span is in `text`.
pub fn advised(failure: Failure, text: &str) -> Failure {
    if matches!(failure.place, Place::Source(_)) {
        return failure;
    }
    match advice(&failure.error, text) {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}

/// Returns the hint that names a function written `f(x) = ..` as a map.
fn definition(text: &str) -> Option<String> {
    let text = text.trim_start();
    let text = text.strip_prefix("let ").unwrap_or(text);
    let (head, value) = text.split_once('=').filter(|(_, value)| !value.starts_with('='))?;
    let (name, names) = head.trim_end().strip_suffix(')')?.split_once('(')?;
    let is_head = is_name(name) && names.split(',').all(|name| is_name(name.trim()));
    let line = format!("{name} = lambda {names}: {}", value.trim());
    (is_head && line.len() <= 80).then(|| format!("a map is named by `{line}`"))
}

/// Returns the hint for HLO that is typed as a line.
pub fn hlo_hint() -> &'static str {
    "this is HLO: write it to a file for `hlo FILE`, or ask for one operation: `help op`"
}

fn advice(error: &Error, text: &str) -> Option<String> {
    let span = error.span.clone()?;
    let rest = text.get(span.start..)?;
    let before = text.get(..span.start)?;
    match error.kind {
        ErrorKind::Syntax => syntax(error, text, before, rest),
        ErrorKind::Name if error.message.starts_with("unknown map or command") => as_map(rest),
        ErrorKind::Name => definition(text),
        ErrorKind::Shape => shape(rest),
        ErrorKind::Usage => usage(text, (before, rest)),
        ErrorKind::File if text.starts_with("hlo ") && text.contains("->") => {
            usage(text, (before, rest))
        }
        ErrorKind::File if error.message.contains("no such file") && !rest.starts_with('/') => {
            Some("paths are relative to the directory in which the program was started".to_owned())
        }
        _ => None,
    }
}

fn syntax(error: &Error, text: &str, before: &str, rest: &str) -> Option<String> {
    let tokens = Tokens::new(rest);
    let (token, word) = (tokens.token(), tokens.word());
    let expects = |what: &str| error.message.contains(what);
    if let Some(path) = rest.split_whitespace().next().filter(|path| is_module(path)) {
        return Some(module_hint(path));
    }
    let in_domain = before.contains("domain:");
    if rest.trim_start_matches(|c: char| c.is_ascii_digit()).starts_with("..") {
        let hint = "the end of `0..8` is in or out, by language: write `[0, 8]`, or `[0, 7]`";
        return Some(hint.to_owned());
    }
    let bounds = "bounds are written `d0 in [0, 9]`; both ends are included";
    Some(match token {
        Token::End => {
            let (open, start) = innermost_bracket(before)?;
            let (above, line) = before
                .get(..start)?
                .rsplit_once('\n')
                .unwrap_or(("", before.get(..start)?));
            let place = match above.is_empty() {
                true => format!("column {}", line.chars().count() + 1),
                false => format!("line {} of the command", above.matches('\n').count() + 2),
            };
            let close = closing(open);
            format!("the `{open}` in {place} is not closed: is a `{close}` missing?")
        }
        Token::RightParen | Token::RightBracket | Token::RightBrace => {
            let (open, start) = innermost_bracket(before)?;
            if open == '[' && token == Token::RightParen && in_domain {
                return Some(half_open(before.get(start..)?));
            }
            format!("close the `{open}` with `{}`", closing(open))
        }
        Token::Slash if word == "//" && in_domain => {
            "`//` divides; a comment begins with `#`".to_owned()
        }
        Token::Less | Token::LessEqual | Token::Greater | Token::GreaterEqual | Token::Equal
            if expects("in [lo, hi]") =>
        {
            bounds.to_owned()
        }
        Token::Less if rest.starts_with("<<") => {
            "multiply by a power of two instead: `d0 << 2` is `d0 * 4`".to_owned()
        }
        Token::Greater if rest.starts_with(">>") => {
            "divide by a power of two instead: `d0 >> 2` is `d0 floordiv 4`".to_owned()
        }
        Token::Rubbish if rest.starts_with('&') => {
            "take a remainder instead: `d0 & 7` is `d0 mod 8`".to_owned()
        }
        Token::Rubbish if rest.starts_with('^') => {
            "index maps have no powers; code with an xor stands alone: `i * 8 + (j ^ (i & 7))`, bounds after it"
                .to_owned()
        }
        _ if expects("the end of the map") && rest.starts_with('=') => {
            "two maps are compared by `equal MAP ; MAP`".to_owned()
        }
        _ if is_dotted(rest) => "the end of `0..8` is in or out, by language: write `[0, 8]`, or `[0, 7]`".to_owned(),
        _ if expects("an interval `[lo, hi]`") => bounds.to_owned(),
        Token::Name if matches!(word, "div" | "rem" | "modulo") => match word {
            "div" => "write `floordiv`, which rounds down, or `ceildiv`".to_owned(),
            _ => "write `mod`, whose values lie in [0, divisor)".to_owned(),
        },
        Token::Arrow if text.trim_start().starts_with("prove") => {
            "a statement is `lhs = rhs`; to compare two maps, type `prove MAP ; MAP`".to_owned()
        }
        _ if expects("expected `,` or `)`, found") && !before.contains("->") => {
            let start = before.find('(')?;
            return as_map(text.get(start..)?);
        }
        _ => return None,
    })
}

/// Checks whether a text begins with `0..8` or `lo..hi`.
fn is_dotted(text: &str) -> bool {
    let end = text.trim_start_matches(|c: char| c.is_alphanumeric() || "_-".contains(c));
    end.len() < text.len() && end.starts_with("..")
}

/// Returns the hint for the path of a module.
pub fn module_hint(path: &str) -> String {
    format!(
        "`hlo {}` shows the reads of the instructions of a module; `draw`, `count`, `image`, `range`, `tile` and others take MODULE INSTRUCTION",
        excerpt(path)
    )
}

/// Checks whether a path has the extension of a module.
pub fn is_module(path: &str) -> bool {
    let ending = path.rsplit_once('.').map(|(_, ending)| ending);
    matches!(ending, Some("hlo" | "mlir"))
}

/// Returns the innermost bracket that is open at the end of `text`, with its offset.
fn innermost_bracket(text: &str) -> Option<(char, usize)> {
    let mut open = Vec::new();
    for (offset, letter) in text.char_indices() {
        match letter {
            '(' | '[' | '{' => open.push((letter, offset)),
            ')' | ']' | '}' => {
                open.pop();
            }
            _ => {}
        }
    }
    open.pop()
}

fn closing(open: char) -> char {
    match open {
        '(' => ')',
        '[' => ']',
        _ => '}',
    }
}

/// Returns the hint for a half-open interval: the closed interval equal to `text` followed by `)`.
fn half_open(text: &str) -> String {
    let numbers: Option<Vec<i64>> =
        text.trim_start_matches('[').split(',').map(|number| number.trim().parse().ok()).collect();
    match numbers.as_deref() {
        Some([lo, hi]) if lo < hi => {
            let last = hi.saturating_sub(1);
            format!("both ends are included: `[{lo}, {hi})` is `[{lo}, {last}]`")
        }
        _ => "close the `[` with `]`; both ends are included".to_owned(),
    }
}

/// Returns the hint with the map whose result is the expression at the start of `text`.
fn as_map(text: &str) -> Option<String> {
    if text.contains("->") {
        return None; // it already has an arrow
    }
    let end = text.find([';', '\n', '=', '<', '>']).unwrap_or(text.len());
    let end = text.find(" --").map_or(end, |option| option.min(end));
    let expression = text.get(..end)?.trim();
    let mut names = BTreeSet::new();
    let mut has_operation = false;
    let mut tokens = Tokens::new(expression);
    while tokens.token() != Token::End {
        match tokens.token() {
            Token::Name => {
                names.insert(tokens.word());
            }
            Token::Plus | Token::Minus | Token::Star | Token::Slash | Token::Percent => {
                has_operation = true;
            }
            Token::FloorDiv | Token::CeilDiv | Token::Mod => has_operation = true,
            Token::Integer | Token::LeftParen | Token::RightParen => {}
            Token::Min | Token::Max | Token::Comma => {}
            _ => return None, // not a plain expression
        }
        tokens.advance();
    }
    let is_short = (1..=4).contains(&names.len()) && expression.len() <= 60;
    if !has_operation || !is_short {
        return None;
    }
    let variables: Vec<&str> = names.into_iter().collect();
    let bounds: Vec<String> = variables.iter().map(|name| format!("{name} in [0, 9]")).collect();
    let variables = variables.join(", ");
    let bounds = bounds.join(", ");
    Some(format!(
        "an expression needs its variables and their bounds: `({variables}) -> ({expression}), domain: {bounds}`"
    ))
}

fn shape(rest: &str) -> Option<String> {
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
    let word = rest.get(..end)?;
    if let Some(name) = element_type(word) {
        return Some(format!("write `{name}` for `{word}`, as in `{name}[4,8]`"));
    }
    let sizes: Vec<&str> = word.split('x').collect();
    let is_number =
        |size: &&str| !size.is_empty() && size.bytes().all(|byte| byte.is_ascii_digit());
    (sizes.len() > 1 && sizes.iter().all(is_number))
        .then(|| format!("write `f32[{}]`", sizes.join(",")))
}

fn usage(text: &str, (before, rest): (&str, &str)) -> Option<String> {
    let first = text.split_whitespace().next().unwrap_or("");
    match first {
        "hlo" if text.contains("->") => Some(
            "`hlo` reads a file; of a map, `show`, `simplify` and others can be asked".to_owned(),
        ),
        "layout" => {
            let kind = before.split_whitespace().next_back().unwrap_or("");
            let both = format!("{kind} {rest}");
            let words: Vec<&str> = match kind == first {
                true => rest.split_whitespace().collect(),
                false => both.split_whitespace().collect(),
            };
            let [kind, sizes, ..] = words.as_slice() else {
                return None;
            };
            let is_sizes = sizes.bytes().all(|byte| byte.is_ascii_digit() || byte == b',');
            let is_kind = kind.bytes().all(|byte| byte.is_ascii_alphanumeric());
            (is_sizes && is_kind)
                .then(|| format!("sizes are written in brackets: `{kind}[{sizes}]`"))
        }
        _ => None,
    }
}

/// Returns the hint for a first word that is not a command, but a word of another program, HLO, a sign or a question.
pub fn unknown_word(line: &str, word: &str) -> Option<String> {
    if is_hlo(line) {
        return Some(hlo_hint().to_owned());
    }
    if synonym(word).is_none() && Opcode::LISTED.iter().any(|opcode| opcode.name() == word) {
        return Some(format!("`op {word} ..` asks about an operation of HLO"));
    }
    if let Some((sign, ascii)) = SIGNS.iter().find(|(sign, _)| line.contains(*sign)) {
        return Some(format!("write `{ascii}` for `{sign}`"));
    }
    if is_question_alone(line) {
        return Some("paste the code first, and ask this in the line after it".to_owned());
    }
    if QUESTIONS.contains(&word) && line.trim_start().contains(' ') {
        let mut words = line.split(|c: char| !c.is_alphabetic());
        let term = words.find(|word| word.len() > 2 && is_term(word));
        let term = || term.map(|word| format!("`help {word}` explains how to ask for this"));
        return example(line).or_else(term);
    }
    if word == "export" {
        let hint = "`emit MAP` writes a map as code, `rules export` the rules with their proofs";
        return Some(hint.to_owned());
    }
    let Some(name) = synonym(word) else {
        return is_term(word).then(|| format!("`help {word}` explains how to ask for this"));
    };
    Some(match name {
        "hlo" => "a module is read by `hlo FILE`, a script by `run FILE`".to_owned(),
        _ => format!("type `{name}`"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command;

    #[test]
    fn synonyms_are_commands_here() {
        for (word, name) in SYNONYMS {
            assert!(command(name).is_some() && command(word).is_none(), "{word}");
        }
    }

    #[test]
    fn examples_are_lines_of_commands() {
        for (stem, example) in EXAMPLES {
            let word = example.split(' ').next().unwrap_or("");
            let is_line = command(word).is_some() || word == "output";
            assert!(is_line && asks_about(&format!("how is {stem} done"), stem), "{stem}");
        }
        assert_eq!(example("how are banks"), example("a bank of this"));
        assert_eq!(example("bank it"), None);
    }

    #[test]
    fn an_expression_becomes_a_map() {
        assert_eq!(
            as_map("x floordiv 8 + y --explain").as_deref(),
            Some(
                "an expression needs its variables and their bounds: \
                  `(x, y) -> (x floordiv 8 + y), domain: x in [0, 9], y in [0, 9]`"
            )
        );
        assert_eq!(as_map("x"), None);
        assert_eq!(as_map("x mod {"), None);
    }
}
