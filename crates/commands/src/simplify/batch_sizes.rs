//! The domain of a line of `simplify --jsonl`:
//! `{"params": {"n": [1, null]}, "multiple_of": {"n": 4}, "facts": ["n <= m"], "vars": {"d0": [0, "n - 1"]}}`.
//!
//! `null` means no bound. A fact `x != y` is used only if it excludes an end of the known range of `x - y`. Otherwise the domain has
//! additional points; a statement that holds at all of them holds at the intended ones.

use crate::output::clipped;
use affinor::expr::{Domain, End, Expr, ExprError, Variable, VariableId, VariableKind, bounded};
use affinor::num::Interval;
use affinor::text::json::{Entries, in_line, offset, string};
use affinor::text::{Error, ErrorKind, Span, is_name, parse_symbolic_expr};
use serde_json::value::RawValue;

/// The ends of an interval that are expressions.
type Ends<'a> = Vec<(End, &'a RawValue)>;

/// The domain of the variables as the line states it.
pub struct Sizes<'a> {
    /// The line.
    pub line: &'a str,
    /// The dimensions with their bounds.
    pub vars: &'a Entries<'a>,
    /// The parameters with their bounds.
    pub params: Option<&'a Entries<'a>>,
    /// The numbers that parameters are multiples of.
    pub multiple_of: Option<&'a Entries<'a>>,
    /// The comparisons.
    pub facts: &'a [&'a RawValue],
}

impl Sizes<'_> {
    /// Returns the domain of the line.
    ///
    /// # Errors
    /// For an invalid bound or fact, at its position.
    pub fn domain(&self) -> Result<Domain, Error> {
        let names = self.names();
        let mut variables = Vec::with_capacity(names.len());
        let mut ends = Vec::new();
        for (number, (name, kind, bounds)) in (0..).zip(self.listed()) {
            if !is_name(name) {
                let message = format!("invalid variable name `{}`", clipped(name));
                let error = self.wrong(ErrorKind::Name, bounds, message);
                return Err(error.hint("a name has letters, digits and `_`, and is not a keyword"));
            }
            if names[..number as usize].contains(&name) {
                let is_variable = self.vars.0.iter().any(|(other, _)| other == name);
                let message = match (kind, is_variable) {
                    (VariableKind::Parameter, true) => {
                        format!("`{name}` is both a variable and a parameter")
                    }
                    _ => format!("`{name}` is given twice"),
                };
                let error = self.wrong(ErrorKind::Name, bounds, message);
                return Err(error.hint("choose another name"));
            }
            let (bounds, expressions) = self.bounds(name, bounds)?;
            variables.push(Variable::new(name, kind, bounds));
            let numbered = expressions.into_iter();
            ends.extend(numbered.map(|(end, raw)| (VariableId(number), end, raw)));
        }
        let mut domain = Domain::new(variables);
        for (id, end, raw) in ends {
            self.bound(&mut domain, &names, id, end, raw)?;
        }
        for (name, raw) in self.multiple_of.iter().flat_map(|list| &list.0) {
            let id = names.iter().position(|other| other == name);
            let id = id.map(|id| VariableId(id as u32)).filter(|id| domain.is_parameter(*id));
            let (Some(id), Ok(modulus @ 1..)) = (id, raw.get().parse::<i64>()) else {
                let name = clipped(name);
                let message =
                    format!("`multiple_of` does not give a parameter `{name}` a positive integer");
                let error = self.wrong(ErrorKind::Domain, raw, message);
                return Err(error.hint("write {\"n\": 4}, where `n` is one of `params`"));
            };
            let remainder = Expr::variable(id).modulo(modulus);
            domain.constrain(&remainder.map_err(|error| self.beyond(&error))?, Interval::point(0));
        }
        self.add_facts(&mut domain, &names)?;
        Ok(domain)
    }

    /// Returns the names of all variables, in the order of their numbers.
    pub fn names(&self) -> Vec<&str> {
        self.listed().map(|(name, ..)| name).collect()
    }

    fn listed(&self) -> impl Iterator<Item = (&str, VariableKind, &RawValue)> {
        let dimensions = self.vars.0.iter();
        let dimensions = dimensions.map(|(name, raw)| (&**name, VariableKind::Dimension, *raw));
        let parameters = self.params.iter().flat_map(|list| &list.0);
        let parameters = parameters.map(|(name, raw)| (&**name, VariableKind::Parameter, *raw));
        dimensions.chain(parameters)
    }

    /// Returns an error at a part of the line.
    fn wrong(&self, kind: ErrorKind, at: &RawValue, message: impl Into<String>) -> Error {
        let start = offset(self.line, at);
        Error::new(kind, start..start + at.get().len(), message)
    }

    fn beyond(&self, error: &ExprError) -> Error {
        Error::new(ErrorKind::Overflow, 0..self.line.len(), error.to_string())
    }

    /// Returns the numeric bounds of a variable, and its other ends.
    fn bounds<'b>(&self, name: &str, raw: &'b RawValue) -> Result<(Interval, Ends<'b>), Error> {
        let mut ends = Vec::new();
        let mut number = |end: End, raw: &'b RawValue| match raw.get() {
            "null" => Some(end.infinity()),
            text if text.starts_with('"') && self.params.is_some() => {
                ends.push((end, raw));
                Some(end.infinity())
            }
            text => text.parse().ok(),
        };
        let pair: Option<[&RawValue; 2]> = serde_json::from_str(raw.get()).ok();
        let pair = pair.and_then(|[lo, hi]| number(End::Lower, lo).zip(number(End::Upper, hi)));
        let Some((lo, hi)) = pair else {
            let message = format!("the bounds of `{name}` are not two 64-bit integers");
            return Err(self.wrong(ErrorKind::Domain, raw, message).hint(match self.params {
                Some(_) => "write [lo, hi], each an integer, null, or a text such as \"n - 1\"",
                None => "write [lo, hi]",
            }));
        };
        Ok((Interval::new(lo, hi), ends))
    }

    /// Adds an end that is an expression over parameters.
    fn bound(
        &self,
        domain: &mut Domain,
        names: &[&str],
        id: VariableId,
        end: End,
        raw: &RawValue,
    ) -> Result<(), Error> {
        let text = string(self.line, raw)?;
        let bound = parse_symbolic_expr(&text, names);
        let bound = bound.map_err(|error| in_line(error, self.line, raw))?;
        let is_allowed = |other: &VariableId| domain.is_parameter(*other) && *other != id;
        if let Some(other) = bound.variables().into_iter().find(|other| !is_allowed(other)) {
            let name = names[id.index()];
            let message = format!("the bound of `{name}` is not over other parameters");
            let hint = match other == id {
                true => format!("`{name}` cannot bound itself"),
                false => format!("`{}` is not one of `params`", names[other.index()]),
            };
            return Err(self.wrong(ErrorKind::Domain, raw, message).hint(hint));
        }
        let constraint = bounded(&Expr::variable(id), end, &bound);
        let (expr, interval) = constraint.map_err(|error| self.beyond(&error))?;
        domain.constrain(&expr, interval);
        Ok(())
    }

    fn add_facts(&self, domain: &mut Domain, names: &[&str]) -> Result<(), Error> {
        let mut unequal = Vec::new();
        for raw in self.facts {
            let text = string(self.line, raw)?;
            let fact = Fact::read(&text, names).map_err(|error| in_line(error, self.line, raw))?;
            for end in fact.ends {
                let constraint = bounded(&fact.lhs, *end, &fact.rhs);
                let (expr, interval) = constraint.map_err(|error| self.beyond(&error))?;
                domain.constrain(&expr, interval);
            }
            if fact.ends.is_empty() {
                let constraint = bounded(&fact.lhs, End::Lower, &fact.rhs);
                let (expr, interval) = constraint.map_err(|error| self.beyond(&error))?;
                unequal.push((expr, interval.lo()));
            }
        }
        // A fact may exclude the end that results from another one, so there are as many passes as facts.
        for _ in 0..unequal.len() {
            for (expr, value) in &unequal {
                let range = domain.range_of(expr);
                if range.lo() == *value {
                    domain.constrain(expr, Interval::at_least(value.saturating_add(1)));
                } else if range.hi() == *value {
                    domain.constrain(expr, End::Upper.beyond(value.saturating_sub(1)));
                }
            }
        }
        Ok(())
    }
}

/// A comparison: `lhs <= rhs`, with `ends` as the ends that `rhs` gives `lhs`, or `lhs != rhs` if `ends` is empty.
struct Fact {
    lhs: Expr,
    ends: &'static [End],
    rhs: Expr,
}

impl Fact {
    fn read(text: &str, names: &[&str]) -> Result<Fact, Error> {
        const OPERATORS: [(&str, &[End], i64); 7] = [
            ("==", &[End::Lower, End::Upper], 0),
            ("!=", &[], 0),
            ("<=", &[End::Upper], 0),
            (">=", &[End::Lower], 0),
            ("<", &[End::Upper], -1),
            (">", &[End::Lower], 1),
            ("=", &[End::Lower, End::Upper], 0),
        ];
        let found = text.find(['=', '!', '<', '>']).and_then(|at| {
            let mut operators = OPERATORS.iter();
            let operator = operators.find(|(operator, ..)| text[at..].starts_with(operator))?;
            Some((at, operator))
        });
        let Some((at, (operator, ends, more))) = found else {
            let error = Error::new(ErrorKind::Syntax, 0..text.len(), "expected a comparison");
            return Err(error.hint("write a fact as \"n <= m\""));
        };
        let behind = at + operator.len();
        let side = |span: Span| {
            let start = span.start;
            parse_symbolic_expr(&text[span], names).map_err(|error| Error {
                span: error.span.clone().map(|span| span.start + start..span.end + start),
                ..error
            })
        };
        let (lhs, rhs) = (side(0..at)?, side(behind..text.len())?);
        let rhs = rhs.add(&Expr::constant(*more)).map_err(|error| {
            Error::new(ErrorKind::Overflow, behind..text.len(), error.to_string())
        })?;
        Ok(Fact { lhs, ends, rhs })
    }
}
