//! `image`, `count` and `points`: the image of a map, its size, and its points.

use super::arguments::Argument;
use super::custom::CUSTOM;
use super::failure::Failure;
use super::given::parse_point;
use super::instruction::{OPERAND, POSITIONS, each};
use super::option::{C, Flag, Setting, positive};
use super::output::{Object, Output, Role, Status, Text};
use super::region::region_text;
use super::table::{Call, Command, Kind, Parameter, Switch};
use super::tile::by_size;
use super::words::{count as counted, tuple};
use affinor::expr::{Domain, IndexingMap, VariableKind};
use affinor::num::{Interval, MINUS_INFINITY, PLUS_INFINITY};
use affinor::prove::Verdict;
use affinor::text::{ErrorKind, Style, print_expr, variable_names};
use affinor_ops::footprint::image::{self, Basis, Count, MOST_POINTS, Points, Stop};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The parameter of all commands about one map.
const MAP: Parameter = Parameter::required("MAP", Kind::Map);

const ALL: Flag = Flag::new("all", "all points, not only the first").excluding(&[FIRST.switch]);

const FIRST: Setting<u64> =
    Setting::new("first", "COUNT", "at most COUNT points (default 20)", positive);

const MISSING: Setting<Vec<i64>> = Setting::new(
    "missing",
    "LO,HI",
    "also list the numbers from LO to HI that are not read, of a map with one result",
    ends,
);

/// Reads the ends of `--missing`.
fn ends(_: &Switch, given: &Argument) -> Result<Vec<i64>, Failure> {
    let ends = parse_point(given)?;
    match ends[..] {
        [lo, hi] if lo <= hi && hi.checked_sub(lo).is_some_and(|width| width < MOST_BETWEEN) => {
            Ok(ends)
        }
        _ => {
            let message = format!(
                "expected two ends with at most {MOST_BETWEEN} numbers from the one to the other"
            );
            Err(given.wrong(ErrorKind::Usage, message))
        }
    }
}

/// The maximum number of numbers that are looked at for `--missing`.
const MOST_BETWEEN: i64 = 1 << 12;

pub const IMAGE: Command = Command {
    name: "image",
    parameters: &[MAP],
    options: &[OPERAND.switch, POSITIONS.switch, MISSING.switch, CUSTOM.switch, C.switch],
    summary: "bound the elements that MAP reads by a box with steps, and decide whether it reads the whole box",
    details: "All variables range over their bounds. `[0, 8] step 4` is 0, 4 and 8. The box is exactly the elements read if\n\
              that was proved or counted; otherwise it is a cover, a superset of the reads. For a map with parameters,\n\
              it is in terms of these, and proved for all their values.",
    example: &[
        "image model.hlo transpose.3",
        "image (d0, d1) -> (d0 * 4, d1 + 1), domain: d0 in [0, 2], d1 in [0, 7]",
    ],
    makes_map: false,
    keys: "",
    run: run_image,
};

pub const COUNT: Command = Command {
    name: "count",
    parameters: &[MAP],
    options: &[OPERAND.switch, POSITIONS.switch, CUSTOM.switch, C.switch],
    summary: "count the points of MAP and the distinct elements that it reads",
    details: "All variables range over their bounds. Independent parts of the map are counted separately: by a formula or a proof\n\
              (\"proved\"), else by enumeration (\"counted\"). For an instruction of a module, each map to an operand is\n\
              counted; one that is an upper bound of the reads is marked \"at most\". For a map with parameters, the\n\
              numbers are in terms of these, where they are a polynomial of them, also of their quotients.",
    example: &[
        "count model.hlo transpose.3",
        "count <n, m>(d0, d1) -> (d0 * m + d1), domain: n in [1, inf], m in [1, inf], d0 in [0, n - 1], d1 in [0, m - 1]",
        "count (d0)[s0] -> (d0 * 2 + s0), domain: d0 in [0, 999], s0 in [0, 2]",
    ],
    makes_map: false,
    keys: r##"
    "holds_for": { "description": "Of `count`, in terms of named sizes: conditions on the sizes under which the numbers hold.", "type": "array", "items": { "type": "string" } }"##,
    run: run_count,
};

pub const POINTS: Command = Command {
    name: "points",
    parameters: &[MAP],
    options: &[ALL.switch, FIRST.switch, C.switch],
    summary: "list the points of MAP with their values",
    details: "Points are in lexicographic order: the last variable varies fastest.",
    example: &["points (d0, d1) -> (d0 * 2 + d1), domain: d0 in [0, 1], d1 in [0, 2] --all"],
    makes_map: false,
    keys: "",
    run: run_points,
};

/// The maximum numbers of points that are visited, and of elements that are listed, where a box is only a cover.
const MOST_ENUMERATED: u64 = 1 << 12;
const MOST_LISTED: usize = 32;

fn run_image(call: &mut Call<'_>) -> Result<(), Failure> {
    if each(call, |call, read| read_region(call, &read.blamed, &read.map.map))? {
        return Ok(());
    }
    let argument = call.argument(0)?.clone();
    let map = call.map(&argument)?;
    let output = read_region(call, &argument, &map)?;
    call.emit(output);
    Ok(())
}

/// Returns the box of the elements that a map reads.
fn read_region(call: &Call<'_>, argument: &Argument, map: &IndexingMap) -> Result<Output, Failure> {
    if map.domain().count(VariableKind::Parameter) > 0 {
        return by_size::image(call, argument, map);
    }
    let region = image::region(map, &call.proof_budget());
    let region = region.map_err(|stop| call.stop(argument, &stop))?;
    let mut text = region_text(&region);
    text.push(Role::Plain, "\n");
    let is_listed = region.basis == Basis::Cover && map.results().len() == 1;
    let few = is_listed.then(|| few_elements(call, map)).flatten();
    match region.basis {
        Basis::Cover => match &few {
            Some(few) => text.push(Role::Good, format!("of these are read: {few} (counted)")),
            None => text.push(Role::Doubtful, "a cover: not all of it may be read"),
        },
        Basis::Proved => text.push(Role::Good, "exactly the elements read"),
        Basis::Counted => {
            text.push(Role::Good, "exactly the elements read");
            text.push(Role::Plain, " (counted)");
        }
    }
    let json =
        Object::new().and(&region).with("basis", region.basis).with_some("elements_read", few);
    let missing = call.value(&MISSING)?;
    let missing = missing.map(|ends| missing_of(call, argument, map, &ends)).transpose()?;
    if let Some(missing) = &missing {
        let shown: Vec<String> = missing.iter().map(i64::to_string).collect();
        text.push(Role::Plain, "\nnot read: ");
        text.push(
            Role::Formula,
            if shown.is_empty() { "none".to_owned() } else { shown.join(", ") },
        );
    }
    Ok(Output::new(text, json.with_some("missing", missing)))
}

/// Returns the numbers between two ends that a map with one result does not read.
fn missing_of(
    call: &Call<'_>,
    argument: &Argument,
    map: &IndexingMap,
    ends: &[i64],
) -> Result<Vec<i64>, Failure> {
    let (&[lo, hi], [result]) = (ends, map.results()) else {
        let message = "`--missing` is about a map with one result";
        return Err(argument.wrong(ErrorKind::Usage, message));
    };
    // Points with other results need not be visited.
    let within = map.restricted(result, Interval::new(lo, hi));
    let mut missing: BTreeSet<i64> = (lo..=hi).collect();
    let points = Points::new(within.domain(), MOST_POINTS, &call.proof_budget());
    for point in points.map_err(|stop| call.stop(argument, &stop))? {
        let point = point.map_err(|stop| call.stop(argument, &stop))?;
        let read = within.eval(&point);
        let read = read.map_err(|error| argument.wrong(ErrorKind::Overflow, error.to_string()))?;
        read.first().map(|read| missing.remove(read));
    }
    Ok(missing.into_iter().collect())
}

/// Returns the elements that a map with few points reads, if they are few.
fn few_elements(call: &Call<'_>, map: &IndexingMap) -> Option<String> {
    let mut elements = BTreeSet::new();
    for (number, point) in
        Points::new(map.domain(), MOST_POINTS, &call.proof_budget()).ok()?.enumerate()
    {
        elements.insert(map.eval(&point.ok()?).ok()?);
        if number as u64 == MOST_ENUMERATED || elements.len() > MOST_LISTED {
            return None;
        }
    }
    let shown = elements.iter().flatten().map(i64::to_string);
    Some(shown.collect::<Vec<_>>().join(", "))
}

fn run_count(call: &mut Call<'_>) -> Result<(), Failure> {
    if each(call, |call, read| counts(call, &read.blamed, &read.map.map))? {
        return Ok(());
    }
    let argument = call.argument(0)?.clone();
    let map = match call.map(&argument) {
        Err(failure) if is_none(&failure) => {
            let json = Object::new().with("points", 0).with("elements", 0);
            call.emit(Output::new(
                Text::new().plain("points   0\nelements 0\nno point satisfies this"),
                json,
            ));
            return Ok(());
        }
        map => map?,
    };
    let output = counts(call, &argument, &map)?;
    call.emit(output);
    Ok(())
}

/// Returns whether no map was made because its bounds exclude every point, which is an answer to how many and which there are.
fn is_none(failure: &Failure) -> bool {
    failure.error.kind == ErrorKind::Domain && failure.error.message == affinor_code::NO_POINT
}

/// Returns the counts of a map with parameters, as expressions in them.
fn counts_by_size(
    call: &Call<'_>,
    argument: &Argument,
    map: &IndexingMap,
) -> Result<Output, Failure> {
    if map.domain().count(VariableKind::Runtime) > 0 {
        let message = "no map with parameters and runtime variables is counted";
        let failure = argument.wrong(ErrorKind::Unsupported, message);
        return Err(failure.hint("`bind rt0 = 5 in MAP` gives a variable its value"));
    }
    let budget = call.proof_budget();
    let number = image::points_by_size(map.domain(), &budget);
    call.go_on()?;
    let Some(number) = number else {
        let message = "no expression in the sizes is known to be the number of points";
        let failure = argument.wrong(ErrorKind::Unsupported, message);
        return Err(failure.hint("give each parameter a value, as in `bind n = 8 in MAP`"));
    };
    let number = call.simplifier()?.simplify(&number, &call.search_options()?).map;
    let names = variable_names(number.domain());
    let shown = number.results().iter().map(|x| print_expr(x, &names, call.session.style));
    let shown: String = shown.collect();
    let found = image::injective(map, &budget);
    let (verdict, _) = found.map_err(|stop| call.stop(argument, &stop))?;
    let verdict = call.uninterrupted(verdict)?;
    let count = Object::nested().with("number", shown.as_str()).with("basis", Basis::Proved);
    let mut text = Text::of(Role::Name, "points   ");
    text.push(Role::Formula, shown.as_str());
    text.push(Role::Faint, " (proved)");
    text.new_line();
    text.push(Role::Name, "elements ");
    let sizes = conditions(number.domain(), &names, call.session.style);
    let mut json = Object::new().with("points", count.clone());
    if !sizes.is_empty() {
        json = json.with("holds_for", &sizes);
    }
    let mut output = match verdict {
        Verdict::Proved => {
            text.push(Role::Formula, shown);
            text.push(Role::Faint, " (proved)");
            text.push(Role::Plain, "\neach element is read once");
            Output::new(text, json.with("elements", count))
        }
        verdict => {
            let reason = match verdict {
                Verdict::Unknown(reason) => reason.to_string(),
                _ => "some element is read more than once".to_owned(),
            };
            text.push(Role::Doubtful, "unknown");
            text.push(Role::Plain, format!(": {reason}"));
            let unknown = Object::nested().with("reason", reason);
            Output::new(text, json.with("elements", unknown)).status(Status::Undecided)
        }
    };
    if !sizes.is_empty() {
        let said = format!("\nfor {}", sizes.join(", "));
        output.text.push(Role::Plain, said);
    }
    Ok(output)
}

/// Returns the conditions on the sizes of a map: `n >= 4`, `n mod 4 = 0`.
fn conditions(sizes: &Domain, names: &[Arc<str>], style: Style) -> Vec<String> {
    let bounds = sizes.variables().iter();
    let bounds = bounds.map(|variable| (variable.name.to_string(), variable.bounds));
    let constraints = sizes.constraints().iter();
    let constraints = constraints.map(|c| (print_expr(&c.expr, names, style), c.bounds));
    let conditions = bounds.chain(constraints);
    let written = conditions.filter_map(|(value, bounds)| {
        Some(match (bounds.lo(), bounds.hi()) {
            (MINUS_INFINITY, PLUS_INFINITY) => return None,
            (lo, PLUS_INFINITY) => format!("{value} >= {lo}"),
            (MINUS_INFINITY, hi) => format!("{value} <= {hi}"),
            (lo, hi) if lo == hi => format!("{value} = {lo}"),
            (lo, hi) => format!("{lo} <= {value} <= {hi}"),
        })
    });
    written.collect()
}

fn counts(call: &Call<'_>, argument: &Argument, map: &IndexingMap) -> Result<Output, Failure> {
    if map.domain().count(VariableKind::Parameter) > 0 {
        return counts_by_size(call, argument, map);
    }
    let budget = call.proof_budget();
    let points = image::points(map.domain(), &budget);
    let elements = image::elements(map, &budget);
    let mut text = Text::new();
    let mut json = Object::new();
    let mut status = Status::Done;
    for (what, found) in [("points", &points), ("elements", &elements)] {
        text.new_line();
        text.push(Role::Name, format!("{what:8} "));
        json = match found {
            Ok(count) => {
                text.push(Role::Formula, count.number.to_string());
                text.push(Role::Faint, format!(" ({})", count.basis.word()));
                json.with(what, count)
            }
            Err(Stop::TooMany) => {
                status = Status::Undecided;
                text.push(Role::Doubtful, "unknown");
                text.push(Role::Plain, format!(": {}", Stop::TooMany));
                let unknown = Object::nested().with("reason", Stop::TooMany.to_string());
                json.with(what, unknown)
            }
            Err(stop) => return Err(call.stop(argument, stop)),
        };
    }
    if let (Ok(points), Ok(elements)) = (&points, &elements) {
        let (reuse, share) = reuse(points, elements);
        text.append(reuse);
        json = json.with_some("reads_per_element", share);
    }
    let variables = map.domain().variables().iter();
    let runtime = variables.filter(|variable| variable.kind == VariableKind::Runtime);
    let names: Vec<&str> = runtime.map(|variable| &*variable.name).collect();
    if !names.is_empty() {
        let names = names.join(", ");
        text.push(Role::Faint, format!("\n(over all values of {names})"));
    }
    Ok(Output::new(text, json).status(status))
}

/// Returns the average number of reads of an element.
fn reuse(points: &Count, elements: &Count) -> (Text, Option<f64>) {
    if elements.number == 0 {
        return (Text::new(), None);
    }
    let share = points.number as f64 / elements.number as f64;
    let text = match points.number == elements.number {
        true => "\neach element is read once".to_owned(),
        false => format!("\nelements are read {share:.2} times on average"),
    };
    (Text::new().plain(text), Some(share))
}

fn run_points(call: &mut Call<'_>) -> Result<(), Failure> {
    let argument = call.argument(0)?.clone();
    let map = match call.map(&argument) {
        Err(failure) if is_none(&failure) => {
            let json = Object::new().with("points", Vec::<Object>::new()).with("complete", true);
            call.emit(Output::new(Text::new().plain("no point satisfies this"), json));
            return Ok(());
        }
        map => map?,
    };
    let most = match call.has(ALL) {
        true => MOST_POINTS,
        false => call.value(&FIRST)?.unwrap_or(20),
    };
    let points = Points::new(map.domain(), MOST_POINTS, &call.proof_budget());
    let points = points.map_err(|stop| call.stop(&argument, &stop))?;
    let (mut text, mut rows) = (Text::new(), Vec::new());
    let mut stopped = None;
    for point in points {
        let point = match point {
            Ok(_) if rows.len() as u64 == most => {
                stopped = Some(format!("there are more than {}", counted(most, "point")));
                break;
            }
            Ok(point) => point,
            Err(Stop::TooMany) => {
                stopped = Some(Stop::TooMany.to_string());
                break;
            }
            Err(stop) => return Err(call.stop(&argument, &stop)),
        };
        let value = map
            .eval(&point)
            .map_err(|error| argument.wrong(ErrorKind::Overflow, error.to_string()))?;
        text.new_line();
        text.push(Role::Plain, format!("{} -> ", tuple(&point)));
        text.push(Role::Formula, tuple(&value));
        let row = Object::nested().with("point", point).with("result", value);
        rows.push(row);
    }
    if rows.is_empty() && stopped.is_none() {
        text.push(Role::Faint, "the domain is empty");
    }
    if let Some(stopped) = &stopped {
        text.new_line();
        text.push(Role::Faint, format!("{stopped}: these are the first"));
    }
    let json = Object::new()
        .with("points", rows)
        .with("complete", stopped.is_none())
        .with_some("stopped_at", stopped);
    call.emit(Output::new(text, json));
    Ok(())
}
