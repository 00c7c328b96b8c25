//! `layout`: the positions of an array's elements in memory.

mod algebra;
mod certificate;
mod cute;
mod linear;
mod named;
mod operands;
mod operation;
mod options;
mod output;
mod questions;
pub(super) mod shape;
mod shown;

use crate::arguments::Argument;
use crate::certificate_form::FORMAT;
use crate::cute_word::cute_operation;
use crate::failure::Failure;
use crate::given::parse_point;
use crate::option::{Flag, Setting, text};
use crate::table::{Call, Command, Kind, Parameter};
use affinor::text::{Error, ErrorKind, Style};
use affinor_hlo::shape::{ArrayShape, Shape};
use affinor_layout::linear::attribute::Encoding;
use affinor_layout::memory::Placement;
use algebra::run_operation;
use operation::{BLOCKED, CERTIFICATE, FLAT, LEFT, RAKED, RIGHT, TILED, ZIPPED};
use options::{BANKS, BLOCK, BYTES, DRAW, INDEX, LANE, SVG, TILE, WARP, WORD, index_in};
use output::{Answer, leaf_without_elements};
use questions::{run_choose, run_equal};
use shape::{is_cute, read_shape};

const LINEAR: Setting<Argument> =
    Setting::new("linear", "P", "print the element at this position", text);

const PADDED: Setting<Argument> =
    Setting::new("padded", "W,V", "pad each dimension to this width", text);

const PADDING_VALUE: Setting<Argument> =
    Setting::new("padding-value", "VALUE", "the text for padding in the picture", text);

const STAGES: Flag =
    Flag::new("stages", "explain the layout as pad, reshape and transpose, each with its shape");

const CHECK: Flag = Flag::new("check", "prove that the stages and both maps agree");

/// The words that may take the place of a shape: questions, and operations on CuTe layouts.
const WORDS: &[&str] = &[
    "equal",
    "choose",
    "compose",
    "complement",
    "divide",
    "product",
    "inverse",
    "coalesce",
    "flatten",
    "group",
    "common",
    "recast",
    "of",
    "convert",
];

pub const LAYOUT: Command = Command {
    name: "layout",
    parameters: &[
        Parameter::required("SHAPE", Kind::Shape(WORDS)),
        Parameter::optional("SHAPE", Kind::Shape(&[])),
        Parameter::optional("SHAPE", Kind::Shape(&[])),
        Parameter::optional("SHAPE", Kind::Shape(&[])),
    ],
    options: &[
        INDEX.switch,
        LINEAR.switch,
        PADDED.switch,
        PADDING_VALUE.switch,
        STAGES.switch,
        CHECK.switch,
        DRAW.switch,
        SVG.switch,
        BANKS.switch,
        BYTES.switch,
        WORD.switch,
        TILE.switch,
        LANE.switch,
        WARP.switch,
        BLOCK.switch,
        ZIPPED.switch,
        TILED.switch,
        FLAT.switch,
        BLOCKED.switch,
        RAKED.switch,
        LEFT.switch,
        RIGHT.switch,
        CERTIFICATE.switch,
        FORMAT.needing(&[CERTIFICATE.switch]).switch,
    ],
    summary: "map the elements of an array to their positions in memory",
    details: "SHAPE is an HLO shape such as f32[3,5]{1,0:T(2,2)}: element type, sizes, minor-to-major order, tiles. Positions\n\
              are in elements from the start of the array. `_` is then the map from the index of an element to its position.\n\
              SHAPE may also be a CuTe layout: (4,8):(8,1) or Swizzle<2,0,3> o (8,8):(8,1). It is drawn along its first two modes,\n\
              in colours by the remainder of the offset by 8, or by bank; of a swizzle before and after it.\n\
              `layout equal SHAPE SHAPE` proves or refutes that equal indices have equal positions; each may be a CuTe layout or\n\
              the name of a map.\n\
              `layout choose SHAPE` lists the common formats for the array, with reasons and costs.\n\
              CuTe's algebra: `layout compose A ; B`, `complement A N`, `divide A ; B`, `product A ; B`, `inverse A`,\n\
              `coalesce A`, `flatten A`, `group A I..J`, `common A ; B` (the longest vector), `recast A FROM TO` (bits), and\n\
              `layout of MAP`, the layout and swizzle that a map is. A and B are layouts or maps that are; each answer is\n\
              checked against the definition of its operation; if there is none, the reason is given.\n\
              Sizes may have names, as in (n,m):(m,1): the answer is for all of them, or for those that meet the conditions after `where`.\n\
              --certificate adds the rule instances by which the answer meets the definition, as an equation of maps, for `replay`\n\
              or (--format rocq) for Rocq's kernel; otherwise it says that there are none.\n\
              SHAPE may be an attribute of Triton with the shape of its tensor, #ttg.blocked<{..}> : 64x32, behind definitions\n\
              of aliases: which element each register of each lane of each warp holds, or where it lies in shared memory.\n\
              `layout inverse A`, `compose A ; B` and `equal A ; B` take them too, and maps that are linear over bits;\n\
              `layout convert A ; B` says how far elements go: other registers, shuffles, shared memory.",
    example: &[
        "layout f32[3,5]{1,0:T(2,2)} --index 2,3",
        "layout Swizzle<2,0,3> o (8,8):(8,1) --draw --banks 8",
        "layout ((4,8),(2,2)):((32,1),(16,8)) --draw --tile 16,8",
        "layout equal f32[8,128]{1,0:T(8,128)} f32[8,128]{1,0}",
        "layout divide (9,(4,8)):(59,(13,1)) ; <3:3,(2,4):(1,8)> --zipped",
        "layout of i * 8 + (i ^ j) for i in range(8) for j in range(8)",
        "layout choose bf16[8,1,1280,16384]",
        "layout #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}> : 16x32 --index 5,7",
    ],
    makes_map: true,
    keys: r##"
    "certificate_names": { "description": "Of `layout --certificate`: names that are quotients of names in the certificate, each with the product that it is.", "type": "array", "items": { "type": "string" } },
    "digits": { "description": "Of `layout` in the notation of XLA: the map to the index in each dimension of the tiled array.", "type": "string" },
    "operation": { "description": "Of `layout`: the operation that was asked for.", "type": "string" },
    "kind": { "description": "Of `layout inverse`: which inverse it is.", "enum": ["inverse", "left inverse", "right inverse", "pseudo-inverse"] },
    "where": { "description": "Of `layout` with named sizes: conditions on the names under which the layout is the answer, as `8 divides n`, `n >= 32` or `m <= 4`. Absent if it is for all values from 1 on.", "type": "array", "items": { "type": "string" } },
    "otherwise": { "description": "Of `layout` with `where`: values that do not meet the conditions, at which no layout is the answer, and why.", "type": "string" },
    "by_number": { "description": "Of `layout equal`: the layouts have other modes, and are compared by the numbers of their elements.", "const": true }"##,
    run,
};

fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    let first = call.argument(0)?.clone();
    match first.text.as_str() {
        "equal" => return run_equal(call),
        "choose" => return run_choose(call),
        _ => {}
    }
    if run_operation(call)? {
        return Ok(());
    }
    if Encoding::is_meant(&first.text) {
        let argument = linear::with_shape(call, &first)?;
        return linear::answer(call, &argument);
    }
    for option in [LANE.switch, WARP.switch, BLOCK.switch] {
        if let Some(given) = call.arguments.value(option.name) {
            let message = format!("`--{}` needs a layout of threads", option.name);
            let failure = given.wrong(ErrorKind::Usage, message);
            return Err(failure.hint("one is `#ttg.blocked<{..}> : 64x32`"));
        }
    }
    if let Some(extra) = call.arguments.positional.get(1) {
        let message = "`layout` takes one shape, or `equal` and two shapes";
        let failure = extra.wrong(ErrorKind::Usage, message);
        return Err(match cute_operation(&first.text) {
            Some((word, option)) => failure.hint(format!("write `layout {word} A ; B{option}`")),
            None => failure.hint("`layout SHAPE --index 2,3` asks about an element, `layout equal SHAPE SHAPE` about two shapes"),
        });
    }
    if named::is_named(call, &first) {
        return named::show(call, &first);
    }
    if is_cute(&first.text) {
        return cute::answer(call, &first);
    }
    for option in [BANKS.switch, BYTES.switch, WORD.switch, TILE.switch] {
        if call.arguments.has(option.name) {
            let message = format!("`--{}` needs a CuTe layout", option.name);
            let failure = first.wrong(ErrorKind::Usage, message);
            return Err(
                failure.hint("`layout SHAPE` prints the CuTe form of an array that has one")
            );
        }
    }
    match read_shape(&first)? {
        Shape::Array(array) | Shape::Buffer(array) => {
            let placement = placement(call, &first, &array)?;
            answer(call, &first, &placement, None)
        }
        shape => {
            for option in ["index", "linear", "padded", "svg"] {
                if let Some(value) = call.arguments.value(option) {
                    let message = format!("`--{option}` needs an array, found a tuple");
                    return Err(value.wrong(ErrorKind::Usage, message));
                }
            }
            for (path, leaf) in shape.leaves() {
                match leaf {
                    Shape::Array(array) | Shape::Buffer(array) => {
                        let placement = placement(call, &first, array)?;
                        answer(call, &first, &placement, Some(&path))?;
                    }
                    other => call.emit(leaf_without_elements(other, &path)),
                }
            }
            Ok(())
        }
    }
}

fn placement(
    call: &Call<'_>,
    argument: &Argument,
    array: &ArrayShape,
) -> Result<Placement, Failure> {
    match call.text_of(&PADDED) {
        None => Placement::new(array).map_err(|error| argument.blame(error)),
        Some(given) => {
            let widths = parse_point(given)?;
            Placement::with_widths(array, Some(&widths)).map_err(|error| given.blame(error))
        }
    }
}

fn answer(
    call: &mut Call<'_>,
    argument: &Argument,
    placement: &Placement,
    path: Option<&[usize]>,
) -> Result<(), Failure> {
    let mut answer = Answer::new(call, placement, path)?;
    if call.session.style == Style::Xla && !placement.levels().is_empty() {
        answer.digits().map_err(|error| argument.blame(error))?;
    }
    if let Some(given) = call.text_of(&INDEX).cloned() {
        let index = index_in(&given, placement.sizes())?;
        answer.index(&index).map_err(|error| given.blame(error))?;
    }
    if let Some(given) = call.text_of(&LINEAR).cloned() {
        let position = position_in(&given, placement.positions())?;
        answer.linear(position).map_err(|error| given.blame(error))?;
    }
    if call.has(STAGES) {
        answer.stages();
    }
    if call.has(CHECK) {
        answer.check(call).map_err(|error| argument.blame(error))?;
        call.go_on()?;
    }
    let padding = call.text_of(&PADDING_VALUE).map(|v| v.text.clone());
    if call.has(DRAW) {
        answer
            .draw(call.session.ascii, padding.as_deref())
            .map_err(|error| argument.blame(error))?;
    }
    if let Some(path) = call.text_of(&SVG).cloned() {
        answer.svg(call, argument, &path)?;
    }
    let (output, map) = answer.finish();
    call.session.last = Some(map);
    call.emit(output);
    Ok(())
}

fn position_in(given: &Argument, positions: i64) -> Result<i64, Failure> {
    match parse_point(given)?.as_slice() {
        [position] if (0..positions).contains(position) => Ok(*position),
        [position] => Err(given.blame(
            Error::without_span(
                ErrorKind::Shape,
                format!("position {position} is outside the {positions} positions of the array"),
            )
            .hint("positions count elements from 0, padding included"),
        )),
        _ => Err(given.wrong(ErrorKind::Syntax, "expected one position, such as `17`")),
    }
}
