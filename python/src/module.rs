//! HLO modules: the maps of their instructions.

use crate::errors::{about, wrong};
use crate::map::IndexMap;
use crate::means::{budget, options, python, simplifier};
use crate::session::{Answer, Options, ask};
use crate::work::run;
use affinor::expr::IndexingMap;
use affinor::simplify::Effort;
use affinor::text::{self, Error, ErrorKind};
use affinor_hlo as hlo;
use affinor_hlo::module::{ComputationId, InstructionId};
use affinor_hlo::shape::Shape;
use affinor_ops::footprint::operands::of_operands;
use affinor_ops::indexing::{Analysis, Exactness, OperandReads, Reads};
use affinor_ops::open_sizes::OpenSizes;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple, PyType};
use serde_json::{Value, json};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// An HLO module; its queries are in `affinor/_module.py`.
#[pyclass(frozen, weakref, subclass, module = "affinor._affinor")]
pub struct _Module {
    text: Arc<str>,
    module: hlo::module::Module,
    /// The path of the file, or `-`.
    #[pyo3(get)]
    source: String,
}

/// An instruction of a module, and its reads from each operand.
#[pyclass(frozen, weakref, module = "affinor")]
pub struct Instruction {
    /// The name of the instruction.
    #[pyo3(get)]
    name: String,
    /// The name of the computation that contains it.
    #[pyo3(get)]
    computation: String,
    /// The name of the opcode.
    #[pyo3(get)]
    opcode: String,
    /// The text of the shape.
    #[pyo3(get)]
    shape: String,
    operands: Vec<String>,
    reads: Vec<Read>,
    utilisation: Value,
}

/// The reads of one array of the output from one array of an operand: the number of the operand, the paths of both in tuples,
/// the maps, whether the maps are exact, and the reason if they are not.
type Read = (usize, Vec<usize>, Vec<usize>, Option<Vec<IndexMap>>, bool, Option<String>);

/// The parts of an instruction; the utilisation is JSON.
type Parts = (String, String, String, String, Vec<String>, Vec<Read>, String);

fn read(entry: &OperandReads) -> Read {
    let maps = entry.reads.maps();
    let maps = maps.map(|maps| maps.iter().map(|it| IndexMap(it.map.clone())).collect());
    let reason = match &entry.reads {
        Reads::Unknown { reason } => Some(reason),
        Reads::Maps(maps) => maps.iter().find_map(|it| match &it.exactness {
            Exactness::AtMost { reason } => Some(reason),
            Exactness::Exact => None,
        }),
    };
    let (path, output) = (entry.operand_path.to_vec(), entry.output.to_vec());
    let reason = reason.map(|reason| reason.to_string());
    (entry.operand, path, output, maps, entry.reads.is_exact(), reason)
}

#[pymethods]
impl _Module {
    #[new]
    fn new(text: &[u8], source: String) -> PyResult<_Module> {
        let module = affinor_mlir::read(text)
            .map_err(|error| about(&String::from_utf8_lossy(text), error))?;
        Ok(_Module { text: String::from_utf8_lossy(text).into(), module, source })
    }

    /// Returns the answers of a command about this module, and another one if it takes two.
    #[pyo3(signature = (command, options, other = None))]
    fn _ask(
        &self,
        py: Python<'_>,
        command: &str,
        options: Options,
        other: Option<&_Module>,
    ) -> PyResult<Vec<Answer>> {
        let mut modules = vec![(self.source.clone(), self.text.clone().into())];
        if let Some(other) = other {
            modules.push((other.source.clone(), other.text.clone().into()));
            if self.source == other.source {
                (modules[0].0, modules[1].0) = ("old".to_owned(), "new".to_owned());
            }
        }
        ask(py, command, &modules, options)
    }

    /// The name of the module, or None.
    #[getter]
    fn name(&self) -> Option<&str> {
        self.module.name()
    }

    /// The names of the computations, in the order of the text.
    #[getter]
    fn computations<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let all = self.module.computations();
        PyTuple::new(py, all.map(|(_, it)| it.name()).collect::<Vec<&str>>())
    }

    /// The name of the entry computation.
    #[getter]
    fn entry(&self) -> &str {
        self.module[self.module.entry()].name()
    }

    /// Returns the instructions of the entry computation, or of the named computation, in order, with their maps. They can be
    /// restricted to an opcode, to a name, and to a maximum number. The maps take constants and called computations into
    /// account.
    #[pyo3(signature = (computation = None, *, opcode = None, name = None, most = None))]
    fn instructions(
        &self,
        py: Python<'_>,
        computation: Option<&str>,
        opcode: Option<&str>,
        name: Option<&str>,
        most: Option<usize>,
    ) -> PyResult<Vec<Instruction>> {
        let id = match computation {
            None => self.module.entry(),
            Some(name) => self.module.computation_named(name).ok_or_else(|| {
                let message = format!("the module has no computation `{name}`");
                let error = Error::without_span(ErrorKind::Name, message);
                about("", error.hint("`computations` has the names"))
            })?,
        };
        let simplifier = simplifier()?;
        let found = run(py, |interrupt| {
            let options = options(Effort::default(), interrupt);
            let simplify = |map: &IndexingMap| simplifier.simplify(map, &options).map;
            let mut analysis = Analysis::new(&self.module, &simplify)
                .with_open(OpenSizes::of(&self.module, &simplify))
                .ended_by(interrupt);
            let budget = budget(interrupt);
            let all = self.module[id].instructions();
            let all = all.filter(|(_, it)| {
                opcode.is_none_or(|opcode| it.opcode().name() == opcode)
                    && name.is_none_or(|name| it.name() == name)
            });
            let all = all.map(|(it, _)| it).take(most.unwrap_or(usize::MAX));
            let all: Result<Vec<_>, text::Error> =
                all.map(|it| self.instruction(&mut analysis, (id, it), &budget)).collect();
            all.map(|all| (!interrupt.is_triggered()).then_some(all))
        })?;
        let found = found.map_err(|error| about(&self.text, error))?;
        found.ok_or_else(|| PyKeyboardInterrupt::new_err(()))
    }

    fn __str__(&self) -> &str {
        &self.text
    }

    fn __repr__(&self) -> String {
        let count = self.module.computations().len();
        let name = self.module.name().unwrap_or("without name");
        let plural = if count == 1 { "" } else { "s" };
        format!("<Module {name}: {count} computation{plural}>")
    }
}

impl _Module {
    fn instruction(
        &self,
        analysis: &mut Analysis<'_>,
        (computation, instruction): (ComputationId, InstructionId),
        budget: &affinor::prove::Budget,
    ) -> Result<Instruction, text::Error> {
        let reads = analysis.instruction(computation, instruction)?;
        let computation = &self.module[computation];
        let instruction = &computation[instruction];
        let operands = || computation.operands(instruction);
        let shapes: Vec<&Shape> = operands().map(|it| it.shape()).collect();
        let used = of_operands(&reads, &shapes, budget).into_iter();
        let used = used.map(|it| {
            let mut entry = match it.found {
                Ok(found) => json!(found),
                Err(reason) => json!({ "unknown": reason }),
            };
            entry["operand"] = json!(it.operand);
            entry["operand_path"] = json!(it.path);
            entry
        });
        Ok(Instruction {
            name: instruction.name().to_owned(),
            computation: computation.name().to_owned(),
            opcode: instruction.opcode().name().to_string(),
            shape: instruction.shape().to_string(),
            operands: operands().map(|it| it.name().to_owned()).collect(),
            utilisation: used.collect(),
            reads: reads.iter().map(read).collect(),
        })
    }
}

#[pymethods]
impl Instruction {
    /// Creates an instruction from its parts, for pickles.
    #[new]
    fn new(
        computation: String,
        name: String,
        opcode: String,
        shape: String,
        operands: Vec<String>,
        reads: Vec<Read>,
        utilisation: &str,
    ) -> PyResult<Instruction> {
        let utilisation = serde_json::from_str(utilisation);
        let utilisation =
            utilisation.map_err(|error| wrong(ErrorKind::Syntax, error.to_string()))?;
        Ok(Instruction { name, computation, opcode, shape, operands, reads, utilisation })
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyType>, Parts) {
        let own = [&self.computation, &self.name, &self.opcode, &self.shape];
        let [computation, name, opcode, shape] = own.map(String::clone);
        let (operands, reads) = (self.operands.clone(), self.reads.clone());
        let utilisation = self.utilisation.to_string();
        let parts = (computation, name, opcode, shape, operands, reads, utilisation);
        (py.get_type::<Instruction>(), parts)
    }

    fn __eq__(&self, other: &Instruction) -> bool {
        (&self.computation, &self.name, &self.opcode, &self.shape)
            == (&other.computation, &other.name, &other.opcode, &other.shape)
            && (&self.operands, &self.reads) == (&other.operands, &other.reads)
            && self.utilisation == other.utilisation
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (&self.computation, &self.name, &self.shape).hash(&mut hasher);
        hasher.finish()
    }

    /// The names of the operands.
    #[getter]
    fn operands<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.operands)
    }

    /// The reads, as a dict for each array of the output and each array of an operand that it reads: `operand`, its number;
    /// `maps`, from indices of the output to those of the operand, whose union contains all reads, or None if unknown;
    /// `exact`, whether it contains only reads; `reason`, if the maps are unknown or not exact; `output` and `operand_path`,
    /// the paths in tuples.
    #[getter]
    fn reads<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let of = |(operand, path, output, maps, exact, reason): &Read| {
            let dict = PyDict::new(py);
            dict.set_item("operand", operand)?;
            dict.set_item("operand_path", PyTuple::new(py, path)?)?;
            dict.set_item("output", PyTuple::new(py, output)?)?;
            dict.set_item("maps", maps.clone())?;
            dict.set_item("exact", exact)?;
            dict.set_item("reason", reason)?;
            Ok(dict)
        };
        self.reads.iter().map(of).collect()
    }

    /// The utilisation, as a dict for each array of an operand: `operand`, `operand_path`, the `share` of its `elements` that
    /// is read, their number (`read`) and the numbers of reads (`reads`, `average`, `greatest`), as printed by
    /// `hlo --utilisation --json`; or `unknown`, the reason why they are unknown.
    #[getter]
    fn utilisation<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        python(py, &self.utilisation)
    }

    fn __repr__(&self) -> String {
        let operands = self.operands.join(", ");
        let (name, shape, opcode) = (&self.name, &self.shape, &self.opcode);
        format!("<Instruction {name} = {shape} {opcode}({operands})>")
    }
}
