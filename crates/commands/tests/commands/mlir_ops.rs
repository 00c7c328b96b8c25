//! Ops of MLIR's linalg, tensor, memref and vector dialects: their maps, compared with the loops of their definitions.
//!
//! Each op is written out as loops here: a point of the iteration space computes an element, and reads one of each operand.
//! All elements are compared.

use super::mlir::said;
use affinor::text::parse_map;
use affinor_commands::Status;
use std::collections::{BTreeMap, BTreeSet};

pub type Index = Vec<i64>;
pub type Reads = BTreeMap<Index, BTreeSet<Index>>;
/// Maps a point to an index; `None` if nothing is read there.
pub type At = fn(&[i64]) -> Option<Index>;

pub fn points(sizes: &[i64]) -> Vec<Index> {
    sizes.iter().fold(vec![Vec::new()], |points, size| {
        let longer =
            |point: &Index| (0..*size).map(|at| [&point[..], &[at]].concat()).collect::<Vec<_>>();
        points.iter().flat_map(longer).collect()
    })
}

/// Adds the reads of a printed map, element by element.
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

/// Returns the status of `command`, and the lines below the instruction `asked`, or all lines if it is empty.
pub fn below(command: &str, text: &str, asked: &str) -> (Status, Vec<String>) {
    let (status, lines) = said(command, &[("a.mlir", text)]);
    let head = format!("  {asked} = ");
    let start = lines.iter().position(|line| asked.is_empty() || line.starts_with(&head));
    let start = start.unwrap_or_else(|| panic!("{text}\n{lines:?}"));
    let below = lines.into_iter().skip(start + usize::from(!asked.is_empty()));
    (status, below.take_while(|line| line.starts_with("    ")).collect())
}

/// Returns the reads of each operand of `asked`, or of each parameter of the entry if it is empty.
pub fn answers(text: &str, asked: &str) -> BTreeMap<String, Reads> {
    let line = if asked.is_empty() { "hlo a.mlir --entry" } else { "hlo a.mlir" };
    let (status, below) = below(line, text, asked);
    assert_eq!(status, Status::Done, "{text}\n{below:?}");
    let mut found: BTreeMap<String, Reads> = BTreeMap::new();
    for line in below {
        let (name, map) = line.trim().split_once(": ").unwrap_or_else(|| panic!("{line}"));
        let name = name.rsplit(' ').next().unwrap_or(name); // after the verb of an access
        if map != "nothing is read" {
            read_by(map, found.entry(name.to_owned()).or_default());
        }
    }
    found
}

/// Checks that the reads of each operand are exactly those of `loops`.
#[track_caller]
pub fn check(text: &str, asked: &str, sizes: &[i64], out: At, loops: &[(&str, At)]) {
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
    // The generic form does not say which operands are destinations.
    let region = "({
^bb0(%a: f32, %b: f32):
  %c = \"arith.maximumf\"(%a, %b) : (f32, f32) -> f32
  \"linalg.yield\"(%c) : (f32) -> ()
})";
    check(
        &format!(
            "%r = \"linalg.reduce\"(%x, %z) <{{dimensions = array<i64: 1>}}> {region} : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2xf32>"
        ),
        "",
        &[2, 3],
        |p| Some(vec![p[0]]),
        &[("x", |p| Some(p.to_vec())), ("z", |p| Some(vec![p[0]]))],
    );
    check(
        &format!(
            "%r = \"linalg.map\"(%x, %y, %z) {region} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>"
        ),
        "",
        &[4],
        |p| Some(p.to_vec()),
        &[("x", |p| Some(p.to_vec())), ("y", |p| Some(p.to_vec()))],
    );
    check(
        "%r = \"linalg.pack\"(%x, %z, %p) <{inner_dims_pos = array<i64: 0>, operandSegmentSizes = array<i32: 1, 1, 1, 0>, static_inner_tiles = array<i64: 2>}> : (tensor<3xf32>, tensor<2x2xf32>, f32) -> tensor<2x2xf32>",
        "",
        &[2, 2],
        |p| Some(p.to_vec()),
        &[
            ("x", |p| (2 * p[0] + p[1] < 3).then(|| vec![2 * p[0] + p[1]])),
            ("p", |p| (2 * p[0] + p[1] == 3).then(Vec::new)),
        ],
    );
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
    // Windows of a vector; the second input does not affect the result.
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
    // Only the size of the window matters.
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

/// Values that are not analysed are unknown, with the reason.
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
        "affine.for %i = 0 to 8 step -1 {
  %v = affine.load %x[%i] : memref<8xf32>
}",
        "its step is not positive",
    );
    check(
        "affine.for %i = 0 to 4 {
  %0 = memref.subview %x[%i] [2] [%s] : memref<8xf32> to memref<2xf32, strided<[?], offset: ?>>
  %v = affine.load %0[1] : memref<2xf32, strided<[?], offset: ?>>
}",
        "its strides are known only at run time",
    );
}
