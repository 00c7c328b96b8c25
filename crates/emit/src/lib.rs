//! Maps as code in the language of a kernel, a script, a compiler or a paper.
//!
//! Law: at every point of the domain, the code gives the results of the map; a second function says whether a point is in the
//! domain. A map that a language cannot say is an error, never something else. Rounding, width and names are taken care of
//! as the head of each language's file says.
//!
//! Arguments come in the order of the variables: dimensions, range variables, runtime variables, parameters.

mod c;
mod function;
mod isl;
mod latex;
mod mlir;
mod names;
mod plan;
mod python;
mod triton;
mod values;
mod write;

pub use function::Emitted;
pub use values::bits;

use affinor::expr::IndexingMap;
use affinor::text::Error;

/// A language in which maps can be written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    /// Python.
    Python,
    /// C.
    C,
    /// CUDA, for host and device.
    Cuda,
    /// Triton.
    Triton,
    /// MLIR: attributes where these suffice, else functions.
    Mlir,
    /// LaTeX.
    Latex,
    /// isl.
    Isl,
}

impl Language {
    /// All languages, in the order of the help.
    pub const ALL: [Language; 7] = [
        Language::Python,
        Language::C,
        Language::Cuda,
        Language::Triton,
        Language::Mlir,
        Language::Latex,
        Language::Isl,
    ];

    /// The word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Language::Python => "python",
            Language::C => "c",
            Language::Cuda => "cuda",
            Language::Triton => "triton",
            Language::Mlir => "mlir",
            Language::Latex => "latex",
            Language::Isl => "isl",
        }
    }

    /// Writes `map` as a function called `name`, or as near to it as the language reserves no word.
    ///
    /// # Errors
    /// If the language cannot express the map, or a value may need more bits than it has.
    pub fn emit(self, map: &IndexingMap, name: &str) -> Result<Emitted, Error> {
        match self {
            Language::Python => python::python(map, name),
            Language::C => c::c(map, name),
            Language::Cuda => c::cuda(map, name),
            Language::Triton => triton::triton(map, name),
            Language::Mlir => mlir::mlir(map, name),
            Language::Latex => latex::latex(map, name),
            Language::Isl => isl::isl(map, name),
        }
    }
}
