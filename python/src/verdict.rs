//! Verdicts.

use crate::errors::{about, wrong};
use crate::means::budget;
use crate::work::{is_small, run, run_here};
use affinor::expr::{Domain, IndexingMap};
use affinor::prove::{self, Budget, Reason, equal_functions};
use affinor::text::{ErrorKind, variable_names};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple, PyType};

/// The parts of a verdict.
type Parts = (String, Option<Py<PyDict>>, Option<String>);

/// The answer whether two maps are equal: proved, refuted or unknown. It is true if equality was proved.
#[pyclass(frozen, weakref, module = "affinor")]
pub struct Verdict {
    /// `proved`, `refuted` or `unknown`.
    #[pyo3(get)]
    word: String,
    /// If refuted, a dict: `point` (the value of each variable), and the results of both maps there, `left` and `right`,
    /// which are None if the point is not in the domain of the map.
    #[pyo3(get)]
    counterexample: Option<Py<PyDict>>,
    /// The reason if unknown; the difference if refuted without a counterexample.
    #[pyo3(get)]
    reason: Option<String>,
}

impl Verdict {
    /// Creates a verdict without a point; if it is refuted, `reason` describes the difference.
    pub fn said(word: &str, reason: Option<String>) -> Verdict {
        Verdict { word: word.to_owned(), counterexample: None, reason }
    }

    pub fn of(py: Python<'_>, domain: &Domain, verdict: prove::Verdict) -> PyResult<Verdict> {
        let word = verdict.word().to_owned();
        let (counterexample, reason) = match verdict {
            prove::Verdict::Proved => (None, None),
            prove::Verdict::Unknown(Reason::Interrupted) => {
                return Err(PyKeyboardInterrupt::new_err(()));
            }
            prove::Verdict::Unknown(reason) => (None, Some(reason.to_string())),
            prove::Verdict::Refuted(found) => {
                let (point, dict) = (PyDict::new(py), PyDict::new(py));
                for (name, value) in variable_names(domain).iter().zip(found.point) {
                    point.set_item(&**name, value)?;
                }
                dict.set_item("point", point)?;
                for (side, values) in [("left", found.left), ("right", found.right)] {
                    let values = values.map(|values| PyTuple::new(py, values)).transpose()?;
                    dict.set_item(side, values)?;
                }
                (Some(dict.unbind()), None)
            }
        };
        Ok(Verdict { word, counterexample, reason })
    }
}

/// Whether two maps are the same function. Small ones are decided in this thread, as far as no solver is needed.
pub fn equal(py: Python<'_>, left: &IndexingMap, right: &IndexingMap) -> PyResult<Verdict> {
    let decide = |budget: &Budget| equal_functions(left, right, budget);
    let mut found = Ok(prove::Verdict::Unknown(Reason::SolverOff));
    if is_small(left) && is_small(right) {
        let without = Budget { solver_steps: 0, ..Budget::default() };
        found = run_here(py, |_| decide(&without))?;
    }
    if matches!(found, Ok(prove::Verdict::Unknown(_))) {
        found = run(py, |interrupt| decide(&budget(interrupt)))?;
    }
    Verdict::of(py, left.domain(), found.map_err(|error| about("", error))?)
}

#[pymethods]
impl Verdict {
    #[new]
    #[pyo3(signature = (word, counterexample = None, reason = None))]
    fn new(
        word: &str,
        counterexample: Option<Py<PyDict>>,
        reason: Option<String>,
    ) -> PyResult<Verdict> {
        match word {
            "proved" | "refuted" | "unknown" => {
                Ok(Verdict { word: word.to_owned(), counterexample, reason })
            }
            _ => {
                let message =
                    format!("a verdict is `proved`, `refuted` or `unknown`, not `{word}`");
                Err(wrong(ErrorKind::Name, message))
            }
        }
    }

    fn __eq__(&self, py: Python<'_>, other: &Verdict) -> PyResult<bool> {
        let same = match (&self.counterexample, &other.counterexample) {
            (Some(one), Some(other)) => one.bind(py).eq(other.bind(py))?,
            (one, other) => one.is_none() && other.is_none(),
        };
        Ok(same && self.word == other.word && self.reason == other.reason)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyType>, Parts) {
        let counterexample = self.counterexample.as_ref().map(|found| found.clone_ref(py));
        let parts = (self.word.clone(), counterexample, self.reason.clone());
        (py.get_type::<Verdict>(), parts)
    }

    fn __bool__(&self) -> bool {
        self.word == "proved"
    }

    fn __str__(&self, py: Python<'_>) -> String {
        match (&self.counterexample, &self.reason) {
            (Some(found), _) => format!("{}: {}", self.word, found.bind(py)),
            (_, Some(reason)) => format!("{}: {reason}", self.word),
            _ => self.word.to_owned(),
        }
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        format!("<Verdict {}>", self.__str__(py))
    }
}
