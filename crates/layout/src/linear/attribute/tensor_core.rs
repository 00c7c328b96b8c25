//! Layouts of tensor cores: results and operands of `mma` (version 2) and `wgmma` (version 3).
//!
//! Law of a tile in registers: along the inner dimension, a lane has `width` elements, and four lanes follow each other; eight
//! lanes run along the outer dimension; then registers repeat this along the outer and the inner dimension. Source: PTX ISA,
//! fragments.

use super::super::builder::Builder;
use super::super::layout::{LinearLayout, NotLinear, THREADS};
use super::cluster::Cluster;
use super::matrix_core::{operand_order, own_sizes};
use super::parameters::{OF_CLUSTERS, Parameters, at};
use super::threads::shared_along;
use super::tree::Attribute;
use affinor::text::{Error, ErrorKind};

/// Number of contiguous elements of a result along the inner dimension in a lane.
const RESULT_WIDTH: u64 = 2;

struct Mma {
    version: i64,
    warps: Vec<u64>,
    /// M and N of the instruction.
    tile: [u64; 2],
    cluster: Cluster,
}

impl Mma {
    fn of(attribute: &Attribute, rank: Option<usize>) -> Result<Mma, Error> {
        let own = ["versionMajor", "versionMinor", "warpsPerCTA", "instrShape"];
        let parameters = Parameters::of(attribute, &[&own[..], &OF_CLUSTERS].concat())?;
        let version = parameters.number("versionMajor")?;
        if !matches!(version.value, 2 | 3) {
            let message = format!("version {} of `nvidia_mma` is not supported", version.value);
            let error = Error::new(ErrorKind::Unsupported, version.span.clone(), message);
            return Err(error.hint(match version.value {
                5 => {
                    "results of version 5 lie in tensor memory, `#ttng.tensor_memory_encoding<..>`"
                }
                _ => "2 is `mma`, 3 is `wgmma`; of version 1 Triton defines no linear layout",
            }));
        }
        if parameters.find("versionMinor").is_some() {
            parameters.number("versionMinor")?;
        }
        let warps = parameters.numbers("warpsPerCTA")?.len();
        let rank = rank.unwrap_or(warps);
        let least = 2;
        if rank < least || (version.value == 3 && rank > 2) {
            let message = format!(
                "version {} of `nvidia_mma` has no tensors of {rank} dimensions",
                version.value
            );
            return Err(Error::new(ErrorKind::Arity, attribute.span.clone(), message));
        }
        let instruction = parameters.numbers("instrShape")?;
        // `wgmma` gives M, N and K, of which K does not affect the result; `mma` gives M and N after other sizes.
        let shape = match version.value {
            3 => parameters.sizes("instrShape", 3)?[..2].to_vec(),
            _ => parameters.sizes("instrShape", rank)?[rank - 2..].to_vec(),
        };
        let wrong = |at: usize, message: &str| {
            let span =
                instruction.get(at).map_or(attribute.span.clone(), |number| number.span.clone());
            Err(Error::new(ErrorKind::Shape, span, message))
        };
        let offset = instruction.len() - if version.value == 3 { 3 } else { 2 };
        if shape[0] != 16 {
            return wrong(offset, "M of `instrShape` is 16: the rows of one warp");
        }
        if shape[1] < 8 || (version.value == 2 && shape[1] != 8) {
            return wrong(
                offset + 1,
                "N of `instrShape` is 8, of version 3 a power of two from 8 on",
            );
        }
        Ok(Mma {
            version: version.value,
            warps: parameters.sizes("warpsPerCTA", rank)?,
            tile: [shape[0], shape[1]],
            cluster: Cluster::of(&parameters, rank)?,
        })
    }

    /// Returns the order of warps: along rows first in `mma`, along columns first in `wgmma`.
    fn warp_order(&self) -> Vec<usize> {
        let dims = 0..self.warps.len();
        if self.version == 3 { dims.collect() } else { dims.rev().collect() }
    }
}

/// Adds a tile with `width` elements of the inner dimension in a lane.
fn tile(
    builder: &mut Builder,
    [inner, outer]: [usize; 2],
    [inner_size, outer_size]: [u64; 2],
    width: u64,
) -> Result<(), NotLinear> {
    builder.along("register", inner, width)?;
    builder.along("lane", inner, 4)?;
    builder.along("lane", outer, 8)?;
    builder.along("register", outer, outer_size / 8)?;
    builder.along("register", inner, inner_size / (width * 4))
}

pub(super) fn result(attribute: &Attribute, sizes: Option<&[u64]>) -> Result<LinearLayout, Error> {
    let mma = Mma::of(attribute, sizes.map(<[u64]>::len))?;
    let rank = mma.warps.len();
    let own = own_sizes(&mma.cluster, mma.tile, &mma.warps);
    let shape = sizes.unwrap_or(&own);
    let order: Vec<usize> = (0..rank).rev().collect();
    let build = || {
        let mut builder = Builder::new(&THREADS, rank);
        let [rows, columns] = mma.tile;
        tile(&mut builder, [rank - 1, rank - 2], [columns, rows], RESULT_WIDTH)?;
        builder.over("warp", &mma.warps, &mma.warp_order())?;
        mma.cluster.fit(builder, shape, &order)?.finished(shape)
    };
    build().map_err(at(attribute.span.clone()))
}

/// Builds an operand with `width` elements of the dimension K in a lane; warps that differ only along K hold the same elements.
pub(super) fn operand(
    parent: &Attribute,
    index: usize,
    width: u64,
    shape: &[u64],
) -> Result<LinearLayout, Error> {
    let rank = shape.len();
    let mma = Mma::of(parent, Some(rank))?;
    if mma.version == 3 && index == 1 {
        let message = "the second operand of `wgmma` is in shared memory, not in registers";
        return Err(Error::new(ErrorKind::Unsupported, parent.span.clone(), message));
    }
    let order = operand_order(index, rank);
    let [summed, other] = [order[0], order[1]];
    let outer_size = if index == 0 { 16 } else { 8 };
    let warp_order = mma.warp_order();
    let cluster = mma.cluster.shared_along(summed);
    let build = || {
        let mut builder = Builder::new(&THREADS, rank);
        let inner_size = width.checked_mul(8).ok_or(NotLinear::TooLarge)?;
        tile(&mut builder, [summed, other], [inner_size, outer_size], width)?;
        shared_along(&mut builder, "warp", &mma.warps, &warp_order, summed)?;
        cluster.fit(builder, shape, &order)?.finished(shape)
    };
    build().map_err(at(parent.span.clone()))
}
