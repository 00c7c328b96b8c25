//! The role of a rule in the engine. The file that a rule stands in says it; here it is read once.

use serde::{Deserialize, Serialize};

/// The file name of the rules of a session.
pub const SESSION: &str = "session";

/// The file name of the laws of a session, which are never fired.
pub const SESSION_LAWS: &str = "session_laws";

/// The role of a rule in the engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Role {
    /// It normalizes quotients: it fires until none applies.
    NormalForm,
    /// The search tries it, and keeps smaller forms.
    Form,
    /// As [`Role::Form`]; discovery found it.
    Found,
    /// A user added it to the session: it fires in the e-graph, and the search tries it too.
    Session,
    /// A user keeps it in the session; it never fires.
    SessionLaw,
    /// It permits steps that code plans, or states a law that code relies on; or it is one of a file of somebody's own, which is
    /// judged, and not used.
    Stated,
}

impl Role {
    /// The role of the rules of a file.
    #[must_use]
    pub fn of_file(name: &str) -> Role {
        match name {
            "floordiv.rules" => Role::NormalForm,
            "forms.rules" => Role::Form,
            "mined.rules" => Role::Found,
            SESSION => Role::Session,
            SESSION_LAWS => Role::SessionLaw,
            _ => Role::Stated,
        }
    }

    /// Does the search try it, and keep smaller forms?
    #[must_use]
    pub fn is_tried(self) -> bool {
        matches!(self, Role::Form | Role::Found | Role::Session)
    }

    /// Was it added to the session?
    #[must_use]
    pub fn is_of_session(self) -> bool {
        matches!(self, Role::Session | Role::SessionLaw)
    }
}
