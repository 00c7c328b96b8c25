//! Patterns of einops and einsum without arrays: `rearrange "b (h w) c -> b h w c", h=4`, `einsum bij,bjk->bik`.
//!
//! Law: the call with arrays called `x`, or `a`, `b`, .. for an einsum, whose sizes are not known.

use super::numbers::only_call;
use affinor::text::is_name;

/// Translates a pattern to the call that has arrays.
pub fn line(text: &str) -> Option<String> {
    let text = text.trim().trim_end_matches([';', '?']);
    let (word, rest) = match only_call(text) {
        Some((head, rest)) => (head.rsplit('.').next()?, rest),
        None => text.split_once(' ')?,
    };
    let is_einsum = word == "einsum";
    if !is_einsum && !["rearrange", "repeat", "reduce"].contains(&word) {
        return None;
    }
    let (pattern, sizes) = pattern(rest.trim())?;
    let is_part = |c: char| c.is_alphanumeric() || "_ (),.->".contains(c);
    if !pattern.contains("->") || !pattern.chars().all(is_part) {
        return None;
    }
    match is_einsum {
        true => {
            let inputs = pattern.split_once("->")?.0;
            let arrays = ('a'..='z').take(inputs.split(',').count());
            let arrays: Vec<String> = arrays.map(|array| array.to_string()).collect();
            sizes.is_empty().then(|| format!("einsum(\"{pattern}\", {})", arrays.join(", ")))
        }
        false => {
            let sizes: String = sizes.iter().map(|size| format!(", {size}")).collect();
            Some(format!("{word}(x, \"{pattern}\"{sizes})"))
        }
    }
}

/// Splits a text into a pattern, which may be in quotes, and sizes or other arguments by name after it.
fn pattern(text: &str) -> Option<(&str, Vec<String>)> {
    let quote = text.chars().next().filter(|quote| matches!(quote, '\'' | '"'));
    let (pattern, behind) = match quote {
        Some(quote) => text[1..].split_once(quote)?,
        // The first size follows a comma, or `with`.
        None => match text.find('=') {
            Some(equals) => {
                let before = &text[..equals];
                let comma = before.rfind(',').into_iter().chain(before.rfind(" with ")).max()?;
                text.split_at(comma)
            }
            None => (text, ""),
        },
    };
    let behind = behind.trim_start_matches([',', ' ']);
    let behind = behind.strip_prefix("with ").unwrap_or(behind);
    let parts = behind.split([',', ' ']).filter(|part| !part.is_empty());
    let is_size = |part: &&str| part.split_once('=').is_some_and(|(name, _)| is_name(name));
    let parts: Vec<&str> = parts.collect();
    let are_sizes = parts.iter().all(is_size);
    are_sizes.then(|| (pattern.trim(), parts.into_iter().map(str::to_owned).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_calls() {
        for (text, expected) in [
            (
                "rearrange \"b (h w) c -> b h w c\", h=4",
                Some("rearrange(x, \"b (h w) c -> b h w c\", h=4)"),
            ),
            (
                "rearrange b (h w) c -> b c h w with h=3 w=4",
                Some("rearrange(x, \"b (h w) c -> b c h w\", h=3, w=4)"),
            ),
            ("einops.rearrange('a b -> b a')", Some("rearrange(x, \"a b -> b a\")")),
            ("einsum bij,bjk->bik", Some("einsum(\"bij,bjk->bik\", a, b)")),
            ("np.einsum('ii->i')", Some("einsum(\"ii->i\", a)")),
            // With their arrays, or no pattern.
            ("rearrange(x, 'a b -> b a')", None),
            ("einsum('ij,jk->ik', a, b)", None),
            ("reduce f32[4]", None),
            ("einsum i=2", None),
            ("rearrange 'a b -> b a', 4", None),
            ("einsum ij->ji, i=2", None),
        ] {
            assert_eq!(line(text).as_deref(), expected, "{text}");
        }
    }
}
