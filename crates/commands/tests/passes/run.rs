//! Runs programs: integers wrap, offsets are clamped.

use super::program::{Body, Node, Op, Shape};

#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    Array(Vec<i32>),
    Tuple(Vec<Value>),
}

impl Value {
    pub fn array(&self) -> &[i32] {
        match self {
            Value::Array(array) => array,
            Value::Tuple(_) => panic!("a tuple instead of an array"),
        }
    }
}

/// Returns the position of an index in row-major order.
pub fn place(index: &[usize], sizes: &[usize]) -> usize {
    index.iter().zip(sizes).fold(0, |place, (k, size)| place * size + k)
}

/// Returns all indices of an array, in row-major order.
pub fn indices(sizes: &[usize]) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for size in sizes {
        let longer =
            all.iter().flat_map(|index| (0..*size).map(move |k| [&index[..], &[k]].concat()));
        all = longer.collect();
    }
    all
}

pub fn run(body: &Body, parameters: &[Value]) -> Value {
    let mut values: Vec<Value> = Vec::new();
    for node in &body.nodes {
        let value = step(body, node, &values, parameters);
        values.push(value);
    }
    values.pop().expect("a result")
}

fn step(body: &Body, node: &Node, values: &[Value], parameters: &[Value]) -> Value {
    let operand = |k: usize| &values[node.operands[k]];
    let sizes_of = |k: usize| body.nodes[node.operands[k]].shape.sizes();
    let sizes = node.shape.sizes();
    let at = |k: usize, index: &[usize]| operand(k).array()[place(index, sizes_of(k))];
    let each = |f: &dyn Fn(&[usize]) -> i32| {
        Value::Array(indices(sizes).iter().map(|index| f(index)).collect())
    };
    // The first index of a window of sizes `window`, by offsets from operand `first` on.
    let start = |first: usize, window: &[usize]| -> Vec<usize> {
        let clamped = sizes_of(0).iter().zip(window).enumerate().map(|(k, (size, own))| {
            let offset = operand(first + k).array()[0];
            offset.clamp(0, (size - own) as i32) as usize
        });
        clamped.collect()
    };
    match &node.op {
        Op::Parameter(number) => parameters[*number].clone(),
        Op::Constant(value) => Value::Array(vec![*value]),
        Op::Binary(name) => each(&|i| binary(name, at(0, i), at(1, i))),
        Op::Compare(direction) => each(&|i| {
            let (one, other) = (at(0, i), at(1, i));
            i32::from(match *direction {
                "LT" => one < other,
                "GT" => one > other,
                "LE" => one <= other,
                "GE" => one >= other,
                unknown => panic!("the direction {unknown}"),
            })
        }),
        Op::Select => each(&|i| if at(0, i) == 1 { at(1, i) } else { at(2, i) }),
        Op::Broadcast(to) => each(&|i| at(0, &to.iter().map(|k| i[*k]).collect::<Vec<_>>())),
        Op::Reshape => operand(0).clone(),
        Op::Transpose(order) => each(&|i| {
            let mut from = vec![0; i.len()];
            order.iter().zip(i).for_each(|(k, value)| from[*k] = *value);
            at(0, &from)
        }),
        Op::Slice(from) => {
            each(&|i| at(0, &i.iter().zip(from).map(|(k, lo)| k + lo).collect::<Vec<_>>()))
        }
        Op::Concatenate(dimension) => each(&|i| {
            let (mut from, mut part) = (i.to_vec(), 0);
            while from[*dimension] >= sizes_of(part)[*dimension] {
                from[*dimension] -= sizes_of(part)[*dimension];
                part += 1;
            }
            at(part, &from)
        }),
        Op::Reverse(dimension) => each(&|i| {
            let mut from = i.to_vec();
            from[*dimension] = sizes[*dimension] - 1 - from[*dimension];
            at(0, &from)
        }),
        Op::Reduce(over) => each(&|i| {
            let kept = |index: &[usize]| -> Vec<usize> {
                (0..index.len()).filter(|k| !over.contains(k)).map(|k| index[k]).collect()
            };
            let all = indices(sizes_of(0)).into_iter().filter(|index| kept(index) == i);
            all.fold(at(1, &[]), |sum, index| sum.wrapping_add(at(0, &index)))
        }),
        Op::Dot => each(&|i| {
            let terms =
                (0..sizes_of(0)[1]).map(|k| at(0, &[i[0], k]).wrapping_mul(at(1, &[k, i[1]])));
            terms.fold(0, i32::wrapping_add)
        }),
        Op::DynamicSlice => {
            let start = start(1, sizes);
            each(&|i| at(0, &i.iter().zip(&start).map(|(k, lo)| k + lo).collect::<Vec<_>>()))
        }
        Op::Update => {
            let window = sizes_of(1);
            let start = start(2, window);
            each(&|i| {
                let inside = i.iter().zip(&start).map(|(k, lo)| k.checked_sub(*lo));
                let inside: Option<Vec<usize>> = inside.collect();
                match inside.filter(|inside| inside.iter().zip(window).all(|(k, size)| k < size)) {
                    Some(inside) => at(1, &inside),
                    None => at(0, i),
                }
            })
        }
        Op::Tuple => Value::Tuple(node.operands.iter().map(|id| values[*id].clone()).collect()),
        Op::Part(number) => match operand(0) {
            Value::Tuple(parts) => parts[*number].clone(),
            Value::Array(_) => panic!("a part of an array"),
        },
        Op::While(inner) => {
            let mut state = operand(0).clone();
            while run(&inner[0], std::slice::from_ref(&state)).array()[0] == 1 {
                state = run(&inner[1], &[state]);
            }
            state
        }
        Op::Fusion(inner) => {
            let given: Vec<Value> = node.operands.iter().map(|id| values[*id].clone()).collect();
            run(inner, &given)
        }
    }
}

fn binary(name: &str, one: i32, other: i32) -> i32 {
    match name {
        "add" => one.wrapping_add(other),
        "subtract" => one.wrapping_sub(other),
        "multiply" => one.wrapping_mul(other),
        "maximum" => one.max(other),
        "minimum" => one.min(other),
        unknown => panic!("the operation {unknown}"),
    }
}

/// Returns the number of elements of an array.
pub fn count(shape: &Shape) -> usize {
    shape.sizes().iter().product()
}
