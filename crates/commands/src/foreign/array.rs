//! Arrays of NumPy, PyTorch and JAX that are reshaped, transposed and sliced: `np.arange(12).reshape(3, 4)[1:, ::-1]`.
//!
//! Law: an array is the map from its own index to the index of the original array, or for `arange` to the value. Each operation
//! composes this map with the map of its own index, as the libraries document it. Sizes and axes are numbers.

use super::indices::row_major;
use super::numbers::{Given, integers, number};
use crate::given::expr_error;
use crate::session::View;
use crate::table::Call;
use affinor::expr::{Domain, Expr, IndexingMap, Variable, VariableId, VariableKind};
use affinor::num::Interval;
use affinor::text::{Error, ErrorKind, is_name};

const MODULES: [&str; 19] = [
    "np",
    "numpy",
    "jnp",
    "jax.numpy",
    "torch",
    "lax",
    "jax.lax",
    "np.lib.stride_tricks",
    "numpy.lib.stride_tricks",
    "np.random",
    "numpy.random",
    "torch.nn.functional",
    "nn.functional",
    "F",
    "tl",
    "cp",
    "cupy",
    "mx",
    "tf",
];
const MADE: [&str; 10] = [
    "zeros",
    "ones",
    "empty",
    "full",
    "rand",
    "randn",
    "random",
    "zeros_like",
    "ones_like",
    "iota",
];

const METHODS: [&str; 35] = [
    "t",
    "as_strided",
    "reshape",
    "view",
    "flatten",
    "ravel",
    "transpose",
    "permute",
    "swapaxes",
    "moveaxis",
    "flip",
    "rev",
    "roll",
    "repeat",
    "tile",
    "broadcast_to",
    "expand",
    "squeeze",
    "unsqueeze",
    "expand_dims",
    "unfold",
    "slice",
    "sliding_window_view",
    "pad",
    "pixel_shuffle",
    "pixel_unshuffle",
    "narrow",
    "select",
    "chunk",
    "split",
    "take",
    "index_select",
    "stride",
    "is_contiguous",
    "trans",
];

/// The maximum number of dimensions.
pub const MAX_RANK: usize = 16;

/// The distance in memory between neighbours along each dimension, in elements.
pub type Strides = Option<Vec<Option<i64>>>;

/// Returns the strides of a new array of these sizes.
pub fn new_strides(sizes: &[i64]) -> Strides {
    Some(row_major(sizes)?.into_iter().map(Some).collect())
}

/// Returns whether a method has several results, one of which a subscript selects.
pub fn is_several(name: &str) -> bool {
    matches!(
        name,
        "chunk" | "split" | "array_split" | "hsplit" | "vsplit" | "unbind" | "tensor_split"
    )
}

/// An array as a map from its index.
#[derive(Clone, Debug)]
pub struct Array {
    pub sizes: Vec<i64>,
    pub map: IndexingMap,
    /// Whether it is an array of PyTorch, two of whose methods differ from NumPy's.
    pub is_torch: bool,
    /// The bytes of an element, if they are known.
    pub item: Option<i64>,
    /// The strides in elements, as far as they are known.
    pub strides: Strides,
    /// A line that is asked about the array, instead of its map.
    pub asked: Option<String>,
}

impl Call<'_> {
    /// Parses the array that a text describes; returns `None` if it describes none.
    pub fn array(&self, text: &str) -> Option<Result<Array, Error>> {
        let names = |name: &str| {
            let map = self.session.map(name)?;
            let (is_code, view) = (self.session.is_code(name), self.session.views.get(name));
            Some(Known { map: map.clone(), is_code, view: view.cloned() })
        };
        array(text, &names)
    }
}

/// The meaning of a name.
pub struct Known {
    pub map: IndexingMap,
    /// Whether it may represent a vector of code.
    pub is_code: bool,
    /// How it is stored, if it is an array.
    pub view: Option<View>,
}

impl Known {
    fn array(self) -> Option<Result<Array, Error>> {
        let View { is_torch, item, strides } = self.view.unwrap_or_default();
        Some(of_map(self.map)?.map(|array| Array { is_torch, item, strides, ..array }))
    }
}

/// Looks up a name.
pub type Names<'n> = &'n dyn Fn(&str) -> Option<Known>;

/// Parses the array that a text describes; returns `None` if it describes none. A bare `arange` is left to code.
///
/// # Errors
/// [`ErrorKind::Shape`] for sizes that do not fit together, [`ErrorKind::Unsupported`] for other functions of arrays.
pub fn array(text: &str, names: Names) -> Option<Result<Array, Error>> {
    let text = text.trim();
    if let Some(groups) = groups(text) {
        return Some(groups);
    }
    // As Inductor writes it.
    let of_inductor =
        |name: &str| text.strip_prefix(name).map(|rest| rest.find('(').map(|at| &rest[at..]));
    let text = &match (of_inductor("empty_strided"), of_inductor("reinterpret_tensor")) {
        (Some(Some(rest)), _) => format!("torch.empty_strided{rest}"),
        (_, Some(Some(rest))) => format!("torch.reinterpret_tensor{rest}"),
        _ => text.to_owned(),
    };
    let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.'));
    let end = end.unwrap_or(text.len());
    let (mut head, mut rest) = text.split_at(end);
    if !rest.starts_with('(') || !is_function(head) {
        // A name, with a method or a subscript after it.
        let name = head.split('.').next()?;
        (head, rest) = (name, &text[name.len()..]);
    }
    let behind = match rest.starts_with('(') {
        true => &rest[closing(rest)? + 1..],
        false => rest,
    };
    if !is_chain(behind) || rest.starts_with('(') && !is_function(head) {
        return None;
    }
    let is_unknown = |name: &str| is_name(name) && names(name).is_none();
    let start = match rest.starts_with('(') && is_function(head) {
        true => {
            let close = closing(rest)?;
            let (module, name) = head.rsplit_once('.')?;
            let given = Given::of(&rest[1..close]);
            rest = &rest[close + 1..];
            match name {
                "arange" if !rest.starts_with('.') && !cuts(rest) => return None,
                "arange" => arange(&given),
                _ if module == "tl" && !METHODS.contains(&name) => return None,
                "empty_strided" => strided(&given),
                "reinterpret_tensor" => strided(&given.rest()),
                // Whatever the sizes are, the elements are at these places.
                "as_strided" if is_of_torch(module) && is_unknown(given.first()?) => {
                    strided(&given.rest())
                }
                _ if MADE.contains(&name) => made(name, &given),
                _ => {
                    let first = given.first()?;
                    let of = array(first, names).or_else(|| whole(first, names));
                    let of = match of {
                        Some(of) => of,
                        None if is_name(first) && METHODS.contains(&name) => Err(no_sizes(first)),
                        None => return None,
                    };
                    let is_torch = is_of_torch(module);
                    let of = of.map(|of| Array { is_torch, ..of });
                    if is_several(name) {
                        // `np.split(x, 4)[1]` is `x.split(4)[1]`.
                        let (_, other) = text.split_once(first)?;
                        let other = other.trim_start().trim_start_matches(',');
                        rest = "";
                        of.and_then(|of| of.steps(&format!(".{name}({other}")))
                    } else {
                        of.and_then(|of| of.called(name, &given.rest()))
                    }
                }
            }
            .map(|array| Array { is_torch: is_of_torch(module), ..array })
        }
        false => {
            let Some(known) = names(head) else {
                let method = rest.strip_prefix('.')?.split('(').next()?;
                let is_asked = METHODS.contains(&method) && rest.contains('(') || method == "T";
                return (is_asked && is_name(head)).then(|| Err(no_sizes(head)));
            };
            if rest.trim().is_empty() || known.is_code && !cuts(rest) {
                return None;
            }
            known.array()?
        }
    };
    Some(start.and_then(|array| array.steps(rest)))
}

/// Returns a new array of these sizes and strides, over the memory that it needs; an offset may follow.
fn strided(given: &Given) -> Result<Array, Error> {
    let (sizes, strides) = (given.numbers("size", 0)?, given.numbers("stride", 1)?);
    let offset = match given.texts().get(2) {
        Some(text) if !text.contains(['=', '.', '\'', '"']) => number(text)?,
        _ => 0, // a type or a device
    };
    let last = |(size, stride): (&i64, &i64)| size.checked_sub(1)?.checked_mul(*stride);
    let ends: Option<Vec<i64>> = sizes.iter().zip(&strides).map(last).collect();
    let start = offset.checked_add(1);
    let end = ends
        .zip(start)
        .and_then(|(ends, start)| ends.iter().try_fold(start, |end, last| end.checked_add(*last)));
    let end = end.filter(|end| *end > 0 && *end < 1 << 40 && sizes.len() == strides.len());
    let end = end.ok_or_else(|| shape("each size has a stride, and all elements a place"))?;
    let [sizes, strides] =
        [sizes, strides].map(|list| list.iter().map(i64::to_string).collect::<Vec<_>>().join(", "));
    let array = Array { is_torch: true, ..arange_to(end)? };
    array.called("as_strided", &Given::of(&format!("({sizes},), ({strides},), {offset}")))
}

/// Parses `[2,4]<=[4,2]T(1,0)`, HLO's notation for groups of devices, as the device at each index.
fn groups(text: &str) -> Option<Result<Array, Error>> {
    let text = text.strip_prefix("sharding=").unwrap_or(text);
    let text = text.trim_matches(['{', '}']);
    let text = ["replica_groups=", "devices="]
        .iter()
        .find_map(|word| text.strip_prefix(word))
        .unwrap_or(text);
    let (to, from) = text.strip_prefix('[')?.split_once("]<=[")?;
    let (from, order) = from.split_once(']')?;
    let read = || {
        let (to, from) = (integers(to)?, integers(from)?);
        let array = arange_to(count(&from)?)?.reshaped(&from)?;
        let order = order.trim();
        let array = match order.strip_prefix("T(").and_then(|order| order.strip_suffix(')')) {
            Some(axes) => array.called("transpose", &Given::of(axes))?,
            None if order.is_empty() => array,
            None => return Err(unknown(order)),
        };
        array.reshaped(&to)
    };
    Some(read())
}

/// Returns the array that a bare name, or an `arange` with subscripts, represents.
pub fn whole(name: &str, names: Names) -> Option<Result<Array, Error>> {
    let made = name.find('(').map(|open| name.split_at(open));
    match made.filter(|(head, _)| is_function(head) && head.ends_with(".arange")) {
        Some((_, rest)) => {
            let close = closing(rest)?;
            let array = arange(&Given::of(&rest[1..close]));
            Some(array.and_then(|array| array.steps(&rest[close + 1..])))
        }
        None => names(name)?.array(),
    }
}

fn no_sizes(name: &str) -> Error {
    let error = shape(format!("the sizes of `{name}` are not known"));
    error.hint(format!("name an array of them: `{name} = np.zeros((8, 10))`"))
}

fn is_function(head: &str) -> bool {
    head.rsplit_once('.').is_some_and(|(module, _)| MODULES.contains(&module))
}

/// Returns whether the text consists of methods and subscripts only.
fn is_chain(text: &str) -> bool {
    let text = text.trim();
    let behind = text.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_' || c == '.');
    let is_method = behind.len() == text.len() || text.starts_with('.');
    match behind.starts_with(['(', '[']) {
        true => is_method && closing(behind).is_some_and(|close| is_chain(&behind[close + 1..])),
        false => is_method && behind.is_empty(),
    }
}

/// Returns whether the first subscript is a slice with numbers.
fn cuts(rest: &str) -> bool {
    let inner =
        rest.strip_prefix('[').and_then(|rest| rest.split_once(']')).map(|(inner, _)| inner);
    inner.is_some_and(|inner| inner.contains(':') && inner.contains(|c: char| c.is_ascii_digit()))
}

/// Returns the position of the bracket that closes the first one.
pub fn closing(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    text.char_indices().find_map(|(at, letter)| {
        match letter {
            '(' | '[' => depth += 1,
            ')' | ']' if depth <= 1 => return Some(at),
            ')' | ']' => depth -= 1,
            _ => {}
        }
        None
    })
}

pub fn of_map(map: IndexingMap) -> Option<Result<Array, Error>> {
    let domain = map.domain();
    let variables = domain.variables();
    let is_box = domain.constraints().is_empty()
        && variables
            .iter()
            .all(|variable| variable.kind == VariableKind::Dimension && variable.bounds.lo() == 0);
    let sizes: Option<Vec<i64>> = variables
        .iter()
        .map(|variable| variable.bounds.hi().checked_add(1).filter(|size| *size < 1 << 40))
        .collect();
    let sizes = sizes.filter(|_| is_box)?;
    Some(Ok(Array { sizes, map, is_torch: false, item: None, strides: None, asked: None }))
}

pub fn shape(message: impl Into<String>) -> Error {
    Error::without_span(ErrorKind::Shape, message.into())
}

pub fn index(number: usize) -> Expr {
    Expr::variable(VariableId(number as u32))
}

pub fn boxed(sizes: &[i64]) -> Result<Domain, Error> {
    if sizes.iter().any(|size| *size < 1) {
        return Err(shape("an array has elements"));
    }
    let bounds: Vec<Interval> = sizes.iter().map(|size| Interval::new(0, size - 1)).collect();
    bounded(&bounds)
}

pub fn bounded(bounds: &[Interval]) -> Result<Domain, Error> {
    if bounds.len() > MAX_RANK {
        return Err(shape("an array has at most 16 dimensions"));
    }
    let variables = bounds.iter().enumerate().map(|(number, bounds)| {
        Variable::new(format!("d{number}"), VariableKind::Dimension, *bounds)
    });
    Ok(Domain::new(variables.collect()))
}

pub fn count(sizes: &[i64]) -> Result<i64, Error> {
    let product = sizes.iter().try_fold(1i64, |product, size| product.checked_mul(*size));
    product.filter(|count| *count < 1 << 40).ok_or_else(|| shape("the array has too many elements"))
}

fn new(sizes: Vec<i64>) -> Result<Array, Error> {
    let results = (0..sizes.len()).map(index).collect();
    count(&sizes)?;
    of_new(IndexingMap::new(boxed(&sizes)?, results), sizes)
}

/// Returns an array that shares its elements with no other.
fn of_new(map: IndexingMap, sizes: Vec<i64>) -> Result<Array, Error> {
    let strides = new_strides(&sizes);
    Ok(Array { map, sizes, is_torch: false, item: None, strides, asked: None })
}

fn made(name: &str, given: &Given) -> Result<Array, Error> {
    match name {
        "full" => new(given.numbers("shape", 0)?),
        "zeros_like" | "ones_like" | "iota" => Err(unknown(name)),
        _ => {
            let array = new(given.without("memory_format").all("size")?)?;
            Array { item: item(given), ..array }.in_format(given)
        }
    }
}

impl Array {
    /// Stores the elements in the order that `memory_format=torch.channels_last` asks for: the channels are innermost.
    ///
    /// # Errors
    /// For other formats, and other numbers of dimensions.
    pub fn in_format(self, given: &Given) -> Result<Array, Error> {
        let format = given
            .named("memory_format")
            .map_or("contiguous_format", |name| name.trim_start_matches("torch."));
        let rank = self.sizes.len();
        match format {
            "contiguous_format" => Ok(Array { strides: new_strides(&self.sizes), ..self }),
            "preserve_format" => Ok(self),
            "channels_last" | "channels_last_3d"
                if rank == 4 + usize::from(format.ends_with("3d")) =>
            {
                let (channels, mut sizes) = (self.sizes[1], self.sizes.clone());
                sizes.remove(1);
                sizes.push(channels);
                let strides = new_strides(&sizes).map(|mut strides| {
                    let channels = strides.pop();
                    strides.splice(1..1, channels);
                    strides
                });
                Ok(Array { strides, ..self })
            }
            _ => {
                let message =
                    format!("the format `{format}` of {rank} dimensions is not supported");
                Err(Error::without_span(ErrorKind::Unsupported, message))
            }
        }
    }
}

fn arange(given: &Given) -> Result<Array, Error> {
    let (lo, hi, step) = match given.all("")?[..] {
        [hi] => (0, hi, 1),
        [lo, hi] => (lo, hi, 1),
        [lo, hi, step] if step != 0 => (lo, hi, step),
        _ => return Err(shape("`arange` takes an end, or a start, an end and a step")),
    };
    let size = length(lo, hi, step)?;
    let value = Expr::sum(lo, [(step, index(0))]).map_err(expr_error)?;
    let array = of_new(IndexingMap::new(boxed(&[size])?, vec![value]), vec![size])?;
    Ok(Array { item: item(given), ..array })
}

fn arange_to(size: i64) -> Result<Array, Error> {
    of_new(IndexingMap::new(boxed(&[size])?, vec![index(0)]), vec![size])
}

/// Returns the bytes of an element: 8 in NumPy, unless the type has a different number of bits.
fn item(given: &Given) -> Option<i64> {
    let Some(of) = given.named("dtype") else {
        return Some(8);
    };
    let name = of.trim_matches(['\'', '"']).rsplit('.').next()?;
    match name.trim_start_matches(|c: char| c.is_ascii_alphabetic()) {
        "" if matches!(name, "int" | "float") => Some(8),
        "" if matches!(name, "bool" | "byte") => Some(1),
        bits => bits.parse::<i64>().ok().filter(|bits| bits % 8 == 0).map(|bits| bits / 8),
    }
}

fn is_of_torch(module: &str) -> bool {
    module.starts_with("torch") || matches!(module, "nn.functional" | "F")
}

/// Returns the number of values from `lo` to `hi`, exclusive, by `step`.
pub fn length(lo: i64, hi: i64, step: i64) -> Result<i64, Error> {
    let apart = i128::from(hi) - i128::from(lo);
    let steps = (apart * i128::from(step.signum()) + i128::from(step.unsigned_abs()) - 1)
        .div_euclid(i128::from(step.unsigned_abs()));
    i64::try_from(steps)
        .ok()
        .filter(|steps| *steps > 0)
        .ok_or_else(|| shape("the slice has no elements"))
}

pub fn unknown(name: &str) -> Error {
    let message = format!("`{name}` of arrays is not supported");
    let error = Error::without_span(ErrorKind::Unsupported, message);
    error.hint("supported are reshape, view, transpose, permute, swapaxes, flip, roll, repeat, tile, broadcast_to, expand, squeeze, unsqueeze, unfold, pad, pixel_shuffle, narrow, chunk, split, take, slices and einsum; others are asked about by `op`")
}
