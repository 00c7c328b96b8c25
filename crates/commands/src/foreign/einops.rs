//! `rearrange(x, "b (h p) w -> b h (p w)", p=4)` of einops, with `repeat` and `reduce`.
//!
//! Law: a name in the pattern is an axis; brackets join axes in row-major order. Axes in the result alone are new, axes in the
//! operand alone are reduced, as range variables. Sizes are given, follow from an array with known sizes, or are named.

use super::array::{Names, array, count, shape, whole};
use super::numbers::{Given, integers, only_call};
use affinor::text::{Error, ErrorKind, is_name};
use std::collections::BTreeMap;

/// The maximum number of axes of a pattern.
const MAX_AXES: usize = 24;

/// Returns the operand's name with its map, if a text is such a call.
///
/// # Errors
/// [`ErrorKind::Syntax`] and [`ErrorKind::Shape`].
pub fn einops(text: &str, names: Names) -> Option<Result<Vec<(String, String)>, Error>> {
    let (head, rest) = only_call(text)?;
    let function = head.rsplit('.').next()?;
    if !["rearrange", "repeat", "reduce"].contains(&function) || head.starts_with('.') {
        return None;
    }
    let given = Given::of(rest);
    let [operand, pattern, ..] = given.texts()[..] else {
        return None;
    };
    let quote = pattern.chars().next().filter(|quote| matches!(quote, '\'' | '"'))?;
    let pattern = pattern.strip_prefix(quote)?.strip_suffix(quote)?;
    let (from, to) = pattern.split_once("->")?;
    Some(
        map(function, operand, [from, to], &given, names)
            .map(|map| vec![(operand.to_owned(), map)]),
    )
}

fn map(
    function: &str,
    operand: &str,
    [from, to]: [&str; 2],
    given: &Given,
    names: Names,
) -> Result<String, Error> {
    let mut sizes: BTreeMap<String, i64> = BTreeMap::new();
    let known = array(operand, names).or_else(|| whole(operand, names)).transpose()?;
    let rank = known.as_ref().map(|known| known.sizes.len());
    let [from, to] = spelled([from, to], rank)?;
    let (from, to) = (axes(&from, &mut sizes)?, axes(&to, &mut sizes)?);
    for axis in from.iter().chain(&to).flatten() {
        if let Some(size) = given.named(axis) {
            match integers(size)?[..] {
                [size] if size > 0 => sizes.insert(axis.clone(), size),
                _ => return Err(shape(format!("the size of `{axis}` is not a positive number"))),
            };
        }
    }
    for (side, other, may_have_more) in
        [(&from, &to, function == "reduce"), (&to, &from, function == "repeat")]
    {
        for axis in side.iter().flatten().filter(|axis| sizes.get(*axis) != Some(&1)) {
            let is_alone = !other.iter().flatten().any(|x| x == axis);
            let is_open = function == "repeat" && !sizes.contains_key(axis);
            if is_alone && (!may_have_more || is_open) {
                return Err(shape(format!("`{axis}` is on one side only")));
            }
        }
    }
    if let Some(known) = known {
        if known.sizes.len() != from.len() {
            let message =
                format!("{} dimensions, but {} in the pattern", known.sizes.len(), from.len());
            return Err(shape(message));
        }
        for (group, size) in from.iter().zip(known.sizes) {
            let others = known_size(group, &sizes)?;
            let open: Vec<&String> =
                group.iter().filter(|axis| !sizes.contains_key(*axis)).collect();
            match open[..] {
                [] if others == size => {}
                [axis] if size % others == 0 => drop(sizes.insert(axis.clone(), size / others)),
                [_] | [] => {
                    return Err(shape(format!("`({})` is not of size {size}", group.join(" "))));
                }
                _ => return Err(shape(format!("the sizes of `{}` are not known", open[0]))),
            }
        }
    }
    for group in from.iter().chain(&to) {
        known_size(group, &sizes)?;
    }
    let size = |axis: &String| sizes.get(axis).map_or(format!("size_{axis}"), i64::to_string);
    // The product of the known sizes, then the names.
    let product = |group: &[String]| {
        let known: i64 = group.iter().filter_map(|axis| sizes.get(axis)).product(); // cannot overflow
        let names = group.iter().filter(|axis| !sizes.contains_key(*axis)).map(size);
        let factors: Vec<String> =
            (known != 1).then(|| known.to_string()).into_iter().chain(names).collect();
        match &factors[..] {
            [] => "1".to_owned(),
            [one] => one.clone(),
            _ => format!("({})", factors.join(" * ")),
        }
    };
    let mut values: BTreeMap<&String, String> = BTreeMap::new();
    let (mut dimensions, mut bounds) = (Vec::new(), Vec::new());
    for (number, group) in to.iter().enumerate() {
        let name = match &group[..] {
            [axis] => axis.clone(),
            _ => format!("d{number}"),
        };
        bounds.push(format!("{name} in [0, {} - 1]", product(group)));
        for (place, axis) in group.iter().enumerate() {
            let (inner, outer) = (product(&group[place + 1..]), place > 0);
            let digit = format!("{name} floordiv {inner}");
            let digit = if outer { format!("{digit} mod {}", size(axis)) } else { digit };
            let digit = if group.len() == 1 { name.clone() } else { digit };
            values.insert(axis, digit);
        }
        dimensions.push(name);
    }
    let mut ranges = Vec::new();
    for axis in from.iter().flatten().filter(|axis| !to.iter().flatten().any(|x| x == *axis)) {
        bounds.push(format!("{axis} in [0, {} - 1]", size(axis)));
        ranges.push(axis.clone());
        values.insert(axis, axis.clone());
    }
    let place = |group: &Vec<String>| {
        let terms = group
            .iter()
            .enumerate()
            .map(|(place, axis)| format!("({}) * {}", values[axis], product(&group[place + 1..])));
        let terms = terms.collect::<Vec<_>>();
        if terms.is_empty() { "0".to_owned() } else { terms.join(" + ") }
    };
    let places: Vec<String> = from.iter().map(place).collect();
    let mut named: Vec<&String> = from.iter().chain(&to).flatten().collect();
    named.retain(|axis| !sizes.contains_key(*axis));
    named.sort();
    named.dedup();
    let positive = named.iter().map(|axis| format!("size_{axis} in [1, inf]"));
    let bounds: Vec<String> = positive.chain(bounds).collect();
    let named: Vec<String> = named.iter().map(|axis| format!("size_{axis}")).collect();
    let listed = |open: &str, list: &[String], close: &str| match list.is_empty() {
        true => String::new(),
        false => format!("{open}{}{close}", list.join(", ")),
    };
    Ok(format!(
        "{}({}){} -> ({}), domain: {}",
        listed("<", &named, ">"),
        dimensions.join(", "),
        listed("[", &ranges, "]"),
        places.join(", "),
        bounds.join(", ")
    ))
}

/// Returns the product of the known sizes.
fn known_size(group: &[String], sizes: &BTreeMap<String, i64>) -> Result<i64, Error> {
    let known: Vec<i64> = group.iter().filter_map(|axis| sizes.get(axis).copied()).collect();
    count(&known)
}

/// Returns the sides with `...` expanded to a name for each dimension that the operand's other axes leave.
fn spelled([from, to]: [&str; 2], rank: Option<usize>) -> Result<[String; 2], Error> {
    if !from.contains("...") {
        return Ok([from, to].map(str::to_owned));
    }
    let Some(rank) = rank else {
        let error = shape("how many dimensions `...` has is not known");
        return Err(error.hint("name an array of them: `x = np.zeros((2, 3, 4))`"));
    };
    let (before, behind) = from.split_once("...").unwrap_or((from, ""));
    let in_brackets = before.matches('(').count() != before.matches(')').count();
    let own = axes(&format!("{before} {behind}"), &mut BTreeMap::new())?.len();
    let left = rank.checked_sub(own).filter(|_| !in_brackets && !behind.contains("..."));
    let left = left.ok_or_else(|| shape(format!("`...` stands for no dimensions of {rank}")))?;
    let names: Vec<String> = (0..left).map(|number| format!("rest{number}")).collect();
    if names.iter().any(|name| from.contains(name.as_str()) || to.contains(name.as_str())) {
        return Err(shape("`rest0`, .. are names of `...` here"));
    }
    Ok([from, to].map(|side| side.replacen("...", &format!(" {} ", names.join(" ")), 1)))
}

/// Returns the axes of each dimension. A number is the size of an unnamed axis.
fn axes(side: &str, sizes: &mut BTreeMap<String, i64>) -> Result<Vec<Vec<String>>, Error> {
    let wrong = |message: &str| {
        let error = Error::without_span(ErrorKind::Syntax, message.to_owned());
        error.hint("a pattern is written as `b (h p) w -> b h (p w)`")
    };
    let side = side.replace('(', " ( ").replace(')', " ) ");
    let (mut groups, mut open, mut count): (Vec<Vec<String>>, _, _) = (Vec::new(), false, 0);
    for word in side.split_whitespace() {
        match word {
            "(" if !open => {
                open = true;
                groups.push(Vec::new());
                continue;
            }
            ")" if open => {
                open = false;
                continue;
            }
            "(" | ")" => return Err(wrong("brackets of a pattern do not nest")),
            _ => {}
        }
        count += 1;
        let axis = match word.parse::<i64>() {
            Ok(size) if size > 0 => {
                let name = format!("_{}", sizes.len());
                sizes.insert(name.clone(), size);
                name
            }
            _ if is_name(word) && !word.starts_with('_') => word.to_owned(),
            _ => return Err(wrong(&format!("`{word}` is not an axis"))),
        };
        if groups.iter().flatten().any(|other| *other == axis) {
            return Err(wrong(&format!("`{axis}` stands twice")));
        }
        match groups.last_mut().filter(|_| open) {
            Some(group) => group.push(axis),
            None => groups.push(vec![axis]),
        }
    }
    match (open, count <= MAX_AXES) {
        (false, true) => Ok(groups),
        (true, _) => Err(wrong("a bracket of the pattern is not closed")),
        (_, false) => Err(wrong("the pattern has more than 24 axes")),
    }
}

#[cfg(test)]
mod tests {
    use super::einops;

    fn map(text: &str) -> Result<String, String> {
        let found = einops(text, &|_| None).unwrap_or_else(|| panic!("{text}"));
        let maps = found.map_err(|error| error.message)?;
        let map: affinor::expr::IndexingMap = maps[0].1.parse().expect("a map");
        Ok(map.to_string())
    }

    #[test]
    fn calls_are_maps() {
        for (text, expected) in [
            (
                "rearrange(np.zeros((4, 6)), '(a b) c -> a c b', b=2)",
                "(a, c, b) -> (a * 2 + b, c), domain: a in [0, 1], c in [0, 5], b in [0, 1]",
            ),
            (
                "einops.rearrange(np.zeros((4, 6)), 'h w -> (w h)')",
                "(d0) -> (d0 mod 4, d0 floordiv 4), domain: d0 in [0, 23]",
            ),
            (
                "reduce(np.zeros((4, 6)), 'h (w 2) -> h w', 'max')",
                "(h, w)[_0] -> (h, w * 2 + _0), domain: h in [0, 3], w in [0, 2], _0 in [0, 1]",
            ),
            (
                "repeat(np.zeros(3), 'i -> i r', r=2)",
                "(i, r) -> (i), domain: i in [0, 2], r in [0, 1]",
            ),
            (
                "rearrange(np.zeros((2, 3, 4)), 'a ... -> (... a)')",
                "(d0) -> (d0 mod 2, d0 floordiv 8, d0 floordiv 2 mod 4), domain: d0 in [0, 23]",
            ),
            (
                "rearrange(x, 'h w -> (h w)')",
                "<size_h, size_w>(d0) -> (d0 floordiv size_w, d0 mod size_w), domain: size_h in [1, inf], \
                 size_w in [1, inf], d0 in [0, size_h * size_w - 1]",
            ),
        ] {
            let expected: affinor::expr::IndexingMap = expected.parse().expect(expected);
            assert_eq!(map(text), Ok(expected.to_string()), "{text}");
        }
        for (text, message) in [
            ("rearrange(np.zeros((4, 6)), '(a b) c -> a c b', b=3)", "`(a b)` is not of size 4"),
            ("rearrange(np.zeros((4, 6)), '(a b) c -> a c b')", "the sizes of `a` are not known"),
            ("rearrange(np.zeros(4), 'a b -> b a')", "1 dimensions, but 2 in the pattern"),
            ("rearrange(x, 'a (b -> a b')", "a bracket of the pattern is not closed"),
            ("rearrange(x, 'a ... -> ... a')", "how many dimensions `...` has is not known"),
            (
                "rearrange(np.zeros((2, 3)), '(a ...) b -> ... a b')",
                "`...` stands for no dimensions of 2",
            ),
            ("rearrange(np.zeros(2), 'a b ... -> a b')", "`...` stands for no dimensions of 1"),
            ("rearrange(np.zeros((2, 3)), 'a b -> ... b a')", "`...` is not an axis"),
            ("rearrange(np.zeros((2, 3)), 'a ... -> a')", "`rest0` is on one side only"),
            ("rearrange(x, 'a -> a a')", "`a` stands twice"),
            ("rearrange(x, 'a a -> a')", "`a` stands twice"),
            ("rearrange(x, 'a -> a b', b=2)", "`b` is on one side only"),
            ("rearrange(x, 'a b -> a')", "`b` is on one side only"),
            ("repeat(x, 'a -> a b')", "`b` is on one side only"),
            ("reduce(x, 'a -> a b', 'sum')", "`b` is on one side only"),
            (
                "rearrange(x, '(a b c) -> a b c', a=999999999, b=999999999, c=999999999)",
                "the array has too many elements",
            ),
            ("repeat(x, 'a -> a b', b=0)", "the size of `b` is not a positive number"),
        ] {
            assert_eq!(map(text), Err(message.to_owned()), "{text}");
        }
        for text in ["rearrange(x, pattern)", "x.repeat('a -> a')", "reduce(x)", "repeat"] {
            assert!(einops(text, &|_| None).is_none(), "{text}");
        }
    }
}
