//! `diff DIR`: the passes of a dump, and the first one of each module that changes what its result reads or computes.
//!
//! Law: each pass is compared with the one before it. A pass that is undecided is said to be, and the search goes on behind it.

use super::compare::compare_files;
use super::tally::{Tally, summary};
use crate::failure::Failure;
use crate::hlo::files::{ModuleFile, files, no_module};
use crate::output::{Object, Output, Role, Text};
use crate::table::Call;
use crate::text_file::TextFile;
use crate::words::count;

/// The module between two passes.
struct Stage {
    file: ModuleFile,
    text: TextFile,
    /// How many passes of the module came before, and the first that changed something.
    before: usize,
    changed_by: Option<(String, Layer)>,
}

/// What a pass changed.
#[derive(Clone, Copy)]
enum Layer {
    Reads,
    Values,
}

pub(super) fn compare(call: &mut Call<'_>) -> Result<(), Failure> {
    let listed = files(call)?;
    if !listed.iter().any(ModuleFile::is_listed) {
        // One file is not a directory: another one is missing.
        return call.argument(1).map(|_| ());
    }
    let mut tally = Tally::default();
    let mut last: Option<Stage> = None;
    let mut stages = Vec::new();
    call.each(listed, |call, file| {
        let Some(text) = file.read(call)? else {
            return Ok(());
        };
        let same_module = |stage: &mut Stage| stage.file.is_of_module_of(&file);
        let Some(stage) = last.take_if(same_module) else {
            stages.extend(last.replace(Stage { file, text, before: 0, changed_by: None }));
            return Ok(());
        };
        let name = file.name().to_owned();
        let mut changed_by = stage.changed_by;
        let texts = [stage.text, text];
        if changed_by.is_none() {
            let known = (tally.changed, tally.recomputed);
            let compared = compare_files(call, &texts, Some(&name), &mut tally);
            changed_by = match (tally.changed > known.0, tally.recomputed > known.1) {
                (true, _) => Some((name, Layer::Reads)),
                (false, true) => Some((name, Layer::Values)),
                (false, false) => None,
            };
            if let Err(failure) = compared {
                call.report(&failure);
            }
        }
        let [_, text] = texts;
        last = Some(Stage { file, text, before: stage.before + 1, changed_by });
        Ok(())
    })?;
    stages.extend(last);
    if stages.is_empty() {
        return Err(no_module(call));
    }
    for stage in &stages {
        call.emit(said(stage));
    }
    call.emit(summary(&tally));
    Ok(())
}

/// What is said of all passes of a module.
fn said(stage: &Stage) -> Output {
    let passes = count(stage.before, "pass");
    let text = match &stage.changed_by {
        Some((name, layer)) => {
            let changes = match layer {
                Layer::Reads => "what is read",
                Layer::Values => "what is computed of what is read",
            };
            Text::of(Role::Name, name)
                .with(Role::Bad, " is the first")
                .plain(format!(" of {passes} that changes {changes}"))
        }
        None => Text::of(Role::Name, stage.file.name()).plain(format!(
            ": {passes} before it, none is shown to change what is read or computed"
        )),
    };
    let layer = stage.changed_by.as_ref().map(|(_, layer)| match layer {
        Layer::Reads => "reads",
        Layer::Values => "values",
    });
    let changed_by = stage.changed_by.as_ref().map(|(name, _)| name.as_str());
    let json = Object::new()
        .with("module", stage.file.name())
        .with("passes", stage.before)
        .with_some("changed_by", changed_by)
        .with_some("changed", layer);
    Output::new(text, json)
}
