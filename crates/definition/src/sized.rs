//! Arrays whose sizes are known only at run time, as sums of named sizes.
//!
//! Law: a definition over names holds for all values of the names within their bounds, where the arrays have the sizes that are
//! given. Ops whose definition computes with sizes, rather than bounding indices by them, are not defined here.

use super::access::{Access, Definition};
use super::named::{Array, OPEN};
use super::op::{NoDefinition, Op};
use super::relation::{Relation, Source, Sum, Value, d, i};
use affinor_hlo::module::{Instruction, InstructionId};
use affinor_hlo::opcode::Opcode;
use affinor_maps::expr::{Expr, ExprKind};
use affinor_maps::num::{Interval, MINUS_INFINITY};
use std::sync::Arc;

/// A dimension of an array.
type Place = (Array, usize);

impl<'a> Op<'a> {
    /// Returns the sizes of an array over names; `None` if the instruction has numbers only.
    fn named(&self, array: Array) -> Result<Option<&'a [Expr]>, NoDefinition> {
        let Some(given) = self.given else { return Ok(None) };
        let id = match array {
            Array::Result => Some(given.instruction),
            Array::Operand(operand) => self.instruction.operands().get(operand).copied(),
        };
        let id = id.ok_or_else(|| self.invalid("the instruction has too few operands"))?;
        let sizes = given.sizes.values.get(id.index()).and_then(Option::as_deref);
        sizes.map(Some).ok_or_else(|| self.unknown("a size is known only at run time"))
    }

    /// Returns the number of dimensions of an array.
    pub(super) fn rank(&self, array: Array) -> Result<usize, NoDefinition> {
        let shape = match array {
            Array::Result => self.instruction.shape(),
            Array::Operand(operand) => self.operand_shape(operand)?,
        };
        let array = shape.as_array();
        let array = array.ok_or_else(|| self.invalid("the instruction must have arrays"))?;
        Ok(array.dimensions().len())
    }

    /// Returns the relation of all elements of the result with all elements of an operand.
    pub(super) fn all_pairs(&self, operand: usize) -> Result<Relation, NoDefinition> {
        let arrays = [Array::Result, Array::Operand(operand)];
        let [Some(output), Some(input)] = [self.named(arrays[0])?, self.named(arrays[1])?] else {
            return Ok(Relation::new(&self.output()?, &self.operand(operand)?));
        };
        let numbers = |sizes: &[Expr]| -> Vec<i64> {
            sizes.iter().map(|size| size.as_constant().unwrap_or(OPEN)).collect()
        };
        let mut reads = Relation::new(&numbers(output), &numbers(input));
        for (array, sizes, index) in
            [(arrays[0], output, d as fn(usize) -> Sum), (arrays[1], input, i)]
        {
            for (k, size) in sizes.iter().enumerate() {
                if size.as_constant().is_none() {
                    let size = self.size(&mut reads, array, k)?;
                    reads.within(index(k) - size, Interval::new(MINUS_INFINITY, -1))?;
                }
            }
        }
        Ok(reads)
    }

    /// Returns the size of a dimension of an array.
    pub(super) fn size(
        &self,
        reads: &mut Relation,
        array: Array,
        dimension: usize,
    ) -> Result<Sum, NoDefinition> {
        let Some(sizes) = self.named(array)? else {
            let sizes = match array {
                Array::Result => self.output()?,
                Array::Operand(operand) => self.operand(operand)?,
            };
            let size = sizes.get(dimension).copied();
            return size.map(Sum::from).ok_or_else(|| self.invalid("a dimension is missing"));
        };
        let size = sizes.get(dimension).ok_or_else(|| self.invalid("a dimension is missing"))?;
        self.sum_of_names(reads, size)
    }

    /// Returns the value of an operand that is a symbol of maps; `None` if it has no name.
    pub(super) fn symbol(
        &self,
        reads: &mut Relation,
        operand: usize,
    ) -> Result<Option<Sum>, NoDefinition> {
        let Some(given) = self.given else { return Ok(None) };
        let id = self.instruction.operands().get(operand);
        let constant = |id: &InstructionId| -> Option<i64> {
            let own: &Instruction = &self.computation[*id];
            own.constant_integers().ok().flatten()?.first().copied()
        };
        if let Some(number) = id.and_then(constant) {
            return Ok(Some(Sum::from(number)));
        }
        let name = id.and_then(|id| given.sizes.symbols.get(id.index()).cloned().flatten());
        name.map(|name| self.sum_of_names(reads, &name)).transpose()
    }

    fn sum_of_names(&self, reads: &mut Relation, size: &Expr) -> Result<Sum, NoDefinition> {
        let not_a_sum = || self.unknown("a size is not a sum of named sizes");
        let mut name = |expr: &Expr| -> Result<Sum, NoDefinition> {
            let id = expr.as_variable().ok_or_else(not_a_sum)?;
            let names = self.given.map_or(&[][..], |given| &given.sizes.names);
            let name = names.get(id.index()).ok_or_else(not_a_sum)?;
            reads.named(&name.name, name.bounds).map_err(NoDefinition::from)
        };
        match size.kind() {
            ExprKind::Constant(number) => Ok(Sum::from(*number)),
            ExprKind::Variable(_) => name(size),
            ExprKind::Sum(sum) => {
                let start = Sum::from(sum.constant());
                sum.terms().iter().try_fold(start, |all, (c, term)| Ok(all + name(term)? * *c))
            }
            _ => Err(not_a_sum()),
        }
    }

    /// Returns the dimensions that have equal sizes, since the op requires it of the arrays.
    fn equal_sizes(&self) -> Result<Vec<[Place; 2]>, NoDefinition> {
        let rank = self.rank(Array::Result)?;
        let result = |k| (Array::Result, k);
        let mut equal: Vec<[Place; 2]> = Vec::new();
        match self.instruction.opcode() {
            Opcode::CustomCall | Opcode::Reshape | Opcode::Slice => {}
            Opcode::Transpose => {
                let order = self.instruction.dimensions(rank)?.into_iter().enumerate();
                equal.extend(order.map(|(k, from)| [result(k), (Array::Operand(0), from)]));
            }
            Opcode::Broadcast => {
                let to = self.instruction.optional_dimensions("dimensions", rank)?;
                let to = to.into_iter().enumerate();
                equal.extend(to.map(|(k, to)| [result(to), (Array::Operand(0), k)]));
            }
            Opcode::Dot => {
                let ranks = [self.rank(Array::Operand(0))?, self.rank(Array::Operand(1))?];
                let dot = self.instruction.dot_dimensions(ranks[0], ranks[1])?;
                let [left, right] = [0, 1].map(|side| move |k: &usize| (Array::Operand(side), *k));
                let shared = dot.lhs_contracting.iter().zip(&dot.rhs_contracting);
                equal.extend(shared.map(|(one, other)| [left(one), right(other)]));
                let mut next = dot.lhs_batch.len();
                for (side, batch, summed) in [
                    (0, &dot.lhs_batch, &dot.lhs_contracting),
                    (1, &dot.rhs_batch, &dot.rhs_contracting),
                ] {
                    for k in 0..ranks[side] {
                        let at = match batch.iter().position(|dimension| *dimension == k) {
                            Some(at) => at,
                            None if summed.contains(&k) => continue,
                            None => {
                                next += 1;
                                next - 1
                            }
                        };
                        equal.push([result(at), (Array::Operand(side), k)]);
                    }
                }
            }
            opcode => {
                let along = match opcode {
                    Opcode::Concatenate => Some(self.one_dimension(rank)?),
                    _ => None,
                };
                for operand in 0..self.operand_count() {
                    // A scalar beside arrays has no dimensions.
                    for k in 0..self.rank(Array::Operand(operand))? {
                        if Some(k) != along {
                            equal.push([result(k), (Array::Operand(operand), k)]);
                        }
                    }
                }
            }
        }
        Ok(equal)
    }

    /// Adds to the accesses that the arrays have the sizes which the op requires.
    pub(super) fn with_equal_sizes(&self, of: &Definition) -> Result<Definition, NoDefinition> {
        if of.accesses().is_empty() {
            return Ok(of.clone());
        }
        let equal = self.equal_sizes()?;
        let with_sizes = |access: &Access| {
            let mut access = access.clone();
            for [one, other] in &equal {
                let one = self.size(&mut access.reads, one.0, one.1)?;
                let other = self.size(&mut access.reads, other.0, other.1)?;
                if one != other {
                    access.reads.equate(one, other)?;
                }
            }
            Ok(access)
        };
        of.accesses().iter().map(with_sizes).collect()
    }

    /// Returns whether the definition of the op only bounds indices by sizes, or refuses sizes that it computes with.
    pub(super) fn has_named_definition(&self) -> bool {
        matches!(
            self.instruction.opcode(),
            Opcode::Broadcast
                | Opcode::Concatenate
                | Opcode::CustomCall
                | Opcode::Dot
                | Opcode::Reshape
                | Opcode::Reverse
                | Opcode::Slice
                | Opcode::Transpose
        )
    }
}

impl Relation {
    /// Returns a named number, the same one for the same name.
    fn named(
        &mut self,
        name: &Arc<str>,
        bounds: Interval,
    ) -> Result<Sum, affinor_maps::text::Error> {
        let source = Source::Name(name.clone());
        if let Some(known) = self.values().iter().position(|value| value.source == source) {
            return Ok(Sum::from(super::relation::Index::Value(known)));
        }
        let (path, index) = (Vec::new(), Vec::new());
        self.value(Value { source, path, index, clamp: bounds, is_free: true })
    }
}
