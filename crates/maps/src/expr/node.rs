//! The nodes of expressions, with cached properties.

use super::cost::{Cost, sum_overhead};
use crate::num::Stopped;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// Maximum nesting depth of operations in an expression.
///
/// Recursive passes rely on it: each level costs a bounded amount of stack.
pub const MAX_DEPTH: u32 = 2_000;

/// Maximum number of nodes of an expression as a tree; a shared subterm counts at each use.
///
/// Composing a map with itself doubles the tree each time while few nodes are in memory: without a limit, printing or
/// counting such a value would never end.
pub const MAX_SIZE: u32 = 250_000;

/// Number of a variable in its map: dimensions first, then range variables, runtime variables, and parameters.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct VariableId(pub u32);

impl VariableId {
    /// Returns the index in the map's list of variables.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// An expression, quasi-affine unless it [`is_symbolic`](Expr::is_symbolic); cheap to clone.
///
/// ```
/// use affinor_maps::expr::{Expr, VariableId};
/// use affinor_maps::text::{Style, parse_expr, print_expr};
///
/// let names = ["i"];
/// let block = Expr::variable(VariableId(0)).add(&Expr::constant(5))?.floordiv(4)?;
/// assert_eq!(print_expr(&block, &names, Style::Plain), "(i + 5) floordiv 4");
/// assert_eq!(block.eval(&[-7])?, -1); // rounded down
/// assert_eq!(parse_expr("(i + 5) // 4", &names)?, block);
/// assert!(block.floordiv(0).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Expr(Arc<Node>);

struct Node {
    kind: ExprKind,
    hash: u64,
    depth: u32,
    size: u32,
    symbolic: bool,
    cost: Cost,
}

/// The kind of an expression. Built only by the constructors of [`Expr`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExprKind {
    /// An integer.
    Constant(i64),
    /// A variable of the map.
    Variable(VariableId),
    /// `constant + coefficient * expr + ...`
    Sum(Sum),
    /// A product of two or more expressions, sorted: none is a constant, a product, or a sum of one term.
    Product(Vec<Expr>),
    /// Floor division.
    FloorDiv(Expr, Divisor),
    /// Division rounded up.
    CeilDiv(Expr, Divisor),
    /// Remainder in `[0, divisor)`.
    Mod(Expr, Divisor),
    /// Minimum of two or more distinct expressions, sorted.
    Min(Vec<Expr>),
    /// Maximum of two or more distinct expressions, sorted.
    Max(Vec<Expr>),
}

/// The divisor of a quotient or remainder.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Divisor {
    /// An integer of at least 2.
    Integer(i64),
    /// An expression that is not a constant. The quotient has a value where this is at least 1.
    Named(Expr),
}

impl Divisor {
    /// Returns the divisor if it is an integer.
    #[must_use]
    pub fn as_integer(&self) -> Option<i64> {
        match self {
            Divisor::Integer(value) => Some(*value),
            Divisor::Named(_) => None,
        }
    }

    /// Returns the divisor if it is not an integer.
    #[must_use]
    pub fn as_named(&self) -> Option<&Expr> {
        match self {
            Divisor::Integer(_) => None,
            Divisor::Named(expr) => Some(expr),
        }
    }

    /// Returns the divisor as an expression.
    #[must_use]
    pub fn to_expr(&self) -> Expr {
        match self {
            Divisor::Integer(value) => Expr::constant(*value),
            Divisor::Named(expr) => expr.clone(),
        }
    }
}

/// A sum with an integer constant: at least one term, and not just `1 * x`.
///
/// Terms are sorted and distinct; no coefficient is 0; a term that is itself a sum has a coefficient other than 1 and
/// -1, and more than one summand (a factorization in the input).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sum {
    pub(super) constant: i64,
    pub(super) terms: Vec<(i64, Expr)>,
}

impl Sum {
    /// Returns the constant.
    #[must_use]
    pub fn constant(&self) -> i64 {
        self.constant
    }

    /// Returns `(coefficient, expression)` of each other summand, sorted.
    #[must_use]
    pub fn terms(&self) -> &[(i64, Expr)] {
        &self.terms
    }
}

/// The reason why an expression could not be built.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ExprError {
    /// A coefficient or constant does not fit.
    #[error("a coefficient or constant of this expression does not fit in 64 bits")]
    Overflow,
    /// A divisor of 0 or less.
    #[error("the divisor {0} is not positive")]
    Divisor(i64),
    /// Deeper than [`MAX_DEPTH`].
    #[error("operations are nested more than {MAX_DEPTH} deep")]
    TooDeep,
    /// Larger than [`MAX_SIZE`].
    #[error("the expression has more than {MAX_SIZE} operations and operands when written out")]
    TooLarge,
    /// The enclosing computation was stopped.
    #[error("stopped: {0}")]
    Stopped(Stopped),
}

impl Expr {
    /// Builds the integer `value`.
    #[must_use]
    pub fn constant(value: i64) -> Expr {
        Expr::make(ExprKind::Constant(value), 0, 1)
    }

    /// Builds the variable `id`.
    #[must_use]
    pub fn variable(id: VariableId) -> Expr {
        Expr::make(ExprKind::Variable(id), 0, 1)
    }

    /// Returns the kind of this expression.
    #[must_use]
    pub fn kind(&self) -> &ExprKind {
        &self.0.kind
    }

    /// Returns the value if the expression is a constant.
    #[must_use]
    pub fn as_constant(&self) -> Option<i64> {
        match self.kind() {
            ExprKind::Constant(value) => Some(*value),
            _ => None,
        }
    }

    /// Returns the id if the expression is a variable.
    #[must_use]
    pub fn as_variable(&self) -> Option<VariableId> {
        match self.kind() {
            ExprKind::Variable(id) => Some(*id),
            _ => None,
        }
    }

    /// Returns the coefficient of a variable as a term of the sum, or of the expression itself; 0 if it is not a term.
    #[must_use]
    pub fn coefficient_of(&self, id: VariableId) -> i64 {
        match self.kind() {
            ExprKind::Sum(sum) => {
                let mut terms = sum.terms().iter();
                terms.find(|(_, term)| term.as_variable() == Some(id)).map_or(0, |(c, _)| *c)
            }
            _ => i64::from(self.as_variable() == Some(id)),
        }
    }

    /// Returns the nesting depth of operations; 0 for a constant or a variable.
    #[must_use]
    pub fn depth(&self) -> u32 {
        self.0.depth
    }

    /// Returns the number of nodes of the tree; a shared subterm counts at each use.
    #[must_use]
    pub fn size(&self) -> u32 {
        self.0.size
    }

    /// Returns whether the expression contains a product or a divisor that is not an integer, and so is not quasi-affine.
    #[must_use]
    pub fn is_symbolic(&self) -> bool {
        self.0.symbolic
    }

    /// Returns whether both are the same node in memory, which implies equality; for passes that memoize.
    #[must_use]
    pub fn same_node(&self, other: &Expr) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Returns an address that identifies the node while it is alive.
    #[must_use]
    pub fn address(&self) -> usize {
        Arc::as_ptr(&self.0) as usize
    }

    /// Iterates over the direct operands, in order.
    pub fn operands(&self) -> impl Iterator<Item = &Expr> {
        operands_of(self.kind())
    }

    /// Returns the cost of this expression.
    #[must_use]
    pub fn cost(&self) -> Cost {
        self.0.cost
    }

    /// Returns the structural hash.
    pub(super) fn hash_of_tree(&self) -> u64 {
        self.0.hash
    }

    /// Builds an expression of this kind; returns an error if it is nested too deeply or too large.
    pub(super) fn checked(kind: ExprKind) -> Result<Expr, ExprError> {
        let (mut depth, mut size) = (0u32, 1u64);
        for operand in operands_of(&kind) {
            depth = depth.max(operand.depth());
            size += u64::from(operand.size()); // at most MAX_SIZE each
        }
        if depth >= MAX_DEPTH {
            return Err(ExprError::TooDeep);
        }
        match u32::try_from(size) {
            Ok(size) if size <= MAX_SIZE => Ok(Expr::make(kind, depth + 1, size)),
            _ => Err(ExprError::TooLarge),
        }
    }

    fn make(kind: ExprKind, depth: u32, size: u32) -> Expr {
        let mut hasher = rustc_hash::FxHasher::default();
        std::mem::discriminant(&kind).hash(&mut hasher);
        match &kind {
            ExprKind::Constant(value) => value.hash(&mut hasher),
            ExprKind::Variable(id) => id.hash(&mut hasher),
            ExprKind::Sum(sum) => {
                sum.constant.hash(&mut hasher);
                for (coefficient, expr) in &sum.terms {
                    (coefficient, expr.0.hash).hash(&mut hasher);
                }
            }
            ExprKind::FloorDiv(x, c) | ExprKind::CeilDiv(x, c) | ExprKind::Mod(x, c) => {
                let divisor = match c {
                    Divisor::Integer(value) => *value as u64,
                    Divisor::Named(expr) => expr.0.hash,
                };
                (x.0.hash, divisor).hash(&mut hasher);
            }
            ExprKind::Product(list) | ExprKind::Min(list) | ExprKind::Max(list) => {
                for expr in list {
                    expr.0.hash.hash(&mut hasher);
                }
            }
        }
        Expr(Arc::new(Node {
            hash: hasher.finish(),
            symbolic: is_symbolic(&kind),
            depth,
            size,
            cost: cost_of(&kind),
            kind,
        }))
    }
}

fn operands_of(kind: &ExprKind) -> impl Iterator<Item = &Expr> {
    let (terms, list, divided): (&[(i64, Expr)], &[Expr], _) = match kind {
        ExprKind::Constant(_) | ExprKind::Variable(_) => (&[], &[], None),
        ExprKind::Sum(sum) => (sum.terms(), &[], None),
        ExprKind::FloorDiv(x, c) | ExprKind::CeilDiv(x, c) | ExprKind::Mod(x, c) => {
            (&[], &[], Some((x, c.as_named())))
        }
        ExprKind::Product(list) | ExprKind::Min(list) | ExprKind::Max(list) => (&[], list, None),
    };
    let divisor = divided.and_then(|(_, divisor)| divisor);
    let single = divided.map(|(x, _)| x).into_iter().chain(divisor);
    terms.iter().map(|(_, expr)| expr).chain(list).chain(single)
}

fn is_symbolic(kind: &ExprKind) -> bool {
    match kind {
        ExprKind::Product(_)
        | ExprKind::FloorDiv(_, Divisor::Named(_))
        | ExprKind::CeilDiv(_, Divisor::Named(_))
        | ExprKind::Mod(_, Divisor::Named(_)) => true,
        _ => operands_of(kind).any(Expr::is_symbolic),
    }
}

/// Computes the cost of an expression of this kind, from the costs of its operands.
fn cost_of(kind: &ExprKind) -> Cost {
    match kind {
        ExprKind::Constant(_) | ExprKind::Variable(_) => Cost::default(),
        ExprKind::Sum(sum) => of_sum(sum, 1),
        ExprKind::FloorDiv(x, c) | ExprKind::Mod(x, c) => {
            let operands = x.cost().plus(of_divisor(c));
            operands.plus(Cost { ops: 1, divmods: 1 })
        }
        ExprKind::CeilDiv(x, c) => {
            // -((-x) floordiv c): one leading minus, and one inside unless x can absorb the sign.
            let negated = match x.kind() {
                ExprKind::Sum(sum) => of_sum(sum, -1),
                _ => x.cost().more(1),
            };
            let operands = negated.plus(of_divisor(c));
            operands.plus(Cost { ops: 2, divmods: 1 })
        }
        ExprKind::Product(list) | ExprKind::Min(list) | ExprKind::Max(list) => {
            let operands = list.iter().map(Expr::cost);
            let operands = operands.fold(Cost::default(), Cost::plus);
            operands.more(list.len() as u64 - 1)
        }
    }
}

fn of_divisor(divisor: &Divisor) -> Cost {
    divisor.as_named().map_or(Cost::default(), Expr::cost)
}

/// Computes the cost of a sum, or of its negation if `sign` is -1.
fn of_sum(sum: &Sum, sign: i64) -> Cost {
    let terms = sum.terms().iter();
    let operands = terms.fold(Cost::default(), |total, (_, x)| total.plus(x.cost()));
    let coefficients = sum.terms().iter().map(|(c, _)| c.saturating_mul(sign));
    operands.more(sum_overhead(sum.constant().saturating_mul(sign), coefficients))
}

impl Hash for Expr {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash.hash(state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn d(index: u32) -> Expr {
        Expr::variable(VariableId(index))
    }

    #[track_caller]
    fn check(expr: Result<Expr, ExprError>, ops: u64, divmods: u64) {
        assert_eq!(expr.map(|e| e.cost()), Ok(Cost { ops, divmods }));
    }

    #[test]
    fn counts_as_documented() {
        check(Ok(d(0)), 0, 0);
        check(d(0).scale(-1), 1, 0);
        check(d(0).scale(-2), 1, 0);
        check(Expr::sum(16, [(-1, d(1))]), 1, 0);
        check(Expr::sum(-3, [(-1, d(0))]), 2, 0);
        check(Expr::sum(0, [(2, d(0)), (-1, d(1))]), 2, 0);
        check(d(0).add(&d(1)).and_then(|s| s.scale(2)), 2, 0);
        check(Expr::sum(0, [(4, d(1)), (1, d(2))]).and_then(|s| s.modulo(8)), 3, 1);
        check(d(0).ceildiv(4), 3, 1);
        check(Expr::min([d(0), d(1), Expr::constant(3)]), 2, 0);
        let product = Expr::product([d(0), d(1), d(1)]);
        check(product.clone(), 2, 0);
        check(product.clone().and_then(|p| p.scale(3)), 3, 0);
        check(product.clone().and_then(|p| p.scale(-1)), 3, 0);
        check(product.clone().and_then(|p| d(0).floordiv_by(&p)), 3, 1);
        check(product.clone().and_then(|p| p.modulo_by(&d(1))), 3, 1);
        check(product.and_then(|p| d(0).ceildiv_by(&p)), 5, 1);
    }
}
