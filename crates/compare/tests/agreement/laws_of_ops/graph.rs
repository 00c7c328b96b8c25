//! The reads of a program, element by element, by its derived maps or by the definition of its op.

use super::tie::{Subject, Tie};
use affinor::expr::VariableKind;
use affinor::text::Error;
use affinor_definition::{self as definition, Access, Source};
use affinor_hlo::{self as hlo, module::Module, shape::Shape};
use affinor_ops::indexing::{Analysis, OperandMap, OperandReads, ValueSource};
use std::collections::{BTreeMap, BTreeSet};

/// Elements, by their indices.
pub type Elements = BTreeSet<Vec<i64>>;

/// The reads at each index.
pub struct Graph {
    /// The sizes of the array that the indices belong to.
    from: Vec<i64>,
    /// The largest size of an array in the program.
    pub largest: i64,
    parts: Vec<Part>,
    unread: bool,
}

/// The reads of one operand: by any of these maps, whose results are indices of an array of these sizes, or by definition.
enum Part {
    Maps(Vec<OperandMap>, Vec<i64>),
    Defined(Vec<Access>),
}

/// Returns the reads in the direction of the tie, or the reason why the program is not valid.
pub fn of(tie: &Tie, program: &str) -> Result<Graph, String> {
    let refused = |error: Error| format!("{error} in {program}");
    let module = hlo::read(program.as_bytes()).map_err(refused)?;
    let body = &module[module.entry()];
    let root = &body[body.root()];
    let output = sizes(root.shape());
    let operands: Vec<Vec<i64>> = body.operands(root).map(|x| sizes(x.shape())).collect();
    let all = body.instructions().map(|(_, x)| sizes(x.shape()));
    let largest = all.flatten().max().unwrap_or(0);
    let mut analysis = Analysis::new(&module, &|map| map.clone());
    let mut forwards = || {
        let reads = analysis.instruction(module.entry(), body.root());
        reads.map_err(refused)
    };
    let (from, parts) = match tie.subject {
        Subject::Reads(k) => (output, vec![maps(&forwards()?, k, &operands[k])]),
        Subject::Everywhere(list) | Subject::Nowhere(list) => {
            let reads = forwards()?;
            let part = |k: &usize| maps(&reads, *k, &operands[*k]);
            (output, list.iter().map(part).collect())
        }
        Subject::Readers(k) => {
            let readers = analysis.readers(module.entry(), body.root());
            let part = maps(&readers.map_err(refused)?, k, &output);
            (operands[k].clone(), vec![part])
        }
        Subject::Through(k) => {
            let reads = analysis.computation(module.entry()).map_err(refused)?;
            let parameter = body.parameters()[k];
            (output, vec![maps(&reads, k, &sizes(body[parameter].shape()))])
        }
        Subject::Defined(k) => (output, vec![defined(&module, k)]),
    };
    Ok(Graph { from, largest, parts, unread: matches!(tie.subject, Subject::Nowhere(_)) })
}

fn sizes(shape: &Shape) -> Vec<i64> {
    let array = shape.as_array().expect("an array");
    array.sizes().expect("known sizes")
}

fn maps(reads: &[OperandReads], operand: usize, target: &[i64]) -> Part {
    let of_operand = reads.iter().filter(|entry| entry.operand == operand);
    let maps = of_operand.flat_map(|entry| entry.reads.maps().expect("known reads"));
    Part::Maps(maps.cloned().collect(), target.to_vec())
}

fn defined(module: &Module, operand: usize) -> Part {
    let body = &module[module.entry()];
    let definition = definition::of(module, body, &body[body.root()]);
    let definition = definition.unwrap_or_else(|error| panic!("{error:?}"));
    let accesses = definition.accesses().iter();
    Part::Defined(accesses.filter(|access| access.operand == operand).cloned().collect())
}

impl Graph {
    /// Returns the indices of the array, and those just outside of it if `beyond`.
    pub fn indices(&self, beyond: bool) -> Vec<Vec<i64>> {
        let margin = if beyond { 3 } else { 0 };
        let ranges = self.from.iter().map(|size| (-margin, size - 1 + margin));
        points(&ranges.collect::<Vec<_>>())
    }

    /// Returns the elements read at an index if every element of operand `k` is `values[k]`. For several operands, and for
    /// operands that are not read, returns only whether the claim holds: `[[]]` or `[]`.
    pub fn read(&self, index: &[i64], values: &BTreeMap<usize, i64>) -> Elements {
        let is_index = index.iter().zip(&self.from).all(|(x, size)| 0 <= *x && x < size);
        if !is_index {
            return Elements::new();
        }
        let read = |part: &Part| match part {
            Part::Maps(maps, target) => {
                maps.iter().flat_map(|map| read_by(map, index, values, target)).collect()
            }
            Part::Defined(accesses) => {
                accesses.iter().flat_map(|access| defined_by(access, index, values)).collect()
            }
        };
        let mut all: Vec<Elements> = self.parts.iter().map(read).collect();
        if let ([_], false) = (&all[..], self.unread) {
            return all.swap_remove(0);
        }
        let answer = all.iter().all(|part| part.is_empty() == self.unread);
        answer.then(Vec::new).into_iter().collect()
    }
}

fn read_by(map: &OperandMap, d: &[i64], values: &BTreeMap<usize, i64>, target: &[i64]) -> Elements {
    let domain = map.map.domain();
    let ranges = domain.ids(VariableKind::Range).map(|id| domain.bounds(id));
    let ranges: Vec<(i64, i64)> = ranges.map(|range| (range.lo(), range.hi())).collect();
    let mut found = Elements::new();
    for s in points(&ranges) {
        let mut point = [d, &s].concat();
        point.resize(domain.variables().len(), 0);
        for runtime in &map.runtime {
            let ValueSource::Operand { operand, .. } = runtime.source else {
                panic!("{runtime:?}")
            };
            let clamp = runtime.clamp;
            point[runtime.variable.index()] = values[&operand].min(clamp.hi()).max(clamp.lo());
        }
        if domain.contains(&point).expect("small") {
            let element = map.map.eval(&point).expect("small");
            let inside = element.iter().zip(target).all(|(x, size)| 0 <= *x && x < size);
            assert!(inside, "{element:?} is not an index of {target:?}: {map:?}");
            found.insert(element);
        }
    }
    found
}

fn defined_by(access: &Access, d: &[i64], values: &BTreeMap<usize, i64>) -> Elements {
    let mut lookup = |source: &Source, _: &Vec<usize>, _: &[i64]| match source {
        Source::Operand(operand) => Ok(values[operand]),
        inside => panic!("{inside:?}"),
    };
    let mut steps = 1_000_000;
    let found = definition::elements(access, d, &mut lookup, &mut steps);
    found.unwrap_or_else(|error| panic!("{error}"))
}

/// Returns all points of a box.
pub fn points(ranges: &[(i64, i64)]) -> Vec<Vec<i64>> {
    ranges.iter().fold(vec![Vec::new()], |points, (lo, hi)| {
        let longer = |point: &Vec<i64>| {
            let point = point.clone();
            (*lo..=*hi).map(move |x| [&point[..], &[x]].concat())
        };
        points.iter().flat_map(longer).collect()
    })
}
