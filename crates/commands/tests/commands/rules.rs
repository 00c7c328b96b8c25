//! Commands about rules: a user's rules, which rules fire and how often, and the lock file of a directory.

use crate::support::talk::Talk;
use affinor::text::ErrorKind;
use affinor_commands::Status;

const NESTED: &str = "simplify (d0) -> ((d0 floordiv 3 + 2) floordiv 4), domain: d0 in [0, 100]";
const FLAT: &str = "(d0) -> ((d0 + 6) floordiv 12), domain: d0 in [0, 100]";

/// A rule that is off is not used, a user's rule in its place is, and `undo` restores both.
#[test]
fn what_is_off_does_not_fire() {
    let mut talk = Talk::default();
    assert_eq!(talk.say(NESTED), FLAT);
    let shipped = talk.used("div-div");
    assert!(shipped > 0);
    talk.say("rules off div-div");
    talk.say(NESTED);
    assert_eq!(talk.used("div-div"), shipped);
    let own = "rule own: (x floordiv a + y) floordiv b => (x + a*y) floordiv (a*b)\n  where a >= 1, b >= 1";
    assert!(talk.say(own).contains("adds: not subsumed"));
    assert_eq!(talk.say(NESTED), FLAT);
    let first = talk.used("own");
    assert!(first > 0);
    assert_eq!(talk.used("div-div"), shipped);
    talk.say("rules off own");
    talk.say(NESTED);
    assert_eq!(talk.used("own"), first);
    talk.say("undo"); // simplify
    talk.say("undo"); // rules off own
    assert_eq!(talk.say(NESTED), FLAT);
    assert!(talk.used("own") > first);
    talk.say("reset");
    assert_eq!(talk.say("rules on"), "all rules are on");
    talk.say(NESTED);
    assert!(talk.used("div-div") > shipped);
    assert_eq!(talk.fails("rules off own"), ErrorKind::Name); // it was forgotten
    assert_eq!(talk.fails("rules off range-sum"), ErrorKind::Usage); // a law
    assert_eq!(talk.fails("rules off div-div own"), ErrorKind::Name);
    assert!(talk.say("set").ends_with("time off")); // a failed command changes nothing
}

#[test]
fn a_law_is_listed_proved_and_exported_and_never_fired() {
    let mut talk = Talk::default();
    talk.say("rules off div-div");
    talk.say("rule --law ownlaw: (x floordiv a + y) floordiv b => (x + a*y) floordiv (a*b) where a >= 1, b >= 1");
    let why = NESTED.replace("simplify", "why");
    assert!(!talk.say(&why).contains("ownlaw"));
    assert!(talk.say("rules list ownlaw").contains("never fired"));
    assert!(talk.say("rules prove ownlaw").contains("proved for all integers"));
    assert!(talk.say("rules show ownlaw").contains("it is a law; it does not fire"));
    assert!(talk.say("help ownlaw").starts_with("ownlaw: "));
    for format in ["json", "smtlib", "egg", "egglog", "lean", "rare", "halide"] {
        talk.say(&format!("rules export ownlaw div-div --format {format} --out {format}"));
        let format = format!("{format}/");
        let mut files = talk.host.written.iter();
        let has_it = files.any(|(path, text)| path.starts_with(&format) && text.contains("ownlaw"));
        assert!(has_it, "{format}");
    }
    talk.host.files.insert("others.rules", b"ownlaw: x + 0 => x\n".to_vec());
    let others = "rules export --file others.rules --format json --out others";
    assert_eq!(talk.fails(others), ErrorKind::Rule); // another rule of that name, which was not proved here
    // A certificate may use it like any other proved rule.
    let certificate = r#"{"before": "(d0) -> ((d0 floordiv 3 + 2) floordiv 4), domain: d0 in [0, 100]",
        "after": "(d0) -> ((d0 + 6) floordiv 12), domain: d0 in [0, 100]", "domain_steps": [],
        "result_steps": [{"rule": "ownlaw", "bindings": {"x": "d0", "y": "2", "a": 3, "b": 4}}]}"#;
    let line = certificate.replace('\n', " ").into_bytes();
    talk.host.files.insert("own.jsonl", line);
    assert_eq!(talk.ask("replay own.jsonl").0, Status::Done);
    talk.say("reset");
    assert_ne!(talk.ask("replay own.jsonl").0, Status::Done);
}

#[test]
fn uses_are_counted() {
    let mut talk = Talk::default();
    assert_eq!(talk.used("div-div"), 0);
    talk.say(NESTED);
    let once = talk.used("div-div");
    assert!(once > 0);
    talk.say(NESTED);
    assert_eq!(talk.used("div-div"), 2 * once);
    talk.say("rules show div-div"); // rewrites for its output are not counted
    assert_eq!(talk.used("div-div"), 2 * once);
    talk.say("rules off div-div");
    talk.say(NESTED);
    assert_eq!(talk.used("div-div"), 2 * once);
    let threads = "{\"id\": \"a\", \"vars\": {\"d0\": [0, 100]}, \"expr\": \"(d0 floordiv 3 + 2) floordiv 4\"}\n";
    talk.host.files.insert("lines.jsonl", threads.repeat(40).into_bytes());
    talk.say("rules on");
    talk.say("simplify --jsonl lines.jsonl --threads 2");
    assert_eq!(talk.used("div-div"), 42 * once);
    assert_eq!(Talk::default().used("div-div"), 0);
}

/// Adds the files of a directory of rules: one rule in the first file, none in the others.
fn directory(talk: &mut Talk, rule: &str) {
    let files = [
        "rules/floordiv.rules",
        "rules/constraints.rules",
        "rules/forms.rules",
        "rules/mined.rules",
        "rules/ranges.rules",
        "rules/linear.rules",
        "rules/min_max.rules",
        "rules/ops.rules",
        "rules/layouts.rules",
    ];
    for (number, file) in files.into_iter().enumerate() {
        let text = if number == 0 { rule } else { "# Nothing.\n" };
        talk.host.files.insert(file, text.as_bytes().to_vec());
    }
}

/// The message of `rules lock` about rules that are not the built-in ones.
const IN_FORCE: &str = "\nin force in this session, and in the program once it is built again";

const LOCK: &str = "rules/PROOFS.lock";

#[test]
fn a_lock_is_renewed_and_checked() {
    let mut talk = Talk::default();
    assert_eq!(talk.fails("rules lock"), ErrorKind::File);
    directory(&mut talk, "half: (2*x) floordiv 2 => x \"Half.\"\n");
    talk.host.files.insert(LOCK, b"z3 5.3.2\ncvc5 1.4.2\n".to_vec());

    let (status, said) = talk.ask("rules lock --check");
    assert_eq!(status, Status::Wrong);
    assert!(said.starts_with("half: added\nrules/PROOFS.lock is not up to date"), "{said}");
    assert!(talk.host.written.is_empty());

    let (status, said) = talk.ask("rules lock");
    assert_eq!(status, Status::Done);
    assert!(said.starts_with("half: added\nrules/PROOFS.lock written; rules: 1\n"), "{said}");
    assert!(said.contains("cvc5 has not decided half"), "{said}");
    assert!(said.contains("Rocq has not decided half"), "{said}");
    assert_eq!(talk.ask("rules lock --check").0, Status::Wrong); // cvc5 was not run
    let judged = talk.host.written[LOCK].replace("pending", "proved");
    talk.host.written.insert(LOCK.to_owned(), judged);
    let (status, said) = talk.ask("rules lock --check");
    assert_eq!(
        (status, said.as_str()),
        (Status::Done, "rules/PROOFS.lock is up to date; rules: 1")
    );

    // Another purpose changes the text but not the rule; another condition makes another rule.
    directory(&mut talk, "half: (2*x) floordiv 2 => x \"Of two.\"\n");
    for (line, status, words) in [
        (
            "rules lock --check",
            Status::Wrong,
            "compiled.bin is not up to date: `affinor rules lock` renews it",
        ),
        ("rules lock", Status::Done, "compiled.bin written"),
        ("rules lock --check", Status::Done, "PROOFS.lock is up to date"),
    ] {
        // These are not the built-in rules.
        let in_force = if line.contains("--check") { "" } else { IN_FORCE };
        let said = format!("rules/{words}; rules: 1{in_force}");
        assert_eq!(talk.ask(line), (status, said), "{line}");
    }
    directory(&mut talk, "half: (2*x) floordiv 2 => x where x >= 0 \"Half.\"\n");
    let said = talk.say("rules lock --dir rules/");
    assert!(
        said.starts_with("half: changed (rule text, proof scripts, cvc5 proved -> pending, rocq proved -> pending)\n"),
        "{said}"
    );

    // A rule that is not proved is not locked, and its counterexample is shown.
    let before = talk.host.written[LOCK].clone();
    directory(&mut talk, "half: x floordiv 2 => x \"Half.\"\n");
    let (status, said) = talk.ask("rules lock");
    assert_eq!(status, Status::Wrong);
    assert!(said.contains("refuted: at x = "), "{said}");
    assert!(said.contains("not written: 1 not proved"), "{said}");
    assert_eq!(talk.host.written[LOCK], before);
    assert_eq!(talk.fails("rules lock half"), ErrorKind::Usage);
    directory(&mut talk, "half: x floordiv 2 =>\n");
    assert_eq!(talk.fails("rules lock"), ErrorKind::Syntax);
}

/// A session fires the rules of a checkout once it has proved them; a verdict in a file is not enough.
#[test]
fn rules_that_were_locked_are_in_force_without_another_build() {
    let kept = NESTED.trim_start_matches("simplify ");
    let own = "own: (x floordiv a + y) floordiv b => (x + a*y) floordiv (a*b)\n  where a >= 1, b >= 1\n  \"Two quotients are one.\"\n";
    let mut talk = Talk::default();
    directory(&mut talk, own);
    talk.host.files.insert(LOCK, Vec::new());
    talk.say("rules off div-div");
    assert_ne!(talk.say(NESTED), FLAT);
    // `div-div`, which is off, is not among these rules.
    let (status, said) = talk.ask("rules lock");
    assert_eq!(status, Status::Done);
    assert!(said.contains("\nnot in force in this session: "), "{said}");
    assert!(said.ends_with("`reset` forgets its own rules"), "{said}");
    assert!(talk.say("rules list div-div").starts_with("div-div: "));
    talk.say("reset");
    assert!(!talk.ask("rules lock --check").1.contains("in force"));
    assert_eq!(talk.fails("rules list own"), ErrorKind::Name);

    assert!(talk.say("rules lock").contains(IN_FORCE)); // even for files that are up to date
    assert_eq!(talk.say(NESTED), FLAT);
    assert!(talk.used("own") > 0);
    assert!(talk.say("rules show own").contains("now: proved for all integers"));
    assert_eq!(talk.fails("rules list div-div"), ErrorKind::Name);
    let half = "rule half: (2*x) floordiv 2 => x";
    assert!(talk.say(half).contains("rule 'half' added"));
    assert_eq!(talk.say(NESTED), FLAT);
    talk.say("save now.aff");
    assert!(
        talk.host.written["now.aff"].contains("# `rules lock` put rules of a checkout in force")
    );

    // A rule that is not proved changes nothing, whatever the lock file states.
    let lock = talk.host.written[LOCK].clone();
    directory(&mut talk, &own.replace("x + a*y", "x + y"));
    let (status, said) = talk.ask("rules lock");
    assert_eq!(status, Status::Wrong);
    assert!(said.contains("refuted") && !said.contains("in force"), "{said}");
    assert_eq!(talk.host.written[LOCK], lock);
    assert_eq!(talk.say(NESTED), FLAT);

    while talk.say("undo") != "taken back: rules lock" {}
    assert_eq!(talk.say(NESTED), FLAT);
    talk.say("rules off div-div");
    assert_eq!(talk.say(NESTED), kept);
}
