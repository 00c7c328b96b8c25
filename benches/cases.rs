//! Size and time of simplified maps: the strategy alone, with saturation after it, and saturation alone.
//!
//! `cargo bench -p affinor --bench cases` simplifies two sets of expressions of one result each: `benches/data/cases.jsonl`
//! (chains of reshapes, transposes, slices, pads and tilings) and `benches/data/fresh_cases.jsonl` (twelve other kinds), and
//! compares the results with the smallest answers of other simplifiers. Times are CPU times of this thread, the minimum of six
//! runs if runs are short; only their ratios to the times of the strategy are portable.

#[path = "../tests/support/cases.rs"]
mod cases;

use affinor::expr::shared_cost;
use affinor::simplify::{Effort, Options, Simplifier};
use cases::{Case, chains, fresh};
use cpu_time::ThreadTime;
use std::fmt::Write;

const ENGINES: [(&str, Effort); 4] = [
    ("strategy", Effort::Strategy),
    ("bounded saturation after it, the default", Effort::Bounded),
    ("long saturation after it", Effort::Long),
    ("long saturation alone", Effort::SaturationAlone),
];

const HEAD: &str = "\
| engine | at or below best known | below | ops | shared parts once | floordiv/mod | median, times the strategy's | p95, times the strategy's | median ms | p95 ms | max ms | stopped |
|---|---|---|---|---|---|---|---|---|---|---|---|
";

/// The results of an engine on a set, summed up.
#[derive(Default)]
struct Measured {
    at: usize,
    below: usize,
    ops: u64,
    shared: u64,
    divmods: u64,
    stopped: usize,
    /// Milliseconds of each case, in increasing order.
    times: Vec<(f64, String)>,
}

impl Measured {
    fn of(cases: &[Case], simplifier: &Simplifier, effort: Effort) -> Measured {
        let options = Options { effort, ..Options::default() };
        // Efforts that take a tenth of a second are timed once.
        let runs = if effort > Effort::Bounded { 1 } else { 6 };
        let mut measured = Measured::default();
        for case in cases {
            let run = |_| {
                let start = ThreadTime::now();
                let outcome = simplifier.simplify(&case.map, &options);
                (start.elapsed().as_secs_f64() * 1e3, outcome)
            };
            let fastest = (0..runs).map(run).min_by(|x, y| x.0.total_cmp(&y.0));
            let Some((time, outcome)) = fastest else {
                continue;
            };
            let cost = outcome.map.cost();
            measured.at += usize::from(cost.ops <= case.best);
            measured.below += usize::from(cost.ops < case.best);
            measured.ops += cost.ops;
            measured.shared += shared_cost(outcome.map.results()).ops;
            measured.divmods += cost.divmods;
            measured.stopped += usize::from(outcome.stopped.is_some());
            measured.times.push((time, case.id.clone()));
        }
        measured.times.sort_by(|x, y| x.0.total_cmp(&y.0));
        measured
    }

    /// Returns the time that `share` percent of the cases stay below.
    fn time(&self, share: usize) -> f64 {
        self.times[self.times.len() * share / 100].0
    }
}

fn table(cases: &[Case], simplifier: &Simplifier) -> Result<String, Box<dyn std::error::Error>> {
    let known: u64 = cases.iter().map(|case| case.best).sum();
    let mut text =
        format!("{} cases; the best-known sizes sum to {known} operations\n{HEAD}", cases.len());
    let mut strategy = None;
    for (name, effort) in ENGINES {
        let measured = Measured::of(cases, simplifier, effort);
        let (median, p95) = (measured.time(50), measured.time(95));
        let (unit_median, unit_p95) = *strategy.get_or_insert((median, p95));
        let (max, slowest) = measured.times.last().ok_or("no cases")?;
        writeln!(
            text,
            "| {name} | {} | {} | {} | {} | {} | {:.2} | {:.2} | {median:.3} | {p95:.3} | {max:.1} ({slowest}) | {} |",
            measured.at,
            measured.below,
            measured.ops,
            measured.shared,
            measured.divmods,
            median / unit_median,
            p95 / unit_p95,
            measured.stopped
        )?;
    }
    Ok(text)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let simplifier = Simplifier::shipped()?;
    for cases in [chains(), fresh()] {
        let text = table(&cases, &simplifier)? + "\n";
        std::io::Write::write_all(&mut std::io::stdout(), text.as_bytes())?;
    }
    Ok(())
}
