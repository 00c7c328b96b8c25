//! `report`: the answers of the other commands about a module, as one page.
//!
//! Law: the page has no facts beyond those of `hlo`, `coalesce` and the module's text. These commands run inside, and the page
//! holds their answers, in their words (`card`); the browser arranges them and computes nothing.
//!
//! Modules in dependency order: `listener` (runs a command, and collects its answers), `words` (texts that are stored once),
//! `module` (the instructions, and which of them have memory), `card` (one instruction, from the answers about it), `data` (the
//! whole page).

mod card;
mod data;
mod listener;
mod module;
mod words;

use crate::custom::CUSTOM;
use crate::failure::Failure;
use crate::hlo::options::TILE;
use crate::output::Object;
use crate::page::{self, HTML, Page};
use crate::table::{Call, Command, Kind, Parameter};
use crate::text_file::TextFile;
use crate::words::count;
use affinor::text::Style;

const PAGE: Page = Page { style: include_str!("page.css"), script: include_str!("page.js") };

pub const REPORT: Command = Command {
    name: "report",
    parameters: &[Parameter::required("MODULE", Kind::File)],
    options: &[HTML.switch, TILE.switch, CUSTOM.switch],
    summary: "write the answers about a module as one HTML page",
    details: "MODULE is a file as for `hlo`. The page has a card for each instruction, fusions first: its maps, how much of each\n\
              operand is read and how often, tiles, ops that move nothing, the loads of warps along the output, and warnings. It has\n\
              the graph around an instruction, and a search. It is one file without links to others, for any browser.\n\
              It holds the answers of these commands:\n\
              \x20 hlo MODULE\n\
              \x20 hlo MODULE --utilisation, --free and --tile suggest (or with --tile), for instructions outside fusions\n\
              \x20 coalesce MODULE INSTRUCTION --preset linear, for the same except tuples, bitcasts and calls",
    example: &["report model.hlo --html report.html"],
    makes_map: false,
    keys: "",
    run,
};

fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    let argument = call.argument(0)?.clone();
    let Some(path) = call.text_of(&HTML).cloned() else {
        let failure = call.wrong_usage("`report` needs a file to write");
        return Err(failure.hint("`report model.hlo --html report.html`"));
    };
    let file = TextFile::read(call, &argument)?;
    let module = affinor_mlir::read(&file.bytes).map_err(|error| file.blame(error))?;
    // Answers are compared as plain text, and the session is left unchanged.
    let style = std::mem::replace(&mut call.session.style, Style::Plain);
    let last = (call.session.last.clone(), call.session.last_simplified.clone());
    let data = data::of_module(call, &file, &module);
    call.session.style = style;
    (call.session.last, call.session.last_simplified) = last;
    let data = data?;
    let title = match data.module.as_str() {
        "" => &data.file,
        name => name,
    };
    let html = PAGE.html(title, &data);
    let what = format!(
        "{} and {}",
        count(data.fusions(), "fusion"),
        count(data.cards.len() - data.fusions(), "other instruction"),
    );
    let json = Object::new()
        .with("instructions", data.cards.len())
        .with("fusions", data.fusions())
        .with("bytes", html.len());
    page::write(call, &path, &html, &what, json)
}
