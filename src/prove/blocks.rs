//! Coverage by enumeration, block by block.
//!
//! Law: as [`super::covered`]. The results of a map fall into blocks that share no range variable, so the set that is read is the
//! product of the sets that blocks read. A block has few points even if the map has very many: only the variables that it uses
//! count.

use super::cover::Reader;
use super::inclusion::fixed_ids;
use crate::expr::{Constraint, Domain, Expr, IndexingMap, VariableId, VariableKind};
use crate::num::{Fuel, Interval};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// Maximum number of points of a block.
const POINTS: u64 = 400_000;

/// Returns whether enumeration shows that at each point of `from` the wanted elements are read: by one reader, block by block,
/// or by all readers together, which have the same wanted results. `false` proves nothing.
#[must_use]
pub fn covered_by_points(from: &Domain, readers: &[Reader], fuel: &Fuel) -> bool {
    let questions = readers.iter().filter_map(|reader| Question::of(from, reader));
    let questions: Vec<Question<'_>> = questions.collect();
    let covers = |question: &Question<'_>| question.is_covered(fuel) == Some(true);
    if questions.iter().any(covers) {
        return true;
    }
    let like = |question: &&Question<'_>| {
        question.has_fixed_values() && question.from.results == questions[0].from.results
    };
    let alike: Vec<&Question<'_>> = questions.iter().filter(like).collect();
    let parts: Vec<Part<'_>> = alike.iter().map(|question| question.to.whole()).collect();
    parts.len() > 1 && is_part_covered(&alike[0].from.whole(), &parts, fuel) == Some(true)
}

/// A domain with results over it.
struct Half<'a> {
    domain: &'a Domain,
    results: &'a [Expr],
    /// Dimensions and runtime variables.
    fixed: Vec<VariableId>,
}

struct Question<'a> {
    from: Half<'a>,
    to: Half<'a>,
}

/// Results and constraints of each half that are decided together.
#[derive(Default)]
struct Block {
    results: Vec<usize>,
    of_from: Vec<usize>,
    of_to: Vec<usize>,
}

impl<'a> Question<'a> {
    fn of(from: &'a Domain, reader: &'a Reader) -> Option<Question<'a>> {
        let half = |domain: &'a Domain, results: &'a [Expr]| Half {
            domain,
            results,
            fixed: fixed_ids(&IndexingMap::new(domain.clone(), Vec::new())),
        };
        let from = half(from, &reader.wanted);
        let to = half(reader.map.domain(), reader.map.results());
        let is_like = from.fixed.len() == to.fixed.len()
            && from.results.len() == to.results.len()
            && !to.domain.is_known_empty();
        is_like.then_some(Question { from, to })
    }

    fn is_covered(&self, fuel: &Fuel) -> Option<bool> {
        if !self.has_fixed_values() {
            return Some(false);
        }
        for block in self.blocks() {
            if !self.is_block_covered(&block, fuel)? {
                return Some(false);
            }
        }
        Some(true)
    }

    /// Returns whether the reader has every value of the fixed variables, according to their bounds.
    fn has_fixed_values(&self) -> bool {
        let pairs = self.from.fixed.iter().zip(&self.to.fixed);
        pairs.into_iter().all(|(one, other)| {
            let (one, other) = (self.from.domain.bounds(*one), self.to.domain.bounds(*other));
            other.contains_all(one)
        })
    }

    /// Returns the blocks: results and constraints that share a range variable of either half are in the same block.
    fn blocks(&self) -> Vec<Block> {
        // Each block, with the range variables that it uses in either half.
        let mut found: Vec<(Block, [BTreeSet<VariableId>; 2])> = Vec::new();
        let mut join = |mut block: Block, mut used: [BTreeSet<VariableId>; 2]| {
            let meets = |other: &[BTreeSet<VariableId>; 2]| {
                (0..2).any(|half| !used[half].is_disjoint(&other[half]))
            };
            let (touched, mut rest): (Vec<_>, Vec<_>) =
                std::mem::take(&mut found).into_iter().partition(|(_, other)| meets(other));
            for (other, variables) in touched {
                block.results.extend(other.results);
                block.of_from.extend(other.of_from);
                block.of_to.extend(other.of_to);
                for (used, more) in used.iter_mut().zip(variables) {
                    used.extend(more);
                }
            }
            rest.push((block, used));
            found = rest;
        };
        for (number, (wanted, result)) in self.from.results.iter().zip(self.to.results).enumerate()
        {
            let results = vec![number];
            let block = Block { results, ..Block::default() };
            join(block, [self.from.ranges_of(wanted), self.to.ranges_of(result)]);
        }
        for (number, constraint) in self.to.domain.constraints().iter().enumerate() {
            let of_to = vec![number];
            let block = Block { of_to, ..Block::default() };
            join(block, [BTreeSet::new(), self.to.ranges_of(&constraint.expr)]);
        }
        for (number, constraint) in self.from.domain.constraints().iter().enumerate() {
            let of_from = vec![number];
            let block = Block { of_from, ..Block::default() };
            join(block, [self.from.ranges_of(&constraint.expr), BTreeSet::new()]);
        }
        // Assumptions of `from` that no block mentions are dropped: this proves more.
        let blocks = found.into_iter().map(|(block, _)| block);
        let mut blocks: Vec<Block> =
            blocks.filter(|block| !block.results.is_empty() || !block.of_to.is_empty()).collect();
        for block in &mut blocks {
            block.results.sort_unstable();
        }
        blocks
    }

    /// Returns whether a block is covered; `None` if it has too many points.
    fn is_block_covered(&self, block: &Block, fuel: &Fuel) -> Option<bool> {
        let from = self.from.part(&block.results, &block.of_from);
        let to = self.to.part(&block.results, &block.of_to);
        is_part_covered(&from, &[to], fuel)
    }
}

/// Some of the results and constraints of a half.
struct Part<'a> {
    half: &'a Half<'a>,
    results: Vec<&'a Expr>,
    constraints: Vec<&'a Constraint>,
    /// The variables that they use.
    used: BTreeSet<VariableId>,
}

/// Returns whether one of `to` reads the elements wanted in `from` at each point; `None` if there are too many points.
fn is_part_covered(from: &Part<'_>, to: &[Part<'_>], fuel: &Fuel) -> Option<bool> {
    // Indices of the fixed variables that any part uses.
    let uses = |part: &Part<'_>, k: usize| part.used.contains(&part.half.fixed[k]);
    let fixed: Vec<usize> = (0..from.half.fixed.len())
        .filter(|k| uses(from, *k) || to.iter().any(|part| uses(part, *k)))
        .collect();
    let outer: Vec<Interval> =
        fixed.iter().map(|k| from.half.domain.bounds(from.half.fixed[*k])).collect();
    let mut inner = from.points()?;
    for part in to {
        inner = inner.checked_add(part.points()?)?;
    }
    let all = count(outer.iter().copied())?.checked_mul(inner)?;
    if all > POINTS || fuel.spend(all.max(1)).is_err() {
        return None;
    }
    // Assumptions of `from` on these variables alone hold in each part.
    let known: BTreeSet<VariableId> = fixed.iter().map(|k| from.half.fixed[*k]).collect();
    let of_fixed = |constraint: &&Constraint| constraint.expr.variables().is_subset(&known);
    let mut assumed = from.constraints.clone();
    assumed.extend(from.half.domain.constraints().iter().filter(of_fixed));
    let mut point: Vec<i64> = outer.iter().map(|bounds| bounds.lo()).collect();
    loop {
        let at = |part: &Part<'_>| {
            let mut at = vec![0; part.half.domain.variables().len()];
            for (k, value) in fixed.iter().zip(&point) {
                at[part.half.fixed[*k].index()] = *value;
            }
            at
        };
        let mut wanted = from.values(at(from), &assumed)?;
        for part in to {
            if !wanted.is_empty() {
                let read = part.values(at(part), &part.constraints)?;
                wanted.retain(|element| !read.contains(element));
            }
        }
        if !wanted.is_empty() {
            return Some(false);
        }
        if !advance(&mut point, &outer) {
            return Some(true);
        }
    }
}

impl Part<'_> {
    fn ranges(&self) -> Vec<(VariableId, Interval)> {
        let ranges = self.used.iter().filter(|id| self.half.is_range(**id));
        ranges.map(|id| (*id, self.half.domain.bounds(*id))).collect()
    }

    /// Returns the number of combinations of values of its range variables.
    fn points(&self) -> Option<u64> {
        count(self.ranges().into_iter().map(|(_, bounds)| bounds))
    }

    /// Returns the results at all values of the range variables that satisfy `constraints`; `None` on overflow.
    fn values(
        &self,
        mut point: Vec<i64>,
        constraints: &[&Constraint],
    ) -> Option<FxHashSet<Vec<i64>>> {
        let mut found = FxHashSet::default();
        let ranges = self.ranges();
        let bounds: Vec<Interval> = ranges.iter().map(|(_, bounds)| *bounds).collect();
        let mut current: Vec<i64> = bounds.iter().map(|bounds| bounds.lo()).collect();
        loop {
            for ((id, _), value) in ranges.iter().zip(&current) {
                point[id.index()] = *value;
            }
            let mut holds = true;
            for constraint in constraints {
                holds = holds && constraint.bounds.contains(constraint.expr.eval(&point).ok()?);
            }
            if holds {
                let element = self.results.iter().map(|expr| expr.eval(&point).ok());
                found.insert(element.collect::<Option<Vec<i64>>>()?);
            }
            if !advance(&mut current, &bounds) {
                return Some(found);
            }
        }
    }
}

fn count(mut bounds: impl Iterator<Item = Interval>) -> Option<u64> {
    bounds.try_fold(1_u64, |all, bounds| all.checked_mul(bounds.count()?))
}

impl<'a> Half<'a> {
    fn is_range(&self, id: VariableId) -> bool {
        let variable = self.domain.variables().get(id.index());
        variable.is_some_and(|variable| variable.kind == VariableKind::Range)
    }

    fn ranges_of(&self, expr: &Expr) -> BTreeSet<VariableId> {
        let mut used = expr.variables();
        used.retain(|id| self.is_range(*id));
        used
    }

    fn part(&'a self, results: &[usize], constraints: &[usize]) -> Part<'a> {
        let results: Vec<&Expr> = results.iter().map(|k| &self.results[*k]).collect();
        let all = self.domain.constraints();
        let constraints: Vec<&Constraint> = constraints.iter().map(|k| &all[*k]).collect();
        let mut used = BTreeSet::new();
        let more = constraints.iter().map(|constraint| &constraint.expr);
        for expr in results.iter().copied().chain(more) {
            expr.collect_variables(&mut used);
        }
        Part { half: self, results, constraints, used }
    }

    fn whole(&'a self) -> Part<'a> {
        let results: Vec<usize> = (0..self.results.len()).collect();
        let constraints: Vec<usize> = (0..self.domain.constraints().len()).collect();
        self.part(&results, &constraints)
    }
}

/// Advances to the next point of the box; `false` after the last one.
pub(super) fn advance(point: &mut [i64], bounds: &[Interval]) -> bool {
    for (value, bounds) in point.iter_mut().zip(bounds).rev() {
        if *value < bounds.hi() {
            *value += 1;
            return true;
        }
        *value = bounds.lo();
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::num::Interrupt;
    use crate::text::parse_map;

    /// Checks whether `readers` read everything that `from` reads.
    #[track_caller]
    fn check(from: &str, readers: &[&str], expected: bool) {
        let map = |text: &str| -> IndexingMap { parse_map(text).expect("a map") };
        let from = map(from);
        let reader = |text: &&str| Reader { map: map(text), wanted: from.results().to_vec() };
        let readers: Vec<Reader> = readers.iter().map(reader).collect();
        let fuel = Fuel::new(10_000_000, &Interrupt::new());
        assert_eq!(covered_by_points(from.domain(), &readers, &fuel), expected);
        assert!(!covered_by_points(from.domain(), &readers, &Fuel::new(3, &Interrupt::new())));
    }

    #[test]
    fn blocks_are_judged_one_by_one() {
        let all =
            "(d0)[s0, s1] -> (s0, s1), domain: d0 in [0, 999999], s0 in [0, 63], s1 in [0, 3]";
        let odd = "(d0)[s0, s1] -> ((s0 + 5) mod 64, s1), domain: d0 in [0, 999999], s0 in [0, 999], s1 in [0, 3]";
        check(all, &[odd], true);
        check(odd, &[all], true);
        let part =
            "(d0)[s0, s1] -> (s0, s1), domain: d0 in [0, 999999], s0 in [0, 63], s1 in [0, 2]";
        check(part, &[all], true);
        check(all, &[part], false);
        // A constraint joins the variables that it mentions.
        let triangle = "(d0)[s0, s1] -> (s0, s1), domain: d0 in [0, 9], s0 in [0, 63], s1 in [0, 3], s0 + s1 in [0, 65]";
        let square = "(d0)[s0, s1] -> (s0, s1), domain: d0 in [0, 9], s0 in [0, 63], s1 in [0, 3]";
        check(triangle, &[square], true);
        check(square, &[triangle], false);
    }

    #[test]
    fn a_reader_has_to_be_defined() {
        let all = "(d0)[s0] -> (s0), domain: d0 in [0, 9], s0 in [0, 3]";
        check(all, &["(d0)[s0] -> (s0), domain: d0 in [0, 8], s0 in [0, 3]"], false);
        check(
            all,
            &["(d0)[s0] -> (s0), domain: d0 in [0, 9], s0 in [0, 3], d0 mod 2 in [0, 0]"],
            false,
        );
        check(
            all,
            &["(d0)[s0] -> (s0), domain: d0 in [0, 9], s0 in [0, 3], d0 * 2 in [0, 18]"],
            true,
        );
        let even = "(d0)[s0] -> (s0), domain: d0 in [0, 9], s0 in [0, 3], d0 mod 2 in [0, 0]";
        check(even, &[even], true);
        check(all, &[], false);
    }

    #[test]
    fn several_readers_read_together() {
        let all = "(d0)[s0] -> (d0 + s0), domain: d0 in [0, 9], s0 in [0, 5]";
        let first = "(d0)[s0] -> (d0 + s0), domain: d0 in [0, 9], s0 in [0, 2]";
        let last = "(d0)[s0] -> (d0 + s0), domain: d0 in [0, 9], s0 in [3, 5]";
        check(all, &[first, last], true);
        check(all, &[first], false);
        check(all, &[first, first], false);
    }
}
