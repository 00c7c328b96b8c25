//! Offsets of a window: one value known only at run time for each dimension.
//!
//! Law: offsets are scalars, one for each dimension, or (in older texts) the elements of one list; every output element reads
//! all of them. Offset `k` is clamped to `[0, array_k - window_k]`, so that the window is in the array. Source: XLA,
//! *Operation semantics*, `DynamicSlice`, `DynamicUpdateSlice`.
//! For all sizes: the laws `clamped-*` of `rules/ops.rules`.

use super::builder::{MapBuilder, everything, scalar};
use super::op::{NoMap, Op, entry, require};
use super::reads::{OperandReads, Reads, RuntimeVariable, TuplePath, ValueSource};
use affinor::expr::{Expr, VariableId};
use affinor::num::Interval;

/// The offset operands of an op.
pub(super) struct Offsets {
    /// The number of the first offset operand.
    first: usize,
    /// Whether a single operand lists all offsets.
    listed: bool,
    /// The reads of the offsets by an output.
    pub(super) entries: Vec<OperandReads>,
}

impl Offsets {
    /// Takes the operands from number `first` on as offsets into an array of `rank` dimensions.
    pub(super) fn from_operand(
        op: &Op<'_>,
        first: usize,
        rank: usize,
        output: &[i64],
    ) -> Result<Offsets, NoMap> {
        let count = op.operands.len().saturating_sub(first);
        let listed = count == 1 && op.operand_array(first)?.rank() == 1;
        let (entries, given) = if listed {
            let list = op.operand_sizes(first)?;
            let reads = Reads::exactly(everything(output, &list));
            (vec![entry(first, reads)], list.iter().sum())
        } else {
            let mut entries = Vec::with_capacity(count);
            for k in first..op.operands.len() {
                op.check_scalar(k)?;
                entries.push(entry(k, Reads::exactly(scalar(output))));
            }
            (entries, count as i64)
        };
        require(i64::try_from(rank) == Ok(given), || {
            format!("expected {rank} offset(s), found {given}")
        })?;
        Ok(Offsets { first, listed, entries })
    }

    /// Returns the sources of the runtime variables of [`window_offsets`], in order.
    pub(super) fn sources(&self, offsets: &[(VariableId, Interval)]) -> Vec<RuntimeVariable> {
        let source = |(k, (variable, clamp)): (usize, &(VariableId, Interval))| {
            let (operand, index) = match self.listed {
                true => (self.first, vec![Expr::constant(k as i64)]),
                false => (self.first + k, Vec::new()),
            };
            RuntimeVariable {
                variable: *variable,
                source: ValueSource::Operand { operand, path: TuplePath::new() },
                index,
                clamp: *clamp,
                is_choice: false,
            }
        };
        offsets.iter().enumerate().map(source).collect()
    }
}

/// Adds the offset of a window in each dimension of an array; returns the variables with the intervals to which they are
/// clamped, and the offsets as expressions. `None` if the window does not fit.
#[allow(clippy::type_complexity, reason = "a variable in its two forms")]
pub(super) fn window_offsets(
    builder: &mut MapBuilder,
    array: &[i64],
    window: &[i64],
) -> Option<(Vec<(VariableId, Interval)>, Vec<Expr>)> {
    let fits = array.len() == window.len() && window.iter().zip(array).all(|(x, y)| x <= y);
    let add = |(size, window): (&i64, &i64)| {
        let clamp = Interval::new(0, size - window);
        let (id, offset) = builder.runtime(clamp);
        ((id, clamp), offset)
    };
    fits.then(|| array.iter().zip(window).map(add).unzip())
}
