//! What a rule is: terms over its variables, conditions, a statement, hints.

use std::fmt;

/// Which variable of a rule: its position in [`Rule::constants`] or [`Rule::expressions`].
pub type Slot = u8;

/// A term over the variables of a rule.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Term {
    /// An integer literal.
    Integer(i64),
    /// A variable that stands for an integer known to the simplifier.
    Constant(Slot),
    /// A variable that stands for any expression.
    Expression(Slot),
    /// A sum of two or more terms.
    Sum(Vec<Term>),
    /// A product; in an instance at most one side is not an integer.
    Product(Box<Term>, Box<Term>),
    /// Quotient rounded down.
    FloorDiv(Box<Term>, Box<Term>),
    /// Remainder of the quotient rounded down.
    Mod(Box<Term>, Box<Term>),
    /// The smaller of two terms.
    Min(Box<Term>, Box<Term>),
    /// The greater of two terms.
    Max(Box<Term>, Box<Term>),
    /// Lower end of the range of an expression; only in hints.
    Lo(Slot),
    /// Upper end of the range of an expression; only in hints.
    Hi(Slot),
}

/// How two terms compare in a condition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Relation {
    /// `=`
    Equal,
    /// `<=`
    LessEqual,
    /// `<`
    Less,
}

/// `lhs relation rhs`; `>` and `>=` are read as `<` and `<=` with the sides exchanged.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Condition {
    /// Left side.
    pub lhs: Term,
    /// The relation.
    pub relation: Relation,
    /// Right side.
    pub rhs: Term,
}

/// What a rule states.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Statement {
    /// `lhs => rhs`: both sides are equal, and the left one is replaced by the right one.
    Rewrite(Term, Term),
    /// `condition and .. <=> condition and ..`: one set of constraints may replace the other.
    Equivalence(Vec<Condition>, Vec<Condition>),
    /// `condition and ..`: all of them hold. A law that code relies on; nothing is replaced.
    Fact(Vec<Condition>),
}

/// A named law.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rule {
    /// Unique name, `subject-what`.
    pub name: String,
    /// The law.
    pub statement: Statement,
    /// What must be established before the rule may be used.
    pub conditions: Vec<Condition>,
    /// Names of the integer variables.
    pub constants: Vec<String>,
    /// Names of the expression variables.
    pub expressions: Vec<String>,
    /// Hints: which summands of a matched sum go where; tried in order.
    pub splits: Vec<Split>,
    /// Hint: values to try for constants that the left side does not determine.
    pub witnesses: Vec<(Slot, Term)>,
    /// Hint for the proof: terms whose products with known comparisons are looked at.
    pub multipliers: Vec<Term>,
    /// Hint for the proof: comparisons to distinguish by. Never assumed to hold.
    pub cases: Vec<Condition>,
    /// One sentence that says what the rule is for.
    pub purpose: String,
    /// File of the rule, without its directory.
    pub file: String,
    /// First line of the rule in its file, from 1.
    pub line: usize,
    /// The rule as written: equation and conditions on one line.
    pub text: String,
}

/// Where to look for `factor * x + y` in a sum.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Split {
    /// `x` collects the terms whose coefficient the factor divides. A factor that the left side
    /// does not determine runs through the common divisors of a coefficient and the divisor,
    /// largest first.
    Multiples,
    /// The coefficient of each quotient is rounded to the nearest multiple of the factor; other
    /// terms stay in `y`.
    NearestQuotients,
    /// Every coefficient is rounded to the nearest multiple of the factor.
    Nearest,
    /// The whole sum, and only if its first coefficient is negative.
    Negative,
    /// `x` is a multiple of one variable: its coefficient rounded down, then up.
    OneVariable,
    /// Of every coefficient and of the constant a residue stays in `y`: the least ones, then those nearest to
    /// zero.
    Residues,
    /// `x` collects the terms whose coefficient the factor divides and that share a variable with what was
    /// matched already, with the constant and without it.
    Related,
    /// As `Related`, but only quotients.
    RelatedQuotients,
    /// As `Related`, but only terms that depend on no other variables.
    Within,
    /// Of the terms that also stand in the whole sum that is matched, the coefficients are rounded to the
    /// nearest multiple of the factor; other terms stay in `y`.
    Outside,
    /// `x` may also be 0, which it is otherwise not.
    Nothing,
}

impl Split {
    /// All of them, by the words of a rule file.
    pub const ALL: [(&'static str, Split); 11] = [
        ("multiples", Split::Multiples),
        ("nearest", Split::Nearest),
        ("nearest-quotients", Split::NearestQuotients),
        ("one-variable", Split::OneVariable),
        ("negative", Split::Negative),
        ("residues", Split::Residues),
        ("related", Split::Related),
        ("related-quotients", Split::RelatedQuotients),
        ("within", Split::Within),
        ("outside", Split::Outside),
        ("nothing", Split::Nothing),
    ];
}

impl Condition {
    /// What its two sides divide by, each once.
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
    /// Calls `each` on this term and on every term in it, outermost first.
    pub fn visit(&self, each: &mut impl FnMut(&Term)) {
        each(self);
        match self {
            Term::Sum(terms) => terms.iter().for_each(|term| term.visit(each)),
            Term::Product(x, y)
            | Term::FloorDiv(x, y)
            | Term::Mod(x, y)
            | Term::Min(x, y)
            | Term::Max(x, y) => {
                x.visit(each);
                y.visit(each);
            }
            Term::Integer(_)
            | Term::Constant(_)
            | Term::Expression(_)
            | Term::Lo(_)
            | Term::Hi(_) => {}
        }
    }

    /// What it divides by, each once; whole numbers above 0 need no word.
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

    /// Is there a quotient, remainder, min or max of expressions in it?
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

    /// Does an expression variable occur in it?
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
    /// The rule as one that replaces terms: where it states an equation as a law, the left side by the right one. Others stay as they
    /// are.
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

    /// Does its purpose begin with the function that relies on it? Then it is a law of native code, which states what that does.
    #[must_use]
    pub fn is_law_of_code(&self) -> bool {
        let first = self.purpose.split_whitespace().next();
        first.is_some_and(|word| word.contains("::"))
    }

    /// Both sides of every comparison and equation: of the conditions, then of the statement.
    pub fn stated_terms(&self) -> impl Iterator<Item = &Term> {
        let (rewrite, comparisons) = match &self.statement {
            Statement::Rewrite(lhs, rhs) => (Some([lhs, rhs]), [&[][..], &[]]),
            Statement::Equivalence(lhs, rhs) => (None, [&lhs[..], &rhs[..]]),
            Statement::Fact(facts) => (None, [&facts[..], &[]]),
        };
        let conditions = self
            .conditions
            .iter()
            .chain(comparisons.into_iter().flatten());
        conditions
            .flat_map(|condition| [&condition.lhs, &condition.rhs])
            .chain(rewrite.into_iter().flatten())
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, self.text)
    }
}
