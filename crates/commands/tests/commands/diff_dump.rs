//! `diff DIR`: a line for each pass, with the first change marked, and files that are not modules.

use super::support::memory::Memory;
use affinor_commands::{Role, Session, Status};

/// Returns a module whose result is computed from `x` and `y`.
fn module(result: &str) -> Vec<u8> {
    let text = format!(
        "HloModule m\nENTRY main {{\n  x = f32[2,3] parameter(0)\n  y = f32[2,3] parameter(1)\n  \
         two = f32[] constant(2)\n  twos = f32[2,3] broadcast(two), dimensions={{}}\n  \
         sum = f32[2,3] add(x, y)\n  ROOT r = f32[2,3] {result}\n}}\n"
    );
    text.into_bytes()
}

/// Returns the lines of the passes, their outcomes, the pieces of text marked as bad, and the status.
fn said(files: &[(&'static str, Vec<u8>)]) -> (Vec<String>, Vec<String>, Vec<String>, Status) {
    let mut host = Memory { files: files.iter().cloned().collect(), ..Memory::default() };
    let status = Session::new().run("diff dump", &mut host).expect("a dump");
    assert!(host.reports.is_empty());
    let lines = host.outputs.iter().map(|output| output.text.to_string()).collect();
    let outcome = |key: &str| -> Vec<String> {
        let json = host.outputs.iter().filter_map(|output| output.json.as_ref());
        json.filter_map(|json| Some(json.get(key)?.as_str()?.to_owned())).collect()
    };
    let pieces = host.outputs.iter().flat_map(|output| output.text.pieces());
    let marked = pieces.filter(|(role, _)| *role == Role::Bad).map(|(_, text)| text.to_owned());
    (lines, outcome("outcome"), marked.collect(), status)
}

#[test]
fn each_pass_has_a_line() {
    let (lines, outcomes, marked, status) = said(&[
        ("dump/1.hlo", module("add(sum, twos)")),
        ("dump/2.hlo", module("add(twos, sum)")),
        ("dump/3.hlo", b"HloModule m\nENTRY main {\n  x = f32[2 parameter(0)\n".to_vec()),
        ("dump/10.hlo", module("subtract(twos, sum)")),
        ("dump/11.hlo", module("subtract(sum, twos)")),
        ("dump/12.hlo", module("negate(x)")),
        ("dump/13.hlo", module("round-nearest-even(x)")),
        ("dump/notes.txt", b"no module".to_vec()),
    ]);
    let starts = [
        "2.hlo: the same",
        "3.hlo left out: at 3:",
        "10.hlo computed differently: the reads are the same, but at `r` it was add, and is subtract, of the same operands",
        "11.hlo computed differently: the reads are the same, but at `r` its operands were exchanged",
        "12.hlo changed: element (0, 0) no longer reads (0, 0) of operand 1",
        "13.hlo: the reads are the same; equality of the values is not known: ",
        "10.hlo is the first of 5 passes that changes the computation",
        "5 values compared: 1 the same, 1 of the same reads, 1 changed, 2 computed differently",
    ];
    assert_eq!(lines.len(), starts.len(), "{lines:?}");
    for (line, start) in lines.iter().zip(starts) {
        assert!(line.starts_with(start), "{line}");
        assert!(!line.contains('\n'), "{line}");
    }
    let expected =
        ["same", "left_out", "computed_otherwise", "computed_otherwise", "changed", "same_reads"];
    assert_eq!(outcomes, expected);
    assert_eq!(marked, [" computed differently", " is the first"]);
    assert_eq!(status, Status::Wrong);
}

#[test]
fn passes_of_several_modules_are_apart() {
    let (lines, outcomes, _, status) = said(&[
        ("dump/module_0001.f.0001.s.after_a.before_b.txt", module("add(sum, twos)")),
        ("dump/module_0001.f.0002.s.after_b.before_c.txt", module("add(twos, sum)")),
        ("dump/module_0002.g.0001.s.after_a.before_b.txt", module("negate(x)")),
        ("dump/module_0002.g.0002.s.after_b.before_c.txt", module("negate(x)")),
    ]);
    assert_eq!(
        lines,
        [
            "module_0001.f.0002.s.after_b.before_c.txt: the same",
            "module_0002.g.0002.s.after_b.before_c.txt: the same",
            "module_0001.f.0002.s.after_b.before_c.txt: 1 pass before it, none is shown to change reads or values",
            "module_0002.g.0002.s.after_b.before_c.txt: 1 pass before it, none is shown to change reads or values",
            "nothing differs: 2 values compared",
        ]
    );
    assert_eq!((outcomes, status), (vec!["same".to_owned(); 2], Status::Done));
}

#[test]
fn a_dump_of_broken_files_is_no_failure() {
    let broken = b"HloModule m {".to_vec();
    let (lines, outcomes, _, status) =
        said(&[("dump/1.hlo", broken.clone()), ("dump/2.hlo", broken)]);
    assert_eq!(outcomes, ["left_out"; 2]);
    assert_eq!(lines.len(), 3, "{lines:?}");
    assert_eq!(status, Status::Wrong);
}

/// The page holds the lines and all answers as data; two files in place of a directory are an error.
#[test]
fn passes_as_a_page() {
    let files = [
        ("dump/1.hlo", module("add(sum, twos)")),
        ("dump/2.hlo", module("add(twos, sum)")),
        ("dump/3.hlo", module("subtract(twos, sum)")),
        ("dump/4.hlo", module("negate(x)")),
        ("dump/5.hlo", b"HloModule m\nENTRY <script> {\n".to_vec()),
    ];
    let run = |line: &str| {
        let mut host = Memory { files: files.iter().cloned().collect(), ..Memory::default() };
        let status = Session::new().run(line, &mut host);
        (host, status)
    };
    let (host, status) = run("diff dump --html -");
    assert_eq!(status.expect("a page"), Status::Wrong);
    let page = host.outputs.last().and_then(|output| output.json.clone()).expect("an object");
    assert_eq!(page["passes"], 4);
    let html = page["html"].as_str().expect("the page");
    let (_, data) = html.split_once("id=\"data\">").expect("data");
    let (data, _) = data.split_once("</script>").expect("its end");
    assert!(!data.contains('<'));
    let data: serde_json::Value = serde_json::from_str(data).expect("JSON");
    let passes = data["passes"].as_array().expect("passes");
    let outcomes: Vec<_> =
        passes.iter().map(|pass| pass["outcome"].as_str().expect("a word")).collect();
    assert_eq!(outcomes, ["same", "computed_otherwise", "changed", "left_out"]);
    let firsts: Vec<_> = passes.iter().map(|pass| pass["first"] == true).collect();
    assert_eq!(firsts, [false, true, false, false]);
    assert_eq!(passes[0]["answers"], serde_json::json!([]));
    let changed = passes[2]["answers"][0].as_str().expect("an answer");
    assert!(changed.contains("no longer reads") && changed.contains("\n  old "), "{changed}");
    assert_eq!(data["directory"], "dump");
    let said = host.outputs.iter().map(|output| output.text.to_string());
    let said: Vec<String> = said.collect();
    assert_eq!(data["summary"], said[said.len() - 2]);
    assert_eq!(data["modules"], serde_json::json!([said[said.len() - 3]]));
    let (host, status) = run("diff dump --html p.html");
    assert_eq!(status.expect("a page"), Status::Wrong);
    let last = host.outputs.last().expect("a note").text.to_string();
    assert!(last.starts_with("4 passes, ") && last.ends_with(" kB written to p.html"), "{last}");
    let (_, status) = run("diff dump/1.hlo dump/2.hlo --html p.html");
    let failure = status.expect_err("no page");
    assert_eq!(failure.error.message, "a page is about the passes of a directory");
}
