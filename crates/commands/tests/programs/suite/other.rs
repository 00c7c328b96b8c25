//! The other answers: verdicts of `--check`, differences, utilisation.

use super::answers::{ask, numbers, path, text};
use super::compare::{FRAMES, Ran, Tally, leaf};
use super::run::Reads;
use super::shape::Shape;
use serde_json::Value as Json;

/// Checks that `--check` accepts maps that are right.
pub fn checked(text_of: &str, tally: &mut Tally) -> Result<(), String> {
    let files = [("model.hlo", text_of)];
    for object in ask(&files, "hlo model.hlo --check")? {
        for entry in object["results"].as_array().into_iter().flatten() {
            judgement("hlo --check", text(&object["instruction"]), entry, tally)?;
        }
    }
    for entry in ask(&files, "hlo model.hlo --entry --check")? {
        judgement("hlo --entry --check", "the result", &entry, tally)?;
    }
    Ok(())
}

fn judgement(question: &str, name: &str, entry: &Json, tally: &mut Tally) -> Result<(), String> {
    let found = match text(&entry["check"]) {
        "proved" => "proved",
        "refuted" => return Err(format!("{question}, {name}: refuted, {entry}")),
        _ => "unknown",
    };
    tally.add(format!("({question})"), found);
    Ok(())
}

/// Checks that a module does not differ from itself.
pub fn same(text_of: &str, tally: &mut Tally) -> Result<(), String> {
    for options in ["", " --entry"] {
        let files = [("model.hlo", text_of)];
        let objects = ask(&files, &format!("diff model.hlo model.hlo{options}"))?;
        let summary = objects.last().ok_or("diff says nothing")?;
        let count = |key: &str| summary[key].as_u64().unwrap_or_default();
        if count("changed") + count("added") + count("removed") > 0 {
            return Err(format!("diff{options} with itself: {}", Json::from(objects.clone())));
        }
        let answer = if count("unknown") > 0 { "unknown" } else { "same" };
        tally.add("(diff)", answer);
    }
    Ok(())
}

/// Checks the utilisation of each operand by counting.
pub fn utilisation(ran: &Ran<'_>, text_of: &str, tally: &mut Tally) -> Result<(), String> {
    let files = [("model.hlo", text_of)];
    for object in ask(&files, "hlo model.hlo --utilisation")? {
        let computation = ran.computation(text(&object["computation"]));
        let computation = computation.ok_or("no such computation")?;
        let number = ran.instruction(computation, text(&object["instruction"]));
        let number = number.ok_or("no such instruction")?;
        let body = &ran.program.computations[computation];
        let instruction = &body.instructions[number];
        let operands = instruction.operands.iter().map(|k| &body.instructions[*k].shape);
        let operands: Vec<&Shape> = operands.collect();
        let frames = ran.run.frames.values();
        for frame in frames.filter(|frame| frame.computation == computation).take(FRAMES) {
            let found = used(&object, &operands, &frame.reads[number], tally);
            found.map_err(|error| format!("hlo --utilisation, {}: {error}", instruction.name))?;
        }
    }
    for object in ask(&files, "hlo model.hlo --entry --utilisation")? {
        let parameters = ran.program.entry().parameters();
        let found = used(&object, &parameters, &ran.run.entry().whole, tally);
        found.map_err(|error| format!("hlo --entry --utilisation: {error}"))?;
    }
    Ok(())
}

fn used(
    object: &Json,
    operands: &[&Shape],
    reads: &[Vec<Reads>],
    tally: &mut Tally,
) -> Result<(), String> {
    for entry in object["utilisation"].as_array().into_iter().flatten() {
        let k = entry["operand"].as_u64().unwrap_or_default() as usize;
        let leaf = leaf(operands[k], &path(&entry["operand_path"])).ok_or("no such part")?;
        let array = operands[k].leaves()[leaf].1;
        let mut times = vec![0_u64; array.count()];
        for at in reads.iter().flatten().flatten() {
            if (at.0, at.1) == (k, leaf) {
                times[at.2] += 1;
            }
        }
        let truth = [
            ("read", times.iter().filter(|n| **n > 0).count() as u64),
            ("reads", times.iter().sum()),
            ("greatest", times.iter().copied().max().unwrap_or_default()),
        ];
        for (key, truth) in truth {
            let Some(number) = entry[key]["number"].as_u64() else {
                tally.add("(utilisation)", "unknown");
                continue;
            };
            let is_bound = text(&entry[key]["basis"]) == "cover";
            if number < truth || (!is_bound && number > truth) {
                return Err(format!("{key} is {truth}: {entry}"));
            }
            tally.add("(utilisation)", if is_bound { "at most" } else { "exact" });
        }
        for sides in entry["unread"].as_array().into_iter().flatten() {
            let sides: Vec<Vec<i64>> =
                sides.as_array().into_iter().flatten().map(numbers).collect();
            for (element, index) in array.indices().enumerate() {
                let mut inside = index.iter().zip(&sides);
                if times[element] > 0 && inside.all(|(i, side)| (side[0]..=side[1]).contains(i)) {
                    return Err(format!("element {index:?} is read: {entry}"));
                }
            }
        }
    }
    Ok(())
}
