//! Rule sets for other systems, which check them themselves.
//!
//! Law: each format is written from the one set of rules, and of each rule it carries the hash that
//! `rules/PROOFS.lock` has. An export is a directory that needs nothing of this project: its README says what the
//! text means, a script in it checks it, and laws that are *false* come with it, which that check must refuse.
//!
//! `SHA256SUMS` lists every other file, so a changed byte is noticed.
//!
//! In order: `parts`; `json`, whose manifests stand `beside` what `halide`, `rare` and `lean` write; `smtlib`; and `firing`,
//! on which the exports for e-graphs rest (`egg_*`, `egglog*`).

mod beside;
mod egg_code;
mod egg_instance;
mod egg_package;
mod egglog;
mod egglog_code;
mod firing;
mod halide;
mod json;
mod lean;
mod parts;
mod rare;
mod smtlib;

pub use parts::File;

use crate::rule::verify::{self, Lock};
use crate::rule::{Rule, read_rules};
use crate::text::Error;
use parts::{Known, file};
use std::fmt::Write;

/// What an export is written for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// A manifest, for any program; checked by evaluation.
    Json,
    /// Obligations, for any SMT solver.
    Smtlib,
    /// Lines of rewrites, as Halide's simplifier has them; checked by evaluation.
    Halide,
    /// cvc5's language of rewrite rules; checked by a reader and by evaluation.
    Rare,
    /// Theorems; checked by Lean 4, and what they state by a reader and by evaluation.
    Lean,
    /// A crate of rewrites for egg.
    Egg,
    /// A program for egglog.
    Egglog,
}

impl Format {
    /// All of them.
    pub const ALL: &'static [Format] = &[
        Format::Json,
        Format::Smtlib,
        Format::Halide,
        Format::Rare,
        Format::Lean,
        Format::Egg,
        Format::Egglog,
    ];

    /// The word for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Format::Json => "json",
            Format::Smtlib => "smtlib",
            Format::Halide => "halide",
            Format::Rare => "rare",
            Format::Lean => "lean",
            Format::Egg => "egg",
            Format::Egglog => "egglog",
        }
    }

    /// The format with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Format> {
        Format::ALL
            .iter()
            .copied()
            .find(|format| format.name() == name)
    }
}

/// The files of an export of `rules`, in the order of their paths.
///
/// # Errors
/// [`crate::text::ErrorKind::Rule`] if one of them is not in `lock` as it stands: nothing is exported that was not proved.
pub fn export(format: Format, rules: &[Rule], lock: &Lock) -> Result<Vec<File>, Error> {
    let known = rules.iter().map(|rule| Known::of(rule, lock));
    let known: Vec<Known<'_>> = known.collect::<Result<_, _>>()?;
    let false_rules = read_rules("refuted.rules", REFUTED)?;
    let mut files = match format {
        Format::Egg => egg_package::files(&known, &false_rules),
        Format::Egglog => egglog::files(&known, &false_rules),
        Format::Json => json::files(&known, &false_rules),
        Format::Smtlib => smtlib::files(&known, &false_rules)?,
        Format::Halide => halide::files(&known, &false_rules),
        Format::Rare => rare::files(&known, &false_rules),
        Format::Lean => lean::files(&known, &false_rules),
    };
    files.sort_by(|x, y| x.path.cmp(&y.path));
    let mut sums = String::new();
    for file in &files {
        // Writing to a string cannot fail.
        let _ = writeln!(
            sums,
            "{}  {}",
            verify::sha256(file.text.as_bytes()),
            file.path
        );
    }
    files.push(file("SHA256SUMS", sums));
    Ok(files)
}

/// Laws that look true and are not: what a check must refuse.
const REFUTED: &str = include_str!("../../../rules/refuted.rules");
