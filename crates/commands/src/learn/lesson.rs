//! The rule that an example teaches, beyond the rules in force.

use crate::failure::Failure;
use crate::table::Call;
use affinor::expr::IndexingMap;
use affinor::num::{Fuel, Interrupt};
use affinor::prove::{self, Budget, Verdict};
use affinor::rule::RuleSet;
use affinor::rule::verify::BUDGET;
use affinor::simplify::{Options, Simplifier};
use affinor::text::{Error, Style};
use affinor_workshop::learn::{Dressed, Learned, Missed, Sizes, dressed, learn, numbered, with};

/// The budget of one search in steps: about ten seconds.
const FUEL: u64 = 40_000;

/// The budget of solver steps for one candidate; candidates that need more are not found.
const SOLVER_STEPS: u32 = 4_000_000;

/// A rule that an example teaches.
pub struct Lesson {
    /// The learned rule, with the expressions that it relates.
    pub learned: Learned,
    /// The rule as text.
    pub dressed: Dressed,
    /// Whether it was learnt from the example as simplified by the rules in force.
    pub of_rest: bool,
    /// The values of the named sizes for which it was learnt.
    pub sizes: Sizes,
    /// The number of operations of the whole example: as given, simplified by the rules in force, and simplified by these and the
    /// new rule.
    pub operations: [u64; 3],
    /// The number of operations of the smaller form.
    pub wanted: u64,
}

/// A rule, its text, and the sizes for which it was learnt.
type Taught = (Learned, Dressed, Sizes);

/// The outcome of an example.
pub enum Found {
    /// A rule.
    Lesson(Box<Lesson>),
    /// The two forms are not known to be equal.
    Unequal(Verdict),
    /// The rules in force make the example as small, and no rule of its own was requested or found. Holds its operations.
    Known(u64),
    /// No rule was found, for this reason.
    Missed(Missed),
}

/// A learner from examples.
pub struct Learner {
    /// The rules in force.
    pub simplifier: Simplifier,
    shipped: RuleSet,
    interrupt: Interrupt,
    proof: Budget,
    /// The budget for proofs of rules.
    pub rules: Budget,
    /// The style of printed maps.
    pub style: Style,
}

impl Learner {
    /// Creates a learner for the rules in force.
    ///
    /// # Errors
    /// If a shipped rule file does not load.
    pub fn of(call: &Call<'_>) -> Result<Learner, Failure> {
        let shipped = call.session.base();
        Ok(Learner {
            simplifier: call.uncounted_simplifier()?,
            shipped: shipped.map_err(|error| call.failed(error))?.rules().clone(),
            interrupt: call.host.interrupt(),
            proof: call.proof_budget(),
            rules: call.rule_budget(),
            style: call.session.style,
        })
    }

    /// Learns a rule of this name that rewrites the first map to the second one, which has the same domain. If `only_missed` is
    /// set, the search begins with the first map as simplified by the rules in force; otherwise it begins with the map as given.
    ///
    /// # Errors
    /// If an expression overflows.
    pub fn lesson(
        &self,
        maps: [&IndexingMap; 2],
        name: &str,
        only_missed: bool,
    ) -> Result<Found, Error> {
        let verdict = prove::equal_functions(maps[0], maps[1], &self.proof)?;
        if verdict != Verdict::Proved {
            return Ok(Found::Unequal(verdict));
        }
        let left = self.simplified(&self.simplifier, maps[0]);
        let [given, after, wanted] = [maps[0], &left, maps[1]].map(|map| map.cost().ops);
        let is_known = left.cost() <= maps[1].cost();
        if is_known && only_missed {
            return Ok(Found::Known(after));
        }
        let mut ways = vec![(false, maps[0])];
        if !is_known && left.results() != maps[0].results() {
            ways.push((true, &left));
        }
        if only_missed {
            ways.reverse();
        }
        let name = &self.fresh(name);
        let mut missed = None;
        let mut best: Option<Lesson> = None;
        for (of_rest, from) in ways {
            match self.learnt([from, maps[1]], name) {
                Ok((learned, dressed, sizes)) => {
                    let with = with(self.simplifier.rules().clone(), &dressed.rule);
                    let with =
                        with.map_or(after, |with| self.simplified(&with, maps[0]).cost().ops);
                    let is_better = |best: &Lesson| with < best.operations[2];
                    if best.as_ref().is_none_or(is_better) {
                        best = Some(Lesson {
                            learned,
                            dressed,
                            of_rest,
                            sizes,
                            operations: [given, after, with],
                            wanted,
                        });
                    }
                    if with <= wanted {
                        break;
                    }
                }
                Err(error) => missed = missed.or(Some(error)),
            }
        }
        if let Some(lesson) = best {
            return Ok(Found::Lesson(Box::new(lesson)));
        }
        let missed = missed.unwrap_or(Missed::NotFound);
        Ok(match is_known && after <= wanted && missed != Missed::Same {
            true => Found::Known(after),
            false => Found::Missed(missed),
        })
    }

    /// Returns this name, or the name with a suffix that makes it unique among the rules in force.
    fn fresh(&self, name: &str) -> String {
        let rules = self.simplifier.rules().rules();
        let is_free = |name: &String| !rules.iter().any(|rule| rule.name == *name);
        let names = (2_u64..).map(|number| format!("{name}-{number}"));
        let mut names = std::iter::once(name.to_owned()).chain(names);
        names.find(is_free).unwrap_or_default()
    }

    /// Learns from the first pair of results that yields a rule; pairs that differ only in sums are skipped.
    fn learnt(&self, maps: [&IndexingMap; 2], name: &str) -> Result<Taught, Missed> {
        let (maps, sizes) = numbered(maps).ok_or(Missed::NoPoint)?;
        let budget = Budget {
            solver_steps: SOLVER_STEPS,
            interrupt: Some(self.interrupt.clone()),
            ..BUDGET
        };
        let fuel = Fuel::new(FUEL, &self.interrupt);
        let mut missed = Missed::Same;
        for (from, to) in maps[0].results().iter().zip(maps[1].results()) {
            let found = learn(maps[0].domain(), [from, to], &budget, &fuel);
            match found {
                Err(Missed::Same) => {}
                Err(error) => missed = error,
                Ok(learned) => {
                    let dressed = dressed(&learned, name, &self.shipped, &budget)?;
                    return Ok((learned, dressed, sizes));
                }
            }
        }
        Err(missed)
    }

    fn simplified(&self, simplifier: &Simplifier, map: &IndexingMap) -> IndexingMap {
        let options = Options { interrupt: self.interrupt.clone(), ..Options::default() };
        simplifier.simplify(map, &options).map
    }
}
