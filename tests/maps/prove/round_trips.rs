//! Round trips of reshapes: nested divisions of one long sum, with radices that do not divide each other.

use super::{check_counterexample, word};
use affinor::expr::{
    Divisor, Domain, Expr, ExprError, ExprKind, IndexingMap, Variable, VariableId, VariableKind,
};
use affinor::num::{Interrupt, Interval};
use affinor::prove::{Budget, Reason, Verdict, equal_functions};
use std::time::Duration;

fn variable(number: usize) -> Expr {
    Expr::variable(VariableId(u32::try_from(number).unwrap()))
}

fn tensor(sizes: &[i64]) -> Domain {
    let dimension = |(number, size): (usize, &i64)| {
        let bounds = Interval::of_size(*size);
        Variable::new(format!("d{number}"), VariableKind::Dimension, bounds)
    };
    Domain::new(sizes.iter().enumerate().map(dimension).collect())
}

/// Returns the row-major position of an element.
fn linear(sizes: &[i64]) -> Expr {
    let mut stride = 1;
    let mut terms = Vec::new();
    for (number, size) in sizes.iter().enumerate().rev() {
        terms.push((stride, variable(number)));
        stride *= size;
    }
    Expr::sum(0, terms).unwrap()
}

/// Returns the index of the element at a position.
fn digits(position: &Expr, sizes: &[i64]) -> Result<Vec<Expr>, ExprError> {
    let mut stride: i64 = sizes.iter().product();
    let digit = |(number, size): (usize, &i64)| {
        let rest = match number {
            0 => position.clone(),
            _ => position.modulo(stride)?,
        };
        stride /= size;
        rest.floordiv(stride)
    };
    sizes.iter().enumerate().map(digit).collect()
}

fn reshape(from: &[i64], to: &[i64]) -> IndexingMap {
    IndexingMap::new(tensor(from), digits(&linear(from), to).unwrap())
}

fn transpose(sizes: &[i64], order: &[usize]) -> IndexingMap {
    IndexingMap::new(tensor(sizes), order.iter().map(|old| variable(*old)).collect())
}

fn identity(sizes: &[i64]) -> IndexingMap {
    IndexingMap::new(tensor(sizes), (0..sizes.len()).map(variable).collect())
}

/// Returns the map with 1 added to the divisor of division number `chosen`, counted from the inside out; `None` if it has fewer
/// divisions.
fn with_another_divisor(map: &IndexingMap, chosen: usize) -> Option<IndexingMap> {
    fn change(expr: &Expr, left: &mut Option<usize>) -> Expr {
        let divided = |x: &Expr, c: i64, left: &mut Option<usize>| {
            let x = change(x, left);
            let add = i64::from(*left == Some(0));
            *left = left.and_then(|left| left.checked_sub(1));
            (x, c + add)
        };
        match expr.kind() {
            ExprKind::FloorDiv(x, Divisor::Integer(c)) => {
                let (x, c) = divided(x, *c, left);
                x.floordiv(c).unwrap()
            }
            ExprKind::Mod(x, Divisor::Integer(c)) => {
                let (x, c) = divided(x, *c, left);
                x.modulo(c).unwrap()
            }
            ExprKind::Sum(sum) => {
                let terms: Vec<_> =
                    sum.terms().iter().map(|(c, x)| (*c, change(x, left))).collect();
                Expr::sum(sum.constant(), terms).unwrap()
            }
            _ => expr.clone(),
        }
    }
    let mut left = Some(chosen);
    let results = map.results().iter().map(|result| change(result, &mut left)).collect();
    left.is_none().then(|| IndexingMap::new(map.domain().clone(), results))
}

const PAIRS: [(&[i64], &[i64]); 8] = [
    (&[10, 10, 10], &[50, 20]),
    (&[6, 4, 10], &[8, 30]),
    (&[8, 16, 32, 4], &[128, 8, 16]),
    (&[6, 10, 14, 22], &[28, 15, 4, 11]),
    (&[12, 35, 22, 26, 9], &[66, 65, 14, 54]),
    (&[6, 35, 22, 26, 9, 15], &[54, 65, 14, 15, 11, 6]),
    (&[50, 60, 70, 80, 90, 100], &[100, 90, 80, 70, 60, 50]),
    (&[1_000_000, 999_999, 77], &[77, 999_999, 1_000_000]),
];

/// Checks that linear forms alone prove equality: without the solver, and without trying points.
#[track_caller]
fn check_proved_by_forms(left: &IndexingMap, right: &IndexingMap) {
    let budget = Budget { points: 0, samples: 0, solver_steps: 0, ..Budget::default() };
    assert_eq!(equal_functions(left, right, &budget), Ok(Verdict::Proved));
    assert_eq!(equal_functions(right, left, &budget), Ok(Verdict::Proved));
}

#[test]
fn there_and_back_is_the_identity() {
    for (from, to) in PAIRS {
        let there_and_back = reshape(from, to).then(&reshape(to, from)).unwrap();
        check_proved_by_forms(&there_and_back, &identity(from));
    }
}

#[test]
fn two_reshapes_are_one() {
    for (from, to) in PAIRS {
        let mut last = to.to_vec();
        last.reverse();
        let chain = reshape(from, to).then(&reshape(to, &last)).unwrap();
        check_proved_by_forms(&chain, &reshape(from, &last));
    }
}

#[test]
fn through_transposed_digits_and_a_flat_shape() {
    for (sizes, fine) in [
        (vec![64; 4], vec![32, 2, 32, 2, 32, 2, 32, 2]),
        (vec![100; 6], vec![50, 2, 25, 4, 20, 5, 10, 10, 5, 20, 4, 25]),
        (vec![7, 11, 100_000, 9, 12], vec![7, 11, 100_000, 9, 12]),
    ] {
        let order: Vec<usize> = (0..fine.len()).rev().collect();
        let turned: Vec<i64> = order.iter().map(|old| fine[*old]).collect();
        let flat = [sizes.iter().product()];
        let steps = [
            transpose(&fine, &order),
            reshape(&turned, &flat),
            reshape(&flat, &turned),
            transpose(&turned, &order),
            reshape(&fine, &sizes),
        ];
        let mut map = reshape(&sizes, &fine);
        for step in &steps {
            map = map.then(step).unwrap();
        }
        check_proved_by_forms(&map, &identity(&sizes));
    }
}

#[test]
fn another_divisor_is_refuted_or_makes_no_difference() {
    let (mut refuted, mut proved) = (0, 0);
    for (from, to) in &PAIRS[..5] {
        let there_and_back = reshape(from, to).then(&reshape(to, from)).unwrap();
        for chosen in (0..).step_by(3) {
            let Some(changed) = with_another_divisor(&there_and_back, chosen) else {
                break;
            };
            match equal_functions(&changed, &identity(from), &Budget::default()).unwrap() {
                Verdict::Proved => proved += 1,
                Verdict::Refuted(found) => {
                    check_counterexample(&changed, &identity(from), &found);
                    refuted += 1;
                }
                Verdict::Unknown(reason) => panic!("{from:?} {to:?} {chosen}: {reason}"),
            }
        }
    }
    assert!(refuted > 30 && proved > 2, "{refuted} refuted, {proved} proved");
}

#[test]
fn a_running_solver_can_be_interrupted() {
    let (from, to) = PAIRS[6];
    let there_and_back = reshape(from, to).then(&reshape(to, from)).unwrap();
    let interrupt = Interrupt::new();
    // Without forms, the solver faces nested divisions and takes minutes.
    let budget = Budget {
        points: 0,
        samples: 0,
        forms: false,
        solver_steps: u32::MAX,
        interrupt: Some(interrupt.clone()),
        ..Budget::default()
    };
    let verdict = std::thread::scope(|scope| {
        scope.spawn(move || {
            std::thread::sleep(Duration::from_millis(200));
            interrupt.trigger();
        });
        equal_functions(&there_and_back, &identity(from), &budget).unwrap()
    });
    let expected = if cfg!(feature = "z3") {
        Reason::Interrupted
    } else {
        Reason::NoSolver("this build has none")
    };
    assert_eq!(verdict, Verdict::Unknown(expected));
}

#[test]
fn a_solver_that_runs_out_of_steps_says_so() {
    let (from, to) = PAIRS[6];
    let there_and_back = reshape(from, to).then(&reshape(to, from)).unwrap();
    let budget = Budget {
        points: 0,
        samples: 0,
        forms: false,
        solver_steps: 10_000,
        interrupt: None,
        ..Budget::default()
    };
    let verdict = equal_functions(&there_and_back, &identity(from), &budget).unwrap();
    assert_eq!(word(&verdict), "unknown");
    if cfg!(feature = "z3") {
        assert_eq!(verdict, Verdict::Unknown(Reason::SolverSteps(10_000)));
    }
}
