//! `hlo` of large modules and of many modules: threads, summaries, `--corpus`.

use super::support::memory::Memory;
use affinor::text::ErrorKind;
use affinor_commands::{Failure, Session, Status};
use serde_json::{Map, Value, json};
use std::fmt::Write as _;

/// Returns a module of many instructions, some of which contradict their shapes or have unknown reads.
fn mixed(count: usize) -> String {
    let mut text = "HloModule m\nENTRY e {\n p = f32[4,6] parameter(0)\n".to_owned();
    for k in 0..count {
        let _ = match k % 40 {
            7 => writeln!(text, " v{k} = f32[6,4] negate(p)"),
            9 => writeln!(text, " v{k} = f32[4,6] custom-call(p), custom_call_target=\"x\""),
            _ => writeln!(text, " v{k} = f32[6,4] transpose(p), dimensions={{1,0}}"),
        };
    }
    text + " ROOT r = f32[4,6] copy(p)\n}\n"
}

/// Returns the status of a command, its answers and its reports, in order.
fn said(line: &str, files: &[(&'static str, String)]) -> (Status, Vec<String>, Vec<String>) {
    let mut host = host(files);
    let status = Session::new().run(line, &mut host).expect(line);
    let outputs = host.outputs.iter();
    let answers = outputs.map(|output| format!("{} {:?}", output.text, output.json));
    let reports = host.reports.iter();
    let answers = answers.collect();
    (status, answers, reports.map(|report| report.error.message.clone()).collect())
}

fn host(files: &[(&'static str, String)]) -> Memory {
    let files = files.iter().map(|(name, text)| (*name, text.clone().into_bytes()));
    Memory { files: files.collect(), ..Memory::default() }
}

#[test]
fn any_number_of_threads_gives_the_same_answers() {
    let files = [("m.hlo", mixed(500))];
    for options in ["", " --check", " --direction input-to-output", " --no-simplify"] {
        let of = |threads| said(&format!("hlo m.hlo --threads {threads}{options}"), &files);
        let one = of(1);
        assert_eq!(one.1.len(), 500 - 13 + 1 + 1, "{options}");
        assert_eq!(one.2.len(), 13, "{options}");
        for threads in [2, 3, 8] {
            assert_eq!(of(threads), one, "{threads} threads{options}");
        }
    }
    for options in [
        " --utilisation",
        " --utilisation --reread",
        " --tile ..,2",
        " --tile ..,2 --direction input-to-output",
        " --parts",
    ] {
        let of = |threads| said(&format!("hlo m.hlo --threads {threads}{options}"), &files);
        let one = of(1);
        assert!(!one.1.is_empty(), "{options}");
        for threads in [2, 3] {
            assert_eq!(of(threads), one, "{threads} threads{options}");
        }
    }
}

#[test]
fn a_summary_follows_the_answers_about_a_module() {
    let files = [("m.hlo", mixed(80))];
    let summary = |line: &str| -> Vec<Value> {
        let mut host = host(&files);
        Session::new().run(line, &mut host).expect(line);
        let outputs = host.outputs.into_iter();
        let json = outputs.filter_map(|output| output.json?.get("summary").cloned());
        json.collect()
    };
    let expected = json!({"instructions": 81, "exact": 77, "at_most": 0, "unknown": 2, "wrong": 2,
        "at_most_reasons": [], "unknown_reasons": [{"reason": REASON, "count": 2}]});
    assert_eq!(summary("hlo m.hlo"), [expected]);
    // A single instruction has no summary.
    assert_eq!(summary("hlo m.hlo --instruction r"), [] as [Value; 0]);
}

const REASON: &str = "the reads of a custom-call are known to its target alone";

fn corpus() -> Vec<(&'static str, String)> {
    vec![
        ("dir/c.hlo", mixed(40)),
        ("dir/a.hlo", mixed(3)),
        ("dir/broken.hlo", "HloModule m\nENTRY e {".to_owned()),
        ("dir/notes.txt", "no module".to_owned()),
        ("dir/b.txt", mixed(2)),
    ]
}

/// Returns the lines of `out.jsonl` after a run of `line`, without times; the file begins as `before` if that is given.
fn lines_after(line: &str, before: Option<&str>) -> Result<Vec<Map<String, Value>>, Failure> {
    let mut host = host(&corpus());
    if let Some(before) = before {
        host.written.insert("out.jsonl".to_owned(), before.to_owned());
    }
    Session::new().run(line, &mut host)?;
    let lines = host.written["out.jsonl"].lines();
    let lines = lines.map(|line| {
        let mut line: Map<String, Value> = serde_json::from_str(line).expect("an object");
        line.remove("ns");
        line
    });
    Ok(lines.collect())
}

#[test]
fn a_corpus_has_a_line_for_each_module_in_order() {
    let run = "hlo --corpus dir/ --out out.jsonl";
    let whole = lines_after(run, None).expect("a run");
    let names: Vec<&str> = whole.iter().filter_map(|line| line["module"].as_str()).collect();
    assert_eq!(names, ["a.hlo", "b.txt", "broken.hlo", "c.hlo"]);
    let counts = |line: &Map<String, Value>| {
        ["instructions", "exact", "unknown", "wrong"].map(|key| line[key].as_u64())
    };
    assert_eq!(counts(&whole[0]), [Some(4), Some(4), Some(0), Some(0)]);
    assert_eq!(counts(&whole[3]), [Some(41), Some(39), Some(1), Some(1)]);
    assert_eq!(whole[2]["errors"][0]["kind"], "hlo");
    assert_eq!(whole[2]["errors"][0]["line"], 2);
    assert!(!whole[0].contains_key("errors"));
    for threads in [1, 2, 5] {
        let other = lines_after(&format!("{run} --threads {threads}"), None);
        assert_eq!(other.expect("a run"), whole, "{threads} threads");
    }
    // A run completes a partial file, whatever the order of its lines, and wherever it was cut off.
    let text: Vec<String> =
        [3, 0, 2, 1].map(|k: usize| format!("{}\n", Value::Object(whole[k].clone()))).into();
    for kept in 0..=4 {
        let before = text[..kept].concat();
        assert_eq!(lines_after(run, Some(&before)).expect("a run"), whole);
        if let Some(next) = text.get(kept) {
            for cut in [1, next.len() / 2, next.len() - 1] {
                let torn = format!("{before}{}", &next[..cut]);
                assert_eq!(lines_after(run, Some(&torn)).expect("a run"), whole, "{torn}");
            }
        }
    }
}

#[test]
fn lines_that_are_there_are_kept_as_they_are() {
    let mark = r#"{"schema":1,"module":"c.hlo","mark":true}"#;
    let gone = r#"{"schema":1,"module":"gone.hlo"}"#;
    let run = "hlo --corpus dir --out out.jsonl";
    let lines = lines_after(run, Some(&format!("{gone}\n{mark}\n"))).expect("a run");
    assert_eq!(lines.len(), 5);
    assert_eq!(Value::Object(lines[3].clone()).to_string(), mark);
    assert_eq!(Value::Object(lines[4].clone()).to_string(), gone);
}

#[test]
fn wrong_corpora_are_refused() {
    for (line, before, kind, message) in [
        ("hlo --corpus dir", None, ErrorKind::Usage, "`--corpus` needs `--out FILE`"),
        ("hlo dir --out out.jsonl", None, ErrorKind::Usage, "`--out` goes with `--corpus`"),
        ("hlo", None, ErrorKind::Usage, "`hlo` needs FILE..."),
        (
            "hlo dir --corpus dir --out out.jsonl",
            None,
            ErrorKind::Usage,
            "`--corpus DIR` takes the place of FILE",
        ),
        (
            "hlo --corpus dir --out out.jsonl --check",
            None,
            ErrorKind::Usage,
            "`--corpus` does not go with `--check`",
        ),
        (
            "hlo --corpus dir/a.hlo --out out.jsonl",
            None,
            ErrorKind::File,
            "`dir/a.hlo` cannot be read: not a directory",
        ),
        (
            "hlo --corpus dir --out out.jsonl",
            Some("{\"schema\":1}\n"),
            ErrorKind::File,
            "line 1 of `out.jsonl` is not about a module",
        ),
    ] {
        let failure = lines_after(line, before).expect_err(line);
        let found = (failure.error.kind, failure.error.message.as_str());
        assert_eq!(found, (kind, message), "{line}");
    }
}
