//! Claims beyond the equality of a certificate's two maps: that the first map is a composition, that variables of the last map
//! can be removed, and that a third map is also the same function.
//!
//! Law: the check composes the parts and removes the variables itself, and compares the results with the maps of the
//! certificate literally, up to names.

use super::replay::{Grounds, replay_grounds};
use super::size_of;
use super::{BothWays, Certificate, Instance, Rejection, RejectionKind};
use crate::expr::{Domain, Expr, IndexingMap, Variable, VariableId, VariableKind};
use crate::num::{Fuel, Interrupt, Interval};
use crate::rule::RuleSet;
use std::collections::BTreeSet;

/// A certificate, with the composition that its first map comes from and the map that its last one becomes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claim {
    /// The claim that two maps are the same function.
    pub certificate: Certificate,
    /// Two maps whose composition is [`Certificate::before`] ([`composed`]), the first one first.
    pub composition: Option<[IndexingMap; 2]>,
    /// [`Certificate::after`] without irrelevant variables.
    pub reads: Option<Reads>,
    /// The claim that another map is the same function as [`Certificate::after`], and so as [`Certificate::before`]: two maps can
    /// be shown to be equal by steps from both to a common third map.
    pub equal: Option<Equal>,
}

/// Another map, with a proof that it is the function that a certificate results in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Equal {
    /// A certificate from the other map to the same map.
    Leading(Certificate),
    /// The domain of each map contains that of the other.
    BothWays(BothWays),
}

/// A map over fewer variables that has the same values for the remaining variables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reads {
    /// The map.
    pub map: IndexingMap,
    /// For each variable of the other map, the variable of this map with the same value; `None` for a range or runtime
    /// variable that does not occur and whose interval is not empty. Several runtime variables with the same value may map
    /// to one.
    pub variables: Vec<Option<VariableId>>,
}

impl From<Certificate> for Claim {
    fn from(certificate: Certificate) -> Claim {
        Claim { certificate, composition: None, reads: None, equal: None }
    }
}

impl Claim {
    /// Returns the fuel for its check, as [`Certificate::fuel`].
    #[must_use]
    pub fn fuel(&self, interrupt: &Interrupt) -> Fuel {
        let more = self.equal.as_ref().map_or(0, |other| size_of([other.map()], other.steps()));
        super::fuel_of(self.certificate.size().saturating_add(more), interrupt)
    }

    /// Iterates over all steps: those of its certificate first.
    pub fn steps(&self) -> impl Iterator<Item = &Instance> {
        self.certificate.steps().chain(self.equal.iter().flat_map(Equal::steps))
    }

    /// Returns the map that the claim ends with.
    #[must_use]
    pub fn last(&self) -> &IndexingMap {
        self.reads.as_ref().map_or(&self.certificate.after, |reads| &reads.map)
    }

    /// Checks the claim against the rules within the given fuel.
    ///
    /// # Errors
    /// If a step does not hold; of kind [`RejectionKind::Composition`] or [`RejectionKind::Variables`] if the certificate does
    /// not start from the composition of the parts, or does not result in the last map.
    pub fn replay(&self, rules: &RuleSet, fuel: &Fuel) -> Result<Grounds, Rejection> {
        if let Some([first, second]) = &self.composition {
            let again = composed(first, second);
            if !again.is_some_and(|again| again.is_same_but_names(&self.certificate.before)) {
                let message = "`before` is not the second map after the first";
                return Err(rejection(RejectionKind::Composition, message));
            }
        }
        let mut grounds = replay_grounds(&self.certificate, rules, fuel)?;
        if let Some(other) = &self.equal {
            let before = self.certificate.steps().count();
            let after = &self.certificate.after;
            let other = other.replay(after, rules, fuel).map_err(|rejection| Rejection {
                step: rejection.step.map(|step| step + before),
                ..rejection
            })?;
            if other == Grounds::DerivedBounds {
                grounds = other;
            }
        }
        if let Some(reads) = &self.reads {
            reads.follows(&self.certificate.after)?;
        }
        Ok(grounds)
    }
}

impl Equal {
    /// Returns the other map.
    #[must_use]
    pub fn map(&self) -> &IndexingMap {
        match self {
            Equal::Leading(certificate) => &certificate.before,
            Equal::BothWays(both) => &both.map,
        }
    }

    /// Returns its two lists of steps.
    #[must_use]
    pub fn lists(&self) -> [&[Instance]; 2] {
        match self {
            Equal::Leading(x) => [&x.domain_steps, &x.result_steps],
            Equal::BothWays(both) => [&both.there, &both.back],
        }
    }

    /// Iterates over its steps.
    pub fn steps(&self) -> impl Iterator<Item = &Instance> {
        self.lists().into_iter().flatten()
    }

    fn replay(
        &self,
        after: &IndexingMap,
        rules: &RuleSet,
        fuel: &Fuel,
    ) -> Result<Grounds, Rejection> {
        match self {
            Equal::Leading(certificate) if !certificate.after.is_same_but_names(after) => {
                let message = "the steps from both maps do not lead to the same map";
                Err(rejection(RejectionKind::Result, message))
            }
            Equal::Leading(certificate) => replay_grounds(certificate, rules, fuel),
            Equal::BothWays(both) => both.replay(after, rules, fuel),
        }
    }
}

fn rejection(kind: RejectionKind, message: impl Into<String>) -> Rejection {
    Rejection { step: None, rule: None, kind, message: message.into() }
}

/// Returns `second` after `first`, as [`IndexingMap::then`]. Results of `first` beyond the dimensions of `second` are kept after
/// those of `second`. `None` if there are too few, or the composition cannot be represented.
#[must_use]
pub fn composed(first: &IndexingMap, second: &IndexingMap) -> Option<IndexingMap> {
    let domain = second.domain();
    let dimensions = domain.count(VariableKind::Dimension);
    let more = first.results().len().checked_sub(dimensions)?;
    if more == 0 {
        return first.then(second).ok();
    }
    // Additional dimensions pass the other results through.
    let (own, others) = domain.variables().split_at_checked(dimensions)?;
    let passed = (0..more).map(|_| Variable::new("passed", VariableKind::Dimension, Interval::ALL));
    let variables = own.iter().cloned().chain(passed).chain(others.iter().cloned()).collect();
    let place = |index: usize| if index < dimensions { index } else { index + more };
    let variable = |index: usize| Some(Expr::variable(VariableId(u32::try_from(index).ok()?)));
    let places = (0..domain.variables().len()).map(|index| variable(place(index)));
    let places = places.collect::<Option<Vec<Expr>>>()?;
    let (domain, mut results) = second.over(&Domain::new(variables), &places)?.into_parts();
    let passed = (dimensions..dimensions + more).map(variable);
    results.extend(passed.collect::<Option<Vec<Expr>>>()?);
    first.then(&IndexingMap::new(domain, results)).ok()
}

impl Reads {
    /// Checks that this is `whole` without some variables.
    fn follows(&self, whole: &IndexingMap) -> Result<(), Rejection> {
        let wrong = |message: String| Err(rejection(RejectionKind::Variables, message));
        let (domain, own) = (whole.domain(), self.map.domain());
        if self.variables.len() != domain.variables().len() {
            return wrong("the list of variables does not fit the variables of the map".to_owned());
        }
        let mut mentioned = BTreeSet::new();
        let constraints = domain.constraints().iter().map(|constraint| &constraint.expr);
        for expr in whole.results().iter().chain(constraints) {
            expr.collect_variables(&mut mentioned);
        }
        let (mut places, mut taken) = (Vec::new(), Vec::new());
        for (number, (variable, image)) in
            (0..).map(VariableId).zip(domain.variables().iter().zip(&self.variables))
        {
            let name = &variable.name;
            let Some(image) = image else {
                let may_go = matches!(variable.kind, VariableKind::Range | VariableKind::Runtime);
                let value = some_value(variable.bounds);
                let Some(value) = value.filter(|_| may_go && !mentioned.contains(&number)) else {
                    return wrong(format!("the variable {name} occurs, or may have no value"));
                };
                places.push(Expr::constant(value));
                continue;
            };
            let of = own.variables().get(image.index());
            if of.is_none_or(|of| of.kind != variable.kind) {
                return wrong(format!("the variable {name} is mapped to one of another kind"));
            }
            if variable.kind != VariableKind::Runtime && taken.contains(image) {
                return wrong(format!("the variable {name} is mapped to the same one as another"));
            }
            taken.push(*image);
            places.push(Expr::variable(*image));
        }
        for kind in [VariableKind::Dimension, VariableKind::Parameter] {
            let images =
                domain.ids(kind).map(|id| self.variables.get(id.index()).copied().flatten());
            if !images.eq(own.ids(kind).map(Some)) {
                return wrong("the dimensions or parameters are not in their order".to_owned());
            }
        }
        if let Some(variable) =
            (0..).map(VariableId).zip(own.variables()).find(|(id, _)| !taken.contains(id))
        {
            return wrong(format!("the variable {} is new", variable.1.name));
        }
        let free = own.variables().iter();
        let free = free.map(|x| Variable::new(x.name.clone(), x.kind, Interval::ALL)).collect();
        let left = whole.over(&Domain::new(free), &places);
        match left.is_some_and(|left| left.is_same_but_names(&self.map)) {
            true => Ok(()),
            false => wrong("the last map is not the map without these variables".to_owned()),
        }
    }
}

/// Returns a finite integer in an interval, if any.
fn some_value(interval: Interval) -> Option<i64> {
    [interval.lo(), interval.hi(), 0]
        .into_iter()
        .find(|x| *x != Interval::ALL.lo() && *x != Interval::ALL.hi() && interval.contains(*x))
}
