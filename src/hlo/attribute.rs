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
pub struct IotaGroups {
    pub(super) dimensions: Vec<i64>,
    pub(super) reshape: Vec<i64>,
    pub(super) transpose: Option<Vec<i64>>,
}

impl IotaGroups {
    /// The list in front of `<=`.
    #[must_use]
    pub fn dimensions(&self) -> &[i64] {
        &self.dimensions
    }

    /// The list behind `<=`.
    #[must_use]
    pub fn reshape(&self) -> &[i64] {
        &self.reshape
    }

    /// The permutation in `T(..)`, when there is one.
    #[must_use]
    pub fn transpose(&self) -> Option<&[i64]> {
        self.transpose.as_deref()
    }
}

/// `[start:limit:stride]` of one dimension: `start`, `start + stride`, .. below `limit`.
/// `0 <= start <= limit`, `stride >= 1`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SliceRange {
    pub(super) start: i64,
    pub(super) limit: i64,
    pub(super) stride: i64,
}

impl SliceRange {
    /// The first index.
    #[must_use]
    pub fn start(self) -> i64 {
        self.start
    }

    /// The end, not included.
    #[must_use]
    pub fn limit(self) -> i64 {
        self.limit
    }

    /// The step; 1 when not given.
    #[must_use]
    pub fn stride(self) -> i64 {
        self.stride
    }
}

/// `low_high_interior` of one dimension. `interior >= 0`; a negative `low` or `high` cuts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PaddingDimension {
    pub(super) low: i64,
    pub(super) high: i64,
    pub(super) interior: i64,
}

impl PaddingDimension {
    /// Elements in front of the first one; cut off when negative.
    #[must_use]
    pub fn low(self) -> i64 {
        self.low
    }

    /// Elements behind the last one; cut off when negative.
    #[must_use]
    pub fn high(self) -> i64 {
        self.high
    }

    /// Elements between neighbours.
    #[must_use]
    pub fn interior(self) -> i64 {
        self.interior
    }
}

/// One dimension of a window. `size`, `stride` and both dilations are at least 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WindowDimension {
    pub(super) size: i64,
    pub(super) stride: i64,
    pub(super) padding_low: i64,
    pub(super) padding_high: i64,
    pub(super) base_dilation: i64,
    pub(super) window_dilation: i64,
    pub(super) reversal: bool,
}

impl WindowDimension {
    /// Number of taps.
    #[must_use]
    pub fn size(self) -> i64 {
        self.size
    }

    /// Step from one window to the next; 1 when not given.
    #[must_use]
    pub fn stride(self) -> i64 {
        self.stride
    }

    /// Padding in front of the (dilated) base; 0 when not given.
    #[must_use]
    pub fn padding_low(self) -> i64 {
        self.padding_low
    }

    /// Padding behind the (dilated) base; 0 when not given.
    #[must_use]
    pub fn padding_high(self) -> i64 {
        self.padding_high
    }

    /// `lhs_dilate`: distance of neighbouring base elements; 1 when not given.
    #[must_use]
    pub fn base_dilation(self) -> i64 {
        self.base_dilation
    }

    /// `rhs_dilate`: distance of neighbouring taps; 1 when not given.
    #[must_use]
    pub fn window_dilation(self) -> i64 {
        self.window_dilation
    }

    /// `rhs_reversal`: are the taps in reverse order?
    #[must_use]
    pub fn reversal(self) -> bool {
        self.reversal
    }
}

/// Which dimension of a convolution's input, kernel and output means what.
///
/// The three lists of spatial dimensions have one length.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConvolutionDimensions {
    pub(super) input: ConvolutionArray,
    pub(super) kernel: ConvolutionArray,
    pub(super) output: ConvolutionArray,
}

impl ConvolutionDimensions {
    /// The left operand: [`ConvolutionArray::batch`] is `b`, [`ConvolutionArray::feature`] is `f`.
    #[must_use]
    pub fn input(&self) -> &ConvolutionArray {
        &self.input
    }

    /// The right operand: [`ConvolutionArray::batch`] is `o` (output feature),
    /// [`ConvolutionArray::feature`] is `i` (input feature).
    #[must_use]
    pub fn kernel(&self) -> &ConvolutionArray {
        &self.kernel
    }

    /// The result: [`ConvolutionArray::batch`] is `b`, [`ConvolutionArray::feature`] is `f`.
    #[must_use]
    pub fn output(&self) -> &ConvolutionArray {
        &self.output
    }
}

/// Dimension numbers of one array of a convolution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConvolutionArray {
    pub(super) rank: usize,
    pub(super) batch: usize,
    pub(super) feature: usize,
    pub(super) spatial: Vec<usize>,
}

impl ConvolutionArray {
    /// Number of dimensions, those labelled `?` included.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// The batch dimension of input and output; the output feature dimension of the kernel.
    #[must_use]
    pub fn batch(&self) -> usize {
        self.batch
    }

    /// The feature dimension of input and output; the input feature dimension of the kernel.
    #[must_use]
    pub fn feature(&self) -> usize {
        self.feature
    }

    /// The spatial dimensions: entry `i` is the dimension labelled `i`.
    #[must_use]
    pub fn spatial(&self) -> &[usize] {
        &self.spatial
    }
}
