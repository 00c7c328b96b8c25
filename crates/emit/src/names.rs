//! Names of variables as identifiers of a language.
//!
//! Law: an ASCII name that the language does not reserve stays as it is; every other is changed by its own text alone, and then
//! gets `_` at its end until no other name is like it. Letters outside ASCII become `u` and their code point.

use affinor_maps::expr::Domain;
use std::collections::BTreeSet;

/// Reserved words of C, C++ and their headers, and macros of compilers: code for C compiles as C++, too.
pub const C: &[&str] = &[
    "INT64_C",
    "INT64_MAX",
    "INT64_MIN",
    "NULL",
    "alignas",
    "alignof",
    "and",
    "and_eq",
    "asm",
    "auto",
    "bitand",
    "bitor",
    "bool",
    "break",
    "case",
    "catch",
    "char",
    "char16_t",
    "char32_t",
    "char8_t",
    "class",
    "co_await",
    "co_return",
    "co_yield",
    "compl",
    "concept",
    "const",
    "const_cast",
    "consteval",
    "constexpr",
    "constinit",
    "continue",
    "decltype",
    "default",
    "delete",
    "do",
    "double",
    "dynamic_cast",
    "else",
    "enum",
    "explicit",
    "export",
    "extern",
    "false",
    "float",
    "for",
    "friend",
    "goto",
    "i386",
    "if",
    "inline",
    "int",
    "int16_t",
    "int32_t",
    "int64_t",
    "int8_t",
    "linux",
    "long",
    "main",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "not_eq",
    "nullptr",
    "operator",
    "or",
    "or_eq",
    "private",
    "protected",
    "public",
    "register",
    "reinterpret_cast",
    "requires",
    "restrict",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "static_assert",
    "static_cast",
    "struct",
    "switch",
    "template",
    "this",
    "thread_local",
    "throw",
    "true",
    "try",
    "typedef",
    "typeid",
    "typename",
    "typeof",
    "typeof_unqual",
    "uint16_t",
    "uint32_t",
    "uint64_t",
    "uint8_t",
    "union",
    "unix",
    "unsigned",
    "using",
    "virtual",
    "void",
    "volatile",
    "wchar_t",
    "while",
    "xor",
    "xor_eq",
];

/// Reserved words that CUDA adds.
pub const CUDA: &[&str] =
    &["blockDim", "blockIdx", "gridDim", "max", "min", "threadIdx", "warpSize"];

/// Reserved words of Python, and the functions that are called.
pub const PYTHON: &[&str] = &[
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "case", "class",
    "continue", "def", "del", "elif", "else", "except", "finally", "for", "from", "global", "if",
    "import", "in", "is", "lambda", "match", "max", "min", "nonlocal", "not", "or", "pass",
    "raise", "return", "try", "type", "while", "with", "yield",
];

/// Reserved words that Triton adds.
pub const TRITON: &[&str] = &["tl", "triton"];

/// Reserved words of isl's notation.
pub const ISL: &[&str] = &[
    "NaN", "and", "ceil", "ceild", "else", "exists", "false", "floor", "floord", "if", "implies",
    "infinity", "infty", "max", "min", "mod", "not", "or", "rat", "then", "true",
];

/// The identifiers of a function and of the variables of its map.
#[derive(Debug)]
pub struct Names {
    /// One for each variable, in order.
    pub variables: Vec<String>,
    used: BTreeSet<String>,
}

impl Names {
    /// Creates names for the variables of `domain`: none is reserved, or in `taken`.
    #[must_use]
    pub fn new(domain: &Domain, reserved: &[&[&str]], taken: &[String]) -> Names {
        let words = reserved.iter().flat_map(|list| list.iter());
        let mut used: BTreeSet<String> = words.map(|word| (*word).to_owned()).collect();
        used.extend(taken.iter().cloned());
        // Unchanged names come first: `int_` stays if `int` has to change.
        let variables = domain.variables();
        let stays: Vec<bool> = variables
            .iter()
            .map(|variable| {
                plain(&variable.name) == *variable.name && used.insert(variable.name.to_string())
            })
            .collect();
        let names = variables.iter().zip(stays).map(|(variable, stays)| match stays {
            true => variable.name.to_string(),
            false => free(&plain(&variable.name), &mut used),
        });
        let variables = names.collect();
        Names { variables, used }
    }

    /// Excludes this name from further names.
    pub fn take(&mut self, name: &str) {
        self.used.insert(name.to_owned());
    }

    /// Returns a new name for another value, such as `t0`.
    pub fn fresh(&mut self, stem: &str) -> String {
        free(stem, &mut self.used)
    }
}

/// Returns the name of the function: as given, unless it is reserved.
#[must_use]
pub fn function(name: &str, reserved: &[&[&str]]) -> String {
    let words = reserved.iter().flat_map(|list| list.iter());
    let mut used = words.map(|word| (*word).to_owned()).collect();
    free(&plain(name), &mut used)
}

/// Returns a name that differs from these.
#[must_use]
pub fn fresh_beside(names: &[String], stem: &str) -> String {
    let mut used = names.iter().cloned().collect();
    free(stem, &mut used)
}

fn free(name: &str, used: &mut BTreeSet<String>) -> String {
    let mut name = name.to_owned();
    while !used.insert(name.clone()) {
        name.push('_');
    }
    name
}

/// Converts a name to an ASCII identifier that is not reserved for C implementations: not `_X`, and without `__`.
fn plain(name: &str) -> String {
    let mut text = String::new();
    for letter in name.chars() {
        match letter {
            '_' if text.ends_with('_') => text.push_str("u_"),
            letter if letter.is_ascii_alphanumeric() || letter == '_' => text.push(letter),
            letter => text.push_str(&format!("u{:x}", u32::from(letter))),
        }
    }
    match text.starts_with('_') {
        true => format!("v{text}"),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use affinor_maps::text::parse_map;

    #[track_caller]
    fn check(names: &str, expected: &[&str]) {
        let map = parse_map(&format!("({names}) -> (), domain: empty")).unwrap();
        let found = Names::new(map.domain(), &[C, CUDA], &["f".to_owned()]);
        assert_eq!(found.variables, expected);
    }

    #[test]
    fn only_reserved_names_change() {
        check("d0, row, x_1", &["d0", "row", "x_1"]);
        check("int, int_, f", &["int__", "int_", "f_"]);
        check("_a, a__b, _B", &["v_a", "a_u_b", "v_B"]);
        check("é, ue9", &["ue9_", "ue9"]);
        assert_eq!(function("main", &[C]), "main_");
        assert_eq!(function("tile", &[C]), "tile");
    }
}
