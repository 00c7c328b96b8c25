//! Expresses runtime variables computed inside a module in terms of elements of its parameters.
//!
//! Law: for all values of the parameters, the returned map has the reads of the given one. Its runtime variables are elements
//! of parameters of the entry; each has the clamp that the module applies to it, so that equal variables have equal clamps.

use super::known::Known;
use super::reads::{OperandMap, RuntimeVariable, ValueSource};
use affinor::expr::{Domain, Expr, IndexingMap, Variable, VariableId, VariableKind};
use affinor::num::{Interrupt, Interval};
use affinor_hlo::module::Module;
use std::collections::BTreeSet;

/// Returns a map of the entry computation with its runtime variables as expressions over elements of parameters; `None` if one
/// of them has no known expression. With `assumed`, the law holds if the elements of the parameters are in that interval.
#[must_use]
pub fn opened(
    module: &Module,
    map: &OperandMap,
    assumed: Option<Interval>,
    interrupt: &Interrupt,
) -> Option<OperandMap> {
    let bounds = map.map.domain().intervals().collect();
    let known = Known::new(module, module.entry(), bounds, interrupt);
    by_parameters(map, known.with_elements_of_parameters(assumed), assumed.is_some())
}

/// Returns a map of the computation of `known`, which represents elements of its parameters, with runtime variables as
/// expressions over these. Elements of 64 bits are excluded unless their values are `assumed` to be small.
pub(super) fn by_parameters(
    map: &OperandMap,
    mut known: Known<'_>,
    assumed: bool,
) -> Option<OperandMap> {
    let old = map.map.domain();
    let count = old.variables().len();
    let own = count - old.count(VariableKind::Runtime);
    let variable = |id: usize| Expr::variable(VariableId(id as u32));
    let mut images: Vec<Expr> = (0..count).map(variable).collect();
    for runtime in &map.runtime {
        let index = runtime.index.iter().map(|x| x.substitute(&images).ok());
        let element = known.element(None, &runtime.source, index.collect::<Option<_>>()?)?;
        let value = known.value(&element)?;
        let value = known.forced(&value, runtime.clamp)?;
        *images.get_mut(runtime.variable.index())? = value.expr;
    }
    let leaves = known.elements_of_parameters();
    // The variables in the images, and those in the indices of these elements.
    let mut mentioned = BTreeSet::new();
    for image in images.iter().skip(own) {
        image.collect_variables(&mut mentioned);
    }
    for (place, leaf) in leaves.iter().enumerate().rev() {
        if mentioned.contains(&VariableId((count + place) as u32)) {
            for index in &leaf.index {
                index.collect_variables(&mut mentioned);
            }
        }
    }
    let mut renumbered: Vec<Expr> = (0..own).map(variable).collect();
    renumbered.resize(count, Expr::constant(0)); // no image mentions an old runtime variable
    let mut variables: Vec<Variable> = old.variables()[..own].to_vec();
    let mut runtime = Vec::new();
    for (id, leaf) in (count..).zip(leaves) {
        if !mentioned.contains(&VariableId(id as u32)) {
            renumbered.push(Expr::constant(0));
            continue;
        }
        // The extreme values of 64 bits are outside of every interval of values.
        (assumed || !leaf.is_cut).then_some(())?;
        let index = leaf.index.iter().map(|x| x.substitute(&renumbered).ok());
        let index = index.collect::<Option<_>>()?;
        let name = format!("rt{}", runtime.len());
        renumbered.push(variable(variables.len()));
        runtime.push(RuntimeVariable {
            variable: VariableId(variables.len() as u32),
            source: ValueSource::Operand { operand: leaf.parameter, path: leaf.path.clone() },
            index,
            clamp: leaf.clamp,
            is_choice: false,
        });
        variables.push(Variable::new(name, VariableKind::Runtime, leaf.clamp));
    }
    let images = images.iter().map(|image| image.substitute(&renumbered));
    let images: Vec<Expr> = images.collect::<Result<_, _>>().ok()?;
    let mut domain = Domain::new(variables);
    for variable in &map.runtime {
        let bounds = old.bounds(variable.variable);
        domain.constrain(images.get(variable.variable.index())?, bounds);
    }
    for constraint in old.constraints() {
        let expr = constraint.expr.substitute(&images).ok()?;
        domain.constrain(&expr, constraint.bounds);
    }
    if old.is_known_empty() {
        domain.make_empty();
    }
    let results = map.map.results().iter().map(|x| x.substitute(&images).ok());
    Some(OperandMap {
        map: IndexingMap::new(domain, results.collect::<Option<_>>()?),
        exactness: map.exactness.clone(),
        runtime,
    })
}
