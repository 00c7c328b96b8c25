//! The inverse of a map as a relation: the points that the map sends to a target.
//!
//! Law: `b` lies in the inverse of `a` for some values of its range variables exactly when the map sends `b`
//! to `a` for some values of its own. Nothing is lost: a variable that no equation determines becomes a range
//! variable, and a condition on solutions becomes a constraint.
//!
//! The laws `slice-onto`, `pad-readers` and `concatenate-readers` of `rules/ops.rules` state the inverses of slices,
//! pads and concatenates for all sizes.
//!
//! The equations `result = target` are linearized: `x floordiv c` becomes an unknown `q` and `x mod c` an unknown `e`,
//! with `x = c*q + e` and `e in [0, c - 1]`. Then the unknowns are eliminated one by one:
//!
//! 1. an unknown with a single possible value has that value,
//! 2. the unknowns of an equation whose factors are place values of a number system are its digits,
//! 3. an unknown dimension with factor 1 or -1 is solved from its equation,
//! 4. if none of these applies, an unknown becomes a range variable; old range variables come first.

use super::{Domain, IndexingMap, Variable, VariableKind};
use crate::expr::{Divisor, Expr, ExprError, ExprKind, VariableId, interval_of};
use crate::num::{Fuel, Interval};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Default number of steps for the inverse of a map: one per visited node of a condition.
pub const INVERSE_STEPS: u64 = 1 << 22;

impl IndexingMap {
    /// Returns the points that this map sends to a target in the box `target`: the dimensions are the target's coordinates, the
    /// results are the values of this map's dimensions. Runtime variables are kept.
    ///
    /// Results beyond the coordinates of `target` are not constrained: they follow the dimensions in the results, expressed over
    /// the new variables.
    ///
    /// # Errors
    /// [`ExprError`] if an expression overflows, or the fuel is spent.
    pub fn inverse(&self, target: &[Interval], fuel: &Fuel) -> Result<IndexingMap, ExprError> {
        let mut system = System::new(self, target, fuel)?;
        while let Some(step) = system.next_step()? {
            match step {
                Step::Solve(solutions) => system.solve(&solutions)?,
                Step::Free(unknown) => system.state[unknown] = State::Free,
            }
        }
        system.into_map(self)
    }
}

/// The status of a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    /// A coordinate of the target, a runtime variable, or a parameter.
    Given,
    /// Not yet solved.
    Open,
    /// Expressed in terms of others.
    Solved,
    /// A range variable of the inverse.
    Free,
}

/// The order in which unknowns become range variables.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Part {
    /// A range variable of the map.
    Range,
    /// A quotient or a remainder.
    Digit,
    /// A dimension of the map.
    Dimension,
    /// Not an unknown.
    Given,
}

enum Step {
    Solve(Vec<(usize, Expr)>),
    Free(usize),
}

/// Conditions over the coordinates of the target, the variables of the map, and quotients and remainders of these.
struct System {
    bounds: Vec<Interval>,
    state: Vec<State>,
    part: Vec<Part>,
    conditions: Vec<(Expr, Interval)>,
    /// The map's dimensions, and the results beyond the target.
    results: Vec<Expr>,
    /// The unknowns for `x floordiv c` and `x mod c`.
    digits: FxHashMap<(Expr, i64), (Expr, Expr)>,
    fuel: Fuel,
}

impl System {
    fn new(map: &IndexingMap, target: &[Interval], fuel: &Fuel) -> Result<System, ExprError> {
        let variables = map.domain.variables();
        let part = variables.iter().map(|variable| match variable.kind {
            VariableKind::Dimension => Part::Dimension,
            VariableKind::Range => Part::Range,
            VariableKind::Runtime | VariableKind::Parameter => Part::Given,
        });
        let part: Vec<Part> = target.iter().map(|_| Part::Given).chain(part).collect();
        let of_part = |part: &Part| match part {
            Part::Given => State::Given,
            _ => State::Open,
        };
        let bounds = variables.iter().map(|variable| variable.bounds);
        let mut system = System {
            bounds: target.iter().copied().chain(bounds).collect(),
            state: part.iter().map(of_part).collect(),
            part,
            conditions: Vec::new(),
            results: Vec::new(),
            digits: FxHashMap::default(),
            fuel: fuel.clone(),
        };
        let shifted: Vec<Expr> = (target.len()..system.bounds.len()).map(variable).collect();
        for (coordinate, result) in map.results.iter().take(target.len()).enumerate() {
            let result = system.linear(&result.substitute(&shifted)?)?;
            let equation = result.sub(&variable(coordinate))?;
            system.conditions.push((equation, Interval::point(0)));
        }
        for constraint in map.domain.constraints() {
            let expr = system.linear(&constraint.expr.substitute(&shifted)?)?;
            system.conditions.push((expr, constraint.bounds));
        }
        let dimensions = map.domain.count(VariableKind::Dimension);
        system.results = shifted[..dimensions].to_vec();
        for result in map.results.iter().skip(target.len()) {
            system.results.push(result.substitute(&shifted)?);
        }
        Ok(system)
    }

    fn spend(&self, steps: u64) -> Result<(), ExprError> {
        self.fuel.spend(steps).map_err(ExprError::Stopped)
    }

    /// Replaces quotients and remainders by unknowns, so that the expression is linear.
    fn linear(&mut self, expr: &Expr) -> Result<Expr, ExprError> {
        match expr.kind() {
            ExprKind::Constant(_) | ExprKind::Variable(_) => Ok(expr.clone()),
            ExprKind::Sum(sum) => {
                let mut terms = Vec::with_capacity(sum.terms().len());
                for (factor, term) in sum.terms() {
                    terms.push((*factor, self.linear(term)?));
                }
                Expr::sum(sum.constant(), terms)
            }
            ExprKind::FloorDiv(x, Divisor::Integer(c)) => self.quotient(x, *c),
            ExprKind::Mod(x, Divisor::Integer(c)) if matches!(x.kind(), ExprKind::FloorDiv(..)) => {
                let (all, higher) = (self.linear(x)?, self.quotient(x, *c)?);
                Expr::sum(0, [(1, all), (c.checked_neg().ok_or(ExprError::Overflow)?, higher)])
            }
            ExprKind::Mod(x, Divisor::Integer(c)) => Ok(self.digits_of(x, *c)?.1),
            // Equations are not solved for factors of products.
            ExprKind::Product(list) => Expr::product(self.each_linear(list)?),
            ExprKind::FloorDiv(x, Divisor::Named(c)) => {
                self.linear(x)?.floordiv_by(&self.linear(c)?)
            }
            ExprKind::CeilDiv(x, Divisor::Named(c)) => self.linear(x)?.ceildiv_by(&self.linear(c)?),
            ExprKind::Mod(x, Divisor::Named(c)) => self.linear(x)?.modulo_by(&self.linear(c)?),
            ExprKind::CeilDiv(x, Divisor::Integer(c)) => {
                self.digits_of(&x.scale(-1)?, *c)?.0.scale(-1)
            }
            ExprKind::Min(list) => Expr::min(self.each_linear(list)?),
            ExprKind::Max(list) => Expr::max(self.each_linear(list)?),
        }
    }

    /// Returns the unknown for `x floordiv divisor`. All ways to divide by the same product share one, so that digits extracted
    /// in sequence are recognized as digits of one number.
    fn quotient(&mut self, x: &Expr, divisor: i64) -> Result<Expr, ExprError> {
        match x.kind() {
            ExprKind::FloorDiv(y, Divisor::Integer(c)) if c.checked_mul(divisor).is_some() => {
                self.quotient(y, c * divisor)
            }
            _ => Ok(self.digits_of(x, divisor)?.0),
        }
    }

    fn each_linear(&mut self, list: &[Expr]) -> Result<Vec<Expr>, ExprError> {
        list.iter().map(|x| self.linear(x)).collect()
    }

    fn digits_of(&mut self, x: &Expr, divisor: i64) -> Result<(Expr, Expr), ExprError> {
        let x = self.linear(x)?;
        let key = (x.clone(), divisor);
        if let Some(known) = self.digits.get(&key) {
            return Ok(known.clone());
        }
        self.spend(u64::from(x.size()))?;
        let range = interval_of(&x, &|id| self.bounds[id.index()]);
        let quotient = self.unknown(range.floordiv(divisor));
        let remainder = self.unknown(range.modulo(divisor));
        let equation =
            Expr::sum(0, [(1, x), (-divisor, quotient.clone()), (-1, remainder.clone())])?;
        self.conditions.push((equation, Interval::point(0)));
        let digits = (quotient, remainder);
        self.digits.insert(key, digits.clone());
        Ok(digits)
    }

    fn unknown(&mut self, bounds: Interval) -> Expr {
        self.bounds.push(bounds);
        self.state.push(State::Open);
        self.part.push(Part::Digit);
        variable(self.bounds.len() - 1)
    }

    /// Chooses the next step; `None` if no equation has an unknown.
    fn next_step(&self) -> Result<Option<Step>, ExprError> {
        let only_value = |unknown: usize| match self.state[unknown] {
            State::Open => Some((unknown, Expr::constant(self.bounds[unknown].as_point()?))),
            _ => None,
        };
        if let Some(solution) = (0..self.bounds.len()).find_map(only_value) {
            return Ok(Some(Step::Solve(vec![solution])));
        }
        let equations = || {
            let conditions = self.conditions.iter();
            conditions.filter_map(|(expr, bounds)| Some((expr, bounds.as_point()?)))
        };
        for (expr, value) in equations() {
            if let Some(equation) = self.unknowns_of(expr, value)?
                && let Some(solutions) = self.as_digits(&equation)?
            {
                return Ok(Some(Step::Solve(solutions)));
            }
        }
        for (expr, value) in equations() {
            if let Some(equation) = self.unknowns_of(expr, value)?
                && let Some(solution) = self.rest_of(&equation)?
            {
                return Ok(Some(Step::Solve(vec![solution])));
            }
        }
        let open = equations().flat_map(|(expr, _)| self.open_in(expr));
        let next = open.min_by_key(|unknown| (self.part[*unknown], *unknown));
        Ok(next.map(Step::Free))
    }

    fn open_in(&self, expr: &Expr) -> Vec<usize> {
        let variables = expr.variables().into_iter().map(VariableId::index);
        variables.filter(|index| self.state[*index] == State::Open).collect()
    }

    /// Writes the equation `expr = value` as `unknowns = rest`; `None` if it has no unknown, or one below a non-linear operator.
    fn unknowns_of(&self, expr: &Expr, value: i64) -> Result<Option<Equation>, ExprError> {
        self.spend(u64::from(expr.size()))?;
        let (mut unknowns, mut rest) = (BTreeMap::new(), vec![(1, Expr::constant(value))]);
        if !self.split(1, expr, &mut unknowns, &mut rest)? {
            return Ok(None);
        }
        let unknowns: Vec<(i64, usize)> = unknowns.into_iter().map(|(x, c)| (c, x)).collect();
        let unknowns: Vec<_> = unknowns.into_iter().filter(|(c, _)| *c != 0).collect();
        let rest = Expr::sum(0, rest)?;
        Ok((!unknowns.is_empty()).then_some(Equation { unknowns, rest }))
    }

    /// Adds the unknowns of `factor * expr` to `unknowns` and the negated remainder to `rest`. Nested sums are
    /// multiplied out. Returns whether no unknown is below another operator.
    fn split(
        &self,
        factor: i64,
        expr: &Expr,
        unknowns: &mut BTreeMap<usize, i64>,
        rest: &mut Vec<(i64, Expr)>,
    ) -> Result<bool, ExprError> {
        let minus = factor.checked_neg().ok_or(ExprError::Overflow)?;
        if self.open_in(expr).is_empty() {
            rest.push((minus, expr.clone()));
            return Ok(true);
        }
        match expr.kind() {
            ExprKind::Variable(id) => {
                let total = unknowns.entry(id.index()).or_insert(0);
                *total = total.checked_add(factor).ok_or(ExprError::Overflow)?;
                Ok(true)
            }
            ExprKind::Sum(sum) => {
                rest.push((minus, Expr::constant(sum.constant())));
                for (inner, term) in sum.terms() {
                    let factor = factor.checked_mul(*inner).ok_or(ExprError::Overflow)?;
                    if !self.split(factor, term, unknowns, rest)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// Expresses the unknowns as digits of their weighted sum: each factor is a multiple of the next lower one, and exceeds all
    /// values of the lower digits.
    fn as_digits(&self, equation: &Equation) -> Result<Option<Vec<(usize, Expr)>>, ExprError> {
        let mut unknowns = equation.unknowns.clone();
        unknowns.sort_by_key(|(factor, unknown)| (factor.unsigned_abs(), *unknown));
        // Each digit counts from the end of its interval that minimizes the weighted sum.
        let mut places = Vec::with_capacity(unknowns.len());
        let mut number = vec![(1, equation.rest.clone())];
        for (position, &(factor, unknown)) in unknowns.iter().enumerate() {
            let bounds = self.bounds[unknown];
            let is_last = position + 1 == unknowns.len();
            let first = match (bounds.is_bounded(), factor > 0) {
                (true, true) => bounds.lo(),
                (true, false) => bounds.hi(),
                (false, _) if is_last => 0,
                (false, _) => return Ok(None),
            };
            let place = factor.checked_abs().ok_or(ExprError::Overflow)?;
            let base = match unknowns.get(position + 1) {
                None => None,
                Some((next, _)) => {
                    let next = next.checked_abs().ok_or(ExprError::Overflow)?;
                    let size = i128::from(bounds.hi()) - i128::from(bounds.lo()) + 1;
                    if next % place != 0 || i128::from(next / place) < size {
                        return Ok(None);
                    }
                    Some(next / place)
                }
            };
            let minus = factor.checked_neg().ok_or(ExprError::Overflow)?;
            number.push((minus, Expr::constant(first)));
            places.push((unknown, factor.signum(), first, place, base));
        }
        let number = Expr::sum(0, number)?;
        let mut solutions = Vec::with_capacity(places.len());
        for (unknown, sign, first, place, base) in places {
            let shifted = number.floordiv(place)?;
            let digit = base.map_or(Ok(shifted.clone()), |base| shifted.modulo(base))?;
            solutions.push((unknown, Expr::sum(first, [(sign, digit)])?));
        }
        Ok(Some(solutions))
    }

    /// Returns an unknown that the equation determines once the others are known: a dimension, or, in an equation without
    /// dimensions, a quotient or remainder.
    fn rest_of(&self, equation: &Equation) -> Result<Option<(usize, Expr)>, ExprError> {
        let greatest = equation.unknowns.iter().map(|(_, unknown)| self.part[*unknown]);
        let greatest = greatest.max();
        let alone = equation.unknowns.iter().find(|(factor, unknown)| {
            factor.unsigned_abs() == 1 && Some(self.part[*unknown]) == greatest
        });
        let Some(&(factor, solved)) = alone else {
            return Ok(None);
        };
        let mut terms = vec![(factor, equation.rest.clone())];
        for (other, unknown) in &equation.unknowns {
            if *unknown != solved {
                let times = other.checked_mul(-factor).ok_or(ExprError::Overflow)?;
                terms.push((times, variable(*unknown)));
            }
        }
        Ok(Some((solved, Expr::sum(0, terms)?)))
    }

    /// Substitutes solutions for unknowns; the bounds of the unknowns become conditions.
    fn solve(&mut self, solutions: &[(usize, Expr)]) -> Result<(), ExprError> {
        let mut replacements: Vec<Expr> = (0..self.bounds.len()).map(variable).collect();
        for (unknown, solution) in solutions {
            replacements[*unknown] = solution.clone();
            self.state[*unknown] = State::Solved;
        }
        let changed = self.conditions.iter().map(|(expr, _)| expr);
        let sizes = changed.chain(&self.results).map(|x| u64::from(x.size()));
        self.spend(sizes.sum::<u64>() + self.bounds.len() as u64)?;
        for (expr, _) in &mut self.conditions {
            *expr = expr.substitute(&replacements)?;
        }
        for result in &mut self.results {
            *result = result.substitute(&replacements)?;
        }
        for (unknown, solution) in solutions {
            self.conditions.push((solution.clone(), self.bounds[*unknown]));
        }
        // A condition without unknowns is either decided or becomes a constraint.
        self.conditions.retain(|(expr, bounds)| {
            let decided = expr.as_constant();
            decided.is_none_or(|value| !bounds.contains(value))
        });
        Ok(())
    }

    fn into_map(self, map: &IndexingMap) -> Result<IndexingMap, ExprError> {
        let coordinates = self.state.len()
            - self.part.iter().filter(|p| **p == Part::Digit).count()
            - map.domain.variables().len();
        let mut variables = Vec::new();
        let mut renumbered = vec![Expr::constant(0); self.bounds.len()];
        let mut keep = |index: usize, name: String, kind: VariableKind, bounds: Interval| {
            renumbered[index] = variable(variables.len());
            variables.push(Variable::new(name, kind, bounds));
        };
        for index in 0..coordinates {
            keep(index, format!("d{index}"), VariableKind::Dimension, self.bounds[index]);
        }
        let is_free = |index: &usize| matches!(self.state[*index], State::Free | State::Open);
        for (number, index) in (coordinates..self.bounds.len()).filter(is_free).enumerate() {
            keep(index, format!("s{number}"), VariableKind::Range, self.bounds[index]);
        }
        for kind in [VariableKind::Runtime, VariableKind::Parameter] {
            for id in map.domain.ids(kind) {
                let name = map.domain.variables()[id.index()].name.to_string();
                let index = coordinates + id.index();
                keep(index, name, kind, self.bounds[index]);
            }
        }
        let mut domain = Domain::new(variables);
        for (expr, bounds) in &self.conditions {
            domain.constrain(&expr.substitute(&renumbered)?, *bounds);
        }
        if map.domain.is_known_empty() {
            domain.make_empty();
        }
        let results = self.results.iter().map(|result| result.substitute(&renumbered));
        Ok(IndexingMap::new(domain, results.collect::<Result<_, _>>()?))
    }
}

/// `factor * unknown + .. = rest`
struct Equation {
    unknowns: Vec<(i64, usize)>,
    rest: Expr,
}

fn variable(index: usize) -> Expr {
    Expr::variable(VariableId(index as u32))
}
