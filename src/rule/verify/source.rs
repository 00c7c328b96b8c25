//! The text that determines which rules fire: rule files, and the lock that states which of them are proved.

use super::lock::{Lock, SHIPPED};
use crate::rule::RuleSet;
use crate::text::{Error, ErrorKind};

/// Rule files and their lock, as text.
#[derive(Clone, Copy, Debug)]
pub struct Source<'t> {
    /// The names of the files and their texts, in the order in which their rules are tried.
    pub files: &'t [(&'t str, &'t str)],
    /// The lock.
    pub lock: &'t str,
}

impl Source<'static> {
    /// The built-in files and the built-in lock.
    pub const SHIPPED: Source<'static> = Source { files: crate::rule::set::SHIPPED, lock: SHIPPED };
}

impl Source<'_> {
    /// Parses the rules and checks each against the lock.
    ///
    /// # Errors
    /// [`ErrorKind::Rule`] if a rule differs from the one that was proved; if a file does not parse.
    pub fn rules(&self) -> Result<RuleSet, Error> {
        let (rules, lock) = (RuleSet::of_files(self.files)?, Lock::read(self.lock)?);
        match rules.rules().iter().find(|rule| !lock.trusts(rule)) {
            None => Ok(rules),
            Some(rule) => {
                let message = format!(
                    "the rule '{}' ({}:{}) is not the one that was proved",
                    rule.name, rule.file, rule.line
                );
                Err(Error::without_span(ErrorKind::Rule, message)
                    .hint("prove it and renew the lock: affinor rules lock"))
            }
        }
    }

    /// Returns a 64-bit hash of these texts and of `data`. It covers the lock entries that [`rules`](Source::rules) reads, but
    /// not the verdicts of further judges.
    #[must_use]
    pub fn hash(&self, data: &[u8]) -> u64 {
        let texts = self.files.iter().flat_map(|(name, text)| [*name, *text]);
        let texts = texts.chain(self.lock.lines().map(|line| {
            // The entry of a rule up to Z3's verdict; nothing of other lines.
            line.rsplit_once(" cvc5=").map_or("", |(entry, _)| entry)
        }));
        let hash = texts.fold(0, |hash, text| mixed(hash, text.as_bytes()));
        mixed(hash, data)
    }
}

/// Mixes bytes and their number into a hash, eight bytes at a time, in the same way on every machine. It detects texts that
/// changed without an update, but does not protect against deliberate collisions.
fn mixed(hash: u64, bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let ends = [last, (bytes.len() as u64).to_le_bytes()];
    words.iter().chain(&ends).fold(hash, |hash, word| {
        let word = u64::from_le_bytes(*word);
        (hash.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95)
    })
}
