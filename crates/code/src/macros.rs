//! Macros of C: `#define N 64`, `#define AT(i, j) ((i) * N + (j))`.
//!
//! Law: a name is replaced by the tokens of its macro, without added brackets, as by the preprocessor; a parameter is replaced by
//! the tokens of its argument. A macro is not expanded inside itself. Other directives are comments.

use super::token::{Class, Token, bare};
use affinor_maps::text::{Error, ErrorKind};

/// The maximal number of tokens that the expansion of macros may visit.
const MAX_TOKENS: usize = 1 << 14;

/// A macro: its parameters, if it is function-like, and its tokens.
#[derive(Debug)]
pub struct Macro<'t> {
    name: &'t str,
    parameters: Option<Vec<&'t str>>,
    body: Vec<Token<'t>>,
}

/// Returns the macros that the lines of a text define, the last one first, so that the last definition of a name counts.
pub fn macros(text: &str) -> Vec<Macro<'_>> {
    let lines = text.lines().filter_map(|line| {
        let rest = line.trim_start().strip_prefix('#')?.trim_start();
        definition(rest.strip_prefix("define")?.strip_prefix([' ', '\t'])?.trim_start())
    });
    let mut macros: Vec<Macro> = lines.collect();
    macros.reverse();
    macros
}

fn definition(text: &str) -> Option<Macro<'_>> {
    let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    let called = rest.strip_prefix('(').and_then(|rest| rest.split_once(')'));
    let (parameters, body) = match called {
        Some((list, body)) => (Some(list.split(',').map(str::trim).collect()), body),
        None => (None, rest),
    };
    let body = body.split("//").next().unwrap_or(body);
    (!name.is_empty()).then(|| Macro { name, parameters, body: bare(body) })
}

/// Returns the tokens with all macros expanded. Expanded tokens have the position of the macro's use.
///
/// # Errors
/// [`ErrorKind::TooLarge`]; [`ErrorKind::Arity`] for a call with a different number of arguments.
pub fn expanded<'t>(tokens: Vec<Token<'t>>, macros: &[Macro<'t>]) -> Result<Vec<Token<'t>>, Error> {
    if macros.is_empty() {
        return Ok(tokens);
    }
    let mut done = Vec::new();
    // Each token, with the macros that it comes from.
    let mut waiting: Vec<(Token, Vec<&str>)> =
        tokens.into_iter().rev().map(|token| (token, Vec::new())).collect();
    let mut fuel = MAX_TOKENS;
    while let Some((token, inside)) = waiting.pop() {
        fuel = fuel.checked_sub(1).ok_or_else(|| {
            let message = format!("with its macros, the code has more than {MAX_TOKENS} parts");
            Error::new(ErrorKind::TooLarge, token.span.clone(), message)
        })?;
        let is_it = |own: &&Macro| {
            token.class == Class::Name && own.name == token.text && !inside.contains(&own.name)
        };
        let Some(found) = macros.iter().find(is_it) else {
            done.push(token);
            continue;
        };
        let mut inside = inside;
        inside.push(found.name);
        let (mut arguments, mut span) = (Vec::new(), token.span.clone());
        if let Some(parameters) = &found.parameters {
            if waiting.last().is_none_or(|(next, _)| next.text != "(") {
                done.push(token);
                continue;
            }
            arguments = called(&mut waiting, &mut span.end);
            if arguments.len() != parameters.len() {
                let message = format!(
                    "the macro `{}` takes {} values, not {}",
                    found.name,
                    parameters.len(),
                    arguments.len()
                );
                return Err(Error::new(ErrorKind::Arity, span, message));
            }
        }
        let mut body = Vec::new();
        for part in &found.body {
            let parameters = found.parameters.iter().flatten();
            let place = parameters.into_iter().position(|name| *name == part.text);
            match place.filter(|_| part.class == Class::Name) {
                Some(place) => body.extend(arguments[place].iter().cloned()),
                None => body.push(part.clone()),
            }
        }
        if let Some(first) = body.first_mut() {
            first.indent = token.indent;
        }
        let placed = body.into_iter().rev().map(|part| Token { span: span.clone(), ..part });
        waiting.extend(placed.map(|part| (part, inside.clone())));
    }
    Ok(done)
}

/// Takes the arguments between brackets, and moves `end` to the end of the closing bracket.
fn called<'t>(waiting: &mut Vec<(Token<'t>, Vec<&str>)>, end: &mut usize) -> Vec<Vec<Token<'t>>> {
    let mut arguments = vec![Vec::new()];
    let mut depth = 0usize;
    while let Some((token, _)) = waiting.pop() {
        *end = token.span.end.max(*end);
        match token.text {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            "," if depth == 1 => {
                arguments.push(Vec::new());
                continue;
            }
            _ => {}
        }
        if depth == 0 || token.class == Class::End {
            break;
        }
        let is_open = depth == 1 && token.text == "(" && arguments == [Vec::new()];
        if let Some(last) = arguments.last_mut().filter(|_| !is_open) {
            last.push(Token { indent: None, ..token });
        }
    }
    arguments
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::Tokens;

    #[track_caller]
    fn check(text: &str, expected: Result<&str, ErrorKind>) {
        let words = Tokens::new(text).map(|tokens| {
            let words = (0..tokens.len()).map(|at| tokens.ahead(at).text);
            words.collect::<Vec<_>>().join(" ").trim().to_owned()
        });
        assert_eq!(words.map_err(|error| error.kind), expected.map(str::to_owned), "{text}");
    }

    #[test]
    fn macros_are_replaced_by_their_tokens() {
        check("#define N 64\ni % N", Ok("i % 64"));
        check("#define N 64\n#define B (N / 4)\ni / B", Ok("i / ( 64 / 4 )"));
        check("#define A i + 1 // one more\nA * 2", Ok("i + 1 * 2"));
        check(
            "#define AT(i, j) ((i) * 8 + (j))\nAT(x + 1, f(y, 2))",
            Ok("( ( x + 1 ) * 8 + ( f ( y , 2 ) ) )"),
        );
        check("#define AT(i) i\nAT + 1", Ok("AT + 1"));
        check("#define x x + 1\nx", Ok("x + 1"));
        check("#pragma unroll\ni", Ok("i"));
        check("#define AT(i, j) i\nAT(3)", Err(ErrorKind::Arity));
        let doubling: String =
            (0..20).map(|n| format!("#define m{n} m{} + m{}\n", n + 1, n + 1)).collect();
        check(&format!("{doubling}m0"), Err(ErrorKind::TooLarge));
    }
}
