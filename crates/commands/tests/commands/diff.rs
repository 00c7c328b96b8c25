//! `diff --entry` compares three things separately: the elements read as data, the elements read to find these, and the
//! values.

use super::diff_algebra::rounded;
use super::support::memory::Memory;
use affinor_commands::{Session, Status};

/// The parameters and computations shared by the modules.
const PARAMETERS: &str = "  p = f32[4] parameter(0)\n  q = f32[4] parameter(1)\n  b = pred[4] parameter(2)\n  m = f32[4,4] parameter(3)\n  \
    i = s32[] parameter(4)\n  j = s32[] parameter(5)\n  a = f32[12] parameter(6)\n  u = f32[3] parameter(7)\n  zero = f32[] constant(0)\n  \
    none = s32[] constant(0)\n";
const COMPUTATIONS: &str = "add { x = f32[] parameter(0)  y = f32[] parameter(1)  ROOT r = f32[] add(x, y) }\n\
    turned { x = f32[] parameter(0)  y = f32[] parameter(1)  ROOT r = f32[] add(y, x) }\n\
    most { x = f32[] parameter(0)  y = f32[] parameter(1)  ROOT r = f32[] maximum(x, y) }\n\
    lt { x = f32[] parameter(0)  y = f32[] parameter(1)  ROOT r = pred[] compare(x, y), direction=LT }\n\
    gt { x = f32[] parameter(0)  y = f32[] parameter(1)  ROOT r = pred[] compare(x, y), direction=GT }\n\
    few { s = (s32[], f32[4]) parameter(0)  k = s32[] get-tuple-element(s), index=0  n = s32[] constant(3)  \
    ROOT r = pred[] compare(k, n), direction=LT }\n\
    body { s = (s32[], f32[4]) parameter(0)  k = s32[] get-tuple-element(s), index=0  v = f32[4] get-tuple-element(s), index=1  \
    o = s32[] constant(1)  l = s32[] add(k, o)  w = f32[4] add(v, v)  ROOT t = (s32[], f32[4]) tuple(l, w) }\n";

fn module(lines: &str) -> Vec<u8> {
    format!("HloModule m\n{COMPUTATIONS}ENTRY main {{\n{PARAMETERS}  {lines}\n}}\n").into_bytes()
}

/// Returns the answers about two modules as text and as JSON, and the exit status.
pub(super) fn said(old: &str, new: &str) -> (Vec<String>, Vec<serde_json::Value>, Status) {
    let mut host = Memory {
        files: [("old.hlo", module(old)), ("new.hlo", module(new))].into(),
        ..Memory::default()
    };
    let ran = Session::new().run("diff old.hlo new.hlo --entry", &mut host);
    let status = ran.unwrap_or_else(|failure| panic!("{old}\n{new}\n{}", failure.error.message));
    let text = host.outputs.iter();
    let text = text.map(|output| output.text.to_string()).collect();
    let json = host.outputs.iter().filter_map(|output| output.json.clone());
    let json = json.map(serde_json::Value::Object).collect();
    (text, json, status)
}

/// Checks that both are reported as the same computation.
#[track_caller]
pub(super) fn same(old: &str, new: &str) {
    let (text, json, status) = said(old, new);
    let last = text.last().map(String::as_str);
    assert_eq!(last, Some("nothing differs: 1 value compared"), "{text:?}");
    assert_eq!(status, Status::Done);
    assert_eq!(json.last().expect("a summary")["same"], 1);
}

/// Checks that both have the same reads and are reported to compute different values, for this reason.
#[track_caller]
fn computed_otherwise(old: &str, new: &str, what: &str) {
    let (text, json, status) = said(old, new);
    let found = &text[0];
    let expected =
        format!("the result computed differently: the reads are the same, but at {what}");
    assert_eq!(*found, expected);
    assert_eq!(text[1], "1 value compared: 1 computed differently");
    assert_eq!(json[0]["change"], "computed_otherwise");
    assert_eq!(status, Status::Wrong);
}

/// Checks that both have the same reads, and that nothing is claimed about the values.
#[track_caller]
pub(super) fn open(old: &str, new: &str) {
    let (text, json, status) = said(old, new);
    let unknown = "the result: the reads are the same; equality of the values is not known: ";
    assert!(text[0].starts_with(unknown), "{text:?}");
    let agree = "reads agree: 1 value compared, 1 not shown to be the same computation";
    assert_eq!(text[1], agree);
    assert_eq!(json[0]["change"], "values_unknown");
    assert_eq!(json[1]["same_reads"], 1);
    assert_eq!(status, Status::Done);
}

/// Checks that both are reported to read different data.
#[track_caller]
fn changed(old: &str, new: &str) {
    let (text, _, status) = said(old, new);
    // The first line reports a change of data.
    let first = &text[0];
    assert!(first.starts_with("the result changed: element"), "{text:?}");
    assert_eq!(status, Status::Wrong);
}

/// Writes `ROOT r = f32[4] ..`.
pub(super) fn root(text: &str) -> String {
    format!("ROOT r = f32[4] {text}")
}

#[test]
fn elementwise_values() {
    let both = |old: &str, new: &str| (root(old), root(new));
    let (sum, turned) = both("add(p, q)", "add(q, p)");
    same(&sum, &turned);
    let (difference, exchanged) = both("subtract(p, q)", "subtract(q, p)");
    computed_otherwise(&difference, &sum, "`r` it was subtract, and is add, of the same operands");
    computed_otherwise(&difference, &exchanged, "`r` its operands were exchanged");
    let (chosen, other) = both("select(b, p, q)", "select(b, q, p)");
    computed_otherwise(&chosen, &other, "`r` its operands were exchanged");
    let compared = |text: &str| format!("ROOT r = pred[4] compare({text}");
    let below = compared("p, q), direction=LT");
    same(&below, &compared("q, p), direction=GT"));
    computed_otherwise(
        &below,
        &compared("p, q), direction=LE"),
        "`r` its direction was LT, and is LE",
    );
    same(&root("maximum(p, p)"), &root("minimum(p, p)"));
    let two = "c = f32[] constant(2)\n  d = f32[4] broadcast(c), dimensions={}\n  ";
    rounded(&root("add(p, p)"), &format!("{two}{}", root("multiply(p, d)")));
    let squared = |of: &str| format!("s = f32[4] subtract({of})\n  {}", root("multiply(s, s)"));
    rounded(&squared("p, q"), &squared("q, p"));
    // The values are equal, but not known to be.
    open(
        "ROOT r = pred[4] compare(p, p), direction=GT",
        "ROOT r = pred[4] compare(p, p), direction=LT",
    );
    // For truth values, add and maximum are both or.
    open("ROOT r = pred[4] add(b, b)", "ROOT r = pred[4] maximum(b, b)");
}

#[test]
fn constants() {
    let plus = |constant: &str| {
        format!(
            "c = f32[] constant({constant})\n  d = f32[4] broadcast(c), dimensions={{}}\n  {}",
            root("add(p, d)")
        )
    };
    same(&plus("1"), &plus("1.0"));
    computed_otherwise(&plus("1"), &plus("2"), "`c` it was 1, and is 2");
    // Both round to the same number.
    same(&plus("0.1"), &plus("0.100000001"));
    let padded = |constant: &str| {
        format!("c = f32[] constant({constant})\n  ROOT r = f32[6] pad(p, c), padding=1_1")
    };
    computed_otherwise(&padded("0"), &padded("1"), "`c` it was 0, and is 1");
    same(
        &padded("0"),
        "e = f32[1] broadcast(zero), dimensions={}\n  ROOT r = f32[6] concatenate(e, p, e), dimensions={0}",
    );
}

#[test]
fn values_that_are_moved() {
    same(
        "t = f32[4,4] transpose(m), dimensions={1,0}\n  n = f32[4,4] negate(t)\n  ROOT r = f32[4,4] add(n, m)",
        "n = f32[4,4] negate(m)\n  t = f32[4,4] transpose(n), dimensions={1,0}\n  ROOT r = f32[4,4] add(m, t)",
    );
    changed(
        "n = f32[4,4] negate(m)\n  ROOT r = f32[4,4] transpose(n), dimensions={1,0}",
        "ROOT r = f32[4,4] negate(m)",
    );
}

#[test]
fn folds_and_whole_arrays() {
    let rows = |by: &str| root(&format!("reduce(m, zero), dimensions={{1}}, to_apply={by}"));
    let columns = |by: &str| {
        let fold = format!("reduce(t, zero), dimensions={{0}}, to_apply={by}");
        format!("t = f32[4,4] transpose(m), dimensions={{1,0}}\n  {}", root(&fold))
    };
    same(&rows("add"), &columns("turned"));
    computed_otherwise(&rows("add"), &rows("most"), "`r` it folded by add, and folds by maximum");
    let dot = "lhs_contracting_dims={1}, rhs_contracting_dims={0}";
    let turned = "lhs_contracting_dims={0}, rhs_contracting_dims={0}";
    same(
        &root(&format!("dot(m, p), {dot}")),
        &format!(
            "t = f32[4,4] transpose(m), dimensions={{1,0}}\n  {}",
            root(&format!("dot(t, p), {turned}"))
        ),
    );
    // A window that folds padding equal to its initial value.
    let window =
        |pad: &str| format!("reduce-window(w, zero), window={{size=3 pad={pad}}}, to_apply=add");
    let padded = |value: &str| {
        format!(
            "one = f32[] constant(1)\n  w = f32[5] pad(p, {value}), padding=1_0\n  ROOT r = f32[5] {}",
            window("2_0")
        )
    };
    let folded = format!("w = f32[4] copy(p)\n  ROOT r = f32[5] {}", window("3_0"));
    same(&padded("zero"), &folded);
    let values =
        "`r` element (0) was 1.000000, and is 0.000000, for the positive sample of parameters";
    computed_otherwise(&padded("one"), &folded, values);
    let sorted = |by: &str| root(&format!("sort(c), dimensions={{0}}, to_apply={by}"));
    let sorted = |by: &str| format!("c = f32[4] copy(p)\n  {}", sorted(by));
    same(&sorted("lt"), &root("sort(p), dimensions={0}, to_apply=lt"));
    open(&sorted("lt"), &sorted("gt"));
    let looped = |start: &str| {
        format!(
            "t = (s32[], f32[4]) tuple(none, {start})\n  w = (s32[], f32[4]) while(t), condition=few, body=body\n  {}",
            root("get-tuple-element(w), index=1")
        )
    };
    same(&looped("p"), &format!("c = f32[4] copy(p)\n  {}", looped("c")));
}

#[test]
fn indices_are_no_data() {
    let inner = "w = f32[5] dynamic-slice(a, i), dynamic_slice_sizes={5}\n  v = f32[5] dynamic-update-slice(w, u, j)\n  \
        ROOT r = f32[12] dynamic-update-slice(a, v, i)";
    let folded = |last: i64| {
        format!(
            "two = s32[] constant({last})\n  seven = s32[] constant(7)\n  ci = s32[] clamp(none, i, seven)\n  \
             cj = s32[] clamp(none, j, two)\n  s = s32[] add(ci, cj)\n  ROOT r = f32[12] dynamic-update-slice(a, u, s)"
        )
    };
    let (text, json, status) = said(inner, &folded(2));
    assert_eq!(
        text,
        [
            "the result: it reads the same data, but as an index, element (0) now reads () of operand 5",
            "nothing differs: 1 value compared"
        ]
    );
    assert_eq!(json[0]["change"], "index");
    assert_eq!(json[1]["other_index"], 1);
    assert_eq!(status, Status::Done);
    changed(inner, &folded(3));
    changed(inner, "s = s32[] add(i, j)\n  ROOT r = f32[12] dynamic-update-slice(a, u, s)");
    let sliced = |of: &str| {
        format!("{of}\n  ROOT r = f32[4] dynamic-slice(s, k), dynamic_slice_sizes={{4}}")
    };
    let before = "s = f32[10] slice(a), slice={[2:12]}\n  k = s32[] copy(i)";
    let after = |last: i64| {
        format!(
            "last = s32[] constant({last})\n  two = s32[] constant(2)\n  c = s32[] clamp(none, i, last)\n  s = f32[12] copy(a)\n  \
             k = s32[] add(c, two)"
        )
    };
    same(&sliced(before), &sliced(&after(6)));
    changed(&sliced(before), &sliced(&after(5)));
    // An index from the end, if it is negative.
    let one =
        |of: &str| format!("{of}ROOT r = f32[1] dynamic-slice(a, k), dynamic_slice_sizes={{1}}");
    changed(
        &one(
            "n = s32[] constant(12)\n  neg = pred[] compare(i, none), direction=LT\n  w = s32[] add(i, n)\n  \
             k = s32[] select(neg, w, i)\n  ",
        ),
        &one("k = s32[] copy(i)\n  "),
    );
}

#[test]
fn devices() {
    let all = |of: &str| {
        format!("{of}z = f32[4] all-reduce(p), replica_groups={{{{0,1}}}}, to_apply=add\n  ")
    };
    let sum = |text: &str| format!("{text}{}", root("add(z, p)"));
    let turned = |text: &str| format!("{text}{}", root("add(p, z)"));
    same(&sum(&all("")), &turned(&all("")));
    let (text, _, status) = said(&sum(&all("")), &sum("z = f32[4] copy(p)\n  "));
    assert_eq!(
        text[0],
        "the result unknown: it reads the same elements, but on which devices is not compared"
    );
    assert_eq!(status, Status::Undecided);
    // Something else is written otherwise, and the devices are the same.
    rounded(
        &format!("{}y = f32[4] add(p, p)\n  {}", all(""), root("add(y, z)")),
        &format!(
            "{}c = f32[] constant(2)\n  d = f32[4] broadcast(c), dimensions={{}}\n  y = f32[4] multiply(p, d)\n  {}",
            all(""),
            root("add(y, z)")
        ),
    );
}

/// Maps `k`, `i` and `j` to the element of `a` that a program reads for element `k` of its result, at offsets `i` and `j`.
type Read = fn(i64, i64, i64) -> i64;

/// Checks for a counterexample with values of the offsets, at which the two functions read different elements.
#[track_caller]
fn refuted(old: (&str, Read), new: (&str, Read)) {
    for ((one, by_one), (other, by_other)) in [(old, new), (new, old)] {
        let (text, json, status) = said(one, other);
        assert_eq!(status, Status::Wrong, "{text:?}");
        let found = json.iter().map(|line| &line["counterexample"]);
        let found = found.clone().find(|found| found["values"].is_array());
        let found = found.unwrap_or_else(|| panic!("{text:?}"));
        let values = found["values"].as_array().expect("values");
        let value = |operand: u64| {
            let of = values.iter().find(|value| value["operand"] == operand);
            of.map_or(0, |value| value["value"].as_i64().expect("a value"))
        };
        let (i, j) = (value(4), value(5));
        let (k, element) = (found["output"][0].as_i64(), found["element"][0].as_i64());
        let (k, element) = (k.expect("an index"), element.expect("an index"));
        let read = [by_one(k, i, j), by_other(k, i, j)];
        let by_old = found["read_by"] == "old";
        assert_eq!(read[usize::from(!by_old)], element, "{text:?}");
        assert_ne!(read[usize::from(by_old)], element, "{text:?}");
        assert!(text[0].contains(&format!("operand 4 is {i}")), "{text:?}");
    }
}

/// Clamps an offset to `[0, most]`.
fn forced(offset: i64, most: i64) -> i64 {
    offset.clamp(0, most)
}

#[test]
fn counterexamples_name_the_values_of_offsets() {
    let slice = |offset: &str| {
        format!("{offset}ROOT r = f32[3] dynamic-slice(a, o), dynamic_slice_sizes={{3}}")
    };
    let twice = "w = f32[6] dynamic-slice(a, i), dynamic_slice_sizes={6}\n  \
        ROOT r = f32[3] dynamic-slice(w, j), dynamic_slice_sizes={3}";
    let bounds = "six = s32[] constant(6)\n  three = s32[] constant(3)\n  c = s32[] clamp(none, i, six)\n  \
        d = s32[] clamp(none, j, three)\n  ";
    same(twice, &slice(&format!("{bounds}o = s32[] add(c, d)\n  ")));
    let read_twice: Read = |k, i, j| forced(i, 6) + forced(j, 3) + k;
    refuted(
        (twice, read_twice),
        (&slice("o = s32[] add(i, j)\n  "), |k, i, j| forced(i + j, 9) + k),
    );
    let wrapped = "n = s32[] constant(12)\n  l = pred[] compare(i, none), direction=LT\n  s = s32[] add(i, n)\n  \
        o = s32[] select(l, s, i)\n  ";
    let read_wrapped: Read = |k, i, _| forced(if i < 0 { i + 12 } else { i }, 9) + k;
    refuted(
        (&slice(wrapped), read_wrapped),
        (&slice("o = s32[] copy(i)\n  "), |k, i, _| forced(i, 9) + k),
    );
    let part = "w = f32[8] slice(a), slice={[2:10]}\n  ROOT r = f32[3] dynamic-slice(w, i), dynamic_slice_sizes={3}";
    let moved = "two = s32[] constant(2)\n  o = s32[] add(i, two)\n  ";
    refuted(
        (part, |k, i, _| forced(i, 5) + 2 + k),
        (&slice(moved), |k, i, _| forced(i + 2, 9) + k),
    );
    // Without a clamp that matters, nothing differs.
    same(
        &slice("o = s32[] copy(i)\n  "),
        &slice("nine = s32[] constant(9)\n  o = s32[] clamp(none, i, nine)\n  "),
    );
}

/// Only the part of an array that indices of a type can reach matters; all of that part does.
#[test]
fn runtime_values_lie_within_their_types() {
    let gathered = "offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1}";
    let scattered = "update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1";
    let slice =
        |of: &str| format!("ROOT r = f32[1] dynamic-slice({of}, k), dynamic_slice_sizes={{1}}");
    let gather = |of: &str| format!("ROOT r = f32[5] gather({of}, ks), {gathered}");
    let scatter = |of: &str, size: i64| {
        format!("f32[{size}] scatter({of}, one, v), {scattered}, to_apply=last")
    };
    let types = [
        ("pred", 2, 9),
        ("s8", 128, 300),
        ("u8", 256, 300),
        ("s16", 1 << 15, 40_000),
        ("s32", 300, 300),
    ];
    for (element_type, reached, size) in types {
        let module = |lines: &str| {
            let text = format!(
                "HloModule m
                 last {{ a = f32[] parameter(0)  ROOT b = f32[] parameter(1) }}
                 ENTRY main {{
                 x = f32[{size}] parameter(0)
                 k = {element_type}[] parameter(1)
                 ks = {element_type}[5,1] parameter(2)
                 one = {element_type}[1,1] parameter(3)
                 v = f32[1] parameter(4)
                 {lines}
                 }}"
            );
            text.into_bytes()
        };
        let first = |part: i64| format!("y = f32[{part}] slice(x), slice={{[0:{part}]}}");
        let rest = |part: i64| {
            format!(
                "{}\n s = {}\n z = f32[{}] slice(x), slice={{[{part}:{size}]}}
                 ROOT r = f32[{size}] concatenate(s, z), dimensions={{0}}",
                first(part),
                scatter("y", part),
                size - part
            )
        };
        let rows: [(String, &dyn Fn(i64) -> String); 3] = [
            (slice("x"), &|part| format!("{}\n {}", first(part), slice("y"))),
            (gather("x"), &|part| format!("{}\n {}", first(part), gather("y"))),
            (format!("ROOT r = {}", scatter("x", size)), &rest),
        ];
        for (whole, cut) in rows {
            for part in [reached, reached - 1] {
                let files = [("old.hlo", module(&whole)), ("new.hlo", module(&cut(part)))];
                let mut host = Memory { files: files.into(), ..Memory::default() };
                let status = Session::new().run("diff old.hlo new.hlo --entry", &mut host);
                let is_same = matches!(status, Ok(Status::Done));
                assert_eq!(is_same, part == reached, "{element_type} {part} {whole}");
            }
        }
    }
}
