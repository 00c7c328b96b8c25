//! Questions in English, by the table in [`super::forms`], and Python's questions over all values.

use super::clauses::{behind, looped};
use super::comprehensions::comprehension;
use super::filled::{
    applied, by_columns, digits, elements, fitting, identity, only_name, product, reordered, typed,
    under_condition, without_nouns, without_order,
};
use super::forms::PARSED;
use super::holes::{Hole, holes, says, shape, texts};
use super::openings::without_opening;
use super::warps::{of_element, of_warps};
use crate::bare::goes_on_with;
use affinor::text::is_name;

/// Translates a question in English, or a Python expression over all values.
pub fn line(text: &str) -> Option<String> {
    if let Some(line) = comprehension(text) {
        return Some(line);
    }
    if let Some(line) = of_element(text) {
        return Some(line);
    }
    // Macros before a question belong to the line that it is.
    if let Some((macros, asked)) =
        text.trim_end().rsplit_once('\n').filter(|_| text.starts_with("#define "))
    {
        let line = line(asked)?;
        return Some(match line.split_once(' ') {
            Some((command, rest)) if is_name(command) && !goes_on_with(rest) => {
                format!("{command} {macros}\n{rest}")
            }
            _ => format!("{macros}\n{line}"),
        });
    }
    let text = text.trim().trim_end_matches(['?', '.']).trim_end();
    if let Some(text) =
        [" in C", " in CUDA", " in C++"].iter().find_map(|word| text.strip_suffix(word))
    {
        return line(text).map(|line| format!("{line} --c"));
    }
    if let Some(line) = behind(text).or_else(|| looped(text)).and_then(|text| line(&text)) {
        return Some(line);
    }
    let bounded = super::ranges::from_to(text);
    let text = bounded.as_deref().unwrap_or(text);
    let dotted = super::ranges::dotted(text);
    let text = dotted.as_deref().unwrap_or(text);
    let looped = super::ranges::loops(text);
    let text = looped.as_deref().unwrap_or(text);
    if let Some(line) = without_order(text).and_then(|rest| by_columns(&line(&rest)?)) {
        return Some(line);
    }
    let signed = super::relations::signed(text);
    let text = signed.as_deref().unwrap_or(text);
    // `i * 8 + j stays below 64` is a claim without another word.
    let claim = || signed.clone().filter(|text| Hole::Claim.takes(text));
    without_opening(text).and_then(asked).or_else(|| asked(text)).or_else(claim)
}

/// Translates a question by the table.
fn asked(text: &str) -> Option<String> {
    let plain = without_nouns(text);
    let text = plain.as_str();
    let lower = text.to_ascii_lowercase();
    PARSED.iter().find_map(|(form, of_form, line)| {
        let parts = texts(of_form, text, &lower)?.into_iter().zip(holes(of_form));
        let parts = parts.map(|(part, hole)| match hole {
            Hole::Sizes | Hole::Shape => shape(part),
            _ => Some(part.to_owned()),
        });
        let parts: Vec<String> = parts.collect::<Option<_>>()?;
        // `is {}` and `what is {}` are about a statement or a value, not about any other text.
        let is_last = matches!(*form, "is {}" | "what is {}" | "does {} hold {}");
        let is_said = |part: &String| {
            let is_english =
                part.starts_with("the ") || part.starts_with("there ") || part.contains(" ever ");
            // Words behind statements would be lost.
            let is_cut = part.contains(';') && part.ends_with(char::is_alphabetic);
            says(part) && !is_english && !is_cut && !part.ends_with(" contiguous")
        };
        if is_last && !parts.first().is_some_and(is_said) {
            return None;
        }
        // `what does y[1] read` asks about the program that computes `y`, which is not here.
        let is_result = |part: &String| Hole::Element.takes(part) && !has_name_in_index(part);
        if parts.iter().any(is_result) && (*line == "{0}" || line.starts_with("image")) {
            return None;
        }
        let line = line_for(form, line, &parts, text)?;
        // For `s[threadIdx.x * 33]`, the question is about the element's index.
        let is_of_warps = line.starts_with("banks") || line.starts_with("coalesce");
        let (kind, parts) = if is_of_warps { typed(parts) } else { (None, parts) };
        let parts = parts.iter().map(|part| if is_of_warps { index_of(part) } else { part });
        let mut parts: Vec<&str> = parts.collect();
        // In `does offs = pid * 4 go out of bounds`, the value is asked about.
        if line.starts_with("inside") {
            parts[0] =
                crate::bare::assignment(parts[0]).map_or(parts[0], |(_, value)| value.trim());
        }
        let mut line = line.to_owned();
        if line.contains("{name}") {
            line = line.replace("{name}", only_name(parts[0])?);
        }
        if line == "{to_rows}" || line == "{to_columns}" {
            line = reordered(parts[0], line == "{to_rows}")?;
        }
        if line == "{digits}" {
            line = digits(parts[0], parts[1])?;
        }
        if line == "{product}" {
            line = product(parts[0])?;
        }
        if line.contains("{identity}") {
            line = line.replace("{identity}", &identity(parts[0])?);
        }
        let is_of_elements = holes(of_form).next() == Some(Hole::Element) && !is_of_warps;
        if is_of_elements || line.starts_with("solve (") || line.starts_with("any((") {
            parts = elements(parts)?;
        }
        let filled = (0..)
            .zip(&parts)
            .fold(line, |line, (number, part)| line.replace(&format!("{{{number}}}"), part));
        let filled = match is_of_warps {
            true => of_warps(filled.trim_end().to_owned() + &kind.unwrap_or_default()),
            false => filled,
        };
        finished(form, under_condition(filled))
    })
}

/// Returns whether the index of an element has a name.
fn has_name_in_index(element: &str) -> bool {
    element.split_once('[').is_some_and(|(_, index)| index.contains(char::is_alphabetic))
}

/// Returns a filled line in the form that its command takes.
fn finished(form: &str, filled: String) -> Option<String> {
    // An equation compares.
    let filled = match filled.starts_with("count ") && filled.contains(" where ") {
        true => filled.replace(" = ", " == "),
        false => filled,
    };
    let filled = fitting(filled.replace(" , ", ", "));
    let filled = super::domains::behind_map(&filled).unwrap_or(filled);
    // Bounds of a map are its domain.
    let (filled, option) = match filled.strip_suffix(" --onto") {
        Some(filled) => (filled.trim_end().to_owned(), " --onto"),
        None => (filled, ""),
    };
    let filled = match filled.rsplit_once(" for ") {
        Some((map, bounds))
            if map.contains("->") && bounds.contains(" in [") && !bounds.contains(" for ") =>
        {
            // A map of code, with an operator on bits, has its bounds after a word.
            let is_code = map.contains(['^', '&', '|']) || map.contains("<<") || map.contains(">>");
            let word = if is_code { " with" } else { ", domain:" };
            format!("{}{word} {bounds}", map.trim_end_matches(','))
        }
        _ => filled,
    };
    // Without bounds there are infinitely many points, so the domain is printed instead.
    let is_open = !filled.contains(['<', '>']) && !filled.contains(" in ");
    let filled = match filled.strip_prefix("points ").filter(|_| is_open) {
        // One solution is found without bounds.
        Some(rest) if form.starts_with("find|list") && rest.contains('=') => {
            format!("solve {}", rest.split_once(" where ").map_or(rest, |(_, claim)| claim))
        }
        Some(rest) => format!("simplify {rest}"),
        None => filled,
    };
    let filled = applied(filled)?;
    // The index of an element may be in brackets.
    let filled = match filled.split_once(" --index ") {
        Some((layout, index)) => {
            let index = index.trim_matches(['(', ')', '[', ']']).replace(' ', "");
            let is_index = index.split(',').all(|part| part.parse::<u64>().is_ok());
            let memref = layout.strip_prefix("layout ").filter(|of| of.starts_with("memref<"));
            return is_index.then(|| match memref {
                Some(memref) => format!("eval {memref} {index}"),
                None => format!("{layout} --index {index}"),
            });
        }
        None => filled,
    };
    match filled.starts_with("any(") || filled.starts_with("count(") {
        true => comprehension(&filled),
        false => Some(format!("{}{option}", filled.trim_end())),
    }
}

/// Returns the line for a form whose holes have these texts; `None` if the form is not about them.
fn line_for<'l>(form: &str, line: &'l str, parts: &[String], text: &str) -> Option<&'l str> {
    // A set of isl is counted; for an `affine_set`, emptiness is decided.
    let is_isl = parts.first().is_some_and(|part| part.starts_with(['{', '[']));
    Some(match form {
        _ if line.starts_with("layout")
            && !parts[of_layout(line)].contains(['[', ':'])
            && !parts[of_layout(line)].starts_with("memref<") =>
        {
            return None;
        }
        "strides|stride of {r}" if parts[0].starts_with("memref<") => return None,
        // Threads coalesce at an index; a layout of CuTe coalesces its modes.
        "coalesce {w}" if !parts[0].contains("):(") => return None,
        _ if parts.first().is_some_and(|part| part.ends_with(" ever")) => return None,
        _ if line == "eval it {0}" && super::numbers::integers(&parts[0]).is_err() => {
            return None;
        }
        "is {} empty" if is_isl => "count {0}",
        "is {} empty" if !parts[0].starts_with("affine_set") => return None,
        "is {}" if is_isl && text.ends_with(|c: char| c.is_alphabetic()) => return None,
        _ => line,
    })
}

/// Returns the number of the text that a line about a layout has it from.
fn of_layout(line: &str) -> usize {
    let number = line.split_once('{').and_then(|(_, rest)| rest.chars().next()?.to_digit(10));
    number.map_or(0, |number| number as usize)
}

/// Returns the index of an element of a one-dimensional array.
fn index_of(text: &str) -> &str {
    let inner = text.strip_suffix(']').and_then(|text| text.split_once('['));
    match inner {
        Some((name, index)) if affinor::text::is_name(name) && !index.contains(['[', ',']) => index,
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_lines() {
        for (text, expected) in [
            (
                "is i * 4 + j injective for i in range(4) for j in range(4)?",
                "injective i * 4 + j for i in range(4) for j in range(4)",
            ),
            ("Does a * b fit in 32 bits", "fits a * b  --bits 32"),
            ("Does a * b fit in 4 bits for a in range(9)", "fits a * b for a in range(9) --bits 4"),
            ("are i / 4 / 2 and i / 8 the same?", "equal i / 4 / 2 ; i / 8"),
            ("is x / 4 the same as x >> 2", "equal x / 4 ; x >> 2"),
            (
                "is f32[8,16]{1,0} to f32[16,8]{0,1} a bitcast",
                "bitcast f32[8,16]{1,0} f32[16,8]{0,1}",
            ),
            (
                "is 4 * i + 8 a multiple of 4 for i in range(3)",
                "(4 * i + 8) % 4 == 0 for i in range(3)",
            ),
            ("where is [3,5] in f32[8,16]{0,1}?", "layout f32[8,16]{0,1} --index 3,5"),
            ("bitcast f32[8,16] -> f32[16,8]{0,1}", "bitcast f32[8,16] f32[16,8]{0,1}"),
            ("what is the inverse of (4,8):(8,1)", "inverse (4,8):(8,1)"),
            ("is x % 8 always less than 8", "x % 8 < 8"),
            ("is x * 4 always a multiple of 4?", "(x * 4) % 4 == 0"),
            ("which x in range(64) have x % 8 == 3", "points x where x in range(64), x % 8 == 3"),
            (
                "can i * 12 + j be 7 for i in range(4), j in range(4)?",
                "points i, j where (i * 12 + j) == (7), i in range(4), j in range(4)",
            ),
            (
                "compose (x) -> (x // 8) with (i) -> (i * 8)",
                "compose (x) -> (x // 8) ; (i) -> (i * 8)",
            ),
            ("stride of i in i * 4 + j", "strides i * 4 + j"),
            (
                "is affine_set<(d0) : (d0 - 10 >= 0, 5 - d0 >= 0)> empty?",
                "affine_set<(d0) : (d0 - 10 >= 0, 5 - d0 >= 0)>",
            ),
            ("is { [i] : 2i = 5 } empty?", "count { [i] : 2i = 5 }"),
            ("index 2,3 of f32[3,5]{1,0:T(2,2)}", "layout f32[3,5]{1,0:T(2,2)} --index 2,3"),
            ("is f32[3,5]{1,0} row-major?", "layout f32[3,5]{1,0}"),
            ("where does element [5, 130] of f32[16,256] live", "layout f32[16,256] --index 5,130"),
            (
                "how many pairs i, j in range(8) with i + j < 8",
                "count i, j where i, j in range(8), i + j < 8",
            ),
            ("complement (4):(2) 16", "layout complement (4):(2) 16"),
            ("composition (20):(2) (5,4):(4,1)", "layout compose (20):(2) ; (5,4):(4,1)"),
            ("coalesce (2,4):(1,2)", "layout coalesce (2,4):(1,2)"),
            ("draw layout f32[4,6]", "layout f32[4,6] --draw"),
            (
                "is (i) -> (i * 2) injective on i in [0, 1]?",
                "injective (i) -> (i * 2), domain: i in [0, 1]",
            ),
            ("unravel 17 (3,4,5)", "np.unravel_index(17, (3,4,5))"),
            ("is x / 4 / 8 == x / 32 ?", "x / 4 / 8 == x / 32"),
            ("what is -7 // 2?", "-7 // 2"),
            (
                "for which i is i * 3 % 8 == 1, 0 <= i < 8",
                "points i where i * 3 % 8 == 1, 0 <= i < 8",
            ),
            ("for which n is n % 8 == 0?", "simplify n where n % 8 == 0"),
            ("for which n in range(9) is n % 8 == 0?", "points n where n in range(9), n % 8 == 0"),
            ("when is x // 2 == 3 ?", "prove x // 2 == 3"),
            ("f32[3,5]{0,1:T(2,2)} at 2,3", "layout f32[3,5]{0,1:T(2,2)} --index 2,3"),
            (
                "find i in [0, 9] with i * 3 % 10 == 7",
                "points i where i in [0, 9], i * 3 % 10 == 7",
            ),
            ("what are the strides of i * 6 + j * 4", "strides i * 6 + j * 4"),
            ("is i * 4 one to one for i in range(4)?", "injective i * 4 for i in range(4)"),
            ("i * 4 + j is injective", "injective i * 4 + j"),
            (
                "Tell me the largest value of i // 4 for i in range(9)",
                "range i // 4 for i in range(9)",
            ),
            (
                "what is the physical offset of element [3, 5] in f32[16,256]{1,0:T(8,128)}?",
                "layout f32[16,256]{1,0:T(8,128)} --index 3,5",
            ),
            (
                "how many elements are padding in f32[3,5]{1,0:T(2,2)}",
                "layout f32[3,5]{1,0:T(2,2)}",
            ),
            (
                "what element is at position 17 of f32[3,5]{1,0:T(2,2)}?",
                "layout f32[3,5]{1,0:T(2,2)} --linear 17",
            ),
            ("is x less than or equal to 3 for x in range(3)", "x <= 3 for x in range(3)"),
            ("f32[8,128]{1,0} index 3,4", "layout f32[8,128]{1,0} --index 3,4"),
            (
                "((4, 2), 8):((1, 4), 8) o <4:1, 2:1>",
                "layout compose ((4, 2), 8):((1, 4), 8) ; <4:1, 2:1>",
            ),
            ("range of i // 4 for i in range(9)", "range i // 4 for i in range(9)"),
            ("how many x in [0, 62] with x % 3 == 0?", "count x where x in [0, 62], x % 3 == 0"),
            ("can a * b overflow int32 for a in range(9)", "fits a * b for a in range(9)"),
            (
                "address of element (3, 130) in bf16[8,256]{1,0:T(8,128)(2,1)}",
                "layout bf16[8,256]{1,0:T(8,128)(2,1)} --index 3,130",
            ),
            (
                "is f32[8,16]{0,1} the same bytes as f32[16,8]{1,0}?",
                "bitcast f32[8,16]{0,1} f32[16,8]{1,0}",
            ),
            (
                "zipped_divide (8,8):(8,1) by (2,4):(1,2)",
                "layout divide (8,8):(8,1) ; (2,4):(1,2) --zipped",
            ),
            ("rules add a: x + 0 => x", "rule a: x + 0 => x"),
            ("what is -7 mod 3", "-7 mod 3"),
            (
                "are f32[8]{0:T(4)} and f32[8]{0} the same bytes?",
                "bitcast f32[8]{0:T(4)} f32[8]{0}",
            ),
            ("how much padding does f32[3]{0:T(4)} have", "layout f32[3]{0:T(4)}"),
            ("(i) -> (i) == (j) -> (j)", "equal (i) -> (i) ; (j) -> (j)"),
            ("affine_map<(i) -> (i)> equals f", "equal affine_map<(i) -> (i)> ; f"),
            ("is x.view(4, 6).t() contiguous?", "x.view(4, 6).t().is_contiguous()"),
            ("what are the values of i % 3 for i in range(9)", "image i % 3 for i in range(9)"),
            ("x0 // 4 * 4 + x0 % 4 simplifies to what?", "simplify x0 // 4 * 4 + x0 % 4"),
            (
                "how many ways can 3*x + 5*y = 30 with x, y in [0, 10]",
                "count x, y where 3*x + 5*y == 30, x, y in [0, 10]",
            ),
            (
                "is the map (i) -> (i * 2), domain: i in [0, 9] invertible",
                "inverse (i) -> (i * 2), domain: i in [0, 9]",
            ),
            (
                "do two points ever write the same element with pid * 64 + j?",
                "injective pid * 64 + j",
            ),
            ("indexing map of reverse f32[4] {0}", "reverse f32[4] {0}"),
            (
                "is 7*x + 3 ever divisible by 7 for x in range(9)",
                "points x where (7*x + 3) % 7 == (0), x in range(9)",
            ),
            ("is 2*floor(x/2) always even?", "(2*floor(x/2)) % 2 == 0"),
            ("i * 6 is always even for i in range(9)", "(i * 6) % 2 == 0 for i in range(9)"),
            ("does 4 divide 4*i + 8 for i in range(9)", "(4*i + 8) % 4 == 0 for i in range(9)"),
            (
                "maximize i - j subject to i + j < 9, i in [0, 9], j in [0, 9]",
                "range i - j where i + j < 9, i in [0, 9], j in [0, 9]",
            ),
            (
                "find integers x, y with 3*x + 5*y == 1 and 0 <= x < 9 and 0 <= y < 9",
                "points x, y where 3*x + 5*y == 1 and 0 <= x < 9 and 0 <= y < 9",
            ),
            ("row and column of index 17 in a 4x5 matrix", "layout f32[4,5] --linear 17"),
            ("linear index of (1, 2) in a (4, 5) array", "layout f32[4,5] --index 1,2"),
            (
                "memref<4x8xf32, strided<[8, 1]>> at [1, 2]",
                "eval memref<4x8xf32, strided<[8, 1]>> 1,2",
            ),
            ("how many bytes does f32[3,5]{1,0:T(8,128)} take", "layout f32[3,5]{1,0:T(8,128)}"),
            ("linearize (i, j) by (4, 8)", "np.ravel_multi_index((i, j), (4, 8))"),
            ("(i) -> (i * 8) then f", "compose (i) -> (i * 8) ; f"),
            ("g after f", "compose f ; g"),
            (
                "is a[threadIdx.x * 4] coalesced with 8 threads",
                "coalesce threadIdx.x * 4 for threadIdx.x in range(8)",
            ),
            ("tile[t][0] bank conflicts?", "banks tile[t][0]"),
            (
                "is a[threadIdx.x * 2] coalesced with a block of 256",
                "coalesce threadIdx.x * 2 --block 256",
            ),
            (
                "does s[threadIdx.x][threadIdx.y] have bank conflicts for blockDim = (32, 8)",
                "banks s[threadIdx.x][threadIdx.y] --block 32,8",
            ),
            ("are there any bank conflicts when reading s[t * 2]", "banks t * 2"),
            ("do any two points write the same element of f", "injective f"),
            ("do any two threads write the same element of t * 2 % 5", "injective t * 2 % 5"),
            (
                "do any two points collide in t % 16 for t in range(32)",
                "injective t % 16 for t in range(32)",
            ),
            (
                "is (i) -> (i // 2) injective for i in [0, 3], j in [0, 1]",
                "injective (i) -> (i // 2), domain: i in [0, 3], j in [0, 1]",
            ),
            ("banks s[tid * 33] for tid in range(32)", "banks tid * 33 for tid in range(32)"),
        ] {
            assert_eq!(line(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn other_texts_are_not() {
        for text in [
            "is",
            "is this useful",
            "what is an index map",
            "are a and b",
            "is injective",
            "is { [i] : 2i = 5 } convex",
            "injective i * 4",
            "range i // 4 for i in range(9)",
            "does it work",
            "can it be so for all",
            "isx / 4 == 3",
            "how many",
            "i is injective",
            "x is injective on reals",
            "let b = simplify a",
            "b = x / 4 simplify",
            "size of everything",
            "f equals",
            "is 7*x + 3 ever divisible by 7",
            "f == g",
            "do any two threads write the same element of t * 2 + k for k in range(3)",
            "do two program ids ever write the same element with pid * 64 + j",
            "is it contiguous",
            "how many ways",
            "values + 3",
            "let then = (i) -> (i)",
            "invert + 3",
            "list + 1",
            "what is the difference between floordiv and /",
            "find a way with x < 3",
            "row and column of index 17 in f32[4,5]{0,1}",
            "a[i] at 3 o'clock",
            "conflict * 2",
            "how many tiles",
            "offset of x in y",
            "x o y",
            "layout Swizzle<2,0,3> o (8,8):(8,1)",
            "banks (c) -> (c), domain: c in [0, 7] in Swizzle<2,0,3> o (8,8):(8,1)",
            "layout equal (8,8):(8,1) ; Swizzle<2,0,3> o (8,8):(8,1)",
            "{ [i] : 0 <= i < 8 }",
            "{i: 2 for i in range(4)}",
            "is it empty",
            "min(i, 7) - max(i - 1, 0) for i in range(10)",
            "look at 2,3",
            "is everything contiguous",
            "index i,j of f32[3,5]",
            "address of element x in f32[8]",
            "banks s[tid][0] for tid in range(32)",
            "coalesce f32[8,128]",
            "coalesce s[i, j]",
        ] {
            assert_eq!(line(text), None, "{text}");
        }
    }
}
