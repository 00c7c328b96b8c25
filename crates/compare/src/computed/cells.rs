//! Comparisons box by box: within a box, each side has the same maps at all points.
//!
//! Law: two views are the same if they are the same in each box. Boxes bound dimensions, or also other expressions over these, such
//! as `d0 mod 8`. Two runtime variables have the same value at a point if the
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
        let sides = [&maps[0][..], &maps[1]];
        let boxes = cells(sides, &dimensions(sides), PARTS).unwrap_or_default();
        let mut same_in = |cells: &[Cell]| {
            cells.len() > 1
                && cells.iter().all(|cell| {
                    let parts = views.map(|view| {
                        let maps = view.maps.iter().filter_map(|map| within(map, cell)).collect();
                        View { at: view.at.clone(), maps }
                    });
                    let is_nowhere = parts.iter().all(|part| part.maps.is_empty());
                    is_nowhere || self.same(sizes, parts, without).is_same()
                })
        };
        if same_in(&boxes) {
            return true;
        }
        let finer = cells(sides, &bounded(sides), PARTS).unwrap_or_default();
        finer.len() > boxes.len() && same_in(&finer)
    }

    /// Returns whether the maps of both sides have the same reads in each box.
    pub(super) fn same_in_cells(&mut self, sides: [&[OperandMap]; 2]) -> bool {
        let cells = cells(sides, &dimensions(sides), CELLS).unwrap_or_default();
        !cells.is_empty() && cells.iter().all(|cell| self.same_in_cell(sides, cell))
    }

    fn same_in_cell(&mut self, sides: [&[OperandMap]; 2], cell: &Cell) -> bool {
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
        cell: &Cell,
        view: &View,
        known: &[Vec<(View, usize)>; 2],
    ) -> Option<usize> {
        if let Some((_, number)) = known[side].iter().find(|(known, _)| known == view) {
            return Some(*number);
        }
        (side == 1).then_some(())?;
        let sizes: Option<Vec<i64>> =
            cell.iter().map(|(_, bounds)| bounds.hi().checked_add(1)).collect();
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

/// The bounds of expressions over the dimensions.
type Cell = Vec<(Expr, Interval)>;

/// Returns the dimensions of the maps; all have the same number.
fn dimensions(sides: [&[OperandMap]; 2]) -> Vec<Expr> {
    let first = sides.into_iter().flatten().next();
    let rank = first.map_or(0, |map| map.map.domain().count(VariableKind::Dimension));
    (0u32..).take(rank).map(|id| Expr::variable(VariableId(id))).collect()
}

/// Returns the dimensions, and the expressions over them that constraints bound.
fn bounded(sides: [&[OperandMap]; 2]) -> Vec<Expr> {
    let mut found = dimensions(sides);
    let rank = found.len();
    for constraint in sides.into_iter().flatten().flat_map(|map| map.map.domain().constraints()) {
        let is_plain = constraint.expr.variables().iter().all(|id| id.index() < rank);
        if is_plain && !found.contains(&constraint.expr) {
            found.push(constraint.expr.clone());
        }
    }
    found
}

/// Returns boxes over these expressions, in each of which the bounds that a map has for them hold either at all points or at
/// none; `None` if there are too many, or no maps.
fn cells(sides: [&[OperandMap]; 2], over: &[Expr], most: usize) -> Option<Vec<Cell>> {
    sides.into_iter().flatten().next()?;
    let mut cells: Vec<Cell> = vec![Vec::new()];
    for expr in over {
        let mut starts = BTreeSet::new();
        for map in sides.into_iter().flatten() {
            let bounds = map.map.domain().range_of(expr);
            (bounds.is_bounded()).then_some(())?;
            starts.extend([bounds.lo(), bounds.hi().checked_add(1)?]);
        }
        let ends = starts.iter().skip(1);
        let pieces: Vec<Interval> =
            starts.iter().zip(ends).map(|(lo, end)| Interval::new(*lo, end - 1)).collect();
        (cells.len().checked_mul(pieces.len())? <= most).then_some(())?;
        let longer = |cell: &Cell| {
            let cell = cell.clone();
            pieces.iter().map(move |piece| [&cell[..], &[(expr.clone(), *piece)]].concat())
        };
        cells = cells.iter().flat_map(longer).collect();
    }
    Some(cells)
}

/// Returns the map on a box; `None` if it is nowhere defined there.
fn within(map: &OperandMap, cell: &Cell) -> Option<OperandMap> {
    let mut inner = map.map.clone();
    for (expr, bounds) in cell {
        inner = inner.restricted(expr, *bounds);
    }
    (!inner.domain().is_known_empty()).then(|| OperandMap { map: inner, ..map.clone() })
}
