//! Facts beside a value or a call, in other spellings: `.. with K = 1000, M = 3`, `rearrange(x, ..) x: (2, 32, 3)`,
//! `address of A[3][4] in a column-major 10x20 array of doubles`, `why P`.
//!
//! Law: the line says all that the text says. A name that equals a number is the number.

use super::array::closing;
use super::clauses::asks;
use super::declared::addressed;
use super::holes::shape;
use super::names::replaced;
use super::numbers::integers;
use crate::token::identifiers;
use affinor::text::is_name;
use affinor_emit::Language;

/// Returns the text with its facts as the commands take them.
pub fn line(text: &str) -> Option<String> {
    with_numbers(text)
        .or_else(|| sized(text))
        .or_else(|| address(text))
        .or_else(|| without_parameters(text))
        .or_else(|| of_an_op(text))
        .or_else(|| emitted(text))
        .or_else(|| super::cutlass::swizzled_values(text))
        .or_else(|| text.starts_with("rewrite(").then(|| format!("upstream {text}")))
}

/// Commands whose conditions are part of the question.
const OF_CONDITIONS: [&str; 4] = ["solve", "points", "count", "prove"];

/// Returns `pid_k * tl.cdiv(1000, 3) + ki` for `pid_k * tl.cdiv(K, SPLIT_K) + ki with K = 1000, SPLIT_K = 3`.
fn with_numbers(text: &str) -> Option<String> {
    let first = text.split(' ').next()?;
    // Questions have forms of their own.
    if OF_CONDITIONS.contains(&first) || asks(first) || text.contains(['\n', ';', '{']) {
        return None;
    }
    let words = [" with ", " where ", " given ", " for "];
    let (value, facts) = words.iter().find_map(|word| text.rsplit_once(word))?;
    let facts = facts.trim_end_matches(['?', '.']).replace(" and ", ", ");
    let numbers = facts.split(',').map(|fact| {
        let (name, number) = fact.split_once('=')?;
        let (name, number) = (name.trim(), number.trim_start_matches('=').trim());
        let is_one = is_name(name) && number.parse::<u64>().is_ok();
        let is_used = identifiers(value).any(|word| word == name);
        (is_one && is_used).then(|| (name.to_owned(), number.to_owned()))
    });
    let numbers: Vec<(String, String)> = numbers.collect::<Option<_>>()?;
    // A comparison has its own conditions.
    if value.contains("==") || value.contains("!=") || value.contains(['<', '>']) {
        return None;
    }
    // A map binds its names, and a named value keeps its own.
    let is_other = |name: &str| {
        let keyword = format!("{name}=");
        value.contains(&keyword) || value.contains(&format!("{name} = "))
    };
    if value.contains("->")
        || value.contains("lambda")
        || numbers.iter().any(|(name, _)| is_other(name))
    {
        return None;
    }
    let number = |before: &str, word: &str| {
        let is_part = before.ends_with(|c: char| c == '.' || c.is_ascii_digit());
        let found = numbers.iter().find(|(name, _)| *name == word && !is_part);
        found.map(|(_, number)| number.clone())
    };
    Some(replaced(value, number))
}

/// Returns `rearrange(x, ..) with x: (2, 32, 3)` for the shape of an operand without a word in front.
fn sized(text: &str) -> Option<String> {
    let (call, sizes) = text.rsplit_once(':')?;
    let (call, name) = call.trim_end().rsplit_once(' ')?;
    let call = call.trim_end().trim_end_matches(',');
    let is_operand = is_name(name) && call.contains(&format!("({name},"));
    let are_sizes =
        integers(sizes.trim().strip_prefix(['(', '['])?.strip_suffix([')', ']'])?).is_ok();
    (is_operand && are_sizes && call.ends_with(')'))
        .then(|| format!("{call} with {name}: {}", sizes.trim()))
}

/// Element types by their names in other languages.
const ELEMENT_TYPES: &[(&str, &str)] = &[
    ("__half", "f16"),
    ("__nv_bfloat16", "bf16"),
    ("bfloat16", "bf16"),
    ("bool", "pred"),
    ("byte", "s8"),
    ("char", "s8"),
    ("double", "f64"),
    ("fp16", "f16"),
    ("fp32", "f32"),
    ("float", "f32"),
    ("float16", "f16"),
    ("float32", "f32"),
    ("float64", "f64"),
    ("half", "f16"),
    ("i1", "pred"),
    ("i32", "s32"),
    ("i64", "s64"),
    ("i8", "s8"),
    ("int", "s32"),
    ("int16", "s16"),
    ("int16_t", "s16"),
    ("int32", "s32"),
    ("int32_t", "s32"),
    ("int64", "s64"),
    ("int64_t", "s64"),
    ("int8", "s8"),
    ("int8_t", "s8"),
    ("long", "s64"),
    ("nv_bfloat16", "bf16"),
    ("short", "s16"),
    ("size_t", "u64"),
    ("uchar", "u8"),
    ("uint", "u32"),
    ("uint16", "u16"),
    ("uint16_t", "u16"),
    ("uint32", "u32"),
    ("uint32_t", "u32"),
    ("uint64", "u64"),
    ("uint64_t", "u64"),
    ("uint8", "u8"),
    ("uint8_t", "u8"),
];

/// Returns the name in a shape of an element type.
#[must_use]
pub fn element_type(word: &str) -> Option<&'static str> {
    ELEMENT_TYPES.iter().find(|(other, _)| *other == word).map(|(_, name)| *name)
}

/// Translates `address of A[3][4] in a column-major 10x20 array of doubles`.
fn address(text: &str) -> Option<String> {
    let (asked, of) = text.trim_end_matches(['?', '.']).split_once(" in ")?;
    let (_, index) = addressed(asked)?.split_once('[')?;
    let index = integers(&index.strip_suffix(']')?.replace("][", ",")).ok()?;
    // The declaration, `int A[10][20]`, has the sizes in brackets.
    let of = match of.split_once('[') {
        Some((before, sizes)) => {
            let (sizes, behind) = sizes.split_at(sizes.rfind(']')?);
            let before = before.rsplit_once(' ').map_or("", |(kind, _)| kind);
            format!("{before} {} {}", sizes.replace("][", "x"), &behind[1..])
        }
        None => of.to_owned(),
    };
    let of = of.replace("column major", "column-major").replace("row major", "row-major");
    let mut words: Vec<&str> = of.split([' ', ',']).filter(|word| !word.is_empty()).collect();
    words.retain(|word| {
        !matches!(*word, "a" | "an" | "the" | "order" | "array" | "matrix" | "tensor" | "of")
    });
    let column = ["column-major", "col-major", "fortran", "column"];
    let row = ["row-major", "row", "major", "c"];
    let is_column = words.iter().any(|word| column.contains(word));
    words.retain(|word| !column.contains(word) && !row.contains(word));
    let (sizes, kind) = match words[..] {
        [sizes] => (sizes, "f32"),
        [one, other] => {
            let kind = |word: &str| element_type(word.trim_end_matches('s'));
            match (kind(one), kind(other)) {
                (Some(kind), None) => (other, kind),
                (None, Some(kind)) => (one, kind),
                _ => return None,
            }
        }
        _ => return None,
    };
    let sizes = shape(sizes)?;
    let sizes = sizes.strip_prefix("f32")?;
    let rank = sizes.matches(',').count() + 1;
    let order: Vec<String> = (0..rank).map(|at| at.to_string()).collect();
    let order = if is_column { format!("{{{}}}", order.join(",")) } else { String::new() };
    let index: Vec<String> = index.iter().map(i64::to_string).collect();
    (index.len() == rank)
        .then(|| format!("layout {kind}{sizes}{order} --index {}", index.join(",")))
}

/// Returns `is (row, col) one to one ..` for `is (threadIdx.x, i) -> (row, col) one to one ..`: code has no list of the threads.
fn without_parameters(text: &str) -> Option<String> {
    let (before, behind) = text.split_once("->")?;
    let before = before.trim_end();
    let open = before
        .rfind('(')
        .filter(|open| closing(&before[*open..]) == Some(before.len() - open - 1))?;
    let names: Vec<&str> = before[open + 1..before.len() - 1].split(',').map(str::trim).collect();
    let are_names = names.iter().all(|name| name.split('.').all(is_name));
    let has_thread = names.iter().any(|name| name.contains('.'));
    (are_names && has_thread && !behind.contains("->"))
        .then(|| format!("{}{}", &before[..open], behind.trim_start()))
}

/// Commands that take an op.
const OF_OPS: [&str; 8] =
    ["count", "image", "injective", "inverse", "range", "reads", "strides", "draw"];

/// Translates `count f32[64,128] broadcast(f32[128] %p), dimensions={1}`, and `how many times is each element read by ..`.
fn of_an_op(text: &str) -> Option<String> {
    let asked = super::openings::without_opening(text).unwrap_or(text).trim_end_matches('?');
    let words = [
        "how many times is each element read by ",
        "how many times is each input element read by ",
        "how many times is each element of the input read by ",
        "how often is each element read by ",
        "how many times is each element read in ",
        "how often is each element read in ",
    ];
    let of_count =
        words.iter().find_map(|word| asked.strip_prefix(word)).map(|rest| ("count", rest));
    let (command, rest) = of_count.or_else(|| asked.split_once(' '))?;
    if !OF_OPS.contains(&command) {
        return None;
    }
    let rest = rest.trim();
    if !crate::bare::is_nameless_instruction(rest) {
        return of_count.map(|_| format!("count {rest}"));
    }
    // The shape of the result, and the op.
    let (shape, op) = rest.split_at(rest.find(char::is_whitespace)?);
    let op = crate::bare::called_operation(op.trim_start())?;
    let is_shaped = ["op broadcast ", "op reshape "].iter().any(|word| op.starts_with(word));
    let shape = if is_shaped { format!(" -> {shape}") } else { String::new() };
    Some(format!("{command} {op}{shape}"))
}

/// Returns `emit M --as cuda` for `emit cuda M`.
fn emitted(text: &str) -> Option<String> {
    let (language, map) = text.strip_prefix("emit ")?.split_once(' ')?;
    let is_language = Language::ALL.iter().any(|one| one.word() == language)
        && !map.trim_start().starts_with(['-', '=', '+']);
    is_language.then(|| format!("emit {} --as {language}", map.trim()))
}

/// Translates `why P` and `explain P`: an equation is compared, and the comparison explained.
pub fn explained(text: &str) -> Option<Vec<String>> {
    let claim = ["why is ", "why does ", "why ", "explain why ", "explain "]
        .iter()
        .find_map(|word| text.trim().strip_prefix(word))?
        .trim_end_matches('?');
    if claim.contains("->") || claim.contains(" ; ") || claim.contains(" --") {
        return None;
    }
    let words = [" for ", " where ", " if ", " with ", ", "];
    let end = words.iter().filter_map(|word| claim.find(word)).min().unwrap_or(claim.len());
    let (claim, bounds) = claim.split_at(end);
    let plain = claim.replace("==", "=");
    let (left, right) = plain.split_once('=').filter(|(left, right)| {
        !right.contains('=') && !left.ends_with(['<', '>', '!']) && !right.contains(['<', '>'])
    })?;
    let are_values = [left, right].iter().all(|side| {
        let side = side.trim();
        !side.is_empty()
            && !side.ends_with('.')
            && affinor_code::read(side, false, &|_| None).is_ok()
    });
    are_values.then(|| {
        vec![format!("equal {} ; {}{bounds}", left.trim(), right.trim()), "why".to_owned()]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_are_part_of_the_line() {
        for (text, expected) in [
            (
                "k = pid_k * tl.cdiv(K, SPLIT_K) + ki with K = 1000, SPLIT_K = 3",
                Some("k = pid_k * tl.cdiv(1000, 3) + ki"),
            ),
            ("simplify x // n where n = 8 and x = 9", Some("simplify 9 // 8")),
            (
                "rearrange(x, 'b (h w) c -> b c h w', h=4) x: (2, 32, 3)",
                Some("rearrange(x, 'b (h w) c -> b c h w', h=4) with x: (2, 32, 3)"),
            ),
            (
                "address of A[3][4] in a column-major 10x20 array of doubles",
                Some("layout f64[10,20]{0,1} --index 3,4"),
            ),
            (
                "address of A[3][5] in int A[10][20] column major",
                Some("layout s32[10,20]{0,1} --index 3,5"),
            ),
            (
                "what is the byte offset of a[1][2][3] in a row-major float array 4x5x6?",
                Some("layout f32[4,5,6] --index 1,2,3"),
            ),
            (
                "is (threadIdx.x, i) -> (row, col) one to one for threadIdx.x < 32, i < 4",
                Some("is (row, col) one to one for threadIdx.x < 32, i < 4"),
            ),
            (
                "how many times is each element read by broadcast f32[128] -> f32[64,128] dimensions={1}?",
                Some("count broadcast f32[128] -> f32[64,128] dimensions={1}"),
            ),
            // Conditions, a name that is not used, several indices, names of maps.
            ("points x where x = 3", None),
            ("x // 4 with n = 3", None),
            ("f(x, n=3) with n = 3", None),
            ("address of A[3] in a 10x20 array", None),
            ("is (i, j) -> (j, i) one to one", None),
            ("count i for i in range(3)", None),
        ] {
            assert_eq!(line(text).as_deref(), expected, "{text}");
        }
        for (text, expected) in [
            (
                "explain (i*8 + j) mod 8 = j for 0 <= j < 8",
                Some("equal (i*8 + j) mod 8 ; j for 0 <= j < 8 | why"),
            ),
            ("why is x // 2 // 3 == x // 6?", Some("equal x // 2 // 3 ; x // 6 | why")),
            ("why x // 4 * 4 <= x", None),
            ("why (d0) -> (d0)", None),
            ("why f", None),
        ] {
            assert_eq!(
                explained(text).map(|lines| lines.join(" | ")).as_deref(),
                expected,
                "{text}"
            );
        }
    }
}
