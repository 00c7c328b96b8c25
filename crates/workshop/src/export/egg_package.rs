//! Exports the rules as a crate of egg rewrites. The code that matches and fires them is copied from this program.
//!
//! Law: the crate of a rule is generated from that rule.

use super::egg_code::{code, conditions, list, statement};
use super::egg_instance::instance;
use super::firing::{Sums, firing};
use super::parts::{File, Known, file};
use affinor::num::sources::SOURCES;
use affinor::rule::sources::MATCHER;
use affinor::rule::{Point, Rule, Slot, Split, Term, verify};
use std::fmt::Write;

/// Version of egg that the crate is pinned to: the one this program uses.
const VERSION: &str = "0.11.0";

macro_rules! templates {
    ($($path:literal $ending:literal)*) => {
        &[$(($path, include_str!(concat!("files/egg/", $path, $ending)))),*]
    };
}

/// Source files that exist only for the crate.
const TEMPLATES: &[(&str, &str)] = templates! {
    "README.md" ""
    "recheck.sh" ""
    "src/lib.rs" ".txt"
    "src/analysis.rs" ".txt"
    "src/fire.rs" ".txt"
    "src/language.rs" ".txt"
    "src/law.rs" ".txt"
    "src/num/mod.rs" ".txt"
    "src/rule/mod.rs" ".txt"
    "src/simplify.rs" ".txt"
    "src/view.rs" ".txt"
    "tests/common/mod.rs" ".txt"
    "tests/common/reader.rs" ".txt"
    "tests/fire.rs" ".txt"
    "tests/rules.rs" ".txt"
    "tests/terms.rs" ".txt"
    "example/src/main.rs" ".txt"
    "example/Cargo.toml" ".txt"
};

pub(super) fn files(rules: &[Known<'_>], false_rules: &[Rule]) -> Vec<File> {
    let copied = SOURCES.iter().chain(MATCHER).chain(TEMPLATES);
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
        let mut laws = String::new();
        for Known { rule, hashes, .. } in rules.iter().filter(|known| known.rule.file == name) {
            let fired = fired(rule);
            let instance = fired.as_deref().unwrap_or("None");
            laws.push_str(&written(rule, &hashes[0], verify::inside(rule), instance));
            if let Err(reason) = fired {
                // Writing to a string cannot fail.
                let _ = writeln!(not_fired, "| `{}` | {name} | {reason} |", rule.name);
            }
        }
        let module = name.trim_end_matches(".rules");
        files.push(file(format!("src/rules/{module}.rs"), listed(name, &laws)));
        modules.push(module);
    }
    files.push(file("src/rules/mod.rs", index(&modules)));
    files.push(file("not_fired.md", not_fired));
    let laws = false_rules.iter().map(|rule| {
        let hash = verify::rule_hash(rule);
        written(rule, &hash, verify::counterexample(rule), "None")
    });
    let laws: String = laws.collect();
    files.push(file("must_fail/rules.rs", listed("refuted.rules", &laws)));
    files
}

const NOT_FIRED: &str = "# Rules that are not rewrites

They are in `src/rules` as laws, with their conditions and statements as data, and checked like the others.

| rule | of | why nothing is rewritten by it |
|---|---|---|
";

/// Prints a file of rules.
fn listed(name: &str, laws: &str) -> String {
    format!(
        "//! Generated from {name}.\n\n\
         #![allow(unused_imports, non_upper_case_globals)]\n\n\
         use index_map_rules::law::{{Instance, Law, names, stated}};\n\
         use index_map_rules::rule::Statement::{{Equivalence, Fact, Rewrite}};\n\
         use index_map_rules::rule::Term::{{self, Constant, Expression, Hi, Integer, Lo}};\n\
         use index_map_rules::rule::{{Role, Rule, Split}};\n\n\
         pub fn laws() -> Vec<Law> {{\n    vec![\n{laws}    ]\n}}\n"
    )
}

fn index(modules: &[&str]) -> String {
    let declared: String = modules.iter().map(|module| format!("pub mod {module};\n")).collect();
    format!(
        "//! All rules, by the file that they were generated from.\n\n\
         use crate::law::Law;\nuse std::sync::OnceLock;\n\n\
         {declared}\n/// In their order.\npub fn all() -> &'static [Law] {{\n    \
         static ALL: OnceLock<Vec<Law>> = OnceLock::new();\n    \
         ALL.get_or_init(|| [{}].concat())\n}}\n",
        list(modules, |module| format!("{module}::laws()")),
    )
}

/// Prints one rule.
fn written(rule: &Rule, hash: &str, point: Option<Point>, instance: &str) -> String {
    let variables = |names: &[String], sort: &str| -> String {
        let each = names.iter().enumerate();
        each.map(|(slot, name)| format!("            const {name}: Term = {sort}({slot});\n"))
            .collect()
    };
    let quoted =
        |names: &[String]| format!("names(&[{}])", list(names, |name| format!("{name:?}")));
    let split = |split: &Split| format!("Split::{split:?}");
    let witness = |(slot, term): &(Slot, Term)| format!("({slot}, {})", code(rule, term));
    let point = point.unwrap_or_default();
    let fields = [
        ("name", format!("{:?}.into()", rule.name)),
        ("statement", statement(rule)),
        ("conditions", conditions(rule, &rule.conditions)),
        ("constants", quoted(&rule.constants)),
        ("expressions", quoted(&rule.expressions)),
        ("splits", format!("vec![{}]", list(&rule.splits, split))),
        ("witnesses", format!("vec![{}]", list(&rule.witnesses, witness))),
        ("larger", rule.larger.to_string()),
        ("saturates", rule.saturates.to_string()),
        // Multipliers and cases are part of the rule's text.
        ("multipliers", "Vec::new()".to_owned()),
        ("cases", "Vec::new()".to_owned()),
        ("purpose", format!("{:?}.into()", rule.purpose)),
        ("file", format!("{:?}.into()", rule.file)),
        ("role", format!("Role::{:?}", rule.role)),
        ("line", rule.line.to_string()),
        ("text", "stated(TEXT)".to_owned()),
    ];
    let fields: String = fields
        .iter()
        .map(|(field, value)| format!("                    {field}: {value},\n"))
        .collect();
    format!(
        "        {{\n{}{}            const TEXT: &str = {:?};\n            Law {{\n                \
         rule: Rule {{\n{fields}                }},\n                text: TEXT,\n                \
         sha256: \"{hash}\",\n                point: &[{}],\n                \
         instance: {instance},\n            }}\n        }},\n",
        variables(&rule.constants, "Constant"),
        variables(&rule.expressions, "Expression"),
        verify::hashed_text(rule),
        list(&[point.constants, point.expressions].concat(), i64::to_string),
    )
}

/// Prints the instance at which a rule is fired.
///
/// # Errors
/// The reason why the rule cannot be fired or no instance of it was found.
fn fired(rule: &Rule) -> Result<String, String> {
    let firing = firing(rule, Sums::Forms)?;
    let instance = instance(rule, &firing).ok_or("no instance of it was found")?;
    Ok(format!(
        "Some(Instance {{ constants: &[{}], expressions: &[{}] }})",
        list(&instance.constants, i64::to_string),
        list(&instance.expressions, |range| format!("{range:?}")),
    ))
}
