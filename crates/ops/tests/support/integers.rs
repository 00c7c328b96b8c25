//! Random programs of integers, with their values.
//!
//! The data of parameters is only moved, added, and selected, so an element that is not left out by a predicate always changes
//! the result.

use std::collections::BTreeSet;
use std::fmt::Write;

/// An instruction; operands are positions.
#[derive(Clone, Debug)]
enum Node {
    Parameter(usize),
    Iota(usize),
    Constant(Vec<i64>),
    /// An op on elements, with its attributes.
    Elementwise(&'static str, &'static str, Vec<usize>),
    /// A select in a computation that is called.
    Where(Vec<usize>),
    Broadcast(usize),
    Transpose(usize),
    Reverse(usize, usize),
    Reduce(usize, usize),
    Spread(usize, usize),
    /// Two arrays, one below the other, and the middle rows of both.
    Middle(usize, usize),
}

/// The type and sizes of an instruction.
type Shape = (&'static str, Vec<i64>);

/// Elements of parameters, each with the number of its parameter.
pub type Changing = BTreeSet<(usize, Vec<i64>)>;

/// A program whose last instruction is its result.
pub struct Program {
    nodes: Vec<(Node, Shape)>,
    inputs: Vec<Vec<i64>>,
    has_unknown: bool,
}

/// Makes programs.
pub struct Maker {
    state: u64,
    nodes: Vec<(Node, Shape)>,
}

impl Maker {
    pub fn new(seed: u64) -> Maker {
        Maker { state: seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x5DEE_CE66, nodes: Vec::new() }
    }

    fn below(&mut self, count: usize) -> usize {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.state ^ (self.state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed >> 33) % count as u64) as usize
    }

    fn any<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }

    fn push(&mut self, node: Node, of: &'static str, sizes: &[i64]) -> usize {
        self.nodes.push((node, (of, sizes.to_vec())));
        self.nodes.len() - 1
    }

    fn constant(&mut self, value: i64, sizes: &[i64]) -> usize {
        let scalar = self.push(Node::Constant(vec![value]), "s32", &[]);
        self.push(Node::Broadcast(scalar), "s32", sizes)
    }

    /// Returns an integer that is known at each index.
    fn known(&mut self, sizes: &[i64], depth: usize) -> usize {
        let kind = self.below(if depth == 0 { 2 } else { 8 });
        if kind < 2 {
            let dimension = self.below(sizes.len());
            return self.push(Node::Iota(dimension), "s32", sizes);
        }
        let x = self.known(sizes, depth - 1);
        let (op, y) = match kind {
            2 => ("add", self.known(sizes, depth - 1)),
            3 => ("subtract", self.known(sizes, depth - 1)),
            4 => ("multiply", {
                let c = self.below(7) as i64 - 3;
                self.constant(c, sizes)
            }),
            5 => ("remainder", {
                let c = self.below(3) as i64 + 2;
                self.constant(c, sizes)
            }),
            6 => ("divide", {
                let c = self.below(3) as i64 + 1;
                self.constant(c, sizes)
            }),
            _ => (self.any(&["minimum", "maximum"]), self.known(sizes, depth - 1)),
        };
        self.push(Node::Elementwise(op, "", vec![x, y]), "s32", sizes)
    }

    fn predicate(&mut self, sizes: &[i64], depth: usize) -> usize {
        match self.below(if depth == 0 { 4 } else { 7 }) {
            0 => {
                let count = sizes.iter().product::<i64>();
                let values = (0..count).map(|_| self.below(2) as i64).collect();
                self.push(Node::Constant(values), "pred", sizes)
            }
            1..4 => {
                let (x, y) = (self.known(sizes, 2), self.known(sizes, 1));
                self.compared(x, y, sizes)
            }
            4 => {
                let x = self.predicate(sizes, depth - 1);
                self.push(Node::Elementwise("not", "", vec![x]), "pred", sizes)
            }
            _ => {
                let (x, y) = (self.predicate(sizes, depth - 1), self.predicate(sizes, depth - 1));
                let op = self.any(&["and", "or", "xor"]);
                self.push(Node::Elementwise(op, "", vec![x, y]), "pred", sizes)
            }
        }
    }

    fn compared(&mut self, x: usize, y: usize, sizes: &[i64]) -> usize {
        let direction = self.any(&["LT", "LE", "GT", "GE", "EQ", "NE"]);
        self.push(Node::Elementwise("compare", direction, vec![x, y]), "pred", sizes)
    }

    /// Returns a program of one to five steps over one or two parameters.
    pub fn program(mut self) -> Program {
        let sizes = [self.below(3) as i64 + 2, self.below(3) as i64 + 2];
        let count = self.below(2) + 1;
        let mut data: Vec<usize> =
            (0..count).map(|k| self.push(Node::Parameter(k), "s32", &sizes)).collect();
        data.push(self.constant(0, &sizes));
        let mut has_unknown = false;
        for _ in 0..=self.below(5) {
            let x = data[self.below(data.len())];
            let sizes = self.nodes[x].1.1.clone();
            let alike: Vec<usize> =
                data.iter().copied().filter(|y| self.nodes[*y].1.1 == sizes).collect();
            let y = alike[self.below(alike.len())];
            let mut result = sizes.clone();
            let node = match self.below(11) {
                0..5 => {
                    let depth = self.below(2);
                    let choice = match self.below(8) {
                        0 => {
                            has_unknown = true;
                            let (data, level) = (data[0], self.below(9) as i64);
                            let level = self.constant(level, &self.nodes[data].1.1.clone());
                            let own = self.nodes[data].1.1.clone();
                            let found = self.compared(data, level, &own);
                            if own == sizes { found } else { self.predicate(&sizes, depth) }
                        }
                        _ => self.predicate(&sizes, depth),
                    };
                    let operands = vec![choice, x, y];
                    match self.below(3) {
                        0 => Node::Where(operands),
                        _ => Node::Elementwise("select", "", operands),
                    }
                }
                5 => Node::Elementwise("add", "", vec![x, y]),
                6 => {
                    result.reverse();
                    Node::Transpose(x)
                }
                7 => Node::Reverse(x, self.below(2)),
                8 => Node::Middle(x, y),
                _ => {
                    let along = self.below(2);
                    let sum = self.push(Node::Reduce(x, along), "s32", &[sizes[1 - along]]);
                    Node::Spread(sum, along)
                }
            };
            data.push(self.push(node, "s32", &result));
        }
        let inputs =
            (0..count).map(|_| (0..sizes[0] * sizes[1]).map(|_| self.below(9) as i64).collect());
        let inputs = inputs.collect();
        Program { nodes: self.nodes, inputs, has_unknown }
    }
}

/// Returns every index of an array, in order.
fn indices(sizes: &[i64]) -> Vec<Vec<i64>> {
    let longer = |before: Vec<Vec<i64>>, size: &i64| {
        let next = before.iter();
        next.flat_map(|index| (0..*size).map(|k| [&index[..], &[k]].concat())).collect()
    };
    sizes.iter().fold(vec![Vec::new()], longer)
}

fn position(index: &[i64], sizes: &[i64]) -> usize {
    index.iter().zip(sizes).fold(0, |at, (x, size)| at * size + x) as usize
}

/// Returns the value of an op on elements.
fn applied(op: &str, attribute: &str, operands: &[i64]) -> i64 {
    match (op, operands) {
        ("add", [x, y]) => x + y,
        ("subtract", [x, y]) => x - y,
        ("multiply", [x, y]) => x * y,
        ("remainder", [x, y]) => x % y,
        ("divide", [x, y]) => x / y,
        ("minimum", [x, y]) => *x.min(y),
        ("maximum", [x, y]) => *x.max(y),
        ("and", [x, y]) => x & y,
        ("or", [x, y]) => x | y,
        ("xor", [x, y]) => x ^ y,
        ("not", [x]) => 1 - x,
        ("select", [choice, x, y]) => {
            if *choice == 1 {
                *x
            } else {
                *y
            }
        }
        ("compare", [x, y]) => i64::from(match attribute {
            "LT" => x < y,
            "LE" => x <= y,
            "GT" => x > y,
            "GE" => x >= y,
            "EQ" => x == y,
            _ => x != y,
        }),
        _ => panic!("{op} of {operands:?}"),
    }
}

impl Program {
    pub fn parameters(&self) -> usize {
        self.inputs.len()
    }

    /// Returns whether a predicate depends on a parameter.
    pub fn has_unknown_choices(&self) -> bool {
        self.has_unknown
    }

    fn values(&self, inputs: &[Vec<i64>]) -> Vec<i64> {
        let mut all: Vec<Vec<i64>> = Vec::new();
        for (node, (_, sizes)) in &self.nodes {
            let of = |k: usize, index: &[i64]| all[k][position(index, &self.nodes[k].1.1)];
            let rows = |k: usize| self.nodes[k].1.1[0];
            let at = |index: &Vec<i64>| match node {
                Node::Parameter(k) => inputs[*k][position(index, sizes)],
                Node::Iota(dimension) => index[*dimension],
                Node::Constant(values) => values[position(index, sizes)],
                Node::Elementwise(op, attribute, list) => {
                    let operands: Vec<i64> = list.iter().map(|k| of(*k, index)).collect();
                    applied(op, attribute, &operands)
                }
                Node::Where(list) => {
                    let operands: Vec<i64> = list.iter().map(|k| of(*k, index)).collect();
                    applied("select", "", &operands)
                }
                Node::Broadcast(k) => of(*k, &[]),
                Node::Transpose(k) => of(*k, &[index[1], index[0]]),
                Node::Reverse(k, along) => {
                    let mut index = index.clone();
                    index[*along] = sizes[*along] - 1 - index[*along];
                    of(*k, &index)
                }
                Node::Reduce(k, along) => {
                    let size = self.nodes[*k].1.1[*along];
                    let full = |x: i64| match along {
                        0 => vec![x, index[0]],
                        _ => vec![index[0], x],
                    };
                    (0..size).map(|x| of(*k, &full(x))).sum()
                }
                Node::Spread(k, along) => of(*k, &[index[1 - along]]),
                Node::Middle(x, y) => match index[0] + 1 < rows(*x) {
                    true => of(*x, &[index[0] + 1, index[1]]),
                    false => of(*y, &[index[0] + 1 - rows(*x), index[1]]),
                },
            };
            let values = indices(sizes).iter().map(at).collect();
            all.push(values);
        }
        all.pop().unwrap_or_default()
    }

    /// Returns, for each index of the result, the elements of parameters that change its value, by number of the parameter.
    pub fn dependences(&self) -> Vec<(Vec<i64>, Changing)> {
        let (_, (_, sizes)) = self.nodes.last().expect("a node");
        let mut found: Vec<_> =
            indices(sizes).into_iter().map(|index| (index, Changing::new())).collect();
        let before = self.values(&self.inputs);
        let of = indices(&self.nodes[0].1.1);
        for k in 0..self.inputs.len() {
            for (position, element) in of.iter().enumerate() {
                for step in [1, -1, 100, -100] {
                    let mut inputs = self.inputs.clone();
                    inputs[k][position] += step;
                    let after = self.values(&inputs);
                    for ((x, y), (_, set)) in before.iter().zip(after).zip(&mut found) {
                        if *x != y {
                            set.insert((k, element.clone()));
                        }
                    }
                }
            }
        }
        found
    }

    /// Returns the module.
    pub fn text(&self) -> String {
        let mut called =
            "add { a = s32[] parameter(0) b = s32[] parameter(1) ROOT c = s32[] add(a, b) }\n"
                .to_owned();
        let mut body = String::new();
        for (number, (node, (of, sizes))) in self.nodes.iter().enumerate() {
            let dims =
                |sizes: &[i64]| sizes.iter().map(i64::to_string).collect::<Vec<_>>().join(",");
            let names = |list: &[usize]| {
                list.iter().map(|k| format!("v{k}")).collect::<Vec<_>>().join(", ")
            };
            let shape = dims(sizes);
            let root = if number + 1 == self.nodes.len() { "ROOT " } else { "" };
            let mut before = String::new();
            let op = match node {
                Node::Parameter(k) => format!("parameter({k})"),
                Node::Iota(dimension) => format!("iota(), iota_dimension={dimension}"),
                Node::Constant(values) if sizes.is_empty() => format!("constant({})", values[0]),
                Node::Constant(values) => {
                    let rows = values.chunks(sizes[1] as usize);
                    let rows: Vec<String> = rows.map(|row| format!("{{{}}}", dims(row))).collect();
                    format!("constant({{{}}})", rows.join(", "))
                }
                Node::Elementwise("compare", direction, list) => {
                    format!("compare({}), direction={direction}", names(list))
                }
                Node::Elementwise(op, _, list) => format!("{op}({})", names(list)),
                Node::Where(list) => {
                    let _ = writeln!(
                        called,
                        "where{number} {{ m = pred[{shape}] parameter(0) x = s32[{shape}] parameter(1) \
                         y = s32[{shape}] parameter(2) ROOT c = s32[{shape}] select(m, x, y) }}"
                    );
                    format!("call({}), to_apply=where{number}", names(list))
                }
                Node::Broadcast(k) => format!("broadcast(v{k}), dimensions={{}}"),
                Node::Transpose(k) => format!("transpose(v{k}), dimensions={{1,0}}"),
                Node::Reverse(k, along) => format!("reverse(v{k}), dimensions={{{along}}}"),
                Node::Reduce(k, along) => {
                    before = format!("  zero{number} = s32[] constant(0)\n");
                    format!("reduce(v{k}, zero{number}), dimensions={{{along}}}, to_apply=add")
                }
                Node::Spread(k, along) => format!("broadcast(v{k}), dimensions={{{}}}", 1 - along),
                Node::Middle(x, y) => {
                    let twice = dims(&[sizes[0] * 2, sizes[1]]);
                    before = format!(
                        "  both{number} = s32[{twice}] concatenate(v{x}, v{y}), dimensions={{0}}\n"
                    );
                    format!("slice(both{number}), slice={{[1:{}], [0:{}]}}", sizes[0] + 1, sizes[1])
                }
            };
            let _ = writeln!(body, "{before}  {root}v{number} = {of}[{shape}] {op}");
        }
        format!("{called}ENTRY e {{\n{body}}}\n")
    }
}
