//! The origins of values computed inside a module, by which values of two modules can be recognized as equal.
//!
//! Law: elements with one number and equal indices have the same value, whatever the values of the parameters. The number
//! denotes a term of operations, by opcode, type and attributes, over elements of parameters, constants and iotas; the indices
//! are those of these elements, in order. Terms are followed through fusions and calls, and through ops that move elements.
//! Nothing is claimed about operations that combine elements, or whose result is not determined by their operands.
//!
//! Inside loops whose course is known, a number that depends on no parameter is represented by the list of its values, one for
//! each run of the body, at the depth of the loop. Integers that depend on no parameter are represented by the table of their
//! values.

use super::control::LoopCourse;
use super::custom::CustomCalls;
use super::frames::Frames;
use super::operation;
use super::passed_on::is_passed_on;
use super::reads::{
    Exactness, InstructionPlace, OperandMap, Reads, RuntimeVariable, TuplePath, ValueSource,
};
use super::tables::{Table, table};
use super::terms::{SILENT, integers, is_commutative, is_pointwise, keeps, range_of};
use super::tidy::Simplify;
use affinor::expr::{Expr, IndexingMap, VariableId, VariableKind, interval_of};
use affinor::num::{Fuel, Interrupt, Interval};
use affinor_hlo::element_type::ElementType;
use affinor_hlo::module::{Instruction, InstructionId, Module};
use affinor_hlo::opcode::{Opcode, Values};
use std::collections::BTreeMap;

/// Maximum number of elements that are followed for one term.
const STEPS: u64 = 2_000;

/// Maximum depth of ops through which an element is followed.
const DEPTH: usize = 100;

/// A value as a term over elements at indices.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Origin {
    /// The number of the term.
    pub number: usize,
    /// The indices of its elements, concatenated.
    pub index: Vec<Expr>,
}

/// Terms by number, for any number of modules with the same parameters.
#[derive(Default)]
pub struct Origins {
    numbers: BTreeMap<Term, usize>,
    /// Tables of the values of instructions, by number of the module.
    tables: BTreeMap<(usize, InstructionPlace), Option<Table>>,
}

/// The scope of maps: computations without calls of one of the compared modules.
#[derive(Clone, Copy)]
pub struct Scope<'a> {
    /// The number of the module.
    pub side: usize,
    /// The module.
    pub module: &'a Module,
    /// The loops whose bodies are entered, outermost first.
    pub loops: &'a [&'a LoopCourse],
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Term {
    /// An element of a part of a parameter.
    Parameter(usize, TuplePath),
    /// The result of an op, written with its type and attributes, applied to the terms with these numbers.
    Made(String, Vec<usize>),
}

impl Origins {
    /// Returns the origin of each runtime variable of a map of the entry computation, or of the body of the innermost loop; then
    /// the variables may be elements of the bodies of all loops of the scope. Returns `None` if it is unknown. The indices
    /// are simplified.
    pub fn of_map(
        &mut self,
        scope: &Scope<'_>,
        map: &OperandMap,
        simplify: Simplify<'_>,
        interrupt: &Interrupt,
    ) -> Vec<Option<Origin>> {
        let domain = map.map.domain();
        let module = scope.module;
        let mut origin = |runtime: &RuntimeVariable| {
            let (at, through, path) = match &runtime.source {
                ValueSource::Operand { operand, path } if scope.loops.is_empty() => {
                    let term = Term::Parameter(*operand, path.clone());
                    return Some(self.numbered(term, runtime.index.clone()));
                }
                ValueSource::Operand { .. } => return None,
                ValueSource::Instruction { at, through, path } => (at, through, path),
            };
            let mut tracer = Tracer {
                origins: self,
                frames: Frames::new(module, module.entry()),
                scope,
                bounds: domain.intervals().collect(),
                fuel: Fuel::new(STEPS, interrupt),
                interrupt,
            };
            // The body of loop `k` is frame `k + 1`.
            for (outer, course) in scope.loops.iter().enumerate() {
                let is_inside = tracer.frames.computation(outer) == course.at.computation;
                is_inside.then_some(())?;
                let at = course.at.instruction;
                tracer.frames.enter_as(outer, at, course.body, 0);
            }
            let mut places = through.iter().chain([at]);
            let first = places.next()?;
            let bodies = 0..=scope.loops.len();
            let mut frame = bodies
                .into_iter()
                .rfind(|frame| tracer.frames.computation(*frame) == first.computation)?;
            let mut instruction = first.instruction;
            for next in places {
                frame = tracer.frames.enter(frame, instruction, Some(next.computation))?;
                instruction = next.instruction;
            }
            let element =
                Element { frame, instruction, path: path.clone(), index: runtime.index.clone() };
            let found = tracer.value(element, DEPTH)?.origin;
            let index = simplify(&IndexingMap::new(domain.clone(), found.index));
            Some(Origin { index: index.results().to_vec(), ..found })
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

    /// Returns the origin of a scalar constant, identified by its text.
    fn constant(&mut self, element_type: ElementType, text: &str) -> Origin {
        let written = format!("constant {} [] {text}", element_type.name());
        self.numbered(Term::Made(written, Vec::new()), Vec::new())
    }
}

/// An origin, with an interval of its values if it is an integer.
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
    scope: &'o Scope<'m>,
    bounds: Vec<Interval>,
    fuel: Fuel,
    interrupt: &'o Interrupt,
}

impl<'m> Tracer<'m, '_> {
    fn value(&mut self, mut element: Element, depth: usize) -> Option<Value> {
        loop {
            self.fuel.spend(1).ok()?;
            if let Some(value) = self.listed(&element) {
                return Some(value);
            }
            let instruction = self.frames.instruction(element.frame, element.instruction);
            element = match instruction.opcode() {
                Opcode::Parameter => {
                    let number = instruction.parameter_number()?;
                    if let Some(course) = self.course(element.frame) {
                        course.unchanged.contains(&element.path).then_some(())?;
                    }
                    match self.frames.argument(element.frame, number) {
                        Some((frame, instruction)) => Element { frame, instruction, ..element },
                        None => {
                            let term = Term::Parameter(number, element.path);
                            return Some(Value::any(self.origins.numbered(term, element.index)));
                        }
                    }
                }
                Opcode::Fusion | Opcode::Call => {
                    let frame = self.frames.enter(element.frame, element.instruction, None)?;
                    Element { frame, instruction: self.frames.body(frame).root(), ..element }
                }
                Opcode::While => {
                    let body = self.frames.body_of_loop(instruction)?;
                    is_passed_on(body, &element.path).then_some(())?;
                    Element { instruction: *instruction.operands().first()?, ..element }
                }
                Opcode::Bitcast | Opcode::Convert if keeps(self.types(&element, instruction)?) => {
                    self.moved(&element, instruction)?
                }
                opcode if opcode.values() != Values::Made => self.moved(&element, instruction)?,
                _ => return self.made(&element, instruction, depth.checked_sub(1)?),
            };
        }
    }

    /// Returns the loop of whose body a frame is.
    fn course(&self, frame: usize) -> Option<&'m LoopCourse> {
        self.scope.loops.get(frame.checked_sub(1)?).copied()
    }

    /// Returns the list of values of an integer in the body of a loop that depends on no parameter.
    fn listed(&mut self, element: &Element) -> Option<Value> {
        let course = self.course(element.frame)?;
        let index = element.index.iter().map(Expr::as_constant);
        let index: Vec<i64> = index.collect::<Option<_>>()?;
        let values = course.integers(
            self.scope.module,
            element.instruction,
            &element.path,
            &index,
            self.interrupt,
        )?;
        let range = Interval::new(*values.iter().min()?, *values.iter().max()?);
        let text = format!("in each run at depth {}: {values:?}", element.frame);
        let origin = self.origins.numbered(Term::Made(text, Vec::new()), Vec::new());
        Some(Value { origin, range })
    }

    /// Returns the origin of an element of an array of integers that depend on no parameter, as a table.
    fn tabled(&mut self, element: &Element, instruction: &'m Instruction) -> Option<Value> {
        let place = InstructionPlace {
            computation: self.frames.computation(element.frame),
            instruction: element.instruction,
        };
        let key = (self.scope.side, place);
        let known = self.origins.tables.get(&key).cloned();
        let table = known.unwrap_or_else(|| {
            let body = self.frames.body(element.frame);
            let table = table(body, element.instruction, instruction, self.interrupt);
            self.origins.tables.insert(key, table.clone());
            table
        })?;
        let index = table.dimensions.iter().map(|k| element.index.get(*k));
        let index: Vec<Expr> = index.map(|x| x.cloned()).collect::<Option<_>>()?;
        let term = Term::Made(table.text.to_string(), Vec::new());
        let origin = self.origins.numbered(term, index);
        Some(Value { origin, range: table.range })
    }

    /// Returns the element types of the first operand and of the result.
    fn types(
        &self,
        element: &Element,
        instruction: &Instruction,
    ) -> Option<(ElementType, ElementType)> {
        let operand = self.frames.instruction(element.frame, *instruction.operands().first()?);
        let of = |x: &Instruction| Some(x.shape().as_array()?.element_type());
        Some((of(operand)?, of(instruction)?))
    }

    /// Returns the origin of an elementwise op on the elements at the same index, or of an op without operands.
    fn made(
        &mut self,
        element: &Element,
        instruction: &'m Instruction,
        depth: usize,
    ) -> Option<Value> {
        if let Some(value) = self.tabled(element, instruction) {
            return Some(value);
        }
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
                return Some(Value::any(self.origins.numbered(term, element.index.clone())));
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
        // Subtracting a constant is adding its negative, even if both wrap around.
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

    /// Returns the operand that a comparison or a selection is equal to, or its value, if the ranges of its operands decide it.
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
                    origin: self.origins.constant(element_type, if holds { "1" } else { "0" }),
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

    /// Returns the element of an operand that an op moves to the given index, through the only map to it.
    fn moved(&self, element: &Element, instruction: &'m Instruction) -> Option<Element> {
        // Ops that move elements call no computations and no custom-calls.
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

    /// Returns the index to which `map` leads from the element; `None` if it is undecided.
    fn led(&self, element: &Element, map: &OperandMap) -> Option<Led> {
        let domain = map.map.domain();
        let is_plain = map.exactness == Exactness::Exact
            && domain.count(VariableKind::Dimension) == domain.variables().len()
            && domain.variables().len() == element.index.len();
        is_plain.then_some(())?;
        // The index is in the array, even if the ranges of its variables do not imply it.
        let shape = self.frames.instruction(element.frame, element.instruction).shape();
        let sizes = shape.at(&element.path)?.as_array()?.fixed_sizes()?;
        let own = element.index.iter().cloned().zip(domain.intervals()).zip(sizes);
        let narrower =
            own.filter(|((_, bounds), size)| !bounds.contains_all(Interval::of_size(*size)));
        let mut bounded: Vec<(Expr, Interval)> = narrower.map(|(bounded, _)| bounded).collect();
        for constraint in domain.constraints() {
            bounded.push((constraint.expr.substitute(&element.index).ok()?, constraint.bounds));
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

/// The element to which a map leads.
enum Led {
    To(Vec<Expr>),
    /// The element is outside the domain of the map.
    Nowhere,
}
