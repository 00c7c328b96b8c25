//! Answers about maps with parameters, compared with enumeration at some parameter values: tiles, inverses, reads, ends.

use super::support::numbers::Random;
use affinor::expr::{Constraint, Expr, IndexingMap, VariableId, VariableKind};
use affinor::num::{Fuel, Interrupt};
use affinor::prove::{Budget, Verdict, ends, equal_reads, is_attained};
use affinor::simplify::{Options, Simplifier};
use affinor::text::{parse_map, parse_symbolic_expr, variable_names};
use affinor_ops::footprint::image::{contains_by_size, inverse_by_size};
use affinor_ops::footprint::tiling::{Means, STEPS, TileBySize, elements_by_size, tile_by_size};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

static SIMPLIFIER: LazyLock<Simplifier> =
    LazyLock::new(|| Simplifier::shipped().expect("the shipped rules"));

pub fn simplified(map: &IndexingMap) -> IndexingMap {
    SIMPLIFIER.simplify(map, &Options::default()).map
}

const NAMES: [&str; 4] = ["n", "m", "k", "w"];

/// Returns a map with a parameter for the size of each dimension, and `w` for the size of a window.
fn random_map(random: &mut Random) -> String {
    let rank = 1 + random.place(2);
    let results = 1 + random.place(2);
    let result = |random: &mut Random| {
        let place = random.place(rank);
        let (d, p) = (format!("d{place}"), NAMES[place]);
        let other = random.place(rank);
        let (e, q) = (format!("d{other}"), NAMES[other]);
        match random.below(14) {
            0 | 1 => d,
            2 => format!("{d} * {} + {}", 1 + random.below(3), random.below(4)),
            3 => format!("{p} - 1 - {d}"),
            4 => format!("{d} floordiv {}", random.one_of(&["2", "m", "w", "(m * 2)"])),
            5 => format!("{d} mod {}", random.one_of(&["2", "m", "w", "(m * 2)"])),
            6 => format!("{d} * {q} + {e}"),
            7 => format!("{d} + s0"),
            8 => format!("{d} * 2 + s0 - 1"),
            9 => format!("{d} * w + s0"),
            10 => format!("min({d}, m - 1)"),
            11 => format!("{d} * w"),
            12 => "s0".to_owned(),
            _ => format!("({d} + {}) mod {}", random.below(3), random.one_of(&["4", p])),
        }
    };
    let results: Vec<String> = (0..results).map(|_| result(random)).collect();
    let names = (0..rank).map(|place| format!("d{place} in [0, {} - 1]", NAMES[place]));
    let mut bounds: Vec<String> = NAMES.iter().map(|name| format!("{name} in [1, inf]")).collect();
    bounds.extend(names);
    bounds.push("s0 in [0, w - 1]".to_owned());
    let dimensions: Vec<String> = (0..rank).map(|place| format!("d{place}")).collect();
    format!(
        "<{}>({})[s0] -> ({}), domain: {}",
        NAMES.join(", "),
        dimensions.join(", "),
        results.join(", "),
        bounds.join(", ")
    )
}

/// Returns all points of a map with these parameters whose other coordinates are in `[0, most]`.
///
/// A constraint is checked as soon as all its variables have values: of the combinations of all values, few are in the domain of
/// the elements of tiles.
fn points(map: &IndexingMap, parameters: &[i64], most: i64) -> Vec<Vec<i64>> {
    let domain = map.domain();
    let own = domain.variables().len() - parameters.len();
    let mut decided: Vec<Vec<&Constraint>> = vec![Vec::new(); own];
    for constraint in domain.constraints() {
        let ids = constraint.expr.variables().into_iter().map(VariableId::index);
        if let Some(last) = ids.filter(|id| *id < own).max() {
            decided[last].push(constraint);
        }
    }
    let mut all = vec![[vec![0; own].as_slice(), parameters].concat()];
    for (place, decided) in decided.iter().enumerate() {
        let mut longer = Vec::new();
        for mut point in all {
            for x in 0..=most {
                point[place] = x;
                let holds = |constraint: &&Constraint| {
                    let value = constraint.expr.eval(&point);
                    value.is_ok_and(|value| constraint.bounds.contains(value))
                };
                if decided.iter().all(holds) {
                    longer.push(point.clone());
                }
            }
        }
        all = longer;
    }
    all.retain(|point| domain.contains(point) == Ok(true));
    all
}

pub fn sizes(random: &mut Random, count: usize) -> Vec<i64> {
    (0..count).map(|_| 1 + random.below(4)).collect()
}

/// Compares a tile with the elements read for the tiles at one value of the parameters.
pub fn check_tile(text: &str, elements: &IndexingMap, tile: &TileBySize, parameters: &[i64]) {
    let rank = tile.domain.count(VariableKind::Dimension);
    let mut read: BTreeMap<Vec<i64>, BTreeSet<Vec<i64>>> = BTreeMap::new();
    for point in points(elements, parameters, 4) {
        let at = point[..rank].to_vec();
        read.entry(at).or_default().insert(elements.eval(&point).expect("small numbers"));
    }
    let tiles = IndexingMap::new(tile.domain.clone(), Vec::new());
    let inside: BTreeSet<Vec<i64>> =
        points(&tiles, parameters, 4).into_iter().map(|point| point[..rank].to_vec()).collect();
    for at in read.keys() {
        assert!(inside.contains(at), "{text}: tile {at:?} of {parameters:?} reads something");
    }
    for at in inside {
        let point = [at.as_slice(), parameters].concat();
        let value = |expr: &Expr| expr.eval(&point).expect("a value");
        let mut expected: BTreeSet<Vec<i64>> = BTreeSet::from([Vec::new()]);
        for side in &tile.sides {
            let (first, stride) = (value(&side.offset), value(&side.stride));
            assert!(stride >= 1 && value(&side.size) >= 1, "{text}: {side:?}");
            let all = (0..value(&side.size)).map(|k| first + k * stride);
            let [lower, upper] = &side.within;
            let all: Vec<i64> = all
                .filter(|x| side.last.as_ref().is_none_or(|last| *x <= value(last)))
                .filter(|x| lower.as_ref().is_none_or(|end| *x >= value(end)))
                .filter(|x| upper.as_ref().is_none_or(|end| *x <= value(end)))
                .collect();
            let longer = |element: &Vec<i64>| {
                let element = element.clone();
                all.iter().map(move |x| [element.as_slice(), &[*x]].concat()).collect::<Vec<_>>()
            };
            expected = expected.iter().flat_map(longer).collect();
        }
        let read = read.remove(&at).unwrap_or_default();
        let place = format!("{text}: tile {at:?} of {parameters:?}, {tile:?}");
        assert!(read.is_subset(&expected), "{place} reads {read:?}, not in {expected:?}");
        if tile.is_exact {
            assert_eq!(read, expected, "{place}");
        }
    }
}

fn simplifier_and_fuel() -> (impl Fn(&IndexingMap) -> IndexingMap, Fuel) {
    (simplified, Fuel::new(STEPS, &Interrupt::default()))
}

#[test]
fn tiles_are_what_is_read_at_all_sizes() {
    let mut random = Random(22);
    let (mut exact, mut covers, mut none) = (0, 0, 0);
    for _ in 0..60 {
        let text = random_map(&mut random);
        let map = parse_map(&text).unwrap_or_else(|error| panic!("{text}: {error:?}"));
        let rank = map.domain().count(VariableKind::Dimension);
        let names = variable_names(map.domain());
        let list: Vec<&str> = (0..rank)
            .map(|_| random.one_of(&["1", "2", "3", "m", "k", "m * 2", "k * m"]))
            .collect();
        let list: Vec<Expr> = list
            .into_iter()
            .map(|size| parse_symbolic_expr(size, &names).expect("a size"))
            .collect();
        let elements = elements_by_size(&map, &list).expect("small numbers");
        let (simplify, fuel) = simplifier_and_fuel();
        let means = Means::new(&simplify, Budget::default(), &fuel);
        let text = format!("{text} ; {list:?}");
        match tile_by_size(&elements, &map, &means) {
            Err(_) => none += 1,
            Ok(tile) => {
                *if tile.is_exact { &mut exact } else { &mut covers } += 1;
                for _ in 0..4 {
                    check_tile(&text, &elements, &tile, &sizes(&mut random, NAMES.len()));
                }
            }
        }
    }
    assert!(exact >= 25 && exact + covers >= 50, "{exact} exact, {covers} covers, {none} none");
}

#[test]
fn inverses_take_points_back_at_all_sizes() {
    let mut random = Random(7);
    let mut found = 0;
    for _ in 0..60 {
        let text = random_map(&mut random).replace(")[s0]", ")").replace(", s0 in [0, w - 1]", "");
        if text.contains("s0") {
            continue;
        }
        let map = parse_map(&text).unwrap_or_else(|error| panic!("{text}: {error:?}"));
        let Ok(inverse) = inverse_by_size(&map, &simplified, &Budget::default()) else {
            continue;
        };
        found += 1;
        for _ in 0..4 {
            let parameters = sizes(&mut random, NAMES.len());
            let place = format!("{text} at {parameters:?}: {inverse}");
            let mut back = BTreeSet::new();
            for point in points(&map, &parameters, 4) {
                let element = map.eval(&point).expect("small numbers");
                let element = [element.as_slice(), &parameters].concat();
                assert_eq!(inverse.domain().contains(&element), Ok(true), "{place}");
                let own = point.len() - parameters.len();
                assert_eq!(inverse.eval(&element), Ok(point[..own].to_vec()), "{place}");
                back.insert(element);
            }
            let all: BTreeSet<Vec<i64>> = points(&inverse, &parameters, 24).into_iter().collect();
            assert_eq!(back, all, "{place}");
        }
    }
    assert!(found >= 8, "{found} inverses");
}

#[test]
fn ends_that_are_attained_are_those_of_the_values() {
    let mut random = Random(5);
    let budget = Budget::default();
    let mut tight = 0;
    for _ in 0..40 {
        let text = random_map(&mut random);
        let map = parse_map(&text).unwrap_or_else(|error| panic!("{text}: {error:?}"));
        let found = ends(&map, &map.ranges(), &budget);
        for (number, found) in found.iter().enumerate() {
            for (place, end) in found.iter().enumerate() {
                let Some(end) = end else { continue };
                let is_tight = is_attained(&map, number, end, &budget);
                tight += usize::from(is_tight);
                for _ in 0..3 {
                    let parameters = sizes(&mut random, NAMES.len());
                    let points = points(&map, &parameters, 4);
                    let values = points.iter().map(|point| map.eval(point).expect("small")[number]);
                    let extreme = if place == 0 { values.min() } else { values.max() };
                    let extreme = extreme.expect("each of these domains has a point");
                    let bound = end.eval(&points[0]).expect("a value");
                    let is_bound = if place == 0 { bound <= extreme } else { bound >= extreme };
                    assert!(is_bound, "{text}: {end:?} at {parameters:?}");
                    if is_tight {
                        assert_eq!(bound, extreme, "{text}: {end:?} at {parameters:?}");
                    }
                }
            }
        }
    }
    assert!(tight >= 30, "{tight} ends");
}

#[test]
fn an_end_that_only_some_sizes_attain_is_not_tight() {
    let map = "<n>(d0) -> (d0 mod 4, d0 * 2), domain: n in [1, inf], d0 in [0, n - 1]";
    let map = parse_map(map).expect("a map");
    let n = Expr::variable(VariableId(1));
    let budget = Budget::default();
    assert!(!is_attained(&map, 0, &Expr::constant(3), &budget));
    assert!(is_attained(&map, 0, &Expr::constant(0), &budget));
    let last = n.sub(&Expr::constant(1)).and_then(|last| last.scale(2)).expect("small");
    assert!(is_attained(&map, 1, &last, &budget));
    assert!(!is_attained(&map, 1, &n.scale(2).expect("small"), &budget));
}

/// Returns the reads of a map at each value of its dimensions, or all of its reads.
fn reads(map: &IndexingMap, parameters: &[i64], by_dimension: bool) -> BTreeSet<Vec<i64>> {
    let rank = if by_dimension { map.domain().count(VariableKind::Dimension) } else { 0 };
    let points = points(map, parameters, 4).into_iter();
    let reads = points.map(|point| {
        let value = map.eval(&point).expect("small numbers");
        [&point[..rank], value.as_slice()].concat()
    });
    reads.collect()
}

#[test]
fn reads_are_compared_for_all_sizes() {
    let mut random = Random(11);
    let budget = Budget::default();
    let (mut same, mut other, mut held, mut not_held) = (0, 0, 0, 0);
    let turned =
        |text: &str| text.replace("s0 -", "w - 1 - s0 -").replace("+ s0)", "+ (w - 1 - s0))");
    for _ in 0..50 {
        let first = random_map(&mut random);
        let second = match random.below(2) {
            0 => turned(&first),
            _ => first.replacen("-> (d0", "-> (1 + d0", 1),
        };
        let parse =
            |text: &str| parse_map(text).unwrap_or_else(|error| panic!("{text}: {error:?}"));
        let (left, right) = (parse(&first), parse(&second));
        let verdict = equal_reads(&left, &right, &budget).expect("maps of one kind");
        let contained = contains_by_size(&left, &right, &budget).expect("small numbers");
        for _ in 0..4 {
            let parameters = sizes(&mut random, NAMES.len());
            let place = format!("{first} and {second} at {parameters:?}");
            let of = |map, by_dimension| reads(map, &parameters, by_dimension);
            if verdict == Verdict::Proved {
                assert_eq!(of(&left, true), of(&right, true), "{place}");
            }
            if contained == Verdict::Proved {
                assert!(of(&right, false).is_subset(&of(&left, false)), "{place}");
            }
        }
        match &verdict {
            Verdict::Proved => same += 1,
            Verdict::Unknown(_) => {}
            Verdict::Refuted(found) => {
                other += 1;
                assert!(found.left.is_none() != found.right.is_none());
                let reader = if found.left.is_some() { &left } else { &right };
                assert_eq!(reader.domain().contains(&found.point), Ok(true), "{found:?}");
                let element = found.left.clone().or(found.right.clone());
                assert_eq!(reader.eval(&found.point).ok(), element, "{found:?}");
            }
        }
        match contained {
            Verdict::Proved => held += 1,
            Verdict::Unknown(_) => {}
            Verdict::Refuted((parameters, element)) => {
                not_held += 1;
                if parameters.iter().all(|size| *size <= 5) {
                    assert!(reads(&right, &parameters, false).contains(&element), "{element:?}");
                    assert!(!reads(&left, &parameters, false).contains(&element), "{element:?}");
                }
            }
        }
    }
    let counts = format!("{same} same, {other} other, {held} contained, {not_held} not");
    assert!(same >= 10 && other >= 5 && held >= 10 && not_held >= 5, "{counts}");
}
