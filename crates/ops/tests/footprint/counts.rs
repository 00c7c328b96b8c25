//! Numbers of points in terms of sizes, compared with counts at some sizes.

use affinor::expr::IndexingMap;
use affinor::prove::Budget;
use affinor::text::parse_map;
use affinor_ops::footprint::image::points_by_size;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

/// Returns a domain over two sizes and up to three variables; `None` if its bounds are not in order.
fn domain() -> impl Strategy<Value = String> {
    let first =
        prop::sample::select(vec!["[0, n - 1]", "[0, n + 2]", "[-2, n floordiv 4]", "[n, n + m]"]);
    let second = prop::sample::select(vec![
        "[0, i]",
        "[0, m - 1]",
        "[i, n + m]",
        "[0, n + m - i]",
        "[-i, i + 3]",
        "[0, 7]",
        "[0, 2 * m]",
    ]);
    let third = prop::sample::select(vec!["[0, 2]", "[0, j + i + m]", "[j, n + m]", "[i, i + m]"]);
    let constraint = prop::sample::select(vec![
        "",
        ", i mod 4 in [0, 0]",
        ", (j + 1) mod 3 in [2, 2]",
        ", i + j in [0, inf]",
        ", i * 8 + j - n in [-inf, -1]",
        ", i - j in [1, inf]",
        ", i + j + k - n in [-inf, m]",
        ", i * 2 - j * 3 in [0, n]",
        ", n - m in [0, inf]",
        ", i - m in [-inf, 3]",
        ", j - n in [-9, 0]",
    ]);
    (first, second, third, prop::collection::vec(constraint, 0..3)).prop_map(|(i, j, k, list)| {
        let list = list.concat();
        format!(
            "<n, m>(i, j, k) -> (i), domain: n in [1, inf], m in [1, inf], i in {i}, j in {j}, k in {k}{list}"
        )
    })
}

/// Returns the number of points at these sizes.
fn counted(map: &IndexingMap, sizes: [i64; 2]) -> i64 {
    let range = -12..30;
    let points = range.clone().flat_map(|i| {
        let range = range.clone();
        range.clone().flat_map(move |j| range.clone().map(move |k| [i, j, k, sizes[0], sizes[1]]))
    });
    let inside = points.filter(|point| map.domain().contains(point) == Ok(true));
    inside.count().try_into().expect("few")
}

/// Checks the number, if one is found; returns whether it is.
#[track_caller]
fn check(text: &str) -> bool {
    let map = parse_map(text).unwrap_or_else(|error| panic!("{text}: {error:?}"));
    let Some(number) = points_by_size(map.domain(), &Budget::default()) else {
        return false;
    };
    for sizes in [[1, 1], [2, 5], [3, 1], [5, 4], [8, 2]] {
        let wanted = counted(&map, sizes);
        if number.domain().contains(&sizes) == Ok(true) {
            assert_eq!(number.eval(&sizes), Ok(vec![wanted]), "{text}: {number} at {sizes:?}");
        } else {
            assert_eq!(wanted, 0, "{text}: {number} at {sizes:?}");
        }
    }
    true
}

#[test]
fn of_triangles_tails_and_strides() {
    let over = |domain: &str| {
        check(&format!("<n, m>(i, j, k) -> (), domain: n in [1, inf], m in [1, inf], {domain}"))
    };
    for domain in [
        "i in [0, n - 1], j in [0, i], k in [0, 0]",
        "i in [0, n - 1], j in [0, i], k in [j, i]",
        "i in [0, n - 1], j in [0, n - 1], k in [0, m - 1], i + j in [0, n - 1]",
        "i in [0, (n + 7) floordiv 8 - 1], j in [0, 7], k in [0, 0], i * 8 + j in [0, n - 1]",
        "i in [0, n - 1], j in [0, m - 1], k in [0, 0], i mod 4 in [0, 0], (j + 2) mod 3 in [1, 1]",
        "i in [0, m], j in [0, m + 3], k in [0, 1], n - m in [0, inf]",
        // It is unknown which size is greater, and whether a width is negative; a min and a max express it.
        "i in [0, n - 1], j in [0, m - 1], k in [0, 0], i - j in [0, inf]",
        "i in [n, m], j in [0, 0], k in [0, 0]",
        "i in [0, n - 1], j in [0, i], k in [0, j], i - m in [-inf, 0], 7 - i in [0, inf]",
    ] {
        assert!(over(domain), "{domain}");
    }
    for domain in [
        "i in [0, n - 1], j in [0, m - 1], k in [0, 0], i * 2 - j * 3 in [0, inf]",
        "i in [0, inf], j in [0, i], k in [0, 0]",
        "i in [0, n - 1], j in [0, i], k in [0, 0], (i * i) mod 3 in [1, 1]",
    ] {
        assert!(!over(domain), "{domain}");
    }
}

#[test]
fn of_random_domains() {
    let mut runner = TestRunner::deterministic();
    let strategy = domain();
    let found = (0..100).filter(|_| check(&strategy.new_tree(&mut runner).expect("one").current()));
    assert!(found.count() > 70);
}
