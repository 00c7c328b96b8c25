//! Rust as text: files with their lines, their code, and the names in it.
//!
//! Recognizes comments, strings, and the extent of `#[cfg(test)]` items; it does not parse, and works one line at a time.

use std::fs;
use std::path::{Path, PathBuf};

/// A Rust source file.
pub struct SourceFile {
    /// The path from the root of the repository, with `/`.
    pub path: String,
    pub text: String,
    pub lines: Vec<Line>,
}

/// A line of a file.
pub struct Line {
    /// The line without comments and the contents of strings.
    pub code: String,
    /// Whether the line is part of a `#[cfg(test)]` item.
    pub test: bool,
}

impl SourceFile {
    pub fn new(path: &str, text: String) -> SourceFile {
        let code = without_comments_and_strings(&text);
        let mut lines = Vec::new();
        // Inside a test item: its depth of braces, and whether its body has begun.
        let mut item: Option<(i32, bool)> = None;
        for code in code.split('\n').map(str::to_owned) {
            if item.is_none() && code.contains("#[cfg(test)]") {
                item = Some((0, false));
            }
            let test = item.is_some();
            if let Some((depth, begun)) = &mut item {
                for letter in code.chars() {
                    match letter {
                        '{' => (*depth, *begun) = (*depth + 1, true),
                        '}' => *depth -= 1,
                        ';' if *depth == 0 => *begun = true,
                        _ => {}
                    }
                }
                if *begun && *depth == 0 {
                    item = None;
                }
            }
            lines.push(Line { code, test });
        }
        lines.pop_if(|last| last.code.is_empty()); // after the last line break
        SourceFile { path: path.to_owned(), text, lines }
    }

    /// Returns the path inside the folder `src` of its crate.
    pub fn inside(&self) -> &str {
        self.path.split_once("src/").map_or(&self.path, |(_, inside)| inside)
    }

    /// Returns the module of its crate that this file belongs to.
    pub fn module(&self) -> &str {
        let inside = self.inside();
        let end = inside.find(['/', '.']).unwrap_or(inside.len());
        &inside[..end]
    }

    /// Returns the files of the modules that this file declares for tests only.
    fn test_modules(&self) -> impl Iterator<Item = String> {
        let directory = self.path.rsplit_once('/').map_or("", |(start, _)| start);
        let tests = self.lines.iter().filter(|line| line.test);
        tests.filter_map(move |line| {
            let name = line.code.trim().strip_prefix("mod ")?.strip_suffix(';')?;
            Some(format!("{directory}/{name}.rs"))
        })
    }
}

/// Replaces comments and the contents of string and character literals by blanks.
fn without_comments_and_strings(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let after_word = code.ends_with(|letter: char| letter.is_alphanumeric() || letter == '_');
        let raw = rest.trim_start_matches('b').strip_prefix('r');
        let hashes = raw.map_or(0, |raw| raw.len() - raw.trim_start_matches('#').len());
        let is_raw = !after_word && raw.is_some_and(|raw| raw[hashes..].starts_with('"'));
        // The length of the literal or comment, and the part of it that is kept.
        let (length, seen) = if rest.starts_with("//") {
            (rest.find('\n').unwrap_or(rest.len()), "")
        } else if rest.starts_with("/*") {
            (end_of(rest, 2, "*/"), "")
        } else if is_raw {
            let open = rest.find('"').unwrap_or(0) + 1;
            let close = format!("\"{}", "#".repeat(hashes));
            (end_of(rest, open, &close), "\"\"")
        } else if first == '"' {
            (end_of_quoted(rest, '"'), "\"\"")
        } else if first == '\'' && is_character(rest) {
            (end_of_quoted(rest, '\''), "' '")
        } else {
            (first.len_utf8(), &rest[..first.len_utf8()])
        };
        code.push_str(seen);
        if length > first.len_utf8() {
            code.extend(rest[..length].chars().filter(|letter| *letter == '\n'));
        }
        rest = &rest[length..];
    }
    code
}

fn end_of(text: &str, from: usize, close: &str) -> usize {
    text[from..].find(close).map_or(text.len(), |at| from + at + close.len())
}

fn end_of_quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, letter) in text.char_indices().skip(1) {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if letter == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Checks whether this quote starts a character literal, not a lifetime.
fn is_character(text: &str) -> bool {
    let mut letters = text.chars().skip(1);
    letters.next() == Some('\\') || letters.next() == Some('\'')
}

/// Checks whether `word` occurs in `code`, not as part of a longer name.
pub fn has_word(code: &str, word: &str) -> bool {
    let part_of_name = |letter: char| letter.is_alphanumeric() || letter == '_';
    code.match_indices(word).any(|(at, _)| {
        let after = &code[at + word.len()..];
        !code[..at].ends_with(part_of_name)
            && (word.ends_with('!') || !after.starts_with(part_of_name))
    })
}

/// Checks whether the crate is named, in a path or in a `use`. A module of this repository may share its name.
pub fn has_crate(line: &Line, name: &str) -> bool {
    let code = line.code.replace(&format!("::{name}"), "");
    has_word(&code, name)
        && (code.contains(&format!("{name}::")) || code.contains(&format!("use {name}")))
}

/// Represents the names of a list that continues on the next line.
pub const UNSEEN: &str = "{";

/// Returns the names that follow `root::` in a line: `a` in `root::a::b`, `a` and `b` in `root::{a::c, b}`. A list that continues
/// on the next line yields [`UNSEEN`].
pub fn segments_after(root: &str, line: &Line) -> Vec<String> {
    let name_of = |text: &str| -> String {
        let part_of_name = |letter: &char| letter.is_alphanumeric() || *letter == '_';
        text.trim_start().chars().take_while(part_of_name).collect()
    };
    let start = format!("{root}::");
    let mut names = Vec::new();
    for (at, _) in line.code.match_indices(&start) {
        let rest = &line.code[at + start.len()..];
        let Some(list) = rest.strip_prefix('{') else {
            names.push(name_of(rest));
            continue;
        };
        if list.trim().is_empty() {
            names.push(UNSEEN.to_owned());
        }
        let mut depth = 0;
        names.push(name_of(list));
        for (at, letter) in list.char_indices() {
            match letter {
                '{' => depth += 1,
                '}' => depth -= 1,
                ',' if depth == 0 => names.push(name_of(&list[at + 1..])),
                _ => {}
            }
        }
    }
    names.retain(|name| !name.is_empty());
    names
}

/// Returns the root of the repository.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the path from the root of the repository, with `/`.
pub fn relative(path: &Path) -> String {
    let path = path.strip_prefix(root()).unwrap_or(path);
    path.display().to_string().replace('\\', "/")
}

/// Returns every file below a directory, except hidden ones and build outputs, in order.
pub fn files_below(directory: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut open = vec![directory.to_owned()];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(&directory).expect("a directory of the repository") {
            let path = entry.expect("an entry").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let hidden = name.starts_with('.') && name != ".ci" && name != ".cargo";
            match path.is_dir() {
                _ if hidden || name == "target" => {}
                true => open.push(path),
                false => files.push(path),
            }
        }
    }
    files.sort();
    files
}

/// Returns the Rust files below a directory of the repository.
pub fn rust_files(directory: &str) -> Vec<SourceFile> {
    let mut paths = files_below(&root().join(directory));
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "rs"));
    let read = |path: &PathBuf| {
        let text = fs::read_to_string(path).expect("a source file");
        SourceFile::new(&relative(path), text)
    };
    let mut files: Vec<SourceFile> = paths.iter().map(read).collect();
    let tests: Vec<String> = files.iter().flat_map(SourceFile::test_modules).collect();
    // A module for tests only is one file, or a directory.
    let is_test = |path: &str| {
        let inside =
            |test: &String| path.starts_with(&format!("{}/", test.trim_end_matches(".rs")));
        tests.iter().any(|test| test == path || inside(test))
    };
    for file in files.iter_mut().filter(|file| is_test(&file.path)) {
        file.lines.iter_mut().for_each(|line| line.test = true);
    }
    files
}

/// Returns the source folders of the library's crates, the root crate first.
pub fn crates() -> Vec<String> {
    let folders = fs::read_dir(root().join("crates")).expect("the folder of crates");
    let name = |entry: std::io::Result<fs::DirEntry>| {
        format!("crates/{}/src", entry.expect("an entry").file_name().to_string_lossy())
    };
    let mut folders: Vec<String> = folders.map(name).collect();
    folders.sort();
    folders.insert(0, "src".to_owned());
    folders
}

/// Returns the files of the library: those of the root crate and of the crates in `crates`.
pub fn library_files() -> Vec<SourceFile> {
    crates().iter().flat_map(|folder| rust_files(folder)).collect()
}

/// Returns all Rust files of the repository.
pub fn all_rust_files() -> Vec<SourceFile> {
    rust_files("")
}

/// The checks detect what they are meant to detect.
mod sees {
    use super::*;

    fn line(code: &str) -> Line {
        let test = false;
        let code = code.to_owned();
        Line { code, test }
    }

    #[test]
    fn code_without_comments_and_strings() {
        #[track_caller]
        fn check(text: &str, expected: &str) {
            assert_eq!(without_comments_and_strings(text), expected, "{text}");
        }
        check("a // b\nc", "a \nc");
        check("a /* b\n */ c", "a \n c");
        check(r#"f("a \" // b") + c"#, r#"f("") + c"#);
        check("f(r#\"a \" b\"#, 'x', '\\'', '\"') // c", "f(\"\", ' ', ' ', ' ') ");
        check("fn f<'a>(x: &'a str, four: 'b') {}", "fn f<'a>(x: &'a str, four: ' ') {}");
        check("let four = 4; \"a\nb\"", "let four = 4; \"\"\n");
    }

    #[test]
    fn test_items() {
        let text = "a\n#[cfg(test)]\nmod tests {\n fn f() {}\n}\nb\n#[cfg(test)]\nmod more;\nc\n";
        let file = SourceFile::new("src/x/mod.rs", text.to_owned());
        let tests: Vec<bool> = file.lines.iter().map(|line| line.test).collect();
        let (yes, no) = (true, false);
        assert_eq!(tests, [no, yes, yes, yes, yes, no, yes, yes, no]);
        assert_eq!(file.test_modules().collect::<Vec<_>>(), ["src/x/more.rs"]);
        assert_eq!(file.module(), "x");
    }

    #[test]
    fn names() {
        assert!(has_word("use std::HashMap;", "HashMap"));
        assert!(!has_word("use FxHashMap;", "HashMap"));
        assert!(has_word("eprintln!()", "eprintln!") && !has_word("eprintln!()", "println!"));
        assert!(has_crate(&line("use z3::Solver;"), "z3"));
        assert!(has_crate(&line("let a = egg::Id::from(0);"), "egg"));
        assert!(!has_crate(&line("super::z3::ask()"), "z3"));
        assert_eq!(segments_after("crate", &line("use crate::{")), [UNSEEN]);
        let list = line("use crate::{map::{a, b}, num, expr::Expr}; crate::error::Error");
        assert_eq!(segments_after("crate", &list), ["map", "num", "expr", "error"]);
    }
}
