//! The only file that names the `z3` crate.
//!
//! Each query gets a context of its own, so that no answer depends on earlier queries, and work is bounded by Z3's
//! `rlimit`, so that none depends on the machine. Numbers are Z3's mathematical integers; divisions never reach it.
//! While Z3 runs, a second thread polls the interrupt every few milliseconds and passes it on.

use super::Reason;
use super::linear::Linear;
use super::problem::{Answer, Formula, Limits, Problem, TextAnswer};
use crate::num::{Interrupt, Interval, MINUS_INFINITY, PLUS_INFINITY};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use z3::ast::{Ast, Bool, Int, forall_const};
use z3::{Config, Context, Params, SatResult, Solver, StatisticsValue, with_z3_config};

/// Interval at which a running solver is checked for an interruption.
const WATCH_EVERY: Duration = Duration::from_millis(10);

/// The first attempt at a goal gets this fraction of the steps.
const FIRST_LOOK: u32 = 8;

/// Total steps for all goals of one query, as a multiple of the steps of one.
const TOGETHER: u64 = 4;

/// Z3's numbers grow with the nesting depth of definitions, and its steps become slower: the total is divided by the
/// depth over this.
const DEEP: u64 = 8;

/// Decides the goals in order, up to the first that is satisfiable.
///
/// All goals first get a short attempt, so that an easy refutation does not wait for a hard proof; open ones then get
/// all their steps, up to the first that remains open.
pub(super) fn ask(problem: &Problem, goals: &[Formula], limits: &Limits) -> Vec<Answer> {
    with_z3_config(&Config::new(), || {
        let mut session = Session::new(problem, limits);
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
                return answers;
            }
        }
        for position in 0..goals.len() {
            if first_look < limits.steps
                && let Answer::Unknown(_) = answers[position]
            {
                answers[position] = session.answer(&goals[position], limits.steps);
                match answers[position] {
                    Answer::Unsatisfiable => {}
                    Answer::Satisfiable(_) => answers.truncate(position + 1),
                    Answer::Unknown(_) => break,
                }
            }
        }
        answers
    })
}

/// Decides an SMT-LIB script of assertions over integer constants; `names` are the constants whose values are
/// requested.
pub(super) fn ask_text(
    script: &str,
    names: &[String],
    steps: u32,
    interrupt: Option<&Interrupt>,
) -> TextAnswer {
    with_z3_config(&Config::new(), || {
        let solver = match script.lines().next() {
            // The solver for one logic; the general one would have to detect it.
            Some("(set-logic QF_LIA)") => Solver::new_for_logic("QF_LIA").unwrap_or_default(),
            _ => Solver::new(),
        };
        solver.set_params(&parameters(steps));
        solver.from_string(script);
        match check(&solver, interrupt) {
            SatResult::Unsat => TextAnswer::Unsatisfiable,
            SatResult::Sat => {
                let model = solver.get_model();
                let value = |name: &String| {
                    let constant = Int::new_const(name.as_str());
                    model.as_ref()?.eval(&constant, true)?.as_i64()
                };
                TextAnswer::Satisfiable(names.iter().map(value).collect())
            }
            SatResult::Unknown => TextAnswer::Unknown(reason(&solver, steps, interrupt)),
        }
    })
}

fn parameters(steps: u32) -> Params {
    let mut parameters = Params::new();
    parameters.set_u32("rlimit", steps);
    // Z3's own handler would take Ctrl-C away from the program around it.
    parameters.set_bool("ctrl_c", false);
    parameters
}

/// Runs the solver, with a thread that passes an interruption on.
fn check(solver: &Solver, interrupt: Option<&Interrupt>) -> SatResult {
    let Some(interrupt) = interrupt else {
        return solver.check();
    };
    let context = Context::thread_local();
    let handle = context.handle();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let watcher = scope.spawn(|| {
            while !done.load(Ordering::Acquire) {
                if interrupt.is_triggered() {
                    handle.interrupt();
                }
                std::thread::park_timeout(WATCH_EVERY);
            }
        });
        let result = solver.check();
        done.store(true, Ordering::Release);
        watcher.thread().unpark();
        result
    })
}

/// Why the solver stopped.
fn reason(solver: &Solver, steps: u32, interrupt: Option<&Interrupt>) -> Reason {
    if interrupt.is_some_and(Interrupt::is_triggered) {
        return Reason::Interrupted;
    }
    let words = solver.get_reason_unknown().unwrap_or_default();
    // Z3's words for an exhausted `rlimit`, and for an interruption.
    if words.contains("canceled") || words.contains("resource limit") {
        Reason::SolverSteps(steps)
    } else {
        Reason::SolverGaveUp(words)
    }
}

struct Session<'a> {
    solver: Solver,
    unknowns: Vec<Int>,
    interrupt: Option<&'a Interrupt>,
    /// Remaining steps for all goals together.
    left: u64,
    /// The solver's step count at the last query.
    taken: u64,
}

impl<'a> Session<'a> {
    fn new(problem: &Problem, limits: &Limits<'a>) -> Session<'a> {
        let names = (0u32..).take(problem.unknowns);
        let session = Session {
            solver: Solver::new(),
            unknowns: names.map(Int::new_const::<u32>).collect(),
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
        self.solver.set_params(&parameters(steps));
        self.solver.push();
        self.solver.assert(self.formula(goal));
        let answer = match check(&self.solver, self.interrupt) {
            SatResult::Unsat => Answer::Unsatisfiable,
            SatResult::Sat => Answer::Satisfiable(self.values()),
            SatResult::Unknown => Answer::Unknown(reason(&self.solver, steps, self.interrupt)),
        };
        self.solver.pop(1);
        let taken = self.taken();
        self.left = self.left.saturating_sub(taken.saturating_sub(self.taken));
        self.taken = taken;
        answer
    }

    /// The solver's total step count; it has none per query.
    fn taken(&self) -> u64 {
        let count = self.solver.get_statistics().value("rlimit count");
        match count {
            Some(StatisticsValue::UInt(count)) => u64::from(count),
            Some(StatisticsValue::Double(count)) => count as u64,
            None => self.taken,
        }
    }

    fn values(&self) -> Vec<Option<i64>> {
        let model = self.solver.get_model();
        let value = |unknown: &Int| model.as_ref()?.eval(unknown, true)?.as_i64();
        self.unknowns.iter().map(value).collect()
    }

    fn formula(&self, formula: &Formula) -> Bool {
        match formula {
            Formula::In(form, interval) => self.membership(form, *interval),
            Formula::All(parts) => Bool::and(&self.formulas(parts)),
            Formula::Any(parts) => Bool::or(&self.formulas(parts)),
            Formula::Not(part) => self.formula(part).not(),
            Formula::ForAll(from, body) => {
                let bound = self.unknowns.iter().skip(*from);
                let bound: Vec<&dyn Ast> = bound.map(|unknown| unknown as &dyn Ast).collect();
                forall_const(&bound, &[], &self.formula(body))
            }
        }
    }

    fn formulas(&self, parts: &[Formula]) -> Vec<Bool> {
        parts.iter().map(|part| self.formula(part)).collect()
    }

    fn membership(&self, form: &Linear, interval: Interval) -> Bool {
        if interval.is_empty() {
            return Bool::from_bool(false);
        }
        let value = self.linear(form);
        if let Some(point) = interval.as_point() {
            return value.eq(Int::from_i64(point));
        }
        let mut parts = Vec::with_capacity(2);
        if interval.lo() != MINUS_INFINITY {
            parts.push(value.ge(Int::from_i64(interval.lo())));
        }
        if interval.hi() != PLUS_INFINITY {
            parts.push(value.le(Int::from_i64(interval.hi())));
        }
        Bool::and(&parts)
    }

    fn linear(&self, form: &Linear) -> Int {
        let mut summands: Vec<Int> = Vec::with_capacity(form.terms().len() + 1);
        for (unknown, coefficient) in form.terms() {
            let unknown = &self.unknowns[unknown.index()];
            summands.push(match coefficient {
                1 => unknown.clone(),
                _ => unknown * Int::from_i64(*coefficient),
            });
        }
        if form.constant != 0 || summands.is_empty() {
            summands.push(Int::from_i64(form.constant));
        }
        Int::add(&summands)
    }
}
