//! The number of points of a map with parameters, in terms of them.
//!
//! Law: where each constraint is about parameters alone, or bounds one variable by them, the points for given parameters
//! are a box, and their number is the product of its widths, of which none is negative.

use affinor::expr::{Domain, Expr, ExprKind, IndexingMap, Variable, VariableId, VariableKind};
use affinor::num::{Interval, MINUS_INFINITY, PLUS_INFINITY};
use affinor::prove::{Budget, Verdict, is_empty};

/// Returns the map from the parameters of `domain` to its number of points; `None` if that is not known to be a product
/// of widths.
#[must_use]
pub fn points_by_size(domain: &Domain, budget: &Budget) -> Option<IndexingMap> {
    let own = domain.variables().len() - domain.count(VariableKind::Parameter);
    let places = (0..own).map(|_| Expr::constant(0));
    let parameters = (0..domain.count(VariableKind::Parameter) as u32).map(VariableId);
    let places: Vec<Expr> = places.chain(parameters.map(Expr::variable)).collect();
    let mut sizes = Domain::new(domain.variables()[own..].to_vec());
    if domain.is_known_empty() {
        sizes.make_empty();
    }
    let variables = domain.variables()[..own].iter();
    let mut ends: Vec<[Vec<Expr>; 2]> = variables.map(own_ends).collect();
    for constraint in domain.constraints() {
        let used = constraint.expr.variables();
        let mut bounded = used.iter().filter(|id| id.index() < own);
        let (rest, bounds) = (constraint.expr.substitute(&places).ok()?, constraint.bounds);
        match (bounded.next(), bounded.next()) {
            (None, _) => sizes.constrain(&rest, bounds),
            (Some(id), None) => {
                let rest = rest.scale(-1).ok()?;
                let end = |end: i64| rest.add(&Expr::constant(end)).ok();
                let [lower, upper] = &mut ends[id.index()];
                let is_negative = coefficient(&constraint.expr, *id)? < 0;
                let flipped = |end: Option<Expr>| end?.scale(-1).ok();
                if bounds.lo() != MINUS_INFINITY {
                    match is_negative {
                        false => lower.push(end(bounds.lo())?),
                        true => upper.push(flipped(end(bounds.lo()))?),
                    }
                }
                if bounds.hi() != PLUS_INFINITY {
                    match is_negative {
                        false => upper.push(end(bounds.hi())?),
                        true => lower.push(flipped(end(bounds.hi()))?),
                    }
                }
            }
            _ => return None,
        }
    }
    let is_natural = |expr: &Expr| {
        let mut wrong = sizes.clone();
        wrong.constrain(expr, Interval::new(MINUS_INFINITY, -1));
        is_empty(&wrong, budget) == Verdict::Proved
    };
    let mut widths = Vec::with_capacity(own);
    for [lower, upper] in &ends {
        // The end that no other one is tighter than.
        let is_tightest = |end: &Expr, among: &[Expr], sign: i64| {
            among.iter().all(|other| {
                let room = end.sub(other).and_then(|room| room.scale(sign));
                room.is_ok_and(|room| end == other || is_natural(&room))
            })
        };
        let lower = lower.iter().find(|end| is_tightest(end, lower, 1))?;
        let upper = upper.iter().find(|end| is_tightest(end, upper, -1))?;
        let width = upper.sub(lower).and_then(|x| x.add(&Expr::constant(1))).ok()?;
        if !is_natural(&width) {
            return None;
        }
        widths.push(width);
    }
    let number = Expr::product(widths).ok()?;
    Some(IndexingMap::new(sizes, vec![number]))
}

/// The finite ends of a variable's interval.
fn own_ends(variable: &Variable) -> [Vec<Expr>; 2] {
    let bounds = variable.bounds;
    let end = |end: i64, none: i64| match end == none {
        true => Vec::new(),
        false => vec![Expr::constant(end)],
    };
    [end(bounds.lo(), MINUS_INFINITY), end(bounds.hi(), PLUS_INFINITY)]
}

/// 1 or -1, if that is the coefficient of a variable that is a summand of `expr` and occurs nowhere else in it.
fn coefficient(expr: &Expr, id: VariableId) -> Option<i64> {
    let ExprKind::Sum(sum) = expr.kind() else {
        return None;
    };
    let mut found = sum.terms().iter().filter(|(_, term)| term.variables().contains(&id));
    match (found.next(), found.next()) {
        (Some((c, term)), None) if c.abs() == 1 && term.as_variable() == Some(id) => Some(*c),
        _ => None,
    }
}
