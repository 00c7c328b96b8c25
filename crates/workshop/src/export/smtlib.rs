//! Exports one obligation per file, and the rules as stated, for any SMT solver.

use super::parts::{File, Known, file, hash_lines};
use affinor::rule::{Rule, verify};
use affinor::text::{Error, ErrorKind};

pub(super) fn files(rules: &[Known<'_>], false_rules: &[Rule]) -> Result<Vec<File>, Error> {
    let mut files = vec![
        file("README.md", include_str!("files/smtlib.md")),
        file("recheck.sh", include_str!("files/recheck.sh")),
        file("with_cvc5.py", include_str!("files/with_cvc5.py")),
    ];
    for known in rules {
        let head = head(known.rule, &known.hashes);
        for (says, script) in obligations(known.rule)? {
            let path = format!("obligations/{}.{says}.smt2", known.rule.name);
            files.push(file(path, format!("{head}; Expected: unsat\n\n{script}")));
        }
        let claim = verify::native_script(known.rule);
        let path = format!("claims/{}.smt2", known.rule.name);
        files.push(file(path, format!("{head}; Expected: unsat, or no answer\n\n{claim}")));
    }
    for rule in false_rules {
        let head = head(rule, &[verify::rule_hash(rule), verify::scripts_hash(rule)]);
        let claim = ("claim".to_owned(), verify::native_script(rule));
        let statement = obligations(rule)?.into_iter().find(|(says, _)| says == "statement");
        for (says, script) in [claim].into_iter().chain(statement) {
            let path = format!("must_fail/{}.{says}.smt2", rule.name);
            let expected = "; Expected: sat, or no answer; never unsat";
            files.push(file(path, format!("{head}{expected}\n\n{script}")));
        }
    }
    Ok(files)
}

fn obligations(rule: &Rule) -> Result<Vec<(String, String)>, Error> {
    verify::obligations(rule).map_err(|reason| {
        let message = format!("the rule '{}' has no scripts: {reason}", rule.name);
        Error::without_span(ErrorKind::Rule, message)
    })
}

/// Returns the comment at the head of a file.
fn head(rule: &Rule, hashes: &[String; 2]) -> String {
    let mut head = format!("; {}: {}\n; {}\n", rule.name, rule.text, rule.purpose);
    head.push_str(&hash_lines(";", Some(hashes)));
    head.push_str("; Integers without bounds; floordiv rounds down; divisors are at least 1 where the conditions hold.\n");
    head
}
