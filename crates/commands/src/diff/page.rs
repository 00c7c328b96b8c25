//! The page of a dump: a row for each pass, with all answers about it.
//!
//! Law: the page holds the answers of `diff`, verbatim.

use crate::failure::Failure;
use crate::output::{Object, Output};
use crate::page::{self, HTML, Page};
use crate::table::Call;
use crate::words::count;
use serde::Serialize;

const PAGE: Page = Page { style: include_str!("passes.css"), script: include_str!("passes.js") };

/// The data of the page.
#[derive(Serialize, Default)]
pub(super) struct PassesPage {
    directory: String,
    /// The summary of all passes of each module.
    pub(super) modules: Vec<String>,
    pub(super) summary: String,
    passes: Vec<Row>,
}

/// A pass.
#[derive(Serialize)]
struct Row {
    pass: String,
    outcome: String,
    /// Whether it is the first pass that changes something.
    first: bool,
    answers: Vec<String>,
}

impl PassesPage {
    /// Emits the line of a pass, and keeps it, with the answers about the pass, if a page is asked for.
    pub(super) fn emit(
        &mut self,
        call: &mut Call<'_>,
        pass: &str,
        answers: &[Output],
        line: Output,
    ) {
        if call.text_of(&HTML).is_some() {
            let field = |key: &str| line.json.as_ref().and_then(|json| json.get(key));
            let texts: Vec<String> = answers.iter().map(|answer| answer.text.to_string()).collect();
            let outcome = field("outcome").and_then(|outcome| outcome.as_str());
            let outcome = outcome.unwrap_or_default().to_owned();
            let answers = match outcome.as_str() {
                "left_out" => vec![line.text.to_string()],
                _ => texts,
            };
            let first = field("first").is_some();
            self.passes.push(Row { pass: pass.to_owned(), outcome, first, answers });
        }
        call.emit(line);
    }

    /// Writes the page, if it is asked for.
    pub(super) fn write(mut self, call: &mut Call<'_>) -> Result<(), Failure> {
        let Some(path) = call.text_of(&HTML).cloned() else {
            return Ok(());
        };
        self.directory = call.argument(0)?.text.clone();
        let title = format!("Passes of {}", self.directory);
        let html = PAGE.html(&title, &self);
        let what = count(self.passes.len(), "pass");
        let json = Object::new().with("passes", self.passes.len()).with("bytes", html.len());
        page::write(call, &path, &html, &what, json)
    }
}
