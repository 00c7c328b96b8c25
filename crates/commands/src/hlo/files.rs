//! The modules given to a command: files, and the modules in directories.
//!
//! In a directory, as `--xla_dump_to` writes it, the modules are the files that begin with `HloModule`. They are in the order of
//! the passes: by module, and for each module first the text before optimization, then the texts between passes by their numbers,
//! then the text after optimization.

use crate::failure::Failure;
use crate::output::clipped;
use crate::table::Call;
use crate::text_file::TextFile;
use affinor::text::{Error, ErrorKind};
use affinor_hlo::is_mlir;

/// A file to read.
pub(crate) struct ModuleFile {
    pub(crate) path: String,
    /// The number of the argument that names the file, or the directory that contains it.
    argument: usize,
    is_listed: bool,
}

/// Returns the files of the arguments, in order.
///
/// # Errors
/// [`ErrorKind::File`].
pub(crate) fn files(call: &mut Call<'_>) -> Result<Vec<ModuleFile>, Failure> {
    call.argument(0)?;
    let mut files = Vec::new();
    for (argument, path) in call.arguments.positional.iter().enumerate() {
        // A path that cannot be listed is read as a file, whose error states the problem.
        let Ok(Some(names)) = call.host.files_in(&path.text) else {
            files.push(ModuleFile { path: path.text.clone(), argument, is_listed: false });
            continue;
        };
        let directory = path.text.trim_end_matches('/');
        files.extend(module_names(names).into_iter().map(|name| ModuleFile {
            path: format!("{directory}/{name}"),
            argument,
            is_listed: true,
        }));
    }
    Ok(files)
}

impl ModuleFile {
    /// Returns whether both come from the same argument and are dumps of the same module.
    pub(crate) fn is_of_module_of(&self, other: &ModuleFile) -> bool {
        let module = |file: &ModuleFile| {
            let (before, number, ..) = order(file.name());
            (before, number)
        };
        self.argument == other.argument && module(self) == module(other)
    }

    /// Returns the last part of its path.
    pub(crate) fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    /// Returns whether it was found in a directory.
    pub(crate) fn is_listed(&self) -> bool {
        self.is_listed
    }

    /// Reads it; `None` for a file in a directory that is not a module.
    ///
    /// # Errors
    /// [`ErrorKind::File`], [`ErrorKind::TooLarge`].
    pub(crate) fn read(&self, call: &mut Call<'_>) -> Result<Option<TextFile>, Failure> {
        let argument = &call.arguments.positional[self.argument];
        let file = TextFile::open(call, &self.path).map_err(|error| argument.blame(error))?;
        Ok((!self.is_listed || is_module(&file.bytes)).then_some(file))
    }
}

/// Returns the error for directories that contain no module.
pub(crate) fn no_module(call: &Call<'_>) -> Failure {
    let path = &call.arguments.positional[0];
    let message = format!("there is no HLO module in `{}`", clipped(&path.text));
    let error = Error::without_span(ErrorKind::File, message);
    path.blame(
        error.hint("dump modules as text: XLA_FLAGS=\"--xla_dump_to=DIR --xla_dump_hlo_as_text\""),
    )
}

/// Returns the names that may be names of modules, in the order of the passes.
pub(super) fn module_names(mut names: Vec<String>) -> Vec<String> {
    names.retain(|name| may_be_module(name));
    names.sort_by_cached_key(|name| order(name));
    names
}

fn may_be_module(name: &str) -> bool {
    let name = name.strip_suffix(".gz").unwrap_or(name);
    [".txt", ".hlo", ".mlir"].iter().any(|ending| name.ends_with(ending))
}

/// Returns whether the first word after comments is `HloModule`, or the text is a module of MLIR.
pub(super) fn is_module(bytes: &[u8]) -> bool {
    let mut rest = bytes.trim_ascii_start();
    while rest.starts_with(b"//") {
        let end = rest.iter().position(|byte| *byte == b'\n');
        rest = rest[end.unwrap_or(rest.len())..].trim_ascii_start();
    }
    rest.starts_with(b"HloModule") || is_mlir_module(rest)
}

/// Returns whether the text is MLIR with the ops of HLO. Dumps have modules of other dialects, too.
fn is_mlir_module(bytes: &[u8]) -> bool {
    // A module names its ops early.
    const HEAD: usize = 1 << 16;
    let head = String::from_utf8_lossy(bytes.get(..HEAD).unwrap_or(bytes));
    is_mlir(&head) && ["stablehlo.", "mhlo.", "chlo."].iter().any(|name| head.contains(name))
}

/// The text before the module's number, that number, the stage, the number of the pass, and the name.
type Order = (String, u64, u8, u64, String);

/// Returns the sort key of a name: `1700.module_0002.jit_f.0013.fusion.after_x.before_y.txt` comes after
/// `1700.module_0002.jit_f.before_optimizations.txt`.
fn order(name: &str) -> Order {
    let number = |text: &str| text.parse::<u64>().ok();
    let (before, module, rest) = name
        .split_once("module_")
        .and_then(|(before, rest)| {
            let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            Some((before, number(&rest[..end])?, &rest[end..]))
        })
        .unwrap_or(("", u64::MAX, name));
    // The name of the module is one or more segments; a pass has at least four digits. Other files may begin or end with any
    // number.
    let pass = rest.split('.').find_map(|segment| number(segment).filter(|_| segment.len() >= 4));
    let pass = pass.or_else(|| (module == u64::MAX).then(|| number_of_file(name)).flatten());
    let stage = match pass {
        Some(_) => 1,
        None if rest.contains("before_optimizations") => 0,
        None if rest.contains("after_optimizations") => 3,
        None => 2,
    };
    (before.to_owned(), module, stage, pass.unwrap_or(0), name.to_owned())
}

/// Returns the number at the beginning of a name, or at the end of the part before its first dot: of `2.hlo`, `02_dce.txt` and
/// `pass2.hlo`.
fn number_of_file(name: &str) -> Option<u64> {
    let stem = name.split('.').next()?;
    let is_digit = |c: char| c.is_ascii_digit();
    let first = stem.strip_suffix(stem.trim_start_matches(is_digit))?;
    let last = stem.strip_prefix(stem.trim_end_matches(is_digit))?;
    [first, last].into_iter().find_map(|digits| digits.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_files_are_in_the_order_of_their_numbers() {
        for names in [
            ["1.hlo", "2.hlo", "10.hlo"],
            ["0_a.txt", "9_c.txt", "010_b.txt.gz"],
            ["pass2.hlo", "pass9.mlir", "pass10.hlo"],
            ["0001.a.hlo", "0002.hlo", "0010.b.hlo"],
        ] {
            for turned in 0..names.len() {
                let mut sorted = names.map(str::to_owned).to_vec();
                sorted.rotate_left(turned);
                assert_eq!(module_names(sorted), names);
            }
        }
        for (name, number) in
            [("a.hlo", None), ("é.hlo", None), ("7é.hlo", Some(7)), (".hlo", None)]
        {
            assert_eq!(number_of_file(name), number, "{name}");
        }
    }

    #[test]
    fn modules_are_in_the_order_of_passes() {
        let names = [
            "module_0000.jit_a.before_optimizations.txt",
            "module_0000.jit_a.cpu_after_optimizations.txt",
            "module_0002.jit_f.before_optimizations.txt",
            "module_0002.jit_f.0000.simplification.after_pipeline-start.before_dce.txt",
            "module_0002.jit_f.0002.simplification.after_dce.before_pipeline-end.txt",
            "module_0002.jit_f.0010.fusion.after_x.before_y.txt.gz",
            "module_0002.jit_f.10000.fusion.after_y.before_z.txt",
            "module_0002.jit_f.sm_8.0_gpu_after_optimizations.txt",
            "module_0010.jit_g.v2.before_optimizations.txt",
            "module_0010.jit_g.v2.0001.a.txt",
            "a.hlo",
            "b.txt",
        ];
        for turned in 0..names.len() {
            let mut sorted = names.to_vec();
            sorted.rotate_left(turned);
            sorted.sort_by_cached_key(|name| order(name));
            assert_eq!(sorted, names);
        }
        assert!(order("1700.module_0001.a.txt") < order("1701.module_0000.a.txt"));
    }

    #[test]
    fn files_that_may_be_modules() {
        for (name, may_be) in [
            ("a.txt", true),
            ("a.hlo.gz", true),
            ("a.mlir", true),
            ("a.ll", false),
            ("a.gz", false),
            ("a.hlo.pb", false),
        ] {
            assert_eq!(may_be_module(name), may_be, "{name}");
        }
        for (text, is) in [
            ("HloModule m", true),
            ("// a\n\n // b\nHloModule m", true),
            ("// HloModule", false),
            ("// a\nmodule @jit_f {\n  func.func @main() {\n    %c = stablehlo.constant", true),
            ("module {\n  func.func @main(%a: memref<4xf32>) {\n", false),
            ("BufferAssignment:", false),
            ("", false),
        ] {
            assert_eq!(is_module(text.as_bytes()), is, "{text}");
        }
    }
}
