//! Stages of TVM and Halide: `te.reduce_axis((0, 64))`, `te.compute((8, 8), lambda i, j: te.sum(A[i, k], axis=k))`,
//! `blur(x, y) = (input(x - 1, y) + input(x, y)) / 2`, translated to their accesses.

use crate::bare::assignment;
use crate::token::listed;
use affinor::text::is_name;

/// Functions of Halide that are not stages.
const FUNCTIONS: [&str; 13] = [
    "min",
    "max",
    "clamp",
    "select",
    "cast",
    "abs",
    "likely",
    "i32",
    "u8",
    "cast<int>",
    "print",
    "range",
    "sum",
];

/// Translates a stage to a line of code.
pub fn line(text: &str) -> Option<String> {
    let text = text.trim().trim_end_matches(';');
    of_tvm(text).or_else(|| of_halide(text))
}

fn of_tvm(text: &str) -> Option<String> {
    let (name, value) = assignment(text)?;
    let (function, rest) = value.trim().strip_suffix(')')?.split_once('(')?;
    let parts = listed(rest);
    match function.trim_start_matches("tvm.") {
        "te.reduce_axis" => {
            let (lo, hi) = parts.first()?.strip_prefix('(')?.strip_suffix(')')?.split_once(',')?;
            Some(format!("{name} = {name} for {name} in range({}, {})", lo.trim(), hi.trim()))
        }
        "te.compute" => {
            let sizes = parts.first()?.strip_prefix('(')?.strip_suffix(')')?;
            let body = rest.split_once("lambda")?.1;
            let (names, body) = body.split_once(':')?;
            let names: Vec<&str> = names.split(',').map(str::trim).collect();
            let sizes: Vec<&str> =
                sizes.split(',').map(str::trim).filter(|size| !size.is_empty()).collect();
            let summed = ["te.sum(", "te.max(", "te.min("]
                .iter()
                .find_map(|word| body.trim().strip_prefix(word));
            let body = match summed {
                Some(inner) => {
                    inner.split_once("axis").map(|(inner, _)| inner.trim().trim_end_matches(','))?
                }
                // The name of the stage may follow.
                None => listed(body).first()?,
            };
            let loops = names
                .iter()
                .zip(&sizes)
                .map(|(name, size)| format!(" for {name} in range({size})"));
            (names.len() == sizes.len() && names.iter().all(|name| is_name(name))).then(|| {
                format!(
                    "{name}[{}] = {}{}",
                    names.join(", "),
                    body.trim(),
                    loops.collect::<String>()
                )
            })
        }
        _ => None,
    }
}

fn of_halide(text: &str) -> Option<String> {
    let (head, value) = text.split_once('=').filter(|(_, value)| !value.starts_with('='))?;
    let head = head.trim().trim_end_matches('+').trim_end();
    let (name, names) = head.strip_suffix(')')?.split_once('(')?;
    if !is_word(name) || !names.split(',').all(|name| is_name(name.trim())) {
        return None;
    }
    let body = as_elements(value)?;
    Some(format!("{name}[{names}] = {}", body.trim()))
}

/// Returns a text with calls of stages as elements of arrays; `None` if it has no such call.
fn as_elements(text: &str) -> Option<String> {
    let mut out: Vec<char> = text.chars().collect();
    let (mut open, mut is_stage) = (Vec::new(), false);
    for at in 0..out.len() {
        match out[at] {
            '(' => {
                let is_part = |c: &&char| c.is_alphanumeric() || "_.<>".contains(**c);
                let mut word: Vec<char> =
                    out[..at].iter().rev().take_while(is_part).copied().collect();
                word.reverse();
                let word: String = word.into_iter().collect();
                let is_call = is_word(&word) && !FUNCTIONS.contains(&word.as_str());
                is_stage |= is_call;
                open.push(is_call);
                out[at] = if is_call { '[' } else { '(' };
            }
            ')' => out[at] = if open.pop()? { ']' } else { ')' },
            _ => {}
        }
    }
    (is_stage && open.is_empty()).then(|| out.into_iter().collect())
}

/// Returns whether this is a name in Python or C, possibly a reserved one, or one that is reserved in other languages, such as `in`.
pub(super) fn is_word(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_are_code() {
        for (text, expected) in [
            ("k = te.reduce_axis((0, 64), name=\"k\")", Some("k = k for k in range(0, 64)")),
            (
                "C = te.compute((8, n), lambda i, j: te.sum(A[i, k] * B[k, j], axis=k))",
                Some("C[i, j] = A[i, k] * B[k, j] for i in range(8) for j in range(n)"),
            ),
            (
                "B = te.compute((16,), lambda i: A[i // 2], name=\"B\")",
                Some("B[i] = A[i // 2] for i in range(16)"),
            ),
            (
                "blur(x, y) = (in(x - 1, y) + max(in(x, y), 2)) / 3;",
                Some("blur[x, y] = (in[x - 1, y] + max(in[x, y], 2)) / 3"),
            ),
            ("f(x) = g(2*x) for x in range(8)", Some("f[x] = g[2*x] for x in range(8)")),
            ("f(x) = 3 * x", None),
            ("f(x) == g(x)", None),
            ("y = g(x)", None),
            ("f(3) = g(x)", None),
        ] {
            assert_eq!(line(text).as_deref(), expected, "{text}");
        }
    }
}
