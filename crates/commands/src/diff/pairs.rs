//! Pairs the instructions of two modules.
//!
//! Instructions are paired by name first, then by the operation of the source program (`op_name`), then by shapes and attributes
//! that determine the same maps, then by shape; the rest in the order of the text. The opcode is always the same.

use affinor_hlo::attribute::AttributeValue;
use affinor_hlo::module::{Computation, ComputationId, Instruction, InstructionId, Module};
use std::collections::{BTreeMap, BTreeSet};

/// The location of an instruction.
pub type Place = (ComputationId, InstructionId);

/// An instruction with operands, and its partner.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Pair {
    /// It is in both modules.
    Both {
        /// `computation/instruction`, in the new module.
        name: String,
        /// In the old module.
        old: Place,
        /// In the new module.
        new: Place,
        /// The difference that prevents a comparison of individual reads: the shape, or an operand that is not paired with its
        /// counterpart.
        differs: Option<Differs>,
    },
    /// Only in the old module.
    Removed {
        /// `computation/instruction`
        name: String,
    },
    /// Only in the new module.
    Added {
        /// `computation/instruction`
        name: String,
    },
}

/// The reason why individual reads cannot be compared, in words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Differs {
    /// The shape of the result.
    Shape(String),
    /// The operands.
    Operands(String),
}

impl Pair {
    /// Returns the position of the pair's group in an answer: pairs that can be compared come first.
    fn group(&self) -> usize {
        match self {
            Pair::Both { differs: None, .. } => 0,
            Pair::Both { differs: Some(Differs::Operands(_)), .. } => 1,
            Pair::Both { differs: Some(Differs::Shape(_)), .. } => 2,
            Pair::Added { .. } => 3,
            Pair::Removed { .. } => 4,
        }
    }
}

/// Returns all pairs in groups, each in the order of the new module; removed instructions are in the order of the old one.
pub fn pairs(old: &Module, new: &Module) -> Vec<Pair> {
    let mut found = ungrouped(old, new);
    found.sort_by_key(Pair::group);
    found
}

fn ungrouped(old: &Module, new: &Module) -> Vec<Pair> {
    let mut found = Vec::new();
    let computations = matched_computations(old, new);
    for (id, computation) in new.computations() {
        match computations.get(&id) {
            Some(partner) => of_computations(&mut found, (old, *partner), (new, id)),
            None => found.extend(
                users(computation)
                    .map(|instruction| Pair::Added { name: name(computation, instruction) }),
            ),
        }
    }
    let known: BTreeSet<ComputationId> = computations.into_values().collect();
    for (id, computation) in old.computations() {
        if !known.contains(&id) {
            found.extend(
                users(computation)
                    .map(|instruction| Pair::Removed { name: name(computation, instruction) }),
            );
        }
    }
    found
}

/// Returns the old computation for each new one: the entry for the entry, then by name, then in order.
fn matched_computations(old: &Module, new: &Module) -> BTreeMap<ComputationId, ComputationId> {
    let mut matched = BTreeMap::from([(new.entry(), old.entry())]);
    let mut left: Vec<ComputationId> = old.computations().map(|(id, _)| id).collect();
    left.retain(|id| *id != old.entry());
    let mut open = Vec::new();
    for (id, computation) in new.computations().filter(|(id, _)| *id != new.entry()) {
        let by_name = left.iter().position(|old_id| old[*old_id].name() == computation.name());
        match by_name {
            Some(position) => {
                matched.insert(id, left.remove(position));
            }
            None => open.push(id),
        }
    }
    matched.extend(open.into_iter().zip(left));
    matched
}

/// Returns the old instruction for each new one.
fn matched_instructions(
    old: &Computation,
    new: &Computation,
) -> BTreeMap<InstructionId, InstructionId> {
    let mut matched = BTreeMap::new();
    // Parameters correspond by number, whatever their names.
    let parameters = new.parameters().iter().zip(old.parameters());
    matched.extend(parameters.map(|(new, old)| (*new, *old)));
    let is_open = |id: InstructionId| old[id].parameter_number().is_none();
    let ids = old.instructions().map(|(id, _)| id);
    let mut left: Vec<InstructionId> = ids.filter(|id| is_open(*id)).collect();
    let ids = new.instructions().map(|(id, _)| id);
    let mut open: Vec<InstructionId> =
        ids.filter(|id| new[*id].parameter_number().is_none()).collect();
    for likeness in LIKENESSES {
        open.retain(|id| {
            let alike = |candidate: &InstructionId| {
                let (before, after) = (&old[*candidate], &new[*id]);
                before.opcode() == after.opcode() && likeness((old, before), (new, after))
            };
            let Some(position) = left.iter().position(alike) else {
                return true;
            };
            matched.insert(*id, left.remove(position));
            false
        });
    }
    matched
}

/// An instruction with its computation.
type Inside<'m> = (&'m Computation, &'m Instruction);

/// Criteria for pairing two instructions with the same opcode, the most reliable first.
const LIKENESSES: [fn(Inside<'_>, Inside<'_>) -> bool; 5] = [
    |(_, old), (_, new)| old.name() == new.name(),
    |(_, old), (_, new)| {
        let name = old.attributes().op_name();
        name.is_some() && name == new.attributes().op_name()
    },
    have_same_maps,
    |(_, old), (_, new)| old.shape().is_compatible(new.shape()),
    |_, _| true,
];

/// Returns whether the shapes and attributes imply that both have the same maps.
fn have_same_maps((before, old): Inside<'_>, (after, new): Inside<'_>) -> bool {
    let is_like = |(was, is): (&Instruction, &Instruction)| was.shape().is_compatible(is.shape());
    let attributes = |of: &Instruction| -> Vec<(String, String)> {
        let steers = |name: &str| {
            let silent = ["metadata", "sharding", "frontend_attributes", "backend_config", "kind"];
            !silent.contains(&name)
        };
        let all = of.attributes().iter().filter(|x| steers(x.name()));
        let plain = all.filter(|x| !is_reference(x.value()));
        let written = plain.map(|x| (x.name().to_owned(), format!("{:?}", x.value())));
        written.collect()
    };
    let operands = || before.operands(old).zip(after.operands(new));
    is_like((old, new))
        && old.operands().len() == new.operands().len()
        && operands().all(is_like)
        && attributes(old) == attributes(new)
}

/// Returns whether the value refers to computations.
fn is_reference(value: &AttributeValue) -> bool {
    matches!(value, AttributeValue::Computation(_) | AttributeValue::Computations(_))
}

fn of_computations(
    found: &mut Vec<Pair>,
    (old, old_id): (&Module, ComputationId),
    (new, new_id): (&Module, ComputationId),
) {
    let (before, after) = (&old[old_id], &new[new_id]);
    let matched = matched_instructions(before, after);
    for id in users(after) {
        let name = name(after, id);
        found.push(match matched.get(&id) {
            None => Pair::Added { name },
            Some(partner) => Pair::Both {
                name,
                old: (old_id, *partner),
                new: (new_id, id),
                differs: other_shape(&before[*partner], &after[id]).map(Differs::Shape).or_else(
                    || {
                        let other = other_operands((before, *partner), (after, id), &matched);
                        other.map(Differs::Operands)
                    },
                ),
            },
        });
    }
    let known: BTreeSet<InstructionId> = matched.into_values().collect();
    for id in users(before).filter(|id| !known.contains(id)) {
        found.push(Pair::Removed { name: name(before, id) });
    }
}

/// Describes a change of the shape of the result.
fn other_shape(old: &Instruction, new: &Instruction) -> Option<String> {
    let (was, is) = (old.shape(), new.shape());
    (!was.is_compatible(is)).then(|| format!("its shape was {was}, and is {is}"))
}

/// Describes an operand that is not paired with its counterpart.
fn other_operands(
    (before, old): (&Computation, InstructionId),
    (after, new): (&Computation, InstructionId),
    matched: &BTreeMap<InstructionId, InstructionId>,
) -> Option<String> {
    let (was, is) = (before[old].operands(), after[new].operands());
    if was.len() != is.len() {
        return Some(format!("it had {} operands, and has {}", was.len(), is.len()));
    }
    let mut pairs = was.iter().zip(is).enumerate();
    let (number, (was, is)) = pairs.find(|(_, (was, is))| matched.get(is) != Some(was))?;
    Some(format!("operand {number} was `{}`, and is `{}`", before[*was].name(), after[*is].name()))
}

/// Returns the instructions with operands.
fn users(computation: &Computation) -> impl Iterator<Item = InstructionId> {
    let with_operands =
        computation.instructions().filter(|(_, instruction)| !instruction.operands().is_empty());
    with_operands.map(|(id, _)| id)
}

fn name(computation: &Computation, instruction: InstructionId) -> String {
    format!("{}/{}", computation.name(), computation[instruction].name())
}
