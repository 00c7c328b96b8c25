//! The words of questions about code, each with its meaning.

use super::tokens::Token;
use super::values::is_agent;

/// A part of the meaning of a word.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Tag {
    Which,
    Many,
    Element,
    Iteration,
    Loop,
    Agent,
    Read,
    Write,
    Access,
    Same,
    Distinct,
    Collide,
    Overlap,
    Onto,
    Inside,
    Masked,
    Vector,
    Parallel,
    Interchange,
    Extreme,
    Coalesce,
    Bank,
    Conflict,
    Never,
    Every,
    Both,
    /// The other end of a map: `end up at`.
    Goes,
    Stride,
    Aligned,
    Bitcast,
    /// A word without a meaning of its own.
    No,
}

/// Words, each with its meaning; `+` joins words, a `*` at the end stands for any ending.
const WORDS: &[(Tag, &str)] = &[
    (Tag::Many, "how+many how+much how+often number+of count the+number+of"),
    (Tag::Which, "which what where list what's"),
    (
        Tag::Bank,
        "bank+conflict* bank-conflict* shared+memory+conflict* banks bank+conflict-free conflict-free bank",
    ),
    (Tag::Conflict, "conflict conflicts conflicting"),
    (Tag::Coalesce, "coalesc* uncoalesced"),
    (
        Tag::Inside,
        "in+bounds out+of+bounds in-bounds out-of-bounds within+bounds outside+bounds inside outside within+the+bounds \
         in+range out+of+range past+the+end beyond+the+end oob overrun overruns within+range outside+of+bounds",
    ),
    (
        Tag::Masked,
        "masked+off masked+out masked+away masked predicated+off predicated+out disabled+by+the+mask guarded+off",
    ),
    (
        Tag::Interchange,
        "interchang* swap swapped permute permuted exchange exchanged reorder reordered",
    ),
    (Tag::Vector, "vectori* simd simdiz*"),
    (
        Tag::Parallel,
        "parallel* in+parallel concurrent* independent dependence dependences dependency dependencies depend depends \
         loop-carried loop+carried carried carry carries omp+parallel+for omp openmp in+any+order doall",
    ),
    (
        Tag::Extreme,
        "largest smallest biggest highest lowest maximum minimum maximal minimal max min furthest farthest greatest least last first",
    ),
    (Tag::Onto, "bijective bijection permutation one-to-one+and+onto exactly+once"),
    (
        Tag::Same,
        "same identical twice more+than+once common shared+element several+times injective one-to-one unique uniquely",
    ),
    (Tag::Distinct, "distinct different"),
    (
        Tag::Collide,
        "collide collides collision collisions race races racy clash clashes data+race data+races race+condition \
         race+conditions write+conflict write+conflicts",
    ),
    (
        Tag::Overlap,
        "overlap overlaps overlapping overlapped alias aliases aliasing disjoint intersect intersects intersection",
    ),
    (
        Tag::Element,
        "element elements index indices indexes offset offsets address addresses location locations position positions \
         row rows column columns region regions footprint part slice area tile tiles coordinate coordinates range \
         values value entries entry cell cells pixel pixels slot slots word words memory rectangle window",
    ),
    (Tag::Iteration, "iteration iterations trips trip+count points times instances+of+the+loop"),
    (Tag::Loop, "loop loops nest nests loop+nest dimension dimensions axis axes"),
    (
        Tag::Read,
        "read reads reading load loads loaded loading fetch fetches fetched gather gathers gathered",
    ),
    (
        Tag::Write,
        "write writes written writing fill fills filled initialized initialised zeroed computed computes produced produces assigned store stores stored storing update updates updated scatter scatters",
    ),
    (
        Tag::Access,
        "access accesses accessed accessing touch touches touched touching use uses used using need needs needed \
         require requires required see sees visit visits visited cover covers covered hit hits get gets \
         hold holds come comes depend+on depends+on map maps mapped correspond corresponds",
    ),
    (Tag::Goes, "end+up ends+up land lands go goes moved+to moves+to appear appears"),
    (
        Tag::Never,
        "never unused unread unwritten untouched skipped skip skips missed misses left+out ignored not+read not+written \
         not+loaded not+stored not+accessed not+used not+touched not+covered",
    ),
    (Tag::Every, "every each all entire whole"),
    (Tag::Both, "both"),
    (
        Tag::Stride,
        "stride strides contiguous contiguously noncontiguous non-contiguous consecutive consecutively unit-stride adjacent",
    ),
    (Tag::Aligned, "aligned alignment unaligned misaligned align byte+aligned bytes+aligned"),
    (
        Tag::Bitcast,
        "bitcast bitcasts no-op noop copy copies copied move+data moves+data move+any+data moves+any+data move+anything \
         moves+anything move+any+element moves+any+element move+elements moves+elements data+movement",
    ),
    (
        Tag::No,
        "is are do does did can could may might will would should has have be been being was i we you one it its this that \
         these those they them there a an the any some two ever always per at of to from in into for with by \
         when where if and or on over under given there to+be safe legal valid safely possible outer inner outermost \
         innermost middle only together total in+total altogether overall launched launch using so then as code kernel \
         body statement statements line array arrays buffer buffers input output source destination bounds \
         between across run runs running execute executed executes order make makes free fully perfectly \
         warp warps half-warp out exist exists exact exactly pattern itself valid+to let pragma here \
         result results stay stays remain remains happen happens occur occurs cause causes must whether operand operands \
         parameter parameters tensor tensors really actually still along own following please able global global+memory shared+memory local above swizzle swizzling next program's grid launch+of tell me show us original underlying parent backing",
    ),
];

/// Returns the meaning of the words at the start, and their number: the longest of the table.
pub fn meaning(given: &[Token]) -> Option<(Tag, usize)> {
    let fits = |words: &str| {
        let words: Vec<&str> = words.split('+').collect();
        let is_one = |(word, token): (&&str, &Token)| match word.strip_suffix('*') {
            Some(stem) => token.word().starts_with(stem),
            None => token.word() == *word,
        };
        (words.len() <= given.len() && words.iter().zip(given).all(is_one)).then_some(words.len())
    };
    let found = WORDS.iter().flat_map(|(tag, words)| {
        words.split_whitespace().filter_map(move |words| Some((*tag, fits(words)?)))
    });
    // The first of the table, if several are as long.
    let longest = found.fold(None, |best: Option<(Tag, usize)>, (tag, length)| match best {
        Some((_, known)) if known >= length => best,
        _ => Some((tag, length)),
    });
    let agent = || {
        let words = [given.first()?.word(), given.get(1).map_or("", Token::word)];
        match words {
            ["thread" | "work", next] if is_agent(next) => Some((Tag::Agent, 2)),
            [word, _] if is_agent(word) => Some((Tag::Agent, 1)),
            _ => None,
        }
    };
    match longest {
        Some((_, 2..)) => longest,
        _ => agent().or(longest),
    }
}

/// Returns the number of words at the start that have no meaning of their own, or name threads and blocks.
pub fn filler(given: &[Token]) -> Option<usize> {
    let (tag, length) = meaning(given)?;
    matches!(tag, Tag::No | Tag::Agent).then_some(length)
}

/// Returns whether a word is about code: its accesses, loops or threads, or the code itself.
pub fn is_of_code(word: &str) -> bool {
    const OTHERS: [Tag; 12] = [
        Tag::No,
        Tag::Which,
        Tag::Many,
        Tag::Extreme,
        Tag::Same,
        Tag::Distinct,
        Tag::Onto,
        Tag::Interchange,
        Tag::Every,
        Tag::Both,
        Tag::Never,
        Tag::Goes,
    ];
    let tag = meaning(&[Token::Word(word.into(), word.to_ascii_lowercase())]);
    matches!(word, "it" | "this" | "these" | "they" | "code" | "kernel")
        || tag.is_some_and(|(tag, _)| !OTHERS.contains(&tag))
}

/// Returns whether a word is no English; `I` and `a` are, but also names in front of a sign. A sentence begins with a capital.
pub fn is_free(word: &str) -> bool {
    let is_small = word.chars().skip(1).all(char::is_lowercase);
    let lower = if is_small { word.to_ascii_lowercase() } else { word.to_owned() };
    word.len() == 1 || meaning(&[Token::Word(word.into(), lower)]).is_none()
}
