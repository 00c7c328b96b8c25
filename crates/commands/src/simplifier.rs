//! The simplifier of a session, with its search budget.

use super::arguments::Argument;
use super::failure::Failure;
use super::option::{Setting, positive};
use super::session::Session;
use super::table::{Call, Switch};
use affinor::simplify::{Effort, Options, Simplifier};
use affinor::text::{Error, ErrorKind};

/// Search budget, in steps.
pub(super) const STEPS: Setting<u64> =
    Setting::new("steps", "COUNT", "search budget per result, in steps (default 600)", positive);

/// Search effort.
pub(super) const EFFORT: Setting<Effort> = Setting::new(
    "effort",
    "0|1|2",
    "0: the strategy alone; 1: then a bounded saturation (default); 2: then a long one",
    effort,
);

pub(super) fn effort(_: &Switch, given: &Argument) -> Result<Effort, Failure> {
    match given.text.as_str() {
        "0" => Ok(Effort::Strategy),
        "1" => Ok(Effort::Bounded),
        "2" => Ok(Effort::Long),
        _ => Err(given.wrong(ErrorKind::Usage, "--effort takes 0, 1 or 2")),
    }
}

impl Session {
    /// Returns the simplifier without the added rules and with all other rules enabled: it uses the built-in rules, or those
    /// of a checkout that were proved in this session.
    ///
    /// # Errors
    /// If the shipped rules do not load.
    pub(super) fn base(&self) -> Result<Simplifier, Error> {
        match &self.locked {
            Some(locked) => Ok(locked.simplifier.clone()),
            None => Simplifier::shipped(),
        }
    }
}

impl Call<'_> {
    /// Returns the search budget of this command.
    ///
    /// # Errors
    /// If `--steps` is not a positive integer.
    pub fn search_options(&self) -> Result<Options, Failure> {
        Ok(Options {
            steps: self.value(&STEPS)?.unwrap_or(Options::default().steps),
            effort: self.value(&EFFORT)?.unwrap_or(Effort::Bounded),
            interrupt: self.host.interrupt(),
            ..Options::default()
        })
    }

    /// Returns the simplifier with the built-in rules, or those that `rules lock` proved, and those that the session added,
    /// without the disabled ones.
    ///
    /// # Errors
    /// If a shipped rule file does not load.
    pub fn simplifier(&self) -> Result<Simplifier, Failure> {
        let simplifier = self.uncounted_simplifier()?;
        Ok(simplifier.counting(&self.session.tally))
    }

    /// Returns the same simplifier, without counting its firings for the session.
    ///
    /// # Errors
    /// If a shipped rule file does not load.
    pub(super) fn uncounted_simplifier(&self) -> Result<Simplifier, Failure> {
        if let Some(simplifier) = &self.session.simplifier {
            return Ok(simplifier.clone());
        }
        self.session.base().map_err(|error| self.failed(error))
    }
}
