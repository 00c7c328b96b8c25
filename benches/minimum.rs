//! Measures how often a result is as small as its function can be written.
//!
//! `cargo bench -p affinor --bench minimum -- [CASES.jsonl ..]` simplifies small expressions, at the default effort and at effort
//! 2, and compares the size of each result of one to [`MOST`] operations with the true minimum. The minimum is found by listing
//! every function that an expression with at most `MOST - 1` operations has on the box of the remaining variables: sums,
//! differences, products, quotients and remainders with integers up to [`LARGEST`], min and max. Two expressions are the same
//! function if they have the same values at all points. Functions of the last level are not stored, only compared with the
//! targets.
//!
//! The expressions are those of `benches/data/fresh_cases.jsonl` and of the given files, by kind (the letters that an id begins
//! with), whose box has at most [`POINTS`] points, and random ones over [`BOXES`]. Only one expression of each kind is examined
//! for each function. Results that are larger than necessary are listed with the smaller form.
//!
//! Limitation: a smaller form with larger integers is not found.

use affinor::expr::{Domain, Expr, ExprError, IndexingMap, Variable, VariableId, VariableKind};
use affinor::num::Interval;
use affinor::simplify::{Effort, Options, Simplifier};
use affinor::text::{Style, parse_map, print_map};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::io::Write as _;
use std::ops::Range;
use std::rc::Rc;

/// The largest integer of a listed expression.
const LARGEST: i32 = 64;

/// The maximum number of operations of examined results.
const MOST: usize = 4;

/// The maximum number of points of a box.
const POINTS: i64 = 64;

/// The boxes of random expressions, and the number of expressions for each.
const BOXES: [&[i64]; 4] = [&[24], &[8, 4], &[3, 10], &[2, 3, 5]];
const RANDOM: usize = 800;

const FRESH: &str = include_str!("data/fresh_cases.jsonl");

/// The values of a function at all points of a box.
type Values = Rc<[i32]>;

/// The intervals of a function's variables.
type Bounds = Vec<(i64, i64)>;

/// A simplified map with one result.
struct Case {
    id: String,
    kind: String,
    map: IndexingMap,
    ops: usize,
    /// The result at effort 2.
    long: IndexingMap,
    long_ops: usize,
    /// The names of the variables, in the order of the box.
    names: Vec<String>,
    values: Values,
}

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let simplifier = Simplifier::shipped()?;
    let mut given = Vec::new();
    for sizes in BOXES {
        draw(sizes, &mut given)?;
    }
    read(FRESH, &mut given)?;
    for path in std::env::args().skip(1).filter(|name| !name.starts_with('-')) {
        read(&std::fs::read_to_string(path)?, &mut given)?;
    }
    let mut boxes: BTreeMap<Bounds, Vec<Case>> = BTreeMap::new();
    let mut seen = FxHashSet::default();
    for (id, map) in given {
        if let Some((bounds, case)) = simplified(&simplifier, id, &map)?
            && seen.insert((case.kind.clone(), bounds.clone(), case.values.clone()))
        {
            boxes.entry(bounds).or_default().push(case);
        }
    }

    let mut counts: BTreeMap<&str, [usize; 5]> = BTreeMap::new();
    let mut larger = Vec::new();
    for (bounds, cases) in &boxes {
        let list = Functions::of(bounds, cases.iter().map(|case| case.values.clone()).collect());
        for case in cases {
            let found = list.found.get(&case.values);
            let least = found.map_or(usize::MAX, |(ops, _)| *ops);
            let least = least.min(case.ops).min(case.long_ops);
            let [results, at, one, more, at_long] = counts.entry(&case.kind).or_default();
            *results += 1;
            *[at, one, more][(case.ops - least).min(2)] += 1;
            *at_long += usize::from(case.long_ops == least);
            if case.ops > least {
                let smaller = match found {
                    Some((ops, made)) if *ops == least => list.text(*made, &case.names),
                    _ => print_map(&case.long, Style::Plain).to_string(),
                };
                let mut line = format!(
                    "{}: {}\n  {} operations, {least}: {smaller}\n",
                    case.id,
                    print_map(&case.map, Style::Plain),
                    case.ops
                );
                if case.long_ops < case.ops {
                    writeln!(line, "  effort 2 leaves {}", case.long_ops)?;
                }
                larger.push((&case.kind, case.ops, line));
            }
        }
    }

    let mut report = format!(
        "| kind | results | at the minimum | one above | more | at the minimum, effort 2 |\n|{}\n",
        "---|".repeat(6)
    );
    let mut all = [0; 5];
    for count in counts.values() {
        (all.iter_mut().zip(count)).for_each(|(sum, count)| *sum += count);
    }
    for (kind, [results, at, one, more, long]) in counts.into_iter().chain([("**all**", all)]) {
        let share = |count: usize| 100.0 * count as f64 / results as f64;
        writeln!(
            report,
            "| {kind} | {results} | {at} ({:.1} %) | {one} | {more} | {long} ({:.1} %) |",
            share(at),
            share(long)
        )?;
    }
    larger.sort();
    let lines: String = larger.into_iter().map(|(_, _, line)| line).collect();
    let text = format!("{report}\nlarger than they must be, on {} boxes:\n{lines}", boxes.len());
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(())
}

/// Adds the cases of lines `{"id", "vars", "expr"}`.
fn read(lines: &str, given: &mut Vec<(String, IndexingMap)>) -> Result<(), Failure> {
    for line in lines.lines() {
        let case: serde_json::Value = serde_json::from_str(line)?;
        let (mut names, mut bounds) = (Vec::new(), Vec::new());
        for (name, range) in case["vars"].as_object().into_iter().flatten() {
            names.push(name.clone());
            bounds.push(format!("{name} in [{}, {}]", range[0], range[1]));
        }
        let (id, expr) = (&case["id"], &case["expr"]);
        let (id, expr) = (id.as_str().ok_or("no id")?, expr.as_str().ok_or("no expr")?);
        let text = format!("({}) -> ({expr}), domain: {}", names.join(", "), bounds.join(", "));
        let map = parse_map(&text).map_err(|error| format!("{error:?} in {text}"))?;
        given.push((id.to_owned(), map));
    }
    Ok(())
}

/// Returns the simplified case and its box, if the result has few enough operations and the box few enough points.
fn simplified(
    simplifier: &Simplifier,
    id: String,
    given: &IndexingMap,
) -> Result<Option<(Bounds, Case)>, Failure> {
    let at = |effort| {
        let options = Options { effort, ..Options::default() };
        let map = simplifier.simplify(given, &options).map;
        let ops = map.cost().ops as usize;
        (map, ops)
    };
    let (map, ops) = at(Effort::default());
    if !(1..=MOST).contains(&ops) {
        return Ok(None);
    }
    let map = map.without_unused(&[VariableKind::Dimension]);
    let variables = map.domain().variables();
    let bounds_of = |k: usize| (variables[k].bounds.lo(), variables[k].bounds.hi());
    let mut order: Vec<usize> = (0..variables.len()).collect();
    order.sort_by_key(|k| bounds_of(*k));
    let bounds: Bounds = order.iter().map(|k| bounds_of(*k)).collect();
    let sizes = bounds.iter().map(|(lo, hi)| hi.saturating_sub(*lo).saturating_add(1));
    if sizes.fold(1, i64::saturating_mul) > POINTS {
        return Ok(None);
    }
    let mut values = Vec::new();
    for point in points(&bounds) {
        let mut given = vec![0; point.len()];
        order.iter().zip(&point).for_each(|(k, x)| given[*k] = *x);
        values.push(i32::try_from(map.eval(&given)?[0])?);
    }
    let names = order.iter().map(|k| variables[*k].name.to_string()).collect();
    let (long, long_ops) = at(Effort::Long);
    let kind = id.chars().take_while(char::is_ascii_alphabetic).collect();
    let values = values.into();
    Ok(Some((bounds, Case { id, kind, map, ops, long, long_ops, names, values })))
}

fn points(bounds: &[(i64, i64)]) -> Vec<Vec<i64>> {
    bounds.iter().fold(vec![Vec::new()], |points, (lo, hi)| {
        let extend = |point: &Vec<i64>| {
            let point = point.clone();
            (*lo..=*hi).map(move |x| [&point[..], &[x]].concat())
        };
        points.iter().flat_map(extend).collect()
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Op {
    Add,
    Subtract,
    Times,
    FloorDiv,
    Mod,
    Min,
    Max,
}

impl Op {
    fn of(self, x: i32, y: i32) -> i32 {
        match self {
            Op::Add => x.wrapping_add(y),
            Op::Subtract => x.wrapping_sub(y),
            Op::Times => x.wrapping_mul(y),
            Op::FloorDiv => x.div_euclid(y),
            Op::Mod => x.rem_euclid(y),
            Op::Min => x.min(y),
            Op::Max => x.max(y),
        }
    }
}

/// The construction of a function from listed ones.
#[derive(Clone, Copy)]
enum Made {
    Constant(i32),
    Variable(usize),
    /// An operation with an integer as its right operand.
    With(Op, usize, i32),
    Of(Op, usize, usize),
}

/// The functions of a box, level by level of operations.
struct Functions {
    listed: Vec<(Values, Made)>,
    seen: FxHashSet<Values>,
    targets: FxHashSet<Values>,
    /// Three values of each target, which distinguish it from almost every other function.
    signs: FxHashSet<[i32; 3]>,
    /// The number of operations of each target found so far, and its construction.
    found: FxHashMap<Values, (usize, Made)>,
}

impl Functions {
    fn of(bounds: &[(i64, i64)], targets: FxHashSet<Values>) -> Functions {
        let points = points(bounds);
        let mut list = Functions {
            listed: Vec::new(),
            seen: FxHashSet::default(),
            signs: targets.iter().map(|values| sign(values)).collect(),
            targets,
            found: FxHashMap::default(),
        };
        // A negative integer counts as a minus and an integer, as in the cost of a sum.
        for c in 0..=LARGEST {
            list.keep(vec![c; points.len()].into(), 0, Made::Constant(c));
        }
        for k in 0..bounds.len() {
            let values = points.iter().map(|point| point[k] as i32).collect();
            list.keep(values, 0, Made::Variable(k));
        }
        let mut starts = vec![0, list.listed.len()];
        for ops in 1..MOST {
            let is_last = ops + 1 == MOST;
            list.with_integers(starts[ops - 1]..starts[ops], ops, is_last);
            for left in 0..ops {
                let right = ops - 1 - left;
                for x in starts[left]..starts[left + 1] {
                    for y in starts[right]..starts[right + 1] {
                        // A sum of negative summands only has one minus more than this would count.
                        let negative = list.is_negative_multiple(x);
                        if !negative {
                            list.take(Op::Subtract, x, y, ops, is_last);
                        }
                        if x <= y {
                            if !(negative && list.is_negative_multiple(y)) {
                                list.take(Op::Add, x, y, ops, is_last);
                            }
                            list.take(Op::Min, x, y, ops, is_last);
                            list.take(Op::Max, x, y, ops, is_last);
                        }
                    }
                }
            }
            starts.push(list.listed.len());
        }
        list
    }

    fn with_integers(&mut self, of: Range<usize>, ops: usize, is_last: bool) {
        for x in of {
            if let Made::Constant(_) = self.listed[x].1 {
                continue;
            }
            for c in -LARGEST..=LARGEST {
                let all = [Op::Times, Op::Min, Op::Max, Op::FloorDiv, Op::Mod];
                for op in &all[..if c > 1 { 5 } else { 3 }] {
                    if !is_last
                        || self.is_candidate(
                            |at| op.of(self.listed[x].0[at], c),
                            self.listed[x].0.len(),
                        )
                    {
                        let values: Values =
                            self.listed[x].0.iter().map(|x| op.of(*x, c)).collect();
                        self.met(values, ops, Made::With(*op, x, c), is_last);
                    }
                }
            }
        }
    }

    fn is_negative_multiple(&self, x: usize) -> bool {
        matches!(self.listed[x].1, Made::With(Op::Times, _, ..0))
    }

    fn take(&mut self, op: Op, x: usize, y: usize, ops: usize, is_last: bool) {
        let (left, right) = (&self.listed[x].0, &self.listed[y].0);
        if !is_last || self.is_candidate(|at| op.of(left[at], right[at]), left.len()) {
            let values: Values =
                left.iter().zip(right.iter()).map(|(x, y)| op.of(*x, *y)).collect();
            self.met(values, ops, Made::Of(op, x, y), is_last);
        }
    }

    /// Returns whether a function may be a target.
    fn is_candidate(&self, value: impl Fn(usize) -> i32, len: usize) -> bool {
        self.signs.contains(&places(len).map(value))
    }

    fn met(&mut self, values: Values, ops: usize, made: Made, is_last: bool) {
        if !is_last {
            self.keep(values, ops, made);
        } else if self.targets.contains(&values) {
            self.found.entry(values).or_insert((ops, made));
        }
    }

    fn keep(&mut self, values: Values, ops: usize, made: Made) {
        if self.seen.insert(values.clone()) {
            if self.targets.contains(&values) {
                self.found.entry(values.clone()).or_insert((ops, made));
            }
            self.listed.push((values, made));
        }
    }

    fn text(&self, made: Made, names: &[String]) -> String {
        let part = |k: usize| match self.listed[k].1 {
            made @ (Made::Constant(_) | Made::Variable(_)) => self.text(made, names),
            made => format!("({})", self.text(made, names)),
        };
        let (op, x, y) = match made {
            Made::Constant(c) => return c.to_string(),
            Made::Variable(k) => return names[k].clone(),
            Made::With(op, x, c) => (op, part(x), c.to_string()),
            Made::Of(op, x, y) => (op, part(x), part(y)),
        };
        match op {
            Op::Add => format!("{x} + {y}"),
            Op::Subtract => format!("{x} - {y}"),
            Op::Times => format!("{x} * {y}"),
            Op::FloorDiv => format!("{x} floordiv {y}"),
            Op::Mod => format!("{x} mod {y}"),
            Op::Min => format!("min({x}, {y})"),
            Op::Max => format!("max({x}, {y})"),
        }
    }
}

/// Returns three distant positions.
fn places(len: usize) -> [usize; 3] {
    [0, len / 2, len - 1]
}

fn sign(values: &[i32]) -> [i32; 3] {
    places(values.len()).map(|at| values[at])
}

/// Adds random expressions over the box of these sizes.
fn draw(sizes: &[i64], given: &mut Vec<(String, IndexingMap)>) -> Result<(), ExprError> {
    let variables = sizes.iter().enumerate().map(|(k, size)| {
        let bounds = Interval::of_size(*size);
        Variable::new(format!("d{k}"), VariableKind::Dimension, bounds)
    });
    let domain = Domain::new(variables.collect());
    let mut random = Random(1);
    for number in 0..RANDOM {
        let expr = random.expression(sizes.len() as u64, 4)?;
        let map = IndexingMap::new(domain.clone(), vec![expr]);
        given.push((format!("random{sizes:?}-{number}"), map));
    }
    Ok(())
}

/// A pseudorandom generator with the same sequence in every run (the multiplier is Knuth's for 64 bits).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) % bound
    }

    /// Returns an expression with at most `depth` levels of floordiv and mod above sums.
    fn expression(&mut self, variables: u64, depth: u32) -> Result<Expr, ExprError> {
        let constant = |random: &mut Random| random.below(11) as i64 + 2;
        if depth == 0 || self.below(6) == 0 {
            return Ok(Expr::variable(VariableId(self.below(variables) as u32)));
        }
        match self.below(4) {
            0 => {
                let c = constant(self);
                self.expression(variables, depth - 1)?.floordiv(c)
            }
            1 => {
                let c = constant(self);
                self.expression(variables, depth - 1)?.modulo(c)
            }
            _ => {
                let factors = [1, 1, -1, constant(self)];
                let terms = [
                    (factors[self.below(4) as usize], self.expression(variables, depth - 1)?),
                    (factors[self.below(4) as usize], self.expression(variables, depth - 1)?),
                ];
                let shift = [0, 0, constant(self)][self.below(3) as usize];
                Expr::sum(shift, terms)
            }
        }
    }
}
