//! Folds compared: of each element of a result, the elements that are folded.
//!
//! Law: two folds by one combiner are the same if at each index with each index that they fold over they have the same elements.

use super::alike::{are_different, attributes, combiner};
use super::constant::Constant;
use super::leaves::View;
use super::values::Computed;
use super::verdict::{Verdict, differs, only_difference, other_operation};
use affinor::expr::{Domain, IndexingMap, Variable, VariableKind};
use affinor_hlo::opcode::Opcode;
use affinor_ops::indexing::{Exactness, InstructionPlace, OperandMap, Place, Reads};

impl Computed<'_> {
    /// Whether two folds give the same: each element is made of elements at the points of a space, its index and what is folded
    /// over. `None` where their maps do not say that.
    pub(super) fn fold(&mut self, places: [&Place; 2]) -> Option<Verdict> {
        let ops = [0, 1].map(|side| self.instruction(side, places[side]));
        is_fold(ops[0].opcode()).then_some(())?;
        let views = [self.folded(0, places[0])?, self.folded(1, places[1])?];
        let mut verdicts = Vec::new();
        let mut initial = None;
        // The values with which a fold starts come last, and what lies outside of an array is one of them.
        let is_window = *ops[0].opcode() == Opcode::ReduceWindow;
        if is_window && let [_, start] = ops[0].operands() {
            initial = Constant::of(&self.entry(0)[*start]);
        }
        for (old, new) in views[0].iter().zip(&views[1]) {
            if old.0 != new.0 {
                return None;
            }
            let both = [old.1.clone(), new.1.clone()];
            let without = initial.as_ref().filter(|_| verdicts.is_empty());
            verdicts.push(self.same(&old.0, both, without));
        }
        let said = [0, 1].map(|side| attributes(self.modules[side], ops[side], false));
        if said[0].is_some() && said[0] == said[1] {
            return Some(only_difference(verdicts));
        }
        let combiners = [0, 1].map(|side| combiner(self.modules[side], ops[side]));
        let all_same = verdicts.iter().all(Verdict::is_same);
        Some(match combiners {
            [Some((old, of)), Some((new, other))]
                if all_same && of == other && are_different([&old, &new], 2, of) =>
            {
                differs(ops, format!("it folded by {old}, and folds by {new}"))
            }
            _ => other_operation(ops),
        })
    }

    /// For each operand of a fold, the sizes of the space of index and what is folded over, and the operand there.
    fn folded(&mut self, side: usize, place: &Place) -> Option<Vec<(Vec<i64>, View)>> {
        let instruction = self.instruction(side, place);
        let at = InstructionPlace { computation: self.modules[side].entry(), instruction: place.0 };
        let entries = self.analyses[side].unsimplified(at).ok()?;
        let mut views = Vec::new();
        let mut folded: Option<Vec<i64>> = None;
        for (number, operand) in instruction.operands().iter().enumerate() {
            let mut own =
                entries.iter().filter(|entry| entry.output == place.1 && entry.operand == number);
            let (Some(entry), None) = (own.next(), own.next()) else {
                return None;
            };
            let Reads::Maps(maps) = &entry.reads else {
                return None;
            };
            let [map] = maps.as_slice() else {
                return None;
            };
            let is_plain = map.exactness == Exactness::Exact && map.runtime.is_empty();
            is_plain.then_some(())?;
            let (sizes, over, map) = spread(&map.map)?;
            if !over.is_empty() && *folded.get_or_insert_with(|| over.clone()) != over {
                return None;
            }
            let view = View {
                at: (*operand, entry.operand_path.clone()),
                maps: vec![OperandMap::exact(map)],
            };
            views.push((sizes, view));
        }
        Some(views)
    }
}

/// Folds whose elements are all combined in one way.
fn is_fold(opcode: &Opcode) -> bool {
    matches!(opcode, Opcode::Convolution | Opcode::Dot | Opcode::Reduce | Opcode::ReduceWindow)
}

/// A map with its range variables as further dimensions: the sizes of all, those of the ranges, and the map.
fn spread(map: &IndexingMap) -> Option<(Vec<i64>, Vec<i64>, IndexingMap)> {
    let old = map.domain();
    let (mut sizes, mut over, mut variables) = (Vec::new(), Vec::new(), Vec::new());
    for (number, variable) in old.variables().iter().enumerate() {
        let bounds = variable.bounds;
        (bounds.lo() == 0 && bounds.is_bounded()).then_some(())?;
        let size = bounds.hi().checked_add(1)?;
        sizes.push(size);
        if variable.kind == VariableKind::Range {
            over.push(size);
        }
        variables.push(Variable::new(format!("d{number}"), VariableKind::Dimension, bounds));
    }
    let mut domain = Domain::new(variables);
    for constraint in old.constraints() {
        domain.constrain(&constraint.expr, constraint.bounds);
    }
    let spread = IndexingMap::new(domain, map.results().to_vec());
    Some((sizes, over, spread))
}
