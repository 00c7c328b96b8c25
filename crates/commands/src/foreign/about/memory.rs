//! Questions about positions in memory: strides, alignment, and whether an op is a bitcast.

use super::line::{Line, about, unsupported};
use crate::seen::Access;
use crate::session::Session;
use affinor::expr::{Expr, IndexingMap, VariableId};
use affinor::text::{Error, Style, print_map};

/// The size of an element whose type is not stated, in bytes.
const USUAL: i64 = 4;

/// Returns the lines about the strides of a named array of NumPy or PyTorch, whose layout is its own.
pub fn of_view(session: &Session, access: &Access) -> Option<Vec<Line>> {
    let name = access.of.as_deref().filter(|name| session.views.contains_key(*name))?;
    let call = |method: &str| line(None, format!("{name}.{method}()"));
    Some(vec![call("stride"), call("is_contiguous")])
}

/// Returns the line about the strides of an access, whose position in memory is given.
pub fn strides(access: &Access, position: &IndexingMap) -> Line {
    let moves = (0..).map(VariableId).zip(position.domain().variables());
    let moves = moves.filter(|(_, one)| one.bounds.as_point().is_none());
    let steps: Vec<(String, Option<i64>)> =
        moves.map(|(id, one)| (format!("`{}`", one.name), step(position, id))).collect();
    let unit = steps.iter().filter(|(_, step)| *step == Some(1));
    let unit: Vec<&str> = unit.map(|(name, _)| name.as_str()).collect();
    let is_known = steps.iter().all(|(_, step)| step.is_some());
    let first: Option<Vec<i64>> = position
        .domain()
        .variables()
        .iter()
        .map(|one| one.bounds.is_bounded().then_some(one.bounds.lo()))
        .collect();
    let first = first.and_then(|first| position.eval(&first).ok()?.first().copied());
    // A variable in an operation has no stride of its own here: the answer shows the steps that it makes.
    let after = match unit.is_empty() {
        true => is_known.then(|| "not contiguous: no variable has stride 1".to_owned()),
        false => Some(format!("contiguous along {}: the stride is 1", unit.join(" and "))),
    };
    let offset = first.filter(|at| *at != 0).map(|at| format!("the first position is {at}"));
    let after = match (after, offset) {
        (Some(after), Some(offset)) => Some(format!("{after}; {offset}")),
        (after, offset) => after.or(offset),
    };
    let of = (!access.array.is_empty()).then(|| about(access));
    Line { after, ..line(of, format!("strides {}", text(position))) }
}

/// Returns the change of an affine position per step of a variable; `None` if it is in an operation.
fn step(position: &IndexingMap, id: VariableId) -> Option<i64> {
    let [result] = position.results() else { return None };
    let places: Option<Vec<Expr>> = (0..position.domain().variables().len() as u32)
        .map(VariableId)
        .map(|of| match of == id {
            true => Expr::sum(1, [(1, Expr::variable(of))]).ok(),
            false => Some(Expr::variable(of)),
        })
        .collect();
    let next = result.substitute(&places?).ok()?;
    next.sub(result).ok()?.as_constant()
}

/// Returns the line that decides whether each position is a multiple of `bytes`, with elements of `size` bytes.
pub fn aligned(
    access: &Access,
    position: &IndexingMap,
    size: Option<i64>,
    bytes: i64,
) -> Result<Line, Error> {
    if bytes < 1 {
        return Err(unsupported("an alignment is at least 1 byte"));
    }
    let known = size.unwrap_or(USUAL);
    let wrong = |_| unsupported("a position is beyond 64 bits");
    let modulo = |result: &Expr| Expr::sum(0, [(known, result.clone())])?.modulo(bytes);
    let results: Result<Vec<Expr>, _> = position.results().iter().map(modulo).collect();
    let rest = IndexingMap::new(position.domain().clone(), results.map_err(wrong)?);
    let zero = vec![Expr::constant(0); position.results().len()];
    let none = IndexingMap::new(position.domain().clone(), zero);
    let base = format!("if the array begins at a multiple of {bytes} bytes");
    let taken = match size {
        Some(_) => String::new(),
        None => format!("; elements of {known} bytes are taken, as their type is not stated"),
    };
    Ok(Line {
        about: Some(format!("the positions in bytes, modulo {bytes}, of {}", about(access))),
        line: format!("equal {} ; {}", text(&rest), text(&none)),
        verdicts: Some([
            format!("aligned to {bytes} bytes, {base}{taken}"),
            format!("not aligned to {bytes} bytes, {base}{taken}"),
        ]),
        ..Line::default()
    })
}

/// Returns the line that compares the positions of the elements of a result with those of the elements that they read.
pub fn bitcast(access: &Access) -> Result<Line, Error> {
    let Some([to, from]) = access.positions.as_deref() else {
        let message = "only a reshape, transpose, copy or bitcast of typed HLO with layouts does nothing but move elements";
        let hint = "ask about two layouts: `bitcast f32[8,16]{1,0} f32[16,8]{0,1}`";
        return Err(unsupported(message).hint(hint));
    };
    let of = access.of.as_deref().unwrap_or("_");
    Ok(Line {
        about: Some(format!(
            "the positions in memory of the elements of `{of}`, and of those that they read"
        )),
        line: format!("equal {} ; {}", text(to), text(from)),
        verdicts: Some([
            "a bitcast: no element moves".to_owned(),
            "not a bitcast: an element moves".to_owned(),
        ]),
        ..Line::default()
    })
}

fn line(about: Option<String>, line: String) -> Line {
    Line { about, line, ..Line::default() }
}

fn text(map: &IndexingMap) -> String {
    print_map(map, Style::Plain)
}
