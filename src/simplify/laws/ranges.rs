//! Laws of intervals and of the ranges of sums.

use super::{Check, Law, ample_fuel, atom, sum};
use crate::num::Interval;
use crate::simplify::linear::Linear;
use crate::simplify::store::Store;

/// Each law with the check that compares it with the code.
pub(super) const CHECKS: &[(&str, Check)] = &[
    ("range-sum", |law| law.says(law.interval("a", "b").add(law.interval("d", "e")))),
    ("range-scale", |law| law.says(law.interval("a", "b").scale(law.at("k")))),
    ("range-scale-negative", |law| law.says(law.interval("a", "b").scale(law.at("k")))),
    ("range-floordiv", |law| law.says(law.interval("a", "b").floordiv(law.at("c")))),
    ("range-ceildiv", |law| law.says(law.interval("a", "b").ceildiv(law.at("c")))),
    ("range-mod", |law| {
        let (x, c) = (law.at("x"), law.at("c"));
        law.says(Interval::new(x, x + c).modulo(c)); // never in one block
        law.says(Interval::ALL.modulo(c));
    }),
    ("range-mod-block", |law| law.says(law.interval("a", "b").modulo(law.at("c")))),
    ("range-min", |law| law.says(law.interval("a", "b").min(law.interval("d", "e")))),
    ("range-max", |law| law.says(law.interval("a", "b").max(law.interval("d", "e")))),
    ("range-intersect", |law| law.says(law.interval("a", "b").intersect(law.interval("d", "e")))),
    ("range-shift", |law| constrained(law, 1, law.at("k"))),
    ("range-negate", |law| constrained(law, -1, 0)),
    ("range-digits", range_digits),
    ("range-min-term", |law| by_operands(law, true)),
    ("range-min-term-negative", |law| by_operands(law, true)),
    ("range-max-term", |law| by_operands(law, false)),
    ("range-max-term-negative", |law| by_operands(law, false)),
];

/// Checks a sum with a min (or max) whose values with one operand substituted are bounded only by constraints.
fn by_operands(law: &Law<'_>, least: bool) {
    let m = law.at("m");
    if m == 0 {
        return;
    }
    let mut store = Store::new(&[Interval::ALL; 3], &ample_fuel());
    store.constrain(&sum(&[&atom(0, m), &atom(2, 1)]), law.interval("a", "b"));
    store.constrain(&sum(&[&atom(1, m), &atom(2, 1)]), law.interval("d", "e"));
    let min_max = store.min_max_atom(vec![atom(0, 1), atom(1, 1)], least);
    let whole = atom(2, 1).plus_atom(m, min_max).expect("small numbers");
    law.says(store.range(&whole));
}

/// Checks a sum of two atoms whose range is bounded only by a constraint.
fn constrained(law: &Law<'_>, factor: i64, constant: i64) {
    let mut store = Store::new(&[Interval::ALL, Interval::ALL], &ample_fuel());
    let x = sum(&[&atom(0, 1), &atom(1, 2)]);
    let known = x.scaled(factor).expect("small numbers").with_constant(constant);
    store.constrain(&known, law.interval("a", "b"));
    law.says(store.range(&x));
}

fn range_digits(law: &Law<'_>) {
    let (k, m) = (law.at("k"), law.at("m"));
    let x = Interval::new(law.at("x"), law.at("x") + law.at("y").abs());
    // A sum of two variables has no table of its values.
    let mut store = Store::new(&[x, Interval::point(0)], &ample_fuel());
    let of = |factor: i64| sum(&[&atom(0, factor), &atom(1, factor)]);
    if x.as_point().is_some() || k == 0 || m == 1 {
        return;
    }
    let quotient = store.quotient_atom(&of(1), m.into());
    let y = Linear::default().plus_atom(law.at("y"), quotient).expect("small numbers");
    let whole = sum(&[&of(k), &y]);
    if y.is_zero() {
        return;
    }
    // The law's premises, as facts of the store about the rest and the remainder.
    let rest = store.plain_range(&y.plus_atom(k * m, quotient).expect("small numbers"));
    let digit = x.modulo(m).scale(k);
    let mut point = law.point.clone();
    for (name, value) in [("a", rest.lo()), ("b", rest.hi()), ("d", digit.lo()), ("e", digit.hi())]
    {
        let slot = law.rule.constants.iter().position(|known| known == name).expect("a bound");
        point.constants[slot] = value;
    }
    let stated = Law { rule: law.rule, point }.fact();
    let plain = store.plain_range(&whole);
    law.same(store.range(&whole), stated.intersect(plain));
}
