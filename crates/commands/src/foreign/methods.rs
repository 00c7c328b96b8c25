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
        match name {
            "is_contiguous" if given.is_empty() => {
                let asked = Some(self.is_contiguous()?);
                Ok(Array { asked, ..self })
            }
            "stride" => self.stride(given),
            "size" if given.is_empty() => {
                let sizes = self.sizes.clone();
                Ok(self.numbers(&sizes))
            }
            "numel" => {
                let total = count(&self.sizes)?;
                Ok(self.numbers(&[total]))
            }
            "diagonal" | "diag" if rank == 2 => self.diagonal(given),
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
            "transpose" | "trans" | "permute" | "permute_dims" => self.transposed(name, given),
            "t" if rank <= 2 => self.called("transpose", &Given::of("")),
            "swapaxes" | "swapdims" => match given.all("")?[..] {
                [x, y] => self.swapped(x, y),
                _ => Err(shape("two axes change places")),
            },
            "moveaxis" | "movedim" => self.with_moved_axis(given),
            "flip" | "rev" | "fliplr" | "flipud" => self.flipped(name, given),
            "roll" => self.rolled(given),
            "repeat" if self.is_torch => self.tiled(&given.all("repeats")?),
            "tile" => self.tiled(&given.all("reps")?),
            "repeat" | "repeat_interleave" => self.repeated(given),
            "broadcast_to" | "expand" => self.broadcast(given),
            "squeeze" => self.squeezed(given),
            "unsqueeze" | "expand_dims" => self.unsqueezed(given),
            "unfold" | "sliding_window_view" => self.windows(name, given),
            "as_strided" => self.strided(given),
            "pad" => self.padded(given),
            "pixel_shuffle" => self.shuffled(&given.all("upscale_factor")?, false),
            "pixel_unshuffle" => self.shuffled(&given.all("downscale_factor")?, true),
            "slice" => self.sliced(given),
            _ => Err(unknown(name)),
        }
    }

    pub(super) fn swapped(self, x: i64, y: i64) -> Result<Array, Error> {
        let mut axes: Vec<usize> = (0..self.sizes.len()).collect();
        axes.swap(self.axis(x)?, self.axis(y)?);
        self.permuted(&axes)
    }

    /// Permutes the dimensions: dimension `d` of the result is `axes[d]` of this array.
    pub(super) fn permuted(self, axes: &[usize]) -> Result<Array, Error> {
        let mut places = vec![None; self.sizes.len()];
        for (number, axis) in axes.iter().enumerate() {
            if let Some(place) = places.get_mut(*axis) {
                *place = Some(index(number));
            }
        }
        let places: Option<Vec<Expr>> = places.into_iter().collect();
        let places = places.filter(|places| places.len() == axes.len());
        let places = places.ok_or_else(|| shape("each axis is written once"))?;
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
