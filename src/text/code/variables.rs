//! The variables of pasted code: which names occur, their numbers, and what the language says about them.

use super::kinds::{Kinds, least_of_builtin, name_of};
use super::program::Program;
use super::types::Type;
use crate::expr::{Expr, IndexingMap, Variable, VariableId, VariableKind};
use crate::num::Interval;
use crate::text::ast::{Node, Term};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// The maps of the value that a name stands for, one for each of its cases, if it is no variable.
pub type Known<'a> = &'a dyn Fn(&str) -> Option<Vec<IndexingMap>>;

/// A variable of the code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// Its name in maps: `threadIdx_x` for `threadIdx.x`.
    pub name: String,
    pub kind: VariableKind,
    pub bounds: Interval,
    /// Of a size, whether it has to be at least 1: it divides, or ends a range.
    pub size: Option<bool>,
}

/// The names of programs in the order of their numbers as variables, and the number of each as it is written.
pub struct Variables {
    pub list: Vec<Found>,
    numbers: FxHashMap<String, u32>,
    /// The names that stand for values.
    maps: BTreeMap<String, Vec<IndexingMap>>,
    types: FxHashMap<String, Type>,
}

/// A program, and which of its nodes are asked about.
pub type Part<'a, 't> = (&'a Program<'t>, &'a [bool]);

impl Variables {
    /// The variables of programs that are read together.
    pub fn of(parts: &[Part], kinds: &Kinds, known: Known) -> Variables {
        let mut variables = Variables {
            list: Vec::new(),
            numbers: FxHashMap::default(),
            maps: BTreeMap::new(),
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
                    Some(maps) => {
                        variables.maps.insert(name, maps);
                    }
                    None => order.push(name),
                }
            }
        }
        let own = variables.maps.values().flatten();
        let own = own.flat_map(|map| map.domain().variables());
        for variable in own {
            let name = variable.name.to_string();
            if seen.insert(name.clone()) || variables.maps.contains_key(&name) {
                order.push(name);
            }
        }
        let is_size = |name: &String| {
            let own = variables.maps.values().flatten();
            let mut own = own.flat_map(|map| map.domain().variables());
            kinds.is_size(name)
                || own.any(|v| *v.name == **name && v.kind == VariableKind::Parameter)
        };
        let (sizes, others): (Vec<String>, Vec<String>) = order.into_iter().partition(is_size);
        for (names, kind) in [
            (others, VariableKind::Dimension),
            (sizes, VariableKind::Parameter),
        ] {
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
        let mut bounds = least.map_or(Interval::ALL, Interval::at_least);
        if let Some(of) = self.types.get(&written) {
            bounds = bounds.intersect(of.values());
        }
        let is_size = kind == VariableKind::Parameter && kinds.is_size(&written);
        let size = is_size.then(|| kinds.is_positive(&written));
        for maps in self.maps.values() {
            let own = maps.iter().filter_map(|map| {
                let mut own = map.domain().variables().iter();
                own.find(|variable| *variable.name == *written)
            });
            let own = own.map(|variable| variable.bounds);
            let hull = own.reduce(|x, y| Interval::new(x.lo().min(y.lo()), x.hi().max(y.hi())));
            bounds = bounds.intersect(hull.unwrap_or(Interval::ALL));
        }
        self.numbers.insert(written, self.list.len() as u32);
        self.list.push(Found {
            name,
            kind,
            bounds,
            size,
        });
    }

    /// The maps that this node stands for, with the expressions of their variables here.
    ///
    /// # Errors
    /// What they are, if they are no value: one result over dimensions and parameters.
    pub fn maps(
        &self,
        term: &Term,
        node: &Node,
    ) -> Result<Option<Vec<(&IndexingMap, Vec<Expr>)>>, &'static str> {
        let Some(maps) = name_of(term, node).and_then(|name| self.maps.get(&name)) else {
            return Ok(None);
        };
        if let Some(reason) = maps.iter().find_map(no_value) {
            return Err(reason);
        }
        let number = |variable: &Variable| self.numbers.get(&*variable.name).copied();
        let places = |map: &IndexingMap| {
            let places = map.domain().variables().iter().map(number);
            let places = places.map(|number| Some(Expr::variable(VariableId(number?))));
            places.collect::<Option<Vec<Expr>>>()
        };
        Ok(maps.iter().map(|map| Some((map, places(map)?))).collect())
    }

    /// Which names stand for values.
    pub fn notes(&self) -> Vec<String> {
        let names = self.maps.iter().map(|(name, maps)| match maps.len() {
            1 => format!("`{name}` stands for its map"),
            count => format!("`{name}` stands for its {count} maps"),
        });
        names.collect()
    }

    /// The number of the variable that this node is.
    pub fn number(&self, term: &Term, node: &Node) -> Option<u32> {
        self.numbers.get(&name_of(term, node)?).copied()
    }

    /// The type of the variable that this node is; those of CUDA are unsigned.
    pub fn type_of(&self, term: &Term, node: &Node) -> Type {
        let Some(name) = name_of(term, node) else {
            return Type::Plain;
        };
        let is_of_cuda = ["threadIdx.", "blockIdx.", "blockDim.", "gridDim."]
            .iter()
            .any(|start| name.starts_with(start));
        match self.types.get(&name) {
            Some(of) => *of,
            None if is_of_cuda => Type::Unsigned(32),
            None => Type::Plain,
        }
    }
}

/// Why a map is no value of code.
fn no_value(map: &IndexingMap) -> Option<&'static str> {
    let kinds = map.domain().variables().iter().map(|variable| variable.kind);
    let mut others = kinds.filter(|kind| {
        !matches!(kind, VariableKind::Dimension | VariableKind::Parameter)
    });
    match (map.results().len(), others.next()) {
        (1, None) if map.domain().is_known_empty() => Some("a map that is nowhere defined"),
        (1, None) => None,
        (1, Some(_)) => Some("a map with range or runtime variables"),
        _ => Some("a map of several results"),
    }
}
