//! Commands that take `MODULE INSTRUCTION` in place of a map, and `hlo --free`.

use crate::support::memory::Memory;
use affinor::text::ErrorKind;
use affinor_commands::{Argument, Arguments, Failure, Session, Status, command};
use serde_json::Value;

const PLACED: &[u8] = include_bytes!("../../../../tests/sessions/placed.hlo");

/// Two computations with an instruction of the same name; a reshape of an array without elements; a fused reshape; a copy of
/// a tuple; arrays that are split or dynamic; a bitcast to other widths.
const OTHERS: &[u8] = b"HloModule others
inside {
  a = f32[6]{0} parameter(0)
  b = f32[2,3]{1,0} reshape(a)
  ROOT same = f32[6]{0} reshape(b)
}
ENTRY e {
  a = f32[6]{0} parameter(0)
  same = f32[6]{0} negate(a)
  fused = f32[6]{0} fusion(a), kind=kLoop, calls=inside
  none = f32[0,5]{1,0} constant({})
  empty = f32[5,0]{0,1} reshape(none)
  pair = (f32[6]{0}, f32[0,5]{1,0}) tuple(a, none)
  both = (f32[6]{0}, f32[0,5]{0,1}) copy(pair)
  split = f32[6]{0:SC(0:2)} copy(a)
  dynamic = f32[<=6]{0} parameter(1)
  other = f32[<=6]{0} copy(dynamic)
  ROOT narrow = s16[6,2]{1,0} bitcast(a)
}";

fn host() -> Memory {
    let files = [("placed.hlo", PLACED), ("others.hlo", OTHERS)];
    Memory { files: files.map(|(name, bytes)| (name, bytes.to_vec())).into(), ..Memory::default() }
}

fn run(line: &str) -> (Result<Status, Failure>, Memory) {
    let mut host = host();
    (Session::new().run(line, &mut host), host)
}

/// Checks the values under `key` in the answers to `line`, in order.
#[track_caller]
fn check(line: &str, status: Status, key: &str, expected: &[&str]) {
    let (ended, host) = run(line);
    assert_eq!(ended, Ok(status), "{line}");
    assert_eq!(host.reports, [], "{line}");
    let pointer = format!("/{}", key.replace('.', "/"));
    let value = |output: &affinor_commands::Output| {
        let json = Value::Object(output.json.clone().unwrap_or_default());
        json.pointer(&pointer).map_or("-".to_owned(), Value::to_string)
    };
    let found: Vec<String> = host.outputs.iter().map(value).collect();
    assert_eq!(found, expected, "{line}: {key}");
}

#[track_caller]
fn check_fails(line: &str, kind: ErrorKind, marked: &str, hint: Option<&str>) {
    let (ended, host) = run(line);
    let failure = ended.err().or_else(|| host.reports.first().cloned());
    let failure = failure.unwrap_or_else(|| panic!("`{line}` should fail"));
    let span = failure.error.span.clone().unwrap_or(0..0);
    let found = (failure.error.kind, line.get(span), failure.error.hint.as_deref());
    assert_eq!(found, (kind, Some(marked), hint), "{line}: {}", failure.error);
    assert!(host.reports.len() < 2, "{line} has one error");
}

#[test]
fn maps_of_an_instruction() {
    let (done, undecided) = (Status::Done, Status::Undecided);
    let count = |rest: &str, status, key, expected: &[&str]| {
        check(&format!("count placed.hlo {rest}"), status, key, expected);
    };
    count("fusion.4", done, "elements.number", &["8192", "128"]);
    count("fusion.4", done, "of.name", &["\"fusion.3\"", "\"bias\""]);
    count("%fusion.4 --operand %bias", done, "reads_per_element", &["64.0"]);
    count("fusion.4 --operand 1", done, "of.operand", &["1"]);
    count("biased/sum", done, "of.computation", &["\"biased\"", "\"biased\""]);
    count("opaque.15", undecided, "of.operand", &["0"]);
    count("opaque.15", undecided, "elements", &["-"]);
    count("out", done, "of.output", &["[0]", "[1]"]);
    // Maps between positions: a tiled array is read from front to end.
    count("tiled.9 --memory", done, "points.number", &["8192"]);
    check("coalesce placed.hlo tiled.9 --preset linear", done, "transactions", &["1024"]);
    check("count others.hlo inside/same", done, "of.opcode", &["\"reshape\""]);
    check("count others.hlo e/same", done, "of.opcode", &["\"negate\""]);
    check("count others.hlo empty", done, "of.name", &["\"none\""]);
}

#[test]
fn accesses_in_the_layouts_of_the_module() {
    let check = |line: &str, key, expected: &[&str]| check(line, Status::Done, key, expected);
    check("coalesce placed.hlo fusion.3 --preset linear", "ratio", &["8.0"]);
    check("coalesce placed.hlo fusion.3 --preset transpose-read", "ratio", &["1.0"]);
    // The output is traversed in its own layout: the transpose between these two arrays moves nothing.
    check("coalesce placed.hlo transpose.7 --preset linear", "ratio", &["1.0"]);
    check("coalesce placed.hlo copy.6 --preset linear", "ratio", &["8.0"]);
    check("banks placed.hlo fusion.3 --preset linear", "ratio", &["32.0"]);
    check("tile placed.hlo fusion.4 1,32", "elements", &["32", "1"]);
    check("tile placed.hlo fusion.4 4 --operand bias --from input", "elements", &["256"]);
    // All tiles of the output are counted, including those that read the other operand.
    check("tile placed.hlo both.14 16,128", "grid.t0", &["[0,0]", "[1,4]"]);
    check("tile placed.hlo tiled.9 1024 --memory", "exact", &["true"]);
}

#[test]
fn tiles_by_name_and_by_program() {
    let check = |line: &str, key: &str, expected: &[&str]| check(line, Status::Done, key, expected);
    check("tile placed.hlo fusion.4 n,32", "sides.0.offset", &["\"t0 * n\"", "\"t0 * n\""]);
    check("tile placed.hlo fusion.4 n,m --operand 0", "basis", &["\"proved\""]);
    check("tile placed.hlo fusion.4 n,m --operand 0", "sides.1.size", &["\"m\""]);
    let pid = |line: &str, programs: &str, tiles: &[&str]| {
        check(line, "pid.programs", &[programs]);
        for (number, tile) in tiles.iter().enumerate() {
            check(line, &format!("pid.tiles.t{number}"), &[tile]);
        }
    };
    let matrix = "(d0, d1)[s0] -> (d0, s0, d1), domain: d0 in [0, 9], d1 in [0, 11], s0 in [0, 7]";
    pid(&format!("tile {matrix} ; 4,4 --pid"), "\"9\"", &["\"pid floordiv 3\"", "\"pid mod 3\""]);
    pid(
        &format!("tile {matrix} ; 4,m|k --pid"),
        "\"(11 floordiv m + 1) * 3\"",
        &["\"pid floordiv (11 floordiv m + 1)\"", "\"pid mod (11 floordiv m + 1)\""],
    );
    check(&format!("tile {matrix} ; 4,m|k --pid"), "pid.in_turn", &["[\"t2\"]"]);
    check(&format!("tile {matrix} ; 4,4|2 --pid"), "pid.in_turn", &["[\"t2\"]"]);
    // The tiles of the whole result are counted, even for a part that reads one operand.
    check(
        "tile placed.hlo both.14 16,n --operand 0 --pid",
        "pid.tiles.t0",
        &["\"pid floordiv (127 floordiv n + 1)\""],
    );
    let usage = ErrorKind::Usage;
    let help = Some("`help tile` says how it is used");
    for line in [
        "tile (d0) -> (d0), domain: d0 in [-2, 5] ; 2 --pid",
        "tile (d0) -> (d0), domain: d0 in [-2, 5] ; n --pid",
        "tile (d0) -> (d0), domain: d0 in [0, 5] --suggest --pid",
    ] {
        check_fails(line, usage, "tile", help);
    }
}

#[test]
fn bitcasts_of_the_module() {
    let check = |line: &str, status, key, expected: &[&str]| {
        check(&format!("bitcast {line}"), status, key, expected);
    };
    let (done, wrong) = (Status::Done, Status::Wrong);
    check("placed.hlo transpose.7", done, "instruction.verdict", &["\"proved\""]);
    check("placed.hlo fusion.3", wrong, "instruction.verdict", &["\"refuted\""]);
    check("placed.hlo tiled.9", done, "instruction.verdict", &["\"proved\""]);
    check("placed.hlo tiled.11", wrong, "same_extent", &["false"]);
    check("placed.hlo copy.12", wrong, "same_extent", &["false"]);
    check("placed.hlo bitcast.5", done, "ops", &["\"transpose f32[128,64] {1,0}\""]);
    check("others.hlo fused", done, "instruction.verdict", &["\"proved\""]);
    check("others.hlo narrow", done, "ops", &["-"]);
    let chain = "\"transpose f32[2,3,4] {1,2,0} | reshape -> f32[4,6] | transpose {1,0}\"";
    check("f32[2,3,4]{0,2,1} f32[6,4]{0,1}", wrong, "ops", &[chain]);
    check("f32[4]{0} f32[4]{0:S(1)}", wrong, "same_extent", &["false"]);
}

#[test]
fn what_moves_nothing() {
    let names = ["fusion.3", "bitcast.5", "copy.6", "transpose.7", "reshape.8", "tiled.9"];
    let names = [&names[..], &["tiled.11", "copy.12"]].concat();
    let names: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).chain(["-"]).collect();
    let free = |rest: &str, key, expected: &[&str]| {
        check(&format!("hlo {rest} --free"), Status::Done, key, expected);
    };
    free("placed.hlo", "instruction", &names);
    let bytes = ["32768", "0", "32768", "0", "0", "0", "32768", "32768", "131072"];
    free("placed.hlo", "bytes", &bytes);
    free("placed.hlo --instruction t", "moves", &["true", "-"]);
    free("placed.hlo --computation turned", "moving", &["-", "1"]);
    let others = |rest: &str, key, expected: &[&str]| {
        let line = format!("hlo others.hlo --free {rest}");
        check(&line, Status::Undecided, key, expected);
    };
    let names = ["fused", "empty", "both", "split", "other", "narrow"];
    let names = names.map(|name| format!("\"{name}\""));
    let names: Vec<&str> = names.iter().map(String::as_str).chain(["-"]).collect();
    others("", "instruction", &names);
    let moves = ["false", "false", "false", "null", "false", "false", "-"];
    others("", "moves", &moves);
    others("--computation e", "unknown", &["-", "-", "-", "-", "-", "-", "1"]);
}

#[test]
fn what_is_no_instruction() {
    let name = ErrorKind::Name;
    let count = "count placed.hlo";
    let near = |word: &str| format!("did you mean `{word}`?");
    let fails = |rest: &str, marked: &str, hint: Option<&str>| {
        check_fails(&format!("{count} {rest}"), name, marked, hint);
    };
    fails("fusion.33", "fusion.33", Some(&near("fusion.3")));
    fails("nothing.like.it", "nothing.like.it", None);
    fails("biased/summ", "biased/summ", None);
    fails("fusion.4 --operand bia", "bia", Some(&near("bias")));
    fails("fusion.4 --operand 2", "2", Some("operand 0 is `fusion.3`"));
    check_fails("count others.hlo same", name, "same", Some("write `inside/same`"));
    let usage = ErrorKind::Usage;
    check_fails("count placed.hlo", usage, "placed.hlo", Some("`hlo placed.hlo` lists them"));
    check_fails("count placed.hlo x", usage, "x", None);
    let path = Some("the path of a module has a dot or a slash: `./model`");
    check_fails("count (d0) -> (d0), domain: d0 in [0, 3] --operand 0", usage, "count", path);
    let layouts = Some("ask about the layouts: `bitcast FROM TO`");
    check_fails("bitcast placed.hlo fusion.4", usage, "fusion.4", layouts);
    check_fails("bitcast others.hlo split", ErrorKind::Shape, "split", None);
    let sizes = Some(
        "write the sizes of a tile as `1,32`, one for each dimension; `..,32` is 1 in each leading dimension",
    );
    check_fails("tile placed.hlo fusion.4 1,32,2", ErrorKind::Arity, "1,32,2", sizes);
    let paths = Some("paths are relative to the directory in which the program was started");
    check_fails("count ./gone x", ErrorKind::File, "./gone", paths);
    let about = "`--free` is about reshapes, transposes, copies, bitcasts, and fusions of these";
    check_fails("hlo placed.hlo --free --instruction both.14", name, "both.14", Some(about));
}

#[test]
fn words_of_a_process_say_the_same() {
    let words = ["placed.hlo", "fusion.4", "1,32"];
    let words = (1..).zip(words).map(|(number, word)| Argument::word(word, number));
    let arguments = Arguments { positional: words.collect(), options: Vec::new() };
    let mut of_words = host();
    let tile = command("tile").expect("a command");
    let ended = Session::new().call(tile, &arguments, &mut of_words);
    let (in_line, of_line) = run("tile placed.hlo fusion.4 1,32");
    assert_eq!(ended, in_line);
    assert_eq!(of_words.outputs, of_line.outputs);
}
