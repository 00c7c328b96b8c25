//! Texts of words and brackets: S-expressions, as in SMT-LIB, egg and egglog.

use affinor::text::{Error, ErrorKind};

/// The maximum nesting depth.
const MAX_DEPTH: usize = 100;

/// A word, or a list in brackets.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Form {
    /// A word, without the bars `|` around it.
    Word(String),
    /// The elements of a list, in order.
    List(Vec<Form>),
}

impl Form {
    /// Returns the word; a list has none, and gives the empty text.
    pub fn word(&self) -> &str {
        match self {
            Form::Word(word) => word,
            Form::List(_) => "",
        }
    }

    /// Returns the head of a list, and its other elements.
    pub fn call(&self) -> Option<(&str, &[Form])> {
        match self {
            Form::List(list) => list.split_first().map(|(head, rest)| (head.word(), rest)),
            Form::Word(_) => None,
        }
    }
}

/// Parses the forms of a text; `;` begins a comment.
///
/// # Errors
/// [`ErrorKind::Syntax`] for unbalanced brackets, [`ErrorKind::TooLarge`] for deeply nested ones.
pub fn forms(text: &str) -> Result<Vec<Form>, Error> {
    let wrong = |message: &str| Err(Error::without_span(ErrorKind::Syntax, message));
    let mut open = vec![Vec::new()];
    let mut letters = text.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '(' if open.len() > MAX_DEPTH => {
                let message = format!("more than {MAX_DEPTH} brackets inside each other");
                return Err(Error::without_span(ErrorKind::TooLarge, message));
            }
            '(' => open.push(Vec::new()),
            ')' => match (open.pop(), open.last_mut()) {
                (Some(list), Some(outer)) => outer.push(Form::List(list)),
                _ => return wrong("a `)` closes nothing"),
            },
            ';' => while letters.next_if(|(_, letter)| *letter != '\n').is_some() {},
            letter if letter.is_whitespace() => {}
            _ => {
                let is_part = |letter: char| !letter.is_whitespace() && !"();".contains(letter);
                let mut end = at + letter.len_utf8();
                while let Some((at, letter)) = letters.next_if(|(_, letter)| is_part(*letter)) {
                    end = at + letter.len_utf8();
                }
                if let Some(list) = open.last_mut() {
                    list.push(Form::Word(text[at..end].trim_matches('|').to_owned()));
                }
            }
        }
    }
    match (open.pop(), open.is_empty()) {
        (Some(list), true) => Ok(list),
        _ => wrong("a `(` is not closed"),
    }
}

/// Returns the elements of a list; a word has none.
pub fn list_of(form: &Form) -> &[Form] {
    match form {
        Form::List(list) => list,
        Form::Word(_) => &[],
    }
}
