//! The strides of memrefs. Source: MLIR, *Builtin Dialect*, `StridedLayoutAttr`.

use crate::types::Type;
use std::fmt;

/// The positions of the elements of a memref; `None` for `?`.
pub(crate) struct Layout {
    pub(crate) strides: Vec<Option<i64>>,
    pub(crate) offset: Option<i64>,
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = |of: &Option<i64>| of.map_or("?".to_owned(), |of| of.to_string());
        let strides: Vec<String> = self.strides.iter().map(number).collect();
        write!(f, "strided<[{}], offset: {}>", strides.join(", "), number(&self.offset))
    }
}

impl Type {
    /// Returns the layout that a memref declares, `strided<[64, 1], offset: 8>`.
    pub(crate) fn declared_layout(&self) -> Option<Layout> {
        let inner = self.text.split_once("strided<")?.1.split_once('>')?.0;
        let (strides, rest) = inner.trim_start().strip_prefix('[')?.split_once(']')?;
        let number = |text: &str| match text.trim() {
            "?" => Some(None),
            text => text.parse::<i64>().ok().map(Some),
        };
        let strides: Option<Vec<Option<i64>>> = match strides.trim() {
            "" => Some(Vec::new()),
            _ => strides.split(',').map(number).collect(),
        };
        let offset = match rest.split_once("offset:") {
            Some((_, offset)) => number(offset)?,
            None => Some(0),
        };
        let strides = strides.filter(|strides| strides.len() == self.sizes.len())?;
        Some(Layout { strides, offset })
    }

    /// Returns the layout of a memref: declared, or of elements that lie one after the other; `None` if it is another one.
    pub(crate) fn layout(&self) -> Option<Layout> {
        if !self.text.starts_with("memref<") {
            return None;
        }
        if self.text.contains("strided<") {
            return self.declared_layout();
        }
        if ["#", "affine_map"].iter().any(|word| self.text.contains(word)) {
            return None;
        }
        let (mut strides, mut step) = (Vec::new(), Some(1i64));
        for size in self.sizes.iter().rev() {
            strides.insert(0, step);
            step = step.zip(*size).and_then(|(step, size)| step.checked_mul(size));
        }
        Some(Layout { strides, offset: Some(0) })
    }
}
