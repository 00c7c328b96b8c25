//! Proofs that two maps are the same function because each domain contains the other.
//!
//! Law: the constraints of one domain are facts, and steps add facts until each bound of the other domain follows; an equivalence
//! adds either side if the other holds. The bounds to be shown are never used.

use super::domain::half_spaces;
use super::known::Steps;
use super::replay::{Grounds, Mode, Reason, Replay};
use super::sum::Sum;
use super::values::Bindings;
use super::{Certificate, Instance, Rejection, RejectionKind};
use crate::expr::{Domain, IndexingMap, VariableId};
use crate::num::Fuel;
use crate::rule::{Condition, RuleSet};

/// Steps from each of two domains to the bounds of the other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BothWays {
    /// The map that is the same function as the other.
    pub map: IndexingMap,
    /// Steps from its domain to the bounds of the other domain, and to the results.
    pub there: Vec<Instance>,
    /// Steps from the other domain to the bounds of its domain.
    pub back: Vec<Instance>,
}

/// Number of rounds in which facts narrow the box before the bounds are checked.
const ROUNDS: usize = 2;

impl BothWays {
    /// Checks that its map and `other` are the same function.
    ///
    /// # Errors
    /// The errors of [`super::replay_within`]; steps are numbered through both lists.
    pub(super) fn replay(
        &self,
        other: &IndexingMap,
        rules: &RuleSet,
        fuel: &Fuel,
    ) -> Result<Grounds, Rejection> {
        match self.replay_by(other, rules, &fuel.share(fuel.left()), Mode::Plain) {
            Ok(()) => Ok(Grounds::Steps),
            Err(_) => {
                self.replay_by(other, rules, fuel, Mode::Full).map(|()| Grounds::DerivedBounds)
            }
        }
    }

    fn replay_by(
        &self,
        other: &IndexingMap,
        rules: &RuleSet,
        fuel: &Fuel,
        mode: Mode,
    ) -> Result<(), Rejection> {
        let ends = Certificate {
            before: self.map.clone(),
            after: other.clone(),
            domain_steps: Vec::new(),
            result_steps: Vec::new(),
        };
        let maps = [&ends.before, &ends.after];
        let checked = || -> Result<(), Rejection> {
            if !ends.has_same_variables() {
                return Err(domain("both maps must have the same variables"));
            }
            if maps[0].results().len() != maps[1].results().len() {
                let message = "both maps must have the same number of results".to_owned();
                return Err(Reason(RejectionKind::Result, message).without_step());
            }
            for (from, to, steps) in [(0, 1, &self.there), (1, 0, &self.back)] {
                let (from_domain, to_domain) = (maps[from].domain(), maps[to].domain());
                if from_domain.is_known_empty() {
                    continue; // it has no points
                }
                let mut replay = Replay::new(fuel, mode);
                replay.assume(from_domain).map_err(Reason::without_step)?;
                for instance in steps {
                    replay.step(rules, instance, false).map_err(|rejection| Rejection {
                        step: rejection.step.map(|step| step + from * self.there.len()),
                        ..rejection
                    })?;
                }
                replay.lies_in(to_domain).map_err(Reason::without_step)?;
                if from == 0 {
                    replay.results(&ends)?;
                }
            }
            Ok(())
        };
        // Without fuel nothing can be shown, so other reasons do not count.
        checked().map_err(|rejection| match fuel.check() {
            Ok(()) => rejection,
            Err(stopped) => Reason::stopped(stopped).without_step(),
        })
    }

    /// Finds the steps among `proposed` that hold from either side, if they suffice, and removes unneeded ones.
    #[must_use]
    pub fn found(
        map: &IndexingMap,
        other: &IndexingMap,
        proposed: &[Instance],
        rules: &RuleSet,
        fuel: &Fuel,
    ) -> Option<BothWays> {
        let hold = |from: &IndexingMap, mode| -> Vec<Instance> {
            let mut replay = Replay::new(fuel, mode);
            if replay.assume(from.domain()).is_err() {
                return Vec::new();
            }
            let mut holding = Vec::new();
            for step in proposed {
                if replay.step(rules, step, false).is_ok() {
                    holding.push(step.clone());
                }
            }
            holding
        };
        let all = |mode| {
            let (there, back) = (hold(map, mode), hold(other, mode));
            let found = BothWays { map: map.clone(), there, back };
            let is_shown = found.replay_by(other, rules, fuel, mode).is_ok();
            is_shown.then_some((found, mode))
        };
        let (mut found, mode) = all(Mode::Plain).or_else(|| all(Mode::Full))?;
        let count = found.there.len() + found.back.len();
        if count > super::MAX_IRREDUNDANT {
            return Some(found);
        }
        for place in (0..count).rev() {
            let mut shorter = found.clone();
            match place.checked_sub(found.there.len()) {
                Some(place) => shorter.back.remove(place),
                None => shorter.there.remove(place),
            };
            if shorter.replay_by(other, rules, fuel, mode).is_ok() {
                found = shorter;
            }
        }
        Some(found)
    }
}

fn domain(message: &str) -> Rejection {
    Reason(RejectionKind::Domain, message.to_owned()).without_step()
}

impl<'c> Replay<'c> {
    /// Starts from all facts of a domain.
    fn assume(&mut self, domain: &'c Domain) -> Result<(), Reason> {
        self.reads_both_ways = true;
        self.open_box(domain)?;
        self.admit_constraints(domain)?;
        for _ in 0..ROUNDS {
            self.narrow_by_lone_facts()?;
        }
        match self.facts.is_plain {
            true => Ok(()),
            false => self.narrow_by_facts(),
        }
    }

    /// Moves facts about one variable into the box.
    fn narrow_by_lone_facts(&mut self) -> Result<(), Reason> {
        for fact in self.facts.constraints.clone() {
            let mut used = Steps::new();
            let reduced = self.known.reduce(&self.values, &fact, &mut used);
            let lone = reduced.and_then(|reduced| self.lone(&reduced.sum));
            if let Some((id, half_line)) = lone {
                self.bound(id, half_line)?;
            }
        }
        Ok(())
    }

    /// Adds one side of an equivalence if the other side follows.
    pub(super) fn learn_either(
        &mut self,
        sides: [&[Condition]; 2],
        bindings: &Bindings,
    ) -> Result<(), Reason> {
        let mut stated = |conditions: &[Condition]| -> Result<Vec<Sum>, Reason> {
            let mut sums = Vec::new();
            for condition in conditions {
                sums.extend(self.comparison(condition, bindings)?);
            }
            Ok(sums)
        };
        let [lhs, rhs] = [stated(sides[0])?, stated(sides[1])?];
        let mut used = Steps::new();
        let mut follow = |sums: &[Sum]| sums.iter().all(|sum| self.is_natural(sum, &mut used));
        let learnt = if follow(&lhs) {
            rhs
        } else if follow(&rhs) {
            lhs
        } else {
            let message = "neither side of the equivalence follows".to_owned();
            return Err(Reason(RejectionKind::Bound, message));
        };
        self.facts.constraints.extend(learnt);
        self.facts.forget();
        self.narrow_by_lone_facts()
    }

    /// Checks that each bound of a domain follows.
    fn lies_in(&mut self, domain: &'c Domain) -> Result<(), Reason> {
        self.narrow_by_lone_facts()?;
        let mut goals = Vec::new();
        for (index, variable) in (0u32..).zip(domain.variables()) {
            goals.push((self.values.variable(VariableId(index)), variable.bounds));
        }
        for constraint in domain.constraints() {
            goals.push((self.expr(&constraint.expr)?, constraint.bounds));
        }
        let mut used = Steps::new();
        for (sum, bounds) in goals {
            for goal in half_spaces(&sum, bounds).ok_or_else(Reason::overflow)? {
                if !self.is_natural(&goal, &mut used) {
                    let message = "the steps do not show a bound of the other domain".to_owned();
                    return Err(Reason(RejectionKind::Domain, message));
                }
            }
        }
        Ok(())
    }
}
