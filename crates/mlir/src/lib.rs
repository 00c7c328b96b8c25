//! Reads StableHLO, CHLO, linalg, tensor, memref, vector and loops, in MLIR's textual form, as HLO modules.
//!
//! [`read`] accepts both HLO text and MLIR. MLIR is translated to HLO text by the table of ops (`table`), which `affinor_hlo`
//! then parses; names and spans of the module are those of the MLIR text. An op that is not known, of any dialect, becomes an
//! instruction of unknown operation, with a note that gives the reason. So only a text that is not MLIR is rejected, with one
//! error at its position.
//!
//! ```
//! let text = "%0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>";
//! let module = affinor_mlir::read(text.as_bytes())?;
//! let entry = &module[module.entry()];
//! assert_eq!(entry[entry.root()].dimensions(2)?, [1, 0]);
//! # Ok::<(), affinor_maps::text::Error>(())
//! ```
//!
//! Files in dependency order: `token`, `types`, `tree`, `cursor`, `parse` (the syntax, of any dialect), `dense`, `attribute`
//! (values of attributes), `emit`, `body`, `lower`, `site` (from regions to computations), `points` (ops over loops),
//! `moved`, `fold`, `control`, `custom_call`, `devices`, `geometry`, `tensor`, `scalar`, `arithmetic`, `exprs`, `view`, `index`, `formulas`, `views`,
//! `by_points`, `slices`, `elements`, `inside`, `linalg`, `linalg_named`, `bounds`, `outside`, `access`, `loops`, `row`, `dialects`,
//! `table` (ops), `module`.

mod access;
mod arithmetic;
mod attribute;
mod body;
mod bounds;
mod by_points;
mod conditions;
mod control;
mod cursor;
mod custom_call;
mod dense;
mod devices;
mod dialects;
mod elements;
mod emit;
mod exprs;
mod fold;
mod formulas;
mod geometry;
mod index;
mod inside;
mod layout;
mod linalg;
mod linalg_named;
mod loops;
mod lower;
mod module;
mod moved;
mod outside;
mod parse;
mod points;
mod row;
mod scalar;
mod site;
mod slices;
mod table;
mod tensor;
mod token;
mod tree;
mod types;
mod view;
mod views;

use affinor_hlo::{self as hlo, Module};
use affinor_maps::text::{Error, ErrorKind, Span};
pub use arithmetic::{arithmetic, delinearized, linearized};
pub use table::{Reading, known_ops};

/// Parses a module or a snippet of HLO, StableHLO or CHLO.
///
/// # Errors
/// As [`hlo::read`], and for MLIR kind `hlo` at the first syntax error, `too-large` for regions that are nested too deeply.
pub fn read(bytes: &[u8]) -> Result<Module, Error> {
    match std::str::from_utf8(bytes) {
        Ok(text) if hlo::is_mlir(text) => read_mlir(text),
        _ => hlo::read(bytes),
    }
}

/// Parses MLIR.
///
/// # Errors
/// As [`read`].
pub fn read_mlir(text: &str) -> Result<Module, Error> {
    let read = parse::read(text)?;
    let (emitted, notes) = module::lowered(&read)?;
    let place = |span: &Span| emitted.place(span);
    match hlo::read_text(&emitted.text) {
        Ok(module) => Ok(module.placed(place, notes)),
        Err(error) => {
            let span = error.span.as_ref().map(place);
            Err(Error { span, kind: ErrorKind::Hlo, ..error })
        }
    }
}

/// Translates an MLIR module to HLO text.
///
/// # Errors
/// As [`read`].
pub fn translate(text: &str) -> Result<String, Error> {
    let read = parse::read(text)?;
    Ok(module::lowered(&read)?.0.text)
}
