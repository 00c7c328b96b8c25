//! Modules whose text was made from another: their places, moved to where they are from.

use super::attribute::{AttributeValue, Attributes};
use super::module::Module;
use affinor_maps::text::{Error, Span};

impl Module {
    /// Returns the module with each span replaced by `place` of it, and `notes` beside its own.
    #[must_use]
    pub fn placed(mut self, place: impl Fn(&Span) -> Span, notes: Vec<Error>) -> Module {
        let attributes = |list: &mut Attributes| move_attributes(list, &place);
        attributes(&mut self.attributes);
        for computation in &mut self.computations {
            computation.span = place(&computation.span);
            attributes(&mut computation.attributes);
            for instruction in &mut computation.instructions {
                instruction.span = place(&instruction.span);
                instruction.name_span = place(&instruction.name_span);
                attributes(&mut instruction.attributes);
            }
        }
        for note in &mut self.notes {
            note.span = note.span.as_ref().map(&place);
        }
        self.notes.extend(notes);
        self.notes.sort_by_key(|note| note.span.as_ref().map_or(0, |span| span.start));
        self
    }
}

/// Records hold attributes of their own.
fn move_attributes(attributes: &mut Attributes, place: &impl Fn(&Span) -> Span) {
    let mut pending = vec![attributes];
    while let Some(attributes) = pending.pop() {
        for attribute in &mut attributes.list {
            attribute.span = place(&attribute.span);
            match &mut attribute.value {
                AttributeValue::Computation(reference) => reference.span = place(&reference.span),
                AttributeValue::Computations(references) => {
                    references.iter_mut().for_each(|one| one.span = place(&one.span));
                }
                AttributeValue::Record(inner) => pending.push(inner),
                AttributeValue::Wrong(_, error) => {
                    error.span = error.span.as_ref().map(place);
                }
                _ => {}
            }
        }
    }
}
