//! The parts of an export: files, and rules with hashes and verdicts.

use affinor::rule::Rule;
use affinor::rule::verify::Lock;
use affinor::text::{Error, ErrorKind};

/// A file of an export.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct File {
    /// Path relative to the export directory, separated by `/`.
    pub path: String,
    /// Contents of the file.
    pub text: String,
}

pub(super) fn file(path: impl Into<String>, text: impl Into<String>) -> File {
    File { path: path.into(), text: text.into() }
}

/// Comments with the hashes of a rule and of its scripts.
pub(super) fn hash_lines(comment: &str, hashes: Option<&[String; 2]>) -> String {
    let lines = |[rule, scripts]: &[String; 2]| {
        format!("{comment} rule-sha256 {rule}\n{comment} scripts-sha256 {scripts}\n")
    };
    hashes.map(lines).unwrap_or_default()
}

/// A rule with the facts of its lock entry.
pub(super) struct Known<'a> {
    pub(super) rule: &'a Rule,
    /// SHA-256 of the rule, and of the scripts that prove it.
    pub(super) hashes: [String; 2],
    /// Verdicts of Z3 and cvc5 on these scripts.
    pub(super) verdicts: [String; 2],
}

impl Known<'_> {
    /// Looks a rule up in the lock.
    ///
    /// # Errors
    /// If the lock has no entry for the rule in its current form.
    pub(super) fn of<'a>(rule: &'a Rule, lock: &Lock) -> Result<Known<'a>, Error> {
        let entry = lock.entries.get(&rule.name).filter(|_| lock.trusts(rule));
        let Some(entry) = entry else {
            let message =
                format!("the rule '{}' is not one of those that were proved and locked", rule.name);
            return Err(Error::without_span(ErrorKind::Rule, message).hint(
                "only proved rules are exported: add yours with `rule`, or with `rule --law`",
            ));
        };
        Ok(Known {
            rule,
            hashes: [entry.rule.clone(), entry.scripts.clone()],
            verdicts: [entry.z3.clone(), entry.cvc5.clone()],
        })
    }
}
