//! A linear layout: bases of inputs in the space of outputs.
//!
//! Elements are numbered in row-major order, so the coordinates of an output are bits of one word, the last output lowest;
//! an input is the bits of its dimensions, the first lowest.

use super::elimination::Elimination;
use std::fmt;

/// The input dimensions of a tensor in registers, innermost first.
pub const THREADS: [&str; 4] = ["register", "lane", "warp", "block"];

/// Maximum number of bits of inputs, and of outputs.
pub const MOST_BITS: u32 = 40;

/// An input dimension, such as `lane`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Input {
    /// Its name.
    pub name: String,
    /// The element of each bit, as a number in row-major order.
    pub bases: Vec<u64>,
}

/// An output dimension.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Output {
    /// Its name.
    pub name: String,
    /// The binary logarithm of its size.
    pub bits: u32,
}

/// The reason why there is no layout.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NotLinear {
    /// Too large.
    #[error("a linear layout has at most {MOST_BITS} bits of inputs and of outputs")]
    TooLarge,
    /// A size is not a power of two.
    #[error("sizes of linear layouts are powers of two, not {0}")]
    Size(i64),
    /// A basis is out of the range of the outputs.
    #[error("a basis is outside the outputs")]
    Outside,
    /// The sizes of two layouts differ.
    #[error("the sizes differ: {0:?} and {1:?}")]
    Sizes(Vec<u64>, Vec<u64>),
    /// The dimensions of two layouts differ.
    #[error("the dimensions differ: {0} and {1}")]
    Dimensions(String, String),
    /// A dimension is missing.
    #[error("there is no dimension {0}")]
    Missing(String),
    /// The map is not linear.
    #[error("{0}")]
    Map(String),
}

/// A linear function from the bits of inputs to the bits of outputs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LinearLayout {
    inputs: Vec<Input>,
    outputs: Vec<Output>,
}

impl LinearLayout {
    /// Creates a layout.
    ///
    /// # Errors
    /// If it is too large, or a basis is outside the outputs.
    pub fn new(inputs: Vec<Input>, outputs: Vec<Output>) -> Result<LinearLayout, NotLinear> {
        let input_bits: usize = inputs.iter().map(|input| input.bases.len()).sum();
        let output_bits =
            outputs.iter().try_fold(0_u32, |sum, output| sum.checked_add(output.bits));
        let output_bits =
            output_bits.filter(|bits| *bits <= MOST_BITS).ok_or(NotLinear::TooLarge)?;
        if input_bits > MOST_BITS as usize {
            return Err(NotLinear::TooLarge);
        }
        let outside = |basis: &u64| basis >> output_bits != 0;
        if inputs.iter().any(|input| input.bases.iter().any(outside)) {
            return Err(NotLinear::Outside);
        }
        Ok(LinearLayout { inputs, outputs })
    }

    /// Returns the input dimensions; bits of the first are the lowest of an input.
    #[must_use]
    pub fn inputs(&self) -> &[Input] {
        &self.inputs
    }

    /// Returns the output dimensions; bits of the last are the lowest of an element.
    #[must_use]
    pub fn outputs(&self) -> &[Output] {
        &self.outputs
    }

    /// Returns the sizes of the outputs.
    #[must_use]
    pub fn shape(&self) -> Vec<u64> {
        self.outputs.iter().map(|output| 1 << output.bits).collect()
    }

    /// Returns all bases, those of the first input first.
    #[must_use]
    pub fn bases(&self) -> Vec<u64> {
        self.inputs.iter().flat_map(|input| input.bases.iter().copied()).collect()
    }

    /// Returns the total number of bits of all inputs.
    #[must_use]
    pub fn input_bits(&self) -> u32 {
        self.inputs.iter().map(|input| input.bases.len() as u32).sum()
    }

    /// Returns the total number of bits of all outputs.
    #[must_use]
    pub fn output_bits(&self) -> u32 {
        self.outputs.iter().map(|output| output.bits).sum()
    }

    /// Looks up an input dimension by name.
    #[must_use]
    pub fn input(&self, name: &str) -> Option<&Input> {
        self.inputs.iter().find(|input| input.name == name)
    }

    /// Returns the element of an input.
    #[must_use]
    pub fn apply(&self, input: u64) -> u64 {
        let bases = self.inputs.iter().flat_map(|input| &input.bases).enumerate();
        bases.fold(0, |sum, (bit, basis)| sum ^ if input >> bit & 1 == 1 { *basis } else { 0 })
    }

    /// Returns the coordinates of an element.
    #[must_use]
    pub fn coordinates(&self, element: u64) -> Vec<u64> {
        let bits: Vec<u32> = self.outputs.iter().map(|output| output.bits).collect();
        let mut parts = split(element, bits.iter().rev());
        parts.reverse();
        parts
    }

    /// Returns the number of the element at these coordinates.
    ///
    /// # Errors
    /// If the coordinates are out of range.
    pub fn element(&self, coordinates: &[u64]) -> Result<u64, NotLinear> {
        if coordinates.len() != self.outputs.len() {
            return Err(NotLinear::Outside);
        }
        let pairs = coordinates.iter().zip(&self.outputs);
        pairs.clone().try_fold(0, |number, (coordinate, output)| {
            let is_inside = *coordinate >> output.bits == 0;
            is_inside.then_some(number << output.bits | coordinate).ok_or(NotLinear::Outside)
        })
    }

    /// Returns the index of an input in each input dimension.
    #[must_use]
    pub fn indices(&self, input: u64) -> Vec<u64> {
        let bits: Vec<u32> = self.inputs.iter().map(|input| input.bases.len() as u32).collect();
        split(input, bits.iter())
    }

    /// Returns the input with these indices; missing indices are 0.
    #[must_use]
    pub fn input_at(&self, indices: &[u64]) -> u64 {
        let mut at = 0;
        self.inputs.iter().zip(indices).fold(0, |sum, (input, index)| {
            let shifted = index << at;
            at += input.bases.len();
            sum | shifted
        })
    }

    /// Eliminates all bases.
    #[must_use]
    pub fn elimination(&self) -> Elimination {
        Elimination::of(&self.bases())
    }

    /// Returns whether no two inputs map to the same element.
    #[must_use]
    pub fn is_injective(&self) -> bool {
        self.elimination().kernel().is_empty()
    }

    /// Returns whether each element has an input.
    #[must_use]
    pub fn is_surjective(&self) -> bool {
        self.elimination().rank() == self.output_bits() as usize
    }

    /// Replaces the outputs by others with the same total number of bits.
    pub(super) fn with_outputs(&self, outputs: Vec<Output>) -> Result<LinearLayout, NotLinear> {
        LinearLayout::new(self.inputs.clone(), outputs)
    }
}

/// Splits a word into parts of these numbers of bits, the lowest first.
fn split<'b>(word: u64, bits: impl Iterator<Item = &'b u32>) -> Vec<u64> {
    let mut rest = word;
    bits.map(|bits| {
        let part = rest & ((1 << bits) - 1);
        rest >>= bits;
        part
    })
    .collect()
}

impl fmt::Display for LinearLayout {
    /// Prints the bases; those of threads as Triton prints `#ttg.linear`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.inputs.iter().map(|input| &*input.name);
        let is_tensor = self.outputs.iter().all(|output| output.name.starts_with("dim"));
        let (start, end) = match names.eq(THREADS) && is_tensor {
            true => ("#ttg.linear<{", "}>"),
            false => ("{", "}"),
        };
        f.write_str(start)?;
        for (number, input) in self.inputs.iter().enumerate() {
            let vector = |basis: &u64| {
                let parts: Vec<String> =
                    self.coordinates(*basis).iter().map(u64::to_string).collect();
                format!("[{}]", parts.join(", "))
            };
            let vectors: Vec<String> = input.bases.iter().map(vector).collect();
            let comma = if number == 0 { "" } else { ", " };
            write!(f, "{comma}{} = [{}]", input.name, vectors.join(", "))?;
        }
        f.write_str(end)
    }
}
