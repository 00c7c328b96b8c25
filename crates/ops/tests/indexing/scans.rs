//! Scans: the reads up to a step, compared with scans that are run on sets of elements.

use crate::support::reads::{check, keep, read, refuse};
use affinor_ops::indexing::{Analysis, OperandReads};
use std::collections::BTreeSet;

const STEPS: i64 = 5;

/// A result of a step, with its uses of the two parameters.
const RESULTS: [(&str, [bool; 2]); 4] = [
    ("f32[] add(a, b)", [true, true]),
    ("f32[] negate(a)", [true, false]),
    ("f32[] negate(b)", [false, true]),
    ("f32[] constant(1)", [false, false]),
];

/// The elements of the input that are read, with -1 for the initial carry.
type Read = BTreeSet<i64>;

/// Returns the elements that each output and the final carry depend on; `slice_first` is true if the slice is the first parameter
/// of a step.
fn run(uses: [[bool; 2]; 2], is_reverse: bool, slice_first: bool) -> Vec<Read> {
    let mut carry: Read = BTreeSet::from([-1]);
    let mut outputs = vec![Read::new(); STEPS as usize];
    let steps: Vec<i64> = match is_reverse {
        false => (0..STEPS).collect(),
        true => (0..STEPS).rev().collect(),
    };
    for t in steps {
        let slice = BTreeSet::from([t]);
        let parameters = if slice_first { [&slice, &carry] } else { [&carry, &slice] };
        let of = |uses: [bool; 2]| -> Read {
            let used = uses.iter().zip(parameters).filter(|(used, _)| **used);
            used.flat_map(|(_, read)| read.iter().copied()).collect()
        };
        let (output, next) = (of(uses[0]), of(uses[1]));
        outputs[t as usize] = output;
        carry = next;
    }
    outputs.push(carry);
    outputs
}

fn reads(text: &str) -> Vec<OperandReads> {
    let module = read(text);
    let mut analysis = Analysis::new(&module, &keep);
    analysis.instruction(module.entry(), module[module.entry()].root()).expect(text)
}

/// Returns the elements that the maps name for each output and the final carry.
fn named(found: &[OperandReads]) -> Vec<Read> {
    let mut all = vec![Read::new(); STEPS as usize + 1];
    for entry in found {
        let is_output = entry.output == [0];
        for map in entry.reads.maps().expect("maps") {
            let domain = map.map.domain();
            let now = if is_output { 0..STEPS } else { 0..1 };
            for t in now {
                let place = if is_output { t } else { STEPS };
                let steps = if entry.operand == 0 { 0..STEPS } else { 0..1 };
                for s in steps {
                    let mut point = Vec::new();
                    point.extend(is_output.then_some(t));
                    point.extend((entry.operand == 0).then_some(s));
                    if domain.contains(&point).expect("a small map") {
                        let index = map.map.eval(&point).expect("a small map");
                        all[place as usize].insert(index.first().copied().unwrap_or(-1));
                    }
                }
            }
        }
    }
    all
}

#[test]
fn a_step_reads_what_those_before_it_read() {
    let mut exact = 0;
    for (output, uses_output) in RESULTS {
        for (carry, uses_carry) in RESULTS {
            for is_reverse in [false, true] {
                let reverse = if is_reverse { ", is_reverse=true" } else { "" };
                let text = format!(
                    "step {{ a = f32[] parameter(0) b = f32[] parameter(1) o = {output} c = {carry} ROOT r = (f32[], f32[]) tuple(o, c) }}
ENTRY e {{ p = f32[{STEPS}] parameter(0) z = f32[] parameter(1)
  ROOT r = (f32[{STEPS}], f32[]) scan(p, z), dimensions={{0}}, num_carries=1{reverse}, to_apply=step }}"
                );
                let found = reads(&text);
                let is_exact = found.iter().all(|entry| entry.reads.is_exact());
                exact += u32::from(is_exact);
                let named = named(&found);
                for slice_first in [true, false] {
                    let ran = run([uses_output, uses_carry], is_reverse, slice_first);
                    for (ran, named) in ran.iter().zip(&named) {
                        let is_right = if is_exact { ran == named } else { ran.is_subset(named) };
                        assert!(is_right, "{text}: {ran:?}, named are {named:?}");
                    }
                }
            }
        }
    }
    assert_eq!(exact, 2, "of steps that need all");
}

fn of_rows(step: &str, scan: &str) -> String {
    format!(
        "step {{ a = f32[3] parameter(0) b = f32[3] parameter(1) s = f32[3] add(a, b) t = f32[3] reverse(s), dimensions={{0}} ROOT r = (f32[3], f32[3]) tuple({step}) }}
ENTRY e {{ p = f32[4,3] parameter(0) q = f32[3,4] parameter(1) z = f32[3] parameter(2)
  ROOT r = {scan}, to_apply=step }}"
    )
}

#[test]
fn other_indices_are_kept_where_the_step_keeps_them() {
    check(
        &of_rows("s, s", "(f32[4,3], f32[3]) scan(p, z), dimensions={0}, num_carries=1"),
        &[
            "[0] <- 0[]: (d0, d1)[s0] -> (s0, d1), domain: d0 in [0, 3], d1 in [0, 2], s0 in [0, 3], d0 - s0 in [0, 3]",
            "[0] <- 1[]: (d0, d1) -> (d1), domain: d0 in [0, 3], d1 in [0, 2]",
            "[1] <- 0[]: (d0)[s0] -> (s0, d0), domain: d0 in [0, 2], s0 in [0, 3]",
            "[1] <- 1[]: (d0) -> (d0), domain: d0 in [0, 2]",
        ],
    );
    check(
        &of_rows(
            "s, s",
            "(f32[3,4], f32[3]) scan(q, z), dimensions={1}, num_carries=1, is_reverse=true",
        ),
        &[
            "[0] <- 0[]: (d0, d1)[s0] -> (d0, s0), domain: d0 in [0, 2], d1 in [0, 3], s0 in [0, 3], -d1 + s0 in [0, 3]",
            "[0] <- 1[]: (d0, d1) -> (d0), domain: d0 in [0, 2], d1 in [0, 3]",
            "[1] <- 0[]: (d0)[s0] -> (d0, s0), domain: d0 in [0, 2], s0 in [0, 3]",
            "[1] <- 1[]: (d0) -> (d0), domain: d0 in [0, 2]",
        ],
    );
    check(
        &of_rows("t, s", "(f32[4,3], f32[3]) scan(p, z), dimensions={0}, num_carries=1"),
        &[
            "[0] <- 0[]: at most (d0, d1)[s0, s1] -> (s0, s1), domain: d0 in [0, 3], d1 in [0, 2], s0 in [0, 3], s1 in [0, 2], d0 - s0 in [0, 3]",
            "[0] <- 1[]: at most (d0, d1)[s0] -> (s0), domain: d0 in [0, 3], d1 in [0, 2], s0 in [0, 2]",
            "[1] <- 0[]: at most (d0)[s0, s1] -> (s0, s1), domain: d0 in [0, 2], s0 in [0, 3], s1 in [0, 2]",
            "[1] <- 1[]: at most (d0)[s0] -> (s0), domain: d0 in [0, 2], s0 in [0, 2]",
        ],
    );
    // An unknown attribute may mean a different order.
    let other = "(f32[4,3], f32[3]) scan(p, z), dimensions={0}, num_carries=1, order=inward";
    let all = reads(&of_rows("s, s", other));
    let maps = all.iter().flat_map(|entry| entry.reads.maps().expect("bounds"));
    assert!(maps.clone().all(|map| map.map.domain().constraints().is_empty()));
    assert!(all.iter().all(|entry| !entry.reads.is_exact()));
}

#[test]
fn scans_that_contradict_themselves_are_refused() {
    for (scan, message) in [
        (
            "(f32[5,3], f32[3]) scan(p, z), dimensions={0}, num_carries=1",
            "expected a result of 4 step(s)",
        ),
        (
            "(f32[4,3], f32[3]) scan(p, z), dimensions={0}, num_carries=2",
            "expected an input beside 2 carries",
        ),
        (
            "(f32[4,3], f32[3]) scan(p, p, z), dimensions={0}, num_carries=1",
            "expected 3 parameter(s) in the computation `step`, found 2",
        ),
        (
            "(f32[4,3], f32[3]) scan(p, z), dimensions={0,1}, num_carries=1",
            "expected 1 dimension to scan along, found 2",
        ),
    ] {
        refuse(&of_rows("s, s", scan), message);
    }
}
