//! The end of a loop, determined from brackets and columns alone, before its statements are parsed.
//!
//! Law: no part of the loop is ever left out; an end that is not found is the end of the text.

use super::token::{Class, balanced_length};
use super::tokens::Tokens;

/// Returns the number of tokens of a loop after its `for`, where `column` is the column of the `for` if it began a line.
pub fn loop_length(tokens: &Tokens<'_>, column: Option<usize>) -> usize {
    let head = closed(tokens, 0);
    let has_steps = (0..head).any(|at| tokens.ahead(at).text == ";");
    match (tokens.current().text == "(", column) {
        (true, _) if has_steps || tokens.ahead(head).text == "{" => statement_end(tokens, head),
        (_, Some(column)) => block_end(tokens, column),
        (_, None) => tokens.len(),
    }
}

/// Returns the index after the C statement that begins at `at`.
fn statement_end(tokens: &Tokens<'_>, mut at: usize) -> usize {
    let mut choices = 0usize;
    while at < tokens.len() {
        match tokens.ahead(at).text {
            "if" => {
                choices += 1;
                at = closed(tokens, at + 1);
                continue;
            }
            "for" | "while" => {
                at = closed(tokens, at + 1);
                continue;
            }
            "{" => at = closed(tokens, at),
            _ => at = plain_end(tokens, at),
        }
        if choices == 0 || tokens.ahead(at).text != "else" {
            return at;
        }
        choices -= 1;
        at += 1;
    }
    tokens.len()
}

/// Returns the index after the next semicolon outside of brackets, or of a `}` before it.
fn plain_end(tokens: &Tokens<'_>, from: usize) -> usize {
    let mut at = from;
    while at < tokens.len() {
        match tokens.ahead(at).text {
            ";" => return at + 1,
            "}" => return at,
            _ => at = closed(tokens, at),
        }
    }
    tokens.len()
}

/// Returns the index after the bracket that closes the one at `from`, or after the token there if it is not a bracket.
pub fn closed(tokens: &Tokens<'_>, from: usize) -> usize {
    let texts = (from..tokens.len()).map(|at| tokens.ahead(at).text);
    balanced_length(texts).map_or(tokens.len(), |length| from + length)
}

/// Returns the index of the next line that begins at `column` or further left, outside of brackets.
fn block_end(tokens: &Tokens<'_>, column: usize) -> usize {
    let mut at = 0;
    while at < tokens.len() {
        let token = tokens.ahead(at);
        if token.indent.is_some_and(|own| own <= column) && token.class != Class::End {
            return at;
        }
        at = closed(tokens, at);
    }
    tokens.len()
}

/// Returns the indices at which the statements directly in the loop's body begin.
pub fn statements(tokens: &Tokens<'_>, length: usize) -> Vec<usize> {
    let mut found = Vec::new();
    let body = closed(tokens, 0);
    if tokens.current().text == "(" && tokens.ahead(body).text == "for" {
        return vec![body];
    }
    if tokens.current().text == "(" && tokens.ahead(body).text == "{" {
        let mut at = body + 1;
        while at < length {
            if matches!(tokens.ahead(at - 1).text, "{" | ";" | "}") {
                found.push(at);
            }
            at = closed(tokens, at);
        }
        return found;
    }
    let mut at = 0;
    while at < length && tokens.ahead(at).text != ":" {
        at = closed(tokens, at);
    }
    let Some(column) = tokens.ahead(at + 1).indent.filter(|_| tokens.by_lines) else {
        return found;
    };
    at += 1;
    while at < length {
        if tokens.ahead(at).indent == Some(column) {
            found.push(at);
        }
        at = closed(tokens, at);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the end of the loop with which a text begins; `|` marks the expected end.
    #[track_caller]
    fn check(text: &str) {
        let (inside, _) = text.split_once('|').expect("an end");
        let whole = text.replace('|', " ");
        let mut tokens = Tokens::new(&whole).expect("a short text");
        tokens.advance();
        let end = tokens.ahead(loop_length(&tokens, Some(0))).span.start;
        assert_eq!(whole[..end].trim_end(), inside.trim_end(), "{text}");
    }

    #[test]
    fn a_loop_ends_behind_its_statement() {
        check("for (int i = 0; i < 4; i++) { a[i] = 0; { x = 1; } }| x = 2;");
        check("for (int i = 0; i < 4; i++) a[i] = f(1, 2);| x = 2;");
        check("for (int i = 0; i < 4; i++)\na[i] = 0;|\nx = 2;");
        check(
            "for (int i = 0; i < 4; i++) if (i) { x = 1; } else if (x) y = 2; else y = 3;| x = 2;",
        );
        check(
            "for (i = 0; i < 4; i++) for (j = 0; j < 4; j++) if (i) if (j) x = 1; else y = 2;| x = 2;",
        );
        check("for (i, 0, 4) {\nx = 1\n}|\nx = 2");
        check("for i in range(4):\n    x = f(1,\n2)\n    y = 3|\nx = 2");
        check("for i in range(4): x = 1|\nx = 2");
    }

    #[test]
    fn an_end_that_is_not_seen_is_that_of_the_text() {
        for text in
            ["for (i = 0; i < 4; i++", "for (i = 0; i < 4; i++) {", "for i in range(4): x = 1"]
        {
            let mut tokens = Tokens::new(text).expect("a short text");
            tokens.advance();
            assert_eq!(loop_length(&tokens, None), tokens.len(), "{text}");
        }
    }
}
