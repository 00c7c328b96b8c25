//! The state of a session: numbered answers, `undo`, `reset`, `set`, and `save`, whose script reproduces it.

use crate::support::memory::Memory;
use crate::support::random;
use affinor::expr::IndexingMap;
use affinor::text::{ErrorKind, Style, print_map};
use affinor_commands::{Failure, Place, Session, Splitter};
use proptest::prelude::*;

/// A session and its host.
#[derive(Default)]
struct Talk {
    session: Session,
    host: Memory,
}

impl Talk {
    fn with(lines: &[&str]) -> Talk {
        let mut talk = Talk::default();
        for line in lines {
            talk.say(line).expect(line);
        }
        talk
    }

    /// Returns the last answer to a command.
    fn say(&mut self, line: &str) -> Result<String, Failure> {
        self.host.outputs.clear();
        self.session.run(line, &mut self.host)?;
        let last = self.host.outputs.last();
        Ok(last.map(|output| output.text.to_string()).unwrap_or_default())
    }

    #[track_caller]
    fn check(&mut self, line: &str, expected: &str) {
        assert_eq!(self.say(line).as_deref(), Ok(expected), "{line}");
    }

    #[track_caller]
    fn check_fails(&mut self, line: &str, kind: ErrorKind, hint: &str) {
        let error = self.say(line).expect_err(line).error;
        assert_eq!((error.kind, error.hint.as_deref()), (kind, Some(hint)), "{line}: {error}");
    }

    /// Returns the state of the session as the script that it saves.
    fn script(&mut self) -> String {
        self.host.written.clear();
        self.say("save state.aff").expect("a host that writes");
        self.host.written["state.aff"].clone()
    }

    /// Returns the values of names, numbered answers and settings.
    fn knowledge(&mut self, numbers: usize) -> Vec<String> {
        let numbered = (1..=numbers).map(|number| format!("show _{number}"));
        let questions = ["show", "set", "eval _ 0,0,0"].map(str::to_owned);
        let questions: Vec<String> = questions.into_iter().chain(numbered).collect();
        let mut answers = vec![match self.say("show _") {
            Ok(text) => text,
            Err(failure) => failure.error.to_string(),
        }];
        for question in questions {
            let Ok(answer) = self.say(&question) else {
                answers.push(format!("{question} fails"));
                continue;
            };
            answers.push(answer);
        }
        answers
    }
}

const A: &str = "let a = (d0) -> (d0 * 4), domain: d0 in [0, 3]";

#[test]
fn answers_that_are_maps_have_numbers() {
    let mut talk = Talk::with(&[
        A,
        "show a",
        "eval a 3",
        "simplify (x) -> (x * 4 floordiv 4), domain: x in [0, 3]",
    ]);
    assert_eq!(talk.host.outputs[0].number, Some(2));
    talk.check("eval _2 3", "(3)");
    talk.check("eval _1 3", "(12)");
    talk.check("let b = compose _2 ; _1", "b = (x) -> (x * 4), domain: x in [0, 3]");
    assert_eq!(talk.host.outputs[0].number, None); // it has a name
    talk.check("show _", "(x) -> (x * 4), domain: x in [0, 3]");
    talk.check_fails("show _9", ErrorKind::Name, "the last one is `_3`");
    talk.check_fails("let _3 = a", ErrorKind::Name, "choose another name");
    talk.check("_2", "(x) -> (x), domain: x in [0, 3]");
    Talk::default().check_fails("show _1", ErrorKind::Name, "no command has returned a map yet");
}

#[test]
fn undo_takes_back_one_command_after_the_other() {
    let rule = "rule below: x floordiv c => x - x where c >= 1, 0 <= x, x < c";
    let mut talk = Talk::with(&[A, "let a = (d0) -> (d0), domain: d0 in [0, 9]", rule]);
    talk.say("eval a 3").expect("a point"); // changes nothing
    talk.say("set style xla").expect("a setting");
    talk.check("undo", "taken back: set style xla");
    assert_eq!(talk.session.style, Style::Plain);
    talk.check("undo", &format!("taken back: {rule}"));
    assert!(talk.say("rules list below").is_err());
    talk.check("eval a 3", "(3)");
    talk.check("undo", "taken back: let a = (d0) -> (d0), domain: d0 in [0, 9]");
    talk.check("eval a 3", "(12)");
    talk.check("undo", &format!("taken back: {A}"));
    talk.check("show", "no named maps; `let NAME = MAP` names one");
    talk.check_fails(
        "undo",
        ErrorKind::Usage,
        "only commands that name a map, return a map, add a rule or change a setting can be undone",
    );
}

#[test]
fn reset_forgets_and_can_be_taken_back() {
    let mut talk = Talk::with(&[A, "show a", "set ascii on", "let c = _1"]);
    talk.say("rule --law sum: x + k =>\n  k + x").expect("a law");
    talk.say("rules off div-div div-low").expect("rules");
    let before = talk.script();
    talk.check("reset", "forgot 2 names, 1 rule; `undo` restores them");
    assert_eq!(talk.script(), "# A session of affinor.\nset ascii on\n");
    talk.check("undo", "taken back: reset");
    assert_eq!(talk.script(), before);
}

#[test]
fn a_command_inside_another_is_taken_back_with_it() {
    let mut talk = Talk::with(&[A]);
    let before = talk.script();
    talk.say("let b = compose a ; (x) -> (x + 1), domain: x in [0, 20]").expect("a map");
    talk.say("undo").expect("a command to take back");
    assert_eq!(talk.script(), before);
    talk.say("time simplify a").expect("a map");
    talk.check("undo", "taken back: time simplify a");
    assert_eq!(talk.script(), before);
    // The inner command succeeds, but the outer one has no map to name.
    talk.check_fails(
        "let mod = simplify a",
        ErrorKind::Name,
        "a name consists of letters, digits and `_`, does not start with a digit, and is not a keyword",
    );
    assert_eq!(talk.script(), before);
}

#[test]
fn settings_are_said_and_set() {
    let mut talk = Talk::default();
    talk.check("set", "style plain\nascii off\ntime off");
    talk.check("set style mlir", "style mlir");
    talk.check("set style", "style mlir");
    talk.check("show affine_map<(d0) -> (d0)>", "affine_map<(d0) -> (d0)>");
    talk.check("set style default", "style plain");
    talk.check("set ascii on", "ascii on");
    talk.check(":time", "time on");
    talk.check("show () -> (1)", "(0 us CPU)");
    assert_eq!(talk.host.outputs.len(), 2);
    talk.check(":time off", "time off");
    talk.check("time on", "time on");
    talk.check("set time off", "time off");
    talk.check("time show () -> (1)", "(0 us CPU)");
    talk.check_fails("set style latex", ErrorKind::Usage, "it is one of plain, xla, mlir");
    talk.check_fails("set time maybe", ErrorKind::Usage, "it is `on` or `off`");
    talk.check_fails("set styl xla", ErrorKind::Name, "did you mean `set style`?");
    talk.check_fails("time shw a", ErrorKind::Name, "did you mean `show`?");
}

#[test]
fn save_does_not_write_over_other_files() {
    let mut talk = Talk::with(&[A]);
    talk.host.files.insert("notes.txt", b"mine\n".to_vec());
    talk.check_fails(
        "save notes.txt",
        ErrorKind::File,
        "choose another name, or overwrite it with `--force`",
    );
    assert!(talk.host.written.is_empty());
    talk.check("save notes.txt --force", "1 name written to notes.txt");
    talk.check("save notes.txt", "1 name written to notes.txt"); // by now it is a saved session
}

#[test]
fn a_script_runs_as_if_it_were_typed() {
    let mut talk = Talk::with(&[A, "show a", "save state.aff", "reset"]);
    talk.say("run state.aff").expect("a script");
    talk.check("show _1", "(d0) -> (d0 * 4), domain: d0 in [0, 3]");
    talk.say("undo").expect("the last command of all");
    talk.say("undo").expect("the last command of the script");
    talk.check("show a", "(d0) -> (d0 * 4), domain: d0 in [0, 3]");
    assert!(talk.say("show _2").is_err());

    let script = b"let b = a\n\nshow (\n  x) -> (y)\nlet c = a\n";
    talk.host.files.insert("wrong.aff", script.to_vec());
    let failure = talk.say("run wrong.aff").expect_err("`y` is not a variable");
    let Place::Source(source) = &failure.place else {
        panic!("{failure:?}");
    };
    assert_eq!((source.name.as_str(), source.first_line), ("wrong.aff", 3));
    assert_eq!(failure.error.span.map(|span| source.text[span].to_owned()).as_deref(), Some("y"));
    talk.check("eval b 1", "(4)"); // earlier commands stay in effect
    assert!(talk.say("show c").is_err());

    talk.host.files.insert("again.aff", b"run again.aff\n".to_vec());
    let failure = talk.say("run again.aff").expect_err("it never ends");
    assert_eq!(failure.error.kind, ErrorKind::TooLarge);
    assert!(talk.say("run nowhere.aff").is_err());
    assert!(talk.say("show a").is_ok());
}

/// Draws a command that may occur in a session.
fn command() -> impl Strategy<Value = String> {
    let map = random::small_map().prop_map(|map: IndexingMap| print_map(&map, Style::Plain));
    let name = prop::sample::select(vec!["a", "b", "c"]);
    let settings = vec![
        "set style xla",
        "set style mlir",
        "set ascii on",
        "set ascii off",
        "set time on",
        "time off",
        "reset",
        "undo",
        "simplify _",
        "layout f32[2,3]",
        "let a = _1",
        "let b = c",
        "show _2",
        "rule below: x floordiv c => x - x where c >= 1, 0 <= x, x < c split multiples",
        "rule --law sum: x + k =>\n  k + x constant k",
        "rules off below div-strip",
        "rules off div-strip",
        "rules off mod-def",
        "rules on div-strip",
        "rules on",
    ];
    prop_oneof![
        (name, map.clone()).prop_map(|(name, map)| format!("let {name} = {map}")),
        map.prop_map(|map| format!("show {map}")),
        prop::sample::select(settings).prop_map(str::to_owned),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// `undo` reverts any command, and a command that fails changes nothing.
    #[test]
    fn undo_restores_the_session(commands in prop::collection::vec(command(), 1..12)) {
        let mut talk = Talk::default();
        for command in &commands {
            let _ = talk.say(command); // some fail
        }
        for command in &commands {
            let before = talk.script();
            let result = talk.say(command);
            let after = talk.script();
            if result.is_err() {
                prop_assert_eq!(&after, &before, "{}", command);
            } else if after != before && command != "undo" {
                talk.say("undo").expect("a command to take back");
                prop_assert_eq!(talk.script(), before, "{}", command);
            }
        }
    }

    /// The script that `save` writes gives a new session the same names, numbers, last answer and settings.
    #[test]
    fn a_saved_session_is_the_same_session(commands in prop::collection::vec(command(), 1..12)) {
        let mut talk = Talk::default();
        for command in &commands {
            let _ = talk.say(command); // some fail
        }
        let script = talk.script();
        let mut again = Talk::default();
        let mut splitter = Splitter::new();
        for line in script.lines() {
            if let Some(command) = splitter.push(line).expect("a short line") {
                let result = again.say(&command.text);
                prop_assert!(result.is_ok(), "{}: {:?}", command.text, result);
            }
        }
        let numbers = (1..).take_while(|number| talk.say(&format!("range _{number}")).is_ok()).count();
        prop_assert_eq!(again.knowledge(numbers), talk.knowledge(numbers), "{}", script);
    }
}
