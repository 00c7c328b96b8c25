//! What an example teaches beside the rules in force.

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

/// Steps of one search: some ten seconds.
const FUEL: u64 = 40_000;

/// Solver steps for one candidate: those that need more are not found.
const SOLVER_STEPS: u32 = 4_000_000;

/// A rule that an example teaches.
pub struct Lesson {
    /// The rule, and what it relates.
    pub learned: Learned,
    /// Its text.
    pub dressed: Dressed,
    /// Whether it was learnt from what the rules in force leave of the example.
    pub of_rest: bool,
    /// The values of the named sizes for which it was learnt.
    pub sizes: Sizes,
    /// Operations of the whole example: as it is, as the rules in force leave it, and as they do with this one.
    pub operations: [u64; 3],
    /// Operations of the smaller form.
    pub wanted: u64,
}

/// A rule, its text, and for which sizes it was learnt.
type Taught = (Learned, Dressed, Sizes);

/// What comes of an example.
pub enum Found {
    /// A rule.
    Lesson(Box<Lesson>),
    /// The two are not known to be equal.
    Unequal(Verdict),
    /// The rules in force make the example as small, and no rule of its own was asked for or found.
    Known(u64),
    /// Nothing, for this reason.
    Missed(Missed),
}

/// Learns from examples.
pub struct Learner {
    /// The rules in force.
    pub simplifier: Simplifier,
    shipped: RuleSet,
    interrupt: Interrupt,
    proof: Budget,
    /// For proofs of rules.
    pub rules: Budget,
    /// How maps are written.
    pub style: Style,
}

impl Learner {
    /// One for the rules in force.
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

    /// The rule of this name by which the first map becomes the second one, which has its domain. What the rules in force
    /// leave of the first map is looked at first if only what they miss is wanted, else last.
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

    /// This name, or one like it that no rule in force has.
    fn fresh(&self, name: &str) -> String {
        let rules = self.simplifier.rules().rules();
        let is_free = |name: &String| !rules.iter().any(|rule| rule.name == *name);
        let names = (2_u64..).map(|number| format!("{name}-{number}"));
        let mut names = std::iter::once(name.to_owned()).chain(names);
        names.find(is_free).unwrap_or_default()
    }

    /// What the first results teach that differ in more than sums.
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
