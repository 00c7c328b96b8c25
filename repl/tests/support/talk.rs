//! The program on a terminal of its own, driven by keys.
//!
//! On a system without pseudo-terminals (a bare chroot, where nothing is mounted at /dev/pts) these tests are skipped, with a
//! message.

use nix::pty::{Winsize, openpty};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Far longer than any answer takes, even on a loaded machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// Rows and columns of the terminal.
pub const ROWS: u16 = 34;
pub const COLUMNS: u16 = 110;

const SIZE: Winsize = Winsize { ws_row: ROWS, ws_col: COLUMNS, ws_xpixel: 0, ws_ypixel: 0 };

/// A conversation with the program.
pub struct Talk {
    child: Child,
    keyboard: File,
    screen: Arc<Mutex<String>>,
    seen: usize,
}

impl Talk {
    /// Starts the program without colours; `None` if there are no pseudo-terminals.
    pub fn start(state: &Path) -> Option<Talk> {
        Talk::start_with(state, &["--color", "never"])
    }

    /// Starts the program with these arguments, and waits for its prompt.
    pub fn start_with(state: &Path, arguments: &[&str]) -> Option<Talk> {
        let mut talk = Talk::run(state, arguments)?;
        talk.expect("`help`");
        talk.expect("affinor>");
        Some(talk)
    }

    /// Runs the program with these arguments, in the directory of its state: file names are then short wherever the
    /// repository is, and lines are broken at the same words.
    pub fn run(state: &Path, arguments: &[&str]) -> Option<Talk> {
        let terminal = match openpty(&SIZE, None) {
            Ok(terminal) => terminal,
            Err(error) => {
                let message = format!("not tested: this system has no pseudo-terminals ({error})");
                let _ = writeln!(std::io::stderr(), "{message}");
                return None;
            }
        };
        let side = || Stdio::from(terminal.slave.try_clone().expect("a descriptor"));
        let mut program = super::program();
        if !state.is_file() {
            fs::create_dir_all(state).expect("a directory");
            program.current_dir(state);
        }
        let child = program
            .env("XDG_STATE_HOME", state)
            .args(arguments)
            .stdin(side())
            .stdout(side())
            .stderr(side())
            .spawn()
            .expect("the program starts");
        let keyboard = File::from(terminal.master);
        let mut reader = keyboard.try_clone().expect("a descriptor");
        let screen = Arc::new(Mutex::new(String::new()));
        let shared = screen.clone();
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(length @ 1..) = reader.read(&mut bytes) {
                let text = String::from_utf8_lossy(&bytes[..length]);
                shared.lock().expect("the screen").push_str(&text);
            }
        });
        Some(Talk { child, keyboard, screen, seen: 0 })
    }

    /// Presses keys.
    pub fn keys(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).expect("the terminal is open");
    }

    /// Waits until `text` appears after the text expected before.
    #[track_caller]
    pub fn expect(&mut self, text: &str) {
        self.expect_any(&[text]);
    }

    /// Waits until one of several texts appears after the text expected before, and returns its number.
    #[track_caller]
    pub fn expect_any(&mut self, texts: &[&str]) -> usize {
        let start = Instant::now();
        loop {
            let screen = self.screen.lock().expect("the screen").clone();
            let found = texts.iter().enumerate().filter_map(|(index, text)| {
                let position = screen[self.seen..].find(text)?;
                Some((position + text.len(), index))
            });
            if let Some((length, index)) = found.min() {
                self.seen += length;
                return index;
            }
            assert!(start.elapsed() < PATIENCE, "none of {texts:?} in {:?}", &screen[self.seen..]);
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Sets the number of columns of the terminal, and notifies the program.
    pub fn resize(&self, columns: u16) {
        let terminal = self.keyboard.try_clone().expect("a descriptor");
        let mut stty = Command::new("stty");
        stty.args(["cols", &columns.to_string()]).stdin(terminal);
        assert!(stty.status().expect("stty starts").success());
        self.signal(Signal::SIGWINCH);
    }

    /// Presses Ctrl-C while a command runs.
    pub fn interrupt(&self) {
        self.signal(Signal::SIGINT);
    }

    fn signal(&self, signal: Signal) {
        let process = Pid::from_raw(i32::try_from(self.child.id()).expect("a process id"));
        kill(process, signal).expect("the program runs");
    }

    /// Presses Ctrl-D at the next prompt, which ends the program. (Between prompts the terminal itself takes the key.)
    #[track_caller]
    pub fn leave(mut self) {
        self.expect("affinor> ");
        self.keys("\x04");
        assert!(self.end().success());
    }

    /// Waits for the end of the program.
    #[track_caller]
    pub fn end(mut self) -> ExitStatus {
        let start = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("a program that was started") {
                return status;
            }
            if start.elapsed() >= PATIENCE {
                let _ = self.child.kill(); // it may just have ended by itself
                panic!("the program does not end: {:?}", self.written());
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Returns everything written so far.
    pub fn written(&self) -> String {
        self.screen.lock().expect("the screen").clone()
    }
}

/// Returns an empty directory for the state of one test.
pub fn state(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&path); // from an earlier run
    path
}
