//! Comparisons box by box: within a box, each side has the same maps at all points.
//!
//! Law: two views are the same if they are the same in each box. Two runtime variables have the same value at a point if the
//! elements that they are copies of are the same there.

use super::constant::Constant;
use super::parts::View;
use super::values::Computed;
use crate::agreement::{Change, change};
use affinor::expr::{Domain, Expr, IndexingMap, VariableId, VariableKind};
use affinor::num::Interval;
use affinor_ops::indexing::{OperandMap, RuntimeVariable, TuplePath, ValueSource};
use std::collections::BTreeSet;

/// Maximum number of boxes for comparisons of reads.
const CELLS: usize = 256;

/// Maximum number of boxes for comparisons of values.
const PARTS: usize = 24;

impl Computed<'_> {
    /// Returns whether both views are the same in each of several boxes, into which their leaves divide them.
    pub(super) fn same_in_parts(
        &mut self,
        sizes: &[i64],
        views: [&View; 2],
        leaves: [&[View]; 2],
        without: Option<&Constant>,
    ) -> bool {
        let maps = leaves
            .map(|all| all.iter().flat_map(|leaf| leaf.maps.iter().cloned()).collect::<Vec<_>>());
        let [old, new] = &maps;
        let cells = cells([old, new], PARTS).unwrap_or_default();
        cells.len() > 1
            && cells.iter().all(|cell| {
                let parts = views.map(|view| {
                    let maps = view.maps.iter().filter_map(|map| within(map, cell)).collect();
                    View { at: view.at.clone(), maps }
                });
                let is_nowhere = parts.iter().all(|part| part.maps.is_empty());
                is_nowhere || self.same(sizes, parts, without).is_same()
            })
    }

    /// Returns whether the maps of both sides have the same reads in each box.
    pub(super) fn same_in_cells(&mut self, sides: [&[OperandMap]; 2]) -> bool {
        let cells = cells(sides, CELLS).unwrap_or_default();
        !cells.is_empty() && cells.iter().all(|cell| self.same_in_cell(sides, cell))
    }

    fn same_in_cell(&mut self, sides: [&[OperandMap]; 2], cell: &[Interval]) -> bool {
        let mut known: [Vec<(View, usize)>; 2] = [Vec::new(), Vec::new()];
        let mut placed: [Vec<OperandMap>; 2] = [Vec::new(), Vec::new()];
        let mut next = 0;
        for side in 0..2 {
            for map in sides[side].iter().filter_map(|map| within(map, cell)) {
                let mut runtime = Vec::with_capacity(map.runtime.len());
                for own in &map.runtime {
                    let Some(view) = self.element_view(side, &map, own) else {
                        return false;
                    };
                    let number = self.number_in_cell(side, cell, &view, &known).unwrap_or(next);
                    next = next.max(number + 1);
                    known[side].push((view, number));
                    let source = ValueSource::Operand { operand: number, path: TuplePath::new() };
                    let ids = (0u32..).map(VariableId).take(cell.len());
                    let index = ids.map(Expr::variable).collect();
                    runtime.push(RuntimeVariable { source, index, ..own.clone() });
                }
                placed[side].push(OperandMap { runtime, ..map });
            }
        }
        let [old, new] = &placed;
        if change((old, &[]), (new, &[]), &self.budget) != Change::None {
            return false;
        }
        let values = |maps: &[OperandMap]| -> BTreeSet<String> {
            let all = maps.iter().flat_map(|map| &map.runtime);
            all.map(|x| format!("{:?} {:?}", x.source, x.clamp)).collect()
        };
        self.is_strict &= values(old) == values(new);
        true
    }

    /// Returns the number of a known element that is the same.
    fn number_in_cell(
        &mut self,
        side: usize,
        cell: &[Interval],
        view: &View,
        known: &[Vec<(View, usize)>; 2],
    ) -> Option<usize> {
        if let Some((_, number)) = known[side].iter().find(|(known, _)| known == view) {
            return Some(*number);
        }
        (side == 1).then_some(())?;
        let sizes: Option<Vec<i64>> =
            cell.iter().map(|bounds| bounds.hi().checked_add(1)).collect();
        let sizes = sizes?;
        let mut others = known[0].iter();
        let same =
            others.find(|(old, _)| self.same(&sizes, [old.clone(), view.clone()], None).is_same());
        same.map(|(_, number)| *number)
    }

    /// Returns a runtime variable as a view over the dimensions; `None` if it depends on other variables.
    fn element_view(&self, side: usize, map: &OperandMap, own: &RuntimeVariable) -> Option<View> {
        let at = self.source(side, &own.source)?;
        let old = map.map.domain();
        let dimensions = old.count(VariableKind::Dimension);
        let is_plain = |expr: &Expr| expr.variables().iter().all(|id| id.index() < dimensions);
        let has_others = old.count(VariableKind::Range) > 0;
        (!has_others && own.index.iter().all(is_plain)).then_some(())?;
        let mut domain = Domain::new(old.variables()[..dimensions].to_vec());
        for constraint in old.constraints().iter().filter(|one| is_plain(&one.expr)) {
            domain.constrain(&constraint.expr, constraint.bounds);
        }
        let index = IndexingMap::new(domain, own.index.clone());
        Some(View { at, maps: vec![OperandMap::exact(index)] })
    }
}

/// Returns boxes in each of which the bounds of a map hold either at all points or at none; `None` if there are too many.
fn cells(sides: [&[OperandMap]; 2], most: usize) -> Option<Vec<Vec<Interval>>> {
    let all = || sides.into_iter().flatten();
    let rank = all().next()?.map.domain().count(VariableKind::Dimension);
    let mut cells: Vec<Vec<Interval>> = vec![Vec::new()];
    for dimension in 0..rank {
        let mut starts = BTreeSet::new();
        for map in all() {
            let bounds = map.map.domain().variables().get(dimension)?.bounds;
            (bounds.is_bounded()).then_some(())?;
            starts.extend([bounds.lo(), bounds.hi().checked_add(1)?]);
        }
        let ends = starts.iter().skip(1);
        let pieces: Vec<Interval> =
            starts.iter().zip(ends).map(|(lo, end)| Interval::new(*lo, end - 1)).collect();
        (cells.len().checked_mul(pieces.len())? <= most).then_some(())?;
        let longer = |cell: &Vec<Interval>| {
            let cell = cell.clone();
            pieces.iter().map(move |piece| [&cell[..], &[*piece]].concat())
        };
        cells = cells.iter().flat_map(longer).collect();
    }
    Some(cells)
}

/// Returns the map on a box; `None` if it is nowhere defined there.
fn within(map: &OperandMap, cell: &[Interval]) -> Option<OperandMap> {
    let mut inner = map.map.clone();
    for (id, bounds) in (0u32..).map(VariableId).zip(cell) {
        inner = inner.restricted(&Expr::variable(id), *bounds);
    }
    (!inner.domain().is_known_empty()).then(|| OperandMap { map: inner, ..map.clone() })
}
