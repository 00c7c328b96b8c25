//! Ops of dialects other than StableHLO, lowered to instructions of HLO.

use super::ops::check;
use affinor_mlir::{known_ops, read_mlir, translate};

#[test]
fn named_ops() {
    check(
        "%r = linalg.matmul_transpose_a ins(%x, %y : tensor<5x3xf16>, tensor<5x2xf16>) outs(%z : tensor<3x2xf32>) -> tensor<3x2xf32>",
        "%r.product = f32[3,2] dot(%x, %y), lhs_contracting_dims={0}, rhs_contracting_dims={0} ; ROOT %r = f32[3,2] add(%z, %r.product)",
    );
    check(
        "%r = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%x, %w : tensor<1x6x7x3xf32>, tensor<2x3x3x4xf32>) outs(%z : tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>",
        "%r.reached = f32[1,4,7,3] slice(%x), slice={[0:1:1],[0:4:1],[0:7:1],[0:3:1]} ; %r.product = f32[1,2,3,4] convolution(%r.reached, %w), window={size=2x3 stride=2x2}, dim_labels=b01f_01io->b01f ; ROOT %r = f32[1,2,3,4] add(%z, %r.product)",
    );
    check(
        "%r = linalg.fill ins(%c : f64) outs(%z : tensor<2x3xf32>) -> tensor<2x3xf32>",
        "%r.value = f32[] convert(%c) ; ROOT %r = f32[2,3] broadcast(%r.value), dimensions={}",
    );
    check(
        "%r = linalg.broadcast ins(%x : tensor<3xf32>) outs(%z : tensor<2x3x4xf32>) dimensions = [0, 2]",
        "ROOT %r = f32[2,3,4] broadcast(%x), dimensions={1}",
    );
    check(
        "%r = linalg.reduce { arith.maximumf } ins(%x : tensor<2x3xf32>) outs(%z : tensor<2xf32>) dimensions = [1]",
        "ROOT %r = f32[2] custom-call(%x, %z), custom_call_target=\"linalg.generic\", backend_config={\"points\":[2,3],\"result\":\"affine_map<(d0, d1) -> (d0)>\",\"reads\":[\"affine_map<(d0, d1) -> (d0, d1)>\",\"affine_map<(d0, d1) -> (d0)>\"],\"computes\":\"linalg.reduce arith.maximumf dimensions\"}",
    );
}

/// The alias may come after the op, and quotes and line ends in the region do not end the string that contains it.
#[test]
fn generic() {
    let text = "%r = linalg.generic {indexing_maps = [#t, #id], iterator_types = [\"parallel\", \"parallel\"]} ins(%x : tensor<3x2xf32>) outs(%z : tensor<2x3xf32>) {
^bb0(%a: f32, %b: f32):
  OP
  linalg.yield %c : f32
} -> tensor<2x3xf32>
#t = affine_map<(d0, d1) -> (d1, d0)>
#id = affine_map<(d0, d1) -> (d0, d1)>";
    check(
        &text.replace("%c", "%a").replace("  OP\n", ""),
        "ROOT %r = f32[2,3] transpose(%x), dimensions={1,0}",
    );
    let text = text.replace("OP", "%c = math.exp %a {note = \"a \\\"b\\\"\"} : f32");
    let hlo = translate(&text).unwrap_or_else(|error| panic!("{error:?}"));
    assert!(hlo.contains("reads\":[\"affine_map<(d0, d1) -> (d1, d0)>\",null]"), "{hlo}");
    let module = read_mlir(&text).unwrap_or_else(|error| panic!("{error:?}"));
    assert_eq!(module.notes(), [], "{hlo}");
    let root = &module[module.entry()][module[module.entry()].root()];
    let computes = root.backend_config("computes");
    assert!(computes.is_some_and(|text| text.as_str().is_some_and(|t| t.contains("math.exp"))));
}

#[test]
fn tensors() {
    check(
        "%r = tensor.extract_slice %x[1, 2] [2, 3] [3, 1] : tensor<8x9xf32> to tensor<2x3xf32>",
        "%r.slice = f32[2,3] slice(%x), slice={[1:5:3],[2:5:1]} ; ROOT %r = f32[2,3] reshape(%r.slice)",
    );
    check(
        "%r = tensor.gather %x[%n] gather_dims([1]) : (tensor<4x8xf32>, tensor<2x3x1xindex>) -> tensor<2x3x4x1xf32>",
        "ROOT %r = f32[2,3,4,1] gather(%x, %n), offset_dims={2,3}, collapsed_slice_dims={}, start_index_map={1}, index_vector_dim=2, slice_sizes={4,1}",
    );
    check(
        "%r = tensor.pad %x low[0] high[2] {
         ^bb0(%i: index):
           %c = arith.constant 1.5 : f32
           tensor.yield %c : f32
         } : tensor<3xf32> to tensor<5xf32>",
        "%c = f32[] constant(1.5) ; ROOT %r = f32[5] pad(%x, %c), padding=0_2",
    );
    check(
        "%r = vector.extract %x[1] : vector<3xf32> from vector<2x3xf32>",
        "%r.slice = f32[1,3] slice(%x), slice={[1:2:1],[0:3:1]} ; ROOT %r = f32[3] reshape(%r.slice)",
    );
    check(
        "%r = arith.cmpi ult, %a, %b : tensor<4xi32>",
        "ROOT %r = pred[4] compare(%a, %b), direction=LT, type=UNSIGNED",
    );
}

/// An op that contradicts itself is noted, and the rest is read.
#[test]
fn contradictions() {
    for (op, note) in [
        (
            "linalg.transpose ins(%x : tensor<2x3xf32>) outs(%x : tensor<2x3xf32>) permutation = [0]",
            "another rank",
        ),
        (
            "linalg.pack %x inner_dims_pos = [2] inner_tiles = [2] into %x : tensor<2x3xf32> -> tensor<2x3xf32>",
            "do not fit the array",
        ),
        (
            "linalg.pack %x inner_dims_pos = [1] inner_tiles = [2] into %x : tensor<2x3xf32> -> tensor<2x2x2xf32>",
            "no value to pad with",
        ),
        (
            "tensor.extract_slice %x[0] [2] [1] : tensor<2x3xf32> to tensor<2x3xf32>",
            "do not have the rank",
        ),
        (
            "tensor.extract_slice %x[0, 0] [2, 3] [1, -9223372036854775808] : tensor<2x3xf32> to tensor<2x3xf32>",
            "strides",
        ),
        (
            "linalg.conv_1d ins(%x, %x : tensor<2x3xf32>, tensor<2x3xf32>) outs(%x : tensor<2x3xf32>) -> tensor<2x3xf32>",
            "another rank",
        ),
        (
            "linalg.generic {iterator_types = []} ins(%x : tensor<2x3xf32>) outs(%x : tensor<2x3xf32>) { ^bb0(%a: f32, %b: f32): linalg.yield %a : f32 } -> tensor<2x3xf32>",
            "`indexing_maps` is missing",
        ),
        ("affine.delinearize_index %i into (0) : index", "basis"),
    ] {
        let text = format!(
            "func.func @f(%x: tensor<2x3xf32>, %i: index) -> tensor<2x3xf32> {{\n%r = {op}\n%s = math.sin %x : tensor<2x3xf32>\nreturn %s : tensor<2x3xf32> }}"
        );
        let module = read_mlir(&text).unwrap_or_else(|error| panic!("{text}: {error:?}"));
        let notes: Vec<&str> = module.notes().iter().map(|note| &*note.message).collect();
        assert!(notes.iter().any(|found| found.contains(note)), "{text}: {notes:?}");
        let entry = &module[module.entry()];
        assert_eq!(entry[entry.root()].opcode().name(), "sine", "{text}");
    }
}

#[test]
fn each_op_is_known_once() {
    let mut names: Vec<String> = known_ops().map(|(name, _)| name).collect();
    names.sort_unstable();
    let count = names.len();
    names.dedup();
    assert_eq!(names.len(), count);
}

/// The time to read a chain of products is not exponential in its length.
#[test]
fn long_chains_of_index_arithmetic() {
    let ops = (0..400).map(|k| format!("  %i{} = arith.muli %i{k}, %i{k} : index\n", k + 1));
    let text = format!(
        "func.func @f(%m: memref<8xf32>, %i0: index) {{\n{}  %v = memref.load %m[%i400] : memref<8xf32>\n  return\n}}",
        ops.collect::<String>()
    );
    let module = affinor_mlir::read_mlir(&text).unwrap_or_else(|error| panic!("{error:?}"));
    assert_eq!(module.notes(), []);
}
