//! The variables of pasted code: which names occur, which of them are sizes, and what the language says of them.

use super::program::Program;
use crate::expr::VariableKind;
use crate::num::{Interval, PLUS_INFINITY};
use crate::text::ast::{Node, NodeId, NodeKind, Term};
use rustc_hash::{FxHashMap, FxHashSet};

/// A variable of the code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// Its name in maps: `threadIdx_x` for `threadIdx.x`.
    pub name: String,
    pub kind: VariableKind,
    pub bounds: Interval,
}

/// The names of a program in the order of their numbers as variables, and the number of each as it is written.
pub struct Variables {
    pub list: Vec<Found>,
    numbers: FxHashMap<String, u32>,
}

/// What the names of CUDA and Triton begin with, and the least value.
const KNOWN: [(&str, i64); 8] = [
    ("threadIdx.", 0),
    ("blockIdx.", 0),
    ("program_id_", 0),
    ("cooperative_groups.thread_rank", 0),
    ("blockDim.", 1),
    ("gridDim.", 1),
    ("num_programs_", 1),
    ("warpSize", 1),
];

impl Variables {
    /// The variables of the nodes that are `used`.
    pub fn of(program: &Program, used: &[bool]) -> Variables {
        let term = &program.term;
        let mut order: Vec<String> = program.arguments.iter().map(|a| (*a).to_owned()).collect();
        let mut seen: FxHashSet<String> = order.iter().cloned().collect();
        for (id, node) in term.nodes() {
            if let (Some(name), true) = (name_of(term, node), used[id.index()])
                && seen.insert(name.clone())
            {
                order.push(name);
            }
        }
        let sizes = sizes(term, used);
        let (sizes, others): (Vec<String>, Vec<String>) =
            order.into_iter().partition(|name| sizes.contains(name));
        let mut variables = Variables {
            list: Vec::new(),
            numbers: FxHashMap::default(),
        };
        for (names, kind) in [
            (others, VariableKind::Dimension),
            (sizes, VariableKind::Parameter),
        ] {
            names.into_iter().for_each(|name| variables.add(name, kind));
        }
        variables
    }

    fn add(&mut self, written: String, kind: VariableKind) {
        let least = KNOWN.iter().find(|(start, _)| written.starts_with(start));
        let mut name = written.replace("::", "_").replace('.', "_");
        if !crate::text::is_name(&name) {
            name.insert(0, '_'); // a keyword of maps
        }
        while self.list.iter().any(|other| other.name == name) {
            name.push('_');
        }
        self.numbers.insert(written, self.list.len() as u32);
        self.list.push(Found {
            name,
            kind,
            bounds: least.map_or(Interval::ALL, |(_, least)| Interval::new(*least, PLUS_INFINITY)),
        });
    }

    /// The number of the variable that this node is.
    pub fn number(&self, term: &Term, node: &Node) -> Option<u32> {
        self.numbers.get(&name_of(term, node)?).copied()
    }
}

/// The name of the variable that a node is: of `tl.program_id(0)` it is `program_id_0`.
fn name_of(term: &Term, node: &Node) -> Option<String> {
    match &node.kind {
        NodeKind::Name(name) => Some((*name).to_owned()),
        NodeKind::Call(name, operands) => {
            let name = name.rsplit(['.', ':']).next()?;
            let is_known = matches!(name, "program_id" | "num_programs");
            match operands[..] {
                [axis] if is_known => Some(format!("{name}_{}", term.literal(axis)?)),
                _ => None,
            }
        }
        _ => None,
    }
}

/// For each node, whether one of the roots has it as a part.
pub fn reachable(term: &Term, roots: impl Iterator<Item = NodeId>) -> Vec<bool> {
    let mut used = vec![false; term.nodes().len()];
    let mut waiting: Vec<NodeId> = roots.collect();
    while let Some(id) = waiting.pop() {
        if !std::mem::replace(&mut used[id.index()], true) {
            waiting.extend(operands(&term.node(id).kind));
        }
    }
    used
}

/// The operands of a node.
fn operands(kind: &NodeKind) -> Vec<NodeId> {
    match kind {
        NodeKind::Integer(_) | NodeKind::Name(_) => Vec::new(),
        NodeKind::Negate(x) | NodeKind::Not(x) => vec![*x],
        NodeKind::Sum(list) => list.iter().map(|(_, x)| *x).collect(),
        NodeKind::Multiply(x, y)
        | NodeKind::FloorDiv(x, y)
        | NodeKind::CeilDiv(x, y)
        | NodeKind::Mod(x, y) => vec![*x, *y],
        NodeKind::Call(_, list)
        | NodeKind::Compare(list, _)
        | NodeKind::And(list)
        | NodeKind::Or(list) => list.clone(),
    }
}

/// The names of divisors, and of one factor of each product of variables.
fn sizes(term: &Term, used: &[bool]) -> FxHashSet<String> {
    let names = |root: NodeId| -> Vec<String> {
        let parts = reachable(term, std::iter::once(root));
        let nodes = term.nodes().filter(|(id, _)| parts[id.index()]);
        nodes.filter_map(|(_, node)| name_of(term, node)).collect()
    };
    let mut sizes = FxHashSet::default();
    let mut products = Vec::new();
    for (id, node) in term.nodes().filter(|(id, _)| used[id.index()]) {
        match &node.kind {
            NodeKind::FloorDiv(_, divisor)
            | NodeKind::CeilDiv(_, divisor)
            | NodeKind::Mod(_, divisor) => sizes.extend(names(*divisor)),
            NodeKind::Call(name, list) if divides(name) => {
                sizes.extend(list.get(1).map(|divisor| names(*divisor)).unwrap_or_default());
            }
            NodeKind::Multiply(x, y) if !is_truth(term, *x) && !is_truth(term, *y) => {
                products.push((id, *x, *y));
            }
            _ => {}
        }
    }
    for (_, x, y) in products {
        let (left, right) = (names(x), names(y));
        let is_size = |list: &[String]| list.iter().all(|name| sizes.contains(name));
        if is_size(&left) || is_size(&right) {
            continue; // also a constant
        }
        let is_index = |name: &String| KNOWN.iter().any(|(n, least)| *least == 0 && name.starts_with(n));
        match right.iter().any(is_index) && !left.iter().any(is_index) {
            true => sizes.extend(left),
            false => sizes.extend(right),
        }
    }
    sizes
}

/// Is the second operand of the function a divisor?
fn divides(name: &str) -> bool {
    let last = name.rsplit(['.', ':']).next().unwrap_or(name);
    matches!(name, "/" | "%") || matches!(super::calls::meaning(last), Some(super::calls::Meaning::Divide(_)))
}

fn is_truth(term: &Term, id: NodeId) -> bool {
    let kind = &term.node(id).kind;
    matches!(
        kind,
        NodeKind::Compare(..) | NodeKind::Not(_) | NodeKind::And(_) | NodeKind::Or(_) | NodeKind::Call("!=", _)
    )
}
