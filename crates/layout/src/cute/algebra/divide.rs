//! Division: the elements of A in tiles. `logical` is A composed with `(B, complement of B in size(A))`: a mode within
//! the tile, a mode over the tiles. `zipped` gathers the tile modes of all dimensions in the first mode, the others in
//! the second; `tiled` has the second mode's modes one by one, and `flat` both modes'.

use super::answer::{Made, Refusal};
use super::complement::complement;
use super::compose::{compose, joined, modes_for, plain_mode};
use super::flat::size;
use crate::cute::layout::Layout;
use crate::cute::mode::Mode;
use crate::cute::parse::Tiler;
use affinor::prove::Budget;

/// How the modes of a division or a product are arranged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arrangement {
    /// Each divided dimension contains its tile and its rest.
    Logical,
    /// All tiles in one mode, all rests in another.
    Zipped,
    /// The tiles in one mode, each rest as a mode of its own.
    Tiled,
    /// Each tile and each rest as a mode of its own.
    Flat,
}

/// Returns `layout` divided by a tiler.
///
/// # Errors
/// [`Refusal::None`] if the tile has no complement, or the composition is not a layout.
pub fn divide(
    layout: &Layout,
    tiler: &Tiler,
    arrangement: Arrangement,
    budget: &Budget,
) -> Result<Made, Refusal> {
    arranged(layout, tiler, arrangement, |part, tile| divided(part, tile, budget))
}

/// Composes `layout` with a tile and its complement.
fn divided(layout: &Layout, tile: &Layout, budget: &Budget) -> Result<Made, Refusal> {
    let rest = complement(tile, size(layout)?)?;
    let both = Layout::new(vec![tile.as_mode(), rest.layout.as_mode()], false, None)?;
    let made = compose(layout, &both, budget)?;
    Ok(made.resting_on(&rest))
}

/// Applies an operation whose answers have two modes, as a whole or mode by mode, and arranges the modes.
pub(super) fn arranged(
    layout: &Layout,
    tiler: &Tiler,
    arrangement: Arrangement,
    operation: impl Fn(&Layout, &Layout) -> Result<Made, Refusal>,
) -> Result<Made, Refusal> {
    let mut parts: Vec<Made> = Vec::new();
    let tiles = match tiler {
        Tiler::Whole(tile) => {
            let made = operation(layout, tile)?;
            let [tile, rest] = made.layout.modes() else {
                return Ok(made);
            };
            let modes = spread(tile.clone(), rest.clone(), arrangement);
            let arranged = made.layout.with_modes(modes, false)?;
            return joined(arranged, &[made]);
        }
        Tiler::Modes(tiles) => tiles,
    };
    let (mut inside, mut outside, mut nested) = (Vec::new(), Vec::new(), Vec::new());
    for (number, mode) in modes_for(layout, tiles.len())?.iter().enumerate() {
        match tiles.get(number) {
            Some(Some(tile)) => {
                let made = operation(&Layout::of_mode(mode.clone())?, tile)?;
                let both = plain_mode(&made)?;
                if let Mode::Nested(both) = &both
                    && let [tile, rest] = both.as_slice()
                {
                    inside.push(tile.clone());
                    outside.push(rest.clone());
                }
                nested.push(both);
                parts.push(made);
            }
            Some(None) => {
                inside.push(Mode::Leaf { size: 1, stride: 0 });
                outside.push(mode.clone());
                nested.push(mode.clone());
            }
            None => {
                outside.push(mode.clone());
                nested.push(mode.clone());
            }
        }
    }
    let modes = match arrangement {
        Arrangement::Logical => nested,
        other => spread(Mode::Nested(inside), Mode::Nested(outside), other),
    };
    joined(layout.with_modes(modes, false)?, &parts)
}

fn spread(tile: Mode, rest: Mode, arrangement: Arrangement) -> Vec<Mode> {
    match arrangement {
        Arrangement::Logical | Arrangement::Zipped => vec![tile, rest],
        Arrangement::Tiled => [vec![tile], rest.into_modes()].concat(),
        Arrangement::Flat => [tile.into_modes(), rest.into_modes()].concat(),
    }
}
