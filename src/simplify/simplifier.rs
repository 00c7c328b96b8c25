//! Simplifies a map: its domain, then passes over its results to a fixpoint.

use super::constant::only_value;
use super::domains;
use super::engine::Engine;
use super::import::Importer;
use super::narrow::narrowed;
use super::options::{Effort, Options};
use super::program::Program;
use super::samples::{self, Samples};
use super::single::one_operation;
use super::smaller::is_simplest;
use super::stated_strides::has_strides;
use super::tally::Tally;
use crate::certificate::Instance;
use crate::expr::{Domain, Expr, IndexingMap, shared_cost};
use crate::num::Fuel;
use crate::rule::{Firings, RuleSet};
use crate::text::Error;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use std::sync::Arc;

/// Usual number of visits to a constraint before the domain is stable.
const ROUNDS: usize = 2;

/// Maximum number of searches started, each from the answer of the previous one if a bound cut that short.
const MAX_RUNS: u64 = 2;

/// Maximum number of further searches, alternately with and without the sums whose remainder the domain states.
const MAX_TURNS: usize = 6;

/// Maximum number of constraints that are relearned in each pass: most maps take one pass.
const FEW_CONSTRAINTS: usize = 8;

/// Maximum number of passes over a result.
const MAX_PASSES: usize = 9;

/// The outcome of a simplification.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// A map equal to the given one.
    pub map: IndexingMap,
    /// The limit that cut the search short, if any; the map is right regardless.
    pub stopped: Option<String>,
    /// Usage count of each rule, and the steps that the results took.
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

/// The facts under which results are simplified.
#[derive(Clone, Copy)]
pub(super) struct Under<'a> {
    pub(super) domain: &'a Domain,
    /// Points of the domain.
    pub(super) points: &'a [Vec<i64>],
    /// Whether variables are written in terms of quotients of sums whose remainder the domain states.
    pub(super) is_strided: bool,
}

/// A compiled rule set; cheap to clone, shared between threads.
///
/// ```
/// use affinor::simplify::{Options, Simplifier};
///
/// let map = "(i, j) -> ((i * 20 + j) floordiv 20, (i * 20 + j) mod 20), domain: i in [0, 9], j in [0, 19]".parse()?;
/// let outcome = Simplifier::shipped()?.simplify(&map, &Options::default());
/// assert_eq!(outcome.map.to_string(), "(i, j) -> (i, j), domain: i in [0, 9], j in [0, 19]");
/// assert!(outcome.stopped.is_none()); // no limit cut the search short
/// # Ok::<(), affinor::text::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Simplifier {
    pub(super) program: Arc<Program>,
    /// The tally that counts firings, if any.
    tally: Option<Arc<Tally>>,
}

impl Simplifier {
    /// Compiles a rule set.
    ///
    /// # Errors
    /// If a rule that normalizes quotients cannot be matched, or does not decrease the termination measure.
    pub fn new(rules: RuleSet) -> Result<Simplifier, Error> {
        Program::compile(rules).map(Simplifier::of_program)
    }

    /// Creates a simplifier that fires the rules of a program.
    pub(super) fn of_program(program: Program) -> Simplifier {
        Simplifier { program: Arc::new(program), tally: None }
    }

    /// Disables the rules called `names`, to measure their contribution.
    ///
    /// # Errors
    /// If no rule has one of these names.
    pub fn without(&self, names: &[&str]) -> Result<Simplifier, Error> {
        let program = Program::clone(&self.program).without(names)?;
        Ok(Simplifier { program: Arc::new(program), tally: self.tally.clone() })
    }

    /// Disables the rules that discovery found: they gather terms with different periods under one remainder.
    ///
    /// # Errors
    /// None: the rules were compiled before.
    pub fn without_found(&self) -> Result<Simplifier, Error> {
        Ok(Simplifier { program: self.program.without_found()?, tally: self.tally.clone() })
    }

    /// Makes the simplifier search as far as with session rules, as a baseline for such rules.
    #[must_use]
    pub fn widened(&self) -> Simplifier {
        Simplifier {
            program: Arc::new(Program::clone(&self.program).widened()),
            tally: self.tally.clone(),
        }
    }

    /// Adds firings to `tally` from now on.
    #[must_use]
    pub fn counting(&self, tally: &Arc<Tally>) -> Simplifier {
        Simplifier { program: self.program.clone(), tally: Some(tally.clone()) }
    }

    /// Iterates over the names of the rules that fire, in the order of their files.
    pub fn fired(&self) -> impl Iterator<Item = &str> {
        let numbered = (0u16..).zip(self.rules().rules());
        numbered
            .filter(|(id, _)| self.program.fires(crate::rule::RuleId(*id)))
            .map(|(_, rule)| rule.name.as_str())
    }

    /// Returns the rules.
    #[must_use]
    pub fn rules(&self) -> &RuleSet {
        self.program.rules()
    }

    /// Simplifies a map. Keeps the list of variables; bounds may become tighter.
    #[must_use]
    pub fn simplify(&self, map: &IndexingMap, options: &Options) -> Outcome {
        self.run(map, options, &mut None)
    }

    /// Simplifies, and adds the rule instances to `instances` if requested.
    pub(super) fn run(
        &self,
        map: &IndexingMap,
        options: &Options,
        instances: &mut Option<Instances>,
    ) -> Outcome {
        let points = samples::points(map.domain());
        let simplified = domains::simplify_domain(
            &self.program,
            map.domain(),
            &points,
            (&options.fuel(map.domain().constraints().len() * ROUNDS), options.results_only),
            instances.as_mut().map(|instances| &mut instances.of_domain),
        );
        let (domain, stopped) = (simplified.domain, simplified.stopped);
        let mut firings = simplified.firings;
        if domain.is_known_empty() {
            let map = IndexingMap::new(domain, map.results().to_vec());
            return self.outcome(map, stopped, firings);
        }
        let mut results = map.results().to_vec();
        let plain = Under { domain: &domain, points: &points, is_strided: false };
        if options.effort == Effort::Long {
            // A higher effort resumes from the answer of the lower one.
            let lower = Options { effort: Effort::Bounded, ..options.clone() };
            self.search(plain, &mut results, &lower, instances, &mut firings);
        }
        let mut cut = self.search(plain, &mut results, options, instances, &mut firings);
        if has_strides(&domain) {
            // Sums are then written differently, and some become larger, so this alternates, always resuming from the best
            // result.
            let strided = Under { is_strided: true, ..plain };
            for under in [strided, plain].into_iter().cycle().take(MAX_TURNS) {
                let given = results.clone();
                let of_turn = self.search(under, &mut results, options, instances, &mut firings);
                cut = of_turn.or(cut);
                if results == given || options.interrupt.is_triggered() {
                    break;
                }
            }
        }
        self.outcome(IndexingMap::new(domain, results), stopped.or(cut), firings)
    }

    /// Searches for smaller results; returns the bound that cut it short, if any.
    fn search(
        &self,
        under: Under<'_>,
        results: &mut Vec<Expr>,
        options: &Options,
        instances: &mut Option<Instances>,
        firings: &mut Firings,
    ) -> Option<&'static str> {
        for run in 1u64.. {
            let given = results.clone();
            let budget = Options { steps: options.steps / run, ..options.clone() };
            let cut = self.passes(under, results, &budget, instances, firings);
            let is_read = self.read_off(under.domain, results, instances, firings);
            // A search that a bound cut short resumes from its best answer, with half the budget.
            let is_cut_short =
                cut.is_some() && *results != given && options.effort <= Effort::Bounded;
            let goes_on = (is_cut_short || is_read) && !options.interrupt.is_triggered();
            if run == MAX_RUNS || !goes_on {
                return cut;
            }
        }
        None
    }

    /// Returns the step that two expressions have the same values, for the replayer to check; `None` without the rule that states
    /// this.
    pub(super) fn equality_of(&self, x: &Expr, y: &Expr) -> Option<Instance> {
        let rule = self.program.rule(self.program.equality?);
        Some(Instance {
            rule: rule.name.clone(),
            constants: Vec::new(),
            expressions: vec![x.clone(), y.clone()],
        })
    }

    /// Replaces results that are equal to a constant or to a single operation; returns whether one of the latter was found.
    fn read_off(
        &self,
        domain: &Domain,
        results: &mut [Expr],
        instances: &mut Option<Instances>,
        firings: &mut Firings,
    ) -> bool {
        let Some(rule) = self.program.equality else {
            return false;
        };
        let mut is_read = false;
        for result in results {
            let constant = only_value(result, domain).map(Expr::constant);
            let Some(value) = constant.or_else(|| one_operation(result, domain)) else {
                continue;
            };
            if let Some(instances) = instances {
                instances.of_results.extend(self.equality_of(result, &value));
            }
            firings.count(rule);
            is_read |= value.cost().ops > 0;
            *result = value;
        }
        is_read
    }

    /// Runs passes over the results to a fixpoint; returns the bound that cut them short, if any.
    fn passes(
        &self,
        under: Under<'_>,
        results: &mut Vec<Expr>,
        options: &Options,
        instances: &mut Option<Instances>,
        firings: &mut Firings,
    ) -> Option<&'static str> {
        let fuel = options.fuel(results.len());
        let all = fuel.left();
        let is_certified = instances.is_some();
        let assumed = || self.assumed(under, &fuel, is_certified);
        // A copy for each pass, unless there are few constraints, which are faster to relearn.
        let learned = (under.domain.constraints().len() > FEW_CONSTRAINTS).then(assumed);
        for _ in 0..MAX_PASSES {
            let given = (results.as_slice(), under.domain);
            let start = learned.clone().unwrap_or_else(assumed);
            let done = Simplifier::pass(start, given, options, instances);
            firings.add(&done.firings);
            let is_unchanged = done.is_settled || done.results == *results;
            *results = done.results;
            // A fixpoint of the passes is also a fixpoint of simplification.
            if is_unchanged || done.simplest || done.stopped.is_some() {
                firings.steps += all - fuel.left();
                return done.stopped;
            }
        }
        firings.steps += all - fuel.left();
        Some("passes over the results")
    }

    fn outcome(
        &self,
        map: IndexingMap,
        stopped: Option<&'static str>,
        firings: Firings,
    ) -> Outcome {
        self.count(&firings);
        Outcome { map, stopped: stopped.map(str::to_owned), firings }
    }

    /// Adds the firings of one simplification to the tally.
    pub(super) fn count(&self, firings: &Firings) {
        if let Some(tally) = &self.tally {
            tally.add(self.rules(), firings);
        }
    }

    /// Creates an engine with the facts of a domain, from which each pass starts.
    pub(super) fn assumed(
        &self,
        under: Under<'_>,
        fuel: &Fuel,
        is_certified: bool,
    ) -> (Engine<'_>, Importer) {
        let Under { domain, points, is_strided } = under;
        let mut engine = Engine::new(&self.program, &narrowed(domain), fuel);
        engine.journal = is_certified.then(Vec::new);
        let mut importer = Importer::default();
        engine.store.samples = Samples::new(points);
        domains::assume_parameters(&mut engine, &mut importer, domain);
        if is_strided {
            engine.store.learn_strides(domain);
        }
        domains::assume_ends(&mut engine, &mut importer, domain);
        domains::assume_constraints(&mut engine, &mut importer, domain);
        (engine, importer)
    }

    /// Runs one pass of the strategy over all results.
    fn pass(
        (mut engine, mut importer): (Engine<'_>, Importer),
        (results, domain): (&[Expr], &Domain),
        options: &Options,
        instances: &mut Option<Instances>,
    ) -> Pass {
        engine.is_wide = options.effort > Effort::Bounded || engine.rules.has_own();
        let mut is_settled = true;
        let results: Vec<Expr> = results
            .iter()
            .map(|given| {
                let done = engine.simplify_result(&mut importer, given, domain, options);
                is_settled &= done.is_settled;
                done.best
            })
            .collect();
        let stopped = engine.stopped();
        if let Some(instances) = instances {
            engine.write_journal(&mut instances.of_results);
        }
        Pass {
            firings: engine.firings,
            simplest: results.iter().all(|result| is_simplest(result, domain)),
            is_settled,
            results,
            stopped,
        }
    }
}

/// Rule instances used, in order.
#[derive(Default)]
pub struct Instances {
    pub(super) of_domain: Vec<Instance>,
    pub(super) of_results: Vec<Instance>,
}

/// The result of a pass.
struct Pass {
    firings: Firings,
    results: Vec<Expr>,
    /// Whether all results are known to be minimal.
    simplest: bool,
    /// Whether another pass would change nothing.
    is_settled: bool,
    stopped: Option<&'static str>,
}
