//! Calls of CuTe, as C++ and Python have them: `make_layout(make_shape(4, 8), make_stride(8, 1))`, `zipped_divide(A, B)`.

use crate::bare::{called_algebra, is_cute};
use crate::token::{Class, split};

/// The line of `layout` that a call asks for.
pub fn line(text: &str) -> Option<String> {
    let text = text.trim().trim_end_matches(';');
    if !text.ends_with(')') || !text.contains('(') {
        return None;
    }
    let written = layouts(text);
    if let Some(line) = called_algebra(&written) {
        return Some(line);
    }
    if text.contains("make_layout(") {
        if let Some((name, layout)) = written.split_once('=').filter(|(_, layout)| is_cute(layout))
        {
            let name = name.trim().trim_start_matches("constexpr ").trim_start_matches("auto ");
            let name = name.trim();
            return Some(format!("let {name} = {}", layout.trim()));
        }
        return is_cute(&written).then(|| format!("layout {written}"));
    }
    let (name, rest) = written.strip_suffix(')')?.split_once('(')?;
    let is_asked = matches!(name.rsplit([':', '.']).next()?, "size" | "cosize" | "print_layout");
    (is_asked && is_cute(rest)).then(|| format!("layout {rest}"))
}

/// The text with `shape:stride` for each `make_layout(shape, stride)`, and numbers for `Int<4>{}` and `_4{}`.
fn layouts(text: &str) -> String {
    let text = numbers(text);
    let mut out = String::new();
    let mut rest = text.as_str();
    while let Some(at) = rest.find("make_layout(") {
        let inner = &rest[at + "make_layout(".len()..];
        let Some(end) = closing(inner) else { break };
        out.push_str(rest[..at].trim_end_matches("cute::").trim_end_matches("cute."));
        let parts = split(&inner[..end], 0..end, Class::Comma);
        let parts: Vec<String> = parts.into_iter().map(|span| tuple(inner[span].trim())).collect();
        match &parts[..] {
            [shape] => out.push_str(&compact(shape).unwrap_or_default()),
            parts => out.push_str(&parts.join(":")),
        }
        rest = &inner[end + 1..];
    }
    out.push_str(rest);
    out
}

/// A shape of numbers with the strides that CuTe gives it: `(4,8):(1,4)`.
fn compact(shape: &str) -> Option<String> {
    let inner = shape.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')).unwrap_or(shape);
    let mut stride = 1u64;
    let mut strides = Vec::new();
    for size in inner.split(',') {
        strides.push(stride.to_string());
        stride = stride.checked_mul(size.trim().parse().ok()?)?;
    }
    Some(match inner.len() == shape.len() {
        true => format!("{shape}:1"),
        false => format!("{shape}:({})", strides.join(",")),
    })
}

/// `make_shape(4, 8)` and `make_stride(..)` as `(4, 8)`
fn tuple(text: &str) -> String {
    ["cute::", "make_shape", "make_stride", "make_coord", "stride=", "shape=", " "]
        .iter()
        .fold(text.to_owned(), |text, word| text.replace(word, ""))
}

fn numbers(text: &str) -> String {
    let mut out = text.replace("{}", "");
    while let Some(at) = out.find("Int<") {
        let Some(length) = out[at..].find('>') else { break };
        let number = out[at + "Int<".len()..at + length].trim().to_owned();
        out.replace_range(at..=at + length, &number);
    }
    let mut plain = String::new();
    let mut before = ' ';
    let mut letters = out.chars().peekable();
    while let Some(letter) = letters.next() {
        let is_mark = letter == '_'
            && !before.is_alphanumeric()
            && letters.peek().is_some_and(char::is_ascii_digit);
        if !is_mark {
            plain.push(letter);
        }
        before = letter;
    }
    plain
}

/// Where the bracket that is open ends.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    text.char_indices().find_map(|(at, letter)| {
        match letter {
            '(' => depth += 1,
            ')' if depth == 0 => return Some(at),
            ')' => depth -= 1,
            _ => {}
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_lines() {
        for (text, expected) in [
            (
                "zipped_divide((8,8):(8,1), (2,4):(1,2))",
                Some("layout divide (8,8):(8,1) ; (2,4):(1,2) --zipped"),
            ),
            ("cute::size((4,8):(1,4))", Some("layout (4,8):(1,4)")),
            ("make_layout(make_shape(4, 8), make_stride(8, 1))", Some("layout (4,8):(8,1)")),
            (
                "make_layout(make_shape(Int<4>{}, _8{}), make_stride(_8{}, Int<1>{}));",
                Some("layout (4,8):(8,1)"),
            ),
            (
                "composition(make_layout(make_shape(8, 4), make_stride(4, 1)), make_layout(make_shape(4), make_stride(2)))",
                Some("layout compose (8,4):(4,1) ; (4):(2)"),
            ),
            (
                "auto a = make_layout(make_shape(4, 8), make_stride(8, 1));",
                Some("let a = (4,8):(8,1)"),
            ),
            (
                "logical_product(make_layout(make_shape(Int<2>{}, Int<3>{})), make_layout(Int<4>{}))",
                Some("layout product (2,3):(1,2) ; 4:1"),
            ),
            ("make_layout(make_shape(4, 8", None),
            ("max(3, 4)", None),
            ("(4 + i) * (j)", None),
        ] {
            assert_eq!(line(text).as_deref(), expected, "{text}");
        }
    }
}
