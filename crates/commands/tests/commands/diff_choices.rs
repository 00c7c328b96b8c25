//! `diff --entry` on truth values that are negated, on masks, and on folds in other orders: each beside wrong ones.

use super::diff::{root, same};
use super::diff_algebra::rounded;
use super::diff_rewrites::not_same;

/// Checks each pair in both directions.
fn pairs(all: &[(String, String, bool)]) {
    for (old, new, is_same) in all {
        let check = if *is_same { same } else { not_same };
        check(old, new);
        check(new, old);
    }
}

/// Which operand an element comes from depends on its remainder.
#[test]
fn choices_by_remainders() {
    let joined = |lines: &str| {
        format!(
            "left = f32[2,2] reshape(p)\n  right = f32[2,2] reshape(q)\n  {lines}\n  flat = f32[8] reshape(made)\n  ROOT r = f32[8] tanh(flat)"
        )
    };
    let before = joined(
        "all = f32[2,4] concatenate(left, right), dimensions={1}\n  made = f32[2,4] cosine(all)",
    );
    let behind = |operands: &str| {
        joined(&format!(
            "x = f32[2,2] cosine(left)\n  y = f32[2,2] cosine(right)\n  made = f32[2,4] concatenate({operands}), dimensions={{1}}"
        ))
    };
    pairs(&[(before.clone(), behind("x, y"), true), (before, behind("y, x"), false)]);
}

#[test]
fn choices_by_opposite_truth_values() {
    let of = |lines: &str, choice: &str, operands: &str| {
        format!(
            "x = s32[4] broadcast(i), dimensions={{}}\n  y = s32[4] broadcast(j), dimensions={{}}\n  {lines}\n  c = pred[4] {choice}\n  {}",
            root(&format!("select(c, {operands})"))
        )
    };
    let compared = |operands: &str, direction: &str, chosen: &str| {
        of("", &format!("compare({operands}), direction={direction}"), chosen)
    };
    let negated = |lines: &str, choice: &str| {
        of(&format!("{lines}\n  k = pred[4] {choice}"), "not(k)", "p, q")
    };
    let both = "g = pred[4] compare(x, y), direction=LT\n  h = pred[4] not(b)\n  \
                l = pred[4] compare(x, y), direction=GE\n  ";
    let truths = format!(
        "{both}yess = pred[] constant(true)\n  yes = pred[4] broadcast(yess), dimensions={{}}\n  \
         nos = pred[] constant(false)\n  no = pred[4] broadcast(nos), dimensions={{}}"
    );
    let total = |direction: &str| format!("{direction}, type=TOTALORDER");
    pairs(&[
        (of("n = pred[4] not(b)", "copy(n)", "p, q"), of("", "copy(b)", "q, p"), true),
        (of("n = pred[4] not(b)", "copy(n)", "p, q"), of("", "copy(b)", "p, q"), false),
        (of("n = pred[4] not(b)", "not(n)", "p, q"), of("", "copy(b)", "p, q"), true),
        (
            of(
                "n = pred[] compare(i, j), direction=LT\n  o = pred[] not(n)",
                "broadcast(o), dimensions={}",
                "p, q",
            ),
            compared("x, y", "GE", "p, q"),
            true,
        ),
        (compared("x, y", "LT", "p, q"), compared("x, y", "GE", "q, p"), true),
        (compared("x, y", "LT", "p, q"), compared("y, x", "LE", "q, p"), true),
        (compared("x, y", "EQ", "p, q"), compared("y, x", "NE", "q, p"), true),
        (compared("x, y", "LT", "p, q"), compared("x, y", "LE", "q, p"), false),
        (compared("x, y", "LT", "p, q"), compared("x, y", "GT", "q, p"), false),
        (compared("p, q", "EQ", "p, q"), compared("p, q", "NE", "q, p"), true),
        // Both are false for NaN.
        (compared("p, q", "LT", "p, q"), compared("p, q", "GE", "q, p"), false),
        (compared("p, q", &total("LT"), "p, q"), compared("p, q", &total("GE"), "q, p"), true),
        (compared("p, q", &total("NE"), "p, q"), compared("p, q", "EQ", "q, p"), false),
        (negated(both, "and(b, g)"), of(both, "or(h, l)", "p, q"), true),
        (negated(both, "and(g, b)"), of(both, "or(h, l)", "p, q"), true),
        (negated(both, "and(b, g)"), of(both, "and(h, l)", "p, q"), false),
        (negated(both, "and(b, g)"), of(both, "or(b, l)", "p, q"), false),
        (negated(both, "xor(b, g)"), of(both, "xor(h, l)", "p, q"), false),
        (of(&truths, "select(b, g, no)", "p, q"), of(&truths, "and(g, b)", "p, q"), true),
        (of(&truths, "select(b, yes, g)", "p, q"), of(&truths, "or(g, b)", "p, q"), true),
        (of(&truths, "select(b, g, no)", "p, q"), of(&truths, "or(g, b)", "p, q"), false),
        (of(&truths, "select(b, no, g)", "p, q"), of(&truths, "and(g, b)", "p, q"), false),
    ]);
}

#[test]
fn masks_choose_elements() {
    let of = |mask: &str, last: &str| {
        format!(
            "n = s32[4,4] iota(), iota_dimension=0\n  o = s32[4,4] iota(), iota_dimension=1\n  t = f32[4,4] transpose(m), dimensions={{1,0}}\n  \
             w = f32[4,4] broadcast(zero), dimensions={{}}\n  k = s32[] constant(2)\n  e = s32[4,4] broadcast(k), dimensions={{}}\n  \
             z = s32[4,4] broadcast(i), dimensions={{}}\n  g = pred[4,4] {mask}\n  {last}"
        )
    };
    let row = |mask: &str, from: usize| {
        let last = format!(
            "s = f32[4,4] select(g, m, t)\n  ROOT r = f32[1,4] slice(s), slice={{[{from}:{}], [0:4]}}",
            from + 1
        );
        of(mask, &last)
    };
    let last = "ROOT r = f32[1,4] slice(m), slice={[3:4], [0:4]}";
    let whole = |mask: &str| of(mask, "ROOT r = f32[4,4] select(g, m, t)");
    let halves = |one: &str, other: &str| {
        format!(
            "h = f32[2,4] slice({one}), slice={{[0:2], [0:4]}}\n  l = f32[2,4] slice({other}), slice={{[2:4], [0:4]}}\n  \
             ROOT r = f32[4,4] concatenate(h, l), dimensions={{0}}"
        )
    };
    let (below, first) = ("compare(n, o), direction=GE", "compare(n, e), direction=LT");
    let diagonal = |dimension: usize, mask: &str| {
        let last = format!(
            "s = f32[4,4] select(g, m, w)\n  ROOT r = f32[4] reduce(s, zero), dimensions={{{dimension}}}, to_apply=add"
        );
        of(mask, &last)
    };
    let equal = "compare(n, o), direction=EQ";
    pairs(&[
        (row(below, 3), of(below, last), true),
        (row(below, 2), of(below, last), false),
        // On the diagonal both are the same.
        (row("compare(n, o), direction=GT", 3), of(below, last), true),
        (row("compare(n, e), direction=EQ", 3), of(below, last), false),
        (row("compare(n, z), direction=GE", 3), of(below, last), false),
        (whole(first), of(first, &halves("m", "t")), true),
        (whole(first), of(first, &halves("t", "m")), false),
        (whole("compare(n, e), direction=LE"), of(first, &halves("m", "t")), false),
        (diagonal(0, equal), diagonal(1, equal), true),
        (diagonal(0, below), diagonal(1, below), false),
    ]);
}

#[test]
fn folds_in_other_orders() {
    let sum = |of: &str, dimensions: &str| {
        format!("ROOT r = f32[] reduce({of}, zero), dimensions={{{dimensions}}}, to_apply=add")
    };
    let split = |inner: &str| {
        format!(
            "c = f32[2,2,3] reshape(a)\n  d = f32[2,3] reduce({inner}, zero), dimensions={{1}}, to_apply=add\n  {}",
            sum("d", "0,1")
        )
    };
    let turned = "t = f32[4,4] transpose(m), dimensions={1,0}\n  c = f32[16] reshape(t)\n  ";
    let part = "o = f32[4,4] slice(m), slice={[0:4], [0:4]}\n  v = f32[3,4] slice(m), slice={[0:3], [0:4]}\n  ";
    let dot = |lhs: &str, rhs: &str| {
        format!(
            "ROOT r = f32[] dot(m, m), lhs_contracting_dims={{{lhs}}}, rhs_contracting_dims={{{rhs}}}"
        )
    };
    pairs(&[
        (split("c"), sum("a", "0"), true),
        (
            format!("b3 = f32[12] reverse(a), dimensions={{0}}\n  {}", split("c")),
            sum("a", "0"),
            true,
        ),
        (split("c").replace("to_apply=add\n", "to_apply=most\n"), sum("a", "0"), false),
        (format!("{turned}{}", sum("c", "0")), sum("m", "0,1"), true),
        (format!("{turned}{}", sum("c", "0")), format!("{part}{}", sum("v", "0,1")), false),
        (dot("0,1", "0,1"), dot("1,0", "1,0"), true),
        (dot("0,1", "0,1"), dot("0,1", "1,0"), false),
    ]);
}

#[test]
fn dots_are_sums_of_products() {
    let dot = |of: &str, array: &str| {
        let converted = format!(
            "n = s32[4,4] convert(m)\n  t = {of}[4,4] transpose({array}), dimensions={{1,0}}"
        );
        format!(
            "{converted}\n  ROOT r = {of}[4,4] dot({array}, t), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}"
        )
    };
    let sum = |of: &str, array: &str, places: [&str; 2]| {
        let [one, other] = places;
        format!(
            "n = s32[4,4] convert(m)\n  o = {of}[4,4,4] broadcast({array}), dimensions={{{one}}}\n  \
             e = {of}[4,4,4] broadcast({array}), dimensions={{{other}}}\n  d = {of}[4,4,4] multiply(o, e)\n  z = {of}[] constant(0)\n  \
             ROOT r = {of}[4,4] reduce(d, z), dimensions={{2}}, to_apply={{ x = {of}[] parameter(0)  y = {of}[] parameter(1)  ROOT w = {of}[] add(x, y) }}"
        )
    };
    let places = ["0,2", "1,2"];
    pairs(&[
        (dot("s32", "n"), sum("s32", "n", places), true),
        (dot("s32", "n"), sum("s32", "n", ["0,2", "2,1"]), false),
        (dot("f32", "m"), sum("f32", "m", ["0,2", "2,1"]), false),
    ]);
    rounded(&dot("f32", "m"), &sum("f32", "m", places));
    rounded(&sum("f32", "m", places), &dot("f32", "m"));
}

#[test]
fn indices_are_sums() {
    let moved = |by: u32, size: u32| {
        format!(
            "n = s32[{size}] iota(), iota_dimension=0\n  k = s32[] constant({by})\n  e = s32[{size}] broadcast(k), dimensions={{}}\n  \
             ROOT r = s32[{size}] add(n, e)"
        )
    };
    let cut = |rest: &str| format!("n = s32[12] iota(), iota_dimension=0\n  {rest}");
    let slice = |text: &str| cut(&format!("ROOT r = s32[4] slice(n), slice={{[{text}]}}"));
    pairs(&[
        (moved(3, 4), slice("3:7"), true),
        (moved(2, 4), slice("3:7"), false),
        (moved(3, 4), slice("3:11:2"), false),
    ]);
}

#[test]
fn places_known_only_at_run_time() {
    // The index of the largest element of each row, and a row of `m` there.
    let most = |of: &str, sizes: &str, kept: &str, combiner: &str| {
        format!(
            "n = s32[{sizes}] iota(), iota_dimension=1\n  f = f32[] constant(-inf)\n  w = (f32[{kept}], s32[{kept}]) reduce({of}, n, f, none), \
             dimensions={{1}}, to_apply={{ x = f32[] parameter(0)  x.1 = s32[] parameter(1)  y = f32[] parameter(2)  y.1 = s32[] parameter(3)  \
             {combiner}  v = f32[] select(o, x, y)  c = s32[] select(o, x.1, y.1)  ROOT t = (f32[], s32[]) tuple(v, c) }}\n  \
             g = s32[{kept}] get-tuple-element(w), index=1\n  "
        )
    };
    let (more, less) =
        ("o = pred[] compare(x, y), direction=GT", "o = pred[] compare(y, x), direction=LT");
    let row = |number: usize, at: &str| {
        format!(
            "i{number}.1 = s32[1] slice(g), slice={{[{at}:{}]}}\n  i{number} = s32[] reshape(i{number}.1)\n  \
             r{number} = f32[1,4] dynamic-slice(m, i{number}, none), dynamic_slice_sizes={{1,4}}\n  ",
            at.parse::<usize>().expect("a number") + 1
        )
    };
    let rows = |count: usize| {
        format!(
            "gather(m, g), offset_dims={{1}}, collapsed_slice_dims={{0}}, start_index_map={{0}}, index_vector_dim=1, slice_sizes={{1,{count}}}"
        )
    };
    let all = |combiner: &str| {
        format!("{}ROOT r = f32[4,4] {}", most("m", "4,4", "4", combiner), rows(4))
    };
    let cut = |from: usize| {
        format!(
            "h = f32[2,4] slice(m), slice={{[{from}:{}], [0:4]}}\n  {}ROOT r = f32[2,4] {}",
            from + 2,
            most("h", "2,4", "2", more),
            rows(4)
        )
    };
    let part = format!(
        "{}s = f32[4,4] {}\n  ROOT r = f32[2,4] slice(s), slice={{[1:3], [0:4]}}",
        most("m", "4,4", "4", more),
        rows(4)
    );
    let each = |at: [&str; 4]| {
        let lines: String = at.iter().enumerate().map(|(k, at)| row(k, at)).collect();
        let base = most("m", "4,4", "4", less);
        format!("{base}{lines}ROOT r = f32[4,4] concatenate(r0, r1, r2, r3), dimensions={{0}}")
    };
    pairs(&[
        (all(more), all(less), true),
        (all(more), all("o = pred[] compare(x, y), direction=LT"), false),
        (part.clone(), cut(1), true),
        (part, cut(0), false),
        (all(more), each(["0", "1", "2", "3"]), true),
        (all(more), each(["0", "2", "1", "3"]), false),
    ]);
    // A loop that moves rows to the places in a table, and a gather.
    let moved = |at: &str| {
        format!(
            "k = s32[4] convert(p)\n  e = f32[4,4] broadcast(zero), dimensions={{}}\n  \
             t = (s32[], f32[4,4], f32[4,4], s32[4]) tuple(none, e, m, k)\n  \
             w = (s32[], f32[4,4], f32[4,4], s32[4]) while(t), condition={{ s = (s32[], f32[4,4], f32[4,4], s32[4]) parameter(0)  \
             i = s32[] get-tuple-element(s), index=0  l = s32[] constant(4)  ROOT c = pred[] compare(i, l), direction=LT }}, \
             body={{ s = (s32[], f32[4,4], f32[4,4], s32[4]) parameter(0)  i = s32[] get-tuple-element(s), index=0  \
             o = f32[4,4] get-tuple-element(s), index=1  x = f32[4,4] get-tuple-element(s), index=2  k = s32[4] get-tuple-element(s), index=3  \
             three = s32[] constant(3)  back = s32[] subtract(three, i)  z = s32[] constant(0)  a.1 = s32[1] dynamic-slice(k, {at}), dynamic_slice_sizes={{1}}  \
             a = s32[] reshape(a.1)  u = f32[1,4] dynamic-slice(x, a, z), dynamic_slice_sizes={{1,4}}  \
             v = f32[4,4] dynamic-update-slice(o, u, i, z)  one = s32[] constant(1)  j = s32[] add(i, one)  \
             ROOT n = (s32[], f32[4,4], f32[4,4], s32[4]) tuple(j, v, x, k) }}\n  ROOT r = f32[4,4] get-tuple-element(w), index=1"
        )
    };
    let gathered = format!("g = s32[4] convert(p)\n  ROOT r = f32[4,4] {}", rows(4));
    pairs(&[(moved("i"), gathered.clone(), true), (moved("back"), gathered, false)]);
}

#[test]
fn parts_of_arrays_are_compared_one_by_one() {
    let halves = |op: &str, of: &str, ends: [&str; 2]| {
        let half = |name: &str, array: &str, at: &str| {
            format!("{name} = f32[2,4] slice({array}), slice={{[{at}], [0:4]}}\n  ")
        };
        let [one, other] = ends;
        let lines = [
            half("a1", "m", "0:2"),
            half("a2", "m", "2:4"),
            half("c1", of, one),
            half("c2", of, other),
        ];
        format!(
            "t = f32[4,4] transpose(m), dimensions={{1,0}}\n  {}d1 = f32[2,4] {op}(a1, c1)\n  d2 = f32[2,4] {op}(a2, c2)\n  \
             ROOT r = f32[4,4] concatenate(d1, d2), dimensions={{0}}",
            lines.concat()
        )
    };
    let whole = "t = f32[4,4] transpose(m), dimensions={1,0}\n  ROOT r = f32[4,4] subtract(m, t)"
        .to_owned();
    let ends = ["0:2", "2:4"];
    pairs(&[
        (whole.clone(), halves("subtract", "t", ends), true),
        (whole.clone(), halves("add", "t", ends), false),
        (whole.clone(), halves("subtract", "m", ends), false),
        (whole, halves("subtract", "t", ["2:4", "0:2"]), false),
    ]);
}

#[test]
fn constants_that_decide() {
    let of = |lines: &str, last: &str| {
        format!(
            "x = s32[4] broadcast(i), dimensions={{}}\n  y = s32[4] broadcast(j), dimensions={{}}\n  n0 = s32[] constant(0)\n  \
             no = s32[4] broadcast(n0), dimensions={{}}\n  n1 = s32[] constant(1)\n  one = s32[4] broadcast(n1), dimensions={{}}\n  \
             n6 = s32[] constant(6)\n  six = s32[4] broadcast(n6), dimensions={{}}\n  n2 = s32[] negate(n0)\n  \
             nil = s32[4] broadcast(n2), dimensions={{}}\n  t0 = pred[] constant(false)\n  never = pred[4] broadcast(t0), dimensions={{}}\n  \
             t1 = pred[] constant(true)\n  always = pred[4] broadcast(t1), dimensions={{}}\n  {lines}\n  \
             ROOT r = s32[4] {last}"
        )
    };
    let chosen = |choice: &str| of(&format!("c = pred[4] {choice}"), "select(c, x, y)");
    // The index of an element from the end of an array.
    let index = |of_index: &str| {
        of(
            &format!(
                "k = s32[4] {of_index}\n  l = pred[4] compare(k, no), direction=LT\n  e = s32[4] add(k, six)"
            ),
            "select(l, e, k)",
        )
    };
    let natural = |of_index: &str, lines: &str| {
        of(&format!("h = s32[4] maximum(x, no)\n  {lines}\n  k = s32[4] {of_index}"), "copy(k)")
    };
    let wrapped = |of_index: &str, lines: &str| {
        of(
            &format!(
                "h = s32[4] maximum(x, no)\n  {lines}\n  k = s32[4] {of_index}\n  l = pred[4] compare(k, no), direction=LT\n  \
                 e = s32[4] add(k, six)"
            ),
            "select(l, e, k)",
        )
    };
    pairs(&[
        (of("", "remainder(x, one)"), of("", "copy(no)"), true),
        (of("", "remainder(x, six)"), of("", "copy(no)"), false),
        (of("", "remainder(one, x)"), of("", "copy(no)"), false),
        (of("", "select(b, no, nil)"), of("", "copy(no)"), true),
        (of("", "select(b, no, one)"), of("", "copy(no)"), false),
        (chosen("and(b, never)"), of("", "copy(y)"), true),
        (chosen("and(b, never)"), of("", "copy(x)"), false),
        (chosen("and(b, always)"), of("", "copy(x)"), false),
        (chosen("or(always, b)"), of("", "copy(x)"), true),
        (chosen("or(never, b)"), of("", "copy(x)"), false),
        (chosen("xor(always, b)"), of("", "copy(y)"), false),
        (of("", "and(x, no)"), of("", "copy(no)"), true),
        (of("", "and(x, one)"), of("", "copy(one)"), false),
        (of("", "or(x, no)"), of("", "copy(no)"), false),
        (of("", "multiply(no, x)"), of("", "copy(no)"), true),
        (wrapped("remainder(h, six)", ""), natural("remainder(h, six)", ""), true),
        (wrapped("remainder(six, x)", ""), natural("remainder(six, x)", ""), true),
        (wrapped("remainder(x, six)", ""), natural("remainder(x, six)", ""), false),
        (wrapped("and(x, h)", ""), natural("and(x, h)", ""), true),
        (wrapped("or(x, h)", ""), natural("or(x, h)", ""), false),
        (wrapped("select(b, h, six)", ""), natural("select(b, h, six)", ""), true),
        (wrapped("select(b, h, x)", ""), natural("select(b, h, x)", ""), false),
        (index("maximum(x, no)"), natural("copy(h)", ""), true),
        (index("minimum(x, no)"), natural("copy(h)", ""), false),
        (
            wrapped("convert(w)", "w = s64[4] convert(h)"),
            natural("convert(w)", "w = s64[4] convert(h)"),
            false,
        ),
        (
            wrapped("convert(w)", "w = u8[4] convert(x)\n  v = u8[] constant(9)"),
            natural("convert(w)", "w = u8[4] convert(y)\n  v = u8[] constant(9)"),
            false,
        ),
    ]);
}
