//! Commands: what people type and programs call, the same everywhere.
//!
//! [`COMMANDS`] is the one table. [`Session::run`] takes a line, [`Session::call`] takes arguments
//! that are separate already; both hand [`Output`]s to a [`Host`], each readable as text and as
//! JSON. To add a command: a file here with a [`Command`], and a line in the table.
//!
//! Nothing here prints, reads files or looks at the clock except through the [`Host`].

mod advice;
mod arguments;
mod batch;
mod batch_line;
mod bind;
mod bitcast;
mod certificate;
mod coalesce;
mod coalesce_input;
mod coalesce_output;
mod complete;
mod complete_op;
mod compose;
mod contain;
mod diff;
mod diff_pairs;
mod diff_same;
mod draw;
mod each;
mod egraph;
mod equal;
mod failure;
mod help;
mod highlight;
mod hlo;
mod hlo_explain;
mod hlo_memory;
mod hlo_output;
mod hlo_parts;
mod hlo_tile;
mod hlo_utilisation;
mod hlo_warnings;
mod image;
mod inverse;
mod judgement;
mod layout;
mod layout_output;
mod layout_questions;
mod lines;
mod maps;
mod op;
mod op_forms;
mod op_module;
mod op_text;
mod output;
mod parallel;
mod picture;
mod prove;
mod reads;
mod relay;
mod replay;
mod results;
mod rule;
mod rule_verdict;
mod rules;
mod rules_export;
mod rules_lock;
mod rules_show;
mod rules_switch;
mod run;
mod save;
mod scan;
mod script;
mod session;
mod settings;
mod simplify;
mod steps;
mod table;
mod text_file;
mod tile;
mod tile_output;
mod topics;
mod tour;
mod trace;
mod undo;
mod values;
mod verdict;
mod why;

pub use arguments::{Argument, Arguments};
pub use complete::{Completion, Hint, Vocabulary, complete, hint};
pub use contain::{contained, quiet_contained_panics};
pub use failure::{Failure, Place, Source};
pub use highlight::{Ink, Painted, paint};
pub use lines::{Line, Lines, file_error, not_utf8};
pub use output::{Object, Output, Role, Status, Text};
pub use scan::is_complete;
pub use script::{MAX_COMMAND_BYTES, Script, Splitter, is_indented, may_go_on, too_large};
pub use session::{Call, Host, Session};
pub use table::{COMMANDS, Command, Kind, Parameter, Switch, command, nearest_command};
