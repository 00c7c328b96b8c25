//! Modules before and after passes, whose values are paired: compared with the reference interpreter, which runs both.
//!
//! Each module after the passes is also changed in every number that it has, one at a time. Arrays that are reported as the
//! same must depend on the same elements for all values of the tensors.

use affinor::expr::IndexingMap;
use affinor::prove::Budget;
use affinor::simplify::{Options, Simplifier};
use affinor_compare::computed::Computed;
use affinor_compare::pairing::Pairing;
use affinor_definition::{Interpreter, ParameterElement};
use affinor_hlo::{self as hlo, Module};
use affinor_ops::indexing::Analysis;
use std::collections::BTreeSet;

/// The interpreter's budget of indices for one module.
const STEPS: u64 = 3_000_000;

/// Maximum number of elements of a result that are compared.
const ELEMENTS: i64 = 60;

pub(super) fn read(text: &str) -> Option<Module> {
    hlo::read(text.as_bytes()).ok()
}

/// Returns the arrays of the results that are reported as the same.
pub(super) fn same(old: &Module, new: &Module) -> BTreeSet<Vec<usize>> {
    let (Some(old), Some(new)) = (old.inlined(10_000), new.inlined(10_000)) else {
        return BTreeSet::new();
    };
    let simplifier = Simplifier::shipped().expect("the shipped rules");
    let simplify = |map: &IndexingMap| simplifier.simplify(map, &Options::default()).map;
    let analyses = [&old, &new].map(|module| Analysis::new(module, &simplify));
    let of_data = [&old, &new].map(|module| Analysis::new(module, &simplify).only_data());
    let values = Computed::new([&old, &new], of_data, &simplify, &Budget::default());
    let pairing = Pairing::new([&old, &new], analyses, &simplify, &Budget::default());
    pairing.with_values(values).same_results()
}

/// Checks for some tensors that the arrays reported as the same depend on the same elements, if both dependences are certain;
/// returns the number of elements compared, or `None` if a module cannot be run.
pub(super) fn agree(
    text: &str,
    old: &Module,
    new: &Module,
    paths: &BTreeSet<Vec<usize>>,
) -> Option<usize> {
    let mut compared = 0;
    for seed in 0..3_i64 {
        let known = |element: &ParameterElement| {
            let mixed = element
                .index
                .iter()
                .fold(element.parameter as i64 + seed, |all, k| (all * 31 + k * 7 + seed) % 1_009);
            Some(mixed % 6 - 1)
        };
        let mut runs = [old, new].map(|module| Interpreter::new(module, &known, STEPS));
        let entry = &old[old.entry()];
        for path in paths {
            let shape = entry[entry.root()].shape().at(path)?.as_array()?;
            let sizes = shape.fixed_sizes()?;
            let count = sizes.iter().product::<i64>();
            for step in 0..count.min(ELEMENTS) {
                let mut rest = step * (count / count.min(ELEMENTS));
                let mut index = Vec::new();
                for size in sizes.iter().rev() {
                    index.insert(0, rest % size);
                    rest /= size;
                }
                let [before, after] = runs.each_mut().map(|run| run.dependence(path, &index));
                let (before, after) = (before.ok()?, after.ok()?);
                if before.certain && after.certain {
                    compared += 1;
                    assert_eq!(
                        before.elements, after.elements,
                        "{path:?} {index:?} is called the same:\n{text}"
                    );
                }
            }
        }
    }
    Some(compared)
}

/// Returns the text with each number of a constant or of an attribute increased or decreased by one, and with each
/// comparison, sum and maximum changed.
pub(super) fn changed(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let steers =
            ["constant(", "slice=", "dimensions=", "padding=", "window=", "sizes=", "index="];
        let from = steers.iter().filter_map(|word| line.find(word)).min();
        let mut rest = from.unwrap_or(line.len());
        while let Some(start) = line[rest..].find(|c: char| c.is_ascii_digit()) {
            let start = rest + start;
            let digits = line[start..].find(|c: char| !c.is_ascii_digit());
            let end = digits.map_or(line.len(), |length| start + length);
            if let Ok(number) = line[start..end].parse::<i64>() {
                for other in [number + 1, number - 1] {
                    let (before, after) = (&text[..at + start], &text[at + end..]);
                    found.push(format!("{before}{other}{after}"));
                }
            }
            rest = end;
        }
        for (word, other) in [
            ("direction=LT", "direction=LE"),
            ("direction=GE", "direction=GT"),
            (" add(", " subtract("),
            (" subtract(", " add("),
            (" maximum(", " minimum("),
        ] {
            if let Some(place) = line.find(word) {
                let (before, after) = (&text[..at + place], &text[at + place + word.len()..]);
                found.push(format!("{before}{other}{after}"));
            }
        }
        at += line.len();
    }
    found
}

/// Checks that all results of both are reported as the same, and that changed versions of the second are not unless they are;
/// at least `found_out` of the changes must be detected.
#[track_caller]
fn check(old_text: &str, new_text: &str, found_out: usize) {
    let old = read(old_text).unwrap_or_else(|| panic!("{old_text}"));
    let new = read(new_text).unwrap_or_else(|| panic!("{new_text}"));
    let root = |module: &Module| {
        let entry = &module[module.entry()];
        let arrays = entry[entry.root()].shape().arrays();
        arrays.into_iter().map(|(path, _)| path).collect::<BTreeSet<_>>()
    };
    assert_eq!(same(&old, &new), root(&old), "{new_text}");
    let compared = agree(new_text, &old, &new, &root(&old));
    assert!(compared.is_some_and(|count| count > 0), "{new_text}");
    let (mut apart, mut together) = (0, 0);
    for text in changed(new_text) {
        let Some(new) = read(&text) else {
            continue;
        };
        let paths = same(&old, &new);
        match paths == root(&old) {
            true => together += 1,
            false => apart += 1,
        }
        agree(&text, &old, &new, &paths);
    }
    assert!(apart >= found_out, "{apart} apart, {together} together");
}

/// A scan: the counter selects a slice, the weights are concatenated inside the loop.
pub(super) const SCAN: &str = include_str!("../../../../docs/diff/scan.hlo");

/// The same scan with the weights concatenated before the loop, fusions, a transposed input and parts in another order.
pub(super) const SCAN_AFTER: &str = include_str!("../../../../docs/diff/scan_after.hlo");

#[test]
fn a_scan_whose_invariants_are_moved_out() {
    check(SCAN, SCAN_AFTER, 10);
}

#[test]
fn parts_of_the_state_that_take_turns() {
    let module = |parts: &str, of: &str, next: &str, counter: &str| {
        format!(
            "HloModule turns
body {{
  t = ({parts}) parameter(0)
{of}  d = f32[4] add(x, y)
  one = s32[] constant(1)
  k = s32[] add(i, one)
  ROOT r = ({parts}) tuple({next})
}}
condition {{
  t = ({parts}) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  five = s32[] constant(5)
  ROOT c = pred[] compare(i, five), direction=LT
}}
ENTRY e {{
  x = f32[4] parameter(0)
  y = f32[4] parameter(1)
  z = f32[4] parameter(2)
  i = s32[] constant(0)
  t = ({parts}) tuple(i, {counter}x, y, z)
  w = ({parts}) while(t), condition=condition, body=body
  ROOT o = f32[4] get-tuple-element(w), index={}
}}
",
            counter.len() / 3 + 1
        )
    };
    let of = |names: &[&str]| -> String {
        let line = |(k, name): (usize, &&str)| {
            let shape = if ["i", "j"].contains(name) { "s32[]" } else { "f32[4]" };
            format!("  {name} = {shape} get-tuple-element(t), index={k}\n")
        };
        names.iter().enumerate().map(line).collect()
    };
    let two = module(
        "s32[], s32[], f32[4], f32[4], f32[4]",
        &of(&["i", "j", "x", "y", "z"]),
        "k, k, d, z, x",
        "i, ",
    );
    let one = module("s32[], f32[4], f32[4], f32[4]", &of(&["i", "x", "y", "z"]), "k, d, z, x", "");
    check(&two, &one, 4);
}

#[test]
fn products_of_reshaped_arrays() {
    let before = "HloModule products
ENTRY e {
  x = f32[2,3,4] parameter(0)
  w = f32[4,5] parameter(1)
  v = f32[5,2] parameter(2)
  d = f32[2,3,5] dot(x, w), lhs_contracting_dims={2}, rhs_contracting_dims={0}
  n = f32[2,3,5] negate(d)
  ROOT r = f32[2,3,2] dot(n, v), lhs_contracting_dims={2}, rhs_contracting_dims={0}
}
";
    let after = "HloModule products
ENTRY e {
  x = f32[2,3,4] parameter(0)
  w = f32[4,5] parameter(1)
  v = f32[5,2] parameter(2)
  y = f32[6,4] bitcast(x)
  d = f32[6,5] dot(y, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  n = f32[6,5] negate(d)
  p = f32[6,2] dot(n, v), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT r = f32[2,3,2] bitcast(p)
}
";
    check(before, after, 0);
}

/// The indices are computed in the arithmetic of the host.
#[test]
fn indices_that_floats_count() {
    let module = |factor: &str| {
        format!(
            "HloModule resize
ENTRY e {{
  x = f32[8,3] parameter(0)
  i = f32[7] iota(), iota_dimension=0
  h = f32[] constant(0.5)
  b = f32[7] broadcast(h), dimensions={{}}
  a = f32[7] add(i, b)
{factor}  f = f32[7] floor(m)
  j = s32[7] convert(f)
  k = s32[7,1] reshape(j)
  ROOT g = f32[7,3] gather(x, k), offset_dims={{1}}, collapsed_slice_dims={{0}}, start_index_map={{0}}, index_vector_dim=1, slice_sizes={{1,3}}
}}
"
        )
    };
    let rows = |of: &dyn Fn(f32) -> f32| -> Vec<i64> {
        // A gather clamps its indices.
        let row = |k: u8| (of(f32::from(k) + 0.5).floor() as i64).clamp(0, 7);
        (0..7).map(row).collect()
    };
    let (mut alike, mut apart) = (0, 0);
    for (over, under) in [(8, 7), (8, 5), (32, 11), (10, 9), (1, 3), (7, 6)] {
        let ratio = over as f32 / under as f32;
        let divided = module(&format!(
            "  n = f32[] constant({over})\n  c = f32[7] broadcast(n), dimensions={{}}\n  u = f32[7] multiply(a, c)\n  \
             l = f32[] constant({under})\n  q = f32[7] broadcast(l), dimensions={{}}\n  m = f32[7] divide(u, q)\n"
        ));
        let old = read(&divided).expect("a module");
        let before = rows(&|x| x * over as f32 / under as f32);
        for near in [-0.4, -0.1, -0.02, 0.0, 0.001, 0.02, 0.1, 0.4] {
            let factor = ratio + near;
            let text = module(&format!(
                "  n = f32[] constant({factor})\n  c = f32[7] broadcast(n), dimensions={{}}\n  m = f32[7] multiply(a, c)\n"
            ));
            let new = read(&text).expect("a module");
            let is_same = rows(&|x| x * factor) == before;
            assert_eq!(same(&old, &new).len(), usize::from(is_same), "{divided}{text}");
            *(if is_same { &mut alike } else { &mut apart }) += 1;
        }
    }
    assert!(alike >= 8 && apart >= 8, "{alike} alike, {apart} apart");
}

#[test]
fn an_update_at_a_known_place() {
    let before = "HloModule update
replace {
  a = f32[] parameter(0)
  ROOT b = f32[] parameter(1)
}
ENTRY e {
  x = f32[5,6] parameter(0)
  u = f32[] parameter(1)
  i = s32[2] constant({2, 3})
  ROOT s = f32[5,6] scatter(x, i, u), update_window_dims={}, inserted_window_dims={0,1}, scatter_dims_to_operand_dims={0,1}, index_vector_dim=0, to_apply=replace
}
";
    let after = "HloModule update
ENTRY e {
  x = f32[5,6] parameter(0)
  u = f32[] parameter(1)
  v = f32[1,1] reshape(u)
  i = s32[] constant(2)
  j = s32[] constant(3)
  ROOT s = f32[5,6] dynamic-update-slice(x, v, i, j)
}
";
    check(before, after, 4);
}
