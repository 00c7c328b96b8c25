//! Points of a domain at which queries are tested first: about named sizes, and the conditions of rules.
//!
//! A query that is false at a point of the domain needs no proof attempt, and most are false. Points decide nothing else: without
//! them, the results are the same, but slower.

use super::linear::{AtomId, Linear};
use crate::expr::{Domain, Expr, ExprKind, VariableId, VariableKind};
use crate::num::{self, Interval, MINUS_INFINITY, PLUS_INFINITY};

/// Maximum number of points.
const MAX_POINTS: usize = 8;

/// Maximum number of operations of all constraints: larger domains are not evaluated.
const MAX_OPERATIONS: u64 = 4_096;

/// Maximum number of parameters for which samples are drawn in which one is large, or small, and the others are not.
const MAX_ALONE: usize = 4;

/// A large size: larger than typical constants, while the product of four of them fits in 64 bits.
const LARGE: i64 = 1_009;

/// A large size with many divisors, since divisibility facts may exist.
const ROUND: i64 = 5_040;

/// The distance of a variable from the finite bound of a half-infinite interval.
const FAR: i64 = 1 << 16;

/// The values of atoms at points of the domain.
#[derive(Clone, Default)]
pub struct Samples {
    /// Number of points.
    count: usize,
    /// The values of each atom, at one point after the other.
    values: Vec<i64>,
    /// Whether all atoms have values at each point, one bit each.
    are_valid: u64,
}

impl Samples {
    /// Creates the values of the first atoms, which are the variables.
    pub fn new(points: &[Vec<i64>]) -> Samples {
        let variables = points.first().map_or(0, Vec::len);
        let values = (0..variables).flat_map(|id| points.iter().map(move |point| point[id]));
        Samples {
            count: points.len(),
            values: values.collect(),
            are_valid: (1 << points.len()) - 1,
        }
    }

    /// Adds the next atom with its value at each point; drops points at which it has no value.
    pub fn add(&mut self, value: impl Fn(&Samples, usize) -> Option<i64>) {
        for point in 0..self.count {
            let value = match self.are_valid & 1 << point {
                0 => Some(0),
                _ => value(self, point),
            };
            if value.is_none() {
                self.are_valid &= !(1 << point);
            }
            self.values.push(value.unwrap_or(0));
        }
    }

    /// Returns the number of points.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Returns the value of a sum at a point at which all atoms have values.
    pub fn valid_sum(&self, sum: &Linear, point: usize) -> Option<i64> {
        let is_valid = self.are_valid & 1 << point != 0;
        is_valid.then(|| self.sum(sum, point))?
    }

    /// Returns the value of an atom at a point.
    fn at(&self, atom: AtomId, point: usize) -> i64 {
        self.values[atom.index() * self.count + point]
    }

    /// Returns the product of atoms at a point.
    pub fn product(&self, atoms: &[AtomId], point: usize) -> Option<i64> {
        num::product(atoms.iter().map(|atom| self.at(*atom, point)))
    }

    /// Returns the value of a sum at a point.
    pub fn sum(&self, sum: &Linear, point: usize) -> Option<i64> {
        let terms = sum.terms().iter();
        let total = terms.fold(i128::from(sum.constant), |total, (atom, c)| {
            total + i128::from(*c) * i128::from(self.at(*atom, point))
        });
        i64::try_from(total).ok()
    }

    /// Returns the values at the valid points.
    pub fn values(&self, of: impl Fn(usize) -> Option<i64>) -> impl Iterator<Item = i64> {
        let valid = (0..self.count).filter(|point| self.are_valid & 1 << point != 0);
        valid.filter_map(of)
    }

    /// Returns the least and the greatest of the values at the points; `None` if there are none.
    pub fn seen(&self, of: impl Fn(usize) -> Option<i64>) -> Option<(i64, i64)> {
        self.values(of).fold(None, |seen, value| match seen {
            None => Some((value, value)),
            Some((least, greatest)) => Some((value.min(least), value.max(greatest))),
        })
    }
}

/// A bound of a variable that depends on parameters.
struct End {
    of: VariableId,
    coefficient: i64,
    constraint: usize,
}

/// Returns points of a domain, deterministically; none if it is large, or no tried point lies in it.
pub(super) fn points(domain: &Domain) -> Vec<Vec<i64>> {
    let parameters: Vec<VariableId> = domain.ids(VariableKind::Parameter).collect();
    let constraints = domain.constraints().iter();
    let operations = constraints.fold(0u64, |all, x| all.saturating_add(x.expr.cost().ops));
    if operations > MAX_OPERATIONS {
        return Vec::new();
    }
    let ends = ends(domain);
    let mut points: Vec<Vec<i64>> = Vec::new();
    for setting in settings(parameters.len()) {
        let (setting, choices) = (setting.point(domain, &parameters), setting.choices());
        for choice in choices {
            if points.len() == MAX_POINTS {
                return points;
            }
            let mut point = setting.clone();
            if place(domain, &ends, &mut point, *choice).is_some()
                && domain.contains(&point) == Ok(true)
                && !points.contains(&point)
            {
                points.push(point);
            }
        }
    }
    points
}

/// The variables that are at their upper bounds.
#[derive(Clone, Copy)]
enum Choice {
    None,
    All,
    Even,
    Odd,
}

impl Choice {
    fn is_upper(self, index: usize) -> bool {
        match self {
            Choice::None => false,
            Choice::All => true,
            Choice::Even => index.is_multiple_of(2),
            Choice::Odd => !index.is_multiple_of(2),
        }
    }
}

const ENDS: &[Choice] = &[Choice::None, Choice::All];
const EVERY: &[Choice] = &[Choice::None, Choice::All, Choice::Even, Choice::Odd];

/// A choice of the parameters' values.
#[derive(Clone, Copy)]
enum Setting {
    Large,
    Small,
    /// All have many divisors.
    Round,
    /// One is large, and the others are small.
    OneLarge(i64),
    /// One is small, and the others have many divisors: a size that divides others is typically small, and its square does not
    /// divide them.
    OneSmall(i64),
}

fn settings(parameters: usize) -> impl Iterator<Item = Setting> {
    let alone = match parameters {
        0 | 1 => 0,
        count => count.min(MAX_ALONE) as i64,
    };
    let alone = (0..alone).flat_map(|one| [Setting::OneLarge(one), Setting::OneSmall(one)]);
    // Without parameters, all settings are the same.
    let settings = match parameters {
        0 => &[Setting::Large][..],
        _ => &[Setting::Large, Setting::Small, Setting::Round],
    };
    settings.iter().copied().chain(alone)
}

impl Setting {
    fn choices(self) -> &'static [Choice] {
        match self {
            Setting::Large => EVERY,
            Setting::Small | Setting::Round => ENDS,
            Setting::OneLarge(_) | Setting::OneSmall(_) => &ENDS[1..],
        }
    }

    /// Returns the value of the parameter of this rank, whose least value is `small`.
    fn value(self, rank: i64, small: i64) -> i64 {
        let large = || small.saturating_add(LARGE + 10 * rank);
        let round = || ROUND * (1 + rank % 2);
        match self {
            Setting::Large => large(),
            Setting::Small => small,
            Setting::Round => round(),
            Setting::OneLarge(one) if rank == one => large(),
            Setting::OneLarge(_) => small,
            Setting::OneSmall(one) if rank == one => small.max(2),
            Setting::OneSmall(_) => round(),
        }
    }

    /// Returns the point with these parameter values and all other coordinates 0.
    fn point(self, domain: &Domain, parameters: &[VariableId]) -> Vec<i64> {
        let mut point = vec![0; domain.variables().len()];
        for (rank, id) in (0i64..).zip(parameters) {
            let range = domain.bounds(*id);
            let small = match range.lo() {
                MINUS_INFINITY => range.hi().min(1),
                lo => lo,
            };
            let modulus = modulus_of(domain, *id);
            let value = num::ceildiv(self.value(rank, small), modulus).saturating_mul(modulus);
            point[id.index()] = match range.contains(value) {
                true => value,
                false => range.hi() / modulus * modulus,
            };
        }
        point
    }
}

/// Returns the integer that a parameter is a multiple of.
fn modulus_of(domain: &Domain, id: VariableId) -> i64 {
    let of = domain.constraints().iter().filter_map(|constraint| {
        let ExprKind::Mod(x, modulus) = constraint.expr.kind() else {
            return None;
        };
        let is_zero = constraint.bounds == Interval::point(0) && x.as_variable() == Some(id);
        modulus.as_integer().filter(|_| is_zero)
    });
    of.max().unwrap_or(1)
}

/// Returns the constraints on one variable, with coefficient 1 or -1, and parameters.
fn ends(domain: &Domain) -> Vec<End> {
    let mut ends = Vec::new();
    for (index, constraint) in domain.constraints().iter().enumerate() {
        let variables = constraint.expr.variables();
        let mut others = variables.iter().filter(|id| !domain.is_parameter(**id));
        let (Some(id), None) = (others.next(), others.next()) else {
            continue;
        };
        if let ExprKind::Sum(sum) = constraint.expr.kind() {
            let own = |(_, x): &&(i64, Expr)| x.variables().contains(id);
            let mut terms = sum.terms().iter().filter(own);
            if let (Some((coefficient @ (1 | -1), x)), None) = (terms.next(), terms.next())
                && x.as_variable() == Some(*id)
            {
                ends.push(End { of: *id, coefficient: *coefficient, constraint: index });
            }
        }
    }
    ends
}

/// Moves the variables of a point to their bounds.
fn place(domain: &Domain, ends: &[End], point: &mut [i64], choice: Choice) -> Option<()> {
    let mut ranges: Vec<Interval> = domain.intervals().collect();
    for end in ends {
        let constraint = domain.constraints().get(end.constraint)?;
        let rest = constraint.expr.eval(point).ok()?; // the variable itself is still 0
        let bounds = constraint.bounds.add(Interval::point(rest.checked_neg()?));
        let range = &mut ranges[end.of.index()];
        *range = range.intersect(bounds.scale(end.coefficient));
    }
    for (index, range) in ranges.into_iter().enumerate() {
        if domain.is_parameter(VariableId(index as u32)) {
            continue;
        }
        if range.is_empty() {
            return None;
        }
        let (lo, hi) = (range.lo(), range.hi());
        point[index] = match (lo, hi) {
            (MINUS_INFINITY, PLUS_INFINITY) => [-FAR, FAR][usize::from(choice.is_upper(index))],
            (MINUS_INFINITY, hi) if !choice.is_upper(index) => hi.saturating_sub(FAR),
            (lo, PLUS_INFINITY) if choice.is_upper(index) => lo.saturating_add(FAR),
            _ if choice.is_upper(index) => hi,
            _ => lo,
        };
    }
    Some(())
}
