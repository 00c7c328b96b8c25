//! Operations on values by cases, applied to each combination of the operands' cases.

use super::bits::NoBits;
use super::cases::{Case, Limits, MAX_CASES, Region, both, bounds_within, limit};
use super::lower::Lowering;
use affinor_maps::expr::{Expr, ExprError, interval_of};
use affinor_maps::num::Interval;
use affinor_maps::text::ast::{Node, NodeId};
use affinor_maps::text::{Error, ErrorKind};

/// An operation on two expressions, given the bounds of their subexpressions.
type Binary<'f> = &'f dyn Fn(&Expr, &Expr, &dyn Fn(&Expr) -> Interval) -> Result<Expr, NoBits>;

impl Lowering<'_> {
    pub fn compared(
        &self,
        x: &[Case],
        y: &[Case],
        bounds: Interval,
        id: NodeId,
    ) -> Result<Region, Error> {
        self.compared_at(x, y, bounds, self.term.node(id))
    }

    /// Returns the points at which `x - y` is in `bounds`.
    pub fn compared_at(
        &self,
        x: &[Case],
        y: &[Case],
        bounds: Interval,
        node: &Node,
    ) -> Result<Region, Error> {
        let values = [x.to_vec(), y.to_vec()];
        let differences = self.each(node, &values, |list| list[0].sub(&list[1]))?;
        let mut region = Region::new();
        for case in differences {
            let limit = limit(&case.value, bounds).map_err(|error| self.not_built(error, node))?;
            region.extend(both(&case.limits, &vec![limit], &self.within()));
        }
        Ok(region)
    }

    pub fn range(&self, value: &Expr, limits: &Limits) -> Interval {
        let within = self.within();
        interval_of(value, &|id| bounds_within(limits, id, within(id)))
    }

    /// Applies an operation to each combination of cases.
    pub fn each(
        &self,
        node: &Node,
        values: &[Vec<Case>],
        operation: impl Fn(&[Expr]) -> Result<Expr, ExprError>,
    ) -> Result<Vec<Case>, Error> {
        let mut combined = vec![(Limits::new(), Vec::new())];
        for cases in values {
            let pairs = combined.iter().flat_map(|one| cases.iter().map(move |case| (one, case)));
            let joined = pairs.filter_map(|((limits, list), case)| {
                let limits = both(limits, &case.limits, &self.within())?;
                let list: Vec<Expr> = list.iter().chain([&case.value]).cloned().collect();
                Some((limits, list))
            });
            combined = joined.take(MAX_CASES + 1).collect();
            if combined.len() > MAX_CASES {
                let message = format!("this value has more than {MAX_CASES} cases");
                return Err(self.wrong(node, ErrorKind::TooLarge, message));
            }
        }
        let case = |(limits, list): (Limits, Vec<Expr>)| {
            let value = operation(&list).map_err(|error| self.not_built(error, node))?;
            Ok(Case { limits, value })
        };
        combined.into_iter().map(case).collect()
    }

    /// Applies an operation that depends on the bounds of its two operands.
    pub fn each_known(
        &self,
        node: &Node,
        values: &[Vec<Case>; 2],
        operation: Binary,
    ) -> Result<Vec<Case>, Error> {
        let [left, right] = values;
        let mut cases = Vec::new();
        for (x, y) in left.iter().flat_map(|x| right.iter().map(move |y| (x, y))) {
            let Some(limits) = both(&x.limits, &y.limits, &self.within()) else {
                continue;
            };
            let range = |value: &Expr| self.range(value, &limits);
            let value = operation(&x.value, &y.value, &range).map_err(|error| match error {
                NoBits::Expr(error) => self.not_built(error, node),
                NoBits::Unbounded => self
                    .wrong(node, ErrorKind::Unsupported, "neither value is known to be nonnegative and to have at most 62 bits, and not both are bounded")
                    .hint("bound one of them: `(x & 7)`, or `.., domain: x in [0, 7]` after the code"),
            })?;
            cases.push(Case { limits, value });
            if cases.len() > MAX_CASES {
                let message = format!("this value has more than {MAX_CASES} cases");
                return Err(self.wrong(node, ErrorKind::TooLarge, message));
            }
        }
        Ok(cases)
    }
}
