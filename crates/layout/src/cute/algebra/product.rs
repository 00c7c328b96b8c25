//! Product: a copy of A for each element of B, in B's order, side by side. `logical` is `(A, C composed with B)`, where C is the
//! complement of A in `size(A) * cosize(B)`. `blocked` places each mode of B after the mode of A with the same index, `raked`
//! before it.

use super::answer::{Made, Refusal};
use super::complement::complement;
use super::compose::{compose, joined};
use super::divide::{Arrangement, arranged};
use super::flat::{cosize, size};
use crate::cute::layout::Layout;
use crate::cute::mode::Mode;
use crate::cute::parse::Tiler;
use affinor::prove::Budget;

/// The arrangement of the modes of both factors of a product.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Interleaving {
    /// The modes of the first factor, then those of the second.
    Apart(Arrangement),
    /// Mode by mode, with the modes of the first factor varying faster.
    Blocked,
    /// Mode by mode, with the modes of the second factor varying faster.
    Raked,
}

/// Returns the product of `layout` and a tiler.
///
/// # Errors
/// [`Refusal::None`] if `layout` has no complement, or the composition is not a layout.
pub fn product(
    layout: &Layout,
    tiler: &Tiler,
    interleaving: Interleaving,
    budget: &Budget,
) -> Result<Made, Refusal> {
    let is_blocked = match interleaving {
        Interleaving::Apart(arrangement) => {
            return arranged(layout, tiler, arrangement, |part, tile| {
                multiplied(part, tile, budget)
            });
        }
        Interleaving::Blocked => true,
        Interleaving::Raked => false,
    };
    let Tiler::Whole(tile) = tiler else {
        let message = "a blocked or raked product is with one layout: write its strides";
        return Err(Refusal::None(message.to_owned()));
    };
    let rank = layout.modes().len().max(tile.modes().len());
    let (block, tile) = (padded(layout, rank)?, padded(tile, rank)?);
    let made = multiplied(&block, &tile, budget)?;
    let [Mode::Nested(blocks), Mode::Nested(tiles)] = made.layout.modes() else {
        return Err(Refusal::Unknown("the product has no modes to interleave".to_owned()));
    };
    let pairs = blocks.iter().zip(tiles).map(|(block, tile)| {
        Mode::Nested(match is_blocked {
            true => vec![block.clone(), tile.clone()],
            false => vec![tile.clone(), block.clone()],
        })
    });
    let interleaved = made.layout.with_modes(pairs.collect(), false)?;
    joined(interleaved, &[made])
}

/// Extends the layout to `rank` modes with modes of size 1.
fn padded(layout: &Layout, rank: usize) -> Result<Layout, Refusal> {
    let mut modes = layout.modes().to_vec();
    modes.resize(rank.max(modes.len()), Mode::Leaf { size: 1, stride: 0 });
    Ok(layout.with_modes(modes, false)?)
}

/// Returns `(A, C composed with B)`.
fn multiplied(layout: &Layout, tile: &Layout, budget: &Budget) -> Result<Made, Refusal> {
    if layout.swizzle().is_some() || layout.base() != 0 {
        let plain = Layout::new(layout.modes().to_vec(), layout.is_single(), None)?;
        let made = multiplied(&plain, tile, budget)?;
        let modes = made.layout.modes().to_vec();
        return joined(layout.with_modes(modes, false)?, &[made]);
    }
    let target = size(layout)?.checked_mul(cosize(tile)?).ok_or(Refusal::Overflow)?;
    let rest = complement(layout, target)?;
    let copies = compose(&rest.layout, tile, budget)?;
    if copies.layout.base() != 0 || copies.layout.swizzle().is_some() {
        let message = "the second factor has a swizzle or an offset";
        return Err(Refusal::None(message.to_owned()));
    }
    let modes = vec![layout.as_mode(), copies.layout.as_mode()];
    let mut made = joined(Layout::new(modes, false, None)?, &[copies, rest])?;
    // The complement is sized to hold all copies, so its note about rounding up is irrelevant.
    made.notes.retain(|note| !note.contains("cover"));
    Ok(made)
}
