//! Prints terms, conditions and statements of a rule; the parser reads them back.

use super::{Condition, Relation, Rule, Statement, Term};
use std::fmt;

/// Operator precedence.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Strength {
    Sum,
    Product,
    Whole,
}

impl fmt::Display for Relation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Relation::Equal => "=",
            Relation::LessEqual => "<=",
            Relation::Less => "<",
        })
    }
}

impl Rule {
    /// Prints a term with the names of this rule.
    #[must_use]
    pub fn write(&self, term: &Term) -> String {
        self.write_in(&OF_RULES, term, false)
    }

    /// Prints a comparison with the names of this rule.
    #[must_use]
    pub fn write_condition(&self, condition: &Condition) -> String {
        let (lhs, rhs) = (self.write(&condition.lhs), self.write(&condition.rhs));
        // Bounds of a variable read better as `c >= 1`.
        match (&condition.lhs, condition.relation) {
            (Term::Integer(_), Relation::LessEqual) => format!("{rhs} >= {lhs}"),
            (_, relation) => format!("{lhs} {} {rhs}", relation.symbol()),
        }
    }

    /// Prints the statement without its conditions.
    #[must_use]
    pub fn write_statement(&self) -> String {
        match &self.statement {
            Statement::Rewrite(lhs, rhs) => format!("{} => {}", self.write(lhs), self.write(rhs)),
            Statement::Equivalence(lhs, rhs) => {
                format!("{} <=> {}", self.conjunction(lhs), self.conjunction(rhs))
            }
            Statement::Fact(facts) => self.conjunction(facts),
        }
    }

    /// Prints the conditions, separated by commas.
    #[must_use]
    pub fn write_conditions(&self) -> String {
        let conditions = self.conditions.iter();
        let conditions = conditions.map(|one| self.write_condition(one));
        conditions.collect::<Vec<_>>().join(", ")
    }

    fn conjunction(&self, conditions: &[Condition]) -> String {
        let conditions = conditions.iter().map(|one| self.write_condition(one));
        conditions.collect::<Vec<_>>().join(" and ")
    }

    /// Prints a term as an operand of a comparison, or in brackets where needed as an argument.
    #[must_use]
    pub fn write_in(&self, notation: &Notation, term: &Term, is_argument: bool) -> String {
        let within = if is_argument { Strength::Whole } else { Strength::Sum };
        Writer { rule: self, notation }.term(term, within)
    }
}

/// The notation of the operations on terms.
pub struct Notation {
    /// The operator of products, with the spaces around it.
    pub times: &'static str,
    /// The operator of quotients, likewise.
    pub floordiv: &'static str,
    /// The operator of remainders, likewise.
    pub modulo: &'static str,
    /// The name of the minimum.
    pub min: &'static str,
    /// The name of the maximum.
    pub max: &'static str,
    /// Whether calls are written `(min x y)`.
    pub is_curried: bool,
}

/// The notation of rule files.
const OF_RULES: Notation = Notation {
    times: "*",
    floordiv: " floordiv ",
    modulo: " mod ",
    min: "min",
    max: "max",
    is_curried: false,
};

struct Writer<'r> {
    rule: &'r Rule,
    notation: &'r Notation,
}

impl Writer<'_> {
    fn term(&self, term: &Term, within: Strength) -> String {
        let (text, strength) = match term {
            Term::Integer(value) if *value < 0 => (value.to_string(), Strength::Sum),
            Term::Integer(value) => (value.to_string(), Strength::Whole),
            Term::Constant(_) | Term::Expression(_) => {
                (self.rule.name_of(term).to_owned(), Strength::Whole)
            }
            Term::Sum(terms) => (self.sum(terms), Strength::Sum),
            Term::Product(x, y) if **x == Term::Integer(-1) => {
                (format!("-{}", self.term(y, Strength::Whole)), Strength::Sum)
            }
            Term::Product(x, y) => (self.pair(x, self.notation.times, y), Strength::Product),
            Term::FloorDiv(x, y) => (self.pair(x, self.notation.floordiv, y), Strength::Product),
            Term::Mod(x, y) => (self.pair(x, self.notation.modulo, y), Strength::Product),
            Term::Min(x, y) => (self.call(self.notation.min, x, y), Strength::Whole),
            Term::Max(x, y) => (self.call(self.notation.max, x, y), Strength::Whole),
            Term::Lo(_) => (format!("lo({})", self.rule.name_of(term)), Strength::Whole),
            Term::Hi(_) => (format!("hi({})", self.rule.name_of(term)), Strength::Whole),
        };
        if strength < within { format!("({text})") } else { text }
    }

    fn sum(&self, terms: &[Term]) -> String {
        let mut text = String::new();
        for (index, term) in terms.iter().enumerate() {
            match term {
                Term::Product(x, y) if index > 0 && **x == Term::Integer(-1) => {
                    text.push_str(" - ");
                    text.push_str(&self.term(y, Strength::Product));
                }
                Term::Integer(value) if index > 0 && *value < 0 => {
                    text.push_str(&format!(" - {}", value.unsigned_abs()));
                }
                // A leading sign needs no parentheses.
                _ if index == 0 => text.push_str(&self.term(term, Strength::Sum)),
                _ => {
                    text.push_str(" + ");
                    text.push_str(&self.term(term, Strength::Product));
                }
            }
        }
        text
    }

    fn pair(&self, x: &Term, operator: &str, y: &Term) -> String {
        // Only products read well without parentheses from left to right.
        let left = match operator {
            "*" => Strength::Product,
            _ => Strength::Whole,
        };
        let (x, y) = (self.term(x, left), self.term(y, Strength::Whole));
        format!("{x}{operator}{y}")
    }

    fn call(&self, name: &str, x: &Term, y: &Term) -> String {
        let within = if self.notation.is_curried { Strength::Whole } else { Strength::Sum };
        let (x, y) = (self.term(x, within), self.term(y, within));
        match self.notation.is_curried {
            true => format!("({name} {x} {y})"),
            false => format!("{name}({x}, {y})"),
        }
    }
}
