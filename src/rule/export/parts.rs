//! What an export is made of: files, and rules with what is known of them.

use crate::rule::Rule;
use crate::rule::verify::Lock;
use crate::text::{Error, ErrorKind};

/// A file of an export.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct File {
    /// Path in the directory of the export; its parts are separated by `/`.
    pub path: String,
    /// What is in it.
    pub text: String,
}

pub(super) fn file(path: impl Into<String>, text: impl Into<String>) -> File {
    File {
        path: path.into(),
        text: text.into(),
    }
}

/// A rule with what is known of it.
pub(super) struct Known<'a> {
    pub(super) rule: &'a Rule,
    /// SHA-256 of the rule, and of the scripts that prove it.
    pub(super) hashes: [String; 2],
    /// What Z3 and cvc5 say of these scripts.
    pub(super) verdicts: [String; 2],
}

impl Known<'_> {
    /// What the lock has of a rule; an error if it does not have the rule as it stands.
    pub(super) fn of<'a>(rule: &'a Rule, lock: &Lock) -> Result<Known<'a>, Error> {
        let entry = lock.entries.get(&rule.name).filter(|_| lock.trusts(rule));
        let Some(entry) = entry else {
            let message = format!(
                "the rule '{}' is not one of those that were proved and locked",
                rule.name
            );
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
