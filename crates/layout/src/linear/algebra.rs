//! Operations on linear layouts.
//!
//! Law: composition is the product of matrices; P is a pseudo-inverse of A if `A P A = A`, and the inverse if A is a
//! bijection. Of the inputs with one element P gives the one whose free bits are 0, where a bit is free if its basis is a
//! sum of bases before it.

use super::elimination::Elimination;
use super::layout::{Input, LinearLayout, NotLinear, Output};

/// An inverse, or the linear layout nearest to one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Inverse {
    /// A bijection's.
    Exact(LinearLayout),
    /// Of a layout that is none: `A P A = A`.
    Pseudo(LinearLayout),
}

impl Inverse {
    /// The layout.
    #[must_use]
    pub fn layout(&self) -> &LinearLayout {
        match self {
            Inverse::Exact(layout) | Inverse::Pseudo(layout) => layout,
        }
    }
}

/// How many elements follow each other in the registers of a lane.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Contiguity {
    /// The output dimension.
    pub output: usize,
    /// Registers `0..elements` hold elements that follow each other along it.
    pub elements: u64,
}

impl LinearLayout {
    /// `second` after this layout; the outputs of this one are the inputs of `second`, by their order.
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

    /// The inverse of a bijection, or a pseudo-inverse: from elements to inputs.
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
        // From an input's bits, the first dimension lowest, to a number in row-major order.
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

    /// Which bits of each input are free: their bases are sums of bases before them, so that elements are held several
    /// times. A mask for each input.
    #[must_use]
    pub fn free(&self) -> Vec<u64> {
        let elimination = self.elimination();
        let highest = |mask: &u64| 1_u64 << (u64::BITS - 1 - mask.leading_zeros());
        let free = elimination.kernel().iter().map(highest).fold(0, |all, bit| all | bit);
        self.indices(free)
    }

    /// All inputs of an element: the first, and masks whose sums lead to the others; `None` if there is none.
    #[must_use]
    pub fn holders(&self, element: u64) -> Option<(u64, Vec<u64>)> {
        let elimination = self.elimination();
        Some((elimination.solve(element)?, elimination.kernel().to_vec()))
    }

    /// How many elements the first registers (or offsets) hold one behind the other, along the output where that is most.
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

    /// The outputs in another order: the first is the one of number `order[0]`.
    ///
    /// # Errors
    /// If that is no order of the outputs.
    pub fn transposed(&self, order: &[usize]) -> Result<LinearLayout, NotLinear> {
        let mut sorted = order.to_vec();
        sorted.sort_unstable();
        if !sorted.iter().copied().eq(0..self.outputs().len()) {
            return Err(NotLinear::Outside);
        }
        let outputs: Vec<Output> =
            order.iter().map(|number| self.outputs()[*number].clone()).collect();
        let moved = |basis: &u64| {
            let old = self.coordinates(*basis);
            let pairs = order.iter().zip(&outputs);
            pairs.fold(0, |sum, (number, output)| sum << output.bits | old[*number])
        };
        let inputs = self.inputs().iter().map(|input| Input {
            name: input.name.clone(),
            bases: input.bases.iter().map(moved).collect(),
        });
        LinearLayout::new(inputs.collect(), outputs.clone())
    }

    /// The same elements, numbered in row-major order, in outputs of other sizes.
    ///
    /// # Errors
    /// If the sizes are no powers of two, or have another product.
    pub fn reshaped(&self, sizes: &[u64]) -> Result<LinearLayout, NotLinear> {
        let mut outputs = Vec::new();
        for (number, size) in sizes.iter().enumerate() {
            let bits = exponent(*size)?;
            outputs.push(Output { name: format!("dim{number}"), bits });
        }
        let all: u32 = outputs.iter().map(|output| output.bits).sum();
        match all == self.output_bits() {
            true => self.with_outputs(outputs),
            false => Err(NotLinear::Sizes(self.shape(), sizes.to_vec())),
        }
    }

    /// All outputs as one, of this name.
    ///
    /// # Errors
    /// None for a layout that was built.
    pub fn flattened(&self, name: &str) -> Result<LinearLayout, NotLinear> {
        self.with_outputs(vec![Output { name: name.to_owned(), bits: self.output_bits() }])
    }

    /// Whether both are one function: the same sizes, and the same element for each input. A dimension without bits that only
    /// one of them has makes no difference.
    #[must_use]
    pub fn equals(&self, other: &LinearLayout) -> bool {
        fn known(layout: &LinearLayout) -> Vec<&Input> {
            layout.inputs().iter().filter(|input| !input.bases.is_empty()).collect()
        }
        self.shape() == other.shape() && known(self) == known(other)
    }

    /// An input at which two layouts of the same inputs and sizes differ; the lowest bit that does.
    #[must_use]
    pub fn difference(&self, other: &LinearLayout) -> Option<u64> {
        let bases = self.bases().into_iter().zip(other.bases());
        let mut different = bases.enumerate().filter(|(_, (x, y))| x != y);
        different.next().map(|(bit, _)| 1 << bit)
    }

    /// The bases of dimensions that `is_wanted` chooses.
    pub(super) fn bases_of(&self, is_wanted: impl Fn(&str) -> bool) -> Elimination {
        let chosen = self.inputs().iter().filter(|input| is_wanted(&input.name));
        let bases: Vec<u64> = chosen.flat_map(|input| input.bases.iter().copied()).collect();
        Elimination::of(&bases)
    }
}

/// The exponent of a power of two.
pub(super) fn exponent(size: u64) -> Result<u32, NotLinear> {
    match size.is_power_of_two() {
        true => Ok(size.trailing_zeros()),
        false => Err(NotLinear::Size(i64::try_from(size).unwrap_or(i64::MAX))),
    }
}
