//! Prints a [`Shape`] as XLA's canonical text.
//!
//! Law: the printed text reads back as the same value. Attributes that state a default
//! (`L(1)`, `E(0)`, `S(0)`, `M(0)`) print as nothing; the order of dimensions is always printed,
//! except for scalars.

use super::layout::{Layout, Tile, TileDimension};
use super::shape::{ArrayShape, Dimension, Shape};
use std::fmt::{self, Display, Formatter};

impl Display for Shape {
    /// Prints as XLA does; with `{:#}`, as in the header of a computation: plain row-major layouts are omitted.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Shape::Array(array) => array.fmt(f),
            Shape::Tuple(elements) => {
                f.write_str("(")?;
                separated(f, elements, ", ")?;
                f.write_str(")")
            }
            Shape::Token => f.write_str("token[]"),
            Shape::Opaque => f.write_str("opaque[]"),
            Shape::Buffer(array) => {
                f.write_str("b(")?;
                array.fmt(f)?;
                f.write_str(")")
            }
        }
    }
}

impl Display for ArrayShape {
    /// Like [`Shape`].
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}[", self.element_type())?;
        separated(f, self.dimensions(), ",")?;
        f.write_str("]")?;
        if f.alternate() && *self.layout() == Layout::row_major(self.rank()) {
            return Ok(());
        }
        self.layout().fmt(f)
    }
}

impl Display for Dimension {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match (self.size(), self.is_dynamic()) {
            (None, _) => f.write_str("?"),
            (Some(size), true) => write!(f, "<={size}"),
            (Some(size), false) => write!(f, "{size}"),
        }
    }
}

impl Display for Layout {
    /// Prints `{1,0:T(2,2)}`; nothing for the plain layout of a scalar.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.is_plain() && self.minor_to_major().is_empty() {
            return Ok(());
        }
        f.write_str("{")?;
        separated(f, self.minor_to_major(), ",")?;
        if !self.is_plain() {
            f.write_str(":")?;
            attributes(f, self)?;
        }
        f.write_str("}")
    }
}

fn attributes(f: &mut Formatter<'_>, layout: &Layout) -> fmt::Result {
    if !layout.tiles().is_empty() {
        f.write_str("T")?;
        separated(f, layout.tiles(), "")?;
    }
    if layout.tail_padding_alignment() != 1 {
        write!(f, "L({})", layout.tail_padding_alignment())?;
    }
    if let Some(index_type) = layout.index_type() {
        write!(f, "#({index_type})")?;
    }
    if let Some(pointer_type) = layout.pointer_type() {
        write!(f, "*({pointer_type})")?;
    }
    if layout.element_bits() != 0 {
        write!(f, "E({})", layout.element_bits())?;
    }
    if layout.memory_space() != 0 {
        write!(f, "S({})", layout.memory_space())?;
    }
    if !layout.splits().is_empty() {
        f.write_str("SC")?;
        for split in layout.splits() {
            write!(f, "({}:", split.dimension())?;
            separated(f, split.indices(), ",")?;
            f.write_str(")")?;
        }
    }
    if layout.metadata_prefix_bytes() != 0 {
        write!(f, "M({})", layout.metadata_prefix_bytes())?;
    }
    Ok(())
}

impl Display for Tile {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("(")?;
        separated(f, self.dimensions(), ",")?;
        f.write_str(")")
    }
}

impl Display for TileDimension {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            TileDimension::Size(size) => write!(f, "{size}"),
            TileDimension::Combine => f.write_str("*"),
        }
    }
}

pub(super) fn separated<T: Display>(
    f: &mut Formatter<'_>,
    entries: &[T],
    separator: &str,
) -> fmt::Result {
    list(f, entries, separator, |f, entry| entry.fmt(f))
}

pub(super) fn list<T>(
    f: &mut Formatter<'_>,
    entries: impl IntoIterator<Item = T>,
    separator: &str,
    mut entry: impl FnMut(&mut Formatter<'_>, T) -> fmt::Result,
) -> fmt::Result {
    for (index, value) in entries.into_iter().enumerate() {
        if index > 0 {
            f.write_str(separator)?;
        }
        entry(f, value)?;
    }
    Ok(())
}
