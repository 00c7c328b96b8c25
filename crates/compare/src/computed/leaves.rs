//! What elements are copies of, through all that only moves them.
//!
//! Law: each element of a view is a copy of one element of one leaf. Together, the maps to the leaves are defined where the view is,
//! and each element of it is in the domain of one of them.

use affinor_hlo::module::{Computation, InstructionId};
use affinor_hlo::opcode::{Opcode, Values};
use affinor_ops::indexing::{Analysis, Exactness, OperandMap, Place, Reads};
use std::collections::BTreeMap;

/// Most steps through what moves elements.
const STEPS: u64 = 50_000;

/// Elements of an array at the points of a space, where the maps are defined.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct View {
    pub(super) at: Place,
    pub(super) maps: Vec<OperandMap>,
}

/// The arrays that a view of the entry is copied from: parameters, constants, and what operations make.
pub(super) fn leaves(
    analysis: &mut Analysis<'_>,
    (computation, id): (&Computation, affinor_hlo::module::ComputationId),
    sizes: &[i64],
    view: &View,
) -> Result<Vec<View>, String> {
    let start = BTreeMap::from([(view.at.clone(), Reads::Maps(view.maps.clone()))]);
    let stops = |place: &Place| !moves(computation, place.0);
    let found = analysis.onward(id, sizes, start, &stops, STEPS);
    let found = found
        .map_err(|error| error.to_string())?
        .ok_or("there are too many steps between its operations")?;
    let mut leaves = Vec::new();
    for (at, reads) in found {
        let Reads::Maps(maps) = reads else {
            return Err(format!("what is read of `{}` is not known", computation[at.0].name()));
        };
        if maps.iter().any(|map| map.exactness != Exactness::Exact) {
            return Err(format!("what is read of `{}` is not exact", computation[at.0].name()));
        }
        if !maps.is_empty() {
            leaves.push(View { at, maps });
        }
    }
    Ok(leaves)
}

/// Whether the elements of an instruction are copies of those of its operands.
fn moves(computation: &Computation, id: InstructionId) -> bool {
    let instruction = &computation[id];
    let keeps_type = || {
        let types = [
            computation.operands(instruction).next().map(|x| x.shape()),
            Some(instruction.shape()),
        ];
        let [from, to] = types.map(|shape| Some(shape?.as_array()?.element_type()));
        from.is_some() && from == to
    };
    match instruction.opcode() {
        Opcode::AddDependency | Opcode::CopyDone | Opcode::CopyStart | Opcode::Domain => true,
        Opcode::Bitcast | Opcode::Convert => keeps_type(),
        Opcode::Parameter => false,
        opcode => opcode.values() != Values::Made,
    }
}
