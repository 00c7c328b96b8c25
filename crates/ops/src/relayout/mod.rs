//! Ops between layouts: tiling as pad, reshape and transpose; which reshapes and transposes are bitcasts; maps of ops
//! in memory order.
//!
//! The maps of the ops come from [`crate::indexing`], the positions from [`affinor_layout::memory`]; claims about
//! both together are proved.
//!
//! Modules: `stages` (tiling as ops), `bitcast` (questions about two layouts), `decompose` (a bitcast as ops), `moves`
//! (instructions that only move elements), `order` (maps between positions).

mod bitcast;
mod decompose;
mod moves;
mod order;
mod stages;

pub use bitcast::{
    Bitcast, Misplaced, Transposition, bitcast, bitcast_map, check_unsplit, keeps_positions,
    same_extent, transposed_sizes,
};
pub use decompose::{Decomposition, MoveOp, decompose};
pub use moves::{Cause, Move, moved, only_moves};
pub use order::in_memory_order;
pub use stages::{Stage, Stages, Tiling, prove_tiling};

use crate::indexing::Analysis;
use affinor::expr::IndexingMap;
use affinor::text::Error;

/// Returns the map from the result of the last instruction of a snippet to the elements of parameter 0 that it reads. It is a
/// single exact map, since the snippets here use only ops that have one.
fn map_of(snippet: &str) -> Result<IndexingMap, Error> {
    let module = affinor_hlo::read_text(snippet)?;
    let mut analysis = Analysis::new(&module, &|map| map.clone());
    let reads = analysis.computation(module.entry())?;
    let of_array = reads.iter().filter(|entry| entry.operand == 0);
    let maps: Vec<_> = of_array.filter_map(|entry| entry.reads.maps()).flatten().collect();
    match maps.as_slice() {
        [only] => Ok(only.map.clone()),
        maps => Err(Error::without_span(
            affinor::text::ErrorKind::Hlo,
            format!("expected one map, found {}", maps.len()),
        )),
    }
}

/// `8,16`, as HLO text lists sizes and dimension numbers.
fn listed<T: ToString>(items: &[T]) -> String {
    let items: Vec<String> = items.iter().map(T::to_string).collect();
    items.join(",")
}
