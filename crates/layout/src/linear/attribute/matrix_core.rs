//! Shared code for the layouts of AMD's matrix cores, `mfma` and `wmma`.
//!
//! Source: Triton, `AMDMfmaEncodingAttr` and `AMDWmmaEncodingAttr`; AMD, *Matrix Instruction Calculator*.

use super::cluster::Cluster;
use super::parameters::{Parameters, power};
use super::tree::{Attribute, Number};
use affinor::text::{Error, ErrorKind, Span};

/// Parses a version from 1 to the number of `processors`.
pub(super) fn version(
    attribute: &Attribute,
    number: &Number,
    processors: &[&str],
) -> Result<usize, Error> {
    let version = usize::try_from(number.value).unwrap_or(0);
    if (1..=processors.len()).contains(&version) {
        return Ok(version);
    }
    let message = format!("version {} of `{}` is not supported", number.value, attribute.name);
    let listed: Vec<String> = processors
        .iter()
        .enumerate()
        .map(|(number, processor)| format!("{} is {processor}", number + 1))
        .collect();
    let error = Error::new(ErrorKind::Unsupported, number.span.clone(), message);
    Err(error.hint(listed.join(", ")))
}

/// Checks the number of dimensions: rows and columns, optionally after a batch dimension.
pub(super) fn rank_of(attribute: &Attribute, rank: usize) -> Result<usize, Error> {
    match rank {
        2 | 3 => Ok(rank),
        other => {
            let message = format!("`{}` has no tensors of {other} dimensions", attribute.name);
            Err(Error::new(ErrorKind::Arity, attribute.span.clone(), message))
        }
    }
}

/// Parses `tilesPerWarp`, by default one along each dimension.
pub(super) fn tiles_per_warp(parameters: &Parameters<'_>, rank: usize) -> Result<Vec<u64>, Error> {
    match parameters.find("tilesPerWarp") {
        None => Ok(vec![1; rank]),
        Some(_) => parameters.sizes("tilesPerWarp", rank),
    }
}

/// Parses `instrShape`; also returns its position.
pub(super) fn instruction(parameters: &Parameters<'_>) -> Result<(Vec<u64>, Span), Error> {
    let span = parameters.value("instrShape")?.span();
    let sizes = parameters.numbers("instrShape")?.into_iter().map(power);
    Ok((sizes.collect::<Result<_, _>>()?, span))
}

/// Returns the dimensions of an operand from the fastest: K, the other dimension, the batch.
pub(super) fn operand_order(index: usize, rank: usize) -> Vec<usize> {
    let mut order = if index == 0 { vec![rank - 1, rank - 2] } else { vec![rank - 2, rank - 1] };
    order.extend((0..rank - 2).rev());
    order
}

/// Returns the sizes of a layout without a given shape: `repeated` tiles along each dimension.
pub(super) fn own_sizes(cluster: &Cluster, tile: [u64; 2], repeated: &[u64]) -> Vec<u64> {
    let rank = repeated.len();
    let mut own: Vec<u64> =
        (0..rank).map(|dim| cluster.split(dim).saturating_mul(repeated[dim])).collect();
    for (size, tile) in own[rank - 2..].iter_mut().zip(tile) {
        *size = size.saturating_mul(tile);
    }
    own
}
