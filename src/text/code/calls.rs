//! The functions that kernel code calls, by the last part of their names: `tl.cdiv`, `std::min`; and those that expressions of
//! SymPy and PyTorch's Inductor print.

/// What a function does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Meaning {
    Min,
    Max,
    /// A division of the first operand by the second.
    Divide(Division),
    /// `ModularIndexing(x, c, d)` of Inductor: `(x // c) % d`
    Digit,
    /// `where(c, a, b)`
    Choose,
    /// `clamp(x, lo, hi)`
    Clamp,
    Abs,
    /// The operand itself.
    Same,
    And,
    Or,
    Not,
}

/// How a division rounds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Division {
    Floor,
    Ceil,
    Mod,
}

/// The meaning of the function whose name ends so.
pub fn meaning(name: &str) -> Option<Meaning> {
    Some(match name {
        "min" | "Min" | "minimum" | "fmin" | "umin" => Meaning::Min,
        "max" | "Max" | "maximum" | "fmax" | "umax" => Meaning::Max,
        "cdiv" | "ceildiv" | "ceil_div" | "ceilDiv" | "CeilDiv" | "CEIL_DIV" | "ceilDivide"
        | "div_up" | "divUp" | "div_ceil" | "DIVUP" => Meaning::Divide(Division::Ceil),
        "floordiv" | "floor_div" | "floorDiv" | "floor_divide" | "FloorDiv" | "CleanDiv" => {
            Meaning::Divide(Division::Floor)
        }
        "mod" | "remainder" | "Mod" | "PythonMod" => Meaning::Divide(Division::Mod),
        "ModularIndexing" => Meaning::Digit,
        "where" => Meaning::Choose,
        "clamp" | "clip" => Meaning::Clamp,
        "abs" | "Abs" => Meaning::Abs,
        "int" | "int32" | "int64" | "index" | "__ldg" | "static_cast" | "to_int"
        | "multiple_of" | "max_contiguous" => Meaning::Same,
        "logical_and" => Meaning::And,
        "logical_or" => Meaning::Or,
        "logical_not" => Meaning::Not,
        _ => return None,
    })
}
