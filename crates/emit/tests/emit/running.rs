//! Emitted code is compiled and run, and agrees with the maps at every point.
//!
//! Code for Triton runs with blocks of one integer that wrap, and divide as C does: 32 bits unless it asks for more.

use crate::drawn::{Answer, Case, cases};
use affinor_emit::Language;
use affinor_maps::text::ErrorKind;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Emits code for the maps, at least this many; for the others a value may need more bits than the language has.
fn emitted(cases: &[Case], language: Language, least: usize) -> Vec<(usize, &Case, String)> {
    let mut codes = Vec::new();
    for (number, case) in cases.iter().enumerate() {
        match language.emit(&case.map, &format!("f{number}")) {
            Ok(emitted) => codes.push((number, case, emitted.code)),
            Err(error) => assert_eq!(error.kind, ErrorKind::Overflow, "{}: {error}", case.map),
        }
    }
    assert!(codes.len() >= least, "{language:?}: {} of {}", codes.len(), cases.len());
    codes
}

pub(crate) fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("emit-{name}"));
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// Runs a command with this input; returns its output.
pub(crate) fn output(command: &mut Command, input: String) -> String {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let mut stdin = child.stdin.take().expect("its input");
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().expect("its output");
    writer.join().expect("no panic").expect("all was read");
    assert!(output.status.success(), "{command:?}: {}", output.status);
    String::from_utf8(output.stdout).expect("text")
}

/// Writes one line for each point: the number of the map, and the coordinates.
fn questions(codes: &[(usize, &Case, String)]) -> String {
    let mut text = String::new();
    for (number, case, _) in codes {
        for (point, _) in &case.points {
            let _ = write!(text, "{number}");
            point.iter().for_each(|x| {
                let _ = write!(text, " {x}");
            });
            text.push('\n');
        }
    }
    text
}

/// Compares one line for each point: `-` outside, otherwise the values. Returns the number of points in the domain.
fn compare(codes: &[(usize, &Case, String)], answers: &str) -> usize {
    let mut lines = answers.lines();
    let mut inside = 0;
    for (_, case, code) in codes {
        for (point, answer) in &case.points {
            let line = lines.next().expect("an answer for each point");
            let found = match line {
                "-" => Answer::Outside,
                line => {
                    Answer::Values(line.split_whitespace().map(|word| word.parse().ok()).collect())
                }
            };
            let found = match (found, answer) {
                (Answer::Values(mut found), Answer::Values(values))
                    if found.len() == values.len() =>
                {
                    // If the map has no value, any value is accepted.
                    let unknown = found.iter_mut().zip(values).filter(|(_, value)| value.is_none());
                    unknown.for_each(|(found, _)| *found = None);
                    inside += 1;
                    Answer::Values(found)
                }
                (found, _) => found,
            };
            assert_eq!(&found, answer, "{} at {point:?}\n{code}", case.map);
        }
    }
    assert_eq!(lines.next(), None);
    inside
}

fn check_c(language: Language, compiler: &str, extension: &str, options: &[&str]) {
    let cases = cases();
    let codes = emitted(&cases, language, 300);
    let mut source = String::from("#include <stdio.h>\n#include <stdlib.h>\n");
    let mut switch = String::new();
    for (number, case, code) in &codes {
        source.push_str(code);
        let arguments = |more: Option<&str>| {
            let variables =
                (0..case.map.domain().variables().len()).map(|index| format!("x[{index}]"));
            variables.chain(more.map(str::to_owned)).collect::<Vec<_>>().join(", ")
        };
        let results = case.map.results().len();
        let call = match results {
            0 => String::new(),
            1 => format!("out[0] = f{number}({});", arguments(None)),
            _ => format!("f{number}({});", arguments(Some("out"))),
        };
        let _ = writeln!(
            switch,
            "    case {number}: if (!f{number}_contains({})) break; {call} count = {results}; break;",
            arguments(None)
        );
    }
    let _ = write!(
        source,
        "int main(void) {{\n  static char line[4096];\n  while (fgets(line, sizeof line, stdin)) {{\n    char *rest = line;\n    \
         long number = strtol(rest, &rest, 10);\n    int64_t x[16] = {{0}}, out[16] = {{0}};\n    int count = -1;\n    \
         for (int i = 0; i < 16; i++) x[i] = strtoll(rest, &rest, 10);\n    (void)x;\n    switch (number) {{\n{switch}    }}\n    \
         if (count < 0) printf(\"-\");\n    for (int i = 0; i < count; i++) printf(\"%lld \", (long long)out[i]);\n    \
         printf(\"\\n\");\n  }}\n  return 0;\n}}\n"
    );
    let folder = folder(language.word());
    let (file, program) = (folder.join(format!("maps.{extension}")), folder.join("maps"));
    std::fs::write(&file, source).expect("the source is written");
    let mut compile = Command::new(compiler);
    // An overflow aborts the program.
    compile.args([
        "-O1",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-Wno-unused-parameter",
        "-fsanitize=undefined",
    ]);
    compile
        .arg("-fsanitize-undefined-trap-on-error")
        .args(options)
        .arg("-o")
        .arg(&program)
        .arg(&file);
    output(&mut compile, String::new());
    let answers = output(&mut Command::new(&program), questions(&codes));
    assert!(compare(&codes, &answers) > 10_000);
}

#[test]
pub fn c_computes_the_maps() {
    check_c(Language::C, "gcc", "c", &["-std=c11"]);
}

#[test]
pub fn cuda_computes_the_maps_on_the_host() {
    check_c(Language::Cuda, "g++", "cc", &["-D__host__=", "-D__device__="]);
}

fn check_python(language: Language, head: &str, least: usize, argument: &str) {
    let cases = cases();
    let codes = emitted(&cases, language, least);
    let mut source = head.to_owned();
    codes.iter().for_each(|(_, _, code)| source.push_str(code));
    let _ = write!(
        source,
        "\nimport sys\nnames = globals()\nfor line in sys.stdin:\n    number, *point = line.split()\n    \
         point = [{argument} for x in point]\n    \
         if not names['f' + number + '_contains'](*point):\n        print('-')\n        continue\n    \
         values = names['f' + number](*point)\n    values = values if isinstance(values, tuple) else (values,)\n    \
         print(*(int(value) for value in values))\n"
    );
    let file = folder(language.word()).join("maps.py");
    std::fs::write(&file, source).expect("the source is written");
    let answers = output(Command::new("python3").arg(&file), questions(&codes));
    assert!(compare(&codes, &answers) > 10_000);
}

#[test]
pub fn python_computes_the_maps() {
    check_python(Language::Python, "", 340, "int(x)");
}

/// The behaviour of Triton's blocks of integers, for a single element.
const BLOCKS: &str = "
import types, sys
class Block:
    def __init__(self, value, bits):
        self.value, self.bits = (value + (1 << bits - 1)) % (1 << bits) - (1 << bits - 1), bits
    def __int__(self): return self.value
    def __neg__(self): return Block(-self.value, self.bits)
    def __bool__(self): raise TypeError('a block is not a condition')
def both(x, y):
    parts = [z if isinstance(z, Block) else Block(z, 32 if -2**31 <= z < 2**31 else 64) for z in (x, y)]
    return parts[0].value, parts[1].value, max(part.bits for part in parts)
def lift(f):
    def operation(x, y):
        a, b, bits = both(x, y)
        return Block(f(a, b), bits)
    return operation
def quotient(a, b):
    q = abs(a) // abs(b)
    return q if (a < 0) == (b < 0) else -q
for name, f in {'add': lambda a, b: a + b, 'sub': lambda a, b: a - b, 'mul': lambda a, b: a * b,
                'floordiv': quotient, 'mod': lambda a, b: a - b * quotient(a, b)}.items():
    setattr(Block, f'__{name}__', lift(f))
    setattr(Block, f'__r{name}__', lambda x, y, f=f: lift(f)(y, x))
for name, f in {'lt': lambda a, b: a < b, 'gt': lambda a, b: a > b, 'le': lambda a, b: a <= b, 'ge': lambda a, b: a >= b,
                'eq': lambda a, b: a == b}.items():
    setattr(Block, f'__{name}__', lambda x, y, f=f: f(*both(x, y)[:2]))
tl = types.ModuleType('triton.language')
tl.minimum, tl.maximum = lift(min), lift(max)
def where(condition, x, y):
    a, b, bits = both(x, y)
    return Block(a if condition else b, bits)
tl.where = where
tl.int64 = 64
tl.cast = lambda x, bits: Block(int(x), bits)
triton = types.ModuleType('triton')
triton.jit, triton.language = lambda f: f, tl
sys.modules['triton'], sys.modules['triton.language'] = triton, tl
";

#[test]
pub fn triton_computes_the_maps_with_blocks_that_wrap() {
    check_python(
        Language::Triton,
        BLOCKS,
        240,
        "Block(int(x), 32 if -2**31 <= int(x) < 2**31 else 64)",
    );
}
