//! Runs kernels with g++ and python3, on arrays that record each access.

use crate::accesses::ARRAYS;
use crate::judge::{STAND_IN_C, compiled, folder};
use crate::pieces::Dialect;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::process::Command;

const ARRAYS_OF_C: &str = r#"
#include <set>
#include <string>
static std::set<std::string> seen;
struct Element {
  std::string at;
  operator int() const { seen.insert("r " + at); return 1; }
  int operator=(int value) const { seen.insert("w " + at); return value; }
  int operator=(const Element &other) const { return *this = int(other); }
  int operator+=(int value) const { return *this = *this + value; }
};
template <int RANK> struct Array {
  std::string at;
  Array<RANK - 1> operator[](int i) const { return {at + " " + std::to_string(i)}; }
};
template <> struct Array<1> {
  std::string at;
  Element operator[](int i) const { return {at + " " + std::to_string(i)}; }
};
static void done() {
  for (const std::string &access : seen) puts(access.c_str());
  puts("end");
  seen.clear();
}
"#;

const ARRAYS_OF_PYTHON: &str = r#"
seen = set()
class Array:
    def __init__(self, name):
        self.name = name
    def note(self, kind, at):
        at = at if isinstance(at, tuple) else (at,)
        seen.add(" ".join([kind, self.name, *map(str, at)]))
    def __getitem__(self, at):
        self.note("r", at)
        return 1
    def __setitem__(self, at, value):
        self.note("w", at)
def done():
    print("\n".join([*seen, "end"]))
    seen.clear()
"#;

/// Returns the accesses of each kernel: `r a 3`, `w b 0 7`.
pub fn accesses(dialect: Dialect, name: &str, kernels: &[String]) -> Vec<BTreeSet<String>> {
    let is_c = dialect.is_c();
    let mut text = match is_c {
        true => format!("{STAND_IN_C}{ARRAYS_OF_C}"),
        false => ARRAYS_OF_PYTHON.to_owned(),
    };
    for (array, rank) in ARRAYS {
        let _ = match is_c {
            true => writeln!(text, "static Array<{rank}> {array}{{\"{array}\"}};"),
            false => writeln!(text, "{array} = Array({array:?})"),
        };
    }
    for (number, kernel) in kernels.iter().enumerate() {
        let _ = match is_c {
            true => writeln!(text, "static void f{number}() {{\n{kernel}\n}}"),
            false => writeln!(text, "{kernel}\ndone()"),
        };
    }
    if is_c {
        let calls: String =
            (0..kernels.len()).map(|number| format!("  f{number}();\n  done();\n")).collect();
        let _ = writeln!(text, "int main() {{\n{calls}}}");
    }
    let file = folder().join(format!("{name}.{}", if is_c { "cc" } else { "py" }));
    std::fs::write(&file, text).expect("the source is written");
    let mut command = match is_c {
        true => Command::new(compiled("g++", "-std=gnu++17", &file)),
        false => Command::new("python3"),
    };
    if !is_c {
        command.arg(&file);
    }
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("text");
    let mut found: Vec<BTreeSet<String>> = vec![BTreeSet::new()];
    for line in text.lines().filter(|line| !line.is_empty()) {
        match line {
            "end" => found.push(BTreeSet::new()),
            access => {
                found.last_mut().expect("one").insert(access.to_owned());
            }
        }
    }
    assert_eq!(found.pop(), Some(BTreeSet::new()));
    assert_eq!(found.len(), kernels.len());
    found
}
