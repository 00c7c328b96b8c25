//! Random programs beside an interpreter that runs them on sets of element names.
//!
//! The interpreter takes programs as the generator made them, and follows the words of XLA's *Operation semantics*; it uses
//! nothing of the library. The answers are those of commands, asked about the text of the program.
//!
//! Modules in dependency order: `random`, `shape`, `program`, `print`; `arithmetic`, `moved` and `cells` (the reads of one
//! operation), `moving`, `folding`, `vectors` and `whole` (its families), `run` (a whole program); `build` and `make_*` (the
//! generator); `answers`, `compare` (maps), `tiles`, `change`, `other`, `known` (no runtime variables), `shrink`.

mod answers;
mod arithmetic;
mod build;
mod cells;
mod change;
mod compare;
mod folding;
mod known;
mod make_calls;
mod make_folds;
mod make_grids;
mod make_known;
mod make_loops;
mod make_moves;
mod make_nests;
mod make_vectors;
mod make_whole;
mod moved;
mod moving;
mod other;
mod print;
mod program;
pub mod random;
mod run;
mod shape;
mod shrink;
mod tiles;
mod vectors;
mod whole;

pub use compare::Tally;
pub use known::judge_known;
pub use make_calls::program;
pub use make_grids::gridded;
pub use make_known::known;
pub use make_loops::looped;
pub use make_nests::nested;
pub use program::Program;
pub use shrink::shrunk;

use compare::Ran;
use program::{Instruction, Op};
use random::Random;
use run::Run;

/// Asks all questions about a program.
///
/// # Errors
/// The question, and the element at which the answer is wrong.
pub fn judge(
    program: &Program,
    seed: u64,
    with_check: bool,
    tally: &mut Tally,
) -> Result<(), String> {
    let text = program.to_string();
    // Values are drawn twice: an answer must hold for all of them.
    for trial in 0..2 {
        reads(program, &text, seed ^ (trial << 40), tally)?;
    }
    other::same(&text, tally)?;
    let mut random = Random::new(seed ^ 0x5a5a);
    if let Some(new) = change::changed(program, &mut random) {
        change::differ(program, &new, seed, tally)?;
        change::entries_differ(program, &new, seed, tally)?;
    }
    if with_check {
        other::checked(&text, tally)?;
    }
    Ok(())
}

/// Changes a program in several places, one at a time, and asks `diff --entry` whether the reads are the same.
///
/// # Errors
/// If it answers that they are, and runs differ.
pub fn judge_changes(program: &Program, seed: u64, tally: &mut Tally) -> Result<(), String> {
    change::entries_differ(program, program, seed, tally)?;
    let mut random = Random::new(seed ^ 0x3c3c);
    for _ in 0..6 {
        if let Some(new) = change::changed(program, &mut random) {
            change::entries_differ(program, &new, seed, tally)
                .map_err(|error| format!("{error}\n{new}"))?;
        }
    }
    Ok(())
}

/// Checks whether a program has a loop.
pub fn has_loop(program: &Program) -> bool {
    let all = program.computations.iter();
    let mut instructions = all.flat_map(|computation| &computation.instructions);
    instructions.any(|instruction| matches!(instruction.op, Op::While { .. }))
}

/// Asks for the reads in the text of a program, and compares them with those of running `program`.
fn reads(program: &Program, text: &str, seed: u64, tally: &mut Tally) -> Result<(), String> {
    let run = Run::new(program, &mut Random::new(seed));
    let ran = Ran { program, run: &run };
    compare::instructions(&ran, text, tally)?;
    compare::entry(&ran, text, tally)?;
    other::utilisation(&ran, text, tally)?;
    tiles::tiles(&ran, text, &mut Random::new(seed), tally)
}

/// Checks whether answers about another program's text are found to be wrong for this one; `None` if both have the same
/// reads.
pub fn is_found_out(program: &Program, seed: u64) -> Option<bool> {
    let other = change::changed(program, &mut Random::new(seed ^ 0xa5a5))?;
    // Changed operands and constants may change only values, which maps leave open.
    let is_value = |(one, other): (&Instruction, &Instruction)| {
        one.operands != other.operands || (matches!(one.op, Op::Constant(_)) && one.op != other.op)
    };
    let instructions = |program: &'_ Program| -> Vec<Instruction> {
        let computations = program.computations.iter();
        computations.flat_map(|computation| computation.instructions.clone()).collect()
    };
    if instructions(program).iter().zip(&instructions(&other)).any(is_value) {
        return None;
    }
    let [run, other_run] =
        [program, &other].map(|program| Run::new(program, &mut Random::new(seed)));
    let differs = run.entry().reads != other_run.entry().reads;
    differs.then(|| reads(program, &other.to_string(), seed, &mut Tally::default()).is_err())
}
