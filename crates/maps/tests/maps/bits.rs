//! Bit forms, compared with machine operations.

use crate::support::random::{box_points, small_map};
use affinor_maps::expr::{
    BitForm, Domain, Expr, ExprError, IndexingMap, Variable, VariableId, VariableKind,
};
use affinor_maps::expr::{Parity, Source};
use affinor_maps::num::Interval;
use proptest::prelude::*;

fn form(expr: &Expr, domain: &Domain) -> BitForm {
    BitForm::of(expr, &|expr| domain.range_of(expr))
}

/// Prints a form: for each bit, the lowest first, the `source.place` of each source bit in it; `..` if there is no highest bit.
fn written(form: &BitForm) -> String {
    let bit = |bit: &Parity| {
        let mut ones: Vec<String> = bit
            .ones()
            .map(|(source, place)| {
                let value = &form.sources()[source].value;
                match value.as_variable() {
                    Some(id) => format!("{}.{place}", ["x", "y", "z"][id.index()]),
                    None => format!("other.{place}"),
                }
            })
            .collect();
        ones.sort();
        ones.extend(bit.flipped.then(|| "1".to_owned()));
        if ones.is_empty() { "0".to_owned() } else { ones.join("+") }
    };
    match form.bits() {
        Some(bits) => bits.iter().map(bit).collect::<Vec<_>>().join(" "),
        None => "..".to_owned(),
    }
}

#[test]
fn sums_without_carries_are_read_as_bits() {
    let table = [
        ("x", "x.0 x.1 x.2"),
        ("5", "1 0 1"),
        ("x floordiv 2", "x.1 x.2"),
        ("x mod 4 * 2", "0 x.0 x.1"),
        ("x + y * 8", "x.0 x.1 x.2 y.0 y.1"),
        ("x - x mod 4", "0 0 x.2"),
        ("y * 2 - y floordiv 2 * 3", "y.1 y.0"),
        ("x * 2 - x floordiv 2 * 3", ".."),
        ("7 - x", "x.0+1 x.1+1 x.2+1"),
        ("9 - x", "other.0 other.1 other.2 other.3"),
        ("x + 1 - x mod 2", "1 x.1 x.2"),
        ("x + y", "other.0 other.1 other.2 other.3"),
        ("(x + y) mod 2", "x.0+y.0"),
        ("(x + y + 1) mod 2 * 4", "0 0 x.0+y.0+1"),
        ("(x + x floordiv 2 + x) mod 2", "x.1"),
        ("(x + y) mod 4", "other.0 other.1"),
        ("(x + y * 2) mod 4", "x.0 x.1+y.0"),
        ("(x + y * 2) mod 8", "other.0 other.1 other.2"),
        ("(y floordiv 2 * 6 + x) mod 4", "x.0 x.1+y.1"),
        ("y * 5 floordiv 2 mod 4", "y.1 y.0"),
        ("y * -3 floordiv 2 mod 4", "y.1 y.0"),
        ("y * -3 floordiv 2 mod 8", "y.1 y.0 y.0+y.1"),
        ("z * 9 mod 8", "other.0 other.1 other.2"),
        ("x mod 3", "other.0 other.1"),
        ("z", ".."),
        ("z * 2 + y", ".."),
        ("(z * 4 + y) floordiv 2 mod 4", "y.1 z.0"),
        ("z mod 4 * 2", "0 z.0 z.1"),
        ("z floordiv 8 mod 2 + y * 2", "z.3 y.0 y.1"),
        ("x * 3", "other.0 other.1 other.2 other.3 other.4"),
        ("x mod 2 * 5", "x.0 0 x.0"),
        ("min(x, 1)", "other.0"),
    ];
    let wrong: Vec<String> = table
        .into_iter()
        .filter_map(|(text, expected)| {
            let map: IndexingMap =
                format!("(x, y, z) -> ({text}), domain: x in [0, 7], y in [0, 3], z in [-8, 20]")
                    .parse()
                    .ok()?;
            let found = written(&form(&map.results()[0], map.domain()));
            (found != expected).then(|| format!("{text}: {found}, expected {expected}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Returns the points of a domain: a form may use its constraints.
fn points_of(domain: &Domain) -> impl Iterator<Item = Vec<i64>> {
    box_points(domain).into_iter().filter(|point| domain.contains(point) == Ok(true))
}

type Machine = fn(i64, i64) -> i64;
type Operation = fn(&BitForm, &BitForm) -> Result<Option<BitForm>, ExprError>;

proptest! {
    #[test]
    fn a_form_is_the_value(map in small_map()) {
        for expr in map.results() {
            let form = form(expr, map.domain());
            for again in [form.to_expr(), form.to_shorter_expr()] {
                let Ok(again) = again else { continue };
                for point in points_of(map.domain()) {
                    prop_assert_eq!(expr.eval(&point), again.eval(&point), "at {:?}", point);
                }
            }
        }
    }

    #[test]
    fn operations_are_those_of_the_machine(map in small_map()) {
        let operations: [(Operation, Machine); 3] =
            [(BitForm::xor, |x, y| x ^ y), (BitForm::and, |x, y| x & y), (BitForm::or, |x, y| x | y)];
        let [first, .., last] = map.results() else { return Ok(()) };
        for (operation, machine) in operations {
            // Applied twice, so that the second operation reads the result of the first.
            let Ok(Some(once)) = operation(&form(first, map.domain()), &form(last, map.domain())) else {
                continue;
            };
            let once = once.to_expr().expect("small");
            let shifted = last.floordiv(2).expect("by a constant");
            let twice = operation(&form(&once, map.domain()), &form(&shifted, map.domain()));
            let twice = twice.ok().flatten().map(|twice| twice.to_expr().expect("small"));
            for point in points_of(map.domain()) {
                let (Ok(x), Ok(y)) = (first.eval(&point), last.eval(&point)) else { continue };
                prop_assert_eq!(once.eval(&point), Ok(machine(x, y)), "at {:?}", point);
                if let Some(twice) = &twice {
                    prop_assert_eq!(twice.eval(&point), Ok(machine(machine(x, y), y >> 1)), "at {:?}", point);
                }
            }
        }
    }

    #[test]
    fn a_linear_map_has_a_form_of_the_size_of_its_matrix(
        rows in (5_usize..=12).prop_flat_map(|n| {
            let dense = prop::collection::vec(0_u64..1 << n, n);
            let pair = (dense.clone(), dense.clone());
            let sparse = pair.prop_map(|(x, y)| x.iter().zip(y).map(|(x, y)| x & y).collect::<Vec<_>>());
            let units: Vec<u64> = (0..n).map(|k| 1 << k).collect();
            prop_oneof![dense, sparse, Just(units).prop_shuffle()]
        }),
    ) {
        let width = rows.len() as u32;
        let last = Interval::of_size(1 << width);
        let domain = Domain::new(vec![Variable::new("x", VariableKind::Dimension, last)]);
        let x = Expr::variable(VariableId(0));
        let source = Source { value: x, width: Some(width) };
        let bit = |mask: u64| {
            let places = (0..width).filter(|place| mask >> place & 1 == 1);
            places.fold(Parity::default(), |sum, place| sum.xor(&Parity::bit(0, place)))
        };
        let of_rows = BitForm::new(vec![source], rows.iter().map(|row| bit(*row)).collect());
        let expr = of_rows.to_expr().expect("small");
        let ones: u32 = rows.iter().map(|row| row.count_ones()).sum();
        // A bit that is alone at its place costs a remainder and a product, except in a permutation.
        let alone = rows.iter().filter(|row| row.is_power_of_two()).count();
        let all: u64 = rows.iter().fold(0, |all, row| all | row);
        let is_permutation = alone == rows.len() && all.count_ones() == width;
        let most = 3 * u64::from(ones) + if is_permutation { 0 } else { alone as u64 };
        prop_assert!(expr.cost().ops <= most, "{} for {ones}: {expr:?}", expr.cost().ops);
        for point in 0..1_i64 << width {
            let expected = rows.iter().enumerate();
            let expected: i64 = expected.map(|(k, row)| i64::from((row & point as u64).count_ones() % 2) << k).sum();
            prop_assert_eq!(expr.eval(&[point]), Ok(expected));
        }
        let read = form(&expr, &domain);
        let same = read.bits().is_some_and(|bits| {
            let trimmed = |bits: &[Parity]| {
                let length = bits.len() - bits.iter().rev().take_while(|bit| bit.is_zero()).count();
                bits[..length].to_vec()
            };
            trimmed(bits) == trimmed(of_rows.bits().unwrap_or_default())
        });
        prop_assert!(same, "read back as {}", written(&read));
    }
}
