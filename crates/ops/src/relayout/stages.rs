//! Tiling as pad, reshape and transpose: a layout as a chain of HLO ops whose result is the array in memory.
//!
//! Law (*Tiled layout*, "Tiling as pad-reshape-transpose"): element `p` of the last stage is the element of the array
//! whose position is `p`, and the padding value where `p` is padding. [`prove_tiling`] proves it for one shape, with
//! the maps that [`crate::indexing`] has for the ops; the laws in `rules/layouts.rules` hold for all sizes.

use super::{listed, map_of, transposed_sizes};
use affinor::expr::{Expr, IndexingMap, VariableKind};
use affinor::prove::{Budget, Counterexample, Reason, Verdict, equal_functions};
use affinor::text::Error;
use affinor_layout::memory::{Level, Placement};

/// An op of the chain.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stage {
    /// The instruction, as HLO text.
    pub text: String,
    /// The sizes of its result, in row-major order.
    pub sizes: Vec<i64>,
    /// Its purpose.
    pub purpose: &'static str,
}

/// A chain of ops from an array and a padding value to the array in memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stages {
    stages: Vec<Stage>,
    element_type: &'static str,
}

impl Stages {
    /// Builds the chain for a placement. The first two instructions are the array and the padding value.
    #[must_use]
    pub fn new(placement: &Placement) -> Stages {
        let mut stages = Stages::start(placement, placement.sizes());
        stages.order(placement);
        for level in placement.levels() {
            stages.tile(level);
        }
        stages.line(placement);
        stages
    }

    /// Splits the chain by [`Placement::steps`].
    fn of_steps(placement: &Placement) -> Vec<Stages> {
        let mut order = Stages::start(placement, placement.sizes());
        order.order(placement);
        let tile = |level: &Level| {
            let mut stages = Stages::start(placement, level.before());
            stages.tile(level);
            stages
        };
        let mut line = Stages::start(placement, placement.physical_sizes());
        line.line(placement);
        let tiles = placement.levels().iter().map(tile);
        std::iter::once(order).chain(tiles).chain([line]).collect()
    }

    /// Returns the stages in order.
    #[must_use]
    pub fn stages(&self) -> &[Stage] {
        &self.stages
    }

    /// Returns the chain as HLO text.
    #[must_use]
    pub fn text(&self) -> String {
        let lines: Vec<&str> = self.stages.iter().map(|s| s.text.as_str()).collect();
        lines.join("\n")
    }

    /// Returns the map from the last result to the array; `None` if it reads nothing.
    fn map(&self) -> Result<Option<IndexingMap>, Error> {
        if self.stages.iter().any(|stage| stage.sizes.contains(&0)) {
            return Ok(None);
        }
        let mut text = self.text();
        if let [array, _value] = self.stages.as_slice() {
            let (element_type, sizes) = (self.element_type, listed(&array.sizes));
            text += &format!("\nresult = {element_type}[{sizes}] copy(array)");
        }
        map_of(&text).map(Some)
    }

    fn start(placement: &Placement, sizes: &[i64]) -> Stages {
        let mut stages =
            Stages { stages: Vec::new(), element_type: placement.shape().element_type().name() };
        stages.push("array", sizes, "parameter(0)", "the array");
        stages.push("value", &[], "parameter(1)", "the padding value");
        stages
    }

    fn order(&mut self, placement: &Placement) {
        let widths = placement.widths();
        self.pad(placement.sizes(), widths, "padded dimensions");
        let order = placement.shape().layout().minor_to_major();
        let order: Vec<usize> = order.iter().rev().copied().collect();
        self.transpose(widths, &order, "dimensions major to minor");
    }

    fn tile(&mut self, level: &Level) {
        let (untouched, groups) = (level.untouched(), level.groups());
        let after_untouched = |sizes: &mut dyn Iterator<Item = i64>| -> Vec<i64> {
            untouched.iter().copied().chain(sizes).collect()
        };
        let combined = after_untouched(&mut groups.iter().map(|g| g.size()));
        self.reshape(level.before(), &combined, "combined dimensions");
        let whole = after_untouched(&mut groups.iter().map(|g| g.tiles() * g.tile()));
        self.pad(&combined, &whole, "whole tiles");
        let split = after_untouched(&mut groups.iter().flat_map(|g| [g.tiles(), g.tile()]));
        self.reshape(&whole, &split, "tiles and within");
        let (front, count) = (untouched.len(), groups.len());
        let tiles = (0..count).map(|group| front + 2 * group);
        let within = (0..count).map(|group| front + 2 * group + 1);
        let order: Vec<usize> = (0..front).chain(tiles).chain(within).collect();
        self.transpose(&split, &order, "tiles before within");
    }

    fn line(&mut self, placement: &Placement) {
        let physical = placement.physical_sizes();
        let covered: i64 = match physical.contains(&0) {
            true => 0,
            false => physical.iter().product(),
        };
        self.reshape(physical, &[covered], "in a line");
        self.pad(&[covered], &[placement.positions()], "tail padding");
    }

    fn pad(&mut self, from: &[i64], to: &[i64], purpose: &'static str) {
        if from != to {
            let high: Vec<String> =
                from.iter().zip(to).map(|(from, to)| format!("0_{}", to - from)).collect();
            let operand = self.last();
            let op = format!("pad({operand}, value), padding={}", high.join("x"));
            self.push("pad", to, &op, purpose);
        }
    }

    fn reshape(&mut self, from: &[i64], to: &[i64], purpose: &'static str) {
        if from != to {
            let op = format!("reshape({})", self.last());
            self.push("reshape", to, &op, purpose);
        }
    }

    fn transpose(&mut self, from: &[i64], order: &[usize], purpose: &'static str) {
        if !order.is_sorted() {
            let to = transposed_sizes(from, order);
            let dimensions = listed(order);
            let op = format!("transpose({}), dimensions={{{dimensions}}}", self.last());
            self.push("transpose", &to, &op, purpose);
        }
    }

    /// Returns the name of the current array.
    fn last(&self) -> String {
        match self.stages.len() {
            count @ 3.. => {
                let text = &self.stages[count - 1].text;
                text.split(' ').next().unwrap_or_default().to_owned()
            }
            _ => "array".to_owned(),
        }
    }

    fn push(&mut self, name: &str, sizes: &[i64], op: &str, purpose: &'static str) {
        let number = self.stages.len();
        let name = match number {
            0 | 1 => name.to_owned(),
            _ => format!("{name}.{}", number - 1),
        };
        let text = format!("{name} = {}[{}] {op}", self.element_type, listed(sizes));
        self.stages.push(Stage { text, sizes: sizes.to_vec(), purpose });
    }
}

/// Verdicts on the layout of one shape.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tiling {
    /// The stages agree with [`Placement::element`], padding included.
    pub stages: Verdict,
    /// The element at the position of an element is that element: distinct elements have distinct positions.
    pub position_then_element: Verdict,
    /// The position of the element at a position is that position.
    pub element_then_position: Verdict,
}

/// Proves the law of the stages, and that the two maps of a placement are inverses, step by step: equality and
/// inversion are preserved by composition.
///
/// # Errors
/// Kind `overflow` if a map is not representable.
pub fn prove_tiling(placement: &Placement, budget: &Budget) -> Result<Tiling, Error> {
    let mut tiling = Tiling {
        stages: Verdict::Proved,
        position_then_element: Verdict::Proved,
        element_then_position: Verdict::Proved,
    };
    let weaken = |verdict: &mut Verdict, more: Verdict| {
        if *verdict == Verdict::Proved {
            *verdict = more;
        }
    };
    for (step, stages) in placement.steps().iter().zip(Stages::of_steps(placement)) {
        let (apply, undo) = (step.apply(), step.undo());
        let chain = match stages.map()? {
            Some(map) => equal_functions(&map, undo, budget)?,
            None => is_empty(undo, budget),
        };
        weaken(&mut tiling.stages, chain);
        weaken(&mut tiling.position_then_element, is_identity(apply, undo, budget)?);
        weaken(&mut tiling.element_then_position, is_identity(undo, apply, budget)?);
    }
    Ok(tiling)
}

fn is_empty(map: &IndexingMap, budget: &Budget) -> Verdict {
    match affinor::prove::is_empty(map.domain(), budget) {
        Verdict::Proved => Verdict::Proved,
        Verdict::Refuted(point) => {
            Verdict::Refuted(Counterexample { left: None, right: map.eval(&point).ok(), point })
        }
        Verdict::Unknown(reason) => Verdict::Unknown(reason),
    }
}

/// Decides whether `second` after `first` is the identity on the domain of `first`.
fn is_identity(
    first: &IndexingMap,
    second: &IndexingMap,
    budget: &Budget,
) -> Result<Verdict, Error> {
    let dimensions = first.domain().ids(VariableKind::Dimension);
    let results = dimensions.map(Expr::variable).collect();
    let identity = IndexingMap::new(first.domain().clone(), results);
    match first.then(second) {
        Ok(both) => equal_functions(&both, &identity, budget),
        Err(_) => Ok(Verdict::Unknown(Reason::Overflow)),
    }
}
