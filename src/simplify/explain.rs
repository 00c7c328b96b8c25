//! Which rules led from the given expressions to the results.
//!
//! Every union that a rule made is an edge between two nodes of the e-graph. The steps of a result
//! are the edges on paths from the node that stands for the given expression to the nodes that
//! were extracted, class by class; where two nodes are equal because their children are, the
//! children are followed. Steps are listed in the order in which they fired.

use super::Root;
use super::constraint::{Bound, Replacement};
use super::engine::Engine;
use super::form::FormRef;
use super::kernel::Bindings;
use super::linear::Linear;
use super::record::{Firing, Node, Reason, Target};
use super::store::{Definition, Store};
use crate::expr::{Expr, ExprError, VariableId};
use crate::interval::{Interval, MINUS_INFINITY, PLUS_INFINITY};
use crate::map::{Constraint, Domain};
use crate::rule::{Condition, Relation, Rule, Statement, Term};
use crate::syntax::{Style, print_constraint, print_expr, print_interval, variable_names};
use egg::{Id, Language};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

/// A rule that was used, as one reads it. All texts use the names of the map.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// Name of the rule.
    pub rule: String,
    /// What the variables of the rule stand for, in the order of the rule.
    pub bindings: Vec<(String, String)>,
    /// The side conditions as they were established, with the ranges used.
    pub facts: Vec<String>,
    /// What was rewritten.
    pub before: String,
    /// What took its place.
    pub after: String,
}

/// The steps of one round of domain simplification.
pub fn domain_steps(engine: &mut Engine<'_>, domain: &Domain, steps: &mut Vec<Step>) {
    let writer = Writer {
        names: variable_names(domain),
    };
    for Replacement {
        rule,
        bindings,
        before,
        after,
    } in engine.replacements.clone()
    {
        let bounds = |engine: &Engine<'_>, list: &[Bound]| {
            let texts: Vec<String> = list
                .iter()
                .map(|bound| writer.bound(&engine.store, bound))
                .collect();
            texts.join(" and ")
        };
        let (before, after) = (bounds(engine, &before), bounds(engine, &after));
        let program = engine.rules;
        let step = writer.step(engine, program.rule(rule), &bindings, before, after);
        if steps.last() != Some(&step) {
            steps.push(step);
        }
    }
}

/// The steps that lead to the extracted results.
pub fn result_steps(
    engine: &mut Engine<'_>,
    domain: &Domain,
    roots: &[Root],
    steps: &mut Vec<Step>,
) {
    let mut used = Used::new(engine);
    for root in roots {
        if let Some(sum) = &root.sum {
            let normal = engine.record.sum(&mut engine.store, sum);
            if let Some(written) = root.written {
                used.path(engine, written, normal);
            }
            used.extraction(engine, normal, root.form.as_ref());
        }
    }
    let writer = Writer {
        names: variable_names(domain),
    };
    for index in used.firings {
        let Firing {
            rule,
            bindings,
            target,
            result,
        } = engine.record.firings[index].clone();
        let program = engine.rules;
        let rule = program.rule(rule);
        let before = writer.target(&engine.store, &target);
        let after = match (&result, &rule.statement) {
            (Some(sum), _) => writer.sum(&engine.store, sum),
            (None, Statement::Rewrite(_, rhs)) => writer.term(engine, rhs, &bindings),
            (None, _) => continue,
        };
        let step = writer.step(engine, rule, &bindings, before, after);
        if step.before != step.after && !steps.contains(&step) {
            steps.push(step);
        }
    }
}

/// Collects the firings that connect nodes.
struct Used {
    /// By node: the node at the other end, and the position of the edge.
    edges: BTreeMap<Id, Vec<(Id, usize)>>,
    /// Nodes that are equal because their children are: one group for each canonical node.
    congruent: BTreeMap<Node, Vec<Id>>,
    members: BTreeMap<Id, Vec<Id>>,
    visited_pairs: BTreeSet<(Id, Id)>,
    visited_classes: BTreeSet<Id>,
    firings: BTreeSet<usize>,
}

/// How one node of a path was reached from the one before.
#[derive(Clone, Copy)]
enum Hop {
    Edge(usize),
    Congruence,
}

impl Used {
    fn new(engine: &Engine<'_>) -> Used {
        let egraph = &engine.record.egraph;
        let mut edges: BTreeMap<Id, Vec<(Id, usize)>> = BTreeMap::new();
        for (position, (x, y, _)) in engine.record.edges.iter().enumerate() {
            edges.entry(*x).or_default().push((*y, position));
            edges.entry(*y).or_default().push((*x, position));
        }
        let mut congruent: BTreeMap<Node, Vec<Id>> = BTreeMap::new();
        let mut members: BTreeMap<Id, Vec<Id>> = BTreeMap::new();
        for (index, node) in egraph.nodes().iter().enumerate() {
            let id = Id::from(index);
            members.entry(egraph.find(id)).or_default().push(id);
            congruent
                .entry(node.clone().map_children(|child| egraph.find(child)))
                .or_default()
                .push(id);
        }
        Used {
            edges,
            congruent,
            members,
            visited_pairs: BTreeSet::new(),
            visited_classes: BTreeSet::new(),
            firings: BTreeSet::new(),
        }
    }

    /// Adds the firings on a path between two nodes of one class. Paths over rules are preferred to
    /// those over cancelled quotients, which tell less.
    fn path(&mut self, engine: &Engine<'_>, from: Id, to: Id) {
        let egraph = &engine.record.egraph;
        if from == to
            || !self.visited_pairs.insert((from, to))
            || egraph.find(from) != egraph.find(to)
        {
            return;
        }
        let hops = self
            .hops(engine, from, to, false)
            .or_else(|| self.hops(engine, from, to, true));
        for (before, after, hop) in hops.unwrap_or_default() {
            match hop {
                Hop::Congruence => {
                    let nodes = egraph.nodes();
                    let (x, y) = (&nodes[usize::from(before)], &nodes[usize::from(after)]);
                    for (x, y) in x.children().iter().zip(y.children()) {
                        self.path(engine, *x, *y);
                    }
                }
                Hop::Edge(position) => match &engine.record.edges[position].2 {
                    Reason::Rule(firing) => {
                        self.firings.insert(*firing);
                    }
                    Reason::Sum(pairs) => pairs.iter().for_each(|(x, y)| self.path(engine, *x, *y)),
                    Reason::Rules(firings, pairs) => {
                        self.firings.extend(firings);
                        pairs.iter().for_each(|(x, y)| self.path(engine, *x, *y));
                    }
                    Reason::Cancellation => {}
                },
            }
        }
    }

    /// A shortest path, with or without edges that stand for cancelled quotients.
    fn hops(
        &self,
        engine: &Engine<'_>,
        from: Id,
        to: Id,
        cancellations: bool,
    ) -> Option<Vec<(Id, Id, Hop)>> {
        let egraph = &engine.record.egraph;
        let mut previous: BTreeMap<Id, (Id, Hop)> = BTreeMap::new();
        let mut queue = VecDeque::from([from]);
        while let Some(id) = queue.pop_front() {
            if id == to {
                break;
            }
            let edges = self.edges.get(&id).map_or(&[][..], Vec::as_slice).iter();
            let edges = edges
                .filter(|(_, position)| {
                    cancellations || engine.record.edges[*position].2 != Reason::Cancellation
                })
                .map(|(next, position)| (*next, Hop::Edge(*position)));
            let node = egraph.nodes()[usize::from(id)]
                .clone()
                .map_children(|child| egraph.find(child));
            let equal = self
                .congruent
                .get(&node)
                .map_or(&[][..], Vec::as_slice)
                .iter();
            for (next, hop) in edges.chain(equal.map(|next| (*next, Hop::Congruence))) {
                if next != from && !previous.contains_key(&next) {
                    previous.insert(next, (id, hop));
                    queue.push_back(next);
                }
            }
        }
        let mut hops = Vec::new();
        let mut at = to;
        while at != from {
            let (before, hop) = previous.get(&at).copied()?;
            hops.push((before, at, hop));
            at = before;
        }
        hops.reverse();
        Some(hops)
    }

    /// Adds the firings that connect a node to the node that was extracted for its class, the one of
    /// `form` if it has it, and so on below that.
    fn extraction(&mut self, engine: &Engine<'_>, entry: Id, form: Option<&FormRef>) {
        let egraph = &engine.record.egraph;
        let class = egraph.find(entry);
        let member_with = |form: &FormRef| {
            let members = self.members.get(&class)?;
            members.iter().copied().find(|id| {
                let node = &egraph.nodes()[usize::from(*id)];
                engine.record.form_of_node(node).as_ref() == Some(form)
            })
        };
        let chosen = form
            .and_then(member_with)
            .or_else(|| egraph[class].data.as_ref().and_then(member_with));
        let Some(chosen) = chosen else { return };
        self.path(engine, entry, chosen);
        if self.visited_classes.insert(class) {
            for child in egraph.nodes()[usize::from(chosen)].children().to_vec() {
                self.extraction(engine, child, None);
            }
        }
    }
}

/// Turns sums and rule instances into text.
struct Writer {
    names: Vec<Arc<str>>,
}

impl Writer {
    fn expr(&self, expr: Result<Expr, ExprError>) -> String {
        expr.map_or_else(
            |error| format!("({error})"),
            |expr| print_expr(&expr, &self.names, Style::Plain),
        )
    }

    fn sum(&self, store: &Store, sum: &Linear) -> String {
        self.expr(expr_of(store, sum))
    }

    fn bound(&self, store: &Store, bound: &Bound) -> String {
        match expr_of(store, &bound.sum) {
            Ok(expr) => {
                let constraint = Constraint {
                    expr,
                    bounds: bound.bounds,
                };
                print_constraint(&constraint, &self.names, Style::Plain)
            }
            Err(error) => format!("({error})"),
        }
    }

    fn target(&self, store: &Store, target: &Target) -> String {
        self.expr(match target {
            Target::Sum(sum) => expr_of(store, store.sum(*sum)),
            Target::Quotient { of, divisor } => {
                expr_of(store, store.sum(*of)).and_then(|x| x.floordiv(*divisor))
            }
            Target::Remainder { of, modulus } => {
                expr_of(store, store.sum(*of)).and_then(|x| x.modulo(*modulus))
            }
            Target::Lattice { of, least } => {
                let list: Result<Vec<_>, _> = of.iter().map(|x| expr_of(store, x)).collect();
                list.and_then(|list| {
                    if *least {
                        Expr::min(list)
                    } else {
                        Expr::max(list)
                    }
                })
            }
        })
    }

    fn term(&self, engine: &mut Engine<'_>, term: &Term, bindings: &Bindings) -> String {
        self.expr(written_term(engine, term, bindings))
    }

    fn step(
        &self,
        engine: &mut Engine<'_>,
        rule: &Rule,
        bindings: &Bindings,
        before: String,
        after: String,
    ) -> Step {
        let constants = rule.constants.iter().zip(&bindings.constants);
        let constants =
            constants.filter_map(|(name, value)| Some((name.clone(), value.as_ref()?.to_string())));
        let expressions = rule.expressions.iter().zip(&bindings.expressions);
        let expressions: Vec<_> = expressions
            .map(|(name, sum)| (name.clone(), self.sum(&engine.store, sum)))
            .collect();
        let bindings_text = expressions.into_iter().chain(constants).collect();
        let facts = rule
            .conditions
            .iter()
            .filter_map(|condition| self.fact(engine, condition, bindings))
            .collect();
        Step {
            rule: rule.name.clone(),
            bindings: bindings_text,
            facts,
            before,
            after,
        }
    }

    /// A condition on an expression, with the range that establishes it; conditions on integers alone
    /// are read off the bindings.
    fn fact(
        &self,
        engine: &mut Engine<'_>,
        condition: &Condition,
        bindings: &Bindings,
    ) -> Option<String> {
        let lhs = engine.linear_of(&condition.lhs, bindings)?;
        let rhs = engine.linear_of(&condition.rhs, bindings)?;
        if lhs.as_constant().is_some() && rhs.as_constant().is_some() {
            return None;
        }
        let relation = match condition.relation {
            Relation::Equal => "=",
            Relation::LessEqual => "<=",
            Relation::Less => "<",
        };
        let sides = (
            self.term(engine, &condition.lhs, bindings),
            self.term(engine, &condition.rhs, bindings),
        );
        let ranges: Vec<String> = [(&lhs, &sides.0), (&rhs, &sides.1)]
            .into_iter()
            .filter(|(sum, _)| sum.as_constant().is_none() && condition.relation != Relation::Equal)
            .map(|(sum, text)| format!("{text} in {}", range_text(engine.store.range(sum))))
            .collect();
        let stated = format!("{} {relation} {}", sides.0, sides.1);
        Some(if ranges.is_empty() {
            stated
        } else {
            format!("{stated}, as {}", ranges.join(", "))
        })
    }
}

fn range_text(range: Interval) -> String {
    match (range.lo(), range.hi()) {
        (MINUS_INFINITY, _) | (_, PLUS_INFINITY) => range.to_string(),
        _ => print_interval(range),
    }
}

/// A sum with its atoms written out.
pub fn expr_of(store: &Store, sum: &Linear) -> Result<Expr, ExprError> {
    let mut terms = Vec::with_capacity(sum.terms().len());
    for &(atom, coefficient) in sum.terms() {
        let list = |sums: &[Linear]| {
            sums.iter()
                .map(|x| expr_of(store, x))
                .collect::<Result<Vec<_>, _>>()
        };
        let expr = match &store.atom(atom).definition {
            Definition::Variable(VariableId(index)) => Expr::variable(VariableId(*index)),
            Definition::Quotient(of, divisor) => expr_of(store, of)?.floordiv(*divisor)?,
            Definition::Least(sums) => Expr::min(list(sums)?)?,
            Definition::Greatest(sums) => Expr::max(list(sums)?)?,
        };
        terms.push((coefficient, expr));
    }
    Expr::sum(sum.constant, terms)
}

/// A term of a rule as it is written, with its variables replaced.
fn written_term(
    engine: &mut Engine<'_>,
    term: &Term,
    bindings: &Bindings,
) -> Result<Expr, ExprError> {
    let constant = |engine: &mut Engine<'_>, term: &Term| {
        engine
            .constant_of(term, bindings)
            .ok_or(ExprError::Overflow)
    };
    Ok(match term {
        Term::Sum(terms) => {
            let terms: Result<Vec<_>, ExprError> = terms
                .iter()
                .map(|t| Ok((1, written_term(engine, t, bindings)?)))
                .collect();
            Expr::sum(0, terms?)?
        }
        Term::Product(x, y) => {
            let (x, y) = (
                written_term(engine, x, bindings)?,
                written_term(engine, y, bindings)?,
            );
            match (x.as_constant(), y.as_constant()) {
                (Some(factor), _) => y.scale(factor)?,
                (_, Some(factor)) => x.scale(factor)?,
                _ => return Err(ExprError::Overflow), // no instance multiplies two expressions
            }
        }
        Term::FloorDiv(x, c) => {
            written_term(engine, x, bindings)?.floordiv(constant(engine, c)?)?
        }
        Term::Mod(x, c) => written_term(engine, x, bindings)?.modulo(constant(engine, c)?)?,
        Term::Min(x, y) => Expr::min([
            written_term(engine, x, bindings)?,
            written_term(engine, y, bindings)?,
        ])?,
        Term::Max(x, y) => Expr::max([
            written_term(engine, x, bindings)?,
            written_term(engine, y, bindings)?,
        ])?,
        Term::Expression(slot) => match bindings.expression(*slot) {
            Some(sum) => expr_of(&engine.store, sum)?,
            None => return Err(ExprError::Overflow), // every instance binds its variables
        },
        Term::Integer(_) | Term::Constant(_) | Term::Lo(_) | Term::Hi(_) => {
            Expr::constant(constant(engine, term)?)
        }
    })
}
