//! Layouts of `wmma`, AMD's matrix cores with waves of 32 lanes.
//!
//! Law of a result: a lane has 8 elements along M, in version 1 every other one; lanes run along N and then along M; M and N are
//! exchanged if it is transposed. Law of an operand: a lane has `kWidth` elements along K; lanes run along the other dimension
//! and then along K, where in version 1 they hold the same elements. The tiles of a warp, and warps, follow according to
//! `ctaLayout`.

use super::super::builder::Builder;
use super::super::layout::{LinearLayout, NotLinear, THREADS};
use super::cluster::Cluster;
use super::matrix_core::{instruction, operand_order, own_sizes, rank_of, tiles_per_warp, version};
use super::parameters::{OF_CLUSTERS, Parameters, at, power};
use super::tree::{Attribute, Number};
use affinor::text::{Error, ErrorKind};

/// The instructions of each version: M, N and K.
const SHAPES: [&[[u64; 3]]; 3] = [
    &[[16, 16, 16]],
    &[[16, 16, 16], [16, 16, 32]],
    &[[16, 16, 4], [16, 16, 32], [16, 16, 64], [16, 16, 128], [32, 16, 64], [32, 16, 128]],
];

/// The valid `kWidth` of an operand for each version; in the last version any power of two.
const WIDTHS: [&[u64]; 3] = [&[8, 16], &[4, 8, 16], &[]];

/// The number of lanes across; further lanes run along the other dimension.
const ACROSS: u64 = 16;
const ALONG: u64 = 2;

/// For each bit of a register, and of a warp, the tile that it maps to.
type Tiles = [(&'static str, Vec<Vec<u64>>); 2];

struct Wmma {
    version: usize,
    /// M, N and K of the instruction.
    instruction: [u64; 3],
    is_transposed: bool,
    tiles: Tiles,
    cluster: Cluster,
}

impl Wmma {
    fn of(attribute: &Attribute, rank: Option<usize>) -> Result<Wmma, Error> {
        let own = [
            "version",
            "isTranspose",
            "isTransposed",
            "ctaLayout",
            "warpsPerCTA",
            "tilesPerWarp",
            "instrShape",
        ];
        let parameters = Parameters::of(attribute, &[&own[..], &OF_CLUSTERS].concat())?;
        let number = parameters.number("version")?;
        let version = version(attribute, number, &["gfx11", "gfx12", "gfx1250"])?;
        let known = SHAPES[version - 1];
        let instruction = match parameters.find("instrShape") {
            None => [16, 16, 16],
            Some(_) => {
                let (sizes, span) = instruction(&parameters)?;
                let found = known.iter().find(|shape| shape[..] == sizes);
                *found.ok_or_else(|| {
                    let listed: Vec<String> =
                        known.iter().map(|shape| format!("{shape:?}")).collect();
                    let message =
                        format!("version {version} of `amd_wmma` has no `instrShape` {sizes:?}");
                    let error = Error::new(ErrorKind::Shape, span, message);
                    error.hint(format!("it has {}", listed.join(", ")))
                })?
            }
        };
        let (tiles, rank) = match parameters.group("ctaLayout")? {
            Some(group) => tiles_of_group(attribute, group, rank)?,
            None => {
                let rank = rank.unwrap_or(parameters.numbers("warpsPerCTA")?.len());
                let rank = rank_of(attribute, rank)?;
                let warps = parameters.sizes("warpsPerCTA", rank)?;
                (tiles_of_sizes(&tiles_per_warp(&parameters, rank)?, &warps), rank)
            }
        };
        Ok(Wmma {
            version,
            instruction,
            is_transposed: parameters.flag("isTranspose")? || parameters.flag("isTransposed")?,
            tiles,
            cluster: Cluster::of(&parameters, rank)?,
        })
    }

    /// Returns the number of tiles along each dimension.
    fn repeated(&self, rank: usize) -> Vec<u64> {
        let bases = || self.tiles.iter().flat_map(|(_, bases)| bases);
        (0..rank).map(|dim| 1 << bases().filter(|basis| basis[dim] != 0).count()).collect()
    }

    /// Appends the other tiles of a warp, and the warps, to the tile, at multiples of `units`; along `summed` they hold the same
    /// elements.
    fn put(&self, builder: &mut Builder, units: &[u64], summed: Option<usize>) {
        for (input, bases) in &self.tiles {
            for basis in bases {
                let mut tile = basis.clone();
                if let Some(summed) = summed {
                    tile[summed] = 0;
                    if *input == "register" && tile.iter().all(|place| *place == 0) {
                        continue;
                    }
                }
                for dim in (0..tile.len()).filter(|dim| tile[*dim] != 0) {
                    builder.took(dim, 1);
                }
                let pairs = tile.iter().zip(units);
                builder.basis(input, pairs.map(|(place, unit)| place * unit).collect());
            }
        }
    }
}

/// Returns the tiles in the notation of earlier versions of Triton: registers and then warps along rows, then down.
fn tiles_of_sizes(tiles: &[u64], warps: &[u64]) -> Tiles {
    let rank = tiles.len();
    let mut all = [("register", Vec::new()), ("warp", Vec::new())];
    for dim in (0..rank).rev() {
        let mut place = 1;
        for ((_, bases), size) in all.iter_mut().zip([tiles[dim], warps[dim]]) {
            for _ in 0..size.trailing_zeros() {
                let mut basis = vec![0; rank];
                basis[dim] = place;
                bases.push(basis);
                place *= 2;
            }
        }
    }
    all
}

/// Returns the tiles given by `ctaLayout`: each power of two along a dimension, up to a limit, is one basis.
fn tiles_of_group(
    attribute: &Attribute,
    group: &Attribute,
    rank: Option<usize>,
) -> Result<(Tiles, usize), Error> {
    let parameters = Parameters::of(group, &["register", "warp"])?;
    let mut given = Vec::new();
    for name in ["register", "warp"] {
        given.push(match parameters.find(name) {
            None => Vec::new(),
            Some(_) => parameters.bases(name)?,
        });
    }
    let first = given.iter().flatten().next().map(Vec::len);
    let rank = rank_of(attribute, rank.or(first).unwrap_or(2))?;
    let mut reached = vec![Vec::new(); rank];
    let mut tiles: Tiles = [("register", Vec::new()), ("warp", Vec::new())];
    for (bases, (_, tiles)) in given.iter().zip(&mut tiles) {
        for basis in bases {
            let span = basis.first().map_or(group.span.clone(), |number| number.span.clone());
            if basis.len() != rank {
                let message = format!(
                    "a basis has {} coordinates, the tensor {rank} dimensions",
                    basis.len()
                );
                return Err(Error::new(ErrorKind::Arity, span.clone(), message));
            }
            let mut places = Vec::new();
            for (dim, number) in basis.iter().enumerate() {
                places.push(match number.value {
                    0 => 0,
                    _ => power(number)?,
                });
                reached[dim].extend((number.value != 0).then_some(places[dim]));
            }
            if places.iter().filter(|place| **place != 0).count() > 1 {
                let message = "a basis of `ctaLayout` goes along one dimension";
                return Err(Error::new(ErrorKind::Shape, span.clone(), message));
            }
            tiles.push(places);
        }
    }
    for (dim, places) in reached.iter_mut().enumerate() {
        places.sort_unstable();
        if let Some(bit) = (0..places.len()).find(|bit| places[*bit] != 1 << bit) {
            let message = format!(
                "`ctaLayout` has each power of two below {} along dim {dim} once, {} is not",
                1_u64 << places.len(),
                1_u64 << bit
            );
            return Err(Error::new(ErrorKind::Shape, group.span.clone(), message));
        }
    }
    Ok((tiles, rank))
}

pub(super) fn result(attribute: &Attribute, sizes: Option<&[u64]>) -> Result<LinearLayout, Error> {
    let wmma = Wmma::of(attribute, sizes.map(<[u64]>::len))?;
    let rank = wmma.tiles.iter().flat_map(|(_, bases)| bases).next().map_or(2, Vec::len);
    let [m, n, _] = wmma.instruction;
    let tile = if wmma.is_transposed { [n, m] } else { [m, n] };
    let own = own_sizes(&wmma.cluster, tile, &wmma.repeated(rank));
    let shape = sizes.unwrap_or(&own);
    let rank = shape.len();
    let [rows, columns] = [rank - 2, rank - 1];
    let (along, across) = if wmma.is_transposed { (columns, rows) } else { (rows, columns) };
    let build = || {
        let mut builder = Builder::new(&THREADS, rank);
        let rows_of_lane = ACROSS / ALONG;
        if wmma.version > 1 {
            builder.along("register", along, rows_of_lane)?;
        }
        builder.along("lane", across, ACROSS)?;
        builder.along("lane", along, ALONG)?;
        if wmma.version == 1 {
            builder.along("register", along, rows_of_lane)?;
        }
        builder.along("register", along, m / ACROSS)?;
        let mut units = vec![1; rank];
        units[rows..].copy_from_slice(&tile);
        wmma.put(&mut builder, &units, None);
        let order: Vec<usize> = (0..rank).rev().collect();
        wmma.cluster.fit(builder, shape, &order)?.finished(shape)
    };
    build().map_err(at(attribute.span.clone()))
}

pub(super) fn operand(
    parent: &Attribute,
    index: usize,
    width: &Number,
    shape: &[u64],
) -> Result<LinearLayout, Error> {
    let rank = shape.len();
    let wmma = Wmma::of(parent, Some(rank))?;
    let widths = WIDTHS[wmma.version - 1];
    let size = power(width)?;
    if !widths.is_empty() && !widths.contains(&size) {
        let listed: Vec<String> = widths.iter().map(u64::to_string).collect();
        let message = format!("`kWidth` is {} in version {}", listed.join(" or "), wmma.version);
        return Err(Error::new(ErrorKind::Shape, width.span.clone(), message));
    }
    let order = operand_order(index, rank);
    let [summed, other] = [order[0], order[1]];
    let across = wmma.instruction[if wmma.is_transposed { 1 - index } else { index }];
    let halves = ALONG;
    let cluster = wmma.cluster.clone().shared_along(summed);
    let build = || {
        let mut builder = Builder::new(&THREADS, rank);
        builder.along("register", summed, size)?;
        builder.along("lane", other, ACROSS)?;
        match wmma.version {
            1 => builder.again("lane", halves)?,
            _ => builder.along("lane", summed, halves)?,
        }
        let taken = size.checked_mul(halves).ok_or(NotLinear::TooLarge)?;
        builder.along("register", summed, (wmma.instruction[2] / taken).max(1))?;
        builder.along("register", other, across / ACROSS)?;
        let mut units = vec![1; rank];
        units[other] = across;
        wmma.put(&mut builder, &units, Some(summed));
        cluster.fit(builder, shape, &order)?.finished(shape)
    };
    build().map_err(at(parent.span.clone()))
}
