//! Schedules of TVM and Halide: the variable of a loop in terms of those of the loops that it is split into, and index maps in
//! calls: `xo, xi = s[C].split(x, factor=16)`, `f.tile(x, y, xi, yi, 8, 4)`, `IndexMap.from_func(lambda i, j: [j, i])`.
//!
//! Law: a loop counts from 0. The loop of a factor that is not given has no bounds.

use super::array::closing;
use super::numbers::Given;
use crate::token::listed;
use affinor::text::is_name;

/// Translates a step of a schedule to a line of code.
pub fn line(text: &str) -> Option<String> {
    let text = text.trim().trim_end_matches(';');
    let (made, call) = match text.split_once(" = ") {
        Some((made, call)) => (listed(made), call),
        None => (Vec::new(), text),
    };
    let call = call.strip_suffix(')')?;
    if call.contains("IndexMap") || call.contains(".transform_layout(") {
        let map = &call[call.find("lambda ")?..];
        let body = map.find(": ")? + 2;
        // Options may follow the results.
        let close = closing(&map[body..]).map_or(map.len(), |close| body + close + 1);
        let (map, rest) = map.split_at(close);
        return match rest.trim_start().strip_prefix(')') {
            None => Some(map.to_owned()),
            Some(behind) => inverse_of(map, behind),
        };
    }
    let (at, method) =
        [".split(", ".tile("].iter().find_map(|method| Some((call.find(method)?, *method)))?;
    let inner = &call[at + method.len()..];
    let (parts, given) = (listed(inner), Given::of(inner));
    let are_names = |names: &[&str]| names.iter().all(|name| is_name(name));
    // Other strategies for the last block move it.
    let is_in_place = |rest: &[&str]| match rest {
        [] => true,
        [tail] => ["GuardWithIf", "RoundUp", "Predicate"].iter().any(|word| tail.contains(word)),
        _ => false,
    };
    match (method, &parts[..]) {
        (".split(", [x, outer, inner, factor, rest @ ..])
            if are_names(&[x, outer, inner]) && is_in_place(rest) =>
        {
            Some(format!("{x} = {outer} * {factor} + {inner} for {inner} in range({factor})"))
        }
        (".tile(", [x, y, xo, yo, xi, yi, width, height, rest @ ..])
            if are_names(&[x, y, xo, yo, xi, yi]) && is_in_place(rest) =>
        {
            Some(tiled((xo, yo), (xi, yi), (width, height)))
        }
        (".tile(", [x, y, xi, yi, width, height]) if are_names(&[x, y, xi, yi]) => {
            Some(tiled((x, y), (xi, yi), (width, height)))
        }
        (".split(", [axis, ..]) if are_names(&made) && made.len() > 1 => {
            let name = if is_name(axis) && !made.contains(axis) { axis } else { "axis" };
            let factors: Vec<&str> = match (given.named("factor"), given.named("factors")) {
                (Some(factor), None) => vec!["None", factor],
                (None, Some(list)) => {
                    listed(list.trim_start_matches(['[', '(']).trim_end_matches([']', ')']))
                }
                _ => return None,
            };
            (factors.len() == made.len()).then(|| nested(name, &made, &factors))?
        }
        _ => None,
    }
}

/// Returns the inverse of an index map on the sizes after it: `.inverse([16, 8])`, ` inverse for shape (16, 8)`.
fn inverse_of(map: &str, behind: &str) -> Option<String> {
    let (_, sizes) = behind.rsplit_once(['(', '[']).filter(|_| behind.contains("inverse"))?;
    let names = map.strip_prefix("lambda ")?.split_once(':')?.0;
    let (names, sizes) = (listed(names), listed(sizes.trim_end_matches([')', ']'])));
    let are_sizes = sizes.iter().all(|size| size.parse::<u32>().is_ok());
    let loops = names.iter().zip(&sizes).map(|(name, size)| format!("{name} in range({size})"));
    let loops: Vec<String> = loops.collect();
    (are_sizes && names.len() == sizes.len())
        .then(|| format!("inverse {map} for {}", loops.join(", ")))
}

fn tiled(outer: (&str, &str), inner: (&str, &str), sizes: (&str, &str)) -> String {
    let one = |outer: &str, inner: &str, size: &str| format!("{outer} * {size} + {inner}");
    format!(
        "({}, {}) for {} in range({}) for {} in range({})",
        one(outer.0, inner.0, sizes.0),
        one(outer.1, inner.1, sizes.1),
        inner.0,
        sizes.0,
        inner.1,
        sizes.1
    )
}

/// Returns the variable of a loop that is split into several; only the first may be without a factor.
fn nested(name: &str, made: &[&str], factors: &[&str]) -> Option<String> {
    let is_open = |factor: &&str| matches!(*factor, "None" | "-1");
    if factors.iter().skip(1).any(is_open) {
        return None;
    }
    let mut value = made.first()?.to_string();
    for (name, factor) in made.iter().zip(factors).skip(1) {
        let outer = if value.contains(' ') { format!("({value})") } else { value };
        value = format!("{outer} * {factor} + {name}");
    }
    let bounds = made.iter().zip(factors).filter(|(_, factor)| !is_open(factor));
    let bounds: String =
        bounds.map(|(name, factor)| format!(" for {name} in range({factor})")).collect();
    Some(format!("{name} = {value}{bounds}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_code() {
        for (text, expected) in [
            (
                "IndexMap.from_func(lambda i, j: [i // 4, j, i % 4]) inverse for shape (16, 8)",
                Some("inverse lambda i, j: [i // 4, j, i % 4] for i in range(16), j in range(8)"),
            ),
            (
                "IndexMap.from_func(lambda i: [i // 4, i % 4]).inverse([16])",
                Some("inverse lambda i: [i // 4, i % 4] for i in range(16)"),
            ),
            ("IndexMap.from_func(lambda i: [i // 4, i % 4]).map_shape([16])", None),
            (
                "f.split(x, xo, xi, 8, TailStrategy::GuardWithIf)",
                Some("x = xo * 8 + xi for xi in range(8)"),
            ),
            ("f.split(x, xo, xi, 8, TailStrategy::ShiftInwards)", None),
            ("f.split(x, xo, xi, 8)", Some("x = xo * 8 + xi for xi in range(8)")),
            (
                "f.tile(x, y, xi, yi, 8, 4)",
                Some("(x * 8 + xi, y * 4 + yi) for xi in range(8) for yi in range(4)"),
            ),
            (
                "xo, xi = s[C].split(C.op.axis[0], factor=16)",
                Some("axis = xo * 16 + xi for xi in range(16)"),
            ),
            (
                "i0, i1, i2 = sch.split(i, factors=[None, 4, 8])",
                Some("i = (i0 * 4 + i1) * 8 + i2 for i1 in range(4) for i2 in range(8)"),
            ),
            (
                "tvm.tir.IndexMap.from_func(lambda i, j: [i // 16, j % 16])",
                Some("lambda i, j: [i // 16, j % 16]"),
            ),
            (
                "sch.transform_layout(block, (\"read\", 0), lambda i, j: (j, i))",
                Some("lambda i, j: (j, i)"),
            ),
            // An inner factor that is not given, a different number of loops, arrays of PyTorch.
            ("a, b = sch.split(i, factors=[4, None])", None),
            ("a, b = sch.split(i, factors=[4])", None),
            ("a, b = x.split(4)", None),
            ("torch.split(x, 4, dim=1)", None),
        ] {
            assert_eq!(line(text).as_deref(), expected, "{text}");
        }
    }
}
