//! Kernel code as index maps: expressions, lambdas and functions of Python, C, CUDA and Triton.
//!
//! In order: `types`, `functions`, `token`, `number`, `parse`, `primary`, `broadcast`, `calls`, `program`, `several`, `statements`,
//! `blocks` and `bounds` build a tree; `kernel` and its statements (`access`, `changes`, `induction`, `trips`, `rounds`, `while_loop`,
//! `do_loop`, `stepped`, `pointers`, `placed`) find the accesses of loops, and `order` why their iterations may have one; `names`, `kinds` and `variables` classify its names; `cases`, `arithmetic`,
//! `bits`, `choose`, `combine`, `widths`, `lower` and `operations` give its conditions and operations their meaning; `unsigned` and `reading`
//! turn the values (`value`) into maps. The syntax tree and the expressions are shared with maps; only this folder knows the
//! languages. docs/code.md describes the meaning of code.
//!
//! Law: on its domain, each map has the values of the code, over mathematical integers; the domains of the maps for one text
//! exclude each other, and together cover all points that its bounds admit. Code without an exact map is an error.

mod access;
mod arithmetic;
pub mod bits;
mod blocks;
mod bounds;
mod broadcast;
mod calls;
mod cases;
mod changes;
mod choose;
mod combine;
mod do_loop;
mod extent;
mod functions;
mod induction;
mod intervals;
mod kernel;
mod kernel_head;
mod kernel_statement;
mod kinds;
mod lower;
mod macros;
mod memory;
mod names;
mod number;
mod operations;
mod order;
mod parse;
mod placed;
mod pointers;
mod primary;
mod program;
mod reading;
mod rounds;
mod several;
mod statements;
mod stepped;
mod token;
mod tokens;
mod trips;
mod types;
mod unsigned;
mod value;
mod variables;
mod while_loop;
mod widths;

pub use kinds::{is_builtin, taken_of_cuda};
pub use order::{Loop, Order, order};
pub use token::{goes_on, is_condition_word, is_sign};
pub use tokens::MAX_BYTES;
pub use types::{Type, is_type, is_wide};
pub use value::{Accessed, Assumed, Comparison, Known, Named, Taken, Value};

use affinor_maps::expr::{Expr, IndexingMap, VariableId, VariableKind};
use affinor_maps::text::ast::{NodeId, Term};
use affinor_maps::text::token::excerpt;
use affinor_maps::text::{Error, ErrorKind};
use broadcast::Axes;
use kinds::Kinds;
use names::known_along;
pub use reading::NO_POINT;
use reading::Text;
use variables::{Found, Part, Variables};

/// Code as maps.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Code {
    /// The values of the names in the text, and the value at its end, which has no name.
    pub values: Vec<Value>,
    /// The assigned names whose values have no map, each with the reason.
    pub without_map: Vec<(String, Error)>,
    /// The relation, if the last value is a comparison; its sides are the two results of each map.
    pub relation: Option<Comparison>,
    /// The name of the function that the last value is the result of.
    pub function: Option<String>,
}

/// Parses code. If it `truncates`, it is C, and `/` and `%` round toward zero. A name that is `known` represents a value.
///
/// # Errors
/// One [`Error`] at its position in `text`.
pub fn read(text: &str, truncates: bool, known: Known) -> Result<Code, Error> {
    let known: Known = &|name| known_along(known, name);
    let mut text = Text::parse(text, truncates, known)?;
    text.forget_masks(known);
    let text = text;
    let kinds = Kinds::of(&[&text.program], known);
    let (mut named, mut without_map) = (Vec::new(), Vec::new());
    let value_of = |ends: &[NodeId], is_end: bool| {
        let variables = text.variables(ends, &kinds, known);
        let mut axes = Axes::default();
        axes.add(&text.program, ends, &variables)?;
        Ok(Value { axes: axes.into_list(), ..text.value(ends, &variables, is_end)? })
    };
    let accesses = &text.program.accesses;
    for access in accesses {
        let of = Accessed {
            array: access.array.trim_end().to_owned(),
            is_read: access.is_read,
            is_written: access.is_written,
            is_bound: access.is_bound,
        };
        let read = match access.indices[..] {
            [] => {
                let message = "its index depends on memory or on earlier iterations";
                Err(Error::new(ErrorKind::Unsupported, access.span.clone(), message))
            }
            _ => value_of(&access.indices, true),
        };
        match read {
            Ok(value) => named.push(Value { access: Some(of), ..value }),
            Err(error) if accesses.len() == 1 => return Err(error),
            Err(error) => without_map.push((format!("{}[..]", access.array), error)),
        }
    }
    if !accesses.is_empty() {
        if !named.is_empty() {
            return Ok(Code { values: named, without_map, relation: None, function: None });
        }
        // The error of an access that never happens gives way to that of an unknown access.
        let is_unknown = |(_, error): &(String, Error)| error.kind != ErrorKind::Domain;
        let at = without_map.iter().position(is_unknown).unwrap_or(0);
        return Err(without_map.swap_remove(at).1);
    }
    for (name, value) in &text.program.named {
        match value_of(&[*value], false) {
            Ok(value) => named.push(Value { name: Some((*name).to_owned()), ..value }),
            Err(error) => without_map.push(((*name).to_owned(), error)),
        }
    }
    match &text.results[..] {
        // Names without a map are an error only if no name has a map.
        [] if named.is_empty() => {
            if let Some((_, error)) = without_map.pop() {
                return Err(error);
            }
        }
        [] => {}
        ends => named.push(value_of(ends, true)?),
    }
    let function = text.program.function.map(str::to_owned);
    Ok(Code { values: named, without_map, relation: text.relation, function })
}

/// Parses two texts that are compared: a name has the same kind in both, and each value has the variables of both. A variable
/// that is in only one text has its bounds in the other, too.
///
/// # Errors
/// One [`Error`] at its position, with the number of the text.
pub fn read_two(
    texts: [&str; 2],
    truncates: bool,
    known: Known,
) -> Result<[Code; 2], (usize, Error)> {
    let known: Known = &|name| known_along(known, name);
    let parse = |number: usize| {
        let text = Text::parse(texts[number], truncates, known);
        text.map_err(|error| (number, error))
    };
    let mut texts = [parse(0)?, parse(1)?];
    let called = texts[1].with_parameters_of(&texts[0], known).map_err(|error| (1, error))?;
    let by_position = called.map(|text| std::mem::replace(&mut texts[1], text));
    let programs = [&texts[0].program, &texts[1].program];
    let kinds = Kinds::of(&programs, known);
    let used = [0, 1].map(|number| {
        let text: &Text = &texts[number];
        text.used(&text.results)
    });
    let parts = [0, 1].map(|number| (programs[number], &used[number][..]));
    let mut axes = Axes::default(); // shared: a vector along another dimension is another index
    let mut code = |number: usize, parts: &[Part]| -> Result<Code, (usize, Error)> {
        let variables = Variables::of(parts, &kinds, known);
        let text = &texts[number];
        if let [first, .., last] = &text.program.accesses[..] {
            return Err((number, several(first.array, last.array, last.span.clone())));
        }
        if text.results.is_empty() {
            let message = "expected a value, found an assignment";
            let error = Error::new(ErrorKind::Syntax, 0..text.text.len(), message);
            return Err((number, error.hint("two values are compared with `==`")));
        }
        let value = axes
            .add(&text.program, &text.results, &variables)
            .and_then(|()| text.value(&text.results, &variables, true));
        Ok(Code {
            values: vec![value.map_err(|error| (number, error))?],
            without_map: Vec::new(),
            relation: text.relation,
            function: None,
        })
    };
    let (mut first, mut second) = (code(0, &parts)?, code(1, &parts)?);
    // A bare name is that variable on the domain of the other text.
    let is_name = [0, 1].map(|number| {
        let text: &Text = &texts[number];
        matches!(text.results[..], [only] if text.is_free_name(only, known))
    });
    // Bounds after only one of the texts apply to both.
    let own = [0, 1].map(|number| Variables::of(&[parts[number]], &kinds, known));
    let takes_bounds = [0, 1].map(|number| {
        let (text, other): (&Text, &Text) = (&texts[number], &texts[1 - number]);
        let is_free = own[number].values.is_empty() && !text.has_bounds();
        !is_name[number] && is_free && !other.program.conditions.is_empty()
    });
    let own = [0, 1].map(|number| match is_name[number] || takes_bounds[number] {
        true => &[][..],
        false => &own[number].list,
    });
    first.bound_by(&second, own[0]);
    second.bound_by(&first, own[1]);
    for (number, code) in [&mut first, &mut second].into_iter().enumerate() {
        if is_name[number] || takes_bounds[number] {
            let shown = excerpt(texts[number].text.trim());
            let note = format!("`{shown}` is taken where the other text is defined");
            code.values.iter_mut().for_each(|value| value.notes.push(note.clone()));
        }
    }
    if let Some(before) = by_position {
        let listed = |text: &Text| text.program.arguments.join(", ");
        let note = format!(
            "the parameters are matched by position: `{}` of the second are `{}` of the first",
            listed(&before),
            listed(&texts[0])
        );
        second.values.iter_mut().for_each(|value| value.notes.push(note.clone()));
    }
    Ok([first, second])
}

/// Returns the error for code with several accesses if a single value is expected.
fn several(first: &str, last: &str, span: affinor_maps::text::Span) -> Error {
    let message = format!("expected one access, found those to `{first}` and `{last}`");
    let error = Error::new(ErrorKind::Unsupported, span, message);
    error
        .hint("type the code alone in a line, and compare the maps of its answers: `equal _1 ; _2`")
}

impl Code {
    /// Gives each variable that is not among `own` its bounds in the other text.
    fn bound_by(&mut self, other: &Code, own: &[Found]) {
        let mut wholes = other.values.iter().filter_map(|value| value.whole.as_ref());
        let Some(domain) = wholes.next_back().map(IndexingMap::domain) else {
            return;
        };
        let is_own = |id: &VariableId| {
            let variable = domain.variables().get(id.index());
            variable.is_none_or(|variable| own.iter().any(|found| *found.name == *variable.name))
        };
        let bounded = |map: &IndexingMap| {
            let numbered = (0..).map(VariableId).zip(domain.variables());
            let strange = numbered.filter(|(id, _)| !is_own(id));
            let map = strange.fold(map.clone(), |map, (id, variable)| {
                map.restricted(&Expr::variable(id), variable.bounds)
            });
            let constraints = domain.constraints().iter();
            // A constraint between an index of this text and a size of the other text is not adopted.
            let is_size = |id: &VariableId| {
                let variable = domain.variables().get(id.index());
                variable.is_some_and(|variable| variable.kind == VariableKind::Parameter)
            };
            let strange = constraints.filter(|c| {
                let variables = c.expr.variables();
                let mut others = variables.iter().filter(|id| !is_own(id));
                match variables.iter().all(is_size) {
                    true => others.next().is_some(),
                    false => others.any(|id| !is_size(id)),
                }
            });
            strange.fold(map, |map, c| map.restricted(&c.expr, c.bounds))
        };
        for value in &mut self.values {
            value.maps = value.maps.iter().map(bounded).collect();
            value.whole = value.whole.as_ref().map(bounded);
        }
    }
}

/// Returns whether the text has a part that only C has: a suffix, a word of a type, `&&`, `||`, `?`.
#[must_use]
pub fn is_evidently_c(text: &str) -> bool {
    tokens::Tokens::new(text).is_ok_and(|tokens| {
        (0..tokens.len()).map(|at| tokens.ahead(at)).any(|token| match token.class {
            token::Class::Integer => number::type_of(token) != Type::Plain,
            token::Class::Name => is_type(token.text) || token.text == "static_cast",
            _ => matches!(token.text, "&&" | "||" | "?"),
        })
    })
}

/// Parses one expression, which may be a condition or a call, to the end of the text. Its names and operations get no meaning.
///
/// # Errors
/// One [`Error`] at its position in `text`.
pub fn expression(text: &str) -> Result<Term<'_>, Error> {
    let mut parser = parse::Parser::new(tokens::Tokens::new(text)?);
    let root = parser.choice()?;
    match parser.tokens.is_end() {
        true => Ok(parser.terms.finish(root)),
        false => Err(parser.tokens.unexpected("an operator or the end of the expression")),
    }
}
