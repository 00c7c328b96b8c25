//! Other notations: questions in English, statements of Lean, terms of SMT-LIB and egg, calls of CuTe, stages of TVM. Each is
//! translated to a line of commands, which is shown and run. Scripts of SMT-LIB and arrays of NumPy are answered directly.
//!
//! Law: the line has the same meaning as the text. A text without such a line is left to the parsers of commands, or is an error.

mod about;
mod array;
#[cfg(test)]
mod array_tests;
mod asked_as;
mod bare_op;
mod blocks;
mod clauses;
mod closing;
mod comprehensions;
mod computations;
mod cutlass;
mod declared;
mod dialects;
mod domains;
mod einops;
#[cfg(test)]
mod einops_tests;
mod einsum;
mod endings;
mod equation;
mod extents;
mod filled;
mod forms;
mod holes;
mod indices;
mod jaxpr;
mod lean;
mod local;
mod methods;
mod names;
mod numbers;
mod of_code;
mod openings;
mod padded;
mod parts;
mod patterns;
mod phrases;
mod pools;
mod question;
pub mod ranges;
mod rearranged;
pub mod relations;
mod remarks;
mod rewrites;
mod sexpr;
mod shaped;
mod short_forms;
mod smt;
mod splits;
mod stages;
mod statement;
mod steps;
mod stored;
mod vectors;
mod warps;
mod windows;
mod z3;

use super::answered::answered;
use super::arguments::Argument;
use super::bare::assignment;
use super::failure::Failure;
use super::output::{Role, Text};
use super::seen::Access;
use super::session::{Session, View};
use super::table::{Call, Command, Commands};
use super::token::{Class, listed, split};
use crate::token::identifiers;
pub use about::{facts, is_about_code, is_of_seen, known, unused};
use affinor::expr::VariableKind;
use affinor::text::{Error, ErrorKind, is_name, parse_map};
use array::Array;
pub use array::closing;
use asked_as::run_all;
pub use asked_as::{notes, run_as, said};
pub use bare_op::line as op_line;
pub use blocks::made as made_block;
pub use closing::is_question_alone;
pub use computations::entry;
pub use declared::{Declared, declared};
pub use dialects::is_barrier;
pub use endings::element_type;
pub use of_code::{is_answered, note_of_last, unread};
pub use remarks::{comment_alone, is_asking, remark, unanswered, unread_facts};

/// Modules that code imports under their own names.
const MODULES: [&str; 9] =
    ["torch", "triton", "jax", "numpy", "math", "z3", "sympy", "einops", "tvm"];

/// The maximum length of a text in one of these notations, in bytes.
const MAX_BYTES: usize = 1 << 14;

/// Returns whether a text is in one of these notations.
#[must_use]
pub fn is_foreign(session: &Session, text: &str) -> bool {
    let is_one = || {
        is_import(text)
            || of_code::is_question(session, text)
            || several(session, text).is_some()
            || line(session, text).is_some()
    };
    smt::is_script(text) || is_one() || entry(text).is_some()
}

/// Returns whether the comment behind a text belongs to it: it asks about the code, or has the sizes of its arrays.
pub fn is_in_comment(session: &Session, text: &str) -> bool {
    let last = text.lines().last().unwrap_or("");
    let has_comment = last.contains(" # ") || last.trim_start().starts_with("# ");
    let is_answered = || about::around(text).is_some() || about::question(session, text).is_some();
    has_comment && (several(session, text).is_some() || is_answered())
}

/// Returns the lines that answer a text together.
fn several(session: &Session, text: &str) -> Option<Vec<String>> {
    if pools::line(text).is_some() {
        return None;
    }
    of_code::each(session, text)
        .or_else(|| shaped::lines(text))
        .or_else(|| phrases::lines(text))
        .or_else(|| endings::explained(text))
        .or_else(|| closing::lines(session, text))
}

/// Returns whether a line only imports names that need no import here: `import numpy as np`, `using namespace cute;`.
fn is_import(text: &str) -> bool {
    let words: Vec<&str> = text.trim().trim_end_matches(';').split_whitespace().collect();
    let is_list = |words: &[&str]| {
        let is_part = |c: char| c.is_alphanumeric() || "_.,*".contains(c);
        !words.is_empty() && words.iter().all(|word| word.chars().all(is_part))
    };
    match &words[..] {
        ["from", _, "import", rest @ ..] => is_list(rest),
        // `import m.hlo` of another prompt means a file.
        ["import", first, rest @ ..] => {
            is_list(rest)
                || rest.is_empty() && MODULES.contains(&first.split('.').next().unwrap_or(""))
        }
        ["using", "namespace", _] | ["triton_helpers.set_driver_to_gpu()"] => true,
        _ => false,
    }
}

/// Returns the first line that a text stands for.
pub fn translated(session: &Session, text: &str) -> Option<String> {
    let lines = several(session, text);
    let first = lines.and_then(|lines| lines.into_iter().next());
    first.or_else(|| line(session, text)?.ok())
}

/// Translates a text to a line of commands.
fn line(session: &Session, text: &str) -> Option<Result<String, Error>> {
    let text = text.trim();
    if text.len() > MAX_BYTES {
        return None;
    }
    if let Some(op) = pools::line(text) {
        return Some(op);
    }
    if let Some(line) = dialects::line(text).or_else(|| blocks::used(session, text)) {
        return Some(Ok(line));
    }
    let asked = names::alone(session, text)
        .or_else(|| declared::line(session, text))
        .or_else(|| endings::line(text))
        .or_else(|| rewrites::line(text))
        .or_else(|| domains::line(text))
        .or_else(|| declared::in_front(text))
        .or_else(|| splits::line(text))
        .or_else(|| extents::line(text));
    let asked = asked
        .or_else(|| windows::line(text))
        .or_else(|| Some(names::of_last(session, question::line(text)?)));
    let asked = asked.or_else(|| called(session, text)).or_else(|| applied(text));
    let asked = asked.or_else(|| simplified(text));
    let asked = asked.or_else(|| bare_op::line(text)).or_else(|| patterns::line(text));
    let asked = asked.or_else(|| statement::line(text)).or_else(|| names::bounded(session, text));
    let asked = asked
        .or_else(|| equation::line(text))
        .or_else(|| indices::line(text))
        .or_else(|| ranges::line(text));
    asked
        .map(|line| Ok(names::unknown(session, line)))
        .or_else(|| {
            summed(text)
                .or_else(|| statement::unbounded(text))
                .map(|line| line.map(|line| names::unknown(session, line)))
        })
        .or_else(|| lean::line(text))
        .or_else(|| jaxpr::line(text))
        .or_else(|| sexpr::line(text))
        .or_else(|| {
            listed_statements(text)
                .or_else(|| blocks::line(text))
                .or_else(|| vectors::line(text))
                .or_else(|| z3::line(text))
                .map(Ok)
        })
        .or_else(|| crate::bare::called_operation(text).map(Ok))
        .or_else(|| {
            cutlass::line(text).or_else(|| stages::line(text)).or_else(|| function(text)).map(Ok)
        })
}

/// Translates `f(x) = 2x + 1`. The name is a single letter: longer ones may be those of known functions.
fn function(text: &str) -> Option<String> {
    let (head, value) = text.trim_end_matches(['.', ';']).split_once('=')?;
    let (name, names) = head.trim().strip_suffix(')')?.split_once('(')?;
    let is_one =
        name.len() == 1 && is_name(name) && names.split(',').all(|name| is_name(name.trim()));
    let is_value = !value.contains(['=', '<', '>', '\n', ';', '?']);
    (is_one && is_value).then(|| format!("{name} = lambda {names}: {}", value.trim()))
}

/// Returns the statements `a = 1; b = 2; ..` for `a = 1, b = 2; ..`.
fn listed_statements(text: &str) -> Option<String> {
    let is_made = |part: &str| {
        let (_, value) = assignment(part)?;
        // A shift is not a comparison.
        let value = value.replace("<<", "").replace(">>", "");
        (!value.contains(['=', '<', '>', ':'])).then_some(())
    };
    let (first, rest) = text.split_once(';').unwrap_or((text, ""));
    let list = listed(first);
    let is_list = list.len() > 1 && list.iter().all(|part| is_made(part).is_some());
    (is_list && !text.contains('\n') && !crate::bare::is_hlo(text))
        .then(|| format!("{}{}{rest}", list.join("; "), if rest.is_empty() { "" } else { ";" }))
}

/// Returns the error for a sum of values, `sum(i for i in range(9))`, which no command computes.
fn summed(text: &str) -> Option<Result<String, Error>> {
    let values = numbers::only_call(text).filter(|(name, _)| *name == "sum");
    let values = values.map(|(_, values)| values).or_else(|| text.strip_prefix("sum "))?;
    let values = values.trim_start_matches("of ");
    let error = Error::without_span(ErrorKind::Unsupported, "no command adds values");
    (values.contains(" for ") && values.contains(" in "))
        .then(|| Err(error.hint(format!("`points {values}` lists them"))))
}

/// Translates `tvm.arith.Analyzer().simplify(x // 4)`, and `ana.simplify(..)`.
fn simplified(text: &str) -> Option<String> {
    let at = text.find(".simplify(")?;
    let inner = &text[at + ".simplify".len()..];
    let is_object = text[..at].chars().all(|c| c.is_alphanumeric() || "_.()".contains(c));
    let (value, bounds) = inner.split_at(array::closing(inner)?);
    let (value, bounds) = (value.strip_prefix('(')?.trim(), &bounds[1..]);
    let is_bound = bounds.is_empty() || bounds.starts_with([' ', ',']);
    (is_object && is_bound && !value.is_empty()).then(|| format!("simplify {value}{bounds}"))
}

/// Translates `f(3, 4)` for a named map.
fn called(session: &Session, text: &str) -> Option<String> {
    let (name, rest) = text.trim_end_matches(';').strip_suffix(')')?.split_once('(')?;
    let is_number =
        |part: &str| part.trim().trim_start_matches('-').bytes().all(|byte| byte.is_ascii_digit());
    let names = [name.to_owned(), format!("{name}_")];
    let name = names.iter().find(|name| session.names().any(|other| other == *name))?;
    (!rest.trim().is_empty() && rest.split(',').all(is_number))
        .then(|| format!("eval {name} {}", rest.replace(' ', "")))
}

/// Translates `affine_map<(d0)[s0] -> (d0 + s0)>(3)[4]`, as MLIR applies a map to as many operands as it has, and
/// `affine.apply` without a result.
fn applied(text: &str) -> Option<String> {
    if ["affine.apply ", "affine.min ", "affine.max "].iter().any(|op| text.starts_with(op)) {
        return Some(format!("%0 = {text}"));
    }
    let (map, operands) = text.strip_suffix([')', ']'])?.rsplit_once(">(")?;
    let map = format!("{map}>");
    let (dimensions, symbols) = operands.split_once(")[").unwrap_or((operands, ""));
    let dimensions = numbers::integers(dimensions).ok()?;
    let symbols = numbers::integers(symbols).ok()?;
    let parsed = map.starts_with("affine_map<").then(|| parse_map(&map).ok()).flatten()?;
    let variables = parsed.domain().variables().len();
    let has_all = dimensions.len() == parsed.domain().count(VariableKind::Dimension)
        && dimensions.len() + symbols.len() == variables;
    let values = dimensions.iter().chain(&symbols).map(i64::to_string).collect::<Vec<_>>();
    (has_all && !values.is_empty()).then(|| format!("eval {map} {}", values.join(",")))
}

/// Answers a text in one of these notations.
///
/// # Errors
/// The errors of the line that is run, about the whole text.
pub fn answer(call: &mut Call<'_>, argument: &Argument) -> Result<(), Failure> {
    if smt::is_script(&argument.text) {
        return smt::answer(call, argument);
    }
    let text = of_code::subject(call.session, &argument.text);
    let of_all = several(call.session, &text);
    let of_one = || Some(vec![line(call.session, &text)?.ok()?]);
    let known = of_code::Known { of_one: if of_all.is_none() { of_one() } else { None }, of_all };
    if let Some(answered) = of_code::answer(call, argument, &text, known) {
        return answered;
    }
    if let Some(lines) = several(call.session, argument.text.trim_end_matches(';')) {
        return run_all(call, argument, lines);
    }
    let Some(line) = line(call.session, &argument.text) else {
        let error = Error::without_span(ErrorKind::Syntax, "this question is not understood");
        return match is_import(&argument.text) {
            true => Ok(()),
            false => Err(argument.blame(error)),
        };
    };
    let mut line = line.map_err(|error| argument.blame(error))?;
    for note in notes(&argument.text, &[&line]) {
        call.host.emit(said(note));
    }
    // A name of a command cannot name anything else.
    let named = line.strip_prefix("let ").and_then(|rest| rest.split_once(" = "));
    if let Some((name, value)) = named.filter(|(name, _)| call.commands.named(name).is_some()) {
        line = format!("let {name}_ = {value}");
    }
    let status = run_as(call.commands, &line, call.session, call.host)
        .map_err(|failure| argument.blame(Error { span: None, ..failure.error }))?;
    match asks(call.commands, &line) && !line.starts_with("let ") {
        true => call.session.asked(),
        // A value begins other code after a question.
        false if call.session.code.is_asked => call.session.see(&argument.text),
        false => {}
    }
    of_code::see_blocks(call, &argument.text);
    call.status = call.status.and(status);
    Ok(())
}

/// Answers an array of NumPy, PyTorch or JAX with its map, and assigns the map to a name before it; answers an einsum with
/// the elements that it reads. Returns `None` if the text describes neither.
///
/// # Errors
/// For a text that looks like an array but is not valid.
pub fn answer_array(call: &mut Call<'_>, argument: &Argument) -> Option<Result<(), Failure>> {
    let text = argument.text.trim_end_matches(';');
    if let Some(lines) = lines_of_array(call, text) {
        return Some(run_all(call, argument, lines));
    }
    let (name, value) = match assignment(text) {
        Some((name, value)) => (Some(name), value),
        None => (None, text),
    };
    if let Some(maps) = call.einsum(value) {
        call.session.see(text);
        return Some(maps.map_err(|error| argument.blame(error)).and_then(|maps| {
            let is_one = maps.len() == 1;
            maps.into_iter().try_for_each(|(array, map)| {
                let map = parse_map(&map)
                    .map_err(|error| argument.blame(Error { span: None, ..error }))?;
                call.session.see_access(Access::of_result(&array, name, &map));
                let mut output = answered(call, &map)?;
                if let (Some(name), true) = (name, is_one) {
                    let map = call.session.last.clone().unwrap_or_else(|| map.clone());
                    call.session.name(name.to_owned(), map);
                }
                let mut text = Text::of(Role::Name, format!("reads {array}: "));
                text.append(output.text);
                output.text = text;
                call.emit(output);
                Ok(())
            })
        }));
    }
    let array = call.array(value)?;
    call.session.see(text);
    Some(array.map_err(|error| argument.blame(error)).and_then(|array| {
        let mut output = answered(call, &array.map)?;
        if let Some(name) = name {
            let map = call.session.last.clone().unwrap_or_else(|| array.map.clone());
            call.session.name(name.to_owned(), map);
            let Array { is_torch, item, strides, .. } = array;
            call.session.views.insert(name.to_owned(), View { is_torch, item, strides });
            output = output.of_name(name);
        }
        call.emit(output);
        Ok(())
    }))
}

/// Returns the lines for `x = np.zeros((4, 6)); x.T[1:3]`, for `x.T[1:3] with x of shape (4, 6)`, and for a question about an
/// array.
fn lines_of_array(call: &Call<'_>, text: &str) -> Option<Vec<String>> {
    if let Some(Ok(Array { asked: Some(line), .. })) = call.array(text) {
        return Some(vec![line]);
    }
    if let Some(line) = compared(call, text).or_else(|| shape_of_einsum(call, text)) {
        return Some(vec![line]);
    }
    let parts = split(text, 0..text.len(), Class::Semicolon).into_iter().map(|span| &text[span]);
    let parts: Vec<&str> = parts.map(str::trim).filter(|part| !part.is_empty()).collect();
    if let [first, .., last] = parts[..] {
        let is_array = || call.array(assignment(first)?.1)?.ok();
        let is_made = |part: &&str| assignment(part).is_some() || of_kernel(part).is_some();
        let is_asked = parts[..parts.len() - 1].iter().all(is_made) && asks(call.commands, last);
        return (is_asked || is_array().is_some()).then(|| {
            parts.into_iter().map(|part| of_kernel(part).unwrap_or(part.to_owned())).collect()
        });
    }
    None
}

/// Returns the sizes of the result of an einsum.
fn shape_of_einsum(call: &Call<'_>, text: &str) -> Option<String> {
    let maps = call.einsum(text.strip_suffix(".shape")?)?.ok()?;
    let map = parse_map(&maps.first()?.1).ok()?;
    let of_result = map.domain().variables().iter();
    let of_result = of_result.filter(|variable| variable.kind == VariableKind::Dimension);
    let sizes: Vec<String> =
        of_result.map(|variable| format!("{}", variable.bounds.hi() + 1)).collect();
    Some(format!("({})", sizes.join(", ")))
}

/// Returns a declaration of C as a line: `int x = blockIdx.x`, `__shared__ float s[32]`.
fn of_kernel(part: &str) -> Option<String> {
    let line = format!("{part};");
    let is_typed = part.split_once('=').and_then(|(head, _)| head.trim().rsplit_once(' '));
    let is_typed = is_typed.is_some_and(|(kind, name)| {
        is_name(name) && kind.split(' ').all(|word| affinor_code::is_type(word) || word == "const")
    });
    (is_typed || declared(&line).is_some()).then_some(line)
}

/// Returns whether a text is a question, in English or with a command.
fn asks(commands: Commands, text: &str) -> bool {
    let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
    let is_command =
        commands.named(word).is_some() && !crate::bare::is_no_argument(&text[word.len()..]);
    let is_called = numbers::only_call(text).is_some_and(|(head, _)| !head.contains(' ')); // `max(i, 3)` is a value
    is_command && !rest.is_empty() || !is_called && question::line(text).is_some()
}

/// Translates a comparison of two arrays that are made from the same one: `x.T.ravel() == x.ravel()`, `np.array_equal(..)`.
fn compared(call: &Call<'_>, text: &str) -> Option<String> {
    let is_equal =
        |name: &str| matches!(name.rsplit('.').next(), Some("array_equal" | "equal" | "allclose"));
    let called = numbers::only_call(text.trim_start_matches("assert "));
    let text = match called {
        Some((name, inner)) if is_equal(name) && name.contains('.') => inner,
        _ => {
            let text = text.trim_start_matches("assert ").trim_end_matches(".all()");
            numbers::only_call(text)
                .filter(|(name, _)| name.is_empty())
                .map_or(text, |(_, inner)| inner)
        }
    };
    let (left, right) = match listed(text)[..] {
        [left, right] if called.is_some() => (left, right),
        _ => text.split_once("==")?,
    };
    let origin = |side: &str| {
        let is_array = matches!(call.array(side), Some(Ok(Array { asked: None, .. })))
            || side.contains("arange(")
                && array::whole(side.trim(), &|_| None).is_some_and(|array| array.is_ok())
            || call.session.map(side.trim()).is_some();
        let mut found: Vec<String> = identifiers(side)
            .filter(|word| *word == "arange" || is_name(word) && call.session.map(word).is_some())
            .map(str::to_owned)
            .collect();
        found.dedup();
        is_array.then_some(found)
    };
    let (first, second) = (origin(left)?, origin(right)?);
    (first.len() == 1 && first == second)
        .then(|| format!("equal {} ; {}", left.trim(), right.trim()))
}

/// Returns the line for a text that ends with options of the line's own command: `banks s[t][0] --warp 16` for a declared
/// array.
pub fn with_options(paste: &Command, session: &Session, text: &str) -> Option<String> {
    let mut names = text.split(" --").skip(1).map(|rest| rest.split([' ', '=']).next());
    let is_other = |name: &str| paste.options.iter().all(|option| option.name != name);
    let line = names.any(|name| name.is_some_and(is_other)).then(|| line(session, text));
    line??.ok().filter(|line| line != text)
}
