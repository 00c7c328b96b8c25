//! Comparisons that are nested too deeply for one recursion: the inner comparison is made first, then the one that needs it.
//!
//! Law: the verdict of a comparison that was abandoned on the way is not remembered.

use super::parts::Deep;
use super::values::Computed;
use super::verdict::Verdict;

/// Maximum number of postponed comparisons.
const WAITING: usize = 60;

impl Computed<'_> {
    /// Compares like [`Computed::same`], however many operations are in between.
    pub(super) fn same_in_turn(&mut self, first: Deep) -> Verdict {
        if self.sampled.begin(first.clone()) {
            // A difference of these results may be one that values ruled out.
            self.known.forget_open();
            self.made.retain(|_, verdict| verdict.is_same());
        }
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
