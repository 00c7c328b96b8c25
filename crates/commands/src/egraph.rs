//! `egraph`: the e-graph in which a map's results are simplified.

use super::arguments::Argument;
use super::failure::Failure;
use super::lines::not_written;
use super::option::{C, Flag, Setting, positive, text};
use super::output::{Object, Output, Role, Text, clipped};
use super::simplifier::effort;
use super::table::{Call, Command, Kind, Parameter};
use super::words::count;
use affinor::expr::Expr;
use affinor::simplify::Effort;
use affinor::text::{print_expr, variable_names};
use affinor_draw::{Diagram, boxes, dot};
use serde_json::Value;

const DOT: Setting<Argument> =
    Setting::new("dot", "FILE", "write it for Graphviz instead (`-`: as the answer)", text)
        .excluding(&[SVG.switch]);

const SVG: Setting<Argument> =
    Setting::new("svg", "FILE", "write it as a picture instead (`-`: as the answer)", text);

const EFFORT: Setting<Effort> = Setting::new(
    "effort",
    "0|1|2",
    "0: as given, before any rule; 1: a few rounds of rewriting (default); 2: many",
    effort,
);

const MOST: Setting<u64> = Setting::new(
    "most",
    "COUNT",
    "at most this many nodes and this many unions (default 24)",
    positive,
);

const JSON: Flag = Flag::new("json", "as one line of JSON");

pub const EGRAPH: Command = Command {
    name: "egraph",
    parameters: &[Parameter::required("MAP", Kind::Map)],
    options: &[DOT.switch, SVG.switch, EFFORT.switch, MOST.switch, JSON.switch, C.switch],
    summary: "show the e-graph in which the results of MAP are simplified",
    details: "An e-class `#1` contains equal terms: it is printed with its smallest term, the range and residue of its value,\n\
              and its e-nodes. The unions follow: both sides and the rule, or `arithmetic`, written with the smallest terms known at\n\
              that time. An e-class that is only a variable or an integer is printed as that.\n\
              The e-graph contains the results as given and what the rules add; `simplify` also uses a\n\
              strategy, so its answer may be smaller. In Graphviz output, dotted edges are unions.",
    example: &["egraph (d0, d1) -> ((d0 * 8 + d1) floordiv 8), domain: d0 in [0, 9], d1 in [0, 7]"],
    makes_map: false,
    keys: r##"
    "by_strategy": {
      "description": "Of `egraph`: results that `simplify` makes smaller than any form in the e-graph.",
      "type": "array",
      "items": { "type": "object", "required": ["left", "right"] }
    }"##,
    run,
};

/// The default for the maximum number of nodes, and of unions, that are shown.
const SHOWN: u64 = 24;

fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    let argument = call.argument(0)?.clone();
    let map = call.map(&argument)?;
    let most = usize::try_from(call.value(&MOST)?.unwrap_or(SHOWN)).unwrap_or(usize::MAX);
    let simplifier = call.uncounted_simplifier()?;
    let graph = simplifier.egraph(&map, &call.search_options()?, most);
    let graph = graph.map_err(|error| argument.blame(error))?;
    call.go_on()?;
    let diagram = Diagram::of(&graph, simplifier.rules(), call.session.style);
    // The strategy, which `simplify` runs first, finds forms that a few rounds of rewriting do not find.
    let simplified = simplifier.simplify(&map, &call.search_options()?).map;
    let names = variable_names(map.domain());
    let written = |expr: &Expr| print_expr(expr, &names, call.session.style);
    let pairs = map.results().iter().zip(simplified.results());
    let pairs = pairs.map(|(given, simple)| (written(given), written(simple)));
    let is_found = |simple: &String| {
        let mut smallest = diagram.classes.iter().map(|class| &class.smallest);
        diagram.results.contains(simple) || smallest.any(|found| found == simple)
    };
    let by_strategy: Vec<(String, String)> =
        pairs.filter(|(_, simple)| !is_found(simple)).collect();
    let mut ending =
        format!("{} of rewriting, {}", count(graph.rounds, "round"), count(graph.nodes, "node"));
    if let Some(stopped) = graph.stopped {
        ending += &format!("; stopped at a bound ({stopped})");
    }
    let mut json = Object::new()
        .with("results", diagram.results.clone())
        .with("classes", classes(&diagram))
        .with("unions", unions(&diagram))
        .with_some(
            "by_strategy",
            (!by_strategy.is_empty()).then(|| {
                let pair = |(given, simple): &(String, String)| {
                    Object::nested().with("left", given.as_str()).with("right", simple.as_str())
                };
                by_strategy.iter().map(pair).collect::<Vec<Object>>()
            }),
        )
        .with("rounds", graph.rounds)
        .with("nodes", graph.nodes)
        .with("complete", graph.stopped.is_none())
        .with_some("stopped_at", graph.stopped)
        .with_some("left_out", diagram.left_out.clone());
    let text = match drawn(call, &diagram)? {
        Some((text, name, value)) => {
            json = json.with(name, value);
            text
        }
        None => {
            let mut text = table(&diagram);
            for (result, smaller) in &by_strategy {
                text.push(Role::Faint, "\n`simplify` joins, by its strategy");
                text.push(Role::Formula, format!("\n  {result} = {smaller}"));
            }
            text.push(Role::Faint, format!("\n{ending}"));
            if let Some(left_out) = &diagram.left_out {
                text.push(Role::Faint, format!("\n{left_out}"));
            }
            text
        }
    };
    let output = match call.has(JSON) {
        true => Output::json_line(json),
        false => Output::new(text, json),
    };
    call.emit(output);
    Ok(())
}

/// Draws the diagram if a picture is requested, and writes it to a file or into the answer: its text, and the name and the value of
/// its field.
fn drawn(
    call: &mut Call<'_>,
    diagram: &Diagram,
) -> Result<Option<(Text, &'static str, String)>, Failure> {
    let pictures = [("dot", dot as fn(&Diagram) -> String), ("svg", boxes)];
    let wanted = pictures
        .into_iter()
        .find_map(|(name, draw)| Some((name, call.arguments.value(name)?.clone(), draw)));
    let Some((name, path, draw)) = wanted else {
        return Ok(None);
    };
    let drawn = draw(diagram);
    if path.text == "-" {
        return Ok(Some((Text::new().plain(drawn.trim_end()), name, drawn)));
    }
    let written = call.host.write(&path.text, drawn.as_bytes());
    written.map_err(|error| path.blame(not_written(&path.text, &error)))?;
    let classes = match diagram.classes.len() {
        1 => "1 class".to_owned(),
        number => format!("{number} classes"),
    };
    let note = format!("{classes} written to {}", clipped(&path.text));
    Ok(Some((Text::of(Role::Faint, note), name, path.text)))
}

/// Formats the classes as a table, and the unions as a list.
fn table(diagram: &Diagram) -> Text {
    let mut text = Text::of(Role::Faint, "results ");
    text.push(Role::Formula, format!("({})", diagram.results.join(", ")));
    if diagram.classes.is_empty() {
        text.push(Role::Faint, "\nno e-class: every result is a variable or an integer");
        return text;
    }
    let mut rows = vec![["class", "smallest", "range", "nodes"].map(str::to_owned)];
    for class in &diagram.classes {
        let mut first = [class.name.clone(), class.smallest.clone(), class.known()];
        let nodes = class.nodes.iter().map(|node| node.term.clone()).chain(class.more());
        for node in nodes {
            let [name, smallest, range] = std::mem::take(&mut first);
            rows.push([name, smallest, range, node]);
        }
    }
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.max().unwrap_or(0) + 2
    };
    let widths = [width(0), width(1), width(2)];
    for (number, [name, smallest, range, node]) in rows.iter().enumerate() {
        let [first, second, third] = widths;
        let roles = match number {
            0 => [Role::Faint; 4],
            _ => [Role::Name, Role::Formula, Role::Faint, Role::Formula],
        };
        text.push(roles[0], format!("\n{name:first$}"));
        text.push(roles[1], format!("{smallest:second$}"));
        text.push(roles[2], format!("{range:third$}"));
        text.push(roles[3], node.as_str());
    }
    for (number, union) in diagram.unions.iter().enumerate() {
        text.push(Role::Faint, if number == 0 { "\nunions" } else { "" });
        let name = diagram.classes.get(union.class).map(|class| &class.name);
        text.push(Role::Name, format!("\n  {}", name.map_or("", |name| name)));
        text.push(Role::Formula, format!("  {} = {}", union.left, union.right));
        text.push(Role::Plain, "  by ");
        text.push(Role::Name, union.reason.as_str());
    }
    text
}

fn classes(diagram: &Diagram) -> Value {
    let classes = diagram.classes.iter().map(|class| -> Value {
        let nodes = class.nodes.iter().map(|node| node.term.as_str());
        let residue = class
            .residue
            .map(|(modulus, value)| Object::nested().with("modulus", modulus).with("value", value));
        Object::nested()
            .with("class", class.name.as_str())
            .with("smallest", class.smallest.as_str())
            .with("range", class.range)
            .with_some("residue", residue)
            .with("nodes", nodes.collect::<Value>())
            .with("left_out", class.left_out)
            .into()
    });
    classes.collect()
}

fn unions(diagram: &Diagram) -> Value {
    let unions = diagram.unions.iter().map(|union| -> Value {
        let class = diagram.classes.get(union.class);
        Object::nested()
            .with_some("class", class.map(|class| class.name.as_str()))
            .with("left", union.left.as_str())
            .with("right", union.right.as_str())
            .with("by", union.reason.as_str())
            .into()
    });
    unions.collect()
}
