//! The reads of the entry computation from other devices: its maps, composed through collectives.
//!
//! Law: let a device run the module, as all devices do. For each value of the range variables of a map, the element at the map's
//! result is read from the device at the end of the hops; each hop gives a device in terms of the previous one, by the law of
//! `replica`. Reads from the device itself have no hops. The rows together have the reads of [`Analysis::computation`], without
//! regard to devices. Runtime values are those of the device itself; those of another device may be arbitrary.

use super::analysis::Analysis;
use super::freed::for_all_values;
use super::hops::{Device, Hop, apart, behind, entry_rank, hop, with_member};
use super::op::sizes_at;
use super::reads::{Exactness, InstructionPlace, OperandMap, OperandReads, Reads};
use super::replica::{Exchange, Replica};
use super::reshape::row_major;
use super::sequence::compose;
use super::walk::Place;
use affinor::expr::IndexingMap;
use affinor::text::Error;
use affinor_hlo::module::{ComputationId, Instruction, InstructionId, Module};
use affinor_hlo::opcode::Opcode;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Maximum number of steps between two collectives.
const STEPS: u64 = 500_000;

/// Maximum number of maps of one row.
const MAPS: usize = 64;

/// Maximum number of consecutive collectives.
const HOPS: usize = 16;

/// The reads of a part of a parameter by an array of the result, along the same hops.
#[derive(Clone, Debug)]
pub struct DeviceReads {
    /// The array, the part of the parameter, and the elements read on the last device.
    pub reads: OperandReads,
    /// The hops from the device itself to the last device; empty if these are the same.
    pub hops: Rc<[Hop]>,
    /// For each map of the reads, the maps of each hop: to the member, and, if it matters, to the number of the previous
    /// device.
    pub members: Vec<Vec<Vec<IndexingMap>>>,
}

/// Returns whether an instruction of the module exchanges something with other devices.
#[must_use]
pub fn has_collectives(module: &Module) -> bool {
    module.computations().any(|(_, body)| {
        let mut all = body.instructions();
        all.any(|(_, instruction)| Exchange::of(module, body, instruction).is_some())
    })
}

/// Returns the reads from devices that were not determined, for this reason.
#[must_use]
pub fn on_unknown_devices(reads: &[OperandReads], reason: &str) -> Vec<DeviceReads> {
    let row = |entry: &OperandReads| DeviceReads {
        reads: OperandReads { reads: widened(&entry.reads, reason), ..entry.clone() },
        hops: Rc::from([]),
        members: Vec::new(),
    };
    reads.iter().map(row).collect()
}

/// The reads reached from an array: a part of a parameter, the hops, and maps with all results.
struct Reached {
    place: Place,
    hops: Vec<Hop>,
    reads: Reads,
}

/// Returns the reads of the entry from its parameters, with the devices; `None` if the entry has no collective. Calls of the
/// module must be inlined ([`Module::inlined`]).
///
/// # Errors
/// As [`Analysis::instruction`].
pub fn device_reads(
    analysis: &mut Analysis<'_>,
    module: &Module,
) -> Result<Option<Vec<DeviceReads>>, Error> {
    let id = module.entry();
    let mut walk = Walk { module, id, known: BTreeMap::new() };
    let entry = &module[id];
    if !entry.instructions().any(|(at, _)| walk.is_stop(at)) {
        return Ok(None);
    }
    let mut rows = Vec::new();
    for (output, _) in entry[entry.root()].shape().arrays() {
        let reached = walk.reached(analysis, &(entry.root(), output.clone()), HOPS)?;
        for (operand, parameter) in entry.parameters().iter().enumerate() {
            for (operand_path, _) in entry[*parameter].shape().arrays() {
                let place = (*parameter, operand_path.clone());
                let mut own: Vec<&Reached> = reached.iter().filter(|x| x.place == place).collect();
                own.sort_by_key(|x| x.hops.len());
                let nothing =
                    Reached { place: place.clone(), hops: Vec::new(), reads: Reads::NOTHING };
                if own.is_empty() {
                    own.push(&nothing);
                }
                rows.extend(own.into_iter().map(|reached| {
                    let (reads, members) = apart(&reached.hops, &reached.reads);
                    DeviceReads {
                        reads: OperandReads {
                            output: output.clone(),
                            operand,
                            operand_path: operand_path.clone(),
                            reads,
                        },
                        hops: reached.hops.clone().into(),
                        members,
                    }
                }));
            }
        }
    }
    Ok(Some(rows))
}

struct Walk<'m> {
    module: &'m Module,
    id: ComputationId,
    known: BTreeMap<Place, Rc<[Reached]>>,
}

impl<'m> Walk<'m> {
    fn instruction(&self, at: InstructionId) -> &'m Instruction {
        &self.module[self.id][at]
    }

    /// Returns whether an instruction exchanges data between devices, or runs computations that do.
    fn is_stop(&self, at: InstructionId) -> bool {
        let instruction = self.instruction(at);
        Exchange::of(self.module, &self.module[self.id], instruction).is_some()
            || exchanges_inside(self.module, instruction)
    }

    /// Returns the reads of the parameters by an array, by the hops on the way.
    fn reached(
        &mut self,
        analysis: &mut Analysis<'_>,
        place: &Place,
        hops: usize,
    ) -> Result<Rc<[Reached]>, Error> {
        if let Some(known) = self.known.get(place) {
            return Ok(known.clone());
        }
        let mut found: Vec<Reached> = Vec::new();
        let sizes = sizes_at(self.instruction(place.0).shape(), &place.1);
        let all = sizes.as_ref().and_then(|sizes| row_major(sizes, sizes));
        let start = match all {
            Some(all) => Reads::exactly(all),
            None => Reads::unknown("a dimension of the result has no bound"),
        };
        // Places with their reads, the preceding hops to unknown devices, and the collective passed last.
        let mut pending = vec![(place.clone(), start, Vec::new(), None)];
        while let Some((at, start, before, through)) = pending.pop() {
            let stops = |place: &Place| Some(place.0) != through && self.is_stop(place.0);
            let starts = BTreeMap::from([(at, start)]);
            let sizes = sizes.as_deref().unwrap_or_default();
            let read = analysis.onward(self.id, sizes, starts, &stops, STEPS)?;
            let Some(read) = read else {
                return Ok(self.everywhere(place, "there are too many steps"));
            };
            for (at, reads) in read {
                if reads == Reads::NOTHING {
                    continue;
                }
                let instruction = self.instruction(at.0);
                if instruction.parameter_number().is_some() {
                    add(&mut found, at, before.clone(), reads);
                    continue;
                }
                let exchange = Exchange::of(self.module, &self.module[self.id], instruction);
                let is_plain = before.is_empty() && hops > 0;
                match exchange.filter(|_| is_plain) {
                    Some(exchange) => {
                        self.across(analysis, (&at, &reads), &exchange, hops, &mut found)?;
                    }
                    None => {
                        let reason = format!(
                            "`{}`: the devices that read it after this op are not determined",
                            instruction.name()
                        );
                        let mut before = before.clone();
                        before.push(Hop { instruction: at.0, to: Device::Unknown(reason.clone()) });
                        let (from, reads) = (at.0, widened(&reads, &reason));
                        pending.push((at, reads, before, Some(from)));
                    }
                }
            }
        }
        let found: Rc<[Reached]> = found.into();
        self.known.insert(place.clone(), found.clone());
        Ok(found)
    }

    /// Adds the reads through a collective whose result is read by `reads`.
    fn across(
        &mut self,
        analysis: &mut Analysis<'_>,
        (at, reads): (&Place, &Reads),
        exchange: &Exchange<'_>,
        hops: usize,
        found: &mut Vec<Reached>,
    ) -> Result<(), Error> {
        let instruction = self.instruction(at.0);
        let own = InstructionPlace { computation: self.id, instruction: at.0 };
        let entries = analysis.unsimplified(own)?;
        for entry in entries.iter().filter(|entry| entry.output == at.1) {
            let Some(operand) = instruction.operands().get(entry.operand) else {
                continue;
            };
            if entry.reads == Reads::NOTHING {
                continue;
            }
            let replica = exchange.of_entry(entry);
            let reached =
                self.reached(analysis, &(*operand, entry.operand_path.clone()), hops - 1)?;
            for inner in reached.iter() {
                let hop = replica.as_ref().map(|replica| hop(at.0, replica, entry));
                let all: Vec<Hop> = hop.iter().chain(&inner.hops).cloned().collect();
                let composed = self.composed(analysis, reads, entry, replica.as_ref(), inner);
                let composed = composed.unwrap_or_else(|reason| {
                    Reads::unknown(format!("`{}`: {reason}", instruction.name()))
                });
                add(found, inner.place.clone(), all, composed);
            }
        }
        Ok(())
    }

    /// Composes `reads` of a collective, one of its entries, and the reads reached from its operand.
    fn composed(
        &self,
        analysis: &Analysis<'_>,
        reads: &Reads,
        entry: &OperandReads,
        replica: Option<&Replica<'_>>,
        inner: &Reached,
    ) -> Result<Reads, String> {
        let all = [reads, &entry.reads, &inner.reads];
        let unknown = all.iter().find(|reads| reads.maps().is_none());
        if let Some(unknown) = unknown {
            return Ok((*unknown).clone());
        }
        let [first, second, third] = all.map(|reads| reads.maps().unwrap_or_default());
        let mut maps = Vec::new();
        for first in first {
            for second in second {
                let second = with_member(second, replica).map_err(|error| error.to_string())?;
                let hop = compose(first, &second).map_err(|error| error.to_string())?;
                let before = second.map.results().len() - entry_rank(entry);
                for third in third {
                    let third = match (replica, third.runtime.is_empty()) {
                        (Some(_), false) => for_all_values(
                            third,
                            self.instruction(inner.place.0).name(),
                            "offsets and indices are those of another device",
                        ),
                        _ => third.clone(),
                    };
                    let third = behind(&hop.map, before, &third).map_err(|x| x.to_string())?;
                    let all = compose(&hop, &third).map_err(|error| error.to_string())?;
                    let all = analysis.tidied(&all).map_err(|error| error.to_string())?;
                    maps.extend(all.filter(|map| !maps.contains(map)));
                    if maps.len() > MAPS {
                        return Err(format!("more than {MAPS} maps are needed"));
                    }
                }
            }
        }
        Ok(match replica {
            Some(Replica::Unknown(reason)) => widened(&Reads::union(maps), reason),
            _ => Reads::union(maps),
        })
    }

    /// Makes no claim about any parameter.
    fn everywhere(&self, from: &Place, reason: &str) -> Rc<[Reached]> {
        let entry = &self.module[self.id];
        let name = entry[from.0].name();
        let mut found = Vec::new();
        for parameter in entry.parameters() {
            for (path, _) in entry[*parameter].shape().arrays() {
                let reads = Reads::unknown(format!("`{name}`: {reason}"));
                add(&mut found, (*parameter, path), Vec::new(), reads);
            }
        }
        found.into()
    }
}

/// Returns whether computations that an instruction runs exchange data between devices.
fn exchanges_inside(module: &Module, instruction: &Instruction) -> bool {
    let runs = matches!(
        instruction.opcode(),
        Opcode::While | Opcode::Conditional | Opcode::Call | Opcode::Fusion | Opcode::AsyncStart
    );
    let mut called = instruction.attributes().computations();
    runs && called.any(|reference| {
        reference.target().is_some_and(|id| {
            let body = &module[id];
            body.instructions().any(|(_, inside)| {
                Exchange::of(module, body, inside).is_some() || exchanges_inside(module, inside)
            })
        })
    })
}

/// Returns the same maps as upper bounds.
fn widened(reads: &Reads, reason: &str) -> Reads {
    let Reads::Maps(maps) = reads else {
        return reads.clone();
    };
    let widened = Exactness::AtMost { reason: reason.into() };
    Reads::union(
        maps.iter().map(|map| OperandMap { exactness: map.exactness.and(&widened), ..map.clone() }),
    )
}

/// Adds the reads along some hops.
fn add(found: &mut Vec<Reached>, place: Place, hops: Vec<Hop>, reads: Reads) {
    let known = found.iter_mut().find(|x| x.place == place && x.hops == hops);
    let Some(known) = known else {
        found.push(Reached { place, hops, reads });
        return;
    };
    match (&mut known.reads, reads) {
        (Reads::Maps(maps), Reads::Maps(more)) => {
            for map in more {
                if !maps.contains(&map) {
                    maps.push(map);
                }
            }
        }
        (Reads::Unknown { .. }, _) => {}
        (known, unknown) => *known = unknown,
    }
}
