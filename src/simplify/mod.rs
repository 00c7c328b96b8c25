//! The simplifier: an index map goes in, a map that is equal to it on its domain comes out, as
//! small as the rules and the budget allow.
//!
//! A *strategy* fires the rules that usually win: the import cancels, the division rules normalise, the
//! search proposes forms. Then an e-graph is seeded with what it found, and the rules fire in it
//! ([`crate::simplify::saturate`]). Passes are repeated until none changes the result.
//!
//! Laws, tested on random maps: the result has the same value at every point of the domain, and
//! the same domain; simplifying a result again changes nothing, unless a bound stopped the search;
//! nothing depends on ids, hashes, time or on what was simplified before.
//!
//! Not done here: proofs of rules and of results (`prove`), and anything that needs a solver.

mod certify;
mod constraint;
mod digits;
mod divide;
mod domains;
mod egraph;
mod engine;
mod import;
mod journal;
mod lattice;
mod lattice_facts;
mod lattice_sums;
#[cfg(test)]
mod laws;
mod linear;
mod polish;
mod program;
mod propose;
mod question;
mod replace;
pub mod saturate;
mod search;
mod store;
mod tally;
mod terms;

pub use certify::Certified;
pub use egraph::EGraph;
pub use program::Program;
pub use tally::Tally;

use crate::certificate::Instance;
use crate::expr::{Domain, Expr, ExprKind, IndexingMap, VariableId, shared_cost};
use crate::num::{Fuel, Interrupt, Interval};
use crate::rule::{Firings, RuleSet};
use crate::simplify::saturate::Form;
use crate::text::Error;
use engine::{Engine, TERMS_PER_STEP};
use import::Importer;
use search::Depth;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::sync::Arc;

/// How much work a simplification may do, in units that do not depend on the machine.
#[derive(Clone, Debug)]
pub struct Budget {
    /// Steps that may be taken for each result, and twice as many for each constraint, which is looked at again
    /// after others have changed. A step is a rule instance proposed, a quotient of four terms normalised, or as
    /// much other work as that: nothing that the input can make longer is free.
    pub steps: u64,
    /// Ends the work from another thread; what was found until then is the result.
    pub interrupt: Interrupt,
    /// What is done beside the strategy.
    pub effort: Effort,
}

/// How much is done for a small result.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Effort {
    /// The strategy alone: the rules that usually win, each where it usually does.
    Strategy,
    /// Then a bounded saturation, where something smaller is likely to exist.
    #[default]
    Bounded,
    /// Then a long one, wherever something smaller may exist.
    Long,
    /// Saturation of what is given, without the strategy: to measure what each of the two brings.
    SaturationAlone,
}

impl Budget {
    /// The fuel for so many results or constraints; without any there is still enough to find that out.
    fn fuel(&self, count: usize) -> Fuel {
        let terms = self.steps.saturating_mul(TERMS_PER_STEP as u64);
        Fuel::new(terms.saturating_mul(count.max(1) as u64), &self.interrupt)
    }
}

impl Default for Budget {
    fn default() -> Budget {
        Budget {
            steps: 600,
            interrupt: Interrupt::new(),
            effort: Effort::default(),
        }
    }
}

/// Most operations of an expression that is walked as a tree: shared parts can make trees very large.
const FEW_OPERATIONS: u64 = 1_000;

/// How often a constraint is mostly looked at until the domain stays as it is.
const ROUNDS: usize = 2;

/// Most times that a result is simplified again until it stays as it is.
const MAX_PASSES: usize = 9;

/// What came of a simplification.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Equal to the given map.
    pub map: IndexingMap,
    /// The bound that cut the search short, if one did; the map is right all the same.
    pub stopped: Option<String>,
    /// How often each rule was used on the way.
    pub firings: Firings,
}

impl Serialize for Outcome {
    /// `result` (a map), its `ops` and `divmods`, `shared_ops` (with common parts counted once), `complete`, and
    /// `stopped_at` if it is not.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let cost = self.map.cost();
        let mut written = serializer.serialize_map(None)?;
        written.serialize_entry("result", &self.map)?;
        written.serialize_entry("ops", &cost.ops)?;
        written.serialize_entry("divmods", &cost.divmods)?;
        written.serialize_entry("shared_ops", &shared_cost(self.map.results()).ops)?;
        written.serialize_entry("complete", &self.stopped.is_none())?;
        if let Some(stopped) = &self.stopped {
            written.serialize_entry("stopped_at", stopped)?;
        }
        written.end()
    }
}

/// A compiled rule set; cheap to clone, shared between threads.
#[derive(Clone, Debug)]
pub struct Simplifier {
    program: Arc<Program>,
    /// Where firings are added up.
    tally: Option<Arc<Tally>>,
}

impl Simplifier {
    /// A simplifier for a rule set.
    ///
    /// # Errors
    /// If a rule that normalises quotients cannot be matched, or does not decrease the termination measure.
    pub fn new(rules: RuleSet) -> Result<Simplifier, Error> {
        Ok(Simplifier {
            program: Arc::new(Program::compile(rules)?),
            tally: None,
        })
    }

    /// The same simplifier, in which the rules called `names` do not fire: what would be lost without them?
    ///
    /// # Errors
    /// If there is no such rule.
    pub fn without(&self, names: &[&str]) -> Result<Simplifier, Error> {
        let program = Program::clone(&self.program).without(names)?;
        Ok(Simplifier {
            program: Arc::new(program),
            tally: self.tally.clone(),
        })
    }

    /// The same simplifier, which adds its firings up in `tally`.
    #[must_use]
    pub fn counting(&self, tally: &Arc<Tally>) -> Simplifier {
        Simplifier {
            program: self.program.clone(),
            tally: Some(tally.clone()),
        }
    }

    /// The names of the rules that are fired, in the order of their files.
    pub fn fired(&self) -> impl Iterator<Item = &str> {
        let numbered = (0u16..).zip(self.rules().rules());
        numbered
            .filter(|(id, _)| self.program.fires(crate::rule::RuleId(*id)))
            .map(|(_, rule)| rule.name.as_str())
    }

    /// The rules.
    #[must_use]
    pub fn rules(&self) -> &RuleSet {
        self.program.rules()
    }

    /// Simplifies a map. The variable list stays; bounds may become tighter.
    #[must_use]
    pub fn simplify(&self, map: &IndexingMap, budget: &Budget) -> Outcome {
        self.run(map, budget, &mut None)
    }

    /// Simplifies, and adds the rule instances to `instances` if they are wanted.
    fn run(
        &self,
        map: &IndexingMap,
        budget: &Budget,
        instances: &mut Option<Instances>,
    ) -> Outcome {
        let simplified = domains::simplify_domain(
            &self.program,
            map.domain(),
            &budget.fuel(map.domain().constraints().len() * ROUNDS),
            instances.as_mut().map(|instances| &mut instances.of_domain),
        );
        let (domain, mut stopped) = (simplified.domain, simplified.stopped);
        let mut firings = simplified.firings;
        if domain.is_known_empty() {
            let map = IndexingMap::new(domain, map.results().to_vec());
            return self.outcome(map, stopped, firings);
        }
        let mut results = map.results().to_vec();
        let fuel = budget.fuel(results.len());
        let mut reach = Depth::SHALLOW;
        for pass in 1.. {
            let depth = (reach, pass == 1);
            let done = self.pass(&domain, &results, (budget, &fuel, depth), instances);
            stopped = stopped.or(done.stopped);
            firings.add(&done.firings);
            let is_unchanged = done.results == results;
            results = done.results;
            // What no pass changes is what comes of simplifying the result again.
            let is_last = is_unchanged && (reach.is_last || !done.is_cut);
            if is_last || done.simplest || stopped.is_some() {
                break;
            }
            reach = match is_unchanged {
                true => Depth::FULL,
                false => Depth::SHALLOW,
            };
            if pass == MAX_PASSES {
                stopped = Some("passes over the results");
                break;
            }
        }
        self.outcome(IndexingMap::new(domain, results), stopped, firings)
    }

    fn outcome(
        &self,
        map: IndexingMap,
        stopped: Option<&'static str>,
        firings: Firings,
    ) -> Outcome {
        if let Some(tally) = &self.tally {
            tally.add(self.rules(), &firings);
        }
        Outcome {
            map,
            stopped: stopped.map(str::to_owned),
            firings,
        }
    }

    /// One pass of the strategy over all results.
    fn pass(
        &self,
        domain: &Domain,
        results: &[Expr],
        (budget, fuel, (reach, is_first)): (&Budget, &Fuel, (Depth, bool)),
        instances: &mut Option<Instances>,
    ) -> Pass {
        let mut engine = Engine::new(&self.program, &bounds_of(domain), fuel);
        engine.reach = reach;
        engine.is_first = is_first;
        engine.journal = instances.is_some().then(Vec::new);
        let mut importer = Importer::default();
        domains::assume_constraints(&mut engine, &mut importer, domain);
        let results: Vec<Expr> = results
            .iter()
            .map(|given| engine.simplify_result(&mut importer, given, domain, budget))
            .collect();
        let stopped = engine.stopped();
        if let Some(instances) = instances {
            engine.write_journal(&mut instances.of_results);
        }
        Pass {
            firings: engine.firings,
            simplest: results.iter().all(is_simplest),
            is_cut: engine.is_cut,
            results,
            stopped,
        }
    }
}

fn bounds_of(domain: &Domain) -> Vec<Interval> {
    let variables = domain.variables().iter();
    variables.map(|variable| variable.bounds).collect()
}

/// Every rule instance that was used, in order.
#[derive(Default)]
struct Instances {
    of_domain: Vec<Instance>,
    of_results: Vec<Instance>,
}

/// What a pass over the results gave.
struct Pass {
    firings: Firings,
    results: Vec<Expr>,
    /// Nothing is left that could be smaller.
    simplest: bool,
    /// Did the depth of the search keep it from anything?
    is_cut: bool,
    stopped: Option<&'static str>,
}

/// Is an expression as small as its value can be written? So is a sum of variables, and a form with
/// floordiv or mod that mentions each variable once and has no constant or factor beside them.
fn is_simplest(expr: &Expr) -> bool {
    let cost = expr.cost();
    let few = |ops: u64| ops <= FEW_OPERATIONS && ops <= variables_of(expr).len() as u64;
    (cost.divmods == 0 || few(cost.ops)) && !has_lattice(expr)
}

fn has_lattice(expr: &Expr) -> bool {
    matches!(expr.kind(), ExprKind::Min(_) | ExprKind::Max(_)) || expr.operands().any(has_lattice)
}

fn variables_of(expr: &Expr) -> BTreeSet<VariableId> {
    match expr.kind() {
        ExprKind::Variable(id) => BTreeSet::from([*id]),
        _ => expr.operands().flat_map(variables_of).collect(),
    }
}

impl Engine<'_> {
    /// One result in the smallest form that was found; as given if it cannot be held.
    fn simplify_result(
        &mut self,
        importer: &mut Importer,
        given: &Expr,
        domain: &Domain,
        budget: &Budget,
    ) -> Expr {
        let found = match budget.effort {
            Effort::SaturationAlone => None,
            _ => {
                let sum = importer.import(self, given);
                let form = sum.and_then(|sum| self.sum_form(&sum, 0));
                if form.is_none() {
                    self.stop("a coefficient beyond 64 bits");
                    return given.clone();
                }
                form
            }
        };
        let best = match &found {
            Some(form) => smaller_of(given, form),
            None => given.clone(),
        };
        if budget.effort == Effort::Strategy || is_simplest(&best) {
            return best;
        }
        let before = (found.as_ref(), &best);
        match self.polished(importer, given, before, (domain, budget)) {
            Some(form) => smaller_of(&best, &form),
            None => best,
        }
    }
}

/// The smaller of what was given and what was found, in a total order, so that passes come to an end:
/// cost, then the size of the integers, then structure.
fn smaller_of(given: &Expr, found: &Form) -> Expr {
    let is_smaller = |expr: &Expr| {
        let size = |expr: &Expr| match expr.cost().ops {
            0..=FEW_OPERATIONS => magnitude(expr),
            _ => 0,
        };
        let order = expr.cost().cmp(&given.cost());
        let order = order.then_with(|| size(expr).cmp(&size(given)));
        order.then_with(|| expr.cmp(given)) == Ordering::Less
    };
    let found = found.to_expr().ok().filter(is_smaller);
    found.unwrap_or_else(|| given.clone())
}

/// The integers in an expression, their signs aside, added up.
fn magnitude(expr: &Expr) -> u64 {
    let own = match expr.kind() {
        ExprKind::Constant(value) => value.unsigned_abs(),
        ExprKind::Sum(sum) => sum
            .terms()
            .iter()
            .map(|(factor, _)| factor.unsigned_abs())
            .fold(sum.constant().unsigned_abs(), u64::saturating_add),
        ExprKind::FloorDiv(_, c) | ExprKind::CeilDiv(_, c) | ExprKind::Mod(_, c) => {
            c.unsigned_abs()
        }
        ExprKind::Variable(_) | ExprKind::Min(_) | ExprKind::Max(_) => 0,
    };
    expr.operands()
        .map(magnitude)
        .fold(own, u64::saturating_add)
}
