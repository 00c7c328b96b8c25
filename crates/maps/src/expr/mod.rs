//! Expressions: the results of an index map. They are quasi-affine, and over parameters also products and quotients by
//! expressions.
//!
//! An [`Expr`] is an immutable, shared tree over numbered variables. Invalid expressions cannot be built: divisors that are
//! integers are positive, coefficients and constants fit into an `i64`, sums are n-ary with like terms merged and terms in a
//! fixed order, nesting is bounded by [`MAX_DEPTH`], and the size of the tree (a shared part counts at each use) by [`MAX_SIZE`]:
//! every pass and every printed text is bounded.
//!
//! Invariant: beyond that, construction preserves the input. `2 * (d0 + d1)` stays a product (choosing between it and
//! `2 * d0 + 2 * d1` is the simplifier's work), and no law of floordiv or mod is applied except on constants and by a
//! divisor of 1.
//!
//! In order: `cost`, `node`, `order`, `sum`, `build`; queries (`eval`, `range`, `rewrite`, `shared_cost`); `bits`; `map`.

mod bits;
mod build;
mod cost;
mod debug;
mod eval;
mod map;
mod node;
mod order;
mod range;
mod rewrite;
mod shared_cost;
mod sum;

pub use bits::{BitForm, Parity, Source};
pub use cost::Cost;
pub use eval::EvalError;
pub use map::{
    ComposeError, Constraint, Domain, End, INVERSE_STEPS, IndexingMap, RescaleError, Variable,
    VariableKind, bounded,
};
pub use node::{Divisor, Expr, ExprError, ExprKind, MAX_DEPTH, MAX_SIZE, Sum, VariableId};
pub use range::{interval_by_operands, interval_of, narrow};
pub use shared_cost::shared_cost;
