//! Scripts of SMT-LIB over Int: `(declare-const x Int)`, `(define-fun ..)`, `(assert ..)`, `(check-sat)`.
//!
//! Law: `unsat` is reported only if rules that imply it are proved for all integers, `sat` only with integers that satisfy all
//! assertions.

use super::sexpr::{Function, Scope};
use crate::arguments::Argument;
use crate::brackets::{Form, forms, list_of};
use crate::failure::Failure;
use crate::formula::Statement;
use crate::output::{Object, Output, Role, Text};
use crate::rules::verdict::at;
use crate::solve::satisfied;
use crate::table::Call;
use crate::token::identifiers;
use affinor::rule::Truth;
use affinor::rule::verify::Verdict;
use affinor::text::{Error, ErrorKind, is_name};

const COMMANDS: [&str; 16] = [
    "set-logic",
    "set-option",
    "set-info",
    "declare-const",
    "declare-fun",
    "define-fun",
    "define-const",
    "assert",
    "check-sat",
    "get-model",
    "get-value",
    "push",
    "pop",
    "reset",
    "exit",
    "echo",
];

/// The hint for those who have bit-vectors.
const BIT_VECTORS: &str =
    "ask in C: `(x & 15) == x % 16 --bits 8 --unsigned` is about an `unsigned char`";

/// Returns whether a text begins with a command of SMT-LIB.
#[must_use]
pub fn is_script(text: &str) -> bool {
    let word = text.trim_start().strip_prefix('(').map(str::trim_start);
    word.is_some_and(|rest| {
        COMMANDS.iter().any(|command| {
            let behind = rest.strip_prefix(command);
            behind.is_some_and(|behind| behind.starts_with([' ', ')', '\n', '\t']))
        })
    })
}

/// Runs the commands of a text. The session keeps the commands before `check-sat`.
pub fn answer(call: &mut Call<'_>, argument: &Argument) -> Result<(), Failure> {
    let forms = forms(&argument.text).map_err(|error| argument.blame(error))?;
    for form in forms {
        match form.call() {
            Some(("check-sat", [])) => check(call, argument)?,
            Some(("reset", [])) => call.session.smt = Vec::new().into(),
            _ => {
                let mut script = call.session.smt.to_vec();
                script.push(form);
                Script::of(&script).map_err(|error| argument.blame(error))?;
                call.session.smt = script.into();
            }
        }
    }
    Ok(())
}

fn check(call: &mut Call<'_>, argument: &Argument) -> Result<(), Failure> {
    let script = Script::of(&call.session.smt).map_err(|error| argument.blame(error))?;
    let all = match script.asserted.is_empty() {
        true => "True".to_owned(),
        false => script.asserted.join(" and "),
    };
    for claim in &script.closed {
        let statement = Statement::read(claim);
        let statement = statement.map_err(|error| argument.blame(Error { span: None, ..error }))?;
        let (verdict, rule) = call.judged_rules(&statement.rules)?;
        let (answer, reason) = match (verdict, rule) {
            (Verdict::Proved, _) => continue,
            (Verdict::Refuted(point), Some(rule)) if rule.truth(&point) != Truth::Undefined => {
                ("unsat", format!("it fails {}", at(rule, &point)))
            }
            (Verdict::Unknown(reason), _) => ("unknown", reason),
            _ => ("unknown", "a divisor may be below 1".to_owned()),
        };
        let role = if answer == "unsat" { Role::Good } else { Role::Doubtful };
        let text = Text::of(role, answer).plain(format!(": {reason}"));
        let json = Object::new().with("answer", answer).with("reason", reason.as_str());
        call.emit(Output::new(text, json));
        return Ok(());
    }
    let found = satisfied(call, argument, &all)?;
    let role = if found.word == "unknown" { Role::Doubtful } else { Role::Good };
    let reason = match found.word {
        "sat" if found.text != "everywhere" => format!(": at {}", found.text),
        "unsat" => String::new(),
        _ => format!(": {}", found.text),
    };
    let json = Object::new().with("answer", found.word);
    let unknown = (found.word == "unknown").then_some(found.text);
    let text = Text::of(role, found.word).plain(reason);
    call.emit(Output::new(text, json.with_some("reason", unknown)).status(found.status));
    Ok(())
}

/// The assertions of the commands so far, in infix notation.
#[derive(Clone, Default)]
struct Script {
    scope: Scope,
    asserted: Vec<String>,
    /// The assertions without constants: each holds for all integers, or not at all.
    closed: Vec<String>,
}

impl Script {
    fn of(forms: &[Form]) -> Result<Script, Error> {
        let mut script = Script::default();
        script.scope.declared = Some(Default::default());
        let mut outer: Vec<Script> = Vec::new();
        for form in forms {
            match form.call() {
                Some(("push", levels)) => {
                    for _ in 0..number(levels)? {
                        outer.push(script.clone());
                    }
                }
                Some(("pop", levels)) => {
                    for _ in 0..number(levels)? {
                        script = outer.pop().ok_or_else(|| wrong("`pop` without `push`"))?;
                    }
                }
                _ => script.add(form)?,
            }
        }
        Ok(script)
    }

    fn add(&mut self, form: &Form) -> Result<(), Error> {
        let unknown = || wrong("expected a command of SMT-LIB over Int");
        match form.call().ok_or_else(unknown)? {
            ("declare-const", [name, of]) => self.declare(name, of),
            ("declare-fun", [name, Form::List(none), of]) if none.is_empty() => {
                self.declare(name, of)
            }
            ("define-const", [name, _, value]) => self.define(name, &[], value),
            ("define-fun", [name, Form::List(parameters), _, body]) => {
                self.define(name, parameters, body)
            }
            ("assert", [claim]) => {
                if let Some(("forall", [Form::List(names), body])) = claim.call() {
                    return self.close(names, body);
                }
                let claim = &self.opened(claim)?;
                self.note_positive(claim);
                match self.scope.written(claim)? {
                    (text, true) => self.asserted.push(text),
                    (text, false) => return Err(wrong(&format!("`{text}` is not a condition"))),
                }
                Ok(())
            }
            (
                "set-logic" | "set-option" | "set-info" | "get-model" | "get-value" | "exit"
                | "echo",
                _,
            ) => Ok(()),
            _ => Err(unknown()),
        }
    }

    /// Opens a claim that begins with `exists`, or `not` and `forall`, by new constants.
    fn opened(&mut self, claim: &Form) -> Result<Form, Error> {
        let inner = match claim.call() {
            Some(("not", [inner])) => inner,
            _ => claim,
        };
        let is_negated = inner != claim;
        let (Some((word, [Form::List(names), body])), true) =
            (inner.call(), claim.call().is_some())
        else {
            return Ok(claim.clone());
        };
        if word != if is_negated { "forall" } else { "exists" } {
            return Ok(claim.clone());
        }
        for binder in names {
            let [name, of] = list_of(binder) else {
                return Err(wrong("expected names with their sorts, `((x Int))`"));
            };
            if self.scope.declared.as_ref().is_some_and(|all| all.contains(name.word())) {
                return Err(wrong(&format!("`{}` is declared already", name.word())));
            }
            self.declare(name, of)?;
        }
        Ok(match is_negated {
            true => Form::List(vec![Form::Word("not".to_owned()), body.clone()]),
            false => body.clone(),
        })
    }

    /// Adds a claim about all integers, without constants.
    fn close(&mut self, names: &[Form], body: &Form) -> Result<(), Error> {
        let mut inner = self.clone();
        inner.scope.declared = Some(Default::default());
        inner.scope.positive.clear();
        inner.scope.takes_divisors = true;
        for binder in names {
            match list_of(binder) {
                [name, of] => inner.declare(name, of)?,
                _ => return Err(wrong("expected names with their sorts, `((x Int))`")),
            }
        }
        let is_bound =
            |name: &str| inner.scope.declared.as_ref().is_some_and(|all| all.contains(name));
        let constants = self.scope.declared.iter().flatten();
        // The value of a name may contain a constant with the name of a variable.
        let is_hidden = |name: &str| is_bound(name) && self.scope.values.is_empty();
        let constants: Vec<&str> =
            constants.map(String::as_str).filter(|name| !is_hidden(name)).collect();
        let is_open = |text: &str| identifiers(text).any(|word| constants.contains(&word));
        let has_constant = words_of(body).any(|word| constants.contains(&word));
        match inner.scope.written(body) {
            Ok((text, true)) if !has_constant && !is_open(&text) => self.closed.push(text),
            Ok((text, false)) => return Err(wrong(&format!("`{text}` is not a condition"))),
            Ok(_) => return Err(wrong("a constant under `forall` is not supported")),
            Err(_) if has_constant => {
                return Err(wrong("a constant under `forall` is not supported"));
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }

    fn declare(&mut self, name: &Form, of: &Form) -> Result<(), Error> {
        let name = name.word();
        if of.word() != "Int" || !is_name(name) {
            if of.call().is_some_and(|(word, parts)| {
                word == "_" && parts.first().is_some_and(|part| part.word() == "BitVec")
            }) {
                let error = wrong("bit-vectors are not supported");
                return Err(error.hint(BIT_VECTORS));
            }
            let error = wrong(&format!("`{name}` is not a name of sort Int"));
            return Err(error.hint("declare `(declare-const x Int)`"));
        }
        if self.scope.values.contains_key(name) || self.scope.functions.contains_key(name) {
            return Err(wrong(&format!("`{name}` is defined already")));
        }
        if let Some(declared) = &mut self.scope.declared {
            declared.insert(name.to_owned());
        }
        Ok(())
    }

    fn define(&mut self, name: &Form, parameters: &[Form], body: &Form) -> Result<(), Error> {
        let name = name.word().to_owned();
        let declared = self.scope.declared.as_ref();
        if self.scope.functions.contains_key(&name)
            || declared.is_some_and(|all| all.contains(&name))
        {
            return Err(wrong(&format!("`{name}` is declared already")));
        }
        if parameters.is_empty() {
            let value = self.scope.written(body)?;
            self.scope.values.insert(name, value);
            return Ok(());
        }
        let names = parameters.iter().map(|parameter| match list_of(parameter) {
            [name, of] if of.word() == "Int" => Ok(name.word().to_owned()),
            _ => Err(wrong("parameters are of sort Int")),
        });
        let parameters: Vec<String> = names.collect::<Result<_, _>>()?;
        // The body is printed once here, so that it can only call functions defined before it.
        let mut inner = self.scope.clone();
        inner.takes_divisors = true;
        inner.values.extend(parameters.iter().map(|name| (name.clone(), (name.clone(), false))));
        inner.written(body)?;
        let function =
            Function { parameters, body: body.clone(), values: self.scope.values.clone() };
        self.scope.functions.insert(name, function);
        Ok(())
    }

    /// Records the names that an assertion implies to be at least 1.
    fn note_positive(&mut self, claim: &Form) {
        let number = |form: &Form| form.word().parse::<u64>().ok();
        match claim.call() {
            Some(("and", parts)) => parts.iter().for_each(|part| self.note_positive(part)),
            Some((relation, [x, y])) => {
                let name = match relation {
                    ">" if number(y).is_some() => x,
                    "<" if number(x).is_some() => y,
                    ">=" if number(y).is_some_and(|y| y > 0) => x,
                    "<=" if number(x).is_some_and(|x| x > 0) => y,
                    _ => return,
                };
                self.scope.positive.insert(name.word().to_owned());
            }
            _ => {}
        }
    }
}

/// Returns the words of a form.
fn words_of(form: &Form) -> Box<dyn Iterator<Item = &str> + '_> {
    match form {
        Form::Word(word) => Box::new(std::iter::once(word.as_str())),
        Form::List(list) => Box::new(list.iter().flat_map(words_of)),
    }
}

fn wrong(message: &str) -> Error {
    Error::without_span(ErrorKind::Unsupported, message)
}

/// Returns the number of levels of `push` or `pop`.
fn number(levels: &[Form]) -> Result<usize, Error> {
    match levels {
        [] => Ok(1),
        [level] => {
            let count = level.word().parse().ok().filter(|count| *count <= 100);
            count.ok_or_else(|| wrong("expected a number of levels"))
        }
        _ => Err(wrong("expected a number of levels")),
    }
}
