//! Maps as code in the language of a kernel, a script, a compiler or a paper.
//!
//! Law: at every point of the domain, the code gives the results of the map; a second function says whether a point is in the
//! domain. A map that a language cannot express is an error, never something else. The head of each language's file describes its
//! rounding, widths and names.
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

use affinor_maps::expr::IndexingMap;
use affinor_maps::text::Error;

/// Lists words as `a (default), b or c`.
macro_rules! choices {
    ($first:literal $($rest:literal)*) => { choices!(@ [$first, " (default)"] $($rest)*) };
    (@ [$($text:literal),*] $last:literal) => { concat!($($text,)* " or ", $last) };
    (@ [$($text:literal),*] $next:literal $($rest:literal)+) => {
        choices!(@ [$($text,)* ", ", $next] $($rest)+)
    };
}

/// One row for each language: its name in Rust, its command word, the extension of its files, and the function that writes it.
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

            /// All command words, as a sentence of the help.
            pub const CHOICES: &str = choices!($($word)*);

            /// Returns its command word.
            #[must_use]
            pub fn word(self) -> &'static str {
                match self {
                    $(Language::$name => $word,)*
                }
            }

            /// Returns the extension of its files, chosen so that no variable is named like it: `cpp` for C, since `a > b.c` is a
            /// comparison.
            #[must_use]
            pub fn ending(self) -> &'static str {
                match self {
                    $(Language::$name => $ending,)*
                }
            }

            /// Writes `map` as a function called `name`, or a similar name if the language reserves that one.
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
    /// MLIR: attributes if these suffice, otherwise functions.
    Mlir: "mlir", "mlir", mlir::mlir;
    /// LaTeX.
    Latex: "latex", "tex", latex::latex;
    /// isl.
    Isl: "isl", "isl", isl::isl;
}
