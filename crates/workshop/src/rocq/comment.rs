//! Text of our own inside a comment of Rocq.

/// A text inside a comment, which must neither end early, nor open another, nor a string.
pub fn comment(text: &str) -> String {
    text.replace("(*", "( *").replace("*)", "* )").replace('"', "'")
}
