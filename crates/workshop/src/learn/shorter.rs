//! Finds a shorter expression with the same values, by enumeration.
//!
//! Terms are built from the variables and from numbers that occur in or follow from the given expression, shortest first; of the
//! terms with the same values at sampled points one is kept. The result is unproved: callers must prove it.

use super::tree::Sum;
use affinor::expr::{Expr, ExprError, IndexingMap, VariableId};
use affinor::num::{Fuel, Interval, floordiv, gcd, modulo};
use affinor::prove::sample_points;
use rustc_hash::FxHashMap;

/// Number of points at which terms are compared, and at which a result is tested.
const POINTS: [u64; 2] = [40, 600];

/// Maximum number of numbers that terms are built from.
const MAX_NUMBERS: usize = 9;

/// Maximum number of variables of an expression.
const MAX_VARIABLES: usize = 3;

/// Maximum number of terms that are kept.
const MAX_TERMS: usize = 60_000;

type Values = Box<[i64]>;

struct Terms {
    /// The terms, by number of operations.
    levels: Vec<Vec<(Expr, Values)>>,
    /// The level and index of the term that has these values.
    known: FxHashMap<Values, (usize, usize)>,
}

/// Returns an expression with fewer operations that has the same values at sampled points; `None` if none was found within the
/// fuel. `map` must have one result.
pub fn shorter(map: &IndexingMap, fuel: &Fuel) -> Option<Expr> {
    let [expr] = map.results() else { return None };
    let bounds: Vec<Interval> = map.domain().intervals().collect();
    let inside = |count| -> Vec<Vec<i64>> {
        let points = sample_points(&bounds, count);
        points.filter(|point| map.domain().contains(point) == Ok(true)).collect()
    };
    let [few, many] = POINTS.map(inside);
    let variables: Vec<VariableId> = expr.variables().into_iter().collect();
    if variables.len() > MAX_VARIABLES || few.len() < 2 {
        return None;
    }
    let values = |expr: &Expr, points: &[Vec<i64>]| -> Option<Values> {
        points.iter().map(|point| expr.eval(point).ok()).collect()
    };
    let (target, wide) = (values(expr, &few)?, values(expr, &many)?);
    let is_same = |found: &Expr| values(found, &many).as_ref() == Some(&wide);
    if target.iter().all(|value| *value == target[0]) {
        let constant = Expr::constant(target[0]);
        return is_same(&constant).then_some(constant);
    }
    let numbers = numbers(expr)?;
    let size = usize::try_from(expr.cost().ops).ok()?;
    let mut terms = Terms { levels: vec![Vec::new()], known: FxHashMap::default() };
    for id in variables {
        let variable = Expr::variable(id);
        let values = values(&variable, &few)?;
        if values == target {
            return is_same(&variable).then_some(variable);
        }
        terms.known.insert(values.clone(), (0, terms.levels[0].len()));
        terms.levels[0].push((variable, values));
    }
    for operations in 1..size {
        let is_last = operations + 1 == size;
        let mut level: Vec<(Expr, Values)> = Vec::new();
        let mut fresh = FxHashMap::default();
        let mut found = None;
        let mut add = |made: Result<Expr, ExprError>, values: Values| {
            let Ok(made) = made else { return };
            if values == target && found.is_none() && is_same(&made) {
                found = Some(made);
            } else if !is_last
                && terms.known.len() + fresh.len() < MAX_TERMS
                && !terms.known.contains_key(&values)
                && !fresh.contains_key(&values)
            {
                fresh.insert(values.clone(), (operations, level.len()));
                level.push((made, values));
            }
        };
        of_one(&terms.levels[operations - 1], &numbers, fuel, &mut add)?;
        of_two(&terms, operations, is_last.then_some(&target), fuel, &mut add)?;
        if let Some(found) = found {
            return (found.cost() < expr.cost()).then_some(found);
        }
        terms.known.extend(fresh);
        terms.levels.push(level);
    }
    None
}

/// Takes a term and its values.
type Add<'a> = &'a mut dyn FnMut(Result<Expr, ExprError>, Values);

/// Adds the operations on a term and a number.
fn of_one(terms: &[(Expr, Values)], numbers: &[i64], fuel: &Fuel, add: Add<'_>) -> Option<()> {
    for (term, values) in terms {
        fuel.spend(numbers.len() as u64).ok()?;
        for number in numbers {
            let mut try_one = |made: Result<Expr, ExprError>, of: &dyn Fn(i64) -> Option<i64>| {
                let values: Option<Values> = values.iter().map(|value| of(*value)).collect();
                if let Some(values) = values {
                    add(made, values);
                }
            };
            let constant = Expr::constant(*number);
            if *number > 1 {
                try_one(term.floordiv(*number), &|x| Some(floordiv(x, *number)));
                try_one(term.modulo(*number), &|x| Some(modulo(x, *number)));
                try_one(term.scale(*number), &|x| x.checked_mul(*number));
                try_one(term.scale(-*number), &|x| x.checked_mul(-*number));
            }
            try_one(term.add(&constant), &|x| x.checked_add(*number));
            try_one(term.sub(&constant), &|x| x.checked_sub(*number));
            try_one(Expr::min([term.clone(), constant.clone()]), &|x| Some(x.min(*number)));
            try_one(Expr::max([term.clone(), constant]), &|x| Some(x.max(*number)));
        }
    }
    Some(())
}

/// Adds the operations on two terms with `operations` in total; if there is a `target`, only the sums that have its values.
fn of_two(
    terms: &Terms,
    operations: usize,
    target: Option<&Values>,
    fuel: &Fuel,
    add: Add<'_>,
) -> Option<()> {
    for (left, right) in (0..operations).map(|left| (left, operations - 1 - left)) {
        for (x, of_x) in &terms.levels[left] {
            fuel.spend(1 + terms.levels[right].len() as u64 / 8).ok()?;
            if let Some(target) = target {
                // The missing summand is looked up by its values.
                let missing = of_x.iter().zip(target);
                let missing: Option<Values> = missing.map(|(x, all)| all.checked_sub(*x)).collect();
                let other = missing.and_then(|missing| terms.known.get(&missing).copied());
                if let Some((level, place)) = other
                    && level <= right
                {
                    add(x.add(&terms.levels[level][place].0), target.clone());
                }
                continue;
            }
            for (y, of_y) in &terms.levels[right] {
                let mut try_both =
                    |made: Result<Expr, ExprError>, of: fn(i64, i64) -> Option<i64>| {
                        let values: Option<Values> =
                            of_x.iter().zip(of_y).map(|(x, y)| of(*x, *y)).collect();
                        if let Some(values) = values {
                            add(made, values);
                        }
                    };
                try_both(x.add(y), i64::checked_add);
                try_both(x.sub(y), i64::checked_sub);
                try_both(Expr::min([x.clone(), y.clone()]), |x, y| Some(x.min(y)));
                try_both(Expr::max([x.clone(), y.clone()]), |x, y| Some(x.max(y)));
            }
        }
    }
    Some(())
}

/// Returns the numbers that a shorter form may have: 1, the numbers of the expression, and their combinations.
fn numbers(expr: &Expr) -> Option<Vec<i64>> {
    let own = Sum::of(expr)?.numbers();
    let mut own: Vec<i64> = own.iter().filter_map(|number| number.value.checked_abs()).collect();
    own.sort_unstable();
    own.dedup();
    let mut all = vec![1];
    let mut add = |number: i64| {
        if number > 0 && !all.contains(&number) && all.len() < MAX_NUMBERS {
            all.push(number);
        }
    };
    own.iter().for_each(|number| add(*number));
    for (index, x) in own.iter().enumerate() {
        for y in &own[index + 1..] {
            add(gcd(*x, *y)?);
            if *x > 0 && y % x == 0 {
                add(y / x);
            }
            add(x.saturating_mul(*y));
            add(y - x);
        }
    }
    Some(all)
}
