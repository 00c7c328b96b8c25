//! Comparisons in a function that is traced to a map, and the cases that its branches distinguish.
//!
//! Law: a function is called once for each path through its branches. The conditions of any two paths exclude each other, and
//! together the paths cover the domain; a path is omitted only if intervals show that no point takes it.

use crate::errors::{failed, wrong};
use crate::numpy::{array_function, ufunc};
use crate::trace::{Expr, hinted};
use affinor::expr::{self, Constraint, Domain, ExprError};
use affinor::num::{Interval, MINUS_INFINITY, PLUS_INFINITY};
use affinor::text::{ErrorKind, Style, print_constraint, variable_names};
use pyo3::basic::CompareOp;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::cell::RefCell;
use std::sync::Arc;

/// The maximum number of branches on a path.
const MOST_BRANCHES: usize = 64;

/// A comparison of values in a function of `IndexMap.of`: a condition of `where` or of a branch, or the number 1 or 0.
///
/// >>> IndexMap.of(lambda i, j: i + j, lambda i, j: i <= j, i=8, j=8)
/// IndexMap('(i, j) -> (i + j), domain: i in [0, 7], j in [0, 7], i - j in [-inf, 0]')
/// >>> IndexMap.of(lambda i: i if i < 4 else 4, i=8)
/// IndexMap('(i) -> (min(i, 4)), domain: i in [0, 7]')
#[pyclass(frozen, module = "affinor")]
pub struct Condition {
    /// An expression, and the interval that contains it if the condition holds.
    pub(crate) parts: (expr::Expr, Interval),
    /// Whether the condition is negated: the expression is outside of the interval.
    pub(crate) is_negated: bool,
    pub(crate) domain: Arc<Domain>,
}

/// A path through the branches of a function.
struct Way {
    domain: Arc<Domain>,
    /// The choice at each of the first branches.
    given: Vec<usize>,
    /// The choice at each branch so far, with the number of choices.
    taken: Vec<(usize, usize)>,
    limits: Vec<(expr::Expr, Interval)>,
}

thread_local! {
    /// The paths of the functions that are being called, the innermost last.
    static WAYS: RefCell<Vec<Way>> = const { RefCell::new(Vec::new()) };
}

/// The value at the end of one path through the function, and the start of the next path; None after the last.
type Ended = (Vec<Condition>, Option<Vec<usize>>);

/// Starts a path through the branches of a function over the variables of `variable`.
#[pyfunction]
pub fn _start_way(variable: &Expr, given: Vec<usize>) {
    let domain = variable.domain.clone();
    let way = Way { domain, given, taken: Vec::new(), limits: Vec::new() };
    WAYS.with_borrow_mut(|ways| ways.push(way));
}

/// Ends the path that was started last.
#[pyfunction]
pub fn _end_way() -> PyResult<Ended> {
    let way = WAYS.with_borrow_mut(Vec::pop);
    let way = way.ok_or_else(|| wrong(ErrorKind::Internal, "there is no way to end"))?;
    let domain = way.domain;
    let condition = |parts| Condition { parts, is_negated: false, domain: domain.clone() };
    let limits = way.limits.into_iter().map(condition).collect();
    let mut next = way.taken;
    while next.last().is_some_and(|(chosen, all)| chosen + 1 == *all) {
        next.pop();
    }
    if let Some((chosen, _)) = next.last_mut() {
        *chosen += 1;
        return Ok((limits, Some(next.into_iter().map(|(chosen, _)| chosen).collect())));
    }
    Ok((limits, None))
}

impl Condition {
    /// Returns the intervals of the expression, in the order in which paths take them, each with the answer of the
    /// comparison in it.
    fn outcomes(&self) -> [(Interval, bool); 3] {
        let inside = self.parts.1;
        let below = match inside.lo() {
            MINUS_INFINITY => Interval::new(0, -1),
            lo => Interval::new(MINUS_INFINITY, lo.saturating_sub(1)),
        };
        let above = match inside.hi() {
            PLUS_INFINITY => Interval::new(0, -1),
            hi => Interval::new(hi.saturating_add(1), PLUS_INFINITY),
        };
        let is_inside = !self.is_negated;
        [(inside, is_inside), (below, !is_inside), (above, !is_inside)]
    }

    /// Returns the answer of the comparison on the current path of the function.
    fn decided(&self, way: &mut Way) -> PyResult<bool> {
        let expr = &self.parts.0;
        let own = way.limits.iter().filter(|(other, _)| other == expr);
        let range =
            own.fold(way.domain.range_of(expr), |range, (_, bounds)| range.intersect(*bounds));
        let outcomes = self.outcomes();
        let mut possible =
            outcomes.iter().filter(|(bounds, _)| !range.intersect(*bounds).is_empty());
        let possible: Vec<&(Interval, bool)> = possible.by_ref().collect();
        let (chosen, all) = match &*possible {
            // No point takes this path: any answer is correct.
            [] => return Ok(false),
            [only] => return Ok(only.1),
            several => (way.given.get(way.taken.len()).copied().unwrap_or(0), several.len()),
        };
        if way.taken.len() == MOST_BRANCHES {
            return Err(hinted(
                ErrorKind::TooLarge,
                format!("a function has at most {MOST_BRANCHES} branches one after the other"),
                "a map has no loops over its variables",
            ));
        }
        let Some((bounds, answer)) = possible.get(chosen) else {
            let message = "the function took other branches when it was called again";
            return Err(wrong(ErrorKind::Unsupported, message));
        };
        way.taken.push((chosen, all));
        // An end that all points of the path satisfy is omitted.
        let lo = if range.lo() >= bounds.lo() { MINUS_INFINITY } else { bounds.lo() };
        let hi = if range.hi() <= bounds.hi() { PLUS_INFINITY } else { bounds.hi() };
        way.limits.push((expr.clone(), Interval::new(lo, hi)));
        Ok(*answer)
    }

    /// Returns 1 if the condition holds, and 0 elsewhere, as an expression.
    pub(crate) fn number(&self) -> PyResult<Expr> {
        let truth = truth(std::slice::from_ref(&self.parts)).map_err(failed)?;
        let built = match self.is_negated {
            false => Ok(truth),
            true => expr::Expr::constant(1).sub(&truth),
        };
        Ok(Expr { expr: built.map_err(failed)?, domain: self.domain.clone() })
    }

    /// Returns an operation of integers on 1 or 0.
    fn operated(&self, operation: &str, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let own = Bound::new(other.py(), self.number()?)?;
        Ok(own.call_method1(operation, (other,))?.unbind())
    }
}

/// Returns 1 if each expression lies in its interval, and 0 elsewhere, as an expression.
pub fn truth(limits: &[(expr::Expr, Interval)]) -> Result<expr::Expr, ExprError> {
    let mut ends = vec![expr::Expr::constant(1)];
    for (expr, bounds) in limits {
        if bounds.lo() != MINUS_INFINITY {
            let start = bounds.lo().checked_sub(1).ok_or(ExprError::Overflow)?;
            ends.push(expr.sub(&expr::Expr::constant(start))?);
        }
        if bounds.hi() != PLUS_INFINITY {
            let end = bounds.hi().checked_add(1).ok_or(ExprError::Overflow)?;
            ends.push(expr::Expr::constant(end).sub(expr)?);
        }
    }
    match ends.len() {
        1 => Ok(expr::Expr::constant(1)),
        _ => expr::Expr::max([expr::Expr::min(ends)?, expr::Expr::constant(0)]),
    }
}

#[pymethods]
impl Condition {
    fn __add__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.operated("__add__", other)
    }

    fn __radd__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.operated("__radd__", other)
    }

    fn __sub__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.operated("__sub__", other)
    }

    fn __rsub__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.operated("__rsub__", other)
    }

    fn __mul__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.operated("__mul__", other)
    }

    fn __rmul__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.operated("__rmul__", other)
    }

    fn __floordiv__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.operated("__floordiv__", other)
    }

    fn __mod__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.operated("__mod__", other)
    }

    fn __and__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.operated("__and__", other)
    }

    fn __rand__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.operated("__rand__", other)
    }

    fn __or__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.operated("__or__", other)
    }

    fn __ror__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.operated("__ror__", other)
    }

    fn __xor__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.operated("__xor__", other)
    }

    fn __rxor__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.operated("__rxor__", other)
    }

    fn __truediv__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.operated("__truediv__", other)
    }

    fn __rtruediv__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.operated("__rtruediv__", other)
    }

    fn __rfloordiv__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.operated("__rfloordiv__", other)
    }

    fn __rmod__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.operated("__rmod__", other)
    }

    fn __lshift__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.operated("__lshift__", other)
    }

    fn __rlshift__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.operated("__rlshift__", other)
    }

    fn __rshift__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.operated("__rshift__", other)
    }

    fn __rrshift__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.operated("__rrshift__", other)
    }

    fn __divmod__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.operated("__divmod__", other)
    }

    fn __rdivmod__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.operated("__rdivmod__", other)
    }

    fn __matmul__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.operated("__matmul__", other)
    }

    fn __rmatmul__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.operated("__rmatmul__", other)
    }

    fn __neg__(&self) -> PyResult<Expr> {
        self.number()?.scaled(-1)
    }

    fn __pos__(&self) -> PyResult<Expr> {
        self.number()
    }

    fn __abs__(&self) -> PyResult<Expr> {
        self.number()
    }

    /// Rounds 1 or 0 to itself, as do floor, ceil and trunc.
    #[pyo3(signature = (digits = 0))]
    fn __round__(&self, digits: i64) -> PyResult<Expr> {
        self.number()?.rounded(digits)
    }

    fn __floor__(&self) -> PyResult<Expr> {
        self.number()
    }

    fn __ceil__(&self) -> PyResult<Expr> {
        self.number()
    }

    fn __trunc__(&self) -> PyResult<Expr> {
        self.number()
    }

    fn __pow__(
        &self,
        exponent: &Bound<'_, PyAny>,
        modulus: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Expr> {
        self.number()?.power_of(exponent, modulus)
    }

    fn __rpow__(
        &self,
        base: &Bound<'_, PyAny>,
        modulus: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Expr> {
        self.number()?.as_exponent(base, modulus)
    }

    #[pyo3(signature = (function, method, *inputs, **options))]
    fn __array_ufunc__<'py>(
        &self,
        function: &Bound<'py, PyAny>,
        method: &str,
        inputs: &Bound<'py, PyTuple>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        ufunc(function, method, inputs, options)
    }

    fn __array_function__<'py>(
        &self,
        function: &Bound<'py, PyAny>,
        _types: &Bound<'py, PyAny>,
        inputs: &Bound<'py, PyTuple>,
        options: &Bound<'py, PyDict>,
    ) -> PyResult<Bound<'py, PyAny>> {
        array_function(function, inputs, options)
    }

    fn __int__(&self) -> PyResult<i64> {
        Err(self.no_number())
    }

    fn __float__(&self) -> PyResult<f64> {
        Err(self.no_number())
    }

    fn __index__(&self) -> PyResult<i64> {
        Err(self.no_number())
    }

    fn __invert__(&self) -> PyResult<Expr> {
        Err(hinted(
            ErrorKind::Unsupported,
            "a comparison has no bits",
            "write `not` in front of it",
        ))
    }

    fn __hash__(&self) -> PyResult<isize> {
        Err(self.no_number())
    }

    fn __richcmp__(&self, other: &Bound<'_, PyAny>, op: CompareOp) -> PyResult<Condition> {
        self.number()?.compared(other, op)
    }

    fn __bool__(&self) -> PyResult<bool> {
        let decided = WAYS.with_borrow_mut(|ways| {
            let mut own = ways.iter_mut().rev();
            let own = own.find(|way| Arc::ptr_eq(&way.domain, &self.domain));
            own.map(|way| self.decided(way))
        });
        decided.unwrap_or_else(|| {
            Err(hinted(
                ErrorKind::Unsupported,
                "a comparison has no truth value here",
                "for `a <= b <= c` and `and` in `where` return a list of comparisons",
            ))
        })
    }

    fn __repr__(&self) -> String {
        let (expr, bounds) = self.parts.clone();
        let constraint = Constraint { expr, bounds };
        let names = variable_names(&self.domain);
        let text = print_constraint(&constraint, &names, Style::Plain);
        if self.is_negated { format!("not {text}") } else { text }
    }
}

impl Condition {
    fn no_number(&self) -> PyErr {
        let message = format!("`{}` has no number while the map is made", self.__repr__());
        hinted(
            ErrorKind::Unsupported,
            message,
            "a map has no lookups, and no loops over its variables",
        )
    }
}
