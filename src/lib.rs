//! A formally checked symbolic engine for *index maps*: which elements of its inputs does each
//! element of a tensor operation's output read?
//!
//! ```
//! use affinor::expr::IndexingMap;
//! use affinor::prove::{Budget, Verdict, equal_functions};
//! use affinor::simplify::Simplifier;
//!
//! let map: IndexingMap = "(d0, d1) -> ((d0 * 8 + d1) floordiv 8, (d0 * 8 + d1) mod 8),
//!     domain: d0 in [0, 3], d1 in [0, 7]".parse()?;
//! let simplifier = Simplifier::shipped()?;
//! let simple = simplifier.simplify(&map, &Default::default()).map;
//! assert_eq!(simple.to_string(), "(d0, d1) -> (d0, d1), domain: d0 in [0, 3], d1 in [0, 7]");
//! assert_eq!(equal_functions(&map, &simple, &Budget::default())?, Verdict::Proved);
//! # Ok::<(), affinor::text::Error>(())
//! ```
//!
//! [`hlo::read`] reads a module, [`ops::indexing::Analysis`] derives what its instructions read, [`simplify::Simplifier::certify`]
//! gives a certificate that [`certificate::replay`] checks, [`layout`] has layouts, and [`command`] all that the program can do.
//! Answers implement `serde::Serialize`; maps, intervals and certificates read back ([`certificate::Certificate::from_json`]).
//!
//! Modules in dependency order; each uses only those above it:
//! [`num`], [`expr`], [`text`], [`prove`], [`rule`], [`certificate`], [`simplify`], [`learn`], [`hlo`], [`layout`], [`ops`],
//! [`footprint`], [`draw`], [`emit`], [`command`].

pub mod certificate;
pub mod command;
pub mod draw;
pub mod emit;
pub mod expr;
pub mod footprint;
pub mod hlo;
pub mod layout;
pub mod learn;
pub mod num;
pub mod ops;
pub mod prove;
pub mod rule;
pub mod simplify;
pub mod text;
