//! How ops are written after `op`: which attribute a word without a name is, what cannot be left out, what is filled
//! in, and an example of each.

use crate::hlo::opcode::Opcode;
use crate::hlo::shape::Shape;

/// How one op is written.
#[derive(Debug)]
pub struct Form {
    /// What stands behind `op`; the name of the op comes first.
    pub example: &'static str,
    /// The attribute that words without a name are.
    pub positional: Option<&'static str>,
    /// Attributes that it needs.
    pub required: &'static [&'static str],
    /// Attributes that it may have.
    pub optional: &'static [&'static str],
    /// Operands that may be left out, when so many are given.
    pub scalars: Scalars,
    /// Attributes that name computations, filled in with computations that are not there.
    pub computations: &'static [&'static str],
}

/// Scalar operands that say nothing of an op's shape.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scalars {
    /// None may be left out.
    None,
    /// When only so many operands are given: one of the element type of the first.
    Value(usize),
    /// When only so many operands are given: an `s32[]` for each dimension of the first.
    Starts(usize),
}

impl Form {
    /// The names of its attributes, but for those that name computations.
    pub fn attributes(&self) -> impl Iterator<Item = &'static str> {
        self.required.iter().chain(self.optional).copied()
    }

    /// May this op be given with `count` operands, the others being filled in?
    #[must_use]
    pub fn completes(&self, count: usize) -> bool {
        matches!(self.scalars, Scalars::Value(given) | Scalars::Starts(given) if given == count)
    }

    /// The shapes of the operands that are filled in behind `given`.
    #[must_use]
    pub fn filled_in(&self, given: &[Shape]) -> Vec<String> {
        let Some(first) = given.first().and_then(Shape::as_array) else {
            return Vec::new();
        };
        match self.scalars {
            Scalars::Value(count) if given.len() == count => {
                vec![format!("{}[]", first.element_type().name())]
            }
            Scalars::Starts(count) if given.len() == count => {
                vec!["s32[]".to_owned(); first.rank()]
            }
            _ => Vec::new(),
        }
    }
}

/// The form of `opcode`, if it has one of its own.
pub fn form(opcode: &Opcode) -> Option<&'static Form> {
    form_named(opcode.name())
}

/// The form of the op that HLO calls `name`, if it has one of its own.
pub fn form_named(name: &str) -> Option<&'static Form> {
    let is_of = |form: &&Form| form.example.split(' ').next() == Some(name);
    FORMS.iter().find(is_of)
}

/// A form without anything that is filled in.
const fn plain(example: &'static str) -> Form {
    Form {
        example,
        positional: None,
        required: &[],
        optional: &[],
        scalars: Scalars::None,
        computations: &[],
    }
}

/// A form whose words without a name are the attribute `name`, which it needs.
const fn with(example: &'static str, name: &'static [&'static str; 1]) -> Form {
    Form {
        positional: Some(name[0]),
        required: name,
        ..plain(example)
    }
}

/// The forms.
pub const FORMS: &[Form] = &[
    plain("reshape f32[4,8] -> f32[32]"),
    plain("bitcast f32[4,8] -> f32[32]"),
    plain("convert f32[4,8] -> bf16[4,8]"),
    with("transpose f32[2,3,4] {2,0,1}", &["dimensions"]),
    with("reverse f32[4,8] {1}", &["dimensions"]),
    with("broadcast f32[8] {1} -> f32[4,8]", &["dimensions"]),
    with("concatenate f32[4,8] f32[6,8] {0}", &["dimensions"]),
    with("slice f32[10,20] [0:10:2],[5:15]", &["slice"]),
    Form {
        scalars: Scalars::Value(1),
        ..with("pad f32[4,4] 1_4_1x4_8_0", &["padding"])
    },
    Form {
        scalars: Scalars::Starts(1),
        ..with("dynamic-slice f32[8,8] {2,2}", &["dynamic_slice_sizes"])
    },
    Form {
        scalars: Scalars::Starts(2),
        ..plain("dynamic-update-slice f32[8,8] f32[2,2]")
    },
    Form {
        scalars: Scalars::Value(1),
        computations: &["to_apply"],
        ..with("reduce f32[8,16] {1}", &["dimensions"])
    },
    Form {
        required: &["window"],
        scalars: Scalars::Value(1),
        computations: &["to_apply"],
        ..plain("reduce-window f32[8,16] window={size=2x2 stride=2x2}")
    },
    Form {
        required: &["lhs_contracting_dims", "rhs_contracting_dims"],
        optional: &["lhs_batch_dims", "rhs_batch_dims"],
        ..plain("dot f32[4,8] f32[8,16] lhs_contracting_dims={1} rhs_contracting_dims={0}")
    },
    Form {
        required: &["window", "dim_labels"],
        optional: &["batch_group_count", "feature_group_count"],
        ..plain(
            "convolution f32[1,8,8,3] f32[3,3,3,16] window={size=3x3 pad=1_1x1_1} dim_labels=b01f_01io->b01f",
        )
    },
    Form {
        required: &["start_index_map", "index_vector_dim", "slice_sizes"],
        optional: &[
            "collapsed_slice_dims",
            "offset_dims",
            "operand_batching_dims",
            "start_indices_batching_dims",
        ],
        ..plain(
            "gather f32[33,76,70] s32[18,2] offset_dims={1,2,3} start_index_map={0,1} index_vector_dim=1 slice_sizes={7,8,70}",
        )
    },
    Form {
        required: &["scatter_dims_to_operand_dims", "index_vector_dim"],
        optional: &["inserted_window_dims", "update_window_dims"],
        computations: &["to_apply"],
        ..plain(
            "scatter f32[8,4] s32[3,1] f32[3,4] update_window_dims={1} inserted_window_dims={0} scatter_dims_to_operand_dims={0} index_vector_dim=1",
        )
    },
    Form {
        computations: &["to_apply"],
        ..with("sort f32[4,8] {1}", &["dimensions"])
    },
    Form {
        required: &["fft_type", "fft_length"],
        ..plain("fft c64[4,8] fft_type=FFT fft_length={8} -> c64[4,8]")
    },
    Form {
        required: &["window"],
        scalars: Scalars::Value(2),
        computations: &["select", "scatter"],
        ..plain("select-and-scatter f32[6] f32[3] window={size=2 stride=2} -> f32[6]")
    },
    with("all-gather f32[4] {0} -> f32[8]", &["dimensions"]),
    with("get-tuple-element (f32[4], s32[8]) 1", &["index"]),
];
