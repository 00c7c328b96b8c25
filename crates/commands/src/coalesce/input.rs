//! The input of `coalesce` and `banks`: the threads, and the positions that they access.

use super::lies::{Lies, is_layout, lies};
use super::options::{
    BIND, BLOCK, BYTES, OFFSET, OUTPUT, PRESET, SWIZZLE, THREADS, VECTOR, WARP, blame,
};
use super::preset::preset;
use crate::arguments::Argument;
use crate::bindings::{Values, bound_by};
use crate::failure::Failure;
use crate::given::{expr_error, parse_point};
use crate::instruction::Read;
use crate::output::clipped;
use crate::table::Call;
use crate::token::words;
use crate::words::{count, nearest};
use affinor::expr::{ComposeError, Domain, Expr, IndexingMap, VariableId, VariableKind};
use affinor::num::{Interval, PLUS_INFINITY};
use affinor::text::{ErrorKind, Span};
use affinor_layout::cute;
use affinor_layout::memory::Placement;
use affinor_ops::footprint::access::{Grid, Measure, Memory, Preset};

/// Lanes of a warp, unless `--warp` says otherwise.
const LANES: i64 = 32;

/// A parsed query.
pub struct Input {
    /// The map from threads to positions, in elements.
    pub position: IndexingMap,
    /// The variables that are threads.
    pub grid: Grid,
    /// The accessed memory.
    pub memory: Memory,
    /// The maps composed into `position`, in order, with labels.
    pub steps: Vec<(&'static str, IndexingMap)>,
    /// The values of variables that are known only at run time.
    pub values: Values,
    /// The argument that errors point at.
    pub blamed: Argument,
}

/// The accessed elements and their placement.
pub struct Accessed {
    map: Option<IndexingMap>,
    lies: Option<Lies>,
    /// The array whose indices are the dimensions of the map, if a module specifies it.
    output: Option<Placement>,
    blamed: Argument,
}

impl Accessed {
    /// Reads the accessed elements from the arguments.
    ///
    /// # Errors
    /// Any error in the arguments.
    pub fn given(call: &Call<'_>) -> Result<Accessed, Failure> {
        let (map, layout) = arguments(call)?;
        Ok(Accessed {
            map: map.as_ref().map(|map| call.map(map)).transpose()?,
            lies: layout.as_ref().map(|at| lies(call, at)).transpose()?,
            output: None,
            blamed: match map.or(layout) {
                Some(argument) => argument,
                None => call.argument(0)?.clone(),
            },
        })
    }

    /// Returns the reads of an instruction of a module, with the layouts of that module.
    ///
    /// # Errors
    /// If an array has no placement, and for options that contradict the module.
    pub fn read(call: &Call<'_>, read: &Read<'_>) -> Result<Accessed, Failure> {
        if let Some(output) = call.text_of(&OUTPUT) {
            let message = "the module already has the shape of the output";
            return Err(output.wrong(ErrorKind::Usage, message));
        }
        let [output, operand] = read.placements()?;
        Ok(Accessed {
            map: Some(read.map.map.clone()),
            lies: Some(Lies::of(&operand)),
            output: Some(output),
            blamed: read.blamed.clone(),
        })
    }

    /// Returns the map from the variables of the map to a position, with the bits of an element if the layout specifies them, and
    /// the argument that errors point at.
    ///
    /// # Errors
    /// If there is no map, or it does not fit the layout.
    pub fn position(self) -> Result<(IndexingMap, Option<i64>, Argument), Failure> {
        let Accessed { map, lies, blamed, .. } = self;
        let Some(map) = map else {
            let message = "expected a map to the index in the array";
            return Err(blamed.wrong(ErrorKind::Usage, message));
        };
        let bits = lies.as_ref().and_then(|lies| lies.bits);
        let mut steps = vec![("threads", map)];
        steps.extend(lies.map(|lies| ("layout", lies.map)));
        Ok((composed(&blamed, &steps)?, bits, blamed))
    }
}

/// Parses the options.
///
/// # Errors
/// Any error in them.
pub fn input(call: &Call<'_>, accessed: Accessed, measure: Measure) -> Result<Input, Failure> {
    let Accessed { map, lies, output, blamed } = accessed;
    let (map, values) = match map {
        None => (None, Values::new()),
        Some(map) => {
            let (map, values) = at_run_time(call, map, output.is_some(), &blamed)?;
            (Some(map), values)
        }
    };
    let memory = memory(call, lies.as_ref(), measure)?;
    let mut steps = Vec::new();
    let grid = match call.value(&PRESET)?.zip(call.text_of(&PRESET)) {
        Some((walk, given)) => {
            let of = (map.as_ref(), lies.as_ref(), output);
            let (threads, grid) = preset(call, (walk, given), of, memory)?;
            steps.push(("threads", threads));
            // A reduction iterates over the operand elements, so its map is not applied.
            let map = map.filter(|_| walk != Preset::Reduction);
            steps.extend(map.map(|map| ("reads", map)));
            grid
        }
        None => {
            let map = map.ok_or_else(|| {
                let failure = blamed.wrong(
                    ErrorKind::Usage,
                    "expected a map from threads to the index in the array",
                );
                failure.hint("`--preset linear` traverses the array itself; `layout coalesce` joins the modes of a CuTe layout")
            })?;
            let threads = threads(call, map.domain())?;
            let map = within_a_block(call, map, &threads)?;
            let grid = grid(call, &blamed, map.domain(), threads)?;
            steps.push(("threads", map));
            grid
        }
    };
    steps.extend(lies.map(|lies| ("layout", lies.map)));
    let mut position = composed(&blamed, &steps)?;
    if let Some(given) = call.text_of(&SWIZZLE) {
        let swizzle = swizzle(given, &position)?;
        steps.push(("swizzle", swizzle));
        position = composed(&blamed, &steps)?;
    }
    let grid = grid.with_warp(call.value(&WARP)?.unwrap_or(LANES));
    let grid = grid.map_err(|error| blame(call, &WARP, &blamed, error))?;
    Ok(Input { position, grid, memory, steps, values, blamed })
}

/// Returns the map with the values of `--bind`. If there are several maps of an instruction, some may have no such variables.
fn at_run_time(
    call: &Call<'_>,
    map: IndexingMap,
    of_instruction: bool,
    blamed: &Argument,
) -> Result<(IndexingMap, Values), Failure> {
    let runtime = |map: &IndexingMap| map.domain().count(VariableKind::Runtime);
    let (map, values) = match call.text_of(&BIND) {
        Some(given) if !of_instruction || runtime(&map) > 0 => bound_by(&map, given)?,
        _ => (map, Values::new()),
    };
    let domain = map.domain();
    let Some(left) = domain.ids(VariableKind::Runtime).next() else {
        return Ok((map, values));
    };
    let variable = &domain.variables()[left.index()];
    let (name, value) = (&variable.name, variable.bounds.lo());
    let message = format!("`{name}` is known only at run time, and the cost may depend on it");
    let hint = format!("give it a value: `--bind {name}={value}`");
    Err(blamed.wrong(ErrorKind::Domain, message).hint(hint))
}

/// Returns the map and the layout: `MAP in LAYOUT`, `MAP`, `[in] LAYOUT`, and as two arguments `MAP` and `[in] LAYOUT`.
fn arguments(call: &Call<'_>) -> Result<(Option<Argument>, Option<Argument>), Failure> {
    let first = call.argument(0)?.clone();
    if let Some(layout) = call.arguments.positional.get(1) {
        let layout = cut(layout).map_or_else(|| layout.clone(), |(_, layout)| layout);
        return Ok((Some(first), Some(layout)));
    }
    if let Some((map, layout)) = cut(&first) {
        return Ok((map, Some(layout)));
    }
    Ok(match is_layout(call, &first.text) {
        true => (None, Some(first)),
        false => (Some(first), None),
    })
}

/// Splits at the last word `in` outside brackets that is not followed by an interval.
fn cut(argument: &Argument) -> Option<(Option<Argument>, Argument)> {
    let text = &argument.text;
    let is_in = |word: &Span| {
        let next = text[word.end..].trim_start();
        let is_interval =
            next.starts_with('[') || next.starts_with("range") || next.starts_with("tl.range");
        &text[word.clone()] == "in" && !is_interval
    };
    let found = words(text, 0..text.len()).filter(is_in).last()?;
    let layout = argument.part(found.end..text.len())?;
    let map = argument.part(0..found.start)?;
    let has_map = !map.text.trim().is_empty();
    Some((has_map.then_some(map), layout))
}

fn memory(call: &Call<'_>, lies: Option<&Lies>, measure: Measure) -> Result<Memory, Failure> {
    let said = lies.and_then(|lies| lies.bits);
    if let (Some(_), Some(given)) = (said, call.text_of(&BYTES)) {
        let message = "the shape already gives the element size";
        return Err(given.wrong(ErrorKind::Usage, message));
    }
    let bits =
        || -> Result<i64, Failure> { Ok(call.value(&BYTES)?.unwrap_or(4).saturating_mul(8)) };
    Ok(Memory {
        element_bits: said.map_or_else(bits, Ok)?,
        offset: call.value(&OFFSET)?.unwrap_or(0),
        measure,
    })
}

/// Returns the map with a block of threads if `--block` is given, or else with one warp, whose threads follow each other in the
/// first variable, in block 0; variables with bounds keep them, and a note shows the bounds that were chosen.
fn within_a_block(
    call: &Call<'_>,
    map: IndexingMap,
    threads: &[VariableId],
) -> Result<IndexingMap, Failure> {
    let of_warp = || -> Result<Vec<i64>, Failure> {
        let lanes = call.value(&WARP)?.unwrap_or(LANES);
        Ok((0..threads.len()).map(|axis| if axis == 0 { lanes } else { 1 }).collect())
    };
    let sizes = match call.text_of(&BLOCK) {
        Some(given) => parse_point(given)?,
        None => of_warp()?,
    };
    let is_free = |thread: &VariableId| {
        let bounds = map.domain().bounds(*thread);
        let constraints = map.domain().constraints().iter();
        let mut constrained = constraints.flat_map(|constraint| constraint.expr.variables());
        bounds.hi() == PLUS_INFINITY && bounds.lo() <= 0 && !constrained.any(|id| id == *thread)
    };
    let are_sizes = sizes.len() == threads.len() && sizes.iter().all(|size| *size > 0);
    let blocks = by_names(map.domain(), &["blockIdx", "block", "bl", "bid", "program_id", "pid"]);
    let blocks: Vec<VariableId> = blocks.into_iter().filter(is_free).collect();
    let has_block = call.text_of(&BLOCK).is_some();
    let is_block = are_sizes && !threads.is_empty() && threads.iter().all(is_free);
    let mut domain = map.domain().clone();
    let mut taken: Vec<String> = Vec::new();
    let name = |id: &VariableId| {
        let variable = map.domain().variables().get(id.index());
        variable.map_or(String::new(), |variable| variable.name.to_string())
    };
    if is_block {
        for (thread, size) in threads.iter().zip(sizes) {
            domain.constrain(&Expr::variable(*thread), Interval::of_size(size));
            taken.push(match size {
                1 => format!("{} = 0", name(thread)),
                _ => format!("{} in [0, {}]", name(thread), size - 1),
            });
        }
    }
    // The choice of the block rarely matters, and a note shows it.
    for block in &blocks {
        domain.constrain(&Expr::variable(*block), Interval::point(0));
        taken.push(format!("{} = 0", name(block)));
    }
    let is_usual = has_block || threads.len() == 1;
    if is_block && !is_usual || !blocks.is_empty() {
        call.notice(format!(
            "a warp of one block is taken, as these have no bounds: {}",
            taken.join(", ")
        ));
    }
    Ok(IndexingMap::new(domain, map.results().to_vec()))
}

/// Returns the variables of a map with one of these names, x first.
fn by_names(domain: &Domain, stems: &[&str]) -> Vec<VariableId> {
    let named = |(_, name): &(VariableId, &str)| stems.iter().any(|stem| is_of(name, stem));
    let mut found: Vec<(VariableId, &str)> = names(domain).filter(named).collect();
    // x is the fastest, regardless of its position.
    found.sort_by_key(|(_, name)| name.chars().next_back().filter(|c| "xyz".contains(*c)));
    found.into_iter().map(|(id, _)| id).collect()
}

/// Returns which variables of a map are threads: as `--threads` says, else by their names.
fn threads(call: &Call<'_>, domain: &Domain) -> Result<Vec<VariableId>, Failure> {
    if let Some(given) = call.text_of(&THREADS) {
        return variables(given, domain);
    }
    let lanes = by_names(domain, &["lane"]);
    let threads = match lanes.is_empty() {
        true => by_names(domain, &["thread", "threadIdx", "th", "tid", "global_id"]),
        false => lanes,
    };
    // The elements of the only vector of Triton, of which neighbours are in neighbouring lanes.
    let vector: Vec<VariableId> =
        names(domain).filter(|(_, name)| name.starts_with("arange_")).map(|(id, _)| id).collect();
    if threads.is_empty() && vector.len() == 1 {
        return Ok(vector);
    }
    Ok(match (threads.is_empty(), domain.count(VariableKind::Dimension)) {
        (true, 1) => domain.ids(VariableKind::Dimension).collect(),
        _ => threads,
    })
}

/// Returns the threads of a map, and its vector elements: as `--vector` says, else by their names.
fn grid(
    call: &Call<'_>,
    blamed: &Argument,
    domain: &Domain,
    threads: Vec<VariableId>,
) -> Result<Grid, Failure> {
    if let Some(output) = call.text_of(&OUTPUT) {
        let message = "`--output` is for presets";
        return Err(output.wrong(ErrorKind::Usage, message));
    }
    if threads.is_empty() {
        let failure = blamed.wrong(ErrorKind::Usage, "the map has no variable named `thread`");
        let first = names(domain).map(|(_, name)| name).find(|name| name.starts_with("arange"));
        let first = first.unwrap_or("d0,d1");
        return Err(failure.hint(format!(
            "name the thread variables of a block, fastest-varying first: `--threads {first}`, or walk over the output: `--preset linear`",
        )));
    }
    let vector = match call.text_of(&VECTOR) {
        Some(given) => variables(given, domain)?,
        None => by_names(domain, &["vec", "vector"]),
    };
    let grid = Grid::new(domain, threads, vector).map_err(|error| blamed.blame(error))?;
    match call.text_of(&BLOCK) {
        None => Ok(grid),
        Some(given) => {
            let sizes = parse_point(given)?;
            grid.with_block(sizes).map_err(|error| given.blame(error))
        }
    }
}

fn names(domain: &Domain) -> impl Iterator<Item = (VariableId, &str)> {
    let variables = (0..).map(VariableId).zip(domain.variables());
    variables.map(|(id, variable)| (id, &*variable.name))
}

/// Returns whether `name` is the stem, possibly followed by an axis or a number: `th_x`, `thread0`.
fn is_of(name: &str, stem: &str) -> bool {
    let Some(rest) = name.strip_prefix(stem) else {
        return false;
    };
    let rest = rest.strip_prefix('_').unwrap_or(rest);
    let is_axis = matches!(rest, "x" | "y" | "z" | "id" | "id_x" | "id_y" | "id_z");
    is_axis || rest.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns the variables in a list of names.
pub fn variables(given: &Argument, domain: &Domain) -> Result<Vec<VariableId>, Failure> {
    let find = |name: &str| {
        let name = name.trim();
        let found = names(domain).find(|(_, other)| *other == name);
        found.map(|(id, _)| id).ok_or_else(|| {
            let message = format!("the map has no variable `{}`", clipped(name));
            let failure = given.wrong(ErrorKind::Name, message);
            match nearest(name, names(domain).map(|(_, other)| other)) {
                Some(near) => failure.hint(format!("did you mean `{near}`?")),
                None => failure,
            }
        })
    };
    given.text.split(',').map(find).collect()
}

/// Returns the map of a swizzle on the range of `position`.
fn swizzle(given: &Argument, position: &IndexingMap) -> Result<IndexingMap, Failure> {
    let text = given.text.trim();
    let text = match text.strip_prefix("Sw<") {
        Some(rest) => format!("Swizzle<{rest}"),
        None => text.to_owned(),
    };
    let range = position.ranges().first().copied();
    let size = match range {
        Some(range) if range.is_empty() => Some(1),
        Some(range) if range.is_bounded() && range.lo() >= 0 => range.hi().checked_add(1),
        _ => None,
    };
    let Some(size) = size else {
        let message = "a swizzle needs positions of at least 0, and a negative one may be accessed";
        return Err(given.wrong(ErrorKind::Domain, message));
    };
    let layout = cute::Layout::read(&format!("{text} o {size}:1")).map_err(|error| {
        let failure = given.wrong(error.kind, error.message);
        failure.hint("a swizzle is written as `Swizzle<3,4,3>`: bits, lowest bit, shift")
    })?;
    Ok(layout.map().clone())
}

/// Returns the composition of the steps in order.
fn composed(blamed: &Argument, steps: &[(&str, IndexingMap)]) -> Result<IndexingMap, Failure> {
    let mut maps = steps.iter().map(|(_, map)| map);
    let first = maps.next().cloned();
    let first = first.unwrap_or_else(|| IndexingMap::new(Domain::new(Vec::new()), Vec::new()));
    let composed = maps.try_fold(first, |all, next| all.then(next));
    composed.map_err(|error| match error {
        ComposeError::Arity { results, dimensions } => blamed.wrong(
            ErrorKind::Arity,
            format!(
                "an index with {} does not match {}",
                count(results, "coordinate"),
                count(dimensions, "dimension")
            ),
        ),
        ComposeError::Expr(error) => blamed.blame(expr_error(error)),
    })
}
