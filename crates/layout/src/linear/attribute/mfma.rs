//! Layouts of `mfma`, AMD's matrix cores with waves of 64 lanes.
//!
//! Law of a result: a lane has `height` elements along M, lanes run along N and then along M, and registers repeat this along M;
//! M and N are exchanged if it is transposed. Tiles run along rows to the end of the tensor before they continue below. Law of an
//! operand: a lane has `kWidth` elements along K, lanes run along the other dimension and then along K.

use super::super::builder::Builder;
use super::super::layout::{LinearLayout, NotLinear, THREADS};
use super::cluster::Cluster;
use super::matrix_core::{instruction, operand_order, own_sizes, rank_of, tiles_per_warp, version};
use super::parameters::{OF_CLUSTERS, Parameters, at};
use super::threads::shared_along;
use super::tree::Attribute;
use affinor::text::{Error, ErrorKind};

/// M and N of the instructions.
const TILES: [[u64; 2]; 4] = [[32, 32], [16, 16], [64, 4], [4, 64]];

/// The lanes of a wave.
const LANES: u64 = 64;

struct Mfma {
    /// M and N of the instruction.
    tile: [u64; 2],
    /// The number of contiguous elements along M in a lane.
    height: u64,
    is_transposed: bool,
    tiles: Vec<u64>,
    warps: Vec<u64>,
    cluster: Cluster,
}

impl Mfma {
    fn of(attribute: &Attribute, rank: Option<usize>) -> Result<Mfma, Error> {
        let own = [
            "version",
            "versionMajor",
            "versionMinor",
            "warpsPerCTA",
            "instrShape",
            "isTransposed",
            "tilesPerWarp",
            "elementBitWidth",
        ];
        let parameters = Parameters::of(attribute, &[&own[..], &OF_CLUSTERS].concat())?;
        // The processor version does not affect the layout.
        let name = if parameters.find("versionMajor").is_some() { own[1] } else { own[0] };
        version(attribute, parameters.number(name)?, &["gfx908", "gfx90a", "gfx942", "gfx950"])?;
        if parameters.find("versionMinor").is_some() {
            parameters.number("versionMinor")?;
        }
        let rank = rank_of(attribute, rank.unwrap_or(parameters.numbers("warpsPerCTA")?.len()))?;
        let (sizes, span) = instruction(&parameters)?;
        let tile = TILES.into_iter().find(|tile| sizes.starts_with(tile) && sizes.len() <= 3);
        let Some(tile) = tile else {
            let message = "M and N of `instrShape` are 32 and 32, 16 and 16, 64 and 4, or 4 and 64";
            return Err(Error::new(ErrorKind::Shape, span, message));
        };
        let is_transposed = parameters.flag("isTransposed")?;
        if tile == [64, 4] && !is_transposed {
            let message = "a result of 64 by 4 is transposed: `isTransposed = true`";
            return Err(Error::new(ErrorKind::Shape, span, message));
        }
        let height = match parameters.find("elementBitWidth") {
            None => 4,
            Some(given) => match parameters.size("elementBitWidth")? {
                32 => 4,
                64 => 1,
                _ => {
                    let message = "`elementBitWidth` is 32 or 64";
                    return Err(Error::new(ErrorKind::Shape, given.value.span(), message));
                }
            },
        };
        Ok(Mfma {
            tile,
            height,
            is_transposed,
            tiles: tiles_per_warp(&parameters, rank)?,
            warps: parameters.sizes("warpsPerCTA", rank)?,
            cluster: Cluster::of(&parameters, rank)?,
        })
    }
}

pub(super) fn result(attribute: &Attribute, sizes: Option<&[u64]>) -> Result<LinearLayout, Error> {
    let mfma = Mfma::of(attribute, sizes.map(<[u64]>::len))?;
    let (tiles, warps) = (&mfma.tiles, &mfma.warps);
    let rank = warps.len();
    let repeated: Vec<u64> =
        tiles.iter().zip(warps).map(|(tiles, warps)| tiles.saturating_mul(*warps)).collect();
    let own = own_sizes(&mfma.cluster, mfma.tile, &repeated);
    let shape = sizes.unwrap_or(&own);
    let [rows, columns] = [rank - 2, rank - 1];
    let [m, n] = mfma.tile;
    let (along, across, lanes) =
        if mfma.is_transposed { (columns, rows, m) } else { (rows, columns, n) };
    let build = || {
        let mut builder = Builder::new(&THREADS, rank);
        builder.along("register", along, mfma.height)?;
        builder.along("lane", across, lanes)?;
        builder.along("lane", along, LANES / lanes)?;
        builder.along("register", along, m * n / (LANES * mfma.height))?;
        builder.along("register", columns, tiles[columns])?;
        builder.along("warp", columns, warps[columns])?;
        let width = n.checked_mul(repeated[columns]).ok_or(NotLinear::TooLarge)?;
        builder.along("register", columns, (shape[columns] / width).max(1))?;
        builder.along("register", rows, tiles[rows])?;
        builder.along("warp", rows, warps[rows])?;
        for (batch, count) in warps[..rows].iter().enumerate() {
            builder.along("warp", batch, *count)?;
        }
        let order: Vec<usize> = (0..rank).rev().collect();
        mfma.cluster.fit(builder, shape, &order)?.finished(shape)
    };
    build().map_err(at(attribute.span.clone()))
}

/// Builds the layout of an operand. An operand with 64 elements across K is shared by 16 instructions, and each lane has all of
/// K.
pub(super) fn operand(
    parent: &Attribute,
    index: usize,
    width: u64,
    shape: &[u64],
) -> Result<LinearLayout, Error> {
    let rank = shape.len();
    let mfma = Mfma::of(parent, Some(rank))?;
    let order = operand_order(index, rank);
    let [summed, other] = [order[0], order[1]];
    let across = mfma.tile[index];
    let repeated = if across == LANES { 16 } else { 1 };
    let cluster = mfma.cluster.shared_along(summed);
    let build = || {
        let mut builder = Builder::new(&THREADS, rank);
        builder.along("register", summed, width)?;
        builder.along("lane", other, across)?;
        builder.along("lane", summed, LANES / across)?;
        builder.along("register", summed, repeated)?;
        let taken = width.checked_mul(LANES / across * repeated).ok_or(NotLinear::TooLarge)?;
        builder.along("register", summed, (shape[summed] / taken).max(1))?;
        builder.along("register", other, mfma.tiles[other])?;
        let warp_order: Vec<usize> = (0..rank).rev().collect();
        shared_along(&mut builder, "warp", &mfma.warps, &warp_order, summed)?;
        cluster.fit(builder, shape, &order)?.finished(shape)
    };
    build().map_err(at(parent.span.clone()))
}
