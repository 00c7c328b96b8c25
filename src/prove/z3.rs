//! The only file that names the crate `affinor-z3`.
//!
//! Each query gets a context of its own, so that no answer depends on earlier queries, and work is bounded by Z3's
//! `rlimit`, so that none depends on the machine. Numbers are Z3's mathematical integers; divisions never reach it.
//! While Z3 runs, a second thread polls the interrupt every few milliseconds and passes it on.

use super::Reason;
use super::linear::Linear;
use super::problem::{Answer, Formula, Limits, Problem, TextAnswer};
use crate::num::{Interrupt, Interval, MINUS_INFINITY, PLUS_INFINITY};
use affinor_z3::{Check, Context, Solver, Term};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Interval at which a running solver is checked for an interruption.
const WATCH_EVERY: Duration = Duration::from_millis(10);

/// The first attempt at a goal gets this fraction of the steps.
const FIRST_LOOK: u32 = 8;

/// Total steps for all goals of one query, as a multiple of the steps of one.
const TOGETHER: u64 = 4;

/// Z3's numbers grow with the nesting depth of definitions, and its steps become slower: the total number of steps is
/// divided by `1 + depth / DEEP`.
const DEEP: u64 = 8;

/// Decides the goals in order, up to the first that is satisfiable.
///
/// All goals first get a short attempt, so that an easy refutation does not wait for a hard proof; open ones then get
/// all their steps, up to the first that remains open.
pub(super) fn ask(
    problem: &Problem,
    goals: &[Formula],
    limits: &Limits,
) -> Result<Vec<Answer>, Reason> {
    let context = context()?;
    let mut session = Session::new(&context, problem, limits);
    let mut answers = Vec::with_capacity(goals.len());
    let first_look = match goals {
        [_] => limits.steps,
        _ => limits.steps.div_ceil(FIRST_LOOK),
    };
    for goal in goals {
        let answer = session.answer(goal, first_look);
        let satisfiable = matches!(answer, Answer::Satisfiable(_));
        answers.push(answer);
        if satisfiable {
            return Ok(answers);
        }
    }
    for position in 0..goals.len() {
        if first_look < limits.steps
            && let Answer::Unknown(_) = answers[position]
        {
            answers[position] = session.answer(&goals[position], limits.steps);
            match answers[position] {
                Answer::Unsatisfiable => {}
                Answer::Satisfiable(_) => {
                    answers.truncate(position + 1);
                    break;
                }
                Answer::Unknown(_) => break,
            }
        }
    }
    Ok(answers)
}

/// Decides an SMT-LIB script of assertions over integer constants; `names` are the constants whose values are
/// requested.
pub(super) fn ask_text(
    script: &str,
    names: &[String],
    steps: u32,
    interrupt: Option<&Interrupt>,
) -> Result<TextAnswer, Reason> {
    let context = context()?;
    let logic = match script.lines().next() {
        // The solver for one logic; the general one would have to detect it.
        Some("(set-logic QF_LIA)") => Some("QF_LIA"),
        _ => None,
    };
    let solver = Solver::new(&context, logic);
    solver.limit(steps);
    solver.read(script);
    Ok(match check(&context, &solver, interrupt) {
        Check::Unsatisfiable => TextAnswer::Unsatisfiable,
        Check::Satisfiable => {
            let model = solver.model();
            let value = |name: &String| model.as_ref()?.value(context.named(name));
            TextAnswer::Satisfiable(names.iter().map(value).collect())
        }
        Check::Unknown => TextAnswer::Unknown(reason(&solver, steps, interrupt)),
    })
}

fn context() -> Result<Context, Reason> {
    Context::new().map_err(|missing| Reason::NoSolver(missing.as_str()))
}

/// Runs the solver, with a thread that passes on an interruption.
fn check(context: &Context, solver: &Solver, interrupt: Option<&Interrupt>) -> Check {
    let Some(interrupt) = interrupt else {
        return solver.check();
    };
    let interrupter = context.interrupter();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let watcher = scope.spawn(|| {
            while !done.load(Ordering::Acquire) {
                if interrupt.is_triggered() {
                    interrupter.interrupt();
                }
                std::thread::park_timeout(WATCH_EVERY);
            }
        });
        let result = solver.check();
        done.store(true, Ordering::Release);
        watcher.thread().unpark();
        // Joined, not detached: a thread that ends meanwhile may crash in older versions of glibc (its bug 19951).
        let _ = watcher.join();
        result
    })
}

/// Returns the reason why the solver stopped.
fn reason(solver: &Solver, steps: u32, interrupt: Option<&Interrupt>) -> Reason {
    if interrupt.is_some_and(Interrupt::is_triggered) {
        return Reason::Interrupted;
    }
    let words = solver.reason();
    // Z3's words for an exhausted `rlimit`, and for an interruption.
    if words.contains("canceled") || words.contains("resource limit") {
        Reason::SolverSteps(steps)
    } else {
        Reason::SolverGaveUp(words)
    }
}

struct Session<'a> {
    context: &'a Context,
    solver: Solver<'a>,
    unknowns: Vec<Term<'a>>,
    interrupt: Option<&'a Interrupt>,
    /// Remaining steps for all goals together.
    left: u64,
    /// The solver's step count at the last query.
    taken: u64,
}

impl<'a> Session<'a> {
    fn new(context: &'a Context, problem: &Problem, limits: &Limits<'a>) -> Session<'a> {
        let names = (0u32..).take(problem.unknowns);
        let session = Session {
            context,
            solver: Solver::new(context, None),
            unknowns: names.map(|name| context.unknown(name)).collect(),
            interrupt: limits.interrupt,
            left: u64::from(limits.steps) * TOGETHER / (1 + problem.depth as u64 / DEEP),
            taken: 0,
        };
        for fact in &problem.facts {
            session.solver.assert(session.formula(fact));
        }
        session
    }

    fn answer(&mut self, goal: &Formula, steps: u32) -> Answer {
        if self.interrupt.is_some_and(Interrupt::is_triggered) {
            return Answer::Unknown(Reason::Interrupted);
        }
        if self.left < u64::from(steps) {
            return Answer::Unknown(Reason::SolverSteps(steps));
        }
        self.solver.limit(steps);
        self.solver.push();
        self.solver.assert(self.formula(goal));
        let answer = match check(self.context, &self.solver, self.interrupt) {
            Check::Unsatisfiable => Answer::Unsatisfiable,
            Check::Satisfiable => Answer::Satisfiable(self.values()),
            Check::Unknown => Answer::Unknown(reason(&self.solver, steps, self.interrupt)),
        };
        self.solver.pop();
        // Z3 counts the steps of all queries together.
        let taken = self.solver.steps().unwrap_or(self.taken);
        self.left = self.left.saturating_sub(taken.saturating_sub(self.taken));
        self.taken = taken;
        answer
    }

    fn values(&self) -> Vec<Option<i64>> {
        let model = self.solver.model();
        let value = |unknown: &Term| model.as_ref()?.value(*unknown);
        self.unknowns.iter().map(value).collect()
    }

    fn formula(&self, formula: &Formula) -> Term<'a> {
        match formula {
            Formula::In(form, interval) => self.membership(form, *interval),
            Formula::All(parts) => self.context.all(&self.formulas(parts)),
            Formula::Any(parts) => self.context.any(&self.formulas(parts)),
            Formula::Not(part) => self.formula(part).negated(),
            Formula::ForAll(from, body) => {
                let bound = self.unknowns.get(*from..).unwrap_or_default();
                self.context.for_all(bound, self.formula(body))
            }
        }
    }

    fn formulas(&self, parts: &[Formula]) -> Vec<Term<'a>> {
        parts.iter().map(|part| self.formula(part)).collect()
    }

    fn membership(&self, form: &Linear, interval: Interval) -> Term<'a> {
        let context = self.context;
        if interval.is_empty() {
            return context.any(&[]);
        }
        let value = self.linear(form);
        if let Some(point) = interval.as_point() {
            return value.equal(context.integer(point));
        }
        let mut parts = Vec::with_capacity(2);
        if interval.lo() != MINUS_INFINITY {
            parts.push(value.at_least(context.integer(interval.lo())));
        }
        if interval.hi() != PLUS_INFINITY {
            parts.push(value.at_most(context.integer(interval.hi())));
        }
        context.all(&parts)
    }

    fn linear(&self, form: &Linear) -> Term<'a> {
        let context = self.context;
        let mut summands: Vec<Term> = Vec::with_capacity(form.terms().len() + 1);
        for (unknown, coefficient) in form.terms() {
            let unknown = self.unknowns[unknown.index()];
            summands.push(match coefficient {
                1 => unknown,
                _ => unknown.times(context.integer(*coefficient)),
            });
        }
        if form.constant != 0 || summands.is_empty() {
            summands.push(context.integer(form.constant));
        }
        context.sum(&summands)
    }
}
