//! Forms of questions in English, each with its line of commands.

use std::sync::LazyLock;

/// Forms with their lines; one is tried before those below it. `a|b` are alternatives, of which `_` is no word and `+` joins
/// words. `{}` is a text, `{w}` a single word, `{m}` a text with an operator of arithmetic, `{l}` a layout of CuTe without a
/// swizzle. The last text may be empty; it contains the bounds.
const FORMS: &[(&str, &str)] = &[
    ("is {} injective|bijective|one-to-one|one+to+one on|over {}", "injective {0}, domain: {1}"),
    ("is {} injective|bijective|one-to-one|one+to+one {}", "injective {0} {1}"),
    ("{m} is|: injective|bijective|one-to-one|one+to+one", "injective {0}"),
    ("do any two {} write|read|touch the same element of {}", "injective {1}"),
    ("does|can|will|could {} fit in|into {w} bits {}", "fits {0} {2} --bits {1}"),
    ("does|can|will|could {} fit in|into int32|i32|s32|int|an+int|32+bits {}", "fits {0} {1}"),
    ("does|can|will|could {} overflow int32|i32|s32|int|an+int|32+bits|_ {}", "fits {0} {1}"),
    ("is {} always|_ less+than+or+equal+to|smaller+than+or+equal+to {}", "{0} <= {1}"),
    ("is {} always|_ greater+than+or+equal+to|larger+than+or+equal+to {}", "{0} >= {1}"),
    ("is {} the+same+as|equal+to|equivalent+to|identical+to|always+equal+to {}", "equal {0} ; {1}"),
    ("does {} equal {}", "equal {0} ; {1}"),
    ("are {} and {} the+same|equal|equivalent|identical {}", "equal {0} ; {1} {2}"),
    ("is {} a bitcast of {}", "bitcast {1} {0}"),
    ("is {} the same bytes as {}", "bitcast {0} {1}"),
    ("are {} and {} the same bytes", "bitcast {0} {1}"),
    ("bitcast {} to|-> {}", "bitcast {0} {1}"),
    ("is {} to|-> {} a bitcast", "bitcast {0} {1}"),
    ("find {w} in {} with|such+that {}", "points {0} where {0} in {1}, {2}"),
    ("find {w} such that {}", "points {0} where {1}"),
    ("how many elements does {} read|touch|access|write", "count {0}"),
    ("how many elements|points are+in|in|of {}", "count {0}"),
    ("how many points|iterations does {} have", "count {0}"),
    ("how many points has {}", "count {0}"),
    ("how many iterations are+in|in {}", "count {0}"),
    ("how many times does {} run", "count {0}"),
    ("how many pairs|points {} in {} with|satisfy {}", "count {0} where {0} in {1}, {2}"),
    ("how many distinct|different|_ values does {} take {}", "count {0} {1}"),
    ("how many {w} in {} with|satisfy|have {}", "count {0} where {0} in {1}, {2}"),
    ("where does element|_ {} of|in {} live|lie", "layout {1} --index {0}"),
    ("where is element|_ {} of|in {}", "layout {1} --index {0}"),
    (
        "physical|linear|memory|_ offset|address|position|index of element|_ {} of|in {}",
        "layout {1} --index {0}",
    ),
    ("element at position|offset|address {w} of|in {}", "layout {1} --linear {0}"),
    (
        "which|what element is|lies|_ at position|offset|address {w} of|in {}",
        "layout {1} --linear {0}",
    ),
    ("element|index {} of|in {}", "layout {1} --index {0}"),
    ("{w} at|index|element {}", "layout {0} --index {1}"),
    ("is {w} row-major|row+major|column-major|column+major|contiguous|padded", "layout {0}"),
    ("how big is {w}", "layout {0}"),
    ("size|padding|cosize of {w}", "layout {0}"),
    ("how many elements|bytes of|_ padding are+in|in|has|does {w}", "layout {0}"),
    ("how many elements are padding in {w}", "layout {0}"),
    ("{w} size|padding|strides|cosize", "layout {0}"),
    ("cosize {}", "layout {0}"),
    ("draw layout {}", "layout {0} --draw"),
    ("unravel {w} {}", "np.unravel_index({0}, {1})"),
    ("zipped_divide {} by {}", "layout divide {0} ; {1} --zipped"),
    ("logical_divide {} by {}", "layout divide {0} ; {1}"),
    ("zipped_divide {w} {w}", "layout divide {0} ; {1} --zipped"),
    ("logical_divide {w} {w}", "layout divide {0} ; {1}"),
    ("logical_product {w} {w}", "layout product {0} ; {1}"),
    ("composition {w} {w}", "layout compose {0} ; {1}"),
    ("layout|_ {l} o|composed+with {}", "layout compose {0} ; {1}"),
    ("complement {w} {w}", "layout complement {0} {1}"),
    ("coalesce {w}", "layout coalesce {0}"),
    ("inverse of {}", "inverse {0}"),
    ("compose {} with {}", "compose {0} ; {1}"),
    ("stride of {w} in {}", "strides {1}"),
    ("strides of {}", "strides {0}"),
    ("count of {}", "count {0}"),
    ("number of distinct {}", "count {0}"),
    ("number of points+in|elements+of {}", "count {0}"),
    ("card|cardinality|cardinality+of {}", "count {0}"),
    ("range|bounds|maximum|minimum|max|min of {}", "range {0}"),
    ("smallest|largest|greatest|least|minimal|maximal value of|that {} takes|_", "range {0}"),
    ("what values does {} take {}", "range {0} {1}"),
    ("when is {}", "prove {0}"),
    ("when does {} hold", "prove {0}"),
    ("for which {w} in {} is {}", "points {0} where {0} in {1}, {2}"),
    ("for which values+of|_ {w} is {}", "points {0} where {1}"),
    ("which {w} in {} have|satisfy {}", "points {0} where {0} in {1}, {2}"),
    ("which {w} satisfies|satisfy {}", "points {0} where {1}"),
    ("can {} be {} for {}", "any(({0}) == ({1}) for {2})"),
    ("is {} ever {} for {}", "any(({0}) == ({1}) for {2})"),
    ("is {} coalesced {}", "coalesce {0} {1}"),
    ("does {} have bank conflicts {}", "banks {0} {1}"),
    ("are there bank conflicts in|for {}", "banks {0}"),
    ("bank conflicts of|in|for {}", "banks {0}"),
    ("is {} always|_ a+multiple+of|divisible+by {w} {}", "({0}) % {1} == 0 {2}"),
    ("is {} always|_ less+than|below|smaller+than {}", "{0} < {1}"),
    ("is {} always|_ greater+than|above|larger+than {}", "{0} > {1}"),
    ("is {} always|_ at+most {}", "{0} <= {1}"),
    ("is {} always|_ at+least {}", "{0} >= {1}"),
    ("is {} always <= {}", "{0} <= {1}"),
    ("is {} always >= {}", "{0} >= {1}"),
    ("is {} always < {}", "{0} < {1}"),
    ("is it true that {}", "{0}"),
    ("prove|show that {}", "prove {0}"),
    ("prove: {}", "prove {0}"),
    ("check that {}", "{0}"),
    ("what does {} read", "{0}"),
    ("what does {} simplify to", "{0}"),
    ("{m} simplified|simplify {}", "simplify {0} {1}"),
    ("what is {}", "{0}"),
    ("rules add {}", "rule {0}"),
    ("add rule {}", "rule {0}"),
    ("is {} empty", "{0}"),
    ("is {} true", "{0}"),
    ("does {} hold {}", "{0} {1}"),
    ("is {}", "{0}"),
];

/// Words that a question may begin with, before the noun that it asks for.
const OPENINGS: [&str; 14] = [
    "what is",
    "what's",
    "whats",
    "what are",
    "find",
    "compute",
    "calculate",
    "determine",
    "get",
    "give me",
    "give",
    "show me",
    "show",
    "tell me",
];

/// Returns a question without the words that it begins with: `what is the range of i` is `range of i`.
pub fn without_opening(text: &str) -> Option<&str> {
    let after = |text: &'_ str, words: &str| -> Option<usize> {
        let start = text.get(..words.len())?;
        let is_word = text[words.len()..].starts_with(' ');
        (is_word && start.eq_ignore_ascii_case(words)).then_some(words.len())
    };
    let opening = OPENINGS.iter().find_map(|words| after(text, words))?;
    let rest = text[opening..].trim_start();
    let article = ["the", "a", "an"].iter().find_map(|words| after(rest, words)).unwrap_or(0);
    Some(rest[article..].trim_start())
}

/// The rows, each with the forms that its alternatives allow.
pub static SPELT: LazyLock<Vec<(&str, Vec<String>, &str)>> =
    LazyLock::new(|| FORMS.iter().map(|(form, line)| (*form, spellings(form), *line)).collect());

fn spellings(form: &str) -> Vec<String> {
    form.split(' ').fold(vec![String::new()], |known, word| {
        let with = |start: &String, word: &str| match word {
            "_" => start.clone(),
            _ if start.is_empty() => word.replace('+', " "),
            _ => format!("{start} {}", word.replace('+', " ")),
        };
        known.iter().flat_map(|start| word.split('|').map(move |word| with(start, word))).collect()
    })
}
