//! `--custom`: the reads of further custom-calls.

use super::arguments::Argument;
use super::failure::Failure;
use super::option::{Setting, text};
use super::table::Call;
use super::text_file::TextFile;
use affinor_ops::indexing::CustomCalls;
use std::sync::Arc;

/// The option `--custom`.
pub const CUSTOM: Setting<Argument> =
    Setting::new("custom", "FILE", "a table of the reads of further custom-calls, by target", text);

/// Returns the table of custom-calls: the library's table, extended by the given file.
///
/// # Errors
/// If the file cannot be read; errors in it are reported at their position.
pub fn custom_calls(call: &mut Call<'_>) -> Result<Arc<CustomCalls>, Failure> {
    let published = CustomCalls::published();
    let Some(path) = call.text_of(&CUSTOM).cloned() else {
        return Ok(published);
    };
    let file = TextFile::read(call, &path)?;
    let own = CustomCalls::read(file.text()?).map_err(|error| file.blame(error))?;
    Ok(Arc::new(published.extended_by(own)))
}
