//! The canonical text of expressions, and of the parts of maps.
//!
//! Printing takes time linear in the length of the text, without recursion.

use crate::expr::{
    Constraint, Divisor, Domain, Expr, ExprKind, IndexingMap, VariableId, VariableKind,
};
use crate::num::Interval;
use std::fmt::Write;
use std::sync::Arc;

/// The syntax to print.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Style {
    /// `d0 floordiv 2`
    #[default]
    Plain,
    /// `d0 / 2` for floordiv, as XLA prints it; ceildiv and mod stay words.
    Xla,
    /// `affine_map<(d0) -> (d0 floordiv 2)>, affine_set<(d0) : (d0 >= 0, d0 <= 9)>`
    Mlir,
}

/// Prints an expression whose variables are called `names`, in the order of their numbers.
///
/// A variable without a name is printed as `#7`, which no parser accepts as a variable.
#[must_use]
pub fn print_expr<N: AsRef<str>>(expr: &Expr, names: &[N], style: Style) -> String {
    let mut text = String::new();
    write_expr(&mut text, expr, names, style);
    text
}

/// Prints `expr in [lo, hi]`.
#[must_use]
pub fn print_constraint<N: AsRef<str>>(
    constraint: &Constraint,
    names: &[N],
    style: Style,
) -> String {
    let mut text = print_expr(&constraint.expr, names, style);
    text.push_str(" in ");
    text.push_str(&print_interval(constraint.bounds));
    text
}

/// Prints `[lo, hi]`, with `-inf` and `inf` for infinite ends; `[0, -1]` if empty.
#[must_use]
pub fn print_interval(interval: Interval) -> String {
    if interval.is_empty() { "[0, -1]".to_owned() } else { interval.to_string() }
}

/// Returns the names of all variables, in the order of their numbers.
#[must_use]
pub fn variable_names(domain: &Domain) -> Vec<Arc<str>> {
    let variables = domain.variables().iter();
    variables.map(|variable| variable.name.clone()).collect()
}

/// Prints `<n>(d0, d1)[s0]{rt0}`; in MLIR parameters are symbols, `(d0, d1)[s0, n]`.
pub(super) fn print_lists(text: &mut String, domain: &Domain, style: Style) {
    let names_of = |kind: VariableKind| -> Vec<&str> {
        let variables = domain.variables().iter();
        variables.filter(|variable| variable.kind == kind).map(|variable| &*variable.name).collect()
    };
    let mut parameters = names_of(VariableKind::Parameter);
    let mut symbols = names_of(VariableKind::Range);
    if style == Style::Mlir {
        symbols.append(&mut parameters);
    }
    let lists = [
        ("<", parameters, ">"),
        ("(", names_of(VariableKind::Dimension), ")"),
        ("[", symbols, "]"),
        ("{", names_of(VariableKind::Runtime), "}"),
    ];
    for (open, names, close) in lists {
        if open == "(" || !names.is_empty() {
            text.push_str(open);
            text.push_str(&names.join(", "));
            text.push_str(close);
        }
    }
}

/// Prints `<n>(d0, d1)[s0]{rt0} -> (results)`.
pub(super) fn print_head(text: &mut String, map: &IndexingMap, names: &[Arc<str>], style: Style) {
    // Without the empty list of parameters, the map would have to be quasi-affine.
    let has_parameters = map.domain().count(VariableKind::Parameter) > 0;
    if map.is_symbolic() && !has_parameters && style != Style::Mlir {
        text.push_str("<>");
    }
    print_lists(text, map.domain(), style);
    text.push_str(" -> (");
    for (index, result) in map.results().iter().enumerate() {
        text.push_str(if index > 0 { ", " } else { "" });
        write_expr(text, result, names, style);
    }
    text.push(')');
}

/// The precedence that an expression must have to be printed without parentheses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    /// Any expression.
    Sum,
    /// The left operand of `*`, `floordiv`, `ceildiv` or `mod`: such an operation, or an atom.
    Product,
    /// The operand of a minus, a divisor, or any factor except the first: a name, a number, or a call.
    Atom,
}

/// Work items of the printer.
enum Piece<'e> {
    Text(&'static str),
    Number(i128),
    Expr(&'e Expr, Level),
    /// Operands of a min or max as nested binary calls.
    Calls(&'static str, &'e [Expr]),
}

pub(super) fn write_expr<N: AsRef<str>>(text: &mut String, expr: &Expr, names: &[N], style: Style) {
    let mut pieces = vec![Piece::Expr(expr, Level::Sum)]; // a stack: the next piece is the last element
    while let Some(piece) = pieces.pop() {
        match piece {
            Piece::Text(word) => text.push_str(word),
            Piece::Number(value) => {
                let _ = write!(text, "{value}"); // writing to a string cannot fail
            }
            Piece::Calls(_, [operand]) => pieces.push(Piece::Expr(operand, Level::Sum)),
            Piece::Calls(word, operands) => {
                let (first, second) = operands.split_at(operands.len() / 2);
                text.push_str(word);
                pieces.push(Piece::Text(")"));
                pieces.push(Piece::Calls(word, second));
                pieces.push(Piece::Text(", "));
                pieces.push(Piece::Calls(word, first));
            }
            Piece::Expr(expr, level) if level > level_of(expr) => {
                text.push('(');
                pieces.push(Piece::Text(")"));
                pieces.push(Piece::Expr(expr, Level::Sum));
            }
            Piece::Expr(expr, _) => match expr.kind() {
                ExprKind::Variable(id) => write_name(text, *id, names),
                _ => push_operation(&mut pieces, expr, style),
            },
        }
    }
}

fn write_name<N: AsRef<str>>(text: &mut String, id: VariableId, names: &[N]) {
    match names.get(id.index()) {
        Some(name) => text.push_str(name.as_ref()),
        None => {
            let _ = write!(text, "#{}", id.0); // writing to a string cannot fail
        }
    }
}

fn level_of(expr: &Expr) -> Level {
    match expr.kind() {
        ExprKind::Constant(_) | ExprKind::Variable(_) => Level::Atom,
        ExprKind::Min(_) | ExprKind::Max(_) => Level::Atom,
        ExprKind::Product(_)
        | ExprKind::FloorDiv(..)
        | ExprKind::CeilDiv(..)
        | ExprKind::Mod(..) => Level::Product,
        ExprKind::Sum(sum) => match sum.terms() {
            [(coefficient, _)] if sum.constant() == 0 && *coefficient != -1 => Level::Product,
            _ => Level::Sum,
        },
    }
}

/// Pushes the pieces of an expression that is not a variable, in reverse.
fn push_operation<'e>(pieces: &mut Vec<Piece<'e>>, expr: &'e Expr, style: Style) {
    let floordiv = match style {
        Style::Xla => " / ",
        Style::Plain | Style::Mlir => " floordiv ",
    };
    let mut divide = |x: &'e Expr, word: &'static str, divisor: &'e Divisor| {
        pieces.push(match divisor {
            Divisor::Integer(value) => Piece::Number((*value).into()),
            Divisor::Named(expr) => Piece::Expr(expr, Level::Atom),
        });
        pieces.push(Piece::Text(word));
        pieces.push(Piece::Expr(x, Level::Product));
    };
    match expr.kind() {
        ExprKind::Constant(value) => pieces.push(Piece::Number((*value).into())),
        ExprKind::Variable(_) => {}
        ExprKind::FloorDiv(x, divisor) => divide(x, floordiv, divisor),
        ExprKind::CeilDiv(x, divisor) => divide(x, " ceildiv ", divisor),
        ExprKind::Mod(x, divisor) => divide(x, " mod ", divisor),
        ExprKind::Product(factors) => {
            for (index, factor) in factors.iter().enumerate().rev() {
                let level = if index == 0 { Level::Product } else { Level::Atom };
                pieces.push(Piece::Expr(factor, level));
                pieces.push(Piece::Text(if index == 0 { "" } else { " * " }));
            }
        }
        ExprKind::Min(operands) => pieces.push(Piece::Calls("min(", operands)),
        ExprKind::Max(operands) => pieces.push(Piece::Calls("max(", operands)),
        ExprKind::Sum(sum) => {
            let constant = i128::from(sum.constant());
            if constant != 0 {
                pieces.push(Piece::Number(constant.abs()));
                pieces.push(Piece::Text(if constant > 0 { " + " } else { " - " }));
            }
            for (index, (coefficient, x)) in sum.terms().iter().enumerate().rev() {
                push_summand(pieces, *coefficient, x, index == 0);
            }
        }
    }
}

/// Pushes one summand with the sign before it: `x * -2` or `-x` at the front, then ` - x * 2`.
fn push_summand<'e>(pieces: &mut Vec<Piece<'e>>, coefficient: i64, x: &'e Expr, is_first: bool) {
    if is_first && coefficient == -1 {
        pieces.push(Piece::Expr(x, Level::Atom));
        pieces.push(Piece::Text("-"));
        return;
    }
    // The magnitude of the least coefficient does not fit: it keeps its sign.
    let subtract = !is_first && coefficient < 0 && coefficient != i64::MIN;
    let factor = i128::from(coefficient) * if subtract { -1 } else { 1 };
    if factor != 1 {
        pieces.push(Piece::Number(factor));
        pieces.push(Piece::Text(" * "));
    }
    pieces.push(Piece::Expr(x, Level::Product));
    if !is_first {
        pieces.push(Piece::Text(if subtract { " - " } else { " + " }));
    }
}
