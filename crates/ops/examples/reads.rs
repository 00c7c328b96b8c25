//! Which elements of its parameters does the result of a module read? `cargo run -p affinor-ops --example reads`

#![allow(clippy::print_stdout, reason = "an example prints")]

use affinor::expr::IndexingMap;
use affinor::simplify::{Options, Simplifier};
use affinor::text::Error;
use affinor_ops::indexing::{Analysis, Exactness, Reads};

const MODULE: &str = "
scores = f32[4,32,32] parameter(0)
values = f32[32,4,16] parameter(1)
turned = f32[4,32,16] transpose(values), dimensions={1,0,2}
mixed = f32[4,32,16] dot(scores, turned), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}
first = f32[4,8,16] slice(mixed), slice={[0:4], [0:8], [0:16]}
ROOT flat = f32[4,128] reshape(first)";

pub(crate) fn main() -> Result<(), Error> {
    let module = affinor_hlo::read(MODULE.as_bytes())?;
    let simplifier = Simplifier::shipped()?;
    let simplify = |map: &IndexingMap| simplifier.simplify(map, &Options::default()).map;
    let entry = &module[module.entry()];
    for entry_reads in Analysis::new(&module, &simplify).computation(module.entry())?.iter() {
        let parameter = entry[entry.parameters()[entry_reads.operand]].name();
        match &entry_reads.reads {
            Reads::Unknown { reason } => println!("{parameter}: unknown, {reason}"),
            Reads::Maps(maps) => maps.iter().for_each(|read| match &read.exactness {
                Exactness::Exact => println!("{parameter}: {}", read.map),
                Exactness::AtMost { reason } => {
                    println!("{parameter}: at most {}, {reason}", read.map)
                }
            }),
        }
    }
    Ok(())
}
