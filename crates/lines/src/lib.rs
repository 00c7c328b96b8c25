//! A typed line and its answer: tokens, lines and scripts, and outputs as text and JSON.
//!
//! Nothing here runs a command, or uses a session or a host: the few commands that matter for the kind or the end of a line
//! are words. The crate `affinor-commands` is built on this one, and re-exports items for its users.
//!
//! The modules in order, each of which uses only modules before it:
//!
//! 1. answers: [`output`], as text and JSON; [`words`] in them; [`trees`] of their maps; [`trace`], a counterexample node by
//!    node;
//! 2. a line: [`token`], its pieces; [`brackets`], for S-expressions; [`cute_word`] and [`bare`], its kind if it begins with
//!    no command;
//! 3. several lines: [`script`], [`lines`];
//! 4. a statement as rules: [`implication`], [`formula`].

pub mod bare;
pub mod brackets;
pub mod cute_word;
pub mod formula;
pub mod implication;
pub mod lines;
pub mod output;
pub mod script;
pub mod token;
pub mod trace;
pub mod trees;
pub mod words;
