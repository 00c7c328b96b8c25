//! Operations whose second operand is a tiler, applied as a whole or mode by mode, and the arrangement of the answers' modes.
//!
//! Law: a tiler of modes is applied to each mode by itself, so that the answer is right if that of each mode is.

use super::compose::{composed, divided, multiplied};
use super::given::{Condition, Given};
use super::layout::{NamedLayout, Part};
use super::proposal::{Proposed, Stop};
use super::tiler::NamedTiler;
use crate::cute::algebra::{Arrangement, Interleaving, Refusal};
use crate::cute::claim::Claim;

/// An operation that proposes two modes, for the tile and for the rest.
type TwoModes = fn(&NamedLayout, &NamedLayout, &Given) -> Result<Proposed, Stop>;

/// The combined claims of the proposals for all modes.
#[derive(Default)]
struct Together {
    claims: Vec<Claim>,
    by_rule: Vec<Claim>,
    carries: Vec<Vec<Condition>>,
}

impl Together {
    /// Adopts the claims of one mode's proposal; returns its layout.
    fn with(&mut self, made: Proposed) -> NamedLayout {
        self.claims.extend(made.claims);
        self.by_rule.extend(made.by_rule);
        self.carries.extend(made.carries);
        made.layout
    }

    fn proposed(self, part: Part) -> Proposed {
        let Together { claims, by_rule, carries } = self;
        Proposed { layout: NamedLayout::plain(part), claims, by_rule, carries }
    }
}

/// The tile of a mode.
enum Tile<'t> {
    Layout(&'t NamedLayout),
    /// The tiler leaves the mode unchanged.
    Left,
    /// The mode is beyond the last tile.
    Behind,
}

/// Pairs each mode with its tile.
fn paired<'t>(
    layout: &NamedLayout,
    tiles: &'t [Option<NamedLayout>],
) -> Result<Vec<(Part, Tile<'t>)>, Refusal> {
    let modes = layout.modes();
    if tiles.len() > modes.len() {
        let message =
            format!("the tiler has {} modes, and the layout {}", tiles.len(), modes.len());
        return Err(Refusal::None(message));
    }
    let tile = |number: usize| match tiles.get(number) {
        Some(Some(tile)) => Tile::Layout(tile),
        Some(None) => Tile::Left,
        None => Tile::Behind,
    };
    Ok(modes.into_iter().enumerate().map(|(number, mode)| (mode, tile(number))).collect())
}

/// Composes the first layout with the second, or each mode with its own tile.
pub(super) fn composed_by(
    first: &NamedLayout,
    tiler: &NamedTiler,
    given: &Given,
) -> Result<Proposed, Stop> {
    let tiles = match tiler {
        NamedTiler::Whole(second) => return composed(first, second, given),
        NamedTiler::Modes(tiles) => tiles,
    };
    let mut parts = Vec::new();
    let mut all = Together::default();
    for (mode, tile) in paired(first, tiles)? {
        match tile {
            Tile::Layout(tile) => {
                let made = composed(&NamedLayout::plain(mode), tile, given)?;
                parts.push(all.with(made).part);
            }
            Tile::Left | Tile::Behind => parts.push(mode),
        }
    }
    Ok(all.proposed(Part::Nested(parts)))
}

/// Divides the layout by a tile, or each mode by its own.
pub(super) fn divided_by(
    layout: &NamedLayout,
    tiler: &NamedTiler,
    arrangement: Arrangement,
    given: &Given,
) -> Result<Proposed, Stop> {
    arranged(layout, tiler, arrangement, given, divided)
}

/// Multiplies the layout by a tile, or each mode by its own.
pub(super) fn multiplied_by(
    layout: &NamedLayout,
    tiler: &NamedTiler,
    interleaving: Interleaving,
    given: &Given,
) -> Result<Proposed, Stop> {
    let is_blocked = match interleaving {
        Interleaving::Apart(arrangement) => {
            return arranged(layout, tiler, arrangement, given, multiplied);
        }
        Interleaving::Blocked => true,
        Interleaving::Raked => false,
    };
    let NamedTiler::Whole(tile) = tiler else {
        let message = "a blocked or raked product is with one layout: write its strides";
        return Err(Refusal::None(message.to_owned()).into());
    };
    let rank = layout.modes().len().max(tile.modes().len());
    let made = multiplied(&padded(layout, rank), &padded(tile, rank), given)?;
    let modes = made.layout.modes();
    let [Part::Nested(blocks), Part::Nested(tiles)] = &*modes else {
        let message = "the product has no modes to interleave";
        return Err(Refusal::Unknown(message.to_owned()).into());
    };
    let pairs = blocks.iter().zip(tiles).map(|(block, tile)| {
        Part::Nested(match is_blocked {
            true => vec![block.clone(), tile.clone()],
            false => vec![tile.clone(), block.clone()],
        })
    });
    let layout = NamedLayout::plain(Part::Nested(pairs.collect()));
    Ok(Proposed { layout, ..made })
}

/// Extends the layout to `rank` modes with modes of size 1.
fn padded(layout: &NamedLayout, rank: usize) -> NamedLayout {
    let mut modes = layout.modes();
    modes.resize(rank.max(modes.len()), nothing());
    NamedLayout::plain(Part::Nested(modes))
}

fn nothing() -> Part {
    Part::of_leaves(Vec::new())
}

fn arranged(
    layout: &NamedLayout,
    tiler: &NamedTiler,
    arrangement: Arrangement,
    given: &Given,
    operation: TwoModes,
) -> Result<Proposed, Stop> {
    let tiles = match tiler {
        NamedTiler::Whole(tile) => {
            let made = operation(layout, tile, given)?;
            let modes = match &*made.layout.modes() {
                [tile, rest] => spread(tile.clone(), rest.clone(), arrangement),
                modes => modes.to_vec(),
            };
            return Ok(Proposed { layout: NamedLayout::plain(Part::Nested(modes)), ..made });
        }
        NamedTiler::Modes(tiles) => tiles,
    };
    let (mut inside, mut outside, mut nested) = (Vec::new(), Vec::new(), Vec::new());
    let mut all = Together::default();
    for (mode, tile) in paired(layout, tiles)? {
        match tile {
            Tile::Layout(tile) => {
                let made = all.with(operation(&NamedLayout::plain(mode), tile, given)?);
                if let [tile, rest] = &*made.modes() {
                    inside.push(tile.clone());
                    outside.push(rest.clone());
                }
                nested.push(made.part);
                continue;
            }
            Tile::Left => inside.push(nothing()),
            Tile::Behind => {}
        }
        outside.push(mode.clone());
        nested.push(mode);
    }
    let modes = match arrangement {
        Arrangement::Logical => nested,
        other => spread(Part::Nested(inside), Part::Nested(outside), other),
    };
    Ok(all.proposed(Part::Nested(modes)))
}

fn spread(tile: Part, rest: Part, arrangement: Arrangement) -> Vec<Part> {
    let modes = |part: Part| match part {
        Part::Nested(parts) => parts,
        leaf @ Part::Leaf(..) => vec![leaf],
    };
    match arrangement {
        Arrangement::Logical | Arrangement::Zipped => vec![tile, rest],
        Arrangement::Tiled => [vec![tile], modes(rest)].concat(),
        Arrangement::Flat => [modes(tile), modes(rest)].concat(),
    }
}
