//! Composition of maps, as XLA composes them.

use super::{Domain, IndexingMap, Variable, VariableKind};
use crate::expr::{Expr, ExprError, VariableId};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The reason why two maps could not be composed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ComposeError {
    /// The first map does not have one result for each dimension of the second.
    #[error("the first map has {results} result(s), the second map has {dimensions} dimension(s)")]
    Arity {
        /// Results of the first map.
        results: usize,
        /// Dimensions of the second map.
        dimensions: usize,
    },
    /// A composed expression overflows.
    #[error(transparent)]
    Expr(#[from] ExprError),
}

impl IndexingMap {
    /// Composes `second` after `self`: the results of `self` are the dimensions of `second`.
    ///
    /// Variables: the dimensions of `self`; range variables of `second`, then of `self`; runtime variables of `second`, then of
    /// `self`; parameters of `self`, then of `second`, where equal names mean the same parameter. Any other name that is taken
    /// gets the next free index. The domain contains the points of `self` whose results are in the domain of `second`. Nothing is
    /// simplified. Source of the order: XLA, `indexing_map.cc`, composition.
    ///
    /// # Errors
    /// [`ComposeError::Arity`] on a mismatch, [`ComposeError::Expr`] if a coefficient overflows.
    pub fn then(&self, second: &IndexingMap) -> Result<IndexingMap, ComposeError> {
        let (first_domain, second_domain) = (self.domain(), second.domain());
        let dimensions = second_domain.count(VariableKind::Dimension);
        if self.results().len() != dimensions {
            return Err(ComposeError::Arity { results: self.results().len(), dimensions });
        }
        let plan = Plan::new(first_domain, second_domain);
        let from_first: Vec<Expr> = plan.first.iter().map(|id| Expr::variable(*id)).collect();
        let images: Vec<Expr> = self
            .results()
            .iter()
            .map(|result| result.substitute(&from_first))
            .collect::<Result<_, _>>()?;
        let from_second: Vec<Expr> = images
            .iter()
            .cloned()
            .chain(plan.second.iter().chain(&plan.shared).map(|id| Expr::variable(*id)))
            .collect();

        let mut domain = Domain::new(plan.variables);
        if first_domain.is_known_empty() || second_domain.is_known_empty() {
            domain.make_empty();
        }
        for (id, number) in second_domain.ids(VariableKind::Parameter).zip(&plan.shared) {
            domain.constrain(&Expr::variable(*number), second_domain.bounds(id));
        }
        for constraint in second_domain.constraints() {
            let expr = domain.substitute(&constraint.expr, &from_second)?;
            domain.constrain(&expr, constraint.bounds);
        }
        for constraint in first_domain.constraints() {
            domain.constrain(&constraint.expr.substitute(&from_first)?, constraint.bounds);
        }
        for (image, id) in images.iter().zip(second_domain.ids(VariableKind::Dimension)) {
            let bounds = second_domain.bounds(id);
            if !bounds.contains_all(domain.range_of(image)) {
                domain.constrain(image, bounds);
            }
        }
        let results = second.results().iter();
        let results = results.map(|result| domain.substitute(result, &from_second));
        let results = results.collect::<Result<Vec<Expr>, ExprError>>()?;
        Ok(IndexingMap::new(domain, results))
    }
}

/// The variables of a composition, with the renumbering of each operand's variables.
struct Plan {
    variables: Vec<Variable>,
    /// New numbers of all variables of the first map.
    first: Vec<VariableId>,
    /// New numbers of the range and runtime variables of the second map.
    second: Vec<VariableId>,
    /// New numbers of the parameters of the second map.
    shared: Vec<VariableId>,
}

impl Plan {
    fn new(first: &Domain, second: &Domain) -> Plan {
        let of_kind = |domain: &Domain, kind| -> Vec<Variable> {
            domain.variables().iter().filter(|variable| variable.kind == kind).cloned().collect()
        };
        let dimensions = of_kind(first, VariableKind::Dimension);
        let ranges = (of_kind(second, VariableKind::Range), of_kind(first, VariableKind::Range));
        let runtimes =
            (of_kind(second, VariableKind::Runtime), of_kind(first, VariableKind::Runtime));
        let mut parameters = of_kind(first, VariableKind::Parameter);
        let own = parameters.len();
        let place = |parameter: Variable| {
            let known = parameters.iter().position(|p| p.name == parameter.name);
            known.unwrap_or_else(|| {
                parameters.push(parameter);
                parameters.len() - 1
            })
        };
        let shared: Vec<usize> =
            of_kind(second, VariableKind::Parameter).into_iter().map(place).collect();
        let mut next = 0u32;
        let mut number = |count: usize| -> Vec<VariableId> {
            let start = next;
            next += count as u32;
            (start..next).map(VariableId).collect()
        };
        let d1 = number(dimensions.len());
        let (s2, s1) = (number(ranges.0.len()), number(ranges.1.len()));
        let (r2, r1) = (number(runtimes.0.len()), number(runtimes.1.len()));
        let p = number(parameters.len());
        let mut variables: Vec<Variable> = [dimensions, ranges.0, ranges.1, runtimes.0, runtimes.1]
            .into_iter()
            .flatten()
            .collect();
        make_names_unique(&mut variables, &parameters);
        variables.extend(parameters);
        Plan {
            variables,
            first: [&d1, &s1, &r1, &p[..own]].map(<[_]>::to_vec).concat(),
            second: [s2, r2].concat(),
            shared: shared.into_iter().map(|place| p[place]).collect(),
        }
    }
}

/// Renames each variable whose name is taken by an earlier variable or a parameter to the next free index: `s0` becomes `s1`.
fn make_names_unique(variables: &mut [Variable], parameters: &[Variable]) {
    let mut taken: BTreeSet<Arc<str>> = parameters.iter().map(|p| p.name.clone()).collect();
    let originals: BTreeSet<Arc<str>> =
        variables.iter().map(|variable| variable.name.clone()).collect();
    for variable in variables {
        if !taken.insert(variable.name.clone()) {
            let stem = variable.name.trim_end_matches(|c: char| c.is_ascii_digit());
            let free = (0u64..).map(|index| Arc::<str>::from(format!("{stem}{index}")));
            if let Some(name) =
                free.into_iter().find(|name| !taken.contains(name) && !originals.contains(name))
            {
                taken.insert(name.clone());
                variable.name = name;
            }
        }
    }
}
