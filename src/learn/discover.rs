//! Discovers rules that make the expressions of a corpus smaller.
//!
//! What is left of each expression is taken apart. For a part, a shorter expression is looked for by enumeration
//! (`shorter`) and proved equal; the rule behind it is learnt (`search`), and kept if it makes an expression of the corpus
//! smaller than the rules so far do. In the end rules that others have made needless are dropped.
//!
//! Deterministic: cases, parts and terms are taken in their order, and all work is bounded by fuel.

use super::dress::{Fires, dressed};
use super::search::learn;
use super::shorter::shorter;
use crate::expr::{Expr, ExprKind, IndexingMap, VariableKind};
use crate::num::Fuel;
use crate::prove::{self, Budget, Verdict};
use crate::rule::RuleSet;
use crate::simplify::{Options, Simplifier};
use crate::text::Error;
use rustc_hash::FxHashSet;

/// Steps for one part: for shorter terms, and for its rule.
const STEPS: [u64; 2] = [40_000, 20_000];

/// Most operations of a part.
const MAX_SIZE: u64 = 6;

/// Most rounds over the corpus.
const ROUNDS: usize = 6;

/// A rule that was kept.
#[derive(Clone, Debug)]
pub struct Kept {
    /// Its name.
    pub name: String,
    /// Its text.
    pub text: String,
    /// The part that it was learnt from, and what that became.
    pub example: [IndexingMap; 2],
    /// The numbers of the expressions that are larger without it.
    pub cases: Vec<usize>,
}

/// What a run found.
#[derive(Clone, Debug, Default)]
pub struct Discovery {
    /// The rules that were kept, in the order in which they were found.
    pub kept: Vec<Kept>,
    /// Parts that were looked at.
    pub parts: usize,
    /// Parts for which a shorter form was found.
    pub shorter: usize,
    /// Of these, those whose equality was not proved.
    pub open: usize,
    /// Those that no rule was learnt from.
    pub unexplained: usize,
    /// Rules that were proved, and cannot fire or were not seen to.
    pub silent: usize,
    /// Rules that were proved, and make no expression smaller.
    pub needless: usize,
    /// Operations of each expression before and after.
    pub sizes: Vec<[u64; 2]>,
    /// Whether the fuel ended the run.
    pub stopped: bool,
}

/// Discovers rules beyond those of a set.
///
/// # Errors
/// If the rules do not make a simplifier.
pub fn discover(
    cases: &[IndexingMap],
    rules: RuleSet,
    budget: &Budget,
    fuel: &Fuel,
) -> Result<Discovery, Error> {
    let mut run = Run {
        cases,
        simplifier: Simplifier::new(rules.clone())?,
        rules,
        budget,
        fuel,
        tried: FxHashSet::default(),
        found: Discovery::default(),
    };
    let before: Vec<u64> = cases.iter().map(|case| run.size(case)).collect();
    for _ in 0..ROUNDS {
        let known = run.found.kept.len();
        for case in 0..cases.len() {
            fuel.note_rounds(case, cases.len());
            while run.improve(case) {}
        }
        fuel.note_rounds(0, 0);
        if run.found.kept.len() == known || fuel.check().is_err() {
            break;
        }
    }
    run.drop_needless()?;
    let after = cases.iter().map(|case| run.size(case));
    run.found.sizes = before.into_iter().zip(after).map(|(x, y)| [x, y]).collect();
    run.found.stopped = fuel.check().is_err();
    Ok(run.found)
}

struct Run<'r> {
    cases: &'r [IndexingMap],
    rules: RuleSet,
    simplifier: Simplifier,
    budget: &'r Budget,
    fuel: &'r Fuel,
    tried: FxHashSet<String>,
    found: Discovery,
}

impl Run<'_> {
    fn simplified(&self, map: &IndexingMap) -> IndexingMap {
        let options = Options {
            interrupt: self.budget.interrupt.clone().unwrap_or_default(),
            ..Options::default()
        };
        self.simplifier.simplify(map, &options).map
    }

    fn size(&self, map: &IndexingMap) -> u64 {
        self.simplified(map).cost().ops
    }

    /// Looks for a rule that makes a case smaller; whether one was kept.
    fn improve(&mut self, case: usize) -> bool {
        let map = &self.cases[case];
        let left = self.simplified(map);
        let size = left.cost().ops;
        for part in parts(&left) {
            if self.fuel.spend(1).is_err() {
                return false;
            }
            if !self.tried.insert(part.to_string()) {
                continue;
            }
            self.found.parts += 1;
            let Some((example, rule, text)) = self.rule_of(&part) else {
                continue;
            };
            let mut rules = self.rules.clone();
            let made = rules.extend(vec![rule]);
            let Ok(simplifier) = made.and_then(|()| Simplifier::new(rules.clone())) else {
                self.found.silent += 1;
                continue;
            };
            let before = std::mem::replace(&mut self.simplifier, simplifier);
            if self.size(map) >= size {
                self.simplifier = before;
                self.found.needless += 1;
                continue;
            }
            self.rules = rules;
            let kept = Kept {
                name: self.next_name(),
                text,
                example,
                cases: vec![case],
            };
            self.found.kept.push(kept);
            return true;
        }
        false
    }

    fn next_name(&self) -> String {
        format!("found-{}", self.found.kept.len() + 1)
    }

    /// The rule that makes a part shorter, with the example and its text.
    fn rule_of(
        &mut self,
        part: &IndexingMap,
    ) -> Option<([IndexingMap; 2], crate::rule::Rule, String)> {
        let interrupt = self.budget.interrupt.clone().unwrap_or_default();
        let [for_terms, for_rule] = STEPS.map(|steps| {
            let steps = steps.min(self.fuel.left());
            (steps, Fuel::new(steps, &interrupt))
        });
        let better = shorter(part, &for_terms.1);
        let _ = self.fuel.spend(for_terms.0 - for_terms.1.left());
        let better = IndexingMap::new(part.domain().clone(), vec![better?]);
        self.found.shorter += 1;
        if prove::equal_functions(part, &better, self.budget) != Ok(Verdict::Proved) {
            self.found.open += 1;
            return None;
        }
        let sides = [part.results().first()?, better.results().first()?];
        let learned = learn(part.domain(), sides, self.budget, &for_rule.1);
        let _ = self.fuel.spend(for_rule.0 - for_rule.1.left());
        let name = self.next_name();
        let dressed = learned.and_then(|learned| dressed(&learned, &name, self.budget));
        let Ok(dressed) = dressed else {
            self.found.unexplained += 1;
            return None;
        };
        if !matches!(dressed.fires, Fires::Alone | Fires::Among) {
            self.found.silent += 1;
            return None;
        }
        Some(([part.clone(), better], dressed.rule, dressed.text))
    }

    /// Drops the rules without which no case is larger, the last one first, and notes which cases need the others.
    fn drop_needless(&mut self) -> Result<(), Error> {
        let sizes: Vec<u64> = self.cases.iter().map(|case| self.size(case)).collect();
        for place in (0..self.found.kept.len()).rev() {
            let whole = self.simplifier.clone();
            self.simplifier = whole.without(&[&self.found.kept[place].name])?;
            let larger =
                (0..self.cases.len()).filter(|case| self.size(&self.cases[*case]) > sizes[*case]);
            let larger: Vec<usize> = larger.collect();
            if larger.is_empty() {
                self.found.kept.remove(place);
                self.found.needless += 1;
            } else {
                self.found.kept[place].cases = larger;
                self.simplifier = whole;
            }
        }
        Ok(())
    }
}

/// The parts of a map that are looked at, short ones first: operations, sums, and pairs and triples of summands.
fn parts(map: &IndexingMap) -> Vec<IndexingMap> {
    let mut exprs: Vec<Expr> = Vec::new();
    let mut pending: Vec<Expr> = map.results().to_vec();
    while let Some(expr) = pending.pop() {
        if let ExprKind::Sum(sum) = expr.kind() {
            let terms = sum.terms();
            let mut add = |constant: i64, picked: &[usize]| {
                let picked = picked.iter().map(|index| terms[*index].clone());
                exprs.extend(Expr::sum(constant, picked));
            };
            for x in 0..terms.len() {
                if sum.constant() != 0 {
                    add(sum.constant(), &[x]);
                }
                for y in x + 1..terms.len() {
                    add(0, &[x, y]);
                    for z in y + 1..terms.len() {
                        add(0, &[x, y, z]);
                    }
                }
            }
        }
        pending.extend(expr.operands().cloned());
        exprs.push(expr);
    }
    exprs.retain(|expr| (2..=MAX_SIZE).contains(&expr.cost().ops));
    exprs.sort_by_key(|expr| expr.cost());
    let kinds = [
        VariableKind::Dimension,
        VariableKind::Range,
        VariableKind::Runtime,
    ];
    let alone = exprs.into_iter().map(|expr| {
        let alone = IndexingMap::new(map.domain().clone(), vec![expr]);
        alone.without_unused(&kinds)
    });
    let mut found: Vec<IndexingMap> = Vec::new();
    for part in alone {
        if !found.contains(&part) {
            found.push(part);
        }
    }
    found
}
