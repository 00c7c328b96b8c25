//! `equal`: decides whether two maps are the same function, or read the same elements.

use super::arguments::Argument;
use super::certificate_form::FORMAT;
use super::certified::certify;
use super::compared::{READS, compared};
use super::failure::Failure;
use super::given::expr_error;
use super::option::C;
use super::output::{Output, Role};
use super::simplify::options::CERTIFICATE;
use super::smtlib::{self, SMTLIB};
use super::table::{Call, Command, Kind, Parameter};
use super::verdict::{SOLVER_STEPS, vacuous, verdict_status};
use super::width::{BITS, Fitted, UNSIGNED};
use affinor::expr::{Domain, IndexingMap, Variable, VariableKind};
use affinor::prove::{self, Verdict};
use affinor_code::Taken;
use std::sync::Arc;

pub const EQUAL: Command = Command {
    name: "equal",
    parameters: &[Parameter::required("LEFT", Kind::Map), Parameter::required("RIGHT", Kind::Map)],
    options: &[
        READS.switch,
        CERTIFICATE.switch,
        FORMAT.needing(&[CERTIFICATE.switch]).switch,
        SMTLIB.switch,
        SOLVER_STEPS.switch,
        BITS.switch,
        UNSIGNED.switch,
        C.switch,
    ],
    summary: "prove or refute that two maps are the same function",
    details: "Two maps are the same function if they have the same domain and the same values there. Variables are\n\
              matched by kind and position, parameters by name; if only one map has a parameter, its bounds apply to both.\n\
              Nests of loops over other variables are compared by the sets of elements that they reach.\n\
              The answer is proved, refuted (with a point and both values) or unknown (with the reason); if both\n\
              domains are empty, it is proved, with a note that no values meet the conditions.\n\
              --certificate adds the rule instances that lead from one to the other, from both to one in between, or from each domain\n\
              to the bounds of the other, for `replay` or (--format rocq) for Rocq's kernel, or states that there are none.",
    example: &["equal (d0) -> (d0 mod 4), domain: d0 in [0, 3] ; (i) -> (i), domain: i in [0, 3]"],
    makes_map: false,
    keys: "",
    run,
};

fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    let (left, right) = (call.argument(0)?.clone(), call.argument(1)?.clone());
    let by_reads = call.has(READS);
    if by_reads && call.has(CERTIFICATE) {
        return Err(
            call.wrong_usage("`--certificate` is of equal maps, not of equal sets of reads")
        );
    }
    compare(call, &left, &right, by_reads)
}

/// Answers whether two maps are the same function, or read the same elements.
///
/// # Errors
/// If a map is malformed, or the maps cannot be compared.
pub fn compare(
    call: &mut Call<'_>,
    left: &Argument,
    right: &Argument,
    by_reads: bool,
) -> Result<(), Failure> {
    let of_loops = call.loops(left, right)?;
    let by_reads = by_reads || of_loops.is_some();
    let (left_map, right_map, taken) = match of_loops {
        Some([left, right]) => (left, right, Vec::new()),
        None => maps(call, left, right)?,
    };
    let widths = of_widths(call, [(left, &left_map), (right, &right_map)])?;
    let aligned = |map: &IndexingMap, other: &IndexingMap, argument: &Argument| {
        let aligned = map.with_parameters_of(other.domain());
        aligned.map_err(|error| argument.blame(expr_error(error)))
    };
    let right_map = aligned(&right_map, &left_map, right)?;
    let left_map = aligned(&left_map, &right_map, left)?;
    if call.has(SMTLIB) {
        if by_reads {
            return Err(call.wrong_usage("`--smtlib` is of equal maps, not of equal sets of reads"));
        }
        return smtlib::answer(call, &smtlib::difference(&left_map, &right_map));
    }
    call.value(&SOLVER_STEPS)?;
    let budget = call.proof_budget();
    let verdict = match by_reads {
        true => prove::equal_reads(&left_map, &right_map, &budget),
        false if call.are_code(left, right) => call.equal_codes(&left_map, &right_map, &taken),
        false => prove::equal_functions(&left_map, &right_map, &budget),
    };
    let verdict = call.uninterrupted(verdict.map_err(|error| right.blame(error))?)?;
    let (mut text, mut json) = compared(&left_map, &right_map, by_reads, &verdict);
    let domains = [&left_map, &right_map].map(IndexingMap::domain);
    if verdict == Verdict::Proved && call.are_empty(domains.into_iter()) {
        text = vacuous().plain(": both domains are empty");
        json = json.with("vacuous", true);
    }
    if verdict == Verdict::Proved && call.has(CERTIFICATE) {
        (text, json) = certify(call, [&left_map, &right_map], (text, json))?;
    }
    let mut status = verdict_status(&verdict);
    if let Some([first, second]) = widths {
        for (name, fitted) in [("first", &first), ("second", &second)] {
            text.push(Role::Plain, format!("\n{name}: "));
            text.append(fitted.text.clone());
            status = status.and(fitted.status);
        }
        json = json.with("fits", vec![first.json, second.json]);
    }
    call.session.last_compared = Some((left_map, right_map, by_reads));
    call.emit(Output::new(text, json).status(status));
    Ok(())
}

/// Returns whether each of two maps fits in the integer type of the call; `None` if the call has no such type.
fn of_widths(
    call: &Call<'_>,
    maps: [(&Argument, &IndexingMap); 2],
) -> Result<Option<[Fitted; 2]>, Failure> {
    let Some(width) = call.width()? else {
        return Ok(None);
    };
    let of = |(argument, map): (&Argument, &IndexingMap)| {
        call.fitted(map, &call.parts(argument, map)?, width, &[])
    };
    let [first, second] = maps;
    Ok(Some([of(first)?, of(second)?]))
}

impl Call<'_> {
    /// Returns two loop nests over different variables, each as the set of elements that it reaches.
    fn loops(
        &self,
        left: &Argument,
        right: &Argument,
    ) -> Result<Option<[IndexingMap; 2]>, Failure> {
        let is_nest = |argument: &Argument| {
            let rest = argument.text.trim_start().strip_prefix("for");
            rest.is_some_and(|rest| rest.starts_with([' ', '(']))
        };
        if !is_nest(left) || !is_nest(right) {
            return Ok(None);
        }
        let map = |argument: &Argument| {
            let code = self.code(argument, self.has(C))?;
            self.map_of_code(argument, code)
        };
        let maps = [map(left)?, map(right)?];
        let is_plain = |map: &IndexingMap| {
            let mut variables = map.domain().variables().iter();
            variables
                .all(|one| matches!(one.kind, VariableKind::Dimension | VariableKind::Parameter))
        };
        let names = |map: &IndexingMap| {
            let variables = map.domain().variables().iter();
            variables
                .map(|variable| variable.name.clone())
                .collect::<std::collections::BTreeSet<_>>()
        };
        if names(&maps[0]) == names(&maps[1]) || !maps.iter().all(is_plain) {
            return Ok(None);
        }
        self.notice(
            "the loops have other variables: the sets of elements that they reach are compared",
        );
        Ok(Some(maps.map(|map| over_ranges(&map))))
    }
}

/// Returns the map with all dimensions as range variables, so that its results are one set.
fn over_ranges(map: &IndexingMap) -> IndexingMap {
    let of = map.domain();
    let variables = of.variables().iter().cloned().map(|variable| Variable {
        kind: match variable.kind {
            VariableKind::Dimension => VariableKind::Range,
            kind => kind,
        },
        ..variable
    });
    let mut domain = Domain::new(variables.collect()); // the numbers of the variables stay the same
    for constraint in of.constraints() {
        domain.constrain(&constraint.expr, constraint.bounds);
    }
    if of.is_known_empty() {
        domain.make_empty();
    }
    IndexingMap::new(domain, map.results().to_vec())
}

/// Returns both maps, and the parts assumed to fit in a type. A name in code is the same variable in both texts.
fn maps(
    call: &Call<'_>,
    left: &Argument,
    right: &Argument,
) -> Result<(IndexingMap, IndexingMap, Vec<Taken>), Failure> {
    if call.are_code(left, right) {
        let truncates = call.has(C);
        let [first, second] = call.two_codes([left, right], truncates)?;
        let values = first.values.iter().chain(&second.values);
        let taken = values.flat_map(|value| value.taken.clone()).collect();
        let (first, second) = (call.map_of_code(left, first)?, call.map_of_code(right, second)?);
        return Ok((first, second, taken));
    }
    let (left_map, right_map) = (call.map(left)?, call.map(right)?);
    if let Some(notice) = crossed(&left_map, &right_map) {
        call.notice(notice);
    }
    Ok((left_map, right_map, Vec::new()))
}

/// Returns a notice that variables are matched by position, if their names suggest another order.
fn crossed(left: &IndexingMap, right: &IndexingMap) -> Option<String> {
    let names = |map: &IndexingMap| -> Vec<(VariableKind, Arc<str>)> {
        let variables = map.domain().variables().iter();
        variables.map(|variable| (variable.kind, variable.name.clone())).collect()
    };
    let (left, right) = (names(left), names(right));
    let crossed = left.iter().zip(&right).find(|((kind, name), (_, other))| {
        *kind != VariableKind::Parameter && name != other && right.contains(&(*kind, name.clone()))
    });
    crossed.map(|((_, name), (_, other))| {
        format!("variables are matched by position: `{name}` of the first map is `{other}` of the second")
    })
}
