//! The time to compute the cost of a grid of about a million threads: `cargo bench -p affinor-ops --bench access`.
//!
//! Prints the CPU time of [`cost`], including the simplification of the position, averaged over [`ROUNDS`] runs, with the basis
//! of the answer and the number of accesses that were evaluated.

use affinor::expr::IndexingMap;
use affinor::simplify::Simplifier;
use affinor::text::{Error, parse_map};
use affinor_hlo as hlo;
use affinor_layout::cute;
use affinor_layout::memory::Placement;
use affinor_ops::footprint::access::{Grid, Measure, Memory, Preset, Walk, cost};
use cpu_time::ThreadTime;
use std::fmt::Write;
use std::hint::black_box;
use std::io;

/// The number of runs of each question.
const ROUNDS: u32 = 20;

const SECTORS: Measure = Measure::Transactions { bytes: 32 };
const BANKS: Measure = Measure::Banks { banks: 32, bytes: 4 };

/// A name, the preset, the map from the result to the operand if it is not the identity, and the layout of the operand.
type Question = (&'static str, Preset, Option<&'static str>, &'static str, Measure);

const TRANSPOSE: &str = "(d0, d1) -> (d1, d0), domain: d0 in [0, 1023], d1 in [0, 1023]";
const ODD: &str = "(d0, d1) -> (d1, d0), domain: d0 in [0, 999], d1 in [0, 999]";
const CLAMP: &str = "(d0, d1) -> (min(d0 + d1, 999), d1), domain: d0 in [0, 999], d1 in [0, 999]";

const QUESTIONS: [Question; 9] = [
    ("linear", Preset::Linear, None, "f32[1024,1024]{1,0}", SECTORS),
    ("vectorised", Preset::Vectorised, None, "f32[1024,1024]{1,0}", SECTORS),
    ("read of a transpose", Preset::Linear, Some(TRANSPOSE), "f32[1024,1024]{1,0}", SECTORS),
    (
        "through shared memory",
        Preset::TransposeRead,
        Some(TRANSPOSE),
        "f32[1024,1024]{1,0}",
        SECTORS,
    ),
    ("last block cut off", Preset::Linear, None, "f32[1000,1000]{1,0}", SECTORS),
    ("1000 x 1000, transposed", Preset::Linear, Some(ODD), "f32[1000,1000]{1,0}", SECTORS),
    ("tiled", Preset::Linear, None, "f32[1024,1024]{1,0:T(8,128)}", SECTORS),
    ("swizzled banks", Preset::TransposeRead, None, "Swizzle<5,0,5> o (1024,1024):(1024,1)", BANKS),
    ("a clamp: no closed form", Preset::Linear, Some(CLAMP), "f32[1000,1000]{1,0}", SECTORS),
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let simplifier = Simplifier::shipped()?;
    let mut report = "| question | threads | ms | of this simplifying | stands on | looked at | transactions or passes | ideal |\n".to_owned();
    writeln!(report, "|{}", "---|".repeat(8))?;
    for question in QUESTIONS {
        let (position, grid, memory) = asked(question)?;
        let ask = || cost(&position, &grid, memory, &simplifier, None);
        let found = ask()?;
        let start = ThreadTime::now();
        for _ in 0..ROUNDS {
            black_box(ask())?;
        }
        let all = start.elapsed() / ROUNDS;
        let start = ThreadTime::now();
        for _ in 0..ROUNDS {
            black_box(simplifier.simplify(&found.given, &affinor::simplify::Options::default()));
        }
        let simplifying = start.elapsed() / ROUNDS;
        let coverage = format!("{:?}", found.basis).to_lowercase();
        writeln!(
            report,
            "| {} | {} | {:.3} | {:.3} | {} | {} | {} | {} |",
            question.0,
            found.all * 32,
            all.as_secs_f64() * 1e3,
            simplifying.as_secs_f64() * 1e3,
            coverage,
            found.looked_at,
            found.total,
            found.ideal
        )?;
    }
    io::Write::write_all(&mut io::stdout(), report.as_bytes())?;
    Ok(())
}

/// Returns the map from threads to positions.
fn asked(question: Question) -> Result<(IndexingMap, Grid, Memory), Box<dyn std::error::Error>> {
    let (_, preset, map, layout, measure) = question;
    let (lies, sizes) = lies(layout)?;
    let (threads, grid) = preset.map(&Walk {
        sizes: &sizes,
        minor_to_major: &[1, 0],
        element_bits: 32,
        block: Some(256),
        vector: None,
        beside: None,
        reduced: &[],
    })?;
    let threads = match map {
        None => threads,
        Some(map) => threads.then(&parse_map(map)?)?,
    };
    let memory = Memory { element_bits: 32, offset: 0, measure };
    Ok((threads.then(&lies)?, grid, memory))
}

fn lies(layout: &str) -> Result<(IndexingMap, Vec<i64>), Error> {
    let shape = hlo::read_shape(layout);
    let placement = match shape.as_ref().ok().and_then(|shape| shape.as_array()) {
        Some(array) => Placement::new(array)?,
        None => {
            let layout = cute::Layout::read(layout)?;
            return Ok((layout.map().clone(), layout.sizes()));
        }
    };
    Ok((placement.position().clone(), placement.sizes().to_vec()))
}
