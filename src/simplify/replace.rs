//! Fires equivalences, matched from their text, on the bounds of a domain if that makes the domain smaller.
//!
//! The engine's own steps on bounds ([`super::constraint`]) are planned, and the rules are queried for permission. Here nothing
//! is planned: every equivalence of the rule set is tried on the bounds as given. A bound of a variable may be part of a left
//! side, and is kept.

use super::constraint::{Bound, Decided};
use super::engine::Engine;
use super::import::Importer;
use super::journal::Side;
use super::linear::{AtomId, Bindings, Linear};
use super::smaller::magnitude;
use crate::expr::{Constraint, Cost, Domain, Expr, VariableId, interval_of};
use crate::num::{Interval, MINUS_INFINITY, PLUS_INFINITY};
use crate::rule::matching::{Given, Number, Operation, Operator, Terms, Used, establishes};
use std::ops::ControlFlow;
use std::rc::Rc;

/// Maximum number of choices of bounds per rule.
const MAX_CHOICES: u32 = 2_000;

/// Remainders are numbered from here, above all other atoms.
const FIRST_REMAINDER: u32 = 3 << 30;

/// The sums of an engine, with remainders in bounds as operations.
struct Written<'e, 'r> {
    engine: &'e mut Engine<'r>,
    remainders: Vec<(Linear, i64)>,
}

impl Written<'_, '_> {
    /// Writes a sum with its remainders as operations.
    fn write(&mut self, sum: &Linear) -> Option<Linear> {
        let view = self.engine.store.digits(sum);
        let mut written = view.rest.clone();
        for digit in &view.digits {
            let known = (digit.of.clone(), digit.modulus);
            let place = self.remainders.iter().position(|other| *other == known);
            let place = place.unwrap_or(self.remainders.len());
            if place == self.remainders.len() {
                self.remainders.push(known);
            }
            let atom = AtomId(FIRST_REMAINDER + u32::try_from(place).ok()?);
            written = written.plus(digit.coefficient, &Linear::atom(atom))?;
        }
        Some(written)
    }

    fn remainder(&self, atom: AtomId) -> Option<&(Linear, i64)> {
        let index = atom.0.checked_sub(FIRST_REMAINDER)?;
        self.remainders.get(index as usize)
    }

    /// Converts such a sum back to atoms of the store.
    fn plain(&mut self, sum: &Linear) -> Option<Linear> {
        let mut plain = Linear::constant(sum.constant);
        for &(atom, factor) in sum.terms() {
            let value = match self.remainder(atom).cloned() {
                Some((of, modulus)) => self.engine.remainder(&of, modulus)?,
                None => Linear::atom(atom),
            };
            plain = plain.plus(factor, &value)?;
        }
        Some(plain)
    }

    /// Returns the outermost operators of a sum, one bit each.
    fn operators(&self, sum: &Linear) -> u8 {
        sum.terms().iter().fold(0, |all, (atom, _)| {
            let operator = match self.remainder(*atom) {
                Some(_) => Some(Operator::Mod),
                None => self.engine.store.atom(*atom).definition.operator(),
            };
            operator.map_or(all, |operator| all | 1 << operator as u8)
        })
    }
}

impl Terms for Written<'_, '_> {
    type Atom = AtomId;

    fn operations(&mut self, atom: AtomId, operator: Operator) -> Rc<[Operation<AtomId>]> {
        match (self.remainder(atom), operator) {
            (None, _) => self.engine.operations(atom, operator),
            (Some((of, modulus)), Operator::Mod) => Rc::from([Operation {
                operands: Rc::from([Rc::from([of.clone()])]),
                divisor: Number::Integer(*modulus),
            }]),
            _ => Rc::from([]),
        }
    }

    fn support(&mut self, atom: AtomId) -> u64 {
        match self.remainder(atom).cloned() {
            Some((of, _)) => self.engine.store.support(&of),
            None => self.engine.support(atom),
        }
    }

    fn range(&mut self, sum: &Linear) -> Interval {
        match self.plain(sum) {
            Some(sum) => self.engine.store.range(&sum),
            None => Interval::ALL,
        }
    }

    fn operation(
        &mut self,
        operator: Operator,
        operands: &[Linear],
        divisor: Number,
    ) -> Option<Linear> {
        let operands: Option<Vec<Linear>> = operands.iter().map(|x| self.plain(x)).collect();
        self.engine.operation(operator, &operands?, divisor)
    }
}

/// Measures a domain: operations and constraints including their quotients and remainders, the integers in constraints, then the
/// number of values of the variables.
fn size(domain: &Domain) -> (Cost, u64, u64) {
    let (mut cost, mut integers) = (Cost::default(), 0u64);
    for Constraint { expr, .. } in domain.constraints() {
        cost = cost.plus(expr.cost()).more(1);
        integers = integers.saturating_add(magnitude(expr));
    }
    let variables = domain.variables().iter();
    let values = variables.map(|variable| variable.bounds.count().unwrap_or(u64::MAX));
    (cost, integers, values.fold(0, u64::saturating_add))
}

/// Makes the domain smaller by one instance of an equivalence, with the same points; `None` if no instance does.
pub fn replaced(engine: &mut Engine<'_>, domain: &Domain) -> Option<Domain> {
    let rules = engine.rules;
    if rules.equivalences().is_empty() {
        return None;
    }
    let mut importer = Importer::default();
    let mut written = Written { engine, remainders: Vec::new() };
    let mut given = Vec::new();
    for constraint in domain.constraints() {
        let sum = importer.import(written.engine, &constraint.expr)?;
        let same = Side::Written(constraint.expr.clone());
        written.engine.note_same(Side::Sum(sum.clone()), same);
        let sum = written.write(&sum)?;
        given.push(Given { operators: written.operators(&sum), sum, bounds: constraint.bounds });
    }
    for (id, variable) in (0u32..).map(VariableId).zip(domain.variables()) {
        given.push(Given {
            sum: written.engine.store.variable(id),
            bounds: variable.bounds,
            operators: 0,
        });
    }
    let before = size(domain);
    for (id, equivalence) in rules.equivalences() {
        let conditions = &rules.rule(*id).conditions;
        let (mut answer, mut choices) = (None, MAX_CHOICES);
        let mut spend = |written: &mut Written<'_, '_>| {
            choices = choices.saturating_sub(1);
            if choices == 0 {
                written.engine.stop("choices of bounds for a rule");
            }
            choices > 0 && written.engine.spend_terms(given.len())
        };
        equivalence.search(&mut written, &given, &mut spend, &mut |written, bindings, used| {
            if used.iter().any(|(of, _)| *of < domain.constraints().len())
                && conditions.iter().all(|condition| establishes(condition, bindings, written))
                && let Some(stated) = equivalence.right(written, bindings)
                && let Some(next) = with(written, domain, used, &given, stated)
                && size(&next) < before
                && let Some(plain) = plain_bindings(written, bindings)
            {
                answer = Some((next, plain));
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        });
        if let Some((next, bindings)) = answer {
            written.engine.note(*id, &bindings);
            return Some(next);
        }
    }
    None
}

fn plain_bindings(written: &mut Written<'_, '_>, bindings: &Bindings) -> Option<Bindings> {
    let mut plain = bindings.clone();
    for value in plain.expressions.iter_mut().flatten() {
        *value = written.plain(value)?;
    }
    Some(plain)
}

/// Replaces the used constraints of a domain by other bounds.
fn with(
    written: &mut Written<'_, '_>,
    domain: &Domain,
    used: &Used,
    given: &[Given<AtomId>],
    stated: Vec<(Linear, Interval)>,
) -> Option<Domain> {
    let mut next = Domain::new(domain.variables().to_vec());
    for (index, constraint) in domain.constraints().iter().enumerate() {
        let is_gone = used.iter().find(|(of, _)| *of == index);
        let [lower, upper] = is_gone.map_or([false; 2], |(_, ends)| *ends);
        let (lo, hi) = (constraint.bounds.lo(), constraint.bounds.hi());
        let left = Interval::new(
            if lower { MINUS_INFINITY } else { lo },
            if upper { PLUS_INFINITY } else { hi },
        );
        let range = interval_of(&constraint.expr, &|id| domain.bounds(id));
        if !left.contains_all(range) {
            next.constrain(&constraint.expr, left);
        }
    }
    let bounds = merged(written, stated)?;
    let replaced = used.iter().filter_map(|(of, [lower, upper])| {
        let Given { sum, bounds, .. } = given.get(*of)?;
        let lo = if *lower { bounds.lo() } else { MINUS_INFINITY };
        let hi = if *upper { bounds.hi() } else { PLUS_INFINITY };
        Some((sum.clone(), Interval::new(lo, hi)))
    });
    let replaced = merged(written, replaced.collect())?;
    if bounds.iter().all(|bound| replaced.contains(bound)) {
        return None; // none of the bounds is new
    }
    for bound in bounds {
        let bound = without_constant(&bound)?;
        let form = written.engine.sum_form(&bound.sum, 0)?;
        let expr: Expr = form.to_expr().ok()?;
        let same = Side::Written(expr.clone());
        written.engine.note_same(same, Side::Sum(bound.sum.clone()));
        match written.engine.truth(&bound) {
            Decided::Always => {}
            Decided::Never => next.make_empty(),
            Decided::Open => next.constrain(&expr, bound.bounds),
        }
    }
    Some(next)
}

/// Merges bounds of the same sum, with a positive first coefficient.
fn merged(written: &mut Written<'_, '_>, stated: Vec<(Linear, Interval)>) -> Option<Vec<Bound>> {
    let mut merged: Vec<Bound> = Vec::new();
    for (sum, bounds) in stated {
        let sum = written.plain(&sum)?;
        let is_negative = sum.terms().first().is_some_and(|(_, factor)| *factor < 0);
        let (sum, bounds) = match is_negative {
            true => {
                let [hi, lo] = moved(bounds, i64::checked_neg)?;
                // An infinite bound on one side becomes infinite on the other.
                let lo = if lo == PLUS_INFINITY { MINUS_INFINITY } else { lo };
                let hi = if hi == MINUS_INFINITY { PLUS_INFINITY } else { hi };
                (sum.scaled(-1)?, Interval::new(lo, hi))
            }
            false => (sum, bounds),
        };
        match merged.iter_mut().find(|bound| bound.sum == sum) {
            Some(bound) => bound.bounds = bound.bounds.intersect(bounds),
            None => merged.push(Bound { sum, bounds }),
        }
    }
    Some(merged)
}

/// Moves the constant of the sum into the bounds.
fn without_constant(bound: &Bound) -> Option<Bound> {
    let Bound { sum, bounds } = bound;
    let [lo, hi] = moved(*bounds, |end| end.checked_sub(sum.constant))?;
    Some(Bound { sum: sum.with_constant(0), bounds: Interval::new(lo, hi) })
}

/// Maps the finite bounds of an interval; `None` if one does not fit in 64 bits and would be lost.
fn moved(bounds: Interval, by: impl Fn(i64) -> Option<i64>) -> Option<[i64; 2]> {
    let is_end = |end: i64| end != MINUS_INFINITY && end != PLUS_INFINITY;
    let end = |end: i64| match is_end(end) {
        true => by(end).filter(|end| is_end(*end)),
        false => Some(end),
    };
    Some([end(bounds.lo())?, end(bounds.hi())?])
}
