//! Forms of a value, and the order between them.
//!
//! A [`Form`] is a finished expression tree over the map's variables, with its cost and a range computed from it. Sums
//! are flattened and equal coefficients share a multiplication, so the cost is that of the printed text.

use super::shape::{sum_operations, written_sum};
use crate::expr::{Expr, ExprError, MAX_SIZE, VariableId};
use crate::num::Interval;
use crate::rule::matching::Operator;
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};
use std::rc::Rc;

/// Maximum number of terms of a sum for which a like term is found by linear search.
const FEW_TERMS: usize = 16;

pub type FormRef = Rc<Form>;

/// An expression tree with cached facts. Subtrees are shared, so a tree may be much larger than its memory: every traversal
/// memoizes.
#[derive(Debug)]
pub struct Form {
    pub node: FormNode,
    /// Operations, as [`crate::expr::Cost`] counts them.
    pub ops: u32,
    /// The number of floordiv and mod operations.
    pub divmods: u32,
    /// An interval that contains all values in the domain.
    pub range: Interval,
    /// The [`Interval::reach`] of all numbers in it.
    pub(super) reach: u64,
    /// Sum of the absolute values of its integers.
    pub(super) magnitude: u64,
    /// Variables in it, one bit for each (modulo 64).
    support: u64,
    /// Structural: equal trees have equal hashes.
    pub(super) hash: u64,
}

/// The operation at the root of a form.
#[derive(Clone, Debug)]
pub enum FormNode {
    Constant(i64),
    Variable(VariableId),
    /// `constant + coefficient * part + ..`; no part is a sum or a constant.
    Sum(i64, Vec<(i64, FormRef)>),
    FloorDiv(FormRef, i64),
    Mod(FormRef, i64),
    Min(Vec<FormRef>),
    Max(Vec<FormRef>),
    /// Two or more factors, in the order of forms; none is a constant, a product, or a sum of one term.
    Product(Vec<FormRef>),
    /// A quotient or remainder by a divisor that is not constant.
    Divided(Operator, [FormRef; 2]),
}

impl Form {
    pub fn constant(value: i64) -> FormRef {
        Form::make(FormNode::Constant(value), 0, 0, Interval::point(value))
    }

    pub fn variable(id: VariableId, range: Interval) -> FormRef {
        Form::make(FormNode::Variable(id), 0, 0, range)
    }

    /// `constant + coefficient * part + ..`; `None` if a coefficient overflows.
    pub fn sum(constant: i64, parts: impl IntoIterator<Item = (i64, FormRef)>) -> Option<FormRef> {
        let mut constant = constant;
        let mut terms = Terms::default();
        for (coefficient, part) in parts {
            match &part.node {
                FormNode::Constant(value) => {
                    constant = constant.checked_add(coefficient.checked_mul(*value)?)?;
                }
                FormNode::Sum(inner, list) => {
                    constant = constant.checked_add(coefficient.checked_mul(*inner)?)?;
                    for (c, x) in list {
                        terms.add(coefficient.checked_mul(*c)?, x.clone())?;
                    }
                }
                _ => terms.add(coefficient, part)?,
            }
        }
        let mut flat = terms.list;
        flat.retain(|(coefficient, _)| *coefficient != 0);
        match flat.as_slice() {
            [] => return Some(Form::constant(constant)),
            [(1, part)] if constant == 0 => return Some(part.clone()),
            _ => {}
        }
        let (mut ops, mut divmods, mut range) = (0u32, 0u32, Interval::point(constant));
        for (coefficient, part) in &flat {
            ops = ops.saturating_add(part.ops);
            divmods = divmods.saturating_add(part.divmods);
            range = range.add(part.range.scale(*coefficient));
        }
        let measured = flat.iter().map(|(c, part)| (*c, part.ops == 0));
        ops = ops.saturating_add(sum_operations(constant, measured));
        Some(Form::make(FormNode::Sum(constant, flat), ops, divmods, range))
    }

    /// `part floordiv divisor`.
    pub fn floordiv(part: FormRef, divisor: i64) -> FormRef {
        let range = part.range.floordiv(divisor);
        let (ops, divmods) = (part.ops.saturating_add(1), part.divmods.saturating_add(1));
        Form::make(FormNode::FloorDiv(part, divisor), ops, divmods, range)
    }

    /// `part mod modulus`.
    pub fn modulo(part: FormRef, modulus: i64) -> FormRef {
        let range = part.range.modulo(modulus);
        let (ops, divmods) = (part.ops.saturating_add(1), part.divmods.saturating_add(1));
        Form::make(FormNode::Mod(part, modulus), ops, divmods, range)
    }

    /// Returns the product of several parts; `None` if a coefficient overflows.
    pub fn product(parts: impl IntoIterator<Item = FormRef>) -> Option<FormRef> {
        let (mut coefficient, mut factors) = (1i64, Vec::new());
        for part in parts {
            match &part.node {
                FormNode::Constant(value) => coefficient = coefficient.checked_mul(*value)?,
                FormNode::Product(list) => factors.extend(list.iter().cloned()),
                FormNode::Sum(0, terms) if terms.len() == 1 => {
                    coefficient = coefficient.checked_mul(terms[0].0)?;
                    match &terms[0].1.node {
                        FormNode::Product(list) => factors.extend(list.iter().cloned()),
                        _ => factors.push(terms[0].1.clone()),
                    }
                }
                _ => factors.push(part),
            }
        }
        factors.sort_by(|x, y| x.order(y));
        let product = match factors.as_slice() {
            [] => return Some(Form::constant(coefficient)),
            [only] => only.clone(),
            _ => {
                let beyond = factors.len() as u32 - 1;
                let ops = factors.iter().map(|x| x.ops).fold(beyond, u32::saturating_add);
                let divmods = factors.iter().map(|x| x.divmods);
                let divmods = divmods.fold(0, u32::saturating_add);
                let ranges = factors.iter().map(|x| x.range);
                let range = ranges.reduce(Interval::multiply).unwrap_or(Interval::ALL);
                Form::make(FormNode::Product(factors), ops, divmods, range)
            }
        };
        Form::sum(0, [(coefficient, product)])
    }

    /// Returns `part floordiv divisor` or `part mod divisor`, for a nonconstant divisor of at least 1.
    pub fn divided(operator: Operator, part: FormRef, divisor: FormRef) -> FormRef {
        let range = match operator {
            Operator::FloorDiv => part.range.floordiv_by(divisor.range),
            _ => part.range.modulo_by(divisor.range),
        };
        let ops = part.ops.saturating_add(divisor.ops).saturating_add(1);
        let divmods = part.divmods.saturating_add(divisor.divmods).saturating_add(1);
        Form::make(FormNode::Divided(operator, [part, divisor]), ops, divmods, range)
    }

    /// Returns the same form, with its range intersected with `known`.
    pub fn within(&self, known: Interval) -> FormRef {
        Form::make(self.node.clone(), self.ops, self.divmods, self.range.intersect(known))
    }

    /// Returns a form larger than every other; it does not represent an expression.
    pub fn too_large() -> FormRef {
        let node = FormNode::Min(Vec::new());
        Form::make(node, u32::MAX, u32::MAX, Interval::ALL)
    }

    /// Builds the minimum (or maximum) of one or more parts.
    pub fn min_max(parts: Vec<FormRef>, least: bool) -> FormRef {
        let ops =
            parts.iter().fold(parts.len() as u32 - 1, |total, part| total.saturating_add(part.ops));
        let divmods = parts.iter().fold(0u32, |total, part| total.saturating_add(part.divmods));
        let join = if least { Interval::min } else { Interval::max };
        let range = parts.iter().map(|part| part.range).reduce(join).unwrap_or(Interval::ALL);
        let node = if least { FormNode::Min(parts) } else { FormNode::Max(parts) };
        Form::make(node, ops, divmods, range)
    }

    fn make(node: FormNode, ops: u32, divmods: u32, range: Interval) -> FormRef {
        Rc::new(Form {
            hash: node.hash_over_parts(),
            reach: node.reach().max(range.reach()),
            magnitude: node.magnitude(),
            support: node.support(),
            node,
            ops,
            divmods,
            range,
        })
    }

    /// Returns whether no form of the value can be smaller: a sum of variables, or a form with floordiv or mod that has no more
    /// operations than variables.
    pub fn is_simplest(&self) -> bool {
        match self.node {
            FormNode::Min(_) | FormNode::Max(_) => false,
            _ if self.ops == 0 => true,
            _ if self.range.as_point().is_some() => false,
            _ if self.divmods > 0 && self.ops <= self.support.count_ones() => {
                !self.has_needless_division()
            }
            _ => self.is_affine(),
        }
    }

    /// Returns the variables in it, one bit for each (modulo 64).
    pub fn support(&self) -> u64 {
        self.support
    }

    /// Returns whether the range of some dividend makes its quotient or remainder redundant. Intended for small forms.
    fn has_needless_division(&self) -> bool {
        match &self.node {
            FormNode::Constant(_) | FormNode::Variable(_) => false,
            FormNode::FloorDiv(part, c) | FormNode::Mod(part, c) => {
                part.range.block(*c).is_some() || part.has_needless_division()
            }
            FormNode::Sum(_, parts) => parts.iter().any(|(_, x)| x.has_needless_division()),
            FormNode::Min(parts) | FormNode::Max(parts) | FormNode::Product(parts) => {
                parts.iter().any(|part| part.has_needless_division())
            }
            FormNode::Divided(_, parts) => parts.iter().any(|part| part.has_needless_division()),
        }
    }

    fn is_affine(&self) -> bool {
        match &self.node {
            FormNode::Constant(_) | FormNode::Variable(_) => true,
            FormNode::Sum(_, parts) => {
                parts.iter().all(|(_, part)| matches!(part.node, FormNode::Variable(_)))
            }
            _ => false,
        }
    }

    /// Converts to an expression.
    ///
    /// # Errors
    /// If a coefficient overflows or the nesting is too deep.
    pub fn to_expr(&self) -> Result<Expr, ExprError> {
        if self.ops > 2 * MAX_SIZE {
            return Err(ExprError::TooLarge); // a node has at most two operations for each operand
        }
        match &self.node {
            FormNode::Constant(value) => Ok(Expr::constant(*value)),
            FormNode::Variable(id) => Ok(Expr::variable(*id)),
            FormNode::FloorDiv(part, divisor) => part.to_expr()?.floordiv(*divisor),
            FormNode::Mod(part, modulus) => part.to_expr()?.modulo(*modulus),
            FormNode::Min(parts) => Expr::min(exprs(parts)?),
            FormNode::Max(parts) => Expr::max(exprs(parts)?),
            FormNode::Product(parts) => {
                let mut factors = exprs(parts)?.into_iter();
                let first = factors.next().unwrap_or_else(|| Expr::constant(1));
                factors.try_fold(first, |product, factor| product.times(&factor))
            }
            FormNode::Divided(operator, [part, divisor]) => {
                let (part, divisor) = (part.to_expr()?, divisor.to_expr()?);
                match operator {
                    Operator::FloorDiv => part.floordiv_by(&divisor),
                    _ => part.modulo_by(&divisor),
                }
            }
            FormNode::Sum(constant, parts) => {
                let mut terms = Vec::with_capacity(parts.len());
                for (coefficient, part) in parts {
                    terms.push((*coefficient, part.to_expr()?));
                }
                written_sum(*constant, terms)
            }
        }
    }
}

/// The terms of a sum, with like terms merged. They keep their insertion order, since comparing forms is slow; so this is not
/// [`crate::num::Sum`], which sorts.
#[derive(Default)]
struct Terms {
    list: Vec<(i64, FormRef)>,
    /// Positions by hash, once there are more than [`FEW_TERMS`].
    places: FxHashMap<u64, usize>,
}

impl Terms {
    fn add(&mut self, coefficient: i64, part: FormRef) -> Option<()> {
        let place = match self.list.len() {
            0..=FEW_TERMS => self.list.iter().position(|(_, x)| *x == part),
            _ => self.place_by_hash(&part),
        };
        match place {
            Some(place) => {
                let total = &mut self.list[place].0;
                *total = total.checked_add(coefficient)?;
            }
            None => self.list.push((coefficient, part)),
        }
        Some(())
    }

    fn place_by_hash(&mut self, part: &Form) -> Option<usize> {
        for (place, (_, x)) in self.list.iter().enumerate().skip(self.places.len()) {
            self.places.entry(x.hash).or_insert(place);
        }
        let place = *self.places.get(&part.hash)?;
        (*self.list[place].1 == *part).then_some(place)
    }
}

impl FormNode {
    fn magnitude(&self) -> u64 {
        match self {
            FormNode::Constant(value) => value.unsigned_abs(),
            FormNode::Variable(_) => 0,
            FormNode::Sum(constant, parts) => parts
                .iter()
                .map(|(c, part)| c.unsigned_abs().saturating_add(part.magnitude))
                .fold(constant.unsigned_abs(), u64::saturating_add),
            FormNode::FloorDiv(part, c) | FormNode::Mod(part, c) => {
                c.unsigned_abs().saturating_add(part.magnitude)
            }
            FormNode::Min(parts) | FormNode::Max(parts) | FormNode::Product(parts) => {
                let parts = parts.iter().map(|part| part.magnitude);
                parts.fold(0, u64::saturating_add)
            }
            FormNode::Divided(_, [x, y]) => x.magnitude.saturating_add(y.magnitude),
        }
    }

    /// Returns the largest magnitude among the numbers below the root and the root's constants, but not the root's own value.
    fn reach(&self) -> u64 {
        let number = |value: i64| Interval::point(value).reach();
        match self {
            FormNode::Constant(_) | FormNode::Variable(_) => 0,
            FormNode::Sum(constant, parts) => parts
                .iter()
                .map(|(c, part)| part.reach.max(part.range.scale(*c).reach()).max(number(*c)))
                .fold(number(*constant), u64::max),
            FormNode::FloorDiv(part, c) | FormNode::Mod(part, c) => part.reach.max(number(*c)),
            FormNode::Min(parts) | FormNode::Max(parts) | FormNode::Product(parts) => {
                parts.iter().map(|part| part.reach).fold(0, u64::max)
            }
            FormNode::Divided(_, [x, y]) => x.reach.max(y.reach),
        }
    }

    fn support(&self) -> u64 {
        match self {
            FormNode::Constant(_) => 0,
            FormNode::Variable(id) => 1 << (id.0 % 64),
            FormNode::FloorDiv(part, _) | FormNode::Mod(part, _) => part.support,
            FormNode::Min(parts) | FormNode::Max(parts) | FormNode::Product(parts) => {
                parts.iter().fold(0, |bits, part| bits | part.support)
            }
            FormNode::Divided(_, [x, y]) => x.support | y.support,
            FormNode::Sum(_, parts) => parts.iter().fold(0, |bits, (_, part)| bits | part.support),
        }
    }

    fn hash_over_parts(&self) -> u64 {
        let mut hasher = FxHasher::default();
        self.rank().hash(&mut hasher);
        match self {
            FormNode::Constant(value) => value.hash(&mut hasher),
            FormNode::Variable(id) => id.hash(&mut hasher),
            FormNode::FloorDiv(part, c) | FormNode::Mod(part, c) => {
                (part.hash, c).hash(&mut hasher);
            }
            FormNode::Min(parts) | FormNode::Max(parts) | FormNode::Product(parts) => {
                parts.iter().for_each(|part| part.hash.hash(&mut hasher));
            }
            FormNode::Divided(operator, [x, y]) => (operator, x.hash, y.hash).hash(&mut hasher),
            FormNode::Sum(constant, parts) => {
                constant.hash(&mut hasher);
                for (coefficient, part) in parts {
                    (coefficient, part.hash).hash(&mut hasher);
                }
            }
        }
        hasher.finish()
    }

    pub(super) fn rank(&self) -> u8 {
        match self {
            FormNode::Constant(_) => 0,
            FormNode::Variable(_) => 1,
            FormNode::Sum(..) => 2,
            FormNode::FloorDiv(..) => 3,
            FormNode::Mod(..) => 4,
            FormNode::Min(_) => 5,
            FormNode::Max(_) => 6,
            FormNode::Product(_) => 7,
            FormNode::Divided(..) => 8,
        }
    }
}

fn exprs(parts: &[FormRef]) -> Result<Vec<Expr>, ExprError> {
    parts.iter().map(|part| part.to_expr()).collect()
}
