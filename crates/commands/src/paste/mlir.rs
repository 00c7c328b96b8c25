//! Answers about MLIR that is not a map itself: sets, buffers, and the maps of a structured operation.

use crate::answered::answered;
use crate::arguments::Argument;
use crate::failure::Failure;
use crate::given::part;
use crate::output::{Object, Output, Role, Text};
use crate::table::Call;
use crate::token::{Class, split};
use affinor::prove::{self, Verdict};
use affinor::text::{Error, ErrorKind, Style, memref, print_map_strictly, set_as_map};
use std::collections::BTreeSet;

/// Answers `affine_set<..>`: the map of its points, and whether it has any.
pub fn set(call: &mut Call<'_>, argument: &Argument) -> Result<(), Failure> {
    let map = set_as_map(&argument.text).map_err(|error| argument.blame(error))?;
    let verdict = prove::is_empty(map.domain(), &call.proof_budget());
    let mut output = answered(call, &map)?;
    let (word, said) = match &verdict {
        Verdict::Proved => ("empty", "empty: no integers satisfy it".to_owned()),
        Verdict::Refuted(point) => {
            let variables = map.domain().variables().iter().zip(point);
            let values: Vec<String> =
                variables.map(|(variable, value)| format!("{} = {value}", variable.name)).collect();
            ("not-empty", format!("not empty: {} is in it", values.join(", ")))
        }
        Verdict::Unknown(reason) => {
            ("unknown", format!("it is unknown whether it is empty: {reason}"))
        }
    };
    output.text.push(Role::Plain, format!("\n{said}"));
    if let Some(json) = &mut output.json {
        json.insert("emptiness".to_owned(), word.into());
    }
    call.emit(output);
    Ok(())
}

/// Answers `memref<..>`: the map from an index to the position in memory.
pub fn buffer(call: &mut Call<'_>, argument: &Argument) -> Result<(), Failure> {
    let map = memref(&argument.text).map_err(|error| argument.blame(error))?;
    let output = answered(call, &map)?;
    call.emit(output);
    Ok(())
}

/// Answers `indexing_maps = [..]`, possibly inside an operation: a map for each operand, in order.
pub fn indexing_maps(call: &mut Call<'_>, argument: &Argument) -> Result<(), Failure> {
    let text = argument.text.as_str();
    let wrong = |message: &str, at: usize| {
        let error = Error::new(ErrorKind::Syntax, at..text.len(), message);
        argument.blame(error.hint("write `indexing_maps = [affine_map<(d0) -> (d0)>, ..]`"))
    };
    let name = text.find("indexing_maps").unwrap_or(0);
    let Some(open) = text[name..].find('[').map(|at| name + at) else {
        return Err(wrong("expected `= [` and the maps", name));
    };
    let Some(close) = closing(&text[open..]).map(|at| open + at) else {
        return Err(wrong("the list of maps is not closed", open));
    };
    let items = split(&text[..close], open + 1..close, Class::Comma);
    let items: Vec<Argument> = items.into_iter().map(|span| part(argument, span)).collect();
    let mut known = 0;
    for item in items.iter().filter(|item| !item.text.trim().is_empty()) {
        let map = call.map(item)?;
        let mut output = answered(call, &map)?;
        if let Some(json) = &mut output.json {
            json.insert("operand".to_owned(), known.into());
        }
        known += 1;
        call.emit(output);
    }
    match known {
        0 => Err(wrong("there is no map in the list", open)),
        _ => {
            let said = format!("{known} maps, of the operands in order: inputs, then outputs");
            call.emit(Output::new(
                Text::of(Role::Faint, said),
                Object::new().with("operands", known),
            ));
            Ok(())
        }
    }
}

/// Appends to a text of MLIR the definitions of the aliases that it uses and the session knows; positions in the text stay valid.
pub fn with_aliases(call: &Call<'_>, text: &str) -> String {
    let mut defined = text.to_owned();
    let own = text.lines().filter_map(|line| line.trim_start().strip_prefix('#')?.split_once('='));
    let mut seen: BTreeSet<&str> = own.map(|(name, _)| name.trim_end()).collect();
    for (at, _) in text.match_indices('#') {
        let rest = &text[at + 1..];
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let name = &rest[..end];
        if name.is_empty() || rest[end..].starts_with('.') || !seen.insert(name) {
            continue;
        }
        let map = call.alias(&text[at..at + 1 + end]);
        if let Some(Ok(map)) = map.map(|map| print_map_strictly(&map, Style::Mlir)) {
            defined.push_str(&format!("\n#{name} = {map}"));
        }
    }
    defined
}

/// Returns the position of the bracket that closes the one at the start of `text`.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    for (at, letter) in text.char_indices() {
        match letter {
            '[' => depth += 1,
            ']' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}
