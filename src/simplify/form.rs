//! Ways to write a value, and which of two is smaller.
//!
//! A [`Form`] is a finished expression tree over the map's variables, with its cost and the range
//! that can be read off it. Sums are flattened and equal coefficients share a multiplication, so
//! the cost is the one of the text that will be printed.

use crate::expr::{Expr, ExprError, VariableId};
use crate::interval::Interval;
use crate::num;
use smallvec::SmallVec;
use std::cmp::Ordering;
use std::rc::Rc;

/// A shared form.
pub type FormRef = Rc<Form>;

/// An expression tree with what is known of it.
#[derive(Debug, PartialEq, Eq)]
pub struct Form {
    /// The tree.
    pub node: FormNode,
    /// Operations, as [`crate::expr::Cost`] counts them.
    pub ops: u32,
    /// floordiv and mod among them.
    pub divmods: u32,
    /// Holds all its values in the domain.
    pub range: Interval,
}

/// The operation at the root of a form.
#[derive(Debug, PartialEq, Eq)]
pub enum FormNode {
    /// An integer.
    Constant(i64),
    /// A variable of the map.
    Variable(VariableId),
    /// `constant + coefficient * part + ..`; no part is a sum or a constant.
    Sum(i64, Vec<(i64, FormRef)>),
    /// Quotient.
    FloorDiv(FormRef, i64),
    /// Remainder.
    Mod(FormRef, i64),
    /// Least of several.
    Min(Vec<FormRef>),
    /// Greatest of several.
    Max(Vec<FormRef>),
}

impl Form {
    /// The form of an integer.
    pub fn constant(value: i64) -> FormRef {
        Rc::new(Form {
            node: FormNode::Constant(value),
            ops: 0,
            divmods: 0,
            range: Interval::point(value),
        })
    }

    /// The form of a variable.
    pub fn variable(id: VariableId, range: Interval) -> FormRef {
        Rc::new(Form {
            node: FormNode::Variable(id),
            ops: 0,
            divmods: 0,
            range,
        })
    }

    /// `constant + coefficient * part + ..`; `None` if a coefficient overflows.
    pub fn sum(constant: i64, parts: impl IntoIterator<Item = (i64, FormRef)>) -> Option<FormRef> {
        let mut constant = constant;
        let mut flat: Vec<(i64, FormRef)> = Vec::new();
        let mut add = |coefficient: i64, part: FormRef| -> Option<()> {
            match flat.iter_mut().find(|(_, other)| same(other, &part)) {
                Some((total, _)) => *total = total.checked_add(coefficient)?,
                None => flat.push((coefficient, part)),
            }
            Some(())
        };
        for (coefficient, part) in parts {
            match &part.node {
                FormNode::Constant(value) => {
                    constant = constant.checked_add(coefficient.checked_mul(*value)?)?;
                }
                FormNode::Sum(inner, list) => {
                    constant = constant.checked_add(coefficient.checked_mul(*inner)?)?;
                    for (c, x) in list {
                        add(coefficient.checked_mul(*c)?, x.clone())?;
                    }
                }
                _ => add(coefficient, part)?,
            }
        }
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
        ops = ops.saturating_add(sum_operations(constant, flat.iter().map(|(c, _)| *c)));
        Some(Rc::new(Form {
            node: FormNode::Sum(constant, flat),
            ops,
            divmods,
            range,
        }))
    }

    /// `part floordiv divisor`.
    pub fn floordiv(part: FormRef, divisor: i64) -> FormRef {
        let range = part.range.floordiv(divisor);
        Rc::new(Form {
            ops: part.ops.saturating_add(1),
            divmods: part.divmods.saturating_add(1),
            range,
            node: FormNode::FloorDiv(part, divisor),
        })
    }

    /// `part mod modulus`.
    pub fn modulo(part: FormRef, modulus: i64) -> FormRef {
        let range = part.range.modulo(modulus);
        Rc::new(Form {
            ops: part.ops.saturating_add(1),
            divmods: part.divmods.saturating_add(1),
            range,
            node: FormNode::Mod(part, modulus),
        })
    }

    /// The least (or greatest) of one or more parts.
    pub fn lattice(parts: Vec<FormRef>, least: bool) -> FormRef {
        let ops = parts.iter().fold(parts.len() as u32 - 1, |total, part| {
            total.saturating_add(part.ops)
        });
        let divmods = parts
            .iter()
            .fold(0u32, |total, part| total.saturating_add(part.divmods));
        let join = if least { Interval::min } else { Interval::max };
        let range = parts
            .iter()
            .map(|part| part.range)
            .reduce(join)
            .unwrap_or(Interval::ALL);
        let node = if least {
            FormNode::Min(parts)
        } else {
            FormNode::Max(parts)
        };
        Rc::new(Form {
            node,
            ops,
            divmods,
            range,
        })
    }

    /// The cost order: operations, then floordiv and mod among them, then structure. A total order,
    /// so the smallest of a set of forms does not depend on how the set was made.
    pub fn order(&self, other: &Form) -> Ordering {
        (self.ops, self.divmods)
            .cmp(&(other.ops, other.divmods))
            .then_with(|| self.node.structural_order(&other.node))
    }

    /// Is this form smaller in the cost order?
    pub fn is_smaller_than(&self, other: &Form) -> bool {
        self.order(other) == Ordering::Less
    }

    /// The expression.
    ///
    /// # Errors
    /// If a coefficient overflows or the nesting is too deep.
    pub fn to_expr(&self) -> Result<Expr, ExprError> {
        match &self.node {
            FormNode::Constant(value) => Ok(Expr::constant(*value)),
            FormNode::Variable(id) => Ok(Expr::variable(*id)),
            FormNode::FloorDiv(part, divisor) => part.to_expr()?.floordiv(*divisor),
            FormNode::Mod(part, modulus) => part.to_expr()?.modulo(*modulus),
            FormNode::Min(parts) => Expr::min(exprs(parts)?),
            FormNode::Max(parts) => Expr::max(exprs(parts)?),
            FormNode::Sum(constant, parts) => {
                let mut factors: SmallVec<[u64; 8]> =
                    parts.iter().map(|(c, _)| c.unsigned_abs()).collect();
                factors.sort_unstable();
                factors.dedup();
                let mut terms = Vec::new();
                for factor in factors {
                    let group: Vec<&(i64, FormRef)> = parts
                        .iter()
                        .filter(|(c, _)| c.unsigned_abs() == factor)
                        .collect();
                    match group.as_slice() {
                        [(coefficient, part)] => terms.push((*coefficient, part.to_expr()?)),
                        _ if factor == 1 => {
                            for (coefficient, part) in group {
                                terms.push((*coefficient, part.to_expr()?));
                            }
                        }
                        _ => {
                            // factor * (x - y): the factor is negative if every sign is.
                            let sign = if group.iter().all(|(c, _)| *c < 0) {
                                -1
                            } else {
                                1
                            };
                            let inner: Result<Vec<_>, ExprError> = group
                                .iter()
                                .map(|(c, part)| Ok((c.signum() * sign, part.to_expr()?)))
                                .collect();
                            // 2^63 is the size of a negative coefficient only, so every sign is.
                            let factor = i128::from(factor) * i128::from(sign);
                            let factor = i64::try_from(factor).map_err(|_| ExprError::Overflow)?;
                            terms.push((factor, Expr::sum(0, inner?)?));
                        }
                    }
                }
                Expr::sum(*constant, terms)
            }
        }
    }
}

impl FormNode {
    fn rank(&self) -> u8 {
        match self {
            FormNode::Constant(_) => 0,
            FormNode::Variable(_) => 1,
            FormNode::Sum(..) => 2,
            FormNode::FloorDiv(..) => 3,
            FormNode::Mod(..) => 4,
            FormNode::Min(_) => 5,
            FormNode::Max(_) => 6,
        }
    }

    fn structural_order(&self, other: &FormNode) -> Ordering {
        let lists = |x: &[FormRef], y: &[FormRef]| {
            let pairs = x.iter().zip(y).map(|(a, b)| a.order(b));
            pairs.fold(x.len().cmp(&y.len()), Ordering::then)
        };
        self.rank()
            .cmp(&other.rank())
            .then_with(|| match (self, other) {
                (FormNode::Constant(x), FormNode::Constant(y)) => {
                    x.unsigned_abs().cmp(&y.unsigned_abs()).then(y.cmp(x))
                }
                (FormNode::Variable(x), FormNode::Variable(y)) => x.cmp(y),
                (FormNode::FloorDiv(x, c), FormNode::FloorDiv(y, d))
                | (FormNode::Mod(x, c), FormNode::Mod(y, d)) => {
                    if Rc::ptr_eq(x, y) {
                        c.cmp(d)
                    } else {
                        c.cmp(d).then_with(|| x.order(y))
                    }
                }
                (FormNode::Min(x), FormNode::Min(y)) | (FormNode::Max(x), FormNode::Max(y)) => {
                    lists(x, y)
                }
                (FormNode::Sum(k, x), FormNode::Sum(l, y)) => {
                    let magnitude = |constant: &i64, parts: &[(i64, FormRef)]| {
                        parts.iter().fold(constant.unsigned_abs(), |t, (c, _)| {
                            t.saturating_add(c.unsigned_abs())
                        })
                    };
                    let parts = x
                        .iter()
                        .zip(y)
                        .map(|((c, a), (d, b))| c.cmp(d).then_with(|| a.order(b)));
                    magnitude(k, x)
                        .cmp(&magnitude(l, y))
                        .then_with(|| parts.fold(x.len().cmp(&y.len()), Ordering::then))
                        .then_with(|| k.cmp(l))
                }
                _ => Ordering::Equal,
            })
    }
}

fn exprs(parts: &[FormRef]) -> Result<Vec<Expr>, ExprError> {
    parts.iter().map(|part| part.to_expr()).collect()
}

/// Are two forms the same tree? What is known of them differs mostly, so it is compared first.
fn same(x: &FormRef, y: &FormRef) -> bool {
    Rc::ptr_eq(x, y)
        || ((x.ops, x.divmods, x.range) == (y.ops, y.divmods, y.range) && x.node == y.node)
}

/// Operations of a flat sum beside those of its parts, when equal coefficients are factored.
pub fn sum_operations(constant: i64, coefficients: impl Iterator<Item = i64>) -> u32 {
    let mut summands = u32::from(constant != 0);
    let mut positive = constant > 0;
    let mut factors: SmallVec<[u64; 8]> = SmallVec::new();
    let mut groups = u32::from(constant != 0);
    for coefficient in coefficients {
        summands += 1;
        positive |= coefficient > 0;
        let factor = coefficient.unsigned_abs();
        if factor == 1 {
            groups += 1;
        } else if !factors.contains(&factor) {
            factors.push(factor);
            groups += 1;
        }
    }
    let lone_product = groups == 1 && factors.len() == 1;
    if summands == 0 {
        return 0;
    }
    summands - 1 + factors.len() as u32 + u32::from(!positive && !lone_product)
}

/// Does `range` lie in one block of `divisor`? Then its quotient.
pub fn block_of(range: Interval, divisor: i64) -> Option<i64> {
    let (lo, hi) = (range.floordiv(divisor).lo(), range.floordiv(divisor).hi());
    (range.is_bounded() && lo == hi && num::floordiv(range.lo(), divisor) == lo).then_some(lo)
}
