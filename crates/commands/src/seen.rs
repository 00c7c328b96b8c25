//! The code that was typed since the last question: its text, the elements that it accesses, and the sizes that its comments
//! state. A question without a subject is about all of them; one before the code waits for it.

use super::stated::Fact;
use affinor::expr::IndexingMap;

/// Code, by its accesses.
#[derive(Clone, Debug, Default)]
pub struct Code {
    /// The lines, as typed.
    pub lines: Vec<String>,
    pub accesses: Vec<Access>,
    /// What the comments of the code state.
    pub facts: Vec<Fact>,
    /// What comments state since a question: it belongs to the code after it.
    pub ahead: Vec<Fact>,
    /// Questions before the code, and in its comments.
    pub held: Vec<Held>,
    /// Whether an empty line ended it after a question: the next comment is about the code after it.
    pub is_apart: bool,
    /// Whether an empty line follows: a comment after it is about the code after it, or the heading of a command.
    pub is_before_blank: bool,
    /// Whether its questions came before it, too: the next question is about the code after it.
    pub is_past: bool,
    /// Whether a question followed: the next line begins other code.
    pub is_asked: bool,
}

/// A question that waits for its code, or a comment with sizes that is not understood.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Held {
    pub text: String,
    /// Whether it is in a comment, which need not be a question about code.
    pub is_comment: bool,
}

/// The elements of one array that one place of the code accesses.
#[derive(Clone, Debug)]
pub struct Access {
    pub array: String,
    pub is_read: bool,
    pub is_written: bool,
    /// Whether it may access fewer elements.
    pub is_bound: bool,
    pub map: IndexingMap,
    /// The value whose elements are the points of the map; `None` if these are iterations.
    pub of: Option<String>,
    /// The declaration of the array, if it is in the same text.
    pub declared: Option<String>,
    /// The index in each dimension of the array, and its sizes, if the map is to a position.
    pub within: Option<(IndexingMap, Vec<String>)>,
    /// The positions in memory of the elements of the result, and of those that they read, if it only moves elements.
    pub positions: Option<Box<[IndexingMap; 2]>>,
}

/// The maximum number of accesses that are kept: a question about more is not answered one by one.
const MOST: usize = 64;

impl Access {
    /// Creates the access of a value to the elements of an array that each of its own elements is.
    #[must_use]
    pub fn of_result(array: &str, of: Option<&str>, map: &IndexingMap) -> Access {
        Access {
            array: array.to_owned(),
            is_read: true,
            is_written: false,
            is_bound: false,
            map: map.clone(),
            of: Some(of.unwrap_or("_").to_owned()),
            declared: None,
            within: None,
            positions: None,
        }
    }
}

impl Code {
    /// Adds a line; after a question, it is the first.
    pub fn add(&mut self, text: &str) {
        if self.is_asked {
            let (facts, held) = (std::mem::take(&mut self.ahead), std::mem::take(&mut self.held));
            *self = Code { facts, held, ..Code::default() };
        }
        self.is_before_blank = false;
        self.lines.push(text.to_owned());
    }

    /// Adds the indices of the elements of the last access to an array.
    pub fn within(&mut self, array: &str, map: IndexingMap, sizes: Vec<String>) {
        if let Some(access) = self.accesses.iter_mut().rev().find(|access| access.array == array) {
            access.within = Some((map, sizes));
        }
    }

    /// Adds what comments state.
    pub fn state(&mut self, facts: Vec<Fact>) {
        let all = if self.is_asked { &mut self.ahead } else { &mut self.facts };
        for fact in facts {
            if !all.contains(&fact) {
                all.push(fact);
            }
        }
    }

    /// Adds an access of the last line.
    pub fn access(&mut self, access: Access) {
        if self.accesses.len() < MOST {
            self.accesses.push(access);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_after_a_question_belong_to_the_next_code() {
        let fact = |text: &str| Fact { text: text.to_owned(), values: Vec::new() };
        let mut code = Code::default();
        code.state(vec![fact("a"), fact("a")]);
        code.add("x");
        code.is_asked = true;
        code.state(vec![fact("b")]);
        assert_eq!(code.facts, [fact("a")]);
        code.add("y");
        assert_eq!((code.facts, code.ahead), (vec![fact("b")], Vec::new()));
    }

    #[test]
    fn a_question_ends_the_code() {
        let mut code = Code::default();
        code.add("a = 1");
        code.add("b = 2");
        assert_eq!(code.lines, ["a = 1", "b = 2"]);
        code.is_asked = true;
        code.add("c = 3");
        assert_eq!((code.lines.join(";").as_str(), code.is_asked), ("c = 3", false));
    }
}
