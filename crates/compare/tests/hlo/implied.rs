//! Shapes that a snippet may omit, compared with those in real modules.

use super::modules::files;
use affinor_hlo as hlo;
use affinor_hlo::module::{Computation, Instruction, Module};
use affinor_hlo::opcode::Opcode;
use affinor_hlo::shape::Shape;
use std::collections::BTreeMap;

/// Writes the instruction as a separate snippet, without the shape of its result.
fn without_shape(text: &str, computation: &Computation, instruction: &Instruction) -> String {
    let operands = computation.operands(instruction).enumerate();
    let operands: Vec<String> =
        operands.map(|(number, operand)| format!("{} p{number}", operand.shape())).collect();
    let mut snippet = format!("r = {}({})", instruction.opcode(), operands.join(", "));
    for attribute in instruction.attributes().iter() {
        let written = &text[attribute.span()];
        let name = attribute.name();
        snippet += &match written.starts_with(name) {
            true => format!(", {written}"),
            false => format!(", {name}={written}"),
        };
    }
    snippet
}

/// Returns the sizes of every array, with its path in tuples.
fn sizes(shape: &Shape) -> Vec<(Vec<usize>, Option<Vec<i64>>)> {
    let leaves = shape.leaves().into_iter();
    leaves.map(|(path, leaf)| (path, leaf.as_array().and_then(|array| array.sizes()))).collect()
}

/// The number of shapes that were omitted and inferred, for each opcode.
type Found = BTreeMap<String, usize>;

fn compare(text: &str, module: &Module, found: &mut Found) {
    for (_, computation) in module.computations() {
        for (_, instruction) in computation.instructions() {
            // For a broadcast, XLA infers only one of the possible shapes.
            if instruction.operands().is_empty() || *instruction.opcode() == Opcode::Broadcast {
                continue;
            }
            let snippet = without_shape(text, computation, instruction);
            let Ok(read) = hlo::read_text(&snippet) else {
                continue; // the operands do not imply the shape
            };
            let entry = &read[read.entry()];
            let (given, implied) = (instruction.shape(), entry[entry.root()].shape());
            assert_eq!(sizes(implied), sizes(given), "{snippet}");
            *found.entry(instruction.opcode().to_string()).or_default() += 1;
        }
    }
}

#[test]
fn implied_shapes_are_those_of_real_modules() {
    let mut found = Found::new();
    for (_, text) in files() {
        compare(&text, &hlo::read_text(&text).unwrap(), &mut found);
    }
    for line in include_str!("../../../../tests/data/measured_programs.jsonl").lines() {
        let case: serde_json::Value = serde_json::from_str(line).unwrap();
        let text = case["hlo"].as_str().unwrap();
        compare(text, &hlo::read_text(text).unwrap(), &mut found);
    }
    for opcode in [
        "add",
        "clamp",
        "compare",
        "concatenate",
        "convolution",
        "dot",
        "dynamic-slice",
        "dynamic-update-slice",
        "gather",
        "get-tuple-element",
        "pad",
        "reduce",
        "reduce-window",
        "reverse",
        "scatter",
        "select",
        "slice",
        "sort",
        "transpose",
    ] {
        let count = found.get(opcode).copied().unwrap_or_default();
        assert!(count > 0, "{opcode}: {found:?}");
    }
    for opcode in ["reshape", "bitcast", "convert"] {
        assert_eq!(found.get(opcode), None, "{opcode}");
    }
}

#[track_caller]
fn check(snippet: &str, shape: &str) {
    let read = hlo::read_text(snippet).unwrap();
    let entry = &read[read.entry()];
    assert_eq!(entry[entry.root()].shape().to_string(), shape, "{snippet}");
}

#[track_caller]
fn check_open(snippet: &str) {
    let error = hlo::read_text(snippet).unwrap_err();
    assert!(error.message.starts_with("expected a shape such as"), "{snippet}: {error}");
}

#[test]
fn shapes_of_results_follow_from_operands_and_attributes() {
    check("r = pad(f32[0,4] a, f32[] b), padding=1_2_3x-1_0_1", "f32[3,6]{1,0}");
    check("r = slice(f32[10] a), slice={[1:9:3]}", "f32[3]{0}");
    check("r = slice(f32[10] a), slice={[4:4]}", "f32[0]{0}");
    check(
        "r = reduce(f32[2,3] a, s32[2,3] b, f32[] c, s32[] d), dimensions={0}, to_apply=any",
        "(f32[3]{0}, s32[3]{0})",
    );
    check(
        "r = reduce-window(f32[7] a, f32[] b), window={size=3 stride=2 pad=1_1 lhs_dilate=2}, to_apply=any",
        "f32[7]{0}",
    );
    check("r = reduce-window(f32[2] a, f32[] b), window={size=3}, to_apply=any", "f32[0]{0}");
    check(
        "r = dot(f32[5,4,8] a, f32[5,8,16] b), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}",
        "f32[5,4,16]{2,1,0}",
    );
    check(
        "r = gather(f32[9,8] a, s32[5] b), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,8}",
        "f32[5,8]{1,0}",
    );
    check("r = sort(f32[4] a, s32[4] b), dimensions={0}, to_apply=any", "(f32[4]{0}, s32[4]{0})");
    check_open("r = transpose(f32[2,3] a), dimensions={0,2}");
    check_open("r = transpose(f32[2,3] a), dimensions={0}");
    check_open("r = pad(f32[2] a, f32[] b), padding=-3_0");
    check_open("r = pad(f32[2] a, f32[] b), padding=9223372036854775807_1");
    check_open("r = concatenate(f32[2] a, f32[2,2] b), dimensions={1}");
    check_open("r = slice(f32[<=10] a), slice={[0:4]}");
    check_open("r = get-tuple-element((f32[2], f32[3]) a), index=2");
}
