//! Z3 in Python: `prove(ForAll([x], Implies(x >= 0, x / 4 * 4 <= x)))`, and
//! `x = Int('x'); s = Solver(); s.add(x % 4 == 3, x > 9); s.check()`.
//!
//! Law: `prove` has the same meaning here; a solver with assertions has a model if `solve` finds integers that satisfy them.

use super::array::closing;
use super::numbers::only_call;
use crate::token::{Class, listed, split};

/// Calls that become operators.
const CALLS: [&str; 5] = ["ForAll", "Implies", "And", "Or", "Not"];

/// The maximum number of calls in a text.
const MAX_CALLS: usize = 1 << 8;

/// Translates a text to a line of commands.
pub fn line(text: &str) -> Option<String> {
    let statements = split(text, 0..text.len(), Class::Semicolon).into_iter();
    let statements: Vec<&str> = statements.map(|span| text[span].trim()).collect();
    let has_calls = CALLS.iter().any(|call| text.contains(&format!("{call}(")));
    let is_declared =
        ["Int('", "Ints('", "Int(\"", "Ints(\""].iter().any(|word| text.contains(word));
    let is_solver = text.contains(".add(")
        && [".check()", ".maximize(", ".minimize("].iter().any(|call| text.contains(call));
    if !has_calls && !is_declared && !is_solver && !text.trim_start().starts_with("solve(") {
        return None;
    }
    if let [claim] = statements[..]
        && only_call(claim).is_some_and(|(name, _)| CALLS.contains(&name))
    {
        return Some(format!("prove {}", plain(claim)?));
    }
    let mut asserted: Vec<&str> = Vec::new();
    let (mut proved, mut is_asked) = (None, false);
    let mut optimum = None;
    for statement in statements.into_iter().filter(|statement| !statement.is_empty()) {
        let is_made = statement.split_once('=').is_some_and(|(_, value)| {
            ["Int(", "Ints(", "Solver(", "Optimize("]
                .iter()
                .any(|word| value.trim_start().starts_with(word))
        });
        if is_made || statement.starts_with("from z3 ") || statement == "import z3" {
            continue;
        }
        let statement =
            statement.strip_prefix("print(").and_then(|x| x.strip_suffix(')')).unwrap_or(statement);
        let (function, rest) = statement.split_once('(')?;
        let inner = rest.strip_suffix(')')?;
        match function.rsplit('.').next()? {
            "add" if function.contains('.') => asserted.extend(listed(inner)),
            "check" | "model" if function.contains('.') && inner.is_empty() => is_asked = true,
            "maximize" | "minimize" if function.contains('.') && optimum.is_none() => {
                optimum = Some(inner);
            }
            "solve" => {
                asserted.extend(listed(inner));
                is_asked = true;
            }
            "prove" if proved.is_none() => proved = Some(inner),
            _ => return None,
        }
    }
    match (proved, asserted.is_empty()) {
        (Some(claim), true) => Some(format!("prove {}", plain(claim)?)),
        // `solve(x**2 - 4, x)` of SymPy has a second argument that is not a condition.
        (None, false) if optimum.is_some() => {
            let all: Option<Vec<String>> = asserted.iter().map(|claim| plain(claim)).collect();
            Some(format!("range {} where {}", optimum?, all?.join(", ")))
        }
        (None, false) if is_asked && asserted.iter().all(|claim| is_condition(claim)) => {
            let all: Option<Vec<String>> = asserted.iter().map(|claim| plain(claim)).collect();
            Some(format!("solve {}", all?.join(", ")))
        }
        _ => None,
    }
}

fn is_condition(claim: &str) -> bool {
    claim.contains(['<', '>', '=']) || CALLS.iter().any(|call| claim.starts_with(call))
}

/// Returns a formula with operators in place of calls.
fn plain(text: &str) -> Option<String> {
    let mut text = text.trim().to_owned();
    for _ in 0..MAX_CALLS {
        let found = CALLS.iter().filter_map(|call| {
            let at = text.rfind(&format!("{call}("))?;
            let is_whole = !text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
            is_whole.then_some((at, *call))
        });
        // The last call contains no other.
        let Some((at, call)) = found.max() else {
            return Some(text);
        };
        let open = at + call.len();
        let close = open + closing(&text[open..])?;
        let list = listed(&text[open + 1..close]);
        let new = match (call, &list[..]) {
            ("ForAll", [_, claim]) => format!("({claim})"),
            ("Implies", [premise, claim]) => format!("(not ({premise}) or ({claim}))"),
            ("And", [_, ..]) => format!("(({}))", list.join(") and (")),
            ("Or", [_, ..]) => format!("(({}))", list.join(") or (")),
            ("Not", [claim]) => format!("(not ({claim}))"),
            _ => return None,
        };
        // A nested quantifier has a weaker meaning.
        if call == "ForAll" && (at > 0 || close + 1 < text.len()) {
            return None;
        }
        text.replace_range(at..=close, &new);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_lines() {
        for (text, expected) in [
            (
                "prove(ForAll([x], Implies(x >= 0, x / 4 * 4 <= x)))",
                Some("prove ((not (x >= 0) or (x / 4 * 4 <= x)))"),
            ),
            (
                "x, y = Ints('x y'); s = Solver(); s.add(x % 4 == 3, Or(y == x / 4, y > x)); print(s.check())",
                Some("solve x % 4 == 3, ((y == x / 4) or (y > x))"),
            ),
            (
                "o = Optimize(); o.add(x >= 0, x <= 10); o.maximize(x * 3 - 1)",
                Some("range x * 3 - 1 where x >= 0, x <= 10"),
            ),
            ("solve(x > 3, x < 5)", Some("solve x > 3, x < 5")),
            ("x = Int('x'); solve(x > 3, x < 5)", Some("solve x > 3, x < 5")),
            ("prove(Not(And(x > 3, x < 4)))", Some("prove (not (((x > 3) and (x < 4))))")),
            // A nested quantifier, no query, and no claim.
            ("prove(Not(ForAll([x], x > 3)))", None),
            ("x = Int('x'); s = Solver(); s.add(x > 3)", None),
            ("And(x > 3, x < 4)", Some("prove ((x > 3) and (x < 4))")),
            (
                "Implies(Eq(Mod(x, 8), 0), Eq(Mod(4*x, 32), 0))",
                Some("prove (not (Eq(Mod(x, 8), 0)) or (Eq(Mod(4*x, 32), 0)))"),
            ),
            ("solve(x**2 - 4, x)", None),
            ("solve(Eq(2*x, 6), x)", None),
            ("x = 3; y = x", None),
        ] {
            assert_eq!(line(text).as_deref(), expected, "{text}");
        }
    }
}
