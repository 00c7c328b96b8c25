//! Methods that move the elements of an array.
//!
//! Law: each method is a map from the index of its result to that of its operand, as documented by NumPy or, for the same name,
//! by PyTorch.

use super::array::{Array, MAX_RANK, count, index, new_strides, shape, unknown};
use super::numbers::Given;
use crate::given::expr_error;
use affinor::expr::Expr;
use affinor::text::Error;

/// The names of arguments, and the most positional ones, of methods that read only some of theirs.
const ARGUMENTS: [(&str, &[&str], usize); 17] = [
    ("flatten", &["order", "start_dim", "end_dim"], 2),
    ("ravel", &["order"], 1),
    ("contiguous", &["memory_format"], 0),
    ("copy", &[], 0),
    ("clone", &["memory_format"], 0),
    ("to", &["memory_format"], 0),
    ("numel", &[], 0),
    ("diagonal", &["offset"], 1),
    ("diag", &["offset"], 1),
    ("roll", &["shift", "shifts", "axis", "dims"], 2),
    ("repeat", &["repeats", "axis"], MAX_RANK),
    ("pad", &["pad_width", "pad", "mode", "constant_values", "value"], 3),
    ("repeat_interleave", &["repeats", "dim"], 2),
    ("slice", &["start_indices", "limit_indices", "start", "limit", "strides"], 3),
    ("as_strided", &["shape", "size", "stride", "strides", "storage_offset"], 3),
    ("fliplr", &[], 0),
    ("flipud", &[], 0),
];

impl Array {
    /// Applies a method.
    ///
    /// # Errors
    /// For arguments that do not fit, and for other methods.
    pub fn called(self, name: &str, given: &Given) -> Result<Array, Error> {
        let is_torch = self.is_torch;
        let array = self.moved(name, given)?;
        if given.named("memory_format").is_some() {
            return array.in_format(given);
        }
        let copies = match name {
            "roll" | "repeat" | "repeat_interleave" | "tile" | "pad" | "contiguous" | "copy" => {
                true
            }
            "take" | "index_select" | "pixel_shuffle" | "pixel_unshuffle" => true,
            "flip" | "fliplr" | "flipud" => is_torch,
            "flatten" | "ravel" => !is_torch,
            _ => false,
        };
        let strides = if copies { new_strides(&array.sizes) } else { array.strides.clone() };
        Ok(Array { strides, ..array })
    }

    fn moved(self, name: &str, given: &Given) -> Result<Array, Error> {
        let rank = self.sizes.len();
        if let Some((_, names, most)) = ARGUMENTS.iter().find(|(method, ..)| *method == name) {
            given.check(names, *most)?;
        }
        let own: Vec<Expr> = (0..rank).map(index).collect();
        match name {
            "is_contiguous" if given.is_empty() => {
                let asked = Some(self.is_contiguous()?);
                Ok(Array { asked, ..self })
            }
            "stride" => {
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
            "size" if given.is_empty() => {
                let sizes = self.sizes.clone();
                Ok(self.numbers(&sizes))
            }
            "numel" => {
                let total = count(&self.sizes)?;
                Ok(self.numbers(&[total]))
            }
            "diagonal" | "diag" if rank == 2 => {
                let offset =
                    given.optional("offset", 0)?.and_then(|x| x.first().copied()).unwrap_or(0);
                let (down, right) = ((-offset).max(0), offset.max(0));
                let size = (self.sizes[0] - down).min(self.sizes[1] - right);
                let along = |from| Expr::sum(from, [(1, index(0))]).map_err(expr_error);
                self.at(vec![size], vec![along(down)?, along(right)?])
            }
            "narrow"
            | "select"
            | "take"
            | "index_select"
            | "dynamic_slice"
            | "dynamic_slice_in_dim"
            | "slice_in_dim" => self.parted(name, given),
            "view" if self.is_torch => self.viewed(&given.all("shape")?),
            "reshape" | "view" => {
                let sizes = given.without("order").all("shape")?;
                self.in_order(&sizes, given.named("order").unwrap_or("'C'"))
            }
            "flatten" | "ravel" => {
                let first = given.placed(0).filter(|first| first.starts_with(['\'', '"']));
                match given.named("order").or(first) {
                    Some(order) => self.in_order(&[-1], order),
                    None => self.joined(given),
                }
            }
            "contiguous" | "copy" | "clone" | "to" => Ok(self),
            "transpose" | "trans" | "permute" | "permute_dims" => {
                let axes = given.all("axes")?;
                match axes[..] {
                    [] => {
                        let axes: Vec<usize> = (0..rank).rev().collect();
                        self.permuted(&axes)
                    }
                    [x, y] if name == "transpose" && (rank != 2 || self.is_torch) => {
                        self.swapped(x, y)
                    }
                    _ => {
                        let axes: Vec<usize> =
                            axes.iter().map(|axis| self.axis(*axis)).collect::<Result<_, _>>()?;
                        self.permuted(&axes)
                    }
                }
            }
            "t" if rank <= 2 => self.called("transpose", &Given::of("")),
            "swapaxes" | "swapdims" => match given.all("")?[..] {
                [x, y] => self.swapped(x, y),
                _ => Err(shape("two axes change places")),
            },
            "moveaxis" | "movedim" => match given.all("")?[..] {
                [from, to] => {
                    let (from, to) = (self.axis(from)?, self.axis(to)?);
                    let mut axes: Vec<usize> = (0..rank).filter(|axis| *axis != from).collect();
                    axes.insert(to, from);
                    self.permuted(&axes)
                }
                _ => Err(shape("one axis is moved")),
            },
            "flip" | "rev" | "fliplr" | "flipud" => {
                let axes = match name {
                    "fliplr" => vec![1],
                    "flipud" => vec![0],
                    _ if given.is_empty() => (0..rank as i64).collect(),
                    _ => given.all("axis")?,
                };
                let mut places = own;
                for axis in axes {
                    let axis = self.axis(axis)?;
                    places[axis] =
                        Expr::sum(self.sizes[axis] - 1, [(-1, index(axis))]).map_err(expr_error)?;
                }
                self.clone().at(self.sizes, places)
            }
            "roll" => {
                let (shifts, axes) = (given.numbers("shift", 0)?, given.optional("axis", 1)?);
                let axes = match axes {
                    None if rank == 1 => vec![0],
                    None => return Err(shape("`roll` of several dimensions takes an axis")),
                    Some(axes) if axes.len() == shifts.len() => axes,
                    Some(_) => return Err(shape("`roll` takes as many axes as shifts")),
                };
                let mut places = own;
                for (axis, shift) in axes.into_iter().zip(shifts) {
                    let axis = self.axis(axis)?;
                    let shifted = places[axis]
                        .sub(&Expr::constant(shift))
                        .and_then(|x| x.modulo(self.sizes[axis]));
                    places[axis] = shifted.map_err(expr_error)?;
                }
                self.clone().at(self.sizes, places)
            }
            "repeat" if self.is_torch => self.tiled(&given.all("repeats")?),
            "tile" => self.tiled(&given.all("reps")?),
            "repeat" | "repeat_interleave" => {
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
                let (mut sizes, mut places) =
                    (array.sizes.clone(), (0..array.sizes.len()).map(index).collect::<Vec<_>>());
                sizes[axis] = sizes[axis]
                    .checked_mul(times)
                    .ok_or_else(|| shape("the array is too large"))?;
                places[axis] = index(axis).floordiv(times).map_err(expr_error)?;
                array.at(sizes, places)
            }
            "broadcast_to" | "expand" => {
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
            "squeeze" => {
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
            "unsqueeze" | "expand_dims" => match given.all("axis")?[..] {
                [axis] => {
                    let place = if axis < 0 { axis + rank as i64 + 1 } else { axis };
                    let place = usize::try_from(place).ok().filter(|place| *place <= rank);
                    let mut sizes = self.sizes.clone();
                    sizes.insert(place.ok_or_else(|| shape("no such axis"))?, 1);
                    self.reshaped(&sizes)
                }
                _ => Err(shape("one axis is added")),
            },
            "unfold" | "sliding_window_view" => {
                let (axis, size, step) = match (name, &given.all("")?[..]) {
                    ("unfold", [axis, size, step]) if *step > 0 => {
                        (self.axis(*axis)?, *size, *step)
                    }
                    ("sliding_window_view", [size]) if rank == 1 => (0, *size, 1),
                    _ => {
                        return Err(shape(
                            "a window has a size, and of `unfold` a dimension and a step",
                        ));
                    }
                };
                let room = self.sizes[axis] - size;
                if room < 0 || size < 1 {
                    return Err(shape(format!(
                        "a window of {size} in a dimension of {}",
                        self.sizes[axis]
                    )));
                }
                let (mut sizes, mut places) = (self.sizes.clone(), own);
                (sizes[axis], places[axis]) = (
                    room / step + 1,
                    Expr::sum(0, [(step, index(axis)), (1, index(rank))]).map_err(expr_error)?,
                );
                sizes.push(size);
                self.at(sizes, places)
            }
            "as_strided" => {
                let sizes = match given.optional("shape", 0)? {
                    Some(sizes) => sizes,
                    None => given.numbers("size", 0)?,
                };
                let strides = self.strides(given.numbers("stride", 1)?)?;
                let offset = given
                    .optional("storage_offset", 2)?
                    .map_or(0, |offset| offset.first().copied().unwrap_or(0));
                if self.map.results() != own || sizes.len() != strides.len() {
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
                let terms =
                    strides.iter().enumerate().map(|(number, stride)| (*stride, index(number)));
                let place = Expr::sum(offset, terms).map_err(expr_error)?;
                let total = count(&self.sizes)?;
                self.reshaped(&[total])?.at(sizes, vec![place])
            }
            "pad" => self.padded(given),
            "pixel_shuffle" => self.shuffled(&given.all("upscale_factor")?, false),
            "pixel_unshuffle" => self.shuffled(&given.all("downscale_factor")?, true),
            "slice" => {
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
                    false => {
                        Err(shape("a slice has a start, an end and a step inside each dimension"))
                    }
                }
            }
            _ => Err(unknown(name)),
        }
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

    fn swapped(self, x: i64, y: i64) -> Result<Array, Error> {
        let mut axes: Vec<usize> = (0..self.sizes.len()).collect();
        axes.swap(self.axis(x)?, self.axis(y)?);
        self.permuted(&axes)
    }

    /// Permutes the dimensions: dimension `d` of the result is `axes[d]` of this array.
    fn permuted(self, axes: &[usize]) -> Result<Array, Error> {
        let mut places = vec![None; self.sizes.len()];
        for (number, axis) in axes.iter().enumerate() {
            if let Some(place) = places.get_mut(*axis) {
                *place = Some(index(number));
            }
        }
        let places: Option<Vec<Expr>> = places.into_iter().collect();
        let places = places.filter(|places| places.len() == axes.len());
        let places = places.ok_or_else(|| shape("each axis stands once"))?;
        let sizes = axes.iter().map(|axis| self.sizes[*axis]).collect();
        self.at(sizes, places)
    }

    /// Joins the dimensions from the first given one to the second.
    fn joined(self, given: &Given) -> Result<Array, Error> {
        let end = |name: &str, place: usize, usual: i64| {
            let found = given.optional(name, place)?.and_then(|axes| axes.first().copied());
            self.axis(found.unwrap_or(usual))
        };
        if self.sizes.is_empty() {
            return self.reshaped(&[-1]);
        }
        let (from, to) = (end("start_dim", 0, 0)?, end("end_dim", 1, -1)?);
        if from > to {
            return Err(shape("`flatten` joins the dimensions from a first to a last one"));
        }
        let joined = count(&self.sizes[from..=to])?;
        let sizes = [&self.sizes[..from], &[joined], &self.sizes[to + 1..]].concat();
        self.reshaped(&sizes)
    }

    /// Reshapes in row-major order `'C'`, or in column-major order `'F'`.
    fn in_order(self, sizes: &[i64], order: &str) -> Result<Array, Error> {
        match order.trim_matches(['\'', '"']) {
            "C" => self.reshaped(sizes),
            "F" => {
                let reversed = |rank: usize| (0..rank).rev().collect::<Vec<_>>();
                let own = reversed(self.sizes.len());
                let sizes: Vec<i64> = sizes.iter().rev().copied().collect();
                self.permuted(&own)?.reshaped(&sizes)?.permuted(&reversed(sizes.len()))
            }
            order => Err(shape(format!("the order `{order}` is not supported"))),
        }
    }

    /// Reshapes in row-major order; a size of -1 is the number of elements divided by the other sizes.
    pub fn reshaped(self, sizes: &[i64]) -> Result<Array, Error> {
        let total = count(&self.sizes)?;
        let known: Vec<i64> = sizes.iter().copied().filter(|size| *size != -1).collect();
        let known = count(&known)?;
        let sizes: Vec<i64> = sizes
            .iter()
            .map(|size| if *size == -1 { total.checked_div(known).unwrap_or(0) } else { *size })
            .collect();
        if count(&sizes)? != total {
            return Err(shape(format!("{total} elements are not those of sizes {sizes:?}")));
        }
        let (mut linear, mut stride) = (Expr::constant(0), 1);
        for (number, size) in sizes.iter().enumerate().rev() {
            linear = Expr::sum(0, [(1, linear), (stride, index(number))]).map_err(expr_error)?;
            stride *= size;
        }
        let (mut places, mut stride) = (Vec::new(), 1);
        for size in self.sizes.iter().rev() {
            let place = linear.floordiv(stride).and_then(|place| place.modulo(*size));
            places.insert(0, place.map_err(expr_error)?);
            stride *= size;
        }
        let strides = self.strides_of_view(&sizes).unwrap_or_else(|()| new_strides(&sizes));
        Ok(Array { strides, ..self.at(sizes, places)? })
    }

    fn tiled(self, times: &[i64]) -> Result<Array, Error> {
        let rank = times.len().max(self.sizes.len());
        let padded = |list: &[i64]| [vec![1; rank - list.len()], list.to_vec()].concat();
        let (times, own) = (padded(times), padded(&self.sizes));
        let added = rank - self.sizes.len();
        let places =
            (added..rank).map(|number| index(number).modulo(own[number]).map_err(expr_error));
        let places = places.collect::<Result<Vec<_>, _>>()?;
        let sizes: Option<Vec<i64>> =
            times.iter().zip(&own).map(|(times, own)| times.checked_mul(*own)).collect();
        self.at(sizes.ok_or_else(|| shape("the array is too large"))?, places)
    }
}
