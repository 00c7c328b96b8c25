//! One of two modules that are compared.

use super::same::{Same, Text};
use crate::text_file::TextFile;
use affinor_hlo::module::Module;
use affinor_ops::indexing::Analysis;

pub(super) struct Side<'m> {
    pub(super) module: &'m Module,
    pub(super) file: &'m TextFile,
    pub(super) analysis: Analysis<'m>,
    /// Without what is read only to find data.
    pub(super) data: Analysis<'m>,
}

/// What is the same in both modules.
pub(super) fn same<'m>(sides: &[Side<'m>; 2]) -> Same<'m> {
    Same::new(sides.each_ref().map(|side| Text { module: side.module, bytes: &side.file.bytes }))
}
