//! Collects the answers of a part of the command.

use crate::failure::Failure;
use crate::host::Host;
use crate::output::{Output, Status};
use crate::relay::Relay;
use crate::table::Call;

/// Returns the answers that `of` emits, and its result.
pub(super) fn heard(
    call: &mut Call<'_>,
    of: impl FnOnce(&mut Call<'_>) -> Result<(), Failure>,
) -> (Vec<Output>, Result<(), Failure>) {
    let mut answers = Vec::new();
    let mut relay = Relay {
        host: &mut *call.host,
        answer: |_: &mut dyn Host, output: Output| answers.push(output),
    };
    let mut inner = Call {
        notices: Default::default(),
        commands: call.commands,
        command: call.command,
        arguments: call.arguments,
        session: &mut *call.session,
        host: &mut relay,
        about: None,
        status: Status::Done,
        place: call.place.clone(),
    };
    let found = of(&mut inner);
    (answers, found)
}
