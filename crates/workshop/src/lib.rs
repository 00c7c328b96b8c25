//! The workshop of rules: learning, importing and exporting them.
//!
//! [`learn`] finds the rule that an example shows, and discovers rules from a corpus. [`upstream`] judges rules of other systems.
//! [`export`] writes the rules for other systems, each export with a check; [`rocq`] writes a certificate as a theorem.

pub mod export;
pub mod learn;
pub mod rocq;
pub mod upstream;
