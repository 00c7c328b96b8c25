//! `tile`: the operand tile read by an output tile, or the reverse.

pub(super) mod by_size;
mod exact_for;
pub(super) mod output;
mod programs;
pub(super) mod sizes;

use crate::arguments::Argument;
use crate::custom::CUSTOM;
use crate::failure::Failure;
use crate::given::{expr_error, parse_point, without_parameters};
use crate::instruction::{OPERAND, POSITIONS, each};
use crate::option::{C, Flag, Setting, positive, text};
use crate::output::{Object, Output, Role, Text};
use crate::table::{Call, Command, Kind, Parameter, Switch};
use affinor::expr::{Expr, IndexingMap, VariableKind};
use affinor::num::{Fuel, Interval};
use affinor::prove::Budget;
use affinor::text::{ErrorKind, variable_names};
use affinor_ops::footprint::image::{inverse, inverse_by_size};
use affinor_ops::footprint::tiling::{Grid, Means, STEPS, Tile, propagate, suggest};
use affinor_ops::indexing::{Exactness, OperandMap, Simplify};
use exact_for::EXACT_FOR;
use output::{HELD, grid_error, grid_text, suggestions_output, tile_object, tile_text, tiles_of};
use programs::{FROM_ZERO, PID, Programs};
use sizes::Sizes;

const FROM: Setting<End> = Setting::new(
    "from",
    "END",
    "`output` (the reads of a tile) or `input` (the readers of a tile)",
    end,
)
.among(|| vec!["output", "input"]);

const STRIDE: Setting<Argument> = Setting::new(
    "stride",
    "N,M",
    "stride between the elements of a tile, in each dimension (default 1)",
    text,
);

const SUGGEST: Flag =
    Flag::new("suggest", "suggest sizes whose footprint is again a tile, instead of taking SIZES")
        .excluding(&[PID.switch]);

const MOST: Setting<u64> = Setting::new(
    "most",
    "ELEMENTS",
    "with `--suggest`: at most this many elements held at once (default 16384)",
    positive,
);

/// The greatest size of a tile in a hint.
const FEW: u64 = 32;

pub const TILE: Command = Command {
    name: "tile",
    parameters: &[Parameter::required("MAP", Kind::Map), Parameter::optional("SIZES", Kind::Point)],
    options: &[
        FROM.switch,
        STRIDE.switch,
        SUGGEST.switch,
        MOST.switch,
        PID.switch,
        EXACT_FOR.switch,
        OPERAND.switch,
        CUSTOM.switch,
        POSITIONS.switch,
        C.switch,
    ],
    summary: "compute the operand tile read by an output tile of SIZES, for all tiles at once",
    details: "The array is divided into tiles t0, t1, .. from index 0. The elements that a tile reads are again a tile: in each\n\
              dimension an offset as an expression over t0, t1, .., a size and a stride. It is exact if that was proved or counted\n\
              for all tiles; otherwise it is a cover, a superset of the reads. `within` gives the bounds that clip a tile, `up to`\n\
              the last element if sizes differ between tiles, and `for` the tiles that read anything. The last tile may be smaller\n\
              than SIZES. A runtime variable of MAP is assumed to be constant within a tile. SIZES `..,32` are 1 in each leading\n\
              dimension, `layout:8,32` are in the order of the layout, and `8,32|16` also divides the first range variable, by 16.\n\
              SIZES may be names or expressions over them, `bm,bn|bk`: names that are not parameters of MAP become parameters of at least 1,\n\
              and the answer is proved for all their values; this also works for an instruction, `tile model.hlo fusion.3 bm,bn|bk`.\n\
              --pid shows which tile each program of a grid computes, and which tiles it takes in turn.\n\
              --exact-for lists values of names for which a tile is proved to be exact, without a claim about others.\n\
              `from input` at the end is `--from input`. For an instruction of a module, each map to an operand is answered.\n\
              `_` is then the map from the elements i0, i1, .. of tiles to the elements read; `why` explains it.",
    example: &[
        "let rows = op reshape f32[8,16] -> f32[4,32]",
        "tile rows [1, 32] from output",
        "tile model.hlo transpose.3 2,4",
        "tile model.hlo transpose.3 bm,bn",
        "tile <n, m, k>(d0, d1)[s0] -> (d0, s0), domain: n in [1, inf], m in [1, inf], k in [1, inf], d0 in [0, n - 1], d1 in [0, m - 1], s0 in [0, k - 1] ; bm,bn|bk",
        "tile (d0, d1) -> (d0 * 2 + d1 floordiv 16, d1 mod 16), domain: d0 in [0, 3], d1 in [0, 31] ; 1,32",
    ],
    makes_map: false,
    keys: r##"
    "pid": {
      "description": "Of `tile --pid`: the number of programs, the tile of program `pid` in each dimension, and the tile variables that one program takes in turn.",
      "type": "object",
      "required": ["programs", "tiles", "in_turn"],
      "properties": { "programs": { "type": "string" }, "tiles": { "type": "object", "additionalProperties": { "type": "string" } }, "in_turn": { "type": "array", "items": { "type": "string" } } }
    },
    "exact_for": {
      "description": "Of `tile --exact-for`: alternatives; under each, the tile is proved to be exact. For other sizes there is no claim.",
      "type": "array",
      "items": { "type": "string" }
    }"##,
    run,
};

/// The array that the tile belongs to.
enum End {
    Output,
    Input,
}

fn end(_: &Switch, given: &Argument) -> Result<End, Failure> {
    match given.text.as_str() {
        "output" => Ok(End::Output),
        "input" => Ok(End::Input),
        _ => Err(given
            .wrong(ErrorKind::Usage, "expected `output` or `input`")
            .hint("write `output` or `input`")),
    }
}

fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    let is_module = each(call, |call, read| {
        let backwards = matches!(call.value(&FROM)?, Some(End::Input));
        let array = match backwards {
            true => read.operand,
            false => read.output,
        };
        let given = Given {
            map: read.map.clone(),
            bounds: read.bounds[usize::from(backwards)].clone(),
            major_to_minor: Some(array.layout().minor_to_major().iter().rev().copied().collect()),
            sizes: call.arguments.positional.get(2).cloned(),
            blamed: read.blamed.clone(),
        };
        answer(call, given)
    })?;
    if is_module {
        return Ok(());
    }
    let argument = call.argument(0)?.clone();
    let given = Given {
        map: OperandMap::exact(call.map(&argument)?),
        bounds: None,
        major_to_minor: None,
        sizes: call.arguments.positional.get(1).cloned(),
        blamed: argument,
    };
    let output = answer(call, given)?;
    call.emit(output);
    Ok(())
}

/// A map whose tiles are requested.
struct Given {
    map: OperandMap,
    /// The bounds of the array that is divided into tiles, if known.
    bounds: Option<Vec<Interval>>,
    /// The dimensions of that array in the order of its layout, if it has a layout.
    major_to_minor: Option<Vec<usize>>,
    sizes: Option<Argument>,
    blamed: Argument,
}

fn answer(call: &mut Call<'_>, given: Given) -> Result<Output, Failure> {
    let argument = given.blamed;
    let simplifier = call.simplifier()?;
    let search = call.search_options()?;
    let simplify = |map: &IndexingMap| simplifier.simplify(map, &search).map;
    let proof = call.proof_budget();
    let fuel = Fuel::new(STEPS, &call.host.interrupt());
    let means = Means::new(&simplify, proof.clone(), &fuel);
    let has_parameters = has_parameters(&given.map);
    let map = match call.value(&FROM)?.unwrap_or(End::Output) {
        End::Output => given.map,
        End::Input => inverted(given.map, &argument, &simplify, &proof)?,
    };
    if let Some(sizes) = given.sizes.as_ref()
        && (has_parameters || by_size::has_names(sizes))
    {
        if call.text_of(&STRIDE).is_some() || call.has(SUGGEST) {
            let message = "`--stride` and `--suggest` take sizes that are numbers";
            return Err(sizes.wrong(ErrorKind::Usage, message));
        }
        let bounds = given.bounds.as_deref();
        return by_size::answer(call, &map, bounds, (&argument, sizes), &means, &simplify);
    }
    if call.has(EXACT_FOR) {
        return Err(call.wrong_usage("`--exact-for` takes sizes that are names: `tile MAP n,m`"));
    }
    if has_parameters && call.has(SUGGEST) {
        without_parameters(&map.map, "`--suggest` takes").map_err(|error| argument.blame(error))?;
    }
    let bounds = given.bounds.unwrap_or_else(|| {
        let domain = map.map.domain();
        let dimensions = domain.ids(VariableKind::Dimension);
        let bounds = dimensions.map(|id| from_origin(domain.bounds(id)));
        bounds.collect()
    });
    if call.has(SUGGEST) {
        if let Some(sizes) = given.sizes {
            return Err(sizes.wrong(ErrorKind::Usage, "`--suggest` takes no sizes"));
        }
        let most = call.value(&MOST)?.unwrap_or(HELD).into();
        let found = suggest(&[map], &bounds, most, &means);
        let found = found.map_err(|error| grid_error(&argument, &error))?;
        let found = found.map_err(|stop| call.stop(&argument, &stop))?;
        return Ok(suggestions_output(Text::new(), Object::new(), "", &found));
    }
    let Some(sizes) = given.sizes else {
        // A size for each dimension, as many points as there are if these are few.
        let sizes: Vec<String> = bounds
            .iter()
            .map(|bounds| bounds.count().unwrap_or(FEW).clamp(1, FEW).to_string())
            .collect();
        let sizes = sizes.join(",");
        return Err(call
            .wrong_usage("`tile` needs tile sizes after the map, one for each dimension")
            .hint(format!("write `tile MAP {sizes}`, or `tile MAP --suggest`")));
    };
    let rank = bounds.len();
    let read = Sizes::read(&sizes)?;
    let ranks = (rank, map.map.domain().count(VariableKind::Range));
    let order = given.major_to_minor.filter(|order| order.len() == rank);
    let order = order.unwrap_or_else(|| (0..rank).collect());
    let found = read.grid(0, ranks, order.into_iter());
    let grid = found.map_err(|error| grid_error(&sizes, &error))?;
    let map =
        OperandMap { map: map.map.with_ranges_as_dimensions(grid.sizes().len() - rank), ..map };
    let own = map.map.domain().intervals().skip(rank);
    let bounds: Vec<Interval> = bounds.into_iter().chain(own).collect();
    let grid = match call.text_of(&STRIDE) {
        None => grid,
        Some(strides) => Grid::new(grid.sizes().to_vec(), parse_point(strides)?)
            .map_err(|error| grid_error(&sizes, &error))?,
    };
    let elements = grid.at_elements(&map.map);
    let elements = elements.map_err(|error| grid_error(&sizes, &error))?;
    call.session.last = Some(simplify(&elements));
    call.session.note_simplified(elements);
    let tiles = tiles_of(&grid, &bounds).map_err(|error| grid_error(&sizes, &error))?;
    let found = propagate(&map, &grid, &means);
    let found = found.map_err(|error| grid_error(&sizes, &error))?;
    match found.map_err(|stop| call.stop(&argument, &stop))? {
        None => Ok(Output::new(
            Text::of(Role::Faint, "nothing is read"),
            Object::new().with("grid", serde_json::Value::Null),
        )),
        Some(tile) => {
            let is_read = map.exactness == Exactness::Exact;
            shown(call, &tile, (&grid, &tiles, rank), is_read, &sizes)
        }
    }
}

/// Returns the answer about a tile of a grid; the array has the first `rank` of the dimensions.
fn shown(
    call: &Call<'_>,
    tile: &Tile,
    (grid, tiles, rank): (&Grid, &[Interval], usize),
    is_read: bool,
    sizes: &Argument,
) -> Result<Output, Failure> {
    let style = call.session.style;
    let mut text = grid_text(grid, tiles).plain("\n");
    text.append(tile_text(tile, tiles, is_read, style));
    let mut json = tile_object(Object::new(), tile, is_read, style);
    if call.has(PID) {
        let counts = counts(&tiles[..rank]);
        let counts = counts.ok_or_else(|| call.wrong_usage(FROM_ZERO))?;
        let names = variable_names(&tile.domain);
        let programs = Programs { counts: &counts, tiles: tiles.len(), names: &names, style };
        let written = programs.write(&mut text, json);
        json = written.map_err(|error| sizes.blame(expr_error(error)))?;
    }
    Ok(match one_value(tile) {
        None => Output::new(text, json),
        Some(names) => {
            let assumed = format!("{names} assumed constant within each tile");
            text.push(Role::Faint, format!("\n{assumed}"));
            Output::new(text, json.with("assumes", assumed))
        }
    })
}

fn has_parameters(map: &OperandMap) -> bool {
    map.map.domain().count(VariableKind::Parameter) > 0
}

/// Returns the map from the operand to the output.
fn inverted(
    map: OperandMap,
    argument: &Argument,
    simplify: Simplify<'_>,
    proof: &Budget,
) -> Result<OperandMap, Failure> {
    if has_parameters(&map) {
        let found = inverse_by_size(&map.map, simplify, proof);
        return found.map(OperandMap::exact).map_err(|none| {
            let message = format!("no inverse of the map is known: {none}");
            argument.wrong(ErrorKind::Unsupported, message)
        });
    }
    let found = inverse(&map.map, simplify, proof).map_err(|error| argument.blame(error))?;
    Ok(OperandMap { map: found.map, exactness: map.exactness, runtime: Vec::new() })
}

/// Returns the number of tiles in each dimension, if they are counted from 0.
fn counts(tiles: &[Interval]) -> Option<Vec<Expr>> {
    let count = |tiles: &Interval| {
        let count = i64::try_from(tiles.count()?).ok()?;
        (tiles.lo() == 0).then(|| Expr::constant(count))
    };
    tiles.iter().map(count).collect()
}

/// Returns the indices, from 0 on, of an array that contains these bounds.
fn from_origin(bounds: Interval) -> Interval {
    match bounds.is_empty() {
        true => bounds,
        false => Interval::new(bounds.lo().min(0), bounds.hi()),
    }
}

/// Lists the runtime variables of a tile whose source is not specified by the map.
fn one_value(tile: &Tile) -> Option<String> {
    let variables = tile.domain.variables().iter();
    let runtime = variables.filter(|variable| {
        let is_known = tile.values.iter().any(|value| value.name == variable.name);
        variable.kind == VariableKind::Runtime && !is_known
    });
    let names: Vec<&str> = runtime.map(|variable| &*variable.name).collect();
    let verb = if names.len() == 1 { "is" } else { "are" };
    (!names.is_empty()).then(|| format!("{} {verb}", names.join(", ")))
}
