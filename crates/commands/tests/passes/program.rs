//! Programs of integers, and their text as HLO.

use std::fmt::Write;

#[derive(Clone, PartialEq, Debug)]
pub enum Shape {
    Numbers(Vec<usize>),
    Truths(Vec<usize>),
    Tuple(Vec<Shape>),
}

#[derive(Clone, Debug)]
pub enum Op {
    Parameter(usize),
    Constant(i32),
    Binary(&'static str),
    Compare(&'static str),
    Select,
    /// For each dimension of the operand, the dimension of the result.
    Broadcast(Vec<usize>),
    Reshape,
    Transpose(Vec<usize>),
    Slice(Vec<usize>),
    Concatenate(usize),
    Reverse(usize),
    /// The sum along these dimensions.
    Reduce(Vec<usize>),
    /// The matrix product.
    Dot,
    /// A slice at offsets that are scalars.
    DynamicSlice,
    Update,
    Tuple,
    Part(usize),
    /// A loop with its condition and its body.
    While(Box<[Body; 2]>),
    Fusion(Box<Body>),
}

#[derive(Clone, Debug)]
pub struct Node {
    pub op: Op,
    pub operands: Vec<usize>,
    pub shape: Shape,
}

/// A computation; its last instruction is its result.
#[derive(Clone, Debug, Default)]
pub struct Body {
    pub nodes: Vec<Node>,
}

impl Shape {
    pub fn sizes(&self) -> &[usize] {
        match self {
            Shape::Numbers(sizes) | Shape::Truths(sizes) => sizes,
            Shape::Tuple(_) => &[],
        }
    }

    fn text(&self) -> String {
        let array = |name: &str, sizes: &[usize]| {
            let sizes: Vec<String> = sizes.iter().map(usize::to_string).collect();
            format!("{name}[{}]", sizes.join(","))
        };
        match self {
            Shape::Numbers(sizes) => array("s32", sizes),
            Shape::Truths(sizes) => array("pred", sizes),
            Shape::Tuple(parts) => {
                let parts: Vec<String> = parts.iter().map(Shape::text).collect();
                format!("({})", parts.join(", "))
            }
        }
    }
}

impl Body {
    pub fn add(&mut self, op: Op, operands: &[usize], shape: Shape) -> usize {
        self.nodes.push(Node { op, operands: operands.to_vec(), shape });
        self.nodes.len() - 1
    }

    /// Adds an operation whose result is an array of integers of these sizes.
    pub fn array(&mut self, op: Op, operands: &[usize], sizes: &[usize]) -> usize {
        self.add(op, operands, Shape::Numbers(sizes.to_vec()))
    }

    pub fn sizes(&self, id: usize) -> Vec<usize> {
        self.nodes[id].shape.sizes().to_vec()
    }

    pub fn parameter(&mut self, number: usize, sizes: &[usize]) -> usize {
        self.array(Op::Parameter(number), &[], sizes)
    }

    pub fn constant(&mut self, value: i32) -> usize {
        self.array(Op::Constant(value), &[], &[])
    }

    /// Adds an array whose elements are a constant.
    pub fn filled(&mut self, value: i32, sizes: &[usize]) -> usize {
        let value = self.constant(value);
        self.array(Op::Broadcast(Vec::new()), &[value], sizes)
    }

    pub fn binary(&mut self, name: &'static str, one: usize, other: usize) -> usize {
        let sizes = self.sizes(one);
        self.array(Op::Binary(name), &[one, other], &sizes)
    }

    pub fn compare(&mut self, direction: &'static str, one: usize, other: usize) -> usize {
        let shape = Shape::Truths(self.sizes(one));
        self.add(Op::Compare(direction), &[one, other], shape)
    }

    pub fn select(&mut self, truth: usize, one: usize, other: usize) -> usize {
        let sizes = self.sizes(one);
        self.array(Op::Select, &[truth, one, other], &sizes)
    }

    pub fn slice(&mut self, of: usize, from: &[usize], sizes: &[usize]) -> usize {
        self.array(Op::Slice(from.to_vec()), &[of], sizes)
    }

    pub fn transpose(&mut self, of: usize, order: &[usize]) -> usize {
        let sizes = self.sizes(of);
        let sizes: Vec<usize> = order.iter().map(|k| sizes[*k]).collect();
        self.array(Op::Transpose(order.to_vec()), &[of], &sizes)
    }

    pub fn reshape(&mut self, of: usize, sizes: &[usize]) -> usize {
        self.array(Op::Reshape, &[of], sizes)
    }

    pub fn reverse(&mut self, of: usize, dimension: usize) -> usize {
        let sizes = self.sizes(of);
        self.array(Op::Reverse(dimension), &[of], &sizes)
    }

    pub fn reduce(&mut self, of: usize, over: &[usize]) -> usize {
        let sizes = self.sizes(of);
        let kept = (0..sizes.len()).filter(|k| !over.contains(k));
        let sizes: Vec<usize> = kept.map(|k| sizes[k]).collect();
        let zero = self.constant(0);
        self.array(Op::Reduce(over.to_vec()), &[of, zero], &sizes)
    }

    pub fn dot(&mut self, one: usize, other: usize) -> usize {
        let sizes = [self.sizes(one)[0], self.sizes(other)[1]];
        self.array(Op::Dot, &[one, other], &sizes)
    }

    /// Adds the row of a two-dimensional array at an offset.
    pub fn row(&mut self, of: usize, at: usize) -> usize {
        let width = self.sizes(of)[1];
        let zero = self.constant(0);
        self.array(Op::DynamicSlice, &[of, at, zero], &[1, width])
    }

    pub fn set_row(&mut self, of: usize, row: usize, at: usize) -> usize {
        let sizes = self.sizes(of);
        let zero = self.constant(0);
        self.array(Op::Update, &[of, row, at, zero], &sizes)
    }

    pub fn tuple(&mut self, parts: &[usize]) -> usize {
        let shapes = parts.iter().map(|id| self.nodes[*id].shape.clone()).collect();
        self.add(Op::Tuple, parts, Shape::Tuple(shapes))
    }

    pub fn part(&mut self, of: usize, number: usize) -> usize {
        let Shape::Tuple(parts) = &self.nodes[of].shape else {
            panic!("a part of an array");
        };
        let shape = parts[number].clone();
        self.add(Op::Part(number), &[of], shape)
    }

    pub fn text(&self) -> String {
        let mut written = Vec::new();
        let entry = self.written(&mut written);
        let combiner =
            "sum { x = s32[] parameter(0)  y = s32[] parameter(1)  ROOT r = s32[] add(x, y) }";
        format!("HloModule m\n{combiner}\n{}\nENTRY main {entry}\n", written.join("\n"))
    }

    /// Writes the computation's text in braces; the computations that it calls are written to `before`.
    fn written(&self, before: &mut Vec<String>) -> String {
        let list = |all: &[usize]| all.iter().map(usize::to_string).collect::<Vec<_>>().join(",");
        let mut text = "{\n".to_owned();
        for (number, node) in self.nodes.iter().enumerate() {
            let mut call = |body: &Body| {
                let inner = body.written(before);
                before.push(format!("c{} {inner}", before.len()));
                format!("c{}", before.len() - 1)
            };
            let sizes = node.shape.sizes();
            let (name, said) = match &node.op {
                Op::Parameter(_) => ("parameter", String::new()),
                Op::Constant(_) => ("constant", String::new()),
                Op::Binary(name) => (*name, String::new()),
                Op::Compare(direction) => ("compare", format!(", direction={direction}")),
                Op::Select => ("select", String::new()),
                Op::Broadcast(to) => ("broadcast", format!(", dimensions={{{}}}", list(to))),
                Op::Reshape => ("reshape", String::new()),
                Op::Transpose(order) => ("transpose", format!(", dimensions={{{}}}", list(order))),
                Op::Slice(from) => {
                    let ends =
                        from.iter().zip(sizes).map(|(lo, size)| format!("[{lo}:{}]", lo + size));
                    ("slice", format!(", slice={{{}}}", ends.collect::<Vec<_>>().join(", ")))
                }
                Op::Concatenate(k) => ("concatenate", format!(", dimensions={{{k}}}")),
                Op::Reverse(k) => ("reverse", format!(", dimensions={{{k}}}")),
                Op::Reduce(over) => {
                    ("reduce", format!(", dimensions={{{}}}, to_apply=sum", list(over)))
                }
                Op::Dot => {
                    ("dot", ", lhs_contracting_dims={1}, rhs_contracting_dims={0}".to_owned())
                }
                Op::DynamicSlice => {
                    ("dynamic-slice", format!(", dynamic_slice_sizes={{{}}}", list(sizes)))
                }
                Op::Update => ("dynamic-update-slice", String::new()),
                Op::Tuple => ("tuple", String::new()),
                Op::Part(k) => ("get-tuple-element", format!(", index={k}")),
                Op::While(inner) => {
                    let [condition, body] = [&inner[0], &inner[1]].map(&mut call);
                    ("while", format!(", condition={condition}, body={body}"))
                }
                Op::Fusion(inner) => ("fusion", format!(", kind=kLoop, calls={}", call(inner))),
            };
            let operands = match &node.op {
                Op::Parameter(value) => value.to_string(),
                Op::Constant(value) => value.to_string(),
                _ => node.operands.iter().map(|id| format!("v{id}")).collect::<Vec<_>>().join(", "),
            };
            let root = if number + 1 == self.nodes.len() { "ROOT " } else { "" };
            let shape = node.shape.text();
            let line = writeln!(text, "  {root}v{number} = {shape} {name}({operands}){said}");
            line.expect("a string takes all text");
        }
        text + "}"
    }
}
