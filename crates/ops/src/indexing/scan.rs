//! Scan: a computation that runs along one dimension, with loop-carried values.
//!
//! Law: step `t` takes the slices of all inputs at index `t` and the carries, and returns slices of the outputs at `t` and the
//! next carries. So an output at `t` reads inputs at indices up to `t`, or from `t` on if the scan runs in reverse, and the
//! last carries read all. If the computation maps each index to itself, the other indices are those of the result; the map is
//! exact if, in addition, each result needs each parameter. The computation may have its parameters in any order.
//! Source: XLA, `HloScanInstruction`.

use super::builder::{MapBuilder, restrict};
use super::op::{
    Callee, Entries, NoMap, Op, arrays, check_parameters, entry_of, fixed_sizes, require,
};
use super::reads::{OperandMap, OperandReads, Reads};
use super::unseen::anything;
use affinor::expr::{Expr, IndexingMap};
use affinor::num::Interval;
use affinor_hlo::module::Computation;

const FOLLOWED: &str = "the reads of an iteration are not followed through all earlier ones";

/// Attributes that determine how a scan runs, and attributes that are irrelevant to it.
const ATTRIBUTES: [&str; 11] = [
    "dimensions",
    "is_associative",
    "is_reverse",
    "num_carries",
    "to_apply",
    "backend_config",
    "control-predecessors",
    "frontend_attributes",
    "metadata",
    "origin",
    "sharding",
];

/// Returns the reads of each input and of each initial carry by each output and each final carry.
pub(super) fn entries(op: &Op<'_>, callee: &mut Callee<'_, '_>) -> Entries {
    let mut attributes = op.instruction.attributes().iter();
    let is_known = attributes.all(|attribute| ATTRIBUTES.contains(&attribute.name()));
    let carries = op.instruction.number("num_carries")?;
    let carries = carries.and_then(|carries| usize::try_from(carries).ok());
    let target = op.instruction.computation_reference("to_apply")?.target();
    let (Some(carries), Some(target), true) = (carries, target, is_known) else {
        return anything(op, FOLLOWED);
    };
    let results = arrays(op.instruction.shape());
    let inputs = op.operands.len().checked_sub(carries).filter(|inputs| *inputs > 0);
    let outputs = results.len().checked_sub(carries);
    let (Some(inputs), Some(outputs)) = (inputs, outputs) else {
        return Err(NoMap::invalid(format!("expected an input beside {carries} carries")));
    };
    let first = op.operand_sizes(0)?;
    let along = op.one_dimension(first.len(), " to scan along")?;
    let steps = first.get(along).copied().unwrap_or(0);
    let (computation, of_step) = callee(target)?;
    check_parameters(computation, op.operands.len())?;
    let (keeps, needs_all) =
        (keeps_indices(computation, &of_step), needs_all(computation, &of_step));
    let scan = Scan { along, steps, is_reverse: op.instruction.flag("is_reverse", false)?, keeps };
    let name = op.instruction.name();
    let mut entries = Vec::new();
    for (number, (path, array)) in results.into_iter().enumerate() {
        let output = fixed_sizes(array)?;
        let is_output = number < outputs;
        let has_steps = !is_output || output.get(along) == Some(&steps);
        require(has_steps, || format!("expected a result of {steps} step(s)"))?;
        for k in 0..op.operands.len() {
            let operand = op.operand_sizes(k)?;
            let is_input = k < inputs;
            let has_steps = !is_input || operand.get(along) == Some(&steps);
            require(has_steps, || format!("expected {steps} step(s) of operand {k}"))?;
            let (map, is_followed) = scan.map((&output, is_output), (&operand, is_input))?;
            let map = match is_followed && needs_all {
                true => OperandMap::exact(map),
                false => OperandMap::at_most(map, format!("`{name}`: {FOLLOWED}")),
            };
            entries.push(entry_of(&path, k, Reads::union([map])));
        }
    }
    Ok(entries)
}

/// The execution of a scan.
struct Scan {
    along: usize,
    steps: i64,
    is_reverse: bool,
    /// Whether a step maps each index to itself.
    keeps: bool,
}

impl Scan {
    /// Returns the map from an array of the result, which is an output or a carry, to an operand, which is an input or a carry,
    /// and whether the map preserves the other indices.
    fn map(
        &self,
        (output, is_output): (&[i64], bool),
        (operand, is_input): (&[i64], bool),
    ) -> Result<(IndexingMap, bool), NoMap> {
        let mut builder = MapBuilder::over(output);
        let mut inner = builder.dimensions();
        let now = is_output.then(|| inner.remove(self.along));
        let without = |sizes: &[i64], has_steps: bool| {
            let mut sizes = sizes.to_vec();
            if has_steps {
                sizes.remove(self.along);
            }
            sizes
        };
        let read = without(operand, is_input);
        let is_followed = self.keeps && read == without(output, is_output);
        let step = is_input.then(|| builder.range(self.steps));
        let mut results = match is_followed {
            true => inner,
            false => read.iter().map(|size| builder.range(*size)).collect(),
        };
        if let Some(step) = &step {
            results.insert(self.along, step.clone());
        }
        let map = builder.finish(results);
        let (Some(now), Some(step)) = (now, step) else {
            return Ok((map, is_followed));
        };
        let (later, earlier): (Expr, Expr) = match self.is_reverse {
            false => (now, step),
            true => (step, now),
        };
        let distance = later.sub(&earlier)?;
        Ok((restrict(&map, &[(distance, Interval::of_size(self.steps))]), is_followed))
    }
}

/// Returns whether a step reads each parameter only at the index of the reading element.
fn keeps_indices(computation: &Computation, of_step: &[OperandReads]) -> bool {
    let results = computation[computation.root()].shape();
    let is_own = |entry: &OperandReads| {
        let sizes = results.at(&entry.output).and_then(|part| part.as_array()?.fixed_sizes());
        let own = sizes.map(|sizes| super::builder::identity(&sizes));
        let maps = entry.reads.maps();
        maps.is_some_and(|maps| {
            maps.iter().all(|map| map.runtime.is_empty() && Some(&map.map) == own.as_ref())
        })
    };
    of_step.iter().all(is_own)
}

/// Returns whether each result of a step certainly needs each parameter.
fn needs_all(computation: &Computation, of_step: &[OperandReads]) -> bool {
    let results = arrays(computation[computation.root()].shape());
    let needs = |output: &[usize], parameter: usize| {
        let mut entries = of_step.iter();
        entries.any(|entry| {
            let is_read = entry.reads.maps().is_some_and(|maps| !maps.is_empty());
            entry.operand == parameter
                && entry.output == output
                && is_read
                && entry.reads.is_exact()
        })
    };
    let parameters = computation.parameters().len();
    results.iter().all(|(path, _)| (0..parameters).all(|parameter| needs(path, parameter)))
}
