//! Expressions as a straight-line program, for evaluation at many points.
//!
//! Equal subexpressions become one operation, and operations are sorted by the last variable that they depend on: when
//! a search moves only the last variables, only the last operations run again. Law, tested: at every point the values
//! are those of [`Expr::eval`].

use crate::expr::{Divisor, Expr, ExprKind};
use crate::num;
use rustc_hash::FxHashMap;

/// The operations of some expressions, operands before their users.
pub struct Tape {
    operations: Vec<Operation>,
    /// For each operation 0 if constant, else 1 + the largest variable number it depends on.
    levels: Vec<u32>,
    /// Indices of the operations of the given expressions, in their order.
    roots: Vec<usize>,
}

/// One operation; operands are indices of earlier ones.
pub(super) enum Operation {
    Constant(i64),
    Variable(usize),
    Sum(i64, Vec<(i64, usize)>),
    FloorDiv(usize, i64),
    CeilDiv(usize, i64),
    Mod(usize, i64),
    Product(Vec<usize>),
    /// The quotient or remainder of an operand by an operand, which is defined only if the divisor is positive.
    Divided(Division, usize, usize),
    Min(Vec<usize>),
    Max(Vec<usize>),
}

/// The part of a division that is computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Division {
    Floor,
    Ceil,
    Mod,
}

/// A value overflows or is undefined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Overflow;

impl Tape {
    /// Compiles `expressions`.
    pub fn new<'a>(expressions: impl IntoIterator<Item = &'a Expr>) -> Tape {
        let mut writer = Writer::default();
        let roots: Vec<usize> = expressions.into_iter().map(|expr| writer.write(expr)).collect();
        writer.sorted(&roots)
    }

    pub(super) fn operations(&self) -> &[Operation] {
        &self.operations
    }

    pub(super) fn roots(&self) -> &[usize] {
        &self.roots
    }

    /// Evaluates the expressions at `point`, in 128 bits.
    ///
    /// # Errors
    /// [`Overflow`] if a value does not fit in 128 bits, or a divisor is not positive.
    pub(super) fn exact(&self, point: &[i64]) -> Result<Vec<i128>, Overflow> {
        let mut values: Vec<i128> = Vec::with_capacity(self.operations.len());
        for operation in &self.operations {
            let value = match operation {
                Operation::Constant(value) => i128::from(*value),
                Operation::Variable(index) => point.get(*index).copied().map_or(0, i128::from),
                Operation::Sum(constant, terms) => {
                    let mut total = i128::from(*constant);
                    for (coefficient, operand) in terms {
                        total = values[*operand]
                            .checked_mul(i128::from(*coefficient))
                            .and_then(|product| total.checked_add(product))
                            .ok_or(Overflow)?;
                    }
                    total
                }
                Operation::FloorDiv(x, c) => values[*x].div_euclid(i128::from(*c)),
                Operation::CeilDiv(x, c) => {
                    let (x, c) = (values[*x], i128::from(*c));
                    x.div_euclid(c) + i128::from(x.rem_euclid(c) != 0)
                }
                Operation::Mod(x, c) => values[*x].rem_euclid(i128::from(*c)),
                Operation::Product(list) => {
                    let mut factors = list.iter().map(|x| values[*x]);
                    let product = factors.try_fold(1i128, i128::checked_mul);
                    product.ok_or(Overflow)?
                }
                Operation::Divided(division, x, c) => {
                    let (x, c) = (values[*x], values[*c]);
                    if c < 1 {
                        return Err(Overflow);
                    }
                    match division {
                        Division::Floor => x.div_euclid(c),
                        Division::Ceil => x.div_euclid(c) + i128::from(x.rem_euclid(c) != 0),
                        Division::Mod => x.rem_euclid(c),
                    }
                }
                Operation::Min(list) => list.iter().map(|x| values[*x]).min().unwrap_or(0),
                Operation::Max(list) => list.iter().map(|x| values[*x]).max().unwrap_or(0),
            };
            values.push(value);
        }
        Ok(self.roots.iter().map(|root| values[*root]).collect())
    }
}

/// A tape with its values at the current point.
pub struct Runner<'a> {
    tape: &'a Tape,
    values: Vec<i64>,
    /// Operations from this level on are not yet evaluated at the current point.
    stale: u32,
}

impl<'a> Runner<'a> {
    /// Creates a runner that is not at a point yet.
    pub fn new(tape: &'a Tape) -> Runner<'a> {
        Runner { tape, values: vec![0; tape.operations.len()], stale: 0 }
    }

    /// Moves to `point`, which differs from the last only in the variables from `first_changed` on.
    ///
    /// # Errors
    /// `Overflow` if a value does not fit in 64 bits, or a divisor is not positive.
    pub fn move_to(&mut self, point: &[i64], first_changed: usize) -> Result<(), Overflow> {
        let changed = u32::try_from(first_changed + 1).unwrap_or(u32::MAX);
        let from = self.stale.min(changed);
        self.stale = from;
        let start = self.tape.levels.partition_point(|level| *level < from);
        for position in start..self.values.len() {
            self.values[position] = self.value_of(&self.tape.operations[position], point)?;
        }
        self.stale = u32::MAX;
        Ok(())
    }

    /// Returns the value of root `index` at the current point.
    pub fn root(&self, index: usize) -> i64 {
        self.values[self.tape.roots[index]]
    }

    fn value_of(&self, operation: &Operation, point: &[i64]) -> Result<i64, Overflow> {
        let values = &self.values;
        Ok(match operation {
            Operation::Constant(value) => *value,
            Operation::Variable(index) => point.get(*index).copied().unwrap_or(0),
            Operation::Sum(constant, terms) => {
                let mut total = i128::from(*constant);
                for (coefficient, operand) in terms {
                    total = (i128::from(*coefficient) * i128::from(values[*operand]))
                        .checked_add(total)
                        .ok_or(Overflow)?;
                }
                i64::try_from(total).map_err(|_| Overflow)?
            }
            Operation::FloorDiv(x, c) => num::floordiv(values[*x], *c),
            Operation::CeilDiv(x, c) => num::ceildiv(values[*x], *c),
            Operation::Mod(x, c) => num::modulo(values[*x], *c),
            Operation::Product(list) => {
                num::product(list.iter().map(|x| values[*x])).ok_or(Overflow)?
            }
            Operation::Divided(division, x, c) => match (division, values[*x], values[*c]) {
                (_, _, ..1) => return Err(Overflow),
                (Division::Floor, x, c) => num::floordiv(x, c),
                (Division::Ceil, x, c) => num::ceildiv(x, c),
                (Division::Mod, x, c) => num::modulo(x, c),
            },
            Operation::Min(list) => list.iter().map(|x| values[*x]).min().unwrap_or(0),
            Operation::Max(list) => list.iter().map(|x| values[*x]).max().unwrap_or(0),
        })
    }
}

/// Collects operations, one per distinct subexpression.
#[derive(Default)]
struct Writer {
    operations: Vec<Operation>,
    levels: Vec<u32>,
    known: FxHashMap<Expr, usize>,
}

impl Writer {
    fn write(&mut self, expr: &Expr) -> usize {
        if let Some(position) = self.known.get(expr) {
            return *position;
        }
        let operation = match expr.kind() {
            ExprKind::Constant(value) => Operation::Constant(*value),
            ExprKind::Variable(id) => Operation::Variable(id.index()),
            ExprKind::Sum(sum) => {
                let terms = sum.terms().iter().map(|(c, x)| (*c, self.write(x)));
                Operation::Sum(sum.constant(), terms.collect())
            }
            ExprKind::Product(list) => {
                Operation::Product(list.iter().map(|x| self.write(x)).collect())
            }
            ExprKind::FloorDiv(x, Divisor::Integer(c)) => Operation::FloorDiv(self.write(x), *c),
            ExprKind::CeilDiv(x, Divisor::Integer(c)) => Operation::CeilDiv(self.write(x), *c),
            ExprKind::Mod(x, Divisor::Integer(c)) => Operation::Mod(self.write(x), *c),
            ExprKind::FloorDiv(x, Divisor::Named(c)) => self.divided(Division::Floor, x, c),
            ExprKind::CeilDiv(x, Divisor::Named(c)) => self.divided(Division::Ceil, x, c),
            ExprKind::Mod(x, Divisor::Named(c)) => self.divided(Division::Mod, x, c),
            ExprKind::Min(list) => Operation::Min(list.iter().map(|x| self.write(x)).collect()),
            ExprKind::Max(list) => Operation::Max(list.iter().map(|x| self.write(x)).collect()),
        };
        let level = match &operation {
            Operation::Variable(index) => u32::try_from(index + 1).unwrap_or(u32::MAX),
            _ => expr
                .operands()
                .filter_map(|operand| self.known.get(operand))
                .map(|position| self.levels[*position])
                .max()
                .unwrap_or(0),
        };
        let position = self.operations.len();
        self.operations.push(operation);
        self.levels.push(level);
        self.known.insert(expr.clone(), position);
        position
    }

    fn divided(&mut self, division: Division, x: &Expr, divisor: &Expr) -> Operation {
        Operation::Divided(division, self.write(x), self.write(divisor))
    }

    /// Sorts the operations by level; operands stay before their users, because their level is not higher and the sort
    /// is stable.
    fn sorted(self, roots: &[usize]) -> Tape {
        let mut order: Vec<usize> = (0..self.operations.len()).collect();
        order.sort_by_key(|position| self.levels[*position]);
        let mut moved = vec![0; order.len()];
        for (new, old) in order.iter().enumerate() {
            moved[*old] = new;
        }
        let levels = order.iter().map(|old| self.levels[*old]).collect();
        let mut slots: Vec<Option<Operation>> = self.operations.into_iter().map(Some).collect();
        let operations = order
            .iter()
            .filter_map(|old| slots[*old].take())
            .map(|operation| operation.renumbered(&moved))
            .collect();
        Tape { operations, levels, roots: roots.iter().map(|root| moved[*root]).collect() }
    }
}

impl Operation {
    fn renumbered(mut self, moved: &[usize]) -> Operation {
        match &mut self {
            Operation::Constant(_) | Operation::Variable(_) => {}
            Operation::Sum(_, terms) => terms.iter_mut().for_each(|(_, x)| *x = moved[*x]),
            Operation::FloorDiv(x, _) | Operation::CeilDiv(x, _) | Operation::Mod(x, _) => {
                *x = moved[*x];
            }
            Operation::Divided(_, x, c) => (*x, *c) = (moved[*x], moved[*c]),
            Operation::Product(list) | Operation::Min(list) | Operation::Max(list) => {
                list.iter_mut().for_each(|x| *x = moved[*x]);
            }
        }
        self
    }
}
