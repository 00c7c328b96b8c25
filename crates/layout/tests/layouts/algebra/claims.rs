//! The claims behind answers: both sides of each claim agree at every point, and all claims combine into one equation.

use super::named;
use super::random::each;
use affinor::expr::IndexingMap;
use affinor::prove::Budget;
use affinor::text::parse_map;
use affinor_layout::cute::algebra::{
    Arrangement, Interleaving, Made, coalesce, complement, compose, divide, left_inverse,
    max_common, product, recast, right_inverse,
};
use affinor_layout::cute::named::{Conditional, NamedTiler, Operation, Relation, conditional};
use affinor_layout::cute::{Claim, Tiler, together};

/// Maximum number of points of one claim that are tried.
const MOST_POINTS: usize = 4096;

/// Returns the points of the domain within a box, with these values for names.
fn points(map: &IndexingMap, names: &[(&str, i64)]) -> Vec<Vec<i64>> {
    let mut points = vec![Vec::new()];
    for variable in map.domain().variables() {
        let value =
            names.iter().find(|(name, _)| *name == &*variable.name).map(|(_, value)| *value);
        let values = match value {
            Some(value) => value..=value,
            None => 0..=variable.bounds.hi().min(23),
        };
        points = points
            .iter()
            .flat_map(|point| values.clone().map(move |value| [&point[..], &[value]].concat()))
            .take(MOST_POINTS)
            .collect();
    }
    points.retain(|point| map.domain().contains(point) == Ok(true));
    points
}

#[track_caller]
fn holds(text: &str, claims: &[Claim], names: &[(&str, i64)]) {
    for (left, right) in together(claims) {
        let right = right.with_parameters_of(left.domain()).expect("parameters");
        for point in points(&left, names) {
            assert_eq!(right.domain().contains(&point), Ok(true), "{text} at {point:?}");
            assert_eq!(left.eval(&point), right.eval(&point), "{text} at {point:?}");
        }
    }
}

#[test]
fn claims_of_answers_hold_at_every_point() {
    let budget = Budget::default();
    each(|random, _| {
        let (one, other) = (random.layout(), random.layout());
        let (first, second) = (one.read(), other.read());
        let text = format!("{} ; {}", one.text, other.text);
        let tiler = Tiler::Whole(second.clone());
        let apart = Interleaving::Apart(Arrangement::Tiled);
        let made: Vec<Made> = [
            coalesce(&first, &budget),
            complement(&first, 48),
            compose(&first, &second, &budget),
            divide(&first, &tiler, Arrangement::Flat, &budget),
            product(&first, &tiler, apart, &budget),
            product(&first, &tiler, Interleaving::Raked, &budget),
            left_inverse(&first, &budget),
            right_inverse(&first, &budget),
            max_common(&first, &second, &budget),
            recast(&first, 8, 16, &budget),
            recast(&first, 16, 8, &budget),
        ]
        .into_iter()
        .flatten()
        .collect();
        for made in made {
            assert!(!made.claims.is_empty(), "{text}: {} rests on nothing", made.layout);
            holds(&text, &made.claims, &[]);
        }
    });
}

#[test]
fn claims_with_names_hold_for_the_names_that_they_are_about() {
    let divide = Operation::Divide(Arrangement::Logical);
    let product = Operation::Product(Interleaving::Blocked);
    let table: &[(Operation, &str, &str, &[&str])] = &[
        (Operation::Compose, "(n,m):(m,1)", "(m,n):(n,1)", &[]),
        (Operation::Compose, "(4*n,n):(n,1)", "(4,8):(1,n)", &[]),
        (Operation::Complement, "(4,8):(8,1)", "64*m", &[]),
        (divide, "(n,m):(m,1)", "4:1", &["n is 4*n"]),
        (divide, "(n,m):(m,1)", "<4:1,2:1>", &[]),
        (product, "(2,n):(n,1)", "(3,4):(1,3)", &[]),
        (Operation::Recast([8, 32]), "(n,m):(1,n)", "1:0", &["n is 4*n"]),
    ];
    for (operation, first, second, expected) in table {
        let other = match operation {
            Operation::Complement => named::layout(second).into(),
            Operation::Recast(_) => NamedTiler::Modes(Vec::new()),
            _ => NamedTiler::read(second).expect(second),
        };
        let first = named::layout(first);
        let found = conditional(*operation, &first, &other, &[], &Budget::default());
        let found = found.unwrap_or_else(|why| panic!("{first} ; {second}: {why}"));
        let products = found.products.iter().map(|(name, product)| format!("{name} is {product}"));
        assert_eq!(products.collect::<Vec<_>>(), *expected, "{first} ; {second}");
        assert!(!together(&found.claims).is_empty(), "{first} ; {second}");
        for names in [[("n", 4), ("m", 2)], [("n", 5), ("m", 3)], [("n", 8), ("m", 1)]] {
            holds(&format!("{first} ; {second}"), &found.claims, &names);
        }
    }
}

#[test]
fn another_answer_is_claimed_by_other_equations() {
    // The relations can be stated for any layout, but do not hold for a wrong one.
    let layout = named::layout("(n,8):(8,1)");
    for (answer, is_right) in [("(8,n):(n,1)", true), ("(n,8):(8,1)", false)] {
        let related = Conditional::related(named::layout(answer), Relation::LeftInverse(&layout));
        let claims = related.expect(answer).claims;
        let differs = together(&claims).iter().any(|(left, right)| {
            let right = right.with_parameters_of(left.domain()).expect("parameters");
            let points = points(left, &[("n", 3)]);
            points.iter().any(|point| left.eval(point) != right.eval(point))
        });
        assert_eq!(differs, !is_right, "{answer}");
    }
}

#[test]
fn claims_are_one_equation() {
    let map = |text: &str| parse_map(text).expect(text);
    let one = || {
        let left = map("<n>(x) -> (x + 0), domain: n in [1, inf], x in [0, n - 1]");
        (left.clone(), left)
    };
    let other = || {
        let left = map(
            "<m, n>(y, z) -> (y, z), domain: m in [2, inf], n in [1, inf], y in [0, m - 1], z in [0, n]",
        );
        (left.clone(), left)
    };
    let check = |claims: &[Claim], expected: &[&str]| {
        let lefts = together(claims).into_iter().map(|(left, _)| left.to_string());
        assert_eq!(lefts.collect::<Vec<_>>(), expected);
    };
    let domain = "n in [1, inf], m in [2, inf], d0 in [0, n - 1], d1 in [0, m - 1], d2 in [0, n]";
    let both = format!("<n, m>(d0, d1, d2) -> (d0, d1, d2), domain: {domain}");
    check(&[vec![one()], vec![other()]], &[&both]);
    // A claim with two alternative equations, next to a claim with one.
    check(&[vec![one(), one()], vec![other()]], &[&both, &both]);
    check(&[], &[]);
    check(&[vec![one()], Vec::new()], &[]);
    // Range variables are not joined.
    let loops =
        || (map("()[s] -> (s), domain: s in [0, 3]"), map("()[s] -> (s), domain: s in [0, 3]"));
    check(&[vec![loops()], vec![one()]], &[]);
}
