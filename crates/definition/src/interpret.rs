//! The reference interpreter of reads: the elements of the entry parameters that an element of a result depends on, by
//! following definitions from instruction to instruction.
//!
//! It enters fusions and calls with their operands; runs a loop as often as the values of its condition require; follows the
//! taken branch of a conditional, or every branch if the predicate is unknown. It is meant for small modules: every element is
//! followed separately, and memoized. Work is bounded by steps and by depth.

use super::access::{Access, Certainty, Definition};
use super::evaluate::elements;
use super::op::NoDefinition;
use super::relation::{Source, TuplePath};
use affinor_hlo::element_type::ElementType;
use affinor_hlo::module::{Computation, ComputationId, Instruction, InstructionId, Module};
use affinor_hlo::opcode::Opcode;
use affinor_maps::text::{Error, ErrorKind};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Maximum number of definitions followed in sequence.
const DEPTH: usize = 300;

/// An element of a parameter of the entry computation.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct ParameterElement {
    /// The parameter's number.
    pub parameter: usize,
    /// The part of the parameter.
    pub path: TuplePath,
    /// The index of the element.
    pub index: Vec<i64>,
}

/// The dependences of an element.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dependence {
    /// Elements of parameters that may be read.
    pub elements: BTreeSet<ParameterElement>,
    /// Whether all of these elements are certainly read.
    pub certain: bool,
}

/// Returns the value of an element of an entry parameter, if known.
pub type Known<'a> = &'a dyn Fn(&ParameterElement) -> Option<i64>;

/// The interpreter of one module, with known values of some parameters.
pub struct Interpreter<'a> {
    pub(super) module: &'a Module,
    pub(super) known: Known<'a>,
    steps: u64,
    depth: usize,
    pub(super) frames: Vec<Frame>,
    callees: BTreeMap<(Place, usize), usize>,
    loops: BTreeMap<Place, Rc<Loop>>,
    /// Whether the interpreter encountered a loop.
    pub(super) meets_loop: bool,
    definitions: BTreeMap<(ComputationId, InstructionId), Rc<Definition>>,
    dependences: BTreeMap<Element, Rc<Dependence>>,
    pub(super) values: BTreeMap<Element, i64>,
}

/// A computation with its arguments.
pub(super) struct Frame {
    pub(super) computation: ComputationId,
    /// The arguments; `None` for the entry, whose parameters end the search.
    arguments: Option<Vec<Place>>,
}

/// An instruction in a frame.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Place {
    pub(super) frame: usize,
    pub(super) instruction: InstructionId,
}

/// An element of an instruction's result.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Element {
    pub(super) place: Place,
    pub(super) path: TuplePath,
    pub(super) index: Vec<i64>,
}

impl Place {
    /// Another instruction in the same frame.
    pub(super) fn beside(self, instruction: InstructionId) -> Place {
        Place { instruction, ..self }
    }
}

impl Element {
    /// Returns the same element of another instruction.
    fn at(&self, place: Place) -> Element {
        Element { place, ..self.clone() }
    }
}

/// A loop that was run.
struct Loop {
    /// The condition at each test.
    conditions: Vec<Place>,
    /// The final state.
    last: Place,
}

/// The origin of an element.
pub(super) enum Origin {
    Parameter(ParameterElement),
    /// The same element of another instruction.
    Same(Element),
    /// Computed by the op in place.
    Op,
}

impl<'a> Interpreter<'a> {
    /// Creates an interpreter for the entry computation of `module`, with `steps` indices to try in total.
    #[must_use]
    pub fn new(module: &'a Module, known: Known<'a>, steps: u64) -> Interpreter<'a> {
        Interpreter::of(module, module.entry(), known, steps)
    }

    /// Creates an interpreter for any computation, whose parameters end the search.
    pub(super) fn of(
        module: &'a Module,
        computation: ComputationId,
        known: Known<'a>,
        steps: u64,
    ) -> Interpreter<'a> {
        Interpreter {
            module,
            known,
            steps,
            depth: 0,
            frames: vec![Frame { computation, arguments: None }],
            callees: BTreeMap::new(),
            loops: BTreeMap::new(),
            meets_loop: false,
            definitions: BTreeMap::new(),
            dependences: BTreeMap::new(),
            values: BTreeMap::new(),
        }
    }

    /// Returns the dependences of the element at `index` of the part `path` of the entry computation's result.
    ///
    /// # Errors
    /// Kind `unsupported` for an op without definition or an unknown value that is needed, `too-large` at the limits,
    /// and the errors of [`super::of`].
    pub fn dependence(&mut self, path: &[usize], index: &[i64]) -> Result<Rc<Dependence>, Error> {
        let instruction = self.module[self.module.entry()].root();
        self.depends(&Element {
            place: Place { frame: 0, instruction },
            path: path.to_vec(),
            index: index.to_vec(),
        })
    }

    fn depends(&mut self, element: &Element) -> Result<Rc<Dependence>, Error> {
        if let Some(known) = self.dependences.get(element) {
            return Ok(known.clone());
        }
        let mut all = Dependence { elements: BTreeSet::new(), certain: true };
        self.one_deeper(element, |own| own.collect(element, &mut all))?;
        let all = Rc::new(all);
        self.dependences.insert(element.clone(), all.clone());
        Ok(all)
    }

    fn collect(&mut self, element: &Element, all: &mut Dependence) -> Result<(), Error> {
        match self.instruction(element.place).opcode() {
            Opcode::Conditional => self.conditional(element, all)?,
            opcode => {
                if *opcode == Opcode::While {
                    let run = self.run_loop(element.place)?;
                    for condition in &run.conditions {
                        self.join(all, &scalar(*condition))?;
                    }
                }
                match self.origin(element)? {
                    Origin::Parameter(parameter) => {
                        all.elements.insert(parameter);
                    }
                    Origin::Same(other) => self.join(all, &other)?,
                    Origin::Op => self.operation(element, all)?,
                }
            }
        }
        Ok(())
    }

    fn join(&mut self, all: &mut Dependence, element: &Element) -> Result<(), Error> {
        let further = self.depends(element)?;
        all.elements.extend(further.elements.iter().cloned());
        all.certain &= further.certain;
        Ok(())
    }

    /// Adds the reads of the op itself, with their dependences.
    fn operation(&mut self, element: &Element, all: &mut Dependence) -> Result<(), Error> {
        let definition = self.definition(element.place)?;
        for access in definition.accesses() {
            if access.output != element.path {
                continue;
            }
            let read = self.read_by(element, access)?;
            all.certain &= read.is_empty() || access.certainty == Certainty::Certain;
            for operand in read {
                self.join(all, &operand)?;
            }
        }
        Ok(())
    }

    /// Returns the elements of operands that an access reads.
    pub(super) fn read_by(
        &mut self,
        element: &Element,
        access: &Access,
    ) -> Result<Vec<Element>, Error> {
        let allowed = self.steps;
        let mut steps = allowed;
        let mut lookup = |source: &Source, path: &TuplePath, index: &[i64]| match source {
            Source::Operand(operand) => {
                let operand = self.operand(element.place, *operand, path, index)?;
                self.value(&operand)
            }
            // Definitions of ops have no such values, and calls are entered.
            Source::Inside { .. } | Source::Name(_) => {
                let instruction = self.instruction(element.place);
                Err(unsupported(instruction, "a value is computed inside"))
            }
        };
        let read = elements(access, &element.index, &mut lookup, &mut steps)?;
        self.steps = self.steps.saturating_sub(allowed - steps);
        let operand =
            |index: Vec<i64>| self.operand(element.place, access.operand, &access.path, &index);
        read.into_iter().map(operand).collect()
    }

    fn conditional(&mut self, element: &Element, all: &mut Dependence) -> Result<(), Error> {
        let predicate = self.operand(element.place, 0, &Vec::new(), &[])?;
        self.join(all, &predicate)?;
        let count = self.instruction(element.place).branches()?.len();
        let taken = match self.value(&predicate) {
            Ok(value) => {
                let branch = self.branch(element.place, value, count)?;
                branch..branch + 1
            }
            Err(error) if error.kind == ErrorKind::Unsupported => 0..count,
            Err(error) => return Err(error),
        };
        all.certain &= taken.len() == 1;
        for branch in taken {
            let root = self.enter_branch(element.place, branch)?;
            self.join(all, &element.at(root))?;
        }
        Ok(())
    }

    /// Returns the number of the branch that is taken: "if the predicate is true, the true computation", or "the branch index,
    /// and the last branch if it is out of range". and the last branch if it is out of range".
    fn branch(&self, place: Place, value: i64, count: usize) -> Result<usize, Error> {
        let instruction = self.instruction(place);
        let predicate = self.body(place).operands(instruction).next();
        let predicate = predicate.and_then(|operand| operand.shape().as_array());
        let of_truth = predicate.is_some_and(|x| x.element_type() == ElementType::Pred);
        let branch = match of_truth {
            true => usize::from(value == 0),
            false => usize::try_from(value).map_or(count, |branch| branch.min(count)),
        };
        match count.checked_sub(1) {
            Some(last) => Ok(branch.min(last)),
            None => Err(instruction.error("a conditional needs a branch")),
        }
    }

    fn enter_branch(&mut self, place: Place, branch: usize) -> Result<Place, Error> {
        let instruction = self.instruction(place);
        let computation = instruction.branches()?;
        let argument = instruction.operands().get(branch + 1).copied();
        match (computation.get(branch).copied(), argument) {
            (Some(computation), Some(argument)) => {
                Ok(self.enter((place, branch), computation, vec![place.beside(argument)]))
            }
            _ => Err(instruction.error("a conditional needs an operand for each branch")),
        }
    }

    /// Returns the root of `computation` called with these arguments; `call` is the calling instruction.
    fn enter(
        &mut self,
        call: (Place, usize),
        computation: ComputationId,
        arguments: Vec<Place>,
    ) -> Place {
        let next = self.frames.len();
        let frame = *self.callees.entry(call).or_insert(next);
        if frame == next {
            self.frames.push(Frame { computation, arguments: Some(arguments) });
        }
        Place { frame, instruction: self.module[computation].root() }
    }

    /// Finds the origin of `element`.
    pub(super) fn origin(&mut self, element: &Element) -> Result<Origin, Error> {
        let place = element.place;
        let instruction = self.instruction(place);
        let attribute = match instruction.opcode() {
            Opcode::Parameter => {
                let number = instruction.parameter_number().unwrap_or(0);
                let Some(arguments) = &self.frames[place.frame].arguments else {
                    return Ok(Origin::Parameter(ParameterElement {
                        parameter: number,
                        path: element.path.clone(),
                        index: element.index.clone(),
                    }));
                };
                let argument = arguments.get(number).copied();
                let argument =
                    argument.ok_or_else(|| instruction.error("the call has too few operands"))?;
                return Ok(Origin::Same(element.at(argument)));
            }
            Opcode::While => {
                return Ok(Origin::Same(element.at(self.run_loop(place)?.last)));
            }
            Opcode::Conditional => {
                let predicate = self.operand(place, 0, &Vec::new(), &[])?;
                let value = self.value(&predicate)?;
                let count = instruction.branches()?.len();
                let branch = self.branch(place, value, count)?;
                let place = self.enter_branch(place, branch)?;
                return Ok(Origin::Same(element.at(place)));
            }
            Opcode::Fusion => "calls",
            Opcode::Call => "to_apply",
            _ => return Ok(Origin::Op),
        };
        let computation = instruction.called(attribute)?;
        let operands = instruction.operands().iter();
        let arguments = operands.map(|operand| place.beside(*operand)).collect();
        Ok(Origin::Same(element.at(self.enter((place, 0), computation, arguments))))
    }

    /// "Repeatedly executes the body as long as the condition is true."
    fn run_loop(&mut self, place: Place) -> Result<Rc<Loop>, Error> {
        if let Some(known) = self.loops.get(&place) {
            return Ok(known.clone());
        }
        self.meets_loop = true;
        let instruction = self.instruction(place);
        let condition = instruction.called("condition")?;
        let body = instruction.called("body")?;
        let Some(start) = instruction.operands().first() else {
            return Err(instruction.error("a loop needs an operand"));
        };
        let mut run = Loop { conditions: Vec::new(), last: place.beside(*start) };
        for turn in 0.. {
            self.steps = self.steps.checked_sub(1).ok_or_else(|| too_large(instruction))?;
            let asked = self.enter((place, 2 * turn), condition, vec![run.last]);
            run.conditions.push(asked);
            if self.value(&scalar(asked))? == 0 {
                break;
            }
            run.last = self.enter((place, 2 * turn + 1), body, vec![run.last]);
        }
        let run = Rc::new(run);
        self.loops.insert(place, run.clone());
        Ok(run)
    }

    /// Returns the definition of the op at `place`.
    pub(super) fn definition(&mut self, place: Place) -> Result<Rc<Definition>, Error> {
        let computation = self.frames[place.frame].computation;
        let key = (computation, place.instruction);
        if let Some(known) = self.definitions.get(&key) {
            return Ok(known.clone());
        }
        let body = &self.module[computation];
        let instruction = &body[place.instruction];
        let definition = super::of(self.module, body, instruction).map_err(|why| match why {
            NoDefinition::Invalid(error) => error,
            NoDefinition::Unknown(reason) => unsupported(instruction, &reason),
        })?;
        let definition = Rc::new(definition);
        self.definitions.insert(key, definition.clone());
        Ok(definition)
    }

    pub(super) fn instruction(&self, place: Place) -> &'a Instruction {
        &self.body(place)[place.instruction]
    }

    /// Returns the computation that contains a place.
    pub(super) fn body(&self, place: Place) -> &'a Computation {
        &self.module[self.frames[place.frame].computation]
    }

    /// Returns an element of an operand.
    pub(super) fn operand(
        &self,
        place: Place,
        operand: usize,
        path: &TuplePath,
        index: &[i64],
    ) -> Result<Element, Error> {
        let instruction = self.instruction(place);
        let operand = instruction.operands().get(operand).copied();
        let operand = operand.ok_or_else(|| instruction.error("it has too few operands"))?;
        Ok(Element { place: place.beside(operand), path: path.clone(), index: index.to_vec() })
    }

    /// Runs `work` for `element`, with the depth increased by one.
    pub(super) fn one_deeper<R>(
        &mut self,
        element: &Element,
        work: impl FnOnce(&mut Self) -> Result<R, Error>,
    ) -> Result<R, Error> {
        if self.depth == DEPTH {
            return Err(too_large(self.instruction(element.place)));
        }
        self.depth += 1;
        let done = work(self);
        self.depth -= 1;
        done
    }
}

pub(super) fn scalar(place: Place) -> Element {
    Element { place, path: Vec::new(), index: Vec::new() }
}

pub(super) fn unsupported(instruction: &Instruction, what: &str) -> Error {
    Error { kind: ErrorKind::Unsupported, ..instruction.error(what) }
}

fn too_large(instruction: &Instruction) -> Error {
    Error {
        kind: ErrorKind::TooLarge,
        ..instruction.error("more steps would be needed than are allowed")
    }
}
