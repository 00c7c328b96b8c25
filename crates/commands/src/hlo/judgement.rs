//! Verdicts of `hlo --check` on the maps of a part of an operand, as text and as JSON.

use crate::output::{Object, Output, Role, Status, Text};
use crate::verdict::totals_text;
use crate::words::tuple;
use affinor_compare::agreement::{Judgement, Reader};

/// The number of checked maps with each verdict.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Checked {
    proved: usize,
    refuted: usize,
    unknown: usize,
}

impl Checked {
    /// Adds these verdicts; an entry without maps has none and is not counted.
    #[must_use]
    pub fn and(mut self, judgements: &[Option<Judgement>]) -> Checked {
        for judgement in judgements.iter().flatten() {
            match judgement {
                Judgement::Proved => self.proved += 1,
                Judgement::Refuted(_) => self.refuted += 1,
                Judgement::Unknown(_) => self.unknown += 1,
            }
        }
        self
    }

    /// Returns the sums of both counts.
    #[must_use]
    pub fn plus(self, other: Checked) -> Checked {
        Checked {
            proved: self.proved + other.proved,
            refuted: self.refuted + other.refuted,
            unknown: self.unknown + other.unknown,
        }
    }

    /// Returns `checked: 3 proved, 0 refuted, 1 unknown`
    pub fn text(self) -> Text {
        totals_text("checked", [self.proved, self.refuted, self.unknown])
    }

    /// Returns `{"proved", "refuted", "unknown"}`
    pub fn json(self) -> Object {
        Object::nested()
            .with("proved", self.proved)
            .with("refuted", self.refuted)
            .with("unknown", self.unknown)
    }

    /// Returns a line of text below several answers; `None` for at most one map.
    pub fn output(self) -> Option<Output> {
        let all = self.proved + self.refuted + self.unknown;
        (all > 1).then(|| Output { json: None, ..Output::new(self.text(), Object::new()) })
    }
}

/// Returns the exit status of a run with this judgement.
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

/// Returns the line below the maps.
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
