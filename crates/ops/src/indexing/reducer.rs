//! The dependences between the states of a variadic reduction, determined from its reducer.
//!
//! A variadic reduction keeps one state for each of its `n` results, and folds all of them by one computation with `2 n` scalar
//! parameters: states, then new elements. Result `i` reads input `j` if its own state needs that of `j`, directly or through
//! the states it needs.
//!
//! Law: a pair with [`Dependence::No`] is never read; a pair with [`Dependence::Yes`] is read by the reducer as it is written.
//! XLA may fold in any order and may swap the two arguments, so a reducer is taken to need the same of both.

use super::op::{Callee, NoMap, Op, check_parameters};
use super::reads::{Exactness, OperandMap, OperandReads, Reads};
use std::sync::Arc;

/// Whether a result needs a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Dependence {
    /// Never.
    No,
    /// The computation uses the value.
    Yes,
    /// Undecided, for this reason.
    Maybe(Arc<str>),
}

impl Dependence {
    /// Returns the union of two dependences: needed if either is.
    pub(super) fn or(&self, other: &Dependence) -> Dependence {
        match (self, other) {
            (Dependence::Yes, _) | (_, Dependence::Yes) => Dependence::Yes,
            (Dependence::No, other) => other.clone(),
            (known, _) => known.clone(),
        }
    }

    /// Weakens `Yes` to [`Dependence::Maybe`], for this reason.
    pub(super) fn at_most(&self, reason: &str) -> Dependence {
        match self {
            Dependence::Yes => Dependence::Maybe(reason.into()),
            other => other.clone(),
        }
    }

    /// Restricts `reads` to those needed under this dependence; `name` is the name of the instruction.
    pub(super) fn restrict(&self, name: &str, reads: &Reads) -> Reads {
        match (self, reads) {
            (Dependence::No, _) => Reads::NOTHING,
            (Dependence::Maybe(reason), Reads::Maps(maps)) => {
                let reason: Arc<str> = format!("`{name}`: {reason}").into();
                Reads::union(maps.iter().map(|map| OperandMap {
                    exactness: map.exactness.and(&Exactness::AtMost { reason: reason.clone() }),
                    ..map.clone()
                }))
            }
            (_, reads) => reads.clone(),
        }
    }

    /// Returns the composition of two dependences: needed if `self` is and, through it, `other`.
    fn and_then(&self, other: &Dependence) -> Dependence {
        match (self, other) {
            (Dependence::No, _) | (_, Dependence::No) => Dependence::No,
            (Dependence::Yes, other) => other.clone(),
            (known, _) => known.clone(),
        }
    }
}

/// The dependence of each of `n` results on each of `n` states: row `i`, column `j`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Needs {
    rows: Vec<Vec<Dependence>>,
}

impl Needs {
    /// Returns the needs of the computation that attribute `name` of an instruction refers to.
    pub(super) fn of_op(
        op: &Op<'_>,
        name: &str,
        n: usize,
        callee: &mut Callee<'_, '_>,
    ) -> Result<Needs, NoMap> {
        let reducer = op.instruction.computation_reference(name)?;
        match reducer.target() {
            Some(target) => {
                let (computation, reads) = callee(target)?;
                check_parameters(computation, 2 * n)?;
                Ok(Needs::of_reducer(n, &reads))
            }
            None => {
                let name = reducer.name();
                let reason =
                    format!("the reducer `{name}` is not in the text and may read every input");
                Ok(Needs::of_unknown_reducer(n, &reason))
            }
        }
    }

    /// Returns the needs of a reducer that is not in the text: with one state, the reducer is taken to need it; with several,
    /// each result may need any of them.
    pub(super) fn of_unknown_reducer(n: usize, reason: &str) -> Needs {
        let need = match n {
            1 => Dependence::Yes,
            _ => Dependence::Maybe(reason.into()),
        };
        Needs { rows: vec![vec![need; n]; n] }
    }

    /// Returns the needs of a reducer whose results read its `2 n` parameters according to `reads`.
    pub(super) fn of_reducer(n: usize, reads: &[OperandReads]) -> Needs {
        let uneven: Arc<str> = "the reducer does not treat a state and a new element alike".into();
        let need = |i: usize, j: usize| {
            let state = dependence_on(reads, i, j);
            let element = dependence_on(reads, i, n + j);
            if (state == Dependence::No) == (element == Dependence::No) {
                state.or(&element)
            } else {
                Dependence::Maybe(uneven.clone())
            }
        };
        Needs { rows: square(n, need) }
    }

    /// Returns the need of result `i` for input `j` when `count >= 1` elements are folded in any order: a value that is folded
    /// with the rest in `t` steps is certainly needed if every chain of `t` needs exists.
    pub(super) fn folded(&self, count: i64) -> Needs {
        let mut needs = self.after(count);
        let always = self.always(count);
        for (row, always) in needs.rows.iter_mut().zip(always) {
            for (need, always) in row.iter_mut().zip(always) {
                if !always {
                    *need = need.at_most("it depends on the order in which elements are folded");
                }
            }
        }
        needs
    }

    /// Returns whether input `j` is needed for result `i` by each chain of 1, 2, .. `count` needs; `false` if the chains do not
    /// become periodic within the limit.
    fn always(&self, count: i64) -> Vec<Vec<bool>> {
        const FOLLOWED: i64 = 64;
        let n = self.rows.len();
        let direct = square(n, |i, j| self.need(i, j) == Dependence::Yes);
        let (mut chains, mut always) = (direct.clone(), direct.clone());
        let mut seen = vec![direct.clone()];
        for _ in 1..count.min(FOLLOWED) {
            let chain = |i: usize, j: usize| (0..n).any(|k| chains[i][k] && direct[k][j]);
            chains = square(n, chain);
            if seen.contains(&chains) {
                return always;
            }
            for (all, now) in always.iter_mut().flatten().zip(chains.iter().flatten()) {
                *all &= now;
            }
            seen.push(chains.clone());
        }
        match count <= FOLLOWED {
            true => always,
            false => vec![vec![false; n]; n],
        }
    }

    /// Returns the possible needs of each result for each input in up to `count` steps, where `count >= 1`.
    fn after(&self, count: i64) -> Needs {
        let n = self.rows.len();
        let mut needs = self.clone();
        // A chain of needs through different states has fewer than n links; each fold adds one.
        for _ in 1..count.min(i64::try_from(n).unwrap_or(i64::MAX)) {
            let mut next = needs.clone();
            for (i, row) in next.rows.iter_mut().enumerate() {
                for (j, need) in row.iter_mut().enumerate() {
                    for k in 0..n {
                        *need = need.or(&needs.need(i, k).and_then(&self.need(k, j)));
                    }
                }
            }
            if next == needs {
                break;
            }
            needs = next;
        }
        needs
    }

    /// Returns the need of result `i` for state `j`.
    pub(super) fn need(&self, i: usize, j: usize) -> Dependence {
        let entry = self.rows.get(i).and_then(|row| row.get(j));
        entry.cloned().unwrap_or(Dependence::No)
    }
}

/// Returns a table of `n` rows with `n` entries each.
fn square<T>(n: usize, entry: impl Fn(usize, usize) -> T) -> Vec<Vec<T>> {
    let row = |i| (0..n).map(|j| entry(i, j)).collect();
    (0..n).map(row).collect()
}

/// The needs of the results of a fold whose computation does not treat states and elements alike.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Fold {
    /// The needs for states in one step.
    states: Needs,
    /// The needs for states in any number of steps.
    states_at_last: Needs,
    /// The needs for elements in one step.
    elements: Needs,
}

impl Fold {
    /// Returns the needs of the computation that attribute `name` of an instruction refers to: `n` states, then `n` elements. A
    /// computation that is not in the text is taken to need its state and element; with several of them, it may need any.
    pub(super) fn of_op(
        op: &Op<'_>,
        name: &str,
        n: usize,
        callee: &mut Callee<'_, '_>,
    ) -> Result<Fold, NoMap> {
        let computation = op.instruction.computation_reference(name)?;
        let Some(target) = computation.target() else {
            let name = computation.name();
            let reason = format!("`{name}` is not in the text and may read every element");
            let needs = Needs::of_unknown_reducer(n, &reason);
            return Ok(Fold::new(needs.clone(), needs));
        };
        let (computation, reads) = callee(target)?;
        check_parameters(computation, 2 * n)?;
        let needs =
            |first: usize| Needs { rows: square(n, |i, j| dependence_on(&reads, i, first + j)) };
        Ok(Fold::new(needs(0), needs(n)))
    }

    fn new(states: Needs, elements: Needs) -> Fold {
        Fold { states_at_last: states.after(i64::MAX), states, elements }
    }

    /// Returns the need of result `i` for state `j` in one step.
    pub(super) fn state(&self, i: usize, j: usize) -> Dependence {
        self.states.need(i, j)
    }

    /// Returns the need of result `i` for state `j` in any number of steps.
    pub(super) fn state_at_last(&self, i: usize, j: usize) -> Dependence {
        self.states_at_last.need(i, j)
    }

    /// Returns the need of result `i` for element `j` in one step.
    pub(super) fn element(&self, i: usize, j: usize) -> Dependence {
        self.elements.need(i, j)
    }

    /// Returns the need of result `i` for element `j` in any number of steps.
    pub(super) fn element_at_last(&self, i: usize, j: usize) -> Dependence {
        let through = |k: usize| self.state_at_last(i, k).and_then(&self.element(k, j));
        (0..self.elements.rows.len()).fold(self.element(i, j), |need, k| need.or(&through(k)))
    }
}

/// Returns the dependence of part `i` of a result (the result itself, unless it is a tuple) on the parameter `parameter`.
pub(super) fn dependence_on(reads: &[OperandReads], i: usize, parameter: usize) -> Dependence {
    let concerns = |entry: &&OperandReads| {
        let whole = entry.output.is_empty() && i == 0;
        entry.operand == parameter && (whole || entry.output.first() == Some(&i))
    };
    let of_entry = |entry: &OperandReads| match &entry.reads {
        Reads::Unknown { reason } => Dependence::Maybe(reason.clone()),
        Reads::Maps(maps) => match maps.iter().map(|map| &map.exactness).min() {
            None => Dependence::No,
            Some(Exactness::Exact) => Dependence::Yes,
            Some(Exactness::AtMost { reason }) => Dependence::Maybe(reason.clone()),
        },
    };
    reads.iter().filter(concerns).map(of_entry).fold(Dependence::No, |total, one| total.or(&one))
}
