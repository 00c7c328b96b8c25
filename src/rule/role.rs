//! The role of a rule in the engine, which is determined by its file.

use serde::{Deserialize, Serialize};

/// The file name of the rules of a session.
pub const SESSION: &str = "session";

/// The file name of the laws of a session, which are never fired.
pub const SESSION_LAWS: &str = "session_laws";

/// The role of a rule in the engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Role {
    /// It normalizes quotients, firing until no such rule applies.
    NormalForm,
    /// The search tries it, and keeps smaller forms.
    Form,
    /// As [`Role::Form`]; found by discovery.
    Found,
    /// A user added it to the session: it fires in the e-graph, and the search tries it, too.
    Session,
    /// A user keeps it in the session as a law; it never fires.
    SessionLaw,
    /// It permits steps that code plans, or states a law that code relies on; or it belongs to a user's own file, which is
    /// judged, but not used.
    Stated,
}

impl Role {
    /// Returns the role of the rules of a file.
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

    /// Returns whether the search tries it, and keeps smaller forms.
    #[must_use]
    pub fn is_tried(self) -> bool {
        matches!(self, Role::Form | Role::Found | Role::Session)
    }

    /// Returns whether it was added to the session.
    #[must_use]
    pub fn is_of_session(self) -> bool {
        matches!(self, Role::Session | Role::SessionLaw)
    }
}
