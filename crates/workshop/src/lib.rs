//! The workshop of rules: where they come from and where they go.
//!
//! [`learn`] finds the rule that an example shows, and discovers rules from a corpus. [`upstream`] judges lines of rules
//! of other systems. [`export`] writes the rules for other systems, each with a check; [`rocq`] writes a certificate as a theorem.

pub mod export;
pub mod learn;
pub mod rocq;
pub mod upstream;
