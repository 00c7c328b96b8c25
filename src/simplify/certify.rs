//! Results with certificates.

use super::options::Options;
use super::simplifier::{Instances, Outcome, Simplifier};
use crate::certificate::{
    BothWays, Certificate, Claim, Equal, Grounds, Instance, Rejection, Step, chain, sliced,
    unchecked,
};
use crate::expr::{Constraint, Divisor, Domain, Expr, ExprKind, IndexingMap, VariableKind};
use crate::num::{MINUS_INFINITY, PLUS_INFINITY};
use crate::rule::{Relation, Rule, Statement, Term};

/// The variable slots of a rule that multiplies out `l <= x floordiv c + y <= u`.
struct Slots {
    /// Slots of `l`, `c` and `u`.
    constants: [usize; 3],
    /// Slots of `x` and `y`.
    expressions: [usize; 2],
}

impl Slots {
    fn of(rule: &Rule) -> Option<Slots> {
        let Statement::Equivalence(bounds, _) = &rule.statement else {
            return None;
        };
        let [low, high] = bounds.as_slice() else {
            return None;
        };
        let (Term::Constant(l), Term::Sum(sum), Term::Constant(u)) =
            (&low.lhs, &low.rhs, &high.rhs)
        else {
            return None;
        };
        let [Term::FloorDiv(x, c), Term::Expression(y)] = sum.as_slice() else {
            return None;
        };
        let (Term::Expression(x), Term::Constant(c)) = (&**x, &**c) else {
            return None;
        };
        let constants = [*l, *c, *u].map(usize::from);
        let is_bound = low.relation == Relation::LessEqual && high.relation == low.relation;
        (is_bound && high.lhs == low.rhs)
            .then(|| Slots { constants, expressions: [*x, *y].map(usize::from) })
    }
}

/// A result with its certificate and the verdict of the replayer.
#[derive(Clone, Debug)]
pub struct Certified {
    /// The outcome of [`Simplifier::simplify`].
    pub outcome: Outcome,
    /// The derivation of the result: only the needed steps if it replays, otherwise all.
    pub certificate: Certificate,
    /// Whether the certificate replays.
    pub verdict: Result<(), Rejection>,
}

impl Simplifier {
    /// Simplifies as [`Simplifier::simplify`], with a certificate that the result equals the given map. The certificate
    /// has been replayed; a rejection is not expected, and is reported.
    #[must_use]
    pub fn certify(&self, map: &IndexingMap, options: &Options) -> Certified {
        let mut instances = Some(Instances::default());
        let outcome = self.run(map, options, &mut instances);
        let instances = instances.unwrap_or_default();
        let mut whole = Certificate {
            before: map.clone(),
            after: outcome.map.clone(),
            domain_steps: instances.of_domain,
            result_steps: instances.of_results,
        };
        let fuel = whole.fuel(&options.interrupt);
        let mut found = sliced(&whole, self.rules(), &fuel);
        if found.is_err() {
            // Bounds that follow from several constraints are in no step. With them, the values may be recognised as equal.
            let pairs = map.results().iter().zip(outcome.map.results());
            whole.result_steps.extend(pairs.filter_map(|(x, y)| self.equality_of(x, y)));
            let fuel = whole.fuel(&options.interrupt);
            found = sliced(&whole, self.rules(), &fuel);
        }
        let (certificate, verdict) = match found {
            Ok(certificate) => (certificate, Ok(())),
            Err(rejection) => (whole, Err(rejection)),
        };
        Certified { outcome, certificate, verdict }
    }

    /// Returns a certificate that two maps are the same function, with variables matched by kind and position: the steps from the
    /// left map to the right one, or from both to a common simplified form ([`Claim::equal`]). The certificate has been replayed.
    /// `None` if the steps do not meet, or do not replay, which is not a statement about the maps.
    #[must_use]
    pub fn certify_equal(
        &self,
        left: &IndexingMap,
        right: &IndexingMap,
        options: &Options,
    ) -> Option<Claim> {
        let derived = [left, right].map(|map| {
            let mut instances = Some(Instances::default());
            let outcome = self.run(map, options, &mut instances);
            (outcome.map, instances.unwrap_or_default())
        });
        let [(of_left, from_left), (of_right, from_right)] = derived;
        let kinds = |map: &IndexingMap| -> Vec<VariableKind> {
            map.domain().variables().iter().map(|variable| variable.kind).collect()
        };
        if kinds(left) != kinds(right) || left.results().len() != right.results().len() {
            return None;
        }
        // Steps of the results hold on one domain, so the steps of either map may be used for the other.
        let mut of_results = from_left.of_results;
        of_results.extend(from_right.of_results);
        let meet = of_left.results().iter().zip(of_right.results());
        of_results.extend(meet.filter_map(|(x, y)| self.equality_of(x, y)));
        let certify = |before: &IndexingMap, of_domain: &[Instance], after: &IndexingMap| {
            let whole = Certificate {
                before: before.clone(),
                after: after.clone(),
                domain_steps: of_domain.to_vec(),
                result_steps: of_results.clone(),
            };
            let fuel = whole.fuel(&options.interrupt);
            sliced(&whole, self.rules(), &fuel).ok()
        };
        let met_at = |middle: &IndexingMap| -> Option<Claim> {
            let certificate = certify(left, &from_left.of_domain, middle)?;
            let equal = certify(right, &from_right.of_domain, middle)?;
            Some(Claim { equal: Some(Equal::Leading(equal)), ..certificate.into() })
        };
        // The steps of both domains, in both orders, since some are used in reverse.
        let mut proposed = self.by_named_sizes([left.domain(), right.domain()]);
        proposed.extend(from_right.of_domain.iter().cloned());
        proposed.extend(from_left.of_domain.iter().cloned());
        proposed.extend(proposed.clone().into_iter().rev());
        proposed.extend(of_results.iter().cloned());
        let both_ways = |middle: &IndexingMap| -> Option<Claim> {
            let certificate = certify(left, &from_left.of_domain, middle)?;
            let fuel = certificate.fuel(&options.interrupt);
            let found = BothWays::found(right, middle, &proposed, self.rules(), &fuel)?;
            Some(Claim { equal: Some(Equal::BothWays(found)), ..certificate.into() })
        };
        // A claim whose steps suffice can be followed by other checkers, too.
        let says_all = |claim: &Claim| {
            let fuel = claim.fuel(&options.interrupt);
            claim.replay(self.rules(), &fuel) == Ok(Grounds::Steps)
        };
        let ways: [&dyn Fn() -> Option<Claim>; 5] = [
            &|| certify(left, &from_left.of_domain, right).map(Claim::from),
            &|| met_at(&of_left),
            &|| met_at(&of_right),
            &|| both_ways(left),
            &|| both_ways(&of_left),
        ];
        let mut first = None;
        for claim in ways.into_iter().filter_map(|way| way()) {
            if says_all(&claim) {
                return Some(claim);
            }
            first.get_or_insert(claim);
        }
        first
    }

    /// Multiplies out the constraints on a quotient by a named size.
    fn by_named_sizes(&self, domains: [&Domain; 2]) -> Vec<Instance> {
        let constraints = domains.into_iter().flat_map(Domain::constraints);
        constraints.filter_map(|constraint| self.multiplied_out(constraint)).collect()
    }

    fn multiplied_out(&self, constraint: &Constraint) -> Option<Instance> {
        let mut rules = self.rules().rules().iter();
        let (rule, slots) = rules.find_map(|rule| Some((rule, Slots::of(rule)?)))?;
        let (terms, constant) = match constraint.expr.kind() {
            ExprKind::Sum(sum) => (sum.terms().to_vec(), sum.constant()),
            _ => (vec![(1, constraint.expr.clone())], 0),
        };
        let quotient = |(factor, term): &(i64, Expr)| match term.kind() {
            ExprKind::FloorDiv(x, Divisor::Named(by)) if *factor == 1 => {
                Some((x.clone(), by.clone()))
            }
            _ => None,
        };
        let place = terms.iter().position(|term| quotient(term).is_some())?;
        let (x, by) = quotient(&terms[place])?;
        let others = terms.iter().enumerate().filter(|(other, _)| *other != place);
        let rest = Expr::sum(constant, others.map(|(_, term)| term.clone())).ok()?;
        let (lo, hi) = (constraint.bounds.lo(), constraint.bounds.hi());
        if lo == MINUS_INFINITY || hi == PLUS_INFINITY {
            return None;
        }
        let mut constants = vec![None; rule.constants.len()];
        let mut expressions = vec![None; rule.expressions.len()];
        let [l, c, u] = slots.constants;
        for (slot, value) in [(l, Expr::constant(lo)), (c, by), (u, Expr::constant(hi))] {
            *constants.get_mut(slot)? = Some(value);
        }
        for (slot, value) in slots.expressions.into_iter().zip([x, rest]) {
            *expressions.get_mut(slot)? = Some(value);
        }
        Some(Instance {
            rule: rule.name.clone(),
            constants: constants.into_iter().collect::<Option<_>>()?,
            expressions: expressions.into_iter().collect::<Option<_>>()?,
        })
    }

    /// Reconstructs the steps from the given map to the result as a chain in which each line equals the one before
    /// ([`chain`]). If the certificate does not replay, or the chain takes too much work, returns its claim and the
    /// rules it names.
    #[must_use]
    pub fn steps(&self, certified: &Certified, options: &Options) -> Vec<Step> {
        let Certified { certificate, verdict, .. } = certified;
        let fuel = certificate.fuel(&options.interrupt);
        let told = verdict.as_ref().ok().and_then(|()| chain(certificate, self.rules(), &fuel));
        told.unwrap_or_else(|| unchecked(certificate, self.rules()))
    }
}
