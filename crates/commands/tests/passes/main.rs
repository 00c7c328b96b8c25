//! Random programs before and after a pass, and after a faulty pass: `diff --entry` refutes no right pass, leaves few of them
//! undecided, and reports no wrong one as equal. Both programs are run, and each counterexample is confirmed by runs.

#[path = "../support/mod.rs"]
mod support;

mod judge;
mod loops;
mod maker;
mod program;
#[allow(dead_code, reason = "it is shared")]
#[path = "../programs/suite/random.rs"]
mod random;
mod run;
mod straight;

use judge::judged;
use maker::Middle;
use std::collections::BTreeMap;

const PASSES: [(&str, Middle); 13] = [
    ("commute", straight::commute),
    ("fold", straight::fold),
    ("fuse", straight::fuse),
    ("move a slice", straight::slice_moved),
    ("dead code", straight::dead_code),
    ("move a reshape", straight::reshape_moved),
    ("fold offsets", straight::offsets_folded),
    ("unroll", loops::unroll),
    ("peel", loops::peel),
    ("rotate", loops::rotate),
    ("move an invariant out", loops::invariant_out),
    ("drop a part", loops::part_dropped),
    ("rewrite a body", loops::body_rewritten),
];

/// Returns the number of programs for each pass; `PROGRAMS=77` makes a thousand in all, and `TALLY=FILE` writes the findings
/// to a file.
fn programs() -> u64 {
    let asked = std::env::var("PROGRAMS").ok();
    asked.map_or(4, |asked| asked.parse().expect("PROGRAMS is a number"))
}

#[test]
fn passes_and_their_wrong_twins() {
    let mut tally: BTreeMap<(&str, &str, String), u64> = BTreeMap::new();
    let mut wrong = Vec::new();
    for (name, middle) in PASSES {
        for seed in 0..programs() {
            for found in judged(middle, seed) {
                if let Some(text) = &found.wrong {
                    wrong.push(format!("{name} {seed}: {text}"));
                }
                *tally.entry((name, found.twin, found.verdict)).or_default() += 1;
            }
        }
    }
    let table: Vec<String> = tally
        .iter()
        .map(|((name, twin, verdict), count)| format!("{name:24}{twin:10}{verdict:44}{count:6}"))
        .collect();
    if let Ok(path) = std::env::var("TALLY") {
        std::fs::write(path, table.join("\n")).expect("a file to write to");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let count = |twin: &str, is: &dyn Fn(&str) -> bool| -> u64 {
        let counted = tally.iter().filter(|((_, own, verdict), _)| *own == twin && is(verdict));
        counted.map(|(_, count)| count).sum()
    };
    let (all, same) = (count("right", &|_| true), count("right", &|said| said == "the same"));
    assert!(all == PASSES.len() as u64 * programs() && (all - same) * 20 <= all, "{same} of {all}");
    let refuted = |said: &str| said == "changed, run" || said == "computed differently";
    let (all, found) = (count("wrong", &|_| true), count("wrong", &refuted));
    assert!(found * 2 >= all && all > 0, "{found} of {all}");
}
