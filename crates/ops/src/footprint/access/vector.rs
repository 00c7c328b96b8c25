//! Vector accesses: how many consecutive lanes may access their elements as one aligned vector.
//!
//! Lanes `lo + k*q, .., lo + k*q + k-1` are the group `q` of `k` lanes, where `lo` is the least value of the lane variable. A
//! group may be one access if it is *whole* (if one of its lanes is in the domain, all are), its positions are *consecutive*,
//! and the first of them is a multiple of `k` (*aligned*, for an array whose address is). These are the contiguity and
//! divisibility of Triton's axis analysis; *constant* groups read one element together.
//!
//! Law: a width is claimed only if each of the three properties is proved for all groups; a reason has a point that witnesses
//! it.

use affinor::expr::{Domain, Expr, ExprError, IndexingMap, Variable, VariableId, VariableKind};
use affinor::num::{Interval, MINUS_INFINITY, PLUS_INFINITY};
use affinor::prove::{Budget, Fit, fits};
use affinor::text::{Error, ErrorKind};

/// Maximum number of lanes of a group that is considered.
const MOST_LANES: i64 = 64;

/// The accesses that may be combined along a lane variable; numbers of lanes are powers of two.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Vectors {
    /// The widest access that is proved valid for all groups.
    pub widest: i64,
    /// The size of the largest groups proved to have consecutive positions.
    pub contiguous: i64,
    /// The size of the largest groups proved to have one position.
    pub constant: i64,
    /// The greatest power of two, up to 64, that divides the first position of every contiguous group.
    pub divisible: i64,
    /// Why the access is not twice as wide, if that width was within the limit.
    pub less: Option<Less>,
}

/// The reason why there is no access of `lanes` lanes. Points are over the map's own variables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Less {
    /// The number of lanes that was refused.
    pub lanes: i64,
    /// The reason.
    pub reason: Reason,
}

/// The property that is missing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    /// A group has a lane at `inside`, but its lane with the value `missing` is not in the domain.
    Partial {
        /// A point of the domain.
        inside: Vec<i64>,
        /// The value of the lane variable that is missing.
        missing: i64,
    },
    /// At `point`, the position is at distance `beyond` from that of the first lane of its group, which differs from the
    /// distance of the lanes.
    Apart {
        /// A point of the domain.
        point: Vec<i64>,
        /// The distance of the positions.
        beyond: i128,
    },
    /// The first position of the group that begins at `point` is not a multiple of the number of lanes.
    Misaligned {
        /// A point of the domain.
        point: Vec<i64>,
        /// The position.
        position: i128,
    },
    /// The property was not decided.
    Unknown,
}

/// Finds the vector accesses along a lane variable; `most` is the maximum number of elements of an access.
///
/// # Errors
/// If the lane variable has no least value, or the map does not have exactly one result.
pub fn vectors(
    position: &IndexingMap,
    lane: VariableId,
    most: i64,
    budget: &Budget,
) -> Result<Vectors, Error> {
    let wrong = |message: &str| Error::without_span(ErrorKind::Domain, message);
    let [result] = position.results() else {
        return Err(wrong("a position is one number, and the map has several results, or none"));
    };
    let bounds = position.domain().bounds(lane);
    if bounds.lo() == MINUS_INFINITY {
        let name = &position.domain().variables()[lane.index()].name;
        let hint = format!("bound `{name}` from below, as in `0 <= {name}` or `{name} in [0, 31]`");
        return Err(wrong("the lanes have no least value").hint(hint));
    }
    let lanes = bounds.count().unwrap_or(u64::MAX);
    let mut found = Vectors { widest: 1, contiguous: 1, constant: 1, divisible: 1, less: None };
    let (mut is_contiguous, mut is_constant) = (true, true);
    let mut k = 2;
    while k <= MOST_LANES && k.unsigned_abs() <= lanes && (is_contiguous || is_constant) {
        let groups = Groups::of(position, lane, k).map_err(too_large)?;
        let distance = groups.distance(result).map_err(too_large)?;
        is_constant &= groups.all(&distance, Some(0), budget);
        let apart = distance.sub(&groups.lane()).map_err(too_large)?;
        is_contiguous &= groups.all(&apart, Some(0), budget);
        if is_constant {
            found.constant = k;
        }
        if is_contiguous {
            found.contiguous = k;
        }
        k *= 2;
    }
    let groups = Groups::of(position, lane, found.contiguous).map_err(too_large)?;
    while found.divisible < MOST_LANES {
        let twice = groups.first(result).and_then(|first| first.modulo(found.divisible * 2));
        if !groups.all(&twice.map_err(too_large)?, Some(0), budget) {
            break;
        }
        found.divisible *= 2;
    }
    while found.widest * 2 <= most {
        let lanes = found.widest * 2;
        if let Some(reason) = refused(position, lane, lanes, budget).map_err(too_large)? {
            found.less = Some(Less { lanes, reason });
            break;
        }
        found.widest = lanes;
    }
    Ok(found)
}

/// Why groups of `k` lanes are not single accesses; `None` if they are proved to be.
fn refused(
    position: &IndexingMap,
    lane: VariableId,
    k: i64,
    budget: &Budget,
) -> Result<Option<Reason>, ExprError> {
    let [result] = position.results() else { return Ok(Some(Reason::Unknown)) };
    let groups = Groups::of(position, lane, k)?;
    // The other lane of a group must be in the domain if this one is.
    let both = groups.with_other(position, lane)?;
    for (expr, bounds) in &both.needed {
        let end = |end: i64, infinity: i64| (end != infinity).then(|| i128::from(end));
        let within = [end(bounds.lo(), MINUS_INFINITY), end(bounds.hi(), PLUS_INFINITY)];
        match fits(&both.domain, std::slice::from_ref(expr), within, budget).pop() {
            Some(Fit::Always) => {}
            Some(Fit::Leaves { point, .. }) => {
                let Some(inside) = groups.own_point(&point, lane) else {
                    return Ok(Some(Reason::Unknown));
                };
                let distance = point[both.other.index()] - point[groups.within.index()];
                let missing = inside[lane.index()].checked_add(distance);
                let missing = missing.map(|missing| Reason::Partial { inside, missing });
                return Ok(Some(missing.unwrap_or(Reason::Unknown)));
            }
            _ => return Ok(Some(Reason::Unknown)),
        }
    }
    let distance = groups.distance(result)?;
    let apart = distance.sub(&groups.lane())?;
    match fits(&groups.domain, &[apart], [Some(0), Some(0)], budget).pop() {
        Some(Fit::Always) => {}
        Some(Fit::Leaves { point, value, .. }) => {
            let beyond = value + i128::from(point[groups.within.index()]);
            let point = groups.own_point(&point, lane);
            let apart = point.map(|point| Reason::Apart { point, beyond });
            return Ok(Some(apart.unwrap_or(Reason::Unknown)));
        }
        _ => return Ok(Some(Reason::Unknown)),
    }
    let first = groups.first(result)?;
    match fits(&groups.domain, &[first.modulo(k)?], [Some(0), Some(0)], budget).pop() {
        Some(Fit::Always) => Ok(None),
        Some(Fit::Leaves { mut point, .. }) => {
            point[groups.within.index()] = 0;
            let at = affinor::prove::wide_value_at(&groups.domain, &first, &point);
            let found = groups.own_point(&point, lane).zip(at);
            let found = found.map(|(point, position)| Reason::Misaligned { point, position });
            Ok(Some(found.unwrap_or(Reason::Unknown)))
        }
        _ => Ok(Some(Reason::Unknown)),
    }
}

fn too_large(_: ExprError) -> Error {
    Error::without_span(ErrorKind::Overflow, "a number of the position does not fit in 64 bits")
}

/// The points of a map by groups of lanes.
struct Groups {
    /// The variables of the map, with the number of the group in place of the lane, and the lane within the group after the
    /// last dimension.
    domain: Domain,
    group: VariableId,
    within: VariableId,
    /// The number of lanes in a group, and the least lane.
    lanes: i64,
    least: i64,
    /// The variables of the map over those of the domain.
    places: Vec<Expr>,
}

/// A second lane of the same group.
struct Both {
    domain: Domain,
    other: VariableId,
    /// The conditions for the second lane to be in the domain of the map.
    needed: Vec<(Expr, Interval)>,
}

impl Groups {
    fn of(map: &IndexingMap, lane: VariableId, lanes: i64) -> Result<Groups, ExprError> {
        let mut variables = map.domain().variables().to_vec();
        let bounds = variables[lane.index()].bounds;
        let least = bounds.lo();
        let last = match bounds.hi() {
            PLUS_INFINITY => PLUS_INFINITY,
            hi => (hi - least.min(hi)) / lanes,
        };
        let at = map.domain().count(VariableKind::Dimension);
        variables[lane.index()] =
            Variable::new("q", variables[lane.index()].kind, Interval::new(0, last));
        let within = Variable::new("r", VariableKind::Dimension, Interval::new(0, lanes - 1));
        variables.insert(at, within);
        let moved = |id: u32| VariableId(if (id as usize) < at { id } else { id + 1 });
        let group = moved(lane.0);
        let within = VariableId(at as u32);
        let count = u32::try_from(variables.len()).map_err(|_| ExprError::Overflow)?;
        let mut places: Vec<Expr> = (0..count - 1).map(|id| Expr::variable(moved(id))).collect();
        let first = Expr::variable(group).scale(lanes)?.add(&Expr::constant(least))?;
        places[lane.index()] = first.add(&Expr::variable(within))?;
        let bare = Domain::new(variables);
        let inside = map.over(&bare, &places).ok_or(ExprError::Overflow)?;
        let domain = inside.domain().clone();
        Ok(Groups { domain, group, within, lanes, least, places })
    }

    fn lane(&self) -> Expr {
        Expr::variable(self.within)
    }

    /// Returns the position of the first lane of a group.
    fn first(&self, result: &Expr) -> Result<Expr, ExprError> {
        let mut places: Vec<Expr> = (0..self.domain.variables().len() as u32)
            .map(|id| Expr::variable(VariableId(id)))
            .collect();
        places[self.within.index()] = Expr::constant(0);
        result.substitute(&self.places)?.substitute(&places)
    }

    /// Returns the distance of a position from that of the first lane of its group.
    fn distance(&self, result: &Expr) -> Result<Expr, ExprError> {
        result.substitute(&self.places)?.sub(&self.first(result)?)
    }

    /// Returns whether an expression is proved to have this value everywhere.
    fn all(&self, expr: &Expr, value: Option<i128>, budget: &Budget) -> bool {
        fits(&self.domain, std::slice::from_ref(expr), [value, value], budget) == [Fit::Always]
    }

    /// Returns the point over the map's own variables.
    fn own_point(&self, point: &[i64], lane: VariableId) -> Option<Vec<i64>> {
        let (group, within) = (point[self.group.index()], point[self.within.index()]);
        let own = point.iter().enumerate().take(self.domain.variables().len());
        let mut own: Vec<i64> =
            own.filter(|(id, _)| *id != self.within.index()).map(|(_, value)| *value).collect();
        let first = group.checked_mul(self.lanes)?.checked_add(self.least)?;
        own[lane.index()] = first.checked_add(within)?;
        Some(own)
    }

    fn with_other(&self, map: &IndexingMap, lane: VariableId) -> Result<Both, ExprError> {
        let mut variables = self.domain.variables().to_vec();
        let other = VariableId(variables.len() as u32);
        // The new variable comes last, so that the other variables keep their numbers.
        let kind = variables.last().map_or(VariableKind::Dimension, |last| last.kind);
        variables.push(Variable::new("r2", kind, Interval::new(0, self.lanes - 1)));
        let mut domain = Domain::new(variables);
        for constraint in self.domain.constraints() {
            domain.constrain(&constraint.expr, constraint.bounds);
        }
        let mut places = self.places.clone();
        let first = places[lane.index()].sub(&self.lane())?;
        places[lane.index()] = first.add(&Expr::variable(other))?;
        let mut needed = vec![(places[lane.index()].clone(), map.domain().bounds(lane))];
        for constraint in map.domain().constraints() {
            if constraint.expr.variables().contains(&lane) {
                needed.push((constraint.expr.substitute(&places)?, constraint.bounds));
            }
        }
        Ok(Both { domain, other, needed })
    }
}
