//! Rules removed from the text of their files: the rest still loads, and a file's declarations may exceed its rules' needs.

use crate::support::rule_texts::{shipped_texts, without_lines};
use affinor::rule::{RuleSet, read_rules};

/// A file may declare more than its rules use; the shipped files use all they declare.
#[test]
fn the_shipped_files_declare_nothing_that_they_do_not_use() {
    for (file, text) in shipped_texts() {
        let rules = read_rules(file, &text).unwrap_or_else(|error| panic!("{error:?}"));
        for line in text.lines() {
            let Some((sort @ ("constant" | "expression"), names)) = line.split_once(' ') else {
                continue;
            };
            for name in names.split_whitespace() {
                let is_used = rules.iter().any(|rule| match sort {
                    "constant" => rule.constants.iter().any(|known| known == name),
                    _ => rule.expressions.iter().any(|known| known == name),
                });
                assert!(is_used, "{file}: {sort} {name}");
            }
        }
    }
}

/// Each file loads without any one of its rules, and then contains the others.
#[test]
fn each_rule_can_be_taken_out_of_its_file() {
    let shipped = RuleSet::shipped().unwrap_or_else(|error| panic!("{error:?}"));
    for (file, text) in shipped_texts() {
        let of_file = shipped.rules().iter().filter(|rule| rule.file == file);
        let names: Vec<&str> = of_file.map(|rule| rule.name.as_str()).collect();
        for name in &names {
            let rest = read_rules(file, &without_lines(&text, name));
            let rest = rest.unwrap_or_else(|error| panic!("{error:?} without {name}"));
            let rest: Vec<&str> = rest.iter().map(|rule| rule.name.as_str()).collect();
            let expected: Vec<&str> = names.iter().copied().filter(|other| other != name).collect();
            assert_eq!(rest, expected);
        }
    }
}
