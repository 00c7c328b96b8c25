//! Questions in English: a table of forms, each with its line of commands.

/// Forms, in which `{}` is a text and `{w}` a single word, each with its line. The last text may be empty; it contains the
/// bounds.
const FORMS: &[(&str, &str)] = &[
    ("is {} injective on {}", "injective {0}, domain: {1}"),
    ("is {} injective over {}", "injective {0}, domain: {1}"),
    ("is {} injective {}", "injective {0} {1}"),
    ("is {} bijective {}", "injective {0} {1}"),
    ("is {} one-to-one {}", "injective {0} {1}"),
    ("is {} one to one {}", "injective {0} {1}"),
    ("do any two {} write the same element of {}", "injective {1}"),
    ("does {} fit in {w} bits {}", "fits {0} {2} --bits {1}"),
    ("does {} fit in int32 {}", "fits {0} {1}"),
    ("does {} fit in i32 {}", "fits {0} {1}"),
    ("does {} fit in an int {}", "fits {0} {1}"),
    ("does {} fit into 32 bits {}", "fits {0} {1}"),
    ("does {} overflow int32 {}", "fits {0} {1}"),
    ("does {} overflow 32 bits {}", "fits {0} {1}"),
    ("can {} overflow int32 {}", "fits {0} {1}"),
    ("can {} overflow 32 bits {}", "fits {0} {1}"),
    ("can {} overflow an int {}", "fits {0} {1}"),
    ("does {} overflow {}", "fits {0} {1}"),
    ("can {} overflow {}", "fits {0} {1}"),
    ("will {} overflow {}", "fits {0} {1}"),
    ("is {} the same as {}", "equal {0} ; {1}"),
    ("is {} equal to {}", "equal {0} ; {1}"),
    ("is {} equivalent to {}", "equal {0} ; {1}"),
    ("does {} equal {}", "equal {0} ; {1}"),
    ("are {} and {} the same {}", "equal {0} ; {1} {2}"),
    ("are {} and {} equal {}", "equal {0} ; {1} {2}"),
    ("are {} and {} equivalent {}", "equal {0} ; {1} {2}"),
    ("is {} a bitcast of {}", "bitcast {1} {0}"),
    ("is {} the same bytes as {}", "bitcast {0} {1}"),
    ("are {} and {} the same bytes", "bitcast {0} {1}"),
    ("bitcast {} to {}", "bitcast {0} {1}"),
    ("bitcast {} -> {}", "bitcast {0} {1}"),
    ("is {} to {} a bitcast", "bitcast {0} {1}"),
    ("is {} -> {} a bitcast", "bitcast {0} {1}"),
    ("how many elements does {} read", "count {0}"),
    ("how many elements does {} touch", "count {0}"),
    ("how many elements does {} access", "count {0}"),
    ("how many elements are in {}", "count {0}"),
    ("how many elements in {}", "count {0}"),
    ("how many elements of {}", "count {0}"),
    ("how many points are in {}", "count {0}"),
    ("how many points in {}", "count {0}"),
    ("how many points does {} have", "count {0}"),
    ("how many points has {}", "count {0}"),
    ("how many iterations does {} have", "count {0}"),
    ("how many iterations are in {}", "count {0}"),
    ("how many times does {} run", "count {0}"),
    ("how many pairs {} in {} with {}", "count {0} where {0} in {1}, {2}"),
    ("how many pairs {} in {} satisfy {}", "count {0} where {0} in {1}, {2}"),
    ("how many points {} in {} satisfy {}", "count {0} where {0} in {1}, {2}"),
    ("how many {w} in {} with {}", "count {0} where {0} in {1}, {2}"),
    ("how many {w} in {} satisfy {}", "count {0} where {0} in {1}, {2}"),
    ("how many {w} in {} have {}", "count {0} where {0} in {1}, {2}"),
    ("address of element {} in {}", "layout {1} --index {0}"),
    ("address of element {} of {}", "layout {1} --index {0}"),
    ("where does element {} of {} live", "layout {1} --index {0}"),
    ("where does element {} of {} lie", "layout {1} --index {0}"),
    ("where is element {} of {}", "layout {1} --index {0}"),
    ("where is element {} in {}", "layout {1} --index {0}"),
    ("where is {} in {}", "layout {1} --index {0}"),
    ("offset of element {} in {}", "layout {1} --index {0}"),
    ("element {} of {}", "layout {1} --index {0}"),
    ("index {} of {}", "layout {1} --index {0}"),
    ("index {} in {}", "layout {1} --index {0}"),
    ("offset of {} in {}", "layout {1} --index {0}"),
    ("address of {} in {}", "layout {1} --index {0}"),
    ("position of {} in {}", "layout {1} --index {0}"),
    ("is {w} row-major", "layout {0}"),
    ("is {w} row major", "layout {0}"),
    ("is {w} column-major", "layout {0}"),
    ("is {w} contiguous", "layout {0}"),
    ("unravel {w} {}", "np.unravel_index({0}, {1})"),
    ("zipped_divide {} by {}", "layout divide {0} ; {1} --zipped"),
    ("logical_divide {} by {}", "layout divide {0} ; {1}"),
    ("zipped_divide {w} {w}", "layout divide {0} ; {1} --zipped"),
    ("logical_divide {w} {w}", "layout divide {0} ; {1}"),
    ("logical_product {w} {w}", "layout product {0} ; {1}"),
    ("composition {w} {w}", "layout compose {0} ; {1}"),
    ("complement {w} {w}", "layout complement {0} {1}"),
    ("coalesce {w}", "layout coalesce {0}"),
    ("draw layout {}", "layout {0} --draw"),
    ("what is the inverse of {}", "inverse {0}"),
    ("what's the inverse of {}", "inverse {0}"),
    ("find the inverse of {}", "inverse {0}"),
    ("inverse of {}", "inverse {0}"),
    ("compose {} with {}", "compose {0} ; {1}"),
    ("stride of {w} in {}", "strides {1}"),
    ("strides of {}", "strides {0}"),
    ("card {}", "count {0}"),
    ("cardinality of {}", "count {0}"),
    ("cosize {}", "layout {0}"),
    ("cosize of {}", "layout {0}"),
    ("what is the range of {}", "range {0}"),
    ("what are the bounds of {}", "range {0}"),
    ("what is the maximum of {}", "range {0}"),
    ("what is the minimum of {}", "range {0}"),
    ("what values does {} take {}", "range {0} {1}"),
    ("range of {}", "range {0}"),
    ("bounds of {}", "range {0}"),
    ("maximum of {}", "range {0}"),
    ("max of {}", "range {0}"),
    ("min of {}", "range {0}"),
    ("when is {}", "prove {0}"),
    ("when does {} hold", "prove {0}"),
    ("for which {w} in {} is {}", "points {0} where {0} in {1}, {2}"),
    ("for which {w} is {}", "points {0} where {1}"),
    ("for which values of {w} is {}", "points {0} where {1}"),
    ("which {w} in {} have {}", "points {0} where {0} in {1}, {2}"),
    ("which {w} in {} satisfy {}", "points {0} where {0} in {1}, {2}"),
    ("can {} be {} for {}", "any(({0}) == ({1}) for {2})"),
    ("is {} ever {} for {}", "any(({0}) == ({1}) for {2})"),
    ("which {w} satisfies {}", "points {0} where {1}"),
    ("which {w} satisfy {}", "points {0} where {1}"),
    ("how many distinct values does {} take {}", "count {0} {1}"),
    ("how many different values does {} take {}", "count {0} {1}"),
    ("how many values does {} take {}", "count {0} {1}"),
    ("minimum of {}", "range {0}"),
    ("is {} coalesced {}", "coalesce {0} {1}"),
    ("does {} have bank conflicts {}", "banks {0} {1}"),
    ("are there bank conflicts in {}", "banks {0}"),
    ("are there bank conflicts for {}", "banks {0}"),
    ("bank conflicts of {}", "banks {0}"),
    ("is {} always a multiple of {w} {}", "({0}) % {1} == 0 {2}"),
    ("is {} always divisible by {w} {}", "({0}) % {1} == 0 {2}"),
    ("is {} a multiple of {w} {}", "({0}) % {1} == 0 {2}"),
    ("is {} divisible by {w} {}", "({0}) % {1} == 0 {2}"),
    ("is {} always less than {}", "{0} < {1}"),
    ("is {} always greater than {}", "{0} > {1}"),
    ("is {} always at most {}", "{0} <= {1}"),
    ("is {} always at least {}", "{0} >= {1}"),
    ("is {} always equal to {}", "equal {0} ; {1}"),
    ("is {} always < {}", "{0} < {1}"),
    ("is {} always <= {}", "{0} <= {1}"),
    ("is {} always >= {}", "{0} >= {1}"),
    ("is it true that {}", "{0}"),
    ("prove that {}", "prove {0}"),
    ("check that {}", "{0}"),
    ("what does {} read", "{0}"),
    ("what does {} simplify to", "{0}"),
    ("what is {}", "{0}"),
    ("rules add {}", "rule {0}"),
    ("add rule {}", "rule {0}"),
    ("is {} empty", "{0}"),
    ("is {} true", "{0}"),
    ("does {} hold {}", "{0} {1}"),
    ("is {}", "{0}"),
];

/// Translates Python expressions over all values: `len(set(i // 4 for i in range(9)))`, `max(..)`, `[..]`.
fn comprehension(text: &str) -> Option<String> {
    let strip = |text: &'_ str, open: &str, close: &str| {
        Some(text.trim().strip_prefix(open)?.strip_suffix(close)?.trim().to_owned())
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
        .or_else(|| some_point(&strip(text, "any(", ")")?))
        .or_else(|| line("", strip(text, "[", "]")?))
        .or_else(|| {
            // A statement, which contains `==`.
            let text = strip(text, "all(", ")")?;
            let is_one = text.contains(" for ") && !text.contains(['\n', ';']);
            is_one.then(|| values(&text))
        })
}

/// Translates to a query for the points at which `i * 3 % 8 == 5 for i in range(8)` holds.
fn some_point(text: &str) -> Option<String> {
    let (claim, bounds) = text.split_once(" for ")?;
    // `for i in range(8), j in range(4)`
    let bounds = bounds.replace("), ", ") for ");
    let mut bounds: Vec<&str> = bounds.split(" for ").collect();
    let last = bounds.pop()?;
    let (last, condition) =
        last.split_once(" if ").map_or((last, None), |(last, condition)| (last, Some(condition)));
    bounds.push(last);
    let names = bounds.iter().map(|bound| Some(bound.split_once(" in ")?.0.trim()));
    let names: Vec<&str> = names.collect::<Option<_>>()?;
    let are_ranges = bounds.iter().all(|bound| bound.contains(" in range("));
    let is_one = are_ranges && !text.contains(['\n', ';']) && !claim.contains(" if ");
    let conditions = bounds.iter().copied().chain(condition);
    let conditions: Vec<&str> = conditions.collect();
    is_one.then(|| format!("points {} where {claim}, {}", names.join(", "), conditions.join(", ")))
}

/// Translates a question in English, or a Python expression over all values.
pub fn line(text: &str) -> Option<String> {
    if let Some(line) = comprehension(text) {
        return Some(line);
    }
    if let Some(line) = of_element(text) {
        return Some(line);
    }
    let text = text.trim().trim_end_matches(['?', '.']).trim_end();
    let lower = text.to_ascii_lowercase();
    FORMS.iter().find_map(|(form, line)| {
        let parts = parts(form, text, &lower)?;
        // `is {}` and `what is {}` are about a statement or a value, not about any other text.
        let is_last = matches!(*form, "is {}" | "what is {}" | "does {} hold {}");
        let says = |part: &&str| part.contains(['=', '<', '>', '/', '%', '*', '+']);
        if is_last && parts.first().is_none_or(|part| !says(part)) {
            return None;
        }
        // A set of isl is counted; for an `affine_set`, emptiness is decided.
        let is_isl = parts.first().is_some_and(|part| part.starts_with(['{', '[']));
        let line = match *form {
            _ if *line == "layout {0}" && !parts[0].contains(['[', ':']) => return None,
            // Threads coalesce at an index; a layout of CuTe coalesces its modes.
            "coalesce {w}" if !parts[0].contains("):(") => return None,
            "is {} empty" if is_isl => "count {0}",
            "is {} empty" if !parts[0].starts_with("affine_set") => return None,
            "is {}" if is_isl && text.ends_with(|c: char| c.is_alphabetic()) => return None,
            _ => *line,
        };
        // For `s[threadIdx.x * 33]`, the question is about the element's index.
        let is_of_warps = line.starts_with("banks") || line.starts_with("coalesce");
        let parts = parts.iter().map(|part| if is_of_warps { index_of(part) } else { *part });
        let parts: Vec<&str> = parts.collect();
        let filled = (0..).zip(&parts).fold(line.to_owned(), |line, (number, part)| {
            line.replace(&format!("{{{number}}}"), part)
        });
        // Without bounds there are infinitely many points, so the domain is printed instead.
        let is_open = !filled.contains(['<', '>']) && !filled.contains(" in ");
        let filled = match filled.strip_prefix("points ").filter(|_| is_open) {
            Some(rest) => format!("simplify {rest}"),
            None => filled,
        };
        // The index of an element may be in brackets.
        let filled = match filled.split_once(" --index ") {
            Some((layout, index)) => {
                let index = index.trim_matches(['(', ')', '[', ']']).replace(' ', "");
                let is_index = index.split(',').all(|part| part.parse::<u64>().is_ok());
                return is_index.then(|| format!("{layout} --index {index}"));
            }
            None => filled,
        };
        match filled.starts_with("any(") {
            true => comprehension(&filled),
            false => Some(filled.trim_end().to_owned()),
        }
    })
}

/// Translates a command about the accesses of warps to `s[threadIdx.x * 33] for ..`, to one about the element's index.
fn of_element(text: &str) -> Option<String> {
    let (command, rest) = text.trim().split_once(' ')?;
    let rest = rest.trim();
    let open = rest.find('[')?;
    let end = open + super::array::closing(&rest[open..])?;
    let (name, index, behind) = (&rest[..open], &rest[open + 1..end], &rest[end + 1..]);
    let is_asked = matches!(command, "banks" | "coalesce" | "vector");
    let is_alone = behind.is_empty() || behind.starts_with([' ', ',']);
    let is_one = index.contains(|c: char| c.is_alphabetic()) && !index.contains([',', '[', ':']);
    (is_asked && is_alone && is_one && affinor::text::is_name(name))
        .then(|| format!("{command} {index}{behind}"))
}

/// Returns the index of an element of a one-dimensional array.
fn index_of(text: &str) -> &str {
    let inner = text.strip_suffix(']').and_then(|text| text.split_once('['));
    match inner {
        Some((name, index)) if affinor::text::is_name(name) && !index.contains(['[', ',']) => index,
        _ => text,
    }
}

/// Matches a form, and returns its texts; `lower` is `text` in lower case.
fn parts<'t>(form: &str, text: &'t str, lower: &str) -> Option<Vec<&'t str>> {
    let mut at = 0;
    let mut parts: Vec<&str> = Vec::new();
    let mut open = false; // whether a text is open, which ends at the next words
    let mut words = form.split(' ').peekable();
    while words.peek().is_some() {
        let mut literal = Vec::new();
        while let Some(word) = words.next_if(|word| !word.starts_with('{')) {
            literal.push(word);
        }
        let literal = literal.join(" ");
        if !literal.is_empty() {
            let rest = lower.get(at..)?;
            let start = match open {
                true => between_spaces(rest, &literal)?,
                false => between_spaces(rest, &literal)
                    .filter(|start| rest[..*start].trim().is_empty())?,
            };
            if open {
                parts.push(text.get(at..at + start)?.trim());
            }
            at += start + literal.len();
        }
        open = false;
        match words.next() {
            Some("{w}") => {
                let rest = text.get(at..)?;
                let word = rest.split_whitespace().next()?;
                at += rest.find(word)? + word.len();
                parts.push(word);
            }
            Some(_) => open = true,
            None => {}
        }
    }
    let rest = text.get(at..)?.trim();
    match open {
        true => parts.push(rest),
        false if !rest.is_empty() => return None,
        false => {}
    }
    // Only the last of several texts may be empty.
    let needed = parts.len().saturating_sub(usize::from(parts.len() > 1));
    let are_there = parts.iter().take(needed.max(1)).all(|part| !part.is_empty());
    are_there.then_some(parts)
}

/// Returns the position of words with spaces or an end of the text on both sides.
fn between_spaces(text: &str, words: &str) -> Option<usize> {
    let mut places = text.match_indices(words).map(|(at, _)| at);
    places.find(|at| {
        let (before, behind) = (&text[..*at], &text[at + words.len()..]);
        (before.is_empty() || before.ends_with(char::is_whitespace))
            && (behind.is_empty() || behind.starts_with(char::is_whitespace))
    })
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
            (
                "any(i * 3 % 8 == j for i in range(8) for j in range(4) if i < j)",
                "points i, j where i * 3 % 8 == j, i in range(8), j in range(4), i < j",
            ),
            ("any(i * 2 == 5 for i in range(8))", "points i where i * 2 == 5, i in range(8)"),
            ("len(set(i // 4 for i in range(9)))", "count i // 4 for i in range(9)"),
            ("max(i * 3 for i in range(4))", "range i * 3 for i in range(4)"),
            ("[i * 3 % 8 for i in range(8)]", "i * 3 % 8 for i in range(8)"),
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
            ("all(i // 4 == 2 for i in range(8, 12))", "i // 4 == 2 for i in range(8, 12)"),
            ("rules add a: x + 0 => x", "rule a: x + 0 => x"),
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
            "is it empty",
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
