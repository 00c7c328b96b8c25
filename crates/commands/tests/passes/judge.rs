//! Verdicts of `diff --entry` on two programs, compared with the results of running them.

use super::maker::{Middle, Version, program};
use super::program::Body;
use super::random::Random;
use super::run::{Value, count, place, run};
use super::support::memory::Memory;
use affinor_commands::Session;
use serde_json::Value as Json;

/// Maximum number of inputs on which two programs are run.
const INPUTS: u64 = 12;

/// The result of one comparison.
pub struct Found {
    pub twin: &'static str,
    pub verdict: String,
    /// Both programs and the answer, if it is wrong.
    pub wrong: Option<String>,
}

/// Compares a program with the output of a pass, and with that of a faulty pass.
pub fn judged(middle: Middle, seed: u64) -> Vec<Found> {
    let [before, after, mistaken] = [Version::Before, Version::After, Version::Mistaken]
        .map(|version| program(middle, seed, version));
    let differ = |other: &Body| {
        (0..INPUTS).any(|turn| {
            let inputs = inputs(&before, &mut Random::new(seed * INPUTS + turn));
            run(&before, &inputs) != run(other, &inputs)
        })
    };
    assert!(!differ(&after), "the pass is wrong: {}{}", before.text(), after.text());
    let mut found = vec![compared("right", &before, &after, seed)];
    // Some mistakes change nothing, such as in the maximum of an array and itself.
    if differ(&mistaken) {
        found.push(compared("wrong", &before, &mistaken, seed));
    }
    found
}

fn compared(twin: &'static str, old: &Body, new: &Body, seed: u64) -> Found {
    let files = [("old.hlo", old.text().into_bytes()), ("new.hlo", new.text().into_bytes())];
    let mut host = Memory { files: files.into(), ..Memory::default() };
    let ran = Session::new().run("diff old.hlo new.hlo --entry", &mut host);
    ran.unwrap_or_else(|failure| panic!("{}{}{}", old.text(), new.text(), failure.error.message));
    let answers: Vec<Json> =
        host.outputs.iter().filter_map(|output| output.json.clone().map(Json::Object)).collect();
    let is_right = twin == "right";
    let changes: Vec<&Json> =
        answers.iter().filter(|answer| answer.get("change").is_some()).collect();
    let has = |kind: &str| changes.iter().any(|answer| answer["change"] == kind);
    let (verdict, is_false) = if has("changed") {
        let mut points = changes.iter().filter(|answer| answer.get("counterexample").is_some());
        let all = points.all(|answer| is_confirmed([old, new], answer, seed));
        (if all { "changed, run" } else { "changed, not seen in runs" }, is_right || !all)
    } else if has("computed_otherwise") {
        ("computed differently", is_right)
    } else if has("unknown") {
        ("unknown", false)
    } else if has("values_unknown") {
        ("reads agree, values unknown", false)
    } else {
        ("the same", !is_right)
    };
    let said = || {
        let said: Vec<String> = host.outputs.iter().map(|output| output.text.to_string()).collect();
        format!("{twin}\n{}{}{}\n", old.text(), new.text(), said.join("\n"))
    };
    Found { twin, verdict: verdict.to_owned(), wrong: is_false.then(said) }
}

/// Draws values of all parameters.
fn inputs(body: &Body, random: &mut Random) -> Vec<Value> {
    let parameters =
        body.nodes.iter().filter(|node| matches!(node.op, super::program::Op::Parameter(_)));
    let value = |node: &super::program::Node| {
        let (lo, hi) = if node.shape.sizes().is_empty() { (-2, 8) } else { (-60, 60) };
        Value::Array((0..count(&node.shape)).map(|_| random.within(lo, hi) as i32).collect())
    };
    parameters.map(value).collect()
}

/// Checks that runs confirm a counterexample: at its values of offsets, the element of the result changes with the operand's
/// element in some run of the program that reads it according to the answer, and in no run of the other.
fn is_confirmed(programs: [&Body; 2], answer: &Json, seed: u64) -> bool {
    let point = &answer["counterexample"];
    let list = |json: &Json| -> Vec<usize> {
        let numbers = json.as_array().expect("a list").iter();
        numbers.map(|number| number.as_u64().expect("an index") as usize).collect()
    };
    let (output, element) = (list(&point["output"]), list(&point["element"]));
    let operand = answer["operand"].as_u64().expect("an operand") as usize;
    let readers = if point["read_by"] == "old" { [true, false] } else { [false, true] };
    let mut random = Random::new(seed);
    let mut is_seen = false;
    for _ in 0..4 * INPUTS {
        let mut given = inputs(programs[0], &mut random);
        for known in point["values"].as_array().expect("a list") {
            let number = known["operand"].as_u64().expect("an operand") as usize;
            let value = known["value"].as_i64().expect("a value") as i32;
            set(programs[0], &mut given, number, &list(&known["index"]), value);
        }
        let mut other = given.clone();
        let value = random.within(-900, 900) as i32;
        set(programs[0], &mut other, operand, &element, value);
        for (program, reads) in programs.iter().zip(readers) {
            let root = program.nodes.last().expect("a result");
            let at = place(&output, root.shape.sizes());
            let seen = run(program, &given).array()[at] != run(program, &other).array()[at];
            if seen && !reads {
                return false;
            }
            is_seen |= seen;
        }
    }
    is_seen
}

fn set(program: &Body, given: &mut [Value], parameter: usize, index: &[usize], value: i32) {
    let at = place(index, program.nodes[parameter].shape.sizes());
    if let Value::Array(array) = &mut given[parameter] {
        array[at] = value;
    }
}
