//! The data type of rules: terms over variables, conditions, a statement, hints.

use super::Role;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A variable of a rule: its index in [`Rule::constants`] or [`Rule::expressions`].
pub type Slot = u8;

/// A term over the variables of a rule.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Term {
    /// An integer literal.
    Integer(i64),
    /// A variable for an integer that the simplifier knows.
    Constant(Slot),
    /// A variable for any expression.
    Expression(Slot),
    /// A sum of two or more terms.
    Sum(Vec<Term>),
    /// A product; in an instance at most one factor is not an integer.
    Product(Box<Term>, Box<Term>),
    /// Floor division.
    FloorDiv(Box<Term>, Box<Term>),
    /// Remainder of floor division.
    Mod(Box<Term>, Box<Term>),
    /// Minimum of two terms.
    Min(Box<Term>, Box<Term>),
    /// Maximum of two terms.
    Max(Box<Term>, Box<Term>),
    /// Lower bound of an expression; only in hints.
    Lo(Slot),
    /// Upper bound of an expression; only in hints.
    Hi(Slot),
}

/// A comparison operator.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Relation {
    /// `=`
    Equal,
    /// `<=`
    LessEqual,
    /// `<`
    Less,
}

/// `lhs relation rhs`; `>` and `>=` are parsed as `<` and `<=` with the sides exchanged.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Condition {
    /// Left side.
    pub lhs: Term,
    /// The relation.
    pub relation: Relation,
    /// Right side.
    pub rhs: Term,
}

/// The claim of a rule.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Statement {
    /// `lhs => rhs`: the sides are equal, and the left one is replaced by the right one.
    Rewrite(Term, Term),
    /// `condition and .. <=> condition and ..`: one set of constraints may replace the other.
    Equivalence(Vec<Condition>, Vec<Condition>),
    /// `condition and ..`: all of them hold. A law that code relies on; replaces nothing.
    Fact(Vec<Condition>),
}

/// A named law.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Rule {
    /// Unique name, `subject-what`.
    pub name: String,
    /// The claim.
    pub statement: Statement,
    /// Side conditions: must be established before the rule fires.
    pub conditions: Vec<Condition>,
    /// Names of the integer variables.
    pub constants: Vec<String>,
    /// Names of the expression variables.
    pub expressions: Vec<String>,
    /// Matching hints: how to split a sum; tried in order.
    pub splits: Vec<Split>,
    /// Matching hint: values to try for constants that the left side leaves open.
    pub witnesses: Vec<(Slot, Term)>,
    /// Search hint: the number of operations by which the right side may seem to exceed the known form.
    pub larger: u32,
    /// Search hint: whether it fires in the e-graph at the default effort.
    pub saturates: bool,
    /// Proof hint: terms to multiply known comparisons with.
    pub multipliers: Vec<Term>,
    /// Proof hint: comparisons for a case split. Never assumed.
    pub cases: Vec<Condition>,
    /// One sentence: the purpose of the rule.
    pub purpose: String,
    /// File name, without its directory.
    pub file: String,
    /// Its role in the engine, determined by its file.
    pub role: Role,
    /// First line of the rule in its file, 1-based.
    pub line: usize,
    /// Source text: equation and conditions on one line.
    pub text: String,
}

/// How to split a sum into `factor * x + y`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Split {
    /// `x` takes the terms whose coefficient is divisible by the factor. A factor that the left side leaves open runs
    /// through the common divisors of a coefficient and the divisor, largest first.
    Multiples,
    /// Rounds the coefficient of each quotient to the nearest multiple of the factor; other terms stay in `y`.
    NearestQuotients,
    /// Rounds every coefficient to the nearest multiple of the factor.
    Nearest,
    /// `y` is the numerator of an existing quotient by the factor, whose coefficients and constant are congruent modulo the
    /// factor.
    Congruent,
    /// `y` is a sum that a constraint bounds, or its negation, and a constant.
    Constrained,
    /// The whole sum, and only if its first coefficient is negative.
    Negative,
    /// `x` is a multiple of one variable, its coefficient rounded down, then up.
    OneVariable,
    /// A residue of every coefficient and of the constant stays in `y`: first the least residues, then those nearest to
    /// zero.
    Residues,
    /// `x` takes the terms whose coefficient is divisible by the factor and that share a variable with the terms
    /// matched so far, with and without the constant.
    Related,
    /// As `Related`, for quotients only.
    RelatedQuotients,
    /// As `Related`, for terms that depend on no other variables only.
    Within,
    /// Rounds the coefficients of terms that also occur in the whole matched sum to the nearest multiple of the factor;
    /// other terms stay in `y`.
    Outside,
    /// Allows `x` to be 0.
    Nothing,
}

impl Split {
    /// All splits, by their keywords.
    pub const ALL: [(&'static str, Split); 13] = [
        ("multiples", Split::Multiples),
        ("nearest", Split::Nearest),
        ("nearest-quotients", Split::NearestQuotients),
        ("one-variable", Split::OneVariable),
        ("congruent", Split::Congruent),
        ("constrained", Split::Constrained),
        ("negative", Split::Negative),
        ("residues", Split::Residues),
        ("related", Split::Related),
        ("related-quotients", Split::RelatedQuotients),
        ("within", Split::Within),
        ("outside", Split::Outside),
        ("nothing", Split::Nothing),
    ];
}
impl Relation {
    /// Returns its notation in rules and in SMT-LIB.
    #[must_use]
    pub fn symbol(self) -> &'static str {
        match self {
            Relation::Equal => "=",
            Relation::LessEqual => "<=",
            Relation::Less => "<",
        }
    }

    /// Returns whether it holds between two values.
    pub fn holds<T: Ord>(self, lhs: T, rhs: T) -> bool {
        match self {
            Relation::Equal => lhs == rhs,
            Relation::LessEqual => lhs <= rhs,
            Relation::Less => lhs < rhs,
        }
    }
}
impl Condition {
    /// Returns its left and its right side.
    #[must_use]
    pub fn sides(&self) -> [&Term; 2] {
        [&self.lhs, &self.rhs]
    }
    /// Returns the distinct divisors of both sides.
    #[must_use]
    pub fn divisors(&self) -> Vec<Term> {
        let mut divisors = self.lhs.divisors();
        let others = self.rhs.divisors().into_iter();
        let others: Vec<Term> = others.filter(|other| !divisors.contains(other)).collect();
        divisors.extend(others);
        divisors
    }
}

impl Term {
    /// Calls `each` on this term and all its subterms, in pre-order.
    pub fn visit<'t>(&'t self, each: &mut impl FnMut(&'t Term)) {
        each(self);
        for operand in self.operands() {
            operand.visit(each);
        }
    }

    /// Returns the direct operands of this term, in order.
    pub fn operands(&self) -> impl Iterator<Item = &Term> {
        let (summands, pair): (&[Term], _) = match self {
            Term::Sum(terms) => (terms, None),
            Term::Product(x, y)
            | Term::FloorDiv(x, y)
            | Term::Mod(x, y)
            | Term::Min(x, y)
            | Term::Max(x, y) => (&[], Some([&**x, &**y])),
            _ => (&[], None),
        };
        summands.iter().chain(pair.into_iter().flatten())
    }

    /// Rebuilds the operation with other operands; a term without operands is unchanged. `None` if `to` returns `None` for an
    /// operand.
    pub fn with_operands(&self, mut to: impl FnMut(&Term) -> Option<Term>) -> Option<Term> {
        let mut pair = |make: fn(Box<Term>, Box<Term>) -> Term, x: &Term, y: &Term| {
            Some(make(Box::new(to(x)?), Box::new(to(y)?)))
        };
        match self {
            Term::Sum(terms) => Some(Term::Sum(terms.iter().map(to).collect::<Option<_>>()?)),
            Term::Product(x, y) => pair(Term::Product, x, y),
            Term::FloorDiv(x, y) => pair(Term::FloorDiv, x, y),
            Term::Mod(x, y) => pair(Term::Mod, x, y),
            Term::Min(x, y) => pair(Term::Min, x, y),
            Term::Max(x, y) => pair(Term::Max, x, y),
            _ => Some(self.clone()),
        }
    }

    /// Returns whether it is a variable: of a constant or of an expression.
    #[must_use]
    pub fn is_variable(&self) -> bool {
        matches!(self, Term::Constant(_) | Term::Expression(_))
    }

    /// Returns whether `is` holds for the term or a part of it.
    pub fn any(&self, is: impl Fn(&Term) -> bool + Copy) -> bool {
        is(self) || self.operands().any(|operand| operand.any(is))
    }

    /// Returns the distinct divisors, except positive literals.
    #[must_use]
    pub fn divisors(&self) -> Vec<Term> {
        let mut divisors: Vec<Term> = Vec::new();
        self.visit(&mut |part| {
            if let Term::FloorDiv(_, divisor) | Term::Mod(_, divisor) = part
                && !matches!(**divisor, Term::Integer(1..))
                && !divisors.contains(divisor)
            {
                divisors.push((**divisor).clone());
            }
        });
        divisors
    }

    /// Returns whether it contains a quotient, remainder, min or max of expressions.
    #[must_use]
    pub fn has_operation(&self) -> bool {
        match self {
            Term::FloorDiv(..) | Term::Mod(..) | Term::Min(..) | Term::Max(..) => {
                self.has_expression()
            }
            Term::Sum(terms) => terms.iter().any(Term::has_operation),
            Term::Product(x, y) => x.has_operation() || y.has_operation(),
            _ => false,
        }
    }

    /// Returns whether it contains an expression variable.
    #[must_use]
    pub fn has_expression(&self) -> bool {
        match self {
            Term::Expression(_) => true,
            Term::Sum(terms) => terms.iter().any(Term::has_expression),
            Term::Product(x, y)
            | Term::FloorDiv(x, y)
            | Term::Mod(x, y)
            | Term::Min(x, y)
            | Term::Max(x, y) => x.has_expression() || y.has_expression(),
            Term::Integer(_) | Term::Constant(_) | Term::Lo(_) | Term::Hi(_) => false,
        }
    }
}

impl Rule {
    /// Creates a rule with this statement, without a name, variables, conditions and hints.
    #[must_use]
    pub fn stating(statement: Statement) -> Rule {
        Rule {
            name: String::new(),
            statement,
            conditions: Vec::new(),
            constants: Vec::new(),
            expressions: Vec::new(),
            splits: Vec::new(),
            witnesses: Vec::new(),
            larger: 0,
            saturates: false,
            multipliers: Vec::new(),
            cases: Vec::new(),
            purpose: String::new(),
            file: String::new(),
            role: Role::Stated,
            line: 0,
            text: String::new(),
        }
    }

    /// Turns a law that states an equation into a rewrite from left to right; returns other rules unchanged.
    #[must_use]
    pub fn directed(&self) -> Rule {
        let mut rule = self.clone();
        if let Statement::Fact(facts) = &self.statement
            && let [equation] = facts.as_slice()
            && equation.relation == Relation::Equal
        {
            rule.statement = Statement::Rewrite(equation.lhs.clone(), equation.rhs.clone());
        }
        rule
    }

    /// Assigns the rule to a file, which determines its role.
    #[must_use]
    pub fn in_file(mut self, name: &str, line: usize) -> Rule {
        self.file = name.to_owned();
        self.role = Role::of_file(name);
        self.line = line;
        self
    }

    /// Returns whether it is a law of native code: its purpose begins with the function that relies on it.
    #[must_use]
    pub fn is_law_of_code(&self) -> bool {
        let first = self.purpose.split_whitespace().next();
        first.is_some_and(|word| word.contains("::"))
    }

    /// Iterates over both sides of every comparison and equation, first of the conditions, then of the statement.
    pub fn stated_terms(&self) -> impl Iterator<Item = &Term> {
        let (rewrite, [first, second]) = match &self.statement {
            Statement::Rewrite(lhs, rhs) => (Some([lhs, rhs]), [&[][..], &[]]),
            Statement::Equivalence(lhs, rhs) => (None, [&lhs[..], &rhs[..]]),
            Statement::Fact(facts) => (None, [&facts[..], &[]]),
        };
        let conditions = self.conditions.iter().chain(first).chain(second);
        let sides = conditions.flat_map(Condition::sides);
        sides.chain(rewrite.into_iter().flatten())
    }

    /// Iterates over the names of its variables: constants, then expressions.
    pub fn variables(&self) -> impl Iterator<Item = &String> {
        self.constants.iter().chain(&self.expressions)
    }

    /// Returns the name of a variable, or of the expression whose bound the term is; empty for other terms.
    #[must_use]
    pub fn name_of(&self, variable: &Term) -> &str {
        let (names, slot) = match variable {
            Term::Constant(slot) => (&self.constants, slot),
            Term::Expression(slot) | Term::Lo(slot) | Term::Hi(slot) => (&self.expressions, slot),
            _ => return "",
        };
        names.get(usize::from(*slot)).map_or("", String::as_str)
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, self.text)
    }
}
