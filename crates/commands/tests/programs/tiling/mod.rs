//! Tiles against enumeration: of random chains of ops in both directions, and of cases with a known answer.

mod answers;
mod chains;
mod maps;
mod program;
mod program_ops;
mod random;

use affinor::expr::{IndexingMap, VariableKind};
use affinor::num::{Fuel, Interrupt, Interval, Stopped};
use affinor::prove::Budget;
use affinor::rule::RuleSet;
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

static SIMPLIFIER: LazyLock<Simplifier> = LazyLock::new(|| {
    let rules = RuleSet::shipped().unwrap_or_else(|error| panic!("{error:?}"));
    Simplifier::new(rules).unwrap_or_else(|error| panic!("{error:?}"))
});

fn simplify(map: &IndexingMap) -> IndexingMap {
    SIMPLIFIER.simplify(map, &Options::default()).map
}

/// Works with so many steps.
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

/// The indices of an element of a grid along one dimension: which tile, and whether it is an element.
fn tile_number(grid: &Grid, number: usize, index: i64) -> i64 {
    let (size, stride) = (grid.sizes()[number], grid.strides()[number]);
    let block = size * stride;
    index.div_euclid(block) * stride + index.rem_euclid(block).rem_euclid(stride)
}

type Elements = BTreeSet<Vec<i64>>;

/// What `map` reads for each tile and each value of the runtime variables, by trying all points.
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

/// The elements of a tile.
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

/// The tile holds what is read; all of it is read where that is claimed.
fn check_by_points(map: &IndexingMap, grid: &Grid, about: &str) -> Option<bool> {
    let (is_exact, _) = checked(map, grid, about)?;
    Some(is_exact)
}

/// Is it exact; and could it be, as what is read is a tile in each place?
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

/// Are the elements a product of evenly spaced numbers?
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

/// Chains of up to five ops until 500 were tried in both directions, each with a random tile of its output and one of its input.
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
    // The second number: covers although what is read is a tile in each place.
    assert_eq!((table.as_slice(), missed), (EXACT.map(String::from).as_slice(), 36));
}

/// By op that is part of the chain, and by direction: exact tiles among all.
const EXACT: [&str; 11] = [
    "broadcast 382/415",
    "concatenate 616/701",
    "down 587/665",
    "pad 239/283",
    "reduce 404/422",
    "reduce-window 311/367",
    "reshape 346/494",
    "reverse 415/463",
    "slice 378/390",
    "transpose 418/486",
    "up 573/642",
];

/// Of a map of a chain.
const MOST_POINTS: u64 = 20_000;

/// Each map with a random tile of its dimensions.
fn asked(reads: &[OperandReads], random: &mut Random) -> Vec<(IndexingMap, Grid)> {
    let maps = reads.iter().flat_map(|entry| entry.reads.maps().expect("maps"));
    // Windows of windows of windows have more points than are worth trying.
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

/// `offset size stride [last] within` of each side, and what it rests on.
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
    // [8,16] -> [4,32]: a row of the result is two rows of the operand, whole.
    let reshape =
        "(d0, d1) -> (d0 * 2 + d1 floordiv 16, d1 mod 16), domain: d0 in [0, 3], d1 in [0, 31]";
    check(reshape, &[1, 32], &["t0 * 2 x2 /1", "0 x16 /1"], Basis::Counted);
    check(reshape, &[2, 8], &["t0 * 4 + t1 floordiv 2 x2 /2", "t1 mod 2 * 8 x8 /1"], Basis::Proved);
    // A strided slice, and one of every third element in tiles of many.
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
    // Interior padding: every second element is one of the operand, from 1 on.
    let interior = "(d0) -> ((d0 - 1) floordiv 2), domain: d0 in [1, 15], (d0 - 1) mod 2 in [0, 0]";
    check(interior, &[4], &["t0 * 2 x2 /1"], Basis::Proved);
    // In tiles of three there are two of them, or one.
    check(
        interior,
        &[3],
        &["t0 + t0 floordiv 2 x2 /1 up to t0 * 2 - t0 floordiv 2"],
        Basis::Counted,
    );
    // A window of three from -1 on: a halo of one at both sides, cut off at the ends.
    let halo = "(d0)[s0] -> (d0 + s0 - 1), domain: d0 in [0, 63], s0 in [0, 2], d0 + s0 in [1, 64]";
    check(halo, &[16], &["t0 * 16 - 1 x18 /1"], Basis::Counted);
    // Reversed; a reduction; a dot.
    check("(d0) -> (7 - d0), domain: d0 in [0, 7]", &[2], &["t0 * -2 + 6 x2 /1"], Basis::Proved);
    check(
        "(d0)[s0] -> (d0, s0), domain: d0 in [0, 1023], s0 in [0, 4095]",
        &[8],
        &["t0 * 8 x8 /1", "0 x4096 /1"],
        Basis::Proved,
    );
    // What wraps around is no tile.
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

/// Sizes for which a transpose and a reshape both read tiles.
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
    // With less fuel a part of them, and the answer says so; none at all with one step.
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
