//! Runs a program element by element and records the elements that each one reads.
//!
//! Law: the reads recorded for an instruction are of its own operands. A called computation is run with names for the
//! elements of its parameters, so its operands are those of the call. The result of a computation reads of its parameters the
//! union over all paths through its instructions.

use super::cells::{At, Cell, Cells, Running, Value};
use super::program::{Computation, Op, Program};
use super::random::{Random, made_up};
use super::shape::{Array, Kind, Shape};
use super::{folding, moving, vectors, whole};
use std::collections::{BTreeMap, BTreeSet};

/// The elements read by an element.
pub type Reads = BTreeSet<At>;

/// A call on the path to a frame: the computation, the instruction in it, and a number that distinguishes the instruction's
/// calls.
pub type Step = (usize, usize, usize);

/// A run of a computation with given operands.
#[derive(Debug)]
pub struct Frame {
    pub computation: usize,
    /// The result of each instruction.
    pub values: Vec<Value>,
    /// The reads of each element of each leaf of each instruction, from the instruction's operands.
    pub reads: Vec<Vec<Vec<Reads>>>,
    /// The reads of each element of each leaf of the root, from the parameters.
    pub whole: Vec<Vec<Reads>>,
}

/// All frames of a run, by the calls on the path to each.
#[derive(Debug, Default)]
pub struct Run {
    pub frames: BTreeMap<Vec<Step>, Frame>,
}

/// Maximum number of iterations of a loop. No loop of the generator needs as many.
const TURNS: usize = 40;

impl Run {
    /// Runs the entry computation with values drawn for its parameters.
    pub fn new(program: &Program, random: &mut Random) -> Run {
        let parameters = program.entry().parameters();
        let arguments = parameters.into_iter().map(|shape| drawn(shape, random));
        let arguments = arguments.collect();
        let mut run = Run::default();
        run.computation(program, program.computations.len() - 1, arguments, &[]);
        run
    }

    /// Returns the frame of the entry computation.
    pub fn entry(&self) -> &Frame {
        &self.frames[&Vec::new()]
    }

    fn computation(
        &mut self,
        program: &Program,
        number: usize,
        arguments: Vec<Value>,
        path: &[Step],
    ) -> (Value, Vec<Vec<Reads>>) {
        let computation = &program.computations[number];
        let mut values: Vec<Value> = Vec::new();
        let mut reads = Vec::new();
        for (k, instruction) in computation.instructions.iter().enumerate() {
            let (value, read) = match &instruction.op {
                Op::Parameter(n) => (arguments[*n].clone(), nothing(&instruction.shape)),
                op => {
                    let operands: Vec<&Value> =
                        instruction.operands.iter().map(|k| &values[*k]).collect();
                    let running =
                        Running { program, op, shape: &instruction.shape, operands: &operands };
                    self.instruction(&running, path, (number, k))
                }
            };
            values.push(value);
            reads.push(read);
        }
        let whole = through(computation, &reads);
        let result = values.last().expect("a root").clone();
        let frame = Frame { computation: number, values, reads, whole: whole.clone() };
        self.frames.insert(path.to_vec(), frame);
        (result, whole)
    }

    fn instruction(
        &mut self,
        running: &Running<'_>,
        path: &[Step],
        (computation, instruction): (usize, usize),
    ) -> (Value, Vec<Vec<Reads>>) {
        let below = |turn| [path, &[(computation, instruction, turn)]].concat();
        let operand = |k: usize| running.operands[k].clone();
        let program = running.program;
        match running.op {
            Op::Fusion(callee) | Op::Call(callee) => {
                let arguments = (0..running.operands.len()).map(operand).collect();
                self.computation(program, *callee, arguments, &below(0))
            }
            // The operands as a tuple, the result, and the context.
            Op::Start("async-start", Some(callee)) => {
                let arguments: Vec<Value> = (0..running.operands.len()).map(operand).collect();
                let mut leaves: Vec<Vec<i64>> =
                    arguments.iter().flat_map(|value| value.leaves.clone()).collect();
                let mut reads = Vec::new();
                for (k, value) in arguments.iter().enumerate() {
                    for (leaf, elements) in value.leaves.iter().enumerate() {
                        let own = (0..elements.len()).map(|e| Reads::from([(k, leaf, e)]));
                        reads.push(own.collect());
                    }
                }
                let (value, read) = self.computation(program, *callee, arguments, &below(0));
                leaves.extend(value.leaves);
                leaves.push(vec![0]);
                reads.extend(read);
                reads.push(vec![Reads::new()]);
                let shape = running.shape.clone();
                (Value { shape, leaves }, reads)
            }
            Op::Conditional { branches, .. } => {
                let (choice, at) = running.scalar(0);
                let branch = match running.array(0).kind {
                    Kind::Pred => usize::from(choice == 0),
                    _ => match usize::try_from(choice) {
                        Ok(branch) if branch < branches.len() => branch,
                        _ => branches.len() - 1,
                    },
                };
                let arguments = vec![operand(branch + 1)];
                let (value, reads) =
                    self.computation(program, branches[branch], arguments, &below(0));
                let moved = |reads: Reads| -> Reads {
                    let moved = reads.into_iter().map(|(_, l, e)| (branch + 1, l, e));
                    moved.chain([at]).collect()
                };
                let leaves = reads.into_iter();
                let reads = leaves.map(|leaf| leaf.into_iter().map(moved).collect());
                (value, reads.collect())
            }
            Op::While { condition, body } => {
                self.repeat(running, *condition, *body, &|turn| below(turn))
            }
            _ => finished(running.shape, simple(running)),
        }
    }

    /// "Repeatedly executes the body as long as the condition is true." All leaves that the body does not merely pass on also
    /// read the elements that decided the number of iterations.
    fn repeat(
        &mut self,
        running: &Running<'_>,
        condition: usize,
        body: usize,
        below: &dyn Fn(usize) -> Vec<Step>,
    ) -> (Value, Vec<Vec<Reads>>) {
        let program = running.program;
        let mut state = running.operands[0].clone();
        let leaves = state.leaves.iter().enumerate();
        let mut reads: Vec<Vec<Reads>> = leaves
            .map(|(leaf, elements)| {
                let own = (0..elements.len()).map(|e| Reads::from([(0, leaf, e)]));
                own.collect()
            })
            .collect();
        let mut decided = Reads::new();
        for turn in 0..TURNS {
            let (goes_on, asked) =
                self.computation(program, condition, vec![state.clone()], &below(2 * turn + 2));
            decided.extend(followed(&asked[0][0], &reads));
            if goes_on.leaves[0][0] == 0 {
                break;
            }
            let (next, read) = self.computation(program, body, vec![state], &below(2 * turn + 1));
            let leaves = read.iter();
            reads =
                leaves.map(|leaf| leaf.iter().map(|one| followed(one, &reads)).collect()).collect();
            state = next;
        }
        for (leaf, elements) in reads.iter_mut().enumerate() {
            if !is_passed_on(&program.computations[body], leaf) {
                for element in elements {
                    element.extend(decided.iter().copied());
                }
            }
        }
        (state, reads)
    }
}

/// Composes reads: the elements that `asked` reads of the state, replaced by those that these read according to `of`.
fn followed(asked: &Reads, of: &[Vec<Reads>]) -> Reads {
    let found = asked.iter().flat_map(|(_, leaf, e)| of[*leaf][*e].iter());
    found.copied().collect()
}

/// Checks whether this leaf of the result is always the same leaf of the parameter.
fn is_passed_on(body: &Computation, leaf: usize) -> bool {
    let mut at = body.instructions.len() - 1;
    let mut place = leaf;
    loop {
        let instruction = &body.instructions[at];
        let operand = |k: usize| &body.instructions[instruction.operands[k]];
        match &instruction.op {
            Op::Parameter(_) => return place == leaf,
            Op::Copy => at = instruction.operands[0],
            Op::Tuple => {
                let parts = 0..instruction.operands.len();
                let mut parts = parts.map(|k| (k, instruction.shape.leaves_of_part(k)));
                let found = parts.find(|(_, leaves)| leaves.contains(&place));
                let (k, leaves) = found.expect("a part with this leaf");
                place -= leaves.start;
                at = instruction.operands[k];
            }
            Op::Element(k) => {
                place += operand(0).shape.leaves_of_part(*k).start;
                at = instruction.operands[0];
            }
            _ => return false,
        }
    }
}

/// Returns the elements that each element of the result depends on, for a computation with scalar parameters.
pub fn dependence(program: &Program, computation: usize) -> Vec<Reads> {
    let mut random = Random::new(1);
    let parameters = program.computations[computation].parameters();
    let arguments = parameters.into_iter().map(|shape| drawn(shape, &mut random));
    let arguments = arguments.collect();
    let (_, reads) = Run::default().computation(program, computation, arguments, &[]);
    reads.into_iter().flatten().collect()
}

/// Computes ops without called computations. The values in a computation with scalar parameters do not matter.
fn simple(running: &Running<'_>) -> Cells {
    let forwarded = |leaves: Vec<(usize, usize)>| -> Cells {
        let leaves = leaves.into_iter().map(|(operand, leaf)| {
            let count = running.operands[operand].leaves[leaf].len();
            let cells = (0..count).map(|e| running.moved((operand, leaf, e), Vec::new()));
            cells.collect()
        });
        leaves.collect()
    };
    let leaves_of = |operand: usize| 0..running.operands[operand].leaves.len();
    match running.op {
        Op::Tuple => {
            let operands = 0..running.operands.len();
            forwarded(operands.flat_map(|k| leaves_of(k).map(move |leaf| (k, leaf))).collect())
        }
        Op::Element(k) | Op::Done(_, k) if matches!(running.operands[0].shape, Shape::Tuple(_)) => {
            let leaves = running.operands[0].shape.leaves_of_part(*k);
            forwarded(leaves.map(|leaf| (0, leaf)).collect())
        }
        Op::Start("copy-start", _) => {
            let mut cells = forwarded(vec![(0, 0), (0, 0)]);
            cells.push(vec![running.computed(Vec::new())]);
            cells
        }
        Op::Done(..) | Op::Start(..) | Op::Barrier => {
            forwarded(leaves_of(0).map(|leaf| (0, leaf)).collect())
        }
        _ => moving::cells(running)
            .or_else(|| folding::cells(running))
            .or_else(|| vectors::cells(running))
            .or_else(|| whole::cells(running))
            .expect("an operation of one of the families"),
    }
}

fn finished(shape: &Shape, cells: Cells) -> (Value, Vec<Vec<Reads>>) {
    let values = |leaf: &Vec<Cell>| leaf.iter().map(|cell| cell.value).collect();
    let value = Value { shape: shape.clone(), leaves: cells.iter().map(values).collect() };
    let reads = |leaf: Vec<Cell>| -> Vec<Reads> {
        let cells = leaf.into_iter();
        cells.map(|cell| cell.reads.into_iter().collect()).collect()
    };
    (value, cells.into_iter().map(reads).collect())
}

fn nothing(shape: &Shape) -> Vec<Vec<Reads>> {
    let leaves = shape.leaves().into_iter();
    leaves.map(|(_, array)| vec![Reads::new(); array.count()]).collect()
}

/// Composes the reads of a computation's instructions into those of its root from the parameters.
fn through(computation: &Computation, reads: &[Vec<Vec<Reads>>]) -> Vec<Vec<Reads>> {
    let mut whole: Vec<Vec<Vec<Reads>>> = Vec::new();
    for (instruction, reads) in computation.instructions.iter().zip(reads) {
        let found = match instruction.op {
            Op::Parameter(n) => {
                let leaves = reads.iter().enumerate();
                let named = leaves.map(|(leaf, elements)| {
                    let own = (0..elements.len()).map(|e| Reads::from([(n, leaf, e)]));
                    own.collect()
                });
                named.collect()
            }
            _ => {
                let of = |one: &Reads| -> Reads {
                    let found = one
                        .iter()
                        .flat_map(|(k, leaf, e)| whole[instruction.operands[*k]][*leaf][*e].iter());
                    found.copied().collect()
                };
                let leaves = reads.iter();
                leaves.map(|leaf| leaf.iter().map(of).collect()).collect()
            }
        };
        whole.push(found);
    }
    whole.pop().expect("a root")
}

/// Draws values for a parameter.
pub fn drawn(shape: &Shape, random: &mut Random) -> Value {
    let mut elements = |array: &Array| -> Vec<i64> {
        let count = 0..array.count();
        count.map(|_| array.kind.held(made_up([random.next() as i64]))).collect()
    };
    let leaves = shape.leaves().into_iter();
    let leaves = leaves.map(|(_, array)| elements(array)).collect();
    Value { shape: shape.clone(), leaves }
}
