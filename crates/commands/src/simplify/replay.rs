//! `replay`: checks whether certificates are valid.

use super::batch::each_line;
use crate::arguments::Argument;
use crate::certificate_form::{FORMAT, Form};
use crate::failure::{Failure, Place, Source, stopped};
use crate::hlo::stated::{Head, Stated};
use crate::option::{Setting, text};
use crate::output::{Object, Output, Role, Status, Text};
use crate::table::{Call, Command, Kind, Parameter};
use crate::text_file::TextFile;
use crate::words::count as counted;
use crate::words::nanoseconds;
use affinor::certificate::{Claim, Grounds, Rejection, RejectionKind, read_line};
use affinor::expr::IndexingMap;
use affinor::text::{Error, ErrorKind, Style, print_map};
use affinor_ops::indexing::Analysis;
use affinor_workshop::rocq;
use serde::Deserialize;
use serde_json::Value;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

const OF: Setting<Argument> =
    Setting::new("of", "MODULE", "check that the claims are about this module, too", text);

pub const REPLAY: Command = Command {
    name: "replay",
    parameters: &[Parameter::required("FILE", Kind::File)],
    options: &[FORMAT.switch, OF.switch],
    summary: "check certificates, one per line (`-` is standard input), without the simplifier or a solver",
    details: "A line is the output of `simplify --certificate --json` or `simplify --jsonl FILE --certificate`. The answer is\n\
              valid (the steps show that both maps are the same function), rejected (with the first step that fails and\n\
              why), or not checked (the replay ran out of its budget, which is proportional to the size of the certificate), or missing\n\
              (the line says why `hlo --certificate` has none). The validity of some also rests on bounds that follow from several\n\
              constraints and are not among the steps: other checkers, such as affinor-check, may reject these. The answer also has\n\
              the number of bits, with a sign, in which every integer of a step fits, in any order of its sums, at all points within\n\
              the bounds of the variables.\n\
              --of MODULE also checks that the claims of `hlo --certificate` are about this module: that each begins with the map\n\
              of one of its ops, and has the text of this op (`text`). It counts the maps of ops, and the pairs of maps in\n\
              sequence, that have no claim.\n\
              --format rocq checks nothing: it writes a file in which Rocq's kernel checks each of them.",
    example: &["replay certificates.jsonl", "replay --format rocq certificates.jsonl"],
    makes_map: false,
    keys: r##"
    "derived": { "description": "Of `replay`: its validity also rests on bounds that follow from several constraints and are not among its steps; other checkers may reject it.", "const": true },
    "unclaimed": { "description": "Of `replay --of`: how many maps that the ops of the module are stated to read have no claim; `unclaimed_sequences`, how many sequences of two maps inside computations.", "type": "integer" },
    "unclaimed_sequences": { "type": "integer" }"##,
    run,
};

fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    let file = call.argument(0)?.clone();
    let simplifier = call.simplifier()?;
    let rules = simplifier.rules();
    let read = |line: &str| read_line(line, rules);
    let (style, clock) = (call.session.style, call.host.cpu_clock());
    let interrupt = call.host.interrupt();
    if call.value(&FORMAT)? == Some(Form::Rocq) {
        call.emit(Output::new(
            Text::new().plain(rocq::HEAD),
            Object::new().with("rocq", rocq::HEAD),
        ));
        let number = AtomicUsize::new(1);
        let theorem = |line: &str| {
            let (id, certificate) = read(line);
            let theorem = certificate.and_then(|claim| rocq::theorem_of_claim(&claim, rules));
            (id, theorem)
        };
        let read = each_line(call, &file, 1, theorem, |id, theorem| {
            let name = format!("Answer{}", number.fetch_add(1, Ordering::Relaxed));
            let text = format!("Module {name}.\n{theorem}End {name}.\n");
            let json = Object::new().with("id", id).with("rocq", text.as_str());
            Ok(Output::new(Text::new().plain(text), json))
        })?;
        return check_some(&file, read);
    }
    let module = match call.text_of(&OF).cloned() {
        None => None,
        Some(path) => {
            let file = TextFile::read(call, &path)?;
            Some(affinor_mlir::read(&file.bytes).map_err(|error| file.blame(error))?)
        }
    };
    let simplify = |map: &IndexingMap| map.clone();
    let analysis = module.as_ref().map(|module| (module, Analysis::new(module, &simplify)));
    let stated = analysis.map(|(module, analysis)| {
        Mutex::new(Stated::of(module, analysis.ended_by(&call.host.interrupt())))
    });
    let read = |line: &str| match serde_json::from_str::<Missing>(line) {
        Ok(missing) => {
            let head = serde_json::from_str::<Head>(line).ok();
            (missing.id, Ok(Line::Missing(missing.missing, head)))
        }
        Err(_) => {
            let (id, claim) = read(line);
            let head = serde_json::from_str::<Head>(line).ok();
            (id, claim.map(|claim| Line::Claim(Box::new(claim), head)))
        }
    };
    let read = each_line(call, &file, 1, read, |id, line| {
        let (claim, head) = match line {
            Line::Missing(reason, head) => {
                if let (Some(stated), Some(head)) = (&stated, &head) {
                    locked(stated).assume(head);
                }
                return Ok(missing(id, &reason));
            }
            Line::Claim(claim, head) => (claim, head),
        };
        let start = clock();
        let mut verdict = claim.replay(rules, &claim.fuel(&interrupt));
        if let (Ok(grounds), Some(stated)) = (&verdict, &stated) {
            verdict = of_module(stated, head.as_ref(), &claim).map(|()| *grounds);
        }
        if interrupt.is_triggered() {
            return Err(stopped());
        }
        let elapsed = clock().saturating_sub(start);
        let bits = claim.bits(rules);
        Ok(answer(style, id, nanoseconds(elapsed), &claim, bits, &verdict))
    })?;
    if let Some(stated) = &stated {
        let [maps, sequences] = locked(stated).unclaimed();
        if maps + sequences > 0 {
            let (of_maps, of_two) = (counted(maps, "map"), counted(sequences, "sequence"));
            let words =
                format!("without a claim: {of_maps}; {of_two} of two maps inside computations");
            let json = Object::new().with("unclaimed", maps).with("unclaimed_sequences", sequences);
            let output = Output::new(Text::of(Role::Doubtful, words), json);
            call.emit(output.status(Status::Undecided));
        }
    }
    check_some(&file, read)
}

/// Checks that a claim is about the module.
fn of_module(
    stated: &Mutex<Stated<'_>>,
    head: Option<&Head>,
    claim: &Claim,
) -> Result<(), Rejection> {
    let checked = match head {
        None => Err("it does not say which instruction it is about".to_owned()),
        Some(head) => locked(stated).check(head, claim),
    };
    let kind = RejectionKind::Module;
    checked.map_err(|message| Rejection { step: None, rule: None, kind, message })
}

/// Takes the lock. If it was poisoned by a panic, the claims recorded until then are kept.
fn locked<'m, 'a>(stated: &'m Mutex<Stated<'a>>) -> MutexGuard<'m, Stated<'a>> {
    stated.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The statement to check.
enum Line {
    Claim(Box<Claim>, Option<Head>),
    /// No claim, for this reason.
    Missing(String, Option<Head>),
}

/// A line with the reason why there is no certificate.
#[derive(Deserialize)]
struct Missing {
    #[serde(default)]
    id: Value,
    #[serde(rename = "certificate")]
    _certificate: (),
    missing: String,
}

fn missing(id: Value, reason: &str) -> Output {
    let text = Text::of(Role::Doubtful, "missing").plain(format!(": {reason}"));
    let json = Object::new().with("id", id).with("verdict", "missing").with("missing", reason);
    Output::new(text, json).status(Status::Undecided)
}

/// Rejects a file without a certificate: an empty check must not succeed.
fn check_some(file: &Argument, read: usize) -> Result<(), Failure> {
    if read > 0 {
        return Ok(());
    }
    let source = Source { name: file.text.clone(), text: "".into(), first_line: 1 };
    let message = "expected a certificate, found the end of the file";
    let error = Error::new(ErrorKind::Encoding, 0..0, message);
    let error = error.hint("write them with `simplify --certificate --json`, one a line");
    Err(Failure::new(error, Place::Source(Box::new(source))))
}

fn answer(
    style: Style,
    id: Value,
    ns: u64,
    claim: &Claim,
    bits: Option<u32>,
    verdict: &Result<Grounds, Rejection>,
) -> Output {
    let before = print_map(&claim.certificate.before, style);
    let after = print_map(claim.last(), style);
    let count = claim.steps().count();
    let json = Object::new().with("id", id);
    let (json, mut text, status) = match verdict {
        Ok(grounds) => {
            let is_derived = *grounds == Grounds::DerivedBounds;
            let derived = if is_derived { ", and bounds that they do not say" } else { "" };
            let steps = format!(": {}{derived}", counted(count, "step"));
            let mut text = Text::of(Role::Good, "valid").plain(steps);
            if let Some(bits) = bits {
                text.push(Role::Plain, format!(", in {bits} bits"));
            }
            let json = json.with("verdict", "valid").with("steps", count).with("bits", bits);
            (json.with_some("derived", is_derived.then_some(true)), text, Status::Done)
        }
        Err(rejection) if rejection.kind == RejectionKind::Stopped => {
            let text = Text::of(Role::Doubtful, "not checked").plain(format!(": {rejection}"));
            let json = json.with("verdict", "unknown").with("steps", count);
            let json = json.with("reason", rejection);
            (json, text, Status::Undecided)
        }
        Err(rejection) => {
            let text = Text::of(Role::Bad, "rejected").plain(format!(": {rejection}"));
            let json = json.with("verdict", "rejected").with("steps", count);
            let json = json.with("reason", rejection);
            (json, text, Status::Wrong)
        }
    };
    let parts = claim.composition.iter().flatten().map(|part| print_map(part, style));
    let equal = claim.equal.as_ref().map(|other| print_map(other.map(), style));
    for line in parts.chain([before.clone(), after.clone()]).chain(equal.clone()) {
        text.push(Role::Formula, format!("\n  {line}"));
    }
    let json = json.with("ns", ns).with("before", before).with("after", after);
    let json = json.with_some("equal", equal);
    Output::new(text, json).status(status)
}
