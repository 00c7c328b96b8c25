//! Output of `coalesce` and `banks`.

use super::input::Input;
use super::options::EXPLAIN;
use crate::output::{Object, Output, Role, Status, Text};
use crate::table::Call;
use crate::words::count;
use affinor::expr::{Domain, VariableId};
use affinor::text::json::Wide;
use affinor::text::{Style, print_map};
use affinor_ops::footprint::access::{Cost, Coverage, Grid, Measure, Worst};

/// Returns the answer, as text and as JSON.
pub fn output(call: &Call<'_>, input: &Input, cost: &Cost) -> Output {
    let json = object(call, input, cost);
    let status = match cost.basis {
        Coverage::Sampled => Status::Undecided,
        Coverage::Exact | Coverage::Counted => Status::Done,
    };
    Output::new(text(call, input, cost), json).status(status)
}

/// The size of a sector in bytes, the smallest transaction of global memory.
const SECTOR: i64 = 32;

/// Returns the name of the counted unit.
fn unit(measure: Measure) -> &'static str {
    match measure {
        Measure::Transactions { bytes: SECTOR } => "sector",
        Measure::Transactions { .. } => "transaction",
        Measure::Banks { .. } => "pass",
    }
}

fn text(call: &Call<'_>, input: &Input, cost: &Cost) -> Text {
    let measure = input.memory.measure;
    let noun = unit(measure);
    let mut text = Text::new();
    let mut row = |name: &str, value: Text| {
        text.new_line();
        text.push(Role::Name, format!("{name:13}"));
        text.append(value);
    };
    if !input.values.is_empty() {
        let values = input.values.iter();
        let values: Vec<String> = values.map(|(name, value)| format!("{name} = {value}")).collect();
        row("if always", Text::of(Role::Formula, values.join(", ")));
    }
    row(
        "requests",
        Text::of(Role::Formula, cost.accesses.to_string())
            .plain(format!(" of {}", who(input, cost.elements))),
    );
    if cost.accesses == 0 {
        text.push(Role::Faint, "\nno lane is active");
        return text;
    }
    let (name, total) = match measure {
        Measure::Transactions { bytes } => {
            let total = Text::of(Role::Formula, count(cost.total, noun));
            ("transactions", total.plain(format!(" of {bytes} bytes")))
        }
        Measure::Banks { banks, .. } => {
            let total = Text::of(Role::Formula, cost.total.to_string());
            ("wavefronts", total.plain(format!(" (passes over {banks} banks)")))
        }
    };
    row(
        name,
        match cost.total == cost.ideal {
            true => total.plain(", ").with(Role::Good, "as few as can be"),
            false => total
                .plain(format!(", {} at the least: ", cost.ideal))
                .with(Role::Bad, format!("{:.2} times", cost.ratio())),
        },
    );
    // If one pass per request is ideal, the number of passes is the degree of the conflict.
    let is_one_pass = cost.ideal == cost.accesses;
    let ways = |passes| match passes {
        1 => "no conflict".to_owned(),
        passes => format!("{passes}-way bank conflict"),
    };
    let said = |each| match measure {
        Measure::Transactions { .. } => count(each, noun),
        Measure::Banks { .. } if is_one_pass => ways(each),
        Measure::Banks { .. } => count(each, noun),
    };
    if let Measure::Banks { .. } = measure {
        let conflicts = cost.total.saturating_sub(cost.ideal);
        let text = match conflicts {
            0 => Text::of(Role::Good, "none"),
            _ => Text::of(Role::Bad, conflicts.to_string()).plain(match is_one_pass {
                true => ", the passes beyond the first of each request",
                false => ", the passes beyond those that the words of a request need",
            }),
        };
        row("conflicts", text);
    }
    row("per request", spread(cost, &said));
    if let Some(worst) = cost.worst.as_ref().filter(|worst| worst.cost > worst.ideal) {
        let is_conflict = is_one_pass && matches!(measure, Measure::Banks { .. });
        row("first worst", worst_text(worst, &said, is_conflict));
    }
    text.append(basis(cost));
    if call.has(EXPLAIN) {
        for (name, map) in &input.steps {
            text.push(Role::Name, format!("\n{name:13}"));
            text.push(Role::Formula, print_map(map, call.session.style));
        }
        text.push(Role::Name, format!("\n{:13}", "position"));
        text.push(Role::Formula, print_map(&cost.position, call.session.style));
    }
    text
}

/// Returns `warps of 32 along thread (256) to 1024 elements of 4 bytes, vector at once`
fn who(input: &Input, elements: u128) -> String {
    let Input { grid, memory, .. } = input;
    let domain = input.position.domain();
    let bits = memory.element_bits;
    let size = match bits % 8 {
        0 => count(bits / 8, "byte"),
        _ => count(bits, "bit"),
    };
    let vector = match grid.vector() {
        [] => String::new(),
        vector => format!(", {} at once", names(domain, vector).join(", ")),
    };
    format!(
        "warps of {} along {} to {} of {size}{vector}",
        grid.warp(),
        along(domain, grid),
        count(i128::try_from(elements).unwrap_or(i128::MAX), "element")
    )
}

/// Returns `thread_x (32), thread_y (8)`
fn along(domain: &Domain, grid: &Grid) -> String {
    let names = names(domain, grid.threads());
    let sizes = names.iter().zip(grid.block());
    let sized: Vec<String> = sizes.map(|(name, size)| format!("{name} ({size})")).collect();
    sized.join(", ")
}

fn names(domain: &Domain, ids: &[VariableId]) -> Vec<String> {
    let variables = ids.iter().filter_map(|id| domain.variables().get(id.index()));
    variables.map(|variable| variable.name.to_string()).collect()
}

/// The maximal number of printed lines of a spread.
const MOST_SHOWN: usize = 8;

fn spread(cost: &Cost, said: &dyn Fn(u64) -> String) -> Text {
    let shown = cost.spread.iter().take(MOST_SHOWN);
    let mut list: Vec<String> = shown
        .map(|(each, accesses)| match cost.spread.len() {
            1 => said(*each),
            _ => format!("{} in {accesses}", said(*each)),
        })
        .collect();
    if cost.spread.len() > MOST_SHOWN {
        let (most, accesses) = cost.spread.last().copied().unwrap_or_default();
        list.push(format!("..., {} in {accesses}", said(most)));
    }
    Text::of(Role::Plain, list.join(", "))
}

fn worst_text(worst: &Worst, said: &dyn Fn(u64) -> String, is_conflict: bool) -> Text {
    let at: Vec<String> =
        worst.at.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    let at = match at.is_empty() {
        true => String::new(),
        false => format!("{}: ", at.join(", ")),
    };
    Text::of(Role::Plain, at).with(Role::Bad, said(worst.cost)).plain(match is_conflict {
        true => String::new(),
        false => format!(", {} at the least", worst.ideal),
    })
}

fn basis(cost: &Cost) -> Text {
    match cost.basis {
        Coverage::Exact => Text::of(
            Role::Faint,
            format!(
                "\n(exact: {} of {} evaluated, one of each class of equal ones)",
                cost.looked_at, cost.all
            ),
        ),
        Coverage::Counted => {
            Text::of(Role::Faint, "\n(counted: each request with an active lane was evaluated)")
        }
        Coverage::Sampled => Text::of(
            Role::Doubtful,
            format!(
                "\nsampled: the numbers are those of {} requests of {}, not of the others",
                cost.looked_at, cost.all
            ),
        ),
    }
}

fn object(call: &Call<'_>, input: &Input, cost: &Cost) -> Object {
    let (grid, memory) = (&input.grid, &input.memory);
    let domain = input.position.domain();
    let unit = match memory.measure {
        Measure::Transactions { .. } => "transactions",
        Measure::Banks { .. } => "passes",
    };
    let spread = cost.spread.iter().map(|(each, accesses)| {
        let object = Object::nested().with(unit, *each);
        object.with("accesses", Wide(*accesses))
    });
    let json = Object::new().with(unit, Wide(cost.total)).with("ideal", Wide(cost.ideal));
    let json = match memory.measure {
        Measure::Transactions { .. } => json,
        Measure::Banks { .. } => {
            json.with("conflicts", Wide(cost.total.saturating_sub(cost.ideal)))
        }
    };
    let json = json
        .with("ratio", cost.ratio())
        .with("accesses", Wide(cost.accesses))
        .with("elements", Wide(cost.elements))
        .with("per_access", spread.collect::<Vec<_>>())
        .with_some("worst", cost.worst.as_ref().map(|worst| worst_object(worst, unit)))
        .with("basis", cost.basis)
        .with("looked_at", Wide(cost.looked_at))
        .with("all", Wide(cost.all))
        .with("threads", names(domain, grid.threads()))
        .with("block", grid.block())
        .with("vector", names(domain, grid.vector()))
        .with("warp", grid.warp())
        .with("element_bits", memory.element_bits);
    let json = match memory.measure {
        Measure::Transactions { bytes } => json.with("transaction_bytes", bytes),
        Measure::Banks { banks, bytes } => json.with("banks", banks).with("word_bytes", bytes),
    };
    let json = match input.values.as_slice() {
        [] => json,
        values => {
            let values = values.iter().map(|(name, value)| (&**name, *value));
            json.with("bound", values_object(values))
        }
    };
    let json = json.with("position", print_map(&cost.position, Style::Plain));
    if !call.has(EXPLAIN) {
        return json;
    }
    let steps = input.steps.iter().map(|(name, map)| {
        let object = Object::nested().with("what", *name);
        object.with("map", print_map(map, Style::Plain))
    });
    json.with("maps", steps.collect::<Vec<_>>())
}

fn values_object<'a>(values: impl Iterator<Item = (&'a str, i64)>) -> Object {
    values.fold(Object::nested(), |object, (name, value)| object.with(name, value))
}

fn worst_object(worst: &Worst, unit: &str) -> Object {
    let at = values_object(worst.at.iter().map(|(name, value)| (&**name, *value)));
    Object::nested().with("at", at).with(unit, worst.cost).with("ideal", worst.ideal)
}
