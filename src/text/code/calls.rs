//! The functions that kernel code calls, by the last part of their names: `tl.cdiv`, `std::min`.

/// What a function does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Meaning {
    Min,
    Max,
    /// A division of the first operand by the second.
    Divide(Division),
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
        "min" | "minimum" | "fmin" | "umin" => Meaning::Min,
        "max" | "maximum" | "fmax" | "umax" => Meaning::Max,
        "cdiv" | "ceildiv" | "ceil_div" | "ceilDiv" | "CeilDiv" | "CEIL_DIV" | "ceilDivide"
        | "div_up" | "divUp" | "div_ceil" | "DIVUP" => Meaning::Divide(Division::Ceil),
        "floordiv" | "floor_div" | "floorDiv" | "floor_divide" => Meaning::Divide(Division::Floor),
        "mod" | "remainder" => Meaning::Divide(Division::Mod),
        "where" => Meaning::Choose,
        "clamp" | "clip" => Meaning::Clamp,
        "abs" => Meaning::Abs,
        "int" | "int32" | "int64" | "index" | "__ldg" | "static_cast" | "to_int"
        | "multiple_of" | "max_contiguous" => Meaning::Same,
        "logical_and" => Meaning::And,
        "logical_or" => Meaning::Or,
        "logical_not" => Meaning::Not,
        _ => return None,
    })
}
