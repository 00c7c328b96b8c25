//! The dependences of a fold on its initial states and on the elements that it combines.
//!
//! A computation of `2 * n` parameters combines `n` states with an element of each of `n` inputs. One step computes
//! result `i` from the states and elements that the computation uses for it; over several steps dependences compose.

use super::access::Access;
use super::op::{NoDefinition, Op};
use std::collections::BTreeSet;

/// Maximum number of steps that are followed one by one to a fixpoint.
const FOLLOWED: i64 = 64;

const ORDER: &str = "the order of combining elements is implementation-defined";
const UNKNOWN: &str = "the computation may leave an operand unused";

/// For each result, the numbers of the states or elements that it uses.
type Uses = Vec<BTreeSet<usize>>;

/// The dependences of one step of a fold.
pub(super) struct Combiner {
    states: Uses,
    elements: Uses,
    /// Whether all dependences hold for any values.
    is_exact: bool,
}

/// The dependences of a fold in any order: the same on inputs and initial values.
pub(super) struct Folded {
    possible: Uses,
    certain: Uses,
}

impl Combiner {
    /// Analyses `op` with `n` inputs. A missing computation is taken to use all its parameters.
    pub(super) fn of(op: &Op<'_>, attribute: &str, n: usize) -> Result<Combiner, NoDefinition> {
        let Some(used) = op.used(attribute)? else {
            let all: Uses = vec![(0..n).collect(); n];
            return Ok(Combiner { states: all.clone(), elements: all, is_exact: n == 1 });
        };
        if used.parts.len() != n {
            return Err(op.invalid("the computation must have a result for each input"));
        }
        let among = |first: usize| -> Uses {
            let own = |used: &BTreeSet<usize>| {
                let own = used.range(first..first + n);
                own.map(|parameter| parameter - first).collect()
            };
            used.parts.iter().map(own).collect()
        };
        Ok(Combiner { states: among(0), elements: among(n), is_exact: used.is_exact })
    }

    /// Returns whether result `part` of a step certainly depends on state `input`.
    pub(super) fn uses_state(&self, part: usize, input: usize) -> bool {
        self.is_exact && self.states[part].contains(&input)
    }

    /// Returns whether result `part` of a step certainly depends on the element of input `input`.
    pub(super) fn uses_element(&self, part: usize, input: usize) -> bool {
        self.is_exact && self.elements[part].contains(&input)
    }

    /// Returns the states that result `part` may depend on after one step, or after any number of steps.
    pub(super) fn states(&self, part: usize, one_step: bool) -> BTreeSet<usize> {
        let mut found = self.states[part].clone();
        let mut pending: Vec<usize> = match one_step {
            true => Vec::new(),
            false => found.iter().copied().collect(),
        };
        while let Some(state) = pending.pop() {
            for further in &self.states[state] {
                if found.insert(*further) {
                    pending.push(*further);
                }
            }
        }
        found
    }

    /// Returns the inputs whose elements result `part` may depend on after one step, or after any number of steps.
    pub(super) fn elements(&self, part: usize, one_step: bool) -> BTreeSet<usize> {
        let mut found = self.elements[part].clone();
        if !one_step {
            let through = self.states(part, false).into_iter();
            found.extend(through.flat_map(|state| &self.elements[state]));
        }
        found
    }

    /// Returns the dependences of a fold of `count >= 1` elements and an initial value. The order is unspecified, and so is the
    /// side on which an element is combined: an element combined with the rest in `t` steps is needed if each chain of `t` uses
    /// is.
    pub(super) fn folded(&self, count: i64) -> Folded {
        let sides = || self.states.iter().zip(&self.elements);
        let either: Uses = sides().map(|(s, e)| s | e).collect();
        let both: Uses = sides().map(|(s, e)| s & e).collect();
        let (mut possible, mut certain) = (either.clone(), both.clone());
        let (mut some, mut all) = (either.clone(), both.clone());
        let mut seen = vec![(some.clone(), all.clone())];
        let mut steps = 1;
        while steps < count {
            (some, all) = (after(&some, &either), after(&all, &both));
            if seen.contains(&(some.clone(), all.clone())) {
                steps = count;
                break; // from here on, the needs repeat
            }
            if steps == FOLLOWED {
                break;
            }
            possible.iter_mut().zip(&some).for_each(|(x, y)| x.extend(y));
            certain.iter_mut().zip(&all).for_each(|(x, y)| *x = &*x & y);
            seen.push((some.clone(), all.clone()));
            steps += 1;
        }
        if steps < count {
            let n = self.states.len();
            possible = vec![(0..n).collect(); n];
        }
        if steps < count || !self.is_exact {
            certain.iter_mut().for_each(BTreeSet::clear);
        }
        Folded { possible, certain }
    }

    /// Returns why some dependences may not be real.
    pub(super) fn reason(&self) -> &'static str {
        match self.is_exact {
            true => ORDER,
            false => UNKNOWN,
        }
    }
}

impl Folded {
    /// Returns the inputs, and initial values, that result `part` may need.
    pub(super) fn needs(&self, part: usize) -> &BTreeSet<usize> {
        &self.possible[part]
    }

    /// Returns `access`, from result `part` to input `input` or its initial value, with the certainty of the dependence.
    pub(super) fn judge(
        &self,
        combiner: &Combiner,
        (part, input): (usize, usize),
        access: Access,
    ) -> Access {
        access.at_most_unless(self.certain[part].contains(&input), combiner.reason())
    }
}

/// Composes dependences.
fn after(first: &Uses, then: &Uses) -> Uses {
    let through = |used: &BTreeSet<usize>| used.iter().flat_map(|k| &then[*k]).copied().collect();
    first.iter().map(through).collect()
}
