//! The shipped rules, precompiled: parsing, checking and compiling their text takes ten times as long as simplifying most maps.
//!
//! `rules/compiled.bin` is a hash followed by a [`Program`]. The hash covers the texts that the program was compiled from, and
//! the encoded program. The data is used only if the hash matches the built-in texts; otherwise the texts are compiled, so the
//! texts always determine the rules. The data does not track changes to the compiling code: a test compares it with a fresh
//! compilation.

use super::{Program, Simplifier};
use crate::rule::verify::Source;
use crate::text::{Error, ErrorKind};
use std::sync::OnceLock;

/// The shipped rules, compiled; `affinor rules lock` writes it.
const COMPILED: &[u8] = include_bytes!("../../rules/compiled.bin");

impl Program {
    /// Returns the program of these texts: the one in `data` if it was compiled from them, otherwise freshly compiled.
    ///
    /// # Errors
    /// The errors of [`of_text`](Program::of_text).
    pub fn of(source: &Source<'_>, data: &[u8]) -> Result<Program, Error> {
        Program::decoded(source, data).map_or_else(|| Program::of_text(source), Ok)
    }

    /// Reads rules, checks them against their lock and compiles them.
    ///
    /// # Errors
    /// If a file does not parse, a rule differs from the one that was proved, or a rule that normalizes quotients cannot be
    /// matched, or does not decrease the termination measure.
    pub fn of_text(source: &Source<'_>) -> Result<Program, Error> {
        Program::compile(source.rules()?)
    }

    /// Encodes the program of these texts, so that [`decoded`](Program::decoded) can restore it.
    ///
    /// # Errors
    /// The errors of [`of_text`](Program::of_text).
    pub fn encoded(source: &Source<'_>) -> Result<Vec<u8>, Error> {
        let program = postcard::to_allocvec(&Program::of_text(source)?);
        let program = program.map_err(|error| {
            Error::without_span(ErrorKind::Rule, format!("the rules cannot be decoded: {error}"))
        })?;
        let mut data = source.hash(&program).to_le_bytes().to_vec();
        data.extend(program);
        Ok(data)
    }

    /// Returns the program in `data`, if it was compiled from these texts, whose rules were checked at that time.
    #[must_use]
    pub fn decoded(source: &Source<'_>, data: &[u8]) -> Option<Program> {
        let (hash, program) = data.split_first_chunk()?;
        let is_theirs = u64::from_le_bytes(*hash) == source.hash(program);
        is_theirs.then(|| postcard::from_bytes(program).ok())?
    }
}

impl Simplifier {
    /// Returns the simplifier with the shipped rules, created once per process. Their proofs are trusted by hash.
    ///
    /// # Errors
    /// If a shipped rule file does not load, or has a rule that differs from the one that was proved; a test excludes this.
    pub fn shipped() -> Result<Simplifier, Error> {
        static SHIPPED: OnceLock<Result<Simplifier, Error>> = OnceLock::new();
        let made = || Program::of(&Source::SHIPPED, COMPILED).map(Simplifier::of_program);
        SHIPPED.get_or_init(made).clone()
    }
}
