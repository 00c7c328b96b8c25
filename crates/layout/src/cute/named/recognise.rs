//! Recognises the layout of a map with parameters.
//!
//! Law: each dimension is a mode; its size and stride are read from its bounds and its term. That the layout has the offsets of
//! the map is proved.

use super::layout::{NamedLayout, Part};
use super::size::Size;
use crate::cute::algebra::Refusal;
use affinor::expr::{
    Constraint, Divisor, Domain, Expr, ExprKind, IndexingMap, VariableId, VariableKind,
};
use affinor::num::{Interval, MINUS_INFINITY, PLUS_INFINITY};
use affinor::prove::{Budget, Verdict, equal_functions};

/// Returns the layout whose offsets are the result of a map.
///
/// # Errors
/// [`Refusal::None`] for a map of another form, [`Refusal::Unknown`] if the offsets are not proved to be the same.
pub fn recognise(map: &IndexingMap, budget: &Budget) -> Result<NamedLayout, Refusal> {
    let none = |why: &str| Refusal::None(why.to_owned());
    let domain = map.domain();
    let [offset] = map.results() else {
        return Err(none("a layout has one offset"));
    };
    if domain.count(VariableKind::Range) + domain.count(VariableKind::Runtime) > 0 {
        return Err(none("a layout has dimensions only"));
    }
    if domain
        .ids(VariableKind::Parameter)
        .any(|id| domain.bounds(id) != Interval::new(1, PLUS_INFINITY))
    {
        return Err(none("names of sizes are 1 and more"));
    }
    let leaf = |id: VariableId| {
        let size = size_of(domain, id)
            .ok_or_else(|| none("a mode goes from 0 to a product of names, or a sum of such"))?;
        let stride = stride_of(domain, offset, id)
            .ok_or_else(|| none("a stride is a product of names, or a sum of such"))?;
        Ok(Part::Leaf(size, stride))
    };
    let leaves: Vec<Part> =
        domain.ids(VariableKind::Dimension).map(leaf).collect::<Result<_, Refusal>>()?;
    let part = match <[Part; 1]>::try_from(leaves) {
        Ok([leaf]) => leaf,
        Err(leaves) => Part::Nested(leaves),
    };
    let layout = NamedLayout::plain(part);
    let its_map = layout.map()?;
    if its_map.domain().variables().len() != domain.variables().len() {
        return Err(none("a name is in no size and no stride"));
    }
    match equal_functions(&its_map, map, budget) {
        Ok(Verdict::Proved) => Ok(layout),
        Ok(Verdict::Refuted(_)) => Err(none("the offset is not a sum of strides")),
        _ => Err(Refusal::Unknown("the offsets are not known to be those of the map".to_owned())),
    }
}

/// Converts an expression to a product of numbers, parameters and rounded-up quotients, or a sum of such products.
fn product(domain: &Domain, expr: &Expr) -> Option<Size> {
    match expr.kind() {
        ExprKind::Constant(value) => Some(Size::number(*value)),
        ExprKind::Variable(id) => domain.is_parameter(*id).then(|| {
            domain.variables().get(id.index()).map(|variable| Size::name(&variable.name))
        })?,
        ExprKind::Product(list) => list
            .iter()
            .try_fold(Size::number(1), |all, factor| all.times(&product(domain, factor)?)),
        ExprKind::Sum(sum) => {
            let mut all = Size::number(sum.constant());
            for (factor, term) in sum.terms() {
                let term = Size::number(*factor).times(&product(domain, term)?)?;
                all = all.plus(&term)?;
            }
            Some(all)
        }
        ExprKind::CeilDiv(x, Divisor::Integer(by)) => {
            product(domain, x)?.ceil_div(&Size::number(*by))
        }
        // A quotient rounded up, as written in bounds.
        ExprKind::FloorDiv(x, Divisor::Integer(by)) => {
            let x = x.sub(&Expr::constant(by.checked_sub(1)?)).ok()?;
            product(domain, &x)?.ceil_div(&Size::number(*by))
        }
        _ => None,
    }
}

/// Returns the number of values of a dimension, which must begin at 0.
fn size_of(domain: &Domain, id: VariableId) -> Option<Size> {
    let bounds = domain.bounds(id);
    if bounds.lo() != 0 {
        return None;
    }
    let mut own = domain.constraints().iter().filter(|c| c.expr.variables().contains(&id));
    let size = match (own.next(), bounds.hi()) {
        (None, PLUS_INFINITY) => return None,
        (None, hi) => Size::number(hi.checked_add(1)?),
        (Some(constraint), PLUS_INFINITY) => product(domain, &end(constraint, id)?)?,
        _ => return None,
    };
    (own.next().is_none() && !size.is_zero() && !size.is_negative()).then_some(size)
}

/// Returns one more than the greatest value of a dimension, from a constraint.
fn end(Constraint { expr, bounds }: &Constraint, id: VariableId) -> Option<Expr> {
    let own = Expr::variable(id);
    let (rest, last) = match (bounds.lo(), bounds.hi()) {
        // `rest + own <= hi`
        (MINUS_INFINITY, hi) if hi != PLUS_INFINITY => (expr.sub(&own).ok()?.scale(-1).ok()?, hi),
        // `rest - own >= lo`
        (lo, PLUS_INFINITY) => (expr.add(&own).ok()?, lo.checked_neg()?),
        _ => return None,
    };
    let end = rest.add(&Expr::constant(last.checked_add(1)?)).ok()?;
    (!end.variables().contains(&id)).then_some(end)
}

/// Returns the coefficient of a dimension in a sum, 0 if it does not occur.
fn stride_of(domain: &Domain, offset: &Expr, id: VariableId) -> Option<Size> {
    let terms = match offset.kind() {
        ExprKind::Sum(sum) if sum.constant() == 0 => sum.terms().to_vec(),
        ExprKind::Sum(_) => return None,
        _ => vec![(1, offset.clone())],
    };
    let mut all = Size::number(0);
    for (factor, term) in terms.iter().filter(|(_, term)| term.variables().contains(&id)) {
        let others = match term.kind() {
            ExprKind::Product(list) => {
                let others = list.iter().filter(|factor| factor.as_variable() != Some(id));
                Expr::product(others.cloned()).ok()?
            }
            _ => (term.as_variable() == Some(id)).then(|| Expr::constant(1))?,
        };
        let stride = Size::number(*factor).times(&product(domain, &others)?)?;
        all = all.plus(&stride)?;
    }
    Some(all)
}
