//! Utilisation of the operands of an instruction or a computation: the combined reads of each array by all arrays of the
//! output.

use crate::footprint::utilisation::{Utilisation, utilisation};
use crate::indexing::{OperandMap, OperandReads, Reads, TuplePath};
use affinor::prove::Budget;
use affinor_hlo::shape::Shape;
use std::collections::BTreeMap;

/// The utilisation of one array of an operand.
#[derive(Clone, PartialEq, Debug)]
pub struct OperandUse<'r> {
    /// The operand's index, or the parameter number.
    pub operand: usize,
    /// The part of the operand, `[]` unless it is a tuple.
    pub path: &'r TuplePath,
    /// The utilisation, or why it is unknown.
    pub found: Result<Box<Utilisation>, String>,
}

/// Returns the utilisation of each array that `reads` names; `shapes` are the shapes of the operands.
///
/// ```
/// use affinor::prove::Budget;
/// use affinor_hlo as hlo;
/// use affinor_ops::{footprint::operands::of_operands, indexing::Analysis};
///
/// let module = hlo::read(b"p = f32[8,16] parameter(0) \n s = f32[4,16] slice(p), slice={[0:4],[0:16]}")?;
/// let computation = &module[module.entry()];
/// let reads = Analysis::new(&module, &|map| map.clone()).instruction(module.entry(), computation.root())?;
/// let shapes: Vec<_> = computation.operands(&computation[computation.root()]).map(|it| it.shape()).collect();
/// let used = of_operands(&reads, &shapes, &Budget::default());
/// assert_eq!(used[0].found.as_ref().map(|found| found.share()), Ok(0.5));
/// # Ok::<(), affinor::text::Error>(())
/// ```
#[must_use]
pub fn of_operands<'r>(
    reads: &'r [OperandReads],
    shapes: &[&Shape],
    budget: &Budget,
) -> Vec<OperandUse<'r>> {
    // One answer for each array of an operand, about the reads of all arrays of the output together.
    let mut arrays: BTreeMap<(usize, &TuplePath), Vec<(usize, &Reads)>> = BTreeMap::new();
    let mut outputs: Vec<&TuplePath> = Vec::new();
    for entry in reads {
        let number = outputs.iter().position(|path| **path == entry.output);
        let number = number.unwrap_or_else(|| {
            outputs.push(&entry.output);
            outputs.len() - 1
        });
        let array = arrays.entry((entry.operand, &entry.operand_path));
        array.or_default().push((number, &entry.reads));
    }
    let of = |((operand, path), reads): ((usize, &'r TuplePath), Vec<_>)| {
        let found = used(budget, shapes.get(operand)?.at(path), &reads);
        Some(OperandUse { operand, path, found })
    };
    arrays.into_iter().filter_map(of).collect()
}

fn used(
    budget: &Budget,
    shape: Option<&Shape>,
    reads: &[(usize, &Reads)],
) -> Result<Box<Utilisation>, String> {
    let sizes = shape.and_then(|shape| shape.as_array()?.sizes());
    let sizes = sizes.ok_or("it has no fixed sizes")?;
    let mut maps: Vec<(usize, &OperandMap)> = Vec::new();
    for (output, reads) in reads {
        match reads {
            Reads::Maps(of_output) => maps.extend(of_output.iter().map(|map| (*output, map))),
            Reads::Unknown { reason } => return Err(reason.to_string()),
        }
    }
    let found = utilisation(&maps, &sizes, budget);
    found.map(Box::new).map_err(|stop| stop.to_string())
}
