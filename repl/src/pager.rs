//! Pages long answers at the prompt: it shows a screenful, then `-- more --` until a key is pressed.
//!
//! It is only used if a person reads and types on a terminal. Space shows the next screenful, Enter the next line, q ends
//! this answer.

use affinor::num::Interrupt;
use std::io::{self, Write};

/// The text shown while the pager waits.
const MORE: &str = "-- more --";

/// The escape sequence that returns to the start of the line and erases it.
const ERASE: &[u8] = b"\r\x1b[K";

/// A pager, which counts the rows written since the last command was typed.
pub struct Pager {
    rows: usize,
    columns: usize,
    used: usize,
    has_quit: bool,
    interrupt: Interrupt,
}

/// The request of a pressed key.
enum Key {
    Line,
    Page,
    Quit,
}

impl Pager {
    /// Creates a pager for a terminal of this size; returns `None` if it is not possible to wait for keys.
    pub fn new(rows: usize, columns: usize, interrupt: &Interrupt) -> Option<Pager> {
        (cfg!(unix) && rows > 3 && columns > 0).then(|| Pager {
            rows,
            columns,
            used: 1, // the typed line
            has_quit: false,
            interrupt: interrupt.clone(),
        })
    }

    /// Writes text, except the part that the user skips.
    pub fn write(&mut self, text: &str, out: &mut impl Write) -> io::Result<()> {
        for line in text.split('\n') {
            if self.has_quit || self.interrupt.is_triggered() {
                return Ok(());
            }
            let rows = visible(line).div_ceil(self.columns).max(1);
            if self.used + rows >= self.rows {
                out.write_all(MORE.as_bytes())?;
                out.flush()?;
                let key = self.key();
                out.write_all(ERASE)?;
                out.flush()?;
                match key {
                    Key::Line => self.used = self.used.saturating_sub(rows),
                    Key::Page => self.used = 0,
                    Key::Quit => {
                        self.has_quit = true;
                        return Ok(());
                    }
                }
            }
            self.used += rows;
            out.write_all(line.as_bytes())?;
            out.write_all(b"\n")?;
        }
        out.flush()
    }

    /// Waits for a key, or for Ctrl-C.
    #[cfg(unix)]
    fn key(&self) -> Key {
        use nix::sys::termios::{
            LocalFlags, SetArg, SpecialCharacterIndices, tcgetattr, tcsetattr,
        };
        use std::io::Read;
        use std::os::fd::AsFd;
        let stdin = io::stdin();
        let (Ok(before), Ok(terminal)) = (tcgetattr(&stdin), stdin.as_fd().try_clone_to_owned())
        else {
            return Key::Page; // without a terminal, everything is printed
        };
        let mut raw = before.clone();
        raw.local_flags.remove(LocalFlags::ICANON | LocalFlags::ECHO);
        // A read ends after a tenth of a second, to check for Ctrl-C.
        raw.control_chars[SpecialCharacterIndices::VMIN as usize] = 0;
        raw.control_chars[SpecialCharacterIndices::VTIME as usize] = 1;
        if tcsetattr(&stdin, SetArg::TCSANOW, &raw).is_err() {
            return Key::Page;
        }
        // This does not read through the buffer of standard input: text typed ahead is for the prompt.
        let mut terminal = std::fs::File::from(terminal);
        let key = loop {
            let mut byte = [0];
            match terminal.read(&mut byte) {
                _ if self.interrupt.is_triggered() => break Key::Quit,
                Ok(0) => {}
                Ok(_) => match byte[0] {
                    b'\r' | b'\n' => break Key::Line,
                    b' ' => break Key::Page,
                    b'q' | b'Q' | 3 | 4 => break Key::Quit,
                    _ => {}
                },
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => break Key::Quit,
            }
        };
        let _ = tcsetattr(&stdin, SetArg::TCSANOW, &before); // a failure here cannot be handled
        key
    }

    #[cfg(not(unix))]
    fn key(&self) -> Key {
        Key::Page
    }
}

/// Returns the number of columns of a line, without its colour sequences.
fn visible(line: &str) -> usize {
    let mut columns = 0;
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\x1b' => _ = letters.find(char::is_ascii_alphabetic),
            _ => columns += 1,
        }
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_take_no_room() {
        assert_eq!(visible("\x1b[1;36mab\x1b[0m c"), 4);
        assert_eq!(visible(""), 0);
    }

    #[test]
    fn short_answers_are_not_paged() {
        let mut pager = Pager::new(24, 80, &Interrupt::new()).expect("a pager");
        let mut out = Vec::new();
        pager.write("a\nb", &mut out).expect("written");
        assert_eq!(out, b"a\nb\n");
    }
}
