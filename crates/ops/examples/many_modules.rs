//! Analyses many modules on all cores, and counts their exact and inexact reads. An invalid module only loses its own answer:
//! `cargo run -p affinor-ops --example many_modules`

#![allow(clippy::print_stdout, reason = "an example prints")]

use affinor::expr::IndexingMap;
use affinor::num::parallel::{Order, in_parallel};
use affinor::simplify::{Options, Simplifier};
use affinor::text::Error;
use affinor_ops::indexing::Analysis;

/// A real program would read these from files.
const MODULES: [(&str, &str); 4] = [
    ("reverse", "p = f32[8] parameter(0)\nROOT r = f32[8] reverse(p), dimensions={0}"),
    (
        "gather",
        "t = f32[10,8] parameter(0)\ni = s32[6,1] parameter(1)\nROOT g = f32[6,8] gather(t, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,8}",
    ),
    (
        "sum",
        "HloModule sum\nadd { a = f32[] parameter(0)\nb = f32[] parameter(1)\nROOT c = f32[] add(a, b) }\nENTRY e { p = f32[8,4] parameter(0)\nzero = f32[] constant(0)\nROOT s = f32[8] reduce(p, zero), dimensions={1}, to_apply=add }",
    ),
    ("broken", "p = f32[8] parameter(0)\nROOT r = f32[8] reverse(q), dimensions={0}"),
];

/// Returns the number of exact reads, and of those that are bounds or unknown.
fn count(simplifier: &Simplifier, text: &str) -> Result<[usize; 2], Error> {
    let module = affinor_hlo::read(text.as_bytes())?;
    let simplify = |map: &IndexingMap| simplifier.simplify(map, &Options::default()).map;
    let mut counts = [0; 2];
    for (_, reads) in Analysis::new(&module, &simplify).instructions() {
        reads?.iter().for_each(|entry| counts[usize::from(!entry.reads.is_exact())] += 1);
    }
    Ok(counts)
}

pub(crate) fn main() -> Result<(), Error> {
    let simplifier = Simplifier::shipped()?;
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let answer = |simplifier: &mut Simplifier, (name, text)| (name, count(simplifier, text));
    // The answers are returned in the order of the modules, each as soon as it and those before it are available.
    in_parallel(
        (threads, Order::OfTasks),
        MODULES.to_vec(),
        &|| simplifier.clone(),
        &answer,
        &mut |(name, counts)| {
            match counts {
                Ok([exact, others]) => println!("{name}: {exact} exact, {others} not"),
                Err(error) => println!("{name}: {}", error.message),
            }
            Ok(())
        },
    )
}
