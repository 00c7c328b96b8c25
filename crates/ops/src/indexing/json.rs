//! Serializes reads like `hlo --json`, but with numbers in place of the names of a module.

use super::reads::{Exactness, OperandMap, OperandReads, Reads, RuntimeVariable, ValueSource};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

impl Serialize for OperandReads {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut written = serializer.serialize_map(None)?;
        written.serialize_entry("output", &self.output)?;
        written.serialize_entry("operand", &self.operand)?;
        written.serialize_entry("operand_path", &self.operand_path)?;
        match &self.reads {
            Reads::Maps(maps) => written.serialize_entry("maps", maps)?,
            Reads::Unknown { reason } => {
                written.serialize_entry("maps", "unknown")?;
                written.serialize_entry("reason", &**reason)?;
            }
        }
        written.end()
    }
}

impl Serialize for OperandMap {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let runtime = self.runtime.iter();
        let runtime: Vec<Runtime<'_>> = runtime.map(|value| Runtime(self, value)).collect();
        let mut written = serializer.serialize_map(None)?;
        written.serialize_entry("map", &self.map)?;
        written.serialize_entry("exact", &(self.exactness == Exactness::Exact))?;
        if let Exactness::AtMost { reason } = &self.exactness {
            written.serialize_entry("reason", &**reason)?;
        }
        written.serialize_entry("runtime", &runtime)?;
        written.end()
    }
}

/// A runtime variable of a map.
struct Runtime<'a>(&'a OperandMap, &'a RuntimeVariable);

impl Serialize for Runtime<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Runtime(map, value) = self;
        let mut written = serializer.serialize_map(None)?;
        let variables = map.map.domain().variables();
        if let Some(variable) = variables.get(value.variable.index()) {
            written.serialize_entry("var", &*variable.name)?;
        }
        match &value.source {
            ValueSource::Operand { operand, path } => {
                written.serialize_entry("operand", operand)?;
                written.serialize_entry("operand_path", path)?;
            }
            ValueSource::Instruction { at, through, path } => {
                let through = through.iter();
                let through = through.map(|at| [at.computation.index(), at.instruction.index()]);
                written.serialize_entry("computation", &at.computation.index())?;
                written.serialize_entry("instruction", &at.instruction.index())?;
                written.serialize_entry("path", path)?;
                written.serialize_entry("through", &through.collect::<Vec<_>>())?;
            }
        }
        if let Ok(index) = map.index_map(value) {
            written.serialize_entry("map", &index)?;
        }
        written.serialize_entry("clamp", &value.clamp)?;
        written.end()
    }
}
