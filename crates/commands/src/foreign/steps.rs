//! Chains of methods and subscripts of an array.
//!
//! Law: a subscript selects as in NumPy: an index from the front or the back, a slice, `None` for a new dimension of size 1.

use super::array::{
    Array, boxed, closing, count, index, is_several, length, new_strides, shape, unknown,
};
use super::numbers::{Given, number};
use crate::given::expr_error;
use crate::token::listed;
use affinor::expr::{Expr, ExprKind, IndexingMap};
use affinor::text::{Error, ErrorKind};

/// Returns whether this is a sum of variables.
fn is_sum(place: &Expr) -> bool {
    match place.kind() {
        ExprKind::Constant(_) | ExprKind::Variable(_) => true,
        ExprKind::Sum(sum) => sum.terms().iter().all(|(_, term)| is_sum(term)),
        _ => false,
    }
}

impl Array {
    /// Applies the methods and subscripts of a text in order.
    pub fn steps(mut self, text: &str) -> Result<Array, Error> {
        let mut rest = text.trim();
        while !rest.is_empty() {
            if rest.starts_with('[') {
                let close = closing(rest).ok_or_else(|| shape("a `[` is not closed"))?;
                self = self.subscripted(&rest[1..close])?;
                rest = rest[close + 1..].trim();
                continue;
            }
            let Some(after) = rest.strip_prefix('.') else {
                let message = format!("expected a method or a subscript, found `{rest}`");
                return Err(Error::without_span(ErrorKind::Syntax, message));
            };
            let end =
                after.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(after.len());
            let (name, behind) = after.split_at(end);
            match (name, closing(behind).filter(|_| behind.starts_with('('))) {
                (several, Some(close)) if is_several(several) => {
                    let given = &behind[1..close];
                    let rest_of = behind[close + 1..].trim_start();
                    let chosen = rest_of.strip_prefix('[').and_then(|rest| rest.split_once(']'));
                    let Some((place, behind)) = chosen else {
                        let message = format!("`{several}` gives several arrays");
                        return Err(
                            shape(message).hint(format!("choose one: `.{several}({given})[0]`"))
                        );
                    };
                    self = self.one_of(several, &Given::of(given), number(place)?)?;
                    rest = behind.trim();
                }
                (_, Some(close)) => {
                    self = self.called(name, &Given::of(&behind[1..close]))?;
                    rest = behind[close + 1..].trim();
                }
                ("shape", None) => {
                    let sizes = self.sizes.clone();
                    (self, rest) = (self.numbers(&sizes), behind.trim());
                }
                ("strides", None) => {
                    let item =
                        self.item.ok_or_else(|| shape("the bytes of an element are not known"))?;
                    let strides: Vec<i64> =
                        self.known_strides()?.iter().map(|stride| stride * item).collect();
                    (self, rest) = (self.numbers(&strides), behind.trim());
                }
                ("T", _) => {
                    (self, rest) = (self.called("transpose", &Given::of(""))?, behind.trim())
                }
                ("mT", _) => {
                    (self, rest) = (self.called("swapaxes", &Given::of("-1, -2"))?, behind.trim())
                }
                _ => return Err(unknown(name)),
            }
        }
        Ok(self)
    }

    /// Applies a subscript that is a list of indices along one dimension.
    fn listed(self, parts: &[&str]) -> Result<Array, Error> {
        let mut lists = (0..).zip(parts).filter(|(_, part)| **part != ":");
        match (lists.next(), lists.next()) {
            (Some((axis, list)), None) => self.taken(axis, list),
            _ => Err(shape("a list of positions can only be combined with `:`")),
        }
    }

    /// Returns the array of these sizes whose elements are those of this array at `places`.
    pub fn at(self, sizes: Vec<i64>, places: Vec<Expr>) -> Result<Array, Error> {
        count(&sizes)?;
        let step = IndexingMap::new(boxed(&sizes)?, places);
        let map = step.then(&self.map).map_err(|_| shape("the index does not fit"))?;
        // A method whose places are sums returns a view; any other copies.
        let is_view = step.results().iter().all(is_sum);
        let strides = match is_view {
            true => self.strides_at(&sizes, step.results()),
            false => new_strides(&sizes),
        };
        Ok(Array { sizes, map, strides, ..self })
    }

    pub fn axis(&self, axis: i64) -> Result<usize, Error> {
        let rank = self.sizes.len();
        let place = if axis < 0 { axis + rank as i64 } else { axis };
        let place = usize::try_from(place).ok().filter(|place| *place < rank);
        place.ok_or_else(|| shape(format!("axis {axis} of an array with {rank} dimensions")))
    }

    pub fn subscripted(self, text: &str) -> Result<Array, Error> {
        let parts = listed(text);
        let is_new = |part: &str| matches!(part, "None" | "np.newaxis" | "jnp.newaxis");
        let chosen = parts.iter().filter(|part| !is_new(part) && **part != "...").count();
        let Some(left) = self.sizes.len().checked_sub(chosen) else {
            return Err(shape(format!("{chosen} subscripts of {} dimensions", self.sizes.len())));
        };
        let has_rest = parts.contains(&"...");
        let filled = parts.iter().flat_map(|part| match *part {
            "..." => vec![":"; left],
            part => vec![part],
        });
        let tail = if has_rest { 0 } else { left };
        let filled: Vec<&str> = filled.chain(std::iter::repeat_n(":", tail)).collect();
        let (mut sizes, mut places) = (Vec::new(), Vec::new());
        for part in filled {
            if is_new(part) {
                sizes.push(1);
                continue;
            }
            let axis = places.len();
            let size = *self.sizes.get(axis).ok_or_else(|| shape("`...` stands once"))?;
            if part.starts_with('[') {
                return self.listed(&parts);
            }
            let Some((from, rest)) = part.split_once(':') else {
                let at = number(part)?;
                let at = if at < 0 { at + size } else { at };
                if !(0..size).contains(&at) {
                    return Err(shape(format!("index {part} of a dimension of {size}")));
                }
                places.push(Expr::constant(at));
                continue;
            };
            let (to, step) = rest.split_once(':').unwrap_or((rest, "1"));
            let optional =
                |text: &str| if text.trim().is_empty() { Ok(None) } else { number(text).map(Some) };
            let step = optional(step)?.unwrap_or(1);
            let (lowest, highest) = if step < 0 { (-1, size - 1) } else { (0, size) };
            let clipped = |end: Option<i64>, usual: i64| {
                let end =
                    end.map_or(usual, |end| if end < 0 { end.saturating_add(size) } else { end });
                end.clamp(lowest, highest)
            };
            let usual = if step < 0 { (size - 1, -1) } else { (0, size) };
            let from = clipped(optional(from)?, usual.0);
            let to = match optional(to)? {
                None => usual.1,
                to => clipped(to, usual.1),
            };
            if step == 0 {
                return Err(shape("a step of 0"));
            }
            places.push(Expr::sum(from, [(step, index(sizes.len()))]).map_err(expr_error)?);
            sizes.push(length(from, to, step)?);
        }
        self.at(sizes, places)
    }
}
