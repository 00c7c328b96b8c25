//! `replay`: are certificates valid?

use super::batch::error_output;
use super::certificate::read_certificate;
use super::failure::Failure;
use super::lines::{Line, Lines, file_error};
use super::output::{Object, Output, Role, Status, Text};
use super::session::Call;
use super::table::{Command, Kind, Parameter};
use crate::certificate::{Certificate, Rejection, replay};
use crate::render;
use crate::syntax::print_map;
use serde_json::Value;

/// `replay`
pub const REPLAY: Command = Command {
    name: "replay",
    parameters: &[Parameter {
        name: "FILE",
        kind: Kind::File,
        required: true,
    }],
    options: &[],
    summary: "checks certificates, one a line (`-` is standard input), without the simplifier or a solver",
    details: "A line is what `simplify --certificate --json` or `simplify --jsonl FILE --certificate` writes. The\n\
              answer is valid (the steps show that both maps are the same function), or rejected with the first\n\
              step that does not hold and the reason.",
    example: &["replay certificates.jsonl"],
    makes_map: false,
    run,
};

fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    let file = call.argument(0)?.clone();
    let path = file.text.as_str();
    let unreadable = |error: &std::io::Error| file.blame(file_error(path, error));
    let reader = call.host.open(path).map_err(|error| unreadable(&error))?;
    let simplifier = call.simplifier()?;
    let mut lines = Lines::new(reader);
    let mut number = 0;
    while let Some(line) = lines.next_line().map_err(|error| unreadable(&error))? {
        if call.host.interrupt().is_triggered() {
            return Err(call.interrupted());
        }
        number += 1;
        let (text, id, certificate) = match line {
            Line::Text(text) if text.trim().is_empty() => continue,
            Line::Text(text) => {
                let (id, certificate) = read_certificate(&text, simplifier.rules());
                (text, id, certificate)
            }
            Line::Wrong(error, shown) => (shown, Value::Null, Err(error)),
        };
        let output = match certificate {
            Ok(certificate) => {
                let start = call.host.cpu_time();
                let verdict = replay(&certificate, simplifier.rules());
                let elapsed = call.host.cpu_time().saturating_sub(start);
                let ns = u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX);
                answer(call, id, ns, &certificate, &verdict)
            }
            Err(error) => {
                let source = render::Source {
                    name: path,
                    text: &text,
                    first_line: number,
                };
                error_output(id, &error, &source)
            }
        };
        call.emit(output);
    }
    Ok(())
}

fn answer(
    call: &Call<'_>,
    id: Value,
    ns: u64,
    certificate: &Certificate,
    verdict: &Result<(), Rejection>,
) -> Output {
    let style = call.session.style;
    let (before, after) = (
        print_map(&certificate.before, style),
        print_map(&certificate.after, style),
    );
    let count = certificate.steps().count();
    let json = Object::new().with("id", id);
    let (json, mut text, status) = match verdict {
        Ok(()) => {
            let text = Text::of(Role::Good, "valid").plain(format!(": {}", steps(count)));
            let json = json.with("verdict", "valid").with("steps", count);
            (json, text, Status::Done)
        }
        Err(rejection) => {
            let text = Text::of(Role::Bad, "rejected").plain(format!(": {rejection}"));
            let json = json.with("verdict", "rejected").with("steps", count);
            let json = json.with("reason", rejection_object(rejection));
            (json, text, Status::Wrong)
        }
    };
    text.push(Role::Formula, format!("\n  {before}\n  {after}"));
    let json = json
        .with("ns", ns)
        .with("before", before)
        .with("after", after);
    Output::new(text, json).status(status)
}

/// `5 steps`
#[must_use]
pub fn steps(count: usize) -> String {
    match count {
        1 => "1 step".to_owned(),
        count => format!("{count} steps"),
    }
}

/// `{"step": 3, "rule": "div-block", "kind": "condition", "message": ".."}`
#[must_use]
pub fn rejection_object(rejection: &Rejection) -> Object {
    Object::nested()
        .with_some("step", rejection.step)
        .with_some("rule", rejection.rule.clone())
        .with("kind", rejection.kind.code())
        .with("message", rejection.message.as_str())
}
