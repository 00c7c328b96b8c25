//! Answers about code: its maps simplified, or a comparison decided at every point.

use crate::answered::answered;
use crate::arguments::Argument;
use crate::code::name_value;
use crate::failure::Failure;
use crate::foreign::declared;
use crate::option::C;
use crate::output::{Object, Output, Role, Text};
use crate::seen::Access;
use crate::table::Call;
use crate::verdict::{at, counterexample, reason, vacuous, verdict_status, verdict_text};
use crate::words::tuple;
use affinor::expr::{Domain, Expr, ExprError, IndexingMap};
use affinor::prove::{Counterexample, Verdict};
use affinor::text::ast::Relation;
use affinor::text::print_map;
use affinor_code::{Accessed, Comparison, Value};

/// Answers code: the value at its end or, if it has none, each value that it names.
pub fn answer(call: &mut Call<'_>, argument: &Argument) -> Result<(), Failure> {
    let code = call.code(argument, call.has(C))?;
    for (name, error) in &code.without_map {
        let is_gone =
            if call.session.forget_name(name) { ", and its former value is forgotten" } else { "" };
        match name.ends_with("[..]") {
            true => call.notice(format!("`{name}` is left out: {}", error.message)),
            false => call.notice(format!("`{name}` is not named{is_gone}: {}", error.message)),
        }
    }
    let mut said: Vec<String> = Vec::new();
    let mut values = code.values;
    if let (Some(last), Some(_), None) = (values.last_mut(), &code.function, code.relation) {
        last.name = code.function; // the name of a function represents its value
    }
    let has_end = values.iter().any(|value| value.name.is_none());
    for value in &mut values {
        // Repeated notes on accesses in one text are dropped.
        let is_access = value.access.is_some();
        value.notes.retain(|note| !is_access || !said.contains(note));
        said.extend(value.notes.iter().cloned());
    }
    for value in &values {
        match (code.relation, &value.name) {
            (_, Some(name)) if has_end => name_value(call, name, value, None),
            (Some(comparison), None) => judge(call, argument, value, comparison)?,
            _ => answer_value(call, argument, value)?,
        }
    }
    Ok(())
}

/// Keeps an access for the questions after the code.
fn see(call: &mut Call<'_>, argument: &Argument, access: &Accessed, map: &IndexingMap) {
    let head = format!("{}[", access.array);
    let mut statements = argument.text.split([';', '{', '}']);
    let declaration = statements.find_map(|statement| {
        let text = format!("{};", statement.trim());
        declared(&text).is_some_and(|of| of.name == access.array).then_some(text)
    });
    call.session.see_access(Access {
        is_read: access.is_read,
        is_written: access.is_written,
        is_bound: access.is_bound,
        declared: declaration.filter(|_| argument.text.contains(&head)),
        ..Access::of_map(&access.array, map.clone())
    });
}

fn answer_value(call: &mut Call<'_>, argument: &Argument, value: &Value) -> Result<(), Failure> {
    value.notes.iter().for_each(|note| call.notice(note));
    // Of several cases, only those with points are listed.
    let happens = |map: &&IndexingMap| {
        value.maps.len() == 1 || !call.are_empty(std::iter::once(map.domain()))
    };
    let maps: Vec<&IndexingMap> = value.maps.iter().filter(happens).collect();
    let maps = if maps.is_empty() { value.maps.iter().collect() } else { maps };
    let cases = maps.len();
    let advice = advice(value, cases);
    for (number, map) in maps.into_iter().enumerate() {
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
            for line in &advice {
                output.text.push(Role::Faint, format!("\n{line}"));
            }
            if let (Some(json), false) = (&mut output.json, advice.is_empty()) {
                json.insert("advice".to_owned(), advice.clone().into());
            }
        }
        if let Some(access) = &value.access {
            if number == 0 {
                value.maps.iter().for_each(|map| see(call, argument, access, map));
            }
            let at_most = if access.is_bound { " at most" } else { "" };
            let head = format!("{} {}{at_most}: ", access.verb(), access.array);
            let mut text = Text::of(Role::Name, head);
            text.append(output.text);
            output.text = text;
            if let Some(json) = &mut output.json {
                json.insert("array".to_owned(), access.array.clone().into());
                json.insert("reads".to_owned(), access.is_read.into());
                json.insert("writes".to_owned(), access.is_written.into());
                json.insert("exact".to_owned(), (!access.is_bound).into());
            }
        }
        if let Some(name) = &value.name {
            let last = call.session.last.clone();
            name_value(call, name, value, last);
            output = output.of_name(name);
        }
        call.emit(output);
    }
    Ok(())
}

/// Returns the explanation of an answer, and hints for more precise code.
fn advice(value: &Value, cases: usize) -> Vec<String> {
    let mut advice = Vec::new();
    if cases > 1 {
        advice.push(format!("{cases} maps: the conditions split the domain"));
    }
    if let (Some(name), None) = (&value.name, &value.whole) {
        advice.push(format!("`{name}` is not named: its maps have no common domain"));
    }
    if let Some(first) = value.unbounded.first() {
        let (names, have) = match value.unbounded.len() {
            1 => (first.clone(), "has"),
            _ => (value.unbounded.join(", "), "have"),
        };
        advice.push(format!("{names} {have} no bounds: add `, domain: {first} in [0, 9]` or `for {first} in range(10)`"));
    }
    advice
}

/// Decides whether the comparison holds at every point.
fn judge(
    call: &mut Call<'_>,
    argument: &Argument,
    code: &Value,
    comparison: Comparison,
) -> Result<(), Failure> {
    code.notes.iter().for_each(|note| call.notice(note));
    let mut verdict = Verdict::Proved;
    let mut domain = None;
    for map in &code.maps {
        let sides = sides(map, comparison);
        let (left, right) =
            sides.map_err(|error| argument.blame(crate::given::expr_error(error)))?;
        let found = call.equal_codes(&left, &right, &code.taken);
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
        return Err(argument.blame(affinor::text::Error::without_span(
            affinor::text::ErrorKind::Internal,
            "there is nothing to compare",
        )));
    };
    let domains = code.maps.iter().map(IndexingMap::domain);
    let is_vacuous = verdict == Verdict::Proved && call.are_empty(domains);
    let output = verdict_output(&verdict, map.domain(), comparison, is_vacuous);
    call.emit(output);
    Ok(())
}

fn verdict_output(
    verdict: &Verdict,
    domain: &Domain,
    comparison: Comparison,
    is_vacuous: bool,
) -> Output {
    let text = match verdict {
        _ if is_vacuous => vacuous(),
        Verdict::Refuted(found) if comparison == Comparison::Holds => {
            let at = at(&found.point, domain);
            let at = at.trim().trim_end_matches(',');
            Text::of(Role::Bad, "refuted").plain(format!(": false {at}"))
        }
        Verdict::Refuted(Counterexample { point, left: Some(left), right: Some(right) }) => {
            let (at, left, right) = (at(point, domain), tuple(left), tuple(right));
            let bare = |side: &str| side.trim_matches(['(', ')']).to_owned();
            let sides =
                format!(": {at}the left side is {}, the right side {}", bare(&left), bare(&right));
            Text::of(Role::Bad, "refuted").plain(sides)
        }
        _ => verdict_text(verdict, domain),
    };
    let json = Object::new()
        .with("verdict", verdict.word())
        .with_some("vacuous", is_vacuous.then_some(true))
        .with_some("counterexample", counterexample(verdict, domain))
        .with_some("reason", reason(verdict));
    Output::new(text, json).status(verdict_status(verdict))
}

/// Replaces the values of the compared maps by the two sides of the comparison at the point.
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

/// Returns two maps that are equal functions iff the comparison holds everywhere: `x <= y` is `max(x - y, 0) = 0`.
fn sides(
    map: &IndexingMap,
    comparison: Comparison,
) -> Result<(IndexingMap, IndexingMap), ExprError> {
    let one = Expr::constant(1);
    let (x, y) = match (comparison, map.results()) {
        (Comparison::Holds, [x]) => (x, &one),
        (_, [x, y]) => (x, y),
        _ => return Err(ExprError::TooLarge),
    };
    let zero = || Expr::constant(0);
    let excess = |x: &Expr, y: &Expr, more: i64| {
        let difference = Expr::sum(more, [(1, x.clone()), (-1, y.clone())])?;
        Ok((Expr::max([difference, zero()])?, zero()))
    };
    let (left, right) = match comparison {
        Comparison::Is(Relation::Equal) | Comparison::Holds => (x.clone(), y.clone()),
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
