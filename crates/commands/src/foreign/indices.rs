//! Calls between an index and its coordinates: `np.ravel_multi_index`, `np.unravel_index`, and CuTe's `crd2idx`, `idx2crd`.
//!
//! Law: NumPy uses row-major order, CuTe column-major order unless strides are given. Sizes are numbers.

use super::numbers::{Given, integers, only_call, tuple};
use affinor::text::is_name;

/// Translates a call to a line of commands.
pub fn line(text: &str) -> Option<String> {
    let text = text.trim().trim_end_matches(';');
    if let Some((names, value)) = text.split_once('=')
        && names.split(',').all(|name| is_name(name.trim()))
    {
        let (values, bounds) = match line(value)?.split_once(" for ") {
            Some((values, bounds)) => (values.to_owned(), format!(" for {bounds}")),
            None => (line(value)?, String::new()),
        };
        let values = match only_call(&values) {
            Some(("", inner)) if names.contains(',') => inner.to_owned(),
            _ => values,
        };
        return Some(format!("{} = {values}{bounds}", names.trim()));
    }
    if let Some((call, bounds)) = text.split_once(") for ") {
        return bounded(&format!("{call})"), bounds);
    }
    let (head, rest) = only_call(text)?;
    if !head.chars().all(|c| c.is_alphanumeric() || "_.:".contains(c)) {
        return None;
    }
    let given = Given::of(rest);
    let texts = given.texts();
    match (head.rsplit(['.', ':']).next()?, &texts[..]) {
        ("ravel_multi_index", [index, sizes, rest @ ..]) => {
            let sizes = integers(sizes).ok()?;
            linear(&tuple(index), &sizes, &ordered(&given, rest, &sizes)?)
        }
        ("unravel_index", [index, sizes, rest @ ..]) => {
            let sizes = integers(sizes).ok()?;
            coordinates(index, &sizes, &ordered(&given, rest, &sizes)?)
        }
        ("broadcast_shapes", shapes) => broadcast(shapes),
        ("crd2idx", [index, sizes, rest @ ..]) => {
            let sizes = flat(sizes)?;
            linear(&tuple(index), &sizes, &strides(rest, &sizes)?)
        }
        ("idx2crd", [index, sizes, rest @ ..]) => {
            let sizes = flat(sizes)?;
            coordinates(index, &sizes, &strides(rest, &sizes)?)
        }
        _ => None,
    }
}

/// Translates a call with bounds after it; an index that is a name is also one of the array.
fn bounded(call: &str, bounds: &str) -> Option<String> {
    let line = line(call)?;
    let (values, own) = line.split_once(" for ").unwrap_or((&line, ""));
    let own = own.split(" for ").filter(|bound| !bound.is_empty()).map(|bound| {
        let (name, size) = bound.split_once(" in range(")?;
        Some(format!("0 <= {name} < {}", size.strip_suffix(')')?))
    });
    let own: Vec<String> = own.collect::<Option<_>>()?;
    let is_open = !bounds.contains(" in ") || bounds.contains([';', '=', '\n']);
    (!is_open).then(|| match own.is_empty() {
        true => format!("{values} for {bounds}"),
        false => format!("{values} for {bounds} where {}", own.join(", ")),
    })
}

/// Returns the numbers of a tuple that is not nested.
pub fn flat(text: &str) -> Option<Vec<i64>> {
    let is_nested = text.trim().trim_start_matches('(').contains('(');
    integers(text).ok().filter(|_| !is_nested)
}

/// Returns the strides of an array of these sizes in row-major order.
pub fn row_major(sizes: &[i64]) -> Option<Vec<i64>> {
    let mut strides = strides_of(sizes.iter().rev())?;
    strides.reverse();
    Some(strides)
}

/// Returns the strides of an array of these sizes in column-major order.
pub fn column_major(sizes: &[i64]) -> Option<Vec<i64>> {
    strides_of(sizes.iter())
}

/// Returns the strides of sizes that are given in order of increasing stride.
fn strides_of<'s>(sizes: impl Iterator<Item = &'s i64>) -> Option<Vec<i64>> {
    let mut next = 1i64;
    sizes
        .map(|size| {
            let stride = next;
            next = next.checked_mul(*size).filter(|_| *size > 0)?;
            Some(stride)
        })
        .collect()
}

fn strides(given: &[&str], sizes: &[i64]) -> Option<Vec<i64>> {
    match given {
        [] => column_major(sizes),
        [strides] => flat(strides).filter(|strides| {
            strides.len() == sizes.len() && strides.iter().all(|stride| *stride > 0)
        }),
        _ => None,
    }
}

fn linear(index: &[&str], sizes: &[i64], strides: &[i64]) -> Option<String> {
    if index.len() != sizes.len() || sizes.is_empty() {
        return None;
    }
    let terms = index.iter().zip(strides).map(|(part, stride)| match stride {
        1 => format!("({part})"),
        stride => format!("({part}) * {stride}"),
    });
    let is_inside = |(part, size): (&&str, &i64)| match part.parse::<i64>() {
        Ok(number) => (0..*size).contains(&number),
        Err(_) => true,
    };
    if !index.iter().zip(sizes).all(is_inside) {
        return None;
    }
    let terms: Vec<String> = terms.collect();
    let bounds = index.iter().zip(sizes).map(|(part, size)| bound(part, *size));
    Some(format!("{}{}", terms.join(" + "), bounds.collect::<String>()))
}

fn coordinates(index: &str, sizes: &[i64], strides: &[i64]) -> Option<String> {
    let total = sizes.iter().try_fold(1i64, |total, size| total.checked_mul(*size))?;
    if index.parse::<i64>().is_ok_and(|number| !(0..total).contains(&number)) {
        return None;
    }
    let parts = sizes.iter().zip(strides).map(|(size, stride)| match stride {
        1 => format!("({index}) % {size}"),
        stride => format!("({index}) // {stride} % {size}"),
    });
    let parts: Vec<String> = parts.collect();
    Some(format!("({}){}", parts.join(", "), bound(index, total)))
}

/// Returns the bounds of an index that is a bare name.
fn bound(part: &str, size: i64) -> String {
    match is_name(part) {
        true => format!(" for {part} in range({size})"),
        false => String::new(),
    }
}

/// Returns the strides in the order that NumPy is asked for, `order="F"`, if nothing else is.
fn ordered(given: &Given, rest: &[&str], sizes: &[i64]) -> Option<Vec<i64>> {
    let order = given.named("order").map(|order| order.trim_matches(['\'', '"']));
    match (rest, order) {
        ([], _) | ([_], Some("C")) => row_major(sizes),
        ([_], Some("F")) => strides(&[], sizes),
        _ => None,
    }
}

/// Returns the sizes that arrays have together: a size of 1 becomes any other, and missing ones are in front. Other sizes are
/// refused by the call of one array to the size of the other.
fn broadcast(shapes: &[&str]) -> Option<String> {
    let shapes = shapes.iter().map(|shape| integers(shape).ok());
    let shapes: Vec<Vec<i64>> = shapes.collect::<Option<_>>()?;
    let mut sizes = vec![1; shapes.iter().map(Vec::len).max()?];
    for own in &shapes {
        for (known, size) in sizes.iter_mut().rev().zip(own.iter().rev()) {
            match size {
                1 => {}
                _ if *known == 1 || known == size => *known = *size,
                _ => return Some(format!("np.broadcast_to(np.zeros(({known},)), ({size},))")),
            }
        }
    }
    let sizes: Vec<String> = sizes.iter().map(i64::to_string).collect();
    Some(format!("({})", sizes.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_lines() {
        for (text, expected) in [
            ("np.ravel_multi_index((1, 2, 3), (3, 4, 5))", Some("(1) * 20 + (2) * 5 + (3)")),
            (
                "np.ravel_multi_index((i, j), (3, 4))",
                Some("(i) * 4 + (j) for i in range(3) for j in range(4)"),
            ),
            ("np.unravel_index(n, (3, 4))", Some("((n) // 4 % 3, (n) % 4) for n in range(12)")),
            ("np.unravel_index(11, (3, 4))", Some("((11) // 4 % 3, (11) % 4)")),
            (
                "np.unravel_index(n, (3, 4)) for n in range(5)",
                Some("((n) // 4 % 3, (n) % 4) for n in range(5) where 0 <= n < 12"),
            ),
            ("np.unravel_index(n, (3, 4)) for n", None),
            ("cute::idx2crd(14, (4,8), (8,1))", Some("((14) // 8 % 4, (14) % 8)")),
            ("idx2crd(14, (4,8))", Some("((14) % 4, (14) // 4 % 8)")),
            ("crd2idx((1,2), (4,8), (8,1))", Some("(1) * 8 + (2)")),
            // An index outside, another rank, and unsupported options.
            ("np.unravel_index(12, (3, 4))", None),
            ("np.ravel_multi_index((3, 0), (3, 4))", None),
            ("np.ravel_multi_index((1, 2), (3, 4, 5))", None),
            ("np.ravel_multi_index((1, 2), (3, 4), mode='wrap')", None),
            ("idx2crd(14, (4,(2,4)), (8,(1,2)))", None),
            (
                "i, j = np.unravel_index(n, (3, 4))",
                Some("i, j = (n) // 4 % 3, (n) % 4 for n in range(12)"),
            ),
            ("k = crd2idx((1,2), (4,8), (8,1))", Some("k = (1) * 8 + (2)")),
            ("f(1, 2)", None),
        ] {
            assert_eq!(line(text).as_deref(), expected, "{text}");
        }
    }
}
