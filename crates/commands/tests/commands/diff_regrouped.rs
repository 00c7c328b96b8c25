//! `diff --entry` on operations that are grouped, split or placed differently: each beside wrong ones.

use super::diff::{said, same};
use super::diff_algebra::rounded;

/// Checks that two modules are not found to be the same, even up to rounding.
#[track_caller]
fn apart(old: &str, new: &str) {
    let (text, _, _) = said(old, new);
    let last = text.last().expect("a summary");
    assert!(!last.starts_with("nothing differs"), "{old}\n{new}\n{last}");
}

const MAXIMUM: &str =
    "{ x = s32[] parameter(0)  y = s32[] parameter(1)  ROOT r = s32[] maximum(x, y) }";

const SUM: &str = "{ x = s32[] parameter(0)  y = s32[] parameter(1)  ROOT r = s32[] add(x, y) }";

/// Returns the text after the integers `w`, of shape [4,4], and its rows.
fn whole(text: &str) -> String {
    let mut all = "w = s32[4,4] bitcast-convert(m)\n  nought = s32[] constant(0)\n  \
                   least = s32[] constant(-2147483648)"
        .to_owned();
    for k in 0..4 {
        let to = k + 1;
        all += &format!(
            "\n  row{k} = s32[1,4] slice(w), slice={{[{k}:{to}], [0:4]}}\n  w{k} = s32[4] reshape(row{k})"
        );
    }
    format!("{all}\n  {text}")
}

#[test]
fn folds_and_chains_of_operations() {
    let chain = |opcode: &str, order: [usize; 4]| {
        let [a, b, c, d] = order;
        whole(&format!(
            "s = s32[4] {opcode}(w{a}, w{b})\n  t = s32[4] {opcode}(w{c}, w{d})\n  ROOT r = s32[4] {opcode}(t, s)"
        ))
    };
    let fold = |start: &str, by: &str| {
        whole(&format!("ROOT r = s32[4] reduce(w, {start}), dimensions={{0}}, to_apply={by}"))
    };
    same(&fold("nought", SUM), &chain("add", [0, 1, 2, 3]));
    same(&chain("add", [2, 0, 3, 1]), &chain("add", [0, 1, 2, 3]));
    same(&fold("least", MAXIMUM), &chain("maximum", [3, 0, 2, 1]));
    same(&chain("maximum", [3, 0, 2, 2]), &chain("maximum", [0, 2, 3, 3]));
    apart(&fold("nought", SUM), &chain("add", [0, 1, 2, 2]));
    apart(&fold("nought", MAXIMUM), &chain("maximum", [0, 1, 2, 3]));
    apart(&fold("least", MAXIMUM), &chain("minimum", [0, 1, 2, 3]));
    apart(&chain("maximum", [0, 1, 2, 2]), &chain("maximum", [0, 1, 2, 3]));
}

/// A sum of the sums of windows that are next to each other, as a compiler for CPUs writes sums of many elements.
#[test]
fn folds_of_windows_are_folds_of_all_elements() {
    let at_once = |by: &str| {
        whole(&format!("ROOT r = s32[4] reduce(w, nought), dimensions={{1}}, to_apply={by}"))
    };
    let in_two = |counts: &str, window: &str, start: &str, by: &str| {
        whole(&format!(
            "one = s32[] constant(1)\n  v = s32[{counts}] reduce-window(w, {start}), window={{{window}}}, to_apply={SUM}\n  \
             ROOT r = s32[4] reduce(v, {start}), dimensions={{1}}, to_apply={by}"
        ))
    };
    let window = |pad: &str| format!("size=1x3 stride=1x3 pad=0_0x{pad}");
    same(&at_once(SUM), &in_two("4,2", "size=1x2 stride=1x2", "nought", SUM));
    for pad in ["1_1", "2_0", "0_2"] {
        same(&at_once(SUM), &in_two("4,2", &window(pad), "nought", SUM));
    }
    // The last element is in no window, some are in two, 1 is added for each window, and other combiners.
    apart(&at_once(SUM), &in_two("4,1", &window("0_0"), "nought", SUM));
    apart(&at_once(SUM), &in_two("4,3", "size=1x2 stride=1x1", "nought", SUM));
    apart(&at_once(SUM), &in_two("4,2", &window("1_1"), "one", SUM));
    apart(&at_once(SUM), &in_two("4,2", &window("1_1"), "nought", MAXIMUM));
    apart(&at_once(MAXIMUM), &in_two("4,2", &window("1_1"), "nought", SUM));
}

#[test]
fn folds_over_windows() {
    let windows = |window: &str| {
        whole(&format!(
            "ROOT r = s32[2,4] reduce-window(w, nought), window={{{window}}}, to_apply={SUM}"
        ))
    };
    let sums = |middle: &str, by: &str| {
        whole(&format!(
            "c = s32[{middle}] reshape(w)\n  ROOT r = s32[2,4] reduce(c, nought), dimensions={{{by}}}, to_apply={SUM}"
        ))
    };
    let strided = windows("size=2x1 stride=2x1");
    same(&strided, &sums("2,2,4", "1"));
    apart(&strided, &sums("2,2,4", "0"));
    // Numbers that do not depend on elements are summed at the places in the array only.
    let known = |numbers: &str, padding: &str| {
        whole(&format!(
            "one = s32[] constant(1)\n  two = s32[] constant(2)\n  ones = s32[4] broadcast(one), dimensions={{}}\n  \
             twos = s32[4] {numbers}\n  \
             t = s32[4] reduce-window(twos, nought), window={{size=2 pad={padding}}}, to_apply={SUM}\n  ROOT r = s32[4] add(t, w0)"
        ))
    };
    let (sum, constant) = ("add(ones, ones)", "broadcast(two), dimensions={}");
    same(&known(sum, "1_0"), &known(constant, "1_0"));
    apart(&known(sum, "1_0"), &known(constant, "0_1"));
    let four = "four = s32[] constant(4)\n  t = s32[4] broadcast(four), dimensions={}\n  ROOT r = s32[4] add(t, w0)";
    apart(&known(sum, "1_0"), &whole(four));
}

#[test]
fn sums_of_many_products() {
    let product =
        whole("ROOT r = s32[4,4] dot(w, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}");
    let halves = |from: usize| {
        let part = |name: &str, shape: &str, rows: &str, columns: &str| {
            format!("{name} = s32[{shape}] slice(w), slice={{{rows}, {columns}}}\n  ")
        };
        let to = from + 2;
        whole(&format!(
            "{}{}{}{}d = s32[4,4] dot(left, upper), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}\n  \
             e = s32[4,4] dot(right, lower), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}\n  ROOT r = s32[4,4] add(e, d)",
            part("left", "4,2", "[0:4]", "[0:2]"),
            part("right", "4,2", "[0:4]", "[2:4]"),
            part("upper", "2,4", "[0:2]", "[0:4]"),
            part("lower", "2,4", &format!("[{from}:{to}]"), "[0:4]"),
        ))
    };
    same(&product, &halves(2));
    apart(&product, &halves(1));
    let shifted = |by: usize| {
        whole(&format!(
            "k = s32[] constant({by})\n  n = s32[4] broadcast(k), dimensions={{}}\n  ROOT r = s32[4] shift-left(w0, n)"
        ))
    };
    let times = whole(
        "k = s32[] constant(8)\n  n = s32[4] broadcast(k), dimensions={}\n  ROOT r = s32[4] multiply(n, w0)",
    );
    same(&shifted(3), &times);
    apart(&shifted(2), &times);
}

#[test]
fn products_of_arrays_as_convolutions() {
    let dot = |rhs: &str| {
        format!(
            "t = f32[4,4] transpose(m), dimensions={{1,0}}\n  \
             ROOT r = f32[4,4] dot(m, {rhs}), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}"
        )
    };
    let convolution = |pad: &str| {
        format!(
            "x = f32[1,4,4] reshape(m)\n  k = f32[1,4,4] reshape(m)\n  \
             c = f32[1,4,4] convolution(x, k), window={{size=1 pad={pad}}}, dim_labels=b0f_0io->b0f\n  ROOT r = f32[4,4] reshape(c)"
        )
    };
    same(&dot("m"), &convolution("0_0"));
    apart(&dot("t"), &convolution("0_0"));
    apart(&dot("m"), &convolution("1_-1"));
}

#[test]
fn sorts_with_their_operands_in_another_order() {
    let sort = |operands: &str, before: [usize; 2], stable: bool, part: usize| {
        let [x, y] = before;
        format!(
            "t = (f32[4], f32[4]) sort({operands}), dimensions={{0}}, is_stable={stable}, to_apply={{ a = f32[] parameter(0)  b = f32[] parameter(1)  \
             c = f32[] parameter(2)  d = f32[] parameter(3)  ROOT l = pred[] compare(p{x}, p{y}), direction=LT }}\n  \
             ROOT r = f32[4] get-tuple-element(t), index={part}"
        )
        .replace("p0", "a")
        .replace("p1", "b")
        .replace("p2", "c")
        .replace("p3", "d")
    };
    let first = sort("p, q", [0, 1], true, 1);
    same(&first, &sort("q, p", [2, 3], true, 0));
    apart(&first, &sort("q, p", [0, 1], true, 0));
    apart(&first, &sort("q, p", [3, 2], true, 0));
    apart(&first, &sort("q, p", [2, 3], true, 1));
    apart(&sort("p, q", [0, 1], false, 1), &sort("q, p", [2, 3], false, 0));
    // Parts that are not compared do not affect those that are.
    let alone = |of: &str, stable: bool| {
        format!(
            "ROOT r = f32[4] sort({of}), dimensions={{0}}, is_stable={stable}, to_apply={{ a = f32[] parameter(0)  b = f32[] parameter(1)  \
             ROOT l = pred[] compare(a, b), direction=LT }}"
        )
    };
    same(&sort("p, q", [0, 1], true, 0), &alone("p", true));
    apart(&sort("p, q", [0, 1], true, 0), &alone("q", true));
    apart(&sort("p, q", [0, 1], true, 0), &alone("p", false));
    let turned = |along: usize, order: &str| {
        format!(
            "v = f32[4,4] transpose(m), dimensions={{{order}}}\n  \
             s = f32[4,4] sort(v), dimensions={{{along}}}, to_apply={{ a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT l = pred[] compare(a, b), direction=LT }}\n  \
             ROOT r = f32[4,4] transpose(s), dimensions={{{order}}}"
        )
    };
    same(&turned(0, "0,1"), &turned(1, "1,0"));
    apart(&turned(0, "0,1"), &turned(0, "1,0"));
}

#[test]
fn operations_on_selected_operands() {
    let of = |text: &str| {
        format!(
            "np = f32[4] negate(p)\n  nq = f32[4] negate(q)\n  s = f32[4] select(b, p, q)\n  n = pred[4] not(b)\n  ROOT r = f32[4] {text}"
        )
    };
    same(&of("negate(s)"), &of("select(b, np, nq)"));
    apart(&of("negate(s)"), &of("select(b, nq, np)"));
    apart(&of("negate(s)"), &of("select(n, np, nq)"));
    // A truth value as a number.
    let chosen = |text: &str| {
        whole(&format!(
            "t = s32[4] convert(b)\n  c = s32[4] multiply(t, w0)\n  d = s32[4] multiply(t, t)\n  \
             z = s32[4] broadcast(nought), dimensions={{}}\n  one = s32[] constant(1)\n  o = s32[4] broadcast(one), dimensions={{}}\n  \
             l = s32[4] select(b, o, z)\n  ROOT r = s32[4] {text}"
        ))
    };
    same(&chosen("copy(c)"), &chosen("multiply(w0, l)"));
    same(&chosen("multiply(d, w0)"), &chosen("multiply(w0, l)"));
    apart(&chosen("multiply(d, w0)"), &chosen("multiply(w1, l)"));
}

#[test]
fn conditionals_as_choices() {
    let scalars = "{ x = f32[4] parameter(0)  ROOT y = f32[4] negate(x) }";
    let kept = "{ x = f32[4] parameter(0)  ROOT y = f32[4] copy(x) }";
    let conditional = |one: &str, other: &str| {
        format!(
            "nought = s32[] constant(0)\n  c = pred[] compare(i, nought), direction=LT\n  \
             ROOT r = f32[4] conditional(c, p, q), true_computation={one}, false_computation={other}"
        )
    };
    let choice = |one: &str, other: &str| {
        format!(
            "nought = s32[] constant(0)\n  c = pred[] compare(i, nought), direction=LT\n  d = pred[4] broadcast(c), dimensions={{}}\n  \
             np = f32[4] negate(p)\n  nq = f32[4] negate(q)\n  ROOT r = f32[4] select(d, {one}, {other})"
        )
    };
    same(&conditional(scalars, kept), &choice("np", "q"));
    same(&choice("p", "nq"), &conditional(kept, scalars));
    apart(&conditional(scalars, kept), &choice("p", "nq"));
    apart(&conditional(scalars, kept), &choice("q", "np"));
}

#[test]
fn maxima_beside_their_positions() {
    let both = "{ x = f32[] parameter(0)  i = s32[] parameter(1)  y = f32[] parameter(2)  j = s32[] parameter(3)  \
                g = pred[] compare(x, y), direction=GT  n = pred[] compare(x, x), direction=NE  o = pred[] or(g, n)  \
                v = f32[] select(o, x, y)  k = s32[] select(o, i, j)  ROOT t = (f32[], s32[]) tuple(v, k) }";
    let one = |opcode: &str| {
        format!(
            "{{ x = f32[] parameter(0)  y = f32[] parameter(1)  ROOT r = f32[] {opcode}(x, y) }}"
        )
    };
    let start = "least = f32[] constant(-inf)\n  nought = s32[] constant(0)\n  n = s32[4,4] iota(), iota_dimension=0";
    let pair = format!(
        "{start}\n  t = (f32[4], s32[4]) reduce(m, n, least, nought), dimensions={{0}}, to_apply={both}\n  \
         ROOT r = f32[4] get-tuple-element(t), index=0"
    );
    // The second fold makes the numbers of folds differ.
    let alone = |opcode: &str| {
        format!(
            "{start}\n  s = f32[4] reduce(m, least), dimensions={{0}}, to_apply={}\n  ROOT r = f32[4] maximum(s, s)",
            one(opcode)
        )
    };
    let twice = format!(
        "{}\n  v = f32[4] reduce(m, least), dimensions={{0}}, to_apply={}\n  ROOT r = f32[4] maximum(s, v)",
        alone("maximum").rsplit_once('\n').expect("lines").0,
        one("maximum")
    );
    rounded(&pair, &twice);
    rounded(&alone("maximum"), &pair);
    apart(&pair, &alone("minimum"));
}

#[test]
fn offsets_computed_from_known_floats() {
    let at = |number: &str| {
        format!(
            "c = f32[] constant({number})\n  f = f32[] floor(c)\n  k = s32[] convert(f)\n  s = f32[1] dynamic-slice(p, k), dynamic_slice_sizes={{1}}\n  \
             ROOT r = f32[] reshape(s)"
        )
    };
    let slice = "s = f32[1] slice(p), slice={[2:3]}\n  ROOT r = f32[] reshape(s)";
    same(&at("2.4"), slice);
    apart(&at("1.9"), slice);
}

#[test]
fn infinities_follow_no_algebra() {
    let of = |number: &str, text: &str| {
        format!(
            "c = f32[] constant({number})\n  n = f32[4] broadcast(c), dimensions={{}}\n  d = f32[4] subtract(n, n)\n  e = f32[4] add(d, n)\n  \
             s = f32[4] add({text}, p)\n  ROOT r = f32[4] add(s, q)"
        )
    };
    same(&of("3", "e"), &of("3", "n"));
    apart(&of("-inf", "e"), &of("-inf", "n"));
}

#[test]
fn folds_of_few_truth_values() {
    let fold = |root: &str| {
        let by = format!(
            "{{ x = pred[] parameter(0)  y = pred[] parameter(1)  ROOT r = pred[] and({root}) }}"
        );
        whole(&format!(
            "zeros = s32[4] broadcast(nought), dimensions={{}}\n  signs = pred[4] compare(w0, zeros), direction=LT\n  \
             start = pred[] constant(true)\n  ROOT r = pred[] reduce(signs, start), dimensions={{0}}, to_apply={by}"
        ))
    };
    let mut chain =
        "zeros = s32[4] broadcast(nought), dimensions={}\n  signs = pred[4] compare(w0, zeros), direction=LT"
            .to_owned();
    for k in 0..4 {
        let to = k + 1;
        chain += &format!(
            "\n  part{k} = pred[1] slice(signs), slice={{[{k}:{to}]}}\n  sign{k} = pred[] reshape(part{k})"
        );
    }
    let chain = whole(&format!(
        "{chain}\n  one = pred[] and(sign0, sign1)\n  other = pred[] and(sign2, sign3)\n  ROOT r = pred[] and(one, other)"
    ));
    same(&fold("x, y"), &chain);
    same(&fold("y, x"), &chain);
    // The result of this combiner does not depend on the other parameter.
    apart(&fold("x, x"), &chain);
}
