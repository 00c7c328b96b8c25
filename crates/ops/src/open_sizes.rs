//! The reads of instructions with sizes known only at run time: each such size has a name, or follows from the sizes of the
//! operands.
//!
//! Law: for all sizes that the module's types and ops allow, the maps are those of the module with these numbers. A name is
//! at least 1: where a size is 0, nothing is claimed.

use crate::indexing::{OperandMap, OperandReads, Reads};
use crate::named::{Facts, NamedOp, NamedReads, NamedSlice, reads};
use affinor::expr::{Domain, Expr, IndexingMap, Variable, VariableId, VariableKind};
use affinor::num::Interval;
use affinor::text::Error;
use affinor_hlo::module::{Computation, ComputationId, Instruction, InstructionId, Module};
use affinor_hlo::opcode::Opcode;
use affinor_hlo::shape::ArrayShape;
use std::collections::BTreeSet;

/// The sizes of the values of a module.
pub struct OpenSizes<'m> {
    module: &'m Module,
    computations: Vec<Sizes>,
}

/// The sizes of the values of a computation, over names.
#[derive(Default)]
struct Sizes {
    names: Vec<Variable>,
    /// Of each instruction; `None` for a value that is not an array.
    values: Vec<Option<Vec<Expr>>>,
    /// The name of each instruction's value, if it is a scalar that others use as a symbol.
    symbols: Vec<Option<Expr>>,
}

/// A size of more parts than this has a name of its own.
const MAX_SIZE: u32 = 64;
/// A computation with more names has no maps here.
const MAX_NAMES: usize = 1 << 12;

type Simplify<'a> = &'a dyn Fn(&IndexingMap) -> IndexingMap;

impl<'m> OpenSizes<'m> {
    /// `None` if all sizes are fixed. `simplify` returns a map that is equal to its argument.
    #[must_use]
    pub fn of(module: &'m Module, simplify: Simplify<'_>) -> Option<OpenSizes<'m>> {
        let is_open = |(_, computation): (_, &Computation)| {
            computation.instructions().any(|(_, instruction)| is_open(instruction))
        };
        if !module.computations().any(is_open) {
            return None;
        }
        let all = module.computations().map(|(_, body)| Sizes::of(body, simplify)).collect();
        Some(OpenSizes { module, computations: all })
    }

    /// What an instruction reads that has sizes known only at run time, or an operand that has.
    ///
    /// # Errors
    /// If the sizes contradict each other, or no map with names is known of such an op.
    pub fn reads(
        &self,
        computation: ComputationId,
        instruction: InstructionId,
        simplify: Simplify<'_>,
    ) -> Result<Option<Vec<OperandReads>>, Error> {
        let (body, sizes) = (&self.module[computation], &self.computations[computation.index()]);
        let wanted = &body[instruction];
        if !is_open(wanted) && !body.operands(wanted).any(is_open) {
            return Ok(None);
        }
        let result = sizes.values.get(instruction.index()).cloned().flatten();
        let Some(result) = result else { return Ok(None) };
        let Some(found) = sizes.op(body, wanted, Some(&result), simplify)? else {
            return Ok(None);
        };
        let bounds = listed(wanted, "bounds");
        let of_operand = |operand: usize| {
            let own = found.maps.iter().filter(|(of, _)| *of == operand);
            let maps = own.map(|(_, map)| {
                let map = simplify(map).without_unused(&[VariableKind::Parameter]);
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
}

fn is_open(instruction: &Instruction) -> bool {
    instruction.shape().as_array().is_some_and(ArrayShape::is_dynamic)
}

impl Sizes {
    fn of(body: &Computation, simplify: Simplify<'_>) -> Sizes {
        let mut sizes = Sizes::default();
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
        sizes
    }

    fn named(&mut self, name: &str, bounds: Interval) -> Expr {
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let mut name: String = name.chars().map(|c| if is_part(c) { c } else { '_' }).collect();
        if name.starts_with(|c: char| c.is_ascii_digit()) {
            name.insert(0, 'v');
        }
        while self.names.iter().any(|known| *known.name == *name) {
            name.push('_');
        }
        self.names.push(Variable::new(name, VariableKind::Parameter, bounds));
        variable(self.names.len() - 1)
    }

    /// The sizes of an instruction's value.
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

    /// What an op reads; none if an operand is no array.
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
        let mut slices = Vec::new();
        if *instruction.opcode() == Opcode::Slice {
            let ranges = instruction.slice_ranges(operands.first().map_or(0, Vec::len))?;
            slices.extend(ranges.iter().map(|range| NamedSlice {
                start: Expr::constant(range.start),
                limit: Expr::constant(range.limit),
                stride: Expr::constant(range.stride),
            }));
        }
        // The names that occur, in their order.
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
            opcode: instruction.opcode(),
            instruction,
            operands: &operands,
            result: result.as_deref(),
            slices: &slices,
            values: &values,
        };
        let found = reads(&op, &mut facts)?;
        // Back to the names of the computation.
        let back: Vec<Expr> = used.iter().map(|id| Expr::variable(*id)).collect();
        let sizes = found.sizes.iter().map(|size| size.substitute(&back));
        let sizes = sizes.collect::<Result<_, _>>();
        let sizes = sizes.map_err(|error| instruction.error(error.to_string()))?;
        Ok(Some(NamedReads { sizes, ..found }))
    }
}

/// The operands that a call which states its loops lists in its config.
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
