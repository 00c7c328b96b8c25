//! Files that use each other in a cycle can only be understood all at once.
//!
//! The uses are read off the paths in the code, without test items. The use of a name that a folder's head imports or
//! re-exports counts as a use of the defining file. Methods are not seen: an `impl` may be in any file.

use crate::source::{SourceFile, crates, rust_files};
use std::collections::{BTreeMap, BTreeSet};

/// The remaining cycles: a folder, and the number of its files and folders in each cycle, the largest first. They may only
/// shrink.
const CIRCLES: &[(&str, &[usize])] = &[
    ("crates/compare/src/agreement", &[2]),
    ("src/certificate", &[2]),
    ("crates/hlo/src", &[2, 2]),
    ("crates/ops/src/indexing", &[2]),
];

#[test]
fn files_do_not_use_each_other_in_a_circle() {
    let mut found = Vec::new();
    let mut listed: BTreeMap<&str, &[usize]> = CIRCLES.iter().copied().collect();
    let folders = crates().into_iter().flat_map(|folder| uses_by_folder(&rust_files(&folder)));
    for (folder, uses) in folders {
        let circles = circles(&uses);
        let sizes: Vec<usize> = circles.iter().map(BTreeSet::len).collect();
        if sizes != listed.remove(folder.as_str()).unwrap_or_default() {
            found.push(format!("{folder}: {sizes:?} {circles:?}"));
        }
    }
    found.extend(listed.keys().map(|folder| format!("{folder}: none left")));
    assert!(
        found.is_empty(),
        "the files and folders of a folder use each other one way, so that each can be read after those that it \
         rests on. What CIRCLES says of these is not so; a circle may not grow, and one that is smaller is written \
         down:\n{}",
        found.join("\n")
    );
}

/// A module, as its path from `crate`.
type Module = Vec<String>;

/// For each file or folder of a folder, the files and folders that it uses.
pub type Uses = BTreeMap<String, BTreeSet<String>>;

/// Returns the uses within each folder of a crate, including those by nested files.
pub fn uses_by_folder(sources: &[SourceFile]) -> BTreeMap<String, Uses> {
    let library = Library::new(sources);
    let mut folders: BTreeMap<String, Uses> = BTreeMap::new();
    for (module, file) in &library.files {
        for path in Paths::of(file).used {
            let Some(used) = library.defined_in(module, &path, 0) else {
                continue;
            };
            let (from, to): (Vec<&str>, Vec<&str>) =
                (file.path.split('/').collect(), used.path.split('/').collect());
            let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
            if let (Some(user), Some(used)) = (from.get(common), to.get(common)) {
                let uses = folders.entry(from[..common].join("/")).or_default();
                uses.entry((*user).to_owned()).or_default().insert((*used).to_owned());
            }
        }
    }
    folders
}

/// The files of a crate, by module.
struct Library<'s> {
    files: BTreeMap<Module, &'s SourceFile>,
    /// The imports and re-exports of each file: for each name, the path that it comes from.
    handed_on: BTreeMap<Module, BTreeMap<String, Vec<String>>>,
}

impl<'s> Library<'s> {
    fn new(sources: &'s [SourceFile]) -> Library<'s> {
        let mut files = BTreeMap::new();
        let mut handed_on = BTreeMap::new();
        for file in sources {
            let inside = file.inside().trim_end_matches(".rs");
            let mut module: Module = inside.split('/').map(str::to_owned).collect();
            module.pop_if(|last| last == "mod" || last == "lib");
            let given = Paths::of(file).handed_on;
            let by_name = given.into_iter().filter_map(|path| Some((path.last()?.clone(), path)));
            handed_on.insert(module.clone(), by_name.collect());
            files.insert(module, file);
        }
        Library { files, handed_on }
    }

    /// Returns the file that defines the last name of a path used in `module`.
    fn defined_in(&self, module: &Module, path: &[String], hops: usize) -> Option<&'s SourceFile> {
        let mut at = module.clone();
        let mut rest = path;
        match rest.first()?.as_str() {
            "crate" => at.clear(),
            "self" => {}
            "super" => at.truncate(at.len().checked_sub(1)?),
            first => {
                at.push(first.to_owned());
                self.files.get(&at)?; // otherwise a library or an enum
            }
        }
        rest = &rest[1..];
        while let Some((name, after)) = rest.split_first() {
            if name == "super" {
                at.pop()?;
            } else {
                at.push(name.clone());
                if !self.files.contains_key(&at) {
                    at.pop();
                    break;
                }
            }
            rest = after;
        }
        let from = rest.first().and_then(|name| self.handed_on.get(&at)?.get(name));
        match from {
            Some(from) if hops < 8 => self.defined_in(&at, from, hops + 1),
            _ => self.files.get(&at).copied(),
        }
    }
}

/// The paths that a file uses, and the paths of the names that it imports or re-exports.
#[derive(Default)]
struct Paths {
    used: Vec<Vec<String>>,
    handed_on: Vec<Vec<String>>,
}

impl Paths {
    /// Collects the paths of a file. Each `use` begins a line, as rustfmt formats it.
    fn of(file: &SourceFile) -> Paths {
        let mut paths = Paths::default();
        let mut lines = file.lines.iter().filter(|line| !line.test);
        while let Some(line) = lines.next() {
            let text = line.code.trim_start();
            let head = ["use ", "pub use ", "pub(super) use ", "pub(crate) use "];
            let Some(start) = head.into_iter().find(|head| text.starts_with(head)) else {
                paths.used.extend(inline_paths(text));
                continue;
            };
            let mut tree = text[start.len()..].to_owned();
            while !tree.contains(';') {
                let Some(next) = lines.next() else { break };
                tree.push_str(next.code.trim());
            }
            let tree = tree.trim_end_matches(';');
            expand(&[], tree, &mut paths.handed_on); // files below may use a private name, too
            if start == "use " {
                expand(&[], tree, &mut paths.used);
            }
        }
        paths
    }
}

/// Returns the paths in a line, including those that name no module.
fn inline_paths(line: &str) -> impl Iterator<Item = Vec<String>> {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == ':';
    let words = line.split(move |letter| !is_part(letter));
    words.filter(|word| word.contains("::")).map(names)
}

/// Expands `a::{b, c::d as e}` to `a::b` and `a::c::d`.
fn expand(before: &[String], tree: &str, paths: &mut Vec<Vec<String>>) {
    let (head, list) = match tree.split_once('{') {
        Some((head, list)) => (head, list.trim_end().strip_suffix('}')),
        None => (tree.split(" as ").next().unwrap_or(tree), None),
    };
    let path = [before, &names(head)].concat();
    let Some(list) = list else {
        paths.push(path);
        return;
    };
    let (mut depth, mut from) = (0, 0);
    for (at, letter) in list.char_indices().chain([(list.len(), ',')]) {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                if !list[from..at].trim().is_empty() {
                    expand(&path, &list[from..at], paths);
                }
                from = at + 1;
            }
            _ => {}
        }
    }
}

fn names(path: &str) -> Vec<String> {
    let names = path.split("::").map(str::trim);
    names.filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// Returns the cycles of a graph, the largest first: sets of at least two nodes that all reach each other.
fn circles(uses: &Uses) -> Vec<BTreeSet<String>> {
    let reached: BTreeMap<&String, BTreeSet<&String>> =
        uses.keys().map(|from| (from, reached(uses, from))).collect();
    let leads = |from: &String, to: &String| reached.get(from).is_some_and(|all| all.contains(to));
    let circle = |from: &String| -> BTreeSet<String> {
        let others = uses.keys().filter(|to| leads(from, to) && leads(to, from));
        others.cloned().collect()
    };
    let circles: BTreeSet<BTreeSet<String>> = uses.keys().map(circle).collect();
    let mut circles: Vec<_> = circles.into_iter().filter(|circle| circle.len() > 1).collect();
    circles.sort_by_key(|circle| std::cmp::Reverse(circle.len()));
    circles
}

/// Returns all nodes reachable from a node.
pub fn reached<'u>(uses: &'u Uses, from: &'u String) -> BTreeSet<&'u String> {
    let mut reached = BTreeSet::new();
    let mut open = vec![from];
    while let Some(user) = open.pop() {
        let next = uses.get(user).into_iter().flatten();
        open.extend(next.filter(|used| reached.insert(*used)));
    }
    reached
}

/// The checks detect what they are meant to detect.
mod sees {
    use super::*;

    fn source(path: &str, text: &str) -> SourceFile {
        SourceFile::new(path, text.to_owned())
    }

    #[test]
    fn circles_of_files_and_of_folders() {
        let sources = [
            source("src/a/mod.rs", "mod b;\nmod c;\nmod d;\npub use b::B;\n"),
            source("src/a/b.rs", "use super::c::{\n    C,\n    more::{self, D as E},\n};\n"),
            source("src/a/c.rs", "fn f(x: crate::a::d::D) {}\n"),
            source("src/a/d.rs", "use super::B;\n#[cfg(test)]\nuse crate::e::F;\n"),
            source("src/e.rs", "use crate::a::B;\nuse std::a::B;\n"),
        ];
        let folders = uses_by_folder(&sources);
        let name = |name: &str| name.to_owned();
        let circle = BTreeSet::from([name("b.rs"), name("c.rs"), name("d.rs")]);
        assert_eq!(circles(&folders["src/a"]), [circle]);
        assert_eq!(folders["src"]["e.rs"], BTreeSet::from([name("a")]));
        assert_eq!(circles(&folders["src"]), []);
    }
}
