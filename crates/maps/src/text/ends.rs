//! The constraints that the text of a domain displays as bounds of variables.
//!
//! Law: [`Ends::of`] displays a constraint as a bound only if [`bounded`] turns this bound into the same constraint again.

use crate::expr::{Domain, End, Expr, ExprKind, VariableId, VariableKind, bounded};
use crate::num::{MINUS_INFINITY, PLUS_INFINITY};

/// The constraints of a domain that its text displays as bounds of variables.
pub(super) struct Ends {
    /// The lower and upper bound of each variable, if they are expressions.
    ends: Vec<[Option<Expr>; 2]>,
    /// For each constraint, whether it is displayed as a bound.
    pub(super) is_shown: Vec<bool>,
}

impl Ends {
    /// Finds the bounds. Each is a constraint on a sum of one variable and parameters, or of parameters only, the last of which
    /// is bounded.
    pub(super) fn of(domain: &Domain) -> Ends {
        let mut ends = Ends {
            ends: vec![[None, None]; domain.variables().len()],
            is_shown: vec![false; domain.constraints().len()],
        };
        if domain.count(VariableKind::Parameter) > 0 {
            for index in 0..domain.constraints().len() {
                ends.is_shown[index] = ends.show(domain, index).is_some();
            }
        }
        ends
    }

    /// Returns the lower and upper bound of a variable, if they are expressions.
    pub(super) fn get(&self, id: VariableId) -> [Option<&Expr>; 2] {
        let ends = self.ends.get(id.index());
        ends.map_or([None, None], |[lo, hi]| [lo.as_ref(), hi.as_ref()])
    }

    fn show(&mut self, domain: &Domain, index: usize) -> Option<()> {
        let constraint = domain.constraints().get(index)?;
        let id = bounded_variable(domain, &constraint.expr)?;
        let variable = Expr::variable(id);
        let rest = variable.sub(&constraint.expr).ok()?;
        let (own, taken) = (domain.bounds(id), self.ends.get(id.index())?);
        let numbers = [
            (End::Lower, constraint.bounds.lo(), own.lo() == MINUS_INFINITY),
            (End::Upper, constraint.bounds.hi(), own.hi() == PLUS_INFINITY),
        ];
        let mut found = [None, None];
        for (place, (end, number, is_free)) in numbers.into_iter().enumerate() {
            if matches!(number, MINUS_INFINITY | PLUS_INFINITY) {
                continue;
            }
            if !is_free || taken[place].is_some() {
                return None;
            }
            let bound = rest.add(&Expr::constant(number)).ok()?;
            let again = bounded(&variable, end, &bound).ok()?;
            if again != (constraint.expr.clone(), end.beyond(number)) {
                return None;
            }
            found[place] = Some(bound);
        }
        if found == [None, None] {
            return None;
        }
        let ends = self.ends.get_mut(id.index())?;
        for (end, found) in ends.iter_mut().zip(found) {
            *end = found.or(end.take());
        }
        Some(())
    }
}

/// Returns the variable that a sum bounds: the only one that is not a parameter, or else the last parameter.
fn bounded_variable(domain: &Domain, expr: &Expr) -> Option<VariableId> {
    let ExprKind::Sum(sum) = expr.kind() else {
        return None;
    };
    let variables = expr.variables();
    let mut others = variables.iter().filter(|id| !domain.is_parameter(**id));
    let id = match (others.next(), others.next()) {
        (Some(id), None) => *id,
        (None, _) => *variables.last()?,
        _ => return None,
    };
    let is_it = |expr: &Expr| expr.as_variable() == Some(id);
    let terms = sum.terms();
    let rest = terms.iter().filter(|(_, term)| !is_it(term));
    let is_alone = rest.clone().count() + 1 == terms.len()
        && terms.iter().any(|(c, term)| *c == 1 && is_it(term))
        && !rest.into_iter().any(|(_, term)| term.variables().contains(&id));
    is_alone.then_some(id)
}
