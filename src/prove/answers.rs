//! The solver's answers to the scripts of a question: tiles, reads and ends of one map ask the same script again and again.
//!
//! Law: the answer to a script depends on its text and the solver's steps alone, and more steps do not change an answer that was
//! reached with fewer. So no verdict depends on the answers that are kept.

use super::problem::TextAnswer;
use super::{Reason, decide_text};
use crate::num::Interrupt;
use rustc_hash::FxHashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Maximum length of all scripts that are kept, in bytes; then they are dropped.
const KEPT: usize = 1 << 24;

/// Answers that all clones of a budget share.
#[derive(Clone, Default)]
pub struct Answers(Option<Arc<Mutex<Kept>>>);

#[derive(Default)]
struct Kept {
    length: usize,
    /// By script: the steps that were allowed, and the answer.
    answers: FxHashMap<String, (u32, TextAnswer)>,
}

impl Answers {
    /// Keeps no answer.
    pub const NONE: Answers = Answers(None);

    /// Keeps answers.
    #[must_use]
    pub fn kept() -> Answers {
        Answers(Some(Arc::default()))
    }

    /// Returns the answer of [`decide_text`] to a script whose constants have no requested values.
    pub(super) fn decide(
        &self,
        script: String,
        steps: u32,
        interrupt: Option<&Interrupt>,
    ) -> TextAnswer {
        if let Some(known) = self.lock().and_then(|kept| kept.find(&script, steps)) {
            return known;
        }
        let answer = decide_text(&script, &[], steps, interrupt);
        if answer != TextAnswer::Unknown(Reason::Interrupted)
            && let Some(mut kept) = self.lock()
        {
            kept.keep(script, steps, &answer);
        }
        answer
    }

    fn lock(&self) -> Option<MutexGuard<'_, Kept>> {
        // A lock poisoned by a panic guards a table that is always consistent.
        Some(self.0.as_ref()?.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Kept {
    fn find(&self, script: &str, steps: u32) -> Option<TextAnswer> {
        let (allowed, answer) = self.answers.get(script)?;
        let is_reached = !matches!(answer, TextAnswer::Unknown(_)) && *allowed <= steps;
        (is_reached || *allowed == steps).then(|| answer.clone())
    }

    fn keep(&mut self, script: String, steps: u32, answer: &TextAnswer) {
        if self.length + script.len() > KEPT {
            *self = Kept::default();
        }
        self.length += script.len();
        self.answers.insert(script, (steps, answer.clone()));
    }
}

impl fmt::Debug for Answers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Answers::kept()" } else { "Answers::NONE" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPEN: TextAnswer = TextAnswer::Unknown(Reason::SolverSteps(100));

    /// Keeps an answer that was reached, or not, in 100 steps, and asks for it.
    #[track_caller]
    fn check(answer: &TextAnswer, script: &str, steps: u32, is_known: bool) {
        let mut kept = Kept::default();
        kept.keep("(check-sat)".to_owned(), 100, answer);
        assert_eq!(kept.find(script, steps), is_known.then(|| answer.clone()));
    }

    #[test]
    fn an_answer_is_known_if_the_solver_would_give_it() {
        check(&TextAnswer::Unsatisfiable, "(check-sat)", 100, true);
        check(&TextAnswer::Unsatisfiable, "(check-sat)", 101, true);
        check(&TextAnswer::Unsatisfiable, "(check-sat)", 99, false);
        check(&TextAnswer::Unsatisfiable, "(check-sat) ", 100, false);
        check(&OPEN, "(check-sat)", 100, true);
        check(&OPEN, "(check-sat)", 101, false);
        check(&OPEN, "(check-sat)", 99, false);
    }

    #[test]
    fn the_scripts_that_are_kept_have_a_greatest_length() {
        let mut kept = Kept::default();
        for script in ["a", "b"].map(|letter| letter.repeat(KEPT / 2 + 1)) {
            kept.keep(script.clone(), 100, &OPEN);
            assert_eq!(kept.find(&script, 100), Some(OPEN));
            assert!(kept.length <= KEPT && kept.answers.len() == 1);
        }
    }
}
