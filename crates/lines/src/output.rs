//! Answers of commands: as text for people and as a JSON object for programs.

use serde::{Serialize, Serializer};
use serde_json::{Map, Value};
use std::fmt;

/// The outcome of a command, or a run of commands, ordered by severity.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Status {
    /// Success, and nothing is refuted or wrong.
    #[default]
    Done,
    /// A check ended `unknown`, or a search was stopped.
    Undecided,
    /// A command or the program was called with wrong arguments.
    Usage,
    /// An input was wrong, or a check was refuted.
    Wrong,
}

impl Status {
    /// Returns the exit status of a process.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            Status::Done => 0,
            Status::Wrong => 1,
            Status::Usage => 2,
            Status::Undecided => 3,
        }
    }

    /// Combines two statuses: the more severe one.
    #[must_use]
    pub fn and(self, other: Status) -> Status {
        self.max(other)
    }
}

/// The role of a piece of text, which a terminal may colour.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Text without a role.
    Plain,
    /// Sentences of a page, whose line breaks a terminal may move.
    Prose,
    /// A map or an expression.
    Formula,
    /// The name of a command, a rule or a variable.
    Name,
    /// Success: `proved`.
    Good,
    /// Failure: `refuted`.
    Bad,
    /// An undecided outcome: `unknown`.
    Doubtful,
    /// De-emphasized text.
    Faint,
    /// A cell of a picture, in the colour with this number.
    Tile(usize),
    /// A cell of a picture that is read.
    Read,
    /// The number of a map, `_3 = `, before it, and texts about numbers: only for a prompt, and not part of the text
    /// elsewhere.
    Number,
}

/// A text of pieces with roles, without a newline at the end.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Text {
    pieces: Vec<(Role, String)>,
}

impl Text {
    /// Creates an empty text.
    #[must_use]
    pub fn new() -> Text {
        Text::default()
    }

    /// Creates a text of a single piece.
    #[must_use]
    pub fn of(role: Role, text: impl Into<String>) -> Text {
        Text::new().with(role, text)
    }

    /// Returns the text with one more piece.
    #[must_use]
    pub fn with(mut self, role: Role, text: impl Into<String>) -> Text {
        self.push(role, text);
        self
    }

    /// Returns the text with one more plain piece.
    #[must_use]
    pub fn plain(self, text: impl Into<String>) -> Text {
        self.with(Role::Plain, text)
    }

    /// Adds a piece.
    pub fn push(&mut self, role: Role, text: impl Into<String>) {
        self.pieces.push((role, text.into()));
    }

    /// Adds the pieces of `other`.
    pub fn append(&mut self, other: Text) {
        self.pieces.extend(other.pieces);
    }

    /// Returns the text with the symbols that answers use in ASCII.
    #[must_use]
    pub fn in_ascii(&self) -> Text {
        let pieces = self.pieces.iter();
        let pieces = pieces.map(|(role, text)| (*role, in_ascii(text)));
        Text { pieces: pieces.collect() }
    }

    /// Starts a new line, unless there is no text yet.
    pub fn new_line(&mut self) {
        if !self.is_empty() {
            self.push(Role::Plain, "\n");
        }
    }

    /// Writes `labels` into the placeholders for numbers, in order.
    pub fn fill_numbers(&mut self, labels: impl Iterator<Item = String>) {
        let places = self.pieces.iter_mut();
        let places = places.filter(|(role, _)| *role == Role::Number);
        for ((_, place), label) in places.zip(labels) {
            *place = label;
        }
    }

    /// Checks whether a number is written in the text.
    #[must_use]
    pub fn has_numbers(&self) -> bool {
        let mut pieces = self.pieces.iter();
        pieces.any(|(role, text)| *role == Role::Number && !text.is_empty())
    }

    /// Returns the text after the first number.
    #[must_use]
    pub fn behind_number(&self) -> Option<Text> {
        let is_number = |(role, text): &(Role, String)| *role == Role::Number && !text.is_empty();
        let at = self.pieces.iter().position(is_number)?;
        let pieces = self.pieces[at + 1..].to_vec();
        Some(Text { pieces })
    }

    /// Returns the text without numbers, for all uses but a prompt.
    #[must_use]
    pub fn without_numbers(mut self) -> Text {
        self.pieces.retain(|(role, _)| *role != Role::Number);
        self
    }

    /// Checks whether the text has no pieces.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Iterates over the pieces in order.
    pub fn pieces(&self) -> impl Iterator<Item = (Role, &str)> {
        self.pieces.iter().map(|(role, text)| (*role, text.as_str()))
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pieces = self.pieces.iter();
        let mut pieces = pieces.filter(|(role, _)| *role != Role::Number);
        pieces.try_for_each(|(_, text)| f.write_str(text))
    }
}

/// One answer.
#[derive(Clone, PartialEq, Debug)]
pub struct Output {
    /// Text for people; an answer without text is printed as JSON for them too.
    pub text: Text,
    /// JSON for programs: an object that begins with `"schema": 1`; `None` if there is nothing to report.
    pub json: Option<Map<String, Value>>,
    /// The outcome.
    pub status: Status,
    /// Whether the answer only repeats the input, so that a quiet run may omit its text.
    pub is_echo: bool,
    /// The number of the answer among those that are, or contain, a map: the map is called `_NUMBER`. If there are several
    /// maps, it is the number of the first; the text has the numbers of all.
    pub number: Option<usize>,
}

impl Output {
    /// Creates an answer with status [`Status::Done`].
    #[must_use]
    pub fn new(text: Text, json: Object) -> Output {
        Output { text, json: Some(json.fields), status: Status::Done, is_echo: false, number: None }
    }

    /// Creates an answer for programs only: a line of JSON in any output format.
    #[must_use]
    pub fn json_line(json: Object) -> Output {
        Output::new(Text::new(), json)
    }

    /// Shows the answer as the value of a name; it then has no number.
    #[must_use]
    pub fn of_name(mut self, name: &str) -> Output {
        let mut text = Text::of(Role::Name, name).plain(" = ");
        text.append(self.text);
        self.text = text;
        self.number = None;
        self
    }

    /// Marks the answer as a repetition of the input.
    #[must_use]
    pub fn echo(mut self) -> Output {
        self.is_echo = true;
        self
    }

    /// Sets the status.
    #[must_use]
    pub fn status(mut self, status: Status) -> Output {
        self.status = status;
        self
    }
}

/// A JSON object under construction. Fields keep the order in which they are added.
#[derive(Clone, PartialEq, Debug)]
pub struct Object {
    fields: Map<String, Value>,
}

impl Default for Object {
    fn default() -> Object {
        Object::new()
    }
}

impl Object {
    /// Creates `{"schema": 1}`.
    #[must_use]
    pub fn new() -> Object {
        Object::nested().with("schema", 1)
    }

    /// Creates `{}`, for an object inside another.
    #[must_use]
    pub fn nested() -> Object {
        Object { fields: Map::new() }
    }

    /// Returns the object with one more field.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl Serialize) -> Object {
        self.fields.insert(key.to_owned(), json(value));
        self
    }

    /// Returns the object with the fields of a value that serde serializes as an object.
    #[must_use]
    pub fn and(mut self, value: impl Serialize) -> Object {
        if let Value::Object(fields) = json(value) {
            self.fields.extend(fields);
        }
        self
    }

    /// Returns the object with one more field, if there is a value.
    #[must_use]
    pub fn with_some(self, key: &str, value: Option<impl Serialize>) -> Object {
        match value {
            Some(value) => self.with(key, value),
            None => self,
        }
    }
}

/// Serializes `value` with serde; returns the error message if that fails.
fn json(value: impl Serialize) -> Value {
    serde_json::to_value(value).unwrap_or_else(|error| Value::String(error.to_string()))
}

impl Serialize for Object {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.fields.serialize(serializer)
    }
}

impl From<Map<String, Value>> for Object {
    fn from(fields: Map<String, Value>) -> Object {
        Object { fields }
    }
}

impl From<Object> for Map<String, Value> {
    fn from(object: Object) -> Map<String, Value> {
        object.fields
    }
}

impl From<Object> for Value {
    fn from(object: Object) -> Value {
        Value::Object(object.fields)
    }
}

/// Returns at most 200 characters of `text`, so that an error that quotes its input stays short.
#[must_use]
pub fn clipped(text: &str) -> String {
    match text.char_indices().nth(200) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Replaces the symbols that answers use by ASCII.
#[must_use]
pub fn in_ascii(text: &str) -> String {
    if text.is_ascii() {
        return text.to_owned();
    }
    text.replace('…', "...")
        .replace('→', "->")
        .replace('≤', "<=")
        .replace('∈', "in")
        .replace('·', ".")
        .replace('×', "x")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_graver_status_wins() {
        for (one, other, both) in [
            (Status::Done, Status::Done, 0),
            (Status::Done, Status::Undecided, 3),
            (Status::Undecided, Status::Wrong, 1),
            (Status::Usage, Status::Wrong, 1),
            (Status::Undecided, Status::Usage, 2),
        ] {
            assert_eq!(one.and(other).code(), both);
            assert_eq!(other.and(one).code(), both);
        }
    }

    #[test]
    fn objects_begin_with_the_schema_and_keep_the_order_of_their_fields() {
        let object = Object::new()
            .with("result", "x")
            .with_some("b", None::<bool>)
            .with("a", Object::nested().with("c", vec![1, 2]));
        assert_eq!(Value::from(object).to_string(), r#"{"schema":1,"result":"x","a":{"c":[1,2]}}"#);
    }
}
