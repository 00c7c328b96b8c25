//! Assertions, and checks whether integers satisfy them.

use crate::context::{Context, Term, c_string, text};
use crate::functions::Object;

/// The result of [`Solver::check`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Check {
    /// No integers satisfy the assertions.
    Unsatisfiable,
    /// Some integers do; [`Solver::model`] returns them.
    Satisfiable,
    /// Z3 stopped; [`Solver::reason`] returns the reason.
    Unknown,
}

/// A stack of assertions.
#[derive(Debug)]
pub struct Solver<'c> {
    context: &'c Context,
    raw: Object,
}

/// Integers that satisfy the assertions.
#[derive(Debug)]
pub struct Model<'c> {
    context: &'c Context,
    raw: Object,
}

impl<'c> Solver<'c> {
    /// Creates a solver for one logic of SMT-LIB, or a general one.
    #[must_use]
    pub fn new(context: &'c Context, logic: Option<&str>) -> Solver<'c> {
        let z3 = context.z3;
        let logic = logic.map(|logic| context.symbol(logic));
        // SAFETY: the symbol is of this context; the solver is released when it is dropped.
        let raw = context.made(unsafe {
            match logic {
                Some(logic) => (z3.Z3_mk_solver_for_logic)(context.raw, logic),
                None => (z3.Z3_mk_solver)(context.raw),
            }
        });
        // SAFETY: the solver is of this context.
        unsafe { (z3.Z3_solver_inc_ref)(context.raw, raw) };
        Solver { context, raw }
    }

    /// Limits each later check to this many of Z3's steps (`rlimit`).
    pub fn limit(&self, steps: u32) {
        let (z3, context) = (self.context.z3, self.context.raw);
        let rlimit = self.context.symbol("rlimit");
        let ctrl_c = self.context.symbol("ctrl_c");
        // SAFETY: all objects are of this context; the parameters are released.
        unsafe {
            let parameters = self.context.made((z3.Z3_mk_params)(context));
            (z3.Z3_params_inc_ref)(context, parameters);
            (z3.Z3_params_set_uint)(context, parameters, rlimit, steps);
            // Z3's own handler would intercept Ctrl-C.
            (z3.Z3_params_set_bool)(context, parameters, ctrl_c, false);
            (z3.Z3_solver_set_params)(context, self.raw, parameters);
            self.context.no_error();
            (z3.Z3_params_dec_ref)(context, parameters);
        }
    }

    /// Asserts the assertions of an SMT-LIB script.
    pub fn read(&self, script: &str) {
        let script = c_string(script);
        // SAFETY: the text ends with a zero.
        unsafe {
            (self.context.z3.Z3_solver_from_string)(self.context.raw, self.raw, script.as_ptr());
        }
        self.context.no_error();
    }

    /// Asserts a truth value.
    pub fn assert(&self, fact: Term<'c>) {
        let fact = self.context.object(fact);
        // SAFETY: the term is of this context.
        unsafe { (self.context.z3.Z3_solver_assert)(self.context.raw, self.raw, fact) };
        self.context.no_error();
    }

    /// Opens a scope: later assertions hold until the matching [`Solver::pop`].
    pub fn push(&self) {
        // SAFETY: the solver is of this context.
        unsafe { (self.context.z3.Z3_solver_push)(self.context.raw, self.raw) };
        self.context.no_error();
    }

    /// Removes the assertions since the last [`Solver::push`].
    pub fn pop(&self) {
        // SAFETY: the solver is of this context; a pop without a push is an error that Z3 reports.
        unsafe { (self.context.z3.Z3_solver_pop)(self.context.raw, self.raw, 1) };
        self.context.no_error();
    }

    /// Checks whether integers satisfy the assertions.
    pub fn check(&self) -> Check {
        // SAFETY: the solver is of this context. An error of Z3, as at an interruption, is the answer 0.
        match unsafe { (self.context.z3.Z3_solver_check)(self.context.raw, self.raw) } {
            -1 => Check::Unsatisfiable,
            1 => Check::Satisfiable,
            _ => Check::Unknown,
        }
    }

    /// Returns the reason why the last check was [`Check::Unknown`], in Z3's words.
    #[must_use]
    pub fn reason(&self) -> String {
        // SAFETY: the solver is of this context; the text lives until the next call.
        unsafe {
            let words = (self.context.z3.Z3_solver_get_reason_unknown)(self.context.raw, self.raw);
            text(words)
        }
    }

    /// Returns the integers that the last check found.
    #[must_use]
    pub fn model(&self) -> Option<Model<'c>> {
        let (z3, context) = (self.context.z3, self.context);
        // SAFETY: the solver is of this context; the model is released when it is dropped.
        unsafe {
            let raw = (z3.Z3_solver_get_model)(context.raw, self.raw)?;
            (z3.Z3_model_inc_ref)(context.raw, raw);
            Some(Model { context, raw })
        }
    }

    /// Returns the total number of steps of all checks, if Z3 counts them.
    #[must_use]
    pub fn steps(&self) -> Option<u64> {
        let (z3, context) = (self.context.z3, self.context.raw);
        // SAFETY: the statistics are of this context and given back; each index is below their number.
        unsafe {
            let statistics = (z3.Z3_solver_get_statistics)(context, self.raw)?;
            (z3.Z3_stats_inc_ref)(context, statistics);
            let mut all = 0..(z3.Z3_stats_size)(context, statistics);
            let steps = all
                .find(|index| {
                    text((z3.Z3_stats_get_key)(context, statistics, *index)) == "rlimit count"
                })
                .map(|index| match (z3.Z3_stats_is_uint)(context, statistics, index) {
                    true => u64::from((z3.Z3_stats_get_uint_value)(context, statistics, index)),
                    false => (z3.Z3_stats_get_double_value)(context, statistics, index) as u64,
                });
            (z3.Z3_stats_dec_ref)(context, statistics);
            steps
        }
    }
}

impl Drop for Solver<'_> {
    fn drop(&mut self) {
        // SAFETY: the solver is of this context and is not used again.
        unsafe { (self.context.z3.Z3_solver_dec_ref)(self.context.raw, self.raw) }
    }
}

impl Model<'_> {
    /// Returns the value of an integer, unless it exceeds 64 bits.
    #[must_use]
    pub fn value(&self, term: Term<'_>) -> Option<i64> {
        let (z3, context) = (self.context.z3, self.context.raw);
        let term = self.context.object(term);
        let (mut found, mut value) = (None, 0);
        // SAFETY: the model and the term are of this context; the evaluated object lives until the next call.
        unsafe {
            let evaluated = (z3.Z3_model_eval)(context, self.raw, term, true, &mut found);
            let found = found.filter(|_| evaluated)?;
            (z3.Z3_get_numeral_int64)(context, found, &mut value).then_some(value)
        }
    }
}

impl Drop for Model<'_> {
    fn drop(&mut self) {
        // SAFETY: the model is of this context and is not used again.
        unsafe { (self.context.z3.Z3_model_dec_ref)(self.context.raw, self.raw) }
    }
}
