//! The one canonical text of maps.
//!
//! Law: what is printed parses back to the same map, in every style. MLIR has no text for some maps
//! ([`mlir_refusal`] says why); those are printed in the default style. A constraint that bounds
//! nothing, `[-inf, inf]`, has none there either, and is left out.
//!
//! A map is printed as `affine_map<...>` in every style when it has variables, none of them bounded,
//! no constraints, and a text in MLIR. Where only some ends are infinite, an interval is printed
//! as `[-inf, 5]`, which the reader knows too.

use super::print::{Style, print_constraint, print_head, print_interval, variable_names};
use super::print_mlir::{self, mlir_refusal};
use crate::expr::{Domain, IndexingMap, VariableKind};
use crate::num::Interval;
use crate::text::Error;
use std::fmt::Write;
use std::sync::Arc;

/// The text of a map in this style and no other, on one line.
///
/// # Errors
/// What [`mlir_refusal`] says, in that style.
pub fn print_map_strictly(map: &IndexingMap, style: Style) -> Result<String, Error> {
    match mlir_refusal(map).filter(|_| style == Style::Mlir) {
        Some(refusal) => Err(refusal),
        None => Ok(print_map(map, style)),
    }
}

/// The text of a map, on one line; in the default style where this one has no text for it.
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

/// Can the domain be left out, because nothing is bounded?
fn is_unbounded(domain: &Domain) -> bool {
    let free = |bounds: Interval| bounds == Interval::ALL;
    !domain.variables().is_empty()
        && domain.count(VariableKind::Runtime) == 0
        && domain.constraints().is_empty()
        && domain
            .variables()
            .iter()
            .all(|variable| free(variable.bounds))
}

fn print_domain(text: &mut String, domain: &Domain, names: &[Arc<str>], style: Style) {
    if domain.is_known_empty() {
        text.push_str(", domain: empty");
        return;
    }
    let mut separator = ", domain: ";
    for variable in domain.variables() {
        let bounds = print_interval(variable.bounds);
        // Writing to a string cannot fail.
        let _ = write!(text, "{separator}{} in {bounds}", variable.name);
        separator = ", ";
    }
    for constraint in domain.constraints() {
        text.push_str(separator);
        text.push_str(&print_constraint(constraint, names, style));
        separator = ", ";
    }
}
