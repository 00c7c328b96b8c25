//! Reasons for unions, recorded when they happen.

use super::form::{Form, FormRef};
use super::graph::Graph;
use super::node::Node;
use crate::rule::matching::{Bindings, integer, sum_of};
use crate::rule::{RuleId, Term};
use egg::Id;
use smallvec::SmallVec;

/// The reason of a union.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// An instance of a rule.
    Rule(RuleId),
    /// Sums with the same terms.
    Arithmetic,
}

/// A recorded union.
pub struct Noted {
    pub class: Id,
    pub reason: Reason,
    pub sides: [FormRef; 2],
    pub nodes: [Option<Node>; 2],
}

impl Noted {
    /// Records the firing of a rule in `class`; `None` if a side overflows 64 bits.
    pub fn firing(
        (class, rule): (Id, RuleId),
        (left, right): (&Term, &Term),
        bindings: &Bindings<Id>,
        graph: &mut Graph,
    ) -> Option<Noted> {
        let sides = [left, right];
        Some(Noted {
            class,
            reason: Reason::Rule(rule),
            sides: [form_of_term(left, bindings, graph)?, form_of_term(right, bindings, graph)?],
            nodes: sides.map(|term| node_of_term(term, bindings, graph)),
        })
    }
}

/// Returns a term of a rule over the smallest forms of its variables; `None` on overflow.
fn form_of_term(term: &Term, bindings: &Bindings<Id>, graph: &mut Graph) -> Option<FormRef> {
    match term {
        Term::Expression(slot) => graph.form_of(bindings.expression(*slot)?),
        Term::Sum(terms) => {
            let parts = terms.iter().map(|x| Some((1, form_of_term(x, bindings, graph)?)));
            Form::sum(0, parts.collect::<Option<Vec<_>>>()?)
        }
        Term::Product(x, y) => {
            let (factor, of) = match integer(x, bindings, graph) {
                Some(factor) => (factor, y),
                None => (integer(y, bindings, graph)?, x),
            };
            Form::sum(0, [(factor, form_of_term(of, bindings, graph)?)])
        }
        Term::FloorDiv(x, c) | Term::Mod(x, c) => {
            let c = integer(c, bindings, graph).filter(|c| *c >= 1)?;
            let x = form_of_term(x, bindings, graph)?;
            Some(match term {
                Term::FloorDiv(..) => Form::floordiv(x, c),
                _ => Form::modulo(x, c),
            })
        }
        Term::Min(x, y) | Term::Max(x, y) => {
            let pair = vec![form_of_term(x, bindings, graph)?, form_of_term(y, bindings, graph)?];
            Some(Form::min_max(pair, matches!(term, Term::Min(..))))
        }
        _ => integer(term, bindings, graph).map(Form::constant),
    }
}

/// Returns the node of a term; `None` for a term that is itself a class, or if an operand is missing.
fn node_of_term(term: &Term, bindings: &Bindings<Id>, graph: &mut Graph) -> Option<Node> {
    let class = |term: &Term, graph: &mut Graph| {
        let sum = sum_of(term, bindings, graph)?;
        graph.class_of(&sum)
    };
    Some(match term {
        Term::FloorDiv(x, c) => Node::FloorDiv(integer(c, bindings, graph)?, [class(x, graph)?]),
        Term::Mod(x, c) => Node::Mod(integer(c, bindings, graph)?, [class(x, graph)?]),
        Term::Min(x, y) | Term::Max(x, y) => {
            let mut ids: SmallVec<[Id; 4]> = SmallVec::new();
            ids.extend([class(x, graph)?, class(y, graph)?]);
            ids.sort();
            match term {
                Term::Min(..) => Node::Min(ids),
                _ => Node::Max(ids),
            }
        }
        _ => {
            let sum = sum_of(term, bindings, graph)?;
            sum.as_atom().is_none().then(|| Graph::node_of(&sum))?
        }
    })
}
