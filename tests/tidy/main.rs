//! The laws of the repository that no compiler checks, each with its reason.
//!
//! Code is examined without comments and without the contents of strings; if a law does not hold for tests, `#[cfg(test)]` items
//! of `src/` are excluded. An exception is named here with its reason and fails once it is no longer needed.

mod circles;
mod drawing;
mod features;
#[path = "../support/golden.rs"]
mod golden;
mod golden_differences;
mod source;

use source::{
    Line, SourceFile, UNSEEN, all_rust_files, files_below, has_crate, has_word, library_files,
    relative, root, rust_files, segments_after,
};
use std::fs;

/// Maximum number of lines of a file.
const MAX_LINES: usize = 500;

/// Files that may be longer, each with its reason.
const LONG_FILES: &[(&str, &str)] = &[];

/// Paths that exist on one machine only.
const MACHINE_PATHS: &[&str] =
    &[concat!("/wo", "rk/"), concat!("/t", "mp/"), concat!("/ro", "ot/"), concat!("../sh", "ared")];

#[test]
fn modules_use_only_those_above_them() {
    let mut order = Vec::new();
    // The crate at the root has the modules of the crate below it under the same names.
    for folder in ["crates/maps/src", "src"] {
        let sources = rust_files(folder);
        let head = format!("{folder}/lib.rs");
        let mut listed = module_order(&head);
        order.extend(listed.clone());
        listed.sort();
        assert_eq!(
            listed,
            top_level_modules(&sources),
            "the head of {head} lists every module once, in dependency order"
        );
        let modules = || sources.iter().filter(|file| file.path != head);
        let position = |module: &str| order.iter().position(|name| name == module);
        check(
            &format!(
                "a module uses only modules before it in the list at the head of {head}: so each can be read, \
                 tested and trusted without those after it (and names each in a line with `crate::`, where this \
                 test sees it)"
            ),
            modules(),
            |file, line| {
                let here = position(file.module());
                let bad = |used: &String| position(used).is_none() || position(used) > here;
                segments_after("crate", line).iter().any(bad)
            },
        );
        check(
            "another module is named from `crate::`, where its place in the order can be checked",
            modules(),
            |file, line| {
                let depth = file.inside().matches('/').count() + 1;
                !line.test && line.code.contains(&"super::".repeat(depth))
            },
        );
    }
}

#[test]
fn judges_share_nothing_with_what_they_judge() {
    let sources = rust_files("src");
    // Beyond the order of modules and crates: a folder, and a path that must not occur in it.
    for (judge, judged) in
        [("src/rule/matching/", "rule::verify"), ("src/rule/verify/", "rule::matching")]
    {
        let parent = judged.split("::").last().unwrap_or(judged);
        check(
            &format!("{judge} does not name {judged}: a mistake in one of them shows by the other"),
            sources.iter().filter(|file| file.path.starts_with(judge)),
            |_, line| {
                !line.test
                    && [format!("crate::{judged}"), format!("super::{parent}")]
                        .iter()
                        .any(|path| line.code.contains(path.as_str()))
            },
        );
    }
}

#[test]
fn each_library_has_its_place() {
    let sources = library_files();
    let outside = |place: fn(&str) -> bool| {
        let files = sources.iter();
        files.filter(move |file| !place(&file.path))
    };
    check(
        "the solver is named only in src/prove/z3*.rs: without it the rest must build and answer",
        outside(|path| path.starts_with("src/prove/z3")),
        |_, line| has_crate(line, "affinor_z3"),
    );
    check(
        "egg is named only in src/simplify/saturate: the e-graph is how we simplify, not what a map is",
        outside(|path| path.starts_with("src/simplify/saturate/")),
        |_, line| has_crate(line, "egg"),
    );
    check(
        "logos is named only in token.rs, and in crates/hlo/src/cursor.rs, which moves the lexer of HLO to where \
         it should read on: a parser knows tokens, not what makes them",
        outside(|path| path.ends_with("/token.rs") || path == "crates/hlo/src/cursor.rs"),
        |_, line| has_crate(line, "logos"),
    );
    check(
        "the terminal is in repl/: the library also serves programs that have none",
        sources.iter(),
        |_, line| {
            let libraries = ["rustyline", "clap", "clap_complete", "ctrlc"];
            libraries.iter().any(|name| has_crate(line, name))
        },
    );
}

#[test]
fn a_keypress_waits_for_nothing() {
    let mut sources = rust_files("crates/prompt/src");
    sources.extend(rust_files("crates/lines/src"));
    let asked = [
        "crates/prompt/src/complete.rs",
        "crates/prompt/src/highlight.rs",
        "crates/lines/src/token.rs",
    ];
    for path in asked {
        assert!(sources.iter().any(|file| file.path == path), "no file {path}");
    }
    let files = sources.iter().filter(|file| asked.contains(&file.path.as_str()));
    check(
        "what the prompt asks for each key looks at words only: it neither simplifies nor proves nor reads a file",
        files,
        |_, line| {
            let slow = ["footprint", "hlo", "layout", "ops", "prove", "simplify", "fs", "process"];
            let roots = ["crate", "affinor", "std"];
            let named: Vec<_> = roots.iter().flat_map(|root| segments_after(root, line)).collect();
            let crates = ["affinor_hlo", "affinor_layout", "affinor_ops"];
            named.iter().any(|name| slow.contains(&name.as_str()) || name == UNSEEN)
                || crates.iter().any(|name| has_word(&line.code, name))
                || has_word(&line.code, "verify")
                || has_word(&line.code, "Call")
                || has_word(&line.code, "Host")
        },
    );
}

#[test]
fn the_library_only_computes() {
    let sources = library_files();
    check(
        "the library does not print: what it has to say is its result",
        sources.iter(),
        |_, line| {
            let macros = ["print!", "println!", "eprint!", "eprintln!", "dbg!"];
            !line.test && macros.iter().any(|name| has_word(&line.code, name))
        },
    );
    check(
        "the library does not look at files, the environment, other processes or the clock: the same \
         call gives the same answer; what it may look at is passed in",
        sources.iter(),
        |_, line| {
            let modules = ["fs", "env", "process", "net"];
            let clocks = ["SystemTime", "Instant"];
            let std = segments_after("std", line);
            let reads = std.iter().any(|name| modules.contains(&name.as_str()) || name == UNSEEN);
            let clock = clocks.iter().any(|name| has_word(&line.code, name));
            !line.test && (reads || clock)
        },
    );
    check(
        "no std hash table: its order changes from run to run; use BTreeMap, or FxHashMap that is never \
         iterated",
        sources.iter(),
        |_, line| {
            let tables = ["HashMap", "HashSet", "RandomState"];
            tables.iter().any(|name| has_word(&line.code, name))
        },
    );
    check(
        "the library does not panic: whatever a caller passes is answered or is an error with its kind",
        sources.iter(),
        |_, line| {
            // A parser may call one of its own methods `expect`; the one that panics takes a string.
            let calls = [".unwrap()", ".expect(\"", ".expect(&", ".unwrap_err()"];
            let macros = ["panic!", "unreachable!"];
            let panics = calls.iter().any(|call| line.code.contains(call))
                || macros.iter().any(|name| has_word(&line.code, name));
            !line.test && panics
        },
    );
}

#[test]
fn files_are_short_and_say_what_they_are() {
    let mut long = Vec::new();
    for file in library_files().iter().chain(&rust_files("repl/src")) {
        let exempt = LONG_FILES.iter().any(|(path, _)| *path == file.path);
        let count = file.lines.len();
        if (count > MAX_LINES) != exempt {
            long.push(format!("{}: {count} lines, exempt: {exempt}", file.path));
        }
    }
    assert!(
        long.is_empty(),
        "a file holds one idea and at most {MAX_LINES} lines, or is in LONG_FILES with its reason:\n{}",
        long.join("\n")
    );
    let mut without_head = all_rust_files();
    without_head.retain(|file| !file.text.starts_with("//!"));
    assert!(
        without_head.is_empty(),
        "a file begins with a `//!` comment that says what it is, so that nobody has to guess: {:?}",
        without_head.iter().map(|file| &file.path).collect::<Vec<_>>()
    );
}

/// Words of ordinary code that are also names of laws.
const ALSO_WORDS: [&str; 1] = ["digit"];

#[test]
fn no_rule_is_named_where_rules_fire() {
    let mut names = Vec::new();
    for path in files_below(&root().join("rules")) {
        if path.extension().is_none_or(|extension| extension != "rules") {
            continue;
        }
        let text = fs::read_to_string(&path).expect("a rule file");
        let heads = text.lines().filter(|line| !line.starts_with([' ', '#']));
        names.extend(heads.filter_map(|line| Some(line.split_once(':')?.0.to_owned())));
    }
    assert!(names.len() > 100, "{names:?}");
    let mut found = Vec::new();
    for file in rust_files("src/simplify") {
        if file.path.starts_with("src/simplify/laws/") {
            continue; // these are tests
        }
        for name in &names {
            let word = name.replace('-', "_");
            let is_word = file.lines.iter().any(|line| has_word(&line.code, &word));
            let is_named = is_word && !ALSO_WORDS.contains(&name.as_str());
            if is_named || file.text.contains(&format!("\"{name}\"")) {
                found.push(format!("{}: {name}", file.path));
            }
        }
    }
    assert!(
        found.is_empty(),
        "what a rule does is in its text, so the code that fires rules knows none by its name:\n{}",
        found.join("\n")
    );
}

#[test]
fn nothing_is_left_open() {
    let files = all_rust_files();
    check(
        "what is there works, and what is not there is not claimed; every test runs, and says what it \
         expects",
        files.iter(),
        |_, line| {
            let macros = ["todo!", "unimplemented!"];
            let attributes = ["#[ignore", "should_panic"];
            macros.iter().any(|name| has_word(&line.code, name))
                || attributes.iter().any(|name| line.code.contains(name))
        },
    );
}

#[test]
fn no_path_of_one_machine() {
    let mut found = Vec::new();
    for path in files_below(root()) {
        // Files that are not text are skipped.
        let Ok(text) = fs::read_to_string(&path) else {
            continue;
        };
        for (number, line) in text.lines().enumerate() {
            if MACHINE_PATHS.iter().any(|machine| line.contains(machine)) {
                found.push(format!("{}:{}", relative(&path), number + 1));
            }
        }
    }
    assert!(
        found.is_empty(),
        "the project stands alone: nothing in it names a path of one machine:\n{}",
        found.join("\n")
    );
}

/// Fails with the reason and every line for which `bad` holds.
#[track_caller]
fn check<'a>(
    reason: &str,
    files: impl Iterator<Item = &'a SourceFile>,
    bad: impl Fn(&SourceFile, &Line) -> bool,
) {
    let mut found = Vec::new();
    let mut lines = 0;
    for file in files {
        lines += file.lines.len();
        for (number, line) in file.lines.iter().enumerate() {
            if bad(file, line) {
                found.push(format!("{}:{}: {}", file.path, number + 1, line.code));
            }
        }
    }
    assert!(lines > 0, "nothing was looked at: {reason}");
    assert!(found.is_empty(), "{reason}:\n{}", found.join("\n"));
}

/// Returns the modules listed in the head of a crate's `lib.rs`.
fn module_order(path: &str) -> Vec<String> {
    let text = fs::read_to_string(root().join(path)).expect("the head of a crate");
    let head = text.lines().map_while(|line| line.strip_prefix("//!"));
    let list = head
        .skip_while(|line| !line.contains("in dependency order"))
        .take_while(|line| !line.trim().is_empty());
    let list: Vec<&str> = list.collect();
    let list = list.join(" ");
    // Every second piece between "[`" and "`]" is a name.
    let names = list.split("[`").skip(1);
    let names = names.filter_map(|rest| Some(rest.split_once("`]")?.0.to_owned()));
    names.collect()
}

/// Returns the modules with files in the folder of a crate, in alphabetical order.
fn top_level_modules(sources: &[SourceFile]) -> Vec<String> {
    let files = sources.iter().filter(|file| file.inside() != "lib.rs");
    let mut modules: Vec<String> = files.map(|file| file.module().to_owned()).collect();
    modules.sort();
    modules.dedup();
    modules
}
