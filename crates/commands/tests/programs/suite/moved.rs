//! Operations whose result holds elements of one array, each at another index. Everything that the suite knows about such an
//! operation is its entry in [`MOVED`].

use super::random::Random;

/// Draws an attribute for an operand of these sizes, with the sizes of the result; `None` if the operation does not apply.
type Draw = fn(&mut Random, &[i64]) -> Option<(Vec<usize>, Vec<i64>)>;

/// Maps an attribute, the sizes of the operand and an index of the result to the index of the operand's element.
type From = fn(&[usize], &[i64], &[i64]) -> Vec<i64>;

/// An operation whose attribute is a list of numbers.
pub struct Moved {
    pub opcode: &'static str,
    pub draw: Draw,
    /// Writes the attribute as HLO.
    pub written: fn(&[usize]) -> String,
    pub from: From,
}

pub const MOVED: &[Moved] = &[
    Moved {
        opcode: "reverse",
        draw: |random, sizes| Some((random.subset(sizes.len()), sizes.to_vec())),
        written: dimensions,
        from: |reversed, sizes, index| {
            let mut from = index.to_vec();
            for k in reversed {
                from[*k] = sizes[*k] - 1 - index[*k];
            }
            from
        },
    },
    Moved {
        opcode: "transpose",
        draw: |random, sizes| {
            let order = random.permutation(sizes.len());
            let new = order.iter().map(|k| sizes[*k]).collect();
            Some((order, new))
        },
        written: dimensions,
        from: |order, _, index| {
            let mut from = vec![0; index.len()];
            for (k, source) in order.iter().enumerate() {
                from[*source] = index[k];
            }
            from
        },
    },
];

/// Returns the operation with this opcode.
pub fn moved(opcode: &str) -> &'static Moved {
    let mut all = MOVED.iter();
    all.find(|moved| moved.opcode == opcode).expect("an entry")
}

fn dimensions(dimensions: &[usize]) -> String {
    let dimensions: Vec<String> = dimensions.iter().map(usize::to_string).collect();
    format!("dimensions={{{}}}", dimensions.join(","))
}
