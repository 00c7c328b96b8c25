//! Vector accesses of CUDA: `reinterpret_cast<float4*>(s)[t] = *reinterpret_cast<const float4*>(&g[i]);`
//!
//! Law: the vector at a place consists of the elements from there on, one for each lane, of the type with which the array is
//! declared; for an array that the text does not declare, of the vector's own type. A declared type of unknown size is not
//! supported. The statement becomes a loop over the lanes.

use super::array::closing;
use super::stages::is_word;

/// Types of vectors: the lanes, the bytes of each lane, and the element type.
const VECTORS: [(&str, i64, i64, &str); 17] = [
    ("float2", 2, 4, "float"),
    ("float4", 4, 4, "float"),
    ("int2", 2, 4, "int"),
    ("int4", 4, 4, "int"),
    ("uint2", 2, 4, "int"),
    ("uint4", 4, 4, "int"),
    ("double2", 2, 8, "double"),
    ("longlong2", 2, 8, "long"),
    ("half2", 2, 2, "half"),
    ("__half2", 2, 2, "half"),
    ("__nv_bfloat162", 2, 2, "half"),
    ("short2", 2, 2, "short"),
    ("short4", 4, 2, "short"),
    ("ushort4", 4, 2, "short"),
    ("char4", 4, 1, "char"),
    ("uchar4", 4, 1, "char"),
    ("ulonglong2", 2, 8, "long"),
];

/// Types of elements, with their bytes.
pub const ELEMENTS: [(&str, i64); 21] = [
    ("float", 4),
    ("int", 4),
    ("unsigned", 4),
    ("uint32_t", 4),
    ("int32_t", 4),
    ("double", 8),
    ("int64_t", 8),
    ("uint64_t", 8),
    ("size_t", 8),
    ("long", 8),
    ("half", 2),
    ("__half", 2),
    ("__nv_bfloat16", 2),
    ("uint16_t", 2),
    ("int16_t", 2),
    ("char", 1),
    ("int8_t", 1),
    ("uint8_t", 1),
    ("short", 2),
    ("bool", 1),
    ("__nv_fp8_e4m3", 1),
];

/// Commands about the accesses of warps.
const OF_ACCESSES: [&str; 3] = ["banks", "coalesce", "vector"];

/// The maximum number of casts that are rewritten.
const MAX_CASTS: usize = 1 << 6;

/// Returns the code with each vector statement as a loop over its lanes.
pub fn line(text: &str) -> Option<String> {
    VECTORS.iter().find(|(name, ..)| {
        text.contains(&format!("{name}*")) || text.contains(&format!("{name} *"))
    })?;
    if let Some((command, rest)) = text.trim_start().split_once(' ')
        && OF_ACCESSES.contains(&command)
    {
        // The statement is translated, and its only access is asked about.
        let accessed = line(rest)?;
        let (head, access) = accessed.split_once(") ")?;
        let (vec, rest) = head.strip_prefix("for (int ")?.split_once(" = 0; ")?;
        let count = rest.split_once(" < ")?.1.split(';').next()?;
        let access = access.trim().trim_end_matches(';');
        let access = access.split_once(" = ").map_or(access, |(_, value)| value);
        let is_one = access.matches('[').count() == 1 && !access.contains(';');
        return is_one.then(|| format!("{command} {access} for {vec} in range({count})"));
    }
    let lane =
        ["vec", "vec_", "element_of_vector"].into_iter().find(|name| !text.contains(name))?;
    let mut out = text.to_owned();
    for _ in 0..MAX_CASTS {
        let Some((at, _)) = cast(&out) else {
            return Some(out);
        };
        let start = out[..at].rfind([';', '{', '}']).map_or(0, |end| end + 1);
        // A semicolon in the head of a loop ends no statement.
        let open = out[..at].match_indices("for").map(|(open, _)| open).filter(|open| {
            let head = out[open + 3..].trim_start();
            let close = closing(head).filter(|_| head.starts_with('('));
            close.is_some_and(|close| (open + 3..out.len() - head.len() + close).contains(&start))
        });
        let start = open.last().unwrap_or(start);
        // After the brackets of `if (..)` and of a loop header.
        let start = start + unbracketed(&out[start..at]);
        let end = at + out[at..].find(';').unwrap_or(out.len() - at);
        let statement = vectors(out[start..end].trim_start(), lane, text)?;
        let blank = out[start..].len() - out[start..].trim_start().len();
        out.replace_range(start + blank..end, &statement);
    }
    None
}

/// Returns the length of a statement's header, such as `if (i < n) `.
fn unbracketed(text: &str) -> usize {
    let trimmed = text.trim_start();
    let blank = text.len() - trimmed.len();
    let is_head = ["if", "for", "while"].iter().any(|word| {
        trimmed.strip_prefix(word).is_some_and(|rest| rest.trim_start().starts_with('('))
    });
    let open = text.find('(').filter(|_| is_head);
    open.and_then(|open| Some(open + closing(&text[open..])? + 1)).unwrap_or(blank)
}

/// Returns the position of the first cast to a vector pointer, and its end with the vector.
fn cast(text: &str) -> Option<(usize, (usize, Vector))> {
    let named = text.match_indices("reinterpret_cast").map(|(at, _)| at);
    let plain = text.match_indices('(').map(|(at, _)| at);
    let mut places: Vec<usize> = named.chain(plain).collect();
    places.sort_unstable();
    places.into_iter().find_map(|at| Some((at, cast_at(text, at)?)))
}

#[derive(Clone, Copy)]
struct Vector {
    lanes: i64,
    bytes: i64,
    element: &'static str,
}

/// Returns the vector of the cast that begins at `at`, and the position of its operand.
fn cast_at(text: &str, at: usize) -> Option<(usize, Vector)> {
    let rest = &text[at..];
    let (inner, length) = match rest.strip_prefix("reinterpret_cast") {
        Some(behind) => {
            let inner = behind.trim_start().strip_prefix('<')?;
            let end = inner.find('>')?;
            (&inner[..end], text.len() - at - inner.len() + end + 1)
        }
        None => {
            let inner = rest.strip_prefix('(')?;
            let end = inner.find(')')?;
            (&inner[..end], end + 2)
        }
    };
    let name = inner.trim().strip_suffix('*')?.trim();
    let name = name.strip_prefix("const ").or(name.strip_suffix(" const")).unwrap_or(name).trim();
    let (_, lanes, bytes, element) = VECTORS.iter().find(|(own, ..)| *own == name)?;
    Some((at + length, Vector { lanes: *lanes, bytes: *bytes, element }))
}

/// Returns a statement as a loop over the lanes of its vectors.
fn vectors(statement: &str, lane: &str, whole: &str) -> Option<String> {
    let mut out = statement.to_owned();
    let mut lanes = None;
    let mut element = "";
    while let Some((at, (operand, vector))) = cast(&out) {
        let (new, from, to, count) = access(&out, at, operand, vector, lane, whole)?;
        if *lanes.get_or_insert(count) != count {
            return None;
        }
        element = vector.element;
        out.replace_range(from..to, &new);
    }
    // The value of a declared vector is one element for each lane.
    for (name, ..) in VECTORS {
        if let Some(rest) =
            out.trim_start().trim_start_matches("const ").strip_prefix(&format!("{name} "))
        {
            out = format!("{element} {rest}");
        }
    }
    Some(format!("for (int {lane} = 0; {lane} < {}; {lane}++) {out}", lanes?))
}

/// Returns the element of a lane, the range of the text that it replaces, and the number of lanes.
fn access(
    text: &str,
    at: usize,
    operand: usize,
    vector: Vector,
    lane: &str,
    whole: &str,
) -> Option<(String, usize, usize, i64)> {
    let blank = text[operand..].len() - text[operand..].trim_start().len();
    let operand = operand + blank;
    let (pointer, mut end) = match text[operand..].starts_with('(') {
        true => {
            let close = operand + closing(&text[operand..])?;
            (&text[operand + 1..close], close + 1)
        }
        false => {
            let rest = &text[operand..];
            let word = rest.trim_start_matches('&');
            let length =
                word.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(word.len());
            let mut end = rest.len() - word.len() + length;
            if rest.starts_with('&') {
                end += closing(&rest[end..]).filter(|_| rest[end..].starts_with('['))? + 1;
            }
            (&rest[..end], operand + end)
        }
    };
    let mut start = at;
    // `((float4*)p)[i]`
    if text[..start].ends_with('(') && text[end..].starts_with(')') {
        (start, end) = (start - 1, end + 1);
    }
    let (array, offset) = place(pointer.trim())?;
    let bytes = match element_type(whole, array) {
        Some(name) => ELEMENTS.iter().find(|(own, _)| *own == name)?.1,
        None => vector.bytes,
    };
    let count = vector.lanes.checked_mul(vector.bytes)?;
    let count = (count % bytes == 0).then_some(count / bytes)?;
    let mut terms: Vec<String> = offset.into_iter().collect();
    if text[end..].starts_with('[') {
        let close = end + closing(&text[end..])?;
        terms.push(format!("({}) * {count}", &text[end + 1..close]));
        end = close + 1;
    } else {
        let before = text[..start].trim_end();
        start = before.strip_suffix('*')?.len();
    }
    terms.push(lane.to_owned());
    Some((format!("{array}[{}]", terms.join(" + ")), start, end, count))
}

/// Returns the array and the offset of `p`, `&p[i]` or `p + i`.
fn place(pointer: &str) -> Option<(&str, Option<String>)> {
    if is_word(pointer) {
        return Some((pointer, None));
    }
    if let Some(element) = pointer.strip_prefix('&') {
        let (name, _) = element.split_once('[')?;
        let open = name.len();
        let close = open + closing(&element[open..])?;
        let is_one = close + 1 == element.len() && is_word(name.trim());
        return is_one.then(|| (name.trim(), Some(format!("({})", &element[open + 1..close]))));
    }
    let (name, offset) = pointer.split_once('+')?;
    is_word(name.trim()).then(|| (name.trim(), Some(format!("({})", offset.trim()))))
}

/// Returns the element type of an array that the text declares: `const half* p`, `__shared__ float p[`.
fn element_type<'t>(text: &'t str, array: &str) -> Option<&'t str> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let last_word = |text: &'t str| text.rsplit(|c| !is_part(c)).next().unwrap_or("");
    text.match_indices(array).find_map(|(at, _)| {
        let (before, behind) = (text[..at].trim_end(), &text[at + array.len()..]);
        let before = before.trim_end_matches("__restrict__").trim_end();
        let of = before.trim_end_matches('*').trim_end();
        let name = match last_word(of) {
            "const" => last_word(of.trim_end_matches("const").trim_end()),
            name => name,
        };
        // An array is declared only with a known type: `return p[i]` declares none.
        let is_pointer =
            before.ends_with('*') && behind.trim_start().starts_with([',', ')', ';', '=']);
        let is_array = behind.starts_with('[') && ELEMENTS.iter().any(|(own, _)| *own == name);
        let is_word = name.starts_with(|c: char| c.is_alphabetic() || c == '_');
        ((is_pointer || is_array) && is_word).then_some(name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_are_loops_over_lanes() {
        for (text, expected) in [
            (
                "reinterpret_cast<float4*>(s)[t] = reinterpret_cast<const float4*>(g)[b * n + t];",
                Some(
                    "for (int vec = 0; vec < 4; vec++) s[(t) * 4 + vec] = g[(b * n + t) * 4 + vec];",
                ),
            ),
            (
                "void f(half* p, const half* q) { if (i < n) *(float4*)(p + i) = *reinterpret_cast<const float4 *>(&q[8 * i]); }",
                Some(
                    "void f(half* p, const half* q) { if (i < n) for (int vec = 0; vec < 8; vec++) p[(i) + vec] = q[(8 * i) + vec]; }",
                ),
            ),
            (
                "*reinterpret_cast<float4*>(&out[i]) = *reinterpret_cast<const float4*>(&in[i]);",
                Some("for (int vec = 0; vec < 4; vec++) out[(i) + vec] = in[(i) + vec];"),
            ),
            (
                "float4 v = ((float4*)x)[i]; *((float4*)&y[4 * i]) = v;",
                Some(
                    "for (int vec = 0; vec < 4; vec++) float v = x[(i) * 4 + vec]; for (int vec = 0; vec < 4; vec++) y[(4 * i) + vec] = v;",
                ),
            ),
            ("void f(long* p, const int2* q) { *(int2*)(p) = *(int2*)(q); }", None),
            (
                "void f(long* p, const long* q) { *(int4*)(p) = *(int4*)(q); }",
                Some(
                    "void f(long* p, const long* q) { for (int vec = 0; vec < 2; vec++) p[vec] = q[vec]; }",
                ),
            ),
            // Two different numbers of lanes, types of unknown size, a value that is not a pointer, and no vectors.
            ("template <typename T> void f(T* p, T* q) { *(float4*)p = *(float4*)q; }", None),
            ("void f(half* p, float* q) { *(float4*)p = *(float4*)q; }", None),
            ("x = (float4*)f(p)[i];", None),
            ("x[i] = y[i];", None),
        ] {
            assert_eq!(line(text).as_deref(), expected, "{text}");
        }
    }
}
