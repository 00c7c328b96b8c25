//! Tiles compared with enumeration: of random chains of ops in both directions, and of cases with a known answer.

mod answers;
mod chains;
mod maps;
mod program;
mod program_ops;
mod random;

use affinor::expr::{IndexingMap, VariableKind};
use affinor::num::{Fuel, Interrupt, Interval, Stopped};
use affinor::prove::Budget;
use affinor::simplify::{Options, Simplifier};
use affinor::text::{Style, parse_map, print_expr, variable_names};
use affinor_hlo as hlo;
use affinor_ops::footprint::image::{Basis, Stop};
use affinor_ops::footprint::tiling::{Grid, GridError, Means, STEPS, Tile, propagate, suggest};
use affinor_ops::indexing::{Analysis, OperandMap, OperandReads};
use chains::Chain;
use random::Random;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

static SIMPLIFIER: LazyLock<Simplifier> =
    LazyLock::new(|| Simplifier::shipped().expect("the shipped rules"));

fn simplify(map: &IndexingMap) -> IndexingMap {
    SIMPLIFIER.simplify(map, &Options::default()).map
}

/// Returns means with the fuel.
fn means(fuel: &Fuel) -> Means<'static> {
    Means::new(&simplify, Budget::default(), fuel)
}

fn steps(count: u64) -> Fuel {
    Fuel::new(count, &Interrupt::new())
}

fn tile_of(map: &IndexingMap, grid: &Grid) -> Option<Tile> {
    let found = propagate(&OperandMap::exact(map.clone()), grid, &means(&steps(STEPS)));
    found.expect("a grid").expect("not interrupted")
}

/// Returns the number of the tile that contains an index, along one dimension.
fn tile_number(grid: &Grid, number: usize, index: i64) -> i64 {
    let (size, stride) = (grid.sizes()[number], grid.strides()[number]);
    let block = size * stride;
    index.div_euclid(block) * stride + index.rem_euclid(block).rem_euclid(stride)
}

type Elements = BTreeSet<Vec<i64>>;

/// Returns the elements that `map` reads for each tile and each value of the runtime variables, by enumeration.
fn read_by_tile(map: &IndexingMap, grid: &Grid) -> BTreeMap<Vec<i64>, Elements> {
    let domain = map.domain();
    let mut read: BTreeMap<Vec<i64>, Elements> = BTreeMap::new();
    let mut points: Vec<Vec<i64>> = vec![Vec::new()];
    for variable in domain.variables() {
        points = points
            .iter()
            .flat_map(|point| {
                let bounds = variable.bounds;
                (bounds.lo()..=bounds.hi()).map(|x| [point.as_slice(), &[x]].concat())
            })
            .collect();
    }
    for point in points {
        if domain.contains(&point) == Ok(true) {
            let tiles = domain.ids(VariableKind::Dimension).enumerate();
            let tiles = tiles.map(|(number, id)| tile_number(grid, number, point[id.index()]));
            let runtime = domain.ids(VariableKind::Runtime);
            let at = tiles.chain(runtime.map(|id| point[id.index()]));
            let element = map.eval(&point).expect("small numbers");
            read.entry(at.collect()).or_default().insert(element);
        }
    }
    read
}

/// Returns the elements of a tile.
fn elements(tile: &Tile, at: &[i64]) -> Elements {
    let mut all: Vec<Vec<i64>> = vec![Vec::new()];
    for number in 0..tile.sides.len() {
        let indices = tile.indices(number, at).expect("small numbers");
        let indices: Vec<i64> = indices.collect();
        all = all
            .iter()
            .flat_map(|start| indices.iter().map(|x| [start.as_slice(), &[*x]].concat()))
            .collect();
    }
    all.into_iter().collect()
}

/// Checks that the tile contains the reads, and equals them if it is exact; returns whether it is.
fn check_by_points(map: &IndexingMap, grid: &Grid, about: &str) -> Option<bool> {
    let (is_exact, _) = checked(map, grid, about)?;
    Some(is_exact)
}

/// Returns whether the tile is exact, and whether it could be: whether the reads are a tile in each place.
fn checked(map: &IndexingMap, grid: &Grid, about: &str) -> Option<(bool, bool)> {
    let read = read_by_tile(map, grid);
    let Some(tile) = tile_of(map, grid) else {
        assert!(read.is_empty(), "{about}");
        return None;
    };
    let counts = tile.domain.variables().iter().map(|t| t.bounds);
    let is_place = |at: &Vec<i64>| tile.domain.contains(at) == Ok(true);
    let mut places: Vec<Vec<i64>> = vec![Vec::new()];
    for bounds in counts {
        places = places
            .iter()
            .flat_map(|at| (bounds.lo()..=bounds.hi()).map(|x| [at.as_slice(), &[x]].concat()))
            .collect();
    }
    places.retain(is_place);
    for at in &places {
        let nothing = Elements::new();
        let here = read.get(at).unwrap_or(&nothing);
        let there = elements(&tile, at);
        assert!(here.is_subset(&there), "{about}: {tile:?} at {at:?} lacks some of {here:?}");
        if tile.is_exact() {
            assert_eq!(here, &there, "{about}: {tile:?} at {at:?}");
        }
    }
    let outside = read.keys().find(|at| !places.contains(at));
    assert_eq!(outside, None, "{about}: the domain of the tile lacks this");
    let are_tiles = read.values().all(is_tile);
    Some((tile.is_exact(), are_tiles))
}

/// Checks whether the elements are a product of arithmetic progressions.
fn is_tile(elements: &Elements) -> bool {
    let rank = elements.first().map_or(0, Vec::len);
    let sides = (0..rank).map(|d| elements.iter().map(|x| x[d]).collect::<BTreeSet<i64>>());
    let mut size = 1;
    for side in sides {
        let numbers: Vec<i64> = side.into_iter().collect();
        if !numbers.windows(3).all(|x| x[2] - x[1] == x[1] - x[0]) {
            return false;
        }
        size *= numbers.len();
    }
    size == elements.len()
}

/// The tiles of random chains of up to five ops are right; 500 chains are tried in both directions, each with a random tile
/// of its output and one of its input.
#[test]
fn random_chains() {
    let mut random = Random::new(0x0bad_cafe);
    let (mut exact, mut covers) = (BTreeMap::<&str, usize>::new(), BTreeMap::<&str, usize>::new());
    let (mut tried, mut missed) = (0, 0);
    for number in 0.. {
        if tried == 500 {
            break;
        }
        let chain = Chain::draw(&mut random);
        let text = chain.module();
        let module = hlo::read(text.as_bytes()).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let mut analysis = Analysis::new(&module, &simplify);
        let root = module[module.entry()].root();
        let down = analysis.instruction(module.entry(), root).expect("reads");
        let up = analysis.readers(module.entry(), root).expect("readers");
        let asked = [("down", asked(&down, &mut random)), ("up", asked(&up, &mut random))];
        tried += usize::from(asked.iter().all(|(_, maps)| !maps.is_empty()));
        for (direction, maps) in asked {
            for (map, grid) in maps {
                let about = format!(
                    "chain {number}, {direction}, tile {:?} {:?}\n{text}",
                    grid.sizes(),
                    grid.strides()
                );
                let Some((is_exact, could_be)) = checked(&map, &grid, &about) else {
                    continue;
                };
                if could_be && !is_exact {
                    missed += 1;
                }
                let tally = if is_exact { &mut exact } else { &mut covers };
                for op in &chain.ops {
                    *tally.entry(op).or_default() += 1;
                }
                *tally.entry(direction).or_default() += 1;
            }
        }
    }
    let mut table: Vec<String> = Vec::new();
    for (op, exact) in &exact {
        let all = exact + covers.get(op).unwrap_or(&0);
        table.push(format!("{op} {exact}/{all}"));
    }
    // The second number counts covers of reads that are a tile in each place.
    assert_eq!((table.as_slice(), missed), (EXACT.map(String::from).as_slice(), 38));
}

/// The exact tiles among all tiles, by op that occurs in the chain, and by direction.
const EXACT: [&str; 11] = [
    "broadcast 382/415",
    "concatenate 615/701",
    "down 587/665",
    "pad 238/283",
    "reduce 402/422",
    "reduce-window 309/367",
    "reshape 344/494",
    "reverse 415/463",
    "slice 378/390",
    "transpose 418/486",
    "up 571/642",
];

/// Maximum number of points of a map in a chain.
const MOST_POINTS: u64 = 20_000;

/// Pairs each map with a random tile of its dimensions.
fn asked(reads: &[OperandReads], random: &mut Random) -> Vec<(IndexingMap, Grid)> {
    let maps = reads.iter().flat_map(|entry| entry.reads.maps().expect("maps"));
    // Windows of windows of windows have too many points.
    let maps = maps.filter(|map| {
        let counts = map.map.domain().variables().iter().map(|v| v.bounds.count());
        let points =
            counts.fold(1_u64, |points, count| points.saturating_mul(count.expect("bounds")));
        points <= MOST_POINTS
    });
    let asked = maps.map(|map| {
        let domain = map.map.domain();
        let counts = domain.ids(VariableKind::Dimension).map(|id| domain.bounds(id).count());
        let counts: Vec<i64> = counts.map(|count| count.expect("bounds") as i64).collect();
        let sizes = counts.iter().map(|count| random.within(1..=(*count).max(1)));
        let sizes: Vec<i64> = sizes.collect();
        let strides = counts.iter().map(|_| if random.place(5) == 0 { 2 } else { 1 });
        let grid = Grid::new(sizes, strides.collect()).expect("at least 1");
        (map.map.clone(), grid)
    });
    asked.collect()
}

/// Checks `offset size stride [last] within` of each side, and the basis of the claim.
#[track_caller]
fn check(map: &str, sizes: &[i64], expected: &[&str], basis: Basis) {
    let map = parse_map(map).unwrap_or_else(|error| panic!("{map}: {error:?}"));
    let grid = Grid::of_sizes(sizes.to_vec()).expect("sizes");
    let tile = tile_of(&map, &grid).expect("something is read");
    let names = variable_names(&tile.domain);
    let write = |expr| print_expr(expr, &names, Style::Plain);
    let sides = tile.sides.iter().map(|side| {
        let last = side.last.as_ref().map(|last| format!(" up to {}", write(last)));
        format!(
            "{} x{} /{}{}",
            write(&side.offset),
            side.size,
            side.stride,
            last.unwrap_or_default()
        )
    });
    assert_eq!(sides.collect::<Vec<String>>(), expected);
    assert_eq!(tile.basis, basis);
    let points = map.domain().variables().iter().map(|v| v.bounds.count().expect("bounds"));
    if points.product::<u64>() <= 100_000 {
        check_by_points(&map, &grid, "known");
    }
}

#[test]
fn known_tiles() {
    // [8,16] -> [4,32]: a row of the result is two whole rows of the operand.
    let reshape =
        "(d0, d1) -> (d0 * 2 + d1 floordiv 16, d1 mod 16), domain: d0 in [0, 3], d1 in [0, 31]";
    check(reshape, &[1, 32], &["t0 * 2 x2 /1", "0 x16 /1"], Basis::Counted);
    check(reshape, &[2, 8], &["t0 * 4 + t1 floordiv 2 x2 /2", "t1 mod 2 * 8 x8 /1"], Basis::Proved);
    // A strided slice, in tiles of consecutive and of every third element.
    check(
        "(d0) -> (d0 * 3 + 1), domain: d0 in [0, 9]",
        &[4],
        &["t0 * 12 + 1 x4 /3"],
        Basis::Counted,
    );
    check(
        "(d0) -> (d0 * 3 + 1), domain: d0 in [0, 999999]",
        &[1000],
        &["t0 * 3000 + 1 x1000 /3"],
        Basis::Proved,
    );
    // Interior padding: every second element, from 1 on, is an element of the operand.
    let interior = "(d0) -> ((d0 - 1) floordiv 2), domain: d0 in [1, 15], (d0 - 1) mod 2 in [0, 0]";
    check(interior, &[4], &["t0 * 2 x2 /1"], Basis::Proved);
    // A tile of three holds two of these, or one.
    check(
        interior,
        &[3],
        &["t0 + t0 floordiv 2 x2 /1 up to t0 * 2 - t0 floordiv 2"],
        Basis::Counted,
    );
    // A window of three from -1 on: a halo of one at both sides, cut off at the ends.
    let halo = "(d0)[s0] -> (d0 + s0 - 1), domain: d0 in [0, 63], s0 in [0, 2], d0 + s0 in [1, 64]";
    check(halo, &[16], &["t0 * 16 - 1 x18 /1"], Basis::Counted);
    // A reversal; a reduction; a dot.
    check("(d0) -> (7 - d0), domain: d0 in [0, 7]", &[2], &["t0 * -2 + 6 x2 /1"], Basis::Proved);
    check(
        "(d0)[s0] -> (d0, s0), domain: d0 in [0, 1023], s0 in [0, 4095]",
        &[8],
        &["t0 * 8 x8 /1", "0 x4096 /1"],
        Basis::Proved,
    );
    // Reads that wrap around are not a tile.
    check("(d0) -> ((d0 + 2) mod 8), domain: d0 in [0, 7]", &[4], &["0 x8 /1"], Basis::Cover);
    // Two indices that move together are a diagonal.
    check(
        "(d0) -> (d0, d0), domain: d0 in [0, 7]",
        &[4],
        &["t0 * 4 x4 /1", "t0 * 4 x4 /1"],
        Basis::Cover,
    );
    // An offset that is known only at run time.
    check(
        "(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 7], rt0 in [0, 92]",
        &[4],
        &["t0 * 4 + rt0 x4 /1"],
        Basis::Proved,
    );
}

#[test]
fn no_grid() {
    assert_eq!(Grid::of_sizes(vec![4, 0]), Err(GridError::Sizes));
    assert_eq!(Grid::new(vec![4], vec![1, 1]), Err(GridError::Sizes));
    let map = parse_map("(d0) -> (d0), domain: d0 in [0, 7]").expect("a map");
    let grid = Grid::of_sizes(vec![2, 2]).expect("sizes");
    let map = OperandMap::exact(map);
    let found = propagate(&map, &grid, &means(&steps(STEPS)));
    assert_eq!(found.map(|_| ()), Err(GridError::Rank { given: 2, dimensions: 1 }));
    let empty = parse_map("(d0) -> (d0), domain: d0 in [0, -1]").expect("a map");
    assert_eq!(tile_of(&empty, &Grid::of_sizes(vec![2]).expect("sizes")), None);
}

/// Both a transpose and a reshape read tiles for the suggested sizes.
#[test]
fn suggestions() {
    let map = |text| parse_map(text).unwrap_or_else(|error| panic!("{text}: {error:?}"));
    let maps = [
        map("(d0, d1) -> (d1, d0), domain: d0 in [0, 63], d1 in [0, 63]"),
        map("(d0, d1) -> (d0 * 64 + d1), domain: d0 in [0, 63], d1 in [0, 63]"),
    ]
    .map(OperandMap::exact);
    let bounds = [Interval::of_size(64), Interval::of_size(64)];
    let ask = |fuel: &Fuel| suggest(&maps, &bounds, 600, &means(fuel)).expect("a grid");
    let fuel = steps(STEPS);
    let answer = ask(&fuel).expect("not interrupted");
    let found = answer.found;
    let sizes: Vec<&[i64]> = found.iter().map(|x| x.sizes.as_slice()).collect();
    assert_eq!(sizes[..3], [[2, 64], [1, 64], [64, 1]], "{found:?}");
    assert_eq!(found[0].elements, 3 * 128);
    assert_eq!((answer.is_all, answer.stopped), (true, None));
    // Less fuel finds only some of them, and the answer reports it; a single step finds none.
    let part = ask(&steps((STEPS - fuel.left()) / 2)).expect("not interrupted");
    assert_eq!(part.stopped, Some(Stopped::Steps));
    assert!(!part.found.is_empty() && part.found.len() < found.len());
    assert_eq!(part.found, found[..part.found.len()]);
    let none = ask(&steps(1)).expect("not interrupted");
    assert_eq!((none.found.len(), none.stopped), (0, Some(Stopped::Steps)));
    let interrupt = Interrupt::new();
    interrupt.trigger();
    assert_eq!(ask(&Fuel::new(STEPS, &interrupt)), Err(Stop::Interrupted));
}
