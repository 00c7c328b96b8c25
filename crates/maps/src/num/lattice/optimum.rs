//! The least and the greatest value of a sum over the integer points of a system, and these points.
//!
//! Law: a choice is left open as long as the points found satisfy it; otherwise each of its lists is tried. An open choice
//! only adds points, so if there is no lesser value with it, there is none at all.

use super::polytope::{Least, Polytope};
use super::system::{Row, System, Visit};
use crate::num::Fuel;

/// Fuel for a search that leaves choices open.
const OPEN_STEPS: u64 = 1 << 17;

/// The least value of a sum.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Optimum {
    /// The system has no integer point.
    Empty,
    /// The least value, and a point that attains it.
    At(i128, Vec<i128>),
    /// The values are unbounded; the point belongs to the system.
    Endless(Vec<i128>),
}

impl System {
    /// Returns the least value of a sum of the unknowns; `None` on overflow or without fuel.
    #[must_use]
    pub fn least(&self, sum: &[i128], fuel: &Fuel) -> Option<Optimum> {
        let mut best = Optimum::Empty;
        let rows: Vec<&Row> = self.rows.iter().collect();
        let open: Vec<&Choice> = self.choices.iter().collect();
        self.improve(&mut best, sum, rows, open, fuel)?;
        Some(best)
    }

    /// Searches for a value less than the best one, among the points of rows and open choices.
    fn improve<'a>(
        &'a self,
        best: &mut Optimum,
        sum: &[i128],
        rows: Vec<&'a Row>,
        mut open: Vec<&'a Choice>,
        fuel: &Fuel,
    ) -> Option<()> {
        let limit = match best {
            Optimum::Empty => None,
            Optimum::At(value, _) => Some(*value),
            Optimum::Endless(_) => return Some(()),
        };
        let polytope = Polytope::new(self.unknowns, &rows, fuel)?;
        if open.is_empty() {
            match polytope.least(sum, limit, fuel)? {
                Least::None => {}
                Least::At(value, point) => *best = Optimum::At(value, point),
                Least::Endless(point) => *best = Optimum::Endless(point),
            }
            return Some(());
        }
        let first = fuel.share(OPEN_STEPS);
        let found = polytope.least(sum, limit, &first);
        fuel.spend(OPEN_STEPS - first.left().min(OPEN_STEPS)).ok()?;
        let split = match found {
            Some(Least::None) => return Some(()),
            Some(Least::At(value, point)) => match unmet(&open, &point)? {
                None => {
                    *best = Optimum::At(value, point);
                    return Some(());
                }
                Some(split) => split,
            },
            // A single point does not decide whether distant points satisfy the choices; and without fuel there may be too many
            // parts.
            Some(Least::Endless(_)) | None => 0,
        };
        for list in open.remove(split) {
            let rows = rows.iter().copied().chain(list).collect();
            self.improve(best, sum, rows, open.clone(), fuel)?;
        }
        Some(())
    }

    /// Visits all integer points, whole segments of lines at a time: `visit` gets the first point, the step and the number of
    /// points. A point that satisfies a choice in two ways is visited twice. `None` on overflow, without fuel, if there are
    /// infinitely many, or if `visit` returns it.
    pub fn segments(&self, visit: Visit, fuel: &Fuel) -> Option<()> {
        self.parts(fuel, &mut |part| part.segments(visit, fuel))
    }

    /// Counts the integer points. A point that satisfies a choice in two ways counts twice. `None` on overflow, without fuel, or
    /// if there are infinitely many.
    #[must_use]
    pub fn count(&self, fuel: &Fuel) -> Option<i128> {
        let mut number = 0i128;
        self.parts(fuel, &mut |part| {
            number = number.checked_add(part.count(fuel)?)?;
            Some(())
        })?;
        Some(number)
    }

    /// Visits the polytope of each combination of choices.
    fn parts(&self, fuel: &Fuel, visit: &mut dyn FnMut(&Polytope) -> Option<()>) -> Option<()> {
        let mut open: Vec<(Vec<&Row>, &[Choice])> =
            vec![(self.rows.iter().collect(), &self.choices)];
        while let Some((rows, choices)) = open.pop() {
            let polytope = Polytope::new(self.unknowns, &rows, fuel)?;
            let Some((choice, others)) = choices.split_first() else {
                visit(&polytope)?;
                continue;
            };
            if !polytope.is_known_empty() {
                for list in choice.iter().rev() {
                    open.push((rows.iter().copied().chain(list).collect(), others));
                }
            }
        }
        Some(())
    }
}

type Choice = Vec<Vec<Row>>;

/// Returns the first choice that a point does not satisfy.
fn unmet(open: &[&Choice], point: &[i128]) -> Option<Option<usize>> {
    for (place, choice) in open.iter().enumerate() {
        let mut is_made = false;
        for list in choice.iter() {
            let mut holds = true;
            for row in list {
                holds = holds && row.holds(point)?;
            }
            is_made = is_made || holds;
        }
        if !is_made {
            return Some(Some(place));
        }
    }
    Some(None)
}
