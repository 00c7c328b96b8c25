//! The lines of commands that answer a question about code, one for each access that it is about.

use super::bounded::{declaration, launchable, linear, programs, taken, with_parameter};
use super::line::{Line, Listed, about, unsupported};
use super::subjects::subjects;
use super::words::{Asked, Kind};
use super::{memory, sets};
use crate::foreign::vectors::ELEMENTS;
use crate::seen::{Access, Value};
use crate::session::Session;
use affinor::expr::{Expr, IndexingMap, VariableId, VariableKind};
use affinor::num::{Interval, MINUS_INFINITY, PLUS_INFINITY};
use affinor::text::{Error, Style, print_map};

/// The maximum number of accesses that are answered one by one.
const MOST: usize = 12;

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
    let has_bytes = asked.values.iter().any(|value| matches!(value, Value::Bytes(_)));
    if has_bytes && !matches!(asked.kind, Kind::Banks | Kind::Coalesced | Kind::Aligned) {
        return Err(unsupported(
            "a number of bytes belongs to a question about banks, sectors or alignment",
        ));
    }
    let sizes = asked.values.iter().find_map(|value| match value {
        Value::Sizes(sizes) => Some(sizes.clone()),
        _ => None,
    });
    if sizes.is_some() && !matches!(asked.kind, Kind::Inside | Kind::Unused) {
        return Err(unsupported("a number of elements belongs to a question about bounds"));
    }
    if accesses.len() > MOST {
        let message = format!("the code accesses elements at {} places", accesses.len());
        return Err(unsupported(message).hint("name the array in the question"));
    }
    let mut accesses = accesses;
    if asked.reader.is_some() {
        let names = || asked.elements.iter().map(|(name, _)| name).chain(&asked.arrays);
        accesses.retain(|access| names().any(|name| *name == access.array));
    }
    // Accesses of warps do not depend on the number of threads.
    let taken = match asked.kind {
        Kind::Banks | Kind::Coalesced => None,
        _ => within_block(&mut accesses),
    };
    let mut lines = match asked.kind {
        Kind::Unused => sets::unused(session, &accesses, sizes.as_deref())?,
        Kind::Overlap => sets::overlap(&accesses)?,
        _ => {
            let of_one = |access| of_access(session, asked, access, sizes.as_deref());
            let all: Result<Vec<_>, _> = accesses.iter().map(of_one).collect();
            all?.into_iter().flatten().collect()
        }
    };
    lines.iter_mut().for_each(|line| line.taken = taken.clone());
    if asked.kind == Kind::Image
        && let (Some(last), true) = (lines.last_mut(), lines_of_one(&accesses))
        && asked.reader.is_none()
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

/// Bounds the threads of accesses by the largest block, and says so.
fn within_block(accesses: &mut [Access]) -> Option<String> {
    let mut taken = None;
    for access in accesses {
        let (map, note) = launchable(&access.map);
        access.map = map;
        taken = taken.or(note);
        access.within = access.within.take().map(|(map, sizes)| (launchable(&map).0, sizes));
    }
    taken
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

/// Returns the lines about one access.
fn of_access(
    session: &Session,
    asked: &Asked,
    access: &Access,
    sizes: Option<&[String]>,
) -> Result<Vec<Line>, Error> {
    let of = (!access.array.is_empty()).then(|| about(access));
    let line = |line: String| Line { about: of.clone(), line, ..Line::default() };
    let text = |map: &IndexingMap| print_map(map, Style::Plain);
    let map = &access.map;
    let declared = declaration(session, access);
    let position = || {
        let sizes = declared.as_ref().map_or(&[][..], |(_, sizes)| sizes);
        let known = access.within.as_ref().map(|(_, sizes)| sizes.iter().map(String::as_str));
        let known: Vec<&str> = known.into_iter().flatten().collect();
        linear(map, sizes).or_else(|| linear(map, &known)).ok_or_else(|| {
            let array = &access.array;
            match array.is_empty() {
                true => unsupported("the sizes of the last value are not known")
                    .hint("name the array in the question"),
                false => unsupported(format!("the sizes of `{array}` are not known"))
                    .hint(format!("declare them: `float {array}[32][32];`")),
            }
        })
    };
    let bytes = declared.as_ref().and_then(|(text, _)| {
        let is_word = |name: &str| {
            text.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|word| word == name)
        };
        ELEMENTS.iter().find(|(name, _)| is_word(name)).map(|(_, bytes)| *bytes)
    });
    let stated = asked.values.iter().find_map(|value| match value {
        Value::Bytes(bytes) => Some(*bytes),
        _ => None,
    });
    let option = stated.or(bytes).map_or(String::new(), |bytes| format!(" --bytes {bytes}"));
    if let Some(result) = asked.reader.as_ref().filter(|result| access.of.as_ref() == Some(*result))
    {
        let about = Some(format!("the elements of `{result}` that read `{}`", access.array));
        let elements = to_variables(map, |kind| kind == VariableKind::Dimension);
        let command = if asked.kind == Kind::Image { "image" } else { "count" };
        return Ok(vec![Line { about, ..line(format!("{command} {}", text(&elements))) }]);
    }
    Ok(vec![match asked.kind {
        Kind::Banks | Kind::Coalesced => {
            let command = if asked.kind == Kind::Banks { "banks" } else { "coalesce" };
            let (map, after) = taken(&position()?);
            Line { after, ..line(format!("{command} {}{option}", text(&map))) }
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
        Kind::Image => {
            Line { listed: Some(Listed::Read(map.clone())), ..line(format!("image {}", text(map))) }
        }
        // The last one is not among the first few.
        Kind::Point if asked.is_extreme => line(format!("points {} --first 1000", text(map))),
        Kind::Point => line(format!("points {}", text(map))),
        Kind::Strides => match memory::of_view(session, access) {
            Some(lines) => return Ok(lines),
            // A value has no other positions than its own.
            None if access.array.is_empty() && map.domain().variables().is_empty() => {
                let message = "the last answer has no variables, so it has no strides";
                return Err(unsupported(message).hint("name the array in the question"));
            }
            None if access.array.is_empty() && map.results().len() == 1 => {
                memory::strides(access, map)
            }
            None => memory::strides(access, &position()?),
        },
        Kind::Aligned => {
            let by = stated.ok_or_else(|| {
                unsupported("the alignment is not stated").hint("say it: `.. 16-byte aligned?`")
            })?;
            memory::aligned(access, &position()?, bytes, by)?
        }
        Kind::Bitcast if !asked.values.is_empty() || !asked.elements.is_empty() => {
            return Err(unsupported(
                "a bitcast is asked about as a whole, without bounds and indices",
            ));
        }
        Kind::Bitcast => memory::bitcast(access)?,
        Kind::Programs => {
            let wrong = || unsupported("the access has no variable for the programs of a grid");
            let programs = programs(map, asked.is_of_grid).ok_or_else(wrong)?;
            let after = "distinct elements: those of the grid that access an element".to_owned();
            Line { about: None, after: Some(after), ..line(format!("count {}", text(&programs))) }
        }
        Kind::Elements => line(format!("count {}", text(map))),
        Kind::Iterations => Line { about: None, ..line(format!("count {}", domain(map))) },
        Kind::Masked => return masked(map),
        Kind::Parallel | Kind::Vectorized | Kind::Interchange | Kind::Unused | Kind::Overlap => {
            return Err(unsupported("this is asked about all accesses together"));
        }
    }])
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
    print_map(&to_variables(map, |_| true), Style::Plain)
}

/// Returns the map of the points to some of their variables.
fn to_variables(map: &IndexingMap, is_meant: impl Fn(VariableKind) -> bool) -> IndexingMap {
    let variables = (0..).map(VariableId).zip(map.domain().variables());
    let results = variables.filter(|(_, one)| is_meant(one.kind)).map(|(id, _)| Expr::variable(id));
    IndexingMap::new(map.domain().clone(), results.collect())
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
                ..Line::default()
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
    Ok(vec![Line { line: format!("parallel {option}{text}"), after, ..Line::default() }])
}
