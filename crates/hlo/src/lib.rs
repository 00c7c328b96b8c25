//! HLO text: the syntax of modules, without the semantics of operations.
//!
//! [`read`] parses a module as XLA prints it, further forms that XLA's parser accepts, or a snippet (instructions without a
//! module around them). Nothing in the text is dropped: untyped and malformed attributes are kept as text, unknown operations as
//! [`opcode::Opcode::Other`], and `to_apply` may name an undefined computation. Comments, the level types `D(..)` of layouts, and
//! operands that are only a shape ([`Module::notes`]) are the exceptions.
//!
//! An invalid text gives one error with its position, in time linear in the text and with bounded recursion; a contradiction
//! within one instruction becomes a note, and its operation is treated as unknown. Shapes of results are not checked against
//! operands; omitted shapes are inferred.
//!
//! ```
//! use affinor_hlo as hlo;
//!
//! let module = hlo::read(b"p = f32[8,16] parameter(0) \n t = f32[16,8] transpose(p), dimensions={1,0}")?;
//! let entry = &module[module.entry()];
//! let root = &entry[entry.root()];
//! assert_eq!(root.shape().to_string(), "f32[16,8]{1,0}");
//! assert_eq!(root.dimensions(2)?, [1, 0]);
//! # Ok::<(), affinor_maps::text::Error>(())
//! ```
//!
//! Modules in dependency order: [`element_type`], [`layout`], [`shape`], `opcode_table`, [`opcode`], [`literal`],
//! [`attribute`] and [`module`] (an attribute can refer to a computation), [`access`] and [`device_groups`] (the
//! attributes that index maps need, typed); then, private, the reader (`token`, `cursor`,
//! `parse_*`) and the printers (`print_*`).

pub mod access;
pub mod attribute;
mod call_graph;
mod cursor;
pub mod device_groups;
mod doubtful;
pub mod element_type;
mod flags;
mod foreign;
mod free_names;
mod implied_given;
mod implied_shape;
mod implied_sizes;
mod inline;
pub mod layout;
pub mod literal;
pub mod module;
pub mod opcode;
pub mod opcode_table;
mod parse_async;
mod parse_attribute;
mod parse_computation;
mod parse_convolution;
mod parse_groups;
mod parse_module;
mod parse_operand;
mod parse_shape;
mod placed;
mod print_module;
mod print_shape;
mod replaced;
pub mod shape;
mod token;
pub mod unroll;

use affinor_maps::text::{Error, ErrorKind};
pub use foreign::is_mlir;
pub use module::Module;
use shape::Shape;

/// Parses a module or a snippet.
///
/// # Errors
/// The error names the format of a text of another known kind, such as StableHLO. Kind `encoding` if the bytes are not UTF-8,
/// `hlo` or `shape` for violations of the grammar or the laws of [`module`] and [`mod@shape`], `overflow` for integers beyond 64
/// bits, `too-large` for brackets nested too deeply. Each has a span.
pub fn read(bytes: &[u8]) -> Result<Module, Error> {
    let read = match std::str::from_utf8(bytes) {
        Ok(text) => read_text(text),
        Err(error) => {
            let start = error.valid_up_to();
            let length = error.error_len().unwrap_or(bytes.len() - start);
            let span = start..start + length;
            let error = Error::new(ErrorKind::Encoding, span, "the text is not UTF-8");
            Err(error.hint("expected HLO text"))
        }
    };
    read.map_err(|error| foreign::explained(bytes, error))
}

/// Parses a module or a snippet.
///
/// # Errors
/// The errors of [`read`], without `encoding`.
pub fn read_text(text: &str) -> Result<Module, Error> {
    parse_module::module(text)
}

/// Parses the text of one shape, as `f32[3,5]{1,0:T(2,2)}`.
///
/// # Errors
/// Kind `shape`, `overflow` or `too-large`, with a span.
pub fn read_shape(text: &str) -> Result<Shape, Error> {
    parse_shape::whole_shape(text)
}
