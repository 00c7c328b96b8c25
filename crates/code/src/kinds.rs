//! Classifies the names of code as indices or sizes.
//!
//! Law: a name that the code binds is an *index* and takes all of its values: the variable of a loop, a parameter, an `arange`,
//! the index of a block or thread, a name with bounds on both sides. A name that nothing binds is a *size*, for which a map has a
//! single value, if it is a factor or divisor, or is in the bounds of another name. The kind of a name depends on neither the
//! order nor the spelling of operands, and is the same in all texts that are read together.

use super::functions::{Meaning, function};
use super::names::index_name;
use super::parse::is_truth;
use super::program::Program;
use super::types::Type;
use super::value::{Known, Taken};
use affinor_maps::expr::{Expr, IndexingMap, Variable, VariableId, VariableKind};
use affinor_maps::text::ast::{Node, NodeId, NodeKind, Relation, Term};
use rustc_hash::{FxHashMap, FxHashSet};

/// Prefixes of the CUDA and Triton variables that are indices, which are at least 0.
const INDICES: &[&str] =
    &["threadIdx.", "blockIdx.", "program_id_", "global_id_", "cooperative_groups.thread_rank"];

/// Prefixes of the CUDA and Triton variables that are sizes, which are at least 1.
const SIZES: &[&str] = &["blockDim.", "gridDim.", "num_programs_", "warpSize"];

/// Prefixes of the CUDA variables.
const CUDA: [&str; 4] = ["threadIdx.", "blockIdx.", "blockDim.", "gridDim."];

/// Returns the least value, 0 or 1, of a variable of CUDA or Triton.
#[must_use]
pub fn least_of_builtin(name: &str) -> Option<i64> {
    let starts = |list: &[&str]| {
        let mut list = list.iter();
        list.any(|start| name.starts_with(*start) || name.starts_with(&start.replace('.', "_")))
    };
    match (starts(INDICES), starts(SIZES)) {
        (true, _) => Some(0),
        (_, true) => Some(1),
        _ => None,
    }
}

/// Returns the size that an index of CUDA or Triton is less than, both by their names in maps: `threadIdx_x < blockDim_x`.
#[must_use]
pub fn size_of_builtin(index: &str) -> Option<String> {
    const PAIRS: [(&str, &str); 3] =
        [("threadIdx_", "blockDim_"), ("blockIdx_", "gridDim_"), ("program_id_", "num_programs_")];
    let mut pairs = PAIRS.iter();
    pairs.find_map(|(of, size)| Some(format!("{size}{}", index.strip_prefix(of)?)))
}

/// Returns whether a text begins with a CUDA variable.
#[must_use]
pub fn is_builtin(text: &str) -> bool {
    CUDA.iter().any(|start| text.starts_with(start))
}

/// Returns the CUDA variables of a map, with the range of their 32-bit type. The range only serves to reject counterexamples
/// outside of it: as bounds, it would make every product one that may wrap.
pub fn taken_of_cuda(map: &IndexingMap) -> impl Iterator<Item = Taken> {
    let within = Type::Unsigned(32).values();
    let numbered = (0..).map(VariableId).zip(map.domain().variables());
    let own = numbered.filter(|(_, variable)| {
        let mut starts = CUDA.iter().map(|start| start.replace('.', "_"));
        starts.any(|start| variable.name.starts_with(&start))
    });
    own.map(move |(id, _)| Taken { value: Expr::variable(id), within })
}

/// Returns the name of the variable that a node represents: `program_id_0` for `tl.program_id(0)`.
pub fn name_of(term: &Term, node: &Node) -> Option<String> {
    match &node.kind {
        NodeKind::Name(name) => Some(index_name(name.strip_prefix("cuda.").unwrap_or(name))),
        NodeKind::Call(name, operands) => {
            let is_block = function(name).is_some_and(|found| found.meaning == Meaning::Block);
            let name = name.rsplit(['.', ':']).next()?;
            match operands[..] {
                [axis] if is_block => Some(format!("{name}_{}", term.literal(axis)?)),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Returns for each node whether it is a part of one of the roots.
pub fn reachable(term: &Term, roots: impl Iterator<Item = NodeId>) -> Vec<bool> {
    let mut used = vec![false; term.nodes().len()];
    let mut waiting: Vec<NodeId> = roots.collect();
    while let Some(id) = waiting.pop() {
        if !std::mem::replace(&mut used[id.index()], true) {
            term.node(id).kind.operands(|x| waiting.push(x));
        }
    }
    used
}

/// The kinds of the names in some texts.
#[derive(Debug, Default)]
pub struct Kinds {
    bound: FxHashSet<String>,
    /// The sizes, and whether each is at least 1, as a divisor or the end of a range.
    sizes: FxHashMap<String, bool>,
}

impl Kinds {
    /// Determines the kinds of the names of programs that are read together. A name that is `known` represents a value; the
    /// indices of this value that nothing bound where it was named are free here, too.
    pub fn of(programs: &[&Program], known: Known) -> Kinds {
        let mut kinds = Kinds::default();
        for program in programs {
            kinds.bound.extend(program.bound.iter().cloned());
        }
        let readers = programs.iter().map(|program| Names { program, known });
        let readers: Vec<Names> = readers.collect();
        for names in &readers {
            kinds.bound_on_both_sides(names);
            kinds.listed_under_conditions(names);
        }
        for names in &readers {
            kinds.of_divisors(names);
            kinds.of_bounds(names);
        }
        // The sizes known by now are fixed here, so that the order of products does not matter.
        let known: FxHashSet<String> = kinds.sizes.keys().cloned().collect();
        for names in &readers {
            kinds.of_factors(names, &known);
        }
        kinds
    }

    /// Returns whether a name is a size.
    #[must_use]
    pub fn is_size(&self, name: &str) -> bool {
        !self.is_index(name) && (self.sizes.contains_key(name) || least_of_builtin(name) == Some(1))
    }

    /// Returns whether a name is a size that is at least 1.
    #[must_use]
    pub fn is_positive(&self, name: &str) -> bool {
        self.is_size(name)
            && (self.sizes.get(name) == Some(&true) || least_of_builtin(name) == Some(1))
    }

    /// Returns whether the code binds a name.
    #[must_use]
    pub fn is_index(&self, name: &str) -> bool {
        self.bound.contains(name) || least_of_builtin(name) == Some(0)
    }

    fn add(&mut self, names: impl IntoIterator<Item = String>, is_positive: bool) {
        for name in names {
            if !self.is_index(&name) {
                *self.sizes.entry(name).or_default() |= is_positive;
            }
        }
    }

    /// Marks the names that comparisons bound on both sides as bound. `0 <= i < n <= 64` bounds `i`, but not `n`, whose lower end
    /// contains a name that is bound already.
    fn bound_on_both_sides(&mut self, names: &Names) {
        let pairs = names.comparisons();
        let lower = |name: &str, allowed: &dyn Fn(&str) -> bool| {
            pairs.iter().any(|(less, more)| {
                names.bare(*more).as_deref() == Some(name)
                    && names.all_below(*less).iter().all(|other| allowed(other))
            })
        };
        let has_upper = |name: &str| {
            let mut ends = pairs.iter();
            ends.any(|(less, _)| names.bare(*less).as_deref() == Some(name))
        };
        let candidates = pairs.iter().filter_map(|(less, _)| names.bare(*less));
        let candidates: Vec<String> = candidates.filter(|name| has_upper(name)).collect();
        let first = candidates.iter().filter(|name| lower(name, &|_| false));
        let first: FxHashSet<String> = first.cloned().collect();
        let second = candidates
            .iter()
            .filter(|name| lower(name, &|other| other != **name && !first.contains(other)));
        self.bound.extend(second.cloned().collect::<Vec<_>>());
        self.bound.extend(first);
    }

    /// Marks the values that are bare names as bound, except for a name that bounds another name and is not below a number
    /// itself: `i, j where i*i + j*j <= 25` and `i, j where 0 <= i < j < 9` list points.
    fn listed_under_conditions(&mut self, names: &Names) {
        let Program { results, conditions, .. } = names.program;
        let listed: Option<Vec<String>> = results.iter().map(|id| names.bare(*id)).collect();
        let mut ends = FxHashSet::default();
        for (less, more) in names.comparisons() {
            for (one, other) in [(less, more), (more, less)] {
                if names.bare(one).is_some() {
                    ends.extend(names.all_below(other));
                }
            }
        }
        let mut listed = listed.unwrap_or_default();
        if !conditions.is_empty() {
            let is_below_number = |name: &String| {
                let pairs = names.comparisons();
                let mut ends = pairs.iter().filter(|(x, _)| names.bare(*x).as_ref() == Some(name));
                ends.any(|(_, end)| names.all_below(*end).is_empty())
            };
            listed.retain(|name| !ends.contains(name) || is_below_number(name));
            self.bound.extend(listed);
        }
    }

    /// Adds the free names in divisors.
    fn of_divisors(&mut self, names: &Names) {
        for (_, node) in names.program.term.nodes() {
            let divisors = match &node.kind {
                NodeKind::FloorDiv(_, y) | NodeKind::CeilDiv(_, y) | NodeKind::Mod(_, y) => {
                    vec![*y]
                }
                NodeKind::Call("/" | "%", list) => list[1..].to_vec(),
                NodeKind::Call(name, list) => match function(name).map(|found| found.meaning) {
                    Some(Meaning::Divide(_) | Meaning::Digit | Meaning::Multiple(_)) => {
                        list[1..].to_vec()
                    }
                    _ => continue,
                },
                _ => continue,
            };
            for divisor in divisors {
                self.add(names.all_below(divisor), true);
            }
        }
    }

    /// Adds the free names in the bounds of other names, and those that are in conditions alone.
    fn of_bounds(&mut self, names: &Names) {
        for (less, more) in names.comparisons() {
            match (names.bare(less), names.bare(more)) {
                (Some(_), _) => self.add(names.all_below(more), true),
                (_, Some(name)) if self.is_index(&name) => self.add(names.all_below(less), false),
                _ => {}
            }
        }
        let program = names.program;
        let values = program.results.iter().copied();
        let values = values.chain(program.named.iter().map(|(_, value)| *value));
        let in_values = names.below(values);
        let in_conditions = names.below(program.conditions.iter().copied());
        let alone = in_conditions.into_iter().filter(|name| {
            let is_compared = |(less, more): &(NodeId, NodeId)| {
                names.bare(*less).as_ref() == Some(name) || names.bare(*more).as_ref() == Some(name)
            };
            !in_values.contains(name) && !names.comparisons().iter().any(is_compared)
        });
        self.add(alone.collect::<Vec<_>>(), false);
    }

    /// Adds the free names that are factors, or summands of a factor without an index, in a product with another variable. In
    /// `(x % 8) * n` that is `n`; in a product with a size, no other name is added.
    fn of_factors(&mut self, names: &Names, sizes: &FxHashSet<String>) {
        let term = &names.program.term;
        for (_, node) in term.nodes() {
            let NodeKind::Multiply(x, y) = node.kind else {
                continue;
            };
            let is_size = |id: NodeId| {
                let mut atoms = names.atoms_below(id).into_iter();
                atoms.all(|atom| match atom {
                    Atom::Free(name) => sizes.contains(&name) || least_of_builtin(&name) == Some(1),
                    Atom::Size => true,
                    Atom::Index => false,
                })
            };
            if is_size(x)
                || is_size(y)
                || is_truth(&term.node(x).kind)
                || is_truth(&term.node(y).kind)
            {
                continue; // a factor is a size, a number or a condition
            }
            // In `(pid * 64 + tl.arange(0, 64)) * stride` the first factor is an index, and so is `pid`.
            let has_index = |id: NodeId| {
                let mut atoms = names.atoms_below(id).into_iter();
                atoms.any(|atom| match atom {
                    Atom::Free(name) => self.is_index(&name),
                    Atom::Size => false,
                    Atom::Index => true,
                })
            };
            let factors = [x, y].into_iter().filter(|factor| !has_index(*factor));
            let free = factors.flat_map(|factor| names.summands(factor));
            let free: Vec<String> = free.collect();
            self.add(free, false);
        }
    }
}

/// The names of a program, with the values of known names.
struct Names<'a, 't> {
    program: &'a Program<'t>,
    known: Known<'a>,
}

/// The kind of a name, or of a variable of its value.
enum Atom {
    /// A name of the text, or a variable that nothing bound where the value was named.
    Free(String),
    /// A size of the value.
    Size,
    /// An index that was bound where the value was named.
    Index,
}

impl Names<'_, '_> {
    /// Returns the comparisons of the conjunction of all conditions, as pairs `less <= more` or `less < more`.
    fn comparisons(&self) -> Vec<(NodeId, NodeId)> {
        let term = &self.program.term;
        let mut waiting = self.program.conditions.clone();
        waiting.extend(self.program.ranges.iter().flat_map(|(_, conditions)| conditions));
        let mut pairs = Vec::new();
        while let Some(id) = waiting.pop() {
            match &term.node(id).kind {
                NodeKind::And(list) => waiting.extend(list),
                NodeKind::Compare(sides, relations) => match (&sides[..], &relations[..]) {
                    ([x, y], [Relation::Less | Relation::LessEqual]) => pairs.push((*x, *y)),
                    ([x, y], [Relation::Greater | Relation::GreaterEqual]) => pairs.push((*y, *x)),
                    _ => {}
                },
                _ => {}
            }
        }
        pairs
    }

    /// Returns the name of a node that is a free name.
    fn bare(&self, id: NodeId) -> Option<String> {
        let term = &self.program.term;
        name_of(term, term.node(id)).filter(|name| self.is_free(name))
    }

    /// Returns whether a name is free: it has no value in the session, or the code binds it.
    fn is_free(&self, name: &str) -> bool {
        let is_bound = || self.program.bound.iter().any(|other| other == name);
        (self.known)(name).is_none() || is_bound()
    }

    fn atoms_below(&self, id: NodeId) -> Vec<Atom> {
        let term = &self.program.term;
        let parts = reachable(term, std::iter::once(id));
        let nodes = term.nodes().filter(|(id, _)| parts[id.index()]);
        let names = nodes.filter_map(|(_, node)| name_of(term, node));
        names.flat_map(|name| self.atoms(name)).collect()
    }

    fn atoms(&self, name: String) -> Vec<Atom> {
        if self.is_free(&name) {
            return vec![Atom::Free(name)];
        }
        let Some(value) = (self.known)(&name) else {
            return Vec::new();
        };
        let variables = value.maps.iter().flat_map(|map| map.domain().variables());
        let atom = |variable: &Variable| match variable.kind {
            VariableKind::Parameter => Atom::Size,
            _ if value.free.iter().any(|name| **name == *variable.name) => {
                Atom::Free(variable.name.to_string())
            }
            _ => Atom::Index,
        };
        variables.map(atom).collect()
    }

    fn all_below(&self, id: NodeId) -> Vec<String> {
        let atoms = self.atoms_below(id).into_iter();
        let names = atoms.filter_map(|atom| match atom {
            Atom::Free(name) => Some(name),
            Atom::Size | Atom::Index => None,
        });
        names.collect()
    }

    fn below(&self, roots: impl Iterator<Item = NodeId>) -> Vec<String> {
        roots.flat_map(|id| self.all_below(id)).collect()
    }

    /// Returns the free names that are summands or factors of a term.
    fn summands(&self, id: NodeId) -> Vec<String> {
        let term = &self.program.term;
        let (mut names, mut waiting) = (Vec::new(), vec![id]);
        while let Some(id) = waiting.pop() {
            match &term.node(id).kind {
                NodeKind::Sum(list) => waiting.extend(list.iter().map(|(_, x)| *x)),
                NodeKind::Multiply(x, y) => waiting.extend([*x, *y]),
                NodeKind::Negate(x) => waiting.push(*x),
                NodeKind::Call("+", list) => waiting.extend(list),
                NodeKind::Name(_) => names.extend(self.all_below(id)),
                _ => names.extend(self.bare(id)),
            }
        }
        names
    }
}
