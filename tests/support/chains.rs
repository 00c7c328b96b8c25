//! Random maps by seed, and the laws of their certificates and of the chains derived from these.
//!
//! A third of the maps nests min and max, a third mixes them with sums and divisions; the others are small ones like `max(d1,
//! max(d0, 3) ceildiv 2, 0)`, of which one in a hundred once had a correct certificate that was rejected.

use affinor::certificate::{ARITHMETIC, Step};
use affinor::expr::{Domain, IndexingMap};
use affinor::simplify::{Options, Simplifier};
use affinor::text::{Style, parse_expr, parse_map, print_expr, variable_names};
use std::collections::BTreeSet;

/// Numbers by seed: splitmix64.
struct Draw(u64);

impl Draw {
    fn below(&mut self, count: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % count
    }

    fn within(&mut self, lo: i64, hi: i64) -> i64 {
        lo + self.below((hi - lo + 1) as u64) as i64
    }

    fn one_of<'t>(&mut self, all: &[&'t str]) -> &'t str {
        all[self.below(all.len() as u64) as usize]
    }
}

const EXTREMES: &[&str] = &["min", "max"];
const DIVISIONS: &[&str] = &["floordiv", "ceildiv", "mod"];

/// Draws an expression over `d0` and `d1`; `sums` and `extremes` of eight operations are sums, and mins or maxes.
fn expr(draw: &mut Draw, (sums, extremes): (u64, u64), depth: u32) -> String {
    if depth == 0 || draw.below(6) == 0 {
        return match draw.below(3) {
            0 => draw.within(-4, 9).to_string(),
            _ => format!("d{}", draw.below(2)),
        };
    }
    let x = expr(draw, (sums, extremes), depth - 1);
    let kind = draw.below(8);
    if kind < sums {
        let y = expr(draw, (sums, extremes), depth - 1);
        let (a, b) = (draw.within(-3, 8), draw.within(-3, 4));
        format!("(({x}) * {a} + ({y}) * {b} + {})", draw.within(-4, 9))
    } else if kind < sums + extremes {
        let mut list = vec![x];
        for _ in 0..=draw.below(3) / 2 {
            list.push(match draw.below(2) {
                0 => draw.within(-3, 9).to_string(),
                _ => expr(draw, (sums, extremes), depth - 1),
            });
        }
        format!("{}({})", draw.one_of(EXTREMES), list.join(", "))
    } else {
        format!("(({x}) {} {})", draw.one_of(DIVISIONS), draw.within(2, 9))
    }
}

/// Draws an expression like `max(d1, max(d0, 3) ceildiv 2, 0)`.
fn small(draw: &mut Draw) -> String {
    let (outer, inner) = (draw.one_of(EXTREMES), draw.one_of(EXTREMES));
    let (a, b) = (draw.within(0, 5), draw.within(0, 5));
    let (division, c) = (draw.one_of(DIVISIONS), draw.within(2, 5));
    let text = format!("{outer}(d1, {inner}(d0, {a}) {division} {c}, {b})");
    match draw.below(3) {
        0 => format!("{text} {} {}", draw.one_of(DIVISIONS), draw.within(2, 5)),
        _ => text,
    }
}

/// Draws the map of a seed: two dimensions, one or two results, and in one of five a constraint.
pub fn map(seed: u64) -> IndexingMap {
    let draw = &mut Draw(seed);
    let weights = [(3, 3), (2, 5), (2, 4), (0, 0)][draw.below(4) as usize];
    let mut results = Vec::new();
    for _ in 0..=draw.below(4) / 3 {
        let depth = 2 + draw.below(2) as u32;
        results.push(match weights {
            (0, 0) => small(draw),
            _ => expr(draw, weights, depth),
        });
    }
    let mut domain = Vec::new();
    for name in ["d0", "d1"] {
        let lo = if draw.below(3) == 0 { draw.within(-9, 3) } else { 0 };
        domain.push(format!("{name} in [{lo}, {}]", lo + draw.within(0, 12)));
    }
    if draw.below(5) == 0 {
        let lo = draw.within(-6, 6);
        let constraint = expr(draw, (2, 2), 2);
        domain.push(format!("{constraint} in [{lo}, {}]", lo + draw.within(0, 20)));
    }
    let text = format!("(d0, d1) -> ({}), domain: {}", results.join(", "), domain.join(", "));
    parse_map(&text).unwrap_or_else(|error| panic!("{error:?} in {text}"))
}

/// The findings for one map.
#[derive(Default)]
pub struct Found {
    /// Whether the simplification changed the map.
    pub changed: bool,
    /// Whether its certificate was rejected.
    pub rejected: bool,
    /// Whether its narration is a single line for the whole map.
    pub untold: bool,
    /// The number of lines that change something.
    pub lines: usize,
    /// The number of steps that change a line only together with the next one.
    pub joint: usize,
}

/// Simplifies a map with a certificate, and checks the laws of the chain.
///
/// # Errors
/// The law that is violated.
pub fn judge(simplifier: &Simplifier, map: &IndexingMap) -> Result<Found, String> {
    let options = Options::default();
    let certified = simplifier.certify(map, &options);
    let (before, after) = (map, &certified.outcome.map);
    let steps = simplifier.steps(&certified, &options);
    let mut found = Found {
        changed: before != after,
        rejected: certified.verdict.is_err(),
        ..Found::default()
    };
    if found.changed == steps.is_empty() {
        return Err("there are steps exactly if something changed".to_owned());
    }
    let named: BTreeSet<&str> = steps.iter().map(|step| step.rule.as_str()).collect();
    let named: BTreeSet<&str> = named.into_iter().filter(|name| *name != ARITHMETIC).collect();
    let certificate = &certified.certificate;
    let used: BTreeSet<&str> = certificate.steps().map(|step| step.rule.as_str()).collect();
    if named != used {
        return Err(format!("{named:?} are named, {used:?} are in the certificate"));
    }
    // A certificate that has no chain is narrated as one line for the whole map.
    let whole = affinor::text::print_map(map, Style::Plain);
    let is_one_line = steps.first().is_some_and(|step| step.before == whole);
    if found.rejected || is_one_line {
        found.untold = true;
        let answer = affinor::text::print_map(after, Style::Plain);
        return match steps.last() {
            Some(last) if last.after != answer => Err("the last line is not the answer".to_owned()),
            _ => Ok(found),
        };
    }
    let names = variable_names(map.domain());
    let points = box_points(map.domain());
    let text = |map: &IndexingMap, result: Option<usize>| match result {
        Some(result) => print_expr(&map.results()[result], &names, Style::Plain),
        None => domain_text(map),
    };
    for (index, step) in steps.iter().enumerate() {
        let of_same = |other: &&Step| other.result == step.result;
        let line = match index.checked_sub(1).map(|index| &steps[index]).filter(of_same) {
            Some(before) => before.after.clone(),
            None => text(before, step.result),
        };
        if line != step.before {
            return Err(format!("step {index} does not go on from the line before"));
        }
        if steps.get(index + 1).filter(of_same).is_none() && step.after != text(after, step.result)
        {
            return Err(format!("step {index} does not end at the answer"));
        }
        let same = match step.result {
            Some(_) => {
                let read = |text: &str| parse_expr(text, &names).map_err(|error| error.message);
                let (x, y) = (read(&step.before)?, read(&step.after)?);
                points.iter().all(|point| {
                    map.domain().contains(point) != Ok(true) || x.eval(point) == y.eval(point)
                })
            }
            None => {
                let (x, y) = (read_domain(map, &step.before)?, read_domain(map, &step.after)?);
                let has = |domain: &Domain, point| domain.contains(point) == Ok(true);
                points.iter().all(|point| has(&x, point) == has(&y, point))
            }
        };
        if !same {
            return Err(format!("step {index}: {} is not {}", step.before, step.after));
        }
        found.lines += usize::from(step.before != step.after);
        let is_support = steps.iter().any(|other| other.rests_on.contains(&index));
        found.joint += usize::from(step.before == step.after && !is_support);
    }
    Ok(found)
}

fn domain_text(map: &IndexingMap) -> String {
    let map = IndexingMap::new(map.domain().clone(), Vec::new());
    let text = affinor::text::print_map(&map, Style::Plain);
    let domain = text.split_once("domain: ").map(|(_, domain)| domain);
    domain.unwrap_or_default().to_owned()
}

fn read_domain(map: &IndexingMap, text: &str) -> Result<Domain, String> {
    let mut empty = map.domain().clone();
    if text == "empty" {
        empty.make_empty();
        return Ok(empty);
    }
    let map = parse_map(&format!("(d0, d1) -> (), domain: {text}"));
    map.map(|map| map.domain().clone()).map_err(|error| error.message)
}

/// Returns every point of the box of the variables.
fn box_points(domain: &Domain) -> Vec<Vec<i64>> {
    let mut points = vec![Vec::new()];
    for variable in domain.variables() {
        let values = variable.bounds.lo()..=variable.bounds.hi();
        let longer = |point: &Vec<i64>| -> Vec<Vec<i64>> {
            values.clone().map(|x| [point.as_slice(), &[x]].concat()).collect()
        };
        points = points.iter().flat_map(longer).collect();
    }
    points
}
