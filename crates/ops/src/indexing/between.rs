//! The reads of an earlier instruction by a later one of the same computation, through all instructions between, and their
//! inverse.
//!
//! Law: the maps are those of [`Analysis::computation`] with the reader as the result and the source as the only parameter,
//! regardless of the reads of the source.

use super::analysis::Analysis;
use super::op::arrays;
use super::open::elements;
use super::reads::{InstructionPlace, OperandReads, Reads, TuplePath};
use super::walk::Limits;
use affinor::text::Error;
use affinor_hlo::module::{ComputationId, InstructionId};
use std::collections::BTreeMap;

/// Two instructions of a computation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Between {
    /// The computation.
    pub computation: ComputationId,
    /// The instruction that reads.
    pub reader: InstructionId,
    /// The instruction that is read.
    pub source: InstructionId,
}

impl Analysis<'_> {
    /// Returns the reads of each array of the source by each array of the reader; pairs that are not listed are not read.
    /// [`OperandReads::operand`] is 0, and runtime variables are expressed in terms of the computation.
    ///
    /// # Errors
    /// As [`Analysis::instruction`].
    pub fn between(&mut self, asked: Between) -> Result<Vec<OperandReads>, Error> {
        let Between { computation, reader, source } = asked;
        let body = &self.module()[computation];
        let (shape, name) = (body[reader].shape(), body[reader].name());
        // Operands precede their users, so instructions before the source do not depend on it.
        let stops = |place: &(InstructionId, TuplePath)| place.0 <= source;
        let mut entries = Vec::new();
        for (output, array) in arrays(shape) {
            let place = InstructionPlace { computation, instruction: reader };
            let start = match elements(self.open.as_deref(), place, &output, array) {
                Some(all) => Reads::exactly(all),
                None => Reads::unknown(format!("`{name}`: one of its dimensions has no bound")),
            };
            let start = BTreeMap::from([((reader, output.clone()), start)]);
            let sizes = array.sizes().unwrap_or_default();
            let steps = Limits::default().steps;
            let read = self.onward(computation, &sizes, start, &stops, steps)?;
            let entry = |operand_path: TuplePath, reads: Reads| OperandReads {
                output: output.clone(),
                operand: 0,
                operand_path,
                reads,
            };
            match read {
                Some(read) => {
                    let of_source = read.into_iter().filter(|((at, _), _)| *at == source);
                    entries.extend(of_source.map(|((_, path), reads)| entry(path, reads)));
                }
                None => {
                    entries.extend(arrays(body[source].shape()).into_iter().map(|(path, _)| {
                        let reads = Reads::unknown(format!("`{name}`: there are too many steps"));
                        entry(path, reads)
                    }))
                }
            }
        }
        Ok(entries)
    }

    /// Inverts [`Analysis::between`]: maps the elements of the source to those of the reader that read them.
    ///
    /// # Errors
    /// As [`Analysis::instruction`].
    pub fn between_readers(&mut self, asked: Between) -> Result<Vec<OperandReads>, Error> {
        let entries = self.between(asked)?;
        let body = &self.module()[asked.computation];
        let (shape, name) = (body[asked.source].shape(), body[asked.reader].name());
        Ok(self.turned(&entries, name, &|_| Some(shape)))
    }
}
