//! `prove`: proves a statement for all integers, or the equality of two maps.

use super::equal;
use super::failure::Failure;
use super::output::{Object, Output};
use super::rules::code::InCode;
use super::rules::verdict as rule_verdict;
use super::table::{Call, Command, Kind, Parameter};
use super::verdict::verdict_status;
use crate::rule::read_rule;
use crate::rule::verify::{Verdict, judge};

pub const PROVE: Command = Command {
    name: "prove",
    parameters: &[Parameter::required("STATEMENT", Kind::Rest)],
    options: &[],
    summary: "prove or refute a statement for all integers, or that two maps are the same function",
    details: "STATEMENT is lhs = rhs, a comparison, or formula <=> formula, with side conditions after `where`. Names are\n\
              arbitrary integers; divisors must be at least 1 under the side conditions. The answer is proved (for all\n\
              integers), refuted (with the smallest counterexample found and both sides evaluated there) or unknown (with the reason).\n\
              Of a proved statement it is also said where it fails in code: if / and % round toward zero as in C, side conditions\n\
              included, which is proved or refuted too; and in 64 bits, with the part that overflows. No word of 64 bits means\n\
              that no such point was found. C has no ceildiv, so of statements with it neither is said.\n\
              Where no values meet the side conditions, the answer says so: whatever is stated holds there.\n\
              `prove MAP ; MAP` is the same as `equal`.",
    example: &[
        "prove (x mod 64) mod 7 = x mod 7",
        "prove (x floordiv a) floordiv b = x floordiv (a*b) where a >= 1, b >= 1",
    ],
    makes_map: false,
    run,
};

fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    let argument = call.argument(0)?.clone();
    if let Some(semicolon) = argument.text.find(';') {
        let end = argument.text.len();
        let sides = argument
            .part(0..semicolon)
            .zip(argument.part(semicolon + 1..end));
        let Some((left, right)) = sides else {
            return Err(call.wrong_usage("`prove` needs a statement, or two maps with `;` between"));
        };
        return equal::compare(call, &left, &right, false);
    }
    let rule = read_rule(&argument.text).map_err(|error| argument.blame(error))?;
    let verdict = call.judged(judge(&rule, &call.rule_budget()))?;
    let is_vacuous = call.proved_of_nothing(&rule, &verdict);
    let mut json = rule_verdict::object(Object::new(), &rule, &verdict)
        .with_some("vacuous", is_vacuous.then_some(true));
    let mut text = rule_verdict::text_where(&rule, &verdict, is_vacuous);
    if verdict == Verdict::Proved && !is_vacuous {
        let in_code = InCode::of(call, &rule)?;
        text.append(in_code.text());
        json = in_code.object(json);
    }
    let output = Output::new(text, json);
    call.emit(output.status(verdict_status(&verdict)));
    Ok(())
}
