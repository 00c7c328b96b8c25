//! Random expressions over given names, and variants that are spelled or computed differently.
//!
//! Divisors are positive by construction: a number, a size, or a nonnegative index plus a number.

use crate::draw::Draw;
use crate::pieces::Dialect;
use crate::tree::{Tree, call, is_comparison, number, two};

/// The names from which expressions are built.
pub struct Soil {
    pub dialect: Dialect,
    /// The indices and named values.
    pub names: Vec<Tree>,
    /// The names with one positive value.
    pub sizes: Vec<String>,
    /// The nonnegative indices.
    pub positive: Vec<Tree>,
}

const CASTS: &[&str] = &[
    "char",
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned",
    "unsigned int",
    "bool",
    "uint8_t",
    "int8_t",
    "uint16_t",
    "int16_t",
    "uint32_t",
    "int32_t",
];

/// Draws a tree over the names; most trees have `depth` levels.
pub fn tree(draw: &mut Draw, soil: &Soil, depth: u32) -> Tree {
    if depth == 0 || draw.one_in(7) {
        return leaf(draw, soil);
    }
    let x = tree(draw, soil, depth - 1);
    match draw.below(24) {
        0..=3 => two("+", x, tree(draw, soil, depth - 1)),
        4 => two("-", x, tree(draw, soil, depth - 1)),
        5 | 6 => two("*", x, number(draw.within(2, 16))),
        7 => two("*", x, name(draw, soil)),
        8..=10 => {
            let operator = draw.one_of(&["/", "%"]);
            two(operator, x, divisor(draw, soil))
        }
        11 | 12 => {
            let operator = draw.one_of(&["/", "%"]);
            let power = 1 << draw.within(1, 4);
            two(operator, x, literal(draw, soil, power))
        }
        13 => match draw.below(4) {
            0 => two("<<", x, number(draw.within(1, 4))),
            _ => two(">>", x, number(draw.within(1, 4))),
        },
        14 | 15 => bits(draw, soil, x),
        16 => Tree::Negate(Box::new(x)),
        17 => match x {
            // Python warns about `~` of a comparison.
            Tree::Two(operator, ..) if is_comparison(operator) => x,
            Tree::Not(_) => x,
            x => Tree::Invert(Box::new(x)),
        },
        18 => {
            let test = test(draw, soil, depth - 1);
            two("*", test, number(draw.within(1, 9)))
        }
        19 => choose(draw, soil, x, depth),
        20 | 21 if soil.dialect.is_c() => {
            let is_static = soil.dialect == Dialect::Cuda && draw.one_in(2);
            Tree::Cast(draw.one_of(CASTS), Box::new(x), is_static)
        }
        _ => function(draw, soil, x, depth),
    }
}

fn leaf(draw: &mut Draw, soil: &Soil) -> Tree {
    match draw.below(8) {
        0 => {
            let value = draw.within(0, 20);
            literal(draw, soil, value)
        }
        1 if !soil.sizes.is_empty() => Tree::Name(draw.one_of(&soil.sizes)),
        _ => name(draw, soil),
    }
}

fn name(draw: &mut Draw, soil: &Soil) -> Tree {
    draw.one_of(&soil.names)
}

/// Returns a number, which may have a suffix in C.
fn literal(draw: &mut Draw, soil: &Soil, value: i64) -> Tree {
    match soil.dialect.is_c() && draw.one_in(6) {
        true => Tree::Unsigned(value),
        false => Tree::Number(value),
    }
}

fn divisor(draw: &mut Draw, soil: &Soil) -> Tree {
    match draw.below(4) {
        0 if !soil.positive.is_empty() => {
            let index = draw.one_of(&soil.positive);
            two("+", index, number(draw.within(1, 3)))
        }
        1 | 2 if !soil.sizes.is_empty() => {
            let size = Tree::Name(draw.one_of(&soil.sizes));
            match draw.one_in(4) {
                true => two("*", size, Tree::Name(draw.one_of(&soil.sizes))),
                false => size,
            }
        }
        _ => {
            let value = draw.within(1, 12);
            literal(draw, soil, value)
        }
    }
}

fn bits(draw: &mut Draw, soil: &Soil, x: Tree) -> Tree {
    let ones = number((1 << draw.within(1, 4)) - 1);
    match draw.below(6) {
        0 | 1 => two("&", x, ones),
        2 => two("&", x, Tree::Invert(Box::new(ones))),
        3 => two("|", x, ones),
        4 => two("^", x, ones),
        _ => {
            let other = name(draw, soil);
            let operator = draw.one_of(&["&", "|", "^"]);
            two(operator, x, two("&", other, ones))
        }
    }
}

/// Draws a comparison, or several.
pub fn test(draw: &mut Draw, soil: &Soil, depth: u32) -> Tree {
    let (x, y) = (tree(draw, soil, depth.min(1)), leaf(draw, soil));
    let operator = draw.one_of(&["==", "!=", "<", "<=", ">", ">="]);
    let comparison = two(operator, x, y);
    match draw.below(6) {
        0 if depth > 0 => two("&&", comparison, test(draw, soil, 0)),
        1 if depth > 0 => two("||", comparison, test(draw, soil, 0)),
        2 => Tree::Not(Box::new(comparison)),
        _ => comparison,
    }
}

fn choose(draw: &mut Draw, soil: &Soil, x: Tree, depth: u32) -> Tree {
    let test = test(draw, soil, depth - 1);
    let y = tree(draw, soil, depth - 1);
    let named = |name, order: [usize; 3], names: [&'static str; 3]| {
        let arguments = [test.clone(), x.clone(), y.clone()];
        let arguments = order.map(|place| (names[place], arguments[place].clone()));
        Tree::Call(name, arguments.to_vec())
    };
    match (soil.dialect, draw.below(4)) {
        (Dialect::Triton, 0 | 1) => named("tl.where", [0, 1, 2], ["", "", ""]),
        (Dialect::Triton, 2) => named("tl.where", [0, 2, 1], ["", "x", "y"]),
        (Dialect::Python, 0) => named("np.where", [0, 1, 2], ["", "", ""]),
        (Dialect::Python, 1) => named("torch.where", [0, 1, 2], ["", "", ""]),
        (Dialect::Python, 2) => named("T.if_then_else", [0, 1, 2], ["", "", ""]),
        _ => Tree::Choose(Box::new(test), Box::new(x), Box::new(y)),
    }
}

fn function(draw: &mut Draw, soil: &Soil, x: Tree, depth: u32) -> Tree {
    let lo = draw.within(-2, 4);
    let (lo, hi) = (number(lo), number(lo + draw.within(0, 12)));
    let y = match draw.one_in(2) {
        true => tree(draw, soil, depth - 1),
        false => number(draw.within(0, 16)),
    };
    let c = divisor(draw, soil);
    match (soil.dialect, draw.below(8)) {
        (Dialect::Python, 0) => {
            let name = draw.one_of(&["min", "max", "np.minimum", "np.maximum", "Min", "Max"]);
            call(name, [x, y])
        }
        (Dialect::Python, 1) => call("abs", [x]),
        (Dialect::Python, 2) => Tree::Call("np.clip", vec![("", x), ("a_max", hi), ("a_min", lo)]),
        (Dialect::Python, 3) => Tree::Call("torch.clamp", vec![("", x), ("min", lo), ("max", hi)]),
        (Dialect::Python, 4) => {
            call(draw.one_of(&["FloorDiv", "T.floordiv", "np.floor_divide"]), [x, c])
        }
        (Dialect::Python, 5) => {
            let power = number(1 << draw.within(0, 3));
            call("ModularIndexing", [x, power, c])
        }
        (Dialect::Python, 6) => {
            let name = draw.one_of(&["T.floormod", "np.remainder", "T.truncdiv", "T.truncmod"]);
            call(name, [x, c])
        }
        (Dialect::Python, _) => call(draw.one_of(&["cdiv", "T.ceildiv"]), [x, c]),
        (Dialect::Triton, 0 | 1) => {
            let name = draw.one_of(&["min", "max", "tl.minimum", "tl.maximum"]);
            call(name, [x, y])
        }
        (Dialect::Triton, 2) => call("tl.abs", [x]),
        (Dialect::Triton, 3) => Tree::Call("tl.clamp", vec![("", x), ("max", hi), ("min", lo)]),
        (Dialect::Triton, 4) => call("tl.clamp", [x, lo, hi]),
        (Dialect::Triton, 5) => Tree::Call("triton.cdiv", vec![("y", c), ("x", x)]),
        (Dialect::Triton, _) => call("tl.cdiv", [x, c]),
        (Dialect::C, 0..=3) => {
            let test = two("<", x.clone(), y.clone());
            Tree::Choose(Box::new(test), Box::new(x), Box::new(y))
        }
        (Dialect::C, _) => call("abs", [Tree::Cast("int", Box::new(x), false)]),
        (Dialect::Cuda, 0..=4) => call(draw.one_of(&["min", "max"]), [x, y]),
        (Dialect::Cuda, 5) => {
            let x = Tree::Cast("int", Box::new(x), false);
            call(draw.one_of(&["std::min", "std::max"]), [x, hi])
        }
        (Dialect::Cuda, 6) => {
            let x = Tree::Cast("int", Box::new(x), false);
            call("std::clamp", [x, lo, hi])
        }
        (Dialect::Cuda, _) => call("abs", [Tree::Cast("int", Box::new(x), true)]),
    }
}

/// Returns the same expression, spelled differently; equality over the integers does not imply equality in C's types.
pub fn respelled(tree: &Tree, dialect: Dialect) -> Tree {
    tree.changed(&|tree| match tree {
        Tree::Two(operator @ ("+" | "*" | "&" | "|" | "^"), x, y) => Tree::Two(operator, y, x),
        Tree::Two("-", x, y) => Tree::Negate(Box::new(Tree::Two("-", y, x))),
        Tree::Two("<", x, y) => Tree::Two(">", y, x),
        Tree::Two(">=", x, y) => Tree::Two("<=", y, x),
        Tree::Two("%", x, y) if !dialect.is_c() => {
            let multiple = two("*", Tree::Two("/", x.clone(), y.clone()), *y);
            two("-", *x, multiple)
        }
        Tree::Two(">>", x, y) => match *y {
            Tree::Number(bits) if !dialect.is_c() => Tree::Two("/", x, Box::new(number(1 << bits))),
            y => two(">>", *x, y),
        },
        Tree::Choose(test, x, y) => Tree::Choose(Box::new(Tree::Not(test)), y, x),
        other => other,
    })
}

/// Returns what is most likely a different function: one number is changed, or a number is added if the tree has none.
pub fn altered(draw: &mut Draw, tree: &Tree) -> Tree {
    let numbers = std::cell::Cell::new(0);
    let is_changeable = |tree: &Tree| matches!(tree, Tree::Number(value) if *value > 0);
    let _ = tree.changed(&|tree| {
        numbers.set(numbers.get() + usize::from(is_changeable(&tree)));
        tree
    });
    if numbers.get() == 0 {
        return two("+", tree.clone(), number(draw.within(0, 1)));
    }
    let chosen = draw.below(numbers.get());
    let seen = std::cell::Cell::new(0);
    tree.changed(&|tree| match tree {
        Tree::Number(value) if value > 0 => {
            let place = seen.replace(seen.get() + 1);
            Tree::Number(value + i64::from(place == chosen))
        }
        other => other,
    })
}
