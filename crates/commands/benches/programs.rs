//! Compares any number of random programs with an interpreter.
//!
//! `cargo bench -p affinor-commands --bench programs -- --seed 7 --count 20000` generates the programs of seeds 7 to 20,006, runs
//! all queries on each, and compares the answers with the elements that were read when the program ran. Wrong answers are listed
//! with a reduced program, followed by the number of answers of each kind. `--check` also proves all maps; `--known` generates
//! programs with known offsets, for which no runtime variable may be left; `--loops` generates programs of counted loops, nested ones too;
//! `--changes` runs `diff --entry` on each program and versions of it changed in one place.

#[path = "../tests/programs/suite/mod.rs"]
mod suite;
#[path = "../tests/support/mod.rs"]
mod support;

use std::io::Write;
use suite::{
    Program, Tally, gridded, has_loop, is_found_out, judge, judge_changes, judge_known, known,
    looped, nested, program, shrunk,
};

/// One in this many programs is also compared with the text of another program, which must be detected as wrong. If maps are
/// upper bounds, the other program may read less and remain undetected.
const OTHERS: u64 = 10;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (mut seed, mut count) = (0, 2_000);
    let mut kind = Asked::default();
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut number =
            || words.next().ok_or("a number is missing")?.parse::<u64>().map_err(|e| e.to_string());
        match word.as_str() {
            "--seed" => seed = number()?,
            "--count" => count = number()?,
            "--check" => kind.with_check = true,
            "--known" => kind.with_known_offsets = true,
            "--loops" => kind.with_loops = true,
            "--changes" => kind.with_changes = true,
            "--bench" => {}
            other => return Err(format!("no such option: {other}").into()),
        }
    }
    let mut out = std::io::stdout();
    let mut tally = Tally::default();
    let (mut wrong, mut found_out, mut missed, mut of_loops) = (0, 0, 0, 0);
    for seed in seed..seed + count {
        let program = match kind {
            _ if kind.with_known_offsets => known(seed),
            _ if kind.with_loops && seed % 4 == 0 => gridded(seed),
            _ if kind.with_loops && seed % 4 == 1 => nested(seed),
            _ if kind.with_loops => looped(seed),
            _ => program(seed),
        };
        of_loops += u64::from(has_loop(&program));
        if seed % OTHERS == 0 {
            match is_found_out(&program, seed) {
                Some(true) => found_out += 1,
                Some(false) => missed += 1,
                None => {}
            }
        }
        let Err(error) = kind.judged(&program, seed, &mut tally) else {
            continue;
        };
        wrong += 1;
        let question = |error: &str| error.split([',', ':']).next().map(str::to_owned);
        let asked = question(&error);
        let small = shrunk(&program, &mut |program| {
            let found = kind.judged(program, seed, &mut Tally::default());
            found.is_err_and(|found| question(&found) == asked)
        });
        let found = kind.judged(&small, seed, &mut Tally::default());
        let found = found.err().unwrap_or(error);
        writeln!(out, "seed {seed}: {found}\n{small}")?;
        out.flush()?;
    }
    for ((question, answer), count) in &tally.counts {
        writeln!(out, "{question:28} {answer:10} {count}")?;
    }
    writeln!(out, "{} texts of other programs, {found_out} of them found out", found_out + missed)?;
    writeln!(out, "{count} programs, {of_loops} with a loop, {wrong} with a wrong answer")?;
    Ok(())
}

#[derive(Clone, Copy, Default)]
struct Asked {
    with_check: bool,
    with_known_offsets: bool,
    with_loops: bool,
    with_changes: bool,
}

impl Asked {
    /// Returns the first error in the answers about a program; a panic is an error, too.
    fn judged(self, program: &Program, seed: u64, tally: &mut Tally) -> Result<(), String> {
        let judged = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| match self {
            _ if self.with_changes => judge_changes(program, seed, tally),
            _ if self.with_known_offsets => {
                judge_known(program, seed, self.with_check, tally).map(|_| ())
            }
            _ => judge(program, seed, self.with_check, tally),
        }));
        judged.unwrap_or_else(|_| Err("a panic".to_owned()))
    }
}
