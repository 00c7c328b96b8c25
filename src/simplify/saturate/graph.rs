//! E-classes as the matcher sees them: as sums of classes, none of which is a sum, and as operations.

use super::form::{Form, FormNode, FormRef};
use super::node::{Classes, Node, Variables};
use super::residue::Residue;
use super::shape::sum_operations;
use super::size::Sizes;
use crate::expr::{Expr, ExprKind};
use crate::num::{Interval, Sum};
use crate::rule::matching::{Forms, Number, Operation, Operator, Outline, Terms};
use egg::Id;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::rc::Rc;

/// Maximum number of sums per class.
const MAX_FORMS: usize = 4;

/// Maximum nesting depth of sums that are expanded.
const MAX_DEPTH: usize = 24;

/// The view of a class, valid until the next change.
#[derive(Clone, Default)]
struct Seen {
    forms: Option<Forms<Id>>,
    /// By operator.
    operations: [Option<Rc<[Operation<Id>]>>; 4],
}

/// An e-graph with cached views of its classes.
pub struct Graph {
    pub classes: Classes,
    /// By class.
    seen: Vec<Seen>,
    open: Vec<Id>,
    /// Expressions added so far, by address; retained so that no address is reused.
    exprs: FxHashMap<usize, (Expr, Sum<Id>)>,
    forms_added: FxHashMap<usize, (FormRef, Sum<Id>)>,
    /// The clock passed to egg.
    still: quanta::Clock,
    /// Operators of all nodes ever added, one bit for each.
    pub operators: u8,
    /// Whether evaluation adds missing nodes, or only looks them up.
    adding: bool,
    /// Pairs of forms of one value, where the range of the second was used for the first, if recorded.
    pub ranges: Option<Vec<(FormRef, FormRef)>>,
}

impl Graph {
    /// Creates an e-graph over variables with these ranges.
    pub fn new(variables: Vec<Interval>) -> Graph {
        Graph {
            classes: Classes::new(Variables(variables)),
            seen: Vec::new(),
            open: Vec::new(),
            exprs: FxHashMap::default(),
            forms_added: FxHashMap::default(),
            still: quanta::Clock::mock().0,
            operators: 0,
            adding: false,
            ranges: None,
        }
    }

    /// Restores congruence. egg times this, and the first use of its clock in a process calibrates for up to 200 ms; so it gets a
    /// stopped clock.
    pub fn rebuild(&mut self) {
        quanta::with_clock(&self.still, || self.classes.rebuild());
        self.seen.clear();
    }

    fn seen(&mut self, id: Id) -> &mut Seen {
        let place = usize::from(id);
        if self.seen.len() <= place {
            self.seen.resize(place + 1, Seen::default());
        }
        &mut self.seen[place]
    }

    /// Converts a node to an operation for the matcher.
    pub fn operation_of(&mut self, node: &Node) -> Operation<Id> {
        let children = egg::Language::children(node).iter();
        Operation {
            operands: children.map(|id| self.forms(*id)).collect(),
            divisor: node.operator().map_or(0, |(_, divisor)| divisor).into(),
        }
    }

    /// Merges two classes; returns whether they were different.
    pub fn union(&mut self, x: Id, y: Id) -> bool {
        self.classes.union(x, y)
    }

    /// Evaluates with missing nodes added.
    pub fn adding<R>(&mut self, evaluate: impl FnOnce(&mut Graph) -> R) -> R {
        self.adding = true;
        let result = evaluate(self);
        self.adding = false;
        result
    }

    /// Adds an expression; `None` if a coefficient does not fit in 64 bits.
    pub fn add_expr(&mut self, expr: &Expr) -> Option<Id> {
        let sum = self.expr(expr)?;
        Some(self.add_sum(&sum))
    }

    /// Converts an expression to a sum; adds shared subterms once.
    fn expr(&mut self, expr: &Expr) -> Option<Sum<Id>> {
        if let Some((_, sum)) = self.exprs.get(&expr.address()) {
            return Some(sum.clone());
        }
        let sum = self.expr_once(expr)?;
        self.exprs.insert(expr.address(), (expr.clone(), sum.clone()));
        Some(sum)
    }

    fn expr_once(&mut self, expr: &Expr) -> Option<Sum<Id>> {
        match expr.kind() {
            ExprKind::Constant(value) => Some(Sum::constant(*value)),
            ExprKind::Variable(id) => match self.classes.analysis.0.get(id.index()) {
                Some(range) if range.as_point().is_some() => range.as_point().map(Sum::constant),
                _ => Some(Sum::atom(self.classes.add(Node::Variable(*id)))),
            },
            ExprKind::Sum(sum) => {
                let mut total = Sum::constant(sum.constant());
                for (coefficient, x) in sum.terms() {
                    total.add(*coefficient, &self.expr(x)?)?;
                }
                Some(total)
            }
            ExprKind::FloorDiv(x, c) => {
                let x = self.expr(x)?;
                self.divided(Operator::FloorDiv, &x, c.as_integer()?)
            }
            ExprKind::CeilDiv(x, c) => {
                let negated = self.expr(x)?.scaled(-1)?;
                self.divided(Operator::FloorDiv, &negated, c.as_integer()?)?.scaled(-1)
            }
            ExprKind::Mod(x, c) => {
                let x = self.expr(x)?;
                self.divided(Operator::Mod, &x, c.as_integer()?)
            }
            ExprKind::Product(_) => None, // named sizes are not saturated
            ExprKind::Min(list) => self.min_max(Operator::Min, list),
            ExprKind::Max(list) => self.min_max(Operator::Max, list),
        }
    }

    fn min_max(&mut self, operator: Operator, list: &[Expr]) -> Option<Sum<Id>> {
        let operands = list.iter().map(|x| self.expr(x));
        let operands = operands.collect::<Option<Vec<_>>>()?;
        self.adding(|graph| graph.operation(operator, &operands, Number::Integer(0)))
    }

    fn divided(&mut self, operator: Operator, x: &Sum<Id>, c: i64) -> Option<Sum<Id>> {
        self.adding(|graph| graph.operation(operator, std::slice::from_ref(x), c.into()))
    }

    /// Adds a form, in the class of its expression.
    pub fn add_form(&mut self, form: &FormRef) -> Option<Sum<Id>> {
        let address = Rc::as_ptr(form) as usize;
        if let Some((_, sum)) = self.forms_added.get(&address) {
            return Some(sum.clone());
        }
        let sum = self.form_once(form)?;
        self.forms_added.insert(address, (form.clone(), sum.clone()));
        Some(sum)
    }

    fn form_once(&mut self, form: &Form) -> Option<Sum<Id>> {
        match &form.node {
            FormNode::Constant(value) => Some(Sum::constant(*value)),
            FormNode::Variable(id) => self.expr(&Expr::variable(*id)),
            FormNode::Sum(constant, parts) => {
                let mut total = Sum::constant(*constant);
                for (coefficient, part) in parts {
                    total.add(*coefficient, &self.add_form(part)?)?;
                }
                Some(total)
            }
            FormNode::FloorDiv(x, c) => {
                let x = self.add_form(x)?;
                self.divided(Operator::FloorDiv, &x, *c)
            }
            FormNode::Mod(x, c) => {
                let x = self.add_form(x)?;
                self.divided(Operator::Mod, &x, *c)
            }
            FormNode::Min(parts) | FormNode::Max(parts) => {
                let operator = match &form.node {
                    FormNode::Min(_) => Operator::Min,
                    _ => Operator::Max,
                };
                let operands = parts.iter().map(|x| self.add_form(x));
                let operands = operands.collect::<Option<Vec<_>>>()?;
                self.adding(|graph| graph.operation(operator, &operands, Number::Integer(0)))
            }
            // Forms with named sizes are not saturated.
            FormNode::Product(_) | FormNode::Divided(..) => None,
        }
    }

    /// Returns a sum over the smallest forms of its classes; `None` if a coefficient does not fit in 64 bits.
    pub fn form_of(&self, sum: &Sum<Id>) -> Option<FormRef> {
        let smallest = |id: &Id| self.classes[*id].data.smallest.clone();
        let parts = sum.terms().iter().map(|(id, c)| (*c, smallest(id)));
        Form::sum(sum.constant, parts)
    }

    /// Records that the range of a class is used for the sum, if it is tighter than that of the form.
    fn note_range(&mut self, sum: &Sum<Id>, class: Id) {
        let Some(written) = self.ranges.as_ref().and_then(|_| self.form_of(sum)) else {
            return;
        };
        let narrowest = self.classes[class].data.narrowest.clone();
        if written.range.intersect(narrowest.range) != written.range
            && let Some(ranges) = &mut self.ranges
        {
            ranges.push((written, narrowest));
        }
    }

    /// Adds a sum.
    pub fn add_sum(&mut self, sum: &Sum<Id>) -> Id {
        match sum.as_atom() {
            Some(atom) => atom,
            None => self.classes.add(Graph::node_of(sum)),
        }
    }

    /// Returns the node of a sum that is not itself a class.
    pub fn node_of(sum: &Sum<Id>) -> Node {
        let terms = sum.terms().iter();
        let coefficients = terms.clone().map(|(_, c)| *c).collect();
        Node::Sum(sum.constant, coefficients, terms.map(|(id, _)| *id).collect())
    }

    /// Looks up the class of a sum.
    pub fn class_of(&self, sum: &Sum<Id>) -> Option<Id> {
        match sum.as_atom() {
            Some(atom) => Some(self.classes.find(atom)),
            None => self.classes.lookup(Graph::node_of(sum)),
        }
    }

    /// Returns the sums that a class equals, one for each choice of forms of its parts: integers first, then short ones.
    pub fn forms(&mut self, id: Id) -> Forms<Id> {
        let id = self.classes.find(id);
        if let Some(known) = self.seen(id).forms.clone() {
            return known;
        }
        let class = &self.classes[id];
        let sums: SmallVec<[Node; 2]> =
            class.nodes.iter().filter(|node| matches!(node, Node::Sum(..))).cloned().collect();
        let is_atom = sums.len() < class.nodes.len();
        if sums.is_empty() {
            let forms: Forms<Id> = Rc::from([Sum::atom(id)]);
            self.seen(id).forms = Some(forms.clone());
            return forms;
        }
        if self.open.contains(&id) || self.open.len() > MAX_DEPTH {
            return Rc::from([Sum::atom(id)]);
        }
        self.open.push(id);
        let mut forms: Vec<Sum<Id>> = Vec::new();
        if is_atom {
            forms.push(Sum::atom(id));
        }
        for node in &sums {
            let Node::Sum(constant, coefficients, ids) = node else {
                continue;
            };
            let mut partial = vec![Sum::constant(*constant)];
            for (coefficient, child) in coefficients.iter().zip(ids) {
                let of_child = self.forms(*child);
                let longer = partial.iter().flat_map(|sum| {
                    of_child.iter().filter_map(|part| sum.plus(*coefficient, part))
                });
                partial = longer.take(MAX_FORMS).collect();
            }
            forms.extend(partial);
        }
        self.open.pop();
        forms.sort_by(|x, y| {
            let length = |sum: &Sum<Id>| sum.terms().len() + usize::from(sum.constant != 0);
            length(x).cmp(&length(y)).then_with(|| x.cmp(y))
        });
        forms.dedup();
        // A class that equals an integer has no other form.
        if forms.first().is_some_and(|form| form.as_constant().is_some()) {
            forms.truncate(1);
        }
        forms.truncate(MAX_FORMS);
        let forms: Forms<Id> = forms.into();
        self.seen(id).forms = Some(forms.clone());
        forms
    }
}

impl Sizes for Graph {
    /// Measures a sum by the smallest forms of its classes.
    fn size(&mut self, sum: &Sum<Id>) -> u32 {
        let terms = sum.terms().iter();
        let parts = terms.map(|(id, c)| (*c, self.classes[*id].data.smallest.ops));
        let own = sum_operations(sum.constant, parts.clone().map(|(c, ops)| (c, ops == 0)));
        parts.map(|(_, ops)| ops).fold(own, u32::saturating_add)
    }
}

impl Graph {
    /// Returns the outline of each form, which excludes rules before they are matched.
    pub fn outlines(&mut self, forms: &[Sum<Id>]) -> SmallVec<[Outline; 4]> {
        let mut of = |id: Id| {
            let operators = Operator::ALL.into_iter().filter(|kind| self.has_operation(id, *kind));
            let all = operators.fold(0, |all, kind| all | 1u8 << kind as u8);
            (all != 0).then_some(all)
        };
        forms.iter().map(|form| Outline::of(form, &mut of)).collect()
    }
}

impl Terms for Graph {
    type Atom = Id;

    fn operations(&mut self, atom: Id, operator: Operator) -> Rc<[Operation<Id>]> {
        let atom = self.classes.find(atom);
        let place = operator as usize;
        if let Some(known) = self.seen(atom).operations[place].clone() {
            return known;
        }
        let nodes = self.classes[atom].nodes.iter();
        let found: SmallVec<[Node; 2]> = nodes
            .filter(|node| node.operator().is_some_and(|(kind, _)| kind == operator))
            .cloned()
            .collect();
        let operations: Rc<[Operation<Id>]> =
            found.iter().map(|node| self.operation_of(node)).collect();
        self.seen(atom).operations[place] = Some(operations.clone());
        operations
    }

    fn support(&mut self, atom: Id) -> u64 {
        self.classes[atom].data.smallest.support()
    }

    fn residue(&mut self, sum: &Sum<Id>, modulus: i64) -> Option<i64> {
        let terms = sum.terms().iter();
        let residues = terms.map(|(id, c)| (*c, self.classes[*id].data.residue));
        Residue::linear(sum.constant, residues).of(modulus)
    }

    fn range(&mut self, sum: &Sum<Id>) -> Interval {
        let plain = sum.range(|id| self.classes[id].data.range);
        if self.ranges.is_some() {
            for (id, _) in sum.terms() {
                self.note_range(&Sum::atom(*id), *id);
            }
            // A remainder's own form is more precise than its expansion.
            let written = self.form_of(sum).filter(|written| written.divmods > 0);
            if let (Some(written), Some(ranges)) = (written, &mut self.ranges) {
                ranges.push((written.clone(), written));
            }
        }
        if sum.terms().len() < 2 {
            return plain;
        }
        let Some(class) = self.class_of(sum) else {
            return plain;
        };
        self.note_range(sum, class);
        plain.intersect(self.classes[class].data.range)
    }

    fn operation(
        &mut self,
        operator: Operator,
        operands: &[Sum<Id>],
        divisor: Number,
    ) -> Option<Sum<Id>> {
        let divisor = divisor.integer()?;
        let mut ids: SmallVec<[Id; 4]> = SmallVec::new();
        for operand in operands {
            ids.push(match self.adding {
                true => {
                    let id = self.add_sum(operand);
                    self.classes.find(id)
                }
                false => self.class_of(operand)?,
            });
        }
        let node = match (operator, ids.first()) {
            (Operator::FloorDiv | Operator::Mod, Some(id)) => {
                if let Some(value) = operands.first().and_then(Sum::as_constant) {
                    return Some(Sum::constant(match operator {
                        Operator::FloorDiv => crate::num::floordiv(value, divisor),
                        _ => crate::num::modulo(value, divisor),
                    }));
                }
                match operator {
                    _ if divisor == 1 && operator == Operator::FloorDiv => {
                        return operands.first().cloned();
                    }
                    _ if divisor == 1 => return Some(Sum::constant(0)),
                    Operator::FloorDiv => Node::FloorDiv(divisor, [*id]),
                    _ => Node::Mod(divisor, [*id]),
                }
            }
            _ => {
                ids.sort();
                ids.dedup();
                if ids.len() == 1 {
                    return operands.first().cloned();
                }
                match operator {
                    Operator::Min => Node::Min(ids),
                    _ => Node::Max(ids),
                }
            }
        };
        let class = match self.adding {
            true => {
                self.operators |= 1 << (operator as u8);
                self.classes.add(node)
            }
            false => self.classes.lookup(node)?,
        };
        let class = self.classes.find(class);
        // The value is already an integer, or the class represents itself.
        let forms = self.forms(class);
        match forms.first().and_then(Sum::as_constant) {
            Some(value) => Some(Sum::constant(value)),
            None => Some(Sum::atom(class)),
        }
    }
}
