//! `learn`: the rule that an example shows.

use super::arguments::Argument;
use super::failure::Failure;
use super::option::{Setting, text};
use super::output::{Object, Output, Role, Status, Text};
use super::rules::verdict as rule_verdict;
use super::table::{Call, Command, Kind, Parameter};
use super::upstream;
use super::verdict::{counterexample, reason, verdict_status, verdict_text};
use super::words::count;
use crate::expr::{Expr, IndexingMap, VariableId};
use crate::learn::{Dressed, Fires, Learned, Missed, dressed, learn};
use crate::num::Fuel;
use crate::prove::{self, Verdict};
use crate::rule::RuleSet;
use crate::rule::verify::{self, BUDGET, Condition, subsumed_by};
use crate::simplify::Options;
use crate::text::{Error, ErrorKind};

const FROM_UPSTREAM: Setting<Argument> = Setting::new(
    "from-upstream",
    "FILE",
    "judge the lines of another system's list of rules instead, as `upstream` does",
    text,
);

/// Steps of one search: some ten seconds.
const FUEL: u64 = 30_000;

/// Solver steps for one candidate: those that need more are not found.
const SOLVER_STEPS: u32 = 2_000_000;

pub const LEARN: Command = Command {
    name: "learn",
    parameters: &[
        Parameter::optional("MAP", Kind::Map),
        Parameter::optional("SMALLER", Kind::Map),
    ],
    options: &[FROM_UPSTREAM.switch],
    summary: "find the rule that makes MAP into SMALLER, proved for all integers",
    details: "MAP and SMALLER are equal on the domain of MAP, which is proved first; SMALLER may be without one. Where they differ,\n\
              numbers become constants and parts become expressions, as general as it is true; conditions are what the rule\n\
              needs of the example's ranges and sizes. The answer is the rule as text for `rule` and for a rule file, proved;\n\
              what each condition is for; and whether the rules in force do it already. Of several results the first that\n\
              differs is learnt from. Sizes are numbers: `bind` parameters first. What differs in constraints alone is not\n\
              learnt.",
    example: &[
        "learn (d0, d1) -> ((d0 * 6 + d1) floordiv 12), domain: d0 in [0, 99], d1 in [0, 5] ; (d0, d1) -> (d0 floordiv 2)",
        "learn d0 * 3 - d0 floordiv 8 * 24 ; d0 mod 8 * 3",
    ],
    makes_map: false,
    run,
};

fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    if let Some(list) = call.value(&FROM_UPSTREAM)? {
        if !call.arguments.positional.is_empty() {
            return Err(
                call.wrong_usage("`learn` takes two maps or `--from-upstream FILE`, not both")
            );
        }
        return upstream::lines(call, &list);
    }
    let (left, right) = (call.argument(0)?.clone(), call.argument(1)?.clone());
    let map = call.map(&left)?;
    let smaller = match variable(&map, &right) {
        Some(smaller) => smaller,
        None => beside(&map, &map_of(call, &right)?, &right)?,
    };
    let verdict = prove::equal_functions(&map, &smaller, &call.proof_budget());
    let verdict = call.uninterrupted(verdict.map_err(|error| right.blame(error))?)?;
    if verdict != Verdict::Proved {
        let domain = map.domain();
        let mut text = Text::of(Role::Plain, "nothing to learn: that the two are equal is ");
        text.append(verdict_text(&verdict, domain));
        let json = Object::new()
            .with("rule", serde_json::Value::Null)
            .with("equal", verdict.word())
            .with_some("counterexample", counterexample(&verdict, domain))
            .with_some("reason", reason(&verdict));
        call.emit(Output::new(text, json).status(verdict_status(&verdict)));
        return Ok(());
    }
    let pairs = map.results().iter().zip(smaller.results());
    let Some((from, to)) = pairs.clone().find(|(from, to)| from != to) else {
        let message = "the two maps are the same";
        return Err(right
            .wrong(ErrorKind::Unsupported, message)
            .hint("give the smaller form of the first map"));
    };
    let budget = prove::Budget {
        solver_steps: SOLVER_STEPS,
        interrupt: Some(call.host.interrupt()),
        ..BUDGET
    };
    let fuel = Fuel::new(FUEL, &call.host.interrupt());
    let found = learn(map.domain(), [from, to], &budget, &fuel);
    let found = found.and_then(|learned| {
        let shipped = RuleSet::shipped().unwrap_or_default();
        let dressed = dressed(&learned, "learnt", &shipped, &budget)?;
        Ok((learned, dressed))
    });
    call.go_on()?;
    let output = match found {
        Ok((learned, dressed)) => answer(call, &learned, &dressed)?,
        Err(missed) => missed_output(missed),
    };
    call.emit(output);
    Ok(())
}

/// A variable of a map with one result, on its domain.
fn variable(map: &IndexingMap, argument: &Argument) -> Option<IndexingMap> {
    let mut variables = (0..).map(VariableId).zip(map.domain().variables());
    let (id, _) = variables.find(|(_, variable)| *variable.name == *argument.text)?;
    let is_single = map.results().len() == 1;
    is_single.then(|| IndexingMap::new(map.domain().clone(), vec![Expr::variable(id)]))
}

/// A map, which may be without a domain.
fn map_of(call: &Call<'_>, argument: &Argument) -> Result<IndexingMap, Failure> {
    call.map(argument).or_else(|failure| {
        let mut without_domain = argument.clone();
        without_domain.text = format!("affine_map<{}>", argument.text.trim());
        call.map(&without_domain).map_err(|_| failure)
    })
}

/// The second map on the domain of the first: by the names of its variables, else by their places.
fn beside(
    map: &IndexingMap,
    other: &IndexingMap,
    argument: &Argument,
) -> Result<IndexingMap, Failure> {
    let names: Vec<&str> = map
        .domain()
        .variables()
        .iter()
        .map(|one| &*one.name)
        .collect();
    let others = other.domain().variables();
    let place = |(place, name): (usize, &str)| {
        let by_name = names.iter().position(|known| *known == name);
        let id = by_name.or((others.len() == names.len()).then_some(place))?;
        Some(Expr::variable(VariableId(u32::try_from(id).ok()?)))
    };
    let places = others.iter().map(|one| &*one.name).enumerate().map(place);
    let over = places.collect::<Option<Vec<Expr>>>().and_then(|places| {
        let results = other
            .results()
            .iter()
            .map(|result| result.substitute(&places));
        let results = results.collect::<Result<Vec<Expr>, _>>().ok()?;
        Some(IndexingMap::new(map.domain().clone(), results))
    });
    let same = over.filter(|over| over.results().len() == map.results().len());
    same.ok_or_else(|| {
        let message = "it has other variables, or another number of results, than the first map";
        let error = Error::new(ErrorKind::Unsupported, 0..argument.text.len(), message);
        argument.blame(error.hint("use the variables of the first map"))
    })
}

fn missed_output(missed: Missed) -> Output {
    let text = Text::of(Role::Doubtful, "nothing learnt").plain(format!(": {missed}"));
    let json = Object::new()
        .with("rule", serde_json::Value::Null)
        .with("equal", "proved")
        .with("reason", missed.to_string());
    Output::new(text, json).status(Status::Undecided)
}

fn answer(call: &Call<'_>, learned: &Learned, dressed: &Dressed) -> Result<Output, Failure> {
    let rule = &dressed.rule;
    let [from, to] = [&learned.parts[0], &learned.parts[1]].map(|map| call.written(map));
    let (from, to) = (from?, to?);
    let mut text = Text::of(Role::Formula, dressed.text.as_str());
    text.push(Role::Plain, "\n");
    text.push(Role::Good, "proved");
    text.push(
        Role::Plain,
        format!(" for all integers\nfrom: {from}\n  to: {to}"),
    );
    let (fires, word) = match &dressed.fires {
        Fires::Alone => ("yes, alone it does this".to_owned(), "alone"),
        Fires::Among => ("yes, with the shipped rules".to_owned(), "among"),
        Fires::NotNeeded => ("not needed for this example".to_owned(), "not_needed"),
        Fires::NotSeen => ("not seen on this example".to_owned(), "not_seen"),
        Fires::Never(reason) => (format!("no, {reason}"), "never"),
    };
    text.push(Role::Plain, format!("\nfires: {fires}"));
    let report = verify::check(rule, &call.rule_budget());
    call.go_on()?;
    let mut needs: Vec<Object> = Vec::new();
    for (condition, needed) in rule.conditions.iter().zip(&report.conditions) {
        let written = rule.write_condition(condition);
        let object = Object::nested().with("condition", written.as_str());
        let (why, object) = match needed {
            Condition::Needed(point) => (
                format!("false {}", rule_verdict::at(rule, point)),
                object.with("point", rule_verdict::point_object(rule, point)),
            ),
            Condition::Redundant => (
                "true as well: it follows from the others".to_owned(),
                object,
            ),
            Condition::Open => ("not decided".to_owned(), object),
        };
        text.push(Role::Plain, format!("\nwithout {written}: {why}"));
        needs.push(object);
    }
    let (known, words) = known(call, learned, dressed)?;
    text.push(Role::Plain, format!("\nthe rules in force: {words}"));
    let json = Object::new()
        .with("rule", dressed.text.as_str())
        .with("equal", "proved")
        .with("verdict", "proved")
        .with("from", from)
        .with("to", to)
        .with("fires", word)
        .with("conditions", needs)
        .with("known", known);
    Ok(Output::new(text, json))
}

/// Whether the rules in force do what the rule does: `subsumed`, `example` or null; and in words.
fn known(
    call: &Call<'_>,
    learned: &Learned,
    dressed: &Dressed,
) -> Result<(Option<&'static str>, String), Failure> {
    let simplifier = call.uncounted_simplifier()?;
    let rules = simplifier.rules().rules();
    if let Some(known) = subsumed_by(&dressed.rule, rules, &call.rule_budget()) {
        return Ok((Some("subsumed"), format!("`{}` says as much", known.name)));
    }
    let options = Options {
        interrupt: call.host.interrupt(),
        ..Options::default()
    };
    let [from, to] = [&learned.parts[0], &learned.parts[1]];
    let reached = simplifier.simplify(from, &options).map.cost().ops;
    let wanted = to.cost().ops;
    let operations = |number| count(usize::try_from(number).unwrap_or(usize::MAX), "operation");
    Ok(match reached <= wanted {
        true => (
            Some("example"),
            format!("they make the example as small, {}", operations(reached)),
        ),
        false => {
            let words = format!(
                "they leave {} of the example, this one {}",
                operations(reached),
                operations(wanted)
            );
            (None, words)
        }
    })
}
