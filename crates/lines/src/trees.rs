//! The maps of an answer as trees, beside their texts.
//!
//! Each text of an answer that is a map, at any depth, has its tree in the field `trees`, under the JSON pointer of the text
//! (RFC 6901). So no field changes its position or its meaning, and commands do not depend on trees: a printed map parses to
//! the same map.

use affinor::text::{Tree, parse_map};
use serde_json::{Map, Value};

/// Adds the field `trees`, which is empty if no text of the answer is a map.
#[must_use]
pub fn with_trees(mut answer: Map<String, Value>) -> Map<String, Value> {
    let mut trees = Map::new();
    for (key, value) in &answer {
        collect(value, &format!("/{}", escaped(key)), &mut trees);
    }
    answer.insert("trees".to_owned(), Value::Object(trees));
    answer
}

fn collect(value: &Value, pointer: &str, trees: &mut Map<String, Value>) {
    match value {
        Value::String(text) => {
            // Most texts are not maps; searching for the arrow is cheap.
            let map = text.contains("->").then(|| parse_map(text).ok()).flatten();
            if let Some(tree) = map.and_then(|map| Tree::of(&map)) {
                trees.insert(pointer.to_owned(), tree);
            }
        }
        Value::Array(list) => {
            for (index, value) in list.iter().enumerate() {
                collect(value, &format!("{pointer}/{index}"), trees);
            }
        }
        Value::Object(fields) => {
            for (key, value) in fields {
                collect(value, &format!("{pointer}/{}", escaped(key)), trees);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Escapes a key as a part of a pointer.
fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}
