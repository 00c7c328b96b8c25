//! A conversion through shared memory: the position of each element between the stores and the loads.
//!
//! Law: an access of a warp takes one pass if its lanes have different banks, or one element. The elements of one bank are the
//! cosets of a space Z; Z intersects the elements of lanes before, and of lanes after, in 0 alone, as far as there are banks.

use super::elimination::Elimination;
use super::layout::{Input, LinearLayout, NotLinear};
use super::span::{chosen, common_complement, enlarged, independent};

/// The number of banks, each one element wide, as a power of two.
pub const BANK_BITS: usize = 5;

/// The layout of shared memory for a conversion.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Exchange {
    /// Maps `(offset, block)` to elements.
    pub memory: LinearLayout,
    /// The number of passes of the stores of a warp.
    pub store: u64,
    /// The number of passes of the loads of a warp.
    pub load: u64,
    /// The smallest possible numbers of passes of stores and loads, with any memory layout.
    pub least: [u64; 2],
}

impl Exchange {
    /// Returns the memory layout for a conversion between warps of a block; `None` if there are too many bits.
    pub(super) fn of(
        before: &LinearLayout,
        after: &LinearLayout,
    ) -> Result<Option<Exchange>, NotLinear> {
        let all = |layout: &LinearLayout, name: &str| {
            layout.input(name).map(|input| input.bases.clone()).unwrap_or_default()
        };
        let inside = ["register", "lane", "warp"].map(|name| all(before, name)).concat();
        let inside = independent(inside);
        let coordinates = Elimination::of(&inside);
        let bits = inside.len();
        let banks = BANK_BITS.min(bits);
        let mut lanes = Vec::new();
        for layout in [before, after] {
            let found = all(layout, "lane").iter().map(|basis| coordinates.solve(*basis)).collect();
            let Some(found): Option<Vec<u64>> = found else {
                return Ok(None);
            };
            lanes.push(independent(found));
        }
        let spread = |lanes: &[u64]| {
            let few = lanes.iter().copied().take(banks).collect();
            enlarged(few, banks, bits)
        };
        let in_bank = spread(&lanes[0]);
        let Some(of_bank) = common_complement(&in_bank, &spread(&lanes[1]), bits) else {
            return Ok(None);
        };
        let offsets = in_bank.iter().chain(&of_bank);
        let bases = offsets.map(|vector| chosen(&inside, *vector)).collect();
        let mut inputs = vec![Input { name: "offset".to_owned(), bases }];
        inputs.push(Input { name: "block".to_owned(), bases: all(before, "block") });
        // The passes of each access: lanes with the same bank.
        let passes = |layout: &LinearLayout, lanes: &[u64]| {
            let accesses = independent(all(layout, "register")).len();
            let both = independent(of_bank.iter().chain(lanes).copied()).len();
            let apart = both - of_bank.len();
            let least = lanes.len().saturating_sub(BANK_BITS);
            [1_u64 << (accesses + lanes.len() - apart), 1_u64 << (accesses + least)]
        };
        let [[store, least_store], [load, least_load]] =
            [passes(before, &lanes[0]), passes(after, &lanes[1])];
        Ok(Some(Exchange {
            memory: LinearLayout::new(inputs, before.outputs().to_vec())?,
            store,
            load,
            least: [least_store, least_load],
        }))
    }
}
