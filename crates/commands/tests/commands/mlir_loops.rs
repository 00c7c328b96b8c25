//! Loops of MLIR: the elements that accesses read over all iterations, compared with the loops themselves.

use super::mlir::said;
use super::mlir_ops::{At, Reads, answers, check};
use super::support::memory::Memory;
use affinor_commands::Status;
use std::collections::{BTreeMap, BTreeSet};

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
    // An inner loop whose bound is the outer loop's counter.
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
    // The map of the loops is written in place, and holds only within its domain.
    let inline = "func.func @f(%x: tensor<8x8xf32>, %t: tensor<8xf32>) {
  %c1 = arith.constant 1 : index
  %r = xla.loop (%c1)[%a, %b] -> (%i, %j) in #xla.indexing_map<\"(d0)[s0, s1] -> (s0 * 2 + s1, d0 + s1), domain: d0 in [0, 3], s0 in [0, 3], s1 in [0, 1], s0 + s1 in [0, 3]\"> iter_args(%q = %t) -> (tensor<8xf32>) {
    %e = tensor.extract %x[%i, %j] : tensor<8x8xf32>
    xla.yield %q : tensor<8xf32>
  }
  return
}";
    let at: At = |p| (p[0] + p[1] < 4).then(|| vec![2 * p[0] + p[1], 1 + p[1]]);
    let (_, below) = super::mlir_ops::below("hlo a.mlir", inline, "e");
    let mut found = Reads::new();
    let [map] = &*below else { panic!("{below:?}") };
    super::mlir_ops::read_by(map.trim_start_matches("    reads x: "), &mut found);
    let within = super::mlir_ops::points(&[4, 2]).into_iter().filter_map(|p| Some((at(&p)?, p)));
    assert_eq!(found, within.map(|(element, p)| (p, [element].into())).collect::<Reads>());
    check(
        "affine.for %i = 0 to 4 {
  %o = memref.atomic_rmw addf %v, %x[%i] : (f32, memref<4xf32>) -> f32
}",
        "o",
        &[4],
        all,
        &[("x", |p| Some(p.to_vec()))],
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
    check(
        "affine.for %i = 0 to 12 {
  %d:2 = \"affine.delinearize_index\"(%i) <{static_basis = array<i64: 3, 4>}> : (index) -> (index, index)
  %l = \"affine.linearize_index\"(%d#1, %d#0) <{disjoint = false, operandSegmentSizes = array<i32: 2, 0>, static_basis = array<i64: 4, 3>}> : (index, index) -> index
  %c = \"arith.constant\"() <{value = 6 : index}> : () -> index
  %t = \"arith.cmpi\"(%i, %c) <{predicate = 2 : i64}> : (index, index) -> i1
  %k = \"arith.select\"(%t, %c, %i) : (i1, index, index) -> index
  %v = \"memref.load\"(%x, %l, %k) : (memref<12x12xf32>, index, index) -> f32
}",
        "v",
        &[12],
        all,
        &[("x", |p| Some(vec![p[0] % 4 * 3 + p[0] / 4, p[0].max(6)]))],
    );
}

/// Integers as bits, rounded toward zero, chosen by conditions, and of a fixed width: `%k` of a loop over `%i` from 0 to 20, or from
/// -10 to 10 as `%n`. Without a function, the index is not an expression, and any element may be read.
#[test]
fn index_arithmetic() {
    type OfCounter = fn(i64) -> Option<i64>;
    const ROWS: &[(&str, Option<OfCounter>)] = &[
        ("%k = arith.remui %i, %c3 : index", Some(|i| Some(i % 3))),
        ("%k = arith.remui %n, %c3 : index", None),
        (
            "%q = arith.divsi %n, %c3 : index\n%k = arith.addi %q, %c10 : index",
            Some(|i| Some((i - 10) / 3 + 10)),
        ),
        (
            "%q = index.rems %n, %c3\n%k = arith.addi %q, %c10 : index",
            Some(|i| Some((i - 10) % 3 + 10)),
        ),
        (
            "%q = arith.shli %i, %c3 : index\n%k = arith.shrui %q, %c1 : index",
            Some(|i| Some(i * 4)),
        ),
        (
            "%q = arith.shrsi %n, %c1 : index\n%k = arith.addi %q, %c10 : index",
            Some(|i| Some(((i - 10) >> 1) + 10)),
        ),
        ("%k = arith.andi %i, %c6 : index", Some(|i| Some(i & 6))),
        ("%k = arith.ori %c6, %i : index", Some(|i| Some(i | 6))),
        ("%k = index.xor %i, %c3", Some(|i| Some(i ^ 3))),
        ("%k = arith.andi %i, %c10 : index", Some(|i| Some(i & 10))),
        ("%k = arith.xori %i, %i : index", None),
        (
            "%p = arith.cmpi slt, %n, %c3 : index\n%q = arith.select %p, %n, %c3 : index\n%k = arith.addi %q, %c10 : index",
            Some(|i| Some(13.min(i))),
        ),
        (
            "%p = index.cmp sge(%i, %c6)\n%j = arith.addi %i, %c10 : index\n%k = arith.select %p, %j, %i : index",
            Some(|i| Some(if i >= 6 { i + 10 } else { i })),
        ),
        ("%p = arith.cmpi eq, %i, %c6 : index\n%k = arith.select %p, %c3, %i : index", None),
        (
            "%k = scf.if %b -> (index) {\nscf.yield %c3 : index\n} else {\nscf.yield %i : index\n}",
            None,
        ),
        (
            "%p = arith.cmpi ugt, %i, %c6 : index\n%k = scf.if %p -> (index) {\nscf.yield %c3 : index\n} else {\nscf.yield %c6 : index\n}",
            Some(|i| Some(if i > 6 { 3 } else { 6 })),
        ),
        (
            "%w = arith.index_cast %i : index to i8\n%x = arith.muli %w, %w8 : i8\n%k = arith.index_cast %x : i8 to index",
            Some(|i| Some(i * 6)),
        ),
        (
            "%w = arith.index_cast %i : index to i8\n%y = arith.muli %w, %w8 : i8\n%x = arith.muli %y, %w8 : i8\n%k = arith.index_castui %x : i8 to index",
            None,
        ),
        (
            "%p = arith.cmpi ult, %n, %c3 : index\n%k = arith.addi %i, %c3 : index",
            Some(|i| (10..13).contains(&i).then_some(i + 3)),
        ),
        (
            "%p = arith.cmpi ne, %i, %c0 : index\n%k = arith.addi %i, %c3 : index",
            Some(|i| (i != 0).then_some(i + 3)),
        ),
        ("%p = arith.cmpi ne, %i, %c3 : index\n%k = arith.addi %i, %c3 : index", None),
    ];
    for (lines, at) in ROWS {
        let load = "%v = memref.load %x[%k] : memref<128xf32>";
        // A condition that no line uses is that of the load.
        let load =
            match lines.contains("%p =") && !lines.contains(" %p,") && !lines.contains("if %p") {
                true => format!("scf.if %p {{\n{load}\n}}"),
                false => load.to_owned(),
            };
        let constants =
            [0, 1, 3, 6, 10, 20].map(|k| format!("%c{k} = arith.constant {k} : index\n"));
        let text = format!(
            "func.func @f(%x: memref<128xf32>, %b: i1) {{\n{}%w8 = arith.constant 6 : i8
scf.for %i = %c0 to %c20 step %c1 {{
%n = arith.subi %i, %c10 : index\n{lines}\n{load}\n}}\nreturn\n}}",
            constants.concat()
        );
        let points: BTreeMap<Vec<i64>, BTreeSet<Vec<i64>>> = match at {
            Some(at) => (0..20).filter_map(|i| Some((vec![i], [vec![at(i)?]].into()))).collect(),
            None => BTreeMap::new(),
        };
        let (_, found) = said("hlo a.mlir", &[("a.mlir", &text)]);
        let is_exact = found.iter().any(|line| line.contains("1 exact, 0 at most, 0 unknown"));
        assert_eq!(is_exact, at.is_some(), "{text}\n{found:?}");
        if at.is_some() {
            assert_eq!(answers(&text, "v").get("x"), Some(&points), "{text}");
        }
    }
}

/// Values that differ by thread are not one value of the kernel, and masks exclude elements.
#[test]
fn upper_bounds() {
    for (lines, name) in [
        (
            "%r = arith.shrui %t, %c3 : index\n%y = arith.xori %t, %r : index\n%v = memref.load %x[%y] : memref<64xf32>",
            "v",
        ),
        (
            "%r = memref.load %i[%t] : memref<64xindex>\n%v = memref.load %x[%r] : memref<64xf32>",
            "v",
        ),
        (
            "%v = vector.transfer_read %x[%c3], %p, %m {in_bounds = [true]} : memref<64xf32>, vector<8xf32>",
            "v",
        ),
        (
            "%v = vector.maskedload %x[%c3], %m, %o : memref<64xf32>, vector<8xi1>, vector<8xf32> into vector<8xf32>",
            "v",
        ),
        ("vector.transfer_write %o, %x[%t], %m : vector<8xf32>, memref<64xf32>", "transfer_write"),
        // The step is positive, but not known.
        (
            "%n = arith.constant 64 : index\nscf.for %k = %c3 to %n step %s {\n%v = memref.load %x[%k] : memref<64xf32>\n}",
            "v",
        ),
        (
            "vector.maskedstore %x[%t], %m, %o : memref<64xf32>, vector<8xi1>, vector<8xf32>",
            "maskedstore",
        ),
    ] {
        let text = format!(
            "gpu.func @k(%x: memref<64xf32>, %i: memref<64xindex>, %p: f32, %m: vector<8xi1>, %o: vector<8xf32>, %s: index) kernel attributes {{known_block_size = array<i32: 64, 1, 1>}} {{
%t = gpu.thread_id x\n%c3 = arith.constant 3 : index\n{lines}\ngpu.return\n}}"
        );
        let (_, found) = said(&format!("hlo a.mlir --instruction {name}"), &[("a.mlir", &text)]);
        assert!(found.iter().any(|line| line.contains("at most")), "{text}\n{found:?}");
    }
}

/// Arithmetic on loaded values is done by each thread; other ops on such values are unknown, and are not errors of the module.
#[test]
fn values_of_threads() {
    let text = "gpu.func @k(%x: memref<8x4xf32>, %y: memref<4xf32>, %z: memref<8xf32>, %c: f32) kernel attributes {known_block_size = array<i32: 8, 1, 1>} {
  %t = gpu.thread_id x
  %c3 = arith.constant 3 : index
  %a = memref.load %x[%t, %c3] : memref<8x4xf32>
  %b = memref.load %y[%c3] : memref<4xf32>
  %s = arith.addf %a, %c : f32
  %p = arith.cmpf olt, %s, %b : f32
  %r = arith.select %p, %a, %c : f32
  memref.store %r, %z[%t] : memref<8xf32>
  gpu.return
}";
    let own: At = |p| Some(p.to_vec());
    let scalar: At = |_| Some(Vec::new());
    for (name, reads) in [
        ("s", &[("a", own), ("c", scalar)][..]),
        ("p", &[("b", own), ("s", own)]),
        ("r", &[("a", own), ("c", scalar), ("p", own)]),
        ("store", &[("z", own)]),
    ] {
        let expected: BTreeMap<String, Reads> = reads
            .iter()
            .map(|(name, at)| {
                let points = (0..8).map(|t| (vec![t], at(&[t]).into_iter().collect()));
                ((*name).to_owned(), points.collect())
            })
            .collect();
        assert_eq!(answers(text, name), expected, "{name}");
    }
    let broadcast = "%w = vector.broadcast %r : f32 to vector<4xf32>\n  memref.store";
    let text = text.replace("memref.store", broadcast);
    let (_, lines) = said("hlo a.mlir", &[("a.mlir", &text)]);
    assert!(lines.iter().any(|line| line.contains("results differ by thread")), "{lines:?}");
}

/// A name that two adjacent loops use refers to the value in each loop.
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
    assert_eq!(below("a"), "    reads x: (d0) -> (d0 * 2), domain: d0 in [0, 3]");
    // The value of `%0` in the second loop is unknown.
    assert_eq!(below("b"), "    reads x: (d0)[s0] -> (s0), domain: d0 in [0, 3], s0 in [0, 7]");
    assert!(lines.iter().any(|line| line.contains("at most: `b`")), "{lines:?}");
}

/// A value read before a store is not the new content of the buffer.
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

/// Each thread has its own id, also if the number of threads is not known.
#[test]
fn ids_of_threads_vary() {
    let lines = "%b = gpu.block_id x\n%t = gpu.thread_id x\n%i = affine.apply affine_map<(d0, d1) -> (d0 * 256 + d1)>(%b, %t)";
    for (index, expected) in [("%i", "refuted"), ("%b, %t", "proved")] {
        let ty = if index == "%i" { "memref<1024xf32>" } else { "memref<64x256xf32>" };
        let text = format!("{lines}\nmemref.store %v, %out[{index}] : {ty}");
        let mut session = affinor_commands::Session::new();
        let mut host = Memory::default();
        for line in [&*text, "do two threads write the same element?"] {
            assert!(session.run(line, &mut host).is_ok(), "{line}");
        }
        let found = host.outputs.iter().any(|output| output.text.to_string().starts_with(expected));
        assert!(found, "{text}");
    }
}
