//! `hlo` of compressed files, several files and directories.

use super::support::memory::Memory;
use affinor::text::ErrorKind;
use affinor_commands::{Failure, Output, Session, Status};
use serde_json::Value;

const NEGATE: &[u8] = b"HloModule m\nENTRY e { p = f32[4] parameter(0) ROOT n = f32[4] negate(p) }";
/// The same module, compressed.
const PACKED: &[u8] = include_bytes!("negate.hlo.gz");

fn host() -> Memory {
    let files: [(&str, &[u8]); 8] = [
        ("dump/module_0000.f.cpu_after_optimizations.txt", NEGATE),
        ("dump/module_0000.f.cpu_after_optimizations-buffer-assignment.txt", b"BufferAssignment:"),
        ("dump/module_0000.f.before_optimizations.txt.gz", PACKED),
        ("dump/module_0000.f.ll", b"; ModuleID"),
        ("none/notes.txt", b"no module"),
        ("cut.hlo.gz", &PACKED[..PACKED.len() / 2]),
        ("whole.hlo.gz", PACKED),
        ("broken.hlo", b"HloModule m\nENTRY e {"),
    ];
    Memory { files: files.map(|(name, bytes)| (name, bytes.to_vec())).into(), ..Memory::default() }
}

/// The outcome of a command.
struct Ran {
    status: Status,
    /// The file of each answer, without summaries.
    files: Vec<Option<String>>,
    /// The messages of the errors reported.
    reports: Vec<String>,
}

fn run(line: &str) -> Result<Ran, Failure> {
    let mut host = host();
    let status = Session::new().run(line, &mut host)?;
    let file = |output: &Output| {
        let json = output.json.as_ref()?;
        Some(json.get("file")?.as_str()?.to_owned())
    };
    let reports = host.reports.iter();
    Ok(Ran {
        status,
        files: host.outputs.iter().filter(|output| summary(output).is_none()).map(file).collect(),
        reports: reports.map(|report| report.error.message.clone()).collect(),
    })
}

fn summary(output: &Output) -> Option<&Value> {
    output.json.as_ref()?.get("summary")
}

#[track_caller]
fn check(line: &str, status: Status, files: &[Option<&str>], reports: &[&str]) {
    let ran = run(line).expect(line);
    let of: Vec<Option<&str>> = ran.files.iter().map(Option::as_deref).collect();
    assert_eq!((ran.status, of.as_slice()), (status, files), "{line}");
    assert_eq!(ran.reports, reports, "{line}");
}

#[track_caller]
fn check_fails(line: &str, kind: ErrorKind, message: &str) {
    let failure = run(line).err().expect(line);
    assert_eq!((failure.error.kind, failure.error.message.as_str()), (kind, message));
}

#[test]
fn modules_of_files_and_directories() {
    let before = Some("dump/module_0000.f.before_optimizations.txt.gz");
    let after = Some("dump/module_0000.f.cpu_after_optimizations.txt");
    check("hlo whole.hlo.gz", Status::Done, &[None], &[]);
    check("hlo dump", Status::Done, &[before, after], &[]);
    check("hlo dump/ --entry", Status::Done, &[before, after], &[]);
    check("hlo whole.hlo.gz dump", Status::Done, &[Some("whole.hlo.gz"), before, after], &[]);
    check("hlo dump none", Status::Done, &[before, after], &[]);
    // An error in one file does not prevent answers about the others.
    let cut = "expected an instruction or `}`, found the end of the text";
    check("hlo broken.hlo dump", Status::Wrong, &[before, after], &[cut]);
    check(
        "hlo none gone.hlo whole.hlo.gz",
        Status::Wrong,
        &[Some("whole.hlo.gz")],
        &["`gone.hlo` cannot be read: no such file"],
    );
}

#[test]
fn what_is_no_module() {
    check_fails("hlo none", ErrorKind::File, "there is no HLO module in `none`");
    check_fails(
        "hlo broken.hlo",
        ErrorKind::Hlo,
        "expected an instruction or `}`, found the end of the text",
    );
    check_fails("hlo dump/module_0000.f.ll", ErrorKind::Hlo, "expected HLO text, found LLVM IR");
    check_fails("hlo dump --instruction m", ErrorKind::Name, "the module has no instruction `m`");
    check_fails(
        "hlo dump --parts --check",
        ErrorKind::Usage,
        "`--parts` does not go with `--check`",
    );
    let failure = run("hlo cut.hlo.gz").err().expect("half a file");
    assert_eq!(failure.error.kind, ErrorKind::File);
    assert!(failure.error.message.starts_with("`cut.hlo.gz` cannot be read: "), "{failure:?}");
}
