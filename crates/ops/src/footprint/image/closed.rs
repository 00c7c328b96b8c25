//! The inverse of a map of dimensions as a function, for maps whose equations, when solved, leave variables.
//!
//! Law: two maps are inverse functions iff each takes the points of the other back. A candidate is proposed if the map is a
//! layout, linear over bits, a multiple of its variable modulo a number, or digits of its variables; both directions are proved for it.

use super::takes_back::takes_back;
use affinor::expr::{Domain, Expr, ExprKind, IndexingMap, Variable, VariableId, VariableKind};
use affinor::num::{Interval, extended_gcd};
use affinor::prove::{Budget, Verdict};
use affinor_layout::cute::algebra::{inverse_map, recognise};
use affinor_layout::linear::{Inverse, recognised};

/// Maximum number of points that are tried one by one if no symbolic proof is found.
const MOST_TRIED: u64 = 1 << 18;

/// Returns the inverse function of `map`, simplified and proved; `None` if none was found.
pub(super) fn closed(
    map: &IndexingMap,
    simplify: &dyn Fn(&IndexingMap) -> IndexingMap,
    budget: &Budget,
) -> Option<IndexingMap> {
    let domain = map.domain();
    let is_box = domain.constraints().is_empty();
    if !is_box || domain.count(VariableKind::Dimension) != domain.variables().len() {
        return None;
    }
    let found = of_layout(map, budget).or_else(|| of_bits(map)).or_else(|| of_remainder(map));
    let found = found.or_else(|| of_digits(map))?;
    let inverse = simplify(&found);
    let points = budget.points.max(MOST_TRIED);
    let counting = Budget { points, solver_steps: 0, ..budget.clone() };
    let is_proved = |first: &IndexingMap, second: &IndexingMap| {
        let mut verdicts = [budget, &counting].into_iter().map(|budget| {
            takes_back(first, second, budget).is_ok_and(|(verdict, _)| verdict == Verdict::Proved)
        });
        verdicts.any(|is_proved| is_proved)
    };
    (is_proved(map, &inverse) && is_proved(&inverse, map)).then_some(inverse)
}

fn of_layout(map: &IndexingMap, budget: &Budget) -> Option<IndexingMap> {
    let layout = recognise(map, budget).ok()?.layout;
    // The layout of one dimension may have several modes.
    inverse_map(&layout, map.domain().variables().len() == 1, budget).ok()
}

fn of_bits(map: &IndexingMap) -> Option<IndexingMap> {
    match recognised(map).ok()?.inverse().ok()? {
        Inverse::Exact(inverse) => inverse.map().ok(),
        Inverse::Pseudo(_) => None,
    }
}

/// Returns the sum of the digits of each variable, `x floordiv 4` and `x mod 4`, times their weights. Variables need no bounds.
fn of_digits(map: &IndexingMap) -> Option<IndexingMap> {
    let mut sums: Vec<Vec<(i64, Expr)>> = vec![Vec::new(); map.domain().variables().len()];
    for (place, result) in (0..).zip(map.results()) {
        let (variable, weight) = digit(result)?;
        sums.get_mut(variable.index())?.push((weight, Expr::variable(VariableId(place))));
    }
    if sums.iter().any(Vec::is_empty) {
        return None;
    }
    let bounds = map.ranges().into_iter().zip(0..);
    let bounds = bounds
        .map(|(bounds, place)| Variable::new(format!("d{place}"), VariableKind::Dimension, bounds));
    let results = sums.into_iter().map(|sum| Expr::sum(0, sum).ok());
    Some(IndexingMap::new(Domain::new(bounds.collect()), results.collect::<Option<_>>()?))
}

/// Returns the variable that an expression is a digit of, and its weight.
fn digit(expr: &Expr) -> Option<(VariableId, i64)> {
    if let Some(variable) = expr.as_variable() {
        return Some((variable, 1));
    }
    match expr.kind() {
        ExprKind::FloorDiv(of, divisor) => {
            let (variable, weight) = digit(of)?;
            Some((variable, weight.checked_mul(divisor.as_integer()?)?))
        }
        ExprKind::Mod(of, _) => digit(of),
        _ => None,
    }
}

/// Returns the inverse of `(a*x + b) mod m` for `a` coprime to `m`: multiplication by the inverse of `a` modulo `m`.
fn of_remainder(map: &IndexingMap) -> Option<IndexingMap> {
    let ([result], [variable]) = (map.results(), map.domain().variables()) else {
        return None;
    };
    let ExprKind::Mod(of, modulus) = result.kind() else {
        return None;
    };
    let ExprKind::Sum(sum) = of.kind() else {
        return None;
    };
    let (modulus, [(factor, x)]) = (modulus.as_integer()?, sum.terms()) else {
        return None;
    };
    let bounds = variable.bounds;
    let width = bounds.is_bounded().then(|| bounds.hi().checked_sub(bounds.lo()))??;
    let (common, inverse, _) = extended_gcd(factor.rem_euclid(modulus), modulus);
    if x.as_variable().is_none() || common != 1 || width >= modulus {
        return None;
    }
    // The distance from the least value of the variable.
    let target = Expr::variable(VariableId(0));
    let shift = i128::from(sum.constant()) * i128::from(inverse) + i128::from(bounds.lo());
    let shift = i64::try_from(shift.rem_euclid(modulus.into())).ok()?;
    let distance = Expr::sum(-shift, [(inverse.rem_euclid(modulus), target)]).ok()?;
    let distance = distance.modulo(modulus).ok()?;
    let of_target = Variable::new("d0", VariableKind::Dimension, Interval::of_size(modulus));
    let mut domain = Domain::new(vec![of_target]);
    domain.constrain(&distance, Interval::new(0, width));
    Some(IndexingMap::new(domain, vec![distance.add(&Expr::constant(bounds.lo())).ok()?]))
}
