//! Elements in the words of a question: `x[1, 2]`, `element 3 of the output`, `element [1, 2] of x`, `output element (3, 5)`.

use super::tokens::{Token, parts, plain};

/// Nouns of a single element.
const NOUNS: [&str; 8] =
    ["element", "entry", "index", "position", "pixel", "cell", "coordinate", "value"];

/// Words for the result of code.
const RESULTS: [&str; 4] = ["output", "result", "out", "return"];

/// The name of the last result.
pub const LAST: &str = "_";

/// An element: the name of its array, and its index.
pub type Element = (String, Vec<String>);

/// Returns the element at the start of these parts, and how many they are.
pub fn element(given: &[Token], is_name: &dyn Fn(&str) -> bool) -> Option<(Element, usize)> {
    if let Token::Element(name, index) = given.first()? {
        return Some(((plain(name).to_owned(), parts(index)), 1));
    }
    // `output element 3`; `element 3` alone is one of the result too, but `value 3` may be any.
    let is_of_result = RESULTS.contains(&given[0].word());
    let noun = usize::from(is_of_result);
    let index = match given.get(noun)? {
        token if NOUNS.contains(&token.word()) => noun + 1,
        _ => noun,
    };
    let has_noun = index > noun;
    let place = given.get(index)?;
    let is_place =
        has_noun && matches!(place, Token::Number(_)) || matches!(place, Token::Tuple(_));
    // `element 4 x`, `1000 elements`
    let numbers = place.numbers().filter(|_| is_place && (has_noun || !is_of_result))?;
    let numbers: Vec<String> = numbers.iter().map(i64::to_string).collect();
    let after = index + 1;
    let of = given.get(after).is_some_and(|token| matches!(token.word(), "of" | "in"));
    let the = usize::from(given.get(after + 1).is_some_and(|token| token.word() == "the"));
    let name = match given.get(after + 1 + the) {
        Some(Token::Word(name, lower)) if of && !is_of_result => {
            let is_result = RESULTS.contains(&&**lower) && !is_name(plain(name));
            match is_result {
                true => Some(LAST.to_owned()),
                false => is_name(plain(name)).then(|| plain(name).to_owned()),
            }
        }
        _ => None,
    };
    // An index of something that is no name of the code would be lost.
    let is_of_other = of && !is_of_result && name.is_none();
    let length = if name.is_some() { after + 2 + the } else { after };
    let name = name.unwrap_or(LAST.to_owned());
    (!is_of_other).then_some(((name, numbers), length))
}

/// Returns the result whose elements are asked for by an array that they read: `which elements of p read z`.
pub fn reader(given: &[Token], is_name: &dyn Fn(&str) -> bool) -> Option<String> {
    let words: Vec<&Token> =
        given.iter().filter(|token| !matches!(token.word(), "that" | "the" | "which")).collect();
    words.windows(3).find_map(|three| match three {
        [of, Token::Word(result, _), verb] => {
            let is_verb = matches!(
                verb.word(),
                "read" | "reads" | "use" | "uses" | "need" | "needs" | "access" | "touch" | "load"
            );
            (of.word() == "of" && is_verb && is_name(plain(result)))
                .then(|| plain(result).to_owned())
        }
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::super::tokens::tokens;
    use super::*;

    #[test]
    fn elements_have_a_name_and_an_index() {
        let is_name = |name: &str| matches!(name, "a" | "b");
        for (text, expected) in [
            ("a[1, 2] read", Some(("a", "1,2", 1))),
            ("%b[3] read", Some(("b", "3", 1))),
            ("element 3 of the output read", Some(("_", "3", 5))),
            ("element (1, 2) of %a end up", Some(("a", "1,2", 4))),
            ("output element (3, 5) read", Some(("_", "3,5", 3))),
            ("(3, 5) of b", Some(("b", "3,5", 3))),
            ("element 7 read", Some(("_", "7", 2))),
            // Of no name of the code; a number alone; a noun alone.
            ("element 3 of c", None),
            ("3 of a", None),
            ("elements of a", None),
        ] {
            let given = tokens(text).expect("parts");
            let found = element(&given, &is_name);
            let found = found.map(|((name, index), length)| (name, index.join(","), length));
            let expected =
                expected.map(|(name, index, length)| (name.to_owned(), index.to_owned(), length));
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn a_result_may_be_asked_for_by_its_operand() {
        let is_name = |name: &str| matches!(name, "p" | "z");
        for (text, expected) in [
            ("which elements of p read z", Some("p")),
            ("list the elements of p that use z[3]", Some("p")),
            ("which elements of z does p read", None),
            ("which elements of p are read", None),
        ] {
            let found = reader(&tokens(text).expect("parts"), &is_name);
            assert_eq!(found.as_deref(), expected, "{text}");
        }
    }
}
