//! The JSON manifest: every rule with its conditions, verdicts and hashes, and a script that checks it by evaluation.

use super::parts::{File, Known, file};
use affinor::rule::{Point, Rule, verify};
use serde_json::{Map, Value, json};

pub(super) fn files(rules: &[Known<'_>], false_rules: &[Rule]) -> Vec<File> {
    vec![
        file("README.md", include_str!("files/json.md")),
        file("rules.json", manifest(rules)),
        file("must_fail.json", must_fail(false_rules)),
        file("recheck.py", include_str!("files/recheck.py")),
    ]
}

pub(super) fn manifest(rules: &[Known<'_>]) -> String {
    let entry = |known: &Known<'_>| {
        let mut object = stated(known.rule);
        let [rule, scripts] = &known.hashes;
        let [z3, cvc5] = &known.verdicts;
        object.insert("rule_sha256".into(), rule.as_str().into());
        object.insert("hashed".into(), verify::hashed_text(known.rule).into());
        object.insert("scripts_sha256".into(), scripts.as_str().into());
        object.insert("verdicts".into(), json!({"z3": z3, "cvc5": cvc5}));
        if let Some(point) = verify::inside(known.rule) {
            object.insert("inside".into(), at(known.rule, &point));
        }
        Value::Object(object)
    };
    written(&json!({
        "schema": 1,
        "semantics": SEMANTICS,
        "rules": rules.iter().map(entry).collect::<Vec<_>>(),
    }))
}

/// Lists the false rules, each with a counterexample.
pub(super) fn must_fail(false_rules: &[Rule]) -> String {
    let false_entry = |rule: &Rule| {
        let mut object = stated(rule);
        if let Some(point) = verify::counterexample(rule) {
            object.insert("fails".into(), at(rule, &point));
        }
        Value::Object(object)
    };
    written(&json!({
        "schema": 1,
        "semantics": SEMANTICS,
        "rules": false_rules.iter().map(false_entry).collect::<Vec<_>>(),
    }))
}

/// Returns a rule as JSON, without verdicts and hashes.
fn stated(rule: &Rule) -> Map<String, Value> {
    let conditions = rule.conditions.iter();
    let conditions: Vec<String> = conditions.map(|written| rule.write_condition(written)).collect();
    let object = json!({
        "name": rule.name,
        "statement": rule.write_statement(),
        "where": conditions,
        "constants": rule.constants,
        "expressions": rule.expressions,
        "purpose": rule.purpose,
        "file": rule.file,
        "line": rule.line,
    });
    match object {
        Value::Object(object) => object,
        _ => Map::new(),
    }
}

const SEMANTICS: &str = "Variables are integers without bounds. a floordiv b rounds down and a mod b is a - b*(a floordiv b); divisors are at least 1 \
    wherever the conditions hold. A rule is true for all integers that satisfy its conditions: lhs => rhs says that both sides are equal, p <=> q that \
    both formulas hold or neither, a formula alone that it holds.";

/// Returns the values of the variables, by name.
fn at(rule: &Rule, point: &Point) -> Value {
    let values = |names: &[String], values: &[i64]| -> Vec<(String, Value)> {
        let pairs = names.iter().zip(values);
        pairs.map(|(name, value)| (name.clone(), (*value).into())).collect()
    };
    let mut all = values(&rule.constants, &point.constants);
    all.extend(values(&rule.expressions, &point.expressions));
    Value::Object(all.into_iter().collect::<Map<_, _>>())
}

pub(super) fn written(value: &Value) -> String {
    format!("{value:#}\n")
}
