//! The simplifier of a session, and how far its search may go.

use super::failure::Failure;
use super::table::{Call, Switch};
use crate::rule::verify::proved_rules;
use crate::simplify::{Budget, Effort, Simplifier};
use crate::text::{Error, ErrorKind};
use std::sync::OnceLock;

/// The simplifier with the shipped rules, compiled once per process. Their proofs are trusted by hash.
///
/// # Errors
/// If a shipped rule file does not load, or has a rule that is not the one that was proved.
pub(super) fn shipped_simplifier() -> Result<Simplifier, Error> {
    static SHIPPED: OnceLock<Result<Simplifier, Error>> = OnceLock::new();
    SHIPPED
        .get_or_init(|| Simplifier::new(proved_rules()?))
        .clone()
}

/// How far the search for simpler forms may go.
pub(super) const STEPS: Switch = Switch::value(
    "steps",
    "COUNT",
    "search budget per result, in steps (default 600)",
);

/// How much is done for a small result.
pub(super) const EFFORT: Switch = Switch::value(
    "effort",
    "0|1|2",
    "0: the strategy alone; 1: then a bounded saturation (default); 2: then a long one",
);

impl Call<'_> {
    /// How far the search of this command may go.
    ///
    /// # Errors
    /// If `--steps` is no positive integer.
    pub fn search_budget(&self) -> Result<Budget, Failure> {
        Ok(Budget {
            steps: self.positive("steps", Budget::default().steps)?,
            effort: self.effort()?,
            interrupt: self.host.interrupt(),
        })
    }

    fn effort(&self) -> Result<Effort, Failure> {
        match self
            .arguments
            .value("effort")
            .map(|given| (given, given.text.as_str()))
        {
            None | Some((_, "1")) => Ok(Effort::Bounded),
            Some((_, "0")) => Ok(Effort::Strategy),
            Some((_, "2")) => Ok(Effort::Long),
            Some((given, _)) => Err(given.wrong(ErrorKind::Usage, "--effort takes 0, 1 or 2")),
        }
    }

    /// The simplifier with the shipped rules and those that the session added, without those that it switched off.
    ///
    /// # Errors
    /// If a shipped rule file does not load.
    pub fn simplifier(&self) -> Result<Simplifier, Failure> {
        let simplifier = self.uncounted_simplifier()?;
        Ok(simplifier.counting(&self.session.tally))
    }

    /// The same, whose firings are not counted as those of the session.
    ///
    /// # Errors
    /// If a shipped rule file does not load.
    pub(super) fn uncounted_simplifier(&self) -> Result<Simplifier, Failure> {
        if let Some(simplifier) = &self.session.simplifier {
            return Ok(simplifier.clone());
        }
        shipped_simplifier().map_err(|error| self.failed(error))
    }
}
