//! Pairs of loops and conditionals that compute the same values, with wrong variants of each, which must not be reported as
//! the same.
//!
//! Each second module is also changed in every number that it has, one at a time. Results that are still reported as the same
//! must depend on the same elements when both modules are run.

use super::pairing::{SCAN, SCAN_AFTER, agree, changed, read};
use affinor::expr::IndexingMap;
use affinor::prove::Budget;
use affinor::simplify::{Options, Simplifier};
use affinor_compare::computed::{Computed, Verdict};
use affinor_hlo::Module;
use affinor_ops::indexing::Analysis;
use std::collections::BTreeSet;

/// Returns the arrays of the results that are reported as the same, and whether their reads as indices are the same too.
fn same(old: &Module, new: &Module) -> (BTreeSet<Vec<usize>>, bool) {
    let (Some(old), Some(new)) = (old.inlined(10_000), new.inlined(10_000)) else {
        return (BTreeSet::new(), false);
    };
    let simplifier = Simplifier::shipped().expect("the shipped rules");
    let simplify = |map: &IndexingMap| simplifier.simplify(map, &Options::default()).map;
    let modules = [&old, &new];
    let analyses = modules.map(|module| Analysis::new(module, &simplify).only_data());
    let mut computed = Computed::new(modules, analyses, &simplify, &Budget::default());
    let arrays = old[old.entry()][old[old.entry()].root()].shape().arrays();
    let mut found = BTreeSet::new();
    for (path, _) in arrays {
        if computed.result(&path) == Verdict::Same {
            found.insert(path);
        }
    }
    (found, computed.is_strict())
}

/// Checks that both are reported as the same and that none of the wrong variants is, and runs each module with a changed
/// number if it can be run.
#[track_caller]
fn check(old_text: &str, new_text: &str, twins: &[(&str, &str)]) {
    let parse = |text: &str| read(text).unwrap_or_else(|| panic!("{text}"));
    let (old, new) = (parse(old_text), parse(new_text));
    let all = old[old.entry()][old[old.entry()].root()].shape().arrays();
    let all: BTreeSet<_> = all.into_iter().map(|(path, _)| path).collect();
    assert_eq!(same(&old, &new), (all.clone(), true), "{old_text}\n{new_text}");
    assert_eq!(same(&new, &old).0, all, "{new_text}\n{old_text}");
    for (part, other) in twins {
        let twin = new_text.replacen(part, other, 1);
        assert_ne!(twin, new_text, "{part}");
        assert_ne!(same(&old, &parse(&twin)).0, all, "{part} -> {other}");
    }
    for text in changed(new_text) {
        if let Some(new) = read(&text) {
            let (found, is_strict) = same(&old, &new);
            if is_strict {
                agree(&text, &old, &new, &found);
            }
        }
    }
}

/// A loop whose trip count is a parameter.
const OPEN: &str = "HloModule open
body {
  t = (s32[], s32[], f32[3,3], f32[3,3], f32[2]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  n = s32[] get-tuple-element(t), index=1
  x = f32[3,3] get-tuple-element(t), index=2
  y = f32[3,3] get-tuple-element(t), index=3
  u = f32[2] get-tuple-element(t), index=4
  v = f32[2] negate(u)
  d = f32[3,3] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  c = f32[3,3] cholesky(d), lower=true
  one = s32[] constant(1)
  k = s32[] add(i, one)
  ROOT r = (s32[], s32[], f32[3,3], f32[3,3], f32[2]) tuple(k, n, c, x, v)
}
condition {
  t = (s32[], s32[], f32[3,3], f32[3,3], f32[2]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  n = s32[] get-tuple-element(t), index=1
  ROOT b = pred[] compare(i, n), direction=LT
}
ENTRY e {
  x = f32[3,3] parameter(0)
  y = f32[3,3] parameter(1)
  n = s32[] parameter(2)
  u = f32[2] parameter(3)
  i = s32[] constant(0)
  t = (s32[], s32[], f32[3,3], f32[3,3], f32[2]) tuple(i, n, x, y, u)
  w = (s32[], s32[], f32[3,3], f32[3,3], f32[2]) while(t), condition=condition, body=body
  ROOT o = f32[3,3] get-tuple-element(w), index=2
}
";

/// The same loop with parts in another order, one part removed, and copies.
const OPEN_AFTER: &str = "HloModule open
body {
  t = (f32[3,3], s32[], f32[3,3], s32[]) parameter(0)
  y = f32[3,3] get-tuple-element(t), index=0
  i = s32[] get-tuple-element(t), index=1
  x = f32[3,3] get-tuple-element(t), index=2
  m = s32[] get-tuple-element(t), index=3
  q = f32[3,3] copy(x)
  d = f32[3,3] dot(q, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  c = f32[3,3] cholesky(d), lower=true
  one = s32[] constant(1)
  k = s32[] add(one, i)
  ROOT r = (f32[3,3], s32[], f32[3,3], s32[]) tuple(x, k, c, m)
}
condition {
  t = (f32[3,3], s32[], f32[3,3], s32[]) parameter(0)
  i = s32[] get-tuple-element(t), index=1
  n = s32[] get-tuple-element(t), index=3
  ROOT b = pred[] compare(n, i), direction=GT
}
ENTRY e {
  x = f32[3,3] parameter(0)
  y = f32[3,3] parameter(1)
  n = s32[] parameter(2)
  u = f32[2] parameter(3)
  i = s32[] constant(0)
  z = f32[3,3] copy(x)
  t = (f32[3,3], s32[], f32[3,3], s32[]) tuple(y, i, z, n)
  w = (f32[3,3], s32[], f32[3,3], s32[]) while(t), condition=condition, body=body
  ROOT o = f32[3,3] get-tuple-element(w), index=2
}
";

#[test]
fn loops_that_run_as_often_as_a_parameter_says() {
    let twins = [
        ("direction=GT", "direction=GE"),
        ("add(one, i)", "subtract(i, one)"),
        ("dot(q, y)", "dot(y, q)"),
        ("dot(q, y)", "dot(q, q)"),
        ("tuple(x, k, c, m)", "tuple(c, k, x, m)"),
        ("tuple(x, k, c, m)", "tuple(y, k, c, m)"),
        ("tuple(x, k, c, m)", "tuple(x, k, d, m)"),
        ("tuple(y, i, z, n)", "tuple(x, i, z, n)"),
        ("tuple(y, i, z, n)", "tuple(z, i, y, n)"),
        ("lower=true", "lower=false"),
        ("i = s32[] constant(0)", "i = s32[] constant(1)"),
        (
            "while(t), condition=condition, body=body\n  ROOT o = f32[3,3] get-tuple-element(w), index=2",
            "while(t), condition=condition, body=body\n  ROOT o = f32[3,3] get-tuple-element(w), index=0",
        ),
    ];
    check(OPEN, OPEN_AFTER, &twins);
    // A loop with three iterations is compared iteration by iteration.
    let counted = |text: &str| text.replace("n = s32[] parameter(2)", "n = s32[] constant(3)");
    let parameter = |text: &str| counted(text).replace("parameter(3)", "parameter(2)");
    check(&parameter(OPEN), &parameter(OPEN_AFTER), &twins);
}

#[test]
fn what_is_passed_on_may_be_worked_out_before_the_loop() {
    let twins = [
        ("add(x, p)", "subtract(x, p)"),
        ("concatenate(a, b)", "concatenate(b, a)"),
        ("dot(w, h), lhs_contracting_dims={0}", "dot(w, h), lhs_contracting_dims={1}"),
        ("direction=GE", "direction=GT"),
        ("tuple(h, i, y, q, w)\n  l", "tuple(h, i, y, q, wt)\n  l"),
        ("fusion(xs, c)", "fusion(xs, next)"),
    ];
    let after = SCAN_AFTER.replace(
        "  q = f32[3,4] transpose",
        "  wt = f32[3,3] transpose(w), dimensions={1,0}\n  q = f32[3,4] transpose",
    );
    let after = after.replace(
        "  c = s32[] copy(i)\n",
        "  c = s32[] copy(i)\n  one = s32[] constant(1)\n  next = s32[] add(c, one)\n",
    );
    let after =
        after.replace("  one = s32[] constant(1)\n  next = s32[] add(c, one)\n  ROOT", "  ROOT");
    check(SCAN, &after, &twins);
}

/// Returns a loop that reads and writes at a counter that may be wrapped, as JAX writes it.
fn cache(offset: &str) -> String {
    format!(
        "HloModule cache
body {{
  t = (s32[], f32[6,2], f32[6,2]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  x = f32[6,2] get-tuple-element(t), index=1
  c = f32[6,2] get-tuple-element(t), index=2
  none = s32[] constant(0)
  six = s32[] constant(6)
  one = s32[] constant(1)
{offset}
  s = f32[1,2] dynamic-slice(x, o, none), dynamic_slice_sizes={{1,2}}
  e = f32[1,2] exponential(s)
  d = f32[6,2] dynamic-update-slice(c, e, o, none)
  k = s32[] add(i, one)
  ROOT r = (s32[], f32[6,2], f32[6,2]) tuple(k, x, d)
}}
condition {{
  t = (s32[], f32[6,2], f32[6,2]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  six = s32[] constant(6)
  ROOT b = pred[] compare(i, six), direction=LT
}}
ENTRY e {{
  x = f32[6,2] parameter(0)
  c = f32[6,2] parameter(1)
  i = s32[] constant(0)
  t = (s32[], f32[6,2], f32[6,2]) tuple(i, x, c)
  w = (s32[], f32[6,2], f32[6,2]) while(t), condition=condition, body=body
  ROOT o = f32[6,2] get-tuple-element(w), index=2
}}
"
    )
}

#[test]
fn counters_are_compared_by_their_values() {
    let wrapped = "  l = pred[] compare(i, none), direction=LT\n  a = s32[] add(i, six)\n  o = s32[] select(l, a, i)";
    check(
        &cache(wrapped),
        &cache("  o = s32[] copy(i)"),
        &[
            ("copy(i)", "add(i, one)"),
            ("copy(i)", "subtract(i, one)"),
            ("dynamic-slice(x, o, none)", "dynamic-slice(x, none, none)"),
            ("exponential", "negate"),
            ("dynamic-update-slice(c", "dynamic-update-slice(x"),
            ("constant(6)\n  ROOT", "constant(5)\n  ROOT"),
        ],
    );
}

#[test]
fn conditionals_and_indices_that_are_computed() {
    let module = |branches: &str, lines: &str| {
        format!(
            "HloModule choice
{branches}
less {{
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = pred[] compare(a, b), direction=LT
}}
ENTRY e {{
  p = pred[] parameter(0)
  x = f32[5] parameter(1)
  m = s32[5] parameter(2)
{lines}
}}
"
        )
    };
    let chosen = |t: &str, f: &str| {
        format!(
            "yes {{\n  x = f32[5] parameter(0)\n  ROOT r = f32[5] {t}\n}}\nno {{\n  x = f32[5] parameter(0)\n  ROOT r = f32[5] {f}\n}}"
        )
    };
    let old = module(
        &chosen("exponential(x)", "negate(x)"),
        "  ROOT c = f32[5] conditional(p, x, x), true_computation=yes, false_computation=no",
    );
    let new = module(
        &chosen("exponential(x)", "negate(x)"),
        "  y = f32[5] copy(x)\n  ROOT c = f32[5] conditional(p, y, x), true_computation=yes, false_computation=no",
    );
    check(
        &old,
        &new,
        &[
            ("exponential(x)", "negate(x)"),
            ("negate(x)", "exponential(x)"),
            (
                "true_computation=yes, false_computation=no",
                "true_computation=no, false_computation=yes",
            ),
        ],
    );
    let picked = |copy: &str, last: &str| {
        module(
            "",
            &format!(
                "{copy}  s = s32[5] sort(m), dimensions={{0}}, to_apply=small\n  i = s32[5,1] reshape(s)\n  \
                 ROOT g = f32[5] gather(x, i), offset_dims={{}}, collapsed_slice_dims={{0}}, start_index_map={{0}}, index_vector_dim=1, slice_sizes={{1}}{last}"
            ),
        )
        .replace(
            "less {",
            "small {\n  a = s32[] parameter(0)\n  b = s32[] parameter(1)\n  ROOT r = pred[] compare(a, b), direction=LT\n}\nless {",
        )
    };
    let old = picked("", "");
    let new = picked("  n = s32[5] copy(m)\n", "").replace("sort(m)", "sort(n)");
    check(
        &old,
        &new,
        &[(
            "ROOT r = pred[] compare(a, b), direction=LT",
            "ROOT r = pred[] compare(a, b), direction=GT",
        )],
    );
}

/// The position of the largest element, by a fold of pairs.
const LARGEST: &str = "HloModule largest
pick {
  a = f32[] parameter(0)
  i = s32[] parameter(1)
  b = f32[] parameter(2)
  j = s32[] parameter(3)
  more = pred[] compare(a, b), direction=GT
  even = pred[] compare(a, b), direction=EQ
  first = pred[] compare(i, j), direction=LT
  both = pred[] and(even, first)
  any = pred[] or(more, both)
  v = f32[] select(more, a, b)
  k = s32[] select(any, i, j)
  ROOT r = (f32[], s32[]) tuple(v, k)
}
ENTRY e {
  x = f32[5] parameter(0)
  y = f32[5,2] parameter(1)
  n = s32[5] iota(), iota_dimension=0
  low = f32[] constant(-inf)
  zero = s32[] constant(0)
  m = (f32[], s32[]) reduce(x, n, low, zero), dimensions={0}, to_apply=pick
  i = s32[] get-tuple-element(m), index=1
  ROOT s = f32[1,2] dynamic-slice(y, i, zero), dynamic_slice_sizes={1,2}
}
";

/// The same fold with the function written in another order, and another iota.
const LARGEST_AFTER: &str = "HloModule largest
pick {
  a = f32[] parameter(0)
  i = s32[] parameter(1)
  b = f32[] parameter(2)
  j = s32[] parameter(3)
  even = pred[] compare(b, a), direction=EQ
  first = pred[] compare(j, i), direction=GT
  more = pred[] compare(b, a), direction=LT
  c = f32[] copy(a)
  both = pred[] and(first, even)
  k = s32[] select(any, i, j)
  v = f32[] select(more, c, b)
  ROOT r = (f32[], s32[]) tuple(v, k)
}
ENTRY e {
  x = f32[5] parameter(0)
  y = f32[5,2] parameter(1)
  q = s32[3,5] iota(), iota_dimension=1
  p = s32[1,5] slice(q), slice={[1:2],[0:5]}
  n = s32[5] reshape(p)
  low = f32[] constant(-inf)
  zero = s32[] constant(0)
  m = (f32[], s32[]) reduce(x, n, low, zero), dimensions={0}, to_apply=pick
  i = s32[] get-tuple-element(m), index=1
  ROOT s = f32[1,2] dynamic-slice(y, i, zero), dynamic_slice_sizes={1,2}
}
";

#[test]
fn functions_of_elements_are_compared_as_such() {
    let after = LARGEST_AFTER
        .replace("  k = s32[] select(any", "  any = pred[] or(both, more)\n  k = s32[] select(any");
    check(
        LARGEST,
        &after,
        &[
            ("(b, a), direction=LT", "(b, a), direction=LE"),
            ("(b, a), direction=LT", "(a, b), direction=LT"),
            ("(j, i), direction=GT", "(i, j), direction=GT"),
            ("and(first, even)", "or(first, even)"),
            ("select(any, i, j)", "select(any, j, i)"),
            ("select(more, c, b)", "select(more, b, c)"),
            ("iota_dimension=1", "iota_dimension=0"),
            ("dynamic-slice(y, i, zero)", "dynamic-slice(y, zero, zero)"),
        ],
    );
    // The same function with its parameters exchanged is another function.
    let turned = after.replace("f32[] parameter(0)\n  i", "f32[] parameter(2)\n  i");
    let turned = turned.replacen("b = f32[] parameter(2)", "b = f32[] parameter(0)", 1);
    let [old, turned] = [LARGEST, &turned].map(|text| read(text).expect("a module"));
    assert!(same(&old, &turned).0.is_empty());
}
