//! Gradients of a convolution with respect to its input and its kernel, as libraries compute them.
//!
//! Law: the three arrays of a convolution are related by its products: an element of the output sums products of an element of
//! the input and one of the kernel. For each of its elements, the gradient with respect to one of the two reads the other one
//! and the gradient of the output, wherever the three occur in the same product. Window, dimensions and groups are those of the
//! convolution itself. Source: XLA, `cublas_cudnn.h`.

use super::builder::{MapBuilder, restrict};
use super::convolution::Convolution;
use super::op::{NoMap, Op, require};
use super::window::Geometry;
use affinor::expr::{Expr, IndexingMap};

/// Returns the maps from the gradient with respect to the input, an array of sizes `input`, to that of the output (operand 0)
/// and to the kernel (operand 1).
pub(super) fn to_input(op: &Op<'_>, input: &[i64]) -> Result<[IndexingMap; 2], NoMap> {
    let (output, kernel) = (op.operand_sizes(0)?, op.operand_sizes(1)?);
    Convolution::of(op, [&output, input, &kernel])?.input_gradient()
}

/// Returns the maps from the gradient with respect to the kernel, an array of sizes `kernel`, to the input (operand 0) and to
/// the gradient of the output (operand 1).
pub(super) fn to_kernel(op: &Op<'_>, kernel: &[i64]) -> Result<[IndexingMap; 2], NoMap> {
    let (input, output) = (op.operand_sizes(0)?, op.operand_sizes(1)?);
    Convolution::of(op, [&output, &input, kernel])?.kernel_gradient()
}

impl Convolution<'_> {
    fn check_gradient(&self) -> Result<(), NoMap> {
        self.check()?;
        let dilated = self.windows.iter().any(|window| window.base_dilation != 1);
        require(
            !dilated && self.batch_groups == 1,
            || "expected a convolution without base dilation and batch groups",
        )
    }

    /// Returns the position of a tap in the kernel.
    fn place(&self, k: usize, tap: Expr) -> Result<Expr, NoMap> {
        let window = &self.windows[k];
        Ok(match window.reversal {
            true => Expr::constant(window.size - 1).sub(&tap)?,
            false => tap,
        })
    }

    /// Returns the maps for an element of the input: over the features of its group, and the windows that have a tap at it.
    pub(super) fn input_gradient(&self) -> Result<[IndexingMap; 2], NoMap> {
        self.check_gradient()?;
        let (input, kernel, output) = (&self.input, &self.kernel, &self.output);
        let mut builder = MapBuilder::over(input.sizes);
        let indices = builder.dimensions();
        let (mut windows, mut taps, mut conditions) = (Vec::new(), Vec::new(), Vec::new());
        for (k, window) in self.windows.iter().enumerate() {
            let number = builder.any_index(output.size(output.spatial[k]));
            let element = &indices[input.spatial[k]];
            conditions.extend(window.covers(&number, element)?);
            let begin = number.scale(window.stride)?.sub(&Expr::constant(window.padding_low))?;
            let tap = element.sub(&begin)?.floordiv(window.window_dilation)?;
            taps.push(self.place(k, tap)?);
            windows.push(number);
        }
        let own = builder.range(output.size(output.feature) / self.feature_groups);
        let (feature, per_group) = (&indices[input.feature], kernel.size(kernel.feature));
        let (features, summed) = match self.feature_groups == 1 || per_group == 0 {
            true => (own, feature.clone()),
            false => {
                let part = output.size(output.feature) / self.feature_groups;
                let group = feature.floordiv(per_group)?;
                (group.scale(part)?.add(&own)?, feature.modulo(per_group)?)
            }
        };
        let to_output = output.index(indices[input.batch].clone(), features.clone(), windows);
        let to_kernel = kernel.index(features, summed, taps);
        let finish = |results| restrict(&builder.clone().finish(results), &conditions);
        Ok([finish(to_output), finish(to_kernel)])
    }

    /// Returns the maps for an element of the kernel: over the batch, and the windows whose tap is on the input.
    pub(super) fn kernel_gradient(&self) -> Result<[IndexingMap; 2], NoMap> {
        self.check_gradient()?;
        let (input, kernel, output) = (&self.input, &self.kernel, &self.output);
        let mut builder = MapBuilder::over(kernel.sizes);
        let indices = builder.dimensions();
        let (mut windows, mut elements, mut conditions) = (Vec::new(), Vec::new(), Vec::new());
        for (k, window) in self.windows.iter().enumerate() {
            let number = builder.any_index(output.size(output.spatial[k]));
            let tap = self.place(k, indices[kernel.spatial[k]].clone())?;
            let seen = window.tap(input.size(input.spatial[k]), &number, &tap)?;
            elements.push(seen.element);
            conditions.extend(seen.conditions);
            windows.push(number);
        }
        let batch = builder.range(output.size(output.batch));
        let (feature, part) =
            (&indices[kernel.batch], output.size(output.feature) / self.feature_groups);
        let summed = match self.feature_groups == 1 || part == 0 {
            true => indices[kernel.feature].clone(),
            false => {
                let group = feature.floordiv(part)?;
                group.scale(kernel.size(kernel.feature))?.add(&indices[kernel.feature])?
            }
        };
        let to_input = input.index(batch.clone(), summed, elements);
        let to_output = output.index(batch, feature.clone(), windows);
        let finish = |results| restrict(&builder.clone().finish(results), &conditions);
        Ok([finish(to_input), finish(to_output)])
    }
}
