//! HLO text: what a module says, before any operation is given a meaning.
//!
//! Modules in dependency order: [`element_type`], [`shape`] (values), [`opcode`], [`literal`],
//! [`attribute`] and [`module`] (an attribute can refer to a computation), [`access`] (the
//! attributes that index maps need, typed).

pub mod access;
pub mod attribute;
pub mod element_type;
pub mod literal;
pub mod module;
pub mod opcode;
pub mod shape;
