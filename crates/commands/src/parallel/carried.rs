//! Conflicts between iterations of a loop: two that access the same element of an array, at least one of them writing.
//!
//! Law: a loop *carries* a conflict if the two iterations differ in its counter, in the same iteration of the loops around it; its
//! iterations can run in any order, and at once, if it carries none. Source: Allen and Kennedy, *Optimizing Compilers for Modern
//! Architectures*, loop-carried dependence.

use affinor::expr::{Domain, Expr, ExprError, IndexingMap, Variable, VariableId, VariableKind};
use affinor::num::Interval;
use affinor::prove::{Budget, Verdict, is_empty};
use affinor_code::Accessed;
use std::collections::BTreeSet;
use std::sync::Arc;

/// An access to an array, in each iteration of the loops around it.
#[derive(Clone, Debug)]
pub struct Access {
    pub of: Accessed,
    /// From the counters of the loops, outermost first, and values that are the same in all iterations, to the element.
    pub map: IndexingMap,
    /// The names of the counters, the outermost first.
    pub loops: Vec<String>,
    /// Counters that do not occur in it, each with values that it is known to have.
    pub repeated: Vec<(String, Interval)>,
}

/// Two iterations of a loop that access one element.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Conflict {
    /// The numbers of the accesses, that of the earlier iteration first.
    pub accesses: [usize; 2],
    /// The counters with their values, of the earlier iteration and of the later one.
    pub points: [Vec<(Arc<str>, i64)>; 2],
    /// The variables that are not counters.
    pub sizes: Vec<(Arc<str>, i64)>,
    pub element: Vec<i64>,
    /// How much later the second iteration is, in the loop's counter, and whether this holds for all conflicts of the two accesses.
    pub distance: i64,
    pub is_always: bool,
}

/// The conflicts that a loop carries.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Carried {
    /// There is none: proved.
    Nothing,
    Conflict(Conflict),
    Unknown(String),
}

/// The counter of a loop, and whether it grows; otherwise it falls.
pub type Counted<'n> = (&'n str, bool);

/// Decides whether the loop with this counter carries a conflict; with an inner loop, one in whose later iteration that is
/// earlier. Each of its iterations has its `own` arrays.
pub fn carried(
    accesses: &[Access],
    (counter, inner): (Counted<'_>, Option<Counted<'_>>),
    own: &BTreeSet<String>,
    budget: &Budget,
) -> Carried {
    let mut unknown = None;
    for (first, x) in accesses.iter().enumerate() {
        for (second, y) in accesses.iter().enumerate() {
            let conflicts = x.of.array == y.of.array && (x.of.is_written || y.of.is_written);
            let is_own = own.contains(&x.of.array);
            if !conflicts || is_own || !x.has(counter.0) || !y.has(counter.0) {
                continue;
            }
            if x.map.results().len() != y.map.results().len() {
                unknown = Some(format!("`{}` has indices of two ranks", x.of.array));
                continue;
            }
            match between([(first, x), (second, y)], (counter, inner), budget) {
                Ok(Carried::Nothing) => {}
                Ok(Carried::Unknown(reason)) => unknown = Some(reason),
                Ok(conflict) => return conflict,
                Err(error) => unknown = Some(error.to_string()),
            }
        }
    }
    unknown.map_or(Carried::Nothing, Carried::Unknown)
}

impl Access {
    /// Returns the bounds of a counter; `None` if the map does not have it.
    pub fn bounds_of(&self, counter: &str) -> Option<Interval> {
        let mut variables = self.map.domain().variables().iter();
        variables.find(|one| *one.name == *counter).map(|one| one.bounds)
    }

    /// Makes the access happen for each value of a counter, unless its map does so already; `some` has some of the values.
    ///
    /// # Errors
    /// If an expression becomes too large.
    pub fn repeat(&mut self, counter: &str, some: Interval) -> Result<(), ExprError> {
        if self.bounds_of(counter).is_some() {
            return Ok(());
        }
        let before = self.map.domain().variables();
        let is_before = |one: &&Variable| one.kind == VariableKind::Dimension;
        let place = before.iter().take_while(is_before).count();
        let mut variables = before.to_vec();
        variables
            .insert(place, Variable::new(counter, VariableKind::Dimension, Interval::at_least(0)));
        let moved = |at: usize| variable(at + usize::from(at >= place));
        let places: Vec<Expr> = (0..before.len()).map(moved).collect();
        let mut domain = Domain::new(variables);
        for constraint in self.map.domain().constraints() {
            domain.constrain(&constraint.expr.substitute(&places)?, constraint.bounds);
        }
        let results = self.map.results().iter().map(|result| result.substitute(&places));
        self.map = IndexingMap::new(domain, results.collect::<Result<_, _>>()?);
        self.loops.push(counter.to_owned());
        self.repeated.push((counter.to_owned(), some));
        Ok(())
    }

    pub fn has(&self, counter: &str) -> bool {
        self.counters().any(|(_, variable)| &*variable.name == counter)
    }

    /// Returns the counters of the loops around it, outermost first.
    pub fn counters(&self) -> impl DoubleEndedIterator<Item = (usize, &Variable)> {
        let variables = self.map.domain().variables();
        let place = |name: &String| variables.iter().position(|one| *one.name == **name);
        self.loops.iter().filter_map(place).map(move |at| (at, &variables[at]))
    }

    fn is_counter(&self, variable: &Variable) -> bool {
        self.loops.iter().any(|name| **name == *variable.name)
    }
}

/// Two iterations in one space: the variables of both, of which the counters of the loops around are shared, and all other
/// values.
struct Pair {
    variables: Vec<Variable>,
    /// For each of both, the place of each of its variables.
    places: [Vec<usize>; 2],
    /// The places of the counter, and whether it grows.
    counters: ([usize; 2], bool),
    /// Those of a counter that is earlier in the second iteration.
    inner: Option<([usize; 2], bool)>,
}

impl Pair {
    fn of(
        [x, y]: [&Access; 2],
        ((counter, is_up), inner): (Counted<'_>, Option<Counted<'_>>),
    ) -> Pair {
        let own = |access: &Access, kept: bool| -> Vec<Variable> {
            let is_kept = |one: &&Variable| access.is_counter(one) == kept;
            access.map.domain().variables().iter().filter(is_kept).cloned().collect()
        };
        let outer: Vec<Arc<str>> = x
            .counters()
            .map(|(_, one)| one.name.clone())
            .take_while(|name| &**name != counter)
            .collect();
        let outer_of_y = y.counters().map(|(_, one)| one.name.clone());
        let outer_of_y: Vec<Arc<str>> = outer_of_y.take_while(|name| &**name != counter).collect();
        let is_shared = |name: &Arc<str>| outer.contains(name) && outer_of_y.contains(name);
        let mut variables = own(x, true);
        let of_x = variables.len();
        variables.extend(own(y, true).into_iter().filter(|one| !is_shared(&one.name)));
        let of_both = variables.len();
        for value in own(x, false).into_iter().chain(own(y, false)) {
            if !variables[of_both..].iter().any(|known| known.name == value.name) {
                variables.push(value);
            }
        }
        let find = |list: &[Variable], name: &Arc<str>, from: usize| {
            from + list.iter().position(|known| known.name == *name).unwrap_or(0)
        };
        let place = |access: &Access, variable: &Variable, second: bool| match () {
            () if !access.is_counter(variable) => {
                find(&variables[of_both..], &variable.name, of_both)
            }
            () if second && !is_shared(&variable.name) => {
                find(&variables[of_x..of_both], &variable.name, of_x)
            }
            () => find(&variables[..of_x], &variable.name, 0),
        };
        let places = [(x, false), (y, true)].map(|(access, second)| {
            access.map.domain().variables().iter().map(|one| place(access, one, second)).collect()
        });
        let both = |counter: &str| {
            let name = Arc::from(counter);
            [find(&variables[..of_x], &name, 0), find(&variables[of_x..of_both], &name, of_x)]
        };
        let counters = (both(counter), is_up);
        let inner = inner.map(|(inner, is_up)| (both(inner), is_up));
        for (at, variable) in variables.iter_mut().enumerate() {
            variable.kind = match at < of_both {
                true => VariableKind::Dimension,
                false => VariableKind::Parameter,
            };
        }
        Pair { variables, places, counters, inner }
    }

    /// Returns an expression of one of both over the variables of the pair.
    fn over(&self, expr: &Expr, which: usize) -> Result<Expr, ExprError> {
        let places: Vec<Expr> = self.places[which].iter().map(|at| variable(*at)).collect();
        expr.substitute(&places)
    }

    /// Returns the pairs of iterations that access the same element, the second one later.
    fn domain(&self, accesses: [&Access; 2]) -> Result<Domain, ExprError> {
        let mut variables = self.variables.clone();
        for (access, places) in accesses.iter().zip(&self.places) {
            for (own, place) in access.map.domain().variables().iter().zip(places) {
                variables[*place].bounds = variables[*place].bounds.intersect(own.bounds);
            }
        }
        let mut domain = Domain::new(variables);
        for (which, access) in accesses.iter().enumerate() {
            for constraint in access.map.domain().constraints() {
                domain.constrain(&self.over(&constraint.expr, which)?, constraint.bounds);
            }
        }
        for (x, y) in accesses[0].map.results().iter().zip(accesses[1].map.results()) {
            let difference = self.over(x, 0)?.sub(&self.over(y, 1)?)?;
            domain.constrain(&difference, Interval::point(0));
        }
        domain.constrain(&self.later()?, Interval::at_least(1));
        if let Some((places, is_up)) = self.inner {
            domain.constrain(&later((places, !is_up))?, Interval::at_least(1));
        }
        Ok(domain)
    }

    /// Returns the domain with the known values of counters that accesses do not have.
    fn known(&self, domain: &Domain, accesses: [&Access; 2]) -> Domain {
        let mut known = domain.clone();
        for (access, places) in accesses.iter().zip(&self.places) {
            for (name, some) in &access.repeated {
                let mut variables = access.map.domain().variables().iter();
                if let Some(at) = variables.position(|one| *one.name == **name) {
                    known.constrain(&variable(places[at]), *some);
                }
            }
        }
        known
    }

    fn later(&self) -> Result<Expr, ExprError> {
        later(self.counters)
    }
}

/// Returns how much later the second iteration is in a counter.
fn later((places, is_up): ([usize; 2], bool)) -> Result<Expr, ExprError> {
    let [first, second] = places.map(variable);
    if is_up { second.sub(&first) } else { first.sub(&second) }
}

fn variable(place: usize) -> Expr {
    Expr::variable(VariableId(u32::try_from(place).unwrap_or(u32::MAX)))
}

/// Decides whether a later iteration of the second access is in conflict with an earlier one of the first.
fn between(
    accesses: [(usize, &Access); 2],
    counter: (Counted<'_>, Option<Counted<'_>>),
    budget: &Budget,
) -> Result<Carried, ExprError> {
    let (numbers, accesses) = (accesses.map(|(number, _)| number), accesses.map(|(_, x)| x));
    let pair = Pair::of(accesses, counter);
    let domain = pair.domain(accesses)?;
    let point = match is_empty(&domain, budget) {
        Verdict::Proved => return Ok(Carried::Nothing),
        Verdict::Unknown(reason) => return Ok(Carried::Unknown(reason.to_string())),
        Verdict::Refuted(point) => point,
    };
    // A superset of a counter's values can show that there is no conflict, a subset that there is one.
    let known = pair.known(&domain, accesses);
    let found = if known == domain { Verdict::Refuted(point) } else { is_empty(&known, budget) };
    let point = match found {
        Verdict::Refuted(point) => point,
        _ => return Ok(Carried::Unknown("the blocks and threads have no bounds".to_owned())),
    };
    if let Some(bound) = accesses.iter().find(|access| access.of.is_bound) {
        let reason = format!("`{}` may be accessed in fewer iterations", bound.of.array);
        return Ok(Carried::Unknown(reason));
    }
    let values = |which: usize| {
        let places = pair.places[which].iter();
        places.map(|place| point.get(*place).copied().unwrap_or(0)).collect::<Vec<i64>>()
    };
    let named = |which: usize, access: &Access| {
        let values = values(which);
        access.counters().map(|(at, one)| (one.name.clone(), values[at])).collect::<Vec<_>>()
    };
    let Ok(element) = accesses[0].map.eval(&values(0)) else {
        return Ok(Carried::Unknown("an index is beyond 64 bits".to_owned()));
    };
    let distance = pair.later()?.eval(&point).unwrap_or(0);
    let is_other = |bounds: Interval| {
        let mut other = domain.clone();
        other.constrain(&pair.later()?, bounds);
        Ok::<bool, ExprError>(is_empty(&other, budget) == Verdict::Proved)
    };
    // The other way round, the two accesses may conflict at another distance.
    let [first, second] = accesses;
    let back = || {
        let pair = Pair::of([second, first], counter);
        let domain = pair.domain([second, first])?;
        Ok::<bool, ExprError>(is_empty(&domain, budget) == Verdict::Proved)
    };
    let is_always = is_other(Interval::at_least(distance.saturating_add(1)))?
        && (distance <= 1 || is_other(Interval::new(1, distance - 1))?)
        && (numbers[0] == numbers[1] || back()?);
    Ok(Carried::Conflict(Conflict {
        accesses: numbers,
        points: [named(0, accesses[0]), named(1, accesses[1])],
        sizes: domain
            .ids(VariableKind::Parameter)
            .map(|id| {
                (
                    domain.variables()[id.index()].name.clone(),
                    point.get(id.index()).copied().unwrap_or(0),
                )
            })
            .collect(),
        element,
        distance,
        is_always,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use affinor::text::parse_map;

    fn access(array: &str, verb: &str, map: &str) -> Access {
        let map = parse_map(map).unwrap();
        let array = array.to_owned();
        let (is_read, is_written) = (verb.contains('r'), verb.contains('w'));
        let of = Accessed { array, is_read, is_written, is_bound: false };
        let loops = vec!["i".to_owned(), "j".to_owned()];
        Access { of, map, loops, repeated: Vec::new() }
    }

    /// Compared with all pairs of iterations.
    #[test]
    fn conflicts_of_small_loops() {
        let bounds = "domain: i in [0, 5], j in [0, 4]";
        let indices = [
            "i",
            "j",
            "i + 1",
            "i + j",
            "i * 5 + j",
            "i - j",
            "i floordiv 2",
            "(i + j) mod 3",
            "7",
        ];
        let mut seen = BTreeSet::new();
        for written in indices {
            for read in indices {
                let accesses = [
                    access("A", "w", &format!("(i, j) -> ({written}), {bounds}")),
                    access("A", "r", &format!("(i, j) -> ({read}), {bounds}")),
                ];
                for (at, counter) in ["i", "j"].into_iter().enumerate() {
                    let expected = by_points(&accesses, at);
                    let found = carried(
                        &accesses,
                        ((counter, true), None),
                        &BTreeSet::new(),
                        &Budget::default(),
                    );
                    match &found {
                        Carried::Nothing => assert!(expected.is_empty(), "{written} {read}"),
                        Carried::Unknown(reason) => panic!("{written} {read}: {reason}"),
                        Carried::Conflict(found) => {
                            let [x, y] = found.points.clone().map(|point| {
                                point.into_iter().map(|(_, value)| value).collect::<Vec<_>>()
                            });
                            let pair = (found.accesses, x, y);
                            assert!(expected.contains(&pair), "{written} {read}: {found:?}");
                            let [m, n] = found.accesses;
                            let all =
                                expected.iter().filter(|one| one.0 == [m, n] || one.0 == [n, m]);
                            let distances: BTreeSet<i64> = all
                                .map(|(of, x, y)| {
                                    (y[at] - x[at]) * if *of == [m, n] { 1 } else { -1 }
                                })
                                .collect();
                            assert_eq!(found.is_always, distances.len() == 1);
                        }
                    }
                    seen.insert(matches!(found, Carried::Nothing));
                }
                // Interchanging the loops changes the order of two iterations if the later one is earlier in the inner loop.
                for is_up in [true, false] {
                    let loops = (("i", true), Some(("j", is_up)));
                    let found = carried(&accesses, loops, &BTreeSet::new(), &Budget::default());
                    let is_swapped = |(_, p, q): &Found| match is_up {
                        true => p[1] > q[1],
                        false => p[1] < q[1],
                    };
                    let expected = by_points(&accesses, 0).into_iter().any(|one| is_swapped(&one));
                    let is_found = match found {
                        Carried::Nothing => false,
                        Carried::Conflict(_) => true,
                        Carried::Unknown(reason) => panic!("{written} {read}: {reason}"),
                    };
                    assert_eq!(is_found, expected, "{written} {read} {is_up}");
                }
            }
        }
        assert_eq!(seen.len(), 2);
    }

    type Found = ([usize; 2], Vec<i64>, Vec<i64>);

    fn by_points(accesses: &[Access], at: usize) -> BTreeSet<Found> {
        let points = || (0..6).flat_map(|i| (0..5).map(move |j| vec![i, j]));
        let mut found = BTreeSet::new();
        for (m, x) in accesses.iter().enumerate() {
            for (n, y) in accesses.iter().enumerate() {
                for p in points() {
                    for q in points() {
                        let is_carried = p[..at] == q[..at] && p[at] < q[at];
                        let meet = x.map.eval(&p) == y.map.eval(&q);
                        if is_carried && meet && (x.of.is_written || y.of.is_written) {
                            found.insert(([m, n], p.clone(), q));
                        }
                    }
                }
            }
        }
        found
    }

    #[test]
    fn all_sizes_and_loops_that_are_not_shared() {
        let bounds = "domain: n in [1, inf], i in [0, n - 1], j in [0, n - 1]";
        let rows = format!("<n>(i, j) -> (i * n + j), {bounds}");
        let budget = Budget::default();
        let all = [access("A", "w", &rows)];
        assert_eq!(carried(&all, (("i", true), None), &BTreeSet::new(), &budget), Carried::Nothing);
        // The second access is in no loop `j`, so no loop `j` carries a conflict with it.
        let other = "<n>(i) -> (i * n), domain: n in [1, inf], i in [0, n - 1]";
        let all = [access("A", "w", &rows), access("A", "r", other)];
        assert_eq!(carried(&all, (("j", true), None), &BTreeSet::new(), &budget), Carried::Nothing);
        let maybe = access("A", "w", "(i) -> (0), domain: i in [0, 3]");
        let maybe = Access { of: Accessed { is_bound: true, ..maybe.of }, ..maybe };
        assert!(matches!(
            carried(&[maybe], (("i", true), None), &BTreeSet::new(), &budget),
            Carried::Unknown(_)
        ));
        // A variable that is not a counter is the same in both iterations.
        let shifted = access("A", "w", "(i, k) -> (i + k), domain: i in [0, 3], k in [0, 9]");
        assert_eq!(
            carried(&[shifted], (("i", true), None), &BTreeSet::new(), &budget),
            Carried::Nothing
        );
        let ranks = [
            access("A", "w", "(i) -> (0), domain: i in [0, 3]"),
            access("A", "r", "(i) -> (0, 0), domain: i in [0, 3]"),
        ];
        assert!(matches!(
            carried(&ranks[..], (("i", true), None), &BTreeSet::new(), &budget),
            Carried::Conflict(_)
        ));
        assert!(matches!(
            carried(&ranks[1..], (("i", true), None), &BTreeSet::new(), &budget),
            Carried::Nothing
        ));
    }
}
