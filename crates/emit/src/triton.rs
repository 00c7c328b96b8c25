//! Triton: expressions over blocks of integers, inside a kernel.
//!
//! Law: at every point of the domain each result is the map's. `//` and `%` of blocks round toward zero, so they are used on
//! their own only if nothing is negative. There are no integers beyond 64 bits: a map that may need them is refused. All lines of
//! a test of the domain are computed at every point; if a divisor is not positive, it divides by 1 instead.

use super::function::{Emitted, Function, Line};
use super::names::{PYTHON, TRITON};
use super::powers::with_powers;
use super::write::{About, Division, Level, Notation, Written, pairwise};
use affinor_maps::expr::IndexingMap;
use affinor_maps::num::{MINUS_INFINITY, PLUS_INFINITY};
use affinor_maps::text::Error;

/// Small functions: name, the expression over `a` and `b` that is returned, and a comment.
const HELPERS: &[(&str, &str, &str)] = &[
    (
        "floordiv",
        "tl.where(a % b < 0, a // b - 1, a // b)",
        "Rounds down, where `//` of blocks rounds toward zero; b is positive.",
    ),
    ("ceildiv", "tl.where(a % b > 0, a // b + 1, a // b)", "Rounds up; b is positive."),
    ("mod", "tl.where(a % b < 0, a % b + b, a % b)", "In [0, b); b is positive."),
];

/// Writes code in Triton.
///
/// # Errors
/// If a value may need more than 64 bits.
pub fn triton(map: &IndexingMap, name: &str) -> Result<Emitted, Error> {
    let map = &with_powers(map);
    let function = Function::new(map, name, &[PYTHON, TRITON], 64)?;
    let names = &function.names.variables;
    let arguments = names.join(", ");
    let is_small = function.fits(32);
    let casts: String = match is_small {
        true => String::new(),
        false => {
            names.iter().map(|name| format!("    {name} = tl.cast({name}, tl.int64)\n")).collect()
        }
    };
    let mut code = String::new();
    for text in function.comment() {
        code += &format!("# {text}\n");
    }
    code += match is_small {
        true => "# All values fit in 32 bits.\n",
        false => "# Some values may not fit in 32 bits: 64 are used.\n",
    };
    let (lines, results) = function.results(&Syntax { tests: false });
    let mut values: Vec<String> = results.into_iter().map(|(value, _)| value.text).collect();
    if values.is_empty() {
        values.push("()".to_owned());
    }
    let lines: Vec<String> = lines.iter().flat_map(line).collect();
    code += &format!("@triton.jit\ndef {}({arguments}):\n{casts}", function.name);
    code += &format!("{}    return {}\n", lines.concat(), values.join(", "));
    code += &format!("\n\n@triton.jit\ndef {}({arguments}):\n", function.contains);
    code += "    # Whether the point is in the domain: a mask.\n";
    match function.domain(&Syntax { tests: true }) {
        None => code += "    return False\n",
        Some(lines) => {
            let inside = super::names::fresh_beside(names, "inside");
            let mut text = String::new();
            let mut is_first = true;
            for part in &lines {
                for said in conditions(part) {
                    text += &match std::mem::replace(&mut is_first, false) {
                        true => format!("    {inside} = {said}\n"),
                        false => format!("    {inside} = {inside} & ({said})\n"),
                    };
                }
                text += &line(part).unwrap_or_default();
            }
            let answer = if is_first { "True" } else { &inside };
            code += &format!("{casts}{text}    return {answer}\n");
        }
    }
    let mut head = "import triton\nimport triton.language as tl\n\n\n".to_owned();
    for (helper, value, purpose) in HELPERS {
        if code.contains(&format!("affinor_{helper}(")) {
            head += &format!(
                "@triton.jit\ndef affinor_{helper}(a, b):\n    # {purpose}\n    return {value}\n\n\n"
            );
        }
    }
    Ok(Emitted::new(&function, head + &code))
}

fn line(line: &Line) -> Option<String> {
    match line {
        Line::Local(name, value, _) => Some(format!("    {name} = {}\n", value.text)),
        Line::Positive(_) | Line::Within(..) => None,
    }
}

/// Returns the conditions that a line requires.
fn conditions(line: &Line) -> Vec<String> {
    match line {
        Line::Local(..) => Vec::new(),
        Line::Positive(divisor) => vec![format!("{} >= 1", divisor.text)],
        Line::Within(value, bounds) if bounds.lo() == bounds.hi() => {
            vec![format!("{} == {}", value.text, bounds.lo())]
        }
        Line::Within(value, bounds) => {
            let lo = (bounds.lo() != MINUS_INFINITY)
                .then(|| format!("{} >= {}", value.text, bounds.lo()));
            let hi = (bounds.hi() != PLUS_INFINITY)
                .then(|| format!("{} <= {}", value.text, bounds.hi()));
            lo.into_iter().chain(hi).collect()
        }
    }
}

struct Syntax {
    /// Whether this is the test of the domain, which is computed at every point.
    tests: bool,
}

impl Notation for Syntax {
    fn divide(&self, division: Division, x: Written, divisor: Written, about: About) -> Written {
        let divisor = match about.named && self.tests {
            false => divisor,
            true => Written::atom(format!("tl.maximum({}, 1)", divisor.text)),
        };
        let plain = |sign: &str, x: Written, divisor: Written| {
            let text = format!("{} {sign} {}", x.at(Level::Product), divisor.at(Level::Atom));
            Written::new(text, Level::Product)
        };
        let helper = match (division, about.natural) {
            (Division::Floor, true) => return plain("//", x, divisor),
            (Division::Mod, true) => return plain("%", x, divisor),
            (Division::Floor, false) => "floordiv",
            (Division::Ceil, _) => "ceildiv",
            (Division::Mod, false) => "mod",
        };
        Written::atom(format!("affinor_{helper}({}, {})", x.text, divisor.text))
    }

    fn choose(&self, word: &'static str, operands: Vec<Written>, _: About) -> Written {
        pairwise(&format!("tl.{word}imum"), operands)
    }
}
