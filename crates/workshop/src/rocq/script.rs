//! The tactics of a proof: names for operations, the instances of the rules, and linear arithmetic.

use super::names::{Id, Names};
use super::points::points;
use super::tree::{Operation, Tree};
use affinor::certificate::{Certificate, Instance};
use affinor::expr::Domain;
use affinor::num::polynomial::Polynomial;
use affinor::rule::{Rule, RuleSet};
use rustc_hash::FxHashMap;
use std::fmt::Write;

/// The number of passes over the pairs of quotients, and the maximum number of pairs: each attempt uses all earlier facts.
const PASSES: usize = 3;
const MAX_PAIRS: usize = 64;

/// Writes the proofs about one certificate.
pub(super) struct Script<'c> {
    certificate: &'c Certificate,
    rules: &'c RuleSet,
    variables: &'c [String],
    names: Names,
    tactics: Vec<String>,
}

impl<'c> Script<'c> {
    pub(super) fn new(
        certificate: &'c Certificate,
        rules: &'c RuleSet,
        variables: &'c [String],
    ) -> Script<'c> {
        Script { certificate, rules, variables, names: Names::default(), tactics: Vec::new() }
    }

    /// Proves that one domain, known as `domain`, is contained in another.
    pub(super) fn domains(&mut self, from: &Domain, to: &Domain) -> Option<Vec<String>> {
        self.names = Names::default();
        self.constraints(from, Some("domain"))?;
        self.constraints(to, None)?;
        for (index, instance) in self.certificate.domain_steps.iter().enumerate() {
            self.step(index + 1, instance)?;
        }
        self.tactics.push("lia.".to_owned());
        Some(std::mem::take(&mut self.tactics))
    }

    /// Proves that results are equal under the hypotheses of both domains, `given` and `domain`.
    pub(super) fn results(&mut self, results: &[[Tree; 2]]) -> Option<Vec<String>> {
        self.names = Names::default();
        self.constraints(self.certificate.before.domain(), Some("given"))?;
        self.constraints(self.certificate.after.domain(), Some("domain"))?;
        let trees: Vec<Tree> = results.iter().flatten().cloned().collect();
        let values = self.rewrite(&trees, None)?;
        let mut steps = String::new();
        for (index, instance) in self.certificate.steps().enumerate() {
            self.step(index + 1, instance)?;
            let _ = write!(steps, " step{}", index + 1); // writing to a string cannot fail
        }
        // Under the equations of the steps, quotients are equal if their dividends are.
        let points = points(self.certificate.after.domain());
        let pairs = match steps.is_empty() {
            true => Vec::new(),
            false => self.names.pairs(self.variables, &points),
        };
        // A pair may depend on a later one.
        let passes = (0..PASSES).flat_map(|_| pairs.iter().take(MAX_PAIRS));
        for (index, [one, other]) in passes.enumerate() {
            self.tactics.push(format!(
                "same_names same{} {one} {one}_is {other} {other}_is (clear -{steps}; lia).",
                index + 1
            ));
            let _ = write!(steps, " same{}", index + 1);
        }
        // Most results follow from the equations alone; the others need the bounds of their operations, too.
        let bounds = self.names.support(&values).join(" ");
        self.tactics.push(match steps.is_empty() {
            true => "lia.".to_owned(),
            false => format!(
                "repeat split; first [clear -{steps}; lia | clear - domain{steps} {bounds}; lia]."
            ),
        });
        Some(std::mem::take(&mut self.tactics))
    }

    fn constraints(&mut self, domain: &Domain, hypothesis: Option<&str>) -> Option<()> {
        let trees = domain.constraints().iter();
        let trees: Vec<Tree> = trees.map(|x| Tree::expr(&x.expr, self.variables)).collect();
        self.rewrite(&trees, hypothesis).map(drop)
    }

    /// Writes names for the operations of trees in a hypothesis, or in the goal. Returns the values of the trees.
    fn rewrite(&mut self, trees: &[Tree], hypothesis: Option<&str>) -> Option<Vec<Polynomial<Id>>> {
        if trees.iter().any(|tree| tree.has(Operation::Remainder)) {
            let place = hypothesis.map_or_else(String::new, |name| format!(" in {name}"));
            self.tactics.push(format!("rewrite ?remainder{place}."));
        }
        let tactic =
            hypothesis.map_or_else(|| "named".to_owned(), |name| format!("named_in {name}"));
        let mut done = FxHashMap::default();
        let named = trees.iter().map(|tree| {
            let tree = self.replaced(&tree.without_remainders(), &tactic, &mut done)?;
            self.names.value(&tree)
        });
        named.collect()
    }

    /// Replaces the operations of a tree by names, innermost first.
    fn replaced(
        &mut self,
        tree: &Tree,
        tactic: &str,
        done: &mut FxHashMap<Tree, Tree>,
    ) -> Option<Tree> {
        if let Some(known) = done.get(tree) {
            return Some(known.clone());
        }
        let named = match tree {
            Tree::Integer(_) | Tree::Name(_) => return Some(tree.clone()),
            Tree::Negative(x) => Tree::Negative(Box::new(self.replaced(x, tactic, done)?)),
            Tree::Of(operation, x, y) => {
                let x = self.replaced(x, tactic, done)?;
                let y = self.replaced(y, tactic, done)?;
                let of = [self.names.value(&x)?, self.names.value(&y)?];
                let whole = Tree::of(*operation, x, y);
                match operation {
                    Operation::Quotient | Operation::Least | Operation::Greatest => {
                        let named = self.names.value(&whole)?;
                        self.tactics.append(&mut self.names.tactics);
                        let value = self.names.tree(&named);
                        let [x, y] = of;
                        let show = match operation {
                            Operation::Quotient => "idtac; is_value".to_owned(), // without `idtac` it runs too early
                            _ => self.names.by_choices(&[x, y, named]),
                        };
                        self.tactics.push(format!("{tactic} {whole} {value} ({show})."));
                        value
                    }
                    _ => whole,
                }
            }
        };
        done.insert(tree.clone(), named.clone());
        Some(named)
    }

    /// Writes an instance of a rule, with proofs of its conditions.
    fn step(&mut self, number: usize, instance: &Instance) -> Option<()> {
        let rule: &Rule = self.rules.rule(self.rules.find(&instance.rule)?);
        let mut arguments = [&instance.constants, &instance.expressions].map(|list| {
            let trees = list.iter().map(|expr| Tree::expr(expr, self.variables));
            trees.collect::<Vec<Tree>>()
        });
        for argument in arguments.iter_mut().flatten() {
            let value = self.names.value(&argument.without_remainders())?;
            self.tactics.append(&mut self.names.tactics);
            *argument = self.names.tree(&value);
        }
        let [constants, expressions] = arguments;
        let step = format!("step{number}");
        let values = constants.iter().chain(&expressions);
        let values: String = values.map(|value| format!(" {value}")).collect();
        let theorem = instance.rule.replace('-', "_");
        self.tactics.push(format!("pose proof (@{theorem}{values}) as {step}."));
        let terms = rule.stated_terms();
        let trees: Vec<Tree> =
            terms.map(|term| Tree::term(term, &constants, &expressions)).collect();
        // The sides of each condition come first.
        let values = self.rewrite(&trees, Some(&step))?;
        let conditions = values.chunks(2).take(rule.conditions.len());
        let shown = conditions.map(|sides| self.shown(sides, "domain"));
        let shown: String = shown.collect();
        if !shown.is_empty() {
            self.tactics.push(format!("specialize ({step}{shown})."));
        }
        Some(())
    }

    /// Proves a comparison of two values: first from the bounds of its operations alone, which is faster.
    fn shown(&self, sides: &[Polynomial<Id>], known: &str) -> String {
        let is_closed = sides.iter().all(|side| side.as_constant().is_some());
        match is_closed {
            true => " ltac:(first [closed | clear; lia])".to_owned(),
            false => {
                let bounds = self.names.support(sides).join(" ");
                format!(" ltac:(first [clear - {known} {bounds}; lia | lia])")
            }
        }
    }
}
