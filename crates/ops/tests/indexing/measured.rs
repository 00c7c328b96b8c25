//! The maps of small programs compared with measurements of running them.
//!
//! `data/measured_programs.jsonl` holds 560 random HLO programs with the dependences measured by changing one input element at
//! a time and running the program in XLA on a CPU (jaxlib 0.10.2). For each output element, the union of the maps must contain
//! every measured dependence; if it is exact and the reads of the program's definition are known, both must be equal.

use crate::support::measured::{Elements, measured};
use affinor::expr::VariableKind;
use affinor_hlo as hlo;
use affinor_hlo::module::{ComputationId, InstructionId, Module};
use affinor_hlo::opcode::Opcode;
use affinor_ops::indexing::{
    Analysis, OperandMap, OperandReads, Reads, RuntimeVariable, ValueSource,
};
use serde_json::Value;
use std::collections::BTreeMap;

/// A program of the file: its parameters and its measurements.
struct Program {
    id: String,
    module: Module,
    /// Values of the parameters that determine offsets and indices: integers in nested lists.
    fixed: BTreeMap<usize, Value>,
    row: Value,
}

impl Program {
    fn new(line: &str) -> Program {
        let row: Value = serde_json::from_str(line).expect("a JSON object");
        let text = row["hlo"].as_str().expect("a text");
        let id = row["id"].as_str().expect("an id").to_string();
        let module = hlo::read(text.as_bytes()).unwrap_or_else(|e| panic!("{id}: {e}\n{text}"));
        let fixed = row["fixed"].as_object().expect("an object").iter();
        let numbered = |(k, v): (&String, &Value)| Some((k.parse().ok()?, v.clone()));
        Program { fixed: fixed.filter_map(numbered).collect(), id, module, row }
    }

    /// Returns the element at `index` of a parameter that determines offsets; `None` if no such element exists.
    fn steering(&self, parameter: usize, index: &[i64]) -> Option<i64> {
        let at = |list: &Value, x: &i64| list.get(usize::try_from(*x).ok()?).cloned();
        let list = self.fixed.get(&parameter)?.clone();
        index.iter().try_fold(list, |list, x| at(&list, x))?.as_i64()
    }

    /// Returns the element at `index` of an integer tensor inside the program; `None` if no such element exists.
    fn element(
        &self,
        computation: ComputationId,
        id: InstructionId,
        index: &[i64],
        through: &[(ComputationId, InstructionId)],
    ) -> Option<i64> {
        let instruction = &self.module[computation][id];
        let sizes = instruction.shape().as_array()?.sizes()?;
        if index.iter().zip(&sizes).any(|(x, size)| !(0..*size).contains(x)) {
            return None;
        }
        let element_of = |k: usize, index: &[i64]| {
            let operand = *instruction.operands().get(k)?;
            self.element(computation, operand, index, through)
        };
        let operand = |k: usize| element_of(k, index);
        match instruction.opcode() {
            Opcode::Parameter => match through.split_last() {
                None => self.steering(instruction.parameter_number()?, index),
                Some(((caller, call), through)) => {
                    let call = &self.module[*caller][*call];
                    let argument = *call.operands().get(instruction.parameter_number()?)?;
                    self.element(*caller, argument, index, through)
                }
            },
            Opcode::Constant => {
                let position = index.iter().zip(&sizes).fold(0, |p, (x, size)| p * size + x);
                let values = instruction.constant_integers().ok()??;
                values.get(usize::try_from(position).ok()?).copied()
            }
            Opcode::Iota => Some(index[instruction.iota_dimension(sizes.len()).ok()?]),
            Opcode::Add => Some(operand(0)? + operand(1)?),
            Opcode::Subtract => Some(operand(0)? - operand(1)?),
            Opcode::Multiply => Some(operand(0)? * operand(1)?),
            Opcode::Negate => Some(-operand(0)?),
            Opcode::Maximum => Some(operand(0)?.max(operand(1)?)),
            Opcode::Minimum => Some(operand(0)?.min(operand(1)?)),
            Opcode::Abs => Some(operand(0)?.abs()),
            Opcode::Convert | Opcode::Copy => operand(0),
            Opcode::Reshape | Opcode::Bitcast if sizes.is_empty() => element_of(0, &[]),
            Opcode::Clamp => Some(operand(1)?.min(operand(2)?).max(operand(0)?)),
            opcode => panic!("{}: no value for `{opcode}`", self.id),
        }
    }

    /// Returns the value of a runtime variable at a point, clamped to its interval; `None` if its index is outside of its
    /// tensor. For a parameter whose value was not fixed, all values were measured.
    fn values(&self, runtime: &RuntimeVariable, point: &[i64]) -> Option<Vec<i64>> {
        let index = runtime.index.iter().map(|index| index.eval(point));
        let index: Vec<i64> = index.collect::<Result<_, _>>().expect("small numbers");
        let (lo, hi) = (runtime.clamp.lo(), runtime.clamp.hi());
        let element = match &runtime.source {
            ValueSource::Operand { operand, .. } if !self.fixed.contains_key(operand) => {
                return Some((lo..=hi).collect());
            }
            ValueSource::Operand { operand, .. } => self.steering(*operand, &index),
            ValueSource::Instruction { at, through, .. } => {
                let through: Vec<_> =
                    through.iter().map(|p| (p.computation, p.instruction)).collect();
                self.element(at.computation, at.instruction, &index, &through)
            }
        };
        Some(vec![element?.clamp(lo, hi)])
    }

    /// Returns the elements that `map` reads at output index `d`.
    fn read_by(&self, map: &OperandMap, d: &[i64]) -> Elements {
        let domain = map.map.domain();
        let mut points = vec![d.to_vec()];
        for id in domain.ids(VariableKind::Range) {
            let bounds = domain.bounds(id);
            points = points
                .iter()
                .flat_map(|point| (bounds.lo()..=bounds.hi()).map(|x| [&point[..], &[x]].concat()))
                .collect();
        }
        let runtimes = domain.count(VariableKind::Runtime);
        let described = map.runtime.len();
        assert_eq!(described, runtimes, "each runtime variable has a source");
        let mut read = Elements::new();
        for mut point in points {
            point.resize(point.len() + runtimes, i64::MAX); // a sentinel that exposes a use before the value is known
            let mut points = vec![(point, true)];
            for runtime in &map.runtime {
                let at = runtime.variable.index();
                points = points
                    .into_iter()
                    .flat_map(|(point, known)| {
                        let values = self.values(runtime, &point);
                        let known = known && values.is_some();
                        let values = values.unwrap_or_else(|| vec![runtime.clamp.lo()]);
                        values.into_iter().map(move |value| {
                            let mut point = point.clone();
                            point[at] = value;
                            (point, known)
                        })
                    })
                    .collect();
            }
            for (point, known) in points {
                let inside = domain.contains(&point).expect("small numbers");
                let id = &self.id;
                assert!(known || !inside, "{id}: no value at {point:?} of {map:?}");
                if inside {
                    read.insert(map.map.eval(&point).expect("small numbers"));
                }
            }
        }
        read
    }

    /// Checks all pairs of an array of the output and an array of a parameter.
    fn check(&self, tally: &mut Tally) {
        let mut analysis = Analysis::new(&self.module, &|map| map.clone());
        let reads = analysis.computation(self.module.entry());
        let reads = reads.unwrap_or_else(|e| panic!("{}: {e}", self.id));
        let mut exact = true;
        for entry in reads.iter() {
            let (measured, by_definition) = measured(&self.row, entry.operand);
            let Reads::Maps(union) = &entry.reads else {
                panic!("{}: {:?}", self.id, entry.reads);
            };
            tally.pairs += 1;
            exact &= entry.reads.is_exact();
            tally.compared += usize::from(entry.reads.is_exact() && by_definition.is_some());
            for (key, deps) in &measured {
                let Some(d) = output_index(key, entry) else {
                    continue;
                };
                let read: Elements = union.iter().flat_map(|map| self.read_by(map, &d)).collect();
                let place = format!("{}: output {key:?}, parameter {}", self.id, entry.operand);
                assert!(deps.is_subset(&read), "{place}: {read:?} lacks some of {deps:?}");
                if let (true, Some(definition)) = (entry.reads.is_exact(), &by_definition) {
                    assert_eq!(&read, &definition[key], "{place}: {union:?}");
                }
            }
        }
        if !exact {
            let kind = self.row["kind"].as_str().expect("a kind");
            tally.wider.push(kind.to_string());
        }
    }
}

/// Returns the index in `d0,d1` or `#n:d0,d1`, if it belongs to the entry's output.
fn output_index(key: &str, entry: &OperandReads) -> Option<Vec<i64>> {
    let (path, index) = match key.strip_prefix('#').and_then(|rest| rest.split_once(':')) {
        Some((part, index)) => (vec![part.parse::<usize>().ok()?], index),
        None => (vec![], key),
    };
    let numbers = index.split(',').filter(|number| !number.is_empty());
    (path == entry.output).then(|| numbers.map(|n| n.parse().expect("a number")).collect())
}

/// The numbers of compared pairs of an array of the output and an array of a parameter.
#[derive(Debug, Default)]
struct Tally {
    pairs: usize,
    /// Pairs whose maps are exact, and equal to the reads of the definition.
    compared: usize,
    /// The kinds of the programs with a pair whose maps are upper bounds.
    wider: Vec<String>,
}

#[test]
fn maps_hold_what_was_measured() {
    let mut tally = Tally::default();
    for line in include_str!("../../../../tests/data/measured_programs.jsonl").lines() {
        Program::new(line).check(&mut tally);
    }
    tally.wider.sort();
    // The element that a window selects is known only at run time. Iterations are counted.
    let expected = ["select_and_scatter"];
    assert_eq!(tally.wider, expected, "{tally:?}");
    assert!(tally.pairs >= 1_200, "{tally:?}");
    // In a few programs only, the values of constants hide which positions are read.
    assert!(tally.compared + 15 >= tally.pairs, "{tally:?}");
}
