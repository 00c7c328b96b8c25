//! `fits`: do the values of a map fit in a machine's integer, and each part of it as written?

use super::bare::is_map;
use super::failure::Failure;
use super::option::{C, Flag, Setting, bits};
use super::output::{Object, Output, Role, Status, Text};
use super::table::{Call, Command, Kind, Parameter};
use super::verdict::{at, point_object};
use affinor::expr::{Domain, Expr, ExprKind, IndexingMap, VariableKind};
use affinor::num::gcd;
use affinor::prove::{Fit, Verdict, ends, equal_functions, fits, is_empty};
use affinor::text::{
    ErrorKind, Style, parse_map, parse_parts, print_expr, print_map, variable_names,
};
use affinor_code::Code;
use serde_json::Value;

const BITS: Setting<u32> =
    Setting::new("bits", "BITS", "bits of the integer, 2 to 64 (default 32)", bits);

const UNSIGNED: Flag = Flag::new("unsigned", "the integer has no sign");

pub const FITS: Command = Command {
    name: "fits",
    parameters: &[Parameter::required("MAP", Kind::Map)],
    options: &[BITS.switch, UNSIGNED.switch, C.switch],
    summary: "decide whether the results of MAP, and all parts as written, fit in 32 bits, and where not",
    details: "Parts are the operations as they are written, sums from the left; of a map that has a name, and of code, those of the\n\
              map as it is printed. Each is proved to fit at all points, or a point is given at which it does not. Of a map\n\
              with one parameter it is also said up to which value of it all fit; of one with several, a condition on them is\n\
              given with which no value leaves on that side, where one is found. Where a result fits and a part does not, a\n\
              form is given of which all parts fit, if simplifying finds one.",
    example: &[
        "fits (x) -> (67108864 * x - 67108864 * 32), domain: x in [32, 40]",
        "fits <n>(i, j) -> (i * n + j), domain: n in [1, inf], i in [0, n - 1], j in [0, n - 1]",
    ],
    makes_map: false,
    run,
};

/// A part as it is written, and its result.
struct Part {
    text: String,
    result: usize,
    value: Expr,
}

fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    let argument = call.argument(0)?.clone();
    let map = call.map(&argument)?;
    let bits = call.value(&BITS)?.unwrap_or(32);
    let is_unsigned = call.has(UNSIGNED);
    let within = match is_unsigned {
        true => [0, (1 << bits) - 1],
        false => [-(1 << (bits - 1)), (1 << (bits - 1)) - 1],
    };
    let within = within.map(Some);
    let budget = call.proof_budget();
    let as_given = if is_map(&argument.text) { parts(&argument.text) } else { None };
    let mut written = as_given.or_else(|| parts_printed(&map)).ok_or_else(|| {
        argument.wrong(ErrorKind::TooLarge, "the parts of the map are too many, or too large")
    })?;
    let wraps = |code: Code| code.values.iter().any(|value| value.wraps);
    if call.is_code(&argument) && call.code(&argument, call.has(C)).is_ok_and(wraps) {
        written.retain(|part| !is_wrapping(&part.value));
    }
    let decide = |map: &IndexingMap, parts: &[Part]| {
        let values: Vec<Expr> = parts.iter().map(|part| part.value.clone()).collect();
        fits(map.domain(), &values, within, &budget)
    };
    let results = all_fit(&fits(map.domain(), map.results(), within, &budget));
    let found = decide(&map, &written);
    let of_parts = all_fit(&found);
    call.go_on()?;
    let width = format!("{bits} bits{}", if is_unsigned { " without sign" } else { "" });
    let mut text = headline(results, of_parts, &width);
    if results == Some(true) && is_empty(map.domain(), &budget) == Verdict::Proved {
        text.push(Role::Doubtful, ", but no values meet the conditions");
    }
    let (mut leaves, mut unknown) = (Vec::new(), Vec::new());
    for (part, fit) in written.iter().zip(&found) {
        match fit {
            Fit::Always => {}
            Fit::Unknown => {
                text.push(Role::Doubtful, format!("\n  `{}` may leave them", part.text));
                unknown.push(part.text.as_str());
            }
            Fit::Leaves { value, point, up_to } => {
                let (words, json) = left(part, *value, point, *up_to, map.domain());
                text.append(words);
                let condition = match up_to {
                    None => fits_where(call, &map, part, *value, within),
                    Some(_) => None,
                };
                if let Some(said) = &condition {
                    text.push(Role::Plain, format!("; it fits where {said}"));
                }
                leaves.push(json.with_some("fits_where", condition));
            }
        }
    }
    let mut json = Object::new()
        .with("bits", bits)
        .with("signed", !is_unsigned)
        .with("results_fit", results)
        .with("parts_fit", of_parts)
        .with("leaves", leaves)
        .with("unknown", unknown);
    if results == Some(true) && of_parts == Some(false) {
        let simple = call.simplifier()?.simplify(&map, &call.search_options()?).map;
        let forms = [factored(&map), print_map(&simple, Style::Plain), factored(&simple)];
        let is_equal =
            |form: &IndexingMap| equal_functions(form, &map, &budget) == Ok(Verdict::Proved);
        let mut fitting = forms.into_iter().filter(|form| {
            parse_map(form).is_ok_and(|form| is_equal(&form))
                && parts(form).is_some_and(|parts| all_fit(&decide(&map, &parts)) == Some(true))
        });
        if let Some(form) = fitting.next() {
            text.push(Role::Plain, "\nall parts fit of ");
            text.push(Role::Formula, form.as_str());
            json = json.with("fitting", form);
        }
    }
    let status = match (results, of_parts) {
        (Some(true), Some(true)) => Status::Done,
        (Some(false), _) | (_, Some(false)) => Status::Wrong,
        _ => Status::Undecided,
    };
    call.emit(Output::new(text, json).status(status));
    Ok(())
}

/// Is it the remainder by 2^32 that an unsigned type takes, or this number?
fn is_wrapping(value: &Expr) -> bool {
    let modulus = match value.kind() {
        ExprKind::Mod(_, divisor) => divisor.as_integer(),
        ExprKind::Constant(value) => Some(*value),
        _ => None,
    };
    modulus == Some(1 << 32)
}

fn all_fit(fits: &[Fit]) -> Option<bool> {
    if fits.iter().any(|fit| matches!(fit, Fit::Leaves { .. })) {
        return Some(false);
    }
    fits.iter().all(|fit| *fit == Fit::Always).then_some(true)
}

fn headline(results: Option<bool>, parts: Option<bool>, width: &str) -> Text {
    let (role, said) = match (results, parts) {
        (Some(true), Some(true)) => {
            (Role::Good, format!("proved: every result and every part fits in {width}"))
        }
        (Some(true), Some(false)) => {
            (Role::Bad, format!("every result fits in {width}, but not every part as written"))
        }
        (Some(true), None) => {
            (Role::Doubtful, format!("every result fits in {width}; of the parts it is unknown"))
        }
        (Some(false), _) => (Role::Bad, format!("not every result fits in {width}")),
        (None, Some(false)) => (Role::Bad, format!("not every part as written fits in {width}")),
        (None, _) => (Role::Doubtful, format!("unknown whether every value fits in {width}")),
    };
    Text::of(role, said)
}

/// A condition on sizes with which a part fits on the side on which a value left: that its end in terms of these does.
fn fits_where(
    call: &Call<'_>,
    map: &IndexingMap,
    part: &Part,
    value: i128,
    within: [Option<i128>; 2],
) -> Option<String> {
    let domain = map.domain();
    domain.ids(VariableKind::Parameter).next()?;
    let one = IndexingMap::new(domain.clone(), vec![part.value.clone()]);
    let [lower, upper] = ends(&one, &one.ranges(), &call.proof_budget()).pop()?;
    let names = variable_names(domain);
    let shown = |end: Expr| print_expr(&end, &names, call.session.style);
    let is_above = within[1].is_some_and(|most| value > most);
    let (end, sign, limit) =
        if is_above { (upper, "<=", within[1]) } else { (lower, ">=", within[0]) };
    let end = end.filter(|end| end.as_constant().is_none())?;
    Some(format!("{} {sign} {}", shown(end), limit?))
}

/// What is said of a part that leaves.
fn left(
    part: &Part,
    value: i128,
    point: &[i64],
    up_to: Option<i64>,
    domain: &Domain,
) -> (Text, Object) {
    let mut text = Text::new().plain("\n  ").with(Role::Formula, part.text.as_str());
    text.push(Role::Plain, format!(" is {value} {}", at(point, domain)).trim_end());
    let size = domain.ids(VariableKind::Parameter).next().map(|id| &domain.variables()[id.index()]);
    if let Some((size, up_to)) = size.zip(up_to) {
        let said = match size.bounds.lo() > up_to {
            true => format!("; it fits for no {}", size.name),
            false => format!("; it fits for {} <= {up_to}", size.name),
        };
        text.push(Role::Plain, said);
    }
    let number = i64::try_from(value).map_or_else(|_| value.to_string().into(), Value::from);
    let json = Object::nested()
        .with("part", part.text.as_str())
        .with("result", part.result)
        .with("value", number)
        .with("point", point_object(point, domain))
        .with_some("fits_up_to", up_to);
    (text, json)
}

/// The map as text in which the common factor of each sum that is a result stands before it: `64 * (x - 32)`.
fn factored(map: &IndexingMap) -> String {
    let names = variable_names(map.domain());
    let mut text = print_map(map, Style::Plain);
    for result in map.results() {
        let factored = || {
            let ExprKind::Sum(sum) = result.kind() else {
                return None;
            };
            let numbers = sum.terms().iter().map(|(factor, _)| *factor).chain([sum.constant()]);
            let common = numbers.into_iter().try_fold(0, gcd).filter(|common| *common > 1)?;
            let terms = sum.terms().iter().map(|(factor, x)| (factor / common, x.clone()));
            let rest = Expr::sum(sum.constant() / common, terms).ok()?;
            Some(format!("{common} * ({})", print_expr(&rest, &names, Style::Plain)))
        };
        if let Some(factored) = factored() {
            text = text.replacen(&print_expr(result, &names, Style::Plain), &factored, 1);
        }
    }
    text
}

/// The parts as written; `None` for a text whose parts are not told.
fn parts(text: &str) -> Option<Vec<Part>> {
    let mut parts: Vec<Part> = Vec::new();
    for part in parse_parts(text).ok()? {
        let shown = text.get(part.span)?;
        let is_known = |other: &Part| other.value == part.value && other.text == shown;
        if !parts.iter().any(is_known) {
            parts.push(Part { text: shown.to_owned(), result: part.result, value: part.value });
        }
    }
    Some(parts)
}

/// The parts of a map as it is printed.
fn parts_printed(map: &IndexingMap) -> Option<Vec<Part>> {
    parts(&print_map(map, Style::Plain))
}
