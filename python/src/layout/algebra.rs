//! The operations on layouts, for each form that supports them.
//!
//! Law: an answer is the library's, which checked it against the definition of the operation; an operation without an answer
//! raises an Error with the reason, or Undecided.

use super::form::Form;
use super::operands::Operand;
use crate::errors::{about, refused, wrong};
use crate::means::{budget, options, simplifier};
use crate::trace::hinted;
use crate::work::run;
use affinor::expr::IndexingMap;
use affinor::prove::{Budget, Verdict, equal_functions};
use affinor::simplify::Effort;
use affinor::text::{self, ErrorKind};
use affinor_layout::cute::algebra::{self, Arrangement, Interleaving, Made, Refusal};
use affinor_layout::cute::named::{
    self, Condition, Conditional, NamedLayout, NamedTiler, Operation, conditional,
};
use affinor_layout::cute::{self, Tiler};
use affinor_layout::linear::{Inverse, LinearLayout, NotLinear, recognised};
use pyo3::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// Computes an answer without the interpreter's lock.
fn made(
    py: Python<'_>,
    work: impl FnOnce(&Budget) -> Result<Made, Refusal> + Send,
) -> PyResult<Form> {
    let made = run(py, |interrupt| work(&budget(interrupt)))?;
    made.map(|made| Form::Cute(made.layout)).map_err(refused)
}

/// Computes an answer with named sizes, for all values that meet the conditions.
fn made_by_name(
    py: Python<'_>,
    conditions: &[Condition],
    work: impl FnOnce(&Budget) -> Result<NamedLayout, Refusal> + Send,
) -> PyResult<Form> {
    let made = run(py, |interrupt| work(&budget(interrupt)))?;
    let layout = made.map_err(refused)?;
    let conditions = conditions.to_vec();
    Form::of_named(Conditional { conditions, ..Conditional::always(layout) })
}

/// Computes the answer of an operation with named sizes, with the conditions under which it is the answer.
fn made_where(py: Python<'_>, operation: Operation, named: &Named) -> PyResult<Form> {
    let Named { first, second, conditions } = named;
    let made =
        run(py, |interrupt| conditional(operation, first, second, conditions, &budget(interrupt)))?;
    Form::of_named(made.map_err(refused)?)
}

fn not_linear(why: NotLinear) -> PyErr {
    let kind = match why {
        NotLinear::TooLarge => ErrorKind::TooLarge,
        _ => ErrorKind::Shape,
    };
    wrong(kind, why.to_string())
}

fn unsupported(message: impl Into<String>) -> PyErr {
    wrong(ErrorKind::Unsupported, message)
}

fn no_names(operation: &str) -> PyErr {
    unsupported(format!("`{operation}` does not support sizes with names"))
}

/// Returns the layout that is equal to a map: a CuTe layout, or a linear one if there are several results.
pub fn of_map(py: Python<'_>, map: &IndexingMap) -> PyResult<Form> {
    if map.results().len() > 1 {
        let layout = recognised(map).map_err(not_linear)?;
        return Ok(Form::of_linear(layout));
    }
    let simplifier = simplifier()?;
    made(py, |budget| {
        let found = algebra::recognise(map, budget);
        if map.domain().constraints().is_empty() || !matches!(found, Err(Refusal::None(_))) {
            return found;
        }
        // Simplification may remove conditions that do not restrict the box.
        let interrupt = budget.interrupt.clone().unwrap_or_default();
        let simple = simplifier.simplify(map, &options(Effort::default(), &interrupt)).map;
        algebra::recognise(&simple, budget)
    })
}

/// Two operands, at least one of which has names, and the conditions of both.
struct Named {
    first: NamedLayout,
    second: NamedTiler,
    conditions: Vec<Condition>,
}

/// Two operands of one kind.
enum Pair {
    Cute(cute::Layout, Tiler),
    Named(Named),
    Linear(LinearLayout, LinearLayout),
}

impl Pair {
    fn of(operation: &str, first: &Form, second: Operand) -> PyResult<Pair> {
        match (first, second) {
            (Form::Attribute(..) | Form::Bits(_), second) => {
                let first = first.linear()?.ok_or_else(|| no_names(operation))?;
                Ok(Pair::Linear(first, linear(second)?))
            }
            (first, Operand::Linear(second)) => {
                let first = recognised(first.cute()?.map()).map_err(not_linear)?;
                Ok(Pair::Linear(first, second))
            }
            (first @ Form::Named(_), Operand::Tiler(second)) => {
                Pair::named(first, with_names(second)?, &[])
            }
            (first, Operand::Named(second, conditions)) => Pair::named(first, second, &conditions),
            (first, Operand::Tiler(second)) => Ok(Pair::Cute(first.cute()?, second)),
        }
    }

    fn named(first: &Form, second: NamedTiler, others: &[Condition]) -> PyResult<Pair> {
        let mut conditions = first.conditions().to_vec();
        conditions.extend_from_slice(others);
        Ok(Pair::Named(Named { first: first.named()?, second, conditions }))
    }
}

/// Converts a tiler to one that may have names.
fn with_names(tiler: Tiler) -> PyResult<NamedTiler> {
    let named = |layout: cute::Layout| Form::Cute(layout).named();
    Ok(match tiler {
        Tiler::Whole(layout) => NamedTiler::Whole(named(layout)?),
        Tiler::Modes(modes) => {
            let modes = modes.into_iter().map(|mode| mode.map(named).transpose());
            NamedTiler::Modes(modes.collect::<PyResult<_>>()?)
        }
    })
}

fn linear(operand: Operand) -> PyResult<LinearLayout> {
    match operand {
        Operand::Linear(layout) => Ok(layout),
        Operand::Tiler(Tiler::Whole(layout)) => recognised(layout.map()).map_err(not_linear),
        _ => Err(unsupported("a linear layout goes with a layout, not with a tiler or names")),
    }
}

pub fn compose(py: Python<'_>, first: &Form, second: Operand) -> PyResult<Form> {
    match Pair::of("compose", first, second)? {
        Pair::Cute(first, second) => {
            made(py, |budget| algebra::compose_by(&first, &second, budget))
        }
        Pair::Named(operands) => made_where(py, Operation::Compose, &operands),
        Pair::Linear(first, second) => second.then(&first).map(Form::of_linear).map_err(not_linear),
    }
}

pub fn complement(py: Python<'_>, layout: &Form, size: Option<NamedLayout>) -> PyResult<Form> {
    let has_names = size.as_ref().is_some_and(|size| !size.names().is_empty());
    if matches!(layout, Form::Named(_)) || has_names {
        let size = size.ok_or_else(|| {
            let message = "the complement of a layout with names needs the size that it is in";
            hinted(ErrorKind::Usage, message, "give it as in `complement(\"n * 8\")`")
        })?;
        let conditions = layout.conditions().to_vec();
        let operands = Named { first: layout.named()?, second: size.into(), conditions };
        return made_where(py, Operation::Complement, &operands);
    }
    let layout = layout.cute()?;
    let size = match size {
        Some(size) => Form::of_named(Conditional::always(size))?
            .cute()?
            .sizes()
            .iter()
            .try_fold(1_i64, |all, size| all.checked_mul(*size)),
        None => layout.offsets().and_then(|offsets| offsets.interval.hi().checked_add(1)),
    };
    made(py, |_| algebra::complement(&layout, size.ok_or(Refusal::Overflow)?))
}

fn arrangement(how: &str) -> PyResult<Arrangement> {
    match how {
        "logical" => Ok(Arrangement::Logical),
        "zipped" => Ok(Arrangement::Zipped),
        "tiled" => Ok(Arrangement::Tiled),
        "flat" => Ok(Arrangement::Flat),
        other => {
            let message = format!("there is no arrangement `{other}`");
            let hint = "it is logical, zipped, tiled or flat, of a product also blocked or raked";
            Err(hinted(ErrorKind::Usage, message, hint))
        }
    }
}

pub fn divide(py: Python<'_>, layout: &Form, tile: Operand, how: &str) -> PyResult<Form> {
    let how = arrangement(how)?;
    match Pair::of("divide", layout, tile)? {
        Pair::Cute(layout, tile) => made(py, |budget| algebra::divide(&layout, &tile, how, budget)),
        Pair::Named(operands) => made_where(py, Operation::Divide(how), &operands),
        Pair::Linear(..) => Err(unsupported("linear layouts have no division")),
    }
}

pub fn product(py: Python<'_>, layout: &Form, tile: Operand, how: &str) -> PyResult<Form> {
    let how = match how {
        "blocked" => Interleaving::Blocked,
        "raked" => Interleaving::Raked,
        other => Interleaving::Apart(arrangement(other)?),
    };
    match Pair::of("product", layout, tile)? {
        Pair::Cute(layout, tile) => {
            made(py, |budget| algebra::product(&layout, &tile, how, budget))
        }
        Pair::Named(operands) => made_where(py, Operation::Product(how), &operands),
        Pair::Linear(..) => Err(unsupported("linear layouts have no product")),
    }
}

pub fn inverse(py: Python<'_>, layout: &Form, side: &str) -> PyResult<Form> {
    if !matches!(side, "left" | "right" | "pseudo") {
        let message = format!("an inverse has no side `{side}`");
        let hint = "it is \"left\" or \"right\", of a linear layout also \"pseudo\"";
        return Err(hinted(ErrorKind::Usage, message, hint));
    }
    if let Some(layout) = layout.linear()? {
        return inverse_of_bits(&layout, side);
    }
    if side == "pseudo" {
        return Err(unsupported("only a linear layout has a pseudo-inverse"));
    }
    let is_left = side == "left";
    if let Form::Named(Conditional { layout, conditions, .. }) = layout {
        return made_by_name(py, conditions, |budget| match is_left {
            true => named::left_inverse(layout, budget).map(|(found, _)| found),
            false => named::right_inverse(layout, budget),
        });
    }
    let layout = layout.cute()?;
    made(py, |budget| match is_left {
        true => algebra::left_inverse(&layout, budget).map_err(|refusal| match refusal {
            Refusal::Unknown(why) => {
                Refusal::Unknown(format!("{why}; `inverse_map` may have it as a map"))
            }
            other => other,
        }),
        false => algebra::right_inverse(&layout, budget),
    })
}

/// Implements `Layout.inverse_map`.
pub fn inverse_map(py: Python<'_>, layout: &Form) -> PyResult<IndexingMap> {
    let layout = layout.cute()?;
    let found = run(py, |interrupt| algebra::left_inverse_map(&layout, &budget(interrupt)))?;
    found.map(|(map, ..)| map).map_err(refused)
}

/// Returns an inverse of a linear layout. A pseudo-inverse P of A, `A P A = A`, is a left inverse if A is injective, and a
/// right one if A is surjective.
fn inverse_of_bits(layout: &LinearLayout, side: &str) -> PyResult<Form> {
    let (is_there, why) = match side {
        "left" => (layout.is_injective(), "several places hold one element"),
        "right" => (layout.is_surjective(), "some elements have no place"),
        _ => (true, ""),
    };
    if !is_there {
        let message = format!("there is no {side} inverse: {why}");
        return Err(hinted(ErrorKind::Shape, message, "`side=\"pseudo\"` gives the nearest"));
    }
    let inverse = layout.inverse().map_err(not_linear)?;
    let (Inverse::Exact(found) | Inverse::Pseudo(found)) = inverse;
    Ok(Form::of_linear(found))
}

/// A change of modes that keeps the function of elements.
pub enum Regrouping {
    Coalesce,
    Flatten,
    Group(usize, usize),
}

pub fn regrouped(py: Python<'_>, layout: &Form, how: Regrouping) -> PyResult<Form> {
    if let Form::Named(Conditional { layout, conditions, .. }) = layout {
        return made_by_name(py, conditions, |budget| match how {
            Regrouping::Coalesce => named::coalesce(layout, budget),
            Regrouping::Flatten => named::flatten(layout, budget),
            Regrouping::Group(from, to) => named::group(layout, from, to, budget),
        });
    }
    let layout = layout.cute()?;
    made(py, |budget| match how {
        Regrouping::Coalesce => algebra::coalesce(&layout, budget),
        Regrouping::Flatten => algebra::flatten(&layout, budget),
        Regrouping::Group(from, to) => algebra::group(&layout, from, to, budget),
    })
}

pub fn common(py: Python<'_>, one: &Form, other: Operand) -> PyResult<Form> {
    match Pair::of("common", one, other)? {
        Pair::Cute(one, Tiler::Whole(other)) => {
            made(py, |budget| algebra::max_common(&one, &other, budget))
        }
        Pair::Cute(..) => Err(unsupported("`common` takes a layout, not a tiler of modes")),
        Pair::Named(..) => Err(no_names("common")),
        Pair::Linear(..) => Err(unsupported("`common` takes layouts of CuTe")),
    }
}

pub fn recast(py: Python<'_>, layout: &Form, from: i64, to: i64) -> PyResult<Form> {
    let layout = layout.cute()?;
    made(py, |budget| algebra::recast(&layout, from, to, budget))
}

/// The result of comparing two layouts as functions.
pub enum Equal {
    /// The comparison by their indices.
    ByIndex(IndexingMap, Verdict),
    /// The comparison by the linear numbers of their elements, as their modes differ.
    ByNumber(Result<(), Refusal>),
}

pub fn equal(py: Python<'_>, one: &Form, other: &Form) -> PyResult<Equal> {
    if matches!(one, Form::Named(_)) || matches!(other, Form::Named(_)) {
        let conditions = [one.conditions(), other.conditions()].concat();
        let (one, other) = (one.named()?, other.named()?);
        let decided = run(py, |interrupt| {
            named::same_elements(&one, &other, &conditions, &budget(interrupt))
        })?;
        return Ok(Equal::ByNumber(decided));
    }
    let (left, right) = (one.map()?, other.map()?);
    if left.domain().intervals().eq(right.domain().intervals()) {
        let verdict = run(py, |interrupt| equal_functions(&left, &right, &budget(interrupt)))?;
        let verdict = verdict.map_err(|error: text::Error| about("", error))?;
        return Ok(Equal::ByIndex(left, verdict));
    }
    if let (Form::Cute(one), Form::Cute(other)) = (one, other) {
        let decided = run(py, |interrupt| algebra::same_elements(one, other, &budget(interrupt)))?;
        return Ok(Equal::ByNumber(decided));
    }
    Err(wrong(ErrorKind::Shape, "the layouts have different sizes"))
}

/// Returns the layout with values substituted for its names, if they meet its conditions.
pub fn at(layout: &Form, values: &BTreeMap<String, i64>) -> PyResult<Form> {
    let names = match layout {
        Form::Named(found) => found.names(),
        _ => BTreeSet::new(),
    };
    if let Some(name) = values.keys().find(|name| !names.contains(*name)) {
        let names: Vec<String> = names.into_iter().collect();
        let hint = match names.is_empty() {
            true => "all its sizes are numbers".to_owned(),
            false => format!("its names are {}", names.join(", ")),
        };
        return Err(hinted(ErrorKind::Name, format!("the layout has no size `{name}`"), &hint));
    }
    let Form::Named(found) = layout else {
        return Form::read(&layout.text());
    };
    let with_values = found.layout.with_values(values).map_err(refused)?;
    let mut conditions = Vec::new();
    for condition in &found.conditions {
        let left = condition.with_values(values).ok_or_else(|| refused(Refusal::Overflow))?;
        if left.names().is_empty() && !left.holds(values) {
            let message = format!("the layout is an answer only where {condition}");
            return Err(wrong(ErrorKind::Shape, message));
        }
        if !left.is_trivial() {
            conditions.push(left);
        }
    }
    Form::of_named(Conditional { conditions, ..Conditional::always(with_values) })
}
