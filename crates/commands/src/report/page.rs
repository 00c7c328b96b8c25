//! The page as one HTML file.
//!
//! Law: texts of the module are data, never markup. They stand in one block of JSON in which no `<` is left, and the script puts
//! them on the page as text; the title alone is written here. The page may load nothing: its policy forbids it, and runs no
//! script but the one whose hash it has.

use super::data::Data;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};
use std::fmt::Write;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// The page.
pub fn html(data: &Data) -> String {
    let json = serde_json::to_string(data).unwrap_or_default();
    let mut out = String::with_capacity(json.len() + STYLE.len() + SCRIPT.len() + 2000);
    let policy = format!(
        "default-src 'none'; img-src data:; style-src 'sha256-{}'; script-src 'sha256-{}'",
        STANDARD.encode(Sha256::digest(STYLE)),
        STANDARD.encode(Sha256::digest(SCRIPT))
    );
    let title = match data.module.as_str() {
        "" => &data.file,
        name => name,
    };
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
<style>{STYLE}</style>
</head>
<body>
<noscript>This page needs JavaScript to show its data.</noscript>
<script type="application/json" id="data">{json}</script>
<script>{SCRIPT}</script>
</body>
</html>
"#,
        version = data.version,
        title = escaped(title),
        json = without_markup(&json),
    );
    out
}

/// Text between tags.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// The same JSON without `<`, so that nothing in it ends a script or begins a comment.
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
