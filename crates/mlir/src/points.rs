//! Ops without equivalent in HLO, as calls that state their loops.
//!
//! Law: the call states which element each point computes, and which elements of the operands it reads; the computation itself
//! is given as text, so that equal calls compute the same.

use crate::body::{Stop, Value, unknown};
use crate::lower::Site;
use crate::site::sizes;
use crate::token::Range;
use crate::types::Type;
use affinor_maps::expr::{IndexingMap, VariableKind};
use affinor_maps::text::{Style, parse_map, print_map};
use std::fmt::Write as _;
use std::rc::Rc;

/// The trip count of a loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Count {
    Fixed(i64),
    /// The size of a dimension of an operand, known only at run time.
    Size(usize, usize),
    /// The size of the dimension of the result that the loop indexes.
    Open,
}

impl From<i64> for Count {
    fn from(count: i64) -> Count {
        Count::Fixed(count)
    }
}

impl From<Count> for Option<i64> {
    fn from(count: Count) -> Option<i64> {
        match count {
            Count::Fixed(count) => Some(count),
            _ => None,
        }
    }
}

impl Count {
    fn text(&self) -> String {
        match self {
            Count::Fixed(count) => count.to_string(),
            Count::Size(operand, dimension) => format!("[{operand},{dimension}]"),
            Count::Open => "null".to_owned(),
        }
    }

    /// Returns the counts of loops over all dimensions of the result.
    pub(crate) fn of_result(sizes: &[Option<i64>]) -> Vec<Count> {
        sizes.iter().map(|size| size.map_or(Count::Open, Count::Fixed)).collect()
    }

    /// Returns the counts of loops over all dimensions of an operand.
    pub(crate) fn of_operand(operand: usize, sizes: &[Option<i64>]) -> Vec<Count> {
        let sizes = sizes.iter().enumerate();
        sizes.map(|(k, size)| size.map_or(Count::Size(operand, k), Count::Fixed)).collect()
    }
}

/// A call that states its loops.
#[derive(Default)]
pub(crate) struct Points {
    /// The trip count of each loop.
    pub(crate) sizes: Vec<Count>,
    /// The map from a point to the element that it computes.
    pub(crate) result: String,
    /// Each operand with the map from a point to the element that it reads; `None` if no element is read.
    pub(crate) reads: Vec<(usize, Option<String>)>,
    /// The operands, by position in `reads`, that are symbols of the maps.
    pub(crate) symbols: Vec<usize>,
    /// The operands, by position in `reads`, whose maps are upper bounds.
    pub(crate) bounds: Vec<usize>,
    /// For an access: the verb for its effect on the first operand, and the names of the loops around it, which are the first ones.
    pub(crate) access: Option<(&'static str, Vec<String>)>,
    /// The computation at each point, as text.
    pub(crate) text: String,
}

impl Points {
    /// Returns the loops of a result whose elements may each read any element of these operands.
    pub(crate) fn at_most(
        operands: &[Value<'_, '_>],
        ty: &Type,
        text: &str,
    ) -> Result<Points, Stop> {
        let mut counts = Count::of_result(sizes(ty)?);
        let rank = counts.len();
        let mut places = Vec::new();
        for (k, value) in operands.iter().enumerate() {
            let first = counts.len();
            counts.extend(Count::of_operand(k, &value.ty.sizes));
            places.push((value.line, first..counts.len()));
        }
        let along = |range| map_text(counts.len(), &dims(range));
        Ok(Points {
            result: along(0..rank),
            reads: places.into_iter().map(|(line, range)| (line, Some(along(range)))).collect(),
            bounds: (0..operands.len()).collect(),
            text: text.to_owned(),
            sizes: counts,
            ..Points::default()
        })
    }

    pub(crate) fn operands(&self) -> Vec<usize> {
        self.reads.iter().map(|(line, _)| *line).collect()
    }

    /// Returns the attributes of the call.
    pub(crate) fn attributes(&self, target: &str) -> String {
        let numbers = |list: Vec<String>| list.join(",");
        let mut text = format!(
            ", custom_call_target=\"{target}\", backend_config={{\"points\":[{}],\"result\":\"{}\"",
            numbers(self.sizes.iter().map(Count::text).collect()),
            self.result
        );
        let reads = self.reads.iter().map(|(_, map)| match map {
            Some(map) => format!("\"{map}\""),
            None => "null".to_owned(),
        });
        let _ = write!(text, ",\"reads\":[{}]", numbers(reads.collect()));
        for (key, list) in [("symbols", &self.symbols), ("bounds", &self.bounds)] {
            if !list.is_empty() {
                let list = list.iter().map(usize::to_string).collect();
                let _ = write!(text, ",\"{key}\":[{}]", numbers(list));
            }
        }
        if let Some((verb, loops)) = &self.access {
            let loops = loops.iter().map(|name| format!("\"{name}\"")).collect();
            let _ = write!(text, ",\"access\":\"{verb}\",\"loops\":[{}]", numbers(loops));
        }
        // Nothing parses this text, but it must not end the string that contains it.
        let computed = self.text.replace(['"', '\\'], "'").replace(char::is_control, " ");
        let _ = write!(text, ",\"computes\":\"{computed}\"}}");
        text
    }
}

/// Prints `affine_map<(d0, d1) -> (d1)>` with these results.
pub(crate) fn map_text(loops: usize, results: &[String]) -> String {
    format!("affine_map<({}) -> ({})>", dims(0..loops).join(", "), results.join(", "))
}

/// Returns the names of loops.
pub(crate) fn dims(range: std::ops::Range<usize>) -> Vec<String> {
    range.map(|k| format!("d{k}")).collect()
}

/// Returns the identity map.
pub(crate) fn identity(rank: usize) -> String {
    map_text(rank, &dims(0..rank))
}

/// Prints the map for use in a string.
pub(crate) fn said(map: &IndexingMap) -> String {
    print_map(map, Style::Plain)
}

impl Site<'_, '_, '_> {
    /// Returns the map of an attribute, `affine_map<..>` or its alias.
    pub(crate) fn map_of(&self, range: &Range) -> Result<IndexingMap, Stop> {
        let text = &self.lowering.text;
        let written = text.tokens.slice(&text.meant(range));
        match parse_map(written) {
            Ok(map) => Ok(map),
            Err(error) => {
                let written = crate::token::shortened(written);
                unknown(format!("`{written}` is not supported as a map: {}", error.message))
            }
        }
    }

    /// Returns the maps of a list attribute.
    pub(crate) fn maps(&self, range: &Range) -> Result<Vec<IndexingMap>, Stop> {
        let text = &self.lowering.text;
        let range = text.meant(range);
        let items = text.tokens.list(text.tokens.inside(range.start));
        items.iter().map(|item| self.map_of(item)).collect()
    }

    /// Returns the trip count of each loop, determined from the maps to the operands and their sizes.
    pub(crate) fn loop_sizes(&self, maps: &[IndexingMap]) -> Result<Vec<Count>, Stop> {
        let loops = maps.first().map_or(0, |map| map.domain().count(VariableKind::Dimension));
        let mut counts: Vec<Option<Count>> = vec![None; loops];
        for (k, (map, operand)) in maps.iter().zip(&self.operands).enumerate() {
            if map.domain().variables().len() != loops {
                return unknown("its maps have symbols, or differ in their loops");
            }
            let of_operand = match operand.ty.is_array() {
                true => sizes(&operand.ty)?,
                false => &[],
            };
            if map.results().len() != of_operand.len() {
                let message = format!("a map differs in rank from `{}`", operand.ty.text);
                return unknown(message);
            }
            for (at, (index, size)) in map.results().iter().zip(of_operand).enumerate() {
                let Some(id) = index.as_variable() else { continue };
                let count = size.map_or(Count::Size(k, at), Count::Fixed);
                match counts.get_mut(id.index()) {
                    Some(known @ None) => *known = Some(count),
                    Some(Some(known)) if *known == count || size.is_none() => {}
                    Some(known @ Some(Count::Size(..))) => *known = Some(count),
                    _ => return unknown(format!("the sizes of its loop {} differ", id.index())),
                }
            }
        }
        for (at, count) in counts.iter().enumerate() {
            if count.is_none() {
                return unknown(format!("the size of its loop {at} is not given"));
            }
        }
        Ok(counts.into_iter().flatten().collect())
    }

    /// Adds a call that states its loops and computes the op's result.
    pub(crate) fn call_over(&mut self, points: &Points, ty: &Rc<Type>) -> Result<(), Stop> {
        let (attributes, operands) = (points.attributes("linalg.generic"), points.operands());
        self.made(ty.clone(), "custom-call", &operands, &attributes)
    }

    /// Adds a call with these loops, the map to its result, and its reads.
    pub(crate) fn call(
        &mut self,
        sizes: Vec<Count>,
        result: String,
        reads: Vec<(usize, Option<String>)>,
        text: &str,
        ty: &Rc<Type>,
    ) -> Result<(), Stop> {
        let text = text.to_owned();
        self.call_over(&Points { sizes, result, reads, text, ..Points::default() }, ty)
    }
}
