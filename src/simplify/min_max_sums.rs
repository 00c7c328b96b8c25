//! Mins and maxes in sums and quotients: a min next to the max of the same values, quotients inside a min, a min inside
//! a quotient.

use super::engine::Engine;
use super::linear::{AtomId, Linear};
use super::min_max::{Scaled, size_of};
use super::question::Question;

impl Engine<'_> {
    /// Joins two operands with quotients of one divisor: `min(m*(x floordiv c) + z, m*(y floordiv c) + z)` is
    /// `m*(min(x, y) floordiv c) + z`; returns whether it did.
    pub(super) fn join_quotients(&mut self, list: &mut Vec<Linear>, least: bool) -> bool {
        for i in 0..list.len() {
            for j in i + 1..list.len() {
                if !self.spend_terms(size_of(list)) {
                    return false;
                }
                let others: Vec<Linear> = (0..list.len())
                    .filter(|k| *k != i && *k != j)
                    .map(|k| list[k].clone())
                    .collect();
                let pair = (list[i].clone(), list[j].clone());
                if let Some(joined) = self.joined_quotients(pair, others.clone(), least) {
                    *list = others;
                    list.push(joined);
                    list.sort();
                    list.dedup();
                    return true;
                }
            }
        }
        false
    }

    fn joined_quotients(
        &mut self,
        (first, second): (Linear, Linear),
        others: Vec<Linear>,
        least: bool,
    ) -> Option<Linear> {
        let difference = first.plus(-1, &second)?;
        let &[(a, factor), (b, other)] = difference.terms() else {
            return None;
        };
        let (c, d) = (self.store.quotient(a)?.1, self.store.quotient(b)?.1);
        if c != d || factor.checked_neg()? != other {
            return None;
        }
        // The quotient of the first operand.
        let (here, there, factor) = match first.coefficient(a) {
            0 => (b, a, other),
            _ => (a, b, factor),
        };
        let shift = difference.constant.checked_div(factor)?;
        if shift.checked_mul(factor)? != difference.constant {
            return None;
        }
        let x = self.store.quotient(here)?.0.clone();
        let y = self.store.quotient(there)?.0.clone();
        let y = y.with_constant(y.constant.checked_sub(c.checked_mul(shift)?)?);
        let inner = Scaled {
            factor,
            operands: vec![
                Linear::atom(here),
                Linear::atom(there).with_constant(shift.checked_neg()?),
            ],
            rest: first.plus_atom(factor.checked_neg()?, here)?,
            least,
        };
        let inner_least = least == (factor > 0);
        if self.divide(&y, c) != inner.operands[1] || self.divide(&x, c) != inner.operands[0] {
            return None;
        }
        let numerator = self.min_max([x.clone(), y.clone()], inner_least)?;
        let quotient = self.divide(&numerator, c);
        if self.store.mins_and_maxes_of(&quotient).next().is_some() {
            return None; // the quotient of the min is a min of quotients
        }
        let joined = inner.rest.plus(factor, &quotient)?;
        let mut question = Question::default();
        let whole = question.min_max(inner_least, [x.clone(), y.clone()]);
        let whole = question.quotient(whole, c);
        let each = [question.quotient(x, c), question.quotient(y, c)];
        let each = question.min_max(inner_least, each);
        (self.is_scaled(&inner, others) && self.becomes(&question, whole, each)).then_some(joined)
    }

    /// Rewrites a sum to have neither a min with the max of the same two values, nor a difference `min(x, y) - min(x, z)`.
    pub(super) fn without_min_max_pairs(&mut self, sum: Linear) -> Option<Linear> {
        if !self.store.has_mins_or_maxes() {
            return Some(sum);
        }
        let mut sum = self.without_mirrors(sum)?;
        for _ in 1..self.store.mins_and_maxes_of(&sum).count() {
            match self.joined_difference(&sum) {
                Some(merged) => sum = merged,
                None => break,
            }
        }
        Some(sum)
    }

    /// Writes the first `m*min(x, v) - m*min(x, w) + z` as one clamp.
    fn joined_difference(&mut self, sum: &Linear) -> Option<Linear> {
        let atoms: Vec<(AtomId, i64, bool)> = self.store.mins_and_maxes_of(sum).collect();
        for (position, &(a, p, least)) in atoms.iter().enumerate() {
            for &(b, q, other) in &atoms[position + 1..] {
                if !self.spend_terms(1) {
                    return None;
                }
                if least == other
                    && (p < 0) != (q < 0)
                    && let Some(joined) = self.difference_of(sum, (a, p), (b, q), least)
                {
                    return Some(joined);
                }
            }
        }
        None
    }

    fn difference_of(
        &mut self,
        sum: &Linear,
        (a, p): (AtomId, i64),
        (b, q): (AtomId, i64),
        least: bool,
    ) -> Option<Linear> {
        // The smaller factor is moved outside; the rest of the other stays inside.
        let factor = p.unsigned_abs().min(q.unsigned_abs());
        let factor = i64::try_from(factor).ok()?;
        let inside = |engine: &Self, atom: AtomId, whole: i64| -> Option<Scaled> {
            let times = whole.checked_abs()?.checked_div(factor)?;
            let operands = engine.store.min_max_operands(atom)?.to_vec();
            let is_pair =
                operands.len() == 2 && times.checked_mul(factor)? == whole.checked_abs()?;
            is_pair.then_some(Scaled { factor: times, operands, rest: Linear::default(), least })
        };
        let sides = [inside(self, a, p)?, inside(self, b, q)?];
        let [first, second] = [sides[0].expanded()?, sides[1].expanded()?];
        let (i, j) = (0..2)
            .flat_map(|i| (0..2).map(move |j| (i, j)))
            .find(|(i, j)| first[*i] == second[*j])?;
        let (x, y, z) = (&first[i], &first[1 - i], &second[1 - j]);
        let (m, v, w) = match (self.is_ordered(z, y), self.is_ordered(y, z)) {
            (true, _) => (factor * p.signum(), y, z),
            (_, true) => (factor * q.signum(), z, y),
            _ => return None,
        };
        let between = match least {
            true => x.plus(-1, w)?,
            false => v.plus(-1, x)?,
        };
        let rest = sum.without(a).without(b);
        let room = v.plus(-1, w)?;
        let raised = self.min_max([between.clone(), Linear::default()], false)?;
        let clamp = self.min_max([raised, room.clone()], true)?;
        let merged = rest.plus(m, &clamp)?;
        if merged.coefficient(a) != 0 || merged.coefficient(b) != 0 {
            return None;
        }
        let mut question = Question::default();
        let upper = question.min_max(least, [x.clone(), v.clone()]);
        let lower = question.min_max(least, [x.clone(), w.clone()]);
        let apart = rest.plus(m, &upper)?.plus(m.checked_neg()?, &lower)?;
        let raised = question.min_max(false, [between, Linear::default()]);
        let clamp = question.min_max(true, [raised, room]);
        let joined = rest.plus(m, &clamp)?;
        let is_said = sides.iter().all(|side| self.is_scaled(side, Vec::new()))
            && self.becomes(&question, apart, joined);
        is_said.then_some(merged)
    }

    /// Rewrites a sum to have no min with the max of the same two values.
    fn without_mirrors(&mut self, sum: Linear) -> Option<Linear> {
        let mut sum = sum;
        while self.spend_terms(self.store.mins_and_maxes_of(&sum).count().pow(2))
            && let Some((least, greatest)) = self.mirrored_pair(&sum)
        {
            let (p, q) = (sum.coefficient(least), sum.coefficient(greatest));
            let times = if p.unsigned_abs() < q.unsigned_abs() { p } else { q };
            let [x, y] = self.store.min_max_operands(least)? else {
                return Some(sum);
            };
            let (x, y) = (x.clone(), y.clone());
            let minus = times.checked_neg()?;
            let rest = sum.plus_atom(minus, least)?.plus_atom(minus, greatest)?;
            let merged = rest.plus(times, &x)?.plus(times, &y)?;
            let mut question = Question::default();
            let lesser = question.min_max(true, [x.clone(), y.clone()]);
            let greater = question.min_max(false, [x, y]);
            let apart = rest.plus(times, &lesser)?.plus(times, &greater)?;
            if !self.becomes(&question, apart, merged.clone()) {
                break;
            }
            sum = merged;
        }
        Some(sum)
    }

    /// Returns a min and the max of the same two values in a sum.
    fn mirrored_pair(&self, sum: &Linear) -> Option<(AtomId, AtomId)> {
        let mut leasts = self.store.mins_and_maxes_of(sum).filter(|(_, _, least)| *least);
        leasts.find_map(|(least, _, _)| {
            let operands = self.store.min_max_operands(least)?;
            let mut greatest = self.store.mins_and_maxes_of(sum).filter(|(_, _, least)| !*least);
            let (greatest, ..) = greatest.find(|(atom, ..)| {
                operands.len() == 2 && self.store.min_max_operands(*atom) == Some(operands)
            })?;
            Some((least, greatest))
        })
    }

    /// Distributes division over operands, `(m*min(x, y) + z) floordiv c => min((m*x + z) floordiv c, (m*y + z) floordiv c)`, if
    /// the result is no larger.
    pub(super) fn divide_min_max(&mut self, sum: &Linear, divisor: i64) -> Option<Linear> {
        let (atom, factor, least) = self.store.mins_and_maxes_of(sum).last()?;
        let (first, others) = self.store.min_max_operands(atom)?.split_first()?;
        let (x, others) = (first.clone(), others.to_vec());
        let y = self.one_of(others, least)?;
        let rest = sum.without(atom);
        let stays = least == (factor > 0); // a subtracted min becomes a max
        let with = [rest.plus(factor, &x)?, rest.plus(factor, &y)?];
        let quotients = with.each_ref().map(|numerator| self.divide(numerator, divisor));
        let result = self.min_max(quotients, stays)?;
        let weight = self.store.weight(sum).saturating_add(2);
        let itself = self.store.existing_quotient(sum, divisor);
        if self.store.weight(&result) > weight
            || itself.is_some_and(|itself| result.coefficient(itself) != 0)
        {
            return None;
        }
        let mut question = Question::default();
        let whole = question.min_max(least, [x, y]);
        let whole = question.quotient(rest.plus(factor, &whole)?, divisor);
        let each = with.map(|numerator| question.quotient(numerator, divisor));
        let each = question.min_max(stays, each);
        self.becomes(&question, whole, each).then_some(result)
    }
}
