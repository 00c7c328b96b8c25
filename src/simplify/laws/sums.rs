//! Laws of sums, of their import, and of their digit view.

use super::{Check, Law, ample_fuel, atom, engine, sum, v};
use crate::expr::Expr;
use crate::num::{self, Interval};
use crate::rule::matching::establishes;
use crate::rule::{Condition, Point, Term};
use crate::simplify::digit_forms::{Beside, factored, mirrored};
use crate::simplify::digits::Digit;
use crate::simplify::import::Importer;
use crate::simplify::linear::{AtomId, Bindings, Linear};
use crate::simplify::store::Store;

/// Each law with the check that compares it with the code.
pub(super) const CHECKS: &[(&str, Check)] = &[
    ("sum-order", one_sum),
    ("sum-nesting", one_sum),
    ("sum-zero", one_sum),
    ("sum-collect", |law| {
        one_sum(law);
        let (a, b) = (law.at("a"), law.at("b"));
        let collected = Linear::new(0, [(AtomId(0), a), (AtomId(0), b)]);
        law.same(collected, Some(atom(0, a + b)));
        law.same(atom(0, a).plus_atom(b, AtomId(0)), Some(atom(0, a + b)));
    }),
    ("sum-distribute", one_sum),
    ("product-nesting", one_sum),
    ("sum-subtract", one_sum),
    ("sum-split", sum_split),
    ("sum-split-coefficient", sum_split_coefficient),
    ("difference-least", difference),
    ("difference-less", difference),
    ("digit", digit),
    ("digit-chain", digit_chain),
    ("digit-factor", |law| digit_beside(law, law.at("a"), factored)),
    ("digit-mirror", |law| digit_beside(law, 0, mirrored)),
    ("quotient-nesting", quotient_nesting),
    ("ceiling", ceiling),
    ("quotient-one", |law| {
        let x = atom(0, 1).with_constant(law.at("x"));
        law.same(v(0).floordiv(1).ok(), Some(v(0)));
        law.same(engine(&[Interval::ALL]).divide(&x, 1), x);
    }),
    ("modulus-one", |law| law.same(v(0).modulo(1).ok(), Some(Expr::constant(0)))),
    ("min-order", one_min_max),
    ("min-nesting", one_min_max),
    ("min-same", one_min_max),
    ("max-order", one_min_max),
    ("max-nesting", one_min_max),
    ("max-same", one_min_max),
];

/// Evaluates a term with the operations of [`Linear`]; each expression is a sum of its own plus a shared atom.
fn linear(law: &Law<'_>, term: &Term) -> Linear {
    let number = |term: &Term| {
        let value = term.eval(&law.point).expect("divisors are positive");
        i64::try_from(value).expect("small numbers")
    };
    match term {
        _ if !term.has_expression() => Linear::constant(number(term)),
        Term::Expression(slot) => {
            let shared = law.point.expressions[*slot as usize];
            sum(&[&atom(u32::from(*slot), 1), &atom(9, shared)]).with_constant(shared)
        }
        Term::Sum(terms) => {
            let plus = |total: Linear, term: &Term| {
                total.plus(1, &linear(law, term)).expect("small numbers")
            };
            terms.iter().fold(Linear::default(), plus)
        }
        Term::Product(x, y) => linear(law, y).scaled(number(x)).expect("small numbers"),
        _ => panic!("{}: not a sum", law.rule),
    }
}

fn one_sum(law: &Law<'_>) {
    let (lhs, rhs) = law.equation();
    law.same(linear(law, lhs), linear(law, rhs));
}

fn sum_split(law: &Law<'_>) {
    let (c, q, k) = (law.at("c"), law.at("q"), law.at("k"));
    if c == 1 {
        return; // one divides every coefficient, so nothing is left
    }
    let given = sum(&[&atom(0, c * q), &atom(1, 1)]).with_constant(k);
    let (multiples, rest) = given.split_multiples(c);
    let (_, stated) = law.equation();
    let at = |x: &Linear| {
        x.constant + x.coefficient(AtomId(0)) * law.at("x") + x.coefficient(AtomId(1)) * law.at("y")
    };
    law.same(multiples.clone(), atom(0, q).with_constant(k.div_euclid(c)));
    law.same(Some(i128::from(c * at(&multiples) + at(&rest))), stated.eval(&law.point));
}

fn sum_split_coefficient(law: &Law<'_>) {
    let (a, c, q) = (law.at("a"), law.at("c").abs() + 1, law.at("q"));
    if a == 0 {
        return;
    }
    let given = sum(&[&atom(0, a), &atom(1, 1)]);
    let (multiples, rest) =
        given.split_by(c, |x, _| if x == AtomId(0) { q } else { 0 }).expect("small numbers");
    law.same((multiples, rest), (atom(0, q), sum(&[&atom(0, a - c * q), &atom(1, 1)])));
}

/// A comparison of two expressions is established iff it holds for all of their values.
fn difference(law: &Law<'_>) {
    let (x, y) = (law.at("x"), law.at("y"));
    let widths = (y.rem_euclid(4), x.rem_euclid(3));
    let (xs, ys) = (Interval::new(x, x + widths.0), Interval::new(y, y + widths.1));
    let (lhs, rhs) = law.sides();
    let all = |conditions: &[Condition]| {
        let ends = Point { constants: Vec::new(), expressions: vec![xs.hi(), ys.lo()] };
        conditions.iter().all(|condition| condition.holds(&ends) == Some(true))
    };
    let bindings = Bindings::of(&[], [atom(0, 1), atom(1, 1)]);
    for side in [lhs, rhs] {
        let established = establishes(&side[0], &bindings, &mut engine(&[xs, ys]));
        law.same(established, all(lhs));
    }
}

fn digit(law: &Law<'_>) {
    let (k, c, w) = (law.at("k"), law.at("c"), law.at("y"));
    if k == 0 || c == 1 || w == 0 {
        return;
    }
    let mut store = Store::new(&[Interval::ALL], &ample_fuel());
    let quotient = store.quotient_atom(&atom(0, 1), c.into());
    let view = store.digits(&sum(&[&atom(0, k), &atom(quotient.0, w)]));
    law.same(view.rest.clone(), atom(quotient.0, k * c + w));
    law.same(view.digits.to_vec(), vec![Digit { coefficient: k, of: atom(0, 1), modulus: c }]);
}

fn digit_chain(law: &Law<'_>) {
    let (k, b, m, w) = (law.at("k"), law.at("b"), law.at("m"), law.at("y"));
    if k == 0 || m == 1 || w == 0 {
        return;
    }
    let mut store = Store::new(&[Interval::ALL], &ample_fuel());
    let fine = store.quotient_atom(&atom(0, 1), b.into());
    let coarse = store.quotient_atom(&atom(0, 1), (b * m).into());
    let view = store.digits(&sum(&[&atom(fine.0, k), &atom(coarse.0, w)]));
    law.same(view.rest.clone(), atom(coarse.0, k * m + w));
    law.same(
        view.digits.to_vec(),
        vec![Digit { coefficient: k, of: Linear::atom(fine), modulus: m }],
    );
}

/// The code writes the digit of a law in another way, as the law says.
fn digit_beside(law: &Law<'_>, constant: i64, write: fn(&Beside) -> Option<Beside>) {
    let (k, c, x) = (law.at("k"), law.at("c"), law.at("x"));
    let digit = Digit { coefficient: k, of: atom(0, 1), modulus: c };
    let (constant, digit) = write(&(constant, digit)).expect("small numbers");
    let of = digit.of.coefficient(AtomId(0)) * x + digit.of.constant;
    let value = constant + digit.coefficient * num::modulo(of, digit.modulus) + law.at("y");
    law.same(Some(i128::from(value)), law.equation().0.eval(&law.point));
}

/// Both expressions import to the same sum, for any range of their variable.
fn imported_alike(law: &Law<'_>, x: &Expr, y: &Expr) {
    let mut engine = engine(&[Interval::ALL]);
    let mut importer = Importer::default();
    let (one, other) = (importer.import(&mut engine, x), importer.import(&mut engine, y));
    law.same(one.is_some(), true);
    law.same(one, other);
    let value = |expr: &Expr| expr.eval(&[law.at("x")]).ok().map(i128::from);
    let (lhs, rhs) = law.equation();
    law.same((value(x), value(y)), (lhs.eval(&law.point), rhs.eval(&law.point)));
}

fn quotient_nesting(law: &Law<'_>) {
    let (a, b) = (law.at("a"), law.at("b"));
    let nested = v(0).floordiv(a).and_then(|inner| inner.floordiv(b)).expect("positive divisors");
    imported_alike(law, &nested, &v(0).floordiv(a * b).expect("positive divisors"));
}

fn ceiling(law: &Law<'_>) {
    let c = law.at("c");
    let mirrored = v(0).scale(-1).and_then(|x| x.floordiv(c)).and_then(|x| x.scale(-1));
    imported_alike(
        law,
        &v(0).ceildiv(c).expect("a positive divisor"),
        &mirrored.expect("a positive divisor"),
    );
}

/// Converts a term of `min` and `max` to an expression over variables `x, y, z`.
fn min_max(term: &Term) -> Expr {
    match term {
        Term::Expression(slot) => v(u32::from(*slot)),
        Term::Min(x, y) => Expr::min([min_max(x), min_max(y)]).expect("a small expression"),
        Term::Max(x, y) => Expr::max([min_max(x), min_max(y)]).expect("a small expression"),
        _ => panic!("not made of min and max"),
    }
}

fn one_min_max(law: &Law<'_>) {
    let (lhs, rhs) = law.equation();
    law.same(min_max(lhs), min_max(rhs));
    law.same(min_max(lhs).eval(&law.point.expressions).ok().map(i128::from), lhs.eval(&law.point));
}
