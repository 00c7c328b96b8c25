//! How far a run of discovery has come, to go on from there.

use affinor::expr::IndexingMap;
use affinor::prove::Budget;
use affinor::rule::verify::{Verdict, judge};
use affinor::rule::{Rule, read_rule};
use affinor::text::{Error, ErrorKind};
use serde::{Deserialize, Serialize};

/// What became of candidates.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Counts {
    /// Rules that enumeration or the corpora suggested.
    pub candidates: usize,
    /// Those that the rules before them do already.
    pub derivable: usize,
    /// Those that are false at some point.
    pub refuted: usize,
    /// Those that are neither proved nor refuted.
    pub open: usize,
    /// Those that were proved, and cannot fire or were not seen to.
    pub silent: usize,
    /// Those that were proved and fire, but make no expression of the corpora smaller.
    pub needless: usize,
}

/// How far a run has come.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct State {
    /// The subject of the run: it goes on only with the same.
    pub about: String,
    /// The phase: definitions, left sides of each size, rounds over the corpora.
    pub phase: usize,
    /// How many items of the phase are done.
    pub done: usize,
    /// How many rules there were at the start of each phase so far.
    pub starts: Vec<usize>,
    /// Steps of fuel that were spent.
    pub spent: u64,
    /// What became of candidates.
    pub counts: Counts,
    /// The first of those that are open.
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

/// A rule that was found.
#[derive(Clone, Debug)]
pub struct Kept {
    /// The rule.
    pub rule: Rule,
    /// Its text.
    pub text: String,
    /// What it was learnt from, and what that became.
    pub example: [IndexingMap; 2],
    /// The numbers of the expressions that are larger without it.
    pub cases: Vec<usize>,
    /// Operations that all expressions have more without it.
    pub saves: i64,
    /// Steps that all expressions take more with it; negative if they take fewer.
    pub costs: i64,
}

impl Saved {
    pub(super) fn of(kept: &Kept) -> Saved {
        let [from, to] = kept.example.each_ref().map(ToString::to_string);
        let rule = kept.text.clone();
        Saved { rule, from, to }
    }

    /// Reads a rule, and proves it again: a file is not believed.
    ///
    /// # Errors
    /// If it does not read, or is not proved.
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
