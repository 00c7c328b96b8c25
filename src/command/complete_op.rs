//! Completion behind `op`: names of operations as HLO has them, and the attributes of each.

use crate::hlo::opcode::Opcode;

/// The attributes by which an operation says what it reads.
const ATTRIBUTES: &[(&str, &[&str])] = &[
    ("all-gather", &["dimensions="]),
    ("broadcast", &["dimensions="]),
    ("concatenate", &["dimensions="]),
    (
        "convolution",
        &[
            "batch_group_count=",
            "dim_labels=",
            "feature_group_count=",
            "window=",
        ],
    ),
    (
        "dot",
        &[
            "lhs_batch_dims=",
            "lhs_contracting_dims=",
            "rhs_batch_dims=",
            "rhs_contracting_dims=",
        ],
    ),
    ("dynamic-slice", &["dynamic_slice_sizes="]),
    ("fft", &["fft_length=", "fft_type="]),
    (
        "gather",
        &[
            "collapsed_slice_dims=",
            "index_vector_dim=",
            "offset_dims=",
            "operand_batching_dims=",
            "slice_sizes=",
            "start_index_map=",
            "start_indices_batching_dims=",
        ],
    ),
    ("get-tuple-element", &["index="]),
    ("iota", &["iota_dimension="]),
    ("pad", &["padding="]),
    ("reduce", &["dimensions="]),
    ("reduce-window", &["window="]),
    ("reverse", &["dimensions="]),
    (
        "scatter",
        &[
            "index_vector_dim=",
            "inserted_window_dims=",
            "scatter_dims_to_operand_dims=",
            "update_window_dims=",
        ],
    ),
    ("select-and-scatter", &["window="]),
    ("slice", &["slice="]),
    ("sort", &["dimensions="]),
    ("transpose", &["dimensions="]),
];

/// The words that may follow `before`, which stands behind `op`.
#[must_use]
pub fn words_of_op(before: &str) -> Vec<&'static str> {
    let stage = before.rsplit('|').next().unwrap_or(before);
    let Some(name) = stage.split_whitespace().next() else {
        return Opcode::LISTED.iter().map(Opcode::name).collect();
    };
    let found = ATTRIBUTES.iter().find(|(opcode, _)| *opcode == name);
    let attributes = found.map_or(&[][..], |(_, attributes)| attributes);
    let is_new = |attribute: &&str| !stage.contains(attribute);
    attributes.iter().copied().filter(|a| is_new(a)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_those_of_listed_operations() {
        let names: Vec<&str> = Opcode::LISTED.iter().map(Opcode::name).collect();
        for (name, attributes) in ATTRIBUTES {
            assert!(names.contains(name), "{name}");
            assert!(attributes.is_sorted(), "{name}");
        }
    }

    #[test]
    fn an_operation_comes_first_and_its_attributes_then() {
        assert!(words_of_op(" ").contains(&"dynamic-slice"));
        assert!(words_of_op(" reshape f32[4] -> f32[2,2] | ").contains(&"transpose"));
        assert_eq!(words_of_op(" transpose f32[2,3] "), ["dimensions="]);
        let given = " dot f32[4,8] f32[8,4] lhs_contracting_dims={1} ";
        let left = [
            "lhs_batch_dims=",
            "rhs_batch_dims=",
            "rhs_contracting_dims=",
        ];
        assert_eq!(words_of_op(given), left);
        assert_eq!(words_of_op(" nothing "), [""; 0]);
    }
}
