//! Answers and painted lines as JSON for a page: pieces of text with the names of their roles, never markup.

use affinor_commands::{Output, Role, Status, Text};
use affinor_prompt::{Ink, Painted, numbered};
use serde_json::{Value, json};

/// Returns the event of an answer; `None` if it has nothing to show. One without text is its JSON, as in a terminal.
pub fn answer(mut output: Output, ascii: bool) -> Option<Value> {
    if output.text.is_empty() {
        let json = output.json.take()?;
        output.text = Text::of(Role::Plain, Value::Object(json).to_string());
    }
    let (status, number) = (output.status, output.number);
    let mut text = numbered(output);
    if ascii {
        text = text.in_ascii();
    }
    let pieces: Vec<Value> =
        text.pieces().map(|(role, piece)| json!([class(role), piece])).collect();
    let status = match status {
        Status::Done => "done",
        Status::Undecided => "undecided",
        Status::Usage => "usage",
        Status::Wrong => "wrong",
    };
    Some(json!({"kind": "answer", "status": status, "number": number, "pieces": pieces}))
}

/// The name of a role, as classes of the style sheet.
fn class(role: Role) -> String {
    match role {
        Role::Plain | Role::Prose => "plain",
        Role::Formula => "formula",
        Role::Name => "name",
        Role::Good => "good",
        Role::Bad => "bad",
        Role::Doubtful => "doubtful",
        Role::Faint | Role::Number => "faint",
        Role::Tile(number) => return format!("tile{}", number % 8),
        Role::Read => "read",
    }
    .to_owned()
}

/// Returns the parts of a line in order, all of it: `[class, text]`.
pub fn painted(line: &str, parts: &[Painted]) -> Value {
    let mut pieces = Vec::new();
    let mut done = 0;
    let mut push = |class: &str, text: Option<&str>| {
        let text = text.unwrap_or_default();
        if !text.is_empty() {
            pieces.push(json!([class, text]));
        }
    };
    for part in parts {
        push("plain", line.get(done..part.span.start));
        push(ink(part.ink), line.get(part.span.clone()));
        done = part.span.end;
    }
    push("plain", line.get(done..));
    Value::Array(pieces)
}

fn ink(ink: Ink) -> &'static str {
    match ink {
        Ink::Command => "command",
        Ink::Switch => "switch",
        Ink::Keyword => "keyword",
        Ink::Number => "number",
        Ink::Map => "map",
        Ink::Variable => "variable",
        Ink::Comment => "comment",
        Ink::Quoted => "quoted",
        Ink::Unknown => "unknown",
        Ink::Partner => "partner",
    }
}
