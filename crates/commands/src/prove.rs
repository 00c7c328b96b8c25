//! `prove`: proves a statement for all integers, or the equality of two maps.

use super::arguments::Argument;
use super::equal;
use super::failure::Failure;
use super::forall::{has_bounds, without_quantifiers};
use super::formula::Statement;
use super::option::{C, Setting, bits};
use super::output::{Object, Output, Role, Text};
use super::paste;
use super::rules::as_map;
use super::rules::code::InCode;
use super::rules::divisors::Positive;
use super::rules::verdict as rule_verdict;
use super::smtlib::{self, SMTLIB};
use super::table::{Call, Command, Kind, Parameter};
use super::verdict::{SOLVER_STEPS, vacuous, verdict_status};
use affinor::rule::read_rule;
use affinor::rule::verify::{Verdict, judge, native_script};
use affinor::text::{ErrorKind, Span};
use affinor_code::is_evidently_c;

const BITS: Setting<u32> =
    Setting::new("bits", "BITS", "bits of the integers of code, 2 to 64 (default 64)", bits);

pub const PROVE: Command = Command {
    name: "prove",
    parameters: &[Parameter::required("STATEMENT", Kind::Rest)],
    options: &[BITS.switch, SMTLIB.switch, SOLVER_STEPS.switch, C.switch],
    summary: "prove or refute a statement for all integers, or that two maps are the same function",
    details: "STATEMENT is lhs = rhs, a comparison, or formula <=> formula, with side conditions after `where`. Names are\n\
              arbitrary integers; divisors must be at least 1 under the side conditions (if that is all that fails, the verdict\n\
              under this condition follows). The answer is proved (for all integers), refuted (with the smallest counterexample found and both sides evaluated there) or unknown (with the reason).\n\
              For a proved statement, the answer also shows where code that computes it fails. First, / and % may round toward zero,\n\
              as in C: then the statement with its side conditions is proved or refuted as well. Second, 64 bits may overflow: the\n\
              answer has a point and the part that overflows (for 32 bits, too, if the side conditions bound all names by 32 bits);\n\
              if bits are not mentioned, no such point was found. C has no ceildiv, so both are omitted for statements with it.\n\
              `forall x y, ..` may come first without effect: names are any integers; `forall x in [0, 9]: ..` bounds them, and\n\
              `P => Q` is Q where P holds (`P -> Q` too). `and`, `or`, `not`, `!=` and `a if c else b` are supported.\n\
              If no values meet the side conditions, the answer mentions it: any statement holds then.\n\
              With --c, or with names of values, STATEMENT is code of C, or code (`help code`).\n\
              `prove MAP ; MAP` is the same as `equal`.",
    example: &[
        "prove (x mod 64) mod 7 = x mod 7",
        "prove (x floordiv a) floordiv b = x floordiv (a*b) where a >= 1, b >= 1",
    ],
    makes_map: false,
    keys: r##"
    "toward_zero": {
      "description": "Of `prove`, for a proved statement with division: the verdict if division rounds toward zero, as in C.",
      "type": "object",
      "required": ["verdict"],
      "properties": { "verdict": { "$ref": "#/$defs/verdict" }, "counterexample": { "type": "object" }, "reason": { "type": "string" } }
    },
    "positive_divisors": {
      "description": "Of `prove`, for a statement that is refuted because a divisor is not positive: the verdict under the further conditions `where` that each divisor is at least 1.",
      "type": "object",
      "required": ["where", "verdict"],
      "properties": { "where": { "type": "array", "items": { "type": "string" } }, "verdict": { "$ref": "#/$defs/verdict" }, "counterexample": { "type": "object" }, "reason": { "type": "string" } }
    },
    "overflow": {
      "description": "Of `prove`, for a proved statement: a point at which the value of a part of it, `term`, does not fit in an integer of `bits` bits. `fails` says whether the statement fails there if values wrap around. Absent if none was found, which does not prove that there is none.",
      "type": "object",
      "required": ["fails", "bits", "term", "value", "at"],
      "properties": { "fails": { "type": "boolean" }, "bits": { "type": "integer" }, "term": { "type": "string" }, "value": { "type": "string" }, "at": { "type": "object" } }
    }"##,
    run,
};

fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    let argument = without_quantifiers(call, &call.argument(0)?.clone())?;
    if let [left, right] = &pieces(&argument.text)[..] {
        let sides = argument.part(left.clone()).zip(argument.part(right.clone()));
        let Some((left, right)) = sides else {
            return Err(call.wrong_usage("`prove` needs a statement, or two maps with `;` between"));
        };
        return equal::compare(call, &left, &right, false);
    }
    let is_code = call.has(C)
        || call.names_a_value(&argument.text)
        || is_evidently_c(&argument.text)
        || has_bounds(&argument.text);
    call.value(&SOLVER_STEPS)?;
    if is_code {
        refuse_script(call, &argument)?;
        return paste::code::answer(call, &argument);
    }
    let rule = match read_rule(&argument.text) {
        Ok(rule) => rule,
        Err(error) => return of_formula(call, &argument, error),
    };
    if call.has(SMTLIB) {
        return smtlib::answer(call, &native_script(&rule));
    }
    let mut verdict = call.judged(judge(&rule, &call.rule_budget()))?;
    if matches!(verdict, Verdict::Unknown(_)) && as_map::is_proved(&rule, &call.proof_budget()) {
        verdict = Verdict::Proved;
    }
    let is_vacuous = call.proved_of_nothing(&rule, &verdict);
    let mut json = rule_verdict::object(Object::new(), &rule, &verdict)
        .with_some("vacuous", is_vacuous.then_some(true));
    let mut text = rule_verdict::text_where(&rule, &verdict, is_vacuous);
    if verdict == Verdict::Proved && !is_vacuous {
        let in_code = InCode::of(call, &rule, call.value(&BITS)?)?;
        text.append(in_code.text());
        json = in_code.object(json);
    }
    if let Some(positive) = Positive::of(call, &rule, &verdict)? {
        text.append(positive.text());
        json = positive.object(json);
    }
    let output = Output::new(text, json);
    call.emit(output.status(verdict_status(&verdict)));
    Ok(())
}

/// Answers a statement that is not a rule because of `error`: one with `or`, `not` or `!=`, or one that only code expresses.
fn of_formula(
    call: &mut Call<'_>,
    argument: &Argument,
    error: affinor::text::Error,
) -> Result<(), Failure> {
    if let Ok(statement) = Statement::read(&argument.text) {
        refuse_script(call, argument)?;
        return of_cases(call, &statement);
    }
    // `cdiv(i, 4) <= i`, `(i & 1) == 0`
    let has_bits = argument.text.contains(['&', '|', '^', '~']);
    match call.code(argument, false) {
        Ok(code) if code.relation.is_some() => {
            refuse_script(call, argument)?;
            paste::code::answer(call, argument)
        }
        Err(failure) if has_bits || failure.error.kind != ErrorKind::Syntax => Err(failure),
        _ => Err(argument.blame(error)),
    }
}

/// Proves or refutes each of the rules to which a statement is equivalent.
fn of_cases(call: &mut Call<'_>, statement: &Statement) -> Result<(), Failure> {
    let (verdict, rule) = call.judged_rules(&statement.rules)?;
    let is_vacuous = match (&verdict, &statement.vacuous) {
        (Verdict::Proved, Some(rules)) => call.judged_rules(rules)?.0 == Verdict::Proved,
        _ => false,
    };
    let json = Object::new().with_some("vacuous", is_vacuous.then_some(true));
    let (mut text, mut json) = match rule {
        _ if is_vacuous => (vacuous(), json.with("verdict", verdict.word())),
        Some(rule) => {
            (rule_verdict::text(rule, &verdict), rule_verdict::object(json, rule, &verdict))
        }
        None => (
            Text::of(Role::Good, "proved").plain(" for all integers"),
            json.with("verdict", verdict.word()),
        ),
    };
    if let Some(rule) = rule
        && let Some(positive) = Positive::of_all(call, &statement.rules, rule, &verdict)?
    {
        text.append(positive.text());
        json = positive.object(json);
    }
    call.emit(Output::new(text, json).status(verdict_status(&verdict)));
    Ok(())
}

/// Rejects `--smtlib` for a statement of code: only rules and pairs of maps have scripts.
fn refuse_script(call: &Call<'_>, argument: &Argument) -> Result<(), Failure> {
    match call.has(SMTLIB) {
        false => Ok(()),
        true => {
            let message = "a statement that only code can express has no script";
            let failure = argument.wrong(ErrorKind::Unsupported, message);
            Err(failure.hint("`equal A ; B --smtlib` writes the question about two values of code"))
        }
    }
}

/// Splits a text at `;` outside brackets.
fn pieces(text: &str) -> Vec<Span> {
    let (mut depth, mut start, mut parts) = (0usize, 0, Vec::new());
    for (at, letter) in text.char_indices() {
        match letter {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            ';' if depth == 0 => {
                parts.push(start..at);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(start..text.len());
    parts
}
