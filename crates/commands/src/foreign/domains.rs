//! Bounds after maps and grids, in the words of questions: `affine_map<(i, j) -> (i + j)> with i in [0, 9], j in range(3)`,
//! `lambda i, j: (j, i), grid=(8, 2)`.
//!
//! Law: the bounds of a map are its domain; a grid has a loop for each parameter of the lambda, or each program of Triton.

use super::array::closing;
use crate::bare::is_map;
use crate::implication::{conditions, split_at_words};
use crate::token::listed;
use affinor::text::{is_name, parse_map};

/// Words between a map and its bounds; longer ones come first.
const WORDS: [&str; 11] =
    ["domain:", "where ", "given ", "with ", "when ", "over ", "for ", "if ", "on ", "and ", ""];

/// Returns the text with its bounds as the domain of its map, or with the loops of its grid.
pub fn line(text: &str) -> Option<String> {
    let of_map = behind_map(text);
    let is_of_points = |line: &String| OF_POINTS.iter().any(|command| line.starts_with(command));
    let of_map = of_map.map(|line| match is_of_points(&line) {
        true => bounded_from_zero(&line, &[" where "]),
        false => line,
    });
    of_map
        .or_else(|| gridded(text))
        .or_else(|| of_sizes(text))
        .or_else(|| unbounded(text))
        .or_else(|| from_zero(text))
}

/// Words of maps that are operators.
const OPERATORS: [&str; 6] = ["ceildiv", "floordiv", "max", "min", "mod", "rem"];

/// Returns a command about a map without bounds as one about the function of code, whose variables are any integers.
fn unbounded(text: &str) -> Option<String> {
    let (start, end) = place(text)?;
    let command = text[..start].trim_end();
    let is_command = matches!(command, "inverse" | "injective" | "simplify" | "strides" | "range");
    let (names, results) = text[start..end].split_once("->")?;
    let names = names.trim().strip_prefix('(')?.strip_suffix(')')?;
    (is_command && binds(names, results) && text[end..].trim().is_empty())
        .then(|| format!("{command} lambda {names}: {}", results.trim()))
}

/// Returns whether a map binds all names of its results: any other one is a mistake, not a variable of code.
fn binds(names: &str, results: &str) -> bool {
    let bound: Vec<&str> = names.split(',').map(str::trim).collect();
    let mut used = crate::token::names(results);
    bound.iter().all(|name| is_name(name))
        && used.all(|name| bound.contains(&name) || OPERATORS.contains(&name))
}

/// Returns the text with the bounds after its map as the domain of the map.
pub fn behind_map(text: &str) -> Option<String> {
    let (start, end) = place(text)?;
    let (before, map, behind) = (&text[..start], &text[start..end], &text[end..]);
    let is_affine = map.starts_with("affine_map<");
    // In front are at most a command and words: another bracket has the map inside.
    if before.contains(|c: char| !(c.is_alphanumeric() || " _-,".contains(c))) {
        return None;
    }
    let plain = map.strip_prefix("affine_map<").and_then(|map| map.strip_suffix('>'));
    let plain = plain.unwrap_or(map);
    // An option, or the next argument, follows the bounds.
    let stop = [" --", " ; "].iter().filter_map(|sign| behind.find(sign)).min();
    let (bounds, rest) = behind.split_at(stop.unwrap_or(behind.len()));
    let bounds = bounds.trim_start().trim_start_matches(',').trim_start();
    let word = WORDS.iter().find(|word| bounds.starts_with(**word))?;
    let said = bounds[word.len()..].trim();
    let made = intervals(said).map(|list| format!("{plain}, domain: {}", list.join(", ")));
    let made = made.filter(|made| parse_map(made).is_ok());
    // Where bounds are missing, or are not intervals, the map is one of code.
    let Some(made) = made else {
        let (names, results) = plain.split_once("->").filter(|_| is_affine)?;
        let names = names.trim().strip_prefix('(')?.strip_suffix(')')?;
        let is_said = !matches!(*word, "" | "domain:") && are_bounds(said);
        let is_plain = is_said && binds(names, results);
        let word = if said.contains(['<', '>', '=']) { "where" } else { "for" };
        return is_plain
            .then(|| format!("{before}lambda {names}: {} {word} {said}{rest}", results.trim()));
    };
    // Other maps are read as code, with any bounds.
    let is_code = !is_affine && *word != "domain:" && !map.contains(['[', '{']);
    let as_written =
        format!("{plain}, domain: {}", bounds.strip_prefix("domain:").unwrap_or(bounds));
    let is_written = matches!(*word, "domain:" | "") && parse_map(&as_written).is_ok();
    let is_written = is_written && (is_affine || *word == "domain:");
    (is_map(map) && !is_code && !is_written).then(|| format!("{before}{made}{rest}"))
}

/// Returns the place of the first map of a text: the lists of its variables, the arrow and its results.
fn place(text: &str) -> Option<(usize, usize)> {
    let arrow = text.find("->")?;
    let open = arrow + 2 + text[arrow + 2..].find(|c: char| !c.is_whitespace())?;
    let close = open + closing(&text[open..]).filter(|_| text[open..].starts_with('('))? + 1;
    if let Some(start) = text[..arrow].find("affine_map<") {
        let is_whole = text[close..].starts_with('>');
        return is_whole.then_some((start, close + 1));
    }
    let is_list = |c: char| c.is_alphanumeric() || " _,()[]{}".contains(c);
    let start = text[..arrow].rfind(|c: char| !is_list(c)).map_or(0, |at| at + 1);
    let start = start + text[start..arrow].find('(')?;
    Some((start, close))
}

/// Returns whether each part of a list bounds or compares names.
fn are_bounds(text: &str) -> bool {
    let is_one = |part: &&str| {
        part.contains(['<', '>', '=']) || part.contains(" in [") || part.contains(" in range(")
    };
    let parts = conditions(text);
    parts.iter().all(is_one) && !text.contains("->") && !text.contains([':', '#'])
}

/// Returns bounds as intervals with both ends.
fn intervals(text: &str) -> Option<Vec<String>> {
    let text = text.replace(" and ", ", ").replace(" for ", ", ");
    let (mut made, mut names) = (Vec::new(), Vec::new());
    for part in conditions(text.trim().trim_end_matches(['?', '.', ','])) {
        let part = part.trim();
        if is_name(part) {
            names.push(part);
            continue;
        }
        let (name, lo, hi) = interval(part)?;
        names.push(name);
        made.extend(names.drain(..).map(|name| format!("{name} in [{lo}, {hi}]")));
    }
    (names.is_empty() && !made.is_empty()).then_some(made)
}

/// Returns the name and the ends of `i in [0, 9]`, `i in range(10)` and `0 <= i < 10`.
fn interval(text: &str) -> Option<(&str, i64, i64)> {
    if let Some((name, values)) = text.split_once(" in ") {
        let (name, values) = (name.trim(), values.trim());
        let number = |text: &str| text.trim().parse::<i64>().ok();
        let of_range = values.strip_prefix("range(").and_then(|rest| rest.strip_suffix(')'));
        let (lo, hi) = match of_range.map(listed).as_deref() {
            Some([end]) => (0, number(end)?.checked_sub(1)?),
            Some([start, end]) => (number(start)?, number(end)?.checked_sub(1)?),
            Some(_) => return None,
            None => {
                let open = usize::from(values.ends_with(')'));
                let inner = values.strip_prefix('[')?.strip_suffix([']', ')'])?;
                let (lo, hi) = inner.split_once(',')?;
                (number(lo)?, number(hi)?.checked_sub(i64::try_from(open).ok()?)?)
            }
        };
        return is_name(name).then_some((name, lo, hi));
    }
    let (lo, first, rest) = split_at_words(text, &["<=", "<"])?;
    let (name, second, hi) = split_at_words(rest, &["<=", "<"])?;
    let (lo, hi) = (lo.trim().parse::<i64>().ok()?, hi.trim().parse::<i64>().ok()?);
    let lo = if first == "<" { lo.checked_add(1)? } else { lo };
    let hi = if second == "<" { hi.checked_sub(1)? } else { hi };
    is_name(name.trim()).then_some((name.trim(), lo, hi))
}

/// Returns the text with `grid=(8, 2)` as loops over the parameters of its lambda, or over `pid`.
pub fn gridded(text: &str) -> Option<String> {
    let at = text.find("grid")?;
    let rest = text[at + "grid".len()..].trim_start();
    let rest = rest.strip_prefix(['=', ':']).unwrap_or(rest).trim_start();
    let close = closing(rest).filter(|_| rest.starts_with(['(', '[']))?;
    let sizes: Vec<&str> = listed(&rest[1..close]);
    let sizes: Vec<&str> = sizes.into_iter().filter(|size| !size.is_empty()).collect();
    let before = text[..at].trim_end();
    let value = ["with a", "with", "on a", "on", "over a", "over", "for a", "for", "and"]
        .iter()
        .find_map(|word| before.strip_suffix(word))
        .unwrap_or(before);
    let value = value.trim_end().trim_end_matches([',', ';']).trim_end();
    let names: Vec<&str> = match value.split_once("lambda ") {
        Some((_, rest)) => rest.split_once(':')?.0.split(',').map(str::trim).collect(),
        None => ["pid", "pid_x", "tl.program_id(0)"]
            .into_iter()
            .filter(|n| value.contains(n))
            .take(1)
            .collect(),
    };
    let is_end = rest[close + 1..].trim().is_empty();
    let are_sizes = sizes.len() == names.len() && sizes.iter().all(|s| s.parse::<u32>().is_ok());
    let loops = names.iter().zip(&sizes).map(|(name, size)| format!("{name} in range({size})"));
    let loops: Vec<String> = loops.collect();
    (is_end && are_sizes && !value.is_empty() && !text.contains('\n'))
        .then(|| format!("{value} for {}", loops.join(", ")))
}

/// Returns `inverse lambda i, j: .. for i in range(4), j in range(8)` for `inverse lambda i, j: .. for (4, 8)`.
fn of_sizes(text: &str) -> Option<String> {
    let (value, sizes) = text.trim_end_matches(['?', ';']).rsplit_once('(')?;
    let sizes = listed(sizes.trim_end().strip_suffix(')')?);
    let value = value.trim_end();
    let words =
        [" for", " over", " on", " shape", " of shape", " on shape", " with shape", " for shape"];
    let value = words.iter().rev().find_map(|word| value.strip_suffix(word))?;
    let (_, rest) = value.split_once("lambda ")?;
    let (names, body) = rest.split_once(':')?;
    let names: Vec<&str> = names.split(',').map(str::trim).collect();
    let are_sizes =
        sizes.len() == names.len() && sizes.iter().all(|size| size.parse::<u32>().is_ok());
    let loops = names.iter().zip(&sizes).map(|(name, size)| format!("{name} in range({size})"));
    let loops: Vec<String> = loops.collect();
    (are_sizes && !body.contains(" for "))
        .then(|| format!("{} for {}", value.trim_end_matches(','), loops.join(", ")))
}

/// Returns code with `0 <= i < 4` for a bound `i < 4`, where nothing else bounds `i` from below: indices count from 0.
pub fn counted_from_zero(text: &str) -> String {
    bounded_from_zero(text, &[" with ", " where ", " for ", " if "])
}

/// Commands about all points: a bound on one side leaves infinitely many of these.
const OF_POINTS: [&str; 8] =
    ["count", "fits", "image", "injective", "inverse", "points", "range", "tile"];

/// Returns a command with `for i < 4` or `with i < 4`, which bound an index, so that it begins at 0.
fn from_zero(text: &str) -> Option<String> {
    let command = text.split(' ').next()?;
    // The indices of Inductor count from 0.
    let is_inductor = text.contains("ModularIndexing(") || text.contains("FloorDiv(");
    let is_one = OF_POINTS.contains(&command) || is_inductor && !text.contains('\n');
    let is_one = is_one && !text.contains(" where ") && !text.contains("==");
    let (of, options) = text.split_at(text.find(" --").unwrap_or(text.len()));
    let made = is_one.then(|| bounded_from_zero(of, &[" with ", " for "]))?;
    (made != of).then(|| format!("{made}{options}"))
}

/// Returns the note that a bound on one side is one of an index.
pub fn note(text: &str, line: &str) -> Option<String> {
    let mut found = line.match_indices("0 <= ").filter_map(|(at, sign)| {
        let rest = &line[at + sign.len()..];
        let end = rest.find([',', ';', '\n']).unwrap_or(rest.len());
        let bound = rest[..end].split(" for ").next()?.split(" --").next()?.trim();
        // The bound may be the end of a chain, `0 <= j <= i < 4`.
        let has_lower = ["<=", "<"].iter().any(|sign| text.contains(&format!("{sign} {bound}")));
        let is_new = !has_lower && text.contains(bound);
        is_new.then_some(bound)
    });
    let bound = found.next()?;
    Some(format!("`{bound}` alone is taken as `0 <= {bound}`, as for an index"))
}

fn bounded_from_zero(text: &str, words: &[&'static str]) -> String {
    let found = words.iter().filter_map(|word| Some((text.find(word)?, *word))).min();
    // Behind a comma there may be another value.
    let of_comma = || {
        let mut commas = text.match_indices(", ").map(|(at, _)| at);
        let is_bound = |at: &usize| {
            let (before, rest) = (&text[..*at], &text[at + 2..]);
            let depth = |open: &[char], close: &[char]| {
                before.matches(open).count() != before.matches(close).count()
            };
            if depth(&['(', '[', '{'], &[')', ']', '}']) {
                return false;
            }
            rest.split_once('<').is_some_and(|(name, _)| is_name(name.trim()))
        };
        Some((commas.find(is_bound)?, ", "))
    };
    let Some((at, word)) = found.or_else(of_comma) else {
        return text.to_owned();
    };
    let (value, bounds) = text.split_at(at);
    let bounds = bounds[word.len()..].replace(" and ", ", ").replace(" && ", ", ");
    let parts: Vec<&str> = conditions(&bounds).into_iter().map(str::trim).collect();
    let is_upper = |part: &str| {
        let (name, end) = part.split_once('<').unwrap_or(("", ""));
        let end = end.trim_start_matches('=').trim();
        let is_end = is_name(end) || end.parse::<i64>().is_ok_and(|end| end > 0);
        part.matches('<').count() == 1 && is_end && is_name(name.trim())
    };
    let made: Vec<String> = parts
        .iter()
        .map(|part| {
            let name = part.split('<').next().unwrap_or("").trim();
            let others = parts.iter().filter(|other| *other != part);
            let has_lower = others.into_iter().any(|other| {
                other.contains(&format!("{name} >")) || other.contains(&format!("<= {name}"))
            });
            match is_upper(part) && !has_lower {
                true => format!("0 <= {part}"),
                false => (*part).to_owned(),
            }
        })
        .collect();
    match made.iter().zip(&parts).any(|(made, part)| made != part) {
        true => {
            format!("{value}{}{}", if word == ", " { " where " } else { word }, made.join(", "))
        }
        false => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_domains_and_loops() {
        for (text, expected) in [
            (
                "range affine_map<(i, j) -> (i * 2 + j)> with i in [0, 9], j in range(3)",
                Some("range (i, j) -> (i * 2 + j), domain: i in [0, 9], j in [0, 2]"),
            ),
            (
                "affine_map<(i) -> (i floordiv 2)> for 0 <= i < 8",
                Some("(i) -> (i floordiv 2), domain: i in [0, 7]"),
            ),
            (
                "injective (t, b)[u] -> (b * 8 + t * 4 + u), t, b in range(2) and u in [0, 3] --onto",
                Some(
                    "injective (t, b)[u] -> (b * 8 + t * 4 + u), domain: t in [0, 1], b in [0, 1], u in [0, 3] --onto",
                ),
            ),
            (
                "image (i)[s] -> (i + s), where 1 <= i <= 3, s in range(2)",
                Some("image (i)[s] -> (i + s), domain: i in [1, 3], s in [0, 1]"),
            ),
            ("(i) -> (i), domain: i in range(4)", Some("(i) -> (i), domain: i in [0, 3]")),
            ("(i) -> (i) for i in [0, 9]", None),
            (
                "pl.BlockSpec((128, 64), lambda i, j: (j, i)), grid=(8, 2)",
                Some(
                    "pl.BlockSpec((128, 64), lambda i, j: (j, i)) for i in range(8), j in range(2)",
                ),
            ),
            ("pid * 64 with grid (16,)", Some("pid * 64 for pid in range(16)")),
            // Bounds in the words of maps, too few bounds, other words.
            ("(i) -> (i), domain: i in [0, 9]", None),
            ("(i, j) -> (i + j), i in [0, 9]", None),
            ("(i) -> (i) for i in range(n)", None),
            ("memref<4x8xf32, affine_map<(d0, d1) -> (d1, d0)>>", None),
            ("affine_map<(d0) -> (d0)> where affine_set<(d0) : (d0 >= 0)>", None),
            ("rearrange(x, 'a b -> (a b)') with x of shape (2, 3)", None),
            ("lambda i: i, grid=(8, 2)", None),
            (
                "simplify affine_map<(d0, d1) -> (d0 * 32 + d1)> where 0 <= d1 < 32",
                Some("simplify lambda d0, d1: (d0 * 32 + d1) where 0 <= d1 < 32"),
            ),
            (
                "inverse (i, j) -> i*20 + j with i < 10, j < n",
                Some("inverse (i, j) -> i*20 + j with 0 <= i < 10, 0 <= j < n"),
            ),
            // The last bound is followed by an option.
            (
                "injective (i, j) -> (i*6 + j), i < 8, j < 6 --onto",
                Some("injective (i, j) -> (i*6 + j) where 0 <= i < 8, 0 <= j < 6 --onto"),
            ),
            ("simplify (i) -> (j)", None),
            ("inverse (c) -> (c // 4, c % 4)", Some("inverse lambda c: (c // 4, c % 4)")),
            ("simplify affine_map<(d0) -> (d1)> where 0 <= d0 < 4", None),
            ("range x * x for x < 0", None),
            ("range x * x where x < 5", None),
            ("range i for i in range(4)", None),
            ("grid = (8, 2)", None),
            ("inverse (c) -> (c // 4, c mod 4)", Some("inverse lambda c: (c // 4, c mod 4)")),
            ("inverse (c) -> (c), domain: c in [0, 9]", None),
        ] {
            assert_eq!(line(text).as_deref(), expected, "{text}");
        }
    }
}
