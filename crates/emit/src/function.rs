//! A map as two functions of a language: one computes the results, the other tests whether a point is in the domain.
//!
//! The parts common to all languages: identifiers, the lines in order, and the widths that they need. The test of the domain
//! begins with the bounds of the variables, so all later lines may rely on these; the results may rely on the domain.

use super::names::{self, Names};
use super::plan::{self, Step};
use super::values::Facts;
use super::write::{Notation, Writer, Written};
use affinor_maps::expr::{Expr, IndexingMap, VariableKind};
use affinor_maps::num::{Interval, MINUS_INFINITY, PLUS_INFINITY};
use affinor_maps::text::{Error, ErrorKind, Style, print_expr, print_map, variable_names};
use rustc_hash::FxHashMap;

/// A map prepared to be written as functions.
pub struct Function<'m> {
    /// The map.
    pub map: &'m IndexingMap,
    /// The name of the function that computes the results.
    pub name: String,
    /// The name of the function that tests the domain.
    pub contains: String,
    /// The identifiers of the variables.
    pub names: Names,
    of_results: Facts,
    of_domain: Facts,
    /// Whether no value needs more than 128 bits.
    is_bounded: bool,
}

/// The code of a map.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Emitted {
    /// The text, including the final line break.
    pub code: String,
    /// The name of the function or attribute.
    pub name: String,
    /// The name of each variable in the code.
    pub arguments: Vec<String>,
}

impl Emitted {
    pub(super) fn new(function: &Function, code: String) -> Emitted {
        Emitted { code, name: function.name.clone(), arguments: function.names.variables.clone() }
    }
}

/// A line of a function body.
pub enum Line {
    /// A local variable, and whether it has more than 64 bits.
    Local(String, Written, bool),
    /// The point is outside the domain unless this value is positive.
    Positive(Written),
    /// The point is outside the domain unless this value is within the bounds.
    Within(Written, Interval),
}

impl Function<'_> {
    /// Prepares the functions of `map`, in a language with integers of 64 or 128 bits, or of arbitrary size: `u32::MAX`.
    ///
    /// # Errors
    /// If a value may need more bits.
    pub fn new<'m>(
        map: &'m IndexingMap,
        name: &str,
        reserved: &[&[&str]],
        bits: u32,
    ) -> Result<Function<'m>, Error> {
        let (name, domain) = (names::function(name, reserved), map.domain());
        let contains = format!("{}_contains", name.trim_end_matches('_'));
        let names = Names::new(domain, reserved, &[name.clone(), contains.clone()]);
        let constraints = domain.constraints().iter().map(|constraint| &constraint.expr);
        let failed = |expr: &Expr| too_wide(map, expr, bits);
        let results = Facts::of(domain, map.results(), true);
        let tests = Facts::of(domain, constraints.clone(), false);
        let is_bounded = results.is_ok() && tests.is_ok();
        let known = |facts: Result<Facts, Expr>| match facts {
            Err(_) if bits == u32::MAX => Ok(Facts::default()),
            facts => facts.map_err(|expr| failed(&expr)),
        };
        let (of_results, of_domain) = (known(results)?, known(tests)?);
        if bits == 64 {
            of_results.fit(map.results(), 64).map_err(|expr| failed(&expr))?;
            of_domain.fit(constraints, 64).map_err(|expr| failed(&expr))?;
        }
        Ok(Function { map, name, contains, names, of_results, of_domain, is_bounded })
    }

    /// Returns the bounds of the results and their parts, at points of the domain.
    #[must_use]
    pub fn facts_of_results(&self) -> &Facts {
        &self.of_results
    }

    /// Returns the bounds of the constraints and their parts, within the bounds of the variables.
    #[must_use]
    pub fn facts_of_domain(&self) -> &Facts {
        &self.of_domain
    }

    /// Returns whether all computed values, and each bound of a variable, fit in this many bits.
    #[must_use]
    pub fn fits(&self, bits: u32) -> bool {
        let domain = self.map.domain();
        let constraints = domain.constraints().iter().map(|constraint| &constraint.expr);
        let most = (1i64 << (bits - 1).min(62)) - 1;
        let small =
            |bounds: Interval| bits >= 64 || bounds.lo() >= -most - 1 && bounds.hi() <= most;
        self.is_bounded
            && domain.intervals().all(small)
            && self.of_results.fit(self.map.results(), bits).is_ok()
            && self.of_domain.fit(constraints, bits).is_ok()
    }

    /// Returns whether a result may exceed 64 bits, so that the map has no value.
    #[must_use]
    pub fn may_overflow(&self) -> bool {
        let results = self.map.results().iter();
        results.map(|result| self.of_results.known(result).values).any(|values| !values.fit(64))
    }

    /// Returns the lines of the function that computes the results; then the results, each with whether it has more than 64 bits.
    pub fn results(&self, notation: &dyn Notation) -> (Vec<Line>, Vec<(Written, bool)>) {
        let steps = plan::of_results(self.map.results());
        let (lines, writer) = self.lines(steps, &self.of_results, notation);
        let results = self.map.results().iter();
        let results = results.map(|result| (writer.write(result), writer.is_wide(result)));
        (lines, results.collect())
    }

    /// Returns the lines of the function that tests the domain; `None` if the domain is known to be empty.
    pub fn domain(&self, notation: &dyn Notation) -> Option<Vec<Line>> {
        let domain = self.map.domain();
        if domain.is_known_empty() {
            return None;
        }
        let is_positive = |expr: &Expr| self.of_domain.known(expr).values.lo > 0;
        let steps = plan::of_domain(domain, is_positive);
        Some(self.lines(steps, &self.of_domain, notation).0)
    }

    fn lines<'w>(
        &'w self,
        steps: Vec<Step>,
        facts: &'w Facts,
        notation: &'w dyn Notation,
    ) -> (Vec<Line>, Writer<'w>) {
        let mut used = Names::new(self.map.domain(), &[], &[]);
        for taken in self.names.variables.iter().chain([&self.name, &self.contains]) {
            used.take(taken);
        }
        let mut writer =
            Writer { notation, names: &self.names.variables, facts, locals: FxHashMap::default() };
        let mut lines = Vec::new();
        for step in steps {
            lines.push(match step {
                Step::Local(expr) => {
                    let name = used.fresh(&format!("t{}", writer.locals.len()));
                    let line =
                        Line::Local(name.clone(), writer.write(&expr), writer.is_wide(&expr));
                    writer.name(&expr, name);
                    line
                }
                Step::Positive(expr) => Line::Positive(writer.write(&expr)),
                Step::Within(expr, bounds) => Line::Within(writer.write(&expr), bounds),
            });
        }
        (lines, writer)
    }

    /// Returns the lines of a comment: the map, and the renamed variables.
    #[must_use]
    pub fn comment(&self) -> Vec<String> {
        let mut lines = vec![print_map(self.map, Style::Plain)];
        let variables = self.map.domain().variables().iter().zip(&self.names.variables);
        let renamed = variables.filter(|(variable, name)| *variable.name != **name);
        let renamed: Vec<String> =
            renamed.map(|(variable, name)| format!("{} is {name}", variable.name)).collect();
        if !renamed.is_empty() {
            lines.push(format!("Renamed: {}.", renamed.join(", ")));
        }
        lines
    }
}

/// Returns the comparisons that are true outside `bounds`, with `<`, `>` and `!=`.
pub fn outside(text: &Written, bounds: Interval, number: impl Fn(i64) -> String) -> Vec<String> {
    let text = text.clone().at(super::write::Level::Sum);
    if bounds.lo() == bounds.hi() {
        return vec![format!("{text} != {}", number(bounds.lo()))];
    }
    let mut list = Vec::new();
    if bounds.lo() != MINUS_INFINITY {
        list.push(format!("{text} < {}", number(bounds.lo())));
    }
    if bounds.hi() != PLUS_INFINITY {
        list.push(format!("{text} > {}", number(bounds.hi())));
    }
    list
}

fn too_wide(map: &IndexingMap, expr: &Expr, bits: u32) -> Error {
    let names = variable_names(map.domain());
    let variables = map.domain().variables();
    let unbounded = expr.variables().into_iter().filter_map(|id| variables.get(id.index()));
    let unbounded = unbounded.filter(|variable| !variable.bounds.is_bounded());
    let named = unbounded.max_by_key(|variable| variable.kind == VariableKind::Parameter);
    let shown: String = print_expr(expr, &names, Style::Plain).chars().take(200).collect();
    let message = format!("`{shown}` may need more than {bits} bits");
    Error::without_span(ErrorKind::Overflow, message).hint(match named {
        Some(variable) => format!("give `{0}` bounds, as in `{0} in [1, 1000000]`", variable.name),
        None => "give the variables smaller bounds".to_owned(),
    })
}
