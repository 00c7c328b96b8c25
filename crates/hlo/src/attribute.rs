//! Attributes of instructions, computations and modules: `name=value` after the operands.
//!
//! Law: nothing is dropped. An attribute whose value has no type of its own is kept as text. Typed values are checked by the
//! parser, so that `slice`, `window` or `padding` cannot hold a stride of 0 or lists of different lengths. A value that fails the
//! check is kept as text with its error, which matters only to operations that need the attribute.

use super::module::ComputationId;
use super::shape::Shape;
use affinor_maps::text::{Error, ErrorKind, Span};
use std::sync::Arc;

/// An attribute list, in the order of the text; names are unique.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Attributes {
    pub(super) list: Vec<Attribute>,
}

impl Attributes {
    /// Creates the list with the single attribute of an instruction that replaces others.
    pub(super) fn of(name: &str, value: AttributeValue, span: Span) -> Attributes {
        Attributes { list: vec![Attribute { name: name.into(), value, span }] }
    }

    /// Iterates over the attributes, in the order of the text.
    pub fn iter(&self) -> impl Iterator<Item = &Attribute> {
        self.list.iter()
    }

    /// Returns the attribute `name`.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Attribute> {
        self.list.iter().find(|attribute| &*attribute.name == name)
    }

    /// Returns the operation of the source program that the metadata names.
    pub fn op_name(&self) -> Option<&str> {
        let AttributeValue::Record(metadata) = self.get("metadata")?.value() else {
            return None;
        };
        match metadata.get("op_name")?.value() {
            AttributeValue::String(name) => Some(name),
            _ => None,
        }
    }

    /// Iterates over the references to computations, in the order of the text.
    pub fn computations(&self) -> impl Iterator<Item = &ComputationReference> {
        self.list.iter().flat_map(|attribute| match &attribute.value {
            AttributeValue::Computation(reference) => std::slice::from_ref(reference),
            AttributeValue::Computations(references) => references,
            _ => &[],
        })
    }

    pub(super) fn computations_mut(&mut self) -> impl Iterator<Item = &mut ComputationReference> {
        self.list.iter_mut().flat_map(|attribute| match &mut attribute.value {
            AttributeValue::Computation(reference) => std::slice::from_mut(reference),
            AttributeValue::Computations(references) => references,
            _ => &mut [],
        })
    }

    /// Iterates over the attributes whose values have an unknown form.
    pub fn unread(&self) -> impl Iterator<Item = &Attribute> {
        let is_unread = |value: &AttributeValue| {
            matches!(value, AttributeValue::Unread(_) | AttributeValue::Wrong(..))
        };
        self.iter().filter(move |attribute| is_unread(&attribute.value))
    }

    /// Returns the error of the first attribute that does not have the form of its name.
    #[must_use]
    pub fn wrong(&self) -> Option<&Error> {
        self.iter().find_map(|attribute| match &attribute.value {
            AttributeValue::Wrong(_, error) => Some(&**error),
            _ => None,
        })
    }

    /// Returns the first reference to a computation that the text does not define: only a snippet has any.
    #[must_use]
    pub fn undefined_computation(&self) -> Option<&ComputationReference> {
        self.computations().find(|reference| reference.target.is_none())
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
    /// Returns the name before `=`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the value after `=`.
    #[must_use]
    pub fn value(&self) -> &AttributeValue {
        &self.value
    }

    /// Returns the span of name and value.
    #[must_use]
    pub fn span(&self) -> Span {
        self.span.clone()
    }

    /// Creates an error of kind `hlo` that points at this attribute.
    #[must_use]
    pub fn error(&self, message: impl Into<String>) -> Error {
        Error::new(ErrorKind::Hlo, self.span(), message)
    }
}

/// The value of an attribute.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AttributeValue {
    /// `index=3`
    Integer(i64),
    /// `is_scheduled=true`
    Boolean(bool),
    /// `kind=kLoop`, `direction=LT`
    Word(Arc<str>),
    /// `custom_call_target="TopK"`: the text between the quotes, with escapes as written.
    String(Arc<str>),
    /// `dimensions={0,1}`
    Integers(Vec<i64>),
    /// `operand_precision={highest,highest}`, `control-predecessors={%a, %b}` (with `%`)
    Words(Vec<Arc<str>>),
    /// `replica_groups={{0,1},{2,3}}`, `source_target_pairs={{0,1},{1,0}}`
    Groups(Vec<Vec<i64>>),
    /// `replica_groups=[2,4]<=[4,2]T(1,0)`
    IotaGroups(IotaGroups),
    /// `replica_groups=mesh['x'=2,'y'=4] {'y'}`
    MeshGroups(MeshGroups),
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
    /// A value of unknown form, as written, which newer versions of XLA may produce: `replica_groups=ring['x'=2]`.
    Unread(Arc<str>),
    /// A value that does not have the form of its attribute, as written, and its error: `dimensions={0,x}`.
    Wrong(Arc<str>, Box<Error>),
}

/// A computation that an attribute names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ComputationReference {
    pub(super) name: Arc<str>,
    pub(super) target: Option<ComputationId>,
    pub(super) span: Span,
}

impl ComputationReference {
    /// Returns the name, without `%`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the span of the name.
    #[must_use]
    pub fn span(&self) -> Span {
        self.span.clone()
    }

    /// Returns the computation; `None` if the text does not define it.
    #[must_use]
    pub fn target(&self) -> Option<ComputationId> {
        self.target
    }

    /// Returns the computation.
    ///
    /// # Errors
    /// Kind `hlo`, at the name, if the text does not define it.
    pub fn resolve(&self) -> Result<ComputationId, Error> {
        self.target.ok_or_else(|| {
            Error::new(
                ErrorKind::Hlo,
                self.span(),
                format!("the computation `{}` is not defined", self.name),
            )
            .hint("add the computation to the text, before its use")
        })
    }
}

/// `(p: f32[8]) -> f32[]`: parameters and result of a computation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signature {
    pub(super) parameters: Vec<SignatureParameter>,
    pub(super) result: Shape,
}

impl Signature {
    /// Returns the parameters, in order.
    #[must_use]
    pub fn parameters(&self) -> &[SignatureParameter] {
        &self.parameters
    }

    /// Returns the shape of the result.
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
    /// Returns the name; `None` in `entry_computation_layout`.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Returns the shape.
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
    /// The list before `<=`.
    pub dimensions: Vec<i64>,
    /// The list after `<=`.
    pub reshape: Vec<i64>,
    /// The permutation in `T(..)`, if any.
    pub transpose: Option<Vec<i64>>,
}

/// `mesh['x'=2,'y'=4], device_ids=(..) {'y'}`: devices that differ only along the axes in braces are a group.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct MeshGroups {
    /// The text as written.
    pub text: Arc<str>,
    /// The number of devices of a group: the product of the sizes of its axes, `2` of `'x':(4)2`.
    pub group_size: i64,
    /// The sizes of the axes of the mesh.
    pub sizes: Vec<i64>,
    /// The device at each position of the mesh.
    pub devices: MeshDevices,
    /// The axes in braces, in the order of the text.
    pub axes: Vec<MeshAxis>,
}

/// An axis of a mesh, or part of an axis.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[non_exhaustive]
pub struct MeshAxis {
    /// The index of the axis in the mesh.
    pub axis: usize,
    /// The product of the parts before it: 4 in `'x':(4)2`.
    pub before: i64,
    /// Its size: 2 in `'x':(4)2`.
    pub size: i64,
}

/// `device_ids` of a mesh, in row-major order of its axes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MeshDevices {
    /// 0, 1, ..: no `device_ids` are given.
    InOrder,
    /// `(3,1,0,2)`
    Listed(Vec<i64>),
    /// `([2,2,2]T(1,0,2))`: 0, 1, .. reshaped to these sizes, and transposed.
    Transposed(Vec<i64>, Vec<i64>),
    /// Text of unknown form.
    Unread,
}

/// `[start:limit:stride]` of one dimension: `start`, `start + stride`, .. below `limit`.
/// `0 <= start <= limit`, `stride >= 1`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SliceRange {
    /// First index.
    pub start: i64,
    /// End, exclusive.
    pub limit: i64,
    /// Stride; 1 by default.
    pub stride: i64,
}

/// `low_high_interior` of one dimension. `interior >= 0`; a negative `low` or `high` crops.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PaddingDimension {
    /// Elements before the first one; cropped if negative.
    pub low: i64,
    /// Elements after the last one; cropped if negative.
    pub high: i64,
    /// Elements between neighbours.
    pub interior: i64,
}

/// One dimension of a window. `size`, `stride` and both dilations are at least 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WindowDimension {
    /// Number of taps.
    pub size: i64,
    /// Step between windows; 1 by default.
    pub stride: i64,
    /// Padding before the (dilated) base; 0 by default.
    pub padding_low: i64,
    /// Padding after the (dilated) base; 0 by default.
    pub padding_high: i64,
    /// `lhs_dilate`: distance of neighbouring base elements; 1 by default.
    pub base_dilation: i64,
    /// `rhs_dilate`: distance of neighbouring taps; 1 by default.
    pub window_dilation: i64,
    /// `rhs_reversal`: whether the taps are reversed.
    pub reversal: bool,
}

/// The roles of the dimensions of a convolution's input, kernel and output.
///
/// The three lists of spatial dimensions have the same length.
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
