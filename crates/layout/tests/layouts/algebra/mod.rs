//! The algebra of CuTe layouts, against its definitions by enumeration: these know leaves of sizes and strides only, and
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
