//! Finds a path between two results: steps of the certificate as rewrites, from both ends until they meet.

use super::chain::Narrator;
use super::known::Steps;
use super::narrated::Narrated;
use super::rewrite::Rewrite;
use super::sum::Sum;
use crate::expr::VariableId;

/// Maximum number of times that one instance rewrites a result.
const MAX_USES: usize = 3;

/// A step of the certificate, and whether it is used from right to left.
pub(super) type Use = (usize, bool);

/// The steps that yield a sum.
pub(super) struct Move {
    pub(super) by: Vec<Use>,
    pub(super) sum: Sum,
}

/// One end of a path: the sums so far, the steps between them, and the number of uses of each step.
struct End {
    sums: Vec<Sum>,
    by: Vec<Use>,
    uses: Vec<usize>,
}

impl End {
    fn new(sum: Sum, narrated: &[Narrated]) -> End {
        End { sums: vec![sum], by: Vec::new(), uses: vec![0; narrated.len()] }
    }
}

impl Narrator<'_> {
    /// Finds the steps from one sum to another, with the intermediate sums. Rewrites from both ends, preferably from
    /// left to right, until they meet; if they do not, the last move uses all dependencies of the remaining equality.
    pub(super) fn path(&mut self, state: Sum, goal: Sum) -> Option<Vec<Move>> {
        let steps = self.steps_between(&state, &goal)?;
        let mut ends = [End::new(state, &self.narrated), End::new(goal, &self.narrated)];
        let met = loop {
            let met = |[front, back]: &[End; 2]| {
                let here = front.sums.iter().position(|x| Some(x) == back.sums.last());
                let there = back.sums.iter().position(|x| Some(x) == front.sums.last());
                let last = |end: &End| end.sums.len() - 1;
                let here = here.map(|here| (here, last(back)));
                here.or_else(|| there.map(|there| (last(front), there)))
            };
            if let Some(met) = met(&ends) {
                break Some(met);
            }
            let choices = [(0, false), (1, false), (0, true), (1, true)];
            let mut moved = false;
            for (end, reversed) in choices {
                moved = self.advance(&mut ends[end], &steps, reversed)?;
                if moved {
                    break;
                }
            }
            if !moved {
                break None;
            }
        };
        let [front, back] = ends;
        let last = (front.by.len(), back.by.len());
        let ((here, there), leap) = match met {
            Some(met) => (met, None),
            // Tries the current sums of both ends, then earlier ones.
            None => {
                let fewer = (0..=last.0).rev().map(|here| (here, 0));
                let leap = |(here, there): (usize, usize)| {
                    let (from, to) = (front.sums.get(here)?, back.sums.get(there)?);
                    let steps = self.steps_between(from, to)?;
                    Some(((here, there), Some(steps)))
                };
                std::iter::once(last).chain(fewer).find_map(leap)?
            }
        };
        let mut moves: Vec<Move> = Vec::new();
        for (by, sum) in front.by.iter().zip(front.sums.iter().skip(1)).take(here) {
            let (by, sum) = (vec![*by], sum.clone());
            moves.push(Move { by, sum });
        }
        if let Some(steps) = leap {
            let by = steps.into_iter().map(|step| (step, false)).collect();
            let sum = back.sums.get(there)?.clone();
            moves.push(Move { by, sum });
        }
        let rest: Vec<(&Use, &Sum)> = back.by.iter().zip(&back.sums).take(there).collect();
        for ((step, reversed), sum) in rest.into_iter().rev() {
            let (by, sum) = (vec![(*step, !reversed)], sum.clone());
            moves.push(Move { by, sum });
        }
        Some(moves)
    }

    /// Rewrites one end by the first step that changes it; returns whether one did. A used step goes to the back of the
    /// queue, and each is used once from right to left, so this terminates.
    fn advance(&mut self, end: &mut End, steps: &[usize], reversed: bool) -> Option<bool> {
        let mut order: Vec<usize> = steps.to_vec();
        order.sort_by_key(|step| end.uses[*step]);
        let most = if reversed { 0 } else { MAX_USES - 1 };
        let Some(sum) = end.sums.last().cloned() else {
            return Some(false);
        };
        for step in order {
            if end.uses[step] > most {
                continue;
            }
            self.replay.values.spend(1 + end.sums.len())?;
            let new = self.rewritten(step, reversed, &sum);
            if let Some(new) = new.filter(|new| !end.sums.contains(new)) {
                end.uses[step] = if reversed { MAX_USES } else { end.uses[step] + 1 };
                end.by.push((step, reversed));
                end.sums.push(new);
                return Some(true);
            }
        }
        Some(false)
    }

    /// Substitutes variables that have a single value; also returns these variables.
    pub(super) fn with_values(&mut self, sum: Sum) -> Option<(Sum, Vec<String>)> {
        let (mut sum, mut values_used) = (sum, Vec::new());
        for (index, bounds) in (0u32..).zip(self.replay.facts.variables.clone()) {
            let Some(value) = bounds.as_point() else {
                continue;
            };
            let values = &mut self.replay.values;
            values.spend(1)?;
            let variable = values.variable(VariableId(index)).as_atom()?;
            if let Some(new) = Rewrite::of_variable(variable, value).applied(values, &sum) {
                sum = new;
                let name = self.names.get(index as usize)?;
                values_used.push(format!("{name} = {value}"));
            }
        }
        Some((sum, values_used))
    }

    /// Returns the steps that imply the equality of two sums.
    fn steps_between(&mut self, x: &Sum, y: &Sum) -> Option<Vec<usize>> {
        let mut used = Steps::new();
        let difference = x.plus(-1, y)?;
        let value = self.replay.is_integer(&difference, &mut used)?;
        (value == 0).then(|| used.into_iter().collect())
    }

    /// Rewrites a sum by one step, from left to right or reversed.
    fn rewritten(&mut self, step: usize, reversed: bool, sum: &Sum) -> Option<Sum> {
        let (left, right) = self.narrated[step].equation.as_ref()?;
        let values = &mut self.replay.values;
        let rewrites = match reversed {
            false => Rewrite::of(values, left, right),
            true => Rewrite::of(values, right, left),
        };
        rewrites.iter().find_map(|x| x.applied(values, sum))
    }
}
