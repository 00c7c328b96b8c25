//! Modules whose reads depend on values: an element that is selected, an index that is sorted. Values that choose must be the same,
//! while those that are chosen only need the same reads.

use super::pairing::{agree, changed, read, same};

/// Checks whether the result has the same reads in both modules, and runs altered modules beside their answers.
#[track_caller]
fn check(old: &str, new: &str, is_alike: bool) {
    let modules = [old, new].map(|text| read(text).unwrap_or_else(|| panic!("{text}")));
    let paths = same(&modules[0], &modules[1]);
    assert_eq!(!paths.is_empty(), is_alike, "{new}");
    for text in changed(new) {
        let Some(other) = read(&text) else {
            continue;
        };
        let paths = same(&modules[0], &other);
        agree(&text, &modules[0], &other, &paths);
    }
}

#[test]
fn elements_that_are_selected() {
    let module = |chosen: &str, source: &str, select: &str, scatter: &str, window: &str| {
        format!(
            "HloModule pool
select {{
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = pred[] compare(a, b), direction={select}
}}
scatter {{
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] {scatter}(a, b)
}}
ENTRY e {{
  x = f32[6] parameter(0)
  y = f32[6] parameter(1)
  u = f32[3] parameter(2)
  v = f32[3] parameter(3)
  z = f32[] constant(0)
  k = f32[6] {chosen}
  s = f32[3] {source}
  ROOT r = f32[6] select-and-scatter(k, s, z), window={{{window}}}, select=select, scatter=scatter
}}
"
        )
    };
    let window = "size=2 stride=2";
    let old = module("maximum(x, y)", "add(u, v)", "GE", "add", window);
    let all = [
        module("maximum(y, x)", "subtract(u, v)", "GE", "add", window),
        module("maximum(y, x)", "add(u, u)", "GE", "add", window),
        // Other elements are selected.
        module("minimum(x, y)", "add(u, v)", "GE", "add", window),
        module("maximum(x, y)", "add(u, v)", "LE", "add", window),
        module("add(x, y)", "add(u, v)", "GE", "add", window),
        module("maximum(x, y)", "add(u, v)", "GE", "maximum", window),
        module("maximum(x, y)", "add(u, v)", "GE", "add", "size=3 stride=2 pad=0_1"),
    ];
    for (number, other) in all.iter().enumerate() {
        check(&old, other, number == 0);
    }
}

/// Returns a module that sorts keys to find indices.
fn sorted(keys: &str, direction: &str, rest: &str) -> String {
    format!(
        "HloModule sorted
before {{
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  i = s32[] parameter(2)
  j = s32[] parameter(3)
  ROOT c = pred[] compare(a, b), direction={direction}
}}
add {{
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b)
}}
ENTRY e {{
  x = f32[4,2] parameter(0)
  p = f32[4] parameter(1)
  q = f32[4] parameter(2)
  u = f32[4,2] parameter(3)
  keys = f32[4] {keys}
  i = s32[4] iota(), iota_dimension=0
  s = (f32[4], s32[4]) sort(keys, i), dimensions={{0}}, is_stable=true, to_apply=before
  j = s32[4] get-tuple-element(s), index=1
  k = s32[4,1] reshape(j)
{rest}
}}
"
    )
}

#[test]
fn rows_at_sorted_indices() {
    let rows = |x: &str, index: &str| {
        format!(
            "  y = f32[4,2] {x}
  ROOT r = f32[4,2] gather(y, {index}), offset_dims={{1}}, collapsed_slice_dims={{0}}, start_index_map={{0}}, index_vector_dim=1, \
             slice_sizes={{1,2}}"
        )
    };
    let old = sorted("add(p, q)", "LT", &rows("multiply(x, u)", "k"));
    let all = [
        sorted("add(q, p)", "LT", &rows("subtract(x, u)", "k")),
        sorted("add(q, p)", "GT", &rows("multiply(x, u)", "k")),
        sorted("subtract(p, q)", "LT", &rows("multiply(x, u)", "k")),
        sorted("add(p, q)", "LT", &rows("multiply(x, x)", "k")),
    ];
    for (number, other) in all.iter().enumerate() {
        check(&old, other, number == 0);
    }
}

#[test]
fn windows_at_sorted_indices() {
    let put = |update: &str, index: &str| {
        format!(
            "  w = f32[4,2] {update}
  m = s32[1,4] reshape(j)
  ROOT r = f32[4,2] scatter(x, {index}, w), update_window_dims={{1}}, inserted_window_dims={{0}}, scatter_dims_to_operand_dims={{0}}, \
             index_vector_dim={}, to_apply=add",
            usize::from(index == "k")
        )
    };
    let old = sorted("add(p, q)", "LT", &put("negate(u)", "k"));
    let reads = |update: &str, direction: &str, index: &str| {
        sorted("add(q, p)", direction, &put(update, index))
    };
    let alike = reads("copy(u)", "LT", "m");
    for (other, is_alike) in [
        (alike, true),
        (reads("negate(u)", "GT", "k"), false),
        (reads("negate(x)", "LT", "k"), false),
        (sorted("subtract(p, q)", "LT", &put("negate(u)", "k")), false),
    ] {
        check(&old, &other, is_alike);
    }
}

#[test]
fn results_of_libraries() {
    let module = |of: &str, target: &str, rest: &str| {
        format!(
            "HloModule library
ENTRY e {{
  x = f32[4,4] parameter(0)
  y = f32[4,4] parameter(1)
  z = f32[4,4] {of}
  l = (f32[4,4], s32[4]) custom-call(z), custom_call_target=\"{target}\"
  a = f32[4,4] get-tuple-element(l), index=0
  b = s32[4] get-tuple-element(l), index=1
  ROOT r = f32[4,4] {rest}
}}
"
        )
    };
    let old = module("add(x, y)", "factors", "multiply(a, y)");
    for (other, is_alike) in [
        (module("add(y, x)", "factors", "subtract(y, a)"), true),
        (module("subtract(x, y)", "factors", "multiply(a, y)"), false),
        (module("add(y, x)", "others", "multiply(a, y)"), false),
        (module("add(y, x)", "factors", "multiply(a, x)"), false),
    ] {
        check(&old, &other, is_alike);
    }
}
