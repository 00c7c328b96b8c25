//! A counterexample node by node: the values of both sides at the point, and the first node that differs.
//!
//! The first difference is found from the roots down: if two nodes differ in value and have the same operation, it is in
//! their first pair of operands that differ.

use super::output::{Object, Role, Text};
use affinor::expr::{Divisor, Expr, ExprKind, IndexingMap};
use affinor::rule::{Point, Rule, Term};
use affinor::text::{Style, print_expr, print_interval, variable_names};
use serde_json::Value;
use std::sync::Arc;

/// The maximum size of an expression that is shown node by node.
const LARGEST: u32 = 300;

/// The maximum number of nodes shown for each side.
const MOST_SHOWN: usize = 20;

/// An expression with its value at a point.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Node {
    written: String,
    /// The value; `None` if it is undefined, or on overflow.
    value: Option<i128>,
    /// The operation on the values of the parts: equal texts are equal operations.
    operation: String,
    parts: Vec<Node>,
}

impl Node {
    fn of_expr(expr: &Expr, names: &[Arc<str>], point: &[i64]) -> Node {
        let node = |part: &Expr| Node::of_expr(part, names, point);
        let operands = || expr.operands().map(node).collect();
        let division = |word: &str, divisor: &Divisor| match divisor {
            Divisor::Integer(divisor) => format!("{word} {divisor}"),
            Divisor::Named(_) => word.to_owned(),
        };
        let (operation, parts) = match expr.kind() {
            ExprKind::Constant(_) | ExprKind::Variable(_) => (String::new(), Vec::new()),
            ExprKind::Sum(sum) => {
                let terms = sum.terms();
                let coefficients: Vec<i64> = terms.iter().map(|(factor, _)| *factor).collect();
                let parts = terms.iter().map(|(_, part)| node(part)).collect();
                (format!("{} + {coefficients:?}", sum.constant()), parts)
            }
            ExprKind::Product(list) => ("*".to_owned(), list.iter().map(node).collect()),
            ExprKind::FloorDiv(_, divisor) => (division("floordiv", divisor), operands()),
            ExprKind::CeilDiv(_, divisor) => (division("ceildiv", divisor), operands()),
            ExprKind::Mod(_, divisor) => (division("mod", divisor), operands()),
            ExprKind::Min(list) => ("min".to_owned(), list.iter().map(node).collect()),
            ExprKind::Max(list) => ("max".to_owned(), list.iter().map(node).collect()),
        };
        Node {
            written: print_expr(expr, names, Style::Plain),
            value: expr.eval(point).ok().map(i128::from),
            operation,
            parts,
        }
    }

    /// Creates the node of a term of a rule at a point.
    pub fn of_term(rule: &Rule, term: &Term, point: &Point) -> Node {
        let node = |part: &Term| Node::of_term(rule, part, point);
        let (operation, parts) = match term {
            Term::Sum(terms) => ("+", terms.iter().map(node).collect()),
            Term::Product(x, y) => ("*", vec![node(x), node(y)]),
            Term::FloorDiv(x, y) => ("floordiv", vec![node(x), node(y)]),
            Term::Mod(x, y) => ("mod", vec![node(x), node(y)]),
            Term::Min(x, y) => ("min", vec![node(x), node(y)]),
            Term::Max(x, y) => ("max", vec![node(x), node(y)]),
            _ => ("", Vec::new()),
        };
        Node {
            written: rule.write(term),
            value: term.eval(point),
            operation: operation.to_owned(),
            parts,
        }
    }

    /// Returns the operations below this node that are written differently, operands before their users.
    fn below(&self) -> Vec<&Node> {
        fn visit<'n>(node: &'n Node, found: &mut Vec<&'n Node>) {
            for part in &node.parts {
                visit(part, found);
                let is_new = found.iter().all(|earlier| earlier.written != part.written);
                if !part.parts.is_empty() && is_new {
                    found.push(part);
                }
            }
        }
        let mut found = Vec::new();
        visit(self, &mut found);
        found
    }

    fn is_value(&self) -> String {
        match self.value {
            Some(value) => format!("{} is {value}", self.written),
            None => format!("{} is not defined", self.written),
        }
    }

    fn json(&self) -> Object {
        let value = self.value.map(|value| {
            i64::try_from(value).map_or_else(|_| Value::from(value.to_string()), Value::from)
        });
        Object::nested()
            .with("expr", self.written.as_str())
            .with("value", value.unwrap_or(Value::Null))
    }
}

/// Returns the first pair of nodes that differ in value, from the roots down.
fn first_difference<'n>(left: &'n Node, right: &'n Node) -> (&'n Node, &'n Node) {
    if left.operation == right.operation && left.parts.len() == right.parts.len() {
        let mut pairs = left.parts.iter().zip(&right.parts);
        if let Some((left, right)) = pairs.find(|(left, right)| left.value != right.value) {
            return first_difference(left, right);
        }
    }
    (left, right)
}

/// Two sides at a point where they differ.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trace {
    left: Node,
    right: Node,
}

impl Trace {
    /// Creates the trace of two terms of a rule.
    pub fn of_terms(rule: &Rule, left: &Term, right: &Term, point: &Point) -> Trace {
        Trace { left: Node::of_term(rule, left, point), right: Node::of_term(rule, right, point) }
    }

    /// Creates the trace of the first results of two maps that differ at `point`; `None` if they are very large. The
    /// variables of both maps have the same numbers.
    pub fn of_maps(left: &IndexingMap, right: &IndexingMap, point: &[i64]) -> Option<Trace> {
        let differs =
            |(left, right): &(&Expr, &Expr)| left.eval(point).ok() != right.eval(point).ok();
        let mut pairs = left.results().iter().zip(right.results());
        let (left_expr, right_expr) = pairs.find(differs)?;
        if left_expr.size().max(right_expr.size()) > LARGEST {
            return None;
        }
        let node =
            |expr, map: &IndexingMap| Node::of_expr(expr, &variable_names(map.domain()), point);
        Some(Trace { left: node(left_expr, left), right: node(right_expr, right) })
    }

    /// Returns both sides, each with its operations below it, and the first node that differs, each on a line of its own.
    #[must_use]
    pub fn text(&self) -> Text {
        let mut text = Text::new();
        for side in [&self.left, &self.right] {
            text.push(Role::Plain, format!("\n  {}", side.is_value()));
            let below = side.below();
            for node in below.iter().take(MOST_SHOWN) {
                text.push(Role::Faint, format!("\n    {}", node.is_value()));
            }
            if below.len() > MOST_SHOWN {
                let more = below.len() - MOST_SHOWN;
                text.push(Role::Faint, format!("\n    and {more} more"));
            }
        }
        let (left, right) = first_difference(&self.left, &self.right);
        if *left != self.left {
            let sentence = format!("{}, {}", left.is_value(), right.is_value());
            text.push(Role::Plain, "\n  first difference: ");
            text.push(Role::Bad, sentence);
        }
        text
    }

    /// Returns
    /// `{"left": [{"expr": "x mod 7", "value": 6}], "right": [..], "first_difference": {"left": {..}, "right": {..}}}`; the
    /// last element of each list is the side itself.
    #[must_use]
    pub fn json(&self) -> Object {
        let list = |side: &Node| -> Vec<Object> {
            let nodes = side.below().into_iter().take(MOST_SHOWN).chain([side]);
            nodes.map(Node::json).collect()
        };
        let (left, right) = first_difference(&self.left, &self.right);
        let difference = Object::nested().with("left", left.json()).with("right", right.json());
        Object::nested()
            .with("left", list(&self.left))
            .with("right", list(&self.right))
            .with("first_difference", difference)
    }
}

/// Returns the reason why `map` is undefined at `point`: `d1 = 4 is not in [0, 3]`; `None` if it is defined.
pub fn why_outside(map: &IndexingMap, point: &[i64]) -> Option<String> {
    let domain = map.domain();
    let mut variables = domain.variables().iter().zip(point);
    let outside = variables.find(|(variable, value)| !variable.bounds.contains(**value));
    if let Some((variable, value)) = outside {
        let bounds = print_interval(variable.bounds);
        return Some(format!("{} = {value} is not in {bounds}", variable.name));
    }
    let names = variable_names(domain);
    domain.constraints().iter().find_map(|constraint| {
        let value = constraint.expr.eval(point).ok()?;
        let written = print_expr(&constraint.expr, &names, Style::Plain);
        let bounds = print_interval(constraint.bounds);
        (!constraint.bounds.contains(value))
            .then(|| format!("{written} = {value} is not in {bounds}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use affinor::text::parse_map;

    #[track_caller]
    fn check(left: &str, right: &str, point: &[i64], expected: &str) {
        let (left, right) = (parse_map(left).unwrap(), parse_map(right).unwrap());
        let text = Trace::of_maps(&left, &right, point).map(|trace| trace.text().to_string());
        assert_eq!(text.as_deref(), Some(expected));
    }

    #[test]
    fn the_first_difference_lies_in_the_first_operands_that_differ() {
        check(
            "(a, b) -> (a, (a * 4 + b) floordiv 8), domain: a in [0, 9], b in [0, 9]",
            "(i, j) -> (i, (i * 4 + j mod 3) floordiv 8), domain: i in [0, 9], j in [0, 9]",
            &[1, 4],
            "\n  (a * 4 + b) floordiv 8 is 1\n    a * 4 + b is 8\
             \n  (i * 4 + j mod 3) floordiv 8 is 0\n    j mod 3 is 1\n    i * 4 + j mod 3 is 5\
             \n  first difference: b is 4, j mod 3 is 1",
        );
        check(
            "(a) -> (a mod 4), domain: a in [0, 9]",
            "(a) -> (a mod 3), domain: a in [0, 9]",
            &[3],
            "\n  a mod 4 is 3\n  a mod 3 is 0",
        );
    }

    #[test]
    fn what_is_not_in_the_domain_is_named() {
        let map =
            parse_map("(a, b) -> (a), domain: a in [0, 9], b in [0, 9], a + b in [0, 9]").unwrap();
        let outside = |point: [i64; 2]| why_outside(&map, &point);
        assert_eq!(outside([4, 10]).as_deref(), Some("b = 10 is not in [0, 9]"));
        assert_eq!(outside([4, 9]).as_deref(), Some("a + b = 13 is not in [0, 9]"));
        assert_eq!(outside([4, 5]), None);
    }
}
