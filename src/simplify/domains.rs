//! Simplifies the domain of a map.
//!
//! Each round imports the constraints under the variables' bounds, normalizes them and tightens the bounds, which are facts in
//! the next round. A constraint is never used to simplify itself or another constraint, except for bounds of variables in terms
//! of parameters: these stay as they are, so others are simplified under them.

use super::constraint::{Bound, Congruence, Decided};
use super::engine::Engine;
use super::import::Importer;
use super::journal::Side;
use super::linear::Linear;
use super::narrow::with_ends;
use super::program::Program;
use super::replace::replaced;
use super::samples::Samples;
use crate::certificate::Instance;
use crate::expr::{Constraint, Divisor, Domain, Expr, ExprKind, VariableId, VariableKind};
use crate::num::{Fuel, Interval, MINUS_INFINITY, PLUS_INFINITY};
use crate::rule::Firings;

/// Maximum number of rounds; each but the last tightens a bound or drops a constraint.
const MAX_ROUNDS: usize = 32;

/// A simplified domain.
pub struct SimplifiedDomain {
    /// The domain: the same set of points as the given one.
    pub domain: Domain,
    /// The limit that stopped the work, if any.
    pub stopped: Option<&'static str>,
    /// Usage count of each rule.
    pub firings: Firings,
}

/// Simplifies a domain, and adds the rule instances of rounds that changed it to `instances`.
pub fn simplify_domain(
    program: &Program,
    domain: &Domain,
    points: &[Vec<i64>],
    (fuel, results_only): (&Fuel, bool),
    mut instances: Option<&mut Vec<Instance>>,
) -> SimplifiedDomain {
    let mut done =
        SimplifiedDomain { domain: domain.clone(), stopped: None, firings: Firings::default() };
    for _ in 0..MAX_ROUNDS {
        let current = &done.domain;
        let constraints = current.constraints();
        let is_kept = |x: &Constraint| is_kept(current, &x.expr, results_only);
        if current.is_known_empty() || constraints.iter().all(is_kept) {
            return done;
        }
        let bounds: Vec<Interval> = current.intervals().collect();
        let is_certified = instances.is_some();
        let start = || {
            let mut engine = Engine::new(program, &bounds, fuel);
            engine.journal = is_certified.then(Vec::new);
            engine.store.samples = Samples::new(points);
            name_parameters(&mut engine, current);
            engine
        };
        let mut engine = start();
        let mut next = round(&mut engine, current, results_only);
        if next.as_ref() == Some(current) && !(results_only && engine.store.names.is_some()) {
            if engine.store.names.is_some() {
                engine = start(); // here the ends of a variable are ordinary constraints, not facts
            }
            next = replaced(&mut engine, current);
        }
        done.stopped = done.stopped.or(engine.stopped());
        done.firings.add(&engine.firings);
        // If the simpler form overflows, the domain stays as it is.
        let Some(next) = next.filter(|next| next != current) else {
            return done;
        };
        if let Some(instances) = &mut instances {
            engine.write_journal(instances);
        }
        done.domain = next;
    }
    done.stopped = Some("rounds of constraint simplification");
    done
}

/// Runs one round. With `results_only`, an equivalent constraint keeps its written form.
fn round(engine: &mut Engine<'_>, domain: &Domain, results_only: bool) -> Option<Domain> {
    let mut importer = Importer::default();
    let mut next = Domain::new(domain.variables().to_vec());
    let (mut bounds, mut congruences): (Vec<Bound>, Vec<Congruence>) = (Vec::new(), Vec::new());
    let constraints = domain.constraints().iter();
    let (ends, others): (Vec<&Constraint>, Vec<&Constraint>) =
        constraints.partition(|x| is_kept(domain, &x.expr, results_only));
    for end in ends {
        next.constrain(&end.expr, end.bounds);
        if let Some(sum) = importer.import(engine, &end.expr) {
            engine.store.learn_names(&sum, end.bounds);
        }
    }
    for constraint in others {
        let Some(sum) = importer.import(engine, &constraint.expr) else {
            engine.stop("a coefficient beyond 64 bits");
            next.constrain(&constraint.expr, constraint.bounds);
            continue;
        };
        let written = Side::Written(constraint.expr.clone());
        engine.note_same(Side::Sum(sum.clone()), written);
        let bound = Bound { sum, bounds: constraint.bounds };
        match engine.truth(&bound) {
            Decided::Always => continue,
            Decided::Never => {
                next.make_empty();
                return Some(next);
            }
            Decided::Open => {}
        }
        if let Some(congruence) = engine.congruence(&bound) {
            congruences.push(congruence);
            continue;
        }
        let given = results_only.then(|| bound.sum.clone());
        let bound = engine.normalise_bound(bound);
        if given.as_ref() == Some(&bound.sum) {
            next.constrain(&constraint.expr, bound.bounds);
            continue;
        }
        match engine.truth(&bound) {
            Decided::Always => {}
            Decided::Never => {
                next.make_empty();
                return Some(next);
            }
            Decided::Open => match bounds.iter_mut().find(|other| other.sum == bound.sum) {
                Some(other) => other.bounds = other.bounds.intersect(bound.bounds),
                None => bounds.push(bound),
            },
        }
    }
    let Some(congruences) = merge(engine, congruences) else {
        next.make_empty();
        return Some(next);
    };
    for congruence in &congruences {
        let bound = engine.bound_of(congruence)?;
        add(engine, &mut next, &bound)?;
        let range = engine.store.range(&congruence.of);
        if congruence.of.as_atom().is_some()
            && range.is_bounded()
            && let Some(rounded) = engine.on_stride(range, congruence)
        {
            add(engine, &mut next, &Bound { sum: congruence.of.clone(), bounds: rounded })?;
        }
    }
    for bound in bounds {
        add(engine, &mut next, &bound)?;
    }
    Some(with_ends(next))
}

/// Returns whether a constraint on this expression stays as it is: a bound of a variable in terms of parameters, and, if only
/// results matter, constraints on parameters alone.
fn is_kept(domain: &Domain, expr: &Expr, results_only: bool) -> bool {
    let has_parameters = domain.count(VariableKind::Parameter) > 0;
    has_parameters && (is_end(domain, expr) || results_only && is_size(domain, expr))
}

/// Returns whether a constraint on this expression bounds a variable in terms of parameters, so that it stays as it is.
fn is_end(domain: &Domain, expr: &Expr) -> bool {
    let ExprKind::Sum(sum) = expr.kind() else {
        return false;
    };
    if sum.terms().len() < 2 {
        return false;
    }
    let mut others = sum.terms().iter().filter(|(_, x)| !is_size(domain, x));
    let is_alone = |(c, x): &(i64, Expr)| matches!(c, 1 | -1) && x.as_variable().is_some();
    sum.constant() == 0 && others.next().is_some_and(is_alone) && others.next().is_none()
}

/// Returns whether an expression depends on parameters alone.
fn is_size(domain: &Domain, expr: &Expr) -> bool {
    expr.variables().iter().all(|id| domain.is_parameter(*id))
}

/// Adds a bound to a domain, with its sum in smallest form; `None` on overflow.
fn add(engine: &mut Engine<'_>, domain: &mut Domain, bound: &Bound) -> Option<()> {
    let expr = engine.sum_form(&bound.sum, 0).and_then(|form| form.to_expr().ok());
    let Some(expr) = expr else {
        engine.stop("a coefficient beyond 64 bits");
        return None;
    };
    let (expr, bound) = constant_moved(engine, &expr, bound).unwrap_or((expr, bound.clone()));
    engine.note_same(Side::Written(expr.clone()), Side::Sum(bound.sum.clone()));
    domain.constrain(&expr, bound.bounds);
    Some(())
}

/// Moves the constant of a smallest form into its bounds: `x mod 6 - 6 in [-6, -3]` is `x mod 6 in [0, 3]`.
fn constant_moved(engine: &mut Engine<'_>, expr: &Expr, bound: &Bound) -> Option<(Expr, Bound)> {
    let ExprKind::Sum(sum) = expr.kind() else {
        return None;
    };
    let constant = sum.constant().checked_neg().filter(|constant| *constant != 0)?;
    if !bound.bounds.is_bounded() || bound.sum.constant != 0 {
        return None;
    }
    let lo = bound.bounds.lo().checked_add(constant)?;
    let hi = bound.bounds.hi().checked_add(constant)?;
    let moved = Bound { sum: bound.sum.with_constant(constant), bounds: Interval::new(lo, hi) };
    let expr = expr.add(&Expr::constant(constant)).ok()?;
    // Records that both are one bound.
    (engine.without_constant(&moved).as_ref() == Some(bound)).then_some((expr, moved))
}

/// Merges congruences of the same sum; `None` if two are contradictory.
fn merge(engine: &mut Engine<'_>, congruences: Vec<Congruence>) -> Option<Vec<Congruence>> {
    let mut merged: Vec<Congruence> = Vec::new();
    for congruence in congruences {
        let same: Option<usize> =
            merged.iter().position(|other: &Congruence| other.of == congruence.of);
        match same.map(|position| (position, engine.merged(&merged[position], &congruence))) {
            Some((position, Some(Ok(both)))) => merged[position] = both,
            Some((_, Some(Err(())))) => return None,
            Some((_, None)) | None => merged.push(congruence), // a modulus that does not fit: keep both
        }
    }
    Some(merged)
}

/// Adds the constraints of a domain to the store as facts about sums.
pub fn assume_constraints(engine: &mut Engine<'_>, importer: &mut Importer, domain: &Domain) {
    for constraint in domain.constraints() {
        let sum: Option<Linear> = importer.import_bounded(engine, &constraint.expr);
        if let Some(sum) = sum {
            engine.store.constrain(&sum, constraint.bounds);
            if let Some((sum, bounds)) = multiplied_out(engine, &sum, constraint.bounds) {
                engine.store.constrain(&sum, bounds);
            }
        }
    }
}

/// Expands a one-sided bound on a sum with one quotient (`constraint-floordiv`).
fn multiplied_out(
    engine: &Engine<'_>,
    sum: &Linear,
    bounds: Interval,
) -> Option<(Linear, Interval)> {
    let mut quotients = engine.store.quotients_of(sum);
    let (atom, sign) = quotients.next().filter(|(_, factor)| matches!(factor, 1 | -1))?;
    if quotients.next().is_some() {
        return None;
    }
    let (x, divisor) = engine.store.quotient(atom)?;
    let rest = sum.without(atom).with_constant(0).scaled(divisor)?;
    let spare = |of: i64| if sign == of { divisor - 1 } else { 0 };
    let end = |end: i64| end.checked_sub(sum.constant)?.checked_mul(divisor);
    let bounds = match (bounds.lo(), bounds.hi()) {
        (lo, PLUS_INFINITY) if lo != MINUS_INFINITY => {
            Interval::at_least(end(lo)?.checked_sub(spare(-1))?)
        }
        (MINUS_INFINITY, hi) if hi != PLUS_INFINITY => {
            Interval::new(MINUS_INFINITY, end(hi)?.checked_add(spare(1))?)
        }
        _ => return None,
    };
    Some((rest.plus(sign, x)?, bounds))
}

/// Declares the parameters in the store; returns the first one.
fn name_parameters(engine: &mut Engine<'_>, domain: &Domain) -> Option<VariableId> {
    let first = domain.ids(VariableKind::Parameter).next()?;
    // Parameters are the last variables of a domain.
    engine.store.name(first.0..domain.variables().len() as u32);
    Some(first)
}

/// Declares the parameters in the store, and which of these are multiples.
pub fn assume_parameters(engine: &mut Engine<'_>, importer: &mut Importer, domain: &Domain) {
    let Some(first) = name_parameters(engine, domain) else {
        return;
    };
    for constraint in domain.constraints() {
        if constraint.bounds.as_point() == Some(0)
            && let ExprKind::Mod(x, divisor) = constraint.expr.kind()
            && let Some(id) = x.as_variable().filter(|id| *id >= first)
            && let Some(of) = match divisor {
                Divisor::Integer(modulus) => Some(Linear::constant(*modulus)),
                Divisor::Named(of) => importer.import(engine, of),
            }
            && engine.store.is_at_least(&of, 1)
        {
            engine.store.make_multiple(id, &of);
        }
    }
}

/// Adds the bounds in terms of parameters that constraints state to the store.
pub fn assume_ends(engine: &mut Engine<'_>, importer: &mut Importer, domain: &Domain) {
    if domain.count(VariableKind::Parameter) == 0 {
        return;
    }
    // The value of a quotient may depend on bounds, so constraints without quotients come first.
    let (plain, others): (Vec<&Constraint>, Vec<&Constraint>) =
        domain.constraints().iter().partition(|constraint| constraint.expr.cost().divmods == 0);
    for constraint in plain.into_iter().chain(others) {
        if let Some(sum) = importer.import_bounded(engine, &constraint.expr) {
            engine.store.learn_names(&sum, constraint.bounds);
        }
    }
}
