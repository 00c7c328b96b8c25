//! Attributes of instructions, computations and modules: `name=value` after the operands.
//!
//! Law: nothing is dropped. An attribute whose value has no form of its own here is kept as text.
//! Values with a form of their own were checked when they were read, so that `slice`, `window` or
//! `padding` cannot hold a stride of 0 or lists of different lengths.

use super::module::ComputationId;
use super::shape::Shape;
use crate::text::{Error, ErrorKind, Span};
use std::sync::Arc;

/// The attributes of one thing, in the order of the text; no name occurs twice.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Attributes {
    pub(super) list: Vec<Attribute>,
}

impl Attributes {
    /// All of them, in the order of the text.
    pub fn iter(&self) -> impl Iterator<Item = &Attribute> {
        self.list.iter()
    }

    /// The attribute called `name`.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Attribute> {
        self.list.iter().find(|attribute| &*attribute.name == name)
    }

    /// Every reference to a computation, in the order of the text.
    pub fn computations(&self) -> impl Iterator<Item = &ComputationReference> {
        self.list
            .iter()
            .flat_map(|attribute| match &attribute.value {
                AttributeValue::Computation(reference) => std::slice::from_ref(reference),
                AttributeValue::Computations(references) => references,
                _ => &[],
            })
    }

    /// The attributes whose values have a form that is not known.
    pub fn unread(&self) -> impl Iterator<Item = &Attribute> {
        let is_unread = |value: &AttributeValue| matches!(value, AttributeValue::Unread(_));
        self.iter()
            .filter(move |attribute| is_unread(&attribute.value))
    }

    /// The first reference to a computation that the text does not define: only a snippet has any.
    #[must_use]
    pub fn undefined_computation(&self) -> Option<&ComputationReference> {
        self.computations()
            .find(|reference| reference.target.is_none())
    }
}

/// One `name=value`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Attribute {
    pub(super) name: Arc<str>,
    pub(super) value: AttributeValue,
    pub(super) span: Span,
}

impl Attribute {
    /// The name in front of `=`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What stands behind `=`.
    #[must_use]
    pub fn value(&self) -> &AttributeValue {
        &self.value
    }

    /// Where name and value stand in the text.
    #[must_use]
    pub fn span(&self) -> Span {
        self.span.clone()
    }

    /// An error of kind `hlo` that points at this attribute.
    #[must_use]
    pub fn error(&self, message: impl Into<String>) -> Error {
        Error::new(ErrorKind::Hlo, self.span(), message)
    }
}

/// What stands behind `=`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AttributeValue {
    /// `index=3`
    Integer(i64),
    /// `is_scheduled=true`
    Boolean(bool),
    /// `kind=kLoop`, `direction=LT`
    Word(Arc<str>),
    /// `custom_call_target="TopK"`: what stands between the quotes, escapes as written.
    String(Arc<str>),
    /// `dimensions={0,1}`
    Integers(Vec<i64>),
    /// `operand_precision={highest,highest}`, `control-predecessors={%a, %b}` (with `%`)
    Words(Vec<Arc<str>>),
    /// `replica_groups={{0,1},{2,3}}`, `source_target_pairs={{0,1},{1,0}}`
    Groups(Vec<Vec<i64>>),
    /// `replica_groups=[2,4]<=[4,2]T(1,0)`
    IotaGroups(IotaGroups),
    /// `slice={[0:5:1], [1:4]}`
    Slices(Vec<SliceRange>),
    /// `padding=1_4_1x4_8_0`
    Padding(Vec<PaddingDimension>),
    /// `window={size=1x3 pad=0_0x1_1}`
    Window(Vec<WindowDimension>),
    /// `dim_labels=b01f_01io->b01f`
    Convolution(ConvolutionDimensions),
    /// `to_apply=%add`
    Computation(ComputationReference),
    /// `branch_computations={%a, %b}`
    Computations(Vec<ComputationReference>),
    /// `entry_computation_layout={(f32[8]{0})->f32[]}`
    Signature(Box<Signature>),
    /// `metadata={op_name="jit(f)/mul" stack_frame_id=3}`: attributes in braces.
    Record(Attributes),
    /// Anything else, as written: shardings, JSON, floats.
    Text(Arc<str>),
    /// What newer versions of XLA bring, as written: a form that is not known, as
    /// `replica_groups=mesh['x'=2,'y'=2] {'y'}`.
    Unread(Arc<str>),
}

/// A computation that an attribute names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ComputationReference {
    pub(super) name: Arc<str>,
    pub(super) target: Option<ComputationId>,
    pub(super) span: Span,
}

impl ComputationReference {
    /// The name, without `%`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Where the name stands.
    #[must_use]
    pub fn span(&self) -> Span {
        self.span.clone()
    }

    /// The computation; `None` when the text does not define it.
    #[must_use]
    pub fn target(&self) -> Option<ComputationId> {
        self.target
    }

    /// The computation.
    ///
    /// # Errors
    /// Kind `hlo`, at the name, when the text does not define it.
    pub fn resolve(&self) -> Result<ComputationId, Error> {
        self.target.ok_or_else(|| {
            Error::new(
                ErrorKind::Hlo,
                self.span(),
                format!("the computation `{}` is not defined", self.name),
            )
            .hint("add the computation to the text, in front of its use")
        })
    }
}

/// `(p: f32[8]) -> f32[]`: what a computation takes and gives.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signature {
    pub(super) parameters: Vec<SignatureParameter>,
    pub(super) result: Shape,
}

impl Signature {
    /// The parameters, in order.
    #[must_use]
    pub fn parameters(&self) -> &[SignatureParameter] {
        &self.parameters
    }

    /// The shape of the result.
    #[must_use]
    pub fn result(&self) -> &Shape {
        &self.result
    }
}

/// One parameter of a [`Signature`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SignatureParameter {
    pub(super) name: Option<Arc<str>>,
    pub(super) shape: Shape,
}

impl SignatureParameter {
    /// The name; there is none in `entry_computation_layout`.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// The shape.
    #[must_use]
    pub fn shape(&self) -> &Shape {
        &self.shape
    }
}

/// `[2,4]<=[4,2]T(1,0)`: the numbers 0, 1, .. reshaped to `reshape`, transposed by `transpose`, and
/// reshaped to `dimensions`; each row is a group.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct IotaGroups {
    /// The list in front of `<=`.
    pub dimensions: Vec<i64>,
    /// The list behind `<=`.
    pub reshape: Vec<i64>,
    /// The permutation in `T(..)`, when there is one.
    pub transpose: Option<Vec<i64>>,
}

/// `[start:limit:stride]` of one dimension: `start`, `start + stride`, .. below `limit`.
/// `0 <= start <= limit`, `stride >= 1`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct SliceRange {
    /// The first index.
    pub start: i64,
    /// The end, not included.
    pub limit: i64,
    /// The step; 1 when not given.
    pub stride: i64,
}

/// `low_high_interior` of one dimension. `interior >= 0`; a negative `low` or `high` cuts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct PaddingDimension {
    /// Elements in front of the first one; cut off when negative.
    pub low: i64,
    /// Elements behind the last one; cut off when negative.
    pub high: i64,
    /// Elements between neighbours.
    pub interior: i64,
}

/// One dimension of a window. `size`, `stride` and both dilations are at least 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct WindowDimension {
    /// Number of taps.
    pub size: i64,
    /// Step from one window to the next; 1 when not given.
    pub stride: i64,
    /// Padding in front of the (dilated) base; 0 when not given.
    pub padding_low: i64,
    /// Padding behind the (dilated) base; 0 when not given.
    pub padding_high: i64,
    /// `lhs_dilate`: distance of neighbouring base elements; 1 when not given.
    pub base_dilation: i64,
    /// `rhs_dilate`: distance of neighbouring taps; 1 when not given.
    pub window_dilation: i64,
    /// `rhs_reversal`: are the taps in reverse order?
    pub reversal: bool,
}

/// Which dimension of a convolution's input, kernel and output means what.
///
/// The three lists of spatial dimensions have one length.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ConvolutionDimensions {
    /// The left operand: [`ConvolutionArray::batch`] is `b`, [`ConvolutionArray::feature`] is `f`.
    pub input: ConvolutionArray,
    /// The right operand: [`ConvolutionArray::batch`] is `o` (output feature),
    /// [`ConvolutionArray::feature`] is `i` (input feature).
    pub kernel: ConvolutionArray,
    /// The result: [`ConvolutionArray::batch`] is `b`, [`ConvolutionArray::feature`] is `f`.
    pub output: ConvolutionArray,
}

/// Dimension numbers of one array of a convolution.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ConvolutionArray {
    /// Number of dimensions, those labelled `?` included.
    pub rank: usize,
    /// The batch dimension of input and output; the output feature dimension of the kernel.
    pub batch: usize,
    /// The feature dimension of input and output; the input feature dimension of the kernel.
    pub feature: usize,
    /// The spatial dimensions: entry `i` is the dimension labelled `i`.
    pub spatial: Vec<usize>,
}
