//! `why` of a comparison: how the prover decided it, and its derivation by rules.

use super::options::{FULL, JSON};
use super::simplified::stopped_text;
use super::steps::{steps_json, steps_text};
use crate::compared::compared;
use crate::failure::Failure;
use crate::output::{Object, Output, Role, Text};
use crate::table::Call;
use crate::verdict::verdict_status;
use crate::words::count;
use affinor::expr::{Domain, IndexingMap};
use affinor::prove::{How, Verdict, equal_functions_with_steps, equal_reads};
use affinor::text::{Style, print_expr, print_interval, print_map, variable_names};
use serde_json::Value;

/// The maximal number of solver queries that are shown.
const MAX_QUESTIONS: usize = 8;

/// Compares two maps, and reports how.
///
/// # Errors
/// If the maps cannot be compared, a shipped rule file does not load, or the command is interrupted.
pub fn tell(
    call: &mut Call<'_>,
    (left, right, by_reads): (IndexingMap, IndexingMap, bool),
) -> Result<(), Failure> {
    let budget = call.proof_budget();
    let functions = equal_functions_with_steps(&left, &right, &budget);
    let (mut verdict, mut told) = match (functions, by_reads) {
        (Ok(found), _) => found,
        (Err(error), false) => return Err(call.failed(error)),
        (Err(_), true) => (Verdict::Unknown(affinor::prove::Reason::NoProposal), Vec::new()),
    };
    verdict = call.uninterrupted(verdict)?;
    // Equal functions have equal reads. Other functions may, too, but the steps of that comparison are not recorded.
    let is_function = !by_reads || verdict == Verdict::Proved;
    if !is_function {
        let reads = equal_reads(&left, &right, &budget);
        verdict = call.uninterrupted(reads.map_err(|error| call.failed(error))?)?;
        told.clear();
    }
    let style = call.session.style;
    let mut text = Text::of(Role::Formula, print_map(&left, style)).plain("\n");
    text.push(Role::Formula, print_map(&right, style));
    let (said, mut json) = compared(&left, &right, by_reads, &verdict);
    text.push(Role::Plain, "\n");
    text.append(said);
    match is_function {
        true if by_reads => {
            text.push(Role::Plain, "\nthey are the same function, and so read the same")
        }
        true => {}
        false => text.push(
            Role::Plain,
            "\nthe sets of elements that they read were compared; its steps are not kept",
        ),
    }
    let domains = [left.domain(), right.domain()];
    text.append(told_text(&told, &verdict, domains, style));
    json = json.with("proof", told_json(&told, domains, style));
    if verdict == Verdict::Proved && is_function {
        let (more, fields) = by_rules(call, &left, &right)?;
        text.append(more);
        for (key, value) in fields {
            json = json.with(key, value);
        }
    }
    let output = match call.has(JSON) {
        true => Output::json_line(json),
        false => Output::new(text, json),
    };
    call.emit(output.status(verdict_status(&verdict)));
    Ok(())
}

/// Returns the prover's steps, one per line; the last one decided.
fn told_text(told: &[How], verdict: &Verdict, domains: [&Domain; 2], style: Style) -> Text {
    let mut text = Text::new();
    let is_proved = *verdict == Verdict::Proved;
    let is_refuted = matches!(verdict, Verdict::Refuted(_));
    for (index, how) in told.iter().enumerate() {
        let is_last = index + 1 == told.len();
        let (decides, finds) = (is_last && is_proved, is_last && is_refuted);
        let line = match how {
            How::Written => "as written they are the same, or their domains are empty".to_owned(),
            How::EveryPoint(points) if decides => match points {
                1 => "the one point was tried".to_owned(),
                _ => format!("each of {points} points was tried, and they agree at all of them"),
            },
            How::EveryPoint(points) => {
                format!("{points} points were to be tried in turn, and this one differs")
            }
            How::Residues => {
                "the difference depends on remainders of the variables only, and is 0 at each combination of them"
                    .to_owned()
            }
            How::Forms if decides => "as sums in which equal parts cancel, domains and results agree by intervals of the \
                 parts, or at all values of the few variables in them"
                .to_owned(),
            How::Forms if finds => {
                "a difference was found at the values of the few variables in it".to_owned()
            }
            How::Forms => "as sums in which equal parts cancel, a difference is left".to_owned(),
            How::Samples if finds => "points where they may differ were tried, up to this one".to_owned(),
            How::Samples => "at points where they may differ, they agree".to_owned(),
            How::ForAllSizes if decides => {
                "as polynomials in the sizes, with the known facts about quotients by them, they are the same"
                    .to_owned()
            }
            How::ForAllSizes => "as polynomials in the sizes, a difference is left".to_owned(),
            How::Asked {
                in_first,
                goals,
                is_shown,
            } => {
                text.append(asked(goals, domains[usize::from(!in_first)], *in_first, style));
                match (is_shown, finds) {
                    (true, _) => "it said that there is none (unsat)".to_owned(),
                    (false, true) => "it gave one (sat), which was evaluated".to_owned(),
                    (false, false) => "it did not say".to_owned(),
                }
            }
        };
        text.push(Role::Plain, format!("\n  {line}"));
    }
    text
}

/// Returns the query to the solver.
fn asked(
    goals: &[(affinor::expr::Expr, affinor::num::Interval)],
    domain: &Domain,
    in_first: bool,
    style: Style,
) -> Text {
    let names = variable_names(domain);
    let which = if in_first { "first" } else { "second" };
    let asked = format!("\n  Z3 was asked for a point in the domain of the {which} map");
    let mut text = Text::of(Role::Plain, asked);
    for (index, (expr, interval)) in goals.iter().take(MAX_QUESTIONS).enumerate() {
        text.push(Role::Plain, if index == 0 { " where\n    " } else { ", or\n    " });
        text.push(Role::Formula, print_expr(expr, &names, style));
        text.push(
            Role::Plain,
            match interval.as_point() {
                Some(value) => format!(" is not {value}"),
                None => format!(" is not in {}", print_interval(*interval)),
            },
        );
    }
    if goals.len() > MAX_QUESTIONS {
        let more = goals.len() - MAX_QUESTIONS;
        text.push(Role::Plain, format!(", or one of {} more", count(more, "difference")));
    }
    text
}

fn told_json(told: &[How], domains: [&Domain; 2], style: Style) -> Value {
    let steps = told.iter().map(|how| -> Value {
        let method = |name: &str| Object::nested().with("method", name);
        match how {
            How::Written => method("written"),
            How::EveryPoint(points) => method("points").with("points", points),
            How::Residues => method("residues"),
            How::Forms => method("forms"),
            How::Samples => method("samples"),
            How::ForAllSizes => method("sizes"),
            How::Asked { in_first, goals, is_shown } => {
                let names = variable_names(domains[usize::from(!in_first)]);
                let goals = goals.iter().map(|(expr, interval)| -> Value {
                    let object = Object::nested().with("expr", print_expr(expr, &names, style));
                    object.with("outside", print_interval(*interval)).into()
                });
                method("solver")
                    .with("domain", if *in_first { "first" } else { "second" })
                    .with("asked", goals.collect::<Value>())
                    .with("unsat", is_shown)
            }
        }
        .into()
    });
    steps.collect()
}

/// Fields of an object, by their keys.
type Fields = Vec<(&'static str, Value)>;

/// Returns the rules that rewrite each side to a common map, if both simplify to the same map.
fn by_rules(
    call: &Call<'_>,
    left: &IndexingMap,
    right: &IndexingMap,
) -> Result<(Text, Fields), Failure> {
    let options = call.search_options()?;
    let simplifier = call.uncounted_simplifier()?;
    let (mut text, mut fields) = (Text::new(), Vec::new());
    let [first, second] = [left, right].map(|map| simplifier.certify(map, &options));
    let ends = [&first, &second].map(|certified| &certified.outcome.map);
    let is_shown =
        first.verdict.is_ok() && second.verdict.is_ok() && ends[0].is_same_but_names(ends[1]);
    if !is_shown {
        let [left, right] = ends.map(|map| print_map(map, call.session.style));
        let said = "\nthe rules do not lead from both to one map; the first becomes\n  ";
        text.push(Role::Plain, said);
        text.push(Role::Formula, left);
        text.push(Role::Plain, "\nthe second\n  ");
        text.push(Role::Formula, right);
        for outcome in [&first.outcome, &second.outcome] {
            if let Some(stop) = &outcome.stopped {
                text.append(stopped_text(stop));
                break;
            }
        }
        return Ok((text, fields));
    }
    let end = print_map(ends[0], call.session.style);
    text.push(Role::Plain, "\nthe rules say so as well: both become\n  ");
    text.push(Role::Formula, end.as_str());
    fields.push(("both_become", Value::from(end)));
    let sides = [("first", "first_steps", &first), ("second", "second_steps", &second)];
    for (which, key, certified) in sides {
        let steps = simplifier.steps(certified, &options);
        text.push(Role::Plain, format!("\nthe {which}:\n"));
        text.append(steps_text(&steps, simplifier.rules(), call.has(FULL)));
        fields.push((key, steps_json(&steps, simplifier.rules())));
    }
    Ok((text, fields))
}
