//! The services of a session on a page: files that were dropped there, and the page's clock.

use crate::shown;
use affinor::num::Interrupt;
use affinor::text::render::Look;
use affinor_commands::{Failure, Host, Opener, Output};
use affinor_prompt::Given;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{self, BufRead, Cursor};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The page that an engine works for.
pub trait Page {
    /// Receives an event as soon as it occurs: an answer, an error, progress, a written file.
    fn show(&mut self, event: Value);

    /// Returns the clock.
    fn clock(&self) -> fn() -> Duration;
}

/// The time between two events that show progress.
const PROGRESS: Duration = Duration::from_millis(100);

/// The content of files by path, shared with threads that open them.
type Files = Arc<Mutex<BTreeMap<String, Arc<[u8]>>>>;

/// Hands the answers of a session to a page.
pub struct Desk<P> {
    pub page: P,
    /// The command that runs, for errors.
    pub given: Given,
    /// Answers and errors in ASCII.
    pub ascii: bool,
    files: Files,
    /// When progress was shown last.
    told: Duration,
}

impl<P: Page> Desk<P> {
    pub fn new(page: P) -> Desk<P> {
        Desk { page, given: Given::default(), ascii: false, files: Files::default(), told: Duration::ZERO }
    }

    /// Keeps a file under this path.
    pub fn keep(&mut self, path: &str, content: &[u8]) {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        files.insert(path.to_owned(), content.into());
    }

    fn written(&mut self, path: &str, content: &[u8]) {
        self.keep(path, content);
        let text = String::from_utf8_lossy(content);
        self.page.show(json!({"kind": "file", "name": path, "text": text}));
    }
}

fn find(files: &Files, path: &str) -> io::Result<Arc<[u8]>> {
    let files = files.lock().unwrap_or_else(PoisonError::into_inner);
    files.get(path).cloned().ok_or_else(|| io::ErrorKind::NotFound.into())
}

fn open(files: &Files, path: &str) -> io::Result<Box<dyn BufRead>> {
    match path {
        "-" => {
            let message = "a page has no standard input; drop a file on it and name that";
            Err(io::Error::new(io::ErrorKind::Unsupported, message))
        }
        path => find(files, path).map(|content| Box::new(Cursor::new(content)) as Box<dyn BufRead>),
    }
}

impl<P: Page> Host for Desk<P> {
    fn emit(&mut self, output: Output) {
        if let Some(event) = shown::answer(output, self.ascii) {
            self.page.show(event);
        }
    }

    fn report(&mut self, failure: &Failure) {
        let text = self.given.rendered(failure, Look { ascii: self.ascii, ..Look::default() });
        self.page.show(json!({"kind": "error", "text": text.trim_end()}));
    }

    fn open(&mut self, path: &str) -> io::Result<Box<dyn BufRead>> {
        open(&self.files, path)
    }

    fn opener(&self) -> Opener {
        let files = self.files.clone();
        Box::new(move |path| open(&files, path))
    }

    fn files_in(&mut self, path: &str) -> io::Result<Option<Vec<String>>> {
        let files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        if files.contains_key(path) {
            return Ok(None);
        }
        let folder = match path.trim_end_matches('/') {
            "." => String::new(),
            folder => format!("{folder}/"),
        };
        let names = files.keys().filter_map(|name| name.strip_prefix(&folder));
        let names: Vec<String> = names.filter(|n| !n.contains('/')).map(str::to_owned).collect();
        match names.is_empty() && !folder.is_empty() {
            true => Err(io::ErrorKind::NotFound.into()),
            false => Ok(Some(names)),
        }
    }

    fn write(&mut self, path: &str, content: &[u8]) -> io::Result<()> {
        self.written(path, content);
        Ok(())
    }

    fn append(&mut self, path: &str, text: &str) -> io::Result<()> {
        let mut content = find(&self.files, path).map_or_else(|_| Vec::new(), |old| old.to_vec());
        content.extend_from_slice(text.as_bytes());
        self.written(path, &content);
        Ok(())
    }

    fn write_directory(&mut self, path: &str, files: &[(&str, &str)]) -> io::Result<()> {
        if self.files_in(path).is_ok() {
            return Err(io::ErrorKind::DirectoryNotEmpty.into());
        }
        for (name, text) in files {
            self.written(&format!("{}/{name}", path.trim_end_matches('/')), text.as_bytes());
        }
        Ok(())
    }

    fn cpu_clock(&self) -> fn() -> Duration {
        self.page.clock()
    }

    fn cores(&self) -> usize {
        1
    }

    /// Shown as often as somebody could read it: it comes with each instruction of a module.
    fn progress(&mut self, done: usize, all: usize) {
        let now = self.page.clock()();
        if now.saturating_sub(self.told) < PROGRESS {
            return;
        }
        self.told = now;
        self.page.show(json!({"kind": "progress", "done": done, "all": all}));
    }

    /// Nothing triggers it: a page stops a command by ending the worker that runs it.
    fn interrupt(&self) -> Interrupt {
        Interrupt::new()
    }

    fn completions(&self, _: &str) -> Option<String> {
        None
    }
}
