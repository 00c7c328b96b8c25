//! The result of learning: a rule, or the reason why none was found.

use affinor::expr::IndexingMap;
use affinor::rule::Rule;

/// A rule, with the parts of the example that it relates.
#[derive(Clone, Debug)]
pub struct Learned {
    /// The rule, proved.
    pub rule: Rule,
    /// The part of the example that the rule rewrites, and the result.
    pub parts: [IndexingMap; 2],
}

/// The reason why nothing was learnt.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Missed {
    /// The example has named sizes, or a number that overflows.
    #[error("it has named sizes, or numbers that do not fit")]
    NotIntegers,
    /// Both sides are the same once sums are collected.
    #[error("they are the same once sums are collected")]
    Same,
    /// No point of the domain was found.
    #[error("no point of the domain was found")]
    NoPoint,
    /// The fuel was spent, or the work was interrupted.
    #[error("stopped before a rule was found")]
    Stopped,
    /// Every candidate is false or was not proved.
    #[error("no rule of the forms that are tried explains it")]
    NotFound,
}
