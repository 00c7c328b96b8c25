//! Passes over loops.

use super::maker::{Maker, Version};
use super::program::{Body, Op};
use Version::{Before, Mistaken};

/// A loop that runs while its first part, a counter, is less than its limit.
struct Counted {
    /// The initial value of the counter.
    from: usize,
    limit: Limit,
    step: i32,
}

#[derive(Clone, Copy)]
enum Limit {
    Number(usize),
    /// The value of the last part of the state.
    State,
}

/// Computes the next values of a body's parts from the counter and the parts.
type Inside<'a> = dyn FnMut(&mut Body, usize, &[usize]) -> Vec<usize> + 'a;

impl Counted {
    /// Adds the loop, with further parts of these initial values, and returns their final values.
    fn add(&self, body: &mut Body, parts: &[usize], inside: &mut Inside<'_>) -> Vec<usize> {
        let from = body.constant(self.from as i32);
        let start = body.tuple(&[&[from], parts].concat());
        let shape = body.nodes[start].shape.clone();
        let mut condition = Body::default();
        let state = condition.add(Op::Parameter(0), &[], shape.clone());
        let counter = condition.part(state, 0);
        let limit = match self.limit {
            Limit::Number(limit) => condition.constant(limit as i32),
            Limit::State => condition.part(state, parts.len()),
        };
        condition.compare("LT", counter, limit);
        let mut run = Body::default();
        let state = run.add(Op::Parameter(0), &[], shape.clone());
        let own: Vec<usize> = (0..=parts.len()).map(|number| run.part(state, number)).collect();
        let after = inside(&mut run, own[0], &own[1..]);
        let step = run.constant(self.step);
        let next = run.binary("add", own[0], step);
        run.tuple(&[&[next], &after[..]].concat());
        let done = body.add(Op::While(Box::new([condition, run])), &[start], shape);
        (1..=parts.len()).map(|number| body.part(done, number)).collect()
    }
}

/// Folds a row of `of` into `sum`, and writes the result into `rows`.
fn scan(body: &mut Body, at: usize, [sum, rows, of]: [usize; 3]) -> [usize; 2] {
    let row = body.row(of, at);
    let three = body.sizes(row);
    let three = body.filled(3, &three);
    let scaled = body.binary("multiply", sum, three);
    let sum = body.binary("subtract", scaled, row);
    [sum, body.set_row(rows, sum, at)]
}

/// Returns the initial state: the first row of `y`, rows of zeros, and `x`.
fn start(maker: &mut Maker) -> [usize; 3] {
    let first = maker.body.slice(maker.y, &[0, 0], &[1, maker.width]);
    let zeros = maker.body.filled(0, &[maker.rows, maker.width]);
    [first, zeros, maker.x]
}

fn as_three(parts: &[usize]) -> [usize; 3] {
    [parts[0], parts[1], parts[2]]
}

fn scanned(body: &mut Body, from: usize, to: usize, parts: [usize; 3]) -> [usize; 3] {
    let counted = Counted { from, limit: Limit::Number(to), step: 1 };
    let after = counted.add(body, &parts, &mut |body, at, own| {
        let [sum, rows] = scan(body, at, as_three(own));
        vec![sum, rows, own[2]]
    });
    as_three(&after)
}

/// Unrolls a loop, with constants for the counter.
fn written_out(body: &mut Body, at: &[usize], [sum, rows, of]: [usize; 3]) -> [usize; 3] {
    let step = |[sum, rows]: [usize; 2], at: &usize| {
        let at = body.constant(*at as i32);
        scan(body, at, [sum, rows, of])
    };
    let [sum, rows] = at.iter().fold([sum, rows], step);
    [sum, rows, of]
}

pub fn unroll(maker: &mut Maker) -> usize {
    let start = start(maker);
    let by_two = maker.random.percent(50);
    let (rows, version) = (maker.rows, maker.version);
    let body = &mut maker.body;
    let after = match (version, by_two) {
        (Before, _) => scanned(body, 0, rows, start),
        (version, true) => {
            let counted = Counted { from: 0, limit: Limit::Number(rows), step: 2 };
            let after = counted.add(body, &start, &mut |body, at, own| {
                let [sum, written] = scan(body, at, as_three(own));
                let one = body.constant(1);
                let next = if version == Mistaken { at } else { body.binary("add", at, one) };
                let [sum, written] = scan(body, next, [sum, written, own[2]]);
                vec![sum, written, own[2]]
            });
            as_three(&after)
        }
        (version, false) => {
            let mut all: Vec<usize> = (0..rows).collect();
            if version == Mistaken {
                all.swap(0, 1);
            }
            written_out(body, &all, start)
        }
    };
    body.binary("add", after[1], maker.y)
}

pub fn peel(maker: &mut Maker) -> usize {
    let start = start(maker);
    let is_first = maker.random.percent(50);
    let (rows, version) = (maker.rows, maker.version);
    let wrong = usize::from(version == Mistaken);
    let body = &mut maker.body;
    let after = match (version, is_first) {
        (Before, _) => scanned(body, 0, rows, start),
        (_, true) => {
            let first = written_out(body, &[0], start);
            scanned(body, 1 - wrong, rows, first)
        }
        (_, false) => {
            let most = scanned(body, 0, rows - 1 - wrong, start);
            written_out(body, &[rows - 1], most)
        }
    };
    body.binary("add", after[1], maker.y)
}

pub fn rotate(maker: &mut Maker) -> usize {
    let [first, _, x] = start(maker);
    let (rows, version) = (maker.rows, maker.version);
    let body = &mut maker.body;
    let take = |body: &mut Body, sum: usize, of: usize, at: usize| {
        let row = body.row(of, at);
        body.binary("subtract", sum, row)
    };
    let turn = |body: &mut Body, sum: usize| {
        let turned = body.reverse(sum, 1);
        body.binary("add", turned, sum)
    };
    if version == Before {
        let counted = Counted { from: 0, limit: Limit::Number(rows), step: 1 };
        let after = counted.add(body, &[first, x], &mut |body, at, own| {
            let taken = take(body, own[0], own[1], at);
            vec![turn(body, taken), own[1]]
        });
        return after[0];
    }
    let zero = body.constant(0);
    let before = take(body, first, x, zero);
    let counted = Counted { from: 0, limit: Limit::Number(rows - 1), step: 1 };
    let after = counted.add(body, &[before, x], &mut |body, at, own| {
        let turned = turn(body, own[0]);
        let one = body.constant(1);
        let next = if version == Mistaken { at } else { body.binary("add", at, one) };
        vec![take(body, turned, own[1], next), own[1]]
    });
    turn(body, after[0])
}

/// Hoists a loop-invariant value out of a loop whose limit is a number, or a value known only at run time.
pub fn invariant_out(maker: &mut Maker) -> usize {
    let is_counted = maker.random.percent(50);
    let (x, y, version, rows) = (maker.x, maker.y, maker.version, maker.rows);
    let end = maker.offsets[0];
    let body = &mut maker.body;
    let work = |body: &mut Body, of: usize| {
        let turned = body.reverse(of, 0);
        body.binary("multiply", turned, of)
    };
    let hoisted = match version {
        Before => y,
        Mistaken => work(body, x),
        _ => work(body, y),
    };
    let limit = if is_counted { Limit::Number(rows) } else { Limit::State };
    let counted = Counted { from: 0, limit, step: 1 };
    let after = counted.add(body, &[x, hoisted, end], &mut |body, at, own| {
        let known = if version == Before { work(body, own[1]) } else { own[1] };
        let row = body.row(known, at);
        let all = body.reverse(own[0], 0);
        vec![body.set_row(all, row, at), own[1], own[2]]
    });
    after[0]
}

/// Removes a part of the state that can be computed from another one.
pub fn part_dropped(maker: &mut Maker) -> usize {
    let (is_counted, is_copy) = (maker.random.percent(60), maker.random.percent(50));
    let (x, y, version, rows) = (maker.x, maker.y, maker.version, maker.rows);
    let end = maker.offsets[0];
    let body = &mut maker.body;
    let limit = if is_counted { Limit::Number(rows / 2) } else { Limit::State };
    let counted = Counted { from: 0, limit, step: 1 };
    // The redundant part: a copy of the sum, or twice the counter.
    let first = if is_copy { x } else { body.constant(0) };
    let step = |body: &mut Body, sum: usize, copy: usize, of: usize, at: usize| {
        let sums = body.binary("subtract", copy, of);
        let row = body.row(sum, at);
        body.set_row(sums, row, at)
    };
    let two = if version == Mistaken { 1 } else { 2 };
    let after = match version {
        Before => counted.add(body, &[x, first, y, end], &mut |body, at, own| {
            let (copy, place) = if is_copy { (own[1], at) } else { (own[0], own[1]) };
            let sum = step(body, own[0], copy, own[2], place);
            let next = match is_copy {
                true => step(body, own[0], own[1], own[2], at),
                false => {
                    let two = body.constant(2);
                    body.binary("add", own[1], two)
                }
            };
            vec![sum, next, own[2], own[3]]
        }),
        _ => counted.add(body, &[x, y, end], &mut |body, at, own| {
            let copy = if is_copy && version == Mistaken { own[1] } else { own[0] };
            let two = body.constant(two);
            let place = if is_copy { at } else { body.binary("multiply", at, two) };
            vec![step(body, own[0], copy, own[1], place), own[1], own[2]]
        }),
    };
    after[0]
}

/// Rewrites the body of a loop with an unknown trip count.
pub fn body_rewritten(maker: &mut Maker) -> usize {
    let (x, y, version) = (maker.x, maker.y, maker.version);
    let end = maker.offsets[0];
    let kind = maker.random.below(3);
    let body = &mut maker.body;
    let counted = Counted { from: 0, limit: Limit::State, step: 1 };
    let after = counted.add(body, &[x, y, end], &mut |body, at, own| {
        let (sum, of) = (own[0], own[1]);
        let row = body.row(of, at);
        let all = match (kind, version) {
            (0, Before) => body.binary("subtract", sum, of),
            (0, Mistaken) => body.binary("subtract", of, sum),
            (1, Before) => {
                let once = body.reverse(of, 0);
                let twice = body.reverse(once, 0);
                body.binary("add", sum, twice)
            }
            (1, Mistaken) => {
                let once = body.reverse(of, 0);
                body.binary("add", once, sum)
            }
            (2, Before) => {
                let (one, other) = (body.transpose(sum, &[1, 0]), body.transpose(of, &[1, 0]));
                let product = body.binary("maximum", one, other);
                body.transpose(product, &[1, 0])
            }
            (2, Mistaken) => body.binary("minimum", of, sum),
            (0, _) => {
                let (one, other) = (body.transpose(sum, &[1, 0]), body.transpose(of, &[1, 0]));
                let less = body.binary("subtract", one, other);
                body.transpose(less, &[1, 0])
            }
            (1, _) => body.binary("add", of, sum),
            _ => body.binary("maximum", of, sum),
        };
        vec![body.set_row(all, row, at), own[1], own[2]]
    });
    after[0]
}
