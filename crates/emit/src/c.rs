//! C, and CUDA, which has the same text with other keywords before its functions.
//!
//! Law: at every point of the domain each result is the map's, if it fits in 64 bits. `/` and `%` are used if nothing is
//! negative; otherwise small functions round as the map does. A part that may exceed 64 bits is an `__int128`.

use super::function::{Emitted, Function, Line, outside};
use super::names::{self, C, CUDA};
use super::powers::with_powers;
use super::write::{About, Division, Level, Notation, Written, pairwise};
use affinor_maps::expr::IndexingMap;
use affinor_maps::text::Error;

struct Words {
    /// The keywords before each function.
    function: &'static str,
    reserved: &'static [&'static [&'static str]],
}

const IN_C: Words = Words { function: "static inline", reserved: &[C] };

const IN_CUDA: Words =
    Words { function: "__host__ __device__ static inline", reserved: &[C, CUDA] };

/// Small functions: name, the expression over `a` and `b` that is returned, and a comment.
const HELPERS: &[(&str, &str, &str)] = &[
    ("floordiv", "a / b - (a % b < 0)", "Rounds down; b is positive."),
    ("ceildiv", "a / b + (a % b > 0)", "Rounds up; b is positive."),
    ("mod", "a % b + (a % b < 0 ? b : 0)", "In [0, b); b is positive."),
    ("min", "a < b ? a : b", ""),
    ("max", "a > b ? a : b", ""),
];

/// Writes code in C.
///
/// # Errors
/// If a value may need more than 128 bits.
pub fn c(map: &IndexingMap, name: &str) -> Result<Emitted, Error> {
    emit(map, name, &IN_C)
}

/// Writes code in CUDA, for host and device.
///
/// # Errors
/// If a value may need more than 128 bits.
pub fn cuda(map: &IndexingMap, name: &str) -> Result<Emitted, Error> {
    emit(map, name, &IN_CUDA)
}

fn emit(map: &IndexingMap, name: &str, words: &Words) -> Result<Emitted, Error> {
    let map = &with_powers(map);
    let function = Function::new(map, name, words.reserved, 128)?;
    let names = &function.names.variables;
    let mut arguments: Vec<String> = names.iter().map(|name| format!("int64_t {name}")).collect();
    let listed = |arguments: &[String]| match arguments {
        [] => "void".to_owned(),
        arguments => arguments.join(", "),
    };

    let mut body = String::from("\n/* Whether the point is in the domain. */\n");
    body += &format!("{} bool {}({}) {{\n", words.function, function.contains, listed(&arguments));
    match function.domain(&Syntax) {
        None => body += "  return false;\n}\n",
        Some(lines) => {
            body += &lines.iter().map(line).collect::<String>();
            body += "  return true;\n}\n";
        }
    }
    if map.results().is_empty() {
        body += "\n/* The map has no results. */\n";
    } else {
        let (lines, results) = function.results(&Syntax);
        let lines: String = lines.iter().map(line).collect();
        let values = results.into_iter().map(|(value, wide)| match wide {
            true => Syntax.narrow(value).text,
            false => value.text,
        });
        let values: Vec<String> = values.collect();
        if let [value] = values.as_slice() {
            body += "\n/* The result at a point of the domain. */\n";
            body += &format!(
                "{} int64_t {}({}) {{\n",
                words.function,
                function.name,
                listed(&arguments)
            );
            body += &format!("{lines}  return {value};\n}}\n");
        } else {
            let out = names::fresh_beside(names, "out");
            arguments.push(format!("int64_t {out}[{}]", values.len()));
            body += "\n/* The results at a point of the domain. */\n";
            body += &format!(
                "{} void {}({}) {{\n{lines}",
                words.function,
                function.name,
                listed(&arguments)
            );
            for (index, value) in values.iter().enumerate() {
                body += &format!("  {out}[{index}] = {value};\n");
            }
            body += "}\n";
        }
    }

    let mut code = String::new();
    for text in function.comment() {
        code += &format!("// {text}\n");
    }
    if body.contains("__int128") || body.contains("_wide(") {
        code += "// Some values may exceed 64 bits; these are of type __int128.\n";
    }
    if function.may_overflow() {
        code += "// If a result does not fit in 64 bits, the map has no value, and the returned value is meaningless.\n";
    }
    code += "#include <stdbool.h>\n#include <stdint.h>\n";
    for (wide, suffix) in [("int64_t", ""), ("__int128", "_wide")] {
        for (helper, value, purpose) in HELPERS {
            let called = format!("affinor_{helper}{suffix}");
            if body.contains(&format!("{called}(")) {
                let guard = called.to_uppercase();
                let said =
                    if purpose.is_empty() { String::new() } else { format!("/* {purpose} */\n") };
                code += &format!(
                    "\n#ifndef {guard}\n#define {guard}\n{said}{} {wide} {called}({wide} a, {wide} b) {{\n  return {value};\n}}\n#endif\n",
                    words.function
                );
            }
        }
    }
    code += &body;
    Ok(Emitted::new(&function, code))
}

fn line(line: &Line) -> String {
    match line {
        Line::Local(name, value, wide) => {
            let word = if *wide { "__int128" } else { "int64_t" };
            format!("  const {word} {name} = {};\n", value.text)
        }
        Line::Positive(divisor) => format!("  if ({} < 1) return false;\n", divisor.text),
        Line::Within(value, bounds) => {
            let outside = outside(value, *bounds, |number| Syntax.number(number).text);
            format!("  if ({}) return false;\n", outside.join(" || "))
        }
    }
}

struct Syntax;

impl Notation for Syntax {
    fn number(&self, value: i64) -> Written {
        match value {
            // C has no negative literals, and the magnitude of this value is too large for a literal.
            i64::MIN => Written::atom("INT64_MIN"),
            value if value < 0 => Written::new(value.to_string(), Level::Sign),
            value => Written::atom(value.to_string()),
        }
    }

    fn divide(&self, division: Division, x: Written, divisor: Written, about: About) -> Written {
        let plain = match division {
            Division::Floor => "/",
            Division::Mod => "%",
            Division::Ceil => "",
        };
        if about.natural && !plain.is_empty() {
            let text = format!("{} {plain} {}", x.at(Level::Product), divisor.at(Level::Sign));
            return Written::new(text, Level::Product);
        }
        let helper = match division {
            Division::Floor => "floordiv",
            Division::Ceil => "ceildiv",
            Division::Mod => "mod",
        };
        let suffix = if about.wide { "_wide" } else { "" };
        Written::atom(format!("affinor_{helper}{suffix}({}, {})", x.text, divisor.text))
    }

    fn choose(&self, word: &'static str, operands: Vec<Written>, about: About) -> Written {
        let suffix = if about.wide { "_wide" } else { "" };
        pairwise(&format!("affinor_{word}{suffix}"), operands)
    }

    fn widen(&self, x: Written) -> Written {
        Written::new(format!("(__int128){}", x.at(Level::Sign)), Level::Sign)
    }

    fn narrow(&self, x: Written) -> Written {
        Written::new(format!("(int64_t){}", x.at(Level::Atom)), Level::Sign)
    }
}
