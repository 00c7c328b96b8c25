//! An HLO module: computations, their instructions, and the references between them.
//!
//! Laws: every operand is an earlier instruction of the same computation; each computation has a root; its parameters
//! are numbered 0, 1, .. without gaps; no computation calls itself, directly or through others, and calls are nested at
//! most 64 deep. The reader is the only place that builds these values.
//!
//! Operations are not checked against their shapes here.

use super::attribute::{AttributeValue, Attributes, Signature};
use super::literal::Literal;
use super::opcode::Opcode;
use super::shape::Shape;
use affinor_maps::text::{Error, ErrorKind, Span};
use std::ops::Index;
use std::sync::Arc;

/// A module, or a snippet parsed as one.
///
/// ```
/// let text = b"HloModule m\nENTRY e {\n p = f32[8,16] parameter(0)\n ROOT t = f32[16,8] transpose(p), dimensions={1,0}\n}";
/// let module = affinor_hlo::read(text)?;
/// let entry = &module[module.entry()];
/// let lines = entry.instructions().map(|(_, one)| format!("{}: {} {}", one.name(), one.opcode(), one.shape()));
/// assert_eq!(lines.collect::<Vec<_>>(), ["p: parameter f32[8,16]{1,0}", "t: transpose f32[16,8]{1,0}"]);
/// let root = &entry[entry.root()];
/// assert_eq!(entry.operands(root).next().map(|operand| operand.name()), Some("p"));
/// # Ok::<(), affinor_maps::text::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Module {
    pub(super) name: Option<Arc<str>>,
    pub(super) attributes: Attributes,
    pub(super) computations: Vec<Computation>,
    pub(super) entry: ComputationId,
    pub(super) tables: Vec<Table>,
    pub(super) notes: Vec<Error>,
}

/// The index of a computation in its module.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ComputationId(pub(super) usize);

impl ComputationId {
    /// Position in [`Module::computations`].
    #[must_use]
    pub fn index(self) -> usize {
        self.0
    }
}

impl Module {
    /// Returns the name after `HloModule`; `None` for a snippet.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Returns the attributes of the `HloModule` line.
    #[must_use]
    pub fn attributes(&self) -> &Attributes {
        &self.attributes
    }

    /// Returns all computations with their ids, in the order of the text.
    pub fn computations(&self) -> impl ExactSizeIterator<Item = (ComputationId, &Computation)> {
        self.computations
            .iter()
            .enumerate()
            .map(|(index, computation)| (ComputationId(index), computation))
    }

    /// Returns the entry computation: the one marked `ENTRY`, the bare instructions of a snippet, or the last one.
    #[must_use]
    pub fn entry(&self) -> ComputationId {
        self.entry
    }

    /// Returns the computation `name` (without `%`).
    #[must_use]
    pub fn computation_named(&self, name: &str) -> Option<ComputationId> {
        self.computations().find(|(_, computation)| computation.name() == name).map(|(id, _)| id)
    }

    /// Returns warnings, with their positions, about parts whose interpretation differs from the text.
    #[must_use]
    pub fn notes(&self) -> &[Error] {
        &self.notes
    }

    /// Returns the tables of source positions: `FileNames`, `FunctionNames`, `FileLocations`, `StackFrames`.
    #[must_use]
    pub fn tables(&self) -> &[Table] {
        &self.tables
    }
}

impl Index<ComputationId> for Module {
    type Output = Computation;

    /// Returns the computation `id` of this module. Panics for an id of a larger module.
    fn index(&self, id: ComputationId) -> &Computation {
        &self.computations[id.0]
    }
}

/// A numbered table before the computations.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Table {
    pub(super) name: Arc<str>,
    pub(super) rows: Vec<(i64, AttributeValue)>,
}

impl Table {
    /// `FileNames`, `FunctionNames`, `FileLocations` or `StackFrames`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Rows with their numbers: a string, or a record of numbers.
    #[must_use]
    pub fn rows(&self) -> &[(i64, AttributeValue)] {
        &self.rows
    }
}

/// A computation: a named list of instructions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Computation {
    pub(super) name: Arc<str>,
    pub(super) signature: Option<Signature>,
    pub(super) instructions: Vec<Instruction>,
    pub(super) root: InstructionId,
    pub(super) parameters: Vec<InstructionId>,
    pub(super) attributes: Attributes,
    pub(super) span: Span,
}

/// The index of an instruction in its computation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct InstructionId(pub(super) usize);

impl InstructionId {
    /// Position in [`Computation::instructions`].
    #[must_use]
    pub fn index(self) -> usize {
        self.0
    }
}

impl Computation {
    /// Returns the name, without `%`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the signature after the name, if present: `(p: f32[8]) -> f32[]`.
    #[must_use]
    pub fn signature(&self) -> Option<&Signature> {
        self.signature.as_ref()
    }

    /// Returns all instructions with their ids, operands before users.
    pub fn instructions(&self) -> impl ExactSizeIterator<Item = (InstructionId, &Instruction)> {
        self.instructions
            .iter()
            .enumerate()
            .map(|(index, instruction)| (InstructionId(index), instruction))
    }

    /// Returns the root instruction.
    #[must_use]
    pub fn root(&self) -> InstructionId {
        self.root
    }

    /// Returns the parameter instructions: entry `n` is `parameter(n)`.
    #[must_use]
    pub fn parameters(&self) -> &[InstructionId] {
        &self.parameters
    }

    /// Returns the instruction `name` (without `%`).
    #[must_use]
    pub fn instruction_named(&self, name: &str) -> Option<InstructionId> {
        self.instructions().find(|(_, instruction)| instruction.name() == name).map(|(id, _)| id)
    }

    /// Returns the operands of `instruction`, which must be of this computation.
    pub fn operands<'a>(
        &'a self,
        instruction: &'a Instruction,
    ) -> impl ExactSizeIterator<Item = &'a Instruction> {
        instruction.operands.iter().map(|&operand| &self[operand])
    }

    /// Returns the attributes after the closing brace, as `execution_thread="host"`.
    #[must_use]
    pub fn attributes(&self) -> &Attributes {
        &self.attributes
    }

    /// Returns the span of the computation.
    #[must_use]
    pub fn span(&self) -> Span {
        self.span.clone()
    }
}

impl Index<InstructionId> for Computation {
    type Output = Instruction;

    /// Returns the instruction `id` of this computation. Panics for an id of a larger computation.
    fn index(&self, id: InstructionId) -> &Instruction {
        &self.instructions[id.0]
    }
}

/// `%name = shape opcode(operands), attributes`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Instruction {
    pub(super) name: Arc<str>,
    pub(super) shape: Shape,
    pub(super) opcode: Opcode,
    pub(super) operands: Vec<InstructionId>,
    pub(super) payload: Payload,
    pub(super) attributes: Attributes,
    pub(super) span: Span,
    pub(super) name_span: Span,
}

/// The contents of the parentheses besides operands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Payload {
    None,
    ParameterNumber(usize),
    Literal(Literal),
}

impl Instruction {
    /// Returns the instruction with all dynamic sizes of its result at their bounds.
    #[must_use]
    pub fn with_sizes_at_bounds(&self) -> Instruction {
        Instruction { shape: self.shape.with_sizes_at_bounds(), ..self.clone() }
    }

    /// Returns the name, without `%`. A nested operand has a name derived from its opcode.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the shape of the result.
    #[must_use]
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Returns the opcode.
    #[must_use]
    pub fn opcode(&self) -> &Opcode {
        &self.opcode
    }

    /// Returns the operands: earlier instructions of the same computation.
    #[must_use]
    pub fn operands(&self) -> &[InstructionId] {
        &self.operands
    }

    /// Returns the number of a `parameter(n)`.
    #[must_use]
    pub fn parameter_number(&self) -> Option<usize> {
        match self.payload {
            Payload::ParameterNumber(number) => Some(number),
            _ => None,
        }
    }

    /// Returns the value of a `constant(..)`.
    #[must_use]
    pub fn literal(&self) -> Option<&Literal> {
        match &self.payload {
            Payload::Literal(literal) => Some(literal),
            _ => None,
        }
    }

    /// Returns the attributes, in the order of the text.
    #[must_use]
    pub fn attributes(&self) -> &Attributes {
        &self.attributes
    }

    /// Returns the span of the instruction, from its name (or `ROOT`) to its last attribute.
    #[must_use]
    pub fn span(&self) -> Span {
        self.span.clone()
    }

    /// Returns the span of its name.
    #[must_use]
    pub fn name_span(&self) -> Span {
        self.name_span.clone()
    }

    /// Creates an error of kind `hlo` that points at the instruction's name.
    #[must_use]
    pub fn error(&self, message: impl Into<String>) -> Error {
        Error::new(ErrorKind::Hlo, self.name_span(), message)
    }
}
