//! Exports rules as theorems of Lean 4, without libraries.
//!
//! A proof names the quotients of its rule and the products that it needs (`files/lean_proofs.txt`); the remaining goal
//! is linear in those, and `omega` decides it. A rule without such a proof is listed, and not exported.

use super::beside;
use super::parts::{File, Known, file, hash_lines};
use crate::rule::{Condition, Relation, Rule, Statement, Term};
use std::collections::BTreeMap;
use std::fmt::Write;

pub(super) fn files(rules: &[Known<'_>], false_rules: &[Rule]) -> Vec<File> {
    let proofs = proofs();
    let mut text = format!("{UNCHECKED}{HEAD}");
    let mut missing = Vec::new();
    for known in rules {
        match proofs.get(known.rule.name.as_str()) {
            Some(products) => text.push_str(&theorem(known.rule, Some(&known.hashes), products)),
            None => missing.push((known.rule.name.as_str(), NO_PROOF)),
        }
    }
    text.push_str("\nend Affinor\n");
    let mut wrong = format!("{UNCHECKED}{FALSE_HEAD}");
    for rule in false_rules {
        wrong.push_str(&theorem(rule, None, &[]));
    }
    wrong.push_str("\nend Affinor\n");
    let mut files = beside::files(rules, false_rules, &missing);
    let lemmas = include_str!("files/lean/Lemmas.lean");
    files.extend([
        file("README.md", include_str!("files/lean.md")),
        file("Affinor.lean", format!("{UNCHECKED}import Affinor.Rules\n")),
        file("Affinor/Lemmas.lean", format!("{UNCHECKED}{lemmas}")),
        file("Affinor/Rules.lean", text),
        file("MustFail.lean", wrong),
        file("lakefile.toml", include_str!("files/lean/lakefile.toml")),
        file("lean-toolchain", include_str!("files/lean/lean-toolchain")),
        file("recheck.py", include_str!("files/recheck_lean.py")),
        file("recheck.sh", include_str!("files/lean/recheck.sh")),
    ]);
    files
}

const UNCHECKED: &str = "\
-- NOT CHECKED BY LEAN. No Lean toolchain was at hand when this was written, so whether Lean accepts these proofs is not known.
-- README.md says what was checked by other means, and how to have Lean check this.
";

const HEAD: &str = "\
import Affinor.Lemmas

namespace Affinor
";

const FALSE_HEAD: &str = "\
-- These are false: Lean must refuse each of them.
import Affinor.Lemmas

namespace Affinor
";

const NO_PROOF: &str = "no proof of it in Lean has been written";

/// A fact about a product: its kind and its two factors; `{q1}` and `{m1}` are quotients and minima of the rule.
type Product = [&'static str; 3];

/// Reads the file of proofs, by rule name.
fn proofs() -> BTreeMap<&'static str, Vec<Product>> {
    let mut proofs: BTreeMap<&str, Vec<Product>> = BTreeMap::new();
    let mut name = "";
    let lines = include_str!("files/lean_proofs.txt").lines();
    for line in lines.filter(|line| !line.starts_with('#')) {
        match line.strip_prefix("  ") {
            None => {
                name = line;
                proofs.entry(name).or_default();
            }
            Some(product) => {
                let (kind, factors) = product.split_once(' ').unwrap_or((product, ""));
                let (x, y) = factors.split_once(" | ").unwrap_or((factors, ""));
                proofs.entry(name).or_default().push([kind, x, y]);
            }
        }
    }
    proofs
}

fn theorem(rule: &Rule, hashes: Option<&[String; 2]>, products: &[Product]) -> String {
    let writer = Writer(rule);
    let mut text = format!("\n-- {}\n", rule.purpose);
    text.push_str(&hash_lines("--", hashes));
    let names: Vec<&str> = rule.variables().map(String::as_str).collect();
    // Writing to a string cannot fail.
    let _ = write!(
        text,
        "theorem {} ({} : Int)",
        lean_name(&rule.name),
        names.join(" ")
    );
    for (index, condition) in rule.conditions.iter().enumerate() {
        let _ = write!(
            text,
            " (cond{} : {})",
            index + 1,
            writer.comparison(condition)
        );
    }
    let _ = writeln!(text, " :\n    {} := by", writer.statement());
    let (quotients, choices) = parts(rule);
    let quotients: Vec<[String; 2]> = quotients
        .iter()
        .map(|pair| pair.map(|term| writer.term(term, Strength::Whole)))
        .collect();
    for (index, [x, divisor]) in quotients.iter().enumerate() {
        let _ = writeln!(text, "  have quot{} := div_bounds {x} {divisor}", index + 1);
    }
    for (index, choice) in choices.iter().enumerate() {
        let (lemma, x, y) = match choice {
            Term::Max(x, y) => ("max_cases", x, y),
            Term::Min(x, y) => ("min_cases", x, y),
            _ => continue,
        };
        let [x, y] = [x, y].map(|operand| writer.term(operand, Strength::Whole));
        let _ = writeln!(text, "  have pick{} := {lemma} {x} {y}", index + 1);
    }
    for (index, [kind, x, y]) in products.iter().enumerate() {
        let mut factors = [(*x).to_owned(), (*y).to_owned()];
        for factor in &mut factors {
            for (place, [x, divisor]) in quotients.iter().enumerate() {
                *factor = factor.replace(
                    &format!("{{q{}}}", place + 1),
                    &format!("({x} / {divisor})"),
                );
            }
            for (place, choice) in choices.iter().enumerate() {
                let choice = writer.term(choice, Strength::Whole);
                *factor = factor.replace(&format!("{{m{}}}", place + 1), &choice);
            }
        }
        let [x, y] = factors;
        let _ = writeln!(text, "  have prod{} := mul_{kind} ({x}) ({y})", index + 1);
    }
    text.push_str("  by_products\n");
    text
}

/// The name of a rule as a Lean identifier.
fn lean_name(name: &str) -> String {
    name.replace('-', "_")
}

/// Collects `[dividend, divisor]` of each quotient and remainder, and the minima and maxima, in the order of the text.
fn parts(rule: &Rule) -> (Vec<[&Term; 2]>, Vec<&Term>) {
    let (mut quotients, mut choices) = (Vec::new(), Vec::new());
    for term in rule.stated_terms() {
        term.visit(&mut |term| match term {
            Term::FloorDiv(x, divisor) | Term::Mod(x, divisor) => {
                let pair: [&Term; 2] = [x, divisor];
                if !quotients.contains(&pair) {
                    quotients.push(pair);
                }
            }
            Term::Min(..) | Term::Max(..) if !choices.contains(&term) => choices.push(term),
            _ => {}
        });
    }
    (quotients, choices)
}

/// Operator precedence.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Strength {
    Sum,
    Product,
    Whole,
}

/// Prints terms with the names of a rule.
struct Writer<'r>(&'r Rule);

impl Writer<'_> {
    fn statement(&self) -> String {
        match &self.0.statement {
            Statement::Rewrite(lhs, rhs) => {
                let [lhs, rhs] = [lhs, rhs].map(|side| self.term(side, Strength::Sum));
                format!("{lhs} = {rhs}")
            }
            Statement::Equivalence(lhs, rhs) => {
                format!("({}) ↔ ({})", self.conjunction(lhs), self.conjunction(rhs))
            }
            Statement::Fact(facts) => self.conjunction(facts),
        }
    }

    fn conjunction(&self, conditions: &[Condition]) -> String {
        let parts: Vec<String> = conditions.iter().map(|c| self.comparison(c)).collect();
        parts.join(" ∧ ")
    }

    fn comparison(&self, condition: &Condition) -> String {
        let Condition { lhs, relation, rhs } = condition;
        let symbol = match relation {
            Relation::Equal => "=",
            Relation::LessEqual => "≤",
            Relation::Less => "<",
        };
        let left = match (lhs, rhs) {
            // Lean would infer `Nat` for two numerals.
            (Term::Integer(value), Term::Integer(_)) => format!("({value} : Int)"),
            _ => self.term(lhs, Strength::Sum),
        };
        format!("{left} {symbol} {}", self.term(rhs, Strength::Sum))
    }

    fn term(&self, term: &Term, within: Strength) -> String {
        let whole = |term: &Term| self.term(term, Strength::Whole);
        let pair = |x: &Term, symbol: char, y: &Term| format!("{} {symbol} {}", whole(x), whole(y));
        let call = |name: &str, x: &Term, y: &Term| format!("({name} {} {})", whole(x), whole(y));
        let (text, strength) = match term {
            Term::Integer(value) if *value < 0 => (value.to_string(), Strength::Sum),
            Term::Integer(value) => (value.to_string(), Strength::Whole),
            Term::Constant(_) | Term::Expression(_) => {
                (self.0.name_of(term).to_owned(), Strength::Whole)
            }
            Term::Sum(terms) => (self.sum(terms), Strength::Sum),
            Term::Product(x, y) if **x == Term::Integer(-1) => {
                (format!("-{}", whole(y)), Strength::Sum)
            }
            Term::Product(x, y) => (pair(x, '*', y), Strength::Product),
            Term::FloorDiv(x, y) => (pair(x, '/', y), Strength::Product),
            Term::Mod(x, y) => (pair(x, '%', y), Strength::Product),
            Term::Min(x, y) => (call("min", x, y), Strength::Whole),
            Term::Max(x, y) => (call("max", x, y), Strength::Whole),
            // In hints only, which are not exported.
            Term::Lo(_) | Term::Hi(_) => (self.0.name_of(term).to_owned(), Strength::Whole),
        };
        if strength < within {
            format!("({text})")
        } else {
            text
        }
    }

    fn sum(&self, terms: &[Term]) -> String {
        let mut text = String::new();
        for (index, term) in terms.iter().enumerate() {
            match term {
                _ if index == 0 => text.push_str(&self.term(term, Strength::Sum)),
                Term::Product(x, y) if **x == Term::Integer(-1) => {
                    let _ = write!(text, " - {}", self.term(y, Strength::Product));
                }
                Term::Integer(value) if *value < 0 => {
                    let _ = write!(text, " - {}", value.unsigned_abs());
                }
                _ => {
                    let _ = write!(text, " + {}", self.term(term, Strength::Product));
                }
            }
        }
        text
    }
}
