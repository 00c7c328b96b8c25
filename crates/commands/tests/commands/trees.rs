//! Answers with trees: each is valid by the schema in `docs/`, and each tree is read as the map of the text beside it.

use crate::support::golden;
use crate::support::lines::host;
use crate::support::memory::Memory;
use affinor::text::{Tree, parse_map};
use affinor_commands::{COMMANDS, Session, with_trees};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

/// The schema without the keys that a command declares.
const SHARED: &str = include_str!("answers.schema.json");

/// Returns the schema: the shared keys, then those that the commands declare.
fn schema() -> String {
    let end = "\n  },\n  \"$defs\"";
    let (shared, definitions) = SHARED.split_once(end).expect("properties, then definitions");
    let keys = COMMANDS.iter().map(|command| command.keys.trim()).filter(|keys| !keys.is_empty());
    let keys: Vec<&str> = [shared].into_iter().chain(keys).collect();
    [&keys.join(",\n    "), end, definitions].concat()
}

#[test]
fn the_schema_has_the_keys_of_each_command() {
    let mut owners: BTreeMap<String, &str> = BTreeMap::new();
    let shared: Value = serde_json::from_str(SHARED).expect("the schema is JSON");
    let keys_of = |keys: &Value| Vec::from_iter(keys.as_object().expect("keys").keys().cloned());
    owners.extend(keys_of(&shared["properties"]).into_iter().map(|key| (key, "all")));
    for command in COMMANDS.iter() {
        let keys = serde_json::from_str(&format!("{{{}}}", command.keys)).expect(command.name);
        for key in keys_of(&keys) {
            let other = owners.insert(key.clone(), command.name);
            assert_eq!(other, None, "`{key}` of `{}` belongs into SHARED", command.name);
        }
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/answers.schema.json");
    golden::check_file(&path, &schema());
}

/// A validator for the parts of JSON Schema that our schema uses. It reports the place and the reason of an error.
struct Validator {
    root: Value,
}

impl Validator {
    fn new(schema: &str) -> Validator {
        let root = serde_json::from_str(schema).expect("the schema is JSON");
        Validator { root }
    }

    fn check(&self, value: &Value) -> Result<(), String> {
        self.at(&self.root, value, "")
    }

    fn at(&self, schema: &Value, value: &Value, place: &str) -> Result<(), String> {
        let wrong = |why: &str| Err(format!("{place}: {why}: {value}"));
        for (word, rule) in schema.as_object().expect("a schema") {
            let list = || rule.as_array().expect("a list").as_slice();
            let number = || rule.as_u64().expect("a number") as usize;
            match (word.as_str(), value) {
                ("$schema" | "title" | "description" | "$defs", _) => {}
                ("$ref", _) => {
                    let pointer = rule
                        .as_str()
                        .and_then(|text| text.strip_prefix('#'))
                        .expect("a reference in this file");
                    self.at(self.root.pointer(pointer).expect(pointer), value, place)?;
                }
                ("const", _) if rule != value => return wrong("another constant"),
                ("enum", _) if !list().contains(value) => return wrong("not in the enumeration"),
                ("type", _) => {
                    let kinds = rule.as_array().cloned().unwrap_or_else(|| vec![rule.clone()]);
                    if !kinds.iter().any(|kind| is_of(kind.as_str().expect("a word"), value)) {
                        return wrong("another type");
                    }
                }
                ("anyOf", _) => {
                    if !list().iter().any(|schema| self.at(schema, value, place).is_ok()) {
                        return wrong("none of the choices");
                    }
                }
                ("required", Value::Object(fields)) => {
                    if let Some(missing) = list()
                        .iter()
                        .find(|key| !fields.contains_key(key.as_str().expect("a word")))
                    {
                        return wrong(&format!("{missing} is missing"));
                    }
                }
                ("properties", Value::Object(fields)) => {
                    for (key, schema) in rule.as_object().expect("schemas") {
                        if let Some(value) = fields.get(key) {
                            self.at(schema, value, &format!("{place}/{key}"))?;
                        }
                    }
                }
                ("additionalProperties", Value::Object(fields)) => {
                    let known = schema.get("properties").and_then(Value::as_object);
                    for (key, value) in fields
                        .iter()
                        .filter(|(key, _)| known.is_none_or(|known| !known.contains_key(*key)))
                    {
                        match rule {
                            Value::Bool(false) => {
                                return wrong(&format!("there is no field {key}"));
                            }
                            rule => self.at(rule, value, &format!("{place}/{key}"))?,
                        }
                    }
                }
                ("prefixItems", Value::Array(items)) => {
                    for (index, (schema, value)) in list().iter().zip(items).enumerate() {
                        self.at(schema, value, &format!("{place}/{index}"))?;
                    }
                }
                ("items", Value::Array(items)) => {
                    let first =
                        schema.get("prefixItems").and_then(Value::as_array).map_or(0, Vec::len);
                    for (index, value) in items.iter().enumerate().skip(first) {
                        self.at(rule, value, &format!("{place}/{index}"))?;
                    }
                }
                ("minItems", Value::Array(items)) if items.len() < number() => {
                    return wrong("too few items");
                }
                ("maxItems", Value::Array(items)) if items.len() > number() => {
                    return wrong("too many items");
                }
                ("const" | "enum" | "required" | "properties" | "additionalProperties", _) => {}
                ("prefixItems" | "items" | "minItems" | "maxItems", _) => {}
                (word, _) => panic!("the validator does not know `{word}`"),
            }
        }
        Ok(())
    }
}

fn is_of(kind: &str, value: &Value) -> bool {
    match kind {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        kind => panic!("the validator does not know the type `{kind}`"),
    }
}

#[test]
fn the_validator_rejects() {
    let schema = Validator::new(&schema());
    let map = |results: Value| json!({"variables": [], "constraints": [], "results": results});
    let answer = |trees: Value| json!({"schema": 1, "trees": trees});
    assert_eq!(
        schema.check(&answer(json!({"/result": map(json!([["mod", "d0", 8], 3]))}))),
        Ok(())
    );
    for wrong in [
        json!([]),
        json!({"result": "x"}),
        json!({"schema": 2}),
        json!({"schema": 1, "verdict": "true"}),
        json!({"schema": 1, "error": {"kind": "syntax"}}),
        answer(json!({"/result": "d0"})),
        answer(json!({"/result": {"variables": [], "results": []}})),
        answer(
            json!({"/result": {"variables": [], "constraints": [], "results": [], "empty": false}}),
        ),
        answer(json!({"/result": map(json!([["mod", "d0"]]))})),
        answer(json!({"/result": map(json!([["mod", "d0", 8, 9]]))})),
        answer(json!({"/result": map(json!([["xor", "d0", 8]]))})),
        answer(json!({"/result": map(json!([["add", "d0", 1.5]]))})),
        answer(json!({"/result": map(json!([{"op": "add"}]))})),
    ] {
        assert!(schema.check(&wrong).is_err(), "{wrong}");
    }
}

const LARGE: &[u8] = include_bytes!("../../../../tests/sessions/model.hlo");

/// Further commands whose answers contain maps.
const LINES: &[&str] = &[
    "hlo large.hlo",
    "hlo large.hlo --direction input-to-output",
    "hlo large.hlo --entry",
    "hlo large.hlo --check",
    "hlo large.hlo --utilisation",
    "op dynamic-slice f32[10,10] {2,3}",
    "op reshape f32[10,10,10] -> f32[50,20] | reshape -> f32[10,10,10]",
    "layout f32[3,5]{1,0:T(2,2)}",
    "set style mlir",
    "show <n>(d0) -> ((d0 * n + d0) floordiv n), domain: n in [4, inf], d0 in [0, 9]",
    "set style xla",
    "simplify (d0) -> (d0 floordiv 3 + d0 mod 3), domain: d0 in [-3, 9] --explain",
    "show (d0) -> (d0), domain: empty",
    "let a = (d0) -> (d0), domain: d0 in [0, 3]",
    "show",
];

#[test]
fn answers_are_valid_and_their_trees_are_their_maps() {
    let schema = Validator::new(&schema());
    let mut trees: BTreeMap<String, usize> = BTreeMap::new();
    let mut check = |session: &mut Session, host: &mut Memory, line: &str| {
        host.outputs.clear();
        let result = session.run(line, host);
        assert!(result.is_ok(), "{line}: {result:?}");
        let word = line.split([' ', ';']).next().unwrap_or_default().to_owned();
        let count = trees.entry(word).or_default();
        for output in std::mem::take(&mut host.outputs) {
            let Some(json) = output.json else { continue };
            let plain = Value::Object(json.clone());
            let answer = Value::Object(with_trees(json));
            assert_eq!(schema.check(&answer), Ok(()), "{line}");
            let found = answer["trees"].as_object().expect("trees");
            for (pointer, tree) in found {
                let text = plain.pointer(pointer).and_then(Value::as_str).expect(pointer);
                assert_eq!(Tree::read(tree), parse_map(text), "{line}: {pointer}");
            }
            *count += found.len();
        }
    };
    let host = || {
        let mut host = host();
        host.files.insert("large.hlo", LARGE.to_vec());
        host
    };
    for command in COMMANDS.iter() {
        let (mut session, mut host) = (Session::new(), host());
        for line in command.example {
            check(&mut session, &mut host, line);
        }
    }
    let (mut session, mut host) = (Session::new(), host());
    for line in LINES {
        check(&mut session, &mut host, line);
    }
    for command in COMMANDS.iter().filter(|command| command.makes_map) {
        assert!(trees[command.name] > 0, "{}: {trees:?}", command.name);
    }
    assert!(trees["hlo"] > 20, "{trees:?}");
}
