//! Exports rules as theorems of Rocq (Coq), over its standard library's integers.
//!
//! A proof of `proof` becomes one tactic per step; each final goal is linear in the quotients and products that the steps name,
//! and `lia` decides it. A false rule is refuted at its counterexample. A rule without a proof is listed but not exported.

use super::beside;
use super::parts::{File, Known, file};
use super::proof::{NO_PROOF, Proofs};
use super::rocq_table;
use super::theorem::{Dialect, Writer, identifier};
use affinor::prove::Budget;
use affinor::rule::verify::{self, BUDGET, Cases, Step};
use affinor::rule::{Notation, Rule};
use affinor::text::Error;
use std::fmt::Write;

pub(super) fn files(rules: &[Known<'_>], false_rules: &[Rule]) -> Result<Vec<File>, Error> {
    let proofs = Proofs::shipped();
    let mut text = String::from(HEAD);
    let (mut proved, mut with_proof) = (Vec::new(), Vec::new());
    let mut missing = Vec::new();
    for known in rules {
        let Some(steps) = proofs.of(known.rule, &BUDGET)? else {
            missing.push((known.rule.name.as_str(), NO_PROOF));
            continue;
        };
        let [rule, scripts] = &known.hashes;
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "\n(* {}\n   rule-sha256 {rule}\n   scripts-sha256 {scripts} *)",
            known.rule.purpose,
        );
        proved_theorem(known.rule, &steps, &mut text);
        proved.push(identifier(&known.rule.name));
        with_proof.push(known.rule);
    }
    let mut wrong = String::from(FALSE_HEAD);
    for rule in false_rules {
        wrong.push_str(&refutation(rule));
    }
    let mut files = beside::files_of_theorems(rules, false_rules, &missing);
    files.extend([
        file("README.md", include_str!("files/rocq.md")),
        file("Lemmas.v", include_str!("files/rocq/Lemmas.v")),
        file("Rules.v", text),
        file("Assumptions.v", assumptions(&proved)),
        file("MustFail.v", wrong),
        file("Makefile", include_str!("files/rocq/Makefile")),
        file("recheck.py", include_str!("files/recheck_rocq.py")),
        file("recheck.sh", include_str!("files/rocq/recheck.sh")),
    ]);
    files.extend(rocq_table::files(with_proof.into_iter()));
    Ok(files)
}

/// Theorems of rules that an export does not contain, to be compiled together with it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Theorems {
    /// A file for coqc.
    pub text: String,
    /// For each rule, whether steps were found, so that `text` states it as a theorem.
    pub proved: Vec<bool>,
}

impl Theorems {
    /// Writes the rules for which steps are found. The search queries the solver repeatedly for each rule.
    ///
    /// # Errors
    /// [`ErrorKind::Rule`](affinor::text::ErrorKind::Rule) if a proof cannot be parsed.
    pub fn of(rules: &[&Rule], budget: &Budget) -> Result<Theorems, Error> {
        let proofs = Proofs::shipped();
        let mut theorems = Theorems { text: String::from(crate::rocq::HEAD), proved: Vec::new() };
        for rule in rules {
            let steps = proofs.of(rule, budget)?;
            theorems.proved.push(steps.is_some());
            match steps {
                Some(steps) => {
                    theorems.text.push('\n');
                    proved_theorem(rule, &steps, &mut theorems.text);
                }
                None => {
                    // Writing to a string cannot fail.
                    let _ = writeln!(theorems.text, "\n(* {}: {NO_PROOF}. *)", rule.name);
                }
            }
        }
        Ok(theorems)
    }
}

fn proved_theorem(rule: &Rule, steps: &[Step], text: &mut String) {
    text.push_str(&theorem(rule));
    text.push_str("Proof.\n  start.\n");
    script(rule, steps, 1, text);
    text.push_str("Qed.\n");
}

const HEAD: &str = "\
(* Rules of index maps: README.md says what they mean. *)
From Coq Require Import ZArith.
From Affinor Require Import Lemmas.
Open Scope Z_scope.
";

/// Prints the assumptions of all theorems in one command: each command takes Rocq a third of a second.
fn assumptions(theorems: &[String]) -> String {
    let all = theorems.join(",\n  ");
    format!(
        "(* What the theorems rest on: Rocq must answer `Closed under the global context`. *)\n\
         From Affinor Require Import Rules.\n\nDefinition rules := (\n  {all}).\n\nPrint Assumptions rules.\n"
    )
}

const FALSE_HEAD: &str = "\
(* These look true and are false: each is refuted at a point, and the tactics that prove rules do not prove it. *)
From Coq Require Import ZArith.
From Affinor Require Import Lemmas.
Open Scope Z_scope.
";

const DIALECT: Dialect = Dialect {
    and: "/\\",
    iff: "<->",
    less_equal: "<=",
    terms: Notation {
        times: " * ",
        floordiv: " / ",
        modulo: " mod ",
        min: "Z.min",
        max: "Z.max",
        is_curried: true,
    },
    numerals_of: None,
};

fn theorem(rule: &Rule) -> String {
    format!("Theorem {} : {}.\n", identifier(&rule.name), claim(rule))
}

/// Prints a rule as a proposition.
fn claim(rule: &Rule) -> String {
    let writer = Writer { rule, dialect: &DIALECT };
    let names: Vec<&str> = rule.variables().map(String::as_str).collect();
    let mut text = format!("forall {} : Z,\n  ", names.join(" "));
    for condition in &rule.conditions {
        // Writing to a string cannot fail.
        let _ = write!(text, "{} -> ", writer.comparison(condition));
    }
    if !rule.conditions.is_empty() {
        text.push_str("\n  ");
    }
    text.push_str(&writer.statement());
    text.replace("-> \n", "->\n")
}

/// Prints the negation of a false rule, proved at its counterexample.
fn refutation(rule: &Rule) -> String {
    let (name, claim) = (identifier(&rule.name), claim(rule));
    let values = verify::counterexample(rule).map_or_else(String::new, |point| {
        let values = point.constants.iter().chain(&point.expressions);
        values.map(|value| format!(" ({value})")).collect()
    });
    format!(
        "\n(* {} *)\nGoal {claim}.\nProof. start. Fail linear. Abort.\nTheorem not_{name} : ~ (\n  {claim}).\nProof. intro rule. specialize (rule{values}). fails rule. Qed.\n",
        rule.purpose
    )
}

/// Writes the tactics of a proof.
fn script(rule: &Rule, steps: &[Step], depth: usize, text: &mut String) {
    let writer = Writer { rule, dialect: &DIALECT };
    let indent = "  ".repeat(depth);
    for step in steps {
        // Writing to a string cannot fail.
        let _ = match step {
            Step::Known(fact, x, y) => {
                let [x, y] = [x, y].map(|term| writer.whole(term));
                writeln!(text, "{indent}{} {x} {y}.", fact.name())
            }
            Step::Otherwise => writeln!(text, "{indent}otherwise."),
            Step::Cases(cases, both) => {
                let tactic = match cases {
                    Cases::Ways => "both_ways".to_owned(),
                    Cases::Parts => "split".to_owned(),
                    Cases::Sides => "both_sides".to_owned(),
                    Cases::Order(x, y) => {
                        let [x, y] = [x, y].map(|term| writer.whole(term));
                        format!("order {x} {y}")
                    }
                };
                let _ = writeln!(text, "{indent}{tactic}.");
                for case in both {
                    let _ = writeln!(text, "{indent}{{");
                    script(rule, case, depth + 1, text);
                    let _ = writeln!(text, "{indent}}}");
                }
                return;
            }
        };
    }
    let _ = writeln!(text, "{indent}linear.");
}
