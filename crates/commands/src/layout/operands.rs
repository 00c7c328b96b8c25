//! The operands of `layout compose` and the other operations: CuTe layouts, and maps that represent layouts.

use super::shape::is_cute;
use crate::arguments::Argument;
use crate::failure::Failure;
use crate::table::Call;
use affinor::expr::IndexingMap;
use affinor::text::ErrorKind;
use affinor_layout::cute::algebra::{Made, Refusal, recognise};
use affinor_layout::cute::{Layout, Tiler};

/// Returns the arguments after the name of the operation. In a shell, `A ; B` may be one word.
pub fn operands(call: &Call<'_>) -> Vec<Argument> {
    let given = call.arguments.positional.get(1..).unwrap_or_default();
    let mut operands = Vec::new();
    for argument in given {
        let mut from = 0;
        for piece in argument.text.split(';') {
            let part = argument.part(from..from + piece.len());
            from += piece.len() + 1;
            // A `;` may also be a word of its own between two operands.
            operands.extend(part.filter(|part| !part.text.trim().is_empty()));
        }
    }
    operands
}

/// An operand of a call.
pub struct Operand<'o, 'c> {
    pub call: &'o Call<'c>,
    pub argument: &'o Argument,
}

impl Operand<'_, '_> {
    /// Returns a layout, from its text or from a map that represents it.
    ///
    /// # Errors
    /// If the operand is not a layout.
    pub fn layout(&self) -> Result<Layout, Failure> {
        if !self.is_map() {
            return Layout::read(&self.argument.text).map_err(|error| self.argument.blame(error));
        }
        let map = self.call.map(self.argument)?;
        let made = recognised(self.call, &map)?;
        made.map(|made| made.layout).map_err(|refusal| match refusal {
            Refusal::Interrupted => self.call.interrupted(),
            other => {
                self.argument.wrong(ErrorKind::Shape, format!("the map is not a layout: {other}"))
            }
        })
    }

    /// Returns a layout, or a layout for each mode.
    ///
    /// # Errors
    /// If the operand is neither.
    pub fn tiler(&self) -> Result<Tiler, Failure> {
        if self.is_map() {
            return self.layout().map(Tiler::Whole);
        }
        Tiler::read(&self.argument.text).map_err(|error| self.argument.blame(error))
    }

    /// Returns whether the operand is a name or the text of a map, not of a layout.
    pub(super) fn is_map(&self) -> bool {
        let text = self.argument.text.trim();
        let is_name = text.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && text.chars().all(|c| c.is_alphanumeric() || c == '_')
            && !text.strip_prefix('_').is_some_and(|size| {
                // `_8` is a size in CUTLASS, unless it is an answer of the session.
                let number = size.parse().ok();
                number.is_some_and(|number| self.call.session.results.get(number).is_none())
            });
        is_name || text.contains("->") || (!is_cute(text) && text.contains("domain"))
    }
}

/// Returns the layout that a map represents, possibly after simplification.
///
/// # Errors
/// If the shipped rules do not load.
pub fn recognised(call: &Call<'_>, map: &IndexingMap) -> Result<Result<Made, Refusal>, Failure> {
    let budget = call.proof_budget();
    let found = recognise(map, &budget);
    if map.domain().constraints().is_empty() || !matches!(found, Err(Refusal::None(_))) {
        return Ok(found);
    }
    // Simplification removes constraints that do not restrict the box.
    let simple = call.simplifier()?.simplify(map, &call.search_options()?).map;
    Ok(recognise(&simple, &budget))
}
