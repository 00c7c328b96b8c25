//! `--format`: the format of certificates, for each command that writes them.

use crate::option::Setting;
use crate::output::clipped;
use affinor::text::ErrorKind;

/// The format of certificates.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A line of JSON for each certificate, for `replay`.
    Json,
    /// A Rocq file.
    Rocq,
}

pub const FORMAT: Setting<Form> = Setting::new(
    "format",
    "FORMAT",
    "how certificates are written: json, for `replay`, or rocq, a file that coqc checks",
    |_, given| match given.text.as_str() {
        "json" => Ok(Form::Json),
        "rocq" => Ok(Form::Rocq),
        other => {
            let message = format!("unknown format `{}`", clipped(other));
            let failure = given.wrong(ErrorKind::Name, message);
            Err(failure.hint("certificates are written as json or rocq"))
        }
    },
)
.among(|| vec!["json", "rocq"]);
