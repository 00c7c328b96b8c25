//! Rules learnt from the simplified expressions of a corpus.
//!
//! An expression is split into parts. For each part, a shorter expression is searched for by enumeration (`shorter`) and proved
//! equal; the rule behind it is learnt (`search`).

use super::run::{Judged, Run, options};
use super::search::learn;
use super::shorter::shorter;
use affinor::expr::{Expr, ExprKind, IndexingMap, VariableKind};
use affinor::num::Fuel;
use affinor::prove::{self, Budget, Verdict};
use affinor::simplify::{Effort, Options, Simplifier};
use affinor::text::Error;
use rustc_hash::FxHashSet;

/// Fuel for the enumeration of shorter terms for one part.
const TERMS: u64 = 40_000;

/// Maximum number of operations of a part, and of a part whose shorter forms are enumerated.
const MAX_SIZES: [u64; 2] = [10, 6];

/// Steps of fuel for a long saturation of a part.
const SATURATION: u64 = 10_000;

/// Returns the distinct parts of the simplified expressions. After the first round, only the parts of expressions that the rules
/// of the previous round changed.
pub(super) fn parts_of_all(run: &Run<'_>, is_first: bool) -> Result<Vec<IndexingMap>, Error> {
    let starts = &run.state.starts;
    let before = match run.state.phase.checked_sub(1) {
        Some(phase) if !is_first => Some(run.with(starts[phase])?),
        _ => None,
    };
    let (mut found, mut known) = (Vec::new(), FxHashSet::default());
    for case in run.cases {
        let options = options(run.settings.budget);
        let left = run.simplifier.simplify(case, &options).map;
        let is_same = |before: &Simplifier| before.simplify(case, &options).map == left;
        if before.as_ref().is_some_and(is_same) {
            continue;
        }
        let parts = parts(&left).into_iter();
        found.extend(parts.filter(|part| known.insert(part.clone())));
    }
    Ok(found)
}

/// Learns the rule behind a shorter form of a part.
pub(super) fn judged(
    part: IndexingMap,
    simplifier: &Simplifier,
    budget: &Budget,
    fuel: &Fuel,
) -> Judged {
    // Rules found since may already shorten the part.
    let known = simplifier.simplify(&part, &options(budget)).map;
    if known.cost() < part.cost() {
        return Judged::Nothing;
    }
    let Some(better) =
        enumerated(&part, fuel).or_else(|| saturated(&part, simplifier, budget, fuel))
    else {
        return Judged::Nothing;
    };
    let open = || Judged::Open(format!("{part} ; {better}"));
    match prove::equal_functions(&part, &better, budget) {
        Ok(Verdict::Proved) => {}
        Ok(Verdict::Refuted(_)) => return Judged::Refuted,
        _ => return open(),
    }
    let ([left], [right]) = (part.results(), better.results()) else {
        return open();
    };
    learn(part.domain(), [left, right], budget, fuel)
        .map_or_else(|_| open(), |learned| Judged::Proved(Box::new(learned)))
}

/// Finds a shorter form by enumeration.
fn enumerated(part: &IndexingMap, fuel: &Fuel) -> Option<IndexingMap> {
    if part.cost().ops > MAX_SIZES[1] {
        return None;
    }
    let terms = fuel.share(TERMS);
    let all = terms.left();
    let better = shorter(part, &terms);
    let _ = fuel.spend(all - terms.left());
    Some(IndexingMap::new(part.domain().clone(), vec![better?]))
}

/// Finds a shorter form that rules reach in many steps: one rule may take them at once.
fn saturated(
    part: &IndexingMap,
    simplifier: &Simplifier,
    budget: &Budget,
    fuel: &Fuel,
) -> Option<IndexingMap> {
    fuel.spend(SATURATION).ok()?;
    let options = Options { effort: Effort::Long, ..options(budget) };
    let better = simplifier.simplify(part, &options).map.results().to_vec();
    let better = IndexingMap::new(part.domain().clone(), better);
    (better.cost() < part.cost()).then_some(better)
}

/// Returns the parts of a map to examine, short ones first: operations, sums, and pairs and triples of summands.
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
    exprs.retain(|expr| (2..=MAX_SIZES[0]).contains(&expr.cost().ops));
    exprs.sort_by_key(|expr| expr.cost());
    let kinds = [VariableKind::Dimension, VariableKind::Range, VariableKind::Runtime];
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
