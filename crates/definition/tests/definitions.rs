//! The definitions of ops compared with measurements of running programs.
//!
//! Each line of the data is a random HLO program with the dependences measured by changing one input element at a time and
//! running the program in XLA on a CPU (jaxlib 0.10.2). The reference interpreter must find every measured dependence, and
//! nothing else if its reads are certain and the file has the reads of the program's operations.

#[path = "../../../tests/support/numbers.rs"]
mod numbers;

use affinor_definition::{
    Access, Certainty, Definitions, Interpreter, NoDefinition, ParameterElement, Source,
    elements as elements_of,
};
use affinor_hlo as hlo;
use affinor_hlo::module::Module;
use affinor_hlo::opcode::Opcode;
use affinor_maps::text::{Error, ErrorKind};
use numbers::indices;
use serde_json::Value;
use std::collections::BTreeSet;

/// Maximum number of indices tried for one program.
const STEPS: u64 = 10_000_000;

struct Program {
    id: String,
    module: Module,
    row: Value,
}

impl Program {
    fn new(line: &str) -> Program {
        let row: Value = serde_json::from_str(line).expect("a JSON object");
        let text = row["hlo"].as_str().expect("a text");
        let id = row["id"].as_str().expect("an id").to_string();
        let module = hlo::read(text.as_bytes()).unwrap_or_else(|e| panic!("{id}: {e}\n{text}"));
        Program { id, module, row }
    }

    /// Returns whether the program has a loop whose trip count depends on values.
    fn iterates(&self) -> bool {
        let computations = self.module.computations();
        let mut instructions = computations.flat_map(|(_, body)| body.instructions());
        instructions.any(|(_, instruction)| *instruction.opcode() == Opcode::While)
    }

    /// Returns the value of an element of a parameter that determines offsets.
    fn fixed(&self, element: &ParameterElement) -> Option<i64> {
        let fixed = self.row["fixed"].get(element.parameter.to_string())?;
        let at = |value: &Value, k: &i64| value.get(usize::try_from(*k).ok()?).cloned();
        let start = Some(fixed.clone());
        let value = element.index.iter().fold(start, |value, k| at(&value?, k));
        value?.as_i64()
    }

    /// Compares every element of the output with the file, and counts equal ones.
    fn check(&self, tally: &mut Tally) {
        let known = |element: &ParameterElement| self.fixed(element);
        let mut interpreter = Interpreter::new(&self.module, &known, STEPS);
        let deps = self.row["deps"].as_object().expect("a table");
        for (parameter, table) in deps {
            let number: usize = parameter.parse().expect("a number");
            let exact = self.row["exact"][parameter] == true;
            for (key, measured) in table.as_object().expect("a table") {
                let (path, index) = output_index(key);
                let place = format!("{}: output {key:?}, parameter {parameter}", self.id);
                let found = interpreter.dependence(&path, &index);
                let found = found.unwrap_or_else(|error| panic!("{place}: {error}"));
                let own = found.elements.iter().filter(|x| x.parameter == number);
                let own: BTreeSet<Vec<i64>> = own.map(|x| x.index.clone()).collect();
                let measured = elements(measured);
                assert!(measured.is_subset(&own), "{place}: {own:?} lacks some of {measured:?}");
                let by_definition = match &self.row["reads"][parameter][key] {
                    Value::Null if exact => Some(measured),
                    Value::Null => None,
                    reads => Some(elements(reads)),
                };
                tally.compared += 1;
                let Some(by_definition) = by_definition else {
                    continue;
                };
                if found.certain {
                    assert_eq!(own, by_definition, "{place}");
                    tally.certain += 1;
                }
                if own == by_definition {
                    tally.equal += 1;
                } else {
                    tally.wider.insert(self.id.clone());
                }
            }
        }
    }
}

fn elements(list: &Value) -> BTreeSet<Vec<i64>> {
    serde_json::from_value(list.clone()).expect("indices")
}

/// Returns the path and index in `d0,d1` or `#n:d0,d1`.
fn output_index(key: &str) -> (Vec<usize>, Vec<i64>) {
    let (path, index) = match key.strip_prefix('#').and_then(|rest| rest.split_once(':')) {
        Some((part, index)) => (vec![part.parse().expect("a number")], index),
        None => (vec![], key),
    };
    let numbers = index.split(',').filter(|number| !number.is_empty());
    let index = numbers.map(|n| n.parse().expect("a number")).collect();
    (path, index)
}

/// The numbers of compared pairs of an element of the output and a parameter.
#[derive(Debug, Default)]
struct Tally {
    compared: usize,
    /// Pairs for which the definitions have exactly the reads of the file.
    equal: usize,
    /// Pairs whose reads are certain.
    certain: usize,
    /// Programs with possible reads that are not in the file.
    wider: BTreeSet<String>,
}

/// Returns the elements of parameters that one element of the output reads by the relations of a whole program; `None` if these
/// need a value that is computed inside.
fn composed(
    program: &Program,
    accesses: &[Access],
    d: &[i64],
) -> Option<BTreeSet<(usize, Vec<i64>)>> {
    let mut found = BTreeSet::new();
    for access in accesses {
        let mut lookup = |source: &Source, path: &Vec<usize>, index: &[i64]| {
            let element = match source {
                Source::Inside { .. } | Source::Name(_) => None,
                Source::Operand(parameter) => program.fixed(&ParameterElement {
                    parameter: *parameter,
                    path: path.clone(),
                    index: index.to_vec(),
                }),
            };
            element.ok_or_else(|| Error::without_span(ErrorKind::Unsupported, "it is not known"))
        };
        let mut steps = STEPS;
        let read = elements_of(access, d, &mut lookup, &mut steps);
        match read {
            Ok(read) => found.extend(read.into_iter().map(|index| (access.operand, index))),
            Err(error) if error.kind == ErrorKind::Unsupported => return None,
            Err(error) => panic!("{}: {error}", program.id),
        }
    }
    Some(found)
}

#[test]
fn relations_behind_each_other_are_what_the_interpreter_follows() {
    let (mut compared, mut programs, mut loops) = (0, 0, 0);
    for line in include_str!("../../../tests/data/measured_programs.jsonl").lines() {
        let program = Program::new(line);
        let iterates = program.iterates();
        let mut definitions = Definitions::new(&program.module);
        let definition = match definitions.computation(program.module.entry()) {
            Ok(definition) => definition,
            Err(NoDefinition::Unknown(_)) => continue,
            Err(NoDefinition::Invalid(error)) => panic!("{}: {error}", program.id),
        };
        programs += 1;
        let known = |element: &ParameterElement| program.fixed(element);
        let mut interpreter = Interpreter::new(&program.module, &known, STEPS);
        let body = &program.module[program.module.entry()];
        for (path, leaf) in body[body.root()].shape().leaves() {
            let accesses: Vec<Access> = definition
                .accesses()
                .iter()
                .filter(|access| access.output == path)
                .cloned()
                .collect();
            let sizes = leaf.as_array().and_then(|array| array.sizes());
            for d in indices(&sizes.expect("an array of known sizes")) {
                let Some(found) = composed(&program, &accesses, &d) else {
                    continue;
                };
                let expected = interpreter.dependence(&path, &d).expect("small programs");
                let expected = expected.elements.iter();
                let expected: BTreeSet<(usize, Vec<i64>)> =
                    expected.map(|x| (x.parameter, x.index.clone())).collect();
                let place = format!("{} at {path:?} {d:?}", program.id);
                let is_bound =
                    |access: &Access| matches!(access.certainty, Certainty::Bound { .. });
                if iterates || accesses.iter().any(is_bound) {
                    // Unlike the relations, the interpreter knows trip counts and overwritten elements.
                    assert!(expected.is_subset(&found), "{place}: {expected:?} in {found:?}");
                    loops += usize::from(iterates);
                } else {
                    assert_eq!(found, expected, "{place}");
                }
                compared += 1;
            }
        }
    }
    assert!(
        programs >= 500 && compared >= 5_000 && loops >= 15,
        "{programs} programs, {compared} elements, {loops} of loops"
    );
}

#[test]
fn definitions_read_what_was_measured() {
    let mut tally = Tally::default();
    for line in include_str!("../../../tests/data/measured_programs.jsonl").lines() {
        Program::new(line).check(&mut tally);
    }
    assert!(tally.certain >= 20_000, "{tally:?}");
    assert_eq!(tally.equal, tally.compared, "{tally:?}");
}
