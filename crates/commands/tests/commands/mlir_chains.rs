//! Chains of views of a buffer: a store through the last one, compared with the views taken one after the other.

use super::mlir_ops::{Index, Reads, below, points, read_by};
use affinor_commands::Status;

/// An array by the index of the buffer that each of its elements has, in row-major order.
struct Elements {
    sizes: Vec<i64>,
    of: Vec<Index>,
}

impl Elements {
    /// Returns the array of these sizes whose element at each point is that of this array at `at`.
    fn moved(&self, sizes: Vec<i64>, at: impl Fn(&[i64]) -> Index) -> Elements {
        let element = |point: Index| {
            let place = at(&point).iter().zip(&self.sizes).fold(0, |at, (k, size)| at * size + k);
            self.of[usize::try_from(place).expect("it is inside")].clone()
        };
        Elements { of: points(&sizes).into_iter().map(element).collect(), sizes }
    }

    fn ty(&self) -> String {
        let sizes: String = self.sizes.iter().map(|size| format!("{size}x")).collect();
        format!(
            "memref<{sizes}f32, strided<[{}], offset: ?>>",
            vec!["?"; self.sizes.len()].join(", ")
        )
    }
}

/// Chains of views, one of them from the counter of a loop on: a store through the last one writes the elements that the
/// views, taken one after the other, say.
#[test]
fn chains_of_views() {
    let mut state = 49_u64;
    let mut below_number = |limit: i64| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        i64::try_from((state >> 33) % limit.unsigned_abs()).expect("it is below the limit")
    };
    for _ in 0..40 {
        let sizes = vec![4 + below_number(3), 6, 4];
        let whole = Elements { of: points(&sizes), sizes };
        let first = whole.sizes.iter().map(|size| format!("{size}x")).collect::<String>();
        let mut ty = format!("memref<{first}f32>");
        let mut text =
            format!("func.func @f(%v0: {ty}, %v: f32) {{\n  affine.for %i = 0 to 3 {{\n");
        let mut rows: Vec<Elements> =
            (0..3).map(|_| whole.moved(whole.sizes.clone(), <[i64]>::to_vec)).collect();
        for number in 0..4 {
            let sizes = rows[0].sizes.clone();
            let rank = sizes.len();
            let (op, made, word): (String, Vec<Elements>, &str) = match below_number(4) {
                0 | 1 if number == 0 || rank > 1 => {
                    // The offset of the first dimension of the first view is the counter.
                    let offsets: Vec<i64> = sizes.iter().map(|size| below_number(*size)).collect();
                    let by = |k: usize| number == 0 && k == 0;
                    let steps: Vec<i64> = sizes.iter().map(|_| 1 + below_number(2)).collect();
                    let lengths: Vec<i64> = (0..rank)
                        .map(|k| match by(k) {
                            true => 1,
                            false => (sizes[k] - offsets[k] - 1) / steps[k] + 1,
                        })
                        .collect();
                    let made = rows.iter().zip(0_i64..).map(|(row, i)| {
                        row.moved(lengths.clone(), |p| {
                            let start = |k: usize| if by(k) { i } else { offsets[k] };
                            (0..rank).map(|k| start(k) + p[k] * steps[k]).collect()
                        })
                    });
                    let said: Vec<String> = (0..rank)
                        .map(|k| if by(k) { "%i".to_owned() } else { offsets[k].to_string() })
                        .collect();
                    let op = format!(
                        "memref.subview %v{number}[{}] {lengths:?} {steps:?}",
                        said.join(", ")
                    );
                    (op, made.collect(), "to")
                }
                2 if rank > 1 => {
                    let last = rank - 1;
                    let turned = |p: &[i64]| [&p[1..], &p[..1]].concat();
                    // Dimension k of the view is dimension k - 1, and the first one is the last.
                    let to = [&sizes[last..], &sizes[..last]].concat();
                    let names: Vec<String> = (0..rank).map(|k| format!("d{k}")).collect();
                    let after = [&names[last..], &names[..last]].concat();
                    let op = format!(
                        "memref.transpose %v{number} ({}) -> ({})",
                        names.join(", "),
                        after.join(", ")
                    );
                    (op, rows.iter().map(|row| row.moved(to.clone(), turned)).collect(), "to")
                }
                3 if rank > 1 => {
                    let joined = [&[sizes[0] * sizes[1]], &sizes[2..]].concat();
                    let inner = sizes[1];
                    let made = rows.iter().map(|row| {
                        row.moved(joined.clone(), |p| {
                            [&[p[0] / inner, p[0] % inner], &p[1..]].concat()
                        })
                    });
                    let rest: String = (2..rank).map(|k| format!(", [{k}]")).collect();
                    (
                        format!("memref.collapse_shape %v{number} [[0, 1]{rest}]"),
                        made.collect(),
                        "into",
                    )
                }
                _ => {
                    let half = if sizes[0] % 2 == 0 { 2 } else { 1 };
                    let split = [&[sizes[0] / half, half], &sizes[1..]].concat();
                    let made = rows.iter().map(|row| {
                        row.moved(split.clone(), |p| [&[p[0] * half + p[1]], &p[2..]].concat())
                    });
                    let rest: String = (1..rank).map(|k| format!(", [{}]", k + 1)).collect();
                    let op = format!(
                        "memref.expand_shape %v{number} [[0, 1]{rest}] output_shape {split:?}"
                    );
                    (op, made.collect(), "into")
                }
            };
            rows = made;
            let next = rows[0].ty();
            text += &format!("    %v{} = {op} : {ty} {word} {next}\n", number + 1);
            ty = next;
        }
        let sizes = rows[0].sizes.clone();
        let names: Vec<String> = (0..sizes.len()).map(|k| format!("%j{k}")).collect();
        let (zeros, ends) = (
            vec!["0"; sizes.len()].join(", "),
            sizes.iter().map(i64::to_string).collect::<Vec<_>>().join(", "),
        );
        let indices = names.join(", ");
        text += &format!(
            "    affine.parallel ({indices}) = ({zeros}) to ({ends}) {{\n      affine.store %v, %v4[{indices}] : {ty}\n    }}\n  }}\n  return\n}}"
        );
        let (status, lines) = below("hlo a.mlir", &text, "store");
        assert_eq!(status, Status::Done, "{text}\n{lines:?}");
        let [line] = &*lines else { panic!("{text}\n{lines:?}") };
        let mut found = Reads::new();
        read_by(line.trim().strip_prefix("writes v0: ").expect("it writes the buffer"), &mut found);
        for (row, i) in rows.iter().zip(0_i64..) {
            for (point, index) in points(&sizes).iter().zip(&row.of) {
                let written = found.get(&[&[i], &point[..]].concat());
                assert!(
                    written.is_some_and(|all| all.iter().eq([index])),
                    "{text}\n{line}\n{i} {point:?}"
                );
            }
        }
    }
}
