//! The values of a Python function that is traced to a map: it is called with these as its arguments, and their operators
//! build the map.
//!
//! Law: the map has the values that the function would return for integers. Operations that no map can express (a float, a
//! lookup) are an error at the operator, so that Python's traceback names its line. Branches are followed by `condition`.

use crate::condition::Condition;
use crate::errors::{about, failed, wrong};
use crate::numpy::{array_function, ufunc};
use affinor::expr::{self, Domain, End, ExprError, bounded};
use affinor::num::{Interval, MINUS_INFINITY, PLUS_INFINITY};
use affinor::text::{Error, ErrorKind, Style, print_expr, variable_names};
use affinor_code::bits::{self, Bits, NoBits};
use pyo3::basic::CompareOp;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFloat, PyInt, PyTuple};
use std::sync::Arc;

/// A value in a function of `IndexMap.of`: an expression over its variables. It has the operators of integers.
///
/// >>> IndexMap.of(lambda i: (i * 4 + 1) // 8 - i % 2, i=16)
/// IndexMap('(i) -> ((i * 4 + 1) floordiv 8 - i mod 2), domain: i in [0, 15]')
#[pyclass(frozen, module = "affinor")]
#[derive(Clone)]
pub struct Expr {
    pub(crate) expr: expr::Expr,
    pub(crate) domain: Arc<Domain>,
}

pub(crate) fn hinted(kind: ErrorKind, message: impl Into<String>, hint: &str) -> PyErr {
    about("", Error::without_span(kind, message).hint(hint))
}

/// Converts a bound of a variable, or an integer in a function.
fn integer(value: &Bound<'_, PyAny>) -> PyResult<i64> {
    let fits = |error: PyErr| match value.cast::<PyInt>() {
        Ok(_) => wrong(ErrorKind::Overflow, format!("the integer {value} does not fit in 64 bits")),
        Err(_) => error,
    };
    value.extract::<i64>().map_err(fits)
}

/// Returns the interval with these ends, both inclusive; None is an infinite end.
pub fn interval(lo: &Bound<'_, PyAny>, hi: &Bound<'_, PyAny>) -> PyResult<Interval> {
    let end = |end: &Bound<'_, PyAny>, infinity| match end.is_none() {
        true => Ok(infinity),
        false => integer(end),
    };
    Ok(Interval::new(end(lo, MINUS_INFINITY)?, end(hi, PLUS_INFINITY)?))
}

/// The maximum number of factors of a power.
const MOST_FACTORS: u32 = 16;

/// An operation on the bits of two values.
type Bitwise = fn(&Bits, &Bits) -> Result<expr::Expr, NoBits>;

/// A division as Python rounds it; a remainder has the sign of its divisor.
#[derive(Clone, Copy)]
pub(crate) enum Division {
    Down,
    Up,
    Rest,
}

/// Builds an expression from two expressions.
type Build = fn(&expr::Expr, &expr::Expr) -> Result<expr::Expr, ExprError>;

impl Expr {
    pub(crate) fn with(&self, built: Result<expr::Expr, ExprError>) -> PyResult<Expr> {
        Ok(Expr { expr: built.map_err(failed)?, domain: self.domain.clone() })
    }

    pub(crate) fn text(&self, expr: &expr::Expr) -> String {
        print_expr(expr, &variable_names(&self.domain), Style::Plain)
    }

    /// Converts the other operand of an operator.
    pub(crate) fn operand(&self, other: &Bound<'_, PyAny>) -> PyResult<expr::Expr> {
        if let Ok(other) = other.cast::<Expr>() {
            let other = other.get();
            return match Arc::ptr_eq(&self.domain, &other.domain) {
                true => Ok(other.expr.clone()),
                false => Err(wrong(
                    ErrorKind::Name,
                    format!("`{}` is a value of another map", other.text(&other.expr)),
                )),
            };
        }
        if let Ok(condition) = other.cast::<Condition>() {
            let number = Bound::new(other.py(), condition.get().number()?)?;
            return self.operand(number.as_any());
        }
        if other.cast::<PyFloat>().is_ok() {
            let message = format!("a map has integers only, not {other}");
            let hint = "write `//` for the quotient rounded down";
            return Err(hinted(ErrorKind::Unsupported, message, hint));
        }
        let index = match other.hasattr("__index__")? {
            true => other.call_method0("__index__").ok(),
            false => None,
        };
        let Some(index) = index else {
            let kind = other.get_type().name()?;
            let message = format!("a map has integers only, no {kind}");
            return Err(wrong(ErrorKind::Unsupported, message));
        };
        Ok(expr::Expr::constant(integer(&index)?))
    }

    fn build(&self, other: &Bound<'_, PyAny>, build: Build) -> PyResult<Expr> {
        self.with(build(&self.expr, &self.operand(other)?))
    }

    fn reversed(&self, other: &Bound<'_, PyAny>, build: Build) -> PyResult<Expr> {
        self.with(build(&self.operand(other)?, &self.expr))
    }

    fn times(&self, other: &Bound<'_, PyAny>) -> PyResult<Expr> {
        self.with(self.expr.times(&self.operand(other)?))
    }

    /// Applies a quotient or a remainder; `Division` has the signs for a negative divisor. A divisor that is not a constant
    /// is positive: this is checked when the map is complete.
    pub(crate) fn divide(
        &self,
        lhs: &expr::Expr,
        rhs: &expr::Expr,
        division: Division,
    ) -> PyResult<Expr> {
        let (build, is_remainder) = match division {
            Division::Down => (expr::Expr::floordiv_by as Build, false),
            Division::Up => (expr::Expr::ceildiv_by as Build, false),
            Division::Rest => (expr::Expr::modulo_by as Build, true),
        };
        match rhs.as_constant() {
            Some(..=-1) => {
                let (lhs, rhs) = (lhs.scale(-1).map_err(failed)?, rhs.scale(-1).map_err(failed)?);
                let built = build(&lhs, &rhs).map_err(failed)?;
                self.with(built.scale(if is_remainder { -1 } else { 1 }))
            }
            _ => self.with(build(lhs, rhs)),
        }
    }

    /// Applies an operation on the bits of two values, expressed as sums of quotients and remainders.
    fn bitwise(&self, x: &expr::Expr, y: &expr::Expr, operation: Bitwise) -> PyResult<Expr> {
        let range = |expr: &expr::Expr| self.domain.range_of(expr);
        let bits = |value| Bits { value, range: &range };
        let built = operation(&bits(x), &bits(y)).map_err(|error| match error {
            NoBits::Expr(error) => failed(error),
            NoBits::Unbounded => {
                let (x, y) = (self.text(x), self.text(y));
                let message = format!(
                    "neither `{x}` nor `{y}` is known to be nonnegative and to have at most 62 bits, and not both are bounded"
                );
                let hint = "give one of them bounds, as in `i=(0, 8)`";
                hinted(ErrorKind::Unsupported, message, hint)
            }
        });
        self.with(Ok(built?))
    }

    /// Returns 2 to the power of a number of bits.
    fn power(&self, bits: &Bound<'_, PyAny>) -> PyResult<i64> {
        let bits = self.operand(bits)?.as_constant();
        let power = bits.and_then(|bits| 1_i64.checked_shl(u32::try_from(bits).ok()?));
        power.filter(|power| *power > 0).ok_or_else(|| {
            let message = "a map shifts by 0 to 62 bits";
            hinted(ErrorKind::Unsupported, message, "the number is a constant")
        })
    }

    pub(crate) fn compared(&self, other: &Bound<'_, PyAny>, op: CompareOp) -> PyResult<Condition> {
        let other = self.operand(other)?;
        let one = expr::Expr::constant(1);
        let compare = |end, bound: &expr::Expr| bounded(&self.expr, end, bound).map_err(failed);
        let parts = match op {
            CompareOp::Le => compare(End::Upper, &other)?,
            CompareOp::Ge => compare(End::Lower, &other)?,
            CompareOp::Lt => compare(End::Upper, &other.sub(&one).map_err(failed)?)?,
            CompareOp::Gt => compare(End::Lower, &other.add(&one).map_err(failed)?)?,
            CompareOp::Eq | CompareOp::Ne => {
                let (expr, lower) = compare(End::Lower, &other)?;
                (expr, lower.intersect(compare(End::Upper, &other)?.1))
            }
        };
        let domain = self.domain.clone();
        Ok(Condition { parts, is_negated: matches!(op, CompareOp::Ne), domain })
    }

    pub(crate) fn scaled(&self, factor: i64) -> PyResult<Expr> {
        self.with(self.expr.scale(factor))
    }

    pub(crate) fn power_of(
        &self,
        exponent: &Bound<'_, PyAny>,
        modulus: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Expr> {
        let factors = self.operand(exponent)?.as_constant();
        let factors = factors.and_then(|factors| u32::try_from(factors).ok());
        let Some(factors) = factors.filter(|factors| *factors <= MOST_FACTORS) else {
            return Err(hinted(
                ErrorKind::Unsupported,
                format!("a map has no power with the exponent `{exponent}`"),
                &format!(
                    "an exponent is an integer from 0 to {MOST_FACTORS}; `1 << i` is not a map"
                ),
            ));
        };
        let mut power = expr::Expr::constant(1);
        for _ in 0..factors {
            power = power.times(&self.expr).map_err(failed)?;
        }
        let power = self.with(Ok(power))?;
        modulus.map_or(Ok(power.clone()), |modulus| power.__mod__(modulus))
    }

    pub(crate) fn as_exponent(
        &self,
        base: &Bound<'_, PyAny>,
        _modulus: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Expr> {
        let base = self.text(&self.operand(base)?);
        Err(hinted(
            ErrorKind::Unsupported,
            format!("a map has no power of {base} with the exponent `{}`", self.text(&self.expr)),
            "the exponent is a constant",
        ))
    }

    pub(crate) fn rounded(&self, digits: i64) -> PyResult<Expr> {
        match digits {
            0.. => Ok(self.clone()),
            _ => Err(self.no_value("digits", "write `//` and `*`")),
        }
    }

    fn no_value(&self, what: &str, hint: &str) -> PyErr {
        let message = format!("`{}` has no {what} while the map is made", self.text(&self.expr));
        hinted(ErrorKind::Unsupported, message, hint)
    }
}

#[pymethods]
impl Expr {
    fn __add__(&self, other: &Bound<'_, PyAny>) -> PyResult<Expr> {
        self.build(other, expr::Expr::add)
    }

    fn __radd__(&self, other: &Bound<'_, PyAny>) -> PyResult<Expr> {
        self.reversed(other, expr::Expr::add)
    }

    fn __sub__(&self, other: &Bound<'_, PyAny>) -> PyResult<Expr> {
        self.build(other, expr::Expr::sub)
    }

    fn __rsub__(&self, other: &Bound<'_, PyAny>) -> PyResult<Expr> {
        self.reversed(other, expr::Expr::sub)
    }

    fn __mul__(&self, other: &Bound<'_, PyAny>) -> PyResult<Expr> {
        self.times(other)
    }

    fn __rmul__(&self, other: &Bound<'_, PyAny>) -> PyResult<Expr> {
        self.times(other)
    }

    fn __floordiv__(&self, other: &Bound<'_, PyAny>) -> PyResult<Expr> {
        self.divide(&self.expr, &self.operand(other)?, Division::Down)
    }

    fn __rfloordiv__(&self, other: &Bound<'_, PyAny>) -> PyResult<Expr> {
        self.divide(&self.operand(other)?, &self.expr, Division::Down)
    }

    fn __mod__(&self, other: &Bound<'_, PyAny>) -> PyResult<Expr> {
        self.divide(&self.expr, &self.operand(other)?, Division::Rest)
    }

    fn __rmod__(&self, other: &Bound<'_, PyAny>) -> PyResult<Expr> {
        self.divide(&self.operand(other)?, &self.expr, Division::Rest)
    }

    fn __divmod__(&self, other: &Bound<'_, PyAny>) -> PyResult<(Expr, Expr)> {
        Ok((self.__floordiv__(other)?, self.__mod__(other)?))
    }

    fn __truediv__(&self, _other: &Bound<'_, PyAny>) -> PyResult<Expr> {
        Err(self.no_value("fraction", "write `//` for the quotient rounded down"))
    }

    fn __rtruediv__(&self, other: &Bound<'_, PyAny>) -> PyResult<Expr> {
        self.__truediv__(other)
    }

    fn __lshift__(&self, bits: &Bound<'_, PyAny>) -> PyResult<Expr> {
        self.with(self.expr.scale(self.power(bits)?))
    }

    fn __rshift__(&self, bits: &Bound<'_, PyAny>) -> PyResult<Expr> {
        self.with(self.expr.floordiv(self.power(bits)?))
    }

    fn __and__(&self, other: &Bound<'_, PyAny>) -> PyResult<Expr> {
        self.bitwise(&self.expr, &self.operand(other)?, bits::and)
    }

    fn __rand__(&self, other: &Bound<'_, PyAny>) -> PyResult<Expr> {
        self.bitwise(&self.operand(other)?, &self.expr, bits::and)
    }

    fn __or__(&self, other: &Bound<'_, PyAny>) -> PyResult<Expr> {
        self.bitwise(&self.expr, &self.operand(other)?, bits::or)
    }

    fn __ror__(&self, other: &Bound<'_, PyAny>) -> PyResult<Expr> {
        self.bitwise(&self.operand(other)?, &self.expr, bits::or)
    }

    fn __xor__(&self, other: &Bound<'_, PyAny>) -> PyResult<Expr> {
        self.bitwise(&self.expr, &self.operand(other)?, bits::xor)
    }

    fn __rxor__(&self, other: &Bound<'_, PyAny>) -> PyResult<Expr> {
        self.bitwise(&self.operand(other)?, &self.expr, bits::xor)
    }

    /// Returns `-x - 1`, the complement in two's complement of any width.
    fn __invert__(&self) -> PyResult<Expr> {
        self.with(expr::Expr::constant(-1).sub(&self.expr))
    }

    fn __pow__(
        &self,
        exponent: &Bound<'_, PyAny>,
        modulus: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Expr> {
        self.power_of(exponent, modulus)
    }

    fn __rpow__(
        &self,
        base: &Bound<'_, PyAny>,
        modulus: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Expr> {
        self.as_exponent(base, modulus)
    }

    fn __neg__(&self) -> PyResult<Expr> {
        self.with(self.expr.scale(-1))
    }

    fn __pos__(&self) -> PyResult<Expr> {
        self.with(Ok(self.expr.clone()))
    }

    fn __abs__(&self) -> PyResult<Expr> {
        let negated = self.expr.scale(-1).map_err(failed)?;
        self.with(expr::Expr::max([self.expr.clone(), negated]))
    }

    fn __richcmp__(&self, other: &Bound<'_, PyAny>, op: CompareOp) -> PyResult<Condition> {
        self.compared(other, op)
    }

    /// Decides whether the value is not 0.
    fn __bool__(&self, py: Python<'_>) -> PyResult<bool> {
        let zero = 0_i64.into_pyobject(py)?.into_any();
        Bound::new(py, self.compared(&zero, CompareOp::Ne)?)?.is_truthy()
    }

    fn __index__(&self) -> PyResult<i64> {
        Err(self.no_value("number", "a map has no lookups, and no loops over its variables"))
    }

    fn __float__(&self) -> PyResult<f64> {
        Err(self.no_value("number", "a map has integers only"))
    }

    fn __rlshift__(&self, _number: &Bound<'_, PyAny>) -> PyResult<Expr> {
        Err(self.no_value("constant value", "a map shifts by a constant number of bits"))
    }

    fn __rrshift__(&self, number: &Bound<'_, PyAny>) -> PyResult<Expr> {
        self.__rlshift__(number)
    }

    fn __rdivmod__(&self, other: &Bound<'_, PyAny>) -> PyResult<(Expr, Expr)> {
        Ok((self.__rfloordiv__(other)?, self.__rmod__(other)?))
    }

    fn __matmul__(&self, _other: &Bound<'_, PyAny>) -> PyResult<Expr> {
        Err(self.no_value("product of matrices", "a factor is an integer, `*` multiplies by it"))
    }

    fn __rmatmul__(&self, other: &Bound<'_, PyAny>) -> PyResult<Expr> {
        self.__matmul__(other)
    }

    /// Rounds an integer to itself, as do floor, ceil and trunc.
    #[pyo3(signature = (digits = 0))]
    fn __round__(&self, digits: i64) -> PyResult<Expr> {
        self.rounded(digits)
    }

    fn __floor__(&self) -> PyResult<Expr> {
        self.__pos__()
    }

    fn __ceil__(&self) -> PyResult<Expr> {
        self.__pos__()
    }

    fn __trunc__(&self) -> PyResult<Expr> {
        self.__pos__()
    }

    fn __hash__(&self) -> PyResult<isize> {
        Err(self.no_value("number", "a map has no lookups in sets and dicts"))
    }

    fn __getitem__(&self, _key: &Bound<'_, PyAny>) -> PyResult<Expr> {
        Err(self.no_value("elements", "it stands for one integer"))
    }

    fn __iter__(&self) -> PyResult<Py<PyAny>> {
        Err(self.no_value("elements", "it stands for one integer"))
    }

    fn __contains__(&self, _item: &Bound<'_, PyAny>) -> PyResult<bool> {
        Err(self.no_value("elements", "it stands for one integer"))
    }

    fn __len__(&self) -> PyResult<usize> {
        Err(self.no_value("length", "it stands for one integer"))
    }

    #[pyo3(signature = (*_values))]
    fn __call__(&self, _values: &Bound<'_, PyAny>) -> PyResult<Expr> {
        Err(self.no_value("call", "it stands for one integer"))
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

    fn __format__(&self, form: &str) -> PyResult<String> {
        match form {
            "" => Ok(self.__repr__()),
            _ => Err(self.no_value("number", "format it without a form")),
        }
    }

    /// Checks whether the value is known to be at least 0 at every point of the domain.
    fn _is_natural(&self) -> PyResult<bool> {
        let more = self.expr.add(&expr::Expr::constant(1)).map_err(failed)?;
        Ok(self.domain.is_positive(&more))
    }

    fn __repr__(&self) -> String {
        self.text(&self.expr)
    }
}
