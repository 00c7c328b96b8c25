//! Arrays declared in C: `__shared__ half tile[64][72];`, and later questions about how warps access them:
//! `banks tile[threadIdx.x / 4][threadIdx.x % 4 * 8]`.
//!
//! Law: the elements of an array of C are in row-major order; the question is about the position of the element, with the bytes of the
//! declared type. A type of unknown size leaves the bytes to the command.

use super::array::closing;
use super::holes::Hole;
use super::vectors::ELEMENTS;
use crate::session::Session;
use affinor::text::is_name;

/// An array of C.
pub struct Declared<'t> {
    pub name: &'t str,
    /// Its sizes, as written.
    pub sizes: Vec<&'t str>,
    bytes: Option<i64>,
}

/// Parses a declaration of an array, if the text has nothing else.
pub fn declared(text: &str) -> Option<Declared<'_>> {
    let text = text.trim().strip_suffix(';')?;
    let (head, sizes) = text.split_at(text.find('[')?);
    let mut words: Vec<&str> = head.split_whitespace().collect();
    let name = words.pop().filter(|name| is_name(name))?;
    let sizes = sizes.strip_prefix('[')?.strip_suffix(']')?;
    let sizes: Vec<&str> = sizes.split("][").map(str::trim).collect();
    let is_plain = |size: &&str| !size.is_empty() && !size.contains(['[', ']', '=', ';', ',']);
    let bytes_of =
        |word: &&str| ELEMENTS.iter().find(|(own, _)| own == word).map(|(_, bytes)| *bytes);
    // `long int`, `unsigned char`: the other word states the size.
    let is_general = |word: &&&str| matches!(**word, "int" | "unsigned");
    let bytes = words.iter().filter(|word| !is_general(word)).find_map(bytes_of);
    let bytes = bytes.or_else(|| words.iter().find_map(bytes_of));
    let is_declared = words.iter().all(|word| is_name(word))
        && (bytes.is_some() || words.contains(&"__shared__"));
    (is_declared && sizes.iter().all(is_plain)).then_some(Declared { name, sizes, bytes })
}

/// Moves a declaration beside a question before it: `is s[t][0] coalesced, with __shared__ float s[32][33]`.
pub fn in_front(text: &str) -> Option<String> {
    const WORDS: [&str; 5] = ["with ", "where ", "given ", "for ", "in "];
    let text = text.trim().trim_end_matches(['?', '.', ';']);
    let is_one = |part: &str| declared(&format!("{};", part.trim())).is_some();
    let line = |made: &str, asked: &str| {
        format!("{}; {}", made.trim(), asked.trim().trim_end_matches(','))
    };
    let behind = WORDS.iter().flat_map(|word| {
        text.match_indices(word).map(|(at, word)| (&text[..at], &text[at + word.len()..]))
    });
    let found = behind.clone().find(|(before, behind)| !before.trim().is_empty() && is_one(behind));
    if let Some((asked, made)) = found {
        return Some(line(made, asked));
    }
    // `given float s[32]: ..`, and `bank conflicts with float s[32], reading ..`
    let ends = [": ", ", ", "; "];
    let mut behind = behind;
    behind.find_map(|(before, behind)| {
        let cuts = ends.iter().filter_map(|end| behind.split_once(end));
        let (made, asked) = cuts.into_iter().find(|(made, _)| is_one(made))?;
        let reading =
            ["reading ", "accessing ", "loading "].iter().find_map(|word| asked.strip_prefix(word));
        match (before.trim(), reading) {
            ("", _) => Some(line(made, asked)),
            (before, Some(element)) => Some(line(made, &format!("{before} in {element}"))),
            _ => None,
        }
    })
}

/// Returns the element whose address is asked for: `&a[2][3]`, `address of a[2][3]`, `byte offset of a[i][j]`.
pub fn addressed(text: &str) -> Option<&str> {
    const WORDS: [&str; 8] = [
        "address",
        "offset",
        "byte offset",
        "flat index",
        "linear index",
        "position",
        "flat offset",
        "memory address",
    ];
    let text = text.trim().trim_end_matches(['?', ';']);
    let text = super::openings::without_opening(text).unwrap_or(text);
    let behind = |word: &&str| text.strip_prefix(*word)?.trim_start().strip_prefix("of ");
    let element = text.strip_prefix('&').or_else(|| WORDS.iter().find_map(behind));
    let element = element.or_else(|| WORDS.iter().find_map(|word| text.strip_suffix(word)))?.trim();
    Hole::Element.takes(element).then_some(element)
}

/// Translates a question for the address of an element of a declared array to one for its position.
fn position_of(session: &Session, text: &str) -> Option<String> {
    let element = addressed(text)?;
    let (name, index) = element.split_once('[')?;
    let text = session.arrays.get(name)?;
    let of = declared(text)?;
    let index = index.strip_suffix(']')?.replace("][", ",").replace(' ', "");
    let is_number = |part: &str| part.parse::<u64>().is_ok();
    let are_numbers =
        index.split(',').all(is_number) && of.sizes.iter().all(|size| is_number(size));
    let kind = match of.bytes? {
        1 => "s8",
        2 => "f16",
        8 => "f64",
        _ if text.contains("float") => "f32",
        _ => "s32",
    };
    let sizes = of.sizes.join(",");
    match are_numbers {
        true => Some(format!("layout {kind}[{sizes}] --index {index}")),
        false => Some(format!("np.ravel_multi_index(({index}), ({sizes}))")),
    }
}

/// Translates a question about the accesses of warps to an element of a declared array to one about its position.
pub fn line(session: &Session, text: &str) -> Option<String> {
    if let Some(line) = position_of(session, text) {
        return Some(line);
    }
    if let Some((name, value)) = crate::bare::assignment(text.trim_end_matches(';'))
        && let Some((array, _)) = value.trim().split_once('[')
        && session.arrays.contains_key(array)
        && Hole::Element.takes(value.trim())
        && is_name(name)
    {
        // A value of the array, which has no name among the maps.
        return Some(format!("float {};", text.trim_end_matches(';')));
    }
    let (command, rest) = text.trim().split_once(' ')?;
    let rest = rest.trim_start();
    let name = &rest[..rest.find('[')?];
    let of = declared(session.arrays.get(name)?)?;
    let option = match command {
        "banks" | "coalesce" => "--bytes",
        "vector" => "--element",
        _ => return None,
    };
    let (mut behind, mut position) = (&rest[name.len()..], String::new());
    for (at, size) in of.sizes.iter().enumerate() {
        let end = closing(behind).filter(|_| behind.starts_with('['))?;
        let index = &behind[1..end];
        position = match at {
            0 => format!("({index})"),
            _ => format!("({position} * ({size}) + ({index}))"),
        };
        behind = &behind[end + 1..];
    }
    let is_element = behind.is_empty() || behind.starts_with([' ', ',']);
    let bytes = of.bytes.filter(|_| !behind.contains(option));
    let bytes = bytes.map_or(String::new(), |bytes| format!(" {option} {bytes}"));
    is_element.then(|| format!("{command} {position}{behind}{bytes}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_of_declared_arrays_are_positions() {
        let mut session = Session::new();
        for text in ["__shared__ half tile[64][64 + 8];", "__shared__ T s[BN];", "long int w[4];"] {
            let name = declared(text).expect("a declaration").name.to_owned();
            session.arrays.insert(name, text.to_owned());
        }
        for (text, expected) in [
            ("banks tile[t / 4][t % 4]", Some("banks ((t / 4) * (64 + 8) + (t % 4)) --bytes 2")),
            (
                "vector tile[i][j], domain: i in [0, 3]",
                Some("vector ((i) * (64 + 8) + (j)), domain: i in [0, 3] --element 2"),
            ),
            ("coalesce s[t * 4] for t in range(32)", Some("coalesce (t * 4) for t in range(32)")),
            ("banks w[t] --bytes 4", Some("banks (t) --bytes 4")),
            ("banks w[t]", Some("banks (t) --bytes 8")),
            ("banks tile[t]", None),
            ("banks tile[t][0][1]", None),
            ("banks other[t]", None),
            ("range tile[0][1]", None),
        ] {
            assert_eq!(line(&session, text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn declarations_move_in_front() {
        for (text, expected) in [
            (
                "is s[t][0] coalesced with __shared__ float s[32][33]?",
                Some("__shared__ float s[32][33]; is s[t][0] coalesced"),
            ),
            (
                "bank conflicts with __shared__ float s[32][32], reading s[t][0]",
                Some("__shared__ float s[32][32]; bank conflicts in s[t][0]"),
            ),
            ("given float s[32]: banks s[t]", Some("float s[32]; banks s[t]")),
            ("banks s[t] for t in range(32)", None),
            ("x with float y", None),
            ("float s[32]; s[3]", None),
        ] {
            assert_eq!(in_front(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn other_texts_declare_nothing() {
        for text in [
            "float x;",
            "tile[3][4];",
            "float a[2] = {0, 1};",
            "float a[i] b[j];",
            "return a[3];",
            "float a[3]",
        ] {
            assert!(declared(text).is_none(), "{text}");
        }
    }
}
