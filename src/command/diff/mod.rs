//! `diff`: the instructions of two modules whose reads differ.

mod compare;
mod pairs;
mod passes;
mod same;

use crate::command::custom::CUSTOM;
use crate::command::failure::Failure;
use crate::command::table::{Call, Command, Kind, Parameter};
use crate::command::text_file::TextFile;
use compare::{ENTRY, Tally, compare_files, summary};

pub const DIFF: Command = Command {
    name: "diff",
    parameters: &[
        Parameter::required("OLD", Kind::File),
        Parameter::optional("NEW", Kind::File),
    ],
    options: &[ENTRY.switch, CUSTOM.switch],
    summary: "list the instructions of two HLO modules whose reads differ",
    details: "Computations and instructions are matched by name, then by their `op_name`, then by opcode, shapes and attributes (which\n\
              give them the same maps), then in order by opcode and shape. Reads are compared by proof, not as text: a change\n\
              comes with an element that only one of the two reads. First come instructions that read something else, then those\n\
              with other operands or another shape, then new ones and those that are gone. With --entry the result is compared,\n\
              through all instructions and loops; values that are known only at run time are the same where they are computed in\n\
              the same way. `diff DIR` goes over the passes that --xla_dump_to wrote to a directory, and names the first one of\n\
              each module that changes what its result reads.\n\
              The exit status is 0 if nothing differs, 1 if something does, and 3 if something is undecided.",
    example: &["diff model.hlo model.hlo"],
    makes_map: false,
    run,
};

fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    let old = call.argument(0)?.clone();
    let Some(new) = call.arguments.positional.get(1).cloned() else {
        return passes::compare(call);
    };
    let files = [TextFile::read(call, &old)?, TextFile::read(call, &new)?];
    let mut tally = Tally::default();
    compare_files(call, &files, None, &mut tally)?;
    call.emit(summary(&tally));
    Ok(())
}
