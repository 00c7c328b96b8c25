//! The commands of docs/export.md, as typed by someone who follows it.

use crate::support;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Returns the blocks that begin with ```` ```sh run ````.
fn blocks(page: &str) -> Vec<&str> {
    let starts = page.split("```sh run\n").skip(1);
    starts.map(|rest| rest.split("```").next().expect("an end")).collect()
}

#[test]
fn the_commands_of_the_page_succeed() {
    let page = fs::read_to_string(support::repository().join("docs/export.md")).expect("the page");
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("export-page");
    let _ = fs::remove_dir_all(&directory); // it does not exist the first time
    fs::create_dir_all(&directory).expect("a directory");
    let program = Path::new(env!("CARGO_BIN_EXE_affinor"));
    let known = std::env::var_os("PATH").unwrap_or_default();
    let own = program.parent().expect("a directory").to_owned();
    let programs = std::iter::once(own).chain(std::env::split_paths(&known));
    let path = std::env::join_paths(programs).expect("no colon in a path");
    let blocks = blocks(&page);
    assert_eq!(blocks.len(), affinor_workshop::export::Format::ALL.len());
    for (block, format) in blocks.iter().zip(FORMATS) {
        assert!(block.contains(&format!("--format {format} ")), "{block}");
        let output = Command::new("sh")
            .args(["-e", "-c", block])
            .current_dir(&directory)
            .env("PATH", &path)
            .output()
            .expect("sh runs");
        let said = [output.stdout, output.stderr].concat();
        assert!(output.status.success(), "{block}{}", String::from_utf8_lossy(&said));
    }
}

/// The formats, in the order of the page.
const FORMATS: [&str; 8] = ["json", "smtlib", "egg", "egglog", "rocq", "lean", "rare", "halide"];

/// The numbers in the table are those of the exports.
#[test]
fn the_table_counts_what_arrives() {
    let page = fs::read_to_string(support::repository().join("docs/export.md")).expect("the page");
    let rules = affinor::rule::RuleSet::shipped().expect("the shipped rules");
    let lock = affinor::rule::verify::Lock::shipped().expect("the shipped lock");
    let all = rules.rules().len();
    for format in affinor_workshop::export::Format::ALL {
        let files =
            affinor_workshop::export::export(*format, rules.rules(), &lock).expect("an export");
        let text = |path: &str| {
            let file = files.iter().find(|file| file.path == path);
            file.map_or("", |file| file.text.as_str())
        };
        let reasons = |path: &str| text(path).matches("\"reason\"").count();
        let arrives = match format.name() {
            "json" => format!("{} of {all}", text("rules.json").matches("\"rule_sha256\"").count()),
            "rare" => format!("{} of {all}", all - reasons("not_exported.json")),
            "smtlib" => {
                let obligations =
                    files.iter().filter(|x| x.path.starts_with("obligations/")).count();
                format!("{all} of {all}, as {obligations} obligations")
            }
            "lean" | "rocq" => format!("{} theorems", all - reasons("not_exported.json")),
            "halide" => format!("{} lines", all - reasons("not_exported.json")),
            _ => {
                let not_fired = text("not_fired.md").matches("\n| `").count();
                format!("{all} stated, {} of them fire", all - not_fired)
            }
        };
        let row = format!("| `{}` |", format.name());
        let row = page.lines().find(|line| line.starts_with(&row)).expect("a row");
        assert!(row.contains(&arrives), "{row} does not say {arrives}");
    }
}
