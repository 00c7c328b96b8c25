//! What a question of `hlo` is asked about, and the analysis that answers it.

use super::asked::Shaper;
use super::numbers::Numbers;
use super::options::{CHECK, VALUES};
use crate::custom::custom_calls;
use crate::failure::Failure;
use crate::table::Call;
use crate::text_file::TextFile;
use affinor::expr::IndexingMap;
use affinor_hlo::module::Module;
use affinor_ops::indexing::{Analysis, Limits};
use affinor_ops::open_sizes::OpenSizes;
use std::sync::Arc;

/// Answers one question about a module.
pub(super) type Question = fn(&mut Call<'_>, OfModule<'_>) -> Result<(), Failure>;

/// A module that a question is about.
pub(super) struct OfModule<'a> {
    /// The text of the module.
    pub file: &'a TextFile,
    pub module: &'a Module,
    /// The numbers for the maps in the answers.
    pub numbers: &'a mut Numbers,
}

/// The analysis of a module, with the options of the call.
pub(super) struct Analysed<'a> {
    pub analysis: Analysis<'a>,
    /// The simplifier of the maps.
    pub shaper: &'a Shaper,
    /// The sizes that have names, if any have.
    pub open: Option<Arc<OpenSizes<'a>>>,
}

/// Has `answer` use the analysis of a module.
///
/// # Errors
/// If the options have no meaning, and the errors of `answer`.
pub(super) fn with_analysis(
    call: &mut Call<'_>,
    module: &Module,
    answer: impl FnOnce(&mut Call<'_>, Analysed<'_>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let shaper = Shaper::new(call)?;
    let simplify = |map: &IndexingMap| shaper.apply(map);
    let interrupt = call.host.interrupt();
    let table = custom_calls(call)?;
    let limits = match call.has(CHECK) {
        false => Limits::default(),
        // The absence of reads is proved, too, so all pairs are listed.
        true => Limits { pairs: usize::MAX, ..Limits::default() },
    };
    let open = OpenSizes::of(module, &simplify);
    let mut analysis = Analysis::with_limits(module, &simplify, limits)
        .with_custom_calls(&table)
        .with_open(open.clone())
        .ended_by(&interrupt);
    if call.has(VALUES) {
        analysis = analysis.by_values();
    }
    answer(call, Analysed { analysis, shaper: &shaper, open })
}
