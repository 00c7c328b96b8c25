//! The kind of a question about code, by its words.
//!
//! Law: each word is in the table, a value, or a name of the code. A question with any other word is not answered: it may ask
//! something else.

use super::elements::{LAST, element, reader};
use super::meanings::{Tag, is_free, meaning};
use super::tokens::{Token, plain, tokens};
use super::values::{is_agent, value};
use crate::seen::Value;
use crate::token::identifiers;
use std::collections::BTreeSet;

/// The kind of a question.
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
    /// Which elements are accessed by no point.
    Unused,
    /// Which elements are both read and written.
    Overlap,
    /// By how much the position in memory changes per step of each variable.
    Strides,
    /// Whether positions in bytes are multiples of a number.
    Aligned,
    /// How many programs access an element.
    Programs,
    /// Whether an op leaves every element at its position in memory.
    Bitcast,
}

/// The kind of a question, by the meanings of its words: all of the first are needed, one of the second if there are any, and beside these
/// and the words for what is accessed and by whom, only those of the third may be there.
type Row = (Kind, &'static [Tag], &'static [Tag], &'static [Tag]);

const KINDS: &[Row] = &[
    (Kind::Interchange, &[Tag::Interchange], &[], &[Tag::Loop]),
    (Kind::Bitcast, &[Tag::Bitcast], &[], &[]),
    (Kind::Aligned, &[Tag::Aligned], &[], &[]),
    (Kind::Strides, &[Tag::Stride], &[], &[Tag::Which, Tag::Loop]),
    (Kind::Unused, &[Tag::Never], &[], &[Tag::Which, Tag::Many]),
    (
        Kind::Overlap,
        &[Tag::Read, Tag::Write],
        &[Tag::Both, Tag::Overlap],
        &[Tag::Which, Tag::Many, Tag::Same, Tag::Distinct],
    ),
    (Kind::Banks, &[Tag::Bank], &[], &[Tag::Many, Tag::Conflict]),
    (Kind::Coalesced, &[Tag::Coalesce], &[], &[]),
    (Kind::Inside, &[Tag::Inside], &[], &[Tag::Which]),
    (Kind::Masked, &[Tag::Many, Tag::Masked], &[], &[Tag::Iteration]),
    (Kind::Elements, &[Tag::Many, Tag::Element], &[], &[Tag::Distinct]),
    (Kind::Iterations, &[Tag::Many], &[Tag::Iteration, Tag::Loop], &[]),
    (Kind::Programs, &[Tag::Many, Tag::Agent], &[], &[]),
    (Kind::Vectorized, &[Tag::Vector], &[], &[Tag::Loop, Tag::Which, Tag::Iteration]),
    (Kind::Parallel, &[Tag::Parallel], &[], &[Tag::Loop, Tag::Which, Tag::Iteration]),
    (Kind::Range, &[Tag::Extreme], &[Tag::Element], &[Tag::Which]),
    (Kind::Bijective, &[Tag::Onto], &[], &[]),
    (
        Kind::Injective,
        &[],
        &[Tag::Same, Tag::Collide, Tag::Overlap],
        &[Tag::Distinct, Tag::Iteration, Tag::Conflict],
    ),
    (Kind::Injective, &[Tag::Agent, Tag::Conflict], &[], &[Tag::Distinct]),
    (
        Kind::Image,
        &[Tag::Which],
        &[Tag::Element, Tag::Read, Tag::Write, Tag::Access, Tag::Goes],
        &[Tag::Iteration, Tag::Extreme],
    ),
    (Kind::Unused, &[Tag::Every, Tag::Element], &[Tag::Read, Tag::Write, Tag::Access], &[]),
];

/// Meanings of words that every question may have.
const ANYWHERE: [Tag; 9] = [
    Tag::Goes,
    Tag::Agent,
    Tag::Read,
    Tag::Write,
    Tag::Access,
    Tag::Element,
    Tag::Every,
    Tag::Both,
    Tag::No,
];

/// A question about code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Asked {
    pub kind: Kind,
    /// Whether only reads, or only writes, are asked about.
    pub is_read: bool,
    pub is_written: bool,
    /// Whether the first or the last of several is asked for.
    pub is_extreme: bool,
    /// Whether programs or blocks are compared, not threads.
    pub is_of_grid: bool,
    /// The names of arrays in it.
    pub arrays: Vec<String>,
    /// Elements in it, by the name of their array and their index.
    pub elements: Vec<(String, Vec<String>)>,
    pub values: Vec<Value>,
    /// The result whose elements are asked for by an array that they read.
    pub reader: Option<String>,
}

impl Asked {
    /// Returns whether programs or threads are counted or chosen, which no other form of a question has.
    pub fn is_of_threads(&self) -> bool {
        let is_one = |value: &Value| {
            matches!(
                value,
                Value::Program(_) | Value::Thread(_) | Value::Programs(_) | Value::Threads(_)
            )
        };
        !self.is_of_own_code() && self.values.iter().any(is_one)
    }

    /// Returns whether an element in the question is code itself, `out[i * 2]`.
    pub fn is_of_own_code(&self) -> bool {
        let is_call = |name: &str| name.contains('.');
        let mut elements = self.elements.iter();
        elements.any(|(name, index)| {
            is_call(name) || index.iter().any(|part| part.contains(['+', '*', '/', '%']))
        })
    }
}

/// Returns what a text asks; `is_name` tells the names of arrays and values of the code, `is_variable` those of its variables.
pub fn asked(
    text: &str,
    is_name: &dyn Fn(&str) -> bool,
    is_variable: &dyn Fn(&str) -> bool,
) -> Option<Asked> {
    let given = tokens(text)?;
    let mut tags = BTreeSet::new();
    let (mut arrays, mut elements, mut values) = (Vec::new(), Vec::new(), Vec::new());
    let (mut is_of_grid, mut is_of_threads, mut at) = (false, false, 0);
    let is_free = |word: &str| is_variable(plain(word)) || is_free(word);
    let indices = given.iter().filter_map(|token| match token {
        Token::Element(_, index) => Some(identifiers(index)),
        _ => None,
    });
    let variables: BTreeSet<&str> = indices.flatten().collect();
    while at < given.len() {
        let rest = &given[at..];
        let is_after = |words: &[&str]| at > 0 && words.contains(&given[at - 1].word());
        let (token, length) = (&rest[0], 1);
        let is_range = is_after(&["in"]) && matches!(token, Token::Tuple(_));
        let length = if let Token::Word(word, _) = token
            && is_name(plain(word))
            && is_after(&["of", "from", "to", "array", "buffer", "does", "is", "do", "and"])
            // `is a contiguous?`
            && (is_noun(rest) || is_after(&["is"]) && rest.len() == 2)
        {
            arrays.push(plain(word).to_owned());
            length
        } else if let Some((value, length)) = value(rest, &is_free) {
            values.push(value);
            length
        } else if let Some((element, length)) = element(rest, is_name).filter(|_| !is_range) {
            tags.insert(Tag::Element);
            elements.push(element);
            length
        } else if let Some((tag, length)) = meaning(rest) {
            is_of_grid |= super::values::is_grid(token.word());
            is_of_threads |= super::values::is_thread(token.word());
            tags.insert(tag);
            // `unread` and `not written` also say by which accesses.
            for word in rest[..length].iter().map(Token::word).filter(|_| tag == Tag::Never) {
                tags.extend(
                    ["read", "load"].iter().any(|verb| word.contains(verb)).then_some(Tag::Read),
                );
                tags.extend(
                    ["writ", "stor"].iter().any(|verb| word.contains(verb)).then_some(Tag::Write),
                );
            }
            length
        } else if let Token::Word(word, _) = token
            && is_name(plain(word))
        {
            arrays.push(plain(word).to_owned());
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
        matches!(pair[0].word(), "which" | "what" | "last" | "first")
            && !noun.is_empty()
            && is_point
    });
    // So does `where does a[1, 2] end up`, of an element that is read.
    if kind == Kind::Image && (has_agent || has(&Tag::Goes)) && !elements.is_empty() {
        kind = Kind::Point;
    }
    // `the last iteration that writes out[100]` is one of these points, in order; `the last element` is no question of its own.
    if kind == Kind::Image && has(&Tag::Extreme) {
        return None;
    }
    let asked = Asked {
        kind,
        is_read: is_read && !is_written,
        is_written: is_written && !is_read,
        is_extreme: has(&Tag::Extreme),
        is_of_grid: is_of_grid && !is_of_threads,
        arrays,
        elements,
        values,
        reader: if matches!(kind, Kind::Image | Kind::Elements) {
            reader(&given, is_name)
        } else {
            None
        },
    };
    // The array that they read is another name in the question.
    let reader = asked.reader.clone().filter(|result| {
        let mut names = asked.elements.iter().map(|(name, _)| name).chain(&asked.arrays);
        names.any(|name| name != result && name != LAST)
    });
    Some(Asked { reader, ..asked })
}

/// Returns whether a part is one of these names.
fn token_is_in(token: &Token, names: &BTreeSet<&str>) -> bool {
    matches!(token, Token::Word(word, _) if names.contains(word.as_str()))
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
            ("what is the last iteration that writes y[100]?", Some(Kind::Point)),
            ("where does element 7 of A end up?", Some(Kind::Point)),
            ("which elements of A are never read?", Some(Kind::Unused)),
            ("is every element of y written?", Some(Kind::Unused)),
            ("do the reads and writes of y overlap?", Some(Kind::Overlap)),
            ("is any element both read and written?", Some(Kind::Overlap)),
            ("along which axis is it contiguous?", Some(Kind::Strides)),
            ("is each load aligned to 16 bytes?", Some(Kind::Aligned)),
            ("how many blocks are needed?", Some(Kind::Programs)),
            ("does this move any data?", Some(Kind::Bitcast)),
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
            ("which is the last?", None),
            ("is it aligned and coalesced?", None),
            ("which elements are read without padding?", None),
        ] {
            assert_eq!(asked(text, &names, &|_| false).map(|asked| asked.kind), expected, "{text}");
        }
        let found = asked(
            "is y[i] in bounds for 4 blocks of 256 threads, n elements, pid < 3?",
            &names,
            &|_| false,
        );
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
