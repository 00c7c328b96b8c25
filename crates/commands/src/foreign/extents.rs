//! Sizes in other words: the bytes of an array as C declares it, the tiles that cover a box, the type of a variable of C, the trips
//! of a loop of MLIR, and the element of `contains` without its semicolon.

use super::endings::element_type;
use affinor::text::is_name;

/// Beginnings of questions for bytes.
const BYTES: [&str; 12] = [
    "how many bytes ",
    "how many kilobytes ",
    "how much shared memory ",
    "how much local memory ",
    "how much memory ",
    "how much smem ",
    "how much lds ",
    "how much space ",
    "what is the size of ",
    "size of ",
    "size in bytes of ",
    "number of bytes of ",
];

/// Words around a declaration that say nothing more.
const AROUND: [&str; 36] = [
    "a",
    "an",
    "the",
    "is",
    "are",
    "does",
    "do",
    "of",
    "for",
    "in",
    "array",
    "tile",
    "buffer",
    "tensor",
    "take",
    "takes",
    "taken",
    "need",
    "needs",
    "needed",
    "use",
    "uses",
    "used",
    "occupy",
    "occupies",
    "require",
    "requires",
    "have",
    "has",
    "hold",
    "memory",
    "shared",
    "by",
    "up",
    "bytes",
    "declaration",
];

/// Returns the line for a text.
pub fn line(text: &str) -> Option<String> {
    let text = text.trim().trim_end_matches(['?', '.', ';']).trim_end();
    layout(text)
        .or_else(|| bytes(text))
        .or_else(|| tiles(text))
        .or_else(|| signed(text))
        .or_else(|| trips(text))
        .or_else(|| contained(text))
}

/// Returns the shape of an array that is declared as in C, `__half tile[128][40]`, with the words around it.
fn declared(text: &str) -> Option<(String, Vec<&str>)> {
    let open = text.find('[')?;
    let mut end = open;
    while text[end..].starts_with('[') {
        end += text[end..].find(']')? + 1;
    }
    let sizes: Vec<&str> = text[open + 1..end - 1].split("][").map(str::trim).collect();
    let is_size = |size: &&str| size.parse::<u32>().is_ok();
    let mut before: Vec<&str> = text[..open].split_whitespace().collect();
    if before.last().is_some_and(|word| element_type(word).is_none()) {
        before.pop().filter(|name| is_name(name))?;
    }
    let kind = before.iter().rev().find_map(|word| element_type(word))?;
    let is_kind = |word: &&str| {
        element_type(word).is_none()
            && !matches!(*word, "__shared__" | "unsigned" | "static" | "const")
    };
    let mut around: Vec<&str> = before.into_iter().filter(is_kind).collect();
    around.extend(text[end..].split_whitespace());
    let is_row = sizes.len() > 1 || text[..open].ends_with(char::is_alphanumeric);
    (is_row && sizes.iter().all(is_size)).then(|| (format!("{kind}[{}]", sizes.join(",")), around))
}

/// Translates `layout __half tile[128][40]`. A type of HLO, `f16[128,40]`, is a shape already.
fn layout(text: &str) -> Option<String> {
    let rest = text.strip_prefix("layout ")?;
    let (shape, around) = declared(rest)?;
    let options = around.iter().skip_while(|word| !word.starts_with("--"));
    let is_plain = around.first().is_none_or(|word| word.starts_with("--"));
    let options: Vec<&str> = options.copied().collect();
    is_plain.then(|| format!("layout {shape} {}", options.join(" ")).trim_end().to_owned())
}

fn bytes(text: &str) -> Option<String> {
    let lower = text.to_ascii_lowercase();
    let begin = BYTES.iter().find(|begin| lower.starts_with(**begin))?;
    let (shape, around) = declared(&text[begin.len()..])?;
    around.iter().all(|word| AROUND.contains(word)).then(|| format!("layout {shape}"))
}

/// Translates `how many 32x32 tiles cover 100x70`.
fn tiles(text: &str) -> Option<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let sizes = |word: &str| {
        let sizes = word.trim_end_matches([',', '?']).split(['x', '×']);
        let sizes: Option<Vec<u32>> = sizes.map(|size| size.parse().ok()).collect();
        sizes.filter(|sizes| sizes.len() > 1 && !sizes.contains(&0))
    };
    let ["how", "many", tile, noun, rest @ ..] = &words[..] else { return None };
    let is_noun = matches!(
        *noun,
        "tiles" | "blocks" | "programs" | "workgroups" | "threadblocks" | "patches" | "chunks"
    );
    let (last, between) = rest.split_last()?;
    let (last, between) = match sizes(last) {
        Some(_) => (last, between),
        // `a 100x70 matrix`
        None => between.split_last()?,
    };
    const BETWEEN: [&str; 16] = [
        "cover", "are", "needed", "required", "for", "to", "a", "an", "the", "of", "size", "in",
        "does", "fit", "matrix", "do",
    ];
    let is_said = between.iter().all(|word| BETWEEN.contains(word));
    let covers = between.iter().any(|word| matches!(*word, "cover" | "needed" | "required"));
    let (tile, whole) = (sizes(tile)?, sizes(last)?);
    (is_noun && is_said && covers && tile.len() == whole.len()).then(|| {
        let counts: Vec<String> =
            whole.iter().zip(&tile).map(|(size, tile)| format!("cdiv({size}, {tile})")).collect();
        counts.join(" * ")
    })
}

/// Translates `.. for int x`: division of C rounds toward zero, and a value without a sign is at least 0.
fn signed(text: &str) -> Option<String> {
    let (asked, of) = [" for ", " with ", " if "].iter().find_map(|word| text.rsplit_once(word))?;
    let of = of.trim_end_matches(" in C");
    let words: Vec<&str> =
        of.split_whitespace().filter(|word| !matches!(*word, "a" | "an")).collect();
    let (name, kind) = words.split_last()?;
    let kind = kind.join(" ");
    let is_signed = matches!(
        &*kind,
        "int" | "signed int" | "signed" | "long" | "int32_t" | "int64_t" | "short"
    );
    let is_unsigned = matches!(
        &*kind,
        "unsigned" | "unsigned int" | "uint" | "uint32_t" | "unsigned long" | "size_t" | "uint64_t"
    );
    if !is_name(name) || asked.contains(" --") {
        return None;
    }
    match (is_signed, is_unsigned) {
        (true, _) => Some(format!("{asked} in C")),
        (_, true) => Some(format!("{asked} for {name} >= 0")),
        _ => None,
    }
}

/// Translates `count affine.for %i = 3 to 100 step 7`.
fn trips(text: &str) -> Option<String> {
    let loops = text.strip_prefix("count ")?.trim();
    let is_head = loops.starts_with("affine.for %") || loops.starts_with("scf.for %");
    (is_head && !loops.contains('\n')).then(|| {
        let head = loops.trim_end_matches(['{', '}', ' ']);
        format!("how many iterations does {head} have")
    })
}

/// Translates `contains E for i in range(100) 27`: the last number is the element.
fn contained(text: &str) -> Option<String> {
    let rest = text.strip_prefix("contains ")?;
    let (map, element) = rest.rsplit_once(' ')?;
    let is_end = map.ends_with([')', ']']) && !rest.contains(" ; ") && !rest.contains(';');
    (is_end && element.parse::<i64>().is_ok()).then(|| format!("contains {map} ; {element}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_lines() {
        for (text, expected) in [
            ("layout __half tile[128][40]", Some("layout f16[128,40]")),
            ("layout int8_t[64][64] --draw", Some("layout s8[64,64] --draw")),
            ("how many bytes does a double a[8][9] take?", Some("layout f64[8,9]")),
            ("how much shared memory does __shared__ float s[32][33]; need", None),
            (
                "how much shared memory does __shared__ float s[32][33] need",
                Some("layout f32[32,33]"),
            ),
            ("how many 16x8 tiles cover 100x70?", Some("cdiv(100, 16) * cdiv(70, 8)")),
            (
                "how many 16x8 blocks are needed for a 64x9 matrix",
                Some("cdiv(64, 16) * cdiv(9, 8)"),
            ),
            ("is x / 4 equal to x >> 2 for int x?", Some("is x / 4 equal to x >> 2 in C")),
            (
                "is x / 4 equal to x >> 2 for an unsigned x",
                Some("is x / 4 equal to x >> 2 for x >= 0"),
            ),
            (
                "count affine.for %i = 3 to 100 step 7",
                Some("how many iterations does affine.for %i = 3 to 100 step 7 have"),
            ),
            (
                "contains a[6*i] for i in range(9) 27",
                Some("contains a[6*i] for i in range(9) ; 27"),
            ),
            // Other words, a shape, several ranks, a number that belongs to the map.
            ("how many bytes does a double a[8][9] waste?", None),
            ("layout f16[128,40]", None),
            ("how many 16x8 tiles cover 100?", None),
            ("how many 16x8 tiles overlap 100x70?", None),
            ("is x even for some x", None),
            ("count i for i in range(9)", None),
            ("contains i + 27", None),
        ] {
            assert_eq!(line(text).as_deref(), expected, "{text}");
        }
    }
}
