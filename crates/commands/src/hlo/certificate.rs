//! `hlo --certificate`: for each map of an answer, the claim that it follows from the reads stated for the op, with a
//! certificate.
//!
//! Law: each map that follows from an op or from two maps in sequence has a line, with a certificate that has been replayed, or
//! with the reason why no certificate exists. The reads stated for an op are not claimed here; the line names the theorem about
//! them, or states that there is no such theorem.

use super::asked::Shaper;
use super::claims::Claims;
use super::options::ENTRY;
use super::places::{Place, places, with_operand};
use super::question::OfModule;
use super::subject::subject;
use crate::certificate_form::{FORMAT, Form};
use crate::custom::custom_calls;
use crate::failure::Failure;
use crate::output::{Object, Output, Role, Status, Text};
use crate::table::Call;
use crate::words::count as counted;
use affinor::certificate::{Claim, Grounds};
use affinor::expr::IndexingMap;
use affinor::text::{Error, Style, print_map};
use affinor_definition::{Theorem, theorem};
use affinor_hlo::module::{Computation, ComputationId, Instruction, Module};
use affinor_hlo::opcode::Opcode;
use affinor_ops::indexing::{
    Analysis, Derivation, Exactness, InstructionPlace, OperandMap, Reads, TuplePath,
    runs_computations,
};
use affinor_workshop::rocq;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The assumptions of the theorem about two maps in sequence.
const ONE_HAS_VALUES: Option<&str> = Some("at most one of both maps has runtime variables");

/// The counts over all lines about a module.
#[derive(Default)]
struct Found {
    certificates: usize,
    missing: usize,
    /// The number of pairs of an array of a result and an array of an operand all of whose maps have certificates, and the number
    /// of all pairs.
    pairs: [usize; 2],
}

/// Emits the lines about a module.
///
/// # Errors
/// For options that do not go together, and if the work was interrupted.
pub(super) fn run(
    call: &mut Call<'_>,
    OfModule { file, module, .. }: OfModule<'_>,
) -> Result<(), Failure> {
    let shaper = Shaper::new(call)?;
    let simplify = |map: &IndexingMap| shaper.apply(map);
    let (interrupt, table) = (call.host.interrupt(), custom_calls(call)?);
    let analysis = Analysis::new(module, &simplify).with_custom_calls(&table).ended_by(&interrupt);
    let claims = Claims::new(call.simplifier()?, call.search_options()?);
    let form = call.value(&FORMAT)?.unwrap_or(Form::Json);
    let (found, style) = (Found::default(), call.session.style);
    let theorems = BTreeMap::new();
    let mut lines = Lines { module, analysis, claims, found, theorems, style, form };
    if form == Form::Rocq {
        let head = rocq::COMPUTED_HEAD;
        call.emit(Output::new(Text::new().plain(head), Object::new().with("rocq", head)));
    }
    let asked = match call.has(ENTRY) {
        true => Vec::new(),
        false => {
            let asked = places(call, module, |instruction| !instruction.operands().is_empty())?;
            with_operand(call, module, asked)?
        }
    };
    let starts = match call.has(ENTRY) {
        true => vec![module.entry()],
        false => asked.iter().filter_map(|place| called(module, *place)).collect(),
    };
    let tell = |call: &mut Call<'_>, outputs: Result<Vec<Output>, Error>| match outputs {
        Ok(outputs) => outputs.into_iter().for_each(|output| call.emit(output)),
        Err(error) => call.report(&file.blame(error)),
    };
    // Computations precede their calls, so that a reader of the lines knows their results at each call.
    for id in callees_first(module, starts) {
        call.go_on()?;
        tell(call, lines.of_computation(id));
    }
    for place in asked {
        call.go_on()?;
        tell(call, lines.of_instruction(place));
    }
    let Found { certificates, missing, pairs: [whole, pairs] } = lines.found;
    let text = format!(
        "{}, {missing} missing; {whole} of {} with all",
        counted(certificates, "certificate"),
        counted(pairs, "pair"),
    );
    let text = if form == Form::Rocq { format!("(* {text} *)") } else { text };
    call.emit(Output { json: None, ..Output::new(Text::new().plain(text), Object::new()) });
    Ok(())
}

/// Returns the computation whose reads are the reads of a call or a fusion.
fn called(module: &Module, (computation, instruction): Place) -> Option<ComputationId> {
    let instruction = &module[computation][instruction];
    let mut targets = instruction.attributes().computations().filter_map(|x| x.target());
    targets.next().filter(|_| matches!(instruction.opcode(), Opcode::Call | Opcode::Fusion))
}

/// Returns these computations and all that they call, callees before callers.
fn callees_first(module: &Module, starts: Vec<ComputationId>) -> Vec<ComputationId> {
    let (mut ordered, mut seen) = (Vec::new(), BTreeSet::new());
    // An explicit stack: the nesting depth of a module is unbounded.
    let mut pending: Vec<(ComputationId, bool)> =
        starts.into_iter().rev().map(|id| (id, false)).collect();
    while let Some((id, is_done)) = pending.pop() {
        if is_done {
            ordered.push(id);
        } else if seen.insert(id) {
            pending.push((id, true));
            let below = module[id].instructions().filter_map(|(at, _)| called(module, (id, at)));
            pending.extend(below.map(|id| (id, false)));
        }
    }
    ordered
}

/// The derivations of the maps of a pair, or why they have no derivations.
type Steps = Result<Vec<Derivation>, Arc<str>>;

struct Lines<'a> {
    module: &'a Module,
    analysis: Analysis<'a>,
    claims: Claims,
    found: Found,
    /// The numbers of the theorems written so far, by text: maps of a module repeat.
    theorems: BTreeMap<String, usize>,
    style: Style,
    form: Form,
}

impl Lines<'_> {
    fn of_instruction(&mut self, place: Place) -> Result<Vec<Output>, Error> {
        let (computation, instruction) = place;
        let body = &self.module[computation];
        let named = &body[instruction];
        let mut outputs = Vec::new();
        for derived in self.analysis.derivations(InstructionPlace { computation, instruction })? {
            let answer = &derived.answer;
            let read = (answer.operand, &answer.operand_path);
            let head = head(body, named)
                .with("text", subject(body, named, &answer.output, read))
                .with("output", &answer.output)
                .with("operand", answer.operand)
                .with("operand_path", &answer.operand_path);
            let title = title(named, &answer.output, answer.operand, &answer.operand_path);
            let head = with_theorem(head, theorem(body, named));
            let of = (&answer.output, answer.operand, &answer.operand_path);
            let open = self.open(place, of, &derived.steps)?;
            outputs.extend(self.steps((head, title), &answer.reads, &derived.steps, open));
        }
        Ok(outputs)
    }

    /// Returns why the maps that an instruction is stated to read have no certificates themselves: it runs computations, and the
    /// maps are not results of the steps inside.
    fn open(
        &mut self,
        place: Place,
        (output, operand, path): (&TuplePath, usize, &TuplePath),
        steps: &Steps,
    ) -> Result<Option<&'static str>, Error> {
        if !runs_computations(self.module[place.0][place.1].opcode()) {
            return Ok(None);
        }
        let Some(id) = called(self.module, place) else {
            return Ok(Some(
                "the reads of a loop or a branch are derived from its computations without a certificate",
            ));
        };
        let inside = self.analysis.computation(id)?;
        let of_pair = inside.iter().filter(|entry| {
            (&entry.output, entry.operand, &entry.operand_path) == (output, operand, path)
        });
        let inside: Vec<&OperandMap> =
            of_pair.flat_map(|entry| entry.reads.maps().unwrap_or_default()).collect();
        let is_inside = |step: &Derivation| {
            let stated = step.composition.as_ref().map_or(&step.whole, |[_, second]| second);
            inside.iter().any(|map| map.map == stated.map)
        };
        Ok((!steps.iter().flatten().all(is_inside)).then_some(
            "values known at compile time are put into the maps of its computation without a certificate",
        ))
    }

    fn of_computation(&mut self, id: ComputationId) -> Result<Vec<Output>, Error> {
        let body = &self.module[id];
        let mut outputs = Vec::new();
        for derived in self.analysis.derivations_inside(id)? {
            let (user, part) = &derived.user;
            let (read, path) = (&body[derived.read.instruction], &derived.read.path);
            let head = head(body, &body[*user])
                .with("text", subject(body, &body[*user], part, (derived.operand, path)))
                .with("output", part)
                .with("operand", derived.operand)
                .with("operand_path", path)
                .with("result", &derived.output)
                .with("read", read.name());
            let head = with_theorem(head, Theorem::Stated("compose_law", ONE_HAS_VALUES));
            let title = format!(
                "{}, through `{}`",
                title(&body[body.root()], &derived.output, derived.operand, path),
                body[*user].name(),
            );
            let of = (part, derived.operand, path);
            let open = self.open((id, *user), of, &derived.steps)?;
            outputs.extend(self.steps((head, title), &derived.read.reads, &derived.steps, open));
        }
        Ok(outputs)
    }

    /// Returns a line for each step.
    fn steps(
        &mut self,
        (head, title): (Object, String),
        answer: &Reads,
        steps: &Steps,
        open: Option<&'static str>,
    ) -> Vec<Output> {
        self.found.pairs[1] += 1;
        let steps = match steps {
            Ok(steps) => steps,
            Err(reason) => return vec![self.missing(head, &title, reason)],
        };
        let mut is_whole = true;
        let mut outputs = Vec::new();
        for step in steps {
            let claim = match open {
                Some(reason) => Err(reason.to_owned()),
                None => self.claims.of(step),
            };
            let claim = claim.and_then(|claim| {
                let is_listed = |left: &OperandMap| {
                    let maps = answer.maps().unwrap_or_default();
                    maps.iter().any(|map| map.map == left.map && map.runtime == left.runtime)
                };
                match &step.left {
                    Some(left) if !is_listed(left) => Err(not_listed(answer)),
                    _ => Ok(claim),
                }
            });
            let head = head.clone();
            let head = match &step.left {
                None => head.with("map", Value::Null),
                Some(left) => exactness(head, left, self.style),
            };
            outputs.push(match claim {
                Err(reason) => {
                    is_whole = false;
                    self.missing(head, &title, &reason)
                }
                Ok(claim) if self.form == Form::Rocq => match self.theorem(&title, &claim) {
                    Ok(text) => {
                        self.found.certificates += 1;
                        let head = head.with("rocq", text.as_str());
                        Output::new(Text::new().plain(text), head)
                    }
                    Err(reason) => {
                        is_whole = false;
                        self.missing(head, &title, &reason)
                    }
                },
                Ok(claim) => {
                    self.found.certificates += 1;
                    let mut text = Text::new().plain(format!("{title}: "));
                    text.push(Role::Good, "certificate");
                    let count = claim.steps().count();
                    text.push(Role::Plain, format!(" of {}\n  ", counted(count, "step")));
                    text.push(Role::Formula, print_map(claim.last(), self.style));
                    let claim = claim.with_rules(self.claims.simplifier().rules());
                    Output::new(text, head.with("certificate", claim))
                }
            });
        }
        self.found.pairs[0] += usize::from(is_whole);
        outputs
    }

    /// Returns a claim as a theorem in a module of its own, or a reference to an earlier theorem with the same text.
    ///
    /// # Errors
    /// Why the claim cannot be written as a theorem.
    fn theorem(&mut self, title: &str, claim: &Claim) -> Result<String, String> {
        let rules = self.claims.simplifier().rules();
        if claim.replay(rules, &claim.fuel(self.claims.interrupt())) != Ok(Grounds::Steps) {
            return Err(
                "the replayer needs bounds that no step states, which the checker in Rocq may not derive".to_owned()
            );
        }
        let theorem = rocq::computed(claim, rules).map_err(|error| error.message)?;
        let number = self.found.certificates + 1;
        let title = rocq::comment(title);
        if let Some(first) = self.theorems.get(&theorem) {
            return Ok(format!("(* {title}: Answer{first} *)\n"));
        }
        self.theorems.insert(theorem.clone(), number);
        Ok(format!("(* {title} *)\nModule Answer{number}.\n{theorem}End Answer{number}.\n"))
    }

    fn missing(&mut self, head: Object, title: &str, reason: &str) -> Output {
        self.found.missing += 1;
        let mut text = Text::new().plain(format!("{title}: "));
        text.push(Role::Doubtful, "no certificate");
        text.push(Role::Plain, format!(": {reason}"));
        if self.form == Form::Rocq {
            text = Text::new().plain(format!("(* {} *)", rocq::comment(&text.to_string())));
        }
        let json = head.with("certificate", Value::Null).with("missing", reason);
        Output::new(text, json).status(Status::Undecided)
    }
}

/// Returns why the map that a step produces is not in the answer.
fn not_listed(answer: &Reads) -> String {
    let maps = answer.maps().unwrap_or_default();
    let wider = maps.iter().find_map(|map| match &map.exactness {
        Exactness::AtMost { reason } => Some(reason),
        Exactness::Exact => None,
    });
    match (answer, wider) {
        (Reads::Unknown { reason }, _) => reason.to_string(),
        (_, Some(reason)) => format!("a wider map took its place: {reason}"),
        _ => "that it is the same as another map of the answer rests on the prover".to_owned(),
    }
}

fn head(body: &Computation, instruction: &Instruction) -> Object {
    Object::new()
        .with("computation", body.name())
        .with("instruction", instruction.name())
        .with("opcode", instruction.opcode().name())
}

fn with_theorem(head: Object, theorem: Theorem) -> Object {
    match theorem {
        Theorem::Stated(name, taken) => head.with("theorem", name).with_some("taken", taken),
        Theorem::Missing(reason) => {
            head.with("theorem", Value::Null).with("theorem_reason", reason)
        }
    }
}

/// Adds the map, and whether it is exact.
fn exactness(head: Object, left: &OperandMap, style: Style) -> Object {
    let head = head.with("map", print_map(&left.map, style));
    match &left.exactness {
        Exactness::Exact => head.with("exact", true),
        Exactness::AtMost { reason } => head.with("exact", false).with("reason", &**reason),
    }
}

fn title(
    instruction: &Instruction,
    output: &TuplePath,
    operand: usize,
    path: &TuplePath,
) -> String {
    let part = |path: &TuplePath| match path.is_empty() {
        true => String::new(),
        false => format!(" {path:?}"),
    };
    format!("{}{}, operand {operand}{}", instruction.name(), part(output), part(path))
}
