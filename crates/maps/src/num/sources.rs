//! The files of this module that need no others, as text: the arithmetic of rules that are exported as a crate.

/// Integers, intervals and sums, by their paths in this crate.
pub const SOURCES: &[(&str, &str)] = &[
    ("src/num/integer.rs", include_str!("integer.rs")),
    ("src/num/interval.rs", include_str!("interval.rs")),
    ("src/num/sum.rs", include_str!("sum.rs")),
];
