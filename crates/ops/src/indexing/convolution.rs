//! Convolution: products of input and kernel elements, summed over the taps of a window and over
//! input features.
//!
//! Law, with one batch, one feature and any number of spatial dimensions: `output[b, f, w..]` sums
//! `input[b', f', x..] * kernel[f, i, t'..]` over input features `i` of the kernel and over the taps `t..` of window
//! `w..`, where `x..` is the element under the taps; a tap without an element reads neither side. `t'` is `t`, or
//! counted from the last tap if the window is reversed. With feature groups, `f` of group `g` sees the
//! `g`-th part of the input's features; with batch groups, `f` of group `g` sees the `g`-th part of the input's
//! batch: `f'` and `b'` are `i` and `b` moved to that part. Groups are parts of the output's features.
//! With `sparsity_config`, operands may be packed, beside metadata that locates their elements: any element may be read.
//! Range variables are the taps in spatial order, then the input feature, with shared numbering.
//! Source: XLA, *Operation semantics*, `Conv`; StableHLO, `convolution`.
//! For all sizes: the laws `group-*` of `rules/ops.rules`.

use super::builder::{MapBuilder, check_dimensions, restrict};
use super::op::{Entries, NoMap, Op, exactly, require};
use super::unseen::anything;
use super::window::Geometry;
use affinor::expr::{Expr, ExprError, IndexingMap};
use affinor_hlo::attribute::{ConvolutionArray, WindowDimension};

/// Returns the reads of a convolution.
pub(super) fn entries(op: &Op<'_>) -> Entries {
    if op.instruction.attributes().get("sparsity_config").is_some() {
        return anything(op, "which elements its sparsity keeps is not followed");
    }
    require(op.operands.len() == 2, || {
        format!("expected an input and a kernel, found {} operand(s)", op.operands.len())
    })?;
    let (input, kernel) = (op.operand_sizes(0)?, op.operand_sizes(1)?);
    let output = op.sizes()?;
    let (input, kernel) = Convolution::of(op, [&output, &input, &kernel])?.output_to_operands()?;
    exactly([input, kernel])
}

/// An array of a convolution: its sizes, and the roles of its dimensions.
#[derive(Clone, Debug)]
pub(super) struct Side<'a> {
    pub(super) sizes: &'a [i64],
    /// The batch dimension, or the kernel's output feature dimension.
    pub(super) batch: usize,
    /// The feature dimension, or the kernel's input feature dimension.
    pub(super) feature: usize,
    pub(super) spatial: Vec<usize>,
}

impl<'a> Side<'a> {
    fn new(sizes: &'a [i64], labels: &ConvolutionArray) -> Side<'a> {
        Side {
            sizes,
            batch: labels.batch,
            feature: labels.feature,
            spatial: labels.spatial.to_vec(),
        }
    }

    fn check(&self, name: &str) -> Result<(), NoMap> {
        let all = [&[self.batch, self.feature], &self.spatial[..]].concat();
        check_dimensions(&format!("convolution, for its {name},"), &all, self.sizes.len())?;
        match all.len() == self.sizes.len() {
            true => Ok(()),
            false => Err(NoMap::unknown(format!(
                "a dimension of its {name} without a label has no meaning here"
            ))),
        }
    }

    pub(super) fn size(&self, dimension: usize) -> i64 {
        self.sizes.get(dimension).copied().unwrap_or(0)
    }

    /// Returns the index with these indices in the batch, feature and spatial dimensions.
    pub(super) fn index(&self, batch: Expr, feature: Expr, spatial: Vec<Expr>) -> Vec<Expr> {
        let places = [&[self.batch, self.feature], &self.spatial[..]].concat();
        let mut parts: Vec<(usize, Expr)> =
            places.into_iter().zip([batch, feature].into_iter().chain(spatial)).collect();
        parts.sort_by_key(|(place, _)| *place);
        parts.into_iter().map(|(_, part)| part).collect()
    }
}

/// A convolution, given by its sizes and attributes.
#[derive(Clone, Debug)]
pub(super) struct Convolution<'a> {
    pub(super) input: Side<'a>,
    pub(super) kernel: Side<'a>,
    pub(super) output: Side<'a>,
    /// For each spatial dimension, its window, including whether it is reversed.
    pub(super) windows: Vec<WindowDimension>,
    pub(super) feature_groups: i64,
    pub(super) batch_groups: i64,
}

impl<'a> Convolution<'a> {
    /// Builds the convolution with the attributes of an op, and these sizes of output, input and kernel.
    pub(super) fn of(
        op: &Op<'_>,
        [output, input, kernel]: [&'a [i64]; 3],
    ) -> Result<Convolution<'a>, NoMap> {
        let dimensions = op.instruction.convolution_dimensions()?;
        let windows = op.instruction.window(dimensions.input.spatial.len())?;
        Ok(Convolution {
            input: Side::new(input, &dimensions.input),
            kernel: Side::new(kernel, &dimensions.kernel),
            output: Side::new(output, &dimensions.output),
            windows: windows.to_vec(),
            feature_groups: op.instruction.group_count("feature_group_count")?,
            batch_groups: op.instruction.group_count("batch_group_count")?,
        })
    }

    pub(super) fn check(&self) -> Result<(), NoMap> {
        self.input.check("input")?;
        self.kernel.check("kernel")?;
        self.output.check("output")?;
        let (input, kernel, output) = (&self.input, &self.kernel, &self.output);
        let (features, kernel_features) =
            (output.size(output.feature), kernel.size(kernel.feature));
        let right = self.feature_groups >= 1
            && self.batch_groups >= 1
            && (self.feature_groups == 1 || self.batch_groups == 1)
            && kernel_features.checked_mul(self.feature_groups) == Some(input.size(input.feature))
            && kernel.size(kernel.batch) == features
            && features % self.feature_groups == 0
            && features % self.batch_groups == 0
            && output.size(output.batch).checked_mul(self.batch_groups)
                == Some(input.size(input.batch));
        let spatial = [&input.spatial, &kernel.spatial, &output.spatial];
        if !right || spatial.iter().any(|list| list.len() != self.windows.len()) {
            return Err(NoMap::invalid(format!(
                "convolution of sizes {:?} with a kernel of sizes {:?}, {} feature group(s) and {} batch \
                 group(s) does not give sizes {:?}",
                input.sizes, kernel.sizes, self.feature_groups, self.batch_groups, output.sizes
            )));
        }
        for (k, window) in self.windows.iter().enumerate() {
            let taps = kernel.size(kernel.spatial[k]);
            if taps != window.size {
                return Err(NoMap::invalid(format!(
                    "a window of size {} for a kernel of size {taps}",
                    window.size
                )));
            }
            window.check(input.size(input.spatial[k]), output.size(output.spatial[k]))?;
        }
        Ok(())
    }

    /// Returns the maps to input and kernel.
    pub(super) fn output_to_operands(&self) -> Result<(IndexingMap, IndexingMap), NoMap> {
        self.check()?;
        let (input, kernel, output) = (&self.input, &self.kernel, &self.output);
        let mut builder = MapBuilder::over(output.sizes);
        let indices = builder.dimensions();
        let (batch, feature) = (&indices[output.batch], &indices[output.feature]);
        let (mut elements, mut taps, mut conditions) = (Vec::new(), Vec::new(), Vec::new());
        for (k, window) in self.windows.iter().enumerate() {
            let tap = builder.any_index(window.size);
            let base = input.size(input.spatial[k]);
            let seen = window.tap(base, &indices[output.spatial[k]], &tap)?;
            elements.push(seen.element);
            conditions.extend(seen.conditions);
            taps.push(match window.reversal {
                true => Expr::constant(window.size - 1).sub(&tap)?,
                false => tap,
            });
        }
        let summed = builder.range(kernel.size(kernel.feature));
        // `index` shifted to the part that the output feature's group reads.
        let moved = |index: &Expr, groups: i64, part: i64| -> Result<Expr, ExprError> {
            let features = output.size(output.feature) / groups;
            match groups == 1 || features == 0 {
                true => Ok(index.clone()),
                false => feature.floordiv(features)?.scale(part)?.add(index),
            }
        };
        let input_feature = moved(&summed, self.feature_groups, kernel.size(kernel.feature))?;
        let input_batch = moved(batch, self.batch_groups, output.size(output.batch))?;
        let to_input = input.index(input_batch, input_feature, elements);
        let to_kernel = kernel.index(feature.clone(), summed, taps);
        let finish = |results| restrict(&builder.clone().finish(results), &conditions);
        Ok((finish(to_input), finish(to_kernel)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::indexing::testing::{built, check_against, points, spread};
    use crate::indexing::window::tests::{slid, windows};
    use proptest::prelude::*;

    /// Returns the positions of the batch, feature and spatial dimensions of an array.
    fn order(spatial: usize) -> impl Strategy<Value = Vec<usize>> {
        Just((0..spatial + 2).collect::<Vec<usize>>()).prop_shuffle()
    }

    fn side<'a>(sizes: &'a [i64], places: &[usize]) -> Side<'a> {
        Side { sizes, batch: places[0], feature: places[1], spatial: places[2..].to_vec() }
    }

    type Axis = (i64, WindowDimension, bool);

    fn axes() -> impl Strategy<Value = (Vec<Axis>, [Vec<usize>; 3])> {
        let axis = (1i64..4).prop_flat_map(|base| (Just(base), windows(base), any::<bool>()));
        prop::collection::vec(axis, 0..3).prop_flat_map(|axes| {
            let order = || order(axes.len());
            (Just(axes.clone()), [order(), order(), order()])
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]
        #[test]
        fn reads_what_the_loop_reads(
            (axes, places) in axes(),
            (batch, per_group, summed) in (1i64..3, 1i64..3, 1i64..3),
            (groups, of_batch) in (1i64..4, any::<bool>()),
        ) {
            let (feature_groups, batch_groups) = if of_batch { (1, groups) } else { (groups, 1) };
            let seen: Vec<_> = axes.iter().map(|(base, window, _)| slid(window, *base)).collect();
            let taps: Vec<i64> = axes.iter().map(|(_, window, _)| window.size).collect();
            let bases: Vec<i64> = axes.iter().map(|(base, ..)| *base).collect();
            let counts: Vec<i64> = seen.iter().map(|places| places.len() as i64).collect();
            let features = per_group * groups;
            let sizes = |list: &[i64], spatial: &[i64], k: usize| {
                spread(&places[k], &[list, spatial].concat())
            };
            let input = sizes(&[batch * batch_groups, summed * feature_groups], &bases, 0);
            let kernel = sizes(&[features, summed], &taps, 1);
            let output = sizes(&[batch, features], &counts, 2);
            let convolution = Convolution {
                input: side(&input, &places[0]),
                kernel: side(&kernel, &places[1]),
                output: side(&output, &places[2]),
                windows: axes.iter().map(|(_, window, reversal)| WindowDimension { reversal: *reversal, ..*window }).collect(),
                feature_groups,
                batch_groups,
            };
            let maps = built(convolution.output_to_operands());
            // The definition, by groups: the pairs of elements that are multiplied for `d`.
            let products = |d: &[i64]| -> Vec<(Vec<i64>, Vec<i64>)> {
                let at = |k: usize| d[places[2][k]];
                let (b, f) = (at(0), at(1));
                let group = f / per_group;
                let mut products = Vec::new();
                for tap in points(&taps) {
                    let under = |k: usize| seen[k][at(2 + k) as usize][tap[k] as usize];
                    let Some(x) = (0..tap.len()).map(under).collect::<Option<Vec<i64>>>() else {
                        continue;
                    };
                    let turned = |k: usize| if axes[k].2 { taps[k] - 1 - tap[k] } else { tap[k] };
                    let t: Vec<i64> = (0..tap.len()).map(turned).collect();
                    for i in 0..summed {
                        let (b, of_group) =
                            if of_batch { (group * batch + b, i) } else { (b, group * summed + i) };
                        products.push((
                            spread(&places[0], &[&[b, of_group], &x[..]].concat()),
                            spread(&places[1], &[&[f, i], &t[..]].concat()),
                        ));
                    }
                }
                products
            };
            check_against(&[maps.0], &output, |d| products(d).into_iter().map(|p| p.0).collect());
            check_against(&[maps.1], &output, |d| products(d).into_iter().map(|p| p.1).collect());
            if convolution.windows.iter().any(|window| window.base_dilation > 1) || batch_groups > 1 {
                prop_assert!(convolution.input_gradient().is_err());
                prop_assert!(convolution.kernel_gradient().is_err());
                return Ok(());
            }
            // The gradient by one array reads the other two wherever an element of it occurs in a product with them.
            let of_output = |d: Vec<i64>| {
                products(&d).into_iter().map(move |(input, kernel)| [d.clone(), input, kernel])
            };
            let met: Vec<[Vec<i64>; 3]> = points(&output).into_iter().flat_map(of_output).collect();
            let meeting = |own: usize, d: &[i64], other: usize| -> Vec<Vec<i64>> {
                let here = met.iter().filter(|arrays| arrays[own] == d);
                here.map(|arrays| arrays[other].clone()).collect()
            };
            let [to_output, to_kernel] = built(convolution.input_gradient());
            check_against(&[to_output], &input, |d| meeting(1, d, 0));
            check_against(&[to_kernel], &input, |d| meeting(1, d, 2));
            let [to_input, to_output] = built(convolution.kernel_gradient());
            check_against(&[to_input], &kernel, |d| meeting(2, d, 1));
            check_against(&[to_output], &kernel, |d| meeting(2, d, 0));
        }
    }

    #[test]
    fn refuses_what_does_not_fit() {
        let check = |input: [i64; 2], kernel: [i64; 2], output: [i64; 2], groups: (i64, i64)| {
            let places = [0, 1];
            let convolution = Convolution {
                input: side(&input, &places),
                kernel: side(&kernel, &places),
                output: side(&output, &places),
                windows: Vec::new(),
                feature_groups: groups.0,
                batch_groups: groups.1,
            };
            convolution.output_to_operands().is_ok()
        };
        assert!(check([2, 4], [6, 4], [2, 6], (1, 1)));
        assert!(check([2, 4], [6, 2], [2, 6], (2, 1)));
        assert!(check([2, 4], [6, 4], [1, 6], (1, 2)));
        assert!(!check([2, 4], [6, 4], [2, 6], (2, 1)));
        assert!(!check([2, 4], [6, 4], [2, 6], (1, 2)));
        assert!(!check([2, 4], [5, 2], [2, 5], (2, 1)));
        assert!(!check([2, 4], [6, 2], [1, 6], (2, 2)));
        assert!(!check([2, 4], [6, 3], [2, 6], (1, 1)));
    }
}
