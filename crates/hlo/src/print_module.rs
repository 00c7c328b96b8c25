//! Prints a [`Module`] as text that parses back to the same module, in XLA's format.
//!
//! Computations that were written in place print as computations of their own; shapes print with
//! their layouts.

use super::attribute::{
    Attribute, AttributeValue, Attributes, ComputationReference, ConvolutionArray, IotaGroups,
    PaddingDimension, Signature, SliceRange, WindowDimension,
};
use super::module::{Computation, InstructionId, Module, Table};
use super::print_shape::{list, separated};
use std::fmt::{self, Display, Formatter, Write};

impl Display for Module {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if let Some(name) = self.name() {
            write!(f, "HloModule {name}")?;
            attributes(f, self.attributes())?;
            f.write_str("\n\n")?;
        }
        for table in self.tables() {
            writeln!(f, "{table}")?;
        }
        for (id, computation) in self.computations() {
            let entry = if id == self.entry() { "ENTRY " } else { "" };
            writeln!(f, "{entry}{computation}\n")?;
        }
        Ok(())
    }
}

impl Display for Table {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.name())?;
        for (number, value) in self.rows() {
            write!(f, "{number} ")?;
            attribute_value(f, value, " ")?;
            f.write_str("\n")?;
        }
        Ok(())
    }
}

impl Display for Computation {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "%{} ", self.name())?;
        if let Some(signature) = self.signature() {
            write!(f, "{signature:#} ")?;
        }
        f.write_str("{\n")?;
        for (id, _) in self.instructions() {
            instruction(f, self, id)?;
        }
        f.write_str("}")?;
        attributes(f, self.attributes())
    }
}

fn instruction(f: &mut Formatter<'_>, computation: &Computation, id: InstructionId) -> fmt::Result {
    let instruction = &computation[id];
    let root = if id == computation.root() { "ROOT " } else { "" };
    write!(
        f,
        "  {root}%{} = {} {}(",
        instruction.name(),
        instruction.shape(),
        instruction.opcode()
    )?;
    if let Some(number) = instruction.parameter_number() {
        write!(f, "{number}")?;
    }
    if let Some(literal) = instruction.literal() {
        f.write_str(literal.text())?;
    }
    let operands = computation.operands(instruction);
    list(f, operands, ", ", |f, operand| write!(f, "%{}", operand.name()))?;
    f.write_str(")")?;
    attributes(f, instruction.attributes())?;
    f.write_str("\n")
}

impl Display for Signature {
    /// Prints as in `entry_computation_layout`; with `{:#}`, as in the header of a computation.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("(")?;
        list(f, self.parameters(), ", ", |f, parameter| {
            if let Some(name) = parameter.name() {
                write!(f, "{name}: ")?;
            }
            parameter.shape().fmt(f)
        })?;
        f.write_str(if f.alternate() { ") -> " } else { ")->" })?;
        self.result().fmt(f)
    }
}

fn attributes(f: &mut Formatter<'_>, attributes: &Attributes) -> fmt::Result {
    attributes.iter().try_for_each(|attribute| write!(f, ", {attribute}"))
}

impl Display for Attribute {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}=", self.name())?;
        let separator = if self.name() == "metadata" { " " } else { "," };
        attribute_value(f, self.value(), separator)
    }
}

/// Prints a value; `separator` separates the entries of a record.
fn attribute_value(f: &mut Formatter<'_>, value: &AttributeValue, separator: &str) -> fmt::Result {
    match value {
        AttributeValue::Integer(value) => write!(f, "{value}"),
        AttributeValue::Boolean(value) => write!(f, "{value}"),
        AttributeValue::Word(text)
        | AttributeValue::Text(text)
        | AttributeValue::Unread(text)
        | AttributeValue::Wrong(text, _) => f.write_str(text),
        AttributeValue::String(text) => write!(f, "\"{text}\""),
        AttributeValue::Integers(values) => braced(f, values, ",", |f, value| value.fmt(f)),
        AttributeValue::Words(words) => braced(f, words, ",", |f, word| word.fmt(f)),
        AttributeValue::Groups(groups) => {
            braced(f, groups, ",", |f, group| braced(f, group, ",", |f, value| value.fmt(f)))
        }
        AttributeValue::IotaGroups(groups) => groups.fmt(f),
        AttributeValue::MeshGroups(groups) => f.write_str(&groups.text),
        AttributeValue::Slices(ranges) => {
            let strided = ranges.iter().any(|range| range.stride != 1);
            braced(f, ranges, ", ", |f, range| slice_range(f, *range, strided))
        }
        AttributeValue::Padding(padding) => {
            let interior = padding.iter().any(|dimension| dimension.interior != 0);
            list(f, padding, "x", |f, dimension| pad(f, *dimension, interior))
        }
        AttributeValue::Window(dimensions) => window(f, dimensions),
        AttributeValue::Convolution(dimensions) => {
            labels(f, &dimensions.input, 'b', 'f')?;
            f.write_str("_")?;
            labels(f, &dimensions.kernel, 'o', 'i')?;
            f.write_str("->")?;
            labels(f, &dimensions.output, 'b', 'f')
        }
        AttributeValue::Computation(reference) => reference.fmt(f),
        AttributeValue::Computations(references) => {
            braced(f, references, ", ", |f, reference| reference.fmt(f))
        }
        AttributeValue::Signature(signature) => write!(f, "{{{signature}}}"),
        AttributeValue::Record(record) => {
            braced(f, record.iter(), separator, |f, entry| entry.fmt(f))
        }
    }
}

impl Display for ComputationReference {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "%{}", self.name())
    }
}

impl Display for IotaGroups {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        separated(f, &self.dimensions, ",")?;
        f.write_str("]<=[")?;
        separated(f, &self.reshape, ",")?;
        f.write_str("]")?;
        if let Some(transpose) = &self.transpose {
            f.write_str("T(")?;
            separated(f, transpose, ",")?;
            f.write_str(")")?;
        }
        Ok(())
    }
}

/// Prints a range. As in XLA, if one dimension has a stride, all strides are printed.
fn slice_range(f: &mut Formatter<'_>, range: SliceRange, strided: bool) -> fmt::Result {
    write!(f, "[{}:{}", range.start, range.limit)?;
    if strided {
        write!(f, ":{}", range.stride)?;
    }
    f.write_str("]")
}

fn pad(f: &mut Formatter<'_>, dimension: PaddingDimension, interior: bool) -> fmt::Result {
    write!(f, "{}_{}", dimension.low, dimension.high)?;
    if interior {
        write!(f, "_{}", dimension.interior)?;
    }
    Ok(())
}

/// Prints a window without entries that state a default, as XLA does.
fn window(f: &mut Formatter<'_>, dimensions: &[WindowDimension]) -> fmt::Result {
    type Part = fn(&mut Formatter<'_>, &WindowDimension) -> fmt::Result;
    type IsShown = fn(&WindowDimension) -> bool;
    let parts: [(&str, IsShown, Part); 6] = [
        ("size", |_| true, |f, d| d.size.fmt(f)),
        ("stride", |d| d.stride != 1, |f, d| d.stride.fmt(f)),
        (
            "pad",
            |d| (d.padding_low, d.padding_high) != (0, 0),
            |f, d| write!(f, "{}_{}", d.padding_low, d.padding_high),
        ),
        ("lhs_dilate", |d| d.base_dilation != 1, |f, d| d.base_dilation.fmt(f)),
        ("rhs_dilate", |d| d.window_dilation != 1, |f, d| d.window_dilation.fmt(f)),
        ("rhs_reversal", |d| d.reversal, |f, d| u8::from(d.reversal).fmt(f)),
    ];
    let shown = parts.into_iter().filter(|(_, is_shown, _)| dimensions.iter().any(is_shown));
    braced(f, shown, " ", |f, (name, _, part)| {
        write!(f, "{name}=")?;
        list(f, dimensions, "x", part)
    })
}

fn labels(
    f: &mut Formatter<'_>,
    array: &ConvolutionArray,
    batch: char,
    feature: char,
) -> fmt::Result {
    for dimension in 0..array.rank {
        let spatial = array.spatial.iter().position(|&place| place == dimension);
        match spatial {
            Some(number) => write!(f, "{number}")?,
            None if dimension == array.batch => f.write_char(batch)?,
            None if dimension == array.feature => f.write_char(feature)?,
            None => f.write_char('?')?,
        }
    }
    Ok(())
}

fn braced<T>(
    f: &mut Formatter<'_>,
    entries: impl IntoIterator<Item = T>,
    separator: &str,
    entry: impl FnMut(&mut Formatter<'_>, T) -> fmt::Result,
) -> fmt::Result {
    f.write_str("{")?;
    list(f, entries, separator, entry)?;
    f.write_str("}")
}
