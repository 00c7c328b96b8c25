//! One step from an index to a position, and its inverse, as maps.
//!
//! Law: `apply` is injective and `undo` is its inverse; where `undo` is undefined there is padding. A layout is a chain of steps:
//! the order of dimensions (with padded widths), each tile, and the line of the last dimensions.

use super::level::{Condition, Level, digits, product, row_major};
use affinor::expr::{Domain, Expr, ExprError, IndexingMap, Variable, VariableId, VariableKind};
use affinor::num::Interval;
use affinor::text::Error;

/// A step between two lists of sizes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    apply: IndexingMap,
    undo: IndexingMap,
    after: Vec<i64>,
}

impl Step {
    /// Maps an index in logical order to one in memory order, with each dimension padded to a width.
    pub(super) fn order(
        sizes: &[i64],
        widths: &[i64],
        minor_to_major: &[usize],
    ) -> Result<Step, ExprError> {
        let dimensions = dimensions(sizes.len());
        let major_to_minor = minor_to_major.iter().rev();
        let apply = major_to_minor.clone().map(|d| dimensions[*d].clone());
        let apply: Vec<Expr> = apply.collect();
        let mut undo = vec![Expr::constant(0); sizes.len()];
        for (place, dimension) in major_to_minor.clone().enumerate() {
            undo[*dimension] = dimensions[place].clone();
        }
        let after = major_to_minor.map(|dimension| widths[*dimension]).collect();
        Ok(Step::new(sizes, after, apply, undo, &[]))
    }

    /// Applies one tile.
    pub(super) fn tile(level: &Level) -> Result<Step, ExprError> {
        let (before, after) = (level.before(), level.after());
        let apply = level.apply(&dimensions(before.len()))?;
        let (undo, conditions) = level.undo(&dimensions(after.len()))?;
        Ok(Step::new(before, after, apply, undo, &conditions))
    }

    /// Linearizes into `length` positions; positions beyond the elements are padding.
    pub(super) fn line(sizes: &[i64], length: i64) -> Result<Step, Error> {
        let covered = product(sizes)?;
        let maps = row_major(sizes, &dimensions(sizes.len())).and_then(|apply| {
            let position = Expr::variable(VariableId(0));
            let undo = digits(sizes, &position)?;
            let condition = (position, Interval::of_size(covered));
            let (after, apply) = (vec![length], vec![apply]);
            Ok(Step::new(sizes, after, apply, undo, &[condition]))
        });
        maps.map_err(|error| held(&error))
    }

    fn new(
        before: &[i64],
        after: Vec<i64>,
        apply: Vec<Expr>,
        undo: Vec<Expr>,
        conditions: &[Condition],
    ) -> Step {
        let mut domain = indices(&after);
        let inside = before.iter().map(|size| Interval::of_size(*size));
        let inside = undo.iter().cloned().zip(inside);
        for (expr, bounds) in conditions.iter().cloned().chain(inside) {
            if !bounds.contains_all(domain.range_of(&expr)) {
                domain.constrain(&expr, bounds);
            }
        }
        Step {
            apply: IndexingMap::new(indices(before), apply),
            undo: IndexingMap::new(domain, undo),
            after,
        }
    }

    /// Returns the map from an index before the step to the index after it.
    #[must_use]
    pub fn apply(&self) -> &IndexingMap {
        &self.apply
    }

    /// Returns the map from an index after the step to the index before it, where it is not padding.
    #[must_use]
    pub fn undo(&self) -> &IndexingMap {
        &self.undo
    }

    /// Returns the sizes after the step.
    #[must_use]
    pub fn after(&self) -> &[i64] {
        &self.after
    }
}

/// Returns the domain of all indices below these sizes.
fn indices(sizes: &[i64]) -> Domain {
    let variables = sizes.iter().enumerate().map(|(index, size)| {
        let bounds = Interval::of_size(*size);
        Variable::new(format!("d{index}"), VariableKind::Dimension, bounds)
    });
    Domain::new(variables.collect())
}

fn dimensions(count: usize) -> Vec<Expr> {
    let ids = (0..count).map(|index| VariableId(index as u32));
    ids.map(Expr::variable).collect()
}

pub(super) fn held(error: &ExprError) -> Error {
    let message = format!("the map of the layout cannot be written: {error}");
    Error::without_span(affinor::text::ErrorKind::Overflow, message)
}
