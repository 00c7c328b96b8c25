//! Arrays by the elements of another one.
//!
//! Law: an index of a view means the element of the array at the view's indices; a view of a view is composed.

use crate::body::{Stop, unknown};
use crate::exprs::{counter, replaced};
use crate::tree::Op;
use crate::types::Type;
use affinor_maps::expr::Expr;
use std::rc::Rc;

/// The dimensions of a view are the variables from this number on, between the counters of loops and the symbols.
pub(crate) const PLACES: usize = 1 << 9;
/// An array, by the elements of another one.
#[derive(Clone)]
pub(crate) struct View {
    /// The line of the array that has the elements.
    pub(crate) line: usize,
    /// Its type.
    pub(crate) ty: Rc<Type>,
    /// The sizes of the view; `None` for those that are not fixed.
    pub(crate) sizes: Vec<Option<i64>>,
    /// The index of the array for each index of the view; `None` if it may be any index of its dimension.
    indices: Vec<Option<Expr>>,
    /// Why nothing can be read through it, if so: its elements are not those of the array any more.
    pub(crate) changed: Option<String>,
}

/// Returns the variable for dimension `k` of a view.
pub(crate) fn place(k: usize) -> Expr {
    counter(PLACES + k)
}

/// Returns the places of the first `count` dimensions.
pub(crate) fn places(count: usize) -> Vec<Expr> {
    (0..count).map(place).collect()
}

impl View {
    /// Returns the view of all elements of an array, in their places.
    pub(crate) fn whole(line: usize, ty: Rc<Type>) -> View {
        let (sizes, indices) =
            (ty.sizes.clone(), places(ty.sizes.len()).into_iter().map(Some).collect());
        View { line, ty, sizes, indices, changed: None }
    }

    /// Returns the view through which nothing can be read.
    pub(crate) fn unread(self, reason: String) -> View {
        View { changed: Some(reason), ..self }
    }

    /// Returns the array after `op` has written to it.
    pub(crate) fn changed_by(self, op: &Op<'_>) -> View {
        self.unread(format!("its array is a result of `{}`", op.name))
    }

    pub(crate) fn is_whole(&self) -> bool {
        self.indices.iter().cloned().eq((0..self.sizes.len()).map(|k| Some(place(k))))
    }

    /// Returns the index of the array for these indices of the view.
    pub(crate) fn at(&self, indices: &[Option<Expr>]) -> Result<Vec<Option<Expr>>, Stop> {
        if indices.len() != self.sizes.len() {
            return unknown("its indices differ in number from the dimensions of its array");
        }
        let of = |index: &Option<Expr>| {
            let index = index.as_ref().map(|index| replaced(index, PLACES, indices));
            index.transpose().map(Option::flatten)
        };
        self.indices.iter().map(of).collect()
    }

    /// Returns the view of this view, with these sizes and these indices over [`place`].
    pub(crate) fn of(
        &self,
        sizes: Vec<Option<i64>>,
        indices: &[Option<Expr>],
    ) -> Result<View, Stop> {
        Ok(View { sizes, indices: self.at(indices)?, ..self.clone() })
    }
}
