//! Shrinks programs that are answered wrongly.

use super::program::{Computation, Op, Program};

/// Maximum number of programs that are tried.
const TRIED: usize = 300;

/// Returns a program that is no larger and still satisfies `is_wrong`.
pub fn shrunk(program: &Program, is_wrong: &mut dyn FnMut(&Program) -> bool) -> Program {
    let mut best = program.clone();
    let mut tried = 0;
    'smaller: loop {
        for candidate in candidates(&best) {
            tried += 1;
            if tried > TRIED {
                return best;
            }
            if size(&candidate) < size(&best) && is_wrong(&candidate) {
                best = candidate;
                continue 'smaller;
            }
        }
        return best;
    }
}

/// Returns the measure to minimize: the number of operations, then of instructions.
fn size(program: &Program) -> (usize, usize) {
    let instructions = program.computations.iter().flat_map(|c| &c.instructions);
    let is_op = |op: &Op| !matches!(op, Op::Parameter(_));
    let ops = instructions.clone().filter(|instruction| is_op(&instruction.op));
    (ops.count(), instructions.count())
}

fn candidates(program: &Program) -> Vec<Program> {
    let mut found = Vec::new();
    let entry = program.computations.len() - 1;
    for k in 0..program.entry().instructions.len() {
        // Truncate the program.
        let mut candidate = program.clone();
        candidate.computations[entry].instructions.truncate(k + 1);
        found.push(cleaned(candidate));
    }
    for (c, computation) in program.computations.iter().enumerate() {
        for (k, instruction) in computation.instructions.iter().enumerate() {
            let is_root = k + 1 == computation.instructions.len();
            if matches!(instruction.op, Op::Parameter(_)) || is_root {
                continue;
            }
            if c == entry {
                // Replace a value by a parameter.
                let mut candidate = program.clone();
                let given = &mut candidate.computations[c].instructions[k];
                given.op = Op::Parameter(program.entry().parameters().len());
                given.operands.clear();
                found.push(cleaned(candidate));
            }
            // Replace a value by an earlier one of the same shape.
            let mut earlier = computation.instructions[..k].iter();
            if let Some(other) = earlier.position(|other| other.shape == instruction.shape) {
                let mut candidate = program.clone();
                for user in &mut candidate.computations[c].instructions {
                    for operand in user.operands.iter_mut().filter(|operand| **operand == k) {
                        *operand = other;
                    }
                }
                found.push(cleaned(candidate));
            }
        }
    }
    found
}

/// Removes unused computations and instructions.
fn cleaned(mut program: Program) -> Program {
    let entry = program.computations.len() - 1;
    for (c, computation) in program.computations.iter_mut().enumerate() {
        keep_used(computation, c == entry);
    }
    let mut is_used = vec![false; entry + 1];
    is_used[entry] = true;
    for c in (0..=entry).rev() {
        if is_used[c] {
            for instruction in &mut program.computations[c].instructions {
                for callee in callees(&mut instruction.op) {
                    is_used[*callee] = true;
                }
            }
        }
    }
    let number = |c: usize| is_used[..c].iter().filter(|used| **used).count();
    for computation in &mut program.computations {
        for instruction in &mut computation.instructions {
            for callee in callees(&mut instruction.op) {
                *callee = number(*callee);
            }
        }
    }
    let mut used = is_used.iter();
    program.computations.retain(|_| used.next() == Some(&true));
    program
}

/// Removes the instructions that the root does not need; parameters stay, unless they may be renumbered.
fn keep_used(computation: &mut Computation, is_free: bool) {
    let count = computation.instructions.len();
    let mut is_used = vec![false; count];
    is_used[count - 1] = true;
    for k in (0..count).rev() {
        let instruction = &computation.instructions[k];
        is_used[k] |= !is_free && matches!(instruction.op, Op::Parameter(_));
        if is_used[k] {
            for operand in &instruction.operands {
                is_used[*operand] = true;
            }
        }
    }
    let number = |k: usize| is_used[..k].iter().filter(|used| **used).count();
    for instruction in &mut computation.instructions {
        for operand in &mut instruction.operands {
            *operand = number(*operand);
        }
    }
    let mut used = is_used.iter();
    computation.instructions.retain(|_| used.next() == Some(&true));
    if is_free {
        let parameters = computation.instructions.iter_mut();
        let parameters = parameters.filter_map(|instruction| match &mut instruction.op {
            Op::Parameter(k) => Some(k),
            _ => None,
        });
        for (number, k) in parameters.enumerate() {
            *k = number;
        }
    }
}

fn callees(op: &mut Op) -> Vec<&mut usize> {
    match op {
        Op::Map(k) | Op::Fusion(k) | Op::Call(k) | Op::Scatter(_, k) => vec![k],
        Op::Reduce { to_apply, .. } | Op::ReduceWindow { to_apply, .. } => vec![to_apply],
        Op::Sort { to_apply, .. } => vec![to_apply],
        Op::SelectAndScatter { select, scatter, .. } => vec![select, scatter],
        Op::Start(_, to_apply) | Op::Collective { to_apply, .. } => to_apply.iter_mut().collect(),
        Op::Conditional { branches, .. } => branches.iter_mut().collect(),
        Op::While { condition, body } => vec![condition, body],
        _ => Vec::new(),
    }
}
