//! Compares the index maps of an instruction with the definition of its op.
//!
//! Law, for each part of the output and each part of an operand: every element that the definition reads is in the union of
//! the maps; every element of a map declared exact is certainly read by the definition. Both hold for all output elements,
//! all values of range variables, and all values of the tensors that runtime variables are elements of. If an access holds
//! only *unless* another relation has an element, the maps and that relation are proved to be disjoint, and everything that
//! neither contains is proved to be empty.
//!
//! If the definition is only an upper bound of the reads, it never refutes narrower maps: they are proved, or unknown.
//!
//! A verdict is proved, refuted with an element on which both disagree when evaluated, or unknown.

mod align;
mod change;
mod counted;
mod known_value;
mod sample;

pub use change::{Change, Traced, change};
pub use counted::judge_counted;
pub use known_value::KnownValue;
pub(crate) use sample::digits;

use affinor::expr::{Expr, ExprError, IndexingMap, VariableId, VariableKind};
use affinor::num::{Fuel, Interval, Stopped};
use affinor::prove::{Budget, Reason, Verdict, covered, disjoint};
use affinor_definition::{Access, Certainty, Definition, NoDefinition, Source};
use affinor_ops::indexing::{Exactness, OperandMap, OperandReads, ValueSource};
use align::{Aligned, Side};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Maximum number of steps for all maps of one answer: once for evaluation at points, once for proofs.
const STEPS: u64 = 20_000_000;

/// Steps charged to a proof for each map, access and pair of their range variables, since the proof proposes values of one
/// variable for the other.
const QUESTION: u64 = 500;

/// The verdict on the maps of one part of an operand.
pub type Judgement = Verdict<Difference, String>;

/// An element that only one side reads.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Difference {
    /// The index of the output element.
    pub output: Vec<i64>,
    /// The index of the operand element.
    pub element: Vec<i64>,
    /// The side that reads it.
    pub read_by: Reader,
}

/// One side of the comparison.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Reader {
    /// The maps.
    Map,
    /// The definition.
    Definition,
}

/// The definition, or the reason why it is missing.
pub type Defined = Result<Rc<Definition>, NoDefinition>;

/// Judges the reads of an instruction, or of a whole computation: one judgement for each entry of `reads`, `None` for an
/// entry without maps. Without a definition the verdict is unknown, with the reason.
#[must_use]
pub fn judge(defined: &Defined, reads: &[OperandReads], budget: &Budget) -> Vec<Option<Judgement>> {
    let accesses = defined.as_ref().map(|definition| by_pair(definition));
    let (points, proofs) = (budget.own_fuel(STEPS), budget.own_fuel(STEPS));
    let judge = |entry: &OperandReads| {
        let maps = entry.reads.maps()?;
        Some(match &accesses {
            Err(NoDefinition::Unknown(reason)) => Judgement::Unknown(reason.to_string()),
            Err(NoDefinition::Invalid(error)) => Judgement::Unknown(error.message.clone()),
            Ok(accesses) => {
                let pair = (&entry.output[..], entry.operand, &entry.operand_path[..]);
                let accesses = accesses.get(&pair).map_or(&[][..], Vec::as_slice);
                Question {
                    accesses,
                    maps,
                    has_other_values: has_names(accesses, maps)
                        || defined.as_ref().is_ok_and(|d| has_fixed(d, maps)),
                    budget,
                    points: &points,
                    proofs: &proofs,
                }
                .judge()
            }
        })
    };
    reads.iter().map(judge).collect()
}

/// The path of an output, the number of an operand, and a path in it.
type Pair<'a> = (&'a [usize], usize, &'a [usize]);

/// Groups the accesses by pair.
fn by_pair(definition: &Definition) -> BTreeMap<Pair<'_>, Vec<&Access>> {
    let mut pairs: BTreeMap<Pair<'_>, Vec<&Access>> = BTreeMap::new();
    for access in definition.accesses() {
        let pair = (&access.output[..], access.operand, &access.path[..]);
        pairs.entry(pair).or_default().push(access);
    }
    pairs
}

/// Returns whether the maps depend on a value that is fixed in the definition.
fn has_fixed(definition: &Definition, maps: &[OperandMap]) -> bool {
    let mut values = maps.iter().flat_map(|map| &map.runtime);
    values.any(|value| match &value.source {
        ValueSource::Operand { operand, path } => definition.has_fixed(*operand, path),
        ValueSource::Instruction { .. } => false,
    })
}

/// Returns whether the maps or the accesses are over named sizes.
fn has_names(accesses: &[&Access], maps: &[OperandMap]) -> bool {
    let mut values = accesses.iter().flat_map(|access| access.reads.values());
    values.any(|value| matches!(value.source, Source::Name(_)))
        || maps.iter().any(|map| map.map.domain().count(VariableKind::Parameter) > 0)
}

struct Question<'a> {
    /// The accesses of the pair that the maps belong to.
    accesses: &'a [&'a Access],
    maps: &'a [OperandMap],
    /// Whether the maps depend on values that are constants for the accesses, or sizes have names, so that nothing is evaluated at
    /// points.
    has_other_values: bool,
    budget: &'a Budget,
    /// Fuel for evaluation at points.
    points: &'a Fuel,
    proofs: &'a Fuel,
}

/// The reason why a claim was not proved.
struct Open(String);

impl From<ExprError> for Open {
    fn from(error: ExprError) -> Open {
        Open(error.to_string())
    }
}

impl From<Stopped> for Open {
    fn from(stopped: Stopped) -> Open {
        Open(format!("stopped at {stopped}"))
    }
}

impl From<Reason> for Open {
    fn from(reason: Reason) -> Open {
        Open(reason.to_string())
    }
}

impl Question<'_> {
    fn judge(&self) -> Judgement {
        if self.says_everything() {
            return Judgement::Proved;
        }
        let bound = self.accesses.iter().find_map(|access| match &access.certainty {
            Certainty::Bound { reason } => Some(reason),
            _ => None,
        });
        let is_nothing_known = |access: &&Access| access.is_bounded_by_nothing();
        if let (Some(bound), true) = (bound, self.accesses.iter().all(is_nothing_known)) {
            return Judgement::Unknown(format!("by definition everything may be read: {bound}"));
        }
        if let Err(stopped) = self.proofs.check() {
            return Judgement::Unknown(format!("stopped at {stopped}"));
        }
        let accesses = self.accesses;
        let sizes = self.maps.iter().map(sizes_of).next();
        let sizes = accesses.first().map(|access| access.reads.output().to_vec()).or(sizes);
        if !self.has_other_values
            && let Some(found) =
                sizes.and_then(|s| sample::difference(&s, accesses, self.maps, self.points))
        {
            return Judgement::Refuted(found);
        }
        match (self.prove(accesses), bound) {
            (Ok(()), _) => Judgement::Proved,
            (Err(Open(reason)), None) => Judgement::Unknown(reason),
            (Err(Open(reason)), Some(bound)) => Judgement::Unknown(format!(
                "the definition only bounds the reads ({bound}), and {reason}"
            )),
        }
    }

    /// Returns whether one of the maps contains every element, and none is declared exact, so that nothing must be proved.
    fn says_everything(&self) -> bool {
        let Some(access) = self.accesses.first() else {
            return false;
        };
        let (output, operand) = (access.reads.output(), access.reads.operand());
        let mut maps = self.maps.iter();
        maps.clone().all(|map| map.exactness != Exactness::Exact)
            && maps.any(|map| is_everything(&map.map, output, operand))
    }

    fn prove(&self, accesses: &[&Access]) -> Result<(), Open> {
        let maps: Vec<Side> = self.maps.iter().map(Side::of_map).collect();
        for access in accesses {
            let others = self.maps.iter().map(|map| ranges(&map.map));
            self.proofs
                .spend(cost(access.reads.loops().len() + access.reads.operand().len(), others))?;
            self.prove_covered(access, &maps)?;
        }
        for (map, side) in self.maps.iter().zip(&maps) {
            if map.exactness == Exactness::Exact {
                let others = accesses.iter().map(|access| access.reads.loops().len());
                self.proofs.spend(cost(ranges(&map.map), others))?;
                self.prove_read(side, accesses)?;
            }
        }
        Ok(())
    }

    /// Proves that `maps` contain all of `access`.
    fn prove_covered(&self, access: &Access, maps: &[Side]) -> Result<(), Open> {
        let from = Side::of_relation(&access.reads)?;
        let other = access.unless.as_ref().map(Side::of_relation);
        let others: Vec<Side> = other.into_iter().collect::<Result<_, _>>()?;
        let sides: Vec<&Side> = [&from].into_iter().chain(maps).chain(&others).collect();
        let aligned = Aligned::of(&sides);
        let from = aligned.place(&from)?;
        let mut readers = Vec::new();
        for (side, same_element) in
            maps.iter().map(|side| (side, true)).chain(others.iter().map(|side| (side, false)))
        {
            readers.extend(from.reader(&aligned.place(side)?, same_element));
        }
        Ok(covered(&from.domain, &readers, self.budget)?)
    }

    /// Proves that all elements of `map` are certainly read.
    fn prove_read(&self, map: &Side, accesses: &[&Access]) -> Result<(), Open> {
        let certain = accesses.iter().filter(|access| access.certainty == Certainty::Certain);
        let mut relations = Vec::new();
        let mut excluded = Vec::new();
        for access in certain {
            relations.push(Side::of_relation(&access.reads)?);
            if let Some(other) = &access.unless {
                excluded.push(Side::of_relation(other)?);
            }
        }
        let sides: Vec<&Side> = [map].into_iter().chain(&relations).chain(&excluded).collect();
        let aligned = Aligned::of(&sides);
        let map = aligned.place(map)?;
        let mut readers = Vec::new();
        for relation in &relations {
            readers.extend(map.reader(&aligned.place(relation)?, true));
        }
        if readers.is_empty() && !map.domain.is_known_empty() && !accesses.is_empty() {
            let possible =
                "the map is declared exact, but by definition some of it may not be read";
            return Err(Open(possible.into()));
        }
        covered(&map.domain, &readers, self.budget)?;
        for other in &excluded {
            let other = aligned.place(other)?;
            match disjoint(&map.domain, &other.domain, self.budget) {
                Verdict::Proved => {}
                Verdict::Refuted(_) => return Err(Reason::NoProposal.into()),
                Verdict::Unknown(reason) => return Err(reason.into()),
            }
        }
        Ok(())
    }
}

/// Returns the steps of a proof between a side and others with these numbers of range variables.
fn cost(own: usize, others: impl Iterator<Item = usize>) -> u64 {
    let readers = others.map(|other| (1 + own as u64) * (1 + other as u64));
    QUESTION * (1 + readers.sum::<u64>())
}

fn ranges(map: &IndexingMap) -> usize {
    map.domain().count(VariableKind::Range)
}

/// Returns whether a map has a separate range variable for each result and relates every element of an array of sizes
/// `output` to every element of one of sizes `operand`.
fn is_everything(map: &IndexingMap, output: &[i64], operand: &[i64]) -> bool {
    let domain = map.domain();
    let mut free: BTreeSet<VariableId> = domain.ids(VariableKind::Range).collect();
    let mut is_whole = |(result, size): (&Expr, &i64)| match result.as_variable() {
        Some(id) => free.remove(&id) && domain.bounds(id).contains_all(Interval::of_size(*size)),
        None => *size == 1 && result.as_constant() == Some(0),
    };
    let dimensions = domain.ids(VariableKind::Dimension);
    domain.constraints().is_empty()
        && domain.count(VariableKind::Runtime) == 0
        && (dimensions.zip(output))
            .all(|(id, size)| domain.bounds(id).contains_all(Interval::of_size(*size)))
        && map.results().len() == operand.len()
        && map.results().iter().zip(operand).all(&mut is_whole)
        && (free.iter()).all(|id| !domain.bounds(*id).is_empty())
}

/// Returns the sizes of the output, as far as the map is defined.
fn sizes_of(map: &OperandMap) -> Vec<i64> {
    let domain = map.map.domain();
    let dimensions = domain.ids(VariableKind::Dimension);
    dimensions.map(|id| domain.bounds(id).hi().saturating_add(1)).collect()
}
