//! Names for the quotients, minima and maxima of a proof.
//!
//! Rocq's linear arithmetic identifies two quotients only if their dividends are written alike. So each quotient gets a name,
//! looked up by its expanded dividend, and all forms in which it occurs are replaced by that name.

use super::tree::{Operation, Tree};
use affinor::num::polynomial::{self, Polynomial};
use affinor::num::{Sum, floordiv};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// The index of a name.
pub(super) type Id = u32;

/// The term that a name represents.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Meaning {
    /// A variable of the map.
    Variable,
    /// A quotient, with its dividend and divisor.
    Quotient(Box<[Polynomial<Id>; 2]>),
    /// A min (`true`) or max of two or more values, sorted.
    Choice(bool, Vec<Polynomial<Id>>),
}

/// The names of one proof, with the tactics that introduce them.
#[derive(Default)]
pub(super) struct Names {
    names: Vec<(String, Meaning)>,
    /// Operations by their meaning.
    ids: FxHashMap<Meaning, Id>,
    by_name: FxHashMap<String, Id>,
    /// Values of trees without remainders.
    values: FxHashMap<Tree, Polynomial<Id>>,
    counts: [usize; 2],
    /// Tactics, to be taken by the caller.
    pub(super) tactics: Vec<String>,
}

impl Names {
    /// Returns the value of a tree without remainders; `None` if a number exceeds 64 bits.
    pub(super) fn value(&mut self, tree: &Tree) -> Option<Polynomial<Id>> {
        if let Some(known) = self.values.get(tree) {
            return Some(known.clone());
        }
        let value = match tree {
            Tree::Integer(value) => Sum::constant(*value),
            Tree::Name(name) => polynomial::atom(match self.by_name.get(name) {
                Some(id) => *id,
                None => self.id(Meaning::Variable, name),
            }),
            Tree::Negative(x) => self.value(x)?.scaled(-1)?,
            Tree::Of(operation, x, y) => {
                let (x, y) = (self.value(x)?, self.value(y)?);
                match operation {
                    Operation::Plus => x.plus(1, &y)?,
                    Operation::Minus => x.plus(-1, &y)?,
                    Operation::Times => polynomial::product(&x, &y)?,
                    Operation::Quotient => self.quotient(x, y),
                    Operation::Least => self.choice(true, [x, y]),
                    Operation::Greatest => self.choice(false, [x, y]),
                    Operation::Remainder => return None, // unreachable: remainders are expanded
                }
            }
        };
        self.values.insert(tree.clone(), value.clone());
        Some(value)
    }

    fn quotient(&mut self, x: Polynomial<Id>, divisor: Polynomial<Id>) -> Polynomial<Id> {
        match (x.as_constant(), divisor.as_constant()) {
            (_, Some(1)) => return x,
            (Some(x), Some(c)) if c > 1 => return Sum::constant(floordiv(x, c)),
            _ => (),
        }
        let [of, by] = [&x, &divisor].map(|value| self.tree(value));
        let meaning = Meaning::Quotient(Box::new([x, divisor]));
        if let Some(id) = self.ids.get(&meaning) {
            return polynomial::atom(*id);
        }
        self.counts[0] += 1;
        let name = format!("quot{}", self.counts[0]);
        let positive = match by {
            Tree::Integer(_) => "closed",
            _ => "linear",
        };
        self.tactics.push(format!(
            "destruct (named_quotient {of} {by} ltac:({positive})) as [{name} [{name}_is {name}_in]]."
        ));
        polynomial::atom(self.id(meaning, &name))
    }

    fn choice(&mut self, least: bool, of: [Polynomial<Id>; 2]) -> Polynomial<Id> {
        let mut all = Vec::new();
        for value in of {
            let inner = value.as_atom().filter(|monomial| monomial.0.len() == 1);
            match inner.map(|monomial| &self.names[monomial.0[0] as usize].1) {
                Some(Meaning::Choice(kind, inner)) if *kind == least => all.extend(inner.clone()),
                _ => all.push(value),
            }
        }
        all.sort();
        all.dedup();
        if let [only] = all.as_slice() {
            return only.clone();
        }
        let operands: Vec<Tree> = all.iter().map(|value| self.tree(value)).collect();
        let meaning = Meaning::Choice(least, all);
        if let Some(id) = self.ids.get(&meaning) {
            return polynomial::atom(*id);
        }
        self.counts[1] += 1;
        let name = format!("pick{}", self.counts[1]);
        self.tactics.push(name_choice(&name, least, &operands));
        polynomial::atom(self.id(meaning, &name))
    }

    /// Assigns a name to a new meaning.
    fn id(&mut self, meaning: Meaning, name: &str) -> Id {
        let id = self.names.len() as Id;
        self.names.push((name.to_owned(), meaning.clone()));
        self.by_name.insert(name.to_owned(), id);
        if meaning != Meaning::Variable {
            self.ids.insert(meaning, id);
        }
        id
    }

    /// Returns pairs of quotients by the same divisor that agree at all points, innermost first. A point gives the values of
    /// `variables`.
    pub(super) fn pairs(&self, variables: &[String], points: &[Vec<i64>]) -> Vec<[&str; 2]> {
        let values: Vec<Vec<Option<i64>>> =
            points.iter().map(|point| self.at(variables, point)).collect();
        let mut pairs = Vec::new();
        for (index, (name, meaning)) in self.names.iter().enumerate() {
            let Meaning::Quotient(of) = meaning else {
                continue;
            };
            for (other, (before, meaning)) in self.names[..index].iter().enumerate() {
                let is_like = matches!(meaning, Meaning::Quotient(by) if by[1] == of[1]);
                if is_like && values.iter().all(|all| all[index] == all[other]) {
                    pairs.push([before.as_str(), name.as_str()]);
                }
            }
        }
        pairs
    }

    /// Evaluates all names at a point.
    fn at(&self, variables: &[String], point: &[i64]) -> Vec<Option<i64>> {
        let mut values: Vec<Option<i64>> = Vec::with_capacity(self.names.len());
        for (name, meaning) in &self.names {
            let value = |of: &Polynomial<Id>| {
                let mut total = of.constant;
                for (monomial, c) in of.terms() {
                    let mut factors = monomial.0.iter().map(|id| values[*id as usize]);
                    let product = factors.try_fold(*c, |product, x| product.checked_mul(x?))?;
                    total = total.checked_add(product)?;
                }
                Some(total)
            };
            let here = match meaning {
                Meaning::Variable => {
                    let index = variables.iter().position(|known| known == name);
                    index.map(|index| point[index])
                }
                Meaning::Quotient(of) => value(&of[1])
                    .filter(|divisor| *divisor >= 1)
                    .and_then(|divisor| Some(floordiv(value(&of[0])?, divisor))),
                Meaning::Choice(least, of) => {
                    let all: Option<Vec<i64>> = of.iter().map(value).collect();
                    let all = all.unwrap_or_default().into_iter();
                    if *least { all.min() } else { all.max() }
                }
            };
            values.push(here);
        }
        values
    }

    /// Returns the hypotheses that bound the operations in a value.
    pub(super) fn support(&self, values: &[Polynomial<Id>]) -> Vec<String> {
        let names = |value: &Polynomial<Id>| -> Vec<Id> {
            let factors = value.terms().iter().flat_map(|(monomial, _)| monomial.0.iter());
            factors.copied().collect()
        };
        let mut open: Vec<Id> = values.iter().flat_map(names).collect();
        let mut seen = BTreeSet::new();
        while let Some(id) = open.pop() {
            if seen.insert(id) {
                match &self.names[id as usize].1 {
                    Meaning::Variable => (),
                    Meaning::Quotient(of) => open.extend(of.iter().flat_map(names)),
                    Meaning::Choice(_, of) => open.extend(of.iter().flat_map(names)),
                }
            }
        }
        let operations = seen.iter().map(|id| &self.names[*id as usize]);
        let operations = operations.filter(|(_, meaning)| !matches!(meaning, Meaning::Variable));
        operations.map(|(name, _)| format!("{name}_in")).collect()
    }

    /// Returns tactics for goals that follow from the choices in these values alone: any further choice would multiply the cases.
    pub(super) fn by_choices(&self, values: &[Polynomial<Id>]) -> String {
        let terms = values.iter().flat_map(Sum::terms);
        let ids = terms.flat_map(|(monomial, _)| monomial.0.iter());
        let names = ids.map(|id| &self.names[*id as usize]);
        let choices = names.filter(|(_, meaning)| matches!(meaning, Meaning::Choice(..)));
        let known: BTreeSet<String> = choices.map(|(name, _)| format!("{name}_in")).collect();
        match known.is_empty() {
            true => "clear; lia".to_owned(),
            false => {
                let known: Vec<String> = known.into_iter().collect();
                format!("clear - {}; lia", known.join(" "))
            }
        }
    }

    /// Converts a value to a tree over the names.
    pub(super) fn tree(&self, value: &Polynomial<Id>) -> Tree {
        let name = |id: &Id| Tree::Name(self.names[*id as usize].0.clone());
        let times = |x, y| Tree::of(Operation::Times, x, y);
        let terms = value.terms().iter().map(|(monomial, c)| {
            let start = (*c != 1).then_some(Tree::Integer(*c));
            let factors = start.into_iter().chain(monomial.0.iter().map(name));
            factors.reduce(times).unwrap_or(Tree::Integer(1)) // a monomial is never empty
        });
        let constant = (value.constant != 0).then_some(Tree::Integer(value.constant));
        let all = terms.chain(constant);
        let sum = all.reduce(|x, y| Tree::of(Operation::Plus, x, y));
        sum.unwrap_or(Tree::Integer(0))
    }
}

/// States that a name is at most (if `least`) or at least each operand, and equal to one of them.
fn name_choice(name: &str, least: bool, operands: &[Tree]) -> String {
    let (relation, function) = if least { ("<=", "Z.min") } else { (">=", "Z.max") };
    let bounds = operands.iter().map(|x| format!("{name} {relation} {x}"));
    let bounds: Vec<String> = bounds.collect();
    let one = operands.iter().map(|x| format!("{name} = {x}"));
    let one: Vec<String> = one.collect();
    let texts = operands.iter().map(Tree::to_string);
    let witness = texts.reduce(|x, y| format!("({function} {x} {y})"));
    format!(
        "assert (exists {name}, {} /\\ ({})) as [{name} {name}_in] by (clear; exists {}; lia).",
        bounds.join(" /\\ "),
        one.join(" \\/ "),
        witness.unwrap_or_default()
    )
}
