//! Verdicts of `hlo --check` on the maps of a part of an operand, as text and as JSON.

use crate::command::output::{Object, Role, Status, Text};
use crate::command::words::tuple;
use crate::ops::agreement::{Judgement, Reader};

/// What a run with this judgement reports.
pub fn judgement_status(judgement: &Judgement) -> Status {
    match judgement {
        Judgement::Proved => Status::Done,
        Judgement::Refuted(_) => Status::Wrong,
        Judgement::Unknown(_) => Status::Undecided,
    }
}

/// Adds `check`, and `counterexample` or `check_reason`.
pub fn judgement_object(json: Object, judgement: &Judgement) -> Object {
    match judgement {
        Judgement::Proved => json.with("check", "proved"),
        Judgement::Unknown(reason) => json.with("check", "unknown").with("check_reason", reason),
        Judgement::Refuted(found) => json.with("check", "refuted").with("counterexample", found),
    }
}

/// A line below the maps.
pub fn judgement_text(judgement: &Judgement) -> Text {
    let mut text = Text::new().plain("\n        ");
    match judgement {
        Judgement::Proved => text.push(Role::Good, "proved"),
        Judgement::Unknown(reason) => {
            text.push(Role::Doubtful, "not decided");
            text.push(Role::Plain, format!(": {reason}"));
        }
        Judgement::Refuted(found) => {
            text.push(Role::Bad, "refuted");
            let (by, other) = match found.read_by {
                Reader::Map => ("the map", "the definition of the op"),
                Reader::Definition => ("the definition of the op", "the map"),
            };
            let (output, element) = (tuple(&found.output), tuple(&found.element));
            let what = format!(
                ": output element {output} reads element {element} by {by}, not by {other}"
            );
            text.push(Role::Plain, what);
        }
    }
    text
}
