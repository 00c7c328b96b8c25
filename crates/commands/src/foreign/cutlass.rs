//! Calls of CuTe, in C++ and Python: `make_layout(make_shape(4, 8), make_stride(8, 1))`, `zipped_divide(A, B)`.

use super::array::closing;
use super::indices::{column_major, flat, row_major};
use super::numbers::{integers, only_call};
use crate::bare::{called_algebra, is_cute};
use crate::cute_word::cute_operation;
use crate::token::listed;

/// Translates a call to a line of `layout`.
pub fn line(text: &str) -> Option<String> {
    let text = text.trim().trim_end_matches(';');
    let has_types = text.contains("Layout<");
    if !has_types && (!text.ends_with(')') || !text.contains('(')) {
        return None;
    }
    if let Some(line) = swizzled_number(text) {
        return Some(line);
    }
    let written = layouts(&templates(text));
    if let Some((left, right)) = written.split_once("==").filter(|_| !text.contains("//")) {
        let are_layouts = [left, right].iter().all(|side| is_cute(side) && side.contains(':'));
        return are_layouts.then(|| format!("equal {} ; {}", left.trim(), right.trim()));
    }
    let plain = tuple(&written);
    let called = shaped(&plain).or_else(|| super::local::line(&plain));
    if let Some(line) = called.or_else(|| called_algebra(&written)).or_else(|| swizzled(&written)) {
        return Some(line);
    }
    if has_types || text.contains("make_layout(") {
        if let Some((name, layout)) = written.split_once('=').filter(|(_, layout)| is_cute(layout))
        {
            let name = ["using ", "constexpr ", "auto "]
                .iter()
                .fold(name.trim(), |name, word| name.trim_start_matches(word));
            let name = name.trim();
            return Some(format!("let {name} = {}", layout.trim()));
        }
        if is_cute(&written) {
            return Some(format!("layout {written}"));
        }
    }
    let (name, rest) = only_call(&written)?;
    let is_asked = matches!(name.rsplit([':', '.']).next()?, "size" | "cosize" | "print_layout");
    (is_asked && is_cute(rest)).then(|| format!("layout {rest}"))
}

/// Translates `zipped_divide((16,32):(1,16), (4,8))`, by a shape whose modes are separate tiles, and `complement(4:2, 24)`, up to
/// a size.
fn shaped(text: &str) -> Option<String> {
    let (name, rest) = only_call(text)?;
    let (word, option) = cute_operation(name.rsplit([':', '.']).next()?)?;
    let [layout, shape] = listed(rest)[..] else { return None };
    if !is_cute(layout) {
        return None;
    }
    match word {
        "complement" => {
            let size: i64 = shape.trim().parse().ok().filter(|size| *size > 0)?;
            Some(format!("layout complement {layout} {size}"))
        }
        "divide" | "compose" => Some(format!("layout {word} {layout} ; {}{option}", tiler(shape)?)),
        _ => None,
    }
}

/// Translates a size, or a tuple of sizes and layouts, to a tiler: `(4:1, 2)` and `make_tile(4:1, 2)` are `<4:1,2:1>`.
fn tiler(text: &str) -> Option<String> {
    let text = text.strip_prefix("make_tile").unwrap_or(text).trim();
    let is_size = |text: &str| text.parse().is_ok_and(|size: i64| size > 0);
    if !text.starts_with('(') {
        return is_size(text).then(|| format!("{text}:1"));
    }
    let modes = text.get(1..closing(text).filter(|end| end + 1 == text.len())?)?;
    let mode = |mode: &str| match is_size(mode) {
        true => Some(format!("{mode}:1")),
        false => (is_cute(mode) && mode.contains(':')).then(|| mode.to_owned()),
    };
    let modes: Option<Vec<String>> =
        listed(modes).into_iter().map(|one| mode(one.trim())).collect();
    Some(format!("<{}>", modes?.join(",")))
}

/// Returns an expression with each `Swizzle<B,M,S>(x)` as `x ^ ((x >> S) & mask)`. Source: CuTe, `swizzle.hpp`.
pub fn swizzled_values(text: &str) -> Option<String> {
    let mut out = text.to_owned();
    let mut is_found = false;
    while let Some(start) = out.find("Swizzle<") {
        let (bits, _) = out[start + "Swizzle<".len()..].split_once('>')?;
        let behind = start + "Swizzle<".len() + bits.len() + 1;
        let open = behind + if out[behind..].starts_with("{}") { 2 } else { 0 };
        let close = open + closing(&out[open..]).filter(|_| out[open..].starts_with('('))?;
        let value = out[open..=close].to_owned();
        let [bits, base, shift] = integers(bits).ok()?[..] else { return None };
        if !(1..=16).contains(&bits) || !(0..=16).contains(&base) || !(1..=16).contains(&shift) {
            return None;
        }
        let mask = ((1i64 << bits) - 1) << base;
        // A number alone is the index of an element of a layout.
        is_found |= value.contains(char::is_alphabetic);
        out.replace_range(start..=close, &format!("({value} ^ (({value} >> {shift}) & {mask}))"));
        if out.len() > 1 << 12 {
            return None;
        }
    }
    is_found.then_some(out)
}

/// Translates `Swizzle<2,3,3>(200)`, and `Swizzle<2,3,3>{}(200)`: the position of a number in a row that has it.
fn swizzled_number(text: &str) -> Option<String> {
    let word = ["Swizzle<", "Sw<"].into_iter().find(|word| text.starts_with(word))?;
    let (bits, rest) = text[word.len()..].split_once('>')?;
    let rest = ["{}", "()"].iter().find_map(|empty| rest.strip_prefix(empty)).unwrap_or(rest);
    let number = rest.strip_prefix('(')?.strip_suffix(')')?.trim();
    let (at, bits) = (number.parse::<u32>().ok()?, integers(bits).ok()?);
    let all: i64 = bits.iter().map(|bit| bit.abs()).sum();
    let size = u64::from(at).checked_add(1)?.next_power_of_two();
    let size = size.max(1u64.checked_shl(u32::try_from(all).ok().filter(|all| *all < 40)?)?);
    let bits: Vec<String> = bits.iter().map(i64::to_string).collect();
    Some(format!("layout Swizzle<{}> o {size}:1 --index {at}", bits.join(",")))
}

/// Translates `composition(Swizzle<2,3,3>, (8,32):(1,8))`, which composes a swizzle and a layout rather than two layouts.
fn swizzled(text: &str) -> Option<String> {
    let (name, rest) = only_call(text)?;
    if cute_operation(name.rsplit([':', '.']).next()?)?.0 != "compose" {
        return None;
    }
    let [swizzle, layout] = listed(rest)[..] else { return None };
    let is_one = ["Swizzle<", "Sw<"].iter().any(|word| swizzle.starts_with(word));
    (is_one && swizzle.ends_with('>') && is_cute(layout))
        .then(|| format!("layout {swizzle} o {layout}"))
}

/// Replaces each `make_layout(shape, stride)` by `shape:stride`, and `Int<4>{}` and `_4{}` by numbers.
fn layouts(text: &str) -> String {
    let text = numbers(text);
    let mut out = String::new();
    let mut rest = text.as_str();
    while let Some(at) = rest.find("make_layout(") {
        let behind = &rest[at + "make_layout".len()..];
        let Some(end) = closing(behind) else { break };
        let inner = &behind[1..end];
        out.push_str(rest[..at].trim_end_matches("cute::").trim_end_matches("cute."));
        let parts: Vec<String> = listed(inner).into_iter().map(tuple).collect();
        match &parts[..] {
            [shape] => out.push_str(&with_strides(shape, column_major).unwrap_or_default()),
            [shape, order] if order.starts_with("LayoutRight") => {
                out.push_str(&with_strides(shape, row_major).unwrap_or_default());
            }
            [shape, order] if order.starts_with("LayoutLeft") => {
                out.push_str(&with_strides(shape, column_major).unwrap_or_default());
            }
            parts => out.push_str(&parts.join(":")),
        }
        rest = &behind[end + 1..];
    }
    out.push_str(rest);
    out
}

/// Returns a shape of numbers with these strides: `(4,8):(1,4)`.
fn with_strides(shape: &str, strides: fn(&[i64]) -> Option<Vec<i64>>) -> Option<String> {
    let strides = strides(&flat(shape)?)?;
    let strides: Vec<String> = strides.iter().map(i64::to_string).collect();
    Some(match shape.starts_with('(') {
        true => format!("{shape}:({})", strides.join(",")),
        false => format!("{shape}:{}", strides.join(",")),
    })
}

/// Translates types of C++: `Layout<Shape<_4,_8>,Stride<_1,_4>>` becomes `(_4,_8):(_1,_4)`.
fn templates(text: &str) -> String {
    let mut out = text.replace("cute::", "");
    for word in ["Shape<", "Stride<", "Step<", "tuple<"] {
        while let Some(at) = out.find(word) {
            let inner = at + word.len();
            let Some(end) = closing_type(&out[inner..]) else { return text.to_owned() };
            out.replace_range(inner + end..=inner + end, ")");
            out.replace_range(at..inner, "(");
        }
    }
    while let Some(at) = out.find("Layout<") {
        let inner = at + "Layout<".len();
        let Some(end) = closing_type(&out[inner..]) else { return text.to_owned() };
        let made = format!("make_layout({})", &out[inner..inner + end]);
        let behind = inner + end + 1;
        let braces = if out[behind..].starts_with("{}") { 2 } else { 0 };
        out.replace_range(at..behind + braces, &made);
    }
    out
}

/// Returns the position of the `>` that closes the open `<`.
fn closing_type(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    text.char_indices().find_map(|(at, letter)| {
        match letter {
            '<' => depth += 1,
            '>' if depth == 0 => return Some(at),
            '>' => depth -= 1,
            _ => {}
        }
        None
    })
}

/// Translates `make_shape(4, 8)` and `make_stride(..)` to `(4, 8)`.
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
            ("Layout<Shape<_4,_8>,Stride<_1,_4>>", Some("layout (4,8):(1,4)")),
            (
                "using A = Layout<Shape<_4, Shape<_2,Int<3>>>, Stride<_3, Stride<_12,_1>>>;",
                Some("let A = (4,(2,3)):(3,(12,1))"),
            ),
            (
                "composition(Layout<_24>{}, make_layout(make_shape(_4{}, _3{}), LayoutRight{}))",
                Some("layout compose 24:1 ; (4,3):(3,1)"),
            ),
            ("(4,8):(8,1) == (4,(2,4)):(8,(4,1))", Some("equal (4,8):(8,1) ; (4,(2,4)):(8,(4,1))")),
            (
                "composition(Swizzle<2,3,3>{}, make_layout(make_shape(8, 4)))",
                Some("layout Swizzle<2,3,3> o (8,4):(1,8)"),
            ),
            (
                "cosize(make_layout(make_shape(4, 8), make_stride(10, 1)))",
                Some("layout (4,8):(10,1)"),
            ),
            (
                "local_tile(make_layout(make_shape(8, 8), make_stride(8, 1)), make_shape(4, 4), make_coord(1, 0))",
                Some("(1) * 32 + (0) * 4 + i * 8 + j * 1 for i in range(4) for j in range(4)"),
            ),
            (
                "zipped_divide(make_layout(make_shape(16, 32)), make_shape(4, 8))",
                Some("layout divide (16,32):(1,16) ; <4:1,8:1> --zipped"),
            ),
            (
                "zipped_divide((16,8):(8,1), (4:1, 2))",
                Some("layout divide (16,8):(8,1) ; <4:1,2:1> --zipped"),
            ),
            (
                "tiled_divide(make_layout((16,8),(8,1)), make_tile(Layout<_4,_1>{}, _2{}))",
                Some("layout divide (16,8):(8,1) ; <4:1,2:1> --tiled"),
            ),
            ("Swizzle<3,3,3>(200)", Some("layout Swizzle<3,3,3> o 512:1 --index 200")),
            ("Swizzle<2, 3, -3>{}(300)", Some("layout Swizzle<2,3,-3> o 512:1 --index 300")),
            ("Swizzle<2,3,3>(i)", None),
            ("injective composition(Swizzle<2,3,3>{}, make_layout(make_shape(8, 4)))", None),
            ("injective complement(make_layout(4, 2), 24)", None),
            ("complement(make_layout(4, 2), 24)", Some("layout complement 4:2 24")),
            ("(4 + i) == (j)", None),
            ("Layout<Shape<_4,_8>,Stride<_1,_4>", None),
            ("make_layout(make_shape(4, 8", None),
            ("max(3, 4)", None),
            ("(4 + i) * (j)", None),
        ] {
            assert_eq!(line(text).as_deref(), expected, "{text}");
        }
    }
}
