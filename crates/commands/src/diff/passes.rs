//! `diff DIR`: the passes of a dump, a line for each, and for each module the first pass that changes the reads or the values of
//! its result.
//!
//! Law: each pass is compared with the previous one. A pass whose comparison is undecided is reported as such, and the search
//! continues after it; a file that cannot be read is reported, and the search continues as if it did not exist.

use super::compare::{ReadFile, compare_files};
use super::heard::heard;
use super::page::PassesPage;
use super::pass_line::{PassVerdict, left_out, pass_line};
use super::steps::Steps;
use super::tally::{Tally, summary};
use crate::failure::Failure;
use crate::hlo::files::{ModuleFile, files, no_module};
use crate::output::{Object, Output, Role, Text};
use crate::table::Call;
use crate::words::count;

/// The module between two passes.
struct Stage {
    file: ModuleFile,
    module: ReadFile,
    /// The number of earlier passes of the module, and the first pass that changed something.
    before: usize,
    changed_by: Option<(String, PassVerdict)>,
}

pub(super) fn compare(call: &mut Call<'_>) -> Result<(), Failure> {
    let listed = files(call)?;
    if !listed.iter().any(ModuleFile::is_listed) {
        // A file is not a directory: the second file is missing.
        return call.argument(1).map(|_| ());
    }
    let mut tally = Tally::default();
    let steps = Steps::of_command(&call.proof_budget());
    let mut page = PassesPage::default();
    let mut last: Option<Stage> = None;
    let mut stages = Vec::new();
    let mut is_empty = true;
    call.each(listed, |call, file| {
        let read = match file.read(call) {
            Ok(None) => return Ok(()),
            Ok(Some(text)) => ReadFile::read(text),
            Err(failure) => Err(failure),
        };
        is_empty = false;
        let module = match read {
            Ok(module) => module,
            Err(failure) if failure.ends_the_command() => return Err(failure),
            Err(failure) => {
                page.emit(call, file.name(), &[], left_out(file.name(), &failure));
                return Ok(());
            }
        };
        let same_module = |stage: &mut Stage| stage.file.is_of_module_of(&file);
        let Some(mut stage) = last.take_if(same_module) else {
            stages.extend(last.replace(Stage { file, module, before: 0, changed_by: None }));
            return Ok(());
        };
        let name = file.name().to_owned();
        let pair = [&stage.module, &module];
        let (answers, compared) =
            heard(call, |call| compare_files(call, pair, Some(&name), &steps, &mut tally));
        match compared {
            Ok(()) => {
                let found = pass_line(&name, &answers, stage.changed_by.is_none());
                page.emit(call, &name, &answers, found.output);
                if found.verdict.is_change() && stage.changed_by.is_none() {
                    stage.changed_by = Some((name, found.verdict));
                }
            }
            Err(failure) if failure.ends_the_command() => return Err(failure),
            Err(failure) => call.report(&failure),
        }
        stage.before += 1;
        last = Some(Stage { file, module, ..stage });
        Ok(())
    })?;
    stages.extend(last);
    if is_empty {
        return Err(no_module(call));
    }
    for stage in &stages {
        let said = said(stage);
        page.modules.push(said.text.to_string());
        call.emit(said);
    }
    let summary = summary(&tally);
    page.summary = summary.text.to_string();
    call.emit(summary);
    page.write(call)
}

/// Summarizes all passes of a module.
fn said(stage: &Stage) -> Output {
    let passes = count(stage.before, "pass");
    let text = match &stage.changed_by {
        Some((name, verdict)) => {
            let changes = match verdict {
                PassVerdict::Changed => "the reads",
                _ => "the computation",
            };
            Text::of(Role::Name, name)
                .with(Role::Bad, " is the first")
                .plain(format!(" of {passes} that changes {changes}"))
        }
        None => Text::of(Role::Name, stage.file.name())
            .plain(format!(": {passes} before it, none is shown to change reads or values")),
    };
    let layer = stage.changed_by.as_ref().map(|(_, verdict)| match verdict {
        PassVerdict::Changed => "reads",
        _ => "values",
    });
    let changed_by = stage.changed_by.as_ref().map(|(name, _)| name.as_str());
    let json = Object::new()
        .with("module", stage.file.name())
        .with("passes", stage.before)
        .with_some("changed_by", changed_by)
        .with_some("changed", layer);
    Output::new(text, json)
}
