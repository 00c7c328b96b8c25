//! Quasi-affine expressions: what an index map computes.
//!
//! An [`Expr`] is an immutable, shared tree over numbered variables. It cannot be built wrong:
//! divisors are positive, coefficients and constants fit into an `i64`, sums are n-ary with like
//! terms merged and terms in one order, nesting is bounded by [`MAX_DEPTH`], and the size of the tree
//! (a shared part counted at each use) by [`MAX_SIZE`]: every pass and every text of it is bounded.
//!
//! Invariant: construction keeps what was written beyond that. `2 * (d0 + d1)` stays a product
//! (choosing between it and `2 * d0 + 2 * d1` is the simplifier's work), and no law of floordiv
//! or mod is applied except on constants and by a divisor of 1.

mod cost;
mod debug;
mod eval;
mod map;
mod order;
mod range;
mod rewrite;
mod sum;

pub use cost::{Cost, shared_cost};
pub use eval::EvalError;
pub use map::{
    ComposeError, Constraint, Domain, INVERSE_STEPS, IndexingMap, RescaleError, Variable,
    VariableKind,
};
pub use range::interval_of;

use crate::num;
use crate::num::Stopped;
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use sum::SumBuilder;

/// Deepest nesting of operations that an expression may have.
///
/// Recursive passes over an expression rely on it: each level costs a bounded amount of stack.
pub const MAX_DEPTH: u32 = 2_000;

/// Most nodes that an expression may have as a tree; a part that is shared counts at each use.
///
/// Composing a map with itself doubles the tree each time while the shared nodes in memory stay few:
/// without a bound, printing or counting such a value would never end.
pub const MAX_SIZE: u32 = 250_000;

/// Number of a variable in its map: dimensions first, then range variables, then runtime variables.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct VariableId(pub u32);

impl VariableId {
    /// The position in the map's list of variables.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A quasi-affine expression; cheap to clone.
#[derive(Clone)]
pub struct Expr(Arc<Node>);

struct Node {
    kind: ExprKind,
    hash: u64,
    depth: u32,
    size: u32,
    cost: Cost,
}

/// What an expression is, seen from outside. Made only by the constructors of [`Expr`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExprKind {
    /// An integer.
    Constant(i64),
    /// A variable of the map.
    Variable(VariableId),
    /// `constant + coefficient * expr + ...`
    Sum(Sum),
    /// Quotient rounded to minus infinity; the divisor is at least 2.
    FloorDiv(Expr, i64),
    /// Quotient rounded to plus infinity; the divisor is at least 2.
    CeilDiv(Expr, i64),
    /// Remainder in `[0, divisor)`; the divisor is at least 2.
    Mod(Expr, i64),
    /// Least of two or more different expressions, in order.
    Min(Vec<Expr>),
    /// Greatest of two or more different expressions, in order.
    Max(Vec<Expr>),
}

/// A sum with an integer constant: at least one term, and not just `1 * x`.
///
/// Terms are sorted and different; no coefficient is 0; a term that is itself a sum has a
/// coefficient other than 1 and -1, and more than one summand (it is a written factorisation).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sum {
    constant: i64,
    terms: Vec<(i64, Expr)>,
}

impl Sum {
    /// The integer summand.
    #[must_use]
    pub fn constant(&self) -> i64 {
        self.constant
    }

    /// `(coefficient, expression)` of each other summand, in order.
    #[must_use]
    pub fn terms(&self) -> &[(i64, Expr)] {
        &self.terms
    }
}

/// Why an expression could not be built.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ExprError {
    /// A coefficient or constant does not fit.
    #[error("a coefficient or constant of this expression is beyond 64 bits")]
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
    /// The work that led to it was ended.
    #[error("stopped: {0}")]
    Stopped(Stopped),
}

impl Expr {
    /// The integer `value`.
    #[must_use]
    pub fn constant(value: i64) -> Expr {
        Expr::make(ExprKind::Constant(value), 0, 1)
    }

    /// The variable number `id`.
    #[must_use]
    pub fn variable(id: VariableId) -> Expr {
        Expr::make(ExprKind::Variable(id), 0, 1)
    }

    /// `constant + c1 * x1 + c2 * x2 + ...`; like terms are merged.
    ///
    /// # Errors
    /// [`ExprError::Overflow`] if a coefficient of the merged sum does not fit.
    pub fn sum(
        constant: i64,
        terms: impl IntoIterator<Item = (i64, Expr)>,
    ) -> Result<Expr, ExprError> {
        let mut builder = SumBuilder {
            constant: i128::from(constant),
            terms: Vec::new(),
        };
        for (coefficient, expr) in terms {
            let added = builder.add(i128::from(coefficient), &expr);
            added.ok_or(ExprError::Overflow)?;
        }
        builder.finish()
    }

    /// `self + other`.
    ///
    /// # Errors
    /// [`ExprError::Overflow`] if a coefficient does not fit.
    pub fn add(&self, other: &Expr) -> Result<Expr, ExprError> {
        Expr::sum(0, [(1, self.clone()), (1, other.clone())])
    }

    /// `self - other`.
    ///
    /// # Errors
    /// [`ExprError::Overflow`] if a coefficient does not fit.
    pub fn sub(&self, other: &Expr) -> Result<Expr, ExprError> {
        Expr::sum(0, [(1, self.clone()), (-1, other.clone())])
    }

    /// `factor * self`. A sum stays a factor unless `factor` is -1, 0 or 1.
    ///
    /// # Errors
    /// [`ExprError::Overflow`] if a coefficient does not fit.
    pub fn scale(&self, factor: i64) -> Result<Expr, ExprError> {
        Expr::sum(0, [(factor, self.clone())])
    }

    /// `self floordiv divisor`.
    ///
    /// # Errors
    /// [`ExprError::Divisor`] unless `divisor >= 1`; [`ExprError::TooDeep`].
    pub fn floordiv(&self, divisor: i64) -> Result<Expr, ExprError> {
        self.divide(divisor, num::floordiv, ExprKind::FloorDiv, self)
    }

    /// `self ceildiv divisor`.
    ///
    /// # Errors
    /// [`ExprError::Divisor`] unless `divisor >= 1`; [`ExprError::TooDeep`].
    pub fn ceildiv(&self, divisor: i64) -> Result<Expr, ExprError> {
        self.divide(divisor, num::ceildiv, ExprKind::CeilDiv, self)
    }

    /// `self mod divisor`.
    ///
    /// # Errors
    /// [`ExprError::Divisor`] unless `divisor >= 1`; [`ExprError::TooDeep`].
    pub fn modulo(&self, divisor: i64) -> Result<Expr, ExprError> {
        self.divide(divisor, num::modulo, ExprKind::Mod, &Expr::constant(0))
    }

    /// The least of `operands`, which must not be empty.
    ///
    /// # Errors
    /// [`ExprError::TooDeep`].
    pub fn min(operands: impl IntoIterator<Item = Expr>) -> Result<Expr, ExprError> {
        Expr::lattice(operands, true)
    }

    /// The greatest of `operands`, which must not be empty.
    ///
    /// # Errors
    /// [`ExprError::TooDeep`].
    pub fn max(operands: impl IntoIterator<Item = Expr>) -> Result<Expr, ExprError> {
        Expr::lattice(operands, false)
    }

    /// What this expression is.
    #[must_use]
    pub fn kind(&self) -> &ExprKind {
        &self.0.kind
    }

    /// The integer, if it is one.
    #[must_use]
    pub fn as_constant(&self) -> Option<i64> {
        match self.kind() {
            ExprKind::Constant(value) => Some(*value),
            _ => None,
        }
    }

    /// The variable, if it is one.
    #[must_use]
    pub fn as_variable(&self) -> Option<VariableId> {
        match self.kind() {
            ExprKind::Variable(id) => Some(*id),
            _ => None,
        }
    }

    /// Nesting depth of operations; 0 for a constant or a variable.
    #[must_use]
    pub fn depth(&self) -> u32 {
        self.0.depth
    }

    /// Nodes of the tree, a shared part counted at each use.
    #[must_use]
    pub fn size(&self) -> u32 {
        self.0.size
    }

    /// Are both the same node in memory? Implies equality; used as a key by passes that keep results.
    #[must_use]
    pub fn same_node(&self, other: &Expr) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// An address that identifies the node while it is alive.
    #[must_use]
    pub fn address(&self) -> usize {
        Arc::as_ptr(&self.0) as usize
    }

    /// The operands directly below, in order.
    pub fn operands(&self) -> impl Iterator<Item = &Expr> {
        operands_of(self.kind())
    }

    fn divide(
        &self,
        divisor: i64,
        on_constant: fn(i64, i64) -> i64,
        kind: fn(Expr, i64) -> ExprKind,
        by_one: &Expr,
    ) -> Result<Expr, ExprError> {
        if divisor < 1 {
            return Err(ExprError::Divisor(divisor));
        }
        if divisor == 1 {
            return Ok(by_one.clone());
        }
        if let Some(value) = self.as_constant() {
            return Ok(Expr::constant(on_constant(value, divisor)));
        }
        Expr::checked(kind(self.clone(), divisor))
    }

    fn lattice(operands: impl IntoIterator<Item = Expr>, least: bool) -> Result<Expr, ExprError> {
        let mut list: Vec<Expr> = Vec::new();
        let mut constant: Option<i64> = None;
        for operand in operands {
            let nested = match operand.kind() {
                ExprKind::Min(inner) if least => inner.clone(),
                ExprKind::Max(inner) if !least => inner.clone(),
                _ => vec![operand],
            };
            for expr in nested {
                match expr.as_constant() {
                    Some(value) => {
                        constant = Some(match constant {
                            None => value,
                            Some(other) if least => value.min(other),
                            Some(other) => value.max(other),
                        });
                    }
                    None => list.push(expr),
                }
            }
        }
        list.extend(constant.map(Expr::constant));
        list.sort();
        list.dedup();
        debug_assert!(!list.is_empty(), "min and max need an operand");
        if list.len() == 1 {
            return Ok(list.swap_remove(0));
        }
        Expr::checked(if least {
            ExprKind::Min(list)
        } else {
            ExprKind::Max(list)
        })
    }

    fn checked(kind: ExprKind) -> Result<Expr, ExprError> {
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
                (x.0.hash, c).hash(&mut hasher);
            }
            ExprKind::Min(list) | ExprKind::Max(list) => {
                for expr in list {
                    expr.0.hash.hash(&mut hasher);
                }
            }
        }
        Expr(Arc::new(Node {
            hash: hasher.finish(),
            depth,
            size,
            cost: cost::of_kind(&kind),
            kind,
        }))
    }
}

fn operands_of(kind: &ExprKind) -> impl Iterator<Item = &Expr> {
    let (terms, list, single): (&[(i64, Expr)], &[Expr], Option<&Expr>) = match kind {
        ExprKind::Constant(_) | ExprKind::Variable(_) => (&[], &[], None),
        ExprKind::Sum(sum) => (sum.terms(), &[], None),
        ExprKind::FloorDiv(x, _) | ExprKind::CeilDiv(x, _) | ExprKind::Mod(x, _) => {
            (&[], &[], Some(x))
        }
        ExprKind::Min(list) | ExprKind::Max(list) => (&[], list, None),
    };
    terms.iter().map(|(_, expr)| expr).chain(list).chain(single)
}

impl PartialEq for Expr {
    fn eq(&self, other: &Expr) -> bool {
        order::same_tree(self, other)
    }
}

impl Eq for Expr {}

impl Hash for Expr {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash.hash(state);
    }
}
