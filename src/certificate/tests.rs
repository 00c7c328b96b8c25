//! Signs of polynomials, compared with their values at points.

use super::known::Steps;
use super::replay::{Mode, Replay};
use crate::expr::IndexingMap;
use crate::num::{Fuel, Interrupt};
use crate::text::parse_map;

/// Returns whether the result of a map is found to be nonnegative.
fn is_natural(map: &IndexingMap) -> bool {
    let fuel = Fuel::new(1 << 24, &Interrupt::new());
    let mut replay = Replay::new(&fuel, Mode::Full);
    let opened = replay.open_domain(map.domain(), map.domain());
    assert!(opened.is_ok(), "{map:?}");
    let sum = replay.expr(&map.results()[0]).expect("small numbers");
    replay.is_natural(&sum, &mut Steps::new())
}

/// Returns the least value of the result at points with coordinates from -4 to 16.
fn least(map: &IndexingMap) -> i64 {
    let count = map.domain().variables().len();
    let (mut least, mut point) = (i64::MAX, vec![-4i64; count]);
    loop {
        if map.domain().contains(&point) == Ok(true) {
            least = least.min(map.eval(&point).expect("small numbers")[0]);
        }
        let Some(next) = point.iter().position(|x| *x < 16) else {
            return least;
        };
        point[..next].fill(-4);
        point[next] += 1;
    }
}

#[test]
fn signs_of_polynomials() {
    const SIZES: &str = "n in [1, inf], m in [1, inf]";
    const INDEX: &str = "d0 in [0, n * m - 1]";
    const PARTS: &str = "d0 in [0, n - 1], d1 in [0, m - 1]";
    // Polynomials that are nonnegative, and others that are not.
    for (domain, natural, others) in [
        // Products of bounds.
        (
            PARTS,
            "n * m - 1 - d0 * m - d1; (n - d0) * (m - d1) - 1; n * n - d0 * d0 - 1",
            "n * m - 2 - d0 * m - d1; n * m - 1 - d0 * n - d1",
        ),
        // Quotients: of a multiple of the divisor, of another, and of two in a row.
        (
            INDEX,
            "n - 1 - d0 floordiv m; d0 floordiv m - d0 floordiv (n * m); d0 - m * (d0 floordiv m); \
             m - 1 - d0 + m * (d0 floordiv m); m - 1 - d0 floordiv (n * 4) * 4",
            "n - 2 - d0 floordiv m; m - 1 - d0 floordiv m; m - 2 - d0 + m * (d0 floordiv m); \
             n * (d0 floordiv n) + m * (d0 floordiv m) - d0; m * 3 - 4 - d0 floordiv (n * 16) * 48",
        ),
        // Quotients of sizes.
        (
            "d0 in [0, 0]",
            "m * (n ceildiv m) - n; n + m - 1 - m * (n ceildiv m)",
            "n - m * (n ceildiv m); n + m - 2 - m * (n ceildiv m)",
        ),
        // Min and max, with the facts that hold if an operand is chosen.
        (
            INDEX,
            "n + m - min(n, m) - max(n, m); n * m - min(n, m) * min(n, m); max(n - d0, 0) + d0 - n",
            "n * m - max(n, m) * max(n, m); n - max(n - d0, 0) - d0",
        ),
        // Facts about parameters, and about a variable times a parameter.
        ("d0 in [0, n - 1], m - n in [0, inf]", "m - 1 - d0", "m - 2 - d0"),
        ("d0 in [0, n - 1], m - n in [-1, inf]", "m - d0", "m - 1 - d0"),
        ("d0 in [0, 9], m - n * 2 in [0, inf]", "m * m - n * m * 2", "m - n * 3"),
        ("d0 in [0, 9], d0 * n - m in [-inf, -1]", "m - 1 - d0", "m - 2 - d0"),
        ("d0 in [0, 9], d0 * (n - 2) - m in [-inf, -1]", "m + d0 * 2 - n * d0 - 1", "m - 1 - d0"),
    ] {
        let questions = |list: &'static str| list.split("; ");
        let natural = questions(natural).map(|polynomial| (polynomial, true));
        let others = questions(others).map(|polynomial| (polynomial, false));
        for (polynomial, expected) in natural.chain(others) {
            let indices = if domain.contains("d1") { "d0, d1" } else { "d0" };
            let text = format!("<n, m>({indices}) -> ({polynomial}), domain: {SIZES}, {domain}");
            let map = parse_map(&text).unwrap_or_else(|error| panic!("{error:?} in {text}"));
            assert_eq!(is_natural(&map), expected, "{text}");
            assert_eq!(least(&map) >= 0, expected, "{text}");
        }
    }
}
