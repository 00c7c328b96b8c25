//! Terms for tests of the matcher: variables, and operations on them.

use affinor::num::{Interval, Sum};
use affinor::rule::matching::{Bindings, Forms, Number, Operation, Operator, Terms, sum_of};
use affinor::rule::{Rule, Statement, Term, read_rule};
use std::fmt::Write;
use std::rc::Rc;

/// An atom of a sum.
#[derive(Clone, PartialEq)]
enum Atom {
    Variable(String, Interval),
    Operation(Operator, Vec<Sum<usize>>, i64),
}

/// All atoms created so far.
#[derive(Default)]
pub struct Store(Vec<Atom>);

impl Store {
    /// Creates a store of variables with their least and greatest values; other variables are unbounded.
    pub fn new(ranges: &[(&str, i64, i64)]) -> Store {
        let atom = |(name, lo, hi): &(&str, i64, i64)| {
            Atom::Variable((*name).to_owned(), Interval::new(*lo, *hi))
        };
        Store(ranges.iter().map(atom).collect())
    }

    fn atom(&mut self, atom: Atom) -> usize {
        let known = self.0.iter().position(|known| *known == atom);
        known.unwrap_or_else(|| {
            self.0.push(atom);
            self.0.len() - 1
        })
    }

    fn variable(&mut self, name: &str) -> usize {
        let is_it = |atom: &Atom| matches!(atom, Atom::Variable(known, _) if known == name);
        let known = self.0.iter().position(is_it);
        known.unwrap_or_else(|| self.atom(Atom::Variable(name.to_owned(), Interval::ALL)))
    }

    /// Parses a term; all its names are variables.
    pub fn read(&mut self, text: &str) -> Sum<usize> {
        let rule = read_rule(&format!("{text} = 0")).expect("a term");
        let names = rule.expressions.iter();
        let variables: Vec<Sum<usize>> = names.map(|name| Sum::atom(self.variable(name))).collect();
        let Statement::Fact(facts) = &rule.statement else {
            panic!("{text} is not a term");
        };
        let bindings = Bindings::of(&[], variables);
        sum_of(&facts[0].lhs, &bindings, self).expect("a value")
    }

    pub fn write(&self, sum: &Sum<usize>) -> String {
        let mut text = String::new();
        let mut parts: Vec<(String, i64)> = sum
            .terms()
            .iter()
            .map(|(atom, coefficient)| (self.written(*atom), *coefficient))
            .collect();
        parts.sort();
        for (part, coefficient) in parts {
            let plus = if text.is_empty() { "" } else { " + " };
            let _ = match coefficient {
                1 => write!(text, "{plus}{part}"),
                _ => write!(text, "{plus}{coefficient}*{part}"),
            };
        }
        match (text.is_empty(), sum.constant) {
            (true, constant) => constant.to_string(),
            (false, 0) => text,
            (false, constant) => format!("{text} + {constant}"),
        }
    }

    fn written(&self, atom: usize) -> String {
        match &self.0[atom] {
            Atom::Variable(name, _) => name.clone(),
            Atom::Operation(operator, operands, divisor) => {
                let operands: Vec<String> = operands.iter().map(|x| self.write(x)).collect();
                match operator {
                    Operator::FloorDiv => format!("({} / {divisor})", operands[0]),
                    Operator::Mod => format!("({} % {divisor})", operands[0]),
                    Operator::Min => format!("min({})", operands.join(", ")),
                    Operator::Max => format!("max({})", operands.join(", ")),
                }
            }
        }
    }

    fn range_of(&self, atom: usize) -> Interval {
        match &self.0[atom] {
            Atom::Variable(_, range) => *range,
            Atom::Operation(operator, operands, divisor) => {
                let mut ranges = operands.iter().map(|x| self.range_of_sum(x));
                match operator {
                    Operator::FloorDiv => ranges.next().expect("one").floordiv(*divisor),
                    Operator::Mod => ranges.next().expect("one").modulo(*divisor),
                    Operator::Min => ranges.reduce(Interval::min).expect("some"),
                    Operator::Max => ranges.reduce(Interval::max).expect("some"),
                }
            }
        }
    }

    fn range_of_sum(&self, sum: &Sum<usize>) -> Interval {
        let terms = sum.terms().iter();
        Interval::linear(sum.constant, terms.map(|(x, c)| (*c, self.range_of(*x))))
    }

    /// Prints the right side of a rewrite under these bindings.
    pub fn right(&mut self, rule: &Rule, bindings: &Bindings<usize>) -> String {
        let Statement::Rewrite(_, right) = &rule.statement else {
            panic!("{rule} is not a rewrite");
        };
        let value = sum_of(right, bindings, self).expect("a value of the right side");
        self.write(&value)
    }

    /// Checks whether the left side under these bindings is the subject.
    pub fn is_left(
        &mut self,
        rule: &Rule,
        bindings: &Bindings<usize>,
        subject: &Sum<usize>,
    ) -> bool {
        let Statement::Rewrite(left, _) = &rule.statement else {
            return false;
        };
        // Operands of min and max are compared in any order.
        let ordered = |store: &Store, sum: &Sum<usize>| {
            let mut letters: Vec<char> = store.write(sum).chars().collect();
            letters.sort_unstable();
            letters
        };
        let value = self.value(left, bindings);
        ordered(self, &value) == ordered(self, subject)
    }

    fn value(&mut self, term: &Term, bindings: &Bindings<usize>) -> Sum<usize> {
        sum_of(term, bindings, self).expect("a value of the left side")
    }
}

impl Terms for Store {
    type Atom = usize;

    fn operations(&mut self, atom: usize, operator: Operator) -> Rc<[Operation<usize>]> {
        match &self.0[atom] {
            Atom::Operation(known, operands, divisor) if *known == operator => {
                let operands = operands.iter().map(|x| Forms::from([x.clone()]));
                Rc::from([Operation {
                    operands: operands.collect(),
                    divisor: Number::Integer(*divisor),
                }])
            }
            _ => Rc::from([]),
        }
    }

    fn support(&mut self, atom: usize) -> u64 {
        match &self.0[atom] {
            Atom::Variable(..) => 1 << atom,
            Atom::Operation(_, operands, _) => {
                let operands = operands.clone();
                let atoms = operands.iter().flat_map(|x| x.terms().iter());
                atoms.fold(0, |all, (atom, _)| all | self.support(*atom))
            }
        }
    }

    fn range(&mut self, sum: &Sum<usize>) -> Interval {
        self.range_of_sum(sum)
    }

    fn operation(
        &mut self,
        operator: Operator,
        operands: &[Sum<usize>],
        divisor: Number,
    ) -> Option<Sum<usize>> {
        let divisor = divisor.integer()?;
        let mut all: Vec<Sum<usize>> = Vec::new();
        for operand in operands {
            // Nested mins are flattened, as are nested maxes.
            match operand.as_atom().map(|atom| self.0[atom].clone()) {
                Some(Atom::Operation(inner, of, 0)) if inner == operator => all.extend(of),
                _ => all.push(operand.clone()),
            }
        }
        Some(Sum::atom(self.atom(Atom::Operation(operator, all, divisor))))
    }
}
