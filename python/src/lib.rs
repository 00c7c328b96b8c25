//! The Python module `affinor._affinor`: maps, layouts and modules as immutable objects, errors as exceptions, and the
//! commands of the program.
//!
//! Each answer is the library's. This crate only converts it to the forms of Python, and runs work without the interpreter's
//! lock so that Ctrl-C ends it (`work`).

mod arrays;
mod certificates;
mod code;
mod condition;
mod errors;
mod host;
mod image;
mod layout;
mod map;
mod means;
mod module;
mod numpy;
mod picture;
mod session;
mod tiles;
mod trace;
mod traced;
mod verdict;
mod work;

/// The names that `affinor/__init__.py` exports.
#[pyo3::pymodule]
mod _affinor {
    #[pymodule_export]
    use super::certificates::replay;
    #[pymodule_export]
    use super::condition::{_end_way, _start_way, Condition};
    #[pymodule_export]
    use super::layout::Layout;
    #[pymodule_export]
    use super::map::IndexMap;
    #[pymodule_export]
    use super::module::{_Module, Instruction};
    #[pymodule_export]
    use super::session::{Answer, Session};
    #[pymodule_export]
    use super::trace::Expr;
    #[pymodule_export]
    use super::traced::{_ceildiv, _maximum, _minimum, _traced, _values, _variables};
    #[pymodule_export]
    use super::verdict::Verdict;
    use pyo3::prelude::*;

    /// The version of the library.
    #[pymodule_export]
    #[allow(non_upper_case_globals, reason = "the name is Python's")]
    const __version__: &str = env!("CARGO_PKG_VERSION");

    /// Searches this directory for libz3 before other directories, unless a proof was already requested.
    #[pyfunction]
    fn _look_in(directory: std::path::PathBuf) {
        affinor_z3::look_in(directory);
    }

    /// Runs the program `affinor` with these words, the first of which is its own name; returns its exit status.
    #[pyfunction]
    fn _run_program(py: Python<'_>, words: Vec<std::ffi::OsString>) -> u8 {
        py.detach(|| affinor_repl::run_program(words))
    }
}
