//! `compose`: the composition of two maps.

use super::failure::Failure;
use super::given::{cute_layout, expr_error};
use super::option::{C, Flag};
use super::output::{Object, Role};
use super::simplifier::{EFFORT, STEPS};
use super::simplify::simplified::simplified;
use super::table::{Call, Command, Kind, Parameter};
use super::width::{BITS, UNSIGNED};
use super::words::count;
use affinor::expr::{ComposeError, IndexingMap};
use affinor::text::ErrorKind;
use affinor_layout::cute::{Layout, algebra};

const SIMPLIFY: Flag = Flag::new("simplify", "simplify the answer");

pub const COMPOSE: Command = Command {
    name: "compose",
    parameters: &[
        Parameter::required("FIRST", Kind::Map),
        Parameter::required("SECOND", Kind::Map),
    ],
    options: &[
        SIMPLIFY.switch,
        STEPS.switch,
        EFFORT.switch,
        C.switch,
        BITS.switch,
        UNSIGNED.switch,
    ],
    summary: "compose two maps: the results of FIRST become the dimensions of SECOND",
    details: "The result has the dimensions of FIRST, then the range variables of SECOND and of FIRST, then\n\
              their runtime variables in the same order. Its domain is the points of FIRST whose results are\n\
              in the domain of SECOND. The result is not simplified unless --simplify is given.",
    example: &[
        "let a = (d0, d1) -> (d0 * 10 + d1), domain: d0 in [0, 4], d1 in [0, 9]",
        "let b = (d0) -> (d0 floordiv 5, d0 mod 5), domain: d0 in [0, 49]",
        "compose a ; b",
    ],
    makes_map: true,
    keys: "",
    run,
};

fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    let (first, second) = (call.argument(0)?, call.argument(1)?);
    let (first_map, mut second_map) = (call.map(first)?, call.map(second)?);
    let layouts = (cute_layout(first), cute_layout(second));
    // A layout of CuTe may also take the linear index of an element.
    if let (Some(layout), 1, 2..) =
        (&layouts.1, first_map.results().len(), second_map.domain().variables().len())
    {
        second_map = layout.line().map_err(|error| second.blame(error))?;
    }
    let composed = first_map.then(&second_map).map_err(|error| match error {
        ComposeError::Arity { results, dimensions } => second
            .wrong(
                ErrorKind::Arity,
                format!(
                    "the first map has {}, this one has {}",
                    count(results, "result"),
                    count(dimensions, "dimension")
                ),
            )
            .hint({
                let fits = second_map.results().len() == first_map.domain().variables().len();
                let (first, second) = (first.text.trim(), second.text.trim());
                match fits && first.len() + second.len() <= 100 {
                    true => format!(
                        "the first map is applied first; the other way round they fit: `compose {second} ; {first}`"
                    ),
                    false => {
                        "the results of the first map are the dimensions of the second".to_owned()
                    }
                }
            }),
        ComposeError::Expr(error) => second.blame(expr_error(error)),
    })?;
    if operations(&composed) > MAX_OPERATIONS {
        return Err(second
            .wrong(
                ErrorKind::TooLarge,
                format!("the answer has more than {MAX_OPERATIONS} operations and operands"),
            )
            .hint("simplify the maps before they are composed"));
    }
    let mut output =
        if call.has(SIMPLIFY) { simplified(call, &composed)? } else { call.map_output(composed)? };
    if let (Some(inner), Some(outer)) = &layouts
        && let Some(layout) = composed_layout(call, outer, inner)
    {
        output.text.push(Role::Plain, "\nas a layout: ");
        output.text.push(Role::Formula, layout.as_str());
        output.json = output.json.map(|fields| Object::from(fields).with("layout", layout).into());
    }
    call.emit(output);
    Ok(())
}

/// Returns the layout equal to the composition, if it exists and all offsets of `inner` are elements of `outer`.
fn composed_layout(call: &Call<'_>, outer: &Layout, inner: &Layout) -> Option<String> {
    let elements = outer.sizes().iter().try_fold(1_i64, |all, size| all.checked_mul(*size))?;
    let is_inside = inner.offsets()?.interval.hi() < elements;
    let made = algebra::compose(outer, inner, &call.proof_budget()).ok();
    made.filter(|_| is_inside).map(|made| made.layout.to_string())
}

/// Maximum number of operations and operands of all expressions of a composition, without sharing. Composition shares
/// subterms, so two short maps can have a result of unbounded text.
const MAX_OPERATIONS: u64 = 1 << 20;

/// Returns the number of operations and operands of a map as written.
fn operations(map: &IndexingMap) -> u64 {
    let constraints = map.domain().constraints().iter().map(|c| &c.expr);
    let exprs = map.results().iter().chain(constraints);
    exprs.map(|expr| u64::from(expr.size())).sum()
}

#[cfg(test)]
mod tests {
    use crate::testing::{check, check_fails};
    use affinor::text::ErrorKind;

    const A: &str = "let a = (d0, d1) -> (d0 * 4 + d1), domain: d0 in [0, 3], d1 in [0, 3]";

    #[test]
    fn compose_needs_two_maps_that_fit() {
        let b = "let b = (x) -> (x floordiv 4, x mod 4), domain: x in [0, 15]";
        check(
            &[A, b, "compose a ; b"],
            &[
                "(d0, d1) -> ((d0 * 4 + d1) floordiv 4, (d0 * 4 + d1) mod 4), domain: d0 in [0, 3], d1 in [0, 3]",
            ],
        );
        check_fails(&[A, b, "compose a; a # no"], ErrorKind::Arity, "a");
        check_fails(&[A, "compose a"], ErrorKind::Usage, "compose");
        check_fails(&[A, "compose a ; a ; a"], ErrorKind::Usage, "a");
        // The `;` at the end of a C statement is not an empty operand.
        check_fails(&[A, "compose a ;"], ErrorKind::Usage, "compose");
        check_fails(&[A, "compose a --fast ; a"], ErrorKind::Usage, "--fast");
    }
}
