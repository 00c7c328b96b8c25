//! `help` for a word that is not a command, rule or topic: its meaning, or the lines of help that contain it.

use super::output::{Object, Output, Role, Text};
use super::table::Commands;
use super::topics::TOPICS;

/// The maximum number of lines that a search shows.
const MOST_LINES: usize = 12;

/// A term of the field, with all of its names, its meaning, and the help page on it.
struct Term {
    names: &'static [&'static str],
    meaning: &'static str,
    more: &'static str,
}

const fn term(names: &'static [&'static str], meaning: &'static str, more: &'static str) -> Term {
    Term { names, meaning, more }
}

const TERMS: &[Term] = &[
    term(
        &["domain", "bounds", "interval"],
        "The values that the variables of a map take: an interval for each, both ends included, then constraints.\n\
         (d0, d1) -> (d0 + d1), domain: d0 in [0, 3], d1 in [0, inf], d0 + d1 in [0, 9]",
        "maps",
    ),
    term(
        &["constraint", "condition", "where"],
        "An expression and its interval, after the bounds of a domain: d0 + d1 in [0, 9]. In code: `where i + j < 10`.",
        "maps",
    ),
    term(
        &["dimension", "dim", "d0"],
        "A variable in (..): an index of the output, or of a grid.",
        "maps",
    ),
    term(
        &["range variable", "range variables", "symbol", "s0"],
        "A variable in [..]: all of its values are read for each point of the dimensions, as along a reduced dimension.",
        "maps",
    ),
    term(
        &["runtime variable", "runtime variables", "rt0", "runtime"],
        "A variable in {..}: one value that is known only when the program runs, such as the offset of a dynamic-slice.",
        "maps",
    ),
    term(
        &["parameter", "parameters", "named size", "size", "symbolic"],
        "A variable in <..>: a size that has a name. It has one value for the whole map, and an answer holds for all of them.\n\
         <n>(d0) -> (d0 mod n), domain: n in [1, inf], d0 in [0, 2 * n - 1]",
        "maps",
    ),
    term(
        &["floordiv", "division", "//", "/", "floor", "quotient"],
        "Division rounds down: -7 floordiv 2 is -4. `//` is the same, and `/` in maps. A divisor is a positive integer, or a\n\
         parameter that is positive: <n>(d0) -> (d0 floordiv n), domain: n in [1, inf], d0 in [0, 9]",
        "maps",
    ),
    term(
        &["mod", "%", "remainder", "modulo", "floormod"],
        "The remainder of floordiv: x mod c lies in [0, c), also for negative x; -7 mod 2 is 1. With --c, `%` is that of C.",
        "maps",
    ),
    term(
        &["ceildiv", "cdiv", "ceiling"],
        "Division that rounds up: x ceildiv c is -((-x) floordiv c). In code it is `cdiv(x, c)`, or -(-x // c).",
        "code",
    ),
    term(
        &["min", "max", "clamp", "minimum", "maximum"],
        "min(a, b, ..) and max(a, b, ..), in maps and in code.",
        "maps",
    ),
    term(
        &["xor", "^", "bitwise", "bits", "&", "|", "shift", "<<", ">>"],
        "Code may have ^ & | ~ << >> on integers in two's complement of any width: they become sums of quotients and remainders;\n\
         an xor of two values is a sum modulo 2 for each bit.",
        "code",
    ),
    term(
        &["layout", "layouts", "tiling", "tiled", "minor to major", "memory order"],
        "Where the elements of an array lie: f32[3,5]{1,0:T(2,2)} has its dimensions from the minor one in braces, then tiles.\n\
         Alone in a line a shape is answered with the map from index to position.",
        "layout",
    ),
    term(
        &["swizzle", "swizzles", "cute", "cutlass"],
        "A CuTe layout is shape:stride, `(4,8):(8,1)`; Swizzle<B,M,S> o .. exclusive-ors B bits of the position with those S higher.",
        "layout",
    ),
    term(
        &["dependence", "dependency", "race", "loop-carried", "parallelize", "data race"],
        "Two iterations of a loop that access one element, at least one of them writing. `parallel` shows them, or proves that there are none.",
        "parallel",
    ),
    term(
        &["indexing map", "index map", "map", "affine map", "affine_map", "quasi-affine"],
        "Which element of an input each element of an output reads, as sums, floordiv and mod by constants, min and max of indices.",
        "maps",
    ),
    term(
        &["verdict", "counterexample", "proof"],
        "proved: at all points, over the integers; refuted: with a point that shows it; unknown: with the reason. Never a guess.",
        "words",
    ),
    term(
        &["fuel", "budget", "timeout", "limit"],
        "Work is counted in steps, never in time, so that answers do not depend on the machine: `--steps` of simplify, `--solver-steps` of prove and equal.",
        "set",
    ),
    term(
        &["saturation", "equality saturation", "e-graph", "egg"],
        "The search for the smallest form: all rules fire on a graph of equal expressions. `egraph` draws one; `--effort` of simplify limits it.",
        "egraph",
    ),
    term(
        &["overflow", "wrap", "wraparound", "int32", "int64"],
        "Maps are over the integers. `fits MAP` decides whether each part of a map stays within 32 bits; for a proved statement,\n\
         `prove` shows where it fails in 64.\n\
         fits i * j, domain: i in [0, 99999], j in [0, 99999]",
        "fits",
    ),
    term(
        &[
            "einsum",
            "matmul",
            "einops",
            "rearrange",
            "permute",
            "view",
            "flatten",
            "squeeze",
            "unsqueeze",
            "swapaxes",
            "as_strided",
            "np.transpose",
            "np.reshape",
            "torch.reshape",
            "torch.permute",
            "einops.rearrange",
        ],
        "Arrays change by the operations of HLO, one after the other. x.view(4, 8).T.reshape(32), and an einsum `ik,kj->ij`:\n\
         op reshape f32[32] -> f32[4,8] | transpose {1,0} | reshape -> f32[32]\n\
         op dot f32[4,8] f32[8,16] lhs_contracting_dims={1} rhs_contracting_dims={0}",
        "op",
    ),
    term(
        &[
            "conv2d",
            "conv",
            "conv1d",
            "convolve",
            "pool",
            "pooling",
            "maxpool",
            "max_pool",
            "softmax",
            "layernorm",
            "attention",
        ],
        "A layer is one operation of HLO, or a module of several, as JAX prints it: jax.jit(f).lower(x).compile().as_text()\n\
         op convolution f32[1,8,8,3] f32[3,3,3,16] window={size=3x3 stride=2x2 pad=1_1x1_1} dim_labels=b01f_01io->b01f\n\
         op reduce-window f32[8,8] window={size=2x2 stride=2x2}",
        "op",
    ),
    term(
        &["exists", "exist", "there is", "some"],
        "Of a claim with values for some names: the points at which it holds are asked for, or a set of isl.\n\
         points x where x % 2 == 0 and x % 3 == 1, x in [0, 20]\n\
         points { [x] : exists k : x = 2k and 0 <= x <= 20 }",
        "points",
    ),
    term(
        &["lexmin", "lexmax", "lexicographic", "smallest point"],
        "`points` lists points in lexicographic order, so that its first one is the least: points { [i, j] : i + j >= 5 and 0 <= i, j <= 4 }",
        "points",
    ),
    term(
        &["satisfiable", "sat", "feasible", "empty", "solutions"],
        "`solve` finds one solution; within bounds, `points` lists them, `count` counts them.\n\
         solve 3*x + 5*y = 21, x > y\n\
         points x, y where 3*x + 5*y == 21, 0 <= x < 20, 0 <= y < 20",
        "solve",
    ),
    term(
        &["hlo", "module", "stablehlo", "mlir", "jax", "xla"],
        "`hlo FILE` shows the reads of each instruction of a module, `hlo FILE --entry` the parameter elements that its result reads.",
        "hlo",
    ),
];

/// Returns the names of all terms, for suggestions.
pub fn names() -> impl Iterator<Item = &'static str> {
    TERMS.iter().flat_map(|term| term.names.iter().copied())
}

/// Checks whether a word is the name of a term.
pub fn is_term(word: &str) -> bool {
    names().any(|name| name == word)
}

/// Returns the meaning of a term; `None` if the words are not a term.
pub fn meaning(words: &str) -> Option<Output> {
    let words = words.to_lowercase();
    let term = TERMS.iter().find(|term| term.names.contains(&&*words))?;
    let mut text = Text::of(Role::Name, words.as_str());
    text.push(Role::Prose, format!("\n{}", term.meaning));
    text.push(Role::Faint, format!("\n`help {}` says more", term.more));
    Some(Output::new(text, Object::new().with("word", words).with("meaning", term.meaning)))
}

/// Returns the lines of help that contain the words; `None` if there are no such lines.
pub fn lines(commands: Commands, words: &str) -> Option<Output> {
    let words = words.to_lowercase();
    let lines = lines_with(commands, &words);
    let mut text = Text::new();
    let mut shown = "";
    for &(place, ref line) in lines.iter().take(MOST_LINES) {
        if shown != place {
            text.new_line();
            text.push(Role::Name, format!("help {place}"));
            shown = place;
        }
        text.push(Role::Plain, format!("\n  {line}"));
    }
    if lines.len() > MOST_LINES {
        text.push(Role::Faint, format!("\nand {} more lines", lines.len() - MOST_LINES));
    }
    let found =
        lines.iter().map(|(place, line)| Object::nested().with("help", place).with("line", line));
    let json = Object::new().with("word", words).with("found", found.collect::<Vec<Object>>());
    (!lines.is_empty()).then(|| Output::new(text, json))
}

/// Returns the lines of help with a word, each with the command or topic it belongs to.
fn lines_with(commands: Commands, words: &str) -> Vec<(&'static str, String)> {
    let mut found = Vec::new();
    let mut look = |place: &'static str, page: &str| {
        let lines = page.lines().filter(|line| has_word(&line.to_lowercase(), words));
        found.extend(lines.map(|line| (place, line.trim().to_owned())));
    };
    for topic in TOPICS {
        look(topic.name, &topic.page());
    }
    for command in commands.iter() {
        look(command.name, command.summary);
        look(command.name, command.details);
        for option in command.options {
            look(command.name, &format!("{}  {}", option.sketch(), option.summary));
        }
    }
    found
}

/// Checks whether a line contains a word as a whole, possibly in the plural.
fn has_word(line: &str, word: &str) -> bool {
    let is_letter = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).any(|(start, _)| {
        let rest = &line[start + word.len()..];
        let rest = rest.strip_prefix('s').unwrap_or(rest);
        !line[..start].ends_with(is_letter) && !rest.starts_with(is_letter)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::COMMANDS;

    #[test]
    fn each_name_has_one_meaning_and_leads_to_help() {
        let mut all: Vec<&str> = names().collect();
        all.sort_unstable();
        let count = all.len();
        all.dedup();
        assert_eq!(all.len(), count);
        for term in TERMS {
            let is_topic = TOPICS.iter().any(|topic| topic.name == term.more);
            assert!(is_topic || COMMANDS.iter().any(|command| command.name == term.more));
            assert!(term.names.iter().all(|name| *name == name.to_lowercase()));
        }
    }

    #[test]
    fn words_are_found_as_wholes() {
        assert!(has_word("all tiles of it", "tile") && has_word("--bits bits", "--bits"));
        assert!(!has_word("a textile", "tile") && !has_word("tiled", "tile"));
    }
}
