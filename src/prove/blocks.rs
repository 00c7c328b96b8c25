//! Coverage by enumeration, block by block.
//!
//! Law: as [`super::covered`]. The results of a map fall into blocks that share no range variable, so what is read is the product
//! of what each block reads, and a block has few points even where the map has very many: only the variables that it uses
//! count.

use super::cover::Reader;
use super::inclusion::fixed_ids;
use crate::expr::{Constraint, Domain, Expr, IndexingMap, VariableId, VariableKind};
use crate::num::{Fuel, Interval};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// Maximum number of points of a block.
const POINTS: u64 = 400_000;

/// Returns whether one of `readers` reads all that is wanted at each point of `from`, as far as blocks with few points tell. `false`
/// proves nothing.
#[must_use]
pub fn covered_by_points(from: &Domain, readers: &[Reader], fuel: &Fuel) -> bool {
    readers.iter().any(|reader| {
        let question = Question::of(from, reader);
        question.is_some_and(|question| question.is_covered(fuel) == Some(true))
    })
}

/// A domain with the results over it.
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

/// What is judged together: some of the results, and constraints of each half.
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

    /// Whether the reader takes every value of the variables that are not its own, as far as their bounds say.
    fn has_fixed_values(&self) -> bool {
        let pairs = self.from.fixed.iter().zip(&self.to.fixed);
        pairs.into_iter().all(|(one, other)| {
            let (one, other) = (self.from.domain.bounds(*one), self.to.domain.bounds(*other));
            other.contains_all(one)
        })
    }

    /// The blocks: what shares a range variable of either half is in one.
    fn blocks(&self) -> Vec<Block> {
        // Each block with the range variables that it uses in either half.
        let mut found: Vec<(Block, [BTreeSet<VariableId>; 2])> = Vec::new();
        let mut join = |mut block: Block, mut used: [BTreeSet<VariableId>; 2]| {
            let meets = |other: &[BTreeSet<VariableId>; 2]| {
                (0..2).any(|half| !used[half].is_disjoint(&other[half]))
            };
            let (touched, mut rest): (Vec<_>, Vec<_>) = std::mem::take(&mut found)
                .into_iter()
                .partition(|(_, other)| meets(other));
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
            let block = Block {
                results,
                ..Block::default()
            };
            join(
                block,
                [self.from.ranges_of(wanted), self.to.ranges_of(result)],
            );
        }
        for (number, constraint) in self.to.domain.constraints().iter().enumerate() {
            let of_to = vec![number];
            let block = Block {
                of_to,
                ..Block::default()
            };
            join(
                block,
                [BTreeSet::new(), self.to.ranges_of(&constraint.expr)],
            );
        }
        for (number, constraint) in self.from.domain.constraints().iter().enumerate() {
            let of_from = vec![number];
            let block = Block {
                of_from,
                ..Block::default()
            };
            join(
                block,
                [self.from.ranges_of(&constraint.expr), BTreeSet::new()],
            );
        }
        // What `from` assumes and no block mentions is left out: that proves more.
        let blocks = found.into_iter().map(|(block, _)| block);
        let mut blocks: Vec<Block> = blocks
            .filter(|block| !block.results.is_empty() || !block.of_to.is_empty())
            .collect();
        for block in &mut blocks {
            block.results.sort_unstable();
        }
        blocks
    }

    /// `None` if it has too many points.
    fn is_block_covered(&self, block: &Block, fuel: &Fuel) -> Option<bool> {
        let wanted: Vec<&Expr> = block
            .results
            .iter()
            .map(|k| &self.from.results[*k])
            .collect();
        let results: Vec<&Expr> = block.results.iter().map(|k| &self.to.results[*k]).collect();
        let mut assumed = self.from.constraints(&block.of_from);
        let required = self.to.constraints(&block.of_to);
        let own = self.from.used(&wanted, &assumed);
        let theirs = self.to.used(&results, &required);
        // Places of the fixed variables that either half uses.
        let fixed: Vec<usize> = (0..self.from.fixed.len())
            .filter(|k| own.contains(&self.from.fixed[*k]) || theirs.contains(&self.to.fixed[*k]))
            .collect();
        // What `from` assumes of these alone holds for each block.
        let known: BTreeSet<VariableId> = fixed.iter().map(|k| self.from.fixed[*k]).collect();
        let of_fixed = |constraint: &&Constraint| constraint.expr.variables().is_subset(&known);
        assumed.extend(self.from.domain.constraints().iter().filter(of_fixed));
        let bounds =
            |half: &Half<'_>, used: &BTreeSet<VariableId>| -> Vec<(VariableId, Interval)> {
                let ranges = used.iter().filter(|id| half.is_range(**id));
                ranges.map(|id| (*id, half.domain.bounds(*id))).collect()
            };
        let (own, theirs) = (bounds(&self.from, &own), bounds(&self.to, &theirs));
        let outer: Vec<Interval> = fixed
            .iter()
            .map(|k| self.from.domain.bounds(self.from.fixed[*k]))
            .collect();
        let count = |list: &[Interval]| -> Option<u64> {
            let mut sizes = list.iter().map(|bounds| bounds.count());
            sizes.try_fold(1_u64, |count, size| count.checked_mul(size?))
        };
        let of = |list: &[(VariableId, Interval)]| -> Vec<Interval> {
            list.iter().map(|(_, bounds)| *bounds).collect()
        };
        let inner = count(&of(&own))?.checked_add(count(&of(&theirs))?)?;
        let all = count(&outer)?.checked_mul(inner)?;
        if all > POINTS || fuel.spend(all.max(1)).is_err() {
            return None;
        }
        let mut here = vec![0; self.from.domain.variables().len()];
        let mut there = vec![0; self.to.domain.variables().len()];
        let mut point: Vec<i64> = outer.iter().map(|bounds| bounds.lo()).collect();
        loop {
            for (k, value) in fixed.iter().zip(&point) {
                here[self.from.fixed[*k].index()] = *value;
                there[self.to.fixed[*k].index()] = *value;
            }
            let wanted = values(&mut here, &own, &assumed, &wanted)?;
            if !wanted.is_empty() {
                let read = values(&mut there, &theirs, &required, &results)?;
                if !wanted.is_subset(&read) {
                    return Some(false);
                }
            }
            if !advance(&mut point, &outer) {
                return Some(true);
            }
        }
    }
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

    fn constraints(&self, numbers: &[usize]) -> Vec<&'a Constraint> {
        numbers
            .iter()
            .map(|k| &self.domain.constraints()[*k])
            .collect()
    }

    fn used(&self, exprs: &[&Expr], constraints: &[&Constraint]) -> BTreeSet<VariableId> {
        let mut used = BTreeSet::new();
        let more = constraints.iter().map(|constraint| &constraint.expr);
        for expr in exprs.iter().copied().chain(more) {
            expr.collect_variables(&mut used);
        }
        used
    }
}

/// The values of `exprs` where `constraints` hold, for all values of the `ranges`; `None` on overflow.
fn values(
    point: &mut [i64],
    ranges: &[(VariableId, Interval)],
    constraints: &[&Constraint],
    exprs: &[&Expr],
) -> Option<FxHashSet<Vec<i64>>> {
    let mut found = FxHashSet::default();
    let bounds: Vec<Interval> = ranges.iter().map(|(_, bounds)| *bounds).collect();
    let mut current: Vec<i64> = bounds.iter().map(|bounds| bounds.lo()).collect();
    loop {
        for ((id, _), value) in ranges.iter().zip(&current) {
            point[id.index()] = *value;
        }
        let mut holds = true;
        for constraint in constraints {
            holds &= constraint
                .bounds
                .contains(constraint.expr.eval(point).ok()?);
        }
        if holds {
            let element = exprs.iter().map(|expr| expr.eval(point).ok());
            found.insert(element.collect::<Option<Vec<i64>>>()?);
        }
        if !advance(&mut current, &bounds) {
            return Some(found);
        }
    }
}

/// The next point of the box; `false` after the last one.
fn advance(point: &mut [i64], bounds: &[Interval]) -> bool {
    for (value, bounds) in point.iter_mut().zip(bounds).rev() {
        if *value < bounds.hi() {
            *value += 1;
            return true;
        }
        *value = bounds.lo();
    }
    false
}
