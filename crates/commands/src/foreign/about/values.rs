//! Values in a question about code: bounds of names, ids and numbers of programs and threads, sizes.

use super::tokens::{Token, integers, parts, plain};
use crate::seen::Value;

const GRID: [&str; 18] = [
    "program",
    "programs",
    "block",
    "blocks",
    "workgroup",
    "workgroups",
    "work-group",
    "work-groups",
    "cta",
    "ctas",
    "threadgroup",
    "threadgroups",
    "instance",
    "instances",
    "team",
    "teams",
    "group",
    "groups",
];

const THREADS: [&str; 12] = [
    "thread",
    "threads",
    "lane",
    "lanes",
    "work-item",
    "work-items",
    "workitem",
    "workitems",
    "item",
    "items",
    "invocation",
    "invocations",
];

const ELEMENTS: [&str; 9] =
    ["element", "elements", "entries", "floats", "halves", "ints", "doubles", "numbers", "values"];

/// Words between a noun and its number: `block size of 256`, `program id 2`.
const LINKS: [&str; 9] = ["size", "sizes", "dim", "id", "ids", "number", "of", "is", "index"];

/// Words before a value.
const GIVING: [&str; 16] = [
    "if", "when", "with", "where", "for", "assuming", "given", "suppose", "provided", "and",
    "that", "the", "a", "an", "each", "at",
];

/// Returns whether a word names the programs of a grid, or its threads.
pub fn is_agent(word: &str) -> bool {
    is_grid(word) || is_thread(word)
}

pub fn is_grid(word: &str) -> bool {
    GRID.contains(&word)
}

pub fn is_thread(word: &str) -> bool {
    THREADS.contains(&word)
}

/// Returns the value at the start of these parts, perhaps after words that give it, and how many they are. `is_free` tells which
/// words are no English.
pub fn value(given: &[Token], is_free: &dyn Fn(&str) -> bool) -> Option<(Value, usize)> {
    let is_giving = |token: &&Token| GIVING.contains(&token.word());
    let words = given.iter().take_while(is_giving).count();
    // A giving word may also be a name.
    let alone = |from: usize| {
        let (value, length) = value_alone(&given[from..], is_free)?;
        Some((value, from + length))
    };
    alone(0).or_else(|| alone(words))
}

fn value_alone(given: &[Token], is_free: &dyn Fn(&str) -> bool) -> Option<(Value, usize)> {
    if let Some(Token::Launch(grid, block)) = given.first() {
        return Some((Value::Launch(grid.clone(), block.clone()), 1));
    }
    counted(given)
        .or_else(|| of_array(given, is_free))
        .or_else(|| named(given, is_free))
        .or_else(|| linked(given))
        .or_else(|| bound(given, is_free))
}

/// Reads `4 blocks`, `256 threads`, `1000 elements`, `by 4`.
fn counted(given: &[Token]) -> Option<(Value, usize)> {
    let (first, second) = (given.first()?, given.get(1)?);
    if first.word() == "by"
        && let Token::Number(lanes) = second
        && given.get(2).is_none_or(|next| !is_agent(next.word()))
    {
        return Some((Value::Lanes(*lanes), 2));
    }
    let numbers = first.numbers().filter(|_| !matches!(first, Token::Tuple(_)))?;
    // `4 thread blocks`, `4 work groups`
    let (noun, length) = match (second.word(), given.get(2).map_or("", Token::word)) {
        ("thread" | "work", noun) if is_grid(noun) => (noun, 3),
        ("work", noun) if is_thread(noun) => (noun, 3),
        (noun, _) => (noun, 2),
    };
    // `8 blocks of 128`
    let inner = given.get(length + 1).and_then(Token::numbers);
    let is_next = |word: &str| given.get(length).is_some_and(|token| token.word() == word);
    let is_noun = |token: &Token| is_agent(token.word()) || ELEMENTS.contains(&token.word());
    if let Some(threads) = inner.filter(|_| is_grid(noun) && is_next("of"))
        && !given.get(length + 2).is_some_and(is_noun)
    {
        return Some((Value::Launch(numbers, threads), length + 2));
    }
    let names = || numbers.iter().map(i64::to_string).collect();
    // `a 32x8 block` is one block of so many threads.
    let is_one = matches!(noun, "block" | "workgroup" | "work-group" | "threadgroup");
    let value = match () {
        () if is_one && numbers.iter().any(|number| *number > 1) => Value::Threads(numbers),
        () if is_grid(noun) => Value::Programs(numbers),
        () if is_thread(noun) => Value::Threads(numbers),
        () if matches!(noun, "byte" | "bytes") => Value::Bytes(*numbers.first()?),
        () if matches!(noun, "bit" | "bits") && numbers.first()? % 8 == 0 => {
            Value::Bytes(numbers.first()? / 8)
        }
        () if ELEMENTS.contains(&noun) => Value::Sizes(names()),
        () if matches!(noun, "array" | "matrix" | "buffer" | "tensor") => Value::Sizes(names()),
        () => return None,
    };
    Some((value, length))
}

/// Reads `y has 1000 elements` and `y has n elements`.
fn of_array(given: &[Token], is_free: &dyn Fn(&str) -> bool) -> Option<(Value, usize)> {
    const OTHERS: [&str; 8] = ["it", "this", "each", "array", "buffer", "which", "one", "that"];
    let (Token::Word(name, lower), verb) = (given.first()?, given.get(1)?.word()) else {
        return None;
    };
    let sizes: Vec<String> = match (given.get(2)?, given.get(2)?.numbers()) {
        (Token::Word(size, _), _) if is_free(size) => vec![size.clone()],
        (_, numbers) => numbers?.iter().map(i64::to_string).collect(),
    };
    let noun = given.get(3)?.word();
    let is_one = matches!(verb, "has" | "holds" | "contains") && ELEMENTS.contains(&noun);
    is_one.then(|| match OTHERS.contains(&lower.as_str()) {
        true => (Value::Sizes(sizes), 4),
        false => (Value::Of(plain(name).to_owned(), sizes), 4),
    })
}

/// Reads `n elements`.
fn named(given: &[Token], is_free: &dyn Fn(&str) -> bool) -> Option<(Value, usize)> {
    let (Token::Word(name, _), noun) = (given.first()?, given.get(1)?.word()) else { return None };
    let is_size = is_free(name) && name != "a" && !name.contains('-');
    (is_size && ELEMENTS.contains(&noun)).then(|| (Value::Sizes(vec![name.clone()]), 2))
}

/// Reads `program (2, 3)`, `block size 256`, `grid of (4, 2)`, `an array of size 1000`, `n elements`.
fn linked(given: &[Token]) -> Option<(Value, usize)> {
    let noun = match given.first()? {
        // `program(2, 3)`
        Token::Element(noun, index) if is_grid(noun) || noun == "grid" => {
            let ids = integers(index.trim_matches(['(', ')', '[', ']']))?;
            return Some((
                if noun == "grid" { Value::Programs(ids) } else { Value::Program(ids) },
                1,
            ));
        }
        first => first.word(),
    };
    // `threads per block = 256`
    let is_each = given.get(1)?.word() == "per" && is_grid(given.get(2)?.word());
    let first = if is_each && is_thread(noun) { 3 } else { 1 };
    let links = given[first..]
        .iter()
        .take_while(|token| LINKS.contains(&token.word()) || **token == Token::Sign("="));
    let links: Vec<&str> = links.map(Token::word).collect();
    let end = first + links.len();
    let numbers = given.get(end)?.numbers()?;
    let has_size = links.iter().any(|word| matches!(*word, "size" | "sizes" | "dim"));
    let is_one = links.iter().all(|word| matches!(*word, "id" | "number" | "index"));
    // `BLOCK = 64` is a name.
    let is_plain = matches!(&given[0], Token::Word(word, lower) if word == lower);
    let is_size = !links.is_empty()
        && links.iter().all(|word| matches!(*word, "of" | "is") || word.is_empty() && is_plain);
    // `block 4 threads` and `element 4 x` are other questions.
    let is_counted = given
        .get(end + 1)
        .is_some_and(|next| is_agent(next.word()) || ELEMENTS.contains(&next.word()));
    let names = || numbers.iter().map(i64::to_string).collect();
    let value = match noun {
        _ if is_counted => return None,
        "grid" => Value::Programs(numbers),
        "blocksize" | "blockdim" | "workgroupsize" => Value::Threads(numbers),
        "griddim" => Value::Programs(numbers),
        "size" | "length" | "shape" | "sizes" => Value::Sizes(names()),
        _ if is_grid(noun) && has_size => Value::Threads(numbers),
        "global" if has_size => Value::Global(numbers),
        "local" if has_size => Value::Threads(numbers),
        "block" | "workgroup" | "work-group" | "threadgroup" if is_size => Value::Threads(numbers),
        _ if is_thread(noun) && (first > 1 || noun.ends_with('s') && !is_one) => {
            Value::Threads(numbers)
        }
        _ if is_grid(noun) && is_one => Value::Program(numbers),
        _ if is_thread(noun) && is_one => Value::Thread(numbers),
        _ => return None,
    };
    Some((value, end + 1))
}

/// Reads the bounds of a name.
fn bound(given: &[Token], is_free: &dyn Fn(&str) -> bool) -> Option<(Value, usize)> {
    // `iteration i = 3`
    if let [Token::Word(_, word), rest @ ..] = given
        && word == "iteration"
        && matches!(rest, [Token::Word(..), Token::Sign(_), ..])
    {
        return bound(rest, is_free).map(|(value, length)| (value, length + 1));
    }
    let name = |at: usize| match given.get(at)? {
        Token::Word(name, _) if is_free(name) => Some(plain(name).to_owned()),
        _ => None,
    };
    let number = |at: usize| match given.get(at)? {
        Token::Number(number) => Some(*number),
        _ => None,
    };
    let sign = |at: usize| match given.get(at)? {
        Token::Sign(sign) => Some(*sign),
        Token::Word(_, word) if word == "equals" || word == "is" => Some("="),
        _ => None,
    };
    // `0 <= i < 8`
    if let (Some(lo), Some(first @ ("<" | "<=")), Some(name)) = (number(0), sign(1), name(2)) {
        let lo = lo + i64::from(first == "<");
        return Some(match (sign(3), number(4)) {
            (Some("<"), Some(hi)) => (Value::Bound(name, Some(lo), Some(hi - 1)), 5),
            (Some("<="), Some(hi)) => (Value::Bound(name, Some(lo), Some(hi)), 5),
            _ => (Value::Bound(name, Some(lo), None), 3),
        });
    }
    // `row in 0..63` is no English.
    let is_range = matches!(given.get(2), Some(Token::Range(..)))
        && matches!(given[1], Token::Sign("=") | Token::Word(..))
        && given[1].word() != "from";
    let name = match given.first()? {
        Token::Word(own, _) if is_range => plain(own).to_owned(),
        _ => name(0)?,
    };
    if let (Some(sign), Some(number)) = (sign(1), number(2)) {
        let (lo, hi) = match sign {
            "=" | "==" => (Some(number), Some(number)),
            // A counter is not negative.
            "<" => (Some(0), Some(number - 1)),
            "<=" => (Some(0), Some(number)),
            ">" => (Some(number + 1), None),
            ">=" => (Some(number), None),
            _ => return None,
        };
        return Some((Value::Bound(name, lo, hi), 3));
    }
    let words: Vec<&str> = given.iter().take(6).map(Token::word).collect();
    let (lo, hi, end) = match (words.get(1..)?, given) {
        (["in", ..], [_, _, Token::Range(lo, hi), ..])
        | (_, [_, Token::Sign("="), Token::Range(lo, hi), ..]) => (*lo, *hi, 3),
        (["in", ..], [_, _, Token::Tuple(ends), ..]) if ends.len() == 2 => (ends[0], ends[1], 3),
        (["in", ..], [_, _, Token::Element(word, index), ..]) if word == "range" => {
            let ends: Option<Vec<i64>> =
                parts(index).iter().map(|part| part.parse().ok()).collect();
            match ends?[..] {
                [hi] => (0, hi - 1, 3),
                [lo, hi] => (lo, hi - 1, 3),
                _ => return None,
            }
        }
        (["from", _, "to" | "through", ..] | ["between", _, "and", ..], _) => {
            (number(2)?, number(4)?, 5)
        }
        (["from", ..], [_, _, Token::Range(lo, hi), ..]) => (*lo, *hi, 3),
        _ => return None,
    };
    Some((Value::Bound(name, Some(lo), Some(hi)), end))
}
