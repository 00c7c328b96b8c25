//! Learns the remainders that a domain states for sums of variables.

use super::linear::{AtomId, Linear};
use super::store::Store;
use super::stride::Stride;
use crate::expr::{Constraint, Divisor, Domain, ExprKind, VariableId};
use crate::num::Interval;
use crate::rule::matching::Number;

/// `of mod modulus = residue`, for a sum of variables without a constant.
struct Congruence {
    of: Linear,
    modulus: i64,
    residue: i64,
}

/// Returns whether a constraint states the remainder of a sum of variables.
pub fn has_strides(domain: &Domain) -> bool {
    domain.constraints().iter().any(|constraint| congruence(constraint).is_some())
}

fn congruence(constraint: &Constraint) -> Option<Congruence> {
    let ExprKind::Mod(x, Divisor::Integer(modulus)) = constraint.expr.kind() else {
        return None;
    };
    let residue = constraint.bounds.as_point()?;
    let atom = |id: VariableId| AtomId(id.0);
    let of = match x.kind() {
        ExprKind::Variable(id) => Linear::atom(atom(*id)),
        ExprKind::Sum(sum) if sum.constant() == 0 => {
            let terms = sum.terms().iter();
            let terms = terms.map(|(c, term)| Some((atom(term.as_variable()?), *c)));
            Linear::new(0, terms.collect::<Option<Vec<_>>>()?)?
        }
        _ => return None,
    };
    let is_stated = *modulus >= 2 && (0..*modulus).contains(&residue);
    is_stated.then_some(Congruence { of, modulus: *modulus, residue })
}

impl Store {
    /// Learns the remainders that a domain states; must run before anything else is imported. Those of single variables come
    /// first.
    pub fn learn_strides(&mut self, domain: &Domain) {
        let stated = domain.constraints().iter().filter_map(congruence);
        let (single, sums): (Vec<_>, Vec<_>) = stated.partition(|x| x.of.as_atom().is_some());
        for congruence in single.into_iter().chain(sums) {
            self.learn_stride(congruence);
        }
    }

    /// Learns one remainder: writes a variable of the sum in terms of the sum's quotient. `None` if no variable has the factor 1
    /// or -1, if a variable occurs in an earlier such sum, or if the bounds imply the remainder.
    fn learn_stride(&mut self, Congruence { of, modulus, residue }: Congruence) -> Option<()> {
        let is_free =
            |atom: AtomId| self.strides.iter().all(|other| other.of.coefficient(atom) == 0);
        let is_known = |atom: AtomId| self.multiple_of(VariableId(atom.0)).is_some();
        let mut terms = of.terms().iter();
        if !terms.all(|(atom, _)| is_free(*atom) && !is_known(*atom)) {
            return None;
        }
        let (variable, sign) = *of.terms().iter().rfind(|(_, c)| matches!(c, 1 | -1))?;
        if self.range(&of).block(modulus).is_some() {
            return None; // the bounds of the domain imply it
        }
        let quotient = self.quotient_atom(&of, Number::Integer(modulus));
        let whole = Linear::constant(residue).plus_atom(modulus, quotient)?;
        let value = whole.plus(-1, &of.without(variable))?.scaled(sign)?;
        let bounds = self.range_of_variable(VariableId(variable.0));
        if of.as_atom().is_none() && bounds != Interval::ALL {
            self.constrain(&value, bounds);
        }
        self.strides.push(Stride { variable, value, quotient, of, modulus, residue });
        Some(())
    }
}
