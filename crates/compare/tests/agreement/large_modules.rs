//! Analyses of large modules terminate, and report the places where they were cut short.
//!
//! The module is a decoder with a cache for each layer, run by a loop: the update of each cache depends on all caches before
//! it, so nearly every array of the state depends on nearly every other one. Work is counted in steps, never timed.

use affinor::expr::IndexingMap;
use affinor::num::Interrupt;
use affinor::prove::Budget;
use affinor_compare::agreement::{Judgement, judge};
use affinor_definition::Definitions;
use affinor_hlo as hlo;
use affinor_hlo::module::Module;
use affinor_ops::indexing::{Analysis, Exactness, Limits, OperandReads, Reads};
use std::fmt::Write as _;

/// Returns a loop over tokens with `layers` layers, each with two caches and three matrices, and a chain of `links` ops after
/// each.
fn decoder(layers: usize, links: usize) -> String {
    let row = "f32[1,8]";
    let shapes: Vec<&str> = ["s32[]", row]
        .into_iter()
        .chain((0..2 * layers).map(|_| "f32[16,8]"))
        .chain((0..3 * layers).map(|_| "f32[8,8]"))
        .collect();
    let state = format!("({})", shapes.join(", "));
    let dot = "lhs_contracting_dims={1}, rhs_contracting_dims={0}";
    let mut body = format!(" p = {state} parameter(0)\n");
    for (k, shape) in shapes.iter().enumerate() {
        let _ = writeln!(body, " g{k} = {shape} get-tuple-element(p), index={k}");
    }
    body += " one = s32[] constant(1)\n next = s32[] add(g0, one)\n zero = s32[] constant(0)\n";
    let mut hidden = "g1".to_owned();
    let mut caches = String::new();
    for layer in 0..layers {
        let weights = 2 + 2 * layers + 3 * layer;
        for side in 0..2 {
            let (cache, weight) = (2 + 2 * layer + side, weights + side);
            let _ = writeln!(body, " n{cache} = {row} dot({hidden}, g{weight}), {dot}");
            let _ = writeln!(
                body,
                " u{cache} = f32[16,8] dynamic-update-slice(g{cache}, n{cache}, g0, zero)"
            );
            let _ = write!(caches, ", u{cache}");
        }
        let (keys, values) = (2 + 2 * layer, 3 + 2 * layer);
        let _ = writeln!(body, " q{layer} = {row} dot({hidden}, g{}), {dot}", weights + 2);
        let _ = writeln!(
            body,
            " s{layer} = f32[1,16] dot(q{layer}, u{keys}), lhs_contracting_dims={{1}}, rhs_contracting_dims={{1}}"
        );
        let _ = writeln!(body, " a{layer} = {row} dot(s{layer}, u{values}), {dot}");
        let mut last = format!("a{layer}");
        for link in 0..links {
            let name = format!("e{layer}_{link}");
            let _ = writeln!(body, " {name} = {row} add({last}, {hidden})");
            last = name;
        }
        hidden = last;
    }
    let passed: String = (2 + 2 * layers..shapes.len()).map(|k| format!(", g{k}")).collect();
    format!(
        "HloModule m\n\
         body {{\n{body} ROOT t = {state} tuple(next, {hidden}{caches}{passed}) }}\n\
         test {{ p = {state} parameter(0)\n i = s32[] get-tuple-element(p), index=0\n n = s32[] constant(32)\n\
         ROOT c = pred[] compare(i, n), direction=LT }}\n\
         ENTRY e {{ p = {state} parameter(0)\n ROOT w = {state} while(p), condition=test, body=body }}"
    )
}

fn read(text: &str) -> Module {
    hlo::read(text.as_bytes()).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn keep(map: &IndexingMap) -> IndexingMap {
    map.clone()
}

fn with_steps(module: &Module, steps: u64) -> Analysis<'_> {
    let limits = Limits { steps, ..Limits::default() };
    Analysis::with_limits(module, &keep, limits)
}

#[test]
fn a_loop_with_many_caches_is_answered_and_judged() {
    let (layers, links) = (26, 250);
    let module = read(&decoder(layers, links));
    let (entry, body) = (module.entry(), &module[module.entry()]);
    let reads = Analysis::new(&module, &keep).instruction(entry, body.root());
    let reads = reads.expect("a right module");
    let of = |output: usize, part: usize| {
        let mut reads = reads.iter();
        reads.find(|entry| entry.output == [output] && entry.operand_path == [part])
    };
    // A matrix is passed on, and depends on no other array; the last cache depends on the first, not the other way round.
    let matrix = 2 + 2 * layers;
    assert!(of(matrix, matrix).is_some_and(|entry| entry.reads.is_exact()));
    assert!(of(matrix, 2).is_none());
    let (first, last) = (2, 1 + 2 * layers);
    assert!(of(last, first).is_some_and(|entry| entry.reads != Reads::NOTHING));
    let defined = Definitions::new(&module).of(body, &body[body.root()]);
    let judgements = judge(&defined, &reads, &Budget::default());
    let is_refuted =
        |judgement: &Option<Judgement>| matches!(judgement, Some(Judgement::Refuted(_)));
    assert!(!judgements.iter().any(is_refuted));
    assert_eq!(judgements.len(), reads.len());
}

/// Writes each pair as `output <- operand: maps`; for an upper bound, the maps are its reason.
fn lines(reads: &[OperandReads]) -> Vec<String> {
    let line = |entry: &OperandReads| {
        let maps = match &entry.reads {
            Reads::Unknown { reason } => format!("unknown, {reason}"),
            Reads::Maps(maps) if maps.is_empty() => "nothing".to_owned(),
            Reads::Maps(maps) => match &maps[0].exactness {
                Exactness::Exact => format!("{} exact", maps.len()),
                Exactness::AtMost { reason } => reason.to_string(),
            },
        };
        format!("{:?} <- {}: {maps}", entry.output, entry.operand)
    };
    reads.iter().map(line).collect()
}

#[test]
fn a_walk_that_is_cut_short_says_so_and_where_nothing_is_read() {
    let text = "HloModule m\n ENTRY e { p = f32[4,3] parameter(0)\n q = f32[4,3] parameter(1)\n r = f32[4,3] parameter(2)\n\
        t = f32[3,4] transpose(p), dimensions={1,0}\n u = f32[3,4] transpose(q), dimensions={1,0}\n\
        s = f32[3,4] add(t, u)\n v = f32[4,3] transpose(s), dimensions={1,0}\n\
        ROOT o = (f32[4,3], f32[4,3]) tuple(v, r) }";
    let module = read(text);
    let in_full = with_steps(&module, 1_000).computation(module.entry());
    assert_eq!(
        lines(&in_full.expect("a right module")),
        [
            "[0] <- 0: 1 exact",
            "[0] <- 1: 1 exact",
            "[0] <- 2: nothing",
            "[1] <- 0: nothing",
            "[1] <- 1: nothing",
            "[1] <- 2: 1 exact",
        ]
    );
    // The steps that the first array leaves are for the second, which needs few.
    let cut = with_steps(&module, 40).computation(module.entry());
    assert_eq!(
        lines(&cut.expect("a right module")),
        [
            "[0] <- 0: `e`: stopped at the budget of steps",
            "[0] <- 1: `e`: stopped at the budget of steps",
            "[0] <- 2: nothing",
            "[1] <- 0: nothing",
            "[1] <- 1: nothing",
            "[1] <- 2: 1 exact",
        ]
    );
}

/// Returns the minimum number of steps with which every read of a module's entry is exact.
fn steps_needed(text: &str) -> u64 {
    let module = read(text);
    let is_exact = |steps: &u64| {
        let reads = with_steps(&module, *steps).computation(module.entry());
        reads.expect("a right module").iter().all(|entry| entry.reads.is_exact())
    };
    (1..1_000).find(is_exact).expect("few steps")
}

#[test]
fn steps_that_are_left_are_for_arrays_that_need_more_than_their_share() {
    let twice = |root: &str| {
        format!(
            "HloModule m\n ENTRY e {{ p = f32[4,3] parameter(0)\n r = f32[4,3] parameter(1)\n\
             t = f32[3,4] transpose(p), dimensions={{1,0}}\n v = f32[4,3] transpose(t), dimensions={{1,0}}\n\
             {root} }}"
        )
    };
    let alone = steps_needed(&twice("ROOT o = f32[4,3] negate(v)"));
    let with_others = steps_needed(&twice(
        "n = f32[4,3] negate(v)\n ROOT o = (f32[4,3], f32[4,3], f32[4,3]) tuple(n, r, r)",
    ));
    assert!(with_others < 2 * alone, "{alone} steps, {with_others} with two arrays that need few");
}

#[test]
fn what_layers_repeat_is_composed_once() {
    let layers = |count: usize| {
        let mut text = "HloModule m\n ENTRY e { x0 = f32[4,3] parameter(0)\n".to_owned();
        for layer in 0..count {
            let next = layer + 1;
            let _ = writeln!(
                text,
                " t{layer} = f32[3,4] transpose(x{layer}), dimensions={{1,0}}\n\
                 x{next} = f32[4,3] transpose(t{layer}), dimensions={{1,0}}"
            );
        }
        text + &format!(" ROOT o = f32[4,3] negate(x{count}) }}")
    };
    let [one, two, three] = [1, 2, 3].map(|count| steps_needed(&layers(count)));
    assert!(two - one < one, "{one}, then {two}");
    assert_eq!(three - two, two - one, "{one}, {two}, {three}");
}

#[test]
fn an_interrupt_ends_walks_and_definitions() {
    let module = read(&decoder(4, 5));
    let (entry, body) = (module.entry(), &module[module.entry()]);
    let interrupt = Interrupt::new();
    interrupt.trigger();
    let reads = Analysis::new(&module, &keep)
        .ended_by(&interrupt)
        .computation(entry)
        .expect("a right module");
    assert!(lines(&reads).iter().all(|line| !line.ends_with("1 exact")));
    let defined = Definitions::new(&module).ended_by(&interrupt).of(body, &body[body.root()]);
    let reason = defined.map(|_| ()).map_err(|reason| format!("{reason:?}"));
    assert!(reason.is_err_and(|reason| reason.contains("interrupted")));
}
