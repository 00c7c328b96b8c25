//! The answer to a map that was typed.

use crate::failure::Failure;
use crate::output::Output;
use crate::simplify::simplified::simplified;
use crate::table::Call;
use affinor::expr::IndexingMap;

/// Returns the simplified map as an answer, with the map as it was read.
pub fn answered(call: &mut Call<'_>, map: &IndexingMap) -> Result<Output, Failure> {
    let read = call.written(map)?;
    let mut output = simplified(call, map)?;
    if let Some(json) = &mut output.json {
        json.insert("read".to_owned(), read.into());
    }
    Ok(output)
}
