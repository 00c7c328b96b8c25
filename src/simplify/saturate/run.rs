//! Rounds of equality saturation.

use super::form::FormRef;
use super::graph::Graph;
use super::noted::{Noted, Reason};
use super::rules::{Family, Rewriting, Rewritings};
use crate::expr::{Domain, Expr};
use crate::num::{Fuel, Interval};
use crate::rule::matching::{Bindings, Operator, Subject, Terms, establishes, sum_of};
use crate::rule::{Firings, Role, RuleId, RuleSet, Statement};
use egg::Id;
use rustc_hash::{FxHashSet, FxHasher};
use std::hash::{Hash, Hasher};
use std::ops::ControlFlow;

/// Maximum number of instances of one rule in one class per round.
const MAX_INSTANCES: usize = 12;

/// Whether a form is proved to have the fewest operations.
type IsLeast<'a> = &'a dyn Fn(&FormRef) -> bool;

/// Limits of a saturation.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Maximum number of e-nodes, beyond those of the seeds.
    pub nodes: usize,
    pub rounds: usize,
    /// Number of operations by which a right side may exceed the smallest form of its class.
    pub growth: i64,
    /// Whether all rules fire, not only those that say so.
    pub has_all_rules: bool,
}

/// A rule instance that fired.
#[derive(Clone, Debug)]
pub struct Fired {
    pub rule: RuleId,
    pub constants: Vec<i64>,
    pub expressions: Vec<FormRef>,
    /// Pairs of forms of one value, where the range of the second was used for the first.
    pub ranges: Vec<(FormRef, FormRef)>,
}

pub struct Saturated {
    /// The limit that stopped it, unless it saturated.
    pub stopped: Option<&'static str>,
    /// Number of rounds started.
    pub rounds: usize,
    pub nodes: usize,
}

/// An e-graph with the history of its rewriting.
pub struct Saturation<'r> {
    rules: &'r RuleSet,
    rewritings: &'r Rewritings,
    graph: Graph,
    /// Hashes of the instances used.
    used: FxHashSet<u64>,
    /// The instances that fired, if recorded.
    fired: Option<Vec<Fired>>,
    /// The unions, if recorded.
    unions: Option<Vec<Noted>>,
    /// Number of unions by each rule.
    pub firings: Firings,
}

/// An instance whose conditions hold, and its class.
struct Instance<'r> {
    rewriting: &'r Rewriting,
    class: Id,
    bindings: Bindings<Id>,
    ranges: Vec<(FormRef, FormRef)>,
    /// The number of operations by which the right side exceeds the smallest form of the class.
    growth: i64,
}

impl Saturated {
    /// The limit on nodes.
    pub const FULL: &'static str = "e-graph nodes";
}

impl Limits {
    /// Limits under which no rule fires.
    pub const NONE: Limits = Limits::of(0, 0, 0);

    /// Creates limits.
    #[must_use]
    pub const fn of(nodes: usize, rounds: usize, growth: i64) -> Limits {
        Limits { nodes, rounds, growth, has_all_rules: false }
    }

    /// Lets all rules fire, not only those that say so.
    #[must_use]
    pub const fn with_all_rules(self) -> Limits {
        Limits { has_all_rules: true, ..self }
    }
}

impl<'r> Saturation<'r> {
    /// Creates an empty e-graph over variables with these ranges.
    pub fn new(rules: &'r RuleSet, rewritings: &'r Rewritings, variables: Vec<Interval>) -> Self {
        Saturation {
            rules,
            rewritings,
            graph: Graph::new(variables),
            used: FxHashSet::default(),
            fired: None,
            unions: None,
            firings: Firings::default(),
        }
    }

    /// Adds an expression; `None` if a coefficient does not fit in 64 bits.
    pub fn add(&mut self, expr: &Expr) -> Option<Id> {
        self.graph.add_expr(expr)
    }

    /// Adds a form; `None` if a coefficient does not fit in 64 bits.
    pub fn add_form(&mut self, form: &FormRef) -> Option<Id> {
        let sum = self.graph.add_form(form)?;
        Some(self.graph.add_sum(&sum))
    }

    /// Adds the constraints of a domain as facts, if they fit in 64 bits.
    pub fn assume(&mut self, domain: &Domain) {
        for constraint in domain.constraints() {
            if let Some(class) = self.add(&constraint.expr) {
                self.constrain(class, constraint.bounds);
            }
        }
    }

    fn constrain(&mut self, class: Id, known: Interval) {
        let class = self.graph.classes.find(class);
        let mut facts = self.graph.classes[class].data.clone();
        facts.range = facts.range.intersect(known);
        facts.narrowest = facts.narrowest.within(known);
        self.graph.classes.set_analysis_data(class, facts);
    }

    /// Merges two classes known to be equal.
    pub fn same(&mut self, x: Id, y: Id) {
        self.graph.union(x, y);
    }

    /// Sets whether firings are recorded.
    pub fn note_firings(&mut self, are_noted: bool) {
        self.fired = are_noted.then(Vec::new);
        self.graph.ranges = are_noted.then(Vec::new);
    }

    /// Returns the recorded firings, in order.
    pub fn into_firings(self) -> Vec<Fired> {
        self.fired.unwrap_or_default()
    }

    /// Returns whether the smallest form of a class is known to be minimal.
    pub fn is_simplest(&self, class: Id) -> bool {
        self.graph.classes[class].data.smallest.is_simplest()
    }

    /// Starts recording unions, for a picture.
    pub fn note_unions(&mut self) {
        self.unions.get_or_insert_default();
    }

    pub(super) fn graph_and_unions(&mut self) -> (&mut Graph, &[Noted]) {
        (&mut self.graph, self.unions.as_deref().unwrap_or_default())
    }

    /// Returns the smallest form of a class.
    pub fn smallest(&self, class: Id) -> FormRef {
        self.graph.classes[class].data.smallest.clone()
    }

    /// Fires rules until saturation, `is_enough`, or a limit, except in classes whose smallest form is proved to be least.
    pub fn run(
        &mut self,
        limits: Limits,
        fuel: &Fuel,
        is_least: IsLeast<'_>,
        mut is_enough: impl FnMut(&Saturation<'r>) -> bool,
    ) -> Saturated {
        self.graph.rebuild();
        let most = self.graph.classes.total_size() + limits.nodes;
        let mut rounds = 0;
        let stopped = loop {
            if is_enough(self) {
                break None;
            }
            if rounds == limits.rounds {
                break Some("rounds of saturation");
            }
            if fuel.check().is_err() {
                break Some("steps of the search");
            }
            fuel.note_rounds(rounds, limits.rounds);
            rounds += 1;
            let mut instances = self.instances(fuel, limits, is_least);
            // Instances with small results go first, as the node limit may not allow all.
            instances.sort_by_key(|instance| instance.growth);
            let before = (self.graph.classes.total_size(), self.graph.classes.number_of_classes());
            let is_full = !self.fire(instances, most);
            if rounds < limits.rounds {
                self.normalise(most);
            }
            self.graph.rebuild();
            if is_full {
                break Some(Saturated::FULL);
            }
            let after = (self.graph.classes.total_size(), self.graph.classes.number_of_classes());
            if before == after {
                break None;
            }
        };
        fuel.note_rounds(0, 0); // later work does not belong to a round
        Saturated { stopped, rounds, nodes: self.graph.classes.total_size() }
    }

    /// Finds the instances in all classes whose right sides exceed the smallest form by at most the limit.
    fn instances(
        &mut self,
        fuel: &Fuel,
        limits: Limits,
        is_least: IsLeast<'_>,
    ) -> Vec<Instance<'r>> {
        let mut ids: Vec<Id> = self.graph.classes.classes().map(|class| class.id).collect();
        ids.sort_unstable();
        let mut instances = Vec::new();
        for id in ids {
            // Skips classes that are already minimal.
            if self.is_simplest(id) || is_least(&self.graph.classes[id].data.smallest) {
                continue;
            }
            if fuel.spend(16).is_err() {
                break;
            }
            for operator in Operator::ALL {
                for operation in self.graph.operations(id, operator).iter() {
                    let dividend = match operator {
                        Operator::FloorDiv | Operator::Mod => operation.operands.first(),
                        Operator::Min | Operator::Max => None,
                    };
                    let room = dividend.map(|forms| self.graph.outlines(forms));
                    for family in self.rewritings.at(Some(operator), self.graph.operators) {
                        if !self.fires(family, limits)
                            || room.as_ref().is_some_and(|room| !family.has_room(room))
                        {
                            continue;
                        }
                        let subject = Subject::Operation(operator, operation);
                        self.search(family, id, subject, (fuel, limits), &mut instances);
                    }
                }
            }
            let forms = self.graph.forms(id);
            if forms.iter().any(|form| form.as_atom().is_none()) {
                let room = self.graph.outlines(&forms);
                for family in self.rewritings.at(None, self.graph.operators) {
                    if !self.fires(family, limits) || !family.has_room(&room) {
                        continue;
                    }
                    let subject = Subject::Forms(&forms);
                    self.search(family, id, subject, (fuel, limits), &mut instances);
                }
            }
        }
        instances
    }

    /// Returns whether a family fires here. The search tries the rules that discovery found; here they would find nothing more
    /// at a fifth of the time.
    fn fires(&self, family: &Family, limits: Limits) -> bool {
        let mut members = family.members.iter().map(|member| self.rules.rule(member.rule));
        match limits.has_all_rules {
            true => members.next().is_some_and(|first| first.role != Role::Found),
            false => members.any(|rule| rule.saturates),
        }
    }

    fn search(
        &mut self,
        family: &'r Family,
        class: Id,
        subject: Subject<'_, Id>,
        (fuel, limits): (&Fuel, Limits),
        instances: &mut Vec<Instance<'r>>,
    ) {
        let Some(first) = family.members.first().map(|first| self.rules.rule(first.rule)) else {
            return;
        };
        let conditions = &first.conditions;
        let used = &self.used;
        let mut count = 0;
        let mut found = |graph: &mut Graph, bindings: &Bindings<Id>| {
            if fuel.spend(64).is_err() {
                return ControlFlow::Break(());
            }
            let mut holds = None;
            for rewriting in &family.members {
                if used.contains(&key(rewriting, bindings)) {
                    continue;
                }
                let Some(right) = rewriting.size.size(bindings, graph) else {
                    continue;
                };
                let smallest = graph.classes[class].data.smallest.ops;
                let growth = i64::from(right) - i64::from(smallest);
                // Checked last, since conditions take longer.
                let holds = growth <= limits.growth
                    && *holds.get_or_insert_with(|| {
                        graph.ranges.iter_mut().for_each(Vec::clear);
                        let mut all = conditions.iter();
                        all.all(|condition| establishes(condition, bindings, graph))
                    });
                if holds {
                    count += 1;
                    instances.push(Instance {
                        growth,
                        rewriting,
                        class,
                        bindings: bindings.clone(),
                        ranges: graph.ranges.clone().unwrap_or_default(),
                    });
                }
            }
            match count < MAX_INSTANCES * family.members.len() {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(()),
            }
        };
        family.matcher.search(&mut self.graph, subject, &mut found);
    }

    /// Merges each left side with its right side; `false` at the node limit.
    fn fire(&mut self, instances: Vec<Instance<'r>>, most: usize) -> bool {
        for instance in instances {
            if self.graph.classes.total_size() > most {
                return false;
            }
            let Instance { rewriting, class, bindings, ranges, .. } = instance;
            if !self.used.insert(key(rewriting, &bindings)) {
                continue;
            }
            let right = self.graph.adding(|graph| sum_of(&rewriting.right, &bindings, graph));
            let Some(right) = right else { continue };
            let right = self.graph.add_sum(&right);
            let fired =
                self.fired.is_some().then(|| self.written(rewriting.rule, &bindings, ranges));
            let noted = match self.unions {
                Some(_) => self.noted(rewriting, class, &bindings),
                None => None,
            };
            if !self.graph.union(class, right) {
                continue;
            }
            self.firings.count(rewriting.rule);
            if let (Some(all), Some(Some(fired))) = (&mut self.fired, fired) {
                all.push(fired);
            }
            if let Some(all) = &mut self.unions {
                all.extend(noted);
            }
        }
        true
    }

    fn noted(
        &mut self,
        rewriting: &Rewriting,
        class: Id,
        bindings: &Bindings<Id>,
    ) -> Option<Noted> {
        let Statement::Rewrite(left, _) = &self.rules.rule(rewriting.rule).statement else {
            return None;
        };
        let sides = (left, &rewriting.right);
        Noted::firing((class, rewriting.rule), sides, bindings, &mut self.graph)
    }

    /// Converts an instance to terms of the map's variables.
    fn written(
        &self,
        rule: RuleId,
        bindings: &Bindings<Id>,
        ranges: Vec<(FormRef, FormRef)>,
    ) -> Option<Fired> {
        let expressions = bindings.expressions.iter().flatten();
        let expressions = expressions.map(|sum| self.graph.form_of(sum));
        Some(Fired {
            rule,
            constants: {
                let constants = bindings.constants.iter().flatten();
                constants.filter_map(|number| number.integer()).collect()
            },
            expressions: expressions.collect::<Option<_>>()?,
            ranges,
        })
    }

    /// Rewrites every sum over classes none of which is a sum.
    fn normalise(&mut self, most: usize) {
        self.graph.rebuild();
        let mut ids: Vec<Id> = self.graph.classes.classes().map(|class| class.id).collect();
        ids.sort_unstable();
        for id in ids {
            if self.graph.classes.total_size() > most {
                return;
            }
            let forms = self.graph.forms(id);
            for form in forms.iter() {
                let class = self.graph.add_sum(form);
                let before = (self.unions.is_some()).then(|| self.smallest(id));
                if self.graph.union(id, class)
                    && let (Some(all), Some(left)) = (&mut self.unions, before)
                    && let Some(right) = self.graph.form_of(form)
                {
                    all.push(Noted {
                        class: id,
                        reason: Reason::Arithmetic,
                        sides: [left, right],
                        nodes: [None, Some(Graph::node_of(form))],
                    });
                }
            }
        }
    }
}

/// Returns a 64-bit hash of an instance. On a collision, one of the two does not fire.
fn key(rewriting: &Rewriting, bindings: &Bindings<Id>) -> u64 {
    let mut hasher = FxHasher::default();
    (rewriting.rule, bindings).hash(&mut hasher);
    hasher.finish()
}
