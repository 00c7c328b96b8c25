//! `diff --entry` on operations that compilers expand, and on sums and products that are written differently: each beside wrong
//! ones.

use super::diff::{root, said, same};
use super::diff_sharded::summary_of;
use affinor_commands::Status;

/// Returns the last line of the answer about two modules.
fn summary(old: &str, new: &str) -> (String, Status) {
    let (text, _, status) = said(old, new);
    (text.last().cloned().unwrap_or_default(), status)
}

/// Checks that two modules are the same computation up to rounding.
#[track_caller]
pub(super) fn rounded(old: &str, new: &str) {
    let expected =
        "nothing differs but for rounding: 1 value compared, 1 that may be rounded differently";
    assert_eq!(summary(old, new), (expected.to_owned(), Status::Done), "{old}\n{new}");
    let (_, json, _) = said(old, new);
    assert_eq!((&json[0]["change"], &json[1]["rounded"]), (&"rounded".into(), &1.into()));
}

/// Checks that two modules are not found to be the same, even up to rounding.
#[track_caller]
fn apart(old: &str, new: &str) {
    let (last, _) = summary(old, new);
    assert!(!last.starts_with("nothing differs"), "{old}\n{new}\n{last}");
}

#[test]
fn sums_of_integers_are_polynomials() {
    let of = |text: &str| {
        format!(
            "one = s32[] constant(1)\n  less = s32[] constant(-1)\n  two = s32[] constant(2)\n  {text}"
        )
    };
    let last = |text: &str| format!("ROOT r = s32[] {text}");
    let one = |text: &str| of(&last(text));
    let two = |first: &str, text: &str| of(&format!("s = s32[] {first}\n  {}", last(text)));
    for (old, new) in [
        (one("subtract(i, one)"), one("add(i, less)")),
        (two("add(i, one)", "add(s, one)"), one("add(i, two)")),
        (
            two("add(i, j)", "multiply(two, s)"),
            two("add(i, i)", "add(s, v)").replace("\n  s = ", "\n  v = s32[] add(j, j)\n  s = "),
        ),
        (two("negate(j)", "add(i, s)"), one("subtract(i, j)")),
    ] {
        same(&old, &new);
        same(&new, &old);
    }
    for (old, new) in [
        (one("subtract(i, one)"), one("add(i, one)")),
        (one("subtract(i, j)"), one("subtract(j, i)")),
        (two("add(i, one)", "add(s, one)"), two("add(i, one)", "add(s, two)")),
        (two("add(i, j)", "multiply(two, s)"), two("add(i, i)", "add(s, j)")),
        // The difference is 0, but it is still read.
        (two("subtract(j, j)", "add(i, s)"), one("copy(i)")),
    ] {
        apart(&old, &new);
    }
}

#[test]
fn floats_are_numbers_but_for_rounding() {
    let of = |first: &str, text: &str| {
        format!(
            "threes = f32[] constant(3)\n  three = f32[4] broadcast(threes), dimensions={{}}\n  ones = f32[] constant(1)\n  \
             one = f32[4] broadcast(ones), dimensions={{}}\n  thirds = f32[] constant(0.333333343)\n  \
             third = f32[4] broadcast(thirds), dimensions={{}}\n  halves = f32[] constant(0.34)\n  \
             half = f32[4] broadcast(halves), dimensions={{}}\n  s = f32[4] {first}\n  {}",
            root(text)
        )
    };
    for (old, new) in [
        (of("copy(p)", "divide(s, three)"), of("copy(p)", "multiply(s, third)")),
        (of("copy(q)", "divide(p, s)"), of("divide(one, q)", "multiply(p, s)")),
        (of("sqrt(q)", "divide(p, s)"), of("rsqrt(q)", "multiply(p, s)")),
        (of("add(p, q)", "add(s, three)"), of("add(q, three)", "add(p, s)")),
        (of("multiply(p, three)", "multiply(s, q)"), of("multiply(three, q)", "multiply(p, s)")),
        (of("add(p, p)", "copy(s)"), of("add(one, one)", "multiply(p, s)")),
    ] {
        rounded(&old, &new);
        rounded(&new, &old);
    }
    for (old, new) in [
        (of("copy(p)", "divide(s, three)"), of("copy(p)", "multiply(s, half)")),
        (of("copy(q)", "divide(p, s)"), of("divide(one, p)", "multiply(q, s)")),
        (of("sqrt(q)", "divide(p, s)"), of("rsqrt(q)", "multiply(q, s)")),
        // For a negative number, only one of the two is NaN.
        (of("sqrt(p)", "multiply(s, s)"), of("copy(p)", "copy(s)")),
        (of("multiply(p, p)", "sqrt(s)"), of("copy(p)", "copy(s)")),
        // The same at 0.
        (of("divide(one, p)", "multiply(p, s)"), of("copy(one)", "copy(s)")),
        (of("add(p, q)", "subtract(s, three)"), of("subtract(q, three)", "subtract(p, s)")),
    ] {
        apart(&old, &new);
    }
}

/// A long sum of products, with an operation less on one side: the gradient of a layer with GELU, before and after its
/// constants are multiplied.
#[test]
fn long_sums_are_followed_to_their_ends() {
    let [old, new] =
        [include_str!("passes/gelu.before.hlo"), include_str!("passes/gelu.after.hlo")];
    let found = summary_of(old, new);
    assert!(found.starts_with("nothing differs but for rounding"), "{found}");
    let (right, wrong) = ("constant(0.044715)", "constant(0.0447)");
    assert!(new.contains(right));
    let found = summary_of(old, &new.replace(right, wrong));
    assert!(!found.starts_with("nothing differs"), "{found}");
}

#[test]
fn the_first_of_a_sort_are_the_top() {
    let top = "t = (f32[2], s32[2]) topk(p), k=2, largest=true\n  ROOT r = s32[2] get-tuple-element(t), index=1";
    let sorted = |comparison: &str, stable: &str, from: usize| {
        format!(
            "n = s32[4] iota(), iota_dimension=0\n  t = (f32[4], s32[4]) sort(p, n), dimensions={{0}}, is_stable={stable}, to_apply={comparison}\n  \
             g = s32[4] get-tuple-element(t), index=1\n  ROOT r = s32[2] slice(g), slice={{[{from}:{}]}}",
            from + 2
        )
    };
    let before = "{ x = f32[] parameter(0)  y = f32[] parameter(1)  k = s32[] parameter(2)  l = s32[] parameter(3)  \
                  ROOT r = pred[] compare(x, y), type=TOTALORDER, direction=";
    let with = |direction: &str| format!("{before}{direction} }}");
    let called = "t = (f32[2], s32[2]) custom-call(p), custom_call_target=\"TopK\"\n  ROOT r = s32[2] get-tuple-element(t), index=1";
    same(top, &sorted(&with("GT"), "true", 0));
    same(called, top);
    for other in [
        sorted(&with("LT"), "true", 0),
        sorted(&with("GT"), "true", 1),
        sorted(&with("GT"), "false", 0),
        sorted(&with("GE"), "true", 0),
        top.replace("largest=true", "largest=false"),
        top.replace("topk(p)", "topk(q)"),
    ] {
        apart(top, &other);
    }
}

#[test]
fn elementwise_operations_have_one_form() {
    let of = |text: &str| {
        format!(
            "c = u32[] constant(8)\n  d = u32[] constant(7)\n  e = u32[] constant(3)\n  x = u32[] convert(i)\n  {text}"
        )
    };
    let last = |text: &str| of(&format!("ROOT r = u32[] {text}"));
    for (old, new, is_same) in [
        (last("divide(x, c)"), last("shift-right-logical(x, e)"), true),
        (last("remainder(x, c)"), last("and(x, d)"), true),
        (last("divide(x, c)"), last("shift-right-logical(x, d)"), false),
        (last("remainder(x, d)"), last("and(x, d)"), false),
        (
            root("clamp(q, p, p)"),
            format!("l = f32[4] maximum(p, q)\n  {}", root("minimum(l, p)")),
            true,
        ),
        (
            root("clamp(q, p, p)"),
            format!("l = f32[4] minimum(p, q)\n  {}", root("maximum(l, p)")),
            false,
        ),
        (root("map(p, q), dimensions={0}, to_apply=add"), root("add(p, q)"), true),
        (root("map(p, q), dimensions={0}, to_apply=most"), root("add(p, q)"), false),
    ] {
        match is_same {
            true => same(&old, &new),
            false => apart(&old, &new),
        }
    }
    let chosen = |direction: &str, operands: &str| {
        format!(
            "g = pred[] compare(i, j), direction={direction}\n  ROOT r = s32[] select(g, {operands})"
        )
    };
    let most = "ROOT r = s32[] maximum(i, j)";
    same(&chosen("GT", "i, j"), most);
    same(&chosen("LE", "j, i"), most);
    apart(&chosen("LT", "i, j"), most);
    apart(&chosen("GT", "j, i"), most);
    // Values that are never negative.
    let kept = |array: &str| {
        format!(
            "n = s32[4] {array}\n  o = s32[4] broadcast(none), dimensions={{}}\n  f = s32[] constant(4)\n  \
             z = s32[4] broadcast(f), dimensions={{}}\n  g = pred[4] compare(n, o), direction=LT\n  w = s32[4] add(n, z)\n  \
             ROOT r = s32[4] select(g, w, n)"
        )
    };
    let whole = |array: &str| format!("ROOT r = s32[4] {array}");
    same(&kept("iota(), iota_dimension=0"), &whole("iota(), iota_dimension=0"));
    apart(&kept("broadcast(i), dimensions={}"), &whole("broadcast(i), dimensions={}"));
}

#[test]
fn windows_that_select_are_folds_and_scatters() {
    let selected = |select: &str, window: &str| {
        format!(
            "s = f32[6] slice(a), slice={{[0:6]}}\n  ROOT r = f32[12] select-and-scatter(a, s, zero), window={{{window}}}, select={select}, scatter=add"
        )
    };
    let compare = |direction: &str| {
        format!(
            "{{ x = f32[] parameter(0)  y = f32[] parameter(1)  ROOT r = pred[] compare(x, y), direction={direction} }}"
        )
    };
    // The fold takes its other argument if an index is -1.
    let expanded = |direction: &str, window: &str| {
        format!(
            "n = s32[12] iota(), iota_dimension=0\n  k = s32[] constant(-1)\n  s = f32[6] slice(a), slice={{[0:6]}}\n  \
             w = (f32[6], s32[6]) reduce-window(a, n, zero, k), window={{{window}}}, to_apply={{ x = f32[] parameter(0)  x.1 = s32[] parameter(1)  \
             y = f32[] parameter(2)  y.1 = s32[] parameter(3)  g = pred[] compare(x, y), direction={direction}  m = s32[] constant(-1)  \
             d = pred[] compare(x.1, m), direction=NE  e = pred[] and(g, d)  f = pred[] compare(y.1, m), direction=NE  h = pred[] not(f)  \
             o = pred[] or(e, h)  v = f32[] select(o, x, y)  c = s32[] select(o, x.1, y.1)  ROOT t = (f32[], s32[]) tuple(v, c) }}\n  \
             g = s32[6] get-tuple-element(w), index=1\n  h = s32[6,1] reshape(g)\n  z = f32[12] broadcast(zero), dimensions={{}}\n  \
             ROOT r = f32[12] scatter(z, h, s), update_window_dims={{}}, inserted_window_dims={{0}}, scatter_dims_to_operand_dims={{0}}, \
             index_vector_dim=1, to_apply=add"
        )
    };
    let pairs = "size=2 stride=2";
    same(&selected(&compare("GE"), pairs), &expanded("GE", pairs));
    apart(&selected(&compare("GE"), pairs), &expanded("LE", pairs));
    apart(&selected(&compare("GE"), pairs), &expanded("GE", "size=3 stride=2 pad=0_1"));
    apart(&selected(&compare("GE"), pairs), &selected(&compare("LE"), pairs));
}
