//! The progress of a discovery run, from which it can be resumed.

use affinor::expr::IndexingMap;
use affinor::prove::Budget;
use affinor::rule::verify::{Verdict, judge};
use affinor::rule::{Rule, read_rule};
use affinor::text::{Error, ErrorKind};
use serde::{Deserialize, Serialize};

/// The number of candidates with each outcome.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Counts {
    /// Rules that enumeration or the corpora suggested.
    pub candidates: usize,
    /// Candidates that the earlier rules already derive.
    pub derivable: usize,
    /// Candidates that are false at some point.
    pub refuted: usize,
    /// Candidates that are neither proved nor refuted.
    pub open: usize,
    /// Candidates that were proved but cannot fire, or were not seen to.
    pub silent: usize,
    /// Candidates that were proved and fire, but make no expression of the corpora smaller.
    pub needless: usize,
}

/// The progress of a run.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct State {
    /// A description of the run's input: the run resumes only if it is the same.
    pub about: String,
    /// The phase: definitions, left sides of each size, rounds over the corpora.
    pub phase: usize,
    /// The number of finished items of the phase.
    pub done: usize,
    /// The number of rules at the start of each phase so far.
    pub starts: Vec<usize>,
    /// Steps of fuel spent so far.
    pub spent: u64,
    /// The number of candidates with each outcome.
    pub counts: Counts,
    /// The first open candidates.
    pub open: Vec<String>,
    /// The rules so far.
    pub kept: Vec<Saved>,
}

/// A rule of an earlier run, as text.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Saved {
    /// The rule.
    pub rule: String,
    /// The map that it was learnt from.
    pub from: String,
    /// The simplified map.
    pub to: String,
}

/// A discovered rule.
#[derive(Clone, Debug)]
pub struct Kept {
    /// The rule.
    pub rule: Rule,
    /// Its text.
    pub text: String,
    /// The expression that the rule was learnt from, and its simplified form.
    pub example: [IndexingMap; 2],
    /// The indices of the expressions that are larger without the rule.
    pub cases: Vec<usize>,
    /// The number of operations that the rule saves over all expressions.
    pub saves: i64,
    /// The number of additional steps over all expressions; negative if the rule saves steps.
    pub costs: i64,
}

impl Saved {
    pub(super) fn of(kept: &Kept) -> Saved {
        let [from, to] = kept.example.each_ref().map(ToString::to_string);
        let rule = kept.text.clone();
        Saved { rule, from, to }
    }

    /// Parses a rule and proves it again: a state file is not trusted.
    ///
    /// # Errors
    /// If the rule cannot be parsed, or is not proved.
    pub(super) fn read(&self, budget: &Budget) -> Result<Kept, Error> {
        let rule = read_rule(&self.rule)?;
        if judge(&rule, budget) != Verdict::Proved {
            let message = format!("'{}' is not proved", rule.name);
            return Err(Error::without_span(ErrorKind::Rule, message));
        }
        Ok(Kept {
            text: self.rule.clone(),
            rule,
            example: [self.from.parse()?, self.to.parse()?],
            cases: Vec::new(),
            saves: 0,
            costs: 0,
        })
    }
}
