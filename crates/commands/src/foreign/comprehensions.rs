//! Expressions of Python over all values: `len(set(i // 4 for i in range(9)))`, `any(..)`, lists of lists.
//!
//! Law: in a list of lists, the loops of the inner list are the inner loops.

use affinor::text::is_name;

/// Translates Python expressions over all values: `len(set(i // 4 for i in range(9)))`, `max(..)`, `[..]`.
pub fn comprehension(text: &str) -> Option<String> {
    // The bracket that opens first closes last: `min(i, 7) - max(i, 3) for i in range(9)` is not a call.
    let strip = |text: &'_ str, open: &str, close: &str| {
        let text = text.trim();
        let inner = text.strip_prefix(open)?.strip_suffix(close)?;
        let is_one = open.find(['(', '[']).is_none_or(|at| {
            super::array::closing(&text[at..]).is_some_and(|end| at + end + 1 == text.len())
        });
        is_one.then(|| inner.trim().to_owned())
    };
    let values = |text: &str| {
        let inner = strip(text, "set(", ")").or_else(|| strip(text, "list(", ")"));
        let inner =
            inner.or_else(|| strip(text, "sorted(", ")")).unwrap_or_else(|| text.to_owned());
        strip(&inner, "[", "]").or_else(|| strip(&inner, "{", "}")).unwrap_or(inner)
    };
    let line = |command: &str, text: String| {
        let is_one = text.contains(" for ")
            && text.contains(" in range(")
            && !text.contains(['\n', ';', '=']);
        is_one.then(|| format!("{command}{}", values(&text)))
    };
    strip(text, "len(set(", "))")
        .or_else(|| strip(text, "len({", "})"))
        .and_then(|text| line("count ", text))
        .or_else(|| {
            ["max(", "min("].iter().find_map(|open| line("range ", strip(text, open, ")")?))
        })
        .or_else(|| Some(format!("points {}", some_point(&strip(text, "any(", ")")?)?)))
        .or_else(|| Some(format!("count {}", some_point(&strip(text, "count(", ")")?)?)))
        .or_else(|| counted(text))
        .or_else(|| nested(text))
        .or_else(|| line("", strip(text, "[", "]")?))
        .or_else(|| {
            let inner = strip(text, "sorted(", ")").unwrap_or_else(|| text.to_owned());
            let set = strip(&inner, "set(", ")").or_else(|| strip(&inner, "{", "}"))?;
            // A set of isl has a colon.
            line("image ", set).filter(|line| !line.contains(':'))
        })
        .or_else(|| {
            // A statement, which contains `==`.
            let text = strip(text, "all(", ")")?;
            let is_one = text.contains(" for ") && !text.contains(['\n', ';']);
            is_one.then(|| values(&text))
        })
}

/// Translates `count i * 3 % 8 >= 5 for i in range(8)`, of which the points are counted where the comparison holds.
fn counted(text: &str) -> Option<String> {
    let rest = text.trim().strip_prefix("count ")?;
    let claim = rest.split_once(" for ")?.0;
    let plain = claim.replace("<<", "").replace(">>", "").replace("->", "");
    let is_claim = plain.contains(['<', '>']) || plain.contains("==") || plain.contains("!=");
    let is_other = claim.contains('"')
        || claim.contains(" where ")
        || claim.starts_with('(') && claim.contains("->");
    (is_claim && !is_other).then(|| Some(format!("count {}", some_point(rest)?))).flatten()
}

/// Translates a list of lists, `[[i * 4 + j for j in range(4)] for i in range(3)]`, whose outer loop comes last.
fn nested(text: &str) -> Option<String> {
    let inner = text.trim().strip_prefix('[')?.strip_suffix(']')?.trim();
    let close = super::array::closing(inner).filter(|_| inner.starts_with('['))?;
    let (list, outer) = (&inner[1..close], inner[close + 1..].trim());
    let (value, bounds) = list.split_once(" for ")?;
    let are_loops = outer.starts_with("for ") && outer.contains(" in range(");
    (are_loops && !value.contains(['[', '=']) && !text.contains([';', '\n']))
        .then(|| format!("{value} {outer} for {bounds}"))
}

/// Returns `lane < 5 for lane in range(0, 8)` for `tl.arange(0, 8) < 5`.
fn of_vector(text: &str) -> Option<String> {
    let at = text.find("arange(").filter(|_| !text.contains(" for "))?;
    let start = text[..at].rfind(|c: char| !(c.is_alphanumeric() || "._".contains(c)));
    let start = start.map_or(0, |before| before + 1);
    let end = at + super::array::closing(&text[at..])? + 1;
    let range = text[at..end].trim_start_matches('a').trim_start_matches("range");
    let rest = &text[end..];
    (!rest.contains("arange("))
        .then(|| format!("{}lane{rest} for lane in range{range}", &text[..start]))
}

/// Translates `i * 3 % 8 == 5 for i in range(8)` to `i where i * 3 % 8 == 5, i in range(8)`.
fn some_point(text: &str) -> Option<String> {
    let text = &of_vector(text).unwrap_or_else(|| text.to_owned());
    let (claim, bounds) = text.split_once(" for ")?;
    // `for i in range(8), j in range(4)`, `i in [0, 9] and j in [0, 9]`
    let ends = [("), ", ")"), ("], ", "]"), (") and ", ")"), ("] and ", "]")];
    let joined =
        |text: String, (end, close): &(&str, &str)| text.replace(end, &format!("{close} for "));
    let bounds = ends.iter().fold(bounds.to_owned(), joined);
    let mut bounds: Vec<&str> = bounds.split(" for ").collect();
    let last = bounds.pop()?;
    let (last, condition) =
        last.split_once(" if ").map_or((last, None), |(last, condition)| (last, Some(condition)));
    bounds.push(last);
    let names = bounds.iter().map(|bound| Some(bound.split_once(" in ")?.0.trim()));
    let names: Vec<&str> = names.collect::<Option<_>>()?;
    let is_range = |bound: &&str| bound.contains(" in range(") || bound.contains(" in [");
    let are_names = names.iter().all(|names| names.split(',').all(|name| is_name(name.trim())));
    let is_one = are_names
        && bounds.iter().all(is_range)
        && !text.contains(['\n', ';'])
        && !claim.contains(" if ");
    let conditions = bounds.iter().copied().chain(condition);
    let conditions: Vec<&str> = conditions.collect();
    is_one.then(|| format!("{} where {claim}, {}", names.join(", "), conditions.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_lines() {
        for (text, expected) in [
            (
                "any(i * 3 % 8 == j for i in range(8) for j in range(4) if i < j)",
                "points i, j where i * 3 % 8 == j, i in range(8), j in range(4), i < j",
            ),
            (
                "count(6 + tl.arange(0, 8) < 9)",
                "count lane where 6 + lane < 9, lane in range(0, 8)",
            ),
            ("any(i * 2 == 5 for i in range(8))", "points i where i * 2 == 5, i in range(8)"),
            ("len(set(i // 4 for i in range(9)))", "count i // 4 for i in range(9)"),
            ("max(i * 3 for i in range(4))", "range i * 3 for i in range(4)"),
            ("[i * 3 % 8 for i in range(8)]", "i * 3 % 8 for i in range(8)"),
            ("{i % 6 for i in range(9)}", "image i % 6 for i in range(9)"),
            ("sorted(set(i % 6 for i in range(9)))", "image i % 6 for i in range(9)"),
            ("all(i // 4 == 2 for i in range(8, 12))", "i // 4 == 2 for i in range(8, 12)"),
            (
                "[[i * 4 + j for j in range(4)] for i in range(3)]",
                "i * 4 + j for i in range(3) for j in range(4)",
            ),
            (
                "count((x + y) == (7) for x in [0, 9] and y in [0, 9])",
                "count x, y where (x + y) == (7), x in [0, 9], y in [0, 9]",
            ),
        ] {
            assert_eq!(comprehension(text).as_deref(), Some(expected), "{text}");
        }
        for text in [
            "[[1, 2], [3, 4]]",
            "[i for i in x]",
            "any(x)",
            "min(i, 7) - max(i, 3) for i in range(9)",
        ] {
            assert_eq!(comprehension(text), None, "{text}");
        }
    }
}
