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
mod powers;
mod python;
mod triton;
mod values;
mod write;

pub use function::Emitted;
pub use values::bits;

use affinor::expr::IndexingMap;
use affinor::text::Error;

/// One row for each language: its name in Rust, its word, the ending of its files, and the function that writes it.
macro_rules! languages {
    ($($(#[$doc:meta])* $name:ident: $word:literal, $ending:literal, $write:path;)*) => {
        /// A language in which maps can be written.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Language {
            $($(#[$doc])* $name,)*
        }

        impl Language {
            /// All languages, in the order of the help.
            pub const ALL: [Language; [$($word),*].len()] = [$(Language::$name),*];

            /// The word for it.
            #[must_use]
            pub fn word(self) -> &'static str {
                match self {
                    $(Language::$name => $word,)*
                }
            }

            /// The ending of a file for it, which no variable of code has: `cpp` for C, as `a > b.c` compares.
            #[must_use]
            pub fn ending(self) -> &'static str {
                match self {
                    $(Language::$name => $ending,)*
                }
            }

            /// Writes `map` as a function called `name`, or as near to it as the language reserves no word.
            ///
            /// # Errors
            /// If the language cannot express the map, or a value may need more bits than it has.
            pub fn emit(self, map: &IndexingMap, name: &str) -> Result<Emitted, Error> {
                match self {
                    $(Language::$name => $write(map, name),)*
                }
            }
        }
    };
}

languages! {
    /// Python.
    Python: "python", "py", python::python;
    /// C.
    C: "c", "cpp", c::c;
    /// CUDA, for host and device.
    Cuda: "cuda", "cu", c::cuda;
    /// Triton.
    Triton: "triton", "py", triton::triton;
    /// MLIR: attributes where these suffice, else functions.
    Mlir: "mlir", "mlir", mlir::mlir;
    /// LaTeX.
    Latex: "latex", "tex", latex::latex;
    /// isl.
    Isl: "isl", "isl", isl::isl;
}

impl Language {
    /// The words of all languages as a sentence of the help has them; a test compares it with the rows.
    pub const CHOICES: &str = "python (default), c, cuda, triton, mlir, latex or isl";
}
