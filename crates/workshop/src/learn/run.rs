//! A run of discovery: the rules so far, and the batches in which candidates are judged.

use super::dress::{Fires, dressed};
use super::instance::instances;
use super::learned::Learned;
use super::settings::Settings;
use super::state::{Kept, Saved, State};
use super::weaken::weakened;
use affinor::expr::IndexingMap;
use affinor::num::parallel::all_in_parallel;
use affinor::num::{Fuel, Interrupt};
use affinor::prove::Budget;
use affinor::rule::verify::soon_found;
use affinor::rule::{Rule, RuleSet};
use affinor::simplify::{Options, Simplifier};
use affinor::text::Error;

/// Number of candidates that are judged against the same rules.
const BATCH: usize = 64;

/// Number of instances at which a candidate is compared with the effect of the rules so far.
const INSTANCES: usize = 3;

/// Maximum number of open candidates that are listed.
const MAX_OPEN: usize = 100;

/// Steps of fuel to judge one candidate.
const JUDGING: u64 = 90_000;

/// The size of an expression's simplified form, and the cost of simplifying it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Size {
    /// Operations.
    pub operations: u64,
    /// Steps of the search.
    pub steps: u64,
}

/// The state of a discovery run.
pub(super) struct Run<'r> {
    pub cases: &'r [IndexingMap],
    pub given: RuleSet,
    pub simplifier: Simplifier,
    pub settings: &'r Settings<'r>,
    pub state: State,
    pub kept: Vec<Kept>,
}

/// The fate of a candidate.
pub(super) enum Judged {
    /// The item yields no candidate.
    Nothing,
    Derivable,
    Refuted,
    /// The candidate is neither proved nor refuted.
    Open(String),
    Proved(Box<Learned>),
    /// A definition: it makes no term shorter, but brings different terms to a common form.
    Defining(Box<Learned>),
}

impl Run<'_> {
    /// Builds the simplifier with the given rules and the first `found` discovered ones. It searches as far without any
    /// discovered rule, so that any difference is due to these rules.
    pub fn with(&self, found: usize) -> Result<Simplifier, Error> {
        let mut rules = self.given.clone();
        rules.extend(self.kept[..found].iter().map(|kept| kept.rule.clone()).collect())?;
        Ok(Simplifier::new(rules)?.widened())
    }

    /// Simplifies each case and returns its size.
    pub fn sizes(&self) -> Vec<Size> {
        let options = options(self.settings.budget);
        let size = |map: &IndexingMap| {
            let outcome = self.simplifier.simplify(map, &options);
            Size { operations: outcome.map.cost().ops, steps: outcome.firings.steps }
        };
        all_in_parallel(self.settings.threads, self.cases.iter().collect(), &size)
    }

    /// Judges the remaining items of a phase in batches, and keeps new rules. `finding` is the number of steps that producing the
    /// items took.
    pub fn batches<T: Send>(
        &mut self,
        (items, finding): (Vec<T>, u64),
        judge: &(impl Fn(T, &Simplifier, &Budget, &Fuel) -> Judged + Sync),
        save: &mut dyn FnMut(&State),
    ) -> Result<(), Error> {
        let Settings { threads, budget, fuel, .. } = *self.settings;
        let all = items.len();
        let mut items = items.into_iter().skip(self.state.done);
        // An earlier run has already paid for it with its first batch.
        let mut finding = if self.state.done == 0 { finding } else { 0 };
        self.simplifier = self.with(self.kept.len())?;
        loop {
            fuel.note_rounds(self.state.done, all);
            let batch: Vec<T> = items.by_ref().take(BATCH).collect();
            let length = batch.len();
            if length == 0 {
                break;
            }
            let simplifier = self.simplifier.clone();
            let answer = |item: T| {
                let own = fuel.share(JUDGING);
                let start = own.left();
                let judged = judge(item, &simplifier, budget, &own);
                (judged, start - own.left())
            };
            let answers = all_in_parallel(threads, batch, &answer);
            let steps = finding + answers.iter().map(|(_, steps)| steps).sum::<u64>();
            finding = 0;
            // A batch counts as a whole or not at all, so that a longer run can resume after it.
            if fuel.spend(steps).is_err() {
                break;
            }
            let before = (self.state.clone(), self.kept.len());
            for (judged, _) in answers {
                self.state.counts.candidates += usize::from(!matches!(judged, Judged::Nothing));
                match judged {
                    Judged::Nothing => {}
                    Judged::Derivable => self.state.counts.derivable += 1,
                    Judged::Refuted => self.state.counts.refuted += 1,
                    Judged::Open(text) => {
                        self.state.counts.open += 1;
                        if self.state.open.len() < MAX_OPEN {
                            self.state.open.push(text);
                        }
                    }
                    Judged::Proved(learned) => self.take(&learned, false)?,
                    Judged::Defining(learned) => self.take(&learned, true)?,
                }
            }
            // Results of comparisons after an interruption are meaningless.
            let interrupt = budget.interrupt.as_ref();
            if interrupt.is_some_and(Interrupt::is_triggered) {
                self.state = before.0;
                self.kept.truncate(before.1);
                break;
            }
            self.state.spent += steps;
            self.state.done += length;
            save(&self.state);
        }
        fuel.note_rounds(0, 0);
        Ok(())
    }

    /// Keeps a proved rule, unless the rules so far already have its effect, or it does not fire.
    fn take(&mut self, learned: &Learned, defines: bool) -> Result<(), Error> {
        let budget = self.settings.budget;
        let mut learned = learned.clone();
        if defines {
            // An earlier rule of the same batch may be identical.
            if self.simplifier.rules().saying(&said(&learned.rule))?.is_some() {
                self.state.counts.derivable += 1;
                return Ok(());
            }
        } else {
            // The example is the first instance that the rules so far do not simplify as far.
            let others = instances(&learned.rule, INSTANCES).into_iter();
            let news = std::iter::once(learned.parts.clone())
                .chain(others)
                .find(|example| !derives(&self.simplifier, std::slice::from_ref(example), budget));
            let Some(news) = news else {
                self.state.counts.derivable += 1;
                return Ok(());
            };
            learned.parts = news;
        }
        let learned = &learned;
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
    Options { interrupt: budget.interrupt.clone().unwrap_or_default(), ..Options::default() }
}

/// Returns whether a simplifier makes the left side of each instance as small as the right side.
fn derives(simplifier: &Simplifier, instances: &[[IndexingMap; 2]], budget: &Budget) -> bool {
    instances.iter().all(|[left, right]| {
        let reached = simplifier.simplify(left, &options(budget)).map.cost();
        reached <= right.cost()
    })
}

pub(super) fn judged(rule: Rule, simplifier: &Simplifier, budget: &Budget, fuel: &Fuel) -> Judged {
    let _ = fuel.spend(20);
    // A rule without instances has no effect: both sides are the same sum.
    if derives(simplifier, &instances(&rule, INSTANCES), budget) {
        return Judged::Derivable;
    }
    if soon_found(&rule).is_some() {
        return Judged::Refuted;
    }
    match proved(&rule, budget, fuel) {
        Some(learned) => Judged::Proved(Box::new(learned)),
        None => Judged::Open(said(&rule)),
    }
}

/// Prints a rule without its name.
fn said(rule: &Rule) -> String {
    let conditions = rule.write_conditions();
    match conditions.is_empty() {
        true => rule.write_statement(),
        false => format!("{} where {conditions}", rule.write_statement()),
    }
}

pub(super) fn define(rule: Rule, simplifier: &Simplifier, budget: &Budget, fuel: &Fuel) -> Judged {
    match simplifier.rules().saying(&said(&rule)) {
        Ok(None) => {}
        _ => return Judged::Derivable,
    }
    match proved(&rule, budget, fuel) {
        Some(learned) => Judged::Defining(Box::new(learned)),
        None => Judged::Open(said(&rule)),
    }
}

/// Weakens and proves a rule; returns it with an instance.
fn proved(rule: &Rule, budget: &Budget, fuel: &Fuel) -> Option<Learned> {
    let rule = weakened(rule, budget, fuel)?;
    let parts = instances(&rule, 1).into_iter().next()?;
    Some(Learned { rule, parts })
}
