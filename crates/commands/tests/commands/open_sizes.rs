//! Sizes known only at run time: with each name bound to a number, the maps are the reads of the loops in the op's definition.

use super::mlir::said;
use super::mlir_ops::{Index, Reads, below, points, read_by};
use affinor_commands::Status;
use proptest::prelude::*;
use std::collections::BTreeMap;

/// Maps the values of the names and a point to an index; `None` if nothing is read there.
type At = fn(&[i64], &[i64]) -> Option<Index>;

/// Returns the maps of instruction `asked` to each operand, as text.
fn maps(text: &str, asked: &str) -> Vec<(String, String)> {
    let (_, lines) = below("hlo a.mlir", text, asked);
    let maps = lines.iter().filter_map(|line| {
        assert!(!line.contains("unknown"), "{text}\n{lines:?}");
        let (name, map) = line.strip_prefix("    ")?.split_once(": ")?;
        let operand = name.rsplit(' ').next()?; // after the verb of an access
        (!name.starts_with(' ') && map != "nothing is read")
            .then(|| (operand.to_owned(), map.to_owned()))
    });
    maps.collect()
}

/// Binds the names of a map.
fn bound(map: &str, names: &[&str], values: &[i64]) -> String {
    let Some((inside, _)) = map.strip_prefix('<').and_then(|map| map.split_once('>')) else {
        return map.to_owned();
    };
    let given = inside.split(", ").map(|name| {
        let at = names.iter().position(|known| *known == name);
        format!("{name} = {}", values[at.unwrap_or_else(|| panic!("{name} in {map}"))])
    });
    let given: Vec<String> = given.collect();
    let (status, lines) = said(&format!("bind {} in {map}", given.join(", ")), &[]);
    assert_eq!(status, Status::Done, "{map}\n{lines:?}");
    lines[0].clone()
}

/// Checks for each list of values that the reads of each operand are those of `loops`.
#[track_caller]
fn check(
    (text, asked): (&str, &str),
    names: &[&str],
    cases: &[&[i64]],
    sizes: fn(&[i64]) -> Vec<i64>,
    out: At,
    loops: &[(&str, At)],
) {
    let maps = maps(text, asked);
    for values in cases {
        let mut expected: BTreeMap<String, Reads> = BTreeMap::new();
        for point in points(&sizes(values)) {
            for (name, at) in loops {
                if let (Some(element), Some(index)) = (out(values, &point), at(values, &point)) {
                    let reads = expected.entry((*name).to_owned()).or_default();
                    reads.entry(element).or_default().insert(index);
                }
            }
        }
        let mut found: BTreeMap<String, Reads> = BTreeMap::new();
        for (name, map) in &maps {
            let reads = found.entry(name.clone()).or_default();
            read_by(&bound(map, names, values), reads);
        }
        found.retain(|_, reads| !reads.is_empty());
        assert_eq!(found, expected, "{text}\n{maps:?}\n{values:?}");
    }
}

const ALL: At = |_, p| Some(p.to_vec());

#[test]
fn structured_ops() {
    let text = "%r = linalg.matmul ins(%x, %y : tensor<?x3xf32>, tensor<3x?xf32>) outs(%z : tensor<?x?xf32>) -> tensor<?x?xf32>";
    check(
        (text, "r.product"),
        &["x_0", "y_1"],
        &[&[2, 4], &[1, 1], &[5, 2]],
        |v| vec![v[0], v[1], 3],
        |_, p| Some(p[..2].to_vec()),
        &[("x", |_, p| Some(vec![p[0], p[2]])), ("y", |_, p| Some(vec![p[2], p[1]]))],
    );
    // Windows of an array of any size.
    check(
        (
            "%r = linalg.generic {indexing_maps = [affine_map<(o, k) -> (o * 2 + k)>, affine_map<(o, k) -> (k)>, affine_map<(o, k) -> (o)>], iterator_types = [\"parallel\", \"reduction\"]} ins(%x, %w : tensor<?xf32>, tensor<?xf32>) outs(%z : tensor<?xf32>) {
^bb0(%a: f32, %b: f32, %c: f32):
  %m = arith.maximumf %a, %b : f32
  %s = arith.maximumf %m, %c : f32
  linalg.yield %s : f32
} -> tensor<?xf32>",
            "r",
        ),
        &["x_0", "w_0", "z_0"],
        &[&[9, 3, 4], &[2, 2, 1]],
        |v| vec![v[2], v[1]],
        |_, p| Some(vec![p[0]]),
        &[
            ("x", |_, p| Some(vec![2 * p[0] + p[1]])),
            ("w", |_, p| Some(vec![p[1]])),
            ("z", |_, p| Some(vec![p[0]])),
        ],
    );
    check(
        (
            "%r = linalg.transpose ins(%x : tensor<?x3xf32>) outs(%z : tensor<3x?xf32>) permutation = [1, 0]",
            "r",
        ),
        &["x_0"],
        &[&[1], &[4]],
        |v| vec![3, v[0]],
        ALL,
        &[("x", |_, p| Some(vec![p[1], p[0]]))],
    );
    check(
        (
            "%r = linalg.softmax dimension(1) ins(%x : tensor<?x?xf32>) outs(%z : tensor<?x?xf32>) -> tensor<?x?xf32>",
            "r",
        ),
        &["x_0", "x_1"],
        &[&[2, 3]],
        |v| vec![v[0], v[1], v[1]],
        |_, p| Some(p[..2].to_vec()),
        &[("x", |_, p| Some(vec![p[0], p[2]]))],
    );
}

#[test]
fn parts_and_other_shapes() {
    check(
        (
            "%r = tensor.extract_slice %x[%o, 1] [%n, 2] [2, 3] : tensor<?x5xf32> to tensor<?x2xf32>",
            "r",
        ),
        &["x_0", "o", "r_0"],
        &[&[9, 2, 3], &[4, 3, 1]],
        |v| vec![v[2], 2],
        ALL,
        &[("x", |v, p| Some(vec![v[1] + 2 * p[0], 1 + 3 * p[1]])), ("o", |_, _| Some(Vec::new()))],
    );
    // A dimension of size 1 is dropped.
    check(
        (
            "%r = memref.subview %x[%o, 0] [1, %n] [1, 1] : memref<?x6xf32> to memref<?xf32, strided<[1], offset: ?>>",
            "r",
        ),
        &["x_0", "o", "r_0"],
        &[&[4, 3, 6], &[1, 0, 2]],
        |v| vec![v[2]],
        ALL,
        &[("x", |v, p| Some(vec![v[1], p[0]])), ("o", |_, _| Some(Vec::new()))],
    );
    // The reads of the array around the part are an upper bound.
    check(
        (
            "%r = tensor.insert_slice %s into %x[%o] [%n] [2] : tensor<?xf32> into tensor<?xf32>",
            "r",
        ),
        &["s_0", "x_0", "o"],
        &[&[2, 7, 3], &[1, 1, 0]],
        |v| vec![v[1]],
        ALL,
        &[
            ("s", |v, p| {
                let behind = p[0] - v[2];
                (behind >= 0 && behind % 2 == 0 && behind / 2 < v[0]).then(|| vec![behind / 2])
            }),
            ("x", ALL),
            ("o", |_, _| Some(Vec::new())),
        ],
    );
    check(
        ("%r = tensor.collapse_shape %x [[0, 1]] : tensor<?x4xf32> into tensor<?xf32>", "r"),
        &["x_0", "r_0"],
        &[&[1, 4], &[3, 12]],
        |v| vec![v[1]],
        ALL,
        &[("x", |_, p| Some(vec![p[0] / 4, p[0] % 4]))],
    );
    check(
        ("%r = tensor.cast %x : tensor<?x4xf32> to tensor<3x?xf32>", "r"),
        &["x_0"],
        &[&[3]],
        |_| vec![3, 4],
        ALL,
        &[("x", ALL)],
    );
    check(
        (
            "%r = tensor.pad %x low[1, 0] high[0, 2] {
^bb0(%i: index, %j: index):
  tensor.yield %c : f32
} : tensor<?x3xf32> to tensor<?x5xf32>",
            "r",
        ),
        &["x_0"],
        &[&[1], &[3]],
        |v| vec![v[0] + 1, 5],
        ALL,
        &[
            ("x", |_, p| (p[0] >= 1 && p[1] < 3).then(|| vec![p[0] - 1, p[1]])),
            ("c", |_, p| (p[0] < 1 || p[1] >= 3).then(Vec::new)),
        ],
    );
    check(
        (
            "%r = tensor.concat dim(0) %x, %y : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>",
            "r",
        ),
        &["x_0", "y_0"],
        &[&[1, 3], &[2, 2]],
        |v| vec![v[0] + v[1], 2],
        ALL,
        &[
            ("x", |v, p| (p[0] < v[0]).then(|| p.to_vec())),
            ("y", |v, p| (p[0] >= v[0]).then(|| vec![p[0] - v[0], p[1]])),
        ],
    );
}

#[test]
fn loops() {
    check(
        (
            "affine.for %i = 2 to %n step 3 {
  affine.for %j = 0 to affine_map<(d0) -> (d0 + 1)>(%i) {
    %v = affine.load %x[%i, %j + 1] : memref<?x?xf32>
  }
}",
            "v",
        ),
        &["n", "x_0", "x_1", "v_0", "v_1"],
        &[&[9, 9, 12, 3, 9], &[3, 7, 7, 1, 3]],
        |v| vec![v[3], v[4]],
        ALL,
        &[
            ("x", |v, p| {
                let i = 2 + 3 * p[0];
                (i < v[0] && p[1] <= i).then(|| vec![i, p[1] + 1])
            }),
            ("n", |_, _| Some(Vec::new())),
        ],
    );
    // A loaded index may have any value.
    check(
        (
            "affine.for %i = 0 to %n {
  %k = memref.load %y[%i] : memref<?xindex>
  %v = memref.load %x[%k, %i] : memref<3x8xf32>
}",
            "v",
        ),
        &["n", "v_0"],
        &[&[4, 4], &[1, 1]],
        |v| vec![v[1], 3],
        |_, p| Some(vec![p[0]]),
        &[("x", |_, p| Some(vec![p[1], p[0]])), ("n", |_, _| Some(Vec::new()))],
    );
}

/// An op that is only supported with numeric sizes is unknown, and the rest of the module is answered.
#[test]
fn ops_without_maps_over_names() {
    let text = "func.func @f(%x: tensor<?x4xf32>, %i: tensor<3x1xindex>, %n: index) -> tensor<4x?xf32> {
  %g = tensor.gather %x[%i] gather_dims([0]) : (tensor<?x4xf32>, tensor<3x1xindex>) -> tensor<3x1x4xf32>
  %r = tensor.empty(%n) : tensor<4x?xf32>
  %t = linalg.transpose ins(%x : tensor<?x4xf32>) outs(%r : tensor<4x?xf32>) permutation = [1, 0]
  return %t : tensor<4x?xf32>
}";
    let (status, lines) = said("hlo a.mlir", &[("a.mlir", text)]);
    assert_eq!(status, Status::Undecided, "{lines:?}");
    assert!(lines.iter().any(|line| line.contains("are not fixed")), "{lines:?}");
    assert!(lines.iter().any(|line| line.contains("x: <x_0>(d0, d1) -> (d1, d0)")), "{lines:?}");
    // What has maps is proved for all sizes; the rest stays undecided.
    let (status, lines) = said("hlo a.mlir --check", &[("a.mlir", text)]);
    assert_eq!(status, Status::Undecided, "{lines:?}");
    let map = lines.iter().position(|line| line.contains("<x_0>")).expect("the map is shown");
    assert!(lines[map + 1].contains("proved"), "{lines:?}");
    assert!(lines.iter().any(|line| line.contains("1 proved, 0 refuted")), "{lines:?}");
}

/// A module under construction, in two versions: with sizes known only at run time, and with numbers in their place.
struct Twins {
    /// The sizes of each value, and whether each is dynamic.
    values: Vec<Vec<(i64, bool)>>,
    open: String,
    fixed: String,
}

impl Twins {
    fn ty(&self, value: usize, is_open: bool) -> String {
        let size = |(size, open): &(i64, bool)| match *open && is_open {
            true => "?x".to_owned(),
            false => format!("{size}x"),
        };
        format!("tensor<{}f32>", self.values[value].iter().map(size).collect::<String>())
    }

    /// Adds a value, computed from the values `of`; `op` is the text before the types.
    fn push(&mut self, sizes: Vec<(i64, bool)>, op: &str, of: &[usize]) {
        let new = self.values.len();
        self.values.push(sizes);
        for is_open in [true, false] {
            let types: Vec<String> = of.iter().map(|k| self.ty(*k, is_open)).collect();
            let scalar = if op.contains("%c") { ", tensor<f32>" } else { "" };
            let line = format!(
                "  %v{new} = {op} : ({}{scalar}) -> {}\n",
                types.join(", "),
                self.ty(new, is_open)
            );
            let text = if is_open { &mut self.open } else { &mut self.fixed };
            text.push_str(&line);
        }
    }

    /// Adds an instruction selected by three random numbers.
    fn step(&mut self, (kind, which, other): (u8, usize, usize)) {
        let x = self.values.len() - 1 - which % self.values.len();
        let sizes = self.values[x].clone();
        let rank = sizes.len();
        let d = other % rank.max(1);
        match kind {
            0 => {
                let mut order: Vec<usize> = (0..rank).collect();
                order.rotate_left(d);
                let turned = order.iter().map(|k| sizes[*k]).collect();
                self.push(turned, &format!("stablehlo.transpose %v{x}, dims = {order:?}"), &[x]);
            }
            1 if rank > 0 => {
                self.push(sizes, &format!("stablehlo.reverse %v{x}, dims = [{d}]"), &[x]);
            }
            2 if rank > 0 => {
                // Concatenate with a value that differs in that dimension only, or with itself.
                let is_like = |y: &Vec<(i64, bool)>| {
                    let mut pairs = y.iter().zip(&sizes).enumerate();
                    y.len() == rank && pairs.all(|(k, (a, b))| k == d || a == b)
                };
                let y = self.values.iter().rposition(is_like).unwrap_or(x);
                let mut longer = sizes.clone();
                longer[d].0 += self.values[y][d].0;
                longer[d].1 |= self.values[y][d].1;
                if longer[d].0 < 12 {
                    let op = format!("stablehlo.concatenate %v{x}, %v{y}, dim = {d}");
                    self.push(longer, &op, &[x, y]);
                }
            }
            3 if rank > 1 => {
                let mut fewer = sizes;
                fewer.remove(d);
                let op = format!(
                    "stablehlo.reduce(%v{x} init: %c) applies stablehlo.add across dimensions = [{d}]"
                );
                self.push(fewer, &op, &[x]);
            }
            4 if rank > 0 => {
                let mut wider = sizes;
                wider[d].0 += 3;
                let mut low = vec![0; rank];
                low[d] = 1;
                let (mut high, none) = (vec![0; rank], vec![0; rank]);
                high[d] = 2;
                let op = format!(
                    "stablehlo.pad %v{x}, %c, low = {low:?}, high = {high:?}, interior = {none:?}"
                );
                self.push(wider, &op, &[x]);
            }
            5 if rank == 2 => {
                let fits = |y: &Vec<(i64, bool)>| y.len() == 2 && y[0] == sizes[1];
                if let Some(y) = self.values.iter().rposition(fits) {
                    let product = vec![sizes[0], self.values[y][1]];
                    let op =
                        format!("stablehlo.dot_general %v{x}, %v{y}, contracting_dims = [1] x [0]");
                    self.push(product, &op, &[x, y]);
                }
            }
            _ => {
                let y = self.values.iter().rposition(|y| *y == sizes).unwrap_or(x);
                self.push(sizes, &format!("stablehlo.add %v{x}, %v{y}"), &[x, y]);
            }
        }
    }
}

/// Returns the result's reads of each parameter, with the names of the maps bound.
fn entry_reads(text: &str, line: &str, values: &[(String, i64)]) -> BTreeMap<String, Reads> {
    let (status, lines) = said(line, &[("a.mlir", text)]);
    assert_eq!(status, Status::Done, "{text}\n{lines:?}");
    let (names, sizes): (Vec<&str>, Vec<i64>) =
        values.iter().map(|(name, size)| (name.as_str(), *size)).unzip();
    let mut found: BTreeMap<String, Reads> = BTreeMap::new();
    for line in &lines {
        let pair = line.trim().split_once(": ").unwrap_or_else(|| panic!("{line}"));
        if pair.1 != "nothing is read" {
            let reads = found.entry(pair.0.to_owned()).or_default();
            read_by(&bound(pair.1, &names, &sizes), reads);
        }
    }
    found.retain(|_, reads| !reads.is_empty());
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// The maps of an entry with named sizes, bound to numbers, have the reads of the module with these numbers, in both
    /// directions.
    #[test]
    fn entries_are_those_of_numbers(
        sizes in prop::collection::vec((1i64..5, prop::bool::weighted(0.7)), 3),
        steps in prop::collection::vec((0u8..7, 0usize..3, 0usize..4), 1..6),
    ) {
        let mut twins = Twins { values: Vec::new(), open: String::new(), fixed: String::new() };
        twins.values.push(vec![sizes[0], sizes[1]]);
        twins.values.push(vec![sizes[1], sizes[2]]);
        for step in steps {
            twins.step(step);
        }
        let last = twins.values.len() - 1;
        let module = |body: &str, is_open: bool| {
            let of = |value: usize| twins.ty(value, is_open);
            format!(
                "func.func @main(%v0: {}, %v1: {}, %c: tensor<f32>) -> {} {{\n{body}  return %v{last} : {}\n}}",
                of(0), of(1), of(last), of(last)
            )
        };
        let named = [("v0_0", 0), ("v0_1", 1), ("v1_0", 1), ("v1_1", 2)];
        let values: Vec<(String, i64)> =
            named.iter().map(|(name, k)| ((*name).to_owned(), sizes[*k].0)).collect();
        for line in ["hlo a.mlir --entry", "hlo a.mlir --entry --direction input-to-output"] {
            let open = entry_reads(&module(&twins.open, true), line, &values);
            let fixed = entry_reads(&module(&twins.fixed, false), line, &[]);
            prop_assert_eq!(open, fixed, "{}\n{}", line, module(&twins.open, true));
        }
    }
}
