//! Results made smaller by saturation.

use super::journal::written;
use super::{
    Budget, Effort, Instances, Simplifier, bounds_of, has_lattice, is_simplest, variables_of,
};
use crate::expr::Expr;
use crate::map::Domain;
use crate::saturate::{FormRef, Saturation};

impl Simplifier {
    /// The results as saturation finds them, if one is smaller. Every instance that fired is added to `instances`, if
    /// they are wanted.
    pub(super) fn saturated(
        &self,
        domain: &Domain,
        results: &[Expr],
        budget: &Budget,
        instances: &mut Option<Instances>,
    ) -> Option<Vec<Expr>> {
        let limits = budget.effort.limits();
        let open = |expr: &Expr| !is_simplest(expr) && self.may_be_smaller(expr, budget.effort);
        if limits.rounds == 0 || !results.iter().any(open) {
            return None;
        }
        let (rules, rewritings) = (self.program.rules(), self.program.rewritings());
        let mut saturation = Saturation::new(rules, rewritings, bounds_of(domain));
        saturation.fired = instances.is_some().then(Vec::new);
        for constraint in domain.constraints() {
            if let Some(class) = saturation.add(&constraint.expr) {
                saturation.constrain(class, constraint.bounds);
            }
        }
        let classes: Vec<Option<egg::Id>> = results
            .iter()
            .map(|result| saturation.add(result))
            .collect();
        let expr = |form: FormRef| form.to_expr().ok();
        saturation.run(
            limits,
            &budget.fuel(results.len() * limits.rounds),
            |saturation| {
                let mut smallest = classes
                    .iter()
                    .flatten()
                    .map(|class| saturation.smallest(*class));
                smallest.all(|form| expr(form).is_some_and(|expr| is_simplest(&expr)))
            },
        );
        let mut any = false;
        let results = classes.iter().zip(results).map(|(class, result)| {
            let found = class.and_then(|class| expr(saturation.smallest(class)));
            match found.filter(|found| found.cost() < result.cost()) {
                Some(found) => {
                    any = true;
                    found
                }
                None => result.clone(),
            }
        });
        let results = results.collect();
        if let (true, Some(instances)) = (any, instances) {
            let fired = saturation.fired.into_iter().flatten();
            let written = fired.flat_map(|fired| written(rules.rule(fired.rule), &fired));
            instances.of_results.extend(written);
        }
        any.then_some(results)
    }

    /// Is a bounded saturation likely to find something smaller? Of results with one floordiv or mod, of several
    /// variables and without min and max, next to none ever became smaller by the rules that are part of the program.
    fn may_be_smaller(&self, expr: &Expr, effort: Effort) -> bool {
        effort != Effort::Bounded
            || expr.cost().divmods > 1
            || has_lattice(expr)
            || variables_of(expr).len() == 1
            || self.program.is_changed()
    }
}
