//! Parts of an array along one dimension: `narrow`, `select`, `chunk`, `split`, `take`, `index_select`, `dynamic_slice`.
//!
//! Law: each result consists of elements of the array as NumPy, PyTorch and JAX document it. A list of indices is a sum of steps:
//! `[5, 0, 2]` at `i` is `5 - 5*(i >= 1) + 2*(i >= 2)`, where `i >= k` is `min(max(i - k + 1, 0), 1)`.

use super::array::{Array, index, length, shape, unknown};
use super::numbers::{Given, integers};
use crate::given::expr_error;
use affinor::expr::{Expr, ExprError};
use affinor::text::Error;

/// The maximum length of a list of indices: the map of a longer list would not be readable.
const MAX_PLACES: usize = 64;

/// Maximum number of parts of a dimension.
const MAX_PARTS: i64 = 1 << 16;

impl Array {
    /// Returns the array of `size` consecutive elements along an axis, from `start` on.
    fn part(self, axis: usize, start: i64, size: i64) -> Result<Array, Error> {
        self.stepped(axis, start, size, 1)
    }

    /// Returns the array of `size` elements along an axis, from `start` on, `step` apart.
    fn stepped(self, axis: usize, start: i64, size: i64, step: i64) -> Result<Array, Error> {
        let last = (size - 1).checked_mul(step).and_then(|apart| apart.checked_add(start));
        let is_inside = start >= 0 && size > 0 && last.is_some_and(|last| last < self.sizes[axis]);
        if !is_inside {
            let message = format!(
                "{size} elements from {start} on leave a dimension of {}",
                self.sizes[axis]
            );
            return Err(shape(message));
        }
        let mut sizes = self.sizes.clone();
        let mut places: Vec<Expr> = (0..sizes.len()).map(index).collect();
        sizes[axis] = size;
        places[axis] = Expr::sum(start, [(step, index(axis))]).map_err(expr_error)?;
        self.at(sizes, places)
    }

    /// Applies a method that takes a part of the array.
    ///
    /// # Errors
    /// For arguments that do not fit, and for other methods.
    pub fn parted(self, name: &str, given: &Given) -> Result<Array, Error> {
        let rank = self.sizes.len();
        let axis = |array: &Array, name: &str, place: usize, usual: Option<i64>| {
            let axis = given.optional(name, place)?.or(usual.map(|axis| vec![axis]));
            match axis.as_deref() {
                Some([axis]) => array.axis(*axis),
                _ => Err(shape("one axis is needed")),
            }
        };
        match name {
            "narrow" => {
                let axis = axis(&self, "dim", 0, None)?;
                let (start, size) = (given.one("start", 1)?, given.one("length", 2)?);
                let start = if start < 0 { start + self.sizes[axis] } else { start };
                self.part(axis, start, size)
            }
            "select" => {
                let (axis, at) = (axis(&self, "dim", 0, None)?, given.one("index", 1)?);
                self.selected(axis, at)
            }
            "dynamic_slice_in_dim" => {
                let (start, size) = (given.one("start_index", 0)?, given.one("slice_size", 1)?);
                let axis = axis(&self, "axis", 2, Some(0))?;
                self.clamped(axis, start, size)
            }
            "slice_in_dim" => {
                let axis = axis(&self, "axis", 3, Some(0))?;
                let from_end = |at: i64| if at < 0 { at + self.sizes[axis] } else { at };
                let start = from_end(given.one("start_index", 0)?);
                let end = from_end(given.one("limit_index", 1)?);
                let step = given.optional("stride", 2)?.map_or(Some(1), |one| one.first().copied());
                let step = step.filter(|step| *step > 0);
                let step = step.ok_or_else(|| shape("a stride is at least 1"))?;
                self.stepped(axis, start, length(start, end, step)?, step)
            }
            "dynamic_slice" => {
                let starts = given.numbers("start_indices", 0)?;
                let sizes = given.numbers("slice_sizes", 1)?;
                if [starts.len(), sizes.len()] != [rank; 2] {
                    return Err(shape("a slice has a start and a size in each dimension"));
                }
                let mut parts = starts.into_iter().zip(sizes).enumerate();
                parts
                    .try_fold(self, |array, (axis, (start, size))| array.clamped(axis, start, size))
            }
            "index_select" | "take" => {
                let (of, along) = if name == "take" { (0, 1) } else { (1, 0) };
                let list = given.texts().get(of).copied().unwrap_or("");
                match given.optional("axis", along)? {
                    Some(axes) if axes.len() == 1 => self.taken(axes[0], list),
                    _ => self.reshaped(&[-1])?.taken(0, list),
                }
            }
            _ => Err(unknown(name)),
        }
    }

    /// Takes a slice that is moved into the array, as by `lax.dynamic_slice`.
    fn clamped(self, axis: usize, start: i64, size: i64) -> Result<Array, Error> {
        let start = if start < 0 { start + self.sizes[axis] } else { start };
        let last = self.sizes[axis] - size;
        self.part(axis, start.clamp(0, last.max(0)), size)
    }

    fn selected(self, axis: usize, at: i64) -> Result<Array, Error> {
        let at = if at < 0 { at + self.sizes[axis] } else { at };
        let one = self.part(axis, at, 1)?;
        let mut sizes = one.sizes.clone();
        sizes.remove(axis);
        let places = (0..=sizes.len()).map(|own| match own.cmp(&axis) {
            std::cmp::Ordering::Less => index(own),
            std::cmp::Ordering::Equal => Expr::constant(0),
            std::cmp::Ordering::Greater => index(own - 1),
        });
        let places = places.collect();
        one.at(sizes, places)
    }

    /// Returns the array at a list of indices along an axis: `[5, 0, 2]`, `torch.tensor([5, 0, 2])`.
    ///
    /// # Errors
    /// If the list has an index outside of the dimension, or is not a list of indices.
    pub fn taken(self, axis: i64, list: &str) -> Result<Array, Error> {
        let axis = self.axis(axis)?;
        let made = list
            .split_once('(')
            .filter(|(head, _)| head.ends_with("array") || head.ends_with("tensor"));
        let list = integers(made.map_or(list, |(_, list)| list))?;
        let size = self.sizes[axis];
        let list: Vec<i64> = list.iter().map(|at| if *at < 0 { at + size } else { *at }).collect();
        if list.is_empty() || list.iter().any(|at| !(0..size).contains(at)) {
            return Err(shape(format!("a place outside of a dimension of {size}")));
        }
        if list.len() > MAX_PLACES {
            return Err(shape(format!("more than {MAX_PLACES} places")));
        }
        let step = list.get(1).map_or(0, |second| second - list[0]);
        let place = match list.windows(2).all(|two| two[1] - two[0] == step) {
            true => Expr::sum(list[0], [(step, index(axis))]),
            false => stairs(&list, &index(axis)),
        };
        let mut sizes = self.sizes.clone();
        let mut places: Vec<Expr> = (0..sizes.len()).map(index).collect();
        sizes[axis] = list.len() as i64;
        places[axis] = place.map_err(expr_error)?;
        self.at(sizes, places)
    }

    /// Returns result number `number` of `chunk`, `split` or `unbind`.
    ///
    /// # Errors
    /// For arguments that do not fit, or if no result has this number.
    pub fn one_of(self, name: &str, given: &Given, number: i64) -> Result<Array, Error> {
        let usual = if name == "hsplit" { 1 } else { 0 };
        let place = usize::from(name != "unbind");
        let axis = given.optional("axis", place)?.and_then(|axes| axes.first().copied());
        let axis = self.axis(axis.unwrap_or(usual))?;
        let size = self.sizes[axis];
        if name == "unbind" {
            return self.selected(axis, number);
        }
        let list = given.numbers("sections", 0)?;
        let is_torch = self.is_torch;
        let starts: Vec<i64> = match (name, &list[..]) {
            (_, [count, ..]) if *count < 1 => return Err(shape("at least one part")),
            ("chunk", [count]) => steps(size, (size + count - 1) / count)?,
            ("split", [length]) if is_torch => steps(size, *length)?,
            ("split", lengths) if is_torch => {
                let mut end = 0;
                let starts = lengths.iter().map(|length| {
                    end += length;
                    end - length
                });
                let starts = starts.collect();
                match end == size {
                    true => starts,
                    false => return Err(shape(format!("parts of {end} of a dimension of {size}"))),
                }
            }
            ("array_split" | "tensor_split", [count]) => {
                within_limit(*count)?;
                let start = |part: i64| part * (size / count) + part.min(size % count);
                (0..*count).map(start).collect()
            }
            (_, [count]) if size % count == 0 => steps(size, size / count)?,
            (_, [_]) => return Err(shape("the parts are not equal: `array_split` allows that")),
            (_, ends) => std::iter::once(0).chain(ends.iter().copied()).collect(),
        };
        let count = starts.len() as i64;
        let number = if number < 0 { number + count } else { number };
        let at = usize::try_from(number).ok().filter(|at| *at < starts.len());
        let at = at.ok_or_else(|| shape(format!("part {number} of {count}")))?;
        let end = starts.get(at + 1).copied().unwrap_or(size);
        self.part(axis, starts[at], end - starts[at])
    }
}

/// Returns the multiples of a step below an end.
fn steps(end: i64, step: i64) -> Result<Vec<i64>, Error> {
    let count = within_limit((end + step - 1) / step)?;
    Ok((0..count).map(|part| part * step).collect())
}

/// Checks a number of parts.
///
/// # Errors
/// If there are too many.
fn within_limit(count: i64) -> Result<i64, Error> {
    match count <= MAX_PARTS {
        true => Ok(count),
        false => Err(shape(format!("more than {MAX_PARTS} parts"))),
    }
}

/// Returns the value of a list at an index that counts from 0.
fn stairs(list: &[i64], at: &Expr) -> Result<Expr, ExprError> {
    let mut terms = Vec::new();
    for (number, two) in (0i64..).zip(list.windows(2)) {
        let is_behind = Expr::max([at.sub(&Expr::constant(number))?, Expr::constant(0)])?;
        terms.push((two[1] - two[0], Expr::min([is_behind, Expr::constant(1)])?));
    }
    Expr::sum(list[0], terms)
}
