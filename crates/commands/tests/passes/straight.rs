//! Passes over programs without loops.

use super::maker::{Maker, Version};
use super::program::{Body, Op};
use Version::{After, Before, Mistaken};

pub fn commute(maker: &mut Maker) -> usize {
    let (x, y, version) = (maker.x, maker.y, maker.version);
    let name = maker.random.pick(&["add", "multiply", "maximum", "minimum"]);
    let mistake = maker.random.below(4);
    let body = &mut maker.body;
    let turned = version != Before;
    let one = if turned { body.binary(name, y, x) } else { body.binary(name, x, y) };
    let is = |number: usize| version == Mistaken && mistake == number;
    let other = match (is(0), is(1)) {
        (true, _) => body.binary("subtract", x, one),
        (_, true) => body.binary("add", one, x),
        _ => body.binary("subtract", one, x),
    };
    let truth = match (turned, is(2)) {
        (_, true) => body.compare("LT", y, x),
        (true, _) => body.compare("GT", y, x),
        (false, _) => body.compare("LT", x, y),
    };
    match is(3) {
        true => body.select(truth, one, other),
        false => body.select(truth, other, one),
    }
}

pub fn fold(maker: &mut Maker) -> usize {
    let kind = maker.random.below(6);
    let (x, rows, width, version) = (maker.x, maker.rows, maker.width, maker.version);
    let body = &mut maker.body;
    let is_wrong = version == Mistaken;
    match (kind, version) {
        (0, Before) => {
            let outer = body.slice(x, &[1, 0], &[rows - 1, width]);
            body.slice(outer, &[1, 1], &[1, width - 1])
        }
        (0, _) => body.slice(x, &[2 - usize::from(is_wrong), 1], &[1, width - 1]),
        (1, Before) => {
            let cube = body.reshape(x, &[2, rows / 2, width]);
            let turned = body.transpose(cube, &[1, 2, 0]);
            body.transpose(turned, &[2, 1, 0])
        }
        (1, _) => {
            let cube = body.reshape(x, &[2, rows / 2, width]);
            let order = if is_wrong { [0, 1, 2] } else { [0, 2, 1] };
            let turned = body.transpose(cube, &order);
            body.reshape(turned, &[2, width, rows / 2])
        }
        (2, Before) => {
            let once = body.reverse(x, 0);
            let twice = body.reverse(once, 1);
            body.reverse(twice, 0)
        }
        (2, _) => body.reverse(x, usize::from(!is_wrong)),
        (3, Before) => {
            let inner = body.reduce(x, &[1]);
            body.reduce(inner, &[0])
        }
        (3, _) => {
            let part = body.slice(x, &[0, 0], &[rows - usize::from(is_wrong), width]);
            body.reduce(part, &[0, 1])
        }
        (4, Before) => {
            let flat = body.reshape(x, &[rows * width]);
            body.reshape(flat, &[width, rows])
        }
        (4, _) if is_wrong => body.transpose(x, &[1, 0]),
        (4, _) => body.reshape(x, &[width, rows]),
        (_, Before) => {
            let both = body.array(Op::Concatenate(0), &[x, maker.y], &[2 * rows, width]);
            body.slice(both, &[rows, 0], &[rows, width])
        }
        (_, After) => body.slice(maker.y, &[0, 0], &[rows, width]),
        (_, Mistaken) => body.slice(x, &[0, 0], &[rows, width]),
    }
}

pub fn fuse(maker: &mut Maker) -> usize {
    let (x, y) = (maker.x, maker.y);
    let sizes = [maker.rows, maker.width];
    let name = maker.random.pick(&["add", "multiply", "maximum"]);
    let inside = |body: &mut Body, one: usize, other: usize| {
        let turned = body.transpose(one, &[1, 0]);
        let back = body.transpose(turned, &[1, 0]);
        let sum = body.binary(name, back, other);
        body.binary("subtract", sum, other)
    };
    if maker.is(Before) {
        return inside(&mut maker.body, x, y);
    }
    let mut fused = Body::default();
    let (one, other) = (fused.parameter(0, &sizes), fused.parameter(1, &sizes));
    inside(&mut fused, one, other);
    let operands = if maker.is(Mistaken) { [y, x] } else { [x, y] };
    maker.body.array(Op::Fusion(Box::new(fused)), &operands, &sizes)
}

pub fn slice_moved(maker: &mut Maker) -> usize {
    let (x, y, rows, width) = (maker.x, maker.y, maker.rows, maker.width);
    let kind = maker.random.below(5);
    let start = 1 + maker.random.below(2);
    let (is_before, is_wrong) = (maker.is(Before), maker.is(Mistaken));
    let body = &mut maker.body;
    let from = [start - usize::from(is_wrong), 0];
    let sizes = [2, width];
    let cut = |body: &mut Body, of: usize| body.slice(of, &from, &sizes);
    match (kind, is_before) {
        (0 | 1, true) => {
            let name = if kind == 0 { "subtract" } else { "multiply" };
            let all = body.binary(name, x, y);
            cut(body, all)
        }
        (0 | 1, false) => {
            let name = if kind == 0 { "subtract" } else { "multiply" };
            let one = body.slice(x, &[start, 0], &sizes);
            let other = cut(body, y);
            body.binary(name, one, other)
        }
        (2, true) => {
            let turned = body.transpose(y, &[1, 0]);
            let product = body.dot(x, turned);
            body.slice(product, &[start, 0], &[2, rows])
        }
        (2, false) => {
            let part = cut(body, x);
            let turned = body.transpose(y, &[1, 0]);
            body.dot(part, turned)
        }
        (3, true) => {
            let sums = body.reduce(x, &[1]);
            body.slice(sums, &[start], &[2])
        }
        (3, false) => {
            let part = cut(body, x);
            body.reduce(part, &[1])
        }
        (_, true) => {
            let turned = body.transpose(x, &[1, 0]);
            body.slice(turned, &[0, start], &[width, 2])
        }
        (_, false) => {
            let part = cut(body, x);
            body.transpose(part, &[1, 0])
        }
    }
}

pub fn dead_code(maker: &mut Maker) -> usize {
    let (x, y) = (maker.x, maker.y);
    let kind = maker.random.below(3);
    let (is_before, is_wrong) = (maker.is(Before), maker.is(Mistaken));
    let body = &mut maker.body;
    match (kind, is_before, is_wrong) {
        (0, true, _) => {
            let dead = body.reduce(y, &[0]);
            body.binary("add", dead, dead);
            body.binary("maximum", x, y)
        }
        (0, _, true) => body.binary("maximum", x, x),
        (0, ..) => body.binary("maximum", x, y),
        (1, true, _) => {
            let pair = body.tuple(&[x, y]);
            body.part(pair, 1)
        }
        (1, _, true) => x,
        (1, ..) => y,
        (_, true, _) => {
            let patched = body.row(y, maker.offsets[0]);
            let all = body.set_row(x, patched, maker.offsets[0]);
            body.row(all, maker.offsets[0])
        }
        (_, _, true) => body.row(x, maker.offsets[0]),
        (..) => body.row(y, maker.offsets[0]),
    }
}

pub fn reshape_moved(maker: &mut Maker) -> usize {
    let (x, rows, width) = (maker.x, maker.rows, maker.width);
    let (is_before, is_wrong) = (maker.is(Before), maker.is(Mistaken));
    let body = &mut maker.body;
    if is_before {
        let turned = body.transpose(x, &[1, 0]);
        return body.reshape(turned, &[width, 2, rows / 2]);
    }
    match is_wrong && rows != 4 {
        true => {
            let cube = body.reshape(x, &[rows / 2, 2, width]);
            body.transpose(cube, &[2, 1, 0])
        }
        false => {
            let cube = body.reshape(x, &[2, rows / 2, width]);
            let cube = if is_wrong { body.reverse(cube, 1) } else { cube };
            body.transpose(cube, &[2, 0, 1])
        }
    }
}

/// Folds a slice of a slice, at offsets known only at run time, into one slice.
pub fn offsets_folded(maker: &mut Maker) -> usize {
    let ([i, j], x, rows, width) = (maker.offsets, maker.x, maker.rows, maker.width);
    let version = maker.version;
    let body = &mut maker.body;
    let zero = body.constant(0);
    if version == Before {
        let window = body.array(Op::DynamicSlice, &[x, i, zero], &[rows - 1, width]);
        return body.row(window, j);
    }
    let clamped = |body: &mut Body, of: usize, most: usize| {
        let most = body.constant(most as i32);
        let least = body.binary("maximum", of, zero);
        body.binary("minimum", least, most)
    };
    let at = match version {
        Mistaken => body.binary("add", i, j),
        _ => {
            let (one, other) = (clamped(body, i, 1), clamped(body, j, rows - 2));
            body.binary("add", one, other)
        }
    };
    body.row(x, at)
}
