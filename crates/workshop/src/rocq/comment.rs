//! Embeds text in a Rocq comment.

/// Escapes text for a Rocq comment, so that it neither ends the comment early nor opens another comment or a string.
pub fn comment(text: &str) -> String {
    text.replace("(*", "( *").replace("*)", "* )").replace('"', "'")
}
