//! Statements about products and quotients of unknown integers, reduced to linear arithmetic: this is how rules, and maps that
//! multiply and divide by named sizes, are proved.
//!
//! An [`Obligation`] states that conditions over polynomials imply a goal. A [`LinearProblem`] states the consequences for the
//! products that a proof may need; [`script`] prints it for a solver. `unsat` is a proof; a model means nothing.

mod directed;
mod lemmas;
mod obligation;
mod smtlib;

pub use directed::directed;
pub use lemmas::{LinearProblem, TooLarge};
pub use obligation::{Atom, Goal, Implication, Obligation, Quotient, Sign, Unknowns};
pub use smtlib::{integer, script};

pub use crate::num::wide::{Monomial, Polynomial, Unknown};
