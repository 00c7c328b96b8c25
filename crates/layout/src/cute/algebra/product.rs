//! Product: a copy of A for each element of B, in B's order, side by side. `logical` is `(A, C composed with B)`, where C
//! is the complement of A in `size(A) * cosize(B)`. `blocked` puts each mode of B behind the mode of A of the same number,
//! `raked` before it.

use super::answer::{Made, Refusal};
use super::complement::complement;
use super::compose::{compose, joined};
use super::divide::{Arrangement, arranged};
use super::flat::{cosize, size};
use crate::cute::layout::Layout;
use crate::cute::mode::Mode;
use crate::cute::parse::Tiler;
use affinor::prove::Budget;

/// How the modes of both factors of a product stand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Interleaving {
    /// Those of the first, then those of the second.
    Apart(Arrangement),
    /// Mode by mode, those of the first faster.
    Blocked,
    /// Mode by mode, those of the second faster.
    Raked,
}

/// Returns the product of `layout` and a tiler.
///
/// # Errors
/// [`Refusal::None`] if `layout` has no complement, or the composition is none.
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

/// The layout with so many modes, the added ones of size 1.
fn padded(layout: &Layout, rank: usize) -> Result<Layout, Refusal> {
    let mut modes = layout.modes().to_vec();
    modes.resize(rank.max(modes.len()), Mode::Leaf { size: 1, stride: 0 });
    Ok(layout.with_modes(modes, false)?)
}

/// `(A, C composed with B)`
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
    // That the complement rounds up is no news here: it is sized to hold all copies.
    made.notes.retain(|note| !note.contains("cover"));
    Ok(made)
}
