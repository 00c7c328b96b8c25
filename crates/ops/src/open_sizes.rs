//! The reads of instructions with sizes known only at run time: each such size has a name, or follows from the sizes of the
//! operands.
//!
//! Law: for all sizes that the module's types and ops allow, the maps are those of the module with these numbers. A named size
//! is at least 1; nothing is claimed for sizes of 0.

use crate::indexing::{InstructionPlace, OpenReads, OperandMap, OperandReads, Reads, Simplify};
use crate::named::{Facts, NamedOp, NamedReads, NamedSlice, reads};
use affinor::expr::{Domain, Expr, IndexingMap, Variable, VariableId, VariableKind};
use affinor::num::Interval;
use affinor::text::Error;
use affinor_hlo::module::{Computation, ComputationId, Instruction, InstructionId, Module};
use affinor_hlo::opcode::Opcode;
use affinor_hlo::shape::ArrayShape;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The sizes of the values of a module.
pub struct OpenSizes<'m> {
    module: &'m Module,
    simplify: Simplify<'m>,
    computations: Vec<Sizes>,
}

/// The sizes of the values of a computation, in terms of named sizes.
#[derive(Default)]
struct Sizes {
    names: Vec<Variable>,
    /// The names used in the module so far.
    taken: BTreeSet<String>,
    /// The sizes of each instruction's value; `None` for a value that is not an array.
    values: Vec<Option<Vec<Expr>>>,
    /// The symbol for each instruction's value, if the value is a scalar that other ops use as a symbol.
    symbols: Vec<Option<Expr>>,
}

/// The number of operations above which a size gets a name of its own.
const MAX_SIZE: u32 = 64;
/// Maximum number of names in a computation; with more, it gets no maps here.
const MAX_NAMES: usize = 1 << 12;

/// Names, sizes and symbols of a computation.
pub type Given<'a> = (&'a [Variable], &'a [Option<Vec<Expr>>], &'a [Option<Expr>]);

impl<'m> OpenSizes<'m> {
    /// Returns `None` if all sizes are fixed. `simplify` returns a map that is equal to its argument.
    #[must_use]
    pub fn of(module: &'m Module, simplify: Simplify<'m>) -> Option<Arc<OpenSizes<'m>>> {
        let is_open = |(_, computation): (_, &Computation)| {
            computation.instructions().any(|(_, instruction)| is_open(instruction))
        };
        if !module.computations().any(is_open) {
            return None;
        }
        // A name denotes the same size throughout the module; the entry computation gets the plain names.
        let mut taken = BTreeSet::new();
        let mut all: Vec<Sizes> = Vec::new();
        all.resize_with(module.computations().count(), Sizes::default);
        let entry = std::iter::once((module.entry(), &module[module.entry()]));
        let others = module.computations().filter(|(id, _)| *id != module.entry());
        for (id, body) in entry.chain(others) {
            if let Some(place) = all.get_mut(id.index()) {
                *place = Sizes::of(body, simplify, &mut taken);
            }
        }
        Some(Arc::new(OpenSizes { module, simplify, computations: all }))
    }

    /// Returns the sizes of the values of a computation: the names with their bounds, for each instruction the sizes over them,
    /// and the names of values that are symbols of maps.
    #[must_use]
    pub fn given(&self, computation: ComputationId) -> Option<Given<'_>> {
        let sizes = self.computations.get(computation.index())?;
        Some((&sizes.names, &sizes.values, &sizes.symbols))
    }

    fn tidy(&self, map: &IndexingMap) -> IndexingMap {
        (self.simplify)(map).without_unused(&[VariableKind::Parameter])
    }
}

impl OpenReads for OpenSizes<'_> {
    fn reads(&self, place: InstructionPlace) -> Result<Option<Vec<OperandReads>>, Error> {
        let body = &self.module[place.computation];
        let sizes = &self.computations[place.computation.index()];
        let wanted = &body[place.instruction];
        if !is_open(wanted) && !body.operands(wanted).any(is_open) {
            return Ok(None);
        }
        if *wanted.opcode() == Opcode::Tuple {
            let of_part = |(number, id): (usize, &InstructionId)| {
                let at = InstructionPlace { instruction: *id, ..place };
                let reads = Reads::exactly(self.elements(at, &[])?);
                let operand_path = Vec::new();
                Some(OperandReads { output: vec![number], operand: number, operand_path, reads })
            };
            return Ok(wanted.operands().iter().enumerate().map(of_part).collect());
        }
        let result = sizes.values.get(place.instruction.index()).cloned().flatten();
        let Some(result) = result else { return Ok(None) };
        let Some(found) = sizes.op(body, wanted, Some(&result), self.simplify)? else {
            return Ok(None);
        };
        let bounds = listed(wanted, "bounds");
        let of_operand = |operand: usize| {
            let own = found.maps.iter().filter(|(of, _)| *of == operand);
            let maps = own.map(|(_, map)| {
                let map = self.tidy(map);
                match bounds.contains(&operand) {
                    true => OperandMap::at_most(map, "not every point may read it"),
                    false => OperandMap::exact(map),
                }
            });
            let (output, operand_path) = (Vec::new(), Vec::new());
            OperandReads { output, operand, operand_path, reads: Reads::union(maps) }
        };
        Ok(Some((0..wanted.operands().len()).map(of_operand).collect()))
    }

    fn elements(&self, place: InstructionPlace, part: &[usize]) -> Option<IndexingMap> {
        let body = &self.module[place.computation];
        let instruction = &body[place.instruction];
        if let (Opcode::Tuple, [first, rest @ ..]) = (instruction.opcode(), part) {
            let instruction = *instruction.operands().get(*first)?;
            return self.elements(InstructionPlace { instruction, ..place }, rest);
        }
        let sizes = &self.computations[place.computation.index()];
        let own = sizes.values.get(place.instruction.index()).filter(|_| part.is_empty())?;
        let of = Of { opcode: &Opcode::Copy, operands: vec![own.clone()?], values: Vec::new() };
        let found = sizes.reads(instruction, of, None, self.simplify).ok()?;
        found.maps.first().map(|(_, map)| self.tidy(map))
    }
}

/// An op, its operands' sizes, and their values where indices depend on them.
struct Of<'a> {
    opcode: &'a Opcode,
    operands: Vec<Vec<Expr>>,
    values: Vec<Expr>,
}

/// Returns whether the module has an array with an unbounded size.
#[must_use]
pub fn has_unbounded(module: &Module) -> bool {
    let is_unbounded = |(_, one): (_, &Instruction)| {
        one.shape().as_array().is_some_and(|array| array.sizes().is_none())
    };
    module.computations().any(|(_, body)| body.instructions().any(is_unbounded))
}

fn is_open(instruction: &Instruction) -> bool {
    instruction.shape().as_array().is_some_and(ArrayShape::is_dynamic)
}

impl Sizes {
    fn of(body: &Computation, simplify: Simplify<'_>, taken: &mut BTreeSet<String>) -> Sizes {
        let mut sizes = Sizes { taken: std::mem::take(taken), ..Sizes::default() };
        let mut symbols = BTreeSet::new();
        for (_, instruction) in body.instructions() {
            let of = |k: &usize| instruction.operands().get(*k).map(|id| id.index());
            symbols.extend(listed(instruction, "symbols").iter().filter_map(of));
        }
        for (id, instruction) in body.instructions() {
            let is_symbol = symbols.contains(&id.index());
            let symbol = is_symbol.then(|| sizes.named(instruction.name(), Interval::ALL));
            sizes.symbols.push(symbol);
            let own = sizes.own(body, instruction, simplify);
            sizes.values.push(own);
        }
        *taken = std::mem::take(&mut sizes.taken);
        sizes
    }

    fn named(&mut self, name: &str, bounds: Interval) -> Expr {
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let mut name: String = name.chars().map(|c| if is_part(c) { c } else { '_' }).collect();
        if name.starts_with(|c: char| c.is_ascii_digit()) {
            name.insert(0, 'v');
        }
        while !self.taken.insert(name.clone()) {
            name.push('_');
        }
        self.names.push(Variable::new(name, VariableKind::Parameter, bounds));
        variable(self.names.len() - 1)
    }

    /// Returns the sizes of an instruction's value.
    fn own(
        &mut self,
        body: &Computation,
        instruction: &Instruction,
        simplify: Simplify<'_>,
    ) -> Option<Vec<Expr>> {
        let array = instruction.shape().as_array()?;
        let implied = match array.is_dynamic() && self.names.len() < MAX_NAMES {
            true => self.op(body, instruction, None, simplify).ok().flatten(),
            false => None,
        };
        let implied = implied.map(|found| found.sizes).unwrap_or_default();
        let mut sizes = Vec::new();
        for (k, dimension) in array.dimensions().iter().enumerate() {
            sizes.push(match (dimension.is_dynamic(), dimension.size(), implied.get(k)) {
                (false, Some(size), _) => Expr::constant(size),
                (_, _, Some(implied)) if implied.size() <= MAX_SIZE => implied.clone(),
                (_, bound, _) => {
                    let bounds = Interval::new(1, bound.unwrap_or(Interval::ALL.hi()));
                    self.named(&format!("{}_{k}", instruction.name()), bounds)
                }
            });
        }
        (self.names.len() <= MAX_NAMES).then_some(sizes)
    }

    /// Returns the reads of an op; `None` if an operand is not an array.
    fn op(
        &self,
        body: &Computation,
        instruction: &Instruction,
        result: Option<&[Expr]>,
        simplify: Simplify<'_>,
    ) -> Result<Option<NamedReads>, Error> {
        let mut operands: Vec<Vec<Expr>> = Vec::new();
        let mut values = Vec::new();
        for id in instruction.operands() {
            let Some(Some(own)) = self.values.get(id.index()) else { return Ok(None) };
            operands.push(own.clone());
            let constant = body[*id].constant_integers().ok().flatten();
            let constant = constant.and_then(|list| list.first().copied());
            let symbol = self.symbols.get(id.index()).cloned().flatten();
            values.push(constant.map(Expr::constant).or(symbol).unwrap_or(Expr::constant(0)));
        }
        let of = Of { opcode: instruction.opcode(), operands, values };
        self.reads(instruction, of, result, simplify).map(Some)
    }

    /// Returns the reads of an op with the attributes of `instruction`.
    fn reads(
        &self,
        instruction: &Instruction,
        Of { opcode, operands, values }: Of<'_>,
        result: Option<&[Expr]>,
        simplify: Simplify<'_>,
    ) -> Result<NamedReads, Error> {
        let mut slices = Vec::new();
        if *opcode == Opcode::Slice {
            let ranges = instruction.slice_ranges(operands.first().map_or(0, Vec::len))?;
            slices.extend(ranges.iter().map(|range| NamedSlice {
                start: Expr::constant(range.start),
                limit: Expr::constant(range.limit),
                stride: Expr::constant(range.stride),
            }));
        }
        // The names that occur, in order.
        let mut used = BTreeSet::new();
        let symbols = listed(instruction, "symbols");
        let of_symbols = symbols.iter().filter_map(|k| values.get(*k));
        let all = operands.iter().flatten().chain(result.into_iter().flatten()).chain(of_symbols);
        all.for_each(|size| size.collect_variables(&mut used));
        let mut places = vec![Expr::constant(0); self.names.len()];
        for (number, id) in used.iter().enumerate() {
            places[id.index()] = variable(number);
        }
        let moved = |list: &[Expr]| -> Result<Vec<Expr>, Error> {
            let moved = list.iter().map(|size| size.substitute(&places)).collect::<Result<_, _>>();
            moved.map_err(|error| instruction.error(error.to_string()))
        };
        let names = used.iter().filter_map(|id| self.names.get(id.index()).cloned());
        let mut facts = Facts::new(Domain::new(names.collect()), simplify);
        let operands: Vec<Vec<Expr>> =
            operands.iter().map(|own| moved(own)).collect::<Result<_, _>>()?;
        let (result, values) = (result.map(moved).transpose()?, moved(&values)?);
        let op = NamedOp {
            opcode,
            instruction,
            operands: &operands,
            result: result.as_deref(),
            slices: &slices,
            values: &values,
        };
        let found = reads(&op, &mut facts)?;
        // Translates the names back to those of the computation.
        let back: Vec<Expr> = used.iter().map(|id| Expr::variable(*id)).collect();
        let sizes = found.sizes.iter().map(|size| size.substitute(&back));
        let sizes = sizes.collect::<Result<_, _>>();
        let sizes = sizes.map_err(|error| instruction.error(error.to_string()))?;
        Ok(NamedReads { sizes, ..found })
    }
}

/// Returns the operand numbers that a custom-call with stated loops lists under `key` in its backend config.
fn listed(instruction: &Instruction, key: &str) -> BTreeSet<usize> {
    if *instruction.opcode() != Opcode::CustomCall {
        return BTreeSet::new();
    }
    let list = instruction.backend_config(key);
    let list = list.iter().filter_map(|list| list.as_array()).flatten();
    list.filter_map(|k| usize::try_from(k.as_u64()?).ok()).collect()
}

fn variable(number: usize) -> Expr {
    Expr::variable(VariableId(u32::try_from(number).unwrap_or(u32::MAX)))
}
