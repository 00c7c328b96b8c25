//! Splits the accesses into boxes in which each constraint holds for all lanes, for none, or periodically.
//!
//! Law: the boxes are disjoint; an access outside all of them has no active lane; within a box, the constraints of the domain
//! hold wherever those kept by the box hold; and shifting a variable by its period changes none of these.

use super::shift::shift;
use affinor::expr::{Constraint, Domain, Expr, VariableId, interval_of};
use affinor::num;
use affinor::num::Interval;

/// Maximum number of boxes examined.
const MOST_LOOKS: usize = 10_000;

/// A box of accesses.
pub(super) struct Piece {
    /// Bounds of each variable that identifies an access.
    pub(super) bounds: Vec<Interval>,
    /// Indices of the constraints that may fail for some lanes.
    pub(super) kept: Vec<usize>,
    /// For each variable that identifies an access, a period of the kept constraints; `None` if all values differ.
    pub(super) periods: Vec<Option<i64>>,
}

/// Splits `domain`, whose first `outer` variables identify accesses; returns one box with all constraints if there
/// would be too many.
pub(super) fn pieces(domain: &Domain, outer: usize) -> Vec<Piece> {
    let whole: Vec<Interval> = domain.intervals().collect();
    let constraints = domain.constraints();
    let movers: Vec<Mover<'_>> = constraints.iter().map(|c| Mover::new(c, outer)).collect();
    let mut found = Vec::new();
    let mut open = vec![whole.clone()];
    let mut looks = 0;
    while let Some(bounds) = open.pop() {
        looks += 1;
        if looks > MOST_LOOKS {
            let all = (0..movers.len()).collect();
            return vec![piece(&whole, all, outer, &movers)];
        }
        match look(&bounds, &movers, outer) {
            Look::Nothing => {}
            Look::Done(kept) => found.push(piece(&bounds, kept, outer, &movers)),
            Look::Split(number, index) => {
                let (lo, hi) = (bounds[index].lo(), bounds[index].hi());
                let end = movers[number].cut(&bounds, index);
                for part in [Interval::new(lo, end), Interval::new(end + 1, hi)] {
                    open.push(with(&bounds, index, part));
                }
            }
        }
    }
    found
}

/// Returns the midpoint, rounded down: below `hi` if `lo` is.
fn middle(lo: i64, hi: i64) -> i64 {
    let sum = i128::from(lo) + i128::from(hi);
    i64::try_from(sum.div_euclid(2)).unwrap_or(lo)
}

/// Returns a box with another interval for one variable.
fn with(bounds: &[Interval], index: usize, part: Interval) -> Vec<Interval> {
    let mut bounds = bounds.to_vec();
    bounds[index] = part;
    bounds
}

/// The decision about a box.
enum Look {
    /// No lane is active.
    Nothing,
    /// The box is final: these constraints remain.
    Done(Vec<usize>),
    /// The box is to be split at this variable, to decide this constraint.
    Split(usize, usize),
}

fn look(bounds: &[Interval], movers: &[Mover<'_>], outer: usize) -> Look {
    let mut kept = Vec::new();
    let mut split = None;
    for (number, mover) in movers.iter().enumerate() {
        match mover.holds(bounds) {
            Some(false) => return Look::Nothing,
            Some(true) => continue,
            None => kept.push(number),
        }
        let widest = || Some((number, mover.widest(&bounds[..outer])?));
        split = split.or_else(widest);
    }
    split.map_or(Look::Done(kept), |(number, index)| Look::Split(number, index))
}

fn piece(bounds: &[Interval], kept: Vec<usize>, outer: usize, movers: &[Mover<'_>]) -> Piece {
    let period = |index: usize| {
        let periods = kept.iter().map(|number| movers[*number].period(index));
        periods.reduce(|one, other| num::lcm(one?, other?)).unwrap_or(Some(1))
    };
    Piece { periods: (0..outer).map(period).collect(), bounds: bounds[..outer].to_vec(), kept }
}

/// A constraint, and how its expression changes with each variable that identifies an access.
struct Mover<'d> {
    expr: &'d Expr,
    bounds: Interval,
    /// For each variable, a period that does not change the expression, or the approximate change per step.
    moves: Vec<Move>,
}

enum Move {
    Stays(i64),
    /// The expression changes by `by` in each `period`.
    Goes {
        by: i64,
        period: i64,
    },
    Unknown,
}

impl<'d> Mover<'d> {
    fn new(constraint: &'d Constraint, outer: usize) -> Mover<'d> {
        let of = |index: usize| match shift(&constraint.expr, VariableId(index as u32)) {
            Some(shift) if shift.by == 0 => Move::Stays(shift.period),
            Some(shift) => Move::Goes { by: shift.by, period: shift.period },
            None => Move::Unknown,
        };
        Mover {
            expr: &constraint.expr,
            bounds: constraint.bounds,
            moves: (0..outer).map(of).collect(),
        }
    }

    /// Returns whether the constraint holds in all of a box, or nowhere in it; `None` if neither is known.
    fn holds(&self, bounds: &[Interval]) -> Option<bool> {
        let of = |id: VariableId| bounds.get(id.index()).copied().unwrap_or(Interval::EMPTY);
        let range = interval_of(self.expr, &of);
        match self.bounds.contains_all(range) {
            true => Some(true),
            false => range.intersect(self.bounds).is_empty().then_some(false),
        }
    }

    /// Returns where to split a variable with at least two values: the last value of the first part. If the constraint is
    /// decided at one end, one part is the largest in which it is decided; otherwise the parts are halves.
    fn cut(&self, bounds: &[Interval], index: usize) -> i64 {
        let (lo, hi) = (bounds[index].lo(), bounds[index].hi());
        let decided = |lo, hi| {
            let part = with(bounds, index, Interval::new(lo, hi));
            self.holds(&part).is_some()
        };
        // A constraint that is decided on an interval is decided on its subintervals.
        if decided(lo, lo) {
            let (mut end, mut beyond) = (lo, hi);
            while middle(end, beyond) > end {
                let tried = middle(end, beyond);
                match decided(lo, tried) {
                    true => end = tried,
                    false => beyond = tried,
                }
            }
            return end;
        }
        if decided(hi, hi) {
            let (mut before, mut start) = (lo, hi);
            while middle(before, start) > before {
                let tried = middle(before, start);
                match decided(tried, hi) {
                    true => start = tried,
                    false => before = tried,
                }
            }
            return start - 1;
        }
        middle(lo, hi)
    }

    fn period(&self, index: usize) -> Option<i64> {
        match self.moves.get(index) {
            Some(Move::Stays(period)) => Some(*period),
            _ => None,
        }
    }

    /// Returns the variable that changes the constraint's expression most in this box, if any.
    fn widest(&self, bounds: &[Interval]) -> Option<usize> {
        let reach = |index: usize| {
            let width = i128::from(bounds[index].hi()) - i128::from(bounds[index].lo());
            match self.moves.get(index) {
                _ if width == 0 => None,
                Some(Move::Goes { by, period }) => {
                    let steps = width.checked_mul(i128::from(by.unsigned_abs()));
                    Some(steps.map_or(i128::MAX, |steps| steps / i128::from(*period)))
                }
                Some(Move::Unknown) => Some(width),
                Some(Move::Stays(_)) | None => None,
            }
        };
        let reaches = (0..bounds.len()).filter_map(|index| Some((reach(index)?, index)));
        reaches.max().map(|(_, index)| index)
    }
}
