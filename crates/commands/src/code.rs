//! Code in arguments of commands: reads it and checks its divisors, and adds a notice if the code is not read literally.

use super::advice::{is_module, module_hint};
use super::arguments::Argument;
use super::bare::is_code;
use super::failure::{Failure, stopped};
use super::output::clipped;
use super::results::number_of;
use super::table::Call;
use super::verdict::at;
use crate::token::identifiers;
use affinor::expr::{Domain, Expr, IndexingMap, VariableKind};
use affinor::num::{Interval, MINUS_INFINITY};
use affinor::prove::{Reason, Verdict, equal_functions, is_empty};
use affinor::text::{Error, ErrorKind, Style, is_name, print_expr, variable_names};
use affinor_code::{self as code, Code, Named, Taken, Value, taken_of_cuda};

/// Extensions of files that users have besides maps, and that are not names of attributes.
const FILES: [&str; 7] = [".hlo", ".mlir", ".txt", ".json", ".jsonl", ".aff", ".md"];

impl Call<'_> {
    /// Reads code. With `truncates`, it is read as C, in which a division truncates.
    ///
    /// # Errors
    /// Any error in the code, at its position.
    pub fn code(&self, argument: &Argument, truncates: bool) -> Result<Code, Failure> {
        self.refuse_file(argument)?;
        let known = |name: &str| self.session.value(name);
        let code = code::read(&argument.text, truncates, &known);
        let mut code = code.map_err(|error| argument.blame(error))?;
        self.check_divisors(argument, &mut code)?;
        Ok(code)
    }

    /// Reads two texts of code to be compared.
    ///
    /// # Errors
    /// Any error in the texts, at its position.
    pub fn two_codes(
        &self,
        arguments: [&Argument; 2],
        truncates: bool,
    ) -> Result<[Code; 2], Failure> {
        arguments.into_iter().try_for_each(|argument| self.refuse_file(argument))?;
        let known = |name: &str| self.session.value(name);
        let texts = arguments.map(|argument| argument.text.as_str());
        let codes = code::read_two(texts, truncates, &known);
        let mut codes = codes.map_err(|(number, error)| arguments[number].blame(error))?;
        for (argument, code) in arguments.into_iter().zip(&mut codes) {
            self.check_divisors(argument, code)?;
        }
        Ok(codes)
    }

    /// Rejects the name of a file, `maps/a.mlir`, which would be read as a quotient of names.
    fn refuse_file(&self, argument: &Argument) -> Result<(), Failure> {
        let text = argument.text.trim();
        let is_path = text.contains(|c: char| c.is_ascii_alphabetic())
            && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '/' | '_' | '-'));
        if is_path && FILES.iter().any(|ending| text.ends_with(ending)) {
            let message = format!("`{}` names a file, not a map", clipped(text));
            let failure = argument.wrong(ErrorKind::Usage, message);
            return Err(failure.hint(match is_module(text) {
                true => module_hint(text),
                false => {
                    "`run FILE` runs the lines of a script, `let NAME = MAP` names a map".to_owned()
                }
            }));
        }
        Ok(())
    }

    /// Checks whether a word of the text is the name of a value in the session.
    #[must_use]
    pub fn names_a_value(&self, text: &str) -> bool {
        identifiers(text).any(|word| self.session.value(word).is_some())
    }

    /// Checks whether an argument is code: not a map, and not the name of a map, unless the map is a value of code.
    #[must_use]
    pub fn is_code(&self, argument: &Argument) -> bool {
        let is_value = self.is_value(argument);
        is_value.unwrap_or_else(|| {
            is_code(&argument.text) && !matches!(self.array(&argument.text), Some(Ok(_)))
        })
    }

    /// Checks whether two arguments are code. Beside code, a name without a value is a variable.
    #[must_use]
    pub fn are_code(&self, left: &Argument, right: &Argument) -> bool {
        let is_free = |argument: &Argument| {
            let text = argument.text.trim();
            is_name(text)
                && text != "_"
                && number_of(text).is_none()
                && self.session.value(text).is_none()
        };
        match (is_free(left), is_free(right)) {
            (true, false) => self.is_code(right),
            (false, true) => self.is_code(left),
            (true, true) => false,
            (false, false) => self.is_code(left) && self.is_code(right),
        }
    }

    /// Returns whether a name has a value of code; `None` if the argument is not a name.
    fn is_value(&self, argument: &Argument) -> Option<bool> {
        let text = argument.text.trim();
        if !is_name(text) && number_of(text).is_none() {
            return None;
        }
        Some(self.session.is_code(text))
    }

    /// Decides whether two maps of code are the same function. If, at a counterexample, a variable of CUDA or a part assumed to
    /// fit in its type does not fit, it decides again on a domain restricted to points where it does.
    ///
    /// # Errors
    /// The errors of [`equal_functions`].
    pub fn equal_codes(
        &self,
        left: &IndexingMap,
        right: &IndexingMap,
        taken: &[Taken],
    ) -> Result<Verdict, Error> {
        let (mut left, mut right) = (left.clone(), right.clone());
        let mut taken: Vec<Taken> = taken_of_cuda(&left).chain(taken.iter().cloned()).collect();
        loop {
            let verdict = equal_functions(&left, &right, &self.proof_budget())?;
            let part = match &verdict {
                Verdict::Refuted(found) => that_does_not_fit(&mut taken, &found.point),
                _ => None,
            };
            let Some(part) = part else {
                return Ok(verdict);
            };
            left = left.restricted(&part.value, part.within);
            right = right.restricted(&part.value, part.within);
        }
    }

    /// Returns the map of the single value of the code. The cases of its conditions are combined.
    ///
    /// # Errors
    /// If the code has no single value with a map, or is a comparison.
    pub fn map_of_code(&self, argument: &Argument, code: Code) -> Result<IndexingMap, Failure> {
        let accesses = code.values.iter().filter_map(|value| value.access.as_ref());
        let arrays: Vec<String> =
            accesses.map(|access| format!("{} `{}`", access.verb(), access.array)).collect();
        if arrays.len() > 1 || !arrays.is_empty() && !code.without_map.is_empty() {
            let message =
                format!("expected one map, found several accesses: {}", arrays.join(", "));
            let failure = argument.wrong(ErrorKind::Unsupported, message);
            return Err(
                failure.hint("type the code alone in a line, and ask about an answer, as `_1`")
            );
        }
        // `offs = ..` alone is its value, but in `a = b = 3` the name would be lost.
        let is_one = code.values.len() == 1 && self.command.name != "let";
        let value = code.values.into_iter().rev().find(|value| is_one || value.name.is_none());
        let Some(value) = value else {
            let failure =
                argument.wrong(ErrorKind::Syntax, "expected a value, found an assignment");
            return Err(failure.hint("two values are compared with `==`"));
        };
        if code.relation.is_some() {
            let failure =
                argument.wrong(ErrorKind::Unsupported, "expected a value, found a comparison");
            return Err(failure.hint("a comparison alone in a line is proved or refuted"));
        }
        let Some(map) = value.whole else {
            let message =
                format!("this is {} maps: its conditions split the domain", value.maps.len());
            let failure = argument.wrong(ErrorKind::Unsupported, message);
            return Err(failure
                .hint("type it alone in a line, and name the maps of the answer: `let a = _1`"));
        };
        value.notes.iter().for_each(|note| self.notice(note));
        if value.maps.len() > 1 {
            let count = value.maps.len();
            self.notice(format!("its {count} cases are one map: each value times 1 where its conditions hold, and 0 elsewhere"));
        }
        Ok(map)
    }

    /// Adds a note that a divisor is assumed to be positive, for each one that neither intervals nor a proof show to be
    /// positive.
    ///
    /// # Errors
    /// If a divisor is not positive although the indices in it have bounds: the code then divides by 0.
    fn check_divisors(&self, argument: &Argument, code: &mut Code) -> Result<(), Failure> {
        for value in &mut code.values {
            for assumed in std::mem::take(&mut value.assumed) {
                if let Some(note) = self.divisor(argument, &assumed.domain, &assumed.divisor)?
                    && !value.notes.contains(&note)
                {
                    value.notes.push(note);
                }
            }
        }
        Ok(())
    }

    fn divisor(
        &self,
        argument: &Argument,
        domain: &Domain,
        divisor: &Expr,
    ) -> Result<Option<String>, Failure> {
        let names = variable_names(domain);
        let shown = clipped(&print_expr(divisor, &names, Style::Plain));
        let mut outside = domain.clone();
        outside.constrain(divisor, Interval::new(MINUS_INFINITY, 0));
        match is_empty(&outside, &self.proof_budget()) {
            Verdict::Proved => return Ok(None),
            Verdict::Unknown(Reason::Interrupted) => return Err(self.failed(stopped())),
            Verdict::Refuted(point) if has_bounds(domain, divisor) => {
                let value = divisor.eval(&point).unwrap_or(0);
                let at = at(&point, domain);
                let at = at.trim().trim_end_matches(',');
                let message = format!("the divisor `{shown}` is {value} {at}");
                let error = Error::new(ErrorKind::Division, 0..argument.text.len(), message);
                return Err(
                    argument.blame(error.hint("divisors are at least 1: bound the names in it"))
                );
            }
            _ => {}
        }
        Ok(Some(format!("the divisor `{shown}` is taken to be at least 1")))
    }
}

/// Checks whether an index in an expression has both bounds.
fn has_bounds(domain: &Domain, expr: &Expr) -> bool {
    let variables = expr.variables();
    let mut own = variables.iter().filter_map(|id| domain.variables().get(id.index()));
    own.any(|variable| variable.kind == VariableKind::Dimension && !code::is_wide(variable.bounds))
}

/// Names a value of code in the session: its simplified map, if there is a map.
pub fn name_value(call: &mut Call<'_>, name: &str, value: &Value, simplified: Option<IndexingMap>) {
    match (&value.whole, &value.maps[..]) {
        (Some(whole), maps) => {
            let whole = match maps.len() {
                1 => simplified.unwrap_or_else(|| whole.clone()),
                _ => whole.clone(),
            };
            let cases = match maps {
                [_] => vec![whole.clone()],
                _ => maps.to_vec(),
            };
            let (free, axes) = (value.free.clone(), value.axes.clone());
            let known = Named { maps: cases, of: value.of, free, axes };
            call.session.name_value(name.to_owned(), whole, known);
        }
        (None, _) => {
            call.session.forget_name(name);
        }
    }
}

/// Removes a part from the list that does not fit at a point, and returns it.
pub fn that_does_not_fit(taken: &mut Vec<Taken>, point: &[i64]) -> Option<Taken> {
    let place = taken.iter().position(|part| !part.fits_at(point))?;
    Some(taken.swap_remove(place))
}
