//! The values of code, found by running it: Python and Triton in one process of python3, C in one program compiled with gcc,
//! CUDA in one compiled with g++, each for all pieces of a test.
//!
//! A program reads lines `number count values..` and writes a line with the results at each of the `count` points; `!` where
//! the code has no value: a division by zero, or an overflow of a signed integer, which UBSan detects. Types are as written:
//! `int`, unless a declaration or a cast says otherwise, and `threadIdx.x` is unsigned.

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

const PYTHON: &str = include_str!("stand_in.py");
pub const STAND_IN_C: &str = include_str!("stand_in.h");

/// The program that runs a piece.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Runner {
    Python,
    C,
    Cpp,
}

/// Code to run: values are assigned to `names` in this order.
#[derive(Clone, Debug)]
pub struct Source {
    pub names: Vec<String>,
    pub statements: Vec<String>,
    pub results: Vec<String>,
}

/// The results at a point; `None` if the code has no value there.
pub type Values = Option<Vec<i64>>;

/// A collector of code, which then runs it.
pub struct Judge {
    runner: Runner,
    name: String,
    sources: Vec<Source>,
    running: Option<Running>,
}

struct Running {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Judge {
    /// Creates a judge; `name` is the stem of the files that are written.
    pub fn new(runner: Runner, name: &str) -> Judge {
        Judge { runner, name: name.to_owned(), sources: Vec::new(), running: None }
    }

    /// Adds code, and returns its number.
    pub fn add(&mut self, source: Source) -> usize {
        assert!(self.running.is_none(), "it runs already");
        self.sources.push(source);
        self.sources.len() - 1
    }

    /// Returns the results of the code at these points.
    pub fn values(&mut self, number: usize, points: &[Vec<i64>]) -> Vec<Values> {
        let mut line = format!("{number} {}", points.len());
        for value in points.iter().flatten() {
            let _ = write!(line, " {value}");
        }
        line.push('\n');
        let running = match &mut self.running {
            Some(running) => running,
            none => none.insert(start(self.runner, &self.name, &self.sources)),
        };
        running.input.write_all(line.as_bytes()).expect("it reads");
        running.input.flush().expect("it reads");
        let mut answer = String::new();
        running.output.read_line(&mut answer).expect("it writes");
        let answers = answer.trim_end().trim_end_matches(';').split(';');
        let read = |text: &str| match text.trim() {
            "!" => None,
            text => Some(text.split(' ').map(|word| word.parse().expect("an integer")).collect()),
        };
        let values: Vec<Values> = match points.is_empty() {
            true => Vec::new(),
            false => answers.map(read).collect(),
        };
        let code = &self.sources[number];
        assert_eq!(values.len(), points.len(), "{code:?} {answer}");
        values
    }
}

impl Drop for Judge {
    fn drop(&mut self) {
        if let Some(Running { mut child, input, .. }) = self.running.take() {
            drop(input);
            let _ = child.wait();
        }
    }
}

pub fn folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("code");
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

fn start(runner: Runner, name: &str, sources: &[Source]) -> Running {
    let (extension, text) = match runner {
        Runner::Python => ("py", python(sources)),
        Runner::C => ("c", c(sources)),
        Runner::Cpp => ("cc", c(sources)),
    };
    let file = folder().join(format!("{name}.{extension}"));
    std::fs::write(&file, text).expect("the source is written");
    let mut command = match runner {
        Runner::Python => {
            let mut command = Command::new("python3");
            command.arg(&file);
            command
        }
        Runner::C => Command::new(compiled("gcc", "-std=gnu11", &file)),
        Runner::Cpp => Command::new(compiled("g++", "-std=gnu++17", &file)),
    };
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    Running {
        input: child.stdin.take().expect("its input"),
        output: BufReader::new(child.stdout.take().expect("its output")),
        child,
    }
}

/// Compiles a file, with checks that call the functions of `stand_in.h`, and returns the program.
pub fn compiled(compiler: &str, standard: &str, file: &Path) -> PathBuf {
    let (object, program) = (file.with_extension("o"), file.with_extension("program"));
    let checks = "-fsanitize=signed-integer-overflow,integer-divide-by-zero,shift-exponent";
    let steps = [vec![standard, "-O0", "-w", checks, "-c", "-o"], vec!["-o"]];
    for (step, (output, input)) in
        steps.into_iter().zip([(&object, file), (&program, object.as_path())])
    {
        let mut command = Command::new(compiler);
        let command = command.args(step).arg(output).arg(input);
        let status = command.status();
        let status = status.unwrap_or_else(|error| panic!("{command:?}: {error}"));
        assert!(status.success(), "{command:?}: {status}");
    }
    program
}

fn python(sources: &[Source]) -> String {
    let mut text = PYTHON.to_owned();
    for (number, source) in sources.iter().enumerate() {
        let _ = writeln!(text, "\ndef f{number}(values):");
        for (place, name) in source.names.iter().enumerate() {
            let _ = match name.split_once("(") {
                Some(_) => writeln!(text, "    given[{name:?}] = values[{place}]"),
                None => writeln!(text, "    {name} = values[{place}]"),
            };
        }
        for statement in &source.statements {
            let _ = writeln!(text, "    {statement}");
        }
        let _ = writeln!(text, "    return ({},)", source.results.join(", "));
    }
    let _ = writeln!(text, "\nrun(globals(), {})", lengths(sources));
    text
}

fn lengths(sources: &[Source]) -> String {
    let lengths = sources.iter().map(|source| source.names.len().to_string());
    format!("[{}]", lengths.collect::<Vec<_>>().join(", "))
}

fn c(sources: &[Source]) -> String {
    let mut text = STAND_IN_C.to_owned();
    for (number, source) in sources.iter().enumerate() {
        let _ = writeln!(text, "static int f{number}(const long long *values, long long *out) {{");
        for (place, name) in source.names.iter().enumerate() {
            let _ = match name.split_once('.') {
                Some((object, part)) => {
                    // The first component of an object declares it.
                    let first = source
                        .names
                        .iter()
                        .position(|other| other.starts_with(&format!("{object}.")));
                    if first == Some(place) {
                        let _ = writeln!(text, "  struct three {object};");
                    }
                    writeln!(text, "  {object}.{part} = values[{place}];")
                }
                None => writeln!(text, "  int {name} = values[{place}];"),
            };
        }
        for statement in &source.statements {
            let _ = writeln!(text, "  {statement}");
        }
        for (place, result) in source.results.iter().enumerate() {
            let _ = writeln!(text, "  out[{place}] = OUT({result});");
        }
        let _ = writeln!(text, "  return {};\n}}", source.results.len());
    }
    let names = (0..sources.len()).map(|number| format!("f{number}"));
    let names = names.collect::<Vec<_>>().join(", ");
    let lengths = lengths(sources).replace(['[', ']'], "");
    let _ = writeln!(
        text,
        "static function functions[] = {{{names}}};\nstatic const int lengths[] = {{{lengths}}};\n\
         int main(void) {{ return run(functions, lengths); }}"
    );
    text
}

/// Checks for each text whether a Python regular expression is found in it.
pub fn matches(cases: &[(&str, &str)]) -> Vec<bool> {
    let program = "import json, re, sys\n\
                   for pattern, text in json.load(sys.stdin):\n    \
                   print(int(re.search(pattern, text, re.M) is not None))";
    let mut command = Command::new("python3");
    let command = command.args(["-c", program]);
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("python3");
    let mut input = child.stdin.take().expect("its input");
    let text = serde_json::to_string(cases).expect("JSON");
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let output = child.wait_with_output().expect("its output");
    writer.join().expect("no panic").expect("all was read");
    let answers = String::from_utf8(output.stdout).expect("text");
    let answers: Vec<bool> = answers.lines().map(|line| line == "1").collect();
    assert_eq!(answers.len(), cases.len(), "a pattern is none");
    answers
}
