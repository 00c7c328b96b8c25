//! `rules off` and `rules on`: which rules of the session fire; and the simplifier with the session's rules.

use crate::arguments::Argument;
use crate::failure::Failure;
use crate::output::{Object, Output, Role, Text, clipped};
use crate::session::{Locked, Session};
use crate::table::Call;
use crate::words::nearest;
use affinor::rule::RuleSet;
use affinor::rule::verify::Lock;
use affinor::simplify::Simplifier;
use affinor::text::{Error, ErrorKind};

impl Session {
    /// Returns the lock of the rules of [`base`](Session::base).
    ///
    /// # Errors
    /// If the built-in lock does not parse.
    pub(super) fn lock(&self) -> Result<Lock, Error> {
        match &self.locked {
            Some(locked) => Ok(Lock::clone(&locked.lock)),
            None => Lock::shipped(),
        }
    }

    /// Puts these rules in force, or the built-in rules if `locked` is `None`.
    ///
    /// # Errors
    /// If an added rule has the name of one of them, or a rule that is off is not among them; nothing has changed then.
    pub(super) fn put_in_force(&mut self, locked: Option<Locked>) -> Result<(), Error> {
        let before = std::mem::replace(&mut self.locked, locked);
        self.renew_simplifier().inspect_err(|_| self.locked = before)
    }

    /// Returns the rules of [`base`](Session::base) and the added rules, whether they fire or not.
    ///
    /// # Errors
    /// If the shipped rules do not load.
    pub(super) fn all_rules(&self) -> Result<RuleSet, Error> {
        let mut rules = self.base()?.rules().clone();
        rules.extend(self.rules.iter().map(|added| added.rule.clone()).collect())?;
        Ok(rules)
    }

    /// Rebuilds the simplifier after a change of the rules.
    ///
    /// # Errors
    /// If the rules do not compile; the previous simplifier is then kept.
    pub(super) fn renew_simplifier(&mut self) -> Result<(), Error> {
        let base = match self.rules.is_empty() {
            true => None,
            false => Some(Simplifier::new(self.all_rules()?)?),
        };
        self.simplifier = match (base, self.off.is_empty()) {
            (base, true) => base,
            (base, false) => {
                let base = base.map_or_else(|| self.base(), Ok)?;
                let off: Vec<&str> = self.off.iter().map(String::as_str).collect();
                Some(base.without(&off)?)
            }
        };
        Ok(())
    }
}

/// Switches rules off, or on again; `rules on` without names switches all rules on.
pub(super) fn run(call: &mut Call<'_>, names: &[Argument], on: bool) -> Result<(), Failure> {
    if names.is_empty() && !on {
        return Err(call.wrong_usage("`rules off` needs the name of a rule"));
    }
    let mut off = call.session.off.clone();
    if names.is_empty() {
        off.clear();
    }
    for name in names {
        check_fired(call, name)?;
        match on {
            true => off.remove(&name.text),
            false => off.insert(name.text.clone()),
        };
    }
    call.session.off = off;
    let renewed = call.session.renew_simplifier();
    renewed.map_err(|error| call.failed(error))?;
    let off: Vec<&str> = call.session.off.iter().map(String::as_str).collect();
    let text = match off.as_slice() {
        [] => Text::of(Role::Plain, "all rules are on"),
        off => Text::of(Role::Plain, format!("rules off: {}", off.join(", "))),
    };
    call.emit(Output::new(text, Object::new().with("rules_off", off)).echo());
    Ok(())
}

/// Checks that the rule exists, and fires unless it is switched off.
fn check_fired(call: &Call<'_>, name: &Argument) -> Result<(), Failure> {
    let simplifier = call.uncounted_simplifier()?;
    let off = call.session.off.iter().map(String::as_str);
    let mut fired = simplifier.fired().chain(off);
    if fired.any(|fired| fired == name.text) {
        return Ok(());
    }
    let shown = clipped(&name.text);
    if simplifier.rules().find(&name.text).is_some() {
        let message = format!("`{shown}` is a law and never fires");
        return Err(name.wrong(ErrorKind::Usage, message));
    }
    Err(unknown(name, simplifier.fired()))
}

/// Returns the failure for an unknown name of a rule.
pub(super) fn unknown<'r>(name: &Argument, known: impl Iterator<Item = &'r str>) -> Failure {
    let message = format!("unknown rule `{}`", clipped(&name.text));
    let failure = name.wrong(ErrorKind::Name, message);
    match nearest(&name.text, known) {
        Some(near) => failure.hint(format!("did you mean `{near}`?")),
        None => failure.hint("type `rules list` for the rules"),
    }
}
