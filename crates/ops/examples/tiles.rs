//! Which part of each operand does a kernel load for one tile of its output? `cargo run -p affinor-ops --example tiles`

#![allow(clippy::print_stdout, reason = "an example prints")]

use affinor::expr::IndexingMap;
use affinor::num::{Fuel, Interrupt};
use affinor::prove::Budget;
use affinor::simplify::{Options, Simplifier};
use affinor::text::{Style, print_expr, variable_names};
use affinor_ops::footprint::tiling::{Grid, Means, STEPS, Side, propagate};
use affinor_ops::indexing::Analysis;
use std::error::Error;

const MODULE: &str = "
images = f32[8,66,130,3] parameter(0)
weights = f32[3,3,3,16] parameter(1)
ROOT blurred = f32[8,64,128,16] convolution(images, weights), window={size=3x3}, dim_labels=b01f_01io->b01f";

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    let module = affinor_hlo::read(MODULE.as_bytes())?;
    let simplifier = Simplifier::shipped()?;
    let simplify = |map: &IndexingMap| simplifier.simplify(map, &Options::default()).map;
    let means = Means::new(&simplify, Budget::default(), &Fuel::new(STEPS, &Interrupt::new()));
    let grid = Grid::of_sizes(vec![1, 16, 32, 16])?;
    let entry = module.entry();
    for operand in Analysis::new(&module, &simplify).instruction(entry, module[entry].root())? {
        let Some(maps) = operand.reads.maps() else {
            println!("operand {}: unknown", operand.operand);
            continue;
        };
        for read in maps {
            let Some(tile) = propagate(read, &grid, &means)?? else { continue };
            let names = variable_names(&tile.domain);
            let side = |side: &Side| {
                format!("{} from {}", side.size, print_expr(&side.offset, &names, Style::Plain))
            };
            let sides: Vec<String> = tile.sides.iter().map(side).collect();
            println!(
                "operand {}: {} (exact: {})",
                operand.operand,
                sides.join(", "),
                tile.is_exact()
            );
        }
    }
    Ok(())
}
