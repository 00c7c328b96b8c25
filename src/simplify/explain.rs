//! Which rules led from the given expressions to the results.
//!
//! What a round of simplification knew is kept, and its steps are told when somebody asks. Nothing that is
//! decided depends on that. Steps are listed in the order in which they fired.

use super::Root;
use super::constraint::{Bound, Replacement};
use super::engine::Engine;
use super::explain_paths::Used;
use super::explain_text::Writer;
use super::import::Importer;
use super::record::Firing;
use crate::map::Domain;
use crate::rule::Statement;

/// A rule that was used, as one reads it. All texts use the names of the map.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// Name of the rule.
    pub rule: String,
    /// What the variables of the rule stand for, in the order of the rule.
    pub bindings: Vec<(String, String)>,
    /// The side conditions as they were established, with the ranges used.
    pub facts: Vec<String>,
    /// What was rewritten.
    pub before: String,
    /// What took its place.
    pub after: String,
}

/// What is needed to tell the steps of a simplification. To keep it costs nothing; to tell costs about as
/// much as the simplification.
pub struct Explanation<'s> {
    pub(super) rounds: Vec<Round<'s>>,
}

impl Explanation<'_> {
    /// The rules that lead from the given map to the result, in the order in which they fired.
    #[must_use]
    pub fn steps(self) -> Vec<Step> {
        let mut steps = Vec::new();
        for mut round in self.rounds {
            match round.results {
                None => domain_steps(&mut round.engine, &round.domain, &mut steps),
                Some(results) => {
                    result_steps(&mut round.engine, &round.domain, results, &mut steps);
                }
            }
        }
        steps
    }
}

/// What is kept of a round of domain simplification, or of a pass over the results, that changed something.
pub struct Round<'s> {
    engine: Engine<'s>,
    domain: Domain,
    results: Option<Results>,
}

/// The results of a pass, and how they were read.
struct Results {
    importer: Importer,
    roots: Vec<Root>,
}

impl<'s> Round<'s> {
    /// A round that simplified `domain`.
    pub fn of_domain(engine: Engine<'s>, domain: &Domain) -> Round<'s> {
        Round {
            engine,
            domain: domain.clone(),
            results: None,
        }
    }

    /// A pass over results on `domain`.
    pub fn of_results(
        engine: Engine<'s>,
        importer: Importer,
        domain: &Domain,
        roots: Vec<Root>,
    ) -> Round<'s> {
        Round {
            engine,
            domain: domain.clone(),
            results: Some(Results { importer, roots }),
        }
    }
}

/// The steps of one round of domain simplification.
fn domain_steps(engine: &mut Engine<'_>, domain: &Domain, steps: &mut Vec<Step>) {
    let writer = Writer::of(domain);
    for Replacement {
        rule,
        bindings,
        before,
        after,
    } in engine.replacements.clone()
    {
        let bounds = |engine: &Engine<'_>, list: &[Bound]| {
            let texts: Vec<String> = list
                .iter()
                .map(|bound| writer.bound(&engine.store, bound))
                .collect();
            texts.join(" and ")
        };
        let (before, after) = (bounds(engine, &before), bounds(engine, &after));
        let program = engine.rules;
        let step = writer.step(engine, program.rule(rule), &bindings, before, after);
        if step.before != step.after && steps.last() != Some(&step) {
            steps.push(step);
        }
    }
}

/// The steps that lead to the extracted results of a pass.
fn result_steps(
    engine: &mut Engine<'_>,
    domain: &Domain,
    Results {
        mut importer,
        roots,
    }: Results,
    steps: &mut Vec<Step>,
) {
    // Only now, so that an explanation cannot change what is explained.
    let mut written = Vec::with_capacity(roots.len());
    for root in &roots {
        written.push(importer.written(engine, &root.given));
    }
    engine.make_unions(usize::MAX);
    let mut used = Used::new(engine);
    for (root, written) in roots.iter().zip(written) {
        if let Some(sum) = &root.sum {
            let normal = engine.record.sum(&mut engine.store, sum);
            if let Some(written) = written {
                used.path(engine, written, normal);
            }
            used.extraction(engine, normal, root.form.as_ref());
        }
    }
    let writer = Writer::of(domain);
    for index in used.firings {
        let Firing {
            rule,
            bindings,
            target,
            result,
        } = engine.record.firings[index].clone();
        let program = engine.rules;
        let rule = program.rule(rule);
        let before = writer.target(&engine.store, &target);
        let after = match (&result, &rule.statement) {
            (Some(sum), _) => writer.sum(&engine.store, sum),
            (None, Statement::Rewrite(_, rhs)) => writer.term(engine, rhs, &bindings),
            (None, _) => continue,
        };
        let step = writer.step(engine, rule, &bindings, before, after);
        if step.before != step.after && !steps.contains(&step) {
            steps.push(step);
        }
    }
}
