//! The canonical text of maps.
//!
//! Law: a printed map parses back to the same map, in every style. MLIR cannot express some maps (for the reasons given by
//! [`mlir_refusal`]); those are printed in the default style. A constraint without bounds, `[-inf, inf]`, cannot be expressed
//! either, and is left out.
//!
//! A map is printed as `affine_map<...>` in every style if it has variables, all unbounded, no constraints, and a text in MLIR.
//! If only some bounds are infinite, an interval is printed as `[-inf, 5]`, which the parser accepts too.

use super::ends::Ends;
use super::print::{
    Style, print_constraint, print_expr, print_head, print_interval, variable_names,
};
use super::print_mlir::{self, mlir_refusal};
use crate::expr::{Domain, IndexingMap, VariableId, VariableKind};
use crate::num::{Interval, MINUS_INFINITY, PLUS_INFINITY};
use crate::text::Error;
use std::fmt::Write;
use std::sync::Arc;

/// Prints a map in exactly this style, on one line.
///
/// # Errors
/// The error of [`mlir_refusal`], in that style.
pub fn print_map_strictly(map: &IndexingMap, style: Style) -> Result<String, Error> {
    match mlir_refusal(map).filter(|_| style == Style::Mlir) {
        Some(refusal) => Err(refusal),
        None => Ok(print_map(map, style)),
    }
}

/// Prints a map on one line; in the default style if this style cannot express it.
#[must_use]
pub fn print_map(map: &IndexingMap, style: Style) -> String {
    let as_mlir = style == Style::Mlir || is_unbounded(map.domain());
    if as_mlir && mlir_refusal(map).is_none() {
        return print_mlir::print(map);
    }
    let names = variable_names(map.domain());
    let mut text = String::new();
    print_head(&mut text, map, &names, style);
    print_domain(&mut text, map.domain(), &names, style);
    text
}

/// Returns whether the domain can be omitted, because all variables are unbounded.
fn is_unbounded(domain: &Domain) -> bool {
    let free = |bounds: Interval| bounds == Interval::ALL;
    let is_listed = |kind| domain.count(kind) > 0;
    !domain.variables().is_empty()
        && !is_listed(VariableKind::Runtime)
        && !is_listed(VariableKind::Parameter)
        && domain.constraints().is_empty()
        && domain.variables().iter().all(|variable| free(variable.bounds))
}

fn print_domain(text: &mut String, domain: &Domain, names: &[Arc<str>], style: Style) {
    if domain.is_known_empty() {
        text.push_str(", domain: empty");
        return;
    }
    let mut separator = ", domain: ";
    let ends = Ends::of(domain);
    let numbered = || (0..).map(VariableId).zip(domain.variables());
    let (parameters, others): (Vec<_>, Vec<_>) =
        numbered().partition(|(_, variable)| variable.kind == VariableKind::Parameter);
    for (id, variable) in parameters.into_iter().chain(others) {
        let bounds = match ends.get(id) {
            [None, None] => print_interval(variable.bounds),
            ends => {
                let numbers = [variable.bounds.lo(), variable.bounds.hi()];
                let [lo, hi] = [0, 1].map(|place| match (ends[place], numbers[place]) {
                    (Some(expr), _) => print_expr(expr, names, style),
                    (None, MINUS_INFINITY) => "-inf".to_owned(),
                    (None, PLUS_INFINITY) => "inf".to_owned(),
                    (None, number) => number.to_string(),
                });
                format!("[{lo}, {hi}]")
            }
        };
        // Writing to a string cannot fail.
        let _ = write!(text, "{separator}{} in {bounds}", variable.name);
        separator = ", ";
    }
    let constraints = domain.constraints().iter().zip(ends.is_shown);
    for (constraint, _) in constraints.filter(|(_, is_shown)| !is_shown) {
        text.push_str(separator);
        text.push_str(&print_constraint(constraint, names, style));
        separator = ", ";
    }
}
