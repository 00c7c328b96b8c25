//! Ranges in a dictionary, as Inductor prints them: `49*d0 + d1, var_ranges = {d0: 8, d1: 49}`, and those of Rust and Swift.
//!
//! Law: a name with size `n` ranges over `range(n)`; `0..=7` includes its end, `0..<8` does not, and `0..7` does, with a note.

use super::array::closing;
use super::numbers::only_call;
use crate::token::listed;
use affinor::text::is_name;

/// Words before the dictionary; longer ones come first.
const WORDS: [&str; 9] =
    ["var_ranges", "iter_ranges", "ranges", "sizes", "bounds", "with", "where", "for", "domain"];

/// Returns the text with its bounds as code has them.
pub fn line(text: &str) -> Option<String> {
    dotted(text)
        .or_else(|| chained(text))
        .or_else(|| of_dictionary(text))
        .or_else(|| of_grid(text))
        .or_else(|| from_to(text))
        .or_else(|| loops(text))
        .or_else(|| of_block(text))
}

/// Returns the text with `0 <= j <= i < 5` as `0 <= i < 5, 0 <= j <= i`: each name between has the first end.
fn chained(text: &str) -> Option<String> {
    let words = [" for ", " where ", " with ", ", "];
    let mut places =
        words.iter().flat_map(|word| text.match_indices(word).map(move |(at, _)| at + word.len()));
    places.find_map(|start| {
        let rest = &text[start..];
        let end = [",", ";", " for ", " and ", " --", "?"];
        let end = end.iter().filter_map(|sign| rest.find(sign)).min().unwrap_or(rest.len());
        let (chain, behind) = rest.split_at(end);
        let chain = chain.replace("<=", "≤");
        let parts: Vec<&str> = chain.split(['≤', '<']).map(str::trim).collect();
        let signs: Vec<char> = chain.chars().filter(|c| matches!(c, '≤' | '<')).collect();
        let (lo, names) = parts.split_first()?;
        let (hi, names) = names.split_last()?;
        // By its usual names, an end is a size.
        let is_size = |name: &&&str| {
            matches!(**name, "n" | "m" | "size" | "len" | "length")
                || name.starts_with(|c: char| c.is_uppercase())
        };
        let are_names = names.len() > 1
            && names.iter().all(|name| is_name(name))
            && !names.iter().any(|name| is_size(&name));
        if !are_names || is_name(lo) || lo.is_empty() || hi.is_empty() {
            return None;
        }
        let spelled = |sign: char| if sign == '≤' { "<=" } else { "<" };
        let bound = |at: usize| {
            let is_strict = signs[..=at].contains(&'<');
            let next = names.get(at + 1).unwrap_or(hi);
            let first = if is_strict { "<" } else { "<=" };
            format!("{lo} {first} {} {} {next}", names[at], spelled(signs[at + 1]))
        };
        let bounds: Vec<String> = (0..names.len()).rev().map(bound).collect();
        Some(format!("{}{}{behind}", &text[..start], bounds.join(", ")))
    })
}

/// Returns the text with `blockDim = (8, 8, 4)` as an equation for each dimension.
fn of_block(text: &str) -> Option<String> {
    let (name, start) = ["blockDim", "gridDim"].iter().find_map(|name| {
        text.match_indices(name).find_map(|(at, _)| {
            let sizes = text[at + name.len()..].trim_start().strip_prefix('=')?.trim_start();
            let sizes = sizes.strip_prefix("dim3").unwrap_or(sizes);
            sizes.starts_with('(').then_some((*name, at))
        })
    })?;
    let open = start + text[start..].find('(')?;
    let close = open + closing(&text[open..])?;
    let sizes = listed(&text[open + 1..close]).into_iter().zip(["x", "y", "z"]);
    let sizes: Vec<String> = sizes.map(|(size, axis)| format!("{name}.{axis} = {size}")).collect();
    Some(format!("{}{}{}", &text[..start], sizes.join(", "), &text[close + 1..]))
}

/// Returns the text with `i from 0 to 7` and `i between 0 and 7`, which have both ends in English, as intervals.
pub fn from_to(text: &str) -> Option<String> {
    let mut words: Vec<String> = text.split(' ').map(str::to_owned).collect();
    let mut at = 1;
    let mut is_found = false;
    while at + 3 < words.len() {
        let is_spelled = matches!(
            (words[at].as_str(), words[at + 2].as_str()),
            ("from", "to" | "through") | ("between", "and")
        );
        let hi = words[at + 3].trim_end_matches([',', '?']).to_owned();
        let is_end = |word: &str| word.parse::<i64>().is_ok() || is_name(word);
        let is_bound = words[at + 1].parse::<i64>().is_ok() && is_end(&hi);
        // `x is between 0 and 7`
        let is_verb = is_spelled && words[at - 1] == "is" && at > 1;
        let name = at - 1 - usize::from(is_verb);
        // A bound follows another word or a comma: `reshape from 3 to 4` is none.
        let is_behind = name > 0 && {
            let before = words[name - 1].as_str();
            before.ends_with(',')
                || matches!(
                    before,
                    "for"
                        | "where"
                        | "with"
                        | "and"
                        | "if"
                        | "when"
                        | "given"
                        | "all"
                        | "of"
                        | "every"
                        | "each"
                )
        };
        if is_spelled && is_bound && is_behind && is_name(&words[name]) {
            let behind = &words[at + 3][hi.len()..];
            let interval = format!("in [{}, {hi}]{behind}", words[at + 1]);
            words.splice(name + 1..at + 4, [interval]);
            is_found = true;
        }
        at += 1;
    }
    is_found.then(|| words.join(" "))
}

/// Returns the text with `for i in range(3) and j in [0, 7]` as two loops; after `where`, a comma joins.
pub fn loops(text: &str) -> Option<String> {
    let words = [" for ", " where ", " with "];
    let at = words.iter().filter_map(|word| Some((text.find(word)?, *word))).min()?;
    let (value, bounds) = (&text[..at.0], &text[at.0 + at.1.len()..]);
    let joint = if at.1 == " for " { " for " } else { ", " };
    let mut parts = bounds.split(" and ");
    let mut made = parts.next()?.to_owned();
    let mut is_found = false;
    for part in parts {
        let is_loop = part.split_once(" in ").is_some_and(|(name, values)| {
            is_name(name) && values.starts_with(['[', 'r']) && made.contains(" in ")
        });
        is_found |= is_loop;
        made = match is_loop {
            true => format!("{}{joint}{part}", made.trim_end_matches(',')),
            false => format!("{made} and {part}"),
        };
    }
    is_found.then(|| format!("{value}{}{made}", at.1))
}

/// Returns `T.grid(8, 16)` with names for its loops.
fn of_grid(text: &str) -> Option<String> {
    let text = text.trim().trim_end_matches([':', ';']);
    let (_, sizes) = only_call(text).filter(|(name, _)| matches!(*name, "T.grid" | "tir.grid"))?;
    let names = ["i", "j", "k", "l", "m", "n"].get(..listed(sizes).len())?;
    Some(format!("for {} in T.grid({sizes})", names.join(", ")))
}

/// Returns the text with `in 0..=7`, of Rust, and `in 0..<8`, of Swift, as intervals; so are `0..7` and `0...7`, which have their
/// ends here as all intervals do, and `0:8`, which as a slice excludes it.
pub fn dotted(text: &str) -> Option<String> {
    let (mut line, mut rest, mut is_found) = (String::new(), text, false);
    while let Some(at) = rest.find("..").into_iter().chain(sliced(rest)).min() {
        let before = &rest[..at];
        let dots = rest[at..].find(|c: char| c != '.').unwrap_or(rest.len() - at).max(1);
        let (sign, close) = match rest[at + dots..].chars().next() {
            Some('=') if dots == 2 => (1, ']'),
            Some('<') if dots == 2 => (1, ')'),
            _ => (0, if dots == 1 { ')' } else { ']' }),
        };
        let behind = &rest[at + dots + sign..];
        let word = [" in ", "∈"].into_iter().filter_map(|word| Some((before.rfind(word)?, word)));
        let Some((place, word)) = word.max() else {
            // An interval in the words of a question: `cover 0..29`.
            line += &rest[..at + dots + sign];
            rest = behind;
            continue;
        };
        is_found = true;
        let first = &before[place + word.len()..];
        let ends = [" for ", " and ", " if ", " where ", " with ", " => ", " --"].into_iter();
        let ends = ends.filter_map(|word| behind.find(word));
        let end = ends.chain(behind.find([',', ';', ':', '\n', '?'])).min().unwrap_or(behind.len());
        let last = behind[..end].trim();
        let is_open = first.contains([',', '[', ';']) || first.trim().is_empty();
        // Without a sign the end is a number, a name, or without blanks.
        let is_end = sign > 0
            || last.starts_with(|c: char| c.is_alphanumeric() || "_-(".contains(c))
                && !last.contains(' ');
        if is_open || last.is_empty() || !is_end || dots > 3 {
            return None;
        }
        line += &before[..place];
        line += &format!(" in [{}, {last}{close}", first.trim());
        rest = &behind[end..];
    }
    is_found.then(|| line + rest)
}

/// Returns the position of the colon of the first `in 0:8`.
fn sliced(text: &str) -> Option<usize> {
    text.match_indices(':').map(|(at, _)| at).find(|at| {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let (before, behind) = (&text[..*at], &text[at + 1..]);
        let start = before.trim_end_matches(is_part);
        let end = behind.trim_start_matches(is_part);
        start.ends_with(" in ")
            && start.len() < before.len()
            && before[start.len()..].starts_with(|c: char| c.is_ascii_digit())
            && end.len() < behind.len()
            && (end.is_empty() || end.starts_with([' ', ',', '?', ';']))
    })
}

/// Returns the note on the ends of ranges whose languages differ about them.
pub fn note(text: &str) -> Option<String> {
    dotted(text)?;
    let dots = text.match_indices("..").map(|(at, _)| at).find(|at| {
        let rest = text[*at..].trim_start_matches('.');
        !rest.starts_with(['=', '<'])
    });
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    // The first range as it is written: its start, its sign, and its end.
    let written = |at: usize, sign: char| {
        let (before, behind) = (&text[..at], text[at..].trim_start_matches(sign));
        let start = &before[before.trim_end_matches(is_part).len()..];
        let end = &behind[..behind.find(|c| !is_part(c)).unwrap_or(behind.len())];
        let signs = &text[at..text.len() - behind.len()];
        (format!("{start}{signs}{end}"), start.to_owned(), end.to_owned())
    };
    if let Some(at) = dots {
        let (whole, lo, hi) = written(at, '.');
        return Some(format!(
            "`{whole}` is taken with its end, as `[{lo}, {hi}]`: without it write `{lo}..<{hi}`, or `range({lo}, {hi})`"
        ));
    }
    let (whole, lo, hi) = written(sliced(text)?, ':');
    Some(format!("`{whole}` is taken without its end, as a slice: with it write `[{lo}, {hi}]`"))
}

/// Returns the text with the sizes of a dictionary as bounds.
fn of_dictionary(text: &str) -> Option<String> {
    let (before, list) = text.trim().strip_suffix('}')?.rsplit_once('{')?;
    let sizes = listed(list).into_iter().map(|part| {
        let (name, size) = part.split_once(':')?;
        let (name, size) = (name.trim().trim_matches(['\'', '"']), size.trim());
        let is_size = !size.is_empty() && !size.contains([':', '=', '<', '>', '-']);
        (is_name(name) && is_size).then(|| format!("{name} in range({size})"))
    });
    let sizes: Vec<String> = sizes.collect::<Option<_>>()?;
    let before = before.trim_end().trim_end_matches(['=', ':']).trim_end();
    let word = WORDS.iter().find_map(|word| before.strip_suffix(word));
    let value = word.unwrap_or(before).trim_end();
    let value = value.strip_suffix([',', ';']).or(word.and(Some(value)))?.trim_end();
    let is_open = closing(&format!("({value})")) != Some(value.len() + 1);
    (!value.is_empty() && !sizes.is_empty() && !is_open && !value.contains(['{', '\n']))
        .then(|| format!("{value}, {}", sizes.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_bounds() {
        for (text, expected) in [
            (
                "index = 49*d0 + d1, var_ranges = {d0: 8, d1: 49}",
                Some("index = 49*d0 + d1, d0 in range(8), d1 in range(49)"),
            ),
            ("simplify x0 // 8, {x0: s0*8}", Some("simplify x0 // 8, x0 in range(s0*8)")),
            ("x0 // 8 with {'x0': 64}", Some("x0 // 8, x0 in range(64)")),
            ("f(x0), ranges={x0: 4}", Some("f(x0), x0 in range(4)")),
            ("x % 8 == x for x in 0..=7", Some("x % 8 == x for x in [0, 7]")),
            ("i * 4 + j, i in 0..<m, j in 0..=3", Some("i * 4 + j, i in [0, m), j in [0, 3]")),
            (
                "count x // 4 for x in 0..=2*n if x > 3",
                Some("count x // 4 for x in [0, 2*n] if x > 3"),
            ),
            (
                "i + j for i in range(3), and j in [0, 7]",
                Some("i + j for i in range(3) for j in [0, 7]"),
            ),
            (
                "count i, j where i in range(3) and j in [0, 7] and i < j",
                Some("count i, j where i in range(3), j in [0, 7] and i < j"),
            ),
            ("i < 3 for i in range(3) and j < 4", None),
            ("T.grid(8, 16)", Some("for i, j in T.grid(8, 16)")),
            ("i * 4 for i from 0 to 7", Some("i * 4 for i in [0, 7]")),
            (
                "i + j for i between 0 and 7, j from 1 to n",
                Some("i + j for i in [0, 7], j in [1, n]"),
            ),
            ("i // 4 == 0 where i is between 0 and 3", Some("i // 4 == 0 where i in [0, 3]")),
            (
                "threadIdx.x + blockDim.x * threadIdx.y with blockDim = (8, 4)",
                Some("threadIdx.x + blockDim.x * threadIdx.y with blockDim.x = 8, blockDim.y = 4"),
            ),
            ("reshape from 3 to 4", None),
            ("i from a to b", None),
            ("T.grid(8, 16) + 1", None),
            ("i * 4 for i in 0..7", Some("i * 4 for i in [0, 7]")),
            (
                "row + col for row in 0...7, col in 0..63?",
                Some("row + col for row in [0, 7], col in [0, 63]?"),
            ),
            (
                "range of i + j for 0 <= j <= i < 5, k in [0, 1]",
                Some("range of i + j for 0 <= i < 5, 0 <= j <= i, k in [0, 1]"),
            ),
            ("i where 0 <= j < i <= 5", Some("i where 0 < i <= 5, 0 <= j < i")),
            ("i where 0 <= i < n", None),
            ("count i for 0 <= i < n <= 64", None),
            ("i * 2 for i in 0:8, j in 0:n", Some("i * 2 for i in [0, 8), j in [0, n)")),
            ("i in 0..7 => i / 8 == 0", Some("i in [0, 7] => i / 8 == 0")),
            ("x in ..", None),
            ("reads a[0..8]", None),
            ("for i in 0: x", None),
            ("x in ..=8", None),
            ("0..=8", None),
            ("{ [i] : 2i = 5 }", None),
            ("{x0: 4}", None),
            ("f(x0, {x0: 4}", None),
            ("x0 {x0: 4}", None),
            ("x0, {x0: -4}", None),
            ("x0, {4: 4}", None),
        ] {
            assert_eq!(line(text).as_deref(), expected, "{text}");
        }
    }
}
