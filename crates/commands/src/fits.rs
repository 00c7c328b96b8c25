//! `fits`: decides whether the values of a map, and of each part of it as written, fit in a machine integer.

use super::failure::Failure;
use super::option::{C, Setting, bits};
use super::output::{Object, Output};
use super::table::{Call, Command, Kind, Parameter};
use super::width::{UNSIGNED, Width};

const BITS: Setting<u32> =
    Setting::new("bits", "BITS", "bits of the integer, 2 to 64 (default 32)", bits);

pub const FITS: Command = Command {
    name: "fits",
    parameters: &[Parameter::required("MAP", Kind::Map)],
    options: &[BITS.switch, UNSIGNED.switch, C.switch],
    summary: "decide whether the results of MAP, and all parts as written, fit in 32 bits, and where not",
    details: "Parts are the operations as written, with sums from the left; for a map with a name, and for code, the operations of\n\
              the printed map. Each is proved to fit at all points, or a point is given at which it does not. For a map\n\
              with one parameter, the answer has the value of it up to which all fit; for one with several, a condition on them is\n\
              given with which no value leaves on that side, if one is found. If a result fits and a part does not, a form\n\
              whose parts all fit is given, if simplifying finds one. With --bits, commands that answer with a map, and\n\
              `equal`, report this for their maps.",
    example: &[
        "fits (x) -> (67108864 * x - 67108864 * 32), domain: x in [32, 40]",
        "fits <n>(i, j) -> (i * n + j), domain: n in [1, inf], i in [0, n - 1], j in [0, n - 1]",
    ],
    makes_map: false,
    keys: r##"
    "leaves": {
      "description": "Of `fits`: the parts that have a value that does not fit, each with a value, the point that has it, and the greatest value of the one parameter with which all fit, if that is known.",
      "type": "array",
      "items": {
        "type": "object",
        "required": ["part", "result", "value", "point"],
        "properties": { "part": { "type": "string" }, "result": { "type": "integer" }, "value": { "type": ["integer", "string"] }, "point": { "type": "object" }, "fits_up_to": { "type": "integer" } }
      }
    }"##,
    run,
};

fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    let argument = call.argument(0)?.clone();
    let map = call.map(&argument)?;
    let bits = call.value(&BITS)?.unwrap_or(32);
    let width = Width { bits, is_unsigned: call.has(UNSIGNED) };
    let fitted = call.fitted(&map, &call.parts(&argument, &map)?, width, &[])?;
    let output = Output::new(fitted.stated(), Object::new().and(fitted.json));
    call.emit(output.status(fitted.status));
    Ok(())
}
