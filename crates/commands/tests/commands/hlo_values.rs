//! `hlo --values`: the elements that a value can depend on, as text and as JSON.

use super::support::memory::answers_on;
use affinor::text::ErrorKind;
use affinor_commands::Failure;
use serde_json::Value;

const MODULE: &str = "HloModule m
where { m = pred[4,4] parameter(0) x = f32[4,4] parameter(1) y = f32[4,4] parameter(2) ROOT c = f32[4,4] select(m, x, y) }
inside { x = f32[4,4] parameter(0) m = pred[4,4] parameter(1) ROOT n = f32[4,4] call(m, x, x), to_apply=where }
ENTRY e {
  x = f32[4,4] parameter(0)
  y = f32[4,4] parameter(1)
  given = pred[4,4] parameter(2)
  row = s32[4,4] iota(), iota_dimension=0
  column = s32[4,4] iota(), iota_dimension=1
  lower = pred[4,4] compare(row, column), direction=GE
  masked = f32[4,4] call(lower, x, y), to_apply=where
  all = f32[4,4] call(given, x, y), to_apply=where
  fused = f32[4,4] fusion(x, lower), kind=kLoop, calls=inside
  turned = f32[4,4] transpose(masked), dimensions={1,0}
  ROOT both = (f32[4,4], f32[4,4]) tuple(turned, all)
}
";

fn ask(options: &str) -> Result<Vec<(String, Value)>, Failure> {
    answers_on(MODULE, &format!("hlo m.hlo {options}"))
}

#[track_caller]
fn check(options: &str, expected: &[&str]) {
    let said = ask(options).unwrap_or_else(|failure| panic!("{options}: {failure:?}"));
    let lines = said.iter().flat_map(|(text, _)| text.lines().map(str::trim).collect::<Vec<_>>());
    let lines: Vec<&str> = lines.filter(|line| line.contains(": ")).collect();
    assert_eq!(lines, expected, "{options}");
}

#[track_caller]
fn refuse(options: &str, message: &str) {
    let failure = ask(options).err().unwrap_or_else(|| panic!("{options} should fail"));
    let found = (failure.error.kind, failure.error.message.as_str());
    assert_eq!(found, (ErrorKind::Usage, message), "{options}");
}

const ALL: &str = "(d0, d1) -> (d0, d1), domain: d0 in [0, 3], d1 in [0, 3]";
const LOWER: &str = "(d0, d1) -> (d0, d1), domain: d0 in [0, 3], d1 in [0, 3], d0 - d1 in [0, 3]";
const UPPER: &str = "(d0, d1) -> (d0, d1), domain: d0 in [0, 3], d1 in [0, 3], d0 - d1 in [-3, -1]";

#[test]
fn the_operand_that_is_chosen_matters() {
    check(
        "--instruction masked --values",
        &[
            &format!("depends on lower: {ALL}"),
            &format!("depends on x: {LOWER}"),
            &format!("depends on y: {UPPER}"),
        ],
    );
    // Both operands of this select are one array.
    check(
        "--instruction fused --operand x --values",
        &[&format!("depends on x: {LOWER}"), &format!("depends on x: {UPPER}")],
    );
    check(
        "--entry --parameter x --values",
        &[
            "{0} depends on x: (d0, d1) -> (d1, d0), domain: d0 in [0, 3], d1 in [0, 3], d0 - d1 in [-3, 0]",
            &format!("{{1}} depends on x: {ALL}"),
        ],
    );
    check(
        "--entry --parameter y --output 0 --values --direction input-to-output",
        &[
            "from y to its dependents in {0}: (d0, d1) -> (d1, d0), domain: d0 in [0, 3], d1 in [0, 3], d0 - d1 in [-3, -1]",
        ],
    );
    check("--from masked --to y --values", &[&format!("masked depends on y: {UPPER}")]);
    check(
        "--from y --to masked --values",
        &[&format!("from y to its dependents in masked: {UPPER}")],
    );
    check("--from row --to x --values", &["row depends on x: nothing"]);
}

#[test]
fn by_definition_and_of_an_unknown_predicate_both_are_read() {
    check(
        "--instruction masked",
        &[&format!("lower: {ALL}"), &format!("x: {ALL}"), &format!("y: {ALL}")],
    );
    check(
        "--instruction all --values",
        &[
            &format!("depends on given: {ALL}"),
            &format!("depends on x: {ALL}"),
            &format!("depends on y: {ALL}"),
        ],
    );
    // Without its caller, the mask is unknown.
    check(
        "--instruction n --values",
        &[
            &format!("depends on m: {ALL}"),
            &format!("depends on x: {ALL}"),
            &format!("depends on x: {ALL}"),
        ],
    );
    check("--from c --to y --values", &[&format!("c depends on y: {ALL}")]);
    check("--from row --to x", &["row reads x: nothing is read"]);
}

#[test]
fn json_names_the_relation() {
    for (options, named) in [
        ("--instruction masked", false),
        ("--entry", false),
        ("--from masked --to x", false),
        ("--instruction masked --values", true),
        ("--entry --values", true),
        ("--from masked --to x --values", true),
        ("--from row --to x --values", true),
    ] {
        for (_, json) in ask(options).expect(options) {
            let relation = json.get("relation").and_then(Value::as_str);
            assert_eq!(relation, named.then_some("depends-on"), "{options}: {json}");
        }
    }
}

#[test]
fn other_questions_do_not_go_with_it() {
    for other in ["check", "certificate", "explain", "utilisation"] {
        refuse(&format!("--values --{other}"), &format!("`--values` does not go with `--{other}`"));
    }
    refuse("--values --tile 1,1", "`--values` does not go with `--tile`");
    refuse("--values --free", "`--free` does not go with `--values`");
    refuse("--values --parts", "`--parts` does not go with `--values`");
}
