//! A map that was typed, as an answer.

use crate::command::failure::Failure;
use crate::command::output::Output;
use crate::command::simplify::simplified::simplified;
use crate::command::table::Call;
use crate::expr::IndexingMap;

/// A map simplified, as an answer.
pub fn answered(call: &mut Call<'_>, map: &IndexingMap) -> Result<Output, Failure> {
    let read = call.written(map)?;
    let mut output = simplified(call, map)?;
    if let Some(json) = &mut output.json {
        json.insert("read".to_owned(), read.into());
    }
    Ok(output)
}
