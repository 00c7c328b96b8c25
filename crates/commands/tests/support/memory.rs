//! A host in memory: it records answers, and its files are texts.

use affinor::num::Interrupt;
use affinor_commands::{Failure, Host, Opener, Output, Session};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{self, BufRead, Cursor};
use std::time::Duration;

/// A host that records its outputs; its files are texts in memory.
#[derive(Default)]
pub struct Memory {
    pub outputs: Vec<Output>,
    pub reports: Vec<Failure>,
    pub files: BTreeMap<&'static str, Vec<u8>>,
    pub written: BTreeMap<String, String>,
    /// The files written that are not text.
    pub data: BTreeMap<String, Vec<u8>>,
    pub interrupt: Interrupt,
}

impl Host for Memory {
    fn emit(&mut self, output: Output) {
        self.outputs.push(output);
    }

    fn report(&mut self, failure: &Failure) {
        self.reports.push(failure.clone());
    }

    fn open(&mut self, path: &str) -> io::Result<Box<dyn BufRead>> {
        if let Some(text) = self.written.get(path) {
            return Ok(Box::new(Cursor::new(text.clone().into_bytes())));
        }
        match self.data.get(path).or_else(|| self.files.get(path)) {
            Some(bytes) => Ok(Box::new(Cursor::new(bytes.clone()))),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    fn opener(&self) -> Opener {
        let files: BTreeMap<String, Vec<u8>> =
            self.files.iter().map(|(path, bytes)| ((*path).to_owned(), bytes.clone())).collect();
        Box::new(move |path| match files.get(path) {
            Some(bytes) => Ok(Box::new(Cursor::new(bytes.clone()))),
            None => Err(io::ErrorKind::NotFound.into()),
        })
    }

    fn files_in(&mut self, path: &str) -> io::Result<Option<Vec<String>>> {
        let inside = format!("{}/", path.trim_end_matches('/'));
        let names = self.files.keys().filter_map(|file| file.strip_prefix(&inside));
        let names: Vec<String> = names.map(str::to_owned).collect();
        Ok((!names.is_empty()).then_some(names))
    }

    fn write(&mut self, path: &str, content: &[u8]) -> io::Result<()> {
        match std::str::from_utf8(content) {
            Ok(text) => {
                self.written.insert(path.to_owned(), text.to_owned());
            }
            Err(_) => {
                self.written.remove(path);
                self.data.insert(path.to_owned(), content.to_vec());
            }
        }
        Ok(())
    }

    fn append(&mut self, path: &str, text: &str) -> io::Result<()> {
        *self.written.entry(path.to_owned()).or_default() += text;
        Ok(())
    }

    fn write_directory(&mut self, path: &str, files: &[(&str, &str)]) -> io::Result<()> {
        let inside = format!("{path}/");
        if self.written.keys().any(|file| file.starts_with(&inside)) {
            return Err(io::ErrorKind::DirectoryNotEmpty.into());
        }
        files
            .iter()
            .try_for_each(|(name, text)| self.write(&format!("{path}/{name}"), text.as_bytes()))
    }

    fn cores(&self) -> usize {
        2
    }

    fn cpu_clock(&self) -> fn() -> Duration {
        || Duration::ZERO
    }

    fn progress(&mut self, _done: usize, _all: usize) {}

    fn interrupt(&self) -> Interrupt {
        self.interrupt.clone()
    }

    fn completions(&self, shell: &str) -> Option<String> {
        Some(format!("# completions for {shell}"))
    }
}

/// Runs a line in a session of its own, beside the module `m.hlo`; returns the answers, as text and as JSON.
pub fn answers_on(module: &str, line: &str) -> Result<Vec<(String, Value)>, Failure> {
    let mut host = Memory::default();
    host.files.insert("m.hlo", module.as_bytes().to_vec());
    Session::new().run(line, &mut host)?;
    let answers = host.outputs.iter().map(|output| {
        (output.text.to_string(), output.json.clone().map(Value::from).unwrap_or_default())
    });
    Ok(answers.collect())
}
