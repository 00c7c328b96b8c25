//! The width of vector accesses, compared with programs that visit every group of lanes.

use super::{ids, map};
use affinor::expr::IndexingMap;
use affinor::prove::Budget;
use affinor_ops::footprint::access::{Reason, Vectors, vectors};
use std::collections::BTreeMap;

fn along(map: &IndexingMap, lane: &str, most: i64) -> Vectors {
    let lane = ids(map, &[lane])[0];
    vectors(map, lane, most, &Budget::default()).expect("an answer")
}

/// Positions of all points by the values of the other variables, then by lane.
fn rows(map: &IndexingMap, lane: &str) -> BTreeMap<Vec<i64>, BTreeMap<i64, i64>> {
    let lane = ids(map, &[lane])[0].index();
    let sides: Vec<(i64, i64)> =
        map.domain().intervals().map(|side| (side.lo(), side.hi())).collect();
    let mut points = vec![Vec::new()];
    for (lo, hi) in sides {
        let longer = |point: Vec<i64>| (lo..=hi).map(move |x| [&point[..], &[x]].concat());
        points = points.into_iter().flat_map(longer).collect();
    }
    let mut rows: BTreeMap<Vec<i64>, BTreeMap<i64, i64>> = BTreeMap::new();
    for mut point in points {
        if map.domain().contains(&point) == Ok(true) {
            let position = map.eval(&point).expect("a position")[0];
            let at = point.remove(lane);
            rows.entry(point).or_default().insert(at, position);
        }
    }
    rows
}

/// Returns whether all groups of `k` lanes satisfy a condition on their lanes and positions.
fn all_groups(
    rows: &BTreeMap<Vec<i64>, BTreeMap<i64, i64>>,
    (least, k): (i64, i64),
    holds: impl Fn(i64, &[(i64, i64)]) -> bool,
) -> bool {
    rows.values().all(|row| {
        let mut groups: BTreeMap<i64, Vec<(i64, i64)>> = BTreeMap::new();
        for (lane, position) in row {
            groups.entry((lane - least).div_euclid(k)).or_default().push((*lane, *position));
        }
        groups.iter().all(|(group, lanes)| holds(least + group * k, lanes))
    })
}

fn check(text: &str, lane: &str, most: i64) -> Vectors {
    let map = map(text);
    let found = along(&map, lane, most);
    let rows = rows(&map, lane);
    let least = map.domain().bounds(ids(&map, &[lane])[0]).lo();
    let is_one = |k: i64| {
        all_groups(&rows, (least, k), |first, lanes| {
            let base = lanes[0].1;
            lanes.len() as i64 == k
                && base.rem_euclid(k) == 0
                && lanes.iter().all(|(lane, position)| position - base == lane - first)
        })
    };
    let widest = [1, 2, 4, 8, 16].into_iter().filter(|k| *k <= most && is_one(*k)).max();
    assert_eq!(Some(found.widest), widest, "{text}: {found:?}");
    let k = found.contiguous;
    assert!(all_groups(&rows, (least, k), |_, lanes| {
        lanes.iter().all(|(lane, position)| position - lanes[0].1 == lane - lanes[0].0)
    }));
    let k = found.constant;
    assert!(all_groups(&rows, (least, k), |_, lanes| lanes.iter().all(|one| one.1 == lanes[0].1)));
    let k = found.contiguous;
    assert!(all_groups(&rows, (least, k), |first, lanes| {
        lanes[0].0 != first || lanes[0].1.rem_euclid(found.divisible) == 0
    }));
    let is_reason_seen = found.less.as_ref().is_none_or(|less| {
        let at = |point: &[i64]| map.domain().contains(point) == Ok(true);
        match &less.reason {
            Reason::Partial { inside, missing } => {
                let mut other = inside.clone();
                other[ids(&map, &[lane])[0].index()] = *missing;
                at(inside) && !at(&other)
            }
            Reason::Apart { point, .. } => at(point),
            Reason::Misaligned { point, position } => {
                let value = map.eval(point).expect("a position")[0];
                at(point) && i128::from(value) == *position && value.rem_euclid(less.lanes) != 0
            }
            Reason::Unknown => false,
        }
    });
    assert!(is_reason_seen, "{text}: {found:?}");
    found
}

#[test]
fn widths_and_their_reasons() {
    for (text, lane, widest) in [
        ("(i, j) -> (i * 48 + j), domain: i in [0, 9], j in [0, 47]", "j", 16),
        ("(i, j) -> (i * 47 + j), domain: i in [0, 9], j in [0, 47]", "j", 1),
        ("(i, j) -> (i * 4 + j + 4), domain: i in [0, 9], j in [0, 15]", "j", 4),
        ("(i, j) -> (i * 16 + j), domain: i in [0, 9], j in [0, 5]", "j", 2),
        (
            "(i, j) -> (i * 16 + j), domain: i in [0, 9], j in [0, 15], i * 16 + j in [0, 100]",
            "j",
            1,
        ),
        (
            "(i, j) -> (i * 16 + j), domain: i in [0, 9], j in [0, 15], i * 16 + j in [0, 103]",
            "j",
            8,
        ),
        ("(i, j) -> (j * 16 + i), domain: i in [0, 9], j in [0, 15]", "j", 1),
        ("(i, j) -> (i + j floordiv 4), domain: i in [0, 9], j in [0, 15]", "j", 1),
        ("(j) -> (j + 8 - j mod 8 * 2), domain: j in [0, 15]", "j", 1),
        ("(j) -> (j - 2), domain: j in [2, 33]", "j", 16),
        ("(j) -> (j), domain: j in [2, 33]", "j", 2),
        (
            "(i, j) -> ((i + j floordiv 8) mod 4 * 8 + j mod 8), domain: i in [0, 3], j in [0, 31]",
            "j",
            8,
        ),
    ] {
        assert_eq!(check(text, lane, 16).widest, widest, "{text}");
    }
}

#[test]
fn random_positions_are_as_wide_as_they_are() {
    let mut state = 77_u64;
    let mut draw = |below: u64| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    for _ in 0..150 {
        let row = [4, 6, 8, 12, 16, 17, 32][draw(7) as usize];
        let width = [2, 4, 8, 3, 5][draw(5) as usize];
        let (shift, least) = (draw(3) * 4, draw(2) * 4);
        let lanes = least + [3, 7, 8, 15, 11][draw(5) as usize];
        let term = match draw(5) {
            0 => format!("j mod {width} + j floordiv {width} * {row}"),
            1 => format!("(j + i) mod {row}"),
            2 => format!("j floordiv {width}"),
            3 => format!("min(j, {width})"),
            _ => "j".to_owned(),
        };
        let mut text = format!(
            "(i, j) -> (i * {row} + {term} + {shift}), domain: i in [0, 4], j in [{least}, {lanes}]"
        );
        if draw(3) == 0 {
            text += &format!(", i * {row} + j in [0, {}]", draw(60) + least);
        }
        check(&text, "j", 16);
    }
}

#[test]
fn sizes_with_names_are_proved_for_all() {
    let by = |constraint: &str| {
        let domain = "n in [1, inf], i in [0, inf], j in [0, n - 1]";
        let map = map(&format!("<n>(i, j) -> (i * n + j), domain: {domain}{constraint}"));
        along(&map, "j", 16)
    };
    let found = by(", n mod 8 in [0, 0]");
    assert_eq!((found.widest, found.contiguous, found.divisible), (8, 64, 8));
    let found = by("");
    assert_eq!(found.widest, 1);
    assert!(matches!(found.less.expect("a reason").reason, Reason::Partial { .. }));
}

#[test]
fn lanes_without_a_least_one_and_many_results_are_refused() {
    for text in ["(j) -> (j), domain: j in [-inf, 4]", "(j) -> (j, j), domain: j in [0, 4]"] {
        let map = map(text);
        assert!(vectors(&map, ids(&map, &["j"])[0], 4, &Budget::default()).is_err(), "{text}");
    }
}
