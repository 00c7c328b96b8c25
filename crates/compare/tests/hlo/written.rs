//! HLO as people write it, beside the text that XLA (jaxlib 0.10.2) prints for it: both are read, and have the same maps.
//!
//! `written/syntax.txt` has syntax that XLA's parser accepts beyond XLA's printed form, `written/async.txt` asynchronous
//! operations, `written/both.txt` further alternative notations, `written/inferred.txt` the shapes that XLA infers.

use affinor::prove::Budget;
use affinor_compare::agreement::{Judgement, judge};
use affinor_definition::Definitions;
use affinor_hlo as hlo;
use affinor_hlo::module::Module;
use affinor_hlo::opcode::Opcode;
use affinor_ops::indexing::{Analysis, Reads};

/// Returns the name and text of each case, and the text that XLA prints.
fn cases(file: &'static str) -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    file.split("==== ").skip(1).map(|case| {
        let (name, rest) = case.split_once('\n').unwrap();
        let (text, print) = rest.split_once("---- as XLA prints it\n").unwrap();
        (name, text, print)
    })
}

/// Returns all texts, as written and as printed by XLA.
pub fn texts() -> impl Iterator<Item = &'static str> {
    let files = [
        include_str!("written/syntax.txt"),
        include_str!("written/async.txt"),
        include_str!("written/both.txt"),
    ];
    files.into_iter().flat_map(cases).flat_map(|(_, text, print)| [text, print])
}

#[track_caller]
fn read(text: &str) -> Module {
    hlo::read_text(text).unwrap_or_else(|error| panic!("{error:?}:\n{text}"))
}

/// Returns the opcode, shape and reads of every instruction with operands, in an order that does not depend on that of the
/// text.
#[track_caller]
fn answers(text: &str) -> Vec<(Opcode, String, String)> {
    let module = read(text);
    let printed = module.to_string();
    assert_eq!(read(&printed).to_string(), printed, "{text}");
    let mut analysis = Analysis::new(&module, &|map| map.clone());
    let mut answers = Vec::new();
    for (computation, body) in module.computations() {
        for (id, instruction) in body.instructions() {
            if instruction.operands().is_empty() {
                continue;
            }
            let reads = analysis.instruction(computation, id);
            let reads = reads.unwrap_or_else(|error| panic!("{error:?}:\n{text}"));
            let (opcode, shape) = (instruction.opcode().clone(), instruction.shape());
            answers.push((opcode, shape.to_string(), format!("{reads:?}")));
        }
    }
    answers.sort();
    answers
}

#[track_caller]
fn check(file: &'static str, count: usize) {
    for (name, text, print) in cases(file) {
        assert_eq!(answers(text), answers(print), "{name}");
    }
    assert_eq!(cases(file).count(), count);
}

#[test]
fn what_xla_reads_beyond_what_it_prints() {
    check(include_str!("written/syntax.txt"), 49);
}

#[test]
fn further_ways_to_write_the_same() {
    check(include_str!("written/both.txt"), 68);
}

#[test]
fn asynchronous_operations_by_the_names_of_what_they_run() {
    let file = include_str!("written/async.txt");
    check(file, 15);
    for (name, _, print) in cases(file) {
        let module = read(print);
        let mut analysis = Analysis::new(&module, &|map| map.clone());
        let entry = &module[module.entry()];
        for (id, instruction) in entry.instructions() {
            let reads = analysis.instruction(module.entry(), id).unwrap();
            let is_known = reads.iter().all(|entry| match &entry.reads {
                Reads::Maps(_) => true,
                Reads::Unknown { .. } => name == "custom-call-start",
            });
            assert!(is_known, "{name}: {instruction:?}");
        }
    }
}

/// An asynchronous operation has the meaning of the computation that it wraps.
#[test]
fn asynchronous_operations_stand_for_a_computation() {
    let module = |start: &str, rest: &str| {
        format!(
            "HloModule m
{rest}
ENTRY e {{
  p = f32[6,10] parameter(0)
  s = ((f32[6,10]), f32[2,10], s32[]) {start}
  u = ((f32[6,10]), f32[2,10], s32[]) async-update(s)
  ROOT d = f32[2,10] async-done(u)
}}"
        )
    };
    let short = module(
        "slice-start(p), async_execution_thread=\"t\", slice={[1:3], [0:10]}, metadata={op_name=\"x\"}",
        "",
    );
    let long = module(
        "async-start(p), async_execution_thread=\"t\", metadata={op_name=\"x\"}, calls=async_wrapped",
        "async_wrapped {
  async_param.0 = f32[6,10] parameter(0)
  ROOT async_op = f32[2,10] slice(async_param.0), slice={[1:3], [0:10]}
}",
    );
    assert_eq!(read(&short).to_string(), read(&long).to_string());
    for (start, message) in [
        ("slice-start(p, p), slice={[1:3], [0:10]}", "`slice-start` takes 1 operand, found 2"),
        ("constant-start(p)", ""),
        ("warp-start(p)", ""),
    ] {
        let module = hlo::read_text(&module(start, "")).unwrap();
        let entry = &module[module.entry()];
        let started = &entry[entry.instruction_named("s").unwrap()];
        assert!(matches!(started.opcode(), Opcode::Other(_)), "{start}");
        assert_eq!(started.is_doubtful(), !message.is_empty(), "{start}");
        let notes: Vec<_> = module.notes().iter().map(|note| &*note.message).collect();
        assert_eq!(notes.first().copied().unwrap_or(""), message, "{start}");
    }
}

/// Operands that an update binds are read like those of a start in its place.
#[test]
fn updates_bind_operands() {
    const INNER: &str = "
inner {
  a = f32[8] parameter(0)
  b = f32[8] parameter(1)
  ROOT r = f32[8] subtract(a, b)
}";
    const SLICE: &str = "
sliced {
  a = f32[8] parameter(0)
  i = s32[] parameter(1)
  ROOT r = f32[2] dynamic-slice(a, i), dynamic_slice_sizes={2}
}";
    let entry = |body: &str, result: &str| {
        format!(
            "HloModule m\n{INNER}{SLICE}\nENTRY e {{\n  p = f32[8] parameter(0)\n  q = f32[8] parameter(1)\n  i = s32[] parameter(2)\n{body}\n  ROOT d = {result}\n}}"
        )
    };
    let none = "s = ((), (), u32[])";
    let one = "s = ((f32[8]), (), u32[])";
    let both = "u = ((f32[8], f32[8]), f32[8], u32[])";
    for (late, early, result) in [
        (format!("{none} call-start(), to_apply=inner {both} call-update(s, q, p)"),
         format!("{both} async-start(q, p), calls=inner"), "f32[8] async-done(u)"),
        (format!("{one} fusion-start(p), kind=kLoop, calls=inner {both} fusion-update(s, q)"),
         format!("{both} async-start(p, q), calls=inner"), "f32[8] fusion-done(u)"),
        (format!("{none} async-start(), calls=inner v = ((f32[8]), (), u32[]) async-update(s, q) {both} async-update(v, p)"),
         format!("{both} async-start(q, p), calls=inner"), "f32[8] async-done(u)"),
        (format!("{one} async-start(p), calls=inner v = ((f32[8], f32[8]), (), u32[]) async-update(s, q) {both} async-update(v)"),
         format!("{both} async-start(p, q), calls=inner"), "f32[8] async-done(u)"),
        ("s = ((), (), u32[]) dynamic-slice-start(), dynamic_slice_sizes={2} u = ((f32[8], s32[]), f32[2], u32[]) dynamic-slice-update(s, p, i)".to_owned(),
         "u = ((f32[8], s32[]), f32[2], u32[]) async-start(p, i), calls=sliced".to_owned(), "f32[2] dynamic-slice-done(u)"),
        (format!("{none} subtract-start() {both} subtract-update(s, p, q)"),
         format!("{both} async-start(p, q), calls=inner"), "f32[8] subtract-done(u)"),
    ] {
        let maps = |text: &str| {
            let module = hlo::read_text(text).unwrap();
            assert_eq!(read(&module.to_string()).to_string(), module.to_string());
            assert_eq!(module.notes(), [], "{text}");
            let mut analysis = Analysis::new(&module, &|map| map.clone());
            let body = &module[module.entry()];
            let update = body.instruction_named("u").unwrap();
            let defined = Definitions::new(&module).of(body, &body[update]);
            let reads = analysis.instruction(module.entry(), update).unwrap();
            let judged = judge(&defined, &reads, &Budget::default());
            assert!(judged.iter().all(|one| matches!(one, Some(Judgement::Proved))), "{text}: {judged:?}");
            (reads.to_vec(), analysis.computation(module.entry()).expect("small arrays").to_vec())
        };
        assert_eq!(maps(&entry(&late, result)), maps(&entry(&early, result)), "{late}");
    }
    // If only the done instruction states the result, it has the reads of the operation.
    for (late, whole) in [
        (format!("{none} call-start(), to_apply=inner v = ((f32[8], f32[8]), (), u32[]) call-update(s, q, p) ROOT d = f32[8] call-done(v)"),
         "ROOT d = f32[8] call(q, p), to_apply=inner"),
        ("s = ((f32[8], f32[8]), (), u32[]) fusion-start(p, q), kind=kLoop, calls=inner ROOT d = f32[8] fusion-done(s)".to_owned(),
         "ROOT d = f32[8] fusion(p, q), kind=kLoop, calls=inner"),
        (format!("{one} async-start(p), calls=inner v = ((f32[8], f32[8]), (), u32[]) async-update(s, q) ROOT d = f32[8] async-done(v)"),
         "ROOT d = f32[8] call(p, q), to_apply=inner"),
        ("s = ((f32[8], s32[]), (), u32[]) dynamic-slice-start(p, i), dynamic_slice_sizes={2} ROOT d = f32[2] dynamic-slice-done(s)".to_owned(),
         "ROOT d = f32[2] dynamic-slice(p, i), dynamic_slice_sizes={2}"),
        (format!("{none} slice-start() v = ((f32[8]), (), u32[]) slice-update(s, p) ROOT d = f32[2] slice-done(v), slice={{[3:5]}}"),
         "ROOT d = f32[2] slice(p), slice={[3:5]}"),
    ] {
        let end = |text: &str| {
            let text = entry(text, "").replace("\n  ROOT d = \n", "\n");
            let module = hlo::read_text(&text).unwrap_or_else(|error| panic!("{text}: {error:?}"));
            assert_eq!(read(&module.to_string()).to_string(), module.to_string());
            assert_eq!(module.notes(), [], "{text}");
            let body = &module[module.entry()];
            let mut analysis = Analysis::new(&module, &|map| map.clone());
            for (id, instruction) in body.instructions() {
                analysis.instruction(module.entry(), id).unwrap_or_else(|error| panic!("{}: {error:?}", instruction.name()));
            }
            let opcode = body[body.root()].opcode().clone();
            (opcode, analysis.computation(module.entry()).expect("small arrays").to_vec())
        };
        assert_eq!(end(&late), end(whole), "{late}");
    }
    // The operands of a state that another op produced are unknown.
    let body = "c = ((f32[8]), (), u32[]) custom-call(), custom_call_target=\"x\"
  u = ((f32[8], f32[8]), f32[8], u32[]) async-update(c, p)";
    let module = hlo::read_text(&entry(body, "f32[8] async-done(u)")).unwrap();
    let mut analysis = Analysis::new(&module, &|map| map.clone());
    let update = module[module.entry()].instruction_named("u").unwrap();
    let reads = analysis.instruction(module.entry(), update).unwrap();
    assert!(reads.iter().all(|entry| matches!(entry.reads, Reads::Unknown { .. })));
}

/// Copies and collectives with start instructions of their own are asynchronous operations, like others of that common shape.
#[test]
fn starts_of_the_common_shape_stand_for_a_computation() {
    let module = |state: &str, result: &str, [start, done]: [&str; 2], rest: &str| {
        format!(
            "HloModule m
{rest}
add {{
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = f32[] add(a, b)
}}
ENTRY e {{
  p = f32[8] parameter(0)
  q = f32[4] parameter(1)
  s = {state} {start}
  ROOT d = {result} {done}(s)
}}"
        )
    };
    let one = "f32[8] parameter(0)";
    for (name, operands, result, attributes) in [
        ("copy", "p", "f32[8]", ""),
        ("all-gather", "p", "f32[16]", ", dimensions={0}, replica_groups={{0,1}}"),
        ("all-reduce", "p", "f32[8]", ", replica_groups={{0,1}}, to_apply=add"),
        ("all-reduce", "p, q", "(f32[8], f32[4])", ", replica_groups={{0,1}}, to_apply=add"),
        ("collective-permute", "p", "f32[8]", ", source_target_pairs={{0,1}}"),
    ] {
        let is_one = operands == "p";
        let given = if is_one { "(f32[8])" } else { "(f32[8], f32[4])" };
        let state = format!("({given}, {result}, u32[])");
        let parts = [format!("{name}-start({operands}){attributes}"), format!("{name}-done")];
        let short = module(&state, result, [&parts[0], &parts[1]], "");
        let parameters = match is_one {
            true => format!("  async_param.0 = {one}"),
            false => format!("  async_param.0 = {one}\n  async_param.1 = f32[4] parameter(1)"),
        };
        let of = if is_one { "async_param.0" } else { "async_param.0, async_param.1" };
        let wrapped = format!(
            "async_wrapped {{\n{parameters}\n  ROOT async_op = {result} {name}({of}){attributes}\n}}"
        );
        let start = format!("async-start({operands}), calls=async_wrapped");
        let long = module(&state, result, [&start, "async-done"], &wrapped);
        assert_eq!(answers(&short), answers(&long), "{short}");
    }
    // The older shapes belong to opcodes of their own.
    for (state, result, start, done) in [
        ("(f32[8], f32[8], u32[])", "f32[8]", "copy-start(p)", Opcode::CopyDone),
        (
            "(f32[8], f32[8])",
            "f32[8]",
            "all-gather-start(p), dimensions={0}",
            Opcode::AllGatherDone,
        ),
        (
            "((f32[8], f32[4]), (f32[8], f32[4]))",
            "(f32[8], f32[4])",
            "all-gather-start(p, q), dimensions={0}",
            Opcode::AllGatherDone,
        ),
        (
            "(f32[8], f32[4])",
            "(f32[8], f32[4])",
            "all-reduce-start(p, q), to_apply=add",
            Opcode::AllReduceDone,
        ),
    ] {
        let text = module(state, result, [start, done.name()], "");
        assert!(answers(&text).iter().any(|(opcode, ..)| *opcode == done), "{text}");
    }
    // The operands in the state differ from the actual ones.
    let wrong = module("((f32[4]), f32[4], u32[])", "f32[4]", ["copy-start(p)", "copy-done"], "");
    let module = read(&wrong);
    let mut analysis = Analysis::new(&module, &|map| map.clone());
    let (start, _) = module[module.entry()]
        .instructions()
        .find(|(_, instruction)| *instruction.opcode() == Opcode::CopyStart)
        .unwrap();
    assert!(analysis.instruction(module.entry(), start).is_err());
}

/// No-break spaces and byte order marks, from a page or another system's editor, are white space.
#[test]
fn marks_and_no_break_spaces_are_space() {
    let plain = "HloModule m\nENTRY e {\n  p = f32[2] parameter(0)\n  ROOT n = f32[2] negate(p)\n}";
    let copied =
        ["\u{FEFF}", &plain.replace("  ", "\u{A0} ").replace(" = ", "\u{A0}=\u{A0}")].concat();
    assert_eq!(read(&copied).to_string(), read(plain).to_string());
}

/// `x#1#0` is part 0 of part 1 of `x`, with or without a shape before it, and is one instruction however often it is written.
#[test]
fn parts_of_tuples_are_operands() {
    let module = |a: &str, b: &str, c: &str| {
        format!(
            "HloModule m
ENTRY e {{
  p = (f32[8], (f32[4], s32[])) parameter(0)
  {a}
  {b}
  {c}
  ROOT t = (f32[8], f32[4], f32[2]) tuple(a, b, c)
}}"
        )
    };
    let slice = "dynamic_slice_sizes={2}";
    let short = module(
        "a = f32[8] negate(p#0)",
        "b = f32[4] negate(f32[4] %p#1#0)",
        &format!("c = f32[2] dynamic-slice(p#1#0, s32[] p#1#1), {slice}"),
    );
    let long = module(
        "p.0 = f32[8] get-tuple-element(p), index=0
  a = f32[8] negate(p.0)",
        "p.1 = (f32[4], s32[]) get-tuple-element(p), index=1
  p.1.0 = f32[4] get-tuple-element(p.1), index=0
  b = f32[4] negate(p.1.0)",
        &format!(
            "p.1.1 = s32[] get-tuple-element(p.1), index=1
  c = f32[2] dynamic-slice(p.1.0, p.1.1), {slice}"
        ),
    );
    assert_eq!(read(&short).to_string(), read(&long).to_string());
    for (operand, at, message) in [
        ("p#2", "#2", "`p` has the shape `(f32[8]{0}, (f32[4]{0}, s32[]))`, which has no part 2"),
        ("p#0#0", "#0", "`p#0` has the shape `f32[8]{0}`, which has no part 0"),
        (
            "p#-1",
            "#-1",
            "`p` has the shape `(f32[8]{0}, (f32[4]{0}, s32[]))`, which has no part -1",
        ),
        (
            "s32[8] p#0",
            "s32[8]",
            "the operand is declared as `s32[8]{0}`, but `p#0` has the shape `f32[8]{0}`",
        ),
        ("p#x", "x", "expected an integer, found `x`"),
        ("q#0", "q", "the operand `q` is not defined"),
    ] {
        let text = module(
            &format!("a = f32[8] negate({operand})"),
            "b = f32[4] negate(p#1#0)",
            "c = f32[2] slice(p#1#0), slice={[0:2]}",
        );
        // A missing part is an error of this instruction alone.
        let error = hlo::read_text(&text).map(|module| module.notes()[0].clone());
        let error = error.unwrap_or_else(|error| error);
        assert_eq!(error.message, message);
        assert_eq!(&text[error.span.unwrap()], at, "{operand}");
    }
}

#[test]
fn shapes_are_inferred_as_xla_infers_them() {
    let (module, rows) = include_str!("written/inferred.txt").split_once("\n====\n").unwrap();
    let mut count = 0;
    for row in rows.lines() {
        let (operation, shape) = row.rsplit_once(" => ").unwrap();
        let text = format!("{module}\n ROOT res = {operation}\n}}");
        let module = read(&text);
        let entry = &module[module.entry()];
        assert_eq!(entry[entry.root()].shape().to_string(), shape, "{operation}");
        count += 1;
    }
    assert_eq!(count, 249);
}

#[test]
fn a_shape_that_names_no_operand_is_noted() {
    let text = "HloModule m
f { x = f32[6] parameter(0) ROOT y = f32[6] negate(x) }
ENTRY e { ROOT r = f32[6] fusion(f32[6]), kind=kLoop, calls=f }";
    let module = read(text);
    let entry = &module[module.entry()];
    assert_eq!(entry[entry.root()].operands(), []);
    let [note] = module.notes() else { panic!("{:?}", module.notes()) };
    assert_eq!(note.message, "`f32[6]` names no operand, and is left out, as XLA does");
    let span = note.span.clone().unwrap();
    assert_eq!((&text[span.clone()], span.start), ("f32[6]", text.find("fusion(").unwrap() + 7));
}
