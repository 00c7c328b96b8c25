//! Tiles of answers, compared with the elements that are read for the elements of each tile.

use super::answers::{ask, numbers, path, text};
use super::cells::indices_of;
use super::compare::{Asked, FRAMES, Pair, Ran, Tally, pair};
use super::random::Random;
use super::shape::Array;
use affinor::text::{parse_constraint, parse_expr, parse_map};
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};

/// Checks the tiles of all instructions for sizes drawn at random, in both directions.
pub fn tiles(
    ran: &Ran<'_>,
    text_of: &str,
    random: &mut Random,
    tally: &mut Tally,
) -> Result<(), String> {
    for direction in ["", " --direction input-to-output"] {
        let ranks: Vec<usize> = ranks(ran, !direction.is_empty());
        if ranks.is_empty() {
            continue;
        }
        let rank = random.pick(&ranks);
        let sizes: Vec<i64> = (0..rank).map(|_| random.within(1, 4)).collect();
        let list: Vec<String> = sizes.iter().map(i64::to_string).collect();
        let line = format!("hlo model.hlo --tile {}{direction}", list.join(","));
        for object in ask(&[("model.hlo", text_of)], &line)? {
            let computation = ran.computation(text(&object["computation"]));
            let computation = computation.ok_or("no such computation")?;
            let number = ran.instruction(computation, text(&object["instruction"]));
            let number = number.ok_or("no such instruction")?;
            let frames = ran.run.frames.iter();
            let frames = frames.filter(|(_, frame)| frame.computation == computation);
            for (at, _) in frames.take(FRAMES) {
                let asked =
                    Asked { ran, at, computation: &ran.program.computations[computation], number };
                let found = of_instruction(&asked, &object, &sizes, !direction.is_empty(), tally);
                let name = text(&object["instruction"]);
                found.map_err(|error| format!("{line}, {name}: {error}"))?;
            }
        }
    }
    Ok(())
}

/// Returns the ranks of the arrays that can be divided.
fn ranks(ran: &Ran<'_>, is_backwards: bool) -> Vec<usize> {
    let mut ranks = Vec::new();
    for instruction in &ran.program.entry().instructions {
        let operands = instruction.operands.iter();
        let shapes = match is_backwards {
            false => vec![&instruction.shape],
            true => operands.map(|k| &ran.program.entry().instructions[*k].shape).collect(),
        };
        let arrays = shapes.into_iter().filter_map(|shape| shape.array());
        ranks.extend(arrays.map(|array| array.sizes.len()).filter(|rank| *rank > 0));
    }
    ranks
}

fn of_instruction(
    asked: &Asked<'_>,
    object: &Json,
    sizes: &[i64],
    is_backwards: bool,
    tally: &mut Tally,
) -> Result<(), String> {
    let instruction = &asked.computation.instructions[asked.number];
    let reads = &asked.ran.run.frames[asked.at].reads[asked.number];
    for entry in object["operands"].as_array().into_iter().flatten() {
        let k = entry["operand"].as_u64().unwrap_or_default() as usize;
        let shape = &asked.computation.instructions[instruction.operands[k]].shape;
        let output = super::compare::leaf(&instruction.shape, &path(&entry["output"]));
        let leaf = super::compare::leaf(shape, &path(&entry["operand_path"]));
        let (Some(output), Some(leaf)) = (output, leaf) else {
            return Err(format!("no such parts: {entry}"));
        };
        let forwards = pair(&instruction.shape, shape, reads, (output, k, leaf));
        let inverse = forwards.inverse();
        let pair = if is_backwards { &inverse } else { &forwards };
        if pair.from.sizes.len() == sizes.len() {
            tally.add("(tile)", of_pair(asked, entry, pair, sizes)?);
        }
    }
    Ok(())
}

fn of_pair(
    asked: &Asked<'_>,
    entry: &Json,
    pair: &Pair<'_>,
    sizes: &[i64],
) -> Result<&'static str, String> {
    let Some(tiles) = entry["tiles"].as_array() else {
        return Ok("unknown");
    };
    let mut is_known = true;
    let mut is_exact = true;
    let sides = pair.from.sizes.iter().zip(sizes);
    let counts: Vec<i64> = sides.map(|(all, size)| (all + size - 1) / size).collect();
    for number in indices_of(&counts) {
        let held = pair.from.indices().enumerate().filter(|(_, index)| {
            let places = index.iter().zip(sizes).map(|(i, size)| i / size);
            places.eq(number.iter().copied())
        });
        let truth: BTreeSet<usize> =
            held.flat_map(|(e, _)| pair.reads[e].iter().copied()).collect();
        let mut left = truth.clone();
        for tile in tiles {
            let Some(sides) = tile["sides"].as_array() else {
                is_known &= tile["elements"] == 0;
                continue;
            };
            if !tile["counts"].is_null() && numbers(&tile["counts"]) != counts {
                return Err(format!("there are {counts:?} tiles: {tile}"));
            }
            let tile_is_exact = tile["exact"] == true;
            is_exact &= tile_is_exact;
            let Some(values) = values(asked, tile, &number)? else {
                continue;
            };
            let held = elements(sides, &values, pair.to);
            for element in held.map_err(|error| format!("{error}: {tile}"))? {
                left.remove(&element);
                if tile_is_exact && !truth.contains(&element) {
                    let element = pair.to.index(element);
                    return Err(format!("tile {number:?} does not read {element:?}: {tile}"));
                }
            }
        }
        if let (true, Some(element)) = (is_known, left.first()) {
            let element = pair.to.index(*element);
            return Err(format!("tile {number:?} reads {element:?} as well: {entry}"));
        }
    }
    Ok(match (is_known, is_exact) {
        (false, _) => "unknown",
        (true, true) => "exact",
        (true, false) => "at most",
    })
}

/// Returns the values of the tile's variables; `None` if nothing is read for them.
fn values(
    asked: &Asked<'_>,
    tile: &Json,
    number: &[i64],
) -> Result<Option<BTreeMap<String, i64>>, String> {
    let mut values: BTreeMap<String, i64> = BTreeMap::new();
    for (k, value) in number.iter().enumerate() {
        values.insert(format!("t{k}"), *value);
    }
    for runtime in tile["runtime"].as_array().into_iter().flatten() {
        if runtime["one_value"] != true {
            continue;
        }
        let map = parse_map(text(&runtime["map"])).map_err(|error| error.to_string())?;
        let variables = map.domain().variables().iter();
        let point: Option<Vec<i64>> = variables.map(|v| values.get(&*v.name).copied()).collect();
        let point = point.ok_or_else(|| format!("an index over other variables: {runtime}"))?;
        if !map.domain().contains(&point).map_err(|error| format!("{error:?}"))? {
            return Ok(None);
        }
        let index = map.eval(&point).map_err(|error| format!("{error:?}"))?;
        let instruction = &asked.computation.instructions[asked.number];
        let operands = &instruction.operands;
        let found = asked.ran.value(asked.at, Some(asked.number), operands, runtime, &index)?;
        let Some(found) = found else {
            return Ok(None); // a branch that is not taken reads nothing
        };
        let clamp = numbers(&runtime["clamp"]);
        let value = found.min(clamp[1]).max(clamp[0]);
        values.insert(text(&runtime["var"]).to_owned(), value);
    }
    for (name, bounds) in tile["grid"].as_object().into_iter().flatten() {
        let bounds = numbers(bounds);
        match values.get(name) {
            None => return Err(format!("{name} has no value: {tile}")),
            Some(value) if !(bounds[0]..=bounds[1]).contains(value) => return Ok(None),
            Some(_) => {}
        }
    }
    let (names, point): (Vec<&String>, Vec<i64>) = values.iter().unzip();
    for constraint in tile["constraints"].as_array().into_iter().flatten() {
        let found = parse_constraint(text(constraint), &names);
        let (expr, bounds) = found.map_err(|error| format!("{constraint}: {error}"))?;
        let value = expr.eval(&point).map_err(|error| format!("{error:?}"))?;
        if !bounds.contains(value) {
            return Ok(None);
        }
    }
    Ok(Some(values))
}

/// Returns the elements of the array in the tile.
fn elements(
    sides: &[Json],
    values: &BTreeMap<String, i64>,
    array: &Array,
) -> Result<Vec<usize>, String> {
    let (names, point): (Vec<&String>, Vec<i64>) = values.iter().unzip();
    let value = |json: &Json| -> Result<i64, String> {
        let expr = parse_expr(text(json), &names).map_err(|error| format!("{json}: {error}"))?;
        expr.eval(&point).map_err(|error| format!("{error:?}"))
    };
    let mut places: Vec<Vec<i64>> = vec![Vec::new()];
    for side in sides {
        let offset = value(&side["offset"])?;
        let last = match &side["last"] {
            Json::Null => i64::MAX,
            last => value(last)?,
        };
        let within = numbers(&side["within"]);
        let count = side["size"].as_i64().unwrap_or_default();
        let stride = side["stride"].as_i64().unwrap_or_default();
        let held = (0..count).map(|k| offset + k * stride);
        let held = held.filter(|i| *i <= last && (within[0]..=within[1]).contains(i));
        let held: Vec<i64> = held.collect();
        let longer =
            places.iter().flat_map(|place| held.iter().map(|i| [&place[..], &[*i]].concat()));
        places = longer.collect();
    }
    let fits = |index: &Vec<i64>| {
        let mut sides = index.iter().zip(&array.sizes);
        index.len() == array.sizes.len() && sides.all(|(i, size)| (0..*size).contains(i))
    };
    let (inside, outside): (Vec<_>, Vec<_>) = places.into_iter().partition(fits);
    match outside.first() {
        Some(index) => Err(format!("a tile with {index:?} of {array}")),
        None => Ok(inside.iter().map(|index| array.number(index)).collect()),
    }
}
