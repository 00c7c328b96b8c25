//! The number of points of a map with parameters, as an expression over the parameters.
//!
//! Law: variables are summed over one by one. For a variable between two ends that are expressions over the others, where the
//! upper end is at least the lower end minus one, the sum of a polynomial over it is a polynomial of the ends; ends over
//! parameters alone may contain a min or a max. If it is unknown which of two other ends is tighter, the points are split into
//! those where the first is tighter and those where the second is.

use affinor::expr::{
    Constraint, Divisor, Domain, Expr, ExprKind, IndexingMap, VariableId, VariableKind,
};
use affinor::num::polynomial::{self, Polynomial};
use affinor::num::{Interval, MINUS_INFINITY, PLUS_INFINITY, Sum, gcd};
use affinor::prove::{Budget, Verdict, is_empty};

/// Maximum number of parts into which the points are split.
const PARTS: usize = 12;

/// The coefficients of `m`, `m^2` and so on in the sum of `x^p` for `x` in `[0, m - 1]`, times a divisor; and that divisor.
const POWER_SUMS: [(&[i64], i64); 4] =
    [(&[1], 1), (&[-1, 1], 2), (&[1, -3, 2], 6), (&[0, 1, -2, 1], 4)];

/// A common multiple of the divisors of [`POWER_SUMS`].
const COMMON: i64 = 12;

/// Returns the map from the parameters of `domain` to its number of points; `None` if it is not found.
#[must_use]
pub fn points_by_size(domain: &Domain, budget: &Budget) -> Option<IndexingMap> {
    let own = domain.variables().len() - domain.count(VariableKind::Parameter);
    let all = domain.variables().len();
    let (mut rows, mut own_rows) = (Vec::new(), Vec::new());
    let mut values: Vec<Expr> = (0..all as u32).map(|id| Expr::variable(VariableId(id))).collect();
    for (id, value) in domain.constraints().iter().filter_map(|c| strided(domain, c)) {
        if values[id.index()].as_variable().is_some() {
            values[id.index()] = value;
        }
    }
    let variables = (0u32..).map(|id| Expr::variable(VariableId(id))).zip(domain.intervals());
    let constraints = domain.constraints().iter().filter(|constraint| {
        strided(domain, constraint).is_none_or(|(id, value)| values[id.index()] != value)
    });
    for (expr, bounds) in variables.chain(constraints.map(|c| (c.expr.clone(), c.bounds))) {
        let expr = expr.substitute(&values).ok()?;
        let is_own = expr.variables().iter().any(|id| id.index() < own);
        let rows = if is_own { &mut own_rows } else { &mut rows };
        if bounds.lo() != MINUS_INFINITY {
            rows.push(expr.sub(&Expr::constant(bounds.lo())).ok()?);
        }
        if bounds.hi() != PLUS_INFINITY {
            rows.push(Expr::constant(bounds.hi()).sub(&expr).ok()?);
        }
    }
    let mut variables = domain.variables().to_vec();
    variables[..own].iter_mut().for_each(|variable| variable.bounds = Interval::ALL);
    let mut facts = Domain::new(variables);
    rows.iter().for_each(|row| facts.constrain(row, Interval::new(0, PLUS_INFINITY)));
    let mut count = Count { own, facts, budget, atoms: Vec::new(), parts: PARTS };
    let open = (0..own as u32).map(VariableId).collect();
    let number = count.over(own_rows, open, Value::one())?;

    let places = (0..own).map(|_| Expr::constant(0));
    let places: Vec<Expr> =
        places.chain((0..(all - own) as u32).map(|id| Expr::variable(VariableId(id)))).collect();
    let mut sizes = Domain::new(domain.variables()[own..].to_vec());
    if domain.is_known_empty() {
        sizes.make_empty();
    }
    for constraint in domain.constraints() {
        if constraint.expr.variables().iter().all(|id| id.index() >= own) {
            sizes.constrain(&constraint.expr.substitute(&places).ok()?, constraint.bounds);
        }
    }
    Some(IndexingMap::new(sizes, vec![number.substitute(&places).ok()?]))
}

/// Returns a variable whose residue a constraint states, and its values `modulus * x + residue`.
fn strided(domain: &Domain, constraint: &Constraint) -> Option<(VariableId, Expr)> {
    let ExprKind::Mod(of, Divisor::Integer(modulus)) = constraint.expr.kind() else {
        return None;
    };
    let variables = of.variables();
    let id = variables.first().copied().filter(|id| !domain.is_parameter(*id))?;
    let constant = of.sub(&Expr::variable(id)).ok()?.as_constant()?;
    let residue = constraint.bounds.as_point()?.checked_sub(constant)?.rem_euclid(*modulus);
    Some((id, Expr::sum(residue, [(*modulus, Expr::variable(id))]).ok()?))
}

/// The value `factors * of / divisor`, with factors over parameters.
#[derive(Clone)]
struct Value {
    factors: Vec<Expr>,
    of: Polynomial<u32>,
    divisor: i64,
}

impl Value {
    fn one() -> Value {
        Value { factors: Vec::new(), of: Sum::constant(1), divisor: 1 }
    }
}

/// State shared between the counts of the parts of one domain.
struct Count<'b> {
    own: usize,
    /// The known facts about the parameters.
    facts: Domain,
    budget: &'b Budget,
    /// The expressions that the atoms of polynomials represent.
    atoms: Vec<Expr>,
    /// The number of further parts that may be split off.
    parts: usize,
}

/// An end of a variable, and the row that states it.
type End = (Expr, Expr);

impl Count<'_> {
    /// Sums a value over the points of `open` at which no row is negative.
    fn over(&mut self, rows: Vec<Expr>, mut open: Vec<VariableId>, value: Value) -> Option<Expr> {
        if open.is_empty() {
            let is_known = rows.iter().all(|row| self.is_natural(row, &[]));
            return is_known.then(|| self.expr(&value)).flatten();
        }
        let place = open.iter().rposition(|id| rows.iter().all(|row| self.has_end(row, *id)))?;
        let id = open[place];
        let (with, mut rest): (Vec<Expr>, Vec<Expr>) =
            rows.into_iter().partition(|row| row.variables().contains(&id));
        let (mut lower, mut upper): (Vec<End>, Vec<End>) = (Vec::new(), Vec::new());
        for row in &with {
            let factor = row.coefficient_of(id);
            let others = row.sub(&Expr::variable(id).scale(factor).ok()?).ok()?;
            match factor > 0 {
                true => lower.push((others.scale(-1).ok()?.ceildiv(factor).ok()?, row.clone())),
                false => upper.push((others.floordiv(factor.checked_neg()?).ok()?, row.clone())),
            }
        }
        if let Some([lower, next]) = self.span([&lower, &upper], &rest) {
            open.remove(place);
            let value = self.summed(value, id, &lower, &next)?;
            return self.over(rest, open, value);
        }
        for (ends, sign) in [(&lower, 1), (&upper, -1)] {
            if let Some([x, y]) = self.undecided(ends, sign, &rest) {
                // In each part, the row of one end follows from that of the other.
                self.parts = self.parts.checked_sub(1)?;
                let room = x.0.sub(&y.0).ok()?.scale(sign).ok()?;
                let less = room.scale(-1).ok()?.sub(&Expr::constant(1)).ok()?;
                let mut total = Vec::new();
                for (gone, row) in [(y, room), (x, less)] {
                    let kept = with.iter().filter(|row| **row != gone.1);
                    let part = rest.iter().chain(kept).chain([&row]).cloned().collect();
                    total.push((1, self.over(part, open.clone(), value.clone())?));
                }
                return Expr::sum(0, total).ok();
            }
        }
        let lower = self.tightest(&lower, 1, &rest)?;
        let next = self.tightest(&upper, -1, &rest)?.add(&Expr::constant(1)).ok()?;
        let width = next.sub(&lower).ok()?;
        if !self.is_natural(&width, &rest) {
            rest.push(width);
        }
        open.remove(place);
        let value = self.summed(value, id, &lower, &next)?;
        self.over(rest, open, value)
    }

    /// Returns the first value of a variable and the value after the last. They contain a min and a max if the ends are over
    /// parameters and no other form is known.
    fn span(&self, [lower, upper]: [&[End]; 2], rest: &[Expr]) -> Option<[Expr; 2]> {
        let is_open = lower.is_empty() || upper.is_empty();
        if is_open || lower.iter().chain(upper).any(|(end, _)| self.is_own(end)) {
            return None;
        }
        let least = Expr::max(self.tight(lower, 1, rest)).ok()?;
        let greatest = Expr::min(self.tight(upper, -1, rest)).ok()?;
        let next = greatest.add(&Expr::constant(1)).ok()?;
        let room = next.sub(&least).ok()?;
        let next = if self.is_natural(&room, rest) {
            next
        } else {
            Expr::max([least.clone(), next]).ok()?
        };
        Some([least, next])
    }

    /// Returns the ends that are not known to follow from an earlier end that is kept.
    fn tight(&self, ends: &[End], sign: i64, rest: &[Expr]) -> Vec<Expr> {
        let mut kept: Vec<&End> = Vec::new();
        for end in ends {
            if !kept.iter().any(|other| self.is_as_tight(other, end, sign, rest)) {
                kept.retain(|other| !self.is_as_tight(end, other, sign, rest));
                kept.push(end);
            }
        }
        kept.into_iter().map(|(end, _)| end.clone()).collect()
    }

    fn is_own(&self, expr: &Expr) -> bool {
        expr.variables().iter().any(|id| id.index() < self.own)
    }

    /// Returns whether a row has no variable `id`, or states an end of it that is linear in the other variables.
    fn has_end(&self, row: &Expr, id: VariableId) -> bool {
        let own = Expr::variable(id).scale(row.coefficient_of(id));
        let others = own.and_then(|own| row.sub(&own));
        let is_free = |others: &Expr| !others.variables().contains(&id);
        others.is_ok_and(|others| {
            is_free(&others) && (row.coefficient_of(id).abs() <= 1 || !self.is_own(&others))
        })
    }

    /// Returns whether an expression is known to be nonnegative wherever no row is negative.
    fn is_natural(&self, expr: &Expr, rows: &[Expr]) -> bool {
        if let Some(value) = expr.as_constant() {
            return value >= 0;
        }
        let mut wrong = self.facts.clone();
        rows.iter().for_each(|row| wrong.constrain(row, Interval::new(0, PLUS_INFINITY)));
        wrong.constrain(expr, Interval::new(MINUS_INFINITY, -1));
        is_empty(&wrong, self.budget) == Verdict::Proved
    }

    /// Returns whether an end is known to be at least as tight as another.
    fn is_as_tight(&self, end: &End, other: &End, sign: i64, rows: &[Expr]) -> bool {
        let room = end.0.sub(&other.0).and_then(|room| room.scale(sign));
        room.is_ok_and(|room| self.is_natural(&room, rows))
    }

    fn tightest(&self, ends: &[End], sign: i64, rows: &[Expr]) -> Option<Expr> {
        let is_tightest =
            |end: &&End| ends.iter().all(|other| self.is_as_tight(end, other, sign, rows));
        ends.iter().find(is_tightest).map(|end| end.0.clone())
    }

    /// Returns two ends neither of which is known to be as tight as the other, if no end is known to be the tightest.
    fn undecided<'e>(&self, ends: &'e [End], sign: i64, rows: &[Expr]) -> Option<[&'e End; 2]> {
        if ends.is_empty() || self.tightest(ends, sign, rows).is_some() {
            return None;
        }
        let pairs = ends.iter().enumerate();
        let mut pairs = pairs.flat_map(|(place, x)| ends[..place].iter().map(move |y| [x, y]));
        pairs.find(|[x, y]| {
            !self.is_as_tight(x, y, sign, rows) && !self.is_as_tight(y, x, sign, rows)
        })
    }

    /// Returns the sum of a value over a variable from `lower` up to `next`, exclusive.
    fn summed(&mut self, value: Value, id: VariableId, lower: &Expr, next: &Expr) -> Option<Value> {
        let Value { mut factors, of, divisor } = value;
        let atom = self.atom(&Expr::variable(id));
        let width = next.sub(lower).ok()?;
        if of.terms().iter().all(|(monomial, _)| monomial.power(atom) == 0) {
            let of = match self.is_own(&width) {
                true => polynomial::product(&of, &self.polynomial(&width)?)?,
                false => {
                    factors.push(width);
                    of
                }
            };
            return Some(Value { factors, of, divisor });
        }
        let greatest = of.terms().iter().map(|(monomial, _)| monomial.power(atom)).max();
        if greatest >= Some(POWER_SUMS.len()) {
            return None;
        }
        let (lower, next) = (self.polynomial(lower)?, self.polynomial(next)?);
        let mut total = Sum::default();
        for (power, (sum, own_divisor)) in POWER_SUMS.into_iter().enumerate() {
            let difference = at(sum, &next)?.plus(-1, &at(sum, &lower)?)?;
            let factor = coefficient(&of, atom, power)?;
            let product = polynomial::product(&factor, &difference)?;
            total = total.plus(COMMON / own_divisor, &product)?;
        }
        let divisor = divisor.checked_mul(COMMON)?;
        let common = total.terms().iter().try_fold(divisor, |common, (_, c)| gcd(common, *c))?;
        let common = gcd(common, total.constant)?;
        Some(Value { factors, of: over(&total, common)?, divisor: divisor / common })
    }

    fn atom(&mut self, expr: &Expr) -> u32 {
        let place = self.atoms.iter().position(|known| known == expr);
        let place = place.unwrap_or_else(|| {
            self.atoms.push(expr.clone());
            self.atoms.len() - 1
        });
        place as u32
    }

    /// Returns the expression as a sum of products; `None` if a variable occurs in other operations.
    fn polynomial(&mut self, expr: &Expr) -> Option<Polynomial<u32>> {
        match expr.kind() {
            ExprKind::Constant(value) => Some(Sum::constant(*value)),
            ExprKind::Sum(sum) => {
                let mut total = Sum::constant(sum.constant());
                for (factor, term) in sum.terms() {
                    total = total.plus(*factor, &self.polynomial(term)?)?;
                }
                Some(total)
            }
            ExprKind::Product(list) => list.iter().try_fold(Sum::constant(1), |product, factor| {
                polynomial::product(&product, &self.polynomial(factor)?)
            }),
            ExprKind::Variable(_) => Some(polynomial::atom(self.atom(expr))),
            _ => (!self.is_own(expr)).then(|| polynomial::atom(self.atom(expr))),
        }
    }

    fn expr(&self, value: &Value) -> Option<Expr> {
        let terms = value.of.terms().iter().map(|(monomial, factor)| {
            let factors = monomial.0.iter().map(|atom| self.atoms[*atom as usize].clone());
            Some((*factor, Expr::product(factors).ok()?))
        });
        let sum = Expr::sum(value.of.constant, terms.collect::<Option<Vec<_>>>()?).ok()?;
        let product = Expr::product(value.factors.iter().cloned().chain([sum])).ok()?;
        product.floordiv(value.divisor).ok()
    }
}

/// Evaluates a polynomial without constant term at another polynomial.
fn at(factors: &[i64], of: &Polynomial<u32>) -> Option<Polynomial<u32>> {
    factors.iter().rev().try_fold(Sum::default(), |total, factor| {
        polynomial::product(&total.plus(1, &Sum::constant(*factor))?, of)
    })
}

/// Returns the coefficient of a power of an atom.
fn coefficient(of: &Polynomial<u32>, atom: u32, power: usize) -> Option<Polynomial<u32>> {
    let factors = vec![atom; power];
    let mut total = Sum::constant(if power == 0 { of.constant } else { 0 });
    for (monomial, factor) in of.terms().iter().filter(|(x, _)| x.power(atom) == power) {
        let rest = monomial.without(&factors)?;
        total = match rest.is_one() {
            true => total.plus(*factor, &Sum::constant(1))?,
            false => total.plus(*factor, &Sum::atom(rest))?,
        };
    }
    Some(total)
}

/// Divides a polynomial by a common divisor of its coefficients.
fn over(of: &Polynomial<u32>, divisor: i64) -> Option<Polynomial<u32>> {
    let whole = Sum::constant(of.constant / divisor);
    of.terms().iter().try_fold(whole, |total, (monomial, factor)| {
        total.plus(factor / divisor, &Sum::atom(monomial.clone()))
    })
}
