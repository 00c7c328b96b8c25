//! The expressions of the corpora of a run.

use crate::arguments::Argument;
use crate::failure::Failure;
use crate::simplify::batch_line::Task;
use crate::table::Call;
use crate::text_file::TextFile;
use affinor::expr::IndexingMap;
use affinor_workshop::learn::numbered;
use serde_json::Value;

/// The expressions of several files.
#[derive(Default)]
pub struct Corpora {
    /// The ids of the expressions.
    pub ids: Vec<Value>,
    /// The expressions.
    pub cases: Vec<IndexingMap>,
    /// The files, each with the number of its expressions.
    pub files: Vec<(String, usize)>,
    /// The number of expressions whose named sizes were replaced by numbers.
    pub numbered: usize,
    /// The number of dropped expressions, for whose named sizes no numbers were found.
    pub left_out: usize,
}

impl Corpora {
    /// Reads files of JSON lines.
    ///
    /// # Errors
    /// If a file cannot be read or parsed.
    pub fn read(call: &mut Call<'_>, files: &[Argument]) -> Result<Corpora, Failure> {
        let mut all = Corpora::default();
        for file in files {
            let read = TextFile::read(call, file)?;
            let known = all.cases.len();
            let mut start = 0;
            for line in read.text()?.split_inclusive('\n') {
                let at = start;
                start += line.len();
                if line.trim().is_empty() {
                    continue;
                }
                let (id, task) = Task::read(line.trim_end());
                let task = task.map_err(|error| read.blame(error.shifted(at)))?;
                let Some(([case, _], sizes)) = numbered([&task.map, &task.map]) else {
                    all.left_out += 1;
                    continue;
                };
                all.numbered += usize::from(!sizes.is_empty());
                all.ids.push(id);
                all.cases.push(case);
            }
            all.files.push((file.text.clone(), all.cases.len() - known));
        }
        Ok(all)
    }
}
