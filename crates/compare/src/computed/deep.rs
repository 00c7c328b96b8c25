//! Comparisons that lie too deep for one recursion: they are made first, and then the one that they belong to.
//!
//! Law: a comparison that was given up on the way is not remembered.

use super::parts::Deep;
use super::values::Computed;
use super::verdict::Verdict;

/// Most comparisons that are waited for, one for the other.
const WAITING: usize = 60;

impl Computed<'_> {
    /// The same as [`Computed::same`], however many operations stand between.
    pub(super) fn same_in_turn(&mut self, first: Deep) -> Verdict {
        let mut waiting = vec![first];
        let mut turns = 0;
        loop {
            let Some(Deep { sizes, views, without }) = waiting.last() else {
                return Verdict::open("there is nothing to compare");
            };
            let (sizes, views, without) = (sizes.clone(), views.clone(), without.clone());
            let verdict = self.same(&sizes, views, without.as_ref());
            turns += 1;
            match self.deep.take() {
                Some(_) if turns > WAITING => {
                    return Verdict::open("there are too many operations");
                }
                Some(deep) => waiting.push(deep),
                None => {
                    waiting.pop();
                    if waiting.is_empty() {
                        return verdict;
                    }
                }
            }
        }
    }
}
