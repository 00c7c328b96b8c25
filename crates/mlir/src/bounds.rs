//! Bounds and steps of loops, in the pretty forms and in the generic form.

use crate::body::{OrUnknown, Stop};
use crate::index::Index;
use crate::lower::Site;
use crate::token::{Range, Token};
use crate::tree::Op;
use affinor_maps::expr::Expr;

/// For each loop, its lower bounds (their maximum applies), its upper bounds (their minimum applies), and its step.
#[derive(Default)]
pub(crate) struct Bounds {
    pub(crate) lower: Vec<Vec<Expr>>,
    pub(crate) upper: Vec<Vec<Expr>>,
    /// The step of each loop; 0 if it is not a known number.
    pub(crate) steps: Vec<i64>,
}

type Lists = Result<Vec<Vec<Expr>>, Stop>;

/// Returns the steps as numbers; 0 for those that are unknown.
fn steps(given: Vec<Vec<Expr>>) -> Vec<i64> {
    let step = |step: &Vec<Expr>| step.first().and_then(Expr::as_constant).unwrap_or(0);
    given.iter().map(step).collect()
}

impl Bounds {
    pub(crate) fn of<'a>(
        site: &mut Site<'_, '_, 'a>,
        index: &mut Index,
        op: &Op<'a>,
    ) -> Result<Bounds, Stop> {
        let tokens = &site.lowering.text.tokens;
        let start = op.tokens.start;
        let many = tokens.get(start) == Some(Token::OpenParenthesis);
        let mut at = tokens.behind(start);
        if many && tokens.get(at) != Some(Token::Equals) && !tokens.is(at, "in") {
            return Bounds::generic(site, index, op);
        }
        let variables = if many { tokens.inside(start).len().div_ceil(2) } else { 1 };
        let end = op.tokens.clone().find(|at| tokens.is(*at, "{")).unwrap_or(op.tokens.end);
        let (to, step) = (find(site, at..end, "to"), find(site, at..end, "step"));
        let mut found = Bounds { steps: vec![1; variables], ..Bounds::default() };
        if let Some(to) = to {
            found.lower = bounds(site, index, at + 1..to, many)?;
            found.upper = bounds(site, index, to + 1..step.unwrap_or(end), many)?;
        } else if tokens.is(at, "in") {
            at += 1;
            found.upper = bounds(site, index, at..end, many)?;
            found.lower = vec![vec![Expr::constant(0)]; found.upper.len()];
        }
        if let Some(step) = step {
            found.steps = steps(bounds(site, index, step + 1..end, many)?);
        }
        Ok(found)
    }

    /// Reads the bounds of an op whose bounds are operands and attributes.
    fn generic<'a>(
        site: &mut Site<'_, '_, 'a>,
        index: &mut Index,
        op: &Op<'a>,
    ) -> Result<Bounds, Stop> {
        let text = site.lowering.text;
        let mut operands = Vec::new();
        for used in &op.operands {
            operands.push(index.value(site, used));
        }
        let mut next = operands.into_iter();
        let numbers = |names: &[&str]| {
            let list = op.named(names).and_then(|range| text.integers(&range));
            list.or_unknown(|| "its bounds are not supported")
        };
        let mut by_map = |names: &[&str], site: &Site<'_, '_, 'a>| -> Result<Vec<Expr>, Stop> {
            let range = op.named(names).or_unknown(|| "its bounds are not supported")?;
            let map = site.map_of(&range)?;
            let count = map.domain().variables().len();
            let operands: Vec<Expr> = next.by_ref().take(count).collect::<Result<_, _>>()?;
            crate::exprs::of_map(&map, &operands)
        };
        match op.name {
            "affine.for" => {
                let lower = by_map(&["lowerBoundMap", "lower_bound"], site)?;
                let upper = by_map(&["upperBoundMap", "upper_bound"], site)?;
                let steps = op.named(&["step"]).and_then(|range| text.integer(&range));
                let steps = vec![steps.unwrap_or(1)];
                Ok(Bounds { lower: vec![lower], upper: vec![upper], steps })
            }
            "affine.parallel" => {
                let lower = by_map(&["lowerBoundsMap"], site)?;
                let upper = by_map(&["upperBoundsMap"], site)?;
                let grouped = |all: Vec<Expr>, names: &[&str]| -> Lists {
                    let mut all = all.into_iter();
                    let take = |count: i64| usize::try_from(count).unwrap_or(0);
                    let groups = numbers(names)?.into_iter();
                    Ok(groups.map(|count| all.by_ref().take(take(count)).collect()).collect())
                };
                Ok(Bounds {
                    lower: grouped(lower, &["lowerBoundsGroups"])?,
                    upper: grouped(upper, &["upperBoundsGroups"])?,
                    steps: numbers(&["steps"])?,
                })
            }
            "scf.forall" => {
                let mut list = |names: &[&str]| -> Lists {
                    let mut value = |number: i64| match number {
                        i64::MIN => next.next().or_unknown(|| "its bounds are not supported")?,
                        number => Ok(Expr::constant(number)),
                    };
                    numbers(names)?.into_iter().map(|number| Ok(vec![value(number)?])).collect()
                };
                let mut list = |name| list(&[name]);
                let (lower, upper) = (list("staticLowerBound")?, list("staticUpperBound")?);
                Ok(Bounds { lower, upper, steps: steps(list("staticStep")?) })
            }
            _ => {
                let segments = op.named(&["operandSegmentSizes", "operand_segment_sizes"]);
                let segments = segments.and_then(|range| text.integers(&range));
                let count = segments.and_then(|list| usize::try_from(*list.first()?).ok());
                let mut list = || -> Lists {
                    let some = next.by_ref().take(count.unwrap_or(1));
                    some.map(|value| Ok(vec![value?])).collect()
                };
                let (lower, upper) = (list()?, list()?);
                Ok(Bounds { lower, upper, steps: steps(list()?) })
            }
        }
    }
}

/// Returns the position of a word outside of brackets.
fn find(site: &Site<'_, '_, '_>, range: Range, word: &str) -> Option<usize> {
    let tokens = &site.lowering.text.tokens;
    let mut at = range.start;
    while at < range.end {
        if tokens.is(at, word) {
            return Some(at);
        }
        at = tokens.behind(at);
    }
    None
}

/// Returns the bounds of each loop, of which the maximum or the minimum applies.
fn bounds(
    site: &mut Site<'_, '_, '_>,
    index: &mut Index,
    range: Range,
    many: bool,
) -> Result<Vec<Vec<Expr>>, Stop> {
    let tokens = &site.lowering.text.tokens;
    if many {
        let items = tokens.list(tokens.inside(range.start));
        return items
            .into_iter()
            .map(|item| match tokens.is(item.start, "max") || tokens.is(item.start, "min") {
                true => {
                    let parts = tokens.list(tokens.inside(item.start + 1));
                    parts.into_iter().map(|part| index.inline(site, part)).collect()
                }
                false => Ok(vec![index.inline(site, item)?]),
            })
            .collect();
    }
    let extreme = ["max", "min"].iter().any(|word| tokens.is(range.start, word));
    let start = range.start + usize::from(extreme);
    Ok(vec![match tokens.get(start) {
        Some(Token::Integer | Token::Value) => vec![index.inline(site, start..start + 1)?],
        _ => index.applied(site, start)?,
    }])
}
