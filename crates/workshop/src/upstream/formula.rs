//! Reads comparisons joined by `&&`, `||` and `!`, and brings them to disjunctive normal form.

use super::arithmetic::{Reader, name_at, not_arithmetic};
use super::division::{Kind, undivided};
use super::lines::System;
use affinor::rule::{Condition, Relation, Term};
use affinor::text::ast::{self, NodeId, NodeKind};
use affinor::text::{Error, ErrorKind};

/// Maximum number of cases of a formula.
pub(super) const MAX_CASES: usize = 16;

/// A formula without negations.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Formula {
    All(Vec<Formula>),
    Any(Vec<Formula>),
    Is(Condition),
    /// The equation does not hold.
    Differ(Condition),
    /// The value does not overflow the integers of a program: true for unbounded integers, required for bounded ones.
    Fits(Term),
}

/// A conjunction: conditions that hold, and terms that do not overflow.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(super) struct Case {
    pub(super) conditions: Vec<Condition>,
    pub(super) fits: Vec<Term>,
}

/// Calls that compare their two operands; the comparison must be provable.
const COMPARISONS: [(&str, Relation, bool); 5] = [
    ("CanProveGreaterEqual", Relation::LessEqual, true),
    ("CanProveGreater", Relation::Less, true),
    ("CanProveLessEqual", Relation::LessEqual, false),
    ("CanProveLess", Relation::Less, false),
    ("CanProveEqual", Relation::Equal, false),
];

/// Conditions on the syntactic form of an expression, which do not restrict values: any value can be written either way.
const WRITTEN: [&str; 2] = ["is_const", "is_const_int"];

/// Returns whether this node is a formula rather than a number.
pub(super) fn is_formula(text: &ast::Term<'_>, id: NodeId) -> bool {
    match &text.node(id).kind {
        NodeKind::Compare(..) | NodeKind::Not(_) | NodeKind::And(_) | NodeKind::Or(_) => true,
        NodeKind::Call("!=", _) => true,
        NodeKind::Call("fold", operands) => operands.iter().any(|x| is_formula(text, *x)),
        _ => false,
    }
}

impl Reader {
    /// Reads a formula, or its negation if `holds` is false.
    pub(super) fn formula(
        &mut self,
        text: &ast::Term<'_>,
        id: NodeId,
        holds: bool,
    ) -> Result<Formula, Error> {
        let node = text.node(id);
        let span = node.span.clone();
        let mut all = |parts: &[NodeId]| -> Result<Vec<Formula>, Error> {
            let parts = parts.iter().map(|part| self.formula(text, *part, holds));
            parts.collect()
        };
        match &node.kind {
            NodeKind::Not(x) => self.formula(text, *x, !holds),
            NodeKind::And(parts) if holds => Ok(Formula::All(all(parts)?)),
            NodeKind::And(parts) => Ok(Formula::Any(all(parts)?)),
            NodeKind::Or(parts) if holds => Ok(Formula::Any(all(parts)?)),
            NodeKind::Or(parts) => Ok(Formula::All(all(parts)?)),
            NodeKind::Compare(sides, relations) => {
                let ([x, y], [relation]) = (&sides[..], &relations[..]) else {
                    let message = "expected two sides of a comparison";
                    return Err(Error::new(ErrorKind::Unsupported, span, message));
                };
                let (x, y) = (self.compared(text, *x, *y)?, self.compared(text, *y, *x)?);
                let comparison = comparison(x, *relation, y);
                Ok(signed(comparison, holds))
            }
            NodeKind::Call("!=", sides) => {
                let (Some(x), Some(y)) = (sides.first(), sides.get(1)) else {
                    return Err(not_arithmetic("!=", span));
                };
                let (x, y) = (self.compared(text, *x, *y)?, self.compared(text, *y, *x)?);
                Ok(signed(comparison(x, ast::Relation::Equal, y), !holds))
            }
            NodeKind::Call(name, operands) => {
                let at_name = name_at(name, &span);
                let first = operands.first().copied();
                let unknown = || not_arithmetic(name, at_name.clone());
                let first = first.ok_or_else(unknown)?;
                let cannot = || {
                    let message =
                        format!("`{name}` cannot be negated: that it is not shown says nothing");
                    Error::new(ErrorKind::Unsupported, at_name.clone(), message)
                };
                match *name {
                    "fold" => self.formula(text, first, holds),
                    "can_prove" | "CanProve" if holds => self.formula(text, first, true),
                    "can_prove" | "CanProve" => Err(cannot()),
                    "overflows" if self.in_condition && !holds => {
                        Ok(Formula::Fits(self.term(text, first)?))
                    }
                    written if WRITTEN.contains(&written) && self.in_condition => {
                        Ok(Formula::All(Vec::new()))
                    }
                    _ => {
                        let known = COMPARISONS.iter().find(|(known, ..)| known == name);
                        let (Some((_, relation, turned)), Some(second)) = (known, operands.get(1))
                        else {
                            return Err(unknown());
                        };
                        if !holds {
                            return Err(cannot());
                        }
                        let (x, y) = (self.term(text, first)?, self.term(text, *second)?);
                        let (lhs, rhs) = if *turned { (y, x) } else { (x, y) };
                        let relation = *relation;
                        Ok(Formula::Is(Condition { lhs, relation, rhs }))
                    }
                }
            }
            NodeKind::Name("ctrue") if self.system == System::Tvm => Ok(truth(holds)),
            NodeKind::Name("cfalse") if self.system == System::Tvm => Ok(truth(!holds)),
            NodeKind::Name(name) => {
                let message =
                    format!("`{name}` stands for a truth value, which is not index arithmetic");
                Err(Error::new(ErrorKind::Unsupported, span, message))
            }
            _ => Err(Error::new(ErrorKind::Unsupported, span, "expected a comparison")),
        }
    }

    /// Reads a side of a comparison with `other`. Whether a remainder is 0 does not depend on the kind of division.
    fn compared(&mut self, text: &ast::Term<'_>, id: NodeId, other: NodeId) -> Result<Term, Error> {
        match &text.node(id).kind {
            NodeKind::Call("%", operands)
                if self.in_condition && text.literal(other) == Some(0) && operands.len() == 2 =>
            {
                let (x, divisor) = (self.term(text, operands[0])?, self.term(text, operands[1])?);
                Ok(undivided(Kind::Remainder, x, divisor))
            }
            _ => self.term(text, id),
        }
    }
}

fn truth(holds: bool) -> Formula {
    match holds {
        true => Formula::All(Vec::new()),
        false => Formula::Any(Vec::new()),
    }
}

fn comparison(x: Term, relation: ast::Relation, y: Term) -> Condition {
    let (lhs, relation, rhs) = match relation {
        ast::Relation::Equal => (x, Relation::Equal, y),
        ast::Relation::Less => (x, Relation::Less, y),
        ast::Relation::LessEqual => (x, Relation::LessEqual, y),
        ast::Relation::Greater => (y, Relation::Less, x),
        ast::Relation::GreaterEqual => (y, Relation::LessEqual, x),
    };
    bounded(Condition { lhs, relation, rhs })
}

/// Normalizes strict bounds: `0 < c` becomes `c >= 1`, and `c < 0` becomes `c <= -1`.
fn bounded(condition: Condition) -> Condition {
    let Condition { lhs, relation, rhs } = condition;
    let (lhs, relation, rhs) = match (lhs, relation, rhs) {
        (Term::Integer(bound), Relation::Less, rhs) if bound < i64::MAX => {
            (Term::Integer(bound + 1), Relation::LessEqual, rhs)
        }
        (lhs, Relation::Less, Term::Integer(bound)) if bound > i64::MIN => {
            (lhs, Relation::LessEqual, Term::Integer(bound - 1))
        }
        same => same,
    };
    Condition { lhs, relation, rhs }
}

fn signed(condition: Condition, holds: bool) -> Formula {
    match holds {
        true => Formula::Is(condition),
        false => negation(&condition),
    }
}

/// Returns the negation of the condition.
fn negation(condition: &Condition) -> Formula {
    let Condition { lhs, relation, rhs } = condition;
    let is = |lhs: &Term, relation, rhs: &Term| {
        let (lhs, rhs) = (lhs.clone(), rhs.clone());
        Formula::Is(bounded(Condition { lhs, relation, rhs }))
    };
    match relation {
        Relation::Less => is(rhs, Relation::LessEqual, lhs),
        Relation::LessEqual => is(rhs, Relation::Less, lhs),
        Relation::Equal => Formula::Differ(condition.clone()),
    }
}

impl Formula {
    /// Returns the negation of the formula. Overflow is required only in conditions, which are never negated.
    pub(super) fn negated(&self) -> Formula {
        let all = |parts: &[Formula]| parts.iter().map(Formula::negated).collect();
        match self {
            Formula::All(parts) => Formula::Any(all(parts)),
            Formula::Any(parts) => Formula::All(all(parts)),
            Formula::Is(condition) => negation(condition),
            Formula::Differ(equation) => Formula::Is(equation.clone()),
            Formula::Fits(_) => Formula::Any(Vec::new()),
        }
    }

    /// Returns the conjunctive normal form, as a list of disjunctions; `None` if there are more than [`MAX_CASES`].
    pub(super) fn clauses(&self) -> Option<Vec<Vec<Formula>>> {
        self.groups(true)
    }

    /// Returns the cases of the disjunctive normal form, in order; `None` if there are more than [`MAX_CASES`].
    pub(super) fn cases(&self) -> Option<Vec<Case>> {
        let mut all = Vec::new();
        for group in self.groups(false)? {
            let mut cases = vec![Case::default()];
            for literal in group {
                let more = literal.sides();
                let pairs = cases.iter();
                cases = pairs.flat_map(|one| more.iter().map(|two| one.and(two))).collect();
            }
            all.extend(cases);
            if all.len() > MAX_CASES {
                return None;
            }
        }
        Some(all)
    }

    /// Returns the conjunctive or the disjunctive normal form.
    fn groups(&self, conjunctive: bool) -> Option<Vec<Vec<Formula>>> {
        let (parts, is_outer) = match self {
            Formula::All(parts) => (parts, conjunctive),
            Formula::Any(parts) => (parts, !conjunctive),
            literal => return Some(vec![vec![literal.clone()]]),
        };
        let mut groups = match is_outer {
            true => Vec::new(),
            false => vec![Vec::new()],
        };
        for part in parts {
            let more = part.groups(conjunctive)?;
            match is_outer {
                true => groups.extend(more),
                false => {
                    let pairs = groups.iter();
                    groups = pairs
                        .flat_map(|one| more.iter().map(|two| [&one[..], &two[..]].concat()))
                        .collect();
                }
            }
            if groups.len() > MAX_CASES {
                return None;
            }
        }
        Some(groups)
    }

    /// Returns the cases of a literal: if two values differ, one of them is smaller.
    fn sides(&self) -> Vec<Case> {
        let case = |conditions, fits| Case { conditions, fits };
        match self {
            Formula::Is(condition) => vec![case(vec![condition.clone()], Vec::new())],
            Formula::Fits(term) => vec![case(Vec::new(), vec![term.clone()])],
            Formula::Differ(Condition { lhs, rhs, .. }) => [(lhs, rhs), (rhs, lhs)]
                .into_iter()
                .map(|(lhs, rhs)| {
                    let condition =
                        Condition { lhs: lhs.clone(), relation: Relation::Less, rhs: rhs.clone() };
                    case(vec![bounded(condition)], Vec::new())
                })
                .collect(),
            Formula::All(_) | Formula::Any(_) => Vec::new(), // no literals
        }
    }
}

impl Case {
    /// Returns the conjunction of both, without repeated conditions.
    pub(super) fn and(&self, other: &Case) -> Case {
        let mut both = self.clone();
        let new = |condition: &&Condition| !self.conditions.contains(condition);
        both.conditions.extend(other.conditions.iter().filter(new).cloned());
        both.fits.extend(other.fits.iter().cloned());
        both
    }
}
