//! `hlo --entry` restricted to outputs or parameters, and computations with more pairs of arrays than are listed.

use super::support::memory::answers_on;
use affinor::text::ErrorKind;
use affinor_commands::Failure;
use allocation_counter::measure;

const MODULE: &str = "HloModule m
sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }
ENTRY e {
  p = f32[4,6] parameter(0)
  q = f32[6] parameter(1)
  zero = f32[] constant(0)
  turned = f32[6,4] transpose(p), dimensions={1,0}
  total = f32[4] reduce(p, zero), dimensions={1}, to_apply=sum
  back = f32[6] reverse(q), dimensions={0}
  pair = (f32[4], f32[6]) tuple(total, back)
  ROOT all = (f32[6,4], (f32[4], f32[6])) tuple(turned, pair)
}
";

/// Returns the rows of an answer in which something is read.
fn rows(options: &str) -> Result<Vec<String>, Failure> {
    let said = answers_on(MODULE, &format!("hlo m.hlo --entry{options}"))?;
    let rows = said.iter().map(|(text, _)| text.trim().to_owned());
    Ok(rows.filter(|row| !row.contains("nothing is read")).collect())
}

const TURNED: &str = "{0} reads p: (d0, d1) -> (d1, d0), domain: d0 in [0, 5], d1 in [0, 3]";
const TOTAL: &str = "{1,0} reads p: (d0)[s0] -> (d0, s0), domain: d0 in [0, 3], s0 in [0, 5]";
const BACK: &str = "{1,1} reads q: (d0) -> (-d0 + 5), domain: d0 in [0, 5]";

#[test]
fn what_is_asked_is_part_of_the_whole_answer() {
    let all = [TURNED, TOTAL, BACK];
    for (options, expected) in [
        ("", &all[..]),
        (" --output {}", &all),
        (" --output 0", &[TURNED]),
        (" --output turned", &[TURNED]),
        (" --output %pair", &[TOTAL, BACK]),
        (" --output {1,1}", &[BACK]),
        (" --output 1,0 --output 0", &[TURNED, TOTAL]),
        (" --parameter q", &[BACK]),
        (" --operand 0", &[TURNED, TOTAL]),
        (" --parameter 0 --parameter q", &all),
        (" --output pair --parameter p", &[TOTAL]),
        (" --output 0 --parameter q", &[]),
        (" --output pair --check", &[TOTAL, BACK]),
    ] {
        let found = rows(options).expect(options);
        // The verdict follows on the next line, and the number of verdicts at the end.
        let found = found.iter().filter(|row| row.contains(" reads "));
        let found = found.map(|row| row.lines().next().unwrap_or_default());
        assert_eq!(found.collect::<Vec<_>>(), expected, "{options}");
    }
}

#[test]
fn the_other_direction_is_that_of_the_parameters() {
    let options = " --direction input-to-output --output 1,1";
    let said = answers_on(MODULE, &format!("hlo m.hlo --entry{options}")).expect(options);
    let (text, json) = &said[1];
    assert!(text.contains("from q to {1,1}: ") && text.contains("(-d0 + 5)"), "{text}");
    assert_eq!(json["direction"], "input-to-output");
    assert_eq!(json["parameter"], 1);
}

#[test]
fn what_is_not_there_is_refused() {
    for (options, kind, message) in [
        ("--entry --output 2", ErrorKind::Name, "the result has no part {2}"),
        ("--entry --output 0,0", ErrorKind::Name, "the result has no part {0,0}"),
        ("--entry --output turnd", ErrorKind::Name, "the module has no output `turnd`"),
        ("--entry --parameter 2", ErrorKind::Name, "the module has no parameter `2`"),
        ("--entry --operand r", ErrorKind::Name, "the module has no parameter `r`"),
        ("--output 0", ErrorKind::Usage, "`--output` goes with `--entry`"),
        ("--parameter 0", ErrorKind::Usage, "`--parameter` goes with `--entry`"),
        (
            "--entry --utilisation --parameter 0",
            ErrorKind::Usage,
            "`--utilisation` does not go with `--parameter`",
        ),
        (
            "--entry --check --direction input-to-output",
            ErrorKind::Usage,
            "`--check` proves maps from the output to the operands; the other direction is computed from them",
        ),
    ] {
        let failure = answers_on(MODULE, &format!("hlo m.hlo {options}")).expect_err(options);
        assert_eq!((failure.error.kind, &*failure.error.message), (kind, message), "{options}");
    }
}

/// Returns a module that calls a computation with `count` operands and as many results, each the reverse of its operand.
fn wide(count: usize) -> String {
    let each = |line: &dyn Fn(usize) -> String| (0..count).map(line).collect::<Vec<_>>();
    let shape = format!("({})", each(&|_| "f32[8]".to_owned()).join(", "));
    let given = each(&|i| format!("  p{i} = f32[8] parameter({i})\n")).concat();
    let turned = each(&|i| format!("  n{i} = f32[8] reverse(p{i}), dimensions={{0}}\n")).concat();
    let list = |stem: &str| each(&|i| format!("{stem}{i}")).join(", ");
    let parts = each(&|i| format!("  g{i} = f32[8] get-tuple-element(c), index={i}\n")).concat();
    format!(
        "HloModule m\nf {{\n{given}{turned}  ROOT r = {shape} tuple({})\n}}\nENTRY e {{\n{given}  c = {shape} call({}), to_apply=f\n{parts}  ROOT r = {shape} tuple({})\n}}\n",
        list("n"),
        list("p"),
        list("g"),
    )
}

#[test]
fn of_many_pairs_only_those_that_are_read_are_listed() {
    let text = wide(64);
    let said = answers_on(&text, "hlo m.hlo c").expect("a module");
    let last = said[0].0.lines().last().map(str::trim).map(str::to_owned);
    assert_eq!(last.as_deref(), Some("{63} reads p63: (d0) -> (-d0 + 7), domain: d0 in [0, 7]"));
    assert_eq!(said[0].1["results"].as_array().map(Vec::len), Some(64 * 64));
    let text = wide(65);
    for (line, pairs) in [
        ("hlo m.hlo c", 65 * 64),
        ("hlo m.hlo c --operand p3", 64),
        ("hlo m.hlo c --direction input-to-output", 65 * 64),
        ("hlo m.hlo --entry", 65 * 64),
    ] {
        let said = answers_on(&text, line).expect(line);
        let (text, json) = said.last().expect(line);
        let note = format!("{pairs} other pairs: nothing is read");
        assert_eq!(text.lines().last().map(str::trim), Some(&*note), "{line}");
        assert_eq!(json["unread_pairs"], pairs, "{line}");
    }
    // Pairs without reads are proved like the others.
    let said = answers_on(&text, "hlo m.hlo c --check").expect("a module");
    assert_eq!(said[0].1["results"].as_array().map(Vec::len), Some(65 * 65));
}

#[test]
fn an_answer_costs_what_is_read() {
    let bytes = |count: usize, line: &str| {
        let text = wide(count);
        measure(|| {
            answers_on(&text, line).expect(line);
        })
        .bytes_total
    };
    for line in ["hlo m.hlo c", "hlo m.hlo --entry"] {
        let (one, four) = (bytes(200, line), bytes(800, line));
        assert!(four < one * 6, "{line}: {one} bytes, then {four} for four times as much");
    }
}

/// Returns a loop whose body calls a layer repeatedly, each time with another matrix of a stack.
fn layers(count: usize) -> String {
    let state = format!("(s32[], f32[4,8], f32[{count},8,8])");
    let layer = |k: usize| {
        format!(
            "  c{k} = s32[] constant({k})\n  w{k} = f32[1,8,8] dynamic-slice(stack, c{k}, zero, zero), dynamic_slice_sizes={{1,8,8}}\n  \
             m{k} = f32[8,8] reshape(w{k})\n  h{} = f32[4,8] call(h{k}, m{k}), to_apply=layer\n",
            k + 1
        )
    };
    let layers: String = (0..count).map(layer).collect();
    format!(
        "HloModule m
layer {{ x = f32[4,8] parameter(0) y = f32[8,8] parameter(1)
  z = f32[4,8] dot(x, y), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}
  ROOT sum = f32[4,8] add(z, x) }}
body {{ s = {state} parameter(0)
  i = s32[] get-tuple-element(s), index=0
  h0 = f32[4,8] get-tuple-element(s), index=1
  stack = f32[{count},8,8] get-tuple-element(s), index=2
  zero = s32[] constant(0)
  one = s32[] constant(1)
  next = s32[] add(i, one)
{layers}  ROOT t = {state} tuple(next, h{count}, stack) }}
condition {{ s = {state} parameter(0)
  i = s32[] get-tuple-element(s), index=0
  end = s32[] constant(3)
  ROOT less = pred[] compare(i, end), direction=LT }}
ENTRY e {{ h = f32[4,8] parameter(0) w = f32[{count},8,8] parameter(1)
  zero = s32[] constant(0)
  t = {state} tuple(zero, h, w)
  loop = {state} while(t), condition=condition, body=body
  ROOT last = f32[4,8] get-tuple-element(loop), index=1 }}
"
    )
}

#[test]
fn a_loop_of_layers_costs_what_they_read() {
    let bytes = |count: usize| {
        let text = layers(count);
        measure(|| {
            let rows = answers_on(&text, "hlo m.hlo --entry").expect("a module");
            assert!(rows.iter().any(|(text, _)| text.contains("w: ")), "{rows:?}");
        })
        .bytes_total
    };
    let (one, four) = (bytes(12), bytes(48));
    assert!(four < one * 8, "{one} bytes, then {four} for four times as many layers");
}
