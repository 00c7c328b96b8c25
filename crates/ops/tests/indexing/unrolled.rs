//! The reads of loops with few iterations, followed one by one, as texts of maps.

use crate::support::reads::read;
use affinor::expr::IndexingMap;
use affinor::simplify::{Options, Simplifier};
use affinor::text::{Style, print_map};
use affinor_ops::indexing::{Analysis, Exactness, Reads};

/// Checks the simplified maps from the result to the parameters; an operand that is not read has no line.
#[track_caller]
fn check(text: &str, expected: &[&str]) {
    let module = read(text);
    let simplifier = Simplifier::shipped().expect("the shipped rules");
    let simplify = |map: &IndexingMap| simplifier.simplify(map, &Options::default()).map;
    let mut analysis = Analysis::new(&module, &simplify);
    let reads = analysis.computation(module.entry()).expect("a right program");
    let mut lines = Vec::new();
    for entry in reads.iter() {
        let Reads::Maps(maps) = &entry.reads else {
            panic!("unknown: {:?}", entry.reads);
        };
        lines.extend(maps.iter().map(|map| {
            let at_most = if map.exactness == Exactness::Exact { "" } else { "at most " };
            format!("{}: {at_most}{}", entry.operand, print_map(&map.map, Style::Plain))
        }));
    }
    assert_eq!(lines, expected, "{text}");
}

/// Returns a loop with the initial `state` `start`, and these lines in its condition, its body and the entry computation.
fn looped(state: &str, condition: &str, body: &str, start: &str) -> String {
    format!(
        "HloModule loop
         body {{
           s = ({state}) parameter(0)
           {body}
         }}
         condition {{
           s = ({state}) parameter(0)
           {condition}
         }}
         ENTRY main {{
           x = f32[4,6] parameter(0)
           zero = s32[] constant(0)
           one = s32[] constant(1)
           nan = f32[] constant(nan)
           {start}
         }}"
    )
}

/// Returns a loop over a grid of 2 by 3 blocks of `f32[2,2]`, where these lines compute a block `y` from the block `b` of `x`.
fn grid(y: &str, out: &str, at: &str) -> String {
    let state = format!("s32[], s32[], s32[], f32[4,6], {out}");
    looped(
        &state,
        "t = s32[] get-tuple-element(s), index=0
         six = s32[] constant(6)
         ROOT less = pred[] compare(t, six), direction=LT",
        &format!(
            "t = s32[] get-tuple-element(s), index=0
             i = s32[] get-tuple-element(s), index=1
             j = s32[] get-tuple-element(s), index=2
             x = f32[4,6] get-tuple-element(s), index=3
             o = {out} get-tuple-element(s), index=4
             zero = s32[] constant(0)
             one = s32[] constant(1)
             two = s32[] constant(2)
             three = s32[] constant(3)
             t1 = s32[] add(t, one)
             j1 = s32[] add(j, one)
             end = pred[] compare(j1, three), direction=EQ
             i1 = s32[] add(i, one)
             i2 = s32[] select(end, i1, i)
             j2 = s32[] select(end, zero, j1)
             r = s32[] multiply(i, two)
             c = s32[] multiply(j, two)
             b = f32[2,2] dynamic-slice(x, r, c), dynamic_slice_sizes={{2,2}}
             x1 = f32[4,6] dynamic-update-slice(x, b, r, c)
             {y}
             o1 = {out} dynamic-update-slice(o, y, {at})
             ROOT next = ({state}) tuple(t1, i2, j2, x1, o1)"
        ),
        &format!(
            "none = {out} broadcast(nan), dimensions={{}}
             start = ({state}) tuple(zero, zero, zero, x, none)
             loop = ({state}) while(start), condition=condition, body=body
             ROOT r = {out} get-tuple-element(loop), index=4"
        ),
    )
}

#[test]
fn blocks_of_a_grid_that_read_alike_are_one_map() {
    let bounds = "d0 in [0, 3], d1 in [0, 5]";
    check(
        &grid("y = f32[2,2] negate(b)", "f32[4,6]", "r, c"),
        &[&format!("0: (d0, d1) -> (d0, d1), domain: {bounds}")],
    );
    check(
        &grid("y = f32[2,2] transpose(b), dimensions={1,0}", "f32[6,4]", "c, r"),
        &["0: (d0, d1) -> (d1, d0), domain: d0 in [0, 5], d1 in [0, 3]"],
    );
    // Each block reads its own elements in reverse.
    check(
        &grid("y = f32[2,2] reverse(b), dimensions={0}", "f32[4,6]", "r, c"),
        &[&format!("0: (d0, d1) -> (d0 - d0 mod 2 * 2 + 1, d1), domain: {bounds}")],
    );
}

#[test]
fn what_steers_an_iteration_is_known_in_it() {
    let bounds = "d0 in [0, 3], d1 in [0, 5]";
    // A conditional on the index of the block: the first block of a row is computed from the one before, later ones from both.
    let sum = grid(
        "f = pred[] compare(j, zero), direction=EQ
         old = f32[2,2] dynamic-slice(o, r, zero), dynamic_slice_sizes={2,2}
         y = f32[2,2] conditional(f, b, old), true_computation=same, false_computation=twice",
        "f32[4,6]",
        "r, zero",
    );
    let branches = "same {
           p = f32[2,2] parameter(0)
           ROOT q = f32[2,2] negate(p)
         }
         twice {
           p = f32[2,2] parameter(0)
           ROOT q = f32[2,2] reverse(p), dimensions={1}
         }
         body {";
    check(
        &sum.replace("body {", branches),
        &["0: (d0, d1) -> (d0, d1), domain: d0 in [0, 3], d1 in [0, 1]"],
    );
    check(
        &grid(
            "old = f32[2,2] dynamic-slice(o, r, zero), dynamic_slice_sizes={2,2}
             y = f32[2,2] add(b, old)",
            "f32[4,6]",
            "r, zero",
        ),
        &["0: (d0, d1)[s0] -> (d0, d1 + s0 * 2), domain: d0 in [0, 3], d1 in [0, 1], s0 in [0, 2]"],
    );
    // A counter that doubles: 1, 2, 4.
    let doubling = |bound: i64| {
        looped(
            "s32[], f32[4,6]",
            &format!(
                "t = s32[] get-tuple-element(s), index=0
                 end = s32[] constant({bound})
                 ROOT less = pred[] compare(t, end), direction=LT"
            ),
            "t = s32[] get-tuple-element(s), index=0
             c = f32[4,6] get-tuple-element(s), index=1
             zero = s32[] constant(0)
             t1 = s32[] add(t, t)
             column = f32[4,1] dynamic-slice(c, zero, zero), dynamic_slice_sizes={4,1}
             c1 = f32[4,6] dynamic-update-slice(c, column, zero, t)
             ROOT next = (s32[], f32[4,6]) tuple(t1, c1)",
            "start = (s32[], f32[4,6]) tuple(one, x)
             loop = (s32[], f32[4,6]) while(start), condition=condition, body=body
             ROOT r = f32[4,6] get-tuple-element(loop), index=1",
        )
    };
    check(
        &doubling(5),
        &[
            "0: (d0, d1) -> (d0, d1), domain: d0 in [0, 3], d1 in [0, 0]",
            "0: (d0, d1) -> (d0, d1), domain: d0 in [0, 3], d1 in [3, 3]",
            "0: (d0, d1) -> (d0, 0), domain: d0 in [0, 3], d1 in [1, 2]",
            "0: (d0, d1) -> (d0, d1), domain: d0 in [0, 3], d1 in [5, 5]",
            "0: (d0, d1) -> (d0, 0), domain: d0 in [0, 3], d1 in [4, 4]",
        ],
    );
    check(&doubling(0), &[&format!("0: (d0, d1) -> (d0, d1), domain: {bounds}")]);
}

/// The initial state of the loop is passed by one call, or by several.
#[test]
fn a_loop_in_a_computation_that_is_called_once_starts_from_its_operands() {
    let plain = grid("y = f32[2,2] negate(b)", "f32[4,6]", "r, c");
    let call = "loop = (s32[], s32[], s32[], f32[4,6], f32[4,6]) call(start), to_apply=inner";
    let inner = "inner {
           p = (s32[], s32[], s32[], f32[4,6], f32[4,6]) parameter(0)
           ROOT w = (s32[], s32[], s32[], f32[4,6], f32[4,6]) while(p), condition=condition, body=body
         }
         ENTRY main {";
    let own = "loop = (s32[], s32[], s32[], f32[4,6], f32[4,6]) while(start), condition=condition, body=body";
    let called = plain.replace(own, call).replace("ENTRY main {", inner);
    assert_ne!(called, plain);
    check(&called, &["0: (d0, d1) -> (d0, d1), domain: d0 in [0, 3], d1 in [0, 5]"]);
    let twice = called.replace(
        call,
        &format!("{call}\n other = (s32[], s32[], s32[], f32[4,6], f32[4,6]) tuple(one, one, one, x, x)\n second = (s32[], s32[], s32[], f32[4,6], f32[4,6]) call(other), to_apply=inner"),
    );
    let wider = "0: at most (d0, d1)[s0, s1] -> (s0, s1), domain: d0 in [0, 3], d1 in [0, 5], s0 in [0, 3], s1 in [0, 5]";
    check(&twice, &[wider]);
}

#[test]
fn a_start_that_is_not_known_and_long_courses_are_not_followed() {
    let wider = "0: at most (d0, d1)[s0, s1] -> (s0, s1), domain: d0 in [0, 3], d1 in [0, 5], s0 in [0, 3], s1 in [0, 5]";
    let plain = grid("y = f32[2,2] negate(b)", "f32[4,6]", "r, c");
    let unknown = plain.replace(
        "zero = s32[] constant(0)\n           one",
        "zero = s32[] parameter(1)\n           one",
    );
    assert_ne!(unknown, plain);
    let module = format!("{wider}|1: (d0, d1) -> (), domain: d0 in [0, 3], d1 in [0, 5]");
    check(&unknown, &module.split('|').collect::<Vec<_>>());
    let long = |bound: &str| plain.replace("six = s32[] constant(6)", bound);
    check(
        &long("six = s32[] constant(256)"),
        &["0: (d0, d1) -> (d0, d1), domain: d0 in [0, 3], d1 in [0, 5]"],
    );
    check(&long("six = s32[] constant(257)"), &[wider]);
}

/// Returns a loop of three iterations in which iteration `i` copies to element `i` the element of `x` at `offset`, computed from
/// entry `e` of a table that becomes `table`.
fn by_table(offset: &str, table: &str) -> String {
    let state = "s32[], s32[3], f32[9], f32[3]";
    let module = looped(
        state,
        "i = s32[] get-tuple-element(s), index=0
         three = s32[] constant(3)
         ROOT less = pred[] compare(i, three), direction=LT",
        &format!(
            "i = s32[] get-tuple-element(s), index=0
             t = s32[3] get-tuple-element(s), index=1
             x = f32[9] get-tuple-element(s), index=2
             o = f32[3] get-tuple-element(s), index=3
             zero = s32[] constant(0)
             one = s32[] constant(1)
             nine = s32[] constant(9)
             part = s32[1] dynamic-slice(t, i), dynamic_slice_sizes={{1}}
             e = s32[] reshape(part)
             {offset}
             y = f32[1] dynamic-slice(x, at), dynamic_slice_sizes={{1}}
             o1 = f32[3] dynamic-update-slice(o, y, i)
             i1 = s32[] add(i, one)
             {table}
             ROOT next = ({state}) tuple(i1, t1, x, o1)"
        ),
        &format!(
            "none = f32[3] broadcast(nan), dimensions={{}}
             table = s32[3] parameter(1)
             long = f32[9] parameter(2)
             start = ({state}) tuple(zero, table, long, none)
             loop = ({state}) while(start), condition=condition, body=body
             ROOT r = f32[3] get-tuple-element(loop), index=3"
        ),
    );
    module.replace("x = f32[4,6] parameter(0)\n", "unused = f32[4,6] parameter(0)\n")
}

#[test]
fn offsets_may_be_entries_of_a_table() {
    let kept = "t1 = s32[3] copy(t)";
    let negative = |direction: &str| {
        format!(
            "less = pred[] compare(e, zero), direction={direction}
             other = s32[] add(e, nine)
             at = s32[] select(less, other, e)"
        )
    };
    let table = "1: (d0) -> (d0), domain: d0 in [0, 2]";
    check(
        &by_table("at = s32[] copy(e)", kept),
        &[table, "2: (d0){rt0} -> (rt0), domain: d0 in [0, 2], rt0 in [0, 8]"],
    );
    let all = "rt0 in [-2147483648, 2147483647]";
    check(
        &by_table(&negative("LT"), kept),
        &[
            table,
            &format!(
                "2: (d0){{rt0}} -> (min(max(rt0 - min(max(rt0, -1), 0) * 9, 0), 8)), domain: d0 in [0, 2], {all}"
            ),
        ],
    );
    // The sum may wrap, here and where it is selected; or the table is another one in each iteration.
    let any = "2: at most (d0)[s0, s1] -> (s0), domain: d0 in [0, 2], s0 in [0, 8], s1 in [0, 2], d0 - s1 in [0, 0]";
    check(&by_table("at = s32[] add(e, nine)", kept), &[table, any]);
    check(&by_table(&negative("GE"), kept), &[table, any]);
    let turned = by_table("at = s32[] copy(e)", "t1 = s32[3] reverse(t), dimensions={0}");
    let entry = |i: i64| {
        format!("1: (d0) -> ({}), domain: d0 in [{i}, {i}]", if i == 1 { "1" } else { "d0" })
    };
    check(&turned, &[&entry(0), &entry(1), &entry(2), any]);
}

#[test]
fn a_window_at_an_entry_of_a_table_is_another_one_in_each_iteration() {
    let state = "s32[], s32[2], f32[3]";
    let text = looped(
        state,
        "i = s32[] get-tuple-element(s), index=0
         two = s32[] constant(2)
         ROOT less = pred[] compare(i, two), direction=LT",
        &format!(
            "i = s32[] get-tuple-element(s), index=0
             t = s32[2] get-tuple-element(s), index=1
             o = f32[3] get-tuple-element(s), index=2
             one = s32[] constant(1)
             part = s32[1] dynamic-slice(t, i), dynamic_slice_sizes={{1}}
             e = s32[] reshape(part)
             nan = f32[] constant(nan)
             y = f32[1] broadcast(nan), dimensions={{}}
             o1 = f32[3] dynamic-update-slice(o, y, e)
             i1 = s32[] add(i, one)
             ROOT next = ({state}) tuple(i1, t, o1)"
        ),
        &format!(
            "table = s32[2] parameter(1)
             old = f32[3] parameter(2)
             start = ({state}) tuple(zero, table, old)
             loop = ({state}) while(start), condition=condition, body=body
             ROOT r = f32[3] get-tuple-element(loop), index=2"
        ),
    );
    let kept = |sides: [&str; 2]| {
        format!(
            "2: (d0){{rt0, rt1}} -> (d0), domain: d0 in [0, 2], rt0 in [0, 2], rt1 in [0, 2], d0 - rt0 in {}, d0 - rt1 in {}",
            sides[0], sides[1]
        )
    };
    let (below, above) = ("[-2, -1]", "[1, 2]");
    let read_at = |side: &str| {
        format!("1: (d0){{rt0}} -> (0), domain: d0 in [0, 2], rt0 in [0, 2], d0 - rt0 in {side}")
    };
    check(
        &text,
        &[
            "1: (d0) -> (1), domain: d0 in [0, 2]",
            &read_at(below),
            &read_at(above),
            &kept([below, below]),
            &kept([above, below]),
            &kept([below, above]),
            &kept([above, above]),
        ],
    );
}

#[test]
fn an_inner_loop_may_run_up_to_the_outer_counter() {
    // Iteration i of the outer loop adds x[0], .., x[i] to element i.
    let state = "s32[], s32[], f32[3], f32[3]";
    let parts = "j = s32[] get-tuple-element(s), index=0
                 i = s32[] get-tuple-element(s), index=1
                 x = f32[3] get-tuple-element(s), index=2
                 o = f32[3] get-tuple-element(s), index=3
                 one = s32[] constant(1)";
    let outer = looped(
        state,
        "i = s32[] get-tuple-element(s), index=1
         three = s32[] constant(3)
         ROOT less = pred[] compare(i, three), direction=LT",
        &format!(
            "{parts}
             zero = s32[] constant(0)
             start = ({state}) tuple(zero, i, x, o)
             sums = ({state}) while(start), condition=up_to, body=sum
             o1 = f32[3] get-tuple-element(sums), index=3
             i1 = s32[] add(i, one)
             ROOT next = ({state}) tuple(zero, i1, x, o1)"
        ),
        &format!(
            "long = f32[3] parameter(1)
             old = f32[3] parameter(2)
             start = ({state}) tuple(zero, zero, long, old)
             loop = ({state}) while(start), condition=condition, body=body
             ROOT r = f32[3] get-tuple-element(loop), index=3"
        ),
    );
    let inner = |element: &str| {
        format!(
            "HloModule loop
             sum {{
               s = ({state}) parameter(0)
               {parts}
               y = f32[1] dynamic-slice(x, j), dynamic_slice_sizes={{1}}
               z = f32[1] dynamic-slice(o, {element}), dynamic_slice_sizes={{1}}
               yz = f32[1] add(y, z)
               o1 = f32[3] dynamic-update-slice(o, yz, {element})
               j1 = s32[] add(j, one)
               ROOT next = ({state}) tuple(j1, i, x, o1)
             }}
             up_to {{
               s = ({state}) parameter(0)
               j = s32[] get-tuple-element(s), index=0
               i = s32[] get-tuple-element(s), index=1
               ROOT less = pred[] compare(j, i), direction=LE
             }}"
        )
    };
    check(
        &outer.replace("HloModule loop", &inner("i")),
        &[
            "1: (d0)[s0] -> (s0), domain: d0 in [2, 2], s0 in [0, 2]",
            "1: (d0)[s0] -> (s0), domain: d0 in [1, 1], s0 in [0, 1]",
            "1: (d0) -> (0), domain: d0 in [0, 0]",
            "2: (d0) -> (d0), domain: d0 in [0, 2]",
        ],
    );
}
