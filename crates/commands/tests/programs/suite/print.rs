//! The text of a program.

use super::moved::moved;
use super::program::{Computation, Convolution, Dot, Instruction, Op, Program, Window};
use super::shape::{Array, Kind, Shape, joined};
use std::fmt::{self, Display, Write};

impl Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "HloModule random")?;
        let entry = self.computations.len() - 1;
        for (k, computation) in self.computations.iter().enumerate() {
            let word = if k == entry { "ENTRY " } else { "" };
            writeln!(f, "\n{word}{} {{", computation.name)?;
            let root = computation.instructions.len() - 1;
            for (n, instruction) in computation.instructions.iter().enumerate() {
                let word = if n == root { "ROOT " } else { "" };
                writeln!(f, "  {word}{}", self.line(computation, instruction))?;
            }
            writeln!(f, "}}")?;
        }
        Ok(())
    }
}

impl Program {
    fn line(&self, computation: &Computation, instruction: &Instruction) -> String {
        let operands: Vec<&str> = instruction
            .operands
            .iter()
            .map(|k| computation.instructions[*k].name.as_str())
            .collect();
        let operands = match &instruction.op {
            Op::Parameter(k) => k.to_string(),
            Op::Constant(values) => literal(instruction.shape.array().expect("an array"), values),
            _ => operands.join(", "),
        };
        let (opcode, attributes) = self.opcode(&instruction.op, &instruction.shape);
        let (name, shape) = (&instruction.name, &instruction.shape);
        let mut line = format!("{name} = {shape} {opcode}({operands})");
        for attribute in attributes {
            write!(line, ", {attribute}").expect("a text");
        }
        line
    }

    fn name(&self, computation: usize) -> &str {
        &self.computations[computation].name
    }

    fn opcode(&self, op: &Op, shape: &Shape) -> (String, Vec<String>) {
        let set = |key: &str, items: &[usize]| format!("{key}={{{}}}", joined(items));
        let runs = |key: &str, k: usize| format!("{key}={}", self.name(k));
        let set_of = |key: &str, computations: &[usize]| {
            let names: Vec<&str> = computations.iter().map(|k| self.name(*k)).collect();
            format!("{key}={{{}}}", names.join(", "))
        };
        let one = |opcode: &str, attribute: String| (opcode.to_owned(), vec![attribute]);
        let none = |opcode: &str| (opcode.to_owned(), Vec::new());
        let triples = |all: &[[i64; 3]], between: &str| -> String {
            let all = all.iter().map(|three| three.map(|n| n.to_string()).join("_"));
            all.collect::<Vec<String>>().join(between)
        };
        match op {
            Op::Parameter(_) => none("parameter"),
            Op::Constant(_) => none("constant"),
            Op::Iota(dimension) => one("iota", format!("iota_dimension={dimension}")),
            Op::Pointwise(opcode, "") => none(opcode),
            Op::Pointwise(opcode, attribute) => one(opcode, (*attribute).to_owned()),
            Op::Map(to_apply) => {
                let rank = shape.array().map_or(0, |array| array.sizes.len());
                let all: Vec<usize> = (0..rank).collect();
                let attributes = vec![set("dimensions", &all), runs("to_apply", *to_apply)];
                ("map".to_owned(), attributes)
            }
            Op::Broadcast(dimensions) => one("broadcast", set("dimensions", dimensions)),
            Op::Reshape => none("reshape"),
            Op::Bitcast => none("bitcast"),
            Op::BitcastConvert => none("bitcast-convert"),
            Op::Copy => none("copy"),
            Op::Moved(opcode, attribute) => one(opcode, (moved(opcode).written)(attribute)),
            Op::Slice(sides) => {
                let sides = sides.iter().map(|[a, b, step]| format!("[{a}:{b}:{step}]"));
                let sides: Vec<String> = sides.collect();
                one("slice", format!("slice={{{}}}", sides.join(", ")))
            }
            Op::Pad(sides) => one("pad", format!("padding={}", triples(sides, "x"))),
            Op::Concatenate(dimension) => one("concatenate", set("dimensions", &[*dimension])),
            Op::DynamicSlice => {
                let sizes = &shape.array().expect("an array").sizes;
                one("dynamic-slice", format!("dynamic_slice_sizes={{{}}}", joined(sizes)))
            }
            Op::DynamicUpdateSlice => none("dynamic-update-slice"),
            Op::Dot(dot) => ("dot".to_owned(), dot_attributes(dot)),
            Op::ScaledDot(dot) => ("scaled-dot".to_owned(), dot_attributes(dot)),
            Op::RaggedDot => {
                let attributes = "lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0}, rhs_group_dims={0}";
                one("ragged-dot", attributes.to_owned())
            }
            Op::Convolution(conv) => ("convolution".to_owned(), conv_attributes(conv)),
            Op::Reduce { dimensions, to_apply } => {
                let attributes = vec![set("dimensions", dimensions), runs("to_apply", *to_apply)];
                ("reduce".to_owned(), attributes)
            }
            Op::ReduceWindow { window, to_apply } => {
                let attributes = vec![window_text(window), runs("to_apply", *to_apply)];
                ("reduce-window".to_owned(), attributes)
            }
            Op::SelectAndScatter { window, select, scatter } => {
                let (select, scatter) = (runs("select", *select), runs("scatter", *scatter));
                let attributes = vec![window_text(window), select, scatter];
                ("select-and-scatter".to_owned(), attributes)
            }
            Op::Gather(vectors, sizes) => {
                let mut attributes = vec![
                    set("offset_dims", &vectors.window),
                    set("collapsed_slice_dims", &vectors.collapsed),
                    set("start_index_map", &vectors.index_map),
                    format!("index_vector_dim={}", vectors.vector),
                    format!("slice_sizes={{{}}}", joined(sizes)),
                ];
                if !vectors.operand_batch.is_empty() {
                    attributes.push(set("operand_batching_dims", &vectors.operand_batch));
                    attributes.push(set("start_indices_batching_dims", &vectors.indices_batch));
                }
                ("gather".to_owned(), attributes)
            }
            Op::Scatter(vectors, to_apply) => {
                let mut attributes = vec![
                    set("update_window_dims", &vectors.window),
                    set("inserted_window_dims", &vectors.collapsed),
                    set("scatter_dims_to_operand_dims", &vectors.index_map),
                    format!("index_vector_dim={}", vectors.vector),
                    runs("to_apply", *to_apply),
                ];
                if !vectors.operand_batch.is_empty() {
                    attributes.push(set("input_batching_dims", &vectors.operand_batch));
                    let batch = set("scatter_indices_batching_dims", &vectors.indices_batch);
                    attributes.push(batch);
                }
                ("scatter".to_owned(), attributes)
            }
            Op::Sort { dimension, to_apply } => {
                let dimensions = set("dimensions", &[*dimension]);
                ("sort".to_owned(), vec![dimensions, runs("to_apply", *to_apply)])
            }
            Op::TopK(k) => one("topk", format!("k={k}, largest=true")),
            Op::Fft { kind, lengths } => {
                let lengths = joined(lengths);
                one("fft", format!("fft_type={kind}, fft_length={{{lengths}}}"))
            }
            Op::TriangularSolve { left, lower, unit, transposed } => {
                let way = if *transposed { "TRANSPOSE" } else { "NO_TRANSPOSE" };
                let attributes = format!(
                    "left_side={left}, lower={lower}, unit_diagonal={unit}, transpose_a={way}"
                );
                one("triangular-solve", attributes)
            }
            Op::Cholesky { lower } => one("cholesky", format!("lower={lower}")),
            Op::BatchNorm(which, feature) => {
                let attributes = format!("epsilon=0.001, feature_index={feature}");
                one(&format!("batch-norm-{which}"), attributes)
            }
            Op::Rng => one("rng", "distribution=rng_uniform".to_owned()),
            Op::Collective { opcode, dimension, group, to_apply } => {
                let mut attributes = vec![match (*opcode, group) {
                    ("collective-permute", _) => "source_target_pairs={{0,1},{1,0}}".to_owned(),
                    (_, 1) => "replica_groups={{0},{1}}".to_owned(),
                    _ => "replica_groups={{0,1}}".to_owned(),
                }];
                attributes.extend(dimension.map(|k| set("dimensions", &[k])));
                attributes.extend(to_apply.map(|k| runs("to_apply", k)));
                ((*opcode).to_owned(), attributes)
            }
            Op::CustomCall => one("custom-call", "custom_call_target=\"other\"".to_owned()),
            Op::RngBits => one("rng-bit-generator", "algorithm=rng_default".to_owned()),
            Op::DimensionSize(k) => one("get-dimension-size", set("dimensions", &[*k])),
            Op::Start(opcode, None) => none(opcode),
            Op::Start(opcode, Some(k)) if *opcode == "async-start" => {
                one(opcode, runs("calls", *k))
            }
            Op::Start(opcode, Some(k)) => {
                let groups = "replica_groups={{0,1}}".to_owned();
                ((*opcode).to_owned(), vec![groups, runs("to_apply", *k)])
            }
            Op::Done(opcode, _) => none(opcode),
            Op::Tuple => none("tuple"),
            Op::Element(k) => one("get-tuple-element", format!("index={k}")),
            Op::Barrier => none("opt-barrier"),
            Op::Fusion(k) => one("fusion", format!("kind=kLoop, {}", runs("calls", *k))),
            Op::Call(k) => one("call", runs("to_apply", *k)),
            Op::Conditional { branches, is_pred } => {
                let (yes, no) = (branches[0], branches[branches.len() - 1]);
                let attributes = match is_pred {
                    true => vec![runs("true_computation", yes), runs("false_computation", no)],
                    false => vec![set_of("branch_computations", branches)],
                };
                ("conditional".to_owned(), attributes)
            }
            Op::While { condition, body } => {
                let attributes = vec![runs("condition", *condition), runs("body", *body)];
                ("while".to_owned(), attributes)
            }
        }
    }
}

fn dot_attributes(dot: &Dot) -> Vec<String> {
    let set = |key: &str, items: &[usize]| format!("{key}={{{}}}", joined(items));
    vec![
        set("lhs_batch_dims", &dot.lhs_batch),
        set("lhs_contracting_dims", &dot.lhs_contracting),
        set("rhs_batch_dims", &dot.rhs_batch),
        set("rhs_contracting_dims", &dot.rhs_contracting),
    ]
}

fn conv_attributes(conv: &Convolution) -> Vec<String> {
    let labels = |letters: [char; 2], dimensions: &[usize]| -> String {
        let mut labels = vec![' '; dimensions.len()];
        for (k, dimension) in dimensions.iter().enumerate() {
            labels[*dimension] = match k {
                0 | 1 => letters[k],
                space => char::from(b'0' + space as u8 - 2),
            };
        }
        labels.into_iter().collect()
    };
    let (input, kernel) = (labels(['b', 'f'], &conv.input), labels(['i', 'o'], &conv.kernel));
    let output = labels(['b', 'f'], &conv.output);
    let mut attributes = Vec::new();
    if !conv.window.is_empty() {
        attributes.push(window_text(&conv.window));
    }
    attributes.push(format!("dim_labels={input}_{kernel}->{output}"));
    attributes.push(format!("feature_group_count={}", conv.feature_groups));
    attributes.push(format!("batch_group_count={}", conv.batch_groups));
    attributes
}

fn window_text(window: &[Window]) -> String {
    let of = |part: &dyn Fn(&Window) -> String| -> String {
        window.iter().map(part).collect::<Vec<String>>().join("x")
    };
    format!(
        "window={{size={} stride={} pad={} lhs_dilate={} rhs_dilate={} rhs_reversal={}}}",
        of(&|w| w.size.to_string()),
        of(&|w| w.stride.to_string()),
        of(&|w| format!("{}_{}", w.low, w.high)),
        of(&|w| w.base_dilation.to_string()),
        of(&|w| w.window_dilation.to_string()),
        of(&|w| i32::from(w.reversed).to_string()),
    )
}

/// Writes the elements in nested braces.
fn literal(array: &Array, values: &[i64]) -> String {
    fn nested(sizes: &[i64], values: &mut impl Iterator<Item = String>) -> String {
        match sizes.split_first() {
            None => values.next().expect("a value for each element"),
            Some((size, inner)) => {
                let parts: Vec<String> = (0..*size).map(|_| nested(inner, values)).collect();
                format!("{{{}}}", parts.join(","))
            }
        }
    }
    let text = |value: &i64| match array.kind {
        Kind::Pred => (*value != 0).to_string(),
        _ => value.to_string(),
    };
    nested(&array.sizes, &mut values.iter().map(text))
}
