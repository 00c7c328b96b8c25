//! Prints rules as theorems, for proof assistants with the usual notation of arithmetic.

use affinor::rule::{Condition, Relation, Rule, Statement, Term};
use std::fmt::Write;

/// Returns the name of a rule as an identifier.
pub(super) fn identifier(name: &str) -> String {
    name.replace('-', "_")
}

/// Operator precedence.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Strength {
    Sum,
    Product,
    Whole,
}

/// A proof assistant's notation for the operations whose notation is not common to all of them.
pub(super) struct Dialect {
    pub(super) and: &'static str,
    pub(super) iff: &'static str,
    pub(super) less_equal: &'static str,
    pub(super) remainder: &'static str,
    pub(super) min: &'static str,
    pub(super) max: &'static str,
    /// The type of integers, for comparisons of two numerals, which have to name it.
    pub(super) numerals_of: Option<&'static str>,
}

/// Prints statements and terms with the names of a rule.
pub(super) struct Writer<'r> {
    pub(super) rule: &'r Rule,
    pub(super) dialect: &'r Dialect,
}

impl Writer<'_> {
    pub(super) fn statement(&self) -> String {
        match &self.rule.statement {
            Statement::Rewrite(lhs, rhs) => {
                let [lhs, rhs] = [lhs, rhs].map(|side| self.term(side, Strength::Sum));
                format!("{lhs} = {rhs}")
            }
            Statement::Equivalence(lhs, rhs) => {
                let [lhs, rhs] = [lhs, rhs].map(|side| self.conjunction(side));
                format!("({lhs}) {} ({rhs})", self.dialect.iff)
            }
            Statement::Fact(facts) => self.conjunction(facts),
        }
    }

    fn conjunction(&self, conditions: &[Condition]) -> String {
        let parts: Vec<String> = conditions.iter().map(|c| self.comparison(c)).collect();
        parts.join(&format!(" {} ", self.dialect.and))
    }

    pub(super) fn comparison(&self, condition: &Condition) -> String {
        let Condition { lhs, relation, rhs } = condition;
        let symbol = match relation {
            Relation::Equal => "=",
            Relation::LessEqual => self.dialect.less_equal,
            Relation::Less => "<",
        };
        let left = match (lhs, rhs) {
            (Term::Integer(value), Term::Integer(_)) if let Some(of) = self.dialect.numerals_of => {
                format!("({value} : {of})")
            }
            _ => self.term(lhs, Strength::Sum),
        };
        format!("{left} {symbol} {}", self.term(rhs, Strength::Sum))
    }

    /// Prints a term as an argument.
    pub(super) fn whole(&self, term: &Term) -> String {
        self.term(term, Strength::Whole)
    }

    fn term(&self, term: &Term, within: Strength) -> String {
        let whole = |term: &Term| self.whole(term);
        let pair = |x: &Term, symbol: &str, y: &Term| format!("{} {symbol} {}", whole(x), whole(y));
        let call = |name: &str, x: &Term, y: &Term| format!("({name} {} {})", whole(x), whole(y));
        let (text, strength) = match term {
            Term::Integer(value) if *value < 0 => (value.to_string(), Strength::Sum),
            Term::Integer(value) => (value.to_string(), Strength::Whole),
            Term::Constant(_) | Term::Expression(_) => {
                (self.rule.name_of(term).to_owned(), Strength::Whole)
            }
            Term::Sum(terms) => (self.sum(terms), Strength::Sum),
            Term::Product(x, y) if **x == Term::Integer(-1) => {
                (format!("-{}", whole(y)), Strength::Sum)
            }
            Term::Product(x, y) => (pair(x, "*", y), Strength::Product),
            Term::FloorDiv(x, y) => (pair(x, "/", y), Strength::Product),
            Term::Mod(x, y) => (pair(x, self.dialect.remainder, y), Strength::Product),
            Term::Min(x, y) => (call(self.dialect.min, x, y), Strength::Whole),
            Term::Max(x, y) => (call(self.dialect.max, x, y), Strength::Whole),
            // Bounds occur only in hints, which are not exported.
            Term::Lo(_) | Term::Hi(_) => (self.rule.name_of(term).to_owned(), Strength::Whole),
        };
        if strength < within { format!("({text})") } else { text }
    }

    fn sum(&self, terms: &[Term]) -> String {
        let mut text = String::new();
        for (index, term) in terms.iter().enumerate() {
            match term {
                _ if index == 0 => text.push_str(&self.term(term, Strength::Sum)),
                Term::Product(x, y) if **x == Term::Integer(-1) => {
                    let _ = write!(text, " - {}", self.term(y, Strength::Product));
                }
                Term::Integer(value) if *value < 0 => {
                    let _ = write!(text, " - {}", value.unsigned_abs());
                }
                _ => {
                    let _ = write!(text, " + {}", self.term(term, Strength::Product));
                }
            }
        }
        text
    }
}
