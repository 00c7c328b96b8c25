//! `hlo --from X --to Y`: the composed map between two instructions of a computation, in both directions.

use super::support::memory::answers_on;
use affinor::text::ErrorKind;
use affinor_commands::Failure;
use serde_json::{Value, json};

const MODULE: &str = "HloModule m
sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }
inside {
  p = f32[4,6] parameter(0)
  at = s32[] parameter(1)
  zero = f32[] constant(0)
  none = s32[] constant(0)
  flat = f32[24] reshape(p)
  back = f32[24] reverse(flat), dimensions={0}
  rows = f32[4,6] reshape(back)
  total = f32[4] reduce(rows, zero), dimensions={1}, to_apply=sum
  spread = f32[4,6] broadcast(total), dimensions={0}
  scaled = f32[4,6] divide(rows, spread)
  some = f32[2,6] dynamic-slice(scaled, at, none), dynamic_slice_sizes={2,6}
  ROOT both = (f32[2,6], f32[4]) tuple(some, total)
}
other { p = f32[4] parameter(0) ROOT neg = f32[4] negate(p) }
ENTRY e {
  x = f32[4,6] parameter(0)
  k = s32[] parameter(1)
  f = (f32[2,6], f32[4]) fusion(x, k), kind=kLoop, calls=inside
  y = f32[4] get-tuple-element(f), index=1
  ROOT z = f32[4] fusion(y), kind=kLoop, calls=other
}
";

fn ask(options: &str) -> Result<Vec<(String, Value)>, Failure> {
    answers_on(MODULE, &format!("hlo m.hlo {options}"))
}

/// Checks the lines of the answer, without the heading that names the computation.
#[track_caller]
fn check(options: &str, expected: &[&str]) {
    let said = ask(options).unwrap_or_else(|failure| panic!("{options}: {failure:?}"));
    let lines: Vec<String> = said
        .iter()
        .flat_map(|(text, _)| text.lines().map(|line| line.trim().to_owned()).collect::<Vec<_>>())
        .filter(|line| line != "inside" && line != "e" && line != "other")
        .collect();
    assert_eq!(lines, expected, "{options}");
}

#[track_caller]
fn refuse(options: &str, kind: ErrorKind, message: &str) {
    let failure = ask(options).err().unwrap_or_else(|| panic!("{options} should fail"));
    assert_eq!((failure.error.kind, failure.error.message.as_str()), (kind, message), "{options}");
}

#[test]
fn maps_lead_from_one_instruction_to_the_other() {
    check(
        "--from rows --to p",
        &["rows reads p: (d0, d1) -> (-d0 + 3, -d1 + 5), domain: d0 in [0, 3], d1 in [0, 5]"],
    );
    check(
        "--from p --to rows",
        &["from p to rows: (d0, d1) -> (-d0 + 3, -d1 + 5), domain: d0 in [0, 3], d1 in [0, 5]"],
    );
    check(
        "--from scaled --to back",
        &[
            "scaled reads back: (d0, d1) -> (d0 * 6 + d1), domain: d0 in [0, 3], d1 in [0, 5]",
            "scaled reads back: (d0, d1)[s0] -> (d0 * 6 + s0), domain: d0 in [0, 3], d1 in [0, 5], s0 in [0, 5]",
        ],
    );
    check(
        "--from total --to scaled",
        &["from total to scaled: (d0)[s0] -> (d0, s0), domain: d0 in [0, 3], s0 in [0, 5]"],
    );
    // An instruction maps to itself by the identity.
    check("--from total --to total", &["total reads total: (d0) -> (d0), domain: d0 in [0, 3]"]);
    // Two instructions of an entry computation, through the reads of a fusion.
    check("--from z --to y", &["z reads y: (d0) -> (d0), domain: d0 in [0, 3]"]);
    // Neither depends on the other.
    check("--from flat --to zero", &["flat reads zero: nothing is read"]);
}

#[test]
fn the_end_that_is_not_named_is_the_result() {
    check(
        "--from total --computation inside",
        &[
            "from total to both{0}: (d0)[s0]{rt0} -> (d0 - rt0, s0), domain: d0 in [0, 3], s0 in [0, 5], rt0 in [0, 2], d0 - rt0 in [0, 1]",
            "rt0 = at[], clamped to [0, 2]",
            "from total to both{1}: (d0) -> (d0), domain: d0 in [0, 3]",
        ],
    );
    let said = ask("--to total").expect("an answer");
    let keys = |key: &str| said.iter().map(|(_, json)| json[key].clone()).collect::<Vec<_>>();
    assert_eq!(keys("from"), ["both", "both"]);
    assert_eq!(keys("to"), ["total", "total"]);
    assert_eq!(keys("direction"), ["output-to-input", "output-to-input"]);
    assert_eq!(keys("output"), [json!([0]), json!([1])]);
}

/// Between the result and a parameter of the entry, the maps are those of `--entry`.
#[test]
fn from_the_result_to_a_parameter_it_is_the_map_of_the_computation() {
    let between = ask("--from z --to x").expect("an answer");
    let entry = ask("--entry --parameter x").expect("an answer");
    assert_eq!(between[0].1["maps"], entry[0].1["maps"]);
    assert_eq!((between.len(), entry.len()), (1, 1));
}

#[test]
fn ends_that_have_no_map_between_them() {
    let name = ErrorKind::Name;
    refuse("--from totale --to p", name, "the module has no instruction `totale`");
    refuse("--from total --to y", name, "the two instructions are in different computations");
    refuse("--to p", name, "it is in the computations `inside` and `other`");
    refuse("--to total --computation other", name, "the module has no instruction `total`");
    let usage = ErrorKind::Usage;
    refuse("--to total --entry", usage, "`--to` does not go with `--entry`");
    refuse("--from total --check", usage, "`--from` does not go with `--check`");
    refuse("--from total --tile 2", usage, "`--from` does not go with `--tile`");
    refuse("--from total --utilisation", usage, "`--from` does not go with `--utilisation`");
}
