//! The variables of pasted code: the names in it, their numbers, and the bounds that the language gives them.

use super::kinds::{Kinds, is_builtin, least_of_builtin, name_of, reachable, size_of_builtin};
use super::names::in_maps;
use super::program::Program;
use super::types::Type;
use super::value::{Known, Named};
use affinor_maps::expr::{Expr, IndexingMap, Variable, VariableId, VariableKind};
use affinor_maps::num::Interval;
use affinor_maps::text::ast::{Node, NodeId, NodeKind, Term};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// A variable of the code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// Its name in maps: `threadIdx_x` for `threadIdx.x`.
    pub name: String,
    pub kind: VariableKind,
    pub bounds: Interval,
    /// For a size, whether it must be at least 1, as a divisor or the end of a range.
    pub size: Option<bool>,
    /// Whether it is an index that nothing binds.
    pub is_free: bool,
}

/// The names of programs in the order of their numbers as variables, and the number of each name as written.
pub struct Variables {
    pub list: Vec<Found>,
    numbers: FxHashMap<String, u32>,
    /// The names that have values.
    pub values: BTreeMap<String, Named>,
    /// The names that are bound here but were sizes where a value was named.
    rebound: FxHashSet<String>,
    types: FxHashMap<String, Type>,
}

/// A variable of the value of a name, or the name itself.
pub struct Vector {
    /// Its name in maps.
    pub name: String,
    /// The number of dimensions that were after it where the value was named.
    pub kept: Option<usize>,
    /// Whether it is an `arange`.
    pub is_range: bool,
    /// Whether the name has no `arange`, so that a subscript of the name applies to this variable.
    pub is_alone: bool,
}

/// A map of the value of a name, with the expressions for its variables.
pub type Placed<'v> = (&'v IndexingMap, Vec<Expr>);

/// A program, and which of its nodes are used.
pub type Part<'a, 't> = (&'a Program<'t>, &'a [bool]);

impl Variables {
    /// Collects the variables of programs that are read together.
    pub fn of(parts: &[Part], kinds: &Kinds, known: Known) -> Variables {
        let mut variables = Variables {
            list: Vec::new(),
            numbers: FxHashMap::default(),
            values: BTreeMap::new(),
            rebound: FxHashSet::default(),
            types: FxHashMap::default(),
        };
        let arguments = parts.iter().flat_map(|(program, _)| &program.arguments);
        let mut order: Vec<String> = arguments.map(|name| (*name).to_owned()).collect();
        let mut seen: FxHashSet<String> = order.iter().cloned().collect();
        for (program, used) in parts {
            let types = program.types.iter();
            let types = types.map(|(name, of)| ((*name).to_owned(), *of));
            variables.types.extend(types);
            let nodes = program.term.nodes().filter(|(id, _)| used[id.index()]);
            for name in nodes.filter_map(|(_, node)| name_of(&program.term, node)) {
                if !seen.insert(name.clone()) {
                    continue;
                }
                let is_bound = program.bound.contains(&name);
                match known(&name).filter(|_| !is_bound) {
                    Some(value) => {
                        variables.values.insert(name, value);
                    }
                    None => order.push(name),
                }
            }
        }
        let own = variables.values.values().flat_map(|value| &value.maps);
        let own: Vec<&Variable> = own.flat_map(|map| map.domain().variables()).collect();
        let written = |name: &str| {
            let same = |other: &&String| in_maps(other) == name;
            order.iter().find(same).cloned()
        };
        // `tl.arange(0, 8)` here is `arange_0_8` in a map.
        let renamed: Vec<String> = own
            .iter()
            .map(|variable| written(&variable.name).unwrap_or_else(|| variable.name.to_string()))
            .collect();
        let parameters = own.iter().zip(&renamed);
        let parameters = parameters.filter(|(own, _)| own.kind == VariableKind::Parameter);
        let parameters: FxHashSet<String> = parameters.map(|(_, name)| name.clone()).collect();
        for name in renamed {
            if seen.insert(name.clone()) || variables.values.contains_key(&name) {
                order.push(name);
            }
        }
        let loops = parts.iter().flat_map(|(program, _)| &program.loops).copied();
        in_order_of(&loops.collect::<Vec<&str>>(), &mut order);
        // A name that is bound here is an index, even if it was a size where the value was named.
        let rebound = parameters.iter().filter(|name| kinds.is_index(name));
        variables.rebound = rebound.cloned().collect();
        let is_size = |name: &String| {
            kinds.is_size(name) || parameters.contains(name) && !kinds.is_index(name)
        };
        let (sizes, others): (Vec<String>, Vec<String>) = order.into_iter().partition(is_size);
        for (names, kind) in [(others, VariableKind::Dimension), (sizes, VariableKind::Parameter)] {
            for name in names {
                variables.add(name, kind, kinds);
            }
        }
        variables
    }

    fn add(&mut self, written: String, kind: VariableKind, kinds: &Kinds) {
        if self.numbers.contains_key(&written) {
            return;
        }
        let least = least_of_builtin(&written);
        let mut name = in_maps(&written);
        let same = self.list.iter().position(|other| other.name == name);
        if let (Some(number), Some(_)) = (same, least) {
            self.numbers.insert(written, number as u32); // `threadIdx_x` in a map
            return;
        }
        while self.list.iter().any(|other| other.name == name) {
            name.push('_');
        }
        let mut bounds = least.map_or(Interval::ALL, Interval::at_least);
        if let Some(of) = self.types.get(&written) {
            bounds = bounds.intersect(of.values());
        }
        let is_size = kind == VariableKind::Parameter && kinds.is_size(&written);
        let size = is_size.then(|| kinds.is_positive(&written));
        for value in self.values.values() {
            let own = value.maps.iter().filter_map(|map| {
                let mut own = map.domain().variables().iter();
                own.find(|variable| *variable.name == *in_maps(&written))
            });
            let own = own.map(|variable| variable.bounds);
            let hull = own.reduce(|x, y| Interval::new(x.lo().min(y.lo()), x.hi().max(y.hi())));
            bounds = bounds.intersect(hull.unwrap_or(Interval::ALL));
        }
        let is_free = kind == VariableKind::Dimension && !kinds.is_index(&written);
        self.numbers.insert(written, self.list.len() as u32);
        self.list.push(Found { name, is_free, kind, bounds, size });
    }

    /// Returns the indices of threads and blocks whose number is among the variables, each with that number. Indices that a condition
    /// compares are omitted, since they have explicit bounds.
    pub fn launched(&self, conditions: &[NodeId], term: &Term) -> Vec<[VariableId; 2]> {
        let reached = reachable(term, conditions.iter().copied());
        let nodes = term.nodes().filter(|(id, _)| reached[id.index()]);
        let sides = nodes.filter_map(|(_, node)| match &node.kind {
            NodeKind::Compare(sides, _) => Some(sides),
            _ => None,
        });
        let number = |side: &NodeId| self.number(term, term.node(*side));
        let compared: FxHashSet<u32> = sides.flatten().filter_map(number).collect();
        let numbered = || (0..).map(VariableId).zip(&self.list);
        let pair = |(id, found): (VariableId, &Found)| {
            let size = size_of_builtin(&found.name)?;
            let (of, _) = numbered().find(|(_, other)| other.name == size)?;
            (!compared.contains(&id.0)).then_some([id, of])
        };
        numbered().filter_map(pair).collect()
    }

    /// Returns the maps that this node represents, with the expressions for their variables here.
    ///
    /// # Errors
    /// The reason why they are not a value, which has one result over dimensions and parameters: the indices and sizes of this
    /// text.
    pub fn maps(&self, term: &Term, node: &Node) -> Result<Option<Vec<Placed<'_>>>, String> {
        let Some(value) = name_of(term, node).and_then(|name| self.values.get(&name)) else {
            return Ok(None);
        };
        let maps = &value.maps;
        if let Some(reason) = maps.iter().find_map(no_value) {
            return Err(format!("stands for {reason}, which has no value here"));
        }
        let own = maps.iter().flat_map(|map| map.domain().variables());
        let mut taken = own.filter(|variable| {
            variable.bounds != Interval::ALL && self.rebound.contains(&*variable.name)
        });
        if let Some(variable) = taken.next() {
            let name = &variable.name;
            return Err(format!(
                "was named where `{name}` is a size, at least {}, and here it is an index",
                variable.bounds.lo()
            ));
        }
        // Maps and variables share their names: a name is the same variable in both.
        let number = |variable: &Variable| {
            let mut numbered = (0..).zip(&self.list);
            let found = numbered.find(|(_, found)| *found.name == *variable.name);
            found.map(|(number, _)| number)
        };
        let places = |map: &IndexingMap| {
            let places = map.domain().variables().iter().map(number);
            let places = places.map(|number| Some(Expr::variable(VariableId(number?))));
            places.collect::<Option<Vec<Expr>>>()
        };
        Ok(maps.iter().map(|map| Some((map, places(map)?))).collect())
    }

    /// Returns the variables of the value of a name; for any other name, its name in maps.
    pub fn parts_of(&self, name: &str) -> Vec<Vector> {
        let is_range = |name: &str| name.contains("arange_");
        let Some(value) = self.values.get(name) else {
            let name = in_maps(name);
            return vec![Vector { is_range: is_range(&name), name, kept: None, is_alone: true }];
        };
        let variables = value.maps.iter().flat_map(|map| map.domain().variables());
        let dimensions = variables.filter(|found| found.kind == VariableKind::Dimension);
        let names: Vec<&str> = dimensions.map(|found| &*found.name).collect();
        let is_alone = !names.iter().any(|name| is_range(name));
        let part = |name: &&str| Vector {
            name: (*name).to_owned(),
            kept: value.axes.iter().find(|(other, _)| other == name).map(|(_, behind)| *behind),
            is_range: is_range(name),
            is_alone,
        };
        names.iter().map(part).collect()
    }

    /// Describes which names represent values.
    pub fn notes(&self) -> Vec<String> {
        let names = self.values.iter().map(|(name, value)| {
            let name = name.split('[').next().unwrap_or(name);
            match value.maps.len() {
                1 => format!("`{name}` stands for its map"),
                count => format!("`{name}` stands for its {count} maps"),
            }
        });
        let mut names: Vec<String> = names.collect();
        names.dedup();
        names
    }

    /// Returns the number of the variable that this node is.
    pub fn number(&self, term: &Term, node: &Node) -> Option<u32> {
        self.numbers.get(&name_of(term, node)?).copied()
    }

    /// Returns the type of the variable that this node is; CUDA's variables are unsigned.
    pub fn type_of(&self, term: &Term, node: &Node) -> Type {
        let Some(name) = name_of(term, node) else {
            return Type::Plain;
        };
        if let Some(value) = self.values.get(&name) {
            return value.of;
        }
        match self.types.get(&name) {
            Some(of) => *of,
            None if is_builtin(&name) => Type::Unsigned(32),
            None => Type::Plain,
        }
    }
}

/// Returns the reason why a map is not a value of code.
fn no_value(map: &IndexingMap) -> Option<&'static str> {
    let kinds = map.domain().variables().iter().map(|variable| variable.kind);
    let mut others =
        kinds.filter(|kind| !matches!(kind, VariableKind::Dimension | VariableKind::Parameter));
    match (map.results().len(), others.next()) {
        (1, None) if map.domain().is_known_empty() => Some("a map that is nowhere defined"),
        (1, None) => None,
        (1, Some(_)) => Some("a map with range or runtime variables"),
        _ => Some("a map of several results"),
    }
}

/// Puts the variables of loops among `names` into the order of the loops; `j * 8 + i for i in range(8) for j in range(4)` has the
/// dimensions `i, j`.
fn in_order_of(loops: &[&str], names: &mut [String]) {
    let rank = |name: &String| loops.iter().position(|other| *other == name.as_str());
    let places: Vec<usize> = (0..names.len()).filter(|at| rank(&names[*at]).is_some()).collect();
    let mut sorted: Vec<String> = places.iter().map(|at| names[*at].clone()).collect();
    sorted.sort_by_key(rank);
    for (at, name) in places.into_iter().zip(sorted) {
        names[at] = name;
    }
}
