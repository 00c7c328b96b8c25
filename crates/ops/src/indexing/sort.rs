//! Sort and top k: elements moved along one dimension by comparing them.
//!
//! Laws: each line along the dimension is sorted on its own, all operands by one order; the comparison takes two elements of
//! each operand. A result reads the whole line of each operand that is compared; otherwise it reads one element of the line of
//! its own operand, known only at run time. A line of one element is not compared. Top k reads the whole last dimension for
//! values and indices.
//! Source: XLA, *Operation semantics*, `Sort` and `TopK`.

use super::builder::{fibres, identity};
use super::op::{
    Callee, Entries, NoMap, Op, arrays, check_parameters, entry_of, fixed_sizes, require,
};
use super::reads::Reads;
use super::reducer::{Dependence, dependence_on};

/// Returns the reads of each operand by each result of a sort.
pub(super) fn entries(op: &Op<'_>, callee: &mut Callee<'_, '_>) -> Entries {
    let n = op.operands.len();
    let outputs = arrays(op.instruction.shape());
    if outputs.len() != n {
        return Err(NoMap::invalid(format!(
            "expected {n} result(s) for {n} operand(s), found {}",
            outputs.len()
        )));
    }
    let sizes = op.operand_sizes(0)?;
    let dimension = op.one_dimension(sizes.len(), " to sort along")?;
    let compared = compared(op, n, callee)?;
    let moved = Dependence::Maybe("which element comes here is known only at run time".into());
    let name = op.instruction.name();
    let mut entries = Vec::new();
    for (i, (path, array)) in outputs.into_iter().enumerate() {
        let output = fixed_sizes(array)?;
        for (j, needed) in compared.iter().enumerate() {
            let line = fibres("sort", &output, &op.operand_sizes(j)?, &[dimension])?;
            require(output == sizes, || "expected operands and results of one shape")?;
            let reads = match (sizes[dimension], i == j) {
                (..2, true) => Reads::exactly(identity(&output)),
                (..2, false) => Reads::NOTHING,
                (_, true) => moved.or(needed).restrict(name, &Reads::exactly(line)),
                (_, false) => needed.restrict(name, &Reads::exactly(line)),
            };
            entries.push(entry_of(&path, j, reads));
        }
    }
    Ok(entries)
}

/// Returns the operands that the comparison needs.
fn compared(op: &Op<'_>, n: usize, callee: &mut Callee<'_, '_>) -> Result<Vec<Dependence>, NoMap> {
    let comparison = op.instruction.computation_reference("to_apply")?;
    let Some(target) = comparison.target() else {
        let name = comparison.name();
        let unknown = format!("`{name}` is not in the text and may compare every operand");
        return Ok(match n {
            1 => vec![Dependence::Yes],
            _ => vec![Dependence::Maybe(unknown.into()); n],
        });
    };
    let (computation, reads) = callee(target)?;
    check_parameters(computation, 2 * n)?;
    let side = |parameter| dependence_on(&reads, 0, parameter);
    Ok((0..n).map(|j| side(2 * j).or(&side(2 * j + 1))).collect())
}

/// Returns the reads of the values and the indices of a top k.
pub(super) fn top_entries(op: &Op<'_>) -> Entries {
    let operand = op.operand_sizes(0)?;
    let Some(last) = operand.len().checked_sub(1) else {
        return Err(NoMap::invalid("expected an array with a last dimension"));
    };
    let mut entries = Vec::new();
    for (output, array) in arrays(op.instruction.shape()) {
        let sizes = fixed_sizes(array)?;
        if sizes.last() > operand.last() {
            return Err(NoMap::invalid(format!(
                "topk of sizes {operand:?} does not give sizes {sizes:?}"
            )));
        }
        let reads = Reads::exactly(fibres("topk", &sizes, &operand, &[last])?);
        entries.push(entry_of(&output, 0, reads));
    }
    Ok(entries)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::indexing::testing::{built, check_against, sizes};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_line_is_read_whole(sizes in sizes(), at in any::<prop::sample::Index>(), k in 0i64..3) {
            if sizes.is_empty() {
                return Ok(());
            }
            let dimension = at.index(sizes.len());
            let mut output = sizes.clone();
            output[dimension] = k;
            let map = built(fibres("topk", &output, &sizes, &[dimension]));
            check_against(&[map], &output, |d| {
                let at = |x| [&d[..dimension], &[x], &d[dimension + 1..]].concat();
                (0..sizes[dimension]).map(at).collect()
            });
        }
    }

    #[test]
    fn refuses_what_does_not_fit() {
        assert!(fibres("sort", &[2, 3], &[2, 3], &[1]).is_ok());
        assert!(fibres("sort", &[2, 3], &[2, 4], &[0]).is_err());
        assert!(fibres("sort", &[2, 3], &[2, 3], &[2]).is_err());
        assert!(fibres("sort", &[2, 3], &[2], &[0]).is_err());
    }
}
