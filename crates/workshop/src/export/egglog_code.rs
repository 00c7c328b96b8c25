//! Prints terms and conditions of rules as egglog code.

use affinor::rule::matching::{affine, constants_of};
use affinor::rule::{Condition, Relation, Rule, Slot, Term};
use std::collections::BTreeSet;

/// The facts and the action of a rule under construction.
pub(super) struct Writer<'r> {
    pub rule: &'r Rule,
    /// Facts to match, one per line.
    pub facts: Vec<String>,
    /// Composite integers of the left side, by their egglog variable.
    literals: Vec<(String, Term)>,
    /// Constants that are bound.
    pub known: BTreeSet<Slot>,
    /// Bounds that are named already.
    ends: BTreeSet<String>,
}

type Written = Result<String, String>;

impl<'r> Writer<'r> {
    pub fn new(rule: &'r Rule) -> Writer<'r> {
        Writer {
            rule,
            facts: Vec::new(),
            literals: Vec::new(),
            known: BTreeSet::new(),
            ends: BTreeSet::new(),
        }
    }

    /// Prints a term of the left side; binds constants that occur alone.
    pub fn pattern(&mut self, term: &Term) -> Written {
        if !term.has_expression() {
            return Ok(match term {
                Term::Integer(value) => format!("(Integer {value})"),
                Term::Constant(slot) => {
                    self.known.insert(*slot);
                    format!("(Integer {})", constant(self.rule, *slot))
                }
                composite => {
                    let literal = format!("literal{}", self.literals.len());
                    self.literals.push((literal.clone(), composite.clone()));
                    format!("(Integer {literal})")
                }
            });
        }
        let rule = self.rule;
        written(term, &mut |part| self.pattern(part), rule)
    }

    /// Binds each constant that is the only unknown inside a composite integer.
    pub fn solve(&mut self) {
        let literals = std::mem::take(&mut self.literals);
        for (literal, term) in literals {
            let open = constants_of(&term);
            let mut open = open.iter().filter(|slot| !self.known.contains(*slot));
            match (open.next().copied(), open.next()) {
                (None, _) => {
                    let value = integer(self.rule, &term);
                    self.facts.push(format!("(= {literal} {value})"));
                }
                (Some(slot), None) if let Some((factor, rest)) = affine(&term, slot) => {
                    let (factor, rest) = (integer(self.rule, &factor), integer(self.rule, &rest));
                    self.exactly(slot, &format!("(- {literal} {rest})"), &factor);
                }
                _ => self.literals.push((literal, term)),
            }
        }
    }

    /// Binds a constant to the exact quotient.
    pub fn exactly(&mut self, slot: Slot, value: &str, divisor: &str) {
        self.known.insert(slot);
        let constant = constant(self.rule, slot);
        if divisor == "1" {
            return self.facts.push(format!("(= {constant} {value})"));
        }
        self.facts.push(format!("(= 0 (% {value} {divisor}))"));
        self.facts.push(format!("(= {constant} (/ {value} {divisor}))"));
    }

    /// Returns whether some constant or composite integer is still unsolved.
    pub fn is_open(&self) -> bool {
        !self.literals.is_empty() || self.known.len() < self.rule.constants.len()
    }

    /// Adds a condition as facts about bounds.
    pub fn condition(&mut self, condition: &Condition) -> Result<(), String> {
        let Condition { lhs, relation, rhs } = condition;
        if *relation == Relation::Equal && (lhs.has_expression() || rhs.has_expression()) {
            return Err("it has an equation between terms among its conditions".to_owned());
        }
        let relation = relation.symbol();
        let (lhs, rhs) = (self.end(lhs, true)?, self.end(rhs, false)?);
        self.facts.push(format!("({relation} {lhs} {rhs})"));
        Ok(())
    }

    /// Prints the upper or lower bound of a term, computed from those of its expressions.
    pub fn end(&mut self, term: &Term, upper: bool) -> Written {
        if !term.has_expression() {
            return Ok(integer(self.rule, term));
        }
        match term {
            Term::Expression(_) => {
                let name = self.rule.name_of(term);
                let which = if upper { "hi" } else { "lo" };
                let end = format!("{name}-{which}");
                if self.ends.insert(end.clone()) {
                    self.facts.push(format!("(= {end} ({which} {name}))"));
                }
                Ok(end)
            }
            Term::Sum(terms) => {
                let mut ends = terms.iter().map(|term| self.end(term, upper));
                let first = ends.next().unwrap_or(Ok("0".to_owned()))?;
                ends.try_fold(first, |sum, end| Ok(format!("(+ {sum} {})", end?)))
            }
            Term::Product(factor, term) if let Term::Integer(factor) = &**factor => {
                let end = self.end(term, upper == (*factor >= 0))?;
                Ok(format!("(* {factor} {end})"))
            }
            _ => {
                Err("a condition has a product or a quotient of which no end is written".to_owned())
            }
        }
    }

    /// Prints a term of the right side.
    pub fn built(&self, term: &Term) -> Written {
        if !term.has_expression() {
            return Ok(format!("(Integer {})", integer(self.rule, term)));
        }
        written(term, &mut |part| self.built(part), self.rule)
    }
}

/// Prints a term that has expressions in it.
pub(super) fn written(term: &Term, part: &mut dyn FnMut(&Term) -> Written, rule: &Rule) -> Written {
    match term {
        Term::Expression(_) => Ok(rule.name_of(term).to_owned()),
        Term::Sum(terms) => {
            let mut terms = terms.iter().map(part);
            let first = terms.next().unwrap_or_else(|| Ok(String::new()))?;
            terms.try_fold(first, |sum, term| Ok(format!("(Add {sum} {})", term?)))
        }
        // -(a*x) is (-a)*x: one factor per term.
        Term::Product(minus, product)
            if **minus == Term::Integer(-1)
                && let Term::Product(factor, core) = &**product
                && !factor.has_expression() =>
        {
            let factor = Term::Product(minus.clone(), factor.clone());
            Ok(format!("(Multiply {} {})", part(&factor)?, part(core)?))
        }
        Term::Product(x, y) => Ok(format!("(Multiply {} {})", part(x)?, part(y)?)),
        Term::FloorDiv(x, y) => Ok(format!("(FloorDiv {} {})", part(x)?, part(y)?)),
        Term::Mod(x, y) => Ok(format!("(Mod {} {})", part(x)?, part(y)?)),
        Term::Min(x, y) => Ok(format!("(Min {} {})", part(x)?, part(y)?)),
        Term::Max(x, y) => Ok(format!("(Max {} {})", part(x)?, part(y)?)),
        _ => Err("it has a term of a hint in it".to_owned()),
    }
}

pub(super) fn constant(rule: &Rule, slot: Slot) -> &str {
    rule.name_of(&Term::Constant(slot))
}

/// Prints a term as an egglog integer, expressions included.
pub(super) fn integer(rule: &Rule, term: &Term) -> String {
    integer_of(term, &|part| match part {
        Term::Lo(_) => format!("{}-lo", rule.name_of(part)),
        Term::Hi(_) => format!("{}-hi", rule.name_of(part)),
        _ => rule.name_of(part).to_owned(),
    })
}

/// Like [`integer`], with the given values for variables.
pub(super) fn integer_of(term: &Term, variable: &dyn Fn(&Term) -> String) -> String {
    let of = |term: &Term| integer_of(term, variable);
    match term {
        Term::Integer(value) => value.to_string(),
        Term::Sum(terms) => {
            let sum = terms.iter().map(of).reduce(|sum, part| format!("(+ {sum} {part})"));
            sum.unwrap_or_default()
        }
        Term::Product(x, y) => format!("(* {} {})", of(x), of(y)),
        Term::FloorDiv(x, y) => quotient(&of(x), &of(y)),
        Term::Mod(x, y) => remainder(&of(x), &of(y)),
        Term::Min(x, y) => format!("(min {} {})", of(x), of(y)),
        Term::Max(x, y) => format!("(max {} {})", of(x), of(y)),
        variable_term => variable(variable_term),
    }
}

/// egglog's `/` and `%` round toward zero.
pub(super) fn quotient(x: &str, y: &str) -> String {
    format!("(/ (- {x} {}) {y})", remainder(x, y))
}

fn remainder(x: &str, y: &str) -> String {
    format!("(% (+ (% {x} {y}) {y}) {y})")
}
