//! The reads of an output from an operand: the answer of the analysis.
//!
//! Law: for each output element `d` and each value of the runtime variables, the elements of the operand that the op
//! reads to compute it lie in the union, over all maps of [`Reads::Maps`], of the map's results at `d` over all values
//! of its range variables; they are that union where every map is [`Exactness::Exact`].

use affinor::expr::{Domain, Expr, ExprError, IndexingMap, Variable, VariableId, VariableKind};
use affinor::num::Interval;
use affinor_hlo::module::{ComputationId, InstructionId};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A path in a nested tuple: `[]` is the value itself, `[1, 0]` the first part of its second part.
pub type TuplePath = Vec<usize>;

/// The reads of one array of an instruction's output from one array of one operand.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OperandReads {
    /// The part of the output, `[]` unless it is a tuple.
    pub output: TuplePath,
    /// The operand's index; the parameter number if the reads are those of a computation.
    pub operand: usize,
    /// The part of the operand, `[]` unless it is a tuple.
    pub operand_path: TuplePath,
    /// The elements read.
    pub reads: Reads,
}

/// A part of the output, the number of an operand, and a part of that operand.
pub type Pair = (TuplePath, usize, TuplePath);

impl OperandReads {
    /// Returns the arrays that the entry is about.
    #[must_use]
    pub fn pair(&self) -> Pair {
        (self.output.clone(), self.operand, self.operand_path.clone())
    }
}

/// The reads of one array of a computation's result from one array inside the computation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InstructionReads {
    /// The part of the result, `[]` unless it is a tuple.
    pub output: TuplePath,
    /// The instruction inside.
    pub instruction: InstructionId,
    /// The part of its value.
    pub path: TuplePath,
    /// The elements read. An operand of a runtime variable is a parameter number.
    pub reads: Reads,
}

/// The elements read, if known.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reads {
    /// The union of these maps. No map: nothing is read. No map is known to be empty, and no two are equal.
    Maps(Vec<OperandMap>),
    /// No claim is made.
    Unknown {
        /// Why, naming the op.
        reason: Arc<str>,
    },
}

impl Reads {
    /// Nothing is read.
    pub const NOTHING: Reads = Reads::Maps(Vec::new());

    /// Creates exact reads.
    #[must_use]
    pub fn exactly(map: IndexingMap) -> Reads {
        Reads::union([OperandMap::exact(map)])
    }

    /// Creates the union of `maps`, without those known to be empty.
    #[must_use]
    pub fn union(maps: impl IntoIterator<Item = OperandMap>) -> Reads {
        let not_empty = |map: &OperandMap| !map.map.domain().is_known_empty();
        Reads::Maps(maps.into_iter().filter(not_empty).collect())
    }

    /// Creates unknown reads.
    #[must_use]
    pub fn unknown(reason: impl Into<Arc<str>>) -> Reads {
        Reads::Unknown { reason: reason.into() }
    }

    /// Returns the maps, if the reads are known.
    #[must_use]
    pub fn maps(&self) -> Option<&[OperandMap]> {
        match self {
            Reads::Maps(maps) => Some(maps),
            Reads::Unknown { .. } => None,
        }
    }

    /// Returns whether the maps are known to be exactly the set of elements read.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.maps().is_some_and(|maps| maps.iter().all(|map| map.exactness == Exactness::Exact))
    }
}

/// Whether a map is exact. Exact maps sort first.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Exactness {
    /// Every element of the map is read, for each value of the runtime variables.
    Exact,
    /// Some elements of the map may not be read.
    AtMost {
        /// Why the map is wider than the reads.
        reason: Arc<str>,
    },
}

impl Exactness {
    /// Returns the exactness of a composition: exact only if both maps are.
    #[must_use]
    pub fn and(&self, other: &Exactness) -> Exactness {
        match self {
            Exactness::Exact => other.clone(),
            Exactness::AtMost { .. } => self.clone(),
        }
    }
}

/// One map of a union.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct OperandMap {
    /// The map from the output's indices to the operand's indices.
    pub map: IndexingMap,
    /// Whether the map is exactly the set of elements read.
    pub exactness: Exactness,
    /// One entry per runtime variable of `map`, in an order in which each index uses only earlier variables.
    pub runtime: Vec<RuntimeVariable>,
}

/// A runtime value: an element of a tensor of integers or booleans (false is 0, true is 1), clamped to an interval. Its
/// bounds in the map may be narrower: for other values the map is undefined.
///
/// Two runtime variables are the same value if source, index and clamp are equal.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct RuntimeVariable {
    /// The variable in the map.
    pub variable: VariableId,
    /// The tensor.
    pub source: ValueSource,
    /// The index of the element, over the variables of the map.
    pub index: Vec<Expr>,
    /// The variable is `max(clamp.lo, min(clamp.hi, element))`.
    pub clamp: Interval,
    /// Whether the element is the predicate of a `select`, of which [`Analysis::by_values`](super::Analysis::by_values) does not
    /// know yet which operand it chooses. No map in an answer has such a variable.
    pub is_choice: bool,
}

/// The tensor that holds the value of a runtime variable.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ValueSource {
    /// An operand of the instruction (a parameter of the computation).
    Operand {
        /// The operand's index (parameter number).
        operand: usize,
        /// The part of the operand.
        path: TuplePath,
    },
    /// The result of an instruction inside the computation.
    Instruction {
        /// The instruction's location in the module.
        at: InstructionPlace,
        /// The fusions and calls it was reached through, outermost first: an instruction has a different value in each
        /// call.
        through: Vec<InstructionPlace>,
        /// The part of the instruction's result.
        path: TuplePath,
    },
}

/// An instruction of a module.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct InstructionPlace {
    /// The computation of the instruction.
    pub computation: ComputationId,
    /// The instruction's id in the computation.
    pub instruction: InstructionId,
}

impl OperandMap {
    /// Creates an exact map without runtime variables.
    #[must_use]
    pub fn exact(map: IndexingMap) -> OperandMap {
        OperandMap { map, exactness: Exactness::Exact, runtime: Vec::new() }
    }

    /// Creates a map without runtime variables that may be wider than the reads.
    #[must_use]
    pub fn at_most(map: IndexingMap, reason: impl Into<Arc<str>>) -> OperandMap {
        OperandMap {
            map,
            exactness: Exactness::AtMost { reason: reason.into() },
            runtime: Vec::new(),
        }
    }

    /// Returns the index of a runtime variable's element as a map of its own: over the dimensions and range variables
    /// of this map, and those runtime variables that the index uses, under the same names. The domain has the bounds of
    /// this map and the constraints on these variables.
    ///
    /// # Errors
    /// [`ExprError`] if a renumbered expression is not representable.
    pub fn index_map(&self, runtime: &RuntimeVariable) -> Result<IndexingMap, ExprError> {
        let mut mentioned = BTreeSet::new();
        for index in &runtime.index {
            index.collect_variables(&mut mentioned);
        }
        let domain = self.map.domain();
        let keeps = |id: VariableId, variable: &Variable| {
            variable.kind != VariableKind::Runtime || mentioned.contains(&id)
        };
        let mut kept = Vec::new();
        let mut renumbered = Vec::new();
        let mut dropped = BTreeSet::new();
        for (id, variable) in (0..).map(VariableId).zip(domain.variables()) {
            renumbered.push(Expr::variable(VariableId(kept.len() as u32)));
            if keeps(id, variable) {
                kept.push(variable.clone());
            } else {
                dropped.insert(id);
            }
        }
        let mut narrowed = Domain::new(kept);
        for constraint in domain.constraints() {
            if constraint.expr.variables().is_disjoint(&dropped) {
                narrowed.constrain(&constraint.expr.substitute(&renumbered)?, constraint.bounds);
            }
        }
        let results: Result<Vec<Expr>, ExprError> =
            runtime.index.iter().map(|index| index.substitute(&renumbered)).collect();
        Ok(IndexingMap::new(narrowed, results?))
    }

    /// Restricts the map to the case that the element of operand 0 at `index`, clamped to `clamp`, is in `values`.
    pub(super) fn where_operand_0(
        &self,
        index: Vec<Expr>,
        values: Interval,
        clamp: Interval,
        is_choice: bool,
    ) -> OperandMap {
        let (domain, results) = self.map.clone().into_parts();
        let mut variables = domain.variables().to_vec();
        let variable = VariableId(variables.len() as u32);
        let name = format!("rt{}", domain.count(VariableKind::Runtime));
        variables.push(Variable::new(name, VariableKind::Runtime, values));
        let mut chosen = Domain::new(variables);
        for constraint in domain.constraints() {
            chosen.constrain(&constraint.expr, constraint.bounds);
        }
        let source = ValueSource::Operand { operand: 0, path: TuplePath::new() };
        let mut runtime = self.runtime.clone();
        runtime.push(RuntimeVariable { variable, source, index, clamp, is_choice });
        OperandMap {
            map: IndexingMap::new(chosen, results),
            exactness: self.exactness.clone(),
            runtime,
        }
    }

    /// Returns the map over the variables of `domain`, with `images[i]` substituted for variable `i`.
    pub(super) fn substituted(
        &self,
        mut domain: Domain,
        images: &[Expr],
        runtime: Vec<RuntimeVariable>,
    ) -> Result<OperandMap, ExprError> {
        for constraint in self.map.domain().constraints() {
            domain.constrain(&constraint.expr.substitute(images)?, constraint.bounds);
        }
        let apply = |list: &[Expr]| -> Result<Vec<Expr>, ExprError> {
            list.iter().map(|expr| expr.substitute(images)).collect()
        };
        let mut renumbered = Vec::with_capacity(runtime.len());
        for variable in runtime {
            let image = images.get(variable.variable.index());
            renumbered.push(RuntimeVariable {
                variable: image.and_then(Expr::as_variable).unwrap_or(variable.variable),
                index: apply(&variable.index)?,
                ..variable
            });
        }
        Ok(OperandMap {
            map: IndexingMap::new(domain, apply(self.map.results())?),
            exactness: self.exactness.clone(),
            runtime: renumbered,
        })
    }
}
