//! The algebra of CuTe layouts, compared with its definitions by enumeration: these use only leaves with sizes and strides, and
//! loops over all elements.

mod claims;
mod conditional;
mod modes;
mod named;
mod plain;
mod random;
mod recast_named;
mod sums;
mod table;
