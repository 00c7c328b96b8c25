//! The laws that a verdict depends on, at every point of small boxes.

use super::enumerate::each_point;
use super::forms::{Definition, Forms, Style};
use super::linear::{Linear, value_of};
use super::tape::{Overflow, Runner, Tape};
use super::{Budget, Reader, covered, reads_all};
use crate::expr::{Domain, Expr, IndexingMap, Variable, VariableId, VariableKind};
use crate::num::Interval;
use proptest::prelude::*;
use std::ops::ControlFlow;

fn variable(number: u32) -> Expr {
    Expr::variable(VariableId(number))
}

fn expr() -> impl Strategy<Value = Expr> {
    let leaf = prop_oneof![
        5 => (0u32..3).prop_map(variable),
        1 => (-20i64..20).prop_map(Expr::constant),
    ];
    leaf.prop_recursive(6, 32, 3, |inner| {
        let term = (-13i64..14, inner.clone());
        let sum = (-30i64..30, prop::collection::vec(term, 1..4));
        let divided = (inner.clone(), 1i64..13, 0u8..3);
        let listed = (prop::collection::vec(inner, 1..4), any::<bool>());
        prop_oneof![
            3 => sum.prop_map(|(constant, terms)| Expr::sum(constant, terms).unwrap()),
            5 => divided.prop_map(|(x, c, kind)| match kind {
                0 => x.floordiv(c).unwrap(),
                1 => x.modulo(c).unwrap(),
                _ => x.ceildiv(c).unwrap(),
            }),
            1 => listed.prop_map(|(list, least)| match least {
                true => Expr::min(list).unwrap(),
                false => Expr::max(list).unwrap(),
            }),
        ]
    })
}

/// Digits of a number recombined, permuted or reversed, repeatedly, as chains of reshapes, transposes and reversals
/// produce them.
fn digits() -> impl Strategy<Value = Expr> {
    let start = (prop::array::uniform3(-40i64..41), -20i64..20);
    let level = (
        prop::array::uniform3(2i64..8),
        prop::sample::select(vec![[0, 1, 2], [1, 0, 2], [0, 2, 1], [2, 1, 0]]),
        prop::array::uniform3(prop::bool::weighted(0.2)),
    );
    let last = (1i64..50, any::<bool>());
    (start, prop::collection::vec(level, 1..3), last).prop_map(|(start, levels, (by, divide))| {
        let (coefficients, constant) = start;
        let terms = (0u32..).map(variable).zip(coefficients);
        let mut number = Expr::sum(constant, terms.map(|(x, c)| (c, x))).unwrap();
        for (radices, order, backwards) in levels {
            let (mut rest, mut found) = (number, Vec::new());
            for (radix, backwards) in radices.into_iter().zip(backwards) {
                let digit = rest.modulo(radix).unwrap();
                found.push(match backwards {
                    true => Expr::sum(radix - 1, [(-1, digit)]).unwrap(),
                    false => digit,
                });
                rest = rest.floordiv(radix).unwrap();
            }
            let (mut stride, mut terms) = (1, Vec::new());
            for place in order {
                terms.push((stride, found[place].clone()));
                stride *= radices[place];
            }
            terms.push((stride, rest));
            number = Expr::sum(0, terms).unwrap();
        }
        match divide {
            true => number.floordiv(by).unwrap(),
            false => number.modulo(by).unwrap(),
        }
    })
}

fn domain() -> impl Strategy<Value = Domain> {
    let bounds = prop::collection::vec((-5i64..6, 0i64..6), 3);
    let constraints = prop::collection::vec((expr(), -6i64..7, 0i64..9), 0..3);
    (bounds, constraints).prop_map(|(bounds, constraints)| {
        let dimension = |(lo, width): (i64, i64)| {
            Variable::new("x", VariableKind::Dimension, Interval::new(lo, lo + width))
        };
        let mut domain = Domain::new(bounds.into_iter().map(dimension).collect());
        for (expr, lo, width) in constraints {
            domain.constrain(&expr, Interval::new(lo, lo + width));
        }
        domain
    })
}

/// Calls `visit` with every point of the domain's box.
fn each(domain: &Domain, mut visit: impl FnMut(&[i64], usize)) {
    let bounds: Vec<Interval> = domain.variables().iter().map(|x| x.bounds).collect();
    let visited = each_point(&bounds, &Budget::default(), |point, first_changed| {
        visit(point, first_changed);
        ControlFlow::<()>::Continue(())
    });
    assert_eq!(visited, Ok(None));
}

/// Returns the value of `form` at a point of the variables.
fn value(forms: &Forms, form: &Linear, point: &[i64]) -> i64 {
    let mut values = Vec::new();
    for unknown in forms.unknowns() {
        values.push(match forms.definition(unknown) {
            Definition::Variable(number) => point[*number],
            _ => forms.derived_value(unknown, &values).unwrap(),
        });
    }
    value_of(form, &values).unwrap()
}

proptest! {
    #[test]
    fn a_tape_has_the_values_of_its_expressions(
        domain in domain(),
        list in prop::collection::vec(prop_oneof![expr(), digits()], 1..4),
    ) {
        let tape = Tape::new(&list);
        let mut runner = Runner::new(&tape);
        each(&domain, |point, first_changed| {
            assert_eq!(runner.move_to(point, first_changed), Ok(()));
            let exact = tape.exact(point).unwrap();
            for (root, expr) in list.iter().enumerate() {
                let value = expr.eval(point).unwrap();
                assert_eq!(runner.root(root), value);
                assert_eq!(exact[root], i128::from(value));
            }
        });
    }

    #[test]
    fn forms_have_the_values_of_their_expressions(
        domain in domain(),
        list in prop::collection::vec(prop_oneof![expr(), digits()], 1..4),
    ) {
        for style in [Style::Normal, Style::Written] {
            let mut forms = Forms::under(&domain, style, &Budget::default()).unwrap();
            let of_list = forms.of_tape(&Tape::new(&list)).unwrap();
            each(&domain, |point, _| {
                if domain.contains(point) == Ok(true) {
                    for (form, expr) in of_list.iter().zip(&list) {
                        assert_eq!(value(&forms, form, point), expr.eval(point).unwrap());
                    }
                }
            });
        }
    }

    #[test]
    fn bounds_hold_every_value(
        domain in domain(),
        (x, y) in (prop_oneof![expr(), digits()], prop_oneof![expr(), digits()]),
        c in -5i64..6,
    ) {
        let mut forms = Forms::under(&domain, Style::Written, &Budget::default()).unwrap();
        let of_pair = forms.of_tape(&Tape::new([&x, &y])).unwrap();
        let form = of_pair[0].plus(c, &of_pair[1]).unwrap();
        let bounds = forms.bounds_of(&form);
        each(&domain, |point, _| {
            if domain.contains(point) == Ok(true) {
                let value = x.eval(point).unwrap() + c * y.eval(point).unwrap();
                assert!(bounds.contains(value), "{value} is not in {bounds}");
            }
        });
    }
}

fn boxed(bounds: &[(i64, i64)]) -> Domain {
    let dimension = |(lo, hi): &(i64, i64)| {
        Variable::new("x", VariableKind::Dimension, Interval::new(*lo, *hi))
    };
    Domain::new(bounds.iter().map(dimension).collect())
}

#[track_caller]
fn check_bounds(bounds: &[(i64, i64)], expr: &Expr, expected: (i64, i64)) {
    let mut forms = Forms::under(&boxed(bounds), Style::Written, &Budget::default()).unwrap();
    let form = forms.of_tape(&Tape::new([expr])).unwrap().remove(0);
    assert_eq!(forms.bounds_of(&form), Interval::new(expected.0, expected.1));
}

#[test]
fn bounds_see_what_moves_together() {
    let (x, y) = (variable(0), variable(1));
    let all = (i64::MIN, i64::MAX);
    let by = |c: i64| x.floordiv(c).unwrap();
    let sum = |terms: [(i64, Expr); 2]| Expr::sum(0, terms).unwrap();
    check_bounds(&[all], &sum([(1, x.clone()), (-10, by(10))]), (0, 9));
    check_bounds(&[all], &sum([(1, by(10)), (-3, by(30))]), (0, 2));
    check_bounds(&[(0, 99)], &sum([(-3, x.clone()), (30, by(10))]), (-27, 0));
    let least = Expr::min([x.clone(), y.clone()]).unwrap();
    check_bounds(&[all, (0, 5)], &sum([(1, x.clone()), (-1, least.clone())]), (0, i64::MAX));
    check_bounds(&[(0, 9), (0, 5)], &sum([(1, y), (-1, least)]), (0, 5));
}

/// Checks that both expressions get the same form.
#[track_caller]
fn check_same_form(bounds: &[(i64, i64)], x: &Expr, y: &Expr) {
    let mut forms = Forms::under(&boxed(bounds), Style::Normal, &Budget::default()).unwrap();
    let pair = forms.of_tape(&Tape::new([x, y])).unwrap();
    assert_eq!(pair[0], pair[1]);
}

#[test]
fn the_laws_of_quotients() {
    let all = (i64::MIN, i64::MAX);
    let sum = |constant: i64, terms: [i64; 3]| {
        let terms = (0u32..).zip(terms).map(|(number, c)| (c, variable(number)));
        Expr::sum(constant, terms).unwrap()
    };
    let div = |x: &Expr, c: i64| x.floordiv(c).unwrap();
    let small = [all, (0, 3), (0, 1)];
    // A remainder in one block, rounded down and rounded up.
    check_same_form(&small, &div(&sum(5, [8, 0, 1]), 8), &variable(0));
    check_same_form(&small, &div(&sum(3, [8, -1, 0]), 8), &variable(0));
    check_same_form(
        &small,
        &div(&sum(0, [8, 7, 1]), 8),
        &sum(0, [1, 0, 0]).add(&div(&sum(0, [0, 7, 1]), 8)).unwrap(),
    );
    // Common factors, low digits, nested divisions, mirror images.
    check_same_form(&small, &div(&sum(5, [6, 9, 0]), 12), &div(&sum(1, [2, 3, 0]), 4));
    check_same_form(&small, &div(&sum(0, [8, 2, 1]), 24), &div(&variable(0), 3));
    check_same_form(&[all; 3], &div(&div(&variable(0), 4), 3), &div(&variable(0), 12));
    check_same_form(
        &[all; 3],
        &div(&div(&variable(0), 4).sub(&variable(1)).unwrap(), 3),
        &div(&sum(0, [1, -4, 0]), 12),
    );
    // A remainder as the low part of a longer number: x mod 10 under a multiple of 10.
    let remainder = variable(0).modulo(10).unwrap();
    let high = div(&variable(0), 10).scale(-20).unwrap();
    check_same_form(
        &[all; 3],
        &div(&high.add(&remainder).unwrap(), 40),
        &div(&div(&variable(0), 10).scale(-1).unwrap(), 2),
    );
    check_same_form(
        &[all; 3],
        &div(&sum(3, [-1, 0, 0]), 4).scale(-1).unwrap(),
        &div(&variable(0), 4),
    );
}

#[test]
fn too_large_numbers_give_no_form() {
    let far = variable(0).scale(i64::MAX).unwrap();
    let larger = far.floordiv(2).unwrap().scale(4).unwrap();
    let mut forms = Forms::under(&boxed(&[(0, 9)]), Style::Normal, &Budget::default()).unwrap();
    assert_eq!(forms.of_tape(&Tape::new([&larger])), None);
    let tape = Tape::new([&far]);
    assert_eq!(Runner::new(&tape).move_to(&[2], 0), Err(Overflow));
    assert_eq!(tape.exact(&[2]), Ok(vec![2 * i128::from(i64::MAX)]));
}

#[test]
fn nothing_is_read_by_a_map_without_points_and_variables() {
    let budget = Budget::default();
    let mut empty = Domain::new(Vec::new());
    empty.make_empty();
    let [all, none] =
        [Domain::new(Vec::new()), empty].map(|domain| IndexingMap::new(domain, Vec::new()));
    for (left, right, expected) in [(&all, &all, true), (&none, &all, true), (&all, &none, false)] {
        assert_eq!(reads_all(left, right, &budget), expected);
        let reader = Reader { map: right.clone(), wanted: Vec::new() };
        assert_eq!(covered(left.domain(), &[reader], &budget).is_ok(), expected);
    }
}
