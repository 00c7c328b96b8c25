//! The maps in an answer of `hlo` are numbered answers of the session.
//!
//! Law: `_` is the last map that was printed, and nothing if none was. An answer may have any number of maps; only the
//! first of them have numbers, so that the earlier answers of the session stay.

use crate::output::Output;
use crate::session::Session;
use affinor::expr::IndexingMap;

/// The maximal number of maps of one answer that have numbers.
const MOST: usize = 100;

/// The remaining numbers for the maps of an answer.
pub(super) struct Numbers {
    left: usize,
    has_ended: bool,
}

impl Numbers {
    /// Begins an answer: from here on, no earlier map is the last one.
    pub(super) fn begin(session: &mut Session) -> Numbers {
        session.last = None;
        Numbers { left: MOST, has_ended: false }
    }

    /// Returns `output`, which contains `maps`, with their numbers filled in.
    pub(super) fn give(
        &mut self,
        session: &mut Session,
        mut output: Output,
        maps: Vec<IndexingMap>,
    ) -> Output {
        let mut labels: Vec<String> = Vec::new();
        for map in maps {
            if self.left > 0 {
                self.left -= 1;
                let number = session.answer(map);
                output.number.get_or_insert(number);
                labels.push(format!("_{number} = "));
                continue;
            }
            if !std::mem::replace(&mut self.has_ended, true) {
                labels.push(format!(
                    "(only {MOST} maps of an answer have numbers, the last is `_`; --instruction and --operand ask for fewer) "
                ));
            }
            session.last = Some(map);
        }
        output.text.fill_numbers(labels.into_iter());
        output
    }
}
