//! The forms of a layout, each with its map, its sizes and its pictures.
//!
//! Law: a form has the meaning of its text; the map from an index to a position is the library's.

use crate::errors::{about, failed, refused, wrong};
use crate::map::IndexMap;
use affinor::expr::IndexingMap;
use affinor::text::{self, ErrorKind};
use affinor_draw::{Banks, Extent, Grid, of_cute, of_linear, of_offsets, of_placement, of_threads};
use affinor_hlo::read_shape;
use affinor_layout::cute;
use affinor_layout::cute::algebra::Refusal;
use affinor_layout::cute::named::{Condition, Conditional, NamedLayout};
use affinor_layout::linear::attribute::Encoding;
use affinor_layout::linear::{LinearLayout, THREADS};
use affinor_layout::memory::Placement;
use pyo3::prelude::*;

/// A layout as it was written, or as returned by an operation.
pub enum Form {
    /// An HLO array with its layout.
    Array(Box<Placement>),
    /// A CuTe layout.
    Cute(cute::Layout),
    /// A CuTe layout with names in its sizes, and the conditions under which it is an answer.
    Named(Conditional),
    /// A Triton attribute, with its text.
    Attribute(Encoding, String),
    /// A linear function of bits without such a text.
    Bits(LinearLayout),
}

/// A number of a layout: an integer, or a map from the named sizes.
pub enum Number {
    Integer(i64),
    BySize(IndexingMap),
}

impl Number {
    pub fn object(self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        Ok(match self {
            Number::Integer(number) => number.into_pyobject(py)?.into_any().unbind(),
            Number::BySize(map) => Bound::new(py, IndexMap(map))?.into_any().unbind(),
        })
    }
}

impl Form {
    /// Parses the text of a layout.
    pub fn read(text: &str) -> PyResult<Form> {
        let wrong = |error: text::Error| about(text, error);
        if Encoding::is_meant(text) {
            let encoding = Encoding::read(text).map_err(wrong)?;
            let words: Vec<&str> = text.split_whitespace().collect();
            return Ok(Form::Attribute(encoding, words.join(" ")));
        }
        if text.contains('[') {
            let shape = read_shape(text).map_err(wrong)?;
            let Some(array) = shape.as_array() else {
                let message = "only an array has a layout, and this is another shape";
                let error = text::Error::new(ErrorKind::Unsupported, 0..text.len(), message);
                return Err(about(text, error));
            };
            let placement = Placement::new(array).map_err(wrong)?;
            return Ok(Form::Array(Box::new(placement)));
        }
        let found = cute::Layout::read(text);
        match (found, named(text)) {
            (Ok(layout), _) => Ok(Form::Cute(layout)),
            (Err(_), Some(layout)) => Ok(Form::Named(Conditional::always(layout))),
            (Err(error), None) => Err(wrong(error)),
        }
    }

    /// Returns the form of a linear function: a Triton layout if it maps threads to elements of a tensor.
    pub fn of_linear(layout: LinearLayout) -> Form {
        let names = layout.inputs().iter().map(|input| &*input.name);
        let is_tensor = layout.outputs().iter().all(|output| output.name.starts_with("dim"));
        if !is_tensor || !names.eq(THREADS) {
            return Form::Bits(layout);
        }
        let sizes: Vec<String> = layout.shape().iter().map(u64::to_string).collect();
        let text = format!("{layout} : {}", sizes.join("x"));
        Form::Attribute(Encoding::Threads(layout), text)
    }

    /// Returns the form of a CuTe layout: with names if it, or a condition on it, has names.
    pub fn of_named(found: Conditional) -> PyResult<Form> {
        match found.names().is_empty() {
            true => Form::read(&found.layout.to_string()),
            false => Ok(Form::Named(found)),
        }
    }

    /// Adds conditions to a CuTe layout.
    pub fn under(self, conditions: Vec<Condition>, otherwise: Option<String>) -> PyResult<Form> {
        if conditions.is_empty() && otherwise.is_none() {
            return Ok(self);
        }
        if !matches!(self, Form::Cute(_) | Form::Named(_)) {
            let message = "conditions go with a layout of CuTe whose sizes have names";
            return Err(wrong(ErrorKind::Unsupported, message));
        }
        let conditions = [self.conditions(), &conditions].concat();
        let named = Conditional::always(self.named()?);
        Form::of_named(Conditional { conditions, otherwise, ..named })
    }

    /// Returns the shape and the strides as text.
    pub fn halves(&self) -> PyResult<(String, String)> {
        let text = match self {
            Form::Named(found) => found.layout.to_string(),
            form => form.cute()?.to_string(),
        };
        let plain = text.rsplit(" o ").next().unwrap_or(&text);
        let halves = plain.split_once(':').unwrap_or((plain, ""));
        Ok((halves.0.to_owned(), halves.1.to_owned()))
    }

    /// Returns the conditions under which the layout is an answer.
    pub fn conditions(&self) -> &[Condition] {
        match self {
            Form::Named(found) => &found.conditions,
            _ => &[],
        }
    }

    /// Returns the text. `Layout` parses it, unless the form is [`Form::Bits`].
    pub fn text(&self) -> String {
        match self {
            Form::Array(placement) => placement.shape().to_string(),
            Form::Cute(layout) => layout.to_string(),
            Form::Named(found) => found.layout.to_string(),
            Form::Attribute(_, text) => text.clone(),
            Form::Bits(layout) => layout.to_string(),
        }
    }

    /// Returns a text that two forms share only if they are the same layout.
    pub fn key(&self) -> String {
        match self {
            Form::Attribute(Encoding::Threads(layout), _) | Form::Bits(layout) => {
                let sizes = layout.shape();
                format!("{layout} : {sizes:?}")
            }
            Form::Attribute(encoding, _) => format!("{encoding:?}"),
            other => {
                let mut conditions: Vec<String> =
                    other.conditions().iter().map(ToString::to_string).collect();
                conditions.sort();
                format!("{} {conditions:?}", other.text())
            }
        }
    }

    pub fn kind(&self) -> &'static str {
        match self {
            Form::Array(_) => "array",
            Form::Cute(_) => "cute",
            Form::Named(_) => "named",
            Form::Attribute(Encoding::Threads(_), _) => "threads",
            Form::Attribute(Encoding::Memory(..), _) => "memory",
            Form::Attribute(Encoding::TensorMemory(_), _) => "tensor_memory",
            Form::Bits(_) => "linear",
        }
    }

    /// Returns the map from an index to a position, or from threads to an element.
    pub fn map(&self) -> PyResult<IndexingMap> {
        match self {
            Form::Array(placement) => Ok(placement.position().clone()),
            Form::Cute(layout) => Ok(layout.map().clone()),
            Form::Named(found) => found.layout.map_where(&found.conditions).map_err(refused),
            Form::Attribute(encoding, text) => encoding.map().map_err(|error| about(text, error)),
            Form::Bits(layout) => layout.map().map_err(failed),
        }
    }

    /// Returns the sizes of an index, in order; a product of names is a text.
    pub fn sizes(&self) -> PyResult<Vec<String>> {
        let texts = |sizes: &[i64]| sizes.iter().map(i64::to_string).collect();
        Ok(match self {
            Form::Array(placement) => texts(placement.sizes()),
            Form::Cute(layout) => texts(&layout.sizes()),
            Form::Named(found) => found.layout.sizes().map_err(refused)?,
            Form::Attribute(..) | Form::Bits(_) => {
                let map = self.map()?;
                let sizes = map.domain().intervals().map(|bounds| bounds.hi().saturating_add(1));
                texts(&sizes.collect::<Vec<i64>>())
            }
        })
    }

    /// Returns the number of indices.
    pub fn elements(&self) -> PyResult<Number> {
        if let Form::Named(found) = self {
            return found.layout.elements().map(Number::BySize).map_err(refused);
        }
        let sizes = self.sizes()?;
        let mut sizes = sizes.iter().map(|size| size.parse::<i64>().ok());
        let all = sizes.try_fold(1_i64, |all, size| all.checked_mul(size?));
        let message = "the number of elements does not fit in 64 bits";
        all.map(Number::Integer).ok_or_else(|| wrong(ErrorKind::Overflow, message))
    }

    /// Returns one more than the last position, padding included; for threads, the number of elements of the tensor.
    pub fn end(&self) -> PyResult<Number> {
        let end = match self {
            Form::Array(placement) => Some(placement.positions()),
            Form::Named(found) => return found.layout.end().map(Number::BySize).map_err(refused),
            Form::Cute(layout) => {
                let offsets = layout.offsets();
                if offsets.is_some_and(|offsets| !offsets.are_met) {
                    let why = "the swizzled offsets are too many to find the last".to_owned();
                    return Err(refused(Refusal::Unknown(why)));
                }
                offsets.and_then(|offsets| offsets.interval.hi().checked_add(1))
            }
            Form::Attribute(Encoding::Memory(..), _) => {
                let ranges = self.map()?.ranges();
                ranges.first().and_then(|range| range.hi().checked_add(1))
            }
            Form::Attribute(Encoding::TensorMemory(_), _) => {
                let message = "tensor memory has rows and columns, and no last position";
                return Err(wrong(ErrorKind::Unsupported, message));
            }
            Form::Attribute(Encoding::Threads(layout), _) | Form::Bits(layout) => {
                Some(1 << layout.output_bits())
            }
        };
        let message = "the last position does not fit in 64 bits";
        end.map(Number::Integer).ok_or_else(|| wrong(ErrorKind::Overflow, message))
    }

    /// Returns the CuTe layout, also for an array if it has one.
    pub fn cute(&self) -> PyResult<cute::Layout> {
        match self {
            Form::Cute(layout) => Ok(layout.clone()),
            Form::Array(placement) => cute::of_placement(placement).ok_or_else(|| {
                let message =
                    "the array has no layout of CuTe: tiles pad it or cut through each other";
                wrong(ErrorKind::Unsupported, message)
            }),
            Form::Named(_) => {
                let message = "the sizes have names: `at` gives them values";
                Err(wrong(ErrorKind::Unsupported, message))
            }
            Form::Attribute(..) | Form::Bits(_) => {
                let message = "a linear layout has no strides; `Layout.of(layout.position)` looks for a layout of CuTe";
                Err(wrong(ErrorKind::Unsupported, message))
            }
        }
    }

    /// Returns the CuTe layout, with or without names.
    pub fn named(&self) -> PyResult<NamedLayout> {
        match self {
            Form::Named(found) => Ok(found.layout.clone()),
            other => {
                let text = other.cute()?.to_string();
                NamedLayout::read(&text).map_err(|error| about(&text, error))
            }
        }
    }

    /// Returns the linear function of bits: from threads to elements, or from elements to offsets. `None` for CuTe layouts
    /// and arrays.
    pub fn linear(&self) -> PyResult<Option<LinearLayout>> {
        match self {
            Form::Bits(layout) => Ok(Some(layout.clone())),
            Form::Attribute(encoding, text) => {
                encoding.function().map(Some).map_err(|error| about(text, error))
            }
            _ => Ok(None),
        }
    }

    /// Returns the pictures: with banks for elements and words of these sizes in bytes, or over a tile.
    pub fn pictures(
        &self,
        banks: Option<i64>,
        (element, word): (i64, i64),
        tile: Option<[i64; 2]>,
        extent: Extent,
    ) -> PyResult<Vec<Grid>> {
        let banks = banks.map(|count| Banks { count, word, element });
        let numbers = banks.iter().flat_map(|it| [it.count, it.word, it.element]);
        if numbers.chain(tile.into_iter().flatten()).any(|number| number < 1) {
            let message = "`banks`, `bytes`, `word` and the sizes of `tile` are at least 1";
            return Err(wrong(ErrorKind::Usage, message));
        }
        if banks.is_some() && tile.is_some() {
            let message = "a picture shows threads or banks: give `tile` or `banks`";
            return Err(wrong(ErrorKind::Usage, message));
        }
        let overflow =
            |error: &dyn std::fmt::Display| wrong(ErrorKind::Overflow, error.to_string());
        let unsupported = |what: &str| {
            let message = format!("a picture of {what} has no `banks` and no `tile`");
            wrong(ErrorKind::Unsupported, message)
        };
        match self {
            Form::Attribute(Encoding::Memory(..), text) if tile.is_none() => {
                let grid = of_offsets(&self.map()?, banks, text.clone(), extent);
                grid.map(|grid| vec![grid]).map_err(|error| overflow(&error))
            }
            Form::Attribute(Encoding::Threads(layout), _) | Form::Bits(layout) => {
                if banks.is_some() || tile.is_some() {
                    return Err(unsupported("threads"));
                }
                Ok(vec![of_linear(layout, self.text(), extent)])
            }
            Form::Attribute(..) => Err(unsupported("memory over a tile")),
            Form::Array(placement) if banks.is_none() && tile.is_none() => {
                let grid = of_placement(placement, extent);
                grid.map(|grid| vec![grid]).map_err(|error| overflow(&error))
            }
            Form::Named(_) | Form::Array(_) | Form::Cute(_) => {
                let layout = self.cute()?;
                let Some(tile) = tile else {
                    return of_cute(&layout, banks, extent).map_err(|error| about("", error));
                };
                let grid = of_threads(&layout, tile, extent);
                let grid = grid.map_err(|error| wrong(ErrorKind::Shape, error.to_string()))?;
                Ok(vec![grid])
            }
        }
    }
}

/// Parses a layout with names; returns `None` for any other text.
pub fn named(text: &str) -> Option<NamedLayout> {
    let found = NamedLayout::read(text).ok();
    found.filter(|layout| !layout.names().is_empty())
}
