//! Texts that are not modules: one error each, with its class, position and message. A wrong attribute is an error of its
//! instruction alone, and so is a contradiction between an operation and its operands.

use affinor::text::{Error, ErrorKind};
use affinor_hlo as hlo;
use affinor_hlo::attribute::AttributeValue;
use affinor_hlo::opcode::Opcode;
use affinor_ops::indexing::{Analysis, OperandReads, Reads};

const P: &str = "p = f32[8] parameter(0)\n";

/// Checks the error of a text; `at` is the text that it points at, empty for the end.
#[track_caller]
fn refuses(text: &str, kind: ErrorKind, at: &str, message: &str) {
    let error = hlo::read(text.as_bytes()).unwrap_err();
    assert_eq!(error.message, message, "{text}");
    assert_eq!(error.kind, kind, "{text}");
    assert_eq!(&text[error.span.unwrap()], at, "{text}");
}

#[track_caller]
fn refuses_hlo(text: &str, at: &str, message: &str) {
    refuses(text, ErrorKind::Hlo, at, message);
}

/// Checks that the module is read, and keeps one wrong attribute as written, with this error.
#[track_caller]
fn keeps_wrong(text: &str, kind: ErrorKind, at: &str, message: &str) {
    let module = hlo::read_text(text).unwrap();
    let printed = module.to_string();
    let again = hlo::read_text(&printed).unwrap();
    assert_eq!(again.to_string(), printed, "{text}");
    let entry = &module[module.entry()];
    let wrong: Vec<_> = entry[entry.root()].attributes().unread().collect();
    let [wrong] = wrong[..] else { panic!("{text}: {wrong:?}") };
    let AttributeValue::Wrong(value, error) = wrong.value() else { panic!("{text}: {wrong:?}") };
    assert!(text.contains(&format!("{}={value}", wrong.name())), "{text}");
    assert_eq!(error.message, message, "{text}");
    assert_eq!(error.kind, kind, "{text}");
    assert_eq!(&text[error.span.clone().unwrap()], at, "{text}");
}

/// Checks the same after a parameter `p` of shape `f32[8]`.
#[track_caller]
fn keeps_wrong_attribute(text: &str, at: &str, message: &str) {
    keeps_wrong(&format!("{P}{text}"), ErrorKind::Hlo, at, message);
}

/// Checks the same as [`refuses_hlo`], after a parameter `p` of shape `f32[8]`.
#[track_caller]
fn refuses_instruction(text: &str, at: &str, message: &str) {
    refuses_hlo(&format!("{P}{text}"), at, message);
}

/// Checks that the module is read with one unknown instruction, which has the opcode as written, and this note.
#[track_caller]
fn doubts(text: &str, kind: ErrorKind, at: &str, message: &str) {
    let module = hlo::read_text(text).unwrap();
    let printed = module.to_string();
    assert_eq!(hlo::read_text(&printed).unwrap().to_string(), printed, "{text}");
    let is_said = |note: &Error| {
        note.message == message && note.kind == kind && &text[note.span.clone().unwrap()] == at
    };
    assert!(module.notes().iter().any(is_said), "{text}: {:?}", module.notes());
    let mut analysis = Analysis::new(&module, &|map| map.clone());
    let mut count = 0;
    for (id, computation) in module.computations() {
        let doubtful = computation.instructions().filter(|(_, one)| one.is_doubtful());
        for (place, instruction) in doubtful {
            assert_eq!(
                Opcode::from_name(instruction.opcode().name()).name(),
                instruction.opcode().name()
            );
            let reads = analysis.instruction(id, place).unwrap();
            let is_unknown = |entry: &OperandReads| matches!(entry.reads, Reads::Unknown { .. });
            assert!(reads.iter().all(is_unknown), "{text}");
            count += 1;
        }
    }
    assert_eq!(count, 1, "{text}");
}

/// Checks the same as [`doubts`], after a parameter `p` of shape `f32[8]`.
#[track_caller]
fn doubts_instruction(text: &str, at: &str, message: &str) {
    doubts(&format!("{P}{text}"), ErrorKind::Hlo, at, message);
}

#[test]
fn bytes_that_are_no_text() {
    for (bytes, span) in
        [(&b"HloModule x\xff, a=b"[..], 11..12), (b"HloModule \xc3", 10..11), (b"\xff\xfe", 0..1)]
    {
        let error = hlo::read(bytes).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Encoding);
        assert_eq!(error.span, Some(span));
        assert_eq!(error.message, "the text is not UTF-8");
    }
}

#[test]
fn nothing_to_read() {
    let message = "expected a computation or an instruction, found the end of the text";
    for text in ["", " \n\t", "/* comment */ // another", "HloModule m"] {
        refuses_hlo(text, "", message);
    }
    refuses_hlo("HloModule m,", "", "expected the name of an attribute, found the end of the text");
}

#[test]
fn what_is_neither_computation_nor_instruction() {
    refuses_hlo("{ }", "{", "expected a computation or an instruction, found `{`");
    refuses_hlo("hello world", "hello", "expected a computation or an instruction, found `hello`");
    refuses_hlo(
        "HloModule a HloModule b",
        "HloModule",
        "expected a computation or an instruction, found `HloModule`",
    );
    refuses_hlo("x = f32[] iota() $", "$", "expected a computation or an instruction, found `$`");
}

#[test]
fn names() {
    refuses_instruction("x = f32[8] add(p, q)", "q", "the operand `q` is not defined");
    refuses_instruction("x = f32[8] negate(x)", "x", "the operand `x` is not defined");
    refuses_instruction("p = f32[8] negate(p)", "p", "an instruction named `p` is already defined");
    refuses_hlo(
        "a { p = f32[] parameter(0) } %a { p = f32[] parameter(0) }",
        "%a",
        "a computation named `a` is already defined",
    );
    refuses_hlo(
        "a { p = f32[] parameter(0) } b { x = f32[] negate(p) }",
        "p",
        "the operand `p` is not defined",
    );
}

#[test]
fn operands() {
    doubts_instruction("x = f32[8] add(p)", "add", "`add` takes 2 operands, found 1");
    doubts_instruction("x = f32[8] negate()", "negate", "`negate` takes 1 operand, found 0");
    doubts_instruction("x = f32[8] iota(p)", "iota", "`iota` takes no operands, found 1");
    doubts_instruction(
        "x = f32[8] negate(s32[8] p)",
        "s32[8]",
        "the operand is declared as `s32[8]{0}`, but `p` has the shape `f32[8]{0}`",
    );
    refuses_instruction("x = f32[8] add(p p)", "p", "expected `,` or `)`, found `p`");
    refuses_instruction("x = f32[8] add(p,", "", "expected an operand, found the end of the text");
    doubts_instruction("x = f32[8] add(f32[8], p)", "add", "`add` takes 2 operands, found 1");
    refuses_instruction(
        "x = f32[8] add(f32[8] 3, p)",
        "3",
        "expected the name of an operand, found `3`",
    );
    doubts_instruction(
        "x = f32[8] negate(%p#0)",
        "#0",
        "`p` has the shape `f32[8]{0}`, which has no part 0",
    );
    // XLA rejects this as well.
    refuses_hlo("x = f32[]{} iota()", "{", "expected an opcode such as `add`, found `{`");
}

#[test]
fn parameters() {
    refuses_hlo("q = f32[] parameter(1)", "q", "parameter 1 is defined, but parameter 0 is not");
    refuses_instruction("q = f32[] parameter(0)", "q", "parameter 0 is defined twice");
    refuses_hlo("p = f32[] parameter(-1)", "-1", "parameters are numbered from 0, not -1");
    refuses_hlo("p = f32[] parameter(x)", "x", "expected an integer, found `x`");
}

#[test]
fn computations() {
    refuses_hlo("a { }", "a { }", "the computation has no root, since it has no instructions");
    refuses_hlo(
        "a { ROOT p = f32[] parameter(0) ROOT q = f32[] parameter(1) }",
        "ROOT",
        "a second instruction is marked `ROOT`",
    );
    refuses_hlo(
        "ENTRY a { p = f32[] parameter(0) } ENTRY b { p = f32[] parameter(0) }",
        "ENTRY",
        "a second computation is marked `ENTRY`",
    );
    refuses_hlo(
        "ENTRY a { p = f32[] parameter(0) } x = f32[] iota()",
        "x = f32[] iota()",
        "instructions outside of a computation, beside an `ENTRY`",
    );
    refuses_hlo(
        "x = f32[] iota() a { p = f32[] parameter(0) } y = f32[] iota()",
        "y",
        "a second group of instructions outside of a computation",
    );
    refuses_hlo(
        "a (p: f32[2]) -> f32[3] { p = f32[2] parameter(0) }",
        "(p: f32[2]) -> f32[3]",
        "the computation is declared to return `f32[3]{0}`, but its root `p` returns `f32[2]{0}`",
    );
    refuses_hlo(
        "a { p = f32[] parameter(0)",
        "",
        "expected an instruction or `}`, found the end of the text",
    );
}

#[test]
fn recursion() {
    doubts(
        "a { x = f32[] call(), to_apply=%a }",
        ErrorKind::Hlo,
        "%a",
        "the computation `a` calls itself",
    );
    doubts(
        "a { x = f32[] call(), to_apply=b }
         b { x = f32[] call(), to_apply=c }
         c { x = f32[] conditional(f32[] iota()), branch_computations={d, b} }
         d { x = f32[] iota() }",
        ErrorKind::Hlo,
        "b",
        "the computation `b` calls itself",
    );
}

#[test]
fn starts_of_unexpected_shape() {
    let gives = |name: &str, gives: &str| format!("`{name}` gives {gives}");
    let each =
        gives("all-reduce-start", "the shapes of its operands, found `(f32[8]{0}, f32[8]{0})`");
    doubts_instruction("x = (f32[8], f32[8]) all-reduce-start(p)", "all-reduce-start", &each);
    let pair = gives("copy-start", "a tuple of at least two parts, found `f32[8]{0}`");
    doubts_instruction("x = f32[8] copy-start(p)", "copy-start", &pair);
    let pair = gives("all-gather-start", "a tuple of at least two parts, found `(f32[8]{0})`");
    doubts_instruction("x = (f32[8]) all-gather-start(p)", "all-gather-start", &pair);
    let flat = "x = (f32[8], f32[8]) negate-start(p)";
    doubts_instruction(
        flat,
        flat,
        "expected the shape `((operands), result, ..)` of `negate-start`",
    );
    for accepted in [
        "x = f32[8] all-reduce-start(p)",
        "x = (f32[8], f32[8]) all-reduce-start(p, p)",
        "x = (f32[8], f32[8], u32[]) copy-start(p)",
        "x = (f32[8], f32[16]) all-gather-start(p), dimensions={0}",
        "x = ((f32[8]), f32[8]) negate-start(p)",
    ] {
        let module = hlo::read_text(&format!("{P}{accepted}")).unwrap();
        assert_eq!(module.notes(), [], "{accepted}");
    }
}

#[test]
fn shapes_in_a_module() {
    refuses_hlo("x = add(p, p)", "p", "the operand `p` is not defined");
    refuses_hlo(
        "f { p = f32[8] parameter(0) x = convert(p) }",
        "convert",
        "expected a shape such as `f32[8,16]`, found `convert`",
    );
    refuses("x = f33[8] iota()", ErrorKind::Shape, "f33", "unknown element type `f33`");
    refuses("x = f32[8]{0:T(0)} iota()", ErrorKind::Shape, "0", "a tile size is at least 1, not 0");
    refuses(
        "x = f32[99999999999999999999] iota()",
        ErrorKind::Overflow,
        "99999999999999999999",
        "`99999999999999999999` does not fit in 64 bits",
    );
}

#[test]
fn brackets_and_quotes() {
    refuses_hlo("x = f32[] constant(1", "(", "unclosed `(`");
    refuses_hlo("x = f32[2] constant({1, 2)", ")", "`)` does not close `{`");
    refuses_hlo("x = f32[] iota(), sharding={a,b", "{", "unclosed `{`");
    refuses_hlo("x = f32[] iota(), foo=[}", "}", "`}` does not close `[`");
    refuses_hlo("x = f32[] iota(), foo={\"}", "\"", "unclosed string");
    refuses_hlo("x = f32[] /* iota()", "/", "unclosed comment");
    refuses_hlo("x = f32[] iota(), foo={ /* }", "/", "unclosed comment");
}

#[test]
fn attributes() {
    keeps_wrong_attribute(
        "x = f32[8] reverse(p), dimensions={0,}",
        "}",
        "expected an integer, found `}`",
    );
    keeps_wrong_attribute("x = f32[8] reverse(p), dimensions=0", "0", "expected `{`, found `0`");
    refuses_instruction(
        "x = f32[8] reverse(p), dimensions={0}, dimensions={0}",
        "dimensions",
        "the attribute `dimensions` is given twice",
    );
    refuses_instruction(
        "x = f32[8] reverse(p), foo=",
        "",
        "expected a value, found the end of the text",
    );
    refuses_instruction(
        "x = f32[8] reverse(p), foo",
        "",
        "expected `=`, found the end of the text",
    );
    keeps_wrong_attribute(
        "x = f32[4] slice(p), slice={[5:4]}",
        "[5:4]",
        "a slice starts at 0 or above and ends where it starts or above, not [5:4]",
    );
    keeps_wrong_attribute(
        "x = f32[4] slice(p), slice={[0:4:0]}",
        "[0:4:0]",
        "a stride is at least 1, not 0",
    );
    keeps_wrong_attribute(
        "x = f32[4] pad(p, p), padding=1_2_-1",
        "1_2_-1",
        "interior padding is at least 0, not -1",
    );
    keeps_wrong_attribute(
        "x = f32[4] pad(p, p), padding=1_2x",
        "1_2x",
        "missing number in the pattern",
    );
    keeps_wrong_attribute(
        "x = f32[4] pad(p, p), padding=1_2_3_4",
        "1_2_3_4",
        "each dimension of a padding is `low_high` or `low_high_interior`",
    );
    keeps_wrong_attribute(
        "x = f32[8] reverse(p), dimensions={0},{1}, channel_id=3",
        ",",
        "expected the end of the attribute, found `,`",
    );
    keeps_wrong(
        "x = f32[8] iota(), iota_dimension=99999999999999999999",
        ErrorKind::Overflow,
        "99999999999999999999",
        "`99999999999999999999` does not fit in 64 bits",
    );
    refuses_instruction(
        "x = f32[8] reverse(p), dimensions={0",
        "",
        "expected `,` or `}`, found the end of the text",
    );
}

#[test]
fn a_wrong_attribute_concerns_an_op_that_needs_it_alone() {
    let text = format!(
        "{P}a = f32[8] negate(p), dimensions={{x}}\nb = f32[8] reverse(p), dimensions={{y}}"
    );
    let module = hlo::read_text(&text).unwrap();
    let entry = &module[module.entry()];
    let mut analysis = Analysis::new(&module, &|map| map.clone());
    let mut reads = |name: &str| {
        let id = entry.instruction_named(name).unwrap();
        analysis.instruction(module.entry(), id)
    };
    assert!(reads("a").unwrap()[0].reads.is_exact());
    let error = reads("b").unwrap_err();
    assert_eq!(error.message, "expected an integer, found `y`");
    assert_eq!(&text[error.span.unwrap()], "y");
}

#[test]
fn windows() {
    let refuses = |window: &str, at: &str, message: &str| {
        let text = format!("x = f32[] foo(), window={window}");
        keeps_wrong(&text, ErrorKind::Hlo, at, message);
    };
    refuses("{size=3x3 stride=1}", "1", "`size` has 2 dimensions, but `stride` has 1");
    refuses("{stride=1}", "{", "the window has no `size`");
    refuses("{size=0}", "0", "sizes, strides and dilations of a window are at least 1");
    refuses("{size=3 size=3}", "size", "`size` is given twice");
    refuses("{sizes=3}", "sizes", "a window has no `sizes`");
    refuses("{size=3 pad=1}", "1", "each dimension of `pad` is `low_high`, as in `0_0x1_1`");
    refuses("{size=-3}", "-3", "expected positive numbers separated by `x`, as in `3x3`");
    refuses(
        "{size=3 rhs_reversal=0x1}",
        "0x1",
        "`size` has 1 dimensions, but `rhs_reversal` has 2",
    );
    refuses("{size=3 rhs_reversal=2}", "2", "expected 0 or 1 in `rhs_reversal`");
}

#[test]
fn labels() {
    let refuses = |labels: &str, kind: ErrorKind, message: &str| {
        let text = format!("x = f32[] foo(), dim_labels={labels}");
        keeps_wrong(&text, kind, labels, message);
    };
    refuses(
        "b01f_01io->b0f",
        ErrorKind::Hlo,
        "input, kernel and output have 2, 2 and 1 spatial dimensions",
    );
    refuses("b02f_01io->b01f", ErrorKind::Hlo, "unexpected label `2` in `b02f`");
    refuses("bbf_io->bf", ErrorKind::Hlo, "duplicate label `b` in `bbf`");
    // XLA accepts these.
    refuses("b0_0io->b0f", ErrorKind::Unsupported, "missing label `f` in `b0`");
    refuses("012_012->012", ErrorKind::Unsupported, "missing label `b` in `012`");
    refuses("b01f", ErrorKind::Hlo, "expected labels such as `b01f_01io->b01f`, found `b01f`");
}
