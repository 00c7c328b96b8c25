//! Operations on linear layouts.
//!
//! Law: composition is the product of matrices; P is a pseudo-inverse of A if `A P A = A`, and the inverse if A is a bijection.
//! Among the inputs of an element, P returns the one whose free bits are 0, where a bit is free if its basis is a sum of bases
//! before it.

use super::elimination::Elimination;
use super::layout::{Input, LinearLayout, NotLinear, Output};

/// An inverse, or a pseudo-inverse if no inverse exists.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Inverse {
    /// The inverse of a bijection.
    Exact(LinearLayout),
    /// A pseudo-inverse of any other layout: `A P A = A`.
    Pseudo(LinearLayout),
}

impl Inverse {
    /// Returns the inverse or pseudo-inverse.
    #[must_use]
    pub fn layout(&self) -> &LinearLayout {
        match self {
            Inverse::Exact(layout) | Inverse::Pseudo(layout) => layout,
        }
    }
}

/// The number of contiguous elements in the registers of a lane.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Contiguity {
    /// The output dimension.
    pub output: usize,
    /// Registers `0..elements` hold contiguous elements along this dimension.
    pub elements: u64,
}

impl LinearLayout {
    /// Returns the composition of this layout and then `second`; the outputs of this layout are the inputs of `second`, in order.
    ///
    /// # Errors
    /// If the sizes differ.
    pub fn then(&self, second: &LinearLayout) -> Result<LinearLayout, NotLinear> {
        let sizes: Vec<u64> = second.inputs().iter().map(|input| 1 << input.bases.len()).collect();
        if sizes != self.shape() {
            return Err(NotLinear::Sizes(self.shape(), sizes));
        }
        let image = |basis: &u64| second.apply(second.input_at(&self.coordinates(*basis)));
        let inputs = self.inputs().iter().map(|input| Input {
            name: input.name.clone(),
            bases: input.bases.iter().map(image).collect(),
        });
        LinearLayout::new(inputs.collect(), second.outputs().to_vec())
    }

    /// Returns the inverse of a bijection, or a pseudo-inverse: from elements to inputs.
    ///
    /// # Errors
    /// If it is too large.
    pub fn inverse(&self) -> Result<Inverse, NotLinear> {
        let elimination = self.elimination();
        let outputs: Vec<Output> = self
            .inputs()
            .iter()
            .map(|input| Output { name: input.name.clone(), bits: input.bases.len() as u32 })
            .collect();
        // Converts an input's bits, with the first dimension lowest, to a number in row-major order.
        let row_major = |input: u64| {
            let indices = self.indices(input).into_iter().zip(&outputs);
            indices.fold(0, |number, (index, output)| number << output.bits | index)
        };
        let mut below = self.output_bits();
        let mut inputs = Vec::new();
        for output in self.outputs() {
            below -= output.bits;
            let places = below..below + output.bits;
            let bases = places.map(|place| row_major(elimination.nearest(1 << place))).collect();
            inputs.push(Input { name: output.name.clone(), bases });
        }
        let inverse = LinearLayout::new(inputs, outputs.clone())?;
        let is_exact =
            elimination.kernel().is_empty() && elimination.rank() == self.output_bits() as usize;
        Ok(if is_exact { Inverse::Exact(inverse) } else { Inverse::Pseudo(inverse) })
    }

    /// Returns, for each input, a mask of its free bits: bits whose bases are sums of bases before them, so that elements are
    /// held several times.
    #[must_use]
    pub fn free(&self) -> Vec<u64> {
        let elimination = self.elimination();
        let highest = |mask: &u64| 1_u64 << (u64::BITS - 1 - mask.leading_zeros());
        let free = elimination.kernel().iter().map(highest).fold(0, |all, bit| all | bit);
        self.indices(free)
    }

    /// Returns all inputs of an element: the first, and masks whose sums generate the others; `None` if it has no input.
    #[must_use]
    pub fn holders(&self, element: u64) -> Option<(u64, Vec<u64>)> {
        let elimination = self.elimination();
        Some((elimination.solve(element)?, elimination.kernel().to_vec()))
    }

    /// Returns the largest number of contiguous elements along an output in the first registers (or at the first offsets).
    #[must_use]
    pub fn contiguity(&self) -> Option<Contiguity> {
        let first = self.inputs().first()?;
        let mut below = self.output_bits();
        let mut best: Option<Contiguity> = None;
        for (number, output) in self.outputs().iter().enumerate() {
            below -= output.bits;
            let along = (0..output.bits).map(|bit| 1_u64 << (below + bit));
            let equal = first.bases.iter().zip(along).take_while(|(basis, unit)| *basis == unit);
            let length = equal.count();
            // Another basis with a low bit would permute the elements of some inputs.
            let others = self.bases().into_iter().skip(length);
            let lowest = others.fold(0, |all, basis| all | basis) >> below;
            let length = (lowest.trailing_zeros() as usize).min(length);
            let elements = 1 << length;
            if best.is_none_or(|best| best.elements <= elements) {
                best = Some(Contiguity { output: number, elements });
            }
        }
        best
    }

    /// Combines all outputs into one with this name.
    ///
    /// # Errors
    /// None for a layout that was built successfully.
    pub fn flattened(&self, name: &str) -> Result<LinearLayout, NotLinear> {
        self.with_outputs(vec![Output { name: name.to_owned(), bits: self.output_bits() }])
    }

    /// Returns whether both layouts are the same function: the same sizes, and the same element for each input. An input
    /// dimension without bits in only one of them makes no difference.
    #[must_use]
    pub fn equals(&self, other: &LinearLayout) -> bool {
        fn known(layout: &LinearLayout) -> Vec<&Input> {
            layout.inputs().iter().filter(|input| !input.bases.is_empty()).collect()
        }
        self.shape() == other.shape() && known(self) == known(other)
    }

    /// Eliminates the bases of the dimensions that `is_wanted` selects.
    pub(super) fn bases_of(&self, is_wanted: impl Fn(&str) -> bool) -> Elimination {
        let chosen = self.inputs().iter().filter(|input| is_wanted(&input.name));
        let bases: Vec<u64> = chosen.flat_map(|input| input.bases.iter().copied()).collect();
        Elimination::of(&bases)
    }
}

/// Returns the exponent of a power of two.
pub(super) fn exponent(size: u64) -> Result<u32, NotLinear> {
    match size.is_power_of_two() {
        true => Ok(size.trailing_zeros()),
        false => Err(NotLinear::Size(i64::try_from(size).unwrap_or(i64::MAX))),
    }
}
