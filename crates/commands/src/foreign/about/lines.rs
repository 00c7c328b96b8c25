//! The lines of commands that answer a question about code, one for each access that it is about.

use super::bounded::{bounded, combined, declaration, linear, taken, with_parameter};
use super::values::Value;
use super::words::{Asked, Kind};
use crate::foreign::vectors::ELEMENTS;
use crate::seen::Access;
use crate::session::Session;
use affinor::expr::{Expr, IndexingMap};
use affinor::num::{Interval, MINUS_INFINITY, PLUS_INFINITY};
use affinor::text::{Error, ErrorKind, Style, print_map};

/// A line, and what it is about: `the elements of `x` that are read`.
#[derive(Debug)]
pub struct Line {
    pub about: Option<String>,
    pub line: String,
    /// The map whose runs of elements are listed beside the answer.
    pub listed: Option<IndexingMap>,
    /// A sentence after the answer.
    pub after: Option<String>,
}

/// The maximum number of accesses that are answered one by one.
const MOST: usize = 12;

fn unsupported(message: impl Into<String>) -> Error {
    Error::without_span(ErrorKind::Unsupported, message)
}

/// Returns the lines that answer a question about accesses.
///
/// # Errors
/// If there is no such access, or a value of the question belongs to none of its variables.
pub fn lines(session: &Session, asked: &Asked, given: &[Access]) -> Result<Vec<Line>, Error> {
    let lanes = asked.values.iter().find_map(|value| match value {
        Value::Lanes(lanes) => Some(*lanes),
        _ => None,
    });
    if matches!(asked.kind, Kind::Parallel | Kind::Vectorized | Kind::Interchange) {
        return of_loops(session, asked, lanes);
    }
    if lanes.is_some() {
        return Err(unsupported("`by` and a number belong to a question about vectors"));
    }
    let accesses = subjects(session, asked, given)?;
    let sizes = asked.values.iter().find_map(|value| match value {
        Value::Sizes(sizes) => Some(sizes.clone()),
        _ => None,
    });
    if sizes.is_some() && asked.kind != Kind::Inside {
        return Err(unsupported("a number of elements belongs to a question about bounds"));
    }
    if accesses.len() > MOST {
        let message = format!("the code accesses elements at {} places", accesses.len());
        return Err(unsupported(message).hint("name the array in the question"));
    }
    let mut lines = Vec::new();
    for access in &accesses {
        lines.extend(of_access(session, asked, access, sizes.as_deref())?);
    }
    if asked.kind == Kind::Image
        && let (Some(last), true) = (lines.last_mut(), lines_of_one(&accesses))
    {
        last.after = hull(&accesses);
    }
    // Two accesses at the same points have the same iterations.
    let mut seen = Vec::new();
    lines.retain(|line| {
        let is_new = !seen.contains(&line.line);
        seen.push(line.line.clone());
        is_new
    });
    Ok(lines)
}

/// Returns whether several accesses are to one array.
fn lines_of_one(accesses: &[Access]) -> bool {
    let mut pairs = accesses.windows(2);
    accesses.len() > 1 && pairs.all(|pair| pair[0].array == pair[1].array)
}

/// Returns the box around the elements of several accesses to one array.
fn hull(accesses: &[Access]) -> Option<String> {
    let regions = accesses.iter().map(|access| access.map.ranges());
    let hull =
        regions.reduce(|all, of| all.into_iter().zip(of).map(|(a, b)| a.hull(b)).collect())?;
    let sides: Vec<String> =
        hull.iter().map(|side| format!("[{}, {}]", side.lo(), side.hi())).collect();
    let is_bounded = hull.iter().all(|side| side.is_bounded());
    is_bounded.then(|| format!("all of them are in {}", sides.join(" x ")))
}

/// Returns the accesses that a question is about, with its values as bounds.
fn subjects(session: &Session, asked: &Asked, given: &[Access]) -> Result<Vec<Access>, Error> {
    let mut found: Vec<Access> = given.to_vec();
    let is_array = |access: &Access, name: &str| access.array == name;
    for name in asked
        .arrays
        .iter()
        .filter(|name| !given.iter().any(|access| access.of.as_deref() == Some(name.as_str())))
    {
        if !given.iter().any(|access| is_array(access, name)) {
            return Err(unsupported(format!("the code has no access to `{name}`")));
        }
    }
    let named: Vec<&String> = asked.arrays.iter().collect();
    // `is y[i] in bounds` names an array; `C[3, 5]` of another one is a point.
    let (points, others): (Vec<_>, Vec<_>) = asked
        .elements
        .iter()
        .partition(|(_, index)| index.iter().all(|part| part.parse::<i64>().is_ok()));
    for (name, _) in &others {
        if !given.iter().any(|access| is_array(access, name)) {
            return Err(unsupported(format!("the code has no access to `{name}`")));
        }
    }
    if !named.is_empty() || !others.is_empty() {
        found.retain(|access| {
            named.iter().any(|name| is_array(access, name))
                || others.iter().any(|(name, _)| is_array(access, name))
        });
    }
    let of_points = !points.is_empty();
    if asked.is_read && !asked.is_written && !of_points {
        found.retain(|access| access.is_read || !access.is_written);
    }
    let only_writes = asked.is_written || asked.kind == Kind::Injective && !asked.is_read;
    if only_writes && asked.kind != Kind::Point {
        let has_writes = found.iter().any(|access| access.is_written);
        // Values that are no accesses, `pid * 4`, are what is asked about themselves.
        let is_access = found.iter().any(|access| access.is_read);
        match (has_writes, asked.is_written && is_access) {
            (true, _) => found.retain(|access| access.is_written),
            (false, true) => return Err(unsupported("the code writes no element that is known")),
            (false, false) => {}
        }
    }
    if found.is_empty() {
        return Err(unsupported("the code has no such access"));
    }
    for (name, index) in &points {
        found = at_point(found, given, name, index, asked.kind)?;
    }
    // The banks are those of shared memory, the sectors those of global memory.
    let is_shared = |access: &Access| {
        let text = declaration(session, access).map(|(text, _)| text);
        text.is_some_and(|text| {
            ["__shared__", "__local", "threadgroup "].iter().any(|word| text.contains(word))
        })
    };
    let wants = match asked.kind {
        Kind::Banks => Some(true),
        Kind::Coalesced => Some(false),
        _ => None,
    };
    if let Some(wanted) = wants.filter(|_| found.iter().any(is_shared))
        && found.iter().any(|access| is_shared(access) == wanted)
    {
        found.retain(|access| is_shared(access) == wanted);
    }
    for access in &mut found {
        for value in combined(&access.map, &asked.values) {
            if matches!(value, Value::Sizes(_) | Value::Lanes(_)) {
                continue;
            }
            // The index in each dimension has the bounds of the position, and perhaps no other variables.
            if let Some((within, sizes)) = access.within.take() {
                let made = bounded(session, &within, &value).unwrap_or(within);
                access.within = Some((made, sizes));
            }
            let made = bounded(session, &access.map, &value);
            access.map = made.ok_or_else(|| no_variable(&access.map, &value))?;
        }
    }
    Ok(found)
}

/// Returns the accesses at the points at which an element of an array is accessed, or is the result.
fn at_point(
    found: Vec<Access>,
    given: &[Access],
    name: &str,
    index: &[String],
    kind: Kind,
) -> Result<Vec<Access>, Error> {
    let numbers: Vec<i64> = index.iter().filter_map(|part| part.parse().ok()).collect();
    // `[4, 2]` alone is an element of the last result.
    let last = given.last().and_then(|access| access.of.as_deref());
    let name = if name == "_" { last.unwrap_or(name) } else { name };
    let same = |access: &Access| access.array == name;
    let at = |map: &IndexingMap, own: &[Expr]| {
        let results = own.iter().zip(&numbers);
        results.fold(map.clone(), |map, (result, at)| map.restricted(result, Interval::point(*at)))
    };
    let wrong =
        || unsupported(format!("`{name}` has no element with {} indices here", numbers.len()));
    // A result, whose indices are the dimensions of the maps; also the array that a result is written to.
    let results: Vec<&Access> =
        given.iter().filter(|access| access.of.as_deref() == Some(name)).collect();
    let is_destination = |access: &&Access| {
        access.of.is_some()
            && same(access)
            && access
                .map
                .results()
                .iter()
                .enumerate()
                .all(|(at, result)| result.as_variable().is_some_and(|id| id.index() == at))
    };
    let result = match results.first() {
        Some(access) => access.of.clone(),
        None => given.iter().find(is_destination).and_then(|access| access.of.clone()),
    };
    if let Some(result) = result {
        let mut made = Vec::new();
        for mut access in found {
            if access.of.as_ref() != Some(&result) {
                continue;
            }
            let variables = access.map.domain().variables().len();
            let dimensions: Vec<Expr> = (0..numbers.len())
                .map(|at| Expr::variable(affinor::expr::VariableId(at as u32)))
                .collect();
            if numbers.len() > variables {
                return Err(wrong());
            }
            access.map = at(&access.map, &dimensions);
            made.push(access);
        }
        // What the result itself had there is not what it reads of others.
        let others = made.iter().any(|access| !same(access));
        made.retain(|access| !others || !same(access));
        return Ok(made);
    }
    let owners: Vec<&Access> = given.iter().filter(|access| same(access)).collect();
    let owners = match owners.iter().any(|access| access.is_written) {
        true => owners.into_iter().filter(|access| access.is_written).collect(),
        false => owners,
    };
    let [owner] = owners[..] else {
        return Err(match owners.is_empty() {
            true => unsupported(format!("the code has no access to `{name}`")),
            false => unsupported(format!("the code accesses `{name}` at several places")),
        });
    };
    if owner.map.results().len() != numbers.len() {
        return Err(wrong());
    }
    if kind == Kind::Point || !found.iter().any(|access| !same(access)) {
        let map = at(&owner.map, owner.map.results());
        return Ok(vec![Access { map, ..owner.clone() }]);
    }
    // The other accesses of the same statement have the same variables.
    let others = found.into_iter().filter(|access| !same(access) || access.is_read);
    let mut made = Vec::new();
    for access in others {
        let of = |map: &IndexingMap| {
            map.domain().variables().iter().map(|one| one.name.clone()).collect::<Vec<_>>()
        };
        if of(&access.map) != of(&owner.map) {
            let message =
                format!("`{}` and `{name}` are accessed in different loops", access.array);
            return Err(unsupported(message));
        }
        made.push(Access { map: at(&access.map, owner.map.results()), ..access });
    }
    Ok(made)
}

fn no_variable(map: &IndexingMap, value: &Value) -> Error {
    let names: Vec<String> =
        map.domain().variables().iter().map(|one| format!("`{}`", one.name)).collect();
    let what = match value {
        Value::Bound(name, ..) => format!("`{name}`"),
        Value::Program(_) => "a program".to_owned(),
        Value::Thread(_) => "a thread".to_owned(),
        Value::Programs(_) => "a number of programs".to_owned(),
        _ => "a number of threads".to_owned(),
    };
    let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    unsupported(format!("{what} of the question belongs to no variable of the access"))
        .hint(format!("its variables are {names}: say their bounds, as `for x in range(8)`"))
}

/// Returns the lines about one access.
fn of_access(
    session: &Session,
    asked: &Asked,
    access: &Access,
    sizes: Option<&[String]>,
) -> Result<Vec<Line>, Error> {
    let of = (!access.array.is_empty()).then(|| about(access));
    let line = |line: String| Line { about: of.clone(), line, listed: None, after: None };
    let text = |map: &IndexingMap| print_map(map, Style::Plain);
    let map = &access.map;
    let declared = declaration(session, access);
    let position = || {
        let sizes = declared.as_ref().map_or(&[][..], |(_, sizes)| sizes);
        linear(map, sizes).ok_or_else(|| {
            let message = format!("the sizes of `{}` are not known", access.array);
            unsupported(message).hint(format!("declare them: `float {}[32][32];`", access.array))
        })
    };
    let bytes = declared.as_ref().and_then(|(text, _)| {
        let is_word = |name: &str| {
            text.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|word| word == name)
        };
        ELEMENTS.iter().find(|(name, _)| is_word(name)).map(|(_, bytes)| *bytes)
    });
    let bytes = bytes.map_or(String::new(), |bytes| format!(" --bytes {bytes}"));
    Ok(vec![match asked.kind {
        Kind::Banks | Kind::Coalesced => {
            let command = if asked.kind == Kind::Banks { "banks" } else { "coalesce" };
            let (map, after) = taken(&position()?);
            Line { after, ..line(format!("{command} {}{bytes}", text(&map))) }
        }
        Kind::Range => line(format!("range {}", text(map))),
        Kind::Bijective => line(format!("injective {} --onto", text(map))),
        Kind::Injective => {
            let after = asked.is_of_grid.then(|| {
                "all points are compared, also those of one program or block with each other"
                    .to_owned()
            });
            Line { after, ..line(format!("injective {}", text(map))) }
        }
        Kind::Inside => {
            if access.is_inside {
                let message = "the maps of MLIR have no iterations that are outside";
                let hint = "a warning above the maps names an iteration whose index is outside";
                return Err(unsupported(message).hint(hint));
            }
            if let (Some((map, own)), None) = (&access.within, sizes) {
                return Ok(vec![line(format!("inside {} ; [{}]", text(map), own.join(", ")))]);
            }
            let declared = declared.map(|(_, sizes)| sizes.join(", "));
            let Some(shape) = sizes.map(|sizes| sizes.join(", ")).or(declared) else {
                let message = format!("the size of `{}` is not known", access.array);
                return Err(unsupported(message).hint("say it: `.. in bounds for 1000 elements`"));
            };
            let names = sizes.iter().copied().flatten();
            let map =
                names.fold(map.clone(), |map, name| with_parameter(&map, name).unwrap_or(map));
            line(format!("inside {} ; [{shape}]", text(&map)))
        }
        Kind::Image if has_one_point(map) => line(format!("eval {} {}", text(map), point(map))),
        Kind::Image => Line { listed: Some(map.clone()), ..line(format!("image {}", text(map))) },
        Kind::Point => line(format!("points {}", text(map))),
        Kind::Elements => line(format!("count {}", text(map))),
        Kind::Iterations => Line { about: None, ..line(format!("count {}", domain(map))) },
        Kind::Masked => return masked(map),
        Kind::Parallel | Kind::Vectorized | Kind::Interchange => {
            Vec::new().pop().ok_or_else(|| unsupported("loops are asked about as a whole"))?
        }
    }])
}

/// Returns what a line is about.
fn about(access: &Access) -> String {
    let verb = match (access.is_read, access.is_written) {
        (true, true) => "read and written",
        (false, true) => "written",
        (true, false) => "read",
        (false, false) => return format!("`{}`", access.array),
    };
    let bound = if access.is_bound { " at most" } else { "" };
    format!("the elements of `{}` that are {verb}{bound}", access.array)
}

fn has_one_point(map: &IndexingMap) -> bool {
    let mut all = map.domain().variables().iter();
    all.all(|one| one.bounds.as_point().is_some()) && !map.domain().variables().is_empty()
}

fn point(map: &IndexingMap) -> String {
    let points = map.domain().variables().iter().filter_map(|one| one.bounds.as_point());
    points.map(|at| at.to_string()).collect::<Vec<_>>().join(",")
}

/// Returns the map of the points to themselves.
fn domain(map: &IndexingMap) -> String {
    let results = (0..map.domain().variables().len())
        .map(|at| Expr::variable(affinor::expr::VariableId(at as u32)))
        .collect();
    print_map(&IndexingMap::new(map.domain().clone(), results), Style::Plain)
}

/// Returns lines that count the points of the loops that a condition excludes, each excluded by another one.
fn masked(map: &IndexingMap) -> Result<Vec<Line>, Error> {
    let whole = affinor::expr::Domain::new(map.domain().variables().to_vec());
    let mut kept = IndexingMap::new(whole, map.results().to_vec());
    let mut lines = Vec::new();
    for constraint in map.domain().constraints() {
        let known = kept.domain().range_of(&constraint.expr);
        let (lo, hi) = (constraint.bounds.lo(), constraint.bounds.hi());
        let sides = [
            (known.lo() < lo).then(|| Interval::new(MINUS_INFINITY, lo - 1)),
            (known.hi() > hi).then(|| Interval::new(hi + 1, PLUS_INFINITY)),
        ];
        for side in sides.into_iter().flatten() {
            let outside = kept.restricted(&constraint.expr, side);
            lines.push(Line {
                about: Some("the iterations that are masked off".to_owned()),
                line: format!("count {}", domain(&outside)),
                listed: None,
                after: None,
            });
        }
        kept = kept.restricted(&constraint.expr, constraint.bounds);
    }
    match lines.is_empty() {
        true => Err(unsupported("no condition of the code excludes an iteration")),
        false => Ok(lines),
    }
}

/// Returns the line about the loops of the code.
fn of_loops(session: &Session, asked: &Asked, lanes: Option<i64>) -> Result<Vec<Line>, Error> {
    // Loops are whole in a line; the statements of a kernel may be several.
    let lines = &session.code.lines;
    let is_nest = |line: &&String| line.contains("for") || line.contains('{');
    let text = match lines.last().filter(is_nest) {
        Some(last) => last.trim().to_owned(),
        None if lines.is_empty() => return Err(unsupported("there are no loops")),
        None => lines.join("\n"),
    };
    if asked.values.iter().any(|value| !matches!(value, Value::Lanes(_))) {
        let message = "values in a question about loops are not supported";
        return Err(unsupported(message).hint("write them in the code: `for i in range(100)`"));
    }
    let (option, after) = match asked.kind {
        Kind::Interchange => ("--interchange ", None),
        Kind::Vectorized => {
            let far = lanes.map_or("the number of lanes".to_owned(), |lanes| format!("{lanes}"));
            let after = format!(
                "a parallel loop can be vectorized; in another one, vectors keep the order of a dependence that is always at least {far} apart, and of an anti dependence if each vector is loaded before it is stored"
            );
            ("", Some(after))
        }
        _ => ("", None),
    };
    Ok(vec![Line { about: None, line: format!("parallel {option}{text}"), listed: None, after }])
}
