//! Answers about code: its maps simplified, or a comparison judged at every point.

use super::answered::answered;
use crate::command::arguments::Argument;
use crate::command::failure::Failure;
use crate::command::given::code_of;
use crate::command::option::C;
use crate::command::output::{Object, Output, Role, Text};
use crate::command::table::Call;
use crate::command::verdict::{at, counterexample, reason, vacuous, verdict_status, verdict_text};
use crate::command::words::tuple;
use crate::expr::{Domain, Expr, ExprError, IndexingMap};
use crate::prove::{self, Counterexample, Verdict};
use crate::text::ast::Relation;
use crate::text::code::{Code, Comparison};
use crate::text::print_map;

/// Answers code.
pub fn answer(call: &mut Call<'_>, argument: &Argument) -> Result<(), Failure> {
    let code = code_of(call, argument, call.has(C))?;
    if let Some(comparison) = code.relation {
        return judge(call, argument, &code, comparison);
    }
    let notes = notes(&code);
    let cases = code.maps.len();
    for (number, map) in code.maps.iter().enumerate() {
        let mut output = answered(call, map)?;
        let read = print_map(map, call.session.style);
        if !output.text.to_string().starts_with(&read) {
            output.text.push(Role::Faint, format!("\nread as {read}"));
        }
        if let (Some(json), true) = (&mut output.json, cases > 1) {
            json.insert("case".to_owned(), (number + 1).into());
            json.insert("cases".to_owned(), cases.into());
        }
        if number + 1 == cases {
            for note in &notes {
                output.text.push(Role::Faint, format!("\n{note}"));
            }
            if let (Some(json), false) = (&mut output.json, notes.is_empty()) {
                json.insert("notes".to_owned(), notes.clone().into());
            }
        }
        if let (Some(name), 1) = (&code.name, cases) {
            let last = call.session.last.clone();
            call.session
                .name(name.clone(), last.unwrap_or_else(|| map.clone()));
            let mut text = Text::of(Role::Name, name).plain(" = ");
            text.append(output.text);
            output.text = text;
            output.number = None;
        }
        call.emit(output);
    }
    Ok(())
}

/// What was assumed, and how to say more.
fn notes(code: &Code) -> Vec<String> {
    let mut notes = code.notes.clone();
    if code.maps.len() > 1 {
        notes.insert(
            0,
            format!("{} maps: the conditions split the domain", code.maps.len()),
        );
    }
    if let Some(first) = code.unbounded.first() {
        let (names, have) = match code.unbounded.len() {
            1 => (first.clone(), "has"),
            _ => (code.unbounded.join(", "), "have"),
        };
        notes.push(format!("{names} {have} no bounds: add `, domain: {first} in [0, 9]` or `for {first} in range(10)`"));
    }
    notes
}

/// Whether the comparison holds at every point.
fn judge(
    call: &mut Call<'_>,
    argument: &Argument,
    code: &Code,
    comparison: Comparison,
) -> Result<(), Failure> {
    let budget = call.proof_budget();
    let mut verdict = Verdict::Proved;
    let mut domain = None;
    for map in &code.maps {
        let sides = sides(map, comparison);
        let (left, right) =
            sides.map_err(|error| argument.blame(crate::command::given::expr_error(error)))?;
        let found = prove::equal_functions(&left, &right, &budget);
        let found = call.uninterrupted(found.map_err(|error| argument.blame(error))?)?;
        let is_graver = matches!(
            (&verdict, &found),
            (_, Verdict::Refuted(_)) | (Verdict::Proved, Verdict::Unknown(_))
        );
        if is_graver {
            domain = Some(map);
            verdict = match found {
                Verdict::Refuted(found) => Verdict::Refuted(with_sides(map, found)),
                other => other,
            };
        }
        if matches!(verdict, Verdict::Refuted(_)) {
            break;
        }
    }
    let Some(map) = domain.or(code.maps.first()) else {
        return Err(argument.blame(crate::text::Error::without_span(
            crate::text::ErrorKind::Internal,
            "there is nothing to compare",
        )));
    };
    let domains = code.maps.iter().map(IndexingMap::domain);
    let is_vacuous = verdict == Verdict::Proved && call.are_empty(domains);
    let output = verdict_output(&verdict, map.domain(), code, is_vacuous);
    call.emit(output);
    Ok(())
}

fn verdict_output(verdict: &Verdict, domain: &Domain, code: &Code, is_vacuous: bool) -> Output {
    let mut text = match verdict {
        _ if is_vacuous => vacuous(),
        Verdict::Refuted(Counterexample {
            point,
            left: Some(left),
            right: Some(right),
        }) => {
            let (at, left, right) = (at(point, domain), tuple(left), tuple(right));
            let bare = |side: &str| side.trim_matches(['(', ')']).to_owned();
            let sides = format!(
                ": {at}the left side is {}, the right side {}",
                bare(&left),
                bare(&right)
            );
            Text::of(Role::Bad, "refuted").plain(sides)
        }
        _ => verdict_text(verdict, domain),
    };
    for note in &code.notes {
        text.push(Role::Faint, format!("\n{note}"));
    }
    let mut json = Object::new()
        .with("verdict", verdict.word())
        .with_some("vacuous", is_vacuous.then_some(true))
        .with_some("counterexample", counterexample(verdict, domain))
        .with_some("reason", reason(verdict));
    if !code.notes.is_empty() {
        json = json.with("notes", &code.notes);
    }
    Output::new(text, json).status(verdict_status(verdict))
}

/// The two sides at the point, not what they were compared by.
fn with_sides(map: &IndexingMap, found: Counterexample) -> Counterexample {
    match map.eval(&found.point).as_deref() {
        Ok([left, right]) => Counterexample {
            point: found.point,
            left: Some(vec![*left]),
            right: Some(vec![*right]),
        },
        _ => found,
    }
}

/// Two maps that are the same function where the comparison holds everywhere: `x <= y` is `max(x - y, 0) = 0`.
fn sides(
    map: &IndexingMap,
    comparison: Comparison,
) -> Result<(IndexingMap, IndexingMap), ExprError> {
    let [x, y] = map.results() else {
        return Err(ExprError::TooLarge);
    };
    let zero = || Expr::constant(0);
    let excess = |x: &Expr, y: &Expr, more: i64| {
        let difference = Expr::sum(more, [(1, x.clone()), (-1, y.clone())])?;
        Ok((Expr::max([difference, zero()])?, zero()))
    };
    let (left, right) = match comparison {
        Comparison::Is(Relation::Equal) => (x.clone(), y.clone()),
        Comparison::Is(Relation::LessEqual) => excess(x, y, 0)?,
        Comparison::Is(Relation::Less) => excess(x, y, 1)?,
        Comparison::Is(Relation::GreaterEqual) => excess(y, x, 0)?,
        Comparison::Is(Relation::Greater) => excess(y, x, 1)?,
        Comparison::Differs => {
            let apart = Expr::max([x.sub(y)?, y.sub(x)?])?;
            (Expr::min([apart, Expr::constant(1)])?, Expr::constant(1))
        }
    };
    let of = |result: Expr| IndexingMap::new(map.domain().clone(), vec![result]);
    Ok((of(left), of(right)))
}
