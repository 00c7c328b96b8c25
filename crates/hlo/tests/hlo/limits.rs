//! Texts designed to exhaust time or memory: each quickly gives one error or a module.

use affinor_hlo as hlo;
use affinor_maps::text::ErrorKind;

#[track_caller]
fn refuses(text: &str, kind: ErrorKind) {
    let error = hlo::read(text.as_bytes()).unwrap_err();
    assert_eq!(error.kind, kind, "{}", error.message);
    assert!(error.message.len() < 200, "{}", error.message);
    let span = error.span.unwrap();
    assert!(span.start <= span.end && span.end <= text.len());
}

#[test]
fn deep_nesting() {
    for text in [
        format!("x = {}", "(".repeat(100_000)),
        format!("x = {}f32[]{}", "(".repeat(100_000), ")".repeat(100_000)),
        format!("x = {}", "f32[] negate(".repeat(100_000)),
        format!("x = {}", "negate(".repeat(100_000)),
        format!("x = f32[] constant({}", "{".repeat(100_000)),
        format!("x = f32[] iota(), foo={}", "{".repeat(100_000)),
        format!("x = f32[] iota(), metadata={}", "{a=".repeat(100_000)),
        "x = f32[] call(), calls={".repeat(100_000),
    ] {
        refuses(&text, ErrorKind::TooLarge);
    }
}

/// Each line doubles a tuple, or contains many copies of one tuple.
#[test]
fn shapes_that_are_not_in_the_text() {
    let doubled = (1..100).map(|i| format!("t{i} = tuple(t{}, t{})\n", i - 1, i - 1));
    let doubled = format!("t0 = f32[] iota()\n{}", doubled.collect::<String>());
    let wide = format!("t = tuple(f32[] iota(){})\n", ", f32[] iota()".repeat(10_000));
    let copies = (0..1000).map(|i| format!("c{i} = copy(t)\n")).collect::<String>();
    let started = ", t".repeat(1000);
    for text in [
        format!("e {{ {doubled} }}"),
        format!("e {{ {wide}{copies} }}"),
        format!("e {{ {wide}r = tuple(t{started}) }}"),
        format!("e {{ {wide}r = ((f32[]), f32[], s32[]) tuple-start(t{started}) }}"),
    ] {
        refuses(&text, ErrorKind::TooLarge);
    }
    let parts = (0..1000).map(|i| format!("g{i} = get-tuple-element(t), index={i}\n"));
    let parts = parts.collect::<String>();
    assert!(hlo::read_text(&format!("e {{ {wide}{parts} c = copy(t) }}")).is_ok());
}

#[test]
fn long_chains_of_calls() {
    let chain = |length: usize| {
        let calls =
            (0..length).map(|i| format!("c{i} {{ x = f32[] call(), to_apply=c{} }}\n", i + 1));
        calls.collect::<String>() + &format!("c{length} {{ x = f32[] iota() }}")
    };
    // A call that is nested too deep is cut and becomes doubtful; the others are unchanged.
    for (length, cut) in [(64, 0), (65, 1), (20_000, 307)] {
        let module = hlo::read_text(&chain(length)).unwrap();
        assert_eq!(module.notes().len(), cut, "{length}");
        assert!(module.notes().iter().all(|note| note.kind == ErrorKind::TooLarge));
        let instructions = module.computations().flat_map(|(_, body)| body.instructions());
        let doubtful = instructions.filter(|(_, instruction)| instruction.is_doubtful());
        assert_eq!(doubtful.count(), cut, "{length}");
    }
}

#[test]
fn a_long_line_of_rubbish() {
    const LENGTH: usize = 10_000_000;
    for unit in
        ["a", "1", "{", "(", "\"", "%", "/*", "1x", "a_", "a=", "a_a->", "\\", "\u{0}", "é", "// "]
    {
        // `a=a` is an instruction with an invalid shape, the others are not instructions.
        let kind = if unit == "a=" { ErrorKind::Shape } else { ErrorKind::Hlo };
        refuses(&unit.repeat(LENGTH / unit.len()), kind);
    }
}

#[test]
fn long_lists_take_linear_time() {
    const LENGTH: usize = 100_000;
    let numbered = |entry: fn(usize) -> String| (0..LENGTH).map(entry).collect::<String>();
    for text in [
        numbered(|i| format!("p{i} = f32[] parameter({i})\n")),
        numbered(|i| format!("c{i} {{ p = f32[] parameter(0) }}\n")),
        format!("x = f32[] iota(){}", numbered(|i| format!(", a{i}=1"))),
        format!("x = f32[] iota(), metadata={{{}}}", numbered(|i| format!("a{i}=1 "))),
        format!("x = f32[] tuple(f32[] iota(){})", ", f32[] iota()".repeat(LENGTH)),
        format!("x = f32[] call(){}", ", calls={y = f32[] iota()}"),
        // Texts that exercise inferred, created, reported and kept parts.
        numbered(|i| match i {
            0 => "x0 = f32[2,3] parameter(0)\n".to_owned(),
            i => format!("x{i} = transpose(negate(x{})), dimensions={{1,0}}\n", i - 1),
        }),
        format!(
            "p = f32[] parameter(0)\n{}",
            numbered(|i| format!("s{i} = ((f32[]), f32[], u32[]) negate-start(p), a=1\n"))
        ),
        format!("f {{ x = (f32[]) tuple(f32[] iota(){}) }}", ", f32[]".repeat(LENGTH)),
        numbered(|i| format!("x{i} = f32[] iota(), dimensions={{0,,}}, a={{1}}\n")),
    ] {
        assert!(hlo::read_text(&text).is_ok());
    }
}
