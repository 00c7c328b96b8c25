//! The maps of small programs against what running them shows.
//!
//! `data/measured_reads.jsonl` holds random HLO programs with the dependences measured by changing one
//! input element at a time and running the program in XLA on a CPU (jaxlib 0.10.2). For each output
//! element, the union of the maps must hold every measured dependence; where it claims to be exact and
//! the definition of the program is known to read nothing else, both must be equal.

use affinor::expr::VariableId;
use affinor::hlo;
use affinor::hlo::module::{ComputationId, InstructionId, Module};
use affinor::hlo::opcode::Opcode;

use affinor::indexing::{Analysis, OperandMap, OperandReads, Reads, RuntimeVariable, ValueSource};
use affinor::map::VariableKind;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

type Elements = BTreeSet<Vec<i64>>;

/// A program of the file: what its parameters are and what was measured.
struct Program {
    id: String,
    module: Module,
    /// Values of the parameters that steer offsets.
    fixed: BTreeMap<usize, i64>,
    row: Value,
}

impl Program {
    fn new(line: &str) -> Program {
        let row: Value = serde_json::from_str(line).expect("a JSON object");
        let text = row["hlo"].as_str().expect("a text");
        let id = row["id"].as_str().expect("an id").to_string();
        let module = hlo::read(text.as_bytes()).unwrap_or_else(|e| panic!("{id}: {e}\n{text}"));
        let fixed = row["fixed"].as_object().expect("an object").iter();
        let number = |(k, v): (&String, &Value)| Some((k.parse().ok()?, v.as_i64()?));
        Program {
            fixed: fixed.filter_map(number).collect(),
            id,
            module,
            row,
        }
    }

    /// What the file says each output element reads of parameter `k`: measured, and by definition.
    fn measured(
        &self,
        k: usize,
    ) -> (
        BTreeMap<String, Elements>,
        Option<BTreeMap<String, Elements>>,
    ) {
        let elements = |table: &Value| -> BTreeMap<String, Elements> {
            let entries = table.as_object().expect("a table").iter();
            let set = |list: &Value| serde_json::from_value(list.clone()).expect("indices");
            entries
                .map(|(key, list)| (key.clone(), set(list)))
                .collect()
        };
        let key = k.to_string();
        let deps = elements(&self.row["deps"][&key]);
        let by_definition = match &self.row["reads"][&key] {
            Value::Null if self.row["exact"][&key] == true => Some(deps.clone()),
            Value::Null => None,
            reads => Some(elements(reads)),
        };
        (deps, by_definition)
    }

    /// The value of an integer scalar inside the program.
    fn scalar(
        &self,
        computation: ComputationId,
        id: InstructionId,
        through: &[(ComputationId, InstructionId)],
    ) -> Option<i64> {
        let instruction = &self.module[computation][id];
        let operand = |k: usize| {
            let operand = *instruction.operands().get(k)?;
            self.scalar(computation, operand, through)
        };
        match instruction.opcode() {
            Opcode::Parameter => match through.split_last() {
                None => self.fixed.get(&instruction.parameter_number()?).copied(),
                Some(((caller, call), through)) => {
                    let call = &self.module[*caller][*call];
                    let argument = *call.operands().get(instruction.parameter_number()?)?;
                    self.scalar(*caller, argument, through)
                }
            },
            Opcode::Constant => instruction.constant_integers().ok()??.first().copied(),
            Opcode::Add => Some(operand(0)? + operand(1)?),
            Opcode::Subtract => Some(operand(0)? - operand(1)?),
            Opcode::Multiply => Some(operand(0)? * operand(1)?),
            Opcode::Negate => Some(-operand(0)?),
            Opcode::Maximum => Some(operand(0)?.max(operand(1)?)),
            Opcode::Minimum => Some(operand(0)?.min(operand(1)?)),
            Opcode::Abs => Some(operand(0)?.abs()),
            Opcode::Convert | Opcode::Copy | Opcode::Reshape | Opcode::Bitcast => operand(0),
            Opcode::Clamp => Some(operand(1)?.min(operand(2)?).max(operand(0)?)),
            _ => None,
        }
    }

    /// The value of a runtime variable, forced into its interval. All sources here are scalars.
    fn value(&self, runtime: &RuntimeVariable) -> Option<i64> {
        let element = match &runtime.source {
            ValueSource::Operand { operand, .. } => self.fixed.get(operand).copied()?,
            ValueSource::Instruction { at, through, .. } => {
                let through: Vec<_> = through
                    .iter()
                    .map(|p| (p.computation, p.instruction))
                    .collect();
                self.scalar(at.computation, at.instruction, &through)?
            }
        };
        Some(element.min(runtime.clamp.hi()).max(runtime.clamp.lo()))
    }

    /// The elements that `map` says are read at output index `d`.
    fn read_by(&self, map: &OperandMap, d: &[i64]) -> Elements {
        let domain = map.map.domain();
        let variables = (0..).map(VariableId).zip(domain.variables()).skip(d.len());
        let mut points = vec![d.to_vec()];
        for (id, variable) in variables {
            let values: Vec<i64> = if variable.kind == VariableKind::Range {
                (variable.bounds.lo()..=variable.bounds.hi()).collect()
            } else {
                let runtime = map.runtime.iter().find(|runtime| runtime.variable == id);
                let runtime = runtime.expect("each runtime variable has a source");
                let value = self.value(runtime);
                vec![value.unwrap_or_else(|| panic!("{}: no value for {runtime:?}", self.id))]
            };
            points = points
                .iter()
                .flat_map(|point| values.iter().map(|x| [&point[..], &[*x]].concat()))
                .collect();
        }
        let inside = |point: &&Vec<i64>| domain.contains(point).expect("small numbers");
        let image = |point: &Vec<i64>| map.map.eval(point).expect("small numbers");
        points.iter().filter(inside).map(image).collect()
    }

    /// Checks all pairs of an array of the output and one of the parameters.
    fn check(&self, tally: &mut Tally) {
        let mut analysis = Analysis::new(&self.module, &|map| map.clone());
        let reads = analysis.computation(self.module.entry());
        let reads = reads.unwrap_or_else(|e| panic!("{}: {e}", self.id));
        for entry in reads.iter() {
            let (measured, by_definition) = self.measured(entry.operand);
            let Reads::Maps(union) = &entry.reads else {
                panic!("{}: {:?}", self.id, entry.reads);
            };
            let steering = self.fixed.contains_key(&entry.operand);
            let compare = entry.reads.is_exact() && !steering;
            tally.pairs += 1;
            tally.exact += usize::from(entry.reads.is_exact());
            tally.equal += usize::from(compare && by_definition.is_some());
            tally.steering += usize::from(steering);
            for (key, deps) in &measured {
                let Some(d) = output_index(key, entry) else {
                    continue;
                };
                let read: Elements = union.iter().flat_map(|map| self.read_by(map, &d)).collect();
                let place = format!("{}: output {key:?}, parameter {}", self.id, entry.operand);
                assert!(
                    deps.is_subset(&read),
                    "{place}: {read:?} lacks some of {deps:?}"
                );
                if let (true, Some(definition)) = (compare, &by_definition) {
                    assert_eq!(&read, &definition[key], "{place}: {union:?}");
                }
            }
        }
    }
}

/// The index in `d0,d1` or `#n:d0,d1`, if it is one of the entry's output.
fn output_index(key: &str, entry: &OperandReads) -> Option<Vec<i64>> {
    let (path, index) = match key.strip_prefix('#').and_then(|rest| rest.split_once(':')) {
        Some((part, index)) => (vec![part.parse::<usize>().ok()?], index),
        None => (vec![], key),
    };
    let numbers = index.split(',').filter(|number| !number.is_empty());
    (path == entry.output).then(|| numbers.map(|n| n.parse().expect("a number")).collect())
}

/// What was compared: pairs of an array of the output and one of the parameters.
#[derive(Debug, Default)]
struct Tally {
    pairs: usize,
    /// Pairs whose maps are exact.
    exact: usize,
    /// Pairs whose maps were found equal to what the definition reads.
    equal: usize,
    /// Pairs with a parameter that steers what is read: what was measured of it is a lower bound.
    steering: usize,
}

#[test]
fn maps_hold_what_was_measured() {
    let mut tally = Tally::default();
    for line in include_str!("data/measured_reads.jsonl").lines() {
        Program::new(line).check(&mut tally);
    }
    assert!(tally.pairs >= 60, "{tally:?}");
    assert_eq!(tally.exact, tally.pairs, "{tally:?}");
    assert_eq!(tally.equal + tally.steering, tally.pairs, "{tally:?}");
}
