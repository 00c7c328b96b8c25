//! Size and time of simplified maps: the strategy alone, with the e-graph, with saturation.
//!
//! `cargo bench -p affinor --bench cases` reads `benches/data/cases.jsonl` (chains of reshapes, transposes, slices,
//! pads and tilings, one result each) and compares with the smallest answers of other simplifiers in
//! `benches/data/best_known.tsv`. Times are CPU times of this thread, the least of five runs.

use affinor::expr::shared_cost;
use affinor::map::IndexingMap;
use affinor::rule::RuleSet;
use affinor::simplify::{Budget, Effort, Simplifier};
use affinor::syntax::parse_map;
use cpu_time::ThreadTime;
use std::collections::BTreeMap;
use std::fmt::Write;

struct Case {
    id: String,
    map: IndexingMap,
    best: u64,
}

fn cases() -> Result<Vec<Case>, Box<dyn std::error::Error>> {
    let best: BTreeMap<&str, u64> = include_str!("data/best_known.tsv")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| {
            let mut fields = line.split('\t');
            Some((fields.next()?, fields.next()?.parse().ok()?))
        })
        .collect();
    let mut cases = Vec::new();
    for line in include_str!("data/cases.jsonl").lines() {
        let case: serde_json::Value = serde_json::from_str(line)?;
        let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
        let (mut names, mut bounds) = (Vec::new(), Vec::new());
        for (name, range) in case["vars"].as_object().into_iter().flatten() {
            names.push(name.clone());
            bounds.push(format!("{name} in [{}, {}]", range[0], range[1]));
        }
        let map = format!(
            "({}) -> ({}), domain: {}",
            names.join(", "),
            text(&case["expr"]),
            bounds.join(", ")
        );
        let id = text(&case["id"]);
        let best = best
            .get(id.as_str())
            .copied()
            .ok_or("a case without a best-known size")?;
        cases.push(Case {
            map: parse_map(&map)?,
            best,
            id,
        });
    }
    Ok(cases)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let cases = cases()?;
    let simplifier = Simplifier::new(RuleSet::shipped()?)?;
    let known: u64 = cases.iter().map(|case| case.best).sum();
    let mut report = format!(
        "{} cases; the best-known sizes sum to {known} operations\n",
        cases.len()
    );
    writeln!(
        report,
        "| engine | at or below best known | below | ops | shared parts once | floordiv/mod | median ms | p95 ms | max ms | stopped |"
    )?;
    writeln!(report, "|---|---|---|---|---|---|---|---|---|---|")?;
    for (name, effort) in [
        ("strategy", Effort::Strategy),
        ("bounded saturation after it, the default", Effort::Bounded),
        ("long saturation after it", Effort::Long),
        ("long saturation alone", Effort::SaturationAlone),
    ] {
        let budget = Budget {
            effort,
            ..Budget::default()
        };
        let (mut at, mut below, mut ops, mut shared, mut divmods, mut stopped) = (0, 0, 0, 0, 0, 0);
        let mut times: Vec<(f64, &str)> = Vec::new();
        for case in &cases {
            let mut least = f64::INFINITY;
            let mut outcome = None;
            // What takes a tenth of a second is timed once.
            for _ in 0..if effort > Effort::Bounded { 1 } else { 6 } {
                let start = ThreadTime::now();
                outcome = Some(simplifier.simplify(&case.map, &budget));
                least = least.min(start.elapsed().as_secs_f64() * 1e3);
            }
            let Some(outcome) = outcome else { continue };
            let cost = outcome.map.cost();
            at += usize::from(cost.ops <= case.best);
            below += usize::from(cost.ops < case.best);
            ops += cost.ops;
            shared += shared_cost(outcome.map.results()).ops;
            divmods += cost.divmods;
            stopped += usize::from(outcome.stopped.is_some());
            times.push((least, &case.id));
        }
        times.sort_by(|x, y| x.0.total_cmp(&y.0));
        let at_share = |share: usize| times[times.len() * share / 100];
        let (median, p95, max) = (at_share(50).0, at_share(95).0, times[times.len() - 1]);
        writeln!(
            report,
            "| {name} | {at} | {below} | {ops} | {shared} | {divmods} | {median:.3} | {p95:.3} | {:.1} ({}) | {stopped} |",
            max.0, max.1
        )?;
    }
    std::io::Write::write_all(&mut std::io::stdout(), report.as_bytes())?;
    Ok(())
}
