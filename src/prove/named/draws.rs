//! Draws points of a domain whose bounds are expressions: first the parameters, mostly small, then each variable within its
//! bounds and the constraints on earlier variables.

use crate::expr::{Domain, Expr, ExprKind, VariableId, VariableKind};
use crate::num::{Interval, MINUS_INFINITY, PLUS_INFINITY};
use crate::prove::sample::{Random, near};

/// Maximum number of values drawn for one variable, until all constraints on it and earlier ones hold.
const TRIES: usize = 24;

/// Maximum distances from the value nearest to 0, used in turn.
const NEAR: [i64; 6] = [2, 5, 3, 12, 40, 1_000];

/// Draws points of a domain, deterministically.
pub struct Draws<'d> {
    domain: &'d Domain,
    variables: Vec<Drawn<'d>>,
    random: Random,
    count: usize,
}

/// A variable, with the constraints whose last drawn variable it is.
struct Drawn<'d> {
    id: VariableId,
    /// Constraints `coefficient * variable + .. in bounds`, where the other terms have other variables.
    ends: Vec<(i64, &'d Expr, Interval)>,
    others: Vec<(&'d Expr, Interval)>,
}

impl<'d> Draws<'d> {
    /// Draws of the points of a domain.
    pub fn new(domain: &'d Domain) -> Draws<'d> {
        let own = (0..domain.variables().len() as u32).map(VariableId);
        let mut order: Vec<VariableId> = domain.ids(VariableKind::Parameter).collect();
        order.extend(own.filter(|id| !domain.is_parameter(*id)));
        let mut variables: Vec<Drawn> = order.iter().map(|id| Drawn::new(*id)).collect();
        for constraint in domain.constraints() {
            let used = constraint.expr.variables();
            let last = order.iter().rposition(|id| used.contains(id));
            let Some(drawn) = last.map(|place| &mut variables[place]) else {
                continue;
            };
            match coefficient(&constraint.expr, drawn.id) {
                Some(c) => drawn.ends.push((c, &constraint.expr, constraint.bounds)),
                None => drawn.others.push((&constraint.expr, constraint.bounds)),
            }
        }
        Draws { domain, variables, random: Random::default(), count: 0 }
    }

    /// Draws a point, with one coordinate for each variable; `None` if it is not in the domain.
    pub fn draw(&mut self) -> Option<Vec<i64>> {
        self.count += 1;
        let mut point = vec![0; self.variables.len()];
        if self.domain.is_known_empty() {
            return None;
        }
        let parameters = NEAR[self.count % NEAR.len()];
        for drawn in &self.variables {
            let index = drawn.id.index();
            point[index] = 0;
            let bounds = drawn.bounds(self.domain.bounds(drawn.id), &point)?;
            let small = match self.domain.is_parameter(drawn.id) {
                true => near(bounds, parameters),
                false if bounds.is_bounded() => bounds,
                false => near(bounds, NEAR[self.count / 2 % NEAR.len()]),
            };
            let mut tries = 0..TRIES;
            tries.find(|_| {
                point[index] = match self.count % 3 {
                    0 if !self.domain.is_parameter(drawn.id) => self.random.end(small, 1),
                    _ => self.random.member(small),
                };
                drawn.holds(&point)
            })?;
        }
        (self.domain.contains(&point) == Ok(true)).then_some(point)
    }
}

impl<'d> Drawn<'d> {
    fn new(id: VariableId) -> Drawn<'d> {
        Drawn { id, ends: Vec::new(), others: Vec::new() }
    }

    /// Returns the values that the constraints allow the variable, which is 0 in `point`; `None` if there are none.
    fn bounds(&self, own: Interval, point: &[i64]) -> Option<Interval> {
        let mut left = own;
        for (coefficient, expr, bounds) in &self.ends {
            let rest = expr.eval(point).ok()?;
            let room = |end: i64| (i128::from(end) - i128::from(rest), i128::from(*coefficient));
            let up = |(x, c): (i128, i128)| x.div_euclid(c) + i128::from(x.rem_euclid(c) != 0);
            let down = |(x, c): (i128, i128)| x.div_euclid(c);
            let flipped = |(x, c): (i128, i128)| (-x, -c);
            let (mut lo, mut hi) = (MINUS_INFINITY, PLUS_INFINITY);
            let narrow = |value: i128| i64::try_from(value).ok();
            match (*coefficient > 0, bounds.lo() != MINUS_INFINITY) {
                (true, true) => lo = narrow(up(room(bounds.lo())))?,
                (false, true) => hi = narrow(down(flipped(room(bounds.lo()))))?,
                (_, false) => {}
            }
            match (*coefficient > 0, bounds.hi() != PLUS_INFINITY) {
                (true, true) => hi = narrow(down(room(bounds.hi())))?,
                (false, true) => lo = narrow(up(flipped(room(bounds.hi()))))?,
                (_, false) => {}
            }
            left = left.intersect(Interval::new(lo, hi));
        }
        (!left.is_empty()).then_some(left)
    }

    /// Returns whether the constraints hold that are not expressed as bounds.
    fn holds(&self, point: &[i64]) -> bool {
        let mut others = self.others.iter();
        others.all(|(expr, bounds)| expr.eval(point).is_ok_and(|value| bounds.contains(value)))
    }
}

/// Returns the coefficient of a variable that is a term of `expr` and occurs nowhere else in it.
fn coefficient(expr: &Expr, id: VariableId) -> Option<i64> {
    let ExprKind::Sum(sum) = expr.kind() else {
        return None;
    };
    let mut found = None;
    for (coefficient, term) in sum.terms() {
        match term.as_variable() {
            Some(variable) if variable == id => found = Some(*coefficient),
            Some(_) => {}
            None if term.variables().contains(&id) => return None,
            None => {}
        }
    }
    found
}
