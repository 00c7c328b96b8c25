//! Folds of one array as other operations.
//!
//! Law: each text computes the same bits as its operation, including for NaN; of floats up to rounding if `is_rounded`.

use super::texts::{array, listed};
use affinor_hlo::element_type::ElementType;
use affinor_hlo::module::{Computation, Instruction, Module};
use affinor_hlo::opcode::Opcode;
use std::fmt::Write;

/// Maximum number of truth values whose fold is written out.
const TRUTHS: i64 = 8;

/// A fold of one array by an operation on two elements.
struct Fold<'m> {
    element_type: ElementType,
    sizes: Vec<i64>,
    kept: Vec<i64>,
    folded: Vec<usize>,
    operator: &'m Opcode,
    /// The initial value.
    start: String,
}

/// Rewrites a fold over dimensions of size 1 whose initial value has no effect, a fold of few truth values, or the sum of negated
/// numbers (floats only if `is_rounded`, since a sum of zeros may have another sign).
pub(super) fn text(
    module: &Module,
    computation: &Computation,
    instruction: &Instruction,
    is_rounded: bool,
) -> Option<String> {
    let fold = Fold::of(module, computation, instruction)?;
    let operand = &computation[*instruction.operands().first()?];
    let is_negated = *operand.opcode() == Opcode::Negate;
    let is_number = fold.is_whole() || is_rounded && fold.element_type.is_float();
    if let Some(text) = fold.of_few_truths() {
        return Some(text);
    }
    if is_negated && is_number && *fold.operator == Opcode::Add && fold.start == "0" {
        return Some(fold.negated());
    }
    let is_trivial = fold.folded.iter().all(|k| fold.sizes.get(*k) == Some(&1));
    (is_trivial && fold.starts_with_nothing()).then(|| fold.reshaped())
}

impl<'m> Fold<'m> {
    fn of(
        module: &'m Module,
        computation: &Computation,
        instruction: &Instruction,
    ) -> Option<Fold<'m>> {
        let [operand, start] = instruction.operands() else {
            return None;
        };
        let ((of, sizes), (like, kept)) =
            (array(&computation[*operand], &[])?, array(instruction, &[])?);
        let mut words = computation[*start].literal()?.words()?;
        let start = words.pop().filter(|_| words.is_empty() && of == like)?;
        Some(Fold {
            element_type: instruction.shape().as_array()?.element_type(),
            folded: instruction.dimensions(sizes.len()).ok()?,
            sizes,
            kept,
            operator: operator(module, instruction)?,
            start,
        })
    }

    fn is_whole(&self) -> bool {
        self.element_type.is_signed_integer() || self.element_type.is_unsigned_integer()
    }

    /// Returns whether the initial value has no effect.
    fn starts_with_nothing(&self) -> bool {
        let (is_float, is_whole) = (self.element_type.is_float(), self.is_whole());
        match (self.operator, self.start.as_str()) {
            (Opcode::And, "true" | "1") | (Opcode::Or, "false" | "0") => {
                self.element_type == ElementType::Pred
            }
            (Opcode::Add, "0") => is_whole,
            (Opcode::Add, "-0") | (Opcode::Maximum, "-inf") | (Opcode::Minimum, "inf") => is_float,
            (Opcode::Multiply, "1") => is_whole || is_float,
            _ => false,
        }
    }

    /// Begins a text with the operands.
    fn head(&self) -> String {
        let (of, sizes) = (self.element_type.name(), listed(&self.sizes));
        format!(
            "HloModule r\nENTRY e {{\n x = {of}[{sizes}] parameter(0)\n z = {of}[] parameter(1)\n"
        )
    }

    fn reshaped(&self) -> String {
        let (of, kept) = (self.element_type.name(), listed(&self.kept));
        format!("{} ROOT r = {of}[{kept}] reshape(x)\n}}\n", self.head())
    }

    /// Folds few truth values two at a time.
    fn of_few_truths(&self) -> Option<String> {
        let [count] = self.sizes[..] else {
            return None;
        };
        let is_fitting = self.element_type == ElementType::Pred
            && self.kept.is_empty()
            && self.starts_with_nothing()
            && (2..=TRUTHS).contains(&count);
        is_fitting.then_some(())?;
        let mut text = self.head();
        for k in 0..count {
            let _ = write!(
                text,
                " s{k} = pred[1] slice(x), slice={{[{k}:{}]}}\n t{k} = pred[] reshape(s{k})\n",
                k + 1
            );
            let _ = match k {
                0 => writeln!(text, " r0 = pred[] copy(t0)"),
                _ => writeln!(text, " r{k} = pred[] {}(r{}, t{k})", self.operator, k - 1),
            };
        }
        let _ = writeln!(text, " ROOT r = pred[] copy(r{})\n}}", count - 1);
        Some(text)
    }

    /// Negates the sum of the negated elements.
    fn negated(&self) -> String {
        let of = self.element_type.name();
        let [sizes, kept] = [&self.sizes, &self.kept].map(listed);
        let folded = listed(&self.folded);
        format!(
            "{} n = {of}[{sizes}] negate(x)\n s = {of}[{kept}] reduce(n, z), dimensions={{{folded}}}, to_apply=given0\n \
             ROOT r = {of}[{kept}] negate(s)\n}}\n",
            self.head()
        )
    }
}

/// Returns the operation on its two parameters that the combiner is.
fn operator<'m>(module: &'m Module, instruction: &Instruction) -> Option<&'m Opcode> {
    let body = &module[instruction.called("to_apply").ok()?];
    let root = &body[body.root()];
    let [a, b] = root.operands() else {
        return None;
    };
    let numbers = [a, b].map(|id| body[*id].parameter_number());
    (numbers == [Some(0), Some(1)] || numbers == [Some(1), Some(0)]).then_some(root.opcode())
}
