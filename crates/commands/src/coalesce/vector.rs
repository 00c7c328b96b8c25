//! `vector`: the maximal number of elements of one access.

use super::input::{Accessed, variables};
use crate::arguments::Argument;
use crate::failure::Failure;
use crate::option::{C, Setting, size, text};
use crate::output::{Object, Output, Role, Status, Text};
use crate::table::{Call, Command, Kind, Parameter};
use crate::verdict::{at, point_object};
use crate::words::count;
use affinor::expr::{Domain, Expr, IndexingMap, VariableId, VariableKind};
use affinor::text::{ErrorKind, Style, print_expr, variable_names};
use affinor_ops::footprint::access::{Less, Reason, Vectors, vectors};

const LANE: Setting<Argument> = Setting::new(
    "lane",
    "NAME",
    "the variable whose consecutive values are accessed together (default: the last dimension)",
    text,
);

const WIDTH: Setting<i64> =
    Setting::new("bytes", "BYTES", "bytes of the widest access (default 16)", size);

const ELEMENT: Setting<i64> =
    Setting::new("element", "BYTES", "bytes per element if no shape gives it (default 4)", size);

pub const VECTOR: Command = Command {
    name: "vector",
    parameters: &[
        Parameter::required("MAP", Kind::Map),
        Parameter::optional("in LAYOUT", Kind::Shape(&[])),
    ],
    options: &[LANE.switch, WIDTH.switch, ELEMENT.switch, C.switch],
    summary: "find the widest vector access along a variable that is right for every value of the others",
    details: "MAP and LAYOUT are as for `coalesce`. From the least lane on, each group of 2, 4, 8, .. lanes must be whole (where one\n\
              lane is in the domain, all are), have consecutive positions, and begin at a multiple of their number, for an array\n\
              at an address that is a multiple of the width. That is proved for all groups, and for all sizes that have\n\
              names; the first width that is not right is given with the point that shows it. `contiguous` and `divisible`\n\
              are contiguity and divisibility in Triton's terms (the latter of the first position of each contiguous group);\n\
              `constant` is the number of lanes that read one element together.",
    example: &[
        "vector (i, j) -> (i * 48 + j), domain: i in [0, 9], j in [0, 47]",
        "vector (i, j) -> (i, j), domain: i in [0, 63], j in [0, 63] in f16[64,64]{1,0} --lane j",
    ],
    makes_map: false,
    keys: "",
    run,
};

fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    let (position, bits, blamed) = Accessed::given(call)?.position()?;
    let domain = position.domain();
    let lane = match call.text_of(&LANE) {
        Some(given) => match variables(given, domain)?[..] {
            [lane] => lane,
            _ => return Err(given.wrong(ErrorKind::Usage, "lanes are values of one variable")),
        },
        None => domain.ids(VariableKind::Dimension).last().ok_or_else(|| {
            blamed.wrong(ErrorKind::Usage, "the map has no dimension").hint("name one: `--lane s0`")
        })?,
    };
    if let (Some(_), Some(given)) = (bits, call.text_of(&ELEMENT)) {
        return Err(given.wrong(ErrorKind::Usage, "the shape already gives the element size"));
    }
    let of_option = call.value(&ELEMENT)?.unwrap_or(4).saturating_mul(8);
    let element_bits = bits.unwrap_or(of_option);
    let most = call.value(&WIDTH)?.unwrap_or(16).saturating_mul(8) / element_bits;
    let found = vectors(&position, lane, most, &call.proof_budget());
    let found = found.map_err(|error| blamed.blame(error))?;
    call.go_on()?;
    let stride = stride(call, &position, lane)?;
    call.emit(output(domain, lane, element_bits, &found, stride));
    Ok(())
}

/// Returns the distance of two neighbours, as a number or in terms of sizes, if it is the same everywhere.
fn stride(
    call: &Call<'_>,
    position: &IndexingMap,
    lane: VariableId,
) -> Result<Option<String>, Failure> {
    let domain = position.domain();
    let count = u32::try_from(domain.variables().len()).unwrap_or(u32::MAX);
    let mut next: Vec<Expr> = (0..count).map(|id| Expr::variable(VariableId(id))).collect();
    let moved = next[lane.index()].add(&Expr::constant(1));
    let Ok(moved) = moved else { return Ok(None) };
    next[lane.index()] = moved;
    let results = position.results().iter();
    let steps = results.map(|result| result.substitute(&next)?.sub(result));
    let Ok(steps) = steps.collect::<Result<Vec<Expr>, _>>() else { return Ok(None) };
    // The distance counts only where both neighbours are in the domain.
    let Some(there) = position.over(domain, &next) else { return Ok(None) };
    let mut both = there.domain().clone();
    for constraint in domain.constraints() {
        both.constrain(&constraint.expr, constraint.bounds);
    }
    let difference = IndexingMap::new(both, steps);
    let simple = call.simplifier()?.simplify(&difference, &call.search_options()?).map;
    let is_fixed =
        |step: &&Expr| step.variables().iter().all(|id| simple.domain().is_parameter(*id));
    let names = variable_names(simple.domain());
    let step = simple.results().first().filter(is_fixed);
    Ok(step.map(|step| print_expr(step, &names, Style::Plain)))
}

fn output(
    domain: &Domain,
    lane: VariableId,
    element_bits: i64,
    found: &Vectors,
    stride: Option<String>,
) -> Output {
    let name = variable_names(domain)[lane.index()].to_string();
    let elements = |number: i64| count(usize::try_from(number).unwrap_or(0), "element");
    let bytes = |number: i64| match (number * element_bits) % 8 {
        0 => count(usize::try_from(number * element_bits / 8).unwrap_or(0), "byte"),
        _ => count(usize::try_from(number * element_bits).unwrap_or(0), "bit"),
    };
    let mut text = Text::of(Role::Good, elements(found.widest));
    text.push(Role::Plain, format!(" at a time along {name}: {}", bytes(found.widest)));
    let mut status = Status::Done;
    if let Some(less) = &found.less {
        let reason = match &less.reason {
            Reason::Unknown => {
                status = Status::Undecided;
                "it was not decided whether all groups are whole, consecutive and aligned"
                    .to_owned()
            }
            Reason::Partial { inside, missing } => {
                let place = place(inside, domain);
                format!("the group {place} is cut: {name} = {missing} is not in the domain")
            }
            Reason::Apart { point, beyond } => {
                let place = place(point, domain);
                format!(
                    "the position {place} is {beyond} beyond that of the first lane of its group"
                )
            }
            Reason::Misaligned { point, position } => {
                let place = place(point, domain);
                format!(
                    "the group {place} begins at position {position}, no multiple of {}",
                    less.lanes
                )
            }
        };
        text.push(Role::Plain, format!("\n  not {}: {reason}", less.lanes));
    }
    let shown = stride.as_deref().unwrap_or("not constant");
    let (contiguous, divisible) = (found.contiguous, found.divisible);
    text.push(
        Role::Faint,
        format!(
            "\n  contiguous {contiguous}, divisible by {divisible}, constant {}, stride {shown}",
            found.constant
        ),
    );
    let json = Object::new()
        .with("lane", name)
        .with("elements", found.widest)
        .with("bits", found.widest * element_bits)
        .with("contiguous", contiguous)
        .with("divisible", divisible)
        .with("constant", found.constant)
        .with("stride", stride)
        .with_some("less", found.less.as_ref().map(|less| less_object(less, domain)));
    Output::new(text, json).status(status)
}

/// Returns `at d0 = 1, d1 = 2`, inside a sentence.
fn place(point: &[i64], domain: &Domain) -> String {
    at(point, domain).trim_end().to_owned()
}

fn less_object(less: &Less, domain: &Domain) -> Object {
    let object =
        |reason: &str| Object::nested().with("elements", less.lanes).with("reason", reason);
    match &less.reason {
        Reason::Partial { inside, missing } => {
            object("partial").with("point", point_object(inside, domain)).with("missing", *missing)
        }
        Reason::Apart { point, beyond } => object("apart")
            .with("point", point_object(point, domain))
            .with("beyond", beyond.to_string()),
        Reason::Misaligned { point, position } => object("misaligned")
            .with("point", point_object(point, domain))
            .with("position", position.to_string()),
        Reason::Unknown => object("unknown"),
    }
}
