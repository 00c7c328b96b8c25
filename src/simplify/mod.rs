//! The simplifier: an index map goes in, a map that is equal to it on its domain comes out, as
//! small as the rules and the budget allow.
//!
//! Per map there is one [`egg::EGraph`]. A *strategy* fires the rules that usually win: the import
//! cancels, the division rules normalise, the search proposes forms; every firing is a union with a
//! name. The result is extracted by the cost order of [`crate::expr::Cost`]. Where a floordiv or mod
//! is left, bounded *saturation* fires every division rule on every quotient and extracts again.
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
mod engine;
mod explain;
mod form;
mod import;
mod journal;
mod kernel;
mod lattice;
mod lattice_facts;
mod lattice_sums;
#[cfg(test)]
mod laws;
mod linear;
mod program;
mod propose_lattice;
mod propose_quotient;
mod propose_remainder;
mod propose_sum;
mod record;
mod saturate;
mod search;
mod store;
mod written;

pub use certify::Certified;
pub use explain::Step;
pub use program::Program;

use crate::certificate::Instance;
use crate::error::Error;
use crate::expr::Expr;
use crate::interval::Interval;
use crate::map::{Domain, IndexingMap};
use crate::rule::RuleSet;
use engine::Engine;
use import::Importer;
use std::sync::Arc;

/// How much work a simplification may do, in units that do not depend on the machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Budget {
    /// Rule instances that the search may propose for each result.
    pub proposals: u64,
    /// e-graph nodes up to which saturation goes on; 0 leaves saturation out.
    pub nodes: usize,
    /// Whether firings become unions in the e-graph. Without it the search alone decides the result
    /// and nothing can be explained; this exists to measure what the e-graph costs and brings.
    pub egraph: bool,
}

impl Default for Budget {
    fn default() -> Budget {
        Budget {
            proposals: 10_000,
            nodes: 1_500,
            egraph: true,
        }
    }
}

/// Most times that a result is simplified again until it stays as it is.
const MAX_PASSES: usize = 6;

/// What came of a simplification.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Equal to the given map.
    pub map: IndexingMap,
    /// The rules that lead from the given map to this one, in order; empty unless asked for.
    pub steps: Vec<Step>,
    /// The bound that cut the search short, if one did; the map is right all the same.
    pub stopped: Option<String>,
}

/// A compiled rule set; cheap to clone, shared between threads.
#[derive(Clone, Debug)]
pub struct Simplifier {
    program: Arc<Program>,
}

impl Simplifier {
    /// A simplifier for a rule set.
    ///
    /// # Errors
    /// If the set lacks a rule that the search proposes.
    pub fn new(rules: RuleSet) -> Result<Simplifier, Error> {
        Ok(Simplifier {
            program: Arc::new(Program::compile(rules)?),
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
        })
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
    pub fn simplify(&self, map: &IndexingMap, budget: Budget) -> Outcome {
        self.run(map, budget, &mut Wanted::default())
    }

    /// As [`Simplifier::simplify`], with the steps that lead to the result.
    #[must_use]
    pub fn explain(&self, map: &IndexingMap, budget: Budget) -> Outcome {
        let mut wanted = Wanted {
            steps: Some(Vec::new()),
            ..Wanted::default()
        };
        let mut outcome = self.run(map, budget, &mut wanted);
        outcome.steps = wanted.steps.unwrap_or_default();
        outcome
    }

    fn run(&self, map: &IndexingMap, budget: Budget, wanted: &mut Wanted) -> Outcome {
        let simplified = domains::simplify_domain(
            &self.program,
            map.domain(),
            budget.proposals,
            wanted.instances.is_some(),
            &mut |engine, domain| {
                if let Some(steps) = &mut wanted.steps {
                    explain::domain_steps(engine, domain, steps);
                }
                if let Some(instances) = &mut wanted.instances {
                    engine.write_journal(&mut instances.of_domain);
                }
            },
        );
        let (domain, mut stopped) = (simplified.domain, simplified.stopped);
        if domain.is_known_empty() {
            let map = IndexingMap::new(domain, map.results().to_vec());
            return Outcome {
                map,
                steps: Vec::new(),
                stopped: stopped.map(str::to_owned),
            };
        }
        let mut results = map.results().to_vec();
        let mut fuel = budget.proposals.saturating_mul(results.len() as u64);
        for pass in 1.. {
            let done = self.pass(&domain, &results, (budget, fuel), wanted);
            fuel = done.fuel;
            stopped = stopped.or(done.stopped);
            let settled = done.results == results || done.simplest || stopped.is_some();
            results = done.results;
            if settled {
                break;
            }
            if pass == MAX_PASSES {
                stopped = Some("passes over the results");
                break;
            }
        }
        Outcome {
            map: IndexingMap::new(domain, results),
            steps: Vec::new(),
            stopped: stopped.map(str::to_owned),
        }
    }

    /// One pass over all results in one e-graph.
    fn pass(
        &self,
        domain: &Domain,
        results: &[Expr],
        (budget, fuel): (Budget, u64),
        wanted: &mut Wanted,
    ) -> Pass {
        let bounds: Vec<Interval> = domain
            .variables()
            .iter()
            .map(|variable| variable.bounds)
            .collect();
        let mut engine = Engine::new(&self.program, &bounds, fuel);
        engine.record.unions = budget.egraph;
        engine.journal = wanted.instances.is_some().then(Vec::new);
        let mut importer = Importer::default();
        domains::assume_constraints(&mut engine, &mut importer, domain);
        let mut roots: Vec<Root> = results
            .iter()
            .map(|result| engine.simplify_result(&mut importer, result))
            .collect();
        let extracted = engine.extract(&roots, budget);
        let stopped = engine.stopped;
        if let Some(instances) = &mut wanted.instances {
            engine.write_journal(&mut instances.of_results);
        }
        if let Some(steps) = &mut wanted.steps {
            // Only now, so that an explanation cannot change what is explained.
            for root in &mut roots {
                root.written = importer.written(&mut engine, &root.given);
            }
            engine.record.egraph.rebuild();
            explain::result_steps(&mut engine, domain, &roots, steps);
        }
        Pass {
            simplest: extracted
                .iter()
                .all(|expr| expr.cost().divmods == 0 && !has_lattice(expr)),
            results: extracted,
            stopped,
            fuel: engine.fuel,
        }
    }
}

/// What is wanted beside the result.
#[derive(Default)]
struct Wanted {
    /// The steps, for reading.
    steps: Option<Vec<Step>>,
    /// The rule instances, for a certificate.
    instances: Option<Instances>,
}

/// Every rule instance that was used, in order.
#[derive(Default)]
struct Instances {
    of_domain: Vec<Instance>,
    of_results: Vec<Instance>,
}

/// What a pass over the results gave.
struct Pass {
    results: Vec<Expr>,
    /// Every result is a sum of variables: nothing is left that could be smaller.
    simplest: bool,
    stopped: Option<&'static str>,
    /// Proposals that may still be made.
    fuel: u64,
}

fn has_lattice(expr: &Expr) -> bool {
    use crate::expr::ExprKind;
    matches!(expr.kind(), ExprKind::Min(_) | ExprKind::Max(_)) || expr.operands().any(has_lattice)
}

/// A result on its way.
struct Root {
    /// As given.
    given: Expr,
    /// Its normal form; `None` if a coefficient does not fit into 64 bits.
    sum: Option<linear::Linear>,
    /// The smallest form that the search found.
    form: Option<form::FormRef>,
    /// The e-graph node of the given expression, when steps are wanted.
    written: Option<egg::Id>,
}

impl Engine<'_> {
    /// Normal form and smallest form of one result.
    fn simplify_result(&mut self, importer: &mut Importer, given: &Expr) -> Root {
        let sum = importer.import(self, given);
        let form = sum.as_ref().and_then(|sum| {
            let searched = self.sum_form(sum, 0)?;
            Some(self.as_written(importer, given, searched))
        });
        if form.is_none() {
            self.stop("a coefficient beyond 64 bits");
        }
        Root {
            given: given.clone(),
            sum,
            form,
            written: None,
        }
    }

    /// The results, read out of the e-graph. One that cannot be held stays as given.
    fn extract(&mut self, roots: &[Root], budget: Budget) -> Vec<Expr> {
        let unsettled = roots
            .iter()
            .any(|root| root.form.as_ref().is_some_and(|form| form.divmods > 0));
        let mut forms: Vec<_> = roots.iter().map(|root| root.form.clone()).collect();
        if budget.egraph {
            let classes: Vec<_> = roots
                .iter()
                .map(|root| {
                    root.sum
                        .as_ref()
                        .map(|sum| self.record.sum(&mut self.store, sum))
                })
                .collect();
            if unsettled && budget.nodes > 0 {
                self.saturate(budget.nodes);
            }
            self.record.egraph.rebuild();
            for (form, class) in forms.iter_mut().zip(classes) {
                let smallest = class.and_then(|class| self.record.egraph[class].data.clone());
                if let (Some(form), Some(smallest)) = (form, smallest)
                    && smallest.is_smaller_than(form)
                {
                    *form = smallest;
                }
            }
        }
        let kept = roots.iter().map(|root| root.given.clone());
        let exprs = forms
            .iter()
            .map(|form| form.as_ref().and_then(|form| form.to_expr().ok()));
        exprs
            .zip(kept)
            .map(|(expr, given)| match expr {
                Some(expr) if expr.cost() <= given.cost() => expr,
                _ => given,
            })
            .collect()
    }
}
