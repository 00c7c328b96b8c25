//! The reads of custom-calls that implement an op: transfers, matrix products and convolutions of libraries.
//!
//! Law: the first array of the result is that of the op. Operands beyond those of the op are classified by their sizes: an
//! array of the result's sizes is added, so is a vector along the features, and a scalar is a scale factor. Bytes beside the
//! result are scratch memory, which holds nothing. Sources: XLA, `cublas_cudnn.h`, `conv_rewriter.cc`, `gemm_rewriter.cc`,
//! `block_scaling_rewriter.cc`; TensorFlow, `XlaSpmdFullToShardShape`.

use super::builder::{MapBuilder, identity, scalar};
use super::convolution::Convolution;
use super::custom_batches;
use super::custom_points;
use super::dot::{Side, output_to_operands};
use super::dot_variants::scale;
use super::gradients;
use super::op::{Entries, NoMap, Op, arrays, entry_of, fixed_sizes, require};
use super::pointwise;
use super::reads::{OperandMap, OperandReads, Reads, TuplePath};
use super::sort;
use affinor::expr::{Expr, IndexingMap};
use affinor::num::{Interval, ceildiv};
use affinor_hlo::element_type::ElementType;
use serde_json::Value as Json;

/// The op that a custom-call implements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form {
    /// The result is the operand.
    Identity,
    /// Each element is computed from the operand elements at its index.
    Elementwise,
    /// The result is the shard of the operand on a device.
    Part,
    /// The result is assembled from the shards on devices.
    Whole,
    Dot,
    BlockScaledDot,
    Convolution,
    InputGradient,
    KernelGradient,
    Topk,
    /// Batches of matrices, each read as a whole.
    Matrices,
    /// Batches of vectors, each read as a whole.
    Vectors,
    Attention,
    /// The loops are stated in the backend config.
    Points,
}

impl Form {
    /// All forms, by name.
    pub(super) const ALL: &'static [(&'static str, Form)] = &[
        ("identity", Form::Identity),
        ("elementwise", Form::Elementwise),
        ("part", Form::Part),
        ("whole", Form::Whole),
        ("dot", Form::Dot),
        ("block-scaled-dot", Form::BlockScaledDot),
        ("convolution", Form::Convolution),
        ("input-gradient", Form::InputGradient),
        ("kernel-gradient", Form::KernelGradient),
        ("topk", Form::Topk),
        ("matrices", Form::Matrices),
        ("vectors", Form::Vectors),
        ("attention", Form::Attention),
        ("points", Form::Points),
    ];

    pub(super) fn from_name(name: &str) -> Option<Form> {
        let mut all = Form::ALL.iter();
        all.find(|(own, _)| *own == name).map(|(_, form)| *form)
    }

    /// Returns the reads of a custom-call of this form.
    pub(super) fn entries(self, op: &Op<'_>) -> Entries {
        match self {
            Form::Topk => return sort::top_entries(op),
            Form::Matrices => return custom_batches::of_rank(op, 2),
            Form::Vectors => return custom_batches::of_rank(op, 1),
            Form::Attention => return custom_batches::attention(op),
            Form::Points => return custom_points::entries(op),
            Form::Identity | Form::Part | Form::Whole => return self.one_by_one(op),
            Form::Elementwise => return pointwise::entries(op),
            _ => {}
        }
        let call = Call::new(op)?;
        match self {
            Form::Dot => call.dot(),
            Form::BlockScaledDot => call.block_scaled_dot(),
            Form::Convolution => {
                let (input, kernel) = (op.operand_sizes(0)?, op.operand_sizes(1)?);
                let arrays = [&call.sizes[..], &input, &kernel];
                let (input, kernel) = Convolution::of(op, arrays)?.output_to_operands()?;
                let feature = op.instruction.convolution_dimensions()?.output.feature;
                call.with_all(&[input, kernel].map(Reads::exactly), Some(feature))
            }
            Form::InputGradient => call.reading(gradients::to_input(op, &call.sizes)?),
            Form::KernelGradient => call.reading(gradients::to_kernel(op, &call.sizes)?),
            _ => Err(NoMap::unknown("its form is that of no product")),
        }
    }

    /// Each array of the result is an operand, a shard of an operand, or assembled from shards of one.
    fn one_by_one(self, op: &Op<'_>) -> Entries {
        let outputs = arrays(op.instruction.shape());
        require(outputs.len() == op.operands.len(), || {
            format!("{} result(s) of {} operand(s)", outputs.len(), op.operands.len())
        })?;
        let mut entries = Vec::new();
        for (k, (path, array)) in outputs.into_iter().enumerate() {
            let (output, operand) = (fixed_sizes(array)?, op.operand_sizes(k)?);
            let reads = match (self, output == operand) {
                (_, true) => Reads::exactly(identity(&output)),
                (Form::Identity, false) => {
                    return Err(NoMap::invalid("the result has other sizes than the operand"));
                }
                _ => divided(op, &output, &operand, self == Form::Part)?,
            };
            entries.push(entry_of(&path, k, reads));
        }
        Ok(entries)
    }
}

/// A custom-call with the sizes of the first array of its result.
struct Call<'a> {
    op: &'a Op<'a>,
    output: TuplePath,
    sizes: Vec<i64>,
}

impl<'a> Call<'a> {
    fn new(op: &'a Op<'a>) -> Result<Call<'a>, NoMap> {
        let first = arrays(op.instruction.shape()).into_iter().next();
        let (output, array) = first.ok_or_else(|| NoMap::invalid("its result has no array"))?;
        let sizes = fixed_sizes(array)?;
        Ok(Call { op, output, sizes })
    }

    /// Returns the answer for a call that reads its first operands through exactly these maps.
    fn reading<const N: usize>(&self, maps: [IndexingMap; N]) -> Entries {
        let maps = maps.map(Reads::exactly);
        self.with_all(&maps, None)
    }

    /// Returns the answer for a call whose first result array has the reads `first` of its first operands, and reads further
    /// operands according to their sizes; its features are along `feature`.
    fn with_all(&self, first: &[Reads], feature: Option<usize>) -> Entries {
        let mut own = Vec::new();
        for k in 0..self.op.operands.len() {
            own.push(match first.get(k) {
                Some(reads) => reads.clone(),
                None => self.added(k, feature)?,
            });
        }
        let mut entries: Vec<OperandReads> = Vec::new();
        for (path, array) in arrays(self.op.instruction.shape()) {
            for (k, reads) in own.iter().enumerate() {
                let bytes = matches!(array.element_type(), ElementType::S8 | ElementType::U8);
                let reads = match path == self.output {
                    true => reads.clone(),
                    false if bytes && array.rank() == 1 => Reads::NOTHING,
                    false => Reads::unknown(format!(
                        "`{}`: only its first result is known",
                        self.op.instruction.name()
                    )),
                };
                entries.push(entry_of(&path, k, reads));
            }
        }
        Ok(entries)
    }

    /// Returns the reads of an additional operand that the op does not have.
    fn added(&self, k: usize, feature: Option<usize>) -> Result<Reads, NoMap> {
        let (sizes, name) = (self.op.operand_sizes(k)?, self.op.instruction.name());
        if sizes == self.sizes {
            let same = identity(&sizes);
            let factor = ["beta", "side_input_scale"]
                .iter()
                .find_map(|key| self.op.instruction.backend_config(key));
            let is_read =
                factor.and_then(|factor| factor.as_f64()).is_some_and(|factor| factor != 0.0);
            return Ok(match is_read {
                true => Reads::exactly(same),
                false => Reads::union([OperandMap::at_most(
                    same,
                    format!("`{name}`: the factor of operand {k} is 0, or not in the text"),
                )]),
            });
        }
        if sizes.is_empty() {
            return Ok(Reads::exactly(scalar(&self.sizes)));
        }
        let builder = MapBuilder::over(&self.sizes);
        match feature
            .and_then(|feature| Some((builder.dimensions().get(feature)?.clone(), feature)))
        {
            Some((index, feature)) if sizes == self.sizes[feature..=feature] => {
                Ok(Reads::exactly(builder.finish(vec![index])))
            }
            _ => {
                Ok(Reads::unknown(format!("`{name}`: the part of operand {k} in it is not known")))
            }
        }
    }

    fn dot(&self) -> Entries {
        let numbers = self.op.instruction.backend_config("dot_dimension_numbers");
        let numbers = numbers
            .ok_or_else(|| NoMap::unknown("its backend config has no `dot_dimension_numbers`"))?;
        // Protocol buffers in JSON encode 64-bit integers as strings.
        let number = |value: &Json| match value {
            Json::String(text) => text.parse().ok(),
            other => usize::try_from(other.as_u64()?).ok(),
        };
        let list = |key: &str| -> Option<Vec<usize>> {
            let list = numbers.get(key).and_then(Json::as_array);
            list.into_iter().flatten().map(number).collect()
        };
        let invalid =
            || NoMap::invalid("expected numbers of dimensions in `dot_dimension_numbers`");
        let [lhs_batch, lhs_contracting, rhs_batch, rhs_contracting] = [
            "lhs_batch_dimensions",
            "lhs_contracting_dimensions",
            "rhs_batch_dimensions",
            "rhs_contracting_dimensions",
        ]
        .map(list);
        let (lhs, rhs) = (self.op.operand_sizes(0)?, self.op.operand_sizes(1)?);
        let (to_lhs, to_rhs) = output_to_operands(
            &self.sizes,
            Side {
                sizes: &lhs,
                batch: &lhs_batch.ok_or_else(invalid)?,
                contracting: &lhs_contracting.ok_or_else(invalid)?,
            },
            Side {
                sizes: &rhs,
                batch: &rhs_batch.ok_or_else(invalid)?,
                contracting: &rhs_contracting.ok_or_else(invalid)?,
            },
        )?;
        let feature = self.sizes.len().checked_sub(1);
        self.with_all(&[to_lhs, to_rhs].map(Reads::exactly), feature)
    }

    /// Returns the reads of a block-scaled dot: `[batch,] rows, contracted` on both sides, with a scale for each block of
    /// contracted elements.
    fn block_scaled_dot(&self) -> Entries {
        let op = self.op;
        require(op.operands.len() == 4, || "expected two operands and their scales")?;
        let (lhs, rhs) = (op.operand_sizes(0)?, op.operand_sizes(1)?);
        let rank = lhs.len();
        require((2..=3).contains(&rank), || "expected matrices, or batches of them")?;
        let batch: Vec<usize> = (0..rank - 2).collect();
        let contracting = [rank - 1];
        let [left, right] =
            [&lhs, &rhs].map(|sizes| Side { sizes, batch: &batch, contracting: &contracting });
        let (to_lhs, to_rhs) = output_to_operands(&self.sizes, left, right)?;
        let to_lhs_scale = scale(&to_lhs, &lhs, &op.operand_sizes(2)?)?;
        let to_rhs_scale = scale(&to_rhs, &rhs, &op.operand_sizes(3)?)?;
        self.reading([to_lhs, to_rhs, to_lhs_scale, to_rhs_scale])
    }
}

/// Returns the reads between an array and its shard on a device.
fn divided(op: &Op<'_>, output: &[i64], operand: &[i64], to_part: bool) -> Result<Reads, NoMap> {
    let (whole, part) = match to_part {
        true => (operand, output),
        false => (output, operand),
    };
    let fits = whole.len() == part.len()
        && whole.iter().zip(part).all(|(whole, part)| part == whole || (1..*whole).contains(part));
    require(fits, || format!("sizes {part:?} are not part of sizes {whole:?}"))?;
    let mut builder = MapBuilder::over(output);
    let mut results = Vec::new();
    for ((index, whole), part) in builder.dimensions().into_iter().zip(whole).zip(part) {
        results.push(match (whole == part, to_part) {
            (true, _) => index,
            (false, true) => {
                let device = builder.range(ceildiv(*whole, *part));
                Expr::sum(0, [(1, index), (*part, device)])?
            }
            (false, false) => index.modulo(*part)?,
        });
    }
    let mut map = builder.finish(results.clone());
    for (result, size) in results.iter().zip(operand) {
        map = map.restricted(result, Interval::of_size(*size));
    }
    let reason = match to_part {
        true => "which part it is depends on the device",
        false => "the element is read on the device that holds it alone",
    };
    let reason = format!("`{}`: {reason}", op.instruction.name());
    Ok(Reads::union([OperandMap::at_most(map, reason)]))
}
