//! The operations of HLO, by the names that HLO text uses.
//!
//! Source: XLA, `hlo_opcode.h` and *Operation semantics*. An operation that is not listed is kept
//! as [`Opcode::Other`]: a reader that stops at a new operation would be useless on next year's
//! modules.

use std::fmt;
use std::sync::Arc;

/// How many operands an operation takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OperandCount {
    least: usize,
    most: usize,
}

impl OperandCount {
    const ANY: OperandCount = OperandCount {
        least: 0,
        most: usize::MAX,
    };

    const fn exactly(count: usize) -> OperandCount {
        OperandCount {
            least: count,
            most: count,
        }
    }

    const fn at_least(count: usize) -> OperandCount {
        OperandCount {
            least: count,
            most: usize::MAX,
        }
    }

    /// May an operation have `count` operands?
    #[must_use]
    pub fn allows(self, count: usize) -> bool {
        self.least <= count && count <= self.most
    }
}

impl fmt::Display for OperandCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.least == 1 { "" } else { "s" };
        match (self.least, self.most) {
            (0, 0) => write!(f, "no operands"),
            (least, most) if least == most => write!(f, "{least} operand{plural}"),
            (0, _) => write!(f, "any number of operands"),
            (least, _) => write!(f, "at least {least} operand{plural}"),
        }
    }
}

/// What an operation does with the elements of its operands, as far as its name says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Each element of the result is computed from the elements at its index, and the result has the shape and the element
    /// type of all operands.
    Alike,
    /// Each element of the result is computed from the elements at its index; element types may differ, and some operands
    /// may be scalars.
    Elementwise,
    /// Each element of the result is one element of an operand, with its value.
    Moves,
    /// Anything else.
    Other,
}

impl Kind {
    /// Is each element of the result computed from the elements at its index?
    #[must_use]
    pub fn is_elementwise(self) -> bool {
        matches!(self, Kind::Alike | Kind::Elementwise)
    }
}

macro_rules! opcodes {
    ($($variant:ident = $name:literal, $count:ident $(($number:literal))?, $kind:ident;)*) => {
        /// What an instruction does. Variants are named as in HLO text, in alphabetical order.
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Opcode {
            $(
                #[doc = concat!("`", $name, "`")]
                $variant,
            )*
            /// An operation that is not in the list, by its name.
            Other(Arc<str>),
        }

        impl Opcode {
            /// Every listed operation, in alphabetical order.
            pub const LISTED: &'static [Opcode] = &[$(Opcode::$variant,)*];

            /// The name in HLO text.
            #[must_use]
            pub fn name(&self) -> &str {
                match self {
                    $(Opcode::$variant => $name,)*
                    Opcode::Other(name) => name,
                }
            }

            /// The operation called `name`.
            #[must_use]
            pub fn from_name(name: &str) -> Opcode {
                match name {
                    $($name => Opcode::$variant,)*
                    other => Opcode::Other(other.into()),
                }
            }

            /// How many operands it takes; any number when the operation is not in the list.
            #[must_use]
            pub fn operand_count(&self) -> OperandCount {
                match self {
                    $(Opcode::$variant => OperandCount::$count $(($number))?,)*
                    Opcode::Other(_) => OperandCount::ANY,
                }
            }

            /// What it does with the elements of its operands, where its name says so.
            #[must_use]
            pub fn kind(&self) -> Kind {
                match self {
                    $(Opcode::$variant => Kind::$kind,)*
                    Opcode::Other(_) => Kind::Other,
                }
            }
        }
    };
}

opcodes! {
    Abs = "abs", exactly(1), Elementwise;
    Acos = "acos", exactly(1), Alike;
    Acosh = "acosh", exactly(1), Alike;
    Add = "add", exactly(2), Alike;
    AddDependency = "add-dependency", exactly(2), Other;
    AfterAll = "after-all", ANY, Other;
    AllGather = "all-gather", at_least(1), Other;
    AllGatherDone = "all-gather-done", exactly(1), Other;
    AllGatherStart = "all-gather-start", at_least(1), Other;
    AllReduce = "all-reduce", at_least(1), Other;
    AllReduceDone = "all-reduce-done", exactly(1), Other;
    AllReduceStart = "all-reduce-start", at_least(1), Other;
    AllToAll = "all-to-all", at_least(1), Other;
    And = "and", exactly(2), Alike;
    Asin = "asin", exactly(1), Alike;
    Asinh = "asinh", exactly(1), Alike;
    AsyncDone = "async-done", exactly(1), Other;
    AsyncStart = "async-start", ANY, Other;
    AsyncUpdate = "async-update", exactly(1), Other;
    Atan2 = "atan2", exactly(2), Alike;
    Atanh = "atanh", exactly(1), Alike;
    BatchNormGrad = "batch-norm-grad", exactly(5), Other;
    BatchNormInference = "batch-norm-inference", exactly(5), Other;
    BatchNormTraining = "batch-norm-training", exactly(3), Other;
    Bitcast = "bitcast", exactly(1), Other;
    BitcastConvert = "bitcast-convert", exactly(1), Other;
    Broadcast = "broadcast", exactly(1), Moves;
    Call = "call", ANY, Other;
    Cbrt = "cbrt", exactly(1), Alike;
    Ceil = "ceil", exactly(1), Alike;
    Cholesky = "cholesky", exactly(1), Other;
    Clamp = "clamp", exactly(3), Elementwise;
    CollectiveBroadcast = "collective-broadcast", at_least(1), Other;
    CollectivePermute = "collective-permute", at_least(1), Other;
    CollectivePermuteDone = "collective-permute-done", exactly(1), Other;
    CollectivePermuteStart = "collective-permute-start", at_least(1), Other;
    Compare = "compare", exactly(2), Elementwise;
    Complex = "complex", exactly(2), Elementwise;
    Concatenate = "concatenate", at_least(1), Other;
    Conditional = "conditional", at_least(1), Other;
    Constant = "constant", exactly(0), Other;
    Convert = "convert", exactly(1), Elementwise;
    Convolution = "convolution", exactly(2), Other;
    Copy = "copy", exactly(1), Moves;
    CopyDone = "copy-done", exactly(1), Other;
    CopyStart = "copy-start", exactly(1), Other;
    Cosh = "cosh", exactly(1), Alike;
    Cosine = "cosine", exactly(1), Alike;
    CountLeadingZeros = "count-leading-zeros", exactly(1), Alike;
    CustomCall = "custom-call", ANY, Other;
    Divide = "divide", exactly(2), Alike;
    Domain = "domain", exactly(1), Other;
    Dot = "dot", at_least(2), Other;
    DynamicReshape = "dynamic-reshape", at_least(1), Other;
    DynamicSlice = "dynamic-slice", at_least(1), Other;
    DynamicUpdateSlice = "dynamic-update-slice", at_least(2), Other;
    Erf = "erf", exactly(1), Alike;
    Exponential = "exponential", exactly(1), Alike;
    ExponentialMinusOne = "exponential-minus-one", exactly(1), Alike;
    Fft = "fft", exactly(1), Other;
    Floor = "floor", exactly(1), Alike;
    Fusion = "fusion", ANY, Other;
    Gather = "gather", exactly(2), Other;
    GetDimensionSize = "get-dimension-size", exactly(1), Other;
    GetTupleElement = "get-tuple-element", exactly(1), Moves;
    Imag = "imag", exactly(1), Elementwise;
    Infeed = "infeed", ANY, Other;
    Iota = "iota", exactly(0), Other;
    IsFinite = "is-finite", exactly(1), Elementwise;
    Log = "log", exactly(1), Alike;
    LogPlusOne = "log-plus-one", exactly(1), Alike;
    Logistic = "logistic", exactly(1), Alike;
    Map = "map", at_least(1), Other;
    Maximum = "maximum", exactly(2), Alike;
    Minimum = "minimum", exactly(2), Alike;
    Mulhi = "mulhi", exactly(2), Alike;
    Multiply = "multiply", exactly(2), Alike;
    Negate = "negate", exactly(1), Alike;
    Not = "not", exactly(1), Alike;
    OptBarrier = "opt-barrier", ANY, Moves;
    Or = "or", exactly(2), Alike;
    Outfeed = "outfeed", at_least(1), Other;
    Pad = "pad", exactly(2), Other;
    Parameter = "parameter", exactly(0), Other;
    PartitionId = "partition-id", exactly(0), Other;
    Popcnt = "popcnt", exactly(1), Alike;
    Power = "power", exactly(2), Alike;
    RaggedAllToAll = "ragged-all-to-all", ANY, Other;
    RaggedDot = "ragged-dot", at_least(2), Other;
    Real = "real", exactly(1), Elementwise;
    Recv = "recv", ANY, Other;
    RecvDone = "recv-done", exactly(1), Other;
    Reduce = "reduce", at_least(2), Other;
    ReducePrecision = "reduce-precision", exactly(1), Alike;
    ReduceScatter = "reduce-scatter", at_least(1), Other;
    ReduceWindow = "reduce-window", at_least(2), Other;
    Remainder = "remainder", exactly(2), Alike;
    ReplicaId = "replica-id", exactly(0), Other;
    Reshape = "reshape", exactly(1), Moves;
    Reverse = "reverse", exactly(1), Moves;
    Rng = "rng", ANY, Other;
    RngBitGenerator = "rng-bit-generator", exactly(1), Other;
    RngGetAndUpdateState = "rng-get-and-update-state", exactly(0), Other;
    RoundNearestAfz = "round-nearest-afz", exactly(1), Alike;
    RoundNearestEven = "round-nearest-even", exactly(1), Alike;
    Rsqrt = "rsqrt", exactly(1), Alike;
    ScaledDot = "scaled-dot", at_least(2), Other;
    Scan = "scan", ANY, Other;
    Scatter = "scatter", at_least(3), Other;
    Select = "select", exactly(3), Elementwise;
    SelectAndScatter = "select-and-scatter", exactly(3), Other;
    Send = "send", at_least(1), Other;
    SendDone = "send-done", exactly(1), Other;
    SetDimensionSize = "set-dimension-size", exactly(2), Other;
    ShiftLeft = "shift-left", exactly(2), Alike;
    ShiftRightArithmetic = "shift-right-arithmetic", exactly(2), Alike;
    ShiftRightLogical = "shift-right-logical", exactly(2), Alike;
    Sign = "sign", exactly(1), Alike;
    Sine = "sine", exactly(1), Alike;
    Sinh = "sinh", exactly(1), Alike;
    Slice = "slice", exactly(1), Moves;
    Sort = "sort", at_least(1), Other;
    Sqrt = "sqrt", exactly(1), Alike;
    StochasticConvert = "stochastic-convert", exactly(2), Elementwise;
    Subtract = "subtract", exactly(2), Alike;
    Tan = "tan", exactly(1), Alike;
    Tanh = "tanh", exactly(1), Alike;
    Topk = "topk", exactly(1), Other;
    Transpose = "transpose", exactly(1), Moves;
    TriangularSolve = "triangular-solve", exactly(2), Other;
    Tuple = "tuple", ANY, Moves;
    While = "while", exactly(1), Other;
    Xor = "xor", exactly(2), Alike;
}

impl fmt::Display for Opcode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::Opcode;

    #[test]
    fn names_round_trip() {
        for opcode in Opcode::LISTED {
            assert_eq!(&Opcode::from_name(opcode.name()), opcode);
        }
        assert_eq!(
            Opcode::from_name("add-fast"),
            Opcode::Other("add-fast".into())
        );
        assert_eq!(Opcode::from_name("add-fast").name(), "add-fast");
    }

    #[test]
    fn the_list_is_in_alphabetical_order() {
        assert!(Opcode::LISTED.is_sorted_by_key(|opcode| opcode.name()));
    }

    #[test]
    fn operand_counts() {
        for (name, allowed, refused, text) in [
            ("iota", vec![0], vec![1], "no operands"),
            ("abs", vec![1], vec![0, 2], "1 operand"),
            ("select", vec![3], vec![2, 4], "3 operands"),
            ("reduce", vec![2, 6], vec![0, 1], "at least 2 operands"),
            ("tuple", vec![0, 1, 900], vec![], "any number of operands"),
            ("no-such-op", vec![0, 7], vec![], "any number of operands"),
        ] {
            let count = Opcode::from_name(name).operand_count();
            assert!(allowed.iter().all(|&n| count.allows(n)), "{name}");
            assert!(!refused.iter().any(|&n| count.allows(n)), "{name}");
            assert_eq!(count.to_string(), text, "{name}");
        }
    }
}
