//! Folds runtime variables whose values are known at compile time into their maps.
//!
//! Law: for the same tensors, from which the remaining runtime variables are taken, the union of the maps has the reads of the
//! given map. A variable is replaced by its value: the only one in its clamp; or an expression over the index, clamped; or else,
//! for few elements, there is a map for each run of indices along which the values fit a sum. If truth values are open (`known`), a
//! choice that depends on some is left out, and the maps have the reads for all of their values.

use super::cases::cases;
use super::known::{Element, Known};
use super::number::Number;
use super::reads::{InstructionPlace, OperandMap, OperandReads, Reads, RuntimeVariable};
use affinor::expr::{Domain, Expr, ExprError, IndexingMap, VariableId};
use affinor::num::{Interrupt, Interval};
use affinor_hlo::module::{InstructionId, Module};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Maximum number of elements of a tensor that are evaluated one by one.
const ELEMENTS: usize = 1_024;

/// Maximum number of maps that replace one map.
const MAPS: usize = 128;

/// Returns the reads of the instruction at `place`, with known values substituted for runtime variables.
pub(super) fn folded(
    module: &Module,
    place: InstructionPlace,
    reads: Arc<[OperandReads]>,
    interrupt: &Interrupt,
) -> Arc<[OperandReads]> {
    let has_values = |entry: &OperandReads| {
        let maps = entry.reads.maps().unwrap_or_default();
        maps.iter().any(|map| !map.runtime.is_empty())
    };
    if !reads.iter().any(has_values) {
        return reads;
    }
    let fold = |map: &OperandMap| {
        let bounds = map.map.domain().intervals().collect();
        let mut known = Known::new(module, place.computation, bounds, interrupt);
        parts(map, &mut known, Some(place.instruction)).unwrap_or_else(|_| vec![map.clone()])
    };
    let entries = reads.iter().map(|entry| OperandReads {
        reads: match &entry.reads {
            Reads::Maps(maps) => Reads::union(maps.iter().flat_map(fold)),
            unknown => unknown.clone(),
        },
        ..entry.clone()
    });
    entries.collect()
}

/// Returns the maps that replace `map`, which is about `instruction`, or about the whole computation if `None`.
pub(super) fn parts(
    map: &OperandMap,
    known: &mut Known<'_>,
    instruction: Option<InstructionId>,
) -> Result<Vec<OperandMap>, ExprError> {
    let pieces = pieces(map, known, instruction);
    pieces.iter().map(|piece| piece.of(map)).collect()
}

/// A part of the domain of a map, with the known values of runtime variables there.
#[derive(Clone)]
struct Piece {
    conditions: BTreeMap<Expr, Interval>,
    /// For each variable, its value; a variable without known value is mapped to itself.
    images: Vec<Expr>,
}

/// Returns the pieces of `map`; each variable is folded in all of them or in none.
fn pieces(
    map: &OperandMap,
    known: &mut Known<'_>,
    instruction: Option<InstructionId>,
) -> Vec<Piece> {
    let variables = 0..map.map.domain().variables().len() as u32;
    let mut pieces = vec![Piece {
        conditions: BTreeMap::new(),
        images: variables.map(|id| Expr::variable(VariableId(id))).collect(),
    }];
    for runtime in &map.runtime {
        let bounds = map.map.domain().bounds(runtime.variable);
        let split = |piece: &Piece| piece.split(runtime, bounds, known, instruction);
        let parts: Option<Vec<Vec<Piece>>> = pieces.iter().map(split).collect();
        let parts = parts.map(|parts| parts.concat());
        if let Some(parts) = parts.filter(|parts| parts.len() <= MAPS) {
            pieces = parts;
        }
    }
    pieces
}

impl Piece {
    /// Splits the piece into parts in which `runtime`, which has these bounds, has a known value.
    fn split(
        &self,
        runtime: &RuntimeVariable,
        bounds: Interval,
        known: &mut Known<'_>,
        instruction: Option<InstructionId>,
    ) -> Option<Vec<Piece>> {
        if let Some(only) = runtime.clamp.as_point() {
            return Some(vec![self.with(runtime, Expr::constant(only))]);
        }
        let index = runtime.index.iter().map(|x| x.substitute(&self.images).ok());
        let index = index.collect::<Option<_>>()?;
        let element = known.element(instruction, &runtime.source, index)?;
        let value = known.value(&element);
        let open = |x: &Number| known.is_open(&x.expr);
        if let Some(value) = value.as_ref().filter(|value| !open(value)) {
            let value = value.forced(runtime.clamp)?;
            return self.valued(runtime, bounds, value.expr, known);
        }
        let is_fixed = !element.index.iter().any(|index| known.is_open(index));
        let runs = is_fixed.then(|| self.runs(&element, runtime.clamp, known)).flatten();
        let Some(runs) = runs else {
            let value = value.filter(|_| runtime.is_choice)?;
            return self.valued(runtime, bounds, value.expr, known);
        };
        let mut parts = Vec::new();
        for run in runs {
            if let Some(part) = self.clone().constrained(run.conditions) {
                parts.extend(part.valued(runtime, bounds, run.value, known)?);
            }
        }
        Some(parts)
    }

    /// Returns the parts in which `runtime` has this value: of a choice, those in which the value is within the bounds.
    fn valued(
        &self,
        runtime: &RuntimeVariable,
        bounds: Interval,
        value: Expr,
        known: &Known<'_>,
    ) -> Option<Vec<Piece>> {
        let (true, Some(chosen)) = (runtime.is_choice, bounds.as_point()) else {
            return Some(vec![self.with(runtime, value)]);
        };
        let part = self.with(runtime, Expr::constant(chosen));
        let mut cases = cases(&value, bounds, &|expr| known.range(expr))?;
        cases.iter_mut().for_each(|case| case.retain(|(expr, _)| !known.is_open(expr)));
        if cases.iter().any(Vec::is_empty) {
            return Some(vec![part]);
        }
        Some(cases.into_iter().filter_map(|case| part.clone().constrained(case)).collect())
    }

    fn with(&self, runtime: &RuntimeVariable, value: Expr) -> Piece {
        let mut piece = self.clone();
        if let Some(image) = piece.images.get_mut(runtime.variable.index()) {
            *image = value;
        }
        piece
    }

    /// Restricts the piece by further conditions; `None` if it becomes empty.
    fn constrained(mut self, conditions: Vec<(Expr, Interval)>) -> Option<Piece> {
        for (expr, bounds) in conditions {
            let known = self.conditions.entry(expr).or_insert(Interval::ALL);
            *known = known.intersect(bounds);
            if known.is_empty() {
                return None;
            }
        }
        Some(self)
    }

    /// Returns the elements of a tensor, clamped to `clamp`, in runs along the last of the dimensions that the index ranges
    /// over.
    fn runs(&self, element: &Element, clamp: Interval, known: &mut Known<'_>) -> Option<Vec<Run>> {
        let sizes = known.sizes(element)?;
        let ranges = element.index.iter().zip(&sizes).map(|(index, size)| {
            let range = known.range(index).intersect(Interval::of_size(*size));
            let condition = self.conditions.get(index);
            condition.map_or(range, |bounds| range.intersect(*bounds))
        });
        let ranges: Vec<Interval> = ranges.collect();
        let count =
            ranges.iter().try_fold(1, |count: u64, range| count.checked_mul(range.count()?))?;
        if usize::try_from(count).ok()? > ELEMENTS {
            return None;
        }
        let several = ranges.iter().rposition(|range| range.as_point().is_none());
        let last = several.or(ranges.len().checked_sub(1))?;
        let mut runs = Vec::new();
        let mut before = vec![Vec::new()];
        for range in &ranges[..last] {
            let longer = |index: &Vec<i64>| {
                let index = index.clone();
                (range.lo()..=range.hi()).map(move |k| [&index[..], &[k]].concat())
            };
            before = before.iter().flat_map(longer).collect();
        }
        for index in before {
            let mut values = Vec::new();
            for k in ranges[last].lo()..=ranges[last].hi() {
                let point = index.iter().chain([&k]).copied();
                let rest = ranges[last + 1..].iter().map(|range| range.lo());
                let point = element.at(point.chain(rest).map(Expr::constant).collect());
                values.push(known.value(&point)?.forced(clamp)?.expr.as_constant()?);
            }
            let fixed = element.index.iter().zip(&index);
            let fixed: Vec<_> = fixed.map(|(x, k)| (x.clone(), Interval::point(*k))).collect();
            runs.extend(along(&element.index[last], ranges[last].lo(), &values, &fixed)?);
        }
        Some(runs)
    }

    /// Restricts `map` to this piece.
    fn of(&self, map: &OperandMap) -> Result<OperandMap, ExprError> {
        let old = map.map.domain();
        let is_left =
            |id: &usize| self.images[*id].as_variable().is_some_and(|image| image.index() == *id);
        let left: Vec<usize> = (0..self.images.len()).filter(is_left).collect();
        let place = |id: usize| left.iter().position(|other| *other == id).unwrap_or(0);
        let renumbered =
            (0..self.images.len()).map(|id| Expr::variable(VariableId(place(id) as u32)));
        let renumbered: Vec<Expr> = renumbered.collect();
        let images = self.images.iter().map(|image| image.substitute(&renumbered));
        let images: Vec<Expr> = images.collect::<Result<_, _>>()?;
        let variables = left.iter().map(|id| old.variables()[*id].clone());
        let mut domain = Domain::new(variables.collect());
        for (expr, bounds) in &self.conditions {
            domain.constrain(&expr.substitute(&renumbered)?, *bounds);
        }
        for constraint in old.constraints() {
            domain.constrain(&constraint.expr.substitute(&images)?, constraint.bounds);
        }
        let mut runtime = Vec::new();
        for variable in &map.runtime {
            let id = variable.variable.index();
            if !left.contains(&id) {
                // The bounds of the variable may be narrower than its clamp.
                let bounds = old.bounds(variable.variable);
                if !bounds.contains_all(variable.clamp) {
                    domain.constrain(&images[id], bounds);
                }
                continue;
            }
            let index = variable.index.iter().map(|x| x.substitute(&images));
            runtime.push(RuntimeVariable {
                variable: VariableId(place(id) as u32),
                index: index.collect::<Result<_, _>>()?,
                ..variable.clone()
            });
        }
        let results = map.map.results().iter().map(|x| x.substitute(&images));
        Ok(OperandMap {
            map: IndexingMap::new(domain, results.collect::<Result<_, _>>()?),
            exactness: map.exactness.clone(),
            runtime,
        })
    }
}

/// The value of an element, for indices in some intervals.
struct Run {
    conditions: Vec<(Expr, Interval)>,
    value: Expr,
}

/// Splits `values` into the longest runs that fit a sum of `index`, which numbers them from `first` on.
fn along(index: &Expr, first: i64, values: &[i64], fixed: &[(Expr, Interval)]) -> Option<Vec<Run>> {
    let mut runs = Vec::new();
    let (mut rest, mut start) = (values, first);
    while let Some((value, others)) = rest.split_first() {
        let slope = others.first().map_or(Some(0), |next| next.checked_sub(*value))?;
        let steps = rest.windows(2).take_while(|pair| pair[1].checked_sub(pair[0]) == Some(slope));
        // Any two values fit a sum, so only two equal values count as a run.
        let length = match steps.count() {
            1 if slope != 0 => 1,
            steps => steps + 1,
        };
        let slope = if length == 1 { 0 } else { slope };
        let own = Interval::new(start, start + length as i64 - 1);
        let constant = value.checked_sub(slope.checked_mul(start)?)?;
        let mut conditions = fixed.to_vec();
        conditions.push((index.clone(), own));
        runs.push(Run { conditions, value: Expr::sum(constant, [(slope, index.clone())]).ok()? });
        (rest, start) = (rest.get(length..)?, own.hi() + 1);
    }
    Some(runs)
}
