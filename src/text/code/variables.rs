//! The variables of pasted code: which names occur, which of them are sizes, and what the language says of them.

use super::program::Program;
use crate::expr::{Expr, IndexingMap, Variable, VariableId, VariableKind};
use crate::num::{Interval, PLUS_INFINITY};
use crate::text::ast::{Node, NodeId, NodeKind, Term};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// The map that a name stands for, if it is no variable.
pub type Known<'a> = &'a dyn Fn(&str) -> Option<IndexingMap>;

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
    /// The names that stand for maps.
    maps: BTreeMap<String, IndexingMap>,
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
    pub fn of(program: &Program, used: &[bool], known: Known) -> Variables {
        let term = &program.term;
        let mut variables = Variables {
            list: Vec::new(),
            numbers: FxHashMap::default(),
            maps: BTreeMap::new(),
        };
        let mut order: Vec<String> = program.arguments.iter().map(|a| (*a).to_owned()).collect();
        let mut seen: FxHashSet<String> = order.iter().cloned().collect();
        let nodes = term.nodes().filter(|(id, _)| used[id.index()]);
        for name in nodes.filter_map(|(_, node)| name_of(term, node)) {
            if !seen.insert(name.clone()) {
                continue;
            }
            match known(&name)
                .filter(|map| is_value(map) && !program.bound.contains(&name.as_str()))
            {
                Some(map) => {
                    variables.maps.insert(name, map);
                }
                None => order.push(name),
            }
        }
        let sizes = sizes(term, used, &variables.maps);
        for map in variables.maps.values() {
            let names = map
                .domain()
                .variables()
                .iter()
                .map(|variable| variable.name.to_string());
            let names =
                names.filter(|name| seen.insert(name.clone()) || variables.maps.contains_key(name));
            order.extend(names.collect::<Vec<_>>());
        }
        let is_size = |name: &String| {
            let mut others = variables
                .maps
                .values()
                .flat_map(|map| map.domain().variables());
            sizes.contains(name)
                || others.any(|v| *v.name == **name && v.kind == VariableKind::Parameter)
        };
        let (sizes, others): (Vec<String>, Vec<String>) = order.into_iter().partition(is_size);
        for (names, kind) in [
            (others, VariableKind::Dimension),
            (sizes, VariableKind::Parameter),
        ] {
            names.into_iter().for_each(|name| variables.add(name, kind));
        }
        variables
    }

    fn add(&mut self, written: String, kind: VariableKind) {
        if self.numbers.contains_key(&written) {
            return;
        }
        let least = KNOWN.iter().find(|(start, _)| {
            written.starts_with(start) || written.starts_with(&start.replace('.', "_"))
        });
        // `threadIdx_x`, `arange_0_64`
        let mut name = String::new();
        for letter in written.strip_prefix("tl.").unwrap_or(&written).chars() {
            match letter.is_alphanumeric() || letter == '_' {
                true => name.push(letter),
                false if !name.ends_with('_') => name.push('_'),
                false => {}
            }
        }
        if written.ends_with(')') {
            name.truncate(name.trim_end_matches('_').len());
        }
        if !crate::text::is_name(&name) {
            name.insert(0, '_'); // a keyword of maps
        }
        let same = self.list.iter().position(|other| other.name == name);
        if let (Some(number), Some(_)) = (same, least) {
            self.numbers.insert(written, number as u32); // `threadIdx_x` of a map
            return;
        }
        while self.list.iter().any(|other| other.name == name) {
            name.push('_');
        }
        let mut bounds = least.map_or(Interval::ALL, |(_, least)| {
            Interval::new(*least, PLUS_INFINITY)
        });
        for map in self.maps.values() {
            let mut own = map.domain().variables().iter();
            if let Some(own) = own.find(|variable| *variable.name == *written) {
                bounds = bounds.intersect(own.bounds);
            }
        }
        self.numbers.insert(written, self.list.len() as u32);
        self.list.push(Found { name, kind, bounds });
    }

    /// The map that this node stands for, with the expressions of its variables here.
    pub fn map(&self, term: &Term, node: &Node) -> Option<(&IndexingMap, Vec<Expr>)> {
        let map = self.maps.get(&name_of(term, node)?)?;
        let number = |variable: &Variable| self.numbers.get(&*variable.name).copied();
        let places = map.domain().variables().iter().map(number);
        let places = places.map(|number| Some(Expr::variable(VariableId(number?))));
        Some((map, places.collect::<Option<Vec<Expr>>>()?))
    }

    /// Which names stand for maps.
    pub fn notes(&self) -> Vec<String> {
        let names = self.maps.keys();
        names
            .map(|name| format!("`{name}` stands for its map"))
            .collect()
    }

    /// The number of the variable that this node is.
    pub fn number(&self, term: &Term, node: &Node) -> Option<u32> {
        self.numbers.get(&name_of(term, node)?).copied()
    }
}

/// The name of the variable that a node is: of `tl.program_id(0)` it is `program_id_0`.
fn name_of(term: &Term, node: &Node) -> Option<String> {
    match &node.kind {
        NodeKind::Name(name) => Some(name.split_whitespace().collect()),
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

/// Is it a value of one result, over dimensions and parameters?
fn is_value(map: &IndexingMap) -> bool {
    let is_plain =
        |v: &Variable| matches!(v.kind, VariableKind::Dimension | VariableKind::Parameter);
    map.results().len() == 1
        && map.domain().variables().iter().all(is_plain)
        && !map.domain().is_known_empty()
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
fn sizes(term: &Term, used: &[bool], maps: &BTreeMap<String, IndexingMap>) -> FxHashSet<String> {
    let names = |root: NodeId| -> Vec<String> {
        let parts = reachable(term, std::iter::once(root));
        let nodes = term.nodes().filter(|(id, _)| parts[id.index()]);
        let names = nodes.filter_map(|(_, node)| name_of(term, node));
        let of_name = |name: String| match maps.get(&name) {
            Some(map) => map
                .domain()
                .variables()
                .iter()
                .map(|v| v.name.to_string())
                .collect(),
            None => vec![name],
        };
        names.flat_map(of_name).collect()
    };
    let mut sizes = FxHashSet::default();
    let mut products = Vec::new();
    for (id, node) in term.nodes().filter(|(id, _)| used[id.index()]) {
        match &node.kind {
            NodeKind::FloorDiv(_, divisor)
            | NodeKind::CeilDiv(_, divisor)
            | NodeKind::Mod(_, divisor) => sizes.extend(names(*divisor)),
            NodeKind::Call(name, list) if divides(name) => {
                let divisors = list.iter().skip(1);
                sizes.extend(divisors.flat_map(|divisor| names(*divisor)));
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
        let is_index = |name: &String| {
            KNOWN
                .iter()
                .any(|(n, least)| *least == 0 && name.starts_with(n))
        };
        match right.iter().any(is_index) && !left.iter().any(is_index) {
            true => sizes.extend(left),
            false => sizes.extend(right),
        }
    }
    sizes
}

/// Whether the operands of the function after the first one divide.
fn divides(name: &str) -> bool {
    let last = name.rsplit(['.', ':']).next().unwrap_or(name);
    matches!(name, "/" | "%")
        || matches!(
            super::calls::meaning(last),
            Some(super::calls::Meaning::Divide(_) | super::calls::Meaning::Digit)
        )
}

fn is_truth(term: &Term, id: NodeId) -> bool {
    let kind = &term.node(id).kind;
    matches!(
        kind,
        NodeKind::Compare(..)
            | NodeKind::Not(_)
            | NodeKind::And(_)
            | NodeKind::Or(_)
            | NodeKind::Call("!=", _)
    )
}
