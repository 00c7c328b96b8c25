//! Prints rules as theorems, for proof assistants with the usual notation of arithmetic.

use affinor::rule::{Condition, Notation, Relation, Rule, Statement, Term};

/// Returns the name of a rule as an identifier.
pub(super) fn identifier(name: &str) -> String {
    name.replace('-', "_")
}

/// A proof assistant's notation for the operations whose notation is not common to all of them.
pub(super) struct Dialect {
    pub(super) and: &'static str,
    pub(super) iff: &'static str,
    pub(super) less_equal: &'static str,
    pub(super) terms: Notation,
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
                let [lhs, rhs] = [lhs, rhs].map(|side| self.side(side));
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
            _ => self.side(lhs),
        };
        format!("{left} {symbol} {}", self.side(rhs))
    }

    /// Prints a term as an argument.
    pub(super) fn whole(&self, term: &Term) -> String {
        self.rule.write_in(&self.dialect.terms, term, true)
    }

    fn side(&self, term: &Term) -> String {
        self.rule.write_in(&self.dialect.terms, term, false)
    }
}
