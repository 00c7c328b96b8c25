//! Assembles a layout from pieces, each of which takes the next bits of an input and of an output.
//!
//! Law: a piece of size `n` along an output of which `m` coordinates are taken maps to the coordinates `m * i`, `i < n`.

use super::algebra::exponent;
use super::layout::{Input, LinearLayout, NotLinear, Output};

/// A partially built layout.
#[derive(Clone, Debug)]
pub struct Builder {
    /// For each input, its name, and the coordinates of each of its bits.
    inputs: Vec<(&'static str, Vec<Vec<u64>>)>,
    /// The number of bits of each output that are taken.
    taken: Vec<u32>,
}

impl Builder {
    /// Creates an empty layout with `rank` outputs.
    #[must_use]
    pub fn new(inputs: &[&'static str], rank: usize) -> Builder {
        let inputs = inputs.iter().map(|name| (*name, Vec::new())).collect();
        Builder { inputs, taken: vec![0; rank] }
    }

    /// Appends a bit with these coordinates to an input.
    pub fn basis(&mut self, input: &str, coordinates: Vec<u64>) {
        let found = self.inputs.iter_mut().find(|(name, _)| *name == input);
        if let Some((_, bases)) = found {
            bases.push(coordinates);
        }
    }

    /// Records that bases have taken `bits` bits of an output.
    pub fn took(&mut self, output: usize, bits: u32) {
        if let Some(taken) = self.taken.get_mut(output) {
            *taken += bits;
        }
    }

    /// Maps the next bits of an input to the next `size` coordinates of an output.
    ///
    /// # Errors
    /// If the size is not a power of two.
    pub fn along(&mut self, input: &str, output: usize, size: u64) -> Result<(), NotLinear> {
        for _ in 0..exponent(size)? {
            let mut coordinates = vec![0; self.taken.len()];
            let place = coordinates.get_mut(output).ok_or(NotLinear::Outside)?;
            *place = 1_u64.checked_shl(self.taken[output]).ok_or(NotLinear::TooLarge)?;
            self.taken[output] += 1;
            self.basis(input, coordinates);
        }
        Ok(())
    }

    /// Returns the number of bits of an output that are taken.
    #[must_use]
    pub fn taken(&self, output: usize) -> u32 {
        self.taken.get(output).copied().unwrap_or(0)
    }

    /// Appends `size` input indices that hold the same elements.
    ///
    /// # Errors
    /// If the size is not a power of two.
    pub fn again(&mut self, input: &str, size: u64) -> Result<(), NotLinear> {
        for _ in 0..exponent(size)? {
            self.basis(input, vec![0; self.taken.len()]);
        }
        Ok(())
    }

    /// Maps the next bits of an input to the next coordinates of each output, in this order.
    ///
    /// # Errors
    /// If a size is not a power of two.
    pub fn over(&mut self, input: &str, sizes: &[u64], order: &[usize]) -> Result<(), NotLinear> {
        order.iter().try_for_each(|output| {
            self.along(input, *output, *sizes.get(*output).ok_or(NotLinear::Outside)?)
        })
    }

    /// Fits the layout to the shape: missing parts are repeated along the first input, by outputs in this order, and coordinates
    /// beyond the shape wrap to 0.
    ///
    /// # Errors
    /// If a size is not a power of two.
    pub fn fit(&mut self, shape: &[u64], order: &[usize]) -> Result<(), NotLinear> {
        let Some(first) = self.inputs.first().map(|(name, _)| *name) else {
            return Ok(());
        };
        for output in order {
            let bits = exponent(*shape.get(*output).ok_or(NotLinear::Outside)?)?;
            let missing = bits.saturating_sub(self.taken[*output]);
            self.along(first, *output, 1 << missing)?;
        }
        for coordinates in self.inputs.iter_mut().flat_map(|(_, bases)| bases) {
            for (coordinate, size) in coordinates.iter_mut().zip(shape) {
                *coordinate = if *coordinate >= *size { 0 } else { *coordinate };
            }
        }
        self.taken = shape.iter().map(|size| size.trailing_zeros()).collect();
        Ok(())
    }

    /// Returns the layout, with the outputs `dim0`, `dim1`, ...
    ///
    /// # Errors
    /// If it is too large, or a coordinate is out of range.
    pub fn finished(self, shape: &[u64]) -> Result<LinearLayout, NotLinear> {
        let mut outputs = Vec::new();
        for (number, size) in shape.iter().enumerate() {
            outputs.push(Output { name: format!("dim{number}"), bits: exponent(*size)? });
        }
        let bare = LinearLayout::new(Vec::new(), outputs.clone())?;
        let mut inputs = Vec::new();
        for (name, bases) in self.inputs {
            let bases = bases.iter().map(|coordinates| bare.element(coordinates));
            let bases = bases.collect::<Result<Vec<u64>, NotLinear>>()?;
            inputs.push(Input { name: name.to_owned(), bases });
        }
        LinearLayout::new(inputs, outputs)
    }
}
