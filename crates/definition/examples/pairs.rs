//! Prints every pair of elements in the relation that defines an op, for `.ci/theorems`.
//!
//! A line of input is `{"hlo": "..", "part": [..], "integers": {"1": [..]}, "by": "op"}`: a module, the part of the result, the
//! elements of integer parameters in row-major order, and the source of the printed reads: the definition of the root, the
//! composed definitions (`module`), or the interpreter (`run`, and if definitions compose to a bound). A line of output has,
//! for each parameter, a number in hexadecimal: bit `d * elements + i`, by row-major positions.

use affinor_definition::{
    Access, Certainty, Definitions, Interpreter, Lookup, ParameterElement, Source, elements, of,
};
use affinor_hlo as hlo;
use affinor_hlo::shape::Shape;
use affinor_maps::text::{Error, ErrorKind};
use serde_json::Value;
use std::io::{BufRead, Write};

/// Maximum number of indices tried for one element of the result.
const STEPS: u64 = 1_000_000;

/// An element of the result, and an element of an operand that it reads.
struct Pair {
    d: Vec<i64>,
    operand: usize,
    i: Vec<i64>,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut output = std::io::stdout().lock();
    for (number, line) in std::io::stdin().lock().lines().enumerate() {
        let line = line?;
        let pairs =
            pairs(&line).map_err(|error| format!("line {}: {error}\n{line}", number + 1))?;
        writeln!(output, "{}", pairs.join(" "))?;
    }
    Ok(())
}

/// Returns the hexadecimal number for each parameter.
fn pairs(line: &str) -> Result<Vec<String>, Box<dyn std::error::Error>> {
    let row: Value = serde_json::from_str(line)?;
    let module = hlo::read(row["hlo"].as_str().ok_or("no text")?.as_bytes())?;
    let entry = &module[module.entry()];
    let root = &entry[entry.root()];
    let part: Vec<usize> = serde_json::from_value(row["part"].clone())?;
    let result = sizes(root.shape().at(&part).ok_or("no such part")?)?;
    let parameters = entry.parameters().iter().map(|parameter| sizes(entry[*parameter].shape()));
    let parameters: Vec<Vec<i64>> = parameters.collect::<Result<_, _>>()?;
    let integer = |parameter: usize, index: &[i64]| {
        let place = usize::try_from(position(parameters.get(parameter)?, index)).ok()?;
        row["integers"][parameter.to_string()].get(place)?.as_i64()
    };
    let composed = Definitions::new(&module).computation(module.entry())?;
    let is_bound = |access: &Access| {
        access.output == part && matches!(access.certainty, Certainty::Bound { .. })
    };
    let read: Vec<Pair> = match row["by"].as_str() {
        Some("op") => by_accesses(of(&module, entry, root)?.accesses(), &part, &result, &integer)?,
        Some("module") if !composed.accesses().iter().any(is_bound) => {
            by_accesses(composed.accesses(), &part, &result, &integer)?
        }
        Some("module" | "run") => {
            let known = |element: &ParameterElement| integer(element.parameter, &element.index);
            let mut interpreter = Interpreter::new(&module, &known, STEPS);
            let mut read = Vec::new();
            for d in indices(&result) {
                let found = interpreter.dependence(&part, &d)?;
                let found = found.elements.iter();
                read.extend(found.map(|read| Pair {
                    d: d.clone(),
                    operand: read.parameter,
                    i: read.index.clone(),
                }));
            }
            read
        }
        _ => return Err("`by` is `op`, `module` or `run`".into()),
    };
    let mut bits = Vec::new();
    for operand in &parameters {
        bits.push(vec![0_u8; usize::try_from(count(&result) * count(operand))? / 8 + 1]);
    }
    for pair in read {
        let operand = &parameters[pair.operand];
        let bit = position(&result, &pair.d) * count(operand) + position(operand, &pair.i);
        let bit = usize::try_from(bit)?;
        bits[pair.operand][bit / 8] |= 1 << (bit % 8);
    }
    let number = |bytes: &Vec<u8>| bytes.iter().rev().map(|byte| format!("{byte:02x}")).collect();
    Ok(bits.iter().map(number).collect())
}

/// Returns the reads of these accesses by one part of the result.
fn by_accesses(
    accesses: &[Access],
    part: &[usize],
    result: &[i64],
    integer: &dyn Fn(usize, &[i64]) -> Option<i64>,
) -> Result<Vec<Pair>, Error> {
    let mut lookup = |source: &Source, _: &Vec<usize>, index: &[i64]| {
        let found = match source {
            Source::Operand(operand) => integer(*operand, index),
            Source::Inside { .. } | Source::Name(_) => None,
        };
        found.ok_or_else(|| Error::without_span(ErrorKind::Unsupported, "a value is not given"))
    };
    let mut read = Vec::new();
    for access in accesses.iter().filter(|access| access.output == part) {
        for d in indices(result) {
            let (lookup, mut steps): (Lookup<'_>, u64) = (&mut lookup, STEPS);
            let found = elements(access, &d, lookup, &mut steps)?.into_iter();
            read.extend(found.map(|i| Pair { d: d.clone(), operand: access.operand, i }));
        }
    }
    Ok(read)
}

fn sizes(shape: &Shape) -> Result<Vec<i64>, &'static str> {
    shape.as_array().and_then(|array| array.sizes()).ok_or("an array of known sizes is expected")
}

fn count(sizes: &[i64]) -> i64 {
    sizes.iter().product()
}

/// Returns the position of an element in row-major order.
fn position(sizes: &[i64], index: &[i64]) -> i64 {
    sizes.iter().zip(index).fold(0, |position, (size, index)| position * size + index)
}

fn indices(sizes: &[i64]) -> Vec<Vec<i64>> {
    sizes.iter().fold(vec![Vec::new()], |all, size| {
        let longer = |index: &Vec<i64>| {
            let index = index.clone();
            (0..*size).map(move |k| [&index[..], &[k]].concat())
        };
        all.iter().flat_map(longer).collect()
    })
}
