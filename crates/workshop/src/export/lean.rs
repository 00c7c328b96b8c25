//! Exports rules as theorems of Lean 4, without libraries.
//!
//! Each proof of `proof` becomes steps whose side conditions and final goals are linear in the quotients and products that the
//! steps name; `omega` decides these. A rule without a proof is listed but not exported.

use super::beside;
use super::parts::{File, Known, file, hash_lines};
use super::proof::{NO_PROOF, Proofs};
use super::theorem::{Dialect, Writer, identifier};
use affinor::rule::verify::{BUDGET, Cases, Fact, Step};
use affinor::rule::{Notation, Rule};
use affinor::text::Error;
use std::fmt::Write;

pub(super) fn files(rules: &[Known<'_>], false_rules: &[Rule]) -> Result<Vec<File>, Error> {
    let proofs = Proofs::shipped();
    let mut text = format!("{UNCHECKED}{HEAD}");
    let mut missing = Vec::new();
    for known in rules {
        match proofs.of(known.rule, &BUDGET)? {
            Some(steps) => text.push_str(&theorem(known.rule, Some(&known.hashes), &steps)),
            None => missing.push((known.rule.name.as_str(), NO_PROOF)),
        }
    }
    text.push_str("\nend Affinor\n");
    let mut wrong = format!("{UNCHECKED}{FALSE_HEAD}");
    for rule in false_rules {
        wrong.push_str(&theorem(rule, None, &[]));
    }
    wrong.push_str("\nend Affinor\n");
    let mut files = beside::files_of_theorems(rules, false_rules, &missing);
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
    Ok(files)
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

const DIALECT: Dialect = Dialect {
    and: "∧",
    iff: "↔",
    less_equal: "≤",
    terms: Notation {
        times: " * ",
        floordiv: " / ",
        modulo: " % ",
        min: "min",
        max: "max",
        is_curried: true,
    },
    numerals_of: Some("Int"), // otherwise they are `Nat`
};

fn theorem(rule: &Rule, hashes: Option<&[String; 2]>, steps: &[Step]) -> String {
    let writer = Writer { rule, dialect: &DIALECT };
    let mut text = format!("\n-- {}\n", rule.purpose);
    text.push_str(&hash_lines("--", hashes));
    let names: Vec<&str> = rule.variables().map(String::as_str).collect();
    // Writing to a string cannot fail.
    let _ = write!(text, "theorem {} ({} : Int)", identifier(&rule.name), names.join(" "));
    for (index, condition) in rule.conditions.iter().enumerate() {
        let _ = write!(text, " (cond{} : {})", index + 1, writer.comparison(condition));
    }
    let _ = writeln!(text, " :\n    {} := by", writer.statement());
    Script { writer, text: &mut text, known: 0 }.steps(steps, "  ", "  ");
    text
}

/// Writes a proof.
struct Script<'s> {
    writer: Writer<'s>,
    text: &'s mut String,
    known: usize,
}

impl Script<'_> {
    /// Writes steps, the first after `head`, the others after `indent`.
    fn steps(&mut self, steps: &[Step], head: &str, indent: &str) {
        let mut start = head;
        for step in steps {
            match step {
                Step::Known(fact, x, y) => {
                    self.known += 1;
                    let [x, y] = [x, y].map(|term| self.writer.whole(term));
                    let sides = match fact {
                        Fact::Quotient | Fact::Zero => "(by linear)",
                        Fact::Nonneg => "(by linear) (by linear)",
                        Fact::Never => "(by linear) (by intro _ _; linear)",
                    };
                    self.line(
                        start,
                        &format!("have known{} := {} {x} {y} {sides}", self.known, fact.name()),
                    );
                }
                Step::Otherwise => {
                    self.line(start, "apply Decidable.byContradiction; intro otherwise")
                }
                Step::Cases(cases, both) => {
                    let (split, intro) = match cases {
                        Cases::Ways => ("constructor".to_owned(), "intro way"),
                        Cases::Parts => ("constructor".to_owned(), ""),
                        Cases::Sides => (
                            "refine Int.le_antisymm (Int.not_lt.mp ?_) (Int.not_lt.mp ?_)"
                                .to_owned(),
                            "intro side",
                        ),
                        Cases::Order(x, y) => {
                            let [x, y] = [x, y].map(|term| self.writer.whole(term));
                            (format!("by_cases order : {x} ≤ {y}"), "")
                        }
                    };
                    self.line(start, &split);
                    let deeper = format!("{indent}  ");
                    let bullet = format!("{indent}· ");
                    for case in both {
                        match intro {
                            "" => self.steps(case, &bullet, &deeper),
                            intro => {
                                self.line(&bullet, intro);
                                self.steps(case, &deeper, &deeper);
                            }
                        }
                    }
                    return;
                }
            }
            start = indent;
        }
        self.line(start, "linear");
    }

    fn line(&mut self, start: &str, words: &str) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.text, "{start}{words}");
    }
}
