//! How often is a result as small as its function can be written?
//!
//! `cargo bench -p affinor --bench minimum` draws expressions over small boxes, simplifies them, and compares the
//! size of each result with the true minimum. That is found by listing every function of the box that an
//! expression with at most four operations has: sums and differences, products, quotients and remainders, with
//! integers up to [`LARGEST`]. Two expressions are the same function if they have the same values at all points.
//! Functions with four operations are not kept, only looked for.
//!
//! What is not said: a smaller form with larger integers, or with min and max, would not be seen.

use affinor::expr::{Domain, Expr, ExprError, IndexingMap, Variable, VariableId, VariableKind};
use affinor::num::Interval;
use affinor::rule::RuleSet;
use affinor::simplify::{Options, Simplifier};
use affinor::text::{Style, print_map};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write;

/// The largest integer of a listed expression.
const LARGEST: i64 = 12;

/// Results that are looked at, for each box.
const CASES: usize = 400;

/// The most operations of results that are looked at.
const MOST: usize = 5;

/// The values of a function at all points of the box.
type Values = Box<[i32]>;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let simplifier = Simplifier::new(RuleSet::shipped()?)?;
    let mut report = format!(
        "| box | results | at the minimum | one above | more |\n|{}\n",
        "---|".repeat(5)
    );
    let mut examples = String::new();
    for sizes in [&[24][..], &[8, 4], &[3, 10], &[2, 3, 5]] {
        let cases = draw(&simplifier, sizes)?;
        let targets: FxHashSet<Values> = cases.iter().map(|case| case.values.clone()).collect();
        let least = minimum(sizes, &targets);
        let mut counts = [0; 3];
        for case in &cases {
            let found = least.get(&case.values).copied().unwrap_or(MOST);
            let above = case.ops.saturating_sub(found);
            counts[above.min(2)] += 1;
            if above > 0 {
                writeln!(
                    examples,
                    "{found}, not {}: {}",
                    case.ops,
                    print_map(&case.map, Style::Plain)
                )?;
            }
        }
        let [at, one, more] = counts;
        let total = cases.len();
        let share = 100.0 * f64::from(at) / total as f64;
        writeln!(
            report,
            "| {sizes:?} | {total} | {at} ({share:.1} %) | {one} | {more} |"
        )?;
    }
    let text = format!("{report}\nlarger than they must be:\n{examples}");
    std::io::Write::write_all(&mut std::io::stdout(), text.as_bytes())?;
    Ok(())
}

/// A simplified map with one result.
struct Case {
    map: IndexingMap,
    ops: usize,
    values: Values,
}

/// Simplified expressions with different functions, none of them constant.
fn draw(simplifier: &Simplifier, sizes: &[i64]) -> Result<Vec<Case>, Box<dyn std::error::Error>> {
    let variables = sizes.iter().enumerate().map(|(k, size)| {
        let bounds = Interval::of_size(*size);
        Variable::new(format!("d{k}"), VariableKind::Dimension, bounds)
    });
    let domain = Domain::new(variables.collect());
    let mut random = Random(1);
    let mut seen: FxHashSet<Values> = FxHashSet::default();
    let mut cases = Vec::new();
    while cases.len() < CASES {
        let expr = random.expression(sizes.len() as u64, 4)?;
        let given = IndexingMap::new(domain.clone(), vec![expr]);
        let map = simplifier.simplify(&given, &Options::default()).map;
        let ops = map.cost().ops as usize;
        let mut values = Vec::new();
        for point in points(sizes) {
            values.push(i32::try_from(map.eval(&point)?[0])?);
        }
        let values = values.into_boxed_slice();
        if (1..=MOST).contains(&ops) && seen.insert(values.clone()) {
            cases.push(Case { map, ops, values });
        }
    }
    Ok(cases)
}

fn points(sizes: &[i64]) -> Vec<Vec<i64>> {
    sizes.iter().fold(vec![Vec::new()], |points, size| {
        let extend = |point: &Vec<i64>| {
            let point = point.clone();
            (0..*size).map(move |x| [&point[..], &[x]].concat())
        };
        points.iter().flat_map(extend).collect()
    })
}

/// Numbers that look random, the same ones in every run (the multiplier is Knuth's for 64 bits).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) % bound
    }

    /// An expression with at most `depth` levels of floordiv and mod above sums.
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
                    (
                        factors[self.below(4) as usize],
                        self.expression(variables, depth - 1)?,
                    ),
                    (
                        factors[self.below(4) as usize],
                        self.expression(variables, depth - 1)?,
                    ),
                ];
                let shift = [0, 0, constant(self)][self.below(3) as usize];
                Expr::sum(shift, terms)
            }
        }
    }
}

/// The least number of operations of each target that needs at most four.
fn minimum(sizes: &[i64], targets: &FxHashSet<Values>) -> FxHashMap<Values, usize> {
    let points = points(sizes);
    let mut seen: FxHashSet<Values> = FxHashSet::default();
    let mut least: FxHashMap<Values, usize> = FxHashMap::default();
    // A negative integer is a minus and an integer, as the cost of a sum has it.
    let constants = (0..=LARGEST).map(|c| vec![c as i32; points.len()]);
    let variables = (0..sizes.len()).map(|k| points.iter().map(|x| x[k] as i32).collect());
    let mut levels: Vec<Vec<Values>> = vec![Vec::new()];
    for values in constants.chain(variables).map(Vec::into_boxed_slice) {
        if seen.insert(values.clone()) {
            levels[0].push(values);
        }
    }
    for ops in 1..MOST {
        let mut level = Vec::new();
        let is_last = ops + 1 == MOST;
        let mut take = |values: &[i32]| {
            if targets.contains(values) && !least.contains_key(values) {
                least.insert(values.into(), ops);
            }
            if !is_last && !seen.contains(values) {
                seen.insert(values.into());
                level.push(Values::from(values));
            }
        };
        let mut made = vec![0; points.len()];
        for below in &levels[ops - 1] {
            for c in 2..=LARGEST as i32 {
                let each: [fn(i32, i32) -> i32; 3] =
                    [|x, c| x * c, |x, c| x.div_euclid(c), |x, c| x.rem_euclid(c)];
                for op in each {
                    (made.iter_mut().zip(below)).for_each(|(to, x)| *to = op(*x, c));
                    take(&made);
                }
            }
        }
        for left in 0..ops {
            for x in &levels[left] {
                for y in &levels[ops - 1 - left] {
                    let of = || x.iter().zip(y);
                    (made.iter_mut().zip(of())).for_each(|(to, (x, y))| *to = x - y);
                    take(&made);
                    if left <= ops - 1 - left {
                        (made.iter_mut().zip(of())).for_each(|(to, (x, y))| *to = x + y);
                        take(&made);
                    }
                }
            }
        }
        levels.push(level);
    }
    least
}
