//! Arrays of integers that depend on no parameter, as tables of their values.
//!
//! Law: the element at an index is the element of the table at those parts of the index that the table lists.

use super::concrete::{Concrete, Given};
use super::terms::integers;
use affinor::num::{Fuel, Interrupt, Interval};
use affinor_hlo::module::{Computation, Instruction, InstructionId};
use affinor_hlo::opcode::Opcode;
use std::rc::Rc;

/// Maximum number of elements of a table.
const TABLE: i64 = 4_096;

/// Maximum number of values that are evaluated for a table.
const TABLE_STEPS: u64 = 100_000;

/// The values of an array, without the dimensions along which they are constant.
#[derive(Clone)]
pub(super) struct Table {
    pub(super) text: Rc<str>,
    pub(super) dimensions: Rc<[usize]>,
    pub(super) range: Interval,
}

/// Returns the table of an array of integers that depend on no parameter; `None` for a scalar, and for values that count along
/// one dimension.
pub(super) fn table(
    body: &Computation,
    id: InstructionId,
    instruction: &Instruction,
    interrupt: &Interrupt,
) -> Option<Table> {
    let array = instruction.shape().as_array()?;
    let sizes = array.fixed_sizes()?;
    let count = array.element_count().filter(|count| *count <= TABLE)?;
    let is_integer = integers(array.element_type()).is_some();
    (is_integer && count > 0 && !matches!(instruction.opcode(), Opcode::Iota)).then_some(())?;
    let fuel = Fuel::new(TABLE_STEPS, interrupt);
    let mut concrete = Concrete::new(body, Given::new(), &fuel);
    let mut strides = vec![1; sizes.len()];
    for k in (1..sizes.len()).rev() {
        strides[k - 1] = strides[k] * sizes[k];
    }
    let digit = |position: i64, k: usize| position / strides[k] % sizes[k];
    let mut values = Vec::new();
    for position in 0..count {
        let index: Vec<i64> = (0..sizes.len()).map(|k| digit(position, k)).collect();
        values.push(concrete.value(id, &[], &index)?.integer()?);
    }
    // Whether the values differ from those at digit 0 of this dimension.
    let differs = |k: &usize| {
        let at = |position: i64| values.get(usize::try_from(position).ok()?).copied();
        (0..count).any(|position| at(position) != at(position - digit(position, *k) * strides[*k]))
    };
    let dimensions: Vec<usize> = (0..sizes.len()).filter(differs).collect();
    let is_kept = |position: &i64| {
        (0..sizes.len()).all(|k| dimensions.contains(&k) || digit(*position, k) == 0)
    };
    let kept = (0..count).zip(&values).filter(|(at, _)| is_kept(at));
    let kept: Vec<i64> = kept.map(|(_, value)| *value).collect();
    let own: Vec<i64> = dimensions.iter().map(|k| sizes[*k]).collect();
    Some(Table {
        range: Interval::new(*values.iter().min()?, *values.iter().max()?),
        text: match &kept[..] {
            [only] => format!("constant {} [] {only}", array.element_type().name()),
            _ => format!("table {} {own:?} {kept:?}", array.element_type().name()),
        }
        .into(),
        dimensions: dimensions.into(),
    })
}
