//! Where values computed inside a module come from, so that those of two modules can be told to be the same.
//!
//! Law: elements with one number and equal indices have the same value, whatever the values of the parameters. The number stands
//! for a term of operations, by opcode, type and attributes, over elements of parameters, constants and iotas; the indices are
//! those of these elements, in order. Terms are followed through fusions and calls, and through what moves elements. Nothing is
//! claimed of operations that combine elements, or whose result is not determined by their operands.

use super::arithmetic::held;
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
            let found = tracer.value(element, DEPTH)?.origin;
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

    /// A scalar constant, as it is written.
    fn constant(&mut self, element_type: ElementType, text: &str) -> Origin {
        let written = format!("constant {} [] {text}", element_type.name());
        self.numbered(Term::Made(written, Vec::new()), Vec::new())
    }
}

/// An origin with an interval of its values, where it is an integer.
struct Value {
    origin: Origin,
    range: Interval,
}

impl Value {
    fn any(origin: Origin) -> Value {
        let range = Interval::ALL;
        Value { origin, range }
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
    fn value(&mut self, mut element: Element, depth: usize) -> Option<Value> {
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
                            return Some(Value::any(self.origins.numbered(term, element.index)));
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
    ) -> Option<Value> {
        let array = instruction.shape().as_array()?;
        let element_type = array.element_type();
        let mut written = format!("{} {}", instruction.opcode(), element_type.name());
        match instruction.opcode() {
            Opcode::Constant => {
                let text = instruction.literal()?.text();
                if array.rank() == 0 {
                    let range = match (integers(element_type), instruction.constant_integers()) {
                        (Some(_), Ok(Some(values))) => Interval::point(*values.first()?),
                        _ => Interval::ALL,
                    };
                    let origin = self.origins.constant(element_type, text);
                    return Some(Value { origin, range });
                }
                written.push_str(&format!(" {:?} {text}", array.fixed_sizes()?));
                let term = Term::Made(written, Vec::new());
                return Some(Value::any(
                    self.origins.numbered(term, element.index.clone()),
                ));
            }
            Opcode::Iota => {
                let dimension = instruction.iota_dimension(array.rank()).ok()?;
                let index = vec![element.index.get(dimension)?.clone()];
                let term = Term::Made(written, Vec::new());
                return Some(Value::any(self.origins.numbered(term, index)));
            }
            opcode if !is_pointwise(opcode) => return None,
            _ => {}
        }
        let mut operands = Vec::new();
        for operand in instruction.operands() {
            let shape = self.frames.instruction(element.frame, *operand).shape();
            let index = match shape.as_array()?.rank() {
                0 => Vec::new(),
                rank if rank == array.rank() => element.index.clone(),
                _ => return None,
            };
            let operand = Element {
                frame: element.frame,
                instruction: *operand,
                path: TuplePath::new(),
                index,
            };
            operands.push(self.value(operand, depth)?);
        }
        if let Some(shorter) = self.shorter(instruction, element_type, &mut operands) {
            return Some(shorter);
        }
        let mut opcode = instruction.opcode().clone();
        // A difference to a constant is the sum with its negative, also where both wrap around.
        if opcode == Opcode::Subtract
            && let [_, second] = operands.as_mut_slice()
            && let Some(negated) = second.range.as_point().and_then(i64::checked_neg)
            && integers(element_type).is_some_and(|all| all.contains(negated))
        {
            opcode = Opcode::Add;
            written = format!("{opcode} {}", element_type.name());
            second.origin = self.origins.constant(element_type, &negated.to_string());
            second.range = Interval::point(negated);
        }
        let said = instruction.attributes().iter();
        for attribute in said.filter(|attribute| !SILENT.contains(&attribute.name())) {
            let (name, value) = (attribute.name(), attribute.value());
            written.push_str(&format!(" {name}={value:?}"));
        }
        if is_commutative(&opcode) {
            operands.sort_by_key(|operand| operand.origin.number);
        }
        let ranges: Vec<Interval> = operands.iter().map(|operand| operand.range).collect();
        let range = range_of(&opcode, element_type, &ranges);
        let (mut terms, mut index) = (Vec::new(), Vec::new());
        for operand in operands {
            terms.push(operand.origin.number);
            index.extend(operand.origin.index);
        }
        let origin = self.origins.numbered(Term::Made(written, terms), index);
        Some(Value { origin, range })
    }

    /// What a comparison or a selection is that the ranges of its operands decide.
    fn shorter(
        &mut self,
        instruction: &Instruction,
        element_type: ElementType,
        operands: &mut Vec<Value>,
    ) -> Option<Value> {
        match (instruction.opcode(), operands.as_slice()) {
            (Opcode::Compare, [one, other]) => {
                let (one, other) = (one.range, other.range);
                let (below, not_below) = (one.hi() < other.lo(), one.lo() >= other.hi());
                let (above, not_above) = (one.lo() > other.hi(), one.hi() <= other.lo());
                let (holds, fails) = match instruction.word("direction").ok()?? {
                    "LT" => (below, not_below),
                    "GE" => (not_below, below),
                    "GT" => (above, not_above),
                    "LE" => (not_above, above),
                    _ => return None,
                };
                (holds || fails).then(|| Value {
                    origin: self
                        .origins
                        .constant(element_type, if holds { "true" } else { "false" }),
                    range: Interval::point(i64::from(holds)),
                })
            }
            (Opcode::Select, [chosen, _, _]) => {
                let chosen = chosen.range.as_point()?;
                Some(operands.swap_remove(if chosen == 0 { 2 } else { 1 }))
            }
            _ => None,
        }
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
        // The index is in the array, whatever the ranges of its variables say.
        let shape = self
            .frames
            .instruction(element.frame, element.instruction)
            .shape();
        let sizes = shape.at(&element.path)?.as_array()?.fixed_sizes()?;
        let own = element
            .index
            .iter()
            .cloned()
            .zip(domain.intervals())
            .zip(sizes);
        let narrower =
            own.filter(|((_, bounds), size)| !bounds.contains_all(Interval::of_size(*size)));
        let mut bounded: Vec<(Expr, Interval)> = narrower.map(|(bounded, _)| bounded).collect();
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

/// The values of a type of booleans, or of integers that are all represented.
fn integers(element_type: ElementType) -> Option<Interval> {
    let is_whole = element_type == ElementType::Pred
        || element_type.is_signed_integer()
        || element_type.is_unsigned_integer();
    let all = is_whole && element_type.bits() < 64;
    all.then(|| held(element_type)).flatten()
}

fn is_commutative(opcode: &Opcode) -> bool {
    use Opcode as O;
    matches!(
        opcode,
        O::Add | O::And | O::Maximum | O::Minimum | O::Multiply | O::Or | O::Xor
    )
}

/// An interval of the values of an op of integers with these ranges.
fn range_of(opcode: &Opcode, element_type: ElementType, ranges: &[Interval]) -> Interval {
    let Some(all) = integers(element_type) else {
        return Interval::ALL;
    };
    let own = match (opcode, ranges) {
        (Opcode::Maximum, [x, y]) => x.intersect(all).max(y.intersect(all)),
        (Opcode::Minimum, [x, y]) => x.intersect(all).min(y.intersect(all)),
        (Opcode::Add, [x, y]) => x.intersect(all).add(y.intersect(all)),
        _ => Interval::ALL,
    };
    // What the type does not hold wraps around.
    match all.contains_all(own) {
        true => own,
        false => all,
    }
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
