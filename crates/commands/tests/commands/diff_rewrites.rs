//! `diff --entry` on rewrites as compilers perform them, each beside a wrong variant that is a different computation.

use super::diff::{open, root, said, same};
use super::diff_algebra::rounded;
use affinor_commands::Status;

/// Checks that the values are not reported as the same.
#[track_caller]
pub(super) fn not_same(old: &str, new: &str) {
    let (text, json, _) = said(old, new);
    let last = json.last().expect("a summary");
    assert_eq!(last["same"], 0, "{text:?}");
}

/// Writes the lines and a result of type `f32[4]`.
fn after(lines: &str, text: &str) -> String {
    format!("{lines}\n  {}", root(text))
}

/// Writes a scalar constant and its broadcast.
fn constant(name: &str, value: &str) -> String {
    format!(
        "{name}s = f32[] constant({value})\n  {name} = f32[4] broadcast({name}s), dimensions={{}}\n  "
    )
}

#[test]
fn neutral_operands() {
    let one = |op: &str| after(&constant("c", "1"), op);
    let no = |op: &str| after(&constant("c", "0"), op);
    let copy = root("copy(p)");
    for (old, is_neutral) in [
        (one("multiply(p, c)"), true),
        (one("multiply(c, p)"), true),
        (one("divide(p, c)"), true),
        (no("subtract(p, c)"), true),
        (after(&constant("c", "-0"), "add(p, c)"), true),
        // It turns -0 into 0.
        (no("add(p, c)"), false),
        (no("subtract(c, p)"), false),
        (one("divide(c, p)"), false),
        (one("subtract(p, c)"), false),
        (no("multiply(p, c)"), false),
        (after("y = pred[] constant(true)", "select(y, p, q)"), true),
        (after("y = pred[] constant(false)", "select(y, q, p)"), true),
        (after("y = pred[] constant(false)", "select(y, p, q)"), false),
        (root("select(b, p, p)"), true),
        (root("maximum(p, p)"), true),
        (root("add(p, p)"), false),
        (after("n = f32[4] negate(p)", "negate(n)"), true),
        (after("n = f32[4] abs(p)", "abs(n)"), false),
    ] {
        match is_neutral {
            true => same(&old, &copy),
            false => not_same(&old, &copy),
        }
    }
    let integer = |text: &str| format!("one = s32[] constant(1)\n  ROOT r = s32[] {text}");
    for (text, is_neutral) in [
        ("add(i, none)", true),
        ("add(none, i)", true),
        ("multiply(i, one)", true),
        ("or(i, none)", true),
        ("shift-left(i, none)", true),
        ("shift-left(none, i)", false),
        ("and(i, none)", false),
        ("subtract(none, i)", false),
        ("add(i, one)", false),
    ] {
        match is_neutral {
            true => same(&integer(text), &integer("copy(i)")),
            false => not_same(&integer(text), &integer("copy(i)")),
        }
    }
}

#[test]
fn truth_values_compared_with_constants() {
    let compared = |direction: &str, value: &str| {
        format!(
            "y = pred[] constant({value})\n  c = pred[4] broadcast(y), dimensions={{}}\n  t = pred[4] compare(b, c), direction={direction}\n  {}",
            root("select(t, p, q)")
        )
    };
    let plain = root("select(b, p, q)");
    same(&compared("NE", "false"), &plain);
    same(&compared("EQ", "true"), &plain);
    not_same(&compared("EQ", "false"), &plain);
    not_same(&compared("NE", "true"), &plain);
    not_same(&compared("GE", "false"), &plain);
    // A fold over no dimension combines each element with the initial value.
    let folded = |start: &str| {
        format!(
            "y = f32[] constant({start})\n  {}",
            root("reduce(p, y), dimensions={}, to_apply=add")
        )
    };
    same(&folded("-0"), &root("copy(p)"));
    not_same(&folded("1"), &root("copy(p)"));
}

/// Manual computations with different shardings have different values.
#[test]
fn changes_between_global_and_local_shapes() {
    let changed = |axes: &str, name: &str| {
        let call = |target: &str, operand: &str, key: &str| {
            format!(
                "custom-call({operand}), custom_call_target=\"xla.sdy.{target}\", custom_call_has_side_effect=true, \
                 frontend_attributes={{xla.sdy.{key}=\"{axes}\"}}"
            )
        };
        let (local, global) = ("GlobalToLocalShape", "LocalToGlobalShape");
        format!(
            "l = f32[2] {}\n  {name} = f32[2] add(l, l)\n  {}",
            call(local, "p", "in_shardings"),
            root(&call(global, name, "out_shardings"))
        )
    };
    same(&changed("a", "n"), &changed("a", "o"));
    not_same(&changed("a", "n"), &changed("b", "n"));
}

#[test]
fn constants_are_worked_out() {
    let product = format!("{}{}", constant("c", "0.1"), constant("d", "3"));
    let scaled = |value: &str| after(&constant("e", value), "multiply(p, e)");
    let worked = after(&product, "e = f32[4] multiply(c, d)\n  ROOT r = f32[4] multiply(p, e)")
        .replace("ROOT r = f32[4] e =", "e =");
    // The product of two f32 values is rounded once.
    same(&worked, &scaled("0.3"));
    not_same(&worked, &scaled("0.30000004"));
    not_same(&worked, &scaled("0.1"));
    let listed =
        |values: &str| format!("c = f32[4] constant({values})\n  {}", root("multiply(p, c)"));
    same(&listed("{2, 2, 2, 2}"), &scaled("2"));
    not_same(&listed("{2, 2, 2, 3}"), &scaled("2"));
    let chosen = |side: &str| {
        format!(
            "c = f32[2] constant({{1, 3}})\n  u1 = f32[1] slice(c), slice={{[0:1]}}\n  v1 = f32[1] slice(c), slice={{[1:2]}}\n  \
             w1 = pred[1] compare(u1, v1), direction={side}\n  w = pred[] reshape(w1)\n  {}",
            root("select(w, p, q)")
        )
    };
    same(&chosen("LT"), &root("copy(p)"));
    same(&chosen("GE"), &root("copy(q)"));
    not_same(&chosen("GE"), &root("copy(p)"));
}

/// A table that one side computes, up to rounding of its powers, and what it is computed for.
#[test]
fn tables_of_real_numbers() {
    let of = |table: &str, function: &str| {
        format!("{table}  f = f32[4] {function}(w)\n  {}", root("multiply(p, f)"))
    };
    let computed = |base: &str| {
        format!(
            "k = s32[4] iota(), iota_dimension=0\n  l = f32[4] convert(k)\n  c = f32[] constant({base})\n  \
             d = f32[4] broadcast(c), dimensions={{}}\n  w = f32[4] power(d, l)\n"
        )
    };
    let listed = "w = f32[4] constant({1, 0.3, 0.09, 0.027})\n";
    rounded(&of(&computed("0.3"), "cosine"), &of(listed, "cosine"));
    not_same(&of(&computed("0.31"), "cosine"), &of(listed, "cosine"));
    let cosines = "f = f32[4] constant({0.5403023, 0.9553365, 0.9959527, 0.9996355})\n  ";
    rounded(&of(&computed("0.3"), "cosine"), &format!("{cosines}{}", root("multiply(p, f)")));
    not_same(&of(&computed("0.3"), "sine"), &format!("{cosines}{}", root("multiply(p, f)")));
}

#[test]
fn quotients_by_powers_of_two_are_products() {
    let by = |op: &str, value: &str| after(&constant("c", value), &format!("{op}(p, c)"));
    same(&by("divide", "4"), &by("multiply", "0.25"));
    same(&by("divide", "-0.5"), &by("multiply", "-2"));
    same(&by("divide", "4"), &after(&constant("c", "0.25"), "multiply(c, p)"));
    // The inverse of 3 is rounded, and the inverse of so small a number is none.
    rounded(&by("divide", "3"), &by("multiply", "0.333333343"));
    open(&by("divide", "1e-39"), &by("multiply", "1e39"));
    for (old, new) in [("3", "0.3333"), ("4", "0.5"), ("4", "-0.25")] {
        not_same(&by("divide", old), &by("multiply", new));
    }
    not_same(&after(&constant("c", "4"), "divide(c, p)"), &by("multiply", "0.25"));
}

#[test]
fn floats_in_total_order() {
    let total = |direction: &str| {
        format!("ROOT r = pred[4] compare(p, q), direction={direction}, type=TOTALORDER")
    };
    let bits = |of: &str, convert: &str, sign: &str, mask: &str| {
        format!(
            "{of}b = s32[4] {convert}({of})\n  {of}n = pred[4] compare({of}b, zs), direction={sign}\n  \
             {of}x = s32[4] xor({mask}, {of}b)\n  {of}k = s32[4] select({of}n, {of}x, {of}b)\n  "
        )
    };
    let by_bits = |convert: &str, sign: &str, most: &str, root: &str| {
        let constants = format!(
            "z = s32[] constant(0)\n  zs = s32[4] broadcast(z), dimensions={{}}\n  m1 = s32[] constant({most})\n  \
             ms = s32[4] broadcast(m1), dimensions={{}}\n  "
        );
        let both = [bits("p", convert, sign, "ms"), bits("q", convert, sign, "ms")].concat();
        format!("{constants}{both}ROOT r = pred[4] compare({root}")
    };
    let right = "pk, qk), direction=LT";
    let most = "2147483647";
    for convert in ["bitcast-convert", "bitcast"] {
        same(&total("LT"), &by_bits(convert, "LT", most, right));
        same(&by_bits(convert, "LT", most, right), &total("LT"));
    }
    for (sign, most, result) in [
        ("LE", most, right),
        ("LT", "2147483646", right),
        ("LT", most, "pk, qk), direction=GT"),
        ("LT", most, "qk, pk), direction=LT"),
        ("LT", most, "pk, qb), direction=LT"),
        ("LT", most, "pb, qb), direction=LT"),
    ] {
        not_same(&total("LT"), &by_bits("bitcast-convert", sign, most, result));
    }
    // Without the total order, zeros and NaN compare differently.
    let usual = "ROOT r = pred[4] compare(p, q), direction=LT";
    not_same(usual, &by_bits("bitcast-convert", "LT", most, right));
    not_same(usual, &total("LT"));
}

#[test]
fn bitcasts_that_keep_places_are_conversions_of_bits() {
    let of = |text: &str| format!("n = f32[4,4] negate(m)\n  ROOT r = {text}");
    let convert = of("s32[4,4]{1,0} bitcast-convert(n)");
    same(&convert, &of("s32[4,4]{1,0} bitcast(n)"));
    not_same(&convert, &of("s32[4,4]{0,1} bitcast(n)"));
    not_same(&of("s32[16]{0} bitcast(n)"), &of("s32[16]{0} bitcast(m)"));
}

#[test]
fn folds_over_split_dimensions() {
    let dot = |one: &str, other: &str, contracted: [&str; 2]| {
        format!(
            "f = f32[16] reshape(m)\n  t = f32[4,4] transpose(m), dimensions={{1,0}}\n  n = f32[4,4] negate(m)\n  \
             nf = f32[16] reshape(n)\n  nt = f32[4,4] transpose(n), dimensions={{1,0}}\n  \
             ROOT r = f32[] dot({one}, {other}), lhs_contracting_dims={{{}}}, rhs_contracting_dims={{{}}}",
            contracted[0], contracted[1]
        )
    };
    let whole = dot("m", "n", ["0,1", "0,1"]);
    same(&whole, &dot("f", "nf", ["0", "0"]));
    same(&dot("nf", "f", ["0", "0"]), &whole);
    not_same(&dot("m", "n", ["0,1", "1,0"]), &dot("f", "nf", ["0", "0"]));
    let parts = |sizes: &str, dimensions: &str| {
        format!(
            "g = f32[{sizes}] reshape(m)\n  ROOT r = f32[] reduce(g, zero), dimensions={{{dimensions}}}, to_apply=add"
        )
    };
    let all = parts("16", "0");
    for (sizes, dimensions) in [("2,8", "0,1"), ("2,4,2", "0,1,2"), ("1,16,1", "0,1,2")] {
        same(&all, &parts(sizes, dimensions));
    }
    // Folds over all indices, and over one index fewer.
    let part = |sizes: &str, dimensions: &str, range: &str| {
        format!(
            "g = f32[{sizes}] reshape(p)\n  n = f32[{sizes}] negate(g)\n  s = f32[{sizes}] copy(n)\n  h = f32[4] reshape(s)\n  \
             k = f32[{}] slice(h), slice={{[{range}]}}\n  ROOT r = f32[] reduce(k, zero), dimensions={{{dimensions}}}, to_apply=add",
            if range == "0:4" { 4 } else { 3 }
        )
    };
    same(&part("2,2", "0", "0:4"), &part("4", "0", "0:4"));
    not_same(&part("2,2", "0", "0:4"), &part("4", "0", "0:3"));
    let single = |shape: &str, dimensions: &str| {
        format!(
            "g = f32[{shape}] reshape(p)\n  n = f32[{shape}] negate(g)\n  ROOT r = f32[4] reduce(n, zero), dimensions={{{dimensions}}}, to_apply=add"
        )
    };
    same(&single("4,1", "1"), &single("1,4", "0"));
    same(&single("4,1", "1"), &single("4", ""));
    // A fold of one element with another initial value.
    not_same(
        &single("4,1", "1")
            .replace("zero)", "three)")
            .replace("g =", "three = f32[] constant(3)\n  g ="),
        &single("4", ""),
    );
}

#[test]
fn scatters_by_their_windows() {
    let scatter = |lines: &str, operands: &str, numbers: &str| {
        format!(
            "k = s32[4,1] iota(), iota_dimension=0\n  w = s32[4,1] broadcast(i), dimensions={{}}\n  {lines}\n  ROOT r = f32[4,4] scatter({operands}), {numbers}"
        )
    };
    let paired = |attributes: &str| {
        format!(
            "update_window_dims={{}}, inserted_window_dims={{0,1}}, scatter_dims_to_operand_dims={{{attributes}}}, index_vector_dim=1, to_apply=add"
        )
    };
    let batched = scatter(
        "",
        "m, w, p",
        "update_window_dims={}, inserted_window_dims={1}, scatter_dims_to_operand_dims={1}, input_batching_dims={0}, \
         scatter_indices_batching_dims={0}, index_vector_dim=1, to_apply=add",
    );
    let both = |parts: &str| format!("v = s32[4,2] concatenate({parts}), dimensions={{1}}");
    same(&batched, &scatter(&both("k, w"), "m, v, p", &paired("0,1")));
    same(&scatter(&both("w, k"), "m, v, p", &paired("1,0")), &batched);
    for (lines, operands, numbers) in [
        (both("w, k"), "m, v, p", paired("0,1")),
        (both("k, w"), "m, v, q", paired("0,1")),
        (both("k, k"), "m, v, p", paired("0,1")),
        (both("k, w"), "m, v, p", paired("0,1").replace("add", "most")),
        (
            format!("{}\n  e = f32[4] reverse(p), dimensions={{0}}", both("k, w")),
            "m, v, e",
            paired("0,1"),
        ),
    ] {
        not_same(&batched, &scatter(&lines, operands, &numbers));
    }
    // Windows in two dimensions, and in one.
    let rows = |shape: &str, last: &str| {
        let text = format!(
            "x = s32[2,2] broadcast(i), dimensions={{}}\n  y = s32[2,2] iota(), iota_dimension=0\n  z = s32[2,2] add(x, y)\n  \
             g = s32[{shape}] reshape(z)\n  c = f32[{shape}] reshape(p)\n  {last}\n  ROOT r = f32[12] scatter(a, g, d), \
             update_window_dims={{}}, inserted_window_dims={{0}}, scatter_dims_to_operand_dims={{0}}, index_vector_dim={}, to_apply=add",
            shape.split(',').count()
        );
        text
    };
    let copied = |shape: &str| format!("d = f32[{shape}] copy(c)");
    same(&rows("2,2", &copied("2,2")), &rows("4", &copied("4")));
    same(&rows("2,2", &copied("2,2")), &rows("1,4", &copied("1,4")));
    not_same(&rows("2,2", &copied("2,2")), &rows("4", "d = f32[4] reverse(c), dimensions={0}"));
}

#[test]
fn conditionals_with_their_operands_in_tuples() {
    let branches = "neg { x = f32[4] parameter(0)  ROOT y = f32[4] negate(x) }\n\
        id { x = f32[4] parameter(0)  ROOT y = f32[4] copy(x) }\n\
        negt { t = (f32[4]) parameter(0)  x = f32[4] get-tuple-element(t), index=0  y = f32[4] negate(x)  ROOT u = (f32[4]) tuple(y) }\n\
        idt { t = (f32[4]) parameter(0)  x = f32[4] get-tuple-element(t), index=0  ROOT u = (f32[4]) tuple(x) }\n";
    let module = |lines: &str| {
        format!("HloModule m\n{branches}ENTRY main {{\n  c = pred[] parameter(0)\n  p = f32[4] parameter(1)\n  q = f32[4] parameter(2)\n  {lines}\n}}\n").into_bytes()
    };
    let plain = "ROOT r = f32[4] conditional(c, p, q), branch_computations={neg, id}";
    let in_tuples = |one: &str, other: &str| {
        format!(
            "t = (f32[4]) tuple({one})\n  u = (f32[4]) tuple({other})\n  \
             w = (f32[4]) conditional(c, t, u), branch_computations={{negt, idt}}\n  ROOT r = f32[4] get-tuple-element(w), index=0"
        )
    };
    for (old, new, is_same) in [
        (plain.to_owned(), in_tuples("p", "q"), true),
        (plain.to_owned(), in_tuples("q", "p"), false),
        (plain.to_owned(), in_tuples("p", "p"), false),
    ] {
        let files = [("old.hlo", module(&old)), ("new.hlo", module(&new))];
        let mut host = super::support::memory::Memory { files: files.into(), ..Default::default() };
        let status =
            affinor_commands::Session::new().run("diff old.hlo new.hlo --entry", &mut host);
        let text: Vec<String> = host.outputs.iter().map(|output| output.text.to_string()).collect();
        let is_shown = text == ["nothing differs: 1 value compared"] && status == Ok(Status::Done);
        assert_eq!(is_shown, is_same, "{text:?}");
    }
}

#[test]
fn calls_take_and_give_bytes_in_layouts() {
    let call = |operand: &str, result: &str, config: &str| {
        format!(
            "c = (f32[4,4]{result}, s32[]) custom-call(m), custom_call_target=\"lapack_spotrf_ffi\"{operand}{config}\n  \
             g = f32[4,4] get-tuple-element(c), index=0\n  s = f32[1,4] slice(g), slice={{[0:1], [0:4]}}\n  ROOT r = f32[4] reshape(s)"
        )
    };
    let [columns, rows] = ["{0,1}", "{1,0}"].map(|layout| {
        (format!(", operand_layout_constraints={{f32[4,4]{layout}}}"), layout.to_owned())
    });
    let lower = ", backend_config={uplo = 76 : ui8}";
    let old = call(&columns.0, &columns.1, lower);
    same(&old, &old.replace("c = (", "call = (").replace("element(c)", "element(call)"));
    // Without stated layouts the target is a function of arrays.
    same(&call("", &columns.1, lower), &call("", &rows.1, lower));
    for new in [
        call(&columns.0, &rows.1, lower),
        call(&rows.0, &columns.1, lower),
        call(&columns.0, &columns.1, ", backend_config={uplo = 85 : ui8}"),
    ] {
        not_same(&old, &new);
    }
}
