//! `hlo` of packed files, several files and directories.

use super::support::memory::Memory;
use affinor::command::{Failure, Session, Status};
use affinor::text::ErrorKind;

const NEGATE: &[u8] = b"HloModule m\nENTRY e { p = f32[4] parameter(0) ROOT n = f32[4] negate(p) }";
/// The same, packed.
const PACKED: &[u8] = include_bytes!("negate.hlo.gz");

fn host() -> Memory {
    let files: [(&str, &[u8]); 8] = [
        ("dump/module_0000.f.cpu_after_optimizations.txt", NEGATE),
        (
            "dump/module_0000.f.cpu_after_optimizations-buffer-assignment.txt",
            b"BufferAssignment:",
        ),
        ("dump/module_0000.f.before_optimizations.txt.gz", PACKED),
        ("dump/module_0000.f.ll", b"; ModuleID"),
        ("none/notes.txt", b"no module"),
        ("cut.hlo.gz", &PACKED[..PACKED.len() / 2]),
        ("whole.hlo.gz", PACKED),
        ("broken.hlo", b"HloModule m\nENTRY e {"),
    ];
    let mut host = Memory::default();
    host.files = files.map(|(name, bytes)| (name, bytes.to_vec())).into();
    host
}

/// The status, the files that the answers are about, and the messages of what was reported.
fn run(line: &str) -> Result<(Status, Vec<Option<String>>, Vec<String>), Failure> {
    let mut host = host();
    let status = Session::new().run(line, &mut host)?;
    let file = |json: &serde_json::Map<_, serde_json::Value>| {
        json.get("file")
            .and_then(|file| Some(file.as_str()?.to_owned()))
    };
    let files = host
        .outputs
        .iter()
        .map(|output| output.json.as_ref().and_then(file));
    let reports = host
        .reports
        .iter()
        .map(|report| report.error.message.clone());
    Ok((status, files.collect(), reports.collect()))
}

#[track_caller]
fn check(line: &str, status: Status, files: &[Option<&str>], reports: &[&str]) {
    let (found, of, reported) = run(line).expect(line);
    let of: Vec<Option<&str>> = of.iter().map(Option::as_deref).collect();
    assert_eq!((found, of.as_slice()), (status, files), "{line}");
    assert_eq!(reported, reports, "{line}");
}

#[track_caller]
fn check_fails(line: &str, kind: ErrorKind, message: &str) {
    let failure = run(line).expect_err(line);
    assert_eq!(
        (failure.error.kind, failure.error.message.as_str()),
        (kind, message)
    );
}

#[test]
fn modules_of_files_and_directories() {
    let before = Some("dump/module_0000.f.before_optimizations.txt.gz");
    let after = Some("dump/module_0000.f.cpu_after_optimizations.txt");
    check("hlo whole.hlo.gz", Status::Done, &[None], &[]);
    check("hlo dump", Status::Done, &[before, after], &[]);
    check("hlo dump/ --entry", Status::Done, &[before, after], &[]);
    check(
        "hlo whole.hlo.gz dump",
        Status::Done,
        &[Some("whole.hlo.gz"), before, after],
        &[],
    );
    check("hlo dump none", Status::Done, &[before, after], &[]);
    // What is wrong with one file does not keep the others from being answered.
    let cut = "expected an instruction or `}`, found the end of the text";
    check(
        "hlo broken.hlo dump",
        Status::Wrong,
        &[before, after],
        &[cut],
    );
    check(
        "hlo none gone.hlo whole.hlo.gz",
        Status::Wrong,
        &[Some("whole.hlo.gz")],
        &["`gone.hlo` cannot be read: no such file"],
    );
}

#[test]
fn what_is_no_module() {
    check_fails(
        "hlo none",
        ErrorKind::File,
        "there is no HLO module in `none`",
    );
    check_fails(
        "hlo broken.hlo",
        ErrorKind::Hlo,
        "expected an instruction or `}`, found the end of the text",
    );
    check_fails(
        "hlo dump/module_0000.f.ll",
        ErrorKind::Hlo,
        "expected HLO text, found LLVM IR",
    );
    check_fails(
        "hlo dump --instruction m",
        ErrorKind::Name,
        "the module has no instruction `m`",
    );
    check_fails(
        "hlo dump --parts --check",
        ErrorKind::Usage,
        "`--parts` does not go with `--check`",
    );
    let failure = run("hlo cut.hlo.gz").expect_err("half a file");
    assert_eq!(failure.error.kind, ErrorKind::File);
    assert!(
        failure
            .error
            .message
            .starts_with("`cut.hlo.gz` cannot be read: "),
        "{failure:?}"
    );
}
