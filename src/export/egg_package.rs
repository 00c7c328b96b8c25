//! The rules as a crate of rewrites for egg, with their conditions as Rust that is evaluated on intervals.
//!
//! Law: what is in the crate of a rule is generated from that rule. The matcher, the analysis and the tests are files that are copied.

use super::egg_code::{closure, code, name, pattern, truths};
use super::egg_firing::{Hint, Sums, firing};
use super::egg_instance::instance;
use super::{File, Known, file};
use crate::rule::{Point, Rule, Slot, Split, Statement, Term};
use crate::verify;
use std::fmt::Write;

/// The release of egg that the crate is pinned to: the one that this program uses.
pub const VERSION: &str = "0.11.0";

/// Files that are copied.
const COPIED: &[(&str, &str)] = &[
    ("README.md", include_str!("files/egg/README.md")),
    ("recheck.sh", include_str!("files/egg/recheck.sh")),
    ("src/lib.rs", include_str!("files/egg/src/lib.rs.txt")),
    (
        "src/analysis.rs",
        include_str!("files/egg/src/analysis.rs.txt"),
    ),
    ("src/fire.rs", include_str!("files/egg/src/fire.rs.txt")),
    ("src/form.rs", include_str!("files/egg/src/form.rs.txt")),
    (
        "src/interval.rs",
        include_str!("files/egg/src/interval.rs.txt"),
    ),
    (
        "src/language.rs",
        include_str!("files/egg/src/language.rs.txt"),
    ),
    (
        "src/matching.rs",
        include_str!("files/egg/src/matching.rs.txt"),
    ),
    (
        "src/pattern.rs",
        include_str!("files/egg/src/pattern.rs.txt"),
    ),
    ("src/rule.rs", include_str!("files/egg/src/rule.rs.txt")),
    (
        "src/simplify.rs",
        include_str!("files/egg/src/simplify.rs.txt"),
    ),
    ("src/value.rs", include_str!("files/egg/src/value.rs.txt")),
    (
        "tests/common/mod.rs",
        include_str!("files/egg/tests/common/mod.rs.txt"),
    ),
    (
        "tests/common/reader.rs",
        include_str!("files/egg/tests/common/reader.rs.txt"),
    ),
    ("tests/fire.rs", include_str!("files/egg/tests/fire.rs.txt")),
    (
        "tests/must_fail.rs",
        include_str!("files/egg/tests/must_fail.rs.txt"),
    ),
    (
        "tests/rules.rs",
        include_str!("files/egg/tests/rules.rs.txt"),
    ),
    (
        "tests/terms.rs",
        include_str!("files/egg/tests/terms.rs.txt"),
    ),
    (
        "example/src/main.rs",
        include_str!("files/egg/example/src/main.rs.txt"),
    ),
    (
        "example/Cargo.toml",
        include_str!("files/egg/example/Cargo.toml.txt"),
    ),
];

pub(super) fn files(rules: &[Known<'_>], false_rules: &[Rule]) -> Vec<File> {
    let copied = COPIED.iter();
    let mut files: Vec<File> = copied.map(|(path, text)| file(*path, *text)).collect();
    let manifest = include_str!("files/egg/Cargo.toml.txt").replace("EGG_VERSION", VERSION);
    files.push(file("Cargo.toml", manifest));
    let mut not_fired = NOT_FIRED.to_owned();
    let mut names: Vec<&str> = Vec::new();
    for Known { rule, .. } in rules {
        if !names.contains(&rule.file.as_str()) {
            names.push(&rule.file);
        }
    }
    let mut modules = Vec::new();
    for name in names {
        let mut text = head(name);
        for known in rules.iter().filter(|known| known.rule.file == name) {
            let fired = fired(known.rule);
            let point = verify::inside(known.rule);
            text.push_str(&written(
                known.rule,
                &known.hashes[0],
                point.as_ref(),
                fired.as_deref(),
            ));
            if let Err(reason) = fired {
                // Writing to a string cannot fail.
                let _ = writeln!(not_fired, "| `{}` | {name} | {reason} |", known.rule.name);
            }
        }
        text.push_str("];\n");
        let module = name.trim_end_matches(".rules").to_owned();
        files.push(file(format!("src/rules/{module}.rs"), text));
        modules.push(module);
    }
    files.push(file("src/rules/mod.rs", index(&modules)));
    files.push(file("not_fired.md", not_fired));
    let mut text = head("refuted.rules");
    for rule in false_rules {
        let point = verify::counterexample(rule);
        text.push_str(&written(
            rule,
            &verify::rule_hash(rule),
            point.as_ref(),
            Err(&String::new()),
        ));
    }
    text.push_str("];\n");
    files.push(file("must_fail/rules.rs", text));
    files
}

const NOT_FIRED: &str = "# Rules that are no rewrites

They are in `src/rules` as laws, with their conditions and statements as code, and checked like the others.

| rule | of | why nothing is rewritten by it |
|---|---|---|
";

fn head(name: &str) -> String {
    format!(
        "//! Generated from {name}.\n\n#![allow(unused_imports, non_snake_case)]\n\nuse index_map_rules::rule::{{Firing, Instance, Rule, Split, Statement}};\n\npub static RULES: &[Rule] = &[\n"
    )
}

fn index(modules: &[String]) -> String {
    let mut text =
        "//! All rules, by the file that they were generated from.\n\nuse crate::rule::Rule;\n\n"
            .to_owned();
    for module in modules {
        let _ = writeln!(text, "pub mod {module};");
    }
    text.push_str("\n/// In their order.\npub fn all() -> impl Iterator<Item = &'static Rule> {\n");
    let all: Vec<String> = modules
        .iter()
        .map(|module| format!("{module}::RULES"))
        .collect();
    let _ = writeln!(text, "    [{}].into_iter().flatten()\n}}", all.join(", "));
    text
}

/// A rule as the crate has it.
fn written(rule: &Rule, hash: &str, point: Option<&Point>, fired: Result<&str, &String>) -> String {
    let list = |names: &[String]| {
        let quoted: Vec<String> = names.iter().map(|name| format!("{name:?}")).collect();
        format!("&[{}]", quoted.join(", "))
    };
    let names = [&rule.constants[..], &rule.expressions].concat();
    let values = point.map_or(Vec::new(), |point| {
        [&point.constants[..], &point.expressions].concat()
    });
    let point: Vec<String> = values.iter().map(i64::to_string).collect();
    let statement = match &rule.statement {
        Statement::Rewrite(left, right) => {
            format!("Statement::Rewrite {{ {} }}", sides(rule, left, right))
        }
        Statement::Equivalence(left, right) => {
            let (left, right) = (truths(rule, left), truths(rule, right));
            format!(
                "Statement::Equivalence {{\n            left: {left},\n            right: {right},\n        }}"
            )
        }
        Statement::Fact(facts) => format!("Statement::Fact({})", truths(rule, facts)),
    };
    format!(
        "    // {}\n    Rule {{\n        name: {:?},\n        source: \"{}:{}\",\n        text: {:?},\n        sha256: \"{hash}\",\n        constants: {},\n        expressions: {},\n        names: {},\n        point: &[{}],\n        conditions: {},\n        statement: {statement},\n        firing: {},\n    }},\n",
        rule.purpose,
        rule.name,
        rule.file,
        rule.line,
        verify::hashed_text(rule),
        list(&rule.constants),
        list(&rule.expressions),
        list(&names),
        point.join(", "),
        truths(rule, &rule.conditions),
        fired.unwrap_or("None"),
    )
}

fn sides(rule: &Rule, left: &Term, right: &Term) -> String {
    let written = |term| pattern(rule, term).unwrap_or_default();
    format!("left: {:?}, right: {:?}", written(left), written(right))
}

/// How a rule is fired, as Rust, or why it is not.
fn fired(rule: &Rule) -> Result<String, String> {
    let firing = firing(rule, Sums::Forms)?;
    let Some(instance) = instance(rule, &firing) else {
        return Err("no instance of it was found".to_owned());
    };
    let of_constant = |slot: Slot| name(&rule.constants, slot).unwrap_or("_");
    let of_expression = |slot: Slot| name(&rule.expressions, slot).unwrap_or("_");
    let defined = firing.defined.iter();
    let is_free = |slot: Slot| !firing.defined.iter().any(|(defined, _)| *defined == slot);
    let defined: Vec<String> = defined
        .map(|(slot, term)| {
            let pattern = pattern(rule, term).unwrap_or_default();
            format!("({:?}, {pattern:?})", of_expression(*slot))
        })
        .collect();
    let tried = firing.tried.iter();
    let tried: Vec<String> = tried
        .map(|(slot, hint)| format!("({:?}, {})", of_constant(*slot), hinted(rule, hint)))
        .collect();
    let splits: Vec<&str> = rule.splits.iter().map(split).collect();
    let constants = rule.constants.iter().zip(&instance.constants);
    let constants: Vec<String> = constants
        .map(|(name, value)| format!("({name:?}, {value})"))
        .collect();
    let expressions = (0..).zip(&rule.expressions).zip(&instance.expressions);
    let expressions: Vec<String> = expressions
        .filter(|((slot, _), _)| is_free(*slot))
        .map(|((_, name), (lo, hi))| format!("({name:?}, {lo}, {hi})"))
        .collect();
    Ok(format!(
        "Some(Firing {{\n            {},\n            splits: &[{}],\n            defined: &[{}],\n            tried: &[{}],\n            instance: Instance {{ constants: &[{}], expressions: &[{}] }},\n        }})",
        sides(rule, firing.left, firing.right),
        splits.join(", "),
        defined.join(", "),
        tried.join(", "),
        constants.join(", "),
        expressions.join(", "),
    ))
}

fn split(split: &Split) -> &'static str {
    match split {
        Split::Multiples => "Split::Multiples",
        Split::Nearest => "Split::Nearest",
        Split::NearestQuotients => "Split::NearestQuotients",
        Split::OneVariable => "Split::OneVariable",
        Split::Negative => "Split::Negative",
    }
}

fn hinted(rule: &Rule, hint: &Hint) -> String {
    let (terms, body) = match hint {
        Hint::Value(value) => (vec![value], code(rule, value)),
        Hint::Exactly { value, divisor } => {
            let body = format!("{}.exactly(&{})", code(rule, value), code(rule, divisor));
            (vec![value, divisor], body)
        }
        Hint::Greatest { bound, factor } => {
            let body = format!(
                "{}.lo().floordiv(&{})",
                code(rule, bound),
                code(rule, factor)
            );
            (vec![bound, factor], body)
        }
        Hint::Solution {
            factor,
            rest,
            modulus,
        } => {
            let [factor_code, rest_code, modulus_code] =
                [factor, rest, modulus].map(|term| code(rule, term));
            let body = format!("{factor_code}.solution(&{rest_code}, &{modulus_code})");
            (vec![factor, rest, modulus], body)
        }
    };
    closure(rule, &terms, &body)
}
