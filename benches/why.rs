//! Checks whether the certificates of random maps are accepted, and whether their steps form chains.
//!
//! `cargo bench -p affinor --bench why -- [COUNT [FIRST]]` simplifies the maps of COUNT seeds from FIRST on, by default 5,000
//! from 0, checks the law of each chain at every point, and counts the results. It ends with status 1 if a law fails.

#![allow(clippy::print_stdout, reason = "a bench reports its findings")]

#[path = "../tests/support/chains.rs"]
mod chains;

use affinor::simplify::Simplifier;
use affinor::text::{Style, print_map};
use std::process::ExitCode;

fn main() -> ExitCode {
    let numbers: Vec<u64> = std::env::args().filter_map(|x| x.parse().ok()).collect();
    let count = numbers.first().copied().unwrap_or(5_000);
    let first = numbers.get(1).copied().unwrap_or(0);
    let simplifier = Simplifier::shipped().unwrap_or_else(|error| panic!("{error:?}"));
    let (mut changed, mut rejected, mut untold) = (0, 0, 0);
    let (mut lines, mut joint, mut wrong) = (0, 0, 0);
    for seed in first..first.saturating_add(count) {
        let map = chains::map(seed);
        match chains::judge(&simplifier, &map) {
            Ok(found) => {
                changed += u64::from(found.changed);
                lines += found.lines;
                joint += found.joint;
                untold += u64::from(found.untold);
                if found.rejected {
                    rejected += 1;
                    println!(
                        "{seed}: the certificate is rejected: {}",
                        print_map(&map, Style::Plain)
                    );
                }
            }
            Err(law) => {
                wrong += 1;
                println!("{seed}: {law}: {}", print_map(&map, Style::Plain));
            }
        }
    }
    println!(
        "{count} maps, {changed} of them changed: {rejected} certificates rejected, {wrong} chains wrong, {untold} told in one line of the whole map; {lines} lines, {joint} steps that only change one together with others"
    );
    ExitCode::from(u8::from(wrong > 0))
}
