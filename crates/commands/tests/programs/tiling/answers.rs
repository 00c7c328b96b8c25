//! JSON answers of `hlo --tile` about random programs, compared with runs of these: a tile's elements are counted from the
//! origin of the array.
//!
//! `PROGRAMS=5000 SEED=7 cargo test -p affinor-commands --test programs random_programs` tries others.

use super::program::{Draft, Element, Program, indices, list};
use super::random::Random;
use crate::support::memory::Memory;
use affinor::expr::VariableKind;
use affinor::text::parse_map;
use affinor_commands::Session;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::env;

/// Returns the answer for the instruction `f`.
fn answer(text: &str, sizes: &[i64], direction: &str) -> Value {
    let mut host = Memory::default();
    host.files.insert("m.hlo", text.as_bytes().to_vec());
    let line = format!(
        "hlo m.hlo --computation main --instruction f --tile {} --direction {direction}",
        list(sizes)
    );
    let result = Session::new().run(&line, &mut host);
    assert!(result.is_ok(), "{line}: {result:?}\n{text}");
    assert_eq!(host.reports, [], "{line}\n{text}");
    let json = host.outputs.first().and_then(|output| output.json.clone());
    Value::Object(json.expect("an answer"))
}

fn integer(value: &Value) -> i64 {
    value.as_i64().unwrap_or_else(|| panic!("{value} is not an integer"))
}

fn text_of(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("{value} is not a text"))
}

/// Returns `t0`, `t1`, .., then the runtime variables, each with its bounds.
fn grid(tile: &Value) -> Vec<(String, [i64; 2])> {
    let grid = tile["grid"].as_object().expect("a grid");
    let mut names: Vec<&String> = grid.keys().collect();
    names.sort_by_key(|name| {
        let digits = name.trim_start_matches(['r', 't']);
        (name.starts_with('r'), digits.parse::<u32>().expect("a number"))
    });
    let bounds = |name: &String| [0, 1].map(|end| integer(&grid[name][end]));
    names.iter().map(|name| ((*name).clone(), bounds(name))).collect()
}

/// Returns the elements of the tile with these numbers, with the program's parameters as values of the runtime variables;
/// `None` if no claim is made.
fn elements(tile: &Value, at: &[i64], program: &Program) -> Option<BTreeSet<Vec<i64>>> {
    let Some(sides) = tile["sides"].as_array() else {
        // Either nothing is read, or a reason is given why the tile is unknown.
        return tile["reason"].is_null().then(BTreeSet::new);
    };
    let grid = grid(tile);
    let mut known: BTreeMap<&str, i64> = BTreeMap::new();
    for ((name, bounds), t) in grid.iter().zip(at) {
        if !(bounds[0]..=bounds[1]).contains(t) {
            return Some(BTreeSet::new());
        }
        known.insert(name, *t);
    }
    for value in tile["runtime"].as_array().expect("runtime variables") {
        if value["one_value"] != true {
            continue;
        }
        let index = parse_map(text_of(&value["map"])).expect("the index of a value");
        assert_eq!(index.domain().count(VariableKind::Range), 0, "{tile}");
        let variables = index.domain().variables().iter();
        let point: Vec<i64> = variables.map(|variable| known[&*variable.name]).collect();
        if index.domain().contains(&point) != Ok(true) {
            return Some(BTreeSet::new());
        }
        let index = index.eval(&point).expect("small numbers");
        let operand = integer(&value["operand"]) as usize;
        let parameter = program.operands[operand].expect("no constant");
        // If the other values imply that nothing is read, this index may be outside of the parameter.
        let Some(element) = program.parameters[parameter].at(&index) else {
            return Some(BTreeSet::new());
        };
        let element = element.value;
        let clamp = [0, 1].map(|end| integer(&value["clamp"][end]));
        known.insert(text_of(&value["var"]), element.clamp(clamp[0], clamp[1]));
    }
    let is_inside = |(name, bounds): &(String, [i64; 2])| {
        (bounds[0]..=bounds[1]).contains(&known[name.as_str()])
    };
    if !grid.iter().all(is_inside) {
        return Some(BTreeSet::new());
    }
    let names: Vec<&str> = grid.iter().map(|(name, _)| name.as_str()).collect();
    let (tiles, runtime) = names.split_at(at.len());
    let bounds = grid.iter().map(|(name, [lo, hi])| format!("{name} in [{lo}, {hi}]"));
    let constraints = tile["constraints"].as_array().expect("constraints").iter();
    let domain: Vec<String> =
        bounds.chain(constraints.map(|constraint| text_of(constraint).to_owned())).collect();
    let point: Vec<i64> = names.iter().map(|name| known[name]).collect();
    // The offsets and last elements.
    let mut ends: Vec<&str> = Vec::new();
    for side in sides {
        ends.push(text_of(&side["offset"]));
        ends.extend(side["last"].as_str());
    }
    let text = format!(
        "({}){{{}}} -> ({}), domain: {}",
        tiles.join(", "),
        runtime.join(", "),
        ends.join(", "),
        domain.join(", ")
    );
    let map = parse_map(&text).unwrap_or_else(|error| panic!("{text}: {error:?}"));
    if map.domain().contains(&point) != Ok(true) {
        return Some(BTreeSet::new());
    }
    let mut ends = map.eval(&point).expect("small numbers").into_iter();
    let mut all: Vec<Vec<i64>> = vec![Vec::new()];
    for side in sides {
        let first = ends.next().expect("an offset");
        let last = side["last"].as_str().map(|_| ends.next().expect("a last element"));
        let [lo, hi] = [0, 1].map(|end| integer(&side["within"][end]));
        let step = integer(&side["stride"]);
        let indices = (0..integer(&side["size"])).map(|k| first + k * step);
        let indices =
            indices.filter(|x| (lo..=hi).contains(x) && last.is_none_or(|last| *x <= last));
        let indices: Vec<i64> = indices.collect();
        all = all
            .iter()
            .flat_map(|start| indices.iter().map(|x| [start.as_slice(), &[*x]].concat()))
            .collect();
    }
    Some(all.into_iter().collect())
}

/// Maps the indices of a tile to the elements that they read, or that read them.
type Read<'a> = &'a dyn Fn(&[Vec<i64>]) -> BTreeSet<Vec<i64>>;

/// The numbers of exact tiles, covers and unknown answers.
#[derive(Debug, Default)]
struct Tally {
    exact: usize,
    covers: usize,
    unknown: usize,
}

impl Tally {
    /// Checks the answer about `name` for the tiles of an array of `sizes`.
    fn check(
        &mut self,
        program: &Program,
        (direction, name): (&str, &str),
        sizes: &[i64],
        read: Read<'_>,
        random: &mut Random,
    ) {
        let tile: Vec<i64> = sizes.iter().map(|size| random.within(1..=*size)).collect();
        let answer = answer(&program.text, &tile, direction);
        let about = || format!("{direction} {name}, tiles {tile:?}\n{}\n{answer:#}", program.text);
        let operands = answer["operands"].as_array().expect("operands").iter();
        let entries: Vec<&Value> = operands.filter(|entry| entry["name"] == name).collect();
        if entries.iter().any(|entry| entry["tiles"].is_null()) {
            self.unknown += 1;
            return;
        }
        let tiles = entries.iter().flat_map(|entry| entry["tiles"].as_array());
        let tiles: Vec<&Value> = tiles.flatten().collect();
        for found in &tiles {
            match found["exact"] == true {
                true => self.exact += 1,
                false => self.covers += 1,
            }
        }
        let counts: Vec<i64> = sizes.iter().zip(&tile).map(|(n, k)| (n + k - 1) / k).collect();
        for at in indices(&counts) {
            let inside = indices(&tile).into_iter().map(|i| {
                let places = at.iter().zip(&tile).zip(&i);
                places.map(|((t, k), i)| t * k + i).collect::<Vec<i64>>()
            });
            let inside = inside.filter(|index| index.iter().zip(sizes).all(|(i, n)| i < n));
            let expected = read(&inside.collect::<Vec<_>>());
            let mut together = BTreeSet::new();
            let mut is_known = true;
            for tile in &tiles {
                let Some(said) = elements(tile, &at, program) else {
                    is_known = false;
                    continue;
                };
                if tile["exact"] == true {
                    assert!(
                        said.is_subset(&expected),
                        "exact, but at {at:?} only {expected:?} of {said:?} is read: {}",
                        about()
                    );
                }
                together.extend(said);
            }
            if is_known {
                assert!(
                    expected.is_subset(&together),
                    "at {at:?} {expected:?} is read, not {together:?}: {}",
                    about()
                );
            }
        }
    }
}

#[test]
fn random_programs() {
    let number = |name, default| {
        let given = env::var(name).ok().and_then(|text| text.parse().ok());
        given.unwrap_or(default)
    };
    let mut random = Random::new(number("SEED", 0x7_11e5));
    let mut tally = Tally::default();
    let mut by_op: BTreeMap<&str, usize> = BTreeMap::new();
    for _ in 0..number("PROGRAMS", 300) {
        let program = Draft::program(&mut random);
        for op in &program.ops {
            *by_op.entry(op).or_default() += 1;
        }
        let output = &program.output;
        for (parameter, array) in program.parameters.iter().enumerate() {
            let name = format!("p{parameter}");
            let of_parameter =
                |(number, index): &Element| (*number == parameter).then(|| index.clone());
            let down = |inside: &[Vec<i64>]| {
                let cells = inside.iter().filter_map(|index| output.at(index));
                let read = cells.flat_map(|cell| cell.reads.iter().filter_map(of_parameter));
                read.collect()
            };
            tally.check(&program, ("output-to-input", &name), &output.sizes, &down, &mut random);
            if array.sizes.is_empty() {
                continue;
            }
            let up = |inside: &[Vec<i64>]| {
                let inside: BTreeSet<Element> =
                    inside.iter().map(|index| (parameter, index.clone())).collect();
                let all = indices(&output.sizes).into_iter().zip(&output.cells);
                let readers = all.filter(|(_, cell)| !cell.reads.is_disjoint(&inside));
                readers.map(|(index, _)| index).collect()
            };
            tally.check(&program, ("input-to-output", &name), &array.sizes, &up, &mut random);
        }
    }
    assert_eq!(by_op.len(), 13, "{by_op:?}");
    let is_mostly_exact = tally.exact > 2 * tally.covers && tally.exact > 20 * tally.unknown;
    assert!(is_mostly_exact, "{tally:?}");
}

/// A module's instructions share the search budget: each gets an answer, which reports whether the search was cut short.
#[test]
fn suggestions_for_a_long_module_come_to_an_end() {
    let instruction = |k: i64| {
        let shape = format!("f32[{},9,5]", k + 17);
        format!("  p{k} = {shape} parameter({k})\n  n{k} = {shape} negate(p{k})\n")
    };
    let body: String = (0..250).map(instruction).collect();
    let text =
        format!("HloModule m\nENTRY main {{\n{body}  ROOT f = (f32[17,9,5]) tuple(n0)\n}}\n");
    let mut host = Memory::default();
    host.files.insert("m.hlo", text.into_bytes());
    let result = Session::new().run("hlo m.hlo --tile suggest", &mut host);
    assert!(result.is_ok(), "{result:?}");
    assert_eq!(host.outputs.len(), 251);
    let answers = host.outputs.iter().filter_map(|output| output.json.as_ref());
    let stopped: Vec<_> = answers.filter(|json| json["complete"] == false).collect();
    assert!(!stopped.is_empty());
    let is_said = |json: &Map<String, Value>| json["stopped_at"] == "the budget of steps";
    assert!(stopped.iter().all(|json| is_said(json)));
    // Some of them have suggestions: the best found before the end of the search.
    let some = |found: &Value| found.as_array().is_some_and(|found| !found.is_empty());
    assert!(stopped.iter().any(|json| some(&json["suggestions"])));
}
