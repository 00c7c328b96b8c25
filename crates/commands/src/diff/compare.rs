//! Compares two modules, instruction by instruction or by their results.

use super::arrays::{Asked, alone, changed, compare};
use super::entries::compare_entries;
use super::pairs::{Differs, Pair, pairs};
use super::side::{Side, same};
use super::steps::Steps;
use super::tally::Tally;
use crate::custom::custom_calls;
use crate::failure::Failure;
use crate::hlo::asked::Shaper;
use crate::option::Flag;
use crate::output::Object;
use crate::table::Call;
use crate::text_file::TextFile;
use affinor::expr::IndexingMap;
use affinor_compare::agreement::change;
use affinor_hlo::module::Module;
use affinor_ops::indexing::{Analysis, Simplify};
use std::collections::BTreeSet;

pub const ENTRY: Flag = Flag::new("entry", "compare only the composed entry maps");

/// A module with its text.
pub(super) struct ReadFile {
    text: TextFile,
    module: Module,
}

impl ReadFile {
    /// # Errors
    /// The errors of the text, with their places in it.
    pub(super) fn read(text: TextFile) -> Result<ReadFile, Failure> {
        match affinor_mlir::read(&text.bytes) {
            Ok(module) => Ok(ReadFile { text, module }),
            Err(error) => Err(text.blame(error)),
        }
    }
}

/// Compares two modules: their instructions, or the reads of their results. With the name of a pass, its results are compared
/// regardless of the options; `steps` are shared by all passes.
pub(super) fn compare_files(
    call: &mut Call<'_>,
    files: [&ReadFile; 2],
    name: Option<&str>,
    steps: &Steps,
    tally: &mut Tally,
) -> Result<(), Failure> {
    let shaper = Shaper::new(call)?;
    let simplify = |map: &IndexingMap| shaper.apply(map);
    let interrupt = call.host.interrupt();
    let custom_calls = custom_calls(call)?;
    let mut sides = files.map(|ReadFile { text, module }| {
        let analysis = || {
            Analysis::new(module, &simplify).with_custom_calls(&custom_calls).ended_by(&interrupt)
        };
        Side { module, file: text, analysis: analysis(), data: analysis().only_data() }
    });
    match (name, call.has(ENTRY)) {
        (None, false) => compare_instructions(call, &mut sides, tally),
        (name, _) => {
            let share = steps.share();
            let before = share.left();
            let given = (&simplify as Simplify<'_>, &custom_calls, &share);
            let compared = compare_entries(call, &mut sides, name, given, tally);
            steps.take(before, &share);
            compared
        }
    }
}

fn compare_instructions(
    call: &mut Call<'_>,
    sides: &mut [Side<'_>; 2],
    tally: &mut Tally,
) -> Result<(), Failure> {
    let pairs = pairs(sides[0].module, sides[1].module);
    let mut same_ops = same(sides);
    let none = BTreeSet::new();
    call.each(pairs, |call, pair| {
        let (name, places) = match &pair {
            Pair::Both { name, old, new, .. } => (name, [*old, *new]),
            Pair::Removed { name } => {
                tally.removed += 1;
                call.emit(alone(name, "removed"));
                return Ok(());
            }
            Pair::Added { name } => {
                tally.added += 1;
                call.emit(alone(name, "added"));
                return Ok(());
            }
        };
        let mut found = Vec::new();
        for (side, (computation, instruction)) in sides.iter_mut().zip(places) {
            match side.analysis.instruction(computation, instruction) {
                Ok(reads) => found.push(reads),
                Err(error) => call.report(&side.file.blame(error)),
            }
        }
        let [old, new] = found.as_slice() else {
            tally.unknown += 1;
            return Ok(());
        };
        let object = Object::nested().with("instruction", name.as_str());
        if let Pair::Both { differs: Some(what), .. } = &pair {
            tally.compared += 1;
            tally.changed += 1;
            let (Differs::Shape(text) | Differs::Operands(text)) = what;
            match what {
                Differs::Shape(_) => tally.reshaped += 1,
                Differs::Operands(_) => tally.rewired += 1,
            }
            call.emit(changed(name, object, text, None));
            return Ok(());
        }
        tally.compared += 1;
        // The reads are the same even if no claim is made about them.
        if same_ops.instructions(places) {
            tally.same += 1;
            return Ok(());
        }
        let asked =
            Asked { name, object, reads: [old, new], data: None, same_values: &none, points: None };
        let found =
            compare(call, asked, &mut |[old, new], budget| change((old, &[]), (new, &[]), budget))?;
        tally.changed += usize::from(found.is_changed);
        tally.unknown += usize::from(found.is_unknown && !found.is_changed);
        Ok(())
    })?;
    // Constants have no operands, and are not among the pairs.
    let entries = sides.each_ref().map(|side| side.module.entry());
    if tally.same == tally.compared && !same_ops.computations(entries) {
        tally.same = 0;
    }
    Ok(())
}
