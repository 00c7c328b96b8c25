//! A law with its tie: numbers for the law's letters, the program at these numbers, and the reads according to the law.

use super::graph::Elements;
use super::tie::{Says, Subject, Tie};
use affinor::rule::{Condition, Point, Relation, Rule, Statement, Term, read_rule};
use std::collections::{BTreeMap, BTreeSet};

/// The numbers assigned to names.
pub type Numbers = BTreeMap<String, i64>;

/// The values tried for letters that are known only at run time.
const VALUES: std::ops::RangeInclusive<i64> = -3..=7;

/// Maximum number of elements of an array.
const ELEMENTS: i64 = 64;

/// A term or a condition, with the names that it mentions.
struct Named<T> {
    of: T,
    rule: Rule,
    names: Vec<String>,
}

impl<T> Named<T> {
    /// Returns the values of its names; `None` if a name has no value.
    fn point(&self, numbers: &Numbers) -> Option<Point> {
        self.rule.point(|name| numbers.get(name).copied())
    }
}

impl Named<Condition> {
    /// Parses `lhs relation rhs`, a single comparison.
    fn comparison(text: &str) -> Named<Condition> {
        let rule = read_rule(text).unwrap_or_else(|error| panic!("{error} in {text}"));
        let Statement::Fact(facts) = &rule.statement else { panic!("{text} is not a condition") };
        Named {
            of: facts[0].clone(),
            names: [rule.constants.clone(), rule.expressions.clone()].concat(),
            rule,
        }
    }

    /// Parses a list of comparisons.
    fn list(text: &str) -> Vec<Named<Condition>> {
        let rule = read_rule(&format!("0 = 0 where {text}"));
        let rule = rule.unwrap_or_else(|error| panic!("{error} in {text}"));
        let each = rule.conditions.iter();
        each.map(|one| Named::comparison(&rule.write_condition(one))).collect()
    }

    fn holds(&self, numbers: &Numbers) -> bool {
        let point = self.point(numbers);
        point.and_then(|point| self.of.holds(&point)) == Some(true)
    }

    /// Solves an equation whose left side is a name, if its right side has a value.
    fn solve(&self, numbers: &mut Numbers) {
        if self.of.lhs.is_variable() && self.of.relation == Relation::Equal {
            let value = self.point(numbers).and_then(|point| self.of.rhs.eval(&point));
            if let Some(value) = value.and_then(|value| i64::try_from(value).ok()) {
                numbers.insert(self.rule.write(&self.of.lhs), value);
            }
        }
    }
}

impl Named<Term> {
    fn term(text: &str) -> Named<Term> {
        let Named { of, rule, names } = Named::comparison(&format!("{text} = 0"));
        Named { of: of.lhs, rule, names }
    }

    fn value(&self, numbers: &Numbers) -> i64 {
        let value = self.point(numbers).and_then(|point| self.of.eval(&point));
        let value = value.unwrap_or_else(|| panic!("{:?} has no value at {numbers:?}", self.of));
        i64::try_from(value).expect("small numbers")
    }
}

/// A piece of the text of a program.
enum Piece {
    Text(&'static str),
    Number(Box<Named<Term>>),
}

/// A law with its tie.
pub struct Instance<'r> {
    tie: &'r Tie,
    law: &'r Rule,
    program: Vec<Piece>,
    /// The conditions of the law, then those of the tie.
    given: Vec<Named<Condition>>,
    /// The comparisons of the law that describe the reads.
    says: Vec<Named<Condition>>,
    leads_to: Vec<Option<Named<Term>>>,
    /// The letters for sizes and attributes.
    sizes: BTreeSet<String>,
    /// The letters for indices that are not tied to the program: an element is read if they have some values.
    open: Vec<String>,
}

impl<'r> Instance<'r> {
    pub fn new(tie: &'r Tie, law: &'r Rule) -> Instance<'r> {
        let own = |list: &[Condition]| -> Vec<Named<Condition>> {
            let written = list.iter().map(|condition| law.write_condition(condition));
            written.map(|text| Named::comparison(&text)).collect()
        };
        let mut given = own(&law.conditions);
        if !tie.given.is_empty() {
            given.extend(Named::list(tie.given));
        }
        let says = match (&law.statement, &tie.says) {
            (Statement::Fact(_), Says::Given) => Vec::new(),
            (Statement::Equivalence(lhs, _), Says::Left) => own(lhs),
            (Statement::Equivalence(lhs, _), Says::Part(part)) => own(&lhs[part.clone()]),
            (Statement::Equivalence(_, rhs), Says::Right) => own(rhs),
            (_, says) => panic!("{law} says nothing as {says:?}"),
        };
        let leads_to = tie.leads_to.iter().map(|text| {
            let is_said = *text == "_" || law.text.contains(text);
            assert!(is_said, "{law} does not say {text}");
            (*text != "_").then(|| Named::term(text))
        });
        let leads_to: Vec<_> = leads_to.collect();
        let mut program = Vec::new();
        let mut rest = tie.program;
        while let Some((text, after)) = rest.split_once('<') {
            let (term, after) = after.split_once('>').expect("a term between < and >");
            program.extend([Piece::Text(text), Piece::Number(Box::new(Named::term(term)))]);
            rest = after;
        }
        program.push(Piece::Text(rest));

        let tied = tie.at.iter().chain(tie.values.iter().map(|(name, _)| name));
        let tied: BTreeSet<&str> = tied.copied().collect();
        let terms = leads_to.iter().flatten().flat_map(|term| &term.names);
        let conditions = given.iter().chain(&says).flat_map(|one| &one.names);
        let mentioned: BTreeSet<&String> = terms.chain(conditions).collect();
        let is_open = |name: &&String| !tied.contains(name.as_str()) && mentioned.contains(name);
        let open: Vec<String> = law.expressions.iter().filter(is_open).cloned().collect();
        let of_program = program.iter().flat_map(|piece| match piece {
            Piece::Number(term) => term.names.clone(),
            Piece::Text(_) => Vec::new(),
        });
        let of_conditions = given.iter().flat_map(|condition| condition.names.clone());
        let sizes = of_program.chain(of_conditions).chain(law.constants.clone());
        let sizes = sizes.filter(|name| !law.expressions.contains(name));
        Instance { tie, law, sizes: sizes.collect(), program, given, says, leads_to, open }
    }

    /// Draws numbers for sizes and attributes that meet the conditions on these alone.
    pub fn sizes(&self) -> impl Iterator<Item = Numbers> {
        let about: Vec<&Named<Condition>> = self
            .given
            .iter()
            .filter(|condition| condition.names.iter().all(|name| self.sizes.contains(name)))
            .collect();
        let mut state = 0x5EED_u64;
        let mut below = move |bound: usize| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % bound
        };
        let (mut seen, mut repeated) = (BTreeSet::new(), 0);
        let draws = (0..1_000_000).map_while(move |_| {
            let mut numbers = Numbers::new();
            for name in &self.sizes {
                let drawn = self.tie.drawn.iter().find(|(drawn, _)| drawn == name);
                let number = match drawn {
                    Some((_, list)) => list[below(list.len())],
                    None => below(9) as i64 - 2,
                };
                numbers.insert(name.clone(), number);
            }
            for condition in &about {
                condition.solve(&mut numbers);
            }
            let inside = about.iter().all(|condition| condition.holds(&numbers));
            if !inside || !self.is_a_program(&numbers) {
                return Some(None);
            }
            let is_new = seen.insert(numbers.clone());
            repeated += usize::from(!is_new);
            (repeated < 200).then(|| is_new.then_some(numbers))
        });
        draws.flatten()
    }

    /// Checks whether all sizes of arrays are valid, and not too large.
    fn is_a_program(&self, numbers: &Numbers) -> bool {
        let program = self.program(numbers);
        let arrays = program.split(['[', ']']).collect::<Vec<_>>();
        arrays.chunks_exact(2).all(|pair| {
            let is_type = pair[0].ends_with(|last: char| last.is_ascii_digit());
            let mut sizes = pair[1].split(',').map(|size| size.parse::<i64>());
            let product =
                sizes.try_fold(1, |product, size| Some(product * size.ok().filter(|x| *x >= 0)?));
            !is_type || pair[1].is_empty() || product.is_some_and(|count| count <= ELEMENTS)
        })
    }

    /// Writes the program.
    pub fn program(&self, numbers: &Numbers) -> String {
        let pieces = self.program.iter().map(|piece| match piece {
            Piece::Text(text) => (*text).to_owned(),
            Piece::Number(term) => term.value(numbers).to_string(),
        });
        pieces.collect()
    }

    /// Returns values for the operands that hold letters known only at run time.
    pub fn values(&self) -> Vec<BTreeMap<usize, i64>> {
        let operands = self.tie.values.iter().map(|(_, operand)| *operand);
        operands.fold(vec![BTreeMap::new()], |all, operand| {
            let with = |values: &BTreeMap<usize, i64>| {
                let values = values.clone();
                VALUES.map(move |value| {
                    let more = [(operand, value)].into_iter();
                    values.clone().into_iter().chain(more).collect()
                })
            };
            all.iter().flat_map(with).collect()
        })
    }

    /// Returns the elements read at an index according to the law; `None` if the law does not apply to the index.
    pub fn said(
        &self,
        sizes: &Numbers,
        index: &[i64],
        values: &BTreeMap<usize, i64>,
        largest: i64,
    ) -> Option<Elements> {
        let mut numbers = sizes.clone();
        assert_eq!(index.len(), self.tie.at.len(), "{}: indices of {}", self.law, self.tie.program);
        for (name, x) in self.tie.at.iter().zip(index) {
            numbers.insert((*name).to_owned(), *x);
        }
        for (name, operand) in self.tie.values {
            numbers.insert((*name).to_owned(), values[operand]);
        }
        if self.tie.inside && !self.given.iter().all(|condition| condition.holds(&numbers)) {
            return None;
        }
        let mut found = Elements::new();
        self.choose(0, &mut numbers, largest, &mut found);
        Some(found)
    }

    /// Tries all numbers for the open letters from letter `next` on.
    fn choose(&self, next: usize, numbers: &mut Numbers, largest: i64, found: &mut Elements) {
        // The conditions that the last letter makes decidable.
        let (before, later) = self.open.split_at(next);
        let is_due = |one: &&Named<Condition>| {
            let last = before.last().is_none_or(|last| one.names.contains(last));
            last && !one.names.iter().any(|name| later.contains(name))
        };
        let mut due = self.given.iter().chain(&self.says).filter(is_due);
        if !due.all(|condition| condition.holds(numbers)) {
            return;
        }
        let Some(name) = later.first() else {
            let terms = self.leads_to.iter().flatten();
            found.insert(terms.map(|term| term.value(numbers)).collect());
            return;
        };
        for number in -1..=largest + 1 {
            numbers.insert(name.clone(), number);
            self.choose(next + 1, numbers, largest, found);
        }
        numbers.remove(name);
    }

    /// Returns the read elements without the indices that the law does not mention.
    pub fn shown(&self, read: &Elements) -> Elements {
        let of = |element: &Vec<i64>| -> Vec<i64> {
            let kept = element.iter().zip(&self.leads_to);
            kept.filter_map(|(x, term)| term.is_some().then_some(*x)).collect()
        };
        read.iter().map(of).collect()
    }
}

impl Tie {
    /// Checks whether it is tied to a definition, not to maps.
    pub fn is_defined(&self) -> bool {
        matches!(self.subject, Subject::Defined(_))
    }
}
