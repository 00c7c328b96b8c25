//! The arrays that a computation without calls computes, and the arrays that each depends on.

use affinor::num::product;
use affinor_hlo::module::{ComputationId, Module};
use affinor_hlo::opcode::Opcode;
use affinor_ops::indexing::{Analysis, InstructionPlace, Place, Reads};
use std::collections::{BTreeMap, BTreeSet};

/// An array: the result of an instruction or a part of it.
pub(super) struct Value {
    pub(super) place: Place,
    /// The sizes; `None` if a dimension has no bound.
    pub(super) sizes: Option<Vec<i64>>,
    /// The numbers of the arrays that its instruction reads for it.
    pub(super) made_of: Vec<usize>,
    /// Whether it is worth comparing: `false` if each of its elements reads one element of each of some arrays, at an index
    /// that is a function of its own.
    pub(super) is_mixed: bool,
    /// Whether it is a parameter, or the result of a loop: nothing is read through it.
    pub(super) is_end: bool,
}

impl Value {
    /// Returns the number of elements, if it is known.
    pub(super) fn count(&self) -> Option<i64> {
        let sizes = self.sizes.as_ref()?;
        product(sizes.iter().copied())
    }
}

/// The arrays of a computation, operands before users.
pub(super) struct Values {
    pub(super) list: Vec<Value>,
    pub(super) numbers: BTreeMap<Place, usize>,
}

impl Values {
    /// Collects the arrays; returns `None` if an instruction contradicts itself. `unchanged` is true for the parts that a
    /// loop passes on.
    pub(super) fn of(
        module: &Module,
        id: ComputationId,
        analysis: &mut Analysis<'_>,
        unchanged: &dyn Fn(&Place) -> bool,
    ) -> Option<Values> {
        let computation = &module[id];
        let mut values = Values { list: Vec::new(), numbers: BTreeMap::new() };
        for (at, instruction) in computation.instructions() {
            let arrays = instruction.shape().arrays();
            let is_loop = *instruction.opcode() == Opcode::While;
            let place = InstructionPlace { computation: id, instruction: at };
            let entries = match is_loop {
                true => Vec::new().into(),
                false => analysis.unsimplified(place).ok()?,
            };
            for (path, array) in arrays {
                let own = (at, path);
                let mut made_of = BTreeSet::new();
                let mut is_mixed = false;
                if is_loop && unchanged(&own) {
                    let start = *instruction.operands().first()?;
                    made_of.extend(values.numbers.get(&(start, own.1.clone())));
                }
                let start = entries.partition_point(|entry| entry.output < own.1);
                let of_part = entries[start..].iter();
                for entry in of_part.take_while(|entry| entry.output == own.1) {
                    if entry.reads == Reads::NOTHING {
                        continue;
                    }
                    let operand = *instruction.operands().get(entry.operand)?;
                    made_of.extend(values.numbers.get(&(operand, entry.operand_path.clone())));
                    is_mixed |= match entry.reads.maps() {
                        Some([map]) => {
                            let domain = map.map.domain();
                            domain.variables().len() > array.rank()
                        }
                        _ => true,
                    };
                }
                values.numbers.insert(own.clone(), values.list.len());
                values.list.push(Value {
                    is_end: instruction.parameter_number().is_some()
                        || is_loop && made_of.is_empty(),
                    place: own,
                    sizes: array.sizes(),
                    made_of: made_of.into_iter().collect(),
                    is_mixed,
                });
            }
        }
        Some(values)
    }
}
