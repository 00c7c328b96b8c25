//! A formally checked symbolic engine for *index maps*: which elements of its inputs does each
//! element of a tensor operation's output read?
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
