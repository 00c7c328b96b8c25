//! Offsets, sizes and strides of a part of an array, static or dynamic, and the part as a slice.
//!
//! Law: MLIR requires that dynamic offsets keep the part within the array, so HLO's clamping never changes them. Source: MLIR,
//! `OffsetSizeAndStrideOpInterface`.

use crate::body::{OrUnknown, Stop, Value, unknown};
use crate::lower::Site;
use crate::site::{braced, fixed, ranges, sizes};
use crate::token::{Range, Token};
use crate::tree::Op;
use crate::types::Type;
use std::rc::Rc;

/// An entry of a list: a number, or a value.
#[derive(Clone)]
pub(crate) enum Place<'t, 'a> {
    Fixed(i64),
    Value(Value<'t, 'a>),
}

/// Returns the integer value of a constant.
pub(crate) fn known(value: &Value<'_, '_>, site: &Site<'_, '_, '_>) -> Option<i64> {
    if let Some(number) = site.body.constants.get(&value.line) {
        return Some(*number);
    }
    let op = value.source.filter(|op| op.name == "arith.constant")?;
    let range: Range = op.named_or_group(&["value"])?;
    site.lowering.text.integer(&range)
}

impl<'t, 'a> Site<'_, 't, 'a> {
    /// Defines the only result as this integer, of type `index`.
    pub(crate) fn is_number(&mut self, number: i64) -> Result<(), Stop> {
        let ty = crate::types::of("index").or_unknown(|| "it has no type")?;
        let spans = (self.op.name_span.clone(), self.op.span.clone());
        let line = self.body.push_leaf(&self.name(""), format!("s64[] constant({number})"), spans);
        self.body.constants.insert(line, number);
        self.define(line, Rc::new(ty));
        Ok(())
    }

    /// Returns the offsets, sizes and strides; dynamic ones are the operands from `first` on.
    pub(crate) fn geometry(&self, first: usize) -> Result<[Vec<Place<'t, 'a>>; 3], Stop> {
        let mut next = first;
        let lists = ["static_offsets", "static_sizes", "static_strides"];
        let mut found = [Vec::new(), Vec::new(), Vec::new()];
        for (k, name) in lists.iter().enumerate() {
            found[k] = match self.op.named(&[name]) {
                Some(_) => self.static_places(&self.needed_list(&[name])?, &mut next)?,
                None => match self.op.groups.get(k) {
                    Some(group) => self.places(group, &mut next)?,
                    None => return unknown("its offsets, sizes or strides are missing"),
                },
            };
        }
        Ok(found)
    }

    fn static_places(&self, list: &[i64], next: &mut usize) -> Result<Vec<Place<'t, 'a>>, Stop> {
        list.iter()
            .map(|number| match *number {
                i64::MIN => self.next_place(next),
                number => Ok(Place::Fixed(number)),
            })
            .collect()
    }

    fn next_place(&self, next: &mut usize) -> Result<Place<'t, 'a>, Stop> {
        let value = self.operand(*next)?;
        *next += 1;
        Ok(match known(&value, self) {
            Some(number) => Place::Fixed(number),
            None => Place::Value(value),
        })
    }

    /// Returns the indices of an element or a part, of which those that are values are the operands from `first` on.
    pub(crate) fn position(&self, first: usize) -> Result<Vec<Place<'t, 'a>>, Stop> {
        let mut next = first;
        match (self.op.named(&["static_position"]), self.op.groups.first()) {
            (Some(_), _) => self.static_places(&self.needed_list(&["static_position"])?, &mut next),
            (None, Some(group)) => self.places(group, &mut next),
            (None, None) => {
                (first..self.operands.len()).map(|_| self.next_place(&mut next)).collect()
            }
        }
    }

    /// Reads `[%i, 4]`, whose values are the operands from `next` on.
    pub(crate) fn places(
        &self,
        group: &Range,
        next: &mut usize,
    ) -> Result<Vec<Place<'t, 'a>>, Stop> {
        let tokens = &self.lowering.text.tokens;
        let items = tokens.list(tokens.inside(group.start));
        items
            .iter()
            .map(|item| match (tokens.get(item.start), item.len()) {
                (Some(Token::Value), 1) => self.next_place(next),
                (Some(Token::Integer), 1) => match self.lowering.text.integer(item) {
                    Some(number) => Ok(Place::Fixed(number)),
                    None => unknown("a number in its lists is not supported"),
                },
                _ => unknown(format!("`{}` is neither a value nor a number", tokens.slice(item))),
            })
            .collect()
    }

    /// Returns the entries as numbers; fails if one is a value.
    pub(crate) fn all_fixed(places: &[Place<'_, '_>], what: &str) -> Result<Vec<i64>, Stop> {
        places
            .iter()
            .map(|place| match place {
                Place::Fixed(number) => Ok(*number),
                Place::Value(_) => unknown(format!("its {what} are known only at run time")),
            })
            .collect()
    }

    /// Returns the offsets as operands: scalars of type `s64`.
    pub(crate) fn as_operands(&mut self, offsets: &[Place<'_, '_>]) -> Vec<usize> {
        let place = |op: &Op<'_>| (op.name_span.clone(), op.span.clone());
        offsets
            .iter()
            .map(|offset| match offset {
                Place::Value(value) => value.line,
                Place::Fixed(number) => {
                    let (name, code) = (self.name("offset"), format!("s64[] constant({number})"));
                    self.body.push_leaf(&name, code, place(self.op))
                }
            })
            .collect()
    }

    /// Extracts the part of the array at `line` with these offsets, sizes and strides; returns its line.
    pub(crate) fn taken(
        &mut self,
        line: usize,
        ty: &Type,
        offsets: &[Place<'_, '_>],
        sizes: &[i64],
        strides: &[i64],
    ) -> Result<usize, Stop> {
        let rank = fixed(ty)?.len();
        if [offsets.len(), sizes.len(), strides.len()] != [rank; 3] {
            return unknown("its lists do not have the rank of the operand");
        }
        let mut line = line;
        let mut extents = Vec::new();
        for (size, stride) in sizes.iter().zip(strides) {
            let last = size.checked_sub(1).and_then(|last| last.checked_mul(*stride));
            let extent = last.and_then(|last| last.checked_add(1));
            match extent.filter(|_| *stride > 0) {
                Some(extent) => extents.push(extent.max(0)),
                None => return unknown("its strides are not positive"),
            }
        }
        let is_fixed = offsets.iter().all(|offset| matches!(offset, Place::Fixed(_)));
        let mut starts = vec![0; rank];
        if is_fixed {
            starts = Self::all_fixed(offsets, "offsets")?;
        } else {
            let mut operands = vec![line];
            operands.extend(self.as_operands(offsets));
            let attributes = format!(", dynamic_slice_sizes={}", braced(&extents));
            let shape = ty.with_sizes(&extents);
            line = self.push("part", &shape, "dynamic-slice", &operands, &attributes);
            if strides.iter().all(|stride| *stride == 1) {
                return Ok(line);
            }
        }
        let mut parts = Vec::new();
        for ((start, extent), stride) in starts.iter().zip(&extents).zip(strides) {
            let end = start.checked_add(*extent).or_unknown(|| "its offsets are too large")?;
            parts.push((*start, end, *stride));
        }
        if rank == 0 {
            return Ok(line);
        }
        let attributes = ranges(parts);
        Ok(self.push("slice", &ty.with_sizes(sizes), "slice", &[line], &attributes))
    }

    /// Defines the op's only result as a reshape of the array at `line` to the result's sizes.
    pub(crate) fn reshaped(&mut self, line: usize, ty: &Rc<Type>) -> Result<(), Stop> {
        sizes(ty)?;
        self.made(ty.clone(), "reshape", &[line], "")
    }

    /// Returns the type of the result after `to` or `into`, or the only type.
    pub(crate) fn result_type(&self) -> Result<Rc<Type>, Stop> {
        let arrow = self.op.arrow_types.as_ref().and_then(|types| types.first());
        match arrow.or(self.op.operand_types.last()) {
            Some(ty) => Ok(ty.clone()),
            None => unknown("the type of its result is not stated"),
        }
    }
}
