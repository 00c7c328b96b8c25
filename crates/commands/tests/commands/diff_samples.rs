//! `diff --entry` names elements that have other values for a sample of the parameters: the values are those of an evaluation by
//! this file, as docs/diff.md defines the samples, and modules that differ by rounding alone have none.

use super::diff::said;
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use std::fmt::Write as _;

const SIZE: usize = 4;

/// Element `k` of array `n` in a sample.
fn sample(is_positive: bool, n: usize, k: usize) -> f64 {
    let s = (31 * (k + 1).pow(2) + 7_919 * (n + 1) * (k + 1)) % 65_521;
    let s = 1.5 * s as f64 / 65_521.0;
    if is_positive { 0.25 + s } else { s - 0.75 }
}

/// An expression over `p`, `q`, and the matrix `m`, of arrays of four elements.
#[derive(Clone, Debug)]
enum Tree {
    P,
    Q,
    Constant(i8),
    One(&'static str, Box<Tree>),
    Two(&'static str, Box<Tree>, Box<Tree>),
    /// The sum of all elements, as an array.
    Sum(Box<Tree>),
    /// A matrix times a vector.
    Product(Box<Tree>),
}

type Values = [f64; SIZE];

impl Tree {
    fn values(&self, is_positive: bool) -> Values {
        let parameter = |n: usize| std::array::from_fn(|k| sample(is_positive, n, k));
        let of = |tree: &Tree| tree.values(is_positive);
        match self {
            Tree::P => parameter(0),
            Tree::Q => parameter(1),
            Tree::Constant(number) => [f64::from(*number); SIZE],
            Tree::One(opcode, x) => of(x).map(|x| match *opcode {
                "negate" => -x,
                "tanh" => x.tanh(),
                "exponential" => x.exp(),
                "cosine" => x.cos(),
                other => panic!("{other}"),
            }),
            Tree::Two(opcode, x, y) => {
                let (x, y) = (of(x), of(y));
                std::array::from_fn(|k| match *opcode {
                    "add" => x[k] + y[k],
                    "subtract" => x[k] - y[k],
                    "multiply" => x[k] * y[k],
                    "maximum" => x[k].max(y[k]),
                    other => panic!("{other}"),
                })
            }
            Tree::Sum(x) => [of(x).iter().sum(); SIZE],
            Tree::Product(x) => {
                let x = of(x);
                let m = |row: usize, column: usize| sample(is_positive, 3, row * SIZE + column);
                std::array::from_fn(|row| (0..SIZE).map(|k| m(row, k) * x[k]).sum())
            }
        }
    }

    /// Writes the instructions, and returns the name of the last.
    fn write(&self, lines: &mut String, next: &mut usize) -> String {
        let mut line = |text: &str| {
            *next += 1;
            let _ = write!(lines, "v{next} = {text}\n  ");
            format!("v{next}")
        };
        match self {
            Tree::P => "p".into(),
            Tree::Q => "q".into(),
            Tree::Constant(number) => {
                let number = line(&format!("f32[] constant({number})"));
                line(&format!("f32[4] broadcast({number}), dimensions={{}}"))
            }
            Tree::One(opcode, x) => {
                let x = x.write(lines, next);
                Tree::named(lines, next, &format!("f32[4] {opcode}({x})"))
            }
            Tree::Two(opcode, x, y) => {
                let (x, y) = (x.write(lines, next), y.write(lines, next));
                Tree::named(lines, next, &format!("f32[4] {opcode}({x}, {y})"))
            }
            Tree::Sum(x) => {
                let x = x.write(lines, next);
                let text = format!("f32[] reduce({x}, zero), dimensions={{0}}, to_apply=add");
                let sum = Tree::named(lines, next, &text);
                Tree::named(lines, next, &format!("f32[4] broadcast({sum}), dimensions={{}}"))
            }
            Tree::Product(x) => {
                let x = x.write(lines, next);
                let how = "lhs_contracting_dims={1}, rhs_contracting_dims={0}";
                Tree::named(lines, next, &format!("f32[4] dot(m, {x}), {how}"))
            }
        }
    }

    fn named(lines: &mut String, next: &mut usize, text: &str) -> String {
        *next += 1;
        let _ = write!(lines, "v{next} = {text}\n  ");
        format!("v{next}")
    }

    /// Returns a module whose result reads all parameters of the trees at all elements.
    fn module(&self) -> String {
        let both = Tree::Two("multiply", Box::new(Tree::P), Box::new(Tree::Q));
        let all = Tree::Product(Box::new(Tree::Sum(Box::new(both))));
        let whole = Tree::Two("add", Box::new(self.clone()), Box::new(all));
        let (mut lines, mut next) = (String::new(), 0);
        let last = whole.write(&mut lines, &mut next);
        format!("{lines}ROOT r = f32[4] copy({last})")
    }
}

fn trees() -> impl Strategy<Value = Tree> {
    let leaf = prop_oneof![Just(Tree::P), Just(Tree::Q), (-3_i8..4).prop_map(Tree::Constant)];
    leaf.prop_recursive(4, 12, 2, |inner| {
        let one = prop::sample::select(vec!["negate", "tanh", "exponential", "cosine"]);
        let two = prop::sample::select(vec!["add", "subtract", "multiply", "maximum"]);
        prop_oneof![
            (one, inner.clone()).prop_map(|(opcode, x)| Tree::One(opcode, x.into())),
            (two, inner.clone(), inner.clone()).prop_map(|(opcode, x, y)| Tree::Two(
                opcode,
                x.into(),
                y.into()
            )),
            inner.clone().prop_map(|x| Tree::Sum(x.into())),
            inner.prop_map(|x| Tree::Product(x.into())),
        ]
    })
}

/// Returns the index and the values that a line names, and whether the sample is the positive one.
fn named(line: &str) -> Option<(usize, [f64; 2], bool)> {
    let (_, rest) = line.split_once("element (")?;
    let (index, rest) = rest.split_once(") was ")?;
    let (old, rest) = rest.split_once(", and is ")?;
    let (new, rest) = rest.split_once(", for the ")?;
    let values = [old.parse().ok()?, new.parse().ok()?];
    Some((index.parse().ok()?, values, rest.starts_with("positive")))
}

#[test]
fn named_values_are_those_of_the_sample() {
    let mut runner = TestRunner::deterministic();
    let (mut different, mut same) = (0, 0);
    for number in 0..150 {
        let mut tree = || trees().new_tree(&mut runner).expect("a tree").current();
        let old = tree();
        let minus = |tree: Tree| Tree::One("negate", Box::new(tree));
        let new = if number % 3 == 0 { minus(minus(old.clone())) } else { tree() };
        let (text, _, _) = said(&old.module(), &new.module());
        let last = text.last().map(String::as_str).unwrap_or_default();
        if let Some((k, said, is_positive)) = named(&text[0]) {
            let own = new.values(is_positive)[k] - old.values(is_positive)[k];
            // Both are rounded to six digits, and both also have a part that reads all parameters.
            let near = 1e-5 * (1.0 + said[0].abs().max(said[1].abs()));
            assert!((said[1] - said[0] - own).abs() < near, "{old:?} {new:?} {text:?} {own}");
            different += 1;
        } else if last.starts_with("nothing differs") {
            for is_positive in [true, false] {
                let both = old.values(is_positive).into_iter().zip(new.values(is_positive));
                for (x, y) in both {
                    assert!((x - y).abs() <= 1e-9 * x.abs().max(1.0), "{old:?} {new:?} {last}");
                }
            }
            same += 1;
        }
    }
    assert!(different >= 50 && same >= 40, "{different} {same}");
}

#[test]
fn differences_that_rounding_may_cause_are_not_named() {
    let constants =
        "threes = f32[] constant(3)\n  three = f32[4] broadcast(threes), dimensions={}\n  ";
    let of = |text: &str| format!("{constants}{text}");
    let tanh = "ROOT r = f32[4] tanh(p)";
    let by_exponentials = "t = f32[4] add(p, p)\n  e = f32[4] exponential(t)\n  ones = f32[] constant(1)\n  \
         one = f32[4] broadcast(ones), dimensions={}\n  n = f32[4] subtract(e, one)\n  d = f32[4] add(e, one)\n  \
         ROOT r = f32[4] divide(n, d)";
    let is_equal = |text: &str| {
        of(&format!(
            "x = f32[4] {text}\n  y = f32[4] divide(x, three)\n  c = pred[4] compare(y, p), direction=EQ\n  \
             ROOT r = f32[4] select(c, p, x)"
        ))
    };
    // Whether a number is divided back to itself depends on its last bit.
    let turned =
        "f = f32[4] multiply(three, p)\n  g = f32[4] add(f, q)\n  h = f32[4] subtract(g, q)\n  ";
    let rounded = is_equal("multiply(p, three)")
        .replace("y = f32[4] divide(x", &format!("{turned}y = f32[4] divide(h"));
    let read = is_equal("multiply(p, three)").replace("y = f32[4]", &format!("{turned}y = f32[4]"));
    let read = read.replace("select(c, p, x)", "select(c, p, h)");
    let narrow = |text: &str| {
        format!(
            "n = bf16[4] convert(p)\n  k = bf16[4] convert(q)\n  s = bf16[4] {text}(n, k)\n  t = bf16[4] tanh(s)\n  ROOT r = f32[4] convert(t)"
        )
    };
    for (old, new) in
        [(of(tanh), of(by_exponentials)), (rounded, read), (narrow("add"), narrow("atan2"))]
    {
        let (text, _, _) = said(&old, &new);
        assert!(text.iter().all(|line| named(line).is_none()), "{text:?}");
    }
    let (text, _, _) = said(&of(tanh), &of(&by_exponentials.replace("add(p, p)", "add(p, three)")));
    assert!(named(&text[0]).is_some(), "{text:?}");
}
