//! Proposes values of variables for which expressions have given values, in terms of other variables.
//!
//! Nothing relies on a proposal: callers must prove it. So points of the domain, not proofs, decide between the ways to solve an
//! equation.
//!
//! `x floordiv c` and `x mod c` become unknowns `q` and `e` with `x = c*q + e`. Then equations are solved one by one: for a
//! single unknown; for several that are digits of a number, whose weights may be products of sizes; and for an unknown with
//! factor 1 or -1, in terms of others.

use super::bounds::{ends_of, sized_points};
use super::digits::{System, variable};
use crate::expr::{Domain, End, Expr, ExprKind, VariableId};
use std::collections::BTreeMap;

/// A system of equations, and the variables to solve for.
pub struct Wanted<'a> {
    /// The domain in which values are searched for.
    pub domain: &'a Domain,
    /// Whether a variable is to be solved for.
    pub is_unknown: &'a dyn Fn(VariableId) -> bool,
    /// Expressions over the variables of the domain, with their required values. A value is over the variables that are not
    /// solved for, and additional ones with numbers below `free`.
    pub equations: Vec<(Expr, Expr)>,
    /// The number after those of all variables.
    pub free: u32,
    /// Whether a number may have several representations, as `2*i + s` with `s in [0, 2]`: then one is chosen.
    pub may_overlap: bool,
}

/// Returns a value for each variable of the domain; variables that are not solved for map to themselves.
#[must_use]
pub fn proposal(wanted: &Wanted<'_>) -> Option<Vec<Expr>> {
    let domain = wanted.domain;
    let count = domain.variables().len() as u32;
    let ids = (0..wanted.free.max(count)).map(VariableId);
    let drawn = sized_points(domain).into_iter().map(|mut point| {
        // The required values, if they are coordinates; otherwise only a guess is lost.
        point.resize(wanted.free.max(count) as usize, 0);
        for (expr, value) in &wanted.equations {
            if let (Some(id), Ok(known)) = (value.as_variable(), expr.eval(&point)) {
                point[id.index()] = known;
            }
        }
        point
    });
    let mut system = System {
        open: ids.map(|id| id.0 < count && (wanted.is_unknown)(id)).collect(),
        values: (0..wanted.free.max(count)).map(variable).collect(),
        ends: Vec::new(),
        equations: Vec::new(),
        digits: BTreeMap::new(),
        numerators: BTreeMap::new(),
        points: drawn.collect(),
        may_overlap: wanted.may_overlap,
    };
    if system.points.is_empty() {
        return None;
    }
    let own = (0..wanted.free.max(count)).map(VariableId);
    system.ends = own
        .map(|id| match system.open[id.index()] {
            true => ends_of(domain, id, &|other| !system.is_open(other)),
            false => [Vec::new(), Vec::new()],
        })
        .collect();
    for (expr, value) in &wanted.equations {
        let expr = system.linear(expr)?;
        system.equations.push(expr.sub(value).ok()?);
    }
    while let Some((unknown, value)) = system.step()? {
        system.solve(unknown, &value)?;
    }
    for unknown in 0..system.open.len() as u32 {
        if system.open[unknown as usize] {
            let [lower, upper] = &system.ends[unknown as usize];
            let any = lower.first().or(upper.first()).cloned();
            system.solve(unknown, &any.unwrap_or_else(|| Expr::constant(0)))?;
        }
    }
    system.values.truncate(count as usize);
    Some(system.values)
}

/// `factors * unknowns + others = value`
struct Equation {
    unknowns: Vec<(u32, Expr)>,
    /// Terms with unknowns inside another operator.
    others: Vec<Expr>,
    value: Expr,
}

/// An unknown of an equation as a digit: its value is `first` plus `sign` times a nonnegative increase.
struct Digit {
    /// Its weights at the points.
    places: Vec<i64>,
    unknown: u32,
    sign: i64,
    first: Option<Expr>,
    place: Expr,
}

impl System {
    /// Writes `expr = 0` as an equation.
    fn equation(&self, expr: &Expr) -> Option<Equation> {
        let (mut factors, mut others, mut rest) = (BTreeMap::new(), Vec::new(), Vec::new());
        self.split(&Expr::constant(1), expr, &mut factors, (&mut others, &mut rest))?;
        let minus = rest.into_iter().map(|term| (-1, term));
        let mut unknowns = Vec::with_capacity(factors.len());
        for (unknown, list) in factors {
            let factor = Expr::sum(0, list.into_iter().map(|x: Expr| (1, x))).ok()?;
            if factor.as_constant() != Some(0) {
                unknowns.push((unknown, factor));
            }
        }
        Some(Equation { unknowns, others, value: Expr::sum(0, minus).ok()? })
    }

    fn split(
        &self,
        factor: &Expr,
        expr: &Expr,
        factors: &mut BTreeMap<u32, Vec<Expr>>,
        (others, rest): (&mut Vec<Expr>, &mut Vec<Expr>),
    ) -> Option<()> {
        if !self.has_open(expr) {
            rest.push(factor.times(expr).ok()?);
            return Some(());
        }
        match expr.kind() {
            ExprKind::Variable(id) => factors.entry(id.0).or_default().push(factor.clone()),
            ExprKind::Sum(sum) => {
                rest.push(factor.scale(sum.constant()).ok()?);
                for (inner, term) in sum.terms() {
                    let factor = factor.scale(*inner).ok()?;
                    self.split(&factor, term, factors, (&mut *others, &mut *rest))?;
                }
            }
            ExprKind::Product(list) => {
                let (open, given): (Vec<Expr>, Vec<Expr>) =
                    list.iter().cloned().partition(|x| self.has_open(x));
                match open.as_slice() {
                    [inner] => {
                        let given = given.into_iter().chain([factor.clone()]);
                        let factor = Expr::product(given).ok()?;
                        self.split(&factor, inner, factors, (others, rest))?;
                    }
                    _ => others.push(factor.times(expr).ok()?),
                }
            }
            _ => others.push(factor.times(expr).ok()?),
        }
        Some(())
    }

    /// Returns the next unknown to solve, with its value; the inner `None` if there is none.
    fn step(&mut self) -> Option<Option<(u32, Expr)>> {
        for place in 0..self.equations.len() {
            let equation = self.equations[place].clone();
            self.equations[place] = self.linear(&equation)?;
        }
        let equations: Vec<Equation> =
            self.equations.iter().filter_map(|expr| self.equation(expr)).collect();
        let is_single =
            |equation: &&Equation| equation.unknowns.len() == 1 && equation.others.is_empty();
        let mut single = equations.iter().filter(is_single);
        let several = || equations.iter().filter(|equation| !is_single(equation));
        Some(
            single
                .find_map(|equation| self.last_digit(equation))
                .or_else(|| several().find_map(|equation| self.last_digit(equation)))
                .or_else(|| several().find_map(|equation| self.in_terms_of_others(equation))),
        )
    }

    /// Returns the unknown with the largest weight, if the unknowns are digits of the value.
    fn last_digit(&self, equation: &Equation) -> Option<(u32, Expr)> {
        let mut digits = Vec::with_capacity(equation.unknowns.len());
        for (unknown, factor) in &equation.unknowns {
            let sign = self.sign(factor)?;
            let first = self.ends[*unknown as usize][usize::from(sign < 0)].first();
            let place = factor.scale(sign).ok()?;
            digits.push(Digit {
                places: self.at_points(&place)?,
                unknown: *unknown,
                sign,
                first: first.cloned(),
                place,
            });
        }
        digits.sort_by(|x, y| x.places.cmp(&y.places));
        let least = digits.first()?.places.clone();
        let mut highest = digits.pop()?;
        if digits.is_empty() && equation.others.is_empty() {
            highest.first.get_or_insert_with(|| Expr::constant(0));
        }
        let mut number = vec![(1, equation.value.clone())];
        let mut reach = vec![0i64; self.points.len()];
        for digit in digits.iter().chain([&highest]) {
            number.push((-digit.sign, digit.place.times(digit.first.as_ref()?).ok()?));
        }
        for digit in &digits {
            let sizes = self.sizes(digit)?;
            for ((reach, size), place) in reach.iter_mut().zip(sizes).zip(&digit.places) {
                *reach = size.checked_mul(*place).and_then(|more| reach.checked_add(more))?;
            }
        }
        for other in &equation.others {
            let lower = self.end_of(other, End::Lower)?;
            let width = self.end_of(other, End::Upper)?.sub(&lower).ok()?;
            for (reach, width) in reach.iter_mut().zip(self.at_points(&width)?) {
                *reach = reach.checked_add(width)?;
            }
            number.push((-1, lower));
        }
        let mut points = reach.iter().zip(&highest.places).zip(&least);
        let is_alone = digits.is_empty() && equation.others.is_empty();
        let is_apart = is_alone || points.clone().all(|((reach, place), _)| reach < place);
        let is_dense = points.all(|((reach, place), least)| *place <= reach.saturating_add(*least));
        let number = Expr::sum(0, number).ok()?;
        let mut digit = number.floordiv_by(&highest.place).ok()?;
        let first = highest.first.as_ref()?;
        if !is_apart {
            if !self.may_overlap || !is_dense || !equation.others.is_empty() {
                return None;
            }
            let ends = &self.ends[highest.unknown as usize][usize::from(highest.sign > 0)];
            let room = |end: &Expr| end.sub(first).and_then(|room| room.scale(highest.sign)).ok();
            let rooms: Option<Vec<Expr>> = ends.iter().map(room).collect();
            digit = Expr::min(rooms?.into_iter().chain([digit])).ok()?;
        }
        let value = Expr::sum(0, [(highest.sign, digit), (1, first.clone())]).ok()?;
        Some((highest.unknown, value))
    }

    /// Returns the number of values of a digit beyond its first, at each point.
    fn sizes(&self, digit: &Digit) -> Option<Vec<i64>> {
        let first = digit.first.as_ref()?;
        let ends = &self.ends[digit.unknown as usize][usize::from(digit.sign > 0)];
        let size = |point: &Vec<i64>| {
            let first = first.eval(point).ok()?;
            let values = ends.iter().filter_map(|end| end.eval(point).ok());
            values.filter_map(|end| end.checked_sub(first)?.checked_abs()).min()
        };
        self.points.iter().map(size).collect()
    }

    fn in_terms_of_others(&self, equation: &Equation) -> Option<(u32, Expr)> {
        let units = equation.unknowns.iter();
        let mut solved = units.filter_map(|(unknown, factor)| {
            let sign = factor.as_constant().filter(|factor| factor.abs() == 1)?;
            let mut terms = vec![(sign, equation.value.clone())];
            terms.extend(equation.others.iter().map(|other| (-sign, other.clone())));
            for (other, factor) in &equation.unknowns {
                if other != unknown {
                    terms.push((-sign, factor.times(&variable(*other)).ok()?));
                }
            }
            let value = Expr::sum(0, terms).ok()?;
            (!value.variables().contains(&VariableId(*unknown))).then_some((*unknown, value))
        });
        solved.next()
    }
}
