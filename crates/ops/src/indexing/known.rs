//! Elements whose values are known at compile time: constants, iotas, and the results of ops on these.
//!
//! Law: the element at the given index, an expression over variables with bounds, has the value of the returned expression
//! wherever the variables are within their bounds and the index is in the array. It does not depend on any parameter of the
//! outermost computation, unless the elements of parameters are variables too ([`Known::with_elements_of_parameters`]).
//!
//! An element is followed from the result of an op to its operands: through ops that move or pick elements by their
//! maps, through elementwise ops by `arithmetic`, into fusions, calls, and the branch that a known predicate chooses,
//! and out of them to the operands of the caller.

use super::arithmetic::{combined, held};
use super::custom::CustomCalls;
use super::frames::Frames;
use super::leaves::{Leaf, Leaves, clamping};
use super::number::Number;
use super::operation;
use super::passed_on::is_passed_on;
use super::plane::plane;
use super::reads::{Exactness, InstructionPlace, OperandMap, Reads, TuplePath, ValueSource};
use super::roles::is_index;
use affinor::expr::{Expr, VariableId, VariableKind, interval_of};
use affinor::num::{Fuel, Interrupt, Interval};
use affinor_hlo::element_type::ElementType;
use affinor_hlo::module::{ComputationId, Instruction, InstructionId, Module};
use affinor_hlo::opcode::{Opcode, Values};
use affinor_hlo::shape::ArrayShape;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Maximum number of elements that are followed for the runtime variables of one map.
const STEPS: u64 = 20_000;

/// Maximum depth of ops through which an element is followed.
const DEPTH: usize = 200;

/// Maximum number of operations of an expression.
const SIZE: u32 = 200;

/// An element of a part of an instruction's result.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Element {
    /// The number of the frame.
    pub(super) frame: usize,
    pub(super) instruction: InstructionId,
    pub(super) path: TuplePath,
    pub(super) index: Vec<Expr>,
}

impl Element {
    /// Returns the element at another index of the same tensor.
    pub(super) fn at(&self, index: Vec<Expr>) -> Element {
        Element { index, ..self.clone() }
    }
}

/// Returns the step of each counter of a loop, by part of the state, given intervals of scalars before it.
pub(super) type Growth<'m> = Rc<
    dyn Fn(&Instruction, &BTreeMap<TuplePath, Interval>) -> Option<BTreeMap<TuplePath, i64>> + 'm,
>;

/// Follows elements; the variables in their indices have bounds.
pub(super) struct Known<'m> {
    bounds: Vec<Interval>,
    pub(super) frames: Frames<'m>,
    /// The known scalars of parameter 0 of the outermost computation, by part.
    given: BTreeMap<TuplePath, Number>,
    leaves: Option<Leaves>,
    growth: Option<Growth<'m>>,
    /// The interval of a variable in the branch of a selection that is being followed.
    pub(super) narrowed: Option<(VariableId, Interval)>,
    /// The number of variables with bounds, if truth values that are not known are variables after these.
    own: Option<usize>,
    pub(super) values: BTreeMap<Element, Option<Number>>,
    literals: BTreeMap<InstructionPlace, Option<Rc<[i64]>>>,
    pub(super) fuel: Fuel,
    depth: usize,
}

impl<'m> Known<'m> {
    /// Starts from the operands of the instructions of `computation`, at indices over variables with these bounds.
    pub(super) fn new(
        module: &'m Module,
        computation: ComputationId,
        bounds: Vec<Interval>,
        interrupt: &Interrupt,
    ) -> Known<'m> {
        Known {
            bounds,
            frames: Frames::new(module, computation),
            given: BTreeMap::new(),
            leaves: None,
            growth: None,
            narrowed: None,
            own: None,
            values: BTreeMap::new(),
            literals: BTreeMap::new(),
            fuel: Fuel::new(STEPS, interrupt),
            depth: 0,
        }
    }

    /// Adds known scalars of parameter 0 of the computation, by path of the part.
    pub(super) fn with_given(mut self, given: BTreeMap<TuplePath, Number>) -> Known<'m> {
        self.given = given;
        self
    }

    /// Follows counters through loops.
    pub(super) fn with_growth(mut self, growth: Growth<'m>) -> Known<'m> {
        self.growth = Some(growth);
        self
    }

    /// Represents each truth value that is not known by a variable, numbered after those with bounds.
    pub(super) fn with_open_truths(mut self) -> Known<'m> {
        self.own = Some(self.bounds.len());
        self
    }

    /// Returns whether an expression mentions a truth value that is not known.
    pub(super) fn is_open(&self, expr: &Expr) -> bool {
        let of_truth = |id: &VariableId| self.own.is_some_and(|own| id.index() >= own);
        expr.variables().iter().any(of_truth)
    }

    /// Represents each element of a parameter that is reached by a variable, numbered after those with bounds. With `assumed`,
    /// each such element is assumed to be in that interval.
    pub(super) fn with_elements_of_parameters(mut self, assumed: Option<Interval>) -> Known<'m> {
        self.leaves = Some(Leaves::behind(self.bounds.len(), assumed));
        self
    }

    /// Returns the elements of parameters that were reached.
    pub(super) fn elements_of_parameters(&self) -> &[Leaf] {
        self.leaves.as_ref().map_or(&[], Leaves::list)
    }

    /// Clamps `number` to an interval: the variable of an element becomes a clamped variable.
    pub(super) fn forced(&mut self, number: &Number, bounds: Interval) -> Option<Number> {
        let leaves = self.leaves.as_mut();
        leaves
            .and_then(|leaves| leaves.clamped(number, bounds, &mut self.bounds))
            .or_else(|| number.forced(bounds))
    }

    /// Returns the element at `index` of the tensor that a runtime variable names; the variable belongs to a map of
    /// `instruction`, or of the whole computation if `None`.
    pub(super) fn element(
        &mut self,
        instruction: Option<InstructionId>,
        source: &ValueSource,
        index: Vec<Expr>,
    ) -> Option<Element> {
        let (frame, instruction, path) = match source {
            ValueSource::Operand { operand, path } => {
                let operands = match instruction {
                    Some(instruction) => self.frames.instruction(0, instruction).operands(),
                    None => self.frames.body(0).parameters(),
                };
                (0, *operands.get(*operand)?, path)
            }
            ValueSource::Instruction { at, through, path } => {
                let mut steps = through.iter().chain([at]);
                let mut caller = match instruction {
                    Some(instruction) => instruction,
                    None => steps.next()?.instruction,
                };
                let mut frame = 0;
                for next in steps {
                    frame = self.frames.enter(frame, caller, Some(next.computation))?;
                    caller = next.instruction;
                }
                (frame, caller, path)
            }
        };
        Some(Element { frame, instruction, path: path.clone(), index })
    }

    /// Returns the value of a scalar at part `path` of the computation's result.
    pub(super) fn result(&mut self, path: &[usize]) -> Option<Number> {
        self.value(&Element {
            frame: 0,
            instruction: self.frames.body(0).root(),
            path: path.to_vec(),
            index: Vec::new(),
        })
    }

    /// Returns the sizes of the array that holds the element.
    pub(super) fn sizes(&self, element: &Element) -> Option<Vec<i64>> {
        let shape = self.frames.instruction(element.frame, element.instruction).shape();
        shape.at(&element.path)?.as_array()?.fixed_sizes()
    }

    /// Returns an interval that contains the values of `expr`.
    pub(super) fn range(&self, expr: &Expr) -> Interval {
        interval_of(expr, &|id: VariableId| {
            self.bounds.get(id.index()).copied().unwrap_or(Interval::ALL)
        })
    }

    /// Returns the value of an element.
    pub(super) fn value(&mut self, element: &Element) -> Option<Number> {
        if let Some(known) = self.values.get(element) {
            return known.clone();
        }
        self.fuel.spend(1).ok()?;
        if self.depth == DEPTH {
            return None;
        }
        self.depth += 1;
        let value = self.followed(element);
        self.depth -= 1;
        let value = value.filter(|value| value.expr.size() <= SIZE);
        let value = value.or_else(|| self.open_truth(element));
        self.values.insert(element.clone(), value.clone());
        value
    }

    fn open_truth(&mut self, element: &Element) -> Option<Number> {
        self.own?;
        let shape = self.frames.instruction(element.frame, element.instruction).shape();
        let array = shape.at(&element.path)?.as_array()?;
        (array.element_type() == ElementType::Pred).then_some(())?;
        let truth = Interval::new(0, 1);
        self.bounds.push(truth);
        Some(Number::new(Expr::variable(VariableId(self.bounds.len() as u32 - 1)), truth))
    }

    fn followed(&mut self, element: &Element) -> Option<Number> {
        let instruction = self.frames.instruction(element.frame, element.instruction);
        let other = match instruction.opcode() {
            Opcode::Parameter => match instruction.parameter_number()? {
                0 if element.frame == 0 && self.given.contains_key(&element.path) => {
                    return self.given.get(&element.path).cloned();
                }
                0 if element.frame == 0 && self.leaves.is_none() => return None,
                number if element.frame == 0 && self.leaves.is_some() => {
                    let array = instruction.shape().at(&element.path)?.as_array()?;
                    let at = (number, element.path.clone(), element.index.clone());
                    let leaves = self.leaves.as_mut()?;
                    let value = leaves.element(at, array.element_type(), &mut self.bounds)?;
                    return Some(self.within_branch(value));
                }
                number => self.argument(element, number)?,
            },
            Opcode::Fusion | Opcode::Call => {
                let frame = self.frames.enter(element.frame, element.instruction, None)?;
                self.root(element, frame)
            }
            Opcode::Conditional => {
                let branch = self.branch(element, instruction)?;
                self.root(element, branch)
            }
            Opcode::While => {
                let body = self.frames.body_of_loop(instruction)?;
                if !is_passed_on(body, &element.path) {
                    return self.counted(element, instruction);
                }
                self.operand(element, 0, element.path.clone(), element.index.clone())?
            }
            // The result of an async-start is `((operands), result, ..)`.
            Opcode::AsyncStart => match element.path.split_first()? {
                (1, path) => {
                    let frame = self.frames.enter(element.frame, element.instruction, None)?;
                    let root = self.root(element, frame);
                    Element { path: path.to_vec(), ..root }
                }
                (_, path) => {
                    let (operand, path) = path.split_first()?;
                    self.operand(element, *operand, path.to_vec(), element.index.clone())?
                }
            },
            Opcode::AddDependency
            | Opcode::AsyncDone
            | Opcode::AsyncUpdate
            | Opcode::Bitcast
            | Opcode::CopyDone
            | Opcode::CopyStart
            | Opcode::Domain => return self.moved(element),
            opcode if opcode.values() != Values::Made => return self.moved(element),
            _ => return self.made(element, instruction),
        };
        self.value(&other)
    }

    /// Returns the value of a counter after a loop.
    fn counted(&mut self, element: &Element, instruction: &Instruction) -> Option<Number> {
        let growth = self.growth.clone()?;
        let mut starts = BTreeMap::new();
        for (path, leaf) in instruction.shape().leaves() {
            if leaf.as_array().is_some_and(|array| array.rank() == 0) {
                let operand = self.operand(element, 0, path.clone(), Vec::new())?;
                starts.extend(self.value(&operand).map(|start| (path, start)));
            }
        }
        let ranges = starts.iter().map(|(path, start)| (path.clone(), start.range)).collect();
        let grown = *growth(instruction, &ranges)?.get(&element.path)?;
        starts.get(&element.path)?.plus(1, &Number::constant(grown))
    }

    /// Returns the value of an op without operands, or of an elementwise op on the elements at the same index.
    fn made(&mut self, element: &Element, instruction: &'m Instruction) -> Option<Number> {
        let array = instruction.shape().as_array()?;
        let element_type = array.element_type();
        let value = match instruction.opcode() {
            Opcode::Constant => self.literal(element, array)?,
            Opcode::Iota => {
                let dimension = instruction.iota_dimension(array.rank()).ok()?;
                let index = element.index.get(dimension)?;
                let size = *array.fixed_sizes()?.get(dimension)?;
                let range = self.range(index).intersect(Interval::of_size(size));
                Number::new(index.clone(), range)
            }
            Opcode::GetDimensionSize => {
                let operand = *instruction.operands().first()?;
                let sizes = self.frames.instruction(element.frame, operand).shape().as_array()?;
                let [dimension] = instruction.dimensions(sizes.rank()).ok()?[..] else {
                    return None;
                };
                Number::constant(*sizes.fixed_sizes()?.get(dimension)?)
            }
            _ => {
                let Some(operands) = self.operands(element, instruction, array.rank()) else {
                    return self.selected(element, instruction).or_else(|| self.of_floats(element));
                };
                if let (Some(leaves), Some((of, bounds))) =
                    (&mut self.leaves, clamping(instruction.opcode(), &operands))
                    && let Some(clamped) = leaves.clamped(of, bounds, &mut self.bounds)
                {
                    return Some(clamped);
                }
                return combined(instruction, element_type, &operands);
            }
        };
        held(element_type)?.contains_all(value.range).then_some(value)
    }

    /// Returns the values of an elementwise op's operands at the index of its result; a scalar is used at every index.
    fn operands(
        &mut self,
        element: &Element,
        instruction: &'m Instruction,
        rank: usize,
    ) -> Option<Vec<(ElementType, Number)>> {
        let mut numbers = Vec::with_capacity(instruction.operands().len());
        for (number, id) in instruction.operands().iter().enumerate() {
            let array = self.frames.instruction(element.frame, *id).shape().as_array()?;
            let index = match array.rank() {
                0 => Vec::new(),
                own if own == rank => element.index.clone(),
                _ => return None,
            };
            let operand = self.operand(element, number, TuplePath::new(), index)?;
            numbers.push((array.element_type(), self.value(&operand)?));
        }
        Some(numbers)
    }

    /// Returns the value of an element of a constant: the element at a constant index, or a sum that all elements fit.
    fn literal(&mut self, element: &Element, array: &ArrayShape) -> Option<Number> {
        let place = InstructionPlace {
            computation: self.frames.computation(element.frame),
            instruction: element.instruction,
        };
        let instruction = self.frames.instruction(element.frame, element.instruction);
        let read = || Some(instruction.constant_integers().ok()??.into());
        let values = self.literals.entry(place).or_insert_with(read).clone()?;
        let sizes = array.fixed_sizes()?;
        let count = sizes.iter().try_fold(1_i64, |count, size| count.checked_mul(*size))?;
        if i64::try_from(values.len()) != Ok(count) || sizes.len() != element.index.len() {
            return None;
        }
        let constants = element.index.iter().map(Expr::as_constant);
        if let Some(index) = constants.collect::<Option<Vec<i64>>>() {
            let inside = index.iter().zip(&sizes).all(|(x, size)| (0..*size).contains(x));
            let position = index.iter().zip(&sizes).fold(0, |at, (x, size)| at * size + x);
            let position = usize::try_from(position).ok().filter(|_| inside)?;
            return values.get(position).copied().map(Number::constant);
        }
        self.fuel.spend(values.len() as u64 / 16).ok()?;
        let (constant, slopes) = plane(&values, &sizes)?;
        let terms = slopes.into_iter().zip(element.index.iter().cloned());
        let expr = Expr::sum(constant, terms).ok()?;
        let (least, most) = (values.iter().min()?, values.iter().max()?);
        let range = self.range(&expr).intersect(Interval::new(*least, *most));
        Some(Number::new(expr, range))
    }

    /// Returns the value of the element that an op moves to the given index, through the only map to it.
    fn moved(&mut self, element: &Element) -> Option<Number> {
        let computation = self.frames.body(element.frame);
        let instruction = &computation[element.instruction];
        if *instruction.opcode() == Opcode::Bitcast {
            let from = computation.operands(instruction).next()?.shape().as_array()?;
            let to = instruction.shape().as_array()?;
            (from.element_type() == to.element_type()).then_some(())?;
        }
        // Ops that move elements call no computations and no custom-calls.
        let none = CustomCalls::default();
        let mut callee = |_| Err(instruction.error("expected an op that calls no computation"));
        let entries = operation::reads(computation, instruction, &none, &mut callee).ok()?;
        let of_part = entries.iter().filter(|entry| entry.output == element.path);
        for entry in of_part.filter(|entry| !is_index(instruction, entry.operand)) {
            let Reads::Maps(maps) = &entry.reads else {
                return None;
            };
            for map in maps {
                if let Some(index) = self.led(element, map)? {
                    let path = entry.operand_path.clone();
                    let operand = self.operand(element, entry.operand, path, index)?;
                    return self.value(&operand);
                }
            }
        }
        None
    }

    /// Returns the index that `map` maps the element to; `Some(None)` if the element is outside the map's domain, `None` if this
    /// is undecided.
    #[allow(clippy::option_option, reason = "undecided, outside, inside")]
    fn led(&mut self, element: &Element, map: &OperandMap) -> Option<Option<Vec<Expr>>> {
        let domain = map.map.domain();
        let is_plain = map.exactness == Exactness::Exact && domain.count(VariableKind::Range) == 0;
        is_plain.then_some(())?;
        let mut images = element.index.clone();
        let mut ranges: Vec<Interval> = images.iter().map(|index| self.range(index)).collect();
        for runtime in &map.runtime {
            let ValueSource::Operand { operand, path } = &runtime.source else {
                return None;
            };
            let index = runtime.index.iter().map(|x| x.substitute(&images).ok());
            let index: Vec<Expr> = index.collect::<Option<_>>()?;
            let source = self.operand(element, *operand, path.clone(), index)?;
            let value = self.value(&source)?.forced(runtime.clamp)?;
            images.push(value.expr);
            ranges.push(value.range);
        }
        let mut is_inside = true;
        let own = ranges.into_iter().zip(domain.intervals());
        let mut bounded: Vec<(Interval, Interval)> = own.collect();
        for constraint in domain.constraints() {
            let expr = constraint.expr.substitute(&images).ok()?;
            bounded.push((self.range(&expr), constraint.bounds));
        }
        for (range, bounds) in bounded {
            if range.intersect(bounds).is_empty() {
                return Some(None);
            }
            is_inside &= bounds.contains_all(range);
        }
        is_inside.then_some(())?;
        let results = map.map.results().iter().map(|x| x.substitute(&images).ok());
        Some(Some(results.collect::<Option<_>>()?))
    }

    /// Returns an element of an operand of the instruction that computes `element`.
    pub(super) fn operand(
        &self,
        element: &Element,
        operand: usize,
        path: TuplePath,
        index: Vec<Expr>,
    ) -> Option<Element> {
        let instruction = self.frames.instruction(element.frame, element.instruction);
        Some(Element {
            frame: element.frame,
            instruction: *instruction.operands().get(operand)?,
            path,
            index,
        })
    }

    /// Returns the same element of the root of another frame.
    fn root(&self, element: &Element, frame: usize) -> Element {
        Element { frame, instruction: self.frames.body(frame).root(), ..element.clone() }
    }

    /// Returns the element of the caller's operand that an element of a parameter is bound to.
    fn argument(&self, element: &Element, number: usize) -> Option<Element> {
        let (frame, instruction) = self.frames.argument(element.frame, number)?;
        Some(Element { frame, instruction, ..element.clone() })
    }

    /// Returns the frame of the computation that a known predicate selects.
    fn branch(&mut self, element: &Element, instruction: &Instruction) -> Option<usize> {
        let predicate = self.operand(element, 0, TuplePath::new(), Vec::new())?;
        let array = self.frames.instruction(element.frame, predicate.instruction).shape();
        let of_truth = array.as_array()?.element_type() == ElementType::Pred;
        let choice = self.value(&predicate)?.expr.as_constant()?;
        let branches = instruction.branches().ok()?;
        let last = branches.len().checked_sub(1)?;
        let branch = match of_truth {
            true => usize::from(choice == 0),
            false => usize::try_from(choice).map_or(last, |branch| branch.min(last)),
        };
        let computation = *branches.get(branch)?;
        Some(self.frames.enter_as(element.frame, element.instruction, computation, branch + 1))
    }
}
