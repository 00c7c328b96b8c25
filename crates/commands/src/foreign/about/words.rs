//! What a question about code asks, by its words.
//!
//! Law: each word is in the table, a value, or a name of the code. A question with any other word is not answered: it may ask
//! something else.

use super::tokens::{Token, parts, tokens};
use super::values::{Value, is_agent, value};
use crate::token::identifiers;
use std::collections::BTreeSet;

/// What is asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Interchange,
    Banks,
    Coalesced,
    Inside,
    Masked,
    Iterations,
    Elements,
    Vectorized,
    Parallel,
    Range,
    Injective,
    Bijective,
    /// Which point accesses an element.
    Point,
    /// Which elements are accessed.
    Image,
}

/// A part of the meaning of a word.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Tag {
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
        "overlap overlaps overlapping collide collides collision collisions race races racy alias aliases aliasing \
         clash clashes data+race data+races race+condition race+conditions write+conflict write+conflicts disjoint",
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
        "write writes written writing store stores stored storing update updates updated scatter scatters",
    ),
    (
        Tag::Access,
        "access accesses accessed accessing touch touches touched touching use uses used using need needs needed \
         require requires required see sees visit visits visited cover covers covered hit hits get gets \
         hold holds come comes end+up ends+up depend+on depends+on map maps mapped correspond corresponds land lands go goes",
    ),
    (
        Tag::No,
        "is are do does did can could may might will would should has have be been being was i we you one it its this that \
         these those they them there a an the any some two all ever always each every per at of to from in into for with by \
         when where if and or on over under given there to+be safe legal valid safely possible outer inner outermost \
         innermost middle both only together total in+total altogether overall launched launch using so then as code kernel \
         body statement statements line array arrays buffer buffers input output source destination bounds \
         between across run runs running execute executed executes order make makes free fully perfectly \
         warp warps half-warp out exist exists exact exactly pattern itself valid+to let pragma here \
         result results global global+memory shared+memory local above program's grid launch+of tell me show us original underlying parent backing stay stays swizzle swizzling next following",
    ),
];

/// What is asked, by the meanings of the words: all of the first are needed, one of the second if there are any, and beside these
/// and the words for what is accessed and by whom, only those of the third may be there.
type Row = (Kind, &'static [Tag], &'static [Tag], &'static [Tag]);

const KINDS: &[Row] = &[
    (Kind::Interchange, &[Tag::Interchange], &[], &[Tag::Loop]),
    (Kind::Banks, &[Tag::Bank], &[], &[Tag::Many, Tag::Conflict]),
    (Kind::Coalesced, &[Tag::Coalesce], &[], &[]),
    (Kind::Inside, &[Tag::Inside], &[], &[Tag::Which]),
    (Kind::Masked, &[Tag::Many, Tag::Masked], &[], &[Tag::Iteration]),
    (Kind::Elements, &[Tag::Many, Tag::Element], &[], &[Tag::Distinct]),
    (Kind::Iterations, &[Tag::Many], &[Tag::Iteration, Tag::Loop], &[]),
    (Kind::Vectorized, &[Tag::Vector], &[], &[Tag::Loop, Tag::Which, Tag::Iteration]),
    (Kind::Parallel, &[Tag::Parallel], &[], &[Tag::Loop, Tag::Which, Tag::Iteration]),
    (Kind::Range, &[Tag::Extreme], &[Tag::Element], &[Tag::Which]),
    (Kind::Bijective, &[Tag::Onto], &[], &[]),
    (
        Kind::Injective,
        &[],
        &[Tag::Same, Tag::Collide],
        &[Tag::Distinct, Tag::Iteration, Tag::Conflict],
    ),
    (Kind::Injective, &[Tag::Agent, Tag::Conflict], &[], &[Tag::Distinct]),
    (
        Kind::Image,
        &[Tag::Which],
        &[Tag::Element, Tag::Read, Tag::Write, Tag::Access],
        &[Tag::Iteration],
    ),
];

/// Meanings of words that every question may have.
const ANYWHERE: [Tag; 6] = [Tag::Agent, Tag::Read, Tag::Write, Tag::Access, Tag::Element, Tag::No];

/// A question about code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Asked {
    pub kind: Kind,
    /// Whether only reads, or only writes, are asked about.
    pub is_read: bool,
    pub is_written: bool,
    /// Whether programs or blocks are compared, not threads.
    pub is_of_grid: bool,
    /// The names of arrays in it.
    pub arrays: Vec<String>,
    /// Elements in it, by the name of their array and their index.
    pub elements: Vec<(String, Vec<String>)>,
    pub values: Vec<Value>,
}

impl Asked {
    /// Returns whether programs or threads are counted or chosen, which no other form of a question has.
    pub fn is_of_threads(&self) -> bool {
        let is_one =
            |value: &Value| !matches!(value, Value::Bound(..) | Value::Sizes(_) | Value::Lanes(_));
        !self.is_of_own_code() && self.values.iter().any(is_one)
    }

    /// Returns whether an element in the question is code itself, `out[i * 2]`.
    pub fn is_of_own_code(&self) -> bool {
        let mut parts = self.elements.iter().flat_map(|(_, index)| index);
        parts.any(|part| part.contains(['+', '*', '/', '%']))
    }
}

/// Returns what a text asks; `is_name` tells the names of arrays and values of the code.
pub fn asked(text: &str, is_name: &dyn Fn(&str) -> bool) -> Option<Asked> {
    let given = tokens(text)?;
    let mut tags = BTreeSet::new();
    let (mut arrays, mut elements, mut values) = (Vec::new(), Vec::new(), Vec::new());
    let (mut is_of_grid, mut is_of_threads, mut at) = (false, false, 0);
    let indices = given.iter().filter_map(|token| match token {
        Token::Element(_, index) => Some(identifiers(index)),
        _ => None,
    });
    let variables: BTreeSet<&str> = indices.flatten().collect();
    while at < given.len() {
        let rest = &given[at..];
        let is_after = |words: &[&str]| at > 0 && words.contains(&given[at - 1].word());
        let (token, length) = (&rest[0], 1);
        let length = if let Token::Word(word, _) = token
            && is_name(word.trim_start_matches('%'))
            && is_after(&["of", "from", "to", "array", "buffer", "does", "is", "do", "and"])
            && is_noun(rest)
        {
            arrays.push(word.trim_start_matches('%').to_owned());
            length
        } else if let Some((value, length)) = value(rest, &is_free) {
            values.push(value);
            length
        } else if let Token::Element(name, index) = token {
            elements.push((name.trim_start_matches('%').to_owned(), parts(index)));
            length
        } else if let Token::Tuple(index) = token {
            // The index of an element of the last answer.
            elements.push(("_".to_owned(), index.iter().map(i64::to_string).collect()));
            length
        } else if let Some((tag, length)) = meaning(rest) {
            is_of_grid |= super::values::is_grid(token.word());
            is_of_threads |= super::values::is_thread(token.word());
            tags.insert(tag);
            length
        } else if let Token::Word(word, _) = token
            && is_name(word.trim_start_matches('%'))
        {
            arrays.push(word.trim_start_matches('%').to_owned());
            length
        } else if token_is_in(token, &variables) || matches!(token, Token::Sign("," | ":")) {
            length
        } else {
            return None;
        };
        at += length;
    }
    let has = |tag: &Tag| tags.contains(tag);
    let row = KINDS.iter().find(|(_, all, some, others)| {
        let is_known =
            |tag: &Tag| [*all, *some, *others, &ANYWHERE[..]].iter().any(|list| list.contains(tag));
        all.iter().all(has)
            && (some.is_empty() || some.iter().any(has))
            && tags.iter().all(is_known)
    });
    let (is_read, is_written) = (has(&Tag::Read), has(&Tag::Write));
    // `what is x[2, 1]` needs no noun.
    let is_index =
        |(_, index): &(String, Vec<String>)| index.iter().all(|part| part.parse::<i64>().is_ok());
    let is_bare = tags.iter().all(|tag| matches!(tag, Tag::Which | Tag::No))
        && has(&Tag::Which)
        && !elements.is_empty()
        && elements.iter().all(is_index);
    let mut kind = row.map(|row| row.0).or(is_bare.then_some(Kind::Image))?;
    // `which thread writes out[100]` asks for a point.
    let has_agent = given.windows(2).any(|pair| {
        let noun = pair[1].word();
        let is_point = is_agent(noun) || noun.starts_with("iteration") || is_free(noun);
        matches!(pair[0].word(), "which" | "what") && !noun.is_empty() && is_point
    });
    if kind == Kind::Image && has_agent && !elements.is_empty() {
        kind = Kind::Point;
    }
    let asked = Asked {
        kind,
        is_read: is_read && !is_written,
        is_written: is_written && !is_read,
        is_of_grid: is_of_grid && !is_of_threads,
        arrays,
        elements,
        values,
    };
    Some(asked)
}

/// Returns whether a part is one of these names.
fn token_is_in(token: &Token, names: &BTreeSet<&str>) -> bool {
    matches!(token, Token::Word(word, _) if names.contains(word.as_str()))
}

/// Returns the number of words at the start that have no meaning of their own, or name threads and blocks.
pub fn filler(given: &[Token]) -> Option<usize> {
    let (tag, length) = meaning(given)?;
    matches!(tag, Tag::No | Tag::Agent).then_some(length)
}

/// Returns whether a word is about code: its accesses, loops or threads, or the code itself.
pub fn is_of_code(word: &str) -> bool {
    const OTHERS: [Tag; 8] = [
        Tag::No,
        Tag::Which,
        Tag::Many,
        Tag::Extreme,
        Tag::Same,
        Tag::Distinct,
        Tag::Onto,
        Tag::Interchange,
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

/// Returns whether the first part can be a name: what follows is no noun that it would describe.
fn is_noun(rest: &[Token]) -> bool {
    const AFTER: [&str; 20] = [
        "is", "are", "does", "do", "for", "with", "when", "in", "if", "where", "needed", "read",
        "used", "written", "accessed", "touched", "loaded", "by", "that", "required",
    ];
    rest.get(1).is_none_or(|next| {
        AFTER.contains(&next.word()) || matches!(next, Token::Sign(_) | Token::Element(..))
    })
}

/// Returns the meaning of the words at the start, and their number: the longest of the table.
fn meaning(given: &[Token]) -> Option<(Tag, usize)> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_have_kinds_and_values() {
        let names = |name: &str| matches!(name, "A" | "C" | "in" | "y" | "pid");
        for (text, expected) in [
            ("do two programs write the same element?", Some(Kind::Injective)),
            ("is each element written exactly once", Some(Kind::Bijective)),
            ("is there a race between work items?", Some(Kind::Injective)),
            ("which loops are parallel?", Some(Kind::Parallel)),
            ("can I parallelize the outer loop", Some(Kind::Parallel)),
            ("can the inner loop be vectorized by 8?", Some(Kind::Vectorized)),
            ("can I swap the loops?", Some(Kind::Interchange)),
            (
                "is y[i] in bounds for 4 blocks of 256 threads and 1000 elements?",
                Some(Kind::Inside),
            ),
            ("which elements are read for pid = 1?", Some(Kind::Image)),
            ("Which elements are read?", Some(Kind::Image)),
            ("which elements does program (2, 3) read?", Some(Kind::Image)),
            ("which elements of A does C[3,5] read?", Some(Kind::Image)),
            ("what region of in is needed for x in [0, 63], y in 0..31?", Some(Kind::Image)),
            ("what is A[2, 1]?", Some(Kind::Image)),
            ("which thread writes y[100]?", Some(Kind::Point)),
            ("how many iterations are masked off?", Some(Kind::Masked)),
            ("how many distinct elements are read", Some(Kind::Elements)),
            ("how many iterations does the loop run?", Some(Kind::Iterations)),
            ("what is the largest offset?", Some(Kind::Range)),
            ("are there bank conflicts in a block of 32x8 threads?", Some(Kind::Banks)),
            ("is the load coalesced", Some(Kind::Coalesced)),
            // A word that is not known, words of two questions, none of any.
            ("is the load purple?", None),
            ("do two programs not write the same element?", None),
            ("which elements of B are read?", None),
            ("are the bank conflicts parallel?", None),
            ("is it so?", None),
            ("which elements are read without padding?", None),
        ] {
            assert_eq!(asked(text, &names).map(|asked| asked.kind), expected, "{text}");
        }
        let found =
            asked("is y[i] in bounds for 4 blocks of 256 threads, n elements, pid < 3?", &names);
        let values = found.expect("a question").values;
        let expected = [
            Value::Programs(vec![4]),
            Value::Threads(vec![256]),
            Value::Sizes(vec!["n".to_owned()]),
            Value::Bound("pid".to_owned(), Some(0), Some(2)),
        ];
        assert_eq!(values, expected);
    }
}
