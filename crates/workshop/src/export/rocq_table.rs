//! Prints the rules as data, for the checker of certificates in Rocq.
//!
//! Law: the meaning of the data is the statement of the rule's theorem; Rocq compares the two when it checks that the rule in the
//! table is true. Variables are numbered: constants first, then expressions.

use super::parts::{File, file};
use super::theorem::identifier;
use affinor::rule::{Condition, Relation, Rule, Statement, Term};
use std::fmt::Write;

/// Returns the files of the checker: the shipped sources, and the table of the rules that have a theorem.
pub(super) fn files<'r>(rules: impl Iterator<Item = &'r Rule>) -> Vec<File> {
    let mut files = vec![file("checker/Table.v", table(rules))];
    files.extend(SHIPPED.iter().map(|(path, text)| file(format!("checker/{path}"), *text)));
    files
}

const SHIPPED: [(&str, &str); 17] = [
    ("Makefile", include_str!("files/rocq/checker/Makefile")),
    ("Maps.v", include_str!("files/rocq/checker/Maps.v")),
    ("Sums.v", include_str!("files/rocq/checker/Sums.v")),
    ("Intervals.v", include_str!("files/rocq/checker/Intervals.v")),
    ("Known.v", include_str!("files/rocq/checker/Known.v")),
    ("Points.v", include_str!("files/rocq/checker/Points.v")),
    ("Ranges.v", include_str!("files/rocq/checker/Ranges.v")),
    ("Close.v", include_str!("files/rocq/checker/Close.v")),
    ("Signs.v", include_str!("files/rocq/checker/Signs.v")),
    ("Steps.v", include_str!("files/rocq/checker/Steps.v")),
    ("Domains.v", include_str!("files/rocq/checker/Domains.v")),
    ("Checker.v", include_str!("files/rocq/checker/Checker.v")),
    ("Included.v", include_str!("files/rocq/checker/Included.v")),
    ("Claims.v", include_str!("files/rocq/checker/Claims.v")),
    ("Accepted.v", include_str!("files/rocq/checker/Accepted.v")),
    ("Extract.v", include_str!("files/rocq/checker/Extract.v")),
    ("main.ml", include_str!("files/rocq/checker/main.ml")),
];

/// Prints the table, in the order of the rules.
fn table<'r>(rules: impl Iterator<Item = &'r Rule>) -> String {
    let mut text = String::from(HEAD);
    let (mut rows, mut proofs) = (Vec::new(), Vec::new());
    for rule in rules {
        let name = identifier(&rule.name);
        let values: String =
            (0..rule.variables().count()).map(|i| format!(" (v {i}%nat)")).collect();
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "\nDefinition {name}_rule : rule := Rule\n  {}\n  ({}).\nLemma {name}_valid : valid {name}_rule.\nProof. exact (fun v => {name}{values}). Qed.\n",
            list(&conditions(rule, &rule.conditions)),
            statement(rule),
        );
        let [constants, expressions] = [&rule.constants, &rule.expressions].map(|names| {
            let quoted: Vec<String> = names.iter().map(|x| format!("\"{x}\"")).collect();
            list(&quoted)
        });
        rows.push(format!("(\"{}\", ({constants}, {expressions}), {name}_rule)", rule.name));
        proofs.push(format!("(conj {name}_valid "));
    }
    let (proved, end) = (proofs.join("\n  "), ")".repeat(proofs.len()));
    let _ = write!(
        text,
        "\n(* Name, names of constants and of expressions, and rule. *)\nDefinition table : list (string * (list string * list string) * rule) :=\n  [ {} ].\n\
         Theorem table_valid : holds_all (fun row => valid (snd row)) table.\nProof. exact\n  {proved}I{end}.\nQed.\n",
        rows.join(";\n    ")
    );
    text
}

const HEAD: &str = "\
(* The rules as data, each with its theorem as the proof that it is true. *)
From Coq Require Import ZArith List String.
From Affinor Require Import Rules Maps.
Import ListNotations.
Open Scope string_scope.
Open Scope Z_scope.
";

fn list(parts: &[String]) -> String {
    format!("[{}]", parts.join("; "))
}

fn statement(rule: &Rule) -> String {
    let all = |conjunction: &[Condition]| list(&conditions(rule, conjunction));
    match &rule.statement {
        Statement::Rewrite(lhs, rhs) => format!("Rewrite {} {}", term(rule, lhs), term(rule, rhs)),
        Statement::Equivalence(lhs, rhs) => format!("Equivalence {} {}", all(lhs), all(rhs)),
        Statement::Fact(facts) => format!("Fact {}", all(facts)),
    }
}

fn conditions(rule: &Rule, conditions: &[Condition]) -> Vec<String> {
    let condition = |condition: &Condition| {
        let relation = match condition.relation {
            Relation::Equal => "Eq_",
            Relation::LessEqual => "Le_",
            Relation::Less => "Lt_",
        };
        let [lhs, rhs] = [&condition.lhs, &condition.rhs].map(|side| term(rule, side));
        format!("Condition {lhs} {relation} {rhs}")
    };
    conditions.iter().map(condition).collect()
}

/// Prints a term, with negations where its theorem has them.
fn term(rule: &Rule, of: &Term) -> String {
    let pair =
        |name: &str, x: &Term, y: &Term| format!("({name} {} {})", term(rule, x), term(rule, y));
    match of {
        Term::Integer(value) => format!("(TInt ({value}))"),
        Term::Constant(slot) => format!("(TVar {slot})"),
        Term::Expression(slot) => format!("(TVar {})", rule.constants.len() + usize::from(*slot)),
        Term::Sum(terms) => {
            let mut terms = terms.iter();
            let first = terms.next().map_or_else(|| "(TInt 0)".to_owned(), |x| term(rule, x));
            terms.fold(first, |sum, next| match next {
                Term::Product(x, y) if **x == Term::Integer(-1) => {
                    format!("(TSub {sum} {})", term(rule, y))
                }
                Term::Integer(value) if *value < 0 => {
                    format!("(TSub {sum} (TInt {}))", value.unsigned_abs())
                }
                _ => format!("(TAdd {sum} {})", term(rule, next)),
            })
        }
        Term::Product(x, y) if **x == Term::Integer(-1) => format!("(TNeg {})", term(rule, y)),
        Term::Product(x, y) => pair("TMul", x, y),
        Term::FloorDiv(x, y) => pair("TDiv", x, y),
        Term::Mod(x, y) => pair("TMod", x, y),
        Term::Min(x, y) => pair("TMin", x, y),
        Term::Max(x, y) => pair("TMax", x, y),
        // Bounds occur only in hints, which are not exported.
        Term::Lo(_) | Term::Hi(_) => "(TInt 0)".to_owned(),
    }
}
