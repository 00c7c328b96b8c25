//! Ctrl-C interrupts everything that can take long: the prompt returns, and the session is intact.
use crate::support::talk::{Talk, state};
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

/// Commands that end by themselves, in a second or several.
const BOUNDED: &[&str] = &["inverse", "equal", "hlo", "tile", "coalesce"];

/// More steps than any search takes.
const ENDLESS: &str = "--steps 1000000000000";

/// Returns `min((3*x + d0) mod m, d1)`, nested `depth` times: a search without a natural end.
fn clamps(depth: usize) -> String {
    let inner = (0..depth).fold("d0".to_owned(), |x, level| {
        let (inside, beside) = (level % 3, (level + 1) % 3);
        format!("min((3 * {x} + d{inside}) mod {}, d{beside})", 7 + level * 5 % 31)
    });
    format!("(d0, d1, d2) -> ({inner}), domain: d0 in [0, 100], d1 in [0, 30], d2 in [0, 20]")
}

/// Returns a loop that carries this many arrays, each updated at the loop's own index and read by the next.
fn large_loop(arrays: usize) -> String {
    let shapes = vec!["f32[64,32]"; arrays].join(", ");
    let state = format!("(s32[], {shapes})");
    let mut text = format!(
        "HloModule large\n\ncondition {{\n  p = {state} parameter(0)\n  i = s32[] get-tuple-element(p), index=0\n  n = s32[] constant(64)\n  ROOT less = pred[] compare(i, n), direction=LT\n}}\n\nbody {{\n  p = {state} parameter(0)\n  i = s32[] get-tuple-element(p), index=0\n  one = s32[] constant(1)\n  zero = s32[] constant(0)\n  next = s32[] add(i, one)\n"
    );
    for k in 0..arrays {
        let from = (k + 1) % arrays;
        let _ = write!(
            text,
            "  a{k} = f32[64,32] get-tuple-element(p), index={}\n  b{k} = f32[64,32] get-tuple-element(p), index={}\n  row{k} = f32[1,32] dynamic-slice(b{k}, i, zero), dynamic_slice_sizes={{1,32}}\n  new{k} = f32[64,32] dynamic-update-slice(a{k}, row{k}, i, zero)\n",
            k + 1,
            from + 1
        );
    }
    let updated: Vec<String> = (0..arrays).map(|k| format!("new{k}")).collect();
    let _ = write!(
        text,
        "  ROOT t = {state} tuple(next, {})\n}}\n\nENTRY main {{\n  p = {state} parameter(0)\n  ROOT w = {state} while(p), condition=condition, body=body\n}}\n",
        updated.join(", ")
    );
    text
}

/// Returns the commands to type, for files in a directory: first those that end only by Ctrl-C, then those that end by
/// themselves, on a fast machine perhaps before the key is pressed.
fn commands(directory: &Path) -> Vec<(&'static str, String)> {
    let file = |name: &str, text: &str| {
        let path = directory.join(name);
        fs::write(&path, text).expect("a file");
        name.to_string()
    };
    let deep = clamps(40);
    let shift = "(d0) -> ((d0 * 3 + 1) mod 17), domain: d0 in [-100, 100]";
    let module = file("loop.hlo", &large_loop(200));
    let many: String = (0..400)
        .map(|k| {
            format!(
                "  r{k} = f32[{}] reshape(p{k})\n  p{k} = f32[{},30] parameter({k})\n",
                30 * (k + 7),
                k + 7
            )
        })
        .collect();
    let many = file("many.hlo", &many);
    let fermat: String = (0..200)
        .map(|k| format!("fermat-{k}: x*x*x + y*y*y = z*z*z <=> 0 = 1\n  where x >= 1, y >= 1, z >= 1\n  \"None.\"\n"))
        .collect();
    let rules = file("many.rules", &format!("constant x y z\n{fermat}"));
    let identity = "(x) -> (x), domain: x in [0, 99]";
    let certificate = format!(
        "{{\"id\":1,\"before\":\"{identity}\",\"after\":\"{identity}\",\"domain_steps\":[],\"result_steps\":[]}}\n"
    );
    let certificates = file("many.jsonl", &certificate.repeat(300_000));
    // The maximum of values: beyond interval bounds, and over more points than are tried.
    let sums = (0..6).map(|k| {
        let (x, y) = (7919 + 2 * k, 104_729 - 2 * k);
        format!("(d0 * {x}) mod 1000003 + (d0 * {y}) mod 999983")
    });
    let sums: Vec<String> = sums.collect();
    let capped: Vec<String> = sums.iter().map(|x| format!("min({x}, 1999900)")).collect();
    let [sums, capped] = [sums, capped]
        .map(|list| format!("(d0) -> ({}), domain: d0 in [0, 30000]", list.join(", ")));
    vec![
        ("simplify", format!("simplify {deep} {ENDLESS}")),
        ("compose", format!("compose {deep} ; {shift} --simplify {ENDLESS}")),
        ("inverse", format!("inverse {deep} {ENDLESS}")),
        ("equal", format!("equal {sums} ; {capped}")),
        ("prove", format!("rules prove --file {rules}")),
        ("hlo", format!("hlo {module}")),
        ("tile", format!("hlo {many} --tile suggest")),
        ("coalesce", "coalesce (tid, block) -> (min(tid * 7 mod 1013, block * 3) + max(tid, block) mod 977), domain: tid in [0, 1023], block in [0, 4000000]".to_owned()),
        ("replay", format!("replay {certificates}")),
    ]
}

#[test]
fn control_c_brings_the_prompt_back_out_of_everything() {
    let state = state("interrupts");
    fs::create_dir_all(&state).expect("a directory");
    let Some(mut talk) = Talk::start(&state) else {
        return;
    };
    talk.keys("let a = () -> (41 + 1)\r");
    talk.expect("\na = () -> (42)");
    talk.expect("affinor> ");
    let mut slowest = (Duration::ZERO, "");
    for (name, command) in commands(&state) {
        // The command is read from a file, since it may be too long to type.
        let script = state.join(format!("{name}.aff"));
        fs::write(&script, format!("{command}\n")).expect("a file");
        talk.keys(&format!("run {name}.aff\r"));
        // The prompt ends in a space, which is missing before a progress line.
        let ends = ["working, 1 s", "affinor> ", "-- more --"];
        let mut end = talk.expect_any(&ends);
        while end == 2 {
            talk.keys("q");
            end = talk.expect_any(&ends);
        }
        if end == 1 {
            assert!(BOUNDED.contains(&name), "{name} ended:\n{}", talk.written());
            continue;
        }
        let start = Instant::now();
        talk.interrupt();
        talk.expect("interrupted");
        talk.expect("affinor> ");
        slowest = slowest.max((start.elapsed(), name));
        talk.keys("eval a\r");
        talk.expect("\n(42)");
        talk.expect("affinor> ");
    }
    let written = talk.written();
    assert!(!written.contains("Ctrl-C again"), "a command did not see the first one:\n{written}");
    talk.keys("\x04");
    assert!(talk.end().success());
    let (time, name) = slowest;
    let message = format!("slowest to stop: {name}, {} ms", time.as_millis());
    let _ = writeln!(std::io::stderr(), "{message}");
}
