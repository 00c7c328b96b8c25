//! Discovers rules: by enumeration, and from what is left of the expressions of corpora.
//!
//! Enumeration (`suggested`) suggests rules, shorter ones first. What the rules so far do already, seen at instances, is no
//! news; the others lose the conditions that they do not need and are proved (`weaken`), and written so that they fire
//! (`dress`). Then the expressions of the corpora are looked at (`improve`). In the end the rules stay without which an
//! expression of the corpora is larger (`needed`).
//!
//! Deterministic, whatever the number of threads, and whether it was interrupted or not: candidates are judged in batches of
//! a fixed size against the rules before the batch, and all work is bounded by fuel.

use super::assume::Letters;
use super::dress::{Fires, dressed};
use super::improve;
use super::instance::instances;
use super::learned::Learned;
use super::needed::needed;
use super::state::{Counts, Kept, Saved, State};
use super::suggested::{candidates, definitions};
use super::weaken::weakened;
use crate::expr::IndexingMap;
use crate::num::Fuel;
use crate::parallel::{Order, in_parallel};
use crate::prove::Budget;
use crate::rule::verify::soon_found;
use crate::rule::{Rule, RuleSet};
use crate::simplify::{Options, Simplifier};
use crate::text::Error;

/// Candidates that are judged against the same rules.
const BATCH: usize = 64;

/// Instances at which a candidate is compared with what the rules so far do.
const INSTANCES: usize = 3;

/// Steps of fuel to judge one candidate.
const JUDGING: u64 = 60_000;

/// What terms are made of.
const LETTERS: Letters = Letters {
    constants: 2,
    expressions: 2,
};

/// What a run may do.
#[derive(Clone, Debug)]
pub struct Settings<'s> {
    /// Operations of the longest left side that is enumerated.
    pub size: usize,
    /// Rounds over the corpora.
    pub rounds: usize,
    /// Threads.
    pub threads: usize,
    /// Begins the pseudorandom points at which terms are told apart.
    pub seed: u64,
    /// Bounds of a proof.
    pub budget: &'s Budget,
    /// Bounds of the whole.
    pub fuel: &'s Fuel,
}

/// What a run found.
#[derive(Clone, Debug, Default)]
pub struct Discovery {
    /// The rules that were kept, those that save most operations for their cost first.
    pub kept: Vec<Kept>,
    /// What became of the others.
    pub counts: Counts,
    /// Each expression before and after.
    pub sizes: Vec<[Size; 2]>,
    /// Whether the fuel ended the run.
    pub stopped: bool,
}

/// What an expression was made to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Size {
    /// Operations.
    pub operations: u64,
    /// Steps of the search.
    pub steps: u64,
}

/// A run.
pub(super) struct Run<'r> {
    pub cases: &'r [IndexingMap],
    pub given: RuleSet,
    pub simplifier: Simplifier,
    pub settings: &'r Settings<'r>,
    pub state: State,
    pub kept: Vec<Kept>,
}

/// What became of a candidate.
pub(super) enum Judged {
    Derivable,
    Refuted,
    Open,
    Proved(Box<Learned>),
    /// A definition: it makes no term shorter, but lets others meet.
    Defining(Box<Learned>),
}

/// Discovers rules beyond those of a set. Goes on from `state`, and passes the new one to `save` after each batch.
///
/// # Errors
/// If the rules do not make a simplifier, or those of the state are not proved.
pub fn discover(
    cases: &[IndexingMap],
    rules: RuleSet,
    settings: &Settings<'_>,
    state: State,
    save: &mut dyn FnMut(&State),
) -> Result<Discovery, Error> {
    let kept = state.kept.iter().map(|saved| saved.read(settings.budget));
    let mut run = Run {
        cases,
        simplifier: Simplifier::new(rules.clone())?,
        kept: kept.collect::<Result<_, _>>()?,
        given: rules,
        settings,
        state,
    };
    let _ = settings.fuel.spend(run.state.spent);
    let before = run.sizes();
    let improving = if cases.is_empty() { 0 } else { settings.rounds };
    for phase in run.state.phase..1 + settings.size + improving {
        if run.state.starts.len() == phase {
            run.state.starts.push(run.kept.len());
        }
        run.simplifier = run.with(run.state.starts[phase])?;
        match phase {
            0 => run.batches(definitions(LETTERS, settings), &define, save)?,
            size if size <= settings.size => {
                let all = candidates(LETTERS, size, settings);
                run.batches(all, &judged, save)?;
            }
            _ => {
                let parts = improve::parts_of_all(&run)?;
                run.batches(parts, &improve::judged, save)?;
            }
        }
        if settings.fuel.check().is_err()
            || phase > settings.size && run.kept.len() == run.state.starts[phase]
        {
            break;
        }
        run.state.phase = phase + 1;
        run.state.done = 0;
    }
    let mut found = Discovery {
        counts: run.state.counts,
        stopped: settings.fuel.check().is_err(),
        ..Discovery::default()
    };
    run.simplifier = run.with(run.kept.len())?;
    if !cases.is_empty() {
        let all = run.kept.len();
        needed(&mut run)?;
        found.counts.needless = all - run.kept.len();
    }
    let after = run.sizes();
    found.sizes = before.into_iter().zip(after).map(|(x, y)| [x, y]).collect();
    found.kept = run.kept;
    Ok(found)
}

impl Run<'_> {
    /// The simplifier with the given rules and the first of those that were found.
    pub fn with(&self, found: usize) -> Result<Simplifier, Error> {
        let mut rules = self.given.clone();
        rules.extend(
            self.kept[..found]
                .iter()
                .map(|kept| kept.rule.clone())
                .collect(),
        )?;
        Simplifier::new(rules)
    }

    /// What each case is made to.
    pub fn sizes(&self) -> Vec<Size> {
        let options = options(self.settings.budget);
        let size = |(): &mut (), map: &IndexingMap| {
            let outcome = self.simplifier.simplify(map, &options);
            Size {
                operations: outcome.map.cost().ops,
                steps: outcome.firings.steps,
            }
        };
        let mut sizes = Vec::with_capacity(self.cases.len());
        let mut take = |size| {
            sizes.push(size);
            Ok::<(), ()>(())
        };
        let order = (self.settings.threads, Order::OfTasks);
        let cases = self.cases.iter().collect();
        let _ = in_parallel(order, cases, &|| (), &size, &mut take);
        sizes
    }

    /// Judges the items of a phase that are not done, in batches, and keeps what is news.
    fn batches<T: Send>(
        &mut self,
        items: Vec<T>,
        judge: &(impl Fn(T, &Simplifier, &Budget, &Fuel) -> Judged + Sync),
        save: &mut dyn FnMut(&State),
    ) -> Result<(), Error> {
        let Settings {
            threads,
            budget,
            fuel,
            ..
        } = *self.settings;
        let all = items.len();
        let mut items = items.into_iter().skip(self.state.done);
        self.simplifier = self.with(self.kept.len())?;
        loop {
            fuel.note_rounds(self.state.done, all);
            let batch: Vec<T> = items.by_ref().take(BATCH).collect();
            let length = batch.len();
            if length == 0 {
                break;
            }
            let simplifier = self.simplifier.clone();
            let answer = |(): &mut (), item: T| {
                let own = fuel.share(JUDGING);
                let start = own.left();
                let judged = judge(item, &simplifier, budget, &own);
                (judged, start - own.left())
            };
            let mut answers = Vec::with_capacity(length);
            let mut take = |answer| {
                answers.push(answer);
                Ok::<(), ()>(())
            };
            let order = (threads, Order::OfTasks);
            let _ = in_parallel(order, batch, &|| (), &answer, &mut take);
            let steps = answers.iter().map(|(_, steps)| steps).sum();
            // A batch counts as a whole or not at all, so that a longer run goes on from it.
            if fuel.spend(steps).is_err() {
                break;
            }
            for (judged, _) in answers {
                self.state.counts.candidates += 1;
                match judged {
                    Judged::Derivable => self.state.counts.derivable += 1,
                    Judged::Refuted => self.state.counts.refuted += 1,
                    Judged::Open => self.state.counts.open += 1,
                    Judged::Proved(learned) => self.take(&learned, false)?,
                    Judged::Defining(learned) => self.take(&learned, true)?,
                }
            }
            self.state.spent += steps;
            self.state.done += length;
            save(&self.state);
        }
        fuel.note_rounds(0, 0);
        Ok(())
    }

    /// Keeps a proved rule, unless the rules so far do what it does, or it does not fire.
    fn take(&mut self, learned: &Learned, defines: bool) -> Result<(), Error> {
        let budget = self.settings.budget;
        if !defines
            && derives(
                &self.simplifier,
                &instances(&learned.rule, INSTANCES),
                budget,
            )
        {
            self.state.counts.derivable += 1;
            return Ok(());
        }
        let name = format!("found-{}", self.kept.len() + 1);
        let dressed = dressed(learned, &name, self.simplifier.rules(), budget);
        let fires = |fires: &Fires| defines || matches!(fires, Fires::Alone | Fires::Among);
        let Some(dressed) = dressed.ok().filter(|dressed| fires(&dressed.fires)) else {
            self.state.counts.silent += 1;
            return Ok(());
        };
        let kept = Kept {
            rule: dressed.rule,
            text: dressed.text,
            example: learned.parts.clone(),
            cases: Vec::new(),
            saves: 0,
            costs: 0,
        };
        self.state.kept.push(Saved::of(&kept));
        self.kept.push(kept);
        self.simplifier = self.with(self.kept.len())?;
        Ok(())
    }
}

pub(super) fn options(budget: &Budget) -> Options {
    Options {
        interrupt: budget.interrupt.clone().unwrap_or_default(),
        ..Options::default()
    }
}

/// Whether a simplifier makes the left side of each instance as small as the right side.
fn derives(simplifier: &Simplifier, instances: &[[IndexingMap; 2]], budget: &Budget) -> bool {
    instances.iter().all(|[left, right]| {
        let reached = simplifier.simplify(left, &options(budget)).map.cost();
        reached <= right.cost()
    })
}

fn judged(rule: Rule, simplifier: &Simplifier, budget: &Budget, fuel: &Fuel) -> Judged {
    let _ = fuel.spend(20);
    // Without an instance there is nothing to do: both sides are one sum.
    if derives(simplifier, &instances(&rule, INSTANCES), budget) {
        return Judged::Derivable;
    }
    if soon_found(&rule).is_some() {
        return Judged::Refuted;
    }
    proved(&rule, budget, fuel).map_or(Judged::Open, |learned| Judged::Proved(Box::new(learned)))
}

fn define(rule: Rule, simplifier: &Simplifier, budget: &Budget, fuel: &Fuel) -> Judged {
    let text = format!(
        "{}\n  where {}",
        rule.write_statement(),
        rule.write_conditions()
    );
    match simplifier.rules().saying(&text) {
        Ok(None) => {}
        _ => return Judged::Derivable,
    }
    proved(&rule, budget, fuel).map_or(Judged::Open, |learned| Judged::Defining(Box::new(learned)))
}

/// The rule with the conditions that it needs, and an instance.
fn proved(rule: &Rule, budget: &Budget, fuel: &Fuel) -> Option<Learned> {
    let rule = weakened(rule, budget, fuel)?;
    let parts = instances(&rule, 1).into_iter().next()?;
    Some(Learned { rule, parts })
}
