//! `diff`: the instructions of two modules whose reads differ.

mod arrays;
mod compare;
mod entries;
mod heard;
mod page;
mod pairs;
mod pass_line;
mod passes;
mod same;
mod side;
mod steps;
mod tally;

use crate::custom::CUSTOM;
use crate::failure::Failure;
use crate::page::HTML;
use crate::table::{Call, Command, Kind, Parameter};
use crate::text_file::TextFile;
use compare::{ENTRY, ReadFile, compare_files};
use steps::Steps;
use tally::{Tally, summary};

pub const DIFF: Command = Command {
    name: "diff",
    parameters: &[Parameter::required("OLD", Kind::File), Parameter::optional("NEW", Kind::File)],
    options: &[ENTRY.switch, HTML.switch, CUSTOM.switch],
    summary: "list the instructions of two HLO modules whose reads differ",
    details: "Computations and instructions are matched by name, then by their `op_name`, then by opcode, shapes and attributes (which\n\
              give them the same maps), then in order by opcode and shape. Reads are compared by proof, not as text: a change\n\
              comes with an element that only one of the two reads. First come instructions that read something else, then those\n\
              with other operands or another shape, then new ones and those that are gone. With --entry the result is compared,\n\
              through all instructions and loops, in three layers: elements read as data; elements read only to find the data, as an\n\
              offset or index, which is not a change if the data is the same for every index; and whether the values are the same\n\
              computation. \"Nothing differs\" means that all three are shown; \"reads agree\" is no claim about the values. Values\n\
              that are known only at run time are the same if they are computed in the same way. `diff DIR` goes over the\n\
              passes that --xla_dump_to wrote to a directory, with a line for each, and names the first one of each module that\n\
              changes what its result reads or computes. A module that cannot be read is reported, and left out. With --html FILE\n\
              the answers for all passes are written as one page.\n\
              The exit status is 0 if no difference was found, 1 if something differs, and 3 if reads are undecided.",
    example: &["diff model.hlo model.hlo"],
    makes_map: false,
    keys: r##"
    "pass": { "description": "Of `diff DIR`: the file of a pass.", "type": "string" },
    "outcome": { "description": "Of `diff DIR`: the verdict on a pass.", "enum": ["same", "rounded", "same_reads", "unknown", "computed_otherwise", "changed", "left_out"] }"##,
    run,
};

fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    let old = call.argument(0)?.clone();
    let Some(new) = call.arguments.positional.get(1).cloned() else {
        return passes::compare(call);
    };
    if call.text_of(&HTML).is_some() {
        let failure = call.wrong_usage("a page is about the passes of a directory");
        return Err(failure.hint("`diff dump --html passes.html`"));
    }
    let texts = [TextFile::read(call, &old)?, TextFile::read(call, &new)?];
    let [old, new] = texts.map(ReadFile::read);
    let mut tally = Tally::default();
    let steps = Steps::of_command(&call.proof_budget());
    compare_files(call, [&old?, &new?], None, &steps, &mut tally)?;
    call.emit(summary(&tally));
    Ok(())
}
