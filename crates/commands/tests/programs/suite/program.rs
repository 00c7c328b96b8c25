//! Programs as the generator makes them.

use super::shape::Shape;

/// A module: the last computation is the entry, and computations call only earlier ones.
#[derive(Clone, Debug, Default)]
pub struct Program {
    pub computations: Vec<Computation>,
}

impl Program {
    pub fn entry(&self) -> &Computation {
        self.computations.last().expect("an entry")
    }
}

/// A computation: instructions use only earlier ones; the last one is the root.
#[derive(Clone, Debug, Default)]
pub struct Computation {
    pub name: String,
    pub instructions: Vec<Instruction>,
}

impl Computation {
    pub fn root(&self) -> &Instruction {
        self.instructions.last().expect("a root")
    }

    /// Returns the shapes of the parameters, by number.
    pub fn parameters(&self) -> Vec<&Shape> {
        let mut found = Vec::new();
        for instruction in &self.instructions {
            if let Op::Parameter(k) = instruction.op {
                found.push((k, &instruction.shape));
            }
        }
        found.sort_by_key(|(k, _)| *k);
        found.into_iter().map(|(_, shape)| shape).collect()
    }
}

#[derive(Clone, Debug)]
pub struct Instruction {
    pub name: String,
    pub shape: Shape,
    pub op: Op,
    pub operands: Vec<usize>,
}

/// An operation with its attributes; called computations are given by their numbers in the program.
#[derive(Clone, PartialEq, Debug)]
pub enum Op {
    Parameter(usize),
    Constant(Vec<i64>),
    Iota(usize),
    /// The opcode and attributes of an elementwise operation; scalars are broadcast.
    Pointwise(&'static str, &'static str),
    Map(usize),
    Broadcast(Vec<usize>),
    Reshape,
    Bitcast,
    BitcastConvert,
    Copy,
    /// The opcode of an entry in `moved.rs`, and its attribute.
    Moved(&'static str, Vec<usize>),
    /// Start, limit and stride of each dimension.
    Slice(Vec<[i64; 3]>),
    /// Low, high and interior padding of each dimension.
    Pad(Vec<[i64; 3]>),
    Concatenate(usize),
    DynamicSlice,
    DynamicUpdateSlice,
    Dot(Dot),
    ScaledDot(Dot),
    /// A dot in which the left side's rows, in the first dimension, are partitioned into groups.
    RaggedDot,
    Convolution(Convolution),
    Reduce {
        dimensions: Vec<usize>,
        to_apply: usize,
    },
    ReduceWindow {
        window: Vec<Window>,
        to_apply: usize,
    },
    SelectAndScatter {
        window: Vec<Window>,
        select: usize,
        scatter: usize,
    },
    Gather(Vectors, Vec<i64>),
    Scatter(Vectors, usize),
    Sort {
        dimension: usize,
        to_apply: usize,
    },
    TopK(i64),
    Fft {
        kind: &'static str,
        lengths: Vec<i64>,
    },
    TriangularSolve {
        left: bool,
        lower: bool,
        unit: bool,
        transposed: bool,
    },
    Cholesky {
        lower: bool,
    },
    /// `training`, `inference` or `grad`, and the feature dimension.
    BatchNorm(&'static str, usize),
    Rng,
    /// A collective: its opcode, its dimension if it has one, and the devices of a group.
    Collective {
        opcode: &'static str,
        dimension: Option<usize>,
        group: i64,
        to_apply: Option<usize>,
    },
    CustomCall,
    RngBits,
    DimensionSize(usize),
    /// The start of an asynchronous operation: its opcode, and the computation that it calls.
    Start(&'static str, Option<usize>),
    /// The end of an asynchronous operation: its opcode, and the part of the start that is its result.
    Done(&'static str, usize),
    Tuple,
    Element(usize),
    Barrier,
    Fusion(usize),
    Call(usize),
    Conditional {
        branches: Vec<usize>,
        is_pred: bool,
    },
    While {
        condition: usize,
        body: usize,
    },
}

/// The dimensions of a dot.
#[derive(Clone, PartialEq, Debug)]
pub struct Dot {
    pub lhs_batch: Vec<usize>,
    pub lhs_contracting: Vec<usize>,
    pub rhs_batch: Vec<usize>,
    pub rhs_contracting: Vec<usize>,
}

/// One dimension of a window.
#[derive(Clone, PartialEq, Debug)]
pub struct Window {
    pub size: i64,
    pub stride: i64,
    pub low: i64,
    pub high: i64,
    pub base_dilation: i64,
    pub window_dilation: i64,
    pub reversed: bool,
}

impl Window {
    /// Returns the number of windows over `base` elements.
    pub fn count(&self, base: i64) -> i64 {
        let spread = (base - 1) * self.base_dilation + 1;
        let padded = spread.max(0) + self.low + self.high;
        let reach = (self.size - 1) * self.window_dilation + 1;
        if padded < reach { 0 } else { (padded - reach) / self.stride + 1 }
    }

    /// Returns the element of `base` under a tap of a window; `None` for padding.
    pub fn under(&self, window: i64, tap: i64, base: i64) -> Option<i64> {
        let place = window * self.stride + tap * self.window_dilation - self.low;
        let element = place.div_euclid(self.base_dilation);
        (place.rem_euclid(self.base_dilation) == 0 && (0..base).contains(&element))
            .then_some(element)
    }
}

/// A convolution, with the dimensions of batch, feature and space in its three arrays.
#[derive(Clone, PartialEq, Debug)]
pub struct Convolution {
    pub window: Vec<Window>,
    /// The dimensions of the input: batch, feature, space.
    pub input: Vec<usize>,
    /// The dimensions of the kernel: input feature, output feature, space.
    pub kernel: Vec<usize>,
    /// The dimensions of the output: batch, feature, space.
    pub output: Vec<usize>,
    pub feature_groups: i64,
    pub batch_groups: i64,
}

/// The dimensions of gather windows, and of scatter windows under the names of gather.
#[derive(Clone, PartialEq, Debug)]
pub struct Vectors {
    /// The dimensions of the output (of the updates) that index into a window.
    pub window: Vec<usize>,
    /// The dimensions of the operand without a dimension of their own in the window.
    pub collapsed: Vec<usize>,
    pub index_map: Vec<usize>,
    pub operand_batch: Vec<usize>,
    pub indices_batch: Vec<usize>,
    pub vector: usize,
}
