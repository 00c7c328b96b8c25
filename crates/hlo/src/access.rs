//! Typed accessors for the attributes that index maps need, checked against ranks.
//!
//! Each returns an error of kind `hlo` that points at the attribute, or at the instruction if the attribute is missing.

use super::attribute::{
    Attribute, AttributeValue, ComputationReference, ConvolutionDimensions, PaddingDimension,
    SliceRange, WindowDimension,
};
use super::module::{ComputationId, Instruction};
use affinor_maps::text::Error;

/// The dimension numbers of a `dot`.
///
/// Batch lists have one length, contracting lists have one length, and on each side no dimension
/// is listed twice.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DotDimensions {
    /// Batch dimensions of the left operand; entry `i` pairs with entry `i` of `rhs_batch`.
    pub lhs_batch: Vec<usize>,
    /// Batch dimensions of the right operand.
    pub rhs_batch: Vec<usize>,
    /// Contracting dimensions of the left operand; entry `i` pairs with entry `i` of
    /// `rhs_contracting`.
    pub lhs_contracting: Vec<usize>,
    /// Contracting dimensions of the right operand.
    pub rhs_contracting: Vec<usize>,
}

/// The dimension numbers of a `gather`. Source: XLA, *Operation semantics*, "Gather".
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GatherDimensions {
    /// Dimensions of the output that index into a slice.
    pub offset: Vec<usize>,
    /// Dimensions of the operand that are of size 1 in a slice and left out of the output.
    pub collapsed_slice: Vec<usize>,
    /// Entry `k`: the operand dimension that element `k` of an index vector offsets.
    pub start_index_map: Vec<usize>,
    /// Batch dimensions of the operand; entry `i` pairs with entry `i` of `indices_batching`.
    pub operand_batching: Vec<usize>,
    /// Batch dimensions of the indices.
    pub indices_batching: Vec<usize>,
    /// The dimension of the indices that holds index vectors; their rank when each index is a
    /// scalar.
    pub index_vector: usize,
    /// The size of a slice in each operand dimension.
    pub slice_sizes: Vec<i64>,
}

/// The dimension numbers of a `scatter`. Source: XLA, *Operation semantics*, "Scatter".
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScatterDimensions {
    /// Dimensions of the updates that index into a window.
    pub update_window: Vec<usize>,
    /// Dimensions of the operand that are of size 1 in a window and left out of the updates.
    pub inserted_window: Vec<usize>,
    /// Entry `k`: the operand dimension that element `k` of an index vector offsets.
    pub scatter_to_operand: Vec<usize>,
    /// Batch dimensions of the operand; entry `i` pairs with entry `i` of `indices_batching`.
    pub operand_batching: Vec<usize>,
    /// Batch dimensions of the indices.
    pub indices_batching: Vec<usize>,
    /// The dimension of the indices that holds index vectors; their rank when each index is a
    /// scalar.
    pub index_vector: usize,
}

impl Instruction {
    /// `dimensions={..}` (broadcast, transpose, reverse, concatenate, reduce, ..): different
    /// numbers below `rank`.
    ///
    /// # Errors
    /// When it is missing, not a list of integers, out of range, or lists a dimension twice.
    pub fn dimensions(&self, rank: usize) -> Result<Vec<usize>, Error> {
        dimension_list(self.required("dimensions")?, rank)
    }

    /// Returns a list of different dimension numbers below `rank`; empty when the attribute is missing.
    ///
    /// # Errors
    /// When it is not a list of integers, out of range, or lists a dimension twice.
    pub fn optional_dimensions(&self, name: &str, rank: usize) -> Result<Vec<usize>, Error> {
        match self.attributes().get(name) {
            Some(attribute) => dimension_list(attribute, rank),
            None => Ok(Vec::new()),
        }
    }

    /// `iota_dimension=n`, below `rank`.
    ///
    /// # Errors
    /// When it is missing, not an integer, or out of range.
    pub fn iota_dimension(&self, rank: usize) -> Result<usize, Error> {
        let attribute = self.required("iota_dimension")?;
        dimension(attribute, integer(attribute)?, rank)
    }

    /// `index=n` of a `get-tuple-element`.
    ///
    /// # Errors
    /// When it is missing, not an integer, or negative.
    pub fn tuple_index(&self) -> Result<usize, Error> {
        let attribute = self.required("index")?;
        usize::try_from(integer(attribute)?)
            .map_err(|_| attribute.error("a tuple index is at least 0"))
    }

    /// `slice={[start:limit:stride], ..}`, one range for each of `rank` dimensions.
    ///
    /// # Errors
    /// When it is missing, not a list of ranges, or for another rank.
    pub fn slice_ranges(&self, rank: usize) -> Result<&[SliceRange], Error> {
        let attribute = self.required("slice")?;
        match attribute.value() {
            AttributeValue::Slices(ranges) => of_length(attribute, ranges, rank, "ranges"),
            _ => Err(expected(attribute, "ranges such as `{[0:4], [1:9:2]}`")),
        }
    }

    /// `padding=low_high_interior x ..`, one for each of `rank` dimensions.
    ///
    /// # Errors
    /// When it is missing, not a padding, or for another rank.
    pub fn padding(&self, rank: usize) -> Result<&[PaddingDimension], Error> {
        let attribute = self.required("padding")?;
        match attribute.value() {
            AttributeValue::Padding(padding) => of_length(attribute, padding, rank, "dimensions"),
            _ => Err(expected(attribute, "a padding such as `1_4_1x4_8_0`")),
        }
    }

    /// `window={size=..}`, with `rank` dimensions; a missing window has none.
    ///
    /// # Errors
    /// When it is not a window, or for another rank.
    pub fn window(&self, rank: usize) -> Result<&[WindowDimension], Error> {
        let Some(attribute) = self.attributes().get("window") else {
            return match rank {
                0 => Ok(&[]),
                _ => Err(self.missing("window")),
            };
        };
        match attribute.value() {
            AttributeValue::Window(window) => of_length(attribute, window, rank, "dimensions"),
            _ => Err(expected(attribute, "a window such as `{size=3x3 pad=1_1x1_1}`")),
        }
    }

    /// `dim_labels=..` of a convolution.
    ///
    /// # Errors
    /// When it is missing or not of that form.
    pub fn convolution_dimensions(&self) -> Result<&ConvolutionDimensions, Error> {
        let attribute = self.required("dim_labels")?;
        match attribute.value() {
            AttributeValue::Convolution(dimensions) => Ok(dimensions),
            _ => Err(expected(attribute, "labels such as `b01f_01io->b01f`")),
        }
    }

    /// `lhs_batch_dims` and so on of a `dot` whose operands have these ranks. A missing list is
    /// empty.
    ///
    /// # Errors
    /// When a list is out of range, lists a dimension twice, or does not match its partner.
    pub fn dot_dimensions(&self, lhs_rank: usize, rhs_rank: usize) -> Result<DotDimensions, Error> {
        let dimensions = DotDimensions {
            lhs_batch: self.optional_dimensions("lhs_batch_dims", lhs_rank)?,
            rhs_batch: self.optional_dimensions("rhs_batch_dims", rhs_rank)?,
            lhs_contracting: self.optional_dimensions("lhs_contracting_dims", lhs_rank)?,
            rhs_contracting: self.optional_dimensions("rhs_contracting_dims", rhs_rank)?,
        };
        self.paired("lhs_batch_dims", "rhs_batch_dims")?;
        self.paired("lhs_contracting_dims", "rhs_contracting_dims")?;
        self.disjoint("lhs_contracting_dims", "lhs_batch_dims")?;
        self.disjoint("rhs_contracting_dims", "rhs_batch_dims")?;
        Ok(dimensions)
    }

    /// Returns the dimension numbers of a `gather` whose operand, indices and output have these ranks.
    ///
    /// # Errors
    /// When a list is out of range, lists a dimension twice, or does not match its partner.
    pub fn gather_dimensions(
        &self,
        operand_rank: usize,
        indices_rank: usize,
        output_rank: usize,
    ) -> Result<GatherDimensions, Error> {
        let dimensions = GatherDimensions {
            offset: self.optional_dimensions("offset_dims", output_rank)?,
            collapsed_slice: self.optional_dimensions("collapsed_slice_dims", operand_rank)?,
            start_index_map: self.optional_dimensions("start_index_map", operand_rank)?,
            operand_batching: self.optional_dimensions("operand_batching_dims", operand_rank)?,
            indices_batching: self
                .optional_dimensions("start_indices_batching_dims", indices_rank)?,
            index_vector: self.index_vector_dimension(indices_rank)?,
            slice_sizes: self.sizes("slice_sizes", operand_rank)?.to_vec(),
        };
        self.paired("operand_batching_dims", "start_indices_batching_dims")?;
        self.disjoint("operand_batching_dims", "collapsed_slice_dims")?;
        self.disjoint("operand_batching_dims", "start_index_map")?;
        Ok(dimensions)
    }

    /// Returns the dimension numbers of a `scatter` whose operand, indices and updates have these ranks.
    ///
    /// # Errors
    /// When a list is out of range, lists a dimension twice, or does not match its partner.
    pub fn scatter_dimensions(
        &self,
        operand_rank: usize,
        indices_rank: usize,
        updates_rank: usize,
    ) -> Result<ScatterDimensions, Error> {
        let dimensions = ScatterDimensions {
            update_window: self.optional_dimensions("update_window_dims", updates_rank)?,
            inserted_window: self.optional_dimensions("inserted_window_dims", operand_rank)?,
            scatter_to_operand: self
                .optional_dimensions("scatter_dims_to_operand_dims", operand_rank)?,
            operand_batching: self.optional_dimensions("input_batching_dims", operand_rank)?,
            indices_batching: self
                .optional_dimensions("scatter_indices_batching_dims", indices_rank)?,
            index_vector: self.index_vector_dimension(indices_rank)?,
        };
        self.paired("input_batching_dims", "scatter_indices_batching_dims")?;
        self.disjoint("input_batching_dims", "inserted_window_dims")?;
        self.disjoint("input_batching_dims", "scatter_dims_to_operand_dims")?;
        Ok(dimensions)
    }

    /// `dynamic_slice_sizes={..}`, one size for each of `rank` dimensions.
    ///
    /// # Errors
    /// When it is missing, not a list of integers, negative, or for another rank.
    pub fn dynamic_slice_sizes(&self, rank: usize) -> Result<&[i64], Error> {
        self.sizes("dynamic_slice_sizes", rank)
    }

    /// Returns an integer of at least 1, or 1 when missing: `feature_group_count`, `batch_group_count`.
    ///
    /// # Errors
    /// When it is not an integer of at least 1.
    pub fn group_count(&self, name: &str) -> Result<i64, Error> {
        let Some(attribute) = self.attributes().get(name) else {
            return Ok(1);
        };
        match integer(attribute)? {
            count if count >= 1 => Ok(count),
            _ => Err(attribute.error("a group count is at least 1")),
        }
    }

    /// Returns the computation that attribute `name` refers to (`calls`, `to_apply`, `body`, ..), whether or not the text defines
    /// it.
    ///
    /// # Errors
    /// When it is missing or not one computation.
    pub fn computation_reference(&self, name: &str) -> Result<&ComputationReference, Error> {
        let attribute = self.required(name)?;
        match attribute.value() {
            AttributeValue::Computation(reference) => Ok(reference),
            _ => Err(expected(attribute, "the name of a computation")),
        }
    }

    /// Returns the computation that attribute `name` refers to.
    ///
    /// # Errors
    /// When it is missing, not one computation, or not defined in the text.
    pub fn called(&self, name: &str) -> Result<ComputationId, Error> {
        self.computation_reference(name)?.resolve()
    }

    /// Returns the computations of a `conditional`: `branch_computations`, or `true_computation` and `false_computation`.
    ///
    /// # Errors
    /// When they are missing or not defined in the text.
    pub fn branches(&self) -> Result<Vec<ComputationId>, Error> {
        let Some(attribute) = self.attributes().get("branch_computations") else {
            return Ok(vec![self.called("true_computation")?, self.called("false_computation")?]);
        };
        match attribute.value() {
            AttributeValue::Computations(references) => {
                references.iter().map(ComputationReference::resolve).collect()
            }
            _ => Err(expected(attribute, "names of computations in braces")),
        }
    }

    /// Returns the values of a `constant`, in row-major order; `None` when they are not integers or left out of the text.
    ///
    /// # Errors
    /// When their number is not that of the elements of the shape.
    pub fn constant_integers(&self) -> Result<Option<Vec<i64>>, Error> {
        let Some(values) = self.literal().and_then(|literal| literal.integers()) else {
            return Ok(None);
        };
        let Some(count) = self.shape().as_array().and_then(|a| a.element_count()) else {
            return Ok(None);
        };
        if i64::try_from(values.len()) == Ok(count) {
            return Ok(Some(values));
        }
        Err(self.error(format!(
            "the constant has {} values, but its shape has {count} elements",
            values.len()
        )))
    }

    /// Returns the value of a key of the backend config, at any depth.
    #[must_use]
    pub fn backend_config(&self, key: &str) -> Option<serde_json::Value> {
        use serde_json::Value as Json;
        let attribute = self.attributes().get("backend_config")?;
        let config = match attribute.value() {
            AttributeValue::Text(text) => serde_json::from_str(text).ok()?,
            AttributeValue::String(text) => serde_json::from_str(&format!("\"{text}\"")).ok()?,
            _ => return None,
        };
        // Older versions print it in quotes.
        let config = match config {
            Json::String(text) => serde_json::from_str(&text).ok()?,
            config => config,
        };
        let mut pending: Vec<&Json> = vec![&config];
        while let Some(Json::Object(object)) = pending.pop() {
            if let Some(found) = object.get(key) {
                return Some(found.clone());
            }
            pending.extend(object.values().filter(|value| value.is_object()));
        }
        None
    }

    fn required(&self, name: &str) -> Result<&Attribute, Error> {
        self.attributes().get(name).ok_or_else(|| self.missing(name))
    }

    fn missing(&self, name: &str) -> Error {
        self.error(format!("`{}` needs the attribute `{name}`", self.opcode()))
            .hint(format!("add `, {name}=..` after the operands"))
    }

    fn index_vector_dimension(&self, indices_rank: usize) -> Result<usize, Error> {
        let attribute = self.required("index_vector_dim")?;
        // One past the last dimension means that each index is a scalar.
        dimension(attribute, integer(attribute)?, indices_rank.saturating_add(1))
    }

    fn sizes(&self, name: &str, rank: usize) -> Result<&[i64], Error> {
        let attribute = self.required(name)?;
        let sizes = of_length(attribute, integers(attribute)?, rank, "sizes")?;
        match sizes.iter().find(|&&size| size < 0) {
            None => Ok(sizes),
            Some(size) => Err(attribute.error(format!("a size is at least 0, not {size}"))),
        }
    }

    /// Returns a list of integers; empty when the attribute is missing.
    fn listed(&self, name: &str) -> Result<&[i64], Error> {
        Ok(self.numbers(name)?.unwrap_or_default())
    }

    fn paired(&self, lhs: &str, rhs: &str) -> Result<(), Error> {
        let (left, right) = (self.listed(lhs)?.len(), self.listed(rhs)?.len());
        if left == right {
            return Ok(());
        }
        let message = format!("`{lhs}` and `{rhs}` differ in length: {left} and {right}");
        let given = self.attributes().get(rhs).map_or(lhs, |_| rhs);
        Err(self.required(given)?.error(message))
    }

    fn disjoint(&self, name: &str, other: &str) -> Result<(), Error> {
        let other = self.listed(other)?;
        match self.listed(name)?.iter().find(|d| other.contains(d)) {
            None => Ok(()),
            Some(dimension) => Err(self
                .required(name)?
                .error(format!("dimension {dimension} of an operand has two roles"))),
        }
    }
}

/// Returns the error that the attribute is not `what`.
pub(super) fn expected(attribute: &Attribute, what: &str) -> Error {
    if let AttributeValue::Wrong(_, error) = attribute.value() {
        return (**error).clone();
    }
    attribute.error(format!("expected {what} in `{}`", attribute.name()))
}

pub(super) fn integer(attribute: &Attribute) -> Result<i64, Error> {
    match attribute.value() {
        AttributeValue::Integer(value) => Ok(*value),
        _ => Err(expected(attribute, "an integer")),
    }
}

pub(super) fn integers(attribute: &Attribute) -> Result<&[i64], Error> {
    match attribute.value() {
        AttributeValue::Integers(values) => Ok(values),
        _ => Err(expected(attribute, "integers such as `{0,1}`")),
    }
}

fn of_length<'a, T>(
    attribute: &Attribute,
    list: &'a [T],
    rank: usize,
    what: &str,
) -> Result<&'a [T], Error> {
    if list.len() == rank {
        return Ok(list);
    }
    Err(attribute.error(format!(
        "expected {rank} {what} in `{}`, found {}",
        attribute.name(),
        list.len()
    )))
}

fn dimension(attribute: &Attribute, number: i64, rank: usize) -> Result<usize, Error> {
    match usize::try_from(number) {
        Ok(number) if number < rank => Ok(number),
        _ => Err(attribute.error(format!(
            "expected dimension numbers from 0 to below {rank} in `{}`, found {number}",
            attribute.name()
        ))),
    }
}

fn dimension_list(attribute: &Attribute, rank: usize) -> Result<Vec<usize>, Error> {
    let mut seen = vec![false; rank];
    integers(attribute)?
        .iter()
        .map(|&number| {
            let number = dimension(attribute, number, rank)?;
            match std::mem::replace(&mut seen[number], true) {
                false => Ok(number),
                true => Err(attribute
                    .error(format!("`{}` lists dimension {number} twice", attribute.name()))),
            }
        })
        .collect()
}
