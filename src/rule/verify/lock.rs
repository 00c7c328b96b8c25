//! `rules/PROOFS.lock`: the proved rules, with hashes of their texts, and the solvers that proved them.
//!
//! One line per rule. A rule is trusted if the hash of its text matches the lock; `cargo test` re-proves every rule and
//! compares, and the project's checks run a second solver on the same scripts.
//!
//! ```text
//! file  := 'z3' version newline 'cvc5' version newline 'rocq' version newline {entry newline}     '#' starts a comment
//! entry := name 'rule=' sha256 'scripts=' sha256 'z3=' answer 'cvc5=' answer 'rocq=' answer 'truncating=' answer 'int64=' answer
//! ```

use super::judge::{judge, obligations};
use super::machine;
use crate::prove::Budget;
use crate::rule::{Condition, Rule};
use crate::text::{Error, ErrorKind};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The built-in lock.
pub(super) const SHIPPED: &str = include_str!("../../../rules/PROOFS.lock");

/// The verdict of a judge that has not yet run.
pub(super) const PENDING: &str = "pending";

/// The comment at the head of the file.
const HEAD: &str = "\
# Proofs of the rules in this directory, one line each. `rule` and `scripts` are SHA-256 of the rule's text and of the
# SMT-LIB scripts that prove it; `z3` and `cvc5` say what the solvers answer: proved means that each script is unsat.
# `rocq`: its kernel accepts the proof of the rule in proofs.txt.
# `truncating`: does the rule hold if divisions round toward zero? `int64`: does the right side stay in the range of the
# left side? Written by: affinor rules lock, then .ci/second_judge --write and .ci/third_judge --write
";

/// The lock entry of a rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// SHA-256 of [`Rule::text`](crate::rule::Rule::text), in hexadecimal.
    pub rule: String,
    /// SHA-256 of the scripts that prove it, in hexadecimal.
    pub scripts: String,
    /// Z3's verdict: `proved`, `refuted` or `unknown`.
    pub z3: String,
    /// cvc5's verdict: the same words, or `pending` until it is run.
    pub cvc5: String,
    /// Whether Rocq's kernel accepts its proof: `proved`, `none`, or `pending` until it is run.
    pub rocq: String,
    /// The verdict under truncating division.
    pub truncating: String,
    /// The verdict on staying in 64-bit range; `none` for laws that rewrite no value.
    pub int64: String,
}

/// A lock file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Lock {
    /// Entries by rule name.
    pub entries: BTreeMap<String, Entry>,
    /// The judges with their versions: `z3 5.3.2`, `cvc5 1.4.2`, `rocq 8.16.1`.
    pub solvers: Vec<String>,
}

impl Entry {
    /// Returns its fields with their names in the lock.
    pub(super) fn fields(&self) -> [(&'static str, &str); 7] {
        [
            ("rule", &self.rule),
            ("scripts", &self.scripts),
            ("z3", &self.z3),
            ("cvc5", &self.cvc5),
            ("rocq", &self.rocq),
            ("truncating", &self.truncating),
            ("int64", &self.int64),
        ]
    }
}

impl Lock {
    /// Loads the built-in lock.
    ///
    /// # Errors
    /// If it does not parse.
    pub fn shipped() -> Result<Lock, Error> {
        Lock::read(SHIPPED)
    }

    /// Parses a lock file.
    ///
    /// # Errors
    /// [`ErrorKind::Rule`] at a line that is not an entry.
    pub fn read(text: &str) -> Result<Lock, Error> {
        let mut lock = Lock::default();
        let mut offset = 0;
        for line in text.split_inclusive('\n') {
            let content = line.split('#').next().unwrap_or("").trim();
            let words: Vec<&str> = content.split_whitespace().collect();
            match words.as_slice() {
                [] => {}
                [solver @ ("z3" | "cvc5" | "rocq"), version] => {
                    lock.solvers.push(format!("{solver} {version}"));
                }
                [name, rule, scripts, z3, cvc5, rocq, truncating, int64] => {
                    let field = |word: &str, key: &str| {
                        let value = word.strip_prefix(key).and_then(|rest| rest.strip_prefix('='));
                        value.map(str::to_owned).ok_or_else(|| refused(offset, line, key))
                    };
                    let entry = Entry {
                        rule: field(rule, "rule")?,
                        scripts: field(scripts, "scripts")?,
                        z3: field(z3, "z3")?,
                        cvc5: field(cvc5, "cvc5")?,
                        rocq: field(rocq, "rocq")?,
                        truncating: field(truncating, "truncating")?,
                        int64: field(int64, "int64")?,
                    };
                    lock.entries.insert((*name).to_owned(), entry);
                }
                _ => return Err(refused(offset, line, "name")),
            }
            offset += line.len();
        }
        Ok(lock)
    }

    /// Prints the lock file.
    #[must_use]
    pub fn write(&self) -> String {
        let mut text = HEAD.to_owned();
        for solver in &self.solvers {
            let _ = writeln!(text, "{solver}"); // writing to a string cannot fail
        }
        for (name, entry) in &self.entries {
            let fields = entry.fields().map(|(field, value)| format!(" {field}={value}"));
            let _ = writeln!(text, "{name}{}", fields.concat());
        }
        text
    }

    /// Returns whether a rule in its current form is proved.
    #[must_use]
    pub fn trusts(&self, rule: &Rule) -> bool {
        self.entries
            .get(&rule.name)
            .is_some_and(|entry| entry.z3 == "proved" && entry.rule == rule_hash(rule))
    }
}

/// Proves a rule and builds its entry; the verdicts of cvc5 and of Rocq stay pending.
#[must_use]
pub fn entry(rule: &Rule, budget: &Budget) -> Entry {
    let in_range = machine::in_range(rule);
    Entry {
        rule: rule_hash(rule),
        scripts: scripts_hash(rule),
        z3: judge(rule, budget).word().to_owned(),
        cvc5: PENDING.to_owned(),
        rocq: PENDING.to_owned(),
        truncating: judge(&machine::truncating(rule), budget).word().to_owned(),
        int64: in_range.map_or("none", |claim| judge(&claim, budget).word()).to_owned(),
    }
}

/// Returns the SHA-256 of [`hashed_text`], in hexadecimal.
#[must_use]
pub fn rule_hash(rule: &Rule) -> String {
    sha256(hashed_text(rule).as_bytes())
}

/// Returns the parts of a rule that its proof depends on: statement, conditions, proof hints.
#[must_use]
pub fn hashed_text(rule: &Rule) -> String {
    let mut text = rule.write_statement();
    let conditions = |list: &[Condition]| -> Vec<String> {
        list.iter().map(|one| rule.write_condition(one)).collect()
    };
    let hints = rule.multipliers.iter().map(|term| rule.write(term));
    for (part, items) in [
        ("where", conditions(&rule.conditions)),
        ("multiply", hints.collect()),
        ("cases", conditions(&rule.cases)),
    ] {
        let _ = write!(text, "\n{part} {}", items.join(", "));
    }
    text
}

/// Returns the SHA-256 of the scripts that prove a rule, in hexadecimal; that of the empty string if there are none.
#[must_use]
pub fn scripts_hash(rule: &Rule) -> String {
    let scripts = obligations(rule).unwrap_or_default();
    let text: String = scripts.into_iter().map(|(_, script)| script).collect();
    sha256(text.as_bytes())
}

/// Returns the SHA-256 of some bytes, in hexadecimal.
#[must_use]
pub fn sha256(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn refused(offset: usize, line: &str, key: &str) -> Error {
    let span = offset..offset + line.trim_end().len();
    let message = format!("this line of the lock has no {key}");
    Error::new(ErrorKind::Rule, span, message).hint("renew the lock: affinor rules lock")
}
