//! The words of a question about code: English, numbers, elements `a[i][3]`, tuples, ranges and signs.

use affinor::text::is_name;

/// A part of a question.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Token {
    /// A word, as written and in lower case.
    Word(String, String),
    Number(i64),
    /// Sizes `4x8`.
    Sizes(Vec<i64>),
    /// Numbers in brackets: `(2, 3)`, `[0, 7]`.
    Tuple(Vec<i64>),
    /// A name with brackets directly behind it: `a[i][3]`, `in(x, y)`, `range(4)`.
    Element(String, String),
    /// The closed interval of `0..7`, `0..=7` and `0..<8`.
    Range(i64, i64),
    /// The sizes of the grid and of the block of a launch, `<<<8, 128>>>`.
    Launch(Vec<i64>, Vec<i64>),
    Sign(&'static str),
}

impl Token {
    /// Returns the word in lower case; nothing for another part.
    pub fn word(&self) -> &str {
        match self {
            Token::Word(_, lower) => lower,
            _ => "",
        }
    }

    /// Returns the numbers of a number, a tuple or sizes.
    pub fn numbers(&self) -> Option<Vec<i64>> {
        match self {
            Token::Number(number) => Some(vec![*number]),
            Token::Sizes(numbers) | Token::Tuple(numbers) => Some(numbers.clone()),
            _ => None,
        }
    }
}

const SIGNS: [&str; 8] = ["<=", ">=", "==", "<", ">", "=", ",", ":"];

/// Splits a question into its parts; `None` if a part of it is none of these.
pub fn tokens(text: &str) -> Option<Vec<Token>> {
    let mut rest = text.trim().trim_end_matches(['?', '.', '!', ' ', ';']);
    let mut found = Vec::new();
    while !rest.is_empty() {
        rest = rest.trim_start_matches([' ', '`', '\'', '"', '\n', '\t']);
        let Some(first) = rest.chars().next() else { break };
        let (token, length) = match first {
            // A sentence ends where the next one begins.
            '.' | ';' => (Token::Sign(","), 1),
            '<' if rest.starts_with("<<<") => launch(rest)?,
            c if c.is_ascii_digit() || c == '-' => number(rest)?,
            c if c.is_alphabetic() || matches!(c, '_' | '%') => word(rest)?,
            '(' | '[' => {
                let end = closing(rest)?;
                let list = &rest[1..end];
                // `(pid_m, pid_n)` is a value of several names.
                let is_names =
                    || list.contains(',') && list.split(',').all(|name| is_name(name.trim()));
                let token = match integers(list) {
                    Some(numbers) => Token::Tuple(numbers),
                    None if first == '(' && is_names() => {
                        Token::Element(String::new(), rest[..=end].to_owned())
                    }
                    None => return None,
                };
                (token, end + 1)
            }
            _ => {
                let sign = SIGNS.into_iter().find(|sign| rest.starts_with(sign))?;
                (Token::Sign(sign), sign.len())
            }
        };
        // The name of a kernel before its launch.
        if matches!(token, Token::Launch(..)) && rest.len() < text.len() {
            let is_name = matches!(found.last(), Some(Token::Word(..)));
            let before = &text[..text.rfind(rest).unwrap_or(0)];
            if is_name && before.ends_with(|c: char| c.is_alphanumeric() || c == '_') {
                found.pop();
            }
        }
        let is_abbreviated = matches!(token.word(), "i.e" | "e.g");
        found.push(if is_abbreviated { Token::Sign(",") } else { token });
        rest = &rest[length..];
    }
    Some(found)
}

fn launch(rest: &str) -> Option<(Token, usize)> {
    let end = rest.find(">>>")?;
    let sizes = |part: &str| {
        let part = part.trim().trim_start_matches("dim3");
        integers(part.trim_matches(['(', ')', '{', '}']))
    };
    match crate::token::listed(&rest[3..end])[..] {
        [grid, block, ..] => {
            // Its arguments say nothing about the sizes.
            let behind = &rest[end + 3..];
            let arguments = if behind.starts_with('(') { closing(behind)? + 1 } else { 0 };
            Some((Token::Launch(sizes(grid)?, sizes(block)?), end + 3 + arguments))
        }
        _ => None,
    }
}

fn number(rest: &str) -> Option<(Token, usize)> {
    let digits = |text: &str| {
        let sign = usize::from(text.starts_with('-'));
        let end = text[sign..].find(|c: char| !c.is_ascii_digit());
        let length = end.map_or(text.len(), |end| end + sign);
        text[..length].parse::<i64>().ok().map(|number| (number, length))
    };
    let (first, length) = digits(rest)?;
    let behind = &rest[length..];
    if let Some(end) = behind.strip_prefix("..") {
        let (word, less) = match end {
            _ if end.starts_with('<') => (1, 1),
            _ if end.starts_with('=') => (1, 0),
            _ => (0, 0),
        };
        let (last, after) = digits(&end[word..])?;
        return Some((Token::Range(first, last - less), length + 2 + word + after));
    }
    let mut sizes = vec![first];
    let mut at = length;
    while let Some(next) = rest[at..].strip_prefix(['x', 'X']) {
        let Some((size, after)) = digits(next) else { break };
        sizes.push(size);
        at += 1 + after;
    }
    // `4-way`, `16-byte` are a number and a word; `2nd` is neither.
    let behind = &rest[at..];
    let is_end = behind.starts_with('-') || !behind.starts_with(|c: char| c.is_alphanumeric());
    let at = at + usize::from(behind.starts_with('-'));
    is_end.then_some(match sizes.len() {
        1 => (Token::Number(first), at),
        _ => (Token::Sizes(sizes), at),
    })
}

fn word(rest: &str) -> Option<(Token, usize)> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '%' | '#');
    let mut end = 0;
    loop {
        end += rest[end..].find(|c| !is_part(c)).unwrap_or(rest.len() - end);
        // `threadIdx.x` and `one-to-one` are single words; `what's` is one too.
        let goes_on = rest[end..].strip_prefix(['.', '-', '\'']);
        match goes_on.filter(|next| next.starts_with(|c: char| c.is_alphabetic())) {
            Some(_) => end += 1,
            None => break,
        }
    }
    let name = rest[..end].to_owned();
    let mut close = end;
    while rest[close..].starts_with(['[', '(']) {
        close += closing(&rest[close..])? + 1;
    }
    let lower = name.to_ascii_lowercase();
    if name == "dim3" && close > end {
        return Some((Token::Tuple(integers(&rest[end + 1..close - 1])?), close));
    }
    match close == end {
        true => Some((Token::Word(name, lower), end)),
        false => Some((Token::Element(name, rest[end..close].to_owned()), close)),
    }
}

/// Returns the position of the bracket that closes the first one.
fn closing(text: &str) -> Option<usize> {
    super::closing(text)
}

/// Returns a name without the sign of MLIR and HLO.
pub fn plain(name: &str) -> &str {
    name.trim_start_matches('%')
}

/// Returns the numbers of a list; `None` if another part is in it.
pub fn integers(list: &str) -> Option<Vec<i64>> {
    let list = list.trim().trim_end_matches(',');
    list.split(',').map(|part| part.trim().parse().ok()).collect()
}

/// Returns the parts of an index, `[i][3]` or `(x, 3)`.
pub fn parts(index: &str) -> Vec<String> {
    let inner = index.replace("][", ",");
    let inner = inner.get(1..inner.len() - 1).unwrap_or("");
    crate::token::listed(inner).into_iter().map(|part| part.trim().to_owned()).collect()
}
