//! What an index map is: its numbers, its expressions and domain, and its text.
//!
//! ```
//! use affinor_maps::expr::IndexingMap;
//!
//! let map: IndexingMap = "(d0) -> (d0 * 2 floordiv 3), domain: d0 in [0, 9]".parse()?;
//! assert_eq!(map.eval(&[4]), Ok(vec![2]));
//! # Ok::<(), affinor_maps::text::Error>(())
//! ```
//!
//! The crate `affinor` has these modules under the same names, with the simplifier and the prover. Readers of programs, and the
//! definitions that maps are judged by, depend on this crate alone: they cannot name the subject of their judgement.
//!
//! Modules in dependency order; each uses only those above it:
//! [`num`], [`expr`], [`text`].

pub mod expr;
pub mod num;
pub mod text;
