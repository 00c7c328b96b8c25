//! One of two modules that are compared.

use super::same::{Same, Text};
use crate::text_file::TextFile;
use affinor_hlo::module::Module;
use affinor_ops::indexing::Analysis;

pub(super) struct Side<'m> {
    pub(super) module: &'m Module,
    pub(super) file: &'m TextFile,
    pub(super) analysis: Analysis<'m>,
    /// The analysis without elements that are read only to locate data.
    pub(super) data: Analysis<'m>,
}

/// Prepares the comparison of instructions of both modules.
pub(super) fn same<'m>(sides: &[Side<'m>; 2]) -> Same<'m> {
    Same::new(sides.each_ref().map(|side| Text { module: side.module, bytes: &side.file.bytes }))
}
