//! Values that words around code state: bounds of names, and numbers of threads, programs and elements.

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
