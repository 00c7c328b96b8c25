//! LaTeX: a displayed formula, with amsmath.

use super::function::Emitted;
use affinor_maps::expr::{Divisor, Expr, ExprKind, IndexingMap};
use affinor_maps::num::{Interval, MINUS_INFINITY, PLUS_INFINITY};
use affinor_maps::text::Error;

/// The precedence of a formula.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Sum,
    /// `x \bmod c`
    Mod,
    Product,
    Atom,
}

/// Writes a formula.
///
/// # Errors
/// None.
pub fn latex(map: &IndexingMap, name: &str) -> Result<Emitted, Error> {
    let variables = map.domain().variables();
    let names: Vec<String> = variables.iter().map(|variable| symbol(&variable.name)).collect();
    let results: Vec<String> =
        map.results().iter().map(|result| written(result, &names).0).collect();
    let results = match results.as_slice() {
        [result] => result.clone(),
        results => format!("({})", results.join(",\\; ")),
    };
    let name = symbol(name);
    let mut code = format!("\\[\n\\begin{{aligned}}\n{name}({}) &= {results}", names.join(", "));
    if map.domain().is_known_empty() {
        code += " \\\\\n\\text{nowhere}";
    } else {
        let bounds = map.domain().intervals().zip(&names);
        let bounds = bounds.map(|(bounds, name)| within(name, bounds));
        let constraints = map.domain().constraints().iter();
        let constraints = constraints
            .map(|constraint| within(&written(&constraint.expr, &names).0, constraint.bounds));
        for (index, condition) in bounds.chain(constraints).enumerate() {
            let word = if index == 0 { "\\text{for}\\quad " } else { "" };
            code += &format!(" \\\\\n{word}& {condition}");
        }
    }
    code += "\n\\end{aligned}\n\\]\n";
    Ok(Emitted { name, arguments: names, code })
}

/// Writes the symbol of a variable: `d0` becomes `d_{0}`, `tile_x` becomes `\mathit{tile\_x}`.
fn symbol(name: &str) -> String {
    let letters = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let (letters, digits) = match letters {
        "" => (name, ""),
        letters => (letters, &name[letters.len()..]),
    };
    let base = match letters.chars().count() {
        1 if letters != "_" => letters.to_owned(),
        _ => format!("\\mathit{{{}}}", letters.replace('_', "\\_")),
    };
    match digits {
        "" => base,
        digits => format!("{base}_{{{digits}}}"),
    }
}

fn within(formula: &str, bounds: Interval) -> String {
    match (bounds.lo(), bounds.hi()) {
        (MINUS_INFINITY, PLUS_INFINITY) => format!("{formula} \\in \\mathbb{{Z}}"),
        (MINUS_INFINITY, hi) => format!("{formula} \\le {hi}"),
        (lo, PLUS_INFINITY) => format!("{formula} \\ge {lo}"),
        (lo, hi) if lo == hi => format!("{formula} = {lo}"),
        (lo, hi) => format!("{lo} \\le {formula} \\le {hi}"),
    }
}

fn at(expr: &Expr, names: &[String], level: Level) -> String {
    match written(expr, names) {
        (text, own) if own >= level => text,
        (text, _) => format!("({text})"),
    }
}

fn divisor_text(divisor: &Divisor, names: &[String], level: Level) -> String {
    match divisor {
        Divisor::Integer(value) => value.to_string(),
        Divisor::Named(expr) => at(expr, names, level),
    }
}

fn written(expr: &Expr, names: &[String]) -> (String, Level) {
    let quotient = |side: &str, x: &Expr, divisor: &Divisor| {
        let (x, divisor) = (at(x, names, Level::Sum), divisor_text(divisor, names, Level::Sum));
        let text = format!("\\left\\l{side} \\frac{{{x}}}{{{divisor}}} \\right\\r{side}");
        (text, Level::Atom)
    };
    let call = |word: &str, list: &[Expr]| {
        let list: Vec<String> = list.iter().map(|x| at(x, names, Level::Sum)).collect();
        (format!("\\{word}({})", list.join(", ")), Level::Atom)
    };
    match expr.kind() {
        ExprKind::Constant(value) => {
            let level = if *value < 0 { Level::Sum } else { Level::Atom };
            (value.to_string(), level)
        }
        ExprKind::Variable(id) => (names[id.index()].clone(), Level::Atom),
        ExprKind::Sum(sum) => {
            let mut text = String::new();
            for (index, (coefficient, x)) in sum.terms().iter().enumerate() {
                text += match (index, *coefficient < 0) {
                    (0, true) => "-",
                    (0, false) => "",
                    (_, true) => " - ",
                    (_, false) => " + ",
                };
                text += &match coefficient.unsigned_abs() {
                    1 => at(x, names, Level::Product),
                    factor => format!("{factor}\\,{}", at(x, names, Level::Product)),
                };
            }
            match sum.constant() {
                0 if sum.terms().len() == 1 && sum.terms()[0].0 > 0 => {
                    return (text, Level::Product);
                }
                0 => {}
                constant if constant < 0 => text += &format!(" - {}", constant.unsigned_abs()),
                constant => text += &format!(" + {constant}"),
            }
            (text, Level::Sum)
        }
        ExprKind::Product(list) => {
            let list: Vec<String> = list.iter().map(|x| at(x, names, Level::Product)).collect();
            (list.join("\\,"), Level::Product)
        }
        ExprKind::FloorDiv(x, divisor) => quotient("floor", x, divisor),
        ExprKind::CeilDiv(x, divisor) => quotient("ceil", x, divisor),
        ExprKind::Mod(x, divisor) => {
            let (x, divisor) =
                (at(x, names, Level::Product), divisor_text(divisor, names, Level::Atom));
            (format!("{x} \\bmod {divisor}"), Level::Mod)
        }
        ExprKind::Min(list) => call("min", list),
        ExprKind::Max(list) => call("max", list),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use affinor_maps::text::parse_map;

    #[track_caller]
    fn check(map: &str, expected: &str) {
        let found = latex(&parse_map(map).unwrap(), "f").unwrap().code;
        let inner = found.strip_prefix("\\[\n\\begin{aligned}\n").unwrap();
        assert_eq!(inner.strip_suffix("\n\\end{aligned}\n\\]\n").unwrap(), expected);
    }

    #[test]
    fn formulas_read_as_mathematics() {
        check(
            "(d0) -> (d0 floordiv 4, -d0 ceildiv 3), domain: d0 in [0, 9]",
            "f(d_{0}) &= (\\left\\lfloor \\frac{d_{0}}{4} \\right\\rfloor,\\; \\left\\lceil \\frac{-d_{0}}{3} \\right\\rceil) \\\\\n\
             \\text{for}\\quad & 0 \\le d_{0} \\le 9",
        );
        check(
            "<n>(row)[s0]{rt1} -> (n * (row mod 8) - 2 * min(row, s0) + 1), domain: n in [1, inf], row in [-inf, 3], s0 in [2, 2], \
             rt1 in [-inf, inf], row + s0 in [0, 7]",
            "f(\\mathit{row}, s_{0}, \\mathit{rt}_{1}, n) &= n\\,(\\mathit{row} \\bmod 8) - 2\\,\\min(\\mathit{row}, s_{0}) + 1 \\\\\n\
             \\text{for}\\quad & \\mathit{row} \\le 3 \\\\\n& s_{0} = 2 \\\\\n& \\mathit{rt}_{1} \\in \\mathbb{Z} \\\\\n& n \\ge 1 \\\\\n\
             & 0 \\le \\mathit{row} + s_{0} \\le 7",
        );
        check(
            "(a_b) -> ((a_b * 2 + 1) mod 4 mod 3, -(a_b mod 2)), domain: empty",
            "f(\\mathit{a\\_b}) &= (((2\\,\\mathit{a\\_b} + 1) \\bmod 4) \\bmod 3,\\; -(\\mathit{a\\_b} \\bmod 2)) \\\\\n\\text{nowhere}",
        );
    }
}
