//! The proofs in `rules/proofs.txt`, with which proof assistants check the rules.
//!
//! A proof is a tree of cases. Its steps name the rule's quotients and products, with known signs, so that each case ends in a
//! problem of linear arithmetic without further case splits.

use affinor::prove::Budget;
use affinor::rule::sources::PROOFS;
use affinor::rule::verify::{Cases, Fact, Step, steps};
use affinor::rule::{Rule, Term, read_term};
use affinor::text::{Error, ErrorKind};
use std::collections::BTreeMap;

/// The reason why a rule without a proof is not exported.
pub(super) const NO_PROOF: &str = "no proof of it is in rules/proofs.txt, and none was found";

/// The proofs, by the names of their rules.
pub(super) struct Proofs(BTreeMap<&'static str, Vec<(usize, &'static str)>>);

impl Proofs {
    /// Returns the proofs of the shipped rules.
    pub(super) fn shipped() -> Proofs {
        let mut proofs: BTreeMap<&str, Vec<(usize, &str)>> = BTreeMap::new();
        let mut name = "";
        let lines = PROOFS.lines();
        for line in lines.filter(|line| !line.starts_with('#')) {
            let step = line.trim_start();
            match line.len() - step.len() {
                0 => {
                    name = line;
                    proofs.entry(name).or_default();
                }
                indent => proofs.entry(name).or_default().push((indent / 2, step)),
            }
        }
        Proofs(proofs)
    }

    /// Returns the proof of a rule: the shipped one, or one that is searched for. `None` if neither exists.
    ///
    /// # Errors
    /// [`ErrorKind::Rule`] if the shipped proof cannot be parsed.
    pub(super) fn of(&self, rule: &Rule, budget: &Budget) -> Result<Option<Vec<Step>>, Error> {
        let Some(lines) = self.0.get(rule.name.as_str()) else {
            return Ok(steps(rule, budget));
        };
        let (quotients, choices) = parts(rule);
        let reader = Reader { rule, quotients, choices };
        let mut lines = &lines[..];
        let steps = reader.steps(&mut lines, 1)?;
        match lines.first() {
            Some((_, line)) => Err(reader.unreadable(line)),
            None => Ok(Some(steps)),
        }
    }
}

/// Collects `[dividend, divisor]` of each quotient and remainder, and the minima and maxima, in the order of the text.
fn parts(rule: &Rule) -> (Vec<[&Term; 2]>, Vec<&Term>) {
    let (mut quotients, mut choices) = (Vec::new(), Vec::new());
    for term in rule.stated_terms() {
        term.visit(&mut |term| match term {
            Term::FloorDiv(x, divisor) | Term::Mod(x, divisor) => {
                let pair: [&Term; 2] = [x, divisor];
                if !quotients.contains(&pair) {
                    quotients.push(pair);
                }
            }
            Term::Min(..) | Term::Max(..) if !choices.contains(&term) => choices.push(term),
            _ => {}
        });
    }
    (quotients, choices)
}

struct Reader<'r> {
    rule: &'r Rule,
    quotients: Vec<[&'r Term; 2]>,
    choices: Vec<&'r Term>,
}

impl Reader<'_> {
    /// Reads the consecutive lines at a depth, each with the deeper lines below it.
    fn steps(&self, lines: &mut &[(usize, &str)], depth: usize) -> Result<Vec<Step>, Error> {
        let mut steps = Vec::new();
        while let Some((_, line)) = lines.first().filter(|(at, _)| *at == depth) {
            *lines = &lines[1..];
            let Some((cases, second)) = self.cases(line)? else {
                steps.push(self.step(line)?);
                continue;
            };
            let first = self.steps(lines, depth + 1)?;
            if lines.first() != Some(&(depth, second)) {
                return Err(self.unreadable(line));
            }
            *lines = &lines[1..];
            let second = self.steps(lines, depth + 1)?;
            steps.push(Step::Cases(cases, [first, second]));
            break;
        }
        Ok(steps)
    }

    /// Parses a line that begins a case split; returns the split and the line that begins its second case.
    fn cases(&self, line: &str) -> Result<Option<(Cases, &'static str)>, Error> {
        Ok(Some(match line {
            "forward" => (Cases::Ways, "backward"),
            "first" => (Cases::Parts, "second"),
            "at most" => (Cases::Sides, "at least"),
            _ => {
                let order = line.strip_prefix("if ");
                let Some((x, y)) = order.and_then(|order| order.split_once(" <= ")) else {
                    return Ok(None);
                };
                (Cases::Order(self.term(x)?, self.term(y)?), "else")
            }
        }))
    }

    fn step(&self, line: &str) -> Result<Step, Error> {
        if line == "otherwise" {
            return Ok(Step::Otherwise);
        }
        let (name, terms) = line.split_once(' ').unwrap_or((line, ""));
        let facts = &mut Fact::ALL.iter();
        let Some(fact) = facts.copied().find(|fact| fact.name() == name) else {
            return Err(self.unreadable(line));
        };
        if fact == Fact::Quotient {
            let index = terms.strip_prefix("{q").and_then(|rest| rest.strip_suffix('}'));
            let index = index.and_then(|index| index.parse::<usize>().ok());
            let pair = index.and_then(|index| self.quotients.get(index.checked_sub(1)?));
            let [x, divisor] = *pair.ok_or_else(|| self.unreadable(line))?;
            return Ok(Step::Known(fact, x.clone(), divisor.clone()));
        }
        match terms.split_once(" | ") {
            Some((x, y)) => Ok(Step::Known(fact, self.term(x)?, self.term(y)?)),
            None => Err(self.unreadable(line)),
        }
    }

    /// Parses a term over the rule's variables, quotients, minima and maxima.
    fn term(&self, text: &str) -> Result<Term, Error> {
        let mut text = text.to_owned();
        for (index, [x, divisor]) in self.quotients.iter().enumerate() {
            let [x, divisor] = [x, divisor].map(|term| self.rule.write(term));
            let name = format!("{{q{}}}", index + 1);
            text = text.replace(&name, &format!("(({x}) floordiv ({divisor}))"));
        }
        for (index, choice) in self.choices.iter().enumerate() {
            text = text.replace(&format!("{{m{}}}", index + 1), &self.rule.write(choice));
        }
        read_term(&text, self.rule)
    }

    fn unreadable(&self, line: &str) -> Error {
        let rule = &self.rule.name;
        let message = format!("the proof of '{rule}' cannot be read at '{line}'");
        Error::without_span(ErrorKind::Rule, message)
    }
}
