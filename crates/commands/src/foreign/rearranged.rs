//! The methods of arrays that take some lines: axes that move, elements that repeat, windows and views by strides.
//!
//! Law: as in `methods`, which has their names.

use super::array::{Array, count, index, shape};
use super::numbers::Given;
use crate::given::expr_error;
use affinor::expr::Expr;
use affinor::text::Error;

impl Array {
    /// Answers the strides, or that of one dimension.
    pub(super) fn stride(self, given: &Given) -> Result<Array, Error> {
        let strides = self.known_strides()?;
        match given.all("dim")?[..] {
            [] => Ok(self.numbers(&strides)),
            [axis] => {
                let stride = strides[self.axis(axis)?];
                Ok(self.numbers(&[stride]))
            }
            _ => Err(shape("one dimension has a stride")),
        }
    }

    /// Returns a diagonal of a matrix.
    pub(super) fn diagonal(self, given: &Given) -> Result<Array, Error> {
        let offset = given.optional("offset", 0)?.and_then(|x| x.first().copied()).unwrap_or(0);
        let (down, right) = ((-offset).max(0), offset.max(0));
        let size = (self.sizes[0] - down).min(self.sizes[1] - right);
        let along = |from| Expr::sum(from, [(1, index(0))]).map_err(expr_error);
        self.at(vec![size], vec![along(down)?, along(right)?])
    }

    /// Permutes the axes: reverses them if none are given.
    pub(super) fn transposed(self, name: &str, given: &Given) -> Result<Array, Error> {
        let rank = self.sizes.len();
        let axes = given.all("axes")?;
        match axes[..] {
            [] => {
                let axes: Vec<usize> = (0..rank).rev().collect();
                self.permuted(&axes)
            }
            [x, y] if name == "transpose" && (rank != 2 || self.is_torch) => self.swapped(x, y),
            _ => {
                let axes: Vec<usize> =
                    axes.iter().map(|axis| self.axis(*axis)).collect::<Result<_, _>>()?;
                self.permuted(&axes)
            }
        }
    }

    /// Moves one axis to another place.
    pub(super) fn with_moved_axis(self, given: &Given) -> Result<Array, Error> {
        let rank = self.sizes.len();
        match given.all("")?[..] {
            [from, to] => {
                let (from, to) = (self.axis(from)?, self.axis(to)?);
                let mut axes: Vec<usize> = (0..rank).filter(|axis| *axis != from).collect();
                axes.insert(to, from);
                self.permuted(&axes)
            }
            _ => Err(shape("one axis is moved")),
        }
    }

    /// Reverses axes.
    pub(super) fn flipped(self, name: &str, given: &Given) -> Result<Array, Error> {
        let rank = self.sizes.len();
        let axes = match name {
            "fliplr" => vec![1],
            "flipud" => vec![0],
            _ if given.is_empty() => (0..rank as i64).collect(),
            _ => given.all("axis")?,
        };
        let mut places = self.indices();
        for axis in axes {
            let axis = self.axis(axis)?;
            places[axis] =
                Expr::sum(self.sizes[axis] - 1, [(-1, index(axis))]).map_err(expr_error)?;
        }
        self.clone().at(self.sizes, places)
    }

    /// Shifts the elements along axes cyclically.
    pub(super) fn rolled(self, given: &Given) -> Result<Array, Error> {
        let rank = self.sizes.len();
        let (shifts, axes) = (given.numbers("shift", 0)?, given.optional("axis", 1)?);
        let axes = match axes {
            None if rank == 1 => vec![0],
            None => return Err(shape("`roll` of several dimensions takes an axis")),
            Some(axes) if axes.len() == shifts.len() => axes,
            Some(_) => return Err(shape("`roll` takes as many axes as shifts")),
        };
        let mut places = self.indices();
        for (axis, shift) in axes.into_iter().zip(shifts) {
            let axis = self.axis(axis)?;
            let shifted =
                places[axis].sub(&Expr::constant(shift)).and_then(|x| x.modulo(self.sizes[axis]));
            places[axis] = shifted.map_err(expr_error)?;
        }
        self.clone().at(self.sizes, places)
    }

    /// Repeats each element along an axis.
    pub(super) fn repeated(self, given: &Given) -> Result<Array, Error> {
        let times = given.numbers("repeats", 0)?;
        let axis = given.optional("axis", 1)?;
        let (&[times], None | Some([_])) = (&times[..], axis.as_deref()) else {
            return Err(shape("`repeat` takes one number and one axis"));
        };
        if times < 1 {
            return Err(shape("`repeat` by less than 1 has no elements"));
        }
        let array = if axis.is_none() { self.reshaped(&[-1])? } else { self };
        let axis = array.axis(axis.map_or(0, |axis| axis[0]))?;
        let (mut sizes, mut places) = (array.sizes.clone(), array.indices());
        sizes[axis] =
            sizes[axis].checked_mul(times).ok_or_else(|| shape("the array is too large"))?;
        places[axis] = index(axis).floordiv(times).map_err(expr_error)?;
        array.at(sizes, places)
    }

    /// Broadcasts dimensions of size 1, and adds dimensions in front.
    pub(super) fn broadcast(self, given: &Given) -> Result<Array, Error> {
        let rank = self.sizes.len();
        let mut sizes = given.all("shape")?;
        let Some(added) = sizes.len().checked_sub(rank) else {
            return Err(shape("a broadcast keeps all dimensions"));
        };
        let mut places = Vec::new();
        for (number, own) in self.sizes.iter().enumerate() {
            let size = &mut sizes[added + number];
            *size = if *size == -1 { *own } else { *size };
            places.push(match (own, *size) {
                (own, size) if *own == size => index(added + number),
                (1, _) => Expr::constant(0),
                (own, size) => {
                    return Err(shape(format!("a size of {own} cannot become {size}")));
                }
            });
        }
        self.at(sizes, places)
    }

    /// Removes dimensions of size 1.
    pub(super) fn squeezed(self, given: &Given) -> Result<Array, Error> {
        let rank = self.sizes.len();
        let axes = match given.is_empty() {
            true => (0..rank).filter(|axis| self.sizes[*axis] == 1).collect(),
            false => given
                .all("axis")?
                .into_iter()
                .map(|axis| self.axis(axis))
                .collect::<Result<Vec<_>, _>>()?,
        };
        match axes.iter().all(|axis| self.sizes[*axis] == 1) {
            true => {
                let kept: Vec<i64> = (0..rank)
                    .filter(|axis| !axes.contains(axis))
                    .map(|axis| self.sizes[axis])
                    .collect();
                self.reshaped(&kept)
            }
            false => Err(shape("only a dimension of size 1 is squeezed")),
        }
    }

    /// Adds a dimension of size 1.
    pub(super) fn unsqueezed(self, given: &Given) -> Result<Array, Error> {
        let rank = self.sizes.len();
        match given.all("axis")?[..] {
            [axis] => {
                let place = if axis < 0 { axis + rank as i64 + 1 } else { axis };
                let place = usize::try_from(place).ok().filter(|place| *place <= rank);
                let mut sizes = self.sizes.clone();
                sizes.insert(place.ok_or_else(|| shape("no such axis"))?, 1);
                self.reshaped(&sizes)
            }
            _ => Err(shape("one axis is added")),
        }
    }

    /// Returns the windows along an axis, with a dimension for their elements.
    pub(super) fn windows(self, name: &str, given: &Given) -> Result<Array, Error> {
        let rank = self.sizes.len();
        let (axis, size, step) = match (name, &given.all("")?[..]) {
            ("unfold", [axis, size, step]) if *step > 0 => (self.axis(*axis)?, *size, *step),
            ("sliding_window_view", [size]) if rank == 1 => (0, *size, 1),
            _ => {
                return Err(shape("a window has a size, and of `unfold` a dimension and a step"));
            }
        };
        let room = self.sizes[axis] - size;
        if room < 0 || size < 1 {
            return Err(shape(format!(
                "a window of {size} in a dimension of {}",
                self.sizes[axis]
            )));
        }
        let (mut sizes, mut places) = (self.sizes.clone(), self.indices());
        (sizes[axis], places[axis]) = (
            room / step + 1,
            Expr::sum(0, [(step, index(axis)), (1, index(rank))]).map_err(expr_error)?,
        );
        sizes.push(size);
        self.at(sizes, places)
    }

    /// Returns a view with these sizes, strides and offset.
    pub(super) fn strided(self, given: &Given) -> Result<Array, Error> {
        let sizes = match given.optional("shape", 0)? {
            Some(sizes) => sizes,
            None => given.numbers("size", 0)?,
        };
        let strides = self.strides(given.numbers("stride", 1)?)?;
        let offset = given
            .optional("storage_offset", 2)?
            .map_or(0, |offset| offset.first().copied().unwrap_or(0));
        if self.map.results() != self.indices() || sizes.len() != strides.len() {
            return Err(shape(
                "`as_strided` takes as many strides as sizes, of an array that is stored as it is",
            ));
        }
        let last = sizes.iter().zip(&strides).try_fold(offset, |last, (size, stride)| {
            stride
                .checked_mul(size - 1)
                .filter(|_| *stride >= 0)
                .and_then(|step| last.checked_add(step))
        });
        if offset < 0 || last.is_none_or(|last| last >= count(&self.sizes).unwrap_or(0)) {
            return Err(shape("these strides leave the array"));
        }
        let terms = strides.iter().enumerate().map(|(number, stride)| (*stride, index(number)));
        let place = Expr::sum(offset, terms).map_err(expr_error)?;
        let total = count(&self.sizes)?;
        self.reshaped(&[total])?.at(sizes, vec![place])
    }

    /// Returns a slice with a start, an end and a step in each dimension.
    pub(super) fn sliced(self, given: &Given) -> Result<Array, Error> {
        let rank = self.sizes.len();
        let (from, to) = (given.numbers("start", 0)?, given.numbers("limit", 1)?);
        let steps = given.optional("strides", 2)?.unwrap_or_else(|| vec![1; rank]);
        let parts = from
            .iter()
            .zip(&to)
            .zip(&steps)
            .map(|((from, to), step)| format!("{from}:{to}:{step}"));
        let parts: Vec<String> = parts.collect();
        let are_inside = from.iter().all(|from| *from >= 0)
            && to.iter().zip(&self.sizes).all(|(to, size)| to <= size)
            && steps.iter().all(|step| *step > 0);
        match [from.len(), to.len(), steps.len()] == [rank; 3] && are_inside {
            true => self.subscripted(&parts.join(", ")),
            false => Err(shape("a slice has a start, an end and a step inside each dimension")),
        }
    }

    /// Returns the index of each dimension.
    fn indices(&self) -> Vec<Expr> {
        (0..self.sizes.len()).map(index).collect()
    }

    /// Converts strides to elements: NumPy's are in bytes, PyTorch's in elements.
    fn strides(&self, strides: Vec<i64>) -> Result<Vec<i64>, Error> {
        if self.is_torch {
            return Ok(strides);
        }
        let hint = "`torch.as_strided` counts elements; `np.arange(8, dtype=np.int32)` has elements of 4 bytes";
        let Some(item) = self.item else {
            let message = "strides of NumPy are in bytes, and those of an element are not known";
            return Err(shape(message).hint(hint));
        };
        match strides.iter().all(|stride| stride % item == 0) {
            true => Ok(strides.iter().map(|stride| stride / item).collect()),
            false => {
                let message = format!("strides of NumPy are in bytes: an element has {item}");
                Err(shape(message).hint(hint))
            }
        }
    }
}
