//! Conditions of branches and of `select`: comparisons of integers, conjunctions of them, and integer sets.
//!
//! Law: a condition holds exactly where all expressions of its list are in their intervals. Source: MLIR, `arith.cmpi`, `affine.if`.

use crate::arithmetic::chosen;
use crate::body::{OrUnknown, Stop, unknown};
use crate::exprs::{Known, checked, outside_of};
use crate::index::{Index, MAX_DEPTH, Test, is_no_integer};
use crate::lower::Site;
use crate::tree::{Op, Use};
use crate::types;
use affinor_maps::expr::Expr;
use affinor_maps::num::{Interval, MINUS_INFINITY, PLUS_INFINITY};
use affinor_maps::text::set_as_map;
use std::rc::Rc;

impl Index {
    /// Returns the condition of a branch.
    pub(crate) fn condition<'a>(
        &mut self,
        site: &mut Site<'_, '_, 'a>,
        op: &Op<'a>,
    ) -> Result<Test, Stop> {
        match op.name {
            "affine.if" => {}
            "scf.if" => {
                let used = op.operands.first().or_unknown(|| "it has no condition")?;
                return self.test_of(site, used);
            }
            "scf.execute_region" => return Ok([Some(Vec::new()), None]),
            _ => return unknown("the regions that are run do not depend on a comparison"),
        }
        let (set, operands) = match op.named(&["condition"]) {
            Some(range) => {
                let operands = op.operands.iter().map(|used| self.value(site, used));
                (range, operands.collect::<Result<Vec<_>, _>>()?)
            }
            None => self.with_operands(site, op.tokens.start)?,
        };
        let text = &site.lowering.text;
        let map = set_as_map(text.tokens.slice(&text.meant(&set)));
        let map = map.map_or_else(|error| unknown(error.message), Ok)?;
        if operands.len() != map.domain().variables().len() || map.is_symbolic() {
            return unknown("its set has other variables than operands");
        }
        let bounds = map.domain().intervals().zip(&operands);
        let bounds = bounds.filter(|(bounds, _)| *bounds != Interval::ALL);
        let mut all: Vec<_> = bounds.map(|(bounds, expr)| (expr.clone(), bounds)).collect();
        for constraint in map.domain().constraints() {
            all.push((checked(constraint.expr.substitute(&operands))?, constraint.bounds));
        }
        let other = match &*all {
            [(expr, bounds)] => outside_of(*bounds).map(|other| vec![(expr.clone(), other)]),
            _ => None,
        };
        Ok([Some(all), other])
    }

    /// Returns the condition that `%name` is.
    pub(crate) fn test_of<'a>(
        &mut self,
        site: &mut Site<'_, '_, 'a>,
        used: &Use<'a>,
    ) -> Result<Test, Stop> {
        if let Some(test) = self.tests.get(used.name) {
            return Ok(test.clone());
        }
        let value = self.outside(site, used, types::of("i1").map(Rc::new))?;
        let test = value.source.and_then(|op| self.test(site, op));
        test.or_unknown(|| "its condition is not a comparison of indices")
    }

    /// Returns a comparison of integers, or a conjunction or disjunction of them.
    pub(crate) fn test<'a>(&mut self, site: &mut Site<'_, '_, 'a>, op: &Op<'a>) -> Option<Test> {
        const PREDICATES: [&str; 10] =
            ["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"];
        let [x, y] = &*op.operands else { return None };
        if matches!(op.name, "arith.andi" | "arith.ori") {
            let (x, y) = (self.tests.get(x.name)?, self.tests.get(y.name)?);
            let both = |k: usize| {
                let both = [&x[k].as_ref()?[..], &y[k].as_ref()?[..]].concat();
                Some(both).filter(|both| both.len() <= MAX_DEPTH)
            };
            return Some(match op.name {
                "arith.andi" => [both(0), None],
                _ => [None, both(1)],
            });
        }
        let predicate = match op.named(&["predicate"]) {
            Some(range) => match site.lowering.text.integer(&range) {
                Some(number) => PREDICATES.get(usize::try_from(number).ok()?).copied(),
                None => site.lowering.text.word(&range),
            },
            None => op.words.first().copied(),
        };
        if !matches!(op.name, "arith.cmpi" | "index.cmp")
            || op.operand_types.iter().any(is_no_integer)
        {
            return None;
        }
        self.declare(site, op);
        let (x, y) = (self.value(site, x).ok()?, self.value(site, y).ok()?);
        let (kind, order) = match predicate? {
            word @ ("eq" | "ne") => ("s", word),
            word => (word.get(..1)?, word.get(1..)?),
        };
        let difference = checked(x.sub(&y)).ok()?;
        if kind == "u" {
            let is_natural = |side: &Expr| self.range_here(side).lo() >= 0;
            // A negative number is above all that are not.
            match (is_natural(&x), is_natural(&y), order) {
                (true, true, _) => {}
                (_, true, "lt" | "le") => {
                    let most = Interval::new(MINUS_INFINITY, if order == "lt" { -1 } else { 0 });
                    return Some([
                        Some(vec![(x, Interval::at_least(0)), (difference, most)]),
                        None,
                    ]);
                }
                _ => return None,
            }
        }
        let range = self.range_here(&difference);
        let least = |bound| Interval::new(bound, PLUS_INFINITY);
        let most = |bound| Interval::new(MINUS_INFINITY, bound);
        let differ = match (range.lo() >= 0, range.hi() <= 0) {
            (true, _) => Some(least(1)),
            (_, true) => Some(most(-1)),
            _ => None,
        };
        let [yes, no] = match order {
            "eq" => [Some(Interval::point(0)), differ],
            "ne" => [differ, Some(Interval::point(0))],
            "lt" => [Some(most(-1)), Some(least(0))],
            "le" => [Some(most(0)), Some(least(1))],
            "gt" => [Some(least(1)), Some(most(0))],
            "ge" => [Some(least(0)), Some(most(-1))],
            _ => return None,
        };
        Some([yes, no].map(|bounds| bounds.map(|bounds| vec![(difference.clone(), bounds)])))
    }

    /// Returns one of two values by a condition.
    pub(crate) fn select(&self, test: &Test, a: &Expr, b: &Expr) -> Known {
        let value = match test {
            [Some(yes), _] if yes.len() == 1 => {
                chosen((&yes[0].0, yes[0].1), a, b, self.range_here(&yes[0].0))
            }
            [_, Some(no)] if no.len() == 1 => {
                chosen((&no[0].0, no[0].1), b, a, self.range_here(&no[0].0))
            }
            _ => None,
        };
        checked(value.or_unknown(|| "it chooses by a condition that is not an expression")?)
    }
}
