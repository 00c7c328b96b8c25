//! What an output reads of an operand: the answer of the analysis.
//!
//! Law: for each output element `d` and each value of the runtime variables, the elements of the operand
//! that the op reads to compute it lie in the union, over all maps of [`Reads::Maps`], of the
//! map's results at `d` over all values of its range variables; they are that union where every map
//! is [`Exactness::Exact`].

use crate::expr::{Domain, Expr, ExprError, IndexingMap, Variable, VariableId, VariableKind};
use crate::hlo::module::{ComputationId, InstructionId};
use crate::num::Interval;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Which part of a nested tuple: `[]` is the value itself, `[1, 0]` the first part of its second part.
pub type TuplePath = Vec<usize>;

/// What one array of an instruction's output reads of one array of one operand.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OperandReads {
    /// The part of the output, `[]` unless it is a tuple.
    pub output: TuplePath,
    /// The operand's position; the parameter number when the reads are those of a computation.
    pub operand: usize,
    /// The part of the operand, `[]` unless it is a tuple.
    pub operand_path: TuplePath,
    /// What is read.
    pub reads: Reads,
}

/// What one array of a computation's result reads of one array inside the computation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InstructionReads {
    /// The part of the result, `[]` unless it is a tuple.
    pub output: TuplePath,
    /// The instruction inside.
    pub instruction: InstructionId,
    /// The part of its value.
    pub path: TuplePath,
    /// What is read. An operand of a runtime variable is a parameter number.
    pub reads: Reads,
}

/// The elements that are read, as far as they are known.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reads {
    /// The union of what these maps say. No map: nothing is read. No map is known to be empty, and
    /// no two are equal.
    Maps(Vec<OperandMap>),
    /// No claim is made.
    Unknown {
        /// Why, in words that name the op.
        reason: Arc<str>,
    },
}

impl Reads {
    /// Nothing is read.
    pub const NOTHING: Reads = Reads::Maps(Vec::new());

    /// Exactly what `map` says.
    #[must_use]
    pub fn exactly(map: IndexingMap) -> Reads {
        Reads::union([OperandMap::exact(map)])
    }

    /// The union of `maps`, without those that are known to be empty.
    #[must_use]
    pub fn union(maps: impl IntoIterator<Item = OperandMap>) -> Reads {
        let not_empty = |map: &OperandMap| !map.map.domain().is_known_empty();
        Reads::Maps(maps.into_iter().filter(not_empty).collect())
    }

    /// No claim, because of `reason`.
    #[must_use]
    pub fn unknown(reason: impl Into<Arc<str>>) -> Reads {
        Reads::Unknown {
            reason: reason.into(),
        }
    }

    /// The maps, if the reads are known.
    #[must_use]
    pub fn maps(&self) -> Option<&[OperandMap]> {
        match self {
            Reads::Maps(maps) => Some(maps),
            Reads::Unknown { .. } => None,
        }
    }

    /// Is it known to be exactly the set of elements read?
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.maps()
            .is_some_and(|maps| maps.iter().all(|map| map.exactness == Exactness::Exact))
    }
}

/// Does a map tell exactly what is read? The exact ones come first.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Exactness {
    /// Every element of the map is read, for each value of the runtime variables.
    Exact,
    /// Some elements of the map may not be read.
    AtMost {
        /// What made it wider.
        reason: Arc<str>,
    },
}

impl Exactness {
    /// That of a composition: exact only if both are.
    #[must_use]
    pub fn and(&self, other: &Exactness) -> Exactness {
        match self {
            Exactness::Exact => other.clone(),
            Exactness::AtMost { .. } => self.clone(),
        }
    }
}

/// One map of a union.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OperandMap {
    /// From the output's indices to the operand's indices.
    pub map: IndexingMap,
    /// Whether it tells exactly what is read.
    pub exactness: Exactness,
    /// One entry for each runtime variable of `map`, in an order in which the index of each mentions
    /// only those before it.
    pub runtime: Vec<RuntimeVariable>,
}

/// A value known only at run time: an element of a tensor of integers or truth values (false is 0, true
/// is 1), forced into an interval. Its bounds in the map may be narrower: for other values the map is
/// not defined.
///
/// Two runtime variables stand for the same value if source, index and clamp are equal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RuntimeVariable {
    /// Its number in the map.
    pub variable: VariableId,
    /// The tensor.
    pub source: ValueSource,
    /// The index of the element, over the variables of the map.
    pub index: Vec<Expr>,
    /// The variable is `max(clamp.lo, min(clamp.hi, element))`.
    pub clamp: Interval,
}

/// The tensor that a runtime variable is an element of.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum ValueSource {
    /// An operand of the instruction (a parameter of the computation).
    Operand {
        /// Its position (parameter number).
        operand: usize,
        /// The part of it.
        path: TuplePath,
    },
    /// The result of an instruction inside.
    Instruction {
        /// Where the instruction stands in the module.
        at: InstructionPlace,
        /// The fusions and calls it was reached through, outermost first: one instruction has another
        /// value in each call.
        through: Vec<InstructionPlace>,
        /// The part of its result.
        path: TuplePath,
    },
}

/// An instruction of a module.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct InstructionPlace {
    /// The computation it stands in.
    pub computation: ComputationId,
    /// Its place there.
    pub instruction: InstructionId,
}

impl OperandMap {
    /// A map without runtime variables that tells exactly what is read.
    #[must_use]
    pub fn exact(map: IndexingMap) -> OperandMap {
        OperandMap {
            map,
            exactness: Exactness::Exact,
            runtime: Vec::new(),
        }
    }

    /// A map without runtime variables that may be wider than what is read.
    #[must_use]
    pub fn at_most(map: IndexingMap, reason: impl Into<Arc<str>>) -> OperandMap {
        OperandMap {
            map,
            exactness: Exactness::AtMost {
                reason: reason.into(),
            },
            runtime: Vec::new(),
        }
    }

    /// The index of a runtime variable's element as a map of its own: over the dimensions and range
    /// variables of this map, and those runtime variables that the index mentions, under the same
    /// names. The domain has the bounds of this map and the constraints on these variables.
    ///
    /// # Errors
    /// [`ExprError`] if a renumbered expression cannot be held.
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
        let results: Result<Vec<Expr>, ExprError> = runtime
            .index
            .iter()
            .map(|index| index.substitute(&renumbered))
            .collect();
        Ok(IndexingMap::new(narrowed, results?))
    }
}
