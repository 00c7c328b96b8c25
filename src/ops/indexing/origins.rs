//! Where values computed inside a module come from, so that those of two modules can be told to be the same.
//!
//! Law: elements with one number and equal indices have the same value, whatever the values of the parameters. The number stands
//! for a term of operations, by opcode, type and attributes, over elements of parameters, constants and iotas; the indices are
//! those of these elements, in order. Terms are followed through fusions and calls, and through what moves elements. Nothing is
//! claimed of operations that combine elements, or whose result is not determined by their operands.

use super::custom::CustomCalls;
use super::frames::Frames;
use super::operation;
use super::reads::{Exactness, OperandMap, Reads, RuntimeVariable, TuplePath, ValueSource};
use super::tidy::Simplify;
use super::values::holds_all;
use crate::expr::{Expr, IndexingMap, VariableId, VariableKind, interval_of};
use crate::hlo::element_type::ElementType;
use crate::hlo::module::{Instruction, InstructionId, Module};
use crate::hlo::opcode::{Opcode, Values};
use crate::num::{Fuel, Interrupt, Interval};
use std::collections::BTreeMap;

/// Maximum number of elements that one term is followed to.
const STEPS: u64 = 2_000;

/// Maximum number of ops that an element is followed through.
const DEPTH: usize = 100;

/// Attributes that say nothing about values.
const SILENT: [&str; 7] = [
    "metadata",
    "sharding",
    "frontend_attributes",
    "backend_config",
    "control-predecessors",
    "origin",
    "statistics",
];

/// A value as a term over elements at indices.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Origin {
    /// The number of the term.
    pub number: usize,
    /// The indices of its elements, one behind the other.
    pub index: Vec<Expr>,
}

/// Terms by number, of any number of modules with the same parameters.
#[derive(Default)]
pub struct Origins {
    numbers: BTreeMap<Term, usize>,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Term {
    /// An element of a part of a parameter.
    Parameter(usize, TuplePath),
    /// Made by an op, written with its type and attributes, of the terms with these numbers.
    Made(String, Vec<usize>),
}

impl Origins {
    /// Returns the origin of each runtime variable of a map of the entry computation of `module`; `None` where it is not known.
    /// The indices are simplified.
    pub fn of_map(
        &mut self,
        module: &Module,
        map: &OperandMap,
        simplify: Simplify<'_>,
        interrupt: &Interrupt,
    ) -> Vec<Option<Origin>> {
        let domain = map.map.domain();
        let mut origin = |runtime: &RuntimeVariable| {
            let (at, through, path) = match &runtime.source {
                ValueSource::Operand { operand, path } => {
                    let term = Term::Parameter(*operand, path.clone());
                    return Some(self.numbered(term, runtime.index.clone()));
                }
                ValueSource::Instruction { at, through, path } => (at, through, path),
            };
            let mut tracer = Tracer {
                origins: self,
                frames: Frames::new(module, module.entry()),
                bounds: domain.intervals().collect(),
                fuel: Fuel::new(STEPS, interrupt),
            };
            let mut places = through.iter().chain([at]);
            let first = places.next()?;
            (first.computation == module.entry()).then_some(())?;
            let (mut frame, mut instruction) = (0, first.instruction);
            for next in places {
                frame = tracer
                    .frames
                    .enter(frame, instruction, Some(next.computation))?;
                instruction = next.instruction;
            }
            let element = Element {
                frame,
                instruction,
                path: path.clone(),
                index: runtime.index.clone(),
            };
            let found = tracer.origin(element, DEPTH)?;
            let index = simplify(&IndexingMap::new(domain.clone(), found.index));
            Some(Origin {
                index: index.results().to_vec(),
                ..found
            })
        };
        map.runtime.iter().map(&mut origin).collect()
    }
}

impl Origins {
    fn numbered(&mut self, term: Term, index: Vec<Expr>) -> Origin {
        let next = self.numbers.len();
        let number = *self.numbers.entry(term).or_insert(next);
        Origin { number, index }
    }
}

/// An element of a part of an instruction's result.
struct Element {
    frame: usize,
    instruction: InstructionId,
    path: TuplePath,
    index: Vec<Expr>,
}

struct Tracer<'m, 'o> {
    origins: &'o mut Origins,
    frames: Frames<'m>,
    bounds: Vec<Interval>,
    fuel: Fuel,
}

impl<'m> Tracer<'m, '_> {
    fn origin(&mut self, mut element: Element, depth: usize) -> Option<Origin> {
        loop {
            self.fuel.spend(1).ok()?;
            let instruction = self.frames.instruction(element.frame, element.instruction);
            element = match instruction.opcode() {
                Opcode::Parameter => {
                    let number = instruction.parameter_number()?;
                    match self.frames.argument(element.frame, number) {
                        Some((frame, instruction)) => Element {
                            frame,
                            instruction,
                            ..element
                        },
                        None => {
                            let term = Term::Parameter(number, element.path);
                            return Some(self.origins.numbered(term, element.index));
                        }
                    }
                }
                Opcode::Fusion | Opcode::Call => {
                    let frame = self
                        .frames
                        .enter(element.frame, element.instruction, None)?;
                    Element {
                        frame,
                        instruction: self.frames.body(frame).root(),
                        ..element
                    }
                }
                Opcode::Bitcast | Opcode::Convert if keeps(self.types(&element, instruction)?) => {
                    self.moved(&element, instruction)?
                }
                opcode if opcode.values() != Values::Made => self.moved(&element, instruction)?,
                _ => return self.made(&element, instruction, depth.checked_sub(1)?),
            };
        }
    }

    /// The element types of the first operand and of the result.
    fn types(
        &self,
        element: &Element,
        instruction: &Instruction,
    ) -> Option<(ElementType, ElementType)> {
        let operand = self
            .frames
            .instruction(element.frame, *instruction.operands().first()?);
        let of = |x: &Instruction| Some(x.shape().as_array()?.element_type());
        Some((of(operand)?, of(instruction)?))
    }

    /// What an op makes of the elements at the same index, or without operands.
    fn made(
        &mut self,
        element: &Element,
        instruction: &'m Instruction,
        depth: usize,
    ) -> Option<Origin> {
        let array = instruction.shape().as_array()?;
        let mut written = format!("{} {}", instruction.opcode(), array.element_type().name());
        match instruction.opcode() {
            Opcode::Constant => {
                let sizes = array.fixed_sizes()?;
                let text = instruction.literal()?.text();
                written.push_str(&format!(" {sizes:?} {text}"));
                let index = element.index.clone();
                return Some(
                    self.origins
                        .numbered(Term::Made(written, Vec::new()), index),
                );
            }
            Opcode::Iota => {
                let dimension = instruction.iota_dimension(array.rank()).ok()?;
                let index = vec![element.index.get(dimension)?.clone()];
                return Some(
                    self.origins
                        .numbered(Term::Made(written, Vec::new()), index),
                );
            }
            opcode if !is_pointwise(opcode) => return None,
            _ => {}
        }
        let said = instruction.attributes().iter();
        for attribute in said.filter(|attribute| !SILENT.contains(&attribute.name())) {
            let (name, value) = (attribute.name(), attribute.value());
            written.push_str(&format!(" {name}={value:?}"));
        }
        let (mut terms, mut index) = (Vec::new(), Vec::new());
        for operand in instruction.operands() {
            let shape = self.frames.instruction(element.frame, *operand).shape();
            let own = match shape.as_array()?.rank() {
                0 => Vec::new(),
                rank if rank == array.rank() => element.index.clone(),
                _ => return None,
            };
            let operand = Element {
                frame: element.frame,
                instruction: *operand,
                path: TuplePath::new(),
                index: own,
            };
            let origin = self.origin(operand, depth)?;
            terms.push(origin.number);
            index.extend(origin.index);
        }
        Some(self.origins.numbered(Term::Made(written, terms), index))
    }

    /// The element of an operand that an op moves to the asked place, by the one map that leads there.
    fn moved(&self, element: &Element, instruction: &'m Instruction) -> Option<Element> {
        // Ops that move elements call no computations, and nothing outside of the module.
        let none = CustomCalls::default();
        let mut callee = |_| Err(instruction.error("expected an op that calls no computation"));
        let body = self.frames.body(element.frame);
        let entries = operation::reads(body, instruction, &none, &mut callee).ok()?;
        for entry in entries.iter().filter(|entry| entry.output == element.path) {
            let Reads::Maps(maps) = &entry.reads else {
                return None;
            };
            for map in maps {
                if let Led::To(index) = self.led(element, map)? {
                    return Some(Element {
                        frame: element.frame,
                        instruction: *instruction.operands().get(entry.operand)?,
                        path: entry.operand_path.clone(),
                        index,
                    });
                }
            }
        }
        None
    }

    /// Where `map` leads from the element; `None` if that is not decided.
    fn led(&self, element: &Element, map: &OperandMap) -> Option<Led> {
        let domain = map.map.domain();
        let is_plain = map.exactness == Exactness::Exact
            && domain.count(VariableKind::Dimension) == domain.variables().len()
            && domain.variables().len() == element.index.len();
        is_plain.then_some(())?;
        let own = element.index.iter().cloned().zip(domain.intervals());
        let mut bounded: Vec<(Expr, Interval)> = own.collect();
        for constraint in domain.constraints() {
            bounded.push((
                constraint.expr.substitute(&element.index).ok()?,
                constraint.bounds,
            ));
        }
        let bounds = |id: VariableId| {
            let bounds = self.bounds.get(id.index());
            bounds.copied().unwrap_or(Interval::ALL)
        };
        let mut is_inside = true;
        for (expr, bounds_of) in bounded {
            let range = interval_of(&expr, &bounds);
            if range.intersect(bounds_of).is_empty() {
                return Some(Led::Nowhere);
            }
            is_inside &= bounds_of.contains_all(range);
        }
        is_inside.then_some(())?;
        let results = map.map.results().iter();
        let index = results.map(|x| x.substitute(&element.index).ok());
        Some(Led::To(index.collect::<Option<_>>()?))
    }
}

/// Where a map leads from an element.
enum Led {
    To(Vec<Expr>),
    /// The element is outside of its domain.
    Nowhere,
}

/// Whether an op that changes the type from one to the other keeps integers.
fn keeps((from, to): (ElementType, ElementType)) -> bool {
    from == to || holds_all(to, from)
}

/// Whether each element of the result is determined by the elements of the operands at its index.
fn is_pointwise(opcode: &Opcode) -> bool {
    use Opcode as O;
    matches!(
        opcode,
        O::Abs
            | O::Add
            | O::And
            | O::Ceil
            | O::Clamp
            | O::Compare
            | O::Convert
            | O::Divide
            | O::Floor
            | O::Maximum
            | O::Minimum
            | O::Multiply
            | O::Negate
            | O::Not
            | O::Or
            | O::Power
            | O::Remainder
            | O::Select
            | O::ShiftLeft
            | O::ShiftRightArithmetic
            | O::ShiftRightLogical
            | O::Sign
            | O::Subtract
            | O::Xor
    )
}
