//! `rule`: adds a user's rule, if it is true, can fire, terminates, and is not subsumed.

use super::divisors::Positive;
use super::{rule_output, verdict as rule_verdict};
use crate::arguments::Argument;
use crate::failure::Failure;
use crate::option::Flag;
use crate::output::{Object, Output, Role, Status, Text};
use crate::session::Added;
use crate::table::{Call, Command, Kind, Parameter};
use crate::verdict::verdict_status;
use affinor::rule::verify::{Descent, Verdict, descent, inside, judge, subsumed_by};
use affinor::rule::{Rule, SESSION_LAWS, read_rule};
use affinor::simplify::Program;
use affinor::text::{Error, ErrorKind};

const LAW: Flag = Flag::new("law", "keep it as a law: listed, proved and exported, never fired");

pub const RULE: Command = Command {
    name: "rule",
    parameters: &[Parameter::required("NAME: STATEMENT", Kind::Rest)],
    options: &[LAW.switch],
    summary: "prove a rule and add it to the session",
    details: "STATEMENT is as in a rule file (rules/README.md): lhs => rhs, side conditions after `where`, and the hints `split` and\n\
              `let` for matching. Names in divisors, before `*` and before `=` in `let` are integers, others are\n\
              expressions, unless declared with `constant k` or `expression x`. Indented lines continue a rule.\n\
              The answer is whether the rule is true (with a counterexample if not), whether it can fire (its left-hand side and\n\
              hints bind all variables), whether every firing decreases the termination measure, and which rule subsumes it.\n\
              It fires in the e-graph, and with `<=>` on the bounds of a domain, beside the shipped rules; `rules off` disables\n\
              those. A true rule that cannot fire can be kept with `--law`. One whose conditions no values meet is refused.",
    example: &[
        "rule half-odd: (c*x + y) floordiv (c*d) => x floordiv d where c >= 1, d >= 1, 0 <= y, y < c split multiples",
        "rule --law below: x mod c <= c - 1 where c >= 1",
    ],
    makes_map: false,
    keys: r##"
    "not_added": { "description": "Of `rule`: why a true rule is not added.", "type": "string" }"##,
    run,
};

/// The error for a term of the right-hand side.
const NO_DESCENT: &str = "does not decrease the termination measure";

/// Facts about a proved rule that is to fire. Each is determined only if the previous ones permit it.
struct Use {
    fires: Result<(), Error>,
    ends: Option<Result<Descent, String>>,
    /// The rule in force that subsumes it.
    known_by: Option<String>,
}

impl Use {
    fn of(rule: &Rule, call: &Call<'_>) -> Result<Use, Failure> {
        let fires = Program::can_fire(rule);
        let ends = fires.is_ok().then(|| {
            let written = |term| rule.write(&term);
            descent(rule).map_err(written)
        });
        let simplifier = call.uncounted_simplifier()?;
        let in_force: Vec<&str> = simplifier.fired().collect();
        let rules = simplifier.rules().rules().iter();
        let others = rules.filter(|other| in_force.contains(&other.name.as_str()));
        let others: Vec<Rule> = others.cloned().collect();
        let known_by = subsumed_by(rule, &others, &call.rule_budget());
        Ok(Use { fires, ends, known_by: known_by.map(|known| known.name.clone()) })
    }

    fn is_possible(&self) -> bool {
        self.fires.is_ok()
    }

    fn text(&self) -> Text {
        let mut text = Text::new();
        match &self.fires {
            Ok(()) => text.push(Role::Plain, "\nfires: yes"),
            Err(error) => {
                let message = error.message.trim_end_matches(" in ''"); // a rule without a name
                text.push(Role::Plain, format!("\nfires: no, {message}"));
                if let Some(hint) = &error.hint {
                    text.push(Role::Faint, format!("\n  {hint}"));
                }
            }
        }
        match &self.ends {
            None => {}
            Some(Ok(descent)) => {
                text.push(Role::Plain, format!("\nends: yes, it leads to {descent}"));
            }
            Some(Err(term)) => {
                let text_of = format!("\nends: at the bound of the e-graph, {term} {NO_DESCENT}");
                text.push(Role::Plain, text_of);
            }
        }
        let adds = match &self.known_by {
            None => "not subsumed".to_owned(),
            Some(known) => format!("nothing, `{known}` does all that it can do"),
        };
        text.push(Role::Plain, format!("\nadds: {adds}"));
        text
    }

    /// Returns why the rule cannot be added.
    fn obstacle(&self) -> Option<String> {
        let obstacle = self.fires.as_ref().err();
        obstacle.map(|error| error.message.clone())
    }
}

/// Adds `fires`, `ends` and `adds`, which are null if they were not determined; `known_by` and `not_added`.
fn object(json: Object, tried: Option<&Use>) -> Object {
    let fires = tried.map(|tried| tried.fires.is_ok());
    let ends = tried.and_then(|tried| Some(tried.ends.as_ref()?.is_ok()));
    let adds = tried.map(|tried| tried.known_by.is_none());
    json.with("fires", fires)
        .with("ends", ends)
        .with("adds", adds)
        .with_some("known_by", tried.and_then(|tried| tried.known_by.clone()))
        .with_some("not_added", tried.and_then(Use::obstacle))
}

fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    let argument = call.argument(0)?.clone();
    // The name of an existing rule prints its statement.
    if !argument.text.contains(':')
        && let Some(output) = rule_output(call, argument.text.trim())?
    {
        call.emit(output);
        return Ok(());
    }
    let is_law = call.has(LAW);
    let mut rule = parsed(call, &argument)?;
    if is_law {
        rule = rule.in_file(SESSION_LAWS, 1);
    }
    let verdict = call.judged(judge(&rule, &call.rule_budget()))?;
    let is_vacuous = call.proved_of_nothing(&rule, &verdict);
    let mut text = rule_verdict::text_where(&rule, &verdict, is_vacuous);
    let mut json = Object::new().with("name", rule.name.as_str());
    json = rule_verdict::object(json, &rule, &verdict)
        .with_some("vacuous", is_vacuous.then_some(true))
        .with("law", is_law);
    if let Some(positive) = Positive::of(call, &rule, &verdict)? {
        text.append(positive.text());
        json = positive.object(json);
    }
    let mut status = verdict_status(&verdict);
    let is_proved = verdict == Verdict::Proved;
    if is_proved && !is_vacuous && inside(&rule).is_none() {
        text.push(
            Role::Doubtful,
            "\nno point satisfies its side conditions, as far as was searched",
        );
    }
    let tried = match is_proved && !is_law && !is_vacuous {
        true => Some(Use::of(&rule, call)?),
        false => None,
    };
    if let Some(tried) = &tried {
        text.append(tried.text());
    }
    json = object(json, tried.as_ref());
    let name = rule.name.clone();
    let is_possible = is_proved && !is_vacuous && tried.is_none_or(|tried| tried.is_possible());
    let added = is_possible && !name.is_empty();
    let what = if is_law { "law" } else { "rule" };
    if is_possible && !added {
        status = Status::Wrong;
        let hint = format!("\n{what} not added, as it has no name: `rule NAME: ..` adds it");
        text.push(Role::Faint, hint);
        json = json.with("not_added", "it has no name");
    } else if added {
        text.push(Role::Plain, format!("\n{what} '{name}' added"));
        call.session.tally.forget(&name);
        call.session.rules.push(Added { rule, text: argument.text.clone() });
        let renewed = call.session.renew_simplifier();
        renewed.map_err(|error| argument.blame(error))?;
    } else {
        let named = if name.is_empty() { String::new() } else { format!(" '{name}'") };
        text.push(Role::Plain, format!("\n{what}{named} not added"));
        if is_vacuous {
            status = Status::Wrong;
            text.push(Role::Faint, ": it would say nothing");
            json = json.with("not_added", "no values meet its conditions");
        } else if is_proved {
            status = Status::Wrong;
            if !name.is_empty() {
                let hint = "; `rule --law` keeps a true rule that never fires";
                text.push(Role::Faint, hint);
            }
        }
    }
    call.emit(Output::new(text, json.with("added", added)).status(status));
    Ok(())
}

/// Parses the typed rule, whose name must be new if it has one. A rule without a name is only judged.
fn parsed(call: &Call<'_>, argument: &Argument) -> Result<Rule, Failure> {
    let unnamed = || {
        let failure = argument.wrong(ErrorKind::Rule, "expected `name: statement`");
        failure.hint("for example: half: (2*x) floordiv 2 => x")
    };
    let is_rewrite = argument.text.contains("=>");
    if !argument.text.contains(':') && !is_rewrite {
        return Err(unnamed());
    }
    let rule = read_rule(&argument.text).map_err(|error| argument.blame(error))?;
    if rule.name.is_empty() {
        return if is_rewrite { Ok(rule) } else { Err(unnamed()) };
    }
    let rules = call.session.all_rules();
    let rules = rules.map_err(|error| call.failed(error))?;
    if rules.find(&rule.name).is_some() {
        let message = format!("a rule named '{}' already exists", rule.name);
        let at = argument.text.find(&rule.name).unwrap_or(0);
        let error = Error::new(ErrorKind::Name, at..at + rule.name.len(), message);
        return Err(argument.blame(error.hint("choose another name")));
    }
    Ok(rule)
}
