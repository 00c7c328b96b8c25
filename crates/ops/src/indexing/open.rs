//! Arrays with sizes known only at run time: their maps have names for sizes, and come from outside this analysis.

use super::builder::identity;
use super::reads::{InstructionPlace, OperandReads};
use affinor::expr::IndexingMap;
use affinor::text::Error;
use affinor_hlo::shape::ArrayShape;

/// Reads with names for sizes. The names of a computation are parameters of its maps: equal names are equal sizes.
pub trait OpenReads: Send + Sync {
    /// What an instruction reads; `None` if sizes without names say it.
    ///
    /// # Errors
    /// If the sizes contradict each other, or no map with names is known of such an op.
    fn reads(&self, place: InstructionPlace) -> Result<Option<Vec<OperandReads>>, Error>;

    /// The map from each element of a part of the result to itself; `None` if it is not known how many there are.
    fn elements(&self, place: InstructionPlace, part: &[usize]) -> Option<IndexingMap>;
}

/// The map from each element of `array`, which is this part of the result at `place`, to itself.
pub(super) fn elements(
    open: Option<&dyn OpenReads>,
    place: InstructionPlace,
    part: &[usize],
    array: &ArrayShape,
) -> Option<IndexingMap> {
    let sizes = array.sizes();
    sizes.map(|sizes| identity(&sizes)).or_else(|| open?.elements(place, part))
}
