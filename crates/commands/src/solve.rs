//! `solve`: finds integers that satisfy all of some conditions, or proves that there are none.
//!
//! Law: the integers that are shown satisfy the conditions, evaluated; there are none only if the rules that exclude them are
//! proved for all integers.

use super::arguments::Argument;
use super::failure::Failure;
use super::formula::Statement;
use super::implication::{conditions, split_at_words};
use super::output::{Object, Output, Role, Status, Text, clipped};
use super::rules::verdict::{at, point_object};
use super::table::{Call, Command, Kind, Parameter};
use super::verdict::{SOLVER_STEPS, verdict_status};
use affinor::rule::Truth;
use affinor::rule::verify::Verdict;
use affinor::text::{Error, ErrorKind};

pub const SOLVE: Command = Command {
    name: "solve",
    parameters: &[Parameter::required("CONDITIONS", Kind::Rest)],
    options: &[SOLVER_STEPS.switch],
    summary: "find integers that satisfy all CONDITIONS, or prove that there are none",
    details: "CONDITIONS are comparisons with commas or `and` between them; `or`, `not` and `x in [0, 9]` are read. Names are\n\
              arbitrary integers. One solution is shown: within bounds, `points` lists all, `count` counts them, and\n\
              `range x where ..` has the smallest and the largest.",
    example: &["solve x mod 3 = 2, x mod 5 = 3, x > 100", "solve 6*x + 10*y = 15"],
    makes_map: false,
    keys: r##"
    "point": { "description": "Of `solve`: integers that satisfy the conditions, by name.", "type": "object" }"##,
    run,
};

/// The answer to the question whether integers satisfy conditions.
pub struct Found {
    /// `sat`, `unsat` or `unknown`.
    pub word: &'static str,
    /// The integers, `x = 3, y = 4`, or the reason; empty for `unsat`.
    pub text: String,
    pub point: Option<Object>,
    pub status: Status,
}

impl Found {
    fn new(word: &'static str, text: String) -> Found {
        Found { word, text, point: None, status: Status::Done }
    }
}

fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    call.value(&SOLVER_STEPS)?;
    let argument = call.argument(0)?.clone();
    let text = match split_at_words(&argument.text, &[" where ", " for ", " with "]) {
        Some((first, _, rest)) => format!("{first}, {}", rest.replace(" for ", ", ")),
        None => argument.text.clone(),
    };
    if let Some(value) = conditions(&text).into_iter().find(|one| !is_condition(one)) {
        let message = format!("`{}` is not a condition", clipped(value.trim()));
        let hint = format!("write a comparison, `solve {} = 0`", clipped(value.trim()));
        return Err(argument.wrong(ErrorKind::Syntax, message).hint(hint));
    }
    let all: Vec<String> = conditions(&text).into_iter().map(|one| within(one.trim())).collect();
    let found = satisfied(call, &argument, &format!("({})", all.join(") and (")))?;
    let (role, said) = match found.word {
        "sat" => (Role::Good, String::new()),
        "unsat" => (Role::Good, "no integers satisfy this (proved)".to_owned()),
        word => (Role::Doubtful, format!("{word}: ")),
    };
    let text = Text::of(role, said).plain(found.text);
    let json = Object::new().with("answer", found.word).with_some("point", found.point);
    call.emit(Output::new(text, json).status(found.status));
    Ok(())
}

/// Returns whether a text compares, in signs or with a word.
fn is_condition(text: &str) -> bool {
    text.contains(['=', '<', '>', '≤', '≥', '≠']) || text.contains(" in ")
}

/// Returns `x >= 0 and x <= 9` for `x in [0, 9]`.
fn within(text: &str) -> String {
    let ends = |values: &str, close: &str, sign: &str| {
        let (lo, hi) = values.strip_suffix(close)?.split_once(',')?;
        Some((lo.trim().to_owned(), format!("{sign} {}", hi.trim())))
    };
    let found = text.split_once(" in ").and_then(|(name, values)| {
        let values = values.trim();
        let (lo, hi) = match (values.strip_prefix('['), values.strip_prefix("range(")) {
            (Some(values), _) => ends(values, "]", "<=").or_else(|| ends(values, ")", "<"))?,
            (None, Some(values)) => ends(values, ")", "<")
                .or_else(|| Some(("0".to_owned(), format!("< {}", values.strip_suffix(')')?))))?,
            _ => return None,
        };
        Some(format!("{name} >= {lo} and {name} {hi}"))
    });
    found.unwrap_or_else(|| text.to_owned())
}

/// Decides whether integers satisfy a condition, or a conjunction of several.
///
/// # Errors
/// A text that is not a condition.
pub fn satisfied(call: &Call<'_>, argument: &Argument, all: &str) -> Result<Found, Failure> {
    let statement = Statement::read(&format!("not ({all})"));
    let statement = statement.map_err(|error| argument.blame(Error { span: None, ..error }))?;
    let (verdict, rule) = call.judged_rules(&statement.rules)?;
    let status = verdict_status(&verdict);
    Ok(match (verdict, rule) {
        (Verdict::Refuted(point), Some(rule)) if rule.truth(&point) != Truth::Undefined => Found {
            point: Some(point_object(rule, &point)),
            ..Found::new("sat", at(rule, &point).trim_start_matches("at ").to_owned())
        },
        (Verdict::Proved, _) => Found::new("unsat", String::new()),
        (Verdict::Unknown(reason), _) => Found { status, ..Found::new("unknown", reason) },
        _ => Found::new("unknown", "a divisor may be below 1".to_owned()),
    })
}

#[cfg(test)]
mod tests {
    use super::within;

    #[test]
    fn intervals_are_comparisons() {
        for (text, expected) in [
            ("x in [0, 9]", "x >= 0 and x <= 9"),
            ("x in [0, n)", "x >= 0 and x < n"),
            ("x in range(4)", "x >= 0 and x < 4"),
            ("x in range(2, 4)", "x >= 2 and x < 4"),
            ("x = 3", "x = 3"),
            ("x in 3", "x in 3"),
        ] {
            assert_eq!(within(text), expected, "{text}");
        }
    }
}
