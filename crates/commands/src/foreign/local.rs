//! Parts of a tensor of CuTe: `local_tile(A, make_shape(8, 16), make_coord(2, _))`, `local_partition(A, T, threadIdx.x)`.
//!
//! Law: `local_tile` is mode 0 of `zipped_divide(A, tiler)` at a coordinate of mode 1, whose `_` remain as trailing modes;
//! `local_partition` is mode 1 at the coordinate of an index in the layout of threads. The answer is the offset as a function of
//! the remaining modes.
//! Out of scope: nested modes, and tilers that do not divide the sizes.

use super::array::closing;
use super::numbers::tuple;
use crate::token::identifiers;
use crate::token::listed;
use affinor::text::is_name;

/// A mode: its size and stride.
type Mode = (i64, i64);

/// Translates a call to a line of code, in which layouts are written as `(4,8):(8,1)`.
pub fn line(text: &str) -> Option<String> {
    let (name, rest) = text.split_once('(')?;
    let open = text.len() - rest.len() - 1;
    if closing(&text[open..])? + open + 1 != text.len() {
        return None;
    }
    let rest = &rest[..rest.len() - 1];
    match (name.rsplit([':', '.']).next()?, &listed(rest)[..]) {
        ("local_tile", [layout, tiler, at]) => tile(&modes(layout)?, &numbers(tiler)?, &tuple(at)),
        ("local_partition", [layout, threads, at]) => {
            partition(&modes(layout)?, &modes(threads)?, at)
        }
        _ => None,
    }
}

fn numbers(text: &str) -> Option<Vec<i64>> {
    let number = |part: &&str| part.parse().ok().filter(|number| (1..1 << 40).contains(number));
    tuple(text).iter().map(number).collect()
}

/// Parses the modes of `(4,8):(8,1)`.
fn modes(text: &str) -> Option<Vec<Mode>> {
    let (sizes, strides) = text.split_once(':')?;
    let (sizes, strides) = (numbers(sizes)?, tuple(strides));
    let strides: Vec<i64> = strides.iter().map(|part| part.parse().ok()).collect::<Option<_>>()?;
    (sizes.len() == strides.len()).then(|| sizes.into_iter().zip(strides).collect())
}

/// Returns the offset of a coordinate and of its modes, as code.
fn offset(fixed: &[(String, i64)], free: &[Mode]) -> Option<String> {
    const NAMES: [&str; 8] = ["i", "j", "k", "l", "m", "n", "p", "q"];
    let used =
        |name: &&&str| !fixed.iter().any(|(text, _)| identifiers(text).any(|word| word == **name));
    let names: Vec<&str> = NAMES.iter().filter(used).copied().take(free.len()).collect();
    if names.len() < free.len() {
        return None;
    }
    let fixed = fixed.iter().map(|(text, stride)| match is_name(text) {
        true => format!("{text} * {stride}"),
        false => format!("({text}) * {stride}"),
    });
    let moved = names.iter().zip(free).map(|(name, (_, stride))| format!("{name} * {stride}"));
    let terms: Vec<String> = fixed.chain(moved).collect();
    let loops =
        names.iter().zip(free).map(|(name, (size, _))| format!(" for {name} in range({size})"));
    Some(format!("{}{}", terms.join(" + "), loops.collect::<String>()))
}

fn tile(layout: &[Mode], tiler: &[i64], at: &[&str]) -> Option<String> {
    let divides = layout.iter().zip(tiler).all(|((size, _), tile)| size % tile == 0);
    if tiler.len() != layout.len() || at.len() != layout.len() || !divides {
        return None;
    }
    let (mut fixed, mut free) = (Vec::new(), Vec::new());
    for (((_, stride), tile), _) in layout.iter().zip(tiler).zip(at) {
        free.push((*tile, *stride));
    }
    for (((size, stride), tile), at) in layout.iter().zip(tiler).zip(at) {
        let (count, step) = (size / tile, stride.checked_mul(*tile)?);
        match at.parse::<i64>() {
            _ if *at == "_" => free.push((count, step)),
            Ok(number) if !(0..count).contains(&number) => return None,
            _ => fixed.push(((*at).to_owned(), step)),
        }
    }
    offset(&fixed, &free)
}

fn partition(layout: &[Mode], threads: &[Mode], at: &str) -> Option<String> {
    let divides = layout.iter().zip(threads).all(|((size, _), (tile, _))| size % tile == 0);
    let is_plain = threads.iter().all(|(_, stride)| *stride > 0);
    if threads.len() != layout.len() || !divides || !is_plain {
        return None;
    }
    let (mut fixed, mut free) = (Vec::new(), Vec::new());
    for ((size, stride), (tile, step)) in layout.iter().zip(threads) {
        fixed.push((format!("({at}) // {step} % {tile}"), *stride));
        free.push((size / tile, stride.checked_mul(*tile)?));
    }
    let total = threads.iter().try_fold(1i64, |total, (size, _)| total.checked_mul(*size))?;
    let bound = match is_name(at) {
        true => format!(" for {at} in range({total})"),
        false => String::new(),
    };
    Some(format!("{}{bound}", offset(&fixed, &free)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_code() {
        for (text, expected) in [
            (
                "local_tile((64, 64):(64, 1), (8,16), (2,3))",
                Some("(2) * 512 + (3) * 16 + i * 64 + j * 1 for i in range(8) for j in range(16)"),
            ),
            (
                "cute::local_tile((64,32):(1,64), (8,16), (x,_))",
                Some(
                    "x * 8 + i * 1 + j * 64 + k * 1024 for i in range(8) for j in range(16) for k in range(2)",
                ),
            ),
            (
                "local_partition((8,8):(8,1), (4,2):(1,4), t)",
                Some(
                    "((t) // 1 % 4) * 8 + ((t) // 4 % 2) * 1 + i * 32 + j * 2 for i in range(2) for j in range(4) for t in range(8)",
                ),
            ),
            // A tile that does not divide, a coordinate outside, other ranks, nested modes.
            ("local_tile((64,60):(64,1), (8,16), (2,3))", None),
            ("local_tile((64,64):(64,1), (8,16), (8,3))", None),
            ("local_tile((64,64):(64,1), (8), (2))", None),
            ("local_tile((64,(8,8)):(64,(1,8)), (8,16), (2,3))", None),
            ("local_tile((64,64):(64,1), (8,16), (2,3)) + 1", None),
        ] {
            assert_eq!(line(text).as_deref(), expected, "{text}");
        }
    }
}
