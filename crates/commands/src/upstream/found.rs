//! The findings about a case of a line.

use super::known::Known;
use crate::failure::Failure;
use crate::table::Call;
use affinor::rule::verify::Verdict;
use affinor_workshop::upstream::{Judgement, Stated};

/// The findings about a case of a line.
pub(super) struct Found {
    pub(super) stated: Stated,
    pub(super) judgement: Judgement,
    /// Whether it is known here; determined only for true statements.
    pub(super) known: Option<Known>,
}

impl Found {
    /// Judges a case and looks it up.
    ///
    /// # Errors
    /// If the user stops it, or the rules do not load.
    pub(super) fn of(call: &Call<'_>, stated: &Stated) -> Result<Found, Failure> {
        call.go_on()?;
        let judgement = stated.judge(&call.rule_budget());
        call.go_on()?;
        let is_true = judgement.floor == Verdict::Proved && !judgement.is_vacuous;
        let known = match is_true {
            true => Some(Known::of(call, &stated.rule)?),
            false => None,
        };
        Ok(Found { stated: stated.clone(), judgement, known })
    }
}
