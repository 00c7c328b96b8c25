//! Pages: a single HTML file with data, a style and a script, which loads nothing.
//!
//! Law: texts of the data are never markup. They are in a single block of JSON without any `<`, and the script puts them on
//! the page as text; only the title is written here. The page's policy forbids it to load anything, and allows only the
//! script with its hash.

use crate::arguments::Argument;
use crate::failure::Failure;
use crate::lines::not_written;
use crate::option::{Setting, text};
use crate::output::{Object, Output, Role, Text, clipped};
use crate::table::Call;
use affinor_draw::escaped;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::fmt::Write;

/// The file to which a page is written.
pub const HTML: Setting<Argument> =
    Setting::new("html", "FILE", "the page to write (`-`: as the answer)", text);

/// A kind of page.
pub struct Page {
    pub style: &'static str,
    pub script: &'static str,
}

impl Page {
    /// Returns the page with this data.
    pub fn html(&self, title: &str, data: &impl Serialize) -> String {
        let Page { style, script } = self;
        let json = serde_json::to_string(data).unwrap_or_default();
        let mut out = String::with_capacity(json.len() + style.len() + script.len() + 2000);
        let policy = format!(
            "default-src 'none'; img-src data:; style-src 'sha256-{}'; script-src 'sha256-{}'",
            STANDARD.encode(Sha256::digest(style)),
            STANDARD.encode(Sha256::digest(script))
        );
        // Writing to a string does not fail.
        let _ = write!(
            out,
            r#"<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="affinor {version}">
<link rel="icon" href="data:,">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<noscript>This page needs JavaScript to show its data.</noscript>
<script type="application/json" id="data">{json}</script>
<script>{script}</script>
</body>
</html>
"#,
            version = env!("CARGO_PKG_VERSION"),
            title = escaped(title),
            json = without_markup(&json),
        );
        out
    }
}

/// Writes a page to a file, or returns it as the answer. `what` describes the page in words, `json` in fields.
///
/// # Errors
/// If the file cannot be written.
pub fn write(
    call: &mut Call<'_>,
    path: &Argument,
    html: &str,
    what: &str,
    json: Object,
) -> Result<(), Failure> {
    let (text, json) = match path.text.as_str() {
        "-" => (Text::of(Role::Plain, html.trim_end()), json.with("html", html)),
        file => {
            let written = call.host.write(file, html.as_bytes());
            written.map_err(|error| path.blame(not_written(file, &error)))?;
            let size = html.len().div_ceil(1000);
            let note = format!("{what}, {size} kB written to {}", clipped(file));
            (Text::of(Role::Faint, note), json.with("html", file))
        }
    };
    call.emit(Output::new(text, json));
    Ok(())
}

/// Returns the same JSON without `<`, so that no part of it ends a script or begins a comment.
fn without_markup(json: &str) -> String {
    json.replace('<', "\\u003c")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_is_text() {
        assert_eq!(escaped("<script>&"), "&lt;script&gt;&amp;");
        let hostile = r#"["</script><!--<script>","\u003c"]"#;
        let inert = without_markup(hostile);
        assert!(!inert.contains('<'));
        let read = |json: &str| serde_json::from_str::<Vec<String>>(json).ok();
        assert_eq!(read(&inert), read(hostile));
    }
}
