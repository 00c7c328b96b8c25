//! Conditions of isl, compared with their meaning at each point: `exists` tries all integers that matter.

use affinor_maps::text::parse_map;
use proptest::prelude::*;

/// Coefficients of i, j and of the existentially quantified integer, and a constant.
type Sum = [i64; 4];

#[derive(Clone, Debug)]
enum Condition {
    AtLeast(Sum),
    Equal(Sum),
    Differ(Sum),
    /// The sum is `.1` modulo `.2`; does not involve the quantified integer.
    Residue(Sum, i64, i64),
    All(Vec<Condition>),
    Any(Vec<Condition>),
    Not(Box<Condition>),
    Exists(Box<Condition>),
}

/// Integers beyond these never matter: a bound of the quantified one is at most 3*4 + 3*4 + 9.
const TRIED: std::ops::RangeInclusive<i64> = -40..=40;

impl Condition {
    fn holds(&self, i: i64, j: i64, e: i64) -> bool {
        let value = |[a, b, c, d]: &Sum| a * i + b * j + c * e + d;
        match self {
            Condition::AtLeast(sum) => value(sum) >= 0,
            Condition::Equal(sum) => value(sum) == 0,
            Condition::Differ(sum) => value(sum) != 0,
            Condition::Residue(sum, residue, by) => value(sum).rem_euclid(*by) == *residue,
            Condition::All(list) => list.iter().all(|x| x.holds(i, j, e)),
            Condition::Any(list) => list.iter().any(|x| x.holds(i, j, e)),
            Condition::Not(x) => !x.holds(i, j, e),
            Condition::Exists(x) => TRIED.into_iter().any(|e| x.holds(i, j, e)),
        }
    }

    fn text(&self) -> String {
        let sum = |[a, b, c, d]: &Sum| format!("{a}i + {b}j + {c}e + {d}");
        let joined = |list: &[Condition], word: &str| {
            let parts: Vec<String> = list.iter().map(|x| format!("({})", x.text())).collect();
            parts.join(word)
        };
        match self {
            Condition::AtLeast(x) => format!("{} >= 0", sum(x)),
            Condition::Equal(x) => format!("{} = 0", sum(x)),
            Condition::Differ(x) => format!("{} != 0", sum(x)),
            Condition::Residue(x, residue, by) => format!("({}) mod {by} = {residue}", sum(x)),
            Condition::All(list) => joined(list, " and "),
            Condition::Any(list) => joined(list, " or "),
            Condition::Not(x) => format!("not ({})", x.text()),
            Condition::Exists(x) => format!("exists (e : {})", x.text()),
        }
    }
}

fn sum(of_e: std::ops::RangeInclusive<i64>) -> impl Strategy<Value = Sum> {
    (-3i64..=3, -3i64..=3, of_e, -9i64..=9).prop_map(|(a, b, c, d)| [a, b, c, d])
}

/// Generates combinations of comparisons with a quantified integer.
fn inside() -> impl Strategy<Value = Condition> {
    let compared = prop_oneof![
        4 => sum(-4..=4).prop_map(Condition::AtLeast),
        2 => sum(-4..=4).prop_map(Condition::Equal),
        1 => sum(-4..=4).prop_map(Condition::Differ),
    ];
    compared.prop_recursive(2, 6, 3, |inner| {
        prop_oneof![
            3 => prop::collection::vec(inner.clone(), 2..=3).prop_map(Condition::All),
            1 => prop::collection::vec(inner.clone(), 2..=3).prop_map(Condition::Any),
            1 => inner.prop_map(|x| Condition::Not(Box::new(x))),
        ]
    })
}

fn condition() -> impl Strategy<Value = Condition> {
    let plain = prop_oneof![
        sum(0..=0).prop_map(Condition::AtLeast),
        (sum(0..=0), 2i64..=5)
            .prop_flat_map(|(sum, by)| (0..by).prop_map(move |r| Condition::Residue(sum, r, by))),
        inside().prop_map(|x| Condition::Exists(Box::new(x))),
    ];
    plain.prop_recursive(2, 5, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 2..=3).prop_map(Condition::All),
            prop::collection::vec(inner.clone(), 2..=3).prop_map(Condition::Any),
            inner.prop_map(|x| Condition::Not(Box::new(x))),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// A domain has exactly the points at which the condition holds, and quantified integers that occur only in comparisons of
    /// sums are eliminated.
    #[test]
    fn conditions_hold_where_they_do(condition in condition()) {
        // Outside `exists` there is no `e`, and its coefficient is 0.
        let text = condition.text().replace(" + 0e", "");
        let text = format!("{{ [i, j] : -4 <= i, j <= 4 and {text} }}");
        let map = parse_map(&text).map_err(|error| TestCaseError::fail(format!("{text}: {error:?}")))?;
        let domain = map.domain();
        prop_assert_eq!(domain.variables().len(), 2, "{}: {}", text, map);
        for (i, j) in (-4..=4).flat_map(|i| (-4..=4).map(move |j| (i, j))) {
            let expected = condition.holds(i, j, 0);
            prop_assert_eq!(domain.contains(&[i, j]), Ok(expected), "{} at {}, {}", text, i, j);
        }
    }
}
