//! The commands of the program: scripts in a session, and single commands about modules.
//!
//! Law: an answer is the output of the program, as text and as JSON.

use crate::errors::{about, raised, wrong};
use crate::host::{Given, Heard, Listener};
use crate::map::IndexMap;
use crate::means::python;
use crate::work::run;
use affinor::text::render::Source;
use affinor::text::{Error, ErrorKind, Style, print_map};
use affinor_commands::{
    Argument, Arguments, Failure, Host, Line, Lines, Pause, Place, Script, Splitter, Status,
};
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyTuple, PyType};
use serde_json::Value;
use std::io::Cursor;
use std::sync::Mutex;

/// An answer of a command, or an error in one of its inputs after which it continues.
#[pyclass(frozen, weakref, module = "affinor")]
pub struct Answer {
    text: String,
    json: Option<Value>,
    /// The exit status of the program: 0, 1 if something is refuted or wrong, 3 if it is unknown.
    #[pyo3(get)]
    status: u8,
    /// Whether the answer is an error in an input.
    #[pyo3(get)]
    is_error: bool,
}

impl Answer {
    fn of(heard: Heard) -> Answer {
        match heard {
            Heard::Answer(output) => Answer {
                text: output.text.to_string(),
                json: output.json.map(Value::Object),
                status: output.status.code(),
                is_error: false,
            },
            Heard::Failure(text, json) => {
                Answer { text, json: Some(json), status: 1, is_error: true }
            }
        }
    }
}

/// The parts of an answer; its JSON is a text.
type Parts = (String, Option<String>, u8, bool);

#[pymethods]
impl Answer {
    #[new]
    fn new(text: String, json: Option<String>, status: u8, is_error: bool) -> PyResult<Answer> {
        let json = json.map(|json| serde_json::from_str(&json)).transpose();
        let json = json.map_err(|error| wrong(ErrorKind::Syntax, error.to_string()))?;
        Ok(Answer { text, json, status, is_error })
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyType>, Parts) {
        let json = self.json.as_ref().map(Value::to_string);
        (py.get_type::<Answer>(), (self.text.clone(), json, self.status, self.is_error))
    }

    fn __eq__(&self, other: &Answer) -> bool {
        (&self.text, &self.json, self.status, self.is_error)
            == (&other.text, &other.json, other.status, other.is_error)
    }

    /// The answer as the program prints it.
    #[getter]
    fn text(&self) -> String {
        match &self.json {
            Some(json) if self.text.is_empty() => json.to_string(),
            _ => self.text.clone(),
        }
    }

    /// The answer as the program prints it with `--json`: a dict, or None if there is nothing to report.
    #[getter]
    fn json<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.json.as_ref().map(|json| python(py, json)).transpose()
    }

    fn __str__(&self) -> String {
        self.text()
    }

    fn __repr__(&self) -> String {
        format!("<Answer {}>", self.text())
    }
}

/// A session of the program: named maps, numbered answers and added rules.
///
/// >>> session = Session()
/// >>> session.run("let a = (d0) -> (d0 * 4 mod 2 + d0), domain: d0 in [0, 9]\n simplify a")[-1].text
/// '(d0) -> (d0), domain: d0 in [0, 9]'
/// >>> session.run("equal a ; (d0) -> (d0), domain: d0 in [0, 9]")[0].json["verdict"]
/// 'proved'
///
/// Its maps are available by name:
///
/// >>> session["b"] = session["a"].simplify()
/// >>> session.names
/// ('a', 'b')
#[pyclass(frozen, weakref, module = "affinor")]
pub struct Session(Mutex<affinor_commands::Session>);

#[pymethods]
impl Session {
    #[new]
    fn new() -> Session {
        Session(Mutex::default())
    }

    /// Runs the commands of a script, as the program does, and returns their answers. The first error is raised as an Error
    /// with its position in the script; the effects of earlier commands are kept. `tell` is called with each answer once its
    /// command has ended, and the answers are then not returned. `name` is the name of the script in errors. With
    /// `keep_going` an error is an answer, and the next command is run. `quit` ends the script and empties the session.
    #[pyo3(signature = (script, tell = None, *, name = "script", keep_going = false))]
    fn run(
        &self,
        py: Python<'_>,
        script: &str,
        tell: Option<Bound<'_, PyAny>>,
        name: &str,
        keep_going: bool,
    ) -> PyResult<Vec<Answer>> {
        let script = &script.replace("\r\n", "\n");
        let mut answers = Vec::new();
        for step in steps(script, name)? {
            let (text, first_line) = match &step {
                Step::Command(of) => (of.text.as_str(), of.first_line),
                Step::Pause(_) => ("", 1),
            };
            let source = Source { name, text, first_line };
            let (heard, failed) = match step {
                Step::Command(_) => self.command(py, source, keep_going)?,
                // Questions that wait for their code are answered where a script is interrupted.
                Step::Pause(pause) => self.heard(py, source, keep_going, |session, listener| {
                    session.settle(pause, listener)
                })?,
            };
            for answer in heard.into_iter().map(Answer::of) {
                match &tell {
                    Some(tell) => drop(tell.call1((answer,))?),
                    None => answers.push(answer),
                }
            }
            if let Some((rendered, failure)) = failed {
                return Err(in_script(&rendered, script, first_line, failure));
            }
            if self.has_quit()? {
                break;
            }
        }
        Ok(answers)
    }

    /// Returns the map of this name; `_` is the last answer, `_3` the answer with this number.
    fn __getitem__(&self, name: &str) -> PyResult<IndexMap> {
        let session = self.0.try_lock().map_err(|_| busy())?;
        let map = session.map(name).cloned().map(IndexMap);
        map.ok_or_else(|| PyKeyError::new_err(name.to_owned()))
    }

    /// Gives a map a name, like `let`.
    fn __setitem__(&self, py: Python<'_>, name: &str, map: &IndexMap) -> PyResult<()> {
        let line = format!("let {name} = {}", print_map(&map.0, Style::Plain));
        match self.command(py, typed(&line), false)?.1 {
            Some((rendered, failure)) => Err(raised(&rendered, &line, &failure.error)),
            None => Ok(()),
        }
    }

    /// The names of the maps, in order.
    #[getter]
    fn names<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let session = self.0.try_lock().map_err(|_| busy())?;
        PyTuple::new(py, session.names().collect::<Vec<&str>>())
    }
}

/// The output of a command, and its failure if it failed.
type Said = (Vec<Heard>, Option<(String, Failure)>);

impl Session {
    pub fn empty() -> Session {
        Session::new()
    }

    /// Returns the error of a line, after running it.
    pub fn wrong_in(&self, py: Python<'_>, line: &str) -> PyResult<Option<Error>> {
        Ok(self.command(py, typed(line), false)?.1.map(|(_, failure)| failure.error))
    }

    /// Returns the map of this name.
    pub fn named(&self, name: &str) -> Option<IndexMap> {
        self.0.try_lock().ok()?.map(name).cloned().map(IndexMap)
    }

    fn command(&self, py: Python<'_>, source: Source<'_>, keep_going: bool) -> PyResult<Said> {
        let text = source.text;
        self.heard(py, source, keep_going, |session, listener| session.run(text, listener))
    }

    fn heard(
        &self,
        py: Python<'_>,
        source: Source<'_>,
        keep_going: bool,
        answer: impl FnOnce(
            &mut affinor_commands::Session,
            &mut Listener<'_>,
        ) -> Result<Status, Failure>
        + Send,
    ) -> PyResult<Said> {
        let mut session = self.0.try_lock().map_err(|_| busy())?;
        let session = &mut *session;
        run(py, |interrupt| {
            let mut listener =
                Listener { given: &[], source, words: &[], interrupt, heard: Vec::new() };
            let result = answer(session, &mut listener);
            let failed = match result {
                Err(failure) if keep_going && failure.error.kind != ErrorKind::Interrupted => {
                    listener.report(&failure);
                    None
                }
                Err(failure) => Some((listener.rendered(&failure), failure)),
                Ok(_) => None,
            };
            (listener.heard, failed)
        })
    }

    /// Checks whether the last command was `quit`; the session is then replaced by a new one.
    fn has_quit(&self) -> PyResult<bool> {
        let mut session = self.0.try_lock().map_err(|_| busy())?;
        let has_quit = session.has_quit();
        if has_quit {
            *session = affinor_commands::Session::new();
        }
        Ok(has_quit)
    }
}

/// Returns the source of a line that is not part of a script.
fn typed(line: &str) -> Source<'_> {
    Source { name: "-", text: line, first_line: 1 }
}

fn busy() -> PyErr {
    wrong(ErrorKind::Usage, "the session runs a command of another thread")
}

/// A part of a script.
enum Step {
    Command(Script),
    /// An empty line between commands, or the end.
    Pause(Pause),
}

/// Splits a script into its commands and the interruptions between them.
fn steps(script: &str, name: &str) -> PyResult<Vec<Step>> {
    let mut splitter = Splitter::new();
    let mut lines = Lines::new(Box::new(Cursor::new(script.to_owned())));
    let mut steps = Vec::new();
    let wrong = |error: Error| raised(&format!("{name}: {}", error.message), "", &error);
    while let Some(line) = lines.next_of_script()? {
        match line {
            Line::Text(line) => {
                if splitter.is_pause(&line) {
                    steps.push(Step::Pause(Pause::Blank));
                }
                steps.extend(splitter.push(&line).map_err(wrong)?.map(Step::Command));
            }
            Line::Wrong(error, _) => return Err(wrong(error)),
        }
    }
    steps.extend(splitter.finish().map(Step::Command));
    steps.push(Step::Pause(Pause::End));
    Ok(steps)
}

/// Returns the exception for a failure of the command at `first_line` of a script.
fn in_script(rendered: &str, script: &str, first_line: usize, failure: Failure) -> PyErr {
    let before = script.split_inclusive('\n').take(first_line - 1);
    let error = match failure.place {
        Place::Command => failure.error.shifted(before.map(str::len).sum()),
        // The error is about a file, which `rendered` names.
        _ => Error { span: None, ..failure.error },
    };
    raised(rendered, script, &error)
}

/// Options of a command, with their values.
pub type Options = Vec<(String, Option<String>)>;

/// Runs a command about modules, which are passed to it as files, in a session of its own.
pub fn ask(
    py: Python<'_>,
    name: &str,
    modules: &[Given],
    options: Options,
) -> PyResult<Vec<Answer>> {
    let command = affinor_commands::command(name)
        .ok_or_else(|| wrong(ErrorKind::Internal, format!("there is no command `{name}`")))?;
    let mut words: Vec<String> = modules.iter().map(|(name, _)| name.clone()).collect();
    let numbered = |(index, word): (usize, &String)| Argument::word(word.clone(), index + 1);
    let mut arguments = Arguments {
        positional: words.iter().enumerate().map(numbered).collect(),
        options: Vec::new(),
    };
    for (option, value) in options {
        let mut switches = command.options.iter();
        let switch = switches.find(|switch| switch.name == option);
        let switch = switch.filter(|switch| switch.value.is_some() == value.is_some());
        let Some(switch) = switch else {
            let message = format!("`{name}` has no option `--{option}` of this kind");
            let sketches = command.options.iter().map(|switch| switch.sketch());
            let hint = format!("its options are {}", sketches.collect::<Vec<_>>().join(", "));
            let error = Error::without_span(ErrorKind::Usage, message);
            return Err(about("", error.hint(hint)));
        };
        let value = value.map(|value| {
            words.push(value.clone());
            Argument::word(value, words.len())
        });
        arguments.options.push((switch.name, value));
    }
    run(py, |interrupt| {
        let mut listener = Listener {
            given: modules,
            source: typed(name),
            words: &words,
            interrupt,
            heard: Vec::new(),
        };
        let result = affinor_commands::Session::new().call(command, &arguments, &mut listener);
        result.map_err(|failure| {
            let text = listener.source(&failure).text;
            about(text, failure.error.clone())
        })?;
        Ok(listener.heard.into_iter().map(Answer::of).collect())
    })?
}
