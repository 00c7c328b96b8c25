//! Named sizes: simplified maps with parameters, compared with evaluation at points.

use crate::SIMPLIFIER;
use crate::support::symbolic::{Symbolic, symbolic_map};
use affinor::expr::{IndexingMap, VariableId, VariableKind};
use affinor::simplify::Options;
use affinor::text::{Style, parse_map, print_map};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

fn simplified(map: &IndexingMap) -> IndexingMap {
    SIMPLIFIER.simplify(map, &Options::default()).map
}

/// Checks that at points where `map` has a value, `other` has the same; and that elsewhere neither is defined, unless a number
/// overflows.
pub(crate) fn agree(
    map: &IndexingMap,
    other: &IndexingMap,
    point: &[i64],
) -> Result<(), TestCaseError> {
    let (Ok(inside), Ok(other_inside)) =
        (map.domain().contains(point), other.domain().contains(point))
    else {
        return Ok(());
    };
    let texts = || {
        let text = |map| print_map(map, Style::Plain);
        format!("{} and {} at {point:?}", text(map), text(other))
    };
    prop_assert_eq!(inside, other_inside, "{}", texts());
    if let (true, Ok(values), Ok(others)) = (inside, map.eval(point), other.eval(point)) {
        prop_assert_eq!(values, others, "{}", texts());
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(22), ..ProptestConfig::with_cases(600) })]

    #[test]
    fn simplified_maps_have_the_same_values(of in symbolic_map(None), steps in prop::collection::vec(prop::collection::vec(-3i64..4, 8), 24)) {
        let Symbolic { map, point } = of;
        let small = simplified(&map);
        prop_assert!(small.cost() <= map.cost());
        agree(&map, &small, &point)?;
        for step in &steps {
            let near: Vec<i64> = point.iter().zip(step).map(|(x, step)| x + step).collect();
            agree(&map, &small, &near)?;
        }
    }

    #[test]
    fn to_simplify_and_to_bind_commute_at_every_point(of in symbolic_map(None)) {
        let Symbolic { map, point } = of;
        let parameters: Vec<VariableId> = map.domain().ids(VariableKind::Parameter).collect();
        let values: Vec<(VariableId, i64)> = parameters.iter().map(|id| (*id, point[id.index()])).collect();
        let rest = &point[..point.len() - values.len()];
        if let (Ok(first), Ok(then)) = (map.bound(&values), simplified(&map).bound(&values)) {
            agree(&first, &simplified(&then), rest)?;
            agree(&simplified(&first), &then, rest)?;
        }
    }
}

#[test]
fn maps_with_named_sizes() {
    for (text, expected) in [
        // A linearized index split into digits, and joined again.
        (
            "<n, m>(d0, d1) -> ((d0 * n + d1) floordiv n, (d0 * n + d1) mod n), domain: n in [1, inf], m in [1, inf], d0 in [0, m - 1], d1 in [0, n - 1]",
            "<n, m>(d0, d1) -> (d0, d1), domain: n in [1, inf], m in [1, inf], d0 in [0, m - 1], d1 in [0, n - 1]",
        ),
        (
            "<n>(d0) -> ((d0 floordiv n) * n + d0 mod n), domain: n in [1, inf], d0 in [0, inf]",
            "<n>(d0) -> (d0), domain: n in [1, inf], d0 in [0, inf]",
        ),
        // A quotient of a quotient in a constraint; only the second divisor has names.
        (
            "<n>(d0) -> (d0), domain: n in [1, 4], d0 in [0, 9], d0 floordiv 2 ceildiv (n * n) in [0, 0]",
            "<n>(d0) -> (d0), domain: n in [1, 4], d0 in [0, 9], (d0 - 2) floordiv (n * n * 2) in [-1, -1]",
        ),
        // No constraint bounds d1 by n.
        (
            "<n>(d0, d1) -> ((d0 * n + d1) floordiv n), domain: n in [1, inf], d0 in [0, 9], d1 in [0, 9]",
            "<n>(d0, d1) -> (d0 + d1 floordiv n), domain: n in [1, inf], d0 in [0, 9], d1 in [0, 9]",
        ),
        // A quotient of a quotient; a size that is a quotient of another size.
        (
            "<n, m>(d0) -> (d0 floordiv n floordiv (m * 8)), domain: n in [1, inf], m in [1, inf], d0 in [0, inf]",
            "<n, m>(d0) -> (d0 floordiv (n * m * 8)), domain: n in [1, inf], m in [1, inf], d0 in [0, inf]",
        ),
        (
            "<n>(d0) -> (max(n - d0 * 16, 0)), domain: n in [2, inf], d0 in [0, n floordiv 16 - 1]",
            "<n>(d0) -> (d0 * -16 + n), domain: n in [2, inf], d0 in [0, n floordiv 16 - 1]",
        ),
        // The size is a multiple of an integer.
        (
            "<n>(d0, d1) -> ((d0 * n + d1) mod 4), domain: n in [4, inf], d0 in [0, inf], d1 in [0, n - 1], n mod 4 in [0, 0]",
            "<n>(d0, d1) -> (d1 mod 4), domain: n in [4, inf], d0 in [0, inf], d1 in [0, n - 1], n mod 4 in [0, 0]",
        ),
        (
            "<n>(d0, d1) -> ((d0 * n + d1) mod 4), domain: n in [4, inf], d0 in [0, inf], d1 in [0, n - 1]",
            "<n>(d0, d1) -> ((d0 * n + d1) mod 4), domain: n in [4, inf], d0 in [0, inf], d1 in [0, n - 1]",
        ),
        // The size is a multiple of another size.
        (
            "<n, v>(d0) -> ((n - 1) floordiv v - n floordiv v, n floordiv v * v, (n + d0) mod v), domain: n in [1, inf], v in [1, inf], d0 in [0, 9], n mod v in [0, 0]",
            "<n, v>(d0) -> (-1, n, d0 mod v), domain: n in [1, inf], v in [1, inf], d0 in [0, 9], n mod v in [0, 0]",
        ),
        (
            "<v, o>() -> ((o + 8 * v - 1) floordiv (8 * v) - o floordiv (8 * v) + 1), domain: v in [1, 16], o in [0, inf], o mod (8 * v) in [0, 0]",
            "<v, o>() -> (1), domain: v in [1, 16], o in [0, inf], o mod (v * 8) in [0, 0]",
        ),
        (
            "<n, v>() -> (n floordiv v * v), domain: n in [1, inf], v in [1, inf], n mod v in [0, 1]",
            "<n, v>() -> (v * (n floordiv v)), domain: n in [1, inf], v in [1, inf], n mod v in [0, 1]",
        ),
        // A factor that is a sum is cancelled from dividend and divisor.
        (
            "<n>(d0) -> ((96 * (n + 1)) mod (47 * (n + 1)), (d0 * n + d0) floordiv (n * 4 + 4)), domain: n in [0, inf], d0 in [0, 9]",
            "<n>(d0) -> (n * 2 + 2, d0 floordiv 4), domain: n in [0, inf], d0 in [0, 9]",
        ),
        (
            "<n>(d0) -> ((d0 * n + d0) floordiv (n * 4 + 3)), domain: n in [0, inf], d0 in [0, 9]",
            "<n>(d0) -> ((d0 + d0 * n) floordiv (n * 4 + 3)), domain: n in [0, inf], d0 in [0, 9]",
        ),
    ] {
        let map = parse_map(text).unwrap_or_else(|error| panic!("{text}: {error:?}"));
        assert_eq!(print_map(&simplified(&map), Style::Plain), expected, "{text}");
    }
}

/// A product of this many sizes, each at least 1, is not expanded.
#[test]
fn a_product_of_many_sizes_ends() {
    let names: Vec<String> = (0..60).map(|number| format!("s{number}")).collect();
    let bounds: Vec<String> = names.iter().map(|s| format!("{s} in [1, inf]")).collect();
    for (count, expected) in [(60, "0"), (59, "d0 floordiv n")] {
        let map = |result: &str| {
            format!(
                "<{}, n>(d0) -> ({result}), domain: {}, n in [1, inf], d0 in [0, {} - 1], {} - n in [-inf, 0]",
                names.join(", "),
                bounds.join(", "),
                names.join(" * "),
                names[..count].join(" * "),
            )
        };
        let given = parse_map(&map("d0 floordiv n")).expect("a map");
        let expected = parse_map(&map(expected)).expect("a map");
        assert_eq!(simplified(&given).results(), expected.results(), "{count}");
    }
}
