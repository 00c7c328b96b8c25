//! Terms in the form in which Rocq parses them.
//!
//! An instance of a theorem has the shape of the rule's text, with values for its variables. A [`Tree`] has the same shape, so
//! that its printed form occurs literally in the instance.

use affinor::expr::{Divisor, Expr, ExprKind, VariableId};
use affinor::rule::Term;
use std::fmt;

/// A term over names and integers.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Tree {
    Integer(i64),
    Name(String),
    Negative(Box<Tree>),
    Of(Operation, Box<Tree>, Box<Tree>),
}

/// An operation of two terms.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Operation {
    Plus,
    Minus,
    Times,
    Quotient,
    Remainder,
    Least,
    Greatest,
}

impl Tree {
    pub(super) fn of(operation: Operation, x: Tree, y: Tree) -> Tree {
        Tree::Of(operation, Box::new(x), Box::new(y))
    }

    fn negative(x: Tree) -> Tree {
        Tree::Negative(Box::new(x))
    }

    /// Converts an expression, with names for its variables.
    pub(super) fn expr(expr: &Expr, names: &[String]) -> Tree {
        let variable = |id: VariableId| Tree::Name(names[id.index()].clone());
        let tree = |expr: &Expr| Tree::expr(expr, names);
        let divisor = |divisor: &Divisor| match divisor {
            Divisor::Integer(value) => Tree::Integer(*value),
            Divisor::Named(expr) => tree(expr),
        };
        let fold = |operation, operands: &[Expr]| {
            let mut trees = operands.iter().map(tree);
            let first = trees.next().unwrap_or(Tree::Integer(0)); // at least two exist
            trees.fold(first, |x, y| Tree::of(operation, x, y))
        };
        match expr.kind() {
            ExprKind::Constant(value) => Tree::Integer(*value),
            ExprKind::Variable(id) => variable(*id),
            ExprKind::Sum(sum) => {
                let terms = sum.terms().iter().map(|(c, x)| match c {
                    1 => tree(x),
                    c => Tree::of(Operation::Times, Tree::Integer(*c), tree(x)),
                });
                let constant = (sum.constant() != 0).then(|| Tree::Integer(sum.constant()));
                let mut terms = terms.chain(constant);
                let first = terms.next().unwrap_or(Tree::Integer(0));
                terms.fold(first, |x, y| Tree::of(Operation::Plus, x, y))
            }
            ExprKind::Product(factors) => fold(Operation::Times, factors),
            ExprKind::FloorDiv(x, by) => Tree::of(Operation::Quotient, tree(x), divisor(by)),
            ExprKind::CeilDiv(x, by) => {
                let x = Tree::negative(tree(x));
                Tree::negative(Tree::of(Operation::Quotient, x, divisor(by)))
            }
            ExprKind::Mod(x, by) => Tree::of(Operation::Remainder, tree(x), divisor(by)),
            ExprKind::Min(operands) => fold(Operation::Least, operands),
            ExprKind::Max(operands) => fold(Operation::Greatest, operands),
        }
    }

    /// Converts a term of a rule, with values for its constants and its expressions, in the shape in which the rule is exported.
    pub(super) fn term(term: &Term, constants: &[Tree], expressions: &[Tree]) -> Tree {
        let tree = |term: &Term| Tree::term(term, constants, expressions);
        let pair = |operation, x: &Term, y: &Term| Tree::of(operation, tree(x), tree(y));
        match term {
            Term::Integer(value) => Tree::Integer(*value),
            Term::Constant(slot) => constants[*slot as usize].clone(),
            Term::Expression(slot) => expressions[*slot as usize].clone(),
            Term::Sum(terms) => {
                let mut terms = terms.iter();
                let first = terms.next().map_or(Tree::Integer(0), tree);
                terms.fold(first, |sum, term| match term {
                    Term::Product(x, y) if **x == Term::Integer(-1) => {
                        Tree::of(Operation::Minus, sum, tree(y))
                    }
                    Term::Integer(value) if *value < 0 && *value != i64::MIN => {
                        Tree::of(Operation::Minus, sum, Tree::Integer(-value))
                    }
                    term => Tree::of(Operation::Plus, sum, tree(term)),
                })
            }
            Term::Product(x, y) if **x == Term::Integer(-1) => Tree::negative(tree(y)),
            Term::Product(x, y) => pair(Operation::Times, x, y),
            Term::FloorDiv(x, y) => pair(Operation::Quotient, x, y),
            Term::Mod(x, y) => pair(Operation::Remainder, x, y),
            Term::Min(x, y) => pair(Operation::Least, x, y),
            Term::Max(x, y) => pair(Operation::Greatest, x, y),
            Term::Lo(_) | Term::Hi(_) => Tree::Integer(0), // only in hints
        }
    }

    /// Rewrites each `x mod d` as `x - d * (x / d)`.
    pub(super) fn without_remainders(&self) -> Tree {
        match self {
            Tree::Integer(_) | Tree::Name(_) => self.clone(),
            Tree::Negative(x) => Tree::negative(x.without_remainders()),
            Tree::Of(operation, x, y) => {
                let (x, y) = (x.without_remainders(), y.without_remainders());
                match operation {
                    Operation::Remainder => {
                        let quotient = Tree::of(Operation::Quotient, x.clone(), y.clone());
                        Tree::of(Operation::Minus, x, Tree::of(Operation::Times, y, quotient))
                    }
                    operation => Tree::of(*operation, x, y),
                }
            }
        }
    }

    /// Returns the number of nodes of [`Self::without_remainders`], which doubles with each remainder nested in another.
    pub(super) fn size_without_remainders(&self) -> u64 {
        match self {
            Tree::Integer(_) | Tree::Name(_) => 1,
            Tree::Negative(x) => x.size_without_remainders().saturating_add(1),
            Tree::Of(operation, x, y) => {
                let [x, y] = [x, y].map(|part| part.size_without_remainders());
                let both = x.saturating_add(y);
                match operation {
                    Operation::Remainder => both.saturating_mul(2).saturating_add(3),
                    _ => both.saturating_add(1),
                }
            }
        }
    }

    /// Returns whether some part is an operation of this kind.
    pub(super) fn has(&self, wanted: Operation) -> bool {
        match self {
            Tree::Integer(_) | Tree::Name(_) => false,
            Tree::Negative(x) => x.has(wanted),
            Tree::Of(operation, x, y) => *operation == wanted || x.has(wanted) || y.has(wanted),
        }
    }
}

/// Operator precedence.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Strength {
    Sum,
    Product,
    Whole,
}

impl Tree {
    fn write(&self, f: &mut fmt::Formatter<'_>, within: Strength) -> fmt::Result {
        let strength = match self {
            Tree::Integer(0..) | Tree::Name(_) => Strength::Whole,
            Tree::Of(Operation::Least | Operation::Greatest, ..) => Strength::Whole,
            Tree::Of(Operation::Plus | Operation::Minus, ..) => Strength::Sum,
            Tree::Integer(_) | Tree::Negative(_) => Strength::Sum,
            Tree::Of(..) => Strength::Product,
        };
        let is_enclosed = strength < within
            || matches!(self, Tree::Of(Operation::Least | Operation::Greatest, ..));
        if is_enclosed {
            f.write_str("(")?;
        }
        match self {
            Tree::Integer(value) => write!(f, "{value}")?,
            Tree::Name(name) => f.write_str(name)?,
            Tree::Negative(x) => match **x {
                Tree::Integer(value) => write!(f, "- ({value})")?, // `- 8` would be parsed as a numeral
                _ => {
                    f.write_str("- ")?;
                    x.write(f, Strength::Whole)?;
                }
            },
            Tree::Of(operation, x, y) => {
                let (left, symbol, right) = match operation {
                    Operation::Plus => (Strength::Sum, " + ", Strength::Product),
                    Operation::Minus => (Strength::Sum, " - ", Strength::Product),
                    Operation::Times => (Strength::Whole, " * ", Strength::Whole),
                    Operation::Quotient => (Strength::Whole, " / ", Strength::Whole),
                    Operation::Remainder => (Strength::Whole, " mod ", Strength::Whole),
                    Operation::Least => (Strength::Whole, " ", Strength::Whole),
                    Operation::Greatest => (Strength::Whole, " ", Strength::Whole),
                };
                match operation {
                    Operation::Least => f.write_str("Z.min ")?,
                    Operation::Greatest => f.write_str("Z.max ")?,
                    _ => (),
                }
                x.write(f, left)?;
                f.write_str(symbol)?;
                y.write(f, right)?;
            }
        }
        if is_enclosed {
            f.write_str(")")?;
        }
        Ok(())
    }
}

impl fmt::Display for Tree {
    /// Prints the tree as an argument.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, Strength::Whole)
    }
}
