//! Decides whether the values of a map, and of each part of it as written, fit in a machine integer.
//!
//! `fits` answers this for a map; commands that answer with a map, or compare maps, add it with `--bits`.

use super::arguments::Argument;
use super::bare::is_map;
use super::failure::Failure;
use super::option::{C, Flag, Setting, bits};
use super::output::{Object, Role, Status, Text};
use super::table::Call;
use super::verdict::{at, point_object};
use affinor::expr::{Domain, Expr, ExprKind, IndexingMap, VariableKind};
use affinor::num::gcd;
use affinor::prove::{Fit, Verdict, ends, equal_functions, fits, is_empty};
use affinor::text::{
    ErrorKind, Style, parse_map, parse_parts, print_expr, print_map, variable_names,
};
use affinor_code::Code;
use serde_json::Value;
use std::fmt;

pub(super) const BITS: Setting<u32> = Setting::new(
    "bits",
    "BITS",
    "decide whether all parts of the map fit in an integer of this many bits, 2 to 64",
    bits,
);

pub(super) const UNSIGNED: Flag = Flag::new("unsigned", "with --bits, the integer has no sign");

/// An integer type.
#[derive(Clone, Copy)]
pub(super) struct Width {
    pub bits: u32,
    pub is_unsigned: bool,
}

impl Width {
    /// Returns the minimum and the maximum of the type.
    fn within(self) -> [i128; 2] {
        match self.is_unsigned {
            true => [0, (1 << self.bits) - 1],
            false => [-(1 << (self.bits - 1)), (1 << (self.bits - 1)) - 1],
        }
    }
}

impl fmt::Display for Width {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bits{}", self.bits, if self.is_unsigned { " without sign" } else { "" })
    }
}

/// A part as written, with the result that contains it.
struct Part {
    text: String,
    result: usize,
    value: Expr,
}

/// The parts of a map as written.
pub(super) struct Parts(Vec<Part>);

/// Whether a map fits: as text, as fields of an object, and as a status.
pub(super) struct Fitted {
    pub text: Text,
    pub json: Object,
    pub status: Status,
}

impl Fitted {
    /// Returns the text as an answer of its own.
    pub(super) fn stated(&self) -> Text {
        let mut text = Text::new();
        if self.status == Status::Done {
            text.push(Role::Good, "proved: ");
        }
        text.append(self.text.clone());
        text
    }
}

impl Call<'_> {
    /// Returns the type given by `--bits` and `--unsigned`; `None` if neither is given.
    ///
    /// # Errors
    /// If `--bits` is not a number of bits, or is missing beside `--unsigned`.
    pub(super) fn width(&self) -> Result<Option<Width>, Failure> {
        let is_unsigned = self.has(UNSIGNED);
        match self.value(&BITS)? {
            Some(bits) => Ok(Some(Width { bits, is_unsigned })),
            None if is_unsigned => Err(self.wrong_usage("`--unsigned` needs `--bits`")),
            None => Ok(None),
        }
    }

    /// Returns the parts of an argument's map: those written in a text; for a name and for code, those of the map as printed.
    ///
    /// # Errors
    /// [`ErrorKind::TooLarge`] if there are too many parts.
    pub(super) fn parts(&self, argument: &Argument, map: &IndexingMap) -> Result<Parts, Failure> {
        let as_given = if is_map(&argument.text) { parts(&argument.text) } else { None };
        let mut written = as_given.or_else(|| parts_printed(map)).ok_or_else(|| {
            argument.wrong(ErrorKind::TooLarge, "the parts of the map are too many, or too large")
        })?;
        let wraps = |code: Code| code.values.iter().any(|value| value.wraps);
        if self.is_code(argument) && self.code(argument, self.has(C)).is_ok_and(wraps) {
            written.retain(|part| !is_wrapping(&part.value));
        }
        Ok(Parts(written))
    }

    /// Adds to the answer `text` and `json`, which is `map`, whether the map fits in the integer type of the call. `given` is
    /// an equal map.
    ///
    /// # Errors
    /// If the options are malformed, there are too many parts, or the command is interrupted.
    pub(super) fn add_width(
        &self,
        map: &IndexingMap,
        given: Option<&IndexingMap>,
        text: &mut Text,
        json: Object,
    ) -> Result<(Object, Status), Failure> {
        let Some(width) = self.width()? else {
            return Ok((json, Status::Done));
        };
        let parts = parts_printed(map).ok_or_else(|| {
            self.place.wrong(ErrorKind::TooLarge, "the parts of the answer are too many")
        })?;
        let given: Vec<String> =
            given.map(|map| print_map(map, Style::Plain)).into_iter().collect();
        let fitted = self.fitted(map, &Parts(parts), width, &given)?;
        text.push(Role::Plain, "\n");
        text.append(fitted.stated());
        Ok((json.with("fits", fitted.json), fitted.status))
    }

    /// Decides whether a map and its parts fit. `others` are equal maps, the first of which with fitting parts is suggested.
    ///
    /// # Errors
    /// If the command is interrupted.
    pub(super) fn fitted(
        &self,
        map: &IndexingMap,
        written: &Parts,
        width: Width,
        others: &[String],
    ) -> Result<Fitted, Failure> {
        let (budget, within) = (self.proof_budget(), width.within().map(Some));
        let decide = |map: &IndexingMap, parts: &[Part]| {
            let values: Vec<Expr> = parts.iter().map(|part| part.value.clone()).collect();
            fits(map.domain(), &values, within, &budget)
        };
        let results = all_fit(&fits(map.domain(), map.results(), within, &budget));
        let found = decide(map, &written.0);
        let of_parts = all_fit(&found);
        self.go_on()?;
        let mut text = headline(results, of_parts, width);
        if results == Some(true) && is_empty(map.domain(), &budget) == Verdict::Proved {
            text.push(Role::Doubtful, ", but no values meet the conditions");
        }
        let (mut leaves, mut unknown) = (Vec::new(), Vec::new());
        for (part, fit) in written.0.iter().zip(&found) {
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
                        None => fits_where(self, map, part, *value, within),
                        Some(_) => None,
                    };
                    if let Some(said) = &condition {
                        text.push(Role::Plain, format!("; it fits where {said}"));
                    }
                    leaves.push(json.with_some("fits_where", condition));
                }
            }
        }
        let mut json = Object::nested()
            .with("bits", width.bits)
            .with("signed", !width.is_unsigned)
            .with("results_fit", results)
            .with("parts_fit", of_parts)
            .with("leaves", leaves)
            .with("unknown", unknown);
        if results == Some(true) && of_parts == Some(false) {
            let simple = self.simplifier()?.simplify(map, &self.search_options()?).map;
            let forms = [factored(map), print_map(&simple, Style::Plain), factored(&simple)];
            let is_equal =
                |form: &IndexingMap| equal_functions(form, map, &budget) == Ok(Verdict::Proved);
            let mut fitting = others.iter().chain(&forms).filter(|form| {
                parse_map(form).is_ok_and(|form| is_equal(&form))
                    && parts(form).is_some_and(|parts| all_fit(&decide(map, &parts)) == Some(true))
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
        Ok(Fitted { text, json, status })
    }
}

/// Checks whether the expression is a remainder modulo 2^32, as of an unsigned type, or a constant.
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

fn headline(results: Option<bool>, parts: Option<bool>, width: Width) -> Text {
    let (role, said) = match (results, parts) {
        (Some(true), Some(true)) => {
            (Role::Good, format!("every result and every part fits in {width}"))
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

/// Returns a condition on sizes under which a part does not leave the type on the side of `value`: that the bound of the part
/// on this side, as an expression in the sizes, fits.
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

/// Describes a part with a value outside of the type.
fn left(
    part: &Part,
    value: i128,
    point: &[i64],
    up_to: Option<i64>,
    domain: &Domain,
) -> (Text, Object) {
    let mut text = Text::new().plain("\n  ").with(Role::Formula, part.text.as_str());
    let said = match part.value.as_constant() {
        Some(_) if part.text == value.to_string() => " does not fit".to_owned(),
        Some(_) => format!(" is {value}"),
        None => format!(" is {value} {}", at(point, domain)),
    };
    text.push(Role::Plain, said.trim_end());
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

/// Prints the map with the common factor of each result that is a sum before it: `64 * (x - 32)`.
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

/// Returns the parts as written; `None` for a text whose parts are not known.
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

/// Returns the parts of a map as printed.
fn parts_printed(map: &IndexingMap) -> Option<Vec<Part>> {
    parts(&print_map(map, Style::Plain))
}
