//! `hlo`: the reads of each instruction of a module from its operands.

mod accesses;
pub(super) mod asked;
mod between;
mod certificate;
mod claims;
mod corpus;
mod entry;
mod explain;
pub(super) mod files;
mod free;
mod judgement;
mod maps;
mod memory;
mod numbers;
pub(super) mod options;
pub(super) mod output;
mod overview;
mod pairs;
mod parts;
mod places;
mod question;
mod replica;
pub(super) mod stated;
mod subject;
pub(super) mod summary;
mod tile;
mod utilisation;
mod warnings;

use crate::arguments::Arguments;
use crate::certificate_form::FORMAT;
use crate::custom::CUSTOM;
use crate::failure::Failure;
use crate::instruction::OPERAND;
use crate::output::{Output, Role, Status, Text};
use crate::table::{About, Call, Command, Kind, Parameter, Switch};
use crate::text_file::TextFile;
use accesses::MOST_TOGETHER;
use affinor::text::{Error, ErrorKind};
use affinor_hlo as hlo;
use affinor_hlo::module::{InstructionId, Module};
use numbers::Numbers;
use options::{
    CERTIFICATE, CHECK, COMPUTATION, CORPUS, DIRECTION, ENTRY, EXPLAIN, FREE, FROM, INSTRUCTION,
    MEMORY, NO_SIMPLIFY, OPCODE, OUT, OUTPUT, PARAMETER, PARTS, REREAD, THREADS, TILE, TO,
    UTILISATION, VALUES,
};
use question::{OfModule, Question};
use std::collections::BTreeSet;
use std::io::ErrorKind::NotFound;

pub const HLO: Command = Command {
    name: "hlo",
    parameters: &[Parameter::optional("FILE...", Kind::Files)],
    options: &[
        COMPUTATION.switch,
        INSTRUCTION.switch,
        OPCODE.switch,
        OPERAND.switch,
        CHECK.switch,
        CERTIFICATE.switch,
        FORMAT.needing(&[CERTIFICATE.switch]).switch,
        DIRECTION.switch,
        EXPLAIN.switch,
        ENTRY.switch,
        OUTPUT.switch,
        PARAMETER.switch,
        FROM.switch,
        TO.switch,
        PARTS.switch,
        MEMORY.switch,
        VALUES.switch,
        UTILISATION.switch,
        REREAD.switch,
        TILE.switch,
        FREE.switch,
        CUSTOM.switch,
        NO_SIMPLIFY.switch,
        THREADS.switch,
        CORPUS.switch,
        OUT.switch,
    ],
    summary: "derive the index maps of an HLO module, from output to operands or from operands to output",
    details: "FILE is a module as XLA prints it, or a snippet of instructions, also compressed by gzip; for a directory, as\n\
              --xla_dump_to writes it, the modules are taken in the order of the passes. Among several modules, those\n\
              without the named instruction or computation are skipped. The answer for each instruction is, per operand, a union of maps from an element of the output to the elements of the operand that it reads.\n\
              A map is exact unless a reason is given why it may be too large; an unsupported operation\n\
              answers \"unknown\" with the reason. Each map is a numbered answer: `_` is the last of them, and\n\
              `let f = hlo FILE --instruction NAME --operand 0` names a single one. NAME may also be words of names: `transpose` asks for\n\
              `loop_transpose_fusion` if no instruction has that name. With --direction input-to-output the maps are from an element of an\n\
              operand to the elements of the output that read it. Beside the map of a collective is its replica map, to the\n\
              number of a device in the reader's group. --check proves the maps against an independent\n\
              definition of the operation, or refutes them with an element; with --entry\n\
              it checks the composed maps against the composed definitions. Through collectives, --entry says below each map on\n\
              which device the parameter is read; --check is then about elements, on whichever device. Below the answers about a module is how many\n\
              instructions have exact maps, with the most frequent reasons why others have not. On a terminal, an answer that\n\
              does not fit on the screen begins with these counts, a line for each computation; at the prompt the maps follow,\n\
              a screenful at a time.\n\
              --values answers another question: which elements a value can depend on. By its definition a `select` reads both\n\
              operands; where its predicate is known before run time (a mask of iotas and constants), only the chosen one matters.\n\
              An unknown predicate chooses nothing, and a product with a mask of zeros needs both factors: 0 * inf is not 0.\n\
              --from and --to compose the maps between two instructions of a computation, of a fusion's, too: from an element of\n\
              the one to those of the other that it reads, or that read it.\n\
              \n\
              --certificate has a line for each map: that it follows from the stated map of the op, with the rule\n\
              instances for `replay` (with --json), or why there is no certificate, and the theorem about the op. Lines with\n\
              `read` are about two maps in sequence inside a computation; --entry has those of the entry computation.\n\
              --certificate --format rocq writes a file in which Rocq's kernel computes that the checker of `rules export --format rocq`\n\
              accepts each of them; missing ones are comments there.\n\
              --free decides for each reshape, transpose, copy and bitcast outside fusions, and for each fusion of these, whether\n\
              every element is already at its position in the layouts of the module. If not, it counts the bytes of the array\n\
              that is written, including padding. A copy that moves nothing may still be needed to have the array twice.\n\
              \n\
              The reads of custom-calls are known for targets of XLA and its libraries. --custom adds others, as\n\
              \"my_kernel\":\n\
              \x20 {0} reads 1: affine_map<(d0, d1)[s0] -> (d0, s0)>\n\
              part 0 of the result, operand 1; `may read` for an upper bound; a pair without a line is not read.\n\
              \n\
              --corpus does not print maps. For each module of a directory it writes a JSON line to --out: its counts,\n\
              errors and warnings, and in \"ns\" the CPU time to read it and to derive its maps. Modules that have a line\n\
              are skipped, so a run that was stopped can be continued. The finished file has the order of the modules; only\n\
              \"ns\" differs from run to run.",
    example: &[
        "hlo model.hlo --from transpose.3 --to p",
        "hlo model.hlo --instruction transpose.3",
    ],
    makes_map: true,
    keys: r##"
    "text": { "description": "Of `hlo --certificate`: the shape of the part of the result, the opcode, the operand with the shape of its part, and the attributes but `metadata`; `replay --of` compares it with the module.", "type": "string" },
    "theorem": { "description": "Of `hlo --certificate`: the theorem in docs/theorems.md about the reads of the op; null with `theorem_reason`.", "type": ["string", "null"] },
    "theorem_reason": { "description": "Of `hlo --certificate`: why there is no theorem.", "type": "string" },
    "taken": { "description": "Of `hlo --certificate`: the assumptions of the theorem.", "type": "string" },
    "read": { "description": "Of `hlo --certificate`, about two maps in sequence inside a computation: the operand that is read. `result` is the part of the computation's result that reads it.", "type": "string" },
    "from": { "description": "Of `hlo --from --to`: the instruction that the map leads from.", "type": "string" },
    "to": { "description": "Of `hlo --from --to`: the instruction that the map leads to.", "type": "string" }"##,
    run,
};

/// The endings of the names of module files.
const MODULES: [&str; 7] = [".hlo", ".txt", ".gz", ".mlir", ".pb", ".pbtxt", ".json"];

fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    let mut numbers = Numbers::begin(call.session);
    if let Some(directory) = call.text_of(&CORPUS).cloned() {
        return corpus::run(call, &directory);
    }
    if call.has(&OUT) {
        return Err(call.wrong_usage("`--out` goes with `--corpus`"));
    }
    if let Some(arguments) = with_instructions(call) {
        let mut inner = Call {
            arguments: &arguments,
            notices: Default::default(),
            session: &mut *call.session,
            host: &mut *call.host,
            place: call.place.clone(),
            about: None,
            ..*call
        };
        let result = inner.check_options().and_then(|()| run(&mut inner));
        call.status = inner.status;
        return result;
    }
    let files = files::files(call)?;
    if let ([file], 1) = (&files[..], call.arguments.positional.len()) {
        let file = file.read(call)?.ok_or_else(|| files::no_module(call))?;
        return of_file(call, &file, &mut numbers);
    }
    let (mut is_answered, mut missing) = (false, None);
    for file in files {
        call.go_on()?;
        let result = file.read(call).and_then(|file| match file {
            Some(file) => {
                call.about = Some(About::new(file.name()));
                of_file(call, &file, &mut numbers).map(|()| true)
            }
            None => Ok(false),
        });
        match result {
            Ok(answered) => is_answered |= answered,
            Err(failure) if failure.error.kind == ErrorKind::Name => {
                missing.get_or_insert(failure);
            }
            Err(failure) if failure.ends_the_command() => return Err(failure),
            Err(failure) => {
                is_answered = true;
                call.report(&failure);
            }
        }
    }
    match is_answered {
        true => Ok(()),
        false => Err(missing.unwrap_or_else(|| files::no_module(call))),
    }
}

/// Returns the arguments with each word after the first file that is not a file turned into `--instruction WORD`; `None` if all
/// of them may be files.
fn with_instructions(call: &mut Call<'_>) -> Option<Arguments> {
    let is_path = |text: &str| {
        let mut endings = MODULES.iter();
        text.contains(['/', '\\']) || endings.any(|ending| text.ends_with(ending))
    };
    let is_missing = |call: &mut Call<'_>, text: &str| {
        let is_directory = matches!(call.host.files_in(text), Ok(Some(_)));
        !is_directory && call.host.open(text).is_err_and(|error| error.kind() == NotFound)
    };
    let (first, others) = call.arguments.positional.split_first()?;
    let mut arguments =
        Arguments { positional: vec![first.clone()], options: call.arguments.options.clone() };
    for other in others {
        match !is_path(&other.text) && is_missing(call, &other.text) {
            true => arguments.options.push((INSTRUCTION.switch.name, Some(other.clone()))),
            false => arguments.positional.push(other.clone()),
        }
    }
    (arguments.positional.len() <= others.len()).then_some(arguments)
}

/// Answers about HLO that was typed.
///
/// # Errors
/// The errors of [`hlo::read`].
pub fn of_text(call: &mut Call<'_>, text: &str) -> Result<(), Failure> {
    let file = TextFile::typed(text);
    let mut numbers = Numbers::begin(call.session);
    of_file(call, &file, &mut numbers)?;
    let Ok(module) = affinor_mlir::read(&file.bytes) else { return Ok(()) };
    accesses::see(call, &module)?;
    if !is_chain(text, &module) {
        return Ok(());
    }
    let computation = &module[module.entry()];
    let root = computation[computation.root()].name();
    let text = Text::of(Role::Faint, format!("together, from {root} to the parameters"));
    let (json, status) = (None, Status::Done);
    call.emit(Output { text, json, status, is_echo: false, number: None });
    entry::run(call, OfModule { file: &file, module: &module, numbers: &mut numbers })
}

/// Returns whether typed text is one computation with a known root, or one op, of several instructions in sequence, so that a
/// reader also wants to know what the result reads of the parameters.
fn is_chain(text: &str, module: &Module) -> bool {
    let computation = &module[module.entry()];
    let is_op = |id: &InstructionId| computation[*id].parameter_number().is_none();
    let ops = computation.instructions().filter(|(id, _)| is_op(id)).count();
    let root = &computation[computation.root()];
    let is_one = module.computations().count() == 1;
    // An op that no other one uses is a result, too.
    let used: BTreeSet<InstructionId> =
        computation.instructions().flat_map(|(_, one)| one.operands().iter().copied()).collect();
    let is_used = |id: &InstructionId| used.contains(id) || *id == computation.root();
    let ids = computation.instructions().map(|(id, _)| id);
    let all_used = ids.filter(is_op).all(|id| is_used(&id));
    let has_root = text.contains("ROOT ") || !text.trim().contains('\n') || all_used;
    is_one && has_root && (2..=MOST_TOGETHER).contains(&ops) && root.operands().iter().any(is_op)
}

/// Answers about one module, below the name of its file if there are several.
fn of_file(call: &mut Call<'_>, file: &TextFile, numbers: &mut Numbers) -> Result<(), Failure> {
    let module = match affinor_mlir::read(&file.bytes) {
        Ok(module) => module,
        Err(error) => {
            let whole = without_cut_line(file, &error).filter(|_| !call.has(ENTRY));
            let failure = file.blame(error);
            let Some(module) = whole else {
                return Err(failure);
            };
            // The text is truncated: the part before the end is a module as well.
            call.report(&failure.hint("the text ends here; the part above is answered"));
            module
        }
    };
    of_module(call, OfModule { file, module: &module, numbers })
}

/// Runs `hlo` on a module that has been read already. The call is one of [`HLO`].
///
/// # Errors
/// For options that do not go together, and if the work was interrupted.
pub(super) fn answer(call: &mut Call<'_>, file: &TextFile, module: &Module) -> Result<(), Failure> {
    let mut numbers = Numbers::begin(call.session);
    of_module(call, OfModule { file, module, numbers: &mut numbers })
}

/// The questions about a module, each with the option that asks it; without any of them, the maps of the instructions are asked
/// for.
const QUESTIONS: [(Switch, Question); 8] = [
    (FREE.switch, free::run),
    (CERTIFICATE.switch, certificate::run),
    (PARTS.switch, parts::run),
    (UTILISATION.switch, utilisation::run),
    (TILE.switch, tile::run),
    (ENTRY.switch, entry::run),
    (FROM.switch, between::run),
    (TO.switch, between::run),
];

fn of_module(call: &mut Call<'_>, given: OfModule<'_>) -> Result<(), Failure> {
    let mut asked = QUESTIONS.iter().filter(|(option, _)| call.arguments.has(option.name));
    let run = asked.next().map_or(maps::run as Question, |(_, run)| *run);
    run(call, given)
}

/// Returns the module of a text that is truncated in its entry computation, up to the last complete instruction: `error` is about
/// the last line. The root instruction is then unknown.
fn without_cut_line(file: &TextFile, error: &Error) -> Option<Module> {
    let text = std::str::from_utf8(&file.bytes).ok()?.trim_end();
    let (above, last) = text.rsplit_once('\n')?;
    let is_at_end = error.span.as_ref().is_some_and(|span| span.start > above.len());
    // If another computation were truncated, its callers would be answered with a wrong root.
    let mut heads = above.lines().rev().filter(|line| line.trim_end().ends_with('{'));
    let is_entry = heads.next().is_some_and(|line| line.starts_with("ENTRY"));
    if !is_at_end || !is_entry || last.starts_with('}') {
        return None;
    }
    let mut ends = [text, above].into_iter();
    ends.find_map(|text| hlo::read(format!("{text}\n}}\n").as_bytes()).ok())
}
