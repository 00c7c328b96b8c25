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

macro_rules! opcodes {
    ($($variant:ident = $name:literal, $count:ident $(($number:literal))?;)*) => {
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
        }
    };
}

opcodes! {
    Abs = "abs", exactly(1);
    Acos = "acos", exactly(1);
    Acosh = "acosh", exactly(1);
    Add = "add", exactly(2);
    AddDependency = "add-dependency", exactly(2);
    AfterAll = "after-all", ANY;
    AllGather = "all-gather", at_least(1);
    AllGatherDone = "all-gather-done", exactly(1);
    AllGatherStart = "all-gather-start", at_least(1);
    AllReduce = "all-reduce", at_least(1);
    AllReduceDone = "all-reduce-done", exactly(1);
    AllReduceStart = "all-reduce-start", at_least(1);
    AllToAll = "all-to-all", at_least(1);
    And = "and", exactly(2);
    Asin = "asin", exactly(1);
    Asinh = "asinh", exactly(1);
    AsyncDone = "async-done", exactly(1);
    AsyncStart = "async-start", ANY;
    AsyncUpdate = "async-update", exactly(1);
    Atan2 = "atan2", exactly(2);
    Atanh = "atanh", exactly(1);
    BatchNormGrad = "batch-norm-grad", exactly(5);
    BatchNormInference = "batch-norm-inference", exactly(5);
    BatchNormTraining = "batch-norm-training", exactly(3);
    Bitcast = "bitcast", exactly(1);
    BitcastConvert = "bitcast-convert", exactly(1);
    Broadcast = "broadcast", exactly(1);
    Call = "call", ANY;
    Cbrt = "cbrt", exactly(1);
    Ceil = "ceil", exactly(1);
    Cholesky = "cholesky", exactly(1);
    Clamp = "clamp", exactly(3);
    CollectiveBroadcast = "collective-broadcast", at_least(1);
    CollectivePermute = "collective-permute", at_least(1);
    CollectivePermuteDone = "collective-permute-done", exactly(1);
    CollectivePermuteStart = "collective-permute-start", at_least(1);
    Compare = "compare", exactly(2);
    Complex = "complex", exactly(2);
    Concatenate = "concatenate", at_least(1);
    Conditional = "conditional", at_least(1);
    Constant = "constant", exactly(0);
    Convert = "convert", exactly(1);
    Convolution = "convolution", exactly(2);
    Copy = "copy", exactly(1);
    CopyDone = "copy-done", exactly(1);
    CopyStart = "copy-start", exactly(1);
    Cosh = "cosh", exactly(1);
    Cosine = "cosine", exactly(1);
    CountLeadingZeros = "count-leading-zeros", exactly(1);
    CustomCall = "custom-call", ANY;
    Divide = "divide", exactly(2);
    Domain = "domain", exactly(1);
    Dot = "dot", at_least(2);
    DynamicReshape = "dynamic-reshape", at_least(1);
    DynamicSlice = "dynamic-slice", at_least(1);
    DynamicUpdateSlice = "dynamic-update-slice", at_least(2);
    Erf = "erf", exactly(1);
    Exponential = "exponential", exactly(1);
    ExponentialMinusOne = "exponential-minus-one", exactly(1);
    Fft = "fft", exactly(1);
    Floor = "floor", exactly(1);
    Fusion = "fusion", ANY;
    Gather = "gather", exactly(2);
    GetDimensionSize = "get-dimension-size", exactly(1);
    GetTupleElement = "get-tuple-element", exactly(1);
    Imag = "imag", exactly(1);
    Infeed = "infeed", ANY;
    Iota = "iota", exactly(0);
    IsFinite = "is-finite", exactly(1);
    Log = "log", exactly(1);
    LogPlusOne = "log-plus-one", exactly(1);
    Logistic = "logistic", exactly(1);
    Map = "map", at_least(1);
    Maximum = "maximum", exactly(2);
    Minimum = "minimum", exactly(2);
    Mulhi = "mulhi", exactly(2);
    Multiply = "multiply", exactly(2);
    Negate = "negate", exactly(1);
    Not = "not", exactly(1);
    OptBarrier = "opt-barrier", ANY;
    Or = "or", exactly(2);
    Outfeed = "outfeed", at_least(1);
    Pad = "pad", exactly(2);
    Parameter = "parameter", exactly(0);
    PartitionId = "partition-id", exactly(0);
    Popcnt = "popcnt", exactly(1);
    Power = "power", exactly(2);
    RaggedAllToAll = "ragged-all-to-all", ANY;
    RaggedDot = "ragged-dot", at_least(2);
    Real = "real", exactly(1);
    Recv = "recv", ANY;
    RecvDone = "recv-done", exactly(1);
    Reduce = "reduce", at_least(2);
    ReducePrecision = "reduce-precision", exactly(1);
    ReduceScatter = "reduce-scatter", at_least(1);
    ReduceWindow = "reduce-window", at_least(2);
    Remainder = "remainder", exactly(2);
    ReplicaId = "replica-id", exactly(0);
    Reshape = "reshape", exactly(1);
    Reverse = "reverse", exactly(1);
    Rng = "rng", ANY;
    RngBitGenerator = "rng-bit-generator", exactly(1);
    RngGetAndUpdateState = "rng-get-and-update-state", exactly(0);
    RoundNearestAfz = "round-nearest-afz", exactly(1);
    RoundNearestEven = "round-nearest-even", exactly(1);
    Rsqrt = "rsqrt", exactly(1);
    ScaledDot = "scaled-dot", at_least(2);
    Scan = "scan", ANY;
    Scatter = "scatter", at_least(3);
    Select = "select", exactly(3);
    SelectAndScatter = "select-and-scatter", exactly(3);
    Send = "send", at_least(1);
    SendDone = "send-done", exactly(1);
    SetDimensionSize = "set-dimension-size", exactly(2);
    ShiftLeft = "shift-left", exactly(2);
    ShiftRightArithmetic = "shift-right-arithmetic", exactly(2);
    ShiftRightLogical = "shift-right-logical", exactly(2);
    Sign = "sign", exactly(1);
    Sine = "sine", exactly(1);
    Sinh = "sinh", exactly(1);
    Slice = "slice", exactly(1);
    Sort = "sort", at_least(1);
    Sqrt = "sqrt", exactly(1);
    StochasticConvert = "stochastic-convert", exactly(2);
    Subtract = "subtract", exactly(2);
    Tan = "tan", exactly(1);
    Tanh = "tanh", exactly(1);
    Topk = "topk", exactly(1);
    Transpose = "transpose", exactly(1);
    TriangularSolve = "triangular-solve", exactly(2);
    Tuple = "tuple", ANY;
    While = "while", exactly(1);
    Xor = "xor", exactly(2);
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
