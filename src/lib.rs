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
//! [`simplify::Simplifier::certify`] gives a certificate that [`certificate::replay`] checks. HLO modules, layouts, the maps of ops
//! and the commands of the program are in crates of their own on top of this one: `affinor-hlo`, `affinor-layout`, `affinor-ops`,
//! `affinor-commands` and others that ARCHITECTURE.md lists.
//! Answers implement `serde::Serialize`; maps, intervals and certificates read back ([`certificate::Certificate::from_json`]).
//!
//! Modules in dependency order; each uses only those above it:
//! [`num`], [`expr`], [`text`], [`prove`], [`rule`], [`certificate`], [`simplify`].

pub mod certificate;
pub mod expr;
pub mod num;
pub mod prove;
pub mod rule;
pub mod simplify;
pub mod text;
