//! Prints maps in MLIR syntax: `affine_map<(d0) -> (d0 mod 8)>, affine_set<(d0) : (d0 >= 0, d0 <= 9)>`.
//!
//! Law: MLIR reads the printed map as the same function on the same domain, and so does [`parse_map`](super::parse_map). The set
//! is the domain, omitted if all variables are unbounded. Range variables and parameters are symbols: a symbol that is a factor
//! or divisor is read as a parameter, any other as a range variable. Maps that MLIR cannot express are rejected, and no part is
//! left out: runtime variables, min and max, names that are not valid in MLIR.
//!
//! Source: MLIR, *'affine' dialect*, "Affine Expressions", "Affine Maps", "Integer Sets"; `AsmParser/TokenKinds.def`.

use super::print::{Style, print_head, print_lists, variable_names, write_expr};
use super::token::excerpt;
use crate::expr::{Divisor, Domain, Expr, ExprKind, IndexingMap, VariableId, VariableKind};
use crate::num::{Interval, MINUS_INFINITY, PLUS_INFINITY};
use crate::text::{Error, ErrorKind};
use std::collections::BTreeSet;
use std::fmt::Write;

/// MLIR keywords, which cannot name a variable; keywords that begin like a type are in [`is_mlir_name`].
const KEYWORDS: &[&str] = &[
    "affine_map",
    "affine_set",
    "array",
    "attributes",
    "ceildiv",
    "complex",
    "dense",
    "dense_resource",
    "distinct",
    "false",
    "floordiv",
    "for",
    "func",
    "index",
    "loc",
    "max",
    "memref",
    "min",
    "mod",
    "none",
    "offset",
    "size",
    "sparse",
    "step",
    "strided",
    "symbol",
    "tensor",
    "to",
    "token",
    "true",
    "tuple",
    "type",
    "unit",
    "vector",
];

/// Returns the reason why MLIR cannot express a map; `None` if it can.
#[must_use]
pub fn mlir_refusal(map: &IndexingMap) -> Option<Error> {
    let domain = map.domain();
    let message = domain
        .variables()
        .iter()
        .find_map(|variable| {
            let name = excerpt(&variable.name);
            match variable.kind {
                VariableKind::Runtime => Some(format!(
                    "an MLIR affine_map cannot express that `{name}` is a runtime variable"
                )),
                _ if !is_mlir_name(&variable.name) => {
                    Some(format!("`{name}` is not a valid MLIR variable name"))
                }
                _ => None,
            }
        })
        .or_else(|| {
            let bounded = domain.constraints().iter();
            let exprs = map.results().iter().chain(bounded.map(|bound| &bound.expr));
            exprs.into_iter().find_map(no_text)
        })
        .or_else(|| no_symbols(map))?;
    let error = Error::without_span(ErrorKind::Unsupported, message);
    Some(error.hint("the styles `plain` and `xla` support every map"))
}

/// Prints a map that MLIR can express.
pub(super) fn print(map: &IndexingMap) -> String {
    let (domain, names) = (map.domain(), variable_names(map.domain()));
    let mut text = String::from("affine_map<");
    print_head(&mut text, map, &names, Style::Mlir);
    text.push('>');
    let constraints = constraints(domain);
    if !constraints.is_empty() {
        text.push_str(", affine_set<");
        print_lists(&mut text, domain, Style::Mlir);
        let _ = write!(text, " : ({})>", constraints.join(", ")); // writing to a string cannot fail
    }
    text
}

fn constraints(domain: &Domain) -> Vec<String> {
    if domain.is_known_empty() {
        return vec!["1 == 0".to_owned()];
    }
    let names = variable_names(domain);
    let mut list = Vec::new();
    let mut compare = |text: &str, bounds: Interval| {
        if bounds.lo() == bounds.hi() {
            list.push(format!("{text} == {}", bounds.lo()));
            return;
        }
        if bounds.lo() != MINUS_INFINITY {
            list.push(format!("{text} >= {}", bounds.lo()));
        }
        if bounds.hi() != PLUS_INFINITY {
            list.push(format!("{text} <= {}", bounds.hi()));
        }
    };
    for variable in domain.variables() {
        compare(&variable.name, variable.bounds);
    }
    for constraint in domain.constraints() {
        let mut text = String::new();
        write_expr(&mut text, &constraint.expr, &names, Style::Mlir);
        compare(&text, constraint.bounds);
    }
    list
}

/// Describes a factor or divisor that is not over symbols, or a mismatch between the parameters of a map and the symbols in
/// factors and divisors, which MLIR text reads as parameters.
fn no_symbols(map: &IndexingMap) -> Option<String> {
    let domain = map.domain();
    let is_symbol = |id: &VariableId| {
        let variable = domain.variables().get(id.index());
        variable.is_some_and(|variable| variable.kind != VariableKind::Dimension)
    };
    let constraints = domain.constraints().iter().map(|bound| &bound.expr);
    let mut pending: Vec<&Expr> = map.results().iter().chain(constraints).collect();
    let mut sizes = BTreeSet::new();
    while let Some(expr) = pending.pop() {
        let factors = match expr.kind() {
            ExprKind::Product(factors) => factors.as_slice(),
            ExprKind::FloorDiv(_, Divisor::Named(divisor))
            | ExprKind::CeilDiv(_, Divisor::Named(divisor))
            | ExprKind::Mod(_, Divisor::Named(divisor)) => std::slice::from_ref(divisor),
            _ => &[],
        };
        let mut others = usize::from(matches!(expr.kind(), ExprKind::Product(_)));
        for variables in factors.iter().map(Expr::variables) {
            match variables.iter().all(is_symbol) {
                true => sizes.extend(variables),
                false if others > 0 => others -= 1,
                false => {
                    let message = "an MLIR affine_map multiplies and divides by symbols only";
                    return Some(message.to_owned());
                }
            }
        }
        pending.extend(expr.operands());
    }
    let numbered = (0..).map(VariableId).zip(domain.variables());
    numbered.into_iter().find_map(|(id, variable)| {
        let name = excerpt(&variable.name);
        match (variable.kind, sizes.contains(&id)) {
            (VariableKind::Parameter, false) => Some(format!(
                "in an MLIR affine_map, `{name}` would be read as a range variable: it is not a factor or divisor"
            )),
            (VariableKind::Range, true) => Some(format!(
                "in an MLIR affine_map, the factor or divisor `{name}` would be read as a parameter"
            )),
            _ => None,
        }
    })
}

/// Describes the part of an expression that MLIR cannot express.
fn no_text(expr: &Expr) -> Option<String> {
    let mut pending = vec![expr];
    while let Some(expr) = pending.pop() {
        let call = match expr.kind() {
            ExprKind::Min(_) => Some("min"),
            ExprKind::Max(_) => Some("max"),
            _ => None,
        };
        if let Some(call) = call {
            return Some(format!("an MLIR affine_map does not support `{call}`"));
        }
        let too_large = match expr.kind() {
            ExprKind::Constant(value) => *value == i64::MIN,
            ExprKind::Sum(sum) => {
                let factors = sum.terms().iter().map(|(factor, _)| *factor);
                factors.chain([sum.constant()]).any(|n| n == i64::MIN)
            }
            _ => false,
        };
        if too_large {
            return Some(format!("MLIR cannot parse the number {}", i64::MIN));
        }
        pending.extend(expr.operands());
    }
    None
}

/// Returns whether MLIR accepts the name for a variable: ASCII, and not the name of a type (`i32`, `f8E4M3`).
#[must_use]
pub fn is_mlir_name(text: &str) -> bool {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let number = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
    let is_integer_type = ["i", "si", "ui"].iter().any(|prefix| {
        let width = text.strip_prefix(prefix).unwrap_or_default();
        !width.is_empty() && width.bytes().all(|byte| byte.is_ascii_digit())
    });
    let is_float_type =
        ["f", "bf", "tf"].iter().any(|prefix| text.strip_prefix(prefix).is_some_and(number));
    text.chars().all(word) && !is_integer_type && !is_float_type && !KEYWORDS.contains(&text)
}
