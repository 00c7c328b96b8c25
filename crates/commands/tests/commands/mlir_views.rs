//! Accesses through views, by threads of a kernel, under conditions, and inside regions, compared with the loops written out.

use super::mlir_ops::{Index, below, check};
use affinor_commands::Status;

/// All indices of a point are indices of the result.
fn all(p: &[i64]) -> Option<Index> {
    Some(p.to_vec())
}

#[test]
fn views_of_buffers() {
    let strided = "memref<4x8xf32, strided<[24, 2], offset: ?>>";
    let text = format!(
        "func.func @f(%A: memref<16x24xf32>, %x: memref<4xf32>) {{
  affine.for %i = 0 to 16 step 4 {{
    %s = memref.subview %A[%i, 3] [4, 8] [1, 2] : memref<16x24xf32> to {strided}
    %t = memref.transpose %s (i, j) -> (j, i) : {strided} to memref<8x4xf32, strided<[2, 24], offset: ?>>
    affine.for %j = 0 to 4 {{
      %v = affine.load %x[%j] : memref<4xf32>
      affine.store %v, %t[2 * %j + 1, %j] : memref<8x4xf32, strided<[2, 24], offset: ?>>
    }}
  }}
  return
}}"
    );
    check(&text, "store", &[4, 4], all, &[("A", |p| Some(vec![p[0] * 4 + p[1], p[1] * 4 + 5]))]);
    check(
        "func.func @f(%A: memref<2x3x4xf32>, %v: f32) {
  %f = memref.collapse_shape %A [[0, 1], [2]] : memref<2x3x4xf32> into memref<6x4xf32>
  %e = memref.expand_shape %f [[0], [1, 2]] output_shape [6, 2, 2] : memref<6x4xf32> into memref<6x2x2xf32>
  affine.for %i = 0 to 6 {
    affine.store %v, %e[%i, 1, 0] : memref<6x2x2xf32>
  }
  return
}",
        "store",
        &[6],
        all,
        &[("A", |p| Some(vec![p[0] / 3, p[0] % 3, 2]))],
    );
    check(
        "func.func @f(%A: memref<6x4xf32>, %v: f32) {
  %r = memref.reinterpret_cast %A to offset: [2], sizes: [3, 5], strides: [7, 1] : memref<6x4xf32> to memref<3x5xf32, strided<[7, 1], offset: 2>>
  affine.parallel (%i, %j) = (0, 0) to (3, 5) {
    affine.store %v, %r[%i, %j] : memref<3x5xf32, strided<[7, 1], offset: 2>>
  }
  return
}",
        "store",
        &[3, 5],
        all,
        &[("A", |p| Some(vec![(p[0] * 7 + p[1] + 2) / 4, (p[0] * 7 + p[1] + 2) % 4]))],
    );
    // Behind the end of the view nothing is written, though the buffer has elements there.
    check(
        "func.func @f(%A: memref<9x20xf32>, %v: vector<4xf32>) {
  affine.for %i = 0 to 9 {
    %s = memref.subview %A[%i, 0] [1, 10] [1, 1] : memref<9x20xf32> to memref<10xf32, strided<[1], offset: ?>>
    affine.for %j = 0 to 10 step 4 {
      vector.transfer_write %v, %s[%j] : vector<4xf32>, memref<10xf32, strided<[1], offset: ?>>
    }
  }
  return
}",
        "transfer_write",
        &[9, 3, 4],
        all,
        &[("A", |p| (p[1] * 4 + p[2] < 10).then(|| vec![p[0], p[1] * 4 + p[2]]))],
    );
}

#[test]
fn tiles_of_tensors() {
    let text = "#size = affine_map<(d0) -> (10 - d0, 4)>
func.func @f(%x: tensor<10x3xf32>, %o: tensor<3x10xf32>) -> tensor<3x10xf32> {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c10 = arith.constant 10 : index
  %r = scf.for %i = %c0 to %c10 step %c4 iter_args(%acc = %o) -> (tensor<3x10xf32>) {
    %m = affine.min #size(%i)
    %s = tensor.extract_slice %x[%i, 1] [%m, 1] [1, 1] : tensor<10x3xf32> to tensor<?xf32>
    %n = tensor.insert_slice %s into %acc[2, %i] [1, %m] [1, 1] : tensor<?xf32> into tensor<3x10xf32>
    scf.yield %n : tensor<3x10xf32>
  }
  return %r : tensor<3x10xf32>
}";
    check(
        text,
        "s",
        &[3, 4],
        all,
        &[("x", |p| (p[0] * 4 + p[1] < 10).then(|| vec![p[0] * 4 + p[1], 1]))],
    );
    check(
        text,
        "n",
        &[3, 4],
        all,
        &[("o", |p| (p[0] * 4 + p[1] < 10).then(|| vec![2, p[0] * 4 + p[1]]))],
    );
    // Within the loop, reads of the carried array are not reads of the array that it began with.
    let (status, lines) = below(
        "hlo a.mlir",
        &text
            .replace("%x[%i, 1]", "%acc[2, %i]")
            .replace("[%m, 1]", "[1, %m]")
            .replace("tensor<10x3xf32> to", "tensor<3x10xf32> to"),
        "s",
    );
    assert_eq!(status, Status::Undecided, "{lines:?}");
    assert!(lines.iter().any(|line| line.contains("`%acc` is changed by the loop")), "{lines:?}");
    let forall = "func.func @f(%x: tensor<8x6xf32>, %o: tensor<6x8xf32>) -> tensor<6x8xf32> {
  %r = scf.forall (%i, %j) = (0, 0) to (8, 6) step (4, 2) shared_outs(%acc = %o) -> (tensor<6x8xf32>) {
    %s = tensor.extract_slice %acc[%j, %i] [2, 4] [1, 1] : tensor<6x8xf32> to tensor<2x4xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %acc[%j, %i] [2, 4] [1, 1] : tensor<2x4xf32> into tensor<6x8xf32>
    }
  }
  return %r : tensor<6x8xf32>
}";
    for asked in ["s", "parallel_insert_slice"] {
        check(
            forall,
            asked,
            &[2, 3, 2, 4],
            all,
            &[("o", |p| Some(vec![p[1] * 2 + p[2], p[0] * 4 + p[3]]))],
        );
    }
}

#[test]
fn threads() {
    let kernel = "gpu.module @k {
  gpu.func @f(%A: memref<10x3xf32>) kernel attributes {known_block_size = array<i32: 4, 1, 1>} {
    %bd = gpu.block_dim x
    %tx = gpu.thread_id x
    %bx = gpu.block_id x upper_bound 3
    %0 = arith.muli %bx, %bd : index
    %1 = arith.addi %0, %tx : index
    %c10 = arith.constant 10 : index
    %c2 = arith.constant 2 : index
    %in = arith.cmpi slt, %1, %c10 : index
    scf.if %in {
      %v = memref.load %A[%1, %c2] : memref<10x3xf32>
    }
    gpu.return
  }
}";
    check(
        kernel,
        "v",
        &[4, 3],
        all,
        &[("A", |p| (p[1] * 4 + p[0] < 10).then(|| vec![p[1] * 4 + p[0], 2]))],
    );
    let fusion = "#map = #xla.indexing_map<\"(th, bl)[s0, s1] -> (bl * 4 + s0, th * 2 + s1), domain: th in [0, 2], bl in [0, 1], s0 in [0, 3], s1 in [0, 1], bl * 4 + s0 in [0, 6]\">
func.func @f(%x: tensor<7x6xf32>, %o: tensor<6x7xf32>) -> tensor<6x7xf32> {
  %th = gpu.thread_id x {xla.range = [0 : index, 2 : index]}
  %bl = gpu.block_id x {xla.range = [0 : index, 1 : index]}
  %r = xla.loop (%th, %bl)[%i, %j] -> (%a, %b) in #map iter_args(%acc = %o) -> (tensor<6x7xf32>) {
    %v = tensor.extract %x[%a, %b] : tensor<7x6xf32>
    %n = tensor.insert %v into %acc[%b, %a] : tensor<6x7xf32>
    xla.yield %n : tensor<6x7xf32>
  }
  return %r : tensor<6x7xf32>
}";
    let sizes = [3, 2, 4, 2];
    check(
        fusion,
        "v",
        &sizes,
        all,
        &[("x", |p| (p[1] * 4 + p[2] < 7).then(|| vec![p[1] * 4 + p[2], p[0] * 2 + p[3]]))],
    );
    check(
        fusion,
        "n",
        &sizes,
        all,
        &[("o", |p| (p[1] * 4 + p[2] < 7).then(|| vec![p[0] * 2 + p[3], p[1] * 4 + p[2]]))],
    );
}

#[test]
fn conditions() {
    let text = "#set = affine_set<(d0, d1) : (d0 - d1 - 1 >= 0)>
func.func @f(%A: memref<6x6xf32>) {
  affine.for %i = 0 to 6 {
    affine.for %j = 0 to 6 {
      affine.if #set(%i, %j) {
        %v = affine.load %A[%i, %j] : memref<6x6xf32>
      } else {
        %w = affine.load %A[%j, %i] : memref<6x6xf32>
      }
    }
  }
  return
}";
    check(text, "v", &[6, 6], all, &[("A", |p| (p[0] > p[1]).then(|| vec![p[0], p[1]]))]);
    check(text, "w", &[6, 6], all, &[("A", |p| (p[0] <= p[1]).then(|| vec![p[1], p[0]]))]);
    // Both regions call their value `%0`.
    let text = "affine.for %i = 0 to 6 {
  %c2 = arith.constant 2 : index
  %c = arith.cmpi slt, %i, %c2 : index
  %k = scf.if %c -> (index) {
    %0 = arith.muli %i, %c2 : index
    scf.yield %0 : index
  } else {
    %0 = arith.addi %i, %c2 : index
    scf.yield %0 : index
  }
  %v = memref.load %A[%k] : memref<8xf32>
}";
    let at: super::mlir_ops::At = |p| Some(vec![if p[0] < 2 { 2 * p[0] } else { p[0] + 2 }]);
    check(text, "v", &[6], all, &[("A", at)]);
}

/// Tiles that run past the end of a buffer.
#[test]
fn tiles_of_buffers() {
    check(
        "%c = arith.constant 1 : index
%e = xtile.extract %x[%c, %c] [4, 4] [1, 2] : memref<4x6xf32> -> tensor<4x4xf32>
%r = stablehlo.transpose %e, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>",
        "",
        &[4, 4],
        all,
        &[("x", |p| (p[1] < 3 && p[0] < 3).then(|| vec![p[1] + 1, p[0] * 2 + 1]))],
    );
    let text = "xtile.entry_func @f(%x: memref<7x2xf32>, %y: memref<2x9xf32>) {
  %c0 = arith.constant 0 : index
  affine.for %i = 0 to 3 {
    %o = affine.apply affine_map<(d0) -> (d0 * 3)>(%i)
    %e = xtile.extract %x[%o, %c0] [3, 2] [1, 1] : memref<7x2xf32> -> tensor<3x2xf32>
    %q = stablehlo.transpose %e, dims = [1, 0] : (tensor<3x2xf32>) -> tensor<2x3xf32>
    xtile.insert %q into %y[%c0, %o] [2, 3] [1, 1] : tensor<2x3xf32> -> memref<2x9xf32>
  }
  xtile.return
}";
    for (name, sizes, operand, at) in [
        (
            "e",
            &[3, 3, 2][..],
            "x",
            (|p| {
                let row = p[0] * 3 + p[1];
                (row < 7).then(|| vec![row, p[2]])
            }) as super::mlir_ops::At,
        ),
        ("insert", &[3, 2, 3], "y", |p| Some(vec![p[1], p[0] * 3 + p[2]])),
    ] {
        let mut found = super::mlir_ops::Reads::new();
        let command = format!("hlo a.mlir --instruction {name}");
        let (_, below) = super::mlir_ops::below(&command, text, name);
        let map = below.iter().find_map(|line| line.split_once(&format!(" {operand}: ")));
        let map = map.map(|(_, map)| map);
        super::mlir_ops::read_by(map.expect("a map"), &mut found);
        let points = super::mlir_ops::points(sizes).into_iter();
        let expected = points.filter_map(|p| Some((p.clone(), [at(&p)?].into())));
        assert_eq!(found, expected.collect::<super::mlir_ops::Reads>());
    }
}

#[test]
fn regions_that_extract() {
    check(
        "#map = affine_map<(d0, d1) -> (d0, d1)>
func.func @f(%x: tensor<4x6xf32>, %e: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %r = linalg.generic {indexing_maps = [#map], iterator_types = [\"parallel\", \"parallel\"]} outs(%e : tensor<4x6xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = affine.apply affine_map<(d0, d1) -> ((d1 + d0) mod 6)>(%i, %j)
    %v = tensor.extract %x[%i, %k] : tensor<4x6xf32>
    linalg.yield %v : f32
  } -> tensor<4x6xf32>
  return %r : tensor<4x6xf32>
}",
        "r",
        &[4, 6],
        all,
        &[("x", |p| Some(vec![p[0], (p[0] + p[1]) % 6]))],
    );
    check(
        "func.func @f(%x: tensor<6x4xf32>) -> tensor<4x6xf32> {
  %c5 = arith.constant 5 : index
  %r = tensor.generate {
  ^bb0(%i: index, %j: index):
    %k = arith.subi %c5, %j : index
    %v = tensor.extract %x[%k, %i] : tensor<6x4xf32>
    tensor.yield %v : f32
  } : tensor<4x6xf32>
  return %r : tensor<4x6xf32>
}",
        "r",
        &[4, 6],
        all,
        &[("x", |p| Some(vec![5 - p[1], p[0]]))],
    );
    // An index that is loaded may be any.
    let (status, lines) = below(
        "hlo a.mlir",
        "%r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = [\"parallel\", \"parallel\"]} ins(%ids : tensor<5xi64>) outs(%e : tensor<5x3xf32>) {
^bb0(%a: i64, %o: f32):
  %k = arith.index_cast %a : i64 to index
  %j = linalg.index 1 : index
  %v = tensor.extract %x[%k, %j] : tensor<7x3xf32>
  linalg.yield %v : f32
} -> tensor<5x3xf32>",
        "r",
    );
    assert_eq!(status, Status::Done);
    assert!(lines.iter().any(|line| line.contains("x: (d0, d1)[s0] -> (s0, d1)")), "{lines:?}");
    assert!(lines.iter().any(|line| line.contains("at most")), "{lines:?}");
}

#[test]
fn elements_of_vectors() {
    for (text, result, sizes, loops) in [
        (
            "%r = vector.outerproduct %x, %y : vector<3xf32>, vector<4xf32>",
            all as super::mlir_ops::At,
            &[3, 4][..],
            &[("x", (|p| Some(vec![p[0]])) as super::mlir_ops::At), ("y", |p| Some(vec![p[1]]))][..],
        ),
        (
            "%r = vector.interleave %x, %y : vector<2x3xf32> -> vector<2x6xf32>",
            all,
            &[2, 6],
            &[
                ("x", |p| (p[1] % 2 == 0).then(|| vec![p[0], p[1] / 2])),
                ("y", |p| (p[1] % 2 == 1).then(|| vec![p[0], p[1] / 2])),
            ],
        ),
        (
            "%q, %r = vector.deinterleave %x : vector<2x6xf32> -> vector<2x3xf32>",
            all,
            &[2, 3],
            &[("x", |p| Some(vec![p[0], p[1] * 2 + 1]))],
        ),
        (
            "%r = vector.shuffle %x, %y [3, 0, 2] : vector<2x4xf32>, vector<2x4xf32>",
            all,
            &[3, 4],
            &[
                ("x", |p| (p[0] == 1).then(|| vec![0, p[1]])),
                ("y", |p| (p[0] != 1).then(|| vec![if p[0] == 0 { 1 } else { 0 }, p[1]])),
            ],
        ),
        (
            "%r = vector.insert %x, %y[2, 1] : vector<4xf32> into vector<3x2x4xf32>",
            all,
            &[3, 2, 4],
            &[
                ("x", |p| (p[0] == 2 && p[1] == 1).then(|| vec![p[2]])),
                ("y", |p| (p[0] != 2 || p[1] != 1).then(|| p.to_vec())),
            ],
        ),
        (
            "%q:6 = vector.to_elements %x : vector<2x3xf32>
             %r = vector.from_elements %q#4, %q#0 : vector<2xf32>",
            all,
            &[2],
            &[("x", |p| Some(if p[0] == 0 { vec![1, 1] } else { vec![0, 0] }))],
        ),
        (
            "%r = vector.bitcast %x : vector<2x6xi16> to vector<2x3xf32>",
            |p| Some(p[..2].to_vec()),
            &[2, 3, 2],
            &[("x", |p| Some(vec![p[0], p[1] * 2 + p[2]]))],
        ),
        (
            "%r = vector.bitcast %x : vector<2x3xi32> to vector<2x6xf16>",
            all,
            &[2, 6],
            &[("x", |p| Some(vec![p[0], p[1] / 2]))],
        ),
        (
            "%i = arith.constant 1 : index
             %r = vector.transfer_write %x, %y[%i, %i, %i] {in_bounds = [true, true], permutation_map = affine_map<(i, j, k) -> (k, i)>} : vector<2x3xf32>, tensor<4x3x3xf32>",
            all,
            &[4, 3, 3],
            &[
                ("x", |p| (p[0] > 0 && p[1] == 1 && p[2] > 0).then(|| vec![p[2] - 1, p[0] - 1])),
                ("y", |p| (p[0] == 0 || p[1] != 1 || p[2] == 0).then(|| p.to_vec())),
            ],
        ),
    ] {
        check(text, "", sizes, result, loops);
    }
}
