//! The maps of an instruction in memory order: between positions.
//!
//! Law: for each position of an element of the array a map starts from, the positions of the elements it is mapped to. Positions
//! of padding are outside the domain. The map keeps its range and runtime variables; the index of a runtime variable remains an
//! expression over the original map's dimensions.

use crate::output::{Object, Role, Status, Text};
use affinor::expr::IndexingMap;
use affinor::text::{Style, print_map};
use affinor_hlo::module::{Computation, Instruction};
use affinor_hlo::shape::Shape;
use affinor_layout::memory::Placement;
use affinor_ops::indexing::{OperandReads, Pair};
use affinor_ops::relayout::in_memory_order;
use std::collections::BTreeMap;

/// The maps of all entries.
pub struct MemoryMaps {
    /// The entries by pair of arrays; through collectives, several entries may be about one pair.
    entries: BTreeMap<Pair, Vec<(OperandReads, Vec<MemoryMap>)>>,
}

/// One map, or the reason why it is unknown.
pub struct MemoryMap(Result<Simplified, String>);

/// A map in its printed form.
struct Simplified {
    map: IndexingMap,
    /// The bound at which the search for a simpler form stopped.
    stopped: Option<String>,
}

/// The values that the maps of an instruction or a computation relate.
pub struct Ends<'a> {
    output: &'a Shape,
    operands: Vec<&'a Shape>,
    backwards: bool,
}

impl<'a> Ends<'a> {
    /// Returns the output and the operands of `instruction`; with `backwards`, the maps go from the operands to the output.
    #[must_use]
    pub fn of_instruction(
        computation: &'a Computation,
        instruction: &'a Instruction,
        backwards: bool,
    ) -> Ends<'a> {
        Ends {
            output: instruction.shape(),
            operands: computation.operands(instruction).map(Instruction::shape).collect(),
            backwards,
        }
    }

    /// Returns the result and the parameters of `computation`; with `backwards`, the maps go from the parameters to the result.
    #[must_use]
    pub fn of_computation(computation: &'a Computation, backwards: bool) -> Ends<'a> {
        let parameters = computation.parameters().iter();
        Ends {
            output: computation[computation.root()].shape(),
            operands: parameters.map(|id| computation[*id].shape()).collect(),
            backwards,
        }
    }

    /// Returns the placement of the array from which the maps of `entry` start, and of the array that they reach.
    fn placements(&self, entry: &OperandReads) -> Result<(Placement, Placement), String> {
        let placement = |shape: Option<&Shape>, path: &[usize]| {
            let array = shape.and_then(|shape| shape.at(path)?.as_array());
            let array = array.ok_or("there is no such array")?;
            Placement::new(array).map_err(|error| error.message)
        };
        let output = placement(Some(self.output), &entry.output)?;
        let operand = self.operands.get(entry.operand).copied();
        let operand = placement(operand, &entry.operand_path)?;
        Ok(match self.backwards {
            false => (output, operand),
            true => (operand, output),
        })
    }
}

impl MemoryMaps {
    /// Converts the maps of `reads` between `ends` to memory order. `shape` simplifies a map and returns the bound at which it
    /// stopped.
    #[must_use]
    pub fn new(
        reads: &[OperandReads],
        ends: &Ends<'_>,
        shape: &dyn Fn(&IndexingMap) -> (IndexingMap, Option<String>),
    ) -> MemoryMaps {
        let of_entry = |entry: &OperandReads| {
            let placements = ends.placements(entry);
            let of_map = |map: &IndexingMap| {
                let (from, to) = placements.as_ref().map_err(Clone::clone)?;
                let map = in_memory_order(map, from, to).map_err(|error| error.to_string())?;
                let (map, stopped) = shape(&map);
                Ok(Simplified { map, stopped })
            };
            let maps = entry.reads.maps().unwrap_or(&[]).iter();
            let maps = maps.map(|map| MemoryMap(of_map(&map.map))).collect();
            (entry.clone(), maps)
        };
        let mut entries: BTreeMap<Pair, Vec<_>> = BTreeMap::new();
        for entry in reads {
            entries.entry(entry.pair()).or_default().push(of_entry(entry));
        }
        MemoryMaps { entries }
    }

    /// Returns the maps of `entry`, in its order.
    #[must_use]
    pub fn of(&self, entry: &OperandReads) -> &[MemoryMap] {
        let mut of_pair = self.entries.get(&entry.pair()).into_iter().flatten();
        let found = of_pair.find(|(known, _)| known == entry);
        found.map_or(&[], |(_, maps)| maps)
    }

    /// Returns the exit status of a run that prints the maps.
    #[must_use]
    pub fn status(&self) -> Status {
        let mut maps = self.entries.values().flatten().flat_map(|(_, maps)| maps);
        let has_stopped = |map: &MemoryMap| matches!(&map.0, Ok(map) if map.stopped.is_some());
        match maps.any(has_stopped) {
            true => Status::Undecided,
            false => Status::Done,
        }
    }
}

impl MemoryMap {
    /// Adds `memory_map` to `object`, or `"memory_map": "unknown"` and `memory_reason`.
    #[must_use]
    pub fn json(&self, object: Object, style: Style) -> Object {
        match &self.0 {
            Err(reason) => {
                object.with("memory_map", "unknown").with("memory_reason", reason.as_str())
            }
            Ok(shown) => object
                .with("memory_map", print_map(&shown.map, style))
                .with_some("memory_stopped_at", shown.stopped.as_deref()),
        }
    }

    /// Returns the line below the map itself.
    #[must_use]
    pub fn text(&self, style: Style) -> Text {
        let text = Text::new().plain("\n        in memory: ");
        match &self.0 {
            Err(reason) => text.with(Role::Doubtful, "unknown").plain(format!(": {reason}")),
            Ok(shown) => {
                let text = text.with(Role::Formula, print_map(&shown.map, style));
                match &shown.stopped {
                    None => text,
                    Some(stop) => text.with(
                        Role::Doubtful,
                        format!("\n        the search stopped at its bound ({stop})"),
                    ),
                }
            }
        }
    }
}
