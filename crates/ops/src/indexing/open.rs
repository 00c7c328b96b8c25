//! Arrays with sizes known only at run time: their maps have named sizes, and are supplied from outside this analysis.

use super::builder::identity;
use super::reads::{InstructionPlace, OperandReads};
use affinor::expr::IndexingMap;
use affinor::text::Error;
use affinor_hlo::shape::ArrayShape;

/// Reads with named sizes. The names of a computation are parameters of its maps: equal names are equal sizes.
pub trait OpenReads: Send + Sync {
    /// Returns the reads of an instruction; `None` if its sizes need no names.
    ///
    /// # Errors
    /// If the sizes contradict each other, or no map with names is known for such an op.
    fn reads(&self, place: InstructionPlace) -> Result<Option<Vec<OperandReads>>, Error>;

    /// Returns the identity map on a part of the result; `None` if the number of elements is unknown.
    fn elements(&self, place: InstructionPlace, part: &[usize]) -> Option<IndexingMap>;
}

/// Returns the identity map on `array`, which is this part of the result at `place`.
pub(super) fn elements(
    open: Option<&dyn OpenReads>,
    place: InstructionPlace,
    part: &[usize],
    array: &ArrayShape,
) -> Option<IndexingMap> {
    let sizes = array.sizes();
    sizes.map(|sizes| identity(&sizes)).or_else(|| open?.elements(place, part))
}
