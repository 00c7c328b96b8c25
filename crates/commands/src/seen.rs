//! The code that was typed since the last question: its text, the elements that it accesses, and the sizes that its comments
//! state. A question without a subject is about all of them; one before the code waits for it.

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
    /// Whether an empty line follows: a comment after it is about the code after it, or the heading of a command.
    pub is_before_blank: bool,
    /// Whether its questions came before it, too: the next question is about the code after it.
    pub is_past: bool,
    /// Whether a question followed: the next line begins other code.
    pub is_asked: bool,
}

/// A value that is stated.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// The bounds of a name, `pid = 1`, `x in [0, 63]`.
    Bound(String, Option<i64>, Option<i64>),
    /// The ids of one program or block: `program (2, 3)`.
    Program(Vec<i64>),
    /// The id of one thread.
    Thread(Vec<i64>),
    /// The numbers of programs or blocks along the axes.
    Programs(Vec<i64>),
    /// The numbers of threads of a block.
    Threads(Vec<i64>),
    /// The numbers of blocks and of the threads of each.
    Launch(Vec<i64>, Vec<i64>),
    /// The numbers of work items of the whole grid.
    Global(Vec<i64>),
    /// The sizes of the array, as written.
    Sizes(Vec<String>),
    /// The sizes of one array.
    Of(String, Vec<String>),
    /// The lanes of a vector, `by 4`.
    Lanes(i64),
    /// A number of bytes: `16-byte`, `128 bits`.
    Bytes(i64),
}

/// A comment, and the values that it states.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fact {
    pub text: String,
    pub values: Vec<Value>,
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
    /// Creates the access to elements of an array at the points of a map; nothing more is known about it.
    #[must_use]
    pub fn of_map(array: &str, map: IndexingMap) -> Access {
        Access {
            array: array.to_owned(),
            is_read: false,
            is_written: false,
            is_bound: false,
            map,
            of: None,
            declared: None,
            within: None,
            positions: None,
        }
    }

    /// Creates the access of a value to the elements of an array that each of its own elements is.
    #[must_use]
    pub fn of_result(array: &str, of: Option<&str>, map: &IndexingMap) -> Access {
        let of = Some(of.unwrap_or("_").to_owned());
        Access { is_read: true, of, ..Access::of_map(array, map.clone()) }
    }
}

impl Code {
    /// Returns whether an empty line ended it after a question: the next question may be about the code after it.
    #[must_use]
    pub fn is_apart(&self) -> bool {
        self.is_before_blank && (self.is_asked || self.is_past)
    }

    /// Adds a line; after a question, it is the first.
    pub fn add(&mut self, text: &str) {
        if self.is_asked {
            let (facts, held) = (std::mem::take(&mut self.ahead), std::mem::take(&mut self.held));
            *self = Code { facts, held, ..Code::default() };
        }
        (self.is_before_blank, self.is_past) = (false, false);
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
