//! Simulation by brute force: every thread in turn, every byte it touches, sets of segments and words.
//!
//! It shares only the evaluation of maps with the library.

use affinor::expr::{IndexingMap, VariableId, VariableKind};
use affinor_ops::footprint::access::Measure;
use std::collections::{BTreeMap, BTreeSet};

/// The numbers of an answer, from simulation.
#[derive(PartialEq, Eq, Debug, Default)]
pub struct Simulated {
    pub accesses: u128,
    pub elements: u128,
    pub total: u128,
    pub ideal: u128,
    pub spread: BTreeMap<u64, u128>,
    /// The first access with the greatest excess over its ideal cost.
    pub worst: Option<(Vec<i64>, u64, u64)>,
}

/// The program that is simulated.
pub struct Program<'a> {
    pub map: &'a IndexingMap,
    pub threads: &'a [VariableId],
    pub block: &'a [i64],
    pub vector: &'a [VariableId],
    pub warp: i64,
    pub bytes: i64,
    pub offset: i64,
    pub measure: Measure,
}

/// Runs all threads. `position` maps an index to the position of its element; `None` outside the array.
pub fn simulate(program: &Program<'_>, position: &dyn Fn(&[i64]) -> Option<i64>) -> Simulated {
    let domain = program.map.domain();
    let all: Vec<VariableId> = (0..domain.variables().len() as u32).map(VariableId).collect();
    let others = |kind| -> Vec<VariableId> {
        let ids = all.iter().copied();
        let of_kind = ids.filter(|id| domain.variables()[id.0 as usize].kind == kind);
        of_kind.filter(|id| !program.threads.contains(id) && !program.vector.contains(id)).collect()
    };
    let (before, after) = (others(VariableKind::Dimension), others(VariableKind::Range));
    let threads: i64 = program.block.iter().product();
    let mut simulated = Simulated::default();
    for outer in values(program.map, &before) {
        for first in (0..threads).step_by(program.warp as usize) {
            for loops in values(program.map, &after) {
                let mut bytes = BTreeSet::new();
                let mut elements = 0;
                for thread in first..threads.min(first + program.warp) {
                    for vector in values(program.map, program.vector) {
                        let mut point = vec![0; all.len()];
                        let mut rest = thread;
                        for (id, size) in program.threads.iter().zip(program.block) {
                            point[id.0 as usize] = rest % size;
                            rest /= size;
                        }
                        for (ids, values) in
                            [(&before[..], &outer), (&after, &loops), (program.vector, &vector)]
                        {
                            for (id, value) in ids.iter().zip(values) {
                                point[id.0 as usize] = *value;
                            }
                        }
                        if domain.contains(&point) != Ok(true) {
                            continue;
                        }
                        let index = program.map.eval(&point).expect("small numbers");
                        let Some(position) = position(&index) else {
                            continue;
                        };
                        elements += 1;
                        let address = program.offset + position * program.bytes;
                        bytes.extend(address..address + program.bytes);
                    }
                }
                let mut at = outer.clone();
                if threads > program.warp {
                    at.push(first / program.warp);
                }
                at.extend(loops);
                simulated.add(at, elements, price(&bytes, program.measure));
            }
        }
    }
    simulated
}

impl Simulated {
    fn add(&mut self, at: Vec<i64>, elements: u128, (cost, ideal): (u64, u64)) {
        if elements == 0 {
            return;
        }
        self.accesses += 1;
        self.elements += elements;
        self.total += u128::from(cost);
        self.ideal += u128::from(ideal);
        *self.spread.entry(cost).or_default() += 1;
        let above = |(_, cost, ideal): &(Vec<i64>, u64, u64)| cost - ideal;
        let this = (at, cost, ideal);
        if self.worst.as_ref().is_none_or(|worst| above(&this) > above(worst)) {
            self.worst = Some(this);
        }
    }
}

/// Returns the cost of touching these bytes, and the least possible cost of as many bytes.
fn price(bytes: &BTreeSet<i64>, measure: Measure) -> (u64, u64) {
    match measure {
        Measure::Transactions { bytes: size } => {
            let segments: BTreeSet<i64> = bytes.iter().map(|b| b.div_euclid(size)).collect();
            let least = (bytes.len() as u64).div_ceil(size as u64);
            (segments.len() as u64, least)
        }
        Measure::Banks { banks, bytes: size } => {
            let words: BTreeSet<i64> = bytes.iter().map(|b| b.div_euclid(size)).collect();
            let mut of_bank: BTreeMap<i64, u64> = BTreeMap::new();
            for word in &words {
                *of_bank.entry(word.rem_euclid(banks)).or_default() += 1;
            }
            let most = of_bank.values().copied().max().unwrap_or(0);
            (most, (words.len() as u64).div_ceil(banks as u64))
        }
    }
}

/// Returns all values of some variables, the last moving fastest.
fn values(map: &IndexingMap, ids: &[VariableId]) -> Vec<Vec<i64>> {
    let mut all = vec![Vec::new()];
    for id in ids {
        let bounds = map.domain().bounds(*id);
        let longer = |point: &Vec<i64>| -> Vec<Vec<i64>> {
            (bounds.lo()..=bounds.hi()).map(|value| [&point[..], &[value]].concat()).collect()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}
