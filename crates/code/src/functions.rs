//! The functions that code calls: built-ins of Python and C, and functions of Triton, NumPy, JAX, PyTorch, SymPy, TVM and
//! CUTLASS.
//!
//! Each row has the libraries in which a function is spelt so, and the names of its parameters, which keyword arguments are matched with.
//! One name may be a reduction along an axis in one library (`np.min`) and an operation on two values in another (`T.min`), so
//! the prefix of a name matters.

use super::types::Type;

/// The meaning of a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Meaning {
    Min,
    Max,
    /// A division of the first operand by the second.
    Divide(Division),
    /// `ModularIndexing(x, c, d)` of Inductor: `(x // c) % d`
    Digit,
    /// The multiple of the second operand at or next to the first, above or below it.
    Multiple(Division),
    /// `where(c, a, b)`
    Choose,
    /// `clamp(x, lo, hi)`
    Clamp,
    /// `clamp(lo, x, hi)`
    ClampBetween,
    Abs,
    /// The first operand itself.
    Same,
    /// The second operand itself, whose range is given by the first: an axis of TVM.
    Axis,
    /// A quotient `x / y`, rounded to an integer; any other operand is unchanged.
    Round(Division),
    Compare(&'static str),
    And,
    Or,
    Not,
    /// A conversion to a type of C.
    Convert(Type),
    /// A new variable: `arange(0, n)`
    Range,
    /// The index of a block along an axis, or the number of blocks.
    Block,
}

/// How a division rounds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Division {
    Floor,
    Ceil,
    Mod,
    /// Toward zero, as in C.
    Truncate,
    /// The remainder of the division toward zero.
    Rest,
}

/// A row of the table.
#[derive(Debug)]
pub struct Function {
    /// The prefixes under which the function is called; "" means no prefix.
    libraries: &'static [&'static str],
    names: &'static [&'static str],
    /// The accepted names of each parameter. A last `*` is any number of further operands.
    pub parameters: &'static [&'static [&'static str]],
    /// The minimal number of operands.
    pub least: usize,
    pub meaning: Meaning,
}

const BARE: &[&str] = &["", "builtins"];
const C: &[&str] = &["", "std", "cuda::std", "cute", "cutlass"];
const TRITON: &[&str] = &["tl", "triton", "triton.language", "tl.math", "tl.extra"];
const NUMPY: &[&str] = &["np", "numpy", "jnp", "jax.numpy", "cp"];
const LAX: &[&str] = &["lax", "jax.lax"];
const PALLAS: &[&str] = &["pl", "pallas"];
const TVM: &[&str] = &["T", "tir", "tvm.tir", "te", "tvm.te"];
const AXIS: &[&str] = &["T.axis", "tir.axis"];
const SYMPY: &[&str] = &["", "sympy", "sp", "torch.utils._sympy.functions"];
const ANY: &[&str] = &["*"];

macro_rules! parameters {
    ($($($name:literal)|+),*) => { &[$(&[$($name),+]),*] };
}

macro_rules! functions {
    ($($library:ident: $($name:literal)|+, ($($parameters:tt)*), $least:literal => $meaning:expr;)*) => {
        &[$(Function {
            libraries: $library,
            names: &[$($name),+],
            parameters: parameters!($($parameters)*),
            least: $least,
            meaning: $meaning,
        }),*]
    };
}

use Division::{Ceil, Floor, Mod, Rest, Truncate};
use Meaning::{
    Abs, And, Axis, Block, Choose, Clamp, ClampBetween, Compare, Convert, Digit, Divide, Max, Min,
    Multiple, Not, Or, Range, Round, Same,
};

/// All functions. The first row that matches library and name applies.
const FUNCTIONS: &[Function] = functions! {
    BARE: "min", ("a", "b", "*"), 2 => Min;
    BARE: "max", ("a", "b", "*"), 2 => Max;
    C: "min" | "umin" | "fmin" | "imin", ("a", "b"), 2 => Min;
    C: "max" | "umax" | "fmax" | "imax", ("a", "b"), 2 => Max;
    TVM: "min", ("a", "b"), 2 => Min;
    TVM: "max", ("a", "b"), 2 => Max;
    LAX: "min", ("x", "y"), 2 => Min;
    LAX: "max", ("x", "y"), 2 => Max;
    SYMPY: "Min", ("a", "b", "*"), 2 => Min;
    SYMPY: "Max", ("a", "b", "*"), 2 => Max;
    TRITON: "minimum", ("x", "y"), 2 => Min;
    TRITON: "maximum", ("x", "y"), 2 => Max;
    ANY: "minimum", ("x1" | "x" | "input", "x2" | "y" | "other"), 2 => Min;
    ANY: "maximum", ("x1" | "x" | "input", "x2" | "y" | "other"), 2 => Max;
    TVM: "ceildiv", ("lhs" | "a", "rhs" | "b"), 2 => Divide(Ceil);
    TRITON: "cdiv", ("x", "div" | "y"), 2 => Divide(Ceil);
    ANY: "cdiv" | "ceildiv" | "ceil_div" | "ceilDiv" | "CeilDiv" | "CEIL_DIV" | "ceilDivide" | "div_up" | "divUp"
        | "div_ceil" | "DIVUP" | "DivUp" | "round_up_div",
        ("a" | "x" | "base" | "numerator" | "lhs", "b" | "y" | "div" | "divisor" | "denominator" | "rhs"), 2 => Divide(Ceil);
    ANY: "align_up" | "alignUp" | "AlignUp" | "ALIGN_UP" | "align_to" | "alignTo" | "round_up" | "roundUp" | "RoundUp"
        | "ROUND_UP" | "round_up_to" | "RoundUpTo" | "roundUpTo" | "round_up_to_multiple" | "next_multiple_of",
        ("a" | "x" | "value" | "n", "b" | "y" | "multiple" | "align" | "alignment"), 2 => Multiple(Ceil);
    ANY: "align_down" | "alignDown" | "AlignDown" | "ALIGN_DOWN" | "round_down" | "roundDown" | "RoundDown"
        | "ROUND_DOWN" | "round_down_to" | "RoundDownTo" | "roundDownTo" | "round_down_to_multiple",
        ("a" | "x" | "value" | "n", "b" | "y" | "multiple" | "align" | "alignment"), 2 => Multiple(Floor);
    SYMPY: "FloorDiv" | "CleanDiv", ("base", "divisor"), 2 => Divide(Floor);
    NUMPY: "floor_divide", ("x1", "x2"), 2 => Divide(Floor);
    ANY: "floordiv" | "floor_div" | "floorDiv" | "floor_divide" | "indexdiv",
        ("a" | "x" | "input", "b" | "y" | "other"), 2 => Divide(Floor);
    SYMPY: "Mod" | "PythonMod", ("p", "q"), 2 => Divide(Mod);
    SYMPY: "ModularIndexing", ("base", "divisor", "modulus"), 3 => Digit;
    NUMPY: "mod" | "remainder", ("x1", "x2"), 2 => Divide(Mod);
    NUMPY: "fmod", ("x1", "x2"), 2 => Divide(Rest);
    ANY: "mod" | "floormod" | "floorMod" | "floor_mod" | "indexmod", ("a" | "x", "b" | "y"), 2 => Divide(Mod);
    TVM: "truncdiv" | "div", ("a", "b"), 2 => Divide(Truncate);
    TVM: "truncmod", ("a", "b"), 2 => Divide(Rest);
    ANY: "truncdiv" | "trunc_div" | "truncDiv", ("a" | "x", "b" | "y"), 2 => Divide(Truncate);
    ANY: "truncmod" | "trunc_mod" | "truncMod", ("a" | "x", "b" | "y"), 2 => Divide(Rest);
    LAX: "div", ("x", "y"), 2 => Divide(Truncate);
    LAX: "rem", ("x", "y"), 2 => Divide(Rest);
    TORCH: "remainder", ("input", "other"), 2 => Divide(Mod);
    TORCH: "fmod", ("input", "other"), 2 => Divide(Rest);
    NUMPY: "where", ("condition", "x", "y"), 3 => Choose;
    TORCH: "where", ("condition", "input", "other"), 3 => Choose;
    LAX: "select", ("pred", "on_true", "on_false"), 3 => Choose;
    TVM: "Select" | "if_then_else", ("condition" | "cond", "true_value" | "t", "false_value" | "f"), 3 => Choose;
    BARE: "select", ("condition", "true_value", "false_value"), 3 => Choose;
    SYMPY: "Where", ("c", "p", "q"), 3 => Choose;
    ANY: "where", ("condition" | "c" | "cond", "x" | "a", "y" | "b"), 3 => Choose;
    LAX: "clamp", ("min", "x", "max"), 3 => ClampBetween;
    NUMPY: "clip", ("a" | "arr", "a_min" | "min", "a_max" | "max"), 3 => Clamp;
    TORCH: "clamp" | "clip", ("input", "min", "max"), 3 => Clamp;
    C: "clamp", ("v" | "x", "lo" | "min" | "low", "hi" | "max" | "high"), 3 => Clamp;
    ANY: "clamp" | "clip", ("x", "min", "max"), 3 => Clamp;
    ANY: "abs" | "Abs" | "absolute" | "labs" | "llabs", ("x" | "arg" | "input"), 1 => Abs;
    BARE: "int", ("x"), 1 => Round(Truncate);
    ANY: "floor", ("x" | "arg"), 1 => Round(Floor);
    ANY: "ceil" | "ceiling", ("x" | "arg"), 1 => Round(Ceil);
    ANY: "trunc", ("x" | "arg"), 1 => Round(Truncate);
    BARE: "bool", ("x"), 1 => Convert(Type::Bool);
    ANY: "int32" | "int64" | "index" | "to_int" | "Identity", ("x" | "arg"), 1 => Same;
    TRITON: "multiple_of" | "max_contiguous", ("input", "values"), 2 => Same;
    AXIS: "spatial" | "reduce" | "scan" | "opaque" | "S" | "R", ("dom", "value"), 2 => Axis;
    SYMPY: "Eq", ("lhs", "rhs"), 2 => Compare("==");
    SYMPY: "Ne", ("lhs", "rhs"), 2 => Compare("!=");
    SYMPY: "Lt", ("lhs", "rhs"), 2 => Compare("<");
    SYMPY: "Le", ("lhs", "rhs"), 2 => Compare("<=");
    SYMPY: "Gt", ("lhs", "rhs"), 2 => Compare(">");
    SYMPY: "Ge", ("lhs", "rhs"), 2 => Compare(">=");
    SYMPY: "And", ("a", "b"), 2 => And;
    SYMPY: "Or", ("a", "b"), 2 => Or;
    SYMPY: "Not", ("arg"), 1 => Not;
    ANY: "logical_and", ("x1" | "input" | "x", "x2" | "other" | "y"), 2 => And;
    ANY: "logical_or", ("x1" | "input" | "x", "x2" | "other" | "y"), 2 => Or;
    ANY: "logical_not", ("x" | "input"), 1 => Not;
    TRITON: "arange", ("start", "end"), 2 => Range;
    ANY: "arange", ("start", "stop"), 1 => Range;
    TRITON: "program_id" | "num_programs", ("axis"), 1 => Block;
    PALLAS: "program_id" | "num_programs", ("axis"), 1 => Block;
    ANY: "program_id" | "num_programs", ("axis"), 1 => Block;
};

const TORCH: &[&str] = &["torch", "torch.Tensor"];

/// Splits a name into its library and the name within the library: `std::min` is `min` of `std`.
fn split(name: &str) -> (&str, &str) {
    let last = name.rsplit(['.', ':']).next().unwrap_or(name);
    let library = name.strip_suffix(last).unwrap_or("");
    (library.trim_end_matches(['.', ':']), last)
}

/// Returns the function of this name.
#[must_use]
pub fn function(name: &str) -> Option<&'static Function> {
    let (library, last) = split(name);
    let is_here = |list: &[&str]| list.contains(&library) || list == ANY;
    let mut named = FUNCTIONS.iter().filter(|row| row.names.contains(&last));
    named.find(|row| is_here(row.libraries))
}

/// Returns the name in the table that matches the last part of `name` up to case and underscores, unless it is `name` itself.
#[must_use]
pub fn nearest(name: &str) -> Option<&'static str> {
    let (_, last) = split(name);
    let folded = |name: &str| name.replace('_', "").to_lowercase();
    let names = FUNCTIONS.iter().flat_map(|row| row.names);
    names.copied().find(|other| folded(other) == folded(last) && *other != name)
}

impl Function {
    /// Returns whether the function takes any number of operands.
    #[must_use]
    pub fn is_variadic(&self) -> bool {
        self.parameters.last() == Some(&&["*"][..])
    }

    /// Returns the maximal number of operands; `None` if it is unlimited.
    #[must_use]
    pub fn most(&self) -> Option<usize> {
        (!self.is_variadic()).then_some(self.parameters.len())
    }

    /// Returns the signature for messages: `clamp(x, min, max)`
    #[must_use]
    pub fn signature(&self, name: &str) -> String {
        let parameters = self.parameters.iter().map(|names| match names[0] {
            "*" => "..",
            first => first,
        });
        format!("{name}({})", parameters.collect::<Vec<_>>().join(", "))
    }

    /// Returns the position of the parameter called `keyword`; `None` if the function has no such parameter or is variadic.
    #[must_use]
    pub fn place(&self, keyword: &str) -> Option<usize> {
        let is_it = |names: &&[&str]| names.contains(&keyword);
        (!self.is_variadic()).then(|| self.parameters.iter().position(is_it))?
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, expected: Option<(Meaning, &str)>) {
        let found = function(name).map(|row| (row.meaning, row.signature(name)));
        let found = found.as_ref().map(|(meaning, text)| (*meaning, &**text));
        assert_eq!(found, expected, "{name}");
    }

    #[test]
    fn a_function_is_one_of_its_library() {
        check("min", Some((Min, "min(a, b, ..)")));
        check("std::min", Some((Min, "std::min(a, b)")));
        check("T.min", Some((Min, "T.min(a, b)")));
        check("np.min", None); // along an axis
        check("tl.min", None);
        check("tl.cdiv", Some((Divide(Ceil), "tl.cdiv(x, div)")));
        check("tl.clamp", Some((Clamp, "tl.clamp(x, min, max)")));
        check("jax.lax.clamp", Some((ClampBetween, "jax.lax.clamp(min, x, max)")));
        check("np.clip", Some((Clamp, "np.clip(a, a_min, a_max)")));
        check("lax.rem", Some((Divide(Rest), "lax.rem(x, y)")));
        check("remainder", None); // rounds to the nearest in C
        check("T.axis.reduce", Some((Axis, "T.axis.reduce(dom, value)")));
        check("select", Some((Choose, "select(condition, true_value, false_value)")));
        check("jnp.select", None); // takes lists
        check("int", Some((Round(Truncate), "int(x)")));
        check("round_up", Some((Multiple(Ceil), "round_up(a, b)")));
        check("llvm::alignDown", Some((Multiple(Floor), "llvm::alignDown(a, b)")));
        check("round_to_multiple", None); // the nearest
        check("sum", None);
        assert_eq!(nearest("Clamp"), Some("clamp"));
        assert_eq!(nearest("tl.min"), Some("min"));
        assert_eq!(nearest("sum"), None);
    }
}
