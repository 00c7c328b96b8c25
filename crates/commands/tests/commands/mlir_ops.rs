//! Ops of linalg, tensor, memref, vector and loops of MLIR: their maps beside the loops of their definitions.
//!
//! Each op is written out as loops here: a point of them computes an element, and reads one of each operand. All elements are compared.

use super::mlir::said;
use affinor::text::parse_map;
use affinor_commands::Status;
use std::collections::{BTreeMap, BTreeSet};

pub type Index = Vec<i64>;
pub type Reads = BTreeMap<Index, BTreeSet<Index>>;
/// The index at a point; none if nothing is read there.
type At = fn(&[i64]) -> Option<Index>;

pub fn points(sizes: &[i64]) -> Vec<Index> {
    sizes.iter().fold(vec![Vec::new()], |points, size| {
        let longer =
            |point: &Index| (0..*size).map(|at| [&point[..], &[at]].concat()).collect::<Vec<_>>();
        points.iter().flat_map(longer).collect()
    })
}

/// What a map that was printed reads, element by element.
pub fn read_by(text: &str, reads: &mut Reads) {
    let map = parse_map(text).unwrap_or_else(|error| panic!("{text}: {}", error.message));
    let bounds: Vec<(i64, i64)> = map.domain().intervals().map(|x| (x.lo(), x.hi())).collect();
    let dimensions = map.domain().count(affinor::expr::VariableKind::Dimension);
    for point in points(&bounds.iter().map(|(lo, hi)| hi - lo + 1).collect::<Vec<_>>()) {
        let point: Index = point.iter().zip(&bounds).map(|(at, (lo, _))| at + lo).collect();
        if map.domain().contains(&point).expect("a small map") {
            let index = map.eval(&point).expect("a small map");
            reads.entry(point[..dimensions].to_vec()).or_default().insert(index);
        }
    }
}

/// The lines below `asked`, or those of the whole text: operand and map.
fn answers(text: &str, asked: &str) -> BTreeMap<String, Reads> {
    let line = if asked.is_empty() { "hlo a.mlir --entry" } else { "hlo a.mlir" };
    let (status, lines) = said(line, &[("a.mlir", text)]);
    assert_eq!(status, Status::Done, "{text}\n{lines:?}");
    let head = format!("  {asked} = ");
    let start = lines.iter().position(|line| asked.is_empty() || line.starts_with(&head));
    let start = start.unwrap_or_else(|| panic!("{text}\n{lines:?}"));
    let below = lines[start + usize::from(!asked.is_empty())..].iter();
    let mut found: BTreeMap<String, Reads> = BTreeMap::new();
    for line in below.take_while(|line| line.starts_with("    ")) {
        let (name, map) = line.trim().split_once(": ").unwrap_or_else(|| panic!("{line}"));
        if map != "nothing is read" {
            read_by(map, found.entry(name.to_owned()).or_default());
        }
    }
    found
}

/// The reads of each operand are those of `loops`, and there are no others.
#[track_caller]
fn check(text: &str, asked: &str, sizes: &[i64], out: At, loops: &[(&str, At)]) {
    let mut expected: BTreeMap<String, Reads> = BTreeMap::new();
    for point in points(sizes) {
        for (name, at) in loops {
            if let (Some(element), Some(index)) = (out(&point), at(&point)) {
                let reads = expected.entry((*name).to_owned()).or_default();
                reads.entry(element).or_default().insert(index);
            }
        }
    }
    assert_eq!(answers(text, asked), expected, "{text}");
    let (status, lines) = said("hlo a.mlir --check", &[("a.mlir", text)]);
    let checked = lines.iter().find(|line| line.starts_with("checked:"));
    assert!(checked.is_some_and(|line| line.contains(" 0 refuted")), "{text}\n{lines:?}");
    assert_ne!(status, Status::Wrong, "{text}");
}

#[test]
fn structured_ops() {
    check(
        "%r = linalg.batch_matmul ins(%x, %y : tensor<2x3x4xf16>, tensor<2x4x5xf16>) outs(%z : tensor<2x3x5xf32>) -> tensor<2x3x5xf32>",
        "",
        &[2, 3, 5, 4],
        |p| Some(vec![p[0], p[1], p[2]]),
        &[
            ("x", |p| Some(vec![p[0], p[1], p[3]])),
            ("y", |p| Some(vec![p[0], p[3], p[2]])),
            ("z", |p| Some(vec![p[0], p[1], p[2]])),
        ],
    );
    check(
        "#a = affine_map<(b, i, j, k) -> (b, k, i)>
#b = affine_map<(b, i, j, k) -> (k, j, b)>
#c = affine_map<(b, i, j, k) -> (j, b, i)>
%r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = [\"parallel\", \"parallel\", \"parallel\", \"reduction\"]} ins(%x, %y : tensor<2x4x3xf32>, tensor<4x5x2xf32>) outs(%z : tensor<5x2x3xf32>) {
^bb0(%a: f32, %b: f32, %c: f32):
  %m = arith.mulf %b, %a : f32
  %s = arith.addf %m, %c : f32
  linalg.yield %s : f32
} -> tensor<5x2x3xf32>",
        "",
        &[2, 3, 5, 4],
        |p| Some(vec![p[2], p[0], p[1]]),
        &[
            ("x", |p| Some(vec![p[0], p[3], p[1]])),
            ("y", |p| Some(vec![p[3], p[2], p[0]])),
            ("z", |p| Some(vec![p[2], p[0], p[1]])),
        ],
    );
    // Windows of a vector; the second input does not reach the result.
    check(
        "%r = linalg.generic {indexing_maps = [affine_map<(o, k) -> (o * 2 + k)>, affine_map<(o, k) -> (k)>, affine_map<(o, k) -> (o)>], iterator_types = [\"parallel\", \"reduction\"]} ins(%x, %w : tensor<9xf32>, tensor<3xf32>) outs(%z : tensor<4xf32>) {
^bb0(%a: f32, %b: f32, %c: f32):
  %unused = arith.mulf %a, %b : f32
  %s = arith.maximumf %a, %c : f32
  linalg.yield %s : f32
} -> tensor<4xf32>",
        "",
        &[4, 3],
        |p| Some(vec![p[0]]),
        &[("x", |p| Some(vec![p[0] * 2 + p[1]])), ("z", |p| Some(vec![p[0]]))],
    );
    check(
        "%r = linalg.conv_2d_nchw_fchw {dilations = dense<[2, 1]> : tensor<2xi64>, strides = dense<[1, 2]> : tensor<2xi64>} ins(%x, %w : tensor<1x2x7x8xf32>, tensor<3x2x2x3xf32>) outs(%z : tensor<1x3x5x3xf32>) -> tensor<1x3x5x3xf32>",
        "",
        &[1, 3, 5, 3, 2, 2, 3],
        |p| Some(vec![p[0], p[1], p[2], p[3]]),
        &[
            ("x", |p| Some(vec![p[0], p[4], p[2] + 2 * p[5], 2 * p[3] + p[6]])),
            ("w", |p| Some(vec![p[1], p[4], p[5], p[6]])),
            ("z", |p| Some(vec![p[0], p[1], p[2], p[3]])),
        ],
    );
    check(
        "%r = linalg.depthwise_conv_1d_nwc_wcm ins(%x, %w : tensor<1x6x3xf32>, tensor<2x3x2xf32>) outs(%z : tensor<1x5x3x2xf32>) -> tensor<1x5x3x2xf32>",
        "",
        &[1, 5, 3, 2, 2],
        |p| Some(vec![p[0], p[1], p[2], p[3]]),
        &[
            ("x", |p| Some(vec![p[0], p[1] + p[4], p[2]])),
            ("w", |p| Some(vec![p[4], p[2], p[3]])),
            ("z", |p| Some(vec![p[0], p[1], p[2], p[3]])),
        ],
    );
    // Of the window only the size counts.
    check(
        "%r = linalg.pooling_nchw_max {dilations = dense<2> : tensor<2xi64>, strides = dense<[1, 3]> : tensor<2xi64>} ins(%x, %w : tensor<1x2x4x6xf32>, tensor<2x2xf32>) outs(%z : tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>",
        "",
        &[1, 2, 2, 2, 2, 2],
        |p| Some(vec![p[0], p[1], p[2], p[3]]),
        &[
            ("x", |p| Some(vec![p[0], p[1], p[2] + 2 * p[4], 3 * p[3] + 2 * p[5]])),
            ("z", |p| Some(vec![p[0], p[1], p[2], p[3]])),
        ],
    );
    check(
        "%r = linalg.reduce { arith.addf } ins(%x : tensor<2x3x4xf32>) outs(%z : tensor<3xf32>) dimensions = [0, 2]",
        "",
        &[2, 3, 4],
        |p| Some(vec![p[1]]),
        &[("x", |p| Some(p.to_vec())), ("z", |p| Some(vec![p[1]]))],
    );
    check(
        "%r = linalg.map { arith.subf } ins(%x, %y : tensor<4xf32>, tensor<4xf32>) outs(%z : tensor<4xf32>)",
        "",
        &[4],
        |p| Some(p.to_vec()),
        &[("x", |p| Some(p.to_vec())), ("y", |p| Some(p.to_vec()))],
    );
    check(
        "%r = vector.multi_reduction <mul>, %x, %z [0, 2] : vector<2x3x4xf32> to vector<3xf32>",
        "",
        &[2, 3, 4],
        |p| Some(vec![p[1]]),
        &[("x", |p| Some(p.to_vec())), ("z", |p| Some(vec![p[1]]))],
    );
    check(
        "%r = vector.reduction <add>, %x : vector<5xf32> into f32",
        "",
        &[5],
        |_| Some(Vec::new()),
        &[("x", |p| Some(p.to_vec()))],
    );
    check(
        "%r = vector.contract {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (j, i)>], iterator_types = [\"parallel\", \"parallel\", \"reduction\"], kind = #vector.kind<maximumf>} %x, %y, %z : vector<2x4xf32>, vector<3x4xf32> into vector<3x2xf32>",
        "",
        &[2, 3, 4],
        |p| Some(vec![p[1], p[0]]),
        &[
            ("x", |p| Some(vec![p[0], p[2]])),
            ("y", |p| Some(vec![p[1], p[2]])),
            ("z", |p| Some(vec![p[1], p[0]])),
        ],
    );
}

#[test]
fn moved_elements() {
    let all: At = |p| Some(p.to_vec());
    check(
        "%r = linalg.transpose ins(%x : tensor<2x3x4xf32>) outs(%z : tensor<4x2x3xf32>) permutation = [2, 0, 1]",
        "",
        &[4, 2, 3],
        all,
        &[("x", |p| Some(vec![p[1], p[2], p[0]]))],
    );
    check(
        "%r = memref.transpose %x (i, j, k) -> (k, i, j) : memref<2x3x4xf32> to memref<4x2x3xf32, strided<[1, 12, 4]>>",
        "",
        &[4, 2, 3],
        all,
        &[("x", |p| Some(vec![p[1], p[2], p[0]]))],
    );
    check(
        "%r = tensor.expand_shape %x [[0, 1], [2, 3]] output_shape [2, 3, 2, 2] : tensor<6x4xf32> into tensor<2x3x2x2xf32>",
        "",
        &[2, 3, 2, 2],
        all,
        &[("x", |p| Some(vec![3 * p[0] + p[1], 2 * p[2] + p[3]]))],
    );
    check(
        "func.func @f(%x: tensor<8x9xf32>) -> tensor<2x3xf32> {
  %c4 = arith.constant 4 : index
  %r = tensor.extract_slice %x[%c4, 2] [2, 3] [2, 3] : tensor<8x9xf32> to tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}",
        "",
        &[2, 3],
        all,
        &[("x", |p| Some(vec![4 + 2 * p[0], 2 + 3 * p[1]]))],
    );
    check(
        "%r = tensor.extract_slice %x[1, 2, 0] [1, 3, 1] [1, 1, 1] : tensor<4x8x2xf32> to tensor<3xf32>",
        "",
        &[3],
        all,
        &[("x", |p| Some(vec![1, 2 + p[0], 0]))],
    );
    check(
        "%r = tensor.insert_slice %s into %x[1, 2] [2, 2] [1, 1] : tensor<2x2xf32> into tensor<4x5xf32>",
        "",
        &[4, 5],
        all,
        &[
            ("s", |p| {
                let is_in = (1..3).contains(&p[0]) && (2..4).contains(&p[1]);
                is_in.then(|| vec![p[0] - 1, p[1] - 2])
            }),
            ("x", |p| {
                let is_in = (1..3).contains(&p[0]) && (2..4).contains(&p[1]);
                (!is_in).then(|| p.to_vec())
            }),
        ],
    );
    check(
        "%r = memref.reinterpret_cast %x to offset: [3], sizes: [3, 4], strides: [6, 2] : memref<4x7xf32> to memref<3x4xf32, strided<[6, 2], offset: 3>>",
        "",
        &[3, 4],
        all,
        &[("x", |p| {
            let at = 3 + 6 * p[0] + 2 * p[1];
            Some(vec![at / 7, at % 7])
        })],
    );
    check(
        "%r = vector.insert_strided_slice %s, %x {offsets = [1, 2], strides = [1]} : vector<2xf32> into vector<3x5xf32>",
        "",
        &[3, 5],
        all,
        &[
            ("s", |p| (p[0] == 1 && (2..4).contains(&p[1])).then(|| vec![p[1] - 2])),
            ("x", |p| (p[0] != 1 || !(2..4).contains(&p[1])).then(|| p.to_vec())),
        ],
    );
    check(
        "%r = tensor.pad %x low[1, 0] high[0, 2] {
^bb0(%i: index, %j: index):
  tensor.yield %c : f32
} : tensor<2x3xf32> to tensor<3x5xf32>",
        "",
        &[3, 5],
        all,
        &[
            ("x", |p| (p[0] >= 1 && p[1] < 3).then(|| vec![p[0] - 1, p[1]])),
            ("c", |p| (p[0] < 1 || p[1] >= 3).then(Vec::new)),
        ],
    );
    check(
        "%r = tensor.concat dim(1) %x, %y : (tensor<2x3xf32>, tensor<2x2xf32>) -> tensor<2x5xf32>",
        "",
        &[2, 5],
        all,
        &[
            ("x", |p| (p[1] < 3).then(|| p.to_vec())),
            ("y", |p| (p[1] >= 3).then(|| vec![p[0], p[1] - 3])),
        ],
    );
    check(
        "%r = linalg.pack %x padding_value(%c : f32) outer_dims_perm = [1, 0] inner_dims_pos = [1] inner_tiles = [4] into %z : tensor<2x6xf32> -> tensor<2x2x4xf32>",
        "",
        &[2, 2, 4],
        all,
        &[
            ("x", |p| (4 * p[0] + p[2] < 6).then(|| vec![p[1], 4 * p[0] + p[2]])),
            ("c", |p| (4 * p[0] + p[2] >= 6).then(Vec::new)),
        ],
    );
    check(
        "%r = linalg.unpack %x inner_dims_pos = [1, 0] inner_tiles = [3, 2] into %z : tensor<2x2x3x2xf32> -> tensor<4x5xf32>",
        "",
        &[4, 5],
        all,
        &[("x", |p| Some(vec![p[0] / 2, p[1] / 3, p[1] % 3, p[0] % 2]))],
    );
    check(
        "%r = vector.broadcast %x : vector<3x1xf32> to vector<2x3x4xf32>",
        "",
        &[2, 3, 4],
        all,
        &[("x", |p| Some(vec![p[1], 0]))],
    );
}

#[test]
fn accesses_in_loops() {
    let all: At = |p| Some(p.to_vec());
    let nest = "affine.for %i = 0 to 6 {
  affine.for %j = 0 to 4 {
    %v = affine.load %x[%i + 1, %j floordiv 2] : memref<8x8xf32>
    affine.store %v, %y[%i * 4 + %j] : memref<24xf32>
  }
}";
    check(nest, "v", &[6, 4], all, &[("x", |p| Some(vec![p[0] + 1, p[1] / 2]))]);
    check(nest, "store", &[6, 4], all, &[("y", |p| Some(vec![p[0] * 4 + p[1]]))]);
    // An inner loop that runs to the outer one's counter.
    check(
        "affine.for %i = 0 to 5 {
  affine.for %j = 0 to affine_map<(d0) -> (d0 + 1)>(%i) {
    %v = affine.load %x[%i, %j] : memref<5x5xf32>
  }
}",
        "v",
        &[5, 5],
        all,
        &[("x", |p| (p[1] <= p[0]).then(|| p.to_vec()))],
    );
    check(
        "#lb = affine_map<(d0) -> (d0)>
#ub = affine_map<(d0) -> (d0 + 4, 9)>
func.func @f(%x: memref<12xf32>) {
  affine.for %i = 2 to 10 step 4 {
    affine.for %j = #lb(%i) to min #ub(%i) {
      %v = affine.load %x[%j] : memref<12xf32>
    }
  }
  return
}",
        "v",
        &[2, 4],
        all,
        &[("x", |p| (2 + 4 * p[0] + p[1] < 9).then(|| vec![2 + 4 * p[0] + p[1]]))],
    );
    check(
        "affine.parallel (%i, %j) = (0, 1) to (4, 7) step (1, 2) {
  %v = affine.load %x[%j, %i] : memref<8x4xf32>
}",
        "v",
        &[4, 3],
        all,
        &[("x", |p| Some(vec![1 + 2 * p[1], p[0]]))],
    );
    check(
        "func.func @f(%x: memref<40xf32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c2 = arith.constant 2 : index
  scf.for %i = %c0 to %c8 step %c2 {
    %0 = arith.muli %i, %c2 : index
    %1 = affine.apply affine_map<(d0)[s0] -> (d0 + s0)>(%0)[%c8]
    %v = memref.load %x[%1] : memref<40xf32>
  }
  return
}",
        "v",
        &[4],
        all,
        &[("x", |p| Some(vec![4 * p[0] + 8]))],
    );
    check(
        "affine.for %i = 0 to 24 {
  %0:3 = affine.delinearize_index %i into (2, 3, 4) : index, index, index
  %1 = affine.linearize_index [%0#2, %0#1] by (4, 3) : index
  %v = affine.load %x[%0#0, %1] : memref<2x12xf32>
}",
        "v",
        &[24],
        all,
        &[("x", |p| Some(vec![p[0] / 12, p[0] % 4 * 3 + p[0] / 4 % 3]))],
    );
    check(
        "func.func @f(%x: memref<4x8xf32>, %p: f32) {
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to 8 step 4 {
      %v = vector.transfer_read %x[%i, %j], %p {in_bounds = [true]} : memref<4x8xf32>, vector<4xf32>
    }
  }
  return
}",
        "v",
        &[4, 2, 4],
        all,
        &[("x", |p| Some(vec![p[0], 4 * p[1] + p[2]]))],
    );
}

/// The generic form of loops and accesses, as `mlir-opt` prints it.
#[test]
fn generic_loops() {
    let all: At = |p| Some(p.to_vec());
    check(
        "\"affine.for\"() ({
^bb0(%i: index):
  \"affine.for\"(%i, %i) ({
  ^bb0(%j: index):
    %0 = \"affine.apply\"(%i, %j) {map = affine_map<(d0, d1) -> (d0 * 4 + d1)>} : (index, index) -> index
    %v = \"affine.load\"(%x, %0, %i) {map = affine_map<(d0, d1) -> (d0 + 1, d1)>} : (memref<32x5xf32>, index, index) -> f32
    \"affine.yield\"() : () -> ()
  }) {lower_bound = affine_map<(d0) -> (d0)>, step = 2 : index, upper_bound = affine_map<(d0) -> (d0 + 3, 6)>} : (index, index) -> ()
  \"affine.yield\"() : () -> ()
}) {lower_bound = affine_map<() -> (0)>, step = 1 : index, upper_bound = affine_map<() -> (5)>} : () -> ()",
        "v",
        &[5, 2],
        all,
        &[("x", |p| {
            let j = p[0] + 2 * p[1];
            (j < 6 && j < p[0] + 3).then(|| vec![p[0] * 4 + j + 1, p[0]])
        })],
    );
    check(
        "\"affine.parallel\"() ({
^bb0(%i: index, %j: index):
  %v = \"affine.load\"(%x, %i, %j) {map = affine_map<(d0, d1) -> (d1, d0)>} : (memref<9x5xf32>, index, index) -> f32
  \"affine.yield\"() : () -> ()
}) {lowerBoundsGroups = dense<1> : tensor<2xi32>, lowerBoundsMap = affine_map<() -> (0, 1)>, reductions = [], steps = [1, 2], upperBoundsGroups = dense<[1, 2]> : tensor<2xi32>, upperBoundsMap = affine_map<() -> (5, 8, 9)>} : () -> ()",
        "v",
        &[5, 4],
        all,
        &[("x", |p| Some(vec![1 + 2 * p[1], p[0]]))],
    );
    check(
        "func.func @f(%x: memref<9x5xf32>) {
  %a = \"arith.constant\"() {value = 1 : index} : () -> index
  %b = \"arith.constant\"() {value = 8 : index} : () -> index
  %c = \"arith.constant\"() {value = 3 : index} : () -> index
  \"scf.for\"(%a, %b, %c) ({
  ^bb0(%i: index):
    %v = \"memref.load\"(%x, %i, %a) : (memref<9x5xf32>, index, index) -> f32
    \"scf.yield\"() : () -> ()
  }) : (index, index, index) -> ()
  return
}",
        "v",
        &[3],
        all,
        &[("x", |p| Some(vec![1 + 3 * p[0], 1]))],
    );
}

/// Values that are not followed are unknown, with the reason.
#[test]
fn unknown() {
    #[track_caller]
    fn check(text: &str, reason: &str) {
        let (status, lines) = said("hlo a.mlir", &[("a.mlir", text)]);
        assert!(lines.iter().any(|line| line.contains(reason)), "{text}\n{lines:?}");
        assert!(matches!(status, Status::Undecided | Status::Wrong), "{text}\n{lines:?}");
        let has_map = |line: &String| line.starts_with("    ") && line.contains(" -> ");
        assert!(!lines.iter().any(has_map), "{text}\n{lines:?}");
    }
    check(
        "%r = linalg.matmul ins(%x, %y : tensor<3x4xf32>, tensor<5x5xf32>) outs(%z : tensor<3x5xf32>) -> tensor<3x5xf32>",
        "the sizes of its loop 2 differ",
    );
    check(
        "%r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = [\"parallel\", \"reduction\"]} ins(%x : tensor<3x4xf32>) outs(%z : tensor<3xf32>) {
^bb0(%a: f32, %b: f32):
  linalg.yield %a : f32
} -> tensor<3xf32>",
        "the last point alone computes an element",
    );
    check(
        "%r = memref.reinterpret_cast %x to offset: [0], sizes: [2, 2], strides: [3, %s] : memref<8xf32> to memref<2x2xf32, strided<[3, ?]>>",
        "its strides are known only at run time",
    );
    check(
        "affine.for %i = 0 to 8 step %s {
  %v = affine.load %x[%i] : memref<8xf32>
}",
        "its step is not a known positive number",
    );
    check(
        "affine.for %i = 0 to 4 {
  %0 = memref.subview %x[%i] [2] [1] : memref<8xf32> to memref<2xf32, strided<[1], offset: ?>>
  %v = affine.load %0[1] : memref<2xf32, strided<[1], offset: ?>>
}",
        "inside of a loop it is not followed",
    );
}

/// A name that loops beside each other both use is of the value in each.
#[test]
fn names_in_two_loops() {
    let text = "func.func @f(%x: memref<8xf32>, %n: memref<8xindex>) {
  affine.for %i = 0 to 4 {
    %0 = affine.apply affine_map<(d0) -> (d0 * 2)>(%i)
    %a = memref.load %x[%0] : memref<8xf32>
  }
  affine.for %i = 0 to 4 {
    %0 = memref.load %n[%i] : memref<8xindex>
    %b = memref.load %x[%0] : memref<8xf32>
  }
  return
}";
    let (_, lines) = said("hlo a.mlir", &[("a.mlir", text)]);
    let below = |name: &str| {
        let head = format!("  {name} = ");
        let at = lines.iter().position(|line| line.starts_with(&head)).expect(name);
        lines[at + 1..].iter().find(|line| line.contains("x: ")).cloned().expect(name)
    };
    assert_eq!(below("a"), "    x: (d0) -> (d0 * 2), domain: d0 in [0, 3]");
    // Which element `%0` is in the second loop is not known.
    assert_eq!(below("b"), "    x: (d0)[s0] -> (s0), domain: d0 in [0, 3], s0 in [0, 7]");
    assert!(lines.iter().any(|line| line.contains("at most: `b`")), "{lines:?}");
}

/// A value that was read before memory changed is not the content of the buffer.
#[test]
fn buffers_that_are_written_to() {
    let text = "func.func @f(%x: memref<4xf32>, %v: f32) -> f32 {
  %c1 = arith.constant 1 : index
  %0 = memref.load %x[%c1] : memref<4xf32>
  memref.store %v, %x[%c1] : memref<4xf32>
  return %0 : f32
}";
    let (status, lines) = said("hlo a.mlir --entry", &[("a.mlir", text)]);
    assert_eq!(status, Status::Done, "{lines:?}");
    assert_eq!(lines, ["    x: () -> (1)", "    v: nothing is read"]);
    let text = text
        .replace("  %0 = memref.load", "")
        .replace(" %x[%c1] : memref<4xf32>\n  memref", "  memref");
    let text = text.replace("  return", "  %0 = memref.load %x[%c1] : memref<4xf32>\n  return");
    let (status, lines) = said("hlo a.mlir --entry", &[("a.mlir", &text)]);
    assert_ne!(status, Status::Done, "{lines:?}");
    assert!(lines.iter().any(|line| line.contains("x: unknown")), "{lines:?}");
}
