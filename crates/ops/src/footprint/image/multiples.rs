//! Parameters whose residue a constraint states, in terms of their quotients: with `n mod 8 in [3, 3]` in the domain, `n`
//! is `8 * m + 3`.
//!
//! Laws: `n -> (n - r) / c` is a bijection between the integers `n` with `n mod c = r` and all integers. For all integers,
//! `(c * x + y) floordiv c = x + y floordiv c`, so with `ceildiv`, and `(c * x + y) mod c = y mod c`. So a question about
//! pairs of points is the same question about the points in terms of `m`, and no quotient of `n` by a divisor of `c` is
//! left in it.

use affinor::expr::{Divisor, Domain, Expr, ExprError, ExprKind, IndexingMap, VariableId};
use affinor::num::{Interval, MINUS_INFINITY, PLUS_INFINITY, ceildiv, floordiv, modulo};
use rustc_hash::FxHashMap;

/// Maximum number of parameters that are replaced.
const MOST: usize = 8;

/// A parameter equal to `factor * quotient + residue`. In the rewritten map, the quotient takes the parameter's place.
struct Multiple {
    parameter: VariableId,
    factor: i64,
    residue: i64,
}

/// A map in terms of quotients of its parameters.
pub(super) struct InQuotients {
    pub(super) map: IndexingMap,
    multiples: Vec<Multiple>,
}

impl InQuotients {
    /// Returns the point of the given map at a point of this one; `None` if a coordinate does not fit.
    pub(super) fn point(&self, point: &[i64]) -> Option<Vec<i64>> {
        let mut point = point.to_vec();
        for multiple in &self.multiples {
            let place = point.get_mut(multiple.parameter.index())?;
            *place = place.checked_mul(multiple.factor)?.checked_add(multiple.residue)?;
        }
        Some(point)
    }
}

/// Replaces the parameters whose residues constraints state. `None` if there are none, or an expression is not
/// representable.
pub(super) fn in_quotients(map: &IndexingMap) -> Option<InQuotients> {
    let mut found = InQuotients { map: map.clone(), multiples: Vec::new() };
    while found.multiples.len() < MOST {
        let Some(multiple) = stated(found.map.domain(), &found.multiples) else {
            break;
        };
        found.map = replaced(&found.map, &multiple)?;
        found.multiples.push(multiple);
    }
    (!found.multiples.is_empty()).then_some(found)
}

/// Returns the first parameter `n`, not yet replaced, with a constraint `(n + k) mod c in [r, r]`. Quotients already introduced
/// are skipped: a product by `3 * m + 1` is harder to reason about than one by a quotient whose residue is known.
fn stated(domain: &Domain, known: &[Multiple]) -> Option<Multiple> {
    domain.constraints().iter().find_map(|constraint| {
        let ExprKind::Mod(inner, Divisor::Integer(factor)) = constraint.expr.kind() else {
            return None;
        };
        let value = constraint.bounds.as_point().filter(|value| (0..*factor).contains(value))?;
        let (parameter, offset) = match inner.kind() {
            ExprKind::Variable(id) => (*id, 0),
            ExprKind::Sum(sum) => match sum.terms() {
                [(1, term)] => (term.as_variable()?, sum.constant()),
                _ => return None,
            },
            _ => return None,
        };
        let residue = modulo(value.checked_sub(offset)?, *factor);
        let multiple = Multiple { parameter, factor: *factor, residue };
        let is_known = known.iter().any(|known| known.parameter == parameter);
        (domain.is_parameter(parameter) && !is_known).then_some(multiple)
    })
}

fn replaced(map: &IndexingMap, multiple: &Multiple) -> Option<IndexingMap> {
    let domain = map.domain();
    let mut variables = domain.variables().to_vec();
    let variable = variables.get_mut(multiple.parameter.index())?;
    variable.bounds = quotients(variable.bounds, multiple)?;
    let mut inside = Domain::new(variables);
    let quotient = Expr::variable(multiple.parameter);
    let value = Expr::sum(multiple.residue, [(multiple.factor, quotient)]).ok()?;
    let mut change = Change { parameter: multiple.parameter, value, done: FxHashMap::default() };
    for constraint in domain.constraints() {
        inside.constrain(&change.apply(&constraint.expr).ok()?, constraint.bounds);
    }
    let results = map.results().iter().map(|result| change.apply(result));
    let results = results.collect::<Result<Vec<Expr>, _>>().ok()?;
    Some(IndexingMap::new(inside, results))
}

/// Returns the interval of quotients of the values of a parameter in `bounds`.
fn quotients(bounds: Interval, multiple: &Multiple) -> Option<Interval> {
    let lo = match bounds.lo() {
        MINUS_INFINITY => MINUS_INFINITY,
        lo => ceildiv(lo.checked_sub(multiple.residue)?, multiple.factor),
    };
    let hi = match bounds.hi() {
        PLUS_INFINITY => PLUS_INFINITY,
        hi => floordiv(hi.checked_sub(multiple.residue)?, multiple.factor),
    };
    Some(Interval::new(lo, hi))
}

/// Substitutes for one parameter, and takes multiples of divisors out of quotients and remainders. Rewrites are memoized.
struct Change {
    parameter: VariableId,
    value: Expr,
    done: FxHashMap<Expr, Expr>,
}

impl Change {
    fn apply(&mut self, expr: &Expr) -> Result<Expr, ExprError> {
        if let Some(done) = self.done.get(expr) {
            return Ok(done.clone());
        }
        let result = match expr.kind() {
            ExprKind::Variable(id) if *id == self.parameter => self.value.clone(),
            ExprKind::FloorDiv(x, Divisor::Integer(c)) => {
                let (whole, rest) = split(&self.apply(x)?, *c)?;
                whole.add(&rest.floordiv(*c)?)?
            }
            ExprKind::CeilDiv(x, Divisor::Integer(c)) => {
                let (whole, rest) = split(&self.apply(x)?, *c)?;
                whole.add(&rest.ceildiv(*c)?)?
            }
            ExprKind::Mod(x, Divisor::Integer(c)) => split(&self.apply(x)?, *c)?.1.modulo(*c)?,
            _ => expr.with_operands(|x| self.apply(x))?,
        };
        self.done.insert(expr.clone(), result.clone());
        Ok(result)
    }
}

/// Returns `(x, y)` with `expr = divisor * x + y`, where `y` has the summands whose coefficients are not multiples of
/// `divisor`.
fn split(expr: &Expr, divisor: i64) -> Result<(Expr, Expr), ExprError> {
    let ExprKind::Sum(sum) = expr.kind() else {
        return Ok((Expr::constant(0), expr.clone()));
    };
    let (mut whole, mut rest) = (Vec::new(), Vec::new());
    for (coefficient, term) in sum.terms() {
        match coefficient % divisor {
            0 => whole.push((coefficient / divisor, term.clone())),
            _ => rest.push((*coefficient, term.clone())),
        }
    }
    Ok((Expr::sum(0, whole)?, Expr::sum(sum.constant(), rest)?))
}
