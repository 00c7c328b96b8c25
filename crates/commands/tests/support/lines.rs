//! Lines run in a session of their own, with their answers and errors: for the tests in the files of commands, too.

use super::memory::Memory;
use affinor::text::ErrorKind;
use affinor_commands::{Failure, Place, Session};

/// A module for the commands that read one.
pub const MODEL: &[u8] = b"HloModule model
ENTRY main {
  p = f32[8,4]{1,0} parameter(0)
  ROOT transpose.3 = f32[4,8]{1,0} transpose(p), dimensions={1,0}
}";

/// A certificate for the commands that read one.
const CERTIFICATE: &[u8] = include_bytes!("../../../../tests/sessions/certificate.jsonl");

/// Returns a host with the module `model.hlo` and the certificate `certificates.jsonl`.
pub fn host() -> Memory {
    let mut host = Memory::default();
    host.files.insert("model.hlo", MODEL.to_vec());
    host.files.insert("certificates.jsonl", CERTIFICATE.to_vec());
    host
}

/// Runs the lines in one session, and returns the answers of the last line as text.
pub fn run(lines: &[&str]) -> Result<Vec<String>, Failure> {
    let (mut session, mut host) = (Session::new(), host());
    for line in lines {
        host.outputs.clear();
        session.run(line, &mut host)?;
    }
    assert_eq!(host.reports, [], "{lines:?}");
    Ok(host.outputs.iter().map(|output| output.text.to_string()).collect())
}

/// Checks the answers of the last line as text.
#[track_caller]
pub fn check(lines: &[&str], expected: &[&str]) {
    let answers = run(lines);
    let answers =
        answers.as_ref().map(|answers| Vec::from_iter(answers.iter().map(String::as_str)));
    assert_eq!(answers, Ok(expected.to_vec()));
}

/// Checks that the last line fails with an error of this kind at `marked`.
#[track_caller]
pub fn check_fails(lines: &[&str], kind: ErrorKind, marked: &str) {
    let failure = run(lines).expect_err("the last line should fail");
    let line = lines.last().copied().unwrap_or_default();
    let span = failure.error.span.clone().unwrap_or(0..0);
    let found = (failure.error.kind, line.get(span), &failure.place);
    assert_eq!(found, (kind, Some(marked), &Place::Command), "{}", failure.error);
}
