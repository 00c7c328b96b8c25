//! Prints every pair of elements that the definition of an op holds, for `.ci/theorems`.
//!
//! A line of input is `{"hlo": "..", "part": [..], "integers": {"1": [..]}, "whole": false}`: a module, the part of the
//! result, the elements of integer parameters in row-major order, and whether all instructions or the root is asked. A line
//! of output is, for each parameter, the bytes of a number in hexadecimal: bit `d * elements + i`, by row-major positions.

use affinor::text::{Error, ErrorKind};
use affinor_definition::{Access, Definitions, Lookup, Source, elements, of};
use affinor_hlo as hlo;
use affinor_hlo::shape::Shape;
use serde_json::Value;
use std::io::BufRead;

/// Indices tried for one element of the result.
const STEPS: u64 = 1_000_000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for (number, line) in std::io::stdin().lock().lines().enumerate() {
        let line = line?;
        let pairs = pairs(&line).map_err(|error| format!("line {}: {error}\n{line}", number + 1))?;
        println!("{}", pairs.join(" "));
    }
    Ok(())
}

/// The number of each parameter.
fn pairs(line: &str) -> Result<Vec<String>, Box<dyn std::error::Error>> {
    let row: Value = serde_json::from_str(line)?;
    let module = hlo::read(row["hlo"].as_str().ok_or("no text")?.as_bytes())?;
    let entry = &module[module.entry()];
    let part: Vec<usize> = serde_json::from_value(row["part"].clone())?;
    let accesses: Vec<Access> = match row["whole"] == true {
        true => Definitions::new(&module).computation(module.entry())?.accesses().to_vec(),
        false => of(&module, entry, &entry[entry.root()])?.accesses().to_vec(),
    };
    let result = sizes(entry[entry.root()].shape().at(&part).ok_or("no such part")?)?;
    let parameters: Vec<Vec<i64>> = entry
        .parameters()
        .iter()
        .map(|parameter| sizes(entry[*parameter].shape()))
        .collect::<Result<_, _>>()?;
    let mut bits: Vec<Vec<u8>> = parameters
        .iter()
        .map(|operand| vec![0; usize::try_from(count(&result) * count(operand)).unwrap_or(0) / 8 + 1])
        .collect();
    let integer = |source: &Source, _: &Vec<usize>, index: &[i64]| {
        let Source::Operand(operand) = source else {
            return None;
        };
        let place = usize::try_from(position(&parameters[*operand], index)).ok()?;
        row["integers"][operand.to_string()].get(place)?.as_i64()
    };
    let mut lookup = |source: &Source, path: &Vec<usize>, index: &[i64]| {
        let unknown = || Error::without_span(ErrorKind::Unsupported, "a value that is not given");
        integer(source, path, index).ok_or_else(unknown)
    };
    for access in accesses.iter().filter(|access| access.output == part) {
        for d in indices(&result) {
            let lookup: Lookup<'_> = &mut lookup;
            for i in elements(access, &d, lookup, &mut STEPS.clone())? {
                let operand = &parameters[access.operand];
                let bit = position(&result, &d) * count(operand) + position(operand, &i);
                let bit = usize::try_from(bit)?;
                bits[access.operand][bit / 8] |= 1 << (bit % 8);
            }
        }
    }
    let hexadecimal = |bytes: &Vec<u8>| bytes.iter().rev().map(|byte| format!("{byte:02x}")).collect();
    Ok(bits.iter().map(hexadecimal).collect())
}

fn sizes(shape: &Shape) -> Result<Vec<i64>, &'static str> {
    shape.as_array().and_then(|array| array.sizes()).ok_or("an array of known sizes is expected")
}

fn count(sizes: &[i64]) -> i64 {
    sizes.iter().product()
}

/// The position of an element in row-major order.
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
