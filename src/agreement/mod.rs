//! Do the index maps of an instruction say what the definition of its op says?
//!
//! Law, for each part of the output and each part of an operand: every element that the definition reads is
//! in the union of the maps; every element of a map that calls itself exact is read for sure by the
//! definition. Both for all output elements, all values of range variables, and all values of the tensors
//! that runtime variables are elements of. Where an access holds only *unless* another relation has an
//! element, the maps and that relation are shown to be disjoint, and what neither holds to be empty.
//!
//! A verdict is proved, refuted with an element on which both disagree when evaluated, or unknown.

mod align;
mod change;
mod sample;

pub use change::{Change, change};

use crate::definition::{Access, Certainty, Definition, Definitions, NoDefinition};
use crate::error::Error;
use crate::expr::ExprError;
use crate::hlo::module::{Computation, Instruction};
use crate::indexing::{Exactness, OperandMap, OperandReads};
use crate::map::VariableKind;
use crate::prove::{Budget, Reason, Verdict, covered, disjoint};
use align::{Aligned, Side};

/// What was found out about the maps of one part of an operand.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Judgement {
    /// The maps say what the definition says.
    Proved,
    /// They do not, and here is where.
    Refuted(Difference),
    /// Neither was established.
    Unknown(String),
}

/// An element that is read by one side only.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// The index of the output element.
    pub output: Vec<i64>,
    /// The index of the operand element.
    pub element: Vec<i64>,
    /// Is it the maps that read it? Or else the definition.
    pub read_by_map: bool,
}

/// Judges what was answered for `instruction`, which stands in `computation`: one judgement for each entry of
/// `reads` with maps, `None` where no claim is made.
///
/// # Errors
/// Those of [`Definitions::of`] for an instruction that contradicts itself.
pub fn judge(
    definitions: &mut Definitions<'_>,
    computation: &Computation,
    instruction: &Instruction,
    reads: &[OperandReads],
    budget: &Budget,
) -> Result<Vec<Option<Judgement>>, Error> {
    let definition = match definitions.of(computation, instruction) {
        Ok(definition) => Ok(definition),
        Err(NoDefinition::Invalid(error)) => return Err(error),
        Err(NoDefinition::Unknown(reason)) => Err(reason),
    };
    let judge = |entry: &OperandReads| {
        let maps = entry.reads.maps()?;
        Some(match &definition {
            Err(reason) => Judgement::Unknown(reason.to_string()),
            Ok(definition) => Question {
                definition,
                entry,
                maps,
                budget,
            }
            .judge(),
        })
    };
    Ok(reads.iter().map(judge).collect())
}

struct Question<'a> {
    definition: &'a Definition,
    entry: &'a OperandReads,
    maps: &'a [OperandMap],
    budget: &'a Budget,
}

/// Why something was not shown.
struct Open(String);

impl From<ExprError> for Open {
    fn from(error: ExprError) -> Open {
        Open(error.to_string())
    }
}

impl From<Reason> for Open {
    fn from(reason: Reason) -> Open {
        Open(reason.to_string())
    }
}

impl Question<'_> {
    fn judge(&self) -> Judgement {
        let accesses = self.accesses();
        let sizes = self.maps.iter().map(sizes_of).next();
        let sizes = accesses
            .first()
            .map(|access| access.reads.output().to_vec())
            .or(sizes);
        if let Some(found) = sizes.and_then(|s| sample::difference(&s, &accesses, self.maps)) {
            return Judgement::Refuted(found);
        }
        match self.prove(&accesses) {
            Ok(()) => Judgement::Proved,
            Err(Open(reason)) => Judgement::Unknown(reason),
        }
    }

    /// The accesses of one pair of parts.
    fn accesses(&self) -> Vec<&Access> {
        let entry = self.entry;
        let pair = (&entry.output, entry.operand, &entry.operand_path);
        let accesses = self.definition.accesses().iter();
        accesses
            .filter(|access| (&access.output, access.operand, &access.path) == pair)
            .collect()
    }

    fn prove(&self, accesses: &[&Access]) -> Result<(), Open> {
        let maps: Vec<Side> = self.maps.iter().map(Side::of_map).collect();
        for access in accesses {
            self.prove_covered(access, &maps)?;
        }
        for (map, side) in self.maps.iter().zip(&maps) {
            if map.exactness == Exactness::Exact {
                self.prove_read(side, accesses)?;
            }
        }
        Ok(())
    }

    /// All that `access` says is in `maps`.
    fn prove_covered(&self, access: &Access, maps: &[Side]) -> Result<(), Open> {
        let from = Side::of_relation(&access.reads)?;
        let other = access.unless.as_ref().map(Side::of_relation);
        let others: Vec<Side> = other.into_iter().collect::<Result<_, _>>()?;
        let sides: Vec<&Side> = [&from].into_iter().chain(maps).chain(&others).collect();
        let aligned = Aligned::of(&sides);
        let from = aligned.place(&from)?;
        let mut readers = Vec::new();
        for (side, same_element) in maps
            .iter()
            .map(|side| (side, true))
            .chain(others.iter().map(|side| (side, false)))
        {
            readers.extend(from.reader(&aligned.place(side)?, same_element));
        }
        Ok(covered(&from.domain, &readers, self.budget)?)
    }

    /// All that `map` says is read for sure.
    fn prove_read(&self, map: &Side, accesses: &[&Access]) -> Result<(), Open> {
        let certain = accesses
            .iter()
            .filter(|access| access.certainty == Certainty::Certain);
        let mut relations = Vec::new();
        let mut excluded = Vec::new();
        for access in certain {
            relations.push(Side::of_relation(&access.reads)?);
            if let Some(other) = &access.unless {
                excluded.push(Side::of_relation(other)?);
            }
        }
        let sides: Vec<&Side> = [map]
            .into_iter()
            .chain(&relations)
            .chain(&excluded)
            .collect();
        let aligned = Aligned::of(&sides);
        let map = aligned.place(map)?;
        let mut readers = Vec::new();
        for relation in &relations {
            readers.extend(map.reader(&aligned.place(relation)?, true));
        }
        if readers.is_empty() && !map.domain.is_known_empty() && !accesses.is_empty() {
            let possible = "the map calls itself exact, and by definition it may not all be read";
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

/// The sizes of the output that a map starts from, as far as it is defined.
fn sizes_of(map: &OperandMap) -> Vec<i64> {
    let domain = map.map.domain();
    let dimensions = domain.ids(VariableKind::Dimension);
    dimensions
        .map(|id| domain.bounds(id).hi().saturating_add(1))
        .collect()
}
