//! Mutated maps: with another stride, constant, bound, clamp, source, constraint, or order of results. A mutant that reads other
//! elements than the maps of an instruction must be refuted.

use affinor::expr::{Domain, Expr, IndexingMap, VariableId, VariableKind};
use affinor::num::Interval;
use affinor::prove::Budget;
use affinor_compare::agreement::{Judgement, judge};
use affinor_definition::Definitions;
use affinor_hlo::module::Computation;
use affinor_ops::indexing::{OperandMap, OperandReads, Reads, ValueSource};
use std::collections::BTreeSet;

/// The mutants that were judged.
#[derive(Default)]
pub struct Tried {
    /// The number of those that read other elements.
    pub wrong: usize,
    /// The number of those that read the same elements.
    pub right: usize,
    /// The wrong ones that were not refuted.
    pub open: Vec<String>,
}

impl Tried {
    /// Judges the mutants of the maps of an instruction, the root of `body`. It must be small enough to evaluate its maps at
    /// every element of the output.
    pub fn mutants_of(
        &mut self,
        text: &str,
        definitions: &mut Definitions<'_>,
        body: &Computation,
        reads: &[OperandReads],
    ) {
        for (place, entry) in reads.iter().enumerate() {
            let part = body[body.root()].shape().at(&entry.output);
            let array = part.and_then(|part| part.as_array()).expect("an array");
            let sizes = array.sizes().expect("known sizes");
            let Reads::Maps(maps) = &entry.reads else {
                continue;
            };
            let truth = all_read(&entry.reads, &sizes);
            let mut sets: Vec<Vec<OperandMap>> = Vec::new();
            for (number, map) in maps.iter().enumerate() {
                let mut fewer = maps.clone();
                fewer.remove(number);
                sets.push(fewer);
                for mutant in mutants(map) {
                    let mut other = maps.clone();
                    other[number] = mutant;
                    sets.push(other);
                }
            }
            let is_exact = entry.reads.is_exact();
            for set in sets {
                let read = all_read(&Reads::Maps(set.clone()), &sizes);
                // An upper bound may contain more than the reads.
                let differs = match is_exact {
                    true => read != truth,
                    false => truth.iter().zip(&read).any(|(all, read)| !all.is_subset(read)),
                };
                let mut changed = reads.to_vec();
                changed[place].reads = Reads::Maps(set.clone());
                let judgement = judged(definitions, body, &changed).swap_remove(place);
                if differs {
                    let is_proved = judgement == Some(Judgement::Proved);
                    assert!(!is_proved, "{text}: operand {} by {set:?}", entry.operand);
                    self.wrong += 1;
                    if !matches!(judgement, Some(Judgement::Refuted(_))) {
                        self.open.push(format!("{text}: {judgement:?} by {set:?}"));
                    }
                } else {
                    let is_refuted = matches!(judgement, Some(Judgement::Refuted(_)));
                    let is_same = set.iter().all(|map| map.runtime.is_empty());
                    let is_wider = !is_exact && read != truth;
                    assert!(
                        !(is_refuted && is_same && !is_wider),
                        "{text}: {judgement:?} by {set:?}"
                    );
                    self.right += 1;
                }
            }
        }
    }
}

/// Judges the reads of the root of `body`.
pub fn judged(
    definitions: &mut Definitions<'_>,
    body: &Computation,
    reads: &[OperandReads],
) -> Vec<Option<Judgement>> {
    let defined = definitions.of(body, &body[body.root()]);
    judge(&defined, reads, &Budget::default())
}

/// Returns wrong (or only different) versions of a map.
fn mutants(map: &OperandMap) -> Vec<OperandMap> {
    let (domain, results) = (map.map.domain(), map.map.results());
    let with = |domain: Domain, results: Vec<Expr>| OperandMap {
        map: IndexingMap::new(domain, results),
        ..map.clone()
    };
    let rebuilt = |number: Option<usize>, bounds: Option<Interval>, dropped: Option<usize>| {
        let mut variables = domain.variables().to_vec();
        if let (Some(number), Some(bounds)) = (number, bounds) {
            variables[number].bounds = bounds;
        }
        let mut other = Domain::new(variables);
        for (place, constraint) in domain.constraints().iter().enumerate() {
            if dropped != Some(place) {
                other.constrain(&constraint.expr, constraint.bounds);
            }
        }
        other
    };
    let mut mutants = Vec::new();
    for (place, result) in results.iter().enumerate() {
        for other in [
            Expr::sum(1, [(1, result.clone())]),
            Expr::sum(-1, [(1, result.clone())]),
            Expr::sum(0, [(2, result.clone())]),
            result.floordiv(2),
            Ok(Expr::constant(0)),
            Expr::sum(3, [(-1, result.clone())]),
        ] {
            let mut results = results.to_vec();
            results[place] = other.expect("small");
            mutants.push(with(domain.clone(), results));
        }
    }
    if let [first, second, ..] = results {
        let mut swapped = results.to_vec();
        (swapped[0], swapped[1]) = (second.clone(), first.clone());
        mutants.push(with(domain.clone(), swapped));
    }
    for (number, variable) in domain.variables().iter().enumerate() {
        let (lo, hi) = (variable.bounds.lo(), variable.bounds.hi());
        for bounds in [(lo + 1, hi), (lo, hi - 1), (lo, hi + 1), (lo - 1, hi)] {
            let is_range = variable.kind == VariableKind::Range;
            if bounds.0 <= bounds.1 && (is_range || lo <= bounds.0 && bounds.1 <= hi) {
                let bounds = Interval::new(bounds.0, bounds.1);
                mutants.push(with(rebuilt(Some(number), Some(bounds), None), results.to_vec()));
            }
        }
        let held = Expr::variable(VariableId(number as u32)).modulo(2).expect("small");
        let mut halved = domain.clone();
        halved.constrain(&held, Interval::point(0));
        mutants.push(with(halved, results.to_vec()));
    }
    for (place, constraint) in domain.constraints().iter().enumerate() {
        mutants.push(with(rebuilt(None, None, Some(place)), results.to_vec()));
        let (lo, hi) = (constraint.bounds.lo(), constraint.bounds.hi());
        for (lo, hi) in [(lo - 1, hi), (lo + 1, hi), (lo, hi - 1), (lo, hi + 1)] {
            let mut other = rebuilt(None, None, Some(place));
            other.constrain(&constraint.expr, Interval::new(lo, hi));
            mutants.push(with(other, results.to_vec()));
        }
    }
    for number in 0..map.runtime.len() {
        let mut other = map.clone();
        let clamp = other.runtime[number].clamp;
        other.runtime[number].clamp = Interval::new(clamp.lo(), clamp.hi() - 1);
        mutants.push(other);
        let mut other = map.clone();
        if let ValueSource::Operand { operand, .. } = &mut other.runtime[number].source {
            *operand += 1;
        }
        mutants.push(other);
        for place in 0..map.runtime[number].index.len() {
            let mut other = map.clone();
            let index = &mut other.runtime[number].index[place];
            *index = Expr::sum(1, [(1, index.clone())]).expect("small");
            mutants.push(other);
        }
    }
    mutants
}

/// Returns the reads of a set of maps at every element of the output, for some values of tensors.
pub fn all_read(reads: &Reads, sizes: &[i64]) -> Vec<BTreeSet<Vec<i64>>> {
    let maps = reads.maps().expect("maps");
    let mut all = Vec::new();
    for round in 0..12 {
        for d in indices(sizes) {
            let own = maps.iter().flat_map(|map| read_by(map, &d, round));
            all.push(own.collect());
        }
    }
    all
}

fn read_by(map: &OperandMap, d: &[i64], round: i64) -> BTreeSet<Vec<i64>> {
    let domain = map.map.domain();
    let mut found = BTreeSet::new();
    let ranges = domain.ids(VariableKind::Range).map(|id| domain.bounds(id));
    let ranges: Vec<Interval> = ranges.collect();
    let sizes: Vec<i64> = ranges.iter().map(|r| r.hi() - r.lo() + 1).collect();
    for s in indices(&sizes) {
        let s = s.iter().zip(&ranges).map(|(s, range)| s + range.lo());
        let mut point: Vec<i64> = d.iter().copied().chain(s).collect();
        point.resize(domain.variables().len(), 0);
        for runtime in &map.runtime {
            let index = runtime.index.iter().map(|x| x.eval(&point).expect("small"));
            let ValueSource::Operand { operand, .. } = runtime.source else {
                panic!("{runtime:?}")
            };
            let place = index.fold(operand as i64 * 31 + round * 7, |sum, k| sum * 13 + k * 5);
            let raw = (place * place + place).rem_euclid(11) - 3;
            point[runtime.variable.index()] = raw.min(runtime.clamp.hi()).max(runtime.clamp.lo());
        }
        if domain.contains(&point).expect("small") {
            found.insert(map.map.eval(&point).expect("small"));
        }
    }
    found
}

fn indices(sizes: &[i64]) -> Vec<Vec<i64>> {
    sizes.iter().fold(vec![Vec::new()], |all, size| {
        let longer = |index: &Vec<i64>| {
            let index = index.clone();
            (0..*size).map(move |k| [&index[..], &[k]].concat())
        };
        all.iter().flat_map(longer).collect()
    })
}
