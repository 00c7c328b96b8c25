//! A formally checked symbolic engine for *index maps*: which elements of its inputs does each
//! element of a tensor operation's output read?
//!
//! ```
//! use affinor::map::IndexingMap;
//! use affinor::prove::{Budget, Verdict, equal_functions};
//! use affinor::rule::RuleSet;
//! use affinor::simplify::Simplifier;
//!
//! let map: IndexingMap = "(d0, d1) -> ((d0 * 8 + d1) floordiv 8, (d0 * 8 + d1) mod 8),
//!     domain: d0 in [0, 3], d1 in [0, 7]".parse()?;
//! let simplifier = Simplifier::new(RuleSet::shipped()?)?;
//! let simple = simplifier.simplify(&map, &Default::default()).map;
//! assert_eq!(simple.to_string(), "(d0, d1) -> (d0, d1), domain: d0 in [0, 3], d1 in [0, 7]");
//! assert_eq!(equal_functions(&map, &simple, &Budget::default())?, Verdict::Proved);
//! # Ok::<(), affinor::error::Error>(())
//! ```
//!
//! [`hlo::read`] reads a module, [`indexing::Analysis`] derives what its instructions read, [`simplify::Simplifier::certify`]
//! gives a certificate that [`certificate::replay`] checks, [`memory`] and [`cute`] have layouts, and [`command`] all that the
//! program can do.
//!
//! Modules in dependency order; each uses only those above it:
//! [`num`], [`interval`], [`fuel`], [`sum`], [`expr`], [`map`], [`error`], [`render`], [`syntax`], [`prove`], [`image`],
//! [`rule`], [`certificate`], [`verify`], [`export`], [`saturate`], [`simplify`], [`hlo`], [`memory`], [`cute`], [`definition`], [`indexing`],
//! [`agreement`], [`utilisation`], [`tiling`], [`relayout`], [`access`], [`picture`], [`command`].

pub mod access;
pub mod agreement;
pub mod certificate;
pub mod command;
pub mod cute;
pub mod definition;
pub mod error;
pub mod export;
pub mod expr;
pub mod fuel;
pub mod hlo;
pub mod image;
pub mod indexing;
pub mod interval;
pub mod map;
pub mod memory;
pub mod num;
pub mod picture;
pub mod prove;
pub mod relayout;
pub mod render;
pub mod rule;
pub mod saturate;
pub mod simplify;
pub mod sum;
pub mod syntax;
pub mod tiling;
pub mod utilisation;
pub mod verify;
