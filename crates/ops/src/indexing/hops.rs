//! Hops from one device to another: the maps through collectives, and their composition.
//!
//! Law: a map through hops has the results `(members.., own numbers.., index..)`, by hop from the reading device on, so that a
//! hop depends on the same variables as the index.

use super::reads::{OperandMap, OperandReads, Reads, RuntimeVariable};
use super::replica::{Own, Replica};
use affinor::expr::{
    Domain, Expr, ExprError, IndexingMap, Variable, VariableId, VariableKind, interval_of,
};
use affinor_hlo::device_groups::{DeviceGroups, DeviceIds};
use affinor_hlo::module::InstructionId;

/// A hop from a device to a device of its group.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hop {
    /// The collective.
    pub instruction: InstructionId,
    /// The device at the end of the hop.
    pub to: Device,
}

/// The device at the end of a hop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Device {
    /// The member of the device's group whose number the replica map yields.
    Member {
        /// The groups.
        groups: DeviceGroups,
        /// Whether the reads depend on the number of the device itself: a map to it then follows that of the member.
        own_map: bool,
        /// The number of the device, if the hop is only about devices with this number.
        own: Option<usize>,
    },
    /// The source of the pair whose target is the device.
    Source {
        /// The meaning of the device numbers.
        ids: DeviceIds,
        /// The pairs of source and target.
        pairs: Vec<[i64; 2]>,
    },
    /// Unknown devices, for this reason.
    Unknown(String),
}

impl Hop {
    /// Returns the number of results that the maps of the hop take.
    fn results(&self) -> usize {
        match self.to {
            Device::Member { own_map, .. } => 1 + usize::from(own_map),
            _ => 0,
        }
    }
}

pub(super) fn hop(instruction: InstructionId, replica: &Replica<'_>, entry: &OperandReads) -> Hop {
    let to = match replica {
        Replica::Unknown(reason) => Device::Unknown((*reason).to_owned()),
        Replica::Source { ids, pairs } => Device::Source { ids: *ids, pairs: pairs.to_vec() },
        Replica::Member { own, groups, .. } => Device::Member {
            groups: (*groups).clone(),
            own_map: own_number(own.as_ref(), entry.reads.maps().unwrap_or_default()).is_some(),
            own: match own {
                Some(Own::Number(number)) => Some(*number),
                _ => None,
            },
        },
    };
    Hop { instruction, to }
}

/// Returns the variable that is this device's number, if there is a single map.
fn own_number(own: Option<&Own>, maps: &[OperandMap]) -> Option<VariableId> {
    let (Some(Own::Variable(name)), [map]) = (own, maps) else {
        return None;
    };
    let variables = map.map.domain().variables();
    let place = variables.iter().position(|x| *x.name == **name)?;
    Some(VariableId(place as u32))
}

pub(super) fn entry_rank(entry: &OperandReads) -> usize {
    let maps = entry.reads.maps().unwrap_or_default();
    maps.first().map_or(0, |map| map.map.results().len())
}

/// Returns the map of a collective with the member that is read, and this device's number if it matters, as first results.
pub(super) fn with_member(
    map: &OperandMap,
    replica: Option<&Replica<'_>>,
) -> Result<OperandMap, ExprError> {
    let Some(Replica::Member { map: member, own, .. }) = replica else {
        return Ok(map.clone());
    };
    let (domain, other) = (map.map.domain(), member.domain());
    let dimensions = domain.count(VariableKind::Dimension);
    let mut variables = domain.variables().to_vec();
    let mut images: Vec<Expr> =
        (0..dimensions).map(|id| Expr::variable(VariableId(id as u32))).collect();
    for variable in other.variables().iter().skip(dimensions) {
        images.push(Expr::variable(VariableId(variables.len() as u32)));
        variables.push(variable.clone());
    }
    let mut all = Domain::new(variables);
    for constraint in domain.constraints() {
        all.constrain(&constraint.expr, constraint.bounds);
    }
    for constraint in other.constraints() {
        all.constrain(&constraint.expr.substitute(&images)?, constraint.bounds);
    }
    let mut results = Vec::new();
    for result in member.results() {
        results.push(result.substitute(&images)?);
    }
    let own = own_number(own.as_ref(), std::slice::from_ref(map));
    results.extend(own.map(Expr::variable));
    results.extend(map.map.results().iter().cloned());
    Ok(OperandMap { map: IndexingMap::new(all, results), ..map.clone() })
}

/// Extends `map` to follow `first`: the first `before` results of `first` become dimensions, passed on before its results.
pub(super) fn behind(
    first: &IndexingMap,
    before: usize,
    map: &OperandMap,
) -> Result<OperandMap, ExprError> {
    let old = map.map.domain();
    let mut variables = Vec::new();
    for (number, result) in first.results().iter().take(before).enumerate() {
        let bounds = |id: VariableId| first.domain().bounds(id);
        let range = interval_of(result, &bounds);
        variables.push(Variable::new(format!("m{number}"), VariableKind::Dimension, range));
    }
    variables.extend(old.variables().iter().cloned());
    let shifted: Vec<Expr> = (0..old.variables().len())
        .map(|id| Expr::variable(VariableId((before + id) as u32)))
        .collect();
    let mut domain = Domain::new(variables);
    for constraint in old.constraints() {
        domain.constrain(&constraint.expr.substitute(&shifted)?, constraint.bounds);
    }
    let mut results: Vec<Expr> =
        (0..before).map(|id| Expr::variable(VariableId(id as u32))).collect();
    for result in map.map.results() {
        results.push(result.substitute(&shifted)?);
    }
    let mut runtime = Vec::new();
    for variable in &map.runtime {
        let index = variable.index.iter().map(|x| x.substitute(&shifted));
        runtime.push(RuntimeVariable {
            variable: VariableId((before + variable.variable.index()) as u32),
            index: index.collect::<Result<_, _>>()?,
            ..variable.clone()
        });
    }
    Ok(OperandMap {
        map: IndexingMap::new(domain, results),
        exactness: map.exactness.clone(),
        runtime,
    })
}

/// Splits maps with all results into those to the elements, and those of each hop.
pub(super) fn apart(hops: &[Hop], reads: &Reads) -> (Reads, Vec<Vec<Vec<IndexingMap>>>) {
    let Reads::Maps(maps) = reads else {
        return (reads.clone(), Vec::new());
    };
    let unused = [VariableKind::Range, VariableKind::Runtime];
    let (mut elements, mut members) = (Vec::new(), Vec::new());
    for map in maps {
        let domain = map.map.domain();
        let mut results = map.map.results().iter().cloned();
        let mut of_hops = Vec::new();
        for hop in hops {
            let own = results.by_ref().take(hop.results()).collect::<Vec<_>>();
            let maps = own.into_iter().map(|result| {
                IndexingMap::new(domain.clone(), vec![result]).without_unused(&unused)
            });
            of_hops.push(maps.collect());
        }
        let index: Vec<Expr> = results.collect();
        let whole = IndexingMap::new(domain.clone(), index);
        // Range variables are numbered before runtime variables: dropping them would renumber the latter.
        let whole = match map.runtime.is_empty() {
            true => whole.without_unused(&[VariableKind::Range]),
            false => whole,
        };
        elements.push(OperandMap { map: whole, ..map.clone() });
        members.push(of_hops);
    }
    (Reads::Maps(elements), members)
}
